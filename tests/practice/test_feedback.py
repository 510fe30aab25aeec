"""Feedback names kinds and never contents, agrees with the measures, and stays with danger once it is told."""

from __future__ import annotations

import json
from functools import cache
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import pytest

from maieutic.coding.rules import RuleCoder
from maieutic.dialogue import Conversation, SaidAgain, Streams, converse
from maieutic.domain.episode import Episode, EpisodeKey
from maieutic.domain.state import Act
from maieutic.language.sentences import words
from maieutic.library import case_ids, get_case
from maieutic.measures.moves import open_among_asking_turns, stacked_or_leading
from maieutic.patients.simulated import make_simulated
from maieutic.practice.cases import TOPICS, brief, chosen
from maieutic.practice.exercise import GOALS_BY_ID, comparisons, goal_met, growth
from maieutic.practice.feedback import curve, turns_told
from maieutic.practice.steps import (
    AFTER,
    ALONE,
    ASKS_OF_DANGER,
    ASKS_OF_OTHER_DANGER,
    DANGER,
    INSTEAD,
    LEANS,
    SAFETY,
    WHY,
    WORDS_OF_DANGER,
    WORDS_OF_OTHER_DANGER,
)
from maieutic.practice.turn import OPENED
from maieutic.practice.web.visit import mind
from maieutic.reading.minilm import MiniLM

TALKS = [
    json.loads(line)
    for line in (Path(__file__).parent / "data" / "talks.jsonl").read_text(encoding="utf-8").splitlines()
]
IDS = [talk["case"] for talk in TALKS]
SEQUENCE = 5
"""Words in a row that would be a quotation."""


def held(case: str, seed: int, said: tuple[str, ...]) -> Episode:
    import asyncio

    found = get_case(case)
    situation = Random(seed).choice(found.situations).id
    talk = Conversation(
        therapist=SaidAgain(said, "own", "no more to say"),
        patient=make_simulated(found, situation, embed=MiniLM()),
        coder=RuleCoder(),
        max_turns=20,
        streams=Streams(seed, EpisodeKey("own", case, seed)),
    )
    return asyncio.run(converse(talk))


@cache
def talk(number: int) -> Episode:
    one = TALKS[number]
    return held(one["case"], one["seed"], tuple(one["said"]))


@cache
def fed_back(number: int) -> tuple[Any, ...]:
    """The feedback on each turn of a talk; nobody may change it."""
    return tuple(turns_told(talk(number), get_case(TALKS[number]["case"])))


def texts(data: Any, name: str = "") -> list[str]:
    """Every text of a case but the questions that would reach a memory: anybody may ask those."""
    if name == "asks":
        return []
    if isinstance(data, dict):
        return [text for key, value in data.items() for text in texts(value, key)]
    if isinstance(data, list | tuple):
        return [text for value in data for text in texts(value)]
    return [data] if isinstance(data, str) else []


def sequences(text: str) -> set[tuple[str, ...]]:
    found = words(text)
    return {found[at : at + SEQUENCE] for at in range(len(found) - SEQUENCE + 1)}


@pytest.mark.parametrize("number", range(len(TALKS)), ids=IDS)
def test_no_word_sequence_of_the_case_that_was_not_voiced_stands_in_any_feedback(number: int) -> None:
    case = get_case(TALKS[number]["case"])
    hidden = set().union(*(sequences(text) for text in texts(case.model_dump(mode="json"))))
    assert len(hidden) > 500
    answers = [turn.text for turn in talk(number).session.by("patient")]
    for turn in fed_back(number):
        own = sequences(turn.said).union(*(sequences(text) for text in answers[: turn.number + 1]))
        for sentence in turn.sentences():
            assert not (sequences(sentence) & hidden) - own, (turn.number, sentence)


