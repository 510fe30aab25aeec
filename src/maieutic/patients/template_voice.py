"""The mouth without a model: words what the mind decided from the case's own phrasings, in the case's style.

Turning away and short answers fit what was asked; their lines stand in `turning_away.yaml`. Any patient could say them,
so that "who was it?" is not met by "it's long ago now"; they tell nothing of a life."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any, Final

from maieutic.domain.appraisal import QuestionForm
from maieutic.domain.case import Case, Situation, Style
from maieutic.domain.episode import Session
from maieutic.domain.state import DENIED, Act, CognitiveState
from maieutic.language.sentences import content_words, sentences, unsaid, words
from maieutic.patients.dynamics import LOOSENED
from maieutic.patients.ear import main_question
from maieutic.patients.risk_talk import lines_of_risk
from maieutic.reading.yaml_text import packaged_yaml

Lines = Sequence[str]
_GROUPS: Final[Sequence[Mapping[str, Any]]] = packaged_yaml("patients", "turning_away.yaml")


def _bank(name: str) -> Mapping[QuestionForm, Lines]:
    return {QuestionForm(form): tuple(group[name]) for group in _GROUPS if name in group for form in group["forms"]}


WITHHELD: Final = _bank("withheld")
SHORT: Final = _bank("short")
DENIALS: Final = _bank("denied")
CURT: Final = _bank("curt")
OF_ANY_FORM: Final[Lines] = tuple(line for group in _GROUPS if not group["forms"] for line in group["short"])
EVERY_LINE: Final[Lines] = tuple(
    dict.fromkeys(
        line for group in _GROUPS for name in ("withheld", "short", "denied", "curt") for line in group.get(name, ())
    )
)


def withheld(form: QuestionForm | None, style: Style) -> Lines:
    """Ways to keep an answer of this form back; none where the form is not known."""
    if form is None:
        return ()
    return CURT.get(form, ()) if style == "upset" else WITHHELD.get(form, ())


def short(form: QuestionForm | None, *, denied: bool = False) -> Lines:
    """Short answers of this form that claim nothing of this life; `denied` where they may say no."""
    if form is None:
        return OF_ANY_FORM
    return (DENIALS.get(form, ()) if denied else ()) or SHORT.get(form, ())


_ECHOES = ("How do you mean, '{words}'?", "What do you mean by '{words}'?", "'{words}', how do you mean?")
LONG = 6
"""Letters from which a word that is no part of this life is asked about; short ones are mostly verbs."""
LAST = 4
"""Letters from which the last word of a question is, too."""


def asked_back(case: Case, session: Session) -> tuple[str, ...]:
    """Ways to ask what a word of the last question meant; none where all of them belong to this life.

    Words from the end of a question, torn out of its grammar, are no echo that anybody would say.
    """
    turn = session.last("therapist")
    question = main_question(turn.text) if turn else ""
    asked, own = words(question), _of_this_life(case) | _names_in(question)
    matter = [word for at, word in enumerate(asked, 1) if len(word) >= (LAST if at == len(asked) else LONG)]
    strange = [word for word in matter if word.isalpha() and content_words(word) - own]
    taken_up = max(strange, key=len, default="")
    return tuple(form.format(words=taken_up) for form in _ECHOES) if taken_up else ()


def _names_in(question: str) -> frozenset[str]:
    """Words with a capital past the first: nobody asks what a name means."""
    return frozenset(word.strip(",.?!").lower() for word in question.split()[1:] if word[:1].isupper())


def _of_this_life(case: Case) -> frozenset[str]:
    """Content words of everything that the patient can tell."""
    facts = [text for s in case.situations for e in s.evidence for text in (e.fact, *e.said, *e.topics)]
    units = [text for unit in case.memory.units for text in (unit.item, unit.said)] if case.memory else []
    return frozenset().union(*map(content_words, (*facts, *units)))


_CONVICTION = (
    "If I have to put a number on it, {n} out of a hundred.",
    "About {n}, I'd say. Out of a hundred.",
    "Right now? {n}, maybe.",
    "I'd say {n}.",
)
_GOALS = (
    "I'd like to get through one week without this going round and round.",
    "Honestly, I'd like to stop lying awake over it.",
    "To make some sense of it, I suppose.",
)
_PLANS = (
    "I could see what happens if I do it differently just once. I could write down what actually comes back.",
    "Maybe I could ask, instead of deciding the answer myself beforehand.",
    "I could try it the one time and tell you how it went.",
)
_CONFUSED = (
    "Sorry, I didn't catch that.",
    "I'm not sure I followed. What did you say?",
    "I didn't understand that, I'm afraid.",
)
_ASK_BACK = (
    "How do you mean?",
    "What do you mean by that, exactly?",
    "Can you say that another way?",
    "Which part of it do you mean?",
)
_CONFIRM = ("Yes, that's about it.", "Yes. That's how it is.", "That's right, yes.", "Yes, you could say that.")
_CORRECT = ("No, that's not quite it.", "Not quite, no.", "I wouldn't say that, no.")
_NO_MORE = (
    "That's all there is, really.",
    "No, nothing else that I can think of.",
    "There isn't more to it, as far as I know.",
    "I've told you what I know of that.",
)
_MEANT = ("What I mean is this.", "Put plainly:", "I mean it just as I say it.", "In other words:", "I mean:")
"""Before the shorter words for what was just told, where somebody asks what was meant."""
_NOTHING_MEANT = (
    "I mean that I can't get further than that just now.",
    "Only what I said. I don't have better words for it.",
    "I can't put it any other way yet.",
    "Just that. There's nothing clever behind it.",
)
_BESIDE = (
    "Sorry, I went off somewhere else. What was it you wanted to know?",
    "You're right, that wasn't what you asked. Ask me again?",
    "I lost the thread there. What was the question?",
    "I ended up somewhere else, didn't I. Say it once more, please.",
    "I wasn't answering you, I know. What did you ask?",
)
_STAYS = ("What stays with me is this.", "I think I'll take this with me.", "This I'd like to hold on to.")
"""Before what loosened the thought, where somebody asks what is taken away."""
_TOLD_ALOUD = (
    "That I've said it out loud, mostly.",
    "That I've told you this at all.",
    "I'll be thinking about what I told you.",
)
"""Before what was told in a session that has not loosened the thought."""
_UNSETTLED = (
    "What it changes, I can't say yet.",
    "I don't know what to do with it yet.",
    "I'd have to let that settle first.",
)
_NOTHING_TAKEN = (
    "That I've talked about it at all. More than that I can't say yet.",
    "I don't know yet what I take away. I'd have to sleep on it.",
    "Not much that I could name. But I've said some of it, at least.",
    "I couldn't tell you yet. It's all still going round.",
)
_AS_SAID = (
    "As I said:",
    "I can only say it again:",
    "It's what I told you before:",
    "Once more, then:",
    "I keep coming back to it:",
)
SHORT_AGAIN: Final = 6
"""Words up to which the beginning of what was said is said again. *Assumption.*"""
_SAID_ALL = (
    "I've no other words for it than those I had.",
    "I'd only be saying the same again.",
    "That's what I told you already, more or less.",
    "It's still what it was when I said it before.",
    "I've said that as well as I can.",
)
"""What stands in for words that would have to be said a second time."""
_LEAVING = (
    "I think I'd like to stop here for today.",
    "I'm going to leave it there. This isn't helping me.",
    "Let's stop. I've had enough for today.",
)
_SAFE = (
    "No, nothing like that. I don't think about ending things.",
    "No. It's hard, but I'm not thinking of hurting myself.",
)
_OF_RISK = (Act.RISK_HINT, Act.RISK_DISCLOSURE, Act.RISK_ANSWER)
_IN_FULL = frozenset(
    {
        *_OF_RISK,
        Act.RISK_DENIAL,
        Act.CONVICTION,
        Act.EVIDENCE,
        Act.RESULT,
        Act.PLAN,
        Act.REASSURANCE_BID,
        Act.LEAVE,
        Act.NOT_UNDERSTOOD,
    }
)
"""Acts whose words are never shortened: danger, its denial, a number, a fact that is told, and acts that are no
telling, which "I'd only be saying the same" would not carry out."""
_TELLING = frozenset({Act.DETAIL, Act.BACKGROUND, Act.EVIDENCE})
_OF_ONESELF = frozenset({Act.FEELING, Act.THOUGHT})
_SHORT = frozenset({Act.DEFLECT, Act.NOT_KNOWING, Act.RESIST})
_ANY = _TELLING | _OF_ONESELF | _SHORT
_BEFORE: Mapping[str, Mapping[str, frozenset[Act]]] = {
    "upset": {"Look.": _ANY, "Fine.": _TELLING | _OF_ONESELF, "What do you want me to say?": _SHORT | _OF_ONESELF},
    "verbose": {
        "Well, where do I start.": _TELLING,
        "It's a long story, but.": _TELLING,
        "You have to know how it was.": _TELLING,
        "So, the way it went.": _TELLING,
    },
    "reserved": {"Hm.": _ANY, "Well.": _ANY, "I suppose.": _OF_ONESELF},
    "tangent": {"Now, let me think.": _TELLING, "Oh, well.": _ANY},
    "pleasing": {"Well.": _ANY, "Oh, sure.": _TELLING},
}
"""A style's lead-ins with the acts before which each is true; an answer unit has its own voice, and a denial must stay
one."""
_AFTER: Mapping[str, Mapping[str, frozenset[Act]]] = {
    "upset": {"But what's the use of going over it.": _TELLING},
    "pleasing": {"I hope that's what you meant.": _TELLING},
}
"""A style's tails; each is said once in a session, where something was told to somebody who asked."""


