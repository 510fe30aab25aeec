"""How good practice's feedback is: talks that trainees played, what was told of each turn, and the marks of two blind readers.

    python recipes/practice_marks.py                                    # figures of each kept round, with intervals by talk
    python recipes/practice_marks.py --sheet SHEET.md TALK.json ...     # what readers are given, from sessions of `maieutic chat`
    python recipes/practice_marks.py --keep ROUND TALK.json ... --marks A.jsonl B.jsonl --trainees skilled warm ...
    python recipes/practice_marks.py --requests REQUESTS.jsonl TALK.json ... # what a language model is asked about each turn
    ... --replies REPLIES.jsonl                                               # with these replies of one, a line {"id", "reply"} a turn

Each talk is played again from what the trainee said, with the same patient and luck; a talk that comes out otherwise than it was played
is refused. Rounds are kept in `data/practice_marked.jsonl.xz`. The last one: a line a turn, with what was said, what was told without a
model, and the marks with their reasons. The others: a line a talk, by turn the marks of each reader in the order of `MARKED` as
first letters, since the eighth with reasons.
Nothing was fitted on one before its figures were told;
afterwards its turns are development data.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import lzma
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

from maieutic import get_case
from maieutic.cli.chat import played_again
from maieutic.domain.episode import Episode, Session
from maieutic.patients.worded.ear import Unusable
from maieutic.practice.feedback import turns_told
from maieutic.practice.reader import Reading, parse, request
from maieutic.runs.files import read_lines
from maieutic.stats import bootstrap_mean, wilson

KEPT = Path(__file__).resolve().parent / "data" / "practice_marked.jsonl.xz"
MARKED = ("true", "useful", "kind", "harm", "why")
ASKED = (("true", "yes", "≥ 90 %"), ("useful", "yes", "≥ 75 %"), ("kind", "yes", "≥ 95 %"), ("harm", "yes", "≤ 2 %"))


def played(path: Path) -> tuple[dict[str, Any], Episode]:
    """A kept session and the same talk with the recorded mind.

    Raises:
        SystemExit: The patient answers otherwise than when it was played.
    """
    kept = json.loads(path.read_text(encoding="utf-8"))
    episode = asyncio.run(played_again(kept | {"patient": "simulated"}))
    then = [one["content"] for one in kept["messages"]]
    if [turn.text for turn in episode.session.turns if turn.text][: len(then)] != then:
        raise SystemExit(f"{path}: the patient answers otherwise than when it was played")
    return kept, episode


def up_to(episode: Episode, number: int) -> Session:
    """The session up to the answer to a therapist turn, from 1."""
    turns = [turn for turn in episode.session.turns if turn.text]
    at = [place for place, turn in enumerate(turns) if turn.speaker == "therapist"][number - 1]
    return replace(episode.session, turns=tuple(turns[: at + 2]))


def read(episode: Episode, talk: int, replies: dict[str, str]) -> dict[int, Reading]:
    """Recorded replies of a language model as readings; one that cannot be used is none."""
    found = {}
    for number in range(1, len([turn for turn in episode.therapist_turns if turn.text]) + 1):
        if f"{talk}-{number}" not in replies:
            continue
        _, said, answer = request(up_to(episode, number))
        try:
            found[number] = parse(replies[f"{talk}-{number}"], "recorded", said, answer)
        except Unusable as error:
            print(f"{talk}-{number} is not read: it {error}")
            found[number] = Reading("recorded", unread=str(error))
    return found


def told(paths: Sequence[Path], replies: dict[str, str] | None = None) -> list[dict[str, Any]]:
    """Every turn of the talks with what stood about it and what is told of it."""
    rows = []
    for talk, path in enumerate(paths, 1):
        kept, episode = played(path)
        turns = [turn for turn in episode.session.turns if turn.text]
        mine = [at for at, turn in enumerate(turns) if turn.speaker == "therapist"]
        feedback = turns_told(episode, get_case(kept["case"]), read(episode, talk, replies or {}))
        for number, (at, one) in enumerate(zip(mine, feedback, strict=True), 1):
            answered = at + 1 < len(turns) and turns[at + 1].speaker == "patient"
            rows.append(
                {
                    "id": f"{talk}-{number}",
                    "case": kept["case"],
                    "before": turns[at - 1].text if at else "",
                    "said": one.said,
                    "answer": turns[at + 1].text if answered else "",
                    "told": list(one.sentences()),
                }
            )
    return rows


def sheet(rows: Sequence[dict[str, Any]]) -> str:
    """What a reader is given."""
    lines = ["# Sessions with feedback"]
    for row in rows:
        talk, turn = row["id"].split("-")
        if turn == "1":
            lines.append(f"\n## Session {talk}\n\nPatient: {row['before']}\n")
        lines.append(f"**{row['id']}** Trainee: {row['said']}\nPatient: {row['answer'] or '(the session ended)'}")
        lines += ["  Feedback:", *(f"    - {one}" for one in row["told"] or ["(nothing is told)"]), ""]
    return "\n".join(lines)


def figures(rows: Sequence[dict[str, Any]]) -> None:
    """Prints each mark's share by reader; whole talks are drawn for the first interval, the second (Wilson) takes turns for
    independent."""
    talks = [row["id"].split("-")[0] for row in rows]
    print(f"round {rows[0]['round']}: {len(rows)} turns of {len({*talks})} talks")
    for reader in range(len(rows[0]["marks"])):
        for mark, counts, asked in ASKED:
            given = [float(row["marks"][reader][mark] == counts) for row in rows]
            share = bootstrap_mean(given, clusters=talks, rng=Random(0))
            alone = wilson(int(sum(given)), len(given))
            print(
                f"reader {reader + 1}, {mark}: {share.estimate:.1%} [{share.low:.1%}, {share.high:.1%}] by talk,",
                f"[{alone.low:.1%}, {alone.high:.1%}] by turn ({asked});",
                f"{sum(row['marks'][reader][mark] == 'no' for row in rows)} not at all"
                if mark in ("true", "useful")
                else "",
            )
    for kind in dict.fromkeys(row["trainee"] for row in rows):
        own = [row for row in rows if row["trainee"] == kind]
        print(f"{kind} trainee, {len(own)} turns:", "; ".join(_shares(own, *mark[:2]) for mark in ASKED))
    both = sum(all(mark["harm"] == "yes" for mark in row["marks"]) for row in rows)
    alike = {name: sum(len({mark[name] for mark in row["marks"]}) == 1 for row in rows) for name, *_ in ASKED}
    print(f"misleading or harmful by both readers: {both}; marked alike: {alike}")


def _shares(rows: Sequence[dict[str, Any]], mark: str, counts: str) -> str:
    """A mark's share by reader."""
    by_reader = zip(*(row["marks"] for row in rows), strict=True)
    return f"{mark} " + ", ".join(f"{sum(one[mark] == counts for one in own) / len(rows):.0%}" for own in by_reader)


