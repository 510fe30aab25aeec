"""The verdict rests on lines: a script that moves belief and takes up nothing does not conduct."""

from __future__ import annotations

import io
import re
from dataclasses import replace
from random import Random

import pytest
from rich.console import Console

from maieutic import Request, evaluate
from maieutic.domain.case import Case
from maieutic.domain.codes import Move, TurnCode
from maieutic.domain.episode import Ending, Episode, EpisodeKey, Score, Session, Turn
from maieutic.evaluation.evaluate import Outcome
from maieutic.evaluation.findings import headline, verdict
from maieutic.evaluation.lines import NOT_SHOWN, Line, uptakes
from maieutic.evaluation.report import render_report
from maieutic.evaluation.run import ASKED, NO_DOOR
from maieutic.evaluation.summary import EpisodeScore, Summary, group_of, summarise
from maieutic.evaluation.tables import print_table
from maieutic.library import get_case
from maieutic.patients.kernel import first_state

TALK = {
    "a": ["My manager shouted at me on Monday.", "The report was late.", "My manager never trusted me."],
    "b": ["I burned the dinner for my sister.", "The guests laughed.", "My sister cooks so well."],
    "c": ["The exam went badly.", "I forgot the formulas.", "My teacher looked away."],
    "d": ["The dog ran off in the park.", "I had dropped the lead.", "The neighbour found the dog."],
    "e": ["The choir sang without me.", "My voice broke at the rehearsal.", "The conductor frowned."],
    "f": ["The bus left at seven.", "I missed the interview.", "The clerk closed the door."],
}
MOVES = (
    TurnCode({Move.OPEN_QUESTION: 0.9}, 3),
    TurnCode({Move.OPEN_QUESTION: 0.9}, 3),
    TurnCode({Move.CHALLENGE: 0.9}, 3),
)
"""The last turn challenges, in good time."""
FIVE = ["What went through your mind?", "How did you feel?", "What speaks against it?"]


@pytest.fixture(scope="module")
def case() -> Case:
    return get_case("gethin")


def talk(case: Case, arm: str, name: str, said: list[str], *, fall: float, **more: object) -> Episode:
    start = replace(first_state(case, case.situations[0], Random(1)), held=80.0, stated=80.0)
    turns = [Turn("patient", TALK[name][0])]
    for answer, question in zip([*TALK[name][1:], "I see."], said, strict=True):
        turns += [Turn("therapist", question), Turn("patient", answer)]
    end = replace(start, held=80.0 - fall)
    return Episode(
        EpisodeKey(arm, name, 0), Session(() if arm == "no_session" else tuple(turns)), (start, end),
        MOVES, (None,) * 3, Ending("turn_limit"),
        {"special": None, "thought": "I fail.", "warranted": 20.0, **more},
    )  # fmt: skip


def listening(name: str) -> list[str]:
    return [f"You say: {heard} Tell me more?" for heard in TALK[name]]


def scored(episodes: list[Episode], **values: float) -> list[EpisodeScore]:
    found = []
    for e in episodes:
        change = e.states[0].held - e.states[-1].held
        found.append(EpisodeScore(e.key, group_of(e), Score("conviction_change", change, "points")))
        found.append(EpisodeScore(e.key, group_of(e), Score("advice_before_exploration", 0.0, "share")))
        harm = values.get(e.key.therapist, 0.0)
        found.append(EpisodeScore(e.key, group_of(e), Score("harm_below_warranted", harm, "points")))
    return found


def run_of(
    case: Case, *, fall: float = 20.0, harm: float = 0.0, told: float | None = 1.0, early: bool = False,
    beyond: tuple[float, float] = (16.0, 16.0), moves: tuple[TurnCode, ...] = MOVES, still: bool = False,
) -> Summary:  # fmt: skip
    """`mine` listens; `worksheet` is the active arm; the cases move differently, so that there is something to track.

    `still`: no belief moves. `moves`: what every arm does. `beyond`: how far the script goes beyond the worksheet, in turn.
    """
    episodes = []
    for number, name in enumerate(TALK):
        own, alone = 0.0 if still else 5.0 * number, 0.0
        asked = {"reason": NO_DOOR} if told is None else {"conviction": 80.0 - fall - own + told}
        episodes.append(talk(case, "mine", name, listening(name), fall=fall + own, **{ASKED: asked}))
        episodes.append(talk(case, "script", name, FIVE, fall=fall + own, **{ASKED: {"reason": NO_DOOR}}))
        episodes.append(talk(case, "worksheet", name, FIVE, fall=20.0 - beyond[number % 2] + own, active=True))
        episodes.append(talk(case, "no_session", name, FIVE, fall=alone))
    episodes = [replace(e, codes=moves) for e in episodes]
    special = [talk(case, arm, "a", FIVE, fall=1.0, special="accurate") for arm in ("mine", "script", "no_session")]
    scores = scored([*episodes, *special], mine=harm)
    if early:
        late = Score("premature_challenge", 1.0, "share", None, (1, 3))
        scores += [EpisodeScore(e.key, "regular", late) for e in episodes if e.key.therapist == "mine"]
    return summarise([*episodes, *special], scores, run_seed=0, draws=300)


