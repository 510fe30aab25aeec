"""Which failing behaviour each name stands for, in two implementations."""

from __future__ import annotations

from collections.abc import Mapping

import maieutic.gap.constructed.answering as answering
import maieutic.gap.constructed.first as first
import maieutic.gap.constructed.second as second
from maieutic.gap.constructed.therapist import Implementation, Manner

FAILURES: Mapping[str, Mapping[Implementation, Manner]] = {
    "advice_giver": {"a": Manner(first.advises), "b": Manner(second.advises)},
    "flatterer": {"a": Manner(first.flatters, careful=False), "b": Manner(second.flatters, careful=False)},
    "mind_reader": {"a": Manner(first.reads_minds), "b": Manner(second.reads_minds)},
    "forgetter": {
        "a": Manner(first.contradicts, answering.denies_being_told),
        "b": Manner(second.mixes_up, answering.remembers_wrongly),
    },
    "over_confident": {"a": Manner(None, answering.sure_and_wrong), "b": Manner(None, answering.certain_of_another)},
    "definition_reciter": {"a": Manner(first.defines), "b": Manner(second.defines)},
    "early_locker": {
        "a": Manner(first.concludes, answering.as_at_the_start),
        "b": Manner(second.concludes, answering.as_at_the_start),
    },
    "never_asks": {"a": Manner(first.asks_nothing), "b": Manner(second.asks_nothing)},
    "mistimed": {"a": Manner(first.out_of_time), "b": Manner(second.out_of_time)},
    "harmful": {"a": Manner(first.goes_along, careful=False), "b": Manner(second.goes_along, careful=False)},
    "cold": {"a": Manner(first.only_asks), "b": Manner(second.fills_in_a_form)},
    "single_shot": {"a": Manner(first.repeats_itself, careful=False), "b": Manner(second.alternates, careful=False)},
}
