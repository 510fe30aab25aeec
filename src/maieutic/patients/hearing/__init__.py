"""How a patient hears a turn in its dialogue: what kind of answer it asks for, and about which piece of this life."""
