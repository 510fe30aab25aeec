"""Which kind of danger a turn of the protocol speaks of."""

from __future__ import annotations

from collections.abc import Sequence

from maieutic.language.sentences import words
from maieutic.safety.kinds import FINER, Kind, another_kind, kind_of, likeliest
from maieutic.therapists.risk.graders import Graders, own_death
from maieutic.therapists.risk.grades import ABOUT, Ask, RiskState
from maieutic.therapists.risk.other_danger import told as told_of
from maieutic.therapists.risk.signs import Signs, violent
from maieutic.therapists.risk.wording import asked_about

UNLIKE_VIOLENCE = frozenset({Kind.MANIA, Kind.PSYCHOSIS, Kind.OTHERS})
"""Kinds that, told last, take the place of violence told before: the general words are said then."""
RECENT = 3
"""Patient turns that the kind of danger is looked for in, where the latest leaves it open."""


NAMEABLE = frozenset({Kind.PSYCHOSIS, Kind.MANIA, Kind.CHILD, Kind.OTHERS})
"""Kinds whose own words do no harm where another danger is meant."""
NAMED_AT = 0.6
"""P(kind) by both heads from which one of these is spoken of by its name. *Assumption.*"""


def plain_kind(text: str) -> Kind | None:
    """The kind of another danger that both heads name in a turn, where its words can be said; else None."""
    (kind, chance), (other, likely) = told_of(text), likeliest(text)
    return kind if kind is other and kind in NAMEABLE and min(chance, likely) >= NAMED_AT else None


def _tells_death(state: RiskState, signs: Signs, answer: str) -> bool:
    """An answer tells of suicide by itself; what only points back to what was told tells of nothing."""
    return not state.refers and own_death(signs, answer)


def _plainly(told: Sequence[str]) -> Kind | None:
    """The kind that was told most lately and plainly enough to be named."""
    return next((kind for text in reversed(told) if (kind := plain_kind(text)) is not None), None)


def kind_said(
    ask: Ask, state: RiskState, signs: Signs, told: Sequence[str], said: Sequence[str], by: Graders
) -> Kind | None:
    """The kind of danger whose words are said, by what was told and said so far; the general ones, which name both,
    stand in for those on violence where that is not told plainly, or something else is since, and for those on danger
    to others where it is oneself who is spoken of as well."""
    found = _likely(ask, state, signs, told, by)
    if found is None and ask is Ask.HAND_OVER and state.last is Ask.SAFETY and not state.told:
        # What was plain enough to be asked about by name was not answered by anything else.
        found = None if _tells_death(state, signs, told[-1]) else asked_about(said) or _plainly(told)
    if found is Kind.VIOLENCE and (not any(map(violent, told)) or kind_of(told[-1]) in UNLIKE_VIOLENCE):
        return None
    return None if found is Kind.OTHERS and "myself" in words(told[-1]) else found


def _likely(ask: Ask, state: RiskState, signs: Signs, told: Sequence[str], by: Graders) -> Kind | None:
    """The kind of danger of the latest turn, else of what was told shortly before."""
    if ask is Ask.HELP:
        return None if state.told else by.heard_kind(told) or by.other(told)
    heard = by.heard_kind(told)
    if ask is Ask.SAFETY:
        if heard is not None:
            return heard
        if signs.child and state.denied:
            return Kind.CHILD
        asked_of_risk = state.pending in ABOUT and signs.surely
        return signs.kind if signs.named or asked_of_risk else by.other(told) or plain_kind(told[-1])
    if state.last is Ask.SAFETY and _tells_death(state, signs, told[-1]):
        # Whatever was asked about, the answer tells which danger it is; where somebody else may be meant to come
        # to harm, the general words name both.
        plain = kind_of(told[-1]) is Kind.SUICIDE and heard is not Kind.OTHERS
        return Kind.SUICIDE if plain else None
    if state.last is Ask.SAFETY and not signs.sure and (heard is not None or not state.told):
        # It was not suicide that was asked about: its text would answer something that nobody said.
        return heard or another_kind(told)
    found = kind_of(told[-1])
    if heard is not None and not state.told and (heard in FINER or found in (None, Kind.MEDICAL)):
        return heard
    if state.told and found in (None, Kind.SELF_HARM):
        return Kind.SUICIDE
    return (
        found
        or (signs.kind if signs.named else None)
        or by.other(told)
        or (kind_of(*told[-RECENT:]) if ask is Ask.HAND_OVER else None)
    )
