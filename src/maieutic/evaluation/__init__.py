"""The grid therapists × cases × seeds: planning, running, resuming, summing up, reporting."""
