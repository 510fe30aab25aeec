"""Six marks of one question, each 0 or 1 by rule: clear, single, answerable, non-leading, grounded, on the key cognition.

After ALFA (Li et al. 2025, arXiv 2502.14860), whose clinical trio is replaced: *medical accuracy*, *diagnostic relevance* and
*avoiding bias* become grounded, on the key cognition and non-leading.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, Literal, get_args

from maieutic.domain.appraisal import Slot
from maieutic.gap.asks_first_slots import asked_slots
from maieutic.gap.lost_patient import encoder
from maieutic.language.feelings import feelings_in
from maieutic.language.questions import questions
from maieutic.language.sentences import content_words, sentences, words
from maieutic.patients.slots import asked_about, packaged_slots

Mark = Literal["clear", "single", "answerable", "non_leading", "grounded", "key"]
MARKS: Final[tuple[Mark, ...]] = get_args(Mark)
LONGEST: Final = 30
"""Words of one question that a person in distress can follow at once."""

_JARGON: Final = re.compile(
    r"\b(?:\w*schema\w*|maladaptive|compensatory|conceptuali[sz]e\w*|dysfunctional|affective|mediat\w*|cognitions?|cognitive|intrapsychic|unconscious|ego\w*|transference|attachment style|psychodynamic|etiolog\w*|aetiolog\w*|symptomatolog\w*|operationali[sz]e\w*"
    r"|behaviou?ral activation|metacognit\w*|valence|phenomenolog\w*)\b",
    re.I,
)
_OTHER_MIND: Final = re.compile(
    r"\b(?:what|why|how)\b.{0,12}\b(?:was|were|is|are|did|do|does|might|could) (?:he|she|they|(?:your|the|those|these) \w+(?! \w+ (?:to|for) you)|none of \w+|the others|others|people) (?:\w+ ){0,3}?(?:think|thinking|thought|feel|feeling|want\w*|mean|decide\w*|hate\w*|believe|hop\w+)\b"
    r"|\bwhy (?:did|do|does|has|have|would|is|was|were|are) (?:he|she|they|none|nobody|no one|(?:your|the) \w+)\b",
    re.I,
)
_PRESUMES: Final = re.compile(
    r"\bwhy (?:did|do|does|has|have|would|is|was|were|are) (?:he|she|they|none|nobody|no one|(?:your|the) \w+)\b", re.I
)
_ABSTRACT: Final = re.compile(r"\bmeaning of life\b|\bin society\b|\bwider picture\b|\bthe nature of\b", re.I)
_THINKS: Final = re.compile(
    r"\b(?:i (?:just |really |still )?(?:think|thought|believe|believed|know|knew|feel like|figured|keep thinking)|(?:they|he|she) (?:must|all|only|want\w*|can|hates?)|i(?:'m| am|'ve| have| can't| don't)|it'll never|it means|nobody|no one)\b",
    re.I,
)
_GENERIC: Final = frozenset(
    """about again also another anything because been before could does doing done ever every everything from going have having
    happen happened happens here into just know like make makes made mean means more most much only other over really said
    same says should some something still sure tell tells than that that's their them then there these they thing things
    think thinking this those thought through time upon very well were what what's when where which while will with would
    your you're yours yourself feel feels feeling felt moment exactly""".split()
)
_KEY_SLOTS: Final = frozenset(
    {Slot.THOUGHT, Slot.FEELING, Slot.SUPPORT, Slot.WEIGHING, Slot.ALTERNATIVE, Slot.CONVICTION}
)


def marks_of(text: str, before: str) -> dict[Mark, bool] | None:
    """The marks of the main question of a turn, its last; None where the turn asks nothing.

    Args:
        before: What the patient has said so far.
    """
    asked = questions(text)
    if not asked:
        return None
    main = asked[-1]
    joined = " ".join(q.text for q in asked)
    clear = all(len(words(q.text)) <= LONGEST for q in asked) and not _JARGON.search(joined)
    presumed = bool(_PRESUMES.search(joined))
    leads = any(q.leading for q in asked)
    return {
        "clear": clear,
        "single": len(asked) == 1,
        "answerable": clear
        and not (leads and not main.advising)
        and not _OTHER_MIND.search(joined)
        and not _ABSTRACT.search(joined),
        "non_leading": not (leads or presumed or any(q.advising for q in asked)),
        "grounded": bool(_roots(text) & _roots(before)),
        "key": not main.advising and (leads or _on_key(text, joined, before, clear)),
    }


def _on_key(text: str, joined: str, before: str, clear: bool) -> bool:
    """It asks for thought, feeling, evidence or conviction, or takes up words of what the patient thinks."""
    if clear and (asked_slots(text) & {"thought", "feeling", "against"} or _about(text, joined) & _KEY_SLOTS):
        return True
    thinking = " ".join(s for s in sentences(before) if _THINKS.search(s) or feelings_in(s))
    return bool(_roots(joined) & _roots(thinking))


def _roots(text: str) -> frozenset[str]:
    """Beginnings of the words that carry matter, so that other forms of a word are met too."""
    kept = {w[:4] for w in words(text) if len(w) >= 4 and w not in _GENERIC}
    return frozenset(kept | content_words(text) | ({"no one"} if re.search(r"\bno one\b", text, re.I) else set()))


@lru_cache(maxsize=20_000)
def _about(text: str, joined: str) -> frozenset[Slot]:
    return frozenset(asked_about(text, (joined,), packaged_slots(), encoder()).slots)


__all__ = ["MARKS", "Mark", "marks_of"]
