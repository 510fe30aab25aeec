"""The report and the model card of `maieutic train sft` and `dpo`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from maieutic.evaluation.charts import steps_of
from maieutic.evaluation.glossary import NOT_VALIDATED
from maieutic.evaluation.pages import environment

CURVES: Final = {
    "loss": "loss",
    "mean_token_accuracy": "share of therapist tokens foretold",
    "grad_norm": "norm of the gradient",
    "learning_rate": "learning rate",
    "rewards/margins": "margin of chosen over rejected",
    "rewards/accuracies": "share of pairs in which chosen is likelier",
}


def report(card: Mapping[str, Any], curve: Sequence[Mapping[str, Any]]) -> str:
    """The page: facts and a curve for everything that the trainer tells."""
    charts = [
        (title, steps_of([(one["step"], one[name]) for one in curve if name in one], title=title))
        for name, title in CURVES.items()
        if any(name in one for one in curve)
    ]
    page = environment(Path(__file__).parent).get_template("tuned.html.j2")
    return page.render(card=card, facts=facts_of(card), charts=charts, caution=caution())


def facts_of(card: Mapping[str, Any]) -> dict[str, str]:
    """What a reader of the card wants to know first."""
    data, settings = card["data"], card["settings"]
    arms = ", ".join(f"{count} of {arm}" for arm, count in data["arms"].items())
    left = "; ".join(f"{count}: {reason}" for reason, count in data["left_out"].items()) or "none"
    return {
        "Base": f"{card['base'].get('file', card['base']['model'])}, sha256 {card['base']['sha256'][:16]}",
        "Method": f"{card['method']}, LoRA of rank {settings['rank']}, {card['steps']} steps of {settings['batch']}, "
        f"learning rate {settings['rate']:g}, seed {card['run_seed']}",
        "Data": f"{data['rows']} rows ({arms}) of {len(data['cases'])} cases; sha256 {card['data_sha256'][:16]}",
        "Left out": left,
        "Loss": f"{card['loss']['first']:.3f} at the first step, {card['loss']['last']:.3f} at the last",
        "Files": ", ".join(f"{name} ({size / 1e6:.1f} MB)" for name, size in card["bytes"].items()),
        "Time": f"{card['seconds']:.0f} s",
        "Versions": ", ".join(f"{name} {version}" for name, version in card["versions"].items()),
    }


def card_text(card: Mapping[str, Any]) -> str:
    """`model_card.md`."""
    facts = "\n".join(f"- **{name}**: {value}" for name, value in facts_of(card).items())
    return f"# A therapist trained on a simulator\n\n{facts}\n\n{caution()}\n"


def caution() -> str:
    """What the model is not for."""
    return (
        f"For research only: {NOT_VALIDATED}, trained on simulated patients, never to be used with people "
        "who seek help. The loss "
        "says how well the turns are copied and nothing of what they do; hold the model against the untrained one with "
        "maieutic evaluate on cases it was not trained on."
    )


__all__ = ["card_text", "caution", "facts_of", "report"]
