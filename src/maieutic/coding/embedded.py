"""The embedded coder: codes the utterances of a session with the linear heads that come with the package."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from maieutic.coding.contract import SPEAKERS, Coding, Utterance
from maieutic.coding.features import Row, Said, Style, in_place, is_punctuated, restyle, row, words
from maieutic.coding.heads import Head, load_head
from maieutic.coding.schemes import get_scheme
from maieutic.errors import InputError

WEIGHTS = Path(__file__).parent / "weights"


class EmbeddedCoder:
    """Codes utterances under a published scheme, in process and without a network.

    Only what was said before an utterance is read, never what follows, so the coder may follow a session live. Whether
    a dialogue is punctuated is judged once from all that was handed in.

    Blind to: tone, irony, everything that was not said in words, languages other than English; BOLT codes are read
    from the utterance alone.
    """

    def __init__(self, scheme: str) -> None:
        """Loads the packaged weights.

        Args:
            scheme: 'annomi' or 'bolt'.

        Raises:
            UnknownName: No such scheme.
        """
        self.scheme = get_scheme(scheme)
        styles: tuple[Style, ...] = ("questions",) if self.scheme.multi_label else ("written", "bare")
        self._heads = {
            (speaker, style): load_head(weights_file(scheme, speaker, style))
            for speaker in SPEAKERS
            for style in styles
        }
        self._support = (
            {speaker: load_head(weights_file("annomi", speaker, "bare")) for speaker in SPEAKERS}
            if self.scheme.multi_label
            else {}
        )

    def predict(self, dialogue: Sequence[Utterance]) -> list[Coding]:
        """Codes one session.

        Args:
            dialogue: The utterances of one session, in order.

        Returns:
            One coding for each utterance, in order.

        Raises:
            InputError: A speaker that is neither 'therapist' nor 'client'.
        """
        for utterance in dialogue:
            if utterance.speaker not in SPEAKERS:
                raise InputError(f"speaker {utterance.speaker!r}: expected 'therapist' or 'client'")
        style: Style = "written" if is_punctuated([one.text for one in dialogue]) else "bare"
        style = "questions" if self.scheme.multi_label else style
        said = place(dialogue, style)
        codings: dict[int, Coding] = {}
        for speaker in SPEAKERS:
            places = [at for at, one in enumerate(dialogue) if one.speaker == speaker]
            if places:
                codings.update(zip(places, self._code(speaker, style, [said[at] for at in places]), strict=True))
        return [codings[at] for at in range(len(dialogue))]

    def _code(self, speaker: str, style: Style, said: Sequence[Said]) -> list[Coding]:
        head = self._heads[speaker, style]
        if self.scheme.multi_label:
            rows, extra = alone([one.text for one in said], self._support[speaker])
            table = head.probabilities(rows, extra)
        else:
            table = head.probabilities([row(one) for one in said])
        return [decide(head, line, readable=bool(words(one.text))) for line, one in zip(table, said, strict=True)]


def place(dialogue: Sequence[Utterance], style: Style) -> list[Said]:
    """Each utterance with what was said before it, in the punctuation that the style reads."""
    said = in_place([(one.speaker, restyle(one.text, style)) for one in dialogue])
    for at, one in enumerate(dialogue):
        if one.context:
            turns = [restyle(text, style) for text in (*one.context, one.text)]
            speakers = [(one.speaker, "")[back % 2] for back in range(len(turns))]
            said[at] = in_place(list(zip(speakers[::-1], turns, strict=True)))[-1]
    return said


def alone(texts: Sequence[str], support: Head) -> tuple[list[Row], NDArray[np.float64]]:
    """Features of utterances without their dialogue: rows, and the log probabilities of another scheme's head."""
    rows = [row(Said(restyle(text, "questions"))) for text in texts]
    bare = [row(Said(restyle(text, "bare"))) for text in texts]
    return rows, np.log(support.probabilities(bare) + 0.01)


def decide(head: Head, probabilities: NDArray[np.float64], *, readable: bool = True) -> Coding:
    """The code that follows from the probabilities of one utterance."""
    ranked = [int(at) for at in np.argsort(-probabilities, kind="stable")]
    chosen = ranked[:1]
    if head.threshold is not None:
        chosen += [at for at in ranked[1:] if probabilities[at] >= head.threshold]
    return Coding(
        predicted=tuple(head.labels[at] for at in chosen),
        probabilities=dict(zip(head.labels, map(float, probabilities), strict=True)),
        abstain=bool(probabilities[ranked[0]] < head.doubt) or not readable,
    )


def weights_file(scheme: str, speaker: str, style: str) -> Path:
    """Where the packaged weights of one head lie."""
    return WEIGHTS / f"{scheme}_{speaker}_{style}.npz"
