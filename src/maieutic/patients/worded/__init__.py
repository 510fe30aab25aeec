"""A language model as ear and mouth of a simulated patient; what moves is decided by the same mind as ever."""
