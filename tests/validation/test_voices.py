"""A model for a mouth is judged by what it says: leaks, who worded what, and whether it says what was decided."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from maieutic.errors import ModelError, UnknownName
from maieutic.library import get_case
from maieutic.models.scripted import ScriptedModel
from maieutic.stats import Interval
from maieutic.validation import voices
from maieutic.validation.bounds import Finding
from maieutic.validation.rows import LEAKED_WORDS

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
    """The three findings on sessions of four turns; checks that every session was told and the model closed."""
    mouth, ticks = Mouth(change), list[int]()
    monkeypatch.setattr(voices, "load_model", lambda spec: mouth)
    found = voices.check("scripted", cases, turns=4, tick=ticks.append)
    assert mouth.closed == 1
    assert sum(ticks) == len(cases)
    return found


def shares(findings: Sequence[Finding]) -> list[float | None]:
    return [f.value.estimate if f.value else None for f in findings]


def test_a_faithful_mouth_words_everything_and_leaks_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    leaks, worded, faithful = heard(monkeypatch, lambda decided: f"Well. {decided}")
    assert shares([leaks, worded, faithful]) == [0.0, 1.0, 1.0]
    assert leaks.holds is True
    assert "scripted" in leaks.title
    assert leaks.value is not None
    assert leaks.value.n == 2
    assert (worded.holds, faithful.holds) == (None, None)


def test_a_mouth_that_quotes_the_diagram_breaks_the_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    secret = " ".join(get_case("gethin").history.split()[:LEAKED_WORDS])
    leaks, worded, _ = heard(monkeypatch, lambda decided: f"{decided} {secret}")
    assert leaks.holds is False
    assert leaks.value is not None
    assert leaks.value.estimate == 0.5  # it is a secret of one of the two cases only
    assert shares([worded]) == [1.0]


def test_a_mouth_whose_words_are_refused_leaves_them_to_the_template(monkeypatch: pytest.MonkeyPatch) -> None:
    leaks, worded, faithful = heard(monkeypatch, lambda decided: "As a therapist I see that.")
    assert shares([leaks, worded]) == [0.0, 0.0]
    assert faithful.value is None
    assert faithful.note == "the model worded no turn"
    assert leaks.holds is True


def test_a_mouth_that_fails_leaves_the_words_to_the_template(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(decided: str) -> str:
        raise ModelError("gone")

    leaks, worded, faithful = heard(monkeypatch, fails)
    assert shares([leaks, worded]) == [0.0, 0.0]
    assert faithful.value is None
    assert leaks.note == "judged by the share itself"


def test_sessions_that_break_are_counted_and_not_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    def breaks(decided: str) -> str:
        raise ZeroDivisionError("a bug of its own")

    leaks, worded, faithful = heard(monkeypatch, breaks)
    assert leaks.note == "2 sessions failed"
    assert (leaks.holds, leaks.value) == (None, Interval(None, None, None, 0))
    assert shares([worded, faithful]) == [None, None]


@pytest.mark.parametrize(("cosine", "faithful"), [(0.51, 1.0), (0.49, 0.0)])
def test_a_wording_is_faithful_from_the_stated_similarity_on(
    monkeypatch: pytest.MonkeyPatch, cosine: float, faithful: float
) -> None:
    class Fixed:
        def __call__(self, texts: Sequence[str]) -> NDArray[np.float32]:
            assert len(texts) == 2
            assert texts[1] == f"Well. {texts[0]}"
            return np.array([[1.0, 0.0], [cosine, np.sqrt(1.0 - cosine**2)]], dtype=np.float32)

    monkeypatch.setattr(voices, "MiniLM", Fixed)
    assert shares(heard(monkeypatch, lambda decided: f"Well. {decided}", CASES[:1]))[2] == faithful


def test_a_model_that_nobody_knows_is_named() -> None:
    with pytest.raises(UnknownName, match="embedded"):
        voices.check("embeded", CASES, turns=1, tick=lambda _: None)
