"""Does the Socratic agent do what it is built for: on test patients, in other worlds, under pressure, at risk?"""
