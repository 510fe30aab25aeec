"""What leaves the server: a person's own data, and a class's sessions under made-up names as CSV, JSONL or ConvoKit."""

from __future__ import annotations

import csv
import hmac
import io
import zipfile
from collections.abc import Iterator
from hashlib import sha256
from typing import Any

import orjson
from sqlalchemy import select
from sqlalchemy.orm import Session

from maieutic.practice.accounts import consents
from maieutic.practice.cases import case_behind
from maieutic.practice.storage import Comment, Consent, Group, Member, Spoken, Talk, User, Written

COLUMNS = (
    "person",
    "session",
    "case",
    "case_id",
    "style",
    "seed",
    "goal",
    "feedback",
    "began",
    "branch_of",
    "number",
    "speaker",
    "text",
)


def person_lines(db: Session, user: User) -> bytes:
    """Everything a person wrote and was told, a line each; the mind behind the answers is not theirs to leave with."""
    lines: list[dict[str, Any]] = [{"kind": "account", "name": user.name, "role": user.role, "created": user.created}]
    for one in db.scalars(select(Consent).where(Consent.user_id == user.id)):
        lines.append({"kind": "consent", "to": one.kind, "version": one.version, "given": one.given, "at": one.at})
    for talk in db.scalars(select(Talk).where(Talk.user_id == user.id).order_by(Talk.begun)):
        lines.append(
            {
                "kind": "session",
                "id": talk.id,
                "case": talk.case_name,
                "begun": talk.begun,
                "ended": talk.ended,
                "notes": talk.notes,
            }
        )
        for turn in db.scalars(select(Spoken).where(Spoken.talk_id == talk.id).order_by(Spoken.number)):
            lines.append(
                {
                    "kind": "turn",
                    "session": talk.id,
                    "number": turn.number,
                    "you": turn.said,
                    "patient": turn.answer,
                    "read_by_model": turn.reading,
                }
            )
        form = db.get(Written, talk.id)
        if form is not None:
            lines.append({"kind": "formulation", "session": talk.id, "body": form.body, "handed_in": form.handed_in})
        for word in db.scalars(select(Comment).where(Comment.talk_id == talk.id)):
            lines.append({"kind": "comment", "session": talk.id, "number": word.number, "text": word.text})
    return b"".join(orjson.dumps(line, option=orjson.OPT_APPEND_NEWLINE) for line in lines)


def pseudonym(secret: str, group: str, user_id: str) -> str:
    """A made-up name that stays the same within a class and cannot be turned back without the server's secret."""
    return "P" + hmac.new(secret.encode(), f"{group} {user_id}".encode(), sha256).hexdigest()[:10]


def class_rows(db: Session, group: Group, secret: str) -> Iterator[dict[str, Any]]:
    """What was said in a class, a row an utterance: of those alone who consent to research and gave leave to read."""
    for member in db.scalars(select(Member).where(Member.class_id == group.id)):
        if not member.may_read or consents(db, member.user_id)["research"] is not True:
            continue
        person = pseudonym(secret, group.id, member.user_id)
        for talk in db.scalars(select(Talk).where(Talk.user_id == member.user_id).order_by(Talk.begun)):
            shared: dict[str, Any] = {
                "person": person,
                "session": talk.id,
                "case": talk.case_name,
                "case_id": case_behind(db, talk).id,
                "style": talk.style,
                "seed": talk.seed,
                "goal": talk.goal,
                "feedback": talk.feedback,
                "began": talk.begun.date().isoformat(),
                "branch_of": talk.forked_from,
            }
            for turn in db.scalars(select(Spoken).where(Spoken.talk_id == talk.id).order_by(Spoken.number)):
                for speaker, text in (("therapist", turn.said), ("patient", turn.answer)):
                    if text:
                        yield {**shared, "number": turn.number, "speaker": speaker, "text": text}


def as_csv(rows: Iterator[dict[str, Any]]) -> bytes:
    """A table that `maieutic score` reads; a cell that a spreadsheet would run as a formula is quoted."""
    out = io.StringIO()
    table = csv.DictWriter(out, COLUMNS)
    table.writeheader()
    for row in rows:
        table.writerow(
            {
                name: f"'{value}" if isinstance(value, str) and value[:1] in "=+-@\t" else value
                for name, value in row.items()
            }
        )
    return out.getvalue().encode()


def as_jsonl(rows: Iterator[dict[str, Any]]) -> bytes:
    """One utterance a line."""
    return b"".join(orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE) for row in rows)


def as_convokit(rows: Iterator[dict[str, Any]]) -> bytes:
    """A ConvoKit corpus folder in a ZIP file."""
    speakers: dict[str, Any] = {}
    talks: dict[str, Any] = {}
    lines: list[dict[str, Any]] = []
    before: dict[str, str] = {}
    for place, row in enumerate(rows):
        talk = row["session"]
        speaker = row["person"] if row["speaker"] == "therapist" else f"patient {row['case']}"
        speakers[speaker] = {"meta": {"role": row["speaker"]}, "vectors": []}
        meta = {name: row[name] for name in ("case", "style", "seed", "goal", "feedback", "began", "branch_of")}
        talks[talk] = {"meta": meta, "vectors": []}
        lines.append(
            {
                "id": f"u{place}",
                "conversation_id": talk,
                "text": row["text"],
                "speaker": speaker,
                "timestamp": None,
                "meta": {"number": row["number"]},
                "reply-to": before.get(talk),
                "vectors": [],
            }
        )
        before[talk] = f"u{place}"
    index = {
        "utterances-index": {"number": ["<class 'int'>"]},
        "speakers-index": {"role": ["<class 'str'>"]},
        "conversations-index": {},
        "overall-index": {},
        "version": 1,
        "vectors": [],
    }
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as folder:
        folder.writestr("corpus/utterances.jsonl", as_jsonl(iter(lines)))
        for name, body in (("speakers", speakers), ("conversations", talks), ("corpus", {}), ("index", index)):
            folder.writestr(f"corpus/{name}.json", orjson.dumps(body))
    return out.getvalue()


FORMATS = {
    "csv": (as_csv, "text/csv"),
    "jsonl": (as_jsonl, "application/jsonl"),
    "convokit": (as_convokit, "application/zip"),
}
