"""Do the agent and its tracker read the lines of people they never met? Only prints.

    python benchmarks/client_lines.py

The agent's head for what a line holds: two hands who saw neither cases nor code wrote 15 lines of each kind (`data/client_lines.jsonl.xz`).
Nothing was fitted on them; the weight of written lines beside those of patients was looked at on the first one, so that the second is the
figure that counts. The tracker's head for kinds of reply: one more hand wrote 266 lines by its eighteen kinds, with what the therapist had
just done (`data/patient_replies.jsonl.xz`); nothing was fitted or chosen on them. In talks kinds are not as frequent as there.
The tracker's head for what is made of a thought: 40 lines of each of four kinds by one more hand (`data/borne_lines.jsonl.xz`), each as if
in answer to the question to weigh; nothing was fitted or chosen on them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from maieutic.reading.bag import sentence_row
from maieutic.reading.minilm import shared_minilm
from maieutic.runs.files import read_lines
from maieutic.stats import wilson
from maieutic.therapists.hearing import LINES, held_in
from maieutic.tracking.asked import Asked
from maieutic.tracking.ear import replied
from maieutic.tracking.space import REPLIES, Reply
from maieutic.tracking.tables import packaged_tables
from maieutic.tracking.targets import Push, Reflection, Target

DATA = Path(__file__).parent / "data"
LOOSENS = (Reply.GIVES_WAY.value, Reply.INSIGHT.value)


def main() -> None:
    """Prints for both heads the share read right by hand, and what the others of each kind are taken for."""
    rows = read_lines(DATA / "client_lines.jsonl.xz")
    told([(row["hand"], row["kind"], _likeliest(held_in(row["text"]))) for row in rows], LINES)
    kinds = [kind.value for kind in REPLIES]
    replies = [(row["hand"], row["kind"], _reply(row)) for row in read_lines(DATA / "patient_replies.jsonl.xz")]
    told(replies, kinds)
    for hand in sorted({hand for hand, *_ in replies}):
        for name, loosens in (("gives way or sees anew, taken for it", True), ("anything else, taken for it", False)):
            mine = [
                taken in LOOSENS for whose, kind, taken in replies if whose == hand and (kind in LOOSENS) == loosens
            ]
            print(f"{hand}: {name}: {_share(mine)}")
    leans: dict[str, list[float]] = {}
    for row in read_lines(DATA / "borne_lines.jsonl.xz"):
        leans.setdefault(row["kind"], []).append(_leans(row["text"]))
    for kind, of in leans.items():
        speaks = (f"for it {_share([lean > 0.0 for lean in of])}", f"against it {_share([lean < 0.0 for lean in of])}")
        print(f"whether a thought is true, {kind}: {', '.join(speaks)}")


def told(read: Sequence[tuple[str, str, str]], kinds: Sequence[str]) -> None:
    """Prints (hand, kind, taken for) of each line as shares."""
    for hand in sorted({hand for hand, *_ in read}):
        taken = Counter((kind, to) for whose, kind, to in read if whose == hand)
        print(f"{hand}: right {_share([kind == to for whose, kind, to in read if whose == hand])}")
        for kind in kinds:
            others = {to: times for (of, to), times in taken.items() if of == kind != to}
            print(f"    {kind:12} {taken[kind, kind]:>3} {others or ''}")


def _leans(text: str) -> float:
    """Log-odds that an answer to weighing counts for the truth of the thought."""
    tables = packaged_tables()
    return tables.accurate(sentence_row(text, tables.accurate_head.places), loosened=0.0, weighs=True)


def _reply(row: Mapping[str, str]) -> str:
    """What the tracker's head takes a line for, after what had been asked."""
    asked = Asked(Target(row["target"]), Reflection(row.get("reflection", "none")), Push(row.get("push", "none")))
    vector = shared_minilm()([row["text"]])[0].astype(np.float64)
    chances = replied(packaged_tables().reply_head, row["text"], vector, asked)
    return REPLIES[int(chances.argmax())].value


def _likeliest(chances: Mapping[str, float]) -> str:
    return max(chances, key=lambda name: chances[name])


def _share(right: Sequence[bool]) -> str:
    found = wilson(sum(right), len(right))
    return f"{found.estimate:.2f} [{found.low:.2f}, {found.high:.2f}] of {len(right)}"


if __name__ == "__main__":
    main()
