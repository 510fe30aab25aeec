"""The one fixed hand-over text and the one-line disclaimer: what a person in danger meets instead of a model.

The wording is fixed so that it can be tested and reviewed by people; nothing here is generated, and nothing is added
to it at run time.
"""

from __future__ import annotations

from typing import Final

HANDOVER: Final = (
    "Thank you for saying this. It sounds as if you, or someone near you, may be in danger, and that matters more "
    "than anything else here.\n"
    "\n"
    "I have to be plain with you: this is a research and training program for adults. It is not a service, nobody is "
    "watching, and it cannot help in an emergency.\n"
    "\n"
    "Please contact your local emergency number now, or go to the nearest emergency department. If that feels like too "
    "much, reach a person you trust and ask them to stay with you, or a crisis line where you live. You can show them "
    "the words you wrote here.\n"
    "\n"
    "You deserve the help of a person. The exercise stops at this point."
)
"""Shown, word for word, when a turn is flagged, before any model sees the turn.

For adults. It guesses no country, names no number and is not a safety plan.
"""

DISCLAIMER: Final = (
    "A research and training tool: it treats nobody, is not a medical device or a crisis service, and is not for "
    "anyone in distress or danger."
)
"""One line for every page and report: what the tool is not for."""
