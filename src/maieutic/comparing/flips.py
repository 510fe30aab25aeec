"""Sessions that turned round: the same patient was helped by one arm and not by the other, and where the two part."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from maieutic.comparing.sources import Contest
from maieutic.domain.episode import Episode

TURNED = 5.0
"""Points of held conviction that count as a move, and by which two sessions must differ at the end to have turned."""

Result = Literal["nearer", "stayed", "farther"]
MEANINGS: dict[Result, str] = {
    "nearer": f"held conviction ended at least {TURNED:g} points nearer to what the facts warrant",
    "stayed": f"it moved less than {TURNED:g} points to or from it",
    "farther": f"it ended at least {TURNED:g} points farther from it",
}


@dataclass(frozen=True, slots=True)
class Side:
    """How one of the two sessions went.

    Attributes:
        result: What became of the thought.
        gain: Points nearer to the warranted conviction at the end than at the start.
        start, end: Held conviction, 0–100.
    """

    result: Result
    gain: float
    start: float
    end: float


@dataclass(frozen=True, slots=True)
class Flip:
    """One patient and seed with another result in each arm.

    Attributes:
        case, seed: Which.
        first, second: How it went in each arm.
        words_part: Therapist turn (from 1) at which the words first differ; None where one is only longer.
        minds_part: First therapist turn after which held conviction differs by `TURNED` points or more and does so to
            the end.
    """

    case: str
    seed: int
    first: Side
    second: Side
    words_part: int | None
    minds_part: int

    @property
    def difference(self) -> float:
        """Points that the second arm gained beyond the first."""
        return self.second.gain - self.first.gain


def flips(pair: Contest) -> tuple[Flip, ...]:
    """All sessions that turned round, the largest difference first; none where the arms share no patient with a
    mind."""
    found = []
    for case, seed in pair.shared:
        a, b = pair.first.episodes[case, seed], pair.second.episodes[case, seed]
        if a.failed or b.failed or not a.states or not b.states or a.states[0] != b.states[0]:
            continue
        one, two = _side(a), _side(b)
        if one.result != two.result and abs(two.gain - one.gain) >= TURNED:
            found.append(Flip(case, seed, one, two, words_part(a, b), minds_part(a, b)))
    return tuple(sorted(found, key=lambda f: (-abs(f.difference), f.case, f.seed)))


def _side(episode: Episode) -> Side:
    start, end = episode.states[0].held, episode.states[-1].held
    warranted = episode.provenance.get("warranted")
    gain = start - end if warranted is None else abs(start - warranted) - abs(end - warranted)
    result: Result = "nearer" if gain >= TURNED else "farther" if gain <= -TURNED else "stayed"
    return Side(result, gain, start, end)


def words_part(a: Episode, b: Episode) -> int | None:
    """The first therapist turn whose words differ, from 1."""
    pairs = zip(a.therapist_turns, b.therapist_turns, strict=False)
    return next((number for number, (one, two) in enumerate(pairs, start=1) if one.text != two.text), None)


def minds_part(a: Episode, b: Episode) -> int:
    """The first therapist turn, from 1, after which the two minds are apart and stay so; the shorter one keeps its
    last."""
    length = max(len(a.states), len(b.states))
    one, two = (_filled([s.held for s in e.states], length) for e in (a, b))
    turn = length
    while turn > 1 and abs(one[turn - 1] - two[turn - 1]) >= TURNED:
        turn -= 1
    return turn


def _filled(values: Sequence[float], length: int) -> list[float]:
    return [*values, *[values[-1]] * (length - len(values))]