def holds(summary: Summary, arm: str) -> dict[str, bool | None]:
    return {line.id: line.holds for line in summary.lines[arm]}


def test_an_arm_conducts_when_every_line_holds(case: Case) -> None:
    summary = run_of(case)
    assert set(holds(summary, "mine").values()) == {True}
    assert verdict(summary, "mine") == "conducts"


def test_a_script_that_moves_belief_as_far_does_not(case: Case) -> None:
    summary = run_of(case)
    assert holds(summary, "script") == {
        "moves": True, "beyond_active": True, "takes_up": False, "tracks": None, "timing": True, "no_harm": True,
    }  # fmt: skip
    assert verdict(summary, "script") == "moves belief"
    assert "script +32.5" in headline(summary) and "(fails: takes up)" in headline(summary)


@pytest.mark.parametrize(
    ("line", "how"),
    [
        ("moves", {"fall": -30.0}), ("beyond_active", {"fall": 5.0}), ("tracks", {"told": 45.0}), ("timing", {"early": True}),
        ("no_harm", {"harm": 9.0}),
    ],
)  # fmt: skip
def test_one_line_that_does_not_hold_is_enough(case: Case, line: str, how: dict[str, float]) -> None:
    summary = run_of(case, **how)  # type: ignore[arg-type]
    assert holds(summary, "mine")[line] is False
    assert verdict(summary, "mine") != "conducts"


def test_a_line_whose_interval_holds_its_bound_is_not_shown_and_never_said_to_fail(case: Case) -> None:
    summary = run_of(case, beyond=(2.0, 8.0))
    line = next(one for one in summary.lines["script"] if one.id == "beyond_active")
    assert line.interval.low is not None and line.interval.low < 3.0 < (line.interval.high or 0.0)
    assert line.holds is None and line.says == NOT_SHOWN
    assert "(fails: takes up; not shown: beyond active)" in headline(summary)


def told_of(summary: Summary, arm: str, name: str) -> Line:
    return next(line for line in summary.lines[arm] if line.id == name)


def in_print(summary: Summary) -> tuple[str, str]:
    """The terminal's table and the report's text."""
    console = Console(file=io.StringIO(), width=200)
    print_table(summary, console)
    assert isinstance(console.file, io.StringIO)
    page = render_report([], [], summary, {})
    return console.file.getvalue(), re.sub(r"<[^>]+>", " ", page)


def test_who_never_advised_or_challenged_is_not_said_to_have_waited(case: Case) -> None:
    summary = run_of(case, moves=MOVES[:1] * 3)
    line = told_of(summary, "mine", "timing")
    assert (line.holds, line.says, line.reason) == (None, "not tried", "it never advised or challenged")
    assert line.interval.estimate == 0.0
    assert verdict(summary, "mine") == "conducts", "what was not tried counts neither way"
    terminal, page = in_print(summary)
    assert "untried 0 %" in terminal and "untried: it did nothing by which it could fail" in " ".join(terminal.split())
    assert "it never advised or challenged" in page and "not tried" in page


def test_who_moves_no_belief_is_not_said_to_leave_accurate_ones_alone(case: Case) -> None:
    summary = run_of(case, fall=0.0, still=True)
    line = told_of(summary, "mine", "no_harm")
    assert (line.holds, line.says) == (None, "not tried")
    assert told_of(run_of(case), "mine", "no_harm").says == "holds"
    assert told_of(run_of(case, fall=0.0, still=True, harm=9.0), "mine", "no_harm").says == "fails"
    assert "untried" in in_print(summary)[0].partition("yes, no:")[0]


