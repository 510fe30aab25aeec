"""The published code books, in our own words: which labels a scheme has and when each of them fits."""

from __future__ import annotations

from maieutic.coding.book import Label, Scheme
from maieutic.errors import UnknownName

ANNOMI = Scheme(
    id="annomi",
    name="AnnoMI",
    therapist=(
        Label("question", "Question", "Asks the client for something, openly or for a yes, a no or one fact."),
        Label("reflection", "Reflection", "Gives back what the client said, or the meaning and feeling behind it."),
        Label(
            "therapist_input",
            "Therapist input",
            "Brings in something of the therapist's: information, advice, an offer of choices, a goal to agree on.",
        ),
        Label("other", "Other", "Greets, acknowledges, keeps the talk going, or does none of the above."),
    ),
    client=(
        Label("change", "Change talk", "Leans towards the change talked about: wish, reason, ability, a step taken."),
        Label("neutral", "Neutral", "Says nothing for or against the change, or merely follows along."),
        Label("sustain", "Sustain talk", "Leans towards staying as it is: defends it, doubts the change, refuses."),
    ),
    multi_label=False,
    source="Wu et al., ICASSP 2022; Wu et al., Future Internet 15(3), 2023",
    departures="Each utterance gets its main behaviour only; subtypes (open or closed, simple or complex) are left out.",
)

BOLT = Scheme(
    id="bolt",
    name="BOLT",
    therapist=(
        Label("Reflections on Needs", "Makes needs explicit", "Names a need that the client has implied."),
        Label("Reflections on Emotions", "Makes emotions explicit", "Names a feeling that was in the background."),
        Label("Reflections on Values", "Makes values explicit", "Names what the client evidently holds important."),
        Label("Reflections on Consequences", "Makes consequences explicit", "States what follows for the client."),
        Label(
            "Reflections on Conflicts", "Makes conflict explicit", "Names a tug-of-war, inside or around the client."
        ),
        Label(
            "Reflections on Strengths",
            "Makes strengths or resources explicit",
            "Names an ability, a success or a support that the client shows or has.",
        ),
        Label(
            "Questions on Experiences",
            "Evokes concrete elaboration",
            "Asks for more about one event, habit or thing that was said.",
        ),
        Label(
            "Questions on Perspectives",
            "Evokes perspective elaboration",
            "Asks the client to look from elsewhere: another person, a later time, an imagined success.",
        ),
        Label("Questions on Emotions", "Emotion check-in", "Asks how something from this very talk feels now."),
        Label("Problem-Solving", "Problem-solving", "Puts forward a way, or ways, out of the problem."),
        Label("Planning", "Planning", "Works out with the client what will be done, when and how."),
        Label("Normalizing", "Normalizing", "Calls the reaction understandable or common, sympathises, encourages."),
        Label("Psychoeducation", "Teaching or psychoeducation", "Explains how mind, habit or therapy works."),
    ),
    client=(
        Label("Changing Unhealthy Behavior", "Changing", "Intends, tries or has begun to leave a harmful habit."),
        Label("Sustaining Unhealthy Behavior", "Sustaining", "Keeps, or means to keep, a harmful habit."),
        Label("Sharing Negative Emotions", "Negative feeling", "Tells of a painful feeling, named or plain to hear."),
        Label("Sharing Positive Emotions", "Positive feeling", "Tells of a pleasant feeling, named or plain to hear."),
        Label("Gained Insights", "Insight", "Says that something about themselves or their life is newly understood."),
        Label("Sharing Experiences", "Event or situation", "Tells what happened, or how life is arranged at present."),
    ),
    multi_label=True,
    source="Chiu, Sharma, Lin, Althoff: A Computational Framework for Behavioral Assessment of LLM Therapists, 2024",
    departures="Coded by a small linear model instead of a prompted LLM; no 'unknown': the likeliest code is always given.",
)

_SCHEMES = {scheme.id: scheme for scheme in (ANNOMI, BOLT)}


def scheme_names() -> tuple[str, ...]:
    """The names that `get_scheme` knows."""
    return tuple(sorted(_SCHEMES))


def get_scheme(name: str) -> Scheme:
    """The scheme of that name.

    Raises:
        UnknownName: No such scheme; the message proposes the closest name.
    """
    try:
        return _SCHEMES[name]
    except KeyError:
        raise UnknownName("scheme", name, _SCHEMES) from None
