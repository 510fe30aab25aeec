"""A language model for the patient's ears: it reads the turn, the embedded reading keeps the gate and stands in when it fails.

Blind to the same things as the embedded reading where that one is asked (permission, information, intrusions, results).
"""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

import orjson

from maieutic.domain.appraisal import Appraisal, Reach, Slot
from maieutic.domain.case import EMOTION_GROUPS, Case
from maieutic.domain.episode import Session, Usage
from maieutic.domain.randomness import derive_seed
from maieutic.errors import ModelError
from maieutic.patients.comprehension import Comprehension
from maieutic.patients.well_formed import LONGEST_TEXT
from maieutic.prompts import prompt
from maieutic.protocols import LanguageModel, Message

Form = Literal["none", "one", "several", "pile"]
Manner = Literal["asks", "tells"]
Scope = Literal["pointed", "wide", "none"]

STRENGTH = 0.9
"""Strength of a reach that only the model sees: where the strengths of the embedded head begin. *Assumption.*"""
FIT_WITHOUT_FEELING = 0.7
"""Most that giving back words is worth when no true feeling is named; the scale of the embedded reading."""
_TURNS_BEFORE = 2
_BELIEFS = {"hot_thought": Slot.THOUGHT, "core_belief": Slot.BACKGROUND}
_QUESTIONS: dict[str, int] = {"none": 0, "one": 1, "several": 2, "pile": 3}
_FENCE = re.compile(r"^```(?:json)?\s*(.*?)\s*```$", re.S)


@dataclass(frozen=True, slots=True)
class Reading:
    """What the model says it heard; the fields are those of the prompt `patient_comprehension`."""

    about: str
    form: Form
    manner: Manner
    scope: Scope
    leading: bool
    feelings: tuple[tuple[str, bool], ...]
    fit: float


class Unreadable(ValueError):
    """A reply that is no reading; the message completes "the model ...", the part after a colon is detail."""


def parse(text: str, facts: frozenset[str]) -> Reading:
    """A reply as a reading. Raises `Unreadable`: no JSON object, a field missing, a value that is not allowed, an unknown id.

    One code fence around the object is taken off and other fields are passed over; nothing else is mended.
    """
    bare = _FENCE.sub(r"\1", text.strip())
    try:
        found = orjson.loads(bare)
    except orjson.JSONDecodeError:
        found = None
    if not isinstance(found, dict):
        raise Unreadable("gave no JSON object")
    missing = [name for name in Reading.__slots__ if name not in found]
    if missing:
        raise Unreadable(f"left out a field: {', '.join(missing)}")
    about = found["about"]
    if not isinstance(about, str) or about not in facts | _BELIEFS.keys() | {"none"}:
        raise Unreadable(f"named an unknown fact: {str(about)[:60]}")
    fit = found["fit"]
    if isinstance(fit, bool) or not isinstance(fit, int | float) or not 0.0 <= fit <= 1.0:
        raise Unreadable("gave a value that is not allowed: fit")
    if not isinstance(found["leading"], bool):
        raise Unreadable("gave a value that is not allowed: leading")
    return Reading(
        about,
        _one_of(found, "form", Form),
        _one_of(found, "manner", Manner),
        _one_of(found, "scope", Scope),
        found["leading"],
        _feelings(found["feelings"]),
        float(fit),
    )


def _one_of(found: dict[str, Any], name: str, allowed: object) -> Any:
    if found[name] not in get_args(allowed):
        raise Unreadable(f"gave a value that is not allowed: {name}")
    return found[name]


def _feelings(given: object) -> tuple[tuple[str, bool], ...]:
    if not isinstance(given, list):
        raise Unreadable("gave a value that is not allowed: feelings")
    for item in given:
        right = (
            isinstance(item, dict) and item.get("group") in EMOTION_GROUPS and isinstance(item.get("tentative"), bool)
        )
        if not right:
            raise Unreadable("gave a value that is not allowed: feelings")
    return tuple(dict.fromkeys((item["group"], item["tentative"]) for item in given))


