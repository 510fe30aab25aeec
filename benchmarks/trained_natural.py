"""The packaged model taught turns in natural words: does it move patients whom it has not met, and what does it repeat?

    python benchmarks/trained_natural.py train          # one training on recipes/data/natural_turns.jsonl
    python benchmarks/trained_natural.py held           # loss on the six development cases that training left out
    python benchmarks/trained_natural.py play           # test cases, beside the agent, scripts and no session
    python benchmarks/trained_natural.py shipped        # the same with the arm that picks among drafts, two seeds
    python benchmarks/trained_natural.py battery        # the failure battery, quick form; untrained under the same sampling
    python benchmarks/trained_natural.py lines          # its ten commonest questions as a script, on development cases
    python benchmarks/trained_natural.py lines --run runs/other --arm trained:embedded      # those of another run

The plan, written before the training, is `benchmarks/plans/trained_natural.md`. Everything that plays goes through the commands
that a user has; runs that are there are not made again.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

import polars as pl

from favourite_lines import LINES_FILE
from maieutic.domain.episode import Episode
from maieutic.evaluation.evaluate import read_run
from maieutic.library import select_cases
from maieutic.stats import Interval, paired_difference
from maieutic.training.examples import encoded, read_talks

HERE = Path(__file__).parent
DATA = HERE.parent / "recipes" / "data"
TAUGHT, HELD = DATA / "natural_turns.jsonl", DATA / "natural_turns_held.jsonl"
SETTINGS = "--steps 96 --rank 8 --layers 18 --rate 1e-3 --length 1700".split()
MEASURES = (
    "advice_before_exploration",
    "open_among_asking_turns",
    "turns_that_reflect",
    "words_per_turn",
    "stacked_or_leading",
)
BESIDE = ("wide", "padesky_script", "socratic", "no_session")
SHIPPED = ("trained:embedded", "wide", "padesky_script", "socratic", "no_session")
UNTRAINED = "prompted:embedded"
RESULT = HERE / "results" / "trained_natural.json"
LINES = 10
"""So many of a model's commonest questions are said as a script."""


def played(out: Path, arms: Sequence[str], cases: Sequence[str], *more: str) -> Path:
    """The run folder of the arms; played, or played to its end, where it is not whole."""
    if (out / "manifest.json").exists():
        maieutic("evaluate", "--resume", str(out))
        return out
    names = [word for arm in arms for word in ("--therapist", arm)]
    given = [word for case in cases for word in ("--cases", case)]
    maieutic("evaluate", *names, *given, "--seeds", "1", "--out", str(out), *more)
    return out


def trained(out: Path, data: Path, *settings: str, finish: bool = False) -> Path:
    """The folder of the adapter; with `finish`, of the last checkpoint of a training that was stopped."""
    going_on = [*(["--resume"] if out.exists() else []), *(["--finish"] if finish else [])]
    maieutic("train", "sft", "--data", str(data), *settings, "--out", str(out), *going_on)
    return out


def maieutic(*words: str) -> None:
    subprocess.run([sys.executable, "-m", "maieutic", *words], check=True)


def arms_of(run: Path, wanted: Sequence[str] = MEASURES) -> dict[str, dict[str, Any]]:
    """Of every arm: effect beyond no session, verdict, failures, and the measures of the plan on regular cases."""
    found: dict[str, dict[str, Any]] = {}
    for row in pl.read_parquet(run / "tables" / "arms.parquet").iter_rows(named=True):
        kept = ("verdict", "effect", "low", "high", "fall", "cases", "sessions", "failed")
        found[row["arm"]] = {key: row[key] for key in kept}
    measures = pl.read_parquet(run / "tables" / "measures.parquet").filter(pl.col("group") == "regular")
    for row in measures.iter_rows(named=True):
        if row["measure"] in wanted and row["arm"] in found:
            figures = ("estimate", "low", "high", "cases", "missing")
            found[row["arm"]][row["measure"]] = {key: row[key] for key in figures}
    return found


def beyond(run: Path, arm: str, other: str) -> dict[str, Any]:
    """The difference of two arms over cases, first minus second."""
    table = pl.read_parquet(run / "tables" / "differences.parquet")
    for sign, first, second in ((1, arm, other), (-1, other, arm)):
        rows = table.filter((pl.col("first") == first) & (pl.col("second") == second)).to_dicts()
        if rows:
            ends = [None if rows[0][key] is None else sign * rows[0][key] for key in ("low", "high")][::sign]
            return {"estimate": sign * rows[0]["estimate"], "low": ends[0], "high": ends[1], "cases": rows[0]["cases"]}
    raise LookupError(f"{run} holds no difference of {arm} and {other}")


