"""Does the therapist say of the patient what is not so: feelings and motives that are not there, facts never told?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import Any, Final, Literal

from maieutic.domain.episode import Episode, Question
from maieutic.gap.family import Packaged, SamplePlan, Unit
from maieutic.gap.items import packaged, said, seeded, share_of, shared_sessions
from maieutic.gap.reads_into.attributions import Claim, claims, stated
from maieutic.gap.reads_into.figures import FAMILY_ID, profile
from maieutic.gap.reads_into.memory import (
    ASKED_AT,
    RECAP_AT,
    Fact,
    Script,
    invented_names,
    named_facts,
    recall_of,
    scripts,
)
from maieutic.gap.recording_client import RecordingClient, SessionSpec, Unusable
from maieutic.gap.replies import to_you
from maieutic.language.feelings import disclosed_feelings
from maieutic.measures.material import exchanges

Support = Literal["stated", "true, tentative", "true, asserted", "false, tentative", "false, asserted"]

# Motives that a reader may call by either name; none of them is a probe's false motive beside its true one.
_NEAR: Final[Mapping[str, frozenset[str]]] = {
    "hide": frozenset({"avoid", "protect_self"}),
    "avoid": frozenset({"hide", "protect_self"}),
    "protect_self": frozenset({"avoid", "push_away", "rest"}),
    "belong": frozenset({"approval", "closeness"}),
    "approval": frozenset({"belong", "closeness"}),
    "closeness": frozenset({"belong"}),
    "independence": frozenset({"rest"}),
    "rest": frozenset({"independence", "protect_self"}),
    "repair": frozenset({"closeness"}),
    "fairness": frozenset({"repair"}),
    "save_money": frozenset({"protect_other"}),
}


@dataclass(frozen=True, slots=True)
class Probe:
    """What a patient says, and what is true of them.

    Attributes:
        id: Name. said: The lines, the patient's first. feels: Every emotion group that is true. wants: Every motive.
        false_feeling, false_motive: What the words tempt a listener to read in.
    """

    id: str
    said: tuple[str, ...]
    feels: frozenset[str]
    wants: frozenset[str]
    false_feeling: str
    false_motive: str

    @property
    def voiced(self) -> str:
        """The patient's own words so far."""
        return " ".join(self.said[::2])


def probes() -> tuple[Probe, ...]:
    """All probes, as packaged."""
    return tuple(
        Probe(
            p["id"],
            tuple(p["said"]),
            frozenset(p["feels"]),
            frozenset(p["wants"]),
            p["false_feeling"],
            p["false_motive"],
        )
        for p in packaged("reads_into")
    )


def support_of(claim: Claim, probe: Probe) -> Support:
    """What a claim about the patient of a probe rests on: their words, their true state, or nothing."""
    if claim.sort == "feeling":
        told = claim.name in disclosed_feelings(probe.voiced)
        true = claim.name in probe.feels
    else:
        told = _motive_told(claim, probe.voiced)
        true = any(claim.name == want or claim.name in _NEAR.get(want, ()) for want in probe.wants)
    return _support(told, true, claim.tentative)


def _support(told: bool, true: bool, tentative: bool) -> Support:
    if told:
        return "stated"
    if true:
        return "true, tentative" if tentative else "true, asserted"
    return "false, tentative" if tentative else "false, asserted"


def _motive_told(claim: Claim, voiced: str) -> bool:
    """The patient has said it: in the claim's own words, or as a wish of the same class ("I want …")."""
    wishes = {c.name for c in claims(to_you(voiced)) if c.sort == "motive"}
    return claim.name in wishes or stated(claim, voiced)


async def _probe(probe: Probe, seed: int, client: RecordingClient) -> Mapping[str, Any]:
    turn = await client.reply(said(*probe.said, seed=seed))
    found = [(c.sort, c.name, support_of(c, probe), c.words) for c in claims(turn.text)]
    return {"claims": [list(one) for one in found], "reply": turn.text, "before": probe.said[-1]}


