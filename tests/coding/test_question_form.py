"""What `code` says of the form of a question: a scale and a request for leave are closed, whatever word they hold."""

from __future__ import annotations

import pytest

from maieutic.coding.embedded import EmbeddedCoder
from maieutic.reading.moves import asking, open_chance
from maieutic.transcripts.utterance import Utterance


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("What went through your mind when he said it?", "open"),
        ("You gave it a seven. Why a seven and not a three?", "open"),
        ("Could you walk me through that evening?", "open"),
        ("How strongly do you believe that, from nought to a hundred?", "closed"),
        ("On a scale from nought to ten, how important is it to you to stop?", "closed"),
        ("Would it be all right if I told you what I noticed?", "closed"),
    ],
)
def test_scales_and_leave_are_closed_for_code(text: str, form: str) -> None:
    (coding,) = EmbeddedCoder("annomi", "fast", hears=True).predict([Utterance("therapist", text)])
    facet = coding.facets["question_form"]
    assert facet.value == form and facet.probabilities[form] > 0.5
    assert sum(facet.probabilities.values()) == pytest.approx(1.0)


def test_a_turn_with_several_questions_is_as_open_as_its_most_open_one() -> None:
    both = "May I ask you something? What did you fear would happen?"
    assert len(asking(both)) == 2
    assert open_chance(both) == max(open_chance(one) for one in asking(both)) > 0.5
    assert open_chance("") == 0.0
