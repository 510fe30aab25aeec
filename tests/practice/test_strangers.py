"""What a stranger, another trainee or a forger gets: nothing of anybody's, and nothing changed. Made from the route table."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy import func, select

from maieutic.library import CASES
from maieutic.practice.storage import Audit, Group, Login, Member, OwnCase, Table, User
from maieutic.practice.web.visit import MAX_BODY, POLICY
from practice.conftest import WORDS, Person, every_route, token_of

Comes = Callable[[], Person]


@pytest.fixture
def theirs(comes: Comes, teacher: Person, server: Any) -> dict[str, str]:
    """Objects of a trainee and a teacher who let nobody in."""
    group = teacher.send("/classes", name="Class", contact="Dr Sen").url.path.split("/")[2]
    with server.state.rooms.storage.begin() as db:
        code = db.get_one(Group, group).code
    owner = comes().signs_up(code)
    talk = owner.begins()
    owner.says(talk, 1, "What happened?")
    branch = owner.send(f"/talks/{talk}/replay", number="1").url.path.split("/")[2]
    body = (CASES / "gethin.yaml").read_bytes()
    teacher.send(f"/classes/{group}/cases", files={"file": ("case.yaml", body)})
    with server.state.rooms.storage.begin() as db:
        case = db.scalar(select(OwnCase.id).where(OwnCase.class_id == group))
        member = db.scalar(select(User.id).where(User.name == owner.name))
    return {
        "talk": talk, "branch": branch, "group": group, "case": f"own:{case}", "member": str(member),
        "person": str(member), "kind": "csv",
    }  # fmt: skip


def rows(server: Any) -> dict[str, int]:
    """How many rows every table has; logins and the log may grow."""
    with server.state.rooms.storage.begin() as db:
        found = {
            one.name: db.scalar(select(func.count()).select_from(one)) or 0 for one in Table.metadata.sorted_tables
        }
    return {name: number for name, number in found.items() if name not in (Login.__tablename__, Audit.__tablename__)}


def with_objects(server: Any, theirs: dict[str, str]) -> list[tuple[str, str]]:
    """Every method and path that names an object, filled with the objects of others."""
    found = []
    for route in every_route(server):
        path = route.path
        if "{" in path and not path.startswith("/static"):
            for name, value in theirs.items():
                path = path.replace("{" + name + "}", value)
            assert "{" not in path, f"{route.path}: the test knows no object for it"
            found += [(method, path) for method in sorted(route.methods - {"HEAD"})]
    return found


_FORM = {
    "number": "1", "said": "Hello", "do": "hand in", "text": "Hm", "may_read": "yes", "turns": "10", "style": "plain",
    "goal": "none", "contact": "Me", "arm_days": "0", "case": "gethin", "risk": "yes",
}  # fmt: skip


@pytest.mark.parametrize("role", ["trainee", "teacher"])
def test_nothing_of_others_is_there(server: Any, comes: Comes, theirs: dict[str, str], role: str) -> None:
    stranger = comes().signs_up()
    with server.state.rooms.storage.begin() as db:
        db.query(User).filter_by(name=stranger.name).one().role = role
    before, asked = rows(server), with_objects(server, theirs)
    assert len(asked) > 20
    for method, path in asked:
        answer = stranger.get(path) if method == "GET" else stranger.send(path, **_FORM)
        assert answer.status_code == 404, (method, path, answer.status_code)
    assert rows(server) == before


def test_a_teacher_reads_by_leave_alone(server: Any, comes: Comes, teacher: Person, theirs: dict[str, str]) -> None:
    where = f"/talks/{theirs['talk']}/feedback"
    assert teacher.get(where).status_code == 404
    assert teacher.send(f"/talks/{theirs['talk']}/comments", number="1", text="Good").status_code == 404
    with server.state.rooms.storage.begin() as db:
        db.get_one(Member, (theirs["group"], theirs["member"])).may_read = True
    assert "What happened?" in teacher.get(where).text
    assert (
        teacher.send(f"/talks/{theirs['talk']}/comments", number="1", text="A good start").text.count("A good start")
        == 1
    )
    assert teacher.get(f"/talks/{theirs['talk']}/formulation").status_code == 404


def test_who_is_not_logged_in_gets_to_the_login(server: Any, comes: Comes, theirs: dict[str, str]) -> None:
    stranger = comes()
    before = rows(server)
    for method, path in with_objects(server, theirs):
        answer = stranger.get(path) if method == "GET" else stranger.send(path, **_FORM)
        assert answer.url.path == "/login" or answer.status_code in (400, 422), (method, path)
    assert rows(server) == before
    nothing = dict.fromkeys(theirs, "1") | {"kind": "csv"}
    for method, path in with_objects(server, nothing):
        if method == "GET":
            assert stranger.get(path).url.path == "/login", f"{path}: a stranger can tell that it is not there"


def test_no_form_is_taken_without_its_token(server: Any, comes: Comes, theirs: dict[str, str]) -> None:
    mira, other = comes().signs_up(), comes()
    before = rows(server)
    for route in every_route(server):
        if "POST" in route.methods:
            path = route.path
            for name, value in theirs.items():
                path = path.replace("{" + name + "}", value)
            for token in ("", "forged", token_of(other.browser.get("/login").text)):
                answer = mira.browser.post(path, data={"csrf": token, "name": "x", "password": WORDS})
                assert answer.status_code == 403, path
    assert rows(server) == before


@pytest.mark.parametrize("path", ["/", "/help", "/login", "/account/new", "/nothing", "/static/practice.css"])
def test_every_answer_has_the_headers(comes: Comes, path: str) -> None:
    answer = comes().get(path)
    assert answer.headers["content-security-policy"] == POLICY
    assert "unsafe" not in POLICY
    assert answer.headers["x-content-type-options"] == "nosniff"
    cookie = answer.headers.get("set-cookie", "HttpOnly SameSite=lax")
    assert "HttpOnly" in cookie
    assert "SameSite=lax" in cookie


def test_a_hundred_forged_ids_are_nobodys(comes: Comes) -> None:
    mira = comes().signs_up()
    own = mira.begins()
    bases = itertools.product((own, own[:-1], "1", "%27%20OR%201%3D1--"), range(30))
    forged = {f"{base}{number}" for base, number in bases} - {
        own
    }  # some are alike where an id ends with a digit of its own
    assert len(forged) >= 100
    for one in sorted(forged):
        assert mira.get(f"/talks/{one}").status_code == 404


def test_what_is_typed_is_shown_and_never_run(comes: Comes, server: Any) -> None:
    mira = comes().signs_up()
    talk = mira.begins()
    nasty = "<script>alert(1)</script> {{ 7 * 7 }} '; DROP TABLE users; -- {% include 'layout.html' %}"
    page = mira.says(talk, 1, nasty)
    assert "<script>alert" not in page.text
    assert "{{ 7 * 7 }}" in page.text
    page = mira.send(f"/talks/{talk}/formulation", core_beliefs=nasty, do="save")
    assert "<script>alert" not in page.text
    with server.state.rooms.storage.begin() as db:
        assert db.scalar(select(func.count()).select_from(User))


@pytest.mark.parametrize(
    "body", [b"\x00\xff\xfe binary", b"id: x", b"a: &a [*a]", b"", b"!!python/object/apply:os.system ['id']"]
)
def test_an_upload_that_is_no_case_is_refused(server: Any, teacher: Person, body: bytes) -> None:
    group = teacher.send("/classes", name="Class", contact="Dr Sen").url.path
    before = rows(server)
    answer = teacher.send(f"{group}/cases", files={"file": ("case.yaml", body)})
    assert answer.status_code == 422
    assert rows(server) == before


def test_what_is_too_large_is_refused(server: Any, comes: Comes) -> None:
    mira = comes().signs_up()
    talk = mira.begins()
    before = rows(server)
    assert mira.says(talk, 1, "a" * MAX_BODY).status_code == 413
    assert mira.says(talk, 1, "a" * 4_001).status_code == 422
    assert rows(server) == before


def test_an_admins_page_is_for_admins(server: Any, comes: Comes, teacher: Person) -> None:
    assert teacher.get("/admin").status_code == 404
    ada = comes().signs_up()
    with server.state.rooms.storage.begin() as db:
        db.query(User).filter_by(name=ada.name).one().role = "admin"
        victim = db.scalar(select(User.id).where(User.name == teacher.name))
    assert "Audit log" in ada.get("/admin").text
    assert ada.send(f"/admin/people/{victim}", do="block").status_code == 200
    assert teacher.get("/account").url.path == "/login"


def test_logins_are_slowed_down(comes: Comes, server: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server.state.rooms.login_pace, "most", 3)
    mira = comes()
    tries = [mira.send("/login", name="nobody-at-all", password="wrong wrong wrong").status_code for _ in range(8)]
    assert tries[-1] == 429
    assert 401 in tries or tries[0] == 429


def test_deleting_a_person_leaves_nothing_of_theirs(server: Any, comes: Comes) -> None:
    mira = comes().signs_up()
    before = rows(server)
    talk = mira.begins()
    mira.says(talk, 1, "What happened?")
    mira.send(f"/talks/{talk}/formulation", situations="x", do="save")
    assert talk in mira.get("/account/export").text
    assert mira.send("/account/delete", password="not this one").status_code == 422
    mira.send("/account/delete", password=WORDS)
    after = rows(server)
    assert after["users"] == before["users"] - 1
    assert {name: after[name] for name in ("talks", "turns", "formulations")} == {
        name: before[name] for name in ("talks", "turns", "formulations")
    }
    with server.state.rooms.storage.begin() as db:
        assert db.query(User).filter_by(name=mira.name).count() == 0


def test_an_export_names_nobody_and_has_those_who_agreed(server: Any, comes: Comes, teacher: Person) -> None:
    where = teacher.send("/classes", name="Class", contact="Dr Sen").url.path
    with server.state.rooms.storage.begin() as db:
        code = db.get_one(Group, where.split("/")[2]).code
    yes, no = comes().signs_up(code, research="yes"), comes().signs_up(code)
    for person in (yes, no):
        person.send(f"/account/leave/{where.split('/')[2]}", may_read="yes")
        person.says(person.begins(), 1, f"This is {'agreed' if person is yes else 'refused'}")
    for kind in ("csv", "jsonl"):
        text = teacher.get(f"{where}/export/{kind}").text
        assert "This is agreed" in text
        assert "This is refused" not in text
        assert yes.name not in text
