"""How much a server takes on at once, and what it counts of itself for Prometheus."""

from __future__ import annotations

from dataclasses import dataclass, field

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

from maieutic.serving.refusals import Refusal

_SECONDS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0, 120.0)


@dataclass(frozen=True, slots=True)
class Limits:
    """What a server refuses.

    Attributes:
        body: Bytes of a request.
        turns: Turns of a conversation.
        in_flight: Requests at once; one more gets 429 and is asked to come again.
        seconds: Time for one reply.
    """

    body: int = 1_000_000
    turns: int = 200
    in_flight: int = 64
    seconds: float = 120.0


class Gate:
    """Lets so many requests in at once, and counts.

    Attributes:
        registry: The counts, for /metrics.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._inside = 0
        self.registry = CollectorRegistry()
        self._requests = Counter(
            "maieutic_requests",
            "Chat requests by kind of model and status.",
            ("kind", "status"),
            registry=self.registry,
        )
        self._seconds = Histogram(
            "maieutic_reply_seconds", "Time to a whole reply.", ("kind",), buckets=_SECONDS, registry=self.registry
        )
        in_flight = Gauge("maieutic_requests_in_flight", "Chat requests being answered.", registry=self.registry)
        in_flight.set_function(lambda: float(self._inside))
        self.handovers = Counter("maieutic_handovers", "Replies that were the fixed hand-over.", registry=self.registry)
        self.foreign = Counter(
            "maieutic_foreign_histories", "Requests with turns the model cannot have said.", registry=self.registry
        )
        self.unlogged = Counter("maieutic_unlogged", "Requests that --log could not write.", registry=self.registry)

    def count(self, kind: str, status: int, seconds: float) -> None:
        """Note a finished request."""
        self._requests.labels(kind, str(status)).inc()
        self._seconds.labels(kind).observe(seconds)

    @property
    def inside(self) -> int:
        """Requests that are being answered."""
        return self._inside

    def enter(self) -> Slot:
        """A slot, to be left once. Raises `Refusal` when all are taken."""
        if self._inside >= self._most:
            raise Refusal(
                429,
                f"{self._most} requests are being answered; come again",
                "too_many_requests",
                headers={"retry-after": "1"},
            )
        self._inside += 1
        return Slot(self)

    def leave(self) -> None:
        self._inside -= 1


@dataclass(slots=True)
class Slot:
    """One request's place; leaving it twice frees one place."""

    gate: Gate
    taken: bool = field(default=True)

    def leave(self) -> None:
        """Free the place."""
        if self.taken:
            self.taken = False
            self.gate.leave()
