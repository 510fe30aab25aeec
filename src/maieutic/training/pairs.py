"""`maieutic train pairs`: preference pairs from a known mind. One state, several next turns, the outcome by playing on.

After ALFA's preference pairs (2025) and CollabLLM's multi-turn-aware reward (2025). Departures: no judge picks the
winner, the recorded mind does; a pair is checked once more in futures that had no say in its choice.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import fmean, stdev
from typing import Any, Final

from maieutic.domain.episode import Episode, Session, Turn
from maieutic.domain.randomness import derive
from maieutic.errors import InputError, ModelError, refuse_below
from maieutic.evaluation.plan import REFERENCE, Settings, load_arms, specs_of, without_secrets
from maieutic.protocols import Therapist
from maieutic.registry import load_therapist
from maieutic.runs.files import write_json, write_lines
from maieutic.runs.folder import REQUEST, RunFolder
from maieutic.runs.journal import Checkpoint
from maieutic.stats import MIN_CASES, Interval, bootstrap_mean, wilson
from maieutic.training.rewards import (
    LOOK_AHEAD,
    Fork,
    Futures,
    LookAhead,
    Recorded,
    Spread,
    attributes_of,
    drawn,
    forks_of,
    read_recorded,
    reward_named,
    spread_of,
)

FORMAT: Final = 1
CHECKS: Final = 2
"""Futures beyond those that choose, in which a pair is checked."""
CANDIDATES: Final = ("socratic", "wide", "warm", "advice")
STATE: Final = ("held", "distress", "openness", "reactance", "alliance")
OWN_MIND: Final = "its therapist sees the mind"
_SIGMAS: Final = 2.0


@dataclass(frozen=True, slots=True)
class PairRequest:
    """What pairs are to be made, in the words of the command line.

    Attributes:
        run: Run folder whose sessions are forked.
        candidates: Therapists that say the next turn, `[NAME=]THERAPIST[:MODEL]`; what was said stands beside them.
        arms: Arms whose sessions are forked; all that see no mind when empty.
        ahead: How they are played on, in so many futures that choose.
        least: Margin below which two replies are not told apart.
        limit: Forks at most.
    """

    run: Path
    candidates: Sequence[str] = CANDIDATES
    arms: Sequence[str] = ()
    ahead: LookAhead = field(default_factory=LookAhead)
    least: float = 1.0
    limit: int = 60

    def __post_init__(self) -> None:
        refuse_below(2, samples=self.ahead.samples)
        refuse_below(1, limit=self.limit)
        if not self.least >= 0:
            raise InputError(f"--least must be at least 0, got {self.least:g}")
        if self.ahead.reward == LOOK_AHEAD:
            raise InputError("pairs look ahead by themselves; name what is rewarded at the end, such as conviction")


@dataclass(frozen=True, slots=True)
class Making:
    """The parts of a request.

    Attributes:
        request: As it was asked for.
        therapists: Candidates by name.
        futures: Plays them on.
        forks: Where, in order.
        left_out: Sessions that are not forked, by reason.
    """

    request: PairRequest
    therapists: Mapping[str, Therapist]
    futures: Futures
    forks: Sequence[Fork]
    left_out: Mapping[str, int]

    def manifest(self) -> dict[str, Any]:
        """What makes the pairs what they are; `limit` does not, so that more can be made later."""
        asked = self.request
        return {
            "format": FORMAT,
            "kind": "pairs",
            **asked.ahead.recorded(self.futures.recorded),
            "candidates": [without_secrets(c) for c in asked.candidates],
            "arms": list(asked.arms),
            "least": asked.least,
            REQUEST: {"run": str(asked.run), "limit": asked.limit},
        }

    @property
    def calls(self) -> int:
        """Model calls at most."""
        ahead = self.request.ahead
        futures = (ahead.samples + CHECKS) * (len(self.therapists) + 1)
        own = sum(getattr(one, "model", None) is not None for one in self.therapists.values())
        then = futures * ahead.window * (getattr(self.futures.then, "model", None) is not None)
        patient = futures * (ahead.window + 1) * (self.futures.recorded.model is not None)
        return len(self.forks) * (own + then + patient)


def plan_pairs(request: PairRequest) -> Making:
    """Names to parts. Raises `InputError` and its kin for everything that cannot be made; writes nothing."""
    reward_named(request.ahead.reward)
    made = load_arms(specs_of(request.candidates), dict[str, Settings]())
    therapists = {name: one for name, (one, _) in made.items()}
    then = load_therapist(request.ahead.then)
    for name, one in (*therapists.items(), (request.ahead.then, then)):
        if getattr(one, "needs", ()) or getattr(one, "absent", False):
            raise InputError(f"{name} cannot say a turn here: it sees the mind, or holds no session")
    recorded = read_recorded(request.run)
    episodes, left = _forkable(recorded, request.arms)
    forks = drawn([fork for e in episodes for fork in forks_of(e)], request.limit, request.ahead.seed)
    if not forks:
        told = "; ".join(f"{n} sessions: {reason}" for reason, n in left.items())
        raise InputError(f"no session of {request.run} can be forked ({told or 'no therapist turn'})")
    futures = Futures(recorded, request.ahead)
    models = [m for one in (futures.then, *therapists.values()) if (m := getattr(one, "model", None)) is not None]
    _check(models, therapists)
    return Making(request, therapists, futures, forks, left)


def _check(models: Sequence[Any], therapists: Mapping[str, Therapist]) -> None:
    """Raises what is wrong with a model or bot that can be seen without asking it."""
    for able in (*models, *therapists.values()):
        if hasattr(able, "check"):
            able.check()


def _forkable(recorded: Recorded, arms: Sequence[str]) -> tuple[list[Episode], dict[str, int]]:
    known = {e.key.therapist for e in recorded.episodes} - {REFERENCE}
    if unknown := [arm for arm in arms if arm not in known]:
        raise InputError(f"the run has no arm {unknown[0]!r}; it has {', '.join(sorted(known))}")
    found, left = [], Counter[str]()
    for one in recorded.episodes:
        if one.key.therapist == REFERENCE or (arms and one.key.therapist not in arms):
            continue
        reason = why_not(one)
        if reason:
            left[reason] += 1
        else:
            found.append(one)
    return found, dict(left)


def why_not(episode: Episode) -> str:
    """Why a session makes no training data."""
    if episode.failed:
        return "failed"
    if episode.provenance.get("split") == "test":
        return "the case is kept for testing"
    if episode.provenance.get("special"):
        return "an accurate thought, or risk"
    return OWN_MIND if episode.provenance.get("privileged") else ""


@dataclass(frozen=True, slots=True)
class Made:
    """What came of a request.

    Attributes:
        pairs: Rows of the file.
        forks: Tried. rejected: By reason.
        left_out: Sessions not forked, by reason.
        holds: Share of pairs whose chosen reply is better in fresh futures, too, cases weighing the same; Wilson's
            interval.
        fresh: Mean margin in them, interval over cases.
        spread: What the pairing saved.
    """

    pairs: Sequence[Mapping[str, Any]]
    forks: int
    rejected: Mapping[str, int]
    left_out: Mapping[str, int]
    holds: Interval
    fresh: Interval
    spread: Spread = field(default_factory=Spread)


def make_pairs(making: Making, out: Path, tick: Callable[[int], Callable[[int], None]], *, resume: bool) -> Made:
    """Play what is not played yet, and write `pairs.jsonl` and `pairs.json`; a stop keeps every finished fork.

    Raises:
        RunFolderError: the folder holds something else. StorageError: it cannot be written.
    """
    with RunFolder(out, making.manifest(), resume=resume):
        kept: Checkpoint[dict[str, Any]] = Checkpoint(out / "forks.jsonl", "fork", dict, resume=resume)
        forks = {fork.name: fork for fork in making.forks}

        async def line_of(name: str) -> dict[str, Any]:
            return await _line(making, forks[name])

        making.futures.each_once(forks, line_of, kept, tick(len(forks)), making.therapists.values())
        made = _made(making, [kept.found[fork.name] for fork in making.forks])
        write_lines(out / "pairs.jsonl", made.pairs)
        told = {name: value for name, value in asdict(made).items() if name != "pairs"}
        write_json(out / "pairs.json", told | {"pairs": len(made.pairs), "variance_saved": made.spread.saved})
    return made


def seconds_a_fork(making: Making) -> float:
    """Plays two forks and times the second, when everything is loaded; nothing is kept."""

    async def timed() -> float:
        try:
            taken = 0.0
            for fork in making.forks[:2]:
                begun = time.monotonic()
                await _line(making, fork)
                taken = time.monotonic() - begun
            return taken
        finally:
            await making.futures.close(*making.therapists.values())

    return asyncio.run(timed())


@dataclass(frozen=True, slots=True)
class _Tried:
    """One reply with its outcomes: rewards in the choosing futures, then in the fresh ones, and its sessions."""

    by: str
    turn: Turn
    outcomes: tuple[float, ...]
    played: tuple[Episode, ...]


async def _line(making: Making, fork: Fork) -> dict[str, Any]:
    """What is kept of one fork: its pair, or why there is none."""
    tried, silent = await _tried(making, fork)
    line: dict[str, Any] = {"fork": fork.name, "silent": silent, "apart": 0.0, "paired": 0.0, "pair": None}
    if len(tried) < 2:
        return line | {"reason": "fewer than two different replies"}
    count = making.request.ahead.samples
    ranked = sorted(tried, key=lambda one: -fmean(one.outcomes[:count]))
    best, worst = ranked[0], ranked[-1]
    spread = spread_of(best.outcomes, worst.outcomes)
    line |= asdict(spread)
    apart = [a - b for a, b in zip(best.outcomes[:count], worst.outcomes[:count], strict=True)]
    margin = fmean(apart)
    if margin < max(making.request.least, _SIGMAS * stdev(apart) / len(apart) ** 0.5, 1e-9):
        return line | {"reason": "not told apart"}
    return line | {"reason": "", "pair": _row(making, fork, best, worst, margin)}


async def _tried(making: Making, fork: Fork) -> tuple[list[_Tried], list[str]]:
    """Every different reply at a fork, played on; and the therapists that gave none."""
    replies, silent = {fork.said.text: (f"{fork.key.therapist} (said)", fork.said)}, []
    for name, therapist in making.therapists.items():
        try:
            turn = await making.futures.reply(fork, name, therapist)
        except ModelError:
            silent.append(name)
            continue
        if turn.ending is None and turn.text.strip():
            replies.setdefault(turn.text, (name, turn))
    found = []
    for by, turn in replies.values():
        await asyncio.sleep(0)
        reply = Turn("therapist", turn.text)
        played, values = await making.futures.outcomes(fork, reply, CHECKS)
        known = tuple(value for value in values if value is not None)
        if len(known) == len(values):
            found.append(_Tried(by, turn, known, played))
    return found, silent


def _row(making: Making, fork: Fork, best: _Tried, worst: _Tried, margin: float) -> dict[str, Any]:
    """A line in TRL's conversational preference format, with what made it."""
    asked = making.request.ahead
    count = asked.samples
    ours, theirs = (_read(one, fork) for one in (best, worst))
    better = [name for name in ours if ours[name] and not theirs[name]]
    worse = [name for name in ours if theirs[name] and not ours[name]]
    return {
        "prompt": messages_of(fork.before.session),
        "chosen": [{"role": "assistant", "content": best.turn.text}],
        "rejected": [{"role": "assistant", "content": worst.turn.text}],
        "attribute": better[0] if len(better) == 1 and not worse else None,
        "margin": round(margin, 4),
        "fresh_margin": round(fmean(best.outcomes[count:]) - fmean(worst.outcomes[count:]), 4),
        "better_in": better,
        "worse_in": worse,
        "chosen_by": best.by,
        "rejected_by": worst.by,
        "case": fork.key.case,
        "seed": fork.key.seed,
        "arm": fork.key.therapist,
        "turn": fork.turn + 1,
        "reward": asked.reward,
        "then": without_secrets(asked.then),
        "window": asked.window,
        "samples": asked.samples,
        "state": {name: round(getattr(fork.before.states[-1], name), 4) for name in STATE},
        "difference": {
            name: round(fmean(_end(x, name) - _end(y, name) for x, y in zip(best.played, worst.played, strict=True)), 4)
            for name in STATE
        },
    }


