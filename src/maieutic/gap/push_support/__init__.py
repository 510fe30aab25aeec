"""Family of the battery: is the challenge timed by where the patient is?"""
