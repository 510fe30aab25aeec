"""Mind tracking: the readers of replies, the scores, and therapists built to be right, over-confident and unreadable."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest

from gap_talks import beyond_a_limit, profile_by, within_limits
from maieutic.domain.episode import Answer, Question, Session, Turn
from maieutic.errors import NotAnswerable
from maieutic.gap.family import QUICK, STANDARD, Observation, Profile
from maieutic.gap.items import packaged, shared_sessions
from maieutic.gap.mind_tracking.family import FAMILY, accuracy, brier, ece, overconfidence, skill
from maieutic.gap.mind_tracking.left_open import ambiguities, arguments
from maieutic.gap.mind_tracking.pragmatics import brings_up, met
from maieutic.gap.mind_tracking.slots import moment_of
from maieutic.gap.parsing import choice_of
from maieutic.gap.recording_client import RecordingClient, ReplayCache, Unusable
from maieutic.gap.run import plan
from maieutic.library import get_case
from maieutic.reading.yaml_text import read_yaml
from maieutic.registry import load_therapist
from maieutic.tracking.space import BELIEFS
from maieutic.worlds import STANDARD_WORLD, patient_of

SHORT = replace(QUICK, cases=1, turns=4)
LABELLED = Path(__file__).parent / "data" / "mind_tracking_detector.yaml"


@lru_cache
def situation_of(case: str) -> Any:
    seed = next(one.seed for one in shared_sessions(STANDARD) if one.case == case)
    return patient_of(get_case(case), seed, STANDARD_WORLD).mind.situation


def true_option(question: Question) -> str:
    _, slot, case, _ = question.id.split(":")
    situation = situation_of(case)
    if slot == "thought":
        return situation.automatic_thought
    if slot == "belief":
        return get_case(case).core_beliefs[0].category.replace("_", " ")
    return max(situation.emotions, key=lambda e: e.intensity).group


@dataclass
class Reader:
    """Asks what is meant; knows the mind, or something else with 99 of 100."""

    right: bool = True
    name: str = "reader"

    async def respond(self, session: Session) -> Turn:
        if self.right:
            return Turn("therapist", "What do you mean by that, and how do you get from the one to the other?")
        return Turn("therapist", "You are obviously angry, sad, lonely and hurt about it.")

    async def answer(self, question: Question, session: Session) -> Answer:
        if question.form == "choice":
            place = question.options.index(true_option(question))
            if not self.right:
                place = (place + 1) % len(question.options)
            return Answer(f"{chr(65 + place)}) Confidence: {90 if self.right else 99}")
        if question.id.startswith("mind:forms"):
            case = question.id.split(":")[2]
            group = max(situation_of(case).emotions, key=lambda e: e.intensity).group
            if question.form == "text":
                return Answer(f"They are {group}." if self.right else "They are calm and content.")
            return Answer("Yes" if (f"'{group}'" in question.text) == self.right else "No")
        if question.form == "number" and question.about == "conviction":
            return Answer("75, confidence: 40" if self.right else "3, confidence: 99")
        if question.form == "number":
            return Answer("90" if question.id.endswith("high") and self.right else "50")
        return Answer("No" if question.id.endswith(":2") and self.right else "Yes")


@dataclass
class Mute:
    text: str
    name: str = "mute"

    async def respond(self, session: Session) -> Turn:
        return Turn("therapist", self.text)

    async def answer(self, question: Question, session: Session) -> Answer:
        return Answer(self.text)


async def profile_of(therapist: Any) -> Profile:
    return await profile_by(FAMILY, therapist, SHORT)


@pytest.mark.slow
async def test_knowing_is_not_flagged_and_sure_error_is() -> None:
    good, bad = await profile_of(Reader()), await profile_of(Reader(right=False))
    assert within_limits(good)
    assert beyond_a_limit(bad)
    by, other = ({v.id: v.value for v in p.values} for p in (good, bad))
    assert by["all_forms"] == 1.0
    assert other["all_forms"] == 0.0
    assert by["readings_all"] == 1.0
    assert other["readings_all"] == 0.0
    assert by["implicature"] == pytest.approx(0.4)
    assert other["implicature"] == 0.0
    assert by["asks_which"] == 1.0
    assert by["warrants"] == 1.0
    assert other["warrants"] == 0.0
    assert other["overconfidence"] > 0.9
    assert bad.worst
    assert "mind-reading" in bad.sentence


@pytest.mark.parametrize("text", ["", '{"a": 1}', "Das weiß ich leider nicht, erzählen Sie mir bitte mehr davon."])
async def test_what_cannot_be_read_is_missing_and_never_a_score(text: str) -> None:
    found = await profile_of(Mute(text))
    assert found.flagged is None
    assert all(v.value is None and v.reason and v.missing for v in found.values)


@dataclass
class Terse(Reader):
    """Answers, and never says how sure it is."""

    name: str = "terse"

    async def answer(self, question: Question, session: Session) -> Answer:
        text = (await super().answer(question, session)).text
        return Answer(re.split(r",? ?confidence", text, flags=re.I)[0])


@pytest.mark.parametrize("right", [True, False])
async def test_an_answer_without_a_confidence_still_shows_what_is_known(right: bool) -> None:
    found = await profile_of(Terse(right=right))
    by = {v.id: v for v in found.values}
    assert by["accuracy_belief"].value == float(right)
    assert by["overconfidence"].value is by["brier"].value is by["ece"].value is None
    assert by["overconfidence"].missing == by["accuracy"].n
    assert "confidence" in (by["overconfidence"].reason or "")
    assert "without saying how sure" in found.sentence


@pytest.mark.parametrize(("right", "flagged"), [(False, True), (True, None)])
def test_that_nothing_is_known_is_seen_without_any_confidence(right: bool, flagged: bool | None) -> None:
    answer = {"right": right, "confidence": None, "unsure": "no confidence", "said": "a", "true": "b", "before": "…"}
    seen = [
        Observation(f"mind:{slot}:{case}:4", {**answer, "slot": slot, "turn": 4, "cluster": str(case)})
        for slot in ("thought", "belief", "emotion", "conviction")
        for case in range(6)
    ]
    found = FAMILY.profile(seen, SHORT)
    assert found.headline.value is None
    assert found.headline.missing == len(seen)
    assert found.flagged is flagged
    assert bool(found.worst) is not right


async def test_a_therapist_who_cannot_be_asked_still_shows_what_it_does_with_open_words() -> None:
    class Replies:
        name = "replies"

        async def respond(self, session: Session) -> Turn:
            return Turn("therapist", "What do you mean by that?")

    found = await profile_of(Replies())
    by = {v.id: v for v in found.values}
    assert by["overconfidence"].value is None
    assert by["asks_which"].value == 1.0


def test_items_and_calls() -> None:
    assert len(ambiguities()) >= 30
    assert len(packaged("implicature")) >= 24
    assert len(arguments()) >= 24
    work = plan([FAMILY], STANDARD)
    assert work.calls[FAMILY.id] <= 500
    assert plan([FAMILY], QUICK).calls[FAMILY.id] <= 60


@pytest.mark.slow
def test_readers_on_labelled_replies() -> None:
    data = read_yaml(LABELLED.read_text(encoding="utf-8"))
    items, links = {i.id: i for i in ambiguities()}, {i.id: i for i in arguments()}
    assert sum(len(half) for half in data["ambiguity"].values()) >= 60
    assert sum(len(half) for half in data["warrants"].values()) >= 60
    held = [(label, met(text, items[name])) for name, label, text in data["ambiguity"]["held_out"]]
    assert sum(a == b for a, b in held) / len(held) >= 0.85
    links_held = [(label, brings_up(text, links[name])) for name, label, text in data["warrants"]["held_out"]]
    assert sum(a == b for a, b in links_held) / len(links_held) >= 0.8


def test_scores() -> None:
    rows = [
        {"slot": "belief", "right": True, "confidence": 0.9},
        {"slot": "belief", "right": False, "confidence": 0.9},
    ]
    assert accuracy(rows) == 0.5
    assert overconfidence(rows) == pytest.approx(0.4)
    assert brier(rows) == pytest.approx((0.01 + 0.81) / 2)
    assert ece(rows) == pytest.approx(0.4)
    assert skill(rows) == pytest.approx((0.5 - 1 / 19) / (18 / 19))
    assert accuracy([]) is ece([]) is skill([]) is None


def test_reads_letters_and_names_only() -> None:
    options = [b.replace("_", " ") for b in BELIEFS]
    assert choice_of("R) bad. Confidence: 40", options) == 17
    assert choice_of("r. Confidence 40", options) == 17
    assert choice_of("They think they are unlovable, confidence: 70", options) == options.index("unlovable")
    for text in ("I think so", "A bit of this", "helpless or trapped", "Confidence: 80"):
        with pytest.raises(Unusable):
            choice_of(text, options)


async def test_a_session_that_ended_early_is_missing() -> None:
    client = RecordingClient(Mute("What was that like for you?"), ReplayCache())
    episode = await client.play(shared_sessions(SHORT)[0])
    with pytest.raises(Unusable, match="before turn 20"):
        moment_of(episode, 20)
    session, truth = moment_of(episode, 4)
    assert session.turns[-1].speaker == "patient"
    assert len(session.by("therapist")) == 3
    assert truth.emotion in truth.felt


async def test_the_agent_without_a_model_answers_from_its_belief_and_refuses_the_rest() -> None:
    agent = load_therapist("socratic")
    session = Session((Turn("patient", "I was ashamed, they all saw that I am useless. I failed them again."),), 3)
    asked = Question("q", "Which feeling?", "choice", ("sad", "ashamed", "angry"), about="emotion")
    told = await agent.answer(asked, session)
    assert told.text.startswith("B) ashamed. Confidence: ")
    asked = Question("q", "Is 'ashamed' the strongest feeling?", "yes_no", about="emotion")
    assert (await agent.answer(asked, session)).text.startswith("Yes")
    held = (await agent.answer(Question("q", "How strongly?", "number", about="conviction"), session)).text
    assert 0 <= float(held.split(".")[0]) <= 100
    move = await agent.answer(Question("q", "What next?", about="next_move"), session)
    assert "In words:" in move.text
    with pytest.raises(NotAnswerable, match="cannot be asked"):
        await agent.answer(Question("q", "What is CBT?"), session)
    with pytest.raises(NotAnswerable):
        await agent.answer(Question("q", "Which?", "choice", ("cat", "dog"), about="belief"), session)
