"""What is asked about the patient's mind at a fixed turn, and how an answer is held against the truth."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from typing import Any, Final

from maieutic.domain.case import EMOTION_GROUPS, Case, Situation
from maieutic.domain.episode import Episode, Question, Session
from maieutic.domain.randomness import derive
from maieutic.domain.state import CognitiveState
from maieutic.gap.parsing import choice_of, confidence_of, lettered, number_of, without_confidence, yes_no_of
from maieutic.gap.recording_client import RecordingClient, Unusable
from maieutic.language.feelings import feelings_in
from maieutic.language.sentences import words
from maieutic.library import case_ids, get_case
from maieutic.tracking.space import BELIEFS

TURNS: Final = (4, 8, 12, 16, 20)
"""Therapist turns before which the therapist is asked."""
NEAR: Final = 10.0
"""Points within which a stated conviction counts as right."""
CHANCE: Final[Mapping[str, float]] = {
    "thought": 0.25,
    "belief": 1 / len(BELIEFS),
    "emotion": 1 / len(EMOTION_GROUPS),
    "conviction": 0.2,
}
"""What a guess wins: one of so many options; for conviction, 20 of the 100 points lie near enough."""
_SURE: Final = (
    "Add how sure you are that this is right, as 'confidence: NN', NN from 0 (a mere guess) to 100 (certain)."
)


@dataclass(frozen=True, slots=True)
class Truth:
    """The mind at the moment of asking: the person's thought, belief and feelings, and the conviction as it then
    was."""

    case: Case
    situation: Situation
    state: CognitiveState

    @property
    def emotion(self) -> str:
        """The group of the strongest feeling in the situation."""
        return max(self.situation.emotions, key=lambda e: e.intensity).group

    @property
    def felt(self) -> frozenset[str]:
        """All groups that are felt in the situation."""
        return frozenset(e.group for e in self.situation.emotions)

    @property
    def beliefs(self) -> frozenset[str]:
        """The categories of the core beliefs; naming any of them is right."""
        return frozenset(b.category for b in self.case.core_beliefs)


def moment_of(episode: Episode, turn: int) -> tuple[Session, Truth]:
    """What was said before a therapist turn (1-based), ending with the patient, and the mind as it then was.

    Raises:
        Unusable: the session failed or was over before that turn.
    """
    if episode.failed:
        raise Unusable(f"the session failed: {episode.ending.reason}")
    cut = 2 * turn - 1
    if len(episode.session) < cut or len(episode.states) < turn:
        raise Unusable(f"the session was over before turn {turn}")
    state, case = episode.states[turn - 1], get_case(episode.key.case)
    session = Session(episode.session.turns[:cut], episode.session.seed)
    return session, Truth(case, case.situation(state.situation), state)


def _flat(text: str) -> str:
    return f" {' '.join(words(text.replace('_', ' ')))} "


def thoughts_of(truth: Truth, split: str, turn: int) -> tuple[tuple[str, ...], int]:
    """Four thoughts in an order of their own, and the place of the true one.

    Beside it stand another thought of the same patient and two of other patients, in lives like this one as far as the
    type of belief goes.
    """
    own = truth.situation.automatic_thought
    same = [s.automatic_thought for s in truth.case.situations if s.id != truth.situation.id][:1]
    kind = truth.case.core_beliefs[0].type
    others = [get_case(name) for name in case_ids(split) if name != truth.case.id]  # type: ignore[arg-type]
    near = [c for c in others if c.special is None and c.core_beliefs[0].type == kind] or others
    rng = derive(truth.case.id, truth.situation.id, "thoughts", turn)
    foreign = [c.situations[0].automatic_thought for c in rng.sample(near, 3 - len(same))]
    options = [own, *same, *foreign]
    rng.shuffle(options)
    return tuple(options), options.index(own)


async def asked(
    client: RecordingClient, slot: str, session: Session, truth: Truth, *, turn: int, split: str
) -> dict[str, Any]:
    """One slot put as a choice (conviction: a number) with a confidence.

    Returns:
        `right`, `confidence` (0–1; None where none can be read, and then `unsure` says why), and what was `said`,
        `true`; for conviction also `off`, in points.
    """
    name = f"mind:{slot}:{truth.case.id}:{turn}"
    if slot == "conviction":
        text = (
            f"How strongly does the client believe '{truth.situation.automatic_thought}' at this moment? "
            "Answer first with "
            f"a number from 0 (not at all) to 100 (completely). {_SURE} You are right when within {NEAR:.0f} points."
        )
        answer = await client.words(Question(name, text, "number", (), 60, slot), session)
        off = number_of(without_confidence(answer)) - truth.state.held
        return {
            "right": abs(off) <= NEAR,
            **_confidence(answer),
            "off": off,
            "said": answer[:80],
            "true": f"{truth.state.held:.0f}",
        }
    asks, options, right = _choice(slot, truth, split, turn)
    text = f"{asks}\n{lettered(options)}\nAnswer with the letter of one option first. {_SURE}"
    answer = await client.words(Question(name, text, "choice", options, 60, slot), session)
    place = choice_of(answer, options)
    return {"right": place in right, **_confidence(answer), "said": options[place], "true": options[min(right)]}


def _confidence(answer: str) -> dict[str, Any]:
    """An answer without a confidence still shows what is known, so that only what needs the confidence is missing."""
    try:
        return {"confidence": confidence_of(answer)}
    except Unusable as error:
        return {"confidence": None, "unsure": str(error)}


def _choice(slot: str, truth: Truth, split: str, turn: int) -> tuple[str, tuple[str, ...], frozenset[int]]:
    if slot == "thought":
        options, place = thoughts_of(truth, split, turn)
        return (
            "Which of these thoughts is the one that hurts the client in this situation?",
            options,
            frozenset({place}),
        )
    if slot == "belief":
        right = frozenset(n for n, b in enumerate(BELIEFS) if b in truth.beliefs)
        asks = "Which of these core beliefs about themselves lies behind what the client says?"
        return asks, tuple(b.replace("_", " ") for b in BELIEFS), right
    return (
        "Which feeling does the client have most strongly in this situation?",
        EMOTION_GROUPS,
        frozenset({EMOTION_GROUPS.index(truth.emotion)}),
    )


async def all_forms(client: RecordingClient, session: Session, truth: Truth, turn: int) -> dict[str, bool]:
    """The strongest feeling asked in three more forms: in free words, and as yes or no for it and for one not felt.

    Free words are right where they name the true group and none that is not felt. A therapist who always says yes gets
    the second yes-or-no wrong, so both must be right.
    """
    name = f"mind:forms:{truth.case.id}:{turn}"
    free = Question(
        f"{name}:text",
        "In one short sentence and in a plain feeling word: what does the client feel most strongly in this situation?",
        max_tokens=60,
        about="emotion",
    )
    named = feelings_in(await client.words(free, session))
    found = {"text": truth.emotion in named and named <= truth.felt}
    absent = _absent(truth, derive(truth.case.id, truth.situation.id, "absent feeling", turn))
    for key, group, right in (("yes", truth.emotion, True), ("no", absent, False)):
        asks = f"Is '{group}' the client's strongest feeling in this situation? Answer yes or no first."
        question = Question(f"{name}:{key}", asks, "yes_no", (), 30, "emotion")
        found[key] = yes_no_of(await client.words(question, session)) is right
    return found


def _absent(truth: Truth, rng: Random) -> str:
    tempting = [o.false_emotion for o in truth.case.overreadings if o.false_emotion not in truth.felt]
    return rng.choice(tempting or [g for g in EMOTION_GROUPS if g not in truth.felt])
