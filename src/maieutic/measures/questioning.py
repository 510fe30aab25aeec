"""Measures of how much is advised, and how questions are put."""

from __future__ import annotations

from maieutic.domain.episode import Episode
from maieutic.measures.definition import SHARE, TURNS, Finding, episode_measure, missing
from maieutic.measures.exchanges import ADVISING, REFLECTING, Exchange, coded, exchanges, positions, share
from maieutic.reading.moves import questions

_NO_QUESTION = "the therapist asked no question"


@episode_measure(
    SHARE, (0.0, 1.0), "lower", ("therapist_turns", "codes"), "Share of the therapist's turns that advise or lecture."
)
def advice_rate(episode: Episode) -> Finding:
    """Share of therapist turns with advice or a lecture.

    Evidence: the turns that advise or lecture.
    Source: AnnoMI's therapist input (Wu et al. 2022); BOLT's problem-solving (Chiu et al. 2024).
    Departures: plain information counts only when it grows into a lecture; by turn; our code book.
    Blind spots: advice that was asked for or is called for (risk, a true thought, missing knowledge).
    Validity: compared with human coding and found wanting. Against AnnoMI's advice and options, by utterance, the rule
        coder of sessions has F1 0.39 (127 human positives); 0.34 before it read with grams learned from those codes,
        so the gain is not clean. The rate separates the 88 demonstration sessions: AUC 0.16 [0.08, 0.26] for high
        against low quality (low is worse), not adjusted for length.
    """
    turns = coded(episode)
    advising = [e for e in turns if e.does(ADVISING)]
    return Finding(share(advising, turns), positions(advising))


@episode_measure(
    TURNS,
    (0.0, None),
    "lower",
    ("therapist_turns", "codes"),
    "The longest run of therapist turns in a row that ask and give nothing back: the patient is interrogated.",
)
def question_burden(episode: Episode) -> Finding:
    """Length of the longest run of consecutive therapist turns with a question and without reflection or summary.

    Evidence: the turns of that run, the first where several are equally long.
    Source: practice rules for Socratic questioning (Padesky 1993: summaries between questions).
    Departures: any turn that does not ask, one that is not coded among them, ends the run.
    Blind spots: grows with the length of the session; one reflecting phrase resets it.
    Validity: not validated against humans: no human coding of interrogation exists here.
    """
    longest: list[Exchange] = []
    run: list[Exchange] = []
    for exchange in exchanges(episode):
        run = [*run, exchange] if exchange.asks and not exchange.does(REFLECTING) else []
        if len(run) > len(longest):
            longest = run
    return Finding(float(len(longest)), positions(longest))


@episode_measure(
    SHARE,
    (0.0, 1.0),
    "lower",
    ("therapist_turns",),
    "Of the therapist's turns that ask something, the share with several questions at once or a leading one.",
)
def stacked_or_leading(episode: Episode) -> Finding:
    """Share of question turns that ask more than one question or carry the answer in the question.

    Evidence: the turns that stack or lead.
    Source: one open question at a time (Overholser 1993–2010); novices suggest the answer (Pardo-Cebrián et al. 2022).
    Departures: found by rules over the words, without the code of the turn; check-backs and requests for permission are
        no questions; advice in the form of a question does not add to the count but can be leading.
    Blind spots: the simulated patients read questions by the same rules, and so may a therapist that checks its drafts;
        a lead that shows only in the context.
    Validity: not validated against humans: no human coding exists here.
    """
    asking = [e for e in exchanges(episode) if questions(e.text)]
    if not asking:
        return missing(_NO_QUESTION)
    faulty = [e for e in asking if questions_at_once(e.text) > 1 or leads(e.text)]
    return Finding(share(faulty, asking), positions(faulty))


def questions_at_once(text: str) -> int:
    """Questions that one turn asks; advice in the form of a question is none."""
    return sum(not question.advising for question in questions(text))


def leads(text: str) -> bool:
    """A question of the turn carries its own answer."""
    return any(question.leading for question in questions(text))
