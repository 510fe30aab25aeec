"""Mind tracking: does it know where the patient is, does it know how well it knows, and does it hear what words leave
open?

Sources: all-forms consistency after FANToM (Kim et al. 2023); overconfidence after Wang, Wang and Nakov (2024);
readings after AmbiEnt (Liu et al. 2023). What differs is said in docs/gap/mind_tracking.md.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from random import Random
from typing import Final

from maieutic.gap.family import Observation, Packaged, Profile, Quote, Reference, SamplePlan, Unit, Value
from maieutic.gap.figures import SIGNED, Data, Figure, data_of, first_reason, lost_of, of_kind, rows_of
from maieutic.gap.items import shared_sessions
from maieutic.gap.mind_tracking.pragmatics import FAMILY_ID, pragmatic_units
from maieutic.gap.mind_tracking.slots import CHANCE, TURNS, all_forms, asked, moment_of
from maieutic.gap.recording_client import RecordingClient, SessionSpec

MIN_STATED: Final = 3
"""Answers with a confidence below which nothing is said about confidence."""
LIMIT: Final = 0.20
"""Mean confidence beyond accuracy from which a therapist is over-confident: what it calls 80 % sure is right less than
60 % of the time. The source gives a direction and no figure, so this is by design; set before any run."""
NO_BETTER: Final = 0.10
"""Skill (0 a guess, 1 always right) that even the upper end of the interval must reach, else it does not track at
all."""
SLOTS: Final = ("thought", "belief", "emotion", "conviction")
BINS: Final = 10
UNASKED: Final = "nothing was asked"
_HUMAN = Reference(
    0.875, "Kim et al. 2023 (FANToM), people", "six forms about who knows what in a chat; here a feeling"
)
_GPT4 = Reference(
    0.002, "Kim et al. 2023 (FANToM), GPT-4-1106", "six forms about who knows what in a chat; here a feeling"
)
_READERS = (
    Reference(
        0.90,
        "Liu et al. 2023 (AmbiEnt), the data's own readings",
        "readings written out and judged by people; here accepted",
    ),
    Reference(0.32, "Liu et al. 2023 (AmbiEnt), GPT-4", "readings written out and judged by people; here accepted"),
)
UNTESTED: Final = (
    "reading a face, a voice or a silence: the patient is words only",
    "minds unlike the simulator's: belief and feeling are the case's own labels",
    "certainty that is shown in talk and not stated when asked",
)


def units(extent: SamplePlan) -> Sequence[Unit]:
    """A moment of a shared session each, at a fixed turn (two in full) taken in rotation, then the items on what words
    leave open: 294 calls in the standard extent."""
    turns = [turn for turn in TURNS if turn <= extent.turns]
    steps = (0, 2) if extent.name == "full" else (0,)
    found: list[Unit] = []
    for place, spec in enumerate(shared_sessions(extent)):
        for turn in dict.fromkeys(turns[(place + step) % len(turns)] for step in steps if turns):
            found += [
                Unit(f"mind:{slot}:{spec.case}:{turn}", 1, partial(_moment, spec, turn, slot, extent.split), (spec,))
                for slot in SLOTS
            ]
            found.append(Unit(f"forms:{spec.case}:{turn}", 3, partial(_forms, spec, turn), (spec,)))
    return [*found, *pragmatic_units(extent)]


def profile(seen: Sequence[Observation], extent: SamplePlan) -> Profile:
    """Overconfidence first; flagged too where the tracking is no better than a guess."""
    answers = of_kind(seen, "mind")
    sure, rows = _sure(answers), data_of(answers)
    by_slot = [(slot, [o for o in answers if f":{slot}:" in o.key]) for slot in SLOTS]
    worse = partial(Figure, worse="high")
    gap = worse("overconfidence", "Mean confidence beyond accuracy", span=SIGNED, limit=LIMIT)
    better = Figure("skill", "Skill beyond guessing, mean of the four slots", span=(-0.35, 1.0), limit=NO_BETTER)
    values = [
        _statistic(gap, sure, overconfidence),
        _statistic(Figure("accuracy", "Right about the patient's mind"), answers, accuracy),
        _statistic(better, answers, skill),
        _statistic(worse("brier", "Brier score of the stated confidence"), sure, brier),
        _statistic(worse("ece", "Expected calibration error, ten bins of equal width"), sure, ece),
        *(_statistic(Figure(f"accuracy_{slot}", f"Right about the {slot}"), mine, accuracy) for slot, mine in by_slot),
        *_consistency(seen),
        *_pragmatics(seen),
    ]
    table = ("By slot", ("slot", "answers", "right", "confidence", "a guess"), tuple(_line(rows, s) for s in SLOTS))
    deciding = ("overconfidence", "skill")
    return Profile(FAMILY_ID, tuple(values), _worst(seen), _sentence(values, sure), UNTESTED, deciding, (table,))


async def _moment(spec: SessionSpec, turn: int, slot: str, split: str, client: RecordingClient) -> Data:
    session, truth = moment_of(await client.play(spec), turn)
    found = await asked(client, slot, session, truth, turn=turn, split=split)
    return {**found, "slot": slot, "turn": turn, "cluster": spec.case, "before": session.turns[-1].text}


async def _forms(spec: SessionSpec, turn: int, client: RecordingClient) -> Data:
    """The feeling in three more forms; the choice is the slot's own unit, so that it is asked once."""
    session, truth = moment_of(await client.play(spec), turn)
    found = await all_forms(client, session, truth, turn)
    return {**found, "moment": f"{spec.case}:{turn}", "cluster": spec.case}


