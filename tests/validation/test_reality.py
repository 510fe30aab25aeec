"""The look at coded sessions: what is read from the file, and that a state which predicts is told from one that does not."""

from __future__ import annotations

import csv
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random

import numpy as np
import pytest

from maieutic.errors import UnreadableFile
from maieutic.runs.findings import Finding
from maieutic.validation.reality import STATES, TALK, Coded, check, read_annomi, states_of

DATA = Path(__file__).parents[3] / "shared" / "data"
COLUMNS = (
    "client_talk_type", "interlocutor", "question_exists", "question_subtype", "reflection_exists", "reflection_subtype",
    "therapist_input_exists", "therapist_input_subtype", "transcript_id", "utterance_id", "video_title",
)  # fmt: skip
FIELDS = {"question": "question", "reflection": "reflection", "input": "therapist_input"}
Line = tuple[str, ...]


def therapist(*labels: str) -> dict[str, str]:
    """A therapist's row with the given labels, such as 'question:open'."""
    row = {"interlocutor": "therapist"} | {f"{field}_exists": "False" for field in FIELDS.values()}
    for label in labels:
        kind, _, subtype = label.partition(":")
        row |= {f"{FIELDS[kind]}_exists": "True", f"{FIELDS[kind]}_subtype": subtype}
    return row


def client(talk: str) -> dict[str, str]:
    return {"interlocutor": "client", "client_talk_type": talk}


def write(folder: Path, sessions: Sequence[Sequence[dict[str, str]]], *, columns: Sequence[str] = COLUMNS) -> Path:
    """An invented file of coded sessions; every session is a video of its own."""
    path = folder / "annomi" / "AnnoMI-full.csv"
    path.parent.mkdir(parents=True)
    with path.open("w", encoding="utf-8", newline="") as out:
        table = csv.DictWriter(out, columns, restval="", extrasaction="ignore")
        table.writeheader()
        for number, rows in enumerate(sessions):
            for at, row in enumerate(rows):
                place = {"transcript_id": str(number), "video_title": f"video {number}", "utterance_id": str(at)}
                table.writerow(place | row)
    return folder


def test_the_labels_before_a_client_turn_and_its_talk_type_are_read(tmp_path: Path) -> None:
    said = [
        client("neutral"),
        therapist("question:open", "reflection:complex"),
        therapist("input:advice"),
        client("change"),
        therapist(),
        client("sustain"),
        therapist("question:"),  # a question of no known kind
        client(""),  # a client turn without a talk type
        therapist("input:negotiation"),
        client("neutral"),
        therapist("question:closed"),
    ]
    (session,) = read_annomi(write(tmp_path, [said]))
    assert session == Coded(
        "video 0",
        ((), ("question:open", "reflection:complex", "input:advice"), (), ("input:negotiation",)),
        ("neutral", "change", "sustain", "neutral"),
    )


def test_sessions_come_in_the_order_of_their_numbers_and_utterances_in_theirs(tmp_path: Path) -> None:
    rows = [client("change"), therapist("question:open"), client("sustain")]
    sessions = read_annomi(write(tmp_path, [rows] * 11))
    assert [s.video for s in sessions] == [f"video {n}" for n in range(11)]
    path = tmp_path / "annomi" / "AnnoMI-full.csv"
    head, *lines = path.read_text(encoding="utf-8").splitlines()
    path.write_text("\n".join([head, *reversed(lines)]), encoding="utf-8")
    assert read_annomi(tmp_path) == sessions


def test_of_several_annotators_the_first_speaks(tmp_path: Path) -> None:
    first = {"utterance_id": "0"} | client("change")
    second = {"utterance_id": "0"} | client("sustain")
    (session,) = read_annomi(write(tmp_path, [[first, second]]))
    assert session.talk == ("change",)


def test_a_folder_without_the_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(UnreadableFile, match=r"AnnoMI-full\.csv; give the folder"):
        check(tmp_path)


def test_a_file_without_the_columns_is_named(tmp_path: Path) -> None:
    columns = [c for c in COLUMNS if c != "video_title"]
    with pytest.raises(UnreadableFile, match="video_title"):
        read_annomi(write(tmp_path, [[client("change")] * 4], columns=columns))


def states(*labels: Line) -> dict[str, list[float]]:
    found = states_of(Coded("v", labels, ("neutral",) * len(labels)))
    return {name: found[:, i].tolist() for i, name in enumerate(STATES)}


def test_the_state_answers_the_labels_by_the_dynamics() -> None:
    pushed, heard, nothing = (states(*[labels] * 8) for labels in (("input:advice",), ("reflection:complex",), ()))
    assert pushed["reactance"][-1] > 0.3 > heard["reactance"][-1]
    assert pushed["openness"][-1] < nothing["openness"][-1] < heard["openness"][-1]
    assert pushed["alliance"][-1] < heard["alliance"][-1]
    assert pushed["distress"][-1] > heard["distress"][-1]
    assert all(0.0 <= v <= 1.0 for of in (pushed, heard, nothing) for values in of.values() for v in values)
    simple = states(*[("reflection:simple",)] * 8)
    assert nothing["openness"][-1] < simple["openness"][-1] < heard["openness"][-1]


