"""The fixed hand-over texts, one a kind of danger, and the one-line disclaimer: what a person in danger meets instead of a model.

The wordings are fixed so that they can be tested and reviewed by people; nothing here is generated, and nothing is added at run
time. Each of them must be safe for somebody who lives with a person who hurts them and may see the device: none tells the reader
to keep or show what they wrote.
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
    return "\n\n".join((first, _PLAIN, whom, _END))


HANDOVER: Final = _text(
    "Thank you for saying this. It sounds as if you, or someone near you, may be in danger, and that matters more "
    "than anything else here.",
    "Please contact your local emergency number now, or go to the nearest emergency department. If that feels like too "
    "much, reach a person you trust and feel safe with, or a crisis line where you live. If you are afraid of somebody, "
    "use a phone that they cannot look at, and close this page once you have read it.",
)
"""Shown where the kind of danger is in doubt. For adults. It guesses no country, names no number and is not a safety plan."""

HANDOVERS: Final[Mapping[Kind, str]] = {
    Kind.SUICIDE: _text(
        "Thank you for telling me. Thoughts of ending your life that have come this close are too much to be alone with, "
        "and they matter more than anything else here.",
        "Please contact your local emergency number now, or go to the nearest emergency department. If that feels like too "
        "much, reach a person you trust and feel safe with, or a crisis line where you live. Say it in plain words, that "
        "you are thinking of ending your life, and ask somebody to stay with you. If there is something near you that you "
        "would use, get away from it, or have somebody take it away. Such hours can pass, and people who know them can "
        "help you through.",
    ),
    Kind.SELF_HARM: _text(
        "Thank you for telling me. You are hurting yourself, or close to it, and that calls for care and not for blame.",
        "If a wound is deep or does not stop bleeding, or if you have swallowed something, contact your local emergency "
        "number now, or go to the nearest emergency department. The same holds if you think of ending your life. "
        "Otherwise get away from what you would use, and reach a person you trust and feel safe with, or a crisis line "
        "where you live; ask them to stay with you until the urge has gone down. Wounds and urges are both something to "
        "show a doctor.",
    ),
    Kind.VIOLENCE: _text(
        "Thank you for telling me. What is done to you is not your fault, and your safety matters more than anything else "
        "here.",
        "If you are in danger at this moment, get to where other people are, as soon as that is safe, and contact your "
        "local emergency number. Otherwise a service for people who are hurt or controlled at home, a doctor, or a person "
        "you feel safe with can think through with you what is safe; you decide what happens. Use a phone that nobody else "
        "looks at, when you are alone: at work, at a doctor's. Whoever hurts you need not know, "
        "and it can be safer not to tell them. If you have been choked or hit "
        "on the head, or are bleeding, see a doctor today, even if you feel well.\n\n"
        "What was read and written here may stay visible on this device. Close this page once you have read it.",
    ),
    Kind.CHILD: _text(
        "Thank you for telling me; that is hard to say. A child may be hurt or in danger, and that comes before anything "
        "else here.",
        "If a child has been shaken, hit on the head, choked or hurt, or is in danger now, contact your local emergency "
        "number or go to the nearest emergency department at once, even if the child seems well. If you are afraid of what "
        "you may do, put the child where it is safe, such as its cot, or with an adult you trust, and leave the room. If "
        "it is somebody else who does it, get the child and yourself to other people as soon as that is safe, and use a "
        "phone that they cannot look at. Then speak today with a doctor, a child protection service, or a crisis line "
        "where you live. To ask for help is to look after the child.",
    ),
    Kind.OTHERS: _text(
        "Thank you for saying this. Somebody could be hurt, and you have said it while that can still be kept from happening.",
        "Please go away from that person now, to where they are not, and leave behind what you could use. If somebody is hurt or "
        "about to be, contact your local emergency number at once. If you are afraid of what you may do, contact it too, "
        "or go to the nearest emergency department and say so in plain words: it is something they can help with. A person you "
        "trust can come with you, and a crisis line where you live can talk with you until then. Drink or drugs make it "
        "more dangerous.",
    ),
    Kind.PSYCHOSIS: _text(
        "Thank you for telling me. What you hear, see or have found out can be very frightening, and it is a reason to be "
        "with people who know about it, today.",
        "Please contact your local emergency number now, or go to the nearest emergency department, most of all if a voice "
        "tells you to do something to yourself or to somebody else. You do not have to do what it says. Ask a person you "
        "trust and feel safe with to come with you and stay; if nobody can, there is a crisis line where you live. If a baby or "
        "a child is with you, let another adult look after them until a doctor has seen you. Please do not drive. This is "
        "known to doctors, and it can be treated; nights without sleep make it worse, and they can help with that too.",
    ),
    Kind.MANIA: _text(
        "Thank you for telling me. Hardly any sleep and everything going faster, with or without a fall into a hole: that "
        "can be an illness that needs a doctor today, and it can be treated.",
        "Please contact your local emergency number now, or go to the nearest emergency department, if you do not trust "
        "what you will do next, if you have been in danger already, or if thoughts of dying come. Otherwise see a doctor "
        "today. Please do not drive until then. Ask a person you trust and feel safe with to come with you, and to keep keys and cards "
        "for you until a doctor has seen you; buying, signing and deciding can wait. If nobody can come, there is a crisis line where you "
        "live.",
    ),
    Kind.MEDICAL: _text(
        "Thank you for telling me. What you describe can be dangerous for the body within hours, even if it feels better "
        "in between, and doctors can treat it.",
        "Please contact your local emergency number now, or have somebody take you to the nearest emergency department. "
        "Say what you took, or what you stopped taking or drinking, how much and when; or how long you have not eaten. "
        "Stopping alcohol or tablets all at once can bring on fits, and with a doctor's help it is much safer. Please do "
        "not wait for it to pass, do not drive, and do not stay alone: a person you trust and feel safe with can sit with you until help "
        "is there. If no number can be reached, a crisis line where you live can help you find one. Nobody there has to "
        "judge you.",
    ),
}  # fmt: skip
"""Shown, word for word, where that kind of danger is told of."""


def handover_for(*turns: str) -> str:
    """The fixed text for what one person said, the latest turn last; the general one where the kind is in doubt."""
    kind = kind_of(*turns)
    return HANDOVER if kind is None else HANDOVERS[kind]


def holds_handover(text: str) -> bool:
    """One of the fixed texts stands in it."""
    return any(one in text for one in (HANDOVER, *HANDOVERS.values()))


DISCLAIMER: Final = (
    "A research and training tool: it treats nobody, is not a medical device or a crisis service, and is not for "
    "anyone in distress or danger."
)
"""One line for every page and report: what the tool is not for."""
