"""Guided discovery: Padesky's stages, which of them each therapist turn belongs to and how they follow each other; and
CBT competence by eight items in the manner of the Cognitive Therapy Rating Scale, from countable things alone.

Every item of competence is a proxy: its cut-offs are our own judgement, fitted to nothing, and no human rating of
competence was at hand to hold it against. Each number carries the label 'not human-validated'.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import pairwise
from math import ceil
from typing import Final, Literal, NamedTuple

from maieutic.measures.coded import MIN_CODED, CodedTranscript, CodedTurn, indices
from maieutic.measures.codes import discloses_feeling, is_open
from maieutic.measures.definition import Finding, Measure, measure, missing, share_of
from maieutic.measures.material import Material
from maieutic.measures.order import NEGATIVE_FEELING, REFLECTIONS
from maieutic.reading.moves import does

Stage = Literal["informing", "listening", "summary", "synthesis"]
STAGES: tuple[Stage, ...] = ("informing", "listening", "summary", "synthesis")
NEW_CYCLES = {("summary", "informing"), ("synthesis", "informing")}
MIN_CHANGES = 3
_LONG_REFLECTION = 60  # words; a reflection of this length brings several things together
_PERSPECTIVE = "Questions on Perspectives"
_STAGES = "Stages of guided discovery"


def stage_of(turn: CodedTurn) -> Stage | None:
    """The stage of a therapist turn, or None when it belongs to none (advice, small talk, no code).

    A reflection is a summary when a sentence of it draws together (a head reads it) or it is 60 words or longer,
    otherwise listening. A question is a synthesising one when a sentence of it asks to weigh, to bring together, or to
    look from elsewhere (a head reads it), or when BOLT's coder calls it a question on perspectives; otherwise it asks
    for information.
    """
    if turn.label == "reflection":
        return "summary" if does(turn.text, "summary") or turn.words >= _LONG_REFLECTION else "listening"
    if turn.label == "question":
        if does(turn.text, "synthesis") or _PERSPECTIVE in turn.codes.get("bolt", ()):
            return "synthesis"
        return "informing"
    return None


def staged_turns(coded: CodedTranscript) -> tuple[tuple[Stage, CodedTurn], ...]:
    """The therapist turns that have a stage, with it."""
    found = [(stage_of(turn), turn) for turn in coded.by("therapist")]
    return tuple((stage, turn) for stage, turn in found if stage is not None)


@measure(_STAGES, "share of changes", title="Stages in order")
def stage_order(given: Material) -> Finding:
    """Of the changes of stage, the share that go on to a later stage or open a new cycle.

    0.67 when stages follow each other by chance and are equally frequent. Evidence: the turns reached in order. Source:
    Padesky (1993, 2020), four stages: questions for information, empathic listening, summary, analytical or
    synthesising question. Departures: stages from predicted codes and what a head reads in the sentences; from a
    summary or a synthesising question back to information opens a new cycle and is in order.
    Blind to: what the stages are about; in talk that only asks and reflects it is near one half by construction.
    Validity: stages are found by rules of our own.
    """
    changes = [(one, other, turn) for (one, _), (other, turn) in pairwise(staged_turns(given.coded)) if one != other]
    if len(changes) < MIN_CHANGES:
        return missing(f"{len(changes)} changes of stage; at least {MIN_CHANGES} are needed")
    good = [
        turn for one, other, turn in changes if STAGES.index(other) > STAGES.index(one) or (one, other) in NEW_CYCLES
    ]
    return Finding(len(good) / len(changes), indices(good))


@measure(_STAGES, "share of staged turns", title="Longest climb of stages")
def longest_stage_climb(given: Material) -> Finding:
    """Longest run of stages that never goes back, by number of staged turns.

    Length of the longest run of stages that never goes back (turns may be left out), by number of staged turns.
    Evidence: none.
    Source: longest ordered subsequence of Padesky's stages (this project's notes on the method). Departures: staying in
    a stage counts as order, else long sessions would go to 0. No cycles are allowed here: see `stage_order`. Blind to:
    as `stage_order`; falls with length when stages come in cycles, as they should.
    """
    stages = [STAGES.index(stage) for stage, _ in staged_turns(given.coded)]
    if len(stages) < MIN_CODED:
        return missing(f"{len(stages)} turns with a stage; at least {MIN_CODED} are needed")
    return Finding(longest_climb(stages) / len(stages))


@measure(_STAGES, "share of four stages", title="Stages that occur", span=(0.25, 1.0))
def stages_covered(given: Material) -> Finding:
    """Share of Padesky's four stages that occur at all; grows with length.

    How many of the four stages occur at all.
    Evidence: the first turn of each stage.
    Source: Padesky's stages. Departures: predicted. Blind to: how often and how well; grows with length.
    """
    staged = staged_turns(given.coded)
    if not staged:
        return missing("no turn with a stage")
    if len(staged) < MIN_CODED:
        return missing(f"too few turns with a stage ({len(staged)}); at least {MIN_CODED} are needed")
    first: dict[Stage, CodedTurn] = {}
    for stage, turn in staged:
        first.setdefault(stage, turn)
    return Finding(len(first) / 4, indices(list(first.values())))


@measure(_STAGES, "share of question turns", title="Synthesising questions")
def synthesis_question_share(given: Material) -> Finding:
    """Share of question turns that ask to analyse or bring together.

    Evidence: those turns.
    Source: Padesky's fourth stage. Departures: by a head on sentences, or BOLT's question on perspectives. Not human-
    validated.
    Blind to: questions that bring together by what was said before alone.
    """
    asked = [(stage, turn) for stage, turn in staged_turns(given.coded) if stage in ("informing", "synthesis")]
    hits = [turn for stage, turn in asked if stage == "synthesis"]
    return share_of(hits, [turn for _, turn in asked], "no question turns")


def longest_climb(values: Sequence[int]) -> int:
    """Length of the longest subsequence that never falls."""
    ends: list[int] = []
    for value in values:
        at = bisect_right(ends, value)
        ends[at : at + 1] = [value]
    return len(ends)


_COMPETENCE, _RATING = "Competence, by proxy", "0 to 6"
TOP = 6.0
STEP: Final = 2.0
"""Points that one turn more or less may move an item; a session so short that it would move it further has no value."""
MIN_ITEMS: Final = 10
"""Turns below which `guided_discovery` and `understanding` move further than that, and below which there is no mean."""
NOTHING_TOLD = "no question, reflection, advice or information"


def _short(count: int, fewest: int, what: str = "coded therapist turns") -> str:
    return f"{count} {what}; at least {fewest} are needed: below that one turn more would move it too far"


@measure(_COMPETENCE, _RATING, title="Competence items, mean", span=(0.0, TOP))
def competence_mean(given: Material) -> Finding:
    """Mean of eight items in the manner of the CTRS, counted and not judged.

    Mean of the eight competence items, from ten coded therapist turns on.
    Evidence: none, see the items. Source: the CTRS total, as a mean. Departures: proxies; not human-validated; it
    counts items that are too unsteady to stand alone in so short a session. Blind to: as the items.
    Validity: counted proxies with cut-offs of our own.
    """
    coded = given.coded
    turns = coded.coded("therapist")
    if len(turns) < MIN_ITEMS:
        return missing(_short(len(turns), MIN_ITEMS))
    guided, _ = _guided(turns)
    if guided is None:
        return missing(NOTHING_TOLD)
    values = (guided, _understood(coded), *(_share(name, turns)[0] for name in _COUNTED))
    return Finding(sum(values) / len(values))


@measure(_COMPETENCE, _RATING, title="Guided discovery", span=(0.0, TOP))
def guided_discovery(given: Material) -> Finding:
    """Does the therapist ask so that the client finds the answer, or tell and persuade?

    CTRS-style guided discovery, 0 (debate, persuasion) to 6 (the client draws the conclusion): embedded proxy. 6 times
    discovery / (discovery + telling), where discovery counts open questions, synthesising questions and reflections,
    telling counts turns of advice and information double. Evidence: the discovering turns.
    Source: guided discovery of the CTRS (Young and Beck 1980), own wording and own rule. Departures: counts, no
    judgement; not human-validated; missing below ten turns that count, where one turn would move it by more than two
    points. Blind to: whether anything was discovered, and by whom.
    """
    turns = given.coded.coded("therapist")
    value, hits = _guided(turns)
    if value is None:
        return missing(NOTHING_TOLD)
    counted = len(hits) + _are("therapist_input", turns)
    if counted < MIN_ITEMS:
        return missing(_short(counted, MIN_ITEMS, "discovering or telling therapist turns"))
    return Finding(value, indices(hits))


def _guided(turns: Sequence[CodedTurn]) -> tuple[float | None, list[CodedTurn]]:
    hits = [turn for turn in turns if _discovers(turn)]
    telling = 2 * _are("therapist_input", turns)
    return (TOP * len(hits) / (len(hits) + telling) if hits or telling else None), hits


@measure(_COMPETENCE, _RATING, title="Understanding", span=(0.0, TOP), detail=True)
def understanding(given: Material) -> Finding:
    """Does the therapist show that what was said, and what was meant, has arrived?

    Understanding, 0 to 6: reflections among the replies to a feeling or to what was told, as a proxy. 6 times the share
    of reflections, doubled, at most 6, averaged with that share after a disclosed feeling where there is one. Evidence:
    the reflections. Source: CTRS's understanding, own rule; not human-validated; missing below ten turns.
    Blind to: whether the reflection is true to what was said.
    """
    coded = given.coded
    turns = coded.coded("therapist")
    if len(turns) < MIN_ITEMS:
        return missing(_short(len(turns), MIN_ITEMS))
    return Finding(_understood(coded), indices([turn for turn in turns if turn.label == "reflection"]))


def _understood(coded: CodedTranscript) -> float:
    turns = coded.coded("therapist")
    replies = [(said, reply) for said, reply in coded.pairs("client", "therapist") if reply.label is not None]
    after = [reply for said, reply in replies if _feels(said)]
    parts = [min(1.0, 2 * _are("reflection", turns) / len(turns))]
    if after:
        parts.append(_are("reflection", after) / len(after))
    return TOP * sum(parts) / len(parts)


def _discovers(turn: CodedTurn) -> bool:
    if turn.label == "question":
        return is_open(turn) or stage_of(turn) == "synthesis"
    return turn.label == "reflection"


def _are(label: str, turns: Iterable[CodedTurn]) -> int:
    return sum(turn.label == label for turn in turns)


def _feels(turn: CodedTurn) -> bool:
    return NEGATIVE_FEELING in turn.codes.get("bolt", ()) or discloses_feeling(turn.text)


def _key_thought(turn: CodedTurn) -> bool:
    return turn.label in ("question", "reflection") and does(turn.text, "key_thought")


def _strategy(turn: CodedTurn) -> bool:
    return stage_of(turn) == "synthesis" or bool(set(turn.codes.get("bolt", ())) & {"Planning", REFLECTIONS[3]})


def _homework(turn: CodedTurn) -> bool:
    planned = "Planning" in turn.codes.get("bolt", ())
    return turn.label == "question" and (planned or does(turn.text, "next_step"))


class Counted(NamedTuple):
    """An item that counts turns with its mark: name for readers, what a rater asks of the session in own words, whether
    a turn has the mark, and the share of turns that would be plenty, by our own judgement."""

    title: str
    asks: str
    shows: Callable[[CodedTurn], bool]
    plenty: float


_COUNTED: Mapping[str, Counted] = {
    "collaboration": Counted(
        "Collaboration",
        "Do the two decide together what to talk about and what to try?",
        lambda turn: does(turn.text, "leave"),
        0.15,
    ),
    "key_thoughts": Counted(
        "Focus on key thoughts",
        "Does the talk come to the thoughts, rules and pictures behind the trouble?",
        _key_thought,
        0.30,
    ),
    "strategy_for_change": Counted(
        "Strategy for change",
        "Is a thought or habit put to the test, by evidence, other views, or an experiment?",
        _strategy,
        0.30,
    ),
    "feedback": Counted(
        "Feedback",
        "Does the therapist find out how the talk and the ideas land?",
        lambda turn: does(turn.text, "feedback"),
        0.10,
    ),
    "agenda_and_pace": Counted(
        "Agenda and pace",
        "Is there a thread that both know, and time for each thing?",
        lambda turn: does(turn.text, "agenda"),
        0.10,
    ),
    "homework": Counted("Next steps", "Does something agreed on follow from the talk?", _homework, 0.10),
}


def counted_item(given: Material, name: str) -> Finding:
    """A competence item as 6 times the share of therapist turns with its mark, over what would be plenty.

    Full at 15 % of turns for collaboration, 30 % for key thoughts and strategy, 10 % for feedback, agenda and next
    steps. Evidence: the turns with the mark. Source: items of the CTRS (Young and Beck 1980) in own wording; marks are
    read by a head on sentences, or codes. Departures: no judgement of skill; not human-validated; missing where one
    turn would move it by more than two points, which is below 20 coded turns for collaboration, 10 for key thoughts and
    strategy, 30 for the others.
    Blind to: how well it was done.
    """
    turns = given.coded.coded("therapist")
    if len(turns) < fewest_turns(name):
        return missing(_short(len(turns), fewest_turns(name)))
    value, hits = _share(name, turns)
    return Finding(value, indices(hits))


def fewest_turns(name: str) -> int:
    """Coded therapist turns from which on one turn moves a counted item by at most `STEP`."""
    return ceil(TOP / STEP / _COUNTED[name].plenty - 1e-9)


def _share(name: str, turns: Sequence[CodedTurn]) -> tuple[float, list[CodedTurn]]:
    hits = [turn for turn in turns if _COUNTED[name].shows(turn)]
    return TOP * min(1.0, len(hits) / len(turns) / _COUNTED[name].plenty), hits


PROXIES: Mapping[str, Measure] = {
    "guided_discovery": guided_discovery,
    "understanding": understanding,
    **{
        name: measure(_COMPETENCE, _RATING, one.asks, title=one.title, span=(0.0, TOP), id=name, detail=True)(
            partial(counted_item, name=name)
        )
        for name, one in _COUNTED.items()
    },
}
