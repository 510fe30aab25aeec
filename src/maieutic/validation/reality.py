"""A look at people: does the simulated state say anything about what clients say next in coded demonstration sessions?

On AnnoMI (Wu et al. 2022; demonstration sessions of motivational interviewing, many role-played), the coded therapist
turns are run through the dynamics of a patient of the plain style. A readout that sees the client's last talk type and
at most four state variables predicts the next talk type, by held-out video. It bears on openness and resistance only;
conviction dynamics are not validated on humans. What is not supported is printed as not supported.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

import numpy as np
from numpy.typing import NDArray

from maieutic.domain.appraisal import Appraisal
from maieutic.domain.codes import Move, TurnCode
from maieutic.library import get_case
from maieutic.patients.dynamics import Mind, transition
from maieutic.patients.kernel import first_state
from maieutic.runs.findings import Finding, above
from maieutic.stats import Interval, bootstrap_mean
from maieutic.validation.coder import datasets

Floats = NDArray[np.float64]
TALK = ("change", "neutral", "sustain")
STATES = ("openness", "reactance", "alliance", "distress")
PERMUTATIONS = 10
STAND_IN = "gethin"
"""The case whose patient stands in: plain style; no fact is ever reached, so that only its feelings matter."""
_COLUMNS = (
    "transcript_id",
    "video_title",
    "utterance_id",
    "interlocutor",
    "client_talk_type",
    "question_exists",
    "question_subtype",
    "reflection_exists",
    "reflection_subtype",
    "therapist_input_exists",
    "therapist_input_subtype",
)
_LABELS: Mapping[str, tuple[Move, ...]] = {
    "question:open": (Move.OPEN_QUESTION,),
    "question:closed": (Move.CLOSED_QUESTION,),
    "reflection:simple": (Move.REFLECTION,),
    "reflection:complex": (Move.REFLECTION,),
    "input:information": (Move.INFORMATION,),
    "input:advice": (Move.ADVICE,),
    "input:options": (Move.INFORMATION,),
    "input:negotiation": (),
}
_FIT = {"reflection:simple": 0.5, "reflection:complex": 0.8}


@dataclass(frozen=True, slots=True)
class Coded:
    """One coded session: per exchange the therapist's labels before a client turn, and the client's talk type."""

    video: str
    labels: tuple[tuple[str, ...], ...]
    talk: tuple[str, ...]


def read_annomi(folder: Path) -> list[Coded]:
    """The coded sessions of `AnnoMI-full.csv`; the first annotator of a session speaks. Raises `UnreadableFile`."""
    sessions: dict[str, dict[int, dict[str, str]]] = {}
    for row in datasets.rows(folder, datasets.ANNOMI_FULL, _COLUMNS):
        sessions.setdefault(row["transcript_id"], {}).setdefault(int(row["utterance_id"]), row)
    return [_coded([rows[i] for i in sorted(rows)]) for _, rows in sorted(sessions.items(), key=lambda s: int(s[0]))]


def _coded(rows: Sequence[Mapping[str, str]]) -> Coded:
    labels: list[tuple[str, ...]] = []
    talk: list[str] = []
    waiting: list[str] = []
    for row in rows:
        if row["interlocutor"] == "therapist":
            waiting += _labels_of(row)
        elif row["client_talk_type"] in TALK:
            labels.append(tuple(waiting))
            talk.append(row["client_talk_type"])
            waiting = []
    return Coded(rows[0]["video_title"], tuple(labels), tuple(talk))


def _labels_of(row: Mapping[str, str]) -> list[str]:
    kinds = (("question", "question"), ("reflection", "reflection"), ("input", "therapist_input"))
    found = [
        f"{name}:{row[f'{field}_subtype'] or ''}" for name, field in kinds if row[f"{field}_exists"].lower() == "true"
    ]
    return [label for label in found if label in _LABELS]


def states_of(session: Coded, *, order: Random | None = None) -> Floats:
    """State variables before each client turn, (turns, 4); with `order`, the therapist's labels are shuffled first."""
    case = get_case(STAND_IN)
    mind = Mind(case, case.situations[0])
    state = first_state(case, mind.situation, Random(1))
    labels = list(session.labels)
    if order is not None:
        order.shuffle(labels)
    rows = []
    for turn, own in enumerate(labels):
        code = TurnCode({m: 0.95 for name in own for m in _LABELS[name]}, 20)
        asked = [name for name in own if name.startswith("question")]
        heard = Appraisal(
            questions=len(asked),
            open="question:open" in own,
            fit=max((_FIT.get(name, 0.0) for name in own), default=0.0),
        )
        state = transition(mind, state, code, heard, Random(turn))
        rows.append([getattr(state, name) for name in STATES])
    found = np.array(rows)
    found[:, 3] /= 100.0
    return found


def _history(talk: Sequence[str]) -> Floats:
    """What the client's own turns so far say: running shares of change and sustain talk, and how far the session is."""
    rows = []
    for i in range(len(talk)):
        before = talk[:i]
        n = len(before)
        rows.append(
            [(before.count("change") + 0.5) / (n + 1.5), (before.count("sustain") + 0.5) / (n + 1.5), np.log1p(n)]
        )
    return np.array(rows)


