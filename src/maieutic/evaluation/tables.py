"""The tables of a run as files: CSV to read, Parquet to compute with, LaTeX to print; sessions and turns among them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

import orjson

from maieutic.domain.episode import Episode, Turn
from maieutic.evaluation.findings import figure, ranked, verdict
from maieutic.evaluation.lines import BY_ID, CRITERIA
from maieutic.evaluation.summary import EFFECT, PRIMARY, REFERENCE, Difference, Summary
from maieutic.runs.files import write_parquet, write_whole

FOLDER = "tables"
_NUMBERS = {"estimate": "Float64", "low": "Float64", "high": "Float64", "cases": "Int64"}
_ARMS = {
    "arm": "String",
    "therapist": "String",
    "verdict": "String",
    "effect": "Float64",
    "low": "Float64",
    "high": "Float64",
    "fall": "Float64",
    "cases": "Int64",
    "sessions": "Int64",
    "failed": "Int64",
    "left": "Int64",
    "privileged": "Boolean",
    **{one.id: "Boolean" for one in CRITERIA},
}
_LINES = {
    "arm": "String",
    "line": "String",
    "asks": "String",
    "holds": "Boolean",
    "says": "String",
    **_NUMBERS,
    "unit": "String",
    "bound": "String",
    "note": "String",
}
_DIFFERENCES = {"first": "String", "second": "String", **_NUMBERS, "pairs": "Int64"}
_MEASURES = {
    "measure": "String",
    "arm": "String",
    "group": "String",
    **_NUMBERS,
    "sessions": "Int64",
    "missing": "Int64",
}


def write_files(folder: Path, summary: Summary, manifest: Mapping[str, Any]) -> None:
    """`tables/`: arms, lines, differences and measures, each as CSV and Parquet; the first and third also as LaTeX.

    Arms are named as everywhere in the run; `therapist` is what each was made from. Raises `StorageError`.
    """
    place = folder / FOLDER
    specs = {name: str(arm["spec"]) for name, arm in dict(manifest.get("arms") or {}).items()}
    for name, rows, schema in (
        ("arms", _arm_rows(summary, specs), _ARMS),
        ("lines", _line_rows(summary), _LINES),
        ("differences", [_difference_row(one) for one in summary.differences], _DIFFERENCES),
        ("measures", _measure_rows(summary), _MEASURES),
    ):
        write_parquet(place / f"{name}.parquet", rows, schema)
        write_whole(place / f"{name}.csv", _csv(rows, schema))
    write_whole(place / "arms.tex", _arms_in_latex(summary).encode())
    write_whole(place / "differences.tex", _differences_in_latex(summary).encode())


def _csv(rows: Sequence[Mapping[str, Any]], schema: Mapping[str, str]) -> bytes:
    import polars as pl  # a third of the time that a worker takes to start, and it writes no tables

    types = {name: getattr(pl, kind) for name, kind in schema.items()}
    out = BytesIO()
    pl.DataFrame({name: [row.get(name) for row in rows] for name in schema}, schema=types).write_csv(out)
    return out.getvalue()


def _interval(found: Any) -> dict[str, Any]:
    return {"estimate": found.estimate, "low": found.low, "high": found.high, "cases": found.n}


def _arm_rows(summary: Summary, specs: Mapping[str, str]) -> list[dict[str, Any]]:
    rows = []
    for arm in ranked(summary):
        effect, fall = summary.row(EFFECT, arm.therapist), summary.row(PRIMARY, arm.therapist)
        rows.append(
            {
                "arm": arm.therapist,
                "therapist": specs.get(arm.therapist, arm.therapist),
                "verdict": verdict(summary, arm.therapist),
                "effect": effect and effect.interval.estimate,
                "low": effect and effect.interval.low,
                "high": effect and effect.interval.high,
                "fall": fall and fall.interval.estimate,
                "cases": fall and fall.interval.n,
                "sessions": arm.episodes,
                "failed": arm.failed,
                "left": arm.left,
                "privileged": arm.privileged,
                **{line.id: line.holds for line in summary.lines.get(arm.therapist, ())},
            }
        )
    return rows


def _line_rows(summary: Summary) -> list[dict[str, Any]]:
    return [
        {
            "arm": arm.therapist,
            "line": line.id,
            "asks": BY_ID[line.id].title,
            "holds": line.holds,
            "says": line.says,
            **_interval(line.interval),
            "unit": BY_ID[line.id].unit,
            "bound": BY_ID[line.id].bound,
            "note": line.reason,
        }
        for arm in ranked(summary)
        for line in summary.lines.get(arm.therapist, ())
    ]


def _difference_row(one: Difference) -> dict[str, Any]:
    return {"first": one.first, "second": one.second, **_interval(one.interval), "pairs": one.episodes}


def _measure_rows(summary: Summary) -> list[dict[str, Any]]:
    return [
        {
            "measure": row.measure,
            "arm": row.therapist,
            "group": row.group,
            **_interval(row.interval),
            "sessions": row.episodes,
            "missing": sum(row.missing.values()),
        }
        for row in summary.rows
    ]


def _arms_in_latex(summary: Summary) -> str:
    """Needs the package booktabs; a line that holds is yes, one that does not no, and the others say why neither."""
    heads = ["Arm", "Effect [95\\,\\%]", *(one.short.replace("\n", " ") for one in CRITERIA)]
    rows = []
    for arm in ranked(summary):
        effect = figure(summary.row(EFFECT, arm.therapist), "points", signed=True)
        shown = "reference" if arm.therapist == REFERENCE else "--" if effect.missing else effect.text
        told = [_WORDS.get(line.says, line.says) for line in summary.lines.get(arm.therapist, ())] or ["--"] * len(
            CRITERIA
        )
        rows.append(
            [
                arm.therapist + (" (privileged)" if arm.privileged else "") + (" (people)" if arm.people else ""),
                shown,
                *told,
            ]
        )
    return _tabular("ll" + "c" * len(CRITERIA), heads, rows)


def _differences_in_latex(summary: Summary) -> str:
    rows = []
    for one in summary.differences:
        low, high = one.interval.low, one.interval.high
        span = "--" if low is None or high is None else f"[{low:+.1f}, {high:+.1f}]"
        rows.append([one.first, one.second, f"{one.interval.estimate or 0.0:+.1f}", span, str(one.interval.n)])
    return _tabular("llrrr", ["First", "Second", "Difference", "95\\,\\%", "Cases"], rows)


_WORDS = {"holds": "yes", "fails": "no"}


def _tabular(columns: str, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    body = [" & ".join(map(_in_latex, row)) + r" \\" for row in rows]
    return "\n".join(
        [
            rf"\begin{{tabular}}{{{columns}}}",
            r"\toprule",
            " & ".join(heads) + r" \\",
            r"\midrule",
            *body,
            r"\bottomrule",
            r"\end{tabular}",
            "",
        ]
    )


_LATEX = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "−": "$-$",
}


def _in_latex(text: str) -> str:
    return "".join(_LATEX.get(sign, sign) for sign in text)


def _json(value: Any) -> str | None:
    return (
        None if value is None else orjson.dumps(value, option=orjson.OPT_NON_STR_KEYS | orjson.OPT_SORT_KEYS).decode()
    )


def write_tables(folder: Path, episodes: Sequence[Episode]) -> None:
    """episodes.parquet and turns.parquet, sorted by (therapist, case, seed, turn); no clock, host or path.

    turns.parquet has a column `original` where a turn was made plain.
    """
    ordered = sorted(episodes, key=lambda e: e.key)
    write_parquet(folder / "episodes.parquet", [_episode_row(e) for e in ordered], _EPISODE_SCHEMA)
    rows = [row for e in ordered for row in _turn_rows(e)]
    written = {"original": "String"} if any(row["original"] is not None for row in rows) else {}
    write_parquet(folder / "turns.parquet", rows, _TURN_SCHEMA | written)


_EPISODE_SCHEMA = {
    "therapist": "String",
    "case": "String",
    "seed": "Int64",
    "ending": "String",
    "reason": "String",
    "therapist_turns": "Int64",
    "held_start": "Float64",
    "held_end": "Float64",
    "calls": "Int64",
    "input_tokens": "Int64",
    "output_tokens": "Int64",
    "provenance": "String",
}
_TURN_SCHEMA = {
    "therapist": "String",
    "case": "String",
    "seed": "Int64",
    "turn": "Int64",
    "speaker": "String",
    "text": "String",
    "moves": "String",
    "act": "String",
    "held": "Float64",
    "stated": "Float64",
    "core": "Float64",
    "distress": "Float64",
    "openness": "Float64",
    "reactance": "Float64",
    "goal": "Float64",
    "task": "Float64",
    "bond": "Float64",
    "code": "String",
    "appraisal": "String",
    "state": "String",
    "trace": "String",
}
_STATE_COLUMNS = ("held", "stated", "core", "distress", "openness", "reactance", "goal", "task", "bond")


def _episode_row(episode: Episode) -> dict[str, Any]:
    usages = [t.usage for t in episode.session.turns if t.usage is not None]
    states = episode.states
    return {
        **episode.key._asdict(),
        "ending": episode.ending.kind,
        "reason": episode.ending.reason,
        "therapist_turns": len(episode.therapist_turns),
        "held_start": states[0].held if states else None,
        "held_end": states[-1].held if states else None,
        "calls": sum(u.calls for u in usages),
        "input_tokens": _total(u.input_tokens for u in usages),
        "output_tokens": _total(u.output_tokens for u in usages),
        "provenance": _json(episode.provenance),
    }


def _total(counts: Iterator[int | None]) -> int | None:
    known = list(counts)
    return None if not known or any(c is None for c in known) else sum(c for c in known if c is not None)


def _turn_rows(episode: Episode) -> Iterator[dict[str, Any]]:
    """One row an utterance; a state stands in the row of the patient turn that follows from it."""
    turns = episode.session.turns
    if not turns and episode.states:
        turns = (Turn("patient", ""),) * len(episode.states)
    spoken = therapist_turns = 0
    for index, turn in enumerate(turns):
        row: dict[str, Any] = {
            **episode.key._asdict(),
            "turn": index,
            "speaker": turn.speaker,
            "text": turn.text,
            "trace": _json(turn.trace),
            "original": turn.original,
        }
        if turn.speaker == "therapist":
            code, appraisal = _at(episode.codes, therapist_turns), _at(episode.appraisals, therapist_turns)
            row |= {"code": _json(code), "appraisal": _json(appraisal)}
            row["moves"] = None if code is None else "|".join(code.moves)
            therapist_turns += 1
        else:
            state = _at(episode.states, spoken)
            spoken += 1
            if state is not None:
                row |= {name: getattr(state, name) for name in _STATE_COLUMNS}
                row |= {"act": state.intent.act.value, "state": _json(state)}
        yield row


def _at(items: Sequence[Any], index: int) -> Any:
    return items[index] if index < len(items) else None
