"""The same words in any style are the same turn: for patients, codes, scores and the readers of the battery."""

from __future__ import annotations

import csv
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import orjson
import pytest
from typer.testing import CliRunner

from maieutic.cli.main import app
from maieutic.coding.rules import RuleCoder
from maieutic.dialogue import Conversation, Streams, converse
from maieutic.domain.episode import Episode, EpisodeKey, Session, Turn
from maieutic.gap.asks_first.questions import asked_slots
from maieutic.gap.fair_comparison.family import outcome_of
from maieutic.gap.families import ORDER
from maieutic.gap.items import packaged
from maieutic.gap.knows_vs_does.moves import moves_of
from maieutic.gap.lost.labels import label_of
from maieutic.gap.mind_tracking.left_open import ambiguities, arguments
from maieutic.gap.mind_tracking.pragmatics import brings_up, met
from maieutic.gap.parsing import choice_of, confidence_of, yes_no_of
from maieutic.gap.presuppositions.detector import stance_of
from maieutic.gap.presuppositions.family import pairs
from maieutic.gap.push_support.arc import handovers, takes_up
from maieutic.gap.reads_into.attributions import claims
from maieutic.gap.recording_client import RecordingClient, ReplayCache
from maieutic.gap.relationship.text import read
from maieutic.gap.safety.judge import judge, probes
from maieutic.gap.single_vs_session.tasks import scored
from maieutic.library import get_case
from maieutic.reading.plain import plain, plain_turn
from maieutic.reading.yaml_text import read_yaml
from maieutic.registry import known, load_therapist
from maieutic.runs.files import read_lines
from maieutic.worlds import STANDARD_WORLD, patient_of
from styles import STYLES, Styled, styled
from talks import make_talk

ARMS = [
    name
    for name, maker in known("therapist").items()
    if not getattr(maker, "needs_model", False) and not getattr(maker, "elsewhere", False) and name != "no_session"
]
"""Every therapist that needs no model and nobody elsewhere, and says something."""
TURNS = 8
REPLIES = read_lines(Path(__file__).parent / "data" / "replies_in_styles.jsonl")
GAP = Path(__file__).parents[1] / "gap" / "data"


async def _played(therapist: Any, case: str) -> Episode:
    patient = patient_of(get_case(case), 0, STANDARD_WORLD)
    streams = Streams(0, EpisodeKey("arm", case, 0))
    return await converse(Conversation(therapist, patient, RuleCoder(), TURNS, streams))


def _hidden(episode: Episode) -> Any:
    """What of a session must not hang on its style, with what the families read that read whole sessions."""
    mind = episode.states, episode.codes, episode.appraisals, episode.ending
    return mind, read(episode), outcome_of(episode)


@pytest.mark.parametrize("arm", ARMS)
async def test_a_policy_says_the_same_words_in_every_style(arm: str) -> None:
    # Of the session only the therapist's words are read: any patient brings them out.
    bare = await converse(make_talk(load_therapist(arm), turns=TURNS))
    assert all(turn.original is None for turn in bare.session.turns)
    for style in STYLES:
        for said in bare.therapist_turns:
            dressed = plain_turn(Turn("therapist", styled(said.text, style)))
            assert dressed.text.split() == said.text.split(), style
            assert (dressed.original is None) == (styled(said.text, style) == said.text)


@pytest.mark.parametrize("case", ["gethin", pytest.param("nilani", marks=pytest.mark.slow)])
@pytest.mark.parametrize("arm", ["socratic", "worksheet", "oracle"])
async def test_a_policy_has_the_same_effect_in_every_style(arm: str, case: str) -> None:
    bare = await _played(load_therapist(arm), case)
    for style in STYLES:
        dressed = await _played(Styled(load_therapist(arm), style), case)
        assert [t.text.split() for t in dressed.session.turns] == [t.text.split() for t in bare.session.turns], style
        assert _hidden(dressed) == _hidden(bare), style
        written = [t.original for t in dressed.session.turns if t.original is not None]
        assert len(written) == sum(styled(t.text, style) != t.text for t in bare.therapist_turns)


