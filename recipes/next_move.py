"""Does the agent make the move that readers would make? Moments of development talks, and a head left out by case beside it.

    python recipes/next_move.py       # about three minutes

The moments stand in `data/move_moments.jsonl.xz` (`move_moments.py`); everybody's question about suicide is set aside, as in
`benchmarks/frozen_moments.py`, whose test moments nothing here has seen. The head reads what the agent knows (`value.row`), how the
reply is built, the kind of reply that the tracker hears, and what was asked before it: a multinomial line on the best move of each
labeller, and, weighing less, on those named as good. It is packed nowhere: where its moves weighed in the choice of steps,
development patients of half B were moved less (design/2026-11-23-the-agent-listens.md).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean
from typing import Any, Final

import numpy as np
from sklearn.model_selection import GroupKFold

from fit import as_heard
from heads import Settings, fit
from maieutic.domain.episode import Session, Turn
from maieutic.reading.head import Floats
from maieutic.runs.files import read_lines
from maieutic.stats import student_mean
from maieutic.therapists.agent.formulation import formulated_from
from maieutic.therapists.agent.memory import Memory, remembered
from maieutic.therapists.agent.moves import MOVES, OF_STEP, move_of
from maieutic.therapists.agent.reasoner import understood
from maieutic.therapists.agent.suiting import BUILT, reply_row
from maieutic.therapists.socratic import SocraticTherapist
from move_moments import KEPT

LEARNED: Final = tuple(move for move in MOVES if move not in ("safety", "close"))
"""Moves that the head knows; danger and the end are not up to it."""
AS_GOOD: Final = 0.3
"""Weight of a move that is named beside the best; chosen with the penalty of `SETTINGS` by left-out cases, among twelve pairs."""
SETTINGS: Final = Settings(penalty=0.01, balanced=False, scaled=True)
FOLDS: Final = 8
MANY: Final = 3
"""How often a move was made, at most, that is told apart."""


def session_of(moment: Mapping[str, Any]) -> Session:
    """The talk of a moment, as the agent remembers it."""
    turns = []
    for who, text, *step in moment["turns"]:
        turns.append(Turn("patient" if who == "p" else "therapist", text, trace={"step": step[0]} if step else None))
    return Session(tuple(turns), 21)


def made(agent: SocraticTherapist, session: Session) -> str:
    """The agent's move in a moment, risk set aside."""
    tracker = agent.tracker
    found = agent.planned(session, remembered(session), tracker.belief(session), tracker.heard(session), None)
    return move_of(found.plan.step, found.plan.lead)


def row_of(agent: SocraticTherapist, session: Session) -> Floats:
    """(d,) what the head reads of a moment."""
    heard, memory, found = agent.tracker.heard(session), remembered(session), formulated_from(session)
    account = understood(found, session, agent.tracker.belief(session), heard, memory, agent.turns)
    built = reply_row(session.turns[-1].text)[-len(BUILT) :]
    return np.concatenate([account.known, built, heard.replies, np.array(list(_asked(memory)))])


def _asked(memory: Memory) -> Iterator[float]:
    last = OF_STEP.get(memory.last, "follow") if memory.last is not None else ""
    yield from (float(move == last) for move in MOVES)
    yield from (min(memory.times(*MOVES[move]), MANY) / MANY for move in LEARNED)


def by_left_out_case(x: Floats, rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """The likeliest move of each moment, by a head that saw no moment of its case."""
    cases, found = [row["case"] for row in rows], [""] * len(rows)
    for train, test in GroupKFold(FOLDS, shuffle=True, random_state=0).split(x, groups=cases):
        told = [
            (place, move, AS_GOOD if others else 1.0)
            for place in train
            for named in rows[place]["named"]
            for others, move in enumerate(named.split())
            if move in LEARNED
        ]
        places, moves, weights = (list(column) for column in zip(*told, strict=True))
        head = fit(x[places], moves, sorted(set(moves)), SETTINGS, weights=np.array(weights))
        for place, best in zip(test, head.scores(x[test]).argmax(axis=1), strict=True):
            found[place] = head.labels[best]
    return found


def main() -> None:
    """Prints how often a move is named, and how often it is the best, by round."""
    rows = [as_heard(row) for row in read_lines(KEPT)]
    agent, sessions = SocraticTherapist(), [session_of(row) for row in rows]
    x = np.array([row_of(agent, session) for session in sessions])
    chosen = {
        "agent": [made(agent, session) for session in sessions],
        "head, by left-out case": by_left_out_case(x, rows),
        "always 'follow'": ["follow"] * len(rows),
    }
    for rounds in ("1", "2", "12"):
        at = [place for place, row in enumerate(rows) if row["id"][0] in rounds]
        one = [fmean(rows[n]["named"][a].split()[0] in rows[n]["named"][1 - a].split() for a in (0, 1)) for n in at]
        best = [float(rows[n]["named"][0].split()[0] == rows[n]["named"][1].split()[0]) for n in at]
        print(f"round {' and '.join(rounds)}, {len(at)} moments: named; the best")
        print(f"  {'one labeller':24}{_told(one)}; {_told(best)}")
        for name, moves in chosen.items():
            named = [fmean(moves[n] in each.split() for each in rows[n]["named"]) for n in at]
            first = [fmean(moves[n] == each.split()[0] for each in rows[n]["named"]) for n in at]
            print(f"  {name:24}{_told(named)}; {_told(first)}")


def _told(values: Sequence[float]) -> str:
    found = student_mean(values)
    return f"{found.estimate:.2f} [{found.low:.2f}, {found.high:.2f}]"


if __name__ == "__main__":
    main()
