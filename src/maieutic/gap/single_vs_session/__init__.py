"""Family of the battery: do single replies promise what sessions do not keep?"""
