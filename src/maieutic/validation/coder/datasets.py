"""The human codes of the public research sets, one record an utterance: for fitting the coder and for checking it."""

from __future__ import annotations

import csv
import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from pathlib import Path

from maieutic.coding.features import Said, in_place
from maieutic.errors import UnreadableFile
from maieutic.transcripts.json_files import turns_of

ANNOMI_SIMPLE = "annomi/AnnoMI-simple.csv"
ANNOMI_FULL = "annomi/AnnoMI-full.csv"
MISC_FILES = ("hlqc/HLQC_manual_misc.csv", "mibot/MIV6.3A_manual_misc.csv")
MISC_LABELS = {"therapist": ("Q", "SRL", "CRL", "IMC", "IMI", "O"), "client": ("C", "N", "S")}
EPITOME_FILES = {"er": "emotional-reactions", "ip": "interpretations", "ex": "explorations"}
STIMULI = "llms_as_therapists/responses_dev.csv"
FEEDBACK = "counseling_feedback/feedback.json"
ESCONV = "counseling_feedback/q-esconv.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Gold(Said):
    """One utterance in its place, with its human codes.

    Attributes:
        id: Row id made of numbers and published ids only ('session:utterance', or the row number).
        group: What folds keep together: a video, a session, a thought, a stimulus.
        session: The dialogue it stands in, or its own id.
        speaker: 'therapist' or 'client'.
        labels: Human codes; several only in multi-label sets.
        marked: Passages of the text that the coders marked as what their code rests on.
    """

    id: str
    group: str
    session: str
    speaker: str
    labels: tuple[str, ...]
    marked: tuple[str, ...] = ()


def heads() -> tuple[str, ...]:
    """Names of all heads that human codes are at hand for."""
    return tuple(_READERS)


def files(head: str) -> tuple[str, ...]:
    """The files that the human codes of a head come from, relative to the data folder."""
    return _READERS[head][1]


def gold(head: str, data: Path) -> list[Gold]:
    """The human codes of one head, in the order of the file.

    Args:
        head: One of `heads()`.
        data: The folder of research data.

    Raises:
        UnreadableFile: A file is not there.
    """
    return _READERS[head][0](data)


def there(data: Path, name: str) -> Path:
    """A file of the folder of research data. Raises `UnreadableFile` where it is not there."""
    if not (data / name).is_file():
        raise UnreadableFile(f"--data {data} holds no {name}; give the folder of research data")
    return data / name


def rows(data: Path, name: str, columns: Collection[str] = ()) -> list[dict[str, str]]:
    """The rows of a CSV file. Raises `UnreadableFile` where it is not there or lacks one of the columns."""
    path = there(data, name)
    csv.field_size_limit(1 << 27)
    with path.open(encoding="utf-8-sig", newline="") as file:
        reader = csv.DictReader(file)
        lacking = [column for column in columns if column not in (reader.fieldnames or ())]
        if lacking:
            raise UnreadableFile(f"{path} lacks the column(s) {', '.join(lacking)}; it is expected as published")
        return list(reader)


def _placed(row: str, group: str, session: str, said: Said, speaker: str, labels: tuple[str, ...]) -> Gold:
    # Who has said something before anybody answered has no turn to go back to.
    return Gold(
        said.text,
        said.other,
        said.same if said.other else "",
        tuple(said.recent),
        said.position,
        said.following,
        id=row,
        group=group,
        session=session,
        speaker=speaker,
        labels=labels,
    )


def _answer(at: int, group: str, text: str, other: str, labels: tuple[str, ...]) -> Gold:
    """What a helper said to one text, outside a dialogue."""
    return Gold(text, other, id=str(at), group=group, session=group, speaker="therapist", labels=labels)


def video(url: str) -> str:
    """The video of an AnnoMI session, without start time and referrer."""
    return re.sub(r"[?&](t|feature)=[^&]*", "", url)


def annomi_sessions(
    data: Path, name: str = ANNOMI_SIMPLE, columns: Collection[str] = ()
) -> dict[str, list[dict[str, str]]]:
    """The rows of each AnnoMI session in order; an utterance that several annotators coded has several rows."""
    sessions: dict[str, list[dict[str, str]]] = defaultdict(list)
    for line in rows(data, name):
        sessions[line["transcript_id"]].append(line)
    for lines in sessions.values():
        lines.sort(key=lambda line: int(line["utterance_id"]))
    return sessions


def _annomi(data: Path, speaker: str) -> list[Gold]:
    found = []
    for session, lines in annomi_sessions(data).items():
        said = in_place([(line["interlocutor"], line["utterance_text"]) for line in lines])
        for line, one in zip(lines, said, strict=True):
            if line["interlocutor"] == speaker:
                label = line["main_therapist_behaviour"] or line["client_talk_type"]
                row = f"{session}:{line['utterance_id']}"
                found.append(_placed(row, video(line["video_url"]), session, one, speaker, (label,)))
    return found


