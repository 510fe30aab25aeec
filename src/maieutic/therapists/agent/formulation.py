"""The formulation: what has been said, kept in the patient's own words and carried through the session.

Situation, thought, feelings said as such, facts for and against, what gave way, people, and threads that were offered
and not asked about. It is folded anew from what was said, so that a session can be resumed and branched anywhere. The
order of the parts follows the case formulation of Beck (2020); that nothing stands in it but quotations is our own
rule.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from maieutic.domain.episode import Session, Turn
from maieutic.language.feelings import PLAIN, disclosed_feelings, named_feelings
from maieutic.language.sentences import content_words, content_words_of, first_number, sentences, words
from maieutic.safety.kinds import LIKELY, another_danger
from maieutic.therapists.agent.off_task import turns_away
from maieutic.therapists.agent.quoting import LONGEST, Phrase, people, phrases, sets_scene
from maieutic.therapists.agent.steps import ASKING_OF_RISK, RISK_STEPS, Step
from maieutic.therapists.hearing import LINES, held_in
from maieutic.tracking.asked import meant
from maieutic.tracking.targets import Target

SURE: Final = 0.36
"""P(a reply holds a fact, or gives way) from which it is noted as such."""
ASKED: Final = 0.35
"""What having asked for it adds to the probability that a phrase is the thought, or that a reply is a fact against
it."""
PLANNED: Final = 0.4
"""P(a reply tells a plan) from which it is given back as one."""
HOLDS: Final = 0.35
"""P(a sentence holds a thought) from which its parts are read by themselves."""
FELT: Final = 0.4
"""P(a phrase holds a feeling) from which a word for one in it is taken for that."""
THOUGHT: Final = 0.85
"""Likeness to a thought from which a phrase is taken for the thought that the session is about."""
SHORTEST: Final = 3
"""Words of a thought."""
OPENING: Final = 0.3
"""How much less a phrase counts as the thought where it opened the talk: what one comes with is mostly what
happened."""
KEPT: Final = 0.15
"""By how much a later phrase must be more like a thought to take the place of an earlier one."""
HAPPENED: Final = 0.25
"""P(a phrase tells what happened) from which it is not taken for the thought."""
FRAMED: Final = 0.3
"""How much more a phrase counts as the thought where it is told as one."""
FRAME: Final = 4
"""Words before it in which that is said."""
_THINKS: Final = frozenset("thought think thinking thinks goes head mind".split())
OWN: Final = 0.15
"""How much more a phrase counts as the thought where it is about the patient."""
LONGEST_FEELING: Final = 9
KEPT_BACK: Final = 14
"""Words up to which a reply that holds back is not looked through for a thought."""
AGAIN: Final = 4
"""Words of a sentence that is noticed when it is said again."""
LONGEST_ASKING: Final = 22
SHORT_ASKING: Final = 4
"""Words up to which a question that names neither listener nor speaker asks back ("In what way?")."""
_LISTENER: Final = frozenset({"you", "your", "you're", "mean"})
_SPEAKER: Final = frozenset("i i'm i've i'd i'll me my we us our right".split())
_NOT_FOLLOWED: Final = (
    "say that again",
    "lost you",
    "lost the thread",
    "the question",
    "come again",
    "didn't follow",
    "don't follow",
    "ask me that",
    "ask me again",
)
_OTHERS: Final = frozenset("he he's she she's they they're you you're".split())
_DOES_TOO: Final = frozenset({"hurt", "scared", "frightened", "rejected", "panic", "low", "flat"})
"""Words of feeling that as often say what was done."""
_RATES: Final = frozenset({Step.RATE.value, Step.RATE_AGAIN.value})


@dataclass(frozen=True, slots=True)
class Reply:
    """The latest reply, as it bears on what to say next.

    Attributes:
        text: Its words.
        holds: Probability of each of `hearing.LINES`.
        phrases: What of it can be quoted, the most telling first.
        people: Persons it names.
        number: A conviction stated in it, 0–100, or None.
        asks: It does little but ask back what was meant.
        lost: It says outright that the question was not followed.
        again: A sentence of it that was said before, word for word; empty where there is none.
    """

    text: str
    holds: dict[str, float]
    phrases: tuple[Phrase, ...]
    people: tuple[str, ...]
    number: float | None
    asks: bool
    lost: bool
    again: str = ""

    @property
    def kind(self) -> str:
        """What it holds most likely."""
        return max(self.holds, key=lambda name: self.holds[name])


@dataclass(frozen=True, slots=True)
class Formulation:
    """What is understood so far, in the patient's words.

    Attributes:
        situation: A phrase of the opening. thought: The thought that the session is about.
        feelings: Phrases in which the patient says what they felt.
        supports, against: Facts for and against the thought, in order.
        gave_way: Phrases in which the thought loosened.
        people: Persons named. threads: Phrases offered and not taken up, latest first.
        feared: Persons whom a reply named that tells of another danger than suicide.
        ratings: Convictions stated, 0–100, in order.
        plan: What the patient means to do, or None.
        reply: The latest reply; None before the opening.
    """

    situation: Phrase | None = None
    thought: Phrase | None = None
    feelings: tuple[Phrase, ...] = ()
    supports: tuple[Phrase, ...] = ()
    against: tuple[Phrase, ...] = ()
    gave_way: tuple[Phrase, ...] = ()
    people: tuple[str, ...] = ()
    feared: tuple[str, ...] = ()
    threads: tuple[Phrase, ...] = ()
    ratings: tuple[float, ...] = ()
    plan: Phrase | None = None
    reply: Reply | None = None

    def as_trace(self) -> dict[str, object]:
        """A short, readable form for a turn's trace."""
        return {
            "situation": self.situation.text if self.situation else None,
            "thought": self.thought.text if self.thought else None,
            "feelings said": [one.text for one in self.feelings],
            "for": [one.text for one in self.supports],
            "against": [one.text for one in self.against],
            "gave way": [one.text for one in self.gave_way],
            "people": list(self.people),
            "open threads": [one.text for one in self.threads[:4]],
            "ratings": list(self.ratings),
            "plan": self.plan.text if self.plan else None,
        }


