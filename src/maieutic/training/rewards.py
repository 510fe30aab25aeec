"""What a policy can be rewarded for: one place for evaluation's tables, the training door and preference pairs; and
replies played on from a recorded mind: the same patient, the same luck, another turn said.

A reward is a number of a stored session, better being higher: a measure in its better direction, under its own id or
a short name, or how many attributes of a good question its turns have. Source of playing on: multi-turn-aware reward
(CollabLLM 2025). Departures: the patient's true state is the outcome, no judge; all replies meet common random
numbers, so that what differs between two futures comes from the replies.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from statistics import fmean, variance
from typing import Any, Final

import orjson

from maieutic.coding.rules import RuleCoder
from maieutic.dialogue import Conversation, Progress, Streams, converse
from maieutic.domain.appraisal import Appraisal
from maieutic.domain.case import Case
from maieutic.domain.episode import Episode, EpisodeKey, Score, Session, Turn
from maieutic.domain.randomness import derive, derive_seed
from maieutic.errors import InputError, RunFolderError, UnknownName, refuse_below
from maieutic.evaluation.evaluate import make_patients, read_run, stored_request
from maieutic.evaluation.plan import drawn_situation, package_versions, played, without_secrets
from maieutic.library import case_hash, select_cases
from maieutic.measures.definition import as_measure
from maieutic.protocols import LanguageModel, Patient, Therapist
from maieutic.reading.plain import plain_turn
from maieutic.registry import load_measures, load_therapist
from maieutic.runs.journal import Checkpoint

SHORT: Final = {
    "conviction": "conviction_change",
    "emotion": "distress_change",
    "warranted": "warranted_distance",
    "alliance": "alliance_change",
}
"""Short name → measure."""
ATTRIBUTES: Final = "attributes"
LOOK_AHEAD: Final = "multi_turn"
"""No number of a stored session: both replies are played on (`maieutic.training.rewards`)."""


@dataclass(frozen=True, slots=True)
class Reward:
    """A number of a session so far, better being higher; a turn earns what it adds to it.

    Attributes:
        name: As it was asked for.
        measure: The score of a session.
        unit: Of the score.
        sign: 1 where a higher score is better, −1 where a lower is.
    """

    name: str
    measure: Callable[[Episode], Score]
    unit: str
    sign: float = 1.0

    def of(self, episode: Episode) -> float | None:
        """The reward of a session; None where it cannot be had."""
        value = self.measure(episode).value
        return None if value is None else self.sign * value

    def value(self, episode: Episode) -> tuple[float, str | None]:
        """The reward so far, and the reason where it is missing and counted as 0."""
        score = self.measure(episode)
        return (0.0, score.reason) if score.value is None else (self.sign * score.value, None)


def rewards() -> dict[str, Reward]:
    """Every measure that claims a direction, by id and by short name, and the attributes."""
    found: dict[str, Reward] = {}
    for measure in map(as_measure, load_measures()):
        if measure.better is not None:
            found[measure.id] = Reward(measure.id, measure, measure.unit, measure.sign)
    for short, name in SHORT.items():
        long = found[name]
        found[short] = Reward(short, long.measure, long.unit, long.sign)
    found[ATTRIBUTES] = Reward(ATTRIBUTES, attributes_met, "share")
    return found


def reward_named(name: str) -> Reward:
    """The reward of a name. Raises `UnknownName` with the nearest one."""
    known = rewards()
    if name not in known:
        raise UnknownName("reward (a measure of which one direction is better)", name, known)
    return known[name]


def attributes_of(appraisal: Appraisal) -> dict[str, bool]:
    """Which attributes of a good question a turn has, as the patient heard it; one that asks nothing has none.

    After ALFA's question attributes (2025); departures: the reader is the simulated patient's ear, whether the answer
    fits the time is left out, and `grounded` means that it reaches something that this patient can tell.
    """
    asks = appraisal.understood and appraisal.questions > 0
    return {
        "asks": asks,
        "open": asks and appraisal.open,
        "single": asks and not appraisal.stacked,
        "not_leading": asks and not appraisal.leading,
        "clear": asks and not appraisal.unclear,
        "grounded": asks and bool(appraisal.reaches or appraisal.unit or appraisal.again),
    }


def attributes_met(episode: Episode) -> Score:
    """Share of the attributes that the therapist's turns have, over turns: a reward that no turn before or after
    moves."""
    read = [attributes_of(one) for one in episode.appraisals if one is not None]
    if episode.failed or not episode.therapist_turns or not read:
        return Score(ATTRIBUTES, None, "share", "no therapist turn whose reading is recorded")
    return Score(ATTRIBUTES, sum(sum(one.values()) / len(one) for one in read) / len(read), "share")


@dataclass(frozen=True, slots=True)
class Recorded:
    """A run with its known minds, and the patients to go on with.

    Attributes:
        manifest: Of the run.
        episodes: Its finished sessions.
        cases: By id.
        make_patient: (case, situation id) → patient; remembers what it made.
        model: The patients' model; None where they have none.
    """

    manifest: Mapping[str, Any]
    episodes: tuple[Episode, ...]
    cases: Mapping[str, Case]
    make_patient: Callable[[Case, str], Patient]
    model: LanguageModel | None = None

    @property
    def run_seed(self) -> int:
        return int(self.manifest["run_seed"])

    @property
    def mark(self) -> str:
        """What the run is known by in what was made from it (first 16 hex digits of the sha256 of its manifest)."""
        return sha256(orjson.dumps(self.manifest, option=orjson.OPT_SORT_KEYS)).hexdigest()[:16]


def read_recorded(run: Path) -> Recorded:
    """A run folder of `evaluate`. Raises `InputError` and its kin where its minds cannot be gone on with."""
    manifest, episodes = read_run(run)
    if not any(one.states for one in episodes):
        raise InputError(
            f"{run} records no mind (patient {manifest['patient']!r}); take a run with --patient simulated"
        )
    cases = {one.id: one for one in select_cases(stored_request(run).cases, split="starter")}
    if changed := [
        name for name, own in manifest["cases"].items() if name not in cases or case_hash(cases[name]) != own
    ]:
        raise RunFolderError(f"the case {changed[0]} is not what it was when {run} was made; evaluate it again")
    make, model = make_patients(manifest["patient"])
    made: dict[tuple[str, str], Patient] = {}

    def patient(case: Case, situation: str) -> Patient:
        if (case.id, situation) not in made:
            made[case.id, situation] = make(case, situation)
        return made[case.id, situation]

    return Recorded(manifest, tuple(episodes), cases, patient, model)


@dataclass(frozen=True, slots=True)
class Fork:
    """A point of a recorded session at which another turn could have been said.

    Attributes:
        key: Of the session.
        turn: Therapist turns before.
        before: The session up to the patient's last words, with the mind.
        said: What the therapist said there.
    """

    key: EpisodeKey
    turn: int
    before: Progress
    said: Turn

    @property
    def name(self) -> str:
        return "/".join(map(str, (*self.key, self.turn)))


def forks_of(episode: Episode) -> list[Fork]:
    """Every point of a session at which the therapist spoke and the patient's mind before is recorded."""
    turns = episode.session.turns
    return [
        Fork(
            episode.key,
            n,
            Progress(Session(turns[: 2 * n + 1]), episode.states[: n + 1], episode.codes[:n], episode.appraisals[:n]),
            turns[2 * n + 1],
        )
        for n in range(len(episode.appraisals))
        if 2 * n + 1 < len(turns) and turns[2 * n + 1].speaker == "therapist" and n < len(episode.states)
    ]


