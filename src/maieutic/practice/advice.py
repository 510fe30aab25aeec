"""The one thing done well in a turn, and the one thing to try: rules over the same reading, with examples in general words."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Final

from maieutic.domain.appraisal import Slot
from maieutic.domain.codes import Move
from maieutic.domain.state import Act
from maieutic.language.questions import ends_as_question
from maieutic.language.sentences import content_words, opened_large, sentences, words
from maieutic.measures.definition import facts_against
from maieutic.measures.pacing import challenges_early
from maieutic.measures.questioning import leads, questions_at_once
from maieutic.patients.risk_talk import OF_DEATH
from maieutic.practice.danger import (
    ASKED_AGAIN,
    ASKS_OF_DANGER,
    ASKS_OF_OTHER_DANGER,
    DANGER,
    SAFETY,
)
from maieutic.practice.examples import BEFORE, COME_BACK, EXAMPLES, ONE_QUESTION, STAY
from maieutic.practice.given_back import gives_back, kinds
from maieutic.practice.going_on import worth
from maieutic.practice.model import Alternative
from maieutic.practice.told_moves import FITS, PRAISE, TELLABLE, said_as
from maieutic.practice.turn import CLEARLY, PUSHED, TURNED, Place
from maieutic.reading.moves import questions, reaches_for, statements

WITH_THEIR_WORDS: Final = frozenset({STAY})
"""Kinds whose example begins with what the patient has just said; they never rest, since what is said is new each time."""


def well(place: Place) -> str | None:
    """One thing done well, the rarest first; None where nothing was found, or where the turn told, led or pushed."""
    if place.push >= PUSHED or leads(place.exchange.text) or place.coded(*_TOLD) or said_as(place.exchange):
        return None
    if place.turned_past or place.passes_danger:
        return None
    return next((told for told, true in _WELL if true(place)), None)


_TOLD: Final = (Move.ADVICE, Move.LECTURE, Move.REASSURANCE, Move.INFORMATION)


def _asks_well(place: Place) -> bool:
    """One question, not leading and no advice in it."""
    text = place.exchange.text
    return (
        questions_at_once(text) == 1 and not leads(text) and not place.does(Move.ADVICE, Move.LECTURE, Move.CHALLENGE)
    )


def _names_strength(place: Place) -> bool:
    """It says what the patient did, and does not only applaud."""
    named = any(kinds(one)["names_strength"] >= TELLABLE for one in statements(place.exchange.text))
    return named and place.does(Move.AFFIRMATION)


def _warm(place: Place) -> bool:
    return place.taken.fit >= FITS and place.push < PUSHED


def _gives_back(place: Place) -> bool:
    """It gave back what was heard, as two readings have it: the patient felt heard, and nothing in it comforts or tells."""
    sure = all(gives_back(one) >= UNSURE for one in statements(place.exchange.text))
    return _warm(place) and place.does(Move.REFLECTION, Move.SUMMARY) and sure


def _made_them_think(place: Place) -> bool:
    """The answer was work on the thought, and the question by itself is read as one that asks for it."""
    worked = len(place.after.worked) > len(place.before.worked) and place.act not in (*TURNED, Act.TANGENT)
    asked = any(one.open and reaches_for(one.text) in _THOUGHT_OVER for one in questions(place.exchange.text))
    return worked and asked and place.opened and place.before.held - place.after.held >= CLEARLY


_THOUGHT_OVER: Final = frozenset({"evidence", "perspective", "implication"})


_WELL: Final[tuple[tuple[str, Callable[[Place], bool]], ...]] = (
    ("You asked about safety. That is never out of place.", lambda p: p.asks_safety),
    (
        "You had the patient weigh what they told you themselves.",
        lambda p: p.weighed and Slot.WEIGHING in p.taken.asks,
    ),
    (
        "You left the finding to the patient: something new came up because you asked.",
        lambda p: p.does(Move.OPEN_QUESTION) and p.asked_for_find and p.opened,
    ),
    (
        "You asked in a way that let the patient think for themselves.",
        _made_them_think,
    ),
    (
        "You gave back what you heard and then asked one open question.",
        lambda p: _gives_back(p) and _asks_well(p) and p.does(Move.OPEN_QUESTION),
    ),
    (
        "You asked for the feeling, and the patient could say it.",
        lambda p: p.newly("feeling") and Slot.FEELING in p.taken.asks and p.does(Move.OPEN_QUESTION),
    ),
    (
        "You asked for the thought, and the patient could say it.",
        lambda p: p.newly("thought") and Slot.THOUGHT in p.taken.asks and p.does(Move.OPEN_QUESTION),
    ),
    ("You asked leave first, or let the patient choose.", lambda p: p.taken.permission and not p.on_danger),
    ("You gave back what you heard before asking on.", lambda p: _gives_back(p) and p.exchange.asks),
    ("You gave back what you heard and left room for it.", _gives_back),
    (
        "You asked one open question and left the answer to the patient.",
        lambda p: _asks_well(p) and p.does(Move.OPEN_QUESTION) and p.act not in TURNED,
    ),
    ("You named something the patient does well.", _names_strength),
    ("You asked one thing at a time.", lambda p: _asks_well(p) and p.act not in TURNED),
    ("You took up words that the patient had just used.", lambda p: _takes_up(p)),
)


def _takes_up(place: Place) -> bool:
    return len(content_words(place.exchange.text) & content_words(place.exchange.heard)) >= TAKEN_UP


def alternative(place: Place, before: Sequence[Alternative]) -> Alternative | None:
    """One kind of turn to try, with an example; None where nothing is known that would fit what was said.

    Args:
        place: The turn.
        before: What was given for the turns before it; a kind rests for some turns and an example comes again last.
    """
    if place.after.left:
        return None
    if place.on_danger or place.act in _SPOKEN_OF:
        return _of_danger(place, {one.example for one in before})
    resting = {one.kind for one in before[-RESTS:]} - WITH_THEIR_WORDS
    instead = [kind for kind, true in _INSTEAD if true(place)]
    following = _following(place)
    kind = next((one for one in [*instead, *following] if one not in resting), instead[0] if instead else None)
    if kind is None:
        return None
    return Alternative(
        kind, _example(place, kind, {one.example for one in before}), kind in instead and kind not in _REPAIRS
    )


def _of_danger(place: Place, given: Collection[str]) -> Alternative:
    """The next step while danger is open: first whether, then what is not known of it yet, then help. There always is one."""
    if not place.after.risk_disclosed:
        kind = ASKED_AGAIN if place.asks_safety and place.act is not Act.RISK_HINT else SAFETY
        instead = place.danger.unasked and not place.asks_safety
        return Alternative(kind, _fresh(EXAMPLES[kind], given, place), instead)
    asks = ASKS_OF_DANGER if place.case.risk.kind in OF_DEATH else ASKS_OF_OTHER_DANGER
    unknown = [wordings for about, wordings in asks.items() if about not in place.danger_after.asked]
    in_turn = [one for wordings in zip(*unknown, strict=True) for one in wordings]
    return Alternative(DANGER, _fresh([*in_turn, *EXAMPLES[DANGER]], given, place), instead=False)


def _fresh(wordings: Sequence[str], given: Collection[str], place: Place) -> str:
    """A wording that was not given and not said; once all were, they come again in turn."""
    fresh = [one for one in wordings if one not in given and one not in place.exchange.text]
    return fresh[0] if fresh else wordings[place.exchange.number % len(wordings)]


def _example(place: Place, kind: str, used: Collection[str]) -> str:
    if kind == ONE_QUESTION:
        asked = [one for one in questions(place.exchange.text) if not (one.advising or one.leading)]
        own = next((one for one in asked if one.open), None)
        return f"{opened_large(own.text.rstrip(' ,;?'))}?" if own is not None else EXAMPLES["open the question"][0]
    general = {_general(one) for one in used}
    fresh = [one for one in EXAMPLES[kind] if one not in general and one not in place.exchange.text]
    if kind == COME_BACK:
        last = questions(place.exchange.text)[-1].text.rstrip(" ,;?")
        return f"{EXAMPLES[COME_BACK][0]} {opened_large(last)}?"
    said = _theirs(place) if kind == STAY else _heard(place) if kind == BEFORE else None
    return f"‘{said}’ {(fresh or EXAMPLES[kind])[0]}" if said else (fresh or EXAMPLES[kind])[0]


def _general(example: str) -> str:
    """An example without the patient's words before it."""
    return example.rpartition("’ ")[2] if example.startswith("‘") else example


