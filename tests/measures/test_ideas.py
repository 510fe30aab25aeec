"""Who voices an idea first, on talk whose shared words can be counted by hand."""

from __future__ import annotations

import pytest
from coded_talk import talk
from hypothesis import given
from hypothesis import strategies as st

from maieutic.measures import between as ideas
from maieutic.measures.coded import CodedTranscript

NOUNS = ("garden", "kettle", "ladder", "window", "bicycle", "orchard", "harbour", "lantern")


def test_an_idea_is_new_once_and_taken_up_by_the_other() -> None:
    coded = talk(("C", None, "The garden gate."), ("C", None, "The garden."), ("T", None, "Your garden?"))
    found = {idea.gram: idea for idea in ideas.ideas(coded)}
    assert set(found) == {"garden", "gate", "garden gate"}
    assert (found["garden"].by, found["garden"].first, found["garden"].taken_up) == ("client", 10, 12)
    assert found["gate"].taken_up is None


def test_share_and_surplus_by_hand() -> None:
    # Ideas alone in a turn make no pairs: the client brings four that come back, the therapist one of two.
    turns = [("C", None, f"The {noun}.") for noun in NOUNS[:4]] + [("T", None, f"The {noun}.") for noun in NOUNS[:6]]
    coded = talk(*turns, ("C", None, "The bicycle."))
    share = ideas.client_first_share(coded)
    assert (share.value, share.evidence) == (0.8, (10, 11, 12, 13))
    assert ideas.client_first_surplus(coded).value == pytest.approx(0.8 - 4 / 6)


def test_uptake_is_of_the_clients_ideas() -> None:
    turns = [("C", None, f"The {noun}.") for noun in NOUNS[:5]]
    score = ideas.client_idea_uptake(talk(*turns, ("T", None, "The kettle.")))
    assert (score.value, score.evidence) == (0.2, (15,))


def test_missing_with_a_reason() -> None:
    coded = talk(("C", None, "The garden."), ("T", None, "The garden?"))
    for measure in (ideas.client_first_share, ideas.client_first_surplus):
        assert (measure(coded).value, measure(coded).reason) == (
            None,
            "1 ideas that both speakers use; at least 5 are needed",
        )
    assert ideas.client_idea_uptake(coded).reason == "1 ideas of the client; 5 are needed"


said = st.lists(st.tuples(st.sampled_from("TC"), st.lists(st.sampled_from(NOUNS), min_size=1, max_size=4)), max_size=25)


@given(said)
def test_exchanging_the_speakers_exchanges_the_shares(turns: list[tuple[str, list[str]]]) -> None:
    def made(names: dict[str, str]) -> CodedTranscript:
        return talk(*[(names[who], None, " ".join(spoken)) for who, spoken in turns])

    there, back = made({"T": "T", "C": "C"}), made({"T": "C", "C": "T"})
    share, turned = ideas.client_first_share(there).value, ideas.client_first_share(back).value
    surplus, other = ideas.client_first_surplus(there).value, ideas.client_first_surplus(back).value
    assert (share is None) == (turned is None)
    if share is not None and turned is not None and surplus is not None and other is not None:
        assert 0 <= share <= 1 and share + turned == pytest.approx(1)
        assert -1 <= surplus <= 1 and surplus + other == pytest.approx(0)
