"""One call to every model before a run, so that a wrong key, model or address is one line in the first second."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from maieutic.domain.episode import Session, Turn
from maieutic.errors import ModelError, ModelTimeout, ModelUnavailable
from maieutic.protocols import LanguageModel, Message, Therapist

HELLO = "I keep thinking about what went wrong at work. I do not know where to begin."
_MESSAGES: list[Message] = [{"role": "user", "content": HELLO}]
_TOKENS = 256  # as many as a turn may have: a model that thinks aloud says nothing in fewer


@dataclass(frozen=True, slots=True)
class Checked:
    """How one model or bot answered.

    Attributes:
        name: The arm, or the role with a model of its own.
        seconds: How long the answer took.
        fault: What was wrong, in the words of the server or the system; '' where it answered.
    """

    name: str
    seconds: float
    fault: str = ""


async def preflight(
    therapists: Mapping[str, Therapist], models: Mapping[str, LanguageModel], *, limit: float | None = None
) -> tuple[Checked, ...]:
    """Asks every arm with a model, every bot from a file and every other model for one reply, all at once.

    Args:
        therapists: By arm; those without a model and not from a file are not asked.
        models: Models of other roles, by role.
        limit: Seconds that one answer may take from a model that has no limit of its own; None for any time.
    """
    asked: dict[str, tuple[Any, Any]] = {}
    for name, therapist in therapists.items():
        model = getattr(therapist, "model", None)
        if model is not None:
            asked[name] = model, _spoken(model, therapist)
        elif hasattr(therapist, "wait_at_most"):
            asked[name] = therapist, therapist.respond(Session((Turn("patient", HELLO),)))
    for role, model in models.items():
        asked[role] = model, _spoken(model)
    calls = (_one(name, call, None if hasattr(able, "wait_at_most") else limit) for name, (able, call) in asked.items())
    return tuple(await asyncio.gather(*calls))


def refuse(checked: Collection[Checked]) -> None:
    """Raise `ModelUnavailable` with a line for each that gave nothing usable."""
    faults = [one for one in checked if one.fault]
    if faults:
        lines = [f"{one.name} gave no usable reply to one call: {one.fault}" for one in faults]
        raise ModelUnavailable(
            "\n".join(
                [*lines, "Nothing was run. Mend it or leave it out; --no-preflight runs the others all the same."]
            )
        )


async def _spoken(model: LanguageModel, therapist: Therapist | None = None) -> None:
    """One reply, asked for as the arm asks for its turns: a server may refuse a setting."""
    tokens = getattr(therapist, "max_tokens", _TOKENS)
    settings = {"max_tokens": min(tokens, getattr(model, "reply_tokens", tokens))}
    for name in ("temperature", "top_p"):
        if getattr(therapist, name, None) is not None:
            settings[name] = getattr(therapist, name)
    try:
        await model.generate(_MESSAGES, seed=0, **settings)
    finally:
        # Connections belong to this event loop; weights in this process are kept for the run.
        if not getattr(model, "local", False):
            await model.close()


async def _one(name: str, call: Any, limit: float | None) -> Checked:
    began = time.monotonic()
    fault = ""
    try:
        async with asyncio.timeout(limit):
            await call
    except TimeoutError:
        fault = str(ModelTimeout(f"nothing came within {limit:g} s"))
    except ModelError as error:
        fault = str(error)
    except Exception as error:  # a bot is somebody else's code
        fault = f"{type(error).__name__}: {error}"
    return Checked(name, time.monotonic() - began, fault)
