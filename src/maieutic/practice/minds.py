"""The simulated patients behind practice: one loop in a thread of its own plays all turns, whoever asks."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from maieutic.coding.rules import RuleCoder
from maieutic.dialogue import Conversation, Event, Progress, Streams, converse
from maieutic.domain.case import Case
from maieutic.domain.episode import Ending, Episode, EpisodeKey
from maieutic.evaluation.journal import record_of, turn_line
from maieutic.evaluation.plan import drawn_situation
from maieutic.practice.reader import Reading, read_turn
from maieutic.protocols import LanguageModel
from maieutic.registry import load_therapist
from maieutic.serving.folding import turn_of
from maieutic.serving.offers import offered
from maieutic.serving.patient import RUN_SEED, Caller, Patients

T = TypeVar("T")
BY_MODEL = "simulated+llm"
"""Kinds of patient whose model reads turns, too; one that only words answers may be too small for it."""
PATIENCE = 120.0
"""Seconds for one answer; a patient that a model words can be slow."""


@dataclass(frozen=True, slots=True)
class Minds:
    """Plays patients. Every call waits for its answer and may come from any thread.

    Attributes:
        patients: Makes them, and remembers which it made.
        loop: Where they are played.
        reader: The language model behind the patients, which reads the trainee's turns, too; None where there is none.
    """

    patients: Patients
    loop: asyncio.AbstractEventLoop
    _thread: threading.Thread = field(repr=False)
    reader: LanguageModel | None = None

    def opened(self, case: Case, seed: int) -> Progress:
        """A session in which the patient has spoken first."""
        return self._played(self.patients.opened(case, seed))

    def answered(self, case: Case, seed: int, progress: Progress, said: str) -> Progress:
        """What a turn does to the patient, and what the patient says to it. Raises `ModelError`."""
        return self._played(self.patients.answered(case, seed, progress, turn_of("therapist", said)))

    def read(self, case: Case, seed: int, progress: Progress) -> Reading | None:
        """What the model reads in the last turn; None where there is no model, or nothing was answered."""
        if self.reader is None or progress.session.turns[-1].speaker != "patient":
            return None
        try:
            return self._played(read_turn(self.reader, progress.session, (case.id, str(seed))))
        except TimeoutError:
            return Reading(self.reader.name, unread=f"it gave no answer in {PATIENCE:.0f} s")

    def compared(self, case: Case, seed: int, therapist: str, turns: int) -> list[bytes]:
        """The journal of a therapist's own session on the same case and seed."""
        return self._played(self._session(case, seed, therapist, turns))

    async def _session(self, case: Case, seed: int, therapist: str, turns: int) -> list[bytes]:
        lines: list[bytes] = []

        async def heard(event: Event) -> None:
            lines.append(turn_line(event))
            await asyncio.sleep(0.01)  # people who practise get their turns between two of this session

        patient = self.patients.make(case, drawn_situation(case, RUN_SEED, seed))
        streams = Streams(RUN_SEED, EpisodeKey(therapist, case.id, seed))
        await converse(Conversation(load_therapist(therapist), patient, self.patients.coder, turns, streams, heard))
        return lines

    def _played(self, work: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, self.loop).result(PATIENCE)

    def close(self) -> None:
        """Stop playing."""
        self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join()


def start(patient: str) -> Minds:
    """Patients of a kind, as in `maieutic evaluate`. Raises `InputError` for one that cannot be had."""
    offers = offered(cases=("starter",), patient=patient)
    reads = patient.startswith(BY_MODEL) and offers.models
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, name="minds", daemon=True)
    thread.start()
    patients = Patients(offers.patients.make, RuleCoder())
    return Minds(patients, loop, thread, offers.models[-1] if reads else None)


def lines_of(case: Case, seed: int, progress: Progress) -> bytes:
    """The last turn of a session and its answer as lines of a journal, hidden side included."""
    key, turns = EpisodeKey(Caller().name, case.id, seed), progress.session.turns
    state = progress.states[-1] if progress.states else None
    code = progress.codes[-1] if progress.codes else None
    taken = progress.appraisals[-1] if progress.appraisals else None
    answer = Event(key, len(turns) - 1, turns[-1], state, code, taken, progress.ending)
    asked = [] if len(turns) == 1 else [turn_line(Event(key, len(turns) - 2, turns[-2], None))]
    return b"".join([*asked, turn_line(answer)])


def progress_of(lines: Sequence[bytes], case: Case, seed: int) -> Progress:
    """Where a kept session stands, word for word and state for state, whatever became of the patients since."""
    streams = Streams(RUN_SEED, EpisodeKey(Caller().name, case.id, seed))
    split = [line for one in lines for line in one.splitlines()]
    return record_of(split).progress(streams.session_seed)


def episode_of(lines: Sequence[bytes], case: Case, seed: int, therapist: str = "caller") -> Episode:
    """A kept session as measures take it."""
    progress = progress_of(lines, case, seed)
    return Episode(
        EpisodeKey(therapist, case.id, seed),
        progress.session,
        progress.states,
        progress.codes,
        progress.appraisals,
        progress.ending or Ending("turn_limit"),
    )
