"""The judge: any language model codes utterances, with the code book as its prompt and quotes as its evidence."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Self

from maieutic.coding.book import Scheme
from maieutic.domain.randomness import derive_seed
from maieutic.errors import InputError
from maieutic.judging.answer import Reading, Unreadable, read_answer
from maieutic.judging.calls import Call, Caller, CallLimits, JudgeJournal, Progress, answer_key
from maieutic.judging.prompt import Question, applies, facets_of, questions
from maieutic.judging.votes import HALF, Calibration, Judged, JudgedCoding, Missing, tally
from maieutic.protocols import LanguageModel
from maieutic.transcripts.utterance import Utterance

_Asked = tuple[Question, Mapping[str, Call]]
LETTERS_A_TOKEN = 4.0
"""Letters of English prose in a token, as a rule of thumb; servers count otherwise."""
ITEM_TOKENS, FACET_TOKENS = 40, 10
"""Tokens that an item of the answer usually takes, and each further question."""
SECONDS_A_CALL = 2.0
"""Assumed until the journal holds an answer."""


@dataclass(frozen=True, slots=True)
class JudgeSettings:
    """How answers are drawn and added up.

    Attributes:
        temperature: Of every answer; 0 makes more than one sample pointless on most servers.
        max_tokens: Longest answer for one utterance; give a model that thinks aloud more.
        abstain_at: The coder abstains where its likeliest code has this probability or less (0–1).
        calibration: Fitted on utterances that people coded; None leaves the shares as they are.
        limits: How much at once, and when to stop.
    """

    temperature: float = 0.7
    max_tokens: int = 200
    abstain_at: float = HALF
    calibration: Calibration | None = None
    limits: CallLimits = field(default_factory=CallLimits)


class JudgeCoder:
    """Codes utterances under any scheme by asking a language model several times and counting its answers.

    Blind to: whatever the model is blind to. Its probabilities are shares of its own answers, so a judge that errs in
    the same way each time is sure of itself and wrong. No figure of agreement with people comes with the package: it
    has to be measured for each model.

    Close it when done, or use it in a `with` block: it holds the model's connections.

    Attributes:
        name: 'judge:' and the model's name.
        scheme: The code book.
        model: The model that is asked.
        journal: The answers so far.
        caller: Makes the calls; counts them and their tokens.
    """

    def __init__(
        self,
        scheme: Scheme,
        model: LanguageModel,
        *,
        samples: int = 3,
        context: int = 4,
        batch: int = 1,
        journal: Path | None = None,
        settings: JudgeSettings | None = None,
    ) -> None:
        """Prepares, without a call.

        Args:
            scheme: The code book.
            model: The model to ask.
            samples: Answers for each utterance, 1 or more.
            context: Earlier turns that the model is shown, 0 or more.
            batch: Neighbouring utterances of one speaker in a call, 1 or more. More is cheaper; the model then sees
                what follows the first of them.
            journal: File that keeps the answers; None keeps them in memory only.
            settings: See `JudgeSettings`.

        Raises:
            InputError: A number out of its range.
            UnreadableFile: The journal is damaged, or is none.
        """
        if samples < 1 or batch < 1 or context < 0:
            given = f"samples={samples}, batch={batch}, context={context}"
            raise InputError(f"samples and batch must be 1 or more and context 0 or more, got {given}")
        self.name = f"judge:{model.name}"
        self.scheme = scheme
        self.model = model
        self.journal = JudgeJournal(journal)
        self._settings = settings or JudgeSettings()
        self.caller = Caller(model, self.journal, self._settings.limits)
        self._samples, self._context, self._batch = samples, context, batch
        self._runner: asyncio.Runner | None = None

    def estimate(self, dialogues: Sequence[Sequence[Utterance]]) -> Estimate:
        """What `predict_many` on these dialogues would cost; makes no call."""
        stand_in = self.rehearsal()
        for dialogue in dialogues:
            stand_in.predict(dialogue)
        return stand_in.estimate()

    def rehearsal(self) -> Rehearsal:
        """A coder that stands in for this one where nothing may be asked yet, and adds up what it would cost."""
        return Rehearsal(self)

    def predict(self, dialogue: Sequence[Utterance]) -> list[Judged]:
        """Codes one session: one coding for each utterance, in order, or the reason why there is none.

        Raises:
            See `predict_many`.
        """
        return self.judge_table([dialogue])[0]

    def judge_table(
        self, dialogues: Sequence[Sequence[Utterance]], progress: Progress | None = None
    ) -> list[list[Judged]]:
        """`predict_many` for callers without an event loop; it may be called again and again."""
        if self._runner is None:
            self._runner = asyncio.Runner()
        return self._runner.run(self.predict_many(dialogues, progress))

    async def predict_many(
        self, dialogues: Sequence[Sequence[Utterance]], progress: Progress | None = None
    ) -> list[list[Judged]]:
        """Codes several sessions, calls of all of them at once.

        The codes do not depend on the order of sessions or answers. What the journal holds is not asked again.

        Raises:
            InputError: A speaker that is neither 'therapist' nor 'client'.
            BudgetReached: The limit on calls is used up; what came is kept.
            ModelUnavailable: Too many calls in a row failed; what came is kept.
            StorageError: The journal cannot be written.
        """
        asked = self._asked(dialogues)
        failures = await self.caller.fetch(self._wanted(asked), progress)
        result = [[self._not_asked(one) for one in dialogue] for dialogue in dialogues]
        for question, calls in asked:
            for place, judged in zip(question.places, self._judge(question, calls, failures), strict=True):
                result[question.dialogue][place] = judged
        return result

    def close(self) -> None:
        """Closes the connections that `predict` and `judge_table` opened; the journal needs no closing."""
        if self._runner is not None:
            self._runner.run(self.model.close())
            self._runner.close()
            self._runner = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _asked(self, dialogues: Sequence[Sequence[Utterance]]) -> list[_Asked]:
        """Every question with its calls, by what their answers are filed under."""
        found = questions(self.scheme, dialogues, context=self._context, batch=self._batch)
        return [(question, dict(self._calls(question))) for question in found]

    def _calls(self, question: Question) -> Iterator[tuple[str, Call]]:
        # The seed names the sample and nothing else, so that the same question is asked once wherever it stands.
        temperature, limit = self._settings.temperature, self._settings.max_tokens * len(question.places)
        for sample in range(self._samples):
            seed = derive_seed("judge", sample)
            key = answer_key(self.model.name, question.messages, seed=seed, temperature=temperature, max_tokens=limit)
            yield key, Call(question.messages, seed, temperature, limit)

    def _wanted(self, asked: Sequence[_Asked]) -> dict[str, Call]:
        return {key: call for _, calls in asked for key, call in calls.items() if key not in self.journal}

    def _judge(self, question: Question, calls: Iterable[str], failures: Mapping[str, str]) -> list[Judged]:
        answers: list[list[Reading | Unreadable]] = [
            read_answer(self.scheme, question.speaker, question.texts, self.journal[key].text)
            if key in self.journal
            else [Unreadable(failures[key])] * len(question.places)
            for key in calls
        ]
        settings = self._settings
        return [
            tally(
                self.scheme,
                question.speaker,
                list(given),
                abstain_at=settings.abstain_at,
                calibration=settings.calibration,
            )
            for given in zip(*answers, strict=True)
        ]

    def _not_asked(self, utterance: Utterance) -> Judged:
        if not applies(self.scheme, utterance.speaker):
            return Missing(f"{self.scheme.id} codes no {utterance.speaker} utterances")
        return Missing("no text")


@dataclass(frozen=True, slots=True)
class Estimate:
    """What coding would cost.

    Attributes:
        utterances: Utterances to code.
        calls: Calls to make; answers that the journal holds are not asked again, repetitions after faults come on top.
        kept: Answers that the journal holds already.
        tokens_in: Tokens sent, at four letters a token.
        tokens_out: Tokens received, at 40 an utterance and 10 a further question.
        minutes: At `seconds_a_call`, several calls at once.
        seconds_a_call: Mean of the journal, else assumed.
        measured: Whether `seconds_a_call` comes from the journal.
    """

    utterances: int
    calls: int
    kept: int
    tokens_in: int
    tokens_out: int
    minutes: float
    seconds_a_call: float
    measured: bool

    def cost(self, prices: tuple[float, float]) -> float:
        """Cost in the unit of the prices of a million tokens sent and received."""
        return (self.tokens_in * prices[0] + self.tokens_out * prices[1]) / 1e6

    def __str__(self) -> str:
        """One line for a terminal."""
        source = "measured" if self.measured else "assumed"
        return (
            f"{self.utterances:,} utterances, {self.calls:,} calls ({self.kept:,} more answers are kept), about "
            f"{self.tokens_in:,} tokens in and {self.tokens_out:,} out, about {self.minutes:.1f} minutes at "
            f"{self.seconds_a_call:.1f} s a call ({source})"
        )


class Rehearsal:
    """Stands in for a judge in a dry run: goes through the same dialogues, asks nothing, codes nothing, and adds up.

    A question that stands there twice is asked once and counts once.

    Attributes:
        name: As the judge's.
        scheme: As the judge's.
    """

    def __init__(self, coder: JudgeCoder) -> None:
        """Begins at nothing."""
        self.name, self.scheme = coder.name, coder.scheme
        self._coder = coder
        self._new: set[str] = set()
        self._kept: set[str] = set()
        self._utterances = self._letters = self._tokens_out = 0

    def predict(self, dialogue: Sequence[Utterance]) -> list[Judged]:
        """Counts what coding this session would cost."""
        for question, calls in self._coder._asked([dialogue]):
            self._utterances += len(question.places)
            letters = sum(len(message["content"]) for message in question.messages)
            facets = len(facets_of(self.scheme, question.speaker))
            for key in calls:
                if key in self._coder.journal:
                    self._kept.add(key)
                elif key not in self._new:
                    self._new.add(key)
                    self._letters += letters
                    self._tokens_out += len(question.places) * (ITEM_TOKENS + FACET_TOKENS * facets)
        return [Missing("not asked: this is a dry run")] * len(dialogue)

    def estimate(self) -> Estimate:
        """The costs of all sessions so far, counted from the very prompts that would be sent."""
        measured = self._coder.journal.seconds
        seconds = SECONDS_A_CALL if measured is None else measured
        return Estimate(
            utterances=self._utterances,
            calls=len(self._new),
            kept=len(self._kept),
            tokens_in=round(self._letters / LETTERS_A_TOKEN),
            tokens_out=self._tokens_out,
            minutes=len(self._new) * seconds / self._coder.caller.parallel / 60,
            seconds_a_call=seconds,
            measured=measured is not None,
        )


__all__ = [
    "Calibration",
    "CallLimits",
    "Estimate",
    "JudgeCoder",
    "JudgeSettings",
    "Judged",
    "JudgedCoding",
    "Missing",
    "Rehearsal",
]
