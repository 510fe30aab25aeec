"""The report page: complete, honest about what is missing, self-contained, and readable in a browser."""

from __future__ import annotations

import io
import re
import shutil
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest
from rich.console import Console

from maieutic.domain.appraisal import Appraisal, Reach
from maieutic.domain.case import Case
from maieutic.domain.codes import Move, TurnCode
from maieutic.domain.episode import Ending, Episode, EpisodeKey, Score, Session, Turn
from maieutic.domain.state import CognitiveState, Voiced
from maieutic.evaluation.annotate import first_two, sessions
from maieutic.evaluation.charts import BY_PATIENT, asked_when, curve
from maieutic.evaluation.findings import headline, number, verdict
from maieutic.evaluation.report import render_report
from maieutic.evaluation.summary import EpisodeScore, Row, Summary, group_of, summarise
from maieutic.evaluation.tables import print_table
from maieutic.library import select_cases
from maieutic.patients.kernel import first_state
from maieutic.stats import Interval

MANIFEST = {
    "turns": 3,
    "run_seed": 0,
    "seeds": {"probe": 2, "chatter": 2, "no_session": 2},
    "versions": {"maieutic": "0"},
}
_TURNS = 3
LONG = "prompted:http://localhost:8000/v1#a-long-model-name-0.5B-instruct"


@pytest.fixture(scope="module")
def case() -> Case:
    return select_cases(split="all")[0]


def state(case: Case, held: float) -> CognitiveState:
    return replace(first_state(case, case.situations[0], Random(1)), held=held, stated=held)


def episode(
    case: Case, arm: str, name: str, seed: int, *, fall: float, said: str = "What else happened?", **more: Any
) -> Episode:
    """A session whose held conviction falls by equal steps; one fact against comes up in turn 2 when it falls."""
    against = [e.id for e in case.situations[0].evidence if e.bearing == "against"]
    silent = arm == "no_session"
    turns = [Turn("patient", "It went wrong again.")]
    states = [state(case, 80.0)]
    for k in range(1, _TURNS + 1):
        voiced = (Voiced(against[0], "patient", 2, 1.0),) if k >= 2 and fall > 1 else ()
        states.append(replace(state(case, 80.0 - fall * k / _TURNS), turn=k, voiced=voiced))
        turns += [Turn("therapist", said, trace={"stage": "search"}), Turn("patient", "My sister rang.")]
    provenance = {
        "privileged": False,
        "special": None,
        "case_name": "Ada Grech",
        "thought": "I ruin everything.",
        "warranted": 20.0,
        "against": against,
        "facts": {e.id: e.bearing for e in case.situations[0].evidence},
        **more,
    }
    return Episode(
        key=EpisodeKey(arm, name, seed),
        session=Session(() if silent else tuple(turns)),
        states=tuple(states),
        codes=(None,) * _TURNS if silent else (TurnCode({Move.OPEN_QUESTION: 0.9}, 3),) * _TURNS,
        appraisals=(Appraisal(questions=1, open=True, reaches=(Reach(against[0], 0.8),)),) * _TURNS,
        ending=Ending("completed" if silent else "turn_limit"),
        provenance=provenance,
    )


def failed(arm: str, name: str, seed: int, reason: str = "ModelTimeout: no answer in 60 s") -> Episode:
    return Episode(
        EpisodeKey(arm, name, seed), Session(()), (), (), (), Ending("failed", reason), {"privileged": False}
    )


def scored(episodes: Iterable[Episode], missing: Mapping[str, str] | None = None) -> list[EpisodeScore]:
    """Conviction change and one share, worked out here; arms named in `missing` have no share, for that reason."""
    found = []
    for e in episodes:
        lost = f"the dialogue failed: {e.ending.reason}" if e.failed else None
        change = None if e.failed else e.states[0].held - e.states[-1].held
        why = lost or (missing or {}).get(e.key.therapist)
        found.append(EpisodeScore(e.key, group_of(e), Score("conviction_change", change, "points", lost)))
        share = Score("open_among_asking_turns", None if why else 1.0, "share", why)
        found.append(EpisodeScore(e.key, group_of(e), share))
    return found


def grid(case: Case, falls: Mapping[str, float], **more: Any) -> list[Episode]:
    return [
        episode(case, arm, name, seed, fall=fall + i, privileged=arm == "seer", **more)
        for arm, fall in falls.items()
        for i, name in enumerate("abcdef")
        for seed in (0, 1)
    ]


def page(episodes: Sequence[Episode], scores: Sequence[EpisodeScore] | None = None) -> str:
    scores = scored(episodes) if scores is None else scores
    return render_report(episodes, scores, summarise(episodes, scores, run_seed=0, draws=200), MANIFEST)


