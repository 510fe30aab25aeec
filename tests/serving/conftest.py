"""A server on loopback for the tests of serving, with two cases, started once a file."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from openai import OpenAI

from maieutic.serving.app import Settings, create_app
from maieutic.serving.offers import Offers, offered
from maieutic.serving.server import running

CASES = ("gethin", "nilani")


@pytest.fixture(scope="session")
def offers() -> Offers:
    """Two patients, all therapists without a model, and the packaged coders."""
    return offered(cases=CASES)


@pytest.fixture(scope="module")
def server(offers: Offers) -> Iterator[str]:
    """The address of a server that explains."""
    with running(create_app(offers, Settings(allow_explain=True))) as url:
        yield url


@pytest.fixture(scope="module")
def client(server: str) -> Iterator[OpenAI]:
    """The real SDK, without its own retries."""
    with OpenAI(base_url=f"{server}/v1", api_key="none", max_retries=0) as one:
        yield one
