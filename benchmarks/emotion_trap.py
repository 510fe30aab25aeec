"""E2 to E4: what does a policy learn that is rewarded for felt emotion, for conviction, for both, for nothing, or turn by turn?

    python benchmarks/emotion_trap.py --out runs/emotion-trap       # forks, trains, plays, prints, writes the result

The plan, written before the first run, is `benchmarks/plans/emotion_trap.md`. The policy chooses among the next lines of seven
therapists; it is trained by DPO's loss on pairs that are played on in a known mind (`maieutic.training.rewards`). What is
there is not played again.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import date
from functools import cache
from itertools import product
from math import log
from pathlib import Path
from random import Random
from statistics import fmean
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq, minimize
from scipy.special import expit, log_softmax, softmax

from maieutic.coding.rules import RuleCoder
from maieutic.dialogue import Conversation, Streams, converse
from maieutic.domain.codes import Move
from maieutic.domain.episode import Episode, EpisodeKey, Session, Turn
from maieutic.domain.randomness import derive
from maieutic.library import get_case, select_cases
from maieutic.patients.kernel import ALTERNATIVES, STANDARD
from maieutic.protocols import Therapist
from maieutic.reading.minilm import shared_minilm
from maieutic.registry import load_therapist
from maieutic.runs import figures
from maieutic.runs.files import read_lines
from maieutic.runs.journal import Checkpoint
from maieutic.stats import student_mean, wilson
from maieutic.training.rewards import Fork, Futures, LookAhead, Recorded, attributes_of, forks_of, reward_named
from maieutic.workers import mapped
from maieutic.worlds import SimulatorConfig, marks_of, patient_of

BLIND = Path(__file__).parent / "data" / "emotion_trap_turns.jsonl"
"""Turns of the two policies in the unseen worlds, coupling 0, coded by a reader who did not know whose they were."""
RESULT = Path(__file__).parent / "results" / "emotion_trap.json"
PICTURE = Path(__file__).parents[1] / "docs" / "pictures" / "emotion_trap.svg"
LINES: Final = ("wide", "worksheet", "padesky_script", "warm", "flattery", "reassurance", "advice")
FEWER: Final = tuple(name for name in LINES if name != "padesky_script")
"""Lines of the second menu, after the fact: nobody in it both gives back and asks."""
COUPLINGS: Final = (0.0, 0.25, 0.5, 1.0)
WINDOWS: Final = (0, 1, 3)
WINDOW: Final = 2
SEEDS: Final = 5
FORKS: Final = 40
FUTURES: Final = 2
TURNS: Final = 12
DIVERGENCE: Final = 0.8
"""Nats a turn, from the start."""
PENALTY: Final = 1.0
REWARDED: Final = ("emotion", "conviction", "both", "placebo")
UNSEEN: Final = ("told facts count 50 %", "gain saturates")
ASKS: Final = frozenset({Move.OPEN_QUESTION, Move.CLOSED_QUESTION})
TELLS: Final = frozenset({Move.ADVICE, Move.LECTURE})
COMFORTS: Final = frozenset({Move.REFLECTION, Move.AFFIRMATION, Move.REASSURANCE, Move.SUMMARY})
Floats = NDArray[np.float64]


def world_of(coupling: float, name: str = "standard") -> SimulatorConfig:
    """A world in which relief takes conviction off."""
    kernel = replace(ALTERNATIVES.get(name, STANDARD), relief_pull=coupling)
    return SimulatorConfig(f"{name}, coupling {coupling:g}", kernel=kernel)


@cache
def vector(text: str) -> Floats:
    """The packaged sentence vector, projected to 24 numbers that no text chose."""
    projection = np.random.default_rng(0).normal(size=(384, 24)) / np.sqrt(24)
    return np.asarray(shared_minilm()([text])[0] @ projection, dtype=float)


def features(session: Session, line: str) -> Floats:
    """What the score of a line reads: its words, alone and with the patient's last words and the place in the session. (240,)"""
    last = session.last("patient")
    here = np.concatenate(([1.0, len(session.by("therapist")) / TURNS], vector(last.text)[:8] if last else np.zeros(8)))
    return np.outer(vector(line), here).ravel()


