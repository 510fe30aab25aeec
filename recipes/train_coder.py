"""Trains the word-gram heads of the embedded coder, joins them with the encoder, and keeps what was found out of fold.

    python recipes/train_coder.py --data ../shared/data                       # every packaged head: weights and figures
    python recipes/train_coder.py --data ../shared/data --head socratic --cv  # out-of-fold probabilities only
    python recipes/train_coder.py --data ../shared/data --head epitome_er     # a head that stays on this machine

The encoder's part comes from `train_coder_encoder.py` (needs torch): its out-of-fold scores in `coder_scores/`, its weights
in the package. Without the scores of a head, only the word grams speak. Folds never share a video (AnnoMI), a session
(MISC), a thought (SoQG), a seeker's post (EPITOME), a stimulus (appropriateness) or an utterance (BOLT). Settings are the
same for all folds and were not chosen on these folds, but for those of appropriateness (stance, evenness and penalty by
`appropriateness_settings.py`; which own-written files it learns from, `coder_examples.OWN_PARTS`, is fixed by hand);
everything learned (vocabulary, scaling, weights, the numbers that join the parts, thresholds) is learned on the other
folds. `maieutic validate coder` turns the result into figures.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coder_examples import Example, proper_names, read
from coder_folds import FOLDS, folds
from coder_store import OutOfFold, note, store
from heads import fit_blend
from maieutic.coding.features import Basis, Row, Space, Style, WordHead, save_head
from maieutic.coding.head_coder import MIN_LOG, Blend
from maieutic.coding.head_plan import PACKAGED, PLANS, HeadPlan, local_weights
from maieutic.reading.head import Head, log_shares, shares
from maieutic.validation.coder.datasets import files
from maieutic.validation.coder.figures import macro_f1, platt, temperature
from maieutic.validation.coder.stored import sha256

ROOT = Path(__file__).resolve().parent.parent
SEEDS = range(5)
RARE_WEIGHTS = {"socratic": 0.0}  # of the joined head; as the word grams' own where it is not named
OWN_WORDS = ("bolt",)
"""Schemes whose own-written lines may add words that no human-coded one has."""
EVEN_OWN = ("annomi_therapist",)  # own-written lines teach words here, not how common a label is
ENCODER_HEADS = {
    "annomi_encoder": ("annomi_therapist", "annomi_question_form"),
    "coder_encoder": ("annomi_therapist", "annomi_question_form", "socratic"),
}
TOLERANCE = 1e-3
STATE, STANCE = 768, 9  # widths of the encoder's state, which comes last, and of the stance before it
ABSTAIN_SHARE = 0.15
NAMES = frozenset(Path(__file__).with_name("person_names.txt").read_text(encoding="utf-8").split())


@dataclass(frozen=True)
class Strengths:
    """How a head is fitted.

    Attributes:
        fewest: Groups (sessions, thoughts, utterances) that a gram must occur in.
        power: Of the class weights: 0 no weighting, 1 balanced.
        even: By this power of their number the rows of a group with one label count less: 0 rows count alike, 1 groups.
        penalty: Inverse strength of the penalty on weights.
    """

    fewest: int = 5
    power: float = 0.7
    even: float = 0.0
    penalty: float = 1.0


STRENGTHS = {"epitome": Strengths(fewest=2, power=1.0), "appropriateness": Strengths(even=1.0, penalty=3.0)}


def strengths(plan: HeadPlan) -> Strengths:
    """How the heads of its scheme are fitted."""
    return STRENGTHS.get(plan.scheme, Strengths())


def fit_space(
    examples: Sequence[Example], part: str, weight: float, banned: set[str], fewest: int, *, own: bool = False
) -> Space:
    """A vocabulary of one- and two-word grams that occur in enough groups, without names; own-written text adds none.

    But for the schemes in `OWN_WORDS`, where too few utterances have human codes to know the words of a feeling.
    """
    groups: dict[str, set[str]] = defaultdict(set)
    rows: dict[str, int] = defaultdict(int)
    for one in examples:
        for gram in set(getattr(one.row, part)):
            rows[gram] += 1
            if own or not one.only_training:
                groups[gram].add(one.session)
    kept = sorted(g for g, where in groups.items() if len(where) >= fewest and not banned & set(g.split()))
    idf = np.array([np.log((1 + len(examples)) / (1 + rows[gram])) + 1 for gram in kept], dtype=np.float32)
    return Space(part, {gram: at for at, gram in enumerate(kept)}, tuple(idf.tolist()), weight)


def inputs(examples: Sequence[Example]) -> tuple[list[Row], NDArray[Any] | None]:
    """What a head reads of the examples: their features, and the further columns where there are any."""
    extra = np.array([one.extra for one in examples]) if examples and examples[0].extra else None
    return [one.row for one in examples], extra


def fit(
    plan: HeadPlan, style: Style, labels: tuple[str, ...], examples: Sequence[Example], banned: set[str]
) -> WordHead:
    """One linear head on all the examples given, not yet calibrated."""
    basis = basis_of(plan, examples, banned)
    line = line_of(plan, labels, examples, basis.matrix(*inputs(examples)), strengths(plan))
    return WordHead(style, basis, line, threshold=0.5 if plan.multi_label else None)


def basis_of(plan: HeadPlan, examples: Sequence[Example], banned: set[str]) -> Basis:
    """The vocabulary and the scaling of the counted properties, each kind at its length."""
    spaces = tuple(
        fit_space(examples, part, weight, banned, strengths(plan).fewest, own=plan.scheme in OWN_WORDS)
        for part, weight in plan.spaces.items()
    )
    dense = np.array([(*one.row.dense, *one.extra) for one in examples])
    spread = dense.std(0)
    # A column that never varies has a spread of rounding error; it must not be blown up.
    state = STATE if dense.shape[1] > STATE else 0
    stance = STANCE if state and plan.extra == "responses" else 0
    few = dense.shape[1] - stance - state
    blocks = ((few, plan.dense), (stance, plan.stance), (state, plan.wide))
    length = np.concatenate([np.full(width, whole / np.sqrt(max(width, 1))) for width, whole in blocks])
    scale = length / np.where(spread > 1e-6, spread, np.inf)
    return Basis(spaces, dense.mean(0).astype(np.float32), scale.astype(np.float32))


def line_of(
    plan: HeadPlan, labels: tuple[str, ...], examples: Sequence[Example], features: Any, strength: Strengths
) -> Head:
    """The weights on the features of the examples, one row each."""
    from sklearn.linear_model import LogisticRegression

    flags = np.array([one.flags for one in examples])
    if plan.multi_label:
        fitted = [one_against_rest(features, column) for column in flags.T]
        weights, intercept = np.vstack([one[0] for one in fitted]).T, np.array([one[1] for one in fitted])
    else:
        share = np.maximum(flags.mean(0), 1e-6) * flags.shape[1]
        balance = dict(enumerate(share**-strength.power))
        joint = LogisticRegression(C=strength.penalty, class_weight=balance, tol=TOLERANCE, max_iter=1000)
        joint.fit(features, flags.argmax(1), sample_weight=row_weights(plan, examples, flags, strength.even))
        weights, intercept = joint.coef_.T, joint.intercept_
        if len(labels) == 2:
            weights, intercept = np.hstack([-weights, weights]) / 2, np.array([-intercept[0], intercept[0]]) / 2
    # Weights are stored at single length, and judged as they are stored.
    short, free = (np.asarray(one, dtype=np.float32).astype(np.float64) for one in (weights.T, intercept))
    return Head(labels, short, free, many=plan.multi_label)


def row_weights(plan: HeadPlan, examples: Sequence[Example], flags: NDArray[Any], even: float) -> NDArray[Any]:
    """How much each example counts: 1 on average, own-written ones of some heads so that their labels count alike."""
    weights, own = np.ones(len(flags)), np.array([one.only_training for one in examples])
    if plan.id in EVEN_OWN and own.any():
        weights[own] = 1 / (flags.shape[1] * (flags[own] @ flags[own].mean(0)))
    if even:
        cells = [(one.group, one.flags) for one in examples]
        sizes = Counter(cells)
        weights[~own] = np.array([sizes[cell] for cell in cells], dtype=float)[~own] ** -even
        weights[~own] /= weights[~own].mean()
    return weights


def one_against_rest(features: Any, flags: NDArray[Any]) -> tuple[NDArray[Any], float]:
    """Coefficients and intercept for one label of many; a label that a fold lacks is never given."""
    from sklearn.linear_model import LogisticRegression

    if not flags.any():
        return np.zeros(features.shape[1]), -10.0
    one = LogisticRegression(class_weight="balanced", tol=TOLERANCE, max_iter=1000).fit(features, flags)
    return one.coef_[0], float(one.intercept_[0])


@dataclass(frozen=True)
class Calibration:
    """Slope, offset, threshold and the level of doubt, from scores that the head's training rows were not given."""

    slope: float
    offset: float | NDArray[Any]
    threshold: float | None
    doubt: float

    def table(self, scores: NDArray[Any]) -> NDArray[Any]:
        """Calibrated probabilities."""
        return shares(self.slope * scores + self.offset, many=self.threshold is not None)

    def of(self, head: WordHead) -> WordHead:
        """The head, calibrated."""
        bias = head.line.bias + self.offset / self.slope
        line = replace(head.line, bias=bias, temperature=1.0 / self.slope, doubt=self.doubt)
        return replace(head, line=line, threshold=self.threshold)


