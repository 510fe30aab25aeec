"""A turn of the protocol whole: what it takes up of the session, and its words."""

from __future__ import annotations

from dataclasses import dataclass, replace
from random import Random

from maieutic.domain.episode import Ending, Session
from maieutic.language.sentences import sentences
from maieutic.safety.kinds import Kind, kind_of
from maieutic.therapists.agent.echoing import felt_back
from maieutic.therapists.risk.after_stop import (
    AS_TOLD,
    DESPAIRING,
    HOLDS,
    INTENDS,
    LATER,
    MEANS,
    NEAR,
    PERSON,
    TAKES_UP,
    TELLS,
    VAGUE,
    WATCHED,
    despair,
    despairing,
    does,
    is_near,
    quotable,
)
from maieutic.therapists.risk.answers import preparing, read_answer
from maieutic.therapists.risk.bridges import somebody
from maieutic.therapists.risk.grades import ASSESSING, GRAVE, OPENING, Ask, Facet, Grade, RiskState
from maieutic.therapists.risk.meanings import Meaning, meaning_of
from maieutic.therapists.risk.placing import asking, led_in, painful
from maieutic.therapists.risk.returning import led_back
from maieutic.therapists.risk.safety_answers import affirms, agreed
from maieutic.therapists.risk.signs import Signs, violent
from maieutic.therapists.risk.taking_up import (
    NUMBER,
    WORDS,
    Done,
    asks_step,
    bare_number,
    echoed,
    led_by_echo,
    meeting,
    step_of,
    step_on,
)
from maieutic.therapists.risk.wording import Line, filled, given, line_of, lines, picked, taken_up, worded

BARE_SAFETY = ("risk_safety", "risk_safety_again", "risk_safety_told", "risk_safety_after")
"""Questions about safety that take nothing up of their own."""
STEPS = 0.4
"""How surely a sentence tells of intent, plan or means from which it is given back beside the question about suicide.
*Assumption.*"""
MAX_STAYS = 12
"""Turns that are stayed after the stop where nobody is reached: to take leave before the time is over would leave them
alone."""
LED = frozenset({*ASSESSING, Ask.CHANGED})
"""Questions of which only the last sentence, which asks, is fixed where a model words what leads up to it."""
MET = frozenset({Ask.AGAIN, Ask.REPEAT, Ask.SAFETY, Ask.HELP})
"""Turns before whose words a model may take up what was told."""
UNTOLD = frozenset({VAGUE, "refuses", "sorry"})
"""What tells nothing to go on with."""
HELPS = frozenset({TAKES_UP, NEAR, PERSON})
"""What is held on to on the way back: somebody was named, or a step."""
_OF_SUICIDE = frozenset({Facet.THOUGHTS, Facet.WISH, Facet.INTENT, Facet.PLAN})
_GOOD = frozenset({LATER, HOLDS, TAKES_UP, PERSON, "warms"})
"""What is met as a step towards people, or as something to hold on to."""
_MEANT = frozenset({Facet.THOUGHTS, Facet.INTENT})
"""What is meant by suicide: told, it is no step; denied, it answers the question after a stop, where "I haven't told
anybody" denies nothing of it."""
MAX_PUT = 2
"""How often suicide is asked about in a talk with a stop, as far as the stop itself left it open; one question before
it counts as one, two as well. *Assumption.*"""
_OF_ONESELF = frozenset({Kind.SUICIDE, Kind.SELF_HARM})
TOLD_NOW = "suicide was told after a stop for another danger"
NOT_YET = "suicide was not answered before the stop for another danger; it is asked about"
UNASKED = "the stop came on signs alone; suicide is asked about"
_PUT = ("stay_suicide", "stay_suicide_psychosis", "stay_unasked")
"""Lines that ask about suicide after the stop."""
NOT_CALLED_IN = frozenset({Kind.VIOLENCE, Kind.OTHERS})
"""Kinds of danger in which whoever is near may be who it is about."""
_YES_OR_NO = frozenset({PERSON, WORDS, NUMBER, "place", "sooner", "doctor", "again"})
"""Steps that a plain yes takes up."""
CONTROLLED_OF_LATE = 3
"""Patient turns in which violence or control is looked for."""


