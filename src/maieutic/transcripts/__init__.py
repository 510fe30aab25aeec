"""Real transcripts as they come: one way from a file of any known kind to utterances and sessions."""
