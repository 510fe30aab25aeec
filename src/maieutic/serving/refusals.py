"""What the server says no to, each in the API's own error shape, so that the SDKs raise their own error classes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

KINDS: Mapping[int, str] = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    405: "invalid_request_error",
    409: "conflict_error",
    413: "invalid_request_error",
    422: "invalid_request_error",
    429: "rate_limit_error",
    500: "server_error",
    502: "server_error",
    503: "server_error",
    504: "server_error",
}
"""Type of error by status."""
SETTLED = {"x-should-retry": "false"}
"""Tells the SDKs, which try a conflict again, that the same request gets the same answer."""


@dataclass(eq=False)
class Refusal(Exception):
    """A request that is not answered.

    Attributes:
        status: HTTP status.
        message: What was wrong, what was expected, what to do.
        code: A word that programs can tell it by.
        param: The field it is about.
        headers: What goes beside it.
    """

    status: int
    message: str
    code: str | None = None
    param: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.message

    @property
    def body(self) -> dict[str, Any]:
        """The error in the API's shape."""
        kind = KINDS.get(self.status, "server_error" if self.status >= 500 else "invalid_request_error")
        return {"error": {"message": self.message, "type": kind, "param": self.param, "code": self.code}}
