"""Whether a reply is an example of a concept of Socratic work, by trained heads beside rules; whether a definition names its marks."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Final

from maieutic.coding.rules import code_text
from maieutic.coding.socratic_facets import socratic_facets
from maieutic.domain.codes import Move
from maieutic.gap.knows_vs_does_heads import LONGEST, packaged_head, reply_row
from maieutic.language.feelings import attributions, feelings_in
from maieutic.language.questions import asks_permission, questions
from maieutic.language.sentences import sentences, words
from maieutic.reading.bag import places

_COLLUDES: Final = re.compile(
    r"\b(?:you(?:'re| are) (?:absolutely |quite |so |totally |completely )?right|i agree|that(?:'s| is) (?:quite |so |very |absolutely )?(?:true|right|correct)|(?:yes|indeed),? (?:you|he|she|they|it|that)\b"
    r"|you (?:really|simply|clearly|just|do|did) (?:are|aren't|have|did|do|fail|let)|you are (?:just|simply|clearly|really|indeed)|no doubt|exactly,? (?:you|he|she|they))\b",
    re.I,
)
_SCALE: Final = re.compile(
    r"\b(?:scale|percent|(?:from )?(?:0|1|zero|one|nought) (?:to|and) (?:5|10|100|ten|a hundred|one hundred)|out of (?:10|100|ten|a hundred)|how (?:strongly|much) do you believe|how would you rate|rate (?:it|that|your|how))\b|%",
    re.I,
)
_EXCEPTION: Final = re.compile(
    r"\b(?:(?:ever|any|a|one|some|the|other|another|recent|that) (?:times?|day|days|moments?|occasions?|situations?|instances?|week|person|people|someone|somebody)\b[^?]*\b(?:not|n't|different|differently|less|better|other|did|does|was|were|has|have|who|when|felt|asked)"
    r"|when (?:was|is|did|has|have|were) [^?]*\b(?:not|n't|different|less|better|otherwise|easier|last (?:ask|listen))|has (?:anyone|anybody|someone|somebody|there) ever|(?:exception|exceptions)|anyone who|somebody who|someone who)\b",
    re.I,
)
_EPISODE: Final = re.compile(
    r"\b(?:the (?:last|latest|most recent) (?:time|one|occasion|day|instance|example)|when (?:did|was|were) (?:\w+ ){0,3}?last|most recent|(?:one|a|an|some) (?:\w+ )?(?:concrete|particular|specific|recent|real|actual) (?:\w+ )?(?:example|time|moment|situation|day|instance|occasion)"
    r"|(?:an?|one|recent|specific|concrete) (?:example|instance|time|moment|day)|this (?:past )?week when|walk me through|take me (?:through|back)|yesterday|last (?:week|night|month))\b",
    re.I,
)
_CLARIFY: Final = re.compile(
    r"\b(?:what (?:exactly |precisely )?(?:do|did) you mean|what (?:does|did|would|is|'s) [^?]{1,60}(?:mean(?:s|ing)? (?:to|for) you|mean, |mean\b(?! (?:for|about))|look like|to you)|when you say|by (?:the word|that word|['\"‘“])|what (?:makes|would make) (?:a|someone|somebody) (?:a )?|in what (?:way|sense)|how do you define|what is (?:an? )?['\"‘“]?\w+ \w+['\"’”]? for you)",
    re.I,
)
_SYNTHESIS: Final = re.compile(
    r"\b(?:(?:how|where) (?:does|do|did|would|might|can) (?:that|this|it|all|these|those|what|they|the \w+|both) (?:[\w,' ]{0,60}?)(?:fit|compare|square|sit|go with|match|leave|add up|affect|change)"
    r"|(?:what|how) do(?:es)? (?:you |all |that |this |it |these |those )+(?:make of|conclude|together|tell|say|suggest|mean)|(?:all|taken|put|putting|looking|look) (?:of )?(?:at )?(?:that|this|these|those|it|them)?\s?(?:all )?(?:together|side by side|into account)|make of|in (?:the )?light of|given (?:all )?(?:that|this|these|what)|what (?:conclusion|follows))\b",
    re.I,
)
_TEST: Final = re.compile(
    r"\b(?:test|experiment|try (?:it |this |that )?out|find out|check (?:whether|if|it|that|out)|see (?:whether|if|what)|put (?:it|that|this) to|try\b[^.?!]*\b(?:and|to) (?:see|notice|observe|find|note))\b",
    re.I,
)
_SUICIDE: Final = re.compile(
    r"\b(?:suicid\w*|(?:end(?:ing)?|tak(?:e|ing)|put(?:ting)? an end to) your (?:own )?life|kill(?:ing)? yourself|(?:want|wish|wanting|wishing) to die|thoughts? of (?:dying|death)|(?:hurt|harm)(?:ing)? yourself)\b",
    re.I,
)
_EFFORT: Final = re.compile(
    r"\b(?:took|takes|shows?|showed) (?:\w+ ){0,3}(?:courage|strength|effort|care|patience|determination|guts)\b", re.I
)
_DISPUTE: Final = re.compile(
    r"\b(?:that(?:'s| is)(?: \w+)? (?:not|n't) (?:\w+ )?(?:true|right|so|fair|the case|accurate|correct)|that isn't (?:\w+ )?(?:true|right|so|fair|the case)|not true|you(?:'re| are) (?:wrong|mistaken|exaggerating|being (?:irrational|unfair|silly))|(?:doesn't|does not) make sense|irrational|(?:can't|cannot) be (?:true|right)|i (?:disagree|don't (?:think|believe|agree)))\b",
    re.I,
)


def _asked(text: str) -> list[str]:
    return [q.text for q in questions(text)]


def _reach(name: str) -> Callable[[str, str], bool]:
    def reaches(text: str, said: str) -> bool:
        return socratic_facets(text, said)["reaches"].value == name

    return reaches


def _question_with(pattern: re.Pattern[str]) -> Callable[[str, str], bool]:
    # Words before the question ("Looking at all of this,") belong to it, so the whole turn is read.
    return lambda text, said: bool(_asked(text)) and bool(pattern.search(text))


def _code(move: Move) -> Callable[[str, str], bool]:
    return lambda text, said: move in code_text(text, said).moves


def _open(text: str, said: str) -> bool:
    asked = questions(text)
    return bool(asked) and all(q.open and not q.leading and not q.advising for q in asked)


def _closed(text: str, said: str) -> bool:
    return any(not q.open and not q.advising for q in questions(text)) or ("?" in text and asks_permission(text))


def _summary(text: str, said: str) -> bool:
    codes = code_text(text, said).moves
    return Move.SUMMARY in codes or (Move.REFLECTION in codes and len(words(text)) >= 25 and "?" not in text[:-1])


def _feeling(tentative: bool) -> Callable[[str, str], bool]:
    return lambda text, said: any(a.tentative is tentative for a in attributions(text))


def _guess(text: str, said: str) -> bool:
    tentative = re.search(r"\b(?:perhaps|maybe|wonder|might|could it be|something like|possibly|i guess)\b", text, re.I)
    return bool(feelings_in(text)) and bool(tentative)


def _experiment(text: str, said: str) -> bool:
    return bool(_TEST.search(text)) and bool(_asked(text) or re.search(r"\b(?:let's|we|together)\b", text, re.I))


DETECTORS: Final[Mapping[str, Callable[[str, str], bool]]] = {
    "open_question": _open,
    "closed_question": _closed,
    "leading_question": lambda text, said: socratic_facets(text, said)["leads"].value == "true",
    "stacked_questions": lambda text, said: len(_asked(text)) > 1,
    "disguised_advice": lambda text, said: any(q.advising for q in questions(text)),
    "reflection": _code(Move.REFLECTION),
    "summary": _summary,
    "affirmation": lambda text, said: Move.AFFIRMATION in code_text(text, said).moves or bool(_EFFORT.search(text)),
    "reassurance": _code(Move.REASSURANCE),
    "direct_advice": lambda text, said: (
        Move.ADVICE in code_text(text, said).moves and not any(q.advising for q in questions(text))
    ),
    "evidence_question": _reach("evidence"),
    "perspective_question": _reach("perspective"),
    "implication_question": _reach("implication"),
    "feeling_question": _reach("emotion"),
    "clarifying_question": _question_with(_CLARIFY),
    "synthesising_question": _question_with(_SYNTHESIS),
    "scaling_question": _question_with(_SCALE),
    "exception_question": _question_with(_EXCEPTION),
    "episode_question": _question_with(_EPISODE),
    "asking_leave": lambda text, said: asks_permission(text),
    "tentative_feeling": _guess,
    "mind_reading": _feeling(False),
    "collusion": lambda text, said: bool(_COLLUDES.search(text)),
    "dispute": lambda text, said: bool(_DISPUTE.search(text)),
    "experiment": _experiment,
    "risk_question": _question_with(_SUICIDE),
}
"""By concept, a rule for whether a reply, to what the person said, holds an example of it: features of the trained heads."""


@lru_cache(maxsize=20_000)
def holds(concept: str, text: str, said: str = "") -> bool:
    """Whether a reply is an example of the concept, by a trained head that sees the reply and what all rules find in it.

    `said`, to which the reply answers, is seen by the rules alone. A reply without words is an example of nothing.
    """
    return chance(concept, text, said) >= packaged_head("concepts").doubt


def chance(concept: str, text: str, said: str = "") -> float:
    """Probability that a reply is an example of the concept."""
    return _chances(text, said).get(concept, 0.0)


@lru_cache(maxsize=20_000)
def _chances(text: str, said: str) -> Mapping[str, float]:
    parts = [part for part in sentences(text) if words(part)][:LONGEST]
    head = packaged_head("concepts")
    return head(reply_row(parts, rule_marks(" ".join(parts), said), places(head.vocabulary))) if parts else {}


def rule_marks(text: str, said: str = "") -> tuple[float, ...]:
    """What the rule of every concept finds in a reply."""
    return tuple(float(rule(text, said)) for rule in DETECTORS.values())


def edited_well(concept: str, before: str, after: str, turn: str, said: str = "") -> bool:
    """Whether a changed sentence is what was asked for: an example ('into') or no longer one ('out of').

    A sentence that was left as it was is not changed.
    """
    if words(before) == words(after):
        return False
    return holds(concept, after, said) is (turn == "into")


def defines(text: str, marks: Sequence[Sequence[str]], needed: int = 2) -> bool:
    """Whether a definition names at least `needed` of the groups of marks; a stem counts at the start of a word."""
    flat = " ".join(text.lower().replace("’", "'").split())
    return sum(any(re.search(rf"\b{re.escape(stem)}", flat) for stem in group) for group in marks) >= needed


__all__ = ["DETECTORS", "chance", "defines", "edited_well", "holds", "rule_marks"]