def formulated_from(session: Session) -> Formulation:
    """The formulation after the last patient turn."""
    return _folded(tuple((turn.speaker, turn.text, _target(turn), _noted(turn)) for turn in session.turns))


@lru_cache(maxsize=500)
def _folded(said: tuple[tuple[str, str, Target, str], ...]) -> Formulation:
    exchanges: list[tuple[str, Target, str]] = []
    target, step = Target.NOTHING, ""
    for speaker, text, asked, noted in said:
        if speaker == "patient":
            exchanges.append((text, target, step))
        else:
            target, step = asked, noted
    if not exchanges:
        return Formulation()
    spoken = content_words_of(text for speaker, text, _, _ in said if speaker == "therapist")
    earlier = [text for text, *_ in exchanges]
    told = [
        (n, text, target, step, _quotable(_without_preface(text, earlier[: n - 1]), n, target, step))
        for n, (text, target, step) in enumerate(exchanges, start=1)
    ]
    thought = _thought(told)
    facts = {kind: _facts(told, kind, thought) for kind in ("for", "against", "gives_way")}
    named = people(tuple(text for _, text, *_ in told))
    last, last_target, last_step = exchanges[-1]
    reply = Reply(
        text=last,
        holds=dict(held_in(last)) if words(last) else dict.fromkeys(LINES, 0.0),
        phrases=told[-1][4],
        people=tuple(one for one in named if one.split()[-1] in _tokens(last)),
        number=_rating(last, last_target, last_step),
        asks=asks_back(last),
        lost=any(one in last.lower() for one in _NOT_FOLLOWED),
        again=_said_again(last, earlier[:-1]),
    )
    return Formulation(
        situation=told[0][4][0] if told[0][4] else None,
        thought=thought,
        feelings=tuple(one for n, text, *_ in told for one in felt(text, n)),
        supports=facts["for"],
        against=facts["against"],
        gave_way=facts["gives_way"],
        people=named,
        feared=tuple(one for one in named if any(_fears(one, text) for _, text, *_ in told)),
        threads=_threads(told, spoken, thought),
        ratings=tuple(r for _, text, target, step, _ in told if (r := _rating(text, target, step)) is not None),
        plan=next(
            (_planned(text, found) for _, text, _, step, found in reversed(told) if step == Step.PLAN.value), None
        ),
        reply=reply,
    )


