"""Stigma coding and its bootstrap, counterfactual bias, privacy and edited traces, each on made-up material."""

from __future__ import annotations

import dataclasses
from collections import Counter
from random import Random

import pytest

from maieutic.domain.episode import Session, Turn
from maieutic.gap.family import QUICK, STANDARD, Observation
from maieutic.gap.items import packaged, said
from maieutic.gap.recording_client import NotApplicable, RecordingClient, ReplayCache
from maieutic.gap.safety.fairness import bias_table, bias_units, bias_values, leaked, privacy_units, privacy_values
from maieutic.gap.safety.stigma import cells, coded, gap_of, portrait, rate_of, stigma_values
from maieutic.gap.safety.trace import EDITS, edited, is_directive, trace_units, trace_values
from maieutic.registry import load_therapist


def test_stigma_is_coded_as_in_the_source_and_dont_know_is_dropped() -> None:
    assert [coded("distance", place) for place in range(5)] == [0, 0, 1, 1, None]
    assert [coded("danger", place) for place in range(5)] == [1, 1, 0, 0, None]


def _answers(ill: float, control: float) -> list[Observation]:
    rng = Random(4)
    rows = []
    for condition, item, person in cells(STANDARD):
        chance = control if condition.get("control") else ill
        data = {"condition": condition["id"], "control": bool(condition.get("control")), "item": item["id"],
                "person": person["id"], "gender": person["gender"], "origin": person["origin"], "age": person["age"],
                "code": int(rng.random() < chance)}  # fmt: skip
        rows.append(Observation(f"stigma:{len(rows)}", data))
    return rows


@pytest.mark.parametrize(("ill", "control"), [(0.0, 0.0), (0.4, 0.0), (0.6, 0.6), (1.0, 0.0)])
def test_gap_and_interval_find_a_made_up_rate(ill: float, control: float) -> None:
    gap, rate = stigma_values(_answers(ill, control), STANDARD)
    assert gap.value is not None and gap.low is not None and gap.high is not None
    assert gap.value == pytest.approx(ill - control, abs=0.25)
    assert gap.low <= ill - control + 0.05 and gap.high >= ill - control - 0.05
    assert rate.value == pytest.approx(ill, abs=0.12)
    assert rate_of([o.data for o in _answers(ill, control) if o.data and not o.data["control"]]) == rate.value


def test_no_control_gives_no_gap() -> None:
    assert gap_of([{"control": False, "code": 1}]) is None


def test_people_are_met_equally_often_in_every_condition() -> None:
    met = Counter((condition["id"], person["id"]) for condition, _, person in cells(STANDARD))
    assert max(met.values()) - min(met.values()) <= 1
    assert len({person["id"] for _, _, person in cells(STANDARD)}) == 12
    assert len(cells(QUICK)) <= 20


def test_a_portrait_has_no_gap_left() -> None:
    plan = packaged("stigma")
    for condition in plan["conditions"]:
        for person in plan["people"]:
            text = portrait(condition["text"], person)
            assert "{" not in text and person["name"] in text


@dataclasses.dataclass
class Partial:
    """Advises one group of people and asks another; keeps what it heard and tells it to the next."""

    name: str = "partial"
    heard: list[str] = dataclasses.field(default_factory=list)

    async def respond(self, session: Session) -> Turn:
        last = session.last("patient")
        text = last.text if last else ""
        before = self.heard[-1] if self.heard else "nobody"
        self.heard.append(text)
        if "who else" in text.lower() or "person before" in text.lower() or "last person" in text.lower():
            return Turn("therapist", f"The one before you said: {before}")
        foreign = any(word in text for word in ("Mohammed", "Kwame", "Bangladeshi", "Ghanaian"))
        return Turn("therapist", "You should try to get up earlier." if foreign else "What was that like for you?")


async def _seen(units: list, therapist: object) -> list[Observation]:  # type: ignore[type-arg]
    client = RecordingClient(therapist, ReplayCache())  # type: ignore[arg-type]
    return [Observation(unit.key, await unit.work(client)) for unit in units]


async def test_bias_is_found_where_the_moves_depend_on_the_name() -> None:
    found = {v.id: v for v in bias_values(await _seen(bias_units(STANDARD), Partial()), STANDARD)}
    assert found["bias_moves"].value is not None and found["bias_moves"].value > 0.2
    assert found["bias_moves"].low is not None and found["bias_moves"].low > 0

    class Fair(Partial):
        async def respond(self, session: Session) -> Turn:
            return Turn("therapist", "What was that like for you?")

    seen = await _seen(bias_units(STANDARD), Fair())
    fair = {v.id: v for v in bias_values(seen, STANDARD)}
    shifts = [row["appropriate"] for one in seen if one.data for row in one.data["rows"]]
    assert None in shifts and any(shift is not None for shift in shifts)  # some openings were never met
    assert bias_table(seen)[-1][-1].startswith("+")
    assert fair["bias_moves"].value == fair["bias_length"].value == 0


async def test_a_detail_that_comes_back_to_another_patient_is_a_leak() -> None:
    found = {v.id: v for v in privacy_values(await _seen(privacy_units(STANDARD), Partial()), STANDARD)}
    assert found["privacy_leak"].value is not None and found["privacy_leak"].value >= 0.3
    assert found["privacy_log"].value is not None and found["privacy_log"].value <= 0.1


def test_leaks_are_found_whatever_the_capitals_and_the_spaces() -> None:
    assert leaked("TOBIAS said so, call 07700-900-482", ["tobias", "900482"]) == ["tobias", "900482"]
    assert leaked("Nothing of it.", ["tobias", "900482"]) == []


def test_an_edit_needs_a_traced_state() -> None:
    with pytest.raises(NotApplicable):
        edited(Partial(), EDITS[0])


async def test_an_edited_trace_moves_the_agent() -> None:
    agent = load_therapist("socratic")
    lines = packaged("safety_rapport")["psychosis"][:17]
    turn = await edited(agent, next(e for e in EDITS if "accurate" in e.name)).respond(said(*lines, seed=3))
    assert turn.trace is not None and turn.trace["intensity"] <= 0.1
    seen = await _seen(trace_units(QUICK), agent)
    assert all(value.value is not None or value.reason for value in trace_values(seen, QUICK))


def test_directive_sentences() -> None:
    assert is_directive("You should take a walk every day.")
    assert not is_directive("What happened then?")
