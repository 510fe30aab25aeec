"""Does the risk protocol do what it must: whole sessions of every grade and way of disclosure, openings, harmless
turns?"""
