"""Mind tracking: does it know where the patient is, does it know how well it knows, and does it hear what words leave
open?

Sources: all-forms consistency after FANToM (Kim et al. 2023); overconfidence after Wang, Wang and Nakov (2024);
readings after AmbiEnt (Liu et al. 2023). What differs is said in docs/gap/mind_tracking.md.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any, Final

from maieutic.gap.family import Observation, Profile, Quote, Reference, SamplePlan, Unit, Value, missing_of
from maieutic.gap.mind_tracking.pragmatics import FAMILY_ID, pragmatic_units
from maieutic.gap.mind_tracking.slots import CHANCE, TURNS, all_forms, asked, moment_of
from maieutic.gap.recording_client import RecordingClient, SessionSpec
from maieutic.gap.session_specs import shared_sessions
from maieutic.stats import Interval, bootstrap_mean, bootstrap_statistic

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


@dataclass(frozen=True)
class MindTracking:
    """The family. Units: a moment of a shared session each; ambiguous words; implicature pairs; arguments."""

    id: str = FAMILY_ID
    title: str = "Mind tracking"
    question: str = "Does it know where the patient is, and how well it knows?"

    def units(self, extent: SamplePlan) -> Sequence[Unit]:
        """A fixed turn a sitting (two in full), taken in rotation, then the items on what words leave open: 294 calls
        in the standard extent."""
        turns = [turn for turn in TURNS if turn <= extent.turns]
        found: list[Unit] = []
        for place, spec in enumerate(shared_sessions(extent)):
            chosen = (
                dict.fromkeys(
                    turns[(place + step) % len(turns)] for step in ((0, 2) if extent.name == "full" else (0,))
                )
                if turns
                else {}
            )
            for turn in chosen:
                found += [_moment(spec, turn, slot, extent.split) for slot in SLOTS]
                found.append(_forms(spec, turn, extent.split))
        return [*found, *pragmatic_units(extent)]

    def profile(self, seen: Sequence[Observation], extent: SamplePlan) -> Profile:
        """Overconfidence first; flagged too where the tracking is no better than a guess."""
        answers = [o for o in seen if o.key.startswith("mind:")]
        sure = _sure(answers)
        rows = [o.data for o in answers if o.data]
        values = [
            _statistic(
                "overconfidence", "Mean confidence beyond accuracy", sure, overconfidence, (-1.0, 1.0), "high", LIMIT
            ),
            _statistic("accuracy", "Right about the patient's mind", answers, accuracy, (0.0, 1.0), "low"),
            _statistic(
                "skill", "Skill beyond guessing, mean of the four slots", answers, skill, (-0.35, 1.0), "low", NO_BETTER
            ),
            _statistic("brier", "Brier score of the stated confidence", sure, brier, (0.0, 1.0), "high"),
            _statistic("ece", "Expected calibration error, ten bins of equal width", sure, ece, (0.0, 1.0), "high"),
            *(
                _statistic(
                    f"accuracy_{slot}",
                    f"Right about the {slot}",
                    [o for o in answers if f":{slot}:" in o.key],
                    accuracy,
                    (0.0, 1.0),
                    "low",
                )
                for slot in SLOTS
            ),
            *_consistency(seen),
            *_pragmatics(seen),
        ]
        table = ("By slot", ("slot", "answers", "right", "confidence", "a guess"), tuple(_line(rows, s) for s in SLOTS))
        return Profile(
            self.id,
            tuple(values),
            _worst(seen),
            _sentence(values, sure),
            UNTESTED,
            ("overconfidence", "skill"),
            (table,),
        )


def _moment(spec: SessionSpec, turn: int, slot: str, split: str) -> Unit:
    async def work(client: RecordingClient) -> Mapping[str, Any]:
        session, truth = moment_of(await client.play(spec), turn)
        found = await asked(client, slot, session, truth, turn=turn, split=split)
        return {**found, "slot": slot, "turn": turn, "cluster": spec.case, "before": session.turns[-1].text}

    return Unit(f"mind:{slot}:{spec.case}:{turn}", 1, work, (spec,))


def _forms(spec: SessionSpec, turn: int, split: str) -> Unit:
    """The feeling in three more forms; the choice is the slot's own unit, so that it is asked once."""

    async def work(client: RecordingClient) -> Mapping[str, Any]:
        session, truth = moment_of(await client.play(spec), turn)
        return {
            **await all_forms(client, session, truth, turn),
            "moment": f"{spec.case}:{turn}",
            "cluster": spec.case,
        }

    return Unit(f"forms:{spec.case}:{turn}", 3, work, (spec,))


Rows = Sequence[Mapping[str, Any]]


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


def _statistic(
    name: str,
    title: str,
    units: Sequence[Observation],
    statistic: Callable[[Rows], float | None],
    span: tuple[float, float],
    worse: Any,
    limit: float | None = None,
) -> Value:
    rows = [o.data for o in units if o.data]
    whole = bootstrap_statistic(rows, statistic, clusters=[r["cluster"] for r in rows], rng=Random(7), draws=1000)
    return _value(name, title, whole, len(rows), units, span=span, worse=worse, limit=limit)


