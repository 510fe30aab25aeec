"""Risk as one protocol: what a patient told of suicide, what is asked next, in which words, and when it is handed
over."""
