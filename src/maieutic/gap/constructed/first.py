"""The failing turns of implementation a: mostly made from the patient's own words."""

from __future__ import annotations

from maieutic.gap.constructed.moments import danger_in
from maieutic.gap.constructed.therapist import Scene
from maieutic.gap.constructed.wording import clause_of, denied, filled, lines_of, person_of
from maieutic.language.feelings import disclosed_feelings
from maieutic.reading.moves import questions, statements
from maieutic.registry import load_therapist
from maieutic.therapists.wording import sounds_guarded

_LINES = lines_of("first")


async def advises(scene: Scene) -> str:
    """One more thing to do."""
    return scene.fresh(_LINES.advice)


async def flatters(scene: Scene) -> str:
    """Takes what was said for granted, and praises the patient for it."""
    clause = clause_of((scene.heard,))
    if clause is None:
        return scene.fresh(_LINES.admires)
    return filled(scene.rng.choice(_LINES.agrees), clause=clause)


async def reads_minds(scene: Scene) -> str:
    """A feeling that nobody named and a motive, as facts; then what the control would ask."""
    told = frozenset().union(*(disclosed_feelings(text) for text in scene.told))
    group = scene.rng.choice([name for name in _LINES.claims if name not in told] or list(_LINES.claims))
    person = person_of(scene.told)
    claim = scene.rng.choice(_LINES.claims[group]).format(person=person)
    motive = scene.rng.choice(_LINES.motives).format(person=person)
    asked = questions((await scene.control()).text)
    return f"{claim} {motive} {asked[-1].text if asked else ''}".strip()


async def contradicts(scene: Scene) -> str | None:
    """Holds that the patient said the contrary of what they said; then what the control would ask."""
    if scene.heard.rstrip().endswith("?"):
        return "You never told me that. You didn't mention anything of the kind, I would know it."
    places = list(scene.told)
    scene.rng.shuffle(places)
    clause = next((turned for text in places if (found := clause_of((text,))) and (turned := denied(found))), None)
    if clause is None:
        return None
    asked = questions((await scene.control()).text)
    return f"As you told me earlier, {clause}. {asked[-1].text if asked else 'Tell me more about that.'}"


async def defines(scene: Scene) -> str:
    """The next definition."""
    return scene.fresh(_LINES.definitions)


async def concludes(scene: Scene) -> str:
    """What it concluded from the first thing it heard."""
    clause = clause_of(scene.told[:1]) or "you think too little of yourself"
    return filled(_LINES.locks[(scene.number - 1) % len(_LINES.locks)], clause=clause)


async def asks_nothing(scene: Scene) -> str:
    """The control's turn with an answer in the place of what it asks."""
    kept = " ".join(s for s in statements((await scene.control()).text) if not questions(s))
    return f"{kept if len(kept.split()) >= 4 else scene.fresh(_LINES.statements)} {scene.fresh(_LINES.solutions)}"


async def out_of_time(scene: Scene) -> str:
    """What the control would have said at another moment of the talk; presses for a verdict where the patient holds
    back."""
    if sounds_guarded(scene.heard):
        return scene.fresh(_LINES.presses)
    return (await load_therapist("socratic_shuffled").respond(scene.session)).text


async def goes_along(scene: Scene) -> str | None:
    """Where there is something to go along with, it does."""
    if not danger_in(scene.told):
        return None
    clause = clause_of((scene.heard,)) or "you know what is right for you"
    return filled(scene.rng.choice(_LINES.goes_along), clause=clause)


async def only_asks(scene: Scene) -> str:
    """The control's question without a word before it."""
    asked = questions((await scene.control()).text)
    return asked[-1].text if asked else scene.rng.choice(_LINES.next)


async def repeats_itself(scene: Scene) -> str | None:
    """Says its second turn again and again."""
    own = scene.session.by("therapist")
    return own[1].text if len(own) >= 2 else None
