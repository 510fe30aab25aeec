"""Examples of a next turn in general words, by the kind of turn that they are an example of; what is asked of danger
apart."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from maieutic.domain.state import Act

DANGER: Final = "stay with the danger before anything else"
SAFETY: Final = "ask about safety in plain words"
ASKED_AGAIN: Final = "ask once more gently, and leave the door open"
ONE_QUESTION: Final = "keep one of your questions and wait"
FOLLOW: Final = "go with what came, and ask how it belongs"
BEGAN: Final = "go back to what they began with"
STAY: Final = "stay with what was just said"
MOMENT: Final = "stay with what was told"
LIFE: Final = "ask what they took from it"
INNER: Final = "stay with the feeling"
BEHIND: Final = "ask what goes with the feeling"
HARDEST: Final = "ask what is hardest about it"
CARRY: Final = "stay with the thought"
VIEW: Final = "ask what they make of that themselves"
WISHED: Final = "make the wish clearer"
TOOK: Final = "ask what it meant to them"
GO_ON: Final = "let them say where to go on"
UNCLEAR: Final = "own that it was unclear, and hand it back"
LEFT: Final = "begin next time with how this ended"
FEELING: Final = "ask for the feeling"
THOUGHT: Final = "ask for the thought"
CLOSER: Final = "look closer at the thought"
BESIDE: Final = "set it beside the thought"
HELP: Final = "ask what would help from here"
CHOOSE: Final = "say that you noticed, and let them choose"
MISSED: Final = "ask what you have not understood yet"
PURPOSE: Final = "keep the plan, and ask first what it is for"
OWN: Final = "own it briefly and hand the talk back"
GUESS: Final = "offer the feeling as a guess"
OPEN: Final = "open the question"
EARLY: Final = "ask what lies behind the thought before you question it"

INSTEAD: Final[Mapping[str, str]] = {
    "telling_off": "ask what made it hard before you judge it",
    "interpreting": "ask what they make of it, or offer yours as a guess",
    "minimising": "give it its weight first",
    "arguing": "ask how they come to see it so",
    "advice": "ask before you advise",
    "comfort": "give it its weight first",
    "reassurance": "let it be heard before you comfort",
    "leading_question": "ask it without the answer in it",
    "self_disclosure": "turn back to them",
    "telling instead of asking": "ask what they make of it",
    "information": "ask what they know or make of it first",
    "applause": "say what you saw them do, or ask how they did it",
}
"""By what a sentence does (`moves.KINDS`), what to try in its place."""
AFTER: Final[Mapping[Act, str]] = {
    Act.CONVICTION: "ask what stands behind the number",
    Act.WARMED: GO_ON,
    Act.CONFIRM: "ask for their own view of it",
    Act.UNMOVED: "ask what keeps the thought so strong",
    Act.CONCEDE: "ask what that changes",
    Act.INSIGHT: "ask for a small trial",
    Act.PLAN: "make the plan small and clear",
    Act.NOT_KNOWING: "let it rest, and take it smaller",
    Act.ASK_BACK: "say what made you ask, then ask it again",
    Act.BESIDE: "say what made you ask, then ask it again",
    Act.NOT_UNDERSTOOD: "say what made you ask, then ask it again",
    Act.CORRECT: "take the correction up",
    Act.TANGENT: BEGAN,
    Act.NO_MORE: "let it rest, and let them say where to go on",
    Act.AGAIN: "let it rest, and let them say where to go on",
    Act.DEFLECT: CHOOSE,
    Act.RESIST: MISSED,
    Act.AGREE: "ask for their own view of it",
    Act.REASSURANCE_BID: "ask what the answer would mean to them",
}
"""By what the patient did, what to try next."""
EXAMPLES: Final[Mapping[str, tuple[str, ...]]] = {
    INSTEAD["telling_off"]: (
        "What made that so hard?",
        "What was going on for you then?",
        "How do you see that yourself?",
    ),
    INSTEAD["interpreting"]: (
        "What do you make of that yourself?",
        "I have an idea about that, but first: how do you understand it?",
        "What comes to mind when you hear yourself say that?",
    ),
    INSTEAD["minimising"]: (
        "What is the heaviest part of that?",
        "I can hear that this matters. What is it like for you?",
        "I don't want to pass over that. What does it do to you?",
    ),
    INSTEAD["reassurance"]: (
        "That is not easy to carry. What worries you most about it?",
        "I would like to stay with that. What is it like for you?",
        "What is hardest about that?",
    ),
    INSTEAD["arguing"]: (
        "What makes it look that way to you?",
        "How did you come to see it that way?",
        "What speaks most strongly for it, as you see it?",
    ),
    INSTEAD["advice"]: (
        "What would you like to be different about that?",
        "What do you think might help with that, even a little?",
        "What have you tried with that so far, and what came of it?",
    ),
    INSTEAD["leading_question"]: (
        "What do you make of it?",
        "How do you see that yourself?",
        "What was that like for you?",
    ),
    INSTEAD["self_disclosure"]: (
        "How is that for you?",
        "What was that like for you?",
        "What would you like me to understand about it?",
    ),
    INSTEAD["telling instead of asking"]: (
        "What do you make of that?",
        "How do you understand it yourself?",
        "What does that mean to you?",
    ),
    INSTEAD["information"]: (
        "What do you know about that already?",
        "How do you explain it to yourself?",
        "What do you make of it yourself?",
    ),
    INSTEAD["applause"]: (
        "How is it for you, saying that to me?",
        "What does it take to say that?",
    ),
    EARLY: (
        "What makes it feel so true to you?",
        "How did you come to read it that way?",
        "What went through your mind at that moment?",
    ),
    GUESS: (
        "I wonder whether that was more hurt or more anger. What fits?",
        "Was it something like being let down, or is that the wrong word?",
    ),
    OPEN: (
        "What was that like for you?",
        "How did that go, from the beginning?",
        "What mattered most to you in that?",
        "What did you notice in yourself?",
    ),
    OWN: (
        "I ran ahead of you there. What did I miss?",
        "That came out as if I knew better. How do you see it?",
        "I was too quick. What would you like to say about it?",
    ),
    FOLLOW: (
        "How does that belong to what we were talking about?",
        "What made you think of that just now?",
        "What is it about that which matters here?",
    ),
    BEGAN: (
        "I would like to hear more of that. What was it like?",
        "May we go back to that? What matters most to you in it?",
    ),
    CHOOSE: (
        "I notice that this is hard to talk about. What would make it easier?",
        "We can take this slowly. Where would you like to begin?",
        "We need not go there today. What would you rather look at?",
    ),
    MISSED: (
        "I may have gone too fast. What would you like me to understand?",
        "It seems I have not got it yet. What am I missing?",
        "Thank you for saying so. How is it, then, for you?",
    ),
    PURPOSE: (
        "Let us keep that plan for later. What makes it needed just now?",
        "Let us keep that. First, what would you want it to change?",
    ),
    AFTER[Act.AGREE]: (
        "You say yes, and I may have put words in your mouth. How would you say it yourself?",
        "What part of that does not quite fit?",
        "How would you put that in your own words?",
    ),
    AFTER[Act.REASSURANCE_BID]: (
        "I can hear that you long to know. What would a yes from me change for you?",
        "What makes the question so pressing just now?",
    ),
    AFTER[Act.ASK_BACK]: (
        "I ask because I would like to understand you better.",
        "Let me say that once more, and slowly.",
    ),
    UNCLEAR: (
        "I was not clear. What did you hear me say?",
        "Let me begin again. What matters most to you in this?",
    ),
    AFTER[Act.NOT_KNOWING]: (
        "That is hard to say just like that. What is the first small thing that comes?",
        "You need not know. Which part of it is easier to say?",
    ),
    AFTER[Act.NO_MORE]: (
        "We can leave that for now. What would you rather look at?",
        "That may be enough of it for today. What else should I know?",
    ),
    AFTER[Act.CORRECT]: (
        "Thank you for putting me right. How would you say it?",
        "I had that wrong. What is it, then?",
    ),
    AFTER[Act.CONVICTION]: (
        "What makes it that number and not a lower one?",
        "What would have to happen for it to be ten less?",
    ),
    AFTER[Act.UNMOVED]: (
        "What gives that so much weight?",
        "What worries you most about that?",
        "What would have to be different for that to weigh less?",
    ),
    AFTER[Act.PLAN]: (
        "When and where will you do that, and what might get in the way?",
        "What do you expect will happen, and how will you know?",
    ),
    AFTER[Act.CONCEDE]: (
        "How strongly do you believe it now, and what changed?",
        "If you look at all you told me today, how would you put it now?",
        "What do you take from this so far?",
    ),
    AFTER[Act.INSIGHT]: (
        "What could you try this week to find out?",
        "What would be a small first step to see whether it is so?",
    ),
    CLOSER: (
        "How strongly do you believe that now, from 0 to 100?",
        "If that were so, what would it say about you?",
        "What makes it feel so true?",
    ),
    HELP: (
        "If it is so: what would help you to live with it?",
        "What is yours to decide, even if the rest is not?",
        "Who could stand by you in this?",
    ),
    MOMENT: (
        "What matters most to you in that?",
        "What stays with you from that?",
        "What is it like to tell me that?",
    ),
    LIFE: (
        "What did you take from that, about yourself?",
        "Where do you meet that again today?",
        "How does that belong to what brought you here?",
    ),
    INNER: (
        "What is it like when that feeling is there?",
        "What brought it up most strongly?",
        "What does that feeling ask for?",
    ),
    BEHIND: (
        "What went through your mind when you felt that?",
        "What does that feeling say to you?",
        "What was it about that moment that made you feel so?",
    ),
    CARRY: (
        "What is it like to carry that thought?",
        "When does that come most strongly?",
        "What does it do to you when it comes?",
    ),
    HARDEST: (
        "What is the hardest part of that?",
        "What weighs most in that?",
        "What do you find yourself dreading about it?",
    ),
    VIEW: (
        "What do you make of that yourself?",
        "How much weight does that have for you?",
        "What does that change for you, if anything?",
    ),
    WISHED: (
        "What would be the first sign that you are getting there?",
        "What would be different for you then?",
        "What stands in the way of it just now?",
    ),
    TOOK: (
        "What did that mean to you?",
        "What was that like for you?",
        "What stays with you from that?",
    ),
    GO_ON: (
        "What is on your mind now?",
        "Where would it help you to go on from here?",
        "What part of this would you like to look at more closely?",
    ),
    LEFT: (
        "Last time you wanted to stop early. What should I have understood better?",
        "You ended our talk last time. How was it for you to be here?",
    ),
    THOUGHT: (
        "What went through your mind just then?",
        "What did it say to you, in that moment?",
        "What did you take it to mean about you?",
    ),
    FEELING: (
        "What did you feel when that came up?",
        "What was that like, in you?",
        "What feeling goes with that?",
    ),
    BESIDE: (
        "When you put that next to the thought, what do you notice?",
        "How does that go together with the thought?",
        "What does that say about the thought, if anything?",
    ),
    STAY: (
        "Would you tell me more about that?",
        "What does that mean to you?",
        "What matters most to you in that?",
    ),
}
"""By kind of question or turn, examples that fit any case; most can follow words of the patient that are said back
first."""
ALONE: Final = frozenset(
    {
        CHOOSE,
        OWN,
        MISSED,
        PURPOSE,
        ONE_QUESTION,
        GUESS,
        EARLY,
        HELP,
        LEFT,
        UNCLEAR,
        WISHED,
        INSTEAD["applause"],
        *(kind for act, kind in AFTER.items() if act not in (Act.UNMOVED, Act.TANGENT)),
    }
)
"""Kinds whose examples stand by themselves, without the patient's words before them."""
EXAMPLES_OF_DANGER: Final[Mapping[str, tuple[str, ...]]] = {
    SAFETY: (
        "I want to ask you something directly. Have you been thinking of ending your life?",
        "When it is at its worst, do you think of dying, or of hurting yourself?",
    ),
    DANGER: (
        "I am glad that you told me. Who is with you today, and what do you both do if it gets worse before tonight?",
        "Let us call somebody together now who can help with this. Whom shall we call?",
        "Before we speak of anything else: how is it at this moment, nearer or further than when we began?",
        "What do we write down for tonight: what you do first, whom you call, where you go?",
    ),
    ASKED_AGAIN: (
        "I ask because it matters to me. If there were such thoughts at bad times, would you tell me?",
        "When it is at its worst, do you sometimes wish not to be alive?",
    ),
}
"""By kind of next step while a danger is open, examples that fit any case."""
ASKS_OF_DANGER: Final[Mapping[str, tuple[str, ...]]] = {
    "intent": ("Thank you for telling me. How close are you to doing something, today?", "Do you mean to act on it?"),
    "plan": ("Have you thought about how you would do it?", "Is there a day or a way that you have in mind?"),
    "means": ("Is there anything at hand that you have thought of using?", "What could we put out of reach, today?"),
    "protects": ("What has kept you safe so far?", "What has held you back until now?"),
    "known": ("Who else knows about this?", "Whom could we tell about this, together?"),
}
"""Of a danger to one's own life."""
ASKS_OF_OTHER_DANGER: Final[Mapping[str, tuple[str, ...]]] = {
    "intent": (
        "Thank you for telling me. What are you afraid could happen, today?",
        "What is the worst that it has led to?",
    ),
    "protects": ("What has kept you and others safe so far?", "What helps, even a little, when it is at its worst?"),
    "known": ("Who else knows about this?", "Whom could we tell about this, together?"),
}
"""Of any other danger."""
