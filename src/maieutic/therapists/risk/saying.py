"""A turn of the protocol whole: what it takes up of the session, and its words."""

from __future__ import annotations

from dataclasses import dataclass

from maieutic.domain.episode import Ending, Session
from maieutic.language.sentences import sentences, words
from maieutic.safety.kinds import Kind, kind_of
from maieutic.therapists.risk.after_stop import (
    INTENDS,
    NEAR,
    TAKES_UP,
    TELLS,
    VAGUE,
    WATCHED,
    does,
    is_near,
    quotable,
    tells_feeling,
)
from maieutic.therapists.risk.answers import read_answer
from maieutic.therapists.risk.grades import GRAVE, OPENING, Ask, Facet, Grade, RiskState
from maieutic.therapists.risk.placing import Question, asking
from maieutic.therapists.risk.returning import led_back
from maieutic.therapists.risk.safety_answers import agreed
from maieutic.therapists.risk.signs import Signs, violent
from maieutic.therapists.risk.wording import given, lines, picked, taken_up, told_before, worded

MAX_STAYS = 12
"""Turns that are stayed after the stop where nobody is reached: to take leave before the time is over would leave them
alone."""
HELPS = frozenset({TAKES_UP, NEAR, "person"})
"""What is held on to on the way back: somebody was named, or a step."""
WORTH_FOLLOWING = 5
"""Words of a sentence that is followed after the assessment at least."""
NOT_CALLED_IN = frozenset({Kind.VIOLENCE, Kind.OTHERS})
"""Kinds of danger in which whoever is near may be who it is about."""
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
        question: The question for everybody in its parts, where it is that; its lead may be worded anew.
        leads_back: It goes back to what was being told, in words of that.
    """

    ask: Ask
    text: str
    reason: str
    grade: Grade
    ending: Ending | None = None
    waits: bool = False
    question: Question | None = None
    leads_back: bool = False


def said(
    found: tuple[Ask, str],
    state: RiskState,
    signs: Signs,
    session: Session,
    kind: Kind | None = None,
    *,
    last_turn: bool = False,
) -> RiskTurn:
    """What was found to be asked, in words for the session; `kind` is the danger that it speaks of."""
    ask, reason = found
    own = [turn.text for turn in session.by("therapist")]
    last = session.by("patient")[-1].text
    if ask is Ask.STAY:
        return _staying(state, reason, last, session, last_turn=last_turn)
    rng = session.generator("risk")
    if ask is Ask.MORE:
        what, quote = _done(last, session)
        key = f"{ask.value}_{what}"
        key = f"{key}_other" if not state.told and f"{key}_other" in lines() else key
        return RiskTurn(ask, taken_up(key, quote, own, rng), reason, state.grade)
    quote = quoted(ask, state, signs, last)
    if ask is Ask.FOLLOW and (does(last)[0] == VAGUE or not any(map(quotable, sentences(last)))):
        return RiskTurn(ask, taken_up("risk_follow_vague", "", own, rng), reason, state.grade)
    bare = ask is Ask.SIGN and not quote and not state.times(*OPENING)
    if ask in (Ask.ROUTINE, Ask.FAINT) or bare:
        question = asking([turn.text for turn in session.by("patient")], own, rng, sign=ask is not Ask.ROUTINE)
        routine = question if ask is Ask.ROUTINE else None
        return RiskTurn(ask, question.text, reason, state.grade, question=routine)
    if ask is Ask.AGAIN and (signs.strong or signs.flagged):
        text = picked("risk_doubt_told", own, rng)
    else:
        text = worded(ask, state, quote, own, rng, kind)
    after_no = ask is Ask.THANKS or (ask is Ask.RETURN and state.last is Ask.CHANGED)
    if after_no and (back := led_back(session, rng)):
        return RiskTurn(ask, back, reason, state.grade, leads_back=True)
    if ask is Ask.RETURN and state.last is not Ask.CHANGED and not quote and (told := does(last)[1]):
        text = picked("risk_return_told", own, rng).format(quote=told.strip(' "“”.'))
    ending = Ending("completed", "the planned session is over") if ask is Ask.LAST else None
    return RiskTurn(ask, text, reason, state.grade, ending)


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
    if ask is Ask.FOLLOW:
        quote = told_before(last)
        return quote if len(words(quote)) >= WORTH_FOLLOWING and quotable(quote) and does(quote)[1] else ""
    if ask in (Ask.HELP, Ask.LAST):
        return state.quote or signs.quote
    return heard.quote if quotable(heard.quote) else ""


def _done(last: str, session: Session) -> tuple[str, str]:
    """What was done with the stop, or with the question whom to turn to, and the words for it.

    Whoever is in no danger from somebody is never told to do nothing that could be noticed, and whoever is, is not
    asked to call in who is near.
    """
    what, quote = does(last)
    if (what == WATCHED and not _controlled(session)) or (what == NEAR and not _may_call_in(session)):
        return TELLS, ""
    return what, quote if what != TELLS or tells_feeling(quote) else ""


def _controlled(session: Session) -> bool:
    """The danger that words were said for, or one told since, is violence or control."""
    own = [turn.text for turn in session.by("therapist")]
    helped = any(form in text for form in lines()["risk_resources_violence"] for text in own)
    of_late = session.by("patient")[-CONTROLLED_OF_LATE:]
    return helped or given(own) is Kind.VIOLENCE or any(violent(turn.text) for turn in of_late)


def _may_call_in(session: Session) -> bool:
    own = [turn.text for turn in session.by("therapist")]
    return given(own) not in NOT_CALLED_IN and not any(violent(turn.text) for turn in session.by("patient"))


def _staying(state: RiskState, reason: str, last: str, session: Session, *, last_turn: bool) -> RiskTurn:
    """Staying until the hand-over is acknowledged; no model has a say in it."""
    what, quote = _done(last, session)
    if Facet.INTENT in read_answer(last, None).yes:
        what, quote = INTENDS, ""
    # Without a plain yes it is asked whether somebody is there: to take leave of one who has reached nobody would be
    # worse.
    turns = session.by("therapist")
    confirms = (*lines()["stay_confirm"], *lines()["stay_confirm_violence"])
    done = what == TAKES_UP and (agreed(last) or turns[-1].text in confirms)
    over = done or last_turn or state.times(Ask.STAY) >= MAX_STAYS
    ending = Ending("handed_over", "active danger; the fixed hand-over was given") if over else None
    own = [turn.text for turn in turns]
    asked_in = any(form in text for form in lines()["stay_near"] for text in own)
    if (
        what != TAKES_UP
        and not asked_in
        and _may_call_in(session)
        and any(is_near(t.text) for t in session.by("patient"))
    ):
        what, quote = NEAR, ""
    key = "stay_taken" if done else "stay_over" if over else "stay_confirm" if what == TAKES_UP else f"stay_{what}"
    key = f"{key}_{given(own)}" if f"{key}_{given(own)}" in lines() else key
    text = taken_up(key, quote, own, session.generator("risk"))
    first = lines().get(f"stay_first_{given(own)}", ("",))[0] if over else ""
    return RiskTurn(Ask.STAY, f"{first} {text}".strip(), reason, state.grade, ending)
