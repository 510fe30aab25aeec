"""Turns several readings of one utterance into a code with probabilities, or into a reason why it has none."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from maieutic.coding.book import Coding, FacetCoding, Scheme
from maieutic.errors import InputError
from maieutic.judging.answer import Reading, Unreadable
from maieutic.judging.prompt import codes_of, composed, facets_of, is_composed

HALF = 0.5


@dataclass(frozen=True, slots=True)
class JudgedCoding(Coding):
    """The code that a judge's answers add up to.

    Attributes:
        asked: Answers that were asked for.
        read: Answers that could be read.
        unreadable: Why the others could not, in the order of their seeds.
    """

    asked: int = 0
    read: int = 0
    unreadable: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Missing:
    """An utterance without a code.

    Attributes:
        reason: Why, in words.
        asked: Answers that were asked for; 0 where nothing was.
        unreadable: Why answers could not be read, in the order of their seeds.
    """

    reason: str
    asked: int = 0
    unreadable: tuple[str, ...] = ()


Judged = JudgedCoding | Missing


@dataclass(frozen=True, slots=True)
class Calibration:
    """Temperature scaling of a judge's probabilities (Guo et al., ICML 2017).

    Attributes:
        temperature: Above 0; 1 changes nothing, more than 1 makes the judge less sure of itself.
    """

    temperature: float

    def __post_init__(self) -> None:
        if not 0 < self.temperature < math.inf:
            raise InputError(f"temperature of a calibration must be above 0, got {self.temperature}")

    def __call__(self, probabilities: Mapping[str, float], *, multi_label: bool) -> dict[str, float]:
        """The scaled probabilities; each label for itself where an utterance may carry several."""
        power = 1 / self.temperature
        raised = {label: share**power for label, share in probabilities.items()}
        if multi_label:
            return {label: up / (up + (1 - probabilities[label]) ** power) for label, up in raised.items()}
        whole = sum(raised.values())
        return {label: up / whole for label, up in raised.items()}


def fit_calibration(
    probabilities: Sequence[Mapping[str, float]], gold: Sequence[Collection[str]], *, multi_label: bool
) -> Calibration:
    """The temperature from 0.1 to 10 with the least log loss on utterances that people have coded.

    Args:
        probabilities: What the judge gave, uncalibrated, by label.
        gold: The human codes of the same utterances; they must not be those that figures are reported on.
        multi_label: Whether an utterance may carry several codes.

    Raises:
        InputError: Nothing to fit on, or sequences of different length.
    """
    if not probabilities or len(probabilities) != len(gold):
        raise InputError(
            f"calibration needs as many human codes as judged utterances, got {len(gold)} for {len(probabilities)}"
        )

    def loss(log_temperature: float) -> float:
        scale = Calibration(math.exp(log_temperature))
        total = 0.0
        for one, codes in zip(probabilities, gold, strict=True):
            for label, share in scale(one, multi_label=multi_label).items():
                if label in codes:
                    total -= math.log(max(share, 1e-12))
                elif multi_label:
                    total -= math.log(max(1 - share, 1e-12))
        return total

    low, high = math.log(0.1), math.log(10)
    section = (math.sqrt(5) - 1) / 2
    for _ in range(60):
        left, right = high - section * (high - low), low + section * (high - low)
        low, high = (low, right) if loss(left) <= loss(right) else (left, high)
    return Calibration(math.exp((low + high) / 2))


def shrunk(count: int, answers: int, options: int) -> float:
    """Share of answers, drawn towards chance: (count + 1/options) / (answers + 1).

    As if one more answer had been spread evenly over the options (Perks's prior), so that three equal answers are no
    certainty.

    Args:
        count: Answers that gave the label.
        answers: Answers that could be read.
        options: Labels to choose from; 2 (given or not) where an utterance may carry several.

    Returns:
        Above 0, below 1.
    """
    return (count + 1 / options) / (answers + 1) if options > 1 else (count + HALF) / (answers + 1)


def tally(
    scheme: Scheme,
    speaker: str,
    answers: Sequence[Reading | Unreadable],
    *,
    abstain_at: float = HALF,
    calibration: Calibration | None = None,
) -> Judged:
    """What the answers about one utterance add up to.

    A code is given where its probability is above ½, and the likeliest one always; ties go by the code book. The coder
    abstains where the likeliest code has `abstain_at` or less, and where fewer than half of the answers could be read.
    Where codes repeat the answers to further questions, there is one for each question, in the code book's order, and
    one doubtful answer is enough to abstain. Calibration leaves facets as they are.
    """
    read = [answer for answer in answers if isinstance(answer, Reading)]
    faults = tuple(answer.reason for answer in answers if isinstance(answer, Unreadable))
    if not read:
        return Missing(f"none of {len(answers)} answers could be read: {_counted(faults)}", len(answers), faults)
    book = [label.id for label in codes_of(scheme, speaker)]
    votes = Counter(label for answer in read for label in answer.labels)
    if book and not votes:
        return Missing(
            f"no code of {scheme.id} fits, by all {len(read)} answers that could be read", len(answers), faults
        )
    options = 2 if scheme.multi_label else len(book)
    shares = {label: shrunk(votes[label], len(read), options) for label in book}
    if calibration is not None:
        shares = calibration(shares, multi_label=scheme.multi_label)
    ranked = sorted(book, key=lambda label: -shares[label])
    given = ranked[:1] + [label for label in ranked[1:] if scheme.multi_label and shares[label] > HALF]
    agreeing = [answer for answer in read if not given or given[0] in answer.labels]
    facets = _facets(scheme, speaker, read)
    if is_composed(scheme, speaker):
        given = [composed(id, facet.value) for id, facet in facets.items()]
        shares = {composed(id, value): p for id, facet in facets.items() for value, p in facet.probabilities.items()}
        doubtful = any(shares[label] <= abstain_at for label in given)
    else:
        doubtful = bool(given) and shares[given[0]] <= abstain_at
    return JudgedCoding(
        predicted=tuple(given),
        probabilities=shares,
        abstain=doubtful or 2 * len(read) < len(answers),
        facets=facets,
        quote=agreeing[0].quote,
        asked=len(answers),
        read=len(read),
        unreadable=faults,
    )


def _facets(scheme: Scheme, speaker: str, read: Sequence[Reading]) -> dict[str, FacetCoding]:
    """Facets that most of the answers found to arise, with the shares among those."""
    found: dict[str, FacetCoding] = {}
    for facet in facets_of(scheme, speaker):
        votes = Counter(answer.facets[facet.id] for answer in read if facet.id in answer.facets)
        said = votes.total()
        if 2 * said > len(read):
            shares = {value.id: shrunk(votes[value.id], said, len(facet.values)) for value in facet.values}
            found[facet.id] = FacetCoding(max(shares, key=lambda value: shares[value]), shares)
    return found


def _counted(reasons: Sequence[str]) -> str:
    return "; ".join(f"{reason} ({count}×)" if count > 1 else reason for reason, count in Counter(reasons).items())