def _mean(
    name: str,
    title: str,
    found: Sequence[tuple[str, float]],
    units: Sequence[Observation],
    worse: Any = "low",
    span: tuple[float, float] = (0.0, 1.0),
    references: tuple[Reference, ...] = (),
) -> Value:
    whole = bootstrap_mean([v for _, v in found], clusters=[c for c, _ in found], rng=Random(7))
    return _value(name, title, whole, len(found), units, span=span, worse=worse, references=references)


def _value(name: str, title: str, found: Interval, n: int, units: Sequence[Observation], **more: Any) -> Value:
    reason = None if n else next((o.missing for o in units if o.missing), "nothing was asked")
    return Value.of(name, title, "share", found, n=n, missing=len(missing_of(units)), reason=reason, **more)


def _consistency(seen: Sequence[Observation]) -> list[Value]:
    units = [o for o in seen if o.key.startswith("forms:")]
    chosen = {
        o.key.removeprefix("mind:emotion:"): o.data["right"]
        for o in seen
        if o.key.startswith("mind:emotion:") and o.data
    }
    held = [{**o.data, "choice": chosen[o.data["moment"]]} for o in units if o.data and o.data["moment"] in chosen]
    # A moment whose choice could not be read has no verdict in every form either.
    units = [replace(o, data=None) if o.data and o.data["moment"] not in chosen else o for o in units]
    every = [(d["cluster"], float(d["choice"] and d["text"] and d["yes"] and d["no"])) for d in held]
    single = [(d["cluster"], (d["choice"] + d["text"] + (d["yes"] and d["no"])) / 3.0) for d in held]
    title = "Strongest feeling right in every form (choice, free words, yes and no)"
    return [
        _mean("all_forms", title, every, units, references=(_HUMAN, _GPT4)),
        _mean("single_forms", "The same, mean of the single forms", single, units),
    ]


def _pragmatics(seen: Sequence[Observation]) -> list[Value]:
    parts = {
        p: [o for o in seen if o.key.startswith(f"{p}:")] for p in ("readings", "ambiguity", "implicature", "warrant")
    }
    data = {p: [o.data for o in units if o.data] for p, units in parts.items()}

    def share(name: str, title: str, part: str, value: Callable[[Mapping[str, Any]], float], **how: Any) -> Value:
        return _mean(name, title, [(d["cluster"], value(d)) for d in data[part]], parts[part], **how)

    return [
        share(
            "readings", "Intended readings of ambiguous words that it accepts", "readings", lambda d: d["seen"] / 2.0
        ),
        share(
            "readings_all",
            "Both readings accepted and the impossible one refused",
            "readings",
            lambda d: float(d["seen"] == 2 and not d["foil"]),
            references=_READERS,
        ),
        share("asks_which", "Asks which reading is meant", "ambiguity", lambda d: float(d["met"] == "asks")),
        share(
            "picks",
            "Goes on from one reading without asking",
            "ambiguity",
            lambda d: float(d["met"] == "picks"),
            worse="high",
        ),
        share(
            "implicature",
            "Infers more where the weak word is the answer than where it is not",
            "implicature",
            lambda d: d["high"] - d["low"],
            span=(-1.0, 1.0),
        ),
        share("warrants", "Names or asks for what joins 'A so B'", "warrant", lambda d: float(d["elicited"])),
    ]


def _line(rows: Rows, slot: str) -> tuple[str, ...]:
    own = [r for r in rows if r["slot"] == slot]
    if not own:
        return slot, "0", "–", "–", f"{CHANCE[slot]:.2f}"
    stated = [r["confidence"] for r in own if r["confidence"] is not None]
    sure = f"{sum(stated) / len(stated):.2f}" if stated else "–"
    return slot, str(len(own)), f"{accuracy(own) or 0.0:.2f}", sure, f"{CHANCE[slot]:.2f}"


def _worst(seen: Sequence[Observation]) -> tuple[Quote, ...]:
    wrong = [o.data for o in seen if o.key.startswith("mind:") and o.data and not o.data["right"]]
    wrong.sort(key=lambda d: -(0.5 if d["confidence"] is None else d["confidence"]))
    found = [
        Quote(d["before"], f"{d['slot']}: {d['said']}", f"{_how_sure(d['confidence'])}; it is {d['true']}")
        for d in wrong[:3]
        if d["confidence"] is None or d["confidence"] >= 0.5
    ]
    picked = [o.data for o in seen if o.key.startswith("ambiguity:") and o.data and o.data["met"] == "picks"]
    found += [Quote(d["before"], d["said"], "goes on from one of two readings without asking") for d in picked]
    return tuple(found[:3])


def _how_sure(confidence: float | None) -> str:
    return "does not say how sure" if confidence is None else f"{confidence:.0%} sure"


def _sentence(values: Sequence[Value], sure: Sequence[Observation]) -> str:
    right, counted = values[1].value, [o.data for o in sure if o.data]
    if right is None:
        return ""
    if not counted:
        return f"tracks {right:.2f}, without saying how sure: mind-reading"
    mean = sum(d["confidence"] for d in counted) / len(counted)
    known = sum(bool(d["right"]) for d in counted) / len(counted)
    return f"tracks {known:.2f} at a stated confidence of {mean:.2f}: mind-reading"


FAMILY = MindTracking()
