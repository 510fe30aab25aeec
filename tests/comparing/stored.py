"""Runs made by hand for tests of comparing, gating and ranking: sources of sessions with numbers that are known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from episodes import make_episode, make_states
from maieutic.comparing.sources import Source
from maieutic.domain.episode import Episode, EpisodeKey

WARRANTED = 30.0


def session(
    arm: str, case: str, held: Sequence[float], *, seed: int = 0, special: str | None = None, words: str = "I see."
) -> Episode:
    """One session whose held conviction takes these values, from before the first turn on."""
    said = ["It went on."] + [w for n in range(len(held) - 1) for w in (f"{words} {n}", "It went on.")]
    made: dict[str, Any] = {"warranted": WARRANTED, "against": ("a", "b"), "facts": {"a": "against", "b": "against"}}
    made |= {"special": special, "case_name": case.title(), "thought": "I fail at everything"}
    states = make_states(*({"held": value, "stated": value} for value in held))
    found = make_episode(said, states=states, provenance=made)
    return replace(found, key=EpisodeKey(arm, case, seed))


def source(name: str, episodes: Sequence[Episode], **manifest: Any) -> Source:
    """A finished run of these sessions."""
    cases = {e.key.case: "hash" for e in episodes}
    seeds: Mapping[str, int] = dict.fromkeys({e.key.therapist for e in episodes}, 1)
    made = {
        "kind": "evaluate", "cases": cases, "seeds": seeds, "turns": 20, "limit": None, "run_seed": 0,
        "patient": "simulated", "prompts": {"patient_voice": "1"}, "versions": {"maieutic": "0.1.0"}, "models": [],
    }  # fmt: skip
    return Source(name, made | manifest, tuple(episodes))


def grid(arm: str, falls: Mapping[str, Sequence[float]], words: str = "I see.") -> list[Episode]:
    """Sessions that fall from 80 by so much, one value a seed of each case."""
    return [
        session(arm, case, [80.0, 80.0, 80.0 - fall], seed=seed, words=words)
        for case, own in falls.items()
        for seed, fall in enumerate(own)
    ]