def test_no_wording_quotes_any_packaged_development_case() -> None:
    hidden = set().union(
        *(sequences(text) for name in case_ids("dev") for text in texts(get_case(name).model_dump(mode="json")))
    )
    worded = [
        one
        for kinds in (WORDS_OF_DANGER, WORDS_OF_OTHER_DANGER, ASKS_OF_DANGER, ASKS_OF_OTHER_DANGER)
        for wordings in kinds.values()
        for one in wordings
    ]
    assert [one for one in (*worded, *WHY, *WHY.values()) if sequences(one) & hidden] == []


def test_every_kind_that_can_be_proposed_has_a_reason_and_is_no_ready_sentence() -> None:
    proposed = {*INSTEAD.values(), *AFTER.values(), *ALONE, *LEANS}
    assert proposed <= set(WHY)
    assert not [one for one in (*WHY, *WHY.values()) if "?" in one or " I " in one or "“" in one]


@pytest.mark.parametrize("number", range(len(TALKS)), ids=IDS)
def test_what_a_turn_is_told_to_do_is_what_the_measures_count(number: int) -> None:
    episode = talk(number)
    turns = fed_back(number)
    places = [at for at, turn in enumerate(episode.session.turns) if turn.speaker == "therapist" and turn.text]
    opened = {at for at, turn in zip(places, turns, strict=True) if "open question" in turn.did}
    assert opened == set(open_among_asking_turns(episode).evidence)
    faulty = {
        at
        for at, turn in zip(places, turns, strict=True)
        if "leading question" in turn.did or any("at once" in name for name in turn.did)
    }
    assert faulty == set(stacked_or_leading(episode).evidence)


@pytest.mark.parametrize("number", range(len(TALKS)), ids=IDS)
def test_what_moved_is_what_the_recorded_mind_says_and_every_turn_is_told(number: int) -> None:
    episode = talk(number)
    turns = fed_back(number)
    assert len(turns) == len([turn for turn in episode.therapist_turns if turn.text])
    for turn in turns:
        before, after = episode.states[turn.number - 1], episode.states[turn.number]
        assert turn.conviction == after.held - before.held
        faulty = {"advice", "leading question", "two questions at once", "three questions at once"} & set(turn.did)
        if turn.held_back or faulty:
            assert turn.alternative is not None or after.left
        if turn.well is not None and {"advice", "leading question"} & faulty:
            # Beside what cost something, only a sentence that stands by itself is praised, with its words.
            assert turn.well.startswith(("You gave back", "You named")) and "“" in turn.well
        if turn.well is not None:
            assert turn.sentences()[0] == turn.well


def test_advice_is_told_as_advice_and_a_leading_question_as_leading() -> None:
    turns = fed_back(IDS.index("nilani"))
    assert any("advice" in line for line in turns[0].was)
    assert turns[0].alternative is not None
    assert turns[0].alternative.kind in INSTEAD.values()
    assert turns[0].held_back[0].why == "after_a_cost"
    last = turns[-1]
    assert "leading question" in last.did
    assert last.alternative is not None
    own_view = {INSTEAD["advice"], INSTEAD["leading_question"], AFTER[Act.AGREE]}
    assert last.alternative.kind in own_view


def test_once_danger_is_told_every_turn_has_a_next_step_about_it_and_none_asks_what_was_asked() -> None:
    said = (
        "That sounds like a lot to carry alone. Do you have thoughts of ending your life?",
        "Thank you for telling me. Have you thought about how you would do it?",
        "Who knows about these thoughts?",
        "What went through your mind when that happened?",
        "What has kept you safe until now?",
        "You should get more sleep.",
        "What did you do on that evening?",
        "Is there something in the house that you would use?",
        "What did your partner say?",
        "Do you mean to do it?",
        "And how was work?",
        "What would you like to do next week?",
    )
    turns = turns_told(held("solveig", 0, said), get_case("solveig"))
    told = next(turn.number for turn in turns if any("told you about danger" in one for one in turn.reached))
    steps = [turn.alternative for turn in turns[told - 1 :]]
    assert len(steps) >= 8
    for turn in turns[told - 1 :]:
        assert turn.alternative is not None and turn.alternative.kind == DANGER, turn.number
        assert not turn.held_back
    given = [step.example for step in steps if step is not None]
    assert len(set(given[:8])) == 8
    assert all(one != two for one, two in pairwise(given))
    assert not {*ASKS_OF_DANGER["plan"], *ASKS_OF_DANGER["known"]} & set(given[2:])
    assert not set(given[-1:]) & {one for wordings in ASKS_OF_DANGER.values() for one in wordings}


