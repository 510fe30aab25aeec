"""The Socratic agent: tracks the mind, plans the question, words it, checks it. It sees what was said and nothing else.

Reasoner → planner → guide → validator, with the risk protocol and odd input before them (CaiTI's division of labour,
Nie et al. 2025; the planning after script and POMDP planners). It needs no language model; given one, the model
only words the plan. How one turn comes about: docs/socratic-agent.md.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from maieutic.domain.episode import Answer, Ending, Question, Session, Turn, Usage
from maieutic.protocols import LanguageModel
from maieutic.registry import therapist
from maieutic.safety.risk import RiskAssessment, assess
from maieutic.therapists.agent.answering import answer_from
from maieutic.therapists.agent.bank import load_bank
from maieutic.therapists.agent.formulation import formulated_from
from maieutic.therapists.agent.guide import LAST_DRAFT, Words, plainer, worded
from maieutic.therapists.agent.information import information_for
from maieutic.therapists.agent.memory import Memory, remembered
from maieutic.therapists.agent.model_guide import reworded
from maieutic.therapists.agent.off_task import off_task
from maieutic.therapists.agent.planner import planned
from maieutic.therapists.agent.reasoner import ACCURATE, Understanding, understood
from maieutic.therapists.agent.recalling import asked_back
from maieutic.therapists.agent.steps import CHALLENGING, RISK_STEPS, Lead, Plan, Step, nature
from maieutic.therapists.agent.validator import Refusal, refused
from maieutic.therapists.hearing import read_together
from maieutic.therapists.risk.following import Protocol, RiskTurn
from maieutic.therapists.risk.grades import Ask, RiskPolicy
from maieutic.therapists.risk.leading import led_in
from maieutic.therapists.risk.placing import tells_thought
from maieutic.therapists.risk.protocol import Moment
from maieutic.therapists.risk.signs import Thresholds
from maieutic.therapists.risk.weighing import any_sign
from maieutic.therapists.risk.whole import worded_whole
from maieutic.tracking.belief import Belief
from maieutic.tracking.ear import EmbeddedEar, Observation
from maieutic.tracking.explaining import explained, hear_left_out
from maieutic.tracking.space import REPLIES, Reply, Scale
from maieutic.tracking.tracker import MindTracker

REDRAFTS = 3
TELLING = 0.4
"""P(the latest reply is a memory against the thought) from which no question of another kind comes in between."""
DANGER_TOLD = "thoughts of death were told: support, no challenge"
SIGN_OF_DANGER = "a sign of danger in the last words: nothing is challenged now"
STAYED_WITH = "what was just told may be a sign: it is stayed with first, and asked about next"
"""Reasons for which a challenge that was wanted is held back."""

_HEARING_OUT = frozenset({Step.SITUATION, Step.THOUGHT, Step.MEANING, Step.FEELING})
_NOT_AFTER_A_WISH = frozenset(
    {Step.RATE, Step.RATE_AGAIN, Step.REST, Step.THOUGHT, Step.MEANING, Step.KNOW, Step.REWORD}
)
"""Steps that work on the thought without a challenge: after a wish to be dead they are left, too."""
_NOT_AFTER_A_NO = frozenset({Step.FOLLOW, Step.DONT_KNOW, Step.REWORD, Step.LISTEN, Step.CLOSE, Step.COMPARE})


@dataclass(frozen=True, slots=True)
class Considered:
    """A plan, and the reasoner's account of the moment where it was asked for one; a turn of the risk protocol is
    whole."""

    plan: Plan
    understanding: Understanding | None = None
    risk: RiskTurn | None = None


@dataclass(frozen=True, slots=True)
class SocraticTherapist:
    """The agent.

    Attributes:
        turns: Length of the session it plans for, in therapist turns.
        model: Words the plan where one is given; the bank does otherwise, and where every draft is refused.
        tracks, plans, validates: Off for the ablations: a tracker that does not listen, no weighing of steps, no
            validator.
        draws: Share of turns in which a step is drawn at random among those that may be taken, for sessions to learn
            from.
        wording: 'first' or 'second', the bank of wordings.
        listener: A model that is the tracker's ear; the embedded heads are where none is given.
        explains: The trace also says which words moved which hypothesis; it costs a hearing a clause.
        risk_policy: `routine` asks everybody about suicide once; `indicated` where something was said that calls for
            it.
    """

    name: str = "socratic"
    turns: int = 20
    model: LanguageModel | None = None
    tracks: bool = True
    plans: bool = True
    validates: bool = True
    draws: float = 0.0
    wording: str = "first"
    listener: LanguageModel | None = None
    explains: bool = False
    risk_policy: RiskPolicy = "routine"
    _tracker: list[MindTracker] = field(default_factory=list, repr=False, compare=False)

    @property
    def calls_a_turn(self) -> int:
        """Model calls a turn at most."""
        return (REDRAFTS if self.model is not None else 0) + (1 if self.listener is not None else 0)

    @property
    def tracker(self) -> MindTracker:
        """The tracker, made at the first turn."""
        if not self._tracker:
            self._tracker.append(MindTracker.packaged(listens=self.tracks, model=self.listener))
        return self._tracker[0]

    async def respond(self, session: Session) -> Turn:
        """The next turn with its trace.

        It ends the session after a hand-over that was acknowledged, and at the last turn; where the patient asks
        something back there, in the turn after.
        """
        if self.listener is None or session.last("patient") is None:
            return await self.carry_out(self.consider(session), session)
        spent = await self.tracker.hear(session)
        if self.explains:
            spent = spent + await hear_left_out(session, self.tracker)
        turn = await self.carry_out(self.consider(session), session)
        missing = self.tracker.heard(session).missing
        by = self.listener.name if missing is None else f"nobody: the model {missing}"
        cost = spent + (turn.usage or Usage())
        return replace(turn, trace={**(turn.trace or {}), "heard by": by}, usage=cost if cost.calls else turn.usage)

    async def answer(self, question: Question, session: Session) -> Answer:
        """What the tracker believes, or what the plan is, in the form asked for; see `answer_from` for what it
        refuses."""
        spent = await self.tracker.hear(session)
        turn = await self.respond(session) if question.about == "next_move" else None
        ear = self.tracker.ear
        hear = ear.hear if self.tracker.listens and isinstance(ear, EmbeddedEar) else None
        found = answer_from(question, session, self.tracker.belief(session), turn, hear)
        cost = spent + ((turn.usage if turn else None) or Usage())
        return replace(found, usage=cost) if cost.calls else found

    def consider(self, session: Session) -> Considered:
        """What the next turn of this session is to do, before it is worded."""
        last = session.last("patient")
        if last is None:
            return Considered(Plan(Step.GOAL, Lead.NONE, "nothing has been said yet: the therapist opens"))
        read_together(last.text)
        heard, seen = self.tracker.heard(session), assess(last.text)
        return self.planned(session, remembered(session), self.tracker.belief(session), heard, seen)

    async def carry_out(self, considered: Considered, session: Session) -> Turn:
        """What was considered, worded for the last patient turn of a session and checked, with its trace."""
        memory, belief, plan = remembered(session), self.tracker.belief(session), considered.plan
        if considered.risk is not None:
            return await self._risk_turn(considered.risk, plan, belief, session)
        formulation = formulated_from(session)
        words = Words(load_bank(self.wording), session, belief, memory, formulation, session.generator("therapist"))
        text, plan, refusals, usage, by = await self._word(plan, words)
        trace = self._trace(plan, considered.understanding, belief, refusals, by)
        trace["formulation"] = formulation.as_trace()
        if self.explains:
            trace["moved"] = [str(one) for one in explained(session, self.tracker)]
        ending = Ending("completed", "the planned session is over") if plan.step is Step.CLOSE else None
        return Turn("therapist", text, ending=ending, trace=trace, usage=usage)

    def planned(
        self, session: Session, memory: Memory, belief: Belief, heard: Observation | None, seen: RiskAssessment | None
    ) -> Considered:
        """Risk goes first, then odd input and what the patient asks back, then what the reasoner and planner find best.

        Without `seen` no risk is looked for and nothing asked back: for moments that are only imagined.
        """
        last = session.last("patient")
        text = last.text if last is not None else ""
        odd = off_task(text) if last is not None else None
        protocol = self.protocol if seen is not None and heard is not None else None
        moment = self._moment(memory, belief, heard)
        standing = protocol.read(session) if protocol is not None else None
        risk = standing.risk_turn(moment) if standing is not None else None
        formulation = formulated_from(session)
        unclear = formulation.reply is not None and formulation.reply.asks and formulation.reply.lost
        back = asked_back(session) if seen is not None else None
        back = None if back is not None and unclear and back[1] is None else back
        no = risk is not None and risk.ask is Ask.THANKS and memory.last is not Step.RISK_SAFETY
        denied = no and odd is None and back is None
        if (
            risk is not None
            and not denied
            and not (risk.waits and back is not None)
            and (
                odd is None
                or seen is None
                or seen.flagged
                or risk.ask not in (Ask.ROUTINE, Ask.FAINT, Ask.SIGN, Ask.LATER)
            )
        ):
            return _by_protocol(risk)
        # Who is asked for a thought often says it as a voice that speaks to them: "you're an animal".
        to_oneself = memory.last in (Step.THOUGHT, Step.MEANING)
        # After a wish to be dead nothing is put off as an order or an insult: an image is easily read as one.
        serious = standing is not None and standing.explored
        if odd is not None and not serious and not (odd[0] is Step.INSULT and (unclear or to_oneself)):
            return Considered(Plan(odd[0], Lead.NONE, odd[1]))
        if back is not None:
            return Considered(Plan(back[0], Lead.NONE, back[2], about=back[1]))
        gap = _gap(session, memory)
        if gap is not None:
            return Considered(gap)
        understanding = understood(formulation, session, belief, heard, memory, self.turns)
        luck = session.generator("draws")
        plan = planned(understanding, looks=self.plans, draws=luck if luck.random() < self.draws else None)
        if risk is not None and denied:
            return _thanked(risk, plan, understanding, by_model=self.model is not None)
        challenging = plan.step in CHALLENGING
        if standing is not None and (challenging or understanding.forced is None):
            rating = plan.step is Step.RATE
            begins = challenging or (rating and tells_thought(text))
            asks = standing.routine_turn(replace(moment, challenging=begins, rating=rating))
            if asks is not None:
                return replace(_by_protocol(asks), understanding=understanding)
        if (challenging or plan.step in _NOT_AFTER_A_WISH) and standing is not None and standing.explored:
            step = Step.COPE if memory.last is Step.FOLLOW else Step.FOLLOW
            plan = Plan(step, Lead.NONE, DANGER_TOLD)
        elif challenging and standing is not None and standing.shuts():
            plan = Plan(Step.FOLLOW, Lead.NONE, SIGN_OF_DANGER)
        elif standing is not None and understanding.forced is None and standing.stays(moment):
            plan = Plan(Step.FOLLOW, Lead.NONE, STAYED_WITH)
        if belief.accurate >= ACCURATE and plan.step in (Step.COPE, Step.LISTEN):
            plan = Plan(
                plan.step,
                Lead.VALIDATE if memory.number % 2 else plan.lead,
                plan.reason,
                plan.value,
                plan.considered,
                plan.about,
            )
        return Considered(plan, understanding)

    @property
    def protocol(self) -> Protocol:
        """The risk protocol with the tracker's graders."""
        tables, ear = self.tracker.tables, self.tracker.ear

        def danger(text: str) -> tuple[float, float]:
            found = ear.danger(text)
            return found.active, found.some

        def weigh(text: str) -> float:
            return any_sign(text, danger)

        return Protocol(danger, Thresholds(tables.hand_over, tables.ask, tables.doubt), self.risk_policy, weigh)

    def _moment(self, memory: Memory, belief: Belief, heard: Observation | None) -> Moment:
        """What the risk protocol has to know of the session beside its words."""
        against = float(heard.replies[REPLIES.index(Reply.AGAINST)]) if heard is not None else 0.0
        left = self.turns - memory.number + 1
        return Moment(memory.number, left, belief.expected(Scale.OPENNESS), telling=against >= TELLING)

    async def _word(self, plan: Plan, words: Words) -> tuple[str, Plan, list[tuple[str, str]], Usage | None, str]:
        """A draft that the validator lets pass: by the model where there is one, else by the bank."""
        refusals: list[tuple[str, str]] = []
        check = partial(self._refused, words=words)
        usage: Usage | None = None
        if self.model is not None and plan.step not in (Step.GAP_TELL, Step.CLOSE, Step.RECALL, Step.RECAP):
            text, usage = await reworded(self.model, plan, words, check, refusals, REDRAFTS)
            if text is not None:
                return text, plan, refusals, usage, "model"
        for attempt in range(LAST_DRAFT + 1):
            chosen = plan if attempt == 0 else plainer(plan, attempt)
            text = worded(chosen, words)
            refusal = check(text, chosen)
            if refusal is None or attempt == LAST_DRAFT:
                return text, chosen, refusals, usage, "bank"
            words = replace(words, refused=(*words.refused, text))
            refusals.append((refusal.rule, refusal.reason))
        raise AssertionError("unreachable")

    def _refused(self, draft: str, plan: Plan, words: Words) -> Refusal | None:
        return refused(draft, plan, words.session, words.belief) if self.validates else None

    async def _risk_turn(self, risk: RiskTurn, plan: Plan, belief: Belief, session: Session) -> Turn:
        """A turn of the protocol in its own words; a model words what takes up the latest reply, or all of a turn that
        has a meaning for it."""
        text, usage = risk.text, None
        refusals: list[tuple[str, str]] = []
        if self.model is not None and risk.meaning is not None:
            text, refusals, usage = await worded_whole(self.model, risk, session, belief, formulated_from(session))
        elif self.model is not None and risk.lead is not None:
            text, refusals, usage = await led_in(self.model, risk, session, belief, formulated_from(session))
        by = "fixed" if text == risk.text else "model" if risk.meaning is not None else "fixed, led in by the model"
        noted = risk.line.noted() if risk.line is not None else {}
        trace = {**self._trace(plan, None, belief, refusals, by), "risk": risk.grade.name.lower(), **noted}
        return Turn("therapist", text, ending=risk.ending, trace=trace, usage=usage)

    def _trace(
        self, plan: Plan, understanding: Understanding | None, belief: Belief, refusals: list[tuple[str, str]], by: str
    ) -> dict[str, Any]:
        """What the turn was for; it stays with the therapist and the report."""
        return {
            "step": plan.step.value,
            "lead": plan.lead.value,
            "target": nature(plan.step).target.value,
            "stage": nature(plan.step).stage,
            "reason": plan.reason,
            "intensity": plan.intensity,
            "value": plan.value,
            "considered": [list(option) for option in plan.considered],
            "missing": list(understanding.missing) if understanding else [],
            "noticed": list(understanding.notes) if understanding else [],
            "belief": belief.as_trace(),
            "refused": [list(refusal) for refusal in refusals],
            "worded by": by,
        }


