"""The protocol in a session: where it stands after all that was said, what it does now, and in which words.

The one door for the agent: `risk_turn` before the ordinary choice of a move, `routine_turn` once that choice is known.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from maieutic.domain.episode import Ending, Session
from maieutic.language.questions import asks_about_safety
from maieutic.language.sentences import sentences, words
from maieutic.safety.kinds import FINER, Kind, another_danger, another_kind, kind_of, likeliest
from maieutic.safety.risk import assess
from maieutic.therapists.agent.echoing import felt_back
from maieutic.therapists.risk.after_stop import (
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
from maieutic.therapists.risk.answers import clauses, read_answer, says
from maieutic.therapists.risk.grades import ABOUT, ASSESSING, GRAVE, OPENING, Ask, Facet, Grade, RiskPolicy, RiskState
from maieutic.therapists.risk.other_danger import told as told_of
from maieutic.therapists.risk.placing import asking, painful
from maieutic.therapists.risk.protocol import ASKED_BY, Moment, next_ask, routine_ask, stays
from maieutic.therapists.risk.safety_answers import agreed, said_safe
from maieutic.therapists.risk.signs import (
    CERTAIN_OF_KIND,
    LIKELY_BEFORE,
    POSSIBLE,
    SURE_OF_KIND,
    Signs,
    Thresholds,
    detected,
    heard_danger,
    signs_in,
    violent,
)
from maieutic.therapists.risk.wording import ask_of, given, lines, picked, taken_up, told_before, worded
from maieutic.tracking.asked import asked
from maieutic.tracking.targets import Target

MAX_STAYS = 3
WORDS_OF_A_NO = 3
_OF_SAFETY = frozenset({"safe", "unsafe", "danger"})
INTENDS = "intends"
"""What is said to somebody who tells an intent after the stop, whatever else they do with it."""
HELD_ON_TO = frozenset({NEAR, "person"})
"""What is taken up once more although that often was stayed: somebody to turn to was named."""
WORTH_FOLLOWING = 5
"""Words of a sentence that is followed after the assessment at least."""
NOT_SETTLED = frozenset({Kind.WITHDRAWAL, Kind.EATING, Kind.MEDICAL, Kind.DRIVING, Kind.CHILD, Kind.OTHERS})
"""Kinds that "I'm fine" does not settle where active danger was told: who is in them feels it last, or another pays for
it."""
HELPS = frozenset({TAKES_UP, NEAR, "person"})
"""What is held on to on the way back: somebody was named, or a step."""
NOT_CALLED_IN = frozenset({Kind.VIOLENCE, Kind.OTHERS})
"""Kinds of danger in which whoever is near may be who it is about."""
UNLIKE_VIOLENCE = frozenset({Kind.MANIA, Kind.PSYCHOSIS, Kind.OTHERS})
"""Kinds that, told last, take the place of violence told before: the general words are said then."""
RECENT = 3
"""Patient turns that the kind of danger is looked for in, where the latest leaves it open."""
Danger = Callable[[str], tuple[float, float]]
"""(P(active danger), P(any risk)) of a text, 0–1."""


@dataclass(frozen=True, slots=True)
class RiskTurn:
    """A whole turn of the protocol.

    Attributes:
        ask: What it does. text: Its words. reason: Why.
        grade: How grave what was told is.
        ending: Set where it ends the session.
        waits: It asks about a sign older than the latest words, which can wait one turn more for what the patient asks.
    """

    ask: Ask
    text: str
    reason: str
    grade: Grade
    ending: Ending | None = None
    waits: bool = False


@dataclass(frozen=True, slots=True)
class Protocol:
    """The protocol with what it hears danger by.

    Attributes:
        danger: Grades a text.
        at: Thresholds of that.
        policy: Whether everybody is asked.
    """

    danger: Danger
    at: Thresholds
    policy: RiskPolicy = "routine"

    def risk_turn(self, session: Session, moment: Moment) -> RiskTurn | None:
        """The turn that risk asks for now, before anything else; None where it asks for none."""
        state, signs = followed(session), self._signs(session)
        last = session.last("patient")
        own = session.by("therapist")
        if state.last is Ask.SAFETY and own and last is not None:
            besides = _besides(own[-1].text, last.text)
            moment = replace(moment, safe=None if besides else said_safe(own[-1].text, last.text), besides=besides)
        earlier = [turn.text for turn in session.by("patient")][:-1]
        moment = self._with_heard(moment, session)
        if state.pending in OPENING:
            moment = replace(
                moment,
                other=self._other(earlier),
                another=self._another(earlier),
                hinted=self._hinted(earlier),
                intends=self._intended(earlier),
            )
        elif state.pending is not None:
            moment = replace(moment, other=self._other(earlier))
        if (state.finished and not state.spoken) or {Ask.AGAIN, Ask.DOOR} & set(state.asked):
            moment = replace(moment, sign=self._sign(session))
        found = next_ask(state, signs, _since(self._placed(moment, state, session), session))
        if found is None:
            return None
        older = found[0] is Ask.FAINT and (signs.weak or not (signs.some or signs.flagged or signs.possible))
        waits = older and moment.number <= ASKED_BY and moment.left > 2
        return replace(self._turn(found, state, signs, session), waits=waits)

    def routine_turn(self, session: Session, moment: Moment) -> RiskTurn | None:
        """The question for everybody, where the turn that the agent has chosen leaves room for it or must wait for
        it."""
        state, signs = followed(session), self._signs(session)
        found = routine_ask(state, signs, self._placed(moment, state, session), self.policy)
        return None if found is None else self._turn(found, state, signs, session)

    def stays(self, session: Session, moment: Moment) -> bool:
        """What was just told is a weak sign so early that one gentle question about it goes before any of risk."""
        state = followed(session)
        return stays(state, self._signs(session), self._placed(moment, state, session))

    def _placed(self, moment: Moment, state: RiskState, session: Session) -> Moment:
        """Whether this is a natural place for the question about suicide, whether a weak sign waits for it, and
        whether what was said since clears that up."""
        # What came before a question about another danger, and its answer, has been asked about.
        own = [n for n, turn in enumerate(session.turns) if turn.speaker == "therapist" and ask_of(turn) is not None]
        told = [turn.text for turn in session.turns[own[-1] + 2 if own else 0 :] if turn.speaker == "patient"]
        if not told or state.denied or state.times(*OPENING, *ASSESSING):
            return moment
        moment = replace(moment, painful=painful(told[-1]))
        first = next((n for n, text in enumerate(told[:-1][: ASKED_BY - 1]) if self._seen(text)), None)
        if first is None:
            return moment
        whole = " ".join(told[first:])
        low = self.danger(whole)[1] < self.at.doubt and not self._seen(whole)
        return replace(moment, waited=len(told) - 1 - first, clear=low and not self._faint(told[-1]))

    def _sign(self, session: Session) -> bool:
        """A sign of suicide and of no other danger, in the latest reply or the latest two together, as far back as the
        protocol last named people or asked for the first time."""
        told: list[str] = []
        for turn in session.turns:
            if turn.speaker == "patient":
                told.append(turn.text)
            elif ask_of(turn) in (Ask.HELP, Ask.ROUTINE, Ask.FAINT, Ask.SIGN):
                told = []
        return any(map(self._own_death, (told[-1], " ".join(told[-2:]))))

    def _own_death(self, text: str) -> bool:
        """A turn tells of suicide, likely enough and beside a faint sign at least, and of no other danger."""
        signs = signs_in(text, self.danger, self.at, faint=False)
        other = signs.other or signs.tells or signs.surely or signs.heard or signs.another
        return signs.faint and not other and (signs.told or signs.grave or signs.kind is Kind.SUICIDE)

    def _seen(self, text: str) -> bool:
        """A sign by any reading, in the turn or a sentence of it."""
        return any(self.danger(part)[1] >= self.at.ask or assess(part).flagged for part in (text, *sentences(text)))

    def _signs(self, session: Session) -> Signs:
        *before, last = (turn.text for turn in session.by("patient"))
        return signs_in(last, self.danger, self.at, faint=any(map(self._faint, before)))

    def _faint(self, text: str) -> bool:
        """A faint sign by any reading, in the turn or a sentence of it."""
        return any(self.danger(part)[1] >= self.at.doubt or assess(part).flagged for part in (text, *sentences(text)))

    def agreed(self, text: str) -> bool:
        """Two readings see danger in the turn or in one sentence of it."""
        parts = (text, *sentences(text))
        return any(self.danger(part)[1] >= self.at.ask and assess(part).flagged for part in parts)

    def shuts(self, session: Session) -> bool:
        """Nothing is challenged after the last words: danger of any kind is told in them, or sure, or a sign waits.

        Where suicide was denied, what only looks like a sign has been asked about, and leaves the talk free.
        """
        state = followed(session)
        if not state.denied:
            waits = self._placed(Moment(len(session.by("patient"))), state, session).waited > 0
            return waits or self.agreed(session.by("patient")[-1].text)
        signs = self._signs(session)
        seen = signs.flagged and (signs.told or signs.surely)
        return signs.sure or signs.wish or signs.active or signs.anew or signs.tells or signs.heard or seen

    def _kind(self, ask: Ask, state: RiskState, signs: Signs, session: Session) -> Kind | None:
        """The kind of danger whose words are said; the general ones stand in for those on violence where that is not
        told plainly, or something else is since."""
        found = self._likely_kind(ask, state, signs, session)
        told = [turn.text for turn in session.by("patient")]
        if found is Kind.VIOLENCE and (not any(map(violent, told)) or kind_of(told[-1]) in UNLIKE_VIOLENCE):
            return None
        return found

    def _likely_kind(self, ask: Ask, state: RiskState, signs: Signs, session: Session) -> Kind | None:
        """The kind of danger of the latest turn, else of what was told shortly before."""
        told = [turn.text for turn in session.by("patient")]
        if ask is Ask.HELP:
            return None if state.told else self._heard(told) or self._other(told)
        if ask is Ask.SAFETY:
            if (heard := self._heard(told)) is not None:
                return heard
            if signs.child and state.denied:
                return Kind.CHILD
            asked_of_risk = state.pending in ABOUT and signs.surely
            return signs.kind if signs.named or asked_of_risk else self._other(told)
        heard = self._heard(told)
        if state.last is Ask.SAFETY and _of_own_death(signs, told[-1]):
            # Whatever was asked about, the answer tells which danger it is; where somebody else may be meant to come
            # to harm, the general words name both.
            plain = kind_of(told[-1]) is Kind.SUICIDE and heard is not Kind.OTHERS
            return Kind.SUICIDE if plain else None
        if state.last is Ask.SAFETY and not signs.sure and (heard is not None or not state.told):
            # It was not suicide that was asked about: its text would answer something that nobody said.
            return heard or another_kind(told)
        found = kind_of(told[-1])
        if heard is not None and not state.told and (heard in FINER or found in (None, Kind.MEDICAL)):
            return heard
        if state.told and found in (None, Kind.SELF_HARM):
            return Kind.SUICIDE
        return (
            found
            or (signs.kind if signs.named else None)
            or self._other(told)
            or (kind_of(*told[-RECENT:]) if ask is Ask.HAND_OVER else None)
        )

    def _with_heard(self, moment: Moment, session: Session) -> Moment:
        """What of another danger was heard so far, and whether it has been asked about since."""
        is_open = plain = heard = grave = False
        for turn in session.turns:
            if turn.speaker == "therapist":
                asked_about = ask_of(turn) in (Ask.SAFETY, Ask.HAND_OVER)
                is_open, plain = is_open and not asked_about, plain and not asked_about
            elif heard_danger(turn.text, self.danger, self.at, plainly=False):
                is_open, now = True, heard_danger(turn.text, self.danger, self.at, plainly=True)
                somebody = told_of(turn.text)[0] in (Kind.VIOLENCE, Kind.CHILD)
                plain, heard = plain or now, heard or now or somebody
                grave = grave or (_unsettled(turn.text) and self._active(turn.text))
        return replace(moment, open=is_open, plain=plain, heard=heard, grave=grave)

    def _active(self, text: str) -> bool:
        """The graders hold active danger for possible in a turn, or the detector for certain."""
        parts = (text, *sentences(text))
        return any(self.danger(part)[0] >= POSSIBLE or assess(part).grade == "active" for part in parts)

    def _heard(self, told: Sequence[str]) -> Kind | None:
        """The kind of another danger that the head for it heard, the latest; None where it heard none or leaves it
        open."""
        found = (text for text in reversed(told) if heard_danger(text, self.danger, self.at, plainly=False))
        return next((kind for text in found if (kind := told_of(text)[0]) is not None), None)

    def _other(self, told: Sequence[str]) -> Kind | None:
        """Another danger than suicide that two readings name, the latest; None where there was none."""
        for text in reversed(told):
            kind, chance = likeliest(text)
            if (
                kind is not Kind.SUICIDE
                and detected(text) is kind
                and chance >= CERTAIN_OF_KIND
                and self.danger(text)[1] >= self.at.ask
            ):
                return kind
        return None

    def _another(self, told: Sequence[str]) -> bool:
        """Some danger but suicide was likely told: enough to ask about it once suicide was denied."""
        return any(another_danger(text) >= LIKELY_BEFORE for text in told)

    def _intended(self, told: Sequence[str]) -> bool:
        """An intent to die stands in an earlier turn."""
        return any(signs_in(text, self.danger, self.at, faint=False).intends for text in told)

    def _hinted(self, told: Sequence[str]) -> bool:
        """A wish to be dead or thoughts of suicide stand in an earlier turn, by two readings."""
        return any(
            self.danger(text)[1] >= self.at.ask
            and (read_answer(text, Ask.ROUTINE).yes & GRAVE or likeliest(text)[1] >= SURE_OF_KIND)
            and kind_of(text) is Kind.SUICIDE
            for text in told
        )

    def _turn(self, found: tuple[Ask, str], state: RiskState, signs: Signs, session: Session) -> RiskTurn:
        ask, reason = found
        said = [turn.text for turn in session.by("therapist")]
        last = session.by("patient")[-1].text
        if ask is Ask.STAY:
            return _staying(state, reason, last, session)
        rng = session.generator("risk")
        if ask is Ask.MORE:
            what, quote = _done(last, session)
            key = f"{ask.value}_{what}"
            key = f"{key}_other" if not state.told and f"{key}_other" in lines() else key
            return RiskTurn(ask, taken_up(key, quote, said, rng), reason, state.grade)
        kind = self._kind(ask, state, signs, session)
        quote = _quote(ask, state, signs, last)
        if ask is Ask.FOLLOW and (does(last)[0] == VAGUE or not any(map(quotable, sentences(last)))):
            return RiskTurn(ask, taken_up("risk_follow_vague", "", said, rng), reason, state.grade)
        if ask in (Ask.ROUTINE, Ask.FAINT):
            text = asking(last, said, rng)
        elif ask is Ask.AGAIN and (signs.strong or signs.flagged):
            text = picked("risk_doubt_told", said, rng)
        else:
            text = worded(ask, state, quote, _back(session), said, rng, kind)
        ending = Ending("completed", "the planned session is over") if ask is Ask.LAST else None
        return RiskTurn(ask, text, reason, state.grade, ending)


def followed(session: Session) -> RiskState:
    """Where the protocol stands after all that was said: a fold over the turns, of nothing but their words and
    steps."""
    state, previous = RiskState(), ""
    for turn in session.turns:
        if turn.speaker == "therapist":
            ask = ask_of(turn) or _strangers(turn.text, traced=turn.trace is not None)
            if ask in ASSESSING and not state.told:
                heard = read_answer(previous, Ask.ROUTINE)
                yes = state.yes | heard.yes | {Facet.WISH}
                state = replace(state, yes=yes, no=(state.no | heard.no) - yes, quote=heard.quote or state.quote)
            state = state.with_turn(ask)
        else:
            if state.pending in ABOUT:
                state = state.with_answer(read_answer(turn.text, state.pending))
            elif state.last is Ask.SAFETY:
                # "I don't think about ending things" says so, whatever was asked.
                denies = _says_none(turn.text) and not read_answer(turn.text, None).yes & GRAVE
                state = replace(state, denied=state.denied or denies)
            previous = turn.text
    return state


def _besides(question: str, answer: str) -> bool:
    """Another danger than suicide or a wound was asked about, and the answer says no to suicide and nothing more."""
    said = [(one.rpartition(": ")[2], set(words(one))) for one in sentences(answer)]
    rest = [one for one, spoken in said if not _says_none(one) or _OF_SAFETY & spoken]
    if len(rest) == len(said) or any(form in question for form in lines()["risk_safety_self_harm"]):
        return False
    told = (one for one in rest if len(words(one)) > WORDS_OF_A_NO + 1 or _OF_SAFETY & set(words(one)))
    return all(said_safe(question, one) is None for one in told)


def _of_own_death(signs: Signs, text: str) -> bool:
    """A wish to be dead, thoughts of suicide, or something decided or planned is told, and no other danger is."""
    other = signs.tells or signs.surely or signs.heard or kind_of(text) not in (None, Kind.SUICIDE, Kind.SELF_HARM)
    return (signs.told or signs.wish) and not other


def _unsettled(text: str) -> bool:
    """A danger is told that "I'm fine" does not settle; that somebody else is in it by the detector too, for what is
    only to be said to a person sounds like it to the heads."""
    kind = told_of(text)[0]
    return kind in NOT_SETTLED and (kind is not Kind.OTHERS or detected(text) is kind)


def _says_none(text: str) -> bool:
    """A whole clause denies thoughts of suicide; a bare no may mean what was asked."""
    every = (clause for sentence in sentences(text) for clause in clauses(sentence))
    return any(says(one, Facet.THOUGHTS) == "no_thoughts" for one in every if len(words(one)) > WORDS_OF_A_NO)


def explored(session: Session) -> bool:
    """Thoughts of death were told in this session; nothing is challenged then."""
    return followed(session).told


def _strangers(text: str, *, traced: bool) -> Ask | None:
    """A turn that somebody else worded: a question about suicide or about safety, or neither."""
    if traced or asked(text).target is not Target.RISK:
        return None
    return Ask.SAFETY if asks_about_safety(text) else Ask.SIGN


def _quote(ask: Ask, state: RiskState, signs: Signs, last: str) -> str:
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


def _back(session: Session) -> str:
    """The feeling that the patient told before the protocol asked, as it is given back; empty where none was."""
    told = ""
    for before, after in pairwise(session.turns):
        if (
            before.speaker == "patient"
            and after.speaker == "therapist"
            and ask_of(after) in (Ask.ROUTINE, Ask.FAINT, Ask.SIGN)
        ):
            told = before.text
    felt = felt_back(told)
    return "" if any(felt in turn.text for turn in session.by("therapist")) else felt


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
    said = [turn.text for turn in session.by("therapist")]
    helped = any(form in text for form in lines()["risk_resources_violence"] for text in said)
    return helped or given(said) is Kind.VIOLENCE or any(violent(turn.text) for turn in session.by("patient")[-RECENT:])


def _may_call_in(session: Session) -> bool:
    said = [turn.text for turn in session.by("therapist")]
    return given(said) not in NOT_CALLED_IN and not any(violent(turn.text) for turn in session.by("patient"))


def _since(moment: Moment, session: Session) -> Moment:
    own = [ask_of(turn) for turn in reversed(session.by("therapist"))]
    back = next((place for place, ask in enumerate(own) if ask is not None), 99)
    return replace(moment, since=back)


def _staying(state: RiskState, reason: str, last: str, session: Session) -> RiskTurn:
    """Staying until the hand-over is acknowledged; no model has a say in it."""
    what, quote = _done(last, session)
    if Facet.INTENT in read_answer(last, None).yes:
        what, quote = INTENDS, ""
    # Without a plain yes it is asked whether somebody is there: to take leave of one who has reached nobody would be
    # worse.
    own = session.by("therapist")
    confirms = (*lines()["stay_confirm"], *lines()["stay_confirm_violence"])
    done = what == TAKES_UP and (agreed(last) or own[-1].text in confirms)
    over = done or state.times(Ask.STAY) >= MAX_STAYS + (what in HELD_ON_TO)
    ending = Ending("handed_over", "active danger; the fixed hand-over was given") if over else None
    said = [turn.text for turn in own]
    asked_in = any(form in text for form in lines()["stay_near"] for text in said)
    if (
        what != TAKES_UP
        and not asked_in
        and _may_call_in(session)
        and any(is_near(t.text) for t in session.by("patient"))
    ):
        what, quote = NEAR, ""
    key = "stay_taken" if done else "stay_over" if over else "stay_confirm" if what == TAKES_UP else f"stay_{what}"
    key = f"{key}_{given(said)}" if f"{key}_{given(said)}" in lines() else key
    text = taken_up(key, quote, said, session.generator("risk"))
    first = lines().get(f"stay_first_{given(said)}", ("",))[0] if over else ""
    return RiskTurn(Ask.STAY, f"{first} {text}".strip(), reason, state.grade, ending)


__all__ = ["Protocol", "RiskTurn", "explored", "followed"]
