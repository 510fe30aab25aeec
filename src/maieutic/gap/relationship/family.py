"""Family 10: does an alliance grow, do the words show it, and does the therapist know how it stands?

Synchrony after Kian et al. (2025, nCLiD after Nasir et al. 2019) and style matching; alliance from words after COMPASS
(Lin et al. 2025). The truth is the patient's own goal, task and bond.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from random import Random
from typing import Any, Final

from maieutic.domain.episode import Question
from maieutic.gap.fair_comparison.family import arm_outcome
from maieutic.gap.family import Observation, Packaged, Profile, Quote, Reference, SamplePlan, Table, Unit, Value
from maieutic.gap.figures import SIGNED, Data, Figure, data_of, first_reason, lost_of, of_kind, rows_of
from maieutic.gap.items import packaged, seeded, shared_sessions
from maieutic.gap.parsing import number_of
from maieutic.gap.recording_client import RecordingClient, SessionSpec, Unusable
from maieutic.gap.relationship.text import (
    BOND_HIGH,
    GOAL_LOW,
    left_out_mse,
    pearson,
    read,
    slope_within,
    text_values,
    true_part,
)
from maieutic.measures.between import DIMENSIONS, Dimension
from maieutic.stats import Interval

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
UNREAD: Final = "no session could be read"
BOND_SHARE: Final = Figure(
    "bond_share",
    "Growth of the bond, as a share of what a warm listener brings",
    "of warm",
    (-3.0, 2.0),
    limit=MIN_BOND,
)
MISALIGNED: Final = Figure(
    "misaligned_bond", "Sessions with a high bond while goals are not shared or risk goes unanswered", worse="high"
)
BLIND: Final = Figure(
    "blind_bond", "Sessions in which the therapist sees a high bond while goals are not shared", worse="high"
)
FIRST_PERSON: Final = Figure("first_person", "I, me, my among the therapist's words", worse="high")
Session = Data


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


def units(extent: SamplePlan) -> Sequence[Unit]:
    """One unit a shared session, and twelve answers after each of the first few."""
    specs = shared_sessions(extent)
    asked = specs[: max(1, round(ASKED_SITTINGS * extent.items))]
    return (
        *(Unit(f"session/{s.case}", 0, partial(_session, spec=s), (s,)) for s in specs),
        *(Unit(f"view/{s.case}", len(_items()), partial(_view, spec=s, extent=extent), (s,)) for s in asked),
    )


def profile(seen: Sequence[Observation], extent: SamplePlan) -> Profile:
    """The figures; sessions that gave nothing are counted in the headline's `missing`."""
    mine, views = of_kind(seen, "session"), of_kind(seen, "view")
    sessions = data_of(mine)
    lost = len(mine) - len(sessions)
    change = partial(Figure, unit="0–1", span=(-0.5, 0.5))
    agreed = change("agreement_gain", "Rise of agreement on goals and tasks", limit=MIN_AGREEMENT)
    seen_gap = partial(Figure, unit="0–1", span=SIGNED, worse="high")
    bond = _headline(sessions, lost)
    values = (
        bond,
        _mean(agreed, sessions, lambda s: sum(_rise(s, p) for p in ("goal", "task")) / 2, lost),
        *(
            _mean(change(f"{part}_gain", f"Rise of {part}"), sessions, partial(_rise, part=part), lost)
            for part in DIMENSIONS
        ),
        _mean(
            Figure("alliance_end", "Alliance at the end", "0–1"), sessions, lambda s: sum(s["end"].values()) / 3, lost
        ),
        _mean(MISALIGNED, sessions, lambda s: s["alarm"] is not None, lost),
        *(value for part in DIMENSIONS for value in _from_text(sessions, part)),
        *(
            _viewed(
                seen_gap(f"view_gap_{part}", f"Therapist's view of {part} less the patient's"),
                views,
                partial(_view_gap, part=part),
            )
            for part in DIMENSIONS
        ),
        _viewed(BLIND, views, lambda v: v["view"]["bond"] >= BOND_HIGH and v["true"]["goal"] <= GOAL_LOW),
        *_synchrony(sessions),
    )
    untested = (
        "the alliance with a real person, and what tone, face and silence do to it",
        "whether words are near to the alliance in human sessions: the truth here is the simulator's",
    )
    table = _gap_table(sessions)
    return Profile(ID, values, _worst(sessions), _sentence(values), untested, (bond.id, agreed.id), (table,))


def _rise(session: Session, part: str) -> float:
    risen: float = session["end"][part] - session["start"][part]
    return risen


def _below(value: Value) -> bool:
    return value.severity is not None and value.severity > 0


