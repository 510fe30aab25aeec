"""The tracker's heads and how much one turn of them counts, chosen on left-out development cases (see `fit_tracker.py`)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from fit_tracker import DATA, Exchange, case_lines, fit_head, folded, tempered, written
from maieutic.language.feelings import disclosed_feelings
from maieutic.library import get_case
from maieutic.protocols import Embedder
from maieutic.safety.risk import assess
from maieutic.tracking.ear import danger_features, reply_features
from maieutic.tracking.space import BELIEFS, EMOTIONS, REPLIES, RISKS, Floats
from maieutic.tracking.tables import Linear

WEIGHTS = (0.02, 0.05, 0.08, 0.12, 0.18, 0.25, 0.35, 0.5)
NAMED = (0.0, 0.5, 1.0, 1.5, 2.0)
TRUTHS = ("no", "yes")
GRADE_C = 0.5
FOLDS = 5
MISSED_HINTS = {"ask": 0.10, "doubt": 0.05}
"""Share of left-out hints that may stay below the probability from which suicide is asked about at once, and later."""


def fit_all(
    items: Sequence[Exchange], names: Sequence[str], embed: Embedder
) -> tuple[dict[str, object], dict[str, object]]:
    """The heads with their weights, and the left-out figures for the card."""
    vectors = {text: embed([text])[0].astype(np.float64) for text in {e.text for e in items}}
    reply, kinds = fit_replies(items, names, vectors)
    beliefs = [
        (embed([str(r["text"])])[0].astype(np.float64), str(r["belief"])) for r in written("tracker_beliefs.jsonl")
    ]
    emotions = [
        (embed([str(r["text"])])[0].astype(np.float64), str(r["emotion"])) for r in written("tracker_emotions.jsonl")
    ]
    truths = [
        (embed([str(r["text"])])[0].astype(np.float64), TRUTHS[bool(r["accurate"])])
        for r in written("tracker_accuracy.jsonl")
    ]
    lines = [(n, embed([t])[0].astype(np.float64), b, m, TRUTHS[a]) for n, t, b, m, a in case_lines(names)]
    card: dict[str, object] = {"kinds of reply, left-out cases": kinds}
    found: dict[str, object] = {"reply_head": reply}
    talks = spoken(items)
    for label, own, place, space in (
        ("category", beliefs, 2, BELIEFS), ("emotion", emotions, 3, EMOTIONS), ("accurate", truths, 4, TRUTHS),
    ):  # fmt: skip
        scores: dict[tuple[float, float], list[float]] = defaultdict(list)
        for kept, left in folded(names):
            head = _head(own, [line for line in lines if line[0] in kept], place, space)
            for name in left:
                for said, truth in talks[name]:
                    steps = np.array([head(vectors[text]) for text in said])
                    spoken_of = np.array([[g in disclosed_feelings(t) for g in EMOTIONS] for t in said], dtype=float)
                    for weight in WEIGHTS:
                        for named in NAMED if label == "emotion" else (0.0,):
                            total = np.cumsum(
                                weight * steps + (named * spoken_of if label == "emotion" else 0.0), axis=0
                            )
                            total -= np.log(np.exp(total - total.max(axis=1, keepdims=True)).sum(axis=1, keepdims=True)) + total.max(axis=1, keepdims=True)  # fmt: skip
                            scores[weight, named].append(float(np.mean(total[3:, space.index(truth[place - 2])])))
        best = max(scores, key=lambda k: np.mean(scores[k]))
        card[f"{label}: weight, named, log score"] = (*best, round(float(np.mean(scores[best])), 3))
        card[f"{label}: even guess"] = round(-float(np.log(len(space))), 3)
        found[f"{label}_head"] = _head(own, lines, place, space)
        found[f"{label}_weight"] = best[0]
        if label == "emotion":
            found["named_feeling"] = best[1]
    danger, card["risk"] = fit_danger(embed, names)
    return {**found, **danger}, card


def fit_danger(embed: Embedder, names: Sequence[str]) -> tuple[dict[str, object], dict[str, float]]:
    """The heads that grade risk, and the thresholds that left-out own-written turns ask for."""
    texts = [
        (str(row["text"]), ("passive" if "passive" in str(row["kind"]) else "active") if path.stem.startswith("risk") else "none")
        for path in sorted((*DATA.glob("risk_train*.jsonl"), *DATA.glob("safe_train*.jsonl")))
        for row in written(path.name)
    ]  # fmt: skip
    first = fit_head(
        np.array([embed([t])[0] for t, _ in texts], dtype=np.float64), np.array([g for _, g in texts]),
        ["none", "passive", "active"], c=3.0, balanced=True,
    )  # fmt: skip
    turns = _graded_turns(names)
    data = np.array([_danger_row(turn.text, embed, first) for turn in turns])
    labels, fold = np.array([t.grade for t in turns]), np.array([t.fold for t in turns])
    chance = np.zeros((len(turns), len(RISKS)))
    for one in sorted(set(fold)):
        out = fold == one
        head = fit_head(data[~out], labels[~out], list(RISKS), c=GRADE_C)
        chance[out] = np.exp([head(row) for row in data[out]])
    some, active, sort = 1.0 - chance[:, 0], chance[:, 3], np.array([t.sort for t in turns])
    worst: dict[tuple[str, str], float] = defaultdict(float)
    for turn, danger in zip(turns, active, strict=True):
        if turn.grade == "none":
            worst[turn.sort, turn.talk] = max(worst[turn.sort, turn.talk], float(danger))
    safe = np.array([one for (where, _), one in worst.items() if where in ("turn", "opening", "before")])
    lives = np.array([one for (where, _), one in worst.items() if where == "life"])
    # What one safe text in sixty-six, or all that one life in fifty has to say, would set off: the higher of the two.
    hand_over = float(max(np.quantile(safe, 0.985), np.quantile(lives, 0.98)) + 0.01)
    hints = some[labels == "hint"]
    ask, doubt = float(np.quantile(hints, MISSED_HINTS["ask"])), float(np.quantile(hints, MISSED_HINTS["doubt"]))
    figures = {"hand_over": round(hand_over, 3), "ask": round(ask, 3), "doubt": round(doubt, 3), "lives handed over somewhere": round(float(np.mean(lives >= hand_over)), 3),
               "lines of lives asked about": round(float(np.mean(some[sort == "life"] >= ask)), 3),
               "other turns without risk asked about": round(float(np.mean(some[sort == "other"] >= ask)), 3)}  # fmt: skip
    for title, among in (("opening", "opening"), ("single turn", "turn")):
        for grade in RISKS:
            own = (sort == among) & (labels == grade)
            figures[f"{title}, {grade}: asked about at once"] = round(float(np.mean(some[own] >= ask)), 3)
            figures[f"{title}, {grade}: asked about at once or before a challenge"] = round(
                float(np.mean(some[own] >= doubt)), 3
            )
            figures[f"{title}, {grade}: handed over, without the rules"] = round(
                float(np.mean(active[own] >= hand_over)), 3
            )
    heads = {
        "danger_first": first,
        "danger_head": fit_head(data, labels, list(RISKS), c=GRADE_C),
        "danger_shares": np.array([np.mean(labels == grade) for grade in RISKS]),
    }
    return {**heads, "hand_over": hand_over, "ask": ask, "doubt": doubt}, figures


@dataclass(frozen=True)
class Graded:
    """One turn with its grade; turns of one talk stay together, and folds are left out as a whole.

    Attributes:
        sort: 'turn' by itself, the last of an 'opening' or 'before' it, of a 'life' without risk, or any 'other' without risk.
        talk: Which of its sort.
    """

    text: str
    grade: str
    sort: str
    talk: str
    fold: int


def _graded_turns(names: Sequence[str]) -> list[Graded]:
    """Single turns by five writers (a fold each, with a fifth of the rest), development openings, and turns without risk.

    The last are what development patients without risk say, the utterances the other heads are fitted on, and a third of
    the safe texts of the risk encoder, which that encoder has seen.
    """
    found = [
        Graded(str(row["text"]), str(row["grade"]), "turn", f"{path.stem} {number}", part)
        for part, path in enumerate(sorted(DATA.glob("risk_grades_*.jsonl")))
        for number, row in enumerate(written(path.name))
    ]
    for number, row in enumerate(written("risk_openings_dev.jsonl")):
        texts = [str(text) for text in row["turns"]]  # type: ignore[attr-defined]
        for place, text in enumerate(texts):
            # Only the last turn of an opening holds the risk; those before it are harmless, but belong to a risky talk.
            grade = str(row["grade"]) if place == len(texts) - 1 else "none"
            sort = "opening" if grade == row["grade"] else "before"
            found.append(Graded(text, grade, sort, str(number), number % FOLDS))
    for number, name in enumerate(names):
        case = get_case(name)
        if case.risk.level == "none":
            lines = {line[1] for line in case_lines([name])} | set(case.phrasings.tangents)
            found += [Graded(text, "none", "life", str(number), number % FOLDS) for text in sorted(lines)]
    spoken = [
        str(row["text"]) for part in ("beliefs", "emotions", "accuracy") for row in written(f"tracker_{part}.jsonl")
    ]
    safe = [str(row["text"]) for path in sorted(DATA.glob("safe_train*.jsonl")) for row in written(path.name)]
    found += [Graded(text, "none", "other", str(n), n % FOLDS) for n, text in enumerate((*spoken, *safe[::3]))]
    return found


def _danger_row(text: str, embed: Embedder, first: Linear) -> Floats:
    vector = embed([text])[0].astype(np.float64)
    return danger_features(vector, assess(text), first(vector))


def _head(own: Sequence[tuple[Floats, str]], lines: Sequence[tuple], place: int, space: Sequence[str]) -> Linear:  # type: ignore[type-arg]
    x = np.array([v for v, _ in own] + [line[1] for line in lines])
    y = np.array([label for _, label in own] + [line[place] for line in lines])
    return fit_head(x, y, list(space), c=1.0, balanced=True)


def spoken(items: Sequence[Exchange]) -> dict[str, list[tuple[list[str], tuple[str, str, str]]]]:
    """By case, the patient's words of each session with (belief, strongest feeling, accurate)."""
    found: dict[str, list[tuple[list[str], tuple[str, str, str]]]] = defaultdict(list)
    for e in items:
        if e.question is None:
            case = get_case(e.case)
            situation = case.situation(e.after.situation)
            strongest = max(situation.emotions, key=lambda m: m.intensity).group
            found[e.case].append(([], (case.core_beliefs[0].category, strongest, TRUTHS[situation.accurate])))
        found[e.case][-1][0].append(e.text)
    return {name: [(said, truth) for said, truth in talks if len(said) > 3][::4] for name, talks in found.items()}