def say(case: Case, situation: Situation, session: Session, state: CognitiveState, rng: Random) -> str:
    """Word the decided intent. Nothing is said twice in the same words within a session while other words are left."""
    used = {text for turn in session.by("patient") for text in (turn.text, (turn.trace or {}).get("decided", ""))}
    own = _to_the_question(case, session, state)
    return _styled(case, _choose(case, situation, state, used, rng, own), state, used, rng)


def _to_the_question(case: Case, session: Session, state: CognitiveState) -> Sequence[str]:
    """Words for the question itself, where no answer is given."""
    intent = state.intent
    if intent.act is Act.ASK_BACK:
        return asked_back(case, session)
    if intent.act is Act.DEFLECT:
        return withheld(intent.form, case.style)
    return short(intent.form, denied=intent.about == DENIED) if intent.act is Act.NOT_KNOWING else ()


def worded_as(case: Case, situation: Situation, state: CognitiveState, text: str) -> Act:
    """The act whose words an answer has: the one decided, or one that tells no more, where its own were used up."""
    act, banks = state.intent.act, _banks(case, situation)
    if any(line in text for line in (*_wordings(case, situation, state), *banks.get(act, ()))):
        return act
    return next((near for near in _NEXT.get(act, ()) if any(line in text for line in banks[near])), act)


