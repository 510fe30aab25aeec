"""Builds the report page of a run: one self-contained HTML file that shows who conducts and who only talks.

The page asks for nothing outside itself: styles and pictures are inside it, and the few lines of script only choose
which annotated sessions are shown; without script all of them are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from maieutic.domain.codes import DEFINITIONS, Move
from maieutic.domain.episode import Episode
from maieutic.evaluation.annotate import first_two, picked, sessions
from maieutic.evaluation.charts import forest, timetables, trajectories
from maieutic.evaluation.findings import (
    FAILED,
    MARKS,
    NOT_FREE_SPEECH,
    VERDICT_MEANINGS,
    Figure,
    cautions,
    figure,
    glossary,
    headline,
    interval_figure,
    number,
    range_of,
    ranked,
    results,
    share_of_ceiling,
)
from maieutic.evaluation.lines import BY_ID, CRITERIA, Line
from maieutic.evaluation.plan import REFERENCE
from maieutic.evaluation.summary import EFFECT, PRIMARY, Arm, EpisodeScore, Group, Summary, group_of
from maieutic.measures.definition import Measure
from maieutic.measures.validity import NOT_VALIDATED
from maieutic.runs.shown import environment
from maieutic.safety.handover import DISCLAIMER
from maieutic.stats import MIN_CASES

KEY_MEASURES = (
    "evidence_reached",
    "evidence_by_patient",
    "open_among_asking_turns",
    "turns_that_reflect",
    "advice_before_exploration",
    "premature_challenge",
    "unsupported_feeling",
    "alliance_change",
    "distress_change",
)
SPECIAL_MEASURES = (PRIMARY, EFFECT, "harm_below_warranted", "warranted_distance")
SPECIAL_REASONS: Mapping[Group, str] = {
    "accurate": "The thought is substantially true. A fall of conviction is no gain here: below the warranted "
    "level it is harm, a true thought talked away. Validation and coping are what is right.",
    "risk": "The patient carries graded risk. Safety comes before any work on thoughts, so a fall of "
    "conviction says little; what counts is whether the therapist came to the risk, and answered it.",
}
_SAFETY = ("therapist asked about or answered risk", "patient told about risk")
_TEMPLATE = "report.html.j2"


def render_report(
    episodes: Sequence[Episode], scores: Sequence[EpisodeScore], summary: Summary, manifest: Mapping[str, Any]
) -> str:
    """The whole page as HTML.

    Args:
        episodes: All episodes of the run, the failed ones too.
        scores: One score an episode and measure.
        summary: The rows that the page shows; nothing is averaged anew except the curves over turns.
        manifest: What was run; whatever is not in it is left out of the head.
    """
    episodes = sorted(episodes, key=lambda e: e.key)  # draws follow the order, so the page must not depend on it
    entries = glossary(scores)
    views = sessions(episodes, scores, summary)
    return (
        environment(Path(__file__).parent)
        .get_template(_TEMPLATE)
        .render(
            headline=headline(summary),
            fewest_cases=MIN_CASES,
            disclaimer=DISCLAIMER,
            not_validated=NOT_VALIDATED,
            not_free_speech=NOT_FREE_SPEECH,
            facts=_facts(episodes, summary, manifest),
            arms=_arms(summary),
            verdicts=[(MARKS[name], name, meaning) for name, meaning in VERDICT_MEANINGS.items()],
            lines=_lines(summary),
            criteria=CRITERIA,
            cautions=cautions(summary),
            differences=[(one, interval_figure(one.interval, "points", signed=True)) for one in summary.differences],
            forest=forest(summary),
            behaviour=_behaviour(summary, entries),
            trajectories=trajectories(episodes, summary, manifest),
            timetables=timetables(episodes, summary),
            definitions=[(m.value.replace("_", " "), text) for m, text in DEFINITIONS.items()],
            sessions=views,
            picked=picked(views),
            shown=first_two(views, summary),
            special=_special(episodes, summary, entries),
            failures=_failures(episodes),
            missing=_missing(summary, entries),
            numbers=_all_numbers(summary, entries),
            entries=list(entries.values()),
            range_of=range_of,
        )
    )


def _facts(episodes: Sequence[Episode], summary: Summary, manifest: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The head of the page: what was run, as far as the run says."""
    groups: Counter[str] = Counter(group_of(e) for e in {e.key.case: e for e in episodes}.values())
    apart = ", ".join(
        f"{groups[g]} {word}" for g, word in (("accurate", "accurate-thought"), ("risk", "risk")) if groups[g]
    )
    seeds = manifest.get("seeds")
    found: list[tuple[str, object]] = [
        ("arms", "; ".join(_made_of(a, dict(manifest.get("arms") or {})) for a in summary.arms)),
        ("cases", f"{sum(groups.values())}{f' ({apart} reported apart)' if apart else ''}"),
        ("seeds a case", _seeds(seeds) if isinstance(seeds, Mapping) else seeds),
        ("therapist turns", manifest.get("turns") and f"at most {manifest['turns']}"),
        ("dialogues", f"{len(episodes)}, {sum(e.failed for e in episodes)} failed"),
        ("models", ", ".join(map(str, manifest.get("models") or ()))),
        ("patient", manifest.get("patient")),
        ("run seed", manifest.get("run_seed")),
        ("made plain before it was read", "; ".join(map(str, summary.cleaned))),
        ("date", manifest.get("date") or manifest.get("created") or manifest.get("started")),
        ("versions", ", ".join(f"{n} {v}" for n, v in dict(manifest.get("versions") or {}).items() if v)),
    ]
    return [
        (name, str(value)) for name, value in found if value not in (None, "", 0) or (name == "run seed" and value == 0)
    ]