@dataclass(frozen=True, slots=True)
class Chooser:
    """Says one of the next lines of the therapists, drawn by score; without weights each is as likely."""

    lines: tuple[Therapist, ...]
    weights: Floats | None = None
    name: str = "chooser"

    async def respond(self, session: Session) -> Turn:
        """The line that is drawn."""
        said = [await one.respond(session) for one in self.lines]
        chances = self.chances(session, [turn.text for turn in said])
        return session.generator("chooser").choices(said, chances)[0]

    def chances(self, session: Session, texts: Sequence[str]) -> list[float]:
        """Of each line to be said."""
        if self.weights is None:
            return [1.0] * len(texts)
        return list(softmax(np.array([features(session, text) for text in texts]) @ self.weights))


@cache
def lines(names: tuple[str, ...] = LINES) -> tuple[Therapist, ...]:
    """The therapists whose lines are chosen from."""
    return tuple(load_therapist(name) for name in names)


async def session_of(case: str, seed: int, therapist: Therapist, world: SimulatorConfig, name: str) -> Episode:
    """A session of a policy, with the luck of its case and seed."""
    found, patient = get_case(case), patient_of(get_case(case), seed, world)
    talk = Conversation(therapist, patient, RuleCoder(), TURNS, Streams(0, EpisodeKey(name, case, seed)))
    return replace(await converse(talk, guarded=False), provenance=marks_of(found, patient.mind.situation))


def regular(split: str) -> list[str]:
    """Cases of a split that are neither an accurate thought nor at risk, by id."""
    return sorted(case.id for case in select_cases(split=split) if case.special is None)  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True)
class Forking:
    """Forks to be played on: a seed of them, in a world, so many turns ahead."""

    coupling: float
    window: int
    seed: int

    @property
    def name(self) -> str:
        return f"coupling {self.coupling:g}, window {self.window}, seed {self.seed}"


def forked(asked: Forking) -> list[dict[str, Any]]:
    """Every fork with its lines, their features and their rewards."""
    return asyncio.run(_forked(asked))


async def _forked(asked: Forking) -> list[dict[str, Any]]:
    world, start, found = world_of(asked.coupling), Chooser(lines()), []
    cases = regular("dev")
    derive(asked.seed, "emotion_trap", "cases").shuffle(cases)
    patients = {case: patient_of(get_case(case), asked.seed, world) for case in cases[:FORKS]}
    for number in range(FORKS):
        case = cases[number % len(cases)]
        episode = await session_of(case, asked.seed, start, world, f"start {number}")
        recorded = Recorded({"run_seed": 0}, (episode,), {case: get_case(case)}, lambda c, _: patients[c.id])
        forks = forks_of(episode)
        if forks:
            fork = derive(asked.seed, "emotion_trap", "fork", number).choice(forks)
            ahead = LookAhead(then="chooser", window=asked.window, seed=asked.seed)
            futures = Futures(recorded, ahead, start)
            found.append(await _outcomes(futures, fork, derive(asked.seed, "emotion_trap", "placebo", number)))
    return found


async def _outcomes(futures: Futures, fork: Fork, rng: Random) -> dict[str, Any]:
    rows = []
    for name, therapist in zip(LINES, lines(), strict=True):
        turn = await futures.reply(fork, name, therapist)
        played = [await futures.played(fork, Turn("therapist", turn.text), n) for n in range(FUTURES)]
        appraisal = played[0].appraisals[fork.turn]
        assert appraisal is not None
        row: dict[str, Any] = {"line": name, "text": turn.text}
        row |= {reward: fmean(_value(reward, one) for one in played) for reward in ("emotion", "conviction")}
        row |= {"attributes": fmean(attributes_of(appraisal).values()), "placebo": rng.gauss(0.0, 1.0)}
        rows.append(row | {"features": [round(float(x), 5) for x in features(fork.before.session, turn.text)]})
    return {"case": fork.key.case, "turn": fork.turn, "replies": rows}


def _value(reward: str, episode: Episode) -> float:
    value = reward_named(reward).of(episode)
    assert value is not None, f"{reward} is missing in {episode.key}"
    return value


