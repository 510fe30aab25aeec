"""A model for a mouth is judged by what it says: leaks, who worded what, and whether it says what was decided."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from maieutic.domain.case import STYLES
from maieutic.errors import ModelError, UnknownName
from maieutic.library import get_case
from maieutic.models.scripted import ScriptedModel
from maieutic.patients.worded.patient import VoicedPatient
from maieutic.runs.findings import Finding
from maieutic.stats import Interval
from maieutic.validation import voices
from maieutic.validation.behaviour import styles_told
from maieutic.validation.sessions import LEAKED_WORDS, Row
from rows import make_row

CASES = ("gethin", "joel-salonga")
Wording = Callable[[str], str]


class Mouth(ScriptedModel):
    """Says the decided sentence with a change, and notes that it was closed."""

    def __init__(self, change: Wording) -> None:
        super().__init__(lambda messages, seed: change(messages[-1]["content"].split("nothing else: ")[-1]))
        self.closed = 0

    async def close(self) -> None:
        self.closed += 1


def heard(monkeypatch: pytest.MonkeyPatch, change: Wording, cases: Sequence[str] = CASES) -> list[Finding]:
    """The findings on sessions of four turns; checks that every session was told and the model closed."""
    mouth, ticks = Mouth(change), list[int]()
    monkeypatch.setattr(voices, "load_model", lambda spec: mouth)
    found = voices.check("scripted", cases, turns=4, tick=ticks.append)
    assert mouth.closed == 1
    assert sum(ticks) == len(cases)
    return found


LEAKS, TURN_LEAKS, BY_MEANING, FAITHFUL, WORDED, FELL_BACK = range(6)


def share(finding: Finding) -> float | None:
    return finding.value.estimate if finding.value else None


def titled(findings: Sequence[Finding], start: str) -> dict[str, float | None]:
    return {f.title.removeprefix(start): share(f) for f in findings if f.title.startswith(start)}


@pytest.mark.slow
def test_a_faithful_mouth_words_everything_and_leaks_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    found = heard(monkeypatch, lambda decided: f"Well. {decided}")
    assert [share(f) for f in found[:6]] == [0.0, 0.0, 0.0, 1.0, 1.0, 0.0]
    assert found[LEAKS].holds is True
    assert found[BY_MEANING].holds is True
    assert "scripted" in found[LEAKS].title
    assert found[LEAKS].value is not None
    assert found[LEAKS].value.n == 2
    assert (found[WORDED].holds, found[FAITHFUL].holds) == (None, None)
    assert not titled(found, "fell back, because ")
    assert not titled(found, "drafts refused, because ")


def test_a_mouth_that_quotes_the_diagram_breaks_the_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    secret = " ".join(get_case("gethin").history.split()[:LEAKED_WORDS])
    monkeypatch.setattr(sys.modules[VoicedPatient.__module__], "fault", lambda *_, **__: None)
    found = heard(monkeypatch, lambda decided: f"{decided} {secret}")
    assert found[LEAKS].holds is False
    assert share(found[LEAKS]) == 0.5  # it is a secret of one of the two cases only
    assert share(found[WORDED]) == 1.0


@pytest.mark.parametrize(("checked", "leaks"), [(False, True), (True, False)])
def test_a_mouth_that_words_another_fact_leaks_by_meaning_unless_it_is_checked(
    monkeypatch: pytest.MonkeyPatch, checked: bool, leaks: bool
) -> None:
    kept = max(get_case("gethin").situations[0].evidence, key=lambda e: e.guard)
    if not checked:
        monkeypatch.setattr(sys.modules[VoicedPatient.__module__], "fault", lambda *_, **__: None)
    found = heard(monkeypatch, lambda decided: kept.said[0].replace(" ", " , "), CASES[:1])
    assert share(found[LEAKS]) is not None
    assert ((share(found[BY_MEANING]) or 0.0) > 0.5) is leaks
    assert found[BY_MEANING].holds is (not leaks)


def test_why_the_template_spoke_is_counted_by_reason_and_by_draft(monkeypatch: pytest.MonkeyPatch) -> None:
    found = heard(monkeypatch, lambda decided: "As a therapist I see that.")
    assert share(found[LEAKS]) == 0.0
    assert share(found[WORDED]) == 0.0
    assert share(found[FELL_BACK]) == 1.0
    assert found[FAITHFUL].value is None
    assert found[FAITHFUL].note == "the model worded no turn"
    assert found[LEAKS].holds is True
    assert titled(found, "fell back, because ") == {"the wording talks like a therapist": 1.0}
    assert titled(found, "drafts refused, because the wording ") == {"talks like a therapist": 1.0}
    fell, drafts = (next(f for f in found if f.title.startswith(s)) for s in ("fell back,", "drafts refused,"))
    assert fell.value is not None
    assert drafts.value is not None
    assert drafts.value.n == 2 * fell.value.n


def test_a_draft_that_is_mended_is_counted_among_the_drafts_only(monkeypatch: pytest.MonkeyPatch) -> None:
    drafts = iter(range(10_000))
    found = heard(monkeypatch, lambda decided: decided if next(drafts) % 2 else "", CASES[:1])
    assert share(found[WORDED]) == 1.0
    assert titled(found, "drafts refused, because the wording ") == {"is empty": 0.5}
    assert not titled(found, "fell back, because ")


def test_a_mouth_that_fails_leaves_the_words_to_the_template(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(decided: str) -> str:
        raise ModelError("gone")

    found = heard(monkeypatch, fails)
    assert (share(found[LEAKS]), share(found[WORDED])) == (0.0, 0.0)
    assert found[LEAKS].note == "judged by the share itself"
    assert titled(found, "fell back, because ") == {"the model failed": 1.0}


def test_sessions_that_break_are_counted_and_not_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    def breaks(decided: str) -> str:
        raise ZeroDivisionError("a bug of its own")

    found = heard(monkeypatch, breaks)
    assert found[LEAKS].note == "2 sessions failed"
    assert (found[LEAKS].holds, found[LEAKS].value) == (None, Interval(None, None, None, 0))
    assert (found[BY_MEANING].holds, share(found[WORDED]), share(found[FAITHFUL])) == (None, None, None)


@pytest.mark.parametrize(("cosine", "faithful"), [(0.51, 1.0), (0.49, 0.0)])
def test_a_wording_is_faithful_from_the_stated_similarity_on(
    monkeypatch: pytest.MonkeyPatch, cosine: float, faithful: float
) -> None:
    class Fixed:
        def __call__(self, texts: Sequence[str]) -> NDArray[np.float32]:
            assert texts[1] == f"Well. {texts[0]}"
            other = [[0.0, 0.0] for _ in texts[2:]]
            return np.array([[1.0, 0.0], [cosine, np.sqrt(1.0 - cosine**2)], *other], dtype=np.float32)

    monkeypatch.setattr(voices, "MiniLM", Fixed)
    assert share(heard(monkeypatch, lambda decided: f"Well. {decided}", CASES[:1])[FAITHFUL]) == faithful


def test_style_is_told_from_the_words_where_there_is_something_to_learn_from(monkeypatch: pytest.MonkeyPatch) -> None:
    def spoken(case: str, style: str, words: int) -> Row:
        return replace(make_row("worksheet", case), style=style, said=tuple(["word " * words] * 6))

    lengths = {style: 3 * 3**number for number, style in enumerate(STYLES)}
    known = [spoken(f"case-{n}", style, length) for n in range(4) for style, length in lengths.items()]
    assert styles_told([spoken("new", s, length) for s, length in lengths.items()], known).count(True) >= 4
    assert not all(styles_told([spoken("new", s, 3) for s in STYLES], known))
    assert heard(monkeypatch, str)[-1].value is None
    mouth = Mouth(str)
    monkeypatch.setattr(voices, "load_model", lambda spec: mouth)
    *_, worded, plain = voices.check("scripted", CASES, turns=2, tick=lambda _: None, styled=known)
    assert worded.value is not None
    assert worded.value.n == 2
    assert worded.value == plain.value  # a mouth that changes nothing changes no style


def test_a_model_that_nobody_knows_is_named() -> None:
    with pytest.raises(UnknownName, match="embedded"):
        voices.check("embeded", CASES, turns=1, tick=lambda _: None)
