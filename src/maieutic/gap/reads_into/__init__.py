"""Family of the battery: does it put into the patient's mouth what was not said?"""
