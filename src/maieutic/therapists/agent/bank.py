"""Wording banks: what a step can sound like. The second bank words everything anew, to see what hangs on the words."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from random import Random
from typing import Any

import yaml

from maieutic.errors import UnknownName, UnreadableFile
from maieutic.language.sentences import unsaid
from maieutic.reading.yaml_text import packaged_yaml

Bank = Mapping[str, tuple[str, ...]]
BANKS = ("first", "second")


@lru_cache(maxsize=4)
def load_bank(name: str) -> Bank:
    """A packaged bank. Raises `UnknownName` for another name, `UnreadableFile` where the file is damaged."""
    if name not in BANKS:
        raise UnknownName("wording bank", name, BANKS)
    try:
        found: Any = packaged_yaml("therapists", "banks", f"{name}.yaml")
        return {str(key): tuple(map(str, wordings)) for key, wordings in found.items()}
    except (FileNotFoundError, AttributeError, TypeError, yaml.YAMLError) as error:
        raise UnreadableFile(f"wording bank {name!r} cannot be read: {error}; install maieutic again") from error


@lru_cache(maxsize=1)
def information_signs() -> tuple[tuple[re.Pattern[str], ...], ...]:
    """The compiled words of each piece of `load_information`, in its order; too many for the cache of `re`."""
    return tuple(tuple(re.compile(rf"\b(?:{fragment})") for fragment in piece["words"]) for piece in load_information())


@lru_cache(maxsize=1)
def load_information() -> tuple[Mapping[str, Any], ...]:
    """Short pieces of general information with the words that call for each: {topic, words, text}."""
    return tuple(packaged_yaml("therapists", "banks", "information.yaml"))


def fresh(bank: Bank, key: str, said: Sequence[str], rng: Random, **fill: str) -> str:
    """A wording of a key that was not said before, filled; one that was, when all were."""
    forms = [form.format(**fill) for form in bank[key]]
    return rng.choice(unsaid(forms, said) or forms)