def trained(
    forks: Sequence[Mapping[str, Any]], reward: str, menu: Sequence[str] = LINES
) -> tuple[Floats, dict[str, float]]:
    """The weights that DPO's loss finds on the pairs of best and other replies, at the set divergence; and what is told of
    them."""
    forks = [{**fork, "replies": [row for row in fork["replies"] if row["line"] in menu]} for fork in forks]
    tables = [np.array([row["features"] for row in fork["replies"]]) for fork in forks]
    values = [_rewards(fork, reward, forks) for fork in forks]
    pairs = [
        table[best] - table[other]
        for table, own in zip(tables, values, strict=True)
        for best in [int(np.argmax(own))]
        for other in range(len(own))
        if own[best] > own[other] + 1e-9
    ]
    apart = np.array(pairs)

    def loss(w: Floats) -> tuple[float, Floats]:
        margins = apart @ w
        return float(np.logaddexp(0, -margins).mean() + PENALTY / len(apart) * w @ w), (
            -(expit(-margins) @ apart) / len(apart) + 2 * PENALTY / len(apart) * w
        )

    w = minimize(loss, np.zeros(apart.shape[1]), jac=True, method="L-BFGS-B").x
    scale = brentq(lambda c: divergence(tables, c * w) - DIVERGENCE, 1e-3, 1e3)
    wins = fmean(int(np.argmax(table @ w) == np.argmax(own)) for table, own in zip(tables, values, strict=True))
    return scale * w, {"pairs": len(pairs), "scale": float(scale), "best reply first": wins}


def _rewards(fork: Mapping[str, Any], reward: str, forks: Sequence[Mapping[str, Any]]) -> list[float]:
    if reward != "both":
        return [float(row[reward]) for row in fork["replies"]]
    spread = {one: _spread(forks, one) for one in ("emotion", "conviction")}
    return [sum(row[one] / spread[one] for one in spread) for row in fork["replies"]]


def _spread(forks: Iterable[Mapping[str, Any]], reward: str) -> float:
    return float(np.sqrt(fmean(np.var([row[reward] for row in fork["replies"]]) for fork in forks)))


def divergence(tables: Sequence[Floats], w: Floats) -> float:
    """Mean divergence from the even choice, nats a turn."""
    scores = [log_softmax(table @ w) for table in tables]
    return fmean(float((np.exp(own) * (own + log(len(own)))).sum()) for own in scores)


@dataclass(frozen=True, slots=True)
class Playing:
    """Sessions of one policy in one world: which weights, and the seed of both."""

    policy: str
    coupling: float
    world: str
    seed: int
    weights: tuple[float, ...] = ()
    menu: tuple[str, ...] = LINES

    @property
    def name(self) -> str:
        return f"{self.policy}, coupling {self.coupling:g}, {self.world}, seed {self.seed}"


def played(asked: Playing) -> list[dict[str, Any]]:
    """A row a case: what moved, and what was said."""
    return asyncio.run(_played(asked))


async def _played(asked: Playing) -> list[dict[str, Any]]:
    therapist: Therapist = Chooser(lines(asked.menu), np.array(asked.weights) if asked.weights else None)
    if asked.policy == "no session":
        therapist = load_therapist("no_session")
    accurate = [
        case.id for split in ("test", "dev") for case in select_cases(split=split) if case.special == "accurate"
    ]
    cases = [*regular("test")[:12], *(sorted(accurate)[:6] if asked.world == "standard" else [])]
    rows = []
    for case in cases:
        world = world_of(asked.coupling, asked.world)
        episode = await session_of(case, asked.seed, therapist, world, "chooser")
        first, last = episode.states[0], episode.states[-1]
        rows.append(
            {
                "case": case,
                "special": episode.provenance["special"],
                "conviction": first.held - last.held,
                "distress": first.distress - last.distress,
                "below warranted": max(0.0, (episode.provenance["warranted"] or 0.0) - last.held),
                "left": float(last.left),
                **_said(episode),
            }
        )
    return rows


