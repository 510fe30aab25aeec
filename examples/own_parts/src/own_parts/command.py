"""A command of your own: `maieutic tense "What happened on Sunday?"`."""

from __future__ import annotations

from typing import Annotated

import typer


def tense(text: Annotated[str, typer.Argument(help="What a therapist said.")]) -> None:
    """Say whether an utterance of a therapist looks back, or at what is now."""
    from maieutic.transcripts.utterance import Utterance
    from own_parts.tense import TenseCoder

    typer.echo(TenseCoder().predict([Utterance("therapist", text)])[0].predicted[0])
