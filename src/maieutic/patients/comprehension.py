"""The patient's reading of a therapist turn: rules over its form, sentence similarity for what it reaches.

Similarity alone is not comprehension: advice and keyword piles that mention a fact lie as near to it as a fitting
question. So only well-formed, non-leading questions can reach a fact, and similarity then says which one.
Blind to: irony, other languages, anything that needs the turns before the last one beyond the patient's own last words.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from maieutic.domain.appraisal import Appraisal, FeelingClaim, Reach, Slot
from maieutic.domain.case import Situation
from maieutic.domain.episode import Session
from maieutic.language.feelings import attributions, disclosed_feelings, feelings_in
from maieutic.language.questions import Question, asks_permission, questions, statements
from maieutic.language.sentences import STOP_WORDS, content_words, is_readable_english, words
from maieutic.patients.prototypes import GENERIC, SLOT_PATTERNS, WIDE_PATTERN
from maieutic.protocols import Embedder

Vectors = NDArray[np.float32]

ASK_ALONE = 0.66
ASK_WITH_HANDLE = 0.46
ABOVE_GENERIC = 0.04
ABOVE_NEXT = 0.02
TOLD = 0.60
INFORMED = 0.60
LONGEST_QUESTION = 40
MOST_COMMAS = 3


_CHECK_BACK = re.compile(
    r"what (?:do|did) you (?:make of|take from|think (?:of|about)) (?:that|this|it)|how does (?:that|this) (?:fit|sit|land|sound)"
    r"|in your own words",
    re.I,
)
_RESULT = re.compile(
    r"\b(?:planned|agreed|going) to (?:try|do|test)|how did (?:it|the (?:experiment|test|plan)) go|(?:experiment|test) (?:turn out|go|work)"
    r"|what came of|since (?:we|our) last",
    re.I,
)


@dataclass(frozen=True, slots=True)
class _FactIndex:
    name: str
    asks: Vectors
    told: Vectors
    handles: tuple[frozenset[str], ...]
    matter: frozenset[str]


@dataclass(frozen=True, slots=True)
class Comprehension:
    """Reads the last therapist turn of a session for one situation of one case.

    Thresholds were set by hand on wordings written for the development cases; they are cosine similarities of MiniLM
    sentence vectors in [−1, 1].
    """

    situation: Situation
    embed: Embedder
    facts: tuple[_FactIndex, ...]
    generic: Vectors
    feelings: frozenset[str]
    gap_asks: Vectors | None = None
    gap_told: Vectors | None = None
    content: tuple[frozenset[str], ...] = ()

    @classmethod
    def of(cls, situation: Situation, embed: Embedder) -> Comprehension:
        """Index the facts of a situation."""
        facts = tuple(
            _FactIndex(
                e.id,
                embed(list(e.asks)),
                embed([e.fact, *e.said]),
                tuple(h for h in map(_handle, e.topics) if h),
                frozenset().union(*map(content_words, (e.fact, *e.said))),
            )
            for e in situation.evidence
        )
        gap, compulsion = situation.knowledge_gap, situation.compulsion
        return cls(
            situation,
            embed,
            facts,
            embed(list(GENERIC)),
            frozenset(e.group for e in situation.emotions),
            embed(list(gap.asks)) if gap else None,
            embed([gap.information, *gap.after]) if gap else None,
            tuple(h for h in map(_handle, compulsion.content) if h) if compulsion else (),
        )

    def __call__(self, session: Session) -> Appraisal:
        """The appraisal of the last therapist turn."""
        turn = session.last("therapist")
        text = turn.text if turn else ""
        if not is_readable_english(text):
            return Appraisal(understood=False)
        previous = session.last("patient")
        before = previous.text if previous else ""
        asked, told = questions(text), statements(text)
        main = [q for q in asked if not q.advising]
        claims = self._claims(text, session)
        reaches = self._reaches(main)
        wide = not reaches and any(WIDE_PATTERN.search(q.text) and not q.leading and _well_formed(q.text) for q in main)
        return Appraisal(
            questions=len(main),
            open=any(q.open for q in main),
            wide=wide,
            leading=any(q.leading for q in asked),
            asks=_slots(main),
            reaches=reaches,
            told=self._stated(told, session),
            summarised=self._summarised(text, session),
            claims=claims,
            fit=self._fit(told, before, claims),
            permission=asks_permission(text),
            informs=self._informs(told),
            gap_asked=self._gap_asked(main, session),
            content=self._on_content(text, told, main),
            result_asked=any(_RESULT.search(q.text) for q in main),
        )

    def _informs(self, told: tuple[str, ...]) -> bool:
        """The turn states the information that the patient lacks."""
        if self.gap_told is None or not told:
            return False
        return float((self.gap_told @ self.embed([" ".join(told), *told]).T).max()) >= INFORMED

    def _gap_asked(self, asked: list[Question], session: Session) -> bool:
        """The turn asks what the patient knows about the gap, or what they make of what they were just told."""
        if self.gap_asks is None or not asked:
            return False
        if any(_CHECK_BACK.search(q.text) for q in asked):
            return True
        vectors = self.embed([q.text for q in asked])
        return float((self.gap_asks @ vectors.T).max()) >= ASK_ALONE

    def _on_content(self, text: str, told: tuple[str, ...], asked: list[Question]) -> bool:
        """The turn disputes or reassures about what the intrusion says, instead of asking what having it means."""
        if not self.content:
            return False
        closed = [q.text for q in asked if not q.open or q.leading]
        return any(handle <= content_words(part) for part in (*told, *closed) for handle in self.content)

    def _reaches(self, asked: list[Question]) -> tuple[Reach, ...]:
        usable = [q for q in asked if not q.leading and _well_formed(q.text)]
        if not usable or len(asked) > 2 or sum(q.text.count(",") for q in asked) > MOST_COMMAS:
            return ()
        question = usable[-1].text
        vector = self.embed([question])[0]
        named = content_words(question)
        generic = float((self.generic @ vector).max())
        scored = sorted(
            ((float((fact.asks @ vector).max()), _names(fact, named), fact.name) for fact in self.facts),
            key=lambda s: (-(s[0] + 0.12 * s[1]), s[2]),
        )
        found = []
        for rank, (score, handle, name) in enumerate(scored[:2]):
            enough = score >= (ASK_WITH_HANDLE if handle else ASK_ALONE)
            clear = score >= generic + ABOVE_GENERIC or (handle and score >= ASK_WITH_HANDLE)
            nearest = rank == 0 and (handle or len(scored) < 2 or score >= scored[1][0] + ABOVE_NEXT)
            if enough and clear and (nearest or handle):
                found.append(Reach(name, round(min(1.0, 0.5 + score / 2.0), 4)))
        return tuple(found)

    def _claims(self, text: str, session: Session) -> tuple[FeelingClaim, ...]:
        voiced = frozenset(g for turn in session.by("patient") for g in disclosed_feelings(turn.text))
        return tuple(
            FeelingClaim(a.group, a.tentative, a.group in self.feelings | voiced, a.group in voiced)
            for a in attributions(text)
        )

    def _stated(self, told: tuple[str, ...], session: Session) -> tuple[str, ...]:
        """Facts the therapist states that the patient has not voiced."""
        heard = _heard(session)
        fresh = [s for s in told if len(words(s)) >= 6 and len(content_words(s) - heard) >= 2]
        near = {f.name: [s for s in fresh if len(content_words(s) & f.matter) >= 2] for f in self.facts}
        return tuple(
            f.name for f in self.facts if near[f.name] and float((f.told @ self.embed(near[f.name]).T).max()) >= TOLD
        )

    def _summarised(self, text: str, session: Session) -> tuple[str, ...]:
        """Facts whose handles the turn names again."""
        named = content_words(text)
        heard = _heard(session)
        return tuple(f.name for f in self.facts if any(h <= named and h <= heard for h in f.handles))

    def _fit(self, told: tuple[str, ...], before: str, claims: tuple[FeelingClaim, ...]) -> float:
        """1 for a true feeling named, up to 0.7 for giving back what was just said, 0 for a wrong feeling asserted."""
        if any(not c.true and not c.tentative for c in claims):
            return 0.0
        if any(c.true for c in claims):
            return 1.0
        said = content_words(before)
        best = 0.0
        for sentence in told:
            own = content_words(sentence)
            if len(own) < 2 or not re.search(r"\byou(?:r|'re|'ve|'d)?\b", sentence, re.I):
                continue
            shared = len(own & said)
            if shared >= 2:
                best = max(best, min(0.7, 0.2 + 0.6 * shared / len(own)))
        if best and feelings_in(before) & self.feelings:
            best = min(0.7, best + 0.1)
        return best


def _heard(session: Session) -> frozenset[str]:
    return frozenset().union(*(content_words(turn.text) for turn in session.by("patient")))


def _handle(topic: str) -> frozenset[str]:
    return frozenset(word for word in content_words(topic) if word not in STOP_WORDS)


def _names(fact: _FactIndex, named: frozenset[str]) -> bool:
    return any(handle <= named for handle in fact.handles)


def _well_formed(question: str) -> bool:
    """A question a person would ask: not a pile of keywords, not a paragraph."""
    tokens = words(question)
    if not 3 <= len(tokens) <= LONGEST_QUESTION:
        return False
    small = sum(token in STOP_WORDS for token in tokens) / len(tokens)
    return small >= 0.3 and question.count(",") <= MOST_COMMAS


def _slots(asked: list[Question]) -> tuple[Slot, ...]:
    return tuple(
        slot for slot, pattern in SLOT_PATTERNS.items() if any(pattern.search(q.text) and not q.leading for q in asked)
    )
