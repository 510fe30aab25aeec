"""The figures of family 'lost': mean, aptitude, unreliability, the ratio to the whole, what is recovered, early
answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from random import Random
from typing import Any, Final

import numpy as np

from maieutic.gap.family import Observation, Profile, Quote, Reference, SamplePlan, Value
from maieutic.gap.lost.cases import PIECES
from maieutic.gap.lost.formulation import is_unknown
from maieutic.gap.lost.labels import LABELS
from maieutic.language.sentences import content_words
from maieutic.reading.minilm import shared_minilm
from maieutic.stats import Interval, bootstrap_mean, bootstrap_statistic

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


def profile_of(seen: Sequence[Observation], extent: SamplePlan) -> Profile:
    """The profile from all observations; missing ones are counted beside what they would have told."""
    data = [o.data for o in seen if o.data is not None]
    scores = [_scores(data, setting, place) for setting, place in TOLD_PLACES]
    lost = [_lacking(seen, setting, place) for setting, place in TOLD_PLACES]
    sessions = [d for d in data if d["setting"] == "sharded"]
    absent = _absent(seen, "sharded")
    ratio = _ratio(scores[0], scores[2], lost[2], extent)
    premature = _premature(sessions, absent, extent)
    # Where the whole cannot be formulated, or cannot be asked for, the dialogue alone has to show the failure.
    first = (ratio, premature) if ratio.value is not None else (premature, ratio)
    values = (
        *first,
        *(_mean(n, s, gone, extent) for n, s, gone in zip(_NAMES, scores, lost, strict=True)),
        _concat_ratio(scores[0], scores[1], lost[1], extent),
        _recovered("recap", scores[0], scores[2], scores[3], 0.0, extent),
        _recovered("snowball", scores[0], scores[2], scores[4], 0.175, extent),
        *(_percentiles(n, s) for n, s in zip(_NAMES, scores, strict=True) if n in ("FULL", "SHARDED")),
        *(_spread(n, s) for n, s in zip(_NAMES, scores, strict=True) if n in ("FULL", "SHARDED")),
        _unsure(sessions, absent, extent),
        _locked(sessions, absent, extent),
        _repeats(sessions, absent, extent),
        _asked(sessions, absent, extent),
    )
    return Profile(
        "lost",
        values,
        _worst(sessions),
        _sentence(ratio, premature, scores),
        ("whether a person would go on after an early interpretation", "what a pause or a look would have asked for"),
        tables=(_label_table(data),),
    )


def _scores(data: Iterable[Mapping[str, Any]], setting: str, place: str) -> Scores:
    """Points by case."""
    found: dict[str, list[float]] = {}
    for one in data:
        if one["setting"] == setting and "points" in one.get(place, {}):
            found.setdefault(one["case"], []).append(one[place]["points"])
    return found


def _absent(seen: Sequence[Observation], setting: str) -> int:
    return sum(o.data is None and o.applicable and o.key.split(":")[1] == setting for o in seen)


def _lacking(seen: Sequence[Observation], setting: str, place: str) -> int:
    faults = [
        o.data[place] for o in seen if o.data is not None and o.data["setting"] == setting and "fault" in o.data[place]
    ]
    return _absent(seen, setting) + sum(bool(f["applicable"]) for f in faults)


def _average(scores: Scores) -> float | None:
    """P̄ = ΣS/N of each case, averaged over cases."""
    return float(np.mean([np.mean(s) for s in scores.values()])) if scores else None


def _mean(name: str, scores: Scores, missing: int, extent: SamplePlan) -> Value:
    flat = [(case, s) for case, mine in scores.items() for s in mine]
    title, unit, span = f"P̄ {name}: points of the formulation", "of 100", (0.0, 100.0)
    if not flat:
        why = "no formulation could be had"
        return Value(f"p_{name.lower()}", title, unit, None, missing=missing, reason=why, span=span)
    found = bootstrap_mean([s for _, s in flat], clusters=[c for c, _ in flat], rng=_rng(name, extent))
    return Value(
        f"p_{name.lower()}", title, unit, _average(scores), found.low, found.high, len(flat), missing, span=span
    )


def _ratio(full: Scores, other: Scores, missing: int, extent: SamplePlan) -> Value:
    return _share(
        "ratio",
        "SHARDED / FULL",
        full,
        other,
        missing,
        extent,
        LIMIT_RATIO,
        (Reference(0.61, _LABAN, _DIFFERS),),
    )


def _concat_ratio(full: Scores, other: Scores, missing: int, extent: SamplePlan) -> Value:
    return _share(
        "concat_ratio", "CONCAT / FULL", full, other, missing, extent, None, (Reference(0.951, _LABAN, _DIFFERS),)
    )


def _share(
    name: str,
    title: str,
    full: Scores,
    other: Scores,
    missing: int,
    extent: SamplePlan,
    limit: float | None,
    references: tuple[Reference, ...],
) -> Value:
    cases = [c for c in full if c in other]
    whole = _average({c: full[c] for c in cases})
    if whole is None or whole < FLOOR:
        why = (
            "no case was formulated both from the whole and from the pieces"
            if whole is None
            else f"FULL itself reaches {whole:.0f} of 100, below {FLOOR:.0f}: there is nothing to lose"
        )
        return Value(name, title, "ratio", None, missing=missing, reason=why, span=(0.0, 1.25), limit=limit)
    pairs = [(float(np.mean(full[c])), float(np.mean(other[c]))) for c in cases]
    found = bootstrap_statistic(pairs, _quotient, rng=_rng(name, extent))
    return Value.of(
        name,
        title,
        "ratio",
        found,
        n=sum(len(other[c]) for c in cases),
        missing=missing,
        span=(0.0, 1.25),
        limit=limit,
        references=references,
    )


def _quotient(pairs: Sequence[tuple[float, float]]) -> float | None:
    whole = sum(a for a, _ in pairs)
    return sum(b for _, b in pairs) / whole if whole else None


def _recovered(name: str, full: Scores, pieces: Scores, helped: Scores, known: float, extent: SamplePlan) -> Value:
    """(helped − SHARDED) / (FULL − SHARDED), over the cases that have all three."""
    title = f"Share of the loss that {name.upper()} recovers"
    cases = [c for c in full if c in pieces and c in helped]
    rows = [tuple(float(np.mean(s[c])) for s in (full, pieces, helped)) for c in cases]

    def share(chosen: Sequence[tuple[float, ...]]) -> float | None:
        whole, low, got = (sum(r[i] for r in chosen) / len(chosen) for i in range(3))
        return (got - low) / (whole - low) if whole - low >= MIN_LOSS else None

    found = bootstrap_statistic(rows, share, rng=_rng(name, extent)) if rows else Interval(None, None, None, 0)
    why = f"less than {MIN_LOSS:.0f} points are lost, or no case has all three settings"
    references = (Reference(known, _LABAN, f"published 0.15 to 0.20; {_DIFFERS}"),) if known else ()
    return Value.of(
        f"{name}_recovery",
        title,
        "share",
        found,
        n=len(rows),
        reason=why if found.estimate is None else None,
        span=(-1.0, 1.0),
        references=references,
    )


def percentile(scores: Sequence[float], at: float) -> float:
    """The percentile of the draws of one case, between neighbours linear (numpy's default, as in Laban's code)."""
    return float(np.percentile(np.asarray(scores, dtype=np.float64), at))


def _percentiles(name: str, scores: Scores) -> Value:
    return _of_draws(name, scores, "a90", "A90", lambda s: percentile(s, 90), "low")


def _spread(name: str, scores: Scores) -> Value:
    return _of_draws(name, scores, "u90_10", "U90-10", lambda s: percentile(s, 90) - percentile(s, 10), "high")


def _of_draws(
    name: str, scores: Scores, key: str, title: str, figure: Callable[[Sequence[float]], float], worse: Any
) -> Value:
    enough = [s for s in scores.values() if len(s) >= MIN_DRAWS]
    most = max((len(s) for s in scores.values()), default=0)
    why = f"{most} draws a case; percentiles need {MIN_DRAWS} (use --full)"
    return Value(
        f"{key}_{name.lower()}",
        f"{title} {name}",
        "of 100",
        float(np.mean([figure(s) for s in enough])) if enough else None,
        n=len(enough),
        reason=None if enough else why,
        span=(0.0, 100.0),
        worse=worse,
    )


def _premature(sessions: Sequence[Mapping[str, Any]], missing: int, extent: SamplePlan) -> Value:
    """One sure turn is enough for an answer, while none is sure only where all turns are: what is left out is mostly
    none. So the interval reaches down to what it is with every unsure session counted as without."""
    told = [s for s in sessions if not _is_unsure(s)]
    found = _valued(
        "premature",
        "Sessions with an answer before everything is told",
        [float(_early(s) is not None) for s in told],
        told,
        missing + len(sessions) - len(told),
        extent,
        LIMIT_PREMATURE,
    )
    every, cases = [float(_early(s) is not None) for s in sessions], [s["case"] for s in sessions]
    return found.covering(bootstrap_mean(every, clusters=cases, rng=_rng("premature", extent)))


def _unsure(sessions: Sequence[Mapping[str, Any]], missing: int, extent: SamplePlan) -> Value:
    return _valued(
        "unsure",
        "Sessions of which it is unsure whether one of its turns answers; not counted among those",
        [float(_is_unsure(s)) for s in sessions],
        sessions,
        missing,
        extent,
        None,
    )


def _early(session: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The first sure answer attempt of a session; any turn comes before the last piece."""
    return next((t for t in session["turns"] if t["concludes"]), None)


