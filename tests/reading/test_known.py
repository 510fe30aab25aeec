"""What is known of the agent's wordings beforehand is what its heads would read."""

from __future__ import annotations

import hashlib
import re
from importlib.resources import files

import pytest

from maieutic.language.sentences import sentences
from maieutic.reading import drafts
from maieutic.reading.drafts import PLACE as DRAFTS
from maieutic.reading.ear import KNOWN, SURE_WITHOUT_MARK, features, key_of, known
from maieutic.reading.head import Head, load, stored_arrays
from maieutic.therapists.agent.bank import BANKS, load_bank
from maieutic.therapists.agent.steps import Step
from maieutic.therapists.risk.wording import lines
from maieutic.tracking.asked import WEIGHTS

QUOTED = re.compile(r"“\{[a-z]+\}”")


@pytest.mark.parametrize(
    ("head", "place"), [("marks_of_drafts", DRAFTS), ("asked_target", WEIGHTS), ("asked_push", WEIGHTS)]
)
def test_kept_readings_come_from_the_packaged_weights(head: str, place: str) -> None:
    packaged = files("maieutic").joinpath(place).read_bytes()
    assert str(stored_arrays(KNOWN)[f"{head}.weights"]) == hashlib.sha256(packaged).hexdigest(), (
        "run recipes/known_drafts.py after the heads were fitted"
    )


def test_a_kept_reading_is_what_the_head_reads() -> None:
    head: Head = load(DRAFTS, "marks_of_drafts")
    for wording in load_bank("first")[Step.COPE.value][:5]:
        kept = known("marks_of_drafts")[key_of(wording)]
        read = head(features(wording, head.places))
        assert kept == pytest.approx(read, abs=1e-4)
        assert {k for k, p in kept.items() if p >= 0.5} == {k for k, p in read.items() if p >= 0.5}


def test_every_sentence_that_the_agent_says_as_it_stands_is_kept() -> None:
    said = {
        sentence
        for wordings in (*map(load_bank, BANKS), lines())
        for forms in wordings.values()
        for form in forms
        for sentence in sentences(QUOTED.sub("“…”", form))
        if "{" not in sentence
    }
    kept = known("marks_of_drafts")
    assert len(said) > 400 and sum("“…”" in one for one in said) > 20
    assert [one for one in sorted(said) if key_of(one) not in kept] == [], (
        "run recipes/known_drafts.py after a wording was changed"
    )


def test_a_wording_is_known_by_what_stands_around_the_words_it_gives_back() -> None:
    kept = known("marks_of_drafts")
    said = [
        f"How sure are you of “{told}”, from 0 to 100?"
        for told in ("I should just leave him, shouldn't I", "I sat in the car")
    ]
    assert key_of(said[0]) == key_of(said[1]) and kept[key_of(said[0])]["question"] >= SURE_WITHOUT_MARK
    assert not drafts.questions(said[0])[0].leading and not drafts.questions(said[0])[0].advising
    assert "leading" in drafts.marks("I should just leave him, shouldn't I?")  # said by the agent itself
    assert key_of("You say “so it goes” as if you had to.") not in kept  # nobody's wording


def test_a_sentence_in_the_patients_words_is_not_kept() -> None:
    assert key_of("So what I'm hearing is that your brother left on Tuesday.") not in known("marks_of_drafts")


def test_nothing_is_kept_for_the_ear_that_scores() -> None:
    assert not known("marks")
