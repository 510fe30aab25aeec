"""Builds the documentation site: `python recipes/site/build.py` writes build/site/site/index.html, which opens without a server.

Pages come from docs/; the reference is made from the code while building and is not kept, and so is the wheel that the
site offers. Zensical lays it out. Then the links are followed and foreign loads are looked for; either ends the build with 1.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

import yaml
from assemble import as_toml, gather, navigation
from catalogues import catalogue_pages
from checks import broken_links, foreign_loads
from commands import command_pages
from formats import formats_page
from python_api import python_pages

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
WHEEL = f"maieutic-{version('maieutic')}-py3-none-any.whl"


def reference(root: Path) -> dict[str, str]:
    """Every page that is made from the code: path under the pages -> Markdown."""
    made = {**command_pages(), **python_pages(root / "src"), **catalogue_pages()}
    with tempfile.TemporaryDirectory() as place:
        made["reference/formats.md"] = formats_page(Path(place))
    made |= {"reference/download.md": _DOWNLOAD.format(wheel=WHEEL), "reference/index.md": _overview(made)}
    return {name: _for_readers(text) for name, text in made.items()}


def _for_readers(text: str) -> str:
    """Readers of the site have the wheel that it carries."""
    return text.replace("pip install 'maieutic[", f"pip install './{WHEEL}[")


_DOWNLOAD = """# Download

This site carries the program that it describes: [{wheel}](download/{wheel}) (Apache-2.0), for Python 3.11 or newer.
Put it into a folder of your own and type there:

```text
python3 -m venv env
. env/bin/activate
pip install ./{wheel}
maieutic --version
```

On Windows the second line is `env\\Scripts\\activate`. What it needs besides comes from the package index; afterwards
nothing needs a network.

**maieutic itself is in no package index.** Optional parts are named in brackets, in the folder of the wheel:
`pip install './{wheel}[practice,rank,serve,office]'` brings what serves a class, rates therapists, serves models and reads
Word and Excel.

Commands of these pages that begin with `python recipes/`, `python benchmarks/`, `pytest` or `uv run` need a checkout, which
the wheel is not: ask whoever gave you this site for the folder of the project. `--data` takes public data sets, which their
authors publish and which come with neither ([which](../validation-coder.md)).
"""


def _overview(made: dict[str, str]) -> str:
    commands = "\n".join(
        f"| [`maieutic {Path(name).stem.replace('_', ' ')}`]({Path(name).relative_to('reference')}) | {_first(text)} |"
        for name, text in sorted(made.items())
        if name.startswith("reference/commands/")
    )
    return (
        "# Reference\n\nMade from the code when the site is built, so that it says what this version does.\n\n"
        "| you look for | page |\n|---|---|\n"
        "| a function or class | Python, in the list of pages |\n"
        "| the program itself | [download](download.md) |\n"
        "| the name of a therapist, patient or model | [parts](parts.md) |\n"
        "| a patient | [cases](cases.md) |\n"
        "| what a number means | [measures](../measures.md) |\n"
        "| what a code means | [coding schemes](../coding-schemes.md) |\n"
        "| a column, a key, a file | [file formats](formats.md) |\n\n"
        f"## Commands\n\n| command | does |\n|---|---|\n{commands}\n"
    )


def _first(text: str) -> str:
    prose = text.split("\n\n")[1].replace("\n", " ")
    return prose.split(". ")[0].rstrip(".") + "."


def build(root: Path, place: Path) -> Path:
    """Lay the site out under `place`, which is emptied first; the folder with index.html. Raises `SystemExit` where zensical fails."""
    shutil.rmtree(place, ignore_errors=True)
    pages = place / "pages"
    pages.mkdir(parents=True)
    order = yaml.safe_load((HERE / "nav.yaml").read_text(encoding="utf-8"))
    gather(root, pages, iter(["repository/CHANGELOG.md", "repository/benchmarks/README.md"]))
    for name in ("site.css", "site.js"):
        shutil.copyfile(HERE / name, pages / name)
    shutil.copytree(HERE / "vendored", pages / "vendored")
    for name, text in reference(root).items():
        (pages / name).parent.mkdir(parents=True, exist_ok=True)
        (pages / name).write_text(text, encoding="utf-8")
    for path in pages.rglob("*.md"):
        path.write_text(_for_readers(path.read_text(encoding="utf-8")), encoding="utf-8")
    _run([sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", pages / "reference" / "download"], root)
    config = (HERE / "zensical.toml").read_text(encoding="utf-8")
    filled = config.replace("nav = []", f"nav = {as_toml(navigation(order, pages))}")
    (place / "zensical.toml").write_text(filled, encoding="utf-8")
    _run([Path(sys.executable).with_name("zensical"), "build", "--strict", "-f", "zensical.toml"], place)
    (place / "site" / "404.html").unlink()  # only a server at the root of a host would show it
    for path in (place / "site").rglob("*.html"):  # an empty corner of a table heads nothing
        path.write_text(path.read_text(encoding="utf-8").replace("<th></th>", "<td></td>"), encoding="utf-8")
    return place / "site"


def _run(command: list[str | Path], place: Path) -> None:
    done = subprocess.run(command, cwd=place, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{command[0]} could not build the site:\n{done.stdout}{done.stderr}")


def faults(site: Path) -> Iterator[str]:
    """What is wrong with a built site, one line each."""
    yield from broken_links(site)
    yield from foreign_loads(site)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--out", type=Path, default=ROOT / "build" / "site", help="folder to work in; it is emptied first"
    )
    out = parser.parse_args().out.resolve()
    start = time.monotonic()
    site = build(ROOT, out)
    found = list(faults(site))
    count = len(list(site.rglob("*.html")))
    print(f"{count} pages in {time.monotonic() - start:.0f} s: {site / 'index.html'}")
    if found:
        raise SystemExit("\n".join(found))


if __name__ == "__main__":
    main()
