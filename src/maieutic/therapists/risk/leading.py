"""The lead of the question about suicide, worded by a language model where there is one; the question stays as it is.

One call. A draft that asks, advises, presumes, generalises, breaks off or says what was not told is not said: the fixed
lead stands in.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final

from maieutic.domain.episode import Session, Usage
from maieutic.errors import ModelError
from maieutic.language.sentences import content_words, content_words_of, sentences, words
from maieutic.prompts import prompt
from maieutic.protocols import LanguageModel
from maieutic.reading.plain import plain
from maieutic.therapists.agent.formulation import Formulation
from maieutic.therapists.agent.model_guide import talk_and_understood, unquoted
from maieutic.therapists.agent.steps import Plan, Step
from maieutic.therapists.agent.validator import Refusal, refused
from maieutic.therapists.risk.answers import clauses
from maieutic.therapists.risk.placing import Question
from maieutic.therapists.risk.wording import lines
from maieutic.therapists.wording import TO_YOU
from maieutic.tracking.asked import asked
from maieutic.tracking.belief import Belief
from maieutic.tracking.targets import Push, Target

LONGEST: Final = 25
"""Words of a lead at most."""
MAX_TOKENS: Final = 60
_REPORTS: Final = frozenset("say tell told describe spoke speak mention put call share".split())
"""Words that only tell that something was said."""
_ACKNOWLEDGES: Final = frozenset("sound sounded painful hard heavy carry".split())
"""Words that only say that it hurts."""
_SUBJECTS: Final = frozenset("you you're you've you'd you'll your that that's this it it's".split())
"""What a part of a lead is about: the patient, or what they told. Anything else orders, explains or tells of others."""
_JOINS: Final = frozenset("and but so because when as that while since then".split())
"""What may stand before it."""
_NEVER: Final = frozenset(
    """i i'm i've i'd i'll we we're we've we'd we'll let's yes no people everybody everyone anybody anyone nobody
    somebody someone others""".split()
)
"""The therapist or people in general for a subject, and an answer to the question that follows."""
_QUOTED: Final = re.compile('[“"]([^“”"]*)[”"]')
_PARTS: Final = re.compile("[,;:()–—]")
_SAME_PERSON: Final = {**TO_YOU, "am": "are", "was": "were"}
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
    draft = unquoted(reply.text)
    refusal = lead_refused(plain(draft).text, session, belief)
    if refusal is not None:
        return question, [(refusal.rule, refusal.reason)], reply.usage
    return Question(draft, question.asks), [], reply.usage


def lead_refused(draft: str, session: Session, belief: Belief) -> Refusal | None:
    """Why a lead is not said, or None.

    What the patient said is let through word for word, quoted or put to them; so is what stands in the fixed leads.
    Every other part has to be about the patient or what they told, in words that were told.
    """
    if "?" in draft:
        return Refusal("question", "it asks something; the question that follows is fixed")
    if len(words(draft)) > LONGEST:
        return Refusal("form", f"{len(words(draft))} words; {LONGEST} at most")
    if not draft.rstrip(" ”\"'’)").endswith((".", "…")):
        return Refusal("form", "it does not end as a sentence does")
    said = [turn.text for turn in session.by("patient")]
    told = content_words_of(said)
    if not content_words(draft) & told:
        return Refusal("presumption", "it takes up nothing that was told")
    for clause in (clause for sentence in sentences(draft) for clause in clauses(sentence)):
        if asked(clause).push is Push.STRONG:
            return Refusal("advice", f"it advises, soothes or disputes: {clause!r}")
        if asked(f"{clause.rstrip(' .')}?").target is Target.RISK:
            return Refusal("presumption", "it speaks of danger; the question does")
    found = refused(draft, _LISTENING, session, belief)
    if found is not None:
        return found
    given = [_persons(text) for text in said]
    if any(not _stands(_persons(quote), given) for quote in _QUOTED.findall(draft)):
        return Refusal("presumption", "it quotes what was not said")
    own = _QUOTED.sub(" ", draft)
    if set('“”"') & set(own):
        return Refusal("form", "a quotation in it is not whole")
    return next((found for part in _parts(own) if (found := _strange(part, told, given)) is not None), None)


def _strange(part: str, told: frozenset[str], given: Sequence[tuple[str, ...]]) -> Refusal | None:
    """Why one part of a lead is not said, or None."""
    spoken = words(part)
    if spoken in _fixed() or _stands(_persons(part), given):
        return None
    if never := _NEVER.intersection(spoken):
        return Refusal("presumption", f"it speaks of itself or of others, or answers: {', '.join(sorted(never))}")
    subject = spoken[1] if spoken[0] in _JOINS and len(spoken) > 1 and spoken[0] not in _SUBJECTS else spoken[0]
    if subject not in _SUBJECTS:
        return Refusal("presumption", f"is neither about the patient nor about what they told: {part!r}")
    if more := content_words(part) - told - _REPORTS - _ACKNOWLEDGES:
        return Refusal("presumption", f"says what was not told: {', '.join(sorted(more))}")
    return None


def _parts(text: str) -> Iterator[str]:
    """The clauses of a text, cut at every mark."""
    for sentence in sentences(text):
        for clause in clauses(sentence):
            yield from (part.strip() for part in _PARTS.split(clause) if words(part))


@lru_cache(maxsize=1)
def _fixed() -> frozenset[tuple[str, ...]]:
    """The parts of the fixed leads that hold no quotation."""
    keys = [key for key in lines() if key.startswith("risk_check_") and key != "risk_check_first"]
    leads = (form for key in (*keys, "risk_lead_quoted") for form in lines()[key])
    return frozenset(words(part) for form in leads for part in _parts(_QUOTED.sub(" ", form)) if "{" not in part)


def _persons(text: str) -> tuple[str, ...]:
    """Words as they would be put to the patient."""
    return tuple(_SAME_PERSON.get(word, word) for word in words(text))


def _stands(part: tuple[str, ...], given: Sequence[tuple[str, ...]]) -> bool:
    """Words stand in one of several texts, one behind the other."""
    return len(part) > 1 and any(
        part == text[at : at + len(part)] for text in given for at in range(len(text) - len(part) + 1)
    )
