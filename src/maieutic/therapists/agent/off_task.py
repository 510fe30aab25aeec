"""Patient turns that are not part of the work: silence, walls of text, another language, instructions, insults, "are
you human?"."""

from __future__ import annotations

from functools import lru_cache

from maieutic.language.sentences import first_number, in_another_language, words
from maieutic.therapists.agent.steps import Step
from maieutic.therapists.hearing import heard, heard_in

WALL = 260
"""Words from which a turn is answered as too much at once."""
INSTRUCTS = 2
"""Words of a sentence from which it can be an instruction to the program; "Sent." is none."""
SHORT = 22
"""Words under which a turn can be one that will not go into what was asked, and tells nothing else."""
_ADDRESSES = frozenset("you you're you've your this that's".split())
"""One of these stands in what is said against the therapist."""


@lru_cache(maxsize=5_000)
def off_task(text: str) -> tuple[Step, str] | None:
    """The step that answers a turn of this kind, with the reason; None for an ordinary turn."""
    stripped = text.strip()
    if not stripped or not any(c.isalnum() for c in stripped):
        return Step.EMPTY, "the turn was empty"
    head = stripped[:4_000]
    parts = heard_in(head)
    said = {
        found
        for sentence, found in parts
        if (found != "insult" or _ADDRESSES.intersection(words(sentence)))
        and (found != "instruct" or len(words(sentence)) >= INSTRUCTS)
    }
    # One sentence among others that tell of something is a figure of speech rather than addressed to the therapist.
    kinds = [found for _, found in parts]
    if 2 * kinds.count("insult") < len(parts):
        said.discard("insult")
    if 2 * kinds.count("instruct") <= len(parts) > 1:
        said.discard("instruct")
    if "instruct" in said:
        return Step.INJECTION, "the turn tries to instruct the program; it is answered as a person's turn"
    if in_another_language(head):
        return Step.OTHER_LANGUAGE, "the turn is not in English"
    if "human" in said and len(words(head)) < 40:
        return Step.HUMAN, "the patient asks whether this is a person"
    if "insult" in said and len(words(head)) < 60:
        return Step.INSULT, "the patient is angry with the therapist"
    if len(stripped) > 12_000 or len(words(head)) > WALL:
        return Step.WALL, "a great deal came at once"
    return None


def does_not_know(text: str) -> bool:
    """The turn says no more than that the patient does not know."""
    return len(words(text)) < 14 and all(found == "unsure" for _, found in heard_in(text))


_REFUSALS = (
    "rather not",
    "don't want to talk",
    "don't want to go into",
    "not going into",
    "leave that",
    "leave it for",
    "leave it there",
    "don't dwell",
    "much to say",
    "nothing to say",
    "don't talk about",
    "not ready to",
    "speak of something else",
    "talk about something else",
)


def refuses(text: str) -> bool:
    """A short turn that will not go into what was asked, or holds back and asks something of the therapist instead."""
    if len(words(text)) >= SHORT:
        return False
    asked = text.strip().startswith(("Can we", "Could we", "Do we have to")) and heard("manner", text) == "guarded"
    return asked or any(one in text.lower().replace("’", "'") for one in _REFUSALS)


def turns_away(text: str) -> bool:
    """A short turn that refuses, or holds back and says no more than that; a number that was asked for says more."""
    if refuses(text):
        return True
    return len(words(text)) < SHORT and first_number(text) is None and heard("manner", text) == "guarded"
