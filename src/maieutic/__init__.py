"""maieutic."""
