"""The patient's reading of a therapist turn: rules over its form, ears in the dialogue for what it asks about.

Likeness alone is not comprehension: advice and keyword piles that mention a fact lie as near to it as a fitting
question. So only well-formed, non-leading questions can reach a fact, and `hearing` then says which one.
Blind to: irony, other languages, anything that needs the turns before the last one beyond the patient's own last words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from maieutic.domain.appraisal import WORK, Appraisal, FeelingClaim, Follows, QuestionForm, Reach, Slot
from maieutic.domain.case import Case, Situation
from maieutic.domain.episode import Session
from maieutic.language.feelings import disclosed_feelings, feelings_in
from maieutic.language.questions import asks_about_safety
from maieutic.language.sentences import content_words, first_number, is_readable_english, sentences, words
from maieutic.patients.ear import (
    MAX_TEXT,
    asks_permission,
    asks_well,
    attributions,
    bids_well,
    heard_in,
    is_muddled,
    questions,
    statements,
    well_formed,
)
from maieutic.patients.facts import Facts, keyphrase
from maieutic.patients.hearing.asked import (
    WIDE,
    asked_about,
    follows,
    telling_features,
)
from maieutic.patients.hearing.at_hand import (
    ONE_THING_ASKED,
    beside,
    is_foreign,
    may_mean,
    near_facts,
    next_to,
    not_made_out,
    stays,
    surely,
)
from maieutic.patients.hearing.hearing import Hearing, Taken
from maieutic.patients.risk_talk import OTHER, asked_of_risk
from maieutic.protocols import Embedder
from maieutic.reading.ear import Question
from maieutic.reading.head import Head, load
from maieutic.reading.minilm import shared_minilm

Vectors = NDArray[np.float32]

_AT_LARGE_ALONE = frozenset({WIDE, Slot.SUPPORT, Slot.SITUATION})
"""What a question without matter of its own may seem to ask about by itself, and does not behind what was just told."""
WORKING = 0.2
"""Chance of the forms that ask for work on the thought from which a turn can ask for a piece of it. Below it, three in
ten turns laid beside such a piece did ask for it, above it seven in ten (interviews of cases left out)."""
TOLD = 0.60
INFORMED = 0.60
GAP_ASKED = 0.66
WIDE_LIKENESS = 0.70
GIVEN_BACK = 0.7
"""Fit of a turn that gives back what was just said, without a feeling. *Assumption.*"""
NAMED_BEFORE = 0.4
"""Fit of a true feeling that the therapist has named before and the patient did not just tell. *Assumption.*"""
SENSE_FROM, SENSE_TO = 0.45, 0.75
"""Likeness of sentences from which sense is given back, and at which all of it is. *Assumption.*"""
_CHECK_BACK = re.compile(
    r"what (?:do|did) you (?:make of|take from|think (?:of|about)) (?:that|this|it)|how does (?:that"
    r"|this) (?:fit|sit|land|sound)"
    r"|in your own words",
    re.I,
)
_RESULT = re.compile(
    r"\b(?:planned|agreed|going) to (?:try|do|test)|how did (?:it|the (?:experiment|test|plan)) go"
    r"|(?:experiment|test) (?:turn out|go|work)"
    r"|what came of|since (?:we|our) last",
    re.I,
)


def question_slots(encoder: str = "") -> Head:
    """What a question asks about: the head for vectors of the packaged sentence encoder, or of the `encoder` named."""
    name = f"question_slots_{encoder}" if encoder else "question_slots"
    return load(f"patients/weights/{name}.npz", name)


@dataclass(frozen=True, slots=True)
class Comprehension:
    """Reads the last therapist turn of a session for one situation of one case.

    Attributes:
        situation: The situation in play.
        embed: The encoder.
        index: Its facts and general talk, encoded.
        telling: Whether a turn advises or tells.
        hearing: What it asks for in its dialogue; with ears of its own, whatever the encoder.
        feelings: Emotion groups of the situation.
        gap_asks, gap_told: Vectors around a gap in knowledge; None where there is none.
        content: Handles of what an intrusion says; empty where there is none.
        at_risk: The patient has something to tell of risk.
        slots: What a question asks about by itself; silent with an encoder that it was not fitted on.
        following: Whether it asks about the patient's own last words or about the talk.
    """

    situation: Situation
    embed: Embedder
    index: Facts
    telling: Head
    hearing: Hearing
    feelings: frozenset[str]
    gap_asks: Vectors | None = None
    gap_told: Vectors | None = None
    content: tuple[frozenset[str], ...] = ()
    slots: Head = field(default_factory=question_slots)
    following: Head = field(default_factory=lambda: load("patients/weights/follows.npz", "follows"))
    at_risk: bool = False

    @classmethod
    def of(cls, case: Case, situation: Situation, embed: Embedder) -> Comprehension:
        """Index one situation of a case."""
        gap, compulsion = situation.knowledge_gap, situation.compulsion
        return cls(
            situation,
            embed,
            Facts.of(situation, embed),
            load("patients/weights/telling.npz", "telling"),
            Hearing.of(case, situation, shared_minilm()),
            frozenset(e.group for e in situation.emotions),
            embed(list(gap.asks)) if gap else None,
            embed([gap.information, *gap.after]) if gap else None,
            tuple(h for h in map(keyphrase, compulsion.content) if h) if compulsion else (),
            at_risk=case.risk.level != "none",
        )

    def __call__(self, session: Session) -> Appraisal:
        """The appraisal of the last therapist turn."""
        turn = session.last("therapist")
        text = turn.text if turn else ""
        if not is_readable_english(text):
            return Appraisal(understood=False)
        asked, told = questions(text), statements(text)
        main = [q for q in asked if not q.advising]
        claims = self.claims([(a.group, a.tentative) for a in attributions(text)], session)
        leading = any(q.leading for q in asked)
        taken = self.hearing(session)
        tells = self._tells(text)
        bidden = not main and not tells and taken.bids
        reaches = self._reached(text, taken, bidden=bidden)
        rated = any(first_number(turn.text) is not None for turn in session.by("patient"))
        staying, alone = stays(session), self._alone(text, main)
        alone = None if staying and alone in _AT_LARGE_ALONE else alone
        about = both(alone, taken, safety=asks_about_safety(text), rated=rated)
        widely = is_wide(alone, taken) or self._like_wide(main) or self._goes_on(taken, session)
        invites = widely and not leading and any(well_formed(q.text) for q in main)
        vague = invites and not self._names(taken, main)
        if vague:
            reaches = ()
        wide = not reaches and invites
        unit = self._asked_unit(taken, main, wide=wide) if not reaches else None
        followed, chance = follows(heard_in(session), self.hearing.embed, self.following)
        begins = followed is Follows.TAKE_AWAY and len(session.by("therapist")) <= BEGINNING
        if begins or (tells and followed is not Follows.BESIDE) or _clearly_else(followed, chance, taken):
            followed = None
        if followed in OF_ITSELF:
            reaches, wide = (), False
            unit = unit if followed is Follows.MEANING and not (taken.item and WORK & taken.item.forms) else None
            let_go = {Slot.PLAN, Slot.GOAL} | (
                {Slot.WEIGHING, Slot.ALTERNATIVE} if followed is not Follows.TAKE_AWAY else set()
            )
            about = tuple(slot for slot in about if slot not in let_go)
        staying = staying and followed is None and not reaches
        near_by = beside(taken.told[-1:], self.hearing.index) if staying else None
        if near_by is not None and unit and not may_mean(unit, near_by, taken, session):
            unit = None
        clear = bool(reaches or unit or wide or about or followed)
        if unit is not None and not surely(unit, taken, self.hearing.index):
            unit = None
        again = None
        if main and taken.asks and not (reaches or unit or wide or about or followed):
            if staying and taken.form not in ONE_THING_ASKED:
                followed = Follows.MORE
            else:
                again, unit = self._nearest(taken)
        unclear = bool(main) and taken.asks and not (reaches or unit or wide or about or followed or again)
        nears = not (leading or tells or vague) and len(text) <= MAX_TEXT
        heard = Appraisal(
            form=QuestionForm.SUMMARY if followed is Follows.SUMMARY else taken.form,
            follows=followed,
            unit=unit,
            sure=round(taken.of(unit), 6) if unit else 0.0,
            again=again,
            unclear=unclear,
            next_to=next_to(taken, self.hearing.index) if unclear or followed is Follows.MORE else None,
            foreign=unclear and is_foreign(taken, (q.text for q in main), self.hearing.index),
            near=near_facts(taken, near_by) if nears and (clear or not main) and followed not in OF_ITSELF else (),
            tells=tells,
            questions=max(len(main), int(bidden)),
            open=bidden or any(q.open for q in main),
            wide=wide,
            leading=leading,
            asks=about,
            reaches=reaches,
            told=self._stated(told, session),
            summarised=self._summarised(text, session),
            claims=claims,
            fit=self._fit(told, tuple(q.text for q in main), session, claims),
            permission=asks_permission(text),
            informs=self._informs(told, session),
            gap_asked=self._gap_asked(main, session),
            content=self._on_content(text, told, main),
            result_asked=any(_RESULT.search(q.text) for q in main),
            risk=asked_of_risk(text) if self.at_risk and main else None,
        )
        # What may ask about danger is never put down to muddled words.
        of_danger = Slot.RISK in heard.asks or (self.at_risk and (heard.risk not in (None, OTHER) or heard.follows))
        return not_made_out(heard) if main and not of_danger and is_muddled(text) else heard

    def _informs(self, told: tuple[str, ...], session: Session) -> bool:
        """The turn states the information that the patient lacks; giving back the patient's own words does not."""
        heard = _heard(session)
        new = [sentence for sentence in told if len(content_words(sentence) - heard) >= 2]
        if self.gap_told is None or not new:
            return False
        return float((self.gap_told @ self.embed([" ".join(new), *new]).T).max()) >= INFORMED

    def _gap_asked(self, asked: list[Question], session: Session) -> bool:
        """The turn asks what the patient knows about the gap, or what they make of what they were just told."""
        if self.gap_asks is None or not asked:
            return False
        if any(_CHECK_BACK.search(q.text) for q in asked):
            return True
        vectors = self.embed([q.text for q in asked])
        return float((self.gap_asks @ vectors.T).max()) > GAP_ASKED

    def _on_content(self, text: str, told: tuple[str, ...], asked: list[Question]) -> bool:
        """The turn disputes or reassures about what the intrusion says, instead of asking what having it means."""
        if not self.content:
            return False
        closed = [q.text for q in asked if not q.open or q.leading]
        return any(keyphrase <= content_words(part) for part in (*told, *closed) for keyphrase in self.content)

    def invites(self, text: str) -> bool:
        """The turn asks rather than tells, in a form that can ask for a fact; without it nothing is reached."""
        return asks_well(text) and not self._tells(text)

    def _tells(self, text: str) -> bool:
        """The patient takes the turn for advice or telling."""
        return bool(self.telling.counted(telling_features(text, self.embed([text])[0])))

    def _reached(self, text: str, taken: Taken, *, bidden: bool) -> tuple[Reach, ...]:
        """The fact that the turn asks for in its dialogue and that was not told already, where its form can ask for
        one.

        `bidden` marks a turn that asks without a question mark ("Tell me about the bike, then").
        """
        asks = bids_well(text) if bidden else self.invites(text)
        if taken.reached is None or not asks:
            return ()
        return (Reach(taken.reached, round(0.5 + taken.asked[taken.reached] / 2.0, 4)),)

    def _nearest(self, taken: Taken) -> tuple[str | None, str | None]:
        """Where nothing is clearly asked for: (a fact told before, None) or (None, a unit), whichever is likelier; or
        neither.

        Work on the thought is never guessed at: it must have been asked for.
        """
        open_to = {
            item.id: taken.of(item.id)
            for item in self.hearing.index.items
            if item.slot is None and not WORK & item.forms and (not item.fact or item.id in taken.told)
        }
        name = max(open_to, key=open_to.__getitem__, default=None)
        if name is None or not surely(name, taken, self.hearing.index):
            return None, None
        return (name, None) if name in taken.asked else (None, name)

    def _names(self, taken: Taken, asked: list[Question]) -> bool:
        """The question itself names what is heard in it, by a word that few pieces of this life share."""
        return taken.item is not None and any(self.hearing.index.named_in(taken.item, q.text) for q in asked)

    def _asked_unit(self, taken: Taken, asked: list[Question], *, wide: bool) -> str | None:
        """The unit that is asked about; a wide question asks about one only where it names it, and work is asked for in
        its form."""
        if taken.item is None or taken.item.fact or taken.item.slot or (wide and not self._names(taken, asked)):
            return None
        if WORK & taken.item.forms and sum(map(taken.chance, WORK)) < WORKING:
            return None
        return taken.item.id

    def _alone(self, text: str, asked: Sequence[Question]) -> str | None:
        """What the questions of a turn ask about by themselves, one of `asked.SLOTS`."""
        if all(q.leading for q in asked) or self.embed.name != self.slots.fitted_on:
            return None
        return asked_about(text, self.slots, self.embed)

    def _like_wide(self, asked: list[Question]) -> bool:
        """The last usable question is worded much like one that invites experience against the thought in general."""
        usable = [q.text for q in asked if well_formed(q.text)]
        if not usable:
            return False
        question = self.embed(usable[-1:])[0]
        wide, generic = float((self.index.wide @ question).max()), float((self.index.generic @ question).max())
        return wide >= WIDE_LIKENESS and wide > generic

    def _goes_on(self, taken: Taken, session: Session) -> bool:
        """The turn asks what else there is, and the therapist turns before it did too, up to one that invited
        widely."""
        form, turns = taken.form, list(session.turns)
        while form is QuestionForm.ELSE and len(turns) > 1:
            turns.pop()
            if turns[-1].speaker == "therapist":
                form = self.hearing.form(heard_in(Session(tuple(turns), session.seed)))
                asked = [q for q in questions(turns[-1].text) if not q.leading and not q.advising]
                if asked and (form is QuestionForm.AGAINST or self._alone(turns[-1].text, asked) == WIDE):
                    return True
        return False

    def claims(self, attributed: Iterable[tuple[str, bool]], session: Session) -> tuple[FeelingClaim, ...]:
        """Feelings attributed, as (emotion group, tentative), with what the case and the session say about them."""
        voiced = frozenset(g for turn in session.by("patient") for g in disclosed_feelings(turn.text))
        return tuple(
            FeelingClaim(group, tentative, group in self.feelings | voiced, group in voiced)
            for group, tentative in attributed
        )

    def _stated(self, told: tuple[str, ...], session: Session) -> tuple[str, ...]:
        """Facts the therapist states that the patient has not voiced."""
        heard = _heard(session)
        fresh = [s for s in told if len(words(s)) >= 6 and len(content_words(s) - heard) >= 2]
        found = []
        for fact in self.index.facts:
            near = [s for s in fresh if len(content_words(s) & fact.matter) >= 2]
            if near and float((fact.told @ self.embed(near).T).max()) >= TOLD:
                found.append(fact.name)
        return tuple(found)

    def _summarised(self, text: str, session: Session) -> tuple[str, ...]:
        """Facts whose keyphrases the turn names again."""
        named = content_words(text)
        heard = _heard(session)
        return tuple(f.name for f in self.index.facts if any(h <= named and h <= heard for h in f.keyphrases))

    def _fit(
        self, told: tuple[str, ...], asked: tuple[str, ...], session: Session, claims: tuple[FeelingClaim, ...]
    ) -> float:
        """How well the turn gives back what the patient told; 0 for a wrong feeling asserted.

        A true feeling counts fully where it is new or was just told, and `NAMED_BEFORE` where the therapist has named
        it already; words or sense of the patient's last turn given back count up to `GIVEN_BACK`, inside a question
        half.
        """
        if any(not c.true and not c.tentative for c in claims):
            return 0.0
        last = session.last("patient")
        before = last.text if last else ""
        found = [GIVEN_BACK * self._given_back(sentence, before) for sentence in told]
        found += [0.5 * GIVEN_BACK * self._given_back(sentence, before) for sentence in asked]
        true = {c.group for c in claims if c.true}
        if true:
            earlier = {a.group for turn in session.by("therapist")[:-1] for a in attributions(turn.text)}
            fresh = true - earlier or true & feelings_in(before)
            found.append(1.0 if fresh else NAMED_BEFORE)
        return max(found, default=0.0)

    def _given_back(self, sentence: str, before: str) -> float:
        """Share of a sentence that gives back the patient's last turn, 0–1, by its words or by its sense."""
        own, said = content_words(sentence), content_words(before)
        shared = len(own & said)
        if len(own) < 2 or not said:
            return 0.0
        by_words = 0.3 + 0.9 * shared / len(own) if shared >= 2 else 0.0
        vectors = self.embed([sentence, *sentences(before)])
        alike = float((vectors[1:] @ vectors[0]).max())
        by_sense = (alike - SENSE_FROM) / (SENSE_TO - SENSE_FROM)
        return min(1.0, max(0.0, by_words, by_sense))


