"""What a competent therapist answers outside the dialogue: it holds the keys of the packaged items.

Questions are known again by their id, and what is right is read from the items' own files, so that a new item needs
nothing here. What is asked about a patient's mind is answered in `mind.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from random import Random
from typing import Any

from maieutic.domain.case import EMOTION_GROUPS
from maieutic.domain.episode import Question, Session
from maieutic.gap.constructed import mind
from maieutic.gap.constructed.wording import clause_of, denied
from maieutic.gap.items import packaged
from maieutic.gap.knows_vs_does.moves import holds
from maieutic.language.sentences import opened_large, stands_in, words
from maieutic.tracking.space import BELIEFS

ABOUT_THE_MIND = frozenset({"thought", "belief", "emotion", "conviction", "openness", "formulation"})
"""What a question can be about, so that an answer says something of the patient's mind."""
_OF_MEMORY = (
    "has said in this session",
    "has told",
    "told you",
    "earlier",
    "remember",
    *(f"did the {person} {verb}" for person in ("client", "patient") for verb in ("say", "tell", "mention")),
)


def answered(question: Question, session: Session) -> str:
    """The right answer as far as the items or the tracker know one; 'I don't know.' otherwise."""
    for belongs, answer in _ANSWERS.items():
        if question.id.startswith(belongs):
            found = answer(question, session)
            if found is not None:
                return found
    return {"yes_no": "Yes.", "number": "50"}.get(question.form, "I don't know.")


def wrongly_answered(question: Question, right: str, rng: Random) -> str | None:
    """Another answer of the same form, drawn from the wrong ones; None where none can be made."""
    if question.id in _facts():
        return _other_fact(question, rng)
    if question.about == "formulation":
        return _other_formulation(right, rng)
    if question.options:
        first = right[:1].upper()
        others = [n for n in range(len(question.options)) if chr(65 + n) != first]
        return _letter(question, rng.choice(others)) if others else None
    if question.form == "yes_no":
        return "No." if right.lower().startswith("yes") else "Yes."
    if question.form == "number":
        found = next(filter(str.isdecimal, words(right)), None)
        return str((int(found) + rng.choice((35, 45, 55))) % 101) if found else None
    named = [group for group in EMOTION_GROUPS if group not in right.lower()]
    return f"They feel {rng.choice(named)}." if question.about == "emotion" else None


def asks_for_memory(question: Question) -> bool:
    """Whether a question asks what was said, and not what it means."""
    return question.id in _facts() or (question.about not in ABOUT_THE_MIND and _is_of_memory(question.text))


def _is_of_memory(text: str) -> bool:
    return any(stands_in(text.lower(), wording) for wording in _OF_MEMORY)


def _letter(question: Question, place: int) -> str:
    return f"{chr(65 + place)}) {question.options[place]}"


def _named(rows: Any, name: str) -> Mapping[str, Any] | None:
    return next((row for row in rows if row["id"] == name), None)


def _knowledge(question: Question, session: Session) -> str | None:
    """Vignettes, and the questions with options by their keys."""
    if question.options:
        asked = _named(packaged("knowledge")["items"], question.id.split("/")[-1])
        return None if asked is None else _letter(question, question.options.index(asked["right"]))
    name, scale = question.id.split("/")[-2:]
    item = _named(packaged("scenarios")["vignettes"], name)
    if item is None:
        return None
    first, *more = item["feelings"]
    if scale == "cognition":
        return f"They are probably thinking: I mean, '{item['thoughts'][0]}'."
    if scale == "emotion":
        return f"They probably feel {' and '.join(item['feelings'][:2])}, since that is how such a thing leaves people."
    clause = clause_of((item["said"],)) or "it has stayed with you"
    also = f" and {more[0]}" if more else ""
    if scale == "empathy":
        return f"It sounds as if you feel {first}{also}: {clause}."
    return f"It makes sense that you feel {first}: {clause}."


def _move(question: Question, session: Session) -> str | None:
    """The best next move with its reason, and what belongs to a concept."""
    name = question.id.split("/")[1]
    source = packaged("frozen_moves")
    state = _named(source["states"], name)
    if state is not None:
        place = question.options.index(source["kinds"][state["right"][0]])
        return f"{_letter(question, place)}\n{state['because']} ({', '.join(state['cues'][:2])})"
    concept = _named(packaged("concepts")["concepts"], name)
    return None if concept is None else _concept(concept, question)


