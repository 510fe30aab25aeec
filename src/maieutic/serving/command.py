"""`maieutic serve`: therapists, patients and coders behind the OpenAI API; `maieutic serve openenv`: patients to train
with."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from maieutic.cli.options import PatientKind, needs
from maieutic.cli.screen import say, screen, tell
from maieutic.errors import InputError, refuse_below

app = typer.Typer(
    add_completion=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["--help"]},
)
_Host = Annotated[str, typer.Option(help="Address to listen on; any but this machine's own needs --api-key.")]
_Port = Annotated[int, typer.Option(help="Port; 0 takes a free one and says which.")]
_Cases = Annotated[
    list[str] | None,
    typer.Option(help="Patients to offer: ids, YAML files or starter, dev, test; repeat for more. Default: all."),
]


@app.callback(invoke_without_command=True)
def serve(
    context: typer.Context,
    host: _Host = "127.0.0.1",
    port: _Port = 8000,
    api_key: Annotated[
        str | None,
        typer.Option(envvar="MAIEUTIC_SERVE_KEY", help="Ask for this key; better given as MAIEUTIC_SERVE_KEY."),
    ] = None,
    model: Annotated[
        list[str] | None,
        typer.Option(help="A language model that may word therapists: offers socratic:MODEL, prompted:MODEL … Repeat."),
    ] = None,
    cases: _Cases = None,
    patient: PatientKind = "simulated",
    strict: Annotated[
        bool, typer.Option("--strict", help="Refuse histories that a model cannot have said (409).")
    ] = False,
    allow_explain: Annotated[
        bool, typer.Option("--allow-explain", help="Give plan, belief and hidden state to clients that ask for them.")
    ] = False,
    log: Annotated[
        Path | None, typer.Option(help="Record requests in this folder, redacted. Default: nowhere.")
    ] = None,
    max_body: Annotated[int, typer.Option(help="Bytes of a request at most.")] = 1_000_000,
    max_turns: Annotated[int, typer.Option(help="Turns of a conversation at most.")] = 200,
    max_in_flight: Annotated[int, typer.Option(help="Requests at once; one more is sent away (429).")] = 64,
    timeout: Annotated[float, typer.Option(help="Seconds for one reply.")] = 120.0,
) -> None:
    """Serve therapists, simulated patients and coders behind the OpenAI API.

    Models: maieutic/socratic, maieutic/patient/CASE[@STYLE], maieutic/coder/SCHEME and all others that /v1/models
        lists.
    Stateless: the same messages and seed give the same reply. Nothing is recorded without --log. SIGTERM and Ctrl-C
    answer what came and stop. A research and training tool: never put it in front of a person in distress.

    \b
    Examples:
      maieutic serve
      maieutic serve --port 0 --model embedded
      maieutic serve --model http://localhost:8001/v1#my-model --allow-explain
      MAIEUTIC_SERVE_KEY=… maieutic serve --host 0.0.0.0 --strict --log served
      maieutic serve --patient simulated+llm:http://localhost:8001/v1#my-model
      maieutic serve openenv --reward conviction_change
    """
    if context.invoked_subcommand is not None:
        return
    needs("serve", "fastapi", "uvicorn", "prometheus_client")
    from maieutic.serving.gate import Limits
    from maieutic.serving.server import bound, is_loopback

    refuse_below(1, max_body=max_body, max_turns=max_turns, max_in_flight=max_in_flight)
    if not 0 < timeout < float("inf"):
        raise InputError(f"--timeout must be a number of seconds above 0, got {timeout}")
    if api_key == "":
        raise InputError("the key is empty; give --api-key or MAIEUTIC_SERVE_KEY a word, or leave them out")
    if api_key is None and not is_loopback(host):
        raise InputError(f"{host} can be reached from other machines: set MAIEUTIC_SERVE_KEY (or --api-key) first")
    with bound(host, port) as listening:
        from maieutic.safety.handover import DISCLAIMER
        from maieutic.serving.app import Settings, create_app
        from maieutic.serving.completions import RequestLog
        from maieutic.serving.offers import offered
        from maieutic.serving.server import address
        from maieutic.serving.server import serve as run

        offers = offered(models=tuple(model or ()), cases=tuple(cases or ()), patient=patient)
        record = RequestLog(log) if log is not None else None
        limits = Limits(max_body, max_turns, max_in_flight, timeout)
        built = create_app(offers, Settings(api_key, strict, allow_explain, record, limits))
        where = address(listening)
        screen().print(f"[dim]{DISCLAIMER}[/dim]")
        say(f"{len(list(offers.ids()))} models at {where}/v1 (about it: {where}/docs)\nCtrl-C stops.")
        run(built, listening, patience=timeout)
    tell("stopped; every request that came in was answered")


@app.command("openenv")
def openenv(
    host: _Host = "127.0.0.1",
    port: _Port = 8000,
    reward: Annotated[
        str, typer.Option(help="A measure of which one direction is better; each turn earns what it adds to it.")
    ] = "conviction_change",
    cases: _Cases = None,
    turns: Annotated[int, typer.Option(help="Therapist turns of a session at most.")] = 20,
    sessions: Annotated[int, typer.Option(help="Sessions at once.")] = 64,
) -> None:
    """Serve simulated patients as an OpenEnv environment, to train therapist models with.

    reset(seed, episode_id, case) begins a session, step({"text": …}) says a therapist turn, state() tells what was said
    and never the mind behind it. The default cases are the development cases; nothing is to be trained on test cases.

    
    Examples:
      maieutic serve openenv
      maieutic serve openenv --reward evidence_weighed --cases gethin --turns 8
      openenv validate --url http://127.0.0.1:8000
    """
    needs("openenv", "openenv", "uvicorn")
    from maieutic.serving.server import address, bound, is_loopback

    refuse_below(1, turns=turns, sessions=sessions)
    if not is_loopback(host):
        raise InputError(f"{host} can be reached from other machines, and OpenEnv asks for no key: use 127.0.0.1")
    with bound(host, port) as listening:
        from maieutic.serving.offers import training_ground
        from maieutic.serving.server import serve as run

        ground = training_ground(tuple(cases or ("dev",)), reward, turns=turns)
        # OpenEnv takes seconds to load: what is wrong has been told before.
        from maieutic.serving.openenv_door import environment

        built = environment(ground, reward, sessions=sessions)
        say(
            f"{len(ground.cases)} cases, {sessions} sessions at once at {address(listening)}\nReward: "
            f"{reward}. Ctrl-C stops."
        )
        run(built, listening, patience=30.0)