def held_losses(folders: Sequence[Path]) -> Iterator[tuple[str, float]]:
    """Mean loss a token on the therapist's words in the sessions that were left out: untrained, then of each folder."""
    import torch
    from peft import PeftModel

    from maieutic.training.adapting import load_base

    weights, tokenizer = load_base("embedded")
    rows = [
        {name: torch.tensor([ids]) for name, ids in encoded(tokenizer, row["messages"], 4096).items()}
        for row in read_talks(HELD).rows
    ]

    def loss() -> float:
        total = tokens = 0.0
        with torch.no_grad():
            for given in rows:
                learned = int((given["labels"][:, 1:] >= 0).sum())
                total, tokens = total + float(model(**given).loss) * learned, tokens + learned
        return total / tokens

    model = PeftModel.from_pretrained(weights, folders[0], adapter_name=folders[0].name).eval()
    with model.disable_adapter():
        yield "untrained", loss()
    for folder in folders:
        if folder.name not in model.peft_config:
            model.load_adapter(folder, folder.name)
        model.set_adapter(folder.name)
        yield folder.name, loss()


def said_by(episode: Episode) -> list[str]:
    """What the therapist said, turn by turn."""
    return [turn.text for turn in episode.session.turns if turn.speaker == "therapist"]


def question_of(text: str) -> str:
    """The last sentence that asks, in small letters; empty where none does."""
    asks = [one for one in re.split(r"(?<=[.?!])\s+", text) if one.endswith("?")]
    return " ".join(re.findall(r"[a-z0-9']+", asks[-1].lower())) if asks else ""


def says_thrice(text: str) -> bool:
    """Whether three words in a row come three times or more."""
    words = re.findall(r"[a-z0-9']+", text.lower())
    counted = Counter(zip(words, words[1:], words[2:], strict=False))
    return bool(counted) and max(counted.values()) > 2


def habits(sessions: Sequence[Sequence[str]]) -> dict[str, float]:
    """Shares of turns that ask an own question again, that ask nothing, that say three words thrice; words a turn."""
    turns = sum(map(len, sessions))
    again = sum(
        bool(question_of(text)) and question_of(text) in {question_of(one) for one in said[:place]}
        for said in sessions
        for place, text in enumerate(said)
    )
    flat = [text for said in sessions for text in said]
    return {
        "turns": turns,
        "question_again": again / turns,
        "no_question": sum(not question_of(text) for text in flat) / turns,
        "thrice": sum(map(says_thrice, flat)) / turns,
        "words": sum(len(text.split()) for text in flat) / turns,
        "different_questions": len({question_of(text) for text in flat}) / turns,
    }


def favourites(sessions: Sequence[Sequence[str]]) -> list[str]:
    """The questions that are asked oftenest, as they were first said, the commonest first."""
    counted, first = Counter[str](), dict[str, str]()
    for said in sessions:
        for text in said:
            if asked := question_of(text):
                counted[asked] += 1
                first.setdefault(asked, re.split(r"(?<=[.?!])\s+", text)[-1])
    return [first[asked] for asked, _ in counted.most_common(LINES)]


def regular() -> list[str]:
    """All test cases that stand in arm means."""
    return sorted(case.id for case in select_cases(split="test") if case.special is None)


def sessions_of(run: Path, arm: str) -> list[list[str]]:
    """What an arm said in all sessions of a run."""
    return [said_by(one) for one in read_run(run)[1] if one.key.therapist == arm]


def measured(run: Path) -> dict[str, Any]:
    """What `play` writes."""
    arms = arms_of(run)
    return {
        "arms": arms,
        "habits": {arm: habits(sessions_of(run, arm)) for arm in arms if arm != "no_session"},
        "beyond": {other: beyond(run, "model", other) for other in BESIDE if other != "no_session"},
    }


def falls(runs: Sequence[Path], arm: str) -> dict[str, float]:
    """Points that conviction fell, by case; the mean over runs."""
    found: dict[str, list[float]] = {}
    for one in (episode for run in runs for episode in read_run(run)[1] if episode.key.therapist == arm):
        found.setdefault(one.key.case, []).append(float(one.states[0].held - one.states[-1].held))
    return {case: fmean(values) for case, values in found.items()}


