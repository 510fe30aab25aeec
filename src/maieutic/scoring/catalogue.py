"""The measures of `maieutic score` in the order of the report, each with a title, a sentence of meaning, and its
validity."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from maieutic.coding.schemes import BOLT, get_scheme
from maieutic.domain.episode import Score
from maieutic.protocols import Embedder
from maieutic.scoring import adaptation, alliance, competence, ideas, order_measures, quality, stages, synchrony
from maieutic.scoring import session_measures as codes
from maieutic.scoring import talk_measures as talk
from maieutic.scoring.coded import CodedTranscript
from maieutic.scoring.validity import COUNTED, NOT_VALIDATED, validity_of_measure

Measured = Callable[[CodedTranscript], Score]


@dataclass(frozen=True, slots=True)
class SessionMeasure:
    """A measure of one coded transcript.

    Attributes:
        measure: The function; its docstring is the full definition.
        title: Name for readers.
        meaning: One sentence: what a high value says.
        percent: The value is a share, shown in per cent.
        length: It is session length itself, the confounder, not a measure of conduct.
        family: Heading under which it stands.
        detail: One of many of its kind, for the long list only.
        asked: It was asked for by name, so it is shown whatever is known of it.
        validity: What is known of one that is not of the catalogue.
    """

    measure: Measured
    title: str
    meaning: str
    percent: bool = True
    length: bool = False
    family: str = "Codes"
    detail: bool = False
    asked: bool = False
    validity: str = ""

    @property
    def id(self) -> str:
        return self.measure.__name__

    @property
    def validated(self) -> str:
        """A number measured on human coding, or 'not human-validated' with the reason where there is one."""
        return self.validity or validity_of_measure(self.id)

    @property
    def needs(self) -> str:
        """What a session must hold: words, or codes under one or two of the schemes."""
        if self.validated == COUNTED or self.family in _OF_WORDS or self.id in _OF_WORDS:
            return "words"
        if self.family == "Alliance from text":
            return "words, sentence vectors"
        if self.id.startswith("socratic_"):
            return "AnnoMI and Socratic codes"
        if self.family in ("Stages of guided discovery", "Competence, by proxy"):
            return "AnnoMI and BOLT codes"
        return "BOLT codes" if self.id.startswith("bolt_") or self.id in _OF_BOLT else "AnnoMI codes"


_OF_WORDS = ("Who voices the idea", "Synchrony", "stacked_question_share", "leading_question_share")
_OF_BOLT = (
    "reflection_after_negative_feeling",
    "solution_after_negative_feeling",
    "adaptation_log_ratio",
    "divergence_from_high",
    "divergence_from_low",
)


def _family(name: str, *measures: SessionMeasure) -> tuple[SessionMeasure, ...]:
    return tuple(replace(one, family=name) for one in measures)


_M = SessionMeasure
_BOLT_NAMES = {label.id: label.name for label in (*BOLT.therapist, *BOLT.client)}
_LABEL_NAMES = {
    "question": "questions",
    "reflection": "reflections",
    "therapist_input": "advice and information",
    "other": "other turns",
}
_PART_NAMES = {"first": "first", "middle": "middle", "last": "last"}

MI_NOTE = (
    "MI: from motivational interviewing, held against its demonstrations alone; in CBT or another therapy a high or "
    "low value says nothing good or bad."
)

MEASURES: tuple[SessionMeasure, ...] = (
    *_family(
        "Likeness to MI demonstrations",
        _M(
            quality.mi_demonstration_likeness,
            "Likeness to MI demonstrations",
            "How far the therapist looks like demonstrations of good rather than bad MI; no quality.",
            percent=False,
        ),
        _M(
            quality.mi_demonstration_likeness_low,
            "Likeness to MI demonstrations, lower bound",
            "Lower end of its 95 % interval.",
            percent=False,
            detail=True,
        ),
        _M(
            quality.mi_demonstration_likeness_high,
            "Likeness to MI demonstrations, upper bound",
            "Upper end of its 95 % interval.",
            percent=False,
            detail=True,
        ),
        _M(
            quality.mi_demonstration_likeness_adjusted,
            "Likeness to MI demonstrations at usual length",
            "The same with what session length predicts taken off.",
            percent=False,
        ),
    ),
    *_family(
        "Codes",
        _M(
            codes.reflection_rate,
            "Reflections",
            "Share of therapist turns that mainly give back what the client said; a turn that also asks "
            "counts as a question.",
        ),
        _M(
            codes.therapist_input_rate,
            "Advice and information",
            "Share of therapist turns that mainly advise, inform or offer options.",
        ),
        _M(codes.question_rate, "Questions", "Share of therapist turns that mainly ask."),
        *(
            _M(
                measure,
                _BOLT_NAMES[label],
                f"BOLT: share of {'client' if label in adaptation.CLIENT else 'therapist'} turns with this code.",
                detail=True,
            )
            for label, measure in order_measures.BOLT_RATES.items()
        ),
    ),
    *_family(
        "After a feeling",
        _M(
            codes.reflection_after_feeling,
            "Reflection after a feeling",
            "When the client names a feeling, how often the next turn reflects.",
        ),
        _M(
            codes.input_after_feeling,
            "Advice after a feeling",
            "When the client names a feeling, how often the next turn advises or informs.",
        ),
        _M(
            order_measures.reflection_after_negative_feeling,
            "Reflection after a negative feeling (BOLT)",
            "When a client turn is coded as negative feeling, how often the reply reflects.",
        ),
        _M(
            order_measures.solution_after_negative_feeling,
            "Solution after a negative feeling (BOLT)",
            "When a client turn is coded as negative feeling, how often the reply solves or plans.",
        ),
    ),
    *_family(
        "Questions",
        _M(
            codes.open_question_share,
            "Open questions",
            "Share of question turns that cannot be answered with yes, no or a number.",
        ),
        _M(talk.stacked_question_share, "Stacked questions", "Share of asking turns with more than one question."),
        _M(
            talk.leading_question_share,
            "Leading questions",
            "Share of asking turns with a question that carries its answer, or advice.",
        ),
        _M(
            codes.longest_question_run,
            "Longest run of questions",
            "Most question turns asked without a reflection in between; grows with length.",
            percent=False,
        ),
        *(
            _M(
                talk.SOCRATIC_SHARES[label.id],
                f"Socratic type: {label.name.lower()}",
                "Share of question turns of this type.",
                detail=True,
            )
            for label in get_scheme("socratic").therapist
        ),
    ),
    *_family(
        "Stages of guided discovery",
        _M(
            stages.stage_order,
            "Stages in order",
            "Of the changes of stage, the share that go on to a later stage or open a new cycle.",
        ),
        _M(
            stages.longest_stage_climb,
            "Longest climb of stages",
            "Longest run of stages that never goes back, by number of staged turns.",
        ),
        _M(
            stages.stages_covered,
            "Stages that occur",
            "Share of Padesky's four stages that occur at all; grows with length.",
        ),
        _M(
            stages.synthesis_question_share,
            "Synthesising questions",
            "Share of question turns that ask to analyse or bring together.",
        ),
    ),
    *_family(
        "Who voices the idea",
        _M(
            ideas.client_first_share,
            "Client voices it first",
            "Of the ideas both come to use, the share the client voiced first.",
        ),
        _M(
            ideas.client_first_surplus,
            "Client voices it first, beyond talk",
            "The same less the client's share of all ideas.",
            percent=False,
        ),
        _M(
            ideas.client_idea_uptake,
            "Client's ideas taken up",
            "Share of the client's ideas that the therapist comes back to; grows with length.",
        ),
    ),
    *_family(
        "Competence, by proxy",
        _M(
            competence.competence_mean,
            "Competence items, mean",
            "Mean of eight items in the manner of the CTRS, counted and not judged.",
            percent=False,
        ),
        *(
            _M(competence.PROXIES[item.id], item.title, item.asks, percent=False, detail=item.id != "guided_discovery")
            for item in competence.ITEMS
        ),
    ),
    *_family(
        "Alliance from text",
        *(
            _M(
                measure,
                f"{dimension.title()}, {speaker}",
                f"How near the {speaker}'s words come to statements of {dimension}.",
                percent=False,
            )
            for (speaker, dimension), measure in alliance.VIEWS.items()
        ),
        *(
            _M(measure, f"{dimension.title()}, gap", "The therapist's nearness less the client's.", percent=False)
            for dimension, measure in alliance.GAPS.items()
        ),
    ),
    *_family(
        "Synchrony",
        _M(
            synchrony.style_matching, "Style matching", "How alike the two speakers' function words are.", percent=False
        ),
        _M(
            synchrony.therapist_style_following,
            "Therapist follows the client's style",
            "By turn: the therapist keeps the client's function words.",
            percent=False,
        ),
        _M(
            synchrony.client_style_following,
            "Client follows the therapist's style",
            "By turn: the client keeps the therapist's function words.",
            percent=False,
        ),
        _M(
            synchrony.therapist_entrainment_distance,
            "Therapist's distance from the client",
            "nCLiD: how far the therapist's next turns lie from the client's words; lower is nearer.",
            percent=False,
        ),
        _M(
            synchrony.client_entrainment_distance,
            "Client's distance from the therapist",
            "nCLiD: how far the client's next turns lie from the therapist's words; lower is nearer.",
            percent=False,
        ),
    ),
    *_family(
        "Order over the session",
        *(
            _M(
                measure,
                f"Place of {_LABEL_NAMES[label]}",
                "Mean place in the session; 0 the beginning, 1 the end.",
                percent=False,
                detail=True,
            )
            for label, measure in order_measures.POSITIONS.items()
        ),
        *(
            _M(
                measure,
                f"{_LABEL_NAMES[label].capitalize()}, {_PART_NAMES[part]} third",
                "Share of therapist turns of that third.",
                detail=True,
            )
            for (label, part), measure in order_measures.THIRDS.items()
        ),
        *(
            _M(
                measure,
                f"Place of: {_BOLT_NAMES[label].lower()}",
                "BOLT: mean place in the session; 0 the beginning, 1 the end.",
                percent=False,
                detail=True,
            )
            for label, measure in order_measures.BOLT_POSITIONS.items()
        ),
    ),
    *_family(
        "Only for motivational interviewing",
        _M(
            codes.reflection_to_question_ratio,
            "Reflections per question (MI)",
            "How many reflections come on each question.",
            percent=False,
        ),
        _M(
            codes.change_talk_share,
            "Change talk (MI)",
            "Of the client's turns for or against change, the share that speaks for it.",
        ),
        _M(
            adaptation.adaptation_log_ratio,
            "Nearer to high than to low quality (MI)",
            "Above 0 the replies to each kind of client turn are nearer to human high-quality dialogues.",
            percent=False,
        ),
        _M(
            adaptation.divergence_from_high,
            "Divergence from high quality (MI)",
            "How far the replies lie from human high-quality dialogues.",
            percent=False,
        ),
        _M(
            adaptation.divergence_from_low,
            "Divergence from low quality (MI)",
            "How far the replies lie from human low-quality dialogues.",
            percent=False,
        ),
    ),
    *_family(
        "Talk and length",
        _M(talk.therapist_talk_share, "Therapist's share of words", "How much of the talking the therapist does."),
        _M(talk.therapist_words_per_turn, "Words per therapist turn", "How long a therapist turn is.", percent=False),
        _M(talk.client_words_per_turn, "Words per client turn", "How long a client turn is.", percent=False),
        _M(
            talk.session_words,
            "Session length in words",
            "The confounder: where groups differ in length, every other row must be read against it.",
            percent=False,
            length=True,
        ),
        _M(
            talk.session_turns,
            "Session length in turns",
            "The confounder, counted in turns.",
            percent=False,
            length=True,
        ),
        _M(
            talk.sure_share,
            "Turns coded with certainty",
            "Share of turns of whose code the coder was sure; a check on the codes, not on the session.",
        ),
    ),
)


def measure_transcript(
    coded: CodedTranscript, embedder: Embedder | None = None, measures: Sequence[SessionMeasure] = ()
) -> tuple[Score, ...]:
    """All measures of one transcript, in the order of the catalogue.

    Args:
        coded: The transcript with its codes.
        embedder: Sentence vectors for the measures of alliance, which are slow; without it they are missing.
        measures: Those to compute; the whole catalogue where none are named.
    """
    whole = coded if embedder is None else replace(coded, embedder=embedder)
    return tuple(one.measure(whole) for one in measures or MEASURES)


__all__ = ["COUNTED", "MEASURES", "MI_NOTE", "NOT_VALIDATED", "SessionMeasure", "measure_transcript"]
