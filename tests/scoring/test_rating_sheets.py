"""Reading raters' sheets back: agreement, links to measures, and every kind of bad sheet."""

from __future__ import annotations

import csv
import json
import random
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from own_sessions import annomi_file
from rating_kits import export, fill, key_of, read, save, sessions, simulated

from maieutic.errors import InputError, UnreadableFile
from maieutic.rating import command as rating
from maieutic.rating import results as rating_kit_results
from maieutic.rating.kit import ITEMS, choose_sessions, export_kit, session_name, write_kit
from maieutic.rating.report import read_kit


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rating_kit_results, "DRAWS", 200)
    monkeypatch.setattr(rating_kit_results, "LINK_DRAWS", 200)


def test_raters_who_agree_validate_the_construct_and_a_measure_that_follows(tmp_path: Path) -> None:
    out = tmp_path / "kit"
    pool = sessions(40)
    rng = random.Random(2)
    hidden = {one.id: rng.random() for one in pool}
    measures = {
        name: {
            "guided_discovery_proxy": value,
            "guided_discovery_rare": None if value > 0.4 else value,
            "guided_discovery_noise": rng.random(),
            "advice_rate": rng.random(),
            "gap": None if value > 0.5 else value,
        }
        for name, value in hidden.items()
    }
    export_kit(pool, out, number=40, rng=rng, measures=measures)
    key = key_of(out)["sessions"]
    spans = {item.id: item for item in ITEMS}

    def rate(kit_id: str, item: str) -> str:
        if item == "guided_discovery":
            return str(min(6, max(0, round(6 * hidden[key[kit_id]["session"]] + rng.gauss(0, 0.4)))))
        return rng.choice(["yes", "no"]) if spans[item].yes_no else str(rng.randint(0, spans[item].high))

    for sheet in sorted((out / "raters").glob("sheet-*.csv")):
        fill(sheet, rate)
    result = read(out)
    assert result.human_validated == {item.id: item.id == "guided_discovery" for item in ITEMS}
    by_id = {one.item.id: one for one in result.items}
    assert by_id["guided_discovery"].alpha.value == pytest.approx(0.93, abs=0.06)
    assert by_id["guided_discovery"].icc.mean.value > by_id["guided_discovery"].icc.single.value  # type: ignore[operator]
    assert "agree too little" in str(by_id["overall"].reason)
    links = {(one.item, one.measure): one for one in result.links}
    follows = links["guided_discovery", "guided_discovery_proxy"]
    assert follows.human_validated
    assert follows.found.spearman.value == pytest.approx(0.95, abs=0.05)
    assert "the construct is not" in str(links["advice_giving", "advice_rate"].reason)
    assert "at least 20 are needed" in str(links["guided_discovery", "guided_discovery_rare"].reason)
    assert "not above 0" in str(links["guided_discovery", "guided_discovery_noise"].reason)
    assert "not meant to show this" in str(links["overall", "guided_discovery_proxy"].reason)
    assert links["guided_discovery", "gap"].n == sum(value <= 0.5 for value in hidden.values())
    stored = json.loads((out / "agreement.json").read_text())
    assert stored["items"]["guided_discovery"]["human_validated"] is True
    assert stored["items"]["overall"]["reason"]
    page = (out / "agreement.html").read_text()
    assert "follows the raters" in page
    assert not re.search(r"""(?:src|href)=["'](?!#|data:)""", page)


def test_sessions_that_a_coder_was_trained_on_validate_no_measure(tmp_path: Path) -> None:
    out = tmp_path / "kit"
    pool = sessions(30)
    rng = random.Random(2)
    chosen = choose_sessions(pool, 30, rng=rng)
    write_kit(chosen, out, rng=rng, caveats=["seen before"])
    key_file = out / "key" / "key.json"
    key = json.loads(key_file.read_text())
    truth = simulated(out, noise=0.02)
    for kit_id, one in key["sessions"].items():
        one["measures"] = {"guided_discovery_proxy": truth[kit_id]["guided_discovery"]}
    key_file.write_text(json.dumps(key))
    result = read(out)
    assert result.human_validated["guided_discovery"]
    assert "seen before" in result.notes
    (link,) = (one for one in result.links if one.same_construct)
    assert link.found.spearman.value > 0.9  # type: ignore[operator]
    assert "not new to it" in str(link.reason)