def every_line(case: Case) -> frozenset[str]:
    """All that a patient says in these words, as it stands and in the style's lead-ins and tails, but for signs of
    risk."""
    plain: set[str] = {form.format(n=number) for form in _CONVICTION for number in (50, 80)} | set(EVERY_LINE)
    plain.update((*_NOTHING_MEANT, *_NOTHING_TAKEN, *_SAID_ALL))
    for situation in case.situations:
        own = _banks(case, situation)
        plain.update(line for act, lines in own.items() if act not in _OF_RISK for line in lines)
        plain.update(line for fact in situation.evidence for line in fact.said)
    if case.memory:
        plain.update(line for unit in case.memory.units for line in (unit.said, unit.again, unit.moved) if line)
        plain.update(line for fact in case.memory.facts for line in (fact.again, fact.unmoved, fact.moved))
    before, after = tuple(_BEFORE.get(case.style, ("",))), tuple(_AFTER.get(case.style, ("",)))
    styled = {
        f"{before[n % len(before)]} {line} {after[n % len(after)]}".strip() for n, line in enumerate(sorted(plain))
    }
    return frozenset(plain | styled)


def _wordings(case: Case, situation: Situation, state: CognitiveState) -> Sequence[str]:
    """The words that fit the intent best, before those that any patient could say in its place."""
    intent, memory = state.intent, case.memory
    if intent.act is Act.CONVICTION:
        return tuple(form.format(n=round(state.stated / 5.0) * 5) for form in _CONVICTION)
    if intent.act is Act.RISK_ANSWER:
        return lines_of_risk(case.risk.level, str(intent.about))
    if intent.act is Act.EVIDENCE:
        return situation.fact(str(intent.evidence)).said
    if memory and intent.unit:
        unit = memory.unit(intent.unit)
        if intent.act is Act.AGAIN:
            return (unit.again,)
        if intent.act is Act.MEANT:
            return tuple(f"{mark} {unit.again}" for mark in _MEANT)
        loose = state.held <= situation.conviction - LOOSENED
        answer = unit.moved if unit.moved and loose else unit.said
        if intent.act is Act.ANSWER and intent.evidence:
            return tuple(f"{answer} {fact}" for fact in situation.fact(intent.evidence).said)
        return (answer,)
    talk = memory.fact(intent.evidence) if memory and intent.evidence else None
    if talk is None:
        return ()
    return {
        Act.AGAIN: (talk.again,),
        Act.MEANT: tuple(f"{mark} {talk.again}" for mark in _MEANT),
        Act.TAKE_AWAY: _carried(talk.again, changed=state.held <= situation.conviction - LOOSENED),
        Act.UNMOVED: (talk.unmoved,),
        Act.CONCEDE: (talk.moved,),
        Act.TAKEN_UP: (talk.moved,),
    }.get(intent.act, ())


