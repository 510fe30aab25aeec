"""Gathers a leaderboard from runs: one rating a family, the judge's disagreement, who is not rated, and where it comes
from; and plays a tournament for one: the loop, journal and patients of `evaluate`, stage by stage, resumable like any
run."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from maieutic.coding.rules import RuleCoder
from maieutic.comparing.sources import TOURNAMENT, Source, check_alike
from maieutic.domain.episode import Episode, EpisodeKey
from maieutic.domain.randomness import derive
from maieutic.errors import InputError
from maieutic.evaluation.evaluate import Request, make_patients, make_plan
from maieutic.evaluation.journal import Record, read_journal
from maieutic.evaluation.plan import REFERENCE, Plan
from maieutic.evaluation.run import Limits, PatientMaker, Runner, Watcher
from maieutic.evaluation.summary import score_episodes
from maieutic.protocols import LanguageModel
from maieutic.ranking.battles import FAMILIES, OVERALL, Battle, Card, Opinion, fight, names_of
from maieutic.ranking.ratings import Board, Pairing, Stage, Standing, begin, played, rate, settle, stages
from maieutic.runs.folder import RunFolder


@dataclass(frozen=True, slots=True)
class Entrant:
    """One name on the board.

    Attributes:
        source: Where its sessions come from. privileged: It sees the case or the state. sessions: How many it played.
        unrated: Why it has no rating; '' where it has one.
    """

    name: str
    source: str
    privileged: bool
    people: bool
    sessions: int
    unrated: str = ""


@dataclass(frozen=True, slots=True)
class Leaderboard:
    """All boards of a set of runs.

    Attributes:
        entrants: Everybody, by name.
        boards: By family; a family without one says why in `without`.
        cards: The battles behind each.
        settled: Tiers that a tournament cut at its own stages; None where they are those of the board.
        opinion: Of the judge, and the board that it would make; None where none was asked or none can be made.
        warnings: What is unequal and was allowed.
    """

    sources: tuple[Source, ...]
    entrants: tuple[Entrant, ...]
    boards: Mapping[str, Board]
    cards: Mapping[str, Card]
    without: Mapping[str, str]
    warnings: tuple[str, ...] = ()
    settled: Standing | None = None
    share: float | None = None
    opinion: Opinion | None = None
    judged: Board | None = None

    @property
    def overall(self) -> Board:
        return self.boards[OVERALL]

    @property
    def tiers(self) -> tuple[tuple[str, ...], ...]:
        """Blocks from the top, as the tournament or the board made them."""
        return self.settled.tiers if self.settled is not None else self.overall.tiers


def gather(sources: Sequence[Source], *, allowed: Sequence[str] = ()) -> Leaderboard:
    """The leaderboard of runs; arms of one name in two runs are told apart by the run.

    Raises:
        InputError: the runs met other patients, there is one therapist only, or groups never met.
    """
    warnings = check_alike(sources, (), allowed)
    episodes = named_episodes(sources)
    names = sorted({key.therapist for key in episodes})
    if len(names) < 2:
        raise InputError(
            f"a leaderboard needs two therapists or more, got {', '.join(names) or 'none'}; add a run with another one"
        )
    scores = score_episodes(list(episodes.values()))
    cards = {family: fight(scores, family) for family in FAMILIES}
    if not cards[OVERALL].battles:
        reasons = "; ".join(f"{reason} ({count})" for reason, count in cards[OVERALL].missing.items())
        raise InputError(
            "no two therapists met on the same patient and seed, so there is no battle"
            + (f": {reasons}" if reasons else "")
        )
    boards: dict[str, Board] = {}
    without: dict[str, str] = {}
    for family, card in cards.items():
        try:
            boards[family] = rate(card.battles)
        except InputError as error:
            if family == OVERALL:
                raise
            without[family] = str(error)
    rated = set(names_of(cards[OVERALL].battles))
    entrants = tuple(_entrant(name, sources, episodes, rated) for name in names)
    return Leaderboard(tuple(sources), entrants, boards, cards, without, warnings)


def named_episodes(sources: Sequence[Source]) -> dict[EpisodeKey, Episode]:
    """All sessions but those of nobody, under the names of the board; people's only where they met the very same
    patient."""
    counts = Counter(name for one in sources for name in one.therapists)
    found: dict[EpisodeKey, Episode] = {}
    for one in sources:
        for episode in one.episodes:
            name = episode.key.therapist
            if name == REFERENCE:
                continue
            key = episode.key._replace(therapist=f"{name} ({one.name})" if counts[name] > 1 else name)
            found[key] = replace(episode, key=key)
    starts = {
        (key.case, key.seed): e.states[0]
        for one in sources
        if not one.people
        for e in one.episodes
        for key in (e.key,)
        if e.states
    }
    people = {name for one in sources if one.people for name in one.therapists}
    return {
        key: e
        for key, e in found.items()
        if key.therapist.partition(" (")[0] not in people
        or not e.states
        or starts.get((key.case, key.seed)) == e.states[0]
    }


def _entrant(name: str, sources: Sequence[Source], episodes: Mapping[EpisodeKey, Episode], rated: set[str]) -> Entrant:
    own = [e for key, e in episodes.items() if key.therapist == name]
    base = name.partition(" (")[0]
    source = next(one for one in sources if name in (base, f"{base} ({one.name})") and base in one.therapists)
    why = "" if name in rated else _why_not(own)
    privileged = any(e.provenance.get("privileged") for e in own)
    return Entrant(name, source.name, privileged, source.people, len(own), why)


def _why_not(own: Sequence[Episode]) -> str:
    if not any(e.states for e in own):
        return "its sessions have no hidden state, so that no battle can be decided"
    return "it met no patient that another therapist met"


def with_opinion(found: Leaderboard, opinion: Opinion) -> Leaderboard:
    """The same with a judge's second opinion beside it."""
    try:
        judged = rate(opinion.battles)
    except InputError:
        judged = None
    return replace(found, opinion=opinion, judged=judged)


