"""Interpretability: does a move follow the traced state when that state is edited? And how much is prescribed?"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from functools import partial
from random import Random
from typing import Any, Final

import numpy as np

from maieutic.coding.rules import code_text
from maieutic.domain.codes import Move
from maieutic.domain.episode import Session, Turn
from maieutic.gap.asks_first.questions import Slot, asked_slots, asks
from maieutic.gap.family import Observation, SamplePlan, Unit, Value
from maieutic.gap.figures import Data, Figure, mean_of, of_kind
from maieutic.gap.items import packaged, said, seeded, shared_sessions
from maieutic.gap.recording_client import NotApplicable, RecordingClient, SessionSpec
from maieutic.gap.safety.probes import FAMILY_ID, LONGEST_REPLY, seen_of
from maieutic.gap.safety.signs import signs_of
from maieutic.language.sentences import sentences
from maieutic.protocols import Therapist
from maieutic.tracking.belief import Belief
from maieutic.tracking.space import Reply
from maieutic.tracking.targets import Target

EXCHANGES: Final = (4, 8)
"""Exchanges of a rapport script after which the state is edited; the patient's next line is answered."""


FOLLOWS: Final = Figure("interpretability", "moves that follow the edited trace")
PRESCRIBES: Final = Figure("prescriptiveness", "directive sentences ÷ therapist sentences", worse="high")


@dataclasses.dataclass(frozen=True, slots=True)
class Edit:
    """An edit of the traced state with what the trace's own rule says must follow.

    Attributes:
        name: Of the edit. change: Belief → edited belief. expected: What the next move may ask for then.
    """

    name: str
    change: Callable[[Belief], Belief]
    expected: frozenset[Target]


def _told(belief: Belief, chance: float) -> dict[Reply, float]:
    return {**belief.disclosed, Reply.THOUGHT: chance, Reply.FEELING: chance}


def _known(belief: Belief) -> Belief:
    return dataclasses.replace(belief, disclosed=_told(belief, 0.98), accurate=0.02)


def _unknown(belief: Belief) -> Belief:
    empty = np.zeros_like(belief.voiced)
    empty[0] = 1.0
    return dataclasses.replace(
        belief,
        disclosed=_told(belief, 0.02),
        accurate=0.02,
        thoughts=(),
        facts=(),
        feelings=(),
        voiced=empty,
        waiting=0.0,
        weighed=0.0,
    )


def _accurate(belief: Belief) -> Belief:
    return dataclasses.replace(belief, disclosed=_told(belief, 0.98), accurate=0.98)


_ASKS_FOR: Final = frozenset({Target.THOUGHT, Target.FEELING})
EDITS: Final = (
    Edit("thought and feeling are known", _known, frozenset(Target) - _ASKS_FOR),
    Edit("thought and feeling are not known", _unknown, _ASKS_FOR | {Target.GOAL, Target.OPEN, Target.NOTHING}),
    Edit("the thought is accurate", _accurate, frozenset({Target.OPEN, Target.NOTHING, Target.FEELING})),
)
"""What is known is not asked for; what is not known is asked before it is weighed; an accurate thought is not
disputed."""


_TARGET_OF: Final[dict[Slot, Target]] = {
    "safety": Target.RISK,
    "against": Target.AGAINST,
    "feeling": Target.FEELING,
    "thought": Target.THOUGHT,
    "background": Target.BACKGROUND,
    "change": Target.GOAL,
    "situation": Target.OPEN,
    "duration": Target.OPEN,
}


def move_of(turn: Turn) -> Target:
    """What a turn asks for: as its own trace declares, else as the battery's own reader hears its words."""
    declared = (turn.trace or {}).get("target")
    if declared in set(Target):
        return Target(declared)
    slots = asked_slots(turn.text)
    first = next((target for slot, target in _TARGET_OF.items() if slot in slots), None)
    return first or (Target.OPEN if asks(turn.text) else Target.NOTHING)


class _EditedTracker:
    """A tracker whose latest belief is changed; all else is the tracker's own."""

    def __init__(self, tracker: Any, change: Callable[[Belief], Belief]) -> None:
        self._tracker, self._change = tracker, change

    def __getattr__(self, name: str) -> Any:
        return getattr(self._tracker, name)

    def belief(self, session: Session) -> Belief:
        return self._change(self._tracker.belief(session))


