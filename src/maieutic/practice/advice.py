"""The one thing done well in a turn, and the one thing to try: rules over the same reading, with examples in general words."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Final

from maieutic.domain.appraisal import Slot
from maieutic.domain.codes import Move
from maieutic.domain.state import Act
from maieutic.language.questions import ends_as_question
from maieutic.language.sentences import content_words, opened_large, words
from maieutic.measures.definition import facts_against
from maieutic.measures.pacing import challenges_early, explored
from maieutic.measures.questioning import leads, questions_at_once
from maieutic.patients.pressure import PAIR
from maieutic.practice.model import Alternative
from maieutic.practice.turn import FITS, PUSHED, Place
from maieutic.reading.moves import questions

EXAMPLES: Final[Mapping[str, tuple[str, ...]]] = {
    "ask about safety in plain words": (
        "I want to ask you something directly. Have you been thinking of ending your life?",
        "When it is at its worst, do you think of dying, or of hurting yourself?",
    ),
    "stay with the danger before anything else": (
        "Thank you for telling me. How close are you to doing something, today?",
        "I am glad you said it. What has kept you safe so far?",
        "Is there anything at hand that you have thought of using?",
        "Who could be with you tonight? Let us call them together.",
        "What can we agree on for tonight, and whom do you call if it gets worse?",
    ),
    "ask before you advise": (
        "What have you tried already, and what came of it?",
        "What would you say to a friend who told you this?",
        "What do you think might help, even a little?",
        "Before I say anything: what do you make of it yourself?",
    ),
    "ask what lies behind the thought before you question it": (
        "What makes it feel so true to you?",
        "What did you see or hear that told you so?",
        "How did you come to read it that way?",
        "What went through your mind at that moment?",
    ),
    "ask it without the answer in it": (
        "What do you make of it?",
        "How do you see that yourself?",
        "What was that like for you?",
        "What else was going on just then?",
    ),
    "give it back before you comfort": (
        "That sounds like a lot to carry.",
        "So it has stayed with you since then.",
        "I can hear how much that matters to you.",
    ),
    "offer the feeling as a guess": (
        "I wonder whether that was more hurt or more anger. What fits?",
        "Was it something like being let down, or is that the wrong word?",
    ),
    "open the question": (
        "What was that like for you?",
        "How did that go, from the beginning?",
        "What did you notice in yourself?",
        "In what way?",
        "What mattered most to you in that?",
    ),
    "ask about one moment, in fewer words": (
        "What was said just then?",
        "Where were you when it happened?",
        "What did you do next?",
        "Who was there?",
    ),
    "step back, give it back, and let them choose": (
        "That came close to something. Shall we stay there a moment, or leave it for later?",
        "I may have gone too fast. What would you like me to understand?",
        "We need not go there now. What is easier to talk about?",
    ),
    "own the push and hand the talk back": (
        "I ran ahead of you there. What did I miss?",
        "That came out as if I knew better. How do you see it?",
        "I was too quick. What would you like to say about it?",
    ),
    "bring the talk back gently to one moment": (
        "May I take you back to that day? What happened first?",
        "I would like to hear more of what you began with. Where were you?",
    ),
    "ask something else; this place has been told": (
        "What else was going on in your life at that time?",
        "Who else was part of this?",
        "What was different on another day?",
    ),
    "take the correction up": (
        "Thank you for putting me right. How would you say it?",
        "I had that wrong. What is it, then?",
    ),
    "follow with one open question": (
        "What was that like for you?",
        "What happened then?",
        "What stays with you most of it?",
        "What did that mean to you?",
    ),
    "ask what stands behind the number": (
        "What makes it that number and not a higher one?",
        "What would have to happen for it to be ten less?",
    ),
    "ask what keeps the thought so strong": (
        "What speaks louder than what you just told me?",
        "What would it take for this to count?",
        "Which part of it still feels true?",
    ),
    "look closer at the thought": (
        "How strongly do you believe that now, from 0 to 100?",
        "If that were so, what would it say about you?",
        "What is the worst of it, for you?",
    ),
    "ask what would help from here": (
        "What would help you most in the next days?",
        "Who could stand by you in this?",
        "What is yours to decide, even if the rest is not?",
    ),
    "make the plan small and clear": (
        "When and where will you do that, and what might get in the way?",
        "What do you expect will happen, and how will you know?",
    ),
    "ask for the thought": (
        "What went through your mind just then?",
        "What did it say to you, in that moment?",
        "What did you take it to mean about you?",
    ),
    "ask for the feeling": (
        "What did you feel when that came up?",
        "Where did you notice it in your body?",
        "How strong was it, from 0 to 100?",
    ),
    "give the feeling back before you ask on": (
        "That sounds heavy. What makes it so heavy?",
        "It still hurts, as I hear you. What hurts most?",
    ),
    "ask what tells them so": (
        "What have you seen or heard that makes you sure of it?",
        "What in that day speaks for it?",
        "How do you know?",
    ),
    "ask for what does not quite fit": (
        "Was there a moment, even a small one, that went otherwise?",
        "When has it not been like that?",
        "Who might tell the story of that day in another way?",
        "What happened that you would not expect, if it were all true?",
    ),
    "set it beside the thought": (
        "You told me this, and you told me the thought. How do the two go together?",
        "When you put what you just said next to that thought, what do you notice?",
        "What does that say about the thought, if anything?",
    ),
    "ask for their own summary": (
        "If you look at all you told me today, how would you put it now?",
        "What do you take from this so far?",
        "How strongly do you believe it now, and what changed?",
    ),
    "ask for a small trial": (
        "What could you try this week to find out?",
        "What would be a small first step to see whether it is so?",
    ),
}
"""By kind of question or turn, examples that fit any case."""


def well(place: Place) -> str | None:
    """One thing done well, the rarest first; None where nothing was found."""
    return next((told for told, true in _WELL if true(place)), None)


def _asks_well(place: Place) -> bool:
    """One question, not leading and no advice in it."""
    text = place.exchange.text
    return (
        questions_at_once(text) == 1 and not leads(text) and not place.does(Move.ADVICE, Move.LECTURE, Move.CHALLENGE)
    )


def _warm(place: Place) -> bool:
    return place.taken.fit >= FITS and place.push < PUSHED


_WELL: Final[tuple[tuple[str, Callable[[Place], bool]], ...]] = (
    ("You asked about safety. That is never out of place.", lambda p: Slot.RISK in p.taken.asks),
    (
        "You had the patient weigh what they told you themselves.",
        lambda p: len(p.after.weighed) > len(p.before.weighed) and p.push < PUSHED,
    ),
    (
        "You left the finding to the patient: something new came up because you asked.",
        lambda p: any(one.credit > 0.0 for one in p.after.voiced[len(p.before.voiced) :] if one.by == "patient"),
    ),
    (
        "You asked in a way that let the patient think for themselves.",
        lambda p: len(p.after.worked) > len(p.before.worked),
    ),
    (
        "You gave back what you heard and then asked one open question.",
        lambda p: _warm(p) and _asks_well(p) and p.does(Move.OPEN_QUESTION),
    ),
    (
        "You asked for the feeling, and the patient could say it.",
        lambda p: p.newly("feeling") and Slot.FEELING in p.taken.asks,
    ),
    (
        "You asked for the thought, and the patient could say it.",
        lambda p: p.newly("thought") and Slot.THOUGHT in p.taken.asks,
    ),
    ("You asked leave first, or let the patient choose.", lambda p: p.taken.permission and p.push < PUSHED),
    ("You gave back what you heard before asking on.", lambda p: _warm(p) and p.exchange.asks),
    ("You gave back what you heard and left room for it.", _warm),
    (
        "You asked one open question and left the answer to the patient.",
        lambda p: _asks_well(p) and p.does(Move.OPEN_QUESTION),
    ),
    ("You named something the patient does well.", lambda p: p.does(Move.AFFIRMATION) and p.push < PUSHED),
    ("You asked one thing at a time.", lambda p: _asks_well(p)),
    ("You took up words that the patient had just used.", lambda p: _takes_up(p)),
    ("You kept it short, which leaves the patient room.", lambda p: len(words(p.exchange.text)) <= SHORT),
)


def _takes_up(place: Place) -> bool:
    return len(content_words(place.exchange.text) & content_words(place.exchange.heard)) >= TAKEN_UP


def alternative(place: Place, before: Sequence[Alternative]) -> Alternative | None:
    """One kind of turn to try, with an example.

    Args:
        place: The turn.
        before: What was given for the turns before it; a kind rests for some turns and an example comes again last.
    """
    if place.after.left:
        return None
    resting = {one.kind for one in before[-RESTS:]}
    if place.on_danger and place.after.risk_disclosed:
        return Alternative(DANGER, _example(place, DANGER, {one.example for one in before}), instead=False)
    instead = [kind for kind, true in _INSTEAD if true(place)]
    following = _following(place)
    kinds = [*instead[:1], *following] if not instead or instead[0] in _ALWAYS else [*instead, *following]
    kind = next((one for one in kinds if one not in resting or one in _ALWAYS), kinds[0])
    return Alternative(kind, _example(place, kind, {one.example for one in before}), kind in instead)


def _example(place: Place, kind: str, used: Collection[str]) -> str:
    if kind == ONE_QUESTION:
        asked = [one for one in questions(place.exchange.text) if not one.advising and ends_as_question(one.text)]
        own = next((one for one in asked if one.open and not one.leading), asked[0] if asked else None)
        return opened_large(own.text) if own is not None else EXAMPLES["open the question"][0]
    fresh = [one for one in EXAMPLES[kind] if one not in used and one not in place.exchange.text]
    return (fresh or EXAMPLES[kind])[0]


DANGER: Final = "stay with the danger before anything else"
ONE_QUESTION: Final = "keep one of your questions and wait"
RESTS: Final = 3
"""Turns for which a kind is not given again where there is another."""
SHORT: Final = 15
TAKEN_UP: Final = 2
_ALWAYS: Final = frozenset({"ask about safety in plain words", "stay with the danger before anything else"})
_FRUITLESS: Final = (Act.ASK_BACK, Act.NOT_UNDERSTOOD, Act.DEFLECT, Act.RESIST, Act.AGREE, Act.NO_MORE, Act.NOT_KNOWING)
_UNRISKED: Final = frozenset({Slot.RISK, Slot.CONVICTION})

_INSTEAD: Final[tuple[tuple[str, Callable[[Place], bool]], ...]] = (
    (
        "ask about safety in plain words",
        lambda p: p.before.intent.act is Act.RISK_HINT and not p.does(Move.RISK_RESPONSE),
    ),
    (
        "stay with the danger before anything else",
        lambda p: p.before.intent.act is Act.RISK_DISCLOSURE and not p.does(Move.RISK_RESPONSE),
    ),
    ("ask before you advise", lambda p: p.does(Move.ADVICE, Move.LECTURE)),
    (
        "ask what lies behind the thought before you question it",
        lambda p: p.does(Move.CHALLENGE) and challenges_early(p.exchange, against(p)),
    ),
    ("ask it without the answer in it", lambda p: leads(p.exchange.text)),
    (
        ONE_QUESTION,
        lambda p: (
            questions_at_once(p.exchange.text) > PAIR
            or (questions_at_once(p.exchange.text) > 1 and p.act in _FRUITLESS)
        ),
    ),
    ("offer the feeling as a guess", lambda p: any(not c.true and not c.tentative for c in p.taken.claims)),
    ("give it back before you comfort", lambda p: p.does(Move.REASSURANCE) and not _warm(p)),
    ("own the push and hand the talk back", lambda p: p.push >= PUSHED),
    ("take the correction up", lambda p: p.act is Act.CORRECT),
    ("bring the talk back gently to one moment", lambda p: p.act is Act.TANGENT),
    ("ask about one moment, in fewer words", lambda p: p.act in (Act.ASK_BACK, Act.NOT_UNDERSTOOD)),
    ("step back, give it back, and let them choose", lambda p: p.act in (Act.DEFLECT, Act.RESIST, Act.AGREE)),
    ("ask something else; this place has been told", lambda p: p.act in (Act.NO_MORE, Act.AGAIN) and p.exchange.asks),
    (
        "open the question",
        lambda p: (
            p.does(Move.CLOSED_QUESTION) and not p.does(Move.OPEN_QUESTION) and not _UNRISKED & set(p.taken.asks)
            and not p.brought_out() and not p.new_unit
        ),
    ),
)  # fmt: skip


def against(place: Place) -> frozenset[str]:
    """Ids of the facts that speak against the thought."""
    return facts_against({"against": [one.id for one in place.situation.evidence if one.bearing == "against"]})


_AFTER: Final[Mapping[Act, str]] = {
    Act.RISK_HINT: "ask about safety in plain words",
    Act.RISK_DISCLOSURE: "stay with the danger before anything else",
    Act.CONVICTION: "ask what stands behind the number",
    Act.UNMOVED: "ask what keeps the thought so strong",
    Act.CONCEDE: "ask for their own summary",
    Act.INSIGHT: "ask for a small trial",
    Act.PLAN: "make the plan small and clear",
    Act.NOT_KNOWING: "ask about one moment, in fewer words",
}


def _following(place: Place) -> list[str]:
    """Kinds that could come after a turn, the nearest first, by the answer and by how far the talk has come."""
    after = place.after
    kinds = [_AFTER[place.act]] if place.act in _AFTER else []
    if place.newly("feeling"):
        kinds.append("give the feeling back before you ask on")
    if place.newly("thought"):
        kinds.append("look closer at the thought")
    if not place.exchange.asks:
        kinds.append("follow with one open question")
    if not (after.weighed or after.worked):
        untold = {Slot.THOUGHT: "thought" not in after.disclosed, Slot.FEELING: not place.feeling_told}
        kinds += [f"ask for the {slot}" for slot, missing in untold.items() if missing and slot not in place.taken.asks]
    if place.situation.accurate:
        return [*kinds, "ask what would help from here", "follow with one open question", "look closer at the thought"]
    own = {one.evidence for one in after.voiced if one.by == "patient"} & against(place)
    if own - set(after.weighed) and "thought" in after.disclosed and Slot.WEIGHING not in place.taken.asks:
        kinds.append("set it beside the thought")
    late = after.turn >= _LATE or own
    kinds += [] if late or not explored(after) else ["ask what tells them so"]
    kinds += ["ask for what does not quite fit"] if late or explored(after) else ["follow with one open question"]
    return [
        *kinds,
        "ask for their own summary" if late else "look closer at the thought",
        "ask what would help from here",
    ]


_LATE: Final = 8
"""Turns after which the talk should have come to what does not fit."""
