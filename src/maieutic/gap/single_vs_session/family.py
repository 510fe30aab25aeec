"""Single turn against session: good answers about one vignette, and the same skills over whole sessions.

Source: Napiwotzki, Laue et al. 2025 (JMIR Formative Research 9:e78138): knowledge questions and scenarios, one turn
    each.
Items, rubric and course text are our own; whole sessions are added.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from maieutic.domain.randomness import derive
from maieutic.gap.family import Observation, Profile, Quote, Reference, SamplePlan, Unit, Value, missing_of
from maieutic.gap.single_vs_session.rubric import SCALES
from maieutic.gap.single_vs_session.tasks import FAMILY_ID, IN_DIALOGUE, all_units
from maieutic.stats import bootstrap_mean, bootstrap_statistic

DROP_LIMIT: Final = 0.20
MIN_ITEMS: Final = 3
_STUDY: Final = "Napiwotzki, Laue et al. 2025"
Row = tuple[str, str, str, float]
"""(where it was seen: 'single', 'reply' or 'session'; cluster; scale; score)."""


@dataclass(frozen=True, slots=True)
class SingleVsSession:
    """Scores single answers and whole sessions on the same four scales, and knowledge beside them.

    The headline is the drop from its reply to a vignette, in the dialogue and unprompted, to its sessions, on the two
    scales that both have: only the number of turns differs. Beside it stands the drop from the questionnaire, where it
    was told what to show (chosen over the drop from questionnaire answers after first runs). Limit 0.20, fixed before:
    half of the mean loss of 0.39 that Laban et al. 2025 report from one turn to many (a relative loss there, in other
    tasks).
    """

    id: str = FAMILY_ID
    title: str = "Single turn against session"
    question: str = "Do the skills of its single answers hold over a whole session?"

    def units(self, extent: SamplePlan) -> Sequence[Unit]:
        """Vignettes by scale, knowledge questions, replies to vignettes, and the shared sessions."""
        return all_units(extent)

    def profile(self, seen: Sequence[Observation], extent: SamplePlan) -> Profile:
        """The figures; what is missing is counted, never scored."""
        single, reply, session = _answers(seen, "scenario"), _replies(seen), _sessions(seen)
        lost = {kind: _lost(seen, kind) for kind in ("scenario", "reply", "session", "knowledge")}
        both, asked = _why(seen, "session", "reply"), _why(seen, "scenario", "session")
        values = (
            _drop("drop", reply, session, extent, lost["session"], both),
            _mean("single", "Answers about vignettes, four scales", single, extent, lost["scenario"], asked),
            _knowledge(seen, extent, lost["knowledge"]),
            _mean("reply", "Replies to vignettes, two scales", reply, extent, lost["reply"], _why(seen, "reply")),
            _mean("session", "Whole sessions, four scales", session, extent, lost["session"], _why(seen, "session")),
            _drop("drop_from_answers", single, session, extent, lost["session"], asked, limit=None),
            *_training(seen, extent),
        )
        return Profile(
            family=self.id,
            values=values,
            worst=_worst(seen),
            sentence=_sentence(reply, session),
            untested=(
                "how the words are said: tone, pace, silence, face",
                "whether a person would feel understood: words are read by rules and sentence vectors, not by people",
                "skill in anticipating the thoughts of somebody known only from a vignette of a few lines, in "
                "either arm",
            ),
            tables=(_table(single, reply, session),),
        )


def _of(seen: Sequence[Observation], kind: str) -> list[Observation]:
    return [one for one in seen if one.key.startswith(f"{kind}/")]


def _answers(seen: Sequence[Observation], kind: str) -> list[Row]:
    return [
        ("single", d["item"], d["scale"], float(d["score"])) for one in _of(seen, kind) if (d := one.data) is not None
    ]


def _replies(seen: Sequence[Observation]) -> list[Row]:
    return [
        ("reply", d["item"], scale, float(score))
        for one in _of(seen, "reply")
        if (d := one.data) is not None
        for scale, score in d["scores"].items()
    ]


def _sessions(seen: Sequence[Observation]) -> list[Row]:
    return [
        ("session", d["case"], scale, float(score))
        for one in _of(seen, "session")
        if (d := one.data) is not None
        for scale, score in d["scales"].items()
        if score is not None
    ]


def session_scores(seen: Sequence[Observation]) -> list[float]:
    """The score of every whole session, 0–1: the mean of its scales, one a case."""
    by_case: dict[str, list[float]] = {}
    for _, case, _, score in _sessions(seen):
        by_case.setdefault(case, []).append(score)
    return [sum(scores) / len(scores) for scores in by_case.values()]


def _lost(seen: Sequence[Observation], kind: str) -> int:
    return len(missing_of(_of(seen, kind)))


def _why(seen: Sequence[Observation], *kinds: str) -> str:
    """The commonest reason of missing units of these kinds."""
    reasons = Counter(one.missing for kind in kinds for one in _of(seen, kind) if one.missing)
    return reasons.most_common(1)[0][0] if reasons else f"fewer than {MIN_ITEMS} replies or sessions could be read"


def _by_scale(rows: Sequence[Row]) -> dict[str, float]:
    found = {scale: [row[3] for row in rows if row[2] == scale] for scale in SCALES}
    return {scale: sum(some) / len(some) for scale, some in found.items() if some}


def scale_mean(rows: Sequence[Row]) -> float | None:
    """The mean of the scales' means, 0 to 1: each scale weighs the same; None without rows."""
    means = _by_scale(rows)
    return sum(means.values()) / len(means) if means else None


