"""Puts a code on every turn of a transcript: from the packaged coder, or from a file with codes made elsewhere; and
says when a session was training data of the packaged coders."""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal, Protocol

from maieutic.errors import InputError, UnreadableFile
from maieutic.protocols import Embedder
from maieutic.transcripts.layout import GUESSES
from maieutic.transcripts.utterance import Role, Transcript, Utterance

Tier = Literal["fast", "accurate"]

THERAPIST_LABELS = ("question", "reflection", "therapist_input", "other")
IN_WORDS = dict(
    zip(THERAPIST_LABELS, ("a question", "a reflection", "advice or information", "something else"), strict=True)
)
CLIENT_LABELS = ("change", "neutral", "sustain")
LABELS = (*THERAPIST_LABELS, *CLIENT_LABELS)
FURTHER = ("bolt", "socratic")
_FORM, _CHANCE = "predicted_question_form", "p_question_form_open"
_ABSTAIN = "abstain"
ONLY = ""
"""Name of the session of a codes file that names none."""
_INDEX_NAMES = ("index", "utterance_id", "turn", "utterance", "conv_vol_idx")


@dataclass(frozen=True, slots=True)
class CodedTurn:
    """One turn with its code.

    Attributes:
        said: The utterance.
        label: AnnoMI label, or None where no code is at hand.
        probabilities: Probability by label; empty where there is no code.
        sure: The coder did not call itself unsure. Unsure codes count in rates all the same: leaving them out would
            shift the rates towards labels that are easy to tell.
        codes: Codes under further schemes by scheme id, for example 'bolt'. A scheme that is not a key was not coded;
            an empty tuple says that the coder found no code it would stand by.
        form: Probability that the turn's question is open, of a file with codes; None where it says nothing.
    """

    said: Utterance
    label: str | None
    probabilities: Mapping[str, float]
    sure: bool = True
    codes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    form: float | None = None

    @property
    def index(self) -> int:
        """Position in the source."""
        return self.said.index

    @property
    def speaker(self) -> Role:
        """'therapist' or 'client'."""
        return self.said.speaker

    @property
    def text(self) -> str:
        """What was said."""
        return self.said.text

    @property
    def words(self) -> int:
        """Number of whitespace-separated tokens."""
        return self.said.words


@dataclass(frozen=True, slots=True, eq=False)
class CodedTranscript:
    """A transcript in scope whose turns carry codes; equal to itself alone, so that what is kept of it need not compare
    what was said.

    Attributes:
        transcript: What was read.
        turns: Its turns with their codes, in order.
        embedder: Sentence vectors for the measures that need them; None leaves those measures out, since they are slow.
    """

    transcript: Transcript
    turns: tuple[CodedTurn, ...]
    embedder: Embedder | None = None

    def by(self, speaker: Role) -> tuple[CodedTurn, ...]:
        """The turns of one speaker."""
        return tuple(turn for turn in self.turns if turn.speaker == speaker)

    def coded(self, speaker: Role) -> tuple[CodedTurn, ...]:
        """The turns of one speaker that have a code."""
        return tuple(turn for turn in self.turns if turn.speaker == speaker and turn.label is not None)

    def pairs(self, leader: Role, follower: Role) -> Iterator[tuple[CodedTurn, CodedTurn]]:
        """Turns of one speaker that the other's follows at once, with it."""
        for said, reply in pairwise(self.turns):
            if said.speaker == leader and reply.speaker == follower:
                yield said, reply

    def under(self, scheme: str, speaker: Role) -> tuple[CodedTurn, ...]:
        """The turns of one speaker that were coded under a further scheme, also those without a code."""
        return tuple(turn for turn in self.turns if turn.speaker == speaker and scheme in turn.codes)


class Prediction(Protocol):
    """What a coder says about one turn."""

    @property
    def predicted(self) -> tuple[str, ...]: ...
    @property
    def probabilities(self) -> Mapping[str, float]: ...
    @property
    def abstain(self) -> bool: ...


Predict = Callable[[Transcript], Sequence[Prediction]]
"""Codes the utterances of one transcript, in order."""


@dataclass(frozen=True, slots=True)
class ManyCodes:
    """What the packaged coders say about one turn: AnnoMI's label, and codes of further schemes.

    Attributes:
        predicted: AnnoMI's label.
        probabilities: Probability by AnnoMI label.
        abstain: The AnnoMI coder calls itself unsure.
        codes: Codes by further scheme; empty where that coder abstains, as its scheme's 'unknown' would be.
    """

    predicted: tuple[str, ...]
    probabilities: Mapping[str, float]
    abstain: bool
    codes: Mapping[str, tuple[str, ...]]


def packaged_coder(tier: Tier = "fast") -> Predict:
    """The coder for AnnoMI's labels that comes with the package, and codes under the further schemes it has coders for.

    Args:
        tier: 'accurate' or 'fast', of the AnnoMI coder; the further schemes are coded fast.
    """
    from maieutic.coding.embedded import EmbeddedCoder

    coder = EmbeddedCoder("annomi", tier, hears=True)  # the measures hear every sentence anyway
    # The accurate coder reads each utterance once more for every further scheme, which would triple the time.
    further = further_coder("fast")

    def predict(transcript: Transcript) -> Sequence[Prediction]:
        codings = coder.predict(transcript.utterances)
        return [
            ManyCodes(coding.predicted, coding.probabilities, coding.abstain, codes)
            for coding, codes in zip(codings, further(transcript), strict=True)
        ]

    return predict


Further = Callable[[Transcript], Sequence[Mapping[str, tuple[str, ...]]]]
"""Codes the utterances of one transcript under schemes other than AnnoMI's, in order."""


def further_coder(tier: Tier = "fast") -> Further:
    """Codes under the schemes beside AnnoMI's; a scheme without weights is left out, and measures on it are missing.

    Args:
        tier: 'accurate' or 'fast'.
    """
    from maieutic.coding.embedded import EmbeddedCoder

    coders: dict[str, Any] = {}
    for scheme in FURTHER:
        # Not every scheme has weights in the package; a session is scored all the same.
        with contextlib.suppress(InputError):
            coders[scheme] = EmbeddedCoder(scheme, tier)

    def code(transcript: Transcript) -> Sequence[Mapping[str, tuple[str, ...]]]:
        found = {scheme: coder.predict(transcript.utterances) for scheme, coder in coders.items()}
        return [
            {scheme: () if codings[at].abstain else codings[at].predicted for scheme, codings in found.items()}
            for at in range(len(transcript.utterances))
        ]

    return code


def code_transcript(transcript: Transcript, predict: Predict) -> CodedTranscript:
    """A transcript with the coder's labels."""
    turns = (
        CodedTurn(
            said,
            p.predicted[0] if p.predicted else None,
            p.probabilities,
            not p.abstain,
            p.codes if isinstance(p, ManyCodes) else {},
        )
        for said, p in zip(transcript.utterances, predict(transcript), strict=True)
    )
    return CodedTranscript(transcript, tuple(turns))


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
