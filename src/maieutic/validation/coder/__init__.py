"""The evidence on the behaviour coder: every figure recomputed from stored out-of-fold probabilities and human
codes."""
