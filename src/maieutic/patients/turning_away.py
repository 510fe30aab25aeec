"""Turning away, and not knowing, in words that fit what was asked: which kind of answer is kept back or missing.

Lines that any patient could say, so that "who was it?" is not met by "it's long ago now". They tell nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from maieutic.domain.case import Style
from maieutic.domain.question_form import QuestionForm as Q

Lines = Sequence[str]

_GROUPS: Final[Sequence[tuple[tuple[Q, ...], Lines, Lines, Lines]]] = (
    (
        (Q.WHO,),
        (
            "Who that was, I'd rather leave out for now.",
            "I don't want to bring other people into it by name, not yet.",
            "I know who, but I'd sooner not say it here today.",
        ),
        ("Who, I couldn't tell you.", "I can't think who that would be.", "Nobody that I could name."),
        ("Who it was is none of this room's business.", "You'll not get names out of me."),
    ),
    (
        (Q.WHAT, Q.DESCRIBE),
        (
            "That part I'd rather not go into, it's too near.",
            "I could tell you that, but I don't want to get into it just yet.",
            "Let me keep that bit to myself for now.",
        ),
        ("What exactly, I couldn't tell you.", "I can't put my finger on it.", "I wouldn't know what to say to that."),
        ("I'm not going into that part.", "That bit stays with me, thanks."),
    ),
    (
        (Q.SEQUENCE,),
        (
            "How it went from there, I can't go through just now.",
            "I'd have to go through it all again to tell you that, and I'm not ready to.",
            "I'd rather stop there than tell the rest of it today.",
        ),
        (
            "How it went on, I couldn't tell you exactly.",
            "The order of it is gone for me.",
            "What came after, I've no clear memory of.",
        ),
        ("I'm not going through all that step by step.", "What came next is my own affair."),
    ),
    (
        (Q.WHEN,),
        (
            "When it was doesn't matter so much, I'd rather leave that.",
            "I know the day, and I don't want to talk about the day.",
            "Let's not pin it to a date, please.",
        ),
        ("When exactly, I couldn't tell you.", "I couldn't put a date to that.", "I've lost track of when."),
        ("What does it matter when?", "I'm not doing dates for you."),
    ),
    (
        (Q.WHERE,),
        (
            "Where that was, I'd rather not go back to just now.",
            "I don't want to stand in that place again, even in talk.",
            "Leave the place out of it, if you don't mind.",
        ),
        ("Where exactly, I couldn't say.", "I didn't notice where.", "The place I can't tell you."),
        ("Where doesn't come into it.", "I'm not taking you round the place."),
    ),
    (
        (Q.HOW_MANY,),
        (
            "The number I'd rather keep to myself.",
            "I could count it up, but I don't want to.",
            "How much it was, I don't like to say out loud.",
        ),
        ("I've never counted.", "How many, I couldn't tell you.", "I couldn't put a number to that."),
        ("I'm not counting it up for you.", "Does it matter how many?"),
    ),
    (
        (Q.YES_NO,),
        (
            "I'd rather not say yes or no to that.",
            "I won't answer that one just yet, if that's all right.",
            "That's a yes or a no I'd like to keep for now.",
        ),
        (
            "I couldn't say yes or no to that.",
            "Maybe, maybe not. I really don't know.",
            "I don't know if it's that or not.",
        ),
        ("I'm not saying yes and I'm not saying no.", "You'll not get a yes or no on that from me."),
    ),
    (
        (Q.HOW_COME, Q.HOW_KNOW),
        (
            "Why that is, I don't want to pick at just now.",
            "There's a reason, and I'm not ready to go into it.",
            "I have my reasons, I'd rather not lay them out yet.",
        ),
        (
            "Why, I honestly couldn't tell you.",
            "I've no reason to give you. It's just how it is.",
            "I can't say what I go by. I've not asked myself.",
        ),
        ("I don't have to give reasons.", "Because. I'm not explaining it."),
    ),
    (
        (Q.SAID,),
        (
            "What was said there, I'd rather not repeat.",
            "I can hear the words still, and I don't want to say them here.",
            "Those words I'll keep to myself for now.",
        ),
        (
            "The words I don't remember.",
            "What was said, I couldn't give you any more.",
            "I didn't take in what was said.",
        ),
        ("What got said stays where it was said.", "I'm not repeating it."),
    ),
    (
        (Q.FEELING, Q.BODY),
        (
            "How that felt, I'm not ready to talk about.",
            "I'd rather not go into what I felt. It comes up too easily.",
            "If I start on the feeling I won't stop, so not just now.",
        ),
        (
            "I couldn't tell you what I felt. I didn't stop to look.",
            "I don't have a word for how that felt.",
            "What I felt then, I don't really know.",
        ),
        ("What I feel is my business.", "I'm not doing feelings today."),
    ),
    (
        (Q.THOUGHT, Q.MEANING),
        (
            "What I thought there isn't something I say out loud easily.",
            "It means something to me, but I can't put it to you yet.",
            "I'd rather not say what I make of it, not so soon.",
        ),
        (
            "I don't know that I thought anything.",
            "What it means, I couldn't tell you.",
            "I've not found words for what went through my head.",
        ),
        ("What I think stays in my head.", "I'm not spelling it out."),
    ),
    (
        (Q.ORIGIN,),
        (
            "Where that comes from is a long way back, and I don't want to go there yet.",
            "That goes back to home, and home I'd rather leave shut today.",
            "I know where it started, but I'm not ready to open that.",
        ),
        (
            "Where I have it from, I couldn't say.",
            "It's always been there, as far as I know.",
            "I can't think when it began.",
        ),
        ("My childhood's got nothing to do with you.", "Leave the old days where they are."),
    ),
    (
        (Q.OTHER_VIEW, Q.DOUBLE_STANDARD),
        (
            "What somebody else would say, I don't want to think about now.",
            "I'd rather not bring others into this and what they'd think.",
            "I can't put myself in other people's shoes just now.",
        ),
        (
            "I don't know what anybody else would say to it.",
            "I can't see it from somebody else's side.",
            "I've never asked how that looks to others.",
        ),
        ("I don't care what other people would say.", "Other people aren't sat here, I am."),
    ),
    (
        (Q.ALTERNATIVE, Q.LIKELY, Q.WORST, Q.BEST, Q.COST_BENEFIT, Q.SCALE_REST, Q.COMPARE),
        (
            "I can't look at it that way yet.",
            "I'd rather not turn it round just now. It's too close.",
            "Give me a bit of time before I think that through.",
        ),
        (
            "I've never looked at it from that end, so I don't know.",
            "I can't see any other way to look at it.",
            "I couldn't say. I only ever see it the one way.",
        ),
        ("I'm not turning it over for you.", "It is how it is, however you turn it."),
    ),
    (
        (Q.AGAINST, Q.ELSE),
        (
            "If there's something, I don't want to get it out just now.",
            "I'd rather not go looking for that today.",
            "There may be, but leave it for another time.",
        ),
        (
            "No, nothing that I can think of.",
            "Nothing comes to mind there.",
            "I've been looking while you asked, and I don't find anything.",
        ),
        ("No. And I'm not going looking.", "There's nothing, so don't fish."),
    ),
    (
        (Q.SUPPORT,),
        (
            "There are things that speak for it, and I don't want to go through them now.",
            "What I have against myself I'd rather not list today.",
            "I could give you reasons enough. I don't want to.",
        ),
        (
            "I couldn't list you anything in particular.",
            "I've nothing to show you for it. It's just there.",
            "What speaks for it, I've never put in order.",
        ),
        ("I'm not making you a list.", "I don't need to prove it to you."),
    ),
    (
        (Q.SCALE,),
        (
            "A number I'd rather not put on it.",
            "I don't like to give it a figure just now.",
            "How strong it is, I'd sooner not say.",
        ),
        ("I couldn't put a figure on it.", "No number comes to me for that.", "I can't weigh it like that."),
        ("I'm not giving you a number.", "It's not a thing you put numbers on."),
    ),
    (
        (Q.SUMMARY,),
        (
            "Something like that. I'd rather not go over it again.",
            "You may be right. Let me leave it there for now.",
            "I don't want to say yes or no to the whole of it.",
        ),
        ("I couldn't say if that's the whole of it.", "I don't know if that's it.", "It might be. I'm not sure."),
        ("Put it how you like.", "If that's how you see it."),
    ),
    (
        (Q.GOAL, Q.PLAN, Q.NOW, Q.TALK),
        (
            "I'd rather not say that just now.",
            "That I want to keep open for the moment.",
            "Ask me that a bit later, please.",
        ),
        ("I don't know yet, to be honest.", "I couldn't tell you just now.", "I haven't got that far."),
        ("I've no answer for you there.", "Ask me another time."),
    ),
)
"""Forms, lines of somebody who keeps the answer back, of somebody who has none, and of somebody upset who keeps it
back."""
WITHHELD: Final[Mapping[Q, Lines]] = {form: kept for forms, kept, _, _ in _GROUPS for form in forms}
UNKNOWN: Final[Mapping[Q, Lines]] = {form: missing for forms, _, missing, _ in _GROUPS for form in forms}
CURT: Final[Mapping[Q, Lines]] = {form: curt for forms, _, _, curt in _GROUPS for form in forms}


def withheld(form: Q | None, style: Style) -> Lines:
    """Ways to keep an answer of this form back; none where the form is not known."""
    if form is None:
        return ()
    return CURT.get(form, ()) if style == "upset" else WITHHELD.get(form, ())


def unknown(form: Q | None) -> Lines:
    """Ways to have no answer of this form."""
    return UNKNOWN.get(form, ()) if form else ()


EVERY_LINE: Final[Lines] = tuple(
    dict.fromkeys(line for bank in (WITHHELD, UNKNOWN, CURT) for lines in bank.values() for line in lines)
)