def calibration(plan: HeadPlan, scores: NDArray[Any], flags: NDArray[Any]) -> Calibration:
    """The calibration that fits the scores best."""
    if strengths(plan).even:
        # Rows that do not count alike move how common a label is: two labels are brought back by an offset.
        slope, shift = platt(np.diff(scores), flags[:, 1:])
        found = Calibration(slope, np.array([-shift / 2, shift / 2]), None, 0.0)
    elif not plan.multi_label:
        found = Calibration(temperature(scores, flags.argmax(1)), 0.0, None, 0.0)
    else:
        found = Calibration(*platt(scores, flags), 0.5, 0.0)
        grid = np.linspace(0.1, 0.7, 25)
        table = found.table(scores)
        best = int(np.argmax([macro_f1(flags, with_best(table, edge)) for edge in grid]))
        found = replace(found, threshold=float(grid[best]))
    return replace(found, doubt=float(np.quantile(found.table(scores).max(1), ABSTAIN_SHARE)))


def with_best(table: NDArray[Any], edge: float) -> NDArray[Any]:
    """Labels that reach the edge, and always the likeliest."""
    given = table >= edge
    given[np.arange(len(table)), table.argmax(1)] = True
    return given


def baseline(plan: HeadPlan, training: Sequence[Example], test: Sequence[Example]) -> NDArray[Any]:
    """Probabilities of plain TF-IDF (one and two words of the utterance) with balanced logistic regression."""
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression

    words = TfidfVectorizer(ngram_range=(1, 2), min_df=2, sublinear_tf=True)
    known, unknown = (
        words.fit_transform([one.said.text for one in training]),
        words.transform([one.said.text for one in test]),
    )
    flags = np.array([one.flags for one in training])
    if plan.multi_label:
        pairs = [one_against_rest(known, column) for column in flags.T]
        return np.column_stack([1 / (1 + np.exp(-(unknown @ weights + offset))) for weights, offset in pairs])
    table = np.zeros((len(test), flags.shape[1]))
    model = LogisticRegression(class_weight="balanced", max_iter=1000).fit(known, flags.argmax(1))
    table[:, model.classes_] = model.predict_proba(unknown)
    return table


