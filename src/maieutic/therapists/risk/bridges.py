"""Whom the patient has spoken of and may be asked about as somebody to turn to: the natural way to a person.

A name counts as a person's by the agent's reader of people, where it is a given name, or where somebody or something is
said to be theirs. Nobody is asked about who was named with a danger, or whom a sentence tells of as dead, a victim, a
child, gone, feared, a stranger, or a place (`persons.py`, over all that is told of them).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final

from maieutic.domain.episode import Session
from maieutic.language.sentences import sentences
from maieutic.safety.kinds import LIKELY, Kind, another_danger
from maieutic.therapists.agent.formulation import formulated_from
from maieutic.therapists.risk.after_stop import may_be_turned_to
from maieutic.therapists.risk.naming import plain_kind
from maieutic.therapists.risk.persons import may_be_offered, names
from maieutic.therapists.risk.wording import asked_whom, given
from maieutic.transcripts.redaction import Redactor, is_given_name

OFFERED: Final = 0.6
"""P(somebody to turn to) by all that is told of them, from which they are asked about. Out of fold 0.31 of 280 who may
be offered reach it, and 0.04 of 460 who may not; at 0.5 0.41 and 0.08."""
WISHED: Final = 0.3
"""The same where something is wished for with them. *Assumption.*"""
SURELY: Final = 0.75
"""P(somebody to turn to) of a single sentence, where nothing is wished for with them. *Assumption.*"""
DOCTOR: Final = 0.4
"""The same of a doctor, who is somebody to turn to in any case. *Assumption.*"""
CHILDREN: Final = frozenset(
    "niece nephew son daughter kids children grandson granddaughter grandchild grandchildren baby boy girl".split()
)
"""Kin who may be a child, and are not asked to watch over anybody."""
MAY_BE: Final = 0.5
"""P(somebody to turn to) of each sentence of a wish that names them, from which they are. *Assumption.*"""


def bridges(session: Session, wished: str = "", at: float = MAY_BE) -> tuple[str, ...]:
    """Persons who may be asked about, in the second person ("your sister", "Eli"), the likeliest first; any that a
    `wished` turn names, where its sentences on them tell of somebody to turn to (P ≥ `at`)."""
    told = tuple(turn.text for turn in session.by("patient"))
    found = formulated_from(session)
    every = dict.fromkeys((*found.people, *_named(told, wished)))
    every = {one: None for one in every if one.split()[-1] not in CHILDREN}
    kin = {one.split()[-1] for one in every if " " in one}
    whole = [
        one
        for one in every
        if one not in kin and one not in found.feared and (_may_be(one, told) or _wished_for(one, told, wished, at))
    ]
    return tuple(sorted(whole, key=lambda one: -may_be_offered(one, told)))


def somebody(session: Session, *, now: bool = False, wished: bool = False) -> str:
    """The likeliest of them whom the therapist has not asked about; with `now`, of those whom the latest turn names,
    and with `wished` whomever it names, as it tells of something wished for with them. Empty where there is none.

    Once a name was asked about, kin is not: "your wife" may be Rita. Where voices or signs were told it is only whom
    the patient wishes to tell: anybody else may be part of what is feared.
    """
    said = [turn.text for turn in session.by("therapist")]
    last = session.by("patient")[-1].text
    asked = _asked(session)
    heard = any(plain_kind(turn.text) is Kind.PSYCHOSIS for turn in session.by("patient"))
    if (heard or given(said) is Kind.PSYCHOSIS) and not wished:
        return ""
    found = next(
        (
            one
            for one in bridges(session, last if now else "", MAY_BE if wished else SURELY)
            if (not now or names(one, last))
            and not any(whom.split()[-1] == one.split()[-1] for whom in asked)
            and not (asked and one.startswith("your "))
        ),
        "",
    )
    name = found.rpartition(" ")[2]
    return name if name[:1].isupper() else found


def _asked(session: Session) -> list[str]:
    """Whom the therapist has asked about."""
    return [whom for turn in session.by("therapist") if (whom := asked_whom(turn))]


def _named(told: Sequence[str], wished: str = "") -> Iterator[str]:
    """Names in the order of their first mention; any name in a `wished` turn."""
    redactor = Redactor(told)
    for text in told:
        for span in redactor.spans(text):
            name = text[span.start : span.end]
            owner = text[span.end : span.end + 3].replace("’", "'") == "'s " and text[span.end + 3 :][:1].islower()
            if span.kind == "NAME" and len(name.split()) == 1 and (owner or text == wished or is_given_name(name)):
                yield name


@lru_cache(maxsize=1_000)
def _may_be(person: str, told: tuple[str, ...]) -> bool:
    about = _about(person, told)
    if not about or any(another_danger(part) >= LIKELY for part in about):
        return False
    return may_be_offered(person, told) >= OFFERED


def _wished_for(person: str, told: tuple[str, ...], wished: str, at: float) -> bool:
    """A turn that wishes for something with somebody tells of them as one to turn to, and nothing told before
    speaks clearly against that."""
    about = _about(person, (wished,))
    told_of = bool(about) and min(map(may_be_turned_to, about)) >= at
    return told_of and may_be_offered(person, told) >= WISHED


def _about(person: str, told: Sequence[str]) -> list[str]:
    return [part for text in told for part in sentences(text) if names(person, part)]


def doctor_named(session: Session) -> bool:
    """A doctor is spoken of as somebody to see."""
    about = _about("doctor", [turn.text for turn in session.by("patient")])
    return any(may_be_turned_to(part) >= DOCTOR for part in about)


def named_again(session: Session) -> str:
    """Somebody who was asked about already and whom the latest turn names; empty where there is none."""
    last = session.by("patient")[-1].text
    asked = " ".join(_asked(session))
    return next((one for one in bridges(session) if names(one, last) and names(one, asked)), "")
