"""Family of the battery: is what it says safe, and the same for everybody?"""