def drawn(forks: Sequence[Fork], most: int, seed: int) -> list[Fork]:
    """So many forks, cases in turn; the first of a larger number are those of a smaller one."""
    cases: dict[str, list[Fork]] = {}
    for fork in sorted(forks, key=lambda one: one.name):
        cases.setdefault(fork.key.case, []).append(fork)
    for name, own in cases.items():
        derive(seed, "forks", name).shuffle(own)
    longest = max(map(len, cases.values()), default=0)
    return [own[place] for place in range(longest) for own in cases.values() if place < len(own)][:most]


@dataclass(frozen=True, slots=True)
class LookAhead:
    """How replies are played on.

    Attributes:
        then: Who holds the session after the reply, `NAME[:MODEL]`.
        window: Therapist turns after it. samples: Futures of each reply.
        seed: Of the futures, and of the turns that are drawn.
        reward: What is read at the end of the window.
    """

    then: str = "socratic"
    window: int = 2
    samples: int = 4
    seed: int = 0
    reward: str = "conviction"

    def __post_init__(self) -> None:
        refuse_below(0, window=self.window)
        refuse_below(1, samples=self.samples)

    def recorded(self, run: Recorded) -> dict[str, Any]:
        """What a manifest keeps of it and of the run that is played on."""
        return {
            "run": run.mark,
            "then": without_secrets(self.then),
            "reward": self.reward,
            "window": self.window,
            "samples": self.samples,
            "run_seed": self.seed,
            "versions": package_versions(("maieutic", "numpy", "onnxruntime")),
        }


