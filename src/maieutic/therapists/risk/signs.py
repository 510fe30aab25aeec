"""Signs of danger in what a patient says unasked: by sure rules, by the trained heads, and by what they ask for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

from maieutic.language.sentences import sentences, words
from maieutic.reading.drafts import questions
from maieutic.safety.kinds import LIKELY as LIKELY_KIND
from maieutic.safety.kinds import Kind, another_danger, kind_in_whole, likeliest
from maieutic.safety.risk import detect, read_together
from maieutic.therapists.risk.after_stop import quotable
from maieutic.therapists.risk.answers import preparing, read_answer, short
from maieutic.therapists.risk.grades import GRAVE, Answer, Ask, Facet
from maieutic.therapists.risk.other_danger import calm, own_danger, told, told_in_whole

_MEANS: Final = frozenset(
    """bridge bridges cliff cliffs rooftop rooftops viaduct viaducts storey weedkiller weedkillers pesticide
    pesticides insecticide insecticides poison poisons antifreeze cyanide paraquat monoxide exhaust helium
    lethal fatal overdose overdoses overdosing noose nooses painless painlessly""".split()
)
_MEANS_TOGETHER: Final = (
    ("high highest higher tall tallest taller", "building buildings place places roof ledge floor"),
    ("buy get find borrow", "gun guns rope shotgun rifle ammunition razor"),
    ("many", "pills tablets paracetamol tylenol sleeping"),
    ("slip running hangman's hold holds", "knot knots"),
)
"""Words for means. Where a patient *asks* about them, suicide is asked about first, whatever the reason given."""
OTHER_DANGERS: Final = frozenset(Kind) - {Kind.SUICIDE, Kind.SELF_HARM}
"""Kinds of danger that no question about suicide fits."""
_OF_DETECTOR: Final = {
    "abuse": Kind.VIOLENCE,
    "child_at_risk": Kind.CHILD,
    "harm_to_others": Kind.OTHERS,
    "psychosis": Kind.PSYCHOSIS,
    "postpartum": Kind.PSYCHOSIS,
    "mania": Kind.MANIA,
    "substance": Kind.MEDICAL,
    "eating": Kind.MEDICAL,
    "suicide": Kind.SUICIDE,
    "self_harm": Kind.SELF_HARM,
}
"""Kinds as the detector names them, for a text whose kind the head is in doubt about."""
SURE_OF_KIND: Final = 0.8
"""P(kind) from which another danger counts as told beside a sign of risk. *Assumption.*"""

STRONG: Final = 0.4
"""P(any risk) from which an answer about safety that is neither yes nor no counts as danger. *Assumption.*"""
POSSIBLE: Final = 0.3
LIKELY: Final = 0.5
"""P(active danger) from which it is possible beside words of preparation and the detector, and from which it is asked
about at once."""
READY: Final = 0.5
READYING: Final = 0.4
"""The same from which a likely sign does not wait from the third turn on. *Assumption.*"""
SURELY_READY: Final = 0.6
"""How surely a turn tells of intent, plan or means from which that counts; chosen with 31 own-written statements of
danger and 350 lines of development patients without risk."""
CERTAIN_OF_KIND: Final = 0.9
"""P(kind) from which it is asked about in words of its own although the detector names another kind or none.
*Assumption.*"""
LIKELY_BEFORE: Final = 0.85
LIKELY_IN_AN_ANSWER: Final = 0.6
"""P(another danger) from which it is asked about after a no to suicide: told before, and told in that answer.
*Assumption.*"""
TOLD_ANEW: Final = 0.8
"""P(any risk) from which suicide that the detector flags is a new sign after a clear denial. Chosen on development
rows (`benchmarks/signs.py`). Told after a denial, 26 of 40 passive wishes are asked about and 79 of 105 of active
danger, among rows that the graders learned from; of others 25 of 265 hints and 10 of 734 harmless lines."""
STEPS_ANEW: Final = 0.6
"""The same where words of intent, plan or means are told: "I want to do it sooner" alone is read as an intent."""
AT_ONCE: Final = 0.2
"""P(any risk) from which a plain sign is asked about at once where everybody is asked anyway. Chosen on development
rows (`benchmarks/signs.py`): of 150 hints 66 are met at once (61 from 0.3), of 105 of active danger 98 (97)."""
LIKELIER: Final = 0.5
"""P(any risk), or P(active danger), from which danger is likelier than not, and asked about as a sign."""
LIKELY_SIGN: Final = 0.3
LIKELY_KIND_AT_A_SIGN: Final = 0.5
"""P(any risk), and P(kind), from which another danger that the detector names is asked about at once. *Assumption.*"""
ELSEWHERE: Final = (0.85, 0.75)
"""P(any danger but suicide) by the head for kinds and by the one for dangers from which it is asked about at once,
whichever it is, beside a likely sign. By both heads alone 32 of 40 first tellings of another danger by two hands and 11
of 240 harmless ones reach it (`benchmarks/signs.py`); the head for dangers is among others **fitted on these rows**, so
what it does with other people's words is not known from them."""
CALM_BESIDE: Final = 0.35
"""P(no danger at all) by the head for dangers from which a kind that the head for kinds names is not asked about at
once."""
DETECTED_BESIDE: Final = 0.6
"""P(any danger but suicide) by the head for kinds beside which another danger that the detector names does not wait."""
HARDLY_CALM: Final = 0.17
"""P(no danger at all) by the head for dangers up to which that, or one kind that both heads name, does not wait."""
TOLD_IN_WHOLE: Final = 0.95
"""How surely both heads hear the same danger in the whole turn, from which any sign beside it does not wait.
*Assumption.*"""
SURE_UNFLAGGED: Final = 0.95
"""P(kind) from which it counts as told although neither grader sees a sign. *Assumption.*"""
HEARD: Final = 0.88
"""P(any danger but suicide) by the head for it, from which that counts as told beside a second reading. This,
`ELSEWHERE`, `HARDLY_CALM` and `CALM` were moved when the head was fitted on more of ordinary talk, so that as many of
its rows of danger reach them out of fold as before: 0.67 of 1,886 this one (29 November 2026; not reproducible by a
command)."""
HEARD_IN_AN_ANSWER: Final = 0.5
"""The same told in the answer that denies suicide, where it is only asked about: nobody is asked to say more than no.
*Assumption.*"""

