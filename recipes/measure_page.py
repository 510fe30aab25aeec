"""The page of all measures, made from the catalogue: python recipes/measure_page.py > docs/measures.md"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from maieutic.measures.catalogue import MEASURES, by_family
from maieutic.measures.definition import OF_MINDS, Measure
from maieutic.measures.validity import areas_of_measure, shown

_OPENING = """# Measures

A measure is a pure function of one session. It gives a value with its unit and the turns that show it, or no value with the reason
why it cannot be had; a missing value is never 0. `maieutic measures ID` prints the whole definition of one: source, departures,
evidence, blind spots, and how well it parts high from low quality. This page is made from the catalogue by
`python recipes/measure_page.py > docs/measures.md`; its figures by `python recipes/measure_validity.py --data ../shared/data`,
those of moves by `pytest -m full tests/measures/test_annomi.py -s`.

- **One id, one definition, one coder**, whoever spoke. Those *of a simulated session* read what `maieutic evaluate` records: the hidden
  mind, how the patient heard each turn, or the moves that the rule coder found when the session was played. Those *of what was said*
  read words and codes of the packaged trained coder (`src/maieutic/coding/MODEL_CARD.md`), so real transcripts have them too.
- `maieutic evaluate` and `rescore` compute the first kind and, of the second, those marked •; `--measure ID` adds any other.
  `maieutic score` computes the second kind; `--measure ID` adds one of the first, which is missing where it needs a mind.
- `--measure FILE.py:NAME` adds a function of your own in all three, and so does an installed package
  ([`examples/own_parts`](../examples/own_parts/README.md)).
- *Needs*: words, codes under a scheme, or the hidden mind. Where a session lacks them the value is missing with the reason; how a measure is
  added, and what it may read, stands in [Where things are](architecture.md#add-a-measure-to-the-package).
- *Not human-validated*: the number describes the simulator, or codes that were not found to agree with human coding, and says nothing
  about people; it must be shown with that label.

## Read this first

- **Moves and main behaviour.** On simulated sessions `turns_that_ask`, `turns_that_reflect`, `answers_that_reflect_a_feeling` and
  `open_among_asking_turns` count recorded moves, of which a turn may have several. The trained coder behind `question_rate`, `reflection_rate`,
  `reflection_after_feeling` and `open_question_share` gives a turn one main behaviour. `reflection_rate` on the arms of `maieutic study
  empathy_and_effect` (29 November 2026, twelve cases an arm; `maieutic rescore RUN --measure reflection_rate`) is 0.47 for flattery, 0.42 for reassurance, 0.88 for the warm
  arm, and 0.18 for the oracle, 0.05 for the Socratic agent and 0.01 for Padesky's script, whose turns give back and then ask. It was held
  against human codes on people's sessions only, so on simulated ones it claims no direction; `reflection_after_feeling` needs three told
  feelings and is mostly missing there.
- **Demonstration sessions.** AnnoMI and HLQC show motivational interviewing, much of it role-played, and low quality is mostly
  scripted bad practice: 73 against 15 sessions, and 39 against 21. No score here is a therapist's competence.
- **Length confounds.** High-quality sessions are longer in both sets; number of words alone reaches AUC {words}.
  So `maieutic measures ID` gives every AUC three times: as it is, of the residual on log words, and over pairs whose numbers of turns
  differ by at most 20 %. In HLQC the residual takes much away from everything, since length separates the groups almost by itself.
- **No session quality.** `mi_demonstration_likeness` (`session_quality` before) says how far a therapist looks like good demonstrations of
  motivational interviewing. On 36 sessions of language models it does not go with what four clinicians say (rank correlation −0.24
  [−0.51, 0.03], within a model 0.14 [−0.17, 0.46]; one clinician against the rest 0.44 and 0.28), so it is missing for simulated sessions and chatbot text.
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
  controls the false-discovery rate, these figures do not.
- BOLT codes are predicted by a coder that reads one utterance alone and, on AnnoMI, rests in part on a coder fitted there: figures of
  BOLT measures on AnnoMI are not out of fold. Nor are those of the likeness there, which was fitted on AnnoMI's sessions;
  cross-validated by video it reaches what stands in `src/maieutic/measures/reference/quality.json`. On HLQC nothing was fitted
  but the reference tables of adaptation.
- **Fitted numbers in the package**: `reference/quality.json` (coefficients on AnnoMI's out-of-fold codes, with bootstrap draws;
  `recipes/fit_quality.py`), `reference/adaptation.json` (counts of replies in HLQC and fingerprints of its dialogues;
  `recipes/fit_adaptation.py`). Both name the hash of the data and its licence; neither holds a sentence. Research use.
"""
_HEAD = "| id | what it says | needs | unit, range | better | validity |\n|---|---|---|---|---|---|"


def page() -> str:
    """The page as Markdown."""
    of_minds = [_table(*one) for one in by_family(MEASURES) if one[0] in OF_MINDS]
    of_talk = [_table(*one) for one in by_family(MEASURES) if one[0] not in OF_MINDS]
    headings = ("\n## Of a simulated session\n", "\n## Of what was said\n")
    return "".join([_opening(), headings[0], *of_minds, headings[1], *of_talk])


def _row(one: Measure) -> str:
    mark = " •" if one.everywhere else ""
    cells = (f"`{one.id}`{mark}", one.meaning, one.needed, one.scale, one.better or "–", one.validated.rstrip("."))
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def _table(heading: str, measures: Sequence[Measure]) -> str:
    return "\n".join([f"\n### {heading}\n", _HEAD, *map(_row, measures), ""])


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


if __name__ == "__main__":
    sys.stdout.write(page())
