"""What practice keeps and how its server is set up: settings, tables, and the database that is opened, brought up to
date, copied while it runs and put back."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock
from typing import Any, Literal

import orjson
from alembic import command
from alembic.config import Config
from sqlalchemy import (
    JSON,
    Engine,
    ForeignKey,
    Index,
    LargeBinary,
    String,
    Text,
    create_engine,
    delete,
    event,
    insert,
    select,
    text,
)
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column

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


Role = Literal["trainee", "teacher", "admin"]
ROLES: tuple[Role, ...] = ("trainee", "teacher", "admin")


def now() -> datetime:
    """The time in UTC, without a zone, as all databases keep it alike."""
    return datetime.now(UTC).replace(tzinfo=None)


def fresh_id() -> str:
    """An id that nobody can guess (96 bits)."""
    return secrets.token_urlsafe(12)


class Table(DeclarativeBase):
    """All tables."""

    type_annotation_map = {dict[str, Any]: JSON, str: String(200)}  # noqa: RUF012


class User(Table):
    """A person with an account."""

    __tablename__ = "users"
    id: Mapped[str] = mapped_column(primary_key=True, default=fresh_id)
    name: Mapped[str] = mapped_column(unique=True)
    password: Mapped[str]
    role: Mapped[str] = mapped_column(default="trainee")
    created: Mapped[datetime] = mapped_column(default=now)
    blocked: Mapped[bool] = mapped_column(default=False)


class Login(Table):
    """One login of a person; only the hash of the cookie's key is kept."""

    __tablename__ = "logins"
    id: Mapped[str] = mapped_column(primary_key=True)
    user_id: Mapped[str] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"), index=True)
    seen: Mapped[datetime] = mapped_column(default=now)


class Consent(Table):
    """What a person said to one consent text; the latest line counts."""

    __tablename__ = "consents"
    id: Mapped[int] = mapped_column(primary_key=True, autoincrement=True)
    user_id: Mapped[str] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"), index=True)
    kind: Mapped[str]
    version: Mapped[str]
    given: Mapped[bool]
    at: Mapped[datetime] = mapped_column(default=now)


class Group(Table):
    """A class, with whom its members can turn to, and how feedback is given in it."""

    __tablename__ = "classes"
    id: Mapped[str] = mapped_column(primary_key=True, default=fresh_id)
    teacher_id: Mapped[str] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"), index=True)
    name: Mapped[str]
    code: Mapped[str] = mapped_column(unique=True)
    contact: Mapped[str]
    shows_oracle: Mapped[bool] = mapped_column(default=False)
    arm_days: Mapped[int] = mapped_column(default=0)
    arms_from: Mapped[datetime | None]
    created: Mapped[datetime] = mapped_column(default=now)


class Member(Table):
    """A trainee in a class; `may_read` is the leave to read their sessions, `starts_with` the arm they were drawn
    into."""

    __tablename__ = "members"
    class_id: Mapped[str] = mapped_column(ForeignKey("classes.id", ondelete="CASCADE"), primary_key=True)
    user_id: Mapped[str] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"), primary_key=True, index=True)
    may_read: Mapped[bool] = mapped_column(default=False)
    starts_with: Mapped[str] = mapped_column(default="feedback")
    joined: Mapped[datetime] = mapped_column(default=now)


class Assignment(Table):
    """An exercise that a teacher set: everybody meets the same patient with the same luck."""

    __tablename__ = "assignments"
    id: Mapped[str] = mapped_column(primary_key=True, default=fresh_id)
    class_id: Mapped[str] = mapped_column(ForeignKey("classes.id", ondelete="CASCADE"), index=True)
    case_name: Mapped[str]
    style: Mapped[str]
    goal: Mapped[str]
    turns: Mapped[int]
    seed: Mapped[int]
    note: Mapped[str] = mapped_column(Text)
    created: Mapped[datetime] = mapped_column(default=now)


