"""What a judge is asked: the code book first and always alike, so that servers can reuse it, then the turns to code."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from maieutic.coding.book import Facet, Label, Scheme
from maieutic.errors import InputError
from maieutic.prompts import prompt
from maieutic.protocols import Message
from maieutic.transcripts.utterance import SPEAKERS, Utterance

LONGEST_TURN = 1_200
"""Characters of an earlier turn that are shown, its end; the utterance to code is always shown whole."""
ONE_LABEL = "Give each numbered utterance exactly one code: the one that fits best."
MANY_LABELS = (
    "Give each numbered utterance every code that fits it, and none that does not; if none fits, an empty list."
)
NO_LABELS = "Answer every further question for each numbered utterance; leave the list of codes empty."


@dataclass(frozen=True, slots=True)
class Question:
    """One prompt to the judge.

    Attributes:
        dialogue: Number of the dialogue it belongs to.
        speaker: Whose utterances are coded.
        places: Their places in the dialogue; the first is numbered 1 in the prompt.
        texts: Their words.
        messages: What the model is sent.
    """

    dialogue: int
    speaker: str
    places: tuple[int, ...]
    texts: tuple[str, ...]
    messages: tuple[Message, ...]


def facets_of(scheme: Scheme, speaker: str) -> tuple[Facet, ...]:
    """The further questions that a scheme asks of a speaker's utterances."""
    return tuple(facet for facet in scheme.facets if facet.speaker == speaker)


def is_composed(scheme: Scheme, speaker: str) -> bool:
    """Whether a speaker's codes only repeat the answers to the further questions, as 'er=1' does for EPITOME."""
    repeated = {composed(facet.id, value.id) for facet in facets_of(scheme, speaker) for value in facet.values}
    return bool(repeated) and repeated == {label.id for label in scheme.labels(speaker)}


def composed(facet: str, value: str) -> str:
    """The code that repeats the value of a facet."""
    return f"{facet}={value}"


def codes_of(scheme: Scheme, speaker: str) -> tuple[Label, ...]:
    """The codes that the judge is asked to choose from."""
    return () if is_composed(scheme, speaker) else scheme.labels(speaker)


def applies(scheme: Scheme, speaker: str) -> bool:
    """Whether the scheme asks anything of that speaker's utterances."""
    return bool(scheme.labels(speaker) or facets_of(scheme, speaker))


def instructions(scheme: Scheme, speaker: str) -> str:
    """The code book and the rules of the answer: the same words in every call for that speaker."""
    labels, facets = codes_of(scheme, speaker), facets_of(scheme, speaker)
    form: dict[str, object] = {"n": 1, "labels": ["CODE"] if labels else [], "quote": "WORDS COPIED FROM IT"}
    if facets:
        form["facets"] = {facet.id: "VALUE" for facet in facets}
    return prompt("judge").text.format(
        speaker=speaker,
        name=scheme.name,
        labels="".join(map(_entry, labels)),
        facets="".join(_facet(facet, always=not labels) for facet in facets),
        rule=(MANY_LABELS if scheme.multi_label else ONE_LABEL) if labels else NO_LABELS,
        form=json.dumps({"codes": [form]}),
    )


def questions(
    scheme: Scheme, dialogues: Sequence[Sequence[Utterance]], *, context: int, batch: int
) -> Iterator[Question]:
    """The prompts that code every utterance that has words and that the scheme asks anything of.

    Args:
        scheme: The code book.
        dialogues: Sessions, their utterances in order.
        context: Earlier turns that are shown, 0 or more; one at most where the scheme reads pairs.
        batch: Neighbouring utterances of one speaker in a prompt, 1 or more. An utterance that brings its own context,
            or one of a scheme that reads pairs, is always asked about alone.

    Raises:
        InputError: A speaker that is neither 'therapist' nor 'client'.
    """
    system = {speaker: instructions(scheme, speaker) for speaker in SPEAKERS if applies(scheme, speaker)}
    shown = min(context, 1) if scheme.pairs else context
    for number, dialogue in enumerate(dialogues):
        for places in _batches(dialogue, tuple(system), 1 if scheme.pairs else batch):
            speaker = dialogue[places[0]].speaker
            yield Question(
                number,
                speaker,
                places,
                tuple(dialogue[at].text for at in places),
                (
                    {"role": "system", "content": system[speaker]},
                    {"role": "user", "content": _task(dialogue, places, shown)},
                ),
            )


def _batches(dialogue: Sequence[Utterance], speakers: Sequence[str], size: int) -> Iterator[tuple[int, ...]]:
    waiting: dict[str, list[int]] = {speaker: [] for speaker in speakers}
    for at, one in enumerate(dialogue):
        if one.speaker not in SPEAKERS:
            raise InputError(f"speaker {one.speaker!r}: expected 'therapist' or 'client'")
        if one.speaker not in waiting or not one.text.strip():
            continue
        if one.context:
            yield (at,)
            continue
        waiting[one.speaker].append(at)
        if len(waiting[one.speaker]) == size:
            yield tuple(waiting[one.speaker])
            waiting[one.speaker] = []
    yield from (tuple(places) for places in waiting.values() if places)


def _task(dialogue: Sequence[Utterance], places: Sequence[int], context: int) -> str:
    first, last = places[0], places[-1]
    own = dialogue[first].context
    if own:
        speakers = [SPEAKERS[(SPEAKERS.index(dialogue[first].speaker) + back) % 2] for back in range(len(own), 0, -1)]
        before = list(zip(speakers, own, strict=True))[len(own) - min(context, len(own)) :]
        turns = [*before, (dialogue[first].speaker, dialogue[first].text)]
        numbers = {len(before): 1}
    else:
        start = max(0, first - context)
        turns = [(one.speaker, one.text) for one in dialogue[start : last + 1]]
        numbers = {at - start: number for number, at in enumerate(places, start=1)}
    lines = [_line(*turn, numbers.get(at)) for at, turn in enumerate(turns)]
    asked = ", ".join(f"[{number}]" for number in range(1, len(places) + 1))
    return "\n".join(
        ["The conversation, each turn as a JSON string:", *lines, "", f"Code {asked}. Answer with the JSON."]
    )


def _line(speaker: str, text: str, number: int | None) -> str:
    # A JSON string cannot be left by anything that is said in it, so nobody in a transcript can add a turn or an order.
    if number is None:
        cut = text if len(text) <= LONGEST_TURN else f"…{text[-LONGEST_TURN:]}"
        return f"{speaker}: {json.dumps(cut, ensure_ascii=False)}"
    return f"[{number}] {speaker}: {json.dumps(text, ensure_ascii=False)}"


def _entry(label: Label) -> str:
    shown = "".join(f"\n    e.g. {json.dumps(example, ensure_ascii=False)}" for example in label.examples)
    named = "" if label.name.casefold() == label.id.casefold() else f" ({label.name})"
    return f'- "{label.id}"{named}: {label.definition}{shown}\n'


def _facet(facet: Facet, *, always: bool) -> str:
    open_end = "" if always else " Answer null where the question does not arise."
    head = f"\n# Further question: {facet.id}\n\n{facet.name}. {facet.definition}{open_end}\n\n"
    return head + "".join(map(_entry, facet.values))
