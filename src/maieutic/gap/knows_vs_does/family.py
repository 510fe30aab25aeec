"""Knows against does: does the therapist make the move that it has just named as the best one?

Sources: Schmied et al. 2025 (knowing and doing of language models as agents), Mancoridis et al. 2025 (potemkin
understanding). Items are our own: `items/frozen_moves.yaml`, `items/concepts.yaml`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from maieutic.gap.family import Observation, Profile, SamplePlan, Unit
from maieutic.gap.knows_vs_does.figures import move_values, repeat_table, sentence_of, worst_of
from maieutic.gap.knows_vs_does.potemkin import potemkin_values
from maieutic.gap.knows_vs_does.tasks import concept_units, move_units


@dataclass(frozen=True, slots=True)
class KnowsVsDoes:
    """Names the next move at frozen moments, then acts; defines concepts, then uses them.

    The headline is the gap K·(1 − D|K): the share of moments at which it named a right kind of move and then did not make
    it. Limit 0.33, set before any run: half of what the printed figures of Schmied et al. come to, 0.87·(1 − 0.24) =
    0.66.
    """  # noqa: E501

    id: str = "knows_vs_does"
    title: str = "Knows against does"
    question: str = "Does it make the move that it has just named as the best one?"

    def units(self, extent: SamplePlan) -> Sequence[Unit]:
        """Naming and acting at every frozen moment, acting after repeated moves, and one unit a concept."""
        return (*move_units(extent), *concept_units(extent))

    def profile(self, seen: Sequence[Observation], extent: SamplePlan) -> Profile:
        """The figures; what is missing is counted, never scored."""
        values = (*move_values(seen, extent), *potemkin_values(seen, extent))
        return Profile(
            family=self.id,
            values=values,
            worst=worst_of(seen),
            sentence=sentence_of(values),
            untested=(
                "whether the right kind of move is also done well: only its kind is read, by rules",
                "tone, silence and the moment at which something is said",
                "a reason that is right and uses none of the expected words counts as none (K itself needs no reason)",
            ),
            tables=(repeat_table(seen),),
        )


FAMILY = KnowsVsDoes()
