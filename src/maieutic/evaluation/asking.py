"""One question to the therapist at the end of each session: how strongly does this patient believe the thought now?"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, cast

from maieutic.domain.asking import Answer, Question
from maieutic.domain.episode import Episode, Session
from maieutic.errors import ModelError, NotAnswerable
from maieutic.language.sentences import stated_number
from maieutic.protocols import Therapist

ASKED = "asked"
"""Key of an episode's provenance with what the therapist answered."""
NO_DOOR = "it cannot be asked outside the dialogue"
_TOKENS = 60


async def asked(therapist: Therapist, episode: Episode) -> tuple[Mapping[str, Any], Answer | None]:
    """What the therapist holds likely about the patient at the end, as the provenance keeps it, and the answer itself.

    Returns:
        `said`, its words, and `conviction`, 0–100; or `reason`, why there is none. Nothing of it enters the session.
    """
    door = cast("Callable[[Question, Session], Awaitable[Answer]] | None", getattr(therapist, "answer", None))
    if door is None:
        return {"reason": NO_DOOR}, None
    thought = episode.provenance.get("thought", "")
    text = (
        f"How strongly does the client believe '{thought}' at this moment? Answer first with a number from 0 (not at "
        "all) to 100 (completely)."
    )
    question = Question(f"conviction:{episode.key.case}", text, "number", (), _TOKENS, "conviction")
    try:
        answer = await door(question, episode.session.heard_by("therapist"))
    except NotAnswerable as error:
        return {"reason": f"{NO_DOOR}: {error}"}, None
    except ModelError as error:
        return {"reason": f"it gave no answer: {error}"}, None
    number = stated_number(answer.text)
    if number is None:
        return {"said": answer.text, "reason": "its answer states no single number from 0 to 100"}, answer
    return {"said": answer.text, "conviction": number}, answer


def askable(episode: Episode) -> bool:
    """Whether there is a mind to be asked about at the end of a session that was held."""
    return not episode.failed and bool(episode.states) and bool(episode.therapist_turns)
