"""Labelled sets of research data: utterances that people coded under a published scheme, and replies and sessions that
experts rated."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from statistics import fmean, median
from typing import Final

from maieutic.agreement import correlations
from maieutic.coding.book import Scheme, book_of
from maieutic.coding.schemes import get_scheme
from maieutic.measures.coded import CodedTranscript, code_transcript, packaged_coder
from maieutic.measures.quality import likeness_of
from maieutic.reading.yaml_text import packaged_yaml
from maieutic.runs.files import read_lines
from maieutic.transcripts.utterance import Transcript, Utterance
from maieutic.validation.coder import figures, stored
from maieutic.validation.coder.datasets import ANNOMI_FULL, ESCONV, Gold, annomi_sessions, gold, there, video
from maieutic.validation.coder.datasets import rows as csv_rows
from maieutic.validation.coder.evidence import agreements
from maieutic.validation.judge.sets import Codes, Experts, Item, LabelledSet, Reader, weighted_kappa

EPITOME: Final = ("er", "ip", "ex")
_PUBLISHED: Final = Experts(0.69, "mean pairwise kappa of two annotators over the three mechanisms, Sharma et al. 2020")
_BOLT: Final = Experts(None, "not published for single utterances of this part")


def coded_sets(data: Path) -> list[LabelledSet]:
    """BOLT, EPITOME and AnnoMI, as far as their files are in the folder. Raises `InputError` for other data."""
    found = []
    if (data / "bolt").is_dir():
        found.append(_plain("bolt", "BOLT, therapist codes", ("bolt_therapist",), data, {"bolt_therapist": _BOLT}))
    if (data / "epitome").is_dir():
        found.append(_epitome(data))
    if (data / "annomi").is_dir():
        heads = ("annomi_therapist", "annomi_client")
        human = {
            one.head: Experts(one.macro_f1.estimate, "macro-F1, annotator against annotator, 7 sessions")
            for one in agreements(data)
        }
        found.append(_plain("annomi", "AnnoMI, both speakers", heads, data, human))
    return found


def _plain(scheme: str, title: str, heads: Sequence[str], data: Path, experts: Mapping[str, Experts]) -> LabelledSet:
    items: list[Item] = []
    embedded: dict[str, dict[str, Sequence[Codes]]] = {}
    readers = []
    for head in heads:
        rows = gold(head, data)
        embedded[head], labels = _stored(head, data)
        used = ("score",) if scheme in ("annomi", "bolt") else ()
        readers.append(Reader(head, head.replace("_", " "), "macro-F1", None, labels, used, experts[head]))
        items += [_item(head, row, {head: row.labels}) for row in rows if row.id in embedded[head]]
    prefixed = {head: {f"{head}/{id}": codes for id, codes in told.items()} for head, told in embedded.items()}
    # Heads are interleaved, so that a few of the items are a few of each.
    items.sort(key=lambda item: hash_of(item.id))
    return LabelledSet(scheme, title, get_scheme(scheme), tuple(items), tuple(readers), prefixed, "research data")


def hash_of(text: str) -> int:
    """An order that has nothing to do with the set's own."""
    from maieutic.domain.randomness import derive_seed

    return derive_seed("judging", text)


def _epitome(data: Path) -> LabelledSet:
    heads = {f"epitome_{mechanism}": mechanism for mechanism in EPITOME}
    rows = {head: gold(head, data) for head in heads}
    by_text: dict[tuple[str, str], dict[str, Gold]] = {}
    for head, mine in rows.items():
        for row in mine:
            by_text.setdefault((row.other, row.text), {})[head] = row
    embedded: dict[str, dict[str, Sequence[Codes]]] = {}
    readers, items = [], []
    told = {head: _stored(head, data) for head in heads}
    for number, ((other, text), labelled) in enumerate(by_text.items()):
        if len(labelled) == len(heads) and text.strip():
            id = f"epitome/{number}"
            one = next(iter(labelled.values()))
            said = (Utterance("therapist", text, context=(other,) if other.strip() else ()),)
            items.append(Item(id, one.group, said, {head: row.labels for head, row in labelled.items()}))
            for head, row in labelled.items():
                embedded.setdefault(head, {})[id] = told[head][0][row.id]
    for head, mechanism in heads.items():
        readers.append(Reader(head, head.replace("_", " "), "macro-F1", mechanism, told[head][1], (), _PUBLISHED))
    items.sort(key=lambda item: hash_of(item.id))
    return LabelledSet(
        "epitome",
        "EPITOME, three mechanisms",
        get_scheme("epitome"),
        tuple(items),
        tuple(readers),
        embedded,
        "research data",
    )


