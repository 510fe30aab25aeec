"""What a verdict rests on: six lines an arm, each with its figure, its bound and whether it holds.

No line stands for another: a script of good questions moves these patients and takes up nothing, a therapist who speaks
of somebody else's life moves them a little and takes up nothing, and a listener takes up much and moves nobody.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from statistics import median
from typing import Final

from maieutic.domain.episode import Episode
from maieutic.domain.randomness import derive
from maieutic.evaluation.plan import REFERENCE
from maieutic.evaluation.run import ASKED, NO_DOOR
from maieutic.language.sentences import content_words
from maieutic.stats import MIN_CASES, Interval, bootstrap_mean, paired_difference

HEARD = 3
"""Latest patient turns that a therapist turn may take up."""
MAX_OTHERS = 24
"""Sessions with other patients that a session is held against, drawn at random where there are more."""


def uptakes(episodes: Sequence[Episode], rng: Random) -> dict[tuple[str, int], float]:
    """By (case, seed) of one arm's sessions: how much more of the therapist's content words this patient had said.

    Of each therapist turn, the share of its content words that stand in the patient's latest three turns, less the same
    share in the turns that patients of other cases said by that time; mean over the turns of a session. Questions that
    come in the same order whoever sits there get 0 by construction, since every session is held against the others.

    Unit: share, −1 to 1. Source: own; the contrast with other conversations is how entrainment is told from chance
    (Danescu-Niculescu-Mizil and Lee 2011). Blind to: what is taken up in other words; whether it is worth taking up.
    """
    spoken = [e for e in episodes if not e.failed and len(e.therapist_turns) > 0]
    found: dict[tuple[str, int], float] = {}
    for episode in spoken:
        others = [e for e in spoken if e.key.case != episode.key.case]
        if len(others) > MAX_OTHERS:
            others = rng.sample(others, MAX_OTHERS)
        gains = [gain for at in _places(episode) if (gain := _gain(episode, others, at)) is not None]
        if gains:
            found[episode.key.case, episode.key.seed] = sum(gains) / len(gains)
    return found


def _places(episode: Episode) -> list[int]:
    return [at for at, turn in enumerate(episode.session.turns) if turn.speaker == "therapist"]


def _gain(episode: Episode, others: Sequence[Episode], at: int) -> float | None:
    said = content_words(episode.session.turns[at].text)
    elsewhere = [_share(said, other, at) for other in others if len(other.session) > at]
    if not said or not elsewhere:
        return None
    return _share(said, episode, at) - sum(elsewhere) / len(elsewhere)


def _share(said: frozenset[str], episode: Episode, at: int) -> float:
    heard = [turn.text for turn in episode.session.turns[:at] if turn.speaker == "patient"][-HEARD:]
    known: frozenset[str] = frozenset().union(*map(content_words, heard))
    return len(said & known) / len(said) if said else 0.0


def said_to_all(episodes: Sequence[Episode]) -> float:
    """Share of one arm's turns, over its sessions, that it says word for word to patients of other cases, too.

    Turns of one or two words count neither way: "I see." fits anybody.
    """
    heard: dict[str, set[str]] = defaultdict(set)
    said = [(e.key.case, _plain(turn.text)) for e in episodes if not e.failed for turn in e.therapist_turns]
    long = [(case, text) for case, text in said if text.count(" ") >= 2] or said
    for case, text in long:
        heard[text].add(case)
    return sum(len(heard[text]) > 1 for _, text in long) / len(long) if long else 0.0


def _plain(text: str) -> str:
    return " ".join(text.lower().split())


NEGLIGIBLE: Final = 1.0
"""Points of 100. All arms meet the same luck, so that even a tenth of a point can be told from zero; it means
nothing."""
MARGIN: Final = 3.0
"""Points of 100 that an arm must move belief beyond the best active arm, with the whole interval."""
MIN_UPTAKE: Final = 0.02
"""Share of content words beyond what fits any patient; a fixed script gets 0."""
MAX_EARLY: Final = 0.10
"""Share of all turns that advised before thought and feeling were told, or challenged before the patient could take
it."""
TOO_EARLY: Final = "too_early"
NOT_SHOWN: Final = "not shown"
NOT_TOLD: Final = "not told"
NOT_TRIED: Final = "not tried"
NOT_ASKED: Final = "cannot be asked"

Pair = tuple[str, int]
Values = Mapping[Pair, float]
"""Of one arm, by (case, seed)."""


@dataclass(frozen=True, slots=True)
class Criterion:
    """One line as it is explained.

    Attributes:
        short: Head of a column.
        title: What it asks.
        bound: What must hold, in words.
        unit: Of its figure.
    """

    id: str
    short: str
    title: str
    bound: str
    unit: str


CRITERIA: Final = (
    Criterion(
        "moves",
        "moves\nbelief",
        "moves belief further than no session does",
        f"whole interval above {NEGLIGIBLE:g} point",
        "points",
    ),
    Criterion(
        "beyond_active",
        "beyond\nactive",
        "goes beyond the best active arm",
        f"whole interval above {MARGIN:g} points",
        "points",
    ),
    Criterion(
        "takes_up",
        "takes\nup",
        "takes up what this patient said",
        f"whole interval above {100 * MIN_UPTAKE:g} % of its words",
        "share",
    ),
    Criterion(
        "tracks",
        "tracks",
        "asked at the end, knows how far the thought is believed",
        "nearer than a guess without listening, whole interval above 0 points",
        "points",
    ),
    Criterion(
        "timing",
        "timing",
        "waits until a turn can land",
        f"too early with advice or a challenge: whole interval up to {100 * MAX_EARLY:g} % of turns",
        "share",
    ),
    Criterion(
        "no_harm",
        "no\nharm",
        "leaves accurate thoughts alone",
        f"whole interval up to {MARGIN:g} points further below the truth than no session",
        "points",
    ),
)
BY_ID: Final = {one.id: one for one in CRITERIA}


@dataclass(frozen=True, slots=True)
class Line:
    """One criterion for one arm.

    Attributes:
        id: Of the criterion.
        interval: Its figure; `n` counts cases.
        holds: True where the whole interval lies on the asked side of the bound, False where it lies on the other; None
            where it holds the bound, so that neither is shown, or where nothing can be told.
        reason: Why it cannot be told, or what beside the figure decided.
        askable: False where the arm cannot be asked at all, which counts neither way.
        tried: False where the arm did nothing by which it could have failed, which counts neither way.
    """

    id: str
    interval: Interval
    holds: bool | None
    reason: str = ""
    askable: bool = True
    tried: bool = True

    @property
    def counts(self) -> bool:
        """Whether a verdict waits for it."""
        return self.askable and self.tried

    @property
    def says(self) -> str:
        """'holds', 'fails', or why it says neither."""
        if self.holds is not None:
            return "holds" if self.holds else "fails"
        if not self.counts:
            return NOT_TRIED if self.askable else NOT_ASKED
        return NOT_TOLD if self.interval.low is None else NOT_SHOWN


NONE = Interval(None, None, None, 0)


@dataclass(frozen=True, slots=True)
class Evidence:
    """What the lines are read from.

    Attributes:
        episodes: All episodes of the run.
        values: Measure → arm → values of regular cases.
        harm: Arm → values of 'harm_below_warranted' in cases with an accurate thought.
        active: Active arms in the run.
        pressed: Arms that advised or challenged at all, early or late.
        run_seed, draws: Of the bootstrap.
    """

    episodes: Sequence[Episode]
    values: Mapping[str, Mapping[str, Values]]
    harm: Mapping[str, Values]
    active: frozenset[str]
    pressed: frozenset[str]
    run_seed: int
    draws: int = 2000

    def of(self, measure: str, arm: str) -> Values:
        return self.values.get(measure, {}).get(arm, {})

    def mean(self, values: Values, *name: str) -> Interval:
        """Mean over cases, seeds within a case drawn together."""
        rng = derive(self.run_seed, "bootstrap", *name)
        cases = [case for case, _ in values]
        return bootstrap_mean(list(values.values()), clusters=cases, rng=rng, draws=self.draws, fewest=MIN_CASES)

    def between(self, ours: Values, theirs: Values) -> Interval:
        """Mean paired difference, same case and seed."""
        return paired_difference(ours, theirs, clusters=case_of)


def lines_of(arm: str, evidence: Evidence) -> tuple[Line, ...]:
    """All six lines of one arm, in their order."""
    moves = _moves(arm, evidence)
    return (
        moves,
        _beyond_active(arm, evidence),
        _takes_up(arm, evidence),
        _tracks(arm, evidence),
        _timing(arm, evidence),
        _no_harm(arm, evidence, moves=moves),
    )


def _moves(arm: str, evidence: Evidence) -> Line:
    reference = evidence.of("conviction_change", REFERENCE)
    if not reference:
        return Line("moves", NONE, None, f"there is no arm {REFERENCE} in this run")
    found = evidence.between(evidence.of("conviction_change", arm), reference)
    return _above("moves", found, NEGLIGIBLE)


def _beyond_active(arm: str, evidence: Evidence) -> Line:
    own = evidence.of("conviction_change", arm)
    others = {name: values for name in evidence.active - {arm} if (values := evidence.of("conviction_change", name))}
    shared = {name: values for name, values in others.items() if own.keys() & values.keys()}
    if not shared:
        missing = "it is the only active arm of this run" if arm in evidence.active else "no active arm in this run"
        other = "rotation" if arm == "worksheet" else "worksheet"
        return Line("beyond_active", NONE, None, f"{missing}; add another, as --therapist {other}")
    best = max(sorted(shared), key=lambda name: sum(shared[name].values()) / len(shared[name]))
    found = evidence.between(own, shared[best])
    line = _above("beyond_active", found, MARGIN)
    return Line(line.id, line.interval, line.holds, line.reason or f"against {best}")


def _takes_up(arm: str, evidence: Evidence) -> Line:
    own = [e for e in evidence.episodes if e.key.therapist == arm]
    found = uptakes(own, derive(evidence.run_seed, "uptake", arm))
    if not found:
        return Line("takes_up", NONE, None, "it needs sessions with two cases or more")
    return _above("takes_up", evidence.mean(found, "uptake", arm), MIN_UPTAKE)


def _tracks(arm: str, evidence: Evidence) -> Line:
    own = [e for e in evidence.episodes if e.key.therapist == arm and e.states and not e.failed]
    answers = {e.key: e.provenance.get(ASKED, {"reason": "it was not asked in this run"}) for e in own}
    told = [e for e in own if "conviction" in answers[e.key]]
    if not told:
        reason = next((str(answer.get("reason")) for answer in answers.values()), "no session was held")
        return Line("tracks", NONE, None, reason, askable=not reason.startswith(NO_DOOR))
    gains: dict[Pair, float] = {}
    for episode in told:
        # The best guess of somebody who knows these patients and did not listen to this one.
        elsewhere = [e.states[-1].held for e in own if e.key.case != episode.key.case]
        if elsewhere:
            held, said = episode.states[-1].held, answers[episode.key]["conviction"]
            gains[episode.key.case, episode.key.seed] = abs(median(elsewhere) - held) - abs(said - held)
    if not gains:
        return Line("tracks", NONE, None, "it needs sessions with two cases or more")
    return _above("tracks", evidence.mean(gains, "tracks", arm), 0.0)


def _timing(arm: str, evidence: Evidence) -> Line:
    early = evidence.of(TOO_EARLY, arm)
    if not early:
        return Line("timing", NONE, None, "no turn of it was coded")
    found = evidence.mean(early, "timing", arm)
    if arm not in evidence.pressed:
        return Line("timing", found, None, "it never advised or challenged", tried=False)
    return _below("timing", found, MAX_EARLY)


def _no_harm(arm: str, evidence: Evidence, *, moves: Line) -> Line:
    """Who moves no belief at all leaves the accurate ones alone without having to."""
    own, alone = evidence.harm.get(arm, {}), evidence.harm.get(REFERENCE, {})
    if not own:
        return Line("no_harm", NONE, None, "no case with an accurate thought in this run")
    if not alone:
        return Line("no_harm", NONE, None, f"there is no arm {REFERENCE} in this run")
    found = evidence.between(own, alone)
    line = _below("no_harm", found, MARGIN)
    if line.holds and not moves.holds:
        why = "it is not shown to move any belief, so leaving an accurate one alone took nothing"
        return Line("no_harm", found, None, why, tried=False)
    return line


def _above(name: str, found: Interval, bound: float) -> Line:
    if found.low is None or found.high is None:
        return Line(name, found, None, f"no interval below {MIN_CASES} cases")
    return Line(name, found, True if found.low > bound else False if found.high <= bound else None)


def _below(name: str, found: Interval, bound: float) -> Line:
    """An upper bound may be judged by the estimate alone where few cases give no interval, and says so."""
    if found.estimate is None:
        return Line(name, found, None, "no case in which it can be told")
    if found.low is None or found.high is None:
        few = "one case" if found.n == 1 else f"{found.n} cases"
        return Line(name, found, found.estimate <= bound, f"{few}: judged by the estimate alone")
    return Line(name, found, True if found.high <= bound else False if found.low > bound else None)


def case_of(session: Pair) -> str:
    """The case of a (case, seed)."""
    return session[0]


def by_arm(items: Iterable[tuple[str, str, int, float]]) -> dict[str, dict[Pair, float]]:
    """(arm, case, seed, value) → arm → values."""
    found: dict[str, dict[Pair, float]] = defaultdict(dict)
    for arm, case, seed, value in items:
        found[arm][case, seed] = value
    return dict(found)