def _made_of(arm: Arm, arms: Mapping[str, Mapping[str, Any]]) -> str:
    """An arm's name, and what it is made of and set to where that says more."""
    made = dict(arms.get(arm.therapist, {}))
    spec = str(made.pop("spec", arm.therapist))
    told = [spec] if spec != arm.therapist else []
    made.pop("system_sha256", None)
    told += [f"{key.replace('_', ' ')} {_brief(str(value))}" for key, value in made.items()]
    told += ["privileged"] if arm.privileged else []
    told += ["people, in practice"] if arm.people else []
    return arm.therapist + (f" ({', '.join(told)})" if told else "")


def _brief(text: str, most: int = 80) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= most else f"“{flat[:most]}…”"


def _seeds(seeds: Mapping[str, int]) -> str:
    counts = Counter(seeds.values())
    if len(counts) == 1:
        return str(next(iter(counts)))
    usual = counts.most_common(1)[0][0]
    rest = ", ".join(f"{name} {count}" for name, count in sorted(seeds.items()) if count != usual)
    return f"{usual} ({rest})"


def _arms(summary: Summary) -> list[dict[str, Any]]:
    rows = []
    for one in results(summary):
        ceiling = share_of_ceiling(summary, one.arm.therapist)
        rows.append(
            {
                "one": one,
                "effect": figure(one.effect, "points", signed=True) if one.verdict != "reference" else None,
                "change": figure(one.fall, "points", signed=True),
                "scored": one.fall.episodes if one.fall else 0,
                "ceiling": number(ceiling, "share") if ceiling is not None and not one.arm.privileged else "",
            }
        )
    return rows


def _lines(summary: Summary) -> list[tuple[Arm, list[tuple[Line, Figure]]]]:
    """Every arm with its lines and their figures, in the order of the effect."""
    return [(one.arm, [(line, _of_line(line)) for line in one.lines]) for one in results(summary) if one.lines]


def _of_line(line: Line) -> Figure:
    found = interval_figure(line.interval, BY_ID[line.id].unit, signed=line.id != "timing")
    return replace(found, reasons=(), share=None)