def _by_protocol(risk: RiskTurn) -> Considered:
    return Considered(Plan(Step(risk.ask.value), Lead.NONE, risk.reason), risk=risk)


def _thanked(risk: RiskTurn, plan: Plan, understanding: Understanding, *, by_model: bool) -> Considered:
    """After a clear no: thanks, and back to what was being told, where that can be said; else on with the talk in the
    same turn, or, where only following is left, it is asked where to go on. A model that words the question goes back
    by itself."""
    if (risk.leads_back and not by_model) or plan.step in _NOT_AFTER_A_NO:
        return _by_protocol(risk)
    if risk.leads_back and plan.step not in _HEARING_OUT:
        plan = Plan(Step.FOLLOW, plan.lead, "what was being told before the question is gone back to")
    return Considered(replace(plan, lead=Lead.THANKED, reason=f"{risk.reason}; {plan.reason}"), understanding)


def _gap(session: Session, memory: Memory) -> Plan | None:
    """Brief information where it is lacking: asked about first, told with leave, followed by a question."""
    if memory.last is Step.GAP_ASK:
        return Plan(Step.GAP_LEAVE, Lead.NONE, "leave is asked before anything is told")
    if memory.last is Step.GAP_LEAVE:
        last = session.last("patient")
        declined = last is not None and last.text.strip().lower().startswith(("no", "rather not", "not now"))
        return (
            None if declined else Plan(Step.GAP_TELL, Lead.NONE, "a piece of information that is lacking, with leave")
        )
    if memory.last is Step.GAP_TELL:
        return Plan(Step.GAP_BACK, Lead.NONE, "what was told is checked back")
    if memory.times(Step.GAP_ASK) or memory.number < 4 or memory.last in RISK_STEPS or memory.number > 15:
        return None
    topic, _ = information_for(session)
    return Plan(Step.GAP_ASK, Lead.NONE, f"they may lack ordinary information ({topic})") if topic else None


@therapist("socratic")
def make_socratic(model: LanguageModel | None = None) -> SocraticTherapist:
    """The agent; with a model, the model words its turns."""
    if model is None:
        return SocraticTherapist()
    return SocraticTherapist(name=f"socratic:{model.name}", model=model)


make_socratic.takes_model = True  # type: ignore[attr-defined]
