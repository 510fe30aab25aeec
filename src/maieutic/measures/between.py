"""What happens between the two speakers, from words alone: who voices an idea first and whether it is taken up, working
alliance from text, and linguistic synchrony: matching of function words (LSM) and entrainment of content (nCLiD).

Synchrony is a known null: it shows no quality in the demonstration sessions measured here. Nothing rests on it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from itertools import pairwise
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from maieutic.errors import ModelUnavailable
from maieutic.language.sentences import content_words, words
from maieutic.measures.coded import CodedTranscript
from maieutic.measures.definition import Finding, Measure, measure, missing
from maieutic.measures.material import Material
from maieutic.reading.encoder import WORDS, numbers, tokenizer
from maieutic.transcripts.utterance import Role

Speaker = Literal["therapist", "client"]
SPEAKERS: tuple[Speaker, ...] = ("therapist", "client")
MIN_IDEAS = 5
_IDEA, _ALLIANCE = "Who voices the idea", "Alliance from text"


@dataclass(frozen=True, slots=True)
class Idea:
    """A content word or a pair of neighbouring content words in its first use.

    Attributes:
        gram: The word, or two words with a space.
        by: Who said it first.
        first: Index of that turn in the source.
        taken_up: Index of the first later turn in which the other speaker says it; None when that never happens.
    """

    gram: str
    by: Role
    first: int
    taken_up: int | None


def ideas(coded: CodedTranscript) -> tuple[Idea, ...]:
    """All words and pairs of the session in the order of their first use."""
    first: dict[str, tuple[Role, int]] = {}
    taken: dict[str, int] = {}
    for turn in coded.turns:
        for gram in _grams(turn.text):
            known = first.setdefault(gram, (turn.speaker, turn.index))
            if known[0] != turn.speaker:
                taken.setdefault(gram, turn.index)
    return tuple(Idea(gram, by, at, taken.get(gram)) for gram, (by, at) in first.items())


@measure(_IDEA, "share of shared ideas", title="Client voices it first")
def client_first_share(given: Material) -> Finding:
    """Of the ideas both come to use, the share the client voiced first.

    Evidence: the turns in which the client voiced them.
    Source: own, after client-authored reframes and Padesky's use of the client's own words.
    Departures: an idea is a content word or a pair of neighbouring ones, counted once; not human-validated.
    Blind to: ideas in other words, whether the idea is a good one, and who talks more: see `client_first_surplus`.
    Validity: no human coding of who voiced an idea is at hand.
    """
    shared = [idea for idea in ideas(given.talk) if idea.taken_up is not None]
    if len(shared) < MIN_IDEAS:
        return missing(_too_few(len(shared)))
    own = [idea for idea in shared if idea.by == "client"]
    return Finding(len(own) / len(shared), _turns(own))


@measure(_IDEA, "difference of shares", title="Client voices it first, beyond talk", span=(-1.0, 1.0))
def client_first_surplus(given: Material) -> Finding:
    """The same less the client's share of all ideas.

    `client_first_share` less the client's share of all ideas, taken up or not. 0 when what the client brings is taken
    up as often as what the therapist brings. Evidence: the turns in which the client voiced the shared ideas. Source:
    own. Departures: none.
    Blind to: as `client_first_share`, without its dependence on who talks more.
    """
    first = client_first_share.function(given)
    if first.value is None:
        return first
    found = ideas(given.talk)
    return Finding(first.value - sum(idea.by == "client" for idea in found) / len(found), first.evidence)


@measure(_IDEA, "share of the client's ideas", title="Client's ideas taken up")
def client_idea_uptake(given: Material) -> Finding:
    """Share of the client's ideas that the therapist comes back to; grows with length.

    Evidence: the therapist turns that take one up.
    Source: own, building on the client's words (Padesky 1993). Departures: words and pairs as in `client_first_share`.
    Blind to: paraphrase; grows with length, since a longer session leaves more time to take up.
    """
    own = [idea for idea in ideas(given.talk) if idea.by == "client"]
    if len(own) < MIN_IDEAS:
        return missing(f"{len(own)} ideas of the client; {MIN_IDEAS} are needed")
    taken = [idea.taken_up for idea in own if idea.taken_up is not None]
    return Finding(len(taken) / len(own), tuple(sorted(set(taken))))


def _grams(text: str) -> Iterator[str]:
    kept = [found for word in words(text) for found in content_words(word)]
    yield from kept
    yield from (f"{one} {two}" for one, two in pairwise(kept))


def _turns(found: Sequence[Idea]) -> tuple[int, ...]:
    return tuple(sorted({idea.first for idea in found}))


def _too_few(count: int) -> str:
    return f"{count} ideas that both speakers use; at least {MIN_IDEAS} are needed"


Dimension = Literal["goal", "task", "bond"]
DIMENSIONS: tuple[Dimension, ...] = ("goal", "task", "bond")
MIN_WORDS_ALLIANCE = 4

ITEMS: Mapping[Dimension, tuple[str, ...]] = {
    "goal": (
        "We both know what we are here to change.",
        "What we are aiming for matters to both of us.",
        "We settled together where this should lead.",
        "We see the same things as worth getting better at.",
    ),
    "task": (
        "What we do in these talks helps with the problem.",
        "Talking like this shows a new side of the matter.",
        "The steps that we chose make sense for this problem.",
        "It is clear to us what to try between now and next time.",
    ),
    "bond": (
        "We trust each other.",
        "We like and respect one another as people.",
        "Even when we disagree there is warmth between us.",
        "I feel understood and taken seriously here.",
    ),
}


def alliance_view(given: Material, speaker: Speaker, dimension: Dimension) -> Finding:
    """Mean cosine of a speaker's turns with the four statements of one dimension.

    Mostly 0 to 0.4. Evidence: the three nearest turns.
    Source: COMPASS (Lin et al. 2025), sentence vectors against items of an alliance inventory. Departures: twelve
    statements in own words, the same for both speakers; MiniLM; turns of four words or more.
    Blind to: denial ("I do not trust you" is near "I trust you"), irony, and everything not put in words about the
    alliance. Not human-validated: no self-reported alliance is at hand here.
    """
    assert given.embedder is not None  # it is needed
    turns = [turn for turn in given.talk.by(speaker) if turn.words >= MIN_WORDS_ALLIANCE]
    if not turns:
        return missing(f"no {speaker} turn of {MIN_WORDS_ALLIANCE} words or more")
    # The embedder keeps the vectors of texts it has seen, so each turn is encoded once for all measures.
    near = (given.embedder([turn.text for turn in turns]) @ given.embedder(ITEMS[dimension]).T).mean(axis=1)
    best = sorted(int(at) for at in np.argsort(-near, kind="stable")[:3])
    return Finding(float(near.mean()), tuple(turns[at].index for at in best))


def alliance_gap(given: Material, dimension: Dimension) -> Finding:
    """The therapist's nearness to a dimension less the client's.

    0 when both are as near. Evidence: none.
    Source: COMPASS's gap between the two sides (Lin et al. 2025). Departures: as `alliance_view`. Blind to: as there.
    """
    own, other = (alliance_view(given, speaker, dimension) for speaker in SPEAKERS)
    if own.value is None or other.value is None:
        return missing(own.reason or other.reason or "")
    return Finding(own.value - other.value)


VIEWS: Mapping[tuple[Speaker, Dimension], Measure] = {
    (speaker, dimension): measure(
        _ALLIANCE,
        "cosine",
        f"How near the {speaker}'s words come to statements of {dimension}.",
        title=f"{dimension.title()}, {speaker}",
        span=(-1.0, 1.0),
        id=f"{speaker}_{dimension}_alliance",
    )(partial(alliance_view, speaker=speaker, dimension=dimension))
    for dimension in DIMENSIONS
    for speaker in SPEAKERS
}
GAPS: Mapping[Dimension, Measure] = {
    dimension: measure(
        _ALLIANCE,
        "difference of cosines",
        "The therapist's nearness less the client's.",
        title=f"{dimension.title()}, gap",
        span=(-2.0, 2.0),
        id=f"{dimension}_alliance_gap",
    )(partial(alliance_gap, dimension=dimension))
    for dimension in DIMENSIONS
}


WINDOW = 3
MIN_WORDS = 50
MIN_WORDS_A_TURN = 5
MIN_PAIRS = 3
MIN_TURNS = 4
MAX_TURNS = 1_000  # of each speaker; beyond that the first ones are read
_LSM_FLOOR = 0.0001
Floats = NDArray[np.float32]
_SYNCHRONY, _RATIO = "Synchrony", "ratio of distances"

CLASSES: Mapping[str, frozenset[str]] = {
    name: frozenset(listed.split())
    for name, listed in {
        "personal pronouns": "i me my mine myself i'm i've i'd i'll you your yours yourself you're you've you'd you'll "
        "he him his himself he's she her hers herself she's we us our ours ourselves we're we've they them their "
        "theirs they're they've",
        "impersonal pronouns": "it its it's itself this that these those that's something anything everything nothing "
        "who whom which what what's someone somebody anyone everyone one other others stuff thing things",
        "articles": "a an the",
        "conjunctions": "and but or nor so because although though while whereas unless until if when then plus also "
        "however",
        "prepositions": "about above across after against along among around at before behind below between beyond by "
        "down during for from in inside into like near of off on onto out over since through to toward towards under "
        "up upon with within without",
        "auxiliary verbs": "am is are was were be been being have has had having do does did will would shall should "
        "can could may might must i'm you're he's she's it's that's we're they're i've you've we've they've i'd i'll "
        "you'll",
        "adverbs": "very really just still even also only too quite again already always never often sometimes maybe "
        "perhaps actually probably usually almost now here there then soon pretty rather",
        "negations": "no not never none nothing neither nor don't doesn't didn't can't couldn't won't wouldn't isn't "
        "aren't wasn't weren't haven't hasn't hadn't shouldn't cannot",
        "quantifiers": "all any both each every few less little lot lots many more most much several some enough "
        "half bit",
    }.items()
}


@measure(_SYNCHRONY, "index", title="Style matching", span=(0.0, 1.0))
def style_matching(given: Material) -> Finding:
    """How alike the two speakers' function words are.

    LSM: how alike the two speakers' rates of nine classes of function words are over the whole session. 1 for equal
    rates. Evidence: none, it is the whole session.
    Source: Niederhoffer and Pennebaker (2002), Ireland and Pennebaker (2010): the mean of 1 - |p - q| / (p + q +
    0.0001).
    Departures: own word lists; a class that neither uses is left out instead of counting as matched. Missing below 50
    words of either. Blind to: who follows whom; grows with length, since rates settle. Known null for quality.
    Validity: known null, its direction differs between the two sets measured here.
    """
    said = {role: [w for turn in given.talk.by(role) for w in words(turn.text)] for role in SPEAKERS}
    fewest = min(map(len, said.values()))
    if fewest < MIN_WORDS:
        return missing(f"{fewest} words of one speaker; {MIN_WORDS} are needed")
    first, second = (_rates(tokens) for tokens in said.values())
    pairs = [(p, q) for p, q in zip(first, second, strict=True) if p + q > 0]
    if not pairs:
        return missing("no function words")
    return Finding(sum(_match(p, q) for p, q in pairs) / len(pairs))


@measure(_SYNCHRONY, "index", title="Therapist follows the client's style", span=(0.0, 1.0))
def therapist_style_following(given: Material) -> Finding:
    """By turn: the therapist keeps the client's function words.

    LSM by turn: how far a therapist turn keeps the function words of the client turn right before it.
    Evidence: none. Source: turn-level matching (Niederhoffer and Pennebaker 2002), in its reciprocal form. Departures:
    mean over the classes that the first turn of a pair uses; both turns need five words; at least three pairs.
    Blind to: what is said.
    """
    return _following(given.talk, "client", "therapist")


@measure(_SYNCHRONY, "index", title="Client follows the therapist's style", span=(0.0, 1.0))
def client_style_following(given: Material) -> Finding:
    """By turn: the client keeps the therapist's function words.

    LSM by turn in the other direction: a client turn after a therapist turn.
    Evidence: none. Source: as `therapist_style_following`. Blind to: what is said.
    """
    return _following(given.talk, "therapist", "client")


@measure(_SYNCHRONY, _RATIO, title="Therapist's distance from the client", span=(0.0, None))
def therapist_entrainment_distance(given: Material) -> Finding:
    """nCLiD: how far the therapist's next turns lie from the client's words; lower is nearer.

    nCLiD with the client as anchor: how near the therapist's next three turns come to what the client said. Lower is
    nearer. Evidence: none.
    Source: Nasir et al. (Interspeech 2019); used for therapy by Kian et al. (NAACL Findings 2025). Least word mover's
    distance to the next three turns, averaged, over the sum of the mean distances within, within, and to later turns.
    Departures: relaxed word mover's distance (the larger of its two one-sided bounds) on the token table of MiniLM in
    place of the exact one on word2vec; all words kept. Missing below four turns of either, with words. Blind to:
    negation and order of words. Known null for quality in this data.
    """
    return _entrainment(given.talk, "client", "therapist")


@measure(_SYNCHRONY, _RATIO, title="Client's distance from the therapist", span=(0.0, None))
def client_entrainment_distance(given: Material) -> Finding:
    """nCLiD: how far the client's next turns lie from the therapist's words; lower is nearer.

    nCLiD with the therapist as anchor: how near the client's next three turns come. Lower is nearer. Evidence: none.
    Source: as `therapist_entrainment_distance`, and so are the departures. Blind to: negation and order of words.
    """
    return _entrainment(given.talk, "therapist", "client")


def relaxed_distances(turns: Sequence[Sequence[str]], vectors: Mapping[str, Floats]) -> Floats:
    """Relaxed word mover's distances between all pairs of turns (Kusner et al. 2015): symmetric, 0 on the diagonal.

    Each word moves whole to the nearest word of the other turn; of the two directions the larger one counts.

    Args:
        turns: Words of each turn; none may be empty.
        vectors: Unit vector by word.
    """
    known = sorted({word for turn in turns for word in turn})
    place = {word: at for at, word in enumerate(known)}
    table = np.array([vectors[word] for word in known], dtype=np.float32)
    between = np.sqrt(np.maximum(2.0 - 2.0 * table @ table.T, 0.0))
    np.fill_diagonal(between, 0.0)
    shares = np.zeros((len(turns), len(known)), dtype=np.float32)
    nearest = np.empty_like(shares)
    for row, turn in enumerate(turns):
        for word, count in Counter(turn).items():
            shares[row, place[word]] = count / len(turn)
        nearest[row] = between[[place[word] for word in set(turn)]].min(axis=0)
    moved = shares @ nearest.T
    return np.asarray(np.maximum(moved, moved.T), dtype=np.float32)


def normalised_distance(distances: Floats, anchor: Sequence[int], other: Sequence[int]) -> float | None:
    """nCLiD from a table of distances between turns.

    Args:
        distances: Distances between all turns, which are numbered in the order of the talk.
        anchor: Places of the turns that lead, in order.
        other: Places of the turns that follow, in order.

    Returns:
        The value, or None when no turn of `other` comes after one of `anchor`, or all distances are 0.
    """
    others = np.asarray(other)
    least: list[float] = []
    later: list[Floats] = []
    for at in anchor:
        following = others[others > at]
        if len(following):
            least.append(float(distances[at, following[:WINDOW]].min()))
            later.append(distances[at, following])
    if not least:
        return None
    scale = _mean_within(distances, anchor) + _mean_within(distances, other) + float(np.concatenate(later).mean())
    return sum(least) / len(least) / scale if scale > 0 else None


def _mean_within(distances: Floats, places: Sequence[int]) -> float:
    inside = distances[np.ix_(places, places)][np.triu_indices(len(places), 1)]
    return float(inside.mean()) if inside.size else 0.0


def _entrainment(coded: CodedTranscript, anchor: Speaker, other: Speaker) -> Finding:
    said = [(turn.speaker, spoken) for turn in coded.turns if (spoken := words(turn.text))][: 2 * MAX_TURNS]
    places: dict[Role, list[int]] = {"therapist": [], "client": [], "other": []}
    for at, (who, _) in enumerate(said):
        places[who].append(at)
    fewest = min(len(places[anchor]), len(places[other]))
    if fewest < MIN_TURNS:
        return missing(f"{fewest} turns with words of one speaker; {MIN_TURNS} are needed")
    try:
        distances = _distances(tuple(spoken for _, spoken in said))
    except ModelUnavailable as error:
        return missing(str(error))
    value = normalised_distance(distances, places[anchor], places[other])
    return Finding(value) if value is not None else missing("no turn follows, or all turns are alike")


# Both directions ask for the table of the same session, one after the other.
@lru_cache(maxsize=2)
def _distances(turns: tuple[tuple[str, ...], ...]) -> Floats:
    known = sorted({word for turn in turns for word in turn})
    return relaxed_distances(turns, dict(zip(known, word_vectors(known), strict=True)))


def _following(coded: CodedTranscript, leader: Speaker, follower: Speaker) -> Finding:
    values: list[float] = []
    for said, reply in coded.pairs(leader, follower):
        first, second = words(said.text), words(reply.text)
        if min(len(first), len(second)) < MIN_WORDS_A_TURN:
            continue
        used = [(p, q) for p, q in zip(_rates(first), _rates(second), strict=True) if p > 0]
        if used:
            values.append(sum(_match(p, q) for p, q in used) / len(used))
    if len(values) < MIN_PAIRS:
        return missing(f"{len(values)} pairs of turns of {MIN_WORDS_A_TURN} words or more; {MIN_PAIRS} are needed")
    return Finding(sum(values) / len(values))


def _rates(tokens: Sequence[str]) -> tuple[float, ...]:
    return tuple(sum(token in listed for token in tokens) / len(tokens) for listed in CLASSES.values())


def _match(p: float, q: float) -> float:
    return 1 - abs(p - q) / (p + q + _LSM_FLOOR)


def word_vectors(words: Sequence[str]) -> NDArray[np.float32]:
    """Unit vectors of words, (n,) → (n, 384): the mean of a word's pieces less the mean of the table, scaled to length
    1.

    Raises:
        ModelUnavailable: the weights of MiniLM are missing or not the pinned ones.
    """
    return np.array([_vector(word) for word in words], dtype=np.float32).reshape(len(words), -1)


@lru_cache(maxsize=50_000)
def _vector(word: str) -> NDArray[np.float32]:
    codes, scales, centre = _table()
    pieces = tokenizer().encode(word, add_special_tokens=False).ids or [0]
    vector = (codes[pieces].astype(np.float32) * scales[pieces]).mean(axis=0) - centre
    return np.asarray(vector / max(float(np.linalg.norm(vector)), 1e-9), dtype=np.float32)


@cache
def _table() -> tuple[NDArray[np.int8], NDArray[np.float32], NDArray[np.float32]]:
    """The table as it is stored: whole numbers, a scale for each row, and the mean of all rows."""
    codes, scales = numbers()[f"{WORDS}_q"], numbers()[f"{WORDS}_scale"]
    centre = (codes.T.astype(np.float32) @ scales[:, 0]) / len(codes)
    return codes, scales, np.asarray(centre, dtype=np.float32)
