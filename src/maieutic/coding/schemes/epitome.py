"""The EPITOME code book: three mechanisms of empathy in a reply, each with a level from 0 to 2."""

from __future__ import annotations

from maieutic.coding.book import Facet, Label, Scheme

_ER = (
    Label(
        "0",
        "None",
        "No warmth, compassion or concern is put into words.",
        ("The office opens at nine.", "Which exam was it?"),
    ),
    Label(
        "1",
        "Weak",
        "Warmth that stays general or only hinted at.",
        ("I hope it gets easier.", "Sending good thoughts your way."),
    ),
    Label(
        "2",
        "Strong",
        "Names what the helper feels with or for the seeker.",
        ("I felt a lump in my throat reading this, I am so sorry.", "It saddens me that you sat there by yourself."),
    ),
)
_IP = (
    Label("0", "None", "Shows no understanding of what the seeker lives through.", ("Drink water.", "Where is that?")),
    Label(
        "1",
        "Weak",
        "Says that it understands, without saying what.",
        ("I get what you mean.", "I've been somewhere like that."),
    ),
    Label(
        "2",
        "Strong",
        "Puts the understanding into words: an inferred feeling or experience, or a like one of the helper's own.",
        (
            "It must wear you out to smile at that desk all day.",
            "After my divorce I too stopped answering the phone, because every call asked how I was.",
        ),
    ),
)
_EX = (
    Label("0", "None", "Does not ask about what the seeker lives through.", ("Take care.", "That was me last year.")),
    Label(
        "1",
        "Weak",
        "Asks, but in a way that could stand under any post.",
        ("What happened?", "Want to talk about it?"),
    ),
    Label(
        "2",
        "Strong",
        "Asks about a particular experience or feeling of this seeker.",
        ("Is it the quiet after she leaves that frightens you?", "Were you already low before the move?"),
    ),
)
_MECHANISMS = (
    ("er", "Emotional reactions", "How much warmth, compassion or concern does the reply express?", _ER),
    ("ip", "Interpretations", "How much understanding of the seeker's feelings and experiences does it convey?", _IP),
    ("ex", "Explorations", "How far does it ask into what the seeker has not said?", _EX),
)

EPITOME = Scheme(
    id="epitome",
    name="EPITOME",
    therapist=tuple(
        Label(f"{mechanism}={level.id}", f"{name}: {level.name.lower()}", level.definition, level.examples)
        for mechanism, name, _, levels in _MECHANISMS
        for level in levels
    ),
    client=(),
    multi_label=True,
    source="Sharma, Miner, Atkins, Althoff: A Computational Approach to Understanding Empathy Expressed in Text-Based "
    "Mental Health Support, EMNLP 2020",
    departures="One reply carries exactly three labels, one for each mechanism, so that `predicted` reads "
    "'er=1|ip=0|ex=2' and repeats the three facets. For a table of one mechanism, told by emotional-reactions, "
    "interpretations or explorations in its file name, `predicted` is that mechanism's level alone "
    "(0, 1 or 2), as in the "
    "column `level` of the published tables. Rationales are not marked. The replying person counts as the therapist.",
    facets=tuple(Facet(id, name, asked, "therapist", levels) for id, name, asked, levels in _MECHANISMS),
    pairs=True,
    local_weights=True,
)
