"""The parts of the Socratic agent: reasoner, planner, guide, validator, and the risk protocol that goes before them."""
