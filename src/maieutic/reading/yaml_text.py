"""YAML through the loader in C where there is one: the loader in Python takes ten times as long."""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import yaml


def packaged_yaml(*parts: str) -> Any:
    """What a YAML file of the package holds, by its folders and its name.

    Raises:
        OSError, yaml.YAMLError: there is none, or it is damaged.
    """
    return read_yaml(files("maieutic").joinpath(*parts).read_text(encoding="utf-8"))


def read_yaml(text: str) -> Any:
    """What a YAML text holds; it cannot run code.

    Raises:
        yaml.YAMLError: the text is no YAML.
    """
    import yaml

    return yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))


def yaml_fault(error: yaml.YAMLError | UnicodeDecodeError) -> str:
    """What is wrong with a YAML text and in which line, in one sentence of the parser's."""
    mark = getattr(error, "problem_mark", None)
    problem = getattr(error, "problem", None)
    if mark is None or not problem:
        return " ".join(str(error).split())
    return f"line {mark.line + 1}: {problem}"
