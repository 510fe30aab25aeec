"""Takes names, emails, phone numbers and street addresses out of text before a copy of it is kept.

It lowers the risk that a stored copy names somebody; it does not make a transcript anonymous. What it misses, measured
on own-written sentences, stands in docs/transcripts.md."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import Literal

from maieutic.language.sentences import STOP_WORDS
from maieutic.transcripts.utterance import Transcript

_COUNTRIES = ("US", "GB", "AU")
_DIGIT = r"(?:zero|oh|o|nought|one|two|three|four|five|six|seven|eight|nine|ten|hundred|thousand|double|triple|\d)"
_SPOKEN_PHONE = re.compile(rf"\b{_DIGIT}(?:[ ,.-]+{_DIGIT}){{6,}}\b", re.I)
_SPOKEN_WORDS = re.compile(r"[a-z]{2,}", re.I)
_LOCAL_PHONE = re.compile(r"(?<![\d.,/-])\d{3}[-.]\d{4}(?![\d/-])")
_CUED_PHONE = re.compile(
    r"\b(?:phone|number|cell|mobile|call|text|ring|reach|whatsapp|fax|extension|it's|it "
    r"is)\b\D{0,25}?(?P<number>\d[\d -]{5,}\d)",
    re.I,
)
_YEARS = re.compile(r"(?:19|20)\d\d\D+(?:19|20)\d\d")

_EMAIL = re.compile(r"[\w.+%-]+@[\w-]+(?:\.[\w-]+)+", re.I)
_SPOKEN_EMAIL = re.compile(
    r"\b[\w.+-]+(?:\s+(?:dot|underscore|dash|hyphen)\s+[\w+-]+|\s+(?!at\b)\d+)*\s+(?:at"
    r"|@)\s+[\w-]+(?:\s+dot\s+[\w-]+)+\b",
    re.I,
)

_STREET = (
    r"Street|St|Avenue|Ave|Road|Rd|Lane|Ln|Drive|Dr|Court|Ct|Boulevard|Blvd|Place|Pl|Square|Sq|Terrace|Close|Crescent|"
    r"Cres|Way|Row|Gardens|Grove|Hill|Park|Parkway|Pkwy|Highway|Hwy|Circle|Cir|Mews|Walk|Wharf|Quay"
    r"|Alley|Trail|Rise|Green"
)
_CLEAR_STREET = "Street|Avenue|Road|Lane|Drive|Boulevard|Blvd|Crescent|Terrace|Mews|Close|Court|Parkway|Highway|Ave|Rd|Gardens|Grove"  # noqa: E501
_PART = r"[A-Z][\w'’]*\.?"
_NUMBER = r"\d{1,5}(?:\s?[-–]\s?\d{1,5})?[A-Za-z]?"
_WORD_NUMBER = (
    r"(?:[Oo]ne|[Tt]wo|[Tt]hree|[Ff]our|[Ff]ive|[Ss]ix|[Ss]even|[Ee]ight|[Nn]ine|[Tt]en|[Ee]leven"
    r"|[Tt]welve|[A-Za-z]+teen|"
    r"(?:[Tt]wenty|[Tt]hirty|[Ff]orty|[Ff]ifty|[Ss]ixty|[Ss]eventy|[Ee]ighty|[Nn]inety)(?:[- ]\w+)?)"
)
_ROOM = r"(?:(?:Flat|Apartment|Apt|Unit|Room|Suite|No)\.?\s+#?\w{1,5},?\s+)"
_TAIL = (
    r"(?:,?\s+(?:Apartment|Apt|Flat|Unit|Suite|#)\.?\s*#?\w{1,5})?"
    r"(?:,\s+[A-Z][a-z]+(?:\s[A-Z][a-z]+)?(?=,|\s+[A-Z]{1,2}\d|\s+[A-Z]{2,3}\s+\d))?"
    r"(?:,?\s+(?:[A-Z]{2,3}|[A-Z][a-z]+(?:\s[A-Z][a-z]+)?)\s+\d{4,5}(?:-\d{4})?)?"
    r"(?:,?\s+[A-Z]{1,2}\d[A-Z\d]?\s?\d[A-Z]{2}\b)?"
)
_ADDRESSES = (
    re.compile(rf"\b{_ROOM}?(?:{_NUMBER}|{_WORD_NUMBER}),?\s+(?:{_PART}\s+){{1,4}}(?:{_STREET})\b\.?{_TAIL}"),
    re.compile(rf"(?<![.?!…]\s)(?<!^)\b(?:{_PART}\s+){{1,3}}(?:{_CLEAR_STREET})\b{_TAIL}"),
    re.compile(r"\bP\.?\s?O\.?\s+Box\s+\d+", re.I),
    re.compile(r"\b[A-Z]{1,2}\d[A-Z\d]?\s\d[A-Z]{2}\b"),
    re.compile(r"\b[A-Z]{2}\s\d{5}(?:-\d{4})?\b"),
)
_SMALL_ADDRESS = re.compile(
    r"\b\d{1,5}[a-z]?\s+(?P<name>(?:[a-z']+\s+){1,3}?)(?:street|avenue|road|lane|drive|boulevard"
    r"|crescent|terrace|court|close)\b"
)
_NOT_A_STREET = frozenset(
    """a an the this that my your his her their our down up across along on in at to of off from by over
    minutes minute miles mile blocks block times time years year days day weeks hours metres meters feet
    steps houses people cars dogs more per into is was and or for same other next last main back long high
    away ago later out about near as so very too got getting came come""".split()
)


def emails(text: str) -> Iterator[tuple[int, int]]:
    """Places of email addresses, also those read out ('… at … dot com')."""
    for pattern in (_EMAIL, _SPOKEN_EMAIL):
        yield from (match.span() for match in pattern.finditer(text))


def phones(text: str) -> Iterator[tuple[int, int]]:
    """Places of telephone numbers of the US, the UK, Australia or with a country code, and of digits read out."""
    yield from (match.span() for match in _SPOKEN_PHONE.finditer(text) if len(_SPOKEN_WORDS.findall(match[0])) >= 7)
    if sum(sign.isdigit() for sign in text) < 7:
        return
    yield from (match.span() for match in _LOCAL_PHONE.finditer(text))
    yield from (match.span("number") for match in _CUED_PHONE.finditer(text) if _like_a_phone(match["number"]))
    from phonenumbers import Leniency, PhoneNumberMatcher

    for country in _COUNTRIES:
        for found in PhoneNumberMatcher(text, country, leniency=Leniency.POSSIBLE):
            if _like_a_phone(found.raw_string):
                yield found.start, found.end


def addresses(text: str) -> Iterator[tuple[int, int]]:
    """Places of street addresses: number and street, a named street, PO boxes, UK postcodes, US state with ZIP code."""
    for pattern in _ADDRESSES:
        yield from (match.span() for match in pattern.finditer(text))
    for match in _SMALL_ADDRESS.finditer(text):
        if not _NOT_A_STREET.intersection(match["name"].split()):
            yield match.span()


def _like_a_phone(raw: str) -> bool:
    """Seven digits or more that are no list of small numbers and no span of years."""
    groups = re.findall(r"\d+", raw)
    if len("".join(groups)) < 7 or _YEARS.fullmatch(raw):
        return False
    if raw.startswith(("+", "(", "0")):
        return True
    small = sum(len(group) < 3 for group in groups)
    return small <= 1 and not (len(groups) == 2 and all(len(group) == 4 for group in groups))


Kind = Literal["NAME", "EMAIL", "PHONE", "ADDRESS"]
KINDS: tuple[Kind, ...] = ("NAME", "EMAIL", "PHONE", "ADDRESS")

_TOKEN = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_TITLES = frozenset(
    """mr mrs ms miss mx dr doctor prof professor sir dame sister brother father pastor rabbi reverend rev
    imam uncle aunt auntie aunty nurse officer coach judge captain sergeant nana grandma grandpa granny
    little big old saint""".split()
)
_CUES = frozenset(
    """name's named called I'm i'm meet hi hello hey dear thanks welcome bye goodbye morning afternoon
    evening husband wife partner son daughter brother sister friend girlfriend boyfriend boss cousin ex
    baby dog""".split()
)
_CUES_OF_TWO = frozenset(
    {"name is", "name was", "this is", "I am", "i am", "thank you"}
    | {f"{call} {whom}" for call in ("call", "calls", "called") for whom in ("me", "him", "her", "them", "myself")}
)
_SAYING = frozenset(
    """said says told tells thinks thought asked asks knows knew wants wanted left died called came went
    works worked lives lived never always keeps kept took gave made helped hates loves loved""".split()
)
"""Words after a name at the start of a sentence."""
_OPENING = re.compile(r"(?:^|[.?!…:;\"“”‘(\[*>\n]|--|[–—]|\s['])\s*$")
_ALL = frozenset({"i"})
_MIN_SMALL = 3  # tokens without a capital before an utterance counts as written in small letters
_MIN_SHOUTED = 6


@dataclass(frozen=True, slots=True)
class Span:
    """A personal detail in a text, from `start` up to `end`."""

    start: int
    end: int
    kind: Kind


class Redactor:
    """Redacts the texts of one session; the same name gets the same placeholder throughout it.

    Placeholders are numbered by first occurrence ([NAME1], [PHONE1], …), so that the same session gives the same text.
    Names are found by titles, by cues ('my name is …'), by a list of given names, and by capitals in the middle of a
    sentence that are no ordinary word; a name found once is then found at the start of sentences too.
    """

    def __init__(self, texts: Iterable[str] = (), *, names: Iterable[str] = ()) -> None:
        """Reads the session once.

        Args:
            texts: What was said, in order.
            names: Names known from elsewhere, such as those of the speakers.
        """
        self._known = {token.lower() for name in names for token in _TOKEN.findall(name) if _may_be_name(token)}
        self._numbers: dict[tuple[Kind, str], int] = {}
        self._counts: dict[Kind, int] = {}
        said = tuple(texts)
        self._common = {word for text in said for word in _TOKEN.findall(text) if word[0].islower()}
        for text in said:
            self._known |= {_bare(token) for token in self._learned(text)}

    def __call__(self, text: str) -> str:
        """The text with placeholders."""
        parts: list[str] = []
        at = 0
        for span in self.spans(text):
            parts += [text[at : span.start], f"[{span.kind}{self._number(span, text)}]"]
            at = span.end
        return "".join([*parts, text[at:]])

    def spans(self, text: str) -> list[Span]:
        """What would be redacted, in order, none overlapping another."""
        taken: list[Span] = []
        found: tuple[tuple[Kind, Iterator[tuple[int, int]]], ...] = (
            ("EMAIL", emails(text)),
            ("ADDRESS", addresses(text)),
            ("PHONE", phones(text)),
            ("NAME", self._names(text)),
        )
        for kind, places in found:
            for start, end in sorted(places, key=lambda place: (place[0], -place[1])):
                end -= text[start:end].endswith(".")  # the full stop of the sentence, which a street's "St." may have
                if all(end <= one.start or start >= one.end for one in taken):
                    taken.append(Span(start, end, kind))
        return sorted(taken, key=lambda one: one.start)

    def _learned(self, text: str) -> Iterator[str]:
        """Words of names that may stand for the person at other places too."""
        for start, end in self._names(text):
            yield from (token for token in _TOKEN.findall(text[start:end]) if _may_be_name(token))

    def _names(self, text: str) -> Iterator[tuple[int, int]]:
        tokens = list(_TOKEN.finditer(text))
        letters = [token[0] for token in tokens if token[0].lower() not in _ALL]
        is_small = len(letters) >= _MIN_SMALL and not any(word[0].isupper() for word in letters)
        capitals = sum(word[0].isupper() for word in letters)
        is_shouted = len(letters) >= _MIN_SHOUTED and capitals > 0.6 * len(letters)
        last = -1
        for place, token in enumerate(tokens):
            if token.start() < last:
                continue
            is_name = self._small_name(text, token) if is_small else self._name(text, token, is_shouted)
            if not is_name:
                continue
            end = token
            for following in tokens[place + 1 : place + 4]:
                between = text[end.end() : following.start()]
                if between not in (" ", ". ") or (between == ". " and len(end[0]) > 1) or not _goes_on(following[0]):
                    break
                end = following
            last = end.end() - _possessive(end[0])
            yield token.start(), last

    def _name(self, text: str, token: re.Match[str], is_shouted: bool) -> bool:
        word, before = token[0], text[: token.start()]
        bare = _bare(word)
        if not word[0].isupper() or len(bare) < 2 or _is_stutter(bare):
            return False
        near = before[-30:]
        last = _last(near)
        if last[-1].lower().removesuffix(".") in _TITLES:
            return bare not in _ordinary() or bare in _given()
        if bare in self._known:
            return not (_OPENING.search(near) and (bare in _doubtful() or bare in STOP_WORDS)) or bool(
                _says(text[token.end() : token.end() + 20])
            )
        is_given, is_doubtful, is_ordinary = bare in _given(), bare in _doubtful(), bare in _ordinary()
        if is_given and not is_doubtful and not is_ordinary:
            return True
        if last[-1].rstrip(",") in _CUES or " ".join(last).rstrip(",") in _CUES_OF_TWO:
            return is_given or not is_ordinary
        if is_ordinary or (bare in self._common and not is_given):
            return False
        if _OPENING.search(near):
            return is_given and _says(text[token.end() : token.end() + 20])
        return is_given or not (is_shouted or word.isupper())

    def _small_name(self, text: str, token: re.Match[str]) -> bool:
        bare = _bare(token[0])
        if bare in STOP_WORDS or bare in _ordinary():
            return False
        last = _last(text[: token.start()][-20:])
        if " ".join(last) in ("name is", "my name's") or last[-1] == "named":
            return True
        return bare not in _doubtful() and bare in _given()

    def _number(self, span: Span, text: str) -> int:
        said = text[span.start : span.end].lower()
        keys = [_bare(t) for t in _TOKEN.findall(said)] if span.kind == "NAME" else [re.sub(r"\W", "", said)]
        keys = [key for key in keys if key not in _ordinary()] or keys
        number = self._numbers.get((span.kind, keys[0]))
        if number is None:
            number = self._counts[span.kind] = self._counts.get(span.kind, 0) + 1
        for key in keys:
            self._numbers.setdefault((span.kind, key), number)
        return number


def redact_transcript(transcript: Transcript, names: Iterable[str] = ()) -> Transcript:
    """The same transcript with placeholders in place of personal details; human labels are dropped with the words."""
    redactor = Redactor((said.text for said in transcript.utterances), names=names)
    return replace(
        transcript,
        utterances=tuple(
            replace(said, text=redactor(said.text), labels={}, original=said.original and redactor(said.original))
            for said in transcript.utterances
        ),
    )


def is_given_name(word: str) -> bool:
    """Whether a word is a given name, and no ordinary word beside it."""
    return _bare(word) in _words("given_names") and _bare(word) not in _ordinary()


def redact_text(text: str) -> str:
    """One text on its own; placeholders are numbered within it."""
    return Redactor((text,))(text)


def _last(before: str) -> tuple[str, str]:
    """The last two words before a place, where a space parts it from them; else empty ones."""
    spoken = before.replace("’", "'").split() if before[-1:].isspace() else []
    first, second = (word.lstrip('"“‘([*>') for word in ["", "", *spoken][-2:])
    return first, second


def _says(after: str) -> bool:
    """What follows a word tells that somebody said or did something."""
    said = after.replace("’", "'").removeprefix("'s")
    spoken = said.split() if said[:1].isspace() else []
    return bool(spoken) and (spoken[0].rstrip(".,;:!?") in _SAYING or spoken[:2] == ["and", "I"])


def _bare(word: str) -> str:
    word = word.lower().replace("’", "'")
    return word[:-2] if word.endswith("'s") else word.removesuffix("'")


def _is_stutter(bare: str) -> bool:
    """Whether all parts of a word are function words ("I-I", "and-and", "you're")."""
    return all(part in STOP_WORDS or part in _ordinary() or len(part) < 3 for part in re.split(r"['-]", bare)) and (
        "-" in bare or "'" in bare
    )


def _possessive(word: str) -> int:
    return 2 if word.lower().replace("’", "'").endswith("'s") else 0


def _may_be_name(word: str) -> bool:
    bare = _bare(word)
    return len(bare) > 2 and bare not in STOP_WORDS and bare not in _ordinary()


def _goes_on(word: str) -> bool:
    """Whether a word may be the next part of a name."""
    return word[0].isupper() and _bare(word) not in STOP_WORDS and (len(word) == 1 or _bare(word) not in _ordinary())


@cache
def _words(name: str) -> frozenset[str]:
    text = files("maieutic.transcripts").joinpath("words", f"{name}.txt").read_text(encoding="utf-8")
    return frozenset(text.split())


def _given() -> frozenset[str]:
    return _words("given_names") | _words("doubtful_names")


def _doubtful() -> frozenset[str]:
    return _words("doubtful_names")


def _ordinary() -> frozenset[str]:
    return _words("capitalised")
