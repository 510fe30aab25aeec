"""A kept session with a simulated patient, and what is told after it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from maieutic.cli import wings
from maieutic.cli.screen import say

if TYPE_CHECKING:
    from collections.abc import Mapping

    from maieutic.dialogue import Observer
    from maieutic.domain.case import Case
    from maieutic.domain.episode import Episode
    from maieutic.protocols import Therapist


async def sitting(
    therapist: Therapist, case: Case, held: dict[str, Any], *, observer: Observer | None = None
) -> Episode:
    """A kept session with a patient of a case; mind, situation and luck of its seed are those that it has in
    `evaluate`.

    What a model behind the patient has answered is kept with it, so that a session that goes on is the same session.
    """
    from maieutic.coding.rules import RuleCoder
    from maieutic.dialogue import Conversation, Streams, converse
    from maieutic.domain.episode import EpisodeKey
    from maieutic.evaluation.evaluate import make_patients
    from maieutic.evaluation.plan import RUN_SEED, drawn_situation

    seed, replies = held["seed"], held.get("replies", {})
    make, model = make_patients(held["patient"], replies)
    if model is not None:
        held["replies"] = replies
    talk = Conversation(
        therapist=therapist,
        patient=make(case, drawn_situation(case, RUN_SEED, seed)),
        coder=RuleCoder(),
        max_turns=held["turns"],
        streams=Streams(RUN_SEED, EpisodeKey("keyboard", case.id, seed)),
        observer=observer,
    )
    try:
        return await converse(talk)
    finally:
        if model is not None:
            await model.close()


def tell_feedback(episode: Episode, held: Mapping[str, Any]) -> None:
    """What each turn did and reached, and where each fact stands."""
    from maieutic.evaluation.plan import RUN_SEED, drawn_situation
    from maieutic.library import get_case

    case = get_case(held["case"])
    situation = case.situation(drawn_situation(case, RUN_SEED, held["seed"]))
    for line in wings.feedback(episode, case, situation):
        say(line, whole=True)
