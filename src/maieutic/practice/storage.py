"""The database: opens it, brings it up to date, copies it while it runs, and puts a copy back."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from threading import Lock
from typing import Any

import orjson
from alembic import command
from alembic.config import Config
from sqlalchemy import Engine, create_engine, delete, event, insert, select, text
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from maieutic.errors import InputError, StorageError
from maieutic.practice.settings import Settings, secret
from maieutic.practice.tables import Table

MIGRATIONS = Path(__file__).parent / "migrations"
FORMAT = "maieutic practice backup 1"
WAIT = 15.0
"""Seconds that a transaction waits for its turn at an SQLite file."""


@dataclass(frozen=True, slots=True)
class Storage:
    """An open database.

    Attributes:
        engine: Its connections.
        turn: Who may begin a transaction; SQLite's own waiting is by chance, and lets some wait too long.
    """

    engine: Engine
    turn: AbstractContextManager[Any] = field(default_factory=nullcontext)

    @contextmanager
    def begin(self) -> Iterator[Session]:
        """One transaction; what was read can be used after it. Nothing slow belongs inside."""
        with self.turn, Session(self.engine, expire_on_commit=False) as db, db.begin():
            yield db


def opened(settings: Settings) -> Storage:
    """The database of these settings, up to date. Raises `StorageError` where it cannot be opened."""
    secret(settings.folder)
    url = settings.url
    if url.startswith("sqlite"):
        engine = create_engine(url, connect_args={"timeout": WAIT}, pool_size=16, max_overflow=32)
        event.listen(engine, "connect", _set_up_sqlite)
        event.listen(engine, "begin", _begin_at_once)
    else:
        engine = create_engine(url, pool_size=16, max_overflow=16, pool_pre_ping=True)
    try:
        upgrade(engine)
    except SQLAlchemyError as error:
        raise StorageError(
            f"the database {engine.url.render_as_string()} cannot be opened: {error.__cause__ or error}"
        ) from error
    return Storage(engine, Lock() if url.startswith("sqlite") else nullcontext())


def _set_up_sqlite(connection: Any, _: Any) -> None:
    connection.isolation_level = None  # the driver's own BEGIN would let two writers deadlock
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "secure_delete=ON"):
        connection.execute(f"PRAGMA {pragma}").close()


def _begin_at_once(connection: Any) -> None:
    connection.exec_driver_sql("BEGIN IMMEDIATE")


def _config(engine: Engine, connection: Any) -> Config:
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    config.attributes["connection"] = connection
    return config


def upgrade(engine: Engine, to: str = "head") -> None:
    """Bring the tables up to a revision, the newest where none is named."""
    with engine.begin() as connection:
        command.upgrade(_config(engine, connection), to)


def downgrade(engine: Engine, to: str) -> None:
    """Take the tables back to a revision; 'base' leaves none."""
    with engine.begin() as connection:
        command.downgrade(_config(engine, connection), to)


def backup(storage: Storage, file: Path) -> int:
    """Write everything into one file, while the server runs; returns the number of rows. Raises `StorageError`."""
    rows = 0
    try:
        with file.open("xb") as out, storage.begin() as db:
            out.write(orjson.dumps({"format": FORMAT}) + b"\n")
            for table in Table.metadata.sorted_tables:
                for row in db.execute(select(table)).mappings():
                    out.write(orjson.dumps([table.name, {name: _plain(value) for name, value in row.items()}]) + b"\n")
                    rows += 1
        file.chmod(0o600)
    except OSError as error:
        raise StorageError(
            f"the backup {file} cannot be written: {error.strerror}; name a file that is not there"
        ) from error
    return rows


def restore(storage: Storage, file: Path) -> int:
    """Put a backup in the place of everything that is there; all or nothing. Raises `InputError`."""
    try:
        head, *lines = file.read_bytes().splitlines()
        if orjson.loads(head)["format"] != FORMAT:
            raise KeyError("format")
        records = [orjson.loads(line) for line in lines]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(f"{file} is no backup that `maieutic practice backup` wrote ({error})") from error
    with storage.begin() as db:
        for table in reversed(Table.metadata.sorted_tables):
            db.execute(delete(table))
        for table in Table.metadata.sorted_tables:
            own = [_typed(table, row) for name, row in records if name == table.name]
            if table.name == "talks":  # a branch stands after the talk that it left
                own.sort(key=lambda row: row["begun"])
            for row in own:
                db.execute(insert(table).values(**row))
        if storage.engine.dialect.name == "postgresql":
            for name in ("consents", "audit"):
                db.execute(
                    text(
                        f"SELECT setval(pg_get_serial_sequence('{name}', 'id'), (SELECT coalesce(max(id), 1) FROM "
                        f"{name}))"
                    )
                )
    return len(records)


def _plain(value: Any) -> Any:
    if isinstance(value, bytes | memoryview):
        return {"bytes": bytes(value).hex()}
    return value


def _typed(table: Any, row: dict[str, Any]) -> dict[str, Any]:
    """A row with its times and bytes as the database takes them."""
    found: dict[str, Any] = {}
    for name, value in row.items():
        kind = table.c[name].type.python_type
        if value is not None and kind is datetime:
            value = datetime.fromisoformat(value)
        elif value is not None and kind is bytes:
            value = bytes.fromhex(value["bytes"])
        found[name] = value
    return found