@dataclass(frozen=True, slots=True)
class RiskTurn:
    """A whole turn of the protocol.

    Attributes:
        ask: What it does. text: Its words. reason: Why.
        grade: How grave what was told is.
        ending: Set where it ends the session.
        waits: It asks about a sign older than the latest words, which can wait one turn more for what the patient asks.
        lead: Its beginning that takes up the latest reply, which a model may word anew, or '' where that would stand
            before it; None where every word is fixed.
        leads_back: It goes back to what was being told, in words of that.
        line: Which line of the protocol it says, for the turns of which that is read later.
        meaning: What it has to do, for a model that words all of it; None where a model does not.
    """

    ask: Ask
    text: str
    reason: str
    grade: Grade
    ending: Ending | None = None
    waits: bool = False
    lead: str | None = None
    leads_back: bool = False
    line: Line | None = None
    meaning: Meaning | None = None


def said(
    found: tuple[Ask, str],
    state: RiskState,
    signs: Signs,
    session: Session,
    kind: Kind | None = None,
    *,
    last_turn: bool = False,
    before: str = "",
    besides: bool = False,
) -> RiskTurn:
    """What was found to be asked, in words for the session; `kind` is the danger that it speaks of, `before` what was
    told before suicide was spoken of as if affairs were put in order; `besides`: the reply only denies suicide."""
    ask, reason = found
    own = [turn.text for turn in session.by("therapist")]
    last = session.by("patient")[-1].text
    if ask is Ask.STAY:
        return _staying(state, reason, last, signs, session, last_turn=last_turn)
    rng = session.generator("risk")
    line: Line | None = None
    if ask is Ask.MORE:
        text, line = _more(state, last, own, session, rng)
        return RiskTurn(ask, text, reason, state.grade, lead="", line=line, meaning=meaning_of(line))
    if ask is Ask.CHANGED and (led := _changed(last, session, rng)):
        return RiskTurn(ask, led, reason, state.grade, lead=_parted(led)[0])
    if ask in (Ask.FOLLOW, Ask.RETURN) and (on := _on(ask, state, last, session, rng)):
        return RiskTurn(ask, on[0], reason, state.grade, line=on[1], meaning=meaning_of(on[1]))
    quote = quoted(ask, state, signs, last)
    if ask is Ask.FOLLOW and (does(last)[0] == VAGUE or not any(map(quotable, sentences(last)))):
        text = taken_up("risk_follow_vague", "", own, rng)
        line = Line("risk_follow_vague")
        return RiskTurn(ask, text, reason, state.grade, line=line, meaning=meaning_of(line))
    bare = ask is Ask.SIGN and not quote and not state.times(*OPENING)
    if ask in (Ask.ROUTINE, Ask.FAINT) or bare:
        question = asking(
            [turn.text for turn in session.by("patient")],
            own,
            rng,
            sign=ask is not Ask.ROUTINE,
            shown=signs.quote if _shows(signs) else "",
        )
        return RiskTurn(ask, question.text, reason, state.grade, lead=question.lead)
    if ask is Ask.AGAIN and (signs.strong or signs.flagged):
        text = picked("risk_doubt_told", own, rng)
    else:
        text = worded(ask, state, quote, own, rng, kind, besides=besides)
    if ask is Ask.HELP and state.told and _may_call_in(session) and (person := somebody(session)):
        # Somebody who was spoken of is the natural way: the list stands before it, and the question is about them.
        line = Line("risk_more_step_person", person)
        text = f"{_parted(text)[0]}{filled(line.key, own, rng, person=person)}"
    asks = text
    if ask is Ask.AGAIN or (ask is Ask.SAFETY and any(text in lines()[key] for key in BARE_SAFETY)):
        text = led_by_echo(text, last, own, rng)
    if before and ask in (Ask.INTENT, Ask.PLAN) and state.pending in OPENING:
        before_it, asks = _parted(text)
        text = f"{before_it}{filled('risk_before', own, rng, quote=before)} {asks}"
    after_no = ask is Ask.THANKS or (ask is Ask.RETURN and state.last is Ask.CHANGED)
    if after_no and (back := led_back(session, rng)):
        return RiskTurn(ask, back, reason, state.grade, leads_back=True)
    ending = Ending("completed", "the planned session is over") if ask is Ask.LAST else None
    lead = _parted(text)[0] if ask in LED else text.removesuffix(asks) if ask in MET else None
    if ask in (Ask.FOLLOW, Ask.RETURN):
        line = Line("risk_return_again" if ask is Ask.RETURN and state.last is Ask.CHANGED else ask.value)
    meaning = meaning_of(line) if line is not None and ask is not Ask.HELP else None
    return RiskTurn(ask, text, reason, state.grade, ending, lead=lead, line=line, meaning=meaning)


