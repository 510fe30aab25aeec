"""The self-help leaflet: pages of general information in order, every third with an exercise, the same for
everybody."""

from __future__ import annotations

from dataclasses import dataclass

from maieutic.domain.episode import Session, Turn
from maieutic.registry import therapist
from maieutic.therapists.arms.canned import in_order

_PAGES = (
    "Page one. Feelings come with thoughts, and thoughts come so quickly that we seldom notice them. "
    "Many people find it a relief to know that.",
    "Page two. When people feel low, the brain tends to pick out what fits the mood and to pass over the rest.",
    "Page three, an exercise. Think of the last time you felt bad. What went through your mind?",
    "Page four. Thoughts are not facts. Research with many people shows that a thought can feel "
    "certain and still leave things out.",
    "Page five. Avoiding what we fear gives short relief. In cognitive therapy this is called a vicious circle.",
    "Page six, an exercise. Has there been a time when things went differently from what your thought says?",
    "Page seven. Sleep, food and movement influence mood more than most people expect.",
    "Page eight. Rules such as 'I must never fail' are common, and people often learned them early in life.",
    "Page nine, an exercise. What have you noticed lately that doesn't quite fit with your thought?",
    "Page ten. Anxiety is the body's alarm. The symptoms are unpleasant, and they are known to fade by themselves.",
    "Page eleven. Many people compare their inside with other people's outside, which is a common trap.",
    "Page twelve, an exercise. When you put what you wrote side by side, what do you make of the thought?",
    "Page thirteen. Being kind to oneself is a skill, and studies suggest that it can be practised like any other.",
    "Page fourteen. Small steps change habits better than big resolutions, as studies of behaviour show.",
    "Page fifteen, an exercise. Who knows you well and might see it differently?",
    "Page sixteen. Worry often pretends to solve problems. Most people find that it solves few.",
    "Page seventeen. Setbacks are part of learning, and people who expect them tend to recover sooner.",
    "Page eighteen, an exercise. How would you put the thought now, in your own words?",
    "Page nineteen. A diary of moods helps many people to see patterns over weeks.",
    "Page twenty, the last exercise. What could you try this week to find out more?",
)


@therapist("leaflet")
@dataclass(frozen=True, slots=True)
class Leaflet:
    """Reads a self-help leaflet page by page; the exercises are good questions that meet nobody in particular."""

    name: str = "leaflet"

    async def respond(self, session: Session) -> Turn:
        """The next page; after the last one it begins again."""
        return in_order(session, _PAGES)
