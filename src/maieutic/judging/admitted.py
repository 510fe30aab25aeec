"""The file that says for which readers a judge was admitted: written by `validate judge`, believed by `gap`, `score`
and `evaluate`."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import orjson

from maieutic.coding.book import Scheme
from maieutic.errors import InputError, UnreadableFile, why
from maieutic.judging.prompt import applies, instructions
from maieutic.transcripts.utterance import SPEAKERS

FORMAT: Final = 1
KIND: Final = "admitted judge"
CONTEXT: Final = {"annomi": 2, "bolt": 0}
"""Earlier turns that a judge is shown, by scheme; where it is measured and where it is used. Other schemes: 4."""
MAKE: Final = "measure it with: maieutic validate judge --judge {model}"


@dataclass(frozen=True, slots=True)
class Admission:
    """A judge that was measured, and the readers it may replace.

    Attributes:
        model: The name of the model, as it names itself in this package.
        samples: Answers for each utterance; the same number must be drawn where it is used.
        temperature: Of the answers, likewise.
        readers: Ids of the readers for which it was admitted.
        measured: Ids of all readers that it was measured on.
        books: Hash of the code book that each reader was asked by, by reader.
    """

    model: str
    samples: int
    temperature: float
    readers: frozenset[str]
    measured: frozenset[str]
    books: Mapping[str, str]

    def among(self, readers: Mapping[str, Scheme]) -> frozenset[str]:
        """Those of `readers` (with the code books in use) that it was admitted for.

        Raises:
            InputError: The judge was measured with another code book, so nothing is known of it now.
        """
        chosen = self.readers & readers.keys()
        for reader in sorted(chosen):
            if self.books[reader] != cache_key(readers[reader]):
                told = MAKE.format(model=self.model)
                raise InputError(f"--admitted: {self.model} was measured with another code book of {reader}; {told}")
        return chosen


def cache_key(book: Scheme) -> str:
    """What a code book's prompts hash to."""
    words = [instructions(book, speaker) for speaker in SPEAKERS if applies(book, speaker)]
    return hashlib.sha256("\n".join(words).encode()).hexdigest()[:16]


def read_admission(path: Path, model: str) -> Admission:
    """The admission of a judge.

    Args:
        path: What `validate judge` wrote.
        model: The name of the model that is to be used.

    Raises:
        UnreadableFile: There is no such file, or it is another one.
        InputError: It is of another model, or admits the model nowhere.
    """
    try:
        found = orjson.loads(path.read_bytes())
    except OSError as error:
        raise UnreadableFile(f"--admitted {path} cannot be read: {why(error)}") from error
    except orjson.JSONDecodeError as error:
        raise UnreadableFile(
            f"--admitted {path} is no JSON; give admitted.json of `maieutic validate judge`"
        ) from error
    if not isinstance(found, dict) or found.get("kind") != KIND or found.get("format") != FORMAT:
        raise UnreadableFile(f"--admitted {path} is not what `maieutic validate judge` writes; give its admitted.json")
    if found["model"] != model:
        told = MAKE.format(model=model)
        raise InputError(f"--admitted {path} is of {found['model']}, and the judge is {model}; {told}")
    readers: dict[str, dict[str, Any]] = found["readers"]
    kept = frozenset(id for id, told in readers.items() if told["admitted"])
    if not kept:
        raise InputError(
            f"--admitted {path}: {model} was admitted for none of {len(readers)} readers; leave --judge out"
        )
    books = {id: str(told["book"]) for id, told in readers.items()}
    return Admission(model, int(found["samples"]), float(found["temperature"]), kept, frozenset(readers), books)


def admitted_among(path: Path, model: str, readers: Mapping[str, Scheme], told: str) -> Admission:
    """The admission of a judge, narrowed to the readers that are asked here.

    Args:
        readers: With the code books in use.
        told: What the refusal says after what it is admitted for.

    Raises:
        UnreadableFile: As `read_admission`.
        InputError: Likewise, or it is admitted for none of `readers`.
    """
    found = read_admission(path, model)
    kept = found.among(readers)
    if not kept:
        raise InputError(f"--admitted {path}: {model} is admitted for {', '.join(sorted(found.readers))}{told}")
    return replace(found, readers=kept)
