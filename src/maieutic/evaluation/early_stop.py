"""When to stop asking a therapist that fails the same way again and again, and how that is told."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

BEFORE_ANY: Final = 5
"""Equal failures in a row after which nothing more is asked, while nothing has come yet: a wrong key or address."""
AFTER_SOME: Final = 20
"""The same once something has come: an outage, which a few bad replies are not."""


@dataclass(slots=True)
class EarlyStop:
    """Counts equal failures in a row; what differs in numbers only (attempts, ports, seconds) is equal.

    Attributes:
        reason: The last failure, in the words of the server or the system.
        count: How many in a row were like it.
        most: How many in a row are enough; None for 5 before anything came and 20 after.
    """

    reason: str = ""
    count: int = 0
    most: int | None = None
    _some: bool = False

    def worked(self) -> None:
        """Something came."""
        self._some, self.count, self.reason = True, 0, ""

    def failed(self, reason: str) -> None:
        """Nothing came, and why."""
        alike = _without_numbers(reason) == _without_numbers(self.reason)
        self.count = self.count + 1 if alike else 1
        self.reason = reason

    @property
    def stopped(self) -> str | None:
        """Why nothing more is asked, or None while it goes on."""
        if self.count < (self.most or (AFTER_SOME if self._some else BEFORE_ANY)):
            return None
        return f"not asked: {self.count} times in a row it failed alike ({self.reason})"


def _without_numbers(reason: str) -> str:
    return "".join(sign for sign in reason if not sign.isdigit() and sign != ".")