def encoder_scores(folder: Path, head: str, seed: int, style: Style, labels: tuple[str, ...]) -> tuple[Any, Any] | None:
    """Folds and out-of-fold log probabilities of the encoder, its labels in the order given; None where there are none."""
    path = folder / f"{head}_{seed}.npz"
    if not path.is_file():
        return None
    with np.load(path, allow_pickle=False) as stored:
        order = [list(stored["labels"]).index(label) for label in labels]
        raw = stored["bare" if style == "bare" else "scores"]
        return stored["fold"], log_shares(raw[:, order])


def out_of_fold(
    plan: HeadPlan, style: Style, labels: tuple[str, ...], examples: list[Example], *, scores_folder: Path, joined: bool
) -> OutOfFold:
    """Runs all folds. With `joined`, only the seeds for which the encoder's scores are there count, and they are joined."""
    tested = [one for one in examples if not one.only_training]
    always = [one for one in examples if one.only_training]
    flags, groups = np.array([one.flags for one in tested]), [one.group for one in tested]
    count = len(set(groups)) if plan.id == "appropriateness" else FOLDS
    stored = {seed: encoder_scores(scores_folder, plan.id, seed, style, labels) for seed in SEEDS} if joined else {}
    seeds = tuple(seed for seed in SEEDS if stored.get(seed)) or (tuple(SEEDS) if count == FOLDS else (0,))
    shape = (len(seeds), len(tested), len(labels))
    scores, found, plain = np.zeros(shape), np.zeros(shape), np.zeros(shape)
    fold = np.zeros(shape[:2], dtype=np.int8)
    thresholds = []
    banned = proper_names([one.said.text for one in tested]) | NAMES
    for at, seed in enumerate(seeds):
        encoded = stored.get(seed)
        fold[at] = encoded[0] if encoded else folds(groups, seed, count)
        for number in range(count):
            inside, outside = np.flatnonzero(fold[at] != number), np.flatnonzero(fold[at] == number)
            training = [tested[place] for place in inside] + always
            head = fit(plan, style, labels, training, banned)
            held = [tested[place] for place in outside]
            scores[at, outside] = head.scores(*inputs(held))
            plain[at, outside] = baseline(plan, training[: len(inside)], held)
        for number in range(count):
            inside, outside = np.flatnonzero(fold[at] != number), np.flatnonzero(fold[at] == number)
            fitted = calibration(plan, scores[at, inside], flags[inside])
            table = fitted.table(scores[at])
            if encoded:
                linear = np.log(np.maximum(table, MIN_LOG))
                blend = join(plan.id, labels, linear[inside], encoded[1][inside], flags[inside])
                table = blend.probabilities(linear, encoded[1])
            found[at, outside] = table[outside]
            thresholds.append(fitted.threshold)
    threshold = None if thresholds[0] is None else float(np.mean([edge for edge in thresholds if edge is not None]))
    return OutOfFold(fold, scores, found, plain, threshold, seeds)