def _end(episode: Episode, name: str) -> float:
    return float(getattr(episode.states[-1], name))


def _read(tried: _Tried, fork: Fork) -> dict[str, bool]:
    """The attributes of the reply as the patient heard it."""
    appraisal = tried.played[0].appraisals[fork.turn]
    assert appraisal is not None
    return attributes_of(appraisal)


def messages_of(session: Session) -> list[dict[str, str]]:
    roles = {"patient": "user", "therapist": "assistant"}
    return [{"role": roles[turn.speaker], "content": turn.text} for turn in session.turns]


def _made(making: Making, lines: Sequence[Mapping[str, Any]]) -> Made:
    rows = [line["pair"] for line in lines if line["pair"] is not None]
    seed = making.request.ahead.seed
    shares: dict[str, list[bool]] = {}
    for row in rows:
        shares.setdefault(row["case"], []).append(row["fresh_margin"] > 0)
    # A bootstrap of pairs that all hold up would give no width at all; Wilson's interval with the case as unit does.
    holds = wilson(sum(fmean(own) for own in shares.values()), len(shares)) if rows else Interval(None, None, None, 0)
    fresh = bootstrap_mean(
        [row["fresh_margin"] for row in rows],
        clusters=[row["case"] for row in rows],
        rng=derive(seed, "pairs", "fresh"),
        fewest=MIN_CASES,
    )
    return Made(
        rows,
        len(lines),
        dict(Counter(line["reason"] for line in lines if line["reason"])),
        making.left_out,
        holds,
        fresh,
        sum((Spread(line["apart"], line["paired"]) for line in lines), Spread()),
    )