def _stored(head: str, data: Path) -> tuple[dict[str, Sequence[Codes]], Codes]:
    """The embedded coder's codes of each row, one a seed, and the labels; nothing where nothing is stored."""
    kept = stored.read(head)
    if kept is None:
        return {}, ()
    stored.check_data(kept, data)
    given = figures.chosen(kept.probabilities, kept.threshold)
    return {
        row: [tuple(label for label, is_so in zip(kept.labels, one[at], strict=True) if is_so) for one in given]
        for at, row in enumerate(kept.rows)
    }, kept.labels


def _item(head: str, row: Gold, gold: Mapping[str, Codes]) -> Item:
    before = tuple(text for text in (row.same, row.other) if text.strip()) if row.other.strip() else ()
    said = Utterance("client" if row.speaker == "client" else "therapist", row.text, context=before)
    return Item(f"{head}/{row.id}", row.group, (said,), gold)


MRBENCH, MATHDIAL = "mrbench/dev.json", "mathdial/dev.jsonl"
GRADES: Final = ("Yes", "To some extent", "No")
_ADVICE: Final = frozenset({"advice", "options"})
_TURN: Final = "|EOM|"


def reply_heads() -> tuple[str, ...]:
    """Names of the readers that there are labels for."""
    return tuple(_HEADS)


def reply_file(head: str) -> str:
    """The file that a reader's labels come from, relative to the data folder."""
    return _HEADS[head][1]


def reply_labels(head: str, data: Path) -> list[Gold]:
    """The labelled replies of one reader, in the order of the file; group: the dialogue (AnnoMI: the video).

    Raises:
        UnreadableFile: The file is not there.
    """
    read, name = _HEADS[head]
    there(data, name)
    return list(read(data))


def _gold(id: str, group: str, text: str, other: str, label: str) -> Gold:
    return Gold(text, other, id=id, group=group, session=group, speaker="therapist", labels=(label,))


def _mrbench(dimension: str) -> Callable[[Path], Iterator[Gold]]:
    def read(data: Path) -> Iterator[Gold]:
        for number, talk in enumerate(json.loads((data / MRBENCH).read_text(encoding="utf-8"))):
            # The same talk may stand there more than once; its id, not its place, keeps it in one fold.
            other = talk["conversation_history"].replace("\u00a0", " ")
            for tutor, reply in talk["tutor_responses"].items():
                label = reply["annotation"][dimension]
                yield _gold(f"{number}:{tutor}", talk["conversation_id"], reply["response"], other, label)

    return read


def _mathdial(data: Path) -> Iterator[Gold]:
    for number, talk in enumerate(read_lines(data / MATHDIAL)):
        before = ""
        for at, turn in enumerate(talk["conversation"].split(_TURN)):
            speaker, _, said = turn.partition(": ")
            if speaker == "Teacher" and said.startswith("("):
                move, _, text = said[1:].partition(")")
                if text.strip():
                    yield _gold(f"{number}:{at}", str(talk["qid"]), text, before, "yes" if move == "telling" else "no")
            else:
                before = said


def _advises(data: Path) -> Iterator[Gold]:
    """Utterances in which most of AnnoMI's annotators saw advice or options; ties left out."""
    for session, lines in annomi_sessions(data, ANNOMI_FULL).items():
        rows: dict[str, list[dict[str, str]]] = defaultdict(list)
        for line in lines:
            rows[line["utterance_id"]].append(line)
        before = ""
        for number, several in rows.items():
            one = several[0]
            if one["interlocutor"] == "client":
                before = one["utterance_text"]
                continue
            counted = Counter(row["therapist_input_subtype"] in _ADVICE for row in several)
            if counted[True] != counted[False]:
                label = "yes" if counted[True] > counted[False] else "no"
                yield _gold(f"{session}:{number}", video(one["video_url"]), one["utterance_text"], before, label)


def _validates(data: Path) -> Iterator[Gold]:
    for number, entry in enumerate(json.loads((data / ESCONV).read_text(encoding="utf-8"))):
        before = ""
        for at, turn in enumerate(json.loads(entry["text"])["dialog"]):
            if turn["speaker"] != "sys":
                before = turn["text"]
            elif turn.get("strategy"):
                label = "yes" if turn["strategy"] == "Affirmation and Reassurance" else "no"
                yield _gold(f"{number}:{at}", str(number), turn["text"], before, label)