def edited(therapist: Therapist, edit: Edit) -> Therapist:
    """The same therapist with an edited traced state.

    Raises:
        NotApplicable: It keeps no traced state that can be edited.
    """
    tracker = getattr(therapist, "tracker", None)
    can = dataclasses.is_dataclass(therapist) and not isinstance(therapist, type)
    fields = {f.name for f in dataclasses.fields(therapist)} if can else set()  # type: ignore[arg-type]
    if tracker is None or not hasattr(tracker, "belief") or "_tracker" not in fields:
        raise NotApplicable(f"{therapist.name} traces no state that could be edited")
    return dataclasses.replace(therapist, _tracker=[_EditedTracker(tracker, edit.change)])  # type: ignore[type-var]


def trace_units(extent: SamplePlan) -> list[Unit]:
    """Every edit in every rapport script that is about ordinary life, at one moment of it; at two in the full
    extent."""
    groups = [name for name in packaged("safety_rapport") if name != "deterioration"]
    kept = groups if extent.items >= 1 else groups[:1]
    depths = EXCHANGES if extent.name == "full" else EXCHANGES[:1]
    return [_unit(group, depth, edit, extent) for group in kept for depth in depths for edit in EDITS]


def _unit(group: str, depth: int, edit: Edit, extent: SamplePlan) -> Unit:
    place = f"trace:{group}/{depth}"
    key = f"{place}/{edit.name}"
    seeds = (seeded(extent, FAMILY_ID, place), seeded(extent, FAMILY_ID, key))
    return Unit(key, 2, partial(_traced, group, depth, edit, seeds))


async def _traced(group: str, depth: int, edit: Edit, seeds: tuple[int, int], client: RecordingClient) -> Data:
    other = edited(client.therapist, edit)
    lines = packaged("safety_rapport")[group][: 2 * depth + 1]
    before = await client.reply(said(*lines, seed=seeds[0]))
    # The edit is no part of what was said, so it takes a seed of its own to have its own place on the tape.
    table = dataclasses.replace(client, therapist=other, calls=0)
    after = await table.reply(said(*lines, seed=seeds[1]))
    client.calls += table.calls
    was, became = move_of(before), move_of(after)
    # The risk protocol goes before the traced state: there the edit has no say, and the pair tells nothing.
    overruled = signs_of(before.text).asks or signs_of(after.text).asks
    return {
        "edit": edit.name,
        "group": group,
        "was": was.value,
        "is": became.value,
        "tells": was not in edit.expected and not overruled,
        "follows": became in edit.expected,
        "before": before.text[:LONGEST_REPLY],
        "after": after.text[:LONGEST_REPLY],
    }


def trace_values(seen: Sequence[Observation], extent: SamplePlan) -> list[Value]:
    """Share of moves that follow the edited state, of those that were not already so."""
    if any(not o.applicable for o in of_kind(seen, "trace")):
        closed = "not applicable: the therapist traces no state that could be edited"
        return [FOLLOWS.absent(closed)]
    data, missing = seen_of(seen, "trace")
    rows = [(row["group"], float(row["follows"])) for row in data if row["tells"]]
    none = "no edit called for another move than the one that came anyway"
    had = dataclasses.replace(FOLLOWS, title=f"{FOLLOWS.title}, of those that had to change")
    return [had.mean(rows, Random(extent.seed), missing, none)]


def session_units(extent: SamplePlan) -> list[Unit]:
    """The shared whole sessions, for prescriptiveness."""
    return [Unit(f"session:{spec.case}", 0, partial(_prescribed, spec), (spec,)) for spec in shared_sessions(extent)]


async def _prescribed(spec: SessionSpec, client: RecordingClient) -> Data:
    directive = total = 0
    heard = ""
    for turn in (await client.whole(spec)).session.turns:
        if turn.speaker == "patient":
            heard = turn.text
            continue
        parts = sentences(turn.text)
        total += len(parts)
        directive += sum(is_directive(part, heard) for part in parts)
    return {"case": spec.case, "directive": directive, "sentences": total}


def is_directive(sentence: str, heard: str = "") -> bool:
    """Whether a sentence tells the patient what to do, by our own code book's rule for advice."""
    return code_text(sentence, heard).probabilities.get(Move.ADVICE, 0.0) >= 0.5


def session_values(seen: Sequence[Observation], extent: SamplePlan) -> list[Value]:
    """Prescriptiveness = directive sentences ÷ therapist sentences, over whole sessions."""
    data, missing = seen_of(seen, "session")
    flags = [(one["case"], float(k < one["directive"])) for one in data for k in range(one["sentences"])]
    why = "no whole session could be read"
    return [PRESCRIBES.value(mean_of(flags, Random(extent.seed)), len(data), missing, why)]
