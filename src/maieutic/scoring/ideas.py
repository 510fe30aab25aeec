"""Who voices an idea first: words and word pairs that are new to the session and later taken up by the other
speaker."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from maieutic.domain.episode import Score
from maieutic.language.sentences import content_words, words
from maieutic.scoring.coded import CodedTranscript
from maieutic.transcripts.utterance import Role

MIN_IDEAS = 5


@dataclass(frozen=True, slots=True)
class Idea:
    """A content word or a pair of neighbouring content words in its first use.

    Attributes:
        gram: The word, or two words with a space.
        by: Who said it first.
        first: Index of that turn in the source.
        taken_up: Index of the first later turn in which the other speaker says it; None when that never happens.
    """

    gram: str
    by: Role
    first: int
    taken_up: int | None


def ideas(coded: CodedTranscript) -> tuple[Idea, ...]:
    """All words and pairs of the session in the order of their first use."""
    first: dict[str, tuple[Role, int]] = {}
    taken: dict[str, int] = {}
    for turn in coded.turns:
        for gram in _grams(turn.text):
            known = first.setdefault(gram, (turn.speaker, turn.index))
            if known[0] != turn.speaker:
                taken.setdefault(gram, turn.index)
    return tuple(Idea(gram, by, at, taken.get(gram)) for gram, (by, at) in first.items())


def client_first_share(coded: CodedTranscript) -> Score:
    """Of the ideas that both speakers come to use, the share that the client voiced first.

    Unit: share of shared ideas. Range: 0 to 1. Evidence: the turns in which the client voiced them.
    Source: own, after client-authored reframes and Padesky's use of the client's own words.
    Departures: an idea is a content word or a pair of neighbouring ones, counted once; not human-validated.
    Blind to: ideas in other words, whether the idea is a good one, and who talks more: see `client_first_surplus`.
    """
    shared = [idea for idea in ideas(coded) if idea.taken_up is not None]
    unit = "share of shared ideas"
    if len(shared) < MIN_IDEAS:
        return Score("client_first_share", None, unit, _too_few(len(shared)))
    own = [idea for idea in shared if idea.by == "client"]
    return Score("client_first_share", len(own) / len(shared), unit, None, _turns(own))


def client_first_surplus(coded: CodedTranscript) -> Score:
    """`client_first_share` less the client's share of all ideas, taken up or not.

    Unit: difference of shares. Range: -1 to 1; 0 when what the client brings is taken up as often as what the therapist
    brings. Evidence: the turns in which the client voiced the shared ideas. Source: own. Departures: none.
    Blind to: as `client_first_share`, without its dependence on who talks more.
    """
    found = ideas(coded)
    shared = [idea for idea in found if idea.taken_up is not None]
    unit = "difference of shares"
    if len(shared) < MIN_IDEAS:
        return Score("client_first_surplus", None, unit, _too_few(len(shared)))
    own = [idea for idea in shared if idea.by == "client"]
    of_all = sum(idea.by == "client" for idea in found) / len(found)
    return Score("client_first_surplus", len(own) / len(shared) - of_all, unit, None, _turns(own))


def client_idea_uptake(coded: CodedTranscript) -> Score:
    """Share of the ideas that the client voices first which the therapist later takes up.

    Unit: share of the client's ideas. Range: 0 to 1. Evidence: the therapist turns that take one up.
    Source: own, building on the client's words (Padesky 1993). Departures: words and pairs as in `client_first_share`.
    Blind to: paraphrase; grows with length, since a longer session leaves more time to take up.
    """
    own = [idea for idea in ideas(coded) if idea.by == "client"]
    unit = "share of the client's ideas"
    if len(own) < MIN_IDEAS:
        return Score("client_idea_uptake", None, unit, f"{len(own)} ideas of the client; {MIN_IDEAS} are needed")
    taken = [idea.taken_up for idea in own if idea.taken_up is not None]
    return Score("client_idea_uptake", len(taken) / len(own), unit, None, tuple(sorted(set(taken))))


def _grams(text: str) -> Iterator[str]:
    kept = [found for word in words(text) for found in content_words(word)]
    yield from kept
    yield from (f"{one} {two}" for one, two in pairwise(kept))


def _turns(found: Sequence[Idea]) -> tuple[int, ...]:
    return tuple(sorted({idea.first for idea in found}))


def _too_few(count: int) -> str:
    return f"{count} ideas that both speakers use; at least {MIN_IDEAS} are needed"
