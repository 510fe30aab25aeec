"""CBT competence by eight items in the manner of the Cognitive Therapy Rating Scale, from countable things alone.

Every item is a proxy: its cut-offs are our own judgement, fitted to nothing, and no human rating of competence was at
hand to hold it against. Each number carries the label 'not human-validated'.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Final

from maieutic.domain.episode import Score
from maieutic.reading.moves import does
from maieutic.scoring.coded import CodedTranscript, CodedTurn
from maieutic.scoring.order_measures import NEGATIVE_FEELING, REFLECTIONS
from maieutic.scoring.session_measures import discloses_feeling, is_open
from maieutic.scoring.shares import indices
from maieutic.scoring.stages import stage_of

UNIT = "0 to 6"
TOP = 6.0
STEP: Final = 2.0
"""Points that one turn more or less may move an item; a session so short that it would move it further has no value."""
MIN_ITEMS: Final = 10
"""Turns below which `guided_discovery` and `understanding` move further than that, and below which there is no mean."""


@dataclass(frozen=True, slots=True)
class Item:
    """One item of competence.

    Attributes:
        id: Name in columns.
        title: Name for readers.
        asks: What a rater asks of the session, in own words.
    """

    id: str
    title: str
    asks: str


ITEMS: tuple[Item, ...] = (
    Item(
        "guided_discovery",
        "Guided discovery",
        "Does the therapist ask so that the client finds the answer, or tell and persuade?",
    ),
    Item(
        "understanding", "Understanding", "Does the therapist show that what was said, and what was meant, has arrived?"
    ),
    Item("collaboration", "Collaboration", "Do the two decide together what to talk about and what to try?"),
    Item(
        "key_thoughts",
        "Focus on key thoughts",
        "Does the talk come to the thoughts, rules and pictures behind the trouble?",
    ),
    Item(
        "strategy_for_change",
        "Strategy for change",
        "Is a thought or habit put to the test, by evidence, other views, or an experiment?",
    ),
    Item("feedback", "Feedback", "Does the therapist find out how the talk and the ideas land?"),
    Item("agenda_and_pace", "Agenda and pace", "Is there a thread that both know, and time for each thing?"),
    Item("homework", "Next steps", "Does something agreed on follow from the talk?"),
)


NOTHING_TOLD = "no question, reflection, advice or information"


def _short(count: int, fewest: int, what: str = "coded therapist turns") -> str:
    return f"{count} {what}; at least {fewest} are needed: below that one turn more would move it too far"


def guided_discovery(coded: CodedTranscript) -> Score:
    """CTRS-style guided discovery, 0 (debate, persuasion) to 6 (the client draws the conclusion): embedded proxy.

    6 times discovery / (discovery + telling), where discovery counts open questions, synthesising questions and
    reflections, telling counts turns of advice and information double. Unit: rating. Range: 0 to 6. Evidence: the
    discovering turns.
    Source: guided discovery of the CTRS (Young and Beck 1980), own wording and own rule. Departures: counts, no
    judgement; not human-validated; missing below ten turns that count, where one turn would move it by more than two
    points. Blind to: whether anything was discovered, and by whom.
    """
    turns = coded.coded("therapist")
    value, hits = _guided(turns)
    if value is None:
        return Score("guided_discovery", None, UNIT, NOTHING_TOLD)
    counted = len(hits) + sum(map(_tells, turns))
    if counted < MIN_ITEMS:
        return Score(
            "guided_discovery", None, UNIT, _short(counted, MIN_ITEMS, "discovering or telling therapist turns")
        )
    return Score("guided_discovery", value, UNIT, None, indices(hits))


def _guided(turns: Sequence[CodedTurn]) -> tuple[float | None, list[CodedTurn]]:
    hits = [turn for turn in turns if _discovers(turn)]
    telling = 2 * sum(map(_tells, turns))
    return (TOP * len(hits) / (len(hits) + telling) if hits or telling else None), hits


def understanding(coded: CodedTranscript) -> Score:
    """Understanding, 0 to 6: reflections among the replies to a feeling or to what was told, as a proxy.

    6 times the share of reflections, doubled, at most 6, averaged with that share after a disclosed feeling where there
    is one. Unit: rating. Range: 0 to 6. Evidence: the reflections. Source: CTRS's understanding, own rule; not
    human-validated; missing below ten turns.
    Blind to: whether the reflection is true to what was said.
    """
    turns = coded.coded("therapist")
    if len(turns) < MIN_ITEMS:
        return Score("understanding", None, UNIT, _short(len(turns), MIN_ITEMS))
    return Score("understanding", _understood(coded), UNIT, None, indices([turn for turn in turns if _reflects(turn)]))


def _understood(coded: CodedTranscript) -> float:
    turns = coded.coded("therapist")
    after = [reply for said, reply in _replies(coded) if _feels(said)]
    parts = [min(1.0, 2 * sum(map(_reflects, turns)) / len(turns))]
    if after:
        parts.append(sum(map(_reflects, after)) / len(after))
    return TOP * sum(parts) / len(parts)


def _discovers(turn: CodedTurn) -> bool:
    if turn.label == "question":
        return is_open(turn) or stage_of(turn) == "synthesis"
    return turn.label == "reflection"


def _tells(turn: CodedTurn) -> bool:
    return turn.label == "therapist_input"


def _reflects(turn: CodedTurn) -> bool:
    return turn.label == "reflection"


def _feels(turn: CodedTurn) -> bool:
    return NEGATIVE_FEELING in turn.codes.get("bolt", ()) or discloses_feeling(turn.text)


def _replies(coded: CodedTranscript) -> list[tuple[CodedTurn, CodedTurn]]:
    return [
        (said, reply)
        for said, reply in zip(coded.turns, coded.turns[1:], strict=False)
        if said.speaker == "client" and reply.speaker == "therapist" and reply.label is not None
    ]


def _key_thought(turn: CodedTurn) -> bool:
    return turn.label in ("question", "reflection") and does(turn.text, "key_thought")


def _strategy(turn: CodedTurn) -> bool:
    return stage_of(turn) == "synthesis" or bool(set(turn.codes.get("bolt", ())) & {"Planning", REFLECTIONS[3]})


def _homework(turn: CodedTurn) -> bool:
    planned = "Planning" in turn.codes.get("bolt", ())
    return turn.label == "question" and (planned or does(turn.text, "next_step"))


# Share of therapist turns at which an item is full: what would be plenty in a session, by our own judgement.
_COUNTED: Mapping[str, tuple[Callable[[CodedTurn], bool], float]] = {
    "collaboration": (lambda turn: does(turn.text, "leave"), 0.15),
    "key_thoughts": (_key_thought, 0.30),
    "strategy_for_change": (_strategy, 0.30),
    "feedback": (lambda turn: does(turn.text, "feedback"), 0.10),
    "agenda_and_pace": (lambda turn: does(turn.text, "agenda"), 0.10),
    "homework": (_homework, 0.10),
}


def counted_item(name: str) -> Callable[[CodedTranscript], Score]:
    """A measure: a competence item as 6 times the share of therapist turns with its mark, over what would be plenty.

    Unit: rating. Range: 0 to 6, full at 15 % of turns for collaboration, 30 % for key thoughts and strategy, 10 % for
    feedback, agenda and next steps. Evidence: the turns with the mark. Source: items of the CTRS (Young and Beck 1980)
    in own wording; marks are read by a head on sentences, or codes. Departures: no judgement of skill; not
    human-validated; missing where one turn would move it by more than two points, which is below 20 coded turns for
    collaboration, 10 for key thoughts and strategy, 30 for the others.
    Blind to: how well it was done.
    """

    def measure(coded: CodedTranscript) -> Score:
        turns = coded.coded("therapist")
        if len(turns) < fewest_turns(name):
            return Score(name, None, UNIT, _short(len(turns), fewest_turns(name)))
        value, hits = _share(name, turns)
        return Score(name, value, UNIT, None, indices(hits))

    measure.__name__ = measure.__qualname__ = name
    measure.__doc__ = counted_item.__doc__
    return measure


def fewest_turns(name: str) -> int:
    """Coded therapist turns from which on one turn moves a counted item by at most `STEP`."""
    return ceil(TOP / STEP / _COUNTED[name][1] - 1e-9)


def _share(name: str, turns: Sequence[CodedTurn]) -> tuple[float, list[CodedTurn]]:
    shows, plenty = _COUNTED[name]
    hits = [turn for turn in turns if shows(turn)]
    return TOP * min(1.0, len(hits) / len(turns) / plenty), hits


PROXIES: Mapping[str, Callable[[CodedTranscript], Score]] = {
    "guided_discovery": guided_discovery,
    "understanding": understanding,
    **{name: counted_item(name) for name in _COUNTED},
}


def competence_mean(coded: CodedTranscript) -> Score:
    """Mean of the eight competence items, from ten coded therapist turns on.

    Unit: rating. Range: 0 to 6. Evidence: none, see the items. Source: the CTRS total, as a mean. Departures: proxies;
    not human-validated; it counts items that are too unsteady to stand alone in so short a session. Blind to: as the
    items.
    """
    turns = coded.coded("therapist")
    if len(turns) < MIN_ITEMS:
        return Score("competence_mean", None, UNIT, _short(len(turns), MIN_ITEMS))
    guided, _ = _guided(turns)
    if guided is None:
        return Score("competence_mean", None, UNIT, NOTHING_TOLD)
    values = (guided, _understood(coded), *(_share(name, turns)[0] for name in _COUNTED))
    return Score("competence_mean", sum(values) / len(values), UNIT)


assert set(PROXIES) == {item.id for item in ITEMS}
