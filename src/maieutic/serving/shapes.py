"""What the server answers, for the OpenAPI page and for tests that hold answers against it."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict


class _Open(BaseModel):
    model_config = ConfigDict(extra="allow")


class Model(_Open):
    """One model."""

    id: str
    object: str
    created: int
    owned_by: str


class Models(_Open):
    """All models."""

    object: str
    data: list[Model]


class Said(_Open):
    """What was said."""

    role: str
    content: str


class Choice(_Open):
    """The one reply."""

    index: int
    message: Said
    finish_reason: str


class Beside(_Open):
    """What only this server tells about a reply."""

    notice: str
    seed: int
    history: str
    handover: str | None


class Completion(_Open):
    """A reply; streamed, it comes as server-sent events instead."""

    id: str
    object: str
    created: int
    model: str
    choices: list[Choice]
    maieutic: Beside


class Health(_Open):
    """The server answers."""

    status: str
    version: str
    in_flight: int
    notice: str


class Fault(BaseModel):
    """What was wrong."""

    message: str
    type: str
    param: str | None
    code: str | None


class Error(BaseModel):
    """The API's error shape."""

    error: Fault


_Responses = dict[int | str, dict[str, Any]]


def _errors(*statuses: int) -> _Responses:
    return {status: {"model": Error} for status in statuses}


KEY_ERRORS = _errors(401)
MODEL_ERRORS = _errors(401, 403, 404)
ERRORS = _errors(400, 401, 403, 404, 409, 413, 422, 429, 502, 504)
