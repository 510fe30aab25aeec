"""`maieutic patients import`: published profiles become drafts of cases."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from maieutic.cli.screen import say


def import_profiles(
    path: Annotated[Path, typer.Argument(help="A JSON file with published profiles.")],
    source: Annotated[
        str | None, typer.Option(help="patient_psi, patienthub or eeyore; told by the content when left out.")
    ] = None,
    out: Annotated[Path, typer.Option(help="Folder for the drafts.")] = Path("imported"),
    fill: Annotated[
        bool, typer.Option("--fill", help="Fill what the source lacks by rule, so that the cases can be played.")
    ] = False,
) -> None:
    """Turn published patient profiles into drafts of cases, and say what each lacks.

    Example: maieutic patients import profiles.json --out imported --fill
    """
    from maieutic.importing.profiles import filled, read_profiles, write_drafts

    profiles = read_profiles(path, source)
    written = {file.stem: file for file in write_drafts(profiles, out, fill=fill)}
    for profile in profiles:
        if profile.refused:
            text = f"{profile.name} ({profile.source}): left out, no case can be made of it: {profile.refused}"
            say(text, whole=True)
            continue
        name = profile.draft["id"]
        text = (
            f"{profile.name} ({profile.source}) -> {written[name]}: {len(profile.missing)} required parts are "
            "not in the source"
        )
        say(text, whole=True)
        for gap in profile.missing:
            say(f"  {gap.field}: {gap.expected}. Why: {gap.why}", whole=True)
        for note in profile.notes:
            say(f"  note: {note}", whole=True)
        if fill:
            names = filled(profile)[1]
            say(f"  filled by rule, not from the source ({len(names)}): {', '.join(names)}", whole=True)
    end = "they can be played" if fill else "replace every TODO, then: maieutic patients check " + str(out)
    say(f"{len(written)} of {len(profiles)} profiles written; {end}", whole=True)
