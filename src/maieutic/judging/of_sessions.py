"""A judge's codes in a scored session: for the readers it was admitted for, and for no other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from maieutic.coding.features import Said, in_place
from maieutic.coding.schemes import get_scheme
from maieutic.errors import InputError
from maieutic.judging.admitted import CONTEXT, Admission, read_admission
from maieutic.judging.coder import CallLimits, JudgeCoder, JudgedCoding, JudgeSettings, Missing
from maieutic.measures.coded import ManyCodes, Predict, Prediction
from maieutic.protocols import LanguageModel
from maieutic.transcripts.utterance import Transcript, Utterance

READS: Final = {
    "annomi_therapist": ("annomi", "therapist"),
    "annomi_client": ("annomi", "client"),
    "bolt_therapist": ("bolt", "therapist"),
}
"""Scheme and speaker of each reader that `score` lets a judge take the place of."""


def score_admission(path: Path, model: LanguageModel) -> Admission:
    """What a judge was admitted for, of what `score` reads.

    Raises:
        UnreadableFile: There is no such file, or it is another one.
        InputError: It is of another judge, or admits it for nothing that is read here.
    """
    found = read_admission(path, model.name)
    kept = found.among({reader: get_scheme(scheme) for reader, (scheme, _) in READS.items()})
    if not kept:
        raise InputError(
            f"--admitted {path}: {model.name} is admitted for {', '.join(sorted(found.readers))}; score can use it for "
            f"{', '.join(READS)} only, so leave --judge out"
        )
    return replace(found, readers=kept)


class JudgedScoring:
    """Codes sessions with the packaged coders, and with a judge where it was admitted.

    Attributes:
        origin: Where codes come from, in words; part of what makes two runs comparable.
    """

    def __init__(
        self,
        packaged: Predict,
        model: LanguageModel,
        admission: Admission,
        *,
        journal: Path | None,
        max_calls: int | None = None,
    ) -> None:
        """Prepares, without a call. Raises `UnreadableFile` for a damaged journal."""
        self._packaged = packaged
        self._speakers: dict[str, list[str]] = {}
        for reader in sorted(admission.readers):
            scheme, speaker = READS[reader]
            self._speakers.setdefault(scheme, []).append(speaker)
        settings = JudgeSettings(admission.temperature, limits=CallLimits(max_calls=max_calls))
        self._judges: Mapping[str, JudgeCoder] = {
            scheme: JudgeCoder(
                get_scheme(scheme),
                model,
                samples=admission.samples,
                context=CONTEXT[scheme],
                journal=None if journal is None else journal.with_name(f"{journal.name}.{scheme}"),
                settings=settings,
            )
            for scheme in self._speakers
        }
        self.origin = f"packaged coders; {', '.join(sorted(admission.readers))} by judge {model.name}"

    def __call__(self, transcript: Transcript) -> Sequence[Prediction]:
        """Codes one session; a turn without a readable answer of the judge has no code there.

        Raises:
            BudgetReached, ModelUnavailable, StorageError: As `JudgeCoder.predict_many`.
        """
        rows = [_many(one) for one in self._packaged(transcript)]
        for scheme, judge in self._judges.items():
            asked = [at for at, said in enumerate(transcript.utterances) if said.speaker in self._speakers[scheme]]
            placed = in_place([(said.speaker, said.text) for said in transcript.utterances])
            told = judge.judge_table([[_alone(transcript.utterances[at], placed[at])] for at in asked])
            for at, (one,) in zip(asked, told, strict=True):
                rows[at] = _replaced(rows[at], scheme, one)
        return rows

    def close(self) -> None:
        """Closes the connections."""
        for judge in self._judges.values():
            judge.close()


def _alone(said: Utterance, place: Said) -> Utterance:
    """An utterance with what it was measured with: what the other and the speaker said just before."""
    before = tuple(text for text in (place.same, place.other) if text.strip()) if place.other.strip() else ()
    return Utterance(said.speaker, said.text, context=before)


def _many(one: Prediction) -> ManyCodes:
    return one if isinstance(one, ManyCodes) else ManyCodes(one.predicted, one.probabilities, one.abstain, {})


def _replaced(row: ManyCodes, scheme: str, told: JudgedCoding | Missing) -> ManyCodes:
    codes = () if isinstance(told, Missing) or told.abstain else told.predicted
    if scheme != "annomi":
        return replace(row, codes={**row.codes, scheme: codes})
    if isinstance(told, Missing):
        return replace(row, predicted=(), probabilities={}, abstain=True)
    return replace(row, predicted=told.predicted, probabilities=told.probabilities, abstain=told.abstain)
