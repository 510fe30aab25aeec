"""Do patients whom a language model hears and words tell arms apart, and answer what was asked? Prints what is stored.

    python benchmarks/worded.py
    python benchmarks/worded.py --store DATE --worded RUN … --embedded RUN … --played FILE … --marks FILE
    python benchmarks/worded.py --add DATE --worded RUN --embedded RUN

With --add the arms of these runs are put beside what is stored (in place of arms of the same name). Runs are folders of `maieutic evaluate` on the same cases, one patient with a model and one without, `no_session` among
the embedded ones; played sessions are files of `maieutic chat --session`; marks are lines of {"kind", "case", "mark"} by
somebody who was told neither.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

from maieutic.cli.chat import played_again
from maieutic.coding.rules import RuleCoder
from maieutic.dialogue import Conversation, SaidAgain, Streams, converse
from maieutic.domain.episode import Episode, EpisodeKey
from maieutic.evaluation.evaluate import read_run
from maieutic.library import get_case
from maieutic.models.scripted import RecordedModel
from maieutic.patients.simulated import SimulatedPatient
from maieutic.patients.worded.patient import make_worded
from maieutic.reading.minilm import MiniLM
from maieutic.stats import Interval, bootstrap_mean, paired_difference, student_mean

STORED = Path(__file__).parent / "results" / "worded.json"
RECORDED = Path(__file__).parents[1] / "tests" / "patients" / "worded" / "data"
FIXED = "fixed turns, not beyond no session"
MARKS = ("fits", "partly", "not", "back")


def told(episode: Episode, patient: str, arm: str) -> dict[str, Any]:
    """What is kept of a session: conviction at its start and end, and how its replies came about."""
    traces = [turn.trace or {} for turn in episode.session.by("patient")]
    return {
        "patient": patient,
        "arm": arm,
        "case": episode.key.case,
        "held": [round(state.held, 3) for state in (episode.states[0], episode.states[-1])],
        "asked": sum("voice" in trace for trace in traces),
        "worded": sum(trace.get("voice") == "model" for trace in traces),
        "heard": sum(str(trace.get("comprehension", "")).startswith("model ") for trace in traces),
        "turns": len(episode.session.by("therapist")),
        "refused": [why for trace in traces for why in (*trace.get("refused", ()), *trace.get("misheard", ()))],
        "made_up": [piece for trace in traces for piece in trace.get("canon", ())],
        "drafted": drafted(episode),
    }


def drafted(episode: Episode) -> dict[str, Any]:
    """How the therapist's turns came about where a model words them: turns, those in its words, its calls, refusals."""
    turns = [turn for turn in episode.session.by("therapist") if turn.usage is not None and turn.usage.calls]
    traces = [turn.trace or {} for turn in turns]
    return {
        "turns": len(turns),
        "worded": sum(trace.get("worded by") == "model" for trace in traces),
        "calls": [turn.usage.calls for turn in turns if turn.usage is not None],
        "refused": [rule for trace in traces for rule, _ in trace.get("refused", ())],
    }


def fall(session: dict[str, Any]) -> float:
    """Points that held conviction fell."""
    return float(session["held"][0] - session["held"][-1])


def by_case(sessions: list[dict[str, Any]], patient: str, arm: str) -> dict[str, float]:
    """Fall by case of an arm."""
    return {one["case"]: fall(one) for one in sessions if (one["patient"], one["arm"]) == (patient, arm)}


def length(arm: str) -> str:
    """`_20` of an arm of twenty turns; the others have eight."""
    return "_20" if arm.endswith("_20") else ""


def shown(found: Interval, digits: int = 1) -> str:
    """A figure with its interval, where there are cases enough for one."""
    if found.estimate is None:
        return "missing"
    bounds = "" if found.low is None or found.high is None else f" [{found.low:.{digits}f}, {found.high:.{digits}f}]"
    return f"{found.estimate:.{digits}f}{bounds} (n {found.n})"


