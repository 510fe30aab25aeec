"""Words that constructed failures share: clauses of the patient's turned round, denied, or with the wrong person in
them."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace

from maieutic.language.sentences import opened_large, words
from maieutic.reading.yaml_text import packaged_yaml
from maieutic.therapists.wording import key_clause, keyphrases

_AUXILIARIES = frozenset("do did does was were is are have has had would could should can will".split())
_SAID_TO_YOU = frozenset("went said told got felt thought came made saw knew left".split())
_CONTRARY = {
    "can't": "can",
    "cannot": "can",
    "won't": "will",
    "never": "always",
    "nobody": "everybody",
    "always": "never",
    **{f"{auxiliary}n't": auxiliary for auxiliary in _AUXILIARIES - {"can", "will"}},
}
_EDGES = ' .,;:!?"“”()'
_OTHERS = {
    "mother": "father",
    "mum": "dad",
    "father": "mother",
    "dad": "mum",
    "sister": "brother",
    "brother": "sister",
    "wife": "sister",
    "husband": "brother",
    "son": "nephew",
    "daughter": "niece",
    "boss": "neighbour",
    "manager": "landlord",
    "friend": "cousin",
    "partner": "flatmate",
    "girlfriend": "cousin",
    "boyfriend": "flatmate",
    "teacher": "coach",
    "colleague": "neighbour",
    "work": "university",
    "school": "the office",
    "office": "college",
    "monday": "Friday",
    "friday": "Tuesday",
    "sunday": "Wednesday",
    "night": "morning",
    "morning": "evening",
    "yesterday": "a month ago",
    "week": "year",
    "year": "week",
    "two": "five",
    "three": "seven",
    "four": "nine",
}


def lines_of(speaker: str) -> SimpleNamespace:
    """The lines of `lines.yaml` that one module says, each set under its name."""
    return SimpleNamespace(**packaged_yaml("gap", "constructed", "lines.yaml")[speaker])


def filled(line: str, **words: str | int) -> str:
    """A line with its places filled in."""
    return line.format(**words)


def clause_of(texts: Sequence[str]) -> str | None:
    """The most telling clause of the latest text that has one, in the second person."""
    found = next((found for text in reversed(texts) if (found := key_clause(text))), None)
    if not found:
        return None
    begun, _, joint = found.rpartition(" ")
    return (begun.removesuffix(",") if joint in ("but", "and", "so", "or") else found).removeprefix("if ")


def denied(clause: str) -> str | None:
    """The contrary of a clause in the second person, or None where it cannot be had by one change."""
    if words(clause)[:1] and words(clause)[0] in ("if", "when", "because", "as", "since"):
        return None
    parts = clause.split(" ")
    spoken = [part.lstrip(_EDGES).replace("’", "'").lower() for part in parts]
    for change in (_without_not, _turned, _with_not, _not_yours):
        for at in range(len(parts)):
            put = change(spoken, at)
            if put is not None:
                word = parts[at].strip(_EDGES)
                parts[at] = parts[at].replace(word, opened_large(put) if word[:1].isupper() else put)
                return " ".join(filter(None, parts))
    return None


def _without_not(spoken: Sequence[str], at: int) -> str | None:
    return "" if spoken[at] in ("not", "hardly") and at + 1 < len(spoken) else None


def _turned(spoken: Sequence[str], at: int) -> str | None:
    return _CONTRARY.get(spoken[at].rstrip(_EDGES))


def _with_not(spoken: Sequence[str], at: int) -> str | None:
    word = spoken[at].rstrip(_EDGES)
    who, _, short = word.partition("'")
    is_short = who in ("you", "we", "they", "he", "she", "it") and short in ("re", "ve", "s", "ll", "d")
    return f"{word} not" if is_short or word in _AUXILIARIES - {"do", "did", "does"} else None


def _not_yours(spoken: Sequence[str], at: int) -> str | None:
    if spoken[at] != "you" or at + 1 == len(spoken) or not spoken[at + 1][:1].isalpha():
        return None
    return "you never" if spoken[at + 1].endswith("ed") or spoken[at + 1] in _SAID_TO_YOU else "you don't"


def mixed_up(clause: str) -> str | None:
    """A clause with somebody or something else in it, or None where there is nothing to exchange."""
    parts = clause.split(" ")
    words_at = [part.strip(_EDGES).replace("’", "'").partition("'")[0] for part in parts]
    known = [at for at, word in enumerate(words_at) if word.lower() in _OTHERS]
    for at in known[:2]:
        parts[at] = parts[at].replace(words_at[at], _OTHERS[words_at[at].lower()])
    return " ".join(parts) if known else None


def person_of(texts: Sequence[str], otherwise: str = "the others") -> str:
    """Somebody or something that the patient spoke of last."""
    found = keyphrases(texts)
    return found[-1] if found else otherwise
