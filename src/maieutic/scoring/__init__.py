"""Real transcripts in, codes and measures and a report out: the command `maieutic score`."""
