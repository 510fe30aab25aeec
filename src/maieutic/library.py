"""The packaged cases: loads and validates the YAML files, by split, with content hashes."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Literal

from pydantic import ValidationError

from maieutic.domain.case import Case
from maieutic.errors import InvalidCase, UnknownName, UnreadableFile, why

CASES = Path(__file__).parent / "cases"
Split = Literal["dev", "test", "all"]


def read_case(path: Path) -> Case:
    """Read and validate one case file. Raises `InvalidCase` with file, field and what was expected."""
    import yaml

    try:
        data = yaml.load(path.read_text(encoding="utf-8"), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except FileNotFoundError as error:
        raise UnreadableFile(f"no case file {str(path)!r}") from error
    except OSError as error:
        raise UnreadableFile(f"{path} cannot be read: {why(error)}") from error
    except (UnicodeDecodeError, yaml.YAMLError) as error:
        raise InvalidCase(f"{path.name}: not a YAML text in UTF-8: {str(error).splitlines()[0]}") from error
    try:
        return Case.model_validate(data)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"]) or "the whole file"
        raise InvalidCase(
            f"{path.name}: {where}: {first['msg']} ({error.error_count()} problem(s) in this file)"
        ) from error


@lru_cache(maxsize=1)
def _all_cases() -> dict[str, Case]:
    cases = [read_case(path) for path in sorted(CASES.glob("*.yaml"))]
    return {case.id: case for case in sorted(cases, key=lambda c: c.id)}


def case_ids(split: Split = "all") -> tuple[str, ...]:
    """Ids of the packaged cases, sorted."""
    return tuple(name for name, case in _all_cases().items() if split in ("all", case.split))


def get_case(name: str) -> Case:
    """A packaged case by id, or a case file by path. Raises `UnknownName` with the nearest id."""
    if name.endswith((".yaml", ".yml")):
        return read_case(Path(name))
    cases = _all_cases()
    if name not in cases:
        raise UnknownName("case", name, cases)
    return cases[name]


def select_cases(names: Iterable[str] = (), *, split: Split = "dev") -> tuple[Case, ...]:
    """The named cases, or all of a split. A name may be an id, a file, 'dev', 'test' or 'all'."""
    asked = tuple(names) or (split,)
    chosen: dict[str, Case] = {}
    for name in asked:
        if name in ("dev", "test", "all"):
            chosen.update({c.id: c for c in _all_cases().values() if name in ("all", c.split)})
            continue
        case = get_case(name)
        if chosen.get(case.id, case) != case:
            raise InvalidCase(f"two different cases have the id {case.id!r}; give one of them another id")
        chosen[case.id] = case
    if not chosen:
        raise UnknownName("case in split", ", ".join(asked), {c.split for c in _all_cases().values()})
    return tuple(chosen[name] for name in sorted(chosen))


def case_hash(case: Case) -> str:
    """Content hash of a case (first 16 hex digits of the sha256 of its JSON form)."""
    return sha256(case.model_dump_json().encode()).hexdigest()[:16]
