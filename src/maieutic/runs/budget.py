"""The limit on a run's calls and cost: counted in one place, and a stop that leaves everything to go on with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from maieutic.errors import BudgetReached

if TYPE_CHECKING:
    from maieutic.domain.episode import Usage

GO_ON = "add --resume to go on"


@dataclass(slots=True)
class Budget:
    """Counts calls and cost and says when to stop.

    Attributes:
        max_calls: Calls after which there is none; None for no limit.
        max_cost: Cost after which there is none, in the unit of `prices`; None for no limit.
        prices: Price of a million input and output tokens.
        calls: Made so far.
        cost: Of them.
    """

    max_calls: int | None = None
    max_cost: float | None = None
    prices: tuple[float, float] | None = None
    calls: int = 0
    cost: float = 0.0

    def check(self, go_on: str = GO_ON) -> None:
        """Raises `BudgetReached`, with what to do, where the limit is reached."""
        if self.max_calls is not None and self.calls >= self.max_calls:
            raise BudgetReached(f"--max-calls {self.max_calls} is used up; {go_on}")
        if self.max_cost is not None and self.cost >= self.max_cost:
            raise BudgetReached(f"--max-cost {self.max_cost:g} is used up; {go_on}")

    def take(self, go_on: str = GO_ON) -> None:
        """One more call. Raises `BudgetReached` where there is none left; it is not counted then."""
        self.check(go_on)
        self.calls += 1

    def count(self, usage: Usage | None) -> None:
        """What was used. Raises `BudgetReached` where that reaches the limit."""
        if usage is None:
            return
        self.calls += usage.calls
        into, out = self.prices or (0.0, 0.0)
        self.cost += ((usage.input_tokens or 0) * into + (usage.output_tokens or 0) * out) / 1e6
        self.check()
