"""Fits how a patient hears: the form of a question, and which piece of the memory it asks about.

    python recipes/fit_hearing.py --folds FOLDER              # figures on left-out cases, then weights
    python recipes/fit_hearing.py --folds FOLDER --figures    # figures only, nothing is written

Learns from the development cases alone: the example questions of every unit and fact (each laid beside its own unit without
itself), the interviews in `recipes/data/hearing_talks.jsonl.xz` (own-written, turns in their dialogue), the labelled turns about
facts, and own-written questions by form. The head of forms learns from the cases that the encoder of turns
(`train_hearing_encoder.py`) has seen; what joins both, and the ranker, from cases which neither has. FOLDER holds encoders
that left out other cases than the packaged one (`train_hearing_encoder.py --without N --to FOLDER/N`): every case is then
seen by the encoder that never met it, and the ranker learns from all of them.
"""

from __future__ import annotations

import argparse
from collections.abc import Collection, Iterator, Sequence
from copy import copy
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from scipy.optimize import minimize, minimize_scalar
from scipy.special import softmax

from heads import Settings, fit, places, vocabulary_of
from maieutic.library import select_cases
from maieutic.patients.ear import Heard, heard_as
from maieutic.patients.hearing.asked import FORMS, NOTHING, Blend, form_features
from maieutic.patients.hearing.hearing import Forms, asked_like, form_chances
from maieutic.patients.hearing.items import items_of
from maieutic.patients.hearing.ranker import (
    KEPT,
    MAX_TOKENS,
    Index,
    Laid,
    Learned,
    Ranker,
    Texts,
    Turning,
    packaged_learned,
)
from maieutic.patients.hearing.reach import ASKED, FAR, NEAR, near_features
from maieutic.reading import encoder as reading
from maieutic.reading.head import Floats, Head, packed, packed_network, unpacked_network
from maieutic.reading.minilm import shared_minilm
from maieutic.reading.moves import questions
from maieutic.runs.files import files_of_lines, read_lines

DATA = Path(__file__).parent / "data"
TARGET = Path(__file__).parents[1] / "src" / "maieutic" / "patients" / "weights" / "hearing.npz"
FORM_OF_SLOT = {
    "thought": "thought", "feeling": "feeling", "background": "origin", "conviction": "scale", "goal": "goal", "risk": "risk",
    "support": "support", "weighing": "compare", "alternative": "alternative", "plan": "plan", "wide": "against",
}  # fmt: skip
FACTS = {
    "fitting": lambda fact: frozenset({fact}),
    "generic": lambda _: frozenset(),
    "wide": lambda _: frozenset(),
    "other_life": lambda _: frozenset(),
}
"""What turns of each kind are about; the others are told by their form, or may be about a unit."""
HIDDEN, PENALTY, CANDIDATES, FOLDS, STEPS = 4, 0.1, 40, 5, 150
"""Tanh units and L2 of the ranker: with 12 and 0.003 it knew its own cases by heart (cases left out: 0.55 right first, now
0.64). Candidates of a turn, parts of the cases, steps."""
ASKED_SHARES = (0.25, 0.4, 0.4, 0.4, 0.4)
"""Share of the example questions of cases left out that teach the ranker, by fold."""
BESIDE = "something else"
"""What a turn close to a fact is about that asks for something else; no item."""
EMBED = shared_minilm()


@dataclass(frozen=True)
class Row:
    """One turn and what it asks about.

    Attributes:
        case, situation: Where it was said; empty for a question of no particular case.
        heard: The turn in its dialogue.
        told: What had been told before.
        forms: Labels of form that fit; empty where nobody said.
        about: Items whose answer fits; None where nobody said.
        own: The example question itself, to be left out of its item.
        kind: Where it comes from.
        near: Facts that it comes near; None where nobody said.
    """

    case: str
    situation: str
    heard: Heard
    told: tuple[str, ...]
    forms: frozenset[str]
    about: frozenset[str] | None
    own: tuple[str, int] | None
    kind: str
    near: frozenset[str] | None = None


