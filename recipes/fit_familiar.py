"""Which words are strange to the tracker, and does it hear them worse? Centres of what development patients say, with left-out figures.

    python recipes/fit_familiar.py --kept DIR --data ../shared/data   # prints, writes centres and threshold into the packaged weights
    python recipes/fit_familiar.py --check --runs RUN                 # figures only; also of sessions that `maieutic evaluate` played

Lines are what the patients of `tracker_sessions.py` say, their cases' own lines, and the own-written utterances that the tracker's heads were fitted on. In
each fold the centres (k-means), and the heads for belief and feeling, leave a fifth of the cases out. Words are strange whose nearness is below that of all but
`STRANGE` of the left-out lines. Research data (`--data`) are only counted. Then log scores from turn 5 on, were the words of strange turns, or of as many
of the next more familiar ones, to count for less (`COUNTS`).
"""

from __future__ import annotations

import argparse
import csv
import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random

import numpy as np
from sklearn.cluster import MiniBatchKMeans

from fit_tracker import Exchange, case_lines, exchanges, folded, write, written
from maieutic.evaluation.evaluate import read_run
from maieutic.library import case_ids, get_case
from maieutic.reading.head import log_shares
from maieutic.reading.minilm import MiniLM
from maieutic.stats import bootstrap_mean
from maieutic.tracking.ear import TARGETS, replied
from maieutic.tracking.familiar import Familiar, packed_centres, unpacked_centres
from maieutic.tracking.space import BELIEFS, EMOTIONS, REPLIES, Floats
from maieutic.tracking.tables import packaged_tables
from maieutic.validation.tracking.forecasted import truth
from reply_kinds import vector_of
from tracker_heads import FROM, _own, heads_without, sessions_of
from tracker_sessions import WORLDS, Played, play

CENTRES = 96
STRANGE = 0.05
"""Share of left-out development lines that are strange."""
COUNTS = (1.0, 0.3, 0.0)
"""What strange words count for, tried one after another."""
TALKS = Path(__file__).parents[1] / "tests" / "patients" / "worded" / "data" / "talks.json"
RESEARCH = {"AnnoMI": ("annomi/AnnoMI-simple.csv", "interlocutor", "utterance_text"),
            "MIBot": ("mibot/MIV6.3A_transcripts.csv", "speaker", "vol_text")}  # fmt: skip
Talks = Sequence[Sequence[Exchange]]


def centres_of(texts: Iterable[str], embed: MiniLM) -> Floats:
    """(96, 384) as they are stored."""
    x = embed(sorted(set(texts))).astype(np.float64)
    found = MiniBatchKMeans(CENTRES, random_state=1, n_init=3, batch_size=2048, max_iter=60).fit(x)
    return unpacked_centres(packed_centres(found.cluster_centers_))


def clients(path: Path, speaker: str, text: str) -> list[str]:
    """What the clients of a research set say."""
    with path.open(encoding="utf-8") as file:
        return [row[text] for row in csv.DictReader(file) if row[speaker] == "client"]


def scored(talks: Talks, near: Sequence[Floats], edge: float, embed: MiniLM, names: Sequence[str]) -> None:
    """Log scores of belief and feeling where strange words, or the next more familiar twentieth, count for less."""
    tables, every = packaged_tables(), np.concatenate(near)
    bands = {"strange": (-1.0, edge), "the next twentieth": (edge, float(np.quantile(every, 2 * STRANGE)))}
    for label, key, space, at in (("category", "belief", BELIEFS, 2), ("emotion", "emotion", EMOTIONS, 3)):
        own_lines = [("", *row) for row in _own(label, key, embed)]
        told_lines = [(line[0], vector_of(embed, line[1]), str(line[at])) for line in case_lines(names)]
        heads = heads_without(own_lines, told_lines, names, space)
        start, weight = np.log(getattr(tables, f"{label}_start")), getattr(tables, f"{label}_weight")
        told = tables.named_feeling if label == "emotion" else 0.0
        own = [
            weight * np.array([heads[talk[0].case].log_probabilities(vector_of(embed, e.text)) for e in talk])
            for talk in talks
        ]
        named = [told * _first(talk) if told else np.zeros((len(talk), 1)) for talk in talks]
        true = [truth(get_case(talk[0].case), talk[0].after)[key] for talk in talks]
        for world in sorted({talk[0].world for talk in talks}):
            part = [n for n, talk in enumerate(talks) if talk[0].world == world and len(talk) > FROM]
            for band, (low, high) in bands.items():
                gained = {}
                for counts in COUNTS:
                    logs = []
                    for n in part:
                        count = np.where((near[n] >= low) & (near[n] < high), counts, 1.0)[:, None]
                        total = start + np.cumsum(count * own[n] + named[n], axis=0)
                        logs.append(float(log_shares(total)[FROM:, true[n]].mean()))
                    gained[counts] = logs
                cases = [talks[n][0].case for n in part]
                lost = {c: bootstrap_mean(np.subtract(gained[c], gained[1.0]).tolist(), clusters=cases, rng=Random(7)) for c in COUNTS[1:]}  # fmt: skip
                shown = ", ".join(f"{c:g}: {one.estimate:+.4f} [{one.low:+.4f}, {one.high:+.4f}]" for c, one in lost.items())  # fmt: skip
                print(f"{world}, {key}: {np.mean(gained[1.0]):.3f}; {band} count {shown}", flush=True)


