"""Exports sessions for human raters: blinded, shuffled, with a code book and a sheet each; the key is kept apart.

What raters are asked stands in items.yaml.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import math
import random
import string
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from maieutic.agreement import Level
from maieutic.errors import InputError
from maieutic.reading.yaml_text import packaged_yaml
from maieutic.runs.files import staged
from maieutic.runs.folder import refuse_file
from maieutic.runs.shown import environment
from maieutic.transcripts.utterance import Transcript, Utterance, out_of_scope

YES = frozenset({"yes", "y", "true", "1"})
NO = frozenset({"no", "n", "false", "0"})


@dataclass(frozen=True, slots=True)
class Item:
    """One thing to rate in a session.

    Attributes:
        id: Column in the sheets.
        title: Name for readers.
        question: What the rater is asked.
        low, high: Range; whole numbers only. A yes/no item runs from 0 to 1.
        level: Level of measurement that agreement is computed at.
        anchors: Values with their meaning; values between two anchors may be used.
        hint: What to heed, and when to leave the cell empty.
        stems: A measure of ours whose id contains one of these is meant to show the same thing, and to rise with it.
    """

    id: str
    title: str
    question: str
    low: int
    high: int
    level: Level
    anchors: tuple[tuple[str, str], ...]
    hint: str
    stems: tuple[str, ...]

    @property
    def yes_no(self) -> bool:
        return self.level == "nominal"

    @property
    def allowed(self) -> str:
        """The values in words."""
        return "yes or no" if self.yes_no else f"a whole number from {self.low} to {self.high}"

    @property
    def column(self) -> str:
        """Header of the column in the sheets."""
        return f"{self.id} (yes/no)" if self.yes_no else f"{self.id} ({self.low}-{self.high})"

    def shows(self, measure: str) -> bool:
        """Whether a measure of ours is meant to show the same thing, by its id."""
        return any(stem in measure for stem in self.stems)


ITEMS: tuple[Item, ...] = tuple(
    Item(**{**one, "anchors": tuple(one["anchors"].items()), "stems": tuple(one["stems"])})
    for one in packaged_yaml("rating", "items.yaml")
)


FORMAT = 1
RATERS_FOLDER = "raters"
KEY_FOLDER = "key"
PAGE = "sessions.html"
MIN_SESSIONS = 20
"""Sessions rated by two raters below which no construct counts as validated by humans."""

WARNING = (
    "Do not hand this folder to raters: it says which session is which and what was measured in it. "
    "Keep it until the sheets are back; without it they cannot be read."
)
READING_SPEED = 200  # words a minute, a slow silent reading
MINUTES_A_SHEET_ROW = 5
_STAGING = ".kit-unfinished"

Measures = Mapping[str, Mapping[str, float | None]]
"""Values by measure, by `session_name` or, where it is unique in the kit, by the id of the session."""


@dataclass(frozen=True, slots=True)
class KitSummary:
    """What was exported.

    Attributes:
        out: Folder of the kit.
        kit: Code of the kit, which every sheet carries.
        sessions: Number of sessions.
        groups: Sessions by group, for the one who exports; nothing of it is in the raters' part.
        sheets: The raters' sheets.
        minutes: Rough time one rater needs.
        left_out: Reasons why sessions could not be drawn, with their counts.
    """

    out: Path
    kit: str
    sessions: int
    groups: tuple[tuple[str, int], ...]
    sheets: tuple[Path, ...]
    minutes: int
    left_out: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class BlindSession:
    """One session as raters see it: a name that says nothing, and the turns with nothing but role, number and text."""

    id: str
    turns: tuple[Utterance, ...]

    @property
    def sha256(self) -> str:
        lines = [self.id, *(f"{turn.index}\t{turn.speaker.capitalize()}\t{turn.text}" for turn in self.turns)]
        return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def session_name(transcript: Transcript) -> str:
    """A name of a session that is unique over several files: source/id."""
    return f"{transcript.source}/{transcript.id}"


def export_kit(
    transcripts: Iterable[Transcript],
    out: Path,
    *,
    number: int,
    rng: random.Random,
    raters: int = 2,
    measures: Measures | None = None,
    redact: Callable[[str], str] | None = None,
) -> KitSummary:
    """Draws sessions and writes a kit: `raters/` to hand out, `key/` to keep.

    Args:
        transcripts: Sessions to draw from; read once, at most `number` of each group are held in memory.
        out: Folder to write; refused when there is a kit in it.
        number: Sessions in the kit, spread over the groups as evenly as they allow.
        rng: Decides the draw, the blind names and the order of each rater.
        raters: Number of sheets, 2 to 26.
        measures: Our values, to be held against the ratings later; they go into the key only.
        redact: Applied to the text of every turn, for example to take names out.
    """
    check_export(out, raters)
    chosen = choose_sessions(transcripts, number, rng=rng)
    return write_kit(chosen, out, rng=rng, raters=raters, measures=measures, redact=redact)


def write_kit(
    chosen: Chosen,
    out: Path,
    *,
    rng: random.Random,
    raters: int = 2,
    measures: Measures | None = None,
    redact: Callable[[str], str] | None = None,
    caveats: Sequence[str] = (),
) -> KitSummary:
    """Writes the kit of sessions that were drawn; see `export_kit`.

    Caveats (for example that a coder was trained on the sessions) go into the key; with one, no measure is validated by
    it.

    Raises:
        InputError: too few or too many raters, measures that cannot be told apart, or a folder that holds a kit.
        StorageError: the folder cannot be written; nothing is left behind.
    """
    check_export(out, raters)
    shuffled = rng.sample(chosen.transcripts, len(chosen.transcripts))
    width = max(2, len(str(len(shuffled))))
    pairs = [(one, _blinded(one, f"K{number:0{width}d}", redact)) for number, one in enumerate(shuffled, start=1)]
    sessions = [blind for _, blind in pairs]
    # Led by letters: a spreadsheet would take some hashes for numbers.
    kit = "kit-" + hashlib.sha256("".join(one.sha256 for one in sessions).encode()).hexdigest()[:8]
    ids = [one.id for one in sessions]
    orders = {name: rng.sample(ids, len(ids)) for name in string.ascii_uppercase[:raters]}
    minutes = round(sum(one.words for one in shuffled) / READING_SPEED) + MINUTES_A_SHEET_ROW * len(shuffled)
    files = {
        PAGE: render("rating_kit.html.j2", kit=kit, sessions=sessions, orders=orders, items=ITEMS),
        "README.txt": render(
            "rating_kit.txt.j2", kit=kit, orders=orders, count=len(ids), time=_time(minutes), items=ITEMS
        ),
        **{sheet_name(rater): _blank_sheet(kit, rater, order) for rater, order in orders.items()},
    }
    key = {
        "warning": WARNING,
        "format": FORMAT,
        "kit": kit,
        "caveats": list(caveats),
        "raters": orders,
        "items": {item.id: [item.low, item.high] for item in ITEMS},
        "files": {name: hashlib.sha256(text.encode()).hexdigest() for name, text in files.items()},
        "sessions": {blind.id: _key_entry(one, blind, shuffled, measures or {}) for one, blind in pairs},
    }
    apart = {
        "key.json": json.dumps(key, indent=1, ensure_ascii=False, allow_nan=False) + "\n",
        "README.txt": WARNING + "\n",
    }
    _store(out, {RATERS_FOLDER: files, KEY_FOLDER: apart})
    groups = Counter(one.group or "no group" for one in shuffled)
    sheets = tuple(out / RATERS_FOLDER / sheet_name(rater) for rater in orders)
    return KitSummary(out, kit, len(ids), tuple(sorted(groups.items())), sheets, minutes, chosen.left_out)


def check_export(out: Path, raters: int) -> None:
    """Refuses a number of raters that has no sheets, and a folder in which there is a kit already."""
    if not 2 <= raters <= len(string.ascii_uppercase):
        raise InputError(f"{raters} raters were asked for; expected 2 to {len(string.ascii_uppercase)}")
    refuse_file(out)
    for name in (RATERS_FOLDER, KEY_FOLDER):
        if (out / name).exists():
            raise InputError(
                f"there is a {name}/ in {out} already, and raters may have written into it; choose another folder"
            )


def sheet_name(rater: str) -> str:
    """File name of a rater's sheet."""
    return f"sheet-{rater}.csv"


