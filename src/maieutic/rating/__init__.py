"""The rating kit: blinded sessions for human raters, and what their sheets say."""