def _first(talk: Sequence[Exchange]) -> Floats:
    """1 where a feeling is named for the first time, (turns, 9)."""
    named = np.array([[group in e.named for group in EMOTIONS] for e in talk], dtype=np.float64)
    ever = np.maximum.accumulate(named, axis=0)
    return np.diff(ever, axis=0, prepend=0.0)


def of_kinds(talks: Talks, near: Sequence[Floats], edge: float, embed: MiniLM) -> None:
    """Log score of the kind of reply, as the packaged head hears it, by how much it counts beside what the question usually gets."""
    tables = packaged_tables()
    found: dict[tuple[bool, str], list[list[float]]] = {}
    seen = set()
    for talk, close in zip(talks, near, strict=True):
        for e, nearness in zip(talk, close, strict=True):
            if e.question is None or (e.case, e.text, e.question) in seen:
                continue
            seen.add((e.case, e.text, e.question))
            heard = np.log(replied(tables.reply_head, e.text, vector_of(embed, e.text), e.question))
            usual = np.log(np.maximum(tables.reply_share[TARGETS.index(e.question.target)], 1e-4))
            scores = [float(log_shares(c * heard + (1.0 - c) * usual)[REPLIES.index(e.kind)]) for c in (1.0, 0.75, 0.5)]
            found.setdefault((bool(nearness < edge), e.world), []).append(scores)
    for (strange, world), rows in sorted(found.items()):
        print(
            f"kind of reply, {world}, {'strange' if strange else 'other'} ({len(rows)}): counting 1, 0.75, 0.5: {np.round(np.mean(rows, axis=0), 2).tolist()}"
        )


def main() -> None:
    """Play or read, fit, print, write."""
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--kept", type=Path, metavar="DIR", help="keeps sessions there, as fit_tracker.py does")
    asked.add_argument(
        "--runs", type=Path, nargs="*", default=[], metavar="RUN", help="run folders of development cases"
    )
    asked.add_argument(
        "--data", type=Path, metavar="DIR", help="folder of the research sets, to count strange words in"
    )
    asked.add_argument("--check", action="store_true", help="figures only, nothing is written")
    given = asked.parse_args()
    embed, names = MiniLM(cached_texts=200_000), case_ids("dev")
    played = play(names, given.kept)
    played += [Played(run.name, episode) for run in given.runs for episode in read_run(run)[1] if not episode.failed]
    talks = sessions_of(exchanges(played))
    own = [str(row["text"]) for name in ("beliefs", "emotions") for row in written(f"tracker_{name}.jsonl")]
    lines: dict[str, set[str]] = {name: set() for name in names}
    for name, text, *_ in case_lines(names):
        lines[name].add(text)
    for talk in talks:
        lines[talk[0].case] |= {e.text for e in talk if e.world in WORLDS}
    without = dict[str, Familiar]()
    for kept, left in folded(names):
        centres = centres_of([*own, *(text for name in kept for text in lines[name])], embed)
        without |= dict.fromkeys(left, Familiar(centres, 0.0))
    near = [without[talk[0].case].nearness(embed([e.text for e in talk]).astype(np.float64)) for talk in talks]
    once = {(e.world, e.case, e.text): float(n) for talk, close in zip(talks, near, strict=True) for e, n in zip(talk, close, strict=True)}  # fmt: skip
    edge = float(np.quantile([n for (world, *_), n in once.items() if world in WORLDS], STRANGE))
    print(f"strange below {edge:.3f}; share of the lines said, each once a case:")
    for world in sorted({world for world, *_ in once}):
        own_world = [n for (one, *_), n in once.items() if one == world]
        print(f"  {world}: {np.mean(np.array(own_world) < edge):.3f} of {len(own_world)}")
    some = next(iter(without.values()))
    recorded = [without[talk["case"]].nearness(embed(talk["said"]).astype(np.float64)) for talk in json.loads(TALKS.read_text("utf-8"))]  # fmt: skip
    print(
        f"  recorded talks, worded by a model: {np.mean(np.concatenate(recorded) < edge):.3f} of {sum(map(len, recorded))}"
    )
    for name, (path, speaker, text) in RESEARCH.items() if given.data else ():
        said = clients(given.data / path, speaker, text)
        found = some.nearness(embed(said).astype(np.float64)) < edge
        long = np.array([len(one.split()) >= 5 for one in said])
        print(
            f"  clients of {name}: {found.mean():.3f} of {len(said)}; of those of five words and more {found[long].mean():.3f}"
        )
    of_kinds(talks, near, edge, embed)
    scored(talks, near, edge, embed, names)
    all_lines = [*own, *(text for name in names for text in lines[name])]
    write(replace(packaged_tables(), familiar=Familiar(centres_of(all_lines, embed), edge)), check=given.check)


if __name__ == "__main__":
    main()