def check(folder: Path) -> list[Finding]:
    """Log-loss in nats of every readout on held-out videos, differences with intervals over videos, and the verdict."""
    sessions = [s for s in read_annomi(folder) if len(s.talk) >= 3]
    last, truth, videos, history, state, moves, shuffled = _design(sessions)
    nothing = np.zeros((len(truth), 0))
    permuted = [np.concatenate(part) for part in shuffled]
    losses = {
        "marginal": _loss(nothing, truth, videos),
        "Markov chain (last talk type)": _loss(last, truth, videos),
        "client history, no therapist": _loss(np.c_[last, history], truth, videos),
        "last talk type and simulated state": _loss(np.c_[last, state], truth, videos),
        "the same, therapist codes permuted": np.mean([_loss(np.c_[last, p], truth, videos) for p in permuted], axis=0),
        "client history and simulated state": _loss(np.c_[last, history, state], truth, videos),
        "client history and permuted state": np.mean(
            [_loss(np.c_[last, history, p], truth, videos) for p in permuted], axis=0
        ),
        "everything (history, state, last therapist codes)": _loss(np.c_[last, history, state, moves], truth, videos),
    }
    found = [
        Finding("reality check", f"log-loss: {name}", _over_videos(loss, videos), "nats a client turn")
        for name, loss in losses.items()
    ]
    for better, worse in (
        ("last talk type and simulated state", "Markov chain (last talk type)"),
        ("last talk type and simulated state", "the same, therapist codes permuted"),
        ("client history and simulated state", "client history, no therapist"),
        ("client history and simulated state", "client history and permuted state"),
    ):
        gain = _over_videos(losses[worse] - losses[better], videos)
        note = "supported" if above(gain, 0.0) else "not supported: the interval includes 0 or lies below"
        found.append(Finding("reality check", f"gain of '{better}' over '{worse}'", gain, "nats", note=note))
    return found


def _design(
    sessions: Sequence[Coded],
) -> tuple[Floats, NDArray[np.int64], list[str], Floats, Floats, Floats, list[list[Floats]]]:
    names = sorted(_LABELS)
    last, truth, videos, history, state, moves = [], [], [], [], [], []
    shuffled: list[list[Floats]] = [[] for _ in range(PERMUTATIONS)]
    for number, session in enumerate(sessions):
        at = [TALK.index(t) for t in session.talk]
        last.append(np.eye(3)[at[:-1]])
        truth += at[1:]
        videos += [session.video] * (len(at) - 1)
        history.append(_history(session.talk)[1:])
        state.append(states_of(session)[1:])
        moves.append(np.array([[float(n in own) for n in names] for own in session.labels[1:]]))
        for k, rows in enumerate(shuffled):
            rows.append(states_of(session, order=Random(1000 * k + number))[1:])
    joined = [np.concatenate(part) for part in (last, history, state, moves)]
    return joined[0], np.array(truth), videos, joined[1], joined[2], joined[3], shuffled


def _loss(features: Floats, truth: NDArray[np.int64], videos: Sequence[str]) -> Floats:
    """Log-loss of every client turn under a multinomial readout fitted without its video (five folds of videos)."""
    order = sorted(set(videos))
    fold = np.array([order.index(v) % 5 for v in videos])
    loss = np.zeros(len(truth))
    for part in range(5):
        train, test = fold != part, fold == part
        centre = features[train].mean(0) if features.shape[1] else np.zeros(0)
        spread = features[train].std(0) + 1e-9 if features.shape[1] else np.ones(0)
        read = _fit(np.c_[np.ones(train.sum()), (features[train] - centre) / spread], truth[train])
        chances = read(np.c_[np.ones(test.sum()), (features[test] - centre) / spread])
        loss[test] = -np.log(np.maximum(chances[np.arange(test.sum()), truth[test]], 1e-12))
    return loss


def _fit(x: Floats, y: NDArray[np.int64], *, penalty: float = 1.0) -> Callable[[Floats], Floats]:
    """Multinomial logistic regression with a ridge on everything but the intercept."""
    from scipy.optimize import minimize
    from scipy.special import log_softmax, softmax

    wanted = np.eye(3)[y]
    free = np.ones((x.shape[1], 3))
    free[0] = 0.0

    def cost(flat: Floats) -> tuple[float, Floats]:
        weights = flat.reshape(x.shape[1], 3)
        scores = x @ weights
        value = -float((wanted * log_softmax(scores, axis=1)).sum()) + 0.5 * penalty * float((free * weights**2).sum())
        slope = x.T @ (softmax(scores, axis=1) - wanted) + penalty * free * weights
        return value, slope.ravel()

    best = minimize(cost, np.zeros(x.shape[1] * 3), jac=True, method="L-BFGS-B")
    weights = best.x.reshape(x.shape[1], 3)
    return lambda z: np.asarray(softmax(z @ weights, axis=1))


def _over_videos(values: Floats, videos: Sequence[str]) -> Interval:
    return bootstrap_mean(values.tolist(), clusters=list(videos), rng=Random(7))
