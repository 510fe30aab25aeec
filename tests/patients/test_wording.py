"""The check of a model's wording: good wordings of several kinds pass, and each way of going wrong has its name."""

from __future__ import annotations

import pytest

from maieutic.patients.worded.mouth import fault

DECIDED = "My sister rang about the allotment on Sunday."
DENIED = "I don't know, there's nothing in that drawer."


@pytest.mark.parametrize(
    ("text", "decided"),
    [
        ("She rang on Sunday, my sister did, about that allotment.", DECIDED),
        ("On Sunday my sister rang, you know, it was the allotment again.", DECIDED),
        ("Honestly, I wouldn't know. Nothing left in the drawer.", DENIED),
        (DECIDED, DECIDED),
    ],
)
def test_a_wording_that_says_the_same_passes(text: str, decided: str) -> None:
    assert fault(text, decided, longest=60, heard="What happened on Sunday?") is None


@pytest.mark.parametrize(
    ("text", "decided", "problem"),
    [
        ("", DECIDED, "is empty"),
        (f"{DECIDED} " * 30, DECIDED, "is too long"),
        ("You should ring my sister about the allotment on Sunday.", DECIDED, "talks like a therapist"),
        (f"The therapist said: {DECIDED}", DECIDED, "shows its instructions"),
        (f"Here's the text: {DECIDED}", DECIDED, "shows its instructions"),
        (f"{DECIDED} What happened on that Sunday?", DECIDED, "repeats the therapist"),
        (f"{DECIDED} {DECIDED}", DECIDED, "says the same twice"),
        ("Well, yes.", DECIDED, "leaves out what was to be said"),
        (f"{DECIDED} The council wrote, the shed burned, the dog vanished, neighbours complained loudly.", DECIDED, "adds"),
        (f"{DECIDED} Shall we?", DECIDED, "asks where nothing was to be asked"),
        ("Your sister rang you about your allotment on Sunday.", DECIDED, "speaks of the therapist"),
        ("I know there's something in that drawer.", DENIED, "turns a no round"),
        ("My sister never rang about the allotment on Sunday.", DECIDED, "turns a no round"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named(text: str, decided: str, problem: str) -> None:
    found = fault(text, decided, longest=60, heard="I see. What happened on that Sunday?")
    assert found is not None
    assert found.startswith(problem)


def test_a_fact_that_is_kept_back_is_not_let_out_unless_it_is_on_the_table() -> None:
    text, kept = f"{DECIDED} Priya helped.", [frozenset({"priya"})]
    assert fault(text, DECIDED, longest=60, withheld=kept) == "lets out a fact that was to be kept"
    assert fault(text, DECIDED, longest=60) is None
    assert fault(text, DECIDED, longest=60, heard="Did Priya help?", withheld=kept) is None
    assert fault(DECIDED, DECIDED, longest=60, withheld=[frozenset({"sister", "allotment"})]) is None
