"""Who does better on the same patients: battles, Bradley–Terry ratings in tiers, and tournaments that stop when they
can."""
