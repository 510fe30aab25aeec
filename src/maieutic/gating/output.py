"""What a gate leaves behind: JUnit for machines, Markdown for people, JSON, and the checklist of a release."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from maieutic.gating.policy import HEADINGS
from maieutic.gating.verdicts import Judged, Verdict, asked
from maieutic.runs.files import write_json, write_whole
from maieutic.safety.handover import DISCLAIMER

MARKS = {"passes": "✔", "fails": "✘", "not shown": "~", "not measured": "?"}
"""As in the verdict of `evaluate`: ~ is left open by these cases."""
SIMULATED = (
    "Patients are simulated: a pass says that the bounds of this policy hold in simulation, not that a release is safe."
)


def write_gate(found: Judged, out: Path) -> None:
    """`junit.xml`, `gate.md`, `checklist.md` and `gate.json`. Raises `StorageError`."""
    write_whole(out / "junit.xml", junit(found))
    write_whole(out / "gate.md", markdown(found).encode())
    write_whole(out / "checklist.md", checklist(found).encode())
    write_json(out / "gate.json", as_json(found))


def verdict(found: Judged) -> str:
    """The answer in one sentence."""
    name = f"{found.therapist} against '{found.policy.name}'"
    if found.passed:
        return f"{name}: passes, all {len(found.verdicts)} rules hold."
    counted = (
        (found.count("fails"), "fails", "fail"),
        (found.count("not shown"), "is not shown", "are not shown"),
        (found.count("not measured"), "was not measured", "were not measured"),
    )
    parts = [f"{count} {one if count == 1 else more}" for count, one, more in counted if count]
    return f"{name}: does not pass; of {len(found.verdicts)} rules {_and(parts)}."


def _and(parts: list[str]) -> str:
    return " and ".join([", ".join(parts[:-1]), parts[-1]]) if len(parts) > 1 else parts[0]


def junit(found: Judged) -> bytes:
    """One test case a rule; what was not measured is an error, what is not shown to hold a failure: neither passes."""
    fails, lacks = found.count("fails") + found.count("not shown"), found.count("not measured")
    counts = {"tests": str(len(found.verdicts)), "failures": str(fails), "errors": str(lacks), "skipped": "0"}
    suites = ElementTree.Element("testsuites", {"name": "maieutic gate", **counts})
    suite = ElementTree.SubElement(suites, "testsuite", {"name": f"{found.policy.name}: {found.therapist}", **counts})
    for one in found.verdicts:
        place = {"classname": f"{found.policy.name}.{one.rule.heading}", "name": one.rule.id, "time": "0"}
        case = ElementTree.SubElement(suite, "testcase", place)
        if one.outcome != "passes":
            kind = "error" if one.outcome == "not measured" else "failure"
            said = ElementTree.SubElement(case, kind, {"message": one.told, "type": one.outcome})
            said.text = f"{one.rule.measure}: {one.told}\n{one.rule.why}\nBound: {one.rule.basis}"
        else:
            ElementTree.SubElement(case, "system-out").text = f"{one.rule.measure}: {one.told}"
    ElementTree.indent(suites)
    text: bytes = ElementTree.tostring(suites, encoding="utf-8", xml_declaration=True)
    return text + b"\n"


def markdown(found: Judged) -> str:
    """A table for a pull request or a job's summary."""
    lines = [
        f"# Gate: {verdict(found)}",
        "",
        f"Stage: {found.policy.stage}. {found.policy.purpose}".rstrip(),
        "",
        SIMULATED,
        "",
    ]
    lines += ["| | heading | rule | measure | found |", "|---|---|---|---|---|"]
    for one in _ordered(found):
        mark = f"{MARKS[one.outcome]} {one.outcome}"
        lines.append(f"| {mark} | {one.rule.heading} | {one.rule.id} | `{measure(one)}` | {_cell(one.told)} |")
    if found.open_headings:
        lines += ["", f"Open: this policy has no rule for {', '.join(found.open_headings)}."]
    if found.policy.assumptions:
        lines += ["", "Assumed, not shown:", "", *(f"- {one}" for one in found.policy.assumptions)]
    return "\n".join([*lines, "", f"Runs: {', '.join(found.runs)}. {DISCLAIMER}", ""])


def checklist(found: Judged) -> str:
    """The release checklist: what the runs answer is ticked, what people must answer is left open."""
    lines = [f"# Release checklist: {found.therapist}, stage {found.policy.stage}", "", SIMULATED, ""]
    for heading in HEADINGS:
        lines += [f"## {heading.capitalize()}", ""]
        own = [one for one in found.verdicts if one.rule.heading == heading]
        for one in own:
            box = "x" if one.outcome == "passes" else " "
            lines += [
                f"- [{box}] **{one.rule.id}** ({one.outcome}): {one.told}",
                f"  {one.rule.why} Bound: {one.rule.basis}",
            ]
        lines += [f"- [ ] *people*: {task.task}" for task in found.policy.tasks if task.heading == heading]
        if not own:
            lines.append("- [ ] open: this policy has no rule here")
        lines.append("")
    return "\n".join([*lines, DISCLAIMER, ""])


def as_json(found: Judged) -> dict[str, Any]:
    """Everything, as data."""
    return {
        "kind": "gate",
        "policy": found.policy.name,
        "stage": found.policy.stage,
        "therapist": found.therapist,
        "runs": list(found.runs),
        "passed": found.passed,
        "open_headings": list(found.open_headings),
        "rules": [
            {**one.rule.model_dump(), "asked": asked(one.rule), "outcome": one.outcome, "told": one.told}
            for one in found.verdicts
        ],
    }


def _ordered(found: Judged) -> list[Verdict]:
    """What stands in the way first."""
    order = ("fails", "not shown", "not measured", "passes")
    return sorted(found.verdicts, key=lambda one: (order.index(one.outcome), HEADINGS.index(one.rule.heading)))


def measure(one: Verdict) -> str:
    """What the rule reads, and on which cases where they are not the regular ones."""
    return one.rule.measure + (f" [{one.rule.cases}]" if one.rule.cases != "regular" else "")


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
