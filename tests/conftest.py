"""What several test files share: the real encoder, loaded once, the packaged cases, and Hypothesis settings for CI."""

from __future__ import annotations

import gc
import logging
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

import encoded
from maieutic.domain.case import Case
from maieutic.library import case_ids, get_case
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


def pytest_collection_finish() -> None:
    """From here on there is garbage."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)  # a twelfth of the time goes with every 700
    gc.enable()


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