def test_a_state_knows_nothing_of_the_labels_after_it_and_shuffling_changes_their_order_only() -> None:
    one, other = states(("input:advice",), ("question:open",)), states(("input:advice",), ("reflection:complex",))
    assert all(one[name][0] == other[name][0] for name in STATES)
    assert one != other
    session = Coded("v", tuple((name,) for name in ["input:advice"] * 6 + ["reflection:complex"] * 6), ("change",) * 12)
    assert states_of(session).tolist() == states_of(session).tolist()
    assert not np.array_equal(states_of(session, order=Random(1)), states_of(session))
    same = Coded("v", (("question:open",),) * 12, ("change",) * 12)
    assert np.array_equal(states_of(same, order=Random(1)), states_of(same))


def invented(folder: Path, talk: Callable[[Random, int], str], *, sessions: int = 15, turns: int = 16) -> list[Finding]:
    """The findings on sessions whose therapist warms up, then pushes or goes on, and whose clients answer by `talk`.

    `talk` is told how many of the last three therapist turns pushed.
    """
    rng, made = Random(100), []
    for _ in range(sessions):
        rows, pushes = [], [0, 0, 0]
        for _ in range(turns):
            push = int(rng.random() < (0.85 if pushes[-1] else 0.15))
            pushes.append(push)
            rows += [therapist("input:advice" if push else "reflection:complex"), client(talk(rng, sum(pushes[-3:])))]
        made.append(rows)
    return check(write(folder, made))


def gains(findings: list[Finding]) -> dict[str, tuple[float, str]]:
    """Gain and verdict by 'what over what'."""
    found = {}
    for f in findings:
        if f.title.startswith("gain of"):
            assert f.value is not None
            assert f.value.estimate is not None
            found[f.title.removeprefix("gain of ").replace("'", "")] = (f.value.estimate, f.note)
    return found


MARKOV = "last talk type and simulated state over Markov chain (last talk type)"
PERMUTED = "last talk type and simulated state over the same, therapist codes permuted"


@pytest.fixture(scope="module")
def noise(tmp_path_factory: pytest.TempPathFactory) -> list[Finding]:
    return invented(tmp_path_factory.mktemp("noise"), lambda rng, pushed: rng.choice(TALK))


@pytest.fixture(scope="module")
def signal(tmp_path_factory: pytest.TempPathFactory) -> list[Finding]:
    def talk(rng: Random, pushed: int) -> str:
        return rng.choice(TALK) if rng.random() < 0.2 else ("change", "neutral", "sustain", "sustain")[pushed]

    return invented(tmp_path_factory.mktemp("signal"), talk)


@pytest.mark.slow
def test_a_state_that_predicts_is_supported(signal: list[Finding]) -> None:
    found = gains(signal)
    assert len(found) == 4
    for name in (MARKOV, PERMUTED):
        gain, note = found[name]
        assert gain > 0.1
        assert note == "supported"


@pytest.mark.slow
def test_pure_noise_is_printed_as_not_supported(noise: list[Finding]) -> None:
    found = gains(noise)
    assert len(found) == 4
    for gain, note in found.values():
        assert gain < 0.05
        assert note.startswith("not supported")


@pytest.mark.slow
def test_losses_are_in_nats_over_videos_and_never_a_bound(noise: list[Finding], signal: list[Finding]) -> None:
    for findings in (noise, signal):
        assert all(f.check == "reality check" and f.asked == "" and f.holds is None for f in findings)
        assert all(f.value is not None and f.value.n == 15 for f in findings)
    loss = {f.title: f.value.estimate for f in noise if f.value and f.title.startswith("log-loss")}
    assert len(loss) == 8
    assert loss["log-loss: marginal"] == pytest.approx(np.log(3), abs=0.03)
    assert all(value is not None and value > np.log(3) - 0.02 for value in loss.values())


@pytest.mark.slow
def test_a_gain_is_the_difference_of_the_two_losses(signal: list[Finding]) -> None:
    loss = {f.title.removeprefix("log-loss: "): f.value.estimate for f in signal if f.value and f.value.estimate}
    better, worse = MARKOV.split(" over ")
    assert gains(signal)[MARKOV][0] == pytest.approx(loss[worse] - loss[better])


@pytest.mark.slow
def test_sessions_of_under_three_client_turns_are_left_out(tmp_path: Path) -> None:
    rng = Random(2)
    short = [[therapist("question:open"), client("change"), therapist("input:advice"), client("sustain")]] * 5
    whole = [
        [row for _ in range(6) for row in (therapist("question:open"), client(rng.choice(TALK)))] for _ in range(6)
    ]
    found = check(write(tmp_path, [*short, *whole]))
    assert all(f.value is not None and f.value.n == 6 for f in found)


@pytest.mark.slow
def test_the_coded_sessions_beside_the_repository() -> None:
    if not (DATA / "annomi" / "AnnoMI-full.csv").is_file():
        pytest.skip("no annomi/AnnoMI-full.csv in ../shared/data beside the repository")
    sessions = read_annomi(DATA)
    assert len(sessions) == 88
    assert {t for s in sessions for t in s.talk} == set(TALK)
    found = {f.title: f for f in check(DATA)}
    loss = {t.removeprefix("log-loss: "): f.value.estimate for t, f in found.items() if f.value and f.value.estimate}
    assert loss["Markov chain (last talk type)"] < loss["marginal"] < np.log(3)
    assert all(f.note.startswith(("supported", "not supported")) for t, f in found.items() if t.startswith("gain of"))
