"""Our fit against arenakit's, choix's and evalica's on the same battles; the last two load slowly and are imported late."""

from __future__ import annotations

import numpy as np
import pytest
from arenakit import fit_bt, fit_rao_kupper
from arenakit.schema import PairCounts

from maieutic.ranking.ratings import strengths


def counts(seed: int, ties: bool, players: int = 6, battles: int = 40) -> tuple[np.ndarray, np.ndarray]:
    """Wins and symmetric ties of a board on which everybody has won and lost."""
    rng = np.random.default_rng(seed)
    skill = rng.normal(0.0, 0.8, players)
    wins, tied = np.zeros((players, players)), np.zeros((players, players))
    for a in range(players):
        for b in range(a + 1, players):
            for _ in range(battles):
                gap = skill[a] - skill[b] + rng.logistic()
                if ties and abs(gap) < 0.5:
                    tied[a, b] += 1
                    tied[b, a] += 1
                else:
                    wins[(a, b) if gap > 0 else (b, a)] += 1
    return wins, tied


def ours_of(wins: np.ndarray, ties: np.ndarray, prior: float) -> tuple[np.ndarray, float]:
    """One board alone."""
    scores, width = strengths(wins[None], ties[None], prior)
    return scores[0], float(width[0])


def paired(wins: np.ndarray, ties: np.ndarray) -> PairCounts:
    return PairCounts(wf=wins, ws=np.zeros_like(wins), tt=np.triu(ties))


@pytest.mark.parametrize("seed", range(4))
def test_without_ties_it_is_the_bradley_terry_of_choix_and_evalica(seed: int) -> None:
    import choix
    import evalica

    wins, ties = counts(seed, ties=False)
    ours, width = ours_of(wins, ties, prior=0.0)
    pairs = [(a, b) for a in range(6) for b in range(6) for _ in range(int(wins[a, b]))]
    by_choix = choix.opt_pairwise(6, pairs, alpha=0.0, tol=1e-10)
    assert ours == pytest.approx(by_choix - by_choix.mean(), abs=1e-3) and width == 0.0
    names = [f"p{n}" for n in range(6)]
    found = evalica.bradley_terry(
        [names[a] for a, _ in pairs],
        [names[b] for _, b in pairs],
        [evalica.Winner.X] * len(pairs),
        tolerance=1e-12,
        limit=100_000,
    )
    by_evalica = np.log([found.scores[name] for name in names])
    assert ours == pytest.approx(by_evalica - by_evalica.mean(), abs=1e-3)


@pytest.mark.parametrize("seed", range(4))
def test_with_ties_it_is_the_rao_kupper_of_arenakit(seed: int) -> None:
    wins, ties = counts(seed, ties=True)
    both = paired(wins, ties)
    theirs, (ours, width) = fit_rao_kupper(both, prior=0.0), ours_of(wins, ties, prior=0.0)
    assert ours == pytest.approx(theirs.scores, abs=1e-5)
    assert np.exp(width) == pytest.approx(theirs.tie_theta, abs=1e-5)
    assert ours_of(wins, ties, prior=0.5)[0] == pytest.approx(fit_rao_kupper(both).scores, abs=1e-3)


def test_many_boards_at_once_are_each_fitted_as_if_alone() -> None:
    boards = [counts(seed, ties=seed % 2 == 0) for seed in range(6)] + [(np.zeros((6, 6)), np.ones((6, 6)) - np.eye(6))]
    scores, _ = strengths(np.stack([w for w, _ in boards]), np.stack([t for _, t in boards]))
    for found, (wins, ties) in zip(scores, boards, strict=True):
        assert found == pytest.approx(ours_of(wins, ties, prior=0.5)[0], abs=1e-7)


def test_with_ties_the_order_is_that_of_half_wins_in_evalica_and_arenakit() -> None:
    import evalica

    wins, ties = counts(9, ties=True)
    names = [f"p{n}" for n in range(6)]
    rows = [(a, b, evalica.Winner.X) for a in range(6) for b in range(6) for _ in range(int(wins[a, b]))]
    rows += [(a, b, evalica.Winner.Draw) for a in range(6) for b in range(a + 1, 6) for _ in range(int(ties[a, b]))]
    found = evalica.bradley_terry(
        [names[a] for a, _, _ in rows],
        [names[b] for _, b, _ in rows],
        [w for *_, w in rows],
        tolerance=1e-12,
        limit=100_000,
    )
    half = fit_bt(paired(wins, ties), prior=0.0).scores
    by_evalica = np.log([found.scores[name] for name in names])
    assert half == pytest.approx(by_evalica - by_evalica.mean(), abs=1e-3)
    assert list(np.argsort(half)) == list(np.argsort(ours_of(wins, ties, prior=0.0)[0]))


def test_one_who_always_wins_has_a_finite_rating() -> None:
    wins = np.array([[0.0, 50.0, 50.0], [0.0, 0.0, 40.0], [0.0, 10.0, 0.0]])
    found, _ = ours_of(wins, np.zeros((3, 3)), prior=0.5)
    assert np.isfinite(found).all() and found[0] > found[1] > found[2]
