"""What a model is trained on: sessions of a run, or preference pairs, as messages under the prompt of the arm."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from maieutic.domain.episode import Episode
from maieutic.errors import InputError, UnreadableFile, why
from maieutic.evaluation.evaluate import read_run
from maieutic.evaluation.plan import REFERENCE
from maieutic.models.embedded import without_oldest
from maieutic.prompts import prompt
from maieutic.protocols import Message
from maieutic.training.pairs import OWN_MIND, messages_of, why_not
from maieutic.training.rewards import Reward, reward_named

SYSTEM = "cbt_therapist"
"""The prompt under which `trained:FOLDER` speaks."""
UNTRAINED = -100


@dataclass(frozen=True, slots=True)
class Data:
    """Rows for a trainer.

    Attributes:
        rows: Messages of a session (`messages`), or `prompt`, `chosen` and `rejected`.
        sha256: Of the rows. cases: Their ids. arms: Sessions or chosen turns by who said them.
        left_out: Sessions that are not used, by reason.
    """

    rows: Sequence[Mapping[str, Any]]
    sha256: str
    cases: tuple[str, ...]
    arms: Mapping[str, int]
    left_out: Mapping[str, int]


def read_sessions(run: Path, arms: Sequence[str], *, keep: int = 0, reward: str = "conviction") -> Data:
    """Sessions of a run's arms; an arm that sees the mind only where it is named.

    Args:
        run: Run folder.
        arms: Their names.
        keep: Sessions of a case, those that the reward likes best (best of n); 0 for all.
        reward: As in `train reward`.

    Raises:
        InputError: no such run or arm, or nothing is left.
    """
    _, episodes = read_run(run)
    known = sorted({e.key.therapist for e in episodes} - {REFERENCE})
    if unknown := [arm for arm in arms if arm not in known]:
        raise InputError(f"the run has no arm {unknown[0]!r}; it has {', '.join(known)}")
    if not arms and len(known) != 1:
        raise InputError(f"name the arms to learn from with --arm; the run has {', '.join(known)}")
    found, left = list[Episode](), Counter[str]()
    for one in episodes:
        if one.key.therapist not in (arms or known):
            continue
        reason = why_not(one)
        if reason and not (reason == OWN_MIND and one.key.therapist in arms):
            left[reason] += 1
        else:
            found.append(one)
    if keep:
        found = _best(found, keep, reward_named(reward), left)
    if not found:
        raise InputError(f"no session of {run} can be learned from: {dict(left) or 'it has none of these arms'}")
    rows = [{"messages": [system_message(), *messages_of(one.session)]} for one in found]
    return _data(rows, {one.key.case for one in found}, Counter(one.key.therapist for one in found), left)


def _best(episodes: Sequence[Episode], keep: int, reward: Reward, left: Counter[str]) -> list[Episode]:
    """So many sessions of each case, in the order of the run; ties go to the earlier one."""
    worth = [(reward.of(one), place) for place, one in enumerate(episodes)]
    by_case: dict[str, list[tuple[float, int]]] = {}
    for value, place in worth:
        if value is None:
            left["its reward cannot be had"] += 1
        else:
            by_case.setdefault(episodes[place].key.case, []).append((-value, place))
    kept = sorted(place for own in by_case.values() for _, place in sorted(own)[:keep])
    left["another session of the case was better"] += sum(max(0, len(own) - keep) for own in by_case.values())
    return [episodes[place] for place in kept]


def read_talks(path: Path) -> Data:
    """Talks in TRL's format, `messages` a line. Raises `UnreadableFile`, `InputError` for an empty file."""
    rows, cases, used = [], set[str](), Counter[str]()
    for number, line in _lines(path, "a run folder of `maieutic evaluate` or a file of talks"):
        try:
            row = json.loads(line)
            said = [{"role": m["role"], "content": m["content"]} for m in row["messages"]]
            if not any(m["role"] == "assistant" for m in said):
                raise KeyError
        except (ValueError, KeyError, TypeError) as error:
            raise UnreadableFile(
                f"{path}, line {number}: no talk with messages, one of them the assistant's"
            ) from error
        if said[0]["role"] != "system":
            said.insert(0, dict(system_message()))
        rows.append({"messages": said})
        cases.add(str(row.get("case", "unknown")))
        used[str(row.get("by", "unknown"))] += 1
    if not rows:
        raise InputError(f'{path} holds no talk; a line is {{"messages": [...]}}')
    return _data(rows, cases, used, Counter())