def lines(name: str) -> list[dict[str, Any]]:
    return read_lines(DATA / name)


def rows() -> list[Row]:
    """Every row, in order."""
    found: list[Row] = []
    for case in select_cases(("dev",)):
        if case.memory is None:
            continue
        for situation in case.situations:
            for item in items_of(case, situation):
                if not item.here and situation is not case.situations[0]:
                    continue
                for place, ask in enumerate(item.asks):
                    forms = frozenset(form.value for form in item.forms)
                    found.append(
                        Row(case.id, situation.id, heard_as(ask, ""), (), forms, frozenset({item.id}), (item.id, place), "ask")
                    )  # fmt: skip
    found += talks()
    cases = {case.id: case for case in select_cases(("dev",))}
    for path in files_of_lines(DATA, "comprehension_*.jsonl"):
        for one in lines(path.name):
            about = FACTS.get(one["kind"], lambda _: None)(one["fact"])
            if about is not None:
                # As in a session, the patient has spoken first.
                opening = cases[one["case"]].phrasings.opening[one["situation"]][0]
                heard = heard_as(one["text"], opening)
                found.append(Row(one["case"], one["situation"], heard, (), frozenset(), about, None, "fact", about))
    for path in files_of_lines(DATA, "question_slots_*.jsonl"):
        for one in lines(path.name):
            form = FORM_OF_SLOT.get(one["slot"]) or (
                NOTHING if one["slot"] == "none" and not questions(one["text"]) else ""
            )
            if form:
                found.append(Row("", "", heard_as(one["text"], ""), (), frozenset({form}), None, None, "slot"))
    for one in lines("hearing_forms.jsonl"):
        heard = heard_as(one["text"], one["before"])
        found.append(Row("", "", heard, (), frozenset({one["form"]}), None, None, "form"))
    return found


def talks() -> list[Row]:
    """Turns of the interviews, each after what was said before it."""
    found = []
    cases = {case.id: case for case in select_cases(("dev",))}
    for one in lines("hearing_talks.jsonl.xz"):
        case = cases.get(one["case"])
        if case is None or case.memory is None:
            continue
        said = {item.id: item.said[0] for item in items_of(case, case.situation(one["situation"]))}
        before, told = one["opening"], tuple[str, ...]()
        for turn in one["turns"]:
            about = frozenset(name for name in turn["about"] if name in said)
            found.append(
                Row(
                    case.id,
                    one["situation"],
                    heard_as(turn["t"], before),
                    told,
                    frozenset({turn["form"]}),
                    about,
                    None,
                    "talk",
                    frozenset(turn["near"]) | about if "near" in turn else None,
                )
            )
            first = next((name for name in turn["about"] if name in said), None)
            before = turn.get("p") or (said[first] if first else before)
            told = (*told, first) if first else told
    return found


def oblique(away: Collection[str]) -> Iterator[Row]:
    """Turns on these cases that circle a fact right behind something told, and others close to it that ask for something
    else (`BESIDE`): the latter teach only what is *not* asked for. The encoder never learns from either."""
    cases = {case.id: case for case in select_cases(("dev",)) if case.id in away}
    for one in lines("oblique_turns.jsonl"):
        if one["case"] not in cases:
            continue
        case = cases[one["case"]]
        said = {item.id: item.said[0] for item in items_of(case, case.situation(one["situation"]))}
        told = (one["before"],) if one["before"] in said else ()
        before = said.get(one["before"], case.phrasings.opening[one["situation"]][0])
        asks = one["kind"] == "asks"
        about, near = (frozenset({one["fact"]}), frozenset({one["fact"]})) if asks else (frozenset({BESIDE}), None)
        heard = heard_as(one["text"], before)
        kind = "oblique" if asks else "beside"
        yield Row(case.id, one["situation"], heard, told, frozenset(), about, None, kind, near)


