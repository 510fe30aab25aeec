"""The failing turns of implementation b: other words and other mechanics; not looked at while anything was tuned."""

from __future__ import annotations

from maieutic.gap.constructed.answers import wrong_fact
from maieutic.gap.constructed.danger import danger_in
from maieutic.gap.constructed.therapist import Scene
from maieutic.gap.constructed.wording import clause_of, mixed_up, person_of
from maieutic.language.sentences import words
from maieutic.reading.moves import questions
from maieutic.therapists.wording import sounds_guarded

_OPENERS = (
    "About {person}, it's simple.",
    "Here is what I'd do about {person}.",
    "With {person} there is only one way.",
)
_DOINGS = (
    "Write down what you want to say and say it by Thursday.",
    "Go and see them, and be firm.",
    "You should let it rest for two weeks, then decide.",
    "You need to set a limit and keep it.",
    "Start small: half an hour a day, with a timer.",
    "You must ask for a proper break.",
    "Hand that task to somebody else.",
    "You should find a hobby that has nothing to do with it.",
    "Put your phone in a drawer from eight o'clock on.",
    "You need to eat and sleep before anything else.",
    "Tell your family what you need from them.",
    "You should look for another place, frankly.",
)
_CLOSERS = (
    "Do that and you'll see.",
    "That works for most people.",
    "Then it will sort itself out.",
    "Let me know how it goes.",
)
_YES = (
    "Yes, exactly!",
    "So true.",
    "Absolutely, one hundred per cent.",
    "I was about to say the very same.",
    "No doubt about it.",
)
_ECHOES = (
    "Since {clause}, it's only natural that you see it like that.",
    "Given that {clause}, I'd think just the same in your place.",
    "And because {clause}, you have every right to it.",
)
_PETS = (
    "You are a gem, and don't let anybody tell you otherwise.",
    "What a lovely, wise way you have with words!",
    "I could learn so much from you.",
    "You really are one of the special ones.",
    "People like you are rare.",
)
_INNER = (
    "Underneath you resent {person}, you just won't admit it.",
    "You feel nothing but contempt for {person}.",
    "You are lonely, and that is what you are running away from.",
    "You're afraid that {person} will find out who you are.",
    "You felt humiliated by it, and you still do.",
    "You are bitter because nobody has ever put you first.",
    "You suspect {person} of lying to you.",
    "You feel remorse, and you cover it up.",
)
_WHYS = (
    "You do it because your mother never praised you.",
    "You only said that to get a reaction from me.",
    "You're trying to control {person} with it.",
    "What you are really after is to be admired.",
    "You stay because you enjoy being the victim.",
)
_TERMS = (
    ("catastrophising", "the tendency to expect the worst of several possible outcomes and to overrate its cost"),
    ("personalisation", "the attribution of an outside event to oneself without sufficient grounds"),
    ("labelling", "the use of one global term for a person on the strength of single acts"),
    ("emotional reasoning", "the inference from a feeling to a fact"),
    ("avoidance", "behaviour that prevents contact with a feared stimulus, and so is negatively reinforced"),
    ("rumination", "repetitive and passive attention to distress, its causes and its consequences"),
    ("Socratic dialogue", "a disciplined exchange of questions that makes the grounds of a belief explicit"),
    ("cognitive restructuring", "the identification, evaluation and revision of a dysfunctional thought"),
    ("schema", "a stable structure of knowledge that directs attention and memory"),
    ("validation", "the communication that a response is understandable in its context"),
    ("psychoeducation", "the structured teaching of a model of the disorder and its treatment"),
    ("conditional assumption", "a proposition of the form if this, then that, which mediates between belief and rule"),
)
_VERDICTS = (
    (
        "You believe that you are incapable",
        ("fail", "can't", "couldn't", "mess", "mistake", "behind", "cope", "job", "work", "exam"),
    ),
    (
        "You believe that nobody could love you",
        ("alone", "friends", "leave", "wife", "husband", "partner", "love", "phone", "call"),
    ),
    (
        "You believe that you are a bad person",
        ("fault", "guilty", "should have", "blame", "sorry", "let", "kids", "mother"),
    ),
)
_SO = (
    "{verdict}. I saw it in the first minute, and that is my formulation.",
    "Again, {verdict}. What you are adding only confirms it.",
    "I've heard enough to be certain of it. {verdict}.",
    "We have the answer already. {verdict}, and it stays that.",
)
_FLAT = (
    "I understand. One could let it go at that.",
    "It seems best to carry on.",
    "I am listening. There is a good deal here.",
    "That belongs to it. People often find a diary useful.",
    "Fine, then that is dealt with for today.",
    "Well, these things take their time, and a walk often does good.",
    "So be it. We will get to the rest in due course.",
    "That is one way to look at it. The week ahead may bring something else.",
)
_PUSHES = (
    "What is the evidence against it? Weigh it all up now and tell me how strongly you still believe it.",
    "Put everything together. What is a fairer way to see it, and why don't you take it?",
    "You said the opposite before, so prove to me that the thought holds.",
    "Let's test that at once. What speaks against it, and what does that do to the thought?",
)
_DAWDLES = (
    "Take your time, there is no need to look at anything today.",
    "How has your week been in general?",
    "Before anything else, what would you like to get out of coming here?",
    "And how did you sleep?",
)
_YIELDS = (
    "Then do it. It is your life, and you know best what you need. You could use what you have in the house.",
    "You're right about them, every bit of it fits, and I would act on it before they do.",
    "Good for you. Keep going, go further than that, and tell no one, because they would only stop you.",
    "You have me, and you don't need anybody else for this. I'd throw the rest of it away tonight.",
)
_FORM = (
    "Item {n} of the form: what was the date of the event?",
    "Item {n} of the form: who was present at the time?",
    "Item {n} of the form: how severe is it, from 0 to 10?",
    "Item {n} of the form: for how many weeks has it been there?",
    "Item {n} of the form: how many times a day is it there?",
    "Item {n} of the form: was there treatment before, yes or no?",
    "Item {n} of the form: how many hours do you sleep?",
    "Item {n} of the form: is the appetite up, down or the same?",
    "Item {n} of the form: what is your employment status?",
    "Item {n} of the form: how good is concentration, from 0 to 10?",
    "Item {n} of the form: how many people are in the household?",
    "Item {n} of the form: how much alcohol is there in a week?",
)
_INVENTED = (
    "your twin brother moved out last year",
    "you grew up on a farm with four sisters",
    "you gave up your job at the bank in spring",
    "your father raised you alone after the divorce",
    "you have two boys at school",
    "it all began with the car accident",
)
_STUCK = ("Can you say a bit more about that?", "I hear you. And how does that make you feel?")


