"""Codes the rows of a table in order while holding only a window of them: whole sessions, or pieces of long ones."""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from maieutic.coding.book import Coding, Scheme, SchemeCoder
from maieutic.coding.rules import with_rule_facets
from maieutic.transcripts.layout import Row, cell
from maieutic.transcripts.source import Source, Survey
from maieutic.transcripts.utterance import SPEAKERS, Utterance

LONGEST = 2_000
"""Utterances of a session that are coded in one piece; the last of a piece is read without the turn after it."""
OVERLAP = 50
"""Utterances before a piece that are handed in with it as context."""
MAX_WAITING = 20_000
"""Rows that wait for their session to end before the first of them is coded with what is there."""
BATCH = 128
"""Utterances that stand alone and are coded in one go."""
_REMEMBERED = 5_000


Answer = Coding | object
"""What a coder gives for an utterance: a code, or a thing with a `reason` where it has none."""


class CannotResume(Exception):
    """A row past the point of resuming repeats an utterance from before it; the table has to be coded anew."""


@dataclass(slots=True)
class _Entry:
    """One utterance with the rows that hold it."""

    utterance: Utterance
    rows: list[int]
    coding: Coding | None = None
    reason: str | None = None
    is_done: bool = False


@dataclass(slots=True)
class CodedRow:
    """One row with its code, or why it has none."""

    number: int
    row: Row
    unfit: str | None = None
    entry: _Entry | None = None
    session: str = ""

    @property
    def coding(self) -> Coding | None:
        """The code, or None."""
        return self.entry.coding if self.entry else None

    @property
    def reason(self) -> str | None:
        """Why there is no code, or None."""
        return self.unfit or (self.entry.reason if self.entry else None)


@dataclass(slots=True)
class _Session:
    """A session that is being read."""

    before: deque[Utterance] = field(default_factory=lambda: deque(maxlen=OVERLAP))
    waiting: list[_Entry] = field(default_factory=list)
    places: OrderedDict[str, _Entry] = field(default_factory=OrderedDict)
    recent: deque[Utterance] = field(default_factory=lambda: deque(maxlen=OVERLAP))


def coded_rows(source: Source, coder: SchemeCoder, found: Survey, *, skip: int = 0) -> Iterator[CodedRow]:
    """The rows of a table in order, each with its code as soon as its session, or a piece of it, was read.

    Args:
        source: The table.
        coder: Codes the utterances.
        found: What the survey of the table found.
        skip: Rows at the beginning whose codes are at hand; they are neither coded nor handed out.

    Raises:
        CannotResume: Rows before and after `skip` share an utterance.
    """
    yield from _Window(source, coder, found, skip).run()


