"""What a policy can be rewarded for: one place for evaluation's tables, the training door and preference pairs.

A reward is a number of a stored session, better being higher: a measure in its better direction, under its own id or a
short name, or how many attributes of a good question its turns have.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from maieutic.domain.appraisal import Appraisal
from maieutic.domain.episode import Episode, Score
from maieutic.errors import UnknownName
from maieutic.measures.definition import EpisodeMeasure
from maieutic.registry import load_measures

SHORT: Final = {
    "conviction": "conviction_change",
    "emotion": "distress_change",
    "warranted": "warranted_distance",
    "alliance": "alliance_change",
}
"""Short name → measure."""
ATTRIBUTES: Final = "attributes"
LOOK_AHEAD: Final = "multi_turn"
"""No number of a stored session: both replies are played on (`maieutic.training.futures`)."""


@dataclass(frozen=True, slots=True)
class Reward:
    """A number of a session so far, better being higher; a turn earns what it adds to it.

    Attributes:
        name: As it was asked for.
        measure: The score of a session.
        unit: Of the score.
        sign: 1 where a higher score is better, −1 where a lower is.
    """

    name: str
    measure: Callable[[Episode], Score]
    unit: str
    sign: float = 1.0

    def of(self, episode: Episode) -> float | None:
        """The reward of a session; None where it cannot be had."""
        value = self.measure(episode).value
        return None if value is None else self.sign * value

    def value(self, episode: Episode) -> tuple[float, str | None]:
        """The reward so far, and the reason where it is missing and counted as 0."""
        score = self.measure(episode)
        return (0.0, score.reason) if score.value is None else (self.sign * score.value, None)


def rewards() -> dict[str, Reward]:
    """Every measure that claims a direction, by id and by short name, and the attributes."""
    found: dict[str, Reward] = {}
    for measure in load_measures():
        if isinstance(measure, EpisodeMeasure) and measure.better is not None:
            sign = 1.0 if measure.better == "higher" else -1.0
            found[measure.id] = Reward(measure.id, measure, measure.unit, sign)
    for short, name in SHORT.items():
        long = found[name]
        found[short] = Reward(short, long.measure, long.unit, long.sign)
    found[ATTRIBUTES] = Reward(ATTRIBUTES, attributes_met, "share")
    return found


def reward_named(name: str) -> Reward:
    """The reward of a name. Raises `UnknownName` with the nearest one."""
    known = rewards()
    if name not in known:
        raise UnknownName("reward (a measure of which one direction is better)", name, known)
    return known[name]


def attributes_of(appraisal: Appraisal) -> dict[str, bool]:
    """Which attributes of a good question a turn has, as the patient heard it; one that asks nothing has none.

    After ALFA's question attributes (2025); departures: the reader is the simulated patient's ear, whether the answer
    fits the time is left out, and `grounded` means that it reaches something that this patient can tell.
    """
    asks = appraisal.understood and appraisal.questions > 0
    return {
        "asks": asks,
        "open": asks and appraisal.open,
        "single": asks and not appraisal.stacked,
        "not_leading": asks and not appraisal.leading,
        "clear": asks and not appraisal.unclear,
        "grounded": asks and bool(appraisal.reaches or appraisal.unit or appraisal.again),
    }


def attributes_met(episode: Episode) -> Score:
    """Share of the attributes that the therapist's turns have, over turns: a reward that no turn before or after
    moves."""
    read = [attributes_of(one) for one in episode.appraisals if one is not None]
    if episode.failed or not episode.therapist_turns or not read:
        return Score(ATTRIBUTES, None, "share", "no therapist turn whose reading is recorded")
    return Score(ATTRIBUTES, sum(sum(one.values()) / len(one) for one in read) / len(read), "share")
