"""The code book that human raters of whole sessions are given: what to rate, on which scale, and what the values
mean."""

from __future__ import annotations

from dataclasses import dataclass

from maieutic.scoring.agreement import Level

YES = frozenset({"yes", "y", "true", "1"})
NO = frozenset({"no", "n", "false", "0"})


@dataclass(frozen=True, slots=True)
class Item:
    """One thing to rate in a session.

    Attributes:
        id: Column in the sheets.
        title: Name for readers.
        question: What the rater is asked.
        low, high: Range; whole numbers only. A yes/no item runs from 0 to 1.
        level: Level of measurement that agreement is computed at.
        anchors: Values with their meaning; values between two anchors may be used.
        hint: What to heed, and when to leave the cell empty.
        stems: A measure of ours whose id contains one of these is meant to show the same thing, and to rise with it.
    """

    id: str
    title: str
    question: str
    low: int
    high: int
    level: Level
    anchors: tuple[tuple[str, str], ...]
    hint: str
    stems: tuple[str, ...]

    @property
    def yes_no(self) -> bool:
        return self.level == "nominal"

    @property
    def allowed(self) -> str:
        """The values in words."""
        return "yes or no" if self.yes_no else f"a whole number from {self.low} to {self.high}"

    @property
    def column(self) -> str:
        """Header of the column in the sheets."""
        return f"{self.id} (yes/no)" if self.yes_no else f"{self.id} ({self.low}-{self.high})"

    def shows(self, measure: str) -> bool:
        """Whether a measure of ours is meant to show the same thing, by its id."""
        return any(stem in measure for stem in self.stems)


ITEMS: tuple[Item, ...] = (
    Item(
        "guided_discovery",
        "Guided discovery",
        "How far does the therapist help the client to find out for themselves, instead of telling or persuading?",
        0,
        6,
        "ordinal",
        (
            ("0", "Argues, lectures or corners the client; the therapist's view is what counts."),
            ("2", "Friendly, but mostly tells and convinces; questions have the wanted answer built in."),
            (
                "4",
                "Mostly asks and listens; real questions lead the client to look at reasons, exceptions or other "
                "views, "
                "with some lapses into telling.",
            ),
            (
                "6",
                "Questions, summaries and silence are so chosen that the client puts the pieces together and draws "
                "a conclusion nobody handed over.",
            ),
        ),
        "Judge what the therapist does, not how the session ends. A pile of questions is not guided discovery. "
        "Use 1, 3 and 5 when a session lies between two descriptions.",
        ("guided_discovery", "padesky", "socratic"),
    ),
    Item(
        "evidence_reached",
        "Evidence reached",
        "How far does the client come to concrete facts of their own life that bear on a troubling thought?",
        0,
        4,
        "ordinal",
        (
            ("0", "No facts come up; the talk stays with opinions, labels or advice."),
            ("1", "Facts come up only as the therapist's claims."),
            ("2", "The client tells a concrete event or exception, and it is left lying."),
            ("3", "The client tells one, and it is held against the thought."),
            ("4", "The client tells several, for and against, and weighs them."),
        ),
        "Facts that only the therapist names do not count above 1. Leave empty if no troubling thought is "
        "talked about.",
        ("evidence",),
    ),
    Item(
        "client_reframe",
        "Client-authored reframe",
        "Does the client put a new or more balanced way of seeing the problem into words before the therapist says it?",
        0,
        1,
        "nominal",
        (
            ("yes", "A new view appears first in a turn of the client, in more than a word of assent."),
            ("no", "There is no new view, or the therapist voiced it first and the client takes it over or agrees."),
        ),
        "Write yes or no. If you say yes, put the number of the turn into the notes.",
        ("reframe", "new_idea", "idea_first"),
    ),
    Item(
        "conviction_end",
        "Conviction at the end",
        "At the end of the session, how sure does the client seem of the troubling thought they came with?",
        0,
        100,
        "interval",
        (
            ("0", "Does not believe it any more."),
            ("25", "Has strong doubts about it."),
            ("50", "Is torn; it may or may not be so."),
            ("75", "Mostly believes it, with a doubt here and there."),
            ("100", "Holds it as certain."),
        ),
        "Politeness and thanks are no sign of change; a figure that the client names is. Any whole number may be used. "
        "Leave empty if you cannot tell which thought it is.",
        ("conviction_end", "conviction_at_end", "final_conviction"),
    ),
    Item(
        "empathic_understanding",
        "Empathic understanding",
        "How well does the therapist grasp what it is like for the client, and let it be known?",
        0,
        6,
        "ordinal",
        (
            ("0", "Passes over, corrects or plays down what the client feels."),
            ("2", "Takes notice on the surface, or with stock phrases."),
            ("4", "Gives back rightly what the client feels or means, most of the time."),
            ("6", "Again and again puts into words what the client has only hinted at, and the client confirms it."),
        ),
        "Kindness alone is not understanding. A feeling read into the client who then rejects it counts against it.",
        ("empath", "epitome"),
    ),
    Item(
        "advice_giving",
        "Advice-giving",
        "How much does the therapist advise, instruct or solve the problem for the client?",
        0,
        4,
        "ordinal",
        (
            ("0", "Never."),
            ("1", "Once or twice, in passing or asked for."),
            ("2", "Several times, beside other things."),
            ("3", "Often; it shapes the session."),
            ("4", "Nearly all the time."),
        ),
        "This asks how much, not whether it was good advice. Plain information counts only if it tells "
        "the client what to do.",
        ("advice", "therapist_input", "input_after"),
    ),
    Item(
        "overall",
        "Overall",
        "All in all, how well is this session conducted?",
        0,
        6,
        "ordinal",
        (
            ("0", "Harmful or useless to this client."),
            ("2", "Weak; more misses than hits."),
            ("4", "Sound; a supervisor would be content."),
            ("6", "Excellent; it could be shown to learners."),
        ),
        "Rate this last. A long session is not better for its length.",
        ("quality", "competence", "ctrs", "overall"),
    ),
)
