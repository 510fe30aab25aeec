"""Two patients without a mind that others published, kept as other worlds to compare with; nobody's conviction moves,
so every measure that needs a hidden state is missing.

MindVoyager's gate: rapport opens experiences one by one, a deep question the whole inner diagram (ACL Findings 2025,
2025.findings-acl.1332, as PatientHub re-implements it); what a therapist gains is what is told. PATIENT-Ψ's language
model with a static profile in its prompt (Wang et al., EMNLP 2024); the wording of the prompt is our own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, Final, Literal

from maieutic.domain.appraisal import Appraisal, Slot
from maieutic.domain.case import Case, Situation
from maieutic.domain.codes import TurnCode
from maieutic.domain.episode import Session, Turn, Usage
from maieutic.domain.randomness import derive
from maieutic.domain.state import CognitiveState
from maieutic.language.sentences import unsaid
from maieutic.patients.comprehension import Comprehension
from maieutic.prompts import prompt
from maieutic.protocols import Embedder, LanguageModel, Message
from maieutic.registry import patient

_CONFUSED = ("Sorry, I lost you there.", "I'm not sure what you meant just now.")
_SAFE = ("No, I don't have thoughts like that.", "No. It's been bad, but not in that way.")
_NO_NUMBER = ("I couldn't put a figure on it.", "I don't think of it in numbers.")
MEANING = frozenset({Slot.THOUGHT, Slot.BACKGROUND, Slot.SUPPORT, Slot.WEIGHING, Slot.ALTERNATIVE})
"""What asks for the inner diagram: for meaning, for where it comes from, for what speaks for and against."""


@dataclass(frozen=True, slots=True)
class Told:
    """What may be said now.

    Attributes:
        open_facts: Facts that the gate has opened, in their order.
        diagram: Thought, beliefs and background are open.
        opened: What this very turn opened.
        reserved: A patient of low openness.
    """

    open_facts: tuple[str, ...]
    diagram: bool
    opened: tuple[str, ...]
    reserved: bool


def _said(
    case: Case, situation: Situation, *, session: Session, reading: Appraisal, told: Told, rng: Random
) -> tuple[str, str]:
    """(act, words). Wordings that were used come again only when all of their kind are used up.

    A question about danger is always answered, whatever the gate: that is not a matter of depth.
    """
    phrasings, here = case.phrasings, situation.id
    facts = {e.id: e for e in situation.evidence}
    used = [turn.text for turn in session.by("patient")]

    def one(wordings: Sequence[str]) -> str:
        return rng.choice(unsaid(wordings, used) or list(wordings))

    fresh_facts = [n for n in told.open_facts if not any(w in text for w in facts[n].said for text in used)]
    asked = set(reading.asks)
    if not reading.understood:
        return "not_understood", one(_CONFUSED)
    if Slot.RISK in asked:
        if case.risk.level == "none":
            return "risk_denial", one(case.risk.denials or _SAFE)
        return "risk_disclosure", one(case.risk.disclosures)
    if "diagram" in told.opened:
        return "thought", f"{one(phrasings.thought[here])} {one([b.statement for b in case.core_beliefs])}"
    if "experience" in told.opened and fresh_facts:
        return "evidence", one(facts[fresh_facts[-1]].said)
    if Slot.CONVICTION in asked:
        return "not_knowing", one(_NO_NUMBER)
    reached = next((r.evidence for r in reading.reaches), None)
    if reached is not None:
        if reached in told.open_facts:
            return "evidence", one(facts[reached].said)
        return "deflect", one(phrasings.deflecting)
    if asked & MEANING:
        if not told.diagram:
            return (
                ("deflect", one(phrasings.deflecting)) if told.reserved else ("not_knowing", one(phrasings.not_knowing))
            )
        return _from_diagram(case, situation, asked, one)
    if Slot.FEELING in asked:
        return "feeling", one(phrasings.feeling[here])
    if Slot.GOAL in asked and phrasings.hopes:
        return "goal", one(phrasings.hopes)
    if reading.leading or reading.stacked:
        return "resist", one(phrasings.resisting)
    if not reading.questions:
        return ("warmed", one(phrasings.warmed)) if reading.fit >= 0.3 else ("agree", one(phrasings.agreeing))
    if told.reserved and rng.random() < 0.5:
        return "deflect", one(phrasings.deflecting)
    if fresh_facts and not (Slot.SITUATION in asked and rng.random() < 0.5):
        return "evidence", one(facts[fresh_facts[0]].said)
    return "detail", one(phrasings.details[here])


def _from_diagram(
    case: Case, situation: Situation, asked: set[Slot], one: Callable[[Sequence[str]], str]
) -> tuple[str, str]:
    beliefs = case.intermediate_beliefs
    if Slot.BACKGROUND in asked:
        return "background", one(case.phrasings.background)
    if Slot.THOUGHT in asked:
        return "thought", one(case.phrasings.thought[situation.id])
    stated = (*beliefs.rules, *beliefs.assumptions, *beliefs.attitudes, *(b.statement for b in case.core_beliefs))
    return "belief", one(stated)


Level = Literal["high", "low"]

EXPERIENCE_EVERY = 4
"""Therapist turns between two looks at rapport (published)."""
DIAGRAM_EVERY: dict[Level, int] = {"high": 1, "low": 2}
"""Therapist turns between two looks at depth, by metacognition (published)."""
ENOUGH = 4
"""Rating of 5 from which the gate opens (published)."""
VISIBLE = {"mild": 3, "moderate": 2, "severe": 1}
"""Experiences visible from the start: published for easy, normal and hard; that severity stands for these is
assumed."""
_RATING = re.compile(r"\b(rapport|depth)\W{0,4}([1-5])\b(?![./\d])", re.I)
_SHOWN = 8
_MAX_CHARACTERS = 2_000


@dataclass(frozen=True, slots=True)
class Ratings:
    """Two ratings of 1 to 5; None where nobody looked at this turn, or where no usable rating came."""

    rapport: int | None = None
    depth: int | None = None


@dataclass(frozen=True, slots=True)
class Gate:
    """What is open after the session so far.

    Attributes:
        experiences: How many of the situation's experiences may be told, in their order.
        diagram: The inner diagram (thought, beliefs, background) may be told.
        now: What the last therapist turn opened: 'experience', 'diagram', both or nothing.
    """

    experiences: int
    diagram: bool = False
    now: tuple[str, ...] = ()


class _Mindless:
    """What a patient without a mind has in its place."""

    __slots__ = ()

    def begin(self, rng: Random, carried: CognitiveState | None = None) -> CognitiveState | None:
        """No conviction, no hidden state."""
        return None

    def transition(
        self, state: CognitiveState, code: TurnCode | None, appraisal: Appraisal, rng: Random
    ) -> CognitiveState:
        raise TypeError("a patient without a mind has no transition; the loop must not ask for one")


@dataclass(frozen=True, slots=True)
class MindVoyagerPatient(_Mindless):
    """A patient behind the gate, worded from the case's own phrasings.

    What it models: two fixed traits, experiences opened by rapport, the diagram opened by depth. What it does not: any
    change of belief, resistance or leaving. The gate is a pure function of the session: with rules, of its words alone;
    with a model, of the ratings kept in the traces of the patient's own turns.

    Departures: the experiences are the facts of the situation in play, least guarded first; a look at depth takes the
    deepest question since the look before; ratings without a model are rules (`rate_rapport`, `rate_depth`).
    """

    case: Case
    situation: Situation
    read: Callable[[Session], Appraisal]
    model: LanguageModel | None = None
    seed: int = 0

    @property
    def name(self) -> str:
        return "mindvoyager" if self.model is None else f"mindvoyager:{self.model.name}"

    @property
    def openness(self) -> Level:
        """Drawn from the case: a patient of low openness says less when nothing in particular is asked."""
        return derive("mindvoyager", self.case.id, self.seed, "openness").choice(("high", "low"))

    @property
    def metacognition(self) -> Level:
        """Drawn from the case: with low metacognition the diagram is looked at every second turn only."""
        return derive("mindvoyager", self.case.id, self.seed, "metacognition").choice(("high", "low"))

    def comprehend(self, session: Session) -> Appraisal:
        """The reading that the rules rate; the loop does not ask a patient without a mind for it."""
        return self.read(session)

    def gate(self, session: Session, latest: Ratings | None = None) -> Gate:
        """What is open after a session that ends with a therapist turn.

        Args:
            session: What was said so far.
            latest: Ratings of the last turn, when a model gave them just now and no patient turn holds them yet.
        """
        gate = Gate(VISIBLE[self.case.severity])
        for number, ratings in enumerate(self._ratings(session, latest), start=1):
            opened = []
            if (
                number % EXPERIENCE_EVERY == 0
                and (ratings.rapport or 0) >= ENOUGH
                and gate.experiences < len(self.experiences)
            ):
                opened.append("experience")
            if number % DIAGRAM_EVERY[self.metacognition] == 0 and (ratings.depth or 0) >= ENOUGH and not gate.diagram:
                opened.append("diagram")
            gate = Gate(gate.experiences + ("experience" in opened), gate.diagram or "diagram" in opened, tuple(opened))
        return gate

    @property
    def experiences(self) -> tuple[str, ...]:
        """Ids of the facts of the situation, the least guarded first."""
        return tuple(e.id for e in sorted(self.situation.evidence, key=lambda e: (e.guard, e.id)))

    async def speak(self, session: Session, state: CognitiveState | None, rng: Random) -> Turn:
        """What the gate lets out, in the case's words. Raises `ModelError` when the rating model fails."""
        if session.last("therapist") is None:
            return Turn("patient", rng.choice(self.case.phrasings.opening[self.situation.id]), trace={"act": "open"})
        latest, usage = (None, None) if self.model is None else await self._asked(session, self.model, rng)
        gate = self.gate(session, latest)
        told = Told(
            open_facts=self.experiences[: gate.experiences],
            diagram=gate.diagram,
            opened=gate.now,
            reserved=self.openness == "low",
        )
        act, text = _said(self.case, self.situation, session=session, reading=self.read(session), told=told, rng=rng)
        ratings = self._ratings(session, latest)[-1]
        trace: dict[str, Any] = {
            "act": act,
            "experiences": gate.experiences,
            "diagram": gate.diagram,
            "rapport": ratings.rapport,
            "depth": ratings.depth,
            "rated_by": "rules" if self.model is None else self.model.name,
        }
        return Turn("patient", text, trace=trace, usage=usage)

    def _ratings(self, session: Session, latest: Ratings | None) -> list[Ratings]:
        """The ratings after each therapist turn, from the rules or from the traces of the patient's answers."""
        ends = [n for n, turn in enumerate(session.turns, start=1) if turn.speaker == "therapist"]
        if self.model is None:
            readings = [self.read(Session(session.turns[:n], session.seed)) for n in ends]
            return [self._by_rule(readings[:number]) for number in range(1, len(readings) + 1)]
        return [latest if n == len(session) and latest else _kept(session.turns, n) for n in ends]

    def _by_rule(self, readings: Sequence[Appraisal]) -> Ratings:
        number, every = len(readings), DIAGRAM_EVERY[self.metacognition]
        return Ratings(
            rate_rapport(readings[-EXPERIENCE_EVERY:]) if number % EXPERIENCE_EVERY == 0 else None,
            max(map(rate_depth, readings[-every:])) if number % every == 0 else None,
        )

    async def _asked(self, session: Session, model: LanguageModel, rng: Random) -> tuple[Ratings, Usage | None]:
        """The model's ratings where a look is due; a reply that cannot be read twice leaves the gate as it is."""
        number = len(session.by("therapist"))
        due = {"rapport": number % EXPERIENCE_EVERY == 0, "depth": number % DIAGRAM_EVERY[self.metacognition] == 0}
        if not any(due.values()):
            return Ratings(), None
        lines = [f"{turn.speaker.capitalize()}: {turn.text[:_MAX_CHARACTERS]}" for turn in session.turns[-_SHOWN:]]
        spent: Usage | None = None
        for _ in range(2):
            reply = await model.generate(
                [
                    {"role": "system", "content": prompt("mindvoyager_rating").text},
                    {"role": "user", "content": "\n".join(("-----", *lines, "-----"))},
                ],
                seed=rng.getrandbits(31),
                temperature=0.0,
                max_tokens=24,
            )
            spent = reply.usage if spent is None else spent + reply.usage
            found = {name.lower(): int(number) for name, number in _RATING.findall(reply.text)}
            if all(name in found for name, wanted in due.items() if wanted):
                return Ratings(*(found[name] if due[name] else None for name in ("rapport", "depth"))), spent
        return Ratings(), spent


