"""How a practice server is set up: where its data lie, who may come in, and what is kept how long."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from pathlib import Path

from maieutic.errors import InputError, StorageError, why

FOLDER = Path("practice-data")
SQLITE_FILE = "practice.sqlite3"
POSTGRESQL = "postgresql+pg8000"


@dataclass(frozen=True, slots=True)
class Settings:
    """How a server behaves.

    Attributes:
        folder: Where the secret lies, and the database unless `database` names another.
        database: URL of a database; None for SQLite in the folder.
        patient: Kind of patient, as in `maieutic evaluate`: simulated, simulated+llm[-or-embedded]:MODEL or
            voiced:MODEL.
        invited_only: An account needs the invite code of a class.
        https: The server stands behind TLS: cookies are sent over TLS only.
        keep_days: Days after which sessions are deleted; None keeps them until somebody deletes them.
        turns_a_minute: Turns that one person may say in a minute.
        logins_a_minute: Tries to log in to one name, or to join a class, in a minute.
        arrivals_a_minute: Logins and new accounts from one address in a minute; a class may sit behind one.
        idle_hours: Hours without a request after which a login ends.
    """

    folder: Path = FOLDER
    database: str | None = None
    patient: str = "simulated"
    invited_only: bool = False
    https: bool = False
    keep_days: int | None = None
    turns_a_minute: int = 30
    logins_a_minute: int = 10
    arrivals_a_minute: int = 120
    idle_hours: float = 12.0

    @property
    def url(self) -> str:
        """The database's URL for SQLAlchemy. Raises `InputError` for a kind of database that is not supported."""
        if self.database is None:
            return f"sqlite:///{self.folder / SQLITE_FILE}"
        kind, _, rest = self.database.partition("://")
        if kind in ("postgresql", "postgres", POSTGRESQL):
            return f"{POSTGRESQL}://{rest}"
        if kind == "sqlite":
            return self.database
        raise InputError(f"no database of kind {kind!r}: give sqlite:///FILE or postgresql://USER@HOST/NAME")


def secret(folder: Path) -> str:
    """The server's secret, made at the first start; whoever reads it can forge cookies. Raises `StorageError`."""
    file = folder / "secret"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not file.exists():
            file.touch(mode=0o600)
            file.write_text(secrets.token_urlsafe(48), encoding="utf-8")
        return file.read_text(encoding="utf-8")
    except OSError as error:
        raise StorageError(f"the practice folder {folder} cannot be used: {why(error)}") from error
