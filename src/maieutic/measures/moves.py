"""Measures of what the therapist's turns do: questions, reflections and advice, how feelings are met, and how much is
said at once."""

from __future__ import annotations

from functools import partial

from maieutic.domain.codes import QUESTIONS, Move
from maieutic.domain.episode import Episode
from maieutic.language.feelings import disclosed_feelings
from maieutic.measures.definition import (
    ADVISING,
    REFLECTING,
    SHARE,
    TURNS,
    Exchange,
    Finding,
    coded,
    episode_measure,
    exchanges,
    missing,
    positions,
    share,
)
from maieutic.reading.moves import questions

_questioning = partial(episode_measure, family="Questions, reflections and advice")
_feelings = partial(episode_measure, family="Feelings")
_talk = partial(episode_measure, family="Talk")
_NO_QUESTION = "the therapist asked no question"


def _rate(episode: Episode, moves: frozenset[Move]) -> Finding:
    turns = coded(episode)
    if not turns:
        return missing("no therapist turn was coded")
    chosen = [e for e in turns if e.does(moves)]
    return Finding(share(chosen, turns), positions(chosen))


@_questioning(
    SHARE,
    (0.0, 1.0),
    None,
    ("therapist_turns", "codes"),
    "Of the therapist's turns that ask something, the share that ask an open question.",
    human_validated=True,
)
def open_among_asking_turns(episode: Episode) -> Finding:
    """Share of turns with an open question among turns with any question.

    Evidence: the turns with an open question.
    Source: motivational interviewing's share of open questions (AnnoMI's question subtype, Wu et al. 2022).
    Departures: counted by turn, not by question; a turn with both kinds counts as open; our code book.
    Blind spots: whether the question is any good. It claims no direction, because it does not clearly separate sessions
        of high and low quality.
    Validity: open questions by the rule coder of sessions against the human codes of AnnoMI, by utterance: F1 0.72 (538
        human positives). Over the 88 demonstration sessions, high against low quality: AUC 0.71 [0.55, 0.86].
    """
    asking = [e for e in coded(episode) if e.asks]
    if not asking:
        return missing(_NO_QUESTION)
    opened = [e for e in asking if e.does(frozenset({Move.OPEN_QUESTION}))]
    return Finding(share(opened, asking), positions(opened))


@_questioning(
    SHARE,
    (0.0, 1.0),
    None,
    ("therapist_turns", "codes"),
    "Share of the therapist's turns that ask a question.",
    human_validated=True,
)
def turns_that_ask(episode: Episode) -> Finding:
    """Share of therapist turns with an open or closed question.

    Evidence: the turns that ask.
    Source: BOLT (Chiu et al. 2024), frequency of a code; AnnoMI's question (Wu et al. 2022).
    Departures: by turn; our code book.
    Blind spots: quality and target of the questions. More is not better, so it claims no direction.
    Validity: questions by the rule coder of sessions against the human codes of AnnoMI, by utterance: F1 0.88 (1,020
        human positives). Over the 88 demonstration sessions, high against low quality: AUC 0.56 [0.40, 0.70].
    """
    return _rate(episode, QUESTIONS)


@_questioning(
    SHARE,
    (0.0, 1.0),
    "higher",
    ("therapist_turns", "codes"),
    "Share of the therapist's turns that give back what the patient said.",
)
def turns_that_reflect(episode: Episode) -> Finding:
    """Share of therapist turns with a reflection or summary.

    Evidence: the turns that reflect.
    Source: motivational interviewing's reflections (AnnoMI, Wu et al. 2022).
    Departures: by turn; our code book; simple and complex reflections are one.
    Blind spots: whether the reflection is apt; parroting counts.
    Validity: compared with human coding and found wanting. Against AnnoMI's codes, by utterance, the rule coder of
        sessions has F1 0.45 (843 human positives), and the rate does not separate the 88 demonstration sessions of high
        and low quality: AUC 0.47 [0.33, 0.62]. Reflections in other words are missed.
    """
    return _rate(episode, REFLECTING)


@_questioning(
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
    return _rate(episode, ADVISING)


@_questioning(
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


@_questioning(
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


_NO_FEELING = "no coded therapist turn answers a disclosed feeling"


def _after_feeling(episode: Episode, moves: frozenset[Move]) -> Finding:
    answers = [e for e in coded(episode) if disclosed_feelings(e.heard)]
    if not answers:
        return missing(_NO_FEELING)
    chosen = [e for e in answers if e.does(moves)]
    return Finding(share(chosen, answers), positions(chosen))


@_feelings(
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


@_feelings(
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


@_feelings(
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


@_talk(
    "words",
    (0.0, None),
    None,
    ("therapist_turns",),
    "How many words a therapist turn has on average.",
    human_validated=True,
)
def words_per_turn(episode: Episode) -> Finding:
    """Whitespace-separated words of the therapist, over the number of therapist turns.

    Evidence: the longest therapist turn, the first where several are equally long.
    Source: own.
    Departures: none.
    Blind spots: what the words do.
    Validity: a plain count, so there is nothing to compare with human coding.
    """
    spoken = {i: len(turn.text.split()) for i, turn in enumerate(episode.session.turns) if turn.speaker == "therapist"}
    return Finding(sum(spoken.values()) / len(spoken), (max(spoken, key=lambda i: spoken[i]),))
