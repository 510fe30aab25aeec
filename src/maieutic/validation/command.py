"""`maieutic validate`: the evidence that the simulator can be believed; exit 1 when a bound is broken."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from maieutic.cli.joined import joined_group
from maieutic.cli.screen import counted, tell, tell_page
from maieutic.errors import InputError
from maieutic.runs.folder import refuse_file

if TYPE_CHECKING:
    from maieutic.validation.patients import Size

ORDER = ("patients", "tracker", "agent", "judge", "model", "gap", "retest", "coder")
app = typer.Typer(
    cls=joined_group("validate", ORDER),
    no_args_is_help=True,
    help="Check that simulator and measures can be believed.",
    rich_markup_mode=None,
)


@app.command("patients")
def patients(
    quick: Annotated[bool, typer.Option("--quick", help="Fewer seeds and shifts, up to 4 minutes; for CI.")] = False,
    full: Annotated[bool, typer.Option("--full", help="All cases, ten seeds; may take an hour.")] = False,
    split: Annotated[str | None, typer.Option(help="dev, test or all. Default: dev; all with --full.")] = None,
    data: Annotated[
        Path | None, typer.Option(help="Folder that has annomi/AnnoMI-full.csv: adds the reality check.")
    ] = None,
    voice: Annotated[
        str | None, typer.Option(help="A model to voice some sessions with, such as embedded or http://…#model.")
    ] = None,
    comprehension: Annotated[
        str | None, typer.Option(help="A model to read the held-out turns with, beside the embedded reading.")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with what was played into --out before.")] = False,
    out: Annotated[Path, typer.Option(help="Where report.html and findings.json go.")] = Path("validation"),
) -> None:
    """Play the simulated patients against arms that must and must not move them, and judge every bound.

    About half an hour on 2 cores. Ends with 1 when a bound is broken.

    \b
    Examples:
      maieutic validate patients --quick
      maieutic validate patients --data ../shared/data --out validation
      maieutic validate patients --voice http://localhost:8000/v1#my-model
    """
    from maieutic.validation.patients import asked_of_models, check_inputs, gather, make_plan, page
    from maieutic.validation.sessions import row_store

    if quick and full:
        raise InputError("--quick and --full exclude each other; choose one")
    refuse_file(out)
    size: Size = "quick" if quick else "full" if full else "default"
    plan = make_plan(size, split)
    check_inputs(data, voice, comprehension)
    asked = asked_of_models(size, plan, voice=voice, comprehension=comprehension)
    tell(f"{plan.sessions + asked} sessions to play; writing to {out}")
    store = row_store(out / "rows.jsonl", resume=resume)
    models = {"voice": voice, "comprehension": comprehension}
    with counted("sessions", plan.sessions + asked) as tick:
        evidence = gather(size, tick=tick, split=split, data=data, **models, plan=plan, store=store)
    below = (
        "Belief change through self-produced evidence is this model's assumption, not a finding; conviction "
        "dynamics are not validated on humans."
    )
    tell_page(page(evidence), out, quick=quick, below=below)


@app.command("coder")
def coder(
    data: Annotated[
        Path | None, typer.Option(help="Folder of research data that the stored figures are of (annomi/, bolt/ …).")
    ] = None,
    out: Annotated[Path, typer.Option(help="Where report.html and findings.json go.")] = Path("validation/coder"),
    quick: Annotated[
        bool, typer.Option("--quick", help="Fewer bootstrap samples, no coding of other recordings; seconds.")
    ] = False,
) -> None:
    """Recompute every figure of the behaviour coder from stored out-of-fold probabilities and human codes.

    Refuses when the data are not those that the figures are of. Without --quick the packaged coder also codes
    recordings that it was not fitted on, which takes minutes. Ends with 1 when a point estimate misses its bound; the
    report says beside it whether the whole interval reaches the bound.

    \b
    Examples:
      maieutic validate coder --data ../shared/data
      maieutic validate coder --data ../shared/data --quick --out validation/coder
    """
    from maieutic.validation.coder.datasets import gold
    from maieutic.validation.coder.evidence import RULE, gather, page, stored_heads
    from maieutic.validation.coder.transfer import packaged_transfers, sessions_to_code

    if data is None:
        raise InputError(
            "validate coder needs the research data its figures are of, which are not shipped: get AnnoMI and the "
            "others as docs/validation-coder.md says and add --data FOLDER. The figures themselves stand on that page"
        )
    refuse_file(out)
    kept = stored_heads(data)
    transferred = None
    if not quick:
        sessions = sessions_to_code(data)
        tell(f"{sessions} sessions to code; writing to {out}")
        with counted("sessions", sessions) as tick:
            transferred = packaged_transfers(data, kept, tick=tick)
    evidence = gather(data, kept, gold=gold, transferred=transferred, quick=quick)
    tell_page(page(evidence), out, quick=quick, below=RULE)
