"""What counts as markup goes, what is prose stays, and nothing is done without being told."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maieutic.domain.episode import Ending, Turn
from maieutic.errors import ModelRefused
from maieutic.protocols import Reply, Usage
from maieutic.reading.plain import cleaned_in, counted, in_words, plain, plain_turn, without_reasoning
from styles import STYLES, styled

PROSE = (
    "What went through your mind?", "5 * 3", "2*3*4 is 24", "I felt <3", "it's 3 < 4", "x < y and y > z", "a_b_c", "*sigh*",
    "*Sigh* Fine.", "I don't know *shrugs* maybe", "*leans forward* How are you?", "> 50", "1. May", "- well, I don't know",
    "f***ing sh*t and b*tch", "**** you ****ing b****", "[laughs] no", "[a](quietly)", "<cough> ok", "<unk> said", "R&B and AT&T",
    "I said <b and c> d", "***", "My name is ____ and ____", "¯\\_(ツ)_/¯", "note: this", "at 10:30:15", "👍", "First.\n\nSecond?",
    "He said \"no\" and 'yes'.", '"No," she said, "never."', "[1]: one", "C: because it asks", "What is 7~8?", "#1 of my worries",
    "#tired", "That's it…", "Mrs. Beynon came at 5 p.m.", "I | you", "He was born in\n1986. It rained.", "",
)  # fmt: skip

CLEANED = {
    "bold question": ("**How long has it been like this?**", "How long has it been like this?", "Markdown"),
    "italic word": ("That is *really* hard.", "That is really hard.", "Markdown"),
    "heading": ("## What comes up\n\nYou feel alone.", "What comes up. You feel alone.", "Markdown"),
    "items without marks": ("- You feel alone\n- What happened?", "You feel alone. What happened?", "Markdown"),
    "numbers": ("Let's see:\n\n1. What happened?\n2. Who was there?", "Let's see: What happened? Who was there?", "Markdown"),
    "dots": ("• One.\n• Two.", "One. Two.", "Markdown"),
    "quote": ("> What went through your mind?", "What went through your mind?", "Markdown"),
    "code and strike": ("`x` and ~~y~~", "x and y", "Markdown"),
    "link": ("[How are you](https://example.org)?", "How are you?", "Markdown"),
    "table": ("| a | b |\n|---|---|\n| c | d |", "a, b. c, d.", "Markdown"),
    "rule": ("Hello.\n\n---\n\nWhat now?", "Hello.\n\nWhat now?", "Markdown"),
    "paragraphs": ("One.\n\n**Two?**", "One.\n\nTwo?", "Markdown"),
    "html": ("<p>You feel <b>alone</b>.</p><p>What happened?</p>", "You feel alone. What happened?", "HTML"),
    "breaks": ("One.<br>Two?<br/>And three", "One. Two? And three", "HTML"),
    "html list": ("<ul><li>One</li><li>Two?</li></ul>", "One. Two?", "HTML"),
    "entities": ("Tom &amp; Jerry, it&#39;s 3 &lt; 4", "Tom & Jerry, it's 3 < 4", "HTML"),
    "script": ("<style>p {}</style><script>f('Why?')</script>Hello.", "Hello.", "HTML"),
    "unknown tag beside html": ("<p>Well <laughs> no &c</p>", "Well <laughs> no &c", "HTML"),
    "think": ("<think>Ask why?</think>\n\nWhat happened?", "What happened?", "reasoning"),
    "thinking": ("<Thinking>Ask why?</Thinking> What happened?", "What happened?", "reasoning"),
    "leaked": ("Ask why?\n</think>\nWhat happened?", "What happened?", "reasoning"),
    "reasoning and bold": ("<think>Ask? No.</think>\n\nSo late. **What now?**", "So late. What now?", "reasoning"),
    "emoji after each": ("So late. 🌿 What now? 🌿", "So late. What now?", "emoji"),
    "nested": ("<think>a <think>b</think> c</think>What happened?", "What happened?", "reasoning"),
    "channels": (
        "<|channel|>analysis<|message|>Why?<|end|><|start|>assistant<|channel|>final<|message|>What happened?<|return|>",
        "What happened?",
        "reasoning",
    ),
    "role": ("Therapist: What happened?", "What happened?", "role prefix"),
    "role in brackets": ("[Therapist]: What happened?", "What happened?", "role prefix"),
    "one letter": ("T: What happened?", "What happened?", "role prefix"),
    "quotes": ("“What happened?”", "What happened?", "quotes"),
    "emoji between": ("That sounds hard 😔 What happened? 😊", "That sounds hard. What happened?", "emoji"),
    "family": ("And them 👨‍👩‍👧?", "And them?", "emoji"),
    "shortcode": ("Fine :smile: by me.", "Fine by me.", "emoji"),
    "zero width": ("wh\u200bat\u00a0now\ufeff?", "what now?", "characters"),
    "full width": ("What happened？", "What happened?", "characters"),
    "windows": ("I don\x92t", "I don’t", "characters"),
    "accents": ("cafe\u0301", "café", "characters"),
}  # fmt: skip


@pytest.mark.parametrize("text", PROSE)
def test_prose_is_handed_back_as_the_same_object(text: str) -> None:
    found = plain(text)
    assert found.text is text and found.original is text and not found.cleaned


@pytest.mark.parametrize(("text", "words", "kind"), CLEANED.values(), ids=CLEANED)
def test_markup_goes_and_is_told(text: str, words: str, kind: str) -> None:
    found = plain(text)
    assert (found.text, found.original) == (words, text)
    assert kind in found.cleaned


def test_several_kinds_are_told_in_one_order() -> None:
    found = plain("<think>Hm.</think>**Therapist:** “What happened?” 😊")
    assert found.text == "What happened?"
    assert found.cleaned == ("reasoning", "Markdown", "role prefix", "quotes", "emoji")


def test_answers_keep_their_lines_and_letters() -> None:
    assert (
        plain("**THOUGHT:** I am bad\n**BELIEF:** worthless", lines=True).text == "THOUGHT: I am bad\nBELIEF: worthless"
    )
    assert plain("1. **B**\n2. **A**", lines=True).text == "1. B\n2. A"
    assert plain("<p>B) because</p><p>Confidence: 70</p>", lines=True).text == "B) because\nConfidence: 70"
    assert plain("T: it is true", lines=True).text == "T: it is true"
    assert plain("Assistant: B", lines=True).text == "B"


def test_reasoning_that_never_ends_leaves_nothing() -> None:
    assert without_reasoning("<think>I should ask") == ""
    assert plain("<think>I should ask").text == ""


def test_a_reply_of_a_model_has_no_reasoning_and_keeps_the_original() -> None:
    reply = Reply('<think>{"a": 1}</think>{"b": 2}', Usage(1))
    assert (reply.text, reply.original) == ('{"b": 2}', '<think>{"a": 1}</think>{"b": 2}')
    assert Reply("**B**", Usage(1)) == Reply("**B**", Usage(1), None)
    with pytest.raises(ModelRefused, match="all reasoning"):
        Reply("<think>I should ask", Usage(1))


def test_a_turn_is_heard_in_plain_words_and_keeps_what_was_written() -> None:
    turn = plain_turn(Turn("therapist", "**Why?**"))
    assert (turn.text, turn.original) == ("Why?", "**Why?**")
    assert plain_turn(turn) is turn
    assert cleaned_in([turn, Turn("therapist", "Why?")]) == {"Markdown": 1}
    clean = Turn("therapist", "Why?")
    assert plain_turn(clean) is clean and clean.original is None


def test_a_turn_without_words_is_refused_unless_it_ends_the_session() -> None:
    with pytest.raises(ModelRefused, match="holds no words, only HTML"):
        plain_turn(Turn("therapist", "<script>f()</script>"))
    assert plain_turn(Turn("therapist", "", Ending("completed"))).text == ""


def test_what_was_cleaned_is_said_in_one_line() -> None:
    counts = counted([("HTML",), ("Markdown", "emoji"), ("Markdown",), ()])
    assert counts == {"HTML": 1, "Markdown": 2, "emoji": 1}
    assert in_words(counts, "utterances") == "HTML in 1 utterance, Markdown in 2, emoji in 1"
    assert in_words({}, "utterances") == ""


def test_no_parser_is_loaded_for_prose() -> None:
    code = (
        "import sys; from maieutic.reading.plain import plain; plain('What happened? I felt <3: yes.');"
        "sys.exit(bool({'markdown_it', 'html.parser', 'maieutic.models'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


words = st.sampled_from(
    "I you he they felt said went alone because when nothing ever home work mother, always Monday not it's don’t so".split()
)
plain_sentences = st.builds(
    lambda some, end: " ".join(some).strip(",").capitalize() + end,
    st.lists(words, min_size=2, max_size=9),
    st.sampled_from(".?!…"),
)
replies = st.lists(plain_sentences, min_size=1, max_size=5).map(" ".join)
marks = st.sampled_from(
    ["*", "**", "_", "__", "`", "~~", "# ", "- ", "> ", "1. ", "\n", "\n\n", "<p>", "</p>", "<br>", "<b>", "</b>", "<li>", "&amp;",
     "&lt;", "<think>", "</think>", "Therapist: ", "T: ", '"', "“", "”", "😊", ":smile:", "\u200b", "\u00a0", "[", "](http://a.b)",
     "|", "---", "\\", "•", "？", "<", ">", ":", "word", "Word.", "why?", " ", "3", "</ul>", "<script>", "<|end|>", "[THINK]"]
)  # fmt: skip


@given(replies)
def test_clean_prose_never_changes(text: str) -> None:
    assert plain(text).text is text


@given(st.lists(marks, max_size=14).map("".join))
def test_plain_text_is_plain(text: str) -> None:
    once = plain(text)
    assert plain(once.text).text == once.text
    assert plain(plain(text, lines=True).text, lines=True).text == plain(text, lines=True).text
    assert bool(once.cleaned) == (once.text != text)


@given(st.text(max_size=40))
def test_any_text_becomes_plain(text: str) -> None:
    once = plain(text).text
    assert plain(once).text == once


@pytest.mark.parametrize("style", STYLES)
@given(text=replies)
def test_a_reply_in_a_style_gives_back_its_words(style: str, text: str) -> None:
    assert plain(styled(text, style)).text.split() == text.split()
