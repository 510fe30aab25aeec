"""A study in a file: the options of `maieutic evaluate` as YAML, checked by a schema before anything runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Annotated, Any

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from maieutic.errors import InputError, UnknownName, UnreadableFile, fault_in_words, why
from maieutic.evaluation.evaluate import Request
from maieutic.evaluation.plan import EVERY, Settings
from maieutic.evaluation.run import Limits
from maieutic.reading.yaml_text import read_yaml, yaml_fault
from maieutic.runs.work import Shard, WorkersSpec


@dataclass(frozen=True, slots=True)
class Study:
    """What was given, in a file or as options; what was not given is not in it.

    Attributes:
        words: Fields of `Request` and of `Limits`; `out`, the run folder; `workers`, where it is played; `gate`, the
            policy that the run is held against; `baseline`, the run that it must not undercut.
    """

    words: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def given(cls, **words: Any) -> Study:
        """A study of those of these that are not None."""
        return cls({name: value for name, value in words.items() if value is not None})

    def over(self, other: Study) -> Study:
        """This study, and the other's words where this one says nothing; settings are joined arm by arm."""
        return Study(_joined(other.words, self.words))

    def asked(self, before: Request | None = None) -> Request:
        """The request; with that of an earlier run, only what is given anew is changed."""
        base = before or Request()
        return replace(base, **_joined({"settings": base.settings}, self._of(Request)))

    def limited(self) -> Limits:
        """How much at once, and when to stop."""
        return Limits(**self._of(Limits))

    def _of(self, kind: type[Request] | type[Limits]) -> dict[str, Any]:
        return {one.name: self.words[one.name] for one in fields(kind) if one.name in self.words}


def _joined(first: Mapping[str, Any], second: Mapping[str, Any]) -> dict[str, Any]:
    one, two = first.get("settings", {}), second.get("settings", {})
    settings = {name: two.get(name, Settings()).over(one.get(name, Settings())) for name in {**one, **two}}
    return {**first, **second, **({"settings": settings} if settings else {})}


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    temperature: float | None = None
    top_p: float | None = None
    max_tokens: int | None = None
    system: str | None = None
    risk_policy: str | None = None

    def settings(self) -> Settings:
        system = None if self.system is None else read_prompt(Path(self.system))
        return Settings(self.temperature, self.top_p, self.max_tokens, system, self.risk_policy)


class _Arm(_Part):
    therapist: str | None = None


class _File(_Part):
    therapists: list[str] | dict[str, str | _Arm | None] | None = None
    cases: list[str] | str | None = None
    seeds: int | None = None
    turns: int | None = None
    limit: int | None = None
    patient: str | None = None
    seed: int | None = None
    concurrency: int | None = None
    timeout: float | None = None
    stop_after: int | None = None
    max_calls: int | None = None
    max_cost: float | None = None
    price: Annotated[list[float], Field(min_length=2, max_length=2)] | None = None
    preflight: bool | None = None
    workers: int | str | None = None
    shard: str | None = None
    gate: str | None = None
    baseline: str | None = None
    out: str | None = None


_AS_THEY_ARE = (
    *("seeds", "turns", "limit", "patient", "gate"),
    *("concurrency", "timeout", "stop_after", "max_calls", "max_cost", "preflight"),
)


def schema() -> dict[str, Any]:
    """The JSON schema of a study file."""
    return _File.model_json_schema()


def read_study(path: Path) -> Study:
    """Read a study. File names in it are seen from the folder that the command runs in, as in the options.

    Raises:
        UnreadableFile: no such file, or not to be read.
        UnknownName: a key that is none, with the nearest.
        InputError: no YAML, or a value that cannot be.
    """
    try:
        words = read_yaml(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise UnreadableFile(
            f"no study file {str(path)!r}; write one as in docs/runs.md, or use the options"
        ) from error
    except OSError as error:
        raise UnreadableFile(f"{path} cannot be read: {why(error)}") from error
    except (UnicodeDecodeError, yaml.YAMLError) as error:
        raise InputError(f"{path.name} is not a YAML text in UTF-8: {yaml_fault(error)}") from error
    if not isinstance(words, dict):
        raise InputError(f"{path.name} holds no settings: write lines such as `turns: 20`; docs/runs.md shows a study")
    try:
        found = _File.model_validate(words)
    except ValidationError as error:
        raise _told(path.name, error) from error
    return _study(found)


def read_prompt(path: Path) -> str:
    """The text of a system prompt. Raises `UnreadableFile`."""
    try:
        return path.read_text(encoding="utf-8").strip()
    except FileNotFoundError as error:
        raise UnreadableFile(f"no file {str(path)!r}; --system expects a text file with the system prompt") from error
    except OSError as error:
        raise UnreadableFile(f"{path} cannot be read: {why(error)}") from error
    except UnicodeDecodeError as error:
        raise UnreadableFile(f"{path} is no text in UTF-8") from error


def _study(file: _File) -> Study:
    settings = {EVERY: file.settings()} if file.settings().given else {}
    therapists = file.therapists
    if isinstance(therapists, dict):
        own = {name: arm.settings() for name, arm in therapists.items() if isinstance(arm, _Arm)}
        settings |= {name: one for name, one in own.items() if one.given}
        therapists = [_worded(name, arm) for name, arm in therapists.items()]
    return Study.given(
        therapists=therapists,
        cases=[file.cases] if isinstance(file.cases, str) else file.cases,
        settings=settings or None,
        run_seed=file.seed,
        shard=None if file.shard is None else Shard.read(file.shard),
        prices=None if file.price is None else tuple(file.price),
        workers=None if file.workers is None else WorkersSpec.read(str(file.workers)),
        out=None if file.out is None else Path(file.out),
        baseline=None if file.baseline is None else Path(file.baseline),
        **{name: getattr(file, name) for name in _AS_THEY_ARE},
    )


def _worded(name: str, arm: str | _Arm | None) -> str:
    """The arm in the words of the option; a name with nothing behind it is the therapist."""
    spec = arm.therapist if isinstance(arm, _Arm) else arm
    return name if spec is None or spec == name else f"{name}={spec}"


def _told(name: str, error: ValidationError) -> InputError:
    """The first fault, by the place in the file."""
    faults = error.errors()
    first = next(
        (one for one in faults if one["type"] == "extra_forbidden"), max(faults, key=lambda one: len(one["loc"]))
    )
    place = [str(part) for part in first["loc"]]
    if first["type"] == "extra_forbidden":
        known = _Arm.model_fields if len(place) > 1 else _File.model_fields
        return UnknownName(f"setting in {name}", place[-1], known)
    shown = ".".join(part for part in place if "[" not in part and not part.startswith("_"))
    return InputError(f"{name}: {shown}: {fault_in_words(first['type'], first['msg'])}, got {first['input']!r}")
