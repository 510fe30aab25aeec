"""A person practises on a simulated patient: what is told to them afterwards, and what their formulation is held
against."""
