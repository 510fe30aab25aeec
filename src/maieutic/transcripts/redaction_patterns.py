"""What emails, phone numbers and street addresses look like in transcripts, written and spoken; phones by
`phonenumbers`."""

from __future__ import annotations

import re
from collections.abc import Iterator

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
