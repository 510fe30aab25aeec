"""Is the effect the same when the same turns are said in other words? Reworded turns by strangers, on patients of development cases.

    python benchmarks/wording_invariance.py              # plays what is stored and prints; some minutes
    python benchmarks/wording_invariance.py --write      # and stores the figures
    python benchmarks/wording_invariance.py --record OUT # plays the arms anew and writes prompts for those who reword
    python benchmarks/wording_invariance.py --take OUT   # takes in what they wrote

Oracle, worksheet and two Socratic scripts were played, and their turns kept as lists. Writers who knew neither code nor cases, and saw
nothing but these turns, said whole sessions in other words, the intent unchanged: short, long with a sentence before the question, in a
language model's style. Both lists are said to the same patients with the same luck, whatever is answered, so that only the words
differ; each list to `LUCKS` patients of its case and situation, on the wrong case and shuffled to one. The effect is the fall of held conviction beyond no session; its ratio reworded ÷
original has a bootstrap interval over sessions. The same turns on the wrong case, and shuffled in time, should move little.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import lzma
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from maieutic.coding.rules import RuleCoder
from maieutic.dialogue import Conversation, Streams, converse
from maieutic.domain.episode import EpisodeKey, Session, Turn
from maieutic.evaluation.plan import RUN_SEED, drawn_situation, load_arms
from maieutic.library import get_case, select_cases
from maieutic.patients.simulated import SimulatedPatient
from maieutic.reading.minilm import shared_minilm
from maieutic.stats import Interval, bootstrap_statistic, student_mean

HERE = Path(__file__).parent
TURNS_FILE = HERE / "data" / "reworded_turns.jsonl.xz"
RESULT = HERE / "results" / "wording_invariance.json"
ARMS = ("oracle", "worksheet", "padesky_script", "state_machine")
STYLES = {
    "short": "Say each turn as short as it can be said, as a plain-spoken therapist would: at most twelve words where "
    "that is possible, no sentence before the question.",
    "long": "Say each turn at greater length, as a therapist who takes time: one natural sentence first that adds "
    "nothing (it leads to the question, or says why one asks), then the question or statement in other words; 25 to 45 words.",
    "model": "Say each turn as a capable assistant language model would say it that has been told to act as a "
    "therapist: gentle, careful, well-formed, two or three sentences with one question at the end where the turn asks one; 30 to 60 words.",
}
HANDS = 2
"""Writers a style."""
CASES, SEEDS, TURNS, LUCKS, LOT = 10, 2, 20, 3, 29
WITHIN, INERT = 0.15, 3.0
"""Asked of the ratio, and of the same turns on the wrong case or shuffled, points."""
PROMPT = """You are a practised English-speaking psychotherapist who writes well. Below are the therapist's turns of ten sessions, each of up to twenty turns; the client's answers are left out. Say every turn again in other words, **with the same intent**.

{style}

Rules:
- The same thing is asked or said, of the same person, thing, moment and time; nothing is asked that the original does not ask, and nothing is left out. A question stays a question of its kind (an open one open, one for a number one for a number), a statement stays a statement. Never two questions where the original asks one.
- Name what the original names, in your own words where that is natural; add no detail of the client's life.
- A turn that gives the client's own words back still does so.
- Different turns in different words: no stock beginning that comes again and again.
- Plain text, no lists, no quotation marks around the whole.