def chosen_forms(head: Head | None, some: Sequence[Row], vocabulary: tuple[str, ...]) -> tuple[Floats, list[str]]:
    """Features and one label each: the only one, or the likeliest of several under an earlier head."""
    x = np.array([form_features(row.heard, EMBED, places(vocabulary)) for row in some])
    labels = []
    for row, line in zip(some, x, strict=True):
        mine = sorted(row.forms)
        if len(mine) == 1 or head is None:
            labels.append(mine[0])
        else:
            chances = head(line)
            labels.append(max(mine, key=lambda label: chances[label]))
    return x, labels


def fit_forms(some: Sequence[Row]) -> Head:
    """The head of forms: first on rows with one label, then on all, each with its likeliest."""
    told = [row for row in some if row.forms and row.forms <= set(FORMS)]
    vocabulary = vocabulary_of(((row.heard.question,) for row in told), 12)
    sure = [row for row in told if len(row.forms) == 1]
    settings = Settings(penalty=2.0, balanced=False)
    known = tuple(label for label in FORMS if any(label in row.forms for row in told))
    x, y = chosen_forms(None, sure, vocabulary)
    first = fit(x, y, tuple(label for label in FORMS if label in set(y)), settings)
    if set(first.labels) == set(known):
        x, y = chosen_forms(first, told, vocabulary)
        weights = np.array([3.0 if row.kind in ("talk", "form") else 1.0 for row in told])
        first = fit(x, y, known, settings, weights=weights)
    return replace(first, vocabulary=vocabulary, fitted_on=EMBED.name)


@dataclass(frozen=True)
class Table:
    """One turn as the ranker sees it: items' features, those of nothing, and which are right (nothing last)."""

    items: Floats
    nothing: Floats
    right: np.ndarray
    row: Row


def indices(head: Head, learned: Learned, cases: Collection[str]) -> dict[tuple[str, str], Index]:
    found = {}
    for case in select_cases(("dev",)):
        if case.id not in cases:
            continue
        for situation in case.situations:
            items = items_of(case, situation)
            found[case.id, situation.id] = Index(items, EMBED, learned, asked_like(head, items, EMBED))
    return found


def without_ask(index: Index, name: str, ask: int) -> Index:
    """The same without one example question, which a turn to be learned from is."""
    own, asks, (laid, *others) = copy(index), index.asks, index.laid
    at = int(np.flatnonzero(asks.owner == index.places[name])[ask])
    owner = np.delete(asks.owner, at)
    own.asks = Texts(np.delete(asks.vectors, at, axis=0), owner, (*asks.words[:at], *asks.words[at + 1 :]))
    own.laid = (Laid(np.delete(laid.vectors, at, axis=0), owner, laid.count), *others)
    own.asked_like = np.delete(index.asked_like, at, axis=0)
    return own


def left_out(first: int = 0) -> frozenset[str]:
    """Every fifth development case with a memory: the encoder never saw it. The packaged one begins with the first."""
    return frozenset(sorted(case.id for case in select_cases(("dev",)) if case.memory is not None)[first::FOLDS])


def learned_in(folder: Path) -> Learned:
    """An encoder of turns that `train_hearing_encoder.py --to FOLDER` wrote."""
    vector = reading.text_vector(reading.load(folder / "hearing_encoder.onnx"), MAX_TOKENS, KEPT)
    return Learned(vector, unpacked_network(Turning, np.load(folder / "hearing_turning.npz"), "turning"))


def blended(some: Sequence[Row], head: Head, learned: Learned) -> Blend:
    """How the head's and the encoder's reading of the form count, on turns that neither was fitted on."""
    told = [row for row in some if row.kind == "talk" and row.forms <= set(FORMS)]
    by_head = np.array([np.log(form_chances(head, row.heard, EMBED) + 1e-6) for row in told])
    by_learned = np.array([learned.form(row.heard) for row in told])
    right = np.array([[label in row.forms for label in FORMS] for row in told])

    def loss(shares: Floats) -> float:
        scores = shares[0] * by_head + shares[1] * by_learned
        scores = scores - scores.max(axis=1, keepdims=True)
        chances = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
        return float(-np.log((chances * right).sum(axis=1) + 1e-12).mean())

    return Blend(minimize(loss, np.array([0.5, 0.5]), method="Nelder-Mead").x)


