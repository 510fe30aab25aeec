"""A measure of your own: a function of a session that says which turns show it, and why it is missing when it is.

It serves simulated sessions and real transcripts alike; this ends in a report of each. On the command line:
`maieutic evaluate --measure examples/02_your_own_measure.py:LongTurns`, `maieutic score talk.csv --measure …`.
"""

from dataclasses import dataclass
from pathlib import Path
from tempfile import mkdtemp

from maieutic import Episode, Request, Score, evaluate, measure, score_paths

TALK = """session,speaker,text
first,client,I said something foolish at the meeting and I feel ashamed.
first,therapist,You feel ashamed of what you said.
first,client,Yes. They must think that I am not up to it.
first,therapist,What did they do that tells you so?
first,client,Nothing really. They went on with the plan.
"""


@dataclass(frozen=True)
class LongTurns:
    """Share of therapist turns longer than twenty words. Unit: share of turns, 0 to 1. Evidence: those turns."""

    id: str = "long_turns"
    unit: str = "share of therapist turns"
    hidden: bool = False

    def __call__(self, episode: Episode) -> Score:
        spoken = [i for i, turn in enumerate(episode.session.turns) if turn.speaker == "therapist"]
        if not spoken:
            return Score(self.id, None, self.unit, reason="the therapist said nothing")
        long = tuple(i for i in spoken if len(episode.session.turns[i].text.split()) > 20)
        return Score(self.id, len(long) / len(spoken), self.unit, evidence=long)


if __name__ == "__main__":
    measure("long_turns")(LongTurns())  # from here on every run in this process scores it
    folder = Path(mkdtemp())

    request = Request(("advice", "worksheet", "no_session"), cases=("gethin",), seeds=1, turns=6)
    run = evaluate(request, folder / "simulated")
    for row in run.summary.rows:
        if row.measure == "long_turns":
            print(row.therapist, row.interval.estimate, dict(row.missing))

    (folder / "talk.csv").write_text(TALK, encoding="utf-8")
    scored = score_paths([folder / "talk.csv"], out=folder / "real")
    print("talk.csv", scored.sessions[0].values["long_turns"])
    print(f"Reports: {folder / 'simulated' / 'report.html'}, {folder / 'real' / 'report.html'}")