def _fears(person: str, text: str) -> bool:
    return person.split()[-1] in _tokens(text) and another_danger(text) >= LIKELY


def _said_again(last: str, before: list[str]) -> str:
    """The last sentence of a reply that was said before, word for word: the talk has not moved from there."""
    for part in reversed(sentences(_without_preface(last, before))):
        kept = part.strip(" .!…\"'“”")
        if AGAIN <= len(words(kept)) <= LONGEST and any(kept in text for text in before):
            return kept
    return ""


def _without_preface(text: str, before: list[str]) -> str:
    """A reply without what announces that something is said again ("As I said: ..."), where it is."""
    rest = text.partition(": ")[2]
    return rest if len(words(rest)) >= AGAIN and any(rest[:-1] in one for one in before) else text


def _quotable(text: str, turn: int, target: Target, step: str) -> tuple[Phrase, ...]:
    """What of a reply may be quoted: nothing of an answer about danger or of one that gives a number."""
    if step in ASKING_OF_RISK or (target is Target.RISK and step not in RISK_STEPS):
        return ()
    return () if target is Target.RATING and first_number(text) is not None else phrases(text, turn)


_Told = tuple[int, str, Target, str, tuple[Phrase, ...]]


def _thought(told: list[_Told]) -> Phrase | None:
    """The phrase that is most like a thought about oneself, others or what will come; what was asked for it counts
    more."""
    best: tuple[float, Phrase] | None = None
    for number, text, target, _, found in told:
        if number > 1 and len(words(text)) <= KEPT_BACK and turns_away(text):
            continue
        for phrase in (one for one in found if len(words(one.text)) >= SHORTEST and not sets_scene(one.text)):
            # A part of a sentence that holds a thought need not be the thought: only such parts are read by themselves.
            whole = phrase.holds
            like = held_in(phrase.text) if whole["thought"] >= HOLDS else whole
            if (
                like["event"] >= HAPPENED
                or _likeliest(like) == "little"
                or (len(words(phrase.text)) <= SHORTEST + 1 and phrase.text.endswith(" it"))
            ):
                continue
            score = (
                max(like["thought"], 0.8 * whole["thought"])
                - 0.5 * like["feeling"]
                + (ASKED if target is Target.THOUGHT else 0.0)
            )
            score += 0.1 * min(phrase.worth, 4.0) + OWN * phrase.own - OPENING * (number == 1)
            score += FRAMED * _as_a_thought(text, phrase.text)
            if best is None or score > best[0] + KEPT:
                best = score, phrase
    return best[1] if best is not None and best[0] >= THOUGHT else None


def _likeliest(holds: Mapping[str, float]) -> str:
    return max(holds, key=lambda kind: holds[kind])


def _as_a_thought(text: str, phrase: str) -> bool:
    """The patient tells it as something that they thought: "I thought, ...", "That ..."."""
    before = sentences(text.partition(phrase)[0] + "…")
    spoken = words(before[-1])[-FRAME:] if before and phrase in text else ()
    return bool(spoken and _THINKS.intersection(spoken)) or spoken == ("that",)


