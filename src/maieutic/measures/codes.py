"""Measures of what the therapist does, what follows a feeling, how questions are put, and who talks how much.

Codes are AnnoMI's (Wu et al., ICASSP 2022), predicted unless a file of codes was given; turns without a code are left
out of numerator and denominator. All measures describe demonstration or real talk; none is a competence rating. Length
confounds everything else.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import partial

from maieutic.coding.schemes import get_scheme
from maieutic.language.feelings import LEXICON, disclosed_feelings
from maieutic.measures.coded import MIN_CODED, CodedTranscript, CodedTurn, indices, too_few
from maieutic.measures.definition import Finding, Measure, measure, missing, share_of
from maieutic.measures.material import Material
from maieutic.reading.ear import Question
from maieutic.reading.moves import open_chance, questions
from maieutic.transcripts.utterance import SPEAKERS, Role

# Words of the lexicon that mostly mean something else ("cut down", "a small glass") unless they follow a verb of
# feeling.
_DOUBTFUL = [
    *"down low heavy flat small cross empty exposed mad alone numb bitter tense restless foolish ridiculous".split(),
    *("hurt", "left out", "worry", "fear"),
]
_DOUBTFUL_WORD = re.compile(rf"\b(?:{'|'.join(_DOUBTFUL)})\b", re.I)
_FEELING_VERB = re.compile(
    r"\b(?:feel|feels|feeling|felt|i'm|i am|i was|i've been|i get|i got|makes me|made me|making "
    r"me)\b(?:\s+[\w']+){0,2}\s*$",
    re.I,
)
_LONG_ENOUGH = 4

NO_QUESTIONS = "no question turns to divide by"
NO_FEELING = (
    "none found: a feeling is found only where the client names it with a usual word (sad, afraid, ashamed) and the "
    "next turn has a code"
)
NO_MARKS = "no therapist turn has a question mark, so questions cannot be parted"
_CODES, _FEELING, _QUESTIONS = "Codes", "After a feeling", "Questions"
_MI, _TALK = "Only for motivational interviewing", "Talk and length"
_OF_TURNS, _OF_DISCLOSURES = "share of therapist turns", "share of disclosures"
_OF_QUESTIONS, _OF_ASKING = "share of question turns", "share of asking turns"


@measure(_CODES, _OF_TURNS, title="Reflections", human_validated=False)
def reflection_rate(given: Material) -> Finding:
    """Share of therapist turns that mainly give back what the client said; a turn that also asks counts as a question.

    Share of coded therapist turns whose main behaviour is a reflection.
    Evidence: the reflections.
    Source: AnnoMI (Wu et al. 2022). Departures: predicted labels; simple and complex reflections are not parted.
    Blind to: whether the reflection is true to what was said; a turn that gives back and then asks is a question. On
    scripted therapists flattery (47 % of turns) and reassurance (42 %) are taken for reflections, and the oracle, which
    gives back before it asks, has 18 %: with simulated patients more is not better.
    """
    return _label_rate(given.coded, "reflection")


@measure(_CODES, _OF_TURNS, title="Advice and information")
def therapist_input_rate(given: Material) -> Finding:
    """Share of therapist turns that mainly advise, inform or offer options.

    Share of coded therapist turns that mainly give advice, information or options.
    Evidence: those turns.
    Source: AnnoMI's therapist input (Wu et al. 2022). Departures: predicted labels; advice and information in one.
    Blind to: whether advice was asked for or given with permission.
    """
    return _label_rate(given.coded, "therapist_input")


@measure(_CODES, _OF_TURNS, title="Questions")
def question_rate(given: Material) -> Finding:
    """Share of therapist turns that mainly ask.

    Share of coded therapist turns whose main behaviour is a question.
    Evidence: the question turns.
    Source: AnnoMI (Wu et al. 2022), main behaviour. Departures: predicted labels.
    Blind to: what is asked, whether it fits, and to questions inside turns whose main behaviour is another.
    """
    return _label_rate(given.coded, "question")


def _label_rate(coded: CodedTranscript, label: str) -> Finding:
    turns = coded.coded("therapist")
    if len(turns) < MIN_CODED:
        return missing(too_few(turns))
    return share_of([turn for turn in turns if turn.label == label], turns, "no coded therapist turns")


@measure(_FEELING, _OF_DISCLOSURES, title="Reflection after a feeling")
def reflection_after_feeling(given: Material) -> Finding:
    """When the client names a feeling, how often the next turn reflects.

    Share of disclosed feelings that the next therapist turn answers with a reflection.
    Evidence: the reflections that follow.
    Source: BOLT, behaviour after shared negative feeling (Chiu et al. 2024). Departures: disclosures are found by a
    lexicon of nine feelings in sentences about oneself, not by a client code; AnnoMI's reflection stands for six kinds.
    Blind to: feelings shown without a feeling word, and to sarcasm and negation.
    """
    return _after_feeling(given.coded, "reflection")


@measure(_FEELING, _OF_DISCLOSURES, title="Advice after a feeling")
def input_after_feeling(given: Material) -> Finding:
    """When the client names a feeling, how often the next turn advises or informs.

    Evidence: the turns that follow.
    Source: BOLT, problem-solving after shared negative feeling (Chiu et al. 2024). Departures and blindness: as
    `reflection_after_feeling`; information counts as well as advice.
    """
    return _after_feeling(given.coded, "therapist_input")


def _after_feeling(coded: CodedTranscript, label: str) -> Finding:
    replies: list[CodedTurn] = []
    disclosed = False
    for turn in coded.turns:
        if turn.speaker == "client":
            disclosed = disclosed or discloses_feeling(turn.text)
        else:
            if disclosed and turn.label is not None:
                replies.append(turn)
            disclosed = False
    return share_of([turn for turn in replies if turn.label == label], replies, NO_FEELING)


def discloses_feeling(text: str) -> bool:
    """Whether a speaker names a feeling of their own; words with a second meaning count only after a verb of
    feeling."""
    if not disclosed_feelings(text):
        return False
    kept = _DOUBTFUL_WORD.sub(lambda m: m.group() if _FEELING_VERB.search(text[: m.start()]) else " ", text)
    return bool(disclosed_feelings(kept))


assert set(_DOUBTFUL) <= {word for terms in LEXICON.values() for word in terms}


@measure(_QUESTIONS, _OF_QUESTIONS, title="Open questions", human_validated=True)
def open_question_share(given: Material) -> Finding:
    """Share of question turns that cannot be answered with yes, no or a number.

    Evidence: the open ones.
    Source: the open/closed distinction of motivational interviewing as AnnoMI's subtypes have it. Departures: read by a
    head that learnt own-written questions (`reading/moves.py`); scales ("How sure are you?") are closed, which AnnoMI's
    annotators call open in four of ten.
    Blind to: open form with closed intent. One or two questions are no share: with them it parted nothing in AnnoMI.
    Validity: by turn: 195 of 224 questions of two held-out hands right; macro-F1 0.75 against AnnoMI's annotators, who
    call many scales open.
    """
    asked = [turn for turn in given.coded.by("therapist") if turn.label == "question"]
    return share_of([turn for turn in asked if is_open(turn)], asked, "no question turns")


def is_open(turn: CodedTurn) -> bool:
    """Whether one of the questions of a turn leaves the answer to the client; a form that was given is kept."""
    return chance_of_open(turn) >= 0.5


def chance_of_open(turn: CodedTurn) -> float:
    """Probability that the question of a turn is open: what was given, else what is heard."""
    return open_chance(turn.text) if turn.form is None else turn.form


@measure(_QUESTIONS, _OF_ASKING, title="Stacked questions", needs=("talk",))
def stacked_question_share(given: Material) -> Finding:
    """Share of asking turns with more than one question.

    Evidence: the turns with several questions.
    Source: one question a turn, advice common to the Socratic literature (Padesky 1993). Departures: a rule on wording
    and question marks; check-backs and requests for permission do not count as questions.
    Blind to: questions without a mark; missing, not 0, for transcripts that show none.
    """
    asking = _asking(given.talk)
    return share_of([turn for turn, asked in asking if len(asked) > 1], [turn for turn, _ in asking], NO_MARKS)


@measure(_QUESTIONS, _OF_ASKING, title="Leading questions", needs=("talk",))
def leading_question_share(given: Material) -> Finding:
    """Share of asking turns with a question that carries its answer, or advice.

    Evidence: those turns.
    Source: experts in Pardo-Cebrián et al. (2022) suggest the answer less than novices. Departures: a rule on wording
    (tag questions, negated openings, advice put as a question).
    Blind to: questions that lead by what they leave out, and by tone; missing without question marks.
    """
    asking = _asking(given.talk)
    hits = [turn for turn, asked in asking if any(one.leading or one.advising for one in asked)]
    return share_of(hits, [turn for turn, _ in asking], NO_MARKS)


def _asking(coded: CodedTranscript) -> list[tuple[CodedTurn, tuple[Question, ...]]]:
    said = coded.by("therapist")
    if not any("?" in turn.text for turn in said):
        return []
    asked = [(turn, questions(turn.text)) for turn in said]
    return [(turn, found) for turn, found in asked if found]


@measure(_QUESTIONS, "question turns", title="Longest run of questions", span=(0.0, None))
def longest_question_run(given: Material) -> Finding:
    """Most question turns asked without a reflection in between; grows with length.

    Evidence: the run.
    Source: question burden, our reading of Padesky's cycle (question, listen, summarise). Departures: only a turn whose
    main behaviour is a reflection ends a run. Blind to: short reflections inside question turns; grows with length.
    """
    turns = given.coded.coded("therapist")
    if len(turns) < MIN_CODED:
        return missing(too_few(turns))
    best: list[CodedTurn] = []
    run: list[CodedTurn] = []
    for turn in turns:
        if turn.label == "reflection":
            run = []
        elif turn.label == "question":
            run = [*run, turn]
            best = max(best, run, key=len)
    return Finding(float(len(best)), indices(best))


def socratic_share(given: Material, label: str) -> Finding:
    """Share of question turns of one Socratic type.

    Evidence: the questions of that type.
    Source: SoQG (Ang et al., EACL 2023), after Paul and Elder. Departures: the type is predicted from session talk,
    which is not what the coder's training questions were; question turns are those with AnnoMI's label. Blind to:
    whether the type fits the moment. Missing when no coder of these types was handed in.
    """
    asked = [turn for turn in given.coded.under("socratic", "therapist") if turn.label == "question"]
    return share_of([turn for turn in asked if label in turn.codes["socratic"]], asked, "no question turns")


SOCRATIC_SHARES: Mapping[str, Measure] = {
    label.id: measure(
        _QUESTIONS,
        _OF_QUESTIONS,
        "Share of question turns of this type.",
        title=f"Socratic type: {label.name.lower()}",
        id=f"socratic_{label.column}_share",
        detail=True,
        needs=("codes", "socratic"),
    )(partial(socratic_share, label=label.id))
    for label in get_scheme("socratic").therapist
}


@measure(_MI, "reflections per question", title="Reflections per question (MI)", span=(0.0, None))
def reflection_to_question_ratio(given: Material) -> Finding:
    """How many reflections come on each question.

    Reflections divided by questions.
    Evidence: the reflections.
    Source: the ratio used in treatment-integrity coding of motivational interviewing. Departures: counts turns by main
    behaviour, not every utterance part. None without a question. Blind to: order and quality.
    """
    turns = given.coded.coded("therapist")
    reflections = [turn for turn in turns if turn.label == "reflection"]
    asked = sum(turn.label == "question" for turn in turns)
    if not asked:
        return missing(NO_QUESTIONS)
    if asked < MIN_CODED:
        return missing(f"too few questions to divide by ({asked}); at least {MIN_CODED} are needed")
    return Finding(len(reflections) / asked, indices(reflections))


@measure(_MI, "share of change and sustain turns", title="Change talk (MI)")
def change_talk_share(given: Material) -> Finding:
    """Of the client's turns for or against change, the share that speaks for it.

    Evidence: the change talk.
    Source: proportion of change talk in motivational interviewing; AnnoMI's talk types. Departures: predicted labels,
    whose agreement with the annotators is moderate. None without either. Blind to: strength; means little outside talk
    about changing a habit.
    """
    coded = given.coded
    if not coded.coded("client"):
        return missing("no coded client turns")
    turns = [turn for turn in coded.by("client") if turn.label in ("change", "sustain")]
    return share_of([turn for turn in turns if turn.label == "change"], turns, "no change or sustain talk")


@measure(
    _TALK, "share of words", title="Therapist's share of words", needs=("words",), everywhere=True, human_validated=True
)
def therapist_talk_share(given: Material) -> Finding:
    """How much of the talking the therapist does.

    The therapist's share of all words.
    Evidence: none, it is the whole session.
    Source: talk ratio, common in psychotherapy process research. Departures: whitespace tokens, transcriber's
    conventions as they are. Blind to: content, silence and speed.
    Validity: a plain count, nothing to validate.
    """
    words = {who: sum(turn.words for turn in given.talk.by(who)) for who in SPEAKERS}
    total = sum(words.values())
    return Finding(words["therapist"] / total) if total else missing("no words")


@measure(_TALK, "words", title="Words per therapist turn", span=(1.0, None), human_validated=True)
def therapist_words_per_turn(given: Material) -> Finding:
    """How long a therapist turn is.

    Mean number of words of a therapist turn.
    Evidence: none. Source: own, descriptive. Blind to: content; depends on how the transcriber parts turns (back-
    channels as own turns make it smaller).
    Validity: a plain count, nothing to validate.
    """
    return _words_per_turn(given.talk, "therapist")


@measure(_TALK, "words", title="Words per client turn", span=(1.0, None), human_validated=True)
def client_words_per_turn(given: Material) -> Finding:
    """How long a client turn is.

    Mean number of words of a client turn.
    Evidence: none. Source: own, descriptive. Blind to: content, see `therapist_words_per_turn`.
    Validity: a plain count, nothing to validate.
    """
    return _words_per_turn(given.talk, "client")


def _words_per_turn(coded: CodedTranscript, speaker: Role) -> Finding:
    turns = coded.by(speaker)
    return Finding(sum(turn.words for turn in turns) / len(turns)) if turns else missing(f"no {speaker} turns")


@measure(_TALK, "words", title="Session length in words", span=(1.0, None), length=True, human_validated=True)
def session_words(given: Material) -> Finding:
    """The confounder: where groups differ in length, every other row must be read against it.

    Number of words in the session.
    Evidence: none. Source: own. Known: length alone separates high from low quality demonstration sessions, since bad
    practice is shown in shorter clips. It says nothing about quality.
    Validity: a plain count, nothing to validate.
    """
    return Finding(float(sum(turn.words for turn in given.talk.turns)))


@measure(_TALK, "turns", title="Session length in turns", span=(4.0, None), length=True, human_validated=True)
def session_turns(given: Material) -> Finding:
    """The confounder, counted in turns.

    Evidence: none. Source: own. Blind to: everything but length.
    Validity: a plain count, nothing to validate.
    """
    return Finding(float(len(given.talk.turns)))


@measure(_TALK, "share of turns", title="Turns coded with certainty", needs=("codes",), human_validated=True)
def sure_share(given: Material) -> Finding:
    """Share of turns of whose code the coder was sure; a check on the codes, not on the session.

    Evidence: those turns. Source: own.
    Blind to: confident mistakes. Rates count unsure codes too; turns without any code they leave out.
    Validity: the coder's own word for how sure it is, nothing to compare with.
    """
    coded = given.coded
    if not coded.turns:
        return missing("no turns")
    sure = [turn for turn in coded.turns if turn.label is not None and turn.sure]
    return Finding(len(sure) / len(coded.turns), indices(sure))


def repeated_share(coded: CodedTranscript) -> float:
    """Share of the therapist's turns of four words or more that were said before in the session, word for word."""
    said = [" ".join(turn.text.lower().split()) for turn in coded.by("therapist") if turn.words >= _LONG_ENOUGH]
    return 1 - len(set(said)) / len(said) if said else 0.0
