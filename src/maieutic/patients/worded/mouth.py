"""A language model for the patient's mouth: it words what the mind decided, and what it may make up is kept as canon.

It sees the decision and what was told before, nothing else of the case. Its words are compared with the decision before
they are said (`fault`): length, role, content kept, nothing added, no other fact named; and, sentence by sentence on
the shared encoder, with what is held back and with what a patient says whose mind has changed. The comparison is no
filter of a therapist and no measure of a session: `maieutic validate patients --voice` judges leaks by runs of words
and fidelity by sentence vectors, which `fault` does not use. Blind to: a change of meaning that keeps words and
negation.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from maieutic.domain.appraisal import QuestionForm
from maieutic.domain.case import Case, Situation, Style
from maieutic.domain.episode import Session, Usage
from maieutic.domain.state import Act, CognitiveState
from maieutic.language.sentences import content_words, is_english, sentences, words
from maieutic.patients.facts import keyphrase
from maieutic.patients.worded.ear import Asker, Heard, Unusable, fields_of, stands_in
from maieutic.prompts import prompt
from maieutic.protocols import Embedder, LanguageModel, Message
from maieutic.reading.plain import plain
from maieutic.safety.risk import assess

AS_WRITTEN = frozenset(
    {
        Act.RISK_DISCLOSURE,
        Act.RISK_ANSWER,
        Act.RISK_HINT,
        Act.RISK_DENIAL,
        Act.NOT_UNDERSTOOD,
        Act.LEAVE,
        Act.CONVICTION,
    }
)
"""Acts that no model words: danger, numbers, and what ends or stops the talk."""
MAX_WORDS: dict[Style, int] = {"plain": 60, "upset": 40, "verbose": 100, "reserved": 40, "tangent": 70, "pleasing": 60}
"""Words of a turn at most, by style. *Assumption.*"""
KEPT = 0.4
"""Least share of the decided content words that a wording keeps. *Assumption.*"""
ADDED = 0.75
"""Most new content words of a wording, as a share of the decided ones. *Assumption.*"""
ADDED_AT_LEAST = 5
"""New content words that are always allowed, so that a short sentence can be worded freely. *Assumption.*"""
_THERAPIST_TALK = (
    "how does that make you feel",
    "it sounds like you",
    "have you considered",
    "you should",
    "as an ai",
    "as a therapist",
    "language model",
)
_SHOWN = re.compile(
    r"\b(?:therapist|patient|client)(?: (?:said|says|asked))?\s*:|\bthe therapist (?:said|says|asked)\b"
    r"|\bhere(?:'s| is) (?:the|a|my|your) (?:text|sentence|version|response|answer|rewrit\w+)\b|\bown words\b"
    r"|^\W*(?:the )?(?:words?|text|answer|response)\s*:|\bmisunderstanding\b|\bi can(?:no|')t (?:assist|help) with\b",
    re.I,
)
_YOU = re.compile(r"\b(?:you|your|yours|yourself)\b", re.I)
_IDIOM = re.compile(r"\b(?:you know|you see|thank you|if you like|mind you|between you and me)\b", re.I)
_NO = re.compile(
    r"\b(?:no|not|never|nothing|nobody|none|nowhere|neither|nor|cannot|hardly|without)\b|n't\b|n’t\b", re.I
)
_MAX_MORE_YOU = 1


def fault(
    text: str,
    decided: str,
    *,
    longest: int,
    heard: str = "",
    withheld: Iterable[frozenset[str]] = (),
    known: str = "",
) -> str | None:
    """What is wrong with a model's wording of a decided utterance, or None; completes "the wording ...".

    Args:
        text: The wording.
        decided: What was to be said.
        longest: Words at most, unless twice the decided sentence is longer.
        heard: The therapist's last turn.
        withheld: Content words of topics that belong to facts which are not to be said now.
        known: What was said before, whose words add nothing.
    """
    wrong = misspoken(text, decided, longest=longest, heard=heard)
    if wrong is not None:
        return wrong
    matter, named, old = content_words(decided), content_words(text), content_words(known)
    if matter and len(matter & named) / len(matter) < KEPT:
        return "leaves out what was to be said"
    if len(named - matter - old) > max(ADDED_AT_LEAST, ADDED * len(matter)):
        return "adds to what was to be said"
    if any(topic <= named and not topic <= matter | content_words(heard) | old for topic in withheld):
        return "lets out a fact that was to be kept"
    return _of_role(text, decided)


def misspoken(text: str, decided: str, *, longest: int, heard: str = "") -> str | None:
    """What is wrong with a wording whatever it tells: length, a therapist's or a machine's talk, repetition."""
    said = words(text)
    if len(said) < 2:
        return "is empty"
    if len(said) > max(longest, 2 * len(words(decided))):
        return "is too long"
    if any(phrase in text.lower() for phrase in _THERAPIST_TALK):
        return "talks like a therapist"
    if _SHOWN.search(text) and not _SHOWN.search(decided):
        return "shows its instructions"
    if set(_long(heard)) & set(_long(text)) - set(_long(decided)):
        return "repeats the therapist"
    if any(count > 1 for count in Counter(_long(text)).values()):
        return "says the same twice"
    return None


def _of_role(text: str, decided: str) -> str | None:
    if "?" in text and "?" not in decided:
        return "asks where nothing was to be asked"
    if _count(text) > _count(decided) + _MAX_MORE_YOU:
        return "speaks of the therapist instead of the patient"
    if bool(_NO.search(text)) is not bool(_NO.search(decided)):
        return "turns a no round"
    return None


def _count(text: str) -> int:
    return len(_YOU.findall(_IDIOM.sub(" ", text)))


def _long(text: str) -> list[str]:
    """The sentences of four words or more, without marks."""
    return [" ".join(tokens) for tokens in map(words, sentences(text)) if len(tokens) >= 4]


PROMPT = "patient_mouth"
LEAKED = 0.58
"""Likeness to a fact held back from which a sentence lets it out, unless it is nearer to what may be said. Of 1,152
harmless answers of development cases 5 % come as near to a fact, of 378 second wordings of a fact more than half."""
CLAIMED = 0.5
"""Likeness to the words of a changed mind from which a sentence claims a change, likewise."""
_NEARER = 1e-6
MADE_UP = 3
"""Pieces that may be made up in one turn. *Assumption.*"""
_PIECE = 6
_SMALL_WORDS = 24
_SMALL_ROOM, _UNKNOWN_ROOM = 3, 3
"""Content words never said before, in a small answer, and in one that says that nothing is known. *Assumption.*"""
_MAX_TOKENS = 300
_MARKS = frozenset("\n*_#`<>[]{}|~")
ANCHORED = 0.4
"""Share of a sentence's content words that come from the decision or from what was said before. *Assumption.*"""
_LOOSE = 3
"""Content words from which a sentence needs that. *Assumption.*"""
SMALL = frozenset(
    {
        QuestionForm.WHO,
        QuestionForm.WHAT,
        QuestionForm.WHEN,
        QuestionForm.WHERE,
        QuestionForm.HOW_MANY,
        QuestionForm.YES_NO,
        QuestionForm.DESCRIBE,
    }
)
"""Forms of question that a small harmless detail may answer where this life has no entry for it."""
_EMPTY = frozenset({Act.DETAIL, Act.NOT_KNOWING, Act.ASK_BACK})
_CHANGED = (
    "I believe it less now.",
    "I don't think that any more.",
    "You've convinced me.",
    "I feel much better now.",
    "I see it quite differently now.",
    "Perhaps I was wrong about myself all along.",
    "That thought isn't true.",
    "I don't feel so bad any more.",
)