def test_known_agreement_is_recovered(tmp_path: Path) -> None:
    """With truth and noise normal, ICC(2,1) is var(truth) / (var(truth) + var(noise)), and a constant shift lowers it."""
    out = tmp_path / "kit"
    export(out, count=150)
    rng = random.Random(8)
    truth = {one: rng.gauss(50, 12) for one in key_of(out)["sessions"]}
    for place, sheet in enumerate(sorted((out / "raters").glob("sheet-*.csv"))):
        fill(
            sheet,
            lambda one, item, shift=8 * place: (
                str(round(min(100, max(0, truth[one] + shift + rng.gauss(0, 6))))) if item == "conviction_end" else ""
            ),
        )
    found = {one.item.id: one for one in read(out).items}["conviction_end"]
    expected = 144 / (144 + 36)
    assert found.icc.consistency.value == pytest.approx(expected, abs=0.06)
    assert found.icc.single.value == pytest.approx(144 / (144 + 36 + 32), abs=0.07)
    assert found.alpha.value == pytest.approx(found.icc.single.value, abs=0.05)
    interval = found.icc.consistency.interval
    assert interval.low < expected < interval.high  # type: ignore[operator]
    assert dict(found.rater_means)["B"] - dict(found.rater_means)["A"] == pytest.approx(8, abs=2)  # type: ignore[operator]


def test_few_sessions_validate_nothing_however_well_raters_agree(tmp_path: Path) -> None:
    export(tmp_path / "kit", count=19)
    simulated(tmp_path / "kit", noise=0.0)
    result = read(tmp_path / "kit")
    assert set(result.human_validated.values()) == {False}
    assert all("19 sessions were rated by two raters; at least 20" in str(one.reason) for one in result.items)
    assert any("equal in every rating" in note for note in result.notes)


def test_unblinding_puts_each_rating_on_its_own_session(tmp_path: Path) -> None:
    out = tmp_path / "kit"
    export(out)
    truth = simulated(out, noise=0.0)
    key = key_of(out)["sessions"]
    for one in read(out).sessions:
        assert one.session == key[one.kit_id]["session"]
        assert one.group == key[one.kit_id]["group"]
        assert one.means["conviction_end"] == round(100 * truth[one.kit_id]["conviction_end"])


def test_empty_cells_absent_rows_and_a_changed_page_are_missing_not_zero(tmp_path: Path) -> None:
    out = tmp_path / "kit"
    export(out)
    simulated(out, noise=0.1)
    sheet = out / "raters" / "sheet-B.csv"
    with sheet.open(newline="") as file:
        rows = list(csv.reader(file))
    dropped, emptied = rows[1][2], rows[2][2]
    rows[2][3] = "  "
    save(sheet, [rows[0], [""] * len(rows[0]), *rows[2:]], delimiter=";")
    (out / "raters" / "sessions.html").write_text("changed")
    result = read(out)
    guided = result.items[0]
    assert (guided.given, guided.missing) == (46, 2)
    assert guided.alpha.interval.n == guided.icc.sessions == 22
    means = {one.kit_id: one.means for one in result.sessions}
    assert means[dropped]["guided_discovery"] is None
    assert means[emptied]["guided_discovery"] is None
    assert means[emptied]["overall"] is not None
    assert any(f"no row for {dropped} (1 of 24)" in note for note in result.notes)
    assert any("was changed after the export" in note for note in result.notes)