class _Window:
    def __init__(self, source: Source, coder: SchemeCoder, found: Survey, skip: int) -> None:
        self.source, self.coder, self.found, self.skip = source, coder, found, skip
        self.book: Scheme = coder.scheme
        self.waiting: deque[CodedRow] = deque()
        self.sessions: dict[str, _Session] = {}
        self.alone: list[_Entry] = []

    def run(self) -> Iterator[CodedRow]:
        current: str | None = None
        for number, (_, row, said) in enumerate(self.source.lines()):
            if self.found.last is None and said.session != current:
                self._end(current)
            current = said.session
            self._take(CodedRow(number, row, session=said.session or ""), said, cell(row, self.source.layout.turn))
            if self.found.last is not None and current is not None and self.found.last[hash(current)] == number:
                self._end(current)
            if len(self.alone) >= BATCH:
                self._code_alone()
            if len(self.waiting) >= MAX_WAITING:
                self._code_alone()
                if self.waiting[0].session in self.sessions:
                    self._code_session(self.sessions[self.waiting[0].session])
            yield from self._ready()
        self._code_alone()
        for session in list(self.sessions):
            self._end(session)
        yield from self._ready()

    def _take(self, held: CodedRow, said: Utterance, turn: str) -> None:
        self.waiting.append(held)
        if said.speaker not in SPEAKERS:
            shown = cell(held.row, self.source.layout.speaker)
            held.unfit = f"speaker {shown!r} is neither therapist nor client" if shown.strip() else "no speaker"
            return
        if not said.text.strip():
            held.unfit = "no text"
            return
        has_codes = bool(self.book.labels(said.speaker))
        if not has_codes:
            held.unfit = f"the scheme {self.book.id} codes no {said.speaker} utterances"
        if said.session is None:
            if has_codes:
                self._queue(held, said, self.alone)
            return
        session = self.sessions.setdefault(said.session, _Session())
        if turn and turn in session.places:
            entry = session.places[turn]
            if (
                entry.is_done
                and entry.coding is None
                and entry.reason is None
                and held.number >= self.skip
                and has_codes
            ):
                raise CannotResume
            entry.rows.append(held.number)
            held.entry = entry if has_codes else None
            return
        # Without client codes a coder is asked about the therapist's turns only, each with what came before it.
        by_itself = not self.book.client
        if has_codes:
            before = _context(session.recent, said.speaker, pairs=self.book.pairs) if by_itself else ()
            self._queue(
                held, replace(said, context=before) if before else said, self.alone if by_itself else session.waiting
            )
            if turn and held.entry is not None:
                session.places[turn] = held.entry
                while len(session.places) > _REMEMBERED:
                    session.places.popitem(last=False)
        session.recent.append(said)
        if len(session.waiting) >= LONGEST:
            self._code_session(session)

    def _queue(self, held: CodedRow, utterance: Utterance, queue: list[_Entry]) -> None:
        held.entry = _Entry(utterance, [held.number])
        queue.append(held.entry)

    def _end(self, name: str | None) -> None:
        session = self.sessions.pop(name, None) if name is not None else None
        if session is not None:
            self._code_session(session)

    def _code_session(self, session: _Session) -> None:
        if session.waiting:
            self._code(session.waiting, list(session.before))
            session.before.extend(entry.utterance for entry in session.waiting)
            session.waiting = []

    def _code_alone(self) -> None:
        # An utterance that nothing goes before is asked about by itself: the one above it is not its dialogue.
        together = [entry for entry in self.alone if entry.utterance.context]
        single = [entry for entry in self.alone if not entry.utterance.context]
        many: Callable[[list[list[Utterance]]], list[list[Answer]]] | None = getattr(self.coder, "judge_table", None)
        if many is not None:
            asked = [entry for entry in self.alone if any(number >= self.skip for number in entry.rows)]
            for entry, (answer,) in zip(asked, many([[entry.utterance] for entry in asked]), strict=True):
                self._fill([entry], [answer])
            for entry in self.alone:
                entry.is_done = True
        else:
            for entries in ([together] if together else []) + [[entry] for entry in single]:
                self._code(entries, [])
        self.alone = []

    def _code(self, entries: Sequence[_Entry], before: Sequence[Utterance]) -> None:
        if any(number >= self.skip for entry in entries for number in entry.rows):
            said = [entry.utterance for entry in entries]
            self._fill(entries, self.coder.predict([*before, *said])[len(before) :])
        for entry in entries:
            entry.is_done = True

    def _fill(self, entries: Sequence[_Entry], answers: Sequence[Answer]) -> None:
        for entry, answer in zip(entries, answers, strict=True):
            if isinstance(answer, Coding):
                (entry.coding,) = with_rule_facets(self.book, [entry.utterance], [answer])
            else:
                entry.reason = str(getattr(answer, "reason", "the coder gave no code"))

    def _ready(self) -> Iterator[CodedRow]:
        while self.waiting:
            first = self.waiting[0]
            if first.entry is not None and not first.entry.is_done:
                return
            self.waiting.popleft()
            if first.number >= self.skip:
                yield first


def _context(recent: Sequence[Utterance], role: str, *, pairs: bool) -> tuple[str, ...]:
    """What the other speaker said last, after the speaker's own words before it where the scheme reads more than
    pairs."""
    back = reversed(recent)
    other = next((said.text for said in back if said.speaker != role), None)
    if other is None:
        return ()
    own = next((said.text for said in back if said.speaker == role), None)
    return (other,) if pairs or own is None else (own, other)
