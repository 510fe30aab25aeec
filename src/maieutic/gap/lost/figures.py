"""The figures of family 'lost': mean, aptitude, unreliability, the ratio to the whole, what is recovered, early
answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from random import Random
from typing import Any, Final

import numpy as np

from maieutic.gap.family import Observation, Profile, Quote, Reference, SamplePlan, Table, Value
from maieutic.gap.figures import SIGNED, Data, Figure, data_of, lost_of, mean_of
from maieutic.gap.lost.cases import PIECES
from maieutic.gap.lost.formulation import is_unknown
from maieutic.gap.lost.labels import LABELS
from maieutic.language.sentences import content_words
from maieutic.reading.minilm import shared_minilm
from maieutic.stats import Interval, bootstrap_statistic

LIMIT_RATIO: Final = 0.80
"""Half way between nothing lost (1) and the published mean loss (0.61, Laban et al. 2025)."""
LIMIT_PREMATURE: Final = 0.50
"""Most sessions: one stray turn read as an answer among the five or more of a session must not flag a careful
therapist."""
FLOOR: Final = 25.0
"""FULL must reach this for a ratio: guessing both choices and writing nothing that fits gives about 8 of 100."""
MIN_LOSS: Final = 5.0
"""Points lost from which 'recovered' has a meaning."""
MIN_DRAWS: Final = 10
"""Draws a case from which Laban et al. take percentiles."""
TOLD_PLACES: Final = (("full", "end"), ("concat", "end"), ("sharded", "end"), ("sharded", "recap"), ("snowball", "end"))
_NAMES: Final = ("FULL", "CONCAT", "SHARDED", "RECAP", "SNOWBALL")
_LABAN: Final = "Laban et al. 2025"
_DIFFERS: Final = "15 LLMs on code, SQL, API calls, maths, tables and summaries; here a formulation of a case"
Scores = Mapping[str, Sequence[float]]
"""Points by case."""
FAMILY_ID: Final = "lost"
_ratio = partial(Figure, unit="ratio", span=(0.0, 1.25))
_worse = partial(Figure, worse="high")
RATIO: Final = _ratio("ratio", "SHARDED / FULL", limit=LIMIT_RATIO, references=(Reference(0.61, _LABAN, _DIFFERS),))
CONCAT_RATIO: Final = _ratio("concat_ratio", "CONCAT / FULL", references=(Reference(0.951, _LABAN, _DIFFERS),))
PREMATURE: Final = _worse("premature", "Sessions with an answer before everything is told", limit=LIMIT_PREMATURE)
UNSURE: Final = _worse(
    "unsure", "Sessions of which it is unsure whether one of its turns answers; not counted among those"
)
EARLY_LOCK: Final = _worse("early_lock", "Early lock-in: wrong first answers kept against a later piece", limit=0.5)
REPEATS: Final = _worse("repeats", "Sessions whose last answer only says the first again")
ASKED: Final = Figure("asked", "Share of the pieces told because they were asked for")


def profile(seen: Sequence[Observation], extent: SamplePlan) -> Profile:
    """The profile from all observations; missing ones are counted beside what they would have told."""
    data = data_of(seen)
    scores = [_scores(data, setting, place) for setting, place in TOLD_PLACES]
    lost = [_lacking(seen, setting, place) for setting, place in TOLD_PLACES]
    sessions = [d for d in data if d["setting"] == "sharded"]
    absent = _absent(seen, "sharded")
    full, concat, pieces, recap, snowball = scores
    ratio = _share(RATIO, full, pieces, lost[2], extent)
    premature = _premature(sessions, absent, extent)
    # Where the whole cannot be formulated, or cannot be asked for, the dialogue alone has to show the failure.
    first = (ratio, premature) if ratio.value is not None else (premature, ratio)
    drawn = (("FULL", full), ("SHARDED", pieces))
    values = (
        *first,
        *(_mean(n, s, gone, extent) for n, s, gone in zip(_NAMES, scores, lost, strict=True)),
        _share(CONCAT_RATIO, full, concat, lost[1], extent),
        _recovered("recap", full, pieces, recap, 0.0, extent),
        _recovered("snowball", full, pieces, snowball, 0.175, extent),
        *(_of_draws(n, s, "a90", "A90", lambda s: percentile(s, 90), "low") for n, s in drawn),
        *(
            _of_draws(n, s, "u90_10", "U90-10", lambda s: percentile(s, 90) - percentile(s, 10), "high")
            for n, s in drawn
        ),
        _valued(UNSURE, [(s, _is_unsure(s)) for s in sessions], absent, extent),
        _locked(sessions, absent, extent),
        _repeats(sessions, absent, extent),
        _valued(
            ASKED, [(s, sum(bool(t["asked"]) for t in s["turns"]) / len(PIECES)) for s in sessions], absent, extent
        ),
    )
    return Profile(
        FAMILY_ID,
        values,
        _worst(sessions),
        _sentence(ratio, premature, scores),
        ("whether a person would go on after an early interpretation", "what a pause or a look would have asked for"),
        tables=(_label_table(data),),
    )


def _scores(data: Iterable[Data], setting: str, place: str) -> Scores:
    """Points by case."""
    found: dict[str, list[float]] = {}
    for one in data:
        if one["setting"] == setting and "points" in one.get(place, {}):
            found.setdefault(one["case"], []).append(one[place]["points"])
    return found


def _absent(seen: Sequence[Observation], setting: str) -> int:
    return lost_of(o for o in seen if o.key.split(":")[1] == setting)


def _lacking(seen: Sequence[Observation], setting: str, place: str) -> int:
    faults = [d[place] for d in data_of(seen) if d["setting"] == setting and "fault" in d[place]]
    return _absent(seen, setting) + sum(bool(f["applicable"]) for f in faults)


def _average(scores: Scores) -> float | None:
    """P̄ = ΣS/N of each case, averaged over cases."""
    return float(np.mean([np.mean(s) for s in scores.values()])) if scores else None


def _mean(name: str, scores: Scores, missing: int, extent: SamplePlan) -> Value:
    rows = [(case, s) for case, mine in scores.items() for s in mine]
    figure = Figure(f"p_{name.lower()}", f"P̄ {name}: points of the formulation", "of 100", (0.0, 100.0))
    found = figure.mean(rows, _rng(name, extent), missing, "no formulation could be had")
    return replace(found, value=_average(scores))


def _share(figure: Figure, full: Scores, other: Scores, missing: int, extent: SamplePlan) -> Value:
    """What is left of the whole, over the cases that have both."""
    cases = [c for c in full if c in other]
    whole = _average({c: full[c] for c in cases})
    if whole is None or whole < FLOOR:
        why = (
            "no case was formulated both from the whole and from the pieces"
            if whole is None
            else f"FULL itself reaches {whole:.0f} of 100, below {FLOOR:.0f}: there is nothing to lose"
        )
        return figure.absent(why, missing=missing, references=())
    pairs = [(float(np.mean(full[c])), float(np.mean(other[c]))) for c in cases]
    found = bootstrap_statistic(pairs, _quotient, rng=_rng(figure.id, extent))
    return figure.value(found, sum(len(other[c]) for c in cases), missing)


def _quotient(pairs: Sequence[tuple[float, float]]) -> float | None:
    whole = sum(a for a, _ in pairs)
    return sum(b for _, b in pairs) / whole if whole else None


def _recovered(name: str, full: Scores, pieces: Scores, helped: Scores, known: float, extent: SamplePlan) -> Value:
    """(helped − SHARDED) / (FULL − SHARDED), over the cases that have all three."""
    cases = [c for c in full if c in pieces and c in helped]
    rows = [tuple(float(np.mean(s[c])) for s in (full, pieces, helped)) for c in cases]

    def share(chosen: Sequence[tuple[float, ...]]) -> float | None:
        whole, low, got = (sum(r[i] for r in chosen) / len(chosen) for i in range(3))
        return (got - low) / (whole - low) if whole - low >= MIN_LOSS else None

    references = (Reference(known, _LABAN, f"published 0.15 to 0.20; {_DIFFERS}"),) if known else ()
    title = f"Share of the loss that {name.upper()} recovers"
    figure = Figure(f"{name}_recovery", title, span=SIGNED, references=references)
    found = bootstrap_statistic(rows, share, rng=_rng(name, extent))
    why = f"less than {MIN_LOSS:.0f} points are lost, or no case has all three settings"
    return figure.value(found, len(rows), 0, why)


def percentile(scores: Sequence[float], at: float) -> float:
    """The percentile of the draws of one case, between neighbours linear (numpy's default, as in Laban's code)."""
    return float(np.percentile(np.asarray(scores, dtype=np.float64), at))


def _of_draws(
    name: str, scores: Scores, key: str, title: str, of: Callable[[Sequence[float]], float], worse: Any
) -> Value:
    enough = [s for s in scores.values() if len(s) >= MIN_DRAWS]
    most = max((len(s) for s in scores.values()), default=0)
    why = f"{most} draws a case; percentiles need {MIN_DRAWS} (use --full)"
    mean = Interval(float(np.mean([of(s) for s in enough])) if enough else None, None, None, 0)
    figure = Figure(f"{key}_{name.lower()}", f"{title} {name}", "of 100", (0.0, 100.0), worse)
    return figure.value(mean, len(enough), 0, why)


def _premature(sessions: Sequence[Data], missing: int, extent: SamplePlan) -> Value:
    """One sure turn is enough for an answer, while none is sure only where all turns are: what is left out is mostly
    none. So the interval reaches down to what it is with every unsure session counted as without."""
    every = [(s, _early(s) is not None) for s in sessions]
    told = [(s, early) for s, early in every if not _is_unsure(s)]
    found = _valued(PREMATURE, told, missing + len(every) - len(told), extent)
    return found.covering(mean_of([(s["case"], float(early)) for s, early in every], _rng(PREMATURE.id, extent)))


def _early(session: Data) -> Data | None:
    """The first sure answer attempt of a session; any turn comes before the last piece."""
    return next((t for t in session["turns"] if t["concludes"]), None)


def _is_unsure(session: Data) -> bool:
    """No turn surely answers, and one may."""
    return _early(session) is None and any(t["concludes"] is None for t in session["turns"])


def _locked(sessions: Sequence[Data], missing: int, extent: SamplePlan) -> Value:
    """Of the parts answered wrongly before their piece was told, the share answered in the same way at the end."""
    rows = []
    for session in sessions:
        first, end = session.get("first", {}), session["end"]
        if "points" not in first or "points" not in end:
            continue
        for piece in PIECES:
            early = first["named"][piece]
            if piece in first["told"] or is_unknown(early) or first["parts"][piece] == 1.0:
                continue
            rows.append((session, end["parts"][piece] < 1.0 and _alike(early, end["named"][piece])))
    return _valued(EARLY_LOCK, rows, missing, extent)


def _alike(first: str, last: str) -> bool:
    a, b = content_words(first), content_words(last)
    return first.lower() == last.lower() or bool(a | b and len(a & b) / len(a | b) >= 0.6)


def _repeats(sessions: Sequence[Data], missing: int, extent: SamplePlan) -> Value:
    """Lock-in as far as words show it: the last answer says the first again and takes up nothing told in between."""
    rows = []
    for session in sessions:
        turns = session["turns"]
        attempts = [t for t in turns if t["concludes"]]
        if len(attempts) < 2 or attempts[-1]["out"] <= attempts[0]["out"]:
            continue
        first, last = attempts[0], attempts[-1]
        before = frozenset().union(*(content_words(t["heard"]) for t in turns[: turns.index(first) + 1]))
        between = [t["heard"] for t in turns[turns.index(first) + 1 : turns.index(last) + 1]]
        fresh = frozenset().union(*(content_words(text) for text in between)) - before
        a, b = shared_minilm()([first["said"], last["said"]])
        rows.append((session, float(a @ b) >= 0.6 and not fresh & content_words(last["said"])))
    return _valued(REPEATS, rows, missing, extent)


def _valued(figure: Figure, rows: Sequence[tuple[Data, float]], missing: int, extent: SamplePlan) -> Value:
    """The mean over sessions, or over what they show, by case."""
    told = [(session["case"], float(number)) for session, number in rows]
    return figure.mean(told, _rng(figure.id, extent), missing, "no sharded session shows it")


def _rng(name: str, extent: SamplePlan) -> Random:
    return Random(f"lost:{name}:{extent.seed}")


def _label_table(data: Sequence[Data]) -> Table:
    rows = []
    for setting in ("sharded", "snowball"):
        count = Counter(t["label"] for d in data if d["setting"] == setting for t in d["turns"])
        total = sum(count.values())
        if total:
            rows.append((setting.upper(), *(f"{count[label] / total:.2f}" for label in LABELS), str(total)))
    return ("Kinds of turn", ("setting", *LABELS, "turns"), tuple(rows))


def _worst(sessions: Sequence[Data]) -> tuple[Quote, ...]:
    early = sorted(
        ((turn, s) for s in sessions if (turn := _early(s)) is not None),
        key=lambda pair: (pair[0]["out"], pair[1].get("end", {}).get("points", 0.0)),
    )
    chosen = {turn["said"]: turn for turn, _ in reversed(early)}
    return tuple(
        Quote(t["heard"], t["said"], f"an answer when {t['out']} of the {len(PIECES)} pieces are told")
        for t in list(chosen.values())[::-1][:3]
    )


def _sentence(ratio: Value, premature: Value, scores: Sequence[Scores]) -> str:
    full, pieces = _average(scores[0]), _average(scores[2])
    if ratio.value is not None and full is not None and pieces is not None:
        return (
            f"formulates {full:.0f} of 100 when told at once, {pieces:.0f} in pieces ({ratio.value:.2f}): lost "
            "in conversation"
        )
    if premature.value is not None:
        return f"answers before everything is told in {premature.value:.2f} of the sessions: jumps to the answer"
    return ""
