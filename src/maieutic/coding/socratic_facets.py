"""How a Socratic question is put: does it lead, stack, advise, and what does it reach for?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from maieutic.coding.book import Scheme
from maieutic.coding.contract import Coding, FacetCoding, Utterance
from maieutic.coding.rules import code_text
from maieutic.domain.codes import Move
from maieutic.reading.moves import questions, reaches_for

_ORDER: Final = ("perspective", "evidence", "implication", "emotion")
"""Of several questions the rarer aim names the turn."""


def socratic_facets(text: str, before: str = "") -> dict[str, FacetCoding]:
    """The facets of one therapist utterance: leads, stacks, advises ('true' or 'false') and reaches.

    Args:
        text: The utterance.
        before: What the client said just before, so that words given back are not taken for advice.

    Blind to: tone, and whatever the therapist's conclusion is if nothing in the words gives it away. Unpunctuated
    speech is read as one sentence.
    """
    asked = questions(text)
    values = {
        "leads": _truth(any(one.leading for one in asked)),
        "stacks": _truth(len(asked) > 1),
        "advises": _truth(any(one.advising for one in asked) or Move.ADVICE in code_text(text, before).moves),
        "reaches": _reaches([one.text for one in asked]),
    }
    return {facet: FacetCoding(value) for facet, value in values.items()}


def with_rule_facets(scheme: Scheme, said: Sequence[Utterance], codings: Sequence[Coding]) -> list[Coding]:
    """The codings with the facets that rules decide, where the coder left them out; those of other schemes as they
    are."""
    if scheme.id != "socratic":
        return list(codings)
    return [_filled(one, coding) for one, coding in zip(said, codings, strict=True)]


def _filled(said: Utterance, coding: Coding) -> Coding:
    facets: Mapping[str, FacetCoding] = coding.facets
    if said.speaker != "therapist" or len(facets) >= 4:
        return coding
    return replace(coding, facets={**socratic_facets(said.text, said.context[-1] if said.context else ""), **facets})


def _truth(value: bool) -> str:
    return "true" if value else "false"


def _reaches(asked: Sequence[str]) -> str:
    found = {reaches_for(question) for question in asked}
    return next((name for name in _ORDER if name in found), "none")