def _facts(told: list[_Told], kind: str, thought: Phrase | None) -> tuple[Phrase, ...]:
    """A phrase of each reply that holds this more than anything else of the three."""
    found: list[Phrase] = []
    for _, text, target, step, quotes in told[1:]:
        if not quotes or target in (Target.RATING, Target.PLAN, Target.RISK) or step == Step.GOAL.value:
            continue
        holds = dict(held_in(text))
        holds["against"] += ASKED if target is Target.AGAINST and holds["little"] < SURE else 0.0
        rivals = {name: holds[name] for name in ("for", "against", "gives_way", "unmoved", "thought", "little")}
        if holds[kind] < SURE or max(rivals, key=lambda name: rivals[name]) != kind:
            continue
        best = max(quotes, key=lambda phrase: phrase.worth + 3.0 * phrase.holds[kind])
        if (thought is None or best.text != thought.text) and best.text not in {one.text for one in found}:
            found.append(best)
    return tuple(found)


def _planned(text: str, found: tuple[Phrase, ...]) -> Phrase | None:
    """What of an answer to the question for a plan is one, or None where it tells something else."""
    if not found or held_in(text)["plan"] < PLANNED:
        return None
    return max(found, key=lambda phrase: 0.3 * phrase.worth + phrase.holds["plan"])


@lru_cache(maxsize=5_000)
def felt(text: str, turn: int) -> tuple[Phrase, ...]:
    """The clause of a reply in which a feeling is told as a feeling of one's own."""
    found = [p for p in phrases(text, turn) if _tells_feeling(p.text)]
    short = [s.strip(" .!") for s in sentences(text) if len(words(s)) <= LONGEST_FEELING and _tells_feeling(s)]
    if found:
        return (min(found, key=lambda phrase: len(phrase.text)),)
    return (Phrase(short[0], held_in(short[0]), turn, 1.0),) if short else ()


def _tells_feeling(text: str) -> bool:
    """A feeling is named, it is the patient's, and it is one: by a word that means nothing else, or because the whole
    of it tells a feeling."""
    spoken = set(words(text))
    if spoken & _OTHERS and not spoken & _SPEAKER:
        return False
    plain = any(word in PLAIN and word not in _DOES_TOO for _, word, _ in named_feelings(text))
    return bool(disclosed_feelings(text) or plain) and (plain or held_in(text)["feeling"] >= FELT)


def _threads(told: list[_Told], asked_about: frozenset[str], thought: Phrase | None) -> tuple[Phrase, ...]:
    """Phrases that hold something of this life and that no turn of the therapist has taken up, latest reply first."""
    taken = {thought.text} if thought else set()
    found: list[Phrase] = []
    for *_, quotes in reversed(told):
        for phrase in quotes[:3]:
            fresh = content_words(phrase.text) - asked_about
            if (
                phrase.kind != "little"
                and phrase.text not in taken
                and 2 * len(fresh) >= len(content_words(phrase.text))
            ):
                found.append(phrase)
    return tuple(found)


def _rating(text: str, target: Target, step: str) -> float | None:
    return first_number(text) if target is Target.RATING or step in _RATES else None


def asks_back(text: str) -> bool:
    """The reply does little but ask what was meant, or say that the question was not followed."""
    parts = sentences(text)
    asking = [
        part
        for part in parts
        if (part.rstrip('"”').endswith("?") and _to_the_listener(part))
        or any(one in part.lower() for one in _NOT_FOLLOWED)
    ]
    return len(words(text)) < LONGEST_ASKING and 2 * len(asking) >= len(parts) > 0 and first_number(text) is None


def _to_the_listener(question: str) -> bool:
    """It is put to the listener, or is a word or two and tells nothing: "what use am I to anyone?" is a statement."""
    spoken = set(words(question))
    return bool(spoken & _LISTENER) or (len(words(question)) <= SHORT_ASKING and not spoken & _SPEAKER)


def _tokens(text: str) -> frozenset[str]:
    found = text.replace("’", "'").split()
    bare = {token.strip("\"“”'.,;:!?…()").removesuffix("'s") for token in found}
    return frozenset(bare | {one.lower() for one in bare})


def _target(turn: Turn) -> Target:
    return meant(turn).target if turn.speaker == "therapist" else Target.NOTHING


def _noted(turn: Turn) -> str:
    step = (turn.trace or {}).get("step") if turn.speaker == "therapist" else None
    return step if isinstance(step, str) else ""
