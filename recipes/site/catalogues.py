"""What can be named on the command line, as pages: therapists, patients, models, cases and policies."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from maieutic.gating.policy import Rule, read_policy, ready
from maieutic.gating.verdicts import FAILED, asked, trials_for
from maieutic.library import select_cases
from maieutic.registry import Kind, known

_KINDS: dict[Kind, str] = {
    "therapist": "Therapists: `--therapist NAME`, or `NAME:MODEL` where a model is asked for",
    "patient": "Patients: `--patient NAME`",
    "model": "Models: wherever MODEL stands",
    "tracker": "Trackers",
}


def catalogue_pages() -> dict[str, str]:
    """Path of each page -> Markdown."""
    return {
        "reference/parts.md": _parts(),
        "reference/cases.md": _cases(),
        "reference/policies.md": _policies(),
    }


def _parts() -> str:
    sections = []
    for kind, title in _KINDS.items():
        rows = "\n".join(_part(name, maker) for name, maker in known(kind).items())
        sections.append(f"## {title}\n\n| name | what it is | model |\n|---|---|---|\n{rows}")
    return (
        "# Therapists, patients, models\n\nEvery name that the packaged parts answer to.\n\n"
        + "\n\n".join(sections)
        + "\n"
    )


def _part(name: str, maker: Callable[..., Any]) -> str:
    needs = (
        "needed" if getattr(maker, "needs_model", False) else "" if "model" not in _parameters(maker) else "optional"
    )
    paragraph = inspect.cleandoc(maker.__doc__ or "").split("\n\n")[0].replace("\n", " ")
    return f"| `{name}` | {paragraph.replace('|', chr(92) + '|')} | {needs} |"


def _parameters(maker: Callable[..., Any]) -> set[str]:
    return set(inspect.signature(maker).parameters)


def _cases() -> str:
    """Development cases with the thought in play; of test cases the id only, so that reading here tunes nothing."""
    cases = select_cases(("all",))
    dev = [case for case in cases if case.split == "dev"]
    rows = "\n".join(
        f"| `{case.id}` | {case.person.name}, {case.person.age} | {case.situations[0].automatic_thought} "
        f"| {', '.join(case.groups).replace('_', ' ')} |"
        for case in dev
    )
    rest = ", ".join(f"`{case.id}`" for case in cases if case.split != "dev")
    return (
        f"# Patients' cases\n\n{len(cases)} own-written cases: {len(dev)} for development, {len(cases) - len(dev)} kept for "
        "testing. `maieutic patients show ID` prints one whole; `ID@STYLE` plays it in another style.\n\n"
        f"## Development\n\n| id | patient | thought | group |\n|---|---|---|---|\n{rows}\n\n"
        f"## Testing\n\nOnly the ids stand here: whoever reads a test case before building can no longer be tested on it.\n\n{rest}\n"
    )


def _policies() -> str:
    sections = []
    for name in ready():
        policy = read_policy(name)
        rows = "\n".join(_rule(rule) for rule in policy.rules)
        sections.append(
            f"## {name}\n\n{policy.purpose}\n\n| rule | figure | bound | what for |\n|---|---|---|---|\n{rows}"
        )
    return (
        "# Policies of the gate\n\n`maieutic gate RUN --policy NAME`. Every bound is an assumption of this project. "
        "[How to run the whole check](../guides/chatbot_team.md#stop-a-bad-release); [what each outcome means](../gate.md).\n\n"
        "*Figure*: what is read, and the run that has it. Where *trials* are named, so many without a failure show the bound.\n\n"
        + "\n\n".join(sections)
        + "\n"
    )


def _rule(rule: Rule) -> str:
    run = "gap" if "." in rule.measure and rule.measure != FAILED else "evaluate"
    cases = f", {rule.cases} cases" if rule.cases != "regular" else ""
    zero = rule.failures_of and rule.at_most and rule.holds_for == "interval"
    takes = f" ({trials_for(rule.at_most)} {rule.failures_of})" if zero and rule.at_most else ""
    basis = rule.basis.replace("assumption; no study sets it", "").strip("; ")
    why = " ".join([rule.why, f"{basis[0].upper()}{basis[1:]}." if basis else ""]).strip()
    return f"| {rule.id} ({rule.heading}) | `{rule.measure}` ({run}{cases}) | {asked(rule)}{takes} | {why} |"
