"""The page on session measures: `python -m maieutic.scoring.measure_page > docs/session-measures.md`."""

from __future__ import annotations

import inspect
import sys

from maieutic.scoring.catalogue import MEASURES, SessionMeasure
from maieutic.scoring.families import by_family
from maieutic.scoring.validity import areas_of_measure, shown

_OPENING = """# Session measures

What `maieutic score` computes from a transcript alone, without a simulated patient's hidden state. Codes come from the packaged
coders or from a file; `src/maieutic/coding/MODEL_CARD.md` says how good they are. Every measure is a function of one coded
session; a value that cannot be had is missing, with the reason, never 0. This page is made from the catalogue:
`python -m maieutic.scoring.measure_page > docs/session-measures.md`; its figures by
`python recipes/measure_validity.py --data ../shared/data`.

## Read this first

- **Demonstration sessions.** AnnoMI and HLQC show motivational interviewing, much of it role-played, and low quality is mostly
  scripted bad practice: 73 against 15 sessions, and 39 against 21. No score here is a therapist's competence.
- **Length confounds.** High-quality sessions are longer in both sets; number of words alone reaches AUC {words}.
  So every AUC stands three times: as it is, of the residual on log words, and over pairs whose numbers of turns differ by at
  most 20 %. In HLQC the residual takes much away from everything, since length separates the groups almost by itself.
- **No session quality.** `mi_demonstration_likeness` (`session_quality` before) says how far a therapist looks like good demonstrations of
  motivational interviewing. On 36 sessions of language models it does not go with what four clinicians say (rank correlation −0.24
  [−0.51, 0.03], within a model 0.14 [−0.17, 0.46]; one clinician against the rest 0.44 and 0.28), so it is missing for chatbot text.
- **Synchrony shows no quality.** Style matching is lower in high-quality sessions of AnnoMI (AUC {style_annomi}) and higher in
  those of HLQC ({style_hlqc}); by turn and in nCLiD the direction turns round as well, or the interval holds 0.5. No claim rests on it.
- **The share of open questions hangs on how few questions count.** Where a session asks at least three it parts high from low in AnnoMI (AUC {open_annomi}),
  and in HLQC with {open_hlqc} as it is and {open_matched} over few pairs of like length; with sessions of one or two questions among them AnnoMI had 0.58 [0.37, 0.74].
  The floor was set for other reasons, so this is found and not foretold: no claim rests on it.
- **Adaptation shows no quality**: log ratio {ratio_annomi} in AnnoMI, {ratio_hlqc} in HLQC, where each dialogue
  was taken out of its own reference table. With other codes the direction turned round, so no claim rests on it.
- **No session measure here predicts self-reported change** in the data at hand (|ρ| at most 0.19). Whoever needs outcomes must
  measure outcomes.
- **Many measures, few sessions.** A table of a hundred AUCs holds several that look good by chance; the report of a collection
  controls the false-discovery rate, this page does not.
- BOLT codes are predicted by a coder that reads one utterance alone and, on AnnoMI, rests in part on a coder fitted there: figures of
  BOLT measures on AnnoMI are not out of fold. Nor are those of the likeness there, which was fitted on AnnoMI's sessions;
  cross-validated by video it reaches what stands in `src/maieutic/scoring/reference/quality.json`. On HLQC nothing was fitted
  but the reference tables of adaptation.

## Fitted numbers in the package

`reference/quality.json` (coefficients on AnnoMI's out-of-fold codes, with bootstrap draws; `recipes/fit_quality.py`),
`reference/adaptation.json` (counts of replies in HLQC and fingerprints of its dialogues; `recipes/fit_adaptation.py`). Both name the
hash of the data and its licence; neither holds a sentence. Research use.
"""  # noqa: E501

_NOT_LISTED = "AUC: not measured here."


def page() -> str:
    """The page as Markdown."""
    parts = [_opening()]
    for family, measures in by_family(MEASURES):
        parts.append(f"\n## {family}\n")
        told: set[str] = set()
        for one in measures:
            definition = inspect.cleandoc(one.measure.__doc__ or "")
            parts.append(_section(one, None if definition in told else definition))
            told.add(definition)
    return "".join(parts)


def _opening() -> str:
    def area(measure: str, data: str, kind: str = "raw") -> str:
        found = areas_of_measure(measure)
        return shown(found[data][kind]) if found else "–"

    return _OPENING.format(
        words=f"{area('session_words', 'annomi')} in AnnoMI and {area('session_words', 'hlqc')} in HLQC",
        style_annomi=area("style_matching", "annomi"),
        style_hlqc=area("style_matching", "hlqc"),
        open_annomi=area("open_question_share", "annomi"),
        open_hlqc=area("open_question_share", "hlqc"),
        open_matched=area("open_question_share", "hlqc", "like_length"),
        ratio_annomi=area("adaptation_log_ratio", "annomi"),
        ratio_hlqc=area("adaptation_log_ratio", "hlqc"),
    )


def _section(one: SessionMeasure, definition: str | None) -> str:
    """One measure; a definition that stood right before, for another of its kind, is not told again."""
    lines = [f"\n### {one.title}\n", f"`{one.id}`. {one.meaning}\n"]
    if definition is not None:
        lines.append(f"{definition}\n")
    lines.append(f"Validity: {one.validated}. {_areas(one.id)}\n")
    return "\n".join(lines)


def _areas(measure: str) -> str:
    found = areas_of_measure(measure)
    if found is None:
        return _NOT_LISTED
    told = [
        f"{name} {shown(of['raw'])}, residual {shown(of['residual'])}, like length {shown(of['like_length'])}"
        for name, of in (("AnnoMI", found["annomi"]), ("HLQC", found["hlqc"]))
    ]
    return f"AUC, high over low quality: {'; '.join(told)}."


if __name__ == "__main__":
    sys.stdout.write(page())
