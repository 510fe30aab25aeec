"""The public names of the package as pages, from signatures and docstrings; nothing is run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import griffe

import maieutic

FOLDER = "reference/python"
_GROUPS = {
    "Run and score": ("evaluate", "rescore", "Request", "score_paths", "converse", "Conversation", "Streams"),
    "What a session is": ("Turn", "Session", "Episode", "EpisodeKey", "Ending", "Score", "Move", "TurnCode"),
    "Cases and patients": ("Case", "get_case", "select_cases", "SimulatedPatient", "RuleCoder"),
    "Models": ("load_model", "load_therapist", "ScriptedModel", "MiniLM"),
    "Add your own": ("therapist", "patient", "model", "tracker", "measure"),
    "Errors": ("MaieuticError",),
}


def python_pages(source: Path) -> dict[str, str]:
    """Path of each page -> Markdown; `source` is the folder that holds the package.

    A public name that stands in no group gets a page of its own group, so that none is left out.
    """
    package = griffe.load("maieutic", search_paths=[source], docstring_parser="google")
    named = {name for group in _GROUPS.values() for name in group}
    groups = {**_GROUPS, "More": tuple(sorted(set(maieutic.__all__) - named))}
    return {
        f"{FOLDER}/{title.lower().replace(' ', '_')}.md": _page(title, names, package)
        for title, names in groups.items()
        if names
    }


def _page(title: str, names: tuple[str, ...], package: Any) -> str:
    found = [(name, package[f"{maieutic._HOMES[name]}.{name}"]) for name in names]
    return f"# {title}\n\nAll of these are imported from `maieutic`.\n\n" + "\n".join(
        _entry(name, one) for name, one in found
    )


def _entry(name: str, one: Any) -> str:
    parts = [f"## {name}", _signature(name, one), *_sections(one)]
    if one.is_class:
        parts += _fields(one)
        for method in one.members.values():
            if method.is_function and not method.name.startswith("_"):
                parts += [f"### {name}.{method.name}", _signature(method.name, method), *_sections(method)]
    return "\n\n".join(parts) + "\n"


def _signature(name: str, one: Any) -> str:
    if one.is_function:
        words = str(one.signature(name=name)) if not one.is_class else name
        return f"```pycon\n{words}\n```"
    bases = ", ".join(str(base) for base in one.bases)
    return f"```pycon\nclass {name}({bases})\n```" if bases else f"```pycon\nclass {name}\n```"


def _sections(one: Any) -> list[str]:
    if not one.docstring:
        return []
    return [written for section in one.docstring.parse("google") if (written := _section(section))]


def _section(section: Any) -> str:
    kind = section.kind.value
    if kind == "text":
        return str(section.value)
    if kind in ("parameters", "attributes", "raises", "returns", "yields"):
        rows = "\n".join(_item(item, kind) for item in section.value)
        return f"**{kind.capitalize()}**\n\n{rows}"
    return ""


def _item(item: Any, kind: str) -> str:
    meaning = " ".join(str(item.description).split())
    if kind in ("returns", "yields"):
        return f"- {meaning}"
    name = item.annotation if kind == "raises" else item.name
    return f"- `{name}`: {meaning}"


def _fields(one: Any) -> list[str]:
    rows = [
        f"| `{field.name}` | `{_cell(str(field.annotation))}` | {_default(field)} |"
        for field in one.members.values()
        if field.is_attribute and not field.name.startswith("_") and field.annotation is not None
    ]
    return ["| field | type | default |\n|---|---|---|\n" + "\n".join(rows)] if rows else []


def _default(field: Any) -> str:
    return f"`{_cell(str(field.value))}`" if field.value is not None else ""


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
