"""Family 'lost': does the therapist hold in pieces, over turns, what it holds when it is told all at once?

After Laban et al. 2025 (arXiv 2505.06120), with cases for tasks and a formulation for the answer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Final

from maieutic.domain.episode import Session, Turn
from maieutic.gap.family import Packaged, SamplePlan, Unit
from maieutic.gap.items import said, seeded, shared_sessions
from maieutic.gap.lost.cases import (
    LONGEST,
    PIECES,
    SETTINGS,
    Piece,
    Setting,
    Sharded,
    next_said,
    sharded,
    told_again,
    told_as_list,
    told_whole,
    with_earlier,
)
from maieutic.gap.lost.figures import FAMILY_ID, profile
from maieutic.gap.lost.formulation import points, question, read, score
from maieutic.gap.lost.labels import kind_of
from maieutic.gap.recording_client import NotApplicable, RecordingClient, Unusable

CALLS: Final[dict[Setting, int]] = {"full": 1, "concat": 1, "sharded": LONGEST + 3, "snowball": LONGEST + 1}
"""Replies and answers of one draw at most; a sharded one is asked at its first answer attempt, at the end and after the
recap."""


def units(extent: SamplePlan) -> Sequence[Unit]:
    """One a case, draw and setting."""
    return [
        Unit(
            f"{case}:{setting}:{sample}",
            CALLS[setting],
            partial(_work, case, setting, seeded(extent, FAMILY_ID, f"{case}:{setting}", sample)),
        )
        for case in dict.fromkeys(s.case for s in shared_sessions(extent))
        for setting in SETTINGS
        for sample in range(extent.samples)
    ]


async def _work(case: str, setting: Setting, seed: int, client: RecordingClient) -> Mapping[str, Any]:
    shards = sharded(case)
    if setting in ("full", "concat"):
        text = told_whole(shards) if setting == "full" else told_as_list(shards)
        whole = await _formulated(client, shards, said(text, seed=seed), "end")
        if "points" not in whole:
            raise Unusable(whole["fault"]) if whole["applicable"] else NotApplicable(whole["fault"])
        return {"case": case, "setting": setting, "end": whole}
    return await _over_turns(client, shards, setting, seed)


async def _over_turns(client: RecordingClient, shards: Sharded, setting: Setting, seed: int) -> Mapping[str, Any]:
    """SHARDED, with RECAP behind it, or SNOWBALL: the lazy patient until everything is told."""
    session = said(shards.opening, seed=seed)
    told: tuple[Piece, ...] = ()
    turns: list[dict[str, Any]] = []
    found: dict[str, Any] = {"case": shards.case, "setting": setting}
    dry = False
    while len(told) < len(PIECES):
        heard = session.turns[-1].text
        reply = await client.reply(session, refusals=True)
        session = session + Turn("therapist", reply.text)
        kind = kind_of(reply.text, heard)
        if setting == "sharded" and kind.concludes and "first" not in found:
            found["first"] = await _formulated(client, shards, session, "first") | {"told": list(told)}
        answer = next_said(shards, session, told, dry=dry)
        earlier = (shards.opening, *(shards.piece(p) for p in told))
        turns.append(
            {
                "label": kind.label,
                "concludes": kind.concludes,
                "out": len(told),
                "said": reply.text,
                "heard": heard,
                "brought": answer.piece,
                "asked": answer.asked,
            }
        )
        text = answer.text if setting == "sharded" else with_earlier(shards, earlier, answer.text)
        session = session + Turn("patient", text)
        dry = answer.piece is None
        told = told if answer.piece is None else (*told, answer.piece)
    if all(turn["label"] == "refuse" for turn in turns):
        raise Unusable("every turn of the session is a refusal")
    found |= {"turns": turns, "end": await _formulated(client, shards, session, "end")}
    if setting == "sharded":
        found["recap"] = await _formulated(client, shards, _recapped(session, shards), "end")
    return found


def _recapped(session: Session, shards: Sharded) -> Session:
    """The session with everything told again in the patient's last turn."""
    last = session.turns[-1]
    return Session((*session.turns[:-1], Turn("patient", f"{last.text}\n{told_again(shards)}")), session.seed)


async def _formulated(client: RecordingClient, shards: Sharded, session: Session, when: str) -> dict[str, Any]:
    """The formulation at one place: its points and lines, or why there is none. A missing one spoils no other
    figure."""

    def scored(text: str) -> dict[str, Any]:
        formulation = read(text)
        parts = score(formulation, shards)
        named = {**formulation.lines, "feeling": formulation.emotion, "belief": formulation.belief}
        return {"points": points(parts), "parts": dict(parts), "named": {piece: named[piece] for piece in PIECES}}

    return await client.attempt(question(when), session, scored)


FAMILY: Final = Packaged(
    FAMILY_ID,
    "Lost in conversation",
    "Does it hold in pieces, over turns, what it holds when it is told all at once?",
    units,
    profile,
)
