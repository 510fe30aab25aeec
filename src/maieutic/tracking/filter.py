"""One step of the Bayesian filter: predict by what the therapist did, then weigh by what the patient said.

b'(h) ∝ P(words | h, question) · Σ_h0 P(h | h0, turn) · b(h0), with the mind cut into factors that are followed side by
side (assumed-density filtering, Boyen & Koller 1998). Held conviction and risk are forecast at once from all that has
come up (`evidence.py`). Tables are fitted on development sessions; what is set by hand is marked *assumption*. Nothing
of the simulator is imported here.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from maieutic.tracking.asked import Asked
from maieutic.tracking.belief import SLOTS, Belief, Said
from maieutic.tracking.ear import TARGETS, Observation, guarded
from maieutic.tracking.evidence import conviction, gathered, graded, risk
from maieutic.tracking.space import MAX_FACTS, REPLIES, RISKS, STAGES, Floats, Reply, Scale
from maieutic.tracking.space import normalised as _normalised
from maieutic.tracking.tables import Tables, within
from maieutic.tracking.targets import WEIGHING, Push, Reflection, Target

_REFLECTIONS, _PUSHES, _SCALES = tuple(Reflection), tuple(Push), tuple(Scale)
_STAGE_STAYS = 0.7


def start(tables: Tables) -> Belief:
    """The belief before the patient has said anything."""
    none_voiced = np.zeros(MAX_FACTS + 1)
    none_voiced[0] = 1.0
    return Belief(
        turn=0,
        category=tables.category_start,
        emotion=tables.emotion_start,
        conviction=tables.conviction_start,
        gives_way=tables.mobility_start,
        accurate=tables.base_accurate,
        scales={scale: tables.scale_start[row] for row, scale in enumerate(_SCALES)},
        disclosed=dict.fromkeys(SLOTS, 0.0),
        voiced=none_voiced,
        waiting=0.0,
        weighed=0.0,
        stage=np.array([1.0, 0.0, 0.0, 0.0]),
        risk=tables.risk_start,
    )


def predicted(belief: Belief, asked: Asked, tables: Tables) -> Belief:
    """The belief after a therapist turn, before the answer to it is heard."""
    reflection, push = _REFLECTIONS.index(asked.reflection), _PUSHES.index(asked.push)
    scales = {
        scale: belief.scales[scale] @ tables.scale_steps[row, reflection, push] for row, scale in enumerate(_SCALES)
    }
    return replace(belief, scales=scales, stage=_stage(belief, asked.target))


def updated(belief: Belief, heard: Observation, tables: Tables) -> Belief:
    """The belief after a patient turn was heard; one that a model failed to hear moves nothing but risk."""
    if heard.missing is not None:
        seen = graded(belief.evidence, heard)
        return replace(belief, turn=belief.turn + 1, strange=heard.strange, risk=risk(seen, tables), evidence=seen)
    if not heard.readable:
        return replace(belief, turn=belief.turn + 1, guarded=belief.guarded + 1, strange=False)
    seen = gathered(belief.evidence, heard)
    evidence = _evidence(heard, tables)
    told = float(heard.replies[REPLIES.index(Reply.AGAINST)])
    gives_way = belief.gives_way
    weighing = heard.asked is not None and heard.asked.target in WEIGHING
    if weighing:
        row = min(3, round(belief.weighed + belief.waiting))
        gives_way = _weighed(gives_way, tables.moved_replies[:, row, :] @ evidence)
    new = tuple(group for group in heard.named if group not in belief.feelings)
    emotion = heard.emotion + tables.told_first(new)
    moved = belief.waiting * (1.0 - _weighing_taken(heard)) if weighing else belief.waiting
    return replace(
        belief,
        turn=belief.turn + 1,
        category=_weighed(belief.category, np.exp(heard.category - heard.category.max())),
        emotion=_weighed(belief.emotion, np.exp(emotion - emotion.max())),
        conviction=conviction(seen, tables),
        gives_way=gives_way,
        accurate=_shifted(belief.accurate, within(heard.accurate)),
        scales={
            scale: _weighed(belief.scales[scale], tables.scale_replies[row, _place(heard)] @ evidence)
            for row, scale in enumerate(_SCALES)
        },
        disclosed={
            slot: 1.0 - (1.0 - chance) * (1.0 - float(heard.replies[REPLIES.index(slot)]))
            for slot, chance in belief.disclosed.items()
        },
        voiced=_one_more(belief.voiced, told),
        waiting=moved + told,
        weighed=belief.weighed + (belief.waiting - moved),
        risk=risk(seen, tables),
        thoughts=_candidates(belief, heard),
        facts=(*belief.facts, Said(belief.turn, heard.text, told)) if told >= 0.25 else belief.facts,
        feelings=(*belief.feelings, *new),
        guarded=belief.guarded + 1 if guarded(heard) else 0,
        strange=heard.strange,
        evidence=seen,
    )


def _evidence(heard: Observation, tables: Tables) -> Floats:
    """P(kind | words) over P(kind | question): what the words say beyond what the question led to expect."""
    return np.asarray(heard.replies / np.maximum(tables.reply_share[_place(heard)], 0.005))


def _place(heard: Observation) -> int:
    return TARGETS.index(heard.asked.target if heard.asked is not None else Target.NOTHING)


def _weighing_taken(heard: Observation) -> float:
    """How far the patient set what was waiting against the thought, rather than putting the question off."""
    off = (Reply.HOLDS_BACK, Reply.RESISTS)
    return 1.0 - float(sum(heard.replies[REPLIES.index(kind)] for kind in off))


def _weighed(prior: Floats, likelihood: Floats) -> Floats:
    return _normalised(prior * likelihood + 1e-9)


def _shifted(chance: float, log_odds: float) -> float:
    odds = np.log(chance / (1.0 - chance)) + log_odds
    return float(1.0 / (1.0 + np.exp(-odds)))


def _one_more(counts: Floats, chance: float) -> Floats:
    shifted = np.concatenate([[0.0], counts[:-1]])
    shifted[-1] += counts[-1]
    return (1.0 - chance) * counts + chance * shifted


def _stage(belief: Belief, target: Target) -> Floats:
    """Padesky's stages (1993): where the dialogue is, by what is asked and by what has come up. *Assumption.*"""
    fits = np.array([0.25, 0.25, 0.25, 0.25])
    if target in (
        Target.OPEN,
        Target.CLOSED,
        Target.THOUGHT,
        Target.FEELING,
        Target.BACKGROUND,
        Target.RATING,
        Target.AGAINST,
        Target.SUPPORT,
        Target.GOAL,
    ):
        fits = np.array([0.7, 0.2, 0.05, 0.05])
    elif target is Target.NOTHING:
        fits = np.array([0.15, 0.6, 0.2, 0.05])
    elif target in (Target.WEIGHING, Target.ALTERNATIVE, Target.PLAN):
        ready = min(1.0, belief.waiting + belief.weighed)
        fits = np.array([0.1, 0.05, 0.35, 0.5 * ready + 0.05])
    return _normalised(((1.0 - _STAGE_STAYS) / len(STAGES) + _STAGE_STAYS * belief.stage) * fits)


def _candidates(belief: Belief, heard: Observation) -> tuple[Said, ...]:
    """The turns that may have named the hot thought, the likeliest first; four are kept."""
    chance = float(heard.replies[REPLIES.index(Reply.THOUGHT)])
    if chance < 0.1:
        return belief.thoughts
    found = (*belief.thoughts, Said(belief.turn, heard.text, chance))
    return tuple(sorted(found, key=lambda said: -said.chance)[:4])


def graver(belief: Belief, grade: str) -> float:
    """P(risk of this grade or a graver one), 0–1."""
    return float(belief.risk[RISKS.index(grade) :].sum())