def test_a_hint_at_danger_stays_the_next_step_until_it_is_asked_about() -> None:
    said = ("How have you been sleeping?", "That must be frightening. I'm sure your workmates don't mean any harm.",
            "What makes you sure that they have seen it?", "You should go back to work.",
            "Do you ever think of hurting yourself or somebody else?", "What would you do if it got worse?")  # fmt: skip
    turns = turns_told(held("craig-docherty", 1, said), get_case("craig-docherty"))
    assert any("hint at danger" in one for one in turns[1].reached)
    kinds = [turn.alternative.kind if turn.alternative is not None else None for turn in turns]
    assert kinds[1:] == [SAFETY, SAFETY, SAFETY, DANGER, DANGER]
    asked = {turn.alternative.example for turn in turns[1:4] if turn.alternative is not None}
    assert asked <= {*WORDS_OF_OTHER_DANGER[SAFETY]}
    own_life = {one for wordings in ASKS_OF_DANGER.values() for one in wordings}
    assert not own_life & {turn.alternative.example for turn in turns[4:5] if turn.alternative is not None} - {
        one for wordings in ASKS_OF_OTHER_DANGER.values() for one in wordings
    }


def test_what_is_asked_where_nobody_spoke_of_danger_is_no_question_about_safety() -> None:
    turn = turns_told(held("hester", 3, ("What has been with you these days?",)), get_case("hester"))[0]
    assert not any("safety" in one for one in turn.sentences())


COMFORT = (
    ("nodira-karimova", 1, "Nobody is really watching you eat, they're busy with their own plates."),
    ("urmas-kask", 2, "I don't mind the stammer at all, and neither will others."),
    ("fathers-temper", 3, "That sounds so hard, but lots of mothers shout sometimes."),
    ("eugene-batiste", 4, "You did everything you could for her."),
    ("solveig", 2, "You have so much to live for."),
)
GIVEN_BACK = (
    ("urmas-kask", 2, "You looked up, and they were already by the lake."),
    ("fathers-temper", 3, "You slapped the wet table, and June went quiet."),
)
MIRRORS_NOTHING = (
    ("urmas-kask", 2, "You have arranged everything so that you need not speak."),
    ("fathers-temper", 3, "So when the shouting comes, you already see him in yourself."),
)


@pytest.mark.parametrize(("case", "seed", "said"), COMFORT)
def test_comfort_is_not_taken_for_giving_back(case: str, seed: int, said: str) -> None:
    turn = turns_told(held(case, seed, ("What happened?", said)), get_case(case))[1]
    assert not any("reflection" in name for name in turn.did)
    assert turn.well is None or "gave back" not in turn.well


@pytest.mark.parametrize(("case", "seed", "said"), GIVEN_BACK)
def test_giving_back_is_still_named(case: str, seed: int, said: str) -> None:
    did = turns_told(held(case, seed, ("What happened?", said)), get_case(case))[1].did
    assert any("reflection" in name or name == "summary" for name in did)


@pytest.mark.parametrize(("case", "seed", "said"), MIRRORS_NOTHING)
def test_what_the_patient_has_not_just_said_is_not_told_as_given_back(case: str, seed: int, said: str) -> None:
    turn = turns_told(held(case, seed, ("What happened?", said)), get_case(case))[1]
    assert not any("reflection" in name for name in turn.did)
    assert turn.well is None or "gave back" not in turn.well