def _concept(concept: Mapping[str, Any], question: Question) -> str | None:
    task = question.id.split("/")[2]
    if question.options:
        right = concept["definition"] if task == "apart1" else concept["name"]
        return _letter(question, question.options.index(right))
    if question.form == "yes_no":
        known = {concept["example"]: True, concept["other"]: False}
        said = question.text.partition('The therapist answers: "')[2].rpartition('"\nDoes')[0]
        yes = known.get(said, holds(concept["id"], said))
        return "Yes." if yes else "No."
    if task == "define":
        return f"{opened_large(concept['definition'])}."
    without = "does NOT hold" in question.text or "no longer holds" in question.text
    return str(concept["other"] if without else concept["example"])


def _slot(question: Question, session: Session) -> str | None:
    """The statement that was told, or that it cannot be told."""
    item = _named(packaged("removed_slots")["items"], question.id.split(":")[1])
    if item is None:
        return None
    heard = " ".join(" ".join(turn.text for turn in session.by("patient")).split())
    known = " ".join(item["told"].split()) in heard
    return _letter(question, question.options.index(item["right"]) if known else len(question.options) - 1)


def _planted(question: Question, session: Session) -> str | None:
    fact = _facts().get(question.id)
    return None if fact is None else str(fact["right"][0])


@lru_cache(maxsize=1)
def _facts() -> Mapping[str, Mapping[str, Any]]:
    """Planted facts by the id of the question for them."""
    return {
        f"fact-{script['id']}-{fact['id']}": fact for script in packaged("planted_facts") for fact in script["facts"]
    }


def _other_fact(question: Question, rng: Random) -> str | None:
    """Another fact of the same kind, from somebody else's life."""
    asked = _facts()[question.id]
    others = [f["right"][0] for f in _facts().values() if f["kind"] == asked["kind"] and f["right"] != asked["right"]]
    return f"It was {rng.choice(others)}." if others else None


def wrong_fact(heard: str, rng: Random) -> str | None:
    """A wrong answer to a patient who asks, in the dialogue, for a fact that was planted; None for other words."""
    asked = next((key for key, fact in _facts().items() if fact["ask"] == heard), None)
    return None if asked is None else _other_fact(Question(asked, heard), rng)


def _about_people(question: Question, session: Session) -> str | None:
    """As one would say of anybody: willing, and not dangerous."""
    for place, option in enumerate(question.options):
        if option in ("Definitely willing", "Very unlikely"):
            return _letter(question, place)
    return None


def _other_formulation(right: str, rng: Random) -> str:
    """The same five lines with another thought, belief and feeling in them."""
    belief = rng.choice([name.replace("_", " ") for name in BELIEFS if name.replace("_", " ") not in right.lower()])
    feeling = rng.choice([group for group in EMOTION_GROUPS if group not in right.lower()])
    lines = {"THOUGHT": "the others are against them", "BELIEF": belief, "EMOTION": feeling}
    return "\n".join(
        f"{name}: {lines.get(name) or denied(words) or 'nothing that was told'}"
        for name, _, words in (line.partition(": ") for line in right.splitlines())
    )


_ANSWERS: Mapping[str, Callable[[Question, Session], str | None]] = {
    "single_vs_session/": _knowledge,
    "knows_vs_does/": _move,
    "lost:": lambda _, session: mind.formulation(session),
    "asks_first:": _slot,
    "direct-": lambda question, _: "Yes." if "still open" in question.text else "No.",
    "mind:": mind.answer,
    "arc:conviction": mind.answer,
    "reading:": lambda question, _: "No." if question.id.endswith(":2") else "Yes.",
    "implicature:": lambda question, _: "85" if question.id.endswith(":high") else "45",
    "facts:": lambda question, _: "No." if question.id.endswith(":false") else "Yes.",
    "fact-": _planted,
    "safety:stigma": _about_people,
    "relationship/": mind.answer,
}
"""By the beginning of a question's id."""
