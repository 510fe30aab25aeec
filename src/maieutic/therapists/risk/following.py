"""The protocol in a session: where it stands after all that was said, and what it does now.

The one door for the agent: `Protocol.read` takes a session in once a turn; `Standing.risk_turn` goes before the
ordinary choice of a move, `Standing.routine_turn` follows once that choice is known.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from maieutic.domain.episode import Session
from maieutic.language.questions import asks_about_safety
from maieutic.language.sentences import sentences, words
from maieutic.safety.kinds import LIKELY, another_danger
from maieutic.therapists.agent.formulation import formulated_from
from maieutic.therapists.risk.after_stop import (
    AS_TOLD,
    DESPAIRING,
    HOLDS,
    INTENDS,
    LATER,
    PERSON,
    QUIET,
    VAGUE,
    despair,
    does,
)
from maieutic.therapists.risk.answers import clauses, comes_closer, read_answer, says
from maieutic.therapists.risk.graders import Danger, Graders, own_death
from maieutic.therapists.risk.grades import ABOUT, ASSESSING, GRAVE, OPENING, Answer, Ask, Facet, RiskPolicy, RiskState
from maieutic.therapists.risk.naming import kind_said
from maieutic.therapists.risk.placing import painful
from maieutic.therapists.risk.protocol import ASKED_BY, Moment, next_ask, routine_ask, stays
from maieutic.therapists.risk.safety_answers import OF_SAFETY, in_plain_words, said_safe
from maieutic.therapists.risk.saying import RiskTurn, said
from maieutic.therapists.risk.signs import Signs, Thresholds
from maieutic.therapists.risk.wording import ask_of, lines
from maieutic.tracking.asked import asked
from maieutic.tracking.targets import Target

WORDS_OF_A_NO = 3
_SPEAKS_OF_A_KIND = frozenset({Ask.HAND_OVER, Ask.SAFETY, Ask.HELP})


@dataclass(frozen=True, slots=True)
class Protocol:
    """The protocol with what it hears danger by.

    Attributes:
        danger: Grades a text.
        at: Thresholds of that.
        policy: Whether everybody is asked.
        weigh: P(any sign) of a turn by all its readings, 0–1; None: each reading counts by itself.
    """

    danger: Danger
    at: Thresholds
    policy: RiskPolicy = "routine"
    weigh: Callable[[str], float] | None = None

    def read(self, session: Session) -> Standing:
        """Where it stands after the last patient turn of a session: read once, for all that it does in a turn."""
        state = followed(session)
        # What answers a question about risk is read as an answer, and after a wish was told each reading counts.
        unasked = state.pending not in ABOUT and state.last is not Ask.SAFETY and not state.told
        by = Graders(self.danger, self.at, self.weigh if unasked else None)
        *before, last = (turn.text for turn in session.by("patient"))
        signs = by.signs(last, faint=any(map(by.faint, before)))
        return Standing(by, self.policy, session, state, signs, _place(session, state, by))


@dataclass(frozen=True, slots=True)
class Place:
    """Whether this is a natural place for the question about suicide, whether a weak sign waits for it, whether what
    was said since clears that up, and whether a plain one was held back at the opening; see `Moment`."""

    painful: bool = False
    waited: int = 0
    clear: bool = False
    held: bool = False


@dataclass(frozen=True, slots=True)
class Standing:
    """A session as the protocol reads it before one turn.

    Attributes:
        by: What it hears danger by. policy: Whether everybody is asked.
        session: What was said. state: Where the protocol stands. signs: Those of the latest words. place: For the
            question about suicide.
    """

    by: Graders
    policy: RiskPolicy
    session: Session
    state: RiskState
    signs: Signs
    place: Place

    @property
    def explored(self) -> bool:
        """Thoughts of death were told in this session; nothing is challenged then."""
        return self.state.told

    def risk_turn(self, moment: Moment) -> RiskTurn | None:
        """The turn that risk asks for now, before anything else; None where it asks for none."""
        state, signs = self.state, self.signs
        own, told = self.session.by("therapist"), self._told()
        if state.last is Ask.SAFETY and own:
            moment = self._answered(moment, [turn.text for turn in own], told[-1])
        moment = self._with_heard(moment)
        if state.pending in OPENING:
            moment = replace(
                moment,
                back=next(iter(sentences(told[-1])), "").endswith("?"),
                readied=bool(self._readied()),
                other=self.by.other(told[:-1]),
                another=self.by.another(told[:-1]),
                hinted=self.by.hinted(told[:-1]),
                intends=self.by.intended(told[:-1]),
            )
        elif state.pending is not None:
            moment = replace(moment, other=self.by.other(told[:-1]))
        if (state.finished and not state.spoken) or {Ask.AGAIN, Ask.DOOR} & set(state.asked):
            moment = replace(moment, sign=self._sign())
        if state.finished:
            what, sad = does(told[-1])[0], despair(told[-1])
            moment = replace(
                moment,
                decided=what == INTENDS and state.last in (Ask.HELP, Ask.MORE),
                despairs=sad >= DESPAIRING,
                quiet=sad <= QUIET,
                wants=what in (HOLDS, PERSON, LATER),
                hurts=painful(told[-1]) or sad >= DESPAIRING,
            )
        found = next_ask(state, signs, replace(self._placed(moment), since=_since(self.session)))
        if found is None:
            return None
        older = found[0] in (Ask.FAINT, Ask.ROUTINE) and (
            signs.weak or not (signs.some or signs.flagged or signs.possible)
        )
        waits = older and moment.number <= ASKED_BY and moment.left > 2
        return replace(self._turn(found, last_turn=moment.left <= 1, besides=moment.besides), waits=waits)

    def routine_turn(self, moment: Moment) -> RiskTurn | None:
        """The question for everybody, where the turn that the agent has chosen leaves room for it or must wait for
        it."""
        found = routine_ask(self.state, self.signs, self._placed(moment), self.policy)
        return None if found is None else self._turn(found)

    def stays(self, moment: Moment) -> bool:
        """What was just told is a weak sign so early that one gentle question about it goes before any of risk."""
        return stays(self.state, self.signs, self._placed(moment))

    def shuts(self) -> bool:
        """Nothing is challenged after the last words: danger of any kind is told in them, or sure, or a sign waits.

        Where suicide was denied, what only looks like a sign has been asked about, and leaves the talk free.
        """
        if not self.state.denied:
            return self.place.waited > 0 or self.by.agreed(self._told()[-1])
        signs = self.signs
        seen = signs.flagged and (signs.told or signs.surely)
        return signs.sure or signs.wish or signs.active or signs.anew or signs.tells or signs.heard or seen

    def _answered(self, moment: Moment, own: Sequence[str], answer: str) -> Moment:
        """What an answer says to a question about another danger. A no to suicide is none where one was plainly told;
        else it is believed."""
        question = own[-1]
        besides = _besides(question, answer)
        seen = self._with_heard(moment)
        before = self._told()[:-1]
        other = any(another_danger(one) >= LIKELY for one in sentences(answer))
        other = other or self.by.other(before) is not None or any(map(self.by.child, before))
        if besides and not (seen.heard or seen.grave or other):
            return replace(moment, safe=True)
        safe = None if besides else said_safe(question, answer)
        plainly = any(map(self.by.plainly, before))
        if safe is False and not plainly and self.state.times(Ask.SAFETY) < 2 and not in_plain_words(answer):
            safe = None  # by the head for answers alone, where nothing plain was told: it is asked once more
        reply = formulated_from(self.session).reply
        asks = bool(sentences(answer)) and all(one.endswith("?") for one in sentences(answer))
        lost = asks or (reply is not None and reply.lost)
        another = self.state.refers and any(one.another and one.strong for one in map(self.by.signs, before))
        return replace(moment, safe=safe, besides=besides, lost=lost, told=plainly, another=another)

    def _told(self) -> list[str]:
        return [turn.text for turn in self.session.by("patient")]

    def _placed(self, moment: Moment) -> Moment:
        place = self.place
        everybody = self.policy == "routine"
        return replace(
            moment,
            painful=place.painful,
            waited=place.waited,
            clear=place.clear,
            held=place.held,
            everybody=everybody,
        )

    def _sign(self) -> bool:
        """A sign of suicide and of no other danger, in the latest reply or the latest two together, as far back as the
        protocol last named people or asked for the first time."""
        told: list[str] = []
        for turn in self.session.turns:
            if turn.speaker == "patient":
                told.append(turn.text)
            elif ask_of(turn) in (Ask.HELP, Ask.ROUTINE, Ask.FAINT, Ask.SIGN):
                told = []
        return any(own_death(self.by.signs(text), text, faintly=True) for text in (told[-1], " ".join(told[-2:])))

    def _with_heard(self, moment: Moment) -> Moment:
        """What of another danger was heard so far, and whether it has been asked about since."""
        is_open = plain = heard = grave = False
        for turn in self.session.turns:
            if turn.speaker == "therapist":
                asked_about = ask_of(turn) in (Ask.SAFETY, Ask.HAND_OVER)
                is_open, plain = is_open and not asked_about, plain and not asked_about
            elif self.by.heard(turn.text, plainly=False):
                is_open, plain = True, plain or self.by.heard(turn.text, plainly=True)
                heard = heard or self.by.hurts_somebody(turn.text)
                grave = grave or self.by.unsettled(turn.text)
        return replace(moment, open=is_open, plain=plain, heard=heard, grave=grave)

    def _turn(self, found: tuple[Ask, str], *, last_turn: bool = False, besides: bool = False) -> RiskTurn:
        kind = None
        if found[0] in _SPEAKS_OF_A_KIND:
            own = [turn.text for turn in self.session.by("therapist")]
            kind = kind_said(found[0], self.state, self.signs, self._told(), own, self.by)
        before = self._readied() if found[0] in (Ask.INTENT, Ask.PLAN) else ""
        # "Glad of that" would pass over what was told beside the no.
        besides = besides and not (self.signs.another or self.signs.strong)
        return said(
            found, self.state, self.signs, self.session, kind, last_turn=last_turn, before=before, besides=besides
        )

    def _readied(self) -> str:
        """What was told, without a word for it, before the latest turn, as if affairs were put in order: a likely sign;
        empty where there is none."""
        every = map(self.by.signs, self._told()[:-1])
        return next((one.quote for one in every if one.strong and (one.readying or one.grave) and not one.spoken), "")


def _place(session: Session, state: RiskState, by: Graders) -> Place:
    # What came before a question about another danger, and its answer, has been asked about.
    own = [n for n, turn in enumerate(session.turns) if turn.speaker == "therapist" and ask_of(turn) is not None]
    told = [turn.text for turn in session.turns[own[-1] + 2 if own else 0 :] if turn.speaker == "patient"]
    if not told or state.denied or state.times(*OPENING, *ASSESSING):
        return Place()
    hurts = painful(told[-1]) or despair(told[-1]) >= DESPAIRING
    first = next((n for n, text in enumerate(told[:-1][: ASKED_BY - 1]) if by.seen(text)), None)
    if first is None:
        return Place(hurts)
    whole = " ".join(told[first:])
    low = by.danger(whole)[1] < by.at.doubt and not by.seen(whole)
    held = first == 0 and len(told) == len(session.by("patient")) == 2 and by.signs(told[0]).plain
    return Place(hurts, len(told) - 1 - first, low and not by.faint(told[-1]), held)


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
                # "I don't know, there's nothing there" is no answer to whether it has come closer.
                lost = state.pending is Ask.CHANGED and does(turn.text)[0] == VAGUE
                lost = lost and comes_closer(turn.text) not in ("closer", "no_closer")
                answer = Answer() if lost else read_answer(turn.text, state.pending)
                state = state.with_answer(replace(answer, refers=does(turn.text)[0] == AS_TOLD))
            elif state.last is Ask.SAFETY:
                # "I don't think about ending things" says so, whatever was asked.
                state = replace(state, refers=does(turn.text)[0] == AS_TOLD)
                denies = _says_none(turn.text) and not read_answer(turn.text, None).yes & GRAVE
                state = replace(state, denied=state.denied or denies)
            previous = turn.text
    return state


def _besides(question: str, answer: str) -> bool:
    """Another danger than suicide or a wound was asked about, and the answer says no to suicide and nothing more."""
    parts = [(one.rpartition(": ")[2], set(words(one))) for one in sentences(answer)]
    rest = [one for one, spoken in parts if not _says_none(one) or OF_SAFETY & spoken]
    if len(rest) == len(parts) or any(form in question for form in lines()["risk_safety_self_harm"]):
        return False
    told = (one for one in rest if len(words(one)) > WORDS_OF_A_NO + 1 or OF_SAFETY & set(words(one)))
    return all(said_safe(question, one) is None for one in told)


def _says_none(text: str) -> bool:
    """A whole clause denies thoughts of suicide; a bare no may mean what was asked."""
    every = (clause for sentence in sentences(text) for clause in clauses(sentence))
    return any(says(one, Facet.THOUGHTS) == "no_thoughts" for one in every if len(words(one)) > WORDS_OF_A_NO)


def _strangers(text: str, *, traced: bool) -> Ask | None:
    """A turn that somebody else worded: a question about suicide or about safety, or neither."""
    if traced or asked(text).target is not Target.RISK:
        return None
    return Ask.SAFETY if asks_about_safety(text) else Ask.SIGN


def _since(session: Session) -> int:
    """Therapist turns since the protocol last spoke."""
    own = [ask_of(turn) for turn in reversed(session.by("therapist"))]
    return next((place for place, ask in enumerate(own) if ask is not None), 99)


__all__ = ["Protocol", "RiskTurn", "Standing", "followed"]
