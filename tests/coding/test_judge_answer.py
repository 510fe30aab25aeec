"""What is read out of a judge's answer, and what is refused with a reason."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coding.judges import FACETED, PLAIN, SEVERAL
from maieutic.coding.book import Label, Scheme
from maieutic.coding.schemes import get_scheme
from maieutic.judging.answer import Reading, Unreadable, find_quote, read_answer

TEXT = "What makes the nights harder?"
GOOD = '{"codes": [{"n": 1, "labels": ["ask"], "quote": "the nights"}]}'


def one(answer, scheme=PLAIN, text=TEXT):
    (found,) = read_answer(scheme, "therapist", [text], answer)
    return found


WRAPPED = {
    "plain": GOOD,
    "fenced": f"```json\n{GOOD}\n```",
    "words around": f"Sure! Here is {{my}} answer [final]:\n{GOOD}\nI hope this helps.",
    "thinking": '<think>{"n": 1, "labels": ["rest"], "quote": "harder"}</think>' + GOOD,
    "bare item": '{"labels": ["ask"], "quote": "the nights"}',
    "list": '[{"n": "1", "labels": ["ask"], "quote": "the nights"}]',
    "label not in a list": '{"n": "[1]", "labels": "ask", "quote": "the nights"}',
    "other case": '{"n": 1, "labels": ["ASK "], "quote": "THE  Nights"}',
    "readable name": '{"n": 1, "labels": ["Asks"], "quote": "“the nights”"}',
}


@pytest.mark.parametrize("answer", WRAPPED.values(), ids=WRAPPED)
def test_wrapping_is_forgiven(answer):
    assert one(answer) == Reading(("ask",), "the nights")


REFUSED = {
    "nothing": ("I think it is a question.", "no JSON"),
    "cut off": ('{"codes": [{"n": 1, "labels": ["ask"], "quo', "no JSON"),
    "unknown label": ('{"n": 1, "labels": ["wonder"], "quote": "the nights"}', 'no code named "wonder" in plain'),
    "client's label": ('{"n": 1, "labels": ["yes"], "quote": "the nights"}', 'no code named "yes"'),
    "two labels": ('{"n": 1, "labels": ["ask", "rest"], "quote": "the nights"}', "2 codes where one"),
    "no label": ('{"n": 1, "labels": [], "quote": "the nights"}', "0 codes where one"),
    "labels left out": ('{"n": 1, "facets": {}, "quote": "the nights"}', "no codes in the item"),
    "null label": ('{"n": 1, "labels": [null], "quote": "the nights"}', "no code named null"),
    "labels an object": ('{"n": 1, "labels": {"ask": 1}, "quote": "the nights"}', "not a list"),
    "invented quote": ('{"n": 1, "labels": ["ask"], "quote": "the long nights"}', '"the long nights" is not in'),
    "part of a word": ('{"n": 1, "labels": ["ask"], "quote": "igh"}', "not in the utterance"),
    "no quote": ('{"n": 1, "labels": ["ask"]}', "no quote"),
    "empty quote": ('{"n": 1, "labels": ["ask"], "quote": " "}', "no quote"),
    "only marks": ('{"n": 1, "labels": ["ask"], "quote": "..."}', "not in the utterance"),
    "other number": ('{"n": 2, "labels": ["ask"], "quote": "the nights"}', "no item 1"),
    "twice": (GOOD + GOOD, "stands there 2 times"),
    "deep": ("[" * 100_000, "no JSON"),
    "long number": ('{"n": ' + "9" * 5_000 + ', "labels": ["ask"], "quote": "the nights"}', "no JSON"),
}


@pytest.mark.parametrize(("answer", "reason"), REFUSED.values(), ids=REFUSED)
def test_content_is_not_forgiven(answer, reason):
    found = one(answer)
    assert isinstance(found, Unreadable)
    assert reason in found.reason


def test_each_item_of_a_batch_stands_for_itself():
    texts = ["Why?", "So you wait.", "Mm.", "And then?"]
    items = [
        {"n": 2, "labels": ["tell_more"], "quote": "you wait"},
        {"n": 1, "labels": ["ask"], "quote": "Why"},
        {"n": 4, "labels": ["ask"], "quote": "Why"},
    ]
    found = read_answer(PLAIN, "therapist", texts, json.dumps(items))
    assert found[:2] == [Reading(("ask",), "Why"), Reading(("tell_more",), "you wait")]
    assert found[2] == Unreadable("no item 3")
    assert found[3] == Unreadable('the quote "Why" is not in the utterance')


def test_an_item_without_a_number_is_not_guessed_into_a_batch():
    found = read_answer(PLAIN, "therapist", ["Why?", "Why?"], '[{"labels": ["ask"], "quote": "Why"}]')
    assert all(isinstance(one, Unreadable) for one in found)


def test_several_labels_in_the_order_of_the_book():
    assert one('{"labels": ["rest", "ask"], "quote": "nights"}', SEVERAL) == Reading(("ask", "rest"), "nights")
    assert one('{"labels": [], "quote": "nights"}', SEVERAL) == Reading((), "nights")


def test_facets_are_asked_for():
    def answer(**facets):
        return one(json.dumps({"labels": ["ask"], "quote": "nights", **facets}), FACETED)

    assert answer(facets={"form": "Open"}) == Reading(("ask",), "nights", {"form": "open"})
    assert answer(facets={"form": None}) == Reading(("ask",), "nights", {})
    assert answer(facets={"form": "wide"}) == Unreadable('no value named "wide" in form')
    assert answer() == Unreadable("no answer to form")


def test_yes_and_no_may_come_as_truth_values():
    socratic = get_scheme("socratic")
    values = {facet.id: facet.values[-1].id for facet in socratic.facets}
    given = {name: False if value == "false" else value for name, value in values.items()}
    assert False in given.values()
    label = socratic.therapist[0].id
    found = one(json.dumps({"labels": [label], "quote": "nights", "facets": given}), socratic)
    assert found == Reading((label,), "nights", values)


def test_where_codes_repeat_facets_only_facets_are_read():
    epitome = get_scheme("epitome")
    said = {"labels": [], "quote": "nights", "facets": {"er": 0, "ip": "Weak", "ex": "2"}}
    assert one(json.dumps(said), epitome) == Reading((), "nights", {"er": "0", "ip": "1", "ex": "2"})
    said["facets"]["ex"] = None
    assert one(json.dumps(said), epitome) == Unreadable("no value named null in ex")


def test_labels_that_differ_in_a_mark_only_are_kept_apart():
    labels = (Label("C+", "Strong", ""), Label("C-", "Weak", ""))
    scheme = Scheme("marks", "Marks", labels, (), False, "tests", "none")
    assert one('{"labels": ["c-"], "quote": "nights"}', scheme) == Reading(("C-",), "nights")
    assert isinstance(one('{"labels": ["C"], "quote": "nights"}', scheme), Unreadable)


QUOTES = {
    "as it is": ("don't sleep", "I don't sleep.", "don't sleep"),
    "curly": ("don't sleep", "I don’t  sleep.", "don’t  sleep"),
    "case and dots": ("...I DON'T", "I don't sleep.", "I don't"),
    "in marks": ('"sleep."', "I don't sleep.", "sleep"),
    "dash": ("a - b", "so a — b it is", "a — b"),
    "line break": ("one two", "one\n two", "one\n two"),
    "wide letters": ("straße", "Die STRASSE", "STRASSE"),
    "no whole word": ("don", "I donned it", None),
    "second place": ("on", "once on", "on"),
    "left out": ("I ... sleep", "I don't sleep", None),
}


@pytest.mark.parametrize(("quote", "text", "found"), QUOTES.values(), ids=QUOTES)
def test_a_quote_is_found_as_it_stands(quote, text, found):
    assert find_quote(quote, text) == found


@given(st.text(max_size=80), st.data())
def test_a_found_quote_is_a_passage(text, data):
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    found = find_quote(text[start:end], text)
    assert found is None or found in text


@given(st.text(max_size=300))
def test_no_answer_breaks_the_reader(answer):
    for found in read_answer(PLAIN, "therapist", [TEXT, "Mm."], answer):
        assert isinstance(found, Unreadable)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=8),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(st.sampled_from(["codes", "n", "labels", "quote", "facets", "x"]), inner, max_size=4)
        ),
        max_leaves=12,
    )
)
def test_no_json_breaks_the_reader(value):
    for found in read_answer(FACETED, "therapist", [TEXT], json.dumps(value)):
        assert isinstance(found, Reading | Unreadable)