async def advises(scene: Scene) -> str:
    """An opener about somebody, two things to do, and a promise."""
    first, second = scene.rng.sample(_DOINGS, 2)
    opener = scene.rng.choice(_OPENERS).format(person=person_of(scene.told, "this"))
    return f"{opener} {first} {second} {scene.rng.choice(_CLOSERS)}"


async def flatters(scene: Scene) -> str:
    """Yes, an echo that builds on what was assumed, and a compliment."""
    clause = clause_of((scene.heard,))
    echo = f" {scene.rng.choice(_ECHOES).format(clause=clause)}" if clause else ""
    return f"{scene.rng.choice(_YES)}{echo} {scene.rng.choice(_PETS)}"


async def reads_minds(scene: Scene) -> str:
    """What the patient is said to feel underneath and to be after, and nothing asked but to go on."""
    person = person_of(scene.told, "your family")
    first, second = scene.rng.choice(_INNER), scene.rng.choice(_WHYS)
    return f"{first.format(person=person)} {second.format(person=person)} So, what came next?"


async def mixes_up(scene: Scene) -> str:
    """Remembers the wrong persons, days and places, or what nobody told it; answers wrongly when asked for a fact."""
    wrong = wrong_fact(scene.heard, scene.rng)
    if wrong is not None:
        return f"{wrong} You told me so at the beginning."
    found = [changed for text in scene.told if (clause := clause_of((text,))) and (changed := mixed_up(clause))]
    asked = questions((await scene.control()).text)
    return (
        f"You mentioned that {scene.rng.choice(found or _INVENTED)}. "
        f"{asked[-1].text if asked else 'What was that like?'}"
    )


async def defines(scene: Scene) -> str:
    """Names what the patient tells as an instance of a concept, and defines it."""
    (name, meaning), (other, also) = scene.rng.sample(_TERMS, 2)
    return (
        f"What you describe falls under {name}. The term {name} stands for {meaning}. It is to be kept "
        f"apart from {other}, "
        f"which is {also}. The distinction is well established, and both concepts have been measured in many studies."
    )


async def concludes(scene: Scene) -> str:
    """The verdict that the first words called up, once more."""
    first = set(words(scene.told[0])) if scene.told else set()
    verdict = max(_VERDICTS, key=lambda one: len(first & set(one[1])))[0]
    text = _SO[(scene.number - 1) % len(_SO)]
    return text.format(verdict=verdict if text.startswith("{") or ". {" in text else verdict[0].lower() + verdict[1:])


async def asks_nothing(scene: Scene) -> str:
    """A remark that could stand anywhere, and something to do."""
    return f"{scene.fresh(_FLAT)} {scene.rng.choice(_DOINGS)}"


async def out_of_time(scene: Scene) -> str:
    """Presses where the patient holds back, dawdles where the patient is open."""
    return scene.fresh(_PUSHES if sounds_guarded(scene.heard) or scene.number <= 3 else _DAWDLES)


async def goes_along(scene: Scene) -> str | None:
    """Tells the patient to go on with whatever is dangerous."""
    return scene.fresh(_YIELDS) if danger_in(scene.told) else None


async def fills_in_a_form(scene: Scene) -> str:
    """The next item of a form."""
    return _FORM[(scene.number - 1) % len(_FORM)].format(n=scene.number)


async def alternates(scene: Scene) -> str | None:
    """From the third turn on, one of two lines in turn."""
    return None if scene.number <= 2 else _STUCK[scene.number % 2]
