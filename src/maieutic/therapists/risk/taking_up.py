"""What was just told or asked is met first, in the patient's own words where they can be given back; then one step to a
person, never the last one again.

After the stop every second turn only listens, with the step kept open in half a sentence: who is asked the same thing
in every turn stops answering. A kind of reply has words of its own only where the head for it is sure
(`after_stop.does`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Final

from maieutic.domain.episode import Session, Turn
from maieutic.language.sentences import sentences, words
from maieutic.therapists.agent.echoing import felt_back, given_back
from maieutic.therapists.risk.after_stop import AS_TOLD, DESPAIRING, HOLDS, LATER, TELLS, VAGUE, despair, does, quotable
from maieutic.therapists.risk.bridges import doctor_named, named_again, somebody
from maieutic.therapists.risk.grades import Ask
from maieutic.therapists.risk.naming import plain_kind
from maieutic.therapists.risk.placing import feeling_word, hurting, painful, telling
from maieutic.therapists.risk.wording import Line, ask_of, filled, line_of, lines

PERSON, WHOM, WORDS, NUMBER = "person", "whom", "words", "number"
STEPS: Final = (PERSON, WHOM, NUMBER, "place", "hinders")
"""Steps to a person after the stop, in order."""
_NAMED: Final = (PERSON, "sooner", "doctor", "again")
"""Those that name somebody."""
_KEYS: Final = {f"stay_step_{one}": one for one in (*STEPS, WORDS, *_NAMED[1:])}
"""Lines that ask for a step."""
HARDLY: Final = frozenset({VAGUE, "nobody", "refuses", "asks_again", AS_TOLD, "sorry"})
"""What names nobody: after two of these the emergency number is offered, or the asking is left for a turn."""
TO_US: Final = frozenset({"you", "your", "you're", "you've", "you'd"})
REPORTS: Final = frozenset({"say", "says", "said"})
BARE_NUMBER: Final = 10
"""Words up to which a reply with a figure says nothing but that."""
WORTH: Final = 4
"""Words of what is given back, a feeling apart, at least."""


@dataclass(frozen=True, slots=True)
class Done:
    """What a reply does (`after_stop.DOES`), and the sentence that does it where that can be given back."""

    what: str
    quote: str = ""


def echoed(reply: str, said: Sequence[str]) -> str:
    """What of a reply is given back: the feelings told as one's own by their words, else what the agent would give
    back; empty where it says nothing that was not given back before."""
    if felt := felt_back(reply):
        return "" if any(felt in one for one in said) else felt
    for echo in given_back(reply):
        bare = echo.text.strip("“”.")
        # What is said to the therapist is answered, and not given back; of what somebody said, nothing as so.
        whole = next((part for part in sentences(reply) if echo.of.text in part), reply)
        others = not echo.quoted and REPORTS & set(words(whole))
        worth = (
            len(words(bare)) >= WORTH
            and not any(map(str.isdigit, bare))
            and not TO_US & set(words(echo.of.text))
            and quotable(echo.of.text)
            and not others
        )
        if worth and not any(bare in one for one in said):
            return echo.text
    bare = feeling_word(reply) or hurting(reply) or telling(reply)
    return f"“{bare}.”" if bare and not TO_US & set(words(bare)) and not any(bare in one for one in said) else ""


def led_by_echo(text: str, reply: str, said: Sequence[str], rng: Random) -> str:
    """A question of the protocol behind what was just told, where that can be given back."""
    echo = "" if does(reply)[0] in HARDLY else echoed(reply, said)
    return f"{filled('met_before', said, rng, echo=echo)} {text}" if echo else text


def bare_number(reply: str) -> bool:
    """A reply says a figure and hardly anything else."""
    return any(map(str.isdigit, reply)) and len(words(reply)) <= BARE_NUMBER


def meeting(done: Done, session: Session, rng: Random, *, steps: bool = False) -> str:
    """Words for what was just told or asked; `steps` where a step to a person follows: nothing is promised then."""
    own, reply = session.by("therapist"), session.by("patient")[-1].text
    said = [turn.text for turn in own]
    if done.what == "asks_again" and not steps:
        return filled("met_lost", said, rng)
    if done.what == VAGUE and own and step_of(own[-1]) in (PERSON, WHOM):
        return filled("met_vague_whom", said, rng)
    if bare_number(reply):
        return filled("met_number", said, rng)
    if f"met_{done.what}" in lines() and done.what != TELLS:
        usable = done.quote if not any(done.quote in one for one in said) else ""
        key = f"met_{done.what}_quoted" if usable and f"met_{done.what}_quoted" in lines() else f"met_{done.what}"
        return filled(key, said, rng, quote=usable)
    if echo := echoed(reply, said):
        hurts = painful(reply) or despair(reply) >= DESPAIRING
        if steps and not hurts:
            return f"{echo} {filled('met_read', said, rng)}"
        return filled(
            "met_told_step" if steps else "met_felt" if felt_back(reply) else "met_told", said, rng, echo=echo
        )
    return filled("met_tells", said, rng)


def step_on(done: Done, session: Session, rng: Random, *, calls_in: bool) -> tuple[str, Line]:
    """The step to a person that is asked for now, or a question for what was told with the step kept open; and which
    line that is (`asks_step`).

    Args:
        calls_in: Somebody whom the patient spoke of may be asked about.
    """
    own = session.by("therapist")
    said, reply = [turn.text for turn in own], session.by("patient")[-1].text
    taken = [step_of(turn) for turn in own if ask_of(turn) is Ask.STAY]
    last, asked = taken[-1] if taken else "", [one for one in taken if one]
    if calls_in and last not in _NAMED and (person := _bridge(done, session)):
        key = "stay_step_sooner" if done.what == LATER else "stay_step_person"
        return filled(key, said, rng, person=person), Line(key, person)
    if calls_in and not last and "again" not in asked and (person := named_again(session)):
        return filled("stay_step_again", said, rng, person=person), Line("stay_step_again", person)
    if calls_in and not last and "doctor" not in asked and doctor_named(session):
        return filled("stay_step_doctor", said, rng), Line("stay_step_doctor")
    lost_twice = [does(turn.text)[0] for turn in session.by("patient")[-2:]] == ["asks_again"] * 2
    step = "" if lost_twice else _due(done, last, asked)
    key = f"stay_step_{step}" if step else _listening(done, reply, session)
    return filled(key, said, rng), Line(key)


def asks_step(line: Line) -> bool:
    """A line asks for a step to a person."""
    return line.key in _KEYS


def _due(done: Done, last: str, asked: Sequence[str]) -> str:
    """The step that is due; empty where it is time to listen."""
    if done.what == "nobody" and last != NUMBER:
        return NUMBER
    if done.what == VAGUE and last in (PERSON, WHOM) and WORDS not in asked:
        return WORDS
    if done.what == "asks_again" and last and last not in asked[:-1]:
        return WHOM if last in _NAMED else last
    if (last and done.what not in ("asks_call", LATER)) or (done.what == "refuses" and asked[-1:] != [""]):
        return ""
    left = [one for one in STEPS[1:] if one != (asked[-1] if asked else "")]
    # Somebody or something that holds them leads to a person, whoever was asked about before.
    leads = done.what in (HOLDS, "warms")
    return min(left, key=lambda one: (leads and one != WHOM, asked.count(one), STEPS.index(one)))


def _listening(done: Done, reply: str, session: Session) -> str:
    """Words that listen: to what was told, to the danger that was told of before, or to how it is now."""
    told = tuple(turn.text for turn in session.by("patient"))
    kind = next((found for text in reversed(told) if (found := plain_kind(text)) is not None), None)
    key = f"stay_listen_{kind}"
    hardly = done.what in HARDLY or not echoed(reply, [])
    times = sum(bool(line_of(turn, (key,))) for turn in session.by("therapist")) if key in lines() else 0
    if hardly and key in lines() and times < len(lines()[key]):
        return key
    hurts = painful(reply) or despair(reply) >= DESPAIRING
    return "stay_listen_vague" if hardly else "stay_listen" if hurts else "stay_listen_any"


def _bridge(done: Done, session: Session) -> str:
    """Whom it is natural to ask about: who was just named, else somebody who was named before."""
    return somebody(session, now=True, wished=done.what in (HOLDS, LATER, "person")) or somebody(session)


def step_of(turn: Turn) -> str:
    """The step that a turn asked for; empty where it only listened."""
    return _KEYS.get(line_of(turn, _KEYS), "")
