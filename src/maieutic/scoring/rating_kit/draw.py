"""Draws the sessions of a rating kit: from thousands in one pass, as even over the groups as they allow."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from maieutic.errors import InputError
from maieutic.transcripts.scope import out_of_scope
from maieutic.transcripts.utterance import Transcript


@dataclass(frozen=True, slots=True)
class Chosen:
    """Sessions drawn for a kit.

    Attributes:
        transcripts: The sessions drawn, grouped; `write_kit` shuffles them.
        available: Sessions that could have been drawn.
        left_out: Reasons why others could not, with their counts.
    """

    transcripts: tuple[Transcript, ...]
    available: int
    left_out: tuple[tuple[str, int], ...]


def choose_sessions(transcripts: Iterable[Transcript], number: int, *, rng: random.Random) -> Chosen:
    """Draws sessions within scope, as many of one group as of another as far as there are enough.

    Raises:
        InputError: `number` is below 1, or there are fewer sessions than that.
    """
    if number < 1:
        raise InputError(f"a rating kit of {number} sessions was asked for; expected 1 or more")
    pools: dict[str, list[Transcript]] = {}
    seen: Counter[str] = Counter()
    left_out: Counter[str] = Counter()
    for one in transcripts:
        reason = out_of_scope(one)
        if reason is not None:
            left_out[reason] += 1
            continue
        group = one.group or ""
        pool = pools.setdefault(group, [])
        if len(pool) < number:
            pool.append(one)
        elif (place := rng.randrange(seen[group] + 1)) < number:
            pool[place] = one
        seen[group] += 1
    available = sum(seen.values())
    if available < number:
        reasons = "; ".join(f"{count} × {reason}" for reason, count in left_out.most_common(3))
        raise InputError(
            f"a rating kit of {number} sessions was asked for, but only {available} can be rated"
            + (f" (left out: {reasons})" if reasons else "")
            + (f"; ask for at most {available}, or give more transcripts" if available else "; give other transcripts")
        )
    shares = _even_shares({group: len(pool) for group, pool in pools.items()}, number, rng)
    drawn = [one for group in sorted(pools) for one in rng.sample(pools[group], shares[group])]
    return Chosen(tuple(drawn), available, tuple(left_out.most_common()))


def _even_shares(sizes: Mapping[str, int], number: int, rng: random.Random) -> dict[str, int]:
    shares = dict.fromkeys(sizes, 0)
    left = number
    while left:
        open_groups = sorted(group for group, size in sizes.items() if shares[group] < size)
        # What does not divide evenly goes to groups by lot, so that no group's name decides.
        for group in open_groups if len(open_groups) <= left else rng.sample(open_groups, left):
            shares[group] += 1
            left -= 1
    return shares
