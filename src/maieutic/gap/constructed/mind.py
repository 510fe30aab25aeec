"""What the control says of a patient's mind: the packaged case where one is met, the tracker for what moves."""

from __future__ import annotations

from functools import lru_cache

from maieutic.domain.case import Case, Situation
from maieutic.domain.episode import Question, Session
from maieutic.gap.items import packaged
from maieutic.gap.lost.cases import PIECES, Sharded, sharded
from maieutic.language.sentences import content_words, words
from maieutic.library import case_ids, get_case
from maieutic.tracking.space import Scale
from maieutic.tracking.tracker import MindTracker

SURE = 95
"""Confidence in what the case file says: the situation in play is still to be told from the words."""
TRACKED_SURE = 45
"""Confidence that a tracked conviction lies within ten points."""
_START = 60
"""Characters of a piece by which it is known again."""


@lru_cache(maxsize=1)
def tracker() -> MindTracker:
    """The tracker that the control answers from."""
    return MindTracker.packaged()


def situation_of(case: Case, session: Session) -> Situation:
    """The situation of a case that the patient's words are nearest to."""
    told = content_words(" ".join(turn.text for turn in session.by("patient")))
    said = case.phrasings.model_dump()

    def shared(situation: Situation) -> int:
        own = " ".join(
            line for lines in said.values() if isinstance(lines, dict) for line in lines.get(situation.id, [])
        )
        facts = " ".join(line for fact in situation.evidence for line in fact.said)
        return len(told & content_words(f"{situation.happened} {own} {facts}"))

    return max(case.situations, key=shared)


def answer(question: Question, session: Session) -> str | None:
    """The right option of a known case with a confidence, or a tracked number."""
    belief = tracker().belief(session)
    if question.id.startswith("relationship/"):
        item = next(i for i in packaged("alliance_items")["items"] if i["id"] == question.id.split("/")[1])
        share = belief.expected(Scale.ALLIANCE)
        return f"{100 * (1 - share if item.get('reverse') else share):.0f}"
    if question.about == "conviction":
        return f"{belief.held:.0f}\nConfidence: {TRACKED_SURE}"
    if not question.id.startswith("mind:"):
        return None
    case = get_case(question.id.split(":")[2])
    situation = situation_of(case, session)
    groups = [e.group for e in sorted(situation.emotions, key=lambda e: -e.intensity)]
    if question.id.startswith("mind:forms:"):
        if question.form == "yes_no":
            return "Yes." if f"'{groups[0]}'" in question.text else "No."
        return f"They feel {groups[0]}."
    rights = {
        "thought": situation.automatic_thought,
        "belief": case.core_beliefs[0].category.replace("_", " "),
        "emotion": groups[0],
    }
    right = rights.get(question.about, "")
    if right not in question.options:
        return None
    place = question.options.index(right)
    return f"{chr(65 + place)}) {right}\nConfidence: {SURE}"


def formulation(session: Session) -> str:
    """The five lines for a case told in pieces: what was told so far, and 'unknown' for the rest."""
    told = _flat(" ".join(turn.text for turn in session.by("patient")))
    known = max(_all_shards(), key=lambda shards: sum(_flat(piece)[:_START] in told for piece in shards.all))
    case = get_case(known.case)
    heard = {name: piece for name, piece in zip(PIECES, known.pieces, strict=True) if _flat(piece)[:_START] in told}
    feeling = max(case.situation(known.situation).emotions, key=lambda e: e.intensity).group
    lines = {
        "THOUGHT": heard.get("thought"),
        "BELIEF": case.core_beliefs[0].category.replace("_", " ") if "belief" in heard else None,
        "EMOTION": feeling if "feeling" in heard else None,
        "SUPPORTS": heard.get("supports"),
        "CONTRADICTS": heard.get("contradicts"),
    }
    return "\n".join(f"{name}: {words or 'unknown'}" for name, words in lines.items())


@lru_cache(maxsize=1)
def _all_shards() -> tuple[Sharded, ...]:
    return tuple(sharded(name) for name in case_ids("all"))


def _flat(text: str) -> str:
    return " ".join(words(text))