class OwnCase(Table):
    """A case that a teacher wrote, checked before it was kept."""

    __tablename__ = "own_cases"
    id: Mapped[str] = mapped_column(primary_key=True, default=fresh_id)
    class_id: Mapped[str] = mapped_column(ForeignKey("classes.id", ondelete="CASCADE"), index=True)
    title: Mapped[str]
    body: Mapped[dict[str, Any]]
    created: Mapped[datetime] = mapped_column(default=now)


class Talk(Table):
    """One practice session. `case_name` is a packaged case's id, or `own:ID`; `feedback` whether feedback is shown in
    it."""

    __tablename__ = "talks"
    id: Mapped[str] = mapped_column(primary_key=True, default=fresh_id)
    user_id: Mapped[str] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"), index=True)
    case_name: Mapped[str]
    style: Mapped[str]
    seed: Mapped[int]
    turns: Mapped[int]
    goal: Mapped[str]
    guided: Mapped[bool] = mapped_column(default=False)
    feedback: Mapped[bool] = mapped_column(default=True)
    assignment_id: Mapped[str | None] = mapped_column(ForeignKey("assignments.id", ondelete="SET NULL"), index=True)
    forked_from: Mapped[str | None] = mapped_column(ForeignKey("talks.id", ondelete="SET NULL"))
    forked_at: Mapped[int | None]
    notes: Mapped[str] = mapped_column(Text, default="")
    begun: Mapped[datetime] = mapped_column(default=now)
    ended: Mapped[datetime | None]
    ending: Mapped[str | None]


class Spoken(Table):
    """One therapist turn and its answer; number 0 is the patient's opening. `lines` has the journal's lines of both,
    `reading` what a language model read in the turn (`reader.Reading`), where one was asked."""

    __tablename__ = "turns"
    talk_id: Mapped[str] = mapped_column(ForeignKey("talks.id", ondelete="CASCADE"), primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    said: Mapped[str | None] = mapped_column(Text)
    answer: Mapped[str | None] = mapped_column(Text)
    lines: Mapped[bytes | None] = mapped_column(LargeBinary)
    reading: Mapped[dict[str, Any] | None] = mapped_column(JSON(none_as_null=True))
    at: Mapped[datetime] = mapped_column(default=now)


class Written(Table):
    """A formulation as it was last saved; handed in once."""

    __tablename__ = "formulations"
    talk_id: Mapped[str] = mapped_column(ForeignKey("talks.id", ondelete="CASCADE"), primary_key=True)
    body: Mapped[dict[str, Any]]
    saved: Mapped[datetime] = mapped_column(default=now)
    handed_in: Mapped[datetime | None]


class Comment(Table):
    """A teacher's words on one turn."""

    __tablename__ = "comments"
    id: Mapped[str] = mapped_column(primary_key=True, default=fresh_id)
    talk_id: Mapped[str] = mapped_column(ForeignKey("talks.id", ondelete="CASCADE"), index=True)
    teacher_id: Mapped[str | None] = mapped_column(ForeignKey("users.id", ondelete="SET NULL"))
    number: Mapped[int]
    text: Mapped[str] = mapped_column(Text)
    at: Mapped[datetime] = mapped_column(default=now)


class Comparator(Table):
    """The agent's or the oracle's session on a case and seed, played once: its journal lines."""

    __tablename__ = "comparators"
    key: Mapped[str] = mapped_column(primary_key=True)
    lines: Mapped[bytes] = mapped_column(LargeBinary)


class Audit(Table):
    """Who did what to whom; never a word of what was said. A deleted person's lines stay without the person."""

    __tablename__ = "audit"
    id: Mapped[int] = mapped_column(primary_key=True, autoincrement=True)
    at: Mapped[datetime] = mapped_column(default=now, index=True)
    user_id: Mapped[str | None] = mapped_column(ForeignKey("users.id", ondelete="SET NULL"))
    event: Mapped[str]
    about: Mapped[str] = mapped_column(default="")


Index("talks_of_case", Talk.case_name)


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
