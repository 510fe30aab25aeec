"""File formats as a page: a tiny run is played and scored, and what its files hold is read from them."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import polars as pl

from maieutic.domain.case import Case
from maieutic.evaluation.evaluate import Request, evaluate
from maieutic.evaluation.study import schema as study_schema
from maieutic.gating.policy import Policy
from maieutic.scoring.score import score_paths

_EVALUATE = {
    "manifest.json": "everything that makes the run what it is: arms, cases by hash, seeds, prompts by hash, versions, and the words of the command",
    "journal/0001.jsonl": "the record: one line an utterance, appended as it is said; the last line of a session is its ending",
    "episodes.parquet": "one row a session",
    "turns.parquet": "one row an utterance, with the mind as it was after it",
    "scores.parquet": "one row a session and measure; a value that is missing has its reason",
    "scores.json": "one entry a measure and arm with its interval: what a CI gate reads",
    "tables/arms.parquet": "one row an arm: effect and verdict (also CSV and LaTeX)",
    "tables/lines.parquet": "one row an arm and line of the verdict (also CSV)",
    "tables/differences.parquet": "one row a pair of arms (also CSV and LaTeX)",
    "tables/measures.parquet": "one row a measure, arm and group of cases (also CSV)",
    "report.html": "the report: one page that loads nothing",
}
_SCORE = {
    "manifest.json": "what was read, by hash, and how",
    "sessions.parquet": "one row a session, scored or not, with the reason",
    "turns.parquet": "one row an utterance with its codes; no text, unless it was asked to be kept",
    "scores.parquet": "one row a session and measure",
    "scores.json": "one entry a measure and group",
    "scores.csv": "one row a session, one column a measure, to read",
    "report.html": "the report over all sessions; summary.html is its one page for print, sessions/ a page for each session",
}
_MEANINGS = {
    "therapist": "the arm, as it is named in the run",
    "case": "id of the case",
    "seed": "which of the patient's lucks",
    "ending": "how the session ended: turn_limit, completed, ended by a speaker, failed …",
    "reason": "why it failed or is missing",
    "held": "held conviction, 0 to 100: hidden",
    "held_start": "held conviction before the first turn",
    "held_end": "held conviction at the end",
    "stated": "what the patient would state, 0 to 100",
    "core": "conviction in the core belief, 0 to 100",
    "distress": "0 to 100",
    "openness": "0 to 1",
    "reactance": "0 to 1",
    "goal": "alliance: agreement on goals, 0 to 1",
    "task": "alliance: agreement on tasks, 0 to 1",
    "bond": "alliance: bond, 0 to 1",
    "moves": "the therapist's moves, joined by |",
    "act": "what the patient decided to do in this turn",
    "code": "the coder's answer, JSON",
    "appraisal": "how the patient read the turn, JSON",
    "state": "the whole mind, JSON",
    "trace": "what a speaker says of how the turn came about, JSON",
    "provenance": "what made the session, JSON",
    "value": "the score; empty where it is missing",
    "evidence": "numbers of the turns that show it",
    "group": "regular, or the special kind of case; of transcripts the group that they came in",
    "estimate": "mean over cases",
    "low": "lower end of the 95 % interval",
    "high": "upper end of the 95 % interval",
    "n": "cases behind the interval",
    "cases": "cases behind the interval",
    "sessions": "sessions behind it",
    "missing": "sessions without a value",
    "effect": "points of held conviction beyond no session",
    "fall": "points by which held conviction fell",
    "predicted": "the likeliest code",
    "abstain": "true where the code is among the coder's least certain",
}


def formats_page(place: Path) -> str:
    """The page on files; `place` is an empty folder for the runs it is read from. Raises `KeyError` for a file without a line above."""
    evaluate(Request(("eliza", "no_session"), ("gethin",), seeds=1, turns=2), place / "evaluate")
    talk = place / "talk.csv"
    rows = [("session", "speaker", "text"), ("1", "therapist", "What happened?"), ("1", "client", "I froze.")]
    with talk.open("w", newline="") as out:
        csv.writer(out).writerows(
            [*rows, ("1", "therapist", "What went through your mind?"), ("1", "client", "I fail.")]
        )
    score_paths([talk], out=place / "score")
    return "\n\n".join(
        (
            "# File formats\n\nThe columns below were read from a small run when this page was built. JSON is UTF-8; Parquet rows are sorted "
            "and hold no clock, host or path, so that equal runs are equal bytes. A run with `format` 1 or lower is read; a newer one is refused.",
            "## Run folder of `maieutic evaluate`\n\n" + _files(place / "evaluate", _EVALUATE),
            "## Run folder of `maieutic score`\n\n" + _files(place / "score", _SCORE),
            "## A study\n\nKeys of the YAML file of `maieutic evaluate study.yaml`; [an example](../runs.md#a-study-in-a-file).\n\n"
            + _schema(study_schema()),
            "## A policy\n\nThe YAML file of `maieutic gate --policy`; [the ready ones](policies.md).\n\n"
            + _schema(Policy.model_json_schema()),
            "## A case\n\nA YAML file; [how to write one](../write-a-case.md).\n\n" + _schema(Case.model_json_schema()),
        )
    )


def _files(folder: Path, meanings: dict[str, str]) -> str:
    parts = ["| file | holds |\n|---|---|\n" + "\n".join(f"| `{name}` | {text} |" for name, text in meanings.items())]
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if path.suffix == ".parquet":
            columns = pl.read_parquet_schema(path)
            rows = "\n".join(
                f"| `{column}` | {kind} | {_MEANINGS.get(column, '')} |" for column, kind in columns.items()
            )
            parts.append(f"### {name}\n\n{meanings[name]}\n\n| column | type | meaning |\n|---|---|---|\n{rows}")
        elif name == "scores.json":
            keys = json.loads(path.read_text())[0]
            parts.append(
                f"### {name}\n\n{meanings[name]}: a list of objects with " + ", ".join(f"`{key}`" for key in keys) + "."
            )
        elif path.suffix == ".jsonl":
            lines = [json.loads(line) for line in path.read_text().splitlines() if line]
            kinds = {line["kind"]: line for line in lines}
            rows = "\n".join(f"| `{kind}` | {', '.join(f'`{key}`' for key in line)} |" for kind, line in kinds.items())
            parts.append(f"### {name}\n\n{meanings[name]}\n\n| kind of line | keys |\n|---|---|\n{rows}")
    return "\n\n".join(parts)


def _schema(schema: dict[str, Any]) -> str:
    """Tables of a pydantic schema: the top first, then each part it names."""
    parts = [_fields(schema)]
    for name, part in sorted(schema.get("$defs", {}).items()):
        if "properties" in part:
            about = str(part.get("description", "")).split("\n\n")[0].replace("\n", " ")
            parts.append(f"### {name.lstrip('_')}\n\n{about}\n\n{_fields(part)}")
    return "\n\n".join(parts)


def _fields(part: dict[str, Any]) -> str:
    required = set(part.get("required", ()))
    rows = "\n".join(
        f"| `{name}` | {_kind(one)} | {'yes' if name in required else ''} |" for name, one in part["properties"].items()
    )
    return f"| key | kind | required |\n|---|---|---|\n{rows}"


def _kind(one: dict[str, Any]) -> str:
    if "$ref" in one:
        return str(one["$ref"]).rsplit("/", 1)[-1].lstrip("_")
    if "anyOf" in one:
        return " or ".join(dict.fromkeys(_kind(each) for each in one["anyOf"]))
    if "enum" in one:
        return "one of " + ", ".join(f"`{value}`" for value in one["enum"])
    if "const" in one:
        return f"`{one['const']}`"
    if one.get("type") == "array":
        return f"list of {_kind(one['items'])}" if isinstance(one.get("items"), dict) else "list"
    if one.get("type") == "object" and isinstance(one.get("additionalProperties"), dict):
        return f"name → {_kind(one['additionalProperties'])}"
    bounds = [f"{word} {one[key]}" for key, word in (("minimum", "at least"), ("maximum", "at most")) if key in one]
    return " ".join(
        [
            {"null": "nothing", "number": "number", "integer": "whole number", "string": "text"}.get(
                str(one.get("type", "any")), str(one.get("type", "any"))
            ),
            *bounds,
        ]
    )
