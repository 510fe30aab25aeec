"""Codes of a transcript from a file, made elsewhere; and whether a session was training data of the packaged coders."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from maieutic.errors import UnreadableFile
from maieutic.measures.coded import CLIENT_LABELS, LABELS, THERAPIST_LABELS, CodedTranscript, CodedTurn, Further
from maieutic.transcripts.layout import GUESSES
from maieutic.transcripts.utterance import Transcript

_FORM, _CHANCE = "predicted_question_form", "p_question_form_open"
_ABSTAIN = "abstain"
ONLY = ""
"""Name of the session of a codes file that names none."""
_INDEX_NAMES = ("index", "utterance_id", "turn", "utterance", "conv_vol_idx")
Place = tuple[str, int]
"""Session and utterance index."""


@dataclass(slots=True)
class Given:
    """What files say of one turn.

    Attributes:
        probabilities: By label.
        label: Its label, or None.
        form: Probability that its question is open; 0 or 1 where a form stands beside no such probability, or was
            corrected.
        text: What was said there, in files that have no index and go by the order of their rows.
        unsure: The coder abstained.
    """

    probabilities: dict[str, float] = field(default_factory=dict)
    label: str | None = None
    form: float | None = None
    text: str | None = None
    unsure: bool = False


@dataclass(frozen=True, slots=True)
class CodesFile:
    """Codes made elsewhere, by place.

    Attributes:
        name: Of the files.
        given: What stands at each place.
    """

    name: str
    given: dict[Place, Given] = field(default_factory=dict)

    def apply(self, transcript: Transcript, further: Further | None = None) -> CodedTranscript:
        """A transcript with the codes of the file; turns that the file lacks have no label.

        Args:
            transcript: What was read.
            further: Codes the schemes that the file does not hold; without it the measures on them are missing.

        Raises:
            UnreadableFile: A turn has a code of the other speaker, or other words than the file has in its place.
        """
        turns: list[CodedTurn] = []
        others = further(transcript) if further is not None else [{}] * len(transcript.utterances)
        is_named = any((transcript.id, said.index) in self.given for said in transcript.utterances)
        for said, codes in zip(transcript.utterances, others, strict=True):
            one = self.given.get((transcript.id if is_named else ONLY, said.index), Given())
            own = THERAPIST_LABELS if said.speaker == "therapist" else CLIENT_LABELS
            probabilities = {label: p for label, p in one.probabilities.items() if label in own}
            best = max(probabilities, key=lambda label: probabilities[label]) if probabilities else None
            where = f"{self.name}: session {transcript.id!r}, utterance {said.index}"
            if one.label is not None and one.label not in own:
                raise UnreadableFile(
                    f"{where} is the {said.speaker}'s and is coded {one.label!r}; its codes are {', '.join(own)}"
                )
            if one.text is not None and one.text.split() != said.text.split():
                raise UnreadableFile(
                    f"{where}: the codes stand beside other words; give the rows an index column that counts the "
                    "utterances of the transcript from 0"
                )
            # A label that somebody corrected is sure.
            sure = not one.unsure or (best is not None and one.label not in (None, best))
            turns.append(CodedTurn(said, one.label or best, probabilities, sure, codes, one.form))
        return CodedTranscript(transcript, tuple(turns))


def read_codes(paths: Sequence[Path]) -> CodesFile:
    """Reads codes from one or more CSV or Parquet files, for example one for therapist turns and one for client turns.

    A file has `row` ('SESSION:INDEX'), or a session column and an utterance index, or the text, a row for each
    utterance in order, as `maieutic code` writes it, with a session column where there are several; `predicted`
    and/or `p_<label>`; and perhaps `predicted_question_form`, open or closed, and `abstain`, true where the coder
    was unsure.

    Raises:
        UnreadableFile: no such file, or the columns are not there, or a label is none of AnnoMI's.
    """
    found = CodesFile(", ".join(path.name for path in paths))
    for path in paths:
        _read_into(path, found)
    return found


def _read_into(path: Path, found: CodesFile) -> None:
    import polars as pl

    if not path.is_file():
        raise UnreadableFile(f"no such file: {path}")
    try:
        frame = pl.read_parquet(path) if path.suffix == ".parquet" else pl.read_csv(path, infer_schema_length=None)
    except (pl.exceptions.PolarsError, OSError) as error:
        first = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise UnreadableFile(f"{path.name}: not readable as {path.suffix or 'CSV'} ({first})") from error
    columns = {name.lower(): name for name in frame.columns}
    session = next((columns[name] for name in GUESSES["session"] if name in columns), None)
    index = next((columns[name] for name in _INDEX_NAMES if name in columns), None)
    text = next((columns[name] for name in GUESSES["text"] if name in columns), None)
    scores = {label: columns[f"p_{label}"] for label in LABELS if f"p_{label}" in columns}
    placed = "row" in columns or (session and index) or text
    if not (placed and (scores or "predicted" in columns)):
        raise UnreadableFile(
            f"{path.name}: expected 'row' (SESSION:INDEX), or a session column and an utterance index "
            f"({', '.join(_INDEX_NAMES[:2])}), or the text, a row for each utterance in order, "
            f"with 'predicted' or p_question, p_reflection, …; found {', '.join(frame.columns)}"
        )
    counted = Counter[str]()
    for row in frame.iter_rows(named=True):
        said = None
        if index and (session or "row" not in columns):
            key = (str(row[session]) if session else ONLY, _whole(row[index], path.name))
        elif "row" not in columns:
            name = str(row[session]) if session else ONLY
            key = (name, counted[name])
            counted[name] += 1
            said = str(row[text or ""] or "")
        else:
            name, _, number = str(row[columns["row"]]).rpartition(":")
            key = (name, _whole(number, path.name))
        where = f"{path.name}, session {key[0]!r}, utterance {key[1]}"
        one = found.given.setdefault(key, Given())
        one.text = one.text if said is None else said
        one.probabilities |= {label: float(row[column]) for label, column in scores.items() if row[column] is not None}
        if label := row.get(columns.get("predicted", "predicted")):
            if label not in LABELS:
                raise UnreadableFile(f"{where}: {label!r} is none of the labels {', '.join(LABELS)}")
            one.label = label
        one.unsure = one.unsure or str(row.get(columns.get(_ABSTAIN, _ABSTAIN))).lower() == "true"
        if form := row.get(columns.get(_FORM, _FORM)):
            if form not in ("open", "closed"):
                raise UnreadableFile(f"{where}: {_FORM} is {form!r}; expected open or closed")
            chance, given = row.get(columns.get(_CHANCE, _CHANCE)), float(form == "open")
            one.form = given if chance is None or (chance >= 0.5) != (form == "open") else float(chance)


def _whole(value: Any, name: str) -> int:
    try:
        return int(value)
    except (TypeError, ValueError) as error:
        raise UnreadableFile(f"{name}: {value!r} is no utterance index; expected whole numbers from 0") from error


TRAINED_ON = frozenset({"AnnoMI", "SoQG"})
"""Data sets that the packaged coder of AnnoMI's scheme has seen, as the model card says."""