def _elaborates(data: Path) -> Iterator[Gold]:
    for at, line in enumerate(csv_rows(data, _EXPLORATIONS)):
        if line["response_post"].strip():
            label = "no" if line["level"] == "0" else "yes"
            yield _gold(str(at), line["sp_id"], line["response_post"], line["seeker_post"], label)


_EXPLORATIONS: Final = "epitome/explorations.csv"
_HEADS: Final[dict[str, tuple[Callable[[Path], Iterator[Gold]], str]]] = {
    "elaborates": (_elaborates, _EXPLORATIONS),
    "advises": (_advises, ANNOMI_FULL),
    "validates": (_validates, ESCONV),
    "tells": (_mathdial, MATHDIAL),
    "guides": (_mrbench("Providing_Guidance"), MRBENCH),
    "actionable": (_mrbench("Actionability"), MRBENCH),
}


RATED: Final = "mindeval/rated_dev.jsonl"
RATERS: Final = ("rater1", "rater2", "rater3", "rater4")


@dataclass(frozen=True, slots=True)
class Rated:
    """One session with its ratings.

    Attributes:
        id: Of the session. member: The simulated person. model: The therapist's language model.
        turns: (speaker, words) in order.
        ratings: Mean over the criteria by clinician, 0 to 6; None where a clinician rated none. A 0 may stand for 'not
            applicable' in this set and cannot be told from a rating, so it is left out.
    """

    id: str
    member: str
    model: str
    turns: tuple[tuple[str, str], ...]
    ratings: tuple[float | None, ...]

    @property
    def mean(self) -> float:
        """Mean over clinicians."""
        return fmean(one for one in self.ratings if one is not None)

    @property
    def therapist_words(self) -> str:
        """All that the therapist said, a turn a line."""
        return "\n".join(text for speaker, text in self.turns if speaker == "therapist")


def rated_sessions(data: Path) -> list[Rated]:
    """The sessions in the order of the file."""
    found = []
    for told in read_lines(data / RATED):
        given = [[many[rater] for many in told["ratings"].values() if many.get(rater)] for rater in RATERS]
        # The simulated member is the model's user; the therapist is the assistant.
        turns = tuple(("client" if m["role"] == "user" else "therapist", m["content"]) for m in told["messages"])
        ratings = tuple(fmean(mine) if mine else None for mine in given)
        found.append(Rated(told["id"] + "/" + told["model"], told["member"], told["model"], turns, ratings))
    return found


def coded(sessions: Sequence[Rated]) -> Iterator[CodedTranscript]:
    """The sessions as the packaged coder codes them."""
    predict = packaged_coder()
    for one in sessions:
        said = tuple(
            Utterance("client" if speaker == "client" else "therapist", text, index=at)
            for at, (speaker, text) in enumerate(one.turns)
        )
        yield code_transcript(Transcript(one.id, None, said, "mindeval", 2), predict)


def ranked(pairs: Sequence[tuple[float, float]]) -> float | None:
    """Spearman's rank correlation; None where one side does not vary."""
    return correlations([one for one, _ in pairs], [other for _, other in pairs]).spearman.value


def pooled(rows: Sequence[tuple[str, float, float]]) -> float | None:
    """The rank correlation over all sessions, models mixed."""
    return ranked([(value, rating) for _, value, rating in rows])


def one_against_the_rest(sessions: Sequence[Rated], rater: int) -> float | None:
    """One clinician against the mean of the other three, by the same formula as anything else."""
    return pooled(clinician_rows(sessions, rater))


def clinician_rows(sessions: Sequence[Rated], rater: int) -> list[tuple[str, float, float]]:
    """(model, the one clinician, mean of the others) of the sessions that both rated."""
    rows = []
    for one in sessions:
        mine = one.ratings[rater]
        rest = [value for at, value in enumerate(one.ratings) if at != rater and value is not None]
        if mine is not None and rest:
            rows.append((one.model, mine, fmean(rest)))
    return rows


TUTOR, TELLS, EMPATHY, SESSION = map(book_of, packaged_yaml("validation", "judge", "books.yaml"))
EXPERTS: Final = "empathy_experts/annotations_empatheticdialogues_expert{}_ratings.csv"
TALKS: Final = "empathy_experts/original_data_sample_empatheticdialogues.csv"
MAX_HISTORY: Final = 2_000
"""Letters of a tutoring talk that are shown before the reply, its end."""
_MRBENCH: Final = Experts(0.65, "Fleiss' kappa of trained raters, all dimensions, Maurya et al. 2025")
_MATHDIAL: Final = Experts(None, "the teacher's own label; no second opinion published")