@dataclass(frozen=True, slots=True)
class LLMComprehension:
    """Reads the last therapist turn of a session with a language model.

    The model is shown the facts of the situation in play (ids, texts, topics, how guarded), the hot thought and the core
    beliefs, the turn and the two before it. What it says about the fact asked for, the form, leading, feelings and fit
    replaces the embedded reading; slots, facts told or given back, permission, information and intrusions stay with that
    one (a belief asked about adds its slot where the rules hear none).

    **What the model cannot do.** Advice or telling about a fact never reaches it, whatever the model says: a fact is
    reached, and a wide question heard, only when the form rules and the trained head for telling (`Comprehension.invites`)
    let the turn through *and* the model says that it asks, in one or two questions that do not lead. A turn that either
    reader finds leading is leading. Whether a feeling is true is known to the case, not asked. So a therapist that talks
    the model round gains nothing that the embedded reading forbids.

    A reply that cannot be read is asked for again with the fault named, `drafts` in all; after that, when the model
    fails, and when it gives no answer within `limit` seconds, the embedded reading stands. `Appraisal.by` says which of
    the two it was, and why. The seed hangs on case, situation and place in the session: not on the therapist, so that
    arms stay paired. Temperature 0.

    Attributes:
        case: The case.
        embedded: The embedded reading of one situation.
        model: The model.
        drafts: Replies asked for at most.
        limit: Seconds waited for one reply.
    """

    case: Case
    embedded: Comprehension
    model: LanguageModel
    drafts: int = 2
    limit: float = 120.0

    async def __call__(self, session: Session) -> Appraisal:
        """The appraisal of the last therapist turn; `Appraisal.by` names the reader."""
        return (await self.read(session))[0]

    async def read(self, session: Session) -> tuple[Appraisal, Usage]:
        """The appraisal, and what the model calls behind it cost."""
        usual, spent = self.embedded(session), Usage()
        turn = session.last("therapist")
        text = turn.text if turn else ""
        if not usual.understood:
            return replace(usual, by="embedded, because the turn has no readable English"), spent
        if len(text) > LONGEST_TEXT:
            return replace(usual, by="embedded, because the turn is too long"), spent
        messages = self._messages(session)
        known = frozenset(e.id for e in self.embedded.situation.evidence)
        why = "was not asked"
        for draft in range(self.drafts):
            seed = derive_seed("comprehension", self.case.id, self.embedded.situation.id, len(session), draft) % 2**31
            try:
                reply = await asyncio.wait_for(
                    self.model.generate(messages, seed=seed, temperature=0.0, max_tokens=200), self.limit
                )
            except TimeoutError:
                why = f"gave no answer in time: {self.limit:g} s"
                break
            except ModelError as error:
                why = f"failed: {error}"
                break
            spent = spent + reply.usage
            try:
                reading = parse(reply.text, known)
            except Unreadable as fault:
                why = str(fault)
                messages = [
                    *messages,
                    {"role": "assistant", "content": reply.text},
                    {"role": "user", "content": f"This cannot be used: it {fault}. Answer with the JSON object alone."},
                ]
                continue
            return self._combined(reading, usual, text, session), spent
        return replace(usual, by=f"embedded, because the model {why}"), spent

    def _combined(self, reading: Reading, usual: Appraisal, text: str, session: Session) -> Appraisal:
        """The model's reading behind the gate of the embedded one."""
        asks = reading.manner == "asks" and reading.form != "none"
        leading = reading.leading or usual.leading
        invites = asks and reading.form != "pile" and not leading and self.embedded.invites(text)
        fact = reading.about if reading.about not in _BELIEFS and reading.about != "none" else None
        reaches: tuple[Reach, ...] = ()
        if fact is not None and invites:
            reaches = tuple(r for r in usual.reaches if r.evidence == fact) or (Reach(fact, STRENGTH),)
        slots = usual.asks
        if not slots and reading.about in _BELIEFS and asks and not leading:
            slots = (_BELIEFS[reading.about],)
        claims = self.embedded.claims(reading.feelings, session)
        wrong = any(not c.true and not c.tentative for c in claims)
        most = 0.0 if wrong else 1.0 if any(c.true for c in claims) else FIT_WITHOUT_FEELING
        return replace(
            usual,
            questions=max(3, usual.questions) if reading.form == "pile" else _QUESTIONS[reading.form],
            wide=reading.scope == "wide" and invites and not reaches,
            leading=leading,
            asks=slots,
            reaches=reaches,
            claims=claims,
            fit=min(reading.fit, most),
            by=f"model {self.model.name}",
        )

    def _messages(self, session: Session) -> list[Message]:
        situation = self.embedded.situation
        facts = [
            f"- {e.id}: {e.fact} (topics: {', '.join(e.topics)}; guarded: {e.guard:.1f} of 1)"
            for e in situation.evidence
        ]
        at = max(place for place, turn in enumerate(session.turns) if turn.speaker == "therapist")
        before = [
            f"{t.speaker.capitalize()}: {t.text[:LONGEST_TEXT]}" for t in session.turns[max(0, at - _TURNS_BEFORE) : at]
        ]
        material = (
            "Facts of this life:", *facts,
            f"hot_thought: {situation.automatic_thought}",
            f"core_belief: {' '.join(b.statement for b in self.case.core_beliefs)}",
            "What was said just before:", *(before or ["(nothing)"]),
            "The turn to read:", "-----", session.turns[at].text, "-----",
        )  # fmt: skip
        return [
            {"role": "system", "content": prompt("patient_comprehension").text},
            {"role": "user", "content": "\n".join(material)},
        ]