Rows = Sequence[Data]


def accuracy(rows: Rows) -> float | None:
    """Share of answers that are right, 0–1."""
    return sum(bool(r["right"]) for r in rows) / len(rows) if rows else None


def overconfidence(rows: Rows) -> float | None:
    """Mean stated confidence less accuracy, −1 to 1 (Wang et al. 2024)."""
    return sum(r["confidence"] - r["right"] for r in rows) / len(rows) if rows else None


def brier(rows: Rows) -> float | None:
    """Mean (confidence − right)², 0–1 (Brier 1950), of the one answer given."""
    return sum((r["confidence"] - r["right"]) ** 2 for r in rows) / len(rows) if rows else None


def ece(rows: Rows) -> float | None:
    """Σ share of the bin · |accuracy − mean confidence| over ten bins of equal width, 0–1 (Naeini et al. 2015)."""
    bins: dict[int, list[float]] = {}
    for r in rows:
        bins.setdefault(min(BINS - 1, int(r["confidence"] * BINS)), []).append(r["right"] - r["confidence"])
    return sum(abs(sum(gaps)) for gaps in bins.values()) / len(rows) if rows else None


def skill(rows: Rows) -> float | None:
    """Mean over the slots of (accuracy − chance) / (1 − chance): 0 for guesses, 1 for always right."""
    found = []
    for slot, chance in CHANCE.items():
        share = accuracy([r for r in rows if r["slot"] == slot])
        if share is not None:
            found.append((share - chance) / (1.0 - chance))
    return sum(found) / len(found) if found else None


def _sure(answers: Sequence[Observation]) -> list[Observation]:
    """The answers as they count where a confidence is needed: missing without one, and all of them where too few state
    one."""
    stated = [o for o in answers if o.data and o.data["confidence"] is not None]
    few = f"{len(stated)} answers state a confidence; {MIN_STATED} are needed" if len(stated) < MIN_STATED else None
    return [
        replace(o, data=None, missing=few or str(o.data["unsure"]))
        if o.data and (few or o.data["confidence"] is None)
        else o
        for o in answers
    ]


def _statistic(figure: Figure, units: Sequence[Observation], statistic: Callable[[Rows], float | None]) -> Value:
    rows, lost = data_of(units), lost_of(units)
    return figure.statistic(rows, statistic, lambda r: r["cluster"], Random(7), lost, first_reason(units, UNASKED))


def _mean(figure: Figure, units: Sequence[Observation], read: Callable[[Data], float]) -> Value:
    rows, lost = rows_of(units, read, "cluster"), lost_of(units)
    return figure.mean(rows, Random(7), lost, first_reason(units, UNASKED))


