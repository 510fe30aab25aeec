"""A language model that reads a trainee's turn for its feedback, where a teacher gives an endpoint.

One request a turn, asked once the patient has answered. Every label comes with words of the sentence that it is about,
and what is to be taken up with words of the answer; a reply that keeps to anything else is not used. Without a reading
the heads of `practice.moves` read the turn.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

from maieutic.domain.episode import Session
from maieutic.errors import ModelError
from maieutic.language.sentences import sentences, words
from maieutic.patients.worded.ear import Asker, Unusable, fields_of, stands_in
from maieutic.practice.moves import KINDS, SAFETY, Part, spoken
from maieutic.practice.steps import OF_READING
from maieutic.prompts import prompt
from maieutic.protocols import LanguageModel, Message

PROMPT: Final = "trainee_turn"
TURNS_BEFORE: Final = 4
MAX_ASKED: Final = 20
LABELS: Final = (*KINDS, SAFETY)
"""What a sentence may do: all that the heads know, and what is done for safety."""
_MAX_TOKENS: Final = 900


@dataclass(frozen=True, slots=True)
class Reading:
    """What a model read in one turn.

    Attributes:
        by: The model.
        does: For each sentence of the turn (`sentences` of `spoken`), one of `LABELS`.
        asks: How many separate questions it asks.
        take_up: Words of the patient's answer that a next step goes on from; empty where there are none.
        step: The kind of next step, a label of `steps.OF_READING`.
        unread: Why there is no reading; then all else is empty.
    """

    by: str
    does: tuple[str, ...] = ()
    asks: int = 0
    take_up: str = ""
    step: str = ""
    unread: str | None = None

    def kept(self) -> dict[str, Any]:
        """As it is kept beside the turn."""
        return asdict(self)

    def parts(self, text: str) -> tuple[Part, ...]:
        """The sentences that do something, as `moves.parts_of_turn` gives them."""
        said = zip(sentences(spoken(text)), self.does, strict=True)
        return tuple(Part(sentence, does, sure=True) for sentence, does in said if does != "other" and words(sentence))


def reading_of(kept: dict[str, Any]) -> Reading:
    """A reading from what was kept beside a turn."""
    return Reading(**(kept | {"does": tuple(kept["does"])}))


def parse(reply: str, by: str, said: Sequence[str], answer: str) -> Reading:
    """A reply as a reading. Raises `Unusable`: form, unknown labels, or words that nobody said."""
    found = fields_of(reply, ("sentences", "asks", "take_up", "step"))
    told, asks, take_up, step = (found[name] for name in ("sentences", "asks", "take_up", "step"))
    if not isinstance(told, list) or len(told) != len(said):
        raise Unusable("does not label each sentence once")
    for one, sentence in zip(told, said, strict=True):
        if not isinstance(one, dict) or not isinstance(one.get("does"), str) or one["does"] not in LABELS:
            raise Unusable(f"gives a sentence an unknown label: {str(one)[:60]}")
        quote = one.get("quote")
        if not isinstance(quote, str) or not (stands_in(quote, sentence) or quote.strip() == sentence.strip()):
            raise Unusable(f"quotes words that are not in the sentence: {str(quote)[:60]}")
    if not isinstance(asks, int) or isinstance(asks, bool) or not 0 <= asks <= MAX_ASKED:
        raise Unusable("gives no number of questions")
    if not isinstance(take_up, str) or (take_up.strip() and not stands_in(take_up, answer)):
        raise Unusable(f"takes up words that are not in the answer: {str(take_up)[:60]}")
    if not isinstance(step, str) or step not in OF_READING:
        raise Unusable(f"names an unknown next step: {str(step)[:40]}")
    return Reading(by, tuple(one["does"] for one in told), asks, take_up.strip(), step)


def request(session: Session) -> tuple[list[Message], tuple[str, ...], str]:
    """What a model is asked about the last therapist turn, its sentences, and the answer to it."""
    turns = [turn for turn in session.turns if turn.text]
    at = max(place for place, turn in enumerate(turns) if turn.speaker == "therapist")
    said = sentences(spoken(turns[at].text))
    answer = turns[at + 1].text if at + 1 < len(turns) else ""
    before = [f"{turn.speaker.capitalize()}: {turn.text}" for turn in turns[max(0, at - TURNS_BEFORE) : at]]
    material = (
        "Said before:",
        *(before or ["(nothing)"]),
        "The turn:",
        "-----",
        *(f"{number}. {sentence}" for number, sentence in enumerate(said, 1)),
        "-----",
        "The patient's answer:",
        "-----",
        answer or "(none)",
        "-----",
    )
    messages: list[Message] = [
        {"role": "system", "content": prompt(PROMPT).text},
        {"role": "user", "content": "\n".join(material)},
    ]
    return messages, said, answer


async def read_turn(model: LanguageModel, session: Session, place: tuple[str, ...]) -> Reading:
    """The reading of the last therapist turn; one that says why where there is none."""
    messages, said, answer = request(session)
    ask = Asker(model, "reader", place, drafts=2)
    try:
        found, _, _ = await ask(
            messages,
            lambda reply: parse(reply, model.name, said, answer),
            len(session),
            temperature=0.0,
            max_tokens=_MAX_TOKENS,
        )
    except ModelError as error:
        return Reading(model.name, unread=str(error)[:200])
    return found
