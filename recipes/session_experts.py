"""What goes with clinicians' ratings of 36 MindEval sessions: `python recipes/session_experts.py --data ../shared/data`.

Of each candidate the rank correlation with the mean of four clinicians, over all sessions and within each therapist model, interval by
member. Beside it one clinician against the other three, by the same formula, and the baselines: number of words, and which model it was.
Nothing is fitted on these sessions.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from statistics import fmean

from maieutic.measures.codes import change_talk_share
from maieutic.measures.quality import likeness_of
from maieutic.stats import Interval, bootstrap_statistic
from maieutic.validation.judge.research import RATERS, Rated, clinician_rows, coded, pooled, ranked, rated_sessions


def within(rows: Sequence[tuple[str, float, float]]) -> float | None:
    """Mean of the rank correlations within each model, so that telling models apart earns nothing."""
    found = []
    for model in sorted({model for model, _, _ in rows}):
        mine = [(value, rating) for one, value, rating in rows if one == model]
        rho = ranked(mine) if len(mine) > 3 else None
        if rho is not None:
            found.append(rho)
    return fmean(found) if found else None


Statistic = Callable[[Sequence[tuple[str, float, float]]], float | None]


def against_clinicians(sessions: Sequence[Rated], values: Sequence[float | None], statistic: Statistic) -> Interval:
    """How far a value goes with the clinicians' mean, interval by member (a member met all three models)."""
    kept = [(one, value) for one, value in zip(sessions, values, strict=True) if value is not None]
    rows = [(one.model, value, one.mean) for one, value in kept]
    return bootstrap_statistic(rows, statistic, clusters=[one.member for one, _ in kept], rng=Random(0), draws=1000)


def main() -> None:
    about = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    about.add_argument("--data", type=Path, required=True)
    sessions = rated_sessions(about.parse_args().data)
    models = sorted({one.model for one in sessions})
    # The best that knowing the model could do: each session gets the mean of its model's other sessions.
    others = {
        one.id: fmean(two.mean for two in sessions if two.model == one.model and two.id != one.id) for one in sessions
    }
    candidates: dict[str, Sequence[float | None]] = {
        "likeness to MI demonstrations, therapist's words": [likeness_of(one) for one in coded(sessions)],
        "client's own words (change talk); circular": [change_talk_share(one).value for one in coded(sessions)],
        "words of the therapist": [float(len(one.therapist_words.split())) for one in sessions],
        "question marks a therapist turn": [
            one.therapist_words.count("?") / sum(who == "therapist" for who, _ in one.turns) for one in sessions
        ],
        "which model it was (mean of its other sessions)": [others[one.id] for one in sessions],
    }
    print(f"{len(sessions)} sessions, {len({one.member for one in sessions})} members, {len(models)} models\n")
    print("| what | n | over all sessions | within a model |")
    print("|---|---|---|---|")
    for name, values in candidates.items():
        told = [against_clinicians(sessions, values, statistic) for statistic in (pooled, within)]
        # Within a model the mean of its other sessions only mirrors the session's own rating.
        shown = [_told(told[0]), "–" if name.startswith("which model") else _told(told[1])]
        print(f"| {name} | {sum(v is not None for v in values)} | {' | '.join(shown)} |")
    for statistic, where in ((pooled, "over all sessions"), (within, "within a model")):
        alone = [statistic(clinician_rows(sessions, rater)) for rater in range(len(RATERS))]
        each = ", ".join("none" if value is None else f"{value:.2f}" for value in alone)
        rows = [
            (one.member, rater, row)
            for rater in range(len(RATERS))
            for one in sessions
            for row in clinician_rows([one], rater)
        ]

        def mean_of(some, statistic=statistic):  # type: ignore[no-untyped-def]
            found = [statistic([row for _, r, row in some if r == rater]) for rater in range(len(RATERS))]
            return fmean([x for x in found if x is not None])

        interval = bootstrap_statistic(rows, mean_of, clusters=[m for m, _, _ in rows], rng=Random(0), draws=500)
        print(f"one clinician against the rest, {where}: {each}; mean {_told(interval)}")


def _told(value) -> str:  # type: ignore[no-untyped-def]
    return "–" if value.estimate is None else f"{value.estimate:.2f} [{value.low:.2f}, {value.high:.2f}]"


if __name__ == "__main__":
    main()
