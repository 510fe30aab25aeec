"""The default coder of our own code book: heads read what each sentence of a turn does, a few rules join them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from maieutic.coding.telling import told
from maieutic.domain.codes import Move, TurnCode
from maieutic.domain.episode import Session
from maieutic.language.safety_questions import SAFETY_QUESTION
from maieutic.language.sentences import content_words, sentences, words
from maieutic.reading.ear import SURE
from maieutic.reading.moves import attributions, chances, does, marks, questions, statements

_SURE_RISK: Final = re.compile(
    r"\bsuicid|\b(?:kill|hurt|harm)(?:ing)? yourself|\b(?:end|tak)\w* your own life|\bend(?:ing)? your life|"
    + SAFETY_QUESTION,
    re.I,
)
"""What is asked in these words is about danger, whatever a head makes of it."""
_GIVEN_BACK: Final = 0.34
"""Share of a statement's content words that the patient said just before, from which it is given back."""
_BY_STATEMENT: Final = {
    "reassurance": Move.REASSURANCE,
    "affirmation": Move.AFFIRMATION,
    "information": Move.INFORMATION,
}

AGREED: Final = 0.17
"""Product of the chances of the turn and of the ear's surest sentence from which both together hear advice."""
LECTURE_WORDS = 45


@dataclass(frozen=True, slots=True)
class RuleCoder:
    """Codes the last therapist turn, sentence by sentence.

    Source: own code book (`maieutic.domain.codes`). Departures: probabilities are 0.95 for a move that was found and
    are not calibrated. Blind to irony and to other languages.
    """

    def code(self, session: Session) -> TurnCode:
        """Code the last therapist turn in the light of the patient's words before it."""
        turn = session.last("therapist")
        said = session.last("patient")
        return code_text(turn.text if turn else "", said.text if said else "")


@lru_cache(maxsize=20_000)
def code_text(text: str, previous: str = "") -> TurnCode:
    """Code one therapist utterance; `previous` is what the patient said before it."""
    asked, stated = questions(text), statements(text)
    said = content_words(previous)
    advice = told(text, previous)
    agreed = advice.chance * max(map(_advises, stated), default=0.0)
    heard = (advice.chance >= SURE or agreed >= AGREED) and not _repeats(advice.sentence, said)
    heard = heard and not _rather_informs(advice.sentence)
    advises = heard or any(q.advising for q in asked)
    asked = tuple(q for q in asked if not (q.advising or (advises and q.text in advice.sentence)))
    moves: set[Move] = {Move.ADVICE} if advises else set()
    if any(q.open for q in asked):
        moves.add(Move.OPEN_QUESTION)
    if any(not q.open for q in asked):
        moves.add(Move.CLOSED_QUESTION)
    moves |= {move for mark, move in _BY_STATEMENT.items() if any(mark in marks(s) for s in stated)}
    if any(q.leading for q in asked) or any(map(_disputes, sentences(text))):
        moves.add(Move.CHALLENGE)
    if does(text, "risk") or _SURE_RISK.search(text):
        moves.add(Move.RISK_RESPONSE)
    if does(text, "summary"):
        moves.add(Move.SUMMARY)
    if any(not a.tentative for a in attributions(text)):
        moves.add(Move.FEELING_CLAIM)
    others = [s for s in stated if not (advises and (s == advice.sentence or "advice" in marks(s)))]
    if Move.SUMMARY in moves or any(_gives_back(s, said) for s in others):
        moves.add(Move.REFLECTION)
    told_words = sum(len(words(s)) for s in stated)
    if told_words >= LECTURE_WORDS and moves & {Move.INFORMATION, Move.ADVICE, Move.CHALLENGE, Move.REASSURANCE}:
        moves.add(Move.LECTURE)
    return TurnCode(dict.fromkeys(sorted(moves), 0.95) or {Move.OTHER: 0.95}, len(words(text)))


def _advises(sentence: str) -> float:
    """How surely the ear takes a sentence for advice; 0 where it rather gives something back."""
    chance = chances(sentence)
    return chance["advice"] if chance["advice"] >= max(SURE, chance["reflection"]) else 0.0


def _rather_informs(sentence: str) -> bool:
    """The ear takes a sentence for information, and more so than for advice."""
    chance = chances(sentence)
    return chance["information"] >= SURE and chance["information"] > chance["advice"]


def _disputes(sentence: str) -> bool:
    """A sentence that disputes more than it affirms, reassures or gives back."""
    chance = chances(sentence)
    return chance["challenge"] >= max(SURE, chance["affirmation"], chance["reassurance"], chance["reflection"])


def _gives_back(sentence: str, said: frozenset[str]) -> bool:
    """A statement that reflects by its form, or one built on at least two of the patient's content words."""
    if _disputes(sentence) or not marks(sentence).isdisjoint(("reassurance", "affirmation")):
        return False
    return "reflection" in marks(sentence) or _shares(sentence, said)


def _repeats(sentence: str, said: frozenset[str]) -> bool:
    """A sentence that has no word of matter but the patient's own gives back what they have to do."""
    own = content_words(sentence)
    return len(own) > 2 and own <= said


def _shares(sentence: str, said: frozenset[str]) -> bool:
    own = content_words(sentence)
    shared = len(own & said)
    return shared >= 2 and shared / len(own) >= _GIVEN_BACK
