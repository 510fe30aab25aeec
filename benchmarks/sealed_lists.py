"""Lists of the sealed round for markers who know neither versions nor arms, and what they answered.

    python benchmarks/sealed_lists.py sample FOLDER OUT --data ../shared/data   # whole prompts, one file a marker
    python benchmarks/sealed_lists.py marks OUT                                 # takes OUT/*.answer.jsonl into the result

Human replies, the same shuffled, and human transcripts are mixed in from research data: OUT must lie outside the repository, and
of it only marks and ratings are stored.
"""

from __future__ import annotations

import argparse
import csv
import json
import re
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from maieutic.cli.keyboard import read_session
from sealed_round import ARMS, LOT, STORED, TURNS, Sitting, sittings_of, store

OF_SOCRATIC, OF_OTHERS, ANCHORS, TRANSCRIPTS, IN_A_ROW = 10, 2, 12, 4, 8
"""Replies a session of the Socratic arm and of each other; human replies, shuffled ones; human talks; turns of an excerpt."""
BEFORE = 4
"""Lines of talk before the turn that is answered."""
LEAST, MOST = 5, 60
"""Words of a human reply, and of the turn before it, that serve as an anchor."""
MARKERS = {"replies": 3, "natural": 3, "arms": 2}
SPEAKERS = {"user": "THERAPIST", "assistant": "CLIENT", "therapist": "THERAPIST", "patient": "CLIENT"}

REPLIES = """You read pieces of talks between a therapist and a client, from several sources in one shuffled list. Judge only the last CLIENT line of each piece:
does it answer what the THERAPIST line just above it asks or says, given the lines before?

- fits: it answers just that, in form and matter, as somebody would who had heard it.
- partly: it has to do with what was asked or said, and answers something else, only a part, or in the wrong form.
- not: it does not answer it, or does not go with what was said before.
- back: the client asks what is meant, or says not to know.

A short or reluctant answer can fit. Judge neither style nor the therapist. Take each piece by itself; leave none out. You know nothing else about these talks; look at no other file."""
NATURAL = """You read whole talks between a therapist and a client, from several sources. Rate for each how natural the CLIENT is as a person in a talk, over the whole:
1 (lines that do not hang together) to 7 (just as a person would talk). Judge neither the therapist nor how interesting it is; transcripts may have rough edges.
You know nothing else about these talks; look at no other file."""
OF_ARMS = """You read excerpts of what therapists said, eight turns in a row each; the clients' answers are left out. Give each excerpt two ratings, 0 to 6:

- adherence: how far the therapist works by guided discovery, that is, by questions that let the client look at own thoughts, bring up own experience for and against, compare and conclude, without being told (0 not at all, 3 in part, 6 throughout and with skill).
- warmth: how far the therapist shows understanding, acceptance and care for the client (0 cold or dismissive, 3 friendly, 6 throughout).

The two are independent. You know nothing else about these talks; look at no other file."""
ANSWERS = {
    "replies": '{"n": 17, "mark": "fits"}',
    "natural": '{"n": 3, "rating": 4}',
    "arms": '{"n": 3, "adherence": 2, "warmth": 4}',
}


class Piece(NamedTuple):
    """What is judged: kind and case are kept apart from the text."""

    name: str
    kind: str
    case: str
    text: str


Line = tuple[str, str]


def lines_of(folder: Path, one: Sitting) -> list[Line]:
    """Speaker and words of a session, from the patient's opening on."""
    file = folder / "sessions" / f"{one.id}.json"
    if not file.exists():
        return []
    return [(SPEAKERS[line["role"]], line["content"]) for line in read_session(file)["messages"]]


def human_talks(data: Path) -> dict[str, list[Line]]:
    """Sessions of good quality by id, what one speaker says in a row put together."""
    with (data / "annomi" / "AnnoMI-simple.csv").open(encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["mi_quality"] == "high"]
    found = {}
    for name, talk in groupby(rows, key=lambda row: row["transcript_id"]):
        lines = []
        for speaker, said in groupby(talk, key=lambda row: row["interlocutor"]):
            words = " ".join(re.sub(r"\[[^\]]*\]", "", row["utterance_text"]) for row in said)
            lines.append(("THERAPIST" if speaker == "therapist" else "CLIENT", " ".join(words.split())))
        found[name] = [line for line in lines if line[1]]
    return found


def written(lines: Sequence[Line]) -> str:
    """Lines as they are shown."""
    return "\n".join(f"{speaker}: {text}" for speaker, text in lines)


def replies(folder: Path, talks: dict[str, list[Line]], rng: Random) -> list[Piece]:
    """Replies to judge: of the players' sessions by lot, of people, and of people in each other's places."""
    found = []
    for one in sittings_of(folder):
        lines = lines_of(folder, one)
        answers = [at for at in range(2, len(lines)) if lines[at][0] == "CLIENT"]
        count = OF_SOCRATIC if one.arm == ARMS[0] else OF_OTHERS
        for at in sorted(rng.sample(answers, min(count, len(answers)))):
            text = written(lines[max(0, at - 1 - BEFORE) : at + 1])
            found.append(Piece(f"{one.id}-{at}", one.arm, one.case, text))
    moments = []
    for name, lines in talks.items():
        fit = [
            at
            for at in range(2, len(lines))
            if lines[at][0] == "CLIENT"
            and lines[at - 1][1].endswith("?")
            and all(LEAST <= len(lines[n][1].split()) <= MOST for n in (at - 1, at))
        ]
        moments += [(name, at) for at in rng.sample(fit, min(1, len(fit)))]
    drawn = rng.sample(moments, 2 * ANCHORS)
    for number, (name, at) in enumerate(drawn[:ANCHORS]):
        found.append(
            Piece(f"h{number}", "human", f"talk {name}", written(talks[name][max(0, at - 1 - BEFORE) : at + 1]))
        )
    others = drawn[ANCHORS:]
    for number, (name, at) in enumerate(others):
        other, place = others[(number + 1) % len(others)]
        shown = [*talks[name][max(0, at - 1 - BEFORE) : at], talks[other][place]]
        found.append(Piece(f"x{number}", "human, shuffled", f"talk {name}", written(shown)))
    return found


