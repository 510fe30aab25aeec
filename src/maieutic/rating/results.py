"""What the raters' sheets say once unblinded: agreement per item, and whether our measures follow the mean rating."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean

from maieutic.agreement import (
    Correlations,
    Figure,
    IntraclassCorrelations,
    Ratings,
    correlations,
    intraclass_correlations,
    krippendorff_alpha,
)
from maieutic.rating.kit import ITEMS, MIN_SESSIONS, Item
from maieutic.rating.sheets import KitKey, Sheet
from maieutic.stats import Interval, bootstrap_mean

MIN_ALPHA = 0.67
"""Krippendorff (2004, Content Analysis, 2nd ed., ch. 11): the least alpha at which tentative conclusions may be
drawn."""

DRAWS = 2000
LINK_DRAWS = 1000  # there is one interval for every item and measure


@dataclass(frozen=True, slots=True)
class ItemResult:
    """One item over all sessions and raters.

    Attributes:
        item: The item.
        alpha: Krippendorff's alpha over sessions that two raters rated.
        icc: Intraclass correlations; None-valued for a yes/no item.
        given, missing: Cells filled and left empty (sessions without a row count as empty).
        rater_means: Mean rating by rater: who is mild and who severe.
        group_means: Mean of the sessions' mean ratings by group, with interval.
        human_validated: Alpha is at least 0.67 over at least 20 sessions.
        reason: Why not; None when it is.
    """

    item: Item
    alpha: Figure
    icc: IntraclassCorrelations
    given: int
    missing: int
    rater_means: tuple[tuple[str, float | None], ...]
    group_means: tuple[tuple[str, Interval], ...]
    human_validated: bool
    reason: str | None


@dataclass(frozen=True, slots=True)
class Link:
    """The mean rating of an item beside one of our measures.

    Attributes:
        item: Id of the item.
        measure: Id of the measure.
        same_construct: The measure is meant to show the same thing.
        n: Sessions with both (a mean rating needs two raters).
        found: The correlations; `adjusted` holds the length of the session in words constant.
        reason: Why the measure is not human-validated; None when it is.
    """

    item: str
    measure: str
    same_construct: bool
    n: int
    found: Correlations
    reason: str | None

    @property
    def human_validated(self) -> bool:
        """The construct is, and over enough new sessions Spearman lies above 0, also with length held constant."""
        return self.reason is None


@dataclass(frozen=True, slots=True)
class SessionMeans:
    """The mean ratings of one session, unblinded; None where fewer than two raters rated."""

    kit_id: str
    session: str
    source: str
    group: str | None
    means: Mapping[str, float | None]


@dataclass(frozen=True, slots=True)
class KitResult:
    """Everything that came back from the raters."""

    kit: str
    raters: tuple[str, ...]
    items: tuple[ItemResult, ...]
    links: tuple[Link, ...]
    sessions: tuple[SessionMeans, ...]
    notes: tuple[str, ...]

    @property
    def human_validated(self) -> dict[str, bool]:
        """Per construct: whether humans agreed on it over enough sessions."""
        return {one.item.id: one.human_validated for one in self.items}


def compare_sheets(key: KitKey, sheets: Sequence[Sheet], *, rng: random.Random, notes: Sequence[str] = ()) -> KitResult:
    """Agreement of the sheets per item, and their mean ratings beside the measures in the key."""
    tables = {item.id: _table(item, sheets, key) for item in ITEMS}
    means = {item: {one: _mean(row) for one, row in table.items()} for item, table in tables.items()}
    items = tuple(
        _item_result(item, list(tables[item.id].values()), means[item.id], sheets, key, rng) for item in ITEMS
    )
    validated = {one.item.id: one.human_validated for one in items}
    return KitResult(
        kit=key.kit,
        raters=tuple(sheet.rater for sheet in sheets),
        items=items,
        links=_links(key, means, validated, rng),
        sessions=tuple(
            SessionMeans(name, one.session, one.source, one.group, {item: means[item][name] for item in means})
            for name, one in key.sessions.items()
        ),
        notes=tuple(notes),
    )


def _table(item: Item, sheets: Sequence[Sheet], key: KitKey) -> dict[str, list[float | None]]:
    return {name: [sheet.ratings.get(name, {}).get(item.id) for sheet in sheets] for name in key.sessions}


def _mean(row: Sequence[float | None]) -> float | None:
    given = [value for value in row if value is not None]
    return fmean(given) if len(given) >= 2 else None


def _item_result(
    item: Item,
    table: Ratings,
    means: Mapping[str, float | None],
    sheets: Sequence[Sheet],
    key: KitKey,
    rng: random.Random,
) -> ItemResult:
    alpha = krippendorff_alpha(table, item.level, rng=rng, draws=DRAWS)
    if item.yes_no:
        none = Figure(Interval(None, None, None, alpha.interval.n), "not computed for a yes/no item; see alpha")
        icc = IntraclassCorrelations(none, none, none, alpha.interval.n, len(sheets))
    else:
        icc = intraclass_correlations(table, rng=rng, draws=DRAWS)
    given = sum(value is not None for row in table for value in row)
    by_rater = [[value for row in table if (value := row[place]) is not None] for place in range(len(sheets))]
    reason = _why_not(alpha)
    return ItemResult(
        item=item,
        alpha=alpha,
        icc=icc,
        given=given,
        missing=len(table) * len(sheets) - given,
        rater_means=tuple(
            (sheet.rater, fmean(got) if got else None) for sheet, got in zip(sheets, by_rater, strict=True)
        ),
        group_means=tuple(_group_means(means, key, rng)),
        human_validated=reason is None,
        reason=reason,
    )


def _why_not(alpha: Figure) -> str | None:
    if alpha.value is None:
        return alpha.reason
    if alpha.interval.n < MIN_SESSIONS:
        return f"{alpha.interval.n} sessions were rated by two raters; at least {MIN_SESSIONS} are needed"
    if alpha.value < MIN_ALPHA:
        return f"the raters agree too little: alpha {alpha.value:.2f}, at least {MIN_ALPHA} is needed"
    return None


def _group_means(means: Mapping[str, float | None], key: KitKey, rng: random.Random) -> list[tuple[str, Interval]]:
    groups = sorted({one.group or "no group" for one in key.sessions.values()})
    rated = {
        group: [
            value
            for name, one in key.sessions.items()
            if (one.group or "no group") == group and (value := means[name]) is not None
        ]
        for group in groups
    }
    return [(group, bootstrap_mean(values, rng=rng, draws=DRAWS)) for group, values in rated.items()]


def _links(
    key: KitKey,
    means: Mapping[str, Mapping[str, float | None]],
    validated: Mapping[str, bool],
    rng: random.Random,
) -> tuple[Link, ...]:
    """Every item beside every measure that has a value in some session."""
    named = dict.fromkeys(
        measure for one in key.sessions.values() for measure, value in one.measures.items() if value is not None
    )
    found: list[Link] = []
    for item in ITEMS:
        for measure in named:
            pairs = [
                (rating, value, one.words)
                for name, one in key.sessions.items()
                if (rating := means[item.id][name]) is not None and (value := one.measures.get(measure)) is not None
            ]
            columns = [[float(pair[place]) for pair in pairs] for place in range(3)]
            got = correlations(columns[0], columns[1], third=columns[2], rng=rng, draws=LINK_DRAWS)
            link = Link(item.id, measure, item.shows(measure), len(pairs), got, None)
            found.append(replace(link, reason=_why_not_linked(link, validated[item.id], key)))
    return tuple(found)


def _why_not_linked(link: Link, construct: bool, key: KitKey) -> str | None:
    if not link.same_construct:
        return "the measure is not meant to show this"
    if not construct:
        return "the construct is not"
    if key.caveats:
        return "the sessions are not new to it, see above"
    if link.n < MIN_SESSIONS:
        return f"{link.n} sessions have both; at least {MIN_SESSIONS} are needed"
    if not _above_zero(link.found.spearman):
        return "its interval is not above 0"
    if not _above_zero(link.found.adjusted):
        return "with length held constant its interval is not above 0"
    return None


def _above_zero(figure: Figure) -> bool:
    return figure.interval.low is not None and figure.interval.low > 0
