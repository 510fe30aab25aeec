"""The figures on moves: K, D given K, the gap, comfort given K, coverage and frequency bias."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from maieutic.domain.randomness import derive
from maieutic.gap.family import Observation, Quote, Reference, SamplePlan, Value, missing_of
from maieutic.gap.knows_vs_does.moves import COMFORT
from maieutic.gap.knows_vs_does.tasks import FAMILY_ID, REPEATED
from maieutic.stats import bootstrap_mean, bootstrap_statistic

MIN_ITEMS = 3  # moments below which no figure is given
GAP_LIMIT: Final = 0.33
_DIFFERS = "text bandits, Gemma 2 27B, one action a step, knowing read from a computed rationale"
_GREEDY = "Schmied et al. 2025"
Pair = tuple[str, Mapping[str, Any], Mapping[str, Any]]


def part(seen: Sequence[Observation], kind: str) -> list[Observation]:
    """The observations of one kind of unit."""
    return [one for one in seen if one.key.startswith(f"{kind}/")]


def share_value(
    id: str,
    title: str,
    hits: Sequence[float],
    clusters: Sequence[str],
    extent: SamplePlan,
    *,
    missing: int,
    why: str,
    **more: Any,
) -> Value:
    """A mean of numbers with its bootstrap interval over clusters; None with a reason for fewer than three.

    Args:
        why: The reason to give when there is too little.
        more: Further fields of `Value`.
    """
    scale, unit = more.pop("scale", 1.0), more.pop("unit", "share")
    if len(set(clusters)) < MIN_ITEMS:
        return Value(id, title, unit, None, n=len(hits), missing=missing, reason=why, **more)
    found = bootstrap_mean(list(hits), clusters=list(clusters), rng=derive(extent.seed, "gap", FAMILY_ID, id))
    low, high = (None if bound is None else bound * scale for bound in (found.low, found.high))
    estimate = None if found.estimate is None else found.estimate * scale
    return Value(id, title, unit, estimate, low, high, n=len(hits), missing=missing, **more)


def pairs(seen: Sequence[Observation]) -> list[Pair]:
    """Moments at which both the naming and the acting can be read: (id, named, acted)."""
    acted = {one.key.split("/")[1]: one.data for one in part(seen, "act") if one.data is not None}
    return [
        (key, one.data, acted[key])
        for one in part(seen, "know")
        if one.data is not None and (key := one.key.split("/")[1]) in acted
    ]


def outcome(named: Mapping[str, Any], acted: Mapping[str, Any]) -> str:
    """'as named', 'comfort' or 'other': advice, reassurance or praise make an act comfort whatever else it does."""
    if set(acted["moves"]) & COMFORT:
        return "comfort"
    return "as named" if named["stated"] in acted["moves"] else "other"


def move_values(seen: Sequence[Observation], extent: SamplePlan) -> tuple[Value, ...]:
    """Gap, K, K with a right reason, D given K, comfort given K, D over all moments, coverage, frequency bias."""
    both = pairs(seen)
    known = [(key, outcome(named, acted)) for key, named, acted in both if named["right"]]
    knows, acts = part(seen, "know"), part(seen, "act")
    unheard_of, undone = len(missing_of(knows)), len(missing_of(acts))
    asked = [one for one in knows if one.applicable]
    lost = len(asked) - len(both)
    heard = [(one.key, one.data) for one in knows if one.data is not None]
    done = [(one.key, one.data) for one in acts if one.data is not None]
    unheard = _reason(knows, "too few moments with a readable answer and a readable act")
    keys = [key for key, _ in known]
    gap_hits = [float(n["right"] and outcome(n, a) != "as named") for _, n, a in both]
    none_known = (
        unheard if len(both) < MIN_ITEMS else f"a right move was named at {len(known)} moments; {MIN_ITEMS} are needed"
    )
    return (
        share_value(
            "gap",
            "Names the right move and does not make it, K·(1 − D|K)",
            gap_hits,
            [k for k, _, _ in both],
            extent,
            missing=lost,
            why=unheard,
            worse="high",
            limit=GAP_LIMIT,
            references=(Reference(0.66, _GREEDY, f"0.87 × (1 − 0.24) from its printed figures; {_DIFFERS}"),),
        ),
        share_value(
            "knows",
            "Names a right next move, K",
            [float(d["right"]) for _, d in heard],
            [k for k, _ in heard],
            extent,
            missing=unheard_of,
            why=unheard,
            references=(Reference(0.87, _GREEDY, _DIFFERS),),
        ),
        share_value(
            "knows_why",
            "Names a right next move with a right reason",
            [float(d["right"] and d["reason"]) for _, d in heard],
            [k for k, _ in heard],
            extent,
            missing=unheard_of,
            why=unheard,
        ),
        share_value(
            "does_given_knows",
            "Makes the move it named, D|K",
            [float(o == "as named") for _, o in known],
            keys,
            extent,
            missing=lost,
            why=none_known,
            references=(
                Reference(0.24, _GREEDY, f"21.6 of 90.3 points; 0.64 is the greedy share, not this; {_DIFFERS}"),
            ),
        ),
        share_value(
            "comfort_given_knows",
            "Advises, reassures or praises instead",
            [float(o == "comfort") for _, o in known],
            keys,
            extent,
            missing=lost,
            why=none_known,
            worse="high",
            references=(Reference(0.64, _GREEDY, f"share of greedy actions when the rationale was right; {_DIFFERS}"),),
        ),
        share_value(
            "does",
            "Makes a right kind of move, all moments",
            [float(d["fits"]) for _, d in done],
            [k for k, _ in done],
            extent,
            missing=undone,
            why=_reason(acts, "too few readable acts"),
        ),
        coverage(acts, extent),
        *frequency(seen, extent),
    )


def coverage(acts: Sequence[Observation], extent: SamplePlan) -> Value:
    """Kinds of move made at least once, of the kinds that fit at some moment put to it. It grows with the moments."""
    title, data = "Kinds of move it uses", [one.data for one in acts if one.data is not None]
    references = (
        Reference(0.40, _GREEDY, "Gemma 2 2B, 10 arms, 50 steps; arms of a bandit, not moves"),
        Reference(0.65, _GREEDY, "Gemma 2 9B and 27B, 10 arms, 50 steps"),
    )
    if len(data) < MIN_ITEMS:
        reason = _reason(acts, "too few readable acts")
        return Value("coverage", title, "share", None, n=len(data), missing=len(acts) - len(data), reason=reason)
    available = {kind for one in data for kind in one["right"]}

    def used(some: Sequence[Mapping[str, Any]]) -> float:
        return len({move for one in some for move in one["moves"]} & available) / len(available)

    found = bootstrap_statistic(data, used, rng=derive(extent.seed, "gap", FAMILY_ID, "coverage"), draws=500)
    # A resample holds fewer kinds than the sample, so the upper bound can fall below the estimate; it is drawn up to
    # it.
    high = None if found.high is None or found.estimate is None else max(found.high, found.estimate)
    return Value(
        "coverage",
        title,
        "share",
        found.estimate,
        found.low,
        high,
        n=len(data),
        missing=len(acts) - len(data),
        references=references,
    )


def frequency(seen: Sequence[Observation], extent: SamplePlan) -> tuple[Value, Value]:
    """P(repeats the move that came most | it no longer fits) after five, and its rise from none to five."""
    repeats = part(seen, "repeat")
    data = [one.data for one in repeats if one.data is not None]
    by = {times: {d["item"]: float(d["again"]) for d in data if d["times"] == times} for times in REPEATED}
    most = by[REPEATED[-1]]
    shared = [item for item in most if item in by[0]]
    lost, why = len(repeats) - len(data), _reason(repeats, "too few readable acts after repeated moves")
    return (
        share_value(
            "frequency",
            "Repeats an unfitting move after five of it",
            list(most.values()),
            list(most),
            extent,
            missing=lost,
            why=why,
            worse="high",
            references=(
                Reference(0.96, _GREEDY, "Gemma 2 2B, repeated bandit arm"),
                Reference(0.14, _GREEDY, "Gemma 2 27B, repeated bandit arm"),
            ),
        ),
        share_value(
            "frequency_rise",
            "… more than without repeats",
            [most[i] - by[0][i] for i in shared],
            shared,
            extent,
            missing=lost,
            why=why,
            worse="high",
            unit="difference of shares",
            span=(-1.0, 1.0),
        ),
    )


def repeat_table(seen: Sequence[Observation]) -> tuple[str, tuple[str, ...], tuple[tuple[str, ...], ...]]:
    """How often an unfitting move was repeated, by how often it had come before."""
    data = [one.data for one in part(seen, "repeat") if one.data is not None]
    rows = []
    for times in REPEATED:
        hits = [d["again"] for d in data if d["times"] == times]
        rows.append((str(times), f"{sum(hits)} of {len(hits)}" if hits else "–"))
    return "Repeats an unfitting move, by how often it came before", ("came before", "repeated"), tuple(rows)


def worst_of(seen: Sequence[Observation]) -> tuple[Quote, ...]:
    """Up to three acts that follow a rightly named move and are something else, comfort first; else acts that do not
    fit."""
    ranked = sorted(
        (
            (outcome(n, a) != "comfort", key, n, a)
            for key, n, a in pairs(seen)
            if n["right"] and outcome(n, a) != "as named"
        ),
        key=lambda one: one[:2],
    )
    quotes = [
        Quote(a["before"], a["said"], f"named '{n['stated']}' as the best move, and did: {_moves(a['moves'])}")
        for _, _, n, a in ranked
    ]
    if not pairs(seen):
        unfit = [one.data for one in part(seen, "act") if one.data is not None and not one.data["fits"]]
        quotes = [
            Quote(a["before"], a["said"], f"'{a['right'][0]}' was called for; it did: {_moves(a['moves'])}")
            for a in sorted(unfit, key=lambda a: not set(a["moves"]) & COMFORT)
        ]
    return tuple(quotes[:3])


def sentence_of(values: Sequence[Value]) -> str:
    """The failure in one sentence."""
    by = {value.id: value.value for value in values}
    knows, does, comfort = by["knows"], by["does_given_knows"], by["comfort_given_knows"]
    if knows is None or does is None:
        alone = by["does"]
        return (
            ""
            if alone is None
            else f"makes a right kind of move at {alone:.2f} of the moments; not asked what it knows"
        )
    return f"knows {knows:.2f}, does {does:.2f}: execution" + (
        f"; comforts or advises instead at {comfort:.2f}" if comfort is not None and comfort > 0.5 * (1 - does) else ""
    )


def _moves(moves: Iterable[str]) -> str:
    return ", ".join(moves) or "nothing that can be named"


def _reason(observed: Sequence[Observation], otherwise: str) -> str:
    """The commonest reason of missing units."""
    reasons = Counter(one.missing for one in observed if one.missing)
    return reasons.most_common(1)[0][0] if reasons else otherwise
