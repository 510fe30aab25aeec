"""The default coder of our own code book: heads read what each sentence of a turn does, a few rules join them; and by
the same rules, how a Socratic question is put.

Whether a turn tells the patient what to do is heard in its moment, after what was said, and whole. Two readings are
joined: a head on each sentence (its vector, the vectors of its first words and of the sentence before, its words, what
it gives back), and the word grams of the fast AnnoMI coder, which learned from human codes. Alone neither hears advice
that bears no "I suggest" and no "you should" ("Two. Before noon.").
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from typing import Final

import numpy as np

from maieutic.coding.book import Coding, FacetCoding, Scheme
from maieutic.coding.features import in_place, is_punctuated, restyle, row
from maieutic.coding.head_coder import HeadCoder, Reading, log_odds
from maieutic.coding.head_plan import plan
from maieutic.domain.codes import Move, TurnCode
from maieutic.domain.episode import Session
from maieutic.language.questions import SAFETY_QUESTION, ends_as_question
from maieutic.language.sentences import content_words, sentences, words
from maieutic.reading.bag import bag
from maieutic.reading.ear import SURE
from maieutic.reading.head import Floats, load
from maieutic.reading.minilm import DIMENSIONS, shared_minilm
from maieutic.reading.moves import attributions, chances, does, marks, questions, reaches_for, statements
from maieutic.transcripts.utterance import Utterance

TELLING: Final = "reading/weights/telling.npz"
SENTENCE: Final = "told"
TURN: Final = "told_in_turn"
ADVICE: Final = "advice"
VECTOR, OPENING, BEFORE, WORDS = 2.0, 1.5, 0.7, 2.0
"""Lengths of the parts of a sentence's row: its vector, that of its first words, that of the sentence before, and its
words."""
_FIRST: Final = 4
"""Word pieces with which a sentence opens."""
_PLAIN, _UNHEARD = 1.5, -1.5
"""Score from which a sentence advises plainly; log odds below which the grams' not hearing it says nothing more."""
_AROUND: Final = 60
"""Words of a sentence and its neighbours that the grams read."""


@dataclass(frozen=True, slots=True)
class Told:
    """What was heard of a turn.

    Attributes:
        chance: Probability that it tells the patient what to do.
        sentence: The sentence that does so most; empty for a turn without words.
    """

    chance: float
    sentence: str


@lru_cache(maxsize=20_000)
def told(text: str, before: str = "") -> Told:
    """Hears advice in a turn; `before` is what the patient said last."""
    parts = sentences(text)
    if not parts:
        return Told(0.0, "")
    head = load(TELLING, SENTENCE)
    scores = head.scores(sentence_rows(parts, before, head.places))[:, 0]
    chance = load(TELLING, TURN)(turn_row(scores, parts, before))[ADVICE]
    return Told(chance, parts[int(scores.argmax())])


def sentence_rows(parts: Sequence[str], before: str, vocabulary: Mapping[str, int]) -> Floats:
    """What the head sees of each sentence of a turn, (n, 3 · 384 + 10 + vocabulary)."""
    vectors = shared_minilm()(parts).astype(np.float64)
    earlier = np.vstack([np.zeros((1, DIMENSIONS)), vectors[:-1]])
    said, asked = content_words(before), float(before.rstrip().endswith("?"))
    rows = []
    for at, part in enumerate(parts):
        own, length = content_words(part), len(part.split())
        shared = len(own & said)
        form = (
            float(ends_as_question(part)),
            float("?" in part),
            min(length, 40) / 40,
            float(length < 4),
            shared / max(len(own), 1),
            min(shared, 4) / 4,
            float(at == 0),
            float(at == len(parts) - 1),
            asked,
            float("should" in before.lower()),
        )
        known = WORDS * bag(part, vocabulary)
        rows.append(np.concatenate([VECTOR * vectors[at], form, OPENING * _opening(part), BEFORE * earlier[at], known]))
    return np.array(rows)


