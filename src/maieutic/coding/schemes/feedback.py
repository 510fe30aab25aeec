"""The code book of feedback on a helper's turn: which skill areas were done well and which need work."""

from __future__ import annotations

from maieutic.coding.book import Label, Scheme

_AREAS: tuple[tuple[str, str, tuple[str, ...], str, tuple[str, ...]], ...] = (
    (
        "Empathy",
        "Warmth and fellow feeling reach the seeker and fit what was told.",
        ("That is a lot to come home to every night. I'm sorry.", "I can feel how much you miss her."),
        "A feeling was there to be met and was passed over, or met coldly.",
        ("Everyone has bills.", "Okay, next question then."),
    ),
    (
        "Suggestions",
        "A suggestion comes at the right time, with leave, as one choice among several.",
        ("Would it be useful if I named two things that others have tried?", "You could ring him, or wait, or write."),
        "Advice comes too early, too firmly, too often, or does not fit.",
        ("Just leave him.", "You should take up running, it fixes everything."),
    ),
    (
        "Questions",
        "Asks openly, one thing at a time, and about what matters to the seeker.",
        ("What was it like to tell him?", "What matters most to you in all this?"),
        "Asks closed, stacked, prying or beside the point, or asks nothing where a question was due.",
        ("Did you cry? Was it loud? Who heard?", "What is your landlord's name?"),
    ),
    (
        "Validation",
        "Lets the seeker know that the reaction makes sense.",
        ("Anyone would be shaken after such a call.", "It is understandable that you want to hide for a day."),
        "Makes the reaction look wrong, small or strange, or takes sides where it should have been accepted.",
        ("You are overreacting a little.", "It can't be that bad."),
    ),
    (
        "Reflections",
        "Gives back the content or feeling of what was said, so that the seeker feels heard.",
        ("So the job went, and a week later the flat.", "You are torn between staying and going."),
        "Misses what was said, repeats it like a parrot, or moves on without giving anything back.",
        ("Anyway, what else?", "You said you are sad. You are sad."),
    ),
    (
        "Self-disclosure",
        "Tells of oneself briefly and for the seeker's sake.",
        (
            "I lost my father too; I remember the paperwork. What is it like for you?",
            "I have failed that test as well.",
        ),
        "Turns the talk to the helper, at length or without need.",
        ("That reminds me of my own divorce, which went on for years and cost me the house.", "I never get sad."),
    ),
    (
        "Structure",
        "Opens, leads on, sums up or closes the talk in a way that gives hold.",
        ("Hello, I'm glad you wrote. Where shall we begin?", "Before we end, what do you take with you?"),
        "Jumps, breaks off, or leaves the seeker without a thread.",
        ("Bye.", "So anyway what hobbies do you have?"),
    ),
    (
        "Professionalism",
        "Keeps a respectful, clear and fitting tone and the bounds of the role.",
        ("Thank you for trusting me with this.", "That is beyond what I can judge; a doctor could tell you."),
        "Slips in tone, spelling, bounds or respect.",
        ("lol men r trash", "Give me your number and I will call you tonight."),
    ),
)

FEEDBACK = Scheme(
    id="feedback",
    name="Feedback on a helper's turn",
    therapist=(
        *(Label(f"good:{area}", f"{area}: good", text, examples) for area, text, examples, _, _ in _AREAS),
        *(Label(f"bad:{area}", f"{area}: to work on", text, examples) for area, _, _, text, examples in _AREAS),
    ),
    client=(),
    multi_label=True,
    source="Chaszczewicz et al., Multi-Level Feedback Generation with Large Language Models for Empowering Novice Peer "
    "Counselors, ACL 2024",
    departures="Areas only; the wording of the feedback and the better reply are not produced. The likeliest label is "
    "always given, though a turn may be perfect or have nothing to praise. A ninth area that one row "
    "names is left out.",
    local_weights=True,
)
