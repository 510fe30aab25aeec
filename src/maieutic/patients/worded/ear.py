"""A language model for the patient's ear: what a turn asks and what about, with the words that ask it; and the form of
its answers, one JSON object with known fields, asked for again where it is not.

All else that a turn does (feelings attributed, what is given back, told, informed, how many questions) stays with the
embedded reading, and so does the last word: what is surely advice or surely leading opens nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import orjson

from maieutic.domain.appraisal import WORK, Appraisal, Follows, QuestionForm, Reach, Slot
from maieutic.domain.case import Case
from maieutic.domain.episode import Session, Usage
from maieutic.domain.randomness import derive_seed
from maieutic.errors import ModelError
from maieutic.language.sentences import sentences, words
from maieutic.patients.comprehension import SLOT_OF, Comprehension
from maieutic.patients.ear import MAX_TEXT, chances, heard_as, questions, well_formed
from maieutic.patients.hearing.asked import TELLS, telling_features
from maieutic.patients.hearing.at_hand import AT_LARGE
from maieutic.patients.hearing.hearing import told_in
from maieutic.patients.hearing.items import Item
from maieutic.prompts import prompt
from maieutic.protocols import LanguageModel, Message

T = TypeVar("T")

_FENCE = re.compile(r"^```(?:json)?\s*(.*?)\s*```$", re.S)


class Unusable(ValueError):
    """A reply that cannot be used; the message completes "it ...", the part after a colon is detail."""


def fields_of(text: str, names: Sequence[str]) -> dict[str, Any]:
    """The fields of a reply. One code fence is taken off and other fields are passed over; nothing else is mended.

    Raises:
        Unusable: It is no JSON object, or lacks a field.
    """
    try:
        found = orjson.loads(_FENCE.sub(r"\1", text.strip()))
    except orjson.JSONDecodeError:
        found = None
    if not isinstance(found, dict):
        raise Unusable("is no JSON object")
    missing = [name for name in names if name not in found]
    if missing:
        raise Unusable(f"leaves out a field: {', '.join(missing)}")
    return found


def stands_in(piece: str, text: str) -> bool:
    """The words of `piece` stand in `text` one after the other, whatever the marks and capitals."""
    return bool(words(piece)) and f" {' '.join(words(piece))} " in f" {' '.join(words(text))} "


@dataclass(frozen=True, slots=True)
class Asker:
    """Asks a model until it keeps the form.

    The seed hangs on the place in the session and on nothing that tells the therapist, so that arms stay paired.

    Attributes:
        model: The model.
        role: What it does here, for messages: 'ear' or 'mouth'.
        place: What seeds are derived from beside the turn and the draft.
        drafts: Replies asked for at most.
    """

    model: LanguageModel
    role: str
    place: tuple[str, ...]
    drafts: int = 3

    async def __call__(
        self,
        messages: list[Message],
        read: Callable[[str], T],
        turn: int,
        *,
        temperature: float,
        max_tokens: int,
    ) -> tuple[T, Usage, tuple[str, ...]]:
        """What `read` makes of a reply, what the replies cost, and what was wrong with those refused.

        Raises:
            ModelError: The model failed, or kept giving what `read` refuses.
        """
        spent, refused = Usage(), list[str]()
        for draft in range(self.drafts):
            seed = derive_seed(self.role, *self.place, turn, draft) % 2**31
            try:
                reply = await self.model.generate(messages, seed=seed, temperature=temperature, max_tokens=max_tokens)
            except ModelError as error:
                raise type(error)(f"the patient's {self.role} failed: {error}") from error
            spent = spent + reply.usage
            try:
                return read(reply.text), spent, tuple(refused)
            except Unusable as fault:
                refused.append(str(fault))
                again = f"This cannot be used: it {fault}. Answer once more, with the JSON object alone."
                messages = [
                    *messages,
                    {"role": "assistant", "content": reply.text},
                    {"role": "user", "content": again},
                ]
        raise ModelError(
            f"the patient's {self.role} got nothing usable in {self.drafts} replies: the last {refused[-1]}"
        )


PROMPT = "patient_ear"
SURE = 0.9
"""Chance of advice from which nothing that the model hears opens a reach."""
SURE_LEADING = 0.8
"""The same of leading; the ear's chances are moved so that F1 is best at 0.5, and what is 0.8 there was about 0.9."""
INVITES = 0.15
"""Chance of asking below which a sentence without a question is no invitation either: "Say more about …" lies above,
flat statements below. *Assumption.*"""
STRENGTH = 0.9
"""Strength of a reach, and chance of a unit, that only the model hears. *Assumption.*"""
_TURNS_BEFORE = 4
_MAX_TOKENS = 200
_NONE = "none"


@dataclass(frozen=True, slots=True)
class Named:
    """What the model heard: the form of question, or None where nothing is asked; the item, or None; its words."""

    form: QuestionForm | None
    item: str | None
    quote: str


def parse(text: str, items: frozenset[str], turn: str) -> Named:
    """A reply as a reading. Raises `Unusable`: form, unknown names, or a quote that does not stand in the turn."""
    found = fields_of(text, ("type", "about", "quote"))
    kind, about, quote = found["type"], found["about"], found["quote"]
    if not isinstance(kind, str) or kind not in {*QuestionForm, _NONE}:
        raise Unusable(f"names an unknown type: {str(kind)[:40]}")
    if not isinstance(about, str) or about not in items | {_NONE}:
        raise Unusable(f"names something that is not in the list: {str(about)[:60]}")
    if kind == _NONE:
        if about != _NONE:
            raise Unusable('names something asked about, and the type "none"')
        return Named(None, None, "")
    if not isinstance(quote, str) or not stands_in(quote, turn):
        raise Unusable(f"quotes words that are not in the turn: {str(quote)[:60]}")
    return Named(QuestionForm(kind), None if about == _NONE else about, quote)


