"""Who may be offered as one to turn to, by a writer whose lines no head was fitted on."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from maieutic.domain.episode import Session, Turn
from maieutic.runs.files import read_lines
from maieutic.stats import wilson
from maieutic.therapists.risk.bridges import OFFERED, bridges
from maieutic.therapists.risk.persons import MAY, WHO, may_be_offered, said_of, told_of
from talks import session_of

HELD_OUT = Path(__file__).parent / "data" / "persons_heldout.jsonl"


def test_the_turns_that_name_somebody_are_read_whole_and_no_name_tells_who_it_is() -> None:
    told = ("It rained.", "Rita came by. She had soup.", "I slept.", "Nothing else.")
    assert told_of("Rita", told) == ("Alex came by. She had soup.", "I slept.")
    assert said_of("Rita", told).endswith("NAME came by She")
    assert may_be_offered("Rita", told) == may_be_offered("Bo", tuple(text.replace("Rita", "Bo") for text in told))
    assert told_of("your sister", ("My sister rang.",)) == ("My sister rang.",)


def test_what_is_told_in_another_sentence_than_the_name_decides() -> None:
    living = session_of("Rita next door brings me soup on Fridays.", "I see.", "She said I could come any time.")
    dead = session_of("Rita next door brought me soup on Fridays.", "I see.", "We buried her in March, in the rain.")
    assert bridges(living) == ("Rita",) and bridges(dead) == ()


def test_of_a_held_out_writer_hardly_anybody_is_offered_who_may_not_be() -> None:
    rows = read_lines(HELD_OUT)
    offered, of = Counter[str](), Counter(row["who"] for row in rows)
    for row in rows:
        turns = [turn for text in row["turns"] for turn in (Turn("patient", text), Turn("therapist", "I see."))]
        found = {one.split()[-1].lower() for one in bridges(Session(tuple(turns[:-1]), 11))}
        offered[row["who"]] += row["person"].split()[-1].lower() in found
    wrong = sum(offered[who] for who in WHO if who != MAY)
    others = sum(of[who] for who in WHO if who != MAY)
    print(f"offered {offered[MAY]} of {of[MAY]} who may be; of who may not {wilson(wrong, others)}, {dict(offered)}")
    assert len(rows) == 120 and OFFERED == 0.6
