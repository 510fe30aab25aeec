"""Is the tracker right, and does it know when it is not? Its forecasts at every turn, beside priors and a ceiling."""
