"""The advice-giver: answers every turn with something to do."""

from __future__ import annotations

from dataclasses import dataclass

from maieutic.domain.episode import Session, Turn
from maieutic.registry import therapist
from maieutic.therapists.arms.canned import next_line

_ADVICE = (
    "You should talk to someone at work or at home about this as soon as you can.",
    "Try to get more sleep and go for a walk every morning before you start your day.",
    "What you need to do is write down three good things each evening and read them when you doubt yourself.",
    "I'd suggest you make a list of your priorities and say no to anything that isn't on it.",
    "You could start with a breathing exercise: breathe in for four, hold for four, and breathe out for six.",
    "It would be good to set yourself one clear goal for the week and tell somebody about it.",
    "You need to stop being so hard on yourself and focus on what is in your control.",
    "Have you tried replacing that thought with a positive one each time it comes up?",
    "My advice is to take a break from whatever upsets you and do something you enjoy instead.",
    "You should challenge that thought straight away, because it is not doing you any good.",
    "Make sure you keep a regular routine, eat properly and cut down on coffee.",
    "I recommend that you speak to the person concerned and tell them honestly how you feel.",
    "You might want to join a group or a class, so that you meet new people.",
    "Don't spend so much time thinking about it; keep yourself busy.",
    "The best thing is to plan the conversation beforehand and practise it in front of a mirror.",
    "You ought to ask for help with this, and you should do it today rather than tomorrow.",
    "Try mindfulness: sit down for ten minutes a day and let the thoughts pass.",
    "You have to draw a line under the past and look ahead.",
    "If I were you, I would look at what other people in your position do and copy that.",
    "It is important to reward yourself for small steps, so put something nice in your diary.",
)


@therapist("advice")
@dataclass(frozen=True, slots=True)
class AdviceGiver:
    """Gives advice each turn, whatever was said; never asks, never reflects."""

    name: str = "advice"

    async def respond(self, session: Session) -> Turn:
        """The next piece of advice, in an order drawn by the session's seed."""
        return next_line(session, _ADVICE)
