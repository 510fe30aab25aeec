"""The words of the protocol: fixed, with nothing of the agent's in them but what the patient said, quoted."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from random import Random
from string import Formatter
from typing import Final

from maieutic.domain.episode import Turn
from maieutic.language.sentences import sentences, unsaid, words
from maieutic.reading.yaml_text import packaged_yaml
from maieutic.safety.handover import HANDOVER, HANDOVERS, holds_handover
from maieutic.safety.kinds import Kind
from maieutic.therapists.risk.grades import ASSESSING, OPENING, Ask, Facet, RiskState

_LED: Final = ASSESSING[1:]
"""Questions that an acknowledgement leads in."""
_BY_KIND: Final = (Ask.SAFETY, Ask.HELP)
SPOKE_OF: Final = "You spoke of "
"""How the question about somebody begins, in all its wordings."""
_ASK_WHOM: Final = frozenset({"stay_step_person", "stay_step_sooner", "risk_more_step_person"})
"""The lines that begin so."""
SHORTEST_QUOTE: Final = 3
"""Words of a quotation at least."""


@dataclass(frozen=True, slots=True)
class Line:
    """Which line of the protocol a turn says: its key in `words.yaml`, and whom it asks about ("Eli", "your sister").

    A turn's trace notes it, so that where a talk stands hangs on no wording of it.
    """

    key: str
    whom: str = ""

    def noted(self) -> dict[str, str]:
        """As the trace has it."""
        return {"line": self.key, "whom": self.whom}


@lru_cache(maxsize=1)
def lines() -> Mapping[str, tuple[str, ...]]:
    """The wordings by key."""
    return {str(key): tuple(forms) for key, forms in packaged_yaml("therapists", "risk", "words.yaml").items()}


def worded(
    ask: Ask,
    state: RiskState,
    quote: str,
    said: Sequence[str],
    rng: Random,
    kind: Kind | None = None,
    *,
    besides: bool = False,
) -> str:
    """A turn of the protocol.

    Args:
        quote: The patient's latest words that the turn takes up, or ''.
        said: The therapist's turns so far; nothing is put in the same words twice while there are others.
        kind: The kind of danger told of, for the turns that differ by it.
        besides: What was said to a question about safety was a no to suicide, and nothing of the danger.
    """
    if ask is Ask.HAND_OVER:
        return HANDOVER if kind is None else HANDOVERS[kind]
    if ask is Ask.HELP and state.told and state.yes & {Facet.PLAN, Facet.MEANS}:
        return picked("risk_resources_means", said, rng)
    if ask in _BY_KIND and f"{ask.value}_{kind}" in lines():
        return picked(f"{ask.value}_{kind}", said, rng)
    if ask is Ask.HELP and state.pending is Ask.KNOWN and Facet.KNOWN in state.no:
        return picked("risk_resources_first", said, rng)
    if ask is Ask.RETURN and state.last is Ask.CHANGED:
        return picked("risk_return_again", said, rng)
    if ask is Ask.HELP and state.pending is Ask.CHANGED and not state.answered:
        return picked("risk_resources_unsure", said, rng)
    if ask is Ask.HELP and state.times(Ask.CHANGED):
        return taken_up("risk_resources_again", quote, said, rng)
    if ask is Ask.SAFETY and state.denied and state.pending in OPENING:
        return picked("risk_safety_after", said, rng)
    if ask is Ask.SAFETY and state.last is Ask.SAFETY and besides:
        return picked("risk_safety_besides", said, rng)
    if ask is Ask.SAFETY and state.denied and not state.times(Ask.SAFETY):
        return picked("risk_safety_told", said, rng)
    if ask is Ask.THANKS and state.last is Ask.SAFETY:
        return picked("risk_thanks_safe", said, rng)
    if ask is Ask.SAFETY and state.times(Ask.SAFETY):
        return picked("risk_safety_again", said, rng)
    if ask is Ask.REPEAT:
        assert state.pending is not None
        if state.pending is Ask.CHANGED:
            return picked("risk_repeat_changed", said, rng)
        lead = "risk_repeat_told" if state.refers else ask.value
        return f"{picked(lead, said, rng)} {_last(picked(state.pending.value, said, rng))}"
    usable = quote if len(words(quote)) >= SHORTEST_QUOTE else ""
    if ask in _LED:
        lead = picked("met_as_told", said, rng) if state.refers else _quoting("risk_lead", usable, said, rng)
        return f"{lead} {picked(ask.value, said, rng)}"
    return _quoting(ask.value, usable, said, rng)


def taken_up(key: str, quote: str, said: Sequence[str], rng: Random) -> str:
    """A wording that takes up what was done with the stop or with the question whom to turn to (`after_stop`)."""
    return _quoting(key, quote if len(words(quote)) >= SHORTEST_QUOTE else "", said, rng)


def asked_about(said: Sequence[str]) -> Kind | None:
    """The kind of danger that the latest question about safety in words of its own was about."""
    # What leads up to the question may have been worded anew.
    named = {_last(form): kind for kind in Kind for form in lines().get(f"{Ask.SAFETY.value}_{kind}", ())}
    return next((kind for text in reversed(said) for form, kind in named.items() if form in text), None)


def given(said: Sequence[str]) -> Kind | None:
    """The kind of the hand-over that was given; None for the general one."""
    return next((kind for kind, text in HANDOVERS.items() if any(text in one for one in said)), None)


def _quoting(key: str, quote: str, said: Sequence[str], rng: Random) -> str:
    """A wording with the quotation where there is one that was not given back before."""
    if quote and f"{key}_quoted" in lines() and not any(_open(quote) in turn for turn in said):
        return picked(f"{key}_quoted", said, rng).format(quote=_open(quote))
    return picked(key, said, rng)


def filled(key: str, said: Sequence[str], rng: Random, **slots: str) -> str:
    """A wording that was not said before, or any, with its slots filled."""
    forms = lines()[key]
    fresh = [form for form in forms if not any(holds_form(form, turn) for turn in said)]
    slots = {name: _open(text) if name == "quote" else text for name, text in slots.items()}
    return rng.choice(fresh or [_longest_ago(forms, said)]).format(**slots)


def _longest_ago(forms: Sequence[str], said: Sequence[str]) -> str:
    """The wording that was said the longest ago."""
    return min(forms, key=lambda form: max((n for n, turn in enumerate(said) if holds_form(form, turn)), default=-1))


def holds_form(form: str, text: str) -> bool:
    """All the fixed parts of a wording stand in a text."""
    return all(part.strip() in text for part, *_ in Formatter().parse(form) if len(words(part)) > 1)


def line_of(turn: Turn, keys: Collection[str]) -> str:
    """Which of several lines a therapist turn says, or '': as its trace notes, or by its words where there is none."""
    if (noted := _noted(turn)) is not None:
        return noted.key if noted.key in keys else ""
    return next((key for key in keys if any(holds_form(form, turn.text) for form in lines()[key])), "")


def asked_whom(turn: Turn) -> str:
    """Whom a therapist turn asks about as somebody to turn to, or ''."""
    if (noted := _noted(turn)) is not None:
        return noted.whom if noted.key in _ASK_WHOM else ""
    spoken = (part for part in sentences(turn.text) if part.startswith(SPOKE_OF))
    return next((part.removeprefix(SPOKE_OF).rstrip(".") for part in spoken), "")


def _noted(turn: Turn) -> Line | None:
    key = turn.trace.get("line") if turn.trace else None
    return None if not key else Line(str(key), str((turn.trace or {}).get("whom", "")))


def _open(quote: str) -> str:
    """A quotation without marks of its own at its ends."""
    return quote.strip(' "“”.')


def picked(key: str, said: Sequence[str], rng: Random) -> str:
    """A wording of which no fixed part was said, or any."""
    forms = lines()[key]
    fresh = [form for form in forms if not any(_last(form) in turn for turn in said)]
    return rng.choice(unsaid(fresh or forms, said) or list(forms))


def _last(form: str) -> str:
    """The sentence of a wording that asks, or its last."""
    parts = sentences(form)
    return next((part for part in reversed(parts) if part.endswith("?")), parts[-1])


@lru_cache(maxsize=1)
def _known() -> Mapping[str, tuple[Ask, ...]]:
    """Sentences without a quotation in them → the turns of the protocol that say them; not the questions that lead back
    to the talk, which anybody asks."""
    found: dict[str, tuple[Ask, ...]] = {}
    for key, forms in lines().items():
        ask = next((one for one in Ask if key.startswith(one.value)), None)
        for part in (part for form in forms for part in sentences(form) if "{" not in part and len(words(part)) > 4):
            if ask is not None and ask not in found.get(part, ()) and not (ask is Ask.THANKS and part.endswith("?")):
                found[part] = (*found.get(part, ()), ask)
    return found


def ask_of(turn: Turn) -> Ask | None:
    """Which turn of the protocol a therapist turn is: as its trace notes, or by its words where there is none.

    A sentence that several say names none of them beside one that a single turn says.
    """
    noted = turn.trace.get("step") if turn.trace else None
    if noted is not None:
        return Ask(noted) if noted in Ask._value2member_map_ else None
    if holds_handover(turn.text):
        return Ask.HAND_OVER
    known = [_known()[part] for part in sentences(turn.text) if part in _known()]
    found = [asks[0] for asks in known if len(asks) == 1] or [asks[0] for asks in known]
    return Ask.REPEAT if Ask.REPEAT in found else found[-1] if found else None