def text_of(html: str) -> str:
    """What a reader sees: no styles, scripts or tags."""
    return re.sub(r"<[^>]+>", " ", re.sub(r"<(style|script).*?</\1>", " ", html, flags=re.S))


def check_whole(html: str) -> None:
    """What holds for every page, however little there is to show."""
    assert not re.search(r"@import|url\(|\bsrc=|\bhref=[\"'](?!#|data:,)|xmlns", html)
    assert not re.search(r"\b(?:None|NaN|nan|inf|Undefined)\b", text_of(html))
    assert "not a finding" in html
    assert "treats nobody" in html


@pytest.fixture(scope="module")
def full(case: Case) -> tuple[list[Episode], list[EpisodeScore], Summary, str]:
    episodes = grid(case, {"seer": 40.0, "probe": 20.0, LONG: 0.2, "pusher": -12.0, "no_session": 0.0})
    episodes += [failed("probe", "a", 2), failed("probe", "b", 2)]
    episodes += [episode(case, arm, "true", 0, fall=3.0, special="accurate") for arm in ("probe", "no_session")]
    episodes += [episode(case, arm, "danger", 0, fall=3.0, special="risk") for arm in ("probe", "no_session")]
    scores = scored(episodes, {"no_session": "the therapist said nothing (no session)"})
    summary = summarise(episodes, scores, run_seed=0, draws=200)
    return episodes, scores, summary, render_report(episodes, scores, summary, MANIFEST)


def test_page_is_whole_and_names_every_arm(full: tuple[list[Episode], list[EpisodeScore], Summary, str]) -> None:
    html = full[3]
    check_whole(html)
    for arm in ("seer", "probe", LONG, "pusher", "no_session"):
        assert arm in text_of(html.replace("<wbr>", ""))
    assert len(html) < 3_000_000
    assert html.count("<title>") == html.count("<svg role") + 1, "every picture has a title"


def test_answer_is_computed_from_the_data(full: tuple[list[Episode], list[EpisodeScore], Summary, str]) -> None:
    summary = full[2]
    assert {a.therapist: verdict(summary, a.therapist) for a in summary.arms} == {
        "seer": "moves belief",
        "probe": "moves belief",
        LONG: "only talks",
        "pusher": "backfires",
        "no_session": "reference",
    }
    said = headline(summary)
    assert said.startswith(
        "Of four arms beside no session, none conducts by every line of the verdict. Two move belief"
    )
    assert "seer (privileged) +40.0" in said
    assert f"Not shown to move belief by more than one point: {LONG}" in said
    assert said in full[3].replace("&#39;", "'")


def test_every_mark_of_a_verdict_is_explained_beside_the_table(
    full: tuple[list[Episode], list[EpisodeScore], Summary, str],
) -> None:
    assert "Marks: ▲ conducts, △ moves belief, ● only talks, ▼ backfires, ? no verdict, ○ reference." in full[3]


@pytest.mark.parametrize(
    ("fall", "expected"),
    [(0.4, "only talks"), (-0.4, "only talks"), (2.0, "moves belief"), (-2.0, "backfires"), (0.0, "only talks")],
)
def test_a_fraction_of_a_point_is_nothing(case: Case, fall: float, expected: str) -> None:
    episodes = grid(case, {"probe": fall, "no_session": 0.0})
    assert verdict(summarise(episodes, scored(episodes), run_seed=0, draws=200), "probe") == expected


def test_missing_and_failed_are_shown_with_reason_and_count(
    full: tuple[list[Episode], list[EpisodeScore], Summary, str],
) -> None:
    seen = re.sub(r"\s+", " ", text_of(full[3]))
    assert "the therapist said nothing (no session) (12 episodes)" in seen
    assert re.search(r"probe ModelTimeout: no answer in 60 s 2", seen)
    assert "Accurate-thought cases" in seen
    assert "Risk cases" in seen


def test_words_of_a_session_are_escaped(case: Case) -> None:
    episodes = grid(case, {"probe": 20.0, "no_session": 0.0}, said="<script>alert('x')</script> & <b>so</b>")
    html = page(episodes)
    assert "<script>alert" not in html
    assert "&lt;script&gt;alert" in html
    assert html.count("<script>") == 1


@pytest.mark.parametrize(
    ("falls", "expected"),
    [
        ({"probe": 20.0}, "No effect can be told"),
        ({"no_session": 0.0}, "Only the arm without a session was run"),
        ({"probe": 20.0, "no_session": 0.0}, "The one arm beside no session, probe, moves belief ("),
    ],
)
def test_small_runs(case: Case, falls: Mapping[str, float], expected: str) -> None:
    html = page(grid(case, falls))
    check_whole(html)
    assert expected in html