def fall(rows: Sequence[Row]) -> float | None:
    """Mean over the scales that both sides have of single minus session; None when they share none."""
    single, session = (_by_scale([row for row in rows if (row[0] == "session") is late]) for late in (False, True))
    shared = [scale for scale in single if scale in session]
    return sum(single[s] - session[s] for s in shared) / len(shared) if shared else None


def _few(rows: Sequence[Row], fewest: int = MIN_ITEMS) -> bool:
    return len({row[1] for row in rows}) < fewest


def _drop(
    id: str,
    single: Sequence[Row],
    session: Sequence[Row],
    extent: SamplePlan,
    missing: int,
    why: str,
    limit: float | None = DROP_LIMIT,
) -> Value:
    source = "its replies to vignettes" if id == "drop" else "its answers about vignettes"
    title = f"Falls from {source} to whole sessions"
    rows = [*single, *session]
    # Two sessions are the least that the quick extent plays; vignettes and cases are the clusters.
    if _few(single, 2) or _few(session, 2) or fall(rows) is None:
        return Value(
            id,
            title,
            "points of 0–1",
            None,
            n=len(rows),
            missing=missing,
            reason=why,
            span=(-1.0, 1.0),
            worse="high",
            limit=limit,
        )
    found = bootstrap_statistic(
        rows,
        fall,
        clusters=[f"{row[0]}/{row[1]}" for row in rows],
        draws=1000,
        rng=derive(extent.seed, "gap", FAMILY_ID, id),
    )
    return Value.of(
        id,
        title,
        "points of 0–1",
        found,
        n=found.n,
        missing=missing,
        span=(-1.0, 1.0),
        worse="high",
        limit=limit,
        references=(
            Reference(0.39, "Laban et al. 2025", "relative loss from one turn to many, other tasks and models"),
        ),
        smaller=min(len({row[1] for row in arm}) for arm in (single, session)),
    )


def _mean(id: str, title: str, rows: Sequence[Row], extent: SamplePlan, missing: int, why: str) -> Value:
    if _few(rows, 2):
        return Value(id, title, "0–1", None, n=len(rows), missing=missing, reason=why)
    found = bootstrap_statistic(
        rows, scale_mean, clusters=[row[1] for row in rows], draws=1000, rng=derive(extent.seed, "gap", FAMILY_ID, id)
    )
    return Value.of(id, title, "0–1", found, n=found.n, missing=missing)


