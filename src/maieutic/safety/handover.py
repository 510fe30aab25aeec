"""The fixed hand-over texts, one a kind of danger, and the one-line disclaimer: what a person in danger meets instead
of a model.

The wordings are fixed so that they can be tested and reviewed by people; nothing here is generated, and nothing is
added at run time. Each of them must be safe for somebody who lives with a person who hurts them and may see the device:
none tells the reader to keep or show what they wrote.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from maieutic.safety.kinds import Kind, kind_of

_PLAIN: Final = (
    "I have to be plain with you: this is a research and training program for adults. It is not a service, nobody is "
    "watching, and it cannot help in an emergency."
)
_END: Final = (
    "You deserve the help of a person. The exercise stops at this point, and reaching somebody is all that counts."
)


def _text(first: str, whom: str) -> str:
    """What is to be done first stands at the top, the notice after it, the rest below."""
    return "\n\n".join((first, _PLAIN, whom, _END))


HANDOVER: Final = _text(
    "Thank you for saying this. It sounds as if you, or someone near you, may be in danger. Please contact your local "
    "emergency number now, or go to the nearest emergency department.",
    "If that feels like too much, reach a person you trust and feel safe with, or a crisis line where "
    "you live, and do not "
    "stay alone. If you are afraid of somebody, use a phone that they cannot look at, and close this "
    "page once you have "
    "read it.",
)
"""Shown where the kind of danger is in doubt. For adults. It guesses no country, names no number and is not a safety
plan."""

HANDOVERS: Final[Mapping[Kind, str]] = {
    Kind.SUICIDE: _text(
        "Thank you for telling me. Please do this first: put what you would use, pills, a gun, a rope, "
        "out of your reach "
        "now. Give it to somebody, or go away from it, or from the edge, to where people are. Then contact your local "
        "emergency number.",
        "If you have already taken or done something, call at once, even if you feel well. Say it in plain words, that "
        "you are thinking of ending your life. If a call feels like too much, go to the nearest emergency department, "
        "or reach a person you trust and feel safe with, or a crisis line where you live, and ask "
        "somebody to stay with "
        "you. Please do not drive. Such hours can pass, and people who know them can help you through.",
    ),
    Kind.SELF_HARM: _text(
        "Thank you for telling me. Please do this first: put what you would use out of your reach now, or give it to "
        "somebody. If a wound is deep or does not stop bleeding, or if you have swallowed something, "
        "press a clean cloth "
        "on the wound and contact your local emergency number now.",
        "The same holds if you think of ending your life. Otherwise reach a person you trust and feel safe with, or a "
        "crisis line where you live, and ask them to stay with you until the urge has gone down. Wounds and urges are "
        "both something to show a doctor; neither is a matter of blame.",
    ),
    Kind.VIOLENCE: _text(
        "Thank you for telling me. What is done to you is not your fault. If you are in danger at this "
        "moment, get to where "
        "other people are, as soon as that is safe, and contact your local emergency number.",
        "Otherwise a service for people who are hurt or controlled at home, a doctor, or a person you "
        "feel safe with can "
        "think through with you what is safe; you decide what happens. Use a phone that nobody else looks at, when you "
        "are alone: at work, at a doctor's. Whoever hurts you need not know, and it can be safer not to "
        "tell them. A threat "
        "to kill, a weapon in the house, or a hand at your throat means that it can turn deadly. If you "
        "have been choked or "
        "hit on the head, or are bleeding, see a doctor today, even if you feel well.\n\n"
        "What was read and written here may stay visible on this device. Close this page once you have read it.",
    ),
    Kind.CHILD: _text(
        "Thank you for telling me; that is hard to say. Please do not be alone with the child now: put it "
        "where it is safe, "
        "such as its cot, or with an adult you trust, and leave the room. If a child has been shaken, hit on the head, "
        "choked or hurt, or cannot be woken properly, contact your local emergency number at once, even if the child "
        "seems well.",
        "Call somebody to come and stay, today. If it is somebody else who does it, get the child and "
        "yourself to other "
        "people as soon as that is safe, and use a phone that they cannot look at. Then speak with a doctor, a child "
        "protection service, or a crisis line where you live. To ask for help is to look after the child.",
    ),
    Kind.OTHERS: _text(
        "Thank you for saying this before more has happened. Please go away from that person now, to "
        "where they are not, and "
        "leave behind what you could use: give it to somebody, or lock it where you have no key.",
        "If somebody is hurt or about to be, contact your local emergency number at once. If you are "
        "afraid of what you "
        "may do, contact it too, or go to the nearest emergency department and say so in plain words: it is something "
        "they can help with. A person you trust can come with you, and a crisis line where you live can "
        "talk with you until "
        "then. Do not drink, take drugs or drive now.",
    ),
    Kind.PSYCHOSIS: _text(
        "Thank you for telling me. Please be with another person now, and contact your local emergency "
        "number or go to the "
        "nearest emergency department, most of all if a voice tells you to do something. You do not have to do what it "
        "says.",
        "Ask a person you trust and feel safe with to come with you and stay; if nobody can, there is a "
        "crisis line where "
        "you live. If a baby or a child is with you, let another adult look after them until a doctor has "
        "seen you. Please "
        "do not drive. This is known to doctors, and it can be treated; nights without sleep make it "
        "worse, and they can "
        "help with that too.",
    ),
    Kind.MANIA: _text(
        "Thank you for telling me. Please do not drive, and give keys and cards to a person you trust and "
        "feel safe with, now. "
        "Hardly any sleep and everything going faster can be an illness that needs a doctor today, and it can be "
        "treated.",
        "Contact your local emergency number, or go to the nearest emergency department with somebody, if "
        "you do not trust "
        "what you will do next, if you have been in danger already, or if thoughts of dying come. Buying, signing and "
        "deciding can wait until a doctor has seen you. If nobody can come, there is a crisis line where you live.",
    ),
    Kind.MEDICAL: _text(
        "Thank you for telling me. Please contact your local emergency number now, even if you feel "
        "better in between. What "
        "you describe can be dangerous for the body within hours, and doctors can treat it.",
        "Say what you took, or what you stopped taking or drinking, how much and when; or how long you "
        "have not eaten. Do "
        "not drive, take nothing more, and do not stay alone or lie down to sleep it off: a person you trust and feel "
        "safe with can sit with you until help is there. If no number can be reached, have somebody take "
        "you to the nearest "
        "emergency department. Nobody there has to judge you.",
    ),
    Kind.WITHDRAWAL: _text(
        "Thank you for telling me. Please contact your local emergency number now, or have somebody take "
        "you to the nearest "
        "emergency department. Stopping drink or tablets all at once can bring on fits and confusion and "
        "can kill; with a "
        "doctor's help it is much safer.",
        "Say what you took, how much, and since when you have had none. Do not drive, and do not stay "
        "alone: a person you "
        "trust and feel safe with can sit with you until help is there. Please do not wait for the "
        "shaking to pass, and do "
        "not treat it by yourself with other tablets. If no number can be reached, a crisis line where "
        "you live can help you "
        "find one.",
    ),
    Kind.EATING: _text(
        "Thank you for telling me. Please have a doctor see you today. If you faint, keep no water down, "
        "bring up blood, or "
        "feel your heart stumble, contact your local emergency number now. A body without food can give "
        "out while it still "
        "feels all right.",
        "Say how long you have not eaten or drunk, and what you bring up or take. Do not drive. Do not "
        "eat a great deal all at "
        "once after many days without, that has to be done with a doctor. A person you trust and feel "
        "safe with can go with "
        "you. If there is no food or no money for it, say that as well; a crisis line where you live can "
        "tell you where there is "
        "some. Nobody there has to judge you.",
    ),
    Kind.DRIVING: _text(
        "Thank you for telling me. Please do not drive. Give the keys to somebody now, and if you are on "
        "the road, stop where it "
        "is safe and stay there.",
        "Call a person you trust and feel safe with to fetch you, and tell those who wait for you that "
        "you cannot come by car; "
        "work can wait. If somebody may have been hit, or if you mean to come to harm on the road, contact your local "
        "emergency number at once. If you black out, cannot stay awake, or cannot stop what you take, let "
        "a doctor see you "
        "before you drive again.",
    ),
}
"""Shown, word for word, where that kind of danger is told of; each begins with the one thing to do first."""


def handover_for(*turns: str) -> str:
    """The fixed text for what one person said, the latest turn last; the general one where the kind is in doubt."""
    kind = kind_of(*turns)
    return HANDOVER if kind is None else HANDOVERS[kind]


def holds_handover(text: str) -> bool:
    """One of the fixed texts stands in it, or one of an earlier version: the notice is the same in all of them."""
    return _PLAIN in text


DISCLAIMER: Final = (
    "A research and training tool: it treats nobody, is not a medical device or a crisis service, and is not for "
    "anyone in distress or danger."
)
"""One line for every page and report: what the tool is not for."""
