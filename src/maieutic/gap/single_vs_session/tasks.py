"""The units of single turn against session: vignettes, knowledge questions, replies to vignettes, whole sessions."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from math import sqrt
from statistics import fmean, stdev
from typing import Final

from maieutic.domain.appraisal import Slot
from maieutic.domain.episode import Episode, Question, Session
from maieutic.domain.randomness import derive_seed
from maieutic.domain.state import Act
from maieutic.gap.deciding import students_t
from maieutic.gap.family import Observation, SamplePlan, Unit
from maieutic.gap.figures import Data
from maieutic.gap.items import further_sessions, packaged, said, seeded, share_of, shared_sessions
from maieutic.gap.parsing import choice_of, lettered
from maieutic.gap.recording_client import RecordingClient, SessionSpec, Unusable
from maieutic.gap.single_vs_session.rubric import SCALES, cognition, emotion, empathy, overlap, says_thought, validation
from maieutic.gap.unusable import fault_of
from maieutic.language.feelings import disclosed_feelings, feelings_in
from maieutic.library import get_case

FAMILY_ID: Final = "single_vs_session"
TELLING: Final = frozenset({Act.DETAIL, Act.FEELING, Act.THOUGHT, Act.BACKGROUND})
"""What the patient does at the moments that call for empathy: tells what happened, the feeling, the thought, the past.

