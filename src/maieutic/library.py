"""The packaged cases: loads and validates the YAML files, by split, with content hashes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Literal, TypeVar

from pydantic import BaseModel, ValidationError

from maieutic.domain.case import STYLES, Case
from maieutic.domain.memory import Memory
from maieutic.errors import InvalidCase, UnknownName, UnreadableFile, fault_in_words, why
from maieutic.minimal_pairs.pair import ENDINGS, Pair, Twin
from maieutic.reading.yaml_text import read_yaml, yaml_fault

CASES = Path(__file__).parent / "cases"
PAIRS = Path(__file__).parent / "minimal_pairs"
MEMORY = "memory"
"""Folder beside the cases with what each remembers, a file a case."""
_Model = TypeVar("_Model", bound=BaseModel)
Split = Literal["starter", "dev", "test", "all"]
SPLITS: dict[str, Split] = {"starter": "starter", "dev": "dev", "test": "test", "all": "all"}
PAIR_SETS: dict[str, Split] = {"pairs": "all", "pairs-dev": "dev", "pairs-test": "test"}
"""Sets of minimal pairs, which no split of the cases holds."""
STARTERS = (
    "back-at-university",
    "closed-workshop",
    "denise-farrugia",
    "eugene-batiste",
    "fathers-temper",
    "gethin",
    "hester",
    "ifeoma",
    "joel-salonga",
    "nilani",
    "nodira-karimova",
    "nurse-in-charge",
)
"""Twelve development cases of all belief types and styles, for a first look: what `evaluate` plays when none are
named."""


def read_case(path: Path) -> Case:
    """Read and validate one case file, and the memory beside it. Raises `InvalidCase` with file, field and what was
    expected."""
    case = _read(path, Case)
    beside = path.parent / MEMORY / path.name
    return case.model_copy(update={"memory": read_memory(beside)}) if beside.exists() else case


def read_pair(path: Path) -> tuple[Twin, Twin]:
    """Read and validate a file with a minimal pair. Raises `InvalidCase` like `read_case`."""
    return _read(path, Pair).twins()


def read_cases(path: Path) -> tuple[Case, ...]:
    """The cases of a file: one, or both of a minimal pair, whose file has the key `pair`."""
    return read_pair(path) if _is_pair(path) else (read_case(path),)


def _is_pair(path: Path) -> bool:
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError):
        return False
    return any(line.startswith("pair:") for line in lines)


def read_memory(path: Path) -> Memory:
    """Read and validate one memory file. Raises `InvalidCase` with file, field and what was expected."""
    return _read(path, Memory)


def _read(path: Path, kind: type[_Model]) -> _Model:
    import yaml

    try:
        data = read_yaml(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise UnreadableFile(f"no {kind.__name__.lower()} file {str(path)!r}") from error
    except OSError as error:
        raise UnreadableFile(f"{path} cannot be read: {why(error)}") from error
    except (UnicodeDecodeError, yaml.YAMLError) as error:
        raise InvalidCase(f"{path.name}: not a YAML text in UTF-8: {yaml_fault(error)}") from error
    try:
        return kind.model_validate(data)
    except ValidationError as error:
        problems = list(_problems(error))
        rest = f" (the first of {len(problems)}; maieutic patients check {path} shows all)" if len(problems) > 1 else ""
        raise InvalidCase(f"{path.name}: {problems[0]}{rest}", problems) from error


def _problems(error: ValidationError) -> Iterator[str]:
    """What is wrong, a line each; places in a list are counted from 1."""
    found = error.errors()
    for one in found:
        place = one["loc"]
        within = any(other["loc"][: len(place)] == place and len(other["loc"]) > len(place) for other in found)
        if one["type"] == "too_short" and within:
            continue  # what is wrong in it was left out of the count
        where = ".".join(str(part + 1) if isinstance(part, int) else part for part in place) or "the whole file"
        about = one.get("ctx", {})
        few = (
            f"at least {about['min_length']} are needed, got {about['actual_length']}"
            if "actual_length" in about
            else ""
        )
        yield f"{where}: {few if one['type'] == 'too_short' and few else fault_in_words(one['type'], one['msg'])}"


@lru_cache(maxsize=2)
def _splits(folder: Path = CASES) -> dict[str, str]:
    """Split by id, read from the heads of the files: a file is named after its case or pair."""
    found: dict[str, str] = {}
    for path in sorted(folder.glob("*.yaml")):
        with path.open(encoding="utf-8") as lines:
            split = next((line.split(":")[1].strip() for line in lines if line.startswith("split:")), "")
        found[path.stem] = split
    return found


@lru_cache(maxsize=512)
def _packaged(name: str) -> Case:
    return read_case(CASES / f"{name}.yaml")


@lru_cache(maxsize=64)
def _twins(pair: str) -> dict[str, Case]:
    return {twin.id: twin for twin in read_pair(PAIRS / f"{pair}.yaml")}


def pair_ids(split: Split = "all") -> tuple[str, ...]:
    """Names of the packaged minimal pairs, sorted."""
    return tuple(sorted(name for name, own in _splits(PAIRS).items() if split in ("all", own)))


def _pair_of(name: str) -> str | None:
    """The packaged pair that holds this twin."""
    pair, _, ending = name.rpartition("-")
    return pair if ending in ENDINGS.values() and pair in _splits(PAIRS) else None


def case_ids(split: Split = "all") -> tuple[str, ...]:
    """Ids of the packaged cases, sorted."""
    if split == "starter":
        return STARTERS
    return tuple(sorted(name for name, own in _splits().items() if split in ("all", own)))


def get_case(name: str) -> Case:
    """A packaged case by id, or a case file by path; with `@STYLE` behind it, played in that conversational style.

    Raises `UnknownName` with the nearest id or style.
    """
    base, at, style = name.rpartition("@")
    if at:
        return in_style(get_case(base), style)
    if name.endswith((".yaml", ".yml")):
        path = Path(name)
        if _is_pair(path):
            raise InvalidCase(f"{name} is a minimal pair, which is two cases: play both with `evaluate --cases {name}`")
        return read_case(path)
    if (pair := _pair_of(name)) is not None:
        return _twins(pair)[name]
    if name not in _splits():
        twins = [f"{pair}-{ending}" for pair in _splits(PAIRS) for ending in ENDINGS.values()]
        raise UnknownName("case", name, twins if any(name.startswith(pair) for pair in _splits(PAIRS)) else _splits())
    return _packaged(name)


def in_style(case: Case, style: str) -> Case:
    """A case played in another conversational style. Raises `UnknownName` with the nearest style."""
    if style not in STYLES:
        raise UnknownName("style", style, STYLES)
    return case.model_copy(update={"id": f"{case.id}@{style}", "style": style})


def select_cases(names: Iterable[str] = (), *, split: Split = "dev") -> tuple[Case, ...]:
    """The named cases, or all of a split. A name may be an id, a file, 'starter', 'dev', 'test', 'all', 'pairs',
    'pairs-dev' or 'pairs-test'."""
    chosen: dict[str, Case] = {}
    for name in tuple(names) or (split,):
        if name in SPLITS:
            chosen.update({own: get_case(own) for own in case_ids(SPLITS[name])})
            continue
        if name in PAIR_SETS:
            chosen.update({twin: case for own in pair_ids(PAIR_SETS[name]) for twin, case in _twins(own).items()})
            continue
        for case in read_cases(Path(name)) if name.endswith((".yaml", ".yml")) else (get_case(name),):
            if chosen.get(case.id, case) != case:
                raise InvalidCase(f"two different cases have the id {case.id!r}; give one of them another id")
            chosen[case.id] = case
    return tuple(chosen[name] for name in sorted(chosen))


def case_hash(case: Case) -> str:
    """Content hash of a case (first 16 hex digits of the sha256 of its JSON form)."""
    return sha256(case.model_dump_json().encode()).hexdigest()[:16]
