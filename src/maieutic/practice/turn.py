"""One exchange with the recorded mind: what the turn reached and what the patient kept.

Only kinds are named. No word of the case is ever put into what is told.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from maieutic.domain.appraisal import Appraisal, QuestionForm, Slot
from maieutic.domain.case import Case, Situation
from maieutic.domain.state import Act, CognitiveState
from maieutic.language.feelings import disclosed_feelings
from maieutic.language.questions import ends_as_question
from maieutic.language.sentences import content_words, sentences, words
from maieutic.measures.material import Exchange
from maieutic.measures.moves import leads
from maieutic.patients.dynamics import PAIR, push_of
from maieutic.patients.kernel import EXPERIMENT
from maieutic.patients.risk_talk import OTHER, TELLS_AGAIN, asked_of_risk
from maieutic.patients.template_voice import worded_as
from maieutic.practice.moves import COSTS, REFLECTIVE, SAFETY, SOFT, TELLING, UNPRESSED, Part, parts_of_turn, spoken
from maieutic.practice.reader import Reading
from maieutic.practice.whole_turn import (
    OF_ACT,
    OF_FORM,
    PERHAPS_SAFE,
    PRESSES,
    SAFE,
    SAFE_IN_DANGER,
    TELL_ON,
    About,
    Danger,
    aim_of,
    asked_about,
    asked_for,
    asked_of,
    asks_once,
    asks_sharply,
    doubtful,
    may_ask_several,
    pieces,
    pressing,
    safe_sentences,
    without_courtesies,
)
from maieutic.reading.moves import chances, questions, statements

PUSHED: Final = 0.25
"""Push (0 to 1) from which the simulated patient turns away, whatever was asked (`patients.intent`)."""
OPENED: Final = 0.8
"""Chance from which the recorded mind is sure that a turn asked for just what was told."""
CLEARLY: Final = 1.5
"""Points of conviction that are told as a move; less is noise."""
TURNED: Final[Mapping[Act, str]] = {
    Act.DEFLECT: "The patient turned away from it",
    Act.RESIST: "The patient pushed back",
    Act.AGREE: "The patient agreed in words only",
}
_F = QuestionForm
OF_A_VIEW: Final = frozenset({_F.OTHER_VIEW, _F.DOUBLE_STANDARD, _F.ALTERNATIVE})
"""Forms of question for a view that is not their own one of now."""
_OF_A_DETAIL: Final = frozenset({_F.SAID, _F.WHO, _F.WHEN, _F.WHERE, _F.HOW_MANY, _F.OTHER_VIEW})
SEVERAL_PERHAPS: Final = "It may ask more than one thing: which did you want answered first?"
_OF_A_GREETING: Final = frozenset({"repair", "self_disclosure", "information", TELLING})
_PLAIN_QUESTIONS: Final = frozenset({"open_question", "closed_question"})
_DUE_IN_DANGER: Final = frozenset({"advice", "information", TELLING})
_COSTS_IN_DANGER: Final = frozenset({*COSTS}) - _DUE_IN_DANGER
"""What is told of a sentence that asks about danger or brings help, where it surely did it."""
_HARDLY_BESIDE_A_PUSH: Final = frozenset({*REFLECTIVE, "room", "affirmation", "process", "praise"})
"""What a sentence hardly does beside one that may be a reproach, tell instead of asking, or carry the answer."""
REPEATED: Final = 4
"""Words from which a sentence that was said before is told as said again."""
DOUBTED: Final = 0.2
"""Chance below which the recorded mind hardly took a question for the memory that it told."""
SURELY: Final = 0.7
"""Chance from which it is told that a turn asks nothing."""
KNOWN: Final = 0.4
"""Chance from which it is known what a turn asks for, before an answer is told to pass it by."""
_ASKED_OUTRIGHT: Final[Mapping[Act, str]] = {Act.DETAIL: "detail", Act.BACKGROUND: "origin"}
"""By a piece of the tale: what a turn asks for that is answered by it."""
TELLING_WORD: Final = 5
"""Letters from which a word that was taken up is named."""
SHORT_TURN: Final = 10
"""Words up to which a turn is short."""
STILL: Final = 1
"""Turns after which a question is no longer taken for one about a danger that was told before."""
_SPOKEN: Final = frozenset(
    {Act.FEELING, Act.THOUGHT, Act.DETAIL, Act.BACKGROUND, Act.NOT_KNOWING, Act.NO_MORE, Act.CONFIRM}
)
_OF_DANGER: Final = frozenset({Act.RISK_DISCLOSURE, Act.RISK_DENIAL, Act.RISK_ANSWER})
_FALLS_BACK: Final = frozenset({*_SPOKEN, Act.DEFLECT, Act.CONCEDE, Act.UNMOVED, Act.WARMED})
"""Acts that are told as what the answer's words are, where the words of the decided act were used up."""


