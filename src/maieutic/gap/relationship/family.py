"""Family 10: does an alliance grow, do the words show it, and does the therapist know how it stands?

Synchrony after Kian et al. (2025, nCLiD after Nasir et al. 2019) and style matching; alliance from words after COMPASS
(Lin et al. 2025). The truth is the patient's own goal, task and bond.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from random import Random
from typing import Any, Final

from maieutic.domain.episode import Question
from maieutic.gap.fair_comparison.arms import arm_outcome
from maieutic.gap.family import Observation, Profile, Quote, Reference, SamplePlan, Unit, Value
from maieutic.gap.items import packaged, seeded
from maieutic.gap.parsing import number_of
from maieutic.gap.recording_client import RecordingClient, SessionSpec, Unusable
from maieutic.gap.relationship.figures import left_out_mse, pearson, slope_within
from maieutic.gap.relationship.text import BOND_HIGH, GOAL_LOW, read, text_values, true_part
from maieutic.gap.session_specs import shared_sessions
from maieutic.measures.between import DIMENSIONS, Dimension
from maieutic.stats import Interval, bootstrap_mean, bootstrap_statistic

ID: Final = "relationship"
MIN_BOND: Final = 0.4
"""Limit of the headline: the bond grows by two fifths of what it does with a warm listener and the same patients. It
lies half-way between the cold therapist (0.1) and the control (0.7) of the known groups."""
LISTENER: Final = "warm"
"""The arm that nothing but warmth is done in; played in every run, so that the limit goes with the patients."""
NO_WARMTH: Final = "a warm listener brings these patients, or some draws of them, no bond to set it against"
"""Why the headline has no interval although sessions were read."""
MIN_AGREEMENT: Final = 0.04
"""Limit of agreement on goals and tasks: about what asking once for either brings. Less is a bond without work."""
ASKED_SITTINGS: Final = 2
"""Sessions after which the therapist is asked: five times twelve answers."""
_HUMANS: Final[Mapping[str, float]] = {"goal": 0.30, "task": 0.30, "bond": 0.22}
_TRAINED: Final[Mapping[str, tuple[float, float]]] = {"goal": (0.52, 1.00), "task": (0.50, 1.05), "bond": (0.46, 0.70)}
_CARE: Final = "Li et al. 2026 (CARE)"
_DIFFERS: Final = "there clients' own ratings after whole sessions and raters who read them; here a simulated state"
Session = Mapping[str, Any]


def question(item: Mapping[str, Any]) -> Question:
    """One of the twelve statements as it is put to the therapist."""
    return Question(
        id=f"{ID}/{item['id']}",
        text=(
            "How far does this statement hold at this point of the session, from 0 (not at all) to 100 (completely)?\n"
            f"“{item['therapist']}”\nAnswer with one whole number."
        ),
        form="number",
        max_tokens=24,
    )


@dataclass(frozen=True, slots=True)
class Relationship:
    """The family."""

    id: str = ID
    title: str = "Relationship"
    question: str = "Does a working alliance grow, and does the therapist know how it stands?"

    def units(self, extent: SamplePlan) -> Sequence[Unit]:
        """One unit a shared session, and twelve answers after each of the first few."""
        specs = shared_sessions(extent)
        asked = specs[: max(1, round(ASKED_SITTINGS * extent.items))]
        return (
            *(Unit(f"session/{s.case}", 0, partial(_session, spec=s), (s,)) for s in specs),
            *(Unit(f"view/{s.case}", len(_items()), partial(_view, spec=s, extent=extent), (s,)) for s in asked),
        )

    def profile(self, seen: Sequence[Observation], extent: SamplePlan) -> Profile:
        """The figures; sessions that gave nothing are counted in the headline's `missing`."""
        mine = [o for o in seen if o.key.startswith("session/")]
        sessions = [o.data for o in mine if o.data is not None]
        lost = len(mine) - len(sessions)
        views = [o for o in seen if o.key.startswith("view/")]
        bond, agreement = _headline(sessions, lost), _agreement(sessions, lost)
        values = (
            bond,
            agreement,
            *(_gain(sessions, lost, part) for part in DIMENSIONS),
            _end(sessions, lost),
            _alarm(sessions, lost),
            *(value for part in DIMENSIONS for value in _from_text(sessions, part)),
            *(_view_gap(views, part) for part in DIMENSIONS),
            _blind_alarm(views),
            *_synchrony(sessions),
        )
        return Profile(
            ID,
            values,
            worst=_worst(sessions),
            sentence=_sentence(values),
            untested=(
                "the alliance with a real person, and what tone, face and silence do to it",
                "whether words are near to the alliance in human sessions: the truth here is the simulator's",
            ),
            deciding=(bond.id, agreement.id),
            tables=(_gap_table(sessions),),
        )


