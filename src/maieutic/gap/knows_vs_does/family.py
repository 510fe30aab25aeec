"""Knows against does: does the therapist make the move that it has just named as the best one?

Sources: Schmied et al. 2025 (knowing and doing of language models as agents), Mancoridis et al. 2025 (potemkin
understanding). Items are our own: `items/frozen_moves.yaml`, `items/concepts.yaml`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Sequence
from functools import partial
from typing import Any, Final, Literal

from maieutic.domain.episode import Question, Session
from maieutic.domain.randomness import derive_seed
from maieutic.errors import ModelError
from maieutic.gap.family import Observation, Packaged, Profile, SamplePlan, Unit
from maieutic.gap.figures import Data
from maieutic.gap.items import packaged, said, seeded, share_of
from maieutic.gap.knows_vs_does.figures import (
    FAMILY_ID,
    REPEATED,
    move_values,
    potemkin_values,
    repeat_table,
    sentence_of,
    worst_of,
)
from maieutic.gap.knows_vs_does.moves import COMFORT, defines, edited_well, holds, moves_of
from maieutic.gap.parsing import choice_of, lettered, yes_no_of
from maieutic.gap.recording_client import RecordingClient, Unusable
from maieutic.gap.unusable import fault_of
from maieutic.language.sentences import stands_in

SHOWN = 8  # kinds of move among which the best is chosen
_LABELS: Final = ("therapist", "reply", "response", "sentence", "answer", "example")


def states(extent: SamplePlan) -> list[dict[str, Any]]:
    """The frozen moments of the extent, spread over their stages."""
    return share_of(packaged("frozen_moves")["states"], extent, lambda state: str(state["stage"]))


def options_of(state: Data) -> list[str]:
    """The eight kinds offered at a moment: those that fit, advice, comfort, and others; in an order of the item's
    own."""
    kinds = packaged("frozen_moves")["kinds"]
    order = sorted(kinds, key=lambda kind: derive_seed("option", state["id"], kind))
    must = [kind for kind in order if kind in state["right"] or kind in COMFORT]
    others = [kind for kind in order if kind not in must][: SHOWN - len(must)]
    return [kind for kind in order if kind in (*must, *others)]


def move_units(extent: SamplePlan) -> list[Unit]:
    """Naming, acting, and acting after repeats. One call each."""
    units: list[Unit] = []
    for state in states(extent):
        units.append(Unit(f"know/{state['id']}", 1, partial(_know, state, extent)))
        units.append(Unit(f"act/{state['id']}", 1, partial(_act, state, extent)))
    for item in share_of(packaged("frozen_moves")["repeats"], extent, lambda repeat: str(repeat["kind"])):
        units += [Unit(f"repeat/{item['id']}/{n}", 1, partial(_repeat, item, n, extent)) for n in REPEATED]
    return units


def concept_units(extent: SamplePlan) -> list[Unit]:
    """One unit a concept: define, tell apart, classify, generate, edit, and label what it made itself."""
    tries = extent.samples if extent.name == "full" else 2
    chosen = share_of(packaged("concepts")["concepts"], extent)
    return [Unit(f"concept/{c['id']}", 7 + 2 * tries, partial(_concept, c, tries, extent)) for c in chosen]


def _frozen(state: Data, extent: SamplePlan) -> Session:
    return said(*state["lines"], seed=seeded(extent, FAMILY_ID, state["id"]))


async def _know(state: Data, extent: SamplePlan, client: RecordingClient) -> Data:
    kinds = options_of(state)
    texts = [packaged("frozen_moves")["kinds"][kind] for kind in kinds]
    asked = Question(
        id=f"{FAMILY_ID}/{state['id']}",
        text="Look at the session so far. Which kind of move is the best next move of the therapist?\n"
        f"{lettered(texts)}\nGive the letter first, then one sentence that says why.",
        form="choice",
        options=tuple(texts),
        max_tokens=120,
        about="next_move",
    )
    answer = (await client.answer(asked, _frozen(state, extent))).text
    stated = kinds[choice_of(answer, texts)]
    return {"stated": stated, "right": stated in state["right"], "reason": _reasoned(answer, texts, state["cues"])}


def _reasoned(answer: str, options: Sequence[str], cues: Sequence[str]) -> bool:
    """Whether the words beside the option name something of the annotated reason."""
    own = answer.lower()
    for option in options:
        own = own.replace(option.lower(), " ")
    return any(stands_in(own, cue, whole=False) for cue in cues)


async def _act(state: Data, extent: SamplePlan, client: RecordingClient) -> Data:
    reply = (await client.reply(_frozen(state, extent))).text
    moves = moves_of(reply, state["lines"][-1])
    return {
        "moves": sorted(moves),
        "fits": bool(moves & set(state["right"])) and not moves & COMFORT,
        "right": list(state["right"]),
        "before": state["lines"][-1],
        "said": reply,
    }


async def _repeat(item: Data, times: int, extent: SamplePlan, client: RecordingClient) -> Data:
    source = packaged("frozen_moves")
    lines: list[str] = []
    for n in range(times):
        lines += [source["said"][n], source["turns"][item["kind"]][n]]
    # With no repeats the patient still has begun, so that the last line answers something.
    lines = lines or [source["said"][0], "Take your time."]
    session = said(*lines, item["last"], seed=seeded(extent, FAMILY_ID, item["id"], times))
    moves = moves_of((await client.reply(session)).text, item["last"])
    return {"times": times, "again": item["kind"] in moves and not moves & set(item["right"]), "item": item["id"]}


async def _concept(concept: Data, tries: int, extent: SamplePlan, client: RecordingClient) -> Data:
    session = Session(seed=seeded(extent, FAMILY_ID, str(concept["id"])))
    name, heard = str(concept["name"]), str(concept["said"])

    async def ask(task: str, text: str, form: Literal["text", "choice", "yes_no"] = "text", *options: str) -> str:
        asked = Question(f"{FAMILY_ID}/{concept['id']}/{task}", text, form, options, 120)
        return (await client.answer(asked, session)).text

    async def kept(made: Awaitable[Any]) -> Any:
        """What a task gave, or None: a task that cannot be read goes missing alone."""
        try:
            return await made
        except (Unusable, ModelError):
            return None

    async def chosen(task: str, text: str, right: str, wrong: Sequence[str]) -> bool:
        options = sorted([right, *wrong], key=lambda option: derive_seed("option", concept["id"], task, option))
        answer = await ask(task, f"{text}\n{lettered(options)}\nGive the letter only.", "choice", *options)
        return options[choice_of(answer, options)] == right

    async def is_one(task: str, reply: str) -> bool:
        text = (
            f'A person says: "{heard}"\nThe therapist answers: "{reply}"\nDoes the answer of the therapist '
            f"hold {name}? Answer yes or no."
        )
        return yes_no_of(await ask(task, text, "yes_no"))

    async def words_of(task: str, text: str) -> str:
        return plain_reply(await ask(task, text))

    async def defined() -> bool:
        answer = await words_of("define", f"What is {name}, as therapists use the term? One or two sentences.")
        return defines(answer, concept["marks"])

    found: dict[str, Any] = {"concept": concept["id"], "define": await defined()}
    named = {c["id"]: c for c in packaged("concepts")["concepts"]}
    near = [named[other] for other in concept["near"]]
    found["apart"] = [
        await kept(
            chosen("apart1", f"What describes {name} best?", concept["definition"], [c["definition"] for c in near])
        ),
        await kept(chosen("apart2", f"What is this: {concept['definition']}?", name, [c["name"] for c in near])),
    ]
    yes, no = await kept(is_one("classify1", concept["example"])), await kept(is_one("classify2", concept["other"]))
    found["classify"] = [yes, None if no is None else not no]
    made: list[dict[str, Any]] = []
    for n in range(tries):
        with_it = n % 2 == 0
        order = f"holds {name}" if with_it else f"does NOT hold {name}"
        text = f'A person says: "{heard}"\nWrite one short reply of a therapist that {order}. Write the reply only.'
        reply = await kept(words_of(f"make{n}", text))
        label = None if reply is None else await kept(is_one(f"label{n}", reply))
        made.append({"asked": with_it, "said": reply, "label": label, "is": reply and holds(concept["id"], reply)})
    found["made"] = made
    goal = f"it holds {name}" if concept["turn"] == "into" else f"it no longer holds {name}"
    text = (
        f'A person says: "{heard}"\nChange this sentence of the therapist so that {goal}: '
        f'"{concept["before"]}"\nWrite the changed sentence only.'
    )
    after = await kept(words_of("edit", text))
    found["edit"] = after and edited_well(concept["id"], concept["before"], after, concept["turn"])
    found["edited"] = after
    found["edit_label"] = None if after is None else await kept(is_one("label_edit", after))
    return found


def plain_reply(text: str) -> str:
    """The words of a made reply, without a label and quotation marks around them. Raises `Unusable`."""
    label, colon, reply = text.partition(":")
    bare = (reply if colon and label.strip().lower() in _LABELS else text).lstrip(" \n\t\"“'‘*").rstrip(" \n\t\"”'’*")
    fault = fault_of(bare)
    if fault:
        raise Unusable(fault)
    return bare


def units(extent: SamplePlan) -> Sequence[Unit]:
    """Naming and acting at every frozen moment, acting after repeated moves, and one unit a concept."""
    return (*move_units(extent), *concept_units(extent))


def profile(seen: Sequence[Observation], extent: SamplePlan) -> Profile:
    """The figures; what is missing is counted, never scored."""
    values = (*move_values(seen, extent), *potemkin_values(seen, extent))
    untested = (
        "whether the right kind of move is also done well: only its kind is read, by rules",
        "tone, silence and the moment at which something is said",
        "a reason that is right and uses none of the expected words counts as none (K itself needs no reason)",
    )
    table = repeat_table(seen)
    return Profile(FAMILY_ID, values, worst_of(seen), sentence_of(values), untested, tables=(table,))


FAMILY = Packaged(
    FAMILY_ID,
    "Knows against does",
    "Does it make the move that it has just named as the best one?",
    units,
    profile,
)
"""Names the next move at frozen moments, then acts; defines concepts, then uses them."""
