"""The code book of Socratic questions: what kind of thinking a question asks for, and how it is put."""

from __future__ import annotations

from maieutic.coding.book import Facet, Label, Scheme

SOCRATIC = Scheme(
    id="socratic",
    name="Socratic question types",
    therapist=(
        Label(
            "clarity",
            "Clarity",
            "Asks what was meant, for an example, for the point, or for it to be said another way.",
            (
                "When you say a failure, what does that word cover?",
                "Could you give me one time when that happened?",
                "What exactly did he mean by later?",
            ),
        ),
        Label(
            "assumptions",
            "Assumptions",
            "Brings to light, or asks about, what is taken for granted.",
            (
                "Are you taking it that she noticed?",
                "What would have to be true for silence to mean anger?",
                "Why must a good father never be tired?",
            ),
        ),
        Label(
            "reasons_evidence",
            "Reasons and evidence",
            "Asks what a thought rests on: reasons, facts, causes, how it is known.",
            (
                "What have you seen that points that way?",
                "How did you come to be sure of it?",
                "Which part of the week speaks against it?",
            ),
        ),
        Label(
            "implication_consequences",
            "Implications and consequences",
            "Asks what follows from a thought or an act, or what would follow if it were so.",
            (
                "If that were so, what would it mean for the summer?",
                "What does it cost you to keep that rule?",
                "And suppose they did laugh, what then?",
            ),
        ),
        Label(
            "alternate_viewpoints_perspectives",
            "Other viewpoints",
            "Asks to look from elsewhere: another person, another time, another account of the same thing.",
            (
                "How would your oldest friend tell this story?",
                "Is there another way to read that message?",
                "What will you make of it in ten years?",
            ),
        ),
        Label(
            "others",
            "Others",
            "None of the five: asks about the question itself, about the talk, or small talk.",
            ("Why do you think I asked you that?", "Shall we stop there for today?", "Did you find the car park?"),
        ),
    ),
    client=(),
    multi_label=False,
    source="Ang et al., EACL 2023 (after Paul and Elder's types of Socratic questions); "
    "facets after Padesky 1993 and the attributes of Li et al. 2025",
    departures="Codes therapist utterances of any kind, so that a turn that asks nothing still gets the type its words "
    "are nearest to; whether anything was asked is for `annomi` to say. The facets are ours and decided by rules.",
    facets=(
        Facet(
            "leads",
            "Leads",
            "Does the question carry its own answer or the therapist's conclusion?",
            "therapist",
            (
                Label("true", "Leads", "The wanted answer can be heard in it.", ("Surely that was kind of you?",)),
                Label(
                    "false", "Leaves it open", "Nothing tells which answer is hoped for.", ("What was that for you?",)
                ),
            ),
        ),
        Facet(
            "stacks",
            "Stacks",
            "Is more than one question asked in the turn?",
            "therapist",
            (
                Label("true", "Several", "Two or more questions in one turn.", ("Who rang? And what did you say?",)),
                Label("false", "One or none", "One question at most.", ("Who rang?",)),
            ),
        ),
        Facet(
            "advises",
            "Advises",
            "Is advice given, as such or in the form of a question?",
            "therapist",
            (
                Label("true", "Advises", "Something to do is put forward.", ("Have you thought of asking him?",)),
                Label("false", "Does not", "Nothing to do is put forward.", ("What did he say?",)),
            ),
        ),
        Facet(
            "reaches",
            "Reaches for",
            "What does the question ask the client to look at? The first that fits, in the order given.",
            "therapist",
            (
                Label("evidence", "Evidence", "Facts, reasons, exceptions, how it is known.", ("What tells you so?",)),
                Label("perspective", "Perspective", "Another person, time or reading.", ("How would Ana see it?",)),
                Label("implication", "Implication", "What follows or would follow.", ("And if it did, what then?",)),
                Label("emotion", "Emotion", "What is or was felt.", ("How did that feel?",)),
                Label("none", "None of these", "Something else, or no question.", ("Which bus do you take?",)),
            ),
        ),
    ),
    pairs=True,
)
