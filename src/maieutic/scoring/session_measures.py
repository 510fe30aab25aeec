"""Measures of a coded transcript that need no hidden state: what the therapist does, and what follows a feeling.

Codes are AnnoMI's (Wu et al., ICASSP 2022), predicted unless a file of codes was given; turns without a code are left
out of numerator and denominator. All measures describe demonstration or real talk; none is a competence rating.
"""

from __future__ import annotations

import re

from maieutic.domain.episode import Score
from maieutic.language.feelings import LEXICON, disclosed_feelings
from maieutic.reading.moves import open_chance
from maieutic.scoring.coded import CodedTranscript, CodedTurn
from maieutic.scoring.shares import MIN_CODED, indices, share_of, too_few

# Words of the lexicon that mostly mean something else ("cut down", "a small glass") unless they follow a verb of
# feeling.
_DOUBTFUL = (
    "down",
    "low",
    "heavy",
    "flat",
    "small",
    "cross",
    "empty",
    "exposed",
    "mad",
    "alone",
    "numb",
    "bitter",
    "tense",
    "restless",
    "foolish",
    "ridiculous",
    "hurt",
    "left out",
    "worry",
    "fear",
)
_DOUBTFUL_WORD = re.compile(rf"\b(?:{'|'.join(_DOUBTFUL)})\b", re.I)
_FEELING_VERB = re.compile(
    r"\b(?:feel|feels|feeling|felt|i'm|i am|i was|i've been|i get|i got|makes me|made me|making "
    r"me)\b(?:\s+[\w']+){0,2}\s*$",
    re.I,
)

NO_QUESTIONS = "no question turns to divide by"
NO_FEELING = (
    "none found: a feeling is found only where the client names it with a usual word (sad, afraid, ashamed) and the "
    "next turn has a code"
)


def question_rate(coded: CodedTranscript) -> Score:
    """Share of coded therapist turns whose main behaviour is a question.

    Unit: share of therapist turns. Range: 0 to 1. Evidence: the question turns.
    Source: AnnoMI (Wu et al. 2022), main behaviour. Departures: predicted labels.
    Blind to: what is asked, whether it fits, and to questions inside turns whose main behaviour is another.
    """
    return _label_rate(coded, "question_rate", "question")


def reflection_rate(coded: CodedTranscript) -> Score:
    """Share of coded therapist turns whose main behaviour is a reflection.

    Unit: share of therapist turns. Range: 0 to 1. Evidence: the reflections.
    Source: AnnoMI (Wu et al. 2022). Departures: predicted labels; simple and complex reflections are not parted.
    Blind to: whether the reflection is true to what was said; a turn that gives back and then asks is a question. On
    scripted therapists flattery (47 % of turns) and reassurance (42 %) are taken for reflections, and the oracle, which
    gives back before it asks, has 18 %: with simulated patients more is not better.
    """
    return _label_rate(coded, "reflection_rate", "reflection")


def therapist_input_rate(coded: CodedTranscript) -> Score:
    """Share of coded therapist turns that mainly give advice, information or options.

    Unit: share of therapist turns. Range: 0 to 1. Evidence: those turns.
    Source: AnnoMI's therapist input (Wu et al. 2022). Departures: predicted labels; advice and information in one.
    Blind to: whether advice was asked for or given with permission.
    """
    return _label_rate(coded, "therapist_input_rate", "therapist_input")


def open_question_share(coded: CodedTranscript) -> Score:
    """Share of question turns with an open question.

    Unit: share of question turns. Range: 0 to 1. Evidence: the open ones.
    Source: the open/closed distinction of motivational interviewing as AnnoMI's subtypes have it. Departures: read by a
        head that learnt own-written questions (`reading/moves.py`); scales ("How sure are you?") are closed, which
    AnnoMI's annotators call open in four of ten.
    Blind to: open form with closed intent. One or two questions are no share: with them it parted nothing in AnnoMI.
    """
    asked = [turn for turn in coded.by("therapist") if turn.label == "question"]
    opened = [turn for turn in asked if is_open(turn)]
    return share_of("open_question_share", "share of question turns", opened, asked, "no question turns")


def reflection_to_question_ratio(coded: CodedTranscript) -> Score:
    """Reflections divided by questions.

    Unit: reflections per question. Range: 0 upward. Evidence: the reflections.
    Source: the ratio used in treatment-integrity coding of motivational interviewing. Departures: counts turns by main
    behaviour, not every utterance part. None without a question. Blind to: order and quality.
    """
    turns = coded.coded("therapist")
    reflections = [turn for turn in turns if turn.label == "reflection"]
    asked = sum(turn.label == "question" for turn in turns)
    unit = "reflections per question"
    if asked < MIN_CODED:
        reason = f"too few questions to divide by ({asked}); at least {MIN_CODED} are needed" if asked else NO_QUESTIONS
        return Score("reflection_to_question_ratio", None, unit, reason)
    return Score("reflection_to_question_ratio", len(reflections) / asked, unit, None, indices(reflections))


