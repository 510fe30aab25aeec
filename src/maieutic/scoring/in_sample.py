"""Says when an input was training data of the packaged coders: known sessions, by the hash of their words.

The hashes are made by `recipes/hash_training_data.py`; no word can be read back from them.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files

from maieutic.transcripts.utterance import Transcript

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
