"""What a therapist turn does, by sentence: two ears, one for coder and scorers and one for the agent's drafts (patients: `patients.py`); and what a question reaches.

Rows are own-written: `turn_sentences.jsonl` in six styles (terse, plain, warm, formal, hedged, chat), `turn_sentences_spoken.jsonl` as
transcripts write speech (fillers, repeats, questions that break off or bear no mark), and the labelled turns of other
recipes as far as a label of the turn is one of its sentence. The agent's ear never learns from the turns of the
instrument that reads the agent (`instrument_turns_*`), nor from speech, since it reads drafts. Groups are writers and styles.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix

from fit import Declared, Rows
from heads import Settings, places, vocabulary_of
from maieutic.language.questions import ends_as_question, parts_of
from maieutic.language.sentences import sentences, words
from maieutic.reading.ear import features
from maieutic.runs.files import read_lines

DATA = Path(__file__).parents[1] / "data"
FORM = ("question", "aside", "open", "leading")
MOVES = (
    "advice",
    "reassurance",
    "affirmation",
    "reflection",
    "summary",
    "challenge",
    "information",
    "risk",
    "feeling",
    "tentative",
)
SESSION = ("leave", "feedback", "agenda", "synthesis", "key_thought", "next_step")
LABELS = (*FORM, *MOVES, *SESSION)
REACHES = ("evidence", "perspective", "implication", "emotion", "none")
OF_CONCEPTS = {
    "leading_question": "leading", "affirmation": "affirmation", "reassurance": "reassurance", "reflection": "reflection",
    "summary": "summary", "dispute": "challenge", "risk_question": "risk", "asking_leave": "leave",
}  # fmt: skip
SLOTS_KEPT = 120
"""Questions a slot and file at most, so that they do not outweigh the rest."""


@dataclass(frozen=True)
class Line:
    """One sentence: which labels are known to hold and which not to, and who wrote it."""

    text: str
    known: Mapping[str, bool]
    writer: str


def _read(name: str) -> list[dict[str, Any]]:
    return read_lines(DATA / f"{name}.jsonl")


def _own() -> Iterator[Line]:
    for row in _read("turn_sentences"):
        marks = set(row["marks"])
        if row["known"] == "form":
            # Of statements nobody asked whether they are open; of sentences without a feeling, whether it is tentative.
            skipped = {"synthesis", "key_thought", "next_step"} | (
                {"open"} - marks if "question" not in marks else set()
            )
            skipped |= {"tentative"} if "feeling" not in marks else set()
            known = {label: label in marks for label in LABELS if label not in skipped}
        elif row["known"] == "reach":
            known = {
                label: label in marks
                for label in ("synthesis", "key_thought", "next_step", "agenda", "feedback", "leave")
            }
            known |= {"summary": False, "information": False, "aside": False}
            known |= {"question": True}
        else:
            known = {
                label: label in marks for label in ("leave", "feedback", "agenda", "risk", "leading", "information")
            }
            known |= dict.fromkeys(marks, True)
            if "feedback" in marks:
                known["aside"] = True
            if "key_thought" in marks:
                known["reflection"] = True
        yield Line(row["text"], known, row["style"])


def _spoken() -> Iterator[Line]:
    """Of speech is known whether and how a sentence asks; of the rest only what no question of this kind does."""
    for row in _read("turn_sentences_spoken"):
        marks = set(row["marks"])
        known = {label: label in marks for label in ("question", "aside")}
        if "aside" not in marks:  # "right?" by itself leads nowhere, and after a statement it does
            known["leading"] = "leading" in marks
        if marks & {"question", "aside"}:
            known |= {label: label in marks for label in ("advice", "feedback", "leave")}
            known |= dict.fromkeys(("information", "affirmation", "reassurance", "summary"), False)
        if "question" in marks:
            known["open"] = "open" in marks
        yield Line(row["text"], known, row["style"])


def _instrument() -> Iterator[Line]:
    for writer in "abcd":
        for row in _read(f"instrument_turns_{writer}"):
            labels, parts = set(row["labels"]), sentences(row["text"])
            asking = [part for part in parts if ends_as_question(part)]
            felt = bool(labels & {"asserts_feeling", "tentative_feeling"})
            for part in parts:
                known: dict[str, bool] = {}
                if "leading" not in labels or asking == [part]:
                    known["leading"] = "leading" in labels
                if "advice" not in labels or len(parts) == 1:
                    known["advice"] = "advice" in labels
                if not felt or len(parts) == 1:
                    known["feeling"] = felt
                if felt and len(parts) == 1:
                    known["tentative"] = "tentative_feeling" in labels
                yield Line(part, known, f"instrument {writer}")


def _concepts() -> Iterator[Line]:
    for row in _read("knows_vs_does_concepts"):
        holds, unsure = set(row["holds"]), set(row["unsure"])
        if len(sentences(row["text"])) > 1 or "collusion" in holds:
            continue
        known = {label: concept in holds for concept, label in OF_CONCEPTS.items() if concept not in unsure}
        if "experiment" not in holds:
            known["advice"] = bool(holds & {"direct_advice", "disguised_advice"})
        if holds & {"open_question", "closed_question"}:
            known |= {"question": True, "open": "open_question" in holds}
        known["feeling"] = bool(holds & {"tentative_feeling", "mind_reading"})
        if known["feeling"]:
            known["tentative"] = "tentative_feeling" in holds
        yield Line(row["text"], known, "concepts")


def _moves() -> Iterator[Line]:
    nothing = dict.fromkeys(("advice", "reassurance", "information", "risk"), False)
    for row in _read("knows_vs_does_moves"):
        for kind, part in row["parts"]:
            asks = ends_as_question(part)
            known: dict[str, bool] = {}
            if kind in ("explore", "weigh", "check"):
                known = dict(nothing)
            elif kind == "safety" and asks:
                known = {"risk": True, "advice": False}
            elif kind == "advise" and not asks:
                known = {"advice": True}
            elif kind == "inform" and not asks:
                known = {"information": True, "advice": False, "reflection": False}
            elif kind == "listen" and not asks:
                known = {"advice": False, "information": False, "risk": False}
            yield Line(part, known, "moves")


def _chat() -> Iterator[Line]:
    known: Mapping[str, Mapping[str, bool]] = {
        "reflection": {"reflection": True, "advice": False, "information": False},
        "question": {"question": True, "advice": False, "information": False, "reflection": False},
        "other": {"reflection": False, "information": False},
        "therapist_input": {"reflection": False},
    }
    for row in _read("coder_annomi_therapist_chat"):
        if len(sentences(row["text"])) == 1:
            yield Line(row["text"], known[row["labels"][0]], "chat")


def _bolt() -> Iterator[Line]:
    for row in _read("coder_bolt_therapist"):
        labels = " ".join(row["labels"])
        if len(sentences(row["text"])) > 1:
            continue
        known = {"reflection": "Reflections" in labels, "information": "Psychoeducation" in labels}
        if "Planning" not in labels:
            known["advice"] = "Problem-Solving" in labels
        if "Reflections" in labels or "Questions" in labels:
            known["question"] = "Questions" in labels
        yield Line(row["text"], known, "bolt")


def _slots() -> Iterator[Line]:
    """Questions of which is known what they ask about: what brings together, what is about a thought, what plans a step."""
    weighs, thoughts = ("weighing", "alternative", "wide", "support"), ("thought", "conviction")
    for file in "abcd":
        count: dict[str, int] = {}
        for row in _read(f"question_slots_{file}"):
            slot = row["slot"]
            count[slot] = count.get(slot, 0) + 1
            if slot == "none" or count[slot] > SLOTS_KEPT:
                continue
            known = {"synthesis": slot in weighs, "next_step": slot == "plan"}
            known |= {"aside": False, "advice": False, "leading": False}
            asks = _plainly_open(row["text"])
            if asks is not None:
                known["open"] = asks
            if slot not in weighs:
                known["key_thought"] = slot in thoughts
            yield Line(sentences(row["text"])[-1], known, f"slots {file}")


def _plainly_open(text: str) -> bool | None:
    """Whether a question is open where its first words leave no doubt, else None."""
    tokens = words(re.split(r"[,;:]\s", parts_of(sentences(text)[-1])[-1])[-1])
    while tokens and tokens[0] in ("and", "so", "but", "well", "now", "then"):
        tokens = tokens[1:]
    if len(tokens) < 3:
        return None
    if tokens[0] in ("what", "how", "why", "which", "who", "where"):
        return tokens[1] not in (
            "many",
            "much",
            "often",
            "long",
            "old",
            "far",
            "time",
            "day",
            "number",
            "sure",
            "strongly",
        )
    return False if tokens[0] in ("do", "does", "did", "is", "are", "was", "were", "has", "have") else None


def _bare(lines: list[Line]) -> Iterator[Line]:
    """Questions as people type and recognisers write them: without their mark."""
    for line in lines:
        if line.known.get("aside") is False and ends_as_question(line.text) and zlib.crc32(line.text.encode()) % 4 == 0:
            yield Line(line.text.rstrip(" ?").lower(), {"question": True}, line.writer)


def _once(lines: Iterator[Line]) -> list[Line]:
    """Each sentence once; what is known of it in several places is joined, the first place counting."""
    found: dict[str, Line] = {}
    for line in lines:
        # A mark says of a sentence that bears one that it asks; the head is needed for those that bear none.
        known = {
            label: holds
            for label, holds in line.known.items()
            if label != "question" or not ends_as_question(line.text)
        }
        if known:
            before = found.get(line.text, Line(line.text, {}, line.writer))
            found[line.text] = Line(line.text, {**known, **before.known}, before.writer)
    return list(found.values())


def _lines(sources: Collection[Callable[[], Iterator[Line]]]) -> list[Line]:
    lines = _once(line for source in sources for line in source())
    return [*lines, *_bare(lines)]


def heard_lines() -> list[Line]:
    """The sentences that the head 'marks' learns from, in the order of its rows."""
    return _lines(HEARING)


def rows_of(lines: list[Line]) -> Rows:
    """What a head learns from these sentences."""
    vocabulary = vocabulary_of([line.text] for line in lines)
    at, every = places(vocabulary), frozenset(LABELS)
    return Rows(
        csr_matrix(np.array([features(line.text, at) for line in lines])),  # fits in a tenth of the time
        [frozenset(label for label, holds in line.known.items() if holds) for line in lines],
        [line.writer for line in lines],
        vocabulary=vocabulary,
        undecided=[every - line.known.keys() for line in lines],
    )


HEARING = (_own, _spoken, _instrument, _concepts, _moves, _chat, _bolt, _slots)


def _hearing() -> Rows:
    return rows_of(heard_lines())


def _drafts() -> Rows:
    return rows_of(_lines((_own, _concepts, _moves, _chat, _bolt)))


@lru_cache(maxsize=1)
def _reaching() -> Rows:
    """What a question reaches for; of the slots only what is plain: feelings, grounds, and what asks for none of the four."""
    of_slots = {"feeling": "emotion", "support": "evidence"} | dict.fromkeys(("situation", "background", "goal", "plan", "conviction", "thought"), "none")  # fmt: skip
    of_concepts = {"evidence_question": "evidence", "perspective_question": "perspective", "implication_question": "implication", "feeling_question": "emotion"}  # fmt: skip
    found: dict[str, tuple[str, str]] = {}
    for row in _read("turn_sentences"):
        if "reaches" in row:
            # Most of these lines are in one style; it is cut in five, or a fold would lose nearly all of a label.
            found[row["text"]] = row["reaches"], f"{row['style']} {zlib.crc32(row['text'].encode()) % 5}"
        elif "question" in row["marks"] and not {"leading", "advice"}.isdisjoint(row["marks"]):
            found[row["text"]] = "none", row["style"]  # it tells, and reaches for nothing
        elif {"question", "feeling"} <= set(row["marks"]):
            found[row["text"]] = "emotion", row["style"]
    for row in _read("knows_vs_does_concepts"):
        names = {of_concepts[concept] for concept in row["holds"] if concept in of_concepts}
        if len(names) == 1:
            found.setdefault(row["text"], (names.pop(), "concepts"))
    for file in "abcd":
        count: dict[str, int] = {}
        for row in _read(f"question_slots_{file}"):
            name = of_slots.get(row["slot"])
            count[row["slot"]] = count.get(row["slot"], 0) + 1
            if name and count[row["slot"]] <= SLOTS_KEPT / 6:
                found.setdefault(sentences(row["text"])[-1], (name, f"slots {file}"))
    vocabulary = vocabulary_of([text] for text in found)
    at = places(vocabulary)
    return Rows(
        np.array([features(text, at) for text in found]),
        [name for name, _ in found.values()],
        [writer for _, writer in found.values()],
        vocabulary=vocabulary,
    )


MANY = Settings(penalty=4.0, many=True, doubt=0.5)
HEADS = [
    Declared("marks", "reading/weights/moves.npz", LABELS, _hearing, MANY),
    Declared("reaches", "reading/weights/moves.npz", REACHES, _reaching, Settings(penalty=4.0)),
    Declared("marks_of_drafts", "reading/weights/drafts.npz", (*FORM, *MOVES, "leave"), _drafts, MANY),
]
