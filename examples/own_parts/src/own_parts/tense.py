"""A coding scheme of your own with its coder: does a therapist's utterance look back, or at what is now?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from maieutic.coding.book import Coding, Label, Scheme
from maieutic.transcripts.utterance import Utterance

PAST = frozenset("was were did had happened said went felt thought came".split())
TENSE = Scheme(
    id="tense",
    name="Tense of an utterance",
    therapist=(
        Label("past", "Past", "Asks about or names what has been.", ("What happened on Sunday?",)),
        Label("now", "Now", "All else.", ("What is it like to say that here?",)),
    ),
    client=(),
    multi_label=False,
    source="an example",
    departures="none",
)


@dataclass(frozen=True)
class TenseCoder:
    """Codes by a list of verbs; good enough for an example."""

    name: str = "tense:verbs"
    scheme: Scheme = TENSE

    def predict(self, dialogue: Sequence[Utterance]) -> list[Coding]:
        """One coding for each utterance, in order; those of clients are empty, since the scheme has no code for them."""  # noqa: E501
        return [_coded(utterance) for utterance in dialogue]


def _coded(utterance: Utterance) -> Coding:
    if utterance.speaker != "therapist":
        return Coding((), {}, abstain=True)
    past = float(not PAST.isdisjoint(utterance.text.lower().strip("?!.").split()))
    return Coding(("past" if past else "now",), {"past": past, "now": 1.0 - past}, abstain=False)
