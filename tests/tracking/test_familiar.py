"""Words unlike what the tracker was fitted on are told apart, and said to be so."""

from __future__ import annotations

import numpy as np
import pytest

from maieutic.library import case_ids, get_case
from maieutic.reading.minilm import shared_minilm
from maieutic.tracking.explaining import STRANGE, explained
from maieutic.tracking.familiar import Familiar, packed_centres, unpacked_centres
from maieutic.tracking.tables import packaged_tables
from maieutic.tracking.tracker import MindTracker
from talks import session_of

ODD = (
    "The gearbox takes two litres of oil, and the drain plug wants a new washer.",
    "Add the chickpeas once the onions have gone soft, then the cumin.",
    "I've cut down to ten cigarettes a day, and I use the patches in the morning.",
)


@pytest.fixture(scope="module")
def mind() -> MindTracker:
    return MindTracker.packaged()


def test_nearness_is_the_mean_of_the_nearest_and_alike_for_one_and_many() -> None:
    centres = np.eye(6)
    known = Familiar(centres, 0.5)
    one = (centres[0] + centres[1] + centres[2]) / np.sqrt(3.0)
    assert known.nearness(one) == pytest.approx(1.0 / np.sqrt(3.0))
    assert known.nearness(np.stack([one, -one])) == pytest.approx(np.array([1.0 / np.sqrt(3.0), 0.0]))
    assert not known.strange(one)
    assert known.strange(-one)


def test_centres_keep_their_directions_when_they_are_stored() -> None:
    given = np.random.default_rng(1).normal(size=(5, 384))
    given /= np.linalg.norm(given, axis=1, keepdims=True)
    stored = packed_centres(given)
    assert stored.dtype == np.int8
    assert np.abs(stored).max() == 127
    assert (unpacked_centres(stored) * given).sum(axis=1) == pytest.approx(np.ones(5), abs=1e-3)


def test_few_lines_of_development_cases_are_strange_and_those_from_elsewhere_are() -> None:
    cases = [get_case(name) for name in case_ids("dev")]
    own = [line for case in cases for one in case.situations for line in case.phrasings.details[one.id]]
    familiar = packaged_tables().familiar
    nearness = familiar.nearness(shared_minilm()(own).astype(np.float64))
    assert np.mean(nearness < familiar.near) <= 0.06  # a twentieth of what was left out, and these were not
    assert all(familiar.strange(vector) for vector in shared_minilm()(ODD).astype(np.float64))


def test_strange_words_are_said_to_be_so_until_the_next_turn(mind: MindTracker) -> None:
    asked = ("I left the meeting early again, and I felt ashamed.", "What went through your mind?")
    odd = session_of(*asked, ODD[0])
    assert mind.belief(odd).as_trace()["strange words"] is True
    assert explained(odd, mind)[0] == STRANGE
    after = session_of(*asked, ODD[0], "What did you think just then?", "That I'm useless, and everybody can see it.")
    assert mind.belief(after).as_trace()["strange words"] is False
    assert STRANGE not in explained(after, mind)
