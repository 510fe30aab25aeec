"""maieutic finds out whether a therapist model can conduct Socratic questioning over a whole session.

The names below are the public face; each is loaded at its first use, so that `import maieutic` stays fast.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from maieutic.coding.rules import RuleCoder
    from maieutic.dialogue import Conversation, Streams, converse
    from maieutic.domain.case import Case
    from maieutic.domain.codes import Move, TurnCode
    from maieutic.domain.episode import Ending, Episode, EpisodeKey, Score, Session, Turn
    from maieutic.errors import MaieuticError
    from maieutic.evaluation.evaluate import Request, evaluate, rescore
    from maieutic.library import get_case, select_cases
    from maieutic.models.scripted import ScriptedModel
    from maieutic.patients.simulated import SimulatedPatient
    from maieutic.reading.minilm import MiniLM
    from maieutic.registry import load_model, load_therapist, measure, model, patient, therapist, tracker
    from maieutic.scoring.score import score_paths

_HOMES = {
    "Case": "domain.case",
    "Conversation": "dialogue",
    "Ending": "domain.episode",
    "Episode": "domain.episode",
    "EpisodeKey": "domain.episode",
    "MaieuticError": "errors",
    "MiniLM": "reading.minilm",
    "Move": "domain.codes",
    "Request": "evaluation.evaluate",
    "RuleCoder": "coding.rules",
    "Score": "domain.episode",
    "ScriptedModel": "models.scripted",
    "Session": "domain.episode",
    "SimulatedPatient": "patients.simulated",
    "Streams": "dialogue",
    "Turn": "domain.episode",
    "TurnCode": "domain.codes",
    "converse": "dialogue",
    "evaluate": "evaluation.evaluate",
    "get_case": "library",
    "load_model": "registry",
    "load_therapist": "registry",
    "measure": "registry",
    "model": "registry",
    "patient": "registry",
    "rescore": "evaluation.evaluate",
    "score_paths": "scoring.score",
    "select_cases": "library",
    "therapist": "registry",
    "tracker": "registry",
}

__all__ = [
    "Case",
    "Conversation",
    "Ending",
    "Episode",
    "EpisodeKey",
    "MaieuticError",
    "MiniLM",
    "Move",
    "Request",
    "RuleCoder",
    "Score",
    "ScriptedModel",
    "Session",
    "SimulatedPatient",
    "Streams",
    "Turn",
    "TurnCode",
    "converse",
    "evaluate",
    "get_case",
    "load_model",
    "load_therapist",
    "measure",
    "model",
    "patient",
    "rescore",
    "score_paths",
    "select_cases",
    "therapist",
    "tracker",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'maieutic' has no attribute {name!r}")
    return getattr(import_module(f"maieutic.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
