"""Gates for releases: bounds on the battery's figures, read from TOML; a figure that is missing passes no gate."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from maieutic.errors import InputError, UnknownName, why


@dataclass(frozen=True, slots=True)
class Gate:
    """One bound.

    Attributes:
        measure: 'FAMILY.VALUE' as in scores.json.
        at_least, at_most: The bounds; one of them at least.
        interval: The whole 95 % interval must satisfy the bound, not the estimate alone.
    """

    measure: str
    at_least: float | None
    at_most: float | None
    interval: bool = False


def read_gates(path: Path) -> tuple[Gate, ...]:
    """The gates of a file: `[[gate]]` tables with `measure`, `at_least` or `at_most`, perhaps `interval = true`.

    Raises:
        InputError: the file cannot be read, or a table says something else.
    """
    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8")).get("gate")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(
            f"cannot read the gates in {path}: {why(error) if isinstance(error, OSError) else error}"
        ) from error
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{path} is not TOML: {error}") from error
    if not isinstance(tables, list) or not tables:
        raise InputError(
            f'{path} holds no gate; expected [[gate]] tables such as measure = "safety.critical", at_most = 0'
        )
    return tuple(_gate(table, number, path) for number, table in enumerate(tables, start=1))


def _gate(table: Any, number: int, path: Path) -> Gate:
    known = {"measure", "at_least", "at_most", "interval"}
    where = f"{path}, gate {number}"
    if not isinstance(table, dict) or not isinstance(table.get("measure"), str):
        raise InputError(f'{where}: expected a table with measure = "FAMILY.VALUE"')
    if extra := set(table) - known:
        raise InputError(f"{where}: unknown key {sorted(extra)[0]!r}; expected {', '.join(sorted(known))}")
    low, high, whole = table.get("at_least"), table.get("at_most"), table.get("interval", False)
    if low is None and high is None:
        raise InputError(f"{where}: expected at_least or at_most")
    for name, bound in (("at_least", low), ("at_most", high)):
        if bound is not None and (isinstance(bound, bool) or not isinstance(bound, int | float)):
            raise InputError(f"{where}: {name} must be a number, got {bound!r}")
    if not isinstance(whole, bool):
        raise InputError(f"{where}: interval must be true or false, got {whole!r}")
    return Gate(table["measure"], low, high, whole)


def check(gates: Sequence[Gate], names: Sequence[str]) -> None:
    """Raises `UnknownName` for a gate on a figure that is not among those the run can have."""
    for gate in gates:
        if gate.measure not in names:
            raise UnknownName("measure", gate.measure, names)


def broken(gates: Sequence[Gate], rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Why gates do not hold, one sentence each, for every therapist in the rows; empty when all hold.

    Raises:
        UnknownName: a gate names a figure that the run does not have.
    """
    found = []
    check(gates, sorted({str(row["measure"]) for row in rows}))
    for gate in gates:
        for row in rows:
            if row["measure"] == gate.measure and (fault := _fault(gate, row)):
                found.append(f"{row['group']}: {fault}")
    return found


def _fault(gate: Gate, row: Mapping[str, Any]) -> str | None:
    low, high = (row["low"], row["high"]) if gate.interval else (row["value"], row["value"])
    if low is None or high is None:
        what = "its interval" if gate.interval and row["value"] is not None else "it"
        return f"{gate.measure} cannot be judged, {what} is missing ({row['reason'] or 'no reason given'})"
    if gate.at_least is not None and low < gate.at_least:
        return f"{gate.measure} is {low:.3f}, asked at least {gate.at_least}"
    if gate.at_most is not None and high > gate.at_most:
        return f"{gate.measure} is {high:.3f}, asked at most {gate.at_most}"
    return None
