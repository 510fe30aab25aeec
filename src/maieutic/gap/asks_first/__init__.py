"""Family of the battery: does it ask for what is missing before it answers?"""
