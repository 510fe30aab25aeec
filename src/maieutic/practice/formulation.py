"""A trainee's formulation: saved as it is written, handed in once, and then scored against the reference.

Entries are matched by meaning, F1 by field, beside what chance gives.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from random import Random
from statistics import mean
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment
from sqlalchemy.orm import Session

from maieutic.domain.appraisal import QuestionForm
from maieutic.domain.case import Case
from maieutic.domain.state import CognitiveState
from maieutic.evaluation.plan import drawn_situation
from maieutic.language.feelings import feelings_in
from maieutic.language.sentences import STOP_WORDS
from maieutic.practice.accounts import note
from maieutic.practice.model import FIELDS, Field, FieldScore, Formulation, FormulationScore, Match
from maieutic.practice.storage import Talk, Written, now
from maieutic.practice.talks import Kept
from maieutic.reading.minilm import shared_minilm
from maieutic.serving.served import RUN_SEED

THRESHOLD: Final = 0.31
"""Cosine from which two entries mean the same; fitted on own-written pairs
(`tests/practice/data/formulation_pairs.jsonl`)."""
CLOSE_WORDS: Final = 0.5
"""Cosine of two word pieces in their context from which a word is shown as one that matched."""
SHOWN_WORDS: Final = 6
OTHERS: Final = 12
"""Other cases that the chance line is drawn from."""
SAME_FEELING, OTHER_FEELING = 1.0, 0.0


def score(given: Formulation, wanted: Formulation, others: Sequence[Formulation], rng: Random) -> FormulationScore:
    """A formulation against the reference, field by field.

    In each field entries are paired one to one so that the sum of their likenesses is greatest (Kuhn 1955); a pair
    counts from `THRESHOLD` on. Feelings count as the same where they are of one of the nine groups. The chance line is
    the mean that the references of other cases reach, so it knows the form of the field and nothing of this patient.

    Args:
        given: What the trainee wrote; blank entries do not count.
        wanted: The reference.
        others: References of other cases; at most `OTHERS` are drawn.
        rng: Draws them.

    Source: PATIENT-Ψ's formulation task (Wang et al. 2024), which scores nothing. Blind to: what a trainee says well
    that the case does not hold; order and links between fields.
    """
    drawn = list(others) if len(others) <= OTHERS else rng.sample(list(others), OTHERS)
    found = tuple(_field(field, given, wanted, drawn) for field in FIELDS)
    counted = [one.f1 for one in found if one.f1 is not None]
    by_chance = [one.chance for one in found if one.chance is not None and one.f1 is not None]
    return FormulationScore(found, mean(counted) if counted else 0.0, mean(by_chance) if by_chance else None)


def _field(field: Field, given: Formulation, wanted: Formulation, others: Sequence[Formulation]) -> FieldScore:
    own, reference = _written(given.entries(field)), wanted.entries(field)
    pairs = _pairs(field, own, reference)
    places, taken = {at for at, _, _ in pairs}, {to for _, to, _ in pairs}
    chances = [f1 for one in others if (f1 := _f1(field, one.entries(field), reference)) is not None]
    return FieldScore(
        field,
        len(pairs) / len(own) if own else None,
        len(pairs) / len(reference) if reference else None,
        _harmonic(len(pairs), len(own), len(reference)),
        mean(chances) if chances else None,
        tuple(
            Match(own[at], reference[to], round(like, 3), _close_words(own[at], reference[to]))
            for at, to, like in sorted(pairs, key=lambda pair: -pair[2])
        ),
        tuple(one for at, one in enumerate(own) if at not in places),
        tuple(one for at, one in enumerate(reference) if at not in taken),
    )


def _written(entries: Sequence[str]) -> tuple[str, ...]:
    return tuple(one.strip() for one in entries if one.strip())


def _f1(field: Field, own: Sequence[str], reference: Sequence[str]) -> float | None:
    return _harmonic(len(_pairs(field, own, reference)), len(own), len(reference))


def _harmonic(matched: int, own: int, reference: int) -> float | None:
    """F1 from counts; None without a reference."""
    return 2.0 * matched / (own + reference) if reference else None


def _pairs(field: Field, own: Sequence[str], reference: Sequence[str]) -> list[tuple[int, int, float]]:
    """Places of the paired entries with their likeness."""
    if not own or not reference:
        return []
    alike = _feelings_alike(own, reference) if field == "emotions" else likeness(own, reference)
    counted = np.where(alike >= THRESHOLD, alike, 0.0)
    rows, columns = linear_sum_assignment(counted, maximize=True)
    return [
        (int(at), int(to), float(alike[at, to])) for at, to in zip(rows, columns, strict=True) if counted[at, to] > 0.0
    ]


def likeness(own: Sequence[str], reference: Sequence[str]) -> NDArray[np.float64]:
    """Cosines of two lists of entries, (own, reference)."""
    embed = shared_minilm()
    found: NDArray[np.float64] = (embed(list(own)) @ embed(list(reference)).T).astype(np.float64)
    return found


def _feelings_alike(own: Sequence[str], reference: Sequence[str]) -> NDArray[np.float64]:
    """1 where two entries name a feeling of one group; where no group can be read from an entry, the cosine."""
    by_meaning = likeness(own, reference)
    for at, entry in enumerate(own):
        groups = feelings_in(entry)
        if groups:
            by_meaning[at] = [SAME_FEELING if one in groups else OTHER_FEELING for one in reference]
    return by_meaning


@lru_cache(maxsize=4_096)
def _close_words(given: str, reference: str) -> tuple[str, ...]:
    """The words of an entry that lie nearest to a word of the reference, in their order."""
    embed = shared_minilm()
    own, vectors = embed.words(given)
    _, theirs = embed.words(reference)
    if not len(own) or not len(theirs):
        return ()
    nearest = (vectors @ theirs.T).max(axis=1)
    able = [at for at, piece in enumerate(own) if len(piece) > 2 and piece.lower() not in STOP_WORDS]
    best = sorted((at for at in able if nearest[at] >= CLOSE_WORDS), key=lambda at: -nearest[at])[:SHOWN_WORDS]
    return tuple(dict.fromkeys(own[at] for at in sorted(best)))


def diagram(case: Case, situation: str, heard: Collection[str] = ()) -> Formulation:
    """The reference, field by field.

    Args:
        case: The case.
        situation: Id of the situation that was in play.
        heard: Ids of the facts that the patient told (`heard_from`); the evidence is what could be heard, not what
            there is.

    Meanings are the memories that the case words as what it means to the patient; where it has none, what the core
    belief says. Departure from Beck's diagram: one situation, not three.
    """
    here, beliefs = case.situation(situation), case.intermediate_beliefs
    units = () if case.memory is None else case.memory.within(situation)
    meanings = tuple(unit.said for unit in units if QuestionForm.MEANING in unit.forms)
    return Formulation(
        situations=(here.happened,),
        automatic_thoughts=(here.automatic_thought,),
        meanings=meanings or tuple(one.statement for one in case.core_beliefs),
        emotions=tuple(one.group for one in here.emotions),
        behaviours=(here.behaviour,),
        core_beliefs=tuple(one.statement for one in case.core_beliefs),
        intermediate_beliefs=(*beliefs.attitudes, *beliefs.rules, *beliefs.assumptions),
        coping=case.coping,
        evidence_heard=tuple(one.fact for one in here.evidence if one.id in heard),
    )


def heard_from(last: CognitiveState) -> frozenset[str]:
    """Ids of the facts that the patient, and not the therapist, has told."""
    return frozenset(one.evidence for one in last.voiced if one.by == "patient")


MAX_CHARACTERS = 4_000
"""Characters of one field."""


def formulation_of(body: Mapping[str, Any]) -> Formulation:
    """A formulation from what was kept or sent: one entry a line."""
    fields = {
        name: tuple(line.strip() for line in str(body.get(name, "")).splitlines() if line.strip()) for name in FIELDS
    }
    return Formulation(**fields)


def written(db: Session, talk: Talk) -> Written | None:
    """The formulation of a session as it was last saved."""
    return db.get(Written, talk.id)


def save(db: Session, talk: Talk, form: Mapping[str, str], done: bool) -> None:
    """Keep a formulation; one that was handed in stays as it was."""
    found = db.get(Written, talk.id)
    if found is None:
        found = Written(talk_id=talk.id, body={})
        db.add(found)
    if found.handed_in is not None:
        return
    found.body = {name: form.get(name, "")[:MAX_CHARACTERS] for name in FIELDS}
    found.saved = now()
    if done:
        found.handed_in = now()
        note(db, talk.user_id, "formulation handed in", talk.id)


def handed_in(kept: Kept, form: Written, others: Sequence[Case]) -> tuple[Formulation, Formulation, FormulationScore]:
    """A formulation that was handed in, the reference, and the score with the chance line of other cases."""
    case, seed, states = kept.case, kept.talk.seed, kept.episode.states
    heard = heard_from(states[-1]) if states else frozenset()
    wanted = diagram(case, drawn_situation(case, RUN_SEED, seed), heard)
    strangers = [
        diagram(one, one.situations[0].id, [fact.id for fact in one.situations[0].evidence][:3])
        for one in others
        if one.id.partition("@")[0] != case.id.partition("@")[0]
    ]
    given = formulation_of(form.body)
    return given, wanted, score(given, wanted, strangers, Random(seed))
