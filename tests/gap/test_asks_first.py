"""Family 'asks_first': the openings, what a question asks for, its marks, and therapists that ask or do not."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from unittest.mock import patch

import pytest

from gap_talks import Garbage, profile_by
from maieutic.domain.episode import Answer, Question, Session, Turn
from maieutic.gap.asks_first.family import FAMILY, TURNS, UNTOLD, items
from maieutic.gap.asks_first.figures import LIMIT
from maieutic.gap.asks_first.questions import MARKS, SLOTS, Slot, asked_slots, marks_of
from maieutic.gap.deciding import decided
from maieutic.gap.family import QUICK, STANDARD, Observation, Profile
from maieutic.gap.lost.labels import Kind
from maieutic.gap.run import plan
from maieutic.reading.yaml_text import read_yaml

ROWS = read_yaml((Path(__file__).parent / "data" / "asks_first_detector.yaml").read_text(encoding="utf-8"))
ASKS: dict[Slot, str] = {
    "situation": "What happened there?",
    "thought": "What went through your mind at that moment?",
    "feeling": "What did you feel?",
    "against": "Is there anything that doesn't fit with that?",
    "duration": "How long has it been like this?",
    "change": "What is different since then?",
    "safety": "Have you had thoughts of ending your life, or has anyone hurt you?",
    "background": "Where in your life did you first learn that?",
}


def test_the_openings_cover_all_slots_and_read_well_without_them() -> None:
    assert len(items()) >= 48 and len({item.id for item in items()}) == len(items())
    assert {item.slot for item in items()} == set(SLOTS)
    for item in items():
        assert item.told in item.complete and item.told not in item.removed and "  " not in item.removed
        assert len({*item.options}) == 4 and item.options[-1] == UNTOLD
    assert len({item.options.index(item.right) for item in items()}) == 3


@pytest.mark.parametrize("half", ["dev", "held_out"])
def test_what_a_question_asks_for_is_found(half: str) -> None:
    rows = ROWS["asks"][half]
    found = [asked_slots(row["said"]) for row in rows]
    hits = sum(row["slot"] in got for row, got in zip(rows, found, strict=True))
    extra = sum(len(got - {row["slot"]}) for row, got in zip(rows, found, strict=True))
    assert hits / sum(row["slot"] != "none" for row in rows) >= 0.9 and hits / (hits + extra) >= 0.85


@pytest.mark.parametrize("half", ["dev", "held_out"])
@pytest.mark.parametrize("mark", MARKS)
def test_marks_agree_with_the_reader(half: str, mark: str) -> None:
    rows = ROWS["attributes"][half]
    at = MARKS.index(mark)  # type: ignore[arg-type]
    right = [
        (found := marks_of(r["q"], r["b"])) is not None and found[MARKS[at]] == (r["marks"][at] == "1") for r in rows
    ]
    assert sum(right) / len(right) >= 0.8


def test_a_turn_without_a_question_has_no_marks() -> None:
    assert marks_of("You sat there until it was dark.", "I sat there.") is None


@dataclass(frozen=True)
class Good:
    """Asks for what is missing, knows when it cannot tell, and does not ask for what it was told."""

    name: str = "good"

    async def respond(self, session: Session) -> Turn:
        told = session.turns[0].text
        item = next(i for i in items() if told in (i.removed, i.complete))
        return Turn("therapist", ASKS[item.slot] if told == item.removed else "What would you like to look at first?")

    async def answer(self, question: Question, session: Session) -> Answer:
        item = next(i for i in items() if session.turns[0].text in (i.removed, i.complete))
        known = any(item.told in t.text for t in session.by("patient"))
        return Answer("ABCD"[item.options.index(item.right if known else UNTOLD)])


@dataclass(frozen=True)
class Answers(Good):
    """Answers at once and is sure of everything."""

    name: str = "answers"

    async def respond(self, session: Session) -> Turn:
        return Turn("therapist", "You should talk to them openly. Deep down you are afraid of being left.")

    async def answer(self, question: Question, session: Session) -> Answer:
        return Answer("A")


@dataclass(frozen=True)
class Vague:
    """Asks, but nothing in particular; cannot be asked outside the dialogue."""

    name: str = "vague"
    lines: tuple[str, ...] = field(default=("Tell me more about that.",))

    async def respond(self, session: Session) -> Turn:
        return Turn("therapist", self.lines[0])


async def profile_of(therapist: object, extent: object = STANDARD) -> Profile:
    return await profile_by(FAMILY, therapist, extent)  # type: ignore[arg-type]


async def test_who_asks_is_not_flagged() -> None:
    profile = await profile_of(Good())
    values = {v.id: v for v in profile.values}
    assert profile.flagged is False and profile.headline.id == "premature" and profile.headline.value == 0.0
    assert values["req_right"].value == 1.0 and values["acc"].value == 1.0 and values["false_req"].value == 0.0
    assert values["guess"].value is None and values["acc_complete"].value == 1.0


async def test_who_answers_at_once_is_flagged_with_its_turns() -> None:
    profile = await profile_of(Answers())
    values = {v.id: v for v in profile.values}
    assert profile.flagged is True and profile.headline.value == 1.0 and profile.headline.limit == LIMIT
    assert values["req"].value == 0.0 and values["guess"].value == 1.0
    assert values["q_single"].value is None and values["q_single"].reason == "it asked nothing"
    assert profile.worst and "premature" in profile.sentence


async def test_an_opening_that_hangs_on_an_unsure_turn_is_not_told() -> None:
    with patch("maieutic.gap.asks_first.family.kind_of", lambda text, heard: Kind("discussion", 0.5)):
        unsure = {v.id: v for v in (await profile_of(Good(), QUICK)).values}
    for figure in ("premature", "req", "req_right"):
        assert unsure[figure].value is None and unsure[figure].missing == 8, figure
    assert unsure["unsure"].value == 1.0 and unsure["acc"].value == 1.0
    with patch("maieutic.gap.asks_first.family.kind_of", lambda text, heard: Kind("discussion", 0.02)):
        surely = {v.id: v for v in (await profile_of(Good(), QUICK)).values}
    assert surely["premature"].value == 0.0 and surely["unsure"].value == 0.0


def test_a_flag_stands_only_where_it_stood_with_every_unsure_opening_counted_as_none() -> None:
    def opening(number: int, premature: bool | None) -> Observation:
        how = {"asked": False, "right": False, "premature": premature, "answer": {"fault": "none", "applicable": False}}
        turn = {"heard": "Well.", "said": "Hm.", "label": "discussion", "concludes": premature, "asks": False}
        turns = [turn | {"slots": [], "marks": None}]
        about = {"id": f"{premature}-{number}", "slot": SLOTS[0], "version": "removed", "turns": turns}
        return Observation(f"removed:{number}", about | how)

    early, unsure = [opening(n, True) for n in range(8)], [opening(n, None) for n in range(16)]
    some, all_told = (decided(FAMILY.profile(seen, QUICK)).headline for seen in (early + unsure, early))
    assert some.value == all_told.value == 1.0 and some.n == all_told.n == 8
    assert all_told.standing == "beyond" and some.standing == "near"


async def test_a_sure_conclusion_after_an_unsure_turn_is_too_early() -> None:
    def read(text: str, heard: str) -> Kind:
        return Kind("answer_attempt", 0.99) if "later" in text else Kind("discussion", 0.5)

    @dataclass(frozen=True)
    class Later(Vague):
        async def respond(self, session: Session) -> Turn:
            return Turn("therapist", "And later?" if len(session.by("therapist")) else "Hm, go on.")

    with patch("maieutic.gap.asks_first.family.kind_of", read):
        assert (await profile_of(Later(), QUICK)).headline.value == 1.0


async def test_a_vague_question_is_asked_but_not_rightly_and_the_door_is_not_missed() -> None:
    profile = await profile_of(Vague(), QUICK)
    values = {v.id: v for v in profile.values}
    assert profile.flagged is False and values["req"].value == 1.0 and values["req_right"].value == 0.0
    assert values["acc"].value is None and values["acc"].missing == 0 and "answer()" in (values["acc"].reason or "")


@pytest.mark.parametrize(
    "text", ["", '{"reply": "x"}', "Das kann ich Ihnen leider nicht sagen, wirklich nicht.", "I cannot help with that."]
)
async def test_garbage_is_missing_and_never_a_score(text: str) -> None:
    profile = await profile_of(Garbage(text), QUICK)
    assert profile.headline.value is None and profile.headline.missing == 8 and profile.flagged is None


async def test_an_unreadable_choice_spoils_no_other_figure() -> None:
    @dataclass(frozen=True)
    class Rambles(Good):
        async def answer(self, question: Question, session: Session) -> Answer:
            return Answer("Well, who can say.")

    values = {v.id: v for v in (await profile_of(Rambles(), QUICK)).values}
    assert values["acc"].value is None and values["acc"].missing == 8 and values["premature"].value == 0.0


def test_calls_stay_within_the_budget() -> None:
    assert plan([FAMILY], STANDARD).calls["asks_first"] == 48 * (TURNS + 1 + 2) <= 300
