"""What several test files share: the real encoder, loaded once, the packaged cases, and Hypothesis settings for CI."""

from __future__ import annotations

import gc
import logging
import os
import sys

# Read as numpy is imported: two workers with two threads each only wait for each other.
os.environ.setdefault("OMP_NUM_THREADS", "1")

from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

import _pytest.tmpdir
import orjson
import pytest
import vl_convert
from hypothesis import HealthCheck, settings

import encoded
from maieutic.domain.case import Case
from maieutic.library import case_ids, get_case
from maieutic.patients.hearing.hearing import Hearing
from maieutic.reading.minilm import MiniLM

if sys.dont_write_bytecode:
    # Without bytecode each worker, and each process that a test starts, compiles all that it imports anew.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    os.environ["PYTHONPYCACHEPREFIX"] = str(Path(__file__).parents[1] / ".pytest_cache" / "bytecode")
    sys.dont_write_bytecode, sys.pycache_prefix = False, os.environ["PYTHONPYCACHEPREFIX"]

# Read by Ray as it is imported: else it starts each of its workers by `uv run`, in a copy of the tree and an environment of its own.
os.environ["RAY_ENABLE_UV_RUN_RUNTIME_ENV"] = os.environ["RAY_USAGE_STATS_ENABLED"] = "0"

settings.register_profile(
    "maieutic",
    deadline=None,
    max_examples=60,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
settings.load_profile("maieutic")


# What is imported stays to the end: looking through it again and again for garbage takes a twentieth of the time.
gc.disable()


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """A file whose tests are all slow is not even imported where those are left out: some bring seconds of imports."""
    if "not slow" not in config.option.markexpr or not collection_path.match("test_*.py"):
        return None
    marks = [one for one in collection_path.read_text("utf-8").splitlines() if one.startswith("pytestmark = ")]
    return True if marks and (".slow" in marks[0] or ".full" in marks[0]) else None


def pytest_collection_finish() -> None:
    """From here on there is garbage."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)  # a twelfth of the time goes with every 700
    gc.enable()


def pytest_sessionfinish() -> None:
    """What is left is looked through once, and not by everybody who cleans up."""
    gc.collect()
    gc.freeze()


# To a link to the newest folder of each name, which nobody follows, go two of a hundred seconds.
_pytest.tmpdir._force_symlink = lambda *_: None

# Most charts of the tests are drawn again and again, a fiftieth of a second each.
_draw, _DRAWN = vl_convert.vegalite_to_svg, dict[bytes, str]()


def _drawn_once(chart: dict[str, Any]) -> str:
    key = orjson.dumps(chart)
    if key not in _DRAWN:
        _DRAWN[key] = _draw(chart)
    return _DRAWN[key]


vl_convert.vegalite_to_svg = _drawn_once


@pytest.fixture(autouse=True)
def _levels() -> Iterator[None]:
    """Loggers get their levels back: Inspect raises those of others for the whole process."""
    logging.getLogger("httpx")
    known = [one for one in logging.root.manager.loggerDict.values() if isinstance(one, logging.Logger)]
    before = [(one, one.level) for one in (logging.root, *known)]
    yield
    for one, level in before:
        if one.level != level:  # each setting makes all loggers forget what they know
            one.setLevel(level)


ENCODED = encoded.keep()


class _Same:
    """The very object, as a key."""

    def __init__(self, one: Any) -> None:
        self.one = one

    def __hash__(self) -> int:
        return id(self.one)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and self.one is other.one


# The ears of a patient are the same whoever makes them, nobody changes them, and they take most of what a short run takes.
_of = Hearing.of.__func__


@lru_cache(maxsize=24)
def _ears(made_by: type[Hearing], *made_of: _Same) -> Hearing:
    return _of(made_by, *(same.one for same in made_of))


Hearing.of = classmethod(lambda cls, *made_of: _ears(cls, *map(_Same, made_of)))


@pytest.fixture(scope="module", autouse=True)
def _encoded() -> Iterator[None]:
    """What a file's tests encoded is there for the other workers, and for the next run."""
    yield
    ENCODED.flush()


@pytest.fixture
def encodes_anew() -> Iterator[None]:
    """For tests of encoders: nothing that was made before is taken."""
    with encoded.anew(ENCODED):
        yield


@pytest.fixture(scope="session")
def embed() -> MiniLM:
    """The real sentence encoder; its cache is shared, so that each text is encoded once in a test run."""
    return MiniLM()


@pytest.fixture(scope="session")
def cases() -> dict[str, Case]:
    """All packaged cases, by id."""
    return {name: get_case(name) for name in case_ids()}


@pytest.fixture(scope="session")
def gethin() -> Case:
    """A regular case with the plain style."""
    return get_case("gethin")
