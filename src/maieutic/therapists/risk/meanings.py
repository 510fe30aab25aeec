"""What a line of the protocol has to do, in plain words (`meanings.yaml`): for a model that words the whole turn."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from maieutic.reading.yaml_text import packaged_yaml
from maieutic.safety.kinds import Kind
from maieutic.therapists.risk.grades import Ask
from maieutic.therapists.risk.wording import Line

SLOT: Final = "{person}"


@dataclass(frozen=True, slots=True)
class Meaning:
    """What one line has to do.

    Attributes:
        means: It, as it is told to a model.
        names: Words of which one has to be said, in lower case; none where that is free.
        asks: It is a step, and has to be asked for.
        offers: It holds words that the patient could say, in quotation marks.
        whom: The person it is about, or ''.
    """

    means: str
    names: tuple[str, ...] = ()
    asks: bool = False
    offers: bool = False
    whom: str = ""


def meaning_of(line: Line) -> Meaning | None:
    """What a line has to do; None where its words are fixed."""
    found = _texts()["lines"].get(line.key)
    if found is None:
        return None
    names = tuple(
        line.whom.rpartition(" ")[2].lower() if name == SLOT else str(name).lower() for name in found.get("names", ())
    )
    means = str(found["means"]).replace(SLOT, line.whom.replace("your ", "their "))
    return Meaning(means, names, bool(found.get("asks")), bool(found.get("offers")), line.whom)


def facts() -> str:
    """What a question to the program is answered by."""
    return str(_texts()["facts"])


def situation(ask: Ask, kind: Kind | None) -> str:
    """Where the talk stands in a turn of the protocol, with what holds of the danger that was told."""
    texts = _texts()
    return " ".join(part for part in (texts["situations"][ask.value], texts["kinds"].get(str(kind), "")) if part)


@lru_cache(maxsize=1)
def _texts() -> dict[str, Any]:
    return dict(packaged_yaml("therapists", "risk", "meanings.yaml"))
