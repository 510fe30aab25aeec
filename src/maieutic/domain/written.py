"""The kinds of field that cases and memories are written in."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=2)]
Slug = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9-]*$")]
Share = Annotated[float, Field(ge=0.0, le=1.0)]
Percent = Annotated[float, Field(ge=0.0, le=100.0)]


class Written(BaseModel):
    """A part of a file that people write: frozen, and an unknown field is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid", str_strip_whitespace=True)