def _blinded(one: Transcript, name: str, redact: Callable[[str], str] | None) -> BlindSession:
    turns = [
        Utterance(said.speaker, redact(said.text) if redact else said.text, index=number)
        for number, said in enumerate(one.utterances, start=1)
    ]
    return BlindSession(name, tuple(turns))


def _key_entry(one: Transcript, blind: BlindSession, kit: Sequence[Transcript], measures: Measures) -> dict[str, Any]:
    name = session_name(one)
    if name not in measures and one.id in measures and sum(other.id == one.id for other in kit) > 1:
        raise InputError(f"several sessions are called {one.id!r}; give their measures by source and id ({name!r})")
    values = measures.get(name, measures.get(one.id, {}))
    return {
        "session": one.id,
        "source": one.source,
        "group": one.group,
        "turns": len(one.utterances),
        "words": one.words,
        "sha256": blind.sha256,
        "measures": {
            measure: value if value is not None and math.isfinite(value) else None for measure, value in values.items()
        },
    }


def _blank_sheet(kit: str, rater: str, order: Sequence[str]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow(["kit", "rater", "session", *(item.column for item in ITEMS), "notes"])
    writer.writerows([kit, rater, session, *("" for _ in ITEMS), ""] for session in order)
    return text.getvalue()


def _time(minutes: int) -> str:
    return f"{minutes} minutes" if minutes < 90 else f"{minutes / 60:.0f} hours"


def _store(out: Path, folders: Mapping[str, Mapping[str, str]]) -> None:
    # The key goes first: a kit without its key could never be read back.
    told = "cannot write the rating kit to {} ({})"
    with staged(out, name=_STAGING, first=[KEY_FOLDER], told=told) as staging:
        for folder, files in folders.items():
            (staging / folder).mkdir(parents=True)
            for name, text in files.items():
                (staging / folder / name).write_bytes(text.encode())


def render(name: str, **values: Any) -> str:
    """A page by the name of its template; whatever is put into HTML is escaped, and plain text is not."""
    from jinja2 import select_autoescape

    escapes = select_autoescape(("html.j2",), disabled_extensions=("txt.j2",), default=True)
    pages = environment(Path(__file__).parent / "pages")
    return pages.overlay(autoescape=escapes, keep_trailing_newline=True).get_template(name).render(**values)


@dataclass(frozen=True, slots=True)
class Chosen:
    """Sessions drawn for a kit.

    Attributes:
        transcripts: The sessions drawn, grouped; `write_kit` shuffles them.
        available: Sessions that could have been drawn.
        left_out: Reasons why others could not, with their counts.
    """

    transcripts: tuple[Transcript, ...]
    available: int
    left_out: tuple[tuple[str, int], ...]


def choose_sessions(transcripts: Iterable[Transcript], number: int, *, rng: random.Random) -> Chosen:
    """Draws sessions within scope, as many of one group as of another as far as there are enough.

    Raises:
        InputError: `number` is below 1, or there are fewer sessions than that.
    """
    if number < 1:
        raise InputError(f"a rating kit of {number} sessions was asked for; expected 1 or more")
    pools: dict[str, list[Transcript]] = {}
    seen: Counter[str] = Counter()
    left_out: Counter[str] = Counter()
    for one in transcripts:
        reason = out_of_scope(one)
        if reason is not None:
            left_out[reason] += 1
            continue
        group = one.group or ""
        pool = pools.setdefault(group, [])
        if len(pool) < number:
            pool.append(one)
        elif (place := rng.randrange(seen[group] + 1)) < number:
            pool[place] = one
        seen[group] += 1
    available = sum(seen.values())
    if available < number:
        reasons = "; ".join(f"{count} × {reason}" for reason, count in left_out.most_common(3))
        raise InputError(
            f"a rating kit of {number} sessions was asked for, but only {available} can be rated"
            + (f" (left out: {reasons})" if reasons else "")
            + (f"; ask for at most {available}, or give more transcripts" if available else "; give other transcripts")
        )
    shares = _even_shares({group: len(pool) for group, pool in pools.items()}, number, rng)
    drawn = [one for group in sorted(pools) for one in rng.sample(pools[group], shares[group])]
    return Chosen(tuple(drawn), available, tuple(left_out.most_common()))


def _even_shares(sizes: Mapping[str, int], number: int, rng: random.Random) -> dict[str, int]:
    shares = dict.fromkeys(sizes, 0)
    left = number
    while left:
        open_groups = sorted(group for group, size in sizes.items() if shares[group] < size)
        # What does not divide evenly goes to groups by lot, so that no group's name decides.
        for group in open_groups if len(open_groups) <= left else rng.sample(open_groups, left):
            shares[group] += 1
            left -= 1
    return shares
