"""Measures of how the therapist meets feelings: answering a disclosed one, and reading in one that is not there."""

from __future__ import annotations

from maieutic.domain.codes import Move
from maieutic.domain.episode import Episode
from maieutic.language.feelings import disclosed_feelings
from maieutic.measures.definition import SHARE, Finding, episode_measure, missing
from maieutic.measures.exchanges import ADVISING, REFLECTING, coded, exchanges, positions, share

_NO_FEELING = "no coded therapist turn answers a disclosed feeling"


def _after_feeling(episode: Episode, moves: frozenset[Move]) -> Finding:
    answers = [e for e in coded(episode) if disclosed_feelings(e.heard)]
    if not answers:
        return missing(_NO_FEELING)
    chosen = [e for e in answers if e.does(moves)]
    return Finding(share(chosen, answers), positions(chosen))


@episode_measure(
    SHARE,
    (0.0, 1.0),
    "lower",
    ("therapist_turns", "codes"),
    "When the patient has just told a feeling, how often the therapist answers with advice or a lecture.",
)
def advice_after_feeling(episode: Episode) -> Finding:
    """Share of advising or lecturing turns among those that answer a patient turn which tells a feeling.

    Evidence: the turns that advised or lectured.
    Source: BOLT (Chiu et al. 2024), problem-solving after a negative feeling was shared.
    Departures: our code book's advice and lecture in place of BOLT's problem-solving and planning; a feeling is told
        when the patient names one in a sentence about themselves (own lexicon of nine groups), not by a trained coder.
    Blind spots: feelings told without a feeling word; advice that was asked for; feeling words in another sense.
    Validity: not validated against humans as a whole: no human coding of told feelings was compared here; for the code
        of advice see advice_rate.
    """
    return _after_feeling(episode, ADVISING)


@episode_measure(
    SHARE,
    (0.0, 1.0),
    "higher",
    ("therapist_turns", "codes"),
    "When the patient has just told a feeling, how often the therapist gives back what was said.",
)
def answers_that_reflect_a_feeling(episode: Episode) -> Finding:
    """Share of turns with a reflection or summary among those that answer a patient turn which tells a feeling.

    Evidence: the turns that reflected.
    Source: BOLT (Chiu et al. 2024), any reflection after a negative feeling was shared.
    Departures: as for advice_after_feeling; BOLT's six kinds of reflection are one here.
    Blind spots: whether the reflection is about the feeling, and whether it is apt.
    Validity: not validated against humans as a whole: no human coding of told feelings was compared here; for the code
        of reflection see turns_that_reflect.
    """
    return _after_feeling(episode, REFLECTING)


@episode_measure(
    SHARE,
    (0.0, 1.0),
    "lower",
    ("states", "therapist_turns", "appraisals"),
    "Share of the therapist's turns that assert a feeling which the patient neither has nor has named.",
)
def unsupported_feeling(episode: Episode) -> Finding:
    """Share of therapist turns with an asserted feeling that is not true of the patient and was not voiced before.

    Evidence: the turns that assert one.
    Source: CaiTI (Nie et al. 2025): therapists noted that a model read in feelings that the user had not expressed.
    Departures: over all turns, not over all assertions, so a therapist who asserts seldom scores low; truth is the
        case's own list of feelings and not an entailment model; tentative forms are not counted.
    Blind spots: motives and wishes; feelings outside the nine groups; feelings asserted without a feeling word.
    Validity: not validated against humans: no human coding exists here.
    """
    read = [e for e in exchanges(episode) if e.appraisal is not None]
    if not read:
        return missing("the patient's reading of the turns is not recorded")
    unsupported = [
        e
        for e in read
        if e.appraisal is not None
        and any(not (claim.tentative or claim.true or claim.voiced) for claim in e.appraisal.claims)
    ]
    return Finding(share(unsupported, read), positions(unsupported))