def _consistency(seen: Sequence[Observation]) -> list[Value]:
    chosen = {
        o.key.removeprefix("mind:emotion:"): o.data["right"]
        for o in seen
        if o.key.startswith("mind:emotion:") and o.data
    }
    # A moment whose choice could not be read has no verdict in every form either.
    units = [replace(o, data=None) if o.data and o.data["moment"] not in chosen else o for o in of_kind(seen, "forms")]
    title = "Strongest feeling right in every form (choice, free words, yes and no)"
    every = Figure("all_forms", title, references=(_HUMAN, _GPT4))

    def forms(d: Data) -> tuple[bool, bool, bool]:
        return chosen[d["moment"]], d["text"], d["yes"] and d["no"]

    return [
        _mean(every, units, lambda d: all(forms(d))),
        _mean(Figure("single_forms", "The same, mean of the single forms"), units, lambda d: sum(forms(d)) / 3.0),
    ]


def _pragmatics(seen: Sequence[Observation]) -> list[Value]:
    accepts = "Intended readings of ambiguous words that it accepts"
    both = Figure("readings_all", "Both readings accepted and the impossible one refused", references=_READERS)
    infers = "Infers more where the weak word is the answer than where it is not"
    names = "Names or asks for what joins 'A so B'"
    goes_on = Figure("picks", "Goes on from one reading without asking", worse="high")
    table: tuple[tuple[Figure, str, Callable[[Data], float]], ...] = (
        (Figure("readings", accepts), "readings", lambda d: d["seen"] / 2.0),
        (both, "readings", lambda d: d["seen"] == 2 and not d["foil"]),
        (Figure("asks_which", "Asks which reading is meant"), "ambiguity", lambda d: d["met"] == "asks"),
        (goes_on, "ambiguity", lambda d: d["met"] == "picks"),
        (Figure("implicature", infers, span=SIGNED), "implicature", lambda d: d["high"] - d["low"]),
        (Figure("warrants", names), "warrant", lambda d: d["elicited"]),
    )
    return [_mean(figure, of_kind(seen, kind), read) for figure, kind, read in table]


def _line(rows: Rows, slot: str) -> tuple[str, ...]:
    own = [r for r in rows if r["slot"] == slot]
    if not own:
        return slot, "0", "–", "–", f"{CHANCE[slot]:.2f}"
    stated = [r["confidence"] for r in own if r["confidence"] is not None]
    sure = f"{sum(stated) / len(stated):.2f}" if stated else "–"
    return slot, str(len(own)), f"{accuracy(own) or 0.0:.2f}", sure, f"{CHANCE[slot]:.2f}"


def _worst(seen: Sequence[Observation]) -> tuple[Quote, ...]:
    wrong = [d for d in data_of(of_kind(seen, "mind")) if not d["right"]]
    wrong.sort(key=lambda d: -(0.5 if d["confidence"] is None else d["confidence"]))
    found = [
        Quote(d["before"], f"{d['slot']}: {d['said']}", f"{_how_sure(d['confidence'])}; it is {d['true']}")
        for d in wrong[:3]
        if d["confidence"] is None or d["confidence"] >= 0.5
    ]
    picked = [d for d in data_of(of_kind(seen, "ambiguity")) if d["met"] == "picks"]
    found += [Quote(d["before"], d["said"], "goes on from one of two readings without asking") for d in picked]
    return tuple(found[:3])


def _how_sure(confidence: float | None) -> str:
    return "does not say how sure" if confidence is None else f"{confidence:.0%} sure"


def _sentence(values: Sequence[Value], sure: Sequence[Observation]) -> str:
    right, counted = values[1].value, data_of(sure)
    if right is None:
        return ""
    if not counted:
        return f"tracks {right:.2f}, without saying how sure: mind-reading"
    mean = sum(d["confidence"] for d in counted) / len(counted)
    known = sum(bool(d["right"]) for d in counted) / len(counted)
    return f"tracks {known:.2f} at a stated confidence of {mean:.2f}: mind-reading"


FAMILY = Packaged(
    FAMILY_ID, "Mind tracking", "Does it know where the patient is, and how well it knows?", units, profile
)
