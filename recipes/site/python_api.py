"""The public names of the package as pages, from signatures and docstrings; nothing is run."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import griffe

import maieutic

FOLDER = "reference/python"
_LONGEST = 80
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
    """How it is called, a parameter a line where one line would be too long."""
    if one.is_function:
        words = str(one.signature(name=name))
        if len(words) > _LONGEST:
            inside = ",\n".join(f"    {part}" for part in _parameters(one))
            words = f"{name}(\n{inside},\n) -> {one.returns}"
    else:
        bases = ", ".join(str(base) for base in one.bases)
        words = f"class {name}({bases})" if bases else f"class {name}"
    return f"```python\n{words}\n```"


def _parameters(one: Any) -> Iterator[str]:
    keyword_only = False
    for each in one.parameters:
        if each.name == "self":
            continue
        if each.kind.name == "keyword_only" and not keyword_only:
            keyword_only = True
            yield "*"
        annotation = f": {each.annotation}" if each.annotation is not None else ""
        default = f" = {each.default}" if each.default is not None else ""
        yield f"{each.name}{annotation}{default}"


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
    name = str(item.annotation).strip("()") if kind == "raises" else item.name
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