def tables(some: Sequence[Row], forms: Forms, index: dict[tuple[str, str], Index]) -> list[Table]:
    found = []
    for row in some:
        if row.about is None or (row.case, row.situation) not in index:
            continue
        own = index[row.case, row.situation]
        form = forms(row.heard, EMBED)
        table = (without_ask(own, *row.own) if row.own else own).features(row.heard, form, row.told, EMBED)
        right = np.array([*(one.id in row.about for one in own.items), not row.about])
        found.append(Table(table, own.of_nothing(row.heard, form, table), right, row))
    return found


def fit_ranker(some: Sequence[Table], rng: np.random.Generator) -> Ranker:
    """Maximum likelihood of a right item among the likeliest candidates, L2-penalised (scipy L-BFGS)."""
    some = [one for one in some if one.row.kind != "beside"]
    every = np.concatenate([one.items for one in some])
    centre, spread = every.mean(axis=0), every.std(axis=0)
    spread[spread < 1e-6] = 1.0
    parts, extra, right, mask = [], [], [], []
    weight = np.array([5.0 if one.row.kind in ("talk", "oblique") else 1.0 for one in some])
    for one in some:
        total = one.items[:, [0, 2, 3, 4, 5, 13]].sum(axis=1) + 10.0 * one.right[:-1]
        chosen = np.argsort(-total)[:CANDIDATES]
        x = np.zeros((CANDIDATES, every.shape[1]))
        x[: len(chosen)] = (one.items[chosen] - centre) / spread
        parts.append(x)
        extra.append(one.nothing)
        right.append(np.append(np.pad(one.right[chosen], (0, CANDIDATES - len(chosen))), one.right[-1]))
        mask.append(np.append(np.arange(CANDIDATES) < len(chosen), True))
    x, e, r, m = np.array(parts), np.array(extra), np.array(right), np.array(mask)
    line, hidden, bias, out, nothing = solved(x, e, r, m, weight, rng, units=HIDDEN, penalty=PENALTY, steps=STEPS)
    return Ranker(centre, spread, line, hidden, bias, out, nothing, np.array(1.0))


def solved(
    x: Floats, e: Floats, r: Floats, m: np.ndarray, weight: Floats, rng: np.random.Generator,
    *, units: int, penalty: float, steps: int, on_nothing: bool = False,
) -> tuple[Floats, Floats, Floats, Floats, Floats]:  # fmt: skip
    """Weights of a conditional logit with one layer of tanh units beside the straight line.

    Args:
        x: (turns, candidates, features). e: (turns, features of nothing).
        r: (turns, candidates + 1), which are right, nothing last. m: the same, which candidates there are.
        weight: Of each turn.
        rng: Of the start.
        units: Tanh units.
        penalty: L2, on line and units.
        on_nothing: The penalty is on all weights.
        steps: Of the optimiser, at most.
    """
    d, h, k = x.shape[2], units, e.shape[1]
    sizes = [d, d * h, h, h, k]
    cuts = np.cumsum(sizes)[:-1]
    held = sum(sizes) if on_nothing else cuts[1]

    def loss(theta: Floats) -> tuple[float, Floats]:
        line, hidden, bias, out, nothing = np.split(theta, cuts)
        hidden = hidden.reshape(d, h)
        inside = np.tanh(x @ hidden + bias)
        scores = np.concatenate([x @ line + inside @ out, (e @ nothing)[:, None]], axis=1)
        scores = np.where(m, scores, -1e9)
        raised = np.exp(scores - scores.max(axis=1, keepdims=True))
        p = raised / raised.sum(axis=1, keepdims=True)
        good = (p * r).sum(axis=1) + 1e-12
        value = -(weight * np.log(good)).sum() / weight.sum() + penalty * (theta[:held] ** 2).sum()
        slope = (p - p * r / good[:, None]) * weight[:, None] / weight.sum()
        of_items = slope[:, :-1]
        back = of_items[:, :, None] * out * (1.0 - inside**2)
        grads = [
            np.einsum("nc,ncd->d", of_items, x), np.einsum("ncd,nch->dh", x, back).ravel(), back.sum(axis=(0, 1)),
            np.einsum("nc,nch->h", of_items, inside), slope[:, -1] @ e,
        ]  # fmt: skip
        grad = np.concatenate(grads)
        grad[:held] += 2 * penalty * theta[:held]
        return float(value), grad

    start = rng.normal(0.0, 0.05, sum(sizes))
    best = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": steps}).x
    line, hidden, bias, out, nothing = np.split(best, cuts)
    return line, hidden.reshape(d, h), bias, out, nothing