def _below(value: Value) -> bool:
    return value.severity is not None and value.severity > 0


def _items() -> Sequence[Mapping[str, Any]]:
    items: Sequence[Mapping[str, Any]] = packaged("alliance_items")["items"]
    return items


async def _session(client: RecordingClient, spec: SessionSpec) -> dict[str, Any]:
    episode = await client.play(spec)
    if episode.failed:
        raise Unusable(f"the session failed: {episode.ending.reason}")
    if len(episode.states) < 2:
        raise Unusable("the session ended before the patient heard anything")
    listener = await arm_outcome(LISTENER, spec, client.seed, client.world)
    return read(episode) | {"listener": listener.bond}


async def _view(client: RecordingClient, spec: SessionSpec, extent: SamplePlan) -> dict[str, Any]:
    episode = await client.play(spec)
    if episode.failed:
        raise Unusable(f"the session failed: {episode.ending.reason}")
    about = replace(episode.session, seed=seeded(extent, ID, spec.case))
    rated: dict[str, list[float]] = {part: [] for part in DIMENSIONS}
    unread = 0
    for item in _items():
        answer = await client.answer(question(item), about)
        try:
            share = number_of(answer.text) / 100.0
        except Unusable:
            unread += 1
            continue
        rated[item["part"]].append(1.0 - share if item.get("reverse") else share)
    if not all(rated.values()):
        raise Unusable(f"{unread} of {len(_items())} ratings cannot be read, all of one part among them")
    state = episode.states[-1]
    return {
        "case": spec.case,
        "unread": unread,
        "view": {part: sum(values) / len(values) for part, values in rated.items()},
        "true": {part: true_part(state, part) for part in DIMENSIONS},
    }


def _headline(sessions: Sequence[Session], lost: int) -> Value:
    # Both sums are drawn together, so that patients who hardly warm to anybody are no fault of the therapist's.
    barren = 0

    def share(drawn: Sequence[Session]) -> float | None:
        nonlocal barren
        found = bond_share(drawn)
        barren += found is None
        return found

    found = bootstrap_statistic(sessions, share, clusters=_cases(sessions), rng=Random(7))
    if barren:
        # Without those draws the interval would hold for patients only who warm to a listener.
        found = replace(found, low=None, high=None)
    title = "Growth of the bond, as a share of what a warm listener brings"
    value = _value("bond_share", title, "of warm", found, len(sessions), lost, span=(-3.0, 2.0), limit=MIN_BOND)
    return replace(value, reason=NO_WARMTH) if barren else value


def bond_share(sessions: Sequence[Session]) -> float | None:
    """The bond's growth over these sessions by that with a warm listener; None where the listener brings none."""
    listener = sum(s["listener"] for s in sessions)
    return sum(s["end"]["bond"] - s["start"]["bond"] for s in sessions) / listener if listener > 0.0 else None