class Kind(StrEnum):
    """What is to be said: content that was decided, a small detail of one's own, or that nothing is known."""

    TELL = "Say this, in your own words where that answers better, and make nothing up: {words}"
    SMALL = (
        "You were asked something small that you have told nothing of. Answer in one short sentence; here "
        "you may make up "
        "a small harmless detail. If the answer would matter to what you think of yourself, say that you "
        "don't remember."
    )
    UNKNOWN = (
        "You were asked something that you have no answer to. Say so in your own words, in one short "
        "sentence: that you "
        "don't know, or have never looked at it that way. Make nothing up."
    )


@dataclass(frozen=True, slots=True)
class Spoken:
    """What was said, the pieces of it that were made up, what it cost, and what was wrong with replies refused."""

    text: str
    canon: tuple[str, ...]
    usage: Usage
    refused: tuple[str, ...]


def kind_of(act: Act, heard: Heard | None) -> Kind:
    """What kind of thing is to be said; no story is told to a question for which the mind has nothing."""
    named = heard.named if heard else None
    if heard is None or named is None or named.form is None or named.item is not None or act not in _EMPTY:
        return Kind.TELL
    taken = heard.appraisal
    if taken.asks or taken.wide:
        return Kind.TELL
    return Kind.SMALL if named.form in SMALL else Kind.UNKNOWN


