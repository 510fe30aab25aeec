"""Do patients hear how they are asked? Leading, hidden leading, muddled and well-asked versions of the same question.

    python benchmarks/asked_how.py                           # a writer and a hand that nothing was fitted on
    python benchmarks/asked_how.py --data ../shared/data     # and skilled free speech, and people in AnnoMI
    python benchmarks/asked_how.py --arms                    # and what policies of this project say themselves

Shares of turns that are heard as leading, as muddled, as several questions, by the patients' ear; as leading also by the ear of
coder and scorers. Wilson's intervals over turns.
"""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from maieutic.coding.rules import RuleCoder
from maieutic.dialogue import Conversation, Streams, converse
from maieutic.domain.episode import EpisodeKey
from maieutic.domain.randomness import derive
from maieutic.library import get_case, select_cases
from maieutic.patients import ear
from maieutic.reading import moves
from maieutic.registry import load_therapist
from maieutic.runs.files import read_lines
from maieutic.stats import wilson
from maieutic.validation.coder.datasets import gold
from maieutic.worlds import STANDARD_WORLD, patient_of

ROOT = Path(__file__).parents[1]
HELD_OUT = ROOT / "tests" / "patients" / "data" / "asked_how_heldout.jsonl"
VERSIONS = ROOT / "recipes" / "data" / "question_versions.jsonl"
SECOND_HAND = 2
KINDS = ("good", "skilled", "leading", "hidden", "muddled", "double")
OF_VERSIONS = {"good": "good", "open": "closed", "single": "double", "not_leading": "leading", "clear": "muddled"}
ARMS = ("oracle", "socratic", "padesky_script", "state_machine", "worksheet", "wide")
CASES = ("alena-vitkova", "curtis-hollifield", "gethin")
TURNS = 12
OWN = 800
HEARD: Mapping[str, Callable[[str], bool]] = {
    "leading": lambda text: any(one.leading for one in ear.questions(text)),
    "muddled": ear.is_muddled,
    "several": lambda text: sum(not one.advising for one in ear.questions(text)) > 1,
    "leading, to scorers": lambda text: any(one.leading for one in moves.questions(text)),
}


def tell(title: str, turns: Iterable[str]) -> None:
    """One line of a table: shares of turns that are heard as each."""
    texts = list(turns)
    shares = []
    for heard in HEARD.values():
        share = wilson(sum(map(heard, texts)), len(texts))
        shares.append(f"{share.estimate:.2f} [{share.low:.2f}, {share.high:.2f}]")
    print(f"| {title} ({len(texts)}) | " + " | ".join(shares) + " |")


def apart(coded: Sequence[tuple[str, bool]]) -> None:
    """Open and closed questions by both ears, and whether they are wrong about the same ones."""
    wrong = {
        name: {text for text, is_open in coded if any(one.open for one in heard(text)) != is_open}
        for name, heard in (("patients", ear.questions), ("scorers", moves.questions))
    }
    told = ", ".join(f"{name} {len(texts)}" for name, texts in wrong.items())
    both = len(wrong["patients"] & wrong["scorers"])
    print(f"\nOpen or closed, {len(coded)} coded questions of AnnoMI; wrong: {told}, both {both}")


def rows_of(path: Path) -> list[dict[str, Any]]:
    return read_lines(path)


def said_by(arm: str) -> list[str]:
    """The turns of a policy in a session with each of a few development cases, those that ask."""
    texts = []
    for name in CASES:
        streams = Streams(0, EpisodeKey(arm, name, 0))
        patient = patient_of(get_case(name), 0, STANDARD_WORLD)
        talk = Conversation(load_therapist(arm), patient, RuleCoder(), TURNS, streams)
        texts += [turn.text for turn in asyncio.run(converse(talk)).session.by("therapist")]
    return [text for text in texts if ear.questions(text)]


def main() -> None:
    """Prints."""
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--data", type=Path, help="folder of research data")
    asked.add_argument("--arms", action="store_true")
    told = asked.parse_args()
    print("| turns | " + " | ".join(HEARD) + " |\n|" + "---|" * (len(HEARD) + 1))
    held_out = rows_of(HELD_OUT)
    for kind in KINDS:
        tell(f"held-out writer, {kind}", (row[kind] for row in held_out))
    versions = [row for row in rows_of(VERSIONS) if row["hand"] == SECOND_HAND]
    for name, kind in OF_VERSIONS.items():
        tell(f"second hand, {kind}", (row[name] for row in versions))
    if told.data:
        talks = rows_of(told.data / "talks" / "skilled_free_speech.jsonl")
        tell("skilled free speech", (turn["therapist"] for talk in talks for turn in talk["turns"]))
        coded = gold("annomi_question_form", told.data)
        tell("AnnoMI, coded as a question", (one.text for one in coded))
    if told.arms:
        asks = {
            ask
            for case in select_cases(("dev",))
            for one in case.situations
            for fact in one.evidence
            for ask in fact.asks
        }
        tell("the cases' own questions", derive(0, "asked_how").sample(sorted(asks), OWN))
        for arm in ARMS:
            tell(arm, said_by(arm))
    if told.data:
        apart([(one.text, one.labels[0] == "open") for one in coded])


if __name__ == "__main__":
    main()
