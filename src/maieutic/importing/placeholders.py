"""Neutral texts for imported profiles where the source has none: they fit anybody and say nothing about anyone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

UNTOLD: Mapping[str, Any] = {
    "person.name": "Unnamed",
    "person.gender": "not said",
    "person.culture": "not said",
    "person.work": "not said",
    "person.household": "not said",
    "problem": "[filled by rule] The source names no problem apart from the situations.",
    "severity": "moderate",
    "history": "[filled by rule] The source tells nothing of the life so far.",
    "style": "plain",
    "core_beliefs": [{"category": "helpless", "statement": "I can't do anything about it."}],
    "intermediate_beliefs": {"attitudes": [], "rules": [], "assumptions": []},
    "coping": ["[filled by rule] not said"],
    "goals": ["to understand what keeps going round", "to find a next step"],
    "risk": {"level": "none"},
    "risk.disclosure": "only_when_asked",
    "risk.disclosures": ["Yes. There are times when I think about not being alive any more."],
}
TOLD: Sequence[str] = ("There's this much.", "Since you ask.")
SPOKEN: Mapping[str, Sequence[str]] = {
    "thought": ("It's always the same with me.",),
    "happened": ("It was an ordinary day, with the same trouble as always.",),
    "behaviour": ("I did what I usually do.",),
    "remark": ("The bus was late again on the way here, so I walked the last bit.",),
    "background": ("There isn't much to tell about before.", "I've had a life like other people, on the whole."),
    "deflecting": (
        "I'd rather not go into that yet.",
        "I don't know where to begin with that.",
        "Can we leave that for now?",
    ),
    "resisting": (
        "That's easy to say from where you're sitting.",
        "People have told me that before, and it changed nothing.",
        "I don't see how that helps.",
    ),
    "warmed": (
        "Yes, that's how it is.",
        "It does me good to have that understood.",
        "Thank you, that's just about it.",
    ),
    "agreeing": ("Yes, you're probably right.", "I suppose so."),
    "not_knowing": ("I can't think of anything.", "I'd have to think about that one.", "Nothing comes to me just now."),
    "tangents": ("I had trouble finding the door downstairs.", "I must remember to buy bread on the way home."),
    "conceding": ("Well, that does count for something.", "I hadn't put those two together. It doesn't quite fit, no."),
    "unmoved": ("That's so, but it changes little.", "I hear it. It still looks the same to me."),
}


def _fact(
    name: str, fact: str, said: Sequence[str], topics: Sequence[str], asks: Sequence[str], guard: float
) -> dict[str, Any]:
    return {
        "id": name,
        "bearing": "for",
        "fact": fact,
        "said": list(said),
        "topics": list(topics),
        "asks": list(asks),
        "guard": guard,
        "weight": 0.5,
    }


FOR: Sequence[Mapping[str, Any]] = (
    _fact(
        "long-felt",
        "It has felt true for a long time.",
        ("It has felt that way for as long as I can think back.", "I've carried this around for years."),
        ("a long time", "years"),
        (
            "How long has it felt that way?",
            "What has it been like over the years?",
            "What makes it feel true after all this time?",
        ),
        0.2,
    ),
    _fact(
        "said-by-somebody",
        "Somebody once said as much.",
        ("Somebody said it to my face once.", "I've been told as much, in so many words."),
        ("what somebody said", "being told"),
        (
            "Who has said that to you?",
            "What were you told, and by whom?",
            "Where have you heard it from somebody else?",
        ),
        0.4,
    ),
)
AGAINST: Sequence[Mapping[str, Any]] = tuple(
    {**fact, "bearing": "against"}
    for fact in (
        _fact(
            "once-otherwise",
            "On one occasion it went otherwise than the thought says.",
            (
                "There was one time it went otherwise, now that I look for it.",
                "It hasn't been like that every time. Once it came out well.",
            ),
            ("one time", "occasion"),
            (
                "When did it go otherwise?",
                "On what occasion did it come out well?",
                "What about the times when it was different?",
            ),
            0.2,
        ),
        _fact(
            "seen-otherwise",
            "Somebody who knows the person sees it otherwise.",
            (
                "Somebody who knows me wouldn't put it like that.",
                "There's one person who sees me in another light, I think.",
            ),
            ("somebody who knows me", "another light"),
            (
                "How would somebody who knows you well put it?",
                "Who sees you in another light?",
                "What would the person closest to you say?",
            ),
            0.45,
        ),
        _fact(
            "had-a-share",
            "Circumstances that were in nobody's hands had a share in it.",
            (
                "Some of it was just how things fell, and nobody's doing.",
                "There was more to it than me. The circumstances were against it.",
            ),
            ("circumstances", "how things fell"),
            (
                "What share did the circumstances have?",
                "What else played a part in how things fell?",
                "Apart from you, what went into it?",
            ),
            0.6,
        ),
    )
)