def rated_sets(data: Path) -> list[LabelledSet]:
    """The rated sets whose files are in the folder. Raises `InputError` for other data than the stored figures are
    of."""
    found = []
    if (data / reply_file("guides")).is_file():
        found.append(
            _replies("tutoring", "MRBench, tutors' replies", TUTOR, ("guides", "actionable"), GRADES, _MRBENCH, data)
        )
    if (data / reply_file("tells")).is_file():
        found.append(
            _replies("mathdial", "MathDial, teachers' turns", TELLS, ("tells",), ("yes", "no"), _MATHDIAL, data)
        )
    if (data / TALKS).is_file():
        found.append(_empathy(data))
    if (data / RATED).is_file():
        found.append(_sessions(rated_sessions(data)))
    return found


def _replies(
    id: str, title: str, scheme: Scheme, heads: Sequence[str], values: Codes, experts: Experts, data: Path
) -> LabelledSet:
    labels: dict[str, dict[str, Codes]] = {}
    rows: dict[str, Gold] = {}
    embedded: dict[str, Mapping[str, Sequence[Codes]]] = {}
    for head in heads:
        for row in reply_labels(head, data):
            rows[row.id] = row
            labels.setdefault(row.id, {})[head] = row.labels
        kept = stored.read(f"reply_{head}")
        if kept is not None:
            stored.check_data(kept, data)
            best = kept.probabilities.argmax(-1)
            embedded[head] = {row: [(kept.labels[one[at]],) for one in best] for at, row in enumerate(kept.rows)}
    items = [_reply(row, labels[row.id]) for row in rows.values() if row.text.strip()]
    items.sort(key=lambda item: hash_of(item.id))
    readers = tuple(Reader(head, head, "macro-F1", head, values, (), experts) for head in heads)
    return LabelledSet(id, title, scheme, tuple(items), readers, embedded, "research data")


def _reply(row: Gold, gold: Mapping[str, Codes]) -> Item:
    before = (row.other[-MAX_HISTORY:],) if row.other.strip() else ()
    return Item(row.id, row.group, (Utterance("therapist", row.text, context=before),), gold)


def _empathy(data: Path) -> LabelledSet:
    talks: dict[str, list[tuple[str, str]]] = {}
    for line in csv_rows(data, TALKS):
        said = line["utterance"].replace("_comma_", ",")
        talks.setdefault(line["conv_id"], []).append((line["utterance_idx"], said))
    rated = [{line["conv_id"]: float(line["empathy"]) for line in csv_rows(data, EXPERTS.format(n))} for n in (1, 2, 3)]
    kappas = [weighted_kappa([(a[id], b[id]) for id in a if id in b]) for a, b in combinations(rated, 2)]
    told = [one for one in kappas if one is not None]
    experts = Experts(median(told), "median weighted kappa, expert against expert, recomputed")
    items = []
    for id, turns in talks.items():
        given = [one[id] for one in rated if id in one]
        if given:
            words = "\n".join(f"{'Seeker' if int(at) % 2 else 'Supporter'}: {text}" for at, text in turns)
            gold = {"empathy": (f"{median(given):.0f}",)}
            items.append(Item(id, id, (Utterance("therapist", words),), gold))
    reader = Reader("empathy", "empathy, 1 to 5", "weighted kappa", "empathy", tuple("12345"), (), experts)
    return LabelledSet(
        "empathy", "EmpatheticDialogues, three experts", EMPATHY, tuple(items), (reader,), {}, "research data"
    )


def _sessions(sessions: Sequence[Rated]) -> LabelledSet:
    items = [
        Item(one.id, one.member, (Utterance("therapist", one.therapist_words),), {"session": (str(one.mean),)})
        for one in sessions
    ]
    measured = {
        one.id: [(str(value),)]
        for one, value in zip(sessions, map(likeness_of, coded(sessions)), strict=True)
        if value is not None
    }
    among = [one_against_the_rest(sessions, rater) for rater in range(4)]
    experts = Experts(
        fmean([x for x in among if x is not None]), "one clinician against the mean of the rest, same figure"
    )
    reader = Reader(
        "session", "overall rating of a session", "rank correlation", "overall", tuple("123456"), (), experts
    )
    return LabelledSet(
        "mindeval",
        "MindEval, 36 sessions, four clinicians",
        SESSION,
        tuple(items),
        (reader,),
        {"session": measured},
        "research data",
    )
