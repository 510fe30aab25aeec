"""The catalogue of session measures is whole, and its page says what it says; further codes reach the measures."""

from __future__ import annotations

import json
import lzma
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from coded_talk import talk

from maieutic.errors import UnknownName
from maieutic.measures.catalogue import OF_TRANSCRIPTS, listed, scores_of, told
from maieutic.measures.coded import ManyCodes, code_transcript
from maieutic.measures.definition import Measure
from maieutic.measures.validity import NOT_VALIDATED, shown
from maieutic.registry import known
from maieutic.scoring.given import CodesFile, Given
from measure_page import page
from measure_validity import LIKENESS

PAGE = Path(__file__).parents[2] / "docs" / "measures.md"
UNVALIDATED = (
    "guided_discovery", "competence_mean", "client_first_share", "client_first_surplus", "stage_order",
    "synthesis_question_share", "therapist_bond_alliance", "bond_alliance_gap", "adaptation_log_ratio",
)  # fmt: skip
SAID = talk(("T", None, "Why?"), ("C", None, "Because."), ("T", None, "I see."), ("C", None, "Yes.")).transcript


def test_ids_are_unique_and_every_measure_has_its_place() -> None:
    assert len({one.id for one in OF_TRANSCRIPTS}) == len(OF_TRANSCRIPTS)
    assert all(one.title and one.meaning and one.family and one.validated for one in OF_TRANSCRIPTS)
    assert all(
        not one.detail
        for one in OF_TRANSCRIPTS
        if one.family in ("Only for motivational interviewing", "Synchrony", "After a feeling")
    )


def test_constructs_without_human_coding_say_so() -> None:
    by_id = {one.id: one for one in OF_TRANSCRIPTS}
    assert all(NOT_VALIDATED in by_id[name].validated for name in UNVALIDATED)
    assert "rank correlation" in by_id["reflection_rate"].validated
    assert "F1" in by_id["bolt_planning_rate"].validated


def test_the_likeness_tells_the_figure_of_the_stored_run_of_validate_coder() -> None:
    stored = lzma.decompress((PAGE.parents[1] / "benchmarks/results/coder_validation.jsonl.xz").read_bytes())
    (line,) = (one for one in map(json.loads, stored.splitlines()) if one.get("title") == LIKENESS)
    assert f"{shown(line['value'])} of all {line['n']} (`maieutic validate coder`)" in page()


def test_the_page_is_that_of_the_catalogue() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run: python recipes/measure_page.py > docs/measures.md"


def test_the_page_has_a_row_for_every_measure_and_each_is_told_at_length() -> None:
    packaged = [id for id, one in known("measure").items() if isinstance(one, Measure) and id.islower()]
    text = page()
    for id in packaged:
        assert text.count(f"\n| `{id}` ") == 1, id
        assert told(id).startswith(f"{id}\n") and "Needs: " in told(id)
    ids = [id for _, id, _ in listed()]
    assert {*ids} >= {*packaged} and len({*ids}) == len(ids)
    assert "Of a simulated session" in text and "share, 0 to 1" in told("advice_rate")
    assert "AUC, high over low quality: AnnoMI" in told("reflection_rate")
    with pytest.raises(UnknownName, match="reflection_rate"):
        told("reflexion_rate")


LONG = (
    ("T", "question", "What brings you here today?", ()),
    ("C", "neutral", "I feel sad about my drinking and I argued with my sister.", ("Sharing Negative Emotions",)),
    (
        "T",
        "reflection",
        "You feel sad about the drinking, and the argument with your sister hurt.",
        ("Reflections on Emotions",),
    ),
    ("C", "change", "I want to stop drinking before my sister leaves.", ("Changing Unhealthy Behavior",)),
    ("T", "question", "Looking at all of that together, how would your sister see it?", ("Questions on Perspectives",)),
    ("C", "sustain", "She would say that I never stop. I feel ashamed.", ("Sharing Negative Emotions",)),
    ("T", "therapist_input", "You could write down what you drink.", ("Problem-Solving",)),
    ("C", "change", "I could try that, I feel worried though.", ("Sharing Negative Emotions",)),
    ("T", "reflection", "You are worried and you want to try.", ("Reflections on Emotions",)),
    ("C", "change", "Yes, I will write it down tonight.", ("Changing Unhealthy Behavior",)),
    ("T", "question", "What would be a first step?", ("Planning",)),
    ("C", "neutral", "Buying a notebook.", ()),
)


def test_what_a_measure_is_said_to_need_is_what_it_reads() -> None:
    whole = talk(*LONG)
    unlabelled = replace(whole, turns=tuple(replace(turn, label=None) for turn in whole.turns))
    without_bolt = replace(whole, turns=tuple(replace(turn, codes={}) for turn in whole.turns))
    for one in OF_TRANSCRIPTS:
        value = one(whole).value
        if not {"codes", "bolt"} & {*one.needs}:
            assert one(unlabelled).value == value, one.id
        if not {"bolt", "bolt_too"} & {*one.needs}:
            assert one(without_bolt).value == value, one.id
        if "codes" in one.needs and one.id != "sure_share":
            assert one(unlabelled).value is None or "quality" in one.function.__module__, one.id
        if "bolt" in one.needs:
            assert one(without_bolt).value is None, one.id


def test_a_session_without_codes_has_no_value_where_codes_are_needed() -> None:
    uncoded = talk(("T", None, "Why?"), ("C", None, "Because."), ("T", None, "I see."), ("C", None, "Yes."))
    for score in scores_of(uncoded):
        assert (score.value is None) == bool(score.reason)
        assert score.value is None or score.measure in (
            "therapist_talk_share", "therapist_words_per_turn", "client_words_per_turn", "session_words", "session_turns",
            "sure_share", "stacked_question_share", "leading_question_share",
        ), score  # fmt: skip


@dataclass(frozen=True)
class Plain:
    predicted: tuple[str, ...] = ("other",)
    probabilities: dict[str, float] = None  # type: ignore[assignment]
    abstain: bool = False


def test_further_codes_come_with_the_packaged_coders_and_not_with_others() -> None:
    many = code_transcript(
        SAID, lambda said: [ManyCodes(("other",), {}, False, {"bolt": ("Planning",)}) for _ in said.utterances]
    )
    assert {turn.codes["bolt"] for turn in many.turns} == {("Planning",)}
    assert len(many.under("bolt", "therapist")) == 2
    plain = code_transcript(SAID, lambda said: [replace(Plain(), probabilities={}) for _ in said.utterances])
    assert all(turn.codes == {} for turn in plain.turns) and plain.under("bolt", "therapist") == ()


def test_a_file_of_codes_can_be_read_with_further_codes() -> None:
    codes = CodesFile("f", {("x", 10): Given(label="question")})
    bare = codes.apply(SAID)
    both = codes.apply(SAID, lambda said: [{"bolt": ()} for _ in said.utterances])
    assert (bare.turns[0].label, bare.turns[0].codes) == ("question", {})
    assert (both.turns[0].label, both.turns[0].codes) == ("question", {"bolt": ()})