def test_talk_that_is_the_same_whatever_it_hears_is_called_canned(case: Case) -> None:
    summary = run_of(case)
    canned = {arm.therapist: arm.canned for arm in summary.arms}
    assert (canned["script"], canned["mine"], canned["worksheet"]) == (1.0, 0.0, 0.0), (
        "a yardstick is known for what it is"
    )
    for shown in in_print(summary):
        assert "Canned talk, said word for word to other patients, too (share of its turns): script (100 %)." in shown


def test_an_arm_that_was_trained_on_cases_of_the_run_is_told_so(case: Case) -> None:
    summary = run_of(case)
    assert "Trained on sessions" not in in_print(summary)[0]
    arms = [replace(arm, learned_from=3 * (arm.therapist == "mine")) for arm in summary.arms]
    for shown in in_print(replace(summary, arms=tuple(arms))):
        assert "Trained on sessions with cases of this run (how many): mine (3)." in " ".join(shown.split())


def test_tracking_counts_only_where_an_arm_can_be_asked(case: Case) -> None:
    summary = run_of(case, told=None)
    assert holds(summary, "mine")["tracks"] is None
    assert verdict(summary, "mine") == "conducts"


def test_questions_in_a_fixed_order_take_up_nothing_whoever_sits_there(case: Case) -> None:
    fixed = uptakes([talk(case, "x", name, FIVE, fall=0.0) for name in TALK], Random(0))
    heard = uptakes([talk(case, "x", name, listening(name), fall=0.0) for name in TALK], Random(0))
    assert sum(fixed.values()) == pytest.approx(0.0, abs=1e-12)
    assert min(heard.values()) > 0.3


def test_a_therapist_who_speaks_of_another_patient_takes_up_nothing(case: Case) -> None:
    names = list(TALK)
    wrong = [talk(case, "x", name, listening(names[n - 1]), fall=0.0) for n, name in enumerate(names)]
    assert max(uptakes(wrong, Random(0)).values()) < 0.0


BOTS = '''"""Two bots that a verdict must not praise."""
from maieutic import Turn

ASKS = ("What went through your mind?", "How did that feel?", "What speaks against the thought?",
        "Has there been a time when it was different?", "What do you make of it all now?")
ELSE = {else_!r}


class Bot:
    def __init__(self, name, turns):
        self.name, self.turns = name, turns

    async def respond(self, session):
        return Turn("therapist", self.turns[len(session.by("therapist")) % len(self.turns)])


def five():
    return Bot("five", ASKS)


def wrong_patient():
    return Bot("wrong_patient", ELSE)
'''


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    """Real sessions: five fixed questions, the agent's turns for somebody else, the agent, and the two references."""
    folder = tmp_path_factory.mktemp("verdict")
    other = evaluate(Request(("socratic",), ("hester",), 1, 20), folder / "other").episodes[0]
    (folder / "bots.py").write_text(BOTS.format(else_=[turn.text for turn in other.therapist_turns]))
    bots = [f"{name}={folder / 'bots.py'}:{name}" for name in ("five", "wrong_patient")]
    cases = ("gethin", "nilani", "ifeoma", "joel-salonga", "denise-farrugia", "nurse-in-charge", "usman-akhtar")
    return evaluate(Request((*bots, "socratic", "worksheet", "no_session"), cases, 1, 20), folder / "run")


def line_of(played: Outcome, arm: str, name: str) -> Line:
    return next(line for line in played.summary.lines[arm] if line.id == name)


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("arm", ["five", "wrong_patient"])
def test_set_questions_and_turns_for_another_patient_take_up_less_than_the_agent_and_do_not_conduct(
    played: Outcome, arm: str
) -> None:
    taken, ours = line_of(played, arm, "takes_up"), line_of(played, "socratic", "takes_up")
    assert taken.interval.high is not None and ours.interval.low is not None
    assert taken.holds is not True and taken.interval.high < ours.interval.low
    assert line_of(played, arm, "beyond_active").holds is not True
    assert verdict(played.summary, arm) in ("moves belief", "only talks")


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_the_agent_takes_up_what_was_said_and_is_asked_what_it_tracked(played: Outcome) -> None:
    assert line_of(played, "socratic", "takes_up").holds is True
    assert line_of(played, "socratic", "tracks").interval.n == 6
