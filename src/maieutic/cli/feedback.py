"""What a trainee is told after a talk in the terminal: each turn as in practice, where each fact stands, and why it
moved little."""

from __future__ import annotations

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
    lines += [f"  {fact.fact} {_stands(fact, episode)}" for fact in facts]
    lines.append(
        f"Held conviction (how firmly the thought is believed), 0 to 100: {first.held:.0f} → "
        f"{last.held:.0f}. Openness, 0 to 1: {first.openness:.2f} → {last.openness:.2f}."
    )
    return lines


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
    return "(no question was heard as asking for it)"


def _effect(fact: Evidence, told: Voiced, then: CognitiveState) -> str:
    """The factors of a told fact's effect, each 0 to 1, and in words the one that held it back most."""
    factors = [
        (then.openness, "openness", "the patient was little open then"),
        (told.credit, "question", "a question that is wide, closed or one of several brings less"),
        (fact.weight, "weight", "it bears little on the thought"),
        (workable(then.distress), "distress", "distress was too high or too low to learn from"),
    ]
    shown = ", ".join(f"{name} {value:.2f}" for value, name, _ in factors)
    value, _, why = min(factors)
    return f"it moved by {shown}" + (f"; {why}" if value < MODERATE else "")


def _short(text: str) -> str:
    flat = " ".join(text.split())
    return f"“{flat if len(flat) <= 60 else flat[:59].rstrip() + '…'}”"
