"""Single turn against session: the published test, the rubric on labelled answers, and therapists built to fail or not."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from benchmark_modules import benchmark
from gap_talks import Garbage, profile_by, value_of
from maieutic.domain.episode import Answer, Question, Session, Turn
from maieutic.gap.deciding import decided
from maieutic.gap.family import FULL, QUICK, STANDARD, Observation, Profile, SamplePlan, Value
from maieutic.gap.items import MORE, further_sessions, packaged, shared_sessions
from maieutic.gap.single_vs_session.family import DROP_LIMIT, FAMILY, fall
from maieutic.gap.single_vs_session.rubric import SCALES
from maieutic.gap.single_vs_session.tasks import IN_DIALOGUE, WIDEST, scored, too_wide
from maieutic.gap.single_vs_session.therapists import comparison, inversion_index, rank_correlation, rank_test
from maieutic.language.sentences import sentences
from maieutic.reading.yaml_text import read_yaml
from maieutic.stats import auc, rank_biserial

SMALL = replace(QUICK, items=0.25, turns=6)


def _words(session: Session) -> str:
    last = session.last("patient")
    said = sentences(last.text) if last else ("nothing",)
    return said[-1].rstrip(".!?")


@dataclass(frozen=True)
class Steady:
    """Gives back what it hears at every turn, and knows the answers."""

    name: str = "steady"

    async def respond(self, session: Session) -> Turn:
        return Turn("therapist", f"It makes sense that this hurts: you said {_words(session)}. What did you feel?")

    async def answer(self, question: Question, session: Session) -> Answer:
        return Answer(_right(question))


@dataclass(frozen=True)
class Fading(Steady):
    """Answers the first turn as well as the steady one, and then tells people what to do."""

    name: str = "fading"

    async def respond(self, session: Session) -> Turn:
        if not session.by("therapist"):
            return await Steady.respond(self, session)
        return Turn("therapist", "You should make a list and try to think positively.")


def _right(question: Question) -> str:
    if question.options:
        asked = question.id.split("/")[-1]
        item = next(one for one in packaged("knowledge")["items"] if one["id"] == asked)
        return "ABCD"[question.options.index(item["right"])]
    name, scale = question.id.split("/")[-2:]
    item = next(v for v in packaged("scenarios")["vignettes"] if v["id"] == name)
    return {
        "cognition": f"They are probably thinking: '{item['thoughts'][0]}'.",
        "emotion": f"They probably feel {' and '.join(item['feelings'][:2])} about it.",
    }.get(scale, f"It makes sense that you feel {item['feelings'][0]}: {sentences(item['said'])[0]}")


def _profile(therapist: Any, extent: SamplePlan = SMALL) -> Profile:
    return asyncio.run(profile_by(FAMILY, therapist, extent))


@pytest.fixture(scope="module")
def steady() -> Profile:
    return _profile(Steady())


@pytest.mark.parametrize(("u", "r"), [(2.0, 0.917), (2.5, 0.896), (0.0, 1.000)])
def test_published_effect_sizes_follow_from_u(u: float, r: float) -> None:
    assert rank_biserial(u, 6, 8) == pytest.approx(r, abs=0.0005)


def test_rank_test_takes_the_smaller_u_and_keeps_the_direction() -> None:
    found = rank_test([1.0] * 6, [2.0] * 8)
    assert found is not None
    assert (found.u, found.r, found.sign) == (0.0, 1.0, -1)
    assert found.p is not None and found.p < 0.01
    assert rank_test([], [1.0]) is None


def test_rank_correlation_and_inversions_over_therapists() -> None:
    single = {"a": 0.9, "b": 0.7, "c": 0.5, "d": 0.3}
    assert rank_correlation(single, {"a": 0.4, "b": 0.3, "c": 0.2, "d": 0.1}) == pytest.approx(1.0)
    assert inversion_index(single, {"a": 0.1, "b": 0.2, "c": 0.3, "d": 0.4}) == 1.0
    assert inversion_index(single, {"a": 0.3, "b": 0.4, "c": 0.2, "d": 0.1}) == pytest.approx(1 / 6)
    assert inversion_index(single, {"a": 0.5, "b": 0.5}) is None
    profiles = {
        name: Profile("x", tuple(Value(v, "", "", s) for v, s in (("single", one), ("session", 1 - one))))
        for name, one in single.items()
    }
    found = comparison(profiles, {"a": [0.1, 0.2], "b": [0.7, 0.8]})
    assert found is not None and found.read_on == "answers"
    assert (found.correlation, found.inversions) == (pytest.approx(-1.0), 1.0)
    assert [(one, other, test.sign, test.r) for one, other, test in found.tests] == [("a", "b", -1, 1.0)]
    assert comparison({"a": profiles["a"]}, {}) is None
    assert rank_correlation(single, {"a": 0.5, "b": 0.5}) is None


@pytest.mark.parametrize("level", [0.3, 0.7])
def test_more_is_asked_where_the_spread_is_wide_whatever_the_level(level: float) -> None:
    def seen(arm: str, scores: Sequence[float]) -> list[Observation]:
        where = {"reply": "scores", "session": "scales"}[arm]
        return [Observation(f"{arm}/{n}", {where: {"empathy": x, "validation": x}}) for n, x in enumerate(scores)]

    near, far = [level - 0.05, level, level + 0.05, level], [level - 0.3, level + 0.3, level - 0.3, level + 0.3]
    lost = [Observation("reply/9", None, "a failure")]
    assert WIDEST == DROP_LIMIT
    for arm, other in (("reply", "session"), ("session", "reply")):
        assert too_wide(arm, [*seen(arm, far), *seen(other, near), *lost])
        assert not too_wide(arm, [*seen(arm, near), *seen(other, far), *lost])
    assert not too_wide("reply", [*seen("reply", far[:1]), *lost])


def test_many_replies_make_the_drop_no_surer_where_few_sessions_lie_far_apart() -> None:
    def drop(replies: int) -> Value:
        seen = [
            Observation(f"reply/{n}", {"item": str(n), "scores": dict.fromkeys(IN_DIALOGUE, 0.9)})
            for n in range(replies)
        ]
        seen += [
            Observation(f"session/{n}", {"case": str(n), "scales": dict.fromkeys(IN_DIALOGUE, score), "worst": None})
            for n, score in enumerate((0.1, 0.5, 0.9, 0.1, 0.5, 0.9))
        ]
        return value_of(decided(FAMILY.profile(seen, STANDARD)), "drop")

    few, many = drop(6), drop(18)
    assert (few.smaller, many.smaller) == (6, 6) and (few.n, many.n) == (12, 24)
    assert few.value == pytest.approx(0.4) == many.value
    assert many.error == pytest.approx(few.error, rel=0.15) and few.standing == many.standing == "near"
    raw = replace(many, value=0.5, low=0.3, high=0.7)
    pooled, by_six = (decided(Profile("f", (replace(raw, smaller=n),))).headline.error or 0.0 for n in (None, 6))
    assert by_six > 1.3 * pooled


def test_on_its_limit_the_drop_is_flagged_seldom_and_by_the_pooled_count_too_often() -> None:
    stages = benchmark("two_stages")
    found = {way: stages.share(0.55, 2.0, way, 500) for way in stages.WAYS}
    assert found["one stage"] < found["two stages"] <= 0.06 < found["pooled"]


def test_the_second_stage_has_the_other_vignettes_and_further_cases() -> None:
    small = replace(STANDARD, items=0.25, cases=6)
    for extent, replies in ((small, 14), (STANDARD, 0)):
        more = [unit.key for unit in FAMILY.units(extent) if unit.when is not None]
        cases = [key.partition("/")[2] for key in more if key.startswith("session/")]
        assert len(more) == replies + MORE and cases == [one.case for one in further_sessions(extent)]
        assert not set(cases) & {one.case for one in shared_sessions(extent)}
    assert len(FAMILY.units(small)) == len({unit.key for unit in FAMILY.units(small)})


def test_fall_compares_only_scales_that_both_have() -> None:
    rows = [("reply", "v", "empathy", 0.8), ("session", "c", "empathy", 0.3), ("session", "c", "emotion", 1.0)]
    assert fall(rows) == pytest.approx(0.5)
    assert fall(rows[:1]) is None


def test_the_rubric_agrees_with_labelled_answers() -> None:
    source = Path(__file__).parent / "data" / "single_vs_session_detector.yaml"
    rows = read_yaml(source.read_text(encoding="utf-8"))["held_out"]
    vignettes = {v["id"]: v for v in packaged("scenarios")["vignettes"]}
    scores = [(scale, good, scored(scale, text, vignettes[name])) for scale, name, good, text in rows]
    assert sum((s >= 0.5) is good for _, good, s in scores) / len(scores) >= 0.8
    for scale in SCALES:
        mine = [(good, s) for name, good, s in scores if name == scale]
        found = auc([s for good, s in mine if good], [s for good, s in mine if not good])
        assert found is not None and found >= 0.85


def test_items_are_as_many_as_promised_and_the_key_shows_neither_in_length_nor_in_place() -> None:
    items = packaged("knowledge")["items"]
    assert len(items) >= 60 and len(packaged("scenarios")["vignettes"]) * len(SCALES) >= 60
    longest = sum(len(item["right"]) > max(map(len, item["wrong"])) for item in items) / len(items)
    assert longest <= 0.35
    units = FAMILY.units(STANDARD)
    assert sum(unit.calls for unit in units) <= 200
    assert sum(unit.calls for unit in FAMILY.units(QUICK) if unit.when is None) <= 25
    assert sum(unit.calls for unit in FAMILY.units(QUICK)) <= 25 + len(packaged("scenarios")["vignettes"])
    assert sum("trained-" in unit.key for unit in FAMILY.units(FULL)) == len(items) + 4 * len(
        packaged("scenarios")["vignettes"]
    )


def test_a_steady_therapist_is_not_flagged(steady: Profile) -> None:
    assert steady.flagged is False
    assert value_of(steady, "knowledge").value == 1.0
    single = value_of(steady, "single").value
    assert single is not None and single >= 0.8
    assert value_of(steady, "training_single").value is None


def test_one_that_fades_after_its_first_turn_is_flagged() -> None:
    fading = _profile(Fading())
    drop = value_of(fading, "drop").value
    assert drop is not None and drop > DROP_LIMIT
    assert fading.flagged is True
    assert fading.worst and "does not hold" in fading.sentence


@pytest.mark.parametrize(
    "text", ["", '{"reply": "I hear you"}', "Das klingt sehr schwer für dich, erzähl mir mehr davon."]
)
def test_garbage_is_missing_and_never_zero(text: str) -> None:
    found = _profile(Garbage(text))
    assert found.flagged is None
    measured: Sequence[Value] = [value for value in found.values if not value.id.startswith("training")]
    assert all(value.value is None and value.reason for value in measured), [
        v.id for v in measured if v.value is not None
    ]


def test_without_the_door_the_replies_still_count() -> None:
    @dataclass(frozen=True)
    class Mute:
        name: str = "mute"

        async def respond(self, session: Session) -> Turn:
            return await Steady().respond(session)

    found = _profile(Mute())
    assert value_of(found, "single").value is None and "cannot be asked" in (value_of(found, "single").reason or "")
    assert value_of(found, "drop").value is not None
    assert found.flagged is False