def _items() -> Sequence[Mapping[str, Any]]:
    items: Sequence[Mapping[str, Any]] = packaged("alliance_items")["items"]
    return items


def _view_gap(view: Session, part: str) -> float:
    beyond: float = view["view"][part] - view["true"][part]
    return beyond


def _index(session: Session, name: str) -> float:
    index: float = session["synchrony"][name]
    return index


async def _session(client: RecordingClient, spec: SessionSpec) -> dict[str, Any]:
    episode = await client.whole(spec)
    if len(episode.states) < 2:
        raise Unusable("the session ended before the patient heard anything")
    listener = await arm_outcome(LISTENER, spec, client.seed, client.world)
    return read(episode) | {"listener": listener.bond}


async def _view(client: RecordingClient, spec: SessionSpec, extent: SamplePlan) -> dict[str, Any]:
    episode = await client.whole(spec)
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

    found = BOND_SHARE.statistic(sessions, share, _case, Random(7), lost, UNREAD, draws=2000)
    # With such draws left out the interval would hold for patients only who warm to a listener.
    return replace(found, low=None, high=None, reason=NO_WARMTH) if barren else found


def bond_share(sessions: Sequence[Session]) -> float | None:
    """The bond's growth over these sessions by that with a warm listener; None where the listener brings none."""
    listener = sum(s["listener"] for s in sessions)
    return sum(s["end"]["bond"] - s["start"]["bond"] for s in sessions) / listener if listener > 0.0 else None


def _from_text(sessions: Sequence[Session], part: Dimension) -> tuple[Value, Value]:
    pairs = text_values(sessions, "client", part)
    cases = len({pair[0] for pair in pairs})
    best, error = _TRAINED[part]
    trained = f"{_CARE}: trained model"
    r = Figure(
        f"text_r_{part}",
        f"Patient's words and true {part}",
        "r",
        SIGNED,
        references=(
            Reference(_HUMANS[part], f"{_CARE}: human counsellors", _DIFFERS),
            Reference(best, trained, _DIFFERS),
        ),
    )
    mse = Figure(
        f"text_mse_{part}",
        f"Error of {part} read from the patient's words",
        "points² of 1–5",
        (0.0, 16.0),
        "high",
        references=(Reference(error, trained, _DIFFERS),),
    )
    few = "fewer than six stretches of talk, or no spread"
    return (
        replace(r.statistic(pairs, pearson, lambda pair: pair[0], Random(7), 0, few), n=cases),
        mse.value(Interval(left_out_mse(pairs), None, None, 0), cases, 0, "fewer than three cases"),
    )


def _synchrony(sessions: Sequence[Session]) -> tuple[Value, ...]:
    index, slope = partial(Figure, unit="index"), partial(Figure, unit="per thing told", span=(-0.2, 0.2))
    named = (
        index("nclid_therapist", "Therapist follows patient (nCLiD, lower is nearer)", worse="high"),
        index("nclid_client", "Patient follows therapist (nCLiD, lower is nearer)", worse="high"),
        index("lsm", "Style matching of the session (LSM)"),
        index("following_therapist", "Therapist's style follows the turn before"),
        index("following_client", "Patient's style follows the turn before"),
    )
    slopes = (
        ("nclid", slope("nclid_slope", "nCLiD for each further thing told in a third", worse="high")),
        ("lsm", slope("lsm_slope", "LSM for each further thing told in a third")),
    )
    found: list[Value] = []
    for figure in named:
        held = [s for s in sessions if s["synchrony"][figure.id] is not None]
        found.append(_mean(figure, held, partial(_index, name=figure.id), len(sessions) - len(held)))
    for name, figure in slopes:
        within = partial(slope_within, name=name)
        found.append(figure.statistic(sessions, within, _case, Random(7), 0, "no thirds of four turns each"))
    spoke = [s for s in sessions if s["first_person"] is not None]
    return (*found, _mean(FIRST_PERSON, spoke, lambda s: s["first_person"], 0))


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


def _gap_table(sessions: Sequence[Session]) -> Table:
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


def _case(session: Session) -> str:
    return str(session["case"])


def _mean(figure: Figure, items: Sequence[Session], value: Callable[[Session], float], lost: int) -> Value:
    return figure.mean([(_case(item), float(value(item))) for item in items], Random(7), lost, UNREAD)


def _viewed(figure: Figure, views: Sequence[Observation], value: Callable[[Session], float]) -> Value:
    why = first_reason(views, "no session to be asked about")
    return figure.mean(rows_of(views, value, "case"), Random(7), lost_of(views), why)


FAMILY: Final = Packaged(
    ID, "Relationship", "Does a working alliance grow, and does the therapist know how it stands?", units, profile
)