@dataclass(frozen=True, slots=True)
class Futures:
    """Plays replies on.

    Attributes:
        recorded: Where they fork from.
        ahead: How.
        holder: A therapist that holds the session after the reply, where `ahead` names none that can be loaded.
        then: Who does. reward: What is read at the end.
    """

    recorded: Recorded
    ahead: LookAhead
    holder: Therapist | None = None
    then: Therapist = field(init=False)
    reward: Reward = field(init=False)

    def __post_init__(self) -> None:
        """Raises `InputError` and its kin where there is no such therapist or reward."""
        object.__setattr__(self, "reward", reward_named(self.ahead.reward))
        object.__setattr__(self, "then", self.holder or load_therapist(self.ahead.then))

    async def reply(self, fork: Fork, name: str, therapist: Therapist) -> Turn:
        """What a therapist would say at the fork."""
        streams = Streams(self.recorded.run_seed, fork.key._replace(therapist=name))
        session = replace(fork.before.session, seed=streams.session_seed)
        return plain_turn(await therapist.respond(session.heard_by("therapist")))

    async def played(self, fork: Fork, reply: Turn, sample: int) -> Episode:
        """The session with the reply, played on; one sample is the same luck for every reply."""
        case = self.recorded.cases[fork.key.case]
        situation = drawn_situation(case, self.recorded.run_seed, fork.key.seed)
        luck = derive_seed(self.ahead.seed, "future", sample)
        streams = Streams(luck, fork.key._replace(therapist=self.ahead.then))
        before = replace(fork.before, session=replace(fork.before.session, seed=streams.session_seed) + reply)
        talk = Conversation(
            self.then,
            self.recorded.make_patient(case, situation),
            RuleCoder(),
            fork.turn + 1 + self.ahead.window,
            streams,
            provenance=played(case, situation),
        )
        return await converse(talk, start=before)

    async def outcomes(
        self, fork: Fork, reply: Turn, more: int = 0
    ) -> tuple[tuple[Episode, ...], tuple[float | None, ...]]:
        """The sessions of all futures, and `more` of them, with the reward of each; None where it cannot be had."""
        samples = range(self.ahead.samples + more)
        found = tuple([await self.played(fork, reply, sample) for sample in samples])
        return found, tuple(map(self.reward.of, found))

    def each_once(
        self,
        names: Collection[str],
        line_of: Callable[[str], Awaitable[dict[str, Any]]],
        kept: Checkpoint[dict[str, Any]],
        step: Callable[[int], None],
        others: Iterable[Therapist] = (),
    ) -> None:
        """Make and keep the line of every name that has none yet; a stop loses the one in flight.

        Args:
            others: Therapists whose models are closed at the end, with those of the futures.
        """

        async def all_of() -> None:
            try:
                if done := sum(name in kept.found for name in names):
                    step(done)
                for name in names:
                    if name not in kept.found:
                        line = await line_of(name)
                        kept.write(line)
                        kept.found[name] = line
                        step(1)
                        # Nothing here waits for anybody: a Ctrl-C is heard only where the loop gets its turn.
                        await asyncio.sleep(0)
            finally:
                await self.close(*others)

        asyncio.run(all_of())

    async def close(self, *others: Therapist) -> None:
        """Close the models behind the patients and the therapists."""
        models = {id(m): m for one in (self.then, *others) if (m := getattr(one, "model", None)) is not None}
        for model in (*models.values(), *([self.recorded.model] if self.recorded.model else [])):
            await model.close()


@dataclass(frozen=True, slots=True)
class Spread:
    """Sums over forks of how far outcomes vary with luck, apart and paired: what common random numbers save.

    Attributes:
        apart: Variance of one outcome plus that of the other.
        paired: Variance of their difference.
    """

    apart: float = 0.0
    paired: float = 0.0

    def __add__(self, more: Spread) -> Spread:
        return Spread(self.apart + more.apart, self.paired + more.paired)

    @property
    def saved(self) -> float | None:
        """Share of the variance that the pairing takes away; None where nothing varies."""
        return 1.0 - self.paired / self.apart if self.apart else None


def spread_of(first: Sequence[float], second: Sequence[float]) -> Spread:
    """Of the outcomes of two replies in the same futures."""
    if len(first) < 2:
        return Spread()
    apart = [a - b for a, b in zip(first, second, strict=True)]
    return Spread(variance(first) + variance(second), variance(apart))


NEUTRAL = Turn("therapist", "I see.")
"""What a recorded turn is set against by the look-ahead reward."""


async def effect_of(futures: Futures, fork: Fork) -> tuple[float, Spread] | None:
    """What the turn that was said did beyond a nod, on the average over futures; None where it cannot be had."""
    outcomes: list[list[float]] = []
    for reply in (fork.said, NEUTRAL):
        _, values = await futures.outcomes(fork, reply)
        if None in values:
            return None
        outcomes.append([value for value in values if value is not None])
    own, nod = outcomes
    return fmean(own) - fmean(nod), spread_of(own, nod)
