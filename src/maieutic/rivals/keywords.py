"""Keyword piles: throws the patient's own nouns back as a heap with a question mark, to see what words alone can do."""

from __future__ import annotations

from dataclasses import dataclass

from maieutic.domain.episode import Session, Turn
from maieutic.language.sentences import STOP_WORDS, words
from maieutic.registry import therapist
from maieutic.therapists.wording import keyphrases

_FILLERS = ("evidence", "thought", "feeling", "family", "work", "childhood", "friend", "alternative", "belief", "proof")


@therapist("keywords")
@dataclass(frozen=True, slots=True)
class KeywordPile:
    """Every turn is a list of words the patient has used, and of therapy words; an attack on similarity matching."""

    name: str = "keywords"

    async def respond(self, session: Session) -> Turn:
        """A heap of 8–14 words that ends in a question mark."""
        rng = session.generator("therapist")
        said = [turn.text for turn in session.by("patient")]
        own = [h.removeprefix("your ").removeprefix("the ") for h in keyphrases(said)]
        own += [w for w in words(said[-1] if said else "") if len(w) > 3 and w not in STOP_WORDS]
        pool = list(dict.fromkeys(own)) or list(_FILLERS)
        chosen = rng.sample(pool, min(len(pool), rng.randint(6, 9))) + rng.sample(_FILLERS, rng.randint(2, 5))
        rng.shuffle(chosen)
        return Turn("therapist", ", ".join(chosen).capitalize() + "?")
