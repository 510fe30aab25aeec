"""A language model for a mouth: does it leak, does it say what was decided, and who worded what?

Fidelity is judged by sentence similarity, which is not the filter that the voice itself uses (that one counts words).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from random import Random

import numpy as np

from maieutic.coding.rules import RuleCoder
from maieutic.dialogue import Conversation, Streams, converse
from maieutic.domain.episode import Episode, EpisodeKey
from maieutic.library import get_case
from maieutic.models.embedding import MiniLM
from maieutic.patients.dynamics import Mind
from maieutic.patients.simulated import SimulatedPatient
from maieutic.patients.voiced import VoicedPatient
from maieutic.protocols import LanguageModel
from maieutic.registry import load_model, load_therapist
from maieutic.stats import bootstrap_mean, wilson
from maieutic.validation.bounds import Finding
from maieutic.validation.rows import row_of
from maieutic.validation.worlds import reading

ARM = "wide"
FAITHFUL = 0.5
"""Cosine of the sentence vectors of what was decided and what was said, from which a wording counts as faithful."""


def check(spec: str, cases: Sequence[str], *, turns: int, tick: Callable[[int], None]) -> list[Finding]:
    """Sessions of one arm with patients voiced by the model; one a case."""
    model = load_model(spec)
    episodes = asyncio.run(_play(model, cases, turns, tick))
    whole = [e for e in episodes if not e.failed]
    rows = [row_of(e, world="voiced", style=get_case(e.key.case).style) for e in whole]
    said = [(t, e.key.case) for e in whole for t in e.session.by("patient") if t.trace and "voice" in t.trace]
    own = [(t, case) for t, case in said if t.trace and t.trace["voice"] == "model"]
    embed = MiniLM()
    alike = [
        float(np.dot(*embed([str((t.trace or {})["decided"]), t.text])) >= FAITHFUL) for t, _ in own
    ]  # fmt: skip
    leaky = sum(r.leaks > 0 for r in rows)
    note = f"{len(episodes) - len(whole)} sessions failed" if len(whole) < len(episodes) else ""
    return [
        Finding("voices", f"sessions voiced by {spec} with a leak ({leaky} of {len(rows)})", wilson(leaky, len(rows)), "share", "≤ 0.01", leaky <= 0.01 * len(rows) if rows else None, note or "judged by the share itself"),
        Finding("voices", "patient turns that the model worded; the others fell back on the template", wilson(len(own), len(said)), "share"),
        Finding("voices", "worded turns that say what was decided", bootstrap_mean(alike, clusters=[c for _, c in own], rng=Random(7)) if alike else None, "share", note="" if alike else "the model worded no turn"),
    ]  # fmt: skip


async def _play(model: LanguageModel, cases: Sequence[str], turns: int, tick: Callable[[int], None]) -> list[Episode]:
    found = []
    try:
        for name in cases:
            case = get_case(name)
            situation = case.situations[0]
            inner = SimulatedPatient(Mind(case, situation), reading(name, situation.id))
            talk = Conversation(
                load_therapist(ARM),
                VoicedPatient(inner, model),
                RuleCoder(),
                turns,
                Streams(0, EpisodeKey(ARM, name, 0)),
            )
            episode = await converse(talk, guarded=True)
            found.append(replace(episode, provenance={"special": None, "warranted": situation.warranted}))
            tick(1)
    finally:
        await model.close()
    return found
