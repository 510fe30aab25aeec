"""Linguistic synchrony: matching of function words (LSM) and entrainment of content (nCLiD), both ways.

Known null: neither shows quality in the demonstration sessions measured here. Nothing rests on them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from maieutic.domain.episode import Score
from maieutic.errors import ModelUnavailable
from maieutic.language.sentences import words
from maieutic.reading.encoder import tokenizer
from maieutic.reading.published import WORDS, numbers
from maieutic.scoring.coded import CodedTranscript
from maieutic.transcripts.utterance import Role

WINDOW = 3
MIN_WORDS = 50
MIN_WORDS_A_TURN = 5
MIN_PAIRS = 3
MIN_TURNS = 4
MAX_TURNS = 1_000  # of each speaker; beyond that the first ones are read
_LSM_FLOOR = 0.0001
Speaker = Literal["therapist", "client"]
Floats = NDArray[np.float32]

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


def style_matching(coded: CodedTranscript) -> Score:
    """LSM: how alike the two speakers' rates of nine classes of function words are over the whole session.

    Unit: index. Range: 0 to 1, 1 for equal rates. Evidence: none, it is the whole session.
    Source: Niederhoffer and Pennebaker (2002), Ireland and Pennebaker (2010): the mean of 1 - |p - q| / (p + q + 0.0001).
    Departures: own word lists; a class that neither uses is left out instead of counting as matched. Missing below 50
    words of either. Blind to: who follows whom; grows with length, since rates settle. Known null for quality.
    """  # noqa: E501
    said = {role: [w for turn in coded.by(role) for w in words(turn.text)] for role in ("therapist", "client")}
    fewest = min(map(len, said.values()))
    if fewest < MIN_WORDS:
        return Score("style_matching", None, "index", f"{fewest} words of one speaker; {MIN_WORDS} are needed")
    first, second = (_rates(tokens) for tokens in said.values())
    pairs = [(p, q) for p, q in zip(first, second, strict=True) if p + q > 0]
    if not pairs:
        return Score("style_matching", None, "index", "no function words")
    return Score("style_matching", sum(_match(p, q) for p, q in pairs) / len(pairs), "index")


def therapist_style_following(coded: CodedTranscript) -> Score:
    """LSM by turn: how far a therapist turn keeps the function words of the client turn right before it.

    Unit: index. Range: 0 to 1. Evidence: none. Source: turn-level matching (Niederhoffer and Pennebaker 2002), in its
    reciprocal form. Departures: mean over the classes that the first turn of a pair uses; both turns need five words;
    at least three pairs. Blind to: what is said.
    """
    return _following("therapist_style_following", coded, "client", "therapist")


def client_style_following(coded: CodedTranscript) -> Score:
    """LSM by turn in the other direction: a client turn after a therapist turn.

    Unit: index. Range: 0 to 1. Evidence: none. Source: as `therapist_style_following`. Blind to: what is said.
    """
    return _following("client_style_following", coded, "therapist", "client")


def therapist_entrainment_distance(coded: CodedTranscript) -> Score:
    """nCLiD with the client as anchor: how near the therapist's next three turns come to what the client said.

    Unit: ratio of distances. Range: 0 upward; lower is nearer. Evidence: none.
    Source: Nasir et al. (Interspeech 2019); used for therapy by Kian et al. (NAACL Findings 2025). Least word mover's
    distance to the next three turns, averaged, over the sum of the mean distances within, within, and to later turns.
    Departures: relaxed word mover's distance (the larger of its two one-sided bounds) on the token table of MiniLM in
    place of the exact one on word2vec; all words kept. Missing below four turns of either, with words. Blind to:
    negation and order of words. Known null for quality in this data.
    """
    return _entrainment("therapist_entrainment_distance", coded, "client", "therapist")


def client_entrainment_distance(coded: CodedTranscript) -> Score:
    """nCLiD with the therapist as anchor: how near the client's next three turns come.

    Unit: ratio of distances. Range: 0 upward; lower is nearer. Evidence: none. Source: as
    `therapist_entrainment_distance`, and so are the departures. Blind to: negation and order of words.
    """
    return _entrainment("client_entrainment_distance", coded, "therapist", "client")


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


def _entrainment(name: str, coded: CodedTranscript, anchor: Speaker, other: Speaker) -> Score:
    said = [(turn.speaker, words(turn.text)) for turn in (*coded.turns,)]
    said = [(who, spoken) for who, spoken in said if spoken][: 2 * MAX_TURNS]
    places: dict[Role, list[int]] = {"therapist": [], "client": [], "other": []}
    for at, (who, _) in enumerate(said):
        places[who].append(at)
    fewest = min(len(places[anchor]), len(places[other]))
    unit = "ratio of distances"
    if fewest < MIN_TURNS:
        return Score(name, None, unit, f"{fewest} turns with words of one speaker; {MIN_TURNS} are needed")
    try:
        distances = _distances(tuple(spoken for _, spoken in said))
    except ModelUnavailable as error:
        return Score(name, None, unit, str(error))
    value = normalised_distance(distances, places[anchor], places[other])
    return Score(name, value, unit, None if value is not None else "no turn follows, or all turns are alike")


# Both directions ask for the table of the same session, one after the other.
@lru_cache(maxsize=2)
def _distances(turns: tuple[tuple[str, ...], ...]) -> Floats:
    known = sorted({word for turn in turns for word in turn})
    return relaxed_distances(turns, dict(zip(known, word_vectors(known), strict=True)))


def _following(name: str, coded: CodedTranscript, leader: Speaker, follower: Speaker) -> Score:
    values: list[float] = []
    for said, reply in zip(coded.turns, coded.turns[1:], strict=False):
        if said.speaker != leader or reply.speaker != follower:
            continue
        first, second = words(said.text), words(reply.text)
        if min(len(first), len(second)) < MIN_WORDS_A_TURN:
            continue
        used = [(p, q) for p, q in zip(_rates(first), _rates(second), strict=True) if p > 0]
        if used:
            values.append(sum(_match(p, q) for p, q in used) / len(used))
    if len(values) < MIN_PAIRS:
        reason = f"{len(values)} pairs of turns of {MIN_WORDS_A_TURN} words or more; {MIN_PAIRS} are needed"
        return Score(name, None, "index", reason)
    return Score(name, sum(values) / len(values), "index")


def _rates(tokens: Sequence[str]) -> tuple[float, ...]:
    return tuple(sum(token in listed for token in tokens) / len(tokens) for listed in CLASSES.values())


def _match(p: float, q: float) -> float:
    return 1 - abs(p - q) / (p + q + _LSM_FLOOR)


_LONGEST_CACHED = 50_000
_vectors: dict[str, NDArray[np.float32]] = {}


def word_vectors(words: Sequence[str]) -> NDArray[np.float32]:
    """Unit vectors of words, (n,) → (n, 384): the mean of a word's pieces less the mean of the table, scaled to length
    1.

    Raises:
        ModelUnavailable: the weights of MiniLM are missing or not the pinned ones.
    """
    if len(_vectors) > _LONGEST_CACHED:
        _vectors.clear()
    for word in words:
        if word not in _vectors:
            _vectors[word] = _vector(word)
    return np.array([_vectors[word] for word in words], dtype=np.float32).reshape(len(words), -1)


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
