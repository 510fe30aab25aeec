"""Reads the wordings of the agent's banks and of the risk protocol once, so that no session has to.

To be run after any head named here was fitted and after any wording was changed; tests say when it was forgotten.

python recipes/known_drafts.py
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from maieutic.language.questions import ends_as_question, parts_of
from maieutic.language.sentences import sentences
from maieutic.reading.bag import sentence_row
from maieutic.reading.drafts import PLACE as DRAFTS
from maieutic.reading.ear import KNOWN, features, key_of
from maieutic.reading.head import load
from maieutic.therapists.agent.bank import BANKS, load_bank
from maieutic.therapists.risk.wording import lines
from maieutic.tracking.asked import WEIGHTS

PACKAGE = Path(__file__).resolve().parents[1] / "src" / "maieutic"
HEADS = {
    "marks_of_drafts": (DRAFTS, features),
    "asked_target": (WEIGHTS, sentence_row),
    "asked_push": (WEIGHTS, sentence_row),
}


FEELINGS = tuple(
    """afraid angry anxious ashamed depressed desperate disappointed distrustful embarrassed envious frustrated furious guilty
    hopeless humiliated hurt jealous lonely miserable nervous overwhelmed panicky rejected resentful sad scared suspicious
    worried""".split()
)
"""What patients most often tell, as it is given back."""


GIVEN_BACK = (
    "I just sat in the car", "they'll find out that I can't do it", "she didn't even look up", "I was ashamed of it",
    "it's always been like that with us", "I told him to leave it", "nobody would miss it", "I did it all the same",
)  # fmt: skip
"""What patients say, as it is given back in quotation marks; what a wording does is read as the mean over all of these."""
QUOTED = re.compile(r"“\{[a-z]+\}”")


def wordings() -> Iterator[str]:
    """Every sentence with nothing to be filled in but a feeling or what it quotes, and the questions joined in one."""
    for said in (*map(load_bank, BANKS), lines()):
        for forms in said.values():
            for sentence in (one for form in forms for one in sentences(QUOTED.sub("“…”", form))):
                fills = FEELINGS if "{feeling}" in sentence else ("",)
                for filled in (sentence.replace("{feeling}", feeling) for feeling in fills):
                    if "{" not in filled:
                        yield filled
                        yield from parts_of(filled) if ends_as_question(filled) else ()


def filled(wording: str) -> tuple[str, ...]:
    """A wording as it may be said."""
    return tuple(wording.replace("…", told) for told in GIVEN_BACK) if "“…”" in wording else (wording,)


def main() -> None:
    """Reads and writes."""
    texts = list(dict.fromkeys(wordings()))
    arrays: dict[str, Any] = {}
    for name, (place, row) in HEADS.items():
        head = load(place, name)
        # A question is read for its target and a statement for how it pushes.
        own = [
            text for text in texts if name == "marks_of_drafts" or ends_as_question(text) == (name == "asked_target")
        ]
        arrays |= {
            f"{name}.keys": np.array([key_of(text) for text in own]),
            f"{name}.labels": np.array(head.labels),
            f"{name}.chances": np.array(
                [np.mean([head.probabilities(row(one, head.places)) for one in filled(text)], axis=0) for text in own],
                dtype=np.float32,
            ),
            f"{name}.weights": np.array(hashlib.sha256((PACKAGE / place).read_bytes()).hexdigest()),
        }
    np.savez_compressed(PACKAGE / KNOWN, **arrays)
    print(f"{len(texts)} sentences, {(PACKAGE / KNOWN).stat().st_size} bytes")


if __name__ == "__main__":
    main()
