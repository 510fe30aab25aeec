"""The nouns: cases, states, codes, sessions, episodes. Frozen data that imports nothing above itself."""
