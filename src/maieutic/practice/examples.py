"""Examples of a next turn in general words, by the kind of turn that they are an example of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from maieutic.practice.danger import EXAMPLES_OF_DANGER

ONE_QUESTION: Final = "keep one of your questions and wait"
COME_BACK: Final = "come back to your question once"
EXAMPLES: Final[Mapping[str, tuple[str, ...]]] = {
    **EXAMPLES_OF_DANGER,
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
    "say what made you ask, then ask it again": (
        "Let me put that more simply. What I would like to understand is how it was for you.",
        "In other words: how did you see it yourself?",
    ),
    "let it rest, and take it smaller": (
        "That is hard to say just like that. What is the first small thing that comes?",
        "You need not know. Which part of it is easier to say?",
    ),
    "step back, and let them choose": (
        "We can take this slowly. What would make it easier to speak of?",
        "I may have gone too fast. What would you like me to understand?",
        "I notice that this is hard to talk about. What is it like to be asked?",
    ),
    "own the push and hand the talk back": (
        "I ran ahead of you there. What did I miss?",
        "That came out as if I knew better. How do you see it?",
        "I was too quick. What would you like to say about it?",
    ),
    "bring the talk back gently to one moment": (
        "May I take you back to what you told me before? What happened then?",
        "I would like to hear more of what you began with. How was that for you?",
    ),
    COME_BACK: ("May I come back to what I asked?",),
    "give back what they had said before you go on": (
        "That has stayed with me. Is it what weighs most?",
        "Have I understood what that was for you?",
        "I would like to stay with that. What is it like now?",
    ),
    "say what you saw them do": (
        "You told me this although it is hard to say. How is that for you?",
        "What did you do there that helped, even a little?",
    ),
    "ask what it meant to them": (
        "What did that mean to you?",
        "What was the hardest part of it?",
        "How did you take that, at the time?",
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
        "What would be the hardest part, if it were so?",
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
    "set it beside the thought": (
        "When you put that next to the thought, what do you notice?",
        "How does that go together with the thought?",
        "What does that say about the thought, if anything?",
    ),
    "stay with what was just said": (
        "Would you tell me more about that?",
        "What does that mean to you?",
        "How is it for you to say so?",
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
STAY: Final = "stay with what was just said"
BEFORE: Final = "give back what they had said before you go on"
