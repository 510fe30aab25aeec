"""What a patient turn says about suicide: a head of the protocol's own, clause by clause, and a bare yes or no by its
question.

The head was fitted on own-written clauses (`recipes/readers/risk_told.py`), two more on lines of hands who had seen no
case: what only begins like a no, and what is said to whether it has come closer. Neither the patient nor any scorer
reads with them.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from maieutic.language.sentences import sentences, words
from maieutic.reading.bag import sentence_row
from maieutic.reading.head import load
from maieutic.reading.minilm import shared_minilm
from maieutic.safety.kinds import Kind, another_danger, kind_of
from maieutic.therapists.hearing import heard
from maieutic.therapists.risk.grades import ABOUT, GRAVE, OPEN, Answer, Ask, Facet

WEIGHTS: Final = "therapists/weights/risk.npz"
PREPARING: Final = (Facet.INTENT, Facet.PLAN, Facet.MEANS)
SAYS: Final = (
    *(facet.value for facet in Facet),
    *(f"no_{facet.value}" for facet in Facet if facet not in (Facet.WISH, Facet.KNOWN)),
    "not_known",
    "unsure",
    "evades",
    "other",
)
"""What a clause can say."""
COMES: Final = ("closer", "no_closer", "unsure", "besides")
"""What an answer to whether it has come closer says: besides is none."""
_JOINTS: Final = (", and ", ", but ", "; ", ", though ", " but ", ", so ", ", because ")
_NO: Final = frozenset({"no", "nope", "nah", "nay", "never", "negative"})
_NOBODY: Final = frozenset({"nobody", "none", "nothing"})
_YES: Final = frozenset({"yes", "yeah", "yep", "aye", "affirmative", "sometimes", "often"})
_BEFORE_IT: Final = frozenset({"oh", "god", "look", "well", "honestly", "um", "er", "hm"})
SHORT_ANSWER: Final = 6
"""Words of an answer up to which a yes in front is all that it says. *Assumption.*"""
SHORT_SENTENCE: Final = 3
"""Words of a first sentence up to which a yes in it is an answer, whatever comes after. *Assumption.*"""
NO_OTHER: Final = 0.3
"""P(another danger) up to which a yes in front is taken for one when the question is put a second time.
*Assumption.*"""
_TO_THEIR_OWN: Final = frozenset({Kind.PSYCHOSIS, Kind.MANIA})
"""Kinds that a bare yes to the question about suicide is a yes to ("Aye. There's a voice.")."""
GRAVITY: Final = {Facet.INTENT: 5, Facet.PLAN: 4, Facet.MEANS: 3, Facet.THOUGHTS: 2, Facet.WISH: 2}
"""What of an answer is given back: the gravest of it, not the first."""
MIN_TOLD: Final = 3
"""Words from which something was told to a question that is answered with whatever there is."""
LONGEST_QUOTE: Final = 26
"""Words given back at most."""
EXPECTED: Final = 3.0
"""How much likelier a clause is taken to answer what was asked than to say something else. *Assumption.*"""
EXPECTED_OPEN: Final = 6.0
"""The same after a question that is answered with whatever there is in a life. *Assumption.*"""
DOUBT: Final = 0.4
LACKING: Final = 0.6
"""P(a sentence is no answer, though it begins like a no) from which it denies nothing. *Assumption.*"""
CLOSER_AT: Final = 0.5
"""P(what an answer to whether it has come closer says) from which it does. *Assumption.*"""
_DENIED: Final = {"not_known": Facet.KNOWN, **{f"no_{facet.value}": facet for facet in Facet}}
_ANSWERING: Final = {
    facet: frozenset({f"no_{facet.value}", "not_known" if facet is Facet.KNOWN else "evades"})
    | (frozenset({facet.value}) if facet not in (Facet.WISH, Facet.THOUGHTS) else frozenset())
    | ({"unsure"} if facet is Facet.INTENT else frozenset())
    for facet in Facet
}


@lru_cache(maxsize=10_000)
def _chances(clause: str) -> dict[str, float]:
    head = load(WEIGHTS, "risk_told")
    return head(sentence_row(clause, head.places))


def says(clause: str, about: Facet | None = None) -> str | None:
    """What one clause says of `SAYS`, where `about` was asked; None where the head is in doubt."""
    chances = _chances(clause)
    likely = _ANSWERING.get(about, frozenset()) if about is not None else frozenset()
    more = EXPECTED_OPEN if about in (Facet.PROTECTS, Facet.KNOWN) else EXPECTED
    weighed = {label: chance * (more if label in likely else 1.0) for label, chance in chances.items()}
    total = sum(weighed.values())
    best = max(weighed, key=weighed.__getitem__)
    if best == "no_thoughts" and _compares(clause):
        best = "evades"
    return best if weighed[best] / total >= DOUBT else None


def _compares(clause: str) -> bool:
    """It denies no more than that it has grown: "no more than usual"."""
    return {"more", "than"} <= set(words(clause))


@lru_cache(maxsize=5_000)
def _lacks(sentence: str) -> bool:
    """It begins like a no and answers nothing: "No way out", "Nobody left to ring". A no before a comma is one."""
    head = load(WEIGHTS, "risk_lacks")
    alone = len(words(sentence.partition(",")[0])) == 1
    return not alone and head(sentence_row(sentence, head.places))["lacks"] >= LACKING


@lru_cache(maxsize=1_000)
def comes_closer(text: str) -> str:
    """What a turn says to whether it has come closer, one of `COMES`; '' where the head for it is in doubt."""
    head = load(WEIGHTS, "risk_closer")
    chances = head(sentence_row(text, head.places))
    best = max(chances, key=chances.__getitem__)
    return best if chances[best] >= CLOSER_AT else ""


def preparing(text: str) -> float:
    """How surely a turn tells of intent, plan or means, by its likeliest clause, 0–1."""
    every = [clause for sentence in sentences(text) for clause in clauses(sentence)]
    shared_minilm()(every)  # at one go: one after another they take longer
    found = map(_chances, every)
    return max((sum(one[facet.value] for facet in PREPARING) for one in found), default=0.0)


def clauses(sentence: str) -> tuple[str, ...]:
    """A sentence cut where it joins two statements."""
    parts = [sentence]
    for joint in _JOINTS:
        parts = [piece for part in parts for piece in part.split(joint)]
    return tuple(part for part in parts if words(part))


def read_answer(text: str, asked: Ask | None) -> Answer:
    """A patient turn as an answer to a question of the protocol, or to none.

    A yes or no in front is tied to what was asked; what a clause says by itself goes before it.
    """
    yes: set[Facet] = set()
    no: set[Facet] = set()
    unsure = evades = False
    quote: tuple[float, str] = (-1.0, "")
    about = ABOUT.get(asked) if asked is not None else None
    first = next(iter(sentences(text)), "")
    for sentence in sentences(text):
        for clause in clauses(sentence):
            found = says(clause, about)
            if (
                about is Facet.THOUGHTS
                and found in (None, "other")
                and sentence == first
                and heard("answer", sentence) == "denies"
                and not _compares(sentence)
            ):
                found = "no_thoughts"
            if found == "no_thoughts" and (about is Facet.THOUGHTS or about in PREPARING) and _lacks(sentence):
                found = "other"
            if found is None:
                continue
            if found in _DENIED:
                no.add(_DENIED[found])
                quote = max(quote, (0.0, sentence), key=lambda one: one[0])
            elif found in Facet._value2member_map_:
                facet = Facet(found)
                yes.add(facet)
                weight = GRAVITY.get(facet, 0) + _chances(clause)[facet.value]
                quote = max(quote, (weight, sentence), key=lambda one: one[0])
            unsure, evades = unsure or found == "unsure", evades or found == "evades"
    bare = None if about is Facet.THOUGHTS and _compares(first) else _bare(text)
    lacks = bare is False and (about is Facet.THOUGHTS or about in PREPARING) and _lacks(first)
    bare = None if lacks else bare
    if about is Facet.THOUGHTS and bare:
        # A yes that goes on with another danger ("Yes, somebody hurts me") neither affirms nor denies thoughts of
        # suicide.
        no.discard(about)
        again = asked in (Ask.AGAIN, Ask.LATER) and another_danger(text) < NO_OTHER
        if not yes & (GRAVE - {Facet.PLAN}) and (_alone(text) or again or kind_of(text) is Kind.SUICIDE):
            yes.add(about)
    elif (
        about is Facet.THOUGHTS and bare is False and _alone(text) and not yes & {Facet.INTENT, Facet.PLAN, Facet.MEANS}
    ):
        # What comes after a plain no takes it back only where it tells of death by itself ("No. But I'd be glad not to
        # wake").
        if kind_of(text) is not Kind.SUICIDE:
            yes -= GRAVE
            no.add(about)
    elif about in PREPARING and bare is False and _alone(text):
        # "No. It's there, but I won't do it."
        yes -= {about, *PREPARING} if about is Facet.INTENT else {about}
        no.add(about)
    elif about not in (None, Facet.WISH) and bare is not None and about not in yes | no:
        (yes if bare else no).add(about)
    elif about in (Facet.KNOWN, Facet.PROTECTS) and set(words(text)[:1]) & _NOBODY:
        no.add(about)
    if about is Facet.THOUGHTS and yes & GRAVE == {about} and kind_of(text) in _TO_THEIR_OWN:
        yes.discard(about)
    if asked is Ask.CHANGED and (comes := comes_closer(text)) and not (lacks and comes == "no_closer"):
        # "Maybe a bit, I wouldn't swear to it" is no "no".
        yes |= {Facet.INTENT} if comes == "closer" else set()
        no = no | {Facet.INTENT} if comes == "no_closer" else no - {Facet.INTENT}
        unsure = unsure or comes == "unsure"
    told = about in OPEN and not evades and _tells(text)
    return Answer(frozenset(yes), frozenset(no - yes), unsure, evades, short(quote[1]), told)


def short(sentence: str) -> str:
    """A sentence as it was said, cut at a comma or after so many words where it is long."""
    kept = sentence.strip(' "“”')
    while len(words(kept)) > LONGEST_QUOTE and "," in kept:
        kept = kept.rpartition(",")[0]
    if len(words(kept)) > LONGEST_QUOTE:
        kept = " ".join(kept.split()[:LONGEST_QUOTE]) + "…"
    return kept.rstrip(" .!?,;")


def _alone(text: str) -> bool:
    """The yes or no in front is a sentence of its own, or nearly all that is said."""
    first = next(iter(sentences(text)), "")
    return len(words(first)) <= SHORT_SENTENCE or len(words(text)) <= SHORT_ANSWER


def _tells(text: str) -> bool:
    """Something is told: neither a number nor a question back nor a word or two."""
    spoken = words(text)
    asks = text.rstrip().endswith("?")
    return len(spoken) >= MIN_TOLD and not asks and not any(word.isdigit() for word in spoken)


def _bare(text: str) -> bool | None:
    """A yes or a no in front."""
    first = next((word for word in words(text) if word not in _BEFORE_IT), "")
    at_the_end = len(words(text)) <= SHORT_ANSWER and words(text)[-1:] == ("yes",)
    return False if first in _NO else True if first in _YES or at_the_end else None
