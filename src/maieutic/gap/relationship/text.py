"""What a played session says about the relationship: alliance from its words beside the true one, synchrony,
disclosure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise
from typing import Any, Final, cast

from maieutic.domain.codes import Move
from maieutic.domain.episode import Episode, Session
from maieutic.domain.state import CognitiveState
from maieutic.language.sentences import words
from maieutic.measures.between import (
    DIMENSIONS,
    VIEWS,
    Dimension,
    client_entrainment_distance,
    client_style_following,
    style_matching,
    therapist_entrainment_distance,
    therapist_style_following,
)
from maieutic.measures.coded import CodedTranscript, uncoded
from maieutic.measures.material import transcript_of
from maieutic.reading.minilm import shared_minilm

BOND_HIGH: Final = 0.75
GOAL_LOW: Final = 0.375
"""4 and 2.5 on the inventory's scale of 1 to 5 (own *assumption*), on ours of 0 to 1."""
THIRDS: Final = 3
MIN_FOR_THIRDS: Final = 12
"""Therapist turns: nCLiD needs four turns of either speaker in each third."""
ANSWERED_WITHIN: Final = 2
_FIRST_PERSON: Final = frozenset("i me my mine myself".split())
_SYNCHRONY: Final = {
    "nclid_therapist": therapist_entrainment_distance,
    "nclid_client": client_entrainment_distance,
    "lsm": style_matching,
    "following_therapist": therapist_style_following,
    "following_client": client_style_following,
}


@dataclass(frozen=True, slots=True)
class Window:
    """Therapist turns `after`+1 to `until` (1-based) and what the patient said to them."""

    after: int
    until: int


def windows(turns: int) -> tuple[Window, ...]:
    """Thirds of a session of so many therapist turns; the whole where a third would be too short."""
    if turns < MIN_FOR_THIRDS:
        return (Window(0, turns),)
    cuts = [round(turns * part / THIRDS) for part in range(THIRDS + 1)]
    return tuple(Window(a, b) for a, b in pairwise(cuts))


def coded_session(session: Session, window: Window | None = None) -> CodedTranscript:
    """What was said in a window, or in all, in the form that the measures of transcripts read; codes are left out."""
    whole = transcript_of(session)
    heard = list(accumulate(int(turn.speaker == "therapist") for turn in session.turns))
    inside = [one for one in whole.utterances if window is None or window.after < heard[one.index] <= window.until]
    return uncoded(replace(whole, utterances=tuple(inside)), shared_minilm())


def true_part(state: CognitiveState, part: Dimension) -> float:
    """Goal, task or bond of a state, 0–1."""
    return {"goal": state.goal, "task": state.task, "bond": state.bond}[part]


def depth(state: CognitiveState) -> int:
    """How much the patient has told: slots, and facts that the patient brought up."""
    return len(state.disclosed) + sum(voiced.by == "patient" for voiced in state.voiced)


def alarm_turn(episode: Episode) -> int | None:
    """The first therapist turn (1-based) after which the bond is high while something is amiss, or None.

    Amiss is little agreement on goals, or a disclosure of risk that no turn since has answered, two turns on.
    """
    told_at: int | None = None
    for number, state in enumerate(episode.states):
        if state.risk_disclosed and told_at is None:
            told_at = number
        codes = episode.codes[told_at:number] if told_at is not None else ()
        answered = any(code is not None and Move.RISK_RESPONSE in code for code in codes)
        unanswered = told_at is not None and number - told_at >= ANSWERED_WITHIN and not answered
        if number and state.bond >= BOND_HIGH and (state.goal <= GOAL_LOW or unanswered):
            return number
    return None


def read(episode: Episode) -> dict[str, Any]:
    """Everything the family needs of one session, as plain data."""
    states, turns = episode.states, len(episode.states) - 1
    whole = coded_session(episode.session)
    return {
        "case": episode.key.case,
        "turns": turns,
        "start": {part: true_part(states[0], part) for part in DIMENSIONS},
        "end": {part: true_part(states[-1], part) for part in DIMENSIONS},
        "windows": [_window(episode, window) for window in windows(turns)],
        "synchrony": {name: measure(whole).value for name, measure in _SYNCHRONY.items()},
        "first_person": first_person_rate([t.text for t in episode.session.by("therapist")]),
        "alarm": alarm_turn(episode),
        "falls": _falls(episode),
    }


def _window(episode: Episode, window: Window) -> dict[str, Any]:
    coded, before, after = (
        coded_session(episode.session, window),
        episode.states[window.after],
        episode.states[window.until],
    )
    return {
        "text": {f"{who}_{part}": VIEWS[who, part](coded).value for who, part in VIEWS},
        "true": {part: true_part(after, part) for part in DIMENSIONS},
        "nclid": therapist_entrainment_distance(coded).value,
        "lsm": style_matching(coded).value,
        "told": depth(after) - depth(before),
    }


def first_person_rate(texts: Sequence[str]) -> float | None:
    """Share of a speaker's words that are I, me, my; None without words."""
    count = sum(len(text.split()) for text in texts)
    return (
        sum(word.partition("'")[0] in _FIRST_PERSON for text in texts for word in words(text)) / count
        if count
        else None
    )


def _falls(episode: Episode) -> list[dict[str, Any]]:
    """The three therapist turns after which the alliance fell most."""
    places = [at for at, turn in enumerate(episode.session.turns) if turn.speaker == "therapist"]
    moved = []
    for number, (place, before, after) in enumerate(zip(places, episode.states, episode.states[1:], strict=False)):
        fall = before.alliance - after.alliance
        if fall > 0:
            heard = episode.session.turns[place - 1].text if place else ""
            moved.append({"fall": fall, "turn": number + 1, "before": heard, "said": episode.session.turns[place].text})
    return sorted(moved, key=lambda one: -cast(float, one["fall"]))[:3]


def text_values(sessions: Sequence[Mapping[str, Any]], speaker: str, part: str) -> list[tuple[str, float, float]]:
    """(case, nearness of the words, true part) of every window that has both."""
    found = []
    for session in sessions:
        for window in session["windows"]:
            near = window["text"][f"{speaker}_{part}"]
            if near is not None:
                found.append((str(session["case"]), float(near), float(window["true"][part])))
    return found
