"""The figures on moves: K, D given K, the gap, comfort given K, coverage and frequency bias; and those on concepts.

Potemkin understanding (Mancoridis et al. 2025) on concepts of Socratic work: explains, fails to use, labels itself.
Rates are given a right keystone: a right definition and both distinctions right. Classify = 2·(1 − accuracy), as
guessing gets half; generate and edit = 1 − accuracy; incoherence = 2·(1 − agreement of its label with what it was asked
to make).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Final

from maieutic.domain.randomness import derive
from maieutic.gap.family import Observation, Quote, Reference, SamplePlan, Table, Value
from maieutic.gap.figures import (
    SIGNED,
    Data,
    Figure,
    Rows,
    commonest_reason,
    data_of,
    item_of,
    lost_of,
    mean_of,
    of_kind,
)
from maieutic.gap.knows_vs_does.moves import COMFORT
from maieutic.stats import Interval, bootstrap_statistic

FAMILY_ID: Final = "knows_vs_does"
REPEATED: Final = (0, 2, 5)
"""How often one kind of move came before."""
MIN_ITEMS = 3  # moments below which no figure is given
GAP_LIMIT: Final = 0.33
"""Of the gap K·(1 − D|K), the headline: the share of moments at which it named a right kind of move and then did not
make it. Set before any run: half of what the printed figures of Schmied et al. come to, 0.87·(1 − 0.24) = 0.66."""
FEW_ACTS: Final = "too few readable acts"
_DIFFERS = "text bandits, Gemma 2 27B, one action a step, knowing read from a computed rationale"
_GREEDY = "Schmied et al. 2025"
Pair = tuple[str, Data, Data]
_worse = partial(Figure, worse="high")
GAP: Final = _worse(
    "gap",
    "Names the right move and does not make it, K·(1 − D|K)",
    limit=GAP_LIMIT,
    references=(Reference(0.66, _GREEDY, f"0.87 × (1 − 0.24) from its printed figures; {_DIFFERS}"),),
)
KNOWS: Final = Figure("knows", "Names a right next move, K", references=(Reference(0.87, _GREEDY, _DIFFERS),))
KNOWS_WHY: Final = Figure("knows_why", "Names a right next move with a right reason")
DOES_GIVEN: Final = Figure(
    "does_given_knows",
    "Makes the move it named, D|K",
    references=(Reference(0.24, _GREEDY, f"21.6 of 90.3 points; 0.64 is the greedy share, not this; {_DIFFERS}"),),
)
COMFORT_GIVEN: Final = _worse(
    "comfort_given_knows",
    "Advises, reassures or praises instead",
    references=(Reference(0.64, _GREEDY, f"share of greedy actions when the rationale was right; {_DIFFERS}"),),
)
DOES: Final = Figure("does", "Makes a right kind of move, all moments")
COVERAGE: Final = Figure(
    "coverage",
    "Kinds of move it uses",
    references=(
        Reference(0.40, _GREEDY, "Gemma 2 2B, 10 arms, 50 steps; arms of a bandit, not moves"),
        Reference(0.65, _GREEDY, "Gemma 2 9B and 27B, 10 arms, 50 steps"),
    ),
)
FREQUENCY: Final = _worse(
    "frequency",
    "Repeats an unfitting move after five of it",
    references=(
        Reference(0.96, _GREEDY, "Gemma 2 2B, repeated bandit arm"),
        Reference(0.14, _GREEDY, "Gemma 2 27B, repeated bandit arm"),
    ),
)
RISE: Final = _worse("frequency_rise", "… more than without repeats", "difference of shares", SIGNED)


def share_value(figure: Figure, rows: Rows, extent: SamplePlan, missing: int, why: str, *, scale: float = 1.0) -> Value:
    """A mean of numbers with its bootstrap interval over clusters; None with a reason for fewer than three.

    Args:
        why: The reason to give when there is too little.
        scale: What mean and interval are multiplied by.
    """
    if len({cluster for cluster, _ in rows}) < MIN_ITEMS:
        return figure.absent(why, len(rows), missing)
    found = mean_of(rows, derive(extent.seed, "gap", FAMILY_ID, figure.id))
    mean, low, high = (None if end is None else end * scale for end in (found.estimate, found.low, found.high))
    return figure.value(Interval(mean, low, high, found.n), len(rows), missing)


def pairs(seen: Sequence[Observation]) -> list[Pair]:
    """Moments at which both the naming and the acting can be read: (id, named, acted)."""
    named, acted = (
        {item_of(one): one.data for one in of_kind(seen, kind) if one.data is not None} for kind in ("know", "act")
    )
    return [(key, known, acted[key]) for key, known in named.items() if key in acted]


def outcome(named: Data, acted: Data) -> str:
    """'as named', 'comfort' or 'other': advice, reassurance or praise make an act comfort whatever else it does."""
    if set(acted["moves"]) & COMFORT:
        return "comfort"
    return "as named" if named["stated"] in acted["moves"] else "other"


def move_values(seen: Sequence[Observation], extent: SamplePlan) -> tuple[Value, ...]:
    """Gap, K, K with a right reason, D given K, comfort given K, D over all moments, coverage, frequency bias."""
    both = pairs(seen)
    knows, acts = of_kind(seen, "know"), of_kind(seen, "act")
    named = [(key, n, outcome(n, a)) for key, n, a in both]
    known = [(key, came) for key, n, came in named if n["right"]]
    lost = sum(one.applicable for one in knows) - len(both)
    unheard = commonest_reason(knows, "too few moments with a readable answer and a readable act")
    none_known = (
        unheard if len(both) < MIN_ITEMS else f"a right move was named at {len(known)} moments; {MIN_ITEMS} are needed"
    )

    def of_units(figure: Figure, units: Sequence[Observation], hit: Callable[[Data], bool], why: str) -> Value:
        rows = [(one.key, float(hit(one.data))) for one in units if one.data is not None]
        return share_value(figure, rows, extent, lost_of(units), why)

    def given(figure: Figure, wanted: str) -> Value:
        return share_value(figure, [(key, float(came == wanted)) for key, came in known], extent, lost, none_known)

    undone = [(key, float(n["right"] and came != "as named")) for key, n, came in named]
    return (
        share_value(GAP, undone, extent, lost, unheard),
        of_units(KNOWS, knows, lambda d: d["right"], unheard),
        of_units(KNOWS_WHY, knows, lambda d: d["right"] and d["reason"], unheard),
        given(DOES_GIVEN, "as named"),
        given(COMFORT_GIVEN, "comfort"),
        of_units(DOES, acts, lambda d: d["fits"], commonest_reason(acts, FEW_ACTS)),
        coverage(acts, extent),
        *frequency(seen, extent),
    )


def coverage(acts: Sequence[Observation], extent: SamplePlan) -> Value:
    """Kinds of move made at least once, of the kinds that fit at some moment put to it. It grows with the moments."""
    data = data_of(acts)
    lost = len(acts) - len(data)
    if len(data) < MIN_ITEMS:
        return COVERAGE.absent(commonest_reason(acts, FEW_ACTS), len(data), lost, references=())
    available = {kind for one in data for kind in one["right"]}

    def used(some: Sequence[Data]) -> float:
        return len({move for one in some for move in one["moves"]} & available) / len(available)

    found = bootstrap_statistic(data, used, rng=derive(extent.seed, "gap", FAMILY_ID, "coverage"), draws=500)
    # A resample holds fewer kinds than the sample, so the upper bound can fall below the estimate; it is drawn up to
    # it.
    high = None if found.high is None or found.estimate is None else max(found.high, found.estimate)
    return COVERAGE.value(found, len(data), lost, high=high)


def frequency(seen: Sequence[Observation], extent: SamplePlan) -> tuple[Value, Value]:
    """P(repeats the move that came most | it no longer fits) after five, and its rise from none to five."""
    repeats = of_kind(seen, "repeat")
    data = data_of(repeats)
    by = {times: {d["item"]: float(d["again"]) for d in data if d["times"] == times} for times in REPEATED}
    most = by[REPEATED[-1]]
    shared = [item for item in most if item in by[0]]
    lost, why = len(repeats) - len(data), commonest_reason(repeats, "too few readable acts after repeated moves")
    risen = [(item, most[item] - by[0][item]) for item in shared]
    return share_value(FREQUENCY, list(most.items()), extent, lost, why), share_value(RISE, risen, extent, lost, why)


def repeat_table(seen: Sequence[Observation]) -> Table:
    """How often an unfitting move was repeated, by how often it had come before."""
    data = data_of(of_kind(seen, "repeat"))
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
        unfit = [d for d in data_of(of_kind(seen, "act")) if not d["fits"]]
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


_POTEMKIN: Final = "Mancoridis et al. 2025"
_UNLIKE: Final = "32 concepts of literature, game theory and psychological biases; large models; graded by people"


def _rate(id: str, title: str, published: float | None, unit: str = "share", most: float = 1.0) -> Figure:
    known = () if published is None else (Reference(published, _POTEMKIN, _UNLIKE),)
    return Figure(id, title, unit, (0.0, most), "high", references=known)


EXPLAINS: Final = Figure(
    "explains", "Explains the concept rightly (keystone)", references=(Reference(0.942, _POTEMKIN, _UNLIKE),)
)
CLASSIFY: Final = _rate("potemkin_classify", "Explains and cannot tell an example, 2·(1 − accuracy)", 0.55, "rate", 2.0)
GENERATE: Final = _rate("potemkin_generate", "Explains and cannot make an example", 0.40)
EDIT: Final = _rate("potemkin_edit", "Explains and cannot change a sentence accordingly", 0.40)
INCOHERENCE: Final = _rate("incoherence", "Labels its own examples otherwise, 2·(1 − agreement)", 0.22, "rate", 2.0)
SEES: Final = _rate("explain_fail_see", "Explains, fails, and sees that it failed", None)


def keystone(data: Data) -> bool | None:
    """Whether the concept is explained rightly; None when a part of it could not be read."""
    parts = [data["define"], *data["apart"]]
    if any(one is False for one in parts):
        return False
    return None if any(one is None for one in parts) else True


def potemkin_values(seen: Sequence[Observation], extent: SamplePlan) -> tuple[Value, ...]:
    """Keystone, classify, generate, edit, incoherence, and the triple of explaining, failing and seeing it."""
    units = of_kind(seen, "concept")
    data, asked = data_of(units), sum(one.applicable for one in units)
    lost, why = asked - len(data), commonest_reason(units, "too few concepts")
    judged = [(str(d["concept"]), keystone(d)) for d in data]
    passed = [(str(d["concept"]), d) for d in data if keystone(d)]
    few = why if len(data) < 3 else f"{len(passed)} concepts were explained rightly; 3 are needed"
    first = [(c, d["made"][0]["is"]) for c, d in passed if d["made"]]
    labelled = [
        (str(d["concept"]), float(one["label"] is not one["asked"]))
        for d in data
        for one in d["made"]
        if one["label"] is not None
    ]
    tried = [(c, k, d["made"][0]) for (c, k), d in zip(judged, data, strict=True) if d["made"] and k is not None]
    triple = [
        (c, float(k and not one["is"] and one["label"] is False))
        for c, k, one in tried
        if one["is"] is not None and one["label"] is not None
    ]

    def given(figure: Figure, rows: Rows, scale: float = 1.0) -> Value:
        """Of the concepts that were explained rightly."""
        return share_value(
            figure, rows, extent, asked - len({c for c, _ in rows}) if few is why else lost, few, scale=scale
        )

    def of_all(figure: Figure, rows: Rows, scale: float = 1.0) -> Value:
        return share_value(figure, rows, extent, asked - len({c for c, _ in rows}), why, scale=scale)

    return (
        of_all(EXPLAINS, [(c, float(k)) for c, k in judged if k is not None]),
        given(CLASSIFY, [(c, 1.0 - hit) for c, d in passed for hit in d["classify"] if hit is not None], 2.0),
        given(GENERATE, [(c, 1.0 - bool(made)) for c, made in first if made is not None]),
        given(EDIT, [(c, 1.0 - d["edit"]) for c, d in passed if d["edit"] is not None]),
        of_all(INCOHERENCE, labelled, 2.0),
        of_all(SEES, triple),
    )
