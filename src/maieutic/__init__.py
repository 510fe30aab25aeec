"""maieutic finds out whether a therapist model can conduct Socratic questioning over a whole session.

The names below are the public face; each is loaded at its first use, so that `import maieutic` stays fast.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from maieutic.coding.rules import RuleCoder as RuleCoder
    from maieutic.dialogue import Conversation as Conversation
    from maieutic.dialogue import Streams as Streams
    from maieutic.dialogue import converse as converse
    from maieutic.domain.case import Case as Case
    from maieutic.domain.codes import Move as Move
    from maieutic.domain.codes import TurnCode as TurnCode
    from maieutic.domain.episode import Ending as Ending
    from maieutic.domain.episode import Episode as Episode
    from maieutic.domain.episode import EpisodeKey as EpisodeKey
    from maieutic.domain.episode import Score as Score
    from maieutic.domain.episode import Session as Session
    from maieutic.domain.episode import Turn as Turn
    from maieutic.errors import MaieuticError as MaieuticError
    from maieutic.evaluation.evaluate import Request as Request
    from maieutic.evaluation.evaluate import evaluate as evaluate
    from maieutic.evaluation.evaluate import rescore as rescore
    from maieutic.library import get_case as get_case
    from maieutic.library import select_cases as select_cases
    from maieutic.models.scripted import ScriptedModel as ScriptedModel
    from maieutic.patients.simulated import SimulatedPatient as SimulatedPatient
    from maieutic.reading.minilm import MiniLM as MiniLM
    from maieutic.registry import load_model as load_model
    from maieutic.registry import load_therapist as load_therapist
    from maieutic.registry import measure as measure
    from maieutic.registry import model as model
    from maieutic.registry import patient as patient
    from maieutic.registry import therapist as therapist
    from maieutic.registry import tracker as tracker
    from maieutic.scoring.score import score_paths as score_paths

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

__all__ = list(_HOMES)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'maieutic' has no attribute {name!r}")
    return getattr(import_module(f"maieutic.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
