"""What coding by a judge will cost, counted from the very prompts that would be sent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from maieutic.judging.calls import Call
from maieutic.judging.journal import JudgeJournal
from maieutic.judging.prompt import Question

LETTERS_A_TOKEN = 4.0
"""Letters of English prose in a token, as a rule of thumb; servers count otherwise."""
ITEM_TOKENS, FACET_TOKENS = 40, 10
"""Tokens that an item of the answer usually takes, and each further question."""
SECONDS_A_CALL = 2.0
"""Assumed until the journal holds an answer."""


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


class Costs:
    """Adds up questions; one that stands there twice is asked once and counts once."""

    def __init__(self, journal: JudgeJournal, *, parallel: int) -> None:
        """Begins at nothing; `parallel` is the number of calls at once."""
        self._journal = journal
        self._parallel = parallel
        self._new: set[str] = set()
        self._kept: set[str] = set()
        self._utterances = self._letters = self._tokens_out = 0

    def add(self, question: Question, calls: Mapping[str, Call], *, facets: int) -> None:
        """Counts one question with its calls, by what their answers are filed under.

        Args:
            question: What is asked.
            calls: Its calls.
            facets: Further questions asked of each utterance.
        """
        self._utterances += len(question.places)
        letters = sum(len(message["content"]) for message in question.messages)
        for key in calls:
            if key in self._journal:
                self._kept.add(key)
            elif key not in self._new:
                self._new.add(key)
                self._letters += letters
                self._tokens_out += len(question.places) * (ITEM_TOKENS + FACET_TOKENS * facets)

    def estimate(self) -> Estimate:
        """The costs so far."""
        measured = self._journal.seconds
        seconds = SECONDS_A_CALL if measured is None else measured
        return Estimate(
            utterances=self._utterances,
            calls=len(self._new),
            kept=len(self._kept),
            tokens_in=round(self._letters / LETTERS_A_TOKEN),
            tokens_out=self._tokens_out,
            minutes=len(self._new) * seconds / self._parallel / 60,
            seconds_a_call=seconds,
            measured=measured is not None,
        )
