"""Plain text first: whatever a model, a file or a person writes becomes words before anybody reads it; what was done is
told, and what a speaker wrote stays beside its turn.

Markdown and HTML are taken off with maintained parsers; what only looks like markup, such as "5 * 3", stays.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Final

from maieutic.domain.episode import Answer, Turn
from maieutic.errors import ModelRefused

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


_IN_WORDS: Final = {"characters": "odd or invisible characters"}
KINDS: Final = ("reasoning", "HTML", "Markdown", "role prefix", "quotes", "emoji", "characters")
"""What can be cleaned, in the order in which it is told."""
_EMOJI: Final = (
    r"(?:[\U0001F000-\U0001FAFF\u2600-\u27BF\u2B1B\u2B1C\u2B50\u2B55\u231A\u231B\u23E9-\u23FA\uFE0F\u20E3"
    r"\U000E0020-\U000E007F]|(?<![\w:]):[a-z][a-z_]+:(?![\w:]))"
)
_EMOJIS: Final = re.compile(rf"[ \t]*{_EMOJI}(?:[ \t]*{_EMOJI})*[ \t]*")
_CHARACTERS: Final = (
    rf"\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\xa0\xad\u0300-\u036f\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000{STAND_INS}"
    r"\ufeff\uff01-\uff5e"
)
_ODD: Final = re.compile(rf"[\n:*_`<>&~#|\[{_CHARACTERS}{_EMOJI[4 : _EMOJI.index(']')]}]")
_OPENINGS: Final = ('"', "“", "„", "«", "-", "+", "•", "◦", "▪", "●", "‣")
"""A text without any odd sign that begins with none of these holds nothing to clean."""
_ODD_CHARACTERS: Final = re.compile(f"[{_CHARACTERS}]")
_THINKS: Final = "(?i:think|thinking|reasoning|scratchpad|analysis)"
_REASONING: Final = re.compile(
    rf"<({_THINKS})\b[^<>]*>.*?(?:</\1\s*>|\Z)|\[THINK\].*?(?:\[/THINK\]|\Z)"
    rf"|<\|channel\|>.*<\|message\|>|<\|[^<>|]*\|>",
    re.S,
)
_LEAKED: Final = re.compile(rf".*(?:</{_THINKS}\s*>|\[/THINK\])", re.S)
_ROLE: Final = re.compile(
    r"\s*[\[(]?(?:(?i:therapist|counsell?or|psychologist|psychotherapist|clinician|interviewer"
    r"|assistant|helper|coach|ai|"
    r"chatbot|bot|patient|client|user|seeker)(?: (?i:reply|response))?|T)[\])]?\s*:\s+(?=\S)"
)
_QUOTES: Final = (('"', '"'), ("“", "”"), ("„", "“"), ("«", "»"))
_MAX_PASSES: Final = 12


@dataclass(frozen=True, slots=True)
class Plain:
    """A text as it is read.

    Attributes:
        text: The words.
        original: What came; the same object where nothing was cleaned.
        cleaned: Kinds of what was cleaned, in the order of `KINDS`.
    """

    text: str
    original: str
    cleaned: tuple[str, ...] = ()


def plain(text: str, *, lines: bool = False) -> Plain:
    """The words of a reply or a cell. Prose comes back as it is; reading what came back changes nothing more.

    Args:
        text: What came.
        lines: For answers that are read line by line: lists keep their marks, and lines stay apart.
    """
    if _ODD.search(text) is None and not text.startswith(_OPENINGS):
        return Plain(text, text)
    found: set[str] = set()
    now = text
    for _ in range(_MAX_PASSES):
        before = now
        for kind, clean in _STEPS:
            after = clean(now, lines)
            if after != now:
                found.add(kind)
                now = after
        if now == before:
            break
    return Plain(now if found else text, text, tuple(kind for kind in KINDS if kind in found))


def without_reasoning(text: str) -> str:
    """A model's reply without what it thought aloud: tags that are closed or were cut off, and all before a lone
    closing one."""
    if "<" not in text and "[/" not in text and "[T" not in text:
        return text
    spoken = _LEAKED.sub("", _REASONING.sub(" ", text), count=1)
    return text if spoken == text else spoken.strip()


def counted(kinds: Iterable[Iterable[str]]) -> dict[str, int]:
    """How many texts each kind was cleaned in, in the order of `KINDS`."""
    return in_order(Counter(kind for one in kinds for kind in one))


def in_order(counts: Mapping[str, int]) -> dict[str, int]:
    """Counts by kind in the order of `KINDS`, without those that are none."""
    return {kind: counts[kind] for kind in KINDS if counts.get(kind)}


def in_words(counts: Mapping[str, int], of: str) -> str:
    """'Markdown in 12 utterances, HTML in 3'; empty where nothing was cleaned."""
    counts = {_IN_WORDS.get(kind, kind): count for kind, count in counts.items()}
    first = of.removesuffix("s") if " " not in of and next(iter(counts.values()), 0) == 1 else of
    return ", ".join(f"{kind} in {count:,}{'' if n else f' {first}'}" for n, (kind, count) in enumerate(counts.items()))


def _without_role(text: str, lines: bool) -> str:
    found = _ROLE.match(text)
    # 'T: because …' may be an answer.
    return text if found is None or (lines and found.group().lstrip()[1:2] == ":") else text[found.end() :]


def _without_quotes(text: str, lines: bool) -> str:
    bare = text.strip()
    inner = bare[1:-1]
    whole = (bare[:1], bare[-1:]) in _QUOTES and inner.strip() and not any(mark in inner for mark in '"“”„«»')
    return inner.strip() if whole else text


def _without_emoji(text: str, lines: bool) -> str:
    bare = _EMOJIS.sub(_between, text)
    return bare if bare.strip() else text


def _between(found: re.Match[str]) -> str:
    """What stands where an emoji stood; one between two sentences ends the first."""
    text = found.string
    before, after = text[found.start() - 1 : found.start()], text[found.end() : found.end() + 1]
    if not before.strip() or not after.strip() or after in ".,!?;:)…":
        return ""
    return ". " if before.isalnum() and after.isupper() else " "


def _with_usual_characters(text: str, lines: bool) -> str:
    if _ODD_CHARACTERS.search(text) is None:
        return text
    return unicodedata.normalize("NFC", text.translate(_usual()))


@cache
def _usual() -> dict[int, str | None]:
    """Unusual characters and what stands for them: spaces, line ends, full-width forms, leftovers of Windows; others
    go."""
    table: dict[int, str | None] = dict.fromkeys((*range(0x09), *range(0x0E, 0x20), 0x7F, 0xAD, *map(ord, STAND_INS)))
    table |= dict.fromkeys((*range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2060, 0x2070), 0xFEFF))
    table |= {code: bytes([code]).decode("cp1252", errors="ignore") for code in range(0x80, 0xA0)}
    table |= dict.fromkeys((0xA0, *range(0x2000, 0x200B), 0x202F, 0x205F, 0x3000), " ")
    table |= dict.fromkeys((0x0B, 0x0C, 0x2028, 0x2029), "\n")
    return table | {code: chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)}


_STEPS: Final[tuple[tuple[str, Callable[[str, bool], str]], ...]] = (
    ("characters", _with_usual_characters),
    ("reasoning", lambda text, lines: without_reasoning(text)),
    ("HTML", lambda text, lines: without_html(text, lines=lines)),
    ("Markdown", lambda text, lines: without_markdown(text, lines=lines)),
    ("role prefix", _without_role),
    ("quotes", _without_quotes),
    ("emoji", _without_emoji),
)


def plain_turn(turn: Turn) -> Turn:
    """A turn as the other side hears it; the same turn where there is nothing to clean.

    Raises:
        ModelRefused: Nothing is left to be heard, such as of a reply that was cut off while the model still reasoned.
    """
    found = plain(turn.text)
    if not found.text.strip() and (found.original.strip() or turn.original) and turn.ending is None:
        why = ", ".join(plain(turn.original or turn.text).cleaned)
        raise ModelRefused(
            f"the {turn.speaker}'s turn holds no words, only {why}; has its model room to end its reply?"
        )
    if not found.cleaned:
        return turn
    return replace(turn, text=found.text, original=turn.original or turn.text)


def plain_answer(answer: Answer) -> Answer:
    """An answer outside the dialogue as it is read, line by line; the same answer where there is nothing to clean."""
    found = plain(answer.text, lines=True)
    return replace(answer, text=found.text, original=answer.original or answer.text) if found.cleaned else answer


def cleaned_in(turns: Iterable[Turn]) -> dict[str, int]:
    """How many of the turns each kind was cleaned in."""
    return counted(plain(turn.original).cleaned for turn in turns if turn.original is not None)
