"""The rating kit on the command line: `maieutic score PATH --rating-kit N` out, `maieutic score KIT --ratings SHEET`
back."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from maieutic.cli.screen import counted, say, screen

if TYPE_CHECKING:
    from maieutic.rating.kit import KitSummary
    from maieutic.rating.results import KitResult
    from maieutic.transcripts.source import Source
    from maieutic.transcripts.utterance import Transcript

KIT_FOLDER = Path("runs/rating-kit")


def export_from_paths(
    paths: Sequence[Path],
    number: int,
    *,
    out: Path = KIT_FOLDER,
    columns: Mapping[str, str] | None = None,
    raters: int = 2,
    seed: int = 0,
    redact: Callable[[str], str] | None = None,
    encoding: str | None = None,
) -> KitSummary:
    """Draws sessions from transcripts, measures them, writes the rating kit and says what to do next.

    Args:
        paths: Transcripts in any format that `score` reads.
        number: Sessions in the kit.
        out: Folder of the kit; refused when there is a kit in it.
        columns: Columns and speakers by role, as in `score`.
        raters: Number of sheets.
        seed: Another seed draws other sessions, under other names.
        redact: Applied to every text that raters will see.
        encoding: Of texts that are not UTF-8; found out where it is not given.
    """
    from maieutic.rating.kit import check_export, choose_sessions, write_kit
    from maieutic.transcripts.opening import open_sources

    check_export(out, raters)
    rng = random.Random(seed)
    sources, unread = open_sources(paths, columns, encoding)
    with counted("sessions", sum(source.sessions for source in sources)) as step:
        chosen = choose_sessions(_ticked(sources, step), number, rng=rng)
    measures = _measured(chosen.transcripts)
    caveats = _trained_on(chosen.transcripts)
    summary = write_kit(chosen, out, rng=rng, raters=raters, measures=measures, redact=redact, caveats=caveats)
    _tell_export(
        summary,
        [f"Not read: {one.reason}" for one in unread]
        + [f"Note: {one.name}: {note}" for one in sources for note in one.told],
        caveats,
        redacted=redact is not None,
    )
    return summary


def read_back(folder: Path, sheets: Sequence[Path]) -> KitResult:
    """Reads raters' sheets back into a kit's folder, shows the agreement and says where the rest is."""
    from maieutic.measures.validity import NOT_VALIDATED
    from maieutic.rating.report import PAGE, RESULT, read_kit
    from maieutic.runs.shown import Table

    result = read_kit(folder, sheets)
    rows = []
    for one in result.items:
        single = "–" if one.icc.single.value is None else f"{one.icc.single.value:.2f}"
        told = "yes" if one.human_validated else "no"
        rows.append((one.item.title, str(one.alpha.interval.n), one.alpha.interval.shown(), single, told))
    table = Table(
        f"{result.kit}: raters {', '.join(result.raters)}", ("item", "rated", "alpha", "ICC(2,1)", "validated"), rows
    )
    screen().print(table.on_screen(whole=range(5)))
    lines = [f"{one.item.title}: {NOT_VALIDATED}; {one.reason}." for one in result.items if not one.human_validated]
    lines += [f"Note: {note}." for note in result.notes]
    same = [one for one in result.links if one.same_construct]
    if same:
        following = sum(one.human_validated for one in same)
        lines.append(f"{following} of {len(same)} measures meant to show a rated construct follow the raters.")
    else:
        lines.append(
            "The kit holds no measure meant to show a rated construct, so no measure is compared with its raters."
        )
    lines.append(
        f"Everything is in {folder / PAGE} and {folder / RESULT}; both are unblinded: keep them from raters who have "
        "not finished."
    )
    _print(lines)
    return result


def ask(  # as many as `score` has options for it
    paths: Sequence[Path],
    number: int,
    out: Path | None,
    columns: Mapping[str, str],
    *,
    redact: bool,
    encoding: str | None,
) -> None:
    """`maieutic score --rating-kit`."""
    from maieutic.transcripts.redaction import redact_text

    hide = redact_text if redact else None
    export_from_paths(paths, number, out=out or KIT_FOLDER, columns=columns, redact=hide, encoding=encoding)


def _trained_on(transcripts: Sequence[Transcript]) -> list[str]:
    from maieutic.scoring.given import known_session

    known = Counter(name for one in transcripts if (name := known_session(one)) is not None)
    return [
        f"{count} sessions of the kit are from {name}, which the packaged coder was trained on: our measures look "
        "better beside the ratings than they would on new sessions, so this kit cannot validate them"
        for name, count in known.items()
    ]


def _ticked(sources: Sequence[Source], step: Callable[[int], None]) -> Iterator[Transcript]:
    for source in sources:
        for one in source.read():
            yield one
            step(1)


def _measured(transcripts: Sequence[Transcript]) -> dict[str, dict[str, float | None]]:
    """Our measures of the sessions drawn, by `session_name`."""
    from maieutic.measures.catalogue import scores_of
    from maieutic.measures.coded import code_transcript, packaged_coder
    from maieutic.rating.kit import session_name

    coder = packaged_coder()
    found: dict[str, dict[str, float | None]] = {}
    with counted("sessions", len(transcripts)) as step:
        for one in transcripts:
            scores = scores_of(code_transcript(one, coder))
            found[session_name(one)] = {score.measure: score.value for score in scores}
            step(1)
    return found


def _tell_export(summary: KitSummary, reading: Sequence[str], caveats: Sequence[str], *, redacted: bool) -> None:
    from maieutic.rating.kit import KEY_FOLDER, MIN_SESSIONS, RATERS_FOLDER

    groups = ", ".join(f"{count} {group}" for group, count in summary.groups)
    lines = [f"{summary.sessions} sessions drawn ({groups}), blinded and shuffled; {summary.kit}."]
    lines += [f"Left out: {count} × {reason}" for reason, count in summary.left_out]
    lines += reading
    lines += [f"Note: {note}." for note in caveats]
    if not redacted:
        lines.append(
            "Names, addresses and the like were not taken out of the texts; read them before you hand them on."
        )
    if summary.sessions < MIN_SESSIONS:
        lines.append(f"With fewer than {MIN_SESSIONS} sessions no construct can count as human-validated.")
    sheets = " ".join(f"--ratings {sheet.name}" for sheet in summary.sheets)
    lines += [
        f"Next: give each rater {summary.out / RATERS_FOLDER}/README.txt, sessions.html and one sheet "
        f"(about {summary.minutes / 60:.1f} hours each). Keep {summary.out / KEY_FOLDER} to yourself.",
        f"When the sheets are back: maieutic score {summary.out} {sheets}",
    ]
    _print(lines)


def _print(lines: Sequence[str]) -> None:
    for line in lines:
        say(line, whole=True)