def contested(found: Leaderboard, most: int) -> list[Battle]:
    """The battles for a judge, spread over pairs and patients: neighbours on the board first, `most` at the most."""
    near = {frozenset((step.upper, step.lower)) for step in found.overall.steps}
    cards = found.cards[OVERALL].battles
    ordered = sorted(
        cards, key=lambda b: (frozenset((b.first, b.second)) not in near, b.seed, b.case, b.first, b.second)
    )
    return ordered[:most]


Watching = Callable[[Plan, Mapping[EpisodeKey, Record], str], AbstractContextManager[Watcher]]


@dataclass(frozen=True, slots=True)
class Played:
    """A finished tournament.

    Attributes:
        episodes: All sessions. standing: The cuts that held at their stage. plan: The stages; at: the last one played.
        share: Sessions played, of those that all against all would take.
    """

    episodes: tuple[Episode, ...]
    standing: Standing
    plan: tuple[Stage, ...]
    at: int
    share: float


def entered(request: Request) -> Plan:
    """Who plays and on what: every arm with as many seeds as the others, and no risk case, which could decide no
    battle.

    Raises:
        InputError: fewer than two therapists, no case that is left, or a request that cannot be run.
    """
    plan = make_plan(request)
    names = [name for name, one in plan.therapists.items() if not getattr(one, "absent", False)]
    if len(names) < 2:
        raise InputError(
            f"a tournament needs two therapists or more, got {', '.join(names) or 'none'}; repeat --therapist"
        )
    cases = {name: case for name, case in plan.cases.items() if case.special != "risk"}
    if not cases:
        raise InputError(f"no battle is fought on a risk case, and no other is left: {', '.join(sorted(plan.cases))}")
    return replace(
        plan,
        therapists={name: plan.therapists[name] for name in names},
        cases=cases,
        seeds=dict.fromkeys(names, min(plan.seeds.values())),
    )


def play(
    request: Request,
    pairing: Pairing,
    out: Path,
    watching: Watching,
    *,
    resume: bool = False,
    limits: Limits | None = None,
) -> Played:
    """Play the stages until nobody is left to be told apart, or all is played.

    Raises:
        InputError: fewer than two therapists, or a request that cannot be run.
        BudgetReached: the limits are used up; the journal keeps all turns.
    """
    plan = entered(request)
    order = sorted(plan.cases)
    derive(plan.run_seed, "stages").shuffle(order)
    make_patient, patient_model = make_patients(request.patient)
    with RunFolder(out, plan.manifest() | {"kind": TOURNAMENT, "pairing": pairing}, resume=resume):
        schedule = stages(len(order), min(plan.seeds.values()), pairing)
        hall = _Hall(plan, tuple(order), schedule, make_patient, out, limits or Limits())
        models = (*plan.models, *([patient_model] if patient_model else []))
        return asyncio.run(_closing(hall.play(watching), models))


async def _closing(playing: Coroutine[Any, Any, Played], models: Sequence[LanguageModel]) -> Played:
    try:
        return await playing
    finally:
        for model in models:
            await model.close()


@dataclass(frozen=True, slots=True)
class _Hall:
    """Where it is played."""

    plan: Plan
    order: tuple[str, ...]
    schedule: tuple[Stage, ...]
    make_patient: PatientMaker
    out: Path
    limits: Limits

    async def play(self, watching: Watching) -> Played:
        standing, episodes = begin(tuple(self.plan.therapists)), dict[EpisodeKey, Episode]()
        at = 0
        for at, stage in enumerate(self.schedule):
            own = self._stage(stage, standing.playing)
            done = read_journal(self.out / "journal")
            told = f"stage {at + 1} of at most {len(self.schedule)}"
            with watching(own, done, told) as watch:
                runner = Runner(own, self.make_patient, RuleCoder(), self.limits)
                found = await runner.run(self.out, done=done, watch=watch)
            episodes |= {one.key: one for one in found}
            card = fight(score_episodes(list(episodes.values()), (FAMILIES[OVERALL].measure,)), OVERALL)
            standing = settle(standing, card.battles, self.schedule, at, seed=self.plan.run_seed)
            if not standing.playing:
                break
        share = played(len(episodes), len(self.plan.therapists), self.schedule)
        kept = tuple(episodes[key] for key in sorted(episodes))
        return Played(kept, standing, self.schedule, at, share)

    def _stage(self, stage: Stage, playing: tuple[str, ...]) -> Plan:
        return replace(
            self.plan,
            therapists={name: self.plan.therapists[name] for name in playing},
            cases={name: self.plan.cases[name] for name in self.order[: stage.cases]},
            seeds=dict.fromkeys(playing, stage.seeds),
        )


def as_swiss(found: Leaderboard, game: Played, pairing: Pairing) -> Leaderboard:
    """The board of a tournament; of a Swiss one with the cuts of its own stages, whose chance of error is divided."""
    return replace(found, settled=game.standing, share=game.share) if pairing == "swiss" else found
