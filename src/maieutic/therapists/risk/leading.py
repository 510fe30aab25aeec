"""What takes up the latest reply before a fixed question or step of the protocol, worded by a language model where
there is one; the question, the step and the stop stay as they are.

Mostly one call. A draft that asks, advises, promises, presumes, breaks off or says of danger what was not told is
worded once more with the reason; after that the fixed words stand in. Before the question about suicide, where nothing
was told yet, nothing at all is said that was not told.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Final

from maieutic.domain.episode import Session, Usage
from maieutic.language.feelings import feelings_in
from maieutic.language.sentences import content_words, content_words_of, sentences, words
from maieutic.prompts import prompt
from maieutic.protocols import LanguageModel
from maieutic.reading.plain import plain
from maieutic.therapists.agent.formulation import Formulation
from maieutic.therapists.agent.model_guide import as_data, drafted, obeying, talk_and_understood
from maieutic.therapists.agent.steps import Plan, Step
from maieutic.therapists.agent.validator import Refusal, refused
from maieutic.therapists.risk.answers import clauses
from maieutic.therapists.risk.grades import OPENING
from maieutic.therapists.risk.saying import RiskTurn
from maieutic.therapists.risk.wording import lines
from maieutic.therapists.wording import TO_YOU
from maieutic.tracking.asked import asked
from maieutic.tracking.belief import Belief
from maieutic.tracking.targets import Push, Target

LONGEST: Final = 25
"""Words of a lead of the question about suicide at most."""
LONGEST_MET: Final = 50
"""Words of what meets a reply once danger was told at most."""
MAX_TOKENS: Final = 90
ATTEMPTS: Final = 2
"""Drafts of a turn at most, the second with the reason why the first is not said."""
_REPORTS: Final = frozenset("say tell told describe spoke speak mention put call share".split())
"""Words that only tell that something was said."""
_ACKNOWLEDGES: Final = frozenset("sound sounded painful hard heavy carry".split())
"""Words that only say that it hurts."""
_PROMISES: Final = frozenset("you'll it'll they'll we'll will won't promise guarantee always never soon safe".split())
"""Words that promise what a program cannot keep, or say what nobody knows, unless they were told."""
_SAFE: Final = frozenset("with by there".split())
"""What "safe" may stand before: somebody whom one feels safe with."""
_OF_SAFE: Final = frozenset("if feel feels".split())
IF: Final = 6
"""Words before "safe" in which one of these makes a condition or a feeling of it."""
_MAY: Final = frozenset("say ask put leave let hear take try keep go stop read remember press drop".split())
"""All that the program may say that it will do."""
_WAYS: Final = frozenset(
    """pill pills tablets overdose rope hang hanging noose gun shoot shooting knife blade razor cut cutting jump
    jumping bridge train rails drown drowning poison gas kill killing suicide""".split()
)
"""Ways of dying, which nobody hears who has not told of them."""
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
    model: LanguageModel, risk: RiskTurn, session: Session, belief: Belief, formulation: Formulation
) -> tuple[str, list[tuple[str, str]], Usage]:
    """A turn of the protocol with a lead of the model's where it may be said, why it may not, and what it cost."""
    assert risk.lead is not None
    talk, understood = talk_and_understood(session, formulation)
    fixed, early = risk.text.removeprefix(risk.lead).lstrip(), risk.ask in OPENING
    example = risk.lead or fixed
    task = prompt("risk_lead" if early else "risk_met").text.format(
        talk=talk, understood=understood, example=as_data(example), fixed=as_data(fixed)
    )

    def check(text: str) -> Refusal | None:
        found = lead_refused(text, session, belief) if early else met_refused(text, session, belief)
        return found or obeying(text, session, task)

    lead, refusals, spent = await drafted_of_risk(model, task, check, session, MAX_TOKENS)
    return risk.text if lead is None else f"{lead} {fixed}".strip(), refusals, spent


async def drafted_of_risk(
    model: LanguageModel, task: str, check: Callable[[str], Refusal | None], session: Session, max_tokens: int
) -> tuple[str | None, list[tuple[str, str]], Usage]:
    """A draft for a turn of the protocol, as `drafted`; `check` reads it without its marks."""
    return await drafted(
        model,
        [{"role": "user", "content": task}],
        lambda draft: check(plain(draft).text),
        session,
        name="therapist draft of risk",
        anew="Word it anew.",
        attempts=ATTEMPTS,
        max_tokens=max_tokens,
    )


def lead_refused(draft: str, session: Session, belief: Belief) -> Refusal | None:
    """Why what leads up to the question about suicide is not said, or None.

    What the patient said is let through word for word, quoted or put to them; so is what stands in the fixed leads.
    Every other part has to be about the patient or what they told, in words that were told.
    """
    said = [turn.text for turn in session.by("patient")]
    told, given = content_words_of(said), [persons(text) for text in said]
    if (found := malformed(draft, given, LONGEST)) is not None:
        return found
    if not content_words(draft) & told:
        return Refusal("presumption", "it takes up nothing that was told")
    for clause in _clauses(draft):
        if asked(clause).push is Push.STRONG:
            return Refusal("advice", f"it advises, soothes or disputes: {clause!r}")
        if _of_danger(clause):
            return Refusal("presumption", "it speaks of danger; the question does")
    if (found := refused(draft, _LISTENING, session, belief)) is not None:
        return found
    return next((found for part in _parts(_QUOTED.sub(" ", draft)) if (found := _strange(part, told, given))), None)