def tables(stored: dict[str, Any]) -> list[str]:
    """The figures as lines."""
    sessions, alone = stored["sessions"], by_case(stored["sessions"], "embedded", "no_session")
    lines = [f"{stored['date']}, model {stored['model']}; points beyond no session"]
    for arm in dict.fromkeys(one["arm"] for one in sessions if one["arm"] != "no_session"):
        parts = []
        for patient in ("worded", "embedded"):
            own, best = by_case(sessions, patient, arm), by_case(sessions, patient, f"oracle{length(arm)}")
            cases = sorted(own if arm == FIXED else own.keys() & alone.keys())
            beyond = student_mean([own[case] - alone.get(case, 0.0) * (arm != FIXED) for case in cases])
            top = 0.0 if arm == FIXED else sum(best[case] - alone[case] for case in cases if case in best)
            share = (
                f", {100 * sum(own[c] - alone[c] for c in cases if c in best) / top:.0f} % of the oracle" if top else ""
            )
            parts.append(f"{patient} {shown(beyond)}{share}")
        between = paired_difference(by_case(sessions, "worded", arm), by_case(sessions, "embedded", arm))
        lines.append(f"{arm}: {'; '.join(parts)}; difference {shown(between)}")
    by_model = [one for one in sessions if one["patient"] == "worded"]
    turns, asked, heard, worded = (sum(one[of] for one in by_model) for of in ("turns", "asked", "heard", "worded"))
    lines.append(
        f"{len(by_model)} sessions, {turns} turns: {heard} heard by the model; of {asked} replies {worded} in its words"
    )
    lines.append(f"refused: {dict(Counter(why.split(':')[0] for one in by_model for why in one['refused']))}")
    lines.append(f"made up: {[piece for one in by_model for piece in one['made_up']]}")
    for arm in dict.fromkeys(one["arm"] for one in sessions if one.get("drafted", {}).get("turns")):
        drafts = [one["drafted"] for one in sessions if one["arm"] == arm and one.get("drafted", {}).get("turns")]
        calls = [number for one in drafts for number in one["calls"]]
        lines.append(
            f"{arm}: {len(calls)} turns given to the model, {sum(one['worded'] for one in drafts)} in its words;"
            f" calls a turn {sum(calls) / len(calls):.2f}, one call in {sum(number == 1 for number in calls)};"
            f" refused: {dict(Counter(rule for one in drafts for rule in one['refused']))}"
        )
    for one in stored.get("readers", []):
        lines.append(
            f"reader {one['reader']}, {one['arm']}, {one['turns']} turns: takes up {one['takes_up']:.2f}, odd"
            f" {one['odd']:.2f}, wrong {one['wrong']} of {one['given_back']} given back, naturalness"
            f" {one['naturalness']:.1f} of 7"
        )
    for kind in dict.fromkeys(mark["kind"] for mark in stored["marks"]):
        rows = [mark for mark in stored["marks"] if mark["kind"] == kind]
        shares = []
        for name in MARKS:
            hits = [float(row["mark"] == name) for row in rows]
            found = bootstrap_mean(hits, clusters=[row["case"] for row in rows], rng=Random(7))
            shares.append(f"{name} {shown(found, 2)}")
        lines.append(f"{kind}: {'; '.join(shares)}")
    return lines


async def fixed() -> list[dict[str, Any]]:
    """The twelve recorded talks, and the same turns said to patients without a model."""
    model, embed, found = RecordedModel(RECORDED / "replies.jsonl"), MiniLM(), []
    for talk in json.loads((RECORDED / "talks.json").read_text(encoding="utf-8")):
        case, situation, turns = get_case(talk["case"]), talk["situation"], tuple(talk["turns"])
        streams = Streams(0, EpisodeKey("fixed", case.id, 1))
        for name, patient in (
            ("worded", make_worded(case, situation, embed=embed, model=model)),
            ("embedded", SimulatedPatient.of(case, situation, embed=embed)),
        ):
            played = await converse(Conversation(SaidAgain(turns), patient, RuleCoder(), len(turns), streams))
            found.append(told(played, name, FIXED))
    return found


async def store(asked: argparse.Namespace) -> dict[str, Any]:
    """Read runs, played sessions and marks."""
    sessions = []
    for patient in ("worded", "embedded"):
        for run in getattr(asked, patient):
            _, episodes = read_run(run)
            sessions += [told(one, patient, one.key.therapist) for one in episodes]
    for file in asked.played:
        held = json.loads(file.read_text(encoding="utf-8"))
        sessions.append(told(await played_again(held), "worded", "skilled free speech"))
    sessions += await fixed()
    marks = [json.loads(line) for line in asked.marks.read_text(encoding="utf-8").splitlines()] if asked.marks else []
    return {"date": asked.store, "model": asked.model, "sessions": sessions, "marks": marks}


def added(asked: argparse.Namespace) -> dict[str, Any]:
    """What is stored with the arms of more runs beside it; each new session says its day."""
    stored: dict[str, Any] = json.loads(STORED.read_text(encoding="utf-8"))
    fresh = [
        told(one, patient, one.key.therapist) | {"date": asked.add}
        for patient in ("worded", "embedded")
        for run in getattr(asked, patient)
        for one in read_run(run)[1]
        if one.key.therapist != "no_session"
    ]
    new = {(one["patient"], one["arm"]) for one in fresh}
    kept = [one for one in stored["sessions"] if (one["patient"], one["arm"]) not in new]
    return stored | {"sessions": kept + fresh}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--store", help="date of what is stored")
    parser.add_argument("--add", help="date of runs whose arms are put beside what is stored")
    parser.add_argument("--model", default="", help="who answered")
    for name in ("--worded", "--embedded", "--played"):
        parser.add_argument(name, type=Path, nargs="*", default=[])
    parser.add_argument("--marks", type=Path)
    asked = parser.parse_args()
    if asked.add:
        STORED.write_text(json.dumps(added(asked), ensure_ascii=False) + "\n", encoding="utf-8")
    if asked.store:
        STORED.write_text(json.dumps(asyncio.run(store(asked)), ensure_ascii=False) + "\n", encoding="utf-8")
    print("\n".join(tables(json.loads(STORED.read_text(encoding="utf-8")))))


if __name__ == "__main__":
    main()