@dataclass(frozen=True, slots=True)
class Heard:
    """An appraisal with how it came about.

    Attributes:
        appraisal: The appraisal; `by` names the reader.
        named: What the model said, or None where it was not asked.
        usage: What that cost.
        refused: What was wrong with replies that were refused.
    """

    appraisal: Appraisal
    named: Named | None = None
    usage: Usage = field(default_factory=Usage)
    refused: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Ear:
    """Reads the last therapist turn of a session with a language model.

    The model is shown ids and names of all that can be asked about, the four turns before and the turn. It may open a
    reach that the embedded reading missed, and close one.

    Attributes:
        case: The case.
        embedded: The embedded reading of one situation.
        model: The model.
        drafts: As in `Asker`.
    """

    case: Case
    embedded: Comprehension
    model: LanguageModel
    drafts: int = 3
    _items: dict[str, Item] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_items", {item.id: item for item in self.embedded.hearing.index.items})

    async def __call__(self, session: Session) -> Heard:
        """How the last therapist turn was heard. Raises `ModelError`."""
        usual = self.embedded(session)
        turn = session.last("therapist")
        text = turn.text if turn else ""
        for kept, why in ((not usual.understood, "has no readable English"), (len(text) > MAX_TEXT, "is too long")):
            if kept:
                return Heard(replace(usual, by=f"embedded, because the turn {why}"))
        ask = Asker(self.model, "ear", (self.case.id, self.embedded.situation.id), self.drafts)
        named, spent, refused = await ask(
            self._messages(session),
            lambda reply: parse(reply, frozenset(self._items), text),
            len(session),
            temperature=0.0,
            max_tokens=_MAX_TOKENS,
        )
        taken = replace(self._combined(named, usual, text, session), by=f"model {self.model.name}")
        return Heard(taken, named, spent, refused)

    def _combined(self, named: Named, usual: Appraisal, text: str, session: Session) -> Appraisal:
        """What the model named, behind the gates of the embedded reading."""
        risk = tuple(slot for slot in usual.asks if slot is Slot.RISK)  # nobody talks a patient out of hearing this
        silent = replace(
            usual,
            form=None,
            unit=None,
            sure=0.0,
            again=None,
            next_to=None,
            reaches=(),
            wide=False,
            unclear=False,
            foreign=False,
            muddled=False,
            asks=risk,
        )
        if named.form is None:
            return replace(silent, near=() if usual.questions else usual.near)
        if self._surely_told(text):
            return usual
        form, item = named.form, self._items.get(named.item or "")
        slots = dict.fromkeys((*risk, SLOT_OF.get(form), item.slot if item else None))
        heard = replace(
            silent,
            form=form,
            follows=None if item is not None and usual.follows is Follows.MORE else usual.follows,
            questions=max(1, usual.questions),
            near=() if form in AT_LARGE else usual.near,
            asks=tuple(slot for slot in slots if slot is not None),
        )
        if item is not None and item.fact:
            if item.id in told_in(session):
                return replace(heard, again=item.id)
            return replace(heard, reaches=self._reached(item.id, named, usual, text))
        if item is not None and item.slot is None and (form in WORK or not WORK & item.forms):
            return replace(heard, unit=item.id, sure=max(STRENGTH, usual.sure if usual.unit == item.id else 0.0))
        more = form is QuestionForm.ELSE and usual.wide
        return replace(heard, wide=item is None and (form is QuestionForm.AGAINST or more))

    def _reached(self, fact: str, named: Named, usual: Appraisal, text: str) -> tuple[Reach, ...]:
        """The fact, where one or two well-formed questions ask for it, or a turn without one that tells nothing."""
        own = [q for q in questions(text) if not q.advising]
        asked = heard_as(text, "").question
        told = not own and (usual.tells or not any(chances(one)["question"] >= INVITES for one in sentences(text)))
        if told or len(own) > 2 or not (well_formed(asked) or well_formed(named.quote)):
            return ()
        return tuple(r for r in usual.reaches if r.evidence == fact) or (Reach(fact, STRENGTH),)

    def _surely_told(self, text: str) -> bool:
        """A head is sure that the turn advises or leads."""
        telling = self.embedded.telling(telling_features(text, self.embedded.embed([text])[0]))[TELLS]
        return telling >= SURE or any(chances(sentence)["leading"] >= SURE_LEADING for sentence in sentences(text))

    def _messages(self, session: Session) -> list[Message]:
        situation = self.embedded.situation
        names = [
            f"- {item.id}: {situation.fact(item.id).fact if item.fact else item.name}" for item in self._items.values()
        ]
        at = max(place for place, turn in enumerate(session.turns) if turn.speaker == "therapist")
        before = [
            f"{t.speaker.capitalize()}: {t.text[:MAX_TEXT]}" for t in session.turns[max(0, at - _TURNS_BEFORE) : at]
        ]
        system = "\n".join((prompt(PROMPT).text, "", "What this person can be asked about:", *names))
        told = told_in(session)
        material = (
            "Said just before:",
            *(before or ["(nothing)"]),
            f"Spoken of last: {told[-1] if told else '(nothing of the list)'}",
            "The turn to read:",
            "-----",
            session.turns[at].text,
            "-----",
        )
        return [{"role": "system", "content": system}, {"role": "user", "content": "\n".join(material)}]
