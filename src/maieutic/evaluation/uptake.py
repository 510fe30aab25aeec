"""Whether a therapist takes up what was said: its words come from this patient, and not as well from any other."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from random import Random

from maieutic.domain.episode import Episode
from maieutic.language.sentences import content_words

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
