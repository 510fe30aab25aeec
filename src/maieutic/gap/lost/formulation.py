"""The formulation that is asked for at the end: one question with five lines, read strictly, scored against the
case."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from maieutic.domain.case import BELIEF_TYPES, EMOTION_GROUPS
from maieutic.domain.episode import Question
from maieutic.gap.lost.cases import PIECES, Piece, Sharded, mind, sharded
from maieutic.gap.recording_client import Unusable
from maieutic.language.feelings import feelings_in
from maieutic.language.sentences import content_words, stands_in, words
from maieutic.reading.minilm import shared_minilm

LINES: Final = ("thought", "belief", "emotion", "supports", "contradicts")
UNKNOWN: Final = "unknown"
NEAR: Final = 0.46
"""Likeness to the piece from which a line can hold it."""
AHEAD: Final = 0.03
"""How much nearer it must be to the right piece than to any other."""
SHARED: Final = 2
"""Content words shared with the right piece and with no other that make up for a likeness below `NEAR`."""
_CATEGORIES: Final = tuple(sorted(BELIEF_TYPES, key=len, reverse=True))
_BEFORE_LINE: Final = " \t*_#>-0123456789.)"

_TEXT: Final = f"""From what this client has said so far, write the formulation of the situation in exactly these five lines, nothing else. Write "unknown" on a line that the client has said nothing about yet.
THOUGHT: the client's hot thought in that situation, in one sentence
BELIEF: the category of the core belief, one of: {", ".join(name.replace("_", " ") for name in BELIEF_TYPES)}
EMOTION: the strongest feeling, one of: {", ".join(EMOTION_GROUPS)}
SUPPORTS: the fact told by the client that speaks most for the thought
CONTRADICTS: the fact told by the client that speaks most against the thought"""  # noqa: E501


def question(when: str) -> Question:
    """The question; `when` tells the places apart at which it is put in one session."""
    return Question(f"lost:{when}", _TEXT, max_tokens=260, about="formulation")


@dataclass(frozen=True, slots=True)
class Formulation:
    """One answer, read.

    Attributes:
        lines: The words of every line. belief, emotion: The choices named; 'unknown' where none was to be had.
    """

    lines: Mapping[str, str]
    belief: str
    emotion: str


def read(text: str) -> Formulation:
    """The five lines of an answer.

    Raises:
        Unusable: a line is missing, or a choice names none or several of its options.
    """
    found: dict[str, str] = {}
    name = ""
    for line in text.splitlines():
        label, rest = _labelled(line)
        if label:
            name = label if label not in found else ""
        if name and not found.get(name):
            found[name] = rest.strip(" \t*_`\"'“”")
    absent = [name for name in LINES if not found.get(name)]
    if absent:
        raise Unusable(f"the formulation lacks the line(s) {', '.join(absent)}")
    return Formulation(found, _belief(found["belief"]), _emotion(found["emotion"]))


def _labelled(line: str) -> tuple[str, str]:
    """The name of a line in small letters and what follows it; no name, and the line, where it begins with none."""
    bare = line.lstrip(_BEFORE_LINE)
    name = next((name for name in LINES if bare.lower().startswith(name)), "")
    rest = bare[len(name) :].lstrip(" \t*_")
    return (name, rest[1:]) if name and rest[:1] in (":", "=", "–", "—", "-") else ("", line)


def score(formulation: Formulation, shards: Sharded) -> dict[Piece, float]:
    """Points of every piece, 0 to 1: choices against the diagram, lines against the piece that was told.

    Belief: 1 for the category, 0.5 for another of the same type. Emotion: 1 for the strongest, 0.5 for another that the
    case lists. Thought and facts: 1 when the line holds the piece.
    """
    case, situation = mind(shards)
    true = case.core_beliefs[0]
    named = formulation.belief
    kind = next((BELIEF_TYPES[c] for c in BELIEF_TYPES if c == named), None)
    groups = [e.group for e in sorted(situation.emotions, key=lambda e: -e.intensity)]
    emotion = formulation.emotion
    return {
        "thought": float(holds(formulation.lines["thought"], "thought", shards)),
        "feeling": 1.0 if emotion == groups[0] else 0.5 if emotion in groups else 0.0,
        "belief": 1.0 if named == true.category else 0.5 if kind == true.type else 0.0,
        "supports": float(holds(formulation.lines["supports"], "supports", shards)),
        "contradicts": float(holds(formulation.lines["contradicts"], "contradicts", shards)),
    }


def points(parts: Mapping[Piece, float]) -> float:
    """The whole formulation, 0 to 100."""
    return 100.0 * sum(parts.values()) / len(PIECES)


def holds(said: str, piece: Piece, shards: Sharded) -> bool:
    """Whether a line says what the piece says, and not what another piece of the case says."""
    if is_unknown(said):
        return False
    targets = _wordings(shards.case)
    line = shared_minilm()([said])[0]
    likeness = {name: float((vectors @ line).max()) for name, (vectors, _) in targets.items()}
    # A hot thought may word the core belief outright; that takes nothing from it.
    others = max(v for name, v in likeness.items() if name != piece and not (piece == "thought" and name == "belief"))
    mine = content_words(said)
    other_words = frozenset().union(*(own for name, (_, own) in targets.items() if name != piece))
    shared = len(mine & (targets[piece][1] - other_words))
    ahead = likeness[piece] - others
    return (likeness[piece] >= NEAR and ahead >= AHEAD) or (shared >= SHARED and ahead >= -AHEAD)


def is_unknown(said: str) -> bool:
    """Whether a line says that there is nothing to say yet."""
    first, second, third = (*(word.partition("'")[0] for word in words(said)), "", "", "")[:3]
    match first:
        case "not":
            return (third if second == "yet" else second) in _NOT_YET
        case "no":
            return second.startswith(("fact", "evidence"))
        case "n":
            return second == "a"
        case _:
            return first in _UNSAID


_UNSAID: Final = ("unknown", "none", "na", "nothing", "unclear")
_NOT_YET: Final = ("known", "said", "told", "clear", "stated", "mentioned", "given")


def _belief(said: str) -> str:
    if is_unknown(said):
        return UNKNOWN
    flat = " ".join(words(said))
    found: list[str] = []
    for name in _CATEGORIES:
        wording = name.replace("_", " ")
        if stands_in(flat, wording):
            found.append(name)
            flat = flat.replace(wording, " ")
    if len(found) != 1:
        raise Unusable(f"no one category of belief can be read from {said[:60]!r}")
    return found[0]


def _emotion(said: str) -> str:
    if is_unknown(said):
        return UNKNOWN
    named: list[str] = [g for g in EMOTION_GROUPS if stands_in(said.lower(), g)]
    found = named or sorted(feelings_in(said))
    if len(found) != 1:
        raise Unusable(f"no one feeling can be read from {said[:60]!r}")
    return found[0]


@lru_cache(maxsize=64)
def _wordings(case: str) -> dict[Piece, tuple[NDArray[np.float32], frozenset[str]]]:
    """Every piece as it can be worded, (wordings, 384), with its content words."""
    shards = sharded(case)
    whole, situation = mind(shards)
    texts: dict[Piece, list[str]] = {
        "thought": [situation.automatic_thought, *whole.phrasings.thought[situation.id]],
        "feeling": list(whole.phrasings.feeling[situation.id]),
        "belief": [*whole.phrasings.background, whole.core_beliefs[0].statement],
        "supports": [situation.fact(shards.support).fact, *situation.fact(shards.support).said],
        "contradicts": [situation.fact(shards.against).fact, *situation.fact(shards.against).said],
    }
    return {
        piece: (shared_minilm()(lines), frozenset().union(*(content_words(line) for line in lines)))
        for piece, lines in texts.items()
    }
