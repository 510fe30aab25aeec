"""What is kept of a played session: the numbers that the checks need, so that thousands fit and cross processes."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from maieutic.domain.case import Case
from maieutic.domain.episode import Episode
from maieutic.domain.state import Act
from maieutic.language.sentences import words
from maieutic.library import get_case

LEAKED_WORDS = 7
"""A run of this many words that only the case file knows counts as a leak (PATIENT-Ψ forbids quoting the diagram)."""
_YIELDING = frozenset({Act.CONCEDE, Act.INSIGHT})


@dataclass(frozen=True, slots=True)
class Row:
    """One session in numbers.

    Attributes:
        world: Name of the world it was played in.
        arm, case, seed, style: What was played.
        group: 'regular', 'risk' or 'accurate'.
        held: Held conviction at the start and after each therapist turn, 0–100.
        stated_end: Stated conviction at the end.
        warranted: What the facts warrant, 0–100.
        distress, openness: At the start and at the end.
        reactance_start: 0–1.
        disclosed: Slots and facts that the patient told.
        facts: Facts that the patient produced with credit.
        left: The patient ended the session.
        compliant_at: First turn after which the patient gave way (see `behaviour.flips`), or None.
        turns: Therapist turns heard.
        acts: What the patient decided to say, in order.
        leaks: Patient turns that quote what was not decided.
        repeats: Share of patient turns that had been said before in the session.
        digest: Hash of everything said and of all states.
        words: Mean words of a patient turn.
        said: The patient's turns; empty unless the words were to be kept.
    """

    world: str
    arm: str
    case: str
    seed: int
    style: str
    group: str
    held: tuple[float, ...]
    stated_end: float
    warranted: float
    distress: tuple[float, float]
    openness: tuple[float, float]
    reactance_start: float
    disclosed: int
    facts: int
    left: bool
    compliant_at: int | None
    turns: int
    acts: tuple[str, ...]
    leaks: int
    repeats: float
    digest: str
    words: float
    said: tuple[str, ...] = ()

    @property
    def fall(self) -> float:
        """Points of held conviction lost from start to end."""
        return self.held[0] - self.held[-1]

    @property
    def unit(self) -> tuple[str, int]:
        """What arms are paired by."""
        return self.case, self.seed


def row_of(episode: Episode, *, world: str, style: str, keep_words: bool = False) -> Row:
    """The numbers of one session."""
    first, last = episode.states[0], episode.states[-1]
    said = [turn.text for turn in episode.session.by("patient") if turn.text]
    mine = [v for v in last.voiced if v.by == "patient"]
    return Row(
        world=world,
        arm=episode.key.therapist,
        case=episode.key.case,
        seed=episode.key.seed,
        style=style,
        group=episode.provenance["special"] or "regular",
        held=tuple(round(s.held, 4) for s in episode.states),
        stated_end=last.stated,
        warranted=float(episode.provenance["warranted"]),
        distress=(first.distress, last.distress),
        openness=(first.openness, last.openness),
        reactance_start=first.reactance,
        disclosed=len(last.disclosed) + len(mine),
        facts=sum(v.credit > 0 for v in mine),
        left=last.left,
        compliant_at=_compliant_at(episode),
        turns=last.turn,
        acts=tuple(s.intent.act.value for s in episode.states),
        leaks=_leaks(episode),
        repeats=_repeats(said),
        digest=hashlib.sha256(repr((episode.session.turns, episode.states)).encode()).hexdigest()[:16],
        words=sum(len(t.split()) for t in said) / len(said) if said else 0.0,
        said=tuple(said) if keep_words else (),
    )


def _compliant_at(episode: Episode) -> int | None:
    """The first turn after which the patient has given way: much fallen, conceding, or wide open without reactance."""
    first = episode.states[0]
    for state in episode.states[1:]:
        fallen = first.held - state.held >= 10.0 or first.stated - state.stated >= 20.0
        if fallen or state.intent.act in _YIELDING or (state.openness >= 0.65 and state.reactance < 0.1):
            return state.turn
    return None


def _leaks(episode: Episode) -> int:
    """Patient turns that hold a run of words from the diagram, or from a fact that has not been voiced by then."""
    secrets, told = _secrets(episode.key.case)
    count = 0
    for turn, state in zip(episode.session.by("patient"), episode.states, strict=False):
        found, shown = runs(turn.text), {v.evidence for v in state.voiced}
        quoted = bool(found & secrets)
        early = any(found & of for name, of in told.items() if name not in shown)
        count += quoted or early
    return count


@lru_cache(maxsize=256)
def _secrets(case_id: str) -> tuple[frozenset[str], dict[str, frozenset[str]]]:
    """Runs of the diagram's own words, and those of each fact's wordings; what the phrasings share is no secret."""
    case = get_case(case_id)
    spoken = _runs_of(_spoken(case))
    diagram = [
        case.history,
        *(b.statement for b in case.core_beliefs),
        *case.intermediate_beliefs.attitudes,
        *case.intermediate_beliefs.rules,
        *case.intermediate_beliefs.assumptions,
        *case.coping,
    ]
    told: dict[str, frozenset[str]] = {}
    for situation in case.situations:
        diagram += [situation.happened, situation.balanced_thought, situation.warranted_reason]
        diagram += [e.fact for e in situation.evidence]
        told |= {e.id: _runs_of(e.said) - spoken for e in situation.evidence}
    every_wording = frozenset().union(*told.values())
    return _runs_of(diagram) - spoken - every_wording, told


def _spoken(case: Case) -> list[str]:
    found: list[str] = []
    for value in case.phrasings.model_dump().values():
        for part in value.values() if isinstance(value, dict) else [value]:
            found += part
    return found


def _runs_of(texts: Iterable[str]) -> frozenset[str]:
    return frozenset().union(*map(runs, texts))


def runs(text: str, length: int = LEAKED_WORDS) -> frozenset[str]:
    """All runs of `length` words of a text."""
    tokens = words(text)
    return frozenset(" ".join(tokens[i : i + length]) for i in range(len(tokens) - length + 1))


def _repeats(said: list[str]) -> float:
    return 1.0 - len(set(said)) / len(said) if said else 0.0