def turn_row(scores: Floats, parts: Sequence[str], before: str) -> Floats:
    """What is joined of a turn: the highest score of its sentences, by how much it is beyond doubt, and the log odds
    that the grams take that sentence, between its neighbours, for input of the therapist's own. (3,)

    Of a whole turn those odds grow with its length, whatever it says.
    """
    most = int(scores.argmax())
    around = " ".join(" ".join(parts[max(most - 1, 0) : most + 2]).split()[:_AROUND])
    grams = log_odds(_chance_of_input(before, around))
    return np.array([scores[most], max(scores[most] - _PLAIN, 0.0), max(grams, _UNHEARD)])


def _opening(part: str) -> Floats:
    found = shared_minilm().words(part)[1][:_FIRST]
    if not len(found):
        return np.zeros(DIMENSIONS)
    mean = found.mean(axis=0).astype(np.float64)
    return np.asarray(mean / (np.linalg.norm(mean) + 1e-9))


def _chance_of_input(before: str, text: str) -> float:
    """Probability that a turn is input of the therapist's own, by the one head of the quick coder that says so."""
    head = _grams()
    turns = [*([("client", before)] if before else []), ("therapist", text)]
    style = head.style("written" if is_punctuated([said for _, said in turns]) else "bare")
    *_, said = in_place([(who, restyle(own, style)) for who, own in turns])
    [found] = head.probabilities(Reading([said], [row(said)]), style, None)
    return float(found[head.labels.index("therapist_input")])


@cache
def _grams() -> HeadCoder:
    return HeadCoder(plan("annomi_therapist"), accurate=False)


_SURE_RISK: Final = re.compile(
    r"\bsuicid|\b(?:kill|hurt|harm)(?:ing)? yourself|\b(?:end|tak)\w* your own life|\bend(?:ing)? your life|"
    + SAFETY_QUESTION,
    re.I,
)
"""What is asked in these words is about danger, whatever a head makes of it."""
_GIVEN_BACK: Final = 0.34
"""Share of a statement's content words that the patient said just before, from which it is given back."""
_BY_STATEMENT: Final = {
    "reassurance": Move.REASSURANCE,
    "affirmation": Move.AFFIRMATION,
    "information": Move.INFORMATION,
}

AGREED: Final = 0.17
"""Product of the chances of the turn and of the ear's surest sentence from which both together hear advice."""
LECTURE_WORDS = 45


@dataclass(frozen=True, slots=True)
class RuleCoder:
    """Codes the last therapist turn, sentence by sentence.

    Source: own code book (`maieutic.domain.codes`). Departures: probabilities are 0.95 for a move that was found and
    are not calibrated. Blind to irony and to other languages.
    """

    def code(self, session: Session) -> TurnCode:
        """Code the last therapist turn in the light of the patient's words before it."""
        turn = session.last("therapist")
        said = session.last("patient")
        return code_text(turn.text if turn else "", said.text if said else "")


@lru_cache(maxsize=20_000)
def code_text(text: str, previous: str = "") -> TurnCode:
    """Code one therapist utterance; `previous` is what the patient said before it."""
    asked, stated = questions(text), statements(text)
    said = content_words(previous)
    advice = told(text, previous)
    agreed = advice.chance * max(map(_advises, stated), default=0.0)
    heard = (advice.chance >= SURE or agreed >= AGREED) and not _repeats(advice.sentence, said)
    heard = heard and not _rather_informs(advice.sentence)
    advises = heard or any(q.advising for q in asked)
    asked = tuple(q for q in asked if not (q.advising or (advises and q.text in advice.sentence)))
    moves: set[Move] = {Move.ADVICE} if advises else set()
    if any(q.open for q in asked):
        moves.add(Move.OPEN_QUESTION)
    if any(not q.open for q in asked):
        moves.add(Move.CLOSED_QUESTION)
    moves |= {move for mark, move in _BY_STATEMENT.items() if any(mark in marks(s) for s in stated)}
    if any(q.leading for q in asked) or any(map(_disputes, sentences(text))):
        moves.add(Move.CHALLENGE)
    if does(text, "risk") or _SURE_RISK.search(text):
        moves.add(Move.RISK_RESPONSE)
    if does(text, "summary"):
        moves.add(Move.SUMMARY)
    if any(not a.tentative for a in attributions(text)):
        moves.add(Move.FEELING_CLAIM)
    others = [s for s in stated if not (advises and (s == advice.sentence or "advice" in marks(s)))]
    if Move.SUMMARY in moves or any(_gives_back(s, said) for s in others):
        moves.add(Move.REFLECTION)
    told_words = sum(len(words(s)) for s in stated)
    if told_words >= LECTURE_WORDS and moves & {Move.INFORMATION, Move.ADVICE, Move.CHALLENGE, Move.REASSURANCE}:
        moves.add(Move.LECTURE)
    return TurnCode(dict.fromkeys(sorted(moves), 0.95) or {Move.OTHER: 0.95}, len(words(text)))


