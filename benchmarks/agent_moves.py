"""What every turn of the Socratic agent does, and why a turn after the beginning is no work on the thought.

    maieutic evaluate --cases dev --therapist socratic --therapist no_session --seeds 1 --out runs/moves
    python benchmarks/agent_moves.py runs/moves

Reads the traces of a stored run; plays nothing. The first table: each move with its share, how often it comes in a session, and by how
much held conviction falls in the reply to it. The second: the turns from the fifth on, the last two left out, by what kept them from the
thought. Ordinary cases and accurate thoughts stand apart; cases with risk are left out.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from random import Random
from typing import Any

from maieutic.domain.episode import Episode
from maieutic.evaluation.evaluate import read_run
from maieutic.language.feelings import feelings_in
from maieutic.stats import bootstrap_mean
from maieutic.therapists.agent.conduct import WORK
from maieutic.therapists.agent.guide import OPENS_QUOTING, gives_back
from maieutic.therapists.agent.steps import CHALLENGING, RECALLS, RISK_STEPS, Step
from maieutic.therapists.socratic import DANGER_TOLD, SIGN_OF_DANGER

ON_THE_THOUGHT = CHALLENGING | set(WORK)
FROM, LAST = 5, 2
FELT = re.compile(r"You (?:felt|feel|are|were|'re) (\w+)\.")
"""A turn that says a feeling back by its word, or a state by one."""
SEVERAL = re.compile(r"(\w+(?:, \w+)*), and (\w+)\.")
"""A turn that says several back ("Ashamed, and sad.")."""
ANSWERED_FIRST = {
    Step.REPAIR: "the patient pushes back",
    Step.LISTEN: "the patient pushes back",
    Step.DONT_KNOW: "the patient does not know, or will not go into it",
    Step.REWORD: "the question was not understood",
    Step.COPE: "the thought looks true",
}
OTHERWISE_KEPT = "odd input, a question back, information, or the end"
STILL_ASKED = {Step.SITUATION, Step.THOUGHT, Step.MEANING, Step.FEELING, Step.BACKGROUND, Step.GOAL}


def kept_from(trace: Mapping[str, Any]) -> str:
    """Why a turn is no work on the thought, by its trace; that it is such work where it is."""
    step, reason = Step(trace["step"]), str(trace["reason"])
    if step in ON_THE_THOUGHT:
        return "work on the thought"
    if step in RISK_STEPS:
        return "a turn of the risk protocol"
    if reason == SIGN_OF_DANGER:
        return "wanted, and held back at a sign of danger"
    if reason == DANGER_TOLD:
        return "wanted, and held back as thoughts of death were told"
    if step in ANSWERED_FIRST:
        return ANSWERED_FIRST[step]
    if step in (Step.RATE, Step.RATE_AGAIN):
        return "a number is asked for"
    if step in STILL_ASKED:
        return "thought, feeling or history are still asked for"
    if step in RECALLS:
        return "somebody or something told earlier is asked about"
    if step is Step.FALLBACK:
        return "every wording was refused"
    if step is not Step.FOLLOW:
        return OTHERWISE_KEPT
    if not trace.get("formulation", {}).get("thought"):
        return "followed: no thought is known"
    if trace["lead"] == "echo_feeling":
        return "followed: a feeling is met first"
    rivals = [option for option, *_ in trace["considered"] if Step(option) in ON_THE_THOUGHT]
    return "followed: that suits the reply better" if rivals else "followed: no work makes sense here"


def table(title: str, episodes: Iterable[Episode]) -> None:
    moves: Counter[str] = Counter()
    kept: Counter[str] = Counter()
    falls: dict[str, list[tuple[float, str]]] = defaultdict(list)
    sessions = 0
    for episode in episodes:
        sessions += 1
        turns = [turn.trace for turn in episode.therapist_turns if turn.trace]
        for at, trace in enumerate(turns):
            moves[trace["step"]] += 1
            if at + 1 < len(episode.states):
                fall = episode.states[at].held - episode.states[at + 1].held
                falls[trace["step"]].append((fall, episode.key.case))
            if FROM <= at + 1 <= len(turns) - LAST:
                kept[kept_from(trace)] += 1
    print(f"\n{title}: {sessions} sessions, {moves.total()} turns")
    for step, count in moves.most_common():
        each = falls[step]
        value = bootstrap_mean([fall for fall, _ in each], clusters=[case for _, case in each], rng=Random(7))
        within = "one case" if value.low is None else f"{value.low:+.2f}, {value.high:+.2f}"
        by = f"{value.estimate:+.2f} [{within}]"
        print(f"  {step:18} {count / moves.total():6.1%} {count / sessions:6.2f} a session, conviction falls {by}")
    print(f"  turns {FROM} to the last but {LAST}, {kept.total()}:")
    for why, count in kept.most_common():
        print(f"    {count / kept.total():6.1%} {why}")


def felt_words(text: str) -> list[str]:
    """The words by which a turn says feelings, or a state, back at its beginning."""
    one, several = FELT.match(text), SEVERAL.match(text)
    if one:
        return [one[1]]
    found = [*several[1].lower().split(", "), several[2]] if several else []
    return found if all(feelings_in(word) for word in found) else []


def given_back(episodes: Iterable[Episode]) -> tuple[int, int, int, list[str]]:
    """Turns that open with something of the reply before; of these in quotation marks; feelings said back; and those of them whose
    word the patient had not said."""
    back = quoted = 0
    felt, untold = [], []
    for episode in episodes:
        heard, before = "", ""
        for turn in episode.session.turns:
            if turn.speaker == "patient":
                before, heard = turn.text, f"{heard} {turn.text.lower()}"
                continue
            back += gives_back(turn.text, before)
            quoted += turn.text.startswith(OPENS_QUOTING)
            told = felt_words(turn.text)
            felt += told
            untold += [one for one in told if one not in heard]
    return back, quoted, len(felt), untold


def main() -> None:
    """Prints."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=Path, help="A run folder with the arm in it.")
    parser.add_argument("--arm", default="socratic")
    options = parser.parse_args()
    episodes = read_run(options.run)[1]
    played = [one for one in episodes if one.key.therapist == options.arm]
    if not played:
        parser.error(
            f"no sessions of {options.arm}; there are {', '.join(sorted({e.key.therapist for e in episodes}))}"
        )
    table("ordinary cases", [one for one in played if one.provenance["special"] is None])
    back, quoted, felt, untold = given_back(played)
    print(
        f"\nall sessions: {back} turns open with something given back, {quoted} with a quotation; a feeling is said back in {felt}, not"
    )
    print(f"told before in {len(untold)}: {', '.join(untold)}")
    accurate = [one for one in played if one.provenance["special"] == "accurate"]
    if accurate:
        table("accurate thoughts", accurate)


if __name__ == "__main__":
    main()
