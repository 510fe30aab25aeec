"""The AnnoMI code book: main behaviour of each utterance in motivational interviewing."""

from __future__ import annotations

from maieutic.coding.book import Facet, Label, Scheme

ANNOMI = Scheme(
    id="annomi",
    name="AnnoMI",
    therapist=(
        Label(
            "question",
            "Question",
            "Asks the client for something, openly or for a yes, a no or one fact.",
            (
                "What was the evening like after he left?",
                "Do you have anyone at home with you?",
                "And how would you know it was getting better?",
            ),
        ),
        Label(
            "reflection",
            "Reflection",
            "Gives back what the client said, or the meaning and feeling behind it.",
            (
                "So the mornings are the worst of it.",
                "You are proud of the garden, and a bit lonely in it.",
                "It sounds like part of you has already decided.",
            ),
        ),
        Label(
            "therapist_input",
            "Therapist input",
            "Brings in something of the therapist's: information, advice, an offer of choices, a goal to agree on.",
            (
                "Some people keep the packet in the car, so that it takes a walk to get one.",
                "Nicotine leaves the blood within about three days.",
                "We could start with the sleep, or with the arguments; either would do.",
            ),
        ),
        Label(
            "other",
            "Other",
            "Greets, acknowledges, keeps the talk going, or does none of the above.",
            ("Mm-hm, right.", "Good to see you, do sit down.", "Okay, let me find my pen."),
        ),
    ),
    client=(
        Label(
            "change",
            "Change talk",
            "Leans towards the change talked about: wish, reason, ability, a step taken.",
            (
                "I would like to be done with it before the baby comes.",
                "I poured the last bottle down the sink on Sunday.",
                "If I had some help I think I could do it.",
            ),
        ),
        Label(
            "neutral",
            "Neutral",
            "Says nothing for or against the change, or merely follows along.",
            ("Yes.", "My sister works there too, on Thursdays.", "What do you mean by a unit?"),
        ),
        Label(
            "sustain",
            "Sustain talk",
            "Leans towards staying as it is: defends it, doubts the change, refuses.",
            (
                "It is the one thing in the day that is mine.",
                "I have given up four times, it never lasts.",
                "I can't see myself at a party with lemonade.",
            ),
        ),
    ),
    multi_label=False,
    source="Wu et al., ICASSP 2022; Wu et al., Future Internet 15(3), 2023",
    departures="Each utterance gets its main behaviour only. Of the subtypes only the form of the question is coded, "
    "and it is coded for every therapist utterance; simple and complex reflection and the kinds of input are left out.",
    facets=(
        Facet(
            "question_form",
            "Form of the question",
            "The form of the utterance's question, were it one: filled for every therapist utterance, and to be read "
            "only where a question is asked.",
            "therapist",
            (
                Label(
                    "open",
                    "Open",
                    "Leaves the answer to the client: what, how, why, or an invitation to tell.",
                    ("What makes the weekends harder?", "Tell me about the first time."),
                ),
                Label(
                    "closed",
                    "Closed",
                    "Can be answered with yes, no, a number, a name or a choice among things offered.",
                    ("How many is that in a week?", "Did she ask you to come?"),
                ),
            ),
        ),
    ),
)
