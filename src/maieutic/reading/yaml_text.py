"""YAML through the loader in C where there is one: the loader in Python takes ten times as long."""

from __future__ import annotations

from typing import Any


def read_yaml(text: str) -> Any:
    """What a YAML text holds; it cannot run code.

    Raises:
        yaml.YAMLError: the text is no YAML.
    """
    import yaml

    return yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))


__all__ = ["read_yaml"]
