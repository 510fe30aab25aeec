"""What a policy says: rules with a bound each, by READI's headings, and what only people can tick off."""

from __future__ import annotations

import difflib
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from maieutic.errors import InputError, UnknownName, fault_in_words, why
from maieutic.reading.yaml_text import read_yaml, yaml_fault

POLICIES = Path(__file__).parent / "policies"
HEADINGS = ("safety", "privacy", "equity", "effectiveness", "engagement", "implementation")
"""READI's six headings (Stade et al.), named as on the paper's page."""

Heading = Literal["safety", "privacy", "equity", "effectiveness", "engagement", "implementation"]
Cases = Literal["regular", "accurate", "risk"]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Rule(_Strict):
    """One bound.

    Attributes:
        id: Name in the report.
        heading: Which of READI's headings it stands under.
        measure: A measure of `evaluate`, 'effect', 'dialogues.failed', or FAMILY.VALUE of `gap`.
        cases: Which cases of an evaluation: regular, accurate or risk.
        at_least, at_most: The bounds.
        holds_for: 'interval': the whole 95 % interval must satisfy the bound; 'estimate': the estimate alone.
        failures_of: The value is failures ÷ n and this is what n counts; with none the exact upper limit is held to the
            bound.
        non_inferior: Points (or shares) by which it may be worse than the baseline; needs --baseline.
        why: What it is for. basis: Where the bound comes from; 'assumption' where nobody has shown it.
    """

    id: str
    heading: Heading
    measure: str
    cases: Cases = "regular"
    at_least: float | None = None
    at_most: float | None = None
    holds_for: Literal["interval", "estimate"] = "interval"
    failures_of: str | None = None
    non_inferior: float | None = Field(default=None, ge=0)
    why: str
    basis: str

    @model_validator(mode="after")
    def _one_kind(self) -> Self:
        bounded = self.at_least is not None or self.at_most is not None
        if bounded == (self.non_inferior is not None):
            raise ValueError("expected either at_least or at_most, or non_inferior")
        return self


class Task(_Strict):
    """What only people can do; it is listed and decides nothing."""

    heading: Heading
    task: str


class Policy(_Strict):
    """One gate file.

    Attributes:
        name, stage, purpose: What it is for.
        assumptions: What in it is assumed and not shown.
        rules: The bounds; each heading that has none is said to be open.
        tasks: What a release needs from people.
    """

    name: str
    stage: Literal["assistive", "collaborative", "autonomous in simulation only", "own"] = "own"
    purpose: str = ""
    assumptions: tuple[str, ...] = ()
    rules: tuple[Rule, ...] = Field(min_length=1)
    tasks: tuple[Task, ...] = ()

    @model_validator(mode="after")
    def _own_names(self) -> Self:
        names = [rule.id for rule in self.rules]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise ValueError(f"two rules have the id {twice[0]!r}")
        return self


def ready() -> tuple[str, ...]:
    """Names of the packaged policies."""
    return tuple(sorted(path.stem for path in POLICIES.glob("*.yaml")))


def read_policy(name: str) -> Policy:
    """A packaged policy by name, or a YAML file.

    Raises:
        UnknownName: no such packaged policy. InputError: the file cannot be read, or says something else; one line.
    """
    import yaml

    path = Path(name) if name.endswith((".yaml", ".yml")) else POLICIES / f"{name}.yaml"
    if path.parent == POLICIES and not path.exists():
        raise UnknownName("ready policy", name, ready())
    try:
        data = read_yaml(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"cannot read the policy {path}: {why(error)}") from error
    except (UnicodeDecodeError, yaml.YAMLError) as error:
        raise InputError(f"{path} is no YAML in UTF-8: {yaml_fault(error)}") from error
    if not isinstance(data, dict):
        raise InputError(f"{path} holds no policy; expected name, and rules with id, heading, measure and a bound")
    try:
        return Policy.model_validate(data)
    except ValidationError as error:
        raise InputError(_told(path, data, error)) from error


def _told(path: Path, data: dict[str, Any], error: ValidationError) -> str:
    found = error.errors()
    typos = [one for one in found if one["type"] == "extra_forbidden"]
    first = (typos or found)[0]  # a typo makes the key that was meant missing, too
    place = [str(part) for part in first["loc"]]
    if place[:1] == ["rules"] and len(place) > 1:
        rule = data["rules"][int(place[1])]
        named = rule.get("id") if isinstance(rule, dict) else None
        place[:2] = [f"rule {named!r}" if named else f"rule {int(place[1]) + 1}"]
    where = ", ".join(place)
    if first["type"] == "extra_forbidden":
        kinds: dict[str, type[BaseModel]] = {"rules": Rule, "tasks": Task}
        known = list(kinds.get(str(first["loc"][0]), Policy).model_fields)
        close = difflib.get_close_matches(str(first["loc"][-1]), known, n=1)
        hint = f" Did you mean {close[0]!r}?" if close else ""
        return f"{path}: {where}: no such key.{hint} Known: {', '.join(known)}"
    beside = [one["loc"][-1] for one in found if one["type"] == "missing" and one["loc"][:-1] == first["loc"][:-1]]
    if first["type"] == "missing" and len(beside) > 1:
        return f"{path}: {', '.join([*place[:-1], ''])}the keys {', '.join(map(str, beside))} are missing"
    return f"{path}: {where + ': ' if where else ''}{fault_in_words(first['type'], first['msg'])}"
