"""The one loop: endings, what each side sees, what the observer hears, and going on from any point."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from maieutic.dialogue import Event, Progress, converse
from maieutic.domain.appraisal import SILENCE
from maieutic.domain.case import Case
from maieutic.domain.episode import Ending, Episode, Session, Turn
from maieutic.domain.state import CognitiveState
from maieutic.errors import BudgetReached, InputError, ModelError, ModelTimeout
from maieutic.models.scripted import ScriptedModel
from maieutic.patients.published import make_static
from maieutic.patients.simulated import SimulatedPatient
from maieutic.registry import load_therapist
from talks import Speaker, make_patient, make_talk

QUESTIONS = (
    "What happened that morning?", "Who else was there?", "And then?", "How did that sit with you?",
    "What would a friend have made of it?", "Has it ever gone otherwise?", "What else?", "Where were you?",
)  # fmt: skip


@dataclass
class Broken:
    """A patient whose voice fails at one of its turns (0 is the opening)."""

    inner: SimulatedPatient
    at: int
    error: Exception
    name: str = "broken"

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)

    async def speak(self, session: Session, state: CognitiveState | None, rng: Random) -> Turn:
        if len(session.by("patient")) == self.at:
            raise self.error
        return replace(await self.inner.speak(session, state, rng), trace={"secret": "of the patient"})


async def test_a_session_has_an_opening_and_the_turns_it_was_given() -> None:
    episode = await converse(make_talk(Speaker(), turns=5))
    assert episode.ending == Ending("turn_limit")
    assert [t.speaker for t in episode.session.turns] == ["patient", *["therapist", "patient"] * 5]
    assert (len(episode.states), len(episode.codes), len(episode.appraisals)) == (6, 5, 5)
    assert [s.turn for s in episode.states] == list(range(6))
    assert all(code is not None for code in episode.codes)


async def test_two_runs_are_equal_and_another_seed_is_not() -> None:
    one, two, other = [await converse(make_talk(Speaker(), seed=s)) for s in (1, 1, 2)]
    assert one == two
    assert one.session != other.session
    assert one.states != other.states


@pytest.mark.parametrize("case_id", ["gethin", "nilani", "denise-farrugia"])
async def test_two_arms_that_say_the_same_meet_the_same_patient(case_id: str) -> None:
    talk = make_talk(Speaker(turns=QUESTIONS, ends=("",)), make_patient(case_id), turns=8, seed=5)
    other = replace(talk, streams=replace(talk.streams, key=talk.streams.key._replace(therapist="another")))
    one, two = await converse(talk), await converse(other)
    assert one.session.seed != two.session.seed
    assert one.session.turns == two.session.turns
    assert (one.states, one.appraisals) == (two.states, two.appraisals)


async def test_the_therapist_can_close() -> None:
    episode = await converse(make_talk(Speaker(ends_at=2), turns=9))
    assert episode.ending == Ending("completed", "the therapist closed")
    assert episode.session.turns[-1].speaker == "therapist"
    assert len(episode.therapist_turns) == len(episode.codes) == 3
    assert len(episode.states) == 4


async def test_the_patient_can_leave() -> None:
    rude = Speaker(turns=("You should stop whining. You need to grow up. Here are ten things you have to do today.",))
    episode = await converse(make_talk(rude, make_patient("denise-farrugia"), turns=40, seed=0))
    assert episode.ending.kind == "patient_left"
    assert episode.states[-1].left
    assert episode.session.turns[-1].speaker == "patient"
    assert episode.session.turns[-1].ending == episode.ending
    assert len(episode.therapist_turns) < 40


async def test_a_model_error_ends_the_dialogue_with_its_reason_and_keeps_what_was_said() -> None:
    silent = Speaker(breaks_at=2, error=ModelTimeout("no answer within 60 s"))
    episode = await converse(make_talk(silent))
    assert episode.ending == Ending("failed", "ModelTimeout: no answer within 60 s")
    assert episode.failed
    assert len(episode.session) == 5
    mute = Broken(make_patient(), 2, ModelError("gone"))
    seen: list[Event] = []
    episode = await converse(make_talk(Speaker(), mute, observer=seen.append))
    assert episode.ending == Ending("failed", "ModelError: gone")
    assert episode.session.turns == tuple(e.turn for e in seen)
    assert episode.session.turns[-1].speaker == "therapist"


async def test_other_exceptions_pass_unless_guarded() -> None:
    with pytest.raises(ZeroDivisionError):
        await converse(make_talk(Speaker(breaks_at=1)))
    episode = await converse(make_talk(Speaker(breaks_at=1)), guarded=True)
    assert episode.ending == Ending("failed", "ZeroDivisionError: a bug of its own")
    assert len(episode.session) == 3
    for error in (BudgetReached("used up"), InputError("no"), asyncio.CancelledError()):
        with pytest.raises(type(error)):
            await converse(make_talk(Speaker(breaks_at=1, error=error)), guarded=True)  # type: ignore[arg-type]


async def test_the_observer_hears_every_utterance_with_its_hidden_side() -> None:
    seen: list[Event] = []
    episode = await converse(make_talk(Speaker(), turns=4, observer=seen.append))
    assert tuple(e.turn for e in seen) == episode.session.turns
    assert [e.index for e in seen] == list(range(9))
    assert tuple(e.state for e in seen if e.turn.speaker == "patient") == episode.states
    assert tuple(e.code for e in seen[2::2]) == episode.codes
    assert tuple(e.appraisal for e in seen[2::2]) == episode.appraisals


async def test_a_therapist_never_sees_the_patients_private_reasons_but_its_own() -> None:
    therapist = Speaker()
    await converse(make_talk(therapist, Broken(make_patient(), 99, ValueError()), turns=4))
    for session in therapist.shown:
        assert all(turn.trace is None for turn in session.by("patient"))
        assert [turn.trace for turn in session.by("therapist")] == [{"number": n} for n in range(len(session) // 2)]


async def test_the_patient_never_sees_the_therapists_private_reasons() -> None:
    heard: list[Session] = []

    @dataclass
    class Listening(Broken):
        def comprehend(self, session: Session) -> Any:
            heard.append(session)
            return self.inner.comprehend(session)

    await converse(make_talk(Speaker(), Listening(make_patient(), 99, ValueError()), turns=3))
    assert len(heard) == 3
    assert all(turn.trace is None for session in heard for turn in session.by("therapist"))


async def test_the_privileged_therapist_gets_the_case_and_the_present_state() -> None:
    given_states: list[CognitiveState] = []
    given_cases: list[Case] = []

    @dataclass
    class Privileged(Speaker):
        needs: tuple[str, ...] = ("case", "state")

        def informed(self, *, case: Case, state: CognitiveState) -> Speaker:
            given_cases.append(case)
            given_states.append(state)
            return self

    patient = make_patient()
    episode = await converse(make_talk(Privileged(), patient, turns=4))
    assert given_states == list(episode.states[:-1])
    assert given_cases == [patient.case] * 4


async def test_the_oracle_cannot_treat_a_patient_without_a_mind() -> None:
    patient = make_static(make_patient().case, "job-centre", embed=None, model=ScriptedModel(["Well."]))  # type: ignore[arg-type]
    with pytest.raises(InputError, match="hidden state"):
        await converse(make_talk(load_therapist("oracle"), patient))


async def test_a_patient_without_a_mind_talks_and_has_no_states() -> None:
    patient = make_static(make_patient().case, "job-centre", embed=None, model=ScriptedModel(["One.", "Two."]))  # type: ignore[arg-type]
    episode = await converse(make_talk(Speaker(), patient, turns=3))
    assert episode.states == ()
    assert episode.codes == episode.appraisals == (None, None, None)
    assert [t.text for t in episode.session.by("patient")] == ["One.", "Two.", "One.", "Two."]


async def test_without_a_session_the_mind_moves_by_noise_and_nothing_is_said() -> None:
    seen: list[Event] = []
    episode = await converse(make_talk(load_therapist("no_session"), turns=7, observer=seen.append))
    assert len(episode.session) == 0
    assert episode.ending.kind == "completed"
    assert len(episode.states) == 8
    assert episode.appraisals == (SILENCE,) * 7
    assert [e.said for e in seen] == [False] * 8
    first, last = episode.states[0], episode.states[-1]
    assert replace(last, held=first.held, turn=0, stated=first.stated) == first
    assert abs(last.held - first.held) < 5.0


@pytest.mark.parametrize("seed", range(3))
async def test_all_arms_meet_the_same_patient_with_the_same_luck(seed: int) -> None:
    starts = []
    for arm in ("oracle", "socratic", "eliza", "flattery", "advice", "no_session"):
        episode = await converse(make_talk(load_therapist(arm), turns=2, seed=seed))
        starts.append((episode.states[0], [t.text for t in episode.session.turns[:1]]))
    assert all(state == starts[0][0] for state, _ in starts)
    assert all(opening in ([], starts[0][1]) for _, opening in starts)


def _progress_at(episode: Episode, cut: int) -> Progress:
    """What a journal would hold of an episode after `cut` utterances."""
    turns = episode.session.turns[:cut]
    answered = max(0, sum(t.speaker == "patient" for t in turns) - 1)
    states = episode.states[: answered + 1] if turns else ()
    return Progress(
        Session(turns, episode.session.seed), states, episode.codes[:answered], episode.appraisals[:answered]
    )


@pytest.mark.slow
@given(st.data())
@settings(max_examples=5)
def test_going_on_from_any_cut_gives_the_identical_episode(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(["speaker", "oracle", "socratic", "eliza", "advice"]))
    case = data.draw(st.sampled_from(["gethin", "denise-farrugia", "joel-salonga"]))
    seed = data.draw(st.integers(0, 50))
    ends_at = data.draw(st.sampled_from([None, 3]))

    def talk() -> Any:
        therapist = Speaker(ends_at=ends_at) if name == "speaker" else load_therapist(name)
        return make_talk(therapist, make_patient(case), turns=6, seed=seed)

    whole = asyncio.run(converse(talk()))
    for cut in range(len(whole.session) + 1):
        fresh = talk()
        assert asyncio.run(converse(fresh, start=_progress_at(whole, cut))) == whole, cut
        if name == "speaker":
            missing = len(whole.therapist_turns) - sum(t.speaker == "therapist" for t in whole.session.turns[:cut])
            assert len(fresh.therapist.asked) == missing
