"""The evidence that the simulator can be believed: worlds, arms, bounds and the report that shows them."""
