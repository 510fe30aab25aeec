"""What a trainee is told after a talk in the terminal: each turn as in practice, where each fact stands, and why it
moved little."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

from maieutic.patients.dynamics import workable
from maieutic.practice.feedback import turns_told
from maieutic.practice.model import ASSUMPTION

if TYPE_CHECKING:
    from maieutic.domain.case import Case, Evidence, Situation
    from maieutic.domain.episode import Episode
    from maieutic.domain.state import CognitiveState, Voiced

MODERATE = 0.5
"""A factor of a fact's effect (0 to 1, docs/patients.md) below which it is named as what held the fact back."""

UNHEARD = "(not told: the simulated patient heard no question as asking for it)"
MISHEARD = (
    "If a question of yours did ask for one of these, the simulation misheard you: these patients take about half of "
    "all questions for exactly what they ask. That is no fault of the question; other words may reach it."
)


def feedback(episode: Episode, case: Case, situation: Situation) -> list[str]:
    """Lines on every therapist turn, on every fact, and on how far conviction moved; empty for a patient without a
    mind."""
    if not episode.states:
        return []
    first, last = episode.states[0], episode.states[-1]
    lines = [f"What each of your turns did. {ASSUMPTION}"]
    for turn in turns_told(episode, case):
        lines += [f"  {turn.number}. {_short(turn.said)}", *(f"     {told}" for told in turn.sentences())]
    facts = [one for one in situation.evidence if one.bearing == "against"]
    found = sum(any(v.evidence == one.id and v.by == "patient" for v in last.voiced) for one in facts)
    lines.append(
        f"What does not fit the thought, as the patient knows it ({found} of {len(facts)} told by the patient):"
    )
    stand = [_stands(fact, episode) for fact in facts]
    lines += [f"  {fact.fact} {told}" for fact, told in zip(facts, stand, strict=True)]
    if UNHEARD in stand:
        lines.append(f"  {MISHEARD}")
    lines.append(
        f"Held conviction (how firmly the thought is believed), 0 to 100: {first.held:.0f} → "
        f"{last.held:.0f}. Openness, 0 to 1: {first.openness:.2f} → {last.openness:.2f}. {_why(first, last, facts)}"
    )
    return lines


def _why(first: CognitiveState, last: CognitiveState, against: list[Evidence]) -> str:
    """One sentence on why held conviction moved as it did."""
    ids = {fact.id for fact in against}
    found = {one.evidence for one in last.voiced if one.by == "patient" and one.evidence in ids}
    fell = round(first.held) - round(last.held)
    told = f"the patient came upon {len(found) or 'none'} of the {len(against)} things that do not fit it"
    if fell > 0:
        return f"It fell because {told}{'' if found else ', and the thought loosened all the same'}."
    if fell < 0:
        return f"It rose: being advised, told, argued with or reassured makes these patients hold on to it; {told}."
    if not found:
        return (
            f"It did not move because {told}: here a thought loosens only by what patients find themselves, when asked."
        )
    if not found & set(last.weighed):
        return (
            f"It did not move although {told}: none was set against the thought yet (a question such as “What does "
            "that say about it?” does that), and more than half of what a fact does comes then."
        )
    return (
        f"It did not move although {told}: each of them moved it by less than a point; the reasons stand beside them."
    )


def _stands(fact: Evidence, episode: Episode) -> str:
    """Where a fact stands at the end of the session, and why it moved little or nothing."""
    last = episode.states[-1]
    told = next((one for one in last.voiced if one.evidence == fact.id), None)
    if told is not None and told.by != "patient":
        return f"(you said it in turn {told.turn}: only what patients find themselves moves them here)"
    if told is not None:
        effect = _effect(fact, told, episode.states[told.turn - 1])
        weighed = (
            "" if fact.id in last.weighed else "; never weighed against the thought, so more than half is still to come"
        )
        return f"(told in turn {told.turn}; {effect}{weighed})"
    asked = [
        number
        for number, taken in enumerate(episode.appraisals, start=1)
        if taken is not None and any(reach.evidence == fact.id for reach in taken.reaches)
    ]
    if asked:
        open_then, needed = episode.states[asked[-1] - 1].openness, fact.guard + last.traits.guardedness
        if open_then < needed:
            return (
                f"(asked for in turn {asked[-1]} and held back: openness {open_then:.2f}, it takes about {needed:.2f})"
            )
        return f"(asked for in turn {asked[-1]}; the patient did not come to it then)"
    return UNHEARD


def _effect(fact: Evidence, told: Voiced, then: CognitiveState) -> str:
    """The factors of a told fact's effect, each 0 to 1, and in words the one that held it back most."""
    factors = [
        (then.openness, "openness", "the patient was little open then"),
        (told.credit, "question", "a question that is wide, closed or one of several brings less"),
        (fact.weight, "weight", "it bears little on the thought"),
        (workable(then.distress), "distress", "distress was too high or too low to learn from"),
    ]
    shown = " × ".join(f"{name} {value:.2f}" for value, name, _ in factors)
    value, _, why = min(factors)
    whole = prod(value for value, *_ in factors)
    return f"it counts by {shown} = {whole:.2f} of 1" + (f"; {why}" if value < MODERATE else "")


def _short(text: str) -> str:
    flat = " ".join(text.split())
    return f"“{flat if len(flat) <= 60 else flat[:59].rstrip() + '…'}”"
