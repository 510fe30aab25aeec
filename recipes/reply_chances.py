"""From which chance a reading of a reply is sure, settled on the hands that the encoder of replies learned nothing from.

    python recipes/reply_chances.py

Prints what the joint log odds are to be multiplied by so that chances come out right (`TEMPERED` of
`gap/presuppositions/detector.py` and `gap/lost/labels.py`), by all hands left out and by each, and from which chance at most one
answer in twenty is surely read in two ways in its four styles, with the share that is unsure. The last line of each is what
is in use (`SURE` there). For conclusions, 0.75, it is a trade: more are read in two ways, fewer talks are left out.

Stances are read twice, as they are and with a plain question behind, as nearly every therapist asks. Both count alike where the weight
of the encoder beside the head (`WHOLE` there) and `TEMPERED` are chosen: the pair with the least mean log loss is in use.

Turns that tell and ask are read whole and in these two parts. The last lines print how both are joined (`OF_WHOLE`, `OF_PARTS`, `OFFSET` of
`gap/lost/labels.py`): a logistic curve over hands of which neither the encoder nor, for each, the head of told parts learned anything;
with what comes of it where the curve, too, is fitted without the hand that it reads.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, get_args
from unittest.mock import patch

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar
from sklearn.linear_model import LogisticRegression

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))

import reply_styles
from heads import fit
from maieutic.coding.whole_reply import stance_scores
from maieutic.gap.lost import labels
from maieutic.gap.presuppositions import detector
from maieutic.gap.presuppositions.detector import Stance, joint_scores, turned
from maieutic.reading.head import load, log_shares, shares
from maieutic.reading.plain import plain
from readers import lost_parts
from readers.presuppositions import items

STYLES = len(reply_styles.STYLES)
AT_MOST = 0.05
GRID = np.arange(0.5, 0.991, 0.01)
STANCES = get_args(Stance)
WEIGHTS = (0.0, 0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0, 3.0)
"""Of the encoder beside the head of stances, to be chosen from."""


def scores_of(row: dict[str, Any]) -> NDArray[Any]:
    """Joint log odds of an answer in its four styles: (styles, classes)."""
    texts = [plain(text).text for text in row["texts"][:STYLES]]
    if "item" in row:
        about = items()[row["item"]]
        return np.array([joint_scores(text, about["loaded"], about["belief"], row["heard"]) for text in texts])
    chances = [labels.kind_of(text).chance for text in texts]
    leads = np.array([np.log(one / (1 - one)) / labels.TEMPERED for one in np.clip(chances, 1e-9, 1 - 1e-9)])
    return np.stack([-leads / 2, leads / 2], axis=1)


def whole_of(row: dict[str, Any]) -> NDArray[Any]:
    """Log odds of the stances by the encoder alone: (styles, classes)."""
    about = items()[row["item"]]
    asked = about["loaded"], turned(about["belief"]), row["heard"]
    return np.array([stance_scores(plain(text).text, *asked) for text in row["texts"][:STYLES]])


def show_weights(scores: NDArray[Any], whole: NDArray[Any], right: NDArray[Any]) -> None:
    """What each weight of the encoder comes to, with the multiplier that fits it best."""
    for weight in WEIGHTS:
        joint = scores + (weight - detector.WHOLE) * whole
        number, truth = multiplied_by(joint, right), np.repeat(right, STYLES)
        flat = joint.reshape(-1, joint.shape[-1])
        loss = -log_shares(number * flat)[np.arange(len(truth)), truth].mean()
        likeliest = (flat.argmax(-1) == truth).mean()
        print(
            f"encoder weighs {weight:.2f}: multiplied by {number:.2f}, log loss {loss:.4f}, likeliest right {likeliest:.3f}"
        )


def multiplied_by(scores: NDArray[Any], right: NDArray[Any]) -> float:
    """The number under which the right classes are likeliest."""
    flat, truth = scores.reshape(-1, scores.shape[-1]), np.repeat(right, STYLES)

    def loss(number: float) -> float:
        return float(-log_shares(number * flat)[np.arange(len(truth)), truth].mean())

    return float(minimize_scalar(loss, bounds=(0.02, 3.0), method="bounded").x)


def told(chances: NDArray[Any], right: NDArray[Any], sure: float) -> tuple[float, float, float]:
    """Surely read in two ways, unsure, and right among the sure, as shares; (answers, styles, classes)."""
    read = np.where(chances.max(-1) >= sure, chances.argmax(-1), -1)
    turned = np.mean([len(set(one.tolist()) - {-1}) > 1 for one in read])
    known = read >= 0
    return float(turned), float(1 - known.mean()), float((read == right[:, None])[known].mean())


def show(name: str, chances: NDArray[Any], right: NDArray[Any], used: float) -> None:
    """The least chance that is enough, what comes of it, and of the one in use."""
    found = next((at for at in GRID if told(chances, right, at)[0] <= AT_MOST), GRID[-1])
    for at in (0.5, found, used):
        turned, unsure, true = told(chances, right, at)
        print(
            f"{name}: from {at:.2f} on, surely in two ways {turned:.3f}, unsure {unsure:.2f}, right if sure {true:.3f}"
        )


ASKED_HANDS = ("w7", "w11", "w12", "w17", "w18")
"""Hands on conclusions that the encoder learned nothing from; the last two were asked for questions beside either label."""


def told_apart() -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Turns of `ASKED_HANDS` that tell and ask: log odds by the whole and by the parts (turns, 2), whether each concludes,
    and its hand. The head of told parts is fitted without the hand."""
    head = lost_parts.HEADS[0]
    every = head.rows()
    groups, y = np.array(every.groups), np.array(every.y)
    odds, right, of = [], [], []
    for hand in ASKED_HANDS:
        apart = fit(every.x[groups != hand], y[groups != hand], head.labels, head.settings)
        with patch.object(
            labels, "load", lambda place, name, apart=apart: apart if name == "told_part" else load(place, name)
        ):
            for row in lost_parts.hands():
                for text in row["texts"][:STYLES] if row["hand"] == hand else ():
                    told, asked = lost_parts.parts_of(text)
                    if told and asked:
                        odds.append((whole_odds(text), labels.lead_of_parts(told, asked)))
                        right.append(row["label"] == "yes")
                        of.append(hand)
    return np.array(odds), np.array(right), np.array(of)


