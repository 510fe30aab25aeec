"""The filter: distributions stay distributions, evidence moves what it should, and nothing else."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from maieutic.domain.episode import Session, Turn
from maieutic.tracking.asked import Asked, asked
from maieutic.tracking.belief import Belief
from maieutic.tracking.ear import expected
from maieutic.tracking.feelings import told_feelings
from maieutic.tracking.filter import predicted, start, updated
from maieutic.tracking.space import CONVICTION, MOBILITY, REPLIES, Reply, Scale
from maieutic.tracking.tables import packaged_tables, packed, unpacked
from maieutic.tracking.targets import Push, Reflection, Target
from maieutic.tracking.tracker import MindTracker
from talks import session_of

TABLES = packaged_tables()


def whole(belief: Belief) -> bool:
    parts = [belief.category, belief.emotion, belief.voiced, belief.stage, belief.risk, *belief.scales.values()]
    sums = [float(p.sum()) for p in [*parts, belief.conviction, belief.gives_way]]
    chances = [belief.accurate, *belief.disclosed.values()]
    return np.allclose(sums, 1.0, atol=1e-5) and all(0.0 <= c <= 1.0 for c in chances)


@pytest.fixture(scope="module")
def mind() -> MindTracker:
    return MindTracker.packaged()


TALK = session_of(
    "I left the meeting early again and sat in the car.",
    "What went through your mind just then?",
    "I thought, I'm useless, everybody can see that I don't belong there.",
    "How did you feel as that happened?",
    "Ashamed. And a bit angry.",
    "How much do you believe it, from 0 to 100?",
    "About 85, I'd say.",
    "What speaks against that thought?",
    "My manager asked me to train the new people, twice now.",
)


def test_every_belief_is_whole_and_moves(mind: MindTracker) -> None:
    history = mind.history(TALK)
    assert len(history) == 5
    assert all(map(whole, history))
    assert history[0].disclosed[Reply.THOUGHT] < 0.2 < 0.8 < history[1].disclosed[Reply.THOUGHT]
    assert history[2].disclosed[Reply.FEELING] > 0.8
    assert {"ashamed", "angry"} <= set(history[2].feelings)
    assert "useless" in history[1].thoughts[0].text


def test_a_stated_number_draws_conviction_to_it(mind: MindTracker) -> None:
    before, after = mind.history(TALK)[2:4]
    assert abs(after.held - 85.0) < 8.0
    spread = [float(np.sqrt(b.conviction @ (CONVICTION - b.held) ** 2)) for b in (before, after)]
    assert spread[1] < spread[0]


def test_a_fact_against_the_thought_waits_and_giving_way_to_it_lowers_conviction(mind: MindTracker) -> None:
    kinds = np.eye(len(REPLIES))
    against = replace(mind.heard(TALK), replies=kinds[REPLIES.index(Reply.AGAINST)])
    told = updated(mind.belief(Session(TALK.turns[:-1], TALK.seed)), against, TABLES)
    assert told.waiting > 0.9
    question = asked("How does that fit with the thought you started out with?")
    before = predicted(told, question, TABLES)
    plain = expected(question, TABLES)

    def said(kind: Reply) -> Belief:
        return updated(before, replace(plain, replies=kinds[REPLIES.index(kind)]), TABLES)

    assert said(Reply.GIVES_WAY).held < min(told.held, said(Reply.UNMOVED).held)


LOOSENS = {Reply.GIVES_WAY, Reply.INSIGHT}


@pytest.mark.parametrize(
    ("answer", "kinds"),
    [
        ("I'd have to give you that one.", LOOSENS),
        ("Well. Maybe not all of it.", LOOSENS),
        ("Put like that, it's a bit much, isn't it.", LOOSENS),
        ("That changes nothing, she'd say so to anyone.", {Reply.UNMOVED}),
        ("Thanks, that's kind of you to say.", {Reply.AGREES, Reply.FEELS_HEARD}),
        ("No idea, honestly.", {Reply.HOLDS_BACK}),
    ],
)
def test_short_concessions_are_told_from_politeness_and_standing_firm(
    mind: MindTracker, answer: str, kinds: set[Reply]
) -> None:
    question = Turn("therapist", "How does that fit with the thought you started out with?")
    heard = mind.heard(TALK + question + Turn("patient", answer))
    assert sum(float(heard.replies[REPLIES.index(kind)]) for kind in kinds) > 0.5


def test_stored_tables_are_distributions_whatever_they_were_rounded_to() -> None:
    again = unpacked(packed(TABLES))
    for name in ("scale_steps", "scale_replies", "reply_share", "moved_replies"):
        assert np.allclose(getattr(again, name).sum(axis=-1), 1.0)
        assert np.allclose(getattr(again, name), getattr(TABLES, name), atol=1e-3)


@pytest.mark.parametrize(
    ("answer", "graver"), [("Yes. Most nights I think about ending it.", True), ("No, nothing like that.", False)]
)
def test_risk_is_forecast_from_what_was_answered(mind: MindTracker, answer: str, graver: bool) -> None:
    asked_now = TALK + Turn("therapist", "Are you having thoughts of suicide?")
    before, after = mind.belief(TALK), mind.belief(asked_now + Turn("patient", answer))
    assert bool(after.risk[0] < before.risk[0] - 0.1) is graver
    assert bool(after.risk[0] > 0.95) is not graver


def test_the_same_words_give_the_same_belief_and_prefixes_are_remembered(mind: MindTracker) -> None:
    again = MindTracker.packaged()
    assert again.belief(TALK).as_trace() == mind.belief(TALK).as_trace()
    assert mind.belief(TALK) is mind.belief(Session(TALK.turns, seed=99))


def test_words_that_were_noted_with_another_target_are_another_session(mind: MindTracker) -> None:
    noted = Session(
        tuple(
            replace(turn, trace={"target": Target.SUPPORT.value}) if turn.speaker == "therapist" else turn
            for turn in TALK.turns
        ),
        TALK.seed,
    )
    alone = mind.belief(noted).as_trace()
    assert mind.belief(TALK).as_trace() != alone
    assert mind.belief(noted).as_trace() == alone == MindTracker.packaged().belief(noted).as_trace()


def test_a_tracker_that_does_not_listen_follows_the_therapist_only() -> None:
    deaf = MindTracker.packaged(listens=False)
    other = Session((Turn("patient", "Nothing much."), *TALK.turns[1:2], Turn("patient", "No idea."), *TALK.turns[3:]))
    assert deaf.belief(other).as_trace() == deaf.belief(TALK).as_trace()
    assert deaf.belief(TALK).feelings == ()


def test_pushing_closes_and_a_feeling_given_back_opens() -> None:
    now = start(TABLES)
    pushed = predicted(now, Asked(Target.NOTHING, Reflection.NONE, Push.STRONG), TABLES)
    heard = predicted(now, Asked(Target.OPEN, Reflection.FEELING, Push.NONE), TABLES)
    assert pushed.expected(Scale.OPENNESS) < now.expected(Scale.OPENNESS) < heard.expected(Scale.OPENNESS)
    assert pushed.expected(Scale.REACTANCE) > heard.expected(Scale.REACTANCE)


def test_giving_way_speaks_for_a_patient_who_moves() -> None:
    question = Asked(Target.WEIGHING)
    plain = expected(question, TABLES)
    from dataclasses import replace

    def said(kind: Reply) -> Belief:
        replies = np.full(len(REPLIES), 1e-3)
        replies[REPLIES.index(kind)] = 1.0
        ready = replace(start(TABLES), waiting=2.0)
        return updated(ready, replace(plain, replies=replies), TABLES)

    assert said(Reply.GIVES_WAY).mobility > said(Reply.UNMOVED).mobility
    assert len(MOBILITY) == 3


@pytest.mark.parametrize("text", ["", "   ", "¿Por qué me pregunta usted todo esto otra vez?", "x" * 50_000, "🙂🙂"])
def test_unreadable_turns_leave_the_mind_as_it_was(mind: MindTracker, text: str) -> None:
    before = mind.belief(TALK)
    after = mind.belief(TALK + Turn("therapist", "Go on.") + Turn("patient", text))
    assert whole(after)
    assert after.held == pytest.approx(before.held, abs=1.0)


def test_feelings_are_told_about_oneself_or_in_answer() -> None:
    talk = session_of("She was furious.", "How did you feel then?", "Frightened, really.", "Go on.", "I was ashamed.")
    assert told_feelings(talk) == (("ashamed", "ashamed"), ("anxious", "frightened"))


def test_a_feeling_is_heard_in_answer_to_the_agents_own_question_however_it_is_worded() -> None:
    asks = Turn("therapist", "What was it like for you inside?", trace={"target": "feeling"})
    answer = Turn("patient", "Ashamed, that's the word for it. Afterwards I was just sad.")
    opening = Turn("patient", "It was a long day.")
    assert told_feelings(Session((opening, asks, answer), 1)) == (("ashamed", "ashamed"), ("sad", "sad"))
    plain = Turn("therapist", "What was it like for you inside?")
    assert told_feelings(Session((opening, plain, answer), 1)) == (("ashamed", "ashamed"), ("sad", "sad"))
    other = Turn("therapist", "Which bus did you take?")
    assert told_feelings(Session((opening, other, answer), 1)) == (("sad", "sad"),)


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("What went through your mind just then?", Target.THOUGHT),
        ("How strongly do you believe it, from 0 to 100?", Target.RATING),
        ("What have you noticed that doesn't fit with the thought?", Target.AGAINST),
        ("How does that fit with the thought you had?", Target.WEIGHING),
        ("Are you having thoughts of suicide?", Target.RISK),
        ("You felt ashamed.", Target.NOTHING),
        ("What could you try this week to find out more?", Target.PLAN),
    ],
)
def test_what_a_turn_asks_is_read_from_its_form(text: str, target: Target) -> None:
    assert asked(text).target is target


def test_advice_pushes_and_a_named_feeling_reflects() -> None:
    assert asked("You should just stop worrying about it.").push is Push.STRONG
    assert asked("You felt ashamed. What happened next?").reflection is Reflection.FEELING
