"""The heads that forecast held conviction and risk from what has come up, with left-out figures by world (see `fit_tracker.py`)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from sklearn.linear_model import LogisticRegression

from fit_tracker import Exchange, folded, shares_with
from maieutic.library import get_case
from maieutic.protocols import Embedder
from maieutic.reading.head import Head, log_shares
from maieutic.tracking.ear import EmbeddedEar, replied
from maieutic.tracking.evidence import conviction_features, gathered, no_evidence, risk_features
from maieutic.tracking.space import CONVICTION_BINS, RISKS, Floats, bin_of
from maieutic.tracking.tables import Tables
from maieutic.validation.tracking.forecasted import truth

FROM = 5
PENALTIES = {"conviction": (0.005, 0.01, 0.02), "risk": (0.001, 0.003, 0.01, 0.03)}


@dataclass(frozen=True)
class Followed:
    """One session: by patient turn what the two heads see, and what was true of conviction (in 20 bins)."""

    case: str
    world: str
    conviction: Floats
    risk: Floats
    held: tuple[int, ...]
    danger: int


def fit_forecasts(
    talks: Sequence[Sequence[Exchange]], names: Sequence[str], without: Mapping[str, Head], tables: Tables, embed: Embedder
) -> tuple[dict[str, object], dict[str, Any]]:  # fmt: skip
    """Both heads and their starts, and mean log scores from turn 5 on by world for the card."""
    ear = EmbeddedEar(embed, tables)
    found = [followed(talk, ear, without[talk[0].case]) for talk in talks]
    labels = [str(n) for n in range(CONVICTION_BINS)]
    first = shares_with([labels[one.held[0]] for one in found], labels, even=0.05)
    risks = shares_with(
        [RISKS[danger] for _, danger in sorted({(one.case, one.danger) for one in found})], RISKS, even=0.05
    )
    card: dict[str, object] = {}
    heads: dict[str, object] = {"conviction_start": first, "risk_start": risks}
    # Risk is rare: each fold leaves its share of those patients out.
    order = sorted(names, key=lambda name: get_case(name).risk.level == "none")
    for name, fit, seen, true in (
        ("conviction", fit_conviction, lambda one: one.conviction, lambda one: one.held),
        ("risk", fit_risk, lambda one: one.risk, lambda one: (one.danger,) * len(one.held)),
    ):
        tried = {penalty: _left_out(found, order, fit, seen, true, penalty) for penalty in PENALTIES[name]}
        best = max(tried, key=lambda penalty: tried[penalty]["all"])
        card[name] = {"penalty": best, **{world: round(value, 3) for world, value in tried[best].items()}}
        heads[f"{name}_head"] = fit(*_rows(found, seen, true), best)
    return heads, card


def followed(talk: Sequence[Exchange], ear: EmbeddedEar, replies: Head) -> Followed:
    """What has come up in a session, with kinds of reply by a head that has not met the case."""
    seen, rows = no_evidence(), []
    for e in talk:
        heard = ear.hear(e.text, e.question, e.named)
        if heard.readable:
            vector = ear.embed([e.text])[0].astype(np.float64)
            heard = replace(heard, replies=replied(replies, e.text, vector, e.question))
            seen = gathered(seen, heard)
        rows.append(seen)
    first = talk[0]
    return Followed(
        first.case, first.world,
        np.array([conviction_features(row) for row in rows]), np.array([risk_features(row) for row in rows]),
        tuple(bin_of(e.after.held / 100.0, CONVICTION_BINS) for e in talk),
        truth(get_case(first.case), first.after)["risk"],
    )  # fmt: skip


Seen = Callable[[Followed], Floats]
True_ = Callable[[Followed], Sequence[int]]
Fit = Callable[[Floats, NDArray[np.int64], Floats, float], Head]


def _rows(found: Sequence[Followed], seen: Seen, true: True_) -> tuple[Floats, NDArray[np.int64], Floats]:
    """Every second turn from the third on, since turns of a session are alike; cases count alike."""
    x = [seen(one)[2::2] for one in found]
    y = [np.array(true(one)[2::2], dtype=np.int64) for one in found]
    cases = [one.case for one, rows in zip(found, x, strict=True) for _ in rows]
    of_case = Counter(cases)
    return np.concatenate(x), np.concatenate(y), np.array([len(cases) / len(of_case) / of_case[c] for c in cases])


def fit_conviction(x: Floats, y: NDArray[np.int64], weight: Floats, penalty: float) -> Head:
    """A multinomial head over the bins of held conviction."""
    centre, scale = x.mean(axis=0), x.std(axis=0) + 0.05
    model = LogisticRegression(C=penalty, max_iter=300).fit((x - centre) / scale, y, sample_weight=weight)
    weights, bias = np.zeros((CONVICTION_BINS, x.shape[1])), np.full(CONVICTION_BINS, -4.0)
    weights[model.classes_], bias[model.classes_] = model.coef_, model.intercept_ - model.intercept_.max()
    return Head(tuple(map(str, range(CONVICTION_BINS))), weights, bias, centre=centre, scale=scale)


def fit_risk(x: Floats, y: NDArray[np.int64], weight: Floats, penalty: float) -> Head:
    """A head in which nothing that sounds dangerous can speak against danger: patients at risk are few, and what they share
    by chance is not to be learned. Passive and active danger share all but a bias and the lean between them."""
    centre, scale = x.mean(axis=0), x.std(axis=0) + 0.05
    z, last = (x - centre) / scale, x.shape[1] - 1

    def rows(of: Floats) -> tuple[Floats, Floats]:
        shared, lean, passive, active = of[:last], of[last], of[-2], of[-1]
        weights = np.array([np.zeros(last + 1), np.zeros(last + 1), [*shared, -lean], [*shared, lean]])
        return weights, np.array([0.0, -5.0, passive, active])

    def missed(of: Floats) -> float:
        weights, bias = rows(of)
        logs = log_shares(z @ weights.T + bias)
        return float(-(weight * logs[np.arange(len(y)), y]).sum() * penalty + 0.5 * (of[: last + 1] ** 2).sum())

    bounds = [(0.0, None)] * (last + 1) + [(None, None)] * 2
    found = minimize(missed, np.array([0.1] * (last + 1) + [-3.0, -2.5]), bounds=bounds, method="L-BFGS-B")
    weights, bias = rows(found.x)
    return Head(tuple(RISKS), weights, bias, centre=centre, scale=scale)


def _left_out(
    found: Sequence[Followed], order: Sequence[str], fit: Fit, seen: Seen, true: True_, penalty: float
) -> dict[str, float]:
    """Mean log score from turn 5 on: of all left-out sessions, by world, and of the second world by heads that never met
    it."""
    scores: dict[str, list[float]] = {}

    def scored(head: Head, one: Followed) -> float:
        logs = head.log_probabilities(seen(one)[FROM:])
        return float(logs[np.arange(len(logs)), np.array(true(one)[FROM:])].mean())

    for kept, left in folded(order):
        own = [one for one in found if one.case in kept]
        out = [one for one in found if one.case in left and len(one.held) > FROM]
        head = fit(*_rows(own, seen, true), penalty)
        elsewhere = fit(*_rows([one for one in own if one.world != "second"], seen, true), penalty)
        for one in out:
            scores.setdefault("all", []).append(scored(head, one))
            scores.setdefault(one.world, []).append(scored(head, one))
            if one.world == "second":
                scores.setdefault("second, never met", []).append(scored(elsewhere, one))
    return {name: float(np.mean(values)) for name, values in scores.items()}