BEGINNING = 3
"""Therapist turns in which nobody asks yet what is taken away ("what would you like to get from today?"). *Assumption.*
"""
OF_ITSELF = frozenset({Follows.MEANING, Follows.TAKE_AWAY, Follows.BESIDE})
"""What asks for words of the talk itself, so that no fact comes up by it."""


_OF_A_LIFE = frozenset(QuestionForm) - {
    QuestionForm.WHAT,
    QuestionForm.HOW_COME,
    QuestionForm.DESCRIBE,
    QuestionForm.SEQUENCE,
    QuestionForm.THOUGHT,
    QuestionForm.MEANING,
    QuestionForm.YES_NO,
    QuestionForm.SUMMARY,
    QuestionForm.NOW,
    QuestionForm.TALK,
    QuestionForm.ELSE,
}
"""Forms that no question about the last words has."""


def _clearly_else(followed: Follows | None, sure: float, taken: Taken) -> bool:
    """The form is clearly one that such a question does not have, or something else is heard more surely than it."""
    best = max(QuestionForm, key=taken.chance)
    other = taken.item is not None and taken.item.id not in taken.told[-1:] and taken.sure >= sure
    if followed is Follows.SUMMARY and taken.form is not QuestionForm.SUMMARY:
        return other
    if followed in (Follows.MEANING, Follows.MORE):
        for_or_against = taken.chance(QuestionForm.AGAINST) + taken.chance(QuestionForm.SUPPORT) >= BESIDE
        return other or for_or_against or (best in _OF_A_LIFE and taken.chance(best) >= SURE_OF_ELSE)
    general = (QuestionForm.AGAINST, QuestionForm.SUPPORT, QuestionForm.RISK)
    return followed is not None and best in general and taken.chance(best) >= SURE_OF_ELSE


