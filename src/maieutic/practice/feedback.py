"""Feedback on the turns of a practice session and on the whole of it, from the measures and codes that evaluation
uses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from maieutic.domain.appraisal import Appraisal
from maieutic.domain.case import Case
from maieutic.domain.episode import Episode
from maieutic.evaluation.plan import played
from maieutic.measures.definition import Exchange, exchanges
from maieutic.practice.advice import alternative, well
from maieutic.practice.answers import Danger
from maieutic.practice.model import Alternative, Point, TurnFeedback
from maieutic.practice.moves import did, parts_of_turn, was
from maieutic.practice.pressing import FAULTS, surely_pressed
from maieutic.practice.reached import held_back, reached
from maieutic.practice.reader import Reading
from maieutic.practice.several import asks_once
from maieutic.practice.turn import Place


def known(episode: Episode, case: Case) -> Episode:
    """The episode with what measures need to know of the case behind it."""
    situation = episode.states[0].situation if episode.states else case.situations[0].id
    return replace(episode, provenance={**played(case, situation), **episode.provenance})


def turns_told(episode: Episode, case: Case, readings: Mapping[int, Reading] | None = None) -> tuple[TurnFeedback, ...]:
    """Feedback on every therapist turn of a session so far.

    Args:
        episode: The session with the recorded mind, or without one: then only what the turns did is told.
        case: The case that was talked to.
        readings: What a language model read in the turns, by number from 1; the heads read the others.
    """
    found: list[TurnFeedback] = []
    tried: list[Alternative] = []
    danger, pressed = Danger(), False
    opening = next((turn.text for turn in episode.session.turns[:1] if turn.speaker == "patient"), "")
    for exchange in exchanges(episode):
        if not exchange.text:
            continue
        answered = tuple(
            turn.text for turn in episode.session.turns[: exchange.shown_at + 1] if turn.speaker == "patient"
        )
        reading = (readings or {}).get(exchange.number + 1)
        used = reading if reading is not None and reading.unread is None else None
        place = _place(exchange, case, answered, danger, used)
        place = None if place is None else replace(place, opening=opening, pressed_before=pressed)
        pressed = pressed or (
            surely_pressed(exchange.text, exchange.heard) if used is None else not set(FAULTS).isdisjoint(used.does)
        )
        one = _told(exchange, place, tried)
        one = replace(one, unread=reading is not None and used is None)
        danger = place.danger_after if place is not None else danger
        found.append(one)
        if one.alternative is not None:
            tried.append(one.alternative)
    return tuple(found)


def _place(
    exchange: Exchange, case: Case, answered: tuple[str, ...], danger: Danger, reading: Reading | None
) -> Place | None:
    """The exchange with what feedback is made from; None where no mind was recorded."""
    before, after = exchange.before, exchange.after
    if before is None or after is None:
        return None
    taken = exchange.appraisal or Appraisal()
    return Place(case, case.situation(after.situation), exchange, before, after, taken, answered, danger, reading)


def _told(exchange: Exchange, place: Place | None, tried: list[Alternative]) -> TurnFeedback:
    number = exchange.number + 1
    if place is None:
        return TurnFeedback(number, exchange.text, None, did(exchange), _was_alone(exchange), (), (), None)
    before, after, good = place.before, place.after, well(place)
    once = None if place.sees_to_safety and place.asks_once is False else place.asks_once
    found = was(exchange.text, place.parts, once, good or "", place.aim)
    plain = place.plainly if good is None and not found and not place.unsure else None
    return TurnFeedback(
        number,
        exchange.text,
        good,
        did(exchange),
        (*found, *([plain] if plain else []), *place.unsure),
        reached(place),
        held_back(place),
        alternative(place, tried),
        after.held - before.held,
        after.openness - before.openness,
        after.distress - before.distress,
    )


def _was_alone(exchange: Exchange) -> tuple[str, ...]:
    text, heard = exchange.text, exchange.heard
    return was(text, parts_of_turn(text, heard), asks_once(text, heard))


def curve(episode: Episode) -> tuple[Point, ...]:
    """The simulated mind before the first turn and after each that was spoken; empty for a patient without a mind."""
    spoken = sum(1 for turn in episode.therapist_turns if turn.text)
    return tuple(
        Point(turn, state.held, state.openness, state.distress)
        for turn, state in enumerate(episode.states[: spoken + 1])
    )
