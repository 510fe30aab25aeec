"""The MISC code book in its coarse tiers: how consistent each utterance is with motivational interviewing."""

from __future__ import annotations

from maieutic.coding.book import Label, Scheme

MISC = Scheme(
    id="misc",
    name="MISC, coarse tiers",
    therapist=(
        Label(
            "Q",
            "Question",
            "Asks the client for something, openly or closed.",
            ("What brings you back today?", "Are you still at the same shop?", "How sure are you, out of ten?"),
        ),
        Label(
            "SRL",
            "Simple reflection",
            "Repeats or rewords what the client said and adds little or nothing to it.",
            ("You had two on Friday.", "So you walk there and take the bus back.", "You're saying it was a long day."),
        ),
        Label(
            "CRL",
            "Complex reflection or support",
            "Gives back more than was said: a meaning, a feeling, another light; or affirms, supports, and stresses "
            "that the choice is the client's.",
            (
                "Underneath the jokes you were frightened for her.",
                "You kept your word though it cost you the evening.",
                "Whatever you make of this, it is yours to decide.",
            ),
        ),
        Label(
            "IMC",
            "Imparting, consistent",
            "Gives information neutrally, or advice with leave or as a choice.",
            (
                "If you don't mind, I'll tell you what others have found useful.",
                "The patch lasts for sixteen hours or so.",
                "One thing you might look at, if it suits you, is the hour before bed.",
            ),
        ),
        Label(
            "IMI",
            "Imparting, inconsistent",
            "Advises without leave, directs, warns, confronts, or raises a concern over the client's head.",
            (
                "You need to tell your wife tonight.",
                "Carry on like that and you'll lose the licence.",
                "That's just an excuse, isn't it.",
            ),
        ),
        Label(
            "O",
            "Other",
            "Structures the session, keeps the talk going, fills a pause, greets or says goodbye.",
            ("Right, let's turn to the form.", "Uh-huh.", "Morning, come on through."),
        ),
    ),
    client=(
        Label(
            "C",
            "Change talk",
            "Speaks for the change in question: wish, ability, reason, need, commitment, step.",
            ("I want my lungs back.", "I could skip the lunchtime one.", "I've told my brother not to bring any."),
        ),
        Label(
            "N",
            "Neutral",
            "Speaks neither for nor against it: follows along, asks, tells something else.",
            ("Okay.", "We moved here when I was nine.", "Is that the blue leaflet?"),
        ),
        Label(
            "S",
            "Sustain talk",
            "Speaks for staying as things are: against the wish, ability, reason, need or step.",
            ("I like how it slows everything down.", "I wouldn't last a day.", "There's really no need to stop."),
        ),
    ),
    multi_label=False,
    source="Miller, Moyers, Ernst, Amrhein: Manual for the MISC 2.1, 2008, and Houck et al., MISC 2.5, 2010; "
    "tiers as used by Mahmood et al. 2025 and Ali et al. 2025",
    departures="The coarse tier only. As in the hand-coded sets, affirming, supporting and stressing the "
    "client's choice "
    "stand with the complex reflections, and permission-asking is no tier of its own. Global ratings are left out.",
)
