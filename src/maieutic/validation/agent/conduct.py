"""One played session in the numbers that the agent's evidence needs; words only where an instrument has to read
them."""

from __future__ import annotations

from dataclasses import dataclass

from maieutic.domain.episode import Episode
from maieutic.library import get_case
from maieutic.ruptures import RESISTS, SUPPORTIVE, intensity


@dataclass(frozen=True, slots=True)
class Conduct:
    """One session.

    Attributes:
        world, arm, case, seed: What was played.
        group: 'regular', 'risk' or 'accurate'.
        held: Held conviction at the start and after each therapist turn, points.
        warranted: What the facts warrant, points.
        paced: (true openness before the turn, challenge intensity of the turn), by turn.
        answered: (the patient resisted just before, the turn supports), by turn.
        alliance: At the start and after each therapist turn, 0–1.
        turns: (words, what the therapist refused to say before) of each therapist turn; empty unless kept.
        feelings: Emotion groups that the patient truly has in this situation.
        left: The patient ended the session. ending: Its kind.
        worded: Share of the patient's turns that a model worded, 0–1; None where none had a say.

    Behind MindVoyager's gate, where nobody has a conviction, `held` is what is still shut, in percent of what was, and
    what belongs to a mind is empty.
    """

    world: str
    arm: str
    case: str
    seed: int
    group: str
    held: tuple[float, ...]
    warranted: float
    paced: tuple[tuple[float, float], ...]
    answered: tuple[tuple[bool, bool], ...]
    alliance: tuple[float, ...]
    turns: tuple[tuple[str, int], ...]
    feelings: tuple[str, ...]
    left: bool
    ending: str
    worded: float | None = None

    @property
    def unit(self) -> tuple[str, int]:
        """Arms are paired by case and seed."""
        return self.case, self.seed

    @property
    def fall(self) -> float:
        """Points of held conviction lost from start to end."""
        return self.held[0] - self.held[-1]


def gate_conduct(episode: Episode, *, world: str, opened: float) -> Conduct:
    """One session with a patient behind a gate, of which a share (0–1) was opened. Raises `ValueError` for a failed
    one."""
    if episode.failed:
        raise ValueError(f"{episode.key}: {episode.ending.reason}")
    return Conduct(
        world=world,
        arm=episode.key.therapist,
        case=episode.key.case,
        seed=episode.key.seed,
        group=str(episode.provenance.get("special") or "regular"),
        held=(100.0, round(100.0 * (1.0 - opened), 4)),
        warranted=0.0,
        paced=(),
        answered=(),
        alliance=(),
        turns=(),
        feelings=(),
        left=episode.ending.kind == "patient_left",
        ending=episode.ending.kind,
    )


def conduct_of(episode: Episode, *, world: str, keep_words: bool, worded: float | None = None) -> Conduct:
    """The numbers of one played session. Raises `ValueError` for a failed one, which has none."""
    if episode.failed or not episode.states:
        raise ValueError(f"{episode.key}: {episode.ending.reason}")
    case, states = get_case(episode.key.case), episode.states
    situation = case.situation(states[0].situation)
    pressed = [intensity(c, a) for c, a in zip(episode.codes, episode.appraisals, strict=False)]
    resisted = [state.intent.act in RESISTS for state in states[: len(pressed)]]
    words = tuple((t.text, len((t.trace or {}).get("refused", []))) for t in episode.therapist_turns)
    return Conduct(
        world=world,
        arm=episode.key.therapist,
        case=episode.key.case,
        seed=episode.key.seed,
        group=str(episode.provenance.get("special") or "regular"),
        held=tuple(round(state.held, 4) for state in states),
        warranted=situation.warranted,
        paced=tuple((state.openness, press) for state, press in zip(states, pressed, strict=False)),
        answered=tuple((was, press <= SUPPORTIVE) for was, press in zip(resisted, pressed, strict=True)),
        alliance=tuple(round(state.alliance, 6) for state in states),
        turns=words if keep_words else (),
        feelings=tuple(emotion.group for emotion in situation.emotions),
        left=episode.ending.kind == "patient_left",
        ending=episode.ending.kind,
        worded=worded,
    )
