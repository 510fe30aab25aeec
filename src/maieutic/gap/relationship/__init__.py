"""Family of the battery: does the relationship hold over a session?"""
