"""Family of the battery: does it know where the patient's mind is?"""