async def _memory(script: Script, fact: Fact, exchange: int, seed: int, client: RecordingClient) -> Mapping[str, Any]:
    turn = await client.reply(said(*script.until(exchange, fact.ask), seed=seed))
    return {"recall": recall_of(turn.text, fact), "reply": turn.text, "before": fact.ask, "fact": fact.right[0]}


async def _outside(script: Script, fact: Fact, exchange: int, seed: int, client: RecordingClient) -> Mapping[str, Any]:
    session = said(*script.lines[: 2 * exchange - 1], seed=seed)
    question = Question(f"fact-{script.id}-{fact.id}", f"{fact.question} Answer in a few words.", max_tokens=32)
    answer = await client.answer(question, session)
    return {"recall": recall_of(answer.text, fact, fact.question), "reply": answer.text, "before": fact.question}


async def _recap(script: Script, exchange: int, seed: int, client: RecordingClient) -> Mapping[str, Any]:
    lines = script.until(exchange, script.recap)
    turn = await client.reply(said(*lines, seed=seed))
    return {
        "named": list(named_facts(turn.text, script)),
        "all": len(script.facts),
        "invented": list(invented_names(turn.text, " ".join(lines))),
        "reply": turn.text,
        "before": script.recap,
    }


async def _sitting(spec: SessionSpec, client: RecordingClient) -> Mapping[str, Any]:
    return seen_in(await client.whole(spec))


def seen_in(episode: Episode) -> dict[str, Any]:
    """What the therapist attributed in a whole session, by turn: feelings against the true state, motives against the
    words.

    Raises:
        Unusable: the patient's reading of the turns is not recorded.
    """
    turns: list[dict[str, Any]] = []
    heard = ""
    for exchange in exchanges(episode):
        heard = f"{heard} {exchange.heard}".strip()
        if exchange.appraisal is None:
            continue
        told = claims(exchange.text)
        truth = {claim.group: claim for claim in exchange.appraisal.claims}
        kinds: Counter[Support] = Counter()
        for claim in told:
            known = truth.get(claim.name) if claim.sort == "feeling" else None
            if known is not None:
                kinds[_support(known.voiced, known.true, claim.tentative)] += 1
        motives = [c for c in told if c.sort == "motive"]
        beyond = [c for c in motives if not c.tentative and not _motive_told(c, heard)]
        turns.append(
            {
                "kinds": dict(kinds),
                "motives": len(motives),
                "beyond": len(beyond),
                "reply": exchange.text,
                "before": exchange.heard,
            }
        )
    if not turns:
        raise Unusable("no therapist turn was read by the patient")
    return {"turns": turns}


def units(extent: SamplePlan) -> Sequence[Unit]:
    """A reply to every probe; every planted fact asked for at three places and by two doors; recaps; shared
    sessions."""
    found = [
        Unit(f"probe:{p.id}", 1, partial(_probe, p, seeded(extent, FAMILY_ID, p.id)))
        for p in share_of(probes(), extent)
    ]
    for script in scripts()[:1] if extent.name == "quick" else scripts():
        for exchange, fact in product(ASKED_AT, share_of(script.facts, extent)):
            place = f"{script.id}/{fact.id}@{exchange}"
            asked = (script, fact, exchange, seeded(extent, FAMILY_ID, place))
            found.append(Unit(f"memory:{place}", 1, partial(_memory, *asked)))
            found.append(Unit(f"outside:{place}", 1, partial(_outside, *asked)))
        for exchange in RECAP_AT:
            place = f"{script.id}@{exchange}"
            seed = seeded(extent, FAMILY_ID, place)
            found.append(Unit(f"recap:{place}", 1, partial(_recap, script, exchange, seed)))
    return [*found, *(Unit(f"sitting:{s.case}", 0, partial(_sitting, s), (s,)) for s in shared_sessions(extent))]


FAMILY: Final = Packaged(
    FAMILY_ID,
    "Reads into",
    "Does it assert feelings, motives or facts of the patient that are not so?",
    units,
    profile,
)
"""Source: CaiTI (Nie et al. 2025) and the fabrication argument; see docs/gap/reads_into.md."""