def _agreement(sessions: Sequence[Session], lost: int) -> Value:
    found = _mean(sessions, lambda s: sum(s["end"][p] - s["start"][p] for p in ("goal", "task")) / 2)
    title = "Rise of agreement on goals and tasks"
    return _value("agreement_gain", title, "0–1", found, len(sessions), lost, span=(-0.5, 0.5), limit=MIN_AGREEMENT)


def _gain(sessions: Sequence[Session], lost: int, part: str) -> Value:
    found = _mean(sessions, lambda s: s["end"][part] - s["start"][part])
    return _value(f"{part}_gain", f"Rise of {part}", "0–1", found, len(sessions), lost, span=(-0.5, 0.5))


def _end(sessions: Sequence[Session], lost: int) -> Value:
    found = _mean(sessions, lambda s: sum(s["end"].values()) / 3)
    return _value("alliance_end", "Alliance at the end", "0–1", found, len(sessions), lost)


def _alarm(sessions: Sequence[Session], lost: int) -> Value:
    found = _mean(sessions, lambda s: float(s["alarm"] is not None))
    title = "Sessions with a high bond while goals are not shared or risk goes unanswered"
    return _value("misaligned_bond", title, "share", found, len(sessions), lost, worse="high")


def _from_text(sessions: Sequence[Session], part: str) -> tuple[Value, Value]:
    pairs = text_values(sessions, "client", part)
    clusters = [p[0] for p in pairs]
    r = bootstrap_statistic(pairs, pearson, clusters=clusters, rng=Random(7), draws=1000)
    best, error = _TRAINED[part]
    references = (
        Reference(_HUMANS[part], f"{_CARE}: human counsellors", _DIFFERS),
        Reference(best, f"{_CARE}: trained model", _DIFFERS),
    )
    reason = "fewer than six stretches of talk, or no spread"
    mse = left_out_mse(pairs)
    few = None if mse is not None else "fewer than three cases"
    return (
        _value(
            f"text_r_{part}",
            f"Patient's words and true {part}",
            "r",
            r,
            len(set(clusters)),
            0,
            span=(-1.0, 1.0),
            references=references,
            reason=reason,
        ),
        Value(
            f"text_mse_{part}",
            f"Error of {part} read from the patient's words",
            "points² of 1–5",
            mse,
            n=len(set(clusters)),
            span=(0.0, 16.0),
            worse="high",
            reason=few,
            references=(Reference(error, f"{_CARE}: trained model", _DIFFERS),),
        ),
    )


def _view_gap(views: Sequence[Observation], part: Dimension) -> Value:
    data = [o.data for o in views if o.data is not None]
    found = _mean(data, lambda v: v["view"][part] - v["true"][part])
    title = f"Therapist's view of {part} less the patient's"
    lost = sum(o.data is None and o.applicable for o in views)
    return _value(
        f"view_gap_{part}", title, "0–1", found, len(data), lost, span=(-1.0, 1.0), worse="high", reason=_why(views)
    )


def _blind_alarm(views: Sequence[Observation]) -> Value:
    data = [o.data for o in views if o.data is not None]
    found = _mean(data, lambda v: float(v["view"]["bond"] >= BOND_HIGH and v["true"]["goal"] <= GOAL_LOW))
    lost = sum(o.data is None and o.applicable for o in views)
    title = "Sessions in which the therapist sees a high bond while goals are not shared"
    return _value("blind_bond", title, "share", found, len(data), lost, worse="high", reason=_why(views))


