"""The lead of the question about suicide, worded by a language model where there is one; the question stays as it is.

One call. A draft that asks, advises, presumes or says what was not told is not said: the fixed lead stands in.
"""

from __future__ import annotations

from typing import Final

from maieutic.domain.episode import Session, Usage
from maieutic.errors import ModelError
from maieutic.language.sentences import content_words, content_words_of, sentences, words
from maieutic.prompts import prompt
from maieutic.protocols import LanguageModel
from maieutic.reading.plain import plain
from maieutic.therapists.agent.formulation import Formulation
from maieutic.therapists.agent.model_guide import talk_and_understood
from maieutic.therapists.agent.steps import Plan, Step
from maieutic.therapists.agent.validator import Refusal, refused
from maieutic.therapists.risk.answers import clauses
from maieutic.therapists.risk.placing import Question
from maieutic.tracking.asked import asked
from maieutic.tracking.belief import Belief
from maieutic.tracking.targets import Push, Target

LONGEST: Final = 25
"""Words of a lead at most."""
MAX_TOKENS: Final = 60
MAX_OWN: Final = 1
"""Content words of a clause about the patient that they did not say themselves, at most. *Assumption.*"""
_YOU: Final = frozenset("you your you're you've you'd you'll yours yourself".split())
_REPORTS: Final = frozenset("say tell told describe spoke speak mention put call share".split())
"""Words that only tell that something was said."""
_LISTENING: Final = Plan(Step.LISTEN)
"""A lead obeys what holds of a turn that only listens."""


async def led_in(
    model: LanguageModel, question: Question, session: Session, belief: Belief, formulation: Formulation
) -> tuple[Question, list[tuple[str, str]], Usage]:
    """The question with a lead of the model's where it may be said, why it may not, and what it cost."""
    talk, understood = talk_and_understood(session, formulation)
    task = prompt("risk_lead").text.format(talk=talk, understood=understood, example=question.lead)
    seed = session.generator("therapist lead").getrandbits(31)
    try:
        reply = await model.generate(
            [{"role": "user", "content": task}], seed=seed, temperature=0.6, max_tokens=MAX_TOKENS
        )
    except ModelError as error:
        return question, [("model", str(error))], Usage()
    draft = reply.text.strip().strip('"').strip()
    refusal = lead_refused(plain(draft).text, session, belief)
    if refusal is not None:
        return question, [(refusal.rule, refusal.reason)], reply.usage
    return Question(draft, question.asks), [], reply.usage


def lead_refused(draft: str, session: Session, belief: Belief) -> Refusal | None:
    """Why a lead is not said, or None."""
    if "?" in draft:
        return Refusal("question", "it asks something; the question that follows is fixed")
    if len(words(draft)) > LONGEST:
        return Refusal("form", f"{len(words(draft))} words; {LONGEST} at most")
    told = content_words_of(turn.text for turn in session.by("patient"))
    if not content_words(draft) & told:
        return Refusal("presumption", "it takes up nothing that was told")
    for clause in (clause for sentence in sentences(draft) for clause in clauses(sentence)):
        if asked(clause).push is Push.STRONG:
            return Refusal("advice", f"it advises, soothes or disputes: {clause!r}")
        if asked(f"{clause.rstrip(' .')}?").target is Target.RISK:
            return Refusal("presumption", "it speaks of danger; the question does")
        more = content_words(clause) - told - _REPORTS
        if _YOU.intersection(words(clause)) and len(more) > MAX_OWN:
            return Refusal("presumption", f"says of the patient what was not told: {', '.join(sorted(more))}")
    return refused(draft, _LISTENING, session, belief)