def whole_odds(text: str) -> float:
    """Log odds of a turn read whole, without its parts."""
    with patch.object(labels, "told_and_asked", lambda spoken: ("", ())):
        chance = np.clip(labels.kind_of.__wrapped__(text).chance, 1e-9, 1 - 1e-9)
    return float(np.log(chance / (1 - chance)))


def show_parts() -> None:
    """How whole and parts are joined, and what comes of it, by hand."""
    odds, right, of = told_apart()
    joined = np.zeros(len(right))
    for hand in ASKED_HANDS:
        curve = LogisticRegression().fit(odds[of != hand], right[of != hand])
        joined[of == hand] = curve.decision_function(odds[of == hand])
    for name, mine in (*((hand, of == hand) for hand in ASKED_HANDS), ("all", of != "")):
        for title, found in (("whole", odds[:, 0]), ("joined", joined)):
            print(f"parts, {name}, {title}: {shown(found[mine], right[mine])}")
    curve = LogisticRegression().fit(odds, right)
    (whole, parts), offset = curve.coef_[0], curve.intercept_[0]
    print(f"parts: of the whole {whole:.2f}, of the parts {parts:.2f}, offset {offset:.2f}")


def shown(odds: NDArray[Any], right: NDArray[Any]) -> str:
    """Right, surely right and surely wrong of those that conclude and of those that do not, and the mean log loss."""
    chance, told = 1 / (1 + np.exp(-odds)), []
    for label, for_it in ((True, chance), (False, 1 - chance)):
        mine = for_it[right == label]
        told.append(
            f"{'concludes' if label else 'does not'}: right {(mine > 0.5).sum()} of {len(mine)}, surely "
            f"{(mine >= labels.SURE).sum()}, surely wrong {(mine <= 1 - labels.SURE).sum()}"
        )
    loss = np.logaddexp(0, np.where(right, -odds, odds)).mean()
    return f"{'; '.join(told)}; log loss {loss:.3f}"


def main() -> None:
    """Prints both for each reader."""
    left = reply_styles.left_out()
    as_they_are = [row for row in left if "item" in row]
    for name, some in (
        ("stances", as_they_are + reply_styles.asked_behind(left)),
        ("concludes", [row for row in left if "item" not in row]),
    ):
        classes: Sequence[str] = STANCES if name == "stances" else ("no", "yes")
        scores = np.array([scores_of(row) for row in some])
        right = np.array([classes.index(row["label"]) for row in some])
        hands = np.array([row["hand"] for row in some])
        own = {str(hand): multiplied_by(scores[hands == hand], right[hands == hand]) for hand in sorted(set(hands))}
        number = multiplied_by(scores, right)
        print(f"{name}: multiplied by {number:.2f}; by hand { ({hand: round(one, 2) for hand, one in own.items()}) }")
        if name == "concludes":
            show(name, shares(number * scores), right, labels.SURE)
            continue
        show_weights(scores, np.array([whole_of(row) for row in some]), right)
        behind = np.arange(len(some)) >= len(as_they_are)
        for part, here in (("as they are", ~behind), ("a plain question behind", behind)):
            chances = shares(number * scores[here])
            show(f"{name}, {part}", chances, right[here], detector.SURE)
            along = chances[..., STANCES.index("accommodates")]
            goes = (right[here] == STANCES.index("accommodates")).astype(int)
            show(f"goes along, {part}", np.stack([1 - along, along], -1), goes, detector.SURE)
    show_parts()


if __name__ == "__main__":
    main()