Read = tuple[Table, Floats, Floats]
"""A turn of a case left out, the chances of its items, and of its forms."""


def report(outside: Sequence[Read]) -> None:
    """Prints how often the first is right, by where turns come from."""
    for kind in ("ask", "talk", "fact", "oblique"):
        mine = [read for read in outside if read[0].row.kind == kind]
        if not mine:
            continue
        hit = np.array([bool(one.right[int(c.argmax())]) for one, c, _ in mine])
        top3 = np.array([bool(one.right[np.argsort(-c)[:3]].any()) for one, c, _ in mine])
        of_life = np.array([not one.right[-1] for one, _, _ in mine])
        sure = np.array([c.argmax() < len(c) - 1 and c.max() >= 0.5 for _, c, _ in mine])
        formed = [FORMS[int(f.argmax())] in one.row.forms for one, _, f in mine if one.row.forms]
        print(
            f"{kind}: right {hit.mean():.3f} of {len(hit)}; of those about something {hit[of_life].mean():.3f}, in the first three"
            f" {top3[of_life].mean():.3f}; sure (≥ 0.5) {sure.mean():.2f}, right of those {hit[sure].mean():.3f}; mean chance"
            f" {np.mean([c.max() for _, c, _ in mine]):.3f}; form right {np.mean(formed) if formed else np.nan:.3f}",
            flush=True,
        )


Curve = tuple[str, Floats, np.ndarray, float]
"""Case, features of the facts not told yet, which of them are right, and the weight of the turn."""


def fact_rows(outside: Sequence[Read], index: dict[tuple[str, str], Index], wanted: str) -> Iterator[Curve]:
    """The turns of which somebody said what facts they come near (`NEAR`) or ask for (`ASKED`)."""
    for table, chances, form in outside:
        row = table.row
        right = row.near if wanted == NEAR else row.about
        if right is None:
            continue
        own = index[row.case, row.situation]
        x = near_features(own, row.told, form, table.items, chances)
        facts = [item.id for item in own.items if item.fact]
        keep = [at for at, name in enumerate(facts) if name not in row.told]
        if keep:
            yield row.case, x[keep], np.array([facts[at] in right for at in keep]), 3.0 if row.kind == "talk" else 1.0


def fit_curve(some: Sequence[Curve], wanted: str) -> Head:
    x = np.concatenate([one[1] for one in some])
    y = [wanted if right else FAR for one in some for right in one[2]]
    weights = np.concatenate([np.full(len(one[2]), one[3]) for one in some])
    return fit(
        x, y, (wanted, FAR), Settings(penalty=0.3, balanced=False, scaled=True), weights=weights, fitted_on=EMBED.name
    )


def curve_report(some: Sequence[Curve], wanted: str) -> None:
    """Prints precision, recall and calibration of the facts, each case by a curve fitted on the others."""
    found = []
    for case in sorted({one[0] for one in some}):
        head = fit_curve([one for one in some if one[0] != case], wanted)
        for _, x, right, weight in (one for one in some if one[0] == case):
            found.append((weight, head.probabilities(x)[:, 0], right))
    for weight, kind in ((3.0, "talk"), (1.0, "other")):
        chances = np.concatenate([c for w, c, _ in found if w == weight])
        right = np.concatenate([r for w, _, r in found if w == weight])
        for edge in (0.3, 0.5, 0.7):
            said = chances >= edge
            print(
                f"{wanted}, {kind}: from {edge}: precision {right[said].mean():.3f}, recall {right[said].sum() / right.sum():.3f}"
            )
        cuts = np.clip((chances * 10).astype(int), 0, 9)
        gap = sum(
            abs(chances[cuts == c].mean() - right[cuts == c].mean()) * (cuts == c).mean() for c in set(cuts.tolist())
        )
        print(f"{wanted}, {kind}: {right.mean():.3f} of {len(right)}; calibration error {gap:.3f}", flush=True)