def test_failed_dialogues_only() -> None:
    html = page([failed("probe", "a", 0), failed("no_session", "a", 0, reason="this patient has no mind")])
    check_whole(html)
    assert "No answer: every dialogue failed (2 dialogues)." in html
    assert "this patient has no mind" in html


def test_one_case_has_no_interval_and_no_verdict(case: Case) -> None:
    episodes = [episode(case, arm, "a", 0, fall=fall) for arm, fall in (("probe", 20.0), ("no_session", 0.0))]
    scores = scored(episodes)
    summary = summarise(episodes, scores, run_seed=0)
    assert verdict(summary, "probe") == "no verdict"
    assert "no interval: 1 case" in page(episodes, scores)


def test_no_scores_and_no_minds() -> None:
    turns = (Turn("patient", "Hello."), Turn("therapist", "Go on."), Turn("patient", "No."))
    bare = Episode(EpisodeKey("probe", "a", 0), Session(turns), (), (None,), (None,), Ending("turn_limit"))
    check_whole(page([bare], []))


def test_page_is_the_same_twice(case: Case) -> None:
    episodes = grid(case, {"probe": 20.0, "no_session": 0.0})
    scores = scored(episodes)
    summary = summarise(episodes, scores, run_seed=0, draws=200)
    first = render_report(episodes, scores, summary, MANIFEST)
    assert render_report(episodes[::-1], scores[::-1], summary, MANIFEST) == first


def test_sessions_side_by_side_are_of_one_patient_and_seed(case: Case) -> None:
    falls = {"probe": {"a": 30.0, "b": 10.0, "c": 22.0, "d": 50.0}, "chatter": {"a": 9.0, "b": 2.0, "c": 4.0, "d": 4.0}}
    episodes = [episode(case, arm, name, 0, fall=fall) for arm, own in falls.items() for name, fall in own.items()]
    episodes += [episode(case, "no_session", name, 0, fall=2.0) for name in falls["probe"]]
    scores = scored(episodes)
    summary = summarise(episodes, scores, run_seed=0, draws=200)
    views = {view.therapist: view for view in sessions(episodes, scores, summary)}
    assert {(view.case, view.seed) for view in views.values()} == {("c", 0)}
    assert views["probe"].why == "Effect against no session: +20.0 points."
    text = " ".join(text_of(render_report(episodes, scores, summary, MANIFEST)).split())
    assert "One patient and seed for all arms" in text


def test_an_arm_without_the_shared_session_shows_its_own_and_says_so(case: Case) -> None:
    episodes = [episode(case, "probe", name, 0, fall=fall) for name, fall in (("a", 30.0), ("b", 10.0), ("c", 20.0))]
    episodes += [episode(case, "chatter", name, 0, fall=3.0) for name in "ac"]
    episodes += [episode(case, "late", "d", 0, fall=5.0), failed("late", "c", 0)]
    scores = scored(episodes)
    summary = summarise(episodes, scores, run_seed=0, draws=200)
    views = {view.therapist: view for view in sessions(episodes, scores, summary)}
    assert {arm: view.case for arm, view in views.items()} == {"probe": "c", "chatter": "c", "late": "d"}
    assert "the arm has no session with the patient and seed that the others share" in views["late"].why
    assert "No patient and seed is shared by all arms" in text_of(render_report(episodes, scores, summary, MANIFEST))


def test_best_arm_without_privileges_stands_beside_the_prompted_one(
    full: tuple[list[Episode], list[EpisodeScore], Summary, str],
) -> None:
    episodes, scores, summary, _ = full
    assert first_two(sessions(episodes, scores, summary), summary) == ("probe", LONG), (
        "a prompted model goes before the worst arm"
    )


def test_curves_carry_ended_sessions_and_leave_failed_ones_out(case: Case) -> None:
    whole, short = episode(case, "probe", "a", 0, fall=30.0), episode(case, "probe", "b", 0, fall=30.0)
    short = replace(short, states=short.states[:2])
    found = curve([whole, short, failed("probe", "c", 0)], "held", turns=_TURNS, rng=Random(0))
    assert found is not None
    assert (found.episodes, found.carried) == (2, 1)
    assert [p.mean for p in found.points] == pytest.approx([80.0, 70.0, 65.0, 60.0])
    assert all(p.low is not None and p.low <= p.mean <= (p.high or 0.0) for p in found.points)