def test_three_raters_are_read(tmp_path: Path) -> None:
    export(tmp_path / "kit", raters=3)
    simulated(tmp_path / "kit", noise=0.05)
    result = read(tmp_path / "kit")
    assert result.raters == ("A", "B", "C")
    assert result.items[0].icc.raters == 3


def test_blank_sheets_give_no_figure_and_say_why(tmp_path: Path) -> None:
    export(tmp_path / "kit", count=5)
    result = read(tmp_path / "kit")
    assert all(one.alpha.value is None for one in result.items)
    assert all(one.reason == "no session was rated by two raters" for one in result.items)
    assert "–" in (tmp_path / "kit" / "agreement.html").read_text()


def _cell(row: int, column: int, value: str) -> Callable[[list[list[str]]], None]:
    def change(rows: list[list[str]]) -> None:
        rows[row][column] = value

    return change


BAD = {
    "unknown session": (_cell(2, 2, "K99"), r"sheet-A.csv, row 3, column session: no session 'K99'.*K01 to K24"),
    "out of range": (_cell(1, 3, "7"), r"row 2, column guided_discovery: '7', expected a whole number from 0 to 6 or nothing"),
    "a half": (_cell(1, 4, "2.5"), r"row 2, column evidence_reached: '2.5', expected a whole number from 0 to 4"),
    "not a number": (_cell(4, 9, "good"), r"row 5, column overall: 'good', expected"),
    "nan": (_cell(4, 9, "nan"), r"row 5, column overall: 'nan', expected"),
    "infinite": (_cell(4, 6, "inf"), r"row 5, column conviction_end: 'inf', expected"),
    "not yes or no": (_cell(1, 5, "maybe"), r"column client_reframe: 'maybe', expected yes or no or nothing"),
    "another kit": (_cell(1, 0, "kit-0000"), r"row 2, column kit: 'kit-0000', expected 'kit-"),
    "no rater": (_cell(1, 1, ""), r"row 2, column rater: empty"),
    "two raters": (_cell(3, 1, "Z"), r"column rater: several raters in one sheet: 'A' \(row 2\), 'Z' \(row 4\)"),
    "misspelt column": (_cell(0, 3, "guided_discovry (0-6)"), r"row 1, column 4: .*did you mean 'guided_discovery'"),
    "strange column": (_cell(0, 3, "zzzz"), r"row 1, column 4: no column 'zzzz' is known; expected kit, rater"),
    "column twice": (_cell(0, 3, "overall"), r"row 1, column 10: 'overall' is there twice"),
    "column gone": (lambda rows: [row.pop(3) for row in rows], r"row 1: no column for guided_discovery"),
    "duplicate row": (lambda rows: rows.append(list(rows[1])), r"row 26, column session: K\d\d has a row already \(row 2\)"),
    "spill": (lambda rows: rows[1].append("3"), r"row 2: '3' stands outside the columns"),
    "no rows": (lambda rows: rows.__delitem__(slice(1, None)), r"a header but no rows"),
}  # fmt: skip


@pytest.mark.parametrize(("change", "message"), BAD.values(), ids=BAD)
def test_a_bad_sheet_is_named_by_row_and_column(
    tmp_path: Path, change: Callable[[list[list[str]]], object], message: str
) -> None:
    out = tmp_path / "kit"
    export(out)
    simulated(out, noise=0.1)
    sheet = out / "raters" / "sheet-A.csv"
    with sheet.open(newline="") as file:
        rows = list(csv.reader(file))
    change(rows)
    save(sheet, rows)
    with pytest.raises(UnreadableFile, match=message):
        read(out)
    assert not (out / "agreement.json").exists()


def test_all_mistakes_of_a_sheet_are_told_at_once(tmp_path: Path) -> None:
    out = tmp_path / "kit"
    export(out)
    fill(out / "raters" / "sheet-A.csv", lambda one, item: "9999")
    with pytest.raises(UnreadableFile) as caught:
        read(out)
    assert str(caught.value).count("sheet-A.csv, row") == 10
    assert f"{24 * len(ITEMS) - 10} more" in str(caught.value)