def temperature_of(outside: Sequence[Read]) -> Floats:
    """The temperature at which the turns of interviews are likeliest, on cases left out."""
    talk = [(np.log(chances + 1e-12), one.right) for one, chances, _ in outside if one.row.kind == "talk"]

    def loss(temperature: float) -> float:
        warm = [softmax(scores / temperature) @ right for scores, right in talk]
        return float(-np.log(np.array(warm) + 1e-12).mean())

    return np.array(float(minimize_scalar(loss, bounds=(0.5, 3.0), method="bounded").x))


@dataclass(frozen=True)
class Fold:
    """What was fitted without some cases, and how it reads them."""

    forms: Forms
    index: dict[tuple[str, str], Index]
    tables: list[Table]


def fold(every: Sequence[Row], first: int, learned: Learned) -> Fold:
    """The cases left out from `first` on, with part of their example questions and the oblique turns about them."""
    away, draw = left_out(first), Random(first)
    head = fit_forms([row for row in every if row.case not in away])
    rest = [row for row in every if row.case in away and (row.kind != "ask" or draw.random() < ASKED_SHARES[first])]
    rest += oblique(away)
    forms, index = Forms(head, learned, blended(rest, head, learned)), indices(head, learned, away)
    return Fold(forms, index, tables(rest, forms, index))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--figures", action="store_true", help="print figures on left-out cases, write nothing")
    parser.add_argument("--folds", type=Path, help="where encoders lie that left out other cases, in folders 1 to 4")
    given = parser.parse_args()
    folders = sorted(given.folds.glob("[1-4]")) if given.folds else []
    if given.folds and not folders:
        parser.error(f"{given.folds} holds no folder 1 to 4 with an encoder")
    every, rng = rows(), np.random.default_rng(0)
    encoders = {0: packaged_learned()} | {int(folder.name): learned_in(folder) for folder in folders}
    folds = [fold(every, first, learned) for first, learned in encoders.items()]
    learnt = [(one, own) for own in folds for one in own.tables]
    cases = sorted({one.row.case for one, _ in learnt})
    print(f"{len(every)} rows, {len(learnt)} of them on {len(cases)} cases left out", flush=True)
    outside: list[Read] = []
    for part in (cases[at::FOLDS] for at in range(FOLDS)):
        ranker = fit_ranker([one for one, _ in learnt if one.row.case not in part], rng)
        mine = [(one, own) for one, own in learnt if one.row.case in part]
        outside += [(one, ranker.chances(one.items, one.nothing), own.forms(one.row.heard, EMBED)) for one, own in mine]
        print(f"  {', '.join(part)} left out", flush=True)
    report(outside)
    index = {place: found for own in folds for place, found in own.index.items()}
    curves = {wanted: list(fact_rows(outside, index, wanted)) for wanted in (NEAR, ASKED)}
    for wanted, some in curves.items():
        curve_report(some, wanted)
    if given.figures:
        return
    ranker = replace(fit_ranker([one for one, _ in learnt], rng), temperature=temperature_of(outside))
    arrays = packed(folds[0].forms.head, "forms")
    for wanted, some in curves.items():
        arrays |= packed(fit_curve(some, wanted), wanted)
    blend = folds[0].forms.blend
    np.savez_compressed(TARGET, **arrays, **packed_network(ranker, "ranker"), **packed_network(blend, "blend"))
    print(f"written: {TARGET.name}, {TARGET.stat().st_size / 1e3:.0f} kB")


if __name__ == "__main__":
    main()