def read_pairs(path: Path) -> Data:
    """Preference pairs in TRL's format. Raises `UnreadableFile`, `InputError` for an empty file."""
    rows, cases, used = [], set[str](), Counter[str]()
    for number, line in _lines(path, "the pairs.jsonl of `maieutic train pairs`"):
        try:
            row = json.loads(line)
            kept = {side: [{"role": m["role"], "content": m["content"]} for m in row[side]] for side in _SIDES}
            if not all(kept.values()):
                raise KeyError
        except (ValueError, KeyError, TypeError) as error:
            raise UnreadableFile(f"{path}, line {number}: no pair with prompt, chosen and rejected messages") from error
        if kept["prompt"][0]["role"] != "system":
            kept["prompt"].insert(0, dict(system_message()))
        rows.append(kept)
        cases.add(str(row.get("case", "unknown")))
        used[str(row.get("chosen_by", "unknown"))] += 1
    if not rows:
        raise InputError(f"{path} holds no pair; make some with `maieutic train pairs`")
    return _data(rows, cases, used, Counter())


def _lines(path: Path, wanted: str) -> list[tuple[int, str]]:
    """The lines with something in them, numbered from 1."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        said = why(error) if isinstance(error, OSError) else "no UTF-8 text"
        raise UnreadableFile(f"{path} cannot be read: {said}; --data names {wanted}") from error
    return [(number, line) for number, line in enumerate(lines, 1) if line.strip()]


_SIDES = ("prompt", "chosen", "rejected")


def system_message() -> Message:
    """The prompt under which everything here is learned, unless a talk brings its own."""
    return {"role": "system", "content": prompt(SYSTEM).text}


def _data(rows: list[dict[str, Any]], cases: set[str], used: Counter[str], left: Counter[str]) -> Data:
    digest = sha256(json.dumps(rows, sort_keys=True).encode()).hexdigest()
    return Data(rows, digest, tuple(sorted(cases)), dict(used), dict(left))


def encoded(tokenizer: Any, messages: Sequence[Mapping[str, str]], length: int) -> dict[str, list[int]]:
    """Token ids of a session, and labels that are the ids on the therapist's own tokens only, its end sign included.

    Turns are tokenised where generation would begin and appended, so that training sees what the model will meet.

    Raises:
        InputError: the tokenizer has no chat template, or one that rewrites what was said before.
    """
    ids: list[int] = []
    labels: list[int] = []
    done = ""

    def add(text: str, *, learned: bool) -> None:
        found = tokenizer(text, add_special_tokens=False)["input_ids"]
        ids.extend(found)
        labels.extend(found if learned else [UNTRAINED] * len(found))

    for place, message in enumerate(messages):
        if message["role"] != "assistant":
            continue
        before = rendered(tokenizer, messages[:place], add_generation_prompt=True)
        whole = rendered(tokenizer, messages[: place + 1])
        if not before.startswith(done) or not whole.startswith(before):
            raise InputError("the chat template of the model rewrites earlier turns; a model that appends is needed")
        add(before[len(done) :], learned=False)
        said, end, rest = whole[len(before) :].partition(tokenizer.eos_token)
        add(said + end, learned=True)
        if rest:
            add(rest, learned=False)
        done = whole
    return {"input_ids": ids[:length], "labels": labels[:length]}


def fitting(tokenizer: Any, row: Mapping[str, Any], length: int) -> dict[str, Any]:
    """A pair whose oldest exchanges are left out until prompt and longer reply fit; the reply is never cut for the
    prompt."""
    asked = list(row["prompt"])
    longest = max(len(tokenizer(row[side][0]["content"])["input_ids"]) for side in ("chosen", "rejected"))
    while len(tokenizer(rendered(tokenizer, asked))["input_ids"]) + longest + 8 > length:
        shorter = without_oldest(asked)
        if len(shorter) == len(asked):
            break
        asked = shorter
    return {**row, "prompt": asked}


def rendered(tokenizer: Any, messages: Sequence[Mapping[str, str]], **how: Any) -> str:
    """The messages as the template of the model writes them. Raises `InputError` where it has none."""
    if not getattr(tokenizer, "chat_template", None):
        raise InputError("the tokenizer of the model has no chat template; take an instruct model")
    return str(tokenizer.apply_chat_template(list(messages), tokenize=False, **how))
