"""Fits the head that hears questions about the patient's own last words and about the talk, and prints its figures.

    uv run python recipes/fit_follows.py [--dry]

Own-written frames (`recipes/data/follow_frames.json`), filled with words of answers in the interviews of development cases,
beside turns of these interviews and questions of their own that ask for something else. Frames and cases are left out in three folds for the figures.
"""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path
from random import Random

import numpy as np

from heads import Settings, calibrated, fit, places, vocabulary_of
from maieutic.domain.appraisal import Follows, QuestionForm
from maieutic.language.sentences import sentences, words
from maieutic.patients.ear import Heard, heard_as
from maieutic.patients.hearing.asked import FOLLOWS, OTHERWISE, SURE_FOLLOWS, follow_features
from maieutic.reading.head import save
from maieutic.reading.minilm import MiniLM
from maieutic.runs.files import files_of_lines, read_lines

DATA = Path(__file__).resolve().parent / "data"
TARGET = Path(__file__).resolve().parent.parent / "src" / "maieutic" / "patients" / "weights" / "follows.npz"
FOLDS, FILLED, OTHERS, ALONE = 3, 2, 700, 60
SETTINGS = Settings(penalty=0.5, doubt=SURE_FOLLOWS)
SLOTS = ("support", "wide", "weighing", "alternative", "conviction", "feeling", "plan")
SUMMARY, PLAIN = QuestionForm.SUMMARY.value, frozenset({QuestionForm.ELSE.value, QuestionForm.TALK.value, "nothing"})
Row = tuple[Heard, str, int]


def quoted(said: str, rng: Random) -> str:
    """Two to six words from the end of a clause of an answer."""
    clauses = [words(part) for sentence in sentences(said) for part in sentence.split(",")]
    usable = [clause for clause in clauses if len(clause) >= 2]
    clause = rng.choice(usable) if usable else words(said)
    return " ".join(clause[-rng.randint(2, 6) :])


def rows() -> list[Row]:
    """Turns in their dialogues, what each asks, and the fold that it is left out in."""
    talks = read_lines(DATA / "hearing_talks.jsonl.xz")
    fold = {case: at % FOLDS for at, case in enumerate(sorted({talk["case"] for talk in talks}))}
    asked = [row for path in files_of_lines(DATA, "question_slots_*.jsonl") for row in read_lines(path)]
    rng, found, answers = Random(20), list[Row](), list[tuple[str, str]]()
    for talk in talks:
        before = talk["opening"]
        for turn in talk["turns"]:
            answers.append((talk["case"], before))
            about_talk = not turn["about"] and turn["form"] in PLAIN
            if turn["form"] == SUMMARY:
                found.append((heard_as(turn["t"], before), Follows.SUMMARY.value, fold[talk["case"]]))
            elif not about_talk or turn["form"] == "nothing":
                found.append((heard_as(turn["t"], before), OTHERWISE, fold[talk["case"]]))
            before = turn.get("p", before)
    others = [row for row in found if row[1] == OTHERWISE]
    chosen = {id(row) for row in rng.sample(others, OTHERS)}
    found = [row for row in found if row[1] != OTHERWISE or id(row) in chosen]
    for slot in SLOTS:
        own = [row["text"] for row in asked if row["slot"] == slot]
        for at, text in enumerate(rng.sample(own, ALONE)):
            found.append((heard_as(text, rng.choice(answers)[1]), OTHERWISE, at % FOLDS))
    leads = [sentences(row[0].turn)[0] for row in others if len(sentences(row[0].turn)) > 1]
    frames = json.loads((DATA / "follow_frames.json").read_text(encoding="utf-8"))
    for label, own in frames.items():
        for at, frame in enumerate(own):
            for _ in range(FILLED):
                _, before = rng.choice([a for a in answers if len(words(a[1])) >= 3])
                words_of = quoted(before, rng)
                turn = frame.replace("{w}", words_of).replace("{W}", words_of.capitalize())
                lead = rng.choice(("", "", rng.choice(leads) + " ", words_of.capitalize() + ". "))
                found.append((heard_as(lead + turn, before), label, at % FOLDS))
    return found


def main() -> None:
    found, embed = rows(), MiniLM(cached_texts=30_000)
    vocabulary = vocabulary_of(([heard.question] for heard, *_ in found), fewest=15)
    embed([text for heard, *_ in found for text in (heard.question, heard.turn)])  # one batch, kept for the rows
    x = np.array([follow_features(heard, embed, places(vocabulary)) for heard, *_ in found])
    y, fold = np.array([label for _, label, _ in found]), np.array([at for *_, at in found])
    scores = np.zeros((len(found), len(FOLLOWS)))
    for part in range(FOLDS):
        away = fold == part
        scores[away] = fit(x[~away], list(y[~away]), FOLLOWS, SETTINGS).scores(x[away])
    head = fit(x, list(y), FOLLOWS, SETTINGS, fitted_on=embed.name)
    head = calibrated(replace(head, vocabulary=vocabulary), scores, np.array([FOLLOWS.index(label) for label in y]))
    chances = np.exp(scores / head.temperature)
    chances /= chances.sum(axis=1, keepdims=True)
    best, sure = np.array(FOLLOWS)[chances.argmax(axis=1)], chances.max(axis=1) >= SURE_FOLLOWS
    for label in FOLLOWS:
        own, taken = y == label, sure & (best == label)
        right = float((own & taken).sum())
        print(
            f"{label}: {own.sum()} turns, recall {right / own.sum():.3f}, precision {right / max(1, taken.sum()):.3f}"
        )
    for at in np.flatnonzero((y == OTHERWISE) & sure & (best != OTHERWISE))[:40]:
        print("taken for", best[at], ":", found[at][0].turn)
    if "--dry" not in sys.argv:
        save(TARGET, follows=head)


if __name__ == "__main__":
    main()
