"""Therapists, patients and coders behind the OpenAI API, and patients as a training environment (extras serve,
openenv)."""
