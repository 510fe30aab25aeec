"""A judge that answers by rule, for tests: it reads the prompt as a model would and says what it is told to."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence

from maieutic.coding.book import Facet, Label, Scheme
from maieutic.domain.episode import Usage
from maieutic.domain.randomness import derive_seed
from maieutic.errors import ModelTimeout
from maieutic.protocols import Message, Reply
from maieutic.transcripts.utterance import Utterance

FORMS = Facet(
    "form", "Form", "Is it open or closed?", "therapist", (Label("open", "Open", ""), Label("closed", "Closed", ""))
)
PLAIN = Scheme(
    id="plain",
    name="Plain",
    therapist=(
        Label("ask", "Asks", "Asks.", ("Why is that?",)),
        Label("tell_more", "Tells", "Tells."),
        Label("rest", "Rest", "Else."),
    ),
    client=(Label("yes", "For", "For it."), Label("no", "Against", "Against it.")),
    multi_label=False,
    source="tests",
    departures="none",
)
SEVERAL = Scheme("several", "Several", PLAIN.therapist, (), True, "tests", "none")
FACETED = Scheme("faceted", "Faceted", PLAIN.therapist, (), False, "tests", "none", facets=(FORMS,))

TALK = (
    Utterance("client", "I drink at night, mostly."),
    Utterance("therapist", "What makes the nights harder?"),
    Utterance("client", "They are quiet. I don’t sleep."),
    Utterance("therapist", "So the quiet gets to you."),
)

SEEDS = [derive_seed("judge", sample) for sample in range(9)]
Say = Callable[[int, str, int], object]
"""(number, utterance, sample from 0) → the item of the answer, or text to be answered as it is."""


def item(label: str | Sequence[str], quote: str, **facets: object) -> dict[str, object]:
    """One item of an answer."""
    labels = [label] if isinstance(label, str) else list(label)
    return {"labels": labels, "quote": quote, **({"facets": facets} if facets else {})}


class Judge:
    """Answers each coded utterance by `say`; counts calls and keeps prompts; may fail by prompt."""

    parallel = 16

    def __init__(self, say: Say, *, name: str = "rule", fails: Callable[[str], bool] = lambda task: False) -> None:
        self.name = name
        self.calls: list[tuple[str, int]] = []
        self.prompts: list[Sequence[Message]] = []
        self._say = say
        self._fails = fails

    async def generate(
        self, messages: Sequence[Message], *, seed: int, temperature: float = 0.7, max_tokens: int = 256
    ) -> Reply:
        task = messages[-1]["content"]
        self.calls.append((task, seed))
        self.prompts.append(messages)
        if self._fails(task):
            raise ModelTimeout("no answer within 1 s")
        sample = SEEDS.index(seed)
        said = [
            (int(number), self._say(int(number), json.loads(text), sample))
            for number, text in re.findall(r'^\[(\d+)\] \w+: (".*")$', task, re.M)
        ]
        if isinstance(said[0][1], str):
            return Reply(said[0][1], Usage(1, 100, 10))
        items = [{"n": number, **one} for number, one in said if isinstance(one, dict)]
        return Reply(json.dumps({"codes": items}), Usage(1, 100, 10))

    async def close(self) -> None:
        """Nothing is held open."""


def by_mark(number: int, text: str, sample: int) -> dict[str, object]:
    """Questions are asked, the rest is told; clients are for it."""
    if text.endswith("?"):
        return item("ask", text)
    return item("tell_more" if text.startswith("So") else "yes", text.split(".")[0])
