"""Which fact of this life a therapist turn asks for: measured likeness, and a small trained head that weighs it.

The head sees how near the turn and its question lie to each fact's example questions, wordings and handles, whole and word
by word; how far the nearest fact is ahead of the next; which facts the patient's own lines that the turn takes up lead to;
how near general talk is; and how much of what the turn names is of this life at all. It was fitted on labelled turns of the development cases
(`recipes/fit_reach_head.py`, card in `weights/REACH_CARD.md`); it never saw a test case.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from maieutic.domain.case import Case, Evidence, Situation
from maieutic.language.sentences import STOP_WORDS, content_words, sentences, words
from maieutic.patients.pairing import Paired, packaged_pairing
from maieutic.patients.prototypes import GENERIC, WIDE
from maieutic.protocols import Embedder, WordEmbedder
from maieutic.reading.head import Floats, Head, load, stored_arrays
from maieutic.reading.moves import questions
from maieutic.reading.network import Network, unpacked_network

Vectors = NDArray[np.float32]

FEATURES = (
    "turn to asks, best", "question to asks, best", "turn to asks, mean", "turn to wordings, best", "turn to wordings, mean",
    "question to wordings, best", "turn to the fact", "turn to topics, best", "question to topics, best",
    "share of a handle named", "a whole handle named", "rare words shared", "rare words shared, share", "words shared, share",
    "sum ahead of the next", "asks ahead of the next", "wordings ahead of the next", "rare words ahead of the next", "sum",
    "question to general talk", "turn to general talk", "turn to wide questions", "turn to the patient's own lines",
    "length", "no or several questions", "leading", "only advice", "open", "small words, share", "commas",
    "question to the fact", "question to asks, mean", "lead-in to asks, best", "lead-in to wordings, best",
    "lead-in to the fact", "words met by the fact, mean", "three best met words", "worst met word",
    "question's words met by the wordings, mean", "question's words met by an ask, mean", "an ask's words met, mean",
    "turn to wordings and fact, sum", "by way of a line, weaker link", "by way of a line, product", "line taken up to the fact",
    "met words ahead of the next", "three best met ahead of the next", "asks met ahead of the next", "sum ahead, wordings and fact",
    "by way of a line ahead, weaker link", "by way of a line ahead, product",
    "words not of this life, share", "words not of this life", "names not of this life", "names of this life",
    "words of the lines, share", "words of the lines only, share", "words of the facts, share",
    "question's words not of this life, share", "question's words of the facts, share", "question's words",
    "question to the lines", "lead-in to the lines", "has a lead-in", "words met by the lines, mean", "words met by any fact, mean",
    "facts ahead of lines, word by word", "worst word met by either", "two worst words met by either",
    "paired with asks", "paired with wordings", "paired with the fact", "paired, log odds", "paired, probability",
    "paired ahead of the next", "paired with any, probability",
)  # fmt: skip


def texts_of_turn(text: str) -> list[str]:
    """The texts of a turn whose vectors are needed: the whole of it, and its main question."""
    return [text, main_question(text)]


def main_question(text: str) -> str:
    """The last question that is not advice in disguise; the whole text where nothing is asked."""
    asked = questions(text)
    own = [q for q in asked if not q.advising] or list(asked)
    return own[-1].text if own else text


def _lines(case: Case, situation: Situation) -> list[str]:
    own, here = case.phrasings, situation.id
    return [
        *own.details[here], *own.thought[here], *own.feeling[here], *own.background, *own.opening[here], situation.happened
    ]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Fact:
    """One fact with the vectors of its wordings and the words it is made of."""

    name: str
    asks: Vectors
    said: Vectors
    fact: Vectors
    topics: Vectors
    handles: tuple[frozenset[str], ...]
    matter: frozenset[str]
    words: Vectors
    told_words: Vectors
    ask_words: tuple[Vectors, ...]
    paired: Paired


@dataclass(frozen=True, slots=True)
class Index:
    """The facts of one situation, the patient's own lines, and general talk.

    Attributes:
        facts: Each with its vectors.
        lines, line_words: What the patient says of the situation, whole and word by word.
        links: Likeness of each fact to each line, (facts, lines).
        generic, wide: General talk and wide questions.
        commonness: In how many facts a word comes.
        named: Content words of any fact.
        spoken: Content words of the lines.
        life: Content words of the whole case.
    """

    facts: tuple[Fact, ...]
    lines: Vectors
    generic: Vectors
    wide: Vectors
    commonness: Counter[str]
    line_words: Vectors
    links: Vectors
    named: frozenset[str]
    spoken: frozenset[str]
    life: frozenset[str]

    @classmethod
    def of(cls, case: Case, situation: Situation, embed: Embedder) -> Index:
        """Encode a situation once."""
        facts = tuple(_indexed(e, embed) for e in situation.evidence)
        texts = _lines(case, situation)
        line_words = np.concatenate([word_vectors(t, embed) for t in texts])
        lines = embed(texts)
        near = [(lines @ np.concatenate([f.asks, f.said, f.fact]).T).max(axis=1) for f in facts]
        return cls(
            facts,
            lines,
            embed(list(GENERIC)),
            embed(list(WIDE)),
            Counter(word for fact in facts for word in fact.matter),
            line_words,
            np.array(near),
            frozenset().union(*(fact.matter for fact in facts)),
            frozenset().union(*map(content_words, texts)),
            content_words(case.model_dump_json(exclude={"memory"})),
        )

    def features(self, text: str, embed: Embedder) -> Floats:
        """(facts, features) for one turn; see `FEATURES`."""
        met = word_vectors(text, embed)
        turn, question = embed(texts_of_turn(text))
        asked = questions(text)
        own = [q for q in asked if not q.advising]
        named = content_words(text)
        rows = np.array([self._of_fact(fact, turn, question, named) for fact in self.facts])
        total = rows @ _SUM
        tokens = words(text)
        shared = [
            float((self.generic @ question).max()),
            float((self.generic @ turn).max()),
            float((self.wide @ turn).max()),
            float((self.lines @ turn).max()),
            len(tokens) / 30.0,
            float(len(own) != 1),
            float(any(q.leading for q in asked)),
            float(bool(asked) and not own),
            float(any(q.open for q in own)),
            sum(token in STOP_WORDS for token in tokens) / max(1, len(tokens)),
            text.count(",") / 5.0,
        ]
        ahead = [_ahead(column) for column in (total, rows[:, 0], rows[:, 3], rows[:, 11])]
        close, around = self._closely(text, turn, question, met, embed)
        pairing = packaged_pairing()
        paired = weighed(pairing.likeness(pairing.encode([text])[0], [fact.paired for fact in self.facts]))
        told = [np.tile(part, (len(rows), 1)) for part in (shared, around)]
        return np.column_stack([rows, *ahead, total, told[0], close, told[1], paired])

    def _closely(
        self, text: str, turn: Vectors, question: Vectors, met: Vectors, embed: Embedder
    ) -> tuple[Floats, list[float]]:
        """Word by word, by way of the lines, and lead-in apart from question: (facts, features), and those of the turn."""
        last = main_question(text)
        opening = text.replace(last, "").strip()
        lead = embed([opening])[0] if len(words(opening)) >= 2 else np.zeros_like(turn)
        asked = met if last == text else word_vectors(last, embed)
        taken_up = np.maximum(self.lines @ turn, self.lines @ question)
        by_line = taken_up * self.links
        rows = np.array([_met(fact, turn, question, lead, met, asked) for fact in self.facts])
        lines = [
            np.minimum(taken_up, self.links).max(axis=1),
            by_line.max(axis=1),
            self.links[:, int(taken_up.argmax())],
        ]
        rows = np.column_stack([rows, *lines])
        ahead = [_ahead(rows[:, column]) for column in (5, 6, 9, 11, 12, 13)]
        of_lines = (met @ self.line_words.T).max(axis=1)
        of_facts = (met @ np.concatenate([fact.words for fact in self.facts]).T).max(axis=1)
        either = np.sort(np.maximum(of_lines, of_facts))
        around = [
            *self._of_this_life(text, last), float((self.lines @ question).max()), float((self.lines @ lead).max()),
            float(lead.any()), float(of_lines.mean()), float(of_facts.mean()), float((of_facts - of_lines).mean()),
            float(either[0]), float(either[:2].mean()),
        ]  # fmt: skip
        return np.column_stack([rows, *ahead]), around

    def _of_this_life(self, text: str, question: str) -> list[float]:
        """How much of what the turn names is of this case, its lines and its facts."""
        named, asked = content_words(text), content_words(question)
        count, asked_count = max(1, len(named)), max(1, len(asked))
        names = [content_words(name) for name in _NAME.findall(text) if name.lower() not in STOP_WORDS]
        known = sum(bool(name & self.life) for name in names)
        return [
            len(named - self.life) / count, float(len(named - self.life)), float(len(names) - known), float(known),
            len(named & self.spoken) / count, len((named & self.spoken) - self.named) / count, len(named & self.named) / count,
            len(asked - self.life) / asked_count, len(asked & self.named) / asked_count, float(len(asked)),
        ]  # fmt: skip

    def _of_fact(self, fact: Fact, turn: Vectors, question: Vectors, named: frozenset[str]) -> list[float]:
        asks, said, topics = fact.asks @ turn, fact.said @ turn, fact.topics @ turn
        part = max((len(h & named) / len(h) for h in fact.handles), default=0.0)
        both = named & fact.matter
        rare = sum(1.0 / self.commonness[word] for word in both)
        count = max(1, len(named))
        return [
            float(asks.max()), float((fact.asks @ question).max()), float(asks.mean()), float(said.max()), float(said.mean()),
            float((fact.said @ question).max()), float((fact.fact @ turn)[0]), float(topics.max()),
            float((fact.topics @ question).max()), part, float(part == 1.0), rare, rare / count, len(both) / count,
        ]  # fmt: skip


_NAME = re.compile(r"(?<![.!?:\"“] )(?<!^)\b[A-Z][a-zéáíóúöäüæø]{2,}")
"""A capitalised word that does not begin a sentence."""


def _indexed(evidence: Evidence, embed: Embedder) -> Fact:
    asks = tuple(word_vectors(t, embed) for t in evidence.asks)
    told = np.concatenate([word_vectors(t, embed) for t in (evidence.fact, *evidence.said, *evidence.topics)])
    return Fact(
        evidence.id,
        embed(list(evidence.asks)),
        embed(list(evidence.said)),
        embed([evidence.fact]),
        embed(list(evidence.topics)),
        tuple(h for h in map(handle, evidence.topics) if h),
        frozenset().union(*map(content_words, (evidence.fact, *evidence.said, *evidence.topics, *evidence.asks))),
        np.concatenate([*asks, told]),
        told,
        asks,
        packaged_pairing().index(evidence),
    )


def _met(fact: Fact, turn: Vectors, question: Vectors, lead: Vectors, met: Vectors, asked: Vectors) -> list[float]:
    """How well the words of the turn and of its question are met by those of the fact."""
    best = np.sort((met @ fact.words.T).max(axis=1))
    crossed = [asked @ ask.T for ask in fact.ask_words]
    return [
        float(fact.fact[0] @ question), float((fact.asks @ question).mean()), float((fact.asks @ lead).max()),
        float((fact.said @ lead).max()), float(fact.fact[0] @ lead), float(best.mean()), float(best[-3:].mean()), float(best[0]),
        float((asked @ fact.told_words.T).max(axis=1).mean()), max(float(c.max(axis=1).mean()) for c in crossed),
        max(float(c.max(axis=0).mean()) for c in crossed), float(turn @ (fact.said.mean(axis=0) + fact.fact[0])),
    ]  # fmt: skip


def word_vectors(text: str, embed: Embedder) -> Vectors:
    """Unit vectors of the word pieces that carry matter, in their context; the text's own where the encoder gives none."""
    if not isinstance(embed, WordEmbedder):
        return embed([text])
    pieces, vectors = embed.words(text)
    kept = [i for i, piece in enumerate(pieces) if len(piece) > 1 and piece.lower() not in STOP_WORDS]
    return vectors[kept] if kept else embed([text])


