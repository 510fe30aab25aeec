"""Family of the battery: is it lost when a story comes in pieces?"""
