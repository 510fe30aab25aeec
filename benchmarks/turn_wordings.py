"""Turns as they are, formal behind thanks, behind a hedge and in few words: are they read alike? Only prints.

    python benchmarks/turn_wordings.py

40 turns by a hand that nothing was fitted on (`data/turn_wordings_third.jsonl.xz`), half of them conclude, half of either are about
danger or the body. It was read with the readers before the hands of `recipes/data/turn_wordings.jsonl.xz` were learned from, with those
after, and each time that this is run, so it is no sealed hand any more: nothing may be chosen on it.

Below stand three hands with 40, 40 and 30 pairs that begin with one hedge (`data/turns_behind_hedges.jsonl.xz`), one
of which goes on to a conclusion and one does not; half of both end with the same question. Nothing that ships was
fitted on them: a fit on the first two was given up (`docs/gap/readers.md`), which the third was read for.
"""

from __future__ import annotations

from itertools import product
from pathlib import Path

from maieutic.gap.knows_vs_does.moves import moves_of
from maieutic.gap.lost.labels import kind_of, speaks_for_conclusion
from maieutic.gap.replies import without_openings
from maieutic.reading.plain import plain
from maieutic.runs.files import read_lines

HEDGED = Path(__file__).parent / "data" / "turns_behind_hedges.jsonl.xz"
DATA = Path(__file__).parent / "data" / "turn_wordings_third.jsonl.xz"
WORDINGS = ("as it is", "formal, thanks before", "hedge before", "in few words")


def rows() -> list[dict[str, str]]:
    """Label (yes: concludes), turn, thanks, formal, hedge, short."""
    return read_lines(DATA)


def wordings(row: dict[str, str]) -> tuple[str, ...]:
    """A turn in the four `WORDINGS`."""
    return row["turn"], f"{row['thanks']} {row['formal']}", f"{row['hedge']} {row['turn']}", row["short"]


def main() -> None:
    """Prints how conclusions and moves are read, and which openings are left out."""
    found = rows()
    kinds = [[kind_of(plain(text).text) for text in wordings(row)] for row in found]
    labels = [row["label"] == "yes" for row in found]
    for at, name in enumerate(WORDINGS):
        right = sum((kind[at].chance >= 0.5) == label for kind, label in zip(kinds, labels, strict=True))
        unsure = sum(kind[at].concludes is None for kind in kinds)
        print(f"{name:<24} right as likeliest {right} of {len(found)}, unsure {unsure}")
    turned = sum(len({one.concludes for one in kind[:3]}) > 1 for kind in kinds)
    print(f"not read with the same word in the first three wordings: {turned} of {len(found)}")
    for field in ("thanks", "hedge"):
        left = sum(without_openings([row[field], row["turn"]], speaks_for_conclusion) == [row["turn"]] for row in found)
        print(f"{field} left out: {left} of {len(found)}")
    moves = [[moves_of(text) for text in wordings(row)] for row in found]
    formal = [moves_of(row["formal"]) for row in found]
    print(f"moves changed: by thanks and formal words {sum(one[1] != one[0] for one in moves)}, "
          f"by the formal words alone {sum(one != all_[0] for one, all_ in zip(formal, moves, strict=True))}, "
          f"by a hedge {sum(one[2] != one[0] for one in moves)}")  # fmt: skip
    _print_hedged()


def _print_hedged() -> None:
    """Right, unsure and surely wrong of the turns behind a hedge, those that conclude and those that do not."""
    read = [(row, kind_of(plain(row["turn"]).text)) for row in read_lines(HEDGED)]
    for label, asked in product(("yes", "no"), (True, False)):
        mine = [kind for row, kind in read if row["label"] == label and row["question_after"] == asked]
        right = sum((kind.chance >= 0.5) == (label == "yes") for kind in mine)
        wrong = sum(kind.concludes is (label == "no") for kind in mine)
        unsure = sum(kind.concludes is None for kind in mine)
        what = f"{'concludes' if label == 'yes' else 'does not'}, {'a' if asked else 'no'} question after"
        print(
            f"behind a hedge, {what}: right as likeliest {right} of {len(mine)}, unsure {unsure}, surely wrong {wrong}"
        )


if __name__ == "__main__":
    main()
