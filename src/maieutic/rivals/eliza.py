"""ELIZA: keyword rules that turn the patient's words round, as Weizenbaum (1966) described; rules and wording are ours.

The arm that every waitlist win has to beat: contact, attention and expression without any idea of the patient.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from random import Random

from maieutic.domain.episode import Session, Turn
from maieutic.language.sentences import sentences
from maieutic.registry import therapist
from maieutic.rivals.reflecting import fresh_line
from maieutic.therapists.wording import second_person

_RULES: tuple[tuple[re.Pattern[str], tuple[str, ...]], ...] = tuple(
    (re.compile(pattern, re.I), answers)
    for pattern, answers in (
        (r"\bi need ([^.,;!?]+)", ("Why do you need {0}?", "Would it help you to get {0}?")),
        (
            r"\bi (?:can't|cannot|couldn't) ([^.,;!?]+)",
            ("Perhaps you could {0} if you tried.", "What stops you when you want to {0}?"),
        ),
        (
            r"\bi(?:'m| am) (?:so |just |really |very )?([^.,;!?]+)",
            ("How long have you been {0}?", "Do you enjoy being {0}?", "Did you come here because you are {0}?"),
        ),
        (
            r"\bi (?:feel|felt) ([^.,;!?]+)",
            ("Do you often feel {0}?", "Tell me more about such feelings.", "When do you usually feel {0}?"),
        ),
        (
            r"\bi (?:want|wanted) ([^.,;!?]+)",
            ("What would it mean to you if you got {0}?", "Suppose you got {0} soon."),
        ),
        (
            r"\bi (?:think|thought|believe|suppose|guess) ([^.,;!?]+)",
            ("Do you really think so?", "But you are not sure that {0}."),
        ),
        (r"\bi remember ([^.,;!?]+)", ("Do you often think of {0}?", "What else do you remember?")),
        (
            r"\bmy (mother|mum|father|dad|parents|sister|brother|wife|husband|son|daughter|family|boss|manager)\b",
            ("Tell me more about your {0}.", "What comes to your mind when you think of your {0}?"),
        ),
        (
            r"\b(?:always|never|every time|everyone|everybody|nobody|no one)\b",
            ("Can you think of a specific example?", "Really always?", "Who in particular are you thinking of?"),
        ),
        (r"\bbecause ([^.,;!?]+)", ("Is that the real reason?", "Does that reason explain anything else?")),
        (r"\b(?:dream|dreamt|dreamed)\b", ("What does that dream suggest to you?",)),
        (r"\b(?:sorry|apologi[sz]e)\b", ("Please don't apologise.", "Apologies are not necessary.")),
        (r"\?\s*$", ("Why do you ask that?", "What do you think?", "What answer would please you most?")),
        (r"\b(?:yes|yeah)\b", ("You seem quite certain.", "I see. Please go on.")),
        (r"\bno\b", ("Are you saying no just to be negative?", "Why not?")),
    )
)
_FALLBACK = (
    "Please go on.",
    "I see. Tell me more.",
    "What does that suggest to you?",
    "How does that make you feel?",
    "Do you feel strongly about discussing such things?",
    "In what way?",
    "I'm not sure I understand you fully.",
    "Let's discuss that further.",
)


@therapist("eliza")
@dataclass(frozen=True, slots=True)
class Eliza:
    """Matches keywords and turns clauses round; remembers nothing but what was said last."""

    name: str = "eliza"

    async def respond(self, session: Session) -> Turn:
        """One transformation of the patient's last words."""
        said = session.last("patient")
        rng = session.generator("therapist")
        return Turn("therapist", _answer(said.text if said else "", {t.text for t in session.by("therapist")}, rng))


def _answer(said: str, used: set[str], rng: Random) -> str:
    candidates: list[str] = []
    for sentence in sentences(said):
        for pattern, answers in _RULES:
            match = pattern.search(sentence)
            if match:
                groups = [" ".join(second_person(g).split()[:14]) for g in match.groups()]
                candidates += [answer.format(*groups) for answer in answers if "{0}" not in answer or groups]
    from_rules = bool(set(candidates) - used) and rng.random() < 0.85
    return fresh_line(candidates if from_rules else _FALLBACK, used, rng)
