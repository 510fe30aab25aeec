"""Lays out one session an arm turn by turn, with codes, the patient's reading and the hidden state.

The pick is a rule, not taste: one patient and seed for all arms, so that they can be read side by side, and of those
the pair whose effects lie nearest to each arm's median.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from maieutic.domain.appraisal import Appraisal
from maieutic.domain.codes import Move
from maieutic.domain.episode import Episode, Turn
from maieutic.domain.state import CognitiveState
from maieutic.evaluation.charts import kind_of
from maieutic.evaluation.findings import number, plural, ranked
from maieutic.evaluation.plan import REFERENCE
from maieutic.evaluation.summary import PRIMARY, EpisodeScore, Summary, group_of
from maieutic.language.sentences import opened_large
from maieutic.measures.material import Exchange, exchanges

_SCALES = (("held conviction", "held", 12.0, 1), ("openness", "openness", 0.25, 2), ("reactance", "reactance", 0.25, 2))


@dataclass(frozen=True, slots=True)
class Delta:
    """How one hidden quantity moved in a turn; `width` is the bar's length in per cent of its half of the scale."""

    name: str
    after: str
    change: str
    width: float
    up: bool


@dataclass(frozen=True, slots=True)
class TurnView:
    """One therapist turn with what it did and what came back; as they were written where that is not what was heard."""

    number: int
    said: str
    codes: tuple[tuple[str, str], ...]
    taken: tuple[str, ...]
    surfaced: tuple[str, ...]
    trace: tuple[tuple[str, str], ...]
    deltas: tuple[Delta, ...]
    answer: str | None
    written: str | None = None
    answer_written: str | None = None


@dataclass(frozen=True, slots=True)
class SessionView:
    """One session ready to be shown."""

    therapist: str
    privileged: bool
    people: bool
    case: str
    seed: int
    name: str
    thought: str
    warranted: str
    start: str
    end: str
    ending: str
    why: str
    opening: str
    turns: tuple[TurnView, ...]


def sessions(episodes: Sequence[Episode], scores: Sequence[EpisodeScore], summary: Summary) -> tuple[SessionView, ...]:
    """One session an arm that speaks, in the order of effect, all with the same patient and seed where there is one."""
    by_arm = {a.therapist: [e for e in episodes if e.key.therapist == a.therapist] for a in ranked(summary)}
    placed = {arm: found for arm, own in by_arm.items() if (found := _placed(own, scores))}
    shared = _shared(placed)
    views = []
    for own in placed.values():
        middle = _middle(own)
        chosen = next((one for one in own if one.pair == shared), middle)
        told = (
            f"{chosen.what}: {number(chosen.effect, 'points', signed=True)} points"
            if chosen.what
            else "no effect known"
        )
        if chosen.pair != middle.pair:
            told += f"; the median of its {plural(len(own), 'session')}: {number(middle.effect, 'points', signed=True)}"
        elif chosen.pair != shared:
            told += "; the arm has no session with the patient and seed that the others share"
        views.append(session_view(chosen.episode, opened_large(told) + "."))
    return tuple(views)


PICKED_SHARED = (
    "One patient and seed for all arms: of those that every arm has, the one whose effects lie nearest to each arm's "
    "median, all arms taken together."
)
PICKED_APART = (
    "No patient and seed is shared by all arms: of each, the session that most arms share, else its median one."
)


def picked(views: Sequence[SessionView]) -> str:
    """The rule by which the sessions were picked."""
    return PICKED_SHARED if len({(view.case, view.seed) for view in views}) == 1 else PICKED_APART


@dataclass(frozen=True, slots=True)
class _Placed:
    """A session with its effect, and what that is: against no session, or a fall alone; '' where neither is known."""

    effect: float
    episode: Episode
    what: str

    @property
    def pair(self) -> tuple[str, int]:
        return self.episode.key.case, self.episode.key.seed


def _placed(own: Sequence[Episode], scores: Sequence[EpisodeScore]) -> list[_Placed]:
    """Spoken sessions of one arm, regular ones where there are any, by effect."""
    spoken = [e for e in own if not e.failed and e.therapist_turns]
    regular = [e for e in spoken if group_of(e) == "regular"] or spoken
    values = {(i.key.therapist, i.key.case, i.key.seed): i.score.value for i in scores if i.score.measure == PRIMARY}
    found = []
    for episode in regular:
        change = values.get(episode.key)
        alone = values.get((REFERENCE, episode.key.case, episode.key.seed))
        if change is not None:
            what = "Fall of held conviction" if alone is None else "Effect against no session"
            found.append(_Placed(change - (alone or 0.0), episode, what))
    found.sort(key=lambda one: (one.effect, one.episode.key))
    return found or [_Placed(0.0, e, "") for e in sorted(regular, key=lambda e: e.key)[:1]]