The opening is left out: it is a single turn once more. So are facts that were asked for to weigh the thought.
"""
IN_DIALOGUE: Final = ("empathy", "validation")
ARMS: Final = {"reply": "scores", "session": "scales"}
"""Where the scales of an observation stand."""
WIDEST: Final = 0.20
"""Half of the interval that either arm may have before more is asked: what the drop may be before it is a failure."""


def all_units(extent: SamplePlan) -> list[Unit]:
    """Questionnaire, knowledge, in-dialogue replies and sessions; in the full extent the questions with the course text
    too."""
    vignettes = share_of(packaged("scenarios")["vignettes"], extent)
    questions = share_of(packaged("knowledge")["items"], extent, lambda item: str(item["topic"]))
    places = {item["id"]: n for n, item in enumerate(packaged("knowledge")["items"])}
    units: list[Unit] = []
    for trained in (False, True) if extent.name == "full" else (False,):
        arm = "trained-" if trained else ""
        units += [
            Unit(f"{arm}scenario/{v['id']}/{scale}", 1, partial(_scenario, v, scale, extent, trained))
            for v in vignettes
            for scale in SCALES
        ]
        units += [
            Unit(f"{arm}knowledge/{q['id']}", 1, partial(_knowledge, q, places[q["id"]], extent, trained))
            for q in questions
        ]
    units += [Unit(f"reply/{v['id']}", 1, partial(_reply, v, extent)) for v in vignettes]
    units += [Unit(f"session/{s.case}", 0, partial(_session, s), (s,)) for s in shared_sessions(extent)]
    kept = {v["id"] for v in vignettes}
    rest = [v for v in packaged("scenarios")["vignettes"] if v["id"] not in kept]
    units += [Unit(f"reply/{v['id']}", 1, partial(_reply, v, extent), when=partial(too_wide, "reply")) for v in rest]
    more, wide = further_sessions(extent), partial(too_wide, "session")
    units += [Unit(f"session/{s.case}", 0, partial(_session, s), (s,), wide) for s in more]
    return units


def too_wide(arm: str, seen: Sequence[Observation]) -> bool:
    """Whether replies, or sessions, lie so far apart that their mean is known to no better than `WIDEST`.

    Two stages (after Stein 1945): the spread of the first ones decides how many there are. Their level is not asked,
    though scores near 0 or 1 lie closer together; unlike Stein's, the interval afterwards pools both stages.
    """
    told = [one.data[ARMS[arm]] for one in seen if one.key.startswith(f"{arm}/") and one.data is not None]
    scored = [[scales[one] for one in IN_DIALOGUE if scales.get(one) is not None] for scales in told]
    means = [fmean(some) for some in scored if some]
    return len(means) > 1 and students_t(len(means) - 1) * stdev(means) / sqrt(len(means)) > WIDEST


def scored(scale: str, text: str, vignette: Data) -> float:
    """An answer to a vignette on one scale, 0 to 1."""
    if scale == "empathy":
        return empathy(text, vignette["said"], vignette["feelings"])
    if scale == "validation":
        return validation(text, vignette["said"], vignette["feelings"], vignette["grounds"], vignette["conclusion"])
    if scale == "cognition":
        return cognition(text, vignette["thoughts"], vignette["foils"])
    return emotion(text, vignette["feelings"])


def _notes(trained: bool) -> str:
    return f"{packaged('training_text')['text'].strip()}\n\n---\n\n" if trained else ""


async def _scenario(vignette: Data, scale: str, extent: SamplePlan, trained: bool, client: RecordingClient) -> Data:
    asked = Question(
        id=f"{FAMILY_ID}/{'trained/' if trained else ''}{vignette['id']}/{scale}",
        text=f"{_notes(trained)}{packaged('scenarios')['asks'][scale]}",
        about={"cognition": "thought", "emotion": "emotion"}.get(scale, ""),
    )
    # The same draw with and without the text, so that the two are a pair.
    session = said(vignette["said"], seed=seeded(extent, FAMILY_ID, f"{vignette['id']}/{scale}"))
    text = (await client.answer(asked, session)).text
    fault = fault_of(text)
    # A bare list of feelings is no English sentence and yet an answer.
    if fault and not (scale == "emotion" and fault == "not English" and feelings_in(text)):
        raise Unusable(fault)
    return {"scale": scale, "item": vignette["id"], "score": scored(scale, text, vignette), "said": text}


async def _knowledge(item: Data, place: int, extent: SamplePlan, trained: bool, client: RecordingClient) -> Data:
    options = sorted(item["wrong"], key=lambda option: derive_seed("option", item["id"], option))
    options.insert(place % 4, item["right"])
    asked = Question(
        id=f"{FAMILY_ID}/{'trained/' if trained else ''}{item['id']}",
        text=f"{_notes(trained)}{item['ask']}\n{lettered(options)}\nAnswer with the letter only.",
        form="choice",
        options=tuple(options),
        max_tokens=40,
    )
    session = Session(seed=seeded(extent, FAMILY_ID, str(item["id"])))
    answer = (await client.answer(asked, session)).text
    return {"item": item["id"], "topic": item["topic"], "right": choice_of(answer, options) == place % 4}


async def _reply(vignette: Data, extent: SamplePlan, client: RecordingClient) -> Data:
    session = said(vignette["said"], seed=seeded(extent, FAMILY_ID, str(vignette["id"])))
    text = (await client.reply(session)).text
    scores = {scale: scored(scale, text, vignette) for scale in ("empathy", "validation")}
    return {"item": vignette["id"], "scores": scores, "said": text, "before": vignette["said"]}


async def _session(spec: SessionSpec, client: RecordingClient) -> Data:
    return read_session(await client.whole(spec), spec.case)


def read_session(episode: Episode, case: str) -> Data:
    """The four scales in a whole session, each 0 to 1 or None where nothing called for it, and its poorest moment.

    Empathy and validation: the rubric at every turn that answers what the patient has just told of themselves.
        Cognition: 1 when a turn takes up the true hot thought (cosine 0.45 or more), 0.5 when the thought
    was only asked for, else 0. Emotion: F1 of the feelings attributed against the true ones; 0.5 when they were only
    asked for.
    """
    situations = {one.id: one for one in get_case(case).situations}
    true = situations[episode.states[0].situation] if episode.states else None
    groups = frozenset(one.group for one in true.emotions) if true else frozenset()
    moments: dict[str, list[float]] = {"empathy": [], "validation": []}
    shown: list[tuple[float, str, str]] = []
    turns = episode.session.turns
    answered = [(turns[n - 1].text, turn.text) for n, turn in enumerate(turns) if turn.speaker == "therapist" and n]
    for number, (before, reply) in enumerate(answered):
        # The mind decides what is told; words like "down" or "empty" alone are no feeling told.
        told = number < len(episode.states) and episode.states[number].intent.act in TELLING
        if not told:
            continue
        expected = disclosed_feelings(before) | groups
        moments["empathy"].append(empathy(reply, before, expected))
        moments["validation"].append(validation(reply, before, expected))
        shown.append((moments["empathy"][-1], before, reply))
    scales: dict[str, float | None] = {
        name: sum(found) / len(found) if found else None for name, found in moments.items()
    }
    asks = {slot for one in episode.appraisals if one for slot in one.asks}
    said_all = [reply for _, reply in answered]
    scales["cognition"] = scales["emotion"] = None
    if true is not None:
        taken = any(says_thought(text, true.automatic_thought) for text in said_all)
        scales["cognition"] = 1.0 if taken else 0.5 if Slot.THOUGHT in asks else 0.0
        named = {claim.group for one in episode.appraisals if one for claim in one.claims}
        scales["emotion"] = overlap(named, groups) if named else 0.5 if Slot.FEELING in asks else 0.0
    return {"case": case, "scales": scales, "worst": min(shown, default=None)}
