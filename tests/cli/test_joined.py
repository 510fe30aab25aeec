"""Commands come by entry point, in their order, and one that is called opens no other."""

from __future__ import annotations

import subprocess
import sys

import pytest
from typer.main import get_command

from maieutic import doors
from maieutic.cli.joined import ORDER
from maieutic.cli.main import app
from maieutic.doors import joined, opened
from maieutic.errors import InputError


def test_every_packaged_command_is_joined_in_its_order() -> None:
    assert {*joined("commands")} == {*ORDER}
    assert tuple(get_command(app).list_commands(None)) == ORDER


def test_a_command_opens_no_other() -> None:
    code = (
        "import sys\nsys.argv = ['maieutic', 'measures', '--help']\nfrom maieutic.cli import main\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "print([n for n in sys.modules if n.startswith('maieutic.') and n.endswith('command')], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "[]"
    assert "maieutic measures reflection_rate" in done.stdout


@pytest.mark.parametrize("group", ["commands.patients", "commands.validate", "doors", "reports"])
def test_what_a_wing_brings_can_be_opened(group: str) -> None:
    points = joined(group)
    assert points and all(callable(point.load()) for point in points.values())


def test_an_installation_older_than_its_code_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doors, "entry_points", lambda group: [])
    with pytest.raises(InputError, match=r"names no commands: .* install it again"):
        get_command(app).list_commands(None)
    with pytest.raises(InputError, match=r"names no 'gate\.after'"):
        opened("gate.after")
