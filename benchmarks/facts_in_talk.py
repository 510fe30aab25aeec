"""Is the right thing heard in turns of test cases that nothing was fitted or chosen on? Facts, then pieces and forms of a question.

    python benchmarks/facts_in_talk.py

`data/facts_in_talk.jsonl`: turns on thirteen test cases, half of them later in a talk, by somebody who had seen neither code nor
training turns nor the held-out turns of `maieutic validate patients`; the bounds are those of that command. Then 50 interviews on ten
test cases (`validation/data/hearing_heldout.jsonl`), by writers none of whose turns was learned from: is a piece that answers the
turn heard first, and is its form right? Intervals by case.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib.resources import files
from pathlib import Path
from random import Random

from maieutic.domain.appraisal import QuestionForm
from maieutic.domain.episode import Session, Turn
from maieutic.library import get_case
from maieutic.patients.ear import heard_as
from maieutic.runs.files import read_lines
from maieutic.stats import bootstrap_mean
from maieutic.validation.reading import Labelled, judged
from maieutic.worlds import reading

TURNS = Path(__file__).parent / "data" / "facts_in_talk.jsonl"


def heard() -> Iterator[Labelled]:
    for talk in read_lines(TURNS):
        case, situation = talk["case"], talk["situation"]
        opening = get_case(case).phrasings.opening[situation][0]
        for turn in talk["turns"]:
            session = Session((Turn("patient", turn.get("p") or opening), Turn("therapist", turn["t"])))
            reaches = reading(case, situation)(session).reaches
            reached = reaches[0].evidence if reaches else None
            yield Labelled(case, situation, turn.get("fact"), turn["kind"], turn["t"], reached)


def interviews() -> Iterator[tuple[str, bool | None, bool | None, bool]]:
    """Case; whether a right piece is likeliest and among the three likeliest, where there is one; whether the form is right."""
    place = Path(str(files("maieutic.validation").joinpath("data", "hearing_heldout.jsonl")))
    for talk in read_lines(place):
        case = get_case(talk["case"])
        ears = reading(case.id, talk["situation"]).hearing
        said = {item.id: item.said[0] for item in ears.index.items}
        before, told = talk["opening"], tuple[str, ...]()
        for turn in talk["turns"]:
            taken = ears.take(heard_as(turn["t"], before), told, Random(0))
            order = sorted(taken.chances, key=taken.chances.__getitem__, reverse=True)
            about = [name for name in turn["about"] if name in said]
            first, three = (order[0] in about, bool(set(order[:3]) & set(about))) if about else (None, None)
            likeliest = max(QuestionForm, key=taken.chance).value
            yield case.id, first, three, likeliest in (turn.get("forms") or [turn["form"]])
            if about:
                before, told = said[about[0]], (*told, about[0])


def share(title: str, rows: Sequence[tuple[str, bool | None]]) -> None:
    hits = [(case, float(hit)) for case, hit in rows if hit is not None]
    value = bootstrap_mean([hit for _, hit in hits], clusters=[case for case, _ in hits], rng=Random(7))
    print(f"{title} ({len(hits)} turns): {value.estimate:.2f} [{value.low:.2f}, {value.high:.2f}]")


def main() -> None:
    """Prints."""
    for one in judged(list(heard())):
        value = one.value
        assert value is not None
        print(f"{one.title}: {value.estimate:.2f} [{value.low:.2f}, {value.high:.2f}] {one.asked}".rstrip())
    found = list(interviews())
    share("interviews: a right piece is likeliest, asked 0.80", [(case, first) for case, first, _, _ in found])
    share("interviews: among the three likeliest", [(case, three) for case, _, three, _ in found])
    share("interviews: form right", [(case, form) for case, _, _, form in found])
    either = [(case, form if first is None else first or form) for case, first, _, form in found]
    share("interviews: piece or form right", either)


if __name__ == "__main__":
    main()