def join(head: str, labels: tuple[str, ...], linear: NDArray[Any], encoder: NDArray[Any], flags: NDArray[Any]) -> Blend:
    """The numbers that join both parts."""
    rare = RARE_WEIGHTS.get(head, Strengths.power)
    return fit_blend(labels, linear, encoder, flags.argmax(1), rare_weight=rare)


def told(name: str, plan: HeadPlan, examples: Sequence[Example], found: OutOfFold) -> str:
    """One line for the terminal: macro-F1 by seed beside the baseline."""
    flags = np.array([one.flags for one in examples if not one.only_training])

    def mean(tables: NDArray[Any], edge: float | None) -> float:
        given = [with_best(table, 2.0 if edge is None else edge) for table in tables]
        return float(np.mean([macro_f1(flags, one) for one in given]))

    plain = mean(found.tfidf, 0.5 if plan.multi_label else None)
    return f"{name}: macro-F1 {mean(found.probabilities, found.threshold):.3f} (TF-IDF {plain:.3f}), seeds {list(found.seeds)}"


def make(plan: HeadPlan, data: Path, scores_folder: Path, *, only_figures: bool) -> None:
    """Figures and, unless only those are wanted, weights of one head: every style, fast and accurate."""
    folder = local_weights() if plan.local else PACKAGED
    results = []
    for style in plan.styles:
        for accurate in (False, True):
            began = time.perf_counter()
            if accurate and plan.encoder is None:
                continue
            if accurate and not (plan.encoder_weights() or Path()).is_file():
                sys.stdout.write(f"{plan.id}: no encoder weights; its accurate head was not made\n")
                continue
            examples, labels = read(plan, style, data, accurate=accurate)
            joined = accurate and plan.joined
            found = out_of_fold(plan, style, labels, examples, scores_folder=scores_folder, joined=joined)
            name = f"{plan.id}_{style}{'_accurate' if accurate else ''}"
            sys.stdout.write(f"{told(name, plan, examples, found)}, {time.perf_counter() - began:.0f} s\n")
            sys.stdout.flush()
            flags = np.array([one.flags for one in examples if not one.only_training])
            if not only_figures:
                banned = proper_names([one.said.text for one in examples if not one.only_training]) | NAMES
                flat, truth = found.scores.reshape(-1, len(labels)), np.tile(flags, (len(found.seeds), 1))
                joint = calibration(plan, flat, truth)
                head = joint.of(fit(plan, style, labels, examples, banned))
                if not joined:
                    file = f"{plan.id}_{style}{'_accurate' if accurate else ''}.npz"
                    save_head(head, folder / file)
                else:
                    keep_blend(plan, style, labels, joint, found, flags, scores_folder)
            kept = plan.id if style == plan.styles[0] else f"{plan.id}_{style}"
            if not accurate and plan.encoder is not None:
                kept += "_fast"
            results.append((kept, labels, examples, found, accurate))
    # Only now are all the weights there whose hashes are noted.
    for kept, labels, examples, found, accurate in results:
        store(plan, kept, labels, examples, found, data, accurate=accurate, settings=asdict(strengths(plan)))
    if not only_figures and not plan.local:
        # A head that the encoder has a part in was fitted on what the encoder was fitted on, too.
        behind = (plan.id, *ENCODER_HEADS.get(plan.encoder or "", ()))
        names = sorted({name for head in behind for name in files(head)})
        note(PACKAGED / "training_files.json", {plan.id: {name: sha256(data / name) for name in names}})


