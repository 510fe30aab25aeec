"""A judge as a reader: figures by hand, when it is admitted, what is written, and the recorded answers of a capable one."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from command_line import maieutic
from maieutic.coding.book import Facet, Label, Scheme
from maieutic.coding.schemes import REPLIES
from maieutic.domain.episode import Usage
from maieutic.errors import BudgetReached, InputError
from maieutic.judging.admitted import cache_key, read_admission
from maieutic.models.embedded import packaged_weights
from maieutic.protocols import Reply
from maieutic.runs.files import read_lines
from maieutic.validation.judge.run import Asked, How, admission, labelled_sets, lines, measure, page, write_report
from maieutic.validation.judge.sets import Item, LabelledSet, Reader, exchange, own_replies, weighted_kappa

RECORDED = Path(__file__).parent / "data" / "recorded_answers.jsonl"
TONE = Facet("tone", "Tone", "?", "therapist", (Label("warm", "Warm", "."), Label("cold", "Cold", ".")))
BOOK = Scheme("tone", "Tone", (), (), False, "tests", "none", facets=(TONE,))
READER = Reader("tone", "tone", "macro-F1", "tone", ("warm", "cold"))


class Model:
    """Says of each coded reply what it is told to, by the reply's words."""

    name = "recorded"

    def __init__(self, said: Mapping[str, Any]) -> None:
        self.said = said
        self.calls = 0

    async def generate(self, messages: Sequence[Any], **how: Any) -> Reply:
        self.calls += 1
        coded = next(line for line in messages[-1]["content"].splitlines() if line.startswith("[1]"))
        return Reply(json.dumps(self.said.get(json.loads(coded.partition(": ")[2]), "no idea")), Usage(1, 10, 5))

    async def close(self) -> None: ...


def small(count: int, *, ours_right: int) -> LabelledSet:
    items = tuple(
        Item(str(n), str(n), exchange("I see.", f"Reply {n}."), {"tone": (("warm", "cold")[n % 2],)})
        for n in range(count)
    )
    other = {"warm": "cold", "cold": "warm"}
    ours = {
        one.id: [(one.gold["tone"][0] if n < ours_right else other[one.gold["tone"][0]],)]
        for n, one in enumerate(items)
    }
    return LabelledSet("small", "Small", BOOK, items, (READER,), {"tone": ours})


def answers(one: LabelledSet, wrong: int = 0) -> dict[str, Any]:
    found = {}
    for n, item in enumerate(one.items):
        value = item.gold["tone"][0]
        if n < wrong:
            value = "cold" if value == "warm" else "warm"
        text = item.said[-1].text
        found[text] = {"codes": [{"n": 1, "labels": [], "quote": text, "facets": {"tone": value}}]}
    return found


def measured(one: LabelledSet, said: Mapping[str, Any], journal: Path, **how: Any) -> Any:
    return asyncio.run(measure(Model(said), [one], How(samples=1, **how), journal, lambda *_: None))


def test_a_judge_is_admitted_only_where_its_lower_limit_beats_the_embedded_reader(tmp_path: Path) -> None:
    one = small(60, ours_right=48)
    (good,), asked = measured(one, answers(one, wrong=1), tmp_path / "a.jsonl")
    assert good.admitted and good.judge.low > good.embedded.estimate and good.why == ""
    assert asked.calls == 60 and asked.tokens_in == 600 and asked.tokens_out == 300
    (equal,), _ = measured(one, answers(one, wrong=8), tmp_path / "b.jsonl")
    assert equal.judge.estimate > equal.embedded.estimate, "better by the estimate"
    assert not equal.admitted and "lower limit" in equal.why


def test_all_right_is_no_certainty(tmp_path: Path) -> None:
    one = small(56, ours_right=54)
    (line,), _ = measured(one, answers(one), tmp_path / "a.jsonl")
    assert line.judge.estimate == 1.0
    assert line.judge.low == pytest.approx(56 / (56 + 1.959964**2), abs=1e-4), "Wilson's bound, not 1"
    assert not line.admitted


def test_an_answer_that_cannot_be_read_counts_as_wrong_and_a_silent_judge_is_never_admitted(tmp_path: Path) -> None:
    one = small(40, ours_right=20)
    said = answers(one)
    half = dict(list(said.items())[::2])
    (line,), _ = measured(one, half, tmp_path / "a.jsonl")
    assert line.missing == 20 and line.judge.estimate < 0.7
    (none,), _ = measured(one, {}, tmp_path / "b.jsonl")
    assert none.missing == 40 and none.judge.estimate == 0.0 and none.why == "no answer could be read"