def _is_unsure(session: Mapping[str, Any]) -> bool:
    """No turn surely answers, and one may."""
    return _early(session) is None and any(t["concludes"] is None for t in session["turns"])


def _locked(sessions: Sequence[Mapping[str, Any]], missing: int, extent: SamplePlan) -> Value:
    """Of the parts answered wrongly before their piece was told, the share answered in the same way at the end."""
    values, cases = [], []
    for session in sessions:
        first, end = session.get("first", {}), session["end"]
        if "points" not in first or "points" not in end:
            continue
        for piece in PIECES:
            early = first["named"][piece]
            if piece in first["told"] or is_unknown(early) or first["parts"][piece] == 1.0:
                continue
            values.append(float(end["parts"][piece] < 1.0 and _alike(early, end["named"][piece])))
            cases.append(session)
    return _valued(
        "early_lock",
        "Early lock-in: wrong first answers kept against a later piece",
        values,
        cases,
        missing,
        extent,
        0.5,
    )


def _alike(first: str, last: str) -> bool:
    a, b = content_words(first), content_words(last)
    return first.lower() == last.lower() or bool(a | b and len(a & b) / len(a | b) >= 0.6)


def _repeats(sessions: Sequence[Mapping[str, Any]], missing: int, extent: SamplePlan) -> Value:
    """Lock-in as far as words show it: the last answer says the first again and takes up nothing told in between."""
    values, kept = [], []
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
        values.append(float(float(a @ b) >= 0.6 and not fresh & content_words(last["said"])))
        kept.append(session)
    return _valued(
        "repeats", "Sessions whose last answer only says the first again", values, kept, missing, extent, None
    )


