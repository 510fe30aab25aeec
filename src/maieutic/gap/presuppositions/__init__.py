"""Family of the battery: does it go along with what is presupposed?"""
