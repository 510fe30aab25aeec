"""Recordings that the coder was not fitted on: session quality (HLQC), support chats (ESConv), MISC codes (HLQC,
MIBot).

The packaged coder codes these sets now; nothing is fitted here. Human codes of other schemes are mapped to AnnoMI's
labels, only roughly for MISC, so those figures say how far the coder carries, not how good it is.
"""

from __future__ import annotations

import json
import random
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from maieutic.coding.book import Coding, SchemeCoder
from maieutic.coding.schemes import get_scheme
from maieutic.runs.findings import Bound, Finding, by_estimate
from maieutic.runs.work import Tick
from maieutic.stats import Interval, generator, percentile_bounds, resample_weights
from maieutic.transcripts.utterance import Role, Utterance
from maieutic.validation.coder import figures as fig
from maieutic.validation.coder.datasets import ESCONV, MISC_FILES, rows, there
from maieutic.validation.coder.figures import Flags, Floats
from maieutic.validation.coder.stored import Stored

HLQC = "hlqc/HLQC.csv"
ESCONV_LABELS = {
    "Question": "question",
    "Restatement or Paraphrasing": "reflection",
    "Reflection of feelings": "reflection",
    "Providing Suggestions": "therapist_input",
    "Information": "therapist_input",
}
"""Strategies of ESConv (Liu et al., ACL 2021) as AnnoMI labels; all others are 'other'."""
MISC_THERAPIST = {
    **dict.fromkeys(("OQ", "CQ"), "question"),
    **dict.fromkeys(("SR", "CR", "RF", "SU"), "reflection"),
    **dict.fromkeys(("GI", "ADP", "ADW", "CO", "DI", "WA", "RCW", "RCP"), "therapist_input"),
}
"""MISC 2.5 codes as AnnoMI labels; all others are 'other'."""
MISC_CLIENT = {"C": "change", "S": "sustain", "N": "neutral"}


@dataclass(frozen=True, slots=True)
class Talk:
    """One session: its utterances, and the human label of each where there is one; `words` as counted by blanks."""

    id: str
    utterances: tuple[Utterance, ...]
    gold: tuple[str | None, ...]

    @property
    def words(self) -> int:
        return sum(len(one.text.split()) for one in self.utterances)


def read_esconv(data: Path) -> list[Talk]:
    """The support chats, with the strategy of each supporter turn as an AnnoMI label."""
    talks = []
    for number, entry in enumerate(json.loads(there(data, ESCONV).read_text(encoding="utf-8"))):
        turns = json.loads(entry["text"])["dialog"]
        said = tuple(Utterance("therapist" if t["speaker"] == "sys" else "client", t["text"]) for t in turns)
        gold = tuple(ESCONV_LABELS.get(t["strategy"], "other") if t.get("strategy") else None for t in turns)
        talks.append(Talk(str(number), said, gold))
    return talks


def read_misc(data: Path, name: str) -> list[Talk]:
    """Sessions coded with MISC, codes as AnnoMI labels."""
    return [
        Talk(
            session,
            tuple(Utterance(role(line), line["utt_text"]) for line in lines),
            tuple(
                MISC_CLIENT.get(line["t1_label_GT"])
                if role(line) == "client"
                else MISC_THERAPIST.get(line["t2_label_GT"], "other")
                for line in lines
            ),
        )
        for session, lines in sessions(data, name).items()
    ]


def read_hlqc(data: Path) -> list[Talk]:
    """The counselling dialogues whose names begin with 'high_' or 'low_'; no utterance is coded."""
    return [
        Talk(session, tuple(Utterance(role(line), line["vol_text"]) for line in lines), (None,) * len(lines))
        for session, lines in sessions(data, HLQC).items()
    ]


def seen_sessions(data: Path, trained_on: Collection[str]) -> set[str]:
    """HLQC dialogues whose utterances the coder was fitted on, because they are among the hand-coded ones."""
    return set(sessions(data, MISC_FILES[0])) if MISC_FILES[0] in trained_on else set()


def role(line: Mapping[str, str]) -> Role:
    return "client" if line["speaker"] == "client" else "therapist"


def sessions(data: Path, name: str) -> dict[str, list[dict[str, str]]]:
    found: dict[str, list[dict[str, str]]] = defaultdict(list)
    for line in rows(data, name):
        found[line["conv_id"]].append(line)
    return found


CLOSE = 0.2
"""Two sessions are of like length when their utterance counts differ by at most this share of the longer one's."""


