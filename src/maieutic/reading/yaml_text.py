"""YAML through the loader in C where there is one: the loader in Python takes ten times as long. What it read is made
into plain values in one pass, since most of it is text in lists and mappings."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    import yaml

_TEXT, _LIST, _MAPPING = (f"tag:yaml.org,2002:{kind}" for kind in ("str", "seq", "map"))
_SCALARS: Final = frozenset(f"tag:yaml.org,2002:{kind}" for kind in ("int", "float", "bool", "null", "timestamp"))


class _Odd(Exception):
    """The text holds what only the library makes: merged mappings, keys that are no text, sets, nodes in a circle."""


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

    return yaml.load(text, Loader=_loader())


@cache
def _loader() -> Any:
    import yaml

    class Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
        def construct_document(self, node: Any) -> Any:
            try:
                return self._made(node)
            except (_Odd, RecursionError):
                return super().construct_document(node)

        def _made(self, node: Any) -> Any:
            if node.tag == _TEXT:
                return node.value
            if node.tag == _LIST:
                return [self._made(one) for one in node.value]
            if node.tag == _MAPPING and all(key.tag == _TEXT for key, _ in node.value):
                return {key.value: self._made(one) for key, one in node.value}
            if node.tag in _SCALARS:
                return self.construct_object(node)
            raise _Odd

    return Loader


def yaml_fault(error: yaml.YAMLError | UnicodeDecodeError) -> str:
    """What is wrong with a YAML text and in which line, in one sentence of the parser's."""
    mark = getattr(error, "problem_mark", None)
    problem = getattr(error, "problem", None)
    if mark is None or not problem:
        return " ".join(str(error).split())
    return f"line {mark.line + 1}: {problem}"