def whole(folder: Path, talks: dict[str, list[Line]], rng: Random) -> list[Piece]:
    """Whole sessions: all of the Socratic arm, one of each other, and people."""
    sittings = sittings_of(folder)
    chosen = [one for one in sittings if one.arm == ARMS[0]]
    chosen += [rng.choice([one for one in sittings if one.arm == arm]) for arm in ARMS[1:]]
    found = [Piece(one.id, one.arm, one.case, written(lines)) for one in chosen if (lines := lines_of(folder, one))]
    length = 2 * TURNS + 1
    for name in rng.sample([name for name, lines in talks.items() if len(lines) >= length], TRANSCRIPTS):
        lines = talks[name]
        first = next(at for at, (speaker, _) in enumerate(lines) if speaker == "CLIENT")
        found.append(Piece(f"h{name}", "human", f"talk {name}", written(lines[first : first + length])))
    return found


def excerpts(folder: Path, rng: Random) -> list[Piece]:
    """Therapist turns in a row of every session; the first two, in which all arms open, are left out where they can
    be."""
    found = []
    for one in sittings_of(folder):
        said = [text for speaker, text in lines_of(folder, one) if speaker == "THERAPIST"]
        if said:
            start = rng.randint(min(2, max(0, len(said) - IN_A_ROW)), max(0, len(said) - IN_A_ROW))
            text = "\n".join(f"- {text}" for text in said[start : start + IN_A_ROW])
            found.append(Piece(one.id, one.arm, one.case, text))
    return found


def sample(folder: Path, out: Path, data: Path) -> None:
    """Writes a whole prompt a marker, each in an order of its own, and the key."""
    out.mkdir(parents=True, exist_ok=True)
    talks, rng = human_talks(data), Random(LOT)
    lists = {
        "replies": replies(folder, talks, rng),
        "natural": whole(folder, talks, rng),
        "arms": excerpts(folder, rng),
    }
    heads = {"replies": REPLIES, "natural": NATURAL, "arms": OF_ARMS}
    key: dict[str, list[list[str]]] = {}
    for name, pieces in lists.items():
        for marker in range(1, MARKERS[name] + 1):
            order = rng.sample(pieces, len(pieces))
            file, answer = out / f"{name}-{marker}.md", out / f"{name}-{marker}.answer.jsonl"
            told = (
                f"{heads[name]}\n\nWrite one JSON line a piece, all {len(order)} of them and nothing else, to {answer.resolve()}:\n"
                f"{ANSWERS[name]}\n\nWhen done, answer with one line: how many pieces.\n"
            )
            shown = (f"\n## {number}\n\n{piece.text}\n" for number, piece in enumerate(order, 1))
            file.write_text(told + "".join(shown), encoding="utf-8")
            key[f"{name}-{marker}"] = [[piece.name, piece.kind, piece.case] for piece in order]
        print(f"{name}: {len(pieces)} pieces, {MARKERS[name]} markers")
    (out / "key.json").write_text(json.dumps(key) + "\n", encoding="utf-8")


def given(out: Path, name: str, value: str) -> list[list[Any]]:
    """[kind, case, one mark each marker] of all pieces of a list.

    Raises:
        SystemExit: A marker left a piece out, or no marker answered.
    """
    key = json.loads((out / "key.json").read_text(encoding="utf-8"))
    found: dict[str, list[Any]] = {}
    for marker in range(1, MARKERS[name] + 1):
        file = out / f"{name}-{marker}.answer.jsonl"
        if not file.exists():
            print(f"{file.name}: not there")
            continue
        answers = {row["n"]: row[value] for row in map(json.loads, file.read_text(encoding="utf-8").split("\n")[:-1])}
        order = key[f"{name}-{marker}"]
        if missing := [number for number in range(1, len(order) + 1) if number not in answers]:
            raise SystemExit(f"{file.name}: pieces {missing} are left out")
        for number, (piece, kind, case) in enumerate(order, 1):
            found.setdefault(piece, [kind, case]).append(answers[number])
    if not found:
        raise SystemExit(f"{name}: nobody has answered")
    return sorted(found.values(), key=lambda row: (row[0], row[1]))


def main() -> None:
    """Writes the lists, or takes the answers in."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parts = parser.add_subparsers(dest="part", required=True)
    part = parts.add_parser("sample")
    part.add_argument("folder", type=Path)
    part.add_argument("out", type=Path)
    part.add_argument("--data", type=Path, required=True)
    part = parts.add_parser("marks")
    part.add_argument("out", type=Path)
    part.add_argument("--result", type=Path, default=STORED)
    asked = parser.parse_args()
    if asked.part == "sample":
        sample(asked.folder, asked.out, asked.data)
        return
    found = {"marks": given(asked.out, "replies", "mark"), "natural": given(asked.out, "natural", "rating")}
    store(asked.result, found | {name: given(asked.out, "arms", name) for name in ("adherence", "warmth")})


if __name__ == "__main__":
    main()
