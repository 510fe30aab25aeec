"""What is asked of the therapist: one reply to each opening."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.resources import files
from typing import Any

import yaml

from maieutic.gap.family import Observation, Profile, SamplePlan, Unit
from maieutic.gap.items import said, seeded, share_of
from maieutic.gap.recording_client import RecordingClient
from own_parts.one_at_a_time.figures import profile_of


@dataclass(frozen=True, slots=True)
class OneAtATime:
    """The family."""

    id: str = "one_at_a_time"
    title: str = "One question at a time"
    question: str = "Does it ask one thing at a time?"

    def units(self, extent: SamplePlan) -> Sequence[Unit]:
        """One an opening."""
        openings = yaml.safe_load(files("own_parts.one_at_a_time").joinpath("items.yaml").read_text(encoding="utf-8"))
        return [
            Unit(f"opening:{place}", 1, partial(_asked, opening, seeded(extent, self.id, str(place))))
            for place, opening in enumerate(share_of(openings, extent))
        ]

    def profile(self, seen: Sequence[Observation], extent: SamplePlan) -> Profile:
        """The figures; pure."""
        return profile_of(self.id, seen, extent)


async def _asked(opening: str, seed: int, desk: RecordingClient) -> Mapping[str, Any]:
    turn = await desk.reply(said(opening, seed=seed))
    return {"heard": opening, "said": turn.text, "questions": turn.text.count("?")}


FAMILY = OneAtATime()
