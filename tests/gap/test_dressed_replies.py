"""No verdict hangs on markdown, leaked reasoning or emoji: every word of the eighteen is heard alike in any such dress."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from benchmark_modules import benchmark
from maieutic.language.sentences import sentences
from maieutic.reading.plain import plain

WORDS = benchmark("eighteen")
REPLIES = [*(line for some in WORDS.LINES.values() for line in some), *map(str.strip, (*WORDS.HEDGES, *WORDS.THANKS))]
DRESSES: dict[str, Callable[[str], str]] = {
    "bold": lambda text: f"**{text}**",
    "the last sentence bold": lambda text: " ".join([*sentences(text)[:-1], f"**{sentences(text)[-1]}**"]),
    "italic": lambda text: f"*{text}*",
    "a quotation": lambda text: f"> {text}",
    "a list": lambda text: "\n".join(f"- {part}" for part in sentences(text)),
    "thinking aloud": lambda text: f"<think>They want comfort. What if I ask about sleep?</think>\n{text}",
    "reasoning": lambda text: f"<reasoning>I should be kind.</reasoning>\n\n{text}",
    "an emoji behind": lambda text: f"{text} 😊",
    "an emoji before": lambda text: f"💙 {text}",
}


@pytest.mark.parametrize("dress", DRESSES)
def test_every_reply_of_the_eighteen_is_heard_as_without_its_dress(dress: str) -> None:
    assert len(REPLIES) > 70
    for text in REPLIES:
        assert plain(DRESSES[dress](text)).text == plain(text).text
