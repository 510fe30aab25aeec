"""A language model for a mouth: does it leak, can its style be told, does it say what was decided, and who worded what?

Leaks are judged by runs of words and by sentence similarity, fidelity by sentence similarity: neither is the filter
that the voice itself uses (`patients/worded/mouth.py`, which counts words and reads the form).
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from random import Random

import numpy as np

from maieutic.coding.rules import RuleCoder
from maieutic.dialogue import Conversation, Streams, converse
from maieutic.domain.case import STYLES
from maieutic.domain.episode import Episode, EpisodeKey
from maieutic.library import STARTERS, get_case
from maieutic.patients.dynamics import Mind
from maieutic.patients.simulated import SimulatedPatient
from maieutic.patients.worded.patient import VoicedPatient
from maieutic.protocols import Embedder, LanguageModel
from maieutic.reading.minilm import MiniLM
from maieutic.registry import load_model, load_therapist
from maieutic.runs.findings import Finding
from maieutic.runs.work import Tick, pooled
from maieutic.stats import Interval, bootstrap_mean
from maieutic.validation.behaviour import counted, styles_told
from maieutic.validation.sessions import Row, row_of
from maieutic.worlds import reading

ARM = "wide"
FAITHFUL = 0.5
"""Cosine of the sentence vectors of what was decided and what was said, from which a wording counts as faithful."""
LEAKED = 0.6
"""Cosine of a wording and a fact that was not to be said, from which it may be a leak."""
NEARER = 0.1
"""By how much the wording must lie nearer to that fact than what was decided does, to be a leak."""
_AT_ONCE = 8
_AT_ONCE_HERE = 2
"""Sessions at once with a model that computes in this process: more of them end no sooner, and all of them at the
end."""


@dataclass(frozen=True, slots=True)
class Worded:
    """One patient turn that the voice had to word.

    Attributes:
        case: The case.
        said, decided: What was said, and what the template would have said.
        by: 'model', or why the template spoke.
        refused: What was wrong with each draft that was refused.
        kept: Wordings of the facts that were not to be said, by fact.
    """

    case: str
    said: str
    decided: str
    by: str
    refused: tuple[str, ...]
    kept: tuple[tuple[str, ...], ...]


_share = partial(counted, "voices")


def check(spec: str, cases: Sequence[str], *, turns: int, tick: Tick, styled: Sequence[Row] = ()) -> list[Finding]:
    """Sessions of one arm with patients voiced by the model: one a case, the styles in turn.

    Args:
        spec: The model.
        cases: Ids of the cases.
        turns: Therapist turns of a session.
        tick: Told of each session that is over.
        styled: Template sessions in all styles, from which styles are learnt; without them style is not judged.
    """
    model = load_model(spec)
    episodes = asyncio.run(_play(model, cases, turns, tick))
    whole = [e for e in episodes if not e.failed]
    rows = [row_of(e, world="voiced", style=str(e.provenance["style"]), keep_words=True) for e in whole]
    worded = [w for e in whole for w in _worded(e)]
    return [
        *_leaks(spec, rows, worded, failed=len(episodes) - len(whole)),
        *_spoken(worded),
        *_styles(rows, whole, styled),
    ]


def _leaks(spec: str, rows: Sequence[Row], worded: Sequence[Worded], *, failed: int) -> list[Finding]:
    leaky = sum(r.leaks > 0 for r in rows)
    embed = MiniLM()
    own = [w for w in worded if w.by == "model"]
    near = sum(_lets_out(w, embed) for w in own)
    share = "judged by the share itself"
    runs = f"sessions voiced by {spec} with a leak, by runs of words ({leaky} of {len(rows)})"
    few = leaky <= 0.01 * len(rows) if rows else None
    note = f"{failed} sessions failed" if failed else share
    meaning = "patient turns with a leak by meaning: nearer to a fact not to be said than what was decided"
    rare = near <= 0.01 * len(worded) if worded else None
    turns = "patient turns of these sessions with a leak, by runs of words"
    said, unsaid = "worded turns that say what was decided", "" if own else "the model worded no turn"
    return [
        _share(runs, leaky, len(rows), "≤ 0.01", few, note),
        _share(turns, sum(r.leaks for r in rows), sum(len(r.said) for r in rows)),
        _share(meaning, near, len(worded), "≤ 0.01", rare, share),
        Finding("voices", said, _faithful(own, embed), "share", note=unsaid),
    ]


def _faithful(own: Sequence[Worded], embed: Embedder) -> Interval | None:
    alike = [float(np.dot(*embed([w.decided, w.said])) >= FAITHFUL) for w in own]
    return bootstrap_mean(alike, clusters=[w.case for w in own], rng=Random(7)) if alike else None


def _lets_out(turn: Worded, embed: Embedder) -> bool:
    """The wording comes as near to a fact that was not to be said as to one that was, and nearer than was decided."""
    for wordings in turn.kept:
        decided, said, *fact = embed([turn.decided, turn.said, *wordings])
        now, before = max(float(f @ said) for f in fact), max(float(f @ decided) for f in fact)
        if now >= LEAKED and now >= before + NEARER:
            return True
    return False


def _spoken(worded: Sequence[Worded]) -> list[Finding]:
    """Who worded the turns, and why the template had to; a turn is refused after as many drafts as the voice allows."""
    count, own = len(worded), sum(w.by == "model" for w in worded)
    title = f"patient turns that the model worded (of {count}; risk, numbers and leaving are never given to it)"
    found = [_share(title, own, count), _share("patient turns that fell back on the template", count - own, count)]
    for why, times in Counter(_reason(w.by) for w in worded if w.by != "model").most_common():
        found.append(_share(f"fell back, because {why}", times, count))
    drafts = Counter(why for w in worded for why in w.refused)
    for why, times in drafts.most_common():
        found.append(_share(f"drafts refused, because the wording {why}", times, sum(drafts.values()) + own))
    return found


def _reason(by: str) -> str:
    return by.removeprefix("template, because ").split(":")[0]


def _styles(rows: Sequence[Row], episodes: Sequence[Episode], styled: Sequence[Row]) -> list[Finding]:
    """Whether styles learnt from the template's words are told from the model's, and from the template's in the same
    sessions."""
    title = "style told from the words of a voiced session, case unseen"
    if not styled or not rows:
        return [Finding("voices", title, None, "share", note="no template sessions in all styles to learn from")]
    plain = [replace(r, said=tuple(_decided(e))) for r, e in zip(rows, episodes, strict=True)]
    told, of_template = sum(styles_told(rows, styled)), sum(styles_told(plain, styled))
    return [
        _share(title, told, len(rows), note="chance is 0.17"),
        _share("the same sessions in the template's words", of_template, len(rows)),
    ]


def _decided(episode: Episode) -> list[str]:
    return [str((t.trace or {}).get("decided", t.text)) for t in episode.session.by("patient") if t.text]


def _worded(episode: Episode) -> list[Worded]:
    """The turns of one session that the voice had to word, with what was not to be said at that moment."""
    case = get_case(episode.key.case)
    found = []
    for turn, state in zip(episode.session.by("patient"), episode.states, strict=False):
        trace = turn.trace or {}
        if "voice" not in trace:
            continue
        evidence = next(s for s in case.situations if s.id == state.situation).evidence
        open_now = {v.evidence for v in state.voiced} | {state.intent.evidence}
        kept = tuple((e.fact, *e.said) for e in evidence if e.id not in open_now)
        by, refused = str(trace["voice"]), tuple(map(str, trace.get("refused", ())))
        found.append(Worded(case.id, turn.text, str(trace.get("decided", turn.text)), by, refused, kept))
    return found


async def _play(model: LanguageModel, cases: Sequence[str], turns: int, tick: Tick) -> list[Episode]:
    """As many sessions at once as the model can use; in the order of the cases."""
    most = _AT_ONCE_HERE if getattr(model, "local", False) else _AT_ONCE

    async def one(numbered: tuple[int, str]) -> Episode:
        number, name = numbered
        style = STYLES[number % len(STYLES)]
        case = get_case(name).model_copy(update={"style": style})
        situation = case.situations[0]
        patient = VoicedPatient(SimulatedPatient(Mind(case, situation), reading(name, situation.id)), model)
        streams = Streams(0, EpisodeKey(ARM, name, 0))
        episode = await converse(Conversation(load_therapist(ARM), patient, RuleCoder(), turns, streams), guarded=True)
        tick(1)
        return replace(episode, provenance={"special": None, "warranted": situation.warranted, "style": style})

    try:
        return await pooled(one, enumerate(cases), min(most, int(getattr(model, "parallel", 1))))
    finally:
        await model.close()


if __name__ == "__main__":
    import sys

    from maieutic.runs.findings import show

    # MODEL SESSIONS TURNS: voices without the rest of the evidence, on the starter cases; style is not judged.
    chosen = STARTERS[: int(sys.argv[2])]
    for finding in check(sys.argv[1], chosen, turns=int(sys.argv[3]), tick=lambda _: print("one session", flush=True)):
        print(f"{finding.title}: {show(finding.value)} {finding.note}".rstrip())