def _question_form(data: Path) -> list[Gold]:
    """Utterances in which at least half of the annotators saw a question; the form most of them gave; ties left out."""
    found = []
    for session, lines in annomi_sessions(data, ANNOMI_FULL).items():
        by_utterance: dict[str, list[dict[str, str]]] = defaultdict(list)
        for line in lines:
            by_utterance[line["utterance_id"]].append(line)
        firsts = [rows[0] for rows in by_utterance.values()]
        said = in_place([(line["interlocutor"], line["utterance_text"]) for line in firsts])
        for rows, one in zip(by_utterance.values(), said, strict=True):
            forms = Counter(row["question_subtype"] for row in rows if row["question_subtype"]).most_common()
            asked = sum(count for _, count in forms)
            if asked * 2 >= len(rows) and forms and (len(forms) == 1 or forms[0][1] > forms[1][1]):
                row = f"{session}:{rows[0]['utterance_id']}"
                group = video(rows[0]["video_url"])
                found.append(_placed(row, group, session, one, "therapist", (forms[0][0],)))
    return found


def _misc(data: Path, speaker: str) -> list[Gold]:
    found = []
    for name in MISC_FILES:
        sessions: dict[str, list[dict[str, str]]] = defaultdict(list)
        for line in rows(data, name):
            sessions[line["conv_id"]].append(line)
        for session, lines in sessions.items():
            turns = [("client" if line["speaker"] == "client" else "therapist", line["utt_text"]) for line in lines]
            for line, (who, _), one in zip(lines, turns, in_place(turns), strict=True):
                label = line["t1_label_GT"]
                if who == speaker and label in MISC_LABELS[speaker]:
                    found.append(_placed(f"{session}:{line['conv_utt_idx']}", session, session, one, who, (label,)))
    return found


def _bolt(data: Path, speaker: str) -> list[Gold]:
    labels: dict[str, list[str]] = defaultdict(list)
    for line in rows(data, f"bolt/{speaker}_train.csv"):
        if line["completion"] not in labels[line["prompt"]]:
            labels[line["prompt"]].append(line["completion"])
    return [
        Gold(text, id=str(at), group=str(at), session=str(at), speaker=speaker, labels=tuple(given))
        for at, (text, given) in enumerate(labels.items())
    ]


def _socratic(data: Path) -> list[Gold]:
    thoughts: dict[str, str] = {}
    found = []
    for at, line in enumerate(rows(data, "soqg/train_valid.csv")):
        group = thoughts.setdefault(line["thought"].strip(), f"t{len(thoughts)}")
        thought = line["thought"] if line["thought"].strip() else ""
        found.append(_answer(at, group, line["question"], thought, (line["label"],)))
    return found


def _epitome(data: Path, mechanism: str) -> list[Gold]:
    return [
        replace(
            _answer(at, line["sp_id"], line["response_post"], line["seeker_post"], (line["level"],)),
            marked=tuple(part for one in line.get("rationales", "").split("|") if (part := one.strip())),
        )
        for at, line in enumerate(rows(data, f"epitome/{EPITOME_FILES[mechanism]}.csv"))
    ]


def _appropriateness(data: Path) -> list[Gold]:
    """Responses with a verdict; a blank verdict is missing, and its row is dropped. Group: the stimulus."""
    return [
        _answer(
            at,
            line["id"],
            line["model_response"],
            line["interjection"],
            (str(line["gpt-4o-2024-08-06_classification"] == line["verification_correct"]),),
        )
        for at, line in enumerate(rows(data, STIMULI))
        if line["gpt-4o-2024-08-06_classification"]
    ]


def _feedback(data: Path, tone: str) -> list[Gold]:
    """Helper turns with the skill areas that experts called good or bad; those without an area of that tone have
    none."""
    found = []
    for at, item in enumerate(json.loads(there(data, FEEDBACK).read_text(encoding="utf-8"))):
        told, _, answer = item["text"].partition("### Response:")
        given = json.loads(answer[answer.index("{") : answer.rindex("}") + 1])
        *_, same, other, text = ["", "", *(text for _, text in turns_of(told.partition("### Input:")[2]))]
        areas = tuple(dict.fromkeys(given.get(f"{tone}areas") or ()))
        found.append(replace(_answer(at, str(item["conv_index"]), text, other, areas), same=same))
    return found


_Reader = Callable[[Path], list[Gold]]
_READERS: dict[str, tuple[_Reader, tuple[str, ...]]] = {
    "annomi_therapist": (lambda data: _annomi(data, "therapist"), (ANNOMI_SIMPLE,)),
    "annomi_client": (lambda data: _annomi(data, "client"), (ANNOMI_SIMPLE,)),
    "annomi_question_form": (_question_form, (ANNOMI_FULL,)),
    "bolt_therapist": (lambda data: _bolt(data, "therapist"), ("bolt/therapist_train.csv",)),
    "bolt_client": (lambda data: _bolt(data, "client"), ("bolt/client_train.csv",)),
    "misc_therapist": (lambda data: _misc(data, "therapist"), MISC_FILES),
    "misc_client": (lambda data: _misc(data, "client"), MISC_FILES),
    "socratic": (_socratic, ("soqg/train_valid.csv",)),
    "epitome_er": (lambda data: _epitome(data, "er"), ("epitome/emotional-reactions.csv",)),
    "epitome_ip": (lambda data: _epitome(data, "ip"), ("epitome/interpretations.csv",)),
    "epitome_ex": (lambda data: _epitome(data, "ex"), ("epitome/explorations.csv",)),
    "appropriateness": (_appropriateness, (STIMULI,)),
    "feedback_good": (lambda data: _feedback(data, "good"), (FEEDBACK,)),
    "feedback_bad": (lambda data: _feedback(data, "bad"), (FEEDBACK,)),
}
