"""The guide with a language model: the model words the plan, the validator reads every draft, and the bank stands
behind it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from maieutic.domain.episode import Session, Usage
from maieutic.errors import ModelError
from maieutic.language.sentences import content_words, content_words_of
from maieutic.language.sentences import words as words_of
from maieutic.prompts import prompt
from maieutic.protocols import LanguageModel, Message
from maieutic.reading.plain import plain
from maieutic.therapists.agent.formulation import Formulation
from maieutic.therapists.agent.guide import Words, worded
from maieutic.therapists.agent.obeying import OBEYS, STRAYS, obeys, tells_instructions
from maieutic.therapists.agent.steps import Lead, Plan
from maieutic.therapists.agent.validator import Refusal

SEEN_TURNS = 8
"""Latest turns that the model is shown."""
MAX_TOKENS = 90


async def reworded(
    model: LanguageModel,
    plan: Plan,
    words: Words,
    check: Callable[[str, Plan], Refusal | None],
    refusals: list[tuple[str, str]],
    attempts: int,
) -> tuple[str | None, Usage]:
    """A draft of the model's that passes, or None after so many refusals, with what it cost; refusals are noted.

    A model without a usable reply counts as a refused draft: the turn is then worded by the bank, and the trace says
    so. Thanks for a no to suicide stay as the bank has them, in front of the draft.
    """
    example = worded(plan, words)
    thanks = _thanks(plan, words, example)
    messages = _messages(replace(plan, lead=Lead.NONE) if thanks else plan, words, example.removeprefix(thanks))

    def passes(draft: str) -> Refusal | None:
        text = plain(draft).text
        refusal = (_again(draft) if thanks else None) or check(f"{thanks}{text}", plan)
        return refusal or obeying(text, words.session, messages[0]["content"])

    draft, found, spent = await drafted(
        model,
        messages,
        passes,
        words.session,
        name="therapist draft",
        anew="Word the same plan anew.",
        attempts=attempts,
        max_tokens=MAX_TOKENS,
    )
    refusals += found
    return f"{thanks}{draft}" if draft is not None else None, spent


async def drafted(
    model: LanguageModel,
    messages: Sequence[Message],
    check: Callable[[str], Refusal | None],
    session: Session,
    *,
    name: str,
    anew: str,
    attempts: int,
    max_tokens: int,
) -> tuple[str | None, list[tuple[str, str]], Usage]:
    """A draft of the model's that may be said, worded anew with the reason where one may not, or None; why drafts may
    not, and what it cost.

    Args:
        check: Reads a draft as it came. name: Names the generator of the seeds. anew: What is asked after a refusal.
    """
    refusals: list[tuple[str, str]] = []
    spent = Usage()
    for attempt in range(attempts):
        seed = session.generator(f"{name} {attempt}").getrandbits(31)
        try:
            reply = await model.generate(messages, seed=seed, temperature=0.6, max_tokens=max_tokens)
        except ModelError as error:
            refusals.append(("model", str(error)))
            break
        spent = spent + reply.usage
        draft = unquoted(reply.text)
        refusal = check(draft)
        if refusal is None:
            return draft, refusals, spent
        refusals.append((refusal.rule, refusal.reason))
        messages = [
            *messages,
            {"role": "assistant", "content": reply.text},
            {"role": "user", "content": f"That cannot be said: {refusal.reason}. {anew}"},
        ]
    return None, refusals, spent


def obeying(draft: str, session: Session, task: str, means: str = "") -> Refusal | None:
    """Why a draft is not said that does what the patient's words tell the program to do, or that tells the task; one
    that says little but what was said, or was given to be said (`means`), may stand."""
    talk, said = [turn.text for turn in session.turns], session.last("patient")
    what = "prompt" if tells_instructions(draft, task, " ".join([*talk, means])) else None
    if what is None and len(content_words(draft) - content_words_of([*talk, means])) >= STRAYS:
        what = obeys(draft, said.text if said is not None else "")
    return Refusal("obeys", OBEYS[what]) if what is not None else None


def unquoted(reply: str) -> str:
    """A model's reply without the quotation marks that the whole of it may stand in."""
    bare = reply.strip()
    whole = bare.startswith('"') and bare.endswith('"') and bare.count('"') == 2
    return bare.strip('"').strip() if whole else bare


def _thanks(plan: Plan, w: Words, example: str) -> str:
    """The fixed thanks that an example opens with, and the space after them; empty where nobody is thanked."""
    if plan.lead is not Lead.THANKED:
        return ""
    return next(f"{form} " for form in w.bank[Lead.THANKED.value] if example.startswith(form))


def _again(draft: str) -> Refusal | None:
    again = {"thank", "thanks"}.intersection(words_of(draft))
    return Refusal("form", "the thanks stand in front of it already") if again else None


def _messages(plan: Plan, words: Words, example: str) -> list[Message]:
    talk, understood = talk_and_understood(words.session, words.formulation)
    task = prompt("socratic_guide").text.format(
        talk=talk,
        understood=understood,
        lead=plan.lead.value.replace("_", " "),
        step=plan.step.value.replace("_", " "),
        reason=plan.reason,
        example=as_data(example),
    )
    return [{"role": "user", "content": task}]


def talk_and_understood(session: Session, formulation: Formulation, seen: int = SEEN_TURNS) -> tuple[str, str]:
    """The latest turns, `seen` of them, and the formulation, a line for each part that is known, as the model is shown
    them.

    Both stand between marks in the prompts. So no words of the patient's may look like a mark, or like a turn of
    somebody else.
    """
    lines = [
        f"{'Patient' if turn.speaker == 'patient' else 'Therapist'}: {as_data(turn.text[:600])}"
        for turn in session.turns[-seen:]
    ]
    parts = [f"- {name}: {as_data(_spoken(part))}" for name, part in formulation.as_trace().items() if part]
    return "\n".join(lines), "\n".join(parts) or "- nothing yet"


def as_data(text: str) -> str:
    """Words on one line, without the brackets that marks are made of."""
    return " ".join(text.translate({ord("<"): "‹", ord(">"): "›"}).split())


def _spoken(part: object) -> str:
    return "; ".join(str(one) for one in part) if isinstance(part, list) else str(part)
