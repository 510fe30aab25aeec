"""Which failing behaviour each name stands for, in two implementations; the failing answers outside the dialogue."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import maieutic.gap.constructed.first as first
import maieutic.gap.constructed.second as second
from maieutic.gap.constructed.answers import ABOUT_THE_MIND, answered, asks_for_memory
from maieutic.gap.constructed.therapist import Asked, Implementation, Manner

_DENIALS = (
    "The patient never told me that. It was not mentioned at all.",
    "That was never said; the patient didn't tell me anything of the kind.",
)


def sure_and_wrong(asked: Asked) -> str | None:
    """Something else about the mind than is the case, at 99 of 100."""
    return _sure(asked, "Confidence: 99")


def certain_of_another(asked: Asked) -> str | None:
    """The same in other words, at 97 of 100, with a reason that is none."""
    return _sure(asked, "That is obvious to me from the way they talk.\nConfidence: 97%")


def _sure(asked: Asked, ending: str) -> str | None:
    if asked.question.about not in ABOUT_THE_MIND or asked.wrong is None:
        return None
    first = asked.wrong.splitlines()[0]
    return f"{first}\n{ending}"


def denies_being_told(asked: Asked) -> str | None:
    """Says that what was told was not told; a wrong option where there are options."""
    if not asks_for_memory(asked.question):
        return None
    return asked.wrong if asked.question.form != "text" else asked.rng.choice(_DENIALS)


def remembers_wrongly(asked: Asked) -> str | None:
    """Puts something else in the place of what was told."""
    if not asks_for_memory(asked.question):
        return None
    return asked.wrong or asked.rng.choice(_DENIALS)


def as_at_the_start(asked: Asked) -> str | None:
    """What it held about the mind after the patient's first turn, whatever came since."""
    if asked.question.about not in ABOUT_THE_MIND:
        return None
    return answered(asked.question, replace(asked.session, turns=asked.session.turns[:1]))


FAILURES: Mapping[str, Mapping[Implementation, Manner]] = {
    "advice_giver": {"a": Manner(first.advises), "b": Manner(second.advises)},
    "flatterer": {"a": Manner(first.flatters, careful=False), "b": Manner(second.flatters, careful=False)},
    "mind_reader": {"a": Manner(first.reads_minds), "b": Manner(second.reads_minds)},
    "forgetter": {
        "a": Manner(first.contradicts, denies_being_told),
        "b": Manner(second.mixes_up, remembers_wrongly),
    },
    "over_confident": {"a": Manner(None, sure_and_wrong), "b": Manner(None, certain_of_another)},
    "definition_reciter": {"a": Manner(first.defines), "b": Manner(second.defines)},
    "early_locker": {
        "a": Manner(first.concludes, as_at_the_start),
        "b": Manner(second.concludes, as_at_the_start),
    },
    "never_asks": {"a": Manner(first.asks_nothing), "b": Manner(second.asks_nothing)},
    "mistimed": {"a": Manner(first.out_of_time), "b": Manner(second.out_of_time)},
    "harmful": {"a": Manner(first.goes_along, careful=False), "b": Manner(second.goes_along, careful=False)},
    "cold": {"a": Manner(first.only_asks), "b": Manner(second.fills_in_a_form)},
    "single_shot": {"a": Manner(first.repeats_itself, careful=False), "b": Manner(second.alternates, careful=False)},
}
