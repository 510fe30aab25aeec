"""Patient turns that are not part of the work: silence, walls of text, another language, instructions, insults, "are you human?"."""

from __future__ import annotations

import re
from functools import lru_cache

from maieutic.language.sentences import is_readable_english, words
from maieutic.therapists.agent.steps import Step

WALL = 260
"""Words from which a turn is answered as too much at once."""
_INJECTION = re.compile(
    r"\b(?:ignore|disregard|forget|override|bypass)\b.{0,40}\b(?:previous|above|prior|all|your|these|the|earlier)\b.{0,25}\b(?:instruction|prompt|rule|message|guideline)s?\b"
    r"|\bsystem prompt\b|\byou are now\b.{0,60}\b(?:assistant|dan|gpt|model|pirate|mode|character)\b|\b(?:reveal|print|show|repeat|output)\b.{0,30}\b(?:prompt|instructions|configuration)\b"
    r"|\bdeveloper mode\b|\bjailbreak|<\|?(?:im_start|system)|\[(?:system|inst)\]|###\s*(?:system|instruction)",
    re.I,
)
_HUMAN = re.compile(
    r"\b(?:are|r) (?:you|u) (?:even |really |actually |a |an )*(?:human|person|real|robot|bot|machine|computer|ai|program|chatbot)\b|\bam i (?:talking|speaking|writing) (?:to|with) (?:a |an )?(?:human|person|real|robot|bot|machine|computer|ai|program)"
    r"|\b(?:is (?:this|there|that)) (?:a |an )?(?:bot|robot|real person|human|actual person|machine)\b",
    re.I,
)
_INSULT = re.compile(
    r"\b(?:you(?:'re| are|r)?|u r) (?:\w+ ){0,2}(?:useless|stupid|idiot|moron|pathetic|worthless|an? (?:joke|idiot|fool|fraud|moron)|full of (?:shit|it)|incompetent|clueless|a waste)\b"
    r"|\b(?:fuck|screw|piss) (?:you|off)\b|\bshut up\b|\bgo to hell\b|\b(?:stupid|dumb|useless) (?:bot|machine|therapist|program|question|questions)\b",
    re.I,
)
_NOT_KNOWING = re.compile(
    r"^(?:\W*(?:hm+|um+|er+|well|honestly|sorry|no)\W*)*(?:i (?:really |just |honestly )?(?:don't|do not|dunno|couldn't) ?(?:know|tell|say)?|no idea|dunno|not sure|idk|can't say|i have no idea|beats me)\b[^?]{0,40}$",
    re.I,
)


@lru_cache(maxsize=5_000)
def odd_input(text: str) -> tuple[Step, str] | None:
    """The step that answers a turn of this kind, with the reason; None for an ordinary turn."""
    stripped = text.strip()
    if not stripped or not any(c.isalnum() for c in stripped):
        return Step.EMPTY, "the turn was empty"
    head = stripped[:4_000]
    if _INJECTION.search(head):
        return Step.INJECTION, "the turn tries to instruct the program; it is answered as a person's turn"
    if not is_readable_english(head):
        return Step.OTHER_LANGUAGE, "the turn cannot be read as English"
    if _HUMAN.search(head) and len(words(head)) < 40:
        return Step.HUMAN, "the patient asks whether this is a person"
    if _INSULT.search(head) and len(words(head)) < 60:
        return Step.INSULT, "the patient is angry with the therapist"
    if len(stripped) > 12_000 or len(words(head)) > WALL:
        return Step.WALL, "a great deal came at once"
    return None


def does_not_know(text: str) -> bool:
    """The turn says no more than that the patient does not know."""
    return bool(_NOT_KNOWING.match(text.strip())) and len(words(text)) < 14
