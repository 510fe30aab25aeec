"""`maieutic practice`: the server on which trainees talk to simulated patients, with its backups and its first
admin."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from maieutic.cli.options import PatientKind, needs
from maieutic.cli.screen import say, screen, tell
from maieutic.errors import InputError, refuse_below

if TYPE_CHECKING:
    from maieutic.practice.storage import Settings

app = typer.Typer(add_completion=False, rich_markup_mode=None, context_settings={"help_option_names": ["--help"]})
_Folder = Annotated[Path, typer.Option("--data", help="Folder of the database and the server's secret.")]
_Database = Annotated[
    str | None,
    typer.Option(
        envvar="MAIEUTIC_PRACTICE_DATABASE",
        help="postgresql://USER@HOST/NAME or sqlite:///FILE. Default: SQLite in --data.",
    ),
]


@app.callback(invoke_without_command=True)
def practice(
    context: typer.Context,
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port; 0 takes a free one and says which.")] = 8080,
    data: _Folder = Path("practice-data"),
    database: _Database = None,
    patient: PatientKind = "simulated",
    invited_only: Annotated[
        bool, typer.Option("--invited-only", help="An account needs the invite code of a class.")
    ] = False,
    https: Annotated[
        bool,
        typer.Option("--https", help="The server stands behind TLS; needed on any address but this machine's own."),
    ] = False,
    keep_days: Annotated[
        int | None, typer.Option(help="Delete sessions after so many days. Default: keep them until they are deleted.")
    ] = None,
) -> None:
    """Practise on simulated patients in the browser: talk, formulate, compare, and be told what each question did.

    Opens on SQLite, without a key and without the network. Make the first admin in another terminal; whoever signs up
    is a trainee until the admin makes them a teacher. A training tool: never for a person in distress.

    \b
    Examples:
      maieutic practice
      maieutic practice admin ada
      maieutic practice --data class-2026 --invited-only --keep-days 180
      maieutic practice --host 0.0.0.0 --https --database postgresql://practice@db/practice
      maieutic practice --patient simulated+llm-or-embedded:http://localhost:8000/v1#my-model
      maieutic practice backup monday.backup
      maieutic practice restore monday.backup
    """
    if context.invoked_subcommand is not None:
        return
    _needs()
    from maieutic.practice.storage import Settings
    from maieutic.serving.server import address, bound, is_loopback, serve

    refuse_below(1, keep_days=keep_days)
    if not is_loopback(host) and not https:
        raise InputError(f"{host} can be reached from other machines: put TLS before it and say --https")
    settings = Settings(data, database, patient, invited_only, https, keep_days)
    with bound(host, port) as listening:
        from maieutic.practice.app import create_app
        from maieutic.safety.handover import DISCLAIMER

        built = create_app(settings)
        screen().print(f"[dim]{DISCLAIMER}[/dim]")
        say(f"Practice is open at {address(listening)}\nCtrl-C stops; nothing is lost.")
        serve(built, listening, patience=30.0)
    tell("stopped; everything that was said is kept")


@app.command("admin")
def admin(
    name: Annotated[
        str, typer.Argument(help="Name of the admin to make; of an account that is there, it becomes admin.")
    ],
    password: Annotated[
        str,
        typer.Option(
            envvar="MAIEUTIC_PRACTICE_PASSWORD",
            prompt=True,
            hide_input=True,
            confirmation_prompt=True,
            show_default="asked for where it is not given",
            help="Better typed when asked, or in the variable, than on the command line.",
        ),
    ],
    data: _Folder = Path("practice-data"),
    database: _Database = None,
) -> None:
    """Make an admin, or give an account that is there the role and a new password.

    Example: maieutic practice admin ada
    """
    _needs()
    from sqlalchemy import select

    from maieutic.practice.accounts import hashed, log_out, make_user, note, tidy_name
    from maieutic.practice.storage import User, opened

    with opened(_settings(data, database)).begin() as db:
        user = db.scalar(select(User).where(User.name == tidy_name(name)))
        was_there = user is not None
        if user is None:
            make_user(db, name, password, "admin")
        else:
            user.role, user.password, user.blocked = "admin", hashed(password), False
            log_out(db, user)
            note(db, user.id, "made admin on the command line")
    say(f"{tidy_name(name)} is an admin{' with a new password' if was_there else ''}")


@app.command("backup")
def backup(
    file: Annotated[Path, typer.Argument(help="File to write; it must not be there.")],
    data: _Folder = Path("practice-data"),
    database: _Database = None,
) -> None:
    """Write everything into one file, while the server runs. Keep it as safe as the database.

    Example: maieutic practice backup monday.backup
    """
    _needs()
    from maieutic.practice.storage import backup as write
    from maieutic.practice.storage import opened

    rows = write(opened(_settings(data, database)), file)
    say(f"{rows} rows in {file}")


@app.command("restore")
def restore(
    file: Annotated[Path, typer.Argument(help="A backup.")],
    data: _Folder = Path("practice-data"),
    database: _Database = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Put a backup in the place of everything that is there; stop the server before.

    Example: maieutic practice restore monday.backup
    """
    _needs()
    from maieutic.practice.storage import opened
    from maieutic.practice.storage import restore as put_back

    if not yes:
        typer.confirm("Everything that is there now is replaced. Go on?", abort=True)
    rows = put_back(opened(_settings(data, database)), file)
    say(f"{rows} rows put back")


def _settings(data: Path, database: str | None) -> Settings:
    _needs()
    from maieutic.practice.storage import Settings

    return Settings(data, database)


def _needs() -> None:
    needs("practice", "alembic", "argon2", "fastapi", "itsdangerous", "python_multipart", "sqlalchemy", "uvicorn")
