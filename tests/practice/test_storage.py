"""The database: up, down and up again with data, copied and put back, on SQLite and on a PostgreSQL started here."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest

pytest.importorskip("sqlalchemy", reason="the extra `practice` is not installed")

from sqlalchemy import inspect, select

from maieutic.errors import InputError
from maieutic.practice.accounts import (
    consent,
    consents,
    delete_person,
    gives_feedback,
    join,
    make_class,
    make_user,
    verified,
)
from maieutic.practice.storage import (
    Audit,
    Settings,
    Spoken,
    Storage,
    Table,
    Talk,
    User,
    backup,
    downgrade,
    opened,
    restore,
    upgrade,
)


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.slow)])
def storage(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Storage]:
    if request.param == "sqlite":
        found = opened(Settings(tmp_path))
    else:
        socket = request.getfixturevalue("cluster") / ".s.PGSQL.5432"
        found = opened(Settings(tmp_path, database=f"postgresql://practice@/postgres?unix_sock={socket}"))
    yield found
    downgrade(found.engine, "base")
    found.engine.dispose()


def filled(storage: Storage) -> str:
    with storage.begin() as db:
        user = make_user(db, "Mira", "a long sentence")
        teacher = make_user(db, "Sen", "a long sentence", "teacher")
        join(db, user, make_class(db, teacher, "Class", "Dr Sen").code)
        consent(db, user.id, {"teaching": True, "research": False})
        talk = Talk(user_id=user.id, case_name="gethin", style="plain", seed=1, turns=10, goal="none")
        db.add(talk)
        db.flush()
        db.add(Spoken(talk_id=talk.id, number=0, answer="Hello – “yes”", lines=b"\x00{}"))
    return user.id


def test_tables_are_what_the_migrations_make(storage: Storage) -> None:
    assert set(Table.metadata.tables) <= set(inspect(storage.engine).get_table_names())
    for table in Table.metadata.sorted_tables:
        assert {c["name"] for c in inspect(storage.engine).get_columns(table.name)} == set(table.c.keys())


def test_up_down_and_up_again(storage: Storage) -> None:
    filled(storage)
    upgrade(storage.engine)
    with storage.begin() as db:
        assert db.scalar(select(User.name).where(User.name == "mira")) == "mira"
    downgrade(storage.engine, "base")
    assert not set(Table.metadata.tables) & set(inspect(storage.engine).get_table_names())
    upgrade(storage.engine)
    filled(storage)


def test_a_backup_comes_back_as_it_was(storage: Storage, tmp_path: Path) -> None:
    filled(storage)
    file = tmp_path / "monday.backup"
    rows = backup(storage, file)
    with storage.begin() as db:
        delete_person(db, db.query(User).filter_by(name="mira").one())
    assert restore(storage, file) == rows
    second = tmp_path / "tuesday.backup"
    backup(storage, second)
    assert second.read_bytes() == file.read_bytes()
    with storage.begin() as db:
        make_user(db, "Another", "a long sentence")  # the numbers of the log go on
    (tmp_path / "broken").write_text("{}")
    with pytest.raises(InputError):
        restore(storage, tmp_path / "broken")


@pytest.mark.slow
def test_a_backup_of_sqlite_comes_back_on_postgresql(cluster: Path, tmp_path: Path) -> None:
    first = opened(Settings(tmp_path))
    filled(first)
    rows = backup(first, tmp_path / "first.backup")
    second = opened(Settings(tmp_path, database=f"postgresql://practice@/postgres?unix_sock={cluster}/.s.PGSQL.5432"))
    assert restore(second, tmp_path / "first.backup") == rows
    backup(second, tmp_path / "second.backup")
    assert (tmp_path / "second.backup").read_bytes() == (tmp_path / "first.backup").read_bytes()
    downgrade(second.engine, "base")


def test_deleting_a_person_keeps_the_log_without_them(storage: Storage) -> None:
    user = filled(storage)
    with storage.begin() as db:
        gone = delete_person(db, db.get_one(User, user))
    assert gone["turns"] == 1
    with storage.begin() as db:
        assert db.query(Spoken).count() == db.query(Talk).count() == 0
        assert not [one for one in db.scalars(select(Audit)) if one.user_id == user]
        assert consents(db, user)["teaching"] is None


def test_names_and_passwords_are_checked(storage: Storage) -> None:
    filled(storage)
    with storage.begin() as db:
        for name, password in (("MIRA ", "a long sentence"), ("", "a long sentence"), ("x", "short")):
            with pytest.raises(InputError):
                make_user(db, name, password)
        kept = db.scalar(select(User.password).where(User.name == "mira"))
    assert kept is not None
    assert kept.startswith("$argon2id$")
    assert verified(kept, "a long sentence")
    assert not verified(kept, "another sentence")
    assert not verified(None, "nobody's")


def test_both_arms_cross_over_and_end() -> None:
    begun = datetime(2026, 11, 1)
    days = {day: begun + timedelta(days=day) for day in (-1, 0, 6, 7, 13, 14, 100)}
    assert [gives_feedback("feedback", 7, begun, d) for d in days.values()] == [
        True,
        True,
        True,
        False,
        False,
        True,
        True,
    ]
    assert [gives_feedback("no feedback", 7, begun, d) for d in days.values()] == [
        True,
        False,
        False,
        True,
        True,
        True,
        True,
    ]
    assert gives_feedback("no feedback", 0, begun, begun)