def _middle(own: Sequence[_Placed]) -> _Placed:
    """The median session; the lower of the two middle ones when they are even."""
    return own[(len(own) - 1) // 2]


def _shared(placed: Mapping[str, Sequence[_Placed]]) -> tuple[str, int] | None:
    """The patient and seed of as many arms as possible that lies nearest to the arms' medians, all taken together."""
    away: dict[tuple[str, int], list[float]] = defaultdict(list)
    for own in placed.values():
        middle = _middle(own).effect
        for one in own:
            away[one.pair].append(abs(one.effect - middle))
    return min(away, key=lambda pair: (-len(away[pair]), sum(away[pair]), pair), default=None)


def first_two(views: Sequence[SessionView], summary: Summary) -> tuple[str, str] | None:
    """The arms shown first: the best one without privileges, beside a prompted model or else the worst arm."""
    order = [a.therapist for a in ranked(summary) if any(v.therapist == a.therapist for v in views)]
    if not order:
        return None
    plain = [v.therapist for v in views if not v.privileged] or order
    best = next(name for name in order if name in plain)
    others = [name for name in order if name != best]
    prompted = [name for name in others if name.startswith("prompted")]
    return best, (prompted or others[-1:] or [best])[0]


def session_view(episode: Episode, why: str) -> SessionView:
    """A session ready to be shown; `why` says how it was chosen."""
    facts: Mapping[str, str] = episode.provenance.get("facts", {})
    patient = episode.session.by("patient")
    states = episode.states
    warranted = episode.provenance.get("warranted")
    return SessionView(
        therapist=episode.key.therapist,
        privileged=bool(episode.provenance.get("privileged", False)),
        people=bool(episode.provenance.get("people", False)),
        case=episode.key.case,
        seed=episode.key.seed,
        name=str(episode.provenance.get("case_name") or episode.key.case),
        thought=str(episode.provenance.get("thought") or "not recorded"),
        warranted="not recorded" if warranted is None else f"{warranted:.0f}",
        start=f"{states[0].held:.0f}" if states else "no hidden state",
        end=f"{states[-1].held:.0f}" if states else "no hidden state",
        ending=episode.ending.kind.replace("_", " ") + (f": {episode.ending.reason}" if episode.ending.reason else ""),
        why=why,
        opening=patient[0].text if patient else "",
        turns=tuple(_turn(one, episode.session.turns, facts) for one in exchanges(episode)),
    )


def _turn(one: Exchange, turns: Sequence[Turn], facts: Mapping[str, str]) -> TurnView:
    said, answer = turns[one.index], None if one.reply is None else turns[one.reply]
    moves: tuple[Move, ...] = one.code.moves if one.code is not None else ()
    came = [v for v in one.after.voiced if v.turn == one.number + 1] if one.after is not None else []
    return TurnView(
        number=one.number + 1,
        said=one.text,
        codes=tuple((m.value.replace("_", " "), kind_of(m.value).replace(" ", "-")) for m in moves),
        taken=reading(one.appraisal, facts) if one.appraisal is not None else (),
        surfaced=tuple(
            f"{v.evidence} ({facts.get(v.evidence, 'unknown')} the thought), "
            f"{'told by the therapist' if v.by == 'therapist' else 'voiced by the patient'}"
            for v in came
        ),
        trace=_trace(said.trace),
        deltas=_deltas(one.before, one.after),
        answer=answer.text if answer is not None and answer.text else None,
        written=said.original,
        answer_written=answer.original if answer is not None else None,
    )


def reading(taken: Appraisal, facts: Mapping[str, str]) -> tuple[str, ...]:
    """What the patient took a turn for, in a few words each."""
    if not taken.understood:
        return ("not understood",)
    heard = {0: "no question", 1: f"one {'open' if taken.open else 'closed'} question"}
    parts = [heard.get(taken.questions, f"{taken.questions} questions at once")]
    parts += [f"about {', '.join(slot.value for slot in taken.asks)}"] if taken.asks else []
    parts += ["leading"] if taken.leading else []
    parts += ["wide: any experience that speaks otherwise"] if taken.wide else []
    parts += [
        f"reaches {r.evidence} ({facts.get(r.evidence, 'unknown')} the thought), strength {r.strength:.2f}"
        for r in taken.reaches
    ]
    parts += [f"told instead of asked: {', '.join(taken.told)}"] if taken.told else []
    parts += [f"gives back {', '.join(taken.summarised)}"] if taken.summarised else []
    for claim in taken.claims:
        kind = "offers" if claim.tentative else "states"
        parts.append(
            f"{kind} that the patient is {claim.group}: {'true' if claim.true else 'not true'}, "
            f"{'said before' if claim.voiced else 'never said'}"
        )
    parts += [f"fits what was said ({taken.fit:.2f})"] if taken.fit >= 0.3 else []
    parts += ["asks permission or offers a choice"] if taken.permission else []
    return tuple(parts)


def _deltas(before: CognitiveState | None, after: CognitiveState | None) -> tuple[Delta, ...]:
    if before is None or after is None:
        return ()
    found = []
    for name, attribute, full, digits in _SCALES:
        now = float(getattr(after, attribute))
        change = round(now - float(getattr(before, attribute)), digits) + 0.0
        sign = "−" if change < 0 else "+" if change > 0 else "±"
        width = round(min(1.0, abs(change) / full) * 100.0, 1)
        found.append(Delta(name, f"{now:.{digits}f}", f"{sign}{abs(change):.{digits}f}", width, change > 0))
    return tuple(found)


def _trace(trace: Mapping[str, Any] | None) -> tuple[tuple[str, str], ...]:
    return tuple((str(key), str(value)) for key, value in (trace or {}).items() if value not in (None, "", (), [], {}))
