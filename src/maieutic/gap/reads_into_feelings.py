"""Feelings that a sentence attributes to the patient: the nearest person named before the word is the patient."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from maieutic.language.feelings import LEXICON

# Beside the shared lexicon: verbs that take the patient as subject, and wider adjectives. Own lists.
_WIDER: Final[Mapping[str, str]] = {
    "sad": r"griev(?:e|ed|ing)|bereft|devastated|crushed|distraught|forlorn|desolate|in despair|despairing|sorrow(?:ful)?|down in the dumps|mourn(?:ing|ed|ful)|melancholy|inconsolable|downhearted|lost and alone|grief-stricken|wretched|dejected|despondent|in tears|low-spirited|desperately unhappy",
    "anxious": r"dread(?:s|ed|ing)?|petrified|panicked|jittery|jumpy|stressed out|freaked out|alarmed|worried sick|worrying|insecure|agitated|on tenterhooks|wound up|fretting|fretful|nerves|unnerved|rattled|anxiously|spooked|shaken|frantic|trepidation|in a panic",
    "angry": r"resent(?:s|ed|ing)?|fed up|seething|outraged|incensed|infuriated|enraged|exasperated|pissed off|cheesed off|irate|aggrieved|raging|fury|annoyance|irritation|hacked off|miffed|ticked off|hopping mad|indignation|steaming|boiling|outrage|vexed|aggravated",
    "ashamed": r"embarrassment|humiliation|self-conscious|worthless|like a fool|inferior|disgraced|shamed|belittled|awkward|shown up|undignified|not good enough|sheepish|degraded|mortification",
    "disappointed": r"gutted|crestfallen|disheartened|dismayed|let-down|dissatisfied|disillusionment|dashed|underwhelmed",
    "jealous": r"env(?:ied|ying)|green with envy|enviously|covet\w*",
    "guilty": r"blam(?:e|ed|ing) yourself|at fault|conscience|contrite|regret(?:s|ted|ting)?|self-reproach|reproach\w* yourself|guilt-ridden|responsible for (?:what happened|it all|his death|her death)|guiltily|self-blame|culpable",
    "hurt": r"snubbed|slighted|excluded|unloved|cut to the quick|heartbroken by|cast aside|unappreciated|dismissed|mistreated|passed over|spurned|stung|jilted|wronged|rejection|betrayal|overlooked|injured|offended|insulted|ditched|discarded|unimportant|brushed aside|unvalued",
    "suspicious": r"mistrust(?:s|ed|ing|ful)?|distrust(?:s|ed|ing)?|leery|sceptical|skeptical|don't (?:quite |fully |really )?trust|do not trust|on your guard|guarded with|doubtful of",
}  # fmt: skip
# Verbs that take the patient as object.
_DONE_TO: Final[Mapping[str, str]] = {
    "sad": r"(?:heartbreaking|saddening|lonely|depressing) for you|sadden(?:s|ed)|br(?:eaks|oke) your heart|depress(?:es|ed)|get(?:s|ting)? you down|devastate[sd]?|makes? you want to cry",
    "anxious": r"(?:frightening|terrifying|scary|nerve-wracking|unsettling|overwhelming) for you|scare[sd]?|frighten(?:s|ed)|terrif(?:ies|ied)|worrie[sd]|alarm(?:s|ed)|panic(?:s|ked)|unsettle[sd]?|unnerve[sd]?|put(?:s|ting)? you on edge|stress(?:es|ed)|ma[dk]es? you (?:nervous|panicky|anxious)",
    "angry": r"(?:infuriating|maddening|annoying|irritating|frustrating) for you|annoy(?:s|ed)|irritate[sd]?|infuriate[sd]?|enrage[sd]?|anger(?:s|ed)|frustrate[sd]?|exasperate[sd]?|outrage[sd]?|incense[sd]?|rile[sd]?|make(?:s)? your blood boil|w(?:inds|ound)",
    "ashamed": r"(?:humiliating|embarrassing|mortifying) for you|embarrass(?:es|ed)|humiliate[sd]?|shame[sd]?|mortif(?:ies|ied)",
    "disappointed": r"(?:disappointing|disheartening) for you|disappoint(?:s|ed)|disillusion(?:s|ed)|dishearten(?:s|ed)|let you down",
    "hurt": r"(?:hurtful|wounding) for you|(?:it|that|this|which|words?|remark|comment|what (?:he|she|they) said)(?: \w+ly| really| still)? (?:hurts?|wound(?:s|ed)|st(?:ings|ung))",
    "suspicious": r"made you suspicious",
}  # fmt: skip
_TERMS: Final = tuple(
    (group, re.compile(rf"\b(?P<word>{'|'.join(sorted(map(re.escape, terms), key=len, reverse=True))}|{_WIDER[group]})\b", re.I))
    for group, terms in LEXICON.items()
)  # fmt: skip
_OBJECT: Final = tuple(
    (group, re.compile(rf"(?P<word>\b(?:{verbs})(?:(?<=you)|(?<=heart)|(?<=boil)| you\b(?!r)))", re.I))
    for group, verbs in _DONE_TO.items()
)
_MUCH: Final = re.compile(r"\bhow (?:much|badly|deeply) (?:\w+ ?)?$", re.I)
_PERSON: Final = re.compile(
    r"\b(?:(?P<other>i|i'm|me|my|he|she|they|him|her|his|their|them|we|everyone|everybody|people|someone|anyone|nobody|others|(?:the|that|your|his|her|their|my) (?:\w+ )?(?:husband|wife|mother|father|mum|mom|dad|son|daughter|sister|brother|boss|friends?|partner|children|kids|parents|family|colleagues?|neighbou?rs?|teacher|manager|boyfriend|girlfriend|ex))\b(?:'(?:s|re|d|ve|ll)\b)?|(?P<you>you|yours?|yourself)(?:'\w+)?\b)",
    re.I,
)
_FEELS: Final = re.compile(
    r"\b(?:feel|feels|feeling|felt|are|were|was|been|being|seem|sound|sounds|look|looks|become|became|grown|getting|got|get|leaves?|left|made|makes?|how|such|some|that|so|deep|deeply|the|your|of|with|must be|put(?:s|ting)? you|'re)(?:\s+(?:you|feel|feeling|so|very|really|quite|a|bit|little|rather|pretty|just|also|still|both|more|most|deeply|terribly|and|or|even|perhaps|maybe|of|lot|sort|kind|real|great|\w+ly|(?:\w+,? and|\w+,? or)))*\s*$",
    re.I,
)
_VERBAL: Final = re.compile(
    r"^(?:dread|resent|env|griev|blam|regret|mistrust|distrust|don't|do not|mourn|fear|worry|worries)", re.I
)
_DENIES: Final = re.compile(
    r"\b(?:not|never|no|without|neither|nor|hardly|isn't|wasn't|aren't|weren't|don't|didn't|doesn't|stop|less|than)\b(?:\s+[\w']+){0,3}\s*$",
    re.I,
)
_UNREAL: Final = re.compile(
    r"^\W*(?:if|when|whenever|next time|should) you\b|\b(?:so (?:that )?you (?:don't|won't|can|could|needn't|didn't)|in order to|rather than|instead of|to avoid|(?:stop|keep|protect|spare|help)(?:s|ing|ed)? you|to (?:feel|be|get|make|avoid|stop|not)|you (?:will|won't|'ll|would|could|should|can)|wants?|used to|hoping|hope|words? like)\b[^,;:]*$",
    re.I,
)
_GUESSED: Final = re.compile(r"\b(?:i wonder|perhaps|maybe|guess|imagine|there(?:'s| is| was| were| might| may| could))\b", re.I)  # fmt: skip
_HAD: Final = re.compile(r"\b(?:your own|there(?:'s| is| was)|this|that|the|some|such|real|deep|a lot of|much|any|more|a \w+)\s*(?:\w+ )?$", re.I)  # fmt: skip
_NOUNS: Final = frozenset(
    "sadness loneliness grief despair anxiety worry fear dread panic anger rage resentment frustration shame disappointment jealousy envy guilt remorse suspicion distrust hurt embarrassment humiliation sorrow fury annoyance irritation".split()
)
_UNSURE: Final = frozenset(
    "awkward low down flat heavy small empty cross mad bitter exposed numb tense alone hurt restless boiling steaming crushed dismissed injured nerves conscience worrying responsible overlooked".split()
)


def wider(sentence: str) -> Iterator[tuple[str, str]]:
    """(group, word) of every feeling that the patient is said to have, in the shared lexicon's words or in wider ones."""
    for group, pattern in _OBJECT:
        for match in pattern.finditer(sentence):
            before = sentence[: match.start()]
            if not (_DENIES.search(before) or _UNREAL.search(before) or _MUCH.search(before)):
                yield group, match.group("word").lower()
    for group, pattern in _TERMS:
        for match in pattern.finditer(sentence):
            if _said_of_the_patient(sentence, match.start(), match.group("word").lower()):
                yield group, match.group("word").lower()


