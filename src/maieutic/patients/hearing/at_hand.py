"""What a turn may be taken to ask where a piece of this life is heard faintly: what lies at hand after the last words,
nothing of this life, or nothing that anybody could make out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from maieutic.domain.appraisal import WORK, Appraisal, QuestionForm, Reach
from maieutic.domain.episode import Session
from maieutic.language.sentences import content_words
from maieutic.patients.ear import heard_in
from maieutic.patients.hearing.hearing import Taken
from maieutic.patients.hearing.ranker import Index

SURELY, IN_FORM = 0.6, 0.25
"""Chance from which a unit is answered, or a fact told before taken up; and from which a unit is that answers the form
asked for. Work on the thought has its own limit. *Assumptions*, after a look at marks of four development cases."""
BESIDE_FROM = 0.05
"""Chance from which a unit beside what was last told answers a question of which nothing else is heard.
*Assumption.*"""
NOTHING_FROM, NOTHING_TO = 0.6, 0.08
"""Chance of nothing of this life from which a question is foreign to it, where no piece has more than the other.
*Assumption.*"""
NEAR_FROM = 0.1
"""Chance below which a fact does not count as near at all."""
AT_LARGE = frozenset(
    {
        QuestionForm.AGAINST,
        QuestionForm.SUPPORT,
        QuestionForm.ELSE,
        QuestionForm.COMPARE,
        QuestionForm.ALTERNATIVE,
        QuestionForm.SCALE,
        QuestionForm.SCALE_REST,
        QuestionForm.PLAN,
        QuestionForm.GOAL,
        QuestionForm.SUMMARY,
        QuestionForm.NOW,
        QuestionForm.TALK,
        QuestionForm.RISK,
    }
)
"""Forms that ask in general, so that no fact is come near."""
_OF_ONE = frozenset(
    {QuestionForm.YES_NO, QuestionForm.WHO, QuestionForm.WHEN, QuestionForm.WHERE, QuestionForm.HOW_MANY}
)
"""Forms that ask for one thing, so that what lies beside it is no answer."""
ONE_THING_ASKED = _OF_ONE - {QuestionForm.WHO}
"""Those of them that more of what was just said does not answer."""
_ASKING = frozenset({"who", "tell", "next", "end", "bit", "through", "else", "mean"})
"""Words of a question that are no matter."""


def surely(name: str, taken: Taken, index: Index) -> bool:
    """A unit, or a fact told before, is heard surely enough: by its chance, or as the person whom a question names."""
    item = index.items[index.places[name]]
    fits = taken.form is not None and taken.form in item.forms
    return taken.named or bool(WORK & item.forms) or taken.of(name) >= (IN_FORM if fits else SURELY)


def beside(names: Iterable[str], index: Index) -> frozenset[str]:
    """The units and facts that lie beside these."""
    known = [index.places[name] for name in names if name in index.places]
    return frozenset[str]().union(*(index.items[place].links for place in known))


def next_to(taken: Taken, index: Index) -> str | None:
    """The likeliest unit that answers this form, was not told, and lies beside what was last told, or beside an untold
    fact that is likely to be meant; none where the form asks for one thing. Whoever calls has found nothing that was
    surely asked for."""
    if taken.form in _OF_ONE:
        return None
    likely = max(taken.asked, key=taken.of, default=None)
    about = [likely] if likely and likely not in taken.told and taken.of(likely) >= IN_FORM else []
    near = beside((*taken.told[-1:], *about), index)
    fits = {
        item.id: taken.of(item.id)
        for item in index.items
        if item.id in near
        and not (item.fact or item.slot or WORK & item.forms or item.id in taken.told)
        and (taken.form is None or taken.form in item.forms)
    }
    name = max(fits, key=fits.__getitem__, default=None)
    return name if name is not None and fits[name] >= BESIDE_FROM else None


def is_foreign(taken: Taken, questions: Iterable[str], index: Index) -> bool:
    """No piece of this life is likely to be meant, and none is named by a word that few share."""
    if 1.0 - sum(taken.chances.values()) < NOTHING_FROM or max(taken.chances.values()) >= NOTHING_TO:
        return False
    return not any(index.named_in(item, question) for question in questions for item in index.items)


def stays(session: Session) -> bool:
    """The turn has no matter of its own beyond the patient's last words, in which something was told ("And then?")."""
    heard, last = heard_in(session), session.last("patient")
    if last is None or not (last.trace or {}).get("told"):
        return False
    said, lead = content_words(heard.before), content_words(heard.lead)
    return content_words(heard.question) <= said | _ASKING and 2 * len(lead & said) >= len(lead)


def may_mean(unit: str, near: frozenset[str], taken: Taken, session: Session) -> bool:
    """A turn that stays with the last words may mean this unit: it was just told, lies `near` that, or is surely asked
    for, as a person or by words that are matter though they were just said ("Who's Mick?")."""
    if unit in near or unit in taken.told[-1:] or taken.named:
        return True
    return taken.of(unit) >= SURELY and bool(content_words(heard_in(session).question) - _ASKING)


def not_made_out(heard: Appraisal) -> Appraisal:
    """The same of a question that nobody could make out: it asks for nothing in particular, and comes near nothing."""
    return replace(
        heard,
        form=None,
        follows=None,
        unit=None,
        sure=0.0,
        again=None,
        next_to=None,
        unclear=True,
        foreign=False,
        muddled=True,
        near=(),
        wide=False,
        asks=(),
        reaches=(),
    )


def near_facts(taken: Taken, among: frozenset[str] | None) -> tuple[Reach, ...]:
    """The facts (`among` these) that a turn may come near, likeliest first; none where it asks in general."""
    if taken.form in AT_LARGE:
        return ()
    near = sorted(((chance, name) for name, chance in taken.near.items() if chance >= NEAR_FROM), reverse=True)
    open_to = [(chance, name) for chance, name in near if name not in taken.told and (among is None or name in among)]
    return tuple(Reach(name, round(chance, 4)) for chance, name in open_to)
