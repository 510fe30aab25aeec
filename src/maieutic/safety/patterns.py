"""The words behind the risk rules: regular expressions for danger, and for the frames that make such words harmless.

Everything works on normalised text (see `normalise`): lower case, straight quotes, single spaces. The expressions are
our own; they name dangers only as far as it takes to recognise them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal

Grade = Literal["none", "hint", "passive", "active"]

_QUOTES: Final = str.maketrans({"’": "'", "‘": "'", "´": "'", "`": "'", "“": '"', "”": '"'})
_LONGEST_WORD: Final = 40
_APOSTROPHES: Final = re.compile(
    r"\b(?:(i)(m|ve|ll)|(don|won|can|didn|doesn|wouldn|couldn|isn|wasn|haven|hasn|shouldn|aren|weren)(t))\b"
)


def normalise(text: str) -> str:
    """Lower case, straight quotes, single spaces; `im`, `dont` and their kin get their apostrophe back."""
    flat = " ".join(word[:_LONGEST_WORD] for word in text.translate(_QUOTES).lower().split())
    flat = _APOSTROPHES.sub(lambda m: f"{m[1] or m[3]}'{m[2] or m[4]}" if m[1] else f"{m[3]}'t", flat)
    return flat.replace("gonna", "going to").replace("wanna", "want to").replace("anymore", "any more")


def _compiled(*parts: str) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{part})" for part in parts))


IDIOM: Final = _compiled(
    r"(?:is|are|was|were|'s|'re) (?:\w+ )?killing me\b(?! (?:slowly|softly) and)",
    r"(?:could|would|'d|might|going to|will) (?:\w+ )?(?:murder|kill for|kill) (?:an? \w+|some \w+)",
    r"\b(?:mum|mom|mother|dad|father|boss|wife|husband|sister|brother|teacher|she|he|they)(?:'s going to|'ll| will|"
    r" is going to| would| are going to) (?:\w+ )?kill me (?:when|if (?:i|she|they|he) (?:\w+ )?(?:miss|forg|see|find|"
    r"break|late|wear)|for|about|over)",
    r"(?:could|could've|could have) (?:\w+ )?(?:killed|strangled|murdered|throttled) \w+ (?:when|for|sometimes|over)",
    r"(?:could|want(?:ed)? to|felt like) (?:kill|strangl|murder|throttl|punch)\w* the (?:\w+ )?(?:printer|computer|laptop|"
    r"clock|wall|phone|car|boiler|referee)",
    r"(?:scared|bored|bores|worked|sick|frozen|worried|tickled|loved?|starved|talked) (?:\w+ )?(?:half )?to death",
    r"(?:to die for|die of (?:embarrassment|shame|laughter|boredom|cringe)|died (?:of|from) (?:embarrassment|shame|"
    r"laughter|laughing|boredom|cringe)|dying of (?:cringe|laughter|boredom|embarrassment|curiosity)|died laughing|"
    r"dying (?:for an?|to (?:tell|know|see|hear|meet|try|ask|get|go))|died inside|dying inside|dead inside at)",
    r"(?:career|social|political|professional|commercial|financial) suicide|suicide (?:mission|squad|hotline shift)",
    r"cut(?:ting)? (?:myself|me) (?:off|out|loose|short|some slack|a (?:slice|piece|bit)|while|when|shaving|cooking|"
    r"chopping|slicing|on (?:the|a) (?:\w+ )?(?:tin|can|glass|paper|razor|knife|fence|nail))",
    r"(?:hurt|burn(?:t|ed)?) myself (?:on the|at the|playing|lifting|running|laughing|skiing|cooking|climbing|ironing|"
    r"falling|when i (?:fell|slipped|tripped))",
    r"beat(?:ing|s)? (?:myself|me) (?:up (?:over|about|for|all)|at|in (?:chess|tennis|squash))",
    r"beats? me (?:at|in|every time at|to it|why|how)",
    r"(?:kill|kills|killed|killing) (?:two birds|time|the (?:mood|vibe|engine|lights)|it (?:at|in|on|with))",
    r"over my dead body|dead (?:tired|on my feet|serious|end|line|pan|wrong|right|funny)|drop dead gorgeous",
    r"shoot (?:myself|me) in the foot|shot (?:myself|me) in the foot|shoot me now|kill me now|kms lol|lol kms|"
    r"i(?:'m| am) (?:literally )?dead\b(?: lol| 💀|,? (?:lol|haha))",
    r"(?:rather|sooner) (?:die|be shot|be dead) than|hill (?:to|i'll|i will|i'm going to|i'd) die on|die on (?:this|that) hill",
    r"(?:lost|losing|lose) the will to live (?:in|at|on|after|some|half|during|with|when)",
    r"overdos(?:e|ed|ing) on (?:chocolate|sugar|coffee|caffeine|cake|telly|netflix|carbs|christmas|sun|sweets|news)",
    r"(?:end|ended|ending) (?:it|things) (?:with|between)|end(?:ing|ed)? the (?:relationship|marriage|call|lease)",
    r"(?:don't|do not) want to be here(?: any more)?,? (?:in (?:this|the) (?:city|town|country|job|office)|my \w+ made|"
    r"but my \w+ (?:made|insisted)|i(?:'d| would) rather be (?:at|in) (?:home|bed|work))",
    r"(?:don't|do not) want to (?:wake up|die) (?:at (?:five|six|four|three|\d)|early|before|alone|young|yet|with that)",
)


@lru_cache(maxsize=64)
def mask_idioms(text: str) -> str:
    """Normalised text with each harmless idiom replaced by one token; kept, as all parts of one call ask for it."""
    return IDIOM.sub(" _idiom_ ", text)


NEGATION: Final = re.compile(
    r"\b(?:no|not|never|nor|without|neither|none|nope|denied|deny|zero|hardly|(?:do|did|does|is|are|was|were|have|has|had|would|"
    r"wo|could|should|ca|ai)n't|cannot|far from|instead of|stopped|anything but)\b[^.!?;]{0,45}$"
)
NOT_A_NEGATION: Final = re.compile(
    r"(?:can't|cannot|couldn't|can not|don't) (?:stop|help|shake|fight|resist|trust|promise|see (?:another|any|a) (?:way|reason)|"
    r"get (?:it|rid)|control|handle|cope|take|do (?:this|it)|stand|go on|keep|carry|bear|hold)(?! \w+ing myself)|"
    r"(?:not|no) (?:sure|only|just|joking|kidding|exaggerating|safe|long|longer|other|idea|reason|way|point|one|use|sleep|joke|"
    r"hope|afraid|scared)|(?:don't|didn't|do not) (?:know|care|tell|trust|worry|sleep|feel (?:safe|anything|well|right))|nothing|no,|"
    r"not that i|isn't (?:a joke|safe)|won't (?:be (?:here|around|alive|long)|stop)|haven't (?:slept|told|eaten|been able)|"
    r"wouldn't (?:mind|care|matter)|doesn't (?:help|matter|know|stop)"
)
DISTANT: Final = re.compile(
    r"\b(?:years?|decades?) (?:ago|back|clean|since|now)\b|\bdecades? ago|\bused to\b|\bwhen i was (?:a |an |in |at |young|little|"
    r"\w+teen|twelve|eleven|ten|nine|twenty|thirty|\d)|\bback (?:then|when)\b|\bin (?:19|20)\d\d\b|\bas a (?:teen|child|kid|boy|girl|"
    r"student|young)|\bin my (?:teens|twenties|thirties|forties|youth|old|first|previous|last marriage)|\bat (?:school|college|uni|"
    r"university)\b|\blong (?:time )?ago\b|\bin the past\b|\bmy (?:teenage|teens)\b|\bgrew up\b|\bmy first (?:husband|wife|marriage)|"
    r"\b(?:hasn't|haven't|not) (?:\w+ )?since\b|\bonce,? (?:when|years|decades)|\bgone since\b|\bthat(?:'s| was) (?:the old me|long)"
)
RECENT: Final = re.compile(
    r"\b(?:tonight|today|now|yesterday|last night|this (?:morning|week|evening|weekend|minute)|again|still|lately|tomorrow|"
    r"any more|every (?:day|night)|on (?:mon|tues|wednes|thurs|fri|satur|sun)day|last week|these days)\b"
)
MEDIA: Final = re.compile(
    r"\b(?:film|movie|series|documentary|novel|book|song|lyrics?|podcast|episode|opera|poem|game|video game|soap|thriller|thesis|"
    r"plot|chapter|character|lecture|course|exam|headline|article|audition|play the part|news (?:about|was)|read about a|watched a)\b"
)
BENIGN_TAIL: Final = re.compile(
    r"\b(?:lol|haha+|lmao|kidding|figure of speech|so to speak|i mean the|the relationship)\b|💀|😂|🤣"
)


@dataclass(frozen=True, slots=True)
class Rule:
    """One family of sentences: what it says about the kind of danger, how grave it is, and how to see it."""

    kind: str
    grade: Grade
    pattern: re.Pattern[str]
    own_past: bool = False
    """True where the words only count when they are recent, such as an injury or an attempt."""