def _carried(line: str, *, changed: bool) -> Sequence[str]:
    """What is taken away, with a change claimed only where there is one."""
    if changed:
        return tuple(f"{mark} {line}" for mark in _STAYS)
    return tuple(f"{mark} {line} {end}" for mark, end in zip(_TOLD_ALOUD, _UNSETTLED, strict=True))


def _banks(case: Case, situation: Situation) -> Mapping[Act, Sequence[str]]:
    phrasings, here = case.phrasings, situation.id
    gap, compulsion = situation.knowledge_gap, situation.compulsion
    talk = case.memory.talk if case.memory else None
    return {
        Act.OPEN: phrasings.opening[here],
        Act.DETAIL: phrasings.details[here],
        Act.BACKGROUND: phrasings.background,
        Act.THOUGHT: phrasings.thought[here],
        Act.FEELING: phrasings.feeling[here],
        Act.GOAL: phrasings.hopes or _GOALS,
        Act.CONCEDE: phrasings.conceding[here],
        Act.UNMOVED: phrasings.unmoved[here],
        Act.INSIGHT: phrasings.insight[here],
        Act.PLAN: situation.experiment.plan if situation.experiment else _PLANS,
        Act.RESULT: situation.experiment.said if situation.experiment else phrasings.not_knowing,
        Act.GAP: gap.before if gap else phrasings.not_knowing,
        Act.INFORMED: gap.after if gap else phrasings.not_knowing,
        Act.REASSURANCE_BID: compulsion.bids if compulsion else phrasings.details[here],
        Act.DEFLECT: phrasings.deflecting,
        Act.RESIST: phrasings.resisting,
        Act.WARMED: phrasings.warmed,
        Act.AGREE: phrasings.agreeing,
        Act.NOT_KNOWING: (*phrasings.not_knowing, *(talk.dont_know if talk else ())),
        Act.ASK_BACK: talk.ask_back if talk else _ASK_BACK,
        Act.CONFIRM: talk.confirm if talk else _CONFIRM,
        Act.CORRECT: talk.correct if talk else _CORRECT,
        Act.NO_MORE: talk.no_more if talk else _NO_MORE,
        Act.AGAIN: talk.no_more if talk else _NO_MORE,
        Act.TAKEN_UP: phrasings.conceding[here],
        Act.MEANT: _NOTHING_MEANT,
        Act.BESIDE: _BESIDE,
        Act.TAKE_AWAY: _NOTHING_TAKEN,
        Act.TANGENT: phrasings.tangents,
        Act.RISK_HINT: case.risk.hints or phrasings.deflecting,
        Act.RISK_DISCLOSURE: case.risk.disclosures or phrasings.deflecting,
        Act.RISK_ANSWER: case.risk.disclosures or phrasings.deflecting,
        Act.RISK_DENIAL: case.risk.denials or _SAFE,
        Act.NOT_UNDERSTOOD: _CONFUSED,
        Act.LEAVE: _LEAVING,
    }


