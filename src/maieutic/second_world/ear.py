"""How the second world hears a turn: each sentence by the nearest written examples, what it is about by the life's own
questions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

import numpy as np
import yaml
from numpy.typing import NDArray

from maieutic.domain.appraisal import Appraisal, Reach, Slot
from maieutic.domain.case import Case, Situation
from maieutic.domain.episode import Session
from maieutic.domain.question_form import WORK, Follows, QuestionForm
from maieutic.protocols import Embedder

Vectors = NDArray[np.float32]
SLOTS: Final = {
    "happened": Slot.SITUATION,
    "feeling": Slot.FEELING,
    "thought": Slot.THOUGHT,
    "support": Slot.SUPPORT,
    "view": Slot.ALTERNATIVE,
    "weigh": Slot.WEIGHING,
    "conviction": Slot.CONVICTION,
    "plan": Slot.PLAN,
    "goal": Slot.GOAL,
    "background": Slot.BACKGROUND,
    "danger": Slot.RISK,
}
FOLLOWS: Final = {"more": Follows.MORE, "check": Follows.SUMMARY}
PUSHING: Final = frozenset(("advice", "argue"))
FORMS: Final = {
    "feeling": {QuestionForm.FEELING, QuestionForm.BODY},
    "thought": {QuestionForm.THOUGHT, QuestionForm.MEANING},
    "support": {QuestionForm.HOW_KNOW, QuestionForm.SUPPORT},
    "against": {QuestionForm.AGAINST},
    "view": {QuestionForm.OTHER_VIEW, QuestionForm.DOUBLE_STANDARD, QuestionForm.ALTERNATIVE},
    "weigh": WORK - {QuestionForm.OTHER_VIEW, QuestionForm.DOUBLE_STANDARD, QuestionForm.ALTERNATIVE},
    "background": {QuestionForm.ORIGIN},
    "danger": {QuestionForm.RISK},
}
"""Which units answer a kind of question."""
NEIGHBOURS: Final = 3
STRANGE: Final = 0.24
"""Below this nearness to every example and to the whole life, a turn is not understood."""
NEAR: Final = 0.42
CLEAR: Final = 0.8
"""From here on a question is about this very thing, whatever kind of question it looks like."""
HEARD: Final = 0.5
"""Nearness of a statement to what the patient said, from which it gives that back."""
TELLING: Final = 0.4
"""Nearness to examples from which a statement is advice, praise and the like; below it is just said."""
_PLAIN_WORDS: Final = ("suicid", "kill yourself", "end your life", "ending your life", "harm yourself", "hurt yourself")
_INVITES: Final = ("tell me", "describe", "walk me", "take me", "say more", "go on", "i'd like to", "i wonder", "help me")
_SENTENCE: Final = re.compile(r"[^.!?…]+[.!?…]*")


@dataclass(frozen=True, slots=True)
class Heard:
    """One sentence of a turn: its words, what kind it is, and how near the nearest examples lie."""

    text: str
    kind: str
    near: float
    asks: bool


@cache
def examples() -> tuple[tuple[str, ...], tuple[str, ...], frozenset[str]]:
    """(wordings, kind of each, kinds that ask)."""
    written: dict[str, dict[str, str]] = yaml.safe_load(Path(__file__).with_name("ear.yaml").read_text("utf-8"))
    pairs = [(one.strip(), kind) for group in written.values() for kind, text in group.items() for one in text.split("/")]
    return tuple(text for text, _ in pairs), tuple(kind for _, kind in pairs), frozenset(written["asks"])


def sentences(text: str) -> list[str]:
    """A turn in sentences; pieces without a letter are left out."""
    return [one.strip() for one in _SENTENCE.findall(text) if any(sign.isalpha() for sign in one)]


def kind_of(text: str, embed: Embedder) -> Heard:
    """The kind of one sentence: the mean nearness of the three nearest examples of each, among the kinds it can be."""
    wordings, kinds, asking = examples()
    near = embed(wordings) @ embed([text])[0]
    low = text.lower()
    marked = low.endswith("?")
    invites = marked or low.startswith(_INVITES)
    scores = dict[str, float]()
    for kind in dict.fromkeys(kinds):
        own = np.sort(near[[place for place, name in enumerate(kinds) if name == kind]])[-NEIGHBOURS:]
        fits = kind in asking or kind in PUSHING if marked else True
        scores[kind] = float(own.mean()) - (0.0 if fits else 0.3) - (0.12 if kind in asking and not invites else 0.0)
    if any(word in low for word in _PLAIN_WORDS) and invites:
        return Heard(text, "danger", 1.0, True)
    kind = max(scores, key=lambda name: scores[name])
    return Heard(text, kind, scores[kind], kind in asking)


class Ear:
    """The ear of one life: its units and facts with the questions that fit them."""

    def __init__(self, case: Case, situation: Situation, embed: Embedder) -> None:
        units = case.memory.within(situation.id) if case.memory else ()
        self._embed = embed
        self._forms = {unit.id: frozenset(unit.forms) for unit in units}
        self._links = {unit.id: frozenset(unit.links) for unit in units}
        self._facts = {fact.id: fact for fact in situation.evidence}
        texts: dict[str, tuple[str, ...]] = {unit.id: (*unit.asks, unit.item) for unit in units}
        texts |= {fact.id: (*fact.asks, ", ".join(fact.topics)) for fact in situation.evidence}
        self._told = {unit.id: unit.said for unit in units}
        self._ids = list(texts)
        self._owner = np.array([n for n, name in enumerate(self._ids) for _ in texts[name]])
        self._asks: Vectors = embed([text for name in self._ids for text in texts[name]])
        self._said: Vectors = embed([fact.said[0] for fact in situation.evidence])

    def heard(self, session: Session) -> list[Heard]:
        """The sentences of the last therapist turn."""
        turn = session.last("therapist")
        found = [kind_of(one, self._embed) for one in sentences(turn.text if turn else "")]
        spoken = [piece for said in session.by("patient") for piece in sentences(said.text)]
        for place, one in enumerate(found):
            back = not one.asks and spoken and float((self._embed(spoken) @ self._embed([one.text])[0]).max()) > 0.6
            if not one.asks and (back or one.near < TELLING):
                found[place] = Heard(one.text, "state", one.near, False)
        return found

    def __call__(self, session: Session) -> Appraisal:
        """How the turn is taken. Of several questions the last is answered."""
        heard = self.heard(session)
        if not heard:
            return Appraisal(understood=False)
        asked = [one for one in heard if one.asks]
        said = [one for one in heard if not one.asks]
        own = [turn.text for turn in session.by("patient")]
        main = asked[-1] if asked else None
        near = self._near(main.text, main.kind, own[-1:]) if main else ()
        best = max([one.near for one in heard] + [one.strength for one in near])
        if best < STRANGE:
            return Appraisal(understood=False, muddled=True)
        fit, back = self._given_back(said, own)
        told = () if main else self._claimed(said, back)
        kind = main.kind if main else ""
        return Appraisal(
            questions=len(asked),
            open=bool(main) and not main.text.lower().startswith(("do ", "did ", "is ", "are ", "was ", "have ", "has ")),
            wide=kind == "against",
            asks=(SLOTS[kind],) if kind in SLOTS else (),
            reaches=tuple(one for one in near if one.evidence in self._facts and one.strength >= NEAR),
            near=near,
            sure=main.near if main else 0.0,
            told=told,
            summarised=back,
            fit=fit,
            tells=any(one.kind in PUSHING for one in said),
            leading=any(one.kind == "argue" for one in said),
            content=any(one.kind == "reassure" for one in said),
            follows=FOLLOWS.get(kind),
            form=QuestionForm.WHAT if kind == "detail" else None,
            unclear=kind == "detail" and (not near or near[0].strength < NEAR),
        )

    def _near(self, text: str, kind: str, last: Sequence[str]) -> tuple[Reach, ...]:
        """Pieces of the life that the question comes near, nearest first; lent a little by what was just told."""
        by_ask = self._asks @ self._embed([text])[0]
        scores = np.full(len(self._ids), -1.0)
        np.maximum.at(scores, self._owner, by_ask)
        if last:
            context = self._asks @ self._embed(list(last))[0]
            lent = np.full(len(self._ids), -1.0)
            np.maximum.at(lent, self._owner, context)
            scores += 0.08 * np.clip(lent, 0.0, 1.0)
        spoken = " ".join(last)
        beside = {link for name, said in self._told.items() if said in spoken for link in self._links[name]}
        fitting = FORMS.get(kind, frozenset())
        for place, name in enumerate(self._ids):
            forms = self._forms.get(name, frozenset())
            scores[place] += 0.06 * (name in beside) + 0.08 * bool(fitting & forms)
            scores[place] -= 0.08 * bool(forms and forms <= WORK and kind in ("happened", "detail", "more"))
            if name in self._facts and kind in ("support", "against"):
                scores[place] += 0.08 * ((self._facts[name].bearing == "for") == (kind == "support"))
        order = np.argsort(-scores)[:12]
        return tuple(Reach(self._ids[n], round(float(min(1.0, max(0.01, scores[n]))), 4)) for n in order)

    def _given_back(self, said: Sequence[Heard], own: Sequence[str]) -> tuple[float, tuple[str, ...]]:
        """How well the statements match what the patient said, and which told facts they give back."""
        kept = [one.text for one in said if one.kind == "state"]
        if not kept or not own:
            return 0.0, ()
        spoken = [piece for text in own for piece in sentences(text)]
        near = self._embed(kept) @ self._embed(spoken).T
        told = " ".join(own)
        facts = [any(words in told for words in fact.said) for fact in self._facts.values()]
        close = (self._embed(kept) @ self._said.T).max(axis=0)
        back = tuple(name for name, was, c in zip(self._facts, facts, close, strict=True) if was and c >= HEARD)
        return round(float(np.clip((near.max() - 0.3) / 0.4, 0.0, 1.0)), 4), back

    def _claimed(self, said: Sequence[Heard], back: Sequence[str]) -> tuple[str, ...]:
        """Facts that the therapist states and the patient has not told."""
        if not said:
            return ()
        close = (self._embed([one.text for one in said]) @ self._said.T).max(axis=0)
        return tuple(name for name, c in zip(self._facts, close, strict=True) if c >= 0.62 and name not in back)


def ear_of(case: Case, situation: Situation, embed: Any) -> Ear:
    """The ear of one case in one situation."""
    return Ear(case, situation, embed)