@dataclass(frozen=True, slots=True)
class Place:
    """One exchange with the case it belongs to; it has a mind before and after.

    Attributes:
        answered: All that the patient has said, the answer to this turn included.
        danger: What was said of danger up to this turn.
        reading: What a language model read in the turn; None: the heads read it.
        opening: What the patient began with.
        pressed_before: A turn before surely pressed.
    """

    case: Case
    situation: Situation
    exchange: Exchange
    before: CognitiveState
    after: CognitiveState
    taken: Appraisal
    answered: tuple[str, ...]
    danger: Danger = field(default_factory=lambda: Danger())
    reading: Reading | None = None
    opening: str = ""
    pressed_before: bool = False

    @property
    def act(self) -> Act:
        """What the patient did, by the words of the answer."""
        decided = self.after.intent.act
        if not self.answered or decided not in _FALLS_BACK:
            return decided
        spoken = worded_as(self.case, self.situation, self.after, self.answered[-1])
        return spoken if spoken in _SPOKEN else decided

    @property
    def form(self) -> QuestionForm | None:
        """The form of question that the told unit of memory answers: the one asked, or the only one that it has."""
        unit = self.after.intent.unit
        if unit is None or self.case.memory is None:
            return None
        forms = self.case.memory.unit(unit).forms
        return self.taken.form if self.taken.form in forms else forms[0]

    @property
    def about(self) -> About | None:
        """What the answer is about; None where the record does not know."""
        if self.act is Act.ANSWER and self.form is not None:
            return OF_FORM.get(self.form)
        return OF_ACT.get(self.act)

    @property
    def asks_once(self) -> bool | None:
        """It asks one question; False: several; None: that cannot be told, or it asks none."""
        if self.reading is not None:
            return None if self.reading.asks == 0 else self.reading.asks == 1
        once = asks_once(without_courtesies(self.exchange.text, self.exchange.heard), self.exchange.heard)
        greets = self.exchange.number == 0 and len(pieces(self.exchange.text)) > 1
        return None if once and greets else once

    @property
    def parts(self) -> tuple[Part, ...]:
        """What its sentences do, as far as it can be told: not what belongs to a greeting or to care in danger."""
        if self.reading is not None:
            found = self.reading.parts(self.exchange.text)
        else:
            found = parts_of_turn(self.exchange.text, self.exchange.heard, self.earlier)
        greets = self.reading is None and self.exchange.number == 0
        cares = self.on_danger and self.danger.ago <= STILL
        due = _OF_A_GREETING if greets else _DUE_IN_DANGER if cares else frozenset()
        due |= frozenset({"guess"}) if self.reading is None and self.sees_to_safety else frozenset()
        presses = self.reading is None and (self.leads or self.sharp or self.doubtful or bool(self.presses))
        due |= _HARDLY_BESIDE_A_PUSH if presses else frozenset()
        of_safety = {one for one in self.safe if not leads(one)}
        kept = (one for one in found if one.kind not in due)
        kept = (one for one in kept if one.text not in of_safety or (one.sure and one.kind in _COSTS_IN_DANGER))
        return tuple(one for one in kept if one.kind not in _PLAIN_QUESTIONS or one.text not in self.presses)

    @property
    def again(self) -> frozenset[str]:
        """Sentences of the answer that the patient had said before in the same words."""
        before = {words(one) for said in self.answered[:-1] for one in sentences(spoken(said))}
        told = sentences(spoken(self.answered[-1])) if self.answered else ()
        return frozenset(one for one in told if len(words(one)) >= REPEATED and words(one) in before)

    @property
    def leads(self) -> bool:
        """A question of it carries the answer that is wanted."""
        if self.reading is not None:
            return "leading_question" in self.reading.does
        return leads(self.exchange.text)

    @property
    def sharp(self) -> bool:
        """A question of it may be a reproach."""
        return self.reading is None and asks_sharply(self.exchange.text, self.exchange.heard)

    @property
    def presses(self) -> tuple[str, ...]:
        """Sentences that may argue, blame, interpret, lead or make something smaller, taken for it sooner after a turn
        that surely pressed: nothing beside them is praised, and they are not called a mere question."""
        least = PRESSES[self.pressed_before]
        return () if self.reading is not None else pressing(self.exchange.text, self.exchange.heard, least)

    @property
    def unpressed(self) -> bool:
        """No sentence of the turn is at all likely to do what `presses` holds."""
        return self.reading is not None or not pressing(self.exchange.text, self.exchange.heard, UNPRESSED)

    @property
    def earlier(self) -> str:
        """What the patient had said before what was just heard."""
        return " ".join(self.answered[:-2])

    def part(self, *kinds: str, sure: bool = True) -> Part | None:
        """The first sentence that is read as one of these kinds, in the order of the kinds."""
        found = [one for kind in kinds for one in self.parts if one.kind == kind and (one.sure or not sure)]
        return found[0] if found else None

    @property
    def cost(self) -> Part | None:
        """The sentence that most likely cost something: the sure ones first, then what it may be heard as."""
        return self.part(*COSTS) or self.part(*COSTS, sure=False)

    @property
    def dear(self) -> Part | None:
        """The sentence that surely cost something which another would not have."""
        return self.part(*(kind for kind in COSTS if kind not in SOFT))

    @property
    def doubtful(self) -> bool:
        """A sentence of it may have cost something, and that is not sure enough to name it."""
        return self.reading is None and doubtful(self.exchange.text, self.exchange.heard, self.earlier)

    @property
    def unsure(self) -> tuple[str, ...]:
        """Questions to the trainee about what is not surely read; none beside what has a name that costs, none of how a
        talk is opened, and none where danger is open."""
        if self.reading is not None or self.exchange.number == 0 or self.on_danger or self.sees_to_safety:
            return ()
        named = self.cost is not None and self.cost.kind != TELLING
        asked = None if named else self._asked_of
        several = may_ask_several(self.exchange.text, self.exchange.heard)
        return (*([asked[1]] if asked else []), *([SEVERAL_PERHAPS] if several else []))

    @property
    def _asked_of(self) -> tuple[str, str] | None:
        about = (self.exchange.text, self.exchange.heard, self.earlier)
        return asked_of(*about, turned=self.act in TURNED) or asked_about(self.presses, *about)

    @property
    def owns(self) -> Part | None:
        """The sentence by which it most clearly mends something in the talk itself."""
        found = [one for one in self.parts if one.kind == "repair"]
        return max(found, key=lambda one: len(one.text), default=None)

    @property
    def back(self) -> Part | None:
        """The sentence that gives back most."""
        found = [one for one in self.parts if one.kind in REFLECTIVE and one.sure]
        return max(found, key=lambda one: len(one.text), default=None)

    @property
    def asks_freely(self) -> bool:
        """It asks one thing, and nothing in the turn may well be telling, a reproach or the answer wanted."""
        clean = self.cost is None and not self.doubtful and not self.leads and not self.presses
        return clean and self.asks_once is True and not self.sharp

    @property
    def aim(self) -> str | None:
        """What its last question asks for; not of the one that opens the talk, nor where there surely are several."""
        if self.exchange.number == 0 or self.asks_once is False or not self.asks:
            return None
        if self.on_danger or self.sees_to_safety:
            return None
        return aim_of(self.exchange.text, self.taken.form)

    @property
    def asks_to_weigh(self) -> bool:
        """It asks openly, and most likely to hold things beside one another or what they make of it: where the patient
        then weighed what was told, either asked for that."""
        likely = asked_for(self.exchange.text) in ("weigh", "view")
        return self.asks_openly and (self.reading is not None or likely)

    @property
    def checks(self) -> bool:
        """It gives back what was heard and asks whether that is right, and nothing in it may have cost something."""
        if self.reading is not None or self.back is None or self.cost is not None:
            return False
        presses = bool(self.presses) or self.doubtful or self.leads or self.sharp
        return not presses and asked_for(self.exchange.text, KNOWN) == "check"

    @property
    def plainly(self) -> str | None:
        """What is surely true of its form, for where nothing else of it is told."""
        if self.presses or self.doubtful or self.sharp:
            return None
        heard = words(self.exchange.heard)
        shared = [one for one in words(self.exchange.text) if one in heard and content_words(one)]
        word = max(shared, key=lambda one: (len(one), one), default="")
        if len(word) >= TELLING_WORD:
            return f"You took up a word of theirs: “{word}”."
        if self.asks and self.asks_once is True and len(words(self.exchange.text)) <= SHORT_TURN:
            return "It was one short question."
        asks = self.asks or asked_for(self.exchange.text, SURELY) != "none"
        return None if asks else "It was a remark and asked nothing."

    @property
    def asks_openly(self) -> bool:
        return self.part("open_question") is not None

    @property
    def asks(self) -> bool:
        return any(not one.advising for one in questions(self.exchange.text))

    @property
    def pushed(self) -> bool:
        """The recorded mind took the turn as a push, and something in it can be named that pushes."""
        push = push_of(self.exchange.code, self.taken, self.before)
        stacked = self.taken.questions > PAIR and self.asks_once is False
        return push >= PUSHED and (self.cost is not None or self.claims_wrongly or stacked)

    @property
    def claims_wrongly(self) -> bool:
        """It surely states a feeling that the patient does not have."""
        states = any(chances(one)["feeling"] >= OPENED for one in statements(self.exchange.text))
        return states and any(not claim.true and not claim.tentative for claim in self.taken.claims)

    @property
    def asks_safety(self) -> bool:
        """It asks about danger, for the first time or more closely.

        Only while danger is the subject is a question taken for a closer one: elsewhere "Who else knows?" asks of
        something else.
        """
        heard = Slot.RISK in self.taken.asks
        if self.reading is not None:
            read = self.reading.parts(self.exchange.text)
            if any(one.kind == SAFETY and ends_as_question(one.text) for one in read):
                return True
        else:
            closer = self.danger.ago <= STILL and self.asks_closer is not None
            heard = heard or (closer and bool(safe_sentences(self.exchange.text, PERHAPS_SAFE)))
            heard = heard and any(not one.advising for one in questions(self.exchange.text))
        return heard and bool(questions(self.exchange.text))

    @property
    def sees_to_safety(self) -> bool:
        """It asks about danger, warns of it or brings help, as it is read."""
        if self.reading is not None:
            return self.asks_safety or SAFETY in self.reading.does
        return self.asks_safety or bool(self.safe)

    @property
    def safe(self) -> tuple[str, ...]:
        """Sentences that ask about danger or bring help, as the head reads them: it alone is believed only while danger
        is the subject or open, and of no question while a hint waits to be asked about in plain words."""
        subject = self.danger.raised and self.danger.ago <= STILL
        if self.reading is not None or not (subject or self.danger_is_open or Slot.RISK in self.taken.asks):
            return ()
        found = safe_sentences(self.exchange.text, SAFE_IN_DANGER if subject else SAFE)
        waits = self.danger.unasked and not self.asks_safety
        return tuple(one for one in found if not (waits and ends_as_question(one)))

    @property
    def asks_of_danger(self) -> bool:
        """What it does for safety is asking."""
        if self.reading is not None or self.asks_safety:
            return self.asks_safety
        return any(map(ends_as_question, self.safe))

    @property
    def asks_closer(self) -> str | None:
        """What it asks of danger that is open: intent, plan, means, what protects, who knows; None: none of these."""
        if not self.danger.raised or not questions(self.exchange.text):
            return None
        about = asked_of_risk(self.exchange.text)
        return None if about in (OTHER, *TELLS_AGAIN) else about

    @property
    def danger_after(self) -> Danger:
        """What has been said of danger once the patient has answered."""
        hinted = self.act is Act.RISK_HINT
        told = hinted or self.act is Act.RISK_DISCLOSURE
        closer = self.asks_closer
        return Danger(
            self.danger.raised or told or self.asks_of_danger,
            hinted or (self.danger.unasked and not self.asks_of_danger),
            self.danger.asked | ({closer} if closer is not None else frozenset()),
            0 if told or self.asks_of_danger or self.act in _OF_DANGER else self.danger.ago + 1,
        )

    @property
    def on_danger(self) -> bool:
        """Danger has been told or hinted at and not asked about since, or it is asked about or told now."""
        return self.danger_is_open or self.asks_of_danger or self.act is Act.RISK_DISCLOSURE

    @property
    def danger_is_open(self) -> bool:
        """The patient told of danger, or hinted at it and was not asked about it since."""
        return self.before.risk_disclosed or self.danger.unasked

    @property
    def passes_danger(self) -> bool:
        """Danger is open, and the turn asks about something else."""
        return self.danger_is_open and self.exchange.asks and not self.sees_to_safety

    @property
    def went_well(self) -> bool:
        """It asked openly, and the patient told something that does not fit the thought, or the thought gave way."""
        fresh = any(self.situation.fact(one).bearing == "against" for one in self.brought_out() if one != EXPERIMENT)
        gave_way = self.act in (Act.CONCEDE, Act.INSIGHT) or self.weighed
        return self.asks_openly and self.act not in TURNED and (fresh or gave_way)

    @property
    def opened(self) -> bool:
        """The recorded mind says that this turn opened what was told: it surely asked for just that."""
        intent, taken = self.after.intent, self.taken
        if not questions(self.exchange.text):
            return False
        if intent.unit is not None:
            return taken.unit == intent.unit and taken.sure >= OPENED
        if intent.evidence is not None:
            sure = any(one.evidence == intent.evidence and one.strength >= OPENED for one in taken.reaches)
            return sure and any(one.evidence == intent.evidence and one.credit > 0.0 for one in self.after.voiced)
        return intent.act.value in {slot.value for slot in taken.asks} or (
            intent.act is Act.DETAIL and Slot.SITUATION in taken.asks
        )

    @property
    def passed_by(self) -> bool:
        """It asked something, and by the record the patient went on with the tale or to something else instead."""
        asked = [one.text for one in questions(self.exchange.text)]
        if self.asks_once is False or not asked or self.pushed or self.leads:
            return False
        if not self.answered or content_words(" ".join(asked)) & content_words(self.answered[-1]):
            return False
        intent, taken, form = self.after.intent, self.taken, self.taken.form
        wanted = asked_for(self.exchange.text, KNOWN) or "go_on"
        if self.act is Act.FEELING:
            inner = wanted not in {*TELL_ON, "feeling", "here"} and not self.opened
            return self.act is not intent.act or form in _OF_A_DETAIL or inner
        if self.act is Act.EVIDENCE:
            return not self.opened and wanted not in {*TELL_ON, "grounds", "against", "detail"}
        if self.act in _ASKED_OUTRIGHT:
            outright = self.opened and self.act is intent.act
            if outright or wanted == _ASKED_OUTRIGHT[self.act]:
                return False
            if self.act is Act.BACKGROUND and form is QuestionForm.ORIGIN:
                return False
            if wanted not in TELL_ON and self.after.turn > 1:
                return True
        if self.act is Act.ANSWER and intent.unit is not None and self.case.memory is not None:
            fits = form in self.case.memory.unit(intent.unit).forms
            return taken.unit != intent.unit or (taken.sure < DOUBTED and not fits)
        return self.act in (Act.BACKGROUND, Act.TANGENT)

    @property
    def turned_past(self) -> bool:
        """The patient had turned away just before, the turn only asks on, without a word about that, and they turn away
        again."""
        asks_on = self.exchange.asks and not statements(self.exchange.text) and not self.taken.permission
        again = self.act in TURNED and self.before.intent.act in (Act.DEFLECT, Act.RESIST)
        return again and asks_on and not self.on_danger

    @property
    def weighed(self) -> bool:
        """The patient held something told that does not fit the thought against it, and the answer is about it.

        What speaks for the thought is weighed by the same question, and is nothing held against it.
        """
        fresh = set(self.after.weighed) - set(self.before.weighed)
        against = any(name == EXPERIMENT or self.situation.fact(name).bearing == "against" for name in fresh)
        return against and self.act not in (*TURNED, Act.TANGENT)

    @property
    def asked_for_find(self) -> bool:
        """The patient told a fact for the first time because it was asked for."""
        return any(one.credit > 0.0 and one.by == "patient" for one in self.after.voiced[len(self.before.voiced) :])

    @property
    def feeling_told(self) -> bool:
        """The patient has named a feeling of their own."""
        return "feeling" in self.after.disclosed or any(map(disclosed_feelings, self.answered))

    def brought_out(self) -> tuple[str, ...]:
        """Facts that the patient told for the first time in answer."""
        fresh = self.after.voiced[len(self.before.voiced) :]
        return tuple(one.evidence for one in fresh if one.by == "patient")

    def newly(self, slot: str) -> bool:
        """Thought, feeling or background was told for the first time."""
        return slot in self.after.disclosed and slot not in self.before.disclosed

    @property
    def new_unit(self) -> bool:
        """The answer is a memory that was not told before."""
        unit = self.after.intent.unit
        return unit is not None and unit not in self.before.told
