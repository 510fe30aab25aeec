"""Which moves of a turn are told to the person: those that their readings are sure of, since a wrong name misleads."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Final

from maieutic.domain.appraisal import Slot
from maieutic.domain.codes import Move
from maieutic.domain.state import Act
from maieutic.language.sentences import content_words, sentences, words
from maieutic.measures.exchanges import Exchange
from maieutic.measures.questioning import leads, questions_at_once
from maieutic.practice.given_back import kinds
from maieutic.reading.minilm import shared_minilm
from maieutic.reading.moves import chances, questions, statements

_NAMES: Final[Mapping[Move, str]] = {
    Move.OPEN_QUESTION: "open question",
    Move.CLOSED_QUESTION: "closed question",
    Move.REFLECTION: "reflection",
    Move.SUMMARY: "summary",
    Move.AFFIRMATION: "affirmation",
    Move.REASSURANCE: "reassurance",
    Move.INFORMATION: "information",
    Move.ADVICE: "advice",
    Move.LECTURE: "lecture",
    Move.CHALLENGE: "challenge",
    Move.FEELING_CLAIM: "feeling stated, not asked",
    Move.RISK_RESPONSE: "safety asked about or answered",
}
FITS: Final = 0.3
"""Fit (0 to 1) from which the simulated patient feels heard (`patients.relation`)."""
TELLABLE: Final = 0.8
"""Chance from which a rarer move is told to the person, above the one from which it is coded: a wrong name misleads."""
DOUBTED: Final = 0.3
"""Chance of another kind from which a statement is not told as the one that it is coded as."""
SHORT: Final = 6
NEAR: Final = 0.4
"""Cosine from which a statement is near to a sentence that the patient has just said."""
COMFORT: Final = "comfort"
PRAISE: Final = "praise that names nothing"
_SAID_AS: Final[Mapping[str, str]] = {"comforts": COMFORT, "applauds": PRAISE}
_MARKS: Final[Mapping[Move, str]] = {
    Move.REASSURANCE: "reassurance", Move.INFORMATION: "information", Move.ADVICE: "advice",
    Move.AFFIRMATION: "affirmation", Move.CHALLENGE: "challenge", Move.FEELING_CLAIM: "feeling",
}  # fmt: skip
ADVICE_LIKE: Final = 0.2
"""Chance of advice from which a closed question is not named: it may be advice that is put as a question."""
_COUNTS: Final = {2: "two questions at once", 3: "three questions at once"}


def named(exchange: Exchange) -> tuple[Move, ...]:
    """The moves that a turn is coded with and that are told to the person: the rarer ones only where their head is sure.

    A leading question is coded as a challenge, too; it is told once, as leading.
    """
    moves = exchange.code.moves if exchange.code is not None else ()
    told = statements(exchange.text)
    heard = [chances(sentence) for sentence in sentences(exchange.text)]
    best = {move: max((one[mark] for one in heard), default=0.0) for move, mark in _MARKS.items()}
    taken = exchange.appraisal
    doubted = {move for move, chance in best.items() if chance < TELLABLE}
    if leads(exchange.text) or (taken is not None and taken.fit >= FITS) or Move.AFFIRMATION in moves:
        doubted.add(Move.CHALLENGE)
    if taken is not None and taken.tells is False:
        doubted |= {Move.ADVICE, Move.LECTURE}
    if taken is not None and Slot.RISK not in taken.asks and not _answers_danger(exchange):
        doubted.add(Move.RISK_RESPONSE)
    if taken is not None and taken.claims and all(claim.voiced for claim in taken.claims):
        doubted.add(Move.FEELING_CLAIM)
    if taken is not None and taken.fit >= FITS:
        doubted |= {Move.FEELING_CLAIM}
    if Move.SUMMARY not in moves and max((kinds(one)["gives_back"] for one in told), default=0.0) < TELLABLE:
        doubted.add(Move.REFLECTION)
    if any(chances(one.text)["advice"] >= ADVICE_LIKE for one in questions(exchange.text)):
        doubted.add(Move.CLOSED_QUESTION)
    if all(kinds(one)["names_strength"] < DOUBTED for one in told):
        doubted.add(Move.AFFIRMATION)
    if any(kinds(one)["interprets"] >= DOUBTED for one in told) or not any(map(partial(of_theirs, exchange), told)):
        doubted.add(Move.REFLECTION)
    if any(kinds(one)["gives_back"] >= DOUBTED for one in told):
        doubted.add(Move.REASSURANCE)
    return tuple(move for move in moves if move in _NAMES and move not in doubted)


def of_theirs(exchange: Exchange, statement: str) -> bool:
    """A statement takes up what the patient has just said, or is too short to hold more than a feeling."""
    if len(words(statement)) <= SHORT or content_words(statement) & content_words(exchange.heard):
        return True
    vectors = shared_minilm()([statement, *sentences(exchange.heard)])
    return len(vectors) > 1 and float((vectors[1:] @ vectors[0]).max()) >= NEAR


def said_as(exchange: Exchange) -> tuple[str, ...]:
    """Kinds of statement that the codes do not tell apart and their head is sure of."""
    code = exchange.code
    if code is not None and Move.RISK_RESPONSE in code.moves:
        return ()
    heard = [kinds(one) for one in statements(exchange.text)]
    found = {name for label, name in _SAID_AS.items() if any(one[label] >= TELLABLE for one in heard)}
    if Move.REASSURANCE in named(exchange) or any(
        chances(one)["advice"] >= ADVICE_LIKE for one in sentences(exchange.text)
    ):
        found.discard(COMFORT)
    return tuple(name for name in _SAID_AS.values() if name in found)


def _answers_danger(exchange: Exchange) -> bool:
    before = exchange.before
    return before is not None and before.intent.act in (Act.RISK_HINT, Act.RISK_DISCLOSURE)


def did(exchange: Exchange) -> tuple[str, ...]:
    """Names of what a turn did, by the codes and the counts that the measures use."""
    leading, count = leads(exchange.text), questions_at_once(exchange.text)
    names = [_NAMES[move] for move in named(exchange)]
    names += said_as(exchange)
    names += ["leading question"] if leading else []
    names += [_COUNTS.get(count, f"{count} questions at once")] if count > 1 else []
    return tuple(names)