Write one JSON line a turn to {answer}, all of them and nothing else:
{{"s": 3, "t": 12, "text": "…"}}
with s the number of the session and t that of the turn. Then check that none is missing. Look at no other file; you know nothing else about these sessions. When done, answer with one line: how many turns.
"""


@dataclass(frozen=True, slots=True)
class Said:
    """Says stored turns one after another, whatever is answered."""

    lines: tuple[str, ...]
    name: str = "stored"

    async def respond(self, session: Session) -> Turn:
        return Turn("therapist", self.lines[len(session.by("therapist"))])


def played(case: str, seed: int, therapist: Any, turns: int, luck: int | None = None) -> tuple[float, tuple[str, ...]]:
    """Points that held conviction fell in a session with the patient of a seed, and the therapist's turns.

    `luck` is the seed of mind and luck where it is not the situation's own.
    """
    own = get_case(case)
    patient = SimulatedPatient.of(own, drawn_situation(own, RUN_SEED, seed), embed=shared_minilm())
    key = EpisodeKey(therapist.name, case, seed if luck is None else luck)
    talk = Conversation(therapist, patient, RuleCoder(), turns, Streams(RUN_SEED, key))
    episode = asyncio.run(converse(talk))
    return episode.states[0].held - episode.states[-1].held, tuple(
        t.text for t in episode.session.by("therapist") if t.text
    )


def fall(case: str, seed: int, lines: Sequence[str], lucks: int = LUCKS) -> float:
    """Mean fall over the lucks of a list beyond no session, points."""
    found = []
    for luck in (1000 * number + seed for number in range(lucks)):
        own, _ = played(case, seed, Said(tuple(lines)), len(lines), luck)
        found.append(own - _alone(case, seed, len(lines), luck))
    return sum(found) / len(found)


@cache
def _alone(case: str, seed: int, turns: int, luck: int) -> float:
    therapist, _ = next(iter(load_arms({"no_session": "no_session"}, {}).values()))
    return played(case, seed, therapist, turns, luck)[0]


def drawn() -> Iterator[tuple[str, int, list[tuple[str, int, str]]]]:
    """Style, hand and sessions (case, seed, arm) of each writer: every writer has each case once, over all arms."""
    pool = [case.id for case in select_cases(split="dev") if case.memory is not None and case.special is None]
    cases = Random(LOT).sample(pool, CASES)
    for number, (style, hand) in enumerate((style, hand) for style in STYLES for hand in range(HANDS)):
        yield style, hand, [(case, number % SEEDS, ARMS[(at + number) % len(ARMS)]) for at, case in enumerate(cases)]


def record(out: Path) -> None:
    """Plays the arms and writes one prompt a writer."""
    out.mkdir(parents=True, exist_ok=True)
    kept: list[dict[str, Any]] = []
    for style, hand, sessions in drawn():
        answer = out / f"{style}-{hand}.answer.jsonl"
        parts = [PROMPT.format(style=STYLES[style], answer=answer.resolve())]
        for number, (case, seed, arm) in enumerate(sessions, 1):
            therapist, _ = next(iter(load_arms({arm: arm}, {}).values()))
            _, lines = played(case, seed, therapist, TURNS)
            kept.append({"style": style, "hand": hand, "case": case, "seed": seed, "arm": arm, "original": lines})
            parts.append(f"\n## Session {number}\n" + "\n".join(f"{at}. {line}" for at, line in enumerate(lines, 1)))
        (out / f"{style}-{hand}.md").write_text("\n".join(parts) + "\n", encoding="utf-8")
        print(f"{style}-{hand}: {sum(len(one['original']) for one in kept[-len(sessions) :])} turns")
    (out / "originals.json").write_text(json.dumps(kept), encoding="utf-8")


def take(out: Path) -> None:
    """Stores the turns beside what they were; a session of which a turn is missing is left out and named."""
    kept = json.loads((out / "originals.json").read_text(encoding="utf-8"))
    whole = []
    for style, hand, sessions in drawn():
        answer = out / f"{style}-{hand}.answer.jsonl"
        rows = map(json.loads, answer.read_text(encoding="utf-8").splitlines()) if answer.exists() else ()
        said = {(row["s"], row["t"]): row["text"].strip() for row in rows}
        own = [one for one in kept if (one["style"], one["hand"]) == (style, hand)]
        for number, one in enumerate(own, 1):
            places = [(number, at) for at in range(1, len(one["original"]) + 1)]
            if all(said.get(place) for place in places):
                whole.append(one | {"reworded": [said[place] for place in places]})
            else:
                print(f"{style}-{hand}, session {number} of {len(sessions)}: not whole")
    body = "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in whole)
    TURNS_FILE.write_bytes(lzma.compress(body.encode(), preset=9))
    print(
        f"{len(whole)} sessions, {sum(len(one['reworded']) for one in whole)} turns; {TURNS_FILE.stat().st_size} bytes"
    )


def stored_sessions() -> list[dict[str, Any]]:
    """The sessions with both lists."""
    return [json.loads(line) for line in lzma.decompress(TURNS_FILE.read_bytes()).decode().splitlines()]


def measured(one: dict[str, Any], others: Sequence[str]) -> dict[str, Any]:
    """One session's effects, points: as it was, reworded, and reworded on the wrong case and shuffled in time."""
    rng = Random(f"{one['case']} {one['arm']} {one['style']} {one['hand']}")
    case, seed = one["case"], one["seed"]
    wrong = rng.choice([name for name in others if name != case])
    shuffled = rng.sample(one["reworded"], len(one["reworded"]))
    told = {name: one[name] for name in ("style", "hand", "case", "seed", "arm")}
    effects = {
        "original": fall(case, seed, one["original"]),
        "reworded": fall(case, seed, one["reworded"]),
        "wrong case": fall(wrong, seed, one["reworded"], 1),
        "shuffled": fall(case, seed, shuffled, 1),
    }
    return told | {"turns": len(one["reworded"])} | {name: round(value, 3) for name, value in effects.items()}


