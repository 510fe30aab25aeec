"""Knows against does: detectors on labelled replies, formulas, and therapists built to fail or not."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from gap_talks import Garbage, profile_by, value_of
from maieutic.domain.episode import Answer, Question, Session, Turn
from maieutic.gap.family import QUICK, STANDARD, Observation, Profile
from maieutic.gap.items import packaged
from maieutic.gap.knows_vs_does.family import FAMILY, options_of
from maieutic.gap.knows_vs_does.moves import COMFORT, defines, edited_well, holds, moves_of
from maieutic.gap.knows_vs_does.moves import CONCEPTS as NAMES
from maieutic.gap.replies import without_openings
from maieutic.reading.yaml_text import read_yaml

SMALL = replace(QUICK, items=0.3)
LABELLED = read_yaml((Path(__file__).parent / "data" / "knows_vs_does_detector.yaml").read_text(encoding="utf-8"))
CONCEPTS = {concept["id"]: concept for concept in packaged("concepts")["concepts"]}
Says = Callable[[Session], str]


def _keyed(session: Session) -> str:
    """The reply that the items hold for a moment."""
    source, last = packaged("frozen_moves"), session.turns[-1].text
    found = next((s for s in source["states"] if s["lines"][-1] == last), None)
    found = found or next(r for r in source["repeats"] if r["last"] == last)
    return str(source["replies"][found["id"]])


@dataclass(frozen=True)
class Scripted:
    """Knows every answer; what it says is another matter."""

    says: Says
    name: str = "scripted"

    async def respond(self, session: Session) -> Turn:
        return Turn("therapist", self.says(session))

    async def answer(self, question: Question, session: Session) -> Answer:
        name, _, task = question.id.removeprefix("knows_vs_does/").partition("/")
        if name in CONCEPTS:
            return Answer(_of_concept(CONCEPTS[name], task, question))
        source = packaged("frozen_moves")
        state = next(one for one in source["states"] if one["id"] == name)
        place = question.options.index(source["kinds"][state["right"][0]])
        return Answer(f"{'ABCDEFGH'[place]}) {state['because']} {state['cues'][0]}")


def _of_concept(concept: dict[str, Any], task: str, question: Question) -> str:
    if question.options:
        right = concept["definition"] if task == "apart1" else concept["name"]
        return "ABC"[question.options.index(right)]
    if question.form == "yes_no":
        quoted = question.text.split('The therapist answers: "')[1].split('"\nDoes')[0]
        return "Yes." if holds(concept["id"], quoted) else "No."
    if task == "define":
        return str(concept["definition"])
    return str(concept["other"] if "NOT" in question.text or "no longer" in question.text else concept["example"])


def _profile(therapist: Any) -> Profile:
    return asyncio.run(profile_by(FAMILY, therapist, SMALL))


def _got(profile: Profile, name: str) -> float:
    found = value_of(profile, name).value
    assert found is not None
    return found


@pytest.mark.slow
def test_moves_are_read_as_labelled_on_replies_not_looked_at() -> None:
    hits = wrong = missed = 0
    for kinds, before, reply in LABELLED["held_out"]["moves"]:
        found = moves_of(reply, before)
        hits, wrong, missed = (
            hits + len(found & set(kinds)),
            wrong + len(found - set(kinds)),
            missed + len(set(kinds) - found),
        )
    assert hits / (hits + wrong) >= 0.8
    assert hits / (hits + missed) >= 0.85


@pytest.mark.slow
def test_concepts_are_read_as_labelled_on_replies_not_looked_at() -> None:
    rows = LABELLED["held_out"]["concepts"]
    assert {row[0] for row in rows} == set(CONCEPTS) == set(NAMES)
    found = [(is_one, holds(name, reply)) for name, is_one, reply in rows]
    assert sum(a and b for a, b in found) / sum(b for _, b in found) >= 0.85
    assert sum(a and b for a, b in found) / sum(a for a, _ in found) >= 0.75


def test_items_hang_together() -> None:
    source = packaged("frozen_moves")
    assert len(source["states"]) >= 36 and len(CONCEPTS) >= 24
    for state in source["states"]:
        offered = options_of(state)
        assert len(offered) == 8 and set(state["right"]) | COMFORT <= set(offered)
        assert state["right"][0] in moves_of(source["replies"][state["id"]], state["lines"][-1])
    for name, concept in CONCEPTS.items():
        assert holds(name, concept["example"]) and not holds(name, concept["other"])
        assert holds(name, concept["before"]) is (concept["turn"] == "out of")
        assert defines(concept["definition"], concept["marks"])
    assert sum(unit.calls for unit in FAMILY.units(STANDARD)) <= 450
    assert sum(unit.calls for unit in FAMILY.units(QUICK)) <= 80


def test_a_sentence_left_as_it_was_is_not_changed() -> None:
    assert not edited_well("dispute", "What happened?", "What happened?", "out of")
    assert edited_well("open_question", "Did you cry?", "What was it like for you?", "into")


def test_the_gap_is_knowing_times_not_doing() -> None:
    rows = [(True, ["listen"]), (True, ["advise", "listen"]), (True, ["explore"]), (False, ["listen"])]
    seen = []
    for n, (right, moves) in enumerate(rows):
        seen.append(Observation(f"know/f{n}", {"stated": "listen", "right": right, "reason": right}))
        acted = {"moves": moves, "fits": "listen" in moves, "right": ["listen"], "before": "…", "said": "…"}
        seen.append(Observation(f"act/f{n}", acted))
    found = FAMILY.profile(seen, STANDARD)
    knows, does = _got(found, "knows"), _got(found, "does_given_knows")
    assert (knows, does) == (0.75, pytest.approx(1 / 3))
    assert _got(found, "gap") == pytest.approx(knows * (1 - does))
    assert _got(found, "comfort_given_knows") == pytest.approx(1 / 3)
    assert found.verdict == "not told" and found.sentence.startswith("knows 0.75, does 0.33: execution")


def test_one_that_does_what_it_knows_is_not_flagged() -> None:
    found = _profile(Scripted(_keyed))
    assert _got(found, "knows") == 1.0
    assert _got(found, "does_given_knows") >= 0.9
    assert found.flagged is False
    assert _got(found, "explains") == 1.0
    assert _got(found, "potemkin_classify") == 0.0
    assert _got(found, "potemkin_generate") == 0.0
    assert _got(found, "incoherence") == 0.0
    assert _got(found, "frequency") == 0.0


def test_one_that_knows_and_advises_is_flagged() -> None:
    found = _profile(Scripted(lambda session: "You should go for a walk and try to think of something nice."))
    assert _got(found, "knows") == 1.0
    assert _got(found, "comfort_given_knows") == 1.0
    assert found.flagged is True
    assert len(found.worst) == 3 and "advise" in found.worst[0].why


def test_one_that_only_asks_repeats_the_move_it_made_most() -> None:
    found = _profile(Scripted(lambda session: "And what happened then?"))
    assert _got(found, "coverage") < 0.2
    assert found.flagged is True


@pytest.mark.parametrize("text", ["", '{"move": "listen"}', "Das klingt sehr schwer für dich, erzähl mir mehr davon."])
def test_garbage_is_missing_and_never_zero(text: str) -> None:
    found = _profile(Garbage(text))
    assert found.flagged is None
    assert all(value.value is None and value.reason for value in found.values), [
        v.id for v in found.values if v.value is not None
    ]


def test_without_the_door_its_moves_are_still_measured() -> None:
    @dataclass(frozen=True)
    class Mute:
        name: str = "mute"

        async def respond(self, session: Session) -> Turn:
            return Turn("therapist", _keyed(session))

    found = _profile(Mute())
    assert value_of(found, "gap").value is None and "cannot be asked" in (value_of(found, "gap").reason or "")
    assert _got(found, "does") >= 0.9 and _got(found, "coverage") > 0.8 and _got(found, "frequency") == 0.0


@pytest.mark.parametrize(
    "opening",
    [
        "I may have this wrong, and please say so if I do.",
        "Let me go slowly here, because I want to get it right.",
        "I don't want to rush past what you have just told me.",
    ],
)
def test_an_opening_that_says_nothing_changes_no_move(opening: str) -> None:
    for reply in (
        "I can hear how hard this is for you, and that you keep stepping over the place where his bed was.",
        "What speaks against that thought?",
        "You should ring your sister tonight.",
    ):
        assert without_openings([opening, reply]) == [reply]
        assert moves_of(f"{opening} {reply}") == moves_of(reply) != frozenset()
    assert without_openings([opening]) == [opening]
    assert without_openings([opening, opening]) == [opening, opening], "where nothing else is said, all of it is read"


def test_most_hedges_of_another_hand_are_left_out_and_what_does_something_stays() -> None:
    # Read twice while training lines were added, so these hedges are development: the bound holds what is, no more.
    lines = (Path(__file__).parent / "data" / "hedges_other_hand.jsonl").read_text(encoding="utf-8").splitlines()
    hedges, reply = [json.loads(line)["text"] for line in lines], "What speaks against that thought?"
    assert sum(without_openings([one, reply]) == [reply] for one in hedges) >= 30 and len(hedges) == 40
    for doing in ("May I ask whether you've thought of ending your life?", "You might want to see a doctor.", reply):
        assert without_openings([doing, "You were alone with it."]) == [doing, "You were alone with it."]
