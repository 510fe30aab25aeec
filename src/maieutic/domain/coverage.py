"""What is wrong with a memory of a case, and where it has gaps: the checker's hints for writers."""

from __future__ import annotations

from typing import Literal

from maieutic.domain.case import Case
from maieutic.domain.memory import LIFE, Memory
from maieutic.domain.persons import unknown_persons
from maieutic.domain.question_form import QuestionForm

_EVERYDAY = tuple(
    f for f in QuestionForm if f.value in "who what when where how_many yes_no how_come sequence said".split()
)
_ASKED_OF_A_THOUGHT: tuple[tuple[QuestionForm, int], ...] = (
    (QuestionForm.THOUGHT, 1),
    (QuestionForm.FEELING, 1),
    (QuestionForm.BODY, 1),
    (QuestionForm.MEANING, 2),
    (QuestionForm.ORIGIN, 1),
    (QuestionForm.OTHER_VIEW, 3),
    (QuestionForm.DOUBLE_STANDARD, 1),
    (QuestionForm.ALTERNATIVE, 2),
    (QuestionForm.HOW_KNOW, 2),
    (QuestionForm.WORST, 1),
    (QuestionForm.LIKELY, 1),
    (QuestionForm.COST_BENEFIT, 2),
    (QuestionForm.SCALE_REST, 1),
    (QuestionForm.NOW, 1),
)
MIN_UNITS = 100
MIN_EVERYDAY = 3
LINKS_TO_A_FACT = 2
Severity = Literal["wrong", "gap"]


def faults(case: Case, memory: Memory) -> tuple[tuple[Severity, str], ...]:
    """What is wrong with a memory of this case, and where it has gaps, each as one sentence."""
    found: list[tuple[Severity, str]] = []
    situations = {s.id for s in case.situations}
    facts = {e.id for s in case.situations for e in s.evidence}
    known = {u.id for u in memory.units} | facts
    if memory.case != case.id:
        found.append(("wrong", f"the memory is of {memory.case!r}, the case is {case.id!r}"))
    found += [
        ("wrong", f"unit {u.id}: `of` is {u.of!r}, must be 'life' or one of {sorted(situations)}")
        for u in memory.units
        if u.of not in situations | {LIFE}
    ]
    found += [
        ("wrong", f"unit {u.id}: links to unknown {name!r}")
        for u in memory.units
        for name in u.links
        if name not in known
    ]
    found += [("wrong", f"unit {u.id} has the id of a fact") for u in memory.units if u.id in facts]
    missing = facts - {f.id for f in memory.facts}
    found += [("wrong", f"fact {name}: no entry under `facts`") for name in sorted(missing)]
    found += [("wrong", f"facts: unknown {f.id!r}") for f in memory.facts if f.id not in facts]
    said = [t for u in memory.units for t in (u.said, u.again, u.moved) if t]
    said += [t for f in memory.facts for t in (f.again, f.unmoved, f.moved)]
    found += [("wrong", f"said twice: {text!r}") for text in sorted({t for t in said if said.count(t) > 1})]
    if len(memory.units) < MIN_UNITS:
        found.append(("gap", f"{len(memory.units)} units; at least {MIN_UNITS} make a person who can be asked"))
    for situation in sorted(situations):
        found += [("gap", f"{situation}: {text}") for text in _thin(memory, situation)]
    for name in sorted(facts):
        near = sum(name in unit.links for unit in memory.units)
        if near < LINKS_TO_A_FACT:
            found.append(("gap", f"fact {name}: {near} unit(s) lead to it, at least {LINKS_TO_A_FACT} should"))
    found += [("gap", f"{name} is named, and no unit says who that is") for name in unknown_persons(case, memory)]
    return tuple(found)


def _thin(memory: Memory, situation: str) -> list[str]:
    own = [unit for unit in memory.units if unit.of == situation]
    within = memory.within(situation)
    found = []
    for form, least in _ASKED_OF_A_THOUGHT:
        count = sum(form in unit.forms for unit in own)
        if count < least:
            found.append(f"{count} unit(s) answer {form.value!r}, at least {least} should")
    for form in _EVERYDAY:
        count = sum(form in unit.forms for unit in within)
        if count < MIN_EVERYDAY:
            found.append(f"{count} unit(s) answer {form.value!r}, at least {MIN_EVERYDAY} should")
    return found