_SUM = np.array([1.0, 0.5, 0.0, 1.0, 0.5, 0.0, 0.7, 0.5, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0])


def _ahead(column: Floats) -> Floats:
    """Each value less the best of the others."""
    if len(column) < 2:
        return column
    order = np.sort(column)
    best, second = order[-1], order[-2]
    ahead: Floats = np.where(column == best, column - second, column - best)
    return ahead


def weighed(likeness: Floats) -> Floats:
    """The columns of `Pairing.likeness` with how far each fact is ahead and the probability of any, (facts, `PAIRED`)."""
    any_fact = np.full(len(likeness), likeness[:, 4].sum())
    return np.column_stack([likeness, _ahead(likeness[:, 3]), any_fact])


PAIRED = 7
"""The last features, which come of the fine-tuned encoder."""


def handle(topic: str) -> frozenset[str]:
    """The content words of a topic: what a turn must name to name it."""
    return frozenset(word for word in content_words(topic) if word not in STOP_WORDS)


_FIRST = (
    "a", "and", "are", "can", "could", "did", "do", "does", "don't", "had", "has", "have", "how", "i", "if", "in", "is", "let",
    "let's", "may", "maybe", "might", "must", "of", "on", "perhaps", "shall", "should", "so", "suppose", "tell", "that", "the",
    "try", "was", "were", "what", "when", "where", "which", "who", "whose", "why", "will", "would", "you", "your",
)  # fmt: skip
_WITHIN = (
    "again", "ask", "better", "could", "did", "had", "happened", "help", "how", "instead", "let", "maybe", "might", "perhaps",
    "put", "tell", "try", "was", "were", "what", "when", "where", "which", "who", "whose", "would", "you should",
)  # fmt: skip


def telling_features(text: str, vector: Vectors) -> Floats:
    """What tells advice and statements from questions: the turn's vector, how its last sentence begins, and small words."""
    last = words(sentences(text)[-1] if sentences(text) else text)
    spaced = f" {' '.join(words(text))} "
    form = [float(bool(last) and last[0] == word) for word in _FIRST] + [float(f" {w} " in spaced) for w in _WITHIN]
    return np.concatenate([vector, form, [float("?" in text), len(last) / 20.0]]).astype(np.float64)


TELLS = "tells"
_PLACE = "patients/weights/reach_head.npz"


def packaged_telling() -> Head:
    """Tells whether a turn advises or tells, whatever mark stands at its end; its one label is `TELLS`."""
    return load(_PLACE, "telling")


@lru_cache(maxsize=1)
def packaged_head() -> Network:
    """The network that the package carries."""
    found = unpacked_network(Network, stored_arrays(_PLACE), "reach")
    if tuple(found.features) != FEATURES:
        raise ValueError("the reach head was fitted on other features; run recipes/fit_reach_head.py")
    return found
