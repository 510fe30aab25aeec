"""What the protocol says next: one pure function of where it stands, what the latest words show, and the moment.

Thoughts of suicide are asked about once, plainly and as a question for everybody, or at a sign. What is told is stayed
with and talked through in order: wish, intent, plan, means, what protects, who knows. A question that was not answered
is put once more. Danger in the latest words is handed over at once; nothing older than they are is. A protocol for
simulated patients, not a clinical assessment.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from maieutic.safety.kinds import Kind
from maieutic.therapists.risk.grades import ABOUT, ASSESSING, GRAVE, OPENING, Ask, Facet, Grade, RiskPolicy, RiskState
from maieutic.therapists.risk.signs import Signs

EARLIEST: Final = 3
"""Therapist turn from which everybody is asked: not in the first two."""
LATEST: Final = 8
"""Turn from which everybody is asked although nothing painful was told, or there is little rapport. *Assumption.*"""
RAPPORT: Final = 0.45
"""Openness (0–1) that the tracker expects, from which there is rapport enough before `LATEST`. *Assumption.*"""
ASKED_BY: Final = 5
"""Turn by which a weak sign, or a faint one, is asked about although nothing painful was told."""
SOONEST: Final = 2
"""Turn from which a weak sign is asked about where something painful is told: not in reply to the very first words."""
STAYS_FIRST: Final = 3
"""Turns in which a weak sign is stayed with when it is first told: by then too little is known of anybody."""
LATER_FROM: Final = 5
"""Turns after a question that was evaded twice, after which it is put a last time."""
MAX_SIGNS: Final = 2
"""Questions that signs call for in one session; more would be a cross-examination."""
MAX_CHANGED: Final = 2
MAX_DIM: Final = 1
"""Questions whether it has changed that a faint sign alone calls for: hopelessness after a wish is asked about once."""
MAX_FOLLOWS: Final = 2
"""Turns that follow what the patient chose after the assessment, before the agent goes on. *Assumption.*"""
MAX_WANTS: Final = 4
"""The same where what holds them was named. *Assumption.*"""
MAX_REPEATS: Final = 2
"""Questions put once more in one session; more would be an interrogation."""


@dataclass(frozen=True, slots=True)
class Moment:
    """The moment of a session, as the agent sees it.

    Attributes:
        number: Of the therapist turn that comes next, 1-based. left: Turns left, that one included.
        rapport: Openness that the tracker expects, 0–1.
        telling: The patient is in the middle of a memory that speaks against the thought.
        painful: The latest reply tells something painful, the natural place for the question about suicide.
        challenging: What the agent would do next challenges, or begins the work on the thought. rating: It asks for a
            number.
        since: Therapist turns since the protocol last spoke; a large number when it never did.
        safe: What the latest turn says to a question about safety: nobody is in danger, somebody is, or neither (None).
        besides: It denies suicide, and says nothing of the danger that was asked about.
        other: Another danger than suicide that was surely told before.
        another: Some danger but suicide was likely told before, whichever; of an answer about safety, where it only
            points back.
        hinted: A wish to be dead or thoughts of suicide were told before the question about them. intends: An intent.
        open: Another danger was heard, in this turn or before, and has not been asked about since. plain: And that
            plainly.
        heard: Violence at home or a child at risk was surely told at some time. grave: A danger was heard that was
            active then, of a kind that "I'm fine" does not settle.
        waited: Turns for which a weak sign waits to be asked about. clear: What was said since clears it up.
        held: The opening held a plain sign without a word for it, which was stayed with for one turn.
        sign: The latest reply, or the latest two together, are a sign of suicide and of no other danger.
        lost: The latest turn does nothing but ask something back, or says that the question was not followed.
        told: What a question about safety was put for was told plainly, and is not only possible danger.
        decided: The answer to whom they could turn to is that it is decided.
        despairs: The latest turn says that they are a burden, have nobody, or that nothing can come. quiet: And is far
            from saying so.
        wants: It names somebody to tell, or something that holds them. hurts: It tells something painful, or
            despairs.
        back: The answer to the question about suicide begins with a question back.
        readied: Before it a likely sign was told without a word for it, as if affairs were put in order.
        everybody: Everybody is asked about suicide once: a sign that is not sure need not be asked about as one.
    """

    number: int
    left: int = 20
    rapport: float = 1.0
    telling: bool = False
    painful: bool = False
    challenging: bool = False
    rating: bool = False
    since: int = 99
    safe: bool | None = None
    besides: bool = False
    other: Kind | None = None
    another: bool = False
    hinted: bool = False
    intends: bool = False
    open: bool = False
    plain: bool = False
    heard: bool = False
    grave: bool = False
    waited: int = 0
    clear: bool = False
    held: bool = False
    sign: bool = False
    lost: bool = False
    told: bool = False
    decided: bool = False
    despairs: bool = False
    quiet: bool = False
    wants: bool = False
    hurts: bool = False
    back: bool = False
    readied: bool = False
    everybody: bool = False


ASKED_FIRST: Final = frozenset({Kind.PSYCHOSIS})
"""Dangers that no reading but a sure rule is handed over for before they were asked about: what sounds like voices or
signs in ordinary talk (letters in a bag, a nurse's sheet) is mostly neither, and the question tells them apart."""

Next = tuple[Ask, str] | None
"""What is said next, with the reason; None where the protocol leaves the turn to the agent."""


def next_ask(state: RiskState, signs: Signs, moment: Moment) -> Next:
    """What risk asks of this turn before anything else, under either policy; pure."""
    if Ask.HAND_OVER in state.asked:
        return Ask.STAY, "a hand-over was given and the work is over"
    if state.pending in ABOUT:
        return _of_an_answer(state, signs, moment)
    if signs.sure or signs.active:
        unasked = not signs.sure and signs.kind in ASKED_FIRST and not state.times(Ask.SAFETY)
        if unasked and not state.finished:
            return Ask.SAFETY, f"possible danger ({signs.kind}) is asked about plainly"
        if signs.sure or not (state.denied or state.finished):
            return Ask.HAND_OVER, f"signs of active danger ({signs.kind or 'not said'})"
        again = state.times(Ask.SAFETY) > 0
        # What was denied once is handed over on a danger that is told, not on one that is thought possible.
        told = signs.flagged or signs.tells or signs.surely or signs.heard or moment.grave
        if signs.other and not state.finished and (told or not again):
            surely = state.times(Ask.SAFETY) > 1 or signs.tells or signs.surely or moment.grave
            return (
                Ask.HAND_OVER if again and surely else Ask.SAFETY
            ), f"signs of another danger ({signs.kind}) after suicide was denied"
        if moment.plain and not state.finished and (found := _safety(state, signs, moment)):
            return found
        if state.denied and state.times(Ask.SIGN) < MAX_SIGNS:
            return Ask.SIGN, "signs of danger after suicide was denied: it is asked about once more, plainly"
    if state.last is Ask.SAFETY and moment.besides:
        return _of_no_to_suicide(state, signs, moment)
    if state.last is Ask.SAFETY:
        plainly = bool(moment.other or moment.heard or moment.grave)
        grave = signs.strong and (plainly or (signs.flagged and signs.another))
        unclear = moment.safe is None and (state.times(Ask.SAFETY) > 1 or grave)
        told = plainly or signs.tells or signs.surely or signs.heard
        if unclear and state.refers and moment.another and not told:
            return Ask.HELP, "it is as was told, which was likely another danger; people to turn to are named"
        if unclear and not told and (moment.lost or not (moment.told or signs.strong)):
            return Ask.DOOR, "nothing plain was told, and the question about safety was not answered; it stays open"
        if moment.safe is False or unclear or signs.tells or signs.surely or signs.heard:
            return Ask.HAND_OVER, "safety could not be made sure of"
        if moment.safe is None:
            return Ask.SAFETY, "the question about safety was not answered; it is put once more"
        if moment.grave:
            return Ask.HAND_OVER, "nobody feels in danger, and what was told is danger all the same"
        if (moment.other or moment.heard) and not state.told and not state.finished:
            return (
                Ask.HELP,
                f"nobody is in danger now, but one was told of ({moment.other or 'by the head for it'}); people to "
                "turn to are named",
            )
    settled = state.denied or state.finished or not state.told
    if moment.plain and not signs.wish and settled and (found := _safety(state, signs, moment)):
        return found
    if state.finished:
        return _after(state, signs, moment)
    if state.told:
        return _assessed(state, moment)
    found = _of_signs(state, signs, moment)
    if found is None and state.last is Ask.SAFETY and moment.safe:
        return Ask.THANKS, "nobody is in danger; that is believed"
    return found


def _of_no_to_suicide(state: RiskState, signs: Signs, moment: Moment) -> Next:
    """Another danger was asked about, and what came was a no to suicide: it is asked about once more, then stays
    open."""
    again = state.times(Ask.SAFETY) > 1
    if signs.tells or signs.surely or signs.heard or (again and moment.grave):
        return Ask.HAND_OVER, "safety could not be made sure of"
    if not again:
        return Ask.SAFETY, "a no to suicide is no answer about another danger; that is asked about once more"
    if (signs.likely or signs.strong) and signs.another and not state.told and not state.finished:
        return Ask.HELP, "another danger is likely in what was told beside a no to suicide; people to turn to are named"
    if (moment.other or moment.heard) and not state.told and not state.finished:
        return Ask.HELP, "another danger was told, and whether it is one now stays open; people to turn to are named"
    return Ask.THANKS, "nothing plain was told, and suicide was denied twice; that is believed"


def _safety(state: RiskState, signs: Signs, moment: Moment) -> Next:
    """Another danger is asked about once, directly; told anew after that it is handed over where it is active."""
    if not state.times(Ask.SAFETY):
        return Ask.SAFETY, "another danger was told, whatever was said of suicide; it is asked about plainly"
    if moment.grave or signs.active:
        return Ask.HAND_OVER, "another danger was told again after it had been asked about"
    return None


def routine_ask(state: RiskState, signs: Signs, moment: Moment, policy: RiskPolicy) -> Next:
    """The question that everybody is asked, where this moment is a natural place for it, or a faint sign is due;
    pure."""
    if state.denied or state.times(*OPENING, *ASSESSING, Ask.HAND_OVER):
        return None
    settled = moment.painful and not moment.telling
    due = moment.challenging or moment.rating or settled or (moment.number >= ASKED_BY and not moment.telling)
    if signs.faint and moment.number >= EARLIEST and due:
        ask = Ask.ROUTINE if policy == "routine" else Ask.FAINT
        return ask, "a sign that is not sure: the question is brought forward to here"
    if policy == "indicated" or moment.number < EARLIEST:
        return None
    if moment.challenging:
        return Ask.ROUTINE, "everybody is asked about suicide, before the work on the thought begins"
    if settled and moment.rapport >= RAPPORT:
        return (
            Ask.ROUTINE,
            "everybody is asked about suicide, right after something painful was told",
        )
    if moment.number >= LATEST and not moment.telling:
        return Ask.ROUTINE, "everybody is asked about suicide; it must not wait longer"
    return None


def _of_an_answer(state: RiskState, signs: Signs, moment: Moment) -> Next:
    """After a question of the protocol: danger first, then what was not answered, then what comes next."""
    if moment.back and state.pending in OPENING and state.fresh == {Facet.INTENT} and not (signs.sure or signs.urgent):
        return Ask.AGAIN, "a question back, in which one head alone hears an intent; it is asked once more"
    if signs.sure or state.grade is Grade.DANGER:
        return Ask.HAND_OVER, "intent, or preparation with nothing said against acting on it"
    # Who denied suicide before and now evades is asked once more first.
    denies = state.denied and (state.answered or state.last is not Ask.AGAIN)
    if moment.intends and not denies:
        return Ask.HAND_OVER, "an intent was told before the question, and is not denied"
    if signs.active and not signs.disclaims and not (state.denied and state.answered):
        return Ask.HAND_OVER, f"signs of active danger ({signs.kind or 'not said'})"
    another = signs.tells or signs.surely or signs.heard or (signs.other and signs.flagged and not state.told)
    if another and state.grade <= Grade.ACTIVE:
        if signs.active or state.times(Ask.SAFETY) or (another and signs.kind is Kind.MEDICAL and signs.flagged):
            return Ask.HAND_OVER, f"signs of active danger ({signs.kind})"
        return Ask.SAFETY, f"possible danger ({signs.kind}) is asked about plainly"
    if state.pending in OPENING and not state.told:
        if moment.open and state.denied and state.answered and (found := _safety(state, signs, moment)):
            return found
        likely = moment.open or moment.other or moment.another or signs.another or (signs.other and signs.some)
        if state.denied and state.answered and likely and not state.times(Ask.SAFETY):
            return Ask.SAFETY, "suicide was denied; another danger that was told is asked about plainly"
        if state.denied and state.answered:
            return Ask.THANKS, "thoughts of suicide were clearly denied; that is believed"
        unsaid = likely and not signs.wish and not state.fresh & GRAVE and not state.times(Ask.SAFETY)
        if unsaid and (state.last in (Ask.AGAIN, Ask.LATER) or (signs.another and signs.some)):
            return Ask.SAFETY, "another danger was told instead of an answer: safety is asked about"
        if state.last in (Ask.AGAIN, Ask.LATER) and moment.hinted and not signs.other:
            return _met(signs), "thoughts of suicide had been told before they were asked about"
        if state.last in (Ask.AGAIN, Ask.LATER) and moment.sign and state.times(Ask.SIGN) < MAX_SIGNS:
            return Ask.SIGN, "what was told instead of an answer is a sign itself; it is asked about anew"
        if (
            state.last in (Ask.AGAIN, Ask.LATER)
            and (signs.some or signs.flagged or likely)
            and not state.times(Ask.SAFETY)
        ):
            return Ask.SAFETY, "what was told instead may be another danger: safety is asked about"
        if state.last in (Ask.AGAIN, Ask.LATER):
            return Ask.DOOR, "the question was not answered twice; it stays open"
        if signs.wish or (signs.kind is Kind.SUICIDE and signs.flagged and signs.some):
            return _met(signs), "thoughts of suicide were told without a yes"
        return Ask.AGAIN, "the question about suicide was not answered; it is put once more"
    stayed = state.pending is Ask.WISH and (state.refers or (signs.some and signs.kind is Kind.SUICIDE))
    if not state.answered and not stayed:
        # Half a yes to whether it has come closer, twice, is no "no".
        wavers = state.pending is Ask.CHANGED and state.wavers
        if state.times(Ask.REPEAT) >= MAX_REPEATS:
            unsure = wavers or (state.grade >= Grade.ACTIVE and Facet.INTENT not in state.no)
            return (Ask.HAND_OVER if unsure else Ask.HELP), "what was asked was not answered several times"
        if state.last is not Ask.REPEAT and moment.left > 2:
            return Ask.REPEAT, "what was asked was not answered; it is put once more"
        if wavers or (state.pending is Ask.INTENT and state.grade >= Grade.ACTIVE):
            return Ask.HAND_OVER, "whether the thoughts will be acted on could not be found out"
        if state.pending is Ask.MEANS and Facet.PLAN in state.yes:
            return Ask.HAND_OVER, "a plan was affirmed, and how near it is could not be found out"
    return _assessed(state, moment)


def _met(signs: Signs) -> Ask:
    """What a wish to be dead is met with: with a plan, a day or arrangements beside it, intent is asked about first."""
    return Ask.INTENT if signs.prepared else Ask.WISH


def _assessed(state: RiskState, moment: Moment) -> Next:
    """The next thing to find out, or the end of the assessment."""
    if moment.left <= 1:
        return Ask.LAST, "thoughts of death were told and the time is over: people to turn to are named"
    if state.pending is not Ask.CHANGED:
        for ask in ASSESSING:
            # What was told as if affairs were put in order goes before the wish, and "I've no plan" does not settle it.
            again = ask is Ask.PLAN and moment.readied and Facet.PLAN not in state.yes
            if not state.times(ask) and (again or (_open(ask, state) and not (ask is Ask.WISH and moment.readied))):
                return ask, f"thoughts of death were told ({state.grade.name.lower()}); {_FINDING[ask]}"
    if state.pending is Ask.CHANGED and state.answered and state.times(Ask.HELP) and not state.fresh & GRAVE:
        return Ask.RETURN, "it has come no closer, and people to turn to were named before"
    return Ask.HELP, "the assessment found no danger now; people to turn to are named"


_FINDING: Final = {
    Ask.WISH: "they are stayed with",
    Ask.INTENT: "intent is asked about",
    Ask.PLAN: "a plan is asked about",
    Ask.MEANS: "means are asked about",
    Ask.PROTECTS: "what protects is asked about",
    Ask.KNOWN: "who knows is asked about",
}


def _open(ask: Ask, state: RiskState) -> bool:
    """There is something left to find out. Means are not asked about where there is no plan; a plan goes before the
    wish."""
    if ask is Ask.WISH:
        return Facet.PLAN not in state.yes
    return not state.known(ABOUT[ask]) and (ask is not Ask.MEANS or Facet.PLAN not in state.no)


def _of_signs(state: RiskState, signs: Signs, moment: Moment) -> Next:
    """Signs in what was said unasked."""
    if signs.means and not state.times(*OPENING):
        return Ask.SIGN, "means are asked for; suicide is asked about plainly first"
    if signs.wish:
        return (_met(signs) if moment.left > 1 else Ask.LAST), "a wish not to live was said"
    if state.times(Ask.SIGN) >= MAX_SIGNS or moment.left <= 1:
        return None
    waits = bool(moment.waited) and not moment.clear
    seen = signs.some or signs.flagged
    # A second plain sign while another waits ends the waiting.
    unsure = moment.everybody and not signs.urgent and not (waits and seen)
    known = signs.mentioned or moment.number >= EARLIEST
    # A weak sign of suicide waits for something painful; a danger to somebody now does not.
    of_suicide = signs.told or signs.grave or signs.leans or signs.owned
    now = signs.pressing and (signs.weak or not of_suicide)
    likely = now or (not unsure and (signs.elsewhere or (signs.other and signs.flagged and signs.likely and known)))
    # After a denial the graders have to see a likely sign, too: what heads alone tell is mostly a figure of speech.
    other = (signs.tells and (signs.likely or not state.denied)) or (likely and not state.denied)
    if other and not state.times(Ask.SAFETY):
        return Ask.SAFETY, f"possible danger ({signs.kind}) is asked about plainly"
    if (
        state.denied
        and signs.mentioned
        and (signs.likely or signs.child)
        and not signs.anew
        and not state.times(Ask.SAFETY)
    ):
        return Ask.SAFETY, "another danger may have been told after suicide was denied; it is asked about plainly"
    if signs.intends or (signs.flagged and signs.some and (signs.anew if state.denied else signs.told and not unsure)):
        return Ask.SIGN, "a sign of suicide is asked about plainly"
    if state.denied:
        return None
    if moment.held and not state.times(*OPENING):
        return Ask.FAINT, "the opening may have been a sign: it was stayed with for a turn, and is asked about now"
    if moment.everybody and not state.times(*OPENING) and (unsure or not signs.plain):
        # The question for everybody is brought forward to the next natural place.
        strong = signs.likelier or (signs.strong and (waits or signs.readying))
        strong = strong and moment.number >= EARLIEST
        due = (seen or waits) and (moment.number >= ASKED_BY or moment.left <= 1 or strong)
        return (Ask.ROUTINE, "a sign that is not sure has waited long enough") if due else None
    if moment.everybody and moment.number == 1 and moment.left > 1 and signs.lightly and not signs.spoken:
        return None  # before a word of the story was heard only what is said in so many words is asked about
    if signs.possible and signs.plain and not state.times(*OPENING):
        told = signs.told and (signs.likelier or not moment.everybody)
        return (Ask.SIGN if told else _asking(signs, moment)), "possible danger is asked about plainly"
    if state.last is not Ask.SAFETY and not state.times(*OPENING):
        # A likely sign while another waits ends the waiting, once there was room for one answer.
        again = seen and waits and moment.number > SOONEST and signs.likely_one
        plain = signs.plain and (seen or waits)
        if plain or again or ((seen or waits) and not _may_wait(moment)):
            return _asking(signs, moment), "a possible sign of danger is asked about plainly, with nothing presumed"
    if Ask.DOOR in state.asked and moment.sign:
        return Ask.SIGN, "a sign while the question is open; it is asked about anew"
    evaded = Ask.DOOR in state.asked and not state.times(Ask.LATER)
    if evaded and moment.since >= LATER_FROM and not moment.telling:
        return Ask.LATER, "the question was evaded before; it is put a last time"
    return None


def _asking(signs: Signs, moment: Moment) -> Ask:
    """What is likelier than not is asked about as a sign; anything else as everybody is asked, where everybody is."""
    return Ask.ROUTINE if moment.everybody and not signs.likelier and moment.number >= EARLIEST else Ask.FAINT


def stays(state: RiskState, signs: Signs, moment: Moment) -> bool:
    """What was just told is a weak sign and nothing more, the first one and so early that it is stayed with before it
    is asked about; pure."""
    early = moment.number <= STAYS_FIRST and not moment.waited
    unspoken = moment.number == 1 and signs.lightly and not signs.spoken
    weak = signs.weak or (moment.everybody and signs.plain and (unspoken or not signs.urgent))
    return early and weak and not state.times(*Ask) and _may_wait(moment)


def _may_wait(moment: Moment) -> bool:
    """A weak sign waits for something painful to be told: after that the question reads as care, and elsewhere as a
    break."""
    natural = moment.painful and not moment.telling and moment.number >= SOONEST
    return moment.number < ASKED_BY and moment.left > 1 and not natural


def _first(signs: Signs, moment: Moment) -> Next:
    """After help for another danger, the first sign of suicide is a first one: it has not been spoken of."""
    if signs.active:
        return Ask.HAND_OVER, "danger was told again after people to turn to were named"
    if moment.left <= 1:
        return Ask.LAST, "a sign of suicide at the end: people to turn to are named"
    ask = Ask.WISH if signs.wish else Ask.SIGN if signs.told else Ask.FAINT
    return ask, "a sign of suicide after help for another danger: it was not spoken of before"


def _after(state: RiskState, signs: Signs, moment: Moment) -> Next:
    """After the assessment: the way back, and what is said anew."""
    if not state.spoken and (signs.wish or signs.told or moment.sign):
        return _first(signs, moment)
    if state.last in (Ask.HELP, Ask.MORE):
        if moment.left <= 1:
            return Ask.LAST, "the time is over: people to turn to are named once more"
        again = signs.wish or (signs.flagged and signs.told)
        if moment.decided and state.told and state.times(Ask.CHANGED) < MAX_CHANGED:
            return Ask.CHANGED, "it is said to be decided: whether it has come closer is asked"
        if state.last is Ask.HELP and not state.times(Ask.MORE):
            return Ask.MORE, "what was said of people to turn to is taken up"
        if again and state.times(Ask.CHANGED) < MAX_CHANGED:
            return Ask.CHANGED, "it was said again: whether anything has changed is asked before the way back"
        return Ask.RETURN, "the assessment is over; nothing has to be gone on with"
    if not state.told and signs.active:
        return Ask.HAND_OVER, "danger was told again after people to turn to were named"
    # Help for another danger, and a no to that, settle nothing about suicide.
    if not state.told and state.last is None and (found := _of_signs(state, signs, moment)):
        return found
    # What answers the way back may be the same wish once more; a faint sign is asked about there, too, but once.
    again = signs.flagged and signs.told and not moment.quiet and not moment.wants
    anew = (signs.wish or signs.active or again) and state.last is not Ask.RETURN
    # What is told after it is mostly no sign, though it may be hard.
    dim = state.told and signs.dim and (signs.urgent or signs.leans or signs.owned)
    dim = (
        dim
        and not (moment.quiet or moment.wants)
        and state.times(Ask.CHANGED) < (MAX_CHANGED if signs.leans else MAX_DIM)
    )
    despairs = state.told and moment.despairs and state.last is not Ask.CHANGED
    if ((anew or despairs) and state.times(Ask.CHANGED) < MAX_CHANGED) or dim:
        if moment.left <= 1:
            return Ask.LAST, "it was said again at the end: people to turn to are named"
        return Ask.CHANGED, "it was said again: whether anything has changed is asked"
    if state.told and moment.wants and state.times(Ask.FOLLOW) < MAX_WANTS:
        return Ask.FOLLOW, "somebody to tell, or what holds them, was named, and is taken up before anything else"
    if state.told and moment.hurts and state.times(Ask.FOLLOW) < MAX_WANTS:
        return Ask.FOLLOW, "something painful was told after a wish to be dead, and is stayed with"
    if state.last in (Ask.RETURN, Ask.FOLLOW) and state.times(Ask.FOLLOW) < MAX_FOLLOWS:
        return Ask.FOLLOW, "the patient has chosen what to talk about, and is followed"
    return None
