"""Which fact a turn asks for: by the facts beside each other, word by word, and only where two readings agree."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from fit_reach import without_own
from maieutic.library import get_case
from maieutic.patients.ear import heard_as
from maieutic.patients.hearing.hearing import Hearing
from maieutic.patients.hearing.reach import COMPARED, TAKEN, Words, kept_words
from maieutic.reading.minilm import shared_minilm

OPENING = "Tuesday I came out of the job centre without the form I'd gone in for."


@pytest.fixture(scope="module")
def ears() -> Hearing:
    case = get_case("gethin")
    return Hearing.of(case, case.situations[0], shared_minilm())


def test_chances_of_the_facts_leave_some_for_none_of_them_and_nothing_for_what_was_told(ears: Hearing) -> None:
    fact = next(item for item in ears.index.items if item.fact)
    heard = heard_as(fact.asks[0], OPENING)
    found = ears.take(heard, (), Random(0))
    assert found.reached == fact.id
    assert 0.9 > sum(found.asked.values()) - 0.1 > 0.0
    again = ears.take(heard, (fact.id,), Random(0))
    assert (again.reached, again.asked[fact.id]) == (None, 0.0)


def test_a_question_about_another_life_or_with_hardly_a_word_reaches_nothing(ears: Hearing) -> None:
    for text in ("How is the sailing club getting on with the new boats in Porto?", "Why?", "?", "…"):
        assert ears.take(heard_as(text, OPENING), (), Random(0)).reached is None


def test_an_example_question_is_not_compared_with_itself_where_it_is_hidden(ears: Hearing) -> None:
    fact = next(item for item in ears.index.items if item.fact)
    heard = heard_as(fact.asks[0], OPENING)
    table = ears.index.features(heard, ears.forms(heard, ears.embed), (), ears.embed)
    shown, hidden = (facts.features(heard, table) for facts in (ears.facts, without_own(ears.facts, fact.id, 0)))
    assert shown.shape == hidden.shape == (len(ears.facts.places), 2 * (len(TAKEN) + COMPARED) + 4)
    asks = [len(TAKEN) + 5, len(TAKEN) + 8]
    assert (hidden[0, asks] < shown[0, asks]).all()
    assert np.array_equal(np.delete(shown, 0, axis=0)[:, asks], np.delete(hidden, 0, axis=0)[:, asks])


def test_words_kept_on_disk_are_those_of_the_text() -> None:
    embed, text = shared_minilm(), "Dewi rings from the job centre on Tuesdays."
    [kept, none] = kept_words([(text,), ()], embed)
    own = Words.of(text, embed)
    assert kept.texts == own.texts and np.array_equal(kept.vectors, own.vectors)
    assert none.texts == () and not own.met_in(none).any()
    assert own.met_in(own) == pytest.approx(np.ones(len(own.texts)), abs=1e-5)


def test_texts_without_a_word_of_matter_have_no_words() -> None:
    assert [some.vectors.shape for some in kept_words([("我做不到",), ()], shared_minilm())] == [(0, 384), (0, 384)]
