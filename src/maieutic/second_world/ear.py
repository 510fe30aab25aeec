"""How the second world hears a turn: each sentence by the nearest written examples, what it is about by the life's own
questions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

import numpy as np
import yaml
from numpy.typing import NDArray

from maieutic.domain.appraisal import WORK, Appraisal, Follows, QuestionForm, Reach, Slot
from maieutic.domain.case import Case, Situation
from maieutic.domain.episode import Session
from maieutic.protocols import Embedder

Vectors = NDArray[np.float32]
SLOTS: Final = {slot.value: slot for slot in Slot}
FOLLOWS: Final = {"more": Follows.MORE, "check": Follows.SUMMARY}
PUSHING: Final = frozenset(("advice", "argue"))
_F: Final = QuestionForm
FORMS: Final = {
    "feeling": {_F.FEELING, _F.BODY},
    "thought": {_F.THOUGHT, _F.MEANING, _F.WORST},
    "support": {_F.HOW_KNOW, _F.SUPPORT},
    "against": {_F.AGAINST},
    "alternative": {_F.OTHER_VIEW, _F.DOUBLE_STANDARD, _F.ALTERNATIVE, _F.LIKELY, _F.BEST},
    "weighing": {_F.COMPARE, _F.SCALE_REST, _F.COST_BENEFIT},
    "background": {_F.ORIGIN},
    "risk": {_F.RISK},
}
"""Which units answer a kind of question."""
NEIGHBOURS: Final = 3
SHORT: Final = 6
"""Words up to which a question is heard together with what was just said."""
STRANGE: Final = 0.24
"""Below this nearness to every example and to the whole life, a turn is not understood."""
NEAR: Final = 0.48
CERTAIN: Final = 0.9
CLEAR: Final = 0.8
"""From here on a question is about this very thing, whatever kind of question it looks like."""
HEARD: Final = 0.5
"""Nearness of a statement to what the patient said, from which it gives that back."""
CLAIMED: Final = 0.62
"""Nearness of a statement to a fact that was not told, from which it brings that fact."""
UNSURE: Final = 0.45
"""Below it a question of which nothing is known is asked back instead."""
TELLING: Final = 0.28
AHEAD: Final = 0.06
"""A statement is advice, praise and the like when it is so near to examples, and so far ahead of what is just said."""
_PLAIN_WORDS: Final = "suicid|(kill|harm|hurt) yourself|(end|ending) (your life|it all)|want to die|better off dead"
_INVITES: Final = "tell me|describe|walk me|take me|say more|go on|i'd like to|i wonder|help me"
_CLOSED: Final = ("do ", "did ", "is ", "are ", "was ", "have ", "has ")
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
    pairs = [
        (one.strip(), kind) for group in written.values() for kind, text in group.items() for one in text.split("/")
    ]
    return tuple(text for text, _ in pairs), tuple(kind for _, kind in pairs), frozenset(written["asks"])


def sentences(text: str) -> list[str]:
    """A turn in sentences; pieces without a letter are left out."""
    return [one.strip() for one in _SENTENCE.findall(text) if any(sign.isalpha() for sign in one)]


def kind_of(text: str, embed: Embedder, before: str = "", grave: bool = False) -> Heard:
    """The kind of one sentence: the mean nearness of the three nearest examples of each, among the kinds it can be.

    A question about danger is also heard together with the sentence before it; it must lie near an example, the nearer
    where danger was not just spoken of (`grave`).
    """
    marked = text.endswith("?")
    invites = marked or re.search(_INVITES, text.lower()) is not None
    scores = _scores(text, embed)
    for kind in scores:
        asks = kind in examples()[2]
        scores[kind] -= 0.2 * (asks and not invites) + 0.04 * (marked and kind in PUSHING)
        scores[kind] -= 0.3 * (marked and not asks and kind not in PUSHING)
    whole = f"{before} {text}"
    scores["risk"] = max(scores["risk"], _scores(whole, embed)["risk"] if before and invites else 0.0) + 0.1 * grave
    if invites and re.search(_PLAIN_WORDS, whole.lower()):
        scores["risk"] = 1.0
    limits = {"risk": 0.45 if grave else 0.5, "check": 0.42}
    kind = max((one for one in scores if scores[one] >= limits.get(one, -1.0)), key=lambda one: scores[one])
    asks = kind in examples()[2]
    if not asks and (scores[kind] < TELLING or scores[kind] < scores["state"] + AHEAD):
        kind = "state"
    return Heard(text, kind, scores[kind], asks)


def _scores(text: str, embed: Embedder) -> dict[str, float]:
    wordings, kinds, _ = examples()
    near = embed(wordings) @ embed([text])[0]
    named = np.array(kinds)
    return {kind: float(np.sort(near[named == kind])[-NEIGHBOURS:].mean()) for kind in dict.fromkeys(kinds)}


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
        """The sentences of the last therapist turn; what gives the patient's words back is nothing but that."""
        turns = [sentences(turn.text) for turn in session.by("therapist")[-2:]]
        earlier, last = (turns[0], turns[1]) if len(turns) > 1 else ([], turns[0] if turns else [])
        grave = any(kind_of(one, self._embed).kind == "risk" for one in earlier)
        spoken = [piece for said in session.by("patient") for piece in sentences(said.text)]
        found = []
        for text, before in zip(last, ("", *last), strict=False):
            one = kind_of(text, self._embed, before, grave)
            back = not one.asks and spoken and float((self._embed(spoken) @ self._embed([text])[0]).max()) > 0.6
            found.append(Heard(text, "state", one.near, False) if back else one)
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
        if max(one.near for one in heard) < STRANGE and (not near or near[0].strength < NEAR):
            return Appraisal(understood=False, muddled=True)
        fit, back, told = self._given_back(said, own)
        kind = main.kind if main else ""
        kinds = {one.kind for one in said}
        return Appraisal(
            questions=len(asked),
            wide=kind == "against",
            open=main is not None and not main.text.lower().startswith(_CLOSED),
            asks=(SLOTS[kind],) if kind in SLOTS else (),
            follows=FOLLOWS.get(kind),
            near=near,
            reaches=tuple(one for one in near if one.evidence in self._facts and one.strength >= NEAR),
            sure=main.near if main else 0.0,
            unclear=main is not None and main.near < UNSURE,
            told=told,
            summarised=back,
            fit=fit,
            form=QuestionForm.WHAT if kind == "detail" else None,
            tells=bool(kinds & PUSHING),
            leading="argue" in kinds,
            content="reassure" in kinds,
        )

    def _near(self, text: str, kind: str, last: Sequence[str]) -> tuple[Reach, ...]:
        """Pieces of the life that the question comes near, nearest first; lent a little by what was just told."""
        by_ask = self._asks @ self._embed([text])[0]
        if last and len(text.split()) <= SHORT and kind in ("situation", "detail", "more"):
            whole = " ".join((*sentences(last[0])[-1:], text))
            by_ask = 0.5 * (by_ask + self._asks @ self._embed([whole])[0])
        scores = self._best(by_ask)
        if last:
            scores += 0.08 * np.clip(self._best(self._asks @ self._embed(list(last))[0]), 0.0, 1.0)
        spoken = " ".join(last)
        beside = {link for name, said in self._told.items() if said in spoken for link in self._links[name]}
        fitting = FORMS.get(kind, set())
        for place, name in enumerate(self._ids):
            forms = self._forms.get(name, frozenset())
            scores[place] += 0.06 * (name in beside) + 0.08 * bool(fitting & forms)
            scores[place] -= 0.08 * bool(forms and forms <= WORK and kind in ("situation", "detail", "more"))
            if name in self._facts and kind in ("support", "against"):
                scores[place] += 0.08 * ((self._facts[name].bearing == "for") == (kind == "support"))
        order = np.argsort(-scores)[:12]
        return tuple(Reach(self._ids[n], round(float(min(1.0, max(0.01, scores[n]))), 4)) for n in order)

    def _best(self, near: Vectors) -> Vectors:
        scores = np.full(len(self._ids), -1.0, dtype=np.float32)
        np.maximum.at(scores, self._owner, near)
        return scores

    def _given_back(self, said: Sequence[Heard], own: Sequence[str]) -> tuple[float, tuple[str, ...], tuple[str, ...]]:
        """How well statements match what was said, the told facts that they give back, and new ones that they bring."""
        kept = self._embed([one.text for one in said if one.kind == "state"])
        if not len(kept) or not own:
            return 0.0, (), ()
        warm = 0.5 * any(one.kind == "state" and one.near >= HEARD for one in said)
        near = kept @ self._embed([piece for text in own for piece in sentences(text)]).T
        spoken = {name for name, fact in self._facts.items() if any(words in " ".join(own) for words in fact.said)}
        close = dict(zip(self._facts, (kept @ self._said.T).max(axis=0), strict=True))
        back = tuple(name for name in close if name in spoken and close[name] >= HEARD)
        told = tuple(name for name in close if name not in spoken and close[name] >= CLAIMED)
        return round(float(np.clip((near.max() - 0.3) / 0.4, warm, 1.0)), 4), back, told