def canon_of(session: Session) -> tuple[str, ...]:
    """What was made up before in this session, oldest first."""
    return tuple(piece for turn in session.by("patient") for piece in (turn.trace or {}).get("canon", ()))


@dataclass(frozen=True, slots=True)
class Mouth:
    """Words for what the mind of one case in one situation decided.

    Attributes:
        case, situation: Whose; only the name and the manner are shown to the model.
        embed: The shared encoder.
        model: The model.
        drafts: As in `Asker`.
    """

    case: Case
    situation: Situation
    embed: Embedder
    model: LanguageModel
    drafts: int = 3

    async def __call__(self, session: Session, state: CognitiveState, decided: str, heard: Heard | None) -> Spoken:
        """The decision in the model's words. Raises `ModelError`."""
        kind = kind_of(state.intent.act, heard)
        ask = Asker(self.model, "mouth", (self.case.id, self.situation.id), self.drafts)
        (text, canon), spent, refused = await ask(
            self._messages(session, kind, decided),
            lambda reply: self._read(reply, kind, decided, session, state),
            len(session),
            temperature=0.7,
            max_tokens=_MAX_TOKENS,
        )
        return Spoken(text, canon, spent, refused)

    def _read(
        self, reply: str, kind: Kind, decided: str, session: Session, state: CognitiveState
    ) -> tuple[str, tuple[str, ...]]:
        """The words and what is made up in them. Raises `Unusable` for anything that may not be said."""
        found = fields_of(reply, ("say", "made_up"))
        text, pieces = found["say"], found["made_up"]
        if not isinstance(text, str) or not words(text):
            raise Unusable("says nothing")
        if not isinstance(pieces, list) or not all(isinstance(p, str) and stands_in(p, text) for p in pieces):
            raise Unusable("lists as made up what it does not say")
        if pieces and kind is not Kind.SMALL:
            raise Unusable("makes something up where nothing was to be")
        fresh = content_words(text) - content_words(" ".join((*pieces, *(t.text for t in session.turns))))
        if kind is Kind.SMALL and len(fresh) > 1:
            raise Unusable("makes up what it does not list")
        if len(pieces) > MADE_UP or any(len(words(piece)) > _PIECE for piece in pieces):
            raise Unusable("makes up too much")
        if set(text.strip()) & _MARKS or set(plain(text).cleaned) - {"quotes", "characters"}:
            raise Unusable("is not plain speech")
        if not is_english(text):
            raise Unusable("is not in English")
        if any(text.strip() == turn.text for turn in session.by("patient")):
            raise Unusable("says word for word what was said before")
        wrong = self._fault(text, kind, decided, session, state)
        if wrong is not None:
            raise Unusable(wrong)
        return text.strip(), tuple(pieces)

    def _fault(self, text: str, kind: Kind, decided: str, session: Session, state: CognitiveState) -> str | None:
        last = session.last("therapist")
        heard = last.text if last else ""
        told = _said(session)
        known = " ".join((heard, *told))
        open_now = {v.evidence for v in state.voiced} | {state.intent.evidence}
        kept = [e for e in self.situation.evidence if e.id not in open_now]
        withheld = [h for e in kept for h in map(keyphrase, e.topics) if h]
        if kind is Kind.TELL:
            found = fault(
                _after_yes_or_no(text),
                decided,
                longest=MAX_WORDS[self.case.style],
                heard=heard,
                withheld=withheld,
                known=known,
            )
        else:
            found = misspoken(text, "", longest=_SMALL_WORDS, heard=heard)
            room = _SMALL_ROOM if kind is Kind.SMALL else _UNKNOWN_ROOM
            if found is None and len(content_words(text) - content_words(known)) > room:
                found = "adds to what was to be said"
            if found is None and any(topic <= content_words(text) - content_words(known) for topic in withheld):
                found = "lets out a fact that was to be kept"
        if found is None and kind is Kind.TELL:
            found = _set_adrift(text, f"{decided} {known}", questions=decided.count("?"))
        if found is None and _in_danger(text) and not any(map(_in_danger, (decided, *told))):
            found = "speaks of a danger that was not decided"
        allowed = [*sentences(heard), *(s for line in (decided, *told) for s in sentences(line))]
        return found or self._strays(text, allowed, [line for e in kept for line in (e.fact, *e.said)])

    def _strays(self, text: str, allowed: Sequence[str], held_back: Sequence[str]) -> str | None:
        """A sentence that is nearer to what may not be said than to what may."""
        own = self.embed(sentences(text))
        near = _nearest(own, self.embed(allowed))
        own_talk, here = self.case.phrasings, self.situation.id
        changed = [
            *_CHANGED,
            *(s for line in (*own_talk.conceding[here], *own_talk.insight[here]) for s in sentences(line)),
        ]
        for texts, edge, what in (
            ([s for line in held_back for s in sentences(line)], LEAKED, "lets out a fact that was to be kept"),
            (changed, CLAIMED, "claims a change that was not decided"),
        ):
            if texts and bool(np.any(_nearest(own, self.embed(texts)) >= np.maximum(edge, near + _NEARER))):
                return what
        return None

    def _messages(self, session: Session, kind: Kind, decided: str) -> list[Message]:
        last = session.last("therapist")
        told, canon = [turn.text for turn in session.by("patient")], canon_of(session)
        material = (
            f"Your name: {self.case.person.name}. Your manner: {self.case.style}.",
            "What you have told so far:",
            *(f"- {line}" for line in told),
            "What you made up before and keep to:",
            *([f"- {piece}" for piece in canon] or ["(nothing)"]),
            "The therapist's turn:",
            "-----",
            last.text if last else "",
            "-----",
            kind.value.format(words=decided),
        )
        return [{"role": "system", "content": prompt(PROMPT).text}, {"role": "user", "content": "\n".join(material)}]


def _set_adrift(text: str, anchor: str, *, questions: int) -> str | None:
    """A sentence that little was decided of, or a question of one's own."""
    if text.count("?") > questions:
        return "asks where nothing was to be asked"
    said = content_words(anchor)
    for own in map(content_words, sentences(text)):
        if len(own) >= _LOOSE and len(own & said) / len(own) < ANCHORED:
            return "adds to what was to be said"
    return None


def _after_yes_or_no(text: str) -> str:
    """What is said after the yes or no that a question asked for; the "no" there turns nothing round."""
    first, _, rest = text.strip().partition(" ")
    return rest if rest and {*words(first)} in ({"yes"}, {"no"}) else text


def _said(session: Session) -> list[str]:
    """What the patient has said, and made up, before."""
    return [*(turn.text for turn in session.by("patient")), *canon_of(session)]


def _in_danger(text: str) -> bool:
    """A danger is told, not only hinted at."""
    return assess(text).grade not in ("none", "hint")


def _nearest(texts: NDArray[np.float32], others: NDArray[np.float32]) -> NDArray[np.float32]:
    """Likeness of each text to the nearest of the others, (n,)."""
    return np.asarray((texts @ others.T).max(axis=1))