_NEXT: Mapping[Act, tuple[Act, ...]] = {
    Act.DETAIL: (Act.BACKGROUND, Act.NO_MORE),
    Act.BACKGROUND: (Act.DETAIL, Act.NO_MORE),
    Act.DEFLECT: (Act.NOT_KNOWING, Act.ASK_BACK),
    Act.NOT_KNOWING: (Act.DEFLECT, Act.NO_MORE),
    Act.NO_MORE: (Act.NOT_KNOWING, Act.DEFLECT),
    Act.ASK_BACK: (Act.NOT_KNOWING, Act.DEFLECT),
    Act.WARMED: (Act.CONFIRM, Act.DETAIL),
    Act.CONFIRM: (Act.WARMED, Act.AGREE),
    Act.CORRECT: (Act.ASK_BACK,),
    Act.RESIST: (Act.DEFLECT,),
    Act.AGREE: (Act.CONFIRM, Act.WARMED),
    Act.CONCEDE: (Act.CONFIRM, Act.AGREE),
    Act.UNMOVED: (Act.NOT_KNOWING, Act.DEFLECT),
    Act.MEANT: (Act.NO_MORE,),
    Act.BESIDE: (Act.ASK_BACK,),
    Act.TAKE_AWAY: (Act.NOT_KNOWING,),
    Act.TANGENT: (Act.DEFLECT,),
}
"""Where a patient takes words from when all of an act's own are used up: acts that tell no more than it does."""


def _choose(
    case: Case, situation: Situation, state: CognitiveState, used: set[str], rng: Random, own: Sequence[str]
) -> str:
    """Words for the intent: `own`, those that fit it best, those of its act, and those of acts that tell no more."""
    intent, banks = state.intent, _banks(case, situation)
    act = intent.act
    ranks = [own, _wordings(case, situation, state), banks.get(act, ()), *(banks[near] for near in _NEXT.get(act, ()))]
    for wordings in ranks:
        fresh = unsaid(wordings, used)
        if fresh:
            return rng.choice(fresh)
    if act in _IN_FULL or (act is Act.ANSWER and intent.evidence):
        return _said_again(next(wordings for wordings in ranks if wordings), used, rng, whole=True)
    return _said_again([line for wordings in ranks for line in wordings], used, rng, whole=False)


def _said_again(lines: Sequence[str], used: set[str], rng: Random, *, whole: bool) -> str:
    """A second mention where all words were said: shorter, and said as such; what must be clear is said in full."""
    first = dict.fromkeys(sentences(line)[0] for line in lines)
    brief = [] if whole else [begun for begun in first if len(words(begun)) <= SHORT_AGAIN]
    ranks = [[f"{mark} {line}" for mark in _AS_SAID for line in some] for some in (brief, lines)]
    if not whole:
        ranks.insert(1, list(_SAID_ALL))
    for wordings in ranks:
        if fresh := unsaid(wordings, used):
            return rng.choice(fresh)
    return rng.choice(ranks[-1])


def _styled(case: Case, text: str, state: CognitiveState, used: set[str], rng: Random) -> str:
    """Add the style's lead-in or tail in some turns, fewer as trust grows (PATIENT-Ψ: in style in some turns); each
    once."""
    before, after = (
        unsaid([line for line, acts in lines.get(case.style, {}).items() if state.intent.act in acts], used)
        for lines in (_BEFORE, _AFTER)
    )
    strength = 0.55 - 0.4 * state.openness
    if before and rng.random() < strength:
        text = f"{rng.choice(before)} {text}"
    if after and rng.random() < 0.4 * strength:
        text = f"{text} {rng.choice(after)}"
    return text
