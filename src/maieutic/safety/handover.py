"""The fixed hand-over texts, one a kind of danger, and the one-line disclaimer: what a person in danger meets instead
of a model.

The wordings are fixed so that they can be tested and reviewed by people; nothing here is generated, and nothing is
added at run time. Each of them must be safe for somebody who lives with a person who hurts them and may see the device:
none tells the reader to keep or show what they wrote.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from maieutic.reading.yaml_text import packaged_yaml
from maieutic.safety.kinds import Kind, kind_of

_PLAIN: Final = (
    "I have to be plain with you: this is a research and training program for adults. It is not a service, nobody is "
    "watching, and it cannot help in an emergency."
)
_END: Final = (
    "You deserve the help of a person. The exercise stops at this point, and reaching somebody is all that counts."
)


def _text(first: str, whom: str) -> str:
    """What is to be done first stands at the top, the notice after it, the rest below."""
    return "\n\n".join((first, _PLAIN, whom, _END))


_TOLD: Final[dict[str, dict[str, str]]] = packaged_yaml("safety", "handovers.yaml")
HANDOVER: Final = _text(**_TOLD["in doubt"])
"""Shown where the kind of danger is in doubt. For adults. It guesses no country, names no number and is not a safety
plan."""

HANDOVERS: Final[Mapping[Kind, str]] = {kind: _text(**_TOLD[kind.value]) for kind in Kind}
"""Shown, word for word, where that kind of danger is told of; each begins with the one thing to do first."""


def handover_for(*turns: str) -> str:
    """The fixed text for what one person said, the latest turn last; the general one where the kind is in doubt."""
    kind = kind_of(*turns)
    return HANDOVER if kind is None else HANDOVERS[kind]


def holds_handover(text: str) -> bool:
    """One of the fixed texts stands in it, or one of an earlier version: the notice is the same in all of them."""
    return _PLAIN in text


DISCLAIMER: Final = (
    "A research and training tool: it treats nobody, is not a medical device or a crisis service, and is not for "
    "anyone in distress or danger."
)
"""One line for every page and report: what the tool is not for."""
