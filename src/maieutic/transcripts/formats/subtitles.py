"""Reads subtitles, WebVTT and SubRip: speakers by voice tags or by labels in the text; cues of one speaker make one
turn."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from maieutic.errors import UnreadableFile
from maieutic.transcripts.formats.labelled_text import sessions_of
from maieutic.transcripts.said import transcript
from maieutic.transcripts.text_file import BadLine, TextFile, broken_line, is_broken
from maieutic.transcripts.utterance import Transcript

SUFFIXES = (".vtt", ".srt")


def read_subtitles(file: TextFile, columns: Mapping[str, str]) -> Iterator[Transcript | BadLine]:
    """The one session of a file of subtitles.

    Raises:
        UnreadableFile: It is none, or nothing in it tells who speaks.
    """
    from webvtt import WebVTT
    from webvtt.errors import MalformedCaptionError, MalformedFileError

    with file.open() as text:
        lines = text.read().splitlines()
    yield from (broken_line(file.name, number) for number, line in enumerate(lines, start=1) if is_broken(line))
    kind = file.path.suffix.lower().removeprefix(".")
    try:
        cues = WebVTT.from_buffer((line for line in lines if not is_broken(line)), format=kind).captions
    except (MalformedFileError, MalformedCaptionError, ValueError) as error:
        raise UnreadableFile(f"{file.name}: not readable as subtitles ({error}); export it anew, or as text") from error
    if not any(cue.voice for cue in cues):
        spoken = [line for cue in cues for line in cue.text.splitlines()]
        try:
            yield from sessions_of([line.removeprefix("- ") for line in spoken], file.name, columns)
        except UnreadableFile as error:
            raise UnreadableFile(
                f"{file.name}: {len(cues)} subtitles, and none says who speaks. Export them with names of speakers "
                "(<v NAME> or 'NAME: …'), or write 'Therapist: ' and 'Client: ' before the turns"
            ) from error
        return
    turns: list[tuple[str, str]] = []
    for cue in cues:
        said = " ".join(cue.text.split())
        if turns and cue.voice in (None, turns[-1][0]):
            turns[-1] = (turns[-1][0], f"{turns[-1][1]} {said}")
        else:
            turns.append((cue.voice or "", said))
    yield transcript(file.path.stem, None, turns, file.name, columns)