def keep_blend(
    plan: HeadPlan,
    style: Style,
    labels: tuple[str, ...],
    joint: Calibration,
    found: OutOfFold,
    flags: NDArray[Any],
    folder: Path,
) -> None:
    """Fits the numbers that join both parts on all out-of-fold rows, and notes them."""
    linear, encoder = [], []
    for at, seed in enumerate(found.seeds):
        scored = encoder_scores(folder, plan.id, seed, style, labels)
        if scored is None:
            break
        linear.append(np.log(np.maximum(joint.table(found.scores[at]), MIN_LOG)))
        encoder.append(scored[1])
    if not linear:
        sys.stdout.write(f"{plan.id}: no encoder scores in {folder}; word grams alone\n")
        blend = Blend(labels, 1.0, 0.0, (0.0,) * len(labels), joint.doubt)
    else:
        both, truth = (np.vstack(linear), np.vstack(encoder)), np.tile(flags, (len(linear), 1))
        blend = join(plan.id, labels, *both, truth)
        top = blend.probabilities(*both).max(1)
        blend = replace(blend, doubt=float(np.quantile(top, ABSTAIN_SHARE)))
    note(plan.blends(), {f"{plan.id}_{style}": blend.table()})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder of research data")
    parser.add_argument(
        "--head", nargs="+", choices=[one.id for one in PLANS], help="heads; default: the packaged ones"
    )
    parser.add_argument("--cv", action="store_true", help="out-of-fold probabilities only; write no weights")
    parser.add_argument("--scores", type=Path, default=ROOT / "coder_scores", help="the encoder's out-of-fold scores")
    given = parser.parse_args()
    for plan in PLANS:
        if plan.id in given.head if given.head else not plan.local:
            make(plan, given.data, given.scores, only_figures=given.cv)


if __name__ == "__main__":
    main()
