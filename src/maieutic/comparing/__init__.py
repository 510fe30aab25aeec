"""Runs side by side: the same patients met by two arms, paired by case, with what could have been seen at all."""