def met_refused(draft: str, session: Session, belief: Belief) -> Refusal | None:
    """Why what meets the latest reply, once danger was told, is not said, or None: it may be warm, and names no way of
    dying that was not told."""
    said = [turn.text for turn in session.by("patient")]
    given = [persons(text) for text in said]
    if (found := malformed(draft, given, LONGEST_MET)) is not None:
        return found
    if (found := unfounded(draft, draft, frozenset(word for text in given for word in text))) is not None:
        return found
    named_by_them = frozenset(group for text in said for group in feelings_in(text))
    return refused(draft, Plan(Step.FOLLOW), session, belief, named_by_them)


def unfounded(draft: str, tells: str, spoken: frozenset[str]) -> Refusal | None:
    """Why what a draft promises, or names, cannot be said, or None; its quotations are let through.

    Args:
        tells: What of it could promise. spoken: The patient's words, which may be given back.
    """
    own, named = (words(_QUOTED.sub(" ", text)) for text in (tells, draft))
    if promised := {*_promised(own), *_undertaken(own)} - spoken:
        return Refusal("promise", f"it promises, or says what will be: {', '.join(sorted(promised))}")
    if ways := {word for word in named if word in _WAYS or word.isdigit()} - spoken:
        return Refusal("presumption", f"it names what was not told: {', '.join(sorted(ways))}")
    return None


def _promised(spoken: Sequence[str]) -> Iterator[str]:
    """Words that promise, but for "safe with" somebody, "one will do", and what the program says that it won't do."""
    for place, word in enumerate(spoken):
        before, after = spoken[max(0, place - IF) : place], "".join(spoken[place + 1 : place + 2])
        asked_safe = word == "safe" and (after in _SAFE or bool(_OF_SAFE.intersection(before)))
        undone = word == "won't" and before[-1:] == ("i",) and after in _MAY
        kept = asked_safe or undone or (word == "will" and after == "do")
        if word in _PROMISES and not kept:
            yield word


def _undertaken(spoken: Sequence[str]) -> Iterator[str]:
    """What the program says that it will do, but for what it may."""
    return (f"i'll {after}" for word, after in pairwise(spoken) if word in ("i'll", "we'll") and after not in _MAY)


def malformed(
    draft: str, given: Sequence[tuple[str, ...]], longest: int, *, asks: bool = False, offers: bool = False
) -> Refusal | None:
    """What no draft may be: too long, cut off, with a quotation of what was not said, unless it `offers` words that
    could be said, or, unless it `asks`, a question."""
    if len(words(draft)) > longest:
        return Refusal("form", f"{len(words(draft))} words; {longest} at most")
    if not draft.rstrip(" ”\"'’)").endswith((".", "…", "?")):
        return Refusal("form", "it does not end as a sentence does")
    if not offers and any(not _stands(persons(quote), given) for quote in _QUOTED.findall(draft)):
        return Refusal("presumption", "it quotes what was not said")
    if set('“”"') & set(_QUOTED.sub(" ", draft)):
        return Refusal("form", "a quotation in it is not whole")
    if "?" in draft and not asks:
        return Refusal("question", "it asks something; the question that follows is fixed")
    return None


def _of_danger(clause: str) -> bool:
    return asked(f"{clause.rstrip(' .')}?").target is Target.RISK


def _clauses(text: str) -> Iterator[str]:
    return (clause for sentence in sentences(text) for clause in clauses(sentence))


def _strange(part: str, told: frozenset[str], given: Sequence[tuple[str, ...]]) -> Refusal | None:
    """Why one part of a lead is not said, or None."""
    whole = words(part)
    spoken = whole[1:] if whole[0] in _JOINS and len(whole) > 1 and whole[0] not in _SUBJECTS else whole
    put = persons(" ".join(spoken))
    if whole in _fixed() or _stands(put, given) or (len(spoken) == 1 and spoken[0] in told):
        return None
    told_so = {word for pair in pairwise(put) if _stands(pair, given) for word in pair}
    if never := _NEVER.intersection(spoken) - told_so:
        return Refusal("presumption", f"it speaks of itself or of others, or answers: {', '.join(sorted(never))}")
    subject = spoken[0]
    if subject not in _SUBJECTS:
        return Refusal("presumption", f"is neither about the patient nor about what they told: {part!r}")
    if more := content_words(part) - told - _REPORTS - _ACKNOWLEDGES:
        return Refusal("presumption", f"says what was not told: {', '.join(sorted(more))}")
    return None


def _parts(text: str) -> Iterator[str]:
    """The clauses of a text, cut at every mark."""
    for clause in _clauses(text):
        yield from (part.strip() for part in _PARTS.split(clause) if words(part))


@lru_cache(maxsize=1)
def _fixed() -> frozenset[tuple[str, ...]]:
    """The parts of the fixed leads that hold no quotation."""
    keys = [key for key in lines() if key.startswith("risk_check_") and key != "risk_check_first"]
    leads = (form for key in (*keys, "risk_lead_quoted") for form in lines()[key])
    return frozenset(words(part) for form in leads for part in _parts(_QUOTED.sub(" ", form)) if "{" not in part)


def persons(text: str) -> tuple[str, ...]:
    """Words as they would be put to the patient."""
    return tuple(_SAME_PERSON.get(word, word) for word in words(text))


def _stands(part: tuple[str, ...], given: Sequence[tuple[str, ...]]) -> bool:
    """Words stand in one of several texts, one behind the other."""
    return len(part) > 1 and any(
        part == text[at : at + len(part)] for text in given for at in range(len(text) - len(part) + 1)
    )
