"""One reply in the styles of language models and web pages, and a therapist that writes every turn in one of them."""

from __future__ import annotations

import html
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from maieutic.domain.episode import Session, Turn
from maieutic.language.sentences import sentences

THOUGHTS = "The client is sad. I should tell her to exercise. Or ask: have you tried to sleep more? Are you thinking of suicide?"


def in_markdown(parts: Sequence[str]) -> str:
    """The last question in bold, else the last sentence."""
    last = max((n for n, part in enumerate(parts) if part.endswith("?")), default=len(parts) - 1)
    return " ".join(f"**{part}**" if n == last else part for n, part in enumerate(parts))


def under_a_heading(parts: Sequence[str]) -> str:
    """The first sentence as a heading, the others below it."""
    return f"### {parts[0]}\n\n" + " ".join(parts[1:])


def in_html(parts: Sequence[str]) -> str:
    """A paragraph for each sentence."""
    return "".join(f"<p>{html.escape(part)}</p>" for part in parts)


def after_thinking(parts: Sequence[str]) -> str:
    """Behind a block of reasoning that asks and advises."""
    return f"<think>\n{THOUGHTS}\n</think>\n\n" + " ".join(parts)


def with_emoji(parts: Sequence[str]) -> str:
    """An emoji behind every sentence."""
    return " ".join(f"{part} 💙" for part in parts)


def as_a_list(parts: Sequence[str]) -> str:
    """An item for each sentence."""
    return "\n".join(f"- {part}" for part in parts)


def with_a_role(parts: Sequence[str]) -> str:
    """Behind the name of the speaker."""
    return "**Therapist:** " + " ".join(parts)


STYLES: dict[str, Callable[[Sequence[str]], str]] = {
    "markdown": in_markdown,
    "heading": under_a_heading,
    "html": in_html,
    "think": after_thinking,
    "emoji": with_emoji,
    "list": as_a_list,
    "role": with_a_role,
}


def styled(text: str, style: str) -> str:
    """A plain text in one of the styles."""
    parts = whole_sentences(text)
    return STYLES[style](parts) if parts else text


def whole_sentences(text: str) -> list[str]:
    """The sentences with the quotation marks that close them, which readers leave out."""
    starts: list[int] = []
    for part in sentences(text):
        starts.append(text.index(part, starts[-1] + 1 if starts else 0))
    return [text[start:end].strip() for start, end in pairwise([*starts, len(text)])]


@dataclass(frozen=True)
class Styled:
    """A therapist that says the same as another, in a style."""

    inner: Any
    style: str

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)

    def informed(self, **knowledge: Any) -> Styled:
        return replace(self, inner=self.inner.informed(**knowledge))

    async def respond(self, session: Session) -> Turn:
        turn: Turn = await self.inner.respond(session)
        return replace(turn, text=styled(turn.text, self.style))
