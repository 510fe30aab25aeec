"""A finished run whose advice is read by an admitted judge instead of the rules: the sessions stay, their codes of
advice change."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from maieutic.coding.schemes.composed import REPLIES
from maieutic.domain.codes import Move, TurnCode
from maieutic.domain.episode import Episode
from maieutic.errors import InputError
from maieutic.evaluation.evaluate import READERS_FILE, Outcome, finish, read_run
from maieutic.judging.admitted import Admission, read_admission
from maieutic.judging.calls import Progress
from maieutic.judging.coder import CallLimits, JudgeCoder, Judged, JudgedCoding, JudgeSettings
from maieutic.protocols import LanguageModel
from maieutic.runs.files import write_json
from maieutic.runs.folder import locked
from maieutic.transcripts.utterance import Utterance

READER: Final = "advises"


def advice_admission(path: Path, model: LanguageModel) -> Admission:
    """That a judge was admitted as the reader of advice.

    Raises:
        UnreadableFile: There is no such file, or it is another one.
        InputError: It is of another judge, or does not admit it as the reader of advice.
    """
    found = read_admission(path, model.name)
    if not found.among({READER: REPLIES}):
        raise InputError(
            f"--admitted {path}: {model.name} is admitted for {', '.join(sorted(found.readers))}; evaluate can use a "
            f"judge for {READER} only, so leave --judge out"
        )
    return found


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