def _parted(text: str) -> tuple[str, str]:
    """A turn up to its question, with the space before that, and the question."""
    asks = sentences(text)[-1]
    return text[: text.rindex(asks)], asks


def _shows(signs: Signs) -> bool:
    """The sentence of a likely sign may be given back beside the question: two readings hear suicide or steps towards
    it. Anything else would be read as if it said so."""
    return signs.strong and (signs.owned or preparing(signs.quote) >= STEPS)


def quoted(ask: Ask, state: RiskState, signs: Signs, last: str) -> str:
    """The patient's own words that a turn takes up."""
    heard = read_answer(last, state.pending if state.pending is not None else Ask.ROUTINE)
    if ask in (Ask.SIGN, Ask.CHANGED) or (ask is Ask.WISH and not heard.yes & GRAVE):
        # Quoted is only what tells of suicide by itself: anything else would read a meaning into it.
        tells = read_answer(signs.quote, Ask.ROUTINE).yes & GRAVE and kind_of(signs.quote) is Kind.SUICIDE
        return signs.quote if tells and quotable(signs.quote) else ""
    if ask is Ask.AGAIN:
        return ""
    if ask is Ask.RETURN:
        what, quote = does(last)
        return quote if what in HELPS else ""
    if ask in (Ask.HELP, Ask.LAST):
        return state.quote or signs.quote
    if state.refers:
        return ""
    # A plan is given back in any case: the gravest of it must not be passed over.
    return heard.quote if heard.yes & {Facet.INTENT, Facet.PLAN} or quotable(heard.quote) else ""


def _done(last: str, session: Session) -> tuple[str, str]:
    """What was done with the stop, or with the question whom to turn to, and the words for it.

    Whoever is in no danger from somebody is never told to do nothing that could be noticed, and whoever is, is not
    asked to call in who is near.
    """
    what, quote = (TELLS, "") if bare_number(last) else does(last)
    if what in _GOOD and read_answer(last, None).yes & _MEANT:
        return TELLS, ""  # "I hope you do" to thoughts of suicide would be harm
    if (what == WATCHED and not _controlled(session)) or (what == NEAR and not _may_call_in(session)):
        return TELLS, ""
    return what, quote if what != TELLS else ""


def _more(state: RiskState, last: str, own: list[str], session: Session, rng: Random) -> tuple[str, Line]:
    """What was said of people to turn to is met; then somebody who was spoken of is asked about, or anybody; and which
    line that is."""
    what, quote = _done(last, session)
    key = f"{Ask.MORE.value}_{what}"
    person = somebody(session) if _may_call_in(session) else ""
    key = f"{key}_other" if not state.told and f"{key}_other" in lines() else key
    if key in lines() and not (person and what in (VAGUE, "refuses")):
        text = taken_up(key, quote, own, rng)
        return text, Line(key)
    met = meeting(Done(what, quote), session, rng, steps=True)
    line = Line(f"risk_more_step_{'person' if person else 'whom'}", person)
    return f"{met} {filled(line.key, own, rng, person=person)}", line


