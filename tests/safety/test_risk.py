"""Pins the rules' handling of denial, idiom, distance and fiction, and that no input breaks the detector."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from maieutic.errors import UnreadableFile
from maieutic.reading.encoder import load
from maieutic.safety.encoder import load_encoder
from maieutic.safety.patterns import normalise
from maieutic.safety.risk import RiskAssessment, assess, read_together
from maieutic.safety.rules import find


@pytest.mark.parametrize(
    ("text", "kind", "grade"),
    [
        ("I want to kill myself.", "suicide", "active"),
        ("im going to end my life tonight", "suicide", "active"),
        ("I don’t want to be alive anymore.", "suicide", "passive"),
        ("Honestly there is no reason to go on living.", "suicide", "passive"),
        ("I can't stop thinking about killing myself.", "suicide", "active"),
        ("I've been cutting myself again.", "self_harm", "active"),
        ("My husband hit me last night.", "abuse", "active"),
        ("I took an overdose an hour ago.", "substance", "active"),
        ("I've taken a handful of pills with her photos beside me.", "substance", "active"),
        ("I've just taken an overdose under her posters.", "substance", "active"),
        ("I've taken loads of tablets and his pictures are everywhere.", "substance", "active"),
        ("I used to be better, but now I want to die.", "suicide", "active"),
    ],
)
def test_rules_see_plain_danger(text: str, kind: str, grade: str) -> None:
    held = find(normalise(text))
    assert held is not None
    assert (held[0].kind, held[0].grade) == (kind, grade)


@pytest.mark.parametrize(
    "text",
    [
        "I would never kill myself.",
        "I'm not suicidal, I'm only worn out.",
        "No, I have never hurt myself.",
        "I don't want to die.",
        "My boss is going to kill me when he sees the bill.",
        "These shoes are killing me.",
        "I'd rather die than sing in public.",
        "I was bored to death at the conference.",
        "Quitting now would be career suicide.",
        "I cut myself shaving.",
        "Fifteen years ago I tried to kill myself.",
        "When I was a student I was suicidal for a while.",
        "My uncle killed himself in the spring.",
        "In the film she says she is going to kill herself.",
        "In the novel the narrator writes: I want to die.",
        "My first husband hit me, that was twenty years ago.",
        "He beats me at chess.",
        "They kicked me out of the hospital at midnight.",
        "I've taken all the old holiday pictures off the wall.",
    ],
)
def test_rules_hold_back(text: str) -> None:
    assert find(normalise(text)) is None


def test_every_flag_says_why() -> None:
    seen = assess("I am going to kill myself tonight.")
    assert seen.flagged and seen.by == "rules" and seen.grade == "active" and seen.kind == "suicide"
    assert "kill myself" in seen.matched[0]


def test_the_encoder_flags_what_no_rule_names() -> None:
    text = "I did it again last night and I had to wear sleeves in this heat."
    assert find(normalise(text)) is None
    seen = assess(text)
    assert seen.by == "encoder" and seen.flagged and seen.probability >= load_encoder().threshold
    assert seen.kind is not None and seen.grade != "none"


def test_plain_danger_of_another_kind_is_certain_without_a_rule() -> None:
    seen = assess("The voices tell me to kill myself.")
    assert (seen.kind, seen.grade, seen.by) == ("psychosis", "active", "encoder")


def test_unflagged_says_nothing() -> None:
    seen = assess("I forgot my umbrella on the tram.")
    assert seen == RiskAssessment(False, "none", None, seen.probability, (), None)
    assert 0.0 <= seen.probability < load_encoder().threshold


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   \n\t",
        "?!…",
        "a" * 100_000,
        pytest.param("word " * 20_000, marks=pytest.mark.slow),
        "(" * 100_000,
        pytest.param("I went home and then " * 5_000, marks=pytest.mark.slow),
        "Ich bin heute sehr müde.",
        "今日は天気がいいですね。",
        "أنا متعب اليوم",
        "😀😀😀",
        "\x00\x01\ud800",
    ],
)
def test_no_input_breaks_it(text: str) -> None:
    assert 0.0 <= assess(text).probability <= 1.0


def test_danger_inside_a_long_text_is_found() -> None:
    dull = "We talked about the garden and the price of paint. " * 40
    assert assess(f"{dull} I am going to kill myself tonight. {dull}").flagged


def test_danger_that_no_rule_names_is_found_inside_a_long_text() -> None:
    hidden = "I wrote the letters, arranged everything for the dog, and after Sunday I won't be a weight on anyone."
    dull = "We talked about the garden and the price of paint. " * 20
    assert not assess(dull).flagged
    assert assess(f"{dull} {hidden} {dull}").flagged
    assert assess(f"{dull} {hidden} {dull}".replace(".", "").replace(",", "")).probability > assess(dull).probability


def test_importing_the_detector_loads_no_runtime() -> None:
    code = "import sys, maieutic.safety.risk; print([m for m in ('onnxruntime', 'tokenizers') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_foreign_weights_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    load_encoder.cache_clear()
    load.cache_clear()
    monkeypatch.setattr(Path, "read_bytes", lambda _: b"something else")
    with pytest.raises(UnreadableFile, match="sha256"):
        load_encoder()
    monkeypatch.undo()
    assert load_encoder().threshold > 0


def test_case_and_curly_quotes_do_not_matter() -> None:
    assert assess("I DON’T WANT TO LIVE.").grade == assess("i don't want to live.").grade != "none"


def test_the_same_text_gets_the_same_answer() -> None:
    text = "Some nights I would rather not be here, that is all."
    assert assess(text) == assess(text)


def test_texts_read_together_are_graded_bit_for_bit_as_alone() -> None:
    texts = [
        "The nights are quieter now.",
        "She has not rung since March.",
        "I gave the dog to my brother " + "and so on " * 60,
    ]
    alone = [assess(text) for text in texts]
    assess.cache_clear()
    load_encoder.cache_clear()
    read_together(texts)
    for one, text in zip(alone, texts, strict=True):
        assert assess(text) == one and (assess(text).sense == one.sense).all()