def fit_replies(
    items: Sequence[Exchange], names: Sequence[str], vectors: dict[str, Floats]
) -> tuple[Linear, dict[str, float]]:
    """The head for kinds of reply, its temperature and left-out accuracy."""
    unique = {(e.case, e.text, e.question): e.kind for e in items}
    keys = list(unique)
    x = np.array([reply_features(text, vectors[text], question) for _, text, question in keys])
    y = np.array([unique[k].value for k in keys])
    case = np.array([k[0] for k in keys])
    labels = [kind.value for kind in REPLIES]
    right, temperatures, loss = [], [], []
    for _, left in folded(names):
        out = np.isin(case, left)
        head = fit_head(x[~out], y[~out], labels, c=1.0)
        rows, truth = x[out], [labels.index(v) for v in y[out]]
        head = tempered(head, rows, truth)
        temperatures.append(head.temperature)
        logs = np.array([head(row) for row in rows])
        right.append(float(np.mean(logs.argmax(axis=1) == np.array(truth))))
        loss.append(float(-np.mean(logs[np.arange(len(truth)), truth])))
    head = replace(fit_head(x, y, labels, c=1.0), temperature=float(np.median(temperatures)))
    return head, {"accuracy": round(float(np.mean(right)), 3), "log-loss": round(float(np.mean(loss)), 3),
                  "temperature": head.temperature, "replies": len(keys)}  # fmt: skip
