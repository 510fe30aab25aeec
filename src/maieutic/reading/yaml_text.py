"""YAML through the loader in C where there is one: the loader in Python takes ten times as long. What it parses becomes
plain values at once, without the library's nodes, which take more than half as long again; most of it is text in lists
and mappings."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    import yaml

_SCALARS: Final = frozenset(f"tag:yaml.org,2002:{kind}" for kind in ("int", "float", "bool", "null", "timestamp"))


class _Odd(Exception):
    """The text holds what only the library makes: merged mappings, keys that are no text, sets, tags, anchors."""


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

    loader = _loader()(text)
    try:
        return loader.whole()
    except (_Odd, RecursionError):
        return yaml.load(text, Loader=_loader())
    finally:
        loader.dispose()


@cache
def _loader() -> Any:
    import yaml

    class Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
        def whole(self) -> Any:
            """The one document of the text, made as it is parsed; the library makes nodes of it first."""
            self.get_event()
            if not isinstance(self.get_event(), yaml.DocumentStartEvent):
                raise _Odd
            made = self._made(self.get_event())
            self.get_event()
            if not isinstance(self.get_event(), yaml.StreamEndEvent):
                raise _Odd
            return made

        def _made(self, event: Any) -> Any:
            kind = type(event)
            if kind is yaml.AliasEvent or event.anchor is not None or event.tag is not None:
                raise _Odd
            if kind is yaml.ScalarEvent:
                return self._scalar(event) if event.implicit[0] else event.value
            if kind is yaml.SequenceStartEvent:
                listed = []
                while type(event := self.get_event()) is not yaml.SequenceEndEvent:
                    listed.append(self._made(event))
                return listed
            made = {}
            while type(event := self.get_event()) is not yaml.MappingEndEvent:
                key = self._made(event)
                if not isinstance(key, str):
                    raise _Odd
                made[key] = self._made(self.get_event())
            return made

        def _scalar(self, event: Any) -> Any:
            """What is written without quotes: text, unless it looks like something else."""
            for tag, looks in self.yaml_implicit_resolvers.get(event.value[:1], ()):
                if looks.match(event.value):
                    if tag not in _SCALARS:
                        raise _Odd
                    return self.construct_object(yaml.ScalarNode(tag, event.value))
            return event.value

    return Loader


def yaml_fault(error: yaml.YAMLError | UnicodeDecodeError) -> str:
    """What is wrong with a YAML text and in which line, in one sentence of the parser's."""
    mark = getattr(error, "problem_mark", None)
    problem = getattr(error, "problem", None)
    if mark is None or not problem:
        return " ".join(str(error).split())
    return f"line {mark.line + 1}: {problem}"