@pytest.mark.parametrize("replies", [20, pytest.param(200, marks=pytest.mark.slow)])
def test_two_hundred_replies_are_the_same_turn_in_six_styles(replies: int) -> None:
    assert len(REPLIES) == 200
    patient, coder = patient_of(get_case("gethin"), 0, STANDARD_WORLD), RuleCoder()
    opening = Session((Turn("patient", "I left the shop because everybody was staring at me, and I felt ashamed."),))
    for row in REPLIES[:: 200 // replies]:
        bare = opening + plain_turn(Turn("therapist", row["plain"]))
        assert bare.turns[-1].original is None
        code, appraisal = coder.code(bare), patient.comprehend(bare)
        for style, written in row.items():
            turn = plain_turn(Turn("therapist", written))
            assert turn.text.split() == row["plain"].split(), (style, written)
            dressed = opening + turn
            assert coder.code(dressed) == code, (style, written)
            assert patient.comprehend(dressed) == appraisal, (style, written)


@cache
def _rows(family: str) -> Any:
    return read_yaml((GAP / f"{family}_detector.yaml").read_text(encoding="utf-8"))


def _verdicts(every: int) -> list[tuple[str, list[str], Callable[[str, int], object]]]:
    """Every reader with one in so many of the development replies, and what it says of one of them in some wording."""
    risky, loaded = {p.id: p for p in probes()}, {p.id: p for p in pairs()}
    given = {one.id: one for one in handovers()}
    safety, stances = _rows("safety")["dev"][::every], _rows("presuppositions")["dev"][::every]
    asks, labels = _rows("asks_first")["asks"]["dev"][::every], _rows("lost")["labels"]["dev"][::every]
    reads, moves = _rows("reads_into")["dev"][::every], _rows("knows_vs_does")["dev"]["moves"][:: 2 * every]
    ups = _rows("push_support")["dev"][::every]
    remarks, claimed = {one.id: one for one in ambiguities()}, {one.id: one for one in arguments()}
    vignettes = {one["id"]: one for one in packaged("scenarios")["vignettes"]}
    unclear, argued = (_rows("mind_tracking")[part]["dev"][::every] for part in ("ambiguity", "warrants"))
    answers = _rows("single_vs_session")["dev"][::every]
    return [
        ("safety", [r["reply"] for r in safety],
         lambda text, n: judge(risky[safety[n]["probe"]].rule, risky[safety[n]["probe"]].text, text)),
        ("presuppositions", [r["text"] for r in stances],
         lambda text, n: stance_of(text, loaded[stances[n]["item"]].loaded, loaded[stances[n]["item"]].belief).stance),
        ("asks_first", [r["said"] for r in asks], lambda text, n: asked_slots(text)),
        ("lost", [r["said"] for r in labels], lambda text, n: label_of(text)),
        ("reads_into", [r["text"] for r in reads], lambda text, n: [(c.sort, c.name, c.tentative) for c in claims(text)]),
        ("knows_vs_does", [r[2] for r in moves], lambda text, n: moves_of(text, moves[n][1])),
        ("push_support", [r[2] for r in ups], lambda text, n: takes_up(text, given[ups[n][0]])),
        ("mind_tracking", [r[2] for r in unclear], lambda text, n: met(text, remarks[unclear[n][0]])),
        ("mind_tracking", [r[2] for r in argued], lambda text, n: brings_up(text, claimed[argued[n][0]])),
        ("single_vs_session", [r[3] for r in answers], lambda text, n: scored(answers[n][0], text, vignettes[answers[n][1]])),
    ]  # fmt: skip


def test_every_family_of_the_battery_is_read_in_every_style() -> None:
    read_whole = {"relationship", "fair_comparison"}
    assert {family for family, *_ in _verdicts(24)} | read_whole == {*ORDER}


@pytest.mark.parametrize("every", [24, pytest.param(6, marks=pytest.mark.slow)])
@pytest.mark.parametrize("style", STYLES)
def test_the_readers_of_the_battery_say_the_same_in_every_style(style: str, every: int) -> None:
    for family, replies, verdict in _verdicts(every):
        for n, reply in enumerate(replies):
            bare = " ".join(plain(reply).text.split())
            assert verdict(plain(styled(bare, style)).text, n) == verdict(bare, n), (family, reply)


@pytest.mark.parametrize(
    "written",
    [
        "**B)** because it asks",
        "<think>A? No. C? No.</think>\n\nB",
        "<p><b>B</b></p>",
        "Assistant: B.",
        "### B",
        "`B`",
        "“B”",
    ],
)
async def test_a_closed_answer_is_read_in_every_style(written: str) -> None:
    from maieutic.domain.episode import Answer, Question

    class Answering:
        name = "answering"

        async def respond(self, session: Session) -> Turn:
            return Turn("therapist", "**What happened?**")

        async def answer(self, question: Question, session: Session) -> Answer:
            return Answer(written)

    cache = ReplayCache()
    client = RecordingClient(Answering(), cache)
    found = await client.answer(Question("q", "Which?", "choice", ("one", "two", "three")))
    assert choice_of(found.text, ("one", "two", "three")) == 1
    assert found.original == written
    again = RecordingClient(Answering(), cache)
    assert (await again.answer(Question("q", "Which?", "choice", ("one", "two", "three")))) == found
    assert again.calls == 0 and again.cleaned == client.cleaned != {}


def test_yes_and_a_confidence_are_read_under_markdown() -> None:
    answer = plain("<think>Is it? 20 % maybe.</think>**Yes.**\n\n**Confidence:** 80", lines=True).text
    assert yes_no_of(answer) is True
    assert confidence_of(answer) == 0.8


def _csv(path: Path, dressed: Callable[[str], str]) -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["session", "speaker", "text"])
        for session in range(3):
            for n, row in enumerate(REPLIES[session * 12 : session * 12 + 12]):
                writer.writerow([f"s{session}", "therapist", dressed(row["plain"])])
                writer.writerow(
                    [f"s{session}", "client", dressed(f"I don't know. It was {n} o'clock and I felt ashamed.")]
                )
    return path


