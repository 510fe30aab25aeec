"""What a played session says about the relationship: alliance from its words and the true one, synchrony, disclosure.

And the statistics of the family: correlation with the truth, error of a left-out fit, slopes within sessions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise
from typing import Any, Final

import numpy as np

from maieutic.domain.codes import Move
from maieutic.domain.episode import Episode, Session
from maieutic.domain.state import CognitiveState
from maieutic.gap.items import moved_most
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
        "falls": [m for m in moved_most(episode, "fall", lambda a, b: a.alliance - b.alliance) if m["fall"] > 0],
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


def text_values(sessions: Sequence[Mapping[str, Any]], speaker: str, part: str) -> list[tuple[str, float, float]]:
    """(case, nearness of the words, true part) of every window that has both."""
    found = []
    for session in sessions:
        for window in session["windows"]:
            near = window["text"][f"{speaker}_{part}"]
            if near is not None:
                found.append((str(session["case"]), float(near), float(window["true"][part])))
    return found


MIN_PAIRS = 6
Pair = tuple[str, float, float]


def pearson(pairs: Sequence[Pair]) -> float | None:
    """Pearson's r of the second and third part of (case, x, y); None below six pairs or without spread."""
    if len(pairs) < MIN_PAIRS:
        return None
    x, y = np.array([p[1] for p in pairs]), np.array([p[2] for p in pairs])
    if x.std() < 1e-9 or y.std() < 1e-9:
        return None
    return float(np.corrcoef(x, y)[0, 1])


def left_out_mse(pairs: Sequence[Pair]) -> float | None:
    """Mean squared error on the scale of 1 to 5 of y predicted from x by a line fitted on the other cases.

    Nearness of words has no scale of its own, so a line gives it the truth's; the case that is predicted is never
    fitted. None with fewer than three cases.
    """
    cases = sorted({p[0] for p in pairs})
    if len(cases) < 3:
        return None
    errors: list[float] = []
    for case in cases:
        rest = [p for p in pairs if p[0] != case]
        x, y = np.array([p[1] for p in rest]), np.array([p[2] for p in rest])
        slope = float(((x - x.mean()) * (y - y.mean())).sum() / max(float(((x - x.mean()) ** 2).sum()), 1e-9))
        errors += [(4.0 * (y.mean() + slope * (p[1] - x.mean()) - p[2])) ** 2 for p in pairs if p[0] == case]
    return float(np.mean(errors))


def slope_within(sessions: Sequence[Mapping[str, Any]], name: str) -> float | None:
    """Change of a measure of thirds for each further thing told in the third, sessions centred on their own means.

    None where no session has three thirds with the measure, or nothing differs in how much was told.
    """
    xs: list[float] = []
    ys: list[float] = []
    for session in sessions:
        pairs = [(float(w["told"]), float(w[name])) for w in session["windows"] if w[name] is not None]
        if len(pairs) < 2:
            continue
        mean_x, mean_y = (float(np.mean([pair[k] for pair in pairs])) for k in (0, 1))
        xs += [x - mean_x for x, _ in pairs]
        ys += [y - mean_y for _, y in pairs]
    spread = sum(x * x for x in xs)
    return sum(x * y for x, y in zip(xs, ys, strict=True)) / spread if spread > 0 else None