SLOT_OF: Mapping[QuestionForm, Slot] = {
    QuestionForm.FEELING: Slot.FEELING,
    QuestionForm.THOUGHT: Slot.THOUGHT,
    QuestionForm.ORIGIN: Slot.BACKGROUND,
    QuestionForm.SCALE: Slot.CONVICTION,
    QuestionForm.GOAL: Slot.GOAL,
    QuestionForm.RISK: Slot.RISK,
    QuestionForm.SUPPORT: Slot.SUPPORT,
    QuestionForm.COMPARE: Slot.WEIGHING,
    QuestionForm.ALTERNATIVE: Slot.ALTERNATIVE,
    QuestionForm.PLAN: Slot.PLAN,
    QuestionForm.MEANING: Slot.THOUGHT,
}
SURE_OF_ELSE = 0.6
"""Chance of another form from which what the question alone seems to ask about is let go. *Assumption.*"""
RATED_AGAIN = 0.15
"""Chance of a question for a number from which it counts once one was given. *Assumption.*"""
BESIDE = 0.3
"""Share of the likeliest form's chance that it needs, too. *Assumption.*"""
_OF_A_TALE = frozenset({QuestionForm.SEQUENCE, QuestionForm.DESCRIBE, QuestionForm.WHAT})
_BY_ITSELF = frozenset(Slot) - {Slot.RISK}
_GENERAL = frozenset({QuestionForm.AGAINST, QuestionForm.ELSE, QuestionForm.SUPPORT, QuestionForm.COMPARE})


