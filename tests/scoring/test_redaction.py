"""What redaction finds in own-written sentences, that it is consistent within a session, and that stored copies go through it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import polars as pl
import pytest
from own_sessions import as_text, stand_in
from redaction_sentences import HELD_OUT, KNOWN

from maieutic.runs import figures
from maieutic.scoring import score as module
from maieutic.scoring.score import score_paths
from maieutic.scoring.score_run import ScoreOptions
from maieutic.transcripts.redaction import KINDS, Redactor, redact_text

MARK = re.compile(r"\{([NEPA]):([^}]*)\}")
FULL = {"N": "NAME", "E": "EMAIL", "P": "PHONE", "A": "ADDRESS"}
PAGE = Path(__file__).parents[2] / "docs" / "transcripts.md"


def parsed(sentence: str) -> tuple[str, list[tuple[int, int, str]]]:
    """The text without marks, and where the marked details are."""
    text, places, at = "", [], 0
    for match in MARK.finditer(sentence):
        text += sentence[at : match.start()]
        places.append((len(text), len(text) + len(match[2]), FULL[match[1]]))
        text += match[2]
        at = match.end()
    return text + sentence[at:], places


def measured(sentences: Sequence[str]) -> dict[str, tuple[int, int, int]]:
    """By kind: details covered whole by a placeholder, details, and placeholders where nothing was to be found."""
    counts = {kind: [0, 0, 0] for kind in KINDS}
    for sentence in sentences:
        text, wanted = parsed(sentence)
        found = Redactor((text,)).spans(text)
        for start, end, kind in wanted:
            counts[kind][0] += any(one.start <= start and end <= one.end for one in found)
            counts[kind][1] += 1
        for one in found:
            counts[one.kind][2] += not any(start < one.end and one.start < end for start, end, _ in wanted)
    return {kind: (a, b, c) for kind, (a, b, c) in counts.items()}


def test_the_sets_are_large_enough_and_do_not_overlap() -> None:
    assert len(KNOWN) + len(HELD_OUT) >= 80
    assert not set(KNOWN) & set(HELD_OUT)


def test_the_figures_in_the_docs_are_those_measured_here() -> None:
    text = PAGE.read_text("utf-8")
    names = {"NAME": "names", "EMAIL": "emails", "PHONE": "phone numbers", "ADDRESS": "street addresses"}
    for kind, (covered, wanted, false) in measured(HELD_OUT).items():
        assert f"| {names[kind]} | {covered} of {wanted} | {false} |" in text


def test_most_details_of_the_held_out_sentences_are_found() -> None:
    for kind, (covered, wanted, false) in measured(HELD_OUT).items():
        assert covered >= 0.9 * wanted, kind
        assert false <= 0.1 * wanted, kind


def test_one_name_has_one_placeholder_throughout_a_session() -> None:
    said = [
        "My sister Annika Lund left.",
        "Annika said so.",
        "And Tobias?",
        "He is with Mrs. Lund, or with annika@x.org.",
    ]
    redactor = Redactor(said)
    assert [redactor(text) for text in said] == [
        "My sister [NAME1] left.", "[NAME1] said so.", "And [NAME2]?", "He is with Mrs. [NAME1], or with [EMAIL1].",
    ]  # fmt: skip
    assert [Redactor(said)(text) for text in said[:1]] == ["My sister [NAME1] left."]


def test_a_name_found_once_is_found_at_the_start_of_a_sentence() -> None:
    assert redact_text("Kaveh called. I saw Kaveh today.") == "[NAME1] called. I saw [NAME1] today."


def test_names_of_the_speakers_are_known_from_outside() -> None:
    assert Redactor((), names=["Zsofi"])("Zsofi was late.") == "[NAME1] was late."


@pytest.mark.parametrize("text", ["", "?!", "I I I", "A" * 5000, "12 " * 500, "ünïcödé Çelik", "NO NO NO"])
def test_odd_text_does_not_break_it(text: str) -> None:
    assert isinstance(redact_text(text), str)


@pytest.mark.parametrize("redact", [True, False])
def test_stored_copies_are_redacted_unless_asked_otherwise(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, redact: bool
) -> None:
    monkeypatch.setattr(module, "DRAWS", 20)
    monkeypatch.setattr(figures, "drawn", lambda *chart, **size: "<svg></svg>")
    talk = [
        ("therapist", "What happened, Marguerite?"),
        ("client", "I feel sad since I left 12 Oak Street for good."),
    ] * 3
    (tmp_path / "one.txt").write_text(as_text(talk), "utf-8")
    heard: list[str] = []

    def predict(transcript: object) -> object:
        heard.extend(said.text for said in transcript.utterances)  # type: ignore[attr-defined]
        return stand_in(transcript)  # type: ignore[arg-type]

    options = ScoreOptions(keep_text=True, redact=redact)
    summary = score_paths([tmp_path / "one.txt"], out=tmp_path / "run", options=options, predict=predict)  # type: ignore[arg-type]
    assert "Marguerite" in heard[0]  # the coder reads what was said
    text = pl.read_parquet(tmp_path / "run" / "turns.parquet")["text"].to_list()
    page = (tmp_path / "run" / summary.pages[0].file).read_text("utf-8")
    for stored in (" ".join(text), page):
        assert ("Marguerite" in stored) is not redact
        assert ("Oak Street" in stored) is not redact
        assert ("[NAME1]" in stored and "[ADDRESS1]" in stored) is redact