def reflection_after_feeling(coded: CodedTranscript) -> Score:
    """Share of disclosed feelings that the next therapist turn answers with a reflection.

    Unit: share of disclosures. Range: 0 to 1. Evidence: the reflections that follow.
    Source: BOLT, behaviour after shared negative feeling (Chiu et al. 2024). Departures: disclosures are found by a
    lexicon of nine feelings in sentences about oneself, not by a client code; AnnoMI's reflection stands for six kinds.
    Blind to: feelings shown without a feeling word, and to sarcasm and negation.
    """
    return _after_feeling(coded, "reflection_after_feeling", "reflection")


def input_after_feeling(coded: CodedTranscript) -> Score:
    """Share of disclosed feelings that the next therapist turn answers with advice or information.

    Unit: share of disclosures. Range: 0 to 1. Evidence: the turns that follow.
    Source: BOLT, problem-solving after shared negative feeling (Chiu et al. 2024). Departures and blindness: as
    `reflection_after_feeling`; information counts as well as advice.
    """
    return _after_feeling(coded, "input_after_feeling", "therapist_input")


def longest_question_run(coded: CodedTranscript) -> Score:
    """Largest number of question turns with no reflection in between.

    Unit: question turns. Range: 0 upward. Evidence: the run.
    Source: question burden, our reading of Padesky's cycle (question, listen, summarise). Departures: only a turn whose
    main behaviour is a reflection ends a run. Blind to: short reflections inside question turns; grows with length.
    """
    turns = coded.coded("therapist")
    unit = "question turns"
    if len(turns) < MIN_CODED:
        return Score("longest_question_run", None, unit, too_few(turns))
    best: list[CodedTurn] = []
    run: list[CodedTurn] = []
    for turn in turns:
        if turn.label == "reflection":
            run = []
        elif turn.label == "question":
            run = [*run, turn]
            best = max(best, run, key=len)
    return Score("longest_question_run", float(len(best)), unit, None, indices(best))


def change_talk_share(coded: CodedTranscript) -> Score:
    """Change talk as a share of change talk and sustain talk of the client.

    Unit: share of change and sustain turns. Range: 0 to 1. Evidence: the change talk.
    Source: proportion of change talk in motivational interviewing; AnnoMI's talk types. Departures: predicted labels,
    whose agreement with the annotators is moderate. None without either. Blind to: strength; means little outside talk
    about changing a habit.
    """
    if not coded.coded("client"):
        return Score("change_talk_share", None, "share of change and sustain turns", "no coded client turns")
    turns = [turn for turn in coded.by("client") if turn.label in ("change", "sustain")]
    change = [turn for turn in turns if turn.label == "change"]
    return share_of(
        "change_talk_share", "share of change and sustain turns", change, turns, "no change or sustain talk"
    )


def discloses_feeling(text: str) -> bool:
    """Whether a speaker names a feeling of their own; words with a second meaning count only after a verb of
    feeling."""
    if not disclosed_feelings(text):
        return False
    kept = _DOUBTFUL_WORD.sub(lambda m: m.group() if _FEELING_VERB.search(text[: m.start()]) else " ", text)
    return bool(disclosed_feelings(kept))


def is_open(turn: CodedTurn) -> bool:
    """Whether one of the questions of a turn leaves the answer to the client; a form that was given is kept."""
    return chance_of_open(turn) >= 0.5


def chance_of_open(turn: CodedTurn) -> float:
    """Probability that the question of a turn is open: what was given, else what is heard."""
    return open_chance(turn.text) if turn.form is None else turn.form


def _label_rate(coded: CodedTranscript, measure: str, label: str) -> Score:
    turns = coded.coded("therapist")
    if len(turns) < MIN_CODED:
        return Score(measure, None, "share of therapist turns", too_few(turns))
    hits = [turn for turn in turns if turn.label == label]
    return share_of(measure, "share of therapist turns", hits, turns, "no coded therapist turns")


def _after_feeling(coded: CodedTranscript, measure: str, label: str) -> Score:
    replies: list[CodedTurn] = []
    disclosed = False
    for turn in coded.turns:
        if turn.speaker == "client":
            disclosed = disclosed or discloses_feeling(turn.text)
        else:
            if disclosed and turn.label is not None:
                replies.append(turn)
            disclosed = False
    hits = [turn for turn in replies if turn.label == label]
    return share_of(measure, "share of disclosures", hits, replies, NO_FEELING)


assert set(_DOUBTFUL) <= {word for terms in LEXICON.values() for word in terms}
