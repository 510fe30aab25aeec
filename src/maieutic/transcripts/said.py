"""The one place where what stands in a file becomes an utterance, and where turns by speaker become a session."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from maieutic.reading.plain import counted, in_words, plain
from maieutic.transcripts.speakers import Voice, recognise
from maieutic.transcripts.utterance import Transcript, Utterance


def utterance(
    text: str,
    voice: Voice | None,
    name: str = "",
    *,
    session: str | None = None,
    index: int = 0,
    context: tuple[str, ...] = (),
    labels: Mapping[str, str] | None = None,
) -> Utterance:
    """An utterance out of the text of a cell, a message or a line; every reader makes its utterances here.

    Args:
        text: As the source has it.
        voice: Who speaks; None for a label that is no person's.
        name: The speaker as the source has it.
        session: Name of the session, or None for an utterance that stands alone.
        index: Position in the session.
        context: What was said before, where the session does not tell.
        labels: Human codes by name.
    """
    found = plain(text)
    return Utterance(
        voice.role if voice else "other",
        found.text,
        tuple(plain(one).text for one in context),
        index,
        session,
        name,
        voice.person if voice else None,
        labels or {},
        found.original if found.cleaned else None,
        found.cleaned,
    )


def transcript(
    session: str, group: str | None, turns: Sequence[tuple[str, str]], source: str, named: Mapping[str, str]
) -> Transcript:
    """A session out of (speaker, text) turns; turns without words or without a person are left out and counted.

    Args:
        session: Name of the session.
        group: Group to compare, or None.
        turns: Speaker as the source has it, and text, in order.
        source: Name of the file.
        named: Further speaker names by role.
    """
    said = (
        utterance(text.strip(), recognise(name, named), name, session=session, index=index)
        for index, (name, text) in enumerate(turns)
    )
    kept = tuple(one for one in said if one.person is not None and one.text)
    return Transcript(session, group, kept, source, len({one.person for one in kept}), cleaning_notes(kept))


def cleaning_notes(utterances: Sequence[Utterance]) -> tuple[str, ...]:
    """What a reader should know about what was made plain; nothing where nothing was."""
    counts = counted(one.cleaned for one in utterances)
    return (f"made plain before it was read: {in_words(counts, f'of {len(utterances)} utterances')}",) if counts else ()
