"""Answers questions about the patient's mind and the next move from the tracker's belief, without a language model.

Whatever else is asked, the agent cannot be asked: it holds a belief over a mind and knows no subject.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from maieutic.domain.episode import Answer, Question, Session, Turn
from maieutic.errors import NotAnswerable
from maieutic.language.feelings import feelings_in
from maieutic.therapists.agent.formulating import Hear, formulated
from maieutic.therapists.agent.nearness import nearness
from maieutic.tracking.belief import Belief
from maieutic.tracking.space import BELIEFS, CONVICTION, EMOTIONS, Floats, Scale, normalised

NEAR: Final = 10.0
"""Points about a stated conviction within which the agent's confidence says that the true one lies."""
SHARPNESS: Final = 12.0
"""How much likelier a thought is for being nearer to the patient's words (per unit of cosine); an assumption of the
agent."""


def answer_from(
    question: Question, session: Session, belief: Belief, turn: Turn | None = None, hear: Hear | None = None
) -> Answer:
    """The answer in the form asked for, with 'Confidence: NN'; a formulation has five lines instead.

    Args:
        belief: After the session's last patient turn.
        turn: What the agent would say next; needed for 'next_move' only.
        hear: The tracker's ear for one text; needed for 'formulation' only.

    Raises:
        NotAnswerable: the question is about something that the belief does not hold, or in a form that it cannot give.
    """
    if question.about == "conviction":
        return _number(belief.held, _near(belief))
    if question.about == "openness":
        spread = belief.scales[Scale.OPENNESS]
        return _number(100.0 * belief.expected(Scale.OPENNESS), float(np.max(spread)))
    if question.about in ("belief", "emotion"):
        names, chances = (BELIEFS, belief.category) if question.about == "belief" else (EMOTIONS, belief.emotion)
        return _label(question, names, chances)
    if question.about == "thought":
        return _thought(question, session, belief)
    if question.about == "next_move" and turn is not None:
        return _move(question, turn)
    if question.about == "formulation" and hear is not None:
        return Answer(formulated(session, belief, hear))
    raise NotAnswerable(
        "the agent without a model answers from its tracker's belief about the patient's thought, belief, emotion, "
        "conviction and openness, formulates them, and tells its plan for the next move; it cannot be "
        "asked anything else"
    )


def _number(value: float, chance: float) -> Answer:
    return Answer(f"{value:.0f}. Confidence: {_percent(chance)}")


def _near(belief: Belief) -> float:
    """P(held conviction within `NEAR` points of its mean), 0–1."""
    return float(belief.conviction[np.abs(CONVICTION - belief.held) <= NEAR].sum())


def _label(question: Question, names: Sequence[str], chances: Floats) -> Answer:
    spoken = [name.replace("_", " ") for name in names]
    if question.form == "choice":
        places = [
            spoken.index(option.strip().lower().replace("_", " "))
            for option in question.options
            if option.strip().lower().replace("_", " ") in spoken
        ]
        if len(places) != len(question.options):
            raise NotAnswerable(f"the agent knows {', '.join(spoken)} and no other options")
        best = max(range(len(places)), key=lambda n: float(chances[places[n]]))
        return _lettered(best, question.options, float(chances[places[best]]))
    top = int(np.argmax(chances))
    if question.form == "yes_no":
        asked = _named(question, spoken)
        chance = float(chances[asked])
        yes = asked == top or chance >= 0.5
        return Answer(f"{'Yes' if yes else 'No'}. Confidence: {_percent(chance if yes else 1.0 - chance)}")
    if question.form == "text":
        return Answer(f"Above all: {spoken[top]}. Confidence: {_percent(float(chances[top]))}")
    raise NotAnswerable(f"a {question.about} is no number")


def _named(question: Question, spoken: Sequence[str]) -> int:
    """The one label that a yes-or-no question is about."""
    text = question.text.lower()
    quoted = [n for n, name in enumerate(spoken) if f"'{name}'" in text or f'"{name}"' in text]
    found = quoted or [n for n, name in enumerate(spoken) if name in feelings_in(text) or name in text.split()]
    if len(found) != 1:
        raise NotAnswerable("the question names no one label that the agent knows")
    return found[0]


def _thought(question: Question, session: Session, belief: Belief) -> Answer:
    if question.form == "choice":
        chances = normalised(np.exp(SHARPNESS * _likeness(question.options, [t.text for t in session.by("patient")])))
        best = int(np.argmax(chances))
        return _lettered(best, question.options, float(chances[best]))
    if question.form == "text":
        if not belief.thoughts:
            return Answer("It has not been told yet. Confidence: 0")
        first = belief.thoughts[0]
        return Answer(f"In the client's words: {first.text} Confidence: {_percent(first.chance)}")
    raise NotAnswerable("a thought can be told or chosen, not answered with yes, no or a number")


def _move(question: Question, turn: Turn) -> Answer:
    """The kind of move that is nearest in words to what the agent would do and say, or that move itself."""
    noted = turn.trace or {}
    purpose = f"{str(noted.get('step', '')).replace('_', ' ')}: {noted.get('reason', '')}"
    if question.form == "choice":
        near = _likeness(question.options, [purpose, turn.text])
        chances = normalised(np.exp(SHARPNESS * near))
        best = int(np.argmax(chances))
        return Answer(f"{_lettered(best, question.options, float(chances[best])).text} Why: {noted.get('reason', '')}")
    if question.form == "text":
        return Answer(f"{purpose}. In words: {turn.text}")
    raise NotAnswerable("a move can be told or chosen, not answered with yes, no or a number")


def _likeness(options: Sequence[str], texts: Sequence[str]) -> Floats:
    """(k,) the cosine of each option with the nearest of the texts."""
    return np.asarray(nearness(list(options), [text for text in texts if text.strip()] or [""]).max(axis=1))


def _lettered(place: int, options: Sequence[str], chance: float) -> Answer:
    return Answer(f"{chr(65 + place)}) {options[place]}. Confidence: {_percent(chance)}")


def _percent(chance: float) -> int:
    return round(100 * min(1.0, max(0.0, chance)))