CALM: Final = 0.64
"""P(no danger at all) by the head for dangers from which what the graders see waits, and nothing is asked again."""
OWN: Final = 0.5
OF_SUICIDE: Final = 0.4
OF_SUICIDE_ALONE: Final = 0.6
"""P(suicide) among the kinds from which a sign does not wait (farewells, affairs put in order, means): beside the head
for dangers, and alone. *Assumption.*"""
OWN_TOO: Final = 0.5
"""P(suicide or a wound) by the head for dangers that goes beside it. *Assumption.*"""
OWN_PLAINLY: Final = 0.7
"""P(suicide or a wound) by that head from which it is a sign although the graders see none, and from which it is asked
about at once."""

OWN_SURELY: Final = 0.8
"""The same from which a sign without a word for it does not wait for a turn in which the story is told.
*Assumption.*"""
HARDLY_ACTIVE: Final = 0.1
"""P(active danger) below which it does. *Assumption.*"""

MENTIONED: Final = 0.8
"""P(another danger) and P(kind) by the head for kinds, and P(another danger) by the head for dangers but suicide, from
which another danger that is told after a denial of suicide is asked about, beside a sign of risk. *Assumption:* at 0.7
and 0.5 a quarter of the development patients without risk were asked."""
MENTIONED_OF_SOMEBODY: Final = 0.7
MENTIONED_TOO: Final = 0.6
"""The same for a child at risk or violence. *Assumption.*"""
CHILD_ALONE: Final = 0.6
"""P(another danger), a child at risk for the likeliest, by the head for dangers from which it is asked about after a
denial although no other reading sees it: blows are told as shame ("What sort of mother ... Me."). *Assumption.* Of 240
harmless first tellings 8 reach it (`benchmarks/signs.py`), rows that the head is among others **fitted on**, as it is
on what development patients without risk say."""


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Chosen on own-written development turns and openings (`recipes/danger_heads.py`).

    Attributes:
        hand_over: P(active danger) from which it is handed over.
        ask: P(any risk) from which it counts as a sign.
        doubt: P(any risk) from which it counts as a faint one.
    """

    hand_over: float
    ask: float
    doubt: float


@dataclass(frozen=True, slots=True)
class Signs:
    """How dangerous the latest patient turn looks by itself; nothing of an earlier turn stands in it but `faint`.

    Attributes:
        sure: A sure rule of the detector finds active danger.
        active: The heads hold active danger for likely, and a second reading (the detector, or words of intent, plan or
            means) says so too.
        possible: One of them says so.
        disclaims: The words deny an intent or a plan.
        wish: A sure rule finds a wish not to live. told: The words themselves tell of one, or of thoughts of suicide.
        flagged: The detector sees something. some: P(any risk) reaches the threshold of a sign.
        strong: It is so likely, by itself or beside the detector, that an unclear answer about safety is danger.
        urgent: It is likely enough, or names means, to be asked about at once where everybody is asked anyway.
        likelier: It is likelier than not.
        likely: Another danger is likely enough, and a sign beside it plain enough, to be asked about at once.
        faint: Some patient turn so far showed a faint sign. dim: This one does, and says something.
        kind: The likeliest kind of danger, or None.
        tells: Another danger than suicide is surely told.
        surely: One is surely told, where a question about risk was asked; without one a sign of risk is needed beside
            it.
        named: Its kind is certain enough to be asked about in words of its own.
        another: Some danger but suicide is likely told, whichever.
        mentioned: Both heads for it hold another danger for likely: it is asked about after suicide was denied, and not
            handed over on that. child: And a child at risk for the likeliest.
        heard: Another danger is told by the head for it, and a second reading sees danger plainly.
        anew: Suicide is seen so clearly, or told with means or steps towards it, that it is asked about although it
            was denied before.
        lightly: The head for dangers is not sure of suicide or a wound, active danger is hardly likely, and no means
            are named.
        prepared: Intent, a plan or means are told in it. readying: Steps towards it may be, as affairs put in order.
        means: The patient asks about means.
        intends: An intent to die is told, and the heads hold active danger for possible.
        calm: The head for dangers hears none, and none is said.
        elsewhere: By both heads some danger but suicide is told, whichever.
        pressing: Some danger but suicide is told too surely to wait, beside a sign: by both heads in the whole turn, or
            by the graders, the heads, and the detector or one kind that both heads name.
        leans: Suicide is the likeliest kind, if there is any danger.
        owned: Suicide or a wound is likely told by that head.
        grave: Suicide is likely told without a word for it, or means are named: no weak sign.
        intends_plainly: An intent to die, or to do harm to somebody, is told plainly enough to be asked about whatever
            the other readings hold.
        quote: The sentence that shows it most.
    """

    sure: bool = False
    active: bool = False
    possible: bool = False
    disclaims: bool = False
    wish: bool = False
    told: bool = False
    flagged: bool = False
    some: bool = False
    strong: bool = False
    urgent: bool = False
    likelier: bool = False
    likely: bool = False
    faint: bool = False
    dim: bool = False
    kind: Kind | None = None
    tells: bool = False
    surely: bool = False
    named: bool = False
    another: bool = False
    mentioned: bool = False
    child: bool = False
    heard: bool = False
    anew: bool = False
    lightly: bool = False
    prepared: bool = False
    readying: bool = False
    means: bool = False
    intends: bool = False
    calm: bool = False
    elsewhere: bool = False
    pressing: bool = False
    leans: bool = False
    owned: bool = False
    grave: bool = False
    intends_plainly: bool = False
    quote: str = ""

    @property
    def agreed(self) -> bool:
        """Two readings or more see something plain: the detector, the graders of risk and of active danger, and the
        head for what is told."""
        return sum((self.flagged, self.strong, self.possible, self.told)) > 1

    def with_intent(self, kind: Kind, quote: str, *, plain: bool, active: bool) -> Signs:
        """The same where an intent is told plainly enough to be asked about.

        Args:
            kind: Of which kind it is. quote: Where, as it was said.
            plain: It is told so plainly that the question may take it for told; else nothing is presumed.
            active: It is sure enough to be handed over.
        """
        own = kind is Kind.SUICIDE
        return replace(
            self,
            active=self.active or active,
            possible=True,
            told=self.told or (own and plain),
            some=True,
            strong=True,
            urgent=True,
            likelier=True,
            likely=True,
            faint=True,
            dim=True,
            kind=kind,
            tells=not own,
            named=not own,
            another=self.another or not own,
            anew=self.anew or (own and plain),
            lightly=False,
            calm=False,
            leans=own,
            owned=self.owned or own,
            intends=self.intends or (own and active),
            intends_plainly=True,
            quote=self.quote or quote,
        )

    def doubted(self) -> Signs:
        """The same where all readings together hold a sign for possible and no more: what one reading is sure of is a
        sign that may wait. What a sure rule finds stays, means that are asked about, and another danger that two heads
        hear."""
        return replace(
            self,
            active=False,
            possible=False,
            told=False,
            some=True,
            urgent=False,
            mentioned=False,
            anew=False,
            grave=False,
            intends=False,
        )

    @property
    def other(self) -> bool:
        """A danger that is not suicide."""
        return self.kind in OTHER_DANGERS

    @property
    def spoken(self) -> bool:
        """Danger is said in so many words, or two readings hold active danger for possible: it waits for nothing."""
        said = self.sure or self.active or self.wish or self.told or self.means or self.tells or self.heard
        return said or self.flagged or self.possible or self.elsewhere or self.pressing

    @property
    def plain(self) -> bool:
        """A danger, a wish or a thought is told, or likely enough to be asked about at once."""
        said = self.sure or self.active or self.wish or self.told or self.means or self.tells or self.heard
        return (
            said
            or self.grave
            or self.elsewhere
            or (self.possible and (self.flagged or self.owned or self.another or self.strong) and not self.calm)
        )

    @property
    def likely_one(self) -> bool:
        """Nothing is told, and a reading sees more than a faint sign."""
        return (
            not self.plain
            and not self.calm
            and (self.strong or self.surely or self.another or self.owned or self.possible)
        )

    @property
    def weak(self) -> bool:
        """A reading sees something, and nothing is plain."""
        return (self.some or self.flagged) and not self.plain


def signs_in(text: str, danger: Callable[[str], tuple[float, float]], at: Thresholds, *, faint: bool) -> Signs:
    """The signs in one patient turn.

    Args:
        danger: (P(active danger), P(any risk)) of a text, 0–1.
        faint: Whether an earlier turn showed a faint sign.
    """
    parts = [text, *sentences(text)] if len(sentences(text)) > 1 else [text]
    read_together(parts)
    # A sentence of danger drowns in a long turn: what is gravest in any of them counts.
    graded = [danger(part) for part in parts]
    active, some = max(one for one, _ in graded), max(one for _, one in graded)
    seen = max(map(detect, parts), key=lambda one: (one.flagged, one.by == "rules", one.grade == "active"))
    suspect = some >= at.ask or seen.flagged
    # It takes a pass through the encoder for each clause, and decides nothing where the graders see no danger at all.
    ready = preparing(text) if some >= at.ask or active >= min(POSSIBLE, at.hand_over) else 0.0
    read = read_answer(text, Ask.ROUTINE) if suspect else Answer()
    kind, chance = likeliest(text)
    sure_by_itself = chance >= SURE_UNFLAGGED and kind in OTHER_DANGERS
    surely = kind in OTHER_DANGERS and (chance >= SURE_OF_KIND or kind_in_whole(text, kind) >= CERTAIN_OF_KIND)
    agreed = kind in OTHER_DANGERS or seen.kind == kind
    plain = some >= LIKELY_SIGN or seen.flagged
    of_suicide = chance if kind is Kind.SUICIDE else 0.0
    unheard = calm(text) >= CALM and of_suicide < OF_SUICIDE and not _names_means(text)
    by_detector = {_OF_DETECTOR[named] for part in parts if (named := detect(part).kind)}
    detected_too = bool(by_detector & OTHER_DANGERS) and another_danger(text) >= DETECTED_BESIDE
    one_kind = kind in OTHER_DANGERS and told(text)[0] is kind and min(chance, told(text)[1]) >= LIKELY_KIND
    tells = kind is not Kind.SUICIDE and agreed and (sure_by_itself or (plain and chance >= SURE_OF_KIND))
    tells = tells and not unheard
    told_now = bool(read.yes & GRAVE) and not tells
    somebody = kind in (Kind.CHILD, Kind.VIOLENCE)
    first, too = (MENTIONED_OF_SOMEBODY, MENTIONED_TOO) if somebody else (MENTIONED, MENTIONED)
    likely = min(chance, another_danger(text)) >= first and told(text)[1] >= too
    mentioned = suspect and kind in OTHER_DANGERS and likely
    own = own_danger(text)
    if own >= OWN and Facet.THOUGHTS in read_answer(text, Ask.ROUTINE).no:
        own = 0.0  # what denies it holds the same words
    named = kind if tells or surely else _agreed(kind if suspect and chance >= LIKELY_KIND else None, seen.kind)
    return Signs(
        sure=seen.by == "rules" and seen.grade == "active",
        active=(active >= at.hand_over and (seen.flagged or ready >= READY))
        or (active >= POSSIBLE and seen.flagged and ready >= SURELY_READY),
        possible=active >= LIKELY or (ready >= READY and some >= at.ask),
        disclaims=bool(read.no & {Facet.INTENT, Facet.PLAN}),
        wish=seen.by == "rules" and seen.grade == "passive",
        told=told_now,
        flagged=seen.flagged,
        some=some >= at.ask or own >= OWN,
        urgent=some >= AT_ONCE or active >= LIKELY or _names_means(text),
        likelier=max(some, active) >= LIKELIER,
        strong=some >= STRONG or (seen.flagged and some >= LIKELY_SIGN),
        likely=some >= LIKELY_SIGN
        and calm(text) < CALM_BESIDE
        and (chance >= LIKELY_KIND_AT_A_SIGN or told(text)[1] >= LIKELY_IN_AN_ANSWER),
        faint=faint or seen.flagged or some >= at.doubt,
        dim=(seen.flagged or some >= at.doubt) and any(map(quotable, parts[1:] or parts)),
        kind=named,
        tells=tells,
        surely=surely,
        named=tells and suspect and (chance >= CERTAIN_OF_KIND or _OF_DETECTOR.get(seen.kind or "") is kind),
        another=another_danger(text) >= LIKELY_IN_AN_ANSWER or told(text)[1] >= HEARD_IN_AN_ANSWER,
        mentioned=mentioned and not unheard,
        child=not unheard and told(text)[0] is Kind.CHILD and told(text)[1] >= CHILD_ALONE,
        heard=heard_danger(text, danger, at, plainly=True),
        anew=(named is Kind.SUICIDE and some >= TOLD_ANEW and own >= OWN)
        or (told_now and ((ready >= READY and some >= STEPS_ANEW) or _names_means(text))),
        lightly=own < OWN_SURELY and active < HARDLY_ACTIVE and not _names_means(text),
        prepared=ready >= READY and told_now,
        readying=ready >= READYING,
        means=asks_for_means(text),
        calm=unheard and not told_now,
        elsewhere=plain and another_danger(text) >= ELSEWHERE[0] and told(text)[1] >= ELSEWHERE[1],
        pressing=(suspect and told_in_whole(text) >= TOLD_IN_WHOLE)
        or (some >= LIKELY_SIGN and calm(text) <= HARDLY_CALM and (detected_too or one_kind)),
        leans=of_suicide >= OF_SUICIDE,
        owned=own >= OWN,
        grave=of_suicide >= (OF_SUICIDE if own >= OWN_TOO else OF_SUICIDE_ALONE)
        or own >= OWN_PLAINLY
        or _names_means(text),
        intends=active >= LIKELY and Facet.INTENT in read.yes and named is Kind.SUICIDE,
        quote=_showing(text, danger) if suspect else "",
    )


def heard_danger(text: str, danger: Callable[[str], tuple[float, float]], at: Thresholds, *, plainly: bool) -> bool:
    """Another danger than suicide is told in a turn, and a second reading sees some danger: at least faintly, or
    plainly."""
    if told(text)[1] < HEARD:
        return False
    parts = [text, *sentences(text)]
    graded = [danger(part) for part in parts]
    if plainly and max(some for _, some in graded) < AT_ONCE:
        return False
    seen = any(active >= POSSIBLE if plainly else some >= at.doubt for active, some in graded)
    return seen or any(detect(part).flagged for part in parts)


def violent(text: str) -> bool:
    """Somebody is hurt or controlled, by both heads and with the detector naming no other danger: the words for that
    turn people against somebody where they are mistaken."""
    (kind, chance), (other, likely) = told(text), likeliest(text)
    sure = kind is other is Kind.VIOLENCE and min(chance, likely) >= SURE_OF_KIND
    return sure and detected(text) in (None, Kind.VIOLENCE)


def detected(text: str) -> Kind | None:
    """The kind that the detector names in a turn."""
    named = detect(text).kind
    return _OF_DETECTOR[named] if named else None


def _agreed(by_head: Kind | None, by_detector: str | None) -> Kind | None:
    """The kind that one of the two names, or both; where they differ it is suicide, which is asked about first."""
    other = _OF_DETECTOR[by_detector] if by_detector else None
    if by_head is None or other is None:
        return by_head or other
    return by_head if by_head is other else Kind.SUICIDE


def asks_for_means(text: str) -> bool:
    """A question of the turn asks about means; only a turn that names some is read for questions."""
    return _names_means(text) and any(_names_means(q.text) for q in questions(text))


def _names_means(text: str) -> bool:
    spoken = set(words(text))
    return bool(spoken & _MEANS) or any(
        spoken & set(one.split()) and spoken & set(other.split()) for one, other in _MEANS_TOGETHER
    )


def _showing(text: str, danger: Callable[[str], tuple[float, float]]) -> str:
    """The sentence of a turn that looks most dangerous, as it was said."""
    parts = [part for part in sentences(text) if len(words(part)) > 2] or [text]
    return short(max(parts, key=lambda part: danger(part)[1]))
