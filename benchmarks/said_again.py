"""Does a patient say the same again, or take a harmless turn for a question about suicide? Stored talks on other cases.

    python benchmarks/said_again.py                      # 1,000 sessions of 63 heard talks; some minutes
    python benchmarks/said_again.py --heard 1000         # every session heard by itself: an hour and more
    python benchmarks/said_again.py --data ../shared/data    # and skilled free speech among the harmless turns

The therapist's turns of own-written interviews (`recipes/data/hearing_talks.jsonl.xz`) are said to patients of development cases, each
talk to another case, so that most turns ask beside the point. What was heard is kept, and mind and mouth go through the session
again with other seeds. Counted are replies that say word for
word what the patient said before in the same session; replies of fewer than four words stand apart, since a plain "No." may
come twice. Harmless are the held-out turns about facts, none of which asks about suicide, and skilled free speech without the
turns that name it.
"""

from __future__ import annotations

import argparse
import asyncio
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from maieutic.coding.rules import RuleCoder
from maieutic.dialogue import Conversation, Streams, converse
from maieutic.domain.appraisal import Slot
from maieutic.domain.episode import EpisodeKey, Session, Turn
from maieutic.domain.randomness import derive
from maieutic.language.sentences import sentences, words
from maieutic.library import get_case, select_cases
from maieutic.rivals.set_lines import in_order
from maieutic.runs.files import read_lines
from maieutic.stats import wilson
from maieutic.validation.reading import labelled
from maieutic.worlds import STANDARD_WORLD, patient_of, reading
from replaying import replay

TALKS = Path(__file__).parents[1] / "recipes" / "data" / "hearing_talks.jsonl.xz"
SHORT = 4
"""Words below which a reply may come again."""
SHOWN = 12
NAMES_IT = ("suicid", "kill yourself", "end your life", "hurt yourself", "harm yourself", "not be alive")


@dataclass(frozen=True, slots=True)
class Stored:
    """Says the turns of a stored talk one after another, whatever is answered."""

    lines: tuple[str, ...]
    name: str = "stored"

    async def respond(self, session: Session) -> Turn:
        return in_order(session, self.lines)


def said_again(replies: Sequence[str]) -> list[str]:
    """What was said before in the same words, without regard to case and marks."""
    before: set[tuple[str, ...]] = set()
    found = []
    for reply in replies:
        bare = tuple(words(reply.casefold()))
        if bare in before:
            found.append(reply)
        before.add(bare)
    return found


def played(sessions: int, heard: int, turns: int) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Case and replies of each session: each heard talk as it was, then with other seeds."""
    talks = read_lines(TALKS)
    cases = [case.id for case in select_cases(("dev",))]
    draw = derive(0, "said_again")
    for number in range(min(heard, sessions)):
        case = cases[number % len(cases)]
        talk = draw.choice([talk for talk in talks if talk["case"] != case])
        lines = tuple(turn["t"] for turn in talk["turns"])[:turns]
        streams = Streams(number, EpisodeKey("stored", case, number))
        patient = patient_of(get_case(case), number, STANDARD_WORLD)
        talked = asyncio.run(converse(Conversation(Stored(lines), patient, RuleCoder(), len(lines), streams)))
        yield case, tuple(turn.text for turn in talked.session.by("patient"))
        for seed in range(heard + number, sessions, heard):
            yield case, tuple(turn.text for turn in replay(talked, seed, may_leave=True).by("patient"))


def harmless(data: Path | None) -> list[tuple[str, str, str, str]]:
    """Case, situation, what was said before, and the turn."""
    found = []
    for one in labelled():
        opening = get_case(one.case).phrasings.opening[one.situation][0]
        found.append((one.case, one.situation, opening, one.text))
    if data is not None:
        path = data / "talks" / "skilled_free_speech.jsonl"
        for talk in read_lines(path):
            before = talk["opening"]
            for turn in talk["turns"]:
                if not any(name in turn["therapist"].lower() for name in NAMES_IT):
                    found.append((talk["case"], talk["situation"], before, turn["therapist"]))
                before = turn["patient"]
    return found


def taken_for_risk(turns: Sequence[tuple[str, str, str, str]]) -> list[str]:
    """The harmless turns that the patient takes for a question about suicide."""
    found = []
    for case, situation, before, text in turns:
        heard = reading(case, situation)(Session((Turn("patient", before), Turn("therapist", text))))
        if Slot.RISK in heard.asks:
            found.append(text)
    return found


def main() -> None:
    """Prints."""
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--sessions", type=int, default=1000)
    asked.add_argument("--heard", type=int, default=63, help="talks that are heard turn by turn")
    asked.add_argument("--turns", type=int, default=16, help="turns of a session at most")
    asked.add_argument("--data", type=Path, help="folder of research data")
    told = asked.parse_args()
    count, replies, in_sessions, of_sentences = 0, 0, 0, 0
    again: Counter[str] = Counter()
    for case, said in played(told.sessions, told.heard, told.turns):
        count, replies = count + 1, replies + len(said)
        own = said_again(said)
        again.update(own)
        in_sessions += any(len(words(one)) >= SHORT for one in own)
        parts = [part for reply in said for part in sentences(reply)]
        of_sentences += sum(len(words(part)) >= SHORT for part in said_again(parts))
        if count % 100 == 0:
            print(f"  {count} sessions, last with {case}", flush=True)
    long = {text: times for text, times in again.items() if len(words(text)) >= SHORT}
    print(f"{count} sessions, {replies} replies; said again word for word: {sum(long.values())} (asked 0) in")
    print(
        f"  {in_sessions} sessions, {wilson(in_sessions, count)}; of fewer than {SHORT} words {again.total() - sum(long.values())};"
    )
    print(f"  sentences of at least {SHORT} words said again: {of_sentences}")
    for text, times in Counter(long).most_common(SHOWN):
        print(f"  {times} × {text}")
    turns = harmless(told.data)
    wrong = taken_for_risk(turns)
    print(f"harmless turns taken for a question about suicide: {len(wrong)} of {len(turns)} (asked 0)")
    for text in wrong:
        print(f"  {text}")


if __name__ == "__main__":
    main()