def rate_rapport(readings: Sequence[Appraisal]) -> int:
    """Rapport of the latest turns, 1–5, by rule: 1 + 4 × their mean warmth, rounded.

    A turn's warmth is the fit of its reflection (0–1), at least 0.5 for one clear question and 0.4 for any turn that
    was understood, less 0.5 for each of: a leading question, a pile of questions, a wrong feeling asserted, a fact
    told. *Assumption*; so bare questions stay at 3, and four turns of fitting reflections reach 4.
    """
    if not readings:
        return 1
    return round(1.0 + 4.0 * sum(map(_warmth, readings)) / len(readings))


def _warmth(reading: Appraisal) -> float:
    if not reading.understood:
        return 0.0
    clear = reading.questions == 1 and not reading.leading
    faults = (
        reading.leading,
        reading.stacked,
        any(not c.true and not c.tentative for c in reading.claims),
        bool(reading.told),
    )
    return max(0.0, max(reading.fit, 0.5 if clear else 0.4) - 0.5 * sum(faults))


def rate_depth(reading: Appraisal) -> int:
    """Depth of a turn's question, 1–5, by rule.

    1 none, or one that carries its answer; 2 closed, or a pile; 3 one open question; 4 one that asks for meaning, for
    where it comes from, or for what speaks for and against; 5 such a question behind a fitting reflection (fit ≥ 0.3).
    *Assumption* for the published 1–5 rating by a model.
    """
    if not reading.understood or not reading.questions or reading.leading:
        return 1
    if not reading.open or reading.stacked:
        return 2
    if not (reading.wide or MEANING & set(reading.asks)):
        return 3
    return 5 if reading.fit >= 0.3 else 4


