"""The one thing done well in a turn, and the one thing to try: rules over what its sentences do and over the recorded
mind."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Final

from maieutic.domain.appraisal import Slot
from maieutic.domain.codes import Move
from maieutic.domain.state import Act
from maieutic.language.questions import ends_as_question
from maieutic.language.sentences import opened_large, sentences, words
from maieutic.measures.definition import facts_against
from maieutic.measures.pacing import challenges_early
from maieutic.measures.questioning import questions_at_once
from maieutic.patients.pressure import PAIR
from maieutic.patients.risk_talk import OF_DEATH
from maieutic.practice.examples import (
    AFTER,
    ALONE,
    ASKED_AGAIN,
    ASKS_OF_DANGER,
    ASKS_OF_OTHER_DANGER,
    BESIDE,
    CLOSER,
    COME_BACK,
    DANGER,
    EARLY,
    EXAMPLES,
    EXAMPLES_OF_DANGER,
    FEELING,
    GUESS,
    HELP,
    INSTEAD,
    ONE_QUESTION,
    OPEN,
    OWN,
    SAFETY,
    STAY,
    THOUGHT,
)
from maieutic.practice.model import Alternative
from maieutic.practice.moves import matters
from maieutic.practice.turn import CLEARLY, REFLECTIVE, TURNED, Place
from maieutic.reading.minilm import shared_minilm
from maieutic.reading.moves import questions, reaches_for

SAID_BACK: Final = (3, 22)
"""Words that a sentence has which can be said back."""
MATTERS: Final = 0.75
"""Chance from which a sentence of the patient is said back as the one that matters."""
RESTS: Final = 3
"""Turns for which a kind is not given again where there is another."""
LATE: Final = 8
"""Turns after which a talk about an accurate thought may come to what would help."""
_THOUGHT_OVER: Final = frozenset({"evidence", "perspective", "implication"})
_SPOKEN_OF: Final = frozenset({Act.RISK_HINT, Act.RISK_DISCLOSURE, Act.RISK_DENIAL})
_UNRISKED: Final = frozenset({Slot.RISK, Slot.CONVICTION})
_TELLING: Final = frozenset(
    {
        Act.DETAIL,
        Act.BACKGROUND,
        Act.THOUGHT,
        Act.FEELING,
        Act.GOAL,
        Act.TAKEN_UP,
        Act.CONFIRM,
        Act.GAP,
        Act.RESULT,
        Act.WARMED,
    }
)

_SAYS_LITTLE: Final = frozenset({*TURNED, Act.CONFIRM, Act.TANGENT, Act.NOT_KNOWING, Act.NO_MORE, Act.WARMED})
"""Answers of which no words are said back."""


def well(place: Place) -> str | None:
    """One thing done well, the rarest first; None where nothing was found. Beside what cost something, only what stands
    by itself."""
    if place.turned_past or place.passes_danger:
        return None
    if place.asks_safety:
        return "You asked about safety. That is never out of place."
    if place.cost is None:
        told = next((told for told, true in _WELL if true(place)), None)
        if told is not None:
            return told
    back, strength = place.part(*REFLECTIVE), place.part("affirmation")
    if back is not None:
        room = "" if place.cost is not None else " before asking on" if place.asks else " and left room for it"
        return f"You gave back what you heard{room}, with {back.told}: “{back.text}”"
    if strength is not None:
        return f"You named something the patient did or can do, an affirmation: “{strength.text}”"
    if (felt := place.part("empathy")) is not None and place.cost is None:
        return f"You showed empathy: “{felt.text}”"
    if place.cost is None and place.asks and questions_at_once(place.exchange.text) == 1 and place.act not in TURNED:
        return (
            "You asked one open question and left the answer to them."
            if place.asks_openly
            else "You asked one thing at a time."
        )
    return None


def _made_them_think(place: Place) -> bool:
    """The answer was work on the thought, and the question by itself is read as one that asks for it."""
    worked = len(place.after.worked) > len(place.before.worked) and place.act not in (*TURNED, Act.TANGENT)
    asked = any(one.open and reaches_for(one.text) in _THOUGHT_OVER for one in questions(place.exchange.text))
    return worked and asked and place.opened and place.before.held - place.after.held >= CLEARLY


_WELL: Final[tuple[tuple[str, Callable[[Place], bool]], ...]] = (
    (
        "You had the patient weigh what they told you themselves.",
        lambda p: p.weighed and Slot.WEIGHING in p.taken.asks,
    ),
    (
        "You left the finding to the patient: something new came up because you asked.",
        lambda p: p.asks_openly and p.asked_for_find and p.opened,
    ),
    ("You asked in a way that let the patient think for themselves.", _made_them_think),
    (
        "You gave back what you heard and then asked one open question.",
        lambda p: p.part(*REFLECTIVE) is not None and p.asks_openly and questions_at_once(p.exchange.text) == 1,
    ),
    (
        "You asked for the feeling, and the patient could say it.",
        lambda p: p.newly("feeling") and Slot.FEELING in p.taken.asks and p.asks_openly,
    ),
    (
        "You asked for the thought, and the patient could say it.",
        lambda p: p.newly("thought") and Slot.THOUGHT in p.taken.asks and p.asks_openly,
    ),
    ("You asked leave first, or let the patient choose.", lambda p: p.taken.permission and not (p.asks or p.on_danger)),
)


def alternative(place: Place, before: Sequence[Alternative]) -> Alternative | None:
    """One kind of turn to try, with an example that begins with what the patient said; None where nothing is known to
    fit.

    Args:
        place: The turn.
        before: What was given for the turns before it; a kind rests for some turns and an example comes again last.
    """
    if place.after.left:
        return None
    if place.on_danger or place.act in _SPOKEN_OF:
        return _of_danger(place, {one.example for one in before})
    resting = {one.kind for one in before[-RESTS:]} - {STAY}
    instead, following = _in_its_place(place), _following(place)
    if instead is not None:
        return Alternative(instead, _example(place, instead, place.exchange.heard, before), instead=True)
    if not following:
        return None
    kind = next((one for one in following if one not in resting), following[0])
    return Alternative(kind, _example(place, kind, place.answered[-1], before), instead=False)


def _in_its_place(place: Place) -> str | None:
    """What would have fitted better than the turn; None where the turn is nothing to mend."""
    exchange = place.exchange
    if (
        place.part("arguing", sure=False)
        and exchange.does(frozenset({Move.CHALLENGE}))
        and challenges_early(exchange, against(place))
    ):
        return EARLY
    if place.claims_wrongly:
        return GUESS
    if questions_at_once(exchange.text) > PAIR:
        return ONE_QUESTION
    if place.cost is not None and (place.cost.sure or not place.asks_openly or place.act in TURNED):
        return INSTEAD[place.cost.kind]
    if questions_at_once(exchange.text) > 1:
        return ONE_QUESTION
    only_closed = place.part("closed_question") is not None and not (
        place.asks_openly or place.part("guess", *REFLECTIVE, sure=False)
    )
    if only_closed and not _UNRISKED & set(place.taken.asks) and place.act in TURNED:
        return OPEN
    return None


def _following(place: Place) -> list[str]:
    """Kinds that fit after a turn, the nearest to the answer first; none where the answer holds nothing to go on
    with."""
    after, asks = place.after, place.taken.asks
    kinds = [COME_BACK] if place.passed_by and questions_at_once(place.exchange.text) == 1 else []
    if place.act in TURNED and place.pushed:
        kinds.append(OWN)
    kinds += [AFTER[place.act]] if place.act in AFTER else []
    if place.newly("feeling"):
        kinds.append(STAY)
    if place.newly("thought") and not place.situation.accurate:
        kinds.append(CLOSER)
    found = place.brought_out()
    if found and found[-1] in against(place) and "thought" in after.disclosed and Slot.WEIGHING not in asks:
        kinds.append(BESIDE)
    if found and not place.feeling_told and Slot.FEELING not in asks:
        kinds.append(FEELING)
    if (found or place.act is Act.DETAIL) and "thought" not in after.disclosed and Slot.THOUGHT not in asks:
        kinds.append(THOUGHT)
    if place.situation.accurate and "thought" in after.disclosed and place.feeling_told and after.turn >= LATE:
        kinds.append(HELP)
    if place.new_unit or found or place.act in _TELLING:
        kinds.append(STAY)
    return kinds


def _of_danger(place: Place, given: Collection[str]) -> Alternative:
    """The next step while danger is open: first whether, then what is not known of it yet, then help. There always is
    one."""
    if not place.after.risk_disclosed:
        kind = ASKED_AGAIN if place.asks_safety and place.act is not Act.RISK_HINT else SAFETY
        instead = place.danger.unasked and not place.asks_safety
        return Alternative(kind, _fresh(EXAMPLES_OF_DANGER[kind], given, place), instead)
    asks = ASKS_OF_DANGER if place.case.risk.kind in OF_DEATH else ASKS_OF_OTHER_DANGER
    unknown = [wordings for about, wordings in asks.items() if about not in place.danger_after.asked]
    in_turn = [one for wordings in zip(*unknown, strict=True) for one in wordings]
    return Alternative(DANGER, _fresh([*in_turn, *EXAMPLES_OF_DANGER[DANGER]], given, place), instead=False)


def _fresh(wordings: Sequence[str], given: Collection[str], place: Place) -> str:
    """A wording that was not given and not said; once all were, they come again in turn."""
    fresh = [one for one in wordings if one not in given and one not in place.exchange.text]
    return fresh[0] if fresh else wordings[place.exchange.number % len(wordings)]


def _example(place: Place, kind: str, said: str, before: Sequence[Alternative]) -> str:
    if kind == ONE_QUESTION:
        asked = [one for one in questions(place.exchange.text) if not (one.advising or one.leading)]
        own = next((one for one in asked if one.open), None)
        return f"{opened_large(own.text.rstrip(' ,;?'))}?" if own is not None else EXAMPLES[OPEN][0]
    if kind == COME_BACK:
        last = questions(place.exchange.text)[-1].text.rstrip(" ,;?")
        return f"{EXAMPLES[COME_BACK][0]} {opened_large(last)}?"
    spoke_then = place.after if said == place.answered[-1] else place.before
    theirs = said_back(said) if kind not in ALONE and spoke_then.intent.act not in _SAYS_LITTLE else None
    if kind == CLOSER:
        theirs = _their_thought(place)
    given = {one.example.rpartition("’ ")[2] for one in before}
    asked_for = _fresh(EXAMPLES[kind], given, place)
    return f"You said: ‘{theirs}’ {asked_for}" if theirs else asked_for


def _their_thought(place: Place) -> str:
    """The sentence of the answer in which the patient told the thought: the one nearest to it."""
    said = sentences(place.answered[-1])
    vectors = shared_minilm()([place.situation.automatic_thought, *said])
    nearest: str = max(zip(vectors[1:] @ vectors[0], said, strict=True))[1]
    return nearest


def said_back(said: str) -> str | None:
    """The sentence of an answer that most surely carries what was meant; None where none surely does."""
    chances = {
        one: chance
        for one, chance in matters(said).items()
        if SAID_BACK[0] <= len(words(one)) <= SAID_BACK[1] and not ends_as_question(one)
    }
    best = max(chances, key=lambda one: chances[one], default=None)
    return best if best is not None and chances[best] >= MATTERS else None


def against(place: Place) -> frozenset[str]:
    """Ids of the facts that speak against the thought."""
    return facts_against({"against": [one.id for one in place.situation.evidence if one.bearing == "against"]})