_KEPT = b"abcdefghijklmnopqrstuvwxyz0123456789"
_PLAIN = bytes(sign if sign in _KEPT else ord(" ") for sign in range(256))
_HASH_LENGTH = 16  # hexadecimal digits; chance hits among a million sessions and a thousand known ones are below 1e-10


def session_hash(transcript: Transcript) -> str:
    """Hash of a session's words in order; case, punctuation and the names of the speakers do not count."""
    return hash_words(said.original or said.text for said in transcript.utterances)


def hash_words(texts: Iterable[str]) -> str:
    """Hash of the words of several texts in order."""
    digest = hashlib.sha256()
    for text in texts:
        letters = text.lower().replace("'", "").replace("’", "").encode("ascii", "replace")
        for word in letters.translate(_PLAIN).split():
            digest.update(word + b" ")
    return digest.hexdigest()[:_HASH_LENGTH]


def known_session(transcript: Transcript) -> str | None:
    """Name of the training set that a session is from, whatever file it stands in, if the packaged coder was fitted on
    it."""
    name = _known().get(session_hash(transcript))
    return name if name in TRAINED_ON else None


@cache
def _known() -> Mapping[str, str]:
    text = files("maieutic.scoring").joinpath("training_data.json").read_text(encoding="utf-8")
    return {one: name for name, hashes in json.loads(text).items() for one in hashes}
