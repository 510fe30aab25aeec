"""`maieutic train`: rewards on known minds, preference pairs, and adapters. Only the last need torch."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from maieutic.cli.screen import counted, say, screen
from maieutic.errors import InputError
from maieutic.runs.work import stoppable

if TYPE_CHECKING:
    from maieutic.training.tune import Plan

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Rewards on known minds, preference pairs, and models trained on them.",
)
Run = Annotated[Path, typer.Argument(metavar="RUN", help="A run folder of `maieutic evaluate`.")]
Then = Annotated[str, typer.Option(help="Who holds the session after a turn that is looked at.")]
Window = Annotated[int, typer.Option(help="Turns after it; 0 for the turn alone.")]
Samples = Annotated[int, typer.Option(help="Futures of each reply; all replies meet the same luck.")]


@app.command()
def reward(
    run: Run,
    reward: Annotated[
        list[str] | None,
        typer.Option(
            help="conviction, emotion, warranted, alliance, attributes, multi_turn, or a measure of which one "
            "direction is better; repeat. Default: conviction, emotion, attributes."
        ),
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Folder for reward.json. Default: RUN/reward.")] = None,
    then: Then = "socratic",
    window: Window = 2,
    samples: Samples = 4,
    turns: Annotated[int, typer.Option(help="multi_turn: turns of a session that are looked at.")] = 2,
    seed: Annotated[int, typer.Option(help="multi_turn: seed of the futures.")] = 0,
) -> None:
    """What rewards say of the arms of a run, where two disagree, and what is picked by each.

    Stored sessions are read and no model is called; only multi_turn plays turns on, and takes up where it was stopped.

    \b
    Examples:
      maieutic train reward runs/first
      maieutic train reward runs/first --reward conviction --reward emotion
      maieutic train reward runs/first --reward conviction --reward multi_turn --window 3
    """
    from maieutic.training.printing import print_rewards
    from maieutic.training.rewarded import DEFAULT, reward_run
    from maieutic.training.rewards import LookAhead

    folder = run / "reward" if out is None else out
    ahead = LookAhead(then, window, samples, seed)
    with _Counting("turns", "Every turn looked at is kept; the same command goes on") as counting:
        found = reward_run(run, tuple(dict.fromkeys(reward or DEFAULT)), folder, counting.of, ahead, turns=turns)
    print_rewards(found, screen())
    say(f"\nData: {folder / 'reward.json'}", whole=True)


@app.command()
def pairs(
    run: Run,
    candidate: Annotated[
        list[str] | None,
        typer.Option(
            help="[NAME=]THERAPIST[:MODEL] that says the next turn, beside what was said; repeat. Default: socratic, "
            "wide, warm, advice."
        ),
    ] = None,
    arm: Annotated[list[str] | None, typer.Option(help="Arm of RUN to fork; repeat. Default: all but oracles.")] = None,
    reward: Annotated[
        str, typer.Option(help="What decides at the end of the window; as in `train reward`.")
    ] = "conviction",
    then: Then = "socratic",
    window: Window = 2,
    samples: Samples = 4,
    least: Annotated[float, typer.Option(help="Margin below which two replies are not told apart.")] = 1.0,
    limit: Annotated[int, typer.Option(help="Forks at most; with --resume a larger number makes more.")] = 60,
    seed: Annotated[int, typer.Option(help="Seed of forks and futures.")] = 0,
    out: Annotated[Path, typer.Option(help="Folder for pairs.jsonl.")] = Path("runs/pairs"),
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the pairs in --out.")] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Time two forks, say how long all take, and stop.")
    ] = False,
) -> None:
    """Make preference pairs: one patient's state, several next turns, the best and the worst by playing on.

    Writes pairs.jsonl in TRL's preference format. Cases kept for testing, accurate thoughts and risk are left out.

    \b
    Examples:
      maieutic train pairs runs/first --dry-run
      maieutic train pairs runs/first --out runs/pairs
      maieutic train pairs runs/first --out runs/pairs --resume --limit 200
      maieutic train pairs runs/first --candidate socratic --candidate prompted:embedded
      maieutic train pairs runs/first --reward emotion --out runs/emotion-pairs
    """
    from maieutic.training.pairs import CANDIDATES, PairRequest, make_pairs, plan_pairs, seconds_a_fork
    from maieutic.training.printing import print_pairs
    from maieutic.training.rewards import LookAhead

    ahead = LookAhead(then, window, samples, seed, reward)
    asked = PairRequest(run, tuple(candidate or CANDIDATES), tuple(arm or ()), ahead, least, limit)
    making = plan_pairs(asked)
    if dry_run:
        each = seconds_a_fork(making)
        say(
            f"{len(making.forks)} forks, {each:.1f} s each as timed here: about {each * len(making.forks) / 60:.0f} "
            f"min; model calls at most: {making.calls:,}. Nothing was written."
        )
        return
    with _Counting("forks", _GO_ON.format("Every finished fork", out)) as counting:
        made = make_pairs(making, out, counting.of, resume=resume)
    print_pairs(made, screen())
    say(f"\nPairs: {out / 'pairs.jsonl'}", whole=True)


@app.command()
def counterfactuals(
    run: Run,
    written: Annotated[
        Path, typer.Option(help="File of moments: a good question, and versions worse in one attribute each.")
    ],
    reward: Annotated[str, typer.Option(help="What decides at the end of the window.")] = "conviction",
    then: Then = "padesky_script",
    window: Window = 2,
    samples: Samples = 4,
    seed: Annotated[int, typer.Option(help="Seed of the futures.")] = 0,
    out: Annotated[Path, typer.Option(help="Folder for pairs.jsonl and attributes.json.")] = Path(
        "runs/counterfactuals"
    ),
    resume: Annotated[bool, typer.Option("--resume", help="Go on with what is in --out.")] = False,
) -> None:
    """Play good questions and versions worse in one named attribute: does the better one do more?

    A line of the file: {"moment": "ARM/CASE/SEED/TURN", "patient": last words, "good": ..., "open": ..., ...}.
    Attributes: open, single, clear, not_leading, grounded, timed, answerable, key; and coarse, worse altogether.
    Pairs in which the good question does more go into pairs.jsonl, in TRL's preference format.

    \b
    Examples:
      maieutic train counterfactuals runs/first --written questions.jsonl
      maieutic train counterfactuals runs/first --written questions.jsonl --reward emotion --out runs/felt
    """
    from maieutic.training.counterfactuals import contrast
    from maieutic.training.printing import print_contrasts
    from maieutic.training.rewards import LookAhead

    ahead = LookAhead(then, window, samples, seed, reward)
    with _Counting("moments", _GO_ON.format("Every finished moment", out)) as counting:
        made = contrast(run, written, ahead, out, counting.of, resume=resume)
    print_contrasts(made, screen())
    say(f"\nPairs: {out / 'pairs.jsonl'}", whole=True)


Model = Annotated[str, typer.Option(help="embedded, or the folder of a Hugging Face model.")]
Steps = Annotated[int, typer.Option(help="Optimizer steps; 0 takes each row once.")]
Batch = Annotated[int, typer.Option(help="Rows a step.")]
Rank = Annotated[int, typer.Option(help="Rank of the LoRA.")]
Rate = Annotated[float, typer.Option(help="Learning rate.")]
Length = Annotated[int, typer.Option(help="Tokens of a row at most.")]
Layers = Annotated[int, typer.Option(help="Topmost layers that are adapted; 0 for all.")]
Precision = Annotated[
    str, typer.Option(help="float32 or bfloat16, of the frozen weights; bfloat16 is faster where the CPU knows it.")
]
Seed = Annotated[int, typer.Option(help="Seed of the adapter and of the order of rows.")]
Start = Annotated[Path | None, typer.Option(help="Folder of an adapter to go on from; its rank and layers stay.")]
Resume = Annotated[bool, typer.Option("--resume", help="Go on from the last checkpoint in --out.")]
Finish = Annotated[
    bool, typer.Option("--finish", help="With --resume: make the adapter of the last checkpoint and train no further.")
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Time three steps, say time and memory, and stop.")]


@app.command()
def sft(
    data: Annotated[
        Path,
        typer.Option(
            help="A run folder of `maieutic evaluate`, or a file with talks in TRL's format (`messages` a line)."
        ),
    ],
    arm: Annotated[list[str] | None, typer.Option(help="Arm whose turns are learned; repeat.")] = None,
    keep: Annotated[
        int, typer.Option(help="Sessions of a case at most, those that --reward likes best; 0 for all.")
    ] = 0,
    reward: Annotated[str, typer.Option(help="What --keep goes by; as in `train reward`.")] = "conviction",
    model: Model = "embedded",
    steps: Steps = 0,
    batch: Batch = 1,
    rank: Rank = 8,
    rate: Rate = 2e-4,
    length: Length = 2048,
    layers: Layers = 0,
    precision: Precision = "float32",
    start: Start = None,
    seed: Seed = 0,
    out: Annotated[Path, typer.Option(help="Folder for adapter, card and report.")] = Path("runs/sft"),
    resume: Resume = False,
    finish: Finish = False,
    dry_run: DryRun = False,
) -> None:
    """Teach a model the turns of an arm: a LoRA, with loss on the therapist's words only. Needs the extra `train`.

    Cases kept for testing, accurate thoughts and risk are left out. Play it with `--therapist trained:OUT`.

    \b
    Examples:
      maieutic train sft --data runs/first --arm socratic --dry-run
      maieutic train sft --data runs/first --arm socratic --arm oracle --out runs/sft
      maieutic train sft --data runs/first --arm socratic --arm wide --keep 2 --out runs/best
      maieutic train sft --data talks.jsonl --rank 2 --precision bfloat16 --out runs/talks
      maieutic train sft --data runs/first --arm socratic --out runs/sft --resume
      maieutic evaluate --therapist trained:runs/sft --therapist prompted:embedded --cases test
    """
    from maieutic.training.tune import TuneRequest, plan_tuning

    asked = TuneRequest(
        method="sft", data=data, arms=tuple(arm or ()), keep=keep, reward=reward, batch=batch, length=length,
        model=model, start=start, steps=steps, rank=rank, rate=rate, layers=layers, precision=precision, seed=seed,
    )  # fmt: skip
    tuning = plan_tuning(asked)
    _tune(tuning, out, f"{len(tuning.data.rows)} rows", resume=resume, finish=finish, dry_run=dry_run)


@app.command()
def dpo(
    data: Annotated[Path, typer.Option(help="The pairs.jsonl of `maieutic train pairs`.")],
    model: Model = "embedded",
    steps: Steps = 0,
    batch: Batch = 1,
    rank: Rank = 8,
    rate: Rate = 5e-5,
    length: Length = 2048,
    layers: Layers = 0,
    precision: Precision = "float32",
    start: Start = None,
    seed: Seed = 0,
    out: Annotated[Path, typer.Option(help="Folder for adapter, card and report.")] = Path("runs/dpo"),
    resume: Resume = False,
    finish: Finish = False,
    dry_run: DryRun = False,
) -> None:
    """Teach a model to prefer the chosen turn of each pair (DPO): a LoRA. Needs the extra `train`.

    \b
    Examples:
      maieutic train dpo --data runs/pairs/pairs.jsonl --dry-run
      maieutic train dpo --data runs/pairs/pairs.jsonl --out runs/dpo
      maieutic evaluate --therapist trained:runs/dpo --therapist prompted:embedded --cases test
    """
    from maieutic.training.tune import TuneRequest, plan_tuning

    asked = TuneRequest(
        method="dpo", data=data, batch=batch, length=length,
        model=model, start=start, steps=steps, rank=rank, rate=rate, layers=layers, precision=precision, seed=seed,
    )  # fmt: skip
    tuning = plan_tuning(asked)
    _tune(tuning, out, f"{len(tuning.data.rows)} rows", resume=resume, finish=finish, dry_run=dry_run)


@app.command()
def grpo(
    cases: Annotated[
        list[str] | None,
        typer.Option(help="Patients to play with: ids, YAML files, starter or dev; repeat. Default: dev."),
    ] = None,
    reward: Annotated[
        list[str] | None,
        typer.Option(
            help="NAME or NAME=WEIGHT, as in `train reward`; several are brought to one spread. Default: conviction."
        ),
    ] = None,
    model: Model = "embedded",
    start: Start = None,
    turns: Annotated[int, typer.Option(help="Therapist turns of a session.")] = 8,
    generations: Annotated[int, typer.Option(help="Sessions with one patient, who meets the same luck in all.")] = 4,
    groups: Annotated[int, typer.Option(help="Patients a step.")] = 1,
    seeds: Annotated[int, typer.Option(help="Patients a case.")] = 1,
    steps: Annotated[int, typer.Option(help="Optimizer steps.")] = 50,
    rank: Rank = 8,
    layers: Layers = 0,
    rate: Rate = 1e-4,
    precision: Precision = "float32",
    kl: Annotated[float, typer.Option(help="Weight of the divergence from the start.")] = 0.0,
    temperature: Annotated[float, typer.Option(help="Of the words that are tried.")] = 1.0,
    tokens: Annotated[int, typer.Option(help="Tokens of a reply at most.")] = 40,
    seed: Seed = 0,
    generate: Annotated[
        str, typer.Option(help="Address of a vLLM server that says the turns, such as http://127.0.0.1:8000/v1.")
    ] = "",
    out: Annotated[Path, typer.Option(help="Folder for adapter, card, sessions and report.")] = Path("runs/grpo"),
    resume: Resume = False,
    finish: Finish = False,
    dry_run: DryRun = False,
) -> None:
    """Let a model play whole sessions and learn from what they earned (GRPO): a LoRA. Needs the extra `train`.

    The model itself says every turn, on a CPU a few tokens a second (see --dry-run), or a vLLM server does (--generate,
    which is shown the adapter after every step). Where it never does what is
    rewarded there is nothing to learn from; begin with `train sft` and go on from its folder with --start.

    \b
    Examples:
      maieutic train grpo --start runs/sft --dry-run
      maieutic train grpo --start runs/sft --turns 6 --generations 4 --steps 100 --kl 0.02 --out runs/grpo
      maieutic train grpo --reward conviction --reward emotion=0.5 --cases starter
      maieutic evaluate --therapist trained:runs/grpo --therapist prompted:embedded --cases test
    """
    from maieutic.training.grpo import GrpoRequest, plan_grpo

    asked = GrpoRequest(
        cases=tuple(cases or ("dev",)), rewards=tuple(reward or ("conviction",)), turns=turns, generations=generations,
        groups=groups, seeds=seeds, kl=kl, temperature=temperature, tokens=tokens, generate=generate,
        model=model, start=start, steps=steps, rank=rank, rate=rate, layers=layers, precision=precision, seed=seed,
    )  # fmt: skip
    playing = plan_grpo(asked)
    _tune(playing, out, f"{len(playing.patients)} patients", resume=resume, finish=finish, dry_run=dry_run)


def _tune(tuning: Plan, out: Path, what: str, *, resume: bool, finish: bool, dry_run: bool) -> None:
    from maieutic.training.tune import cost_of, facts_of, tune

    if finish and not resume:
        raise InputError("--finish makes the adapter of a run that was begun: add --resume")
    if dry_run:
        cost = cost_of(tuning)
        say(
            f"{what}, {tuning.steps} steps, {cost.step:.1f} s each as timed here: about "
            f"{cost.whole / 60:.1f} min, {cost.memory:,.0f} MB of memory. Nothing was written."
        )
        return
    with _Counting("steps", _GO_ON.format("The last checkpoint", out)) as counting:
        card = tune(tuning, out, counting.of, resume=resume, finish=finish)
    for name, told in facts_of(card).items():
        say(f"{name}: {told}")
    say(f"\nReport: {out / 'report.html'}\nPlay it: --therapist trained:{out}", whole=True)


_GO_ON = "{} is kept. Go on with the same command and --resume (--out {})"


class _Counting:
    """A bar for a number of things that is known only once everything is read; a Ctrl-C ends with what is kept."""

    def __init__(self, unit: str, kept: str) -> None:
        from contextlib import ExitStack

        self._unit, self._stack = unit, ExitStack()
        self._stack.enter_context(stoppable(lambda: f". {kept}"))

    def __enter__(self) -> _Counting:
        return self

    def __exit__(self, *raised: Any) -> None:
        self._stack.__exit__(*raised)

    def of(self, total: int) -> Callable[[int], None]:
        """Told of every step."""
        return self._stack.enter_context(counted(self._unit, total))