def shipped(runs: Sequence[Path]) -> dict[str, Any]:
    """What `shipped` writes: every seed by itself, and the arm beyond others with its seeds averaged by case."""
    own, others = SHIPPED[0], SHIPPED[1:]
    falls_of = {arm: falls(runs, arm) for arm in SHIPPED}
    said = [one for run in runs for one in sessions_of(run, own)]
    picked = [turn.trace for run in runs for one in read_run(run)[1] for turn in one.session.by("therapist")]
    drafts = [trace for trace in picked if trace and "drafts" in trace]
    return {
        "seeds": [arms_of(run) for run in runs],
        "beyond": {arm: told(paired_difference(falls_of[own], falls_of[arm])) for arm in others},
        "others_beyond_no_session": {
            arm: told(paired_difference(falls_of[arm], falls_of["no_session"])) for arm in others if arm != "no_session"
        },
        "habits": habits(said),
        "drafts_a_turn": fmean(trace["drafts"] for trace in drafts),
    }


def told(found: Interval) -> dict[str, Any]:
    """An interval over cases."""
    return {"estimate": found.estimate, "low": found.low, "high": found.high, "cases": found.n}


def battery(run: Path, families: Sequence[str]) -> dict[str, Any]:
    """What the battery says of the untrained model, asked as the trained one is, and of the trained one; played where it
    is not there."""
    if not (run / "profiles.json").exists():
        who = (f"untrained={HERE / 'untrained_alike.py'}:make", "trained=trained:embedded")
        names = [word for one in who for word in ("--therapist", one)]
        maieutic("gap", *names, "--quick", *(w for one in families for w in ("--family", one)), "--out", str(run))
    kept = ("n", "value", "low", "high")
    return {
        one["therapist"]: {
            profile["family"]: {value["id"]: {key: value[key] for key in kept} for value in profile["values"]}
            for profile in one["profiles"]
        }
        for one in json.loads((run / "profiles.json").read_bytes())
    }


def main() -> None:
    """One part of the plan."""
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("part", choices=("train", "held", "play", "shipped", "battery", "lines"))
    asked.add_argument("--out", type=Path, default=Path("runs/trained-natural"))
    asked.add_argument("--run", type=Path, help="lines: the run to take them from; default: the one of `play`")
    asked.add_argument("--checkpoints", type=Path, help="held: copies of them; a training keeps its last two")
    asked.add_argument("--seeds", type=int, default=2, help="shipped: seeds of whole runs, from 0 on")
    asked.add_argument("--family", action="append", help="battery: only this family; repeat for more")
    asked.add_argument("--arm", default="model", help="lines: whose they are")
    told = asked.parse_args()
    adapter = told.out / "adapter"
    if told.part == "train":
        trained(adapter, TAUGHT, *SETTINGS)
    elif told.part == "held":
        folders = sorted(
            (told.checkpoints or adapter / "checkpoints").glob("*"), key=lambda one: int(one.name.split("-")[1])
        )
        found: dict[str, Any] = {}
        for name, loss in held_losses(folders):
            found[name] = loss
            print(name, f"{loss:.4f}", flush=True)
            _write({"held_loss": found})
    elif told.part == "play":
        found = measured(played(told.out / "test", (f"model=trained:{adapter}", *BESIDE), regular(), "--turns", "20"))
        print(json.dumps(found, indent=1))
        _write(found)
    elif told.part == "shipped":
        runs = [
            played(told.out / f"shipped-{seed}", SHIPPED, regular(), "--turns", "20", "--seed", str(seed))
            for seed in range(told.seeds)
        ]
        alone = played(told.out / "untrained", (UNTRAINED, "no_session"), regular(), "--turns", "20")
        found = {"shipped": shipped(runs), "untrained": arms_of(alone)[UNTRAINED]}
        print(json.dumps(found, indent=1))
        _write(found)
    elif told.part == "battery":
        found = battery(told.out / "gap", told.family or ())
        print(json.dumps(found, indent=1))
        _write({"battery, same sampling": found})
    else:
        out = told.out / f"lines-{told.arm.replace(':', '-')}"
        said = favourites(sessions_of(told.run or told.out / "test", told.arm))
        # Beside the run and not in the result: a run that is gone on with says the lines that it began with.
        beside = out.with_suffix(".json")
        if not beside.exists():
            beside.write_text(json.dumps(said, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        os.environ[LINES_FILE] = str(beside.resolve())
        arms = (f"lines={HERE / 'favourite_lines.py'}:make", "wide", "no_session")
        found = arms_of(played(out, arms, ("dev",), "--turns", "20"))
        _write({f"favourites of {told.arm}": json.loads(beside.read_bytes()), f"lines of {told.arm}": found})
        print(json.dumps(found, indent=1))


def _write(found: dict[str, Any]) -> None:
    """Adds figures to those that are stored."""
    stored = json.loads(RESULT.read_bytes()) if RESULT.exists() else {}
    RESULT.write_text(json.dumps(stored | found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