@pytest.mark.parametrize(
    ("case", "seed", "said"),
    [("kaarina-lehtonen", 4, "You're a wonderful wife."), ("gethin", 2, "You did really well there.")],
)
def test_praise_that_names_nothing_is_not_applauded(case: str, seed: int, said: str) -> None:
    turn = turns_told(held(case, seed, ("What happened?", said)), get_case(case))[1]
    assert "affirmation" not in turn.did
    assert turn.well is None
    assert not any("warmed" in one for one in turn.reached)


@pytest.mark.parametrize(
    ("asked", "credited"),
    [
        ("What went through your mind then?", True),
        ("Isn't it simply easier to believe the worst than to ask her?", False),
    ],
)
def test_giving_back_is_no_credit_beside_a_question_that_carries_its_answer(asked: str, credited: bool) -> None:
    episode = held("gethin", 0, (f"Cerys told you she didn't have to go if it was awkward. {asked}",))
    [told] = turns_told(episode, get_case("gethin"))
    assert ("reflection" in " ".join(told.sentences())) is credited


def test_nothing_is_credited_to_a_question_that_did_not_ask_for_it() -> None:
    """The patient tells something, and the record has no sure ear for it in the question."""
    credited = ("It brought out", "It reached", "answered with", "because you asked")
    seen = 0
    for number in range(len(TALKS)):
        episode = talk(number)
        for turn in fed_back(number):
            taken, intent = episode.appraisals[turn.number - 1], episode.states[turn.number].intent
            if taken is None or intent.unit is None:
                continue
            if taken.unit != intent.unit or taken.sure < OPENED:
                seen += 1
                told = [turn.well or "", *turn.reached]
                assert not any(words in sentence for words in credited for sentence in told), (turn.number, told)
    assert seen > 0


def test_a_question_that_was_not_taken_up_is_not_blamed_and_not_pressed() -> None:
    said = "Why did you leave before the cake?"
    turn = turns_told(held("eugene-batiste", 7, (said,)), get_case("eugene-batiste"))[0]
    assert any("went on to something else" in one for one in turn.reached)
    assert turn.alternative is not None and not turn.alternative.instead


@pytest.mark.parametrize("number", range(len(TALKS)), ids=IDS)
def test_a_step_quotes_only_what_was_said_and_gives_its_reason(number: int) -> None:
    episode = talk(number)
    turns = fed_back(number)
    answers = [turn.text for turn in episode.session.by("patient")]
    for turn in turns:
        step = turn.alternative
        if step is None:
            continue
        assert bool(step.why) is (step.example is None)
        if step.words is not None:
            said = " ".join([turn.said, *answers[: turn.number + 1]])
            assert step.words.removesuffix(" …").rstrip(".?!") in said


def test_a_slip_that_is_owned_is_named_and_a_bare_sorry_is_not() -> None:
    owned = "I think I ran ahead of you there, I'm sorry."
    for said, named in ((owned, True), ("Sorry.", False)):
        turn = turns_told(held("gethin", 2, ("What happened?", said)), get_case("gethin"))[1]
        assert (turn.well is not None and "repair" in turn.well) is named


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("Mm.", "That need not be your doing"),
        ("You are wrong, stop it now, you must see that.", "the more they feel pushed"),
    ],
    ids=["by chance", "pushed"],
)
def test_why_a_patient_left_is_told_and_nothing_new_is_told_of_that_turn(said: str, why: str) -> None:
    left = 0
    for seed in range(1, 9):
        episode, case = held("nurse-in-charge", seed, (said,) * 20), get_case("nurse-in-charge")
        if episode.states[-1].intent.act is not Act.LEAVE:
            continue
        left += 1
        told = turns_told(episode, case)[-1].reached
        assert any(why in one for one in told), told
        assert not any("something new" in one.lower() for one in told), told
    assert left > 0


def test_a_question_about_safety_is_credited_and_persuasion_is_not() -> None:
    said = ("How have the nights been?", "You have so much to live for.", "Are you thinking of ending your life?")
    turns = turns_told(held("solveig", 5, said), get_case("solveig"))
    assert [turn.well is not None and "asked about safety" in turn.well for turn in turns] == [False, False, True]