def both(alone: str | None, taken: Taken, *, safety: bool, rated: bool = False) -> tuple[Slot, ...]:
    """The slots that are asked about, by the question alone and by its form in the dialogue.

    `safety` marks a plain question about suicide; after a number was given (`rated`) less is needed to hear one asked
    for again.
    """
    best = max(QuestionForm, key=taken.chance)
    if (
        rated
        and best is not QuestionForm.SCALE_REST
        and taken.chance(QuestionForm.SCALE) >= max(RATED_AGAIN, BESIDE * taken.chance(best))
    ):
        return (Slot.CONVICTION,)
    tale = alone == Slot.SITUATION and best in _OF_A_TALE
    fits = tale or taken.chance(best) < SURE_OF_ELSE or SLOT_OF.get(best) == alone
    slots = [Slot(alone)] if alone in _BY_ITSELF and fits else []
    if safety or taken.chance(QuestionForm.RISK) >= SURE_OF_ELSE:
        slots.insert(0, Slot.RISK)
    heard = SLOT_OF.get(taken.form) if taken.form else None
    if taken.item is not None and taken.item.slot is not None and not slots:
        slots.append(taken.item.slot)
    if heard is not None and heard is not Slot.RISK and heard not in slots:
        slots.append(heard)
    return tuple(slots)


def is_wide(alone: str | None, taken: Taken) -> bool:
    """Experience against the thought in general is asked for."""
    best = max(QuestionForm, key=taken.chance)
    clearly_else = taken.chance(best) >= SURE_OF_ELSE and best not in _GENERAL
    return taken.form is QuestionForm.AGAINST or (alone == WIDE and not clearly_else)


def _heard(session: Session) -> frozenset[str]:
    return frozenset().union(*(content_words(turn.text) for turn in session.by("patient")))
