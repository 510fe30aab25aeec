"""Takes Markdown and HTML off a text with maintained parsers; what only looks like markup, such as '5 * 3', stays."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

STAND_INS: Final = "\ufdd0\ufdd1\ufdd2"
"""Noncharacters that hold the place of '&', '<' and '*' while a parser reads; no text has them."""
_AMPERSAND, _ANGLE, _STAR = STAND_INS
_BLOCKS: Final = frozenset(
    "address article aside blockquote body center dd div dl dt fieldset figcaption figure footer form "
    "h1 h2 h3 h4 h5 h6 "
    "head header hr html li main nav ol p pre section table tbody td tfoot th thead tr ul".split()
)
_SINGLE: Final = frozenset("br hr img input link meta wbr".split())
_INLINE: Final = frozenset(
    "a abbr b big button caption cite code del details em font i iframe ins kbd label mark q s samp script small span "
    "strike strong style sub summary sup svg title tt u var".split()
)
_HEADINGS: Final = frozenset("h1 h2 h3 h4 h5 h6".split())
_UNSPOKEN: Final = frozenset("head iframe script style svg title".split())
_TAG: Final = re.compile(r"<(/?)([a-z][a-z0-9]*)\b[^<>]*>|<!--.*?-->|<!doctype[^<>]*>", re.I | re.S)
_ENTITY: Final = re.compile(r"&(?:#\d+|#x[\da-f]+|[a-z][a-z\d]*);", re.I)
_ENDS: Final = (".", "?", "!", "…", ":", ";", ",", "—", "–")
_LINE_MARKS: Final = re.compile(r"^[ \t]*(?:#{1,6}\s|>|[-+•◦▪●‣]\s|\d{1,3}[.)]\s|-{3}|\|)", re.M)
_BULLETS: Final = re.compile(r"^([ \t]*)[•◦▪●‣](?=\s)", re.M)
_SPOKEN_NUMBER: Final = re.compile(r"(?m)^(\s*-\s+\d+)(?=\.\s)")
"""A number with which an item begins is said, and no list within the list: "- 85. What keeps it there?"."""
_MASKED: Final = re.compile(r"(?<=\w)\*+(?=\w)|\*{4,}")
"""Stars within words ('sh*t', '2*3') and long runs of them, which hide words and mark none."""
_COMPARES: Final = re.compile(r"^([ \t]*)>(?=\s*[\d=:.])", re.M)
_GESTURES: Final = frozenset(
    "sigh sighs nod nods laugh laughs smile smiles shrug shrugs chuckle chuckles sob sobs gasp gasps "
    "pause pauses".split()
)


@dataclass(frozen=True, slots=True)
class _Block:
    """A paragraph, item, heading or row. `ends`: a mark is put behind it where it has none; `apart`: a paragraph of
    Markdown."""

    text: str
    ends: bool = False
    apart: bool = False


def without_html(text: str, *, lines: bool = False) -> str:
    """The words of a text with HTML tags or entities; a text without them as it is. Tags that HTML does not have stay.

    Args:
        text: What may hold HTML.
        lines: Every block keeps a line of its own and gets no end mark.
    """
    if "<" in text:
        held = _held(text)
        if held is not None:
            text = _restored(_joined(_html_blocks(held), lines=lines))
    if "&" in text:
        import html

        text = _ENTITY.sub(lambda found: html.unescape(found.group()), text)
    return text


def without_markdown(text: str, *, lines: bool = False) -> str:
    """The words of a text in Markdown; a text without it as it is.

    Prose stays that only looks like Markdown: one line that begins with a dash or a number, '> 50', stars within words,
    and gestures such as '*sighs*'. The marks of a bulleted or numbered list go and every item ends like a sentence.

    Args:
        text: What may be Markdown.
        lines: Lists keep their marks and lines, so that lettered and numbered answers can be told apart.
    """
    if not (any(mark in text for mark in ("*", "_", "`", "~~", "](")) or _LINE_MARKS.search(text)):
        return text
    guarded = _COMPARES.sub(rf"\1{_ANGLE}", _MASKED.sub(lambda found: _STAR * len(found.group()), text))
    reader = _Markdown()
    tokens = None
    if not lines:
        tokens = _parser(lists=True).parse(_SPOKEN_NUMBER.sub(r"\1\\", _BULLETS.sub(r"\1-", guarded)))
    if tokens is None or not _has_list(tokens):
        tokens = _parser(lists=False).parse(guarded)
    blocks = list(reader.blocks(tokens))
    plain = _joined(blocks, lines=lines).replace(_STAR, "*").replace(_ANGLE, ">")
    return plain if reader.found and plain else text


def _joined(blocks: Sequence[_Block], *, lines: bool) -> str:
    told, apart = "", False
    for block in blocks:
        text = block.text.strip()
        if not text:
            continue
        if block.ends and not lines and not _ended(text) and text[-1].isalnum():
            text += "."
        if not told:
            told = text
        elif block.apart and apart:
            told += f"\n\n{text}"
        else:
            told += f"{' ' if _ended(told) and not lines else chr(10)}{text}"
        apart = block.apart
    return told


def _ended(text: str) -> bool:
    return text.rstrip("\"'”’)*_").endswith(_ENDS)


def _held(text: str) -> str | None:
    """The text with stand-ins for every '&', and for every '<' that opens no HTML; None for a text without HTML."""
    low = text.lower()
    found = False

    def hold(match: re.Match[str]) -> str:
        nonlocal found
        name = (match.group(2) or "").lower()
        known = not name or name in _BLOCKS or name in _SINGLE
        if known or (name in _INLINE and (match.group(1) or f"</{name}" in low)):
            found = True
            return match.group().replace("&", _AMPERSAND)
        return match.group().replace("<", _ANGLE)

    pieces, at = list[str](), 0
    for match in _TAG.finditer(text):
        pieces += [_stood_in(text[at : match.start()]), hold(match)]
        at = match.end()
    return "".join([*pieces, _stood_in(text[at:])]) if found else None


def _stood_in(text: str) -> str:
    return text.replace("&", _AMPERSAND).replace("<", _ANGLE)


def _restored(text: str) -> str:
    return text.replace(_AMPERSAND, "&").replace(_ANGLE, "<")


def _html_blocks(text: str) -> list[_Block]:
    from html.parser import HTMLParser

    blocks: list[_Block] = []
    current: list[str] = []
    unspoken: list[str] = []
    items: list[str] = []
    # Line ends mean nothing between blocks; without blocks, tags stand in a text whose own lines count.
    flows = any(match.group(2) and match.group(2).lower() in _BLOCKS - {"hr"} for match in _TAG.finditer(text))

    def close() -> None:
        blocks.append(_Block("".join(current), ends=bool(items)))
        current.clear()

    class Reader(HTMLParser):
        def handle_starttag(self, tag: str, attrs: object) -> None:
            if tag in _UNSPOKEN:
                unspoken.append(tag)
            elif tag in ("td", "th") and "".join(current).strip():
                current.append(", ")
            elif tag == "br" or tag in _BLOCKS - {"td", "th"}:
                close()
            if tag in _HEADINGS or tag in ("li", "tr"):
                items.append(tag)

        def handle_endtag(self, tag: str) -> None:
            if tag in unspoken:
                unspoken.remove(tag)
            elif tag in _BLOCKS - {"td", "th"}:
                close()
            if tag in items:
                items.remove(tag)

        def handle_data(self, data: str) -> None:
            if not unspoken:
                current.append(re.sub(r"\s+", " ", data) if flows else data)

    reader = Reader()
    reader.feed(text)
    reader.close()
    close()
    return blocks


class _Markdown:
    """Turns the tokens of one text into blocks; `found` says whether there was any markup among them."""

    def __init__(self) -> None:
        self.found = False

    def blocks(self, tokens: Sequence[Token]) -> Iterator[_Block]:
        """The blocks in order."""
        within: list[str] = []
        row: list[str] = []
        for token in tokens:
            if token.type.endswith("_open") and token.type != "paragraph_open":
                within.append(token.type)
                self.found = True
            elif token.type == "tr_close":
                yield _Block(", ".join(cell for cell in row if cell), ends=True)
                row.clear()
                within.pop()
            elif token.type.endswith("_close") and token.type != "paragraph_close":
                within.pop()
            elif token.type == "inline":
                told = self.inline(token.children or ())
                if "tr_open" in within:
                    row.append(told.strip())
                else:
                    yield _Block(told, ends=_is_marked(within), apart=not within)
            elif token.type in ("fence", "hr"):
                self.found = True
                yield _Block(token.content)

    def inline(self, tokens: Sequence[Token]) -> str:
        """The words of one block."""
        told = ""
        for at, token in enumerate(tokens):
            if token.type in ("softbreak", "hardbreak"):
                told += "\n"
            elif token.type in ("em_open", "em_close") and _is_gesture(tokens, at):
                told += token.markup
            elif token.type in ("link_open", "link_close") and not _leads(tokens, at):
                told += "[" if token.nesting > 0 else f"]({_target(tokens, at)})"
            else:
                self.found = self.found or token.type not in ("text", "text_special")
                told += token.content
        return told


def _is_marked(within: Sequence[str]) -> bool:
    return "heading_open" in within or "list_item_open" in within


def _has_list(tokens: Sequence[Token]) -> bool:
    """Whether a list has two items, follows something, or is a bullet before a whole sentence; '- well' and '1. May'
    are prose."""
    items = sum(token.type == "list_item_open" for token in tokens)
    if items != 1 or not tokens[0].type.endswith("list_open"):
        return items > 0
    words = next((token.content for token in tokens if token.type == "inline"), "").strip('*_"“”')
    return tokens[0].type == "bullet_list_open" and words[:1].isupper() and words.endswith((".", "?", "!"))


def _span(tokens: Sequence[Token], at: int) -> tuple[int, int]:
    """Where the opening and the closing token stand that one of them belongs to."""
    step, depth, end = tokens[at].nesting, 0, at
    while True:
        depth += tokens[end].nesting
        if depth == 0:
            return min(at, end), max(at, end)
        end += step


def _is_gesture(tokens: Sequence[Token], at: int) -> bool:
    """Whether an emphasis tells what somebody does: a gesture by name, or lower-case words between whole sentences."""
    first, last = _span(tokens, at)
    words = "".join(token.content for token in tokens[first + 1 : last])
    if words.lower().partition(" ")[0] in _GESTURES:
        return True
    if not words[:1].islower() or words.endswith((".", "?", "!")):
        return False
    before = "".join(token.content or "\n" for token in tokens[:first]).strip(" ")
    after = "".join(token.content or "\n" for token in tokens[last + 1 :]).strip(" ")
    return (not before or before.endswith((".", "?", "!", "…", "\n", '"', "”"))) and (
        not after or after[0].isupper() or after[0] in '\n"“'
    )


def _target(tokens: Sequence[Token], at: int) -> str:
    return str(tokens[_span(tokens, at)[0]].attrs.get("href", ""))


def _leads(tokens: Sequence[Token], at: int) -> bool:
    """Whether a link leads anywhere; '[laughs](quietly)' does not."""
    return any(sign in _target(tokens, at) for sign in ".:/#")


@lru_cache(maxsize=2)
def _parser(*, lists: bool) -> MarkdownIt:
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    # Indents, underlined lines and '[Name]: …' are prose in a talk; entities were read before.
    return parser.disable(["code", "lheading", "reference", "entity", *([] if lists else ["list"])])
