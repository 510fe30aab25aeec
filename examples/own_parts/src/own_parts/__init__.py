"""Parts of your own, joined to maieutic by entry points."""