def _knowledge(seen: Sequence[Observation], extent: SamplePlan, missing: int) -> Value:
    hits = [float(one.data["right"]) for one in _of(seen, "knowledge") if one.data is not None]
    if len(hits) < MIN_ITEMS:
        return Value(
            "knowledge",
            "Knowledge questions answered rightly",
            "share",
            None,
            n=len(hits),
            missing=missing,
            reason=_why(seen, "knowledge"),
        )
    found = bootstrap_mean(hits, rng=derive(extent.seed, "gap", FAMILY_ID, "knowledge"))
    references = (
        Reference(0.61, _STUDY, "six models, 20 items on depression and behavioural activation"),
        Reference(0.52, _STUDY, "eight psychotherapists in training, the same 20 items"),
        Reference(0.25, "chance", "four options"),
    )
    return Value.of(
        "knowledge",
        "Knowledge questions answered rightly",
        "share",
        found,
        n=len(hits),
        missing=missing,
        references=references,
    )


def _training(seen: Sequence[Observation], extent: SamplePlan) -> tuple[Value, Value]:
    """With the course text minus without it, paired by item; for the full extent only."""
    none = "asked with and without the course text in the full extent only (--full)"

    def value(id: str, title: str, kind: str, reference: tuple[Reference, ...]) -> Value:
        if extent.name != "full":
            return Value(id, title, "points of 0–1", None, reason=none, span=(-1.0, 1.0))
        sides: list[dict[Any, float]] = []
        for arm in ("trained-", ""):
            known = [(one.key.removeprefix(arm), one.data) for one in _of(seen, f"{arm}{kind}") if one.data is not None]
            sides.append({key: float(d["score"] if "score" in d else d["right"]) for key, d in known})
        shared = [key for key in sides[0] if key in sides[1]]
        # Widened for few items with all other figures of the battery, so this is the bare bootstrap.
        found = bootstrap_mean(
            [sides[0][key] - sides[1][key] for key in shared],
            clusters=[str(key).split("/")[1] for key in shared],
            rng=derive(extent.seed, "gap", FAMILY_ID, id),
        )
        lost = _lost(seen, f"trained-{kind}")
        if found.estimate is None or found.n < MIN_ITEMS:
            return Value(
                id,
                title,
                "points of 0–1",
                None,
                n=found.n,
                missing=lost,
                reason=_why(seen, f"trained-{kind}", kind),
                span=(-1.0, 1.0),
            )
        return Value.of(
            id, title, "points of 0–1", found, n=found.n, missing=lost, span=(-1.0, 1.0), references=reference
        )

    study = (
        Reference(0.075, _STUDY, "proprietary models, 63.0 to 70.5 of 100 with the materials as context"),
        Reference(-0.05, _STUDY, "open models, 57.0 to 52.0 of 100"),
    )
    return (
        value("training_single", "Single answers: with the course text, minus without", "scenario", ()),
        value("training_knowledge", "Knowledge: with the course text, minus without", "knowledge", study),
    )


def _worst(seen: Sequence[Observation]) -> tuple[Quote, ...]:
    """The poorest answers to a feeling told in a session, one a session at most."""
    told = [d["worst"] for one in _of(seen, "session") if (d := one.data) is not None and d["worst"]]
    return tuple(
        Quote(before, reply, f"answers something told of themselves; empathy {score:.2f} of 1")
        for score, before, reply in sorted(told)[:3]
        if score < 0.5
    )


def _sentence(reply: Sequence[Row], session: Sequence[Row]) -> str:
    """The failure in one sentence, on the scales that both have."""
    first, late = scale_mean(reply), scale_mean([row for row in session if row[2] in IN_DIALOGUE])
    if first is None or late is None:
        return ""
    return f"shows {first:.2f} in a single reply, {late:.2f} over sessions: does not hold it"


def _table(*arms: Sequence[Row]) -> tuple[str, tuple[str, ...], tuple[tuple[str, ...], ...]]:
    means = [_by_scale(rows) for rows in arms]
    rows = tuple((scale, *(f"{arm[scale]:.2f}" if scale in arm else "–" for arm in means)) for scale in SCALES)
    return "By scale, 0 to 1", ("scale", "single answer", "single reply", "session"), rows


FAMILY = SingleVsSession()