def rounds() -> list[dict[str, Any]]:
    """All kept turns."""
    kept = read_lines(KEPT)
    return [
        {**{name: one for name, one in row.items() if name not in ("talk", "turns")}, **turn}
        | {"id": f"{row['talk']}-{number}", "marks": [_spelt(mark) for mark in turn["marks"]]}
        for row in kept
        for number, turn in row["turns"].items()
    ]


_LETTERS = {"y": "yes", "p": "partly", "n": "no"}


def _spelt(mark: str) -> dict[str, str]:
    letters, _, why = mark.partition(" ")
    return dict(zip(MARKED, [*(_LETTERS[one] for one in letters), why], strict=True))


def _letters(mark: dict[str, str]) -> str:
    return f"{''.join(mark[name][0] for name in MARKED[:-1])} {mark['why']}".strip()


def compact(rows: Sequence[dict[str, Any]]) -> list[str]:
    """The turns of a round as a line a talk."""
    talks: dict[str, dict[str, Any]] = {}
    for row in rows:
        talk, number = row["id"].split("-")
        kept = {name: row[name] for name in ("round", "trainee", "case") if name in row}
        named = ("before", "said", "answer", "told") if number == "1" else ("said", "answer", "told")
        turn = {name: row[name] for name in named if name in row}
        turns = talks.setdefault(talk, kept | {"talk": talk, "turns": {}})["turns"]
        turns[number] = turn | {"marks": [_letters(mark) for mark in row["marks"]]}
    return [json.dumps(one, ensure_ascii=False, separators=(",", ":")) for one in talks.values()]


def main() -> None:
    """Prints figures, writes a sheet, or keeps a round."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("talks", nargs="*", type=Path)
    parser.add_argument("--sheet", type=Path)
    parser.add_argument("--keep", metavar="ROUND", help="keep the round under this name")
    parser.add_argument("--marks", nargs="+", type=Path, default=[])
    parser.add_argument("--requests", type=Path, help="write what a language model is asked, and nothing else")
    parser.add_argument("--replies", nargs="+", type=Path, default=[])
    parser.add_argument("--trainees", nargs="+", default=[], help="what each talk's trainee was like")
    options = parser.parse_args()
    kept = rounds()
    if not options.talks:
        for name in dict.fromkeys(row["round"] for row in kept):
            figures([row for row in kept if row["round"] == name])
        return
    if options.requests:
        with options.requests.open("w", encoding="utf-8") as out:
            for talk, path in enumerate(options.talks, 1):
                _, episode = played(path)
                for number in range(1, len([turn for turn in episode.therapist_turns if turn.text]) + 1):
                    messages, *_ = request(up_to(episode, number))
                    out.write(json.dumps({"id": f"{talk}-{number}", "messages": messages}, ensure_ascii=False) + "\n")
        return
    replies = [json.loads(line) for path in options.replies for line in path.read_text(encoding="utf-8").splitlines()]
    rows = told(options.talks, {one["id"]: json.dumps(one["reply"]) for one in replies})
    if options.sheet:
        options.sheet.write_text(sheet(rows), encoding="utf-8")
        print(len(rows), "turns")
    readers = [{one["id"]: one for one in read_lines(path)} for path in options.marks]
    if options.keep:
        marked = [
            {
                "round": options.keep,
                **row,
                "trainee": options.trainees[int(row["id"].split("-")[0]) - 1],
                "marks": [reader[row["id"]] for reader in readers],
            }
            for row in rows
        ]
        bare = [{name: row[name] for name in ("round", "id", "trainee", "marks")} for row in kept]
        every = [*(row for row in bare if row["round"] != options.keep), *marked]
        by_round = [[row for row in every if row["round"] == name] for name in dict.fromkeys(r["round"] for r in every)]
        lines = "".join(f"{line}\n" for one in by_round for line in compact(one))
        KEPT.write_bytes(lzma.compress(lines.encode("utf-8"), preset=9))
        figures(marked)


if __name__ == "__main__":
    main()