def _kept(turns: Sequence[Turn], after: int) -> Ratings:
    """The ratings in the trace of the patient's answer to the therapist turn that ends at `after`."""
    trace = (turns[after].trace if after < len(turns) else None) or {}
    rapport, depth = trace.get("rapport"), trace.get("depth")
    return Ratings(rapport if isinstance(rapport, int) else None, depth if isinstance(depth, int) else None)


@patient("mindvoyager")
def make_mindvoyager(
    case: Case, situation: str, *, embed: Embedder, model: LanguageModel | None = None
) -> MindVoyagerPatient:
    """The gated patient for one situation of a case; with a model, the model gives the ratings."""
    chosen = case.situation(situation)
    return MindVoyagerPatient(case, chosen, read_once(Comprehension.of(case, chosen, embed)), model)


_KEPT: Final = 2_000


def read_once(read: Callable[[Session], Appraisal]) -> Callable[[Session], Appraisal]:
    """The same reading, each moment of a session read once: the gate looks back at all of them every turn."""
    kept: dict[tuple[str, ...], Appraisal] = {}

    def remembered(session: Session) -> Appraisal:
        said = tuple(turn.text for turn in session.turns)
        if said not in kept:
            if len(kept) >= _KEPT:
                kept.clear()
            kept[said] = read(session)
        return kept[said]

    return remembered


