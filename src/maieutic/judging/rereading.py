"""What an admitted judge reads again: the advice of a finished run of evaluate, and codes of transcripts for score."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from maieutic.coding.features import Said, in_place
from maieutic.coding.schemes import REPLIES, get_scheme
from maieutic.domain.codes import Move, TurnCode
from maieutic.domain.episode import Episode
from maieutic.evaluation.evaluate import READERS_FILE, Outcome, finish, read_run
from maieutic.judging.admitted import CONTEXT, Admission, admitted_among
from maieutic.judging.calls import Progress
from maieutic.judging.coder import CallLimits, JudgeCoder, Judged, JudgedCoding, JudgeSettings, Missing
from maieutic.measures.coded import ManyCodes, Predict, Prediction
from maieutic.protocols import LanguageModel
from maieutic.runs.files import write_json
from maieutic.runs.folder import locked
from maieutic.transcripts.utterance import Transcript, Utterance

READER: Final = "advises"


def advice_admission(path: Path, model: LanguageModel) -> Admission:
    """That a judge was admitted as the reader of advice.

    Raises:
        UnreadableFile: There is no such file, or it is another one.
        InputError: It is of another judge, or does not admit it as the reader of advice.
    """
    told = f"; evaluate can use a judge for {READER} only, so leave --judge out"
    return admitted_among(path, model.name, {READER: REPLIES}, told)


async def reread_run(
    folder: Path, model: LanguageModel, admission: Admission, progress: Progress, *, max_calls: int | None = None
) -> Outcome:
    """Scores and report of a run again, with a turn advising where the judge says so; `readers.json` says who read.

    A turn without a readable answer of the judge is not coded. `rescore` brings the rules' reading back, and `compare`
    always uses it, so that two runs are never read by two readers.

    Raises:
        BudgetReached, ModelUnavailable: What came is kept in the folder's journal.
        StorageError: The folder cannot be written.
    """
    settings = JudgeSettings(admission.temperature, limits=CallLimits(max_calls=max_calls))
    with locked(folder):
        manifest, episodes = read_run(folder)
        judge = JudgeCoder(
            REPLIES, model, samples=admission.samples, journal=folder / "journal-judge.jsonl", settings=settings
        )
        try:
            told = await judge.predict_many([_talk(one) for one in episodes], progress)
        finally:
            await model.close()
        again = [_recoded(one, said) for one, said in zip(episodes, told, strict=True)]
        outcome = finish(folder, again, run_seed=int(manifest["run_seed"]))
        write_json(folder / READERS_FILE, {READER: f"judge {model.name}"})
        return outcome


def _talk(episode: Episode) -> list[Utterance]:
    return [
        Utterance("therapist" if turn.speaker == "therapist" else "client", turn.text) for turn in episode.session.turns
    ]


def _recoded(episode: Episode, said: Sequence[Judged]) -> Episode:
    turns = [
        one for one, turn in zip(said, episode.session.turns, strict=True) if turn.speaker == "therapist"
    ]  # a session's codes are those of its therapist's turns, in order
    codes = tuple(_code(code, one) for code, one in zip(episode.codes, turns, strict=False))
    return replace(episode, codes=codes)


def _code(code: TurnCode | None, said: Judged) -> TurnCode | None:
    if code is None or not isinstance(said, JudgedCoding) or READER not in said.facets:
        return None
    advises = said.facets[READER].probabilities["yes"]
    return replace(code, probabilities={**code.probabilities, Move.ADVICE: advises})


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
    told = f"; score can use it for {', '.join(READS)} only, so leave --judge out"
    return admitted_among(path, model.name, {name: get_scheme(scheme) for name, (scheme, _) in READS.items()}, told)


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