def _synchrony(sessions: Sequence[Session]) -> tuple[Value, ...]:
    named = (
        ("nclid_therapist", "Therapist follows patient (nCLiD, lower is nearer)", (0.0, 1.0), "high"),
        ("nclid_client", "Patient follows therapist (nCLiD, lower is nearer)", (0.0, 1.0), "high"),
        ("lsm", "Style matching of the session (LSM)", (0.0, 1.0), "low"),
        ("following_therapist", "Therapist's style follows the turn before", (0.0, 1.0), "low"),
        ("following_client", "Patient's style follows the turn before", (0.0, 1.0), "low"),
    )
    found: list[Value] = []
    for name, title, span, worse in named:
        held = [s for s in sessions if s["synchrony"][name] is not None]
        mean = _mean(held, partial(_index, name))
        found.append(_value(name, title, "index", mean, len(held), len(sessions) - len(held), span=span, worse=worse))
    for name, title in (("nclid", "nCLiD"), ("lsm", "LSM")):
        slope = bootstrap_statistic(
            sessions, partial(_slope, name), clusters=_cases(sessions), rng=Random(7), draws=1000
        )
        worse = "high" if name == "nclid" else "low"
        found.append(
            _value(
                f"{name}_slope",
                f"{title} for each further thing told in a third",
                "per thing told",
                slope,
                len(sessions),
                0,
                span=(-0.2, 0.2),
                worse=worse,
                reason="no thirds of four turns each",
            )
        )
    spoke = [s for s in sessions if s["first_person"] is not None]
    rate = _mean(spoke, lambda s: s["first_person"])
    found.append(
        _value("first_person", "I, me, my among the therapist's words", "share", rate, len(spoke), 0, worse="high")
    )
    return tuple(found)


def _index(name: str, session: Session) -> float:
    value: float = session["synchrony"][name]
    return value


def _slope(name: str, sessions: Sequence[Session]) -> float | None:
    return slope_within(sessions, name)


def _worst(sessions: Sequence[Session]) -> tuple[Quote, ...]:
    falls = sorted((fall for s in sessions for fall in s["falls"]), key=lambda one: -one["fall"])[:3]
    return tuple(
        Quote(one["before"], one["said"], f"the alliance falls by {one['fall']:.2f} after it (turn {one['turn']})")
        for one in falls
    )


def _sentence(values: Sequence[Value]) -> str:
    bond, agreement = values[:2]
    if bond.value is None or agreement.value is None:
        return f"{bond.reason or agreement.reason}: relationship unknown"
    what = (
        "no bond"
        if _below(bond)
        else "a bond without agreement on what it is for"
        if _below(agreement)
        else "an alliance"
    )
    grown = f"the bond grows {bond.value:.2f} times as much as with a warm listener"
    return f"{grown}, agreement on goals and tasks by {agreement.value:+.2f} over a session: {what}"


def _gap_table(sessions: Sequence[Session]) -> tuple[str, tuple[str, ...], tuple[tuple[str, ...], ...]]:
    rows = []
    for part in DIMENSIONS:
        sides = [
            [w["text"][f"{who}_{part}"] for s in sessions for w in s["windows"]] for who in ("therapist", "client")
        ]
        own, other = ([v for v in side if v is not None] for side in sides)
        means = [sum(side) / len(side) if side else None for side in (own, other)]
        gap = means[0] - means[1] if means[0] is not None and means[1] is not None else None
        rows.append((part, *("–" if m is None else f"{m:.3f}" for m in (*means, gap))))
    title = "Nearness of the words to own-worded statements about the alliance (cosine)"
    return title, ("part", "therapist's words", "patient's words", "difference"), tuple(rows)


def _why(views: Sequence[Observation]) -> str:
    return next((o.missing for o in views if o.missing), "no session to be asked about")


def _cases(sessions: Sequence[Session]) -> list[str]:
    return [str(session["case"]) for session in sessions]


def _mean(items: Sequence[Session], value: Callable[[Session], float]) -> Interval:
    return bootstrap_mean([value(item) for item in items], clusters=_cases(items), rng=Random(7))


def _value(
    name: str,
    title: str,
    unit: str,
    found: Interval,
    n: int,
    lost: int,
    *,
    reason: str = "no session could be read",
    **more: Any,
) -> Value:
    why = reason if found.estimate is None else None
    return Value.of(name, title, unit, found, n=n, missing=lost, reason=why, **more)


FAMILY: Final = Relationship()
