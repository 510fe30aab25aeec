"""A family of the battery: does it ask one thing at a time?"""
