"""The reading room: plain text, one encoder body, one kind of head; everything that reads text in this package comes
here."""
