"""Judges admitted by proof: any model measured as a reader on labelled sets, and admitted only where it beats the
embedded one."""