def _theirs(place: Place) -> str | None:
    """A sentence of the answer to give back; None: none is surely worth it, or the patient only agreed."""
    if place.act is Act.CONFIRM:
        return None
    return _worth_most(place.answered[-1])


def _heard(place: Place) -> str | None:
    """A sentence to give back of what the patient had said before the turn."""
    return _worth_most(place.exchange.heard)


def _worth_most(said: str) -> str | None:
    """The sentence that says most surely what something meant; None where none surely does."""
    fitting = [
        one
        for one in sentences(said)
        if GIVEN_BACK[0] <= len(words(one)) <= GIVEN_BACK[1] and not ends_as_question(one) and worth(one) >= TELLABLE
    ]
    return max(fitting, key=worth, default=None)


UNSURE: Final = 0.5
"""Chance of giving back below which a sentence may be comfort or opinion; a turn that holds one is not praised for giving back."""
_SPOKEN_OF: Final = frozenset({Act.RISK_HINT, Act.RISK_DISCLOSURE, Act.RISK_DENIAL})
RESTS: Final = 3
"""Turns for which a kind is not given again where there is another."""
GIVEN_BACK: Final = (4, 18)
"""Words that a sentence has which can be given back."""
TAKEN_UP: Final = 2
_REPAIRS: Final = frozenset({
    "step back, and let them choose", "take the correction up", "bring the talk back gently to one moment",
    "ask something else; this place has been told", COME_BACK, BEFORE,
})  # fmt: skip
"""Kinds that answer what the patient did: they come after the turn, which may have been a good one."""
_UNRISKED: Final = frozenset({Slot.RISK, Slot.CONVICTION})

