"""Whether something of a reply is worth giving back, and whether it may be said as so: fitted on what readers marked.

Readers who know therapy marked, in talks with development patients, what was or could be given back before a question:
good, beside the point, half of what was said, untrue as it stands, or broken (`recipes/giving_back.py`). The head reads
how much of the reply it is, where it stands, what comes after it, and what clause, sentence and reply hold.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import numpy as np

from maieutic.language.sentences import content_words, sentences, words
from maieutic.reading.head import Floats, load
from maieutic.therapists.agent.quoting import is_own, sets_scene
from maieutic.therapists.hearing import LINES, held_in

WEIGHTS: Final = "therapists/weights/giving_back.npz"
FITS, CLAIMS = "fits", "claims"
"""It is neither beside the point nor half of what was said nor broken; said as so it is untrue."""
_LINKS: Final = frozenset("but though and so because".split())
_POINTS_BACK: Final = frozenset("he she it they him her them this that there these those one".split())
_NEGATES: Final = frozenset("not no never nobody nothing none".split())
_ALL: Final = frozenset("always never everyone everybody nobody nothing all every".split())
_MAY: Final = frozenset("would could might will going".split())
_LIKENS: Final = frozenset("like as if".split())


def back_row(part: str, reply: str) -> Floats:
    """(d,) what the head reads of a part of a reply, as it stands there."""
    before, _, after = reply.partition(part)
    around = sentences(reply) or (reply,)
    place = next((n for n, one in enumerate(around) if part in one), len(sentences(before)) - 1)
    sentence = around[max(0, place)]
    behind = around[place + 1] if place + 1 < len(around) else ""
    spoken, told = words(part), words(reply)
    opened = words(behind)[:1]
    built = (
        len(spoken) / max(1, len(told)),
        np.log(max(1, len(spoken)) / max(1, len(told))),
        np.log1p(len(told)),
        len(spoken),
        len(content_words(part)),
        len(around),
        len(around) - 1 - place,
        place == 0,
        len(words(sentence)) - len(spoken),
        min(12, len(words(sentence.partition(part)[2]))),
        min(12, len(words(sentence.partition(part)[0]))),
        min(30, len(words(behind))),
        bool(opened and opened[0] in _LINKS),
        bool(after.strip(" .!,")),
        sets_scene(part),
        is_own(part),
        spoken[0].partition("'")[0] in _POINTS_BACK,
        bool(_NEGATES.intersection(spoken)) or any(word.endswith("n't") for word in spoken),
        bool(_ALL.intersection(spoken)),
        bool(_MAY.intersection(spoken)) or any(word.endswith(("'d", "'ll")) for word in spoken),
        bool(_LIKENS.intersection(spoken)),
        "?" in reply,
        part.count(","),
    )
    holds = (held_in(one) for one in (part, sentence, reply))
    return np.array([*map(float, built), *(each[kind] for each in holds for kind in LINES)])


@lru_cache(maxsize=5_000)
def read_back(part: str, reply: str) -> tuple[float, float]:
    """How likely readers find that a part of a reply fits where it is given back after it, and that it would be untrue
    if it were said as so, 0–1 each. What has no word is worth nothing."""
    if not words(part):
        return 0.0, 1.0
    found = load(WEIGHTS, "back")(back_row(part, reply))
    return found[FITS], found[CLAIMS]