def _said_of_the_patient(sentence: str, at: int, word: str) -> bool:
    before = sentence[:at]
    if _DENIES.search(before) or _UNREAL.search(before):
        return False
    people = list(_PERSON.finditer(before))
    nearest = people[-1] if people else None
    if (
        nearest is not None
        and nearest.group("you") is None
        and nearest.group("other").lower() not in {"i", "i'm", "me"}
    ):
        return False
    theirs = nearest is not None and nearest.group("you") is not None
    if theirs and _VERBAL.match(word) and nearest is not None and len(before[nearest.end() :].split()) <= 2:
        return True
    if word in _NOUNS:
        after = re.match(r"[^.?!;]*?\b(?:you|your)\b", sentence[at:], re.I)
        return bool(
            _HAD.search(before)
            and not re.search(r"\bfrom\s+$", before)
            and (theirs or after or _GUESSED.search(before))
        )
    gap = before[nearest.end() :] if theirs and nearest is not None else before
    if _VERBAL.match(word) or (word == "down" and re.search(r"\blet\s+$", before, re.I)):
        return False
    if word in _UNSURE:
        return bool(re.search(r"\bhow\s+$", before) and re.match(r"\w+ you\b", sentence[at:])) or (
            theirs
            and len(gap.split()) <= 3
            and bool(re.search(r"\b(?:feel\w*|felt|left|look|seem|sound)\b", before[-40:]))
        )
    held = len(gap.split()) <= 7 and bool(_FEELS.search(before))
    later = re.match(r"\w+[- ](?:that |it |this )?(?:you|for you)\b", sentence[at:], re.I)
    return bool((theirs and held) or (later and _FEELS.search(before)))


__all__ = ["wider"]
