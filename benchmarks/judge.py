"""How well a language model as judge agrees with people on BOLT's therapist codes, beside the embedded coder on the same utterances.

    python benchmarks/judge.py --model http://localhost:8000/v1#my-model --data ../shared/data
    python benchmarks/judge.py --model gguf:PATH --samples 1 --limit 100

Each utterance stands alone, as in the set. One that the judge could not code carries no code; how many is said. The embedded
coder's codes are its stored out-of-fold ones. Answers are kept (`--answers`; they quote the data, so they stay out of the repository): the same command goes on after a stop.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from datetime import date
from pathlib import Path

import numpy as np

from maieutic.cli.screen import watched
from maieutic.coding.book import Coding
from maieutic.coding.schemes import get_scheme
from maieutic.errors import MaieuticError
from maieutic.judging.coder import JudgeCoder, Missing
from maieutic.registry import load_model
from maieutic.stats import Interval
from maieutic.transcripts.utterance import Utterance
from maieutic.validation.coder import figures, stored
from maieutic.validation.coder.datasets import gold

HEAD = "bolt_therapist"
RESULTS = Path(__file__).parent / "results"


def main() -> int:
    """Prints the figures, and writes them to `results/judge.json`; returns 0."""
    about = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    about.add_argument(
        "--model", required=True, help="the judge, such as http://localhost:8000/v1#my-model or gguf:PATH"
    )
    about.add_argument("--data", type=Path, default=Path("../shared/data"), help="folder of research data")
    about.add_argument("--samples", type=int, default=3, help="answers for each utterance")
    about.add_argument("--limit", type=int, help="only so many utterances, spread over the set")
    about.add_argument("--answers", type=Path, default=Path("judge.answers.jsonl"), help="where answers are kept")
    about.add_argument("--no-write", action="store_true", help="only print")
    given = about.parse_args()

    kept = stored.read(HEAD)
    if kept is None:
        print("no out-of-fold codes of the embedded coder are stored", file=sys.stderr)
        return 2
    stored.check_data(kept, given.data)
    people = gold(HEAD, given.data)
    flags, _, _, _ = stored.aligned(kept, people)
    texts = {row.id: row.text for row in people}
    chosen = np.arange(len(kept.rows))
    if given.limit is not None and given.limit < len(chosen):
        chosen = np.unique(np.linspace(0, len(chosen) - 1, given.limit).round().astype(int))
    with JudgeCoder(get_scheme("bolt"), load_model(given.model), samples=given.samples, journal=given.answers) as judge:
        sessions = [[Utterance("therapist", texts[kept.rows[row]])] for row in chosen]
        print(judge.estimate(sessions), file=sys.stderr)
        with watched("answers") as tell:
            codings = [
                one for (one,) in judge.judge_table(sessions, lambda done, total: tell(done, total, given.model))
            ]
    said = np.array([[isinstance(one, Coding) and label in one.predicted for label in kept.labels] for one in codings])
    silent = sum(isinstance(one, Missing) for one in codings)
    embedded = figures.chosen(kept.probabilities, kept.threshold)[:, chosen]
    found = {
        "judge": _figure(flags[chosen], said[None]) if silent < len(codings) else Interval(None, None, None, 0),
        "embedded coder, out of fold": _figure(flags[chosen], embedded),
        "commonest code": _figure(flags[chosen], figures.majority(flags)[chosen][None]),
    }
    print(f"{len(chosen)} utterances, {len(kept.labels)} codes; {silent} that the judge could not code")
    for name, value in found.items():
        told = "missing" if value.estimate is None else f"{value.estimate:.3f} [{value.low:.3f}, {value.high:.3f}]"
        print(f"{name}: macro-F1 {told}")
    if not given.no_write:
        facts = {
            "made": date.today().isoformat(), "model": Path(given.model).name, "samples": given.samples,
            "utterances": len(chosen), "not_coded": silent,
            "macro_f1": {name: [value.estimate, value.low, value.high] for name, value in found.items()},
        }  # fmt: skip
        (RESULTS / "judge.json").write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")
    return 0


def _figure(truth: figures.Flags, given: figures.Flags) -> Interval:
    """Macro-F1 with an interval over utterances; `given` is (repeats, n, labels)."""
    table = figures.f1_table(truth, given, figures.places(list(range(len(truth)))))
    return figures.interval([table], figures.mean_macro_f1, rng=random.Random(0))


if __name__ == "__main__":
    try:
        sys.exit(main())
    except MaieuticError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(2)
