"""Every page of `--help`, as it looks on a screen of 80 columns and on one of 60."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from typing import Any

import pytest

from maieutic.cli.main import command_line


def pages(command: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    yield path, command
    for name, one in getattr(command, "commands", {}).items():
        yield from pages(one, (*path, name))


PAGES = dict(pages(command_line()))


def shown(path: tuple[str, ...], columns: int, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("COLUMNS", str(columns))
    command = PAGES[path]
    page: str = command.get_help(command.context_class(command, info_name=" ".join(("maieutic", *path))))
    return page


@pytest.mark.parametrize("path", PAGES, ids=lambda path: " ".join(path) or "maieutic")
def test_every_page_of_help_fits_80_columns_and_60(path: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    for columns in (80, 60):
        page = shown(path, columns, monkeypatch)
        # A single word may be longer than a narrow screen: an address is not broken.
        wide = [line for line in page.splitlines() if len(line) > columns and len(line.split()) > 2]
        assert not wide, wide
        if columns == 80:
            assert all(len(line) <= 80 for line in page.splitlines())


@pytest.mark.parametrize("path", PAGES, ids=lambda path: " ".join(path) or "maieutic")
def test_a_folded_example_says_to_a_shell_what_the_whole_one_says(
    path: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    written = [line for line in (PAGES[path].help or "").splitlines() if line.strip().startswith("maieutic ")]
    typed = shown(path, 60, monkeypatch).replace("\\\n", " ").splitlines()
    read = [shlex.split(line) for line in typed if line.strip().startswith("maieutic ")]
    assert read == [shlex.split(line) for line in written]


def test_there_are_pages_to_look_at() -> None:
    assert len(PAGES) > 20 and ("validate", "coder") in PAGES and ("serve", "openenv") in PAGES
    assert sum("maieutic " in (command.help or "") for command in PAGES.values()) > 15


@pytest.mark.parametrize("group", [path for path, command in PAGES.items() if getattr(command, "commands", None)])
def test_what_a_command_is_for_is_not_cut_off_in_the_list_of_commands(
    group: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "...\n" not in shown(group, 80, monkeypatch).partition("Commands:")[2]