def _paragraphs(text: str) -> str:
    return styled(text, "html")


def _scored(place: Path, dressed: Callable[[str], str]) -> tuple[Any, dict[str, Any], str]:
    place.mkdir()
    result = CliRunner().invoke(app, ["score", str(_csv(place / "talk.csv", dressed)), "--out", str(place / "run")])
    assert result.exit_code == 0, result.output
    read = lambda name: orjson.loads((place / "run" / name).read_bytes())  # noqa: E731
    return read("scores.json"), read("manifest.json"), result.output


def test_paragraph_tags_in_a_csv_change_no_score_and_are_told(tmp_path: Path) -> None:
    clean, manifest, told = _scored(tmp_path / "clean", str)
    dressed, noted, said = _scored(tmp_path / "dressed", _paragraphs)
    assert dressed == clean
    assert "ade plain" not in told and "cleaned" not in manifest
    assert "Made plain before it was read: HTML in 72 utterances" in " ".join(said.split())
    assert noted["cleaned"] == {"HTML": 72}
    page = next((tmp_path / "dressed" / "run").glob("*/01-*.html")).read_text(encoding="utf-8")
    assert "As it was written: &lt;p&gt;" in page
    assert "made plain before it was read: HTML in 24 of 24 utterances" in page


def test_paragraph_tags_change_no_code_and_are_told(tmp_path: Path) -> None:
    found = {}
    for name, dressed in (("clean", str), ("dressed", _paragraphs)):
        source, out = _csv(tmp_path / f"{name}.csv", dressed), tmp_path / f"{name}-coded.csv"
        result = CliRunner().invoke(app, ["code", str(source), "--scheme", "annomi", "--fast", "--out", str(out)])
        assert result.exit_code == 0, result.output
        with out.open(newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        found[name] = [{key: value for key, value in row.items() if key != "text"} for row in rows], result.output
        assert [row["text"] for row in rows] == [row["text"] for row in csv.DictReader(source.open(encoding="utf-8"))]
    assert found["dressed"][0] == found["clean"][0]
    assert "Made plain before it was coded: HTML in 72 rows" in found["dressed"][1]
    assert "ade plain" not in found["clean"][1]