def _behaviour(summary: Summary, entries: Mapping[str, Measure]) -> dict[str, Any]:
    found = results(summary)
    rows = [
        (
            entry,
            [
                (one.arm, figure(summary.row(entry.id, one.arm.therapist), entry.unit, signed=_is_change(entry)))
                for one in found
            ],
        )
        for entry in (entries[name] for name in KEY_MEASURES if name in entries)
    ]
    return {"arms": [(one.arm, one.mark, one.verdict) for one in found], "rows": rows}


def _is_change(entry: Measure) -> bool:
    return entry.id == EFFECT or entry.id.endswith("_change")


def _special(episodes: Sequence[Episode], summary: Summary, entries: Mapping[str, Measure]) -> list[dict[str, Any]]:
    tables = []
    for group, reason in SPECIAL_REASONS.items():
        own = [e for e in episodes if group_of(e) == group]
        if not own:
            continue
        columns = [entries[name] for name in SPECIAL_MEASURES if name in entries]
        columns = [c for c in columns if any(summary.row(c.id, a.therapist, group) for a in summary.arms)]
        rows = [
            (
                arm,
                [(c, _special_figure(summary, c, arm.therapist, group)) for c in columns],
                _safety(own, arm.therapist) if group == "risk" else (),
            )
            for arm in ranked(summary)
        ]
        cases = sorted({f"{e.provenance.get('case_name') or e.key.case} ({e.key.case})" for e in own})
        counted = _SAFETY if group == "risk" else ()
        tables.append(
            {"group": group, "reason": reason, "cases": cases, "columns": columns, "rows": rows, "counted": counted}
        )
    return tables


def _special_figure(summary: Summary, entry: Measure, therapist: str, group: Group) -> Figure | None:
    if entry.id == EFFECT and therapist == REFERENCE:
        return None
    return figure(summary.row(entry.id, therapist, group), entry.unit, signed=_is_change(entry))


def _safety(episodes: Sequence[Episode], therapist: str) -> tuple[str, ...]:
    """In how many sessions the therapist came to safety, and the patient told about risk."""
    own = [e for e in episodes if e.key.therapist == therapist and not e.failed and e.therapist_turns]
    if not own:
        return ("no session",) * len(_SAFETY)
    coded = [e for e in own if any(code is not None for code in e.codes)]
    minds = [e for e in own if e.states]
    asked = sum(any(code is not None and Move.RISK_RESPONSE in code for code in e.codes) for e in coded)
    told = sum(e.states[-1].risk_disclosed for e in minds)
    return f"{asked} of {len(coded)}", f"{told} of {len(minds)}"


def _failures(episodes: Sequence[Episode]) -> list[tuple[str, str, int]]:
    counts = Counter((e.key.therapist, e.ending.reason or "no reason recorded") for e in episodes if e.failed)
    return [(arm, reason, count) for (arm, reason), count in sorted(counts.items())]


def _missing(summary: Summary, entries: Mapping[str, Measure]) -> list[tuple[Measure, str, int, str]]:
    """Missing values by measure and reason, over all groups, with the arms they fall on; failed dialogues are listed
    apart."""
    counts: dict[tuple[str, str], Counter[str]] = {}
    for row in summary.rows:
        for reason, count in row.missing.items():
            if row.measure in entries and row.measure != EFFECT and not reason.startswith(FAILED):
                counts.setdefault((row.measure, reason), Counter())[row.therapist] += count
    return [
        (
            entries[measure],
            reason,
            sum(arms.values()),
            ", ".join(f"{arm} {count}" for arm, count in sorted(arms.items())),
        )
        for (measure, reason), arms in sorted(counts.items())
    ]


def _all_numbers(
    summary: Summary, entries: Mapping[str, Measure]
) -> list[tuple[Measure, list[tuple[str, Any, int, int]]]]:
    return [
        (
            entry,
            [
                (arm.therapist, figure(row, entry.unit, signed=_is_change(entry)), row.interval.n, row.episodes)
                for arm in ranked(summary)
                if (row := summary.row(entry.id, arm.therapist)) is not None
            ],
        )
        for entry in entries.values()
    ]
