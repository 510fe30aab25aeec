"""Family of the battery: does it do what it can describe?"""
