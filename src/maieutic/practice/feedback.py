"""Feedback on each turn of a session: what it did and reached, what was held back, and what could be tried."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from maieutic.domain.appraisal import Appraisal, QuestionForm, Slot
from maieutic.domain.case import Case, Situation
from maieutic.domain.episode import Episode
from maieutic.domain.state import Act
from maieutic.evaluation.plan import played
from maieutic.measures.material import Exchange, exchanges
from maieutic.measures.moves import questions_at_once
from maieutic.patients.dynamics import PAIR
from maieutic.patients.intent import HARMLESS
from maieutic.patients.kernel import EXPERIMENT
from maieutic.practice.advice import alternative, well
from maieutic.practice.model import Alternative, HeldBack, HeldBackKind, Point, TurnFeedback
from maieutic.practice.moves import REFLECTIVE, did, parts_of_turn, was
from maieutic.practice.reader import Reading
from maieutic.practice.turn import CLEARLY, KNOWN, OF_A_VIEW, TURNED, Place
from maieutic.practice.whole_turn import FAULTS, Danger, asked_for, asks_once, of_the_belief, surely_pressed
from maieutic.reading.ear import SURE
from maieutic.reading.moves import questions

GUARDED: Final = 0.35
"""Guard (0 to 1) from which a memory counts as one that is not told to everybody."""
CLOSED: Final = -0.05
OPENER: Final = 0.04
"""Changes of openness (0 to 1) from which it is told that the patient closed or opened."""
_ANSWERS: Final[Mapping[Act, str]] = {
    Act.GOAL: "The patient told you what they hope for.",
    Act.AGAIN: "It led back to something you had heard before; nothing new came up.",
    Act.MEANT: "The patient said no more about it than that.",
    Act.BESIDE: "The patient noticed that they had not answered you, and asked for the question again.",
    Act.TAKE_AWAY: "The patient spoke of what they take away, or cannot name yet.",
    Act.TAKEN_UP: "The patient came back unasked to something they had told you.",
    Act.ASK_BACK: "The patient asked back: your question was not understood, whatever it was in itself.",
    Act.NOT_UNDERSTOOD: "The patient did not follow. This simulation does not hear every clear turn; yours may be one.",
    Act.CONFIRM: "The patient said yes to that.",
    Act.CORRECT: "The patient set you right: something in your words did not fit.",
    Act.NO_MORE: "The patient had nothing more to say to that.",
    Act.CONCEDE: "The patient gave a little ground on the thought, in words of their own.",
    Act.UNMOVED: "In this simulation the patient stayed with the thought.",
    Act.INSIGHT: "The patient put the thought more evenly, in words of their own.",
    Act.PLAN: "The patient named something to try.",
    Act.NOT_KNOWING: "The patient had no answer to that, or kept it.",
    Act.TANGENT: "The patient went on to something else.",
    Act.RISK_HINT: "The patient's answer may hint at danger. Ask about safety in plain words.",
    Act.RISK_DISCLOSURE: "The patient told you about danger. Nothing else comes before that now.",
    Act.RISK_DENIAL: "Nothing more was said of danger. Be sure that you have had an answer; ask again in plain words "
    "if not.",
    Act.RISK_ANSWER: "The patient answered about the danger. Be sure that it answers what you asked.",
    Act.REASSURANCE_BID: "The patient asked you to reassure them.",
    Act.GAP: "It showed what the patient takes for granted about how such things work.",
    Act.INFORMED: "The patient took the information in.",
    Act.RESULT: "The patient told you how the trial went.",
    Act.LEAVE: "The patient ended the session.",
}
_DRIVEN_OFF: Final = 0.3
"""Reactance from which a patient pushes back, and the push is told as why they left."""
_TOLD_SLOTS: Final[Mapping[str, tuple[str, str]]] = {
    "thought": ("It reached the thought behind the situation.", "The patient spoke of the thought."),
    "feeling": ("It reached what the patient feels.", "The patient spoke of the feeling."),
    "background": ("The patient told you more of their life.", "The patient spoke of their life."),
}
_KEPT: Final[Mapping[HeldBackKind, str]] = {
    "guarded_memory": "A guarded memory stayed shut",
    "memory": "A memory stayed shut",
    "feeling": "The feeling stayed untold",
    "thought": "The thought stayed untold",
}
_SLOTS: Final[tuple[tuple[Slot, HeldBackKind], ...]] = (
    (Slot.FEELING, "feeling"),
    (Slot.THOUGHT, "thought"),
    (Slot.BACKGROUND, "guarded_memory"),
)
_ASKS_FOR: Final[Mapping[HeldBackKind, tuple[str, ...]]] = {
    "feeling": ("feeling",),
    "thought": ("thought", "meaning"),
    "guarded_memory": ("moment", "detail", "origin", "go_on"),
}
"""By what was kept, what a question for it asks for."""
_LOOKED: Final[Mapping[QuestionForm, str]] = {
    QuestionForm.OTHER_VIEW: "The patient looked at it with somebody else's eyes.",
    QuestionForm.DOUBLE_STANDARD: "The patient looked at how they would judge somebody else.",
    QuestionForm.ALTERNATIVE: "The patient spoke of another way to see it.",
    QuestionForm.HOW_KNOW: "The patient spoke of what they go by.",
    QuestionForm.COST_BENEFIT: "The patient spoke of what it gives them and what it costs.",
    QuestionForm.SCALE_REST: "The patient spoke of what keeps the thought from being quite certain.",
    QuestionForm.MEANING: "The patient spoke of what it means to them.",
    QuestionForm.FEELING: "The patient spoke of what it was like for them.",
    QuestionForm.BODY: "The patient spoke of what they notice in the body.",
    QuestionForm.WORST: "The patient spoke of what they fear.",
    QuestionForm.HOW_COME: "The patient told you how it comes to be so, as they see it.",
    QuestionForm.ORIGIN: "The patient told you how it came to be so, as they see it.",
    QuestionForm.GOAL: "The patient told you what they want.",
}
"""By the form of question that a unit of memory answers, what the patient did in telling it."""


def reached(place: Place) -> tuple[str, ...]:
    """What the turn brought up, as kinds, in sentences."""
    found = []
    facts = place.brought_out()
    if facts and place.act not in TURNED and place.act is not Act.LEAVE:
        bearing = "" if facts[0] == EXPERIMENT else f", {_bears(place.situation, facts[0])}"
        asked = any(one.evidence == facts[0] and one.credit > 0.0 for one in place.after.voiced)
        how = "It brought out something new" if place.opened else "Something new came up"
        unasked = "The patient told you something new" if place.asks else "Unasked, the patient told you something new"
        found.append(f"{how if asked else unasked}{bearing}.")
    elif place.act is Act.ANSWER and place.new_unit:
        found.append(_unit(place))
    slots = [slot for slot in _TOLD_SLOTS if place.newly(slot)]
    found += [_TOLD_SLOTS[slot][0 if slot == "background" or place.opened else 1] for slot in slots]
    if place.act.value in _TOLD_SLOTS and place.act.value not in slots:
        found.append(_TOLD_SLOTS[place.act.value][1])
    if place.weighed and place.act is not Act.UNMOVED:
        found.append("In this simulation, something that they had told you now counts against the thought.")
    if place.act is Act.UNMOVED and place.before.held - place.after.held >= CLEARLY:
        found.append("In words the patient stayed with the thought; in this simulation something began to count.")
    elif place.act is Act.CONVICTION:
        found += _number(place)
    elif place.act is Act.NOT_KNOWING and not place.asks:
        found.append("The patient had nothing to say to that.")
    elif place.act in _ANSWERS:
        found.append(_ANSWERS[place.act])
    found += _went_on(place)
    if place.act is Act.LEAVE and not place.after.risk_disclosed:
        found.append(_why_left(place))
    if place.act is Act.LEAVE and place.after.risk_disclosed:
        found.append(
            "They had told you about danger: with a person, this is the moment to call for help and not to be "
            "alone with it."
        )
    if place.taken.told and place.cost is not None and place.part(*REFLECTIVE) is None:
        found.append(
            "You told the patient something they could have found themselves; in this simulation only their own finds "
            "count."
        )
    return (*found, *_moved(place))


def _went_on(place: Place) -> list[str]:
    """What is told only as far as the record says that it belongs to the turn."""
    told = ["Part of that they had told you before, in the same words."] if place.again else []
    if place.act is Act.DETAIL and not place.passed_by:
        answered = place.opened or place.part(*REFLECTIVE) is not None
        told.append("The patient told more." if answered else "The patient went on with their story.")
    if place.passed_by and place.act is not Act.TANGENT:
        told.append("What they said may not take up your question. That may be this simulation, not the question.")
    if place.act is Act.WARMED:
        kindly = (
            place.part("reassurance", "comfort", "minimising", "applause", "praise", "affirmation", sure=False)
            is not None
        )
        told.append(f"In this simulation the patient {'took it kindly' if kindly else 'warmed to you'}.")
    if place.turned_past:
        told.append("Just before, the patient had turned away; this turn asked on without a word about that.")
    if place.passes_danger:
        told.append("Danger is still open in this talk: it stays first until you know enough.")
    return told


def _number(place: Place) -> list[str]:
    if place.before.intent.act is Act.CONVICTION and place.taken.form is not QuestionForm.SCALE:
        return ["The patient named the number once more. If you asked for something else, it is still open."]
    if of_the_belief(place.exchange.text):
        return ["The patient gave a number; in this simulation it says how firmly the thought is believed."]
    return [
        "The patient gave a number. In this simulation a number always says how firmly the thought is believed; if you "
        "asked for another one, it is still open."
    ]


def _why_left(place: Place) -> str:
    if place.after.openness - place.before.openness <= CLOSED or place.after.reactance >= _DRIVEN_OFF:
        return "In this simulation, patients leave the sooner, the less they trust you and the more they feel pushed."
    if not place.unpressed or place.doubtful or place.sharp or place.unsure or place.cost is not None:
        return "What part your words had in it cannot be told; this simulation also lets patients go by chance."
    return (
        "That need not be your doing: in this simulation a patient who does not yet trust you leaves now and then, by "
        "chance."
    )


def _moved(place: Place) -> list[str]:
    points = place.after.held - place.before.held
    told = []
    if abs(points) >= CLEARLY:
        how = "less firmly" if points < 0 else "more firmly"
        told.append(f"In this simulation the thought is now held {how}, by {abs(points):.0f} of 100.")
    opened = place.after.openness - place.before.openness
    if opened <= CLOSED and not place.on_danger:
        told.append("In this simulation the patient closed up a little.")
    if opened >= OPENER and not place.on_danger and place.act not in (*TURNED, Act.NO_MORE, Act.NOT_KNOWING):
        told.append("In this simulation the patient opened up a little.")
    return told


def _bears(situation: Situation, name: str) -> str:
    return (
        "and it does not fit the thought"
        if situation.fact(name).bearing == "against"
        else "and it is part of why the thought is believed"
    )


def _unit(place: Place) -> str:
    unit = place.after.intent.unit
    assert place.case.memory is not None and unit is not None
    seen = place.form is place.taken.form or place.form not in OF_A_VIEW
    if not place.passed_by and place.form in _LOOKED and place.form is not None and seen:
        return _LOOKED[place.form]
    if not place.opened:
        return "The patient told you something they had not told before."
    if len(place.after.worked) > len(place.before.worked) and place.before.held - place.after.held >= CLEARLY:
        return "In this simulation, answering it was work on the thought."
    if place.case.memory.unit(unit).guard >= GUARDED:
        return "It reached something that this patient does not tell everybody."
    return "The patient answered with something they had not told before."


def held_back(place: Place) -> tuple[HeldBack, ...]:
    """What was asked for and kept, as a kind, and what it came after; empty where nothing in particular was kept.

    Why a person turns away nobody can see. What is told is what just went before, or a door that the record knows to be
    shut.
    """
    if place.act not in TURNED or place.on_danger:
        return ()
    kind, cost = _kept(place), place.cost
    turned = TURNED[place.act]
    if cost is not None:
        after = cost.told if cost.sure else f"what may have been heard as {cost.told}"
        return (HeldBack(kind, "after_a_cost", f"{turned}, right after {after}."),)
    if place.asks_once is False and questions_at_once(place.exchange.text) > PAIR:
        return (HeldBack(kind, "after_a_cost", f"{turned}, right after several questions at once."),)
    if place.unsure:
        unsure = f"{turned}. Whether your words had a part in it cannot be told for sure."
        return (HeldBack("other", "unknown", unsure),)
    if place.before.intent.act in TURNED:
        mended = " Your repair may need a moment to be heard." if place.part("repair") is not None else ""
        as_before = ", as just before" if place.act is place.before.intent.act else ""
        return (HeldBack(kind, "after_turning", f"{turned}{as_before}.{mended}"),)
    if kind in _KEPT and place.case.style != "reserved" and questions(place.exchange.text):
        return (HeldBack(kind, "trust", f"{_KEPT[kind]}: in this simulation trust was still too thin for it."),)
    return (HeldBack("other", "unknown", f"{turned}."),)


def _kept(place: Place) -> HeldBackKind:
    taken, before = place.taken, place.before
    if place.act is Act.AGREE:
        return "other"
    if (
        taken.unit is not None
        and taken.sure >= SURE
        and taken.unit not in place.after.told
        and place.case.memory is not None
    ):
        return "guarded_memory" if place.case.memory.unit(taken.unit).guard > HARMLESS else "memory"
    if (
        taken.reaches
        and taken.reaches[0].strength >= SURE
        and taken.reaches[0].evidence not in {one.evidence for one in place.after.voiced}
    ):
        return "guarded_memory"
    asked = asked_for(place.exchange.text, KNOWN)
    for slot, kind in _SLOTS:
        if slot in taken.asks and slot.value not in before.disclosed and asked in (None, *_ASKS_FOR[kind]):
            return kind
    return "other"


def known(episode: Episode, case: Case) -> Episode:
    """The episode with what measures need to know of the case behind it."""
    situation = episode.states[0].situation if episode.states else case.situations[0].id
    return replace(episode, provenance={**played(case, situation), **episode.provenance})


def turns_told(episode: Episode, case: Case, readings: Mapping[int, Reading] | None = None) -> tuple[TurnFeedback, ...]:
    """Feedback on every therapist turn of a session so far.

    Args:
        episode: The session with the recorded mind, or without one: then only what the turns did is told.
        case: The case that was talked to.
        readings: What a language model read in the turns, by number from 1; the heads read the others.
    """
    found: list[TurnFeedback] = []
    tried: list[Alternative] = []
    danger, pressed = Danger(), False
    opening = next((turn.text for turn in episode.session.turns[:1] if turn.speaker == "patient"), "")
    for exchange in exchanges(episode):
        if not exchange.text:
            continue
        answered = tuple(
            turn.text for turn in episode.session.turns[: exchange.shown_at + 1] if turn.speaker == "patient"
        )
        reading = (readings or {}).get(exchange.number + 1)
        used = reading if reading is not None and reading.unread is None else None
        place = _place(exchange, case, answered, danger, used)
        place = None if place is None else replace(place, opening=opening, pressed_before=pressed)
        pressed = pressed or (
            surely_pressed(exchange.text, exchange.heard) if used is None else not set(FAULTS).isdisjoint(used.does)
        )
        one = _told(exchange, place, tried)
        one = replace(one, unread=reading is not None and used is None)
        danger = place.danger_after if place is not None else danger
        found.append(one)
        if one.alternative is not None:
            tried.append(one.alternative)
    return tuple(found)


def _place(
    exchange: Exchange, case: Case, answered: tuple[str, ...], danger: Danger, reading: Reading | None
) -> Place | None:
    """The exchange with what feedback is made from; None where no mind was recorded."""
    before, after = exchange.before, exchange.after
    if before is None or after is None:
        return None
    taken = exchange.appraisal or Appraisal()
    return Place(case, case.situation(after.situation), exchange, before, after, taken, answered, danger, reading)


def _told(exchange: Exchange, place: Place | None, tried: list[Alternative]) -> TurnFeedback:
    number = exchange.number + 1
    if place is None:
        return TurnFeedback(number, exchange.text, None, did(exchange), _was_alone(exchange), (), (), None)
    before, after, good = place.before, place.after, well(place)
    once = None if place.sees_to_safety and place.asks_once is False else place.asks_once
    found = was(exchange.text, place.parts, once, good or "", place.aim)
    plain = place.plainly if good is None and not found and not place.unsure else None
    return TurnFeedback(
        number,
        exchange.text,
        good,
        did(exchange),
        (*found, *([plain] if plain else []), *place.unsure),
        reached(place),
        held_back(place),
        alternative(place, tried),
        after.held - before.held,
        after.openness - before.openness,
        after.distress - before.distress,
    )


def _was_alone(exchange: Exchange) -> tuple[str, ...]:
    text, heard = exchange.text, exchange.heard
    return was(text, parts_of_turn(text, heard), asks_once(text, heard))


def curve(episode: Episode) -> tuple[Point, ...]:
    """The simulated mind before the first turn and after each that was spoken; empty for a patient without a mind."""
    spoken = sum(1 for turn in episode.therapist_turns if turn.text)
    return tuple(
        Point(turn, state.held, state.openness, state.distress)
        for turn, state in enumerate(episode.states[: spoken + 1])
    )