def _changed(last: str, session: Session, rng: Random) -> str:
    """Whether it has come closer, behind what was just told: a bare check would pass over it."""
    own = [turn.text for turn in session.by("therapist")]
    lead = led_in([turn.text for turn in session.by("patient")], own, rng)
    if not lead and (echo := echoed(last, own)):
        lead = filled("met_told", own, rng, echo=echo)
    key = "risk_changed_despair" if despair(last) >= DESPAIRING else "risk_changed"
    return f"{lead} {picked(key, own, rng)}" if lead else ""


def _on(ask: Ask, state: RiskState, last: str, session: Session, rng: Random) -> tuple[str, Line] | None:
    """On with what was told, in the patient's words, and which line that is; None where nothing of it can be given
    back."""
    own = [turn.text for turn in session.by("therapist")]
    what, quote = _done(last, session)
    if ask is Ask.RETURN and state.last is Ask.CHANGED:
        before = session.by("patient")[-2].text
        echo = _heaviest(before, own) or echoed(before, own)
        line = Line("risk_return_again_told")
        return (filled(line.key, own, rng, echo=echo), line) if echo else None
    wished = what in (HOLDS, PERSON, LATER) and _may_call_in(session)
    person = somebody(session, now=True, wished=True) if wished else ""
    hurts = painful(last) or despair(last) >= DESPAIRING  # a thought against oneself is nothing to hold on to
    if what in (HOLDS, LATER) and quote and not hurts and not any(quote in one for one in own):
        line = Line(f"risk_follow_bridge{'_person' if person else ''}", person)
        return filled(line.key, own, rng, quote=quote, person=person), line
    if person:
        return filled("risk_follow_person", own, rng, person=person), Line("risk_follow_person", person)
    if ask is Ask.RETURN and what in HELPS:
        return None
    if ask is Ask.RETURN and what == "nobody":
        return filled("risk_return_nobody", own, rng), Line("risk_return_nobody")
    if ask is Ask.RETURN and what in UNTOLD:
        return filled("risk_return_open", own, rng), Line("risk_return_open")
    echo = _heaviest(last, own) or ("" if what in UNTOLD else echoed(last, own))
    if not echo:
        return None
    key = "risk_return_told" if ask is Ask.RETURN else "risk_follow_felt" if felt_back(last) else "risk_follow_told"
    return filled(key, own, rng, echo=echo), Line(key)


def _heaviest(reply: str, own: list[str]) -> str:
    """What despairs in a reply, given back however short it is: "No way out" is no refusal, and the sentence behind it
    the lesser one. Empty where nothing does, a feeling is told by its word, or it was given back before."""
    sad = "" if felt_back(reply) else despairing(reply)
    return f"“{sad}.”" if sad and not any(sad in one for one in own) else ""


def _controlled(session: Session) -> bool:
    """The danger that words were said for, or one told since, is violence or control."""
    own = [turn.text for turn in session.by("therapist")]
    helped = any(form in text for form in lines()["risk_resources_violence"] for text in own)
    of_late = session.by("patient")[-CONTROLLED_OF_LATE:]
    return helped or given(own) is Kind.VIOLENCE or any(violent(turn.text) for turn in of_late)


def _may_call_in(session: Session) -> bool:
    own = [turn.text for turn in session.by("therapist")]
    return given(own) not in NOT_CALLED_IN and not any(violent(turn.text) for turn in session.by("patient"))


