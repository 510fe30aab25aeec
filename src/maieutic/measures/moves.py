"""Measures of what the therapist's turns do: questions, reflections and advice, how feelings are met, and how much is
said at once."""

from __future__ import annotations

from functools import partial

from maieutic.domain.codes import QUESTIONS, Move
from maieutic.language.feelings import disclosed_feelings
from maieutic.measures.coded import indices
from maieutic.measures.definition import NO_APPRAISAL, NO_CODES, SHARE, TURNS, Finding, measure, share_of
from maieutic.measures.material import ADVISING, REFLECTING, Exchange, Material, with_moves
from maieutic.reading.moves import questions

_questioning = partial(measure, "Questions, reflections and advice")
_feelings = partial(measure, "Feelings")
_talk = partial(measure, "Talk")
_NO_QUESTION = "the therapist asked no question"


def _rate(given: Material, moves: frozenset[Move]) -> Finding:
    turns = with_moves(given)
    return share_of([e for e in turns if e.does(moves)], turns, NO_CODES, fewest=1)


@_questioning(SHARE, human_validated=True)
def open_among_asking_turns(given: Material) -> Finding:
    """Of the therapist's turns that ask something, the share that ask an open question.

    Share of turns with an open question among turns with any question.
    Evidence: the turns with an open question.
    Source: motivational interviewing's share of open questions (AnnoMI's question subtype, Wu et al. 2022).
    Departures: counted by turn, not by question; a turn with both kinds counts as open; our code book.
    Blind spots: whether the question is any good. It claims no direction, because it does not clearly separate sessions
        of high and low quality.
    Validity: open questions by the rule coder of sessions against the human codes of AnnoMI, by utterance: F1 0.72 (538
        human positives). Over the 88 demonstration sessions, high against low quality: AUC 0.71 [0.55, 0.86].
    """
    asking = [e for e in with_moves(given) if e.asks]
    opened = [e for e in asking if e.does(frozenset({Move.OPEN_QUESTION}))]
    return share_of(opened, asking, _NO_QUESTION, fewest=1)


@_questioning(SHARE, human_validated=True)
def turns_that_ask(given: Material) -> Finding:
    """Share of the therapist's turns that ask a question.

    Share of therapist turns with an open or closed question.
    Evidence: the turns that ask.
    Source: BOLT (Chiu et al. 2024), frequency of a code; AnnoMI's question (Wu et al. 2022).
    Departures: by turn; our code book.
    Blind spots: quality and target of the questions. More is not better, so it claims no direction.
    Validity: questions by the rule coder of sessions against the human codes of AnnoMI, by utterance: F1 0.88 (1,020
        human positives). Over the 88 demonstration sessions, high against low quality: AUC 0.56 [0.40, 0.70].
    """
    return _rate(given, QUESTIONS)


@_questioning(SHARE, better="higher")
def turns_that_reflect(given: Material) -> Finding:
    """Share of the therapist's turns that give back what the patient said.

    Share of therapist turns with a reflection or summary.
    Evidence: the turns that reflect.
    Source: motivational interviewing's reflections (AnnoMI, Wu et al. 2022).
    Departures: by turn; our code book; simple and complex reflections are one.
    Blind spots: whether the reflection is apt; parroting counts.
    Validity: compared with human coding and found wanting. Against AnnoMI's codes, by utterance, the rule coder of
        sessions has F1 0.45 (843 human positives), and the rate does not separate the 88 demonstration sessions of high
        and low quality: AUC 0.47 [0.33, 0.62]. Reflections in other words are missed.
    """
    return _rate(given, REFLECTING)


@_questioning(SHARE, better="lower")
def advice_rate(given: Material) -> Finding:
    """Share of the therapist's turns that advise or lecture.

    Evidence: the turns that advise or lecture.
    Source: AnnoMI's therapist input (Wu et al. 2022); BOLT's problem-solving (Chiu et al. 2024).
    Departures: plain information counts only when it grows into a lecture; by turn; our code book.
    Blind spots: advice that was asked for or is called for (risk, a true thought, missing knowledge).
    Validity: compared with human coding and found wanting. Against AnnoMI's advice and options, by utterance, the rule
        coder of sessions has F1 0.39 (127 human positives); 0.34 before it read with grams learned from those codes,
        so the gain is not clean. The rate separates the 88 demonstration sessions: AUC 0.16 [0.08, 0.26] for high
        against low quality (low is worse), not adjusted for length.
    """
    return _rate(given, ADVISING)


@_questioning(TURNS, span=(0.0, None), better="lower")
def question_burden(given: Material) -> Finding:
    """The longest run of therapist turns in a row that ask and give nothing back: the patient is interrogated.

    Length of the longest run of consecutive therapist turns with a question and without reflection or summary.
    Evidence: the turns of that run, the first where several are equally long.
    Source: practice rules for Socratic questioning (Padesky 1993: summaries between questions).
    Departures: any turn that does not ask, one that is not coded among them, ends the run.
    Blind spots: grows with the length of the session; one reflecting phrase resets it.
    Validity: not validated against humans: no human coding of interrogation exists here.
    """
    longest: list[Exchange] = []
    run: list[Exchange] = []
    for exchange in given.exchanges:
        run = [*run, exchange] if exchange.asks and not exchange.does(REFLECTING) else []
        if len(run) > len(longest):
            longest = run
    return Finding(float(len(longest)), indices(longest))


