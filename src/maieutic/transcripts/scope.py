"""Whether a session lies within what can be scored and rated: English, one therapist, one client, a few turns."""

from __future__ import annotations

import re
import shlex
from collections import Counter

from maieutic.language.sentences import STOP_WORDS
from maieutic.transcripts.utterance import SPEAKERS, Transcript

MIN_UTTERANCES = 4
ENGLISH_RATE = 0.35  # the lowest rate in AnnoMI and HLQC is 0.58; other Germanic languages stay below 0.2
_TOKEN = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")


def out_of_scope(transcript: Transcript) -> str | None:
    """Why a transcript is not to be scored, or None when it is within scope.

    In scope is an English session of one therapist with one client and at least four turns. Language is judged by the
    rate of common English words; mixed sessions in which English prevails pass.
    """
    roles = {utterance.speaker for utterance in transcript.utterances}
    nameless = sum(not one.name.strip() for one in transcript.utterances)
    if transcript.people > 2 and 0 < nameless < len(transcript.utterances):
        turns = "1 turn has" if nameless == 1 else f"{nameless} turns have"
        return f"{turns} no speaker's name beside {transcript.people - 1} speakers that have one; fill in who spoke"
    if transcript.people > 2:
        return f"{transcript.people} speakers; only sessions of one therapist with one client are scored"
    if len(transcript.utterances) < MIN_UTTERANCES:
        return f"too short ({len(transcript.utterances)} turns; at least {MIN_UTTERANCES} are needed)"
    if transcript.people < 2:
        return f"one speaker only ({', '.join(sorted(roles))})"
    if roles != {"therapist", "client"}:
        return _which_is_which(transcript)
    rate = english_rate(transcript)
    if rate is None or rate < ENGLISH_RATE:
        return "not English, as far as the rate of common English words tells"
    return None


def _which_is_which(transcript: Transcript) -> str:
    """Who speaks how often, and the options to type."""
    turns = Counter(one.name.strip() for one in transcript.utterances)
    known = {one.speaker for one in transcript.utterances} & set(SPEAKERS)
    strangers = list(dict.fromkeys(one.name.strip() for one in transcript.utterances if one.speaker not in SPEAKERS))
    lacking = [role for role in SPEAKERS if role not in known]
    found = ", ".join(f"{name!r} ({count} turns)" for name, count in turns.items())
    options = " ".join(
        f"--column {shlex.quote(f'{role}={name}')}" for role, name in zip(lacking, strangers, strict=False)
    )
    other = ", or the other way round" if len(lacking) > 1 else ""
    return f"it is not known which speaker is the therapist. Speakers: {found}. Add {options}{other}"


def english_rate(transcript: Transcript, most: int = 2_000) -> float | None:
    """Share of common English words among the first words of a transcript, 0 to 1; None when it has no words."""
    tokens: list[str] = []
    for utterance in transcript.utterances:
        tokens.extend(_TOKEN.findall(utterance.text.lower().replace("’", "'")))
        if len(tokens) >= most:
            break
    return sum(token in STOP_WORDS for token in tokens) / len(tokens) if tokens else None
