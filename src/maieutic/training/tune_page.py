"""The report and the model card of `maieutic train sft`, `dpo` and `grpo`."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from maieutic.evaluation.findings import NOT_VALIDATED
from maieutic.runs.figures import steps_of
from maieutic.runs.shown import environment

SAMPLES: Final = "sessions.jsonl"
"""Sessions that were played for the reward, a line each."""
CURVES: Final = {
    "reward": "mean reward of the sessions",
    "reward_std": "spread of the reward between sessions with one patient",
    "frac_reward_zero_std": "share of patients whose sessions all earn the same",
    "rewards/asks/mean": "share of turns that ask",
    "rewards/words/mean": "words of a turn",
    "kl": "KL divergence from the start",
    "entropy": "entropy of the next token",
    "loss": "loss",
    "mean_token_accuracy": "share of therapist tokens foretold",
    "grad_norm": "norm of the gradient",
    "learning_rate": "learning rate",
    "rewards/margins": "margin of chosen over rejected",
    "rewards/accuracies": "share of pairs in which chosen is likelier",
}


def read_samples(out: Path) -> list[dict[str, Any]]:
    """The sessions that training played, by step; none where it played none. A step that was played again counts
    once."""
    try:
        lines = (out / SAMPLES).read_text(encoding="utf-8").splitlines()
    except OSError:
        return []
    found = {(row["step"], row["patient"], row["draw"]): row for row in map(json.loads, lines)}
    return [found[key] for key in sorted(found)]


def report(card: Mapping[str, Any], curve: Sequence[Mapping[str, Any]], samples: Sequence[Mapping[str, Any]]) -> str:
    """The page: facts, a curve for everything that the trainer tells, and the first and the last session played."""
    charts = [
        (title, steps_of([(one["step"], one[name]) for one in curve if name in one], title=title))
        for name, title in CURVES.items()
        if any(name in one for one in curve)
    ]
    page = environment(Path(__file__).parent).get_template("tuned.html.j2")
    return page.render(card=card, facts=facts_of(card), charts=charts, samples=_two(samples), caution=caution())


def _two(samples: Sequence[Mapping[str, Any]]) -> list[tuple[str, Mapping[str, Any]]]:
    return [("first", samples[0]), ("last", samples[-1])] if len(samples) > 1 else []


def facts_of(card: Mapping[str, Any]) -> dict[str, str]:
    """What a reader of the card wants to know first."""
    settings = card["settings"]
    told = {
        "Base": f"{card['base'].get('file', card['base']['model'])}, sha256 {card['base']['sha256'][:16]}",
        "Method": f"{card['method']}, LoRA of rank {settings['rank']}, {card['steps_done']} of {card['steps']} steps, "
        f"learning rate {settings['rate']:g}, {settings['precision']}, seed {card['run_seed']}",
        **(_played(card["patients"], settings) if "patients" in card else _learned(card)),
        "Loss": f"{card['loss']['first']:.3f} at the first step, {card['loss']['last']:.3f} at the last",
    }
    if card.get("start"):
        told["Goes on from"] = f"an adapter, sha256 {card['start'][:16]}"
    if "reward" in card:
        told["Reward"] = f"{card['reward']['first']:.3f} at the first step, {card['reward']['last']:.3f} at the last"
    return told | {
        "Files": ", ".join(f"{name} ({size / 1e6:.1f} MB)" for name, size in card["bytes"].items()),
        "Time": f"{card['seconds']:.0f} s",
        "Versions": ", ".join(f"{name} {version}" for name, version in card["versions"].items()),
    }


def _learned(card: Mapping[str, Any]) -> dict[str, str]:
    data = card["data"]
    arms = ", ".join(f"{count} of {arm}" for arm, count in data["arms"].items())
    left = "; ".join(f"{count}: {reason}" for reason, count in data["left_out"].items()) or "none"
    rows = f"{data['rows']} rows ({arms}) of {len(data['cases'])} cases, {card['settings']['batch']} a step"
    return {"Data": f"{rows}; sha256 {card['data_sha256'][:16]}", "Left out": left}


def _played(patients: Mapping[str, Any], settings: Mapping[str, Any]) -> dict[str, str]:
    rewards = ", ".join(f"{name} × {weight:g}" for name, weight in settings["rewards"].items())
    return {
        "Patients": f"{patients['number']} of {len(patients['cases'])} cases; sessions of {settings['turns']} turns, "
        f"{settings['generations']} with each patient, {settings['groups']} patients a step",
        "Rewarded": f"{rewards}; KL × {settings['kl']:g}",
        "Left out": "; ".join(f"{count}: {reason}" for reason, count in patients["left_out"].items()) or "none",
    }


def card_text(card: Mapping[str, Any]) -> str:
    """`model_card.md`."""
    facts = "\n".join(f"- **{name}**: {value}" for name, value in facts_of(card).items())
    return f"# A therapist trained on a simulator\n\n{facts}\n\n{caution()}\n"


def caution() -> str:
    """What the model is not for."""
    return (
        f"For research only: {NOT_VALIDATED}, trained on simulated patients, never to be used with people who seek "
        "help. A loss says how well the turns are copied and nothing of what they do; hold the model against the "
        "untrained one with maieutic evaluate on cases it was not trained on."
    )