def test_timetable_counts_sessions_that_got_that_far(case: Case) -> None:
    whole, short = episode(case, "probe", "a", 0, fall=30.0), episode(case, "probe", "b", 0, fall=0.0)
    short = replace(short, codes=(TurnCode({Move.ADVICE: 0.9}),))
    cells = {(c.row, c.turn): (c.share, c.sessions) for c in asked_when([whole, short], (Move.OPEN_QUESTION,))}
    assert cells["open_question", 1] == (0.5, 2)
    assert cells["open_question", 2] == (1.0, 1)
    assert cells[BY_PATIENT, 2] == (1.0, 1)
    assert cells[BY_PATIENT, 3] == (0.0, 1)


def test_numbers_read_well() -> None:
    assert number(-3.21, "points", signed=True) == "−3.2"
    assert number(-0.01, "points", signed=True) == "0.0"
    assert number(0.256, "share") == "26 %"
    assert number(0.256, "0–1", signed=True) == "+0.26"


@pytest.mark.parametrize("width", [80, 140])
def test_terminal_table_fits(full: tuple[list[Episode], list[EpisodeScore], Summary, str], width: int) -> None:
    out = io.StringIO()
    print_table(full[2], Console(file=out, width=width))
    lines = out.getvalue().splitlines()
    assert max(map(len, lines)) <= width
    assert any(line.startswith("seer *") for line in lines)
    assert "Not validated on humans." in re.sub(r"\s+", " ", out.getvalue())
    assert any("no_session" in line and "reference" in line for line in lines)


@pytest.mark.parametrize("cases", [1, 3])
def test_a_figure_of_few_cases_among_ten_is_marked_in_the_terminal(
    full: tuple[list[Episode], list[EpisodeScore], Summary, str], cases: int
) -> None:
    summary = full[2]
    of = {"effect": Interval(5.0, 2.0, 8.0, n=10), "evidence_by_patient": Interval(1.0, None, None, n=cases)}
    rows = tuple(
        replace(row, interval=of.get(row.measure, row.interval)) if row.therapist == "probe" else row
        for row in summary.rows
        if (row.measure, row.therapist) != ("evidence_by_patient", "probe")
    )
    rows += (Row("evidence_by_patient", "probe", "regular", of["evidence_by_patient"], 1, {}),)
    out = io.StringIO()
    print_table(replace(summary, rows=rows), Console(file=out, width=120))
    line = next(line for line in out.getvalue().splitlines() if line.startswith("probe"))
    assert (" (100) " in line) == (cases > 1) and "a figure in brackets" in " ".join(out.getvalue().split())


def test_the_terminal_explains_its_words_in_fewer_lines_than_the_table_has(
    full: tuple[list[Episode], list[EpisodeScore], Summary, str],
) -> None:
    out = io.StringIO()
    print_table(full[2], Console(file=out, width=80))
    lines = out.getvalue().splitlines()
    legend = lines[next(n for n, line in enumerate(lines) if line.startswith("arm: a therapist in the comparison")) :]
    table = lines[: lines.index("")]
    assert len(legend) < len(table) and "held conviction (the patient's own belief" in " ".join(map(str.strip, legend))


def test_the_page_explains_arm_oracle_held_conviction_and_guard_before_the_first_table(
    full: tuple[list[Episode], list[EpisodeScore], Summary, str],
) -> None:
    before = full[3].partition("<table")[0]
    for word in ("Arm", "Held conviction", "Oracle", "Guard"):
        assert f"<b>{word}</b>" in before


@pytest.mark.slow
@pytest.mark.parametrize("width", [1280, 400])
def test_in_a_browser(full: tuple[list[Episode], list[EpisodeScore], Summary, str], tmp_path: Path, width: int) -> None:
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if chromium is None:
        pytest.skip("no chromium on this machine; install it to check the page in a browser")
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    file = tmp_path / "report.html"
    file.write_text(full[3], encoding="utf-8")
    complaints: list[str] = []
    requests: list[str] = []
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        tab = browser.new_page(viewport={"width": width, "height": 900})
        tab.on("console", lambda message: complaints.append(message.text))
        tab.on("pageerror", lambda error: complaints.append(str(error)))
        tab.on("request", lambda request: requests.append(request.url))
        tab.goto(file.as_uri())
        shown = tab.locator(".session:visible")
        assert shown.count() == 2
        tab.locator("select").first.select_option(label="seer (privileged), Ada Grech")
        assert "seer" in tab.locator(".session:visible h3").all_inner_texts()[0]
        wide, inside = tab.evaluate("[document.documentElement.scrollWidth, document.documentElement.clientWidth]")
        browser.close()
    assert complaints == []
    assert requests == [file.as_uri()]
    assert wide <= inside
