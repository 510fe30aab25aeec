"""Does the answer to a follow-up come from what was just told? Follow-ups that name nothing, on patients of development cases.

    python benchmarks/follow_ups.py             # follow-ups of our own; half a minute
    python benchmarks/follow_ups.py --held-out # by somebody who had seen neither code nor cases

A piece of a life is told, asked for in its own words; then comes a follow-up ("And then?", "What was that like?") that can only
mean it. Its answer comes from the piece itself or one beside it (told, told in fewer words, or nothing more of it), from the
diagram (thought, feeling, where it comes from), is short and tells nothing, asks back, is kept back, or comes from elsewhere.
Intervals by case.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random

from maieutic.coding.rules import RuleCoder
from maieutic.domain.appraisal import WORK
from maieutic.domain.case import Case
from maieutic.domain.episode import Session, Turn
from maieutic.domain.state import Act, CognitiveState, Intent
from maieutic.library import select_cases
from maieutic.patients.hearing.items import items_of
from maieutic.patients.intent import HARMLESS
from maieutic.patients.kernel import first_state
from maieutic.patients.simulated import SimulatedPatient
from maieutic.reading.minilm import shared_minilm
from maieutic.stats import bootstrap_mean
from worded import shown

HELD_OUT = Path(__file__).parent / "data" / "follow_ups.jsonl"
PIECES, EACH = 5, 4
"""Pieces drawn from each case, and follow-ups said after each."""
OPENNESS = 0.6
OWN = (
    "And then?",
    "What was that like for you?",
    "Tell me more about that.",
    "What happened next?",
    "Say a bit more?",
    "How did that end?",
    "What did you make of that?",
    "How come?",
    "And what went through you then?",
    "What was it about that?",
    "Go on, I'm listening.",
    "What else was there to it?",
    "And what did you do then?",
    "How do you mean?",
    "What did that mean to you?",
    "Could you stay with that a moment, what was it like?",
)
KINDS = ("from it", "of the diagram", "short", "asks back", "kept back", "elsewhere")
_DIAGRAM = frozenset({Act.THOUGHT, Act.FEELING, Act.BACKGROUND, Act.CONVICTION, Act.GOAL, Act.PLAN})
_SHORT = frozenset({Act.NOT_KNOWING, Act.CONFIRM, Act.WARMED})
_KEPT = frozenset({Act.DEFLECT, Act.RESIST})


def answers(case: Case, lines: Sequence[str], rng: Random) -> Iterator[tuple[str, str, str]]:
    """What each follow-up after each piece was answered from: the kind, the words before, the answer."""
    assert case.memory is not None
    situation = case.situations[0]
    patient = SimulatedPatient.of(case, situation.id, embed=shared_minilm())
    units = case.memory.within(situation.id)
    beside = {item.id: item.links for item in items_of(case, situation)}
    told = [u for u in units if u.guard <= HARMLESS and not WORK & set(u.forms) and beside[u.id]]
    for unit in rng.sample(told, PIECES):
        opening = case.phrasings.opening[situation.id][0]
        before = Session(
            (
                Turn("patient", opening),
                Turn("therapist", unit.asks[0]),
                Turn("patient", unit.said, trace={"told": [unit.id]}),
            )
        )
        state = replace(
            first_state(case, situation, Random(0)),
            openness=OPENNESS,
            told=(unit.id,),
            turn=1,
            intent=Intent(Act.ANSWER, unit=unit.id),
        )
        for line in rng.sample(list(lines), EACH):
            session = before + Turn("therapist", line)
            now = patient.transition(state, RuleCoder().code(session), patient.comprehend(session), Random(0))
            yield kind_of(now, unit.id, beside[unit.id]), f"{unit.said} | {line}", str(now.intent)


def kind_of(now: CognitiveState, unit: str, beside: frozenset[str]) -> str:
    """Where an answer comes from, one of `KINDS`."""
    intent = now.intent
    told = {name for name in (intent.unit, intent.evidence) if name}
    if intent.act in (Act.MEANT, Act.AGAIN, Act.NO_MORE) and not told - beside - {unit}:
        return "from it"
    if told:
        return "from it" if told & (beside | {unit}) else "elsewhere"
    if intent.act in _DIAGRAM:
        return "of the diagram"
    if intent.act is Act.ASK_BACK:
        return "asks back"
    return "short" if intent.act in _SHORT else "kept back" if intent.act in _KEPT else "elsewhere"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--held-out", action="store_true")
    parser.add_argument("--show", action="store_true", help="every answer")
    asked = parser.parse_args()
    lines: Sequence[str] = OWN
    if asked.held_out:
        lines = [json.loads(line)["t"] for line in HELD_OUT.read_text(encoding="utf-8").splitlines()]
    rng, found = Random(50), []
    for case in select_cases(split="dev"):
        if case.memory is not None:
            found += [(case.id, *one) for one in answers(case, lines, rng)]
    if asked.show:
        for case_id, kind, said, intent in found:
            print(f"{kind}: {case_id}: {said} -> {intent}")
    print(f"{len(found)} follow-ups after {PIECES} pieces of each of {len({one[0] for one in found})} cases")
    for kind in KINDS:
        hits = [float(one[1] == kind) for one in found]
        print(f"{kind}: {shown(bootstrap_mean(hits, clusters=[one[0] for one in found], rng=Random(7)), 2)}")


if __name__ == "__main__":
    main()
