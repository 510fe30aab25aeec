"""Family of the battery: what does it move beyond set questions, on the same patients?"""