def _said(episode: Episode) -> dict[str, Any]:
    """Shares of turns that comfort, ask or advise, by the coder, and what each turn was."""
    codes = [code for code in episode.codes if code is not None]
    if not codes:
        return {"comfort": None, "asks": None, "advises": None, "attributes": None, "texts": []}
    kinds = [
        "asks" if one.any_of(ASKS) else "advises" if one.any_of(TELLS) else "comfort" if one.any_of(COMFORTS) else ""
        for one in codes
    ]
    read = [attributes_of(one) for one in episode.appraisals if one is not None]
    shares = {kind: fmean(own == kind for own in kinds) for kind in ("comfort", "asks", "advises")}
    return {
        **shares,
        "attributes": fmean(fmean(one.values()) for one in read),
        "texts": [turn.text for turn in episode.session.by("therapist")],
    }


def kept(path: Path, do: Callable[[Any], Any], asked: Sequence[Any], workers: int) -> dict[str, Any]:
    """What `do` makes of each, from the file where it is there."""
    store: Checkpoint[Any] = Checkpoint(path, "name", lambda line: line["rows"], resume=True)
    left = [one for one in asked if one.name not in store.found]

    def keep(place: int, rows: Any) -> None:
        store.write({"name": left[place].name, "rows": rows})
        store.found[left[place].name] = rows
        print(f"{path.stem}: {len(store.found)}/{len(asked)} {left[place].name}", flush=True)

    mapped(do, left, keep, workers=workers)
    return store.found


@dataclass(frozen=True, slots=True)
class Recipe:
    """A policy: its reward, the coupling of its world, how far its pairs look ahead, and the lines it chooses from."""

    reward: str
    coupling: float
    window: int = WINDOW
    menu: tuple[str, ...] = LINES

    @property
    def name(self) -> str:
        ahead = "" if self.window == WINDOW else f", {self.window} turns ahead"
        return self.reward + ahead + ("" if self.menu == LINES else POORER)

    @property
    def worlds(self) -> tuple[str, ...]:
        """In which it is played, beside its own."""
        return UNSEEN if self.reward in REWARDED and self.window == WINDOW else ()


POORER: Final = ", no line that reflects and asks"


def recipes(couplings: Sequence[float]) -> list[Recipe]:
    """Those of the plan, and the poorer menu, which was added after the fact."""
    planned = [Recipe(reward, c) for c in couplings for reward in REWARDED]
    planned += [Recipe("attributes", 0.0), *(Recipe("conviction", 0.0, w) for w in WINDOWS)]
    return planned + [Recipe(reward, c, menu=FEWER) for c in couplings for reward in ("emotion", "conviction")]


def policies(forks: Mapping[str, Any], seeds: int, couplings: Sequence[float]) -> tuple[list[Playing], dict[str, Any]]:
    """Every policy in every world in which it is to be played, and what is told of its training."""
    found, told = [], {}
    for one in recipes(couplings):
        facts = []
        for seed in range(seeds):
            w, fact = trained(forks[Forking(one.coupling, one.window, seed).name], one.reward, one.menu)
            facts.append(fact)
            weights = tuple(map(float, w))
            found += [
                Playing(one.name, one.coupling, world, seed, weights, one.menu) for world in ("standard", *one.worlds)
            ]
        told[f"{one.name}, coupling {one.coupling:g}"] = {
            key: round(fmean(fact[key] for fact in facts), 3) for key in facts[0]
        }
    base = [(name, c, world) for name in ("start", "no session") for c in couplings for world in ("standard", *UNSEEN)]
    found += [Playing(name, c, world, seed) for name, c, world in base for seed in range(seeds)]
    return found, told


FIGURES: Final = ("conviction", "distress", "comfort", "asks", "advises", "attributes", "left")


def summary(rows: Mapping[str, Any], asked: Sequence[Playing], seeds: int) -> dict[str, Any]:
    """Of every policy and world: mean over seeds first, then over cases; falls beyond no session."""
    cells = dict.fromkeys((one.policy, one.coupling, one.world) for one in asked)
    return {"|".join(map(str, cell)): _cell(rows, cell, seeds) for cell in cells if cell[0] != "no session"}