@_questioning(SHARE, needs=("words",), better="lower")
def stacked_or_leading(given: Material) -> Finding:
    """Of the therapist's turns that ask something, the share with several questions at once or a leading one.

    Share of question turns that ask more than one question or carry the answer in the question.
    Evidence: the turns that stack or lead.
    Source: one open question at a time (Overholser 1993–2010); novices suggest the answer (Pardo-Cebrián et al. 2022).
    Departures: found by rules over the words, without the code of the turn; check-backs and requests for permission are
        no questions; advice in the form of a question does not add to the count but can be leading.
    Blind spots: the simulated patients read questions by the same rules, and so may a therapist that checks its drafts;
        a lead that shows only in the context.
    """
    asking = [e for e in given.exchanges if questions(e.text)]
    faulty = [e for e in asking if questions_at_once(e.text) > 1 or leads(e.text)]
    return share_of(faulty, asking, _NO_QUESTION, fewest=1)


def questions_at_once(text: str) -> int:
    """Questions that one turn asks; advice in the form of a question is none."""
    return sum(not question.advising for question in questions(text))


def leads(text: str) -> bool:
    """A question of the turn carries its own answer."""
    return any(question.leading for question in questions(text))


_NO_FEELING = "no coded therapist turn answers a disclosed feeling"


def _after_feeling(given: Material, moves: frozenset[Move]) -> Finding:
    answers = [e for e in with_moves(given) if disclosed_feelings(e.heard)]
    return share_of([e for e in answers if e.does(moves)], answers, _NO_FEELING, fewest=1)


@_feelings(SHARE, better="lower")
def advice_after_feeling(given: Material) -> Finding:
    """When the patient has just told a feeling, how often the therapist answers with advice or a lecture.

    Share of advising or lecturing turns among those that answer a patient turn which tells a feeling.
    Evidence: the turns that advised or lectured.
    Source: BOLT (Chiu et al. 2024), problem-solving after a negative feeling was shared.
    Departures: our code book's advice and lecture in place of BOLT's problem-solving and planning; a feeling is told
        when the patient names one in a sentence about themselves (own lexicon of nine groups), not by a trained coder.
    Blind spots: feelings told without a feeling word; advice that was asked for; feeling words in another sense.
    Validity: not validated against humans as a whole: no human coding of told feelings was compared here; for the code
        of advice see advice_rate.
    """
    return _after_feeling(given, ADVISING)


@_feelings(SHARE, better="higher")
def answers_that_reflect_a_feeling(given: Material) -> Finding:
    """When the patient has just told a feeling, how often the therapist gives back what was said.

    Share of turns with a reflection or summary among those that answer a patient turn which tells a feeling.
    Evidence: the turns that reflected.
    Source: BOLT (Chiu et al. 2024), any reflection after a negative feeling was shared.
    Departures: as for advice_after_feeling; BOLT's six kinds of reflection are one here.
    Blind spots: whether the reflection is about the feeling, and whether it is apt.
    Validity: not validated against humans as a whole: no human coding of told feelings was compared here; for the code
        of reflection see turns_that_reflect.
    """
    return _after_feeling(given, REFLECTING)


@_feelings(SHARE, needs=("state", "words", "heard"), better="lower")
def unsupported_feeling(given: Material) -> Finding:
    """Share of the therapist's turns that assert a feeling which the patient neither has nor has named.

    Share of therapist turns with an asserted feeling that is not true of the patient and was not voiced before.
    Evidence: the turns that assert one.
    Source: CaiTI (Nie et al. 2025): therapists noted that a model read in feelings that the user had not expressed.
    Departures: over all turns, not over all assertions, so a therapist who asserts seldom scores low; truth is the
        case's own list of feelings and not an entailment model; tentative forms are not counted.
    Blind spots: motives and wishes; feelings outside the nine groups; feelings asserted without a feeling word.
    """
    read = [e for e in given.exchanges if e.appraisal is not None]
    unsupported = [
        e
        for e in read
        if e.appraisal is not None
        and any(not (claim.tentative or claim.true or claim.voiced) for claim in e.appraisal.claims)
    ]
    return share_of(unsupported, read, NO_APPRAISAL, fewest=1)


@_talk("words", span=(0.0, None), human_validated=True)
def words_per_turn(given: Material) -> Finding:
    """How many words a therapist turn has on average.

    Whitespace-separated words of the therapist, over the number of therapist turns.
    Evidence: the longest therapist turn, the first where several are equally long.
    Source: own.
    Departures: none.
    Blind spots: what the words do.
    Validity: a plain count, so there is nothing to compare with human coding.
    """
    spoken = {e.index: len(e.text.split()) for e in given.exchanges}
    return Finding(sum(spoken.values()) / len(spoken), (max(spoken, key=lambda i: spoken[i]),))