def _suicide_after_another(
    state: RiskState, kind: Kind | None, last: str, session: Session, rng: Random, *, free: bool
) -> RiskTurn | None:
    """The question about suicide after a stop for another danger, or for signs of suicide alone, where it was not
    answered before: from the second turn on, once more where it is not answered, and the stop for suicide after a yes.
    None where it is not due.

    Args:
        free: The reply calls for no words of its own, such as a yes to a step.
    """
    turns = session.by("therapist")
    own = [turn.text for turn in turns]
    put = [turn for turn in turns if line_of(turn, _PUT)]
    of_signs = kind is Kind.SUICIDE and not state.spoken and not _said_plainly(session)
    if put and put[-1] is turns[-1]:
        said_of = read_answer(last, Ask.SIGN)
        if said_of.yes & _OF_SUICIDE and not said_of.no & _MEANT:
            if kind is Kind.SUICIDE:
                return None
            return RiskTurn(
                Ask.HAND_OVER, worded(Ask.HAND_OVER, state, "", own, rng, Kind.SUICIDE), TOLD_NOW, state.grade
            )
        # Who says they won't do it has answered; put a third time it is an interrogation.
        if said_of.no & _MEANT or len(put) + min(1, state.times(*OPENING)) >= MAX_PUT:
            return None
    else:
        settled = state.denied or state.told or (kind in _OF_ONESELF and not of_signs)
        if put or settled or not free or not state.times(Ask.STAY):
            return None
    lead = meeting(Done(*_done(last, session)), session, rng)
    key = f"stay_suicide_{kind}"
    key = key if key in lines() else "stay_suicide"
    line, reason = (Line("stay_unasked"), UNASKED) if of_signs else (Line(key), NOT_YET)
    return RiskTurn(Ask.STAY, f"{lead} {picked(line.key, own, rng)}", reason, state.grade, lead=lead, line=line)


def _said_plainly(session: Session) -> bool:
    """Suicide was told, or steps towards it, in words that say so by themselves."""
    told = [turn.text for turn in session.by("patient")]
    return any(preparing(text) >= STEPS or read_answer(text, None).yes & _OF_SUICIDE for text in told)


def _staying(state: RiskState, reason: str, last: str, signs: Signs, session: Session, *, last_turn: bool) -> RiskTurn:
    """Staying until the hand-over is acknowledged."""
    what, quote = _done(last, session)
    if Facet.INTENT in read_answer(last, None).yes and (signs.some or signs.flagged):
        what, quote = INTENDS, ""
    turns = session.by("therapist")
    asked, yes = step_of(turns[-1]), affirms(last)
    agrees = asked in _YES_OR_NO and yes and what in (TELLS, AS_TOLD, LATER)
    if agrees:
        what, quote = TAKES_UP, ""
    # Without a plain yes it is asked whether somebody is there: to take leave of one who has reached nobody would be
    # worse.
    confirms = line_of(turns[-1], ("stay_confirm", "stay_confirm_violence"))
    done = what == TAKES_UP and ((agreed(last) and not agrees) or bool(confirms))
    over = done or last_turn or state.times(Ask.STAY) >= MAX_STAYS
    ending = Ending("handed_over", "active danger; the fixed hand-over was given") if over else None
    own = [turn.text for turn in turns]
    asked_in = any(line_of(turn, ("stay_near",)) for turn in turns)
    calls_in = _may_call_in(session)
    if what != TAKES_UP and not asked_in and calls_in and any(is_near(t.text) for t in session.by("patient")):
        what, quote = NEAR, ""
    key = "stay_taken" if done else "stay_over" if over else "stay_confirm" if what == TAKES_UP else f"stay_{what}"
    kind, rng = given(own), session.generator("risk")
    key = f"{key}_{kind}" if f"{key}_{kind}" in lines() else key
    if not over and kind not in NOT_CALLED_IN:
        asks = _suicide_after_another(state, kind, last, session, rng, free=key not in lines())
        if asks is not None:
            return replace(asks, reason=f"{reason}; {asks.reason}")
    if key in lines():
        text, line = taken_up(key, quote, own, rng), Line(key)
    else:
        now, controlled = Done(what, quote), f"stay_tells_{kind}"
        if controlled in lines():
            step, line, steps = picked(controlled, own, rng), Line(controlled), True
        else:
            step, line = step_on(now, session, rng, calls_in=calls_in)
            steps = asks_step(line)
        met = meeting(now, session, rng, steps=steps)
        text = f"{met} {step}"
    first = lines().get(f"stay_first_{kind}", ("",))[0] if over else ""
    text = f"{first} {text}".strip()
    # Leave-taking is fixed, as is what is said where somebody near is the danger, or where means are asked for.
    free = not over and kind not in NOT_CALLED_IN and what != MEANS and not signs.means
    meaning = meaning_of(line) if free else None
    return RiskTurn(Ask.STAY, text, reason, state.grade, ending, line=line, meaning=meaning)
