"""What the graders and the heads beside them read in one patient turn, for the protocol."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from maieutic.language.sentences import sentences
from maieutic.safety.intent import ASKED
from maieutic.safety.kinds import Kind, another_danger, intended, kind_of, likeliest
from maieutic.safety.risk import detect, intent_of, sure_grade
from maieutic.therapists.risk.answers import read_answer, short
from maieutic.therapists.risk.grades import GRAVE, Ask
from maieutic.therapists.risk.other_danger import told as told_of
from maieutic.therapists.risk.signs import (
    CERTAIN_OF_KIND,
    CHILD_ALONE,
    HEARD_IN_AN_ANSWER,
    LIKELY_BEFORE,
    POSSIBLE,
    SURE_OF_KIND,
    Signs,
    Thresholds,
    detected,
    heard_danger,
    signs_in,
)

Danger = Callable[[str], tuple[float, float]]
"""(P(active danger), P(any risk)) of a text, 0–1."""
NO_SIGN: Final = 0.1
"""P(any sign) by all readings below which a turn holds none. Chosen on hands left out one by one."""
PLAINLY: Final = 0.4
"""The same below which what one reading is sure of may wait, as a weak sign does."""
SEVERAL: Final = 0.3
"""The same where several readings are sure of it."""
READIED: Final = 0.2
"""The same where steps towards it may be told beside that, or both heads for kinds of danger hear suicide."""
HANDED_OVER: Final = 0.7
"""The same below which danger that only heads hear is asked about before anything is handed over: of 7 harmless lines
of left-out hands that were handed over 2 are left, and 56 of 58 of danger (before long turns were weighed, too)."""
NOT_SETTLED = frozenset({Kind.WITHDRAWAL, Kind.EATING, Kind.MEDICAL, Kind.DRIVING, Kind.CHILD, Kind.OTHERS})
"""Kinds that "I'm fine" does not settle where active danger was told: who is in them feels it last, or another pays for
it."""


@dataclass(frozen=True, slots=True)
class Graders:
    """The graders of a turn.

    Attributes:
        danger: Grades a text.
        at: Thresholds of that.
        weigh: P(any sign) of a turn by all its readings, 0–1, or None: then each reading counts by itself.
    """

    danger: Danger
    at: Thresholds
    weigh: Callable[[str], float] | None = None

    def signs(self, text: str, *, faint: bool = False) -> Signs:
        """The signs in one turn."""
        if self.nothing(text):
            return Signs(faint=faint, calm=True, lightly=True)
        found = signs_in(text, self.danger, self.at, faint=faint)
        intent, kind = intent_of(text), intended(text, ASKED)
        if kind is not None and not found.sure:
            # After a question of the protocol, and where the graders hardly see it, the next question goes first.
            active = intent.surely and self.weigh is not None and self._active(text) >= POSSIBLE
            found = found.with_intent(kind, short(text), plain=intent.plain, active=active)
        if self.weigh is None:
            return found
        sign = self.weigh(text)
        if found.active and not found.sure and sign < HANDED_OVER:
            found = replace(found, active=False, possible=True)
        if found.child or found.intends_plainly:
            return found
        least = SEVERAL if found.agreed else PLAINLY
        if (found.agreed and found.readying) or (found.leans and found.owned):
            least = READIED
        return found if sign >= least else found.doubted()

    def nothing(self, text: str) -> bool:
        """All readings together hold any sign for unlikely, no sure rule finds one, no intent is told plainly, and no
        blow to a child is heard, which is told as shame."""
        if self.weigh is None or self.weigh(text) >= NO_SIGN or _of_a_child(text) or intent_of(text).plain:
            return False
        return all(sure_grade(part) == "none" for part in (text, *sentences(text)))

    def seen(self, text: str) -> bool:
        """A sign by any reading, in the turn or a sentence of it."""
        if self.nothing(text):
            return False
        return any(self.danger(part)[1] >= self.at.ask or detect(part).flagged for part in (text, *sentences(text)))

    def faint(self, text: str) -> bool:
        """A faint sign by any reading, in the turn or a sentence of it."""
        if self.nothing(text):
            return False
        return any(self.danger(part)[1] >= self.at.doubt or detect(part).flagged for part in (text, *sentences(text)))

    def agreed(self, text: str) -> bool:
        """Two readings see danger in the turn or in one sentence of it."""
        parts = (text, *sentences(text))
        return any(self.danger(part)[1] >= self.at.ask and detect(part).flagged for part in parts)

    def active(self, text: str) -> bool:
        """The graders hold active danger for possible in a turn, or the detector for certain."""
        return self._active(text) >= POSSIBLE or any(
            detect(part).grade == "active" for part in (text, *sentences(text))
        )

    def _active(self, text: str) -> float:
        """P(active danger) of a turn or of one sentence of it, 0–1."""
        return max(self.danger(part)[0] for part in (text, *sentences(text)))

    def heard(self, text: str, *, plainly: bool) -> bool:
        """Another danger than suicide is told (see `signs.heard_danger`)."""
        if self.nothing(text) or (plainly and self.weigh is not None and self.weigh(text) < SEVERAL):
            return False
        return heard_danger(text, self.danger, self.at, plainly=plainly)

    def plainly(self, text: str) -> bool:
        """A danger is told in so many words, by the heads and a second reading, or the graders hold one for likely that
        is active now."""
        signs = self.signs(text)
        return signs.tells or signs.heard or (signs.strong and signs.possible)

    def hurts_somebody(self, text: str) -> bool:
        """Violence at home or a child at risk is told, surely and by both heads for that."""
        (kind, chance), (other, likely) = told_of(text), likeliest(text)
        return kind is other and kind in (Kind.VIOLENCE, Kind.CHILD) and min(chance, likely) >= CERTAIN_OF_KIND

    def child(self, text: str) -> bool:
        """A child at risk is told by the head for dangers, surely enough that a no to suicide settles nothing."""
        kind, chance = told_of(text)
        return kind is Kind.CHILD and chance >= SURE_OF_KIND

    def unsettled(self, text: str) -> bool:
        """A danger that is active is told, and "I'm fine" does not settle it; that somebody else is in it by the
        detector too, for what is only to be said to a person sounds like it to the heads."""
        kind = told_of(text)[0]
        return kind in NOT_SETTLED and (kind is not Kind.OTHERS or detected(text) is kind) and self.active(text)

    def heard_kind(self, told: Sequence[str]) -> Kind | None:
        """The kind of another danger that the head for it heard, the latest; None where it heard none or leaves it
        open."""
        found = (text for text in reversed(told) if self.heard(text, plainly=False))
        return next((kind for text in found if (kind := told_of(text)[0]) is not None), None)

    def other(self, told: Sequence[str]) -> Kind | None:
        """Another danger than suicide that two readings name, the latest; None where there was none."""
        for text in reversed(told):
            kind, chance = likeliest(text)
            if (
                kind is not Kind.SUICIDE
                and detected(text) is kind
                and chance >= CERTAIN_OF_KIND
                and self.danger(text)[1] >= self.at.ask
            ):
                return kind
        return None

    def another(self, told: Sequence[str]) -> bool:
        """Some danger but suicide was likely told, by both heads: enough to ask about it once suicide was denied."""
        return any(map(self._another, told))

    def _another(self, text: str) -> bool:
        (kind, chance), likely = told_of(text), another_danger(text)
        if kind is Kind.CHILD and chance >= CHILD_ALONE and likely >= CHILD_ALONE / 2:
            return True
        if kind is Kind.VIOLENCE and chance >= SURE_OF_KIND and likely >= HEARD_IN_AN_ANSWER:
            return True
        return likely >= LIKELY_BEFORE and chance >= HEARD_IN_AN_ANSWER

    def intended(self, told: Sequence[str]) -> bool:
        """An intent to die stands in one of these turns."""
        return any(self.signs(text).intends for text in told)

    def hinted(self, told: Sequence[str]) -> bool:
        """A wish to be dead or thoughts of suicide stand in so many words in one of these turns, by two readings."""
        return any(
            self.danger(text)[1] >= self.at.ask
            and read_answer(text, Ask.ROUTINE).yes & GRAVE
            and kind_of(text) is Kind.SUICIDE
            for text in told
        )


def _of_a_child(text: str) -> bool:
    kind, chance = told_of(text)
    return kind is Kind.CHILD and chance >= CHILD_ALONE


def own_death(signs: Signs, text: str, *, faintly: bool = False) -> bool:
    """A turn tells of suicide and of no other danger: a wish, thoughts, something decided or planned; `faintly` means,
    a farewell or a likely kind beside a faint sign, too."""
    if signs.tells or signs.surely or signs.heard:
        return False
    if faintly:
        told = signs.told or signs.grave or signs.leans or signs.kind is Kind.SUICIDE
        return signs.faint and told and not (signs.other or signs.another)
    return (signs.told or signs.wish) and kind_of(text) in (None, Kind.SUICIDE, Kind.SELF_HARM)
