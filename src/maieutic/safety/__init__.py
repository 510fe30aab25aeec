"""Safety: the fixed hand-over text and the detector that decides when it is shown. It calls no language model."""
