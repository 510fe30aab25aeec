"""Reads text with a speaker label before each turn; times, Markdown and blank lines between sessions are allowed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from maieutic.errors import UnreadableFile
from maieutic.transcripts.said import transcript
from maieutic.transcripts.speakers import is_known
from maieutic.transcripts.utterance import Transcript

SUFFIXES = (".txt", ".text")
LARGEST_TEXT = 128 << 20  # bytes; a text with speaker labels is read whole
_LABEL = re.compile(
    r"^\s*(?:\[?\(?\d{1,2}:\d{2}(?::\d{2})?\)?\]?\s*)?[*\[(_]*(?P<label>[^\W\d_][\w .'/-]{0,30}?)[*\])_]*\s*"
    r"(?:[\[(]\d{1,2}:\d{2}(?::\d{2})?[\])])?\s*[:：]\**(?:\s+|$)(?P<text>.*)$"
)


def read_labelled_text(path: Path, name: str, columns: Mapping[str, str]) -> Iterator[Transcript]:
    """Text with a speaker label before each turn; lines without a label go on with the turn before.

    Sessions are parted by lines of dashes (---). Without such lines, blank lines part sessions when every block between
    them holds at least four labelled lines; otherwise the file is one session.
    """
    if path.stat().st_size > LARGEST_TEXT:
        raise UnreadableFile(
            f"{name}: {path.stat().st_size >> 20} MiB in one text; expected at most {LARGEST_TEXT >> 20}, which is "
            "thousands of hours of talk. Split it into one file a session, or give a CSV"
        )
    with path.open(encoding="utf-8-sig") as file:
        lines = file.read().splitlines()
    labels = [match["label"].strip() for line in lines if (match := _LABEL.match(line))]
    speakers = {label for label in labels if is_known(label, columns) or (labels.count(label) > 1 and _is_name(label))}
    if not speakers:
        raise UnreadableFile(
            f"{name}: no line begins with a speaker label. Expected lines such as 'Therapist: …' and 'Client: …' "
            f"(or T: and C:); other names can be given with --column therapist=NAME --column client=NAME"
        )
    blocks = _blocks(lines, speakers)
    for number, block in enumerate(blocks, start=1):
        session = path.stem if len(blocks) == 1 else f"{path.stem}-{number}"
        yield transcript(session, None, _turns(block, speakers), name, columns)


def _blocks(lines: list[str], speakers: set[str]) -> list[list[str]]:
    if any(map(_is_rule, lines)):
        return [block for block in _split(lines, _is_rule) if any(map(str.strip, block))]
    blocks = [block for block in _split(lines, lambda line: not line.strip()) if block]
    if len(blocks) > 1 and all(sum(_labelled(line, speakers) for line in block) >= 4 for block in blocks):
        return blocks
    return [lines]


def _is_rule(line: str) -> bool:
    drawn = line.strip()
    return len(drawn) >= 3 and not drawn.strip("-=*_")


def _split(lines: list[str], parts: Callable[[str], bool]) -> list[list[str]]:
    blocks: list[list[str]] = [[]]
    for line in lines:
        if parts(line):
            blocks.append([])
        else:
            blocks[-1].append(line)
    return blocks


def _labelled(line: str, speakers: set[str]) -> bool:
    match = _LABEL.match(line)
    return match is not None and match["label"].strip() in speakers


def _turns(lines: list[str], speakers: set[str]) -> list[tuple[str, str]]:
    turns: list[tuple[str, str]] = []
    for line in lines:
        match = _LABEL.match(line)
        if match and match["label"].strip() in speakers:
            turns.append((match["label"].strip(), match["text"].strip()))
        elif turns and line.strip():
            speaker, text = turns[-1]
            turns[-1] = (speaker, f"{text} {line.strip()}".strip())
    return turns


def _is_name(label: str) -> bool:
    return len(label.split()) <= 2 and label[0].isupper()