make_mindvoyager.takes_model = True  # type: ignore[attr-defined]


@dataclass(frozen=True, slots=True)
class StaticPromptPatient(_Mindless):
    """Profile in the system prompt, the session as chat; nothing is decided anywhere but in the model."""

    case: Case
    system: str
    model: LanguageModel

    @property
    def name(self) -> str:
        return f"static:{self.model.name}"

    def comprehend(self, session: Session) -> Appraisal:
        raise TypeError("a patient without a mind reads nothing; the loop must not ask it to")

    async def speak(self, session: Session, state: CognitiveState | None, rng: Random) -> Turn:
        """Ask the model for the patient's next words. Raises `ModelError`."""
        messages: list[Message] = [{"role": "system", "content": self.system}, {"role": "user", "content": "Hello."}]
        for turn in session.turns:
            messages.append({"role": "assistant" if turn.speaker == "patient" else "user", "content": turn.text})
        reply = await self.model.generate(messages, seed=rng.getrandbits(31))
        return Turn("patient", reply.text, usage=reply.usage, original=reply.original)


@patient("static")
def make_static(case: Case, situation: str, *, embed: Embedder, model: LanguageModel) -> StaticPromptPatient:
    """The static-prompt patient for one situation of a case."""
    chosen = case.situation(situation)
    person, beliefs = case.person, case.intermediate_beliefs
    profile = {
        "name": person.name,
        "age": person.age,
        "work": person.work,
        "household": person.household,
        "history": case.history,
        "core_beliefs": " ".join(b.statement for b in case.core_beliefs),
        "intermediate_beliefs": " ".join((*beliefs.attitudes, *beliefs.rules, *beliefs.assumptions)),
        "coping": " ".join(case.coping),
        "happened": chosen.happened,
        "thought": chosen.automatic_thought,
        "emotions": ", ".join(e.group for e in chosen.emotions),
        "behaviour": chosen.behaviour,
        "style": case.style,
    }
    return StaticPromptPatient(case, prompt("patient_static").text.format(**profile), model)


make_static.needs_model = True  # type: ignore[attr-defined]