def test_a_good_question_past_open_danger_is_not_praised() -> None:
    said = ("How have the nights been?", "Are you thinking of ending your life?", "What do you like to cook?")
    turn = turns_told(held("solveig", 5, said), get_case("solveig"))[2]
    assert turn.well is None
    assert any("it stays first" in one for one in turn.reached)


def test_a_step_does_not_come_twice_running_with_the_same_words() -> None:
    seen = 0
    for number in range(len(TALKS)):
        steps = [turn.alternative for turn in fed_back(number)]
        for first, second in pairwise(step for step in steps if step is not None and step.words):
            seen += 1
            assert (first.kind, first.words) != (second.kind, second.words)
    assert seen > 0


def test_a_goal_is_met_by_the_turns_that_it_names() -> None:
    skilled, advising = talk(IDS.index("gethin")), talk(IDS.index("nilani"))
    assert goal_met(GOALS_BY_ID["open_first"], skilled).met
    without = goal_met(GOALS_BY_ID["no_advice"], advising)
    assert not without.met
    assert {1, 2} <= set(without.turns)
    one = goal_met(GOALS_BY_ID["one_at_a_time"], advising)
    assert not one.met
    assert 4 in one.turns
    assert not goal_met(GOALS_BY_ID["reflect"], advising).met


def test_a_challenge_ends_the_count_of_open_questions() -> None:
    episode = held("duarte-varela", 1, ("But you know it's only panic, right?", *("What happened then?",) * 6))
    met = goal_met(GOALS_BY_ID["open_first"], episode)
    assert (met.met, met.reached) == (False, 0)


def test_a_session_is_drawn_with_the_turns_at_which_something_was_kept() -> None:
    episode = talk(IDS.index("nilani"))
    turns = fed_back(IDS.index("nilani"))
    drawn = str(mind(curve(episode), turns))
    assert drawn.count('class="kept"') == sum(bool(turn.held_back) for turn in turns) > 0
    assert drawn.count("circle") == 3 * 2 * (len(turns) + 1)


def test_a_session_stands_beside_another_on_one_scale_and_growth_keeps_the_order() -> None:
    case, own = get_case("nilani"), talk(IDS.index("nilani"))
    other = held("nilani", 1, ("What happened that night?", "What went through your mind then?"))
    rows = {one.measure: one.rows for one in comparisons(own, case, {"oracle": other})}
    assert [row.who for row in rows["conviction_change"]] == ["you", "oracle"]
    assert rows["conviction_change"][0].value == pytest.approx(own.states[0].held - own.states[-1].held)
    assert rows["conviction_change"][1].sees_the_case
    found = growth([(other, case), (own, case)])
    assert (
        next(one for one in found if one.measure == "conviction_change").values[1] == rows["conviction_change"][0].value
    )


def test_a_brief_tells_no_word_sequence_of_the_diagram_or_the_memory() -> None:
    for name in case_ids("dev"):
        case = get_case(name)
        known = brief(case)
        hidden = case.model_dump(mode="json", exclude={"person", "problem"})
        found = set().union(*(sequences(text) for text in texts(hidden)))
        told = " . ".join([known.name, known.work, *known.topics])
        assert not sequences(told) & found, name
        assert set(known.topics) <= set(TOPICS)


def test_cases_are_chosen_by_level_and_topic_the_easiest_first() -> None:
    found = [(name, brief(get_case(name))) for name in case_ids("dev")]
    first = chosen(found, "first")
    assert first
    assert all(one.level == "first" and not one.risk_notice for _, one in first)
    assert all(chosen(found, topic=topic) for topic in TOPICS)
    every = [one for _, one in chosen(found)]
    assert {one.level for one in every} == {"first", "further", "hard"}
    assert all(one.level == "hard" for one in every if one.risk_notice)