_INSTEAD: Final[tuple[tuple[str, Callable[[Place], bool]], ...]] = (
    ("ask before you advise", lambda p: p.does(Move.ADVICE, Move.LECTURE)),
    (
        "ask what lies behind the thought before you question it",
        lambda p: p.does(Move.CHALLENGE) and challenges_early(p.exchange, against(p)),
    ),
    ("ask it without the answer in it", lambda p: leads(p.exchange.text)),
    (ONE_QUESTION, lambda p: questions_at_once(p.exchange.text) > 1),
    ("offer the feeling as a guess", lambda p: p.claims_wrongly),
    ("give it back before you comfort", lambda p: (p.comforts or p.coded(Move.REASSURANCE)) and not (p.exchange.asks or _gives_back(p))),
    ("say what you saw them do", lambda p: PRAISE in said_as(p.exchange) and not p.exchange.asks),
    ("own the push and hand the talk back", lambda p: p.pushed),
    ("take the correction up", lambda p: p.act is Act.CORRECT),
    (COME_BACK, lambda p: p.passed_by and questions_at_once(p.exchange.text) == 1),
    ("bring the talk back gently to one moment", lambda p: p.act is Act.TANGENT),
    (BEFORE, lambda p: p.act in TURNED and _heard(p) is not None and not p.does(Move.REFLECTION, Move.SUMMARY)),
    ("step back, and let them choose", lambda p: p.act in TURNED),
    ("ask something else; this place has been told", lambda p: p.act in (Act.NO_MORE, Act.AGAIN) and p.exchange.asks),
    (
        "open the question",
        lambda p: (
            p.does(Move.CLOSED_QUESTION) and not p.does(Move.OPEN_QUESTION) and not _UNRISKED & set(p.taken.asks)
            and not _tells_something(p) and p.act not in _NOT_FOR_THE_QUESTION
        ),
    ),
)  # fmt: skip


def against(place: Place) -> frozenset[str]:
    """Ids of the facts that speak against the thought."""
    return facts_against({"against": [one.id for one in place.situation.evidence if one.bearing == "against"]})


_AFTER: Final[Mapping[Act, str]] = {
    Act.CONVICTION: "ask what stands behind the number",
    Act.UNMOVED: "ask what keeps the thought so strong",
    Act.CONCEDE: "ask for their own summary",
    Act.INSIGHT: "ask for a small trial",
    Act.PLAN: "make the plan small and clear",
    Act.NOT_KNOWING: "let it rest, and take it smaller",
    Act.ASK_BACK: "say what made you ask, then ask it again",
    Act.NOT_UNDERSTOOD: "say what made you ask, then ask it again",
}


def _following(place: Place) -> list[str]:
    """Kinds that fit after a turn, the nearest to the answer first; none where the answer holds nothing to go on with."""
    after, asks = place.after, place.taken.asks
    kinds = [_AFTER[place.act]] if place.act in _AFTER else []
    if place.newly("feeling"):
        kinds.append("give the feeling back before you ask on")
    if place.newly("thought") and not place.situation.accurate:
        kinds.append("look closer at the thought")
    found = place.brought_out()
    if found and found[-1] in against(place) and "thought" in after.disclosed and Slot.WEIGHING not in asks:
        kinds.append("set it beside the thought")
    if found and not place.feeling_told and Slot.FEELING not in asks:
        kinds.append("ask for the feeling")
    if (found or place.act is Act.DETAIL) and "thought" not in after.disclosed and Slot.THOUGHT not in asks:
        kinds.append("ask for the thought")
    if place.situation.accurate and "thought" in after.disclosed and place.feeling_told and after.turn >= _LATE:
        kinds.append("ask what would help from here")
    if not _tells_something(place):
        return kinds
    return [*kinds, STAY if _theirs(place) is not None else "ask what it meant to them"]


def _tells_something(place: Place) -> bool:
    return place.new_unit or bool(place.brought_out()) or place.act in _TELLING


_TELLING: Final = frozenset({
    Act.DETAIL, Act.BACKGROUND, Act.THOUGHT, Act.FEELING, Act.GOAL, Act.TAKEN_UP, Act.CONFIRM, Act.GAP, Act.RESULT,
})  # fmt: skip
_NOT_FOR_THE_QUESTION: Final[frozenset[Act]] = frozenset(
    {Act.NOT_KNOWING, Act.ASK_BACK, Act.NOT_UNDERSTOOD, Act.NO_MORE, Act.TANGENT, Act.AGAIN}
)
"""Answers that say nothing of how open the question was."""
_LATE: Final = 8
"""Turns after which a talk about an accurate thought may come to what would help."""
