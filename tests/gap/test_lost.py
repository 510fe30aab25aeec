"""Family 'lost': the shards, the lazy patient, the labels, the formulation, and therapists built to lose things or not."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from gap_talks import Garbage, beyond_a_limit, profile_by, value_of, within_limits
from maieutic.domain.episode import Answer, Question, Session, Turn
from maieutic.errors import ModelRefused
from maieutic.gap.deciding import decided
from maieutic.gap.family import QUICK, STANDARD, Observation, Profile
from maieutic.gap.items import said
from maieutic.gap.knows_vs_does.moves import moves_of
from maieutic.gap.lost.cases import (
    LONGEST,
    PIECES,
    Piece,
    Sharded,
    asked_for,
    mind,
    next_said,
    sharded,
    told_as_list,
    told_whole,
    with_earlier,
)
from maieutic.gap.lost.family import FAMILY
from maieutic.gap.lost.figures import percentile
from maieutic.gap.lost.formulation import holds, points, read, score
from maieutic.gap.lost.labels import ATTEMPTS, kind_of, label_of, speaks_for_conclusion, told_and_asked
from maieutic.gap.recording_client import Unusable
from maieutic.gap.replies import without_openings
from maieutic.gap.run import plan
from maieutic.library import case_ids
from maieutic.reading.yaml_text import read_yaml

ROWS = read_yaml((Path(__file__).parent / "data" / "lost_detector.yaml").read_text(encoding="utf-8"))
ASKS = (
    "What went through your mind just then?",
    "What did you feel at that moment?",
    "What makes you believe that?",
    "What speaks against that thought, looking back?",
    "Where does that come from, in your life before?",
)
SMALL = replace(QUICK, cases=2, samples=1)


@pytest.mark.parametrize("name", case_ids("all"))
def test_every_case_can_be_sharded(name: str) -> None:
    shards = sharded(name)
    assert len(shards.pieces) == len(PIECES) and len({*shards.all}) == len(shards.all)
    whole, listed = told_whole(shards), told_as_list(shards)
    assert all(text in whole and text in listed for text in shards.all)
    assert with_earlier(shards, shards.all[:2], shards.all[2]).count("\n- ") == 2


@pytest.mark.slow
def test_the_lazy_patient_tells_what_was_asked_for_and_never_two_things() -> None:
    shards = sharded("denise-farrugia")
    asked = said(shards.opening, "What did you feel at that moment?")
    answer = next_said(shards, asked, (), dry=False)
    assert answer.piece == "feeling" and answer.text == shards.piece("feeling")
    generic = said(shards.opening, "Mm.")
    assert next_said(shards, generic, (), dry=False).piece is None
    assert next_said(shards, generic, ("thought",), dry=True).piece == "feeling"
    assert next_said(shards, asked, ("feeling",), dry=False).piece is None


@pytest.mark.slow
def test_the_lazy_patient_reads_questions_in_most_cases() -> None:
    wanted: tuple[Piece, ...] = ("thought", "feeling", "supports", "contradicts", "belief")
    hits = [
        piece in asked_for(sharded(name), said(sharded(name).opening, text))
        for name in case_ids("dev")[:4]
        for piece, text in zip(wanted, ASKS, strict=True)
    ]
    assert sum(hits) / len(hits) >= 0.8


@pytest.mark.slow
@pytest.mark.parametrize("half", ["dev", "held_out"])
def test_seven_labels_agree_with_the_reader(half: str) -> None:
    rows = ROWS["labels"][half]
    assert sum(label_of(row["said"]) == row["label"] for row in rows) / len(rows) >= 0.9


@pytest.mark.slow
@pytest.mark.parametrize("half", ["dev", "held_out"])
def test_conclusions_agree_with_the_reader(half: str) -> None:
    rows = ROWS["labels"][half]
    got = [label_of(row["said"]) for row in rows]
    true = [row["label"] in ATTEMPTS for row in rows]
    found = [g in ATTEMPTS for g in got]
    both = sum(t and f for t, f in zip(true, found, strict=True))
    assert both / sum(found) >= 0.9 and both / sum(true) >= 0.9


@pytest.mark.slow
@pytest.mark.parametrize("half", ["dev", "held_out"])
def test_lines_are_matched_as_a_reader_would(half: str) -> None:
    rows = ROWS["matches"][half]
    right = [holds(r["said"], r["slot"], sharded(r["case"])) == r["holds"] for r in rows]
    assert sum(right) / len(right) >= 0.9


@pytest.mark.parametrize(
    "text",
    ["I say this with care: this is really about your mother.", "With all due caution, this is really about him."],
)
def test_a_conclusion_behind_a_hedge_in_the_same_sentence_is_not_left_out(text: str) -> None:
    # The head of openings takes such a sentence for one that carries nothing.
    rest = "Shall we stay with it?"
    assert without_openings([text, rest]) == [rest] and without_openings([text, rest], speaks_for_conclusion) != [rest]
    assert kind_of(f"{text} {rest}").concludes is not False and kind_of(rest).concludes is False
    assert moves_of(f"{text} {rest}") > moves_of(rest)


def test_how_many_conclusions_behind_a_hedge_are_surely_none() -> None:
    # Development, and no good figure: the bounds hold what is, no more.
    hedges = ("Correct me if I'm off: ", "Tell me if I'm wrong, but ", "I may be misreading you, but ")
    more = ("Weigh it for yourself: ", "I say this with care: ")
    ends = ("this is really about your mother", "you are grieving", "you believe you don't deserve love")
    others = ("you are afraid of being alone", "you are angry with him")
    read = [kind_of(f"{a}{b}. Shall we stay with it?").concludes for a in hedges + more for b in ends + others]
    assert sum(one is False for one in read) <= 4 and len(read) == 25


def test_a_turn_that_tells_and_asks_is_read_in_these_two_parts() -> None:
    short = ("It was late.", "What came next?", "Nobody rang.")
    assert told_and_asked(short) == ("It was late. Nobody rang.", ("What came next?",))
    told = "I have listened to you for an hour, and it does seem to me, though I may be wrong, that you wait for your father"
    assert told_and_asked((f"{told}, and what did he say then?",)) == (told, ("and what did he say then?",))
    assert told_and_asked(("When he came in, late as ever, what did he say?",))[0] == ""


@pytest.mark.parametrize(
    ("told", "concludes"),
    [
        ("You stay so late because you are afraid of going home.", True),
        ("I'd ring her tonight and tell her that you are sorry.", True),
        ("So she put the plates away and nobody said a word.", False),
        ("That was a long day, and you were alone with it.", False),
    ],
)
def test_a_plain_question_behind_changes_no_reading(told: str, concludes: bool) -> None:
    assert kind_of(told).concludes is concludes
    assert kind_of(f"{told} What came next?").concludes in (concludes, None)


def test_a_turn_may_begin_with_a_sentence_without_a_word() -> None:
    assert kind_of("♪ ... ♪! What happened then?").concludes is False
    assert kind_of("*. You should ring her tonight.").concludes is True


def test_words_given_back_are_no_answer() -> None:
    given_back = "You said that you should have stayed. What did you feel?"
    assert label_of(given_back) not in ATTEMPTS and label_of("You should have stayed.") in ATTEMPTS
    assert kind_of("").concludes is False and kind_of("").label == "missing"


def formulation_of(shards: Sharded, known: str) -> str:
    """A right line for every piece whose words are known; 'unknown' for the others."""
    case, situation = mind(shards)
    strongest = max(situation.emotions, key=lambda e: e.intensity)
    right = {
        "thought": situation.automatic_thought,
        "feeling": strongest.group,
        "belief": case.core_beliefs[0].category.replace("_", " "),
        "supports": situation.fact(shards.support).fact,
        "contradicts": situation.fact(shards.against).fact,
    }
    line = {piece: right[piece] if shards.piece(piece) in known else "unknown" for piece in PIECES}
    return (
        f"THOUGHT: {line['thought']}\n**BELIEF:** {line['belief']}\nEMOTION: {line['feeling']}\n"
        f"SUPPORTS: {line['supports']}\nCONTRADICTS: {line['contradicts']}"
    )


def shards_in(session: Session) -> Sharded:
    opening = session.turns[0].text
    return next(s for s in map(sharded, case_ids("dev")) if s.opening in opening)


@dataclass(frozen=True)
class Good:
    """Asks for one thing after the other and keeps all of it."""

    name: str = "good"

    async def respond(self, session: Session) -> Turn:
        return Turn("therapist", ASKS[len(session.by("therapist")) % len(ASKS)])

    async def answer(self, question: Question, session: Session) -> Answer:
        known = "\n".join(t.text for t in session.by("patient"))
        return Answer(formulation_of(shards_in(session), known))


@dataclass(frozen=True)
class Locks(Good):
    """Answers at once, and keeps to what it made of the first turn."""

    name: str = "locks"

    async def respond(self, session: Session) -> Turn:
        return Turn("therapist", "This goes back to your childhood: you learned that you are not good enough.")

    async def answer(self, question: Question, session: Session) -> Answer:
        text = formulation_of(shards_in(session), session.turns[0].text)
        return Answer(text.replace("EMOTION: unknown", "EMOTION: suspicious"))


@dataclass(frozen=True)
class Silent:
    """A good therapist without a door for questions."""

    name: str = "silent"

    async def respond(self, session: Session) -> Turn:
        return await Good().respond(session)


async def profile_of(therapist: object, extent: object = SMALL) -> Profile:
    return await profile_by(FAMILY, therapist, extent)  # type: ignore[arg-type]


@pytest.mark.slow
async def test_who_keeps_all_is_not_flagged_and_who_locks_in_is() -> None:
    good, bad = await profile_of(Good()), await profile_of(Locks())
    assert within_limits(good) and good.headline.id == "ratio" and good.headline.value == pytest.approx(1.0)
    assert beyond_a_limit(bad) and bad.headline.value is not None and bad.headline.value < 0.5
    values = {v.id: v for v in bad.values}
    assert values["premature"].value == 1.0 and values["early_lock"].value == 1.0
    assert values["concat_ratio"].value == pytest.approx(1.0)
    assert values["a90_full"].value is None and "draws" in (values["a90_full"].reason or "")
    assert bad.worst and "lost in conversation" in bad.sentence


@pytest.mark.slow
async def test_without_the_door_the_dialogue_alone_decides() -> None:
    profile = await profile_of(Silent())
    assert profile.headline.id == "premature" and profile.headline.value == 0.0 and within_limits(profile)
    assert profile.headline.missing == 0


async def test_a_refused_question_spoils_no_figure_of_the_dialogue() -> None:
    @dataclass(frozen=True)
    class Refuses(Good):
        async def answer(self, question: Question, session: Session) -> Answer:
            raise ModelRefused("it cannot be asked that")

    profile = await profile_of(Refuses())
    values = {v.id: v for v in profile.values}
    assert profile.headline.id == "premature" and profile.headline.value == 0.0 and profile.headline.missing == 0
    assert values["ratio"].value is None and values["p_sharded"].missing == 2


@pytest.mark.parametrize(
    "text", ["", '{"turn": 3}', "Ich weiß nicht, was ich Ihnen dazu sagen soll, leider.", "I can't help with that."]
)
async def test_garbage_is_missing_and_never_a_score(text: str) -> None:
    profile = await profile_of(Garbage(text))
    assert profile.headline.value is None and profile.flagged is None
    assert profile.headline.missing > 0 and profile.headline.reason


def test_an_answer_is_read_strictly() -> None:
    shards = sharded("denise-farrugia")
    whole = formulation_of(shards, told_whole(shards))
    assert points(score(read(whole), shards)) == 100.0
    with pytest.raises(Unusable, match="contradicts"):
        read(whole.rsplit("\n", 1)[0])
    with pytest.raises(Unusable, match="category"):
        read(whole.replace("bound to be abandoned", "helpless, unlovable or worthless"))
    near = score(read(whole.replace("bound to be abandoned", "unlovable")), shards)
    assert near["belief"] == 0.5


def test_percentiles_of_the_draws() -> None:
    assert percentile(list(range(11)), 90) == 9.0 and percentile([50.0] * 10, 10) == 50.0


def test_calls_stay_within_the_budget() -> None:
    work = plan([FAMILY], STANDARD)
    assert work.calls["lost"] == 12 * 4 * (1 + 1 + LONGEST + 3 + LONGEST + 1) <= 1_300
    assert FAMILY.units(STANDARD) and len({u.key for u in FAMILY.units(STANDARD)}) == 192


GONE = {"fault": "cannot be asked", "applicable": False}


def session_of(case: str, *concludes: bool | None) -> Observation:
    turns = [
        {
            "label": "discussion",
            "concludes": one,
            "out": 0,
            "said": "Hm.",
            "heard": "Well.",
            "brought": None,
            "asked": False,
        }
        for one in concludes
    ]
    return Observation(
        f"{case}:sharded:0", {"case": case, "setting": "sharded", "end": GONE, "recap": GONE, "turns": turns}
    )


def test_a_session_that_hangs_on_an_unsure_turn_is_not_told() -> None:
    seen = [
        session_of("a", False, True),
        session_of("b", None, True),
        session_of("c", None, False),
        session_of("d", False),
    ]
    values = {v.id: v for v in FAMILY.profile(seen, SMALL).values}
    assert (values["premature"].value, values["premature"].n, values["premature"].missing) == (2 / 3, 3, 1)
    assert values["unsure"].value == 1 / 4


def test_a_flag_stands_only_where_it_stood_with_every_unsure_session_counted_as_without() -> None:
    early = [session_of(f"early-{n}", False, True) for n in range(8)]
    unsure = [session_of(f"unsure-{n}", False, None) for n in range(8)]
    some, all_told = (value_of(decided(FAMILY.profile(seen, SMALL)), "premature") for seen in (early + unsure, early))
    assert some.value == all_told.value == 1.0 and some.n == all_told.n == 8
    assert all_told.standing == "beyond" and some.standing == "near"
