"""What a therapist turn did: what it asked about, whether it reflected, how hard it pushed.

The tracker's own reading of the therapist's side. It is not the patient's comprehension and not the coder: it has only
to say which of the fitted transition and observation tables an exchange belongs to. Its heads are its own
(`recipes/readers/tracker.py`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

from maieutic.domain.episode import Turn
from maieutic.language.questions import asks_about_safety
from maieutic.language.sentences import words
from maieutic.reading.bag import sentence_row
from maieutic.reading.drafts import attributions, questions, statements
from maieutic.reading.ear import key_of, known
from maieutic.reading.head import load
from maieutic.tracking.targets import Push, Reflection, Target


@dataclass(frozen=True, slots=True)
class Asked:
    """One therapist turn as the tracker sees it."""

    target: Target = Target.NOTHING
    reflection: Reflection = Reflection.NONE
    push: Push = Push.NONE


WEIGHTS: Final = "tracking/weights/asked.npz"
OTHER: Final = "other"
TARGETS_READ: Final = (
    *(str(t) for t in Target if t not in (Target.OPEN, Target.CLOSED, Target.NOTHING)),
    OTHER,
)
"""What the head tells apart; whether any other question is open is a matter of its form."""
PUSHES: Final = ("advises", "disputes", "soothes", "none")
_SUICIDE: Final = re.compile(
    r"suicid|(?:kill|hurt|harm)\w* yourself|(?:end|tak)\w* (?:your (?:own )?life|it all)|(?:be|being) (?:alive|dead)",
    re.I,
)
"""Sure words: a question with one of these is about risk whatever the head says."""
_GIVES_BACK: Final = frozenset({"you", "you're", "you've", "you'd", "your", "so"})
LONG_SPEECH = 45
"""Words told in statements from which a turn without a question is taken as a lecture."""


@lru_cache(maxsize=20_000)
def asked(text: str) -> Asked:
    """What a therapist turn did. Any text is accepted; one without words asks nothing."""
    found = questions(text)
    told = statements(text)
    main = [q for q in found if not q.advising]
    return Asked(_target([q.text for q in main], any(q.open for q in main)), _reflection(told, text), _push(text))


def meant(turn: Turn) -> Asked:
    """What a therapist turn did: by its form, but its target as the speaker noted it where the trace is our own."""
    found = asked(turn.text)
    noted = turn.trace.get("target") if turn.trace else None
    if isinstance(noted, str) and noted in Target._value2member_map_:
        return replace(found, target=Target(noted))
    return found


def pushes(sentence: str) -> float:
    """P(a statement advises or disputes), 0–1, whichever is likelier."""
    head = load(WEIGHTS, "asked_push")
    chances = head(sentence_row(sentence, head.places))
    return max(chances["advises"], chances["disputes"])


@lru_cache(maxsize=20_000)
def _read(name: str, text: str) -> str | None:
    head = load(WEIGHTS, name)
    kept = known(name).get(key_of(text))
    if kept is None:
        return head.read(sentence_row(text, head.places)).label
    best = max(kept, key=kept.__getitem__)
    return best if kept[best] >= head.doubt else None


def _target(texts: list[str], is_open: bool) -> Target:
    if not texts:
        return Target.NOTHING
    last = texts[-1]
    if _SUICIDE.search(last) or asks_about_safety(last):
        return Target.RISK
    found = _read("asked_target", last)
    if found is None or found == OTHER:
        return Target.OPEN if is_open else Target.CLOSED
    return Target(found)


def _reflection(told: tuple[str, ...], text: str) -> Reflection:
    if attributions(text):
        return Reflection.FEELING
    given = any(len(spoken := words(s)) >= 5 and _GIVES_BACK.intersection(spoken) for s in told)
    return Reflection.WORDS if given else Reflection.NONE


def _push(text: str) -> Push:
    found = questions(text)
    if any(q.advising or q.leading for q in found):
        return Push.STRONG
    pushes = {_read("asked_push", sentence) for sentence in statements(text)}
    if pushes & {"advises", "disputes"}:
        return Push.STRONG
    told = [s for s in statements(text) if not attributions(s)]
    if not found and sum(len(words(s)) for s in told) >= LONG_SPEECH:
        return Push.STRONG
    if len([q for q in found if not q.advising]) > 1 or "soothes" in pushes:
        return Push.MILD
    return Push.NONE
