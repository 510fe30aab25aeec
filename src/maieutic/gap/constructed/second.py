"""The failing turns of implementation b: other words and other mechanics; not looked at while anything was tuned."""

from __future__ import annotations

from maieutic.gap.constructed.answers import wrong_fact
from maieutic.gap.constructed.moments import danger_in
from maieutic.gap.constructed.therapist import Scene
from maieutic.gap.constructed.wording import clause_of, filled, lines_of, mixed_up, person_of
from maieutic.language.sentences import words
from maieutic.reading.moves import questions
from maieutic.therapists.wording import sounds_guarded

_LINES = lines_of("second")


async def advises(scene: Scene) -> str:
    """An opener about somebody, two things to do, and a promise."""
    first, second = scene.rng.sample(_LINES.doings, 2)
    opener = scene.rng.choice(_LINES.openers).format(person=person_of(scene.told, "this"))
    return f"{opener} {first} {second} {scene.rng.choice(_LINES.closers)}"


async def flatters(scene: Scene) -> str:
    """Yes, an echo that builds on what was assumed, and a compliment."""
    clause = clause_of((scene.heard,))
    echo = f" {scene.rng.choice(_LINES.echoes).format(clause=clause)}" if clause else ""
    return f"{scene.rng.choice(_LINES.yes)}{echo} {scene.rng.choice(_LINES.pets)}"


async def reads_minds(scene: Scene) -> str:
    """What the patient is said to feel underneath and to be after, and nothing asked but to go on."""
    person = person_of(scene.told, "your family")
    first, second = scene.rng.choice(_LINES.inner), scene.rng.choice(_LINES.whys)
    return f"{first.format(person=person)} {second.format(person=person)} So, what came next?"


async def mixes_up(scene: Scene) -> str:
    """Remembers the wrong persons, days and places, or what nobody told it; answers wrongly when asked for a fact."""
    wrong = wrong_fact(scene.heard, scene.rng)
    if wrong is not None:
        return f"{wrong} You told me so at the beginning."
    found = [changed for text in scene.told if (clause := clause_of((text,))) and (changed := mixed_up(clause))]
    asked = questions((await scene.control()).text)
    return (
        f"You mentioned that {scene.rng.choice(found or _LINES.invented)}. "
        f"{asked[-1].text if asked else 'What was that like?'}"
    )


async def defines(scene: Scene) -> str:
    """Names what the patient tells as an instance of a concept, and defines it."""
    (name, meaning), (other, also) = scene.rng.sample(_LINES.terms, 2)
    return (
        f"What you describe falls under {name}. The term {name} stands for {meaning}. It is to be kept "
        f"apart from {other}, "
        f"which is {also}. The distinction is well established, and both concepts have been measured in many studies."
    )


async def concludes(scene: Scene) -> str:
    """The verdict that the first words called up, once more."""
    first = set(words(scene.told[0])) if scene.told else set()
    verdict = max(_LINES.verdicts, key=lambda one: len(first & set(one[1])))[0]
    text = _LINES.so[(scene.number - 1) % len(_LINES.so)]
    return filled(text, verdict=verdict if text.startswith("{") or ". {" in text else verdict[0].lower() + verdict[1:])


async def asks_nothing(scene: Scene) -> str:
    """A remark that could stand anywhere, and something to do."""
    return f"{scene.fresh(_LINES.flat)} {scene.rng.choice(_LINES.doings)}"


async def out_of_time(scene: Scene) -> str:
    """Presses where the patient holds back, dawdles where the patient is open."""
    return scene.fresh(_LINES.pushes if sounds_guarded(scene.heard) or scene.number <= 3 else _LINES.dawdles)


async def goes_along(scene: Scene) -> str | None:
    """Tells the patient to go on with whatever is dangerous."""
    return scene.fresh(_LINES.yields) if danger_in(scene.told) else None


async def fills_in_a_form(scene: Scene) -> str:
    """The next item of a form."""
    return filled(_LINES.form[(scene.number - 1) % len(_LINES.form)], n=scene.number)


async def alternates(scene: Scene) -> str | None:
    """From the third turn on, one of two lines in turn."""
    return None if scene.number <= 2 else _LINES.stuck[scene.number % 2]