def _by_case(rows: Mapping[str, Any], cell: tuple[str, float, str], seeds: int, key: str) -> dict[str, list[float]]:
    found: dict[str, list[float]] = {}
    policy, coupling, world = cell
    for seed in range(seeds):
        own = rows[Playing(policy, coupling, world, seed).name]
        none = {row["case"]: row for row in rows[Playing("no session", coupling, world, seed).name]}
        for row in own:
            special = key.startswith("accurate")
            if (row["special"] is not None) != special:
                continue
            name = key.removeprefix("accurate: ")
            less = none[row["case"]][name] if name in ("conviction", "distress", "below warranted", "left") else 0.0
            found.setdefault(row["case"], []).append(row[name] - less)
    return found


def _cell(rows: Mapping[str, Any], cell: tuple[str, float, str], seeds: int) -> dict[str, Any]:
    keys = [*FIGURES, *(("accurate: below warranted", "accurate: conviction") if cell[2] == "standard" else ())]
    found = {key: _told(_by_case(rows, cell, seeds, key)) for key in keys}
    return {key: {name: value for name, value in own.items() if name != "seeds"} for key, own in found.items()}


def _told(found: Mapping[str, Sequence[float]]) -> dict[str, Any]:
    mean = student_mean([fmean(own) for own in found.values()])
    ends = {name: _rounded(one) for name, one in asdict(mean).items()}
    return ends | {"seeds": [round(fmean(own), 3) for own in zip(*found.values(), strict=True)]}


def contrasts(rows: Mapping[str, Any], seeds: int, couplings: Sequence[float]) -> dict[str, Any]:
    """Paired differences that the plan names."""
    found: dict[str, Any] = {}

    def add(title: str, key: str, first: tuple[str, float], second: tuple[str, float], worlds: Sequence[str]) -> None:
        apart: dict[str, list[float]] = {}
        for world in worlds:
            ours, theirs = (_by_case(rows, (*one, world), seeds, key) for one in (first, second))
            for case in ours:
                own = [a - b for a, b in zip(ours[case], theirs[case], strict=True)]
                apart.setdefault(case, [0.0] * seeds)
                apart[case] = [a + b / len(worlds) for a, b in zip(apart[case], own, strict=True)]
        found[title] = _told(apart)

    for c in couplings:
        for more, key in product(("", POORER), ("comfort", "conviction", "distress")):
            first, second = (f"emotion{more}", c), (f"conviction{more}", c)
            for where, worlds in (("unseen worlds", UNSEEN), ("own world", ("standard",))):
                add(f"emotion − conviction{more}, coupling {c:g}, {where}: {key}", key, first, second, worlds)
        for key in ("comfort", "conviction"):
            add(f"placebo − start, coupling {c:g}, unseen worlds: {key}", key, ("placebo", c), ("start", c), UNSEEN)
        for reward in ("emotion", "conviction"):
            add(f"both − {reward}, coupling {c:g}, unseen worlds: comfort", "comfort", ("both", c), (reward, c), UNSEEN)
        key = "accurate: below warranted"
        add(f"conviction − start, coupling {c:g}, own world: {key}", key, ("conviction", c), ("start", c), ["standard"])
    for w in WINDOWS[1:]:
        ahead, none = (f"conviction, {n} turns ahead" for n in (w, 0))
        add(f"{w} turns ahead − 0: conviction", "conviction", (ahead, 0.0), (none, 0.0), ["standard"])
    for key in ("conviction", "attributes", "asks"):
        add(f"attributes − conviction: {key}", key, ("attributes", 0.0), ("conviction", 0.0), ["standard"])
    return found


def coded_blind() -> dict[str, Any]:
    """Share of turns that comfort, as the reader saw it, by policy; Wilson's interval over turns."""
    rows = read_lines(BLIND)
    found = {}
    for policy in ("emotion", "conviction"):
        own = [row["label"] == "comforts" for row in rows if row["policy"] == policy]
        found[policy] = {name: _rounded(value) for name, value in asdict(wilson(sum(own), len(own))).items()}
    return found


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)


SHOWN: Final = {"emotion": figures.ORANGE, "conviction": figures.BLUE, "both": figures.TEAL, "placebo": figures.GREY}


