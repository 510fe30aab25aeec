"""The command line as pages: one a command, from the same texts that `--help` prints."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import typer

from maieutic.cli.main import command_line

FOLDER = "reference/commands"


def command_pages() -> dict[str, str]:
    """Path of each page under the site's pages -> Markdown."""
    return {f"{FOLDER}/{name.replace(' ', '_')}.md": _page(name, command) for name, command in commands()}


def commands() -> Iterator[tuple[str, Any]]:
    """Every command with its full name, without groups."""
    for name, command in sorted(command_line().commands.items()):
        inner = getattr(command, "commands", None)
        if not inner:
            yield name, command
            continue
        if command.invoke_without_command:
            yield name, command
        for part, one in sorted(inner.items()):
            yield f"{name} {part}", one


def first_sentence(text: str) -> str:
    """What stands before the first full stop that ends a line or a sentence."""
    line = text.strip().split("\n\n")[0].replace("\n", " ")
    return line.split(". ")[0].rstrip(".") + "."


def _page(name: str, command: Any) -> str:
    prose, _, examples = (command.help or "").replace("\nExample: ", "\nExamples:\n").partition("\nExamples:\n")
    context = typer.Context(command, info_name=f"maieutic {name}")
    arguments = [one for one in command.params if one.param_type_name == "argument"]
    options = [one for one in command.params if one.param_type_name == "option"]
    parts = [f"# maieutic {name}", prose.replace("\b", "").strip()]
    if examples:
        lines = [line.strip() for line in examples.splitlines() if line.strip()]
        parts += ["## Examples", "```bash\n" + "\n".join(lines) + "\n```"]
    parts += _table("Arguments", arguments, context) + _table("Options", options, context)
    if inner := getattr(command, "commands", None):
        rows = "\n".join(
            f"- [{name} {part}]({name}_{part}.md): {first_sentence(one.help or '')}"
            for part, one in sorted(inner.items())
        )
        parts += ["## Commands", rows]
    return "\n\n".join(part for part in parts if part) + "\n"


def _table(title: str, parameters: list[Any], context: Any) -> list[str]:
    rows = [record for one in parameters if (record := one.get_help_record(context))]
    if not rows:
        return []
    lines = [f"| `{name.replace('|', chr(92) + '|')}` | {_cell(meaning)} |" for name, meaning in rows]
    return [f"## {title}", "| name | meaning |\n|---|---|\n" + "\n".join(lines)]


def _cell(text: str) -> str:
    for sign, written in (("|", "\\|"), ("<", "&lt;"), ("\n", " "), ("*", "\\*")):
        text = text.replace(sign, written)
    return text