def _advises(sentence: str) -> float:
    """How surely the ear takes a sentence for advice; 0 where it rather gives something back."""
    chance = chances(sentence)
    return chance["advice"] if chance["advice"] >= max(SURE, chance["reflection"]) else 0.0


def _rather_informs(sentence: str) -> bool:
    """The ear takes a sentence for information, and more so than for advice."""
    chance = chances(sentence)
    return chance["information"] >= SURE and chance["information"] > chance["advice"]


def _disputes(sentence: str) -> bool:
    """A sentence that disputes more than it affirms, reassures or gives back."""
    chance = chances(sentence)
    return chance["challenge"] >= max(SURE, chance["affirmation"], chance["reassurance"], chance["reflection"])


def _gives_back(sentence: str, said: frozenset[str]) -> bool:
    """A statement that reflects by its form, or one built on at least two of the patient's content words."""
    if _disputes(sentence) or not marks(sentence).isdisjoint(("reassurance", "affirmation")):
        return False
    return "reflection" in marks(sentence) or _shares(sentence, said)


def _repeats(sentence: str, said: frozenset[str]) -> bool:
    """A sentence that has no word of matter but the patient's own gives back what they have to do."""
    own = content_words(sentence)
    return len(own) > 2 and own <= said


def _shares(sentence: str, said: frozenset[str]) -> bool:
    own = content_words(sentence)
    shared = len(own & said)
    return shared >= 2 and shared / len(own) >= _GIVEN_BACK


_ORDER: Final = ("perspective", "evidence", "implication", "emotion")
"""Of several questions the rarer aim names the turn."""


def socratic_facets(text: str, before: str = "") -> dict[str, FacetCoding]:
    """The facets of one therapist utterance: leads, stacks, advises ('true' or 'false') and reaches.

    Args:
        text: The utterance.
        before: What the client said just before, so that words given back are not taken for advice.

    Blind to: tone, and whatever the therapist's conclusion is if nothing in the words gives it away. Unpunctuated
    speech is read as one sentence.
    """
    asked = questions(text)
    values = {
        "leads": _truth(any(one.leading for one in asked)),
        "stacks": _truth(len(asked) > 1),
        "advises": _truth(any(one.advising for one in asked) or Move.ADVICE in code_text(text, before).moves),
        "reaches": _reaches([one.text for one in asked]),
    }
    return {facet: FacetCoding(value) for facet, value in values.items()}


def with_rule_facets(scheme: Scheme, said: Sequence[Utterance], codings: Sequence[Coding]) -> list[Coding]:
    """The codings with the facets that rules decide, where the coder left them out; those of other schemes as they
    are."""
    if scheme.id != "socratic":
        return list(codings)
    return [_filled(one, coding) for one, coding in zip(said, codings, strict=True)]


def _filled(said: Utterance, coding: Coding) -> Coding:
    facets: Mapping[str, FacetCoding] = coding.facets
    if said.speaker != "therapist" or len(facets) >= 4:
        return coding
    return replace(coding, facets={**socratic_facets(said.text, said.context[-1] if said.context else ""), **facets})


def _truth(value: bool) -> str:
    return "true" if value else "false"


def _reaches(asked: Sequence[str]) -> str:
    found = {reaches_for(question) for question in asked}
    return next((name for name in _ORDER if name in found), "none")