def ratio(rows: Sequence[dict[str, Any]]) -> Interval:
    """Effect reworded ÷ original: ratio of sums, bootstrap over sessions."""

    def of(pairs: Sequence[tuple[float, float]]) -> float | None:
        below = sum(before for before, _ in pairs)
        return sum(after for _, after in pairs) / below if below > 0 else None

    pairs = [(row["original"], row["reworded"]) for row in rows]
    return bootstrap_statistic(pairs, of, clusters=range(len(pairs)), rng=Random(7))


def table(rows: Sequence[dict[str, Any]]) -> list[str]:
    """The figures by arm and style."""
    lines = [
        f"{len(rows)} sessions, {sum(row['turns'] for row in rows)} turns, each said to {LUCKS} patients; points beyond no session"
    ]
    lines.append(
        f"ratio asked within 1 ± {WITHIN} with its whole interval; wrong case and shuffled asked ≤ {INERT:g} points"
    )
    for arm in ("all", *ARMS):
        for style in ("all", *STYLES):
            own = [row for row in rows if arm in ("all", row["arm"]) and style in ("all", row["style"])]
            found = ratio(own)
            holds = (
                found.low is not None and found.high is not None and abs(found.low - 1) <= WITHIN >= abs(found.high - 1)
            )
            means = "; ".join(
                f"{name} {student_mean([row[name] for row in own]).shown(1)}"
                for name in ("original", "reworded", "wrong case", "shuffled")
            )
            lines.append(
                f"{arm:15}{style:6} n {len(own):3}  ratio {found.shown():20} {'holds' if holds else 'broken':7} {means}"
            )
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--record", type=Path)
    parser.add_argument("--take", type=Path)
    parser.add_argument("--write", action="store_true")
    asked = parser.parse_args()
    if asked.record:
        record(asked.record)
    elif asked.take:
        take(asked.take)
    else:
        sessions = stored_sessions()
        others = sorted({one["case"] for one in sessions})
        rows = []
        for one in sessions:
            rows.append(measured(one, others))
            print(f"{len(rows)} of {len(sessions)}", end="\r", flush=True)
        print("\n".join(table(rows)))
        if asked.write:
            body = ",\n".join(map(json.dumps, rows))
            RESULT.write_text(f'{{"date": "{date.today()}", "sessions": [\n{body}\n]}}\n', encoding="utf-8")


if __name__ == "__main__":
    main()
