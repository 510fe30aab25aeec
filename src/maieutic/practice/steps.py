"""Kinds of turn that can be proposed, each with the reason why it may help, never as a ready sentence; only of danger
is the wording given."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from maieutic.domain.state import Act

DANGER: Final = "stay with the danger before anything else"
SAFETY: Final = "ask about safety in plain words"
ASKED_AGAIN: Final = "ask once more gently, and leave the door open"
ONE_OF: Final = "ask one of your questions, and wait"
FOLLOW: Final = "go with that first, by an open question"
BEGAN: Final = "go back to that, which they began with"
STAY: Final = "ask what that means to them"
MOMENT: Final = "ask what that was like for them"
LIFE: Final = "ask what they took from that, about themselves"
INNER: Final = "ask when that feeling is stronger and when it is weaker"
BEHIND: Final = "ask which thought goes with that feeling"
HARDEST: Final = "ask what weighs most in that"
CARRY: Final = "ask what they go by in that"
VIEW: Final = "ask what they make of that themselves"
MAIN: Final = "ask what of all this troubles them most"
MEASURED: Final = "ask what the number is a number of, and then what stands behind it"
UNASKED: Final = "ask one open question in plain words, and leave time for the answer"
EASE: Final = "say that it need not be answered, and let them say where to go on"
GATHER: Final = "say in a few words what you have understood so far, and ask whether it is right"
WISHED: Final = "ask by what first sign they would know that they are getting there"
TOOK: Final = "ask what that meant to them"
GO_ON: Final = "let them say where to go on"
UNCLEAR: Final = "own that it was unclear, and hand it back"
LEFT: Final = "begin next time with how this ended"
FEELING: Final = "ask what they felt there"
THOUGHT: Final = "ask what went through their mind there"
CLOSER: Final = "ask how firmly they believe that, from 0 to 100"
BESIDE: Final = "have them set that beside the thought"
HELP: Final = "ask what would help from here"
CHOOSE: Final = "say that you noticed, and let them choose"
HEARD: Final = "give back what they object to, before you ask anything"
PURPOSE: Final = "keep the plan, and ask first what it is for"
OWN: Final = "own it briefly and hand the talk back"
GUESS: Final = "offer the feeling as a guess"
EARLY: Final = "ask what lies behind the thought before you question it"
YES: Final = "ask one open question about that"
SMALLER: Final = "stay with it, and ask for the smallest part of it that they can say"
OWN_WORDS: Final = "ask how they would put it themselves"
AGAIN: Final = "say it once more, shorter and with their own words in it"
STRONGEST: Final = "let that stand, and ask what speaks most strongly for it"
PARTICULAR: Final = "ask for one particular time, and what happened"
EXCEPTION: Final = "ask about what does not quite fit the thought"
OTHERWISE: Final = "ask how else that could be seen, or how somebody else would see it"
STRENGTH: Final = "ask how firmly they believe it now, and what changed if it has moved"
WORTH: Final = "ask what it gives them to see it so, and what it costs"
SUM_UP: Final = "gather what they have found, and ask whether it is right so"
GO_ON_WITH: Final = "invite them to go on with that"
OF_WISH: Final = "ask what they would want there"
TRIAL: Final = "ask for a small step to try, and make it clear: when, where, and what might get in the way"

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
    "pressing": "ask it openly, without a verdict in it",
    "information": "ask what they know or make of it first",
    "applause": "say what you saw them do, or ask how they did it",
}
"""By what a sentence does (`moves.KINDS`), what to try in its place."""
AFTER: Final[Mapping[Act, str]] = {
    Act.CONVICTION: "ask what stands behind the number, and what changed if it has moved",
    Act.WARMED: GO_ON,
    Act.CONFIRM: YES,
    Act.UNMOVED: STRONGEST,
    Act.CONCEDE: "ask what that changes",
    Act.INSIGHT: "ask for a small trial",
    Act.PLAN: "make the plan small and clear: when, where, and what might get in the way",
    Act.NOT_KNOWING: SMALLER,
    Act.ASK_BACK: AGAIN,
    Act.BESIDE: AGAIN,
    Act.NOT_UNDERSTOOD: AGAIN,
    Act.CORRECT: "take the correction up",
    Act.TANGENT: BEGAN,
    Act.NO_MORE: "let it rest, and let them say where to go on",
    Act.AGAIN: "let it rest, and let them say where to go on",
    Act.DEFLECT: CHOOSE,
    Act.RESIST: HEARD,
    Act.AGREE: YES,
    Act.REASSURANCE_BID: "ask what the answer would mean to them",
    Act.TAKE_AWAY: GATHER,
}
"""By what the patient did, what to try next."""
WHY: Final[Mapping[str, str]] = {
    INSTEAD["telling_off"]: "blame makes people defend themselves, and a hard moment has its reasons",
    INSTEAD["interpreting"]: "what they find themselves counts more than what they are told",
    INSTEAD["minimising"]: "what has been heard in its full weight can be looked at",
    INSTEAD["reassurance"]: "a worry that is soothed before it is heard mostly comes back",
    INSTEAD["arguing"]: "the way that led to it can be followed together; against arguments it is only defended",
    INSTEAD["advice"]: "they know best what they have tried, and what they would do",
    INSTEAD["leading_question"]: "an answer that is already in the question is not theirs",
    INSTEAD["self_disclosure"]: "the time is theirs",
    INSTEAD["telling instead of asking"]: "what they find themselves counts more than what they are told",
    INSTEAD["pressing"]: "a verdict is mostly warded off; a question can be looked into together",
    INSTEAD["information"]: "what they know already is the place to begin",
    INSTEAD["applause"]: "praise that names what was done can be believed",
    EARLY: "a thought has to be understood before it can be tested",
    GUESS: "a feeling that is offered as a guess can be put right by them",
    ONE_OF: "with several, people answer the easiest or none",
    OWN: "a slip that is owned costs little, and they can go on",
    FOLLOW: "it came in place of an answer, and may tell why the question was hard",
    BEGAN: "that is what they came for",
    CHOOSE: "who may decide how near to go can come nearer",
    HEARD: "who has been heard need not push",
    PURPOSE: "a plan helps once it is known what it should change",
    GO_ON: "they are with you now, and know best what comes next",
    UNCLEAR: "they cannot answer what they did not follow",
    LEFT: "how a talk broke off is the first thing to understand",
    MOMENT: "you know what happened; what it was for them stands behind it",
    TOOK: "what a thing meant tells more about the thought than the thing itself",
    LIFE: "what has happened works on by what was concluded from it",
    INNER: "that shows what it hangs on",
    BEHIND: "a feeling mostly answers a thought",
    CARRY: "the grounds of a thought have to be known before it can be weighed",
    HARDEST: "the weightiest part is the one worth looking at together",
    VIEW: "what they make of it counts, and not what you see in it",
    MAIN: "the tale can go on for long; what troubles them most is where the work begins",
    MEASURED: "a number helps once both know what was measured",
    UNASKED: "a plain question is easier to answer than a remark",
    EASE: "an answer that is not owed comes more easily",
    GATHER: "what both have understood carries the next question",
    WISHED: "a wish becomes a goal by its first sign",
    THOUGHT: "you know what happened, and not yet what they told themselves",
    FEELING: "the feeling shows where it hurts, and leads to the thought",
    CLOSER: "then both of you can see later what has moved",
    BESIDE: "they have said it themselves; the weighing is theirs, too",
    HELP: "where the thought is true, what helps is what can be done with it",
    STAY: "it is the newest thing that they have given you",
    YES: "a yes to your words does not show yet how they would say it",
    SMALLER: "a small thing can be remembered where a large one has to be thought out",
    OWN_WORDS: "a yes to your words does not show yet what theirs would be",
    AGAIN: "a short question in their own words is easier to take up",
    STRONGEST: "a thought that has not been heard out is not weighed, only defended",
    PARTICULAR: "one real time says more than all times together",
    EXCEPTION: "what does not fit is where a thought can be tested",
    OTHERWISE: "a second way to see it has to be found before the first can be weighed against it",
    STRENGTH: "what has moved, and by what, is theirs once they have said it",
    WORTH: "a thought that costs much and gives little is easier to look at anew",
    SUM_UP: "what they found together stays when they hear it once, and can put it right",
    GO_ON_WITH: "it is the newest thing that they have given you",
    OF_WISH: "what they want gives the talk its direction",
    TRIAL: "what is small and has a day gets done, and can be looked at afterwards",
    AFTER[Act.CORRECT]: "it shows that you want to hear how it is",
    AFTER[Act.CONVICTION]: "behind the number stand their grounds",
    AFTER[Act.PLAN]: "what is small and has a day gets done, and can be looked at afterwards",
    AFTER[Act.CONCEDE]: "what has moved stays when they have said it in their own words",
    AFTER[Act.INSIGHT]: "a new view holds better once it has been tried",
    AFTER[Act.NO_MORE]: "more of the same question will bring no more just now",
    AFTER[Act.REASSURANCE_BID]: "the wish for a yes tells more than a yes would help",
}
"""By kind of turn, why it may help, as the field teaches it."""
ALONE: Final = frozenset(
    {
        CHOOSE,
        OWN,
        PURPOSE,
        ONE_OF,
        GUESS,
        EARLY,
        HELP,
        LEFT,
        UNCLEAR,
        AGAIN,
        GO_ON,
        SMALLER,
        OWN_WORDS,
        MEASURED,
        UNASKED,
        EASE,
        GATHER,
        MAIN,
        SUM_UP,
        TRIAL,
        AFTER[Act.CORRECT],
        AFTER[Act.CONVICTION],
        AFTER[Act.PLAN],
        AFTER[Act.INSIGHT],
        AFTER[Act.NO_MORE],
        AFTER[Act.REASSURANCE_BID],
        *(
            kind
            for what, kind in INSTEAD.items()
            if what in ("applause", "leading_question", "pressing", "telling_off")
        ),
    }
)
"""Kinds that are told without words of the patient to go on from."""
OF_READING: Final[Mapping[str, str]] = {
    "safety": SAFETY,
    "repair": OWN,
    "leave_free": CHOOSE,
    "clear_up": AGAIN,
    "moment": PARTICULAR,
    "feeling": FEELING,
    "thought": THOUGHT,
    "meaning": STAY,
    "grounds": CARRY,
    "exception": EXCEPTION,
    "weigh": BESIDE,
    "view": OTHERWISE,
    "strength": STRENGTH,
    "worth": WORTH,
    "sum_up": SUM_UP,
    "wish": OF_WISH,
    "trial": TRIAL,
    "stay": GO_ON_WITH,
}
"""By what a language model reads as the next step (`prompts/trainee_turn.md`), the kind that is proposed."""
LEANS: Final = frozenset(
    {
        FOLLOW,
        BEGAN,
        STAY,
        YES,
        HEARD,
        STRONGEST,
        BESIDE,
        GO_ON_WITH,
        FEELING,
        THOUGHT,
        MOMENT,
        VIEW,
        HARDEST,
        TOOK,
        INNER,
        CARRY,
        OTHERWISE,
        WORTH,
    }
)
"""Kinds that say nothing without words of the patient to go on from."""
WORDS_OF_DANGER: Final[Mapping[str, tuple[str, ...]]] = {
    SAFETY: (
        "I want to ask you something directly. Have you been thinking of ending your life?",
        "When it is at its worst, do you think of dying, or of hurting yourself?",
    ),
    DANGER: (
        "I am glad that you told me. Who is with you today, and what do you both do if it gets worse before tonight?",
        "Who could be with you, or whom could you ring, if it gets worse? Let us settle that now.",
        "Before we speak of anything else: how is it at this moment, nearer or further than when we began?",
        "What do we write down for tonight: what you do first, whom you call, where you go?",
    ),
    ASKED_AGAIN: (
        "I ask because it matters to me. If there were such thoughts at bad times, would you tell me?",
        "When it is at its worst, do you sometimes wish not to be alive?",
    ),
}
"""By kind of next step while a danger is open, a wording that fits any case."""
WORDS_OF_OTHER_DANGER: Final[Mapping[str, tuple[str, ...]]] = {
    SAFETY: (
        "I want to ask you something directly. As things are, could you or anybody else come to harm?",
        "Is anything going on just now that could hurt you or somebody near to you?",
    ),
    ASKED_AGAIN: (
        "I ask because it matters to me. If it became too much, would you tell me?",
        "When it is at its worst, what could happen?",
    ),
}
"""The same where the danger is no wish to die."""
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
