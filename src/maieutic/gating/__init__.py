"""Release gates: a policy in a file, held against what runs measured; what was not measured never passes."""
