"""A turn after danger was told, worded whole by a language model from what it has to do (`meanings.yaml`).

What the turn is for has been decided, as without a model; the model only finds the words for this patient. A draft
that leaves the step out, promises, advises beside it, disputes, presumes, names a way of dying, repeats itself or obeys
is worded once more with the reason; after that the fixed words stand in.
"""

from __future__ import annotations

from typing import Final

from maieutic.domain.episode import Session, Usage
from maieutic.language.feelings import feelings_in
from maieutic.language.sentences import sentences, words
from maieutic.prompts import prompt
from maieutic.protocols import LanguageModel
from maieutic.reading.drafts import questions
from maieutic.safety.kinds import Kind
from maieutic.therapists.agent.formulation import Formulation
from maieutic.therapists.agent.model_guide import obeying, talk_and_understood
from maieutic.therapists.agent.steps import Plan, Step
from maieutic.therapists.agent.validator import Refusal, refused
from maieutic.therapists.risk.leading import drafted_of_risk, malformed, persons, unfounded
from maieutic.therapists.risk.meanings import Meaning, facts, situation
from maieutic.therapists.risk.naming import plain_kind
from maieutic.therapists.risk.saying import RiskTurn
from maieutic.therapists.risk.wording import given
from maieutic.tracking.asked import pushes
from maieutic.tracking.belief import Belief

LONGEST: Final = 75
"""Words of a whole turn at most; the model is asked for 55."""
SEEN_TURNS: Final = 20
"""Latest turns that the model is shown: all since the stop, mostly, so that it asks nothing twice."""
MAX_TOKENS: Final = 140
REPEATED: Final = 5
"""Words from which a sentence that was said before is said again."""
SURELY: Final = 0.9
"""P(a sentence advises or disputes) from which it is not said. Of 293 drafts for development patients, of which none
did, 4 sentences reach it, and 26 the 0.7 at which a turn of the ordinary talk is refused."""
_POINTS: Final = frozenset("emergency doctor crisis".split())
"""What a sentence names that points to help: that is no advice beside the step."""


async def worded_whole(
    model: LanguageModel, risk: RiskTurn, session: Session, belief: Belief, formulation: Formulation
) -> tuple[str, list[tuple[str, str]], Usage]:
    """A turn of the protocol in the model's words where they may be said, else in its fixed ones; why drafts may not,
    and what it cost."""
    meaning = risk.meaning
    assert meaning is not None
    talk, understood = talk_and_understood(session, formulation, SEEN_TURNS)
    where = situation(risk.ask, _kind(session))
    task = prompt("risk_whole").text.format(
        situation=where, talk=talk, understood=understood, meaning=meaning.means, facts=facts()
    )

    def check(text: str) -> Refusal | None:
        given_words = f"{meaning.means} {facts()}"
        return whole_refused(text, meaning, session, belief) or obeying(text, session, task, given_words)

    draft, refusals, spent = await drafted_of_risk(model, task, check, session, MAX_TOKENS)
    return risk.text if draft is None else draft, refusals, spent


def whole_refused(draft: str, meaning: Meaning, session: Session, belief: Belief) -> Refusal | None:
    """Why a whole turn is not said, or None."""
    said = [turn.text for turn in session.by("patient")]
    told = [persons(text) for text in said]
    spoken = frozenset(word for text in told for word in text)
    if (found := malformed(draft, told, LONGEST, asks=True, offers=meaning.offers)) is not None:
        return found
    if draft.count("?") > 1:
        return Refusal("stacked", "it asks more than one question")
    if meaning.asks and "?" not in draft:
        return Refusal("step", "it does not ask for the step")
    if meaning.names and not any(name in words(draft) for name in meaning.names):
        return Refusal(
            "step", f"it leaves out what the turn has to do; none of these stands in it: {', '.join(meaning.names)}"
        )
    parts = sentences(draft)
    tells = " ".join(_told_in(part) for part in parts)
    if (found := unfounded(draft, tells, spoken | {"never"} | (set(words(meaning.means)) - {"safe"}))) is not None:
        return found
    own = " ".join(turn.text for turn in session.by("therapist"))
    if again := [part for part in parts if len(words(part)) > REPEATED and part in own]:
        return Refusal("form", f"said before, word for word: {again[0]!r}")
    for part in parts:
        if part.endswith("?"):
            advises = not meaning.asks and any(asked.advising for asked in questions(part))
        else:
            advises = not _POINTS & set(words(part)) and pushes(part) >= SURELY
        if advises:
            return Refusal("advice", f"it advises or disputes: {part!r}")
    named_by_them = frozenset(group for text in said for group in feelings_in(text))
    return refused(draft, Plan(Step.STAY), session, belief, named_by_them)


def _told_in(sentence: str) -> str:
    """What a sentence tells: of a question all before its last clause, as "will you ring?" promises nothing."""
    return sentence[: max(0, *(sentence.rfind(mark) for mark in ",;:–—"))] if sentence.endswith("?") else sentence


def _kind(session: Session) -> Kind | None:
    """The danger that the stop was for, else that which was told last."""
    shown = given([turn.text for turn in session.by("therapist")])
    told = (plain_kind(turn.text) for turn in reversed(session.by("patient")))
    return shown or next((kind for kind in told if kind is not None), None)
