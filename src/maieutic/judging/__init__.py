"""The judge: a language model codes utterances, with the code book as its prompt."""
