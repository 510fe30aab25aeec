"""The ear of `third_world.py`: what a therapist's free speech does, asks and is about.

Each sentence is labelled by ridge regression on sentence vectors, its nearest examples and cue words
(`data/third_world.yaml`); what it is about by likeness to the case's own example questions and by rare words in common.

On turns it never learnt from (`apart`, `about`) it hears 60 of 75 kinds of turn and 26 of 36 matters right.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import numpy as np
import yaml
from numpy.typing import NDArray

from maieutic.domain.appraisal import WORK, Appraisal, FeelingClaim, Follows, QuestionForm, Reach, Slot
from maieutic.domain.case import Case, Evidence, Situation
from maieutic.domain.episode import Session
from maieutic.domain.memory import LIFE, Unit
from maieutic.language.feelings import disclosed_feelings, feelings_in
from maieutic.language.sentences import content_words, in_another_language, sentences, words
from maieutic.reading.minilm import kept_vectors

Embed = Callable[[Sequence[str]], NDArray[np.float32]]
F = QuestionForm
EXAMPLES: Final = Path(__file__).parent / "data" / "third_world.yaml"
WRITTEN: Final[Mapping[str, Any]] = yaml.safe_load(EXAMPLES.read_text(encoding="utf-8"))
OWN: Final[Mapping[str, Sequence[str]]] = WRITTEN["own"]
CUES: Final = {label: re.compile(pattern, re.I) for label, pattern in WRITTEN["cues"].items()}
ASKING: Final = re.compile(WRITTEN["asking"], re.I)
STATEMENTS: Final = frozenset("reflect affirm reassure advise argue inform frame repair".split())
PRESSING: Final = frozenset("reassure advise argue inform".split())
MUTE: Final = frozenset("reflect affirm frame inform".split())
STRONG: Final = frozenset({"risk", "scale", "check"})
LOOSENS: Final = frozenset({F.HOW_KNOW, F.COST_BENEFIT, F.ORIGIN, F.MEANING, F.SCALE_REST})
_FORM_OF: Final = {
    "story": F.SEQUENCE,
    "background": F.ORIGIN,
    "check": F.SUMMARY,
    "take_away": F.SUMMARY,
    "more": F.DESCRIBE,
}
_WHOLE: Final = re.compile(r"(I|I'm|I'd|I've|We|She|He|They|There|It|It's|My|The|When|If|Mostly|Every)\b(?![^.]{0,9},)")
"""Opens a piece of memory that can be told without a question to it."""
_FORMS: Final = frozenset(one.value for one in QuestionForm)
_EVERYDAY: Final = frozenset(
    {F.WHO, F.WHAT, F.WHEN, F.WHERE, F.HOW_MANY, F.YES_NO, F.DESCRIBE, F.SEQUENCE, F.SAID, F.HOW_COME}
)


@dataclass(frozen=True)
class Scene:
    """One situation of a case, with all that can be told in it."""

    case: Case
    situation: Situation

    @cached_property
    def facts(self) -> Mapping[str, Evidence]:
        return {one.id: one for one in self.situation.evidence}

    @cached_property
    def units(self) -> Mapping[str, Unit]:
        memory = self.case.memory
        return {one.id: one for one in memory.within(self.situation.id)} if memory else {}

    @cached_property
    def beside(self) -> Mapping[str, frozenset[str]]:
        """What lies next to each unit or fact, in either direction."""
        pairs = [(a.id, b) for a in self.units.values() for b in a.links if b in self.units or b in self.facts]
        names = (*self.units, *self.facts)
        return {x: frozenset([b for a, b in pairs if a == x] + [a for a, b in pairs if b == x]) for x in names}

    @cached_property
    def lines(self) -> tuple[tuple[str, str], ...]:
        """Every sentence that tells something, with what it tells."""
        found = [(t, u.id) for u in self.units.values() for t in (u.said, u.again, u.moved) if t]
        found += [(t, e.id) for e in self.facts.values() for t in e.said]
        talks = [self.case.memory.fact(name) for name in self.facts] if self.case.memory else []
        return tuple(found + [(t, k.id) for k in talks if k for t in (k.again, k.unmoved, k.moved)])

    def told(self, text: str) -> tuple[str, ...]:
        """What a patient turn tells, in its order."""
        return tuple(name for _, name in sorted((text.find(line), name) for line, name in self.lines if line in text))

    def guard(self, name: str) -> float:
        return (self.facts.get(name) or self.units[name]).guard

    def forms(self, name: str) -> frozenset[QuestionForm]:
        return frozenset(self.units[name].forms) if name in self.units else frozenset()

    def asks(self, name: str) -> tuple[str, ...]:
        fact = self.facts.get(name)
        return (*fact.asks, "Tell me about " + ", ".join(fact.topics)) if fact else self.units[name].asks


@dataclass(frozen=True)
class Ear:
    """Hears free speech: each sentence by ridge regression on sentence vectors with nearest examples and cue words;
    what it is about by likeness to the case's own example questions and by rare words in common."""

    scene: Scene
    embed: Embed

    def _vectors(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return kept_vectors(str(getattr(self.embed, "name", "embed")), list(texts), self.embed)

    @cached_property
    def _labels(self) -> tuple[tuple[str, ...], NDArray[np.float32], NDArray[np.intp], NDArray[np.float64]]:
        learn = WRITTEN["learn"]
        names = tuple(sorted(learn))
        pairs = [(text, names.index(label)) for label in names for text in learn[label]]
        vectors, y = self._vectors([text for text, _ in pairs]), np.array([label for _, label in pairs])
        x = np.hstack([vectors, np.full((len(pairs), 1), 0.3)])
        ridge = np.linalg.solve(x.T @ x + 0.6 * np.eye(x.shape[1]), x.T @ np.eye(len(names))[y])
        return names, vectors, y, ridge

    @cached_property
    def _items(self) -> tuple[tuple[str, ...], NDArray[np.intp], NDArray[np.float32], NDArray[np.float32]]:
        names = (*self.scene.facts, *self.scene.units)
        asks = [(i, text) for i, name in enumerate(names) for text in self.scene.asks(name)]
        said = [(self.scene.facts.get(n) or self.scene.units[n]).said for n in names]
        vectors = self._vectors([text for _, text in asks])
        own = self._vectors([one if isinstance(one, str) else one[0] for one in said])
        return names, np.array([i for i, _ in asks]), vectors, own

    @cached_property
    def _words(self) -> tuple[tuple[frozenset[str], ...], Mapping[str, float]]:
        """Content words of each example question, and how rare each word is among facts and units."""
        names = (*self.scene.facts, *self.scene.units)
        each = [content_words(" ".join(self.scene.asks(n))) for n in names]
        known = {word for one in each for word in one}
        rare = {w: math.log(1 + len(each) / sum(w in one for one in each)) for w in known}
        return tuple(content_words(ask) for n in names for ask in self.scene.asks(n)), rare

    def label(self, sentence: str) -> tuple[str, bool]:
        """What one sentence of the therapist does or asks, and whether a cue word or a clear lead says so."""
        names, vectors, y, ridge = self._labels
        own = self.embed([sentence])[0]
        near = vectors @ own
        score = np.append(own, 0.3) @ ridge + 0.6 * np.array([near[y == i].max() for i in range(len(names))])
        asking = sentence.rstrip("\"'” ").endswith("?") or bool(ASKING.search(sentence.lower()))
        wh = asking and bool(re.search(r"\b(what|how|who|why|where|when|which)\b", sentence.lower()))
        cued = [bool(name in CUES and CUES[name].search(sentence)) and not (wh and name in MUTE) for name in names]
        for i, name in enumerate(names):
            score[i] += (0.8 if name in STRONG else 0.45) * cued[i]
            score[i] -= (0.12 * (name in PRESSING) + 0.15 * (name == "risk")) * (not cued[i])
            score[i] -= 0.5 * (not asking and name not in STATEMENTS)
            score[i] -= (0.6 if wh and name in MUTE else 0.15) * (asking and name in STATEMENTS)
        second, first = np.argsort(score)[-2:]
        return names[first], cued[first] or bool(score[first] - score[second] > 0.4)

    def scores(self, text: str, before: str = "") -> dict[str, float]:
        """How near each fact and unit lies to a question, about 0 to 1; `before` leads up to it at half its weight."""
        names, owner, asks, own = self._items
        held, rare = self._words
        vectors = self.embed([text, f"{before} {text}".strip()])
        alone = 0.85 if before and re.search(r"\b(he|she|they|him|her|them)\b", text.lower()) else 1.0
        like = np.maximum(alone * (asks @ vectors[0]), (1.93 - alone) * (asks @ vectors[1]))
        mass = {w: 0.5 * rare[w] for w in content_words(before) if w in rare}
        mass |= {w: rare[w] for w in content_words(text) if w in rare}
        whole = max(3.0, sum(mass.values()))
        shared = np.array([sum(v for w, v in mass.items() if w in one) / whole for one in held])
        best = np.zeros(len(names))
        np.maximum.at(best, owner, like * (0.8 + 0.4 * shared))
        return dict(zip(names, np.maximum(best, 0.68 * (own @ vectors[0])).tolist(), strict=True))

    def own_matter(self, text: str) -> float:
        """How much a question names that is of this life, as the rarity of its words."""
        _, rare = self._words
        return max((rare[w] for w in content_words(text) if w in rare), default=0.0)

    def hear(self, session: Session) -> Appraisal:
        """The appraisal of the last therapist turn, from the words of the session only."""
        turn = session.last("therapist")
        text = turn.text if turn else ""
        if not words(text) or in_another_language(text):
            return Appraisal(understood=False, muddled=True)
        answers = [turn.text for turn in session.by("patient")]
        told = tuple(name for one in answers for name in self.scene.told(one))
        parts = sentences(text)
        heard = [(part, *self.label(part)) for part in parts]
        recent = [s for one in answers[-3:] for s in sentences(one)]
        for i, (part, label, _) in enumerate(heard):  # the patient's own words given back
            if label in PRESSING and recent and float((self.embed(recent) @ self.embed([part])[0]).max()) > 0.7:
                heard[i] = (part, "reflect", True)
        asked = [(i, part, label, sure) for i, (part, label, sure) in enumerate(heard) if label not in STATEMENTS]
        stated = [(part, label) for part, label, _ in heard if label in STATEMENTS]
        base = self._statement(stated, answers, told, bool(asked))
        last = next(reversed(told), None) if answers and self.scene.told(answers[-1]) else None
        if not asked:
            return replace(base, next_to=self._next(answers, told, last, None))
        freshly = any(line in one for one in answers[-3:] for line in self.scene.case.risk.disclosures)
        if freshly and (spoken := [one for one in asked if re.search(WRITTEN["of_risk"], one[1].lower())]):
            asked = [(*spoken[-1][:2], "risk", True)]
        proper = [one for one in asked if one[2] not in ("talk", "check")] or asked
        i, main, label, sure = proper[-1]
        found = self._question(main, parts[i - 1] if i else "", label, sure, answers, told)
        count = sum(part.endswith("?") for _, part, what, _ in asked if what not in ("talk", "check"))
        return replace(
            found, questions=max(1, count), permission=any(what == "talk" for _, _, what, _ in asked),
            leading=base.leading, tells=base.tells, told=base.told, informs=base.informs, content=base.content,
            summarised=base.summarised, claims=base.claims, fit=base.fit,
        )  # fmt: skip

    def _statement(
        self, stated: Sequence[tuple[str, str]], answers: Sequence[str], told: Sequence[str], asks: bool
    ) -> Appraisal:
        labels = [label for _, label in stated]
        own = [part for part, label in stated if label == "reflect"]
        fit = 0.25 * ("affirm" in labels)
        before = [s for one in answers[-3:] for s in sentences(one)][-10:]
        for vector, part in zip(self.embed(own) if own else (), own, strict=True):
            near = float((self.embed(before) @ vector).max()) if before else 0.0
            shared = bool(content_words(part) & content_words(" ".join(before)))
            fit = max(fit, 0.35, min(1.0, (near - 0.05) / 0.5), 0.7 * shared)
        feels = {one.group for one in self.scene.situation.emotions}
        said = frozenset(group for one in answers for group in disclosed_feelings(one))
        claims = [
            FeelingClaim(
                group, "?" in part or "sound" in part.lower(), group in feels | said | {"hurt", "sad"}, group in said
            )
            for part in own
            for group in sorted(feelings_in(part))
            if re.search(r"\byou\b|\bso\b|^sounds", part.lower())
        ]
        gap, compulsion = self.scene.situation.knowledge_gap, self.scene.situation.compulsion
        new, back = list[str](), list[str]()
        for part, _ in stated if self.scene.facts else ():
            vector = self.embed([part])[0]
            for name, fact in self.scene.facts.items():
                like = float((self.embed([fact.fact, *fact.said]) @ vector).max())
                common = len(content_words(part) & content_words(" ".join((fact.fact, *fact.said, *fact.topics))))
                bar = 0.6 if name not in told else 0.42 if common < 2 else 0.22
                (back if name in told else new).extend([name] * (common > 0 and like > bar))
        informs = gap is not None and any(self._like(part, gap.information) > 0.6 for part, _ in stated)
        pressed = [part for part, label in stated if label in PRESSING]
        content = compulsion is not None and any(self._like(p, c) > 0.5 for p in pressed for c in compulsion.content)
        presses = [label for label in labels if label in PRESSING and not (label == "inform" and (asks or informs))]
        return Appraisal(
            tells=bool(presses), leading="argue" in labels, fit=fit, claims=tuple(claims), informs=informs,
            told=tuple(dict.fromkeys(new)), summarised=tuple(dict.fromkeys(back)), content=content,
            follows=Follows.BESIDE if "repair" in labels else None,
        )  # fmt: skip

    def _like(self, one: str, other: str) -> float:
        pair = self.embed([one, other])
        return float(pair[0] @ pair[1])

    def _question(
        self, main: str, before: str, label: str, sure: bool, answers: Sequence[str], told: Sequence[str]
    ) -> Appraisal:
        scene = self.scene
        form = F(label) if label in _FORMS else _FORM_OF.get(label)
        if label == "detail":
            form = next((F(f) for f, cue in WRITTEN["interrogatives"].items() if re.search(cue, main.lower())), F.WHAT)
        closed = bool(re.match(r"(and |so |but )?(do|does|did|is|are|was|were|have|has|can)\b", main.lower()))
        slots = {
            "story": Slot.SITUATION, "background": Slot.BACKGROUND, "thought": Slot.THOUGHT, "feeling": Slot.FEELING,
            "scale": Slot.CONVICTION, "goal": Slot.GOAL, "risk": Slot.RISK, "support": Slot.SUPPORT, "plan": Slot.PLAN,
            "compare": Slot.WEIGHING, "alternative": Slot.ALTERNATIVE,
        }  # fmt: skip
        whole = Appraisal(open=not closed, form=form, asks=(slots[label],) if label in slots else ())
        follow = {"check": Follows.SUMMARY, "take_away": Follows.TAKE_AWAY}.get(label)
        if follow or label == "risk" or (sure and label in ("scale", "goal", "talk")):
            return replace(whole, follows=follow)
        last = next(reversed(told), None) if answers and self.scene.told(answers[-1]) else None
        near = scene.beside.get(last or "", frozenset())
        scores = self.scores(main, before)
        clear = not sure and label not in ("more", "story") and max(scores.values()) > 0.55
        if clear and form not in scene.forms(max(scores, key=lambda n: scores[n])):
            # an unclear kind of question with a clear matter asks for the matter
            label, form, whole = "detail", F.WHAT, Appraisal(open=not closed, form=F.WHAT)
        for name in scores:
            same = form in scene.forms(name) or (form is F.DESCRIBE and label == "story")
            scores[name] += 0.07 * same + 0.05 * (name in near) - 0.07 * (name in told) + 0.02 * (name in scene.facts)
        ranked = sorted(scores, key=lambda name: -scores[name])
        top, own = ranked[0], self.own_matter(f"{main} {before}" if len(words(main)) < 9 else main)
        pool = self._next(answers, told, last, form)
        gap = scene.situation.knowledge_gap
        gap_asked = gap is not None and max(float(v) for v in self.embed([main])[0] @ self.embed(gap.asks).T) > 0.6
        whole = replace(
            whole, gap_asked=gap_asked, next_to=pool, sure=unit_interval(scores[top]),
            near=tuple(Reach(n, max(0.01, unit_interval(scores[n]))) for n in ranked[:6]),
        )  # fmt: skip
        if label in ("scale", "goal", "talk"):
            return whole
        if not sure and last and own < 2.0 and form not in _EVERYDAY and len(words(main)) < 9:
            return replace(whole, asks=(), follows=Follows.MORE, again=last)
        if label == "more" and (own < 2.2 or scores[top] < 0.62):
            return replace(whole, follows=Follows.MORE, again=last)
        if label == "compare":
            named = [n for n in ranked if n in scene.facts and n in told and scores[n] > 0.5]
            seen = named or [n for n in reversed(told) if n in scene.facts]
            unit = next((n for n in ranked if F.COMPARE in scene.forms(n)), None)
            return replace(whole, again=seen[0] if seen else None, unit=unit)
        if label in ("support", "against"):
            bearing = "for" if label == "support" else "against"
            hits = [n for n in ranked if n in scene.facts and scores[n] > 0.6 and scene.facts[n].bearing == bearing]
            reach = tuple(Reach(n, min(1.0, scores[n])) for n in hits if n == top)
            return replace(whole, wide=label == "against" and not reach, reaches=reach)
        if scores[top] > 0.57 and top in scene.facts and (form not in WORK or scores[top] > 0.72):
            return replace(whole, reaches=(Reach(top, min(1.0, scores[top])),))
        if form not in _EVERYDAY or label in ("sequence", "said", "how_come"):
            fitting = [n for n in ranked if form in scene.forms(n) and n in scene.units]
            beside = [n for n in fitting if n in near and n not in told]
            aimed = not sure and scores[top] > 0.66 and top in scene.units and top not in told and own > 2.5
            pick = top if aimed else beside[0] if beside and own < 2.5 else next(iter(fitting), None)
            loose = label in ("feeling", "thought", "meaning") and own < 2.5 and not beside
            if pick and (form in WORK | LOOSENS or scores[pick] > (0.55 if loose else 0.42)):
                return replace(whole, unit=pick)
            return replace(whole, follows=Follows.MORE if form in _EVERYDAY else None, again=last)
        if scores[top] > (0.5 if label == "detail" else 0.6):
            return replace(whole, unit=top) if top in scene.units else replace(whole, reaches=(Reach(top, 0.5),))
        if label == "story" or label == "background":
            return replace(whole)
        if last and not content_words(main):
            return replace(whole, follows=Follows.MORE, again=last)
        return replace(whole, foreign=scores[top] < 0.36, unclear=scores[top] >= 0.36)

    def _next(self, answers: Sequence[str], told: Sequence[str], last: str | None, form: Any) -> str | None:
        """What a patient would tell next, going on from their own last words."""
        names, _, _, own = self._items
        vector = self.embed([answers[-1]])[0] if answers else own.mean(axis=0)
        near = self.scene.beside.get(last or "", frozenset())
        drawn = own @ vector
        units = self.scene.units
        open_units = [
            (drawn[i] + 0.3 * (n in near) + 0.15 * (form in units[n].forms) - 0.2 * (units[n].of == LIFE), n)
            for i, n in enumerate(names)
            if n in units and n not in told and (n in near or drawn[i] > 0.35)
            if not (WORK | LOOSENS) & self.scene.forms(n) and _WHOLE.match(units[n].said)
        ]
        return max(open_units)[1] if open_units else None


def unit_interval(value: float) -> float:
    return min(1.0, max(0.0, value))