def separation(
    title: str,
    values: Sequence[float | None],
    high: Flags,
    *,
    turns: NDArray[np.int64],
    words: NDArray[np.int64],
    draws: int,
    bound: float | None = None,
    note: str = "",
) -> list[Finding]:
    """AUC of high over low: over all pairs, over pairs of like length (which the bound is on), and of the residual.

    Args:
        title: What separates what.
        values: One value a session; None where it cannot be had.
        high: Whether a session is in the group that is expected to have the larger values.
        turns: Utterances of each session.
        words: Words of each session.
        draws: Bootstrap samples; sessions are drawn.
        bound: Least AUC over pairs of like length; None for no bound.
        note: What else to say of the sessions.
    """
    kept = np.array([value is not None for value in values])
    scores = np.array([value for value in values if value is not None], dtype=np.float64)
    group, count, length = high[kept], turns[kept], words[kept]
    left_out = f"; {int((~kept).sum())} sessions without a value left out" if not kept.all() else ""
    sizes = f"{int(group.sum())} against {int((~group).sum())} sessions{left_out}{'; ' if note else ''}{note}"
    alike = np.abs(count[:, None] - count) <= CLOSE * np.maximum(count[:, None], count)
    adjusted = paired_auc(scores, group, alike, draws=draws)
    rest = residual(scores, np.log(np.maximum(length, 1)))
    pairs = int((group[:, None] & ~group & alike).sum())
    everything = np.ones_like(alike)
    asked, beside = (None, {}) if bound is None else (Bound("≥", bound), {"TF-IDF before": 0.63, "chance": 0.5})
    plain = paired_auc(scores, group, everything, draws=draws)
    fitted = paired_auc(rest, group, everything, draws=draws)
    close = f"{title}: pairs whose utterance counts differ by at most 20 %"
    note = f"{sizes}, {pairs} pairs of like length"
    return [
        Finding("transfer", f"{title}: all pairs, not adjusted", plain, "AUC", note=sizes),
        by_estimate("transfer", close, adjusted, "AUC", asked, beside=beside, note=note),
        Finding(
            "transfer",
            f"{title}: residual on log words",
            fitted,
            "AUC",
            note=f"{sizes}; one line fitted over both groups",
        ),
    ]


def paired_auc(values: Floats, high: Flags, allowed: Flags, *, draws: int) -> Interval:
    """Share of allowed (high, low) pairs in which the high one is larger, ties half; interval by drawing sessions."""
    above, below = values[high], values[~high]
    use = allowed[np.ix_(high, ~high)].astype(np.float64)
    if not use.sum():
        return Interval(None, None, None, len(values))
    wins = use * ((above[:, None] > below) + 0.5 * (above[:, None] == below))
    drawn = []
    for weights in resample_weights(len(values), draws, generator(random.Random(0))):
        ours, theirs = weights[:, high].astype(np.float64), weights[:, ~high].astype(np.float64)
        total = ((ours @ use) * theirs).sum(1)
        with np.errstate(invalid="ignore", divide="ignore"):
            drawn.append(((ours @ wins) * theirs).sum(1) / total)
    return Interval(float(wins.sum() / use.sum()), *percentile_bounds(np.concatenate(drawn)), n=len(values))


def residual(values: Floats, length: Floats) -> Floats:
    """What is left of the values after a straight line in `length`; the values less their mean when lengths are
    equal."""
    centred = length - length.mean()
    spread = float(centred @ centred)
    slope = float(centred @ (values - values.mean())) / spread if spread > 0 else 0.0
    return np.asarray(values - values.mean() - slope * centred)


Coded = Sequence[tuple[Utterance, Coding]]
Quality = Callable[[Coded], float | None]


def sessions_to_code(data: Path) -> int:
    """How many sessions the transfer figures need."""
    return len(read_esconv(data)) + len(read_hlqc(data)) + sum(len(read_misc(data, name)) for name in MISC_FILES)


def packaged_transfers(data: Path, kept: Mapping[str, Stored], *, tick: Tick) -> list[Finding]:
    """The transfer figures of the packaged coder; what it was fitted on is read from its own notes and the stored
    facts."""
    from maieutic.coding.embedded import coder_for

    coder = coder_for("annomi", hears=True)
    trained_on = {name for head, one in kept.items() if head.startswith("annomi") for name in one.data}
    trained_on |= set(getattr(coder, "training_files", {}).values())
    # The quality score was fitted on the fast coder's codes, which `score` uses.
    fast = coder_for("annomi", tier="fast", hears=True)
    return transfers(
        data, coder, packaged_quality, tick=tick, trained_on=trained_on, draws=fig.DRAWS, quality_coder=fast
    )


def packaged_quality(coded: Coded) -> float | None:
    """The package's likeness to demonstrations, in log odds, whatever the length of the turns; None with too few coded
    turns."""
    from maieutic.measures.coded import MIN_CODED, CodedTranscript, CodedTurn
    from maieutic.measures.quality import likeness_of
    from maieutic.transcripts.utterance import Transcript

    turns = [
        CodedTurn(replace(one, index=at), coding.predicted[0], coding.probabilities)
        for at, (one, coding) in enumerate(coded)
    ]
    transcript = Transcript("session", None, tuple(turn.said for turn in turns), "", 2)
    session = CodedTranscript(transcript, tuple(turns))
    return likeness_of(session) if len(session.coded("therapist")) >= MIN_CODED else None


