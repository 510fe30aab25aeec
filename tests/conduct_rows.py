"""Made-up rows of the agent's evidence."""

from __future__ import annotations

from dataclasses import replace

from maieutic.validation.agent.sessions import Conduct

CASES = [f"case-{n}" for n in range(12)]


def row(arm: str, case: str, fall: float, seed: int = 0, **more: object) -> Conduct:
    made = Conduct(
        "standard", arm, case, seed, "regular", (80.0, 80.0 - fall), 30.0, ((0.3, 0.2), (0.4, 0.2), (0.5, 0.5), (0.6, 0.7), (0.7, 0.9), (0.8, 0.9)),
        ((False, False), (True, True), (False, False)), (0.1,) * 12, (), ("sad",), False, "completed",
    )  # fmt: skip
    return replace(made, **more)  # type: ignore[arg-type]


def played(falls: dict[str, float]) -> list[Conduct]:
    return [row(arm, case, fall + 0.1 * n) for arm, fall in falls.items() for n, case in enumerate(CASES)]