def test_few_items_or_no_embedded_reader_admit_nobody(tmp_path: Path) -> None:
    one = small(12, ours_right=0)
    (few,), _ = measured(one, answers(one), tmp_path / "a.jsonl")
    assert not few.admitted and "12 items" in few.why
    alone = LabelledSet("alone", "Alone", BOOK, small(40, ours_right=0).items, (READER,))
    (line,), _ = measured(alone, answers(alone), tmp_path / "b.jsonl")
    assert not line.admitted and "no such reader" in line.why


def test_a_stopped_measurement_goes_on_without_asking_again(tmp_path: Path) -> None:
    one, journal = small(30, ours_right=10), tmp_path / "a.jsonl"
    with pytest.raises(BudgetReached):
        measured(one, answers(one), journal, max_calls=12)
    _, asked = measured(one, answers(one), journal)
    assert asked.calls + asked.kept == 30 and asked.kept >= 12


def test_what_is_written_is_what_admitted_reads(tmp_path: Path) -> None:
    one = small(60, ours_right=30)
    found, asked = measured(one, answers(one), tmp_path / "a.jsonl")
    write_report(admission("recorded", How(samples=1), [one], found, asked), found, [one], tmp_path)
    told = read_admission(tmp_path / "admitted.json", "recorded")
    assert told.readers == {"tone"} and told.samples == 1 and told.books == {"tone": cache_key(BOOK)}
    report = (tmp_path / "report.html").read_text()
    assert "admitted" in report and "experts among themselves" in report
    assert page("recorded", found, [one]).played.startswith("60 items")


def test_kappa_by_hand() -> None:
    assert weighted_kappa([(1, 1), (2, 2), (3, 3)]) == 1.0
    # Mean squared difference 1/3; by chance the mean over the nine pairs, 9/9.
    assert weighted_kappa([(1, 1), (2, 2), (3, 2)]) == pytest.approx(1 - (1 / 3) / (9 / 9))
    assert weighted_kappa([(2, 2), (2, 2)]) is None


def test_the_own_replies_are_labelled_in_the_words_of_the_code_book() -> None:
    values = {facet.id: {value.id for value in facet.values} for facet in REPLIES.facets}
    items = own_replies()
    assert len(items) >= 300 and len({one.id for one in items}) == len(items)
    for item in items:
        assert item.gold and all(set(codes) <= values[reader] for reader, codes in item.gold.items())
    assert set(values) == {reader for item in items for reader in item.gold}


def test_a_set_that_needs_data_says_so() -> None:
    with pytest.raises(InputError, match="name the folder of research data"):
        labelled_sets(["bolt"], None)
    with pytest.raises(InputError, match="known: own, bolt"):
        labelled_sets(["bolts"], None)


def test_recorded_answers_of_a_capable_judge_give_the_stored_figures(tmp_path: Path) -> None:
    stored = json.loads((Path(__file__).parents[2] / "benchmarks" / "results" / "judge_recorded.json").read_text())
    told = {row["id"]: row["answer"] for row in read_lines(RECORDED)}
    items = own_replies()
    assert set(told) == {item.id for item in items} and len(told) >= 300
    readers = tuple(
        Reader(facet.id, facet.name, "macro-F1", facet.id, tuple(v.id for v in facet.values))
        for facet in REPLIES.facets
    )
    one = LabelledSet("own", "own", REPLIES, items, readers)
    said = {item.said[-1].text: told[item.id] for item in items}
    found, asked = measured(one, said, tmp_path / "a.jsonl")
    assert asked.calls == len({(item.said[0].text, item.said[-1].text) for item in items})
    for line in found:
        kept = stored["readers"][line.reader.id]
        assert line.missing == kept["missing"] == 0
        assert line.judge.estimate == pytest.approx(kept["judge"][0], abs=1e-6)
        admitted = line.judge.low is not None and line.judge.low > kept["embedded"][0]
        assert admitted == kept["admitted"], line.reader.id


def test_lines_come_in_the_order_of_the_readers() -> None:
    one = small(25, ours_right=5)
    (line,) = lines(one, [None] * 25)
    assert line.reader is READER and line.missing == 25
    assert Asked(0, 0, None, None, None).tokens_in is None


@pytest.mark.full
@pytest.mark.timeout(600)
def test_a_model_from_a_file_of_weights_is_measured_and_gone_on_with(tmp_path: Path) -> None:
    """The packaged file under its path: what a larger model in a file of its own is loaded by."""
    words = ["--judge", f"gguf:{packaged_weights()}", "--set", "own", "--samples", "1", "--out", str(tmp_path)]
    kept = []
    for calls in (1, 2):
        code, _, err = maieutic("validate", "judge", *words, "--max-calls", "1", "--concurrency", "1")
        assert code == 130 and "--max-calls 1 is used up" in err, err
        kept.append((tmp_path / "answers.jsonl").read_text(encoding="utf-8").splitlines())
        assert len(kept[-1]) >= calls
    assert kept[1][: len(kept[0])] == kept[0] and not (tmp_path / "admitted.json").exists()
