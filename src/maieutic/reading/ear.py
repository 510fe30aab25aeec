"""What a therapist turn does, sentence by sentence: heads over the sentence's vector and its words, no patterns.

An ear is one set of weights. Coder and scorers hear with one (`moves.py`), the agent and its tracker with another
(`drafts.py`), patients with a third (`patients/ear.py`): what filters an agent's drafts or moves a patient must not be
what scores it."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Final

import numpy as np

from maieutic.language.feelings import named_feelings
from maieutic.language.questions import ends_as_question, parts_of
from maieutic.language.sentences import sentences
from maieutic.reading.bag import bag
from maieutic.reading.head import Floats, load, stored_arrays
from maieutic.reading.minilm import shared_minilm

KNOWN: Final = "reading/weights/known_drafts.npz"


_GIVEN_BACK: Final = re.compile("“[^“”]*”")


def key_of(sentence: str) -> str:
    """Under what a sentence is kept: without what it quotes, since the patient's words are not what the agent does."""
    return hashlib.blake2b(_GIVEN_BACK.sub("“…”", sentence).encode(), digest_size=8).hexdigest()


@cache
def known(head: str) -> Mapping[str, Mapping[str, float]]:
    """Readings that are known before a session, of wordings of the agent's banks: the probabilities of every label of a
    head by sentence (`key_of`); none for a head whose readings are not kept.

    They were read when their heads were fitted and lie with the hash of the weights that read them
    (`recipes/known_drafts.py`); a test compares both. A sentence that is not kept is read as any other.
    """
    stored = stored_arrays(KNOWN)
    if f"{head}.keys" not in stored:
        return {}
    labels = [str(label) for label in stored[f"{head}.labels"]]
    return {
        str(key): dict(zip(labels, row.tolist(), strict=True))
        for key, row in zip(stored[f"{head}.keys"], stored[f"{head}.chances"], strict=True)
    }


VECTOR_LENGTH: Final = 2.0
BAG_LENGTH: Final = 2.0
"""Lengths of the sentence vector and of its words among the features, chosen out of fold with the penalty."""
SURE: Final = 0.5
"""Probability from which a mark counts; heads are fitted with rare labels weighing as much as common ones."""
SURE_WITHOUT_MARK: Final = 0.75
"""Probability from which a sentence asks that bears no question mark."""
_OTHERS: Final = frozenset("he she they him her them his their he's she's they're".split())
_CLOSING: Final = " \"'”’)*_"
_NEAR: Final = 3
"""Words before a feeling within which another person's pronoun makes it that person's."""


@dataclass(frozen=True, slots=True)
class Question:
    """One question.

    Attributes:
        text: Its wording.
        open: It cannot be answered with yes, no or one fact.
        leading: It carries its own answer.
        advising: It is advice in the form of a question.
    """

    text: str
    open: bool
    leading: bool
    advising: bool


@dataclass(frozen=True, slots=True)
class Attribution:
    """A feeling attributed to the listener.

    Attributes:
        group: Emotion group.
        word: The word that was used.
        tentative: It is offered and not asserted.
    """

    group: str
    word: str
    tentative: bool


def features(sentence: str, vocabulary: Mapping[str, int]) -> Floats:
    """What the heads see of a sentence: its vector, its form, and the words and pairs it holds. (384 + 5 +
    vocabulary,)"""
    length = len(sentence.split())
    form = (
        float(ends_as_question(sentence)),
        float(sentence.rstrip(_CLOSING).endswith((".", "!", ":"))),
        float("?" in sentence),
        min(length, 40) / 40,
        float(length < 4),
    )
    vector = VECTOR_LENGTH * shared_minilm()([sentence])[0].astype(np.float64)
    return np.concatenate([vector, form, BAG_LENGTH * bag(sentence, vocabulary)])


@dataclass(frozen=True, slots=True)
class Ear:
    """One set of heads.

    Attributes:
        place: File of the heads inside the package.
        name: The head's name in it.
        leads: Probability from which a question counts as leading.
    """

    place: str
    name: str
    leads: float = SURE

    @lru_cache(maxsize=20_000)  # noqa: B019 - ears are made once a process
    def chances(self, sentence: str) -> Mapping[str, float]:
        """Probability of everything that one sentence may do (labels of `recipes/readers/moves.py`)."""
        kept = known(self.name).get(key_of(sentence))
        if kept is not None:
            return kept
        head = load(self.place, self.name)
        return head(features(sentence, head.places))

    def marks(self, sentence: str) -> frozenset[str]:
        """What one sentence does."""
        return frozenset(label for label, chance in self.chances(sentence).items() if chance >= SURE)

    @lru_cache(maxsize=20_000)  # noqa: B019
    def questions(self, text: str) -> tuple[Question, ...]:
        """The questions of an utterance in order; check-backs ("is that right?") and requests for permission do not
        count."""
        found: list[Question] = []
        self.read_together(sentences(text))
        for sentence in sentences(text):
            whole = self.marks(sentence)
            if not self._asks(sentence):
                continue
            leads = self.chances(sentence)["leading"] >= self.leads
            parts = parts_of(sentence) if ends_as_question(sentence) else (sentence,)
            for part in parts:
                own = self.marks(part) if len(parts) > 1 else whole
                if "aside" in own:
                    continue
                found.append(Question(part, "open" in own, leads, "advice" in own))
        return tuple(found)

    @lru_cache(maxsize=20_000)  # noqa: B019
    def statements(self, text: str) -> tuple[str, ...]:
        """The sentences that ask nothing."""
        return tuple(sentence for sentence in sentences(text) if not self._asks(sentence))

    def read_together(self, every: Sequence[str]) -> None:
        """Encodes at one go the sentences whose readings are not kept; one after another they take longer."""
        kept = known(self.name)
        shared_minilm()([sentence for sentence in every if key_of(sentence) not in kept])

    def _asks(self, sentence: str) -> bool:
        return ends_as_question(sentence) or self.chances(sentence)["question"] >= SURE_WITHOUT_MARK

    def asks_permission(self, text: str) -> bool:
        """The turn asks leave or offers a choice."""
        return any("leave" in self.marks(sentence) for sentence in sentences(text))

    @lru_cache(maxsize=20_000)  # noqa: B019
    def attributions(self, text: str) -> tuple[Attribution, ...]:
        """Feelings that an utterance attributes to the listener ("you feel …", "that hurt you carry")."""
        found: list[Attribution] = []
        for sentence in sentences(text):
            named = [
                (group, word) for group, word, before in named_feelings(sentence) if not _OTHERS & set(before[-_NEAR:])
            ]
            if named and "feeling" in (marks := self.marks(sentence)):
                soft = "tentative" in marks
                found += [Attribution(group, word, soft) for group, word in dict.fromkeys(named)]
        return tuple(found)