def test_sheets_and_folders_that_cannot_be_used(tmp_path: Path) -> None:
    out = tmp_path / "kit"
    export(out)
    simulated(out, noise=0.1)
    a, b = out / "raters" / "sheet-A.csv", out / "raters" / "sheet-B.csv"
    with pytest.raises(InputError, match="at least two raters"):
        read_kit(out, [a])
    with pytest.raises(InputError, match="both of rater 'A'"):
        read_kit(out, [a, a])
    with pytest.raises(UnreadableFile, match="no such sheet"):
        read_kit(out, [a, tmp_path / "gone.csv"])
    with pytest.raises(UnreadableFile, match=r"no key/key\.json"):
        read_kit(tmp_path, [a, b])
    (tmp_path / "b.xlsx").write_bytes(b"PK")
    with pytest.raises(UnreadableFile, match="save the sheet as CSV"):
        read_kit(out, [a, tmp_path / "b.xlsx"])
    (tmp_path / "latin.csv").write_bytes(b.read_bytes() + "ü".encode("latin-1"))
    with pytest.raises(UnreadableFile, match="is not UTF-8"):
        read_kit(out, [a, tmp_path / "latin.csv"])
    (tmp_path / "quote.csv").write_text(b.read_text() + '"open')
    with pytest.raises(UnreadableFile, match=r"quote\.csv, row \d+: not readable as CSV"):
        read_kit(out, [a, tmp_path / "quote.csv"])
    key = out / "key" / "key.json"
    whole = key.read_text()
    for text, message in (("{", "no key of a rating kit"), ("[]", "no key of a rating kit"),
                          (whole.replace('"format": 1', '"format": 9'), "newer than 1"),
                          (whole.replace('"overall": [', '"else": ['), "another code book")):  # fmt: skip
        key.write_text(text)
        with pytest.raises(UnreadableFile, match=message):
            read_kit(out, [a, b])


def test_what_spreadsheets_do_to_a_sheet_is_forgiven(tmp_path: Path) -> None:
    out = tmp_path / "kit"
    export(out)
    simulated(out, noise=0.1)
    plain = read(out)
    for sheet in (out / "raters").glob("sheet-*.csv"):
        with sheet.open(newline="") as file:
            rows = list(csv.reader(file))
        changed = [[cell + ".0" if cell.isdigit() else cell.upper() if cell in ("yes", "no") else cell for cell in row]
                   for row in rows[1:]]  # fmt: skip
        header = [title.title() for title in rows[0]]
        order = [2, 0, 1, *range(3, len(header))]
        moved = [[row[place] for place in order] + ["", ""] for row in [header, *reversed(changed)]]
        save(sheet, moved, delimiter="\t")
        sheet.write_bytes(b"\xef\xbb\xbf" + sheet.read_bytes())
    assert read(out).items == plain.items


def test_the_command_goes_there_and_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(rating, "_measured", lambda drawn: {session_name(one): {"advice_rate": 0.5} for one in drawn})
    source = annomi_file(tmp_path / "in.csv", sessions=30)
    out = tmp_path / "kit"
    rating.export_from_paths([source], 20, out=out, seed=3, redact=lambda text: text.replace("garden", "[place]"))
    told = capsys.readouterr().out
    assert "20 sessions drawn (10 high, 10 low)" in told
    assert f"maieutic score {out} --ratings sheet-A.csv --ratings sheet-B.csv" in told
    assert "not taken out" not in told
    assert "garden" not in (out / "raters" / "sessions.html").read_text()
    simulated(out, noise=0.02)
    rating.read_back(out, sorted((out / "raters").glob("sheet-*.csv")))
    told = capsys.readouterr().out
    assert "0 of 1 measures meant to show a rated construct follow the raters" in told
    assert "unblinded" in told
    assert (out / "agreement.html").is_file()