def transfers(
    data: Path,
    coder: SchemeCoder,
    quality: Quality | None,
    *,
    tick: Tick,
    trained_on: Collection[str],
    draws: int,
    quality_coder: SchemeCoder | None = None,
) -> list[Finding]:
    """All transfer figures of one AnnoMI coder.

    Args:
        data: Folder of research data.
        coder: The coder.
        quality: The session-quality score from a coded session; None when there is none.
        tick: Called with the number of sessions done since the last call.
        trained_on: Files that the packaged heads were fitted on; figures on those are no transfer and are left out.
        draws: Bootstrap samples.
        quality_coder: The coder whose codes the quality score reads; None: `coder`.
    """
    lines = _quality_lines(data, quality_coder or coder, quality, tick=tick, trained_on=trained_on, draws=draws)
    further = sorted({name for name in trained_on if not name.startswith("annomi/")})
    told = coder.name + (f" (fitted on AnnoMI and on {', '.join(further)})" if further else "")
    judged = partial(_judged, coder=told, draws=draws)
    talks = read_esconv(data)
    coded = [_code(talk, coder, tick) for talk in talks]
    lines.append(judged(talks, coded, "therapist", "ESConv support chats, 4 labels", bound=0.50))
    for name in MISC_FILES:
        talks, seen = read_misc(data, name), name in trained_on
        if seen:
            tick(len(talks))
        coded = [] if seen else [_code(talk, coder, tick) for talk in talks]
        for speaker in ("therapist", "client"):
            title = f"{name.partition('/')[0].upper()} hand-coded with MISC, mapped roughly: {speaker}"
            note = "training data of this coder: no transfer"
            missing = Finding("transfer", title, None, "macro-F1", note=note)
            lines.append(missing if seen else judged(talks, coded, speaker, title, bound=None))
    return lines


def _judged(
    talks: Sequence[Talk],
    coded: Sequence[Sequence[Coding]],
    speaker: str,
    title: str,
    *,
    coder: str,
    draws: int,
    bound: float | None,
) -> Finding:
    labels = [label.id for label in get_scheme("annomi").labels(speaker)]
    pairs = [
        (talk.id, truth, coding.predicted[0])
        for talk, codings in zip(talks, coded, strict=True)
        for one, truth, coding in zip(talk.utterances, talk.gold, codings, strict=True)
        if one.speaker == speaker and truth is not None
    ]
    flags, given = (np.array([[pair[at] == label for label in labels] for pair in pairs]) for at in (1, 2))
    table = fig.f1_table(flags, given[None], fig.places([pair[0] for pair in pairs]))
    value = fig.interval([table], fig.mean_macro_f1, rng=random.Random(0), draws=draws)
    by_label = fig.f1(table.sum(0))[0]
    beside: dict[str, float | None] = {"majority": fig.macro_f1(flags, fig.majority(flags))}
    if bound is not None:
        beside["TF-IDF before"] = 0.41
    shown = ", ".join(f"{label} {score:.2f}" for label, score in zip(labels, by_label, strict=True))
    return by_estimate(
        "transfer",
        title,
        value,
        "macro-F1",
        None if bound is None else Bound("≥", bound),
        beside=beside,
        note=f"{coder}, {len(pairs)} utterances of {len(talks)} sessions; by label: {shown}",
    )


def _quality_lines(
    data: Path, coder: SchemeCoder, quality: Quality | None, *, tick: Tick, trained_on: Collection[str], draws: int
) -> list[Finding]:
    talks, seen = read_hlqc(data), seen_sessions(data, trained_on)
    left_out = sum(talk.id in seen for talk in talks)
    tick(left_out)
    talks = [talk for talk in talks if talk.id not in seen]
    coded = [_code(talk, coder, tick) for talk in talks]
    words = np.array([talk.words for talk in talks])
    apart = partial(
        separation,
        high=np.array([talk.id.startswith("high_") for talk in talks]),
        turns=np.array([len(talk.utterances) for talk in talks]),
        words=words,
        draws=draws,
        note=f"{left_out} dialogues that the coder was fitted on left out" if left_out else "",
    )
    if quality is None:
        title, note = "HLQC high over low by the quality score, length adjusted", "no quality score is packaged"
        lines = [Finding("transfer", title, None, "AUC", "≥ 0.70", note=note)]
    else:
        values = [quality(list(zip(t.utterances, c, strict=True))) for t, c in zip(talks, coded, strict=True)]
        lines = apart("HLQC high over low by the quality score", values, bound=0.70)
    for label in get_scheme("annomi").therapist:
        shares = [_share(talk, codings, label.id) for talk, codings in zip(talks, coded, strict=True)]
        lines += apart(f"HLQC high over low by the share of {label.name.lower()}", shares)
    return lines + apart("HLQC high over low by number of words alone", [float(count) for count in words])[:1]


def _share(talk: Talk, codings: Sequence[Coding], label: str) -> float | None:
    own = [
        coding.predicted[0] == label
        for one, coding in zip(talk.utterances, codings, strict=True)
        if one.speaker == "therapist"
    ]
    return sum(own) / len(own) if own else None


def _code(talk: Talk, coder: SchemeCoder, tick: Tick) -> list[Coding]:
    codings = coder.predict(talk.utterances)
    tick(1)
    return codings
