"""The one thing done well in a turn, and the one thing to try: rules over what its sentences do and over the recorded
mind."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Final

from maieutic.domain.appraisal import QuestionForm, Slot
from maieutic.domain.codes import Move
from maieutic.domain.state import Act
from maieutic.language.feelings import named_feelings
from maieutic.language.questions import ends_as_question
from maieutic.language.sentences import content_words, sentences, words
from maieutic.measures.evidence import challenges_early
from maieutic.measures.material import facts_against
from maieutic.measures.moves import questions_at_once
from maieutic.patients.dynamics import PAIR
from maieutic.patients.risk_talk import OF_DEATH
from maieutic.practice import steps
from maieutic.practice.model import Alternative
from maieutic.practice.moves import REFLECTIVE, best_question, matters, spoken
from maieutic.practice.reader import Reading
from maieutic.practice.turn import CLEARLY, TURNED, Place
from maieutic.practice.whole_turn import About, asks_again, of_something_else
from maieutic.reading.minilm import shared_minilm
from maieutic.reading.moves import questions, reaches_for

SAID_BACK: Final = (3, 22)
"""Words that a sentence has which can be said back."""
MATTERS: Final = 0.4
"""Chance from which one of several sentences of the patient is taken up as the one that matters."""
TAKEN_UP: Final = 14
"""Words of the patient that are quoted at most."""


def speakable(sentence: str) -> bool:
    """It can be said back: neither a word or two nor a speech, and no question."""
    return SAID_BACK[0] <= len(words(sentence)) <= SAID_BACK[1] and not ends_as_question(sentence)


def weighty(said: str) -> list[tuple[float, str]]:
    """Sentences that can be said back, with the chance that they carry what was meant."""
    return [(chance, one) for one, chance in matters(said).items() if speakable(one)]


def said_back(said: str) -> str | None:
    """The sentence of an answer that most likely carries what was meant; None where nothing in it can be taken up."""
    chance, best = max(weighty(said), default=(0.0, None))
    return best if chance >= MATTERS or len(matters(said)) == 1 else None


def quoted(sentence: str | None) -> str | None:
    """A sentence as it stands between quotation marks."""
    if sentence is None:
        return None
    told = sentence.strip(" \"'“”‘’").split()
    return " ".join(told).rstrip(".,;\"'”’") if len(told) <= TAKEN_UP else f"{' '.join(told[:TAKEN_UP])} …"


RESTS: Final = 3
"""Turns for which a kind is not proposed again where there is another."""
EARLY_TURNS: Final = 3
"""Turns up to which a plan is only kept: nothing has been understood yet."""
ALIKE: Final = 0.55
"""Cosine from which an example asks what the turn has just asked."""
WHOLE: Final = 4
"""Words from which a question, or giving back beside what cost something, can stand by itself."""
HEAVY: Final = 0.6
"""Chance of the weightiest sentence from which an answer that passes a question by is followed first."""
LATE: Final = 8
"""Turns after which a talk about an accurate thought may come to what would help."""
_WHAT_FITS: Final = {"advice": "advice", "minimising": "comfort", "reassurance": "reassurance"}
"""By what a sentence perhaps is beside telling, the kind whose other way fits."""
_THOUGHT_OVER: Final = frozenset({"evidence", "perspective", "implication"})
_SPOKEN_OF: Final = frozenset({Act.RISK_HINT, Act.RISK_DISCLOSURE, Act.RISK_DENIAL})
_TELLING: Final = frozenset(
    {
        Act.DETAIL,
        Act.BACKGROUND,
        Act.THOUGHT,
        Act.FEELING,
        Act.GOAL,
        Act.TAKEN_UP,
        Act.CONFIRM,
        Act.GAP,
        Act.RESULT,
        Act.WARMED,
    }
)

_HARD: Final = ("arguing", "interpreting")
"""Costs for which no other way is shown where the same turn asked openly and the thought gave way to it."""
_SAYS_LITTLE: Final = frozenset({*TURNED, Act.CONFIRM, Act.TANGENT, Act.NOT_KNOWING, Act.NO_MORE})
"""Answers of which no words are said back."""


def well(place: Place) -> str | None:
    """One thing done well, the rarest first; None where nothing was found. Beside what cost something, only what stands
    by itself."""
    if place.turned_past or place.passes_danger:
        return None
    if place.sees_to_safety:
        done = "asked about" if place.asks_of_danger else "saw to"
        led = place.leads or place.part("leading_question") is not None
        sure = place.asks_safety and not led and place.unpressed and not place.sharp
        return f"You {done} safety.{' That is never out of place.' if sure else ''}"
    if (mended := place.owns) is not None:
        return f"You owned a slip or asked whether you were still together, a repair: “{mended.text}”"
    if place.cost is None and not (place.doubtful or place.leads or place.presses):
        told = next((told for told, true in _WELL if true(place)), None)
        if told is not None:
            return told
    back, strength = place.back, place.part("affirmation")
    if back is not None and place.checks:
        return f"You gave back what you heard, with {back.told}, and asked whether it was right: “{back.text}”"
    strength = None if strength is not None and len(words(strength.text)) < WHOLE else strength
    if back is not None and place.dear is not None and len(words(back.text)) < WHOLE:
        back = None
    if back is not None:
        return f"You gave back what you heard, with {back.told}: “{back.text}”"
    if strength is not None:
        return f"You named something the patient did or can do, an affirmation: “{strength.text}”"
    if (felt := place.part("empathy")) is not None and place.cost is None:
        return f"You showed empathy: “{felt.text}”"
    if place.asks_freely and place.asks_openly and place.act not in TURNED:
        aim = f"; it {place.aim}" if place.aim is not None else ""
        return f"You asked one open question and left the answer to them{aim}."
    return None


def _made_them_think(place: Place) -> bool:
    """The answer was work on the thought, and the question by itself is read as one that asks for it."""
    worked = len(place.after.worked) > len(place.before.worked) and place.act not in (*TURNED, Act.TANGENT)
    asked = any(one.open and reaches_for(one.text) in _THOUGHT_OVER for one in questions(place.exchange.text))
    return worked and asked and place.opened and place.before.held - place.after.held >= CLEARLY


_WELL: Final[tuple[tuple[str, Callable[[Place], bool]], ...]] = (
    (
        "You asked them to hold what they had told you beside the thought.",
        lambda p: p.weighed and Slot.WEIGHING in p.taken.asks and p.asks_to_weigh and not p.brought_out(),
    ),
    (
        "You left the finding to the patient: something new came up because you asked.",
        lambda p: p.asks_openly and p.asks_once is True and p.asked_for_find and p.opened,
    ),
    ("You asked in a way that let the patient think for themselves.", _made_them_think),
    (
        "You gave back what you heard and then asked one open question.",
        lambda p: p.part(*REFLECTIVE) is not None and p.asks_openly and p.asks_freely,
    ),
    (
        "You asked openly, and the patient could say the feeling.",
        lambda p: p.newly("feeling") and Slot.FEELING in p.taken.asks and p.asks_openly,
    ),
    (
        "You asked openly, and the patient could say the thought.",
        lambda p: p.newly("thought") and Slot.THOUGHT in p.taken.asks and p.asks_openly,
    ),
)


def alternative(place: Place, before: Sequence[Alternative]) -> Alternative | None:
    """One kind of turn to try, with the reason and the words of the patient to go on from; None where nothing is known
    to fit.

    Args:
        place: The turn.
        before: What was proposed for the turns before it; a kind rests for some turns.
    """
    if place.after.left and not place.on_danger and (place.cost is None or _in_its_place(place) in (steps.OWN, None)):
        return Alternative(steps.LEFT, False, steps.WHY[steps.LEFT])
    if place.after.left and place.cost is None:
        return None
    if place.on_danger or place.act in _SPOKEN_OF:
        return _of_danger(place, {one.example for one in before if one.example is not None})
    resting = {one.kind for one in before[-RESTS:]} - {steps.STAY}
    instead, following = _in_its_place(place), _following(place)
    if instead is not None:
        return _leaning(place, instead, place.exchange.heard, instead=True)
    if place.reading is not None and place.act is not Act.REASSURANCE_BID and (read := _read(place, place.reading)):
        return read
    given = {(one.kind, one.words) for one in before[-RESTS:] if one.words is not None}
    fresh = [kind for kind in following if not asks_again(kind, place.exchange.text)]
    fitting = [one for kind in fresh if (one := _leaning(place, kind, place.answered[-1], instead=False))]
    fitting = [one for one in fitting if (one.kind, one.words) not in given]
    if not fitting and place.answered:
        early = place.after.turn <= EARLY_TURNS
        if place.act in _REFUSED:
            return Alternative(steps.EASE, False, steps.WHY[steps.EASE])
        otherwise = (steps.GO_ON_WITH, steps.BEGAN, steps.MAIN) if early else (steps.GO_ON_WITH, steps.GATHER)
        leaning = (_leaning(place, kind, place.answered[-1], instead=False) for kind in otherwise)
        fitting = [one for one in leaning if one is not None and (one.kind, one.words) not in given]
        return fitting[0] if fitting else None
    return next((one for one in fitting if one.kind not in resting), fitting[0] if fitting else None)


def _in_its_place(place: Place) -> str | None:
    """What would have fitted better than the turn; None where the turn is nothing to mend."""
    exchange = place.exchange
    if place.act is Act.REASSURANCE_BID:
        return None
    if place.went_well and place.dear is not None and place.dear.kind in _HARD and place.asks_once is not False:
        return None
    led = place.dear is not None and place.dear.kind == "leading_question"
    if led and place.brought_out() and place.act not in TURNED and place.asks_once is not False:
        return None
    if (
        place.part("arguing", sure=False)
        and exchange.does(frozenset({Move.CHALLENGE}))
        and challenges_early(exchange, against(place))
    ):
        return steps.EARLY
    if place.dear is not None and place.before.intent.act is Act.RESIST and place.owns is None:
        return steps.OWN
    if place.claims_wrongly and place.act is not Act.DEFLECT and place.part("empathy", *REFLECTIVE) is None:
        return steps.GUESS
    if place.asks_once is False and questions_at_once(exchange.text) > PAIR:
        return steps.ONE_OF
    if place.cost is not None and (place.dear is not None or (place.act in TURNED and not place.asks_openly)):
        return steps.INSTEAD[_WHAT_FITS.get(place.cost.other, place.cost.kind) if place.cost.other else place.cost.kind]
    if place.asks_once is False:
        return steps.ONE_OF
    return None


_REFUSED: Final = frozenset({Act.DEFLECT, Act.RESIST, Act.NO_MORE, Act.NOT_KNOWING})
"""Acts after which staying with a question that was not answered either would press."""


def _following(place: Place) -> list[str]:
    """Kinds that fit after a turn, the nearest to the answer first; none where the answer holds nothing to go on
    with."""
    after, asks, about = place.after, place.taken.asks, place.about
    kinds = []
    if place.act in TURNED and place.pushed and place.owns is None and place.cost is not None:
        kinds.append(steps.OWN)
    if place.act in TURNED and place.part("room") is not None:
        kinds.append(steps.AFTER[Act.NO_MORE])
    if place.situation.accurate and place.act is Act.CONCEDE and after.turn >= LATE:
        kinds.append(steps.HELP)
    if place.act is Act.PLAN and after.turn <= EARLY_TURNS:
        return [steps.PURPOSE]
    if place.act in (Act.ASK_BACK, Act.NOT_UNDERSTOOD) and not best_question(place.exchange.text, place.exchange.heard):
        return [steps.UNCLEAR]
    if place.passed_by and place.act in (Act.DETAIL, Act.BACKGROUND, Act.ANSWER):
        heavy = max(weighty(place.answered[-1]), default=(0.0, ""))[0] >= HEAVY
        return [steps.FOLLOW, steps.AGAIN] if heavy or place.act is Act.BACKGROUND else [steps.AGAIN, steps.FOLLOW]
    if place.act is Act.NOT_KNOWING and not place.asks:
        return [steps.UNASKED]
    if place.act is Act.NOT_KNOWING and (place.before.intent.act in _REFUSED or place.presses or place.cost):
        return [steps.EASE]
    if place.act is Act.CONVICTION and place.before.intent.act is Act.CONVICTION:
        return [steps.AFTER[place.act] if place.taken.form is QuestionForm.SCALE else steps.AGAIN]
    if place.act is Act.CONVICTION and of_something_else(place.exchange.text):
        return [steps.MEASURED]
    if place.act is Act.CONFIRM and not place.checks:
        return [steps.YES, steps.OWN_WORDS]
    kinds += _OR_ELSE.get(place.act, [steps.AFTER[place.act]] if place.act in steps.AFTER else [])
    if kinds and place.act not in (Act.DETAIL, Act.BACKGROUND, Act.ANSWER, Act.EVIDENCE):
        return kinds
    thought_known, facts = "thought" in after.disclosed, place.brought_out()
    if place.act is Act.TAKEN_UP:
        return [steps.BESIDE if thought_known else steps.STAY]
    if facts and facts[-1] in against(place):
        kinds.append(steps.BESIDE if thought_known and Slot.WEIGHING not in asks else steps.VIEW)
    elif facts:
        kinds.append(steps.TOOK)
    if about is About.VIEW:
        weighs = thought_known and place.form is not QuestionForm.COST_BENEFIT and not place.situation.accurate
        weighs = weighs and place.before.held - after.held >= CLEARLY
        kinds.append(steps.BESIDE if weighs else steps.VIEW)
        kinds.append(steps.VIEW)
    if place.form in _OF_PEOPLE_AND_THINGS:
        kinds.append(steps.TOOK)
    if about is About.EVENT or facts:
        kinds += [steps.THOUGHT] if not thought_known and Slot.THOUGHT not in asks else []
        kinds += [steps.FEELING] if not place.feeling_told and Slot.FEELING not in asks else []
    if about is About.FEELING and not thought_known:
        kinds.append(steps.BEHIND)
    if place.newly("thought") and not place.situation.accurate:
        kinds.append(steps.CLOSER)
    if place.act is Act.THOUGHT:
        return [*kinds, steps.CARRY, steps.HARDEST]
    if place.form in _OF_MEANING:
        return [*kinds, steps.CARRY, steps.HARDEST]
    kinds += _STAYS.get(about, [steps.STAY] if place.act in _TELLING else [])
    return kinds


_OR_ELSE: Final[Mapping[Act, list[str]]] = {
    Act.WARMED: [steps.STAY, steps.GO_ON],
    Act.CONFIRM: [steps.YES, steps.GO_ON],
    Act.AGREE: [steps.YES, steps.OWN_WORDS],
    Act.MEANT: [steps.CHOOSE],
    Act.UNMOVED: [steps.STRONGEST, steps.HARDEST],
    Act.RESIST: [steps.HEARD, steps.CHOOSE],
    Act.TANGENT: [steps.BEGAN, steps.CHOOSE],
}
"""By what the patient did, what to try next, and what where the first needs words that there are none of."""
_OF_PEOPLE_AND_THINGS: Final = frozenset(
    {QuestionForm.WHO, QuestionForm.WHAT, QuestionForm.WHERE, QuestionForm.WHEN, QuestionForm.HOW_MANY}
)
_OF_MEANING: Final = frozenset({QuestionForm.MEANING, QuestionForm.WORST, QuestionForm.HOW_COME})


_STAYS: Final[Mapping[About | None, list[str]]] = {
    About.EVENT: [steps.MOMENT, steps.STAY],
    About.LIFE: [steps.LIFE, steps.STAY],
    About.FEELING: [steps.INNER, steps.STAY],
    About.BELIEF: [steps.STAY, steps.HARDEST],
    About.VIEW: [steps.VIEW, steps.STAY],
    About.WISH: [steps.WISHED],
}


def _words_of_danger(place: Place) -> Mapping[str, tuple[str, ...]]:
    kind = place.case.risk.kind
    return steps.WORDS_OF_DANGER if kind is None or kind in OF_DEATH else steps.WORDS_OF_OTHER_DANGER


def _of_danger(place: Place, given: Collection[str]) -> Alternative:
    """The next step while danger is open: first whether, then what is not known of it yet, then help. There always is
    one."""
    if not place.after.risk_disclosed:
        kind = steps.ASKED_AGAIN if place.asks_of_danger and place.act is not Act.RISK_HINT else steps.SAFETY
        instead = place.danger.unasked and not place.sees_to_safety
        return Alternative(kind, instead, example=_fresh(_words_of_danger(place)[kind], given, place))
    asks = steps.ASKS_OF_DANGER if place.case.risk.kind in OF_DEATH else steps.ASKS_OF_OTHER_DANGER
    unknown = [wordings for about, wordings in asks.items() if about not in place.danger_after.asked]
    in_turn = [one for wordings in zip(*unknown, strict=True) for one in wordings]
    return Alternative(
        steps.DANGER, False, example=_fresh([*in_turn, *steps.WORDS_OF_DANGER[steps.DANGER]], given, place)
    )


def _fresh(wordings: Sequence[str], given: Collection[str], place: Place) -> str:
    """A wording that was not given and not said; once all were, they come again in turn."""
    fresh = [one for one in wordings if one not in given and one not in place.exchange.text]
    asked = [one.text for one in questions(place.exchange.text)]
    if len(fresh) > 1 and asked:
        vectors = shared_minilm()([*asked, *fresh])
        alike = (vectors[len(asked) :] @ vectors[: len(asked)].T).max(axis=1)
        fresh = [one for one, near in zip(fresh, alike, strict=True) if near < ALIKE] or fresh
    return fresh[0] if fresh else wordings[place.exchange.number % len(wordings)]


def _read(place: Place, reading: Reading) -> Alternative | None:
    """The next step that a language model read, with the words of the answer that it takes up; None where it says
    nothing without words and took none up."""
    kind = steps.OF_READING[reading.step]
    if kind == steps.OWN and place.cost is None:
        kind = steps.CHOOSE if place.act in TURNED else steps.GO_ON_WITH
    if reading.step in ("moment", "wish", "thought", "feeling", "grounds") and place.act is Act.GOAL:
        kind = steps.WISHED
    if reading.step in ("moment", "trial") and place.act is Act.PLAN:
        kind = steps.PURPOSE if place.after.turn <= EARLY_TURNS else steps.AFTER[Act.PLAN]
    if reading.step in ("strength", "grounds") and place.act is Act.CONVICTION:
        kind = steps.AFTER[Act.CONVICTION]
    if kind == steps.SAFETY:
        return Alternative(steps.SAFETY, False, example=_fresh(_words_of_danger(place)[steps.SAFETY], (), place))
    theirs = None if kind in steps.ALONE else quoted(reading.take_up or None)
    if theirs is None and kind in steps.LEANS:
        return None
    return Alternative(kind, False, steps.WHY[kind], theirs, of=_owned(place) if kind == steps.OWN else None)


def _owned(place: Place) -> str | None:
    """The sentence that is to be owned; None where only what the turn did as a whole is."""
    return quoted(place.cost.text) if place.cost is not None else None


def _leaning(place: Place, kind: str, said: str, *, instead: bool) -> Alternative | None:
    """A kind of turn with the words that it takes up; None where it needs some and there are none.

    Args:
        said: What the patient said before the turn, for another way, or in answer to it, for a next step.
    """
    theirs = _taken_up(place, kind, said)
    if theirs is None and kind in steps.LEANS:
        return None
    return Alternative(kind, instead, steps.WHY[kind], theirs, of=_owned(place) if kind == steps.OWN else None)


def _taken_up(place: Place, kind: str, said: str) -> str | None:
    if kind in steps.ALONE:
        return None
    if kind == steps.BEGAN:
        if len(content_words(place.opening) & content_words(place.exchange.text)) > 1:
            return None
        found = weighty(place.opening)
        return quoted(max(found)[1]) if found else None
    if kind == steps.YES:
        silent = place.before.intent.act in _SAYS_LITTLE
        return None if silent else quoted(said_back(place.exchange.heard))
    if kind == steps.CLOSER or (kind == steps.CARRY and place.act is Act.THOUGHT):
        return quoted(_their_thought(place))
    if kind in (steps.BEHIND, steps.INNER):
        felt = [one for one in sentences(spoken(said)) if named_feelings(one) and speakable(one)]
        return quoted(felt[-1] if felt else None)
    spoke_then = place.after if said == place.answered[-1] else place.before
    silent = spoke_then.intent.act in _SAYS_LITTLE and kind not in steps.LEANS
    if not silent and said == place.answered[-1] and said_back(said) in place.again:
        return None
    return None if silent else quoted(said_back(said))


def _their_thought(place: Place) -> str:
    """The sentence of the answer in which the patient told the thought: the one nearest to it."""
    said = sentences(spoken(place.answered[-1]))
    said = tuple(filter(speakable, said)) or said
    vectors = shared_minilm()([place.situation.automatic_thought, *said])
    nearest: str = max(zip(vectors[1:] @ vectors[0], said, strict=True))[1]
    return nearest


def against(place: Place) -> frozenset[str]:
    """Ids of the facts that speak against the thought."""
    return facts_against({"against": [one.id for one in place.situation.evidence if one.bearing == "against"]})
