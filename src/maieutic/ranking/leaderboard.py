"""Gathers a leaderboard from runs: one rating a family, the judge's disagreement, who is not rated, and where it comes
from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from maieutic.comparing.likeness import check_alike
from maieutic.comparing.sources import Source
from maieutic.domain.episode import Episode, EpisodeKey
from maieutic.errors import InputError
from maieutic.evaluation.plan import REFERENCE
from maieutic.evaluation.summary import score_episodes
from maieutic.ranking.battles import FAMILIES, OVERALL, Battle, Card, fight, names_of
from maieutic.ranking.judging import Opinion
from maieutic.ranking.ratings import Board, rate
from maieutic.ranking.swiss import Standing


@dataclass(frozen=True, slots=True)
class Entrant:
    """One name on the board.

    Attributes:
        source: Where its sessions come from. privileged: It sees the case or the state. sessions: How many it played.
        unrated: Why it has no rating; '' where it has one.
    """

    name: str
    source: str
    privileged: bool
    people: bool
    sessions: int
    unrated: str = ""


@dataclass(frozen=True, slots=True)
class Leaderboard:
    """All boards of a set of runs.

    Attributes:
        entrants: Everybody, by name.
        boards: By family; a family without one says why in `without`.
        cards: The battles behind each.
        settled: Tiers that a tournament cut at its own stages; None where they are those of the board.
        opinion: Of the judge, and the board that it would make; None where none was asked or none can be made.
        warnings: What is unequal and was allowed.
    """

    sources: tuple[Source, ...]
    entrants: tuple[Entrant, ...]
    boards: Mapping[str, Board]
    cards: Mapping[str, Card]
    without: Mapping[str, str]
    warnings: tuple[str, ...] = ()
    settled: Standing | None = None
    share: float | None = None
    opinion: Opinion | None = None
    judged: Board | None = None

    @property
    def overall(self) -> Board:
        return self.boards[OVERALL]

    @property
    def tiers(self) -> tuple[tuple[str, ...], ...]:
        """Blocks from the top, as the tournament or the board made them."""
        return self.settled.tiers if self.settled is not None else self.overall.tiers


def gather(sources: Sequence[Source], *, allowed: Sequence[str] = ()) -> Leaderboard:
    """The leaderboard of runs; arms of one name in two runs are told apart by the run.

    Raises:
        InputError: the runs met other patients, there is one therapist only, or groups never met.
    """
    warnings = check_alike(sources, (), allowed)
    episodes = named_episodes(sources)
    names = sorted({key.therapist for key in episodes})
    if len(names) < 2:
        raise InputError(
            f"a leaderboard needs two therapists or more, got {', '.join(names) or 'none'}; add a run with another one"
        )
    scores = score_episodes(list(episodes.values()))
    cards = {family: fight(scores, family) for family in FAMILIES}
    if not cards[OVERALL].battles:
        reasons = "; ".join(f"{reason} ({count})" for reason, count in cards[OVERALL].missing.items())
        raise InputError(
            "no two therapists met on the same patient and seed, so there is no battle"
            + (f": {reasons}" if reasons else "")
        )
    boards: dict[str, Board] = {}
    without: dict[str, str] = {}
    for family, card in cards.items():
        try:
            boards[family] = rate(card.battles)
        except InputError as error:
            if family == OVERALL:
                raise
            without[family] = str(error)
    rated = set(names_of(cards[OVERALL].battles))
    entrants = tuple(_entrant(name, sources, episodes, rated) for name in names)
    return Leaderboard(tuple(sources), entrants, boards, cards, without, warnings)


def named_episodes(sources: Sequence[Source]) -> dict[EpisodeKey, Episode]:
    """All sessions but those of nobody, under the names of the board; people's only where they met the very same
    patient."""
    counts = Counter(name for one in sources for name in one.therapists)
    found: dict[EpisodeKey, Episode] = {}
    for one in sources:
        for episode in one.episodes:
            name = episode.key.therapist
            if name == REFERENCE:
                continue
            key = episode.key._replace(therapist=f"{name} ({one.name})" if counts[name] > 1 else name)
            found[key] = replace(episode, key=key)
    starts = {
        (key.case, key.seed): e.states[0]
        for one in sources
        if not one.people
        for e in one.episodes
        for key in (e.key,)
        if e.states
    }
    people = {name for one in sources if one.people for name in one.therapists}
    return {
        key: e
        for key, e in found.items()
        if key.therapist.partition(" (")[0] not in people
        or not e.states
        or starts.get((key.case, key.seed)) == e.states[0]
    }


def _entrant(name: str, sources: Sequence[Source], episodes: Mapping[EpisodeKey, Episode], rated: set[str]) -> Entrant:
    own = [e for key, e in episodes.items() if key.therapist == name]
    base = name.partition(" (")[0]
    source = next(one for one in sources if name in (base, f"{base} ({one.name})") and base in one.therapists)
    why = "" if name in rated else _why_not(own)
    privileged = any(e.provenance.get("privileged") for e in own)
    return Entrant(name, source.name, privileged, source.people, len(own), why)


def _why_not(own: Sequence[Episode]) -> str:
    if not any(e.states for e in own):
        return "its sessions have no hidden state, so that no battle can be decided"
    return "it met no patient that another therapist met"


def with_opinion(found: Leaderboard, opinion: Opinion) -> Leaderboard:
    """The same with a judge's second opinion beside it."""
    try:
        judged = rate(opinion.battles)
    except InputError:
        judged = None
    return replace(found, opinion=opinion, judged=judged)


def contested(found: Leaderboard, most: int) -> list[Battle]:
    """The battles for a judge, spread over pairs and patients: neighbours on the board first, `most` at the most."""
    near = {frozenset((step.upper, step.lower)) for step in found.overall.steps}
    cards = found.cards[OVERALL].battles
    ordered = sorted(
        cards, key=lambda b: (frozenset((b.first, b.second)) not in near, b.seed, b.case, b.first, b.second)
    )
    return ordered[:most]