def _asked(sessions: Sequence[Mapping[str, Any]], missing: int, extent: SamplePlan) -> Value:
    values = [sum(bool(t["asked"]) for t in s["turns"]) / len(PIECES) for s in sessions]
    return _valued(
        "asked", "Share of the pieces told because they were asked for", values, sessions, missing, extent, None, "low"
    )


def _valued(
    name: str,
    title: str,
    values: Sequence[float],
    rows: Sequence[Mapping[str, Any]],
    missing: int,
    extent: SamplePlan,
    limit: float | None,
    worse: Any = "high",
) -> Value:
    found = bootstrap_mean(values, clusters=[r["case"] for r in rows], rng=_rng(name, extent))
    why = "no sharded session shows it" if not values else None
    return Value.of(name, title, "share", found, n=len(values), missing=missing, reason=why, worse=worse, limit=limit)


def _rng(name: str, extent: SamplePlan) -> Random:
    return Random(f"lost:{name}:{extent.seed}")


def _label_table(data: Sequence[Mapping[str, Any]]) -> tuple[str, tuple[str, ...], tuple[tuple[str, ...], ...]]:
    rows = []
    for setting in ("sharded", "snowball"):
        count = Counter(t["label"] for d in data if d["setting"] == setting for t in d["turns"])
        total = sum(count.values())
        if total:
            rows.append((setting.upper(), *(f"{count[label] / total:.2f}" for label in LABELS), str(total)))
    return ("Kinds of turn", ("setting", *LABELS, "turns"), tuple(rows))


def _worst(sessions: Sequence[Mapping[str, Any]]) -> tuple[Quote, ...]:
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
