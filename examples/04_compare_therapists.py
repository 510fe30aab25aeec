"""Compare arms on a few cases: the effect of each is its paired difference to no session, with an interval over cases."""  # noqa: E501

import tempfile
from pathlib import Path

from maieutic import Request, evaluate

request = Request(
    therapists=("socratic", "eliza", "no_session"),
    cases=(
        "nurse-in-charge",
        "gethin",
        "joel-salonga",
        "nilani",
        "fathers-temper",
        "closed-workshop",
    ),  # an interval takes six
    seeds=1,
    turns=12,
)
with tempfile.TemporaryDirectory() as folder:
    outcome = evaluate(request, Path(folder) / "run")
    for arm in outcome.summary.arms:
        row = outcome.summary.row("effect", arm.therapist)
        if row is not None:
            effect = row.interval
            print(
                f"{arm.therapist:10} effect {effect.estimate:5.1f} [{effect.low:.1f}, {effect.high:.1f}], {effect.n} cases"  # noqa: E501
            )
    print(sorted(path.name for path in outcome.folder.iterdir()))