def picture(found: Mapping[str, Any]) -> str:
    """Comforting turns in the unseen worlds and what moved in the own one, by coupling, reward and menu."""
    rows = []
    for title, own in found.items():
        policy, coupling, world = title.split("|")
        reward, _, poorer = policy.partition(",")
        for key, where, label in (
            ("comfort", UNSEEN[0], "comforting turns, share"),
            ("conviction", "standard", "conviction, points"),
            ("distress", "standard", "relief, points"),
        ):
            if reward in SHOWN and world == where and not poorer.endswith("ahead"):
                menu = "no line that reflects and asks" if poorer else "all seven lines"
                shift = list(SHOWN).index(reward) * 0.025 - 0.04
                row = {"x": float(coupling) + shift, "reward": reward, "menu": menu, "key": label}
                rows.append(row | {"value": own[key]["estimate"], "low": own[key]["low"], "high": own[key]["high"]})
    colours = {"domain": list(SHOWN), "range": list(SHOWN.values())}
    colour = {"field": "reward", "type": "nominal", "scale": colours, "legend": {"title": None, "orient": "bottom"}}
    shape = colour | {"scale": {"domain": list(SHOWN)}}
    x = {
        "field": "x",
        "type": "quantitative",
        "title": "coupling",
        "axis": {"values": list(COUPLINGS), "format": ".2~f"},
    }
    y = {"field": "value", "type": "quantitative", "title": None}
    labels = list(dict.fromkeys(row["key"] for row in rows))
    panels = [
        {
            "title": {"text": f"{label}: {menu}", "fontSize": 11, "fontWeight": "normal"},
            "width": 190,
            "height": 150,
            "data": {"values": [row for row in rows if row["key"] == label and row["menu"] == menu]},
            "layer": [
                {
                    "mark": {"type": "rule", "strokeWidth": 1.5},
                    "encoding": {"x": x, "y": {**y, "field": "low"}, "y2": {"field": "high"}, "color": colour},
                },
                {"mark": {"type": "line", "strokeWidth": 1}, "encoding": {"x": x, "y": y, "color": colour}},
                {
                    "mark": {"type": "point", "filled": True, "size": 40, "opacity": 1},
                    "encoding": {"x": x, "y": y, "color": colour, "shape": shape},
                },
            ],
        }
        for menu in ("all seven lines", "no line that reflects and asks")
        for label in labels
    ]
    chart = {"columns": 3, "concat": panels, "resolve": {"scale": {"y": "independent"}}}
    drawn = figures.drawn(chart, "The emotion trap", "comfort, conviction and relief by coupling, reward and menu")
    return drawn.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1)


def main() -> None:
    """Forks, trains, plays, prints, and writes the result."""
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--out", type=Path, default=Path("runs/emotion-trap"))
    asked.add_argument("--seeds", type=int, default=SEEDS)
    asked.add_argument("--workers", type=int, default=1)
    asked.add_argument("--couplings", type=float, nargs="+", default=list(COUPLINGS))
    asked.add_argument("--no-write", action="store_true")
    told = asked.parse_args()
    told.out.mkdir(parents=True, exist_ok=True)
    cells = [(c, WINDOW) for c in told.couplings] + [(0.0, w) for w in WINDOWS]
    forkings = [Forking(c, w, seed) for seed in range(told.seeds) for c, w in cells]
    forks = kept(told.out / "forks.jsonl", forked, forkings, told.workers)
    playing, training = policies(forks, told.seeds, told.couplings)
    rows = kept(told.out / "sessions.jsonl", played, playing, told.workers)
    found = contrasts(rows, told.seeds, told.couplings)
    result: dict[str, Any] = {
        "made": date.today().isoformat(),
        "settings": {"lines": LINES, "forks": FORKS, "futures": FUTURES, "turns": TURNS, "seeds": told.seeds}
        | {"window": WINDOW, "divergence": DIVERGENCE, "penalty": PENALTY},
        "training": training,
        "policies": summary(rows, playing, told.seeds),
        "contrasts": found,
        "coded blind": coded_blind(),
    }
    for title, one in found.items():
        print(f"{title}: {one['estimate']:.2f} [{one['low']:.2f}, {one['high']:.2f}] {one['seeds']}")
    if not told.no_write:
        PICTURE.write_text(picture(result["policies"]) + "\n", encoding="utf-8")
        RESULT.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
