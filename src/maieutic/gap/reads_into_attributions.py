"""Finds what a reply attributes to the patient: feelings in nine groups and motives in classes, asserted or tentative."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal

from maieutic.language.feelings import attributions as feelings_attributed
from maieutic.language.sentences import content_words, sentences

Sort = Literal["feeling", "motive"]

# The first class that fits is taken, so the narrower ones stand first. Own lists.
MOTIVES: Final[Mapping[str, str]] = {
    "self_punish": r"(?:punish\w*|torment\w*|hurt\w*) yourself|make yourself (?:suffer|pay)|aton\w+|do penance|deserve to suffer",
    "punish": r"punish\w*|get(?:ting)? (?:back )?at (?:him|her|them)|get(?:ting)? back at|get(?:ting)? even|reveng\w*|pay(?:ing)? (?:him|her|them) back|hurt (?:him|her|them)|ma[dk](?:e|ing) (?:him|her|them|everyone) (?:pay|suffer|feel|sorry|jealous)|teach\w* (?:him|her|them) a lesson|retaliat\w*|spite",
    "perfect": r"perfect\w*|flawless\w*|never make a mistake|without (?:a single )?(?:fault|mistake)s?",
    "test_others": r"test(?:ing)? (?:him|her|them|people|whether|if)|see (?:if|whether) (?:he|she|they|people) (?:really |would |will |still )?\w+",
    "prove": r"prov(?:e|ing)\b|show(?:ing)? (?:him|her|them|everyone|everybody|people|the world)",
    "push_away": r"push(?:ing)? (?:\w+ ){0,3}away|(?:keep(?:ing)?|hold(?:ing)?) (?:\w+ ){1,3}(?:at a distance|at arm's length|out|away)|shut(?:ting)? (?:\w+ ){1,2}out|put(?:ting)? up (?:a )?walls?|cut(?:ting)? (?:\w+ ){1,2}off",
    "control": r"control\w*|in charge|upper hand|your (?:own )?way\b|dominat\w+|dictat\w+|manipulat\w+",
    "attention": r"attention|be noticed|be seen|sympathy|pity|(?:in )?the spotlight|cent(?:re|er) of|stand out",
    "reassurance": r"reassur\w*|be sure|certainty|(?:someone|somebody|him|her|them|me) to (?:tell|say to) you (?:that )?(?:it|you|everything)|(?:told|hear) (?:that )?(?:it's|it is|everything)",
    "belong": r"belong\w*|fit in|be (?:a |one )?part of|be included|be one of|accept you|be accepted",
    "approval": r"approv\w*|be liked|pleas(?:e|ing)\b|impress\w*|validation|praise|win(?:ning)? (?:him|her|them|people) over|keep(?:ing)? (?:everyone|everybody|people) happy|be admired|make (?:a )?good impression|like you",
    "fairness": r"fair\w*|justice|recognition|respect\w*|an apology|apologi[sz]e|say (?:he's |she's |they're )?sorry|be heard|taken seriously|what(?:'s| is) (?:right|due|yours)",
    "avoid": r"avoid\w*|dodg\w+|put(?:ting)? (?:it |this |that |things |\w+ )?off|run(?:ning)? (?:away|from)|escap\w+|sidestep\w*|(?:have to |not )fac(?:e|ing)|get(?:ting)? out of|procrastinat\w+|evad\w+|steer(?:ing)? clear|not (?:to )?(?:think about|deal with|know)",
    "hide": r"hid(?:e|ing)\b|conceal\w*|keep(?:ing)? (?:it |this |that )?(?:a )?secret|cover(?:ing)? (?:it |this |that )?up|pretend\w*|keep(?:ing)? up appearances|not (?:be )?found out|save face",
    "protect_self": r"protect(?:ing)? yourself|guard(?:ing)? yourself|not (?:to )?(?:be|get) hurt|keep(?:ing)? yourself safe|be safe\b(?! with)",
    "protect_other": r"protect\w*|spar(?:e|ing) (?:him|her|them|your)|shield\w*|look(?:ing)? after|tak(?:e|ing) care of|keep(?:ing)? (?:him|her|them|your \w+) safe|(?:him|her|them|your \w+) to be (?:safe|well|warm|all right)|safe\b",
    "give_up": r"giv(?:e|ing) up|quit\w*|walk(?:ing)? away|be rid of|leave (?:him|her|it all|everything)|end it",
    "independence": r"independen\w*|on your own|(?:do|manage) it (?:alone|yourself)|by yourself|freedom|stand on your own|your own space",
    "rest": r"rest\b|peace|quiet|a break|sleep|time (?:to|for) yourself|switch off|be left alone|an evening (?:to|for) yourself",
    "save_money": r"(?:sav(?:e|ing)|spend(?:ing)? less) (?:\w+ )?(?:money)?|afford|pay for|the money|money",
    "be_healthy": r"health\w*|fit\b|blood pressure|get(?:ting)? well|stay(?:ing)? well",
    "repair": r"mak(?:e|ing) (?:it|things|amends|up)(?: up)?(?: to| with| for)?|put(?:ting)? (?:it|things) right|apologi[sz]ing|say(?:ing)? sorry|repair\w*",
    "do_well": r"do(?:ing)? (?:it |things )?well|succeed\w*|get(?:ting)? it right|improv\w+|learn\w*|understand where|be good at|good job",
    "compete": r"beat(?:ing)?\b|better than|outdo\w*|superior|upstag\w+|compet\w+|win\b",
    "closeness": r"clos(?:e|er|eness)\b|be loved|connect\w*|(?:him|her|them|it all) back|compan(?:y|ionship)|be understood|not (?:be|being) alone|near (?:him|her|them)|love\b|hold on to (?:him|her|them)|stay connected",
}  # fmt: skip
_CLASSES: Final = tuple((name, re.compile(rf"\b(?:{terms})", re.I)) for name, terms in MOTIVES.items())
_ADVERBS = r"(?:really |just |actually |secretly |only |clearly |obviously |probably |still |also |even |so |always |simply |all along |deep down |perhaps |maybe |desperately )*"
_WANTS: Final = re.compile(
    rf"\b(?:you|part of you|some part of you|something in you)(?:'re| are| were| was|'ve been| have been)? {_ADVERBS}"
    r"(?:want(?:s|ed|ing)?|hop(?:e|es|ed|ing)|long(?:s|ed|ing)?|wish(?:es|ed|ing)?|crav(?:e|es|ed|ing)|try(?:ing)?|tried|mean(?:t)? to|intend(?:ed|ing)?|look(?:ing)? for|seek(?:ing)?|sought|need(?:ed|s)? (?:to (?:be|feel|have|control|prove|please|know)|(?:his|her|their|people's|everyone's|some|approval|control|attention|reassurance|someone|somebody)))"
    r"\b(?P<rest>[^.?!;]*)",
    re.I,
)
_SEEM: Final = re.compile(
    r"\byou (?:seem|appear) to be (?:trying|wanting|hoping|looking|seeking)\b(?P<rest>[^.?!;]*)", re.I
)
_DOES: Final = re.compile(
    rf"\b(?:are|were) you {_ADVERBS}(?P<asked>\w+ing\b[^.?!;]*)"
    rf"|\byou(?:'re| are| were|'ve been| have been| keep| kept| tend to| like to| refuse| refused)? {_ADVERBS}(?P<rest>(?:avoid|punish|push|hid|test|protect|control|run|escap|prov|sabotag|procrastinat|manipulat|dodg|shut|keep|pretend|pleas|seek|put(?:ting)? (?:it|this|that|things) off|reassur|cling|cover|guard|spar|shield|compet)\w*\b[^.?!;]*)",
    re.I,
)
_WAY: Final = re.compile(
    r"\b(?:(?:a|your|one|the) (?:\w+ )?(?:way|means|form) (?:of|to)|an? (?:attempt|effort) (?:at|to)|your (?:need|desire|wish|urge|attempt|longing) (?:for|to)|meant to|what you(?:'re| are|'ve been)? (?:\w+ )?(?:want|after|need|trying|looking for)(?: to)?(?: is| was|:)?)(?P<rest>[^.?!;]*)",
    re.I,
)
_PURPOSE: Final = re.compile(
    r"\byou(?:'re|'ve)?\b[^.?!;]{2,80}?\b(?:in order to|so (?:that )?you (?:don't|can|could|won't|didn't|wouldn't|needn't)|so as (?:not )?to|to (?=(?:get (?:back|even)|make (?:him|her|them)|punish|hurt|avoid|control|prove|show|please|hide|test|protect|keep|see if|see whether|impress|escape|win)\b))(?P<rest>[^.?!;]*)",
    re.I,
)
_ADVICE: Final = re.compile(
    r"\b(?:you(?:'ll| may| might| could| should| would| can)|if you|do(?:n't)? you|would you|what (?:do|are|did|were|would) you|how (?:do|are|did|would) you|when (?:do|did) you|where (?:do|did) you)\b[^.?!;]{0,24}$",
    re.I,
)
_TENTATIVE: Final = re.compile(
    r"\b(?:i wonder|perhaps|maybe|might|may be|could it be|could be|sounds? (?:like|as|to me)|it seems|seems (?:like|as|to me)|i imagine|i guess|is it that|if i (?:hear|understand)|possibly|correct me|or am i)\b|\?",
    re.I,
)
_TAG: Final = re.compile(
    r",?\s*(?:(?:are|do|were|did|have|wo|is|was|has|would|had)n['’]t (?:you|it|that)|right|no|eh)\s*\?\s*$", re.I
)
_SAID: Final = re.compile(r"\byou(?:'ve)? (?:told me|said|say|mentioned|were saying)\b", re.I)
_AMBIGUOUS: Final = frozenset("alone bitter cross down empty exposed flat heavy hurt low mad small tense worry".split())
_OF_THE_PATIENT: Final = re.compile(
    r"\b(?:feel\w*|felt|you(?:'re| are| were| seem| sound| look| must)|(?:left|made|makes|leaves) you)\b", re.I
)
_SOMEONE: Final = re.compile(
    r"^(?:and |so |but )?(?:he|she|they|your (?:husband|wife|mother|father|mum|dad|son|daughter|sister|brother|boss|friend))(?:'s|'re| is| are| was| were| sounds?| seems?| seemed| felt| feels)\b",
    re.I,
)
_PLAINLY: Final = re.compile(r"\byou(?:'re| are| feel| felt| want\w*| must)\b", re.I)
_GENERAL: Final = re.compile(
    r"\b(?:each time|every time|whenever|people|anyone|everybody|the more|symptoms?|is called|in general|usually|most of us|research|studies|a (?:normal|common|natural) (?:part|reaction|response|feeling))\b",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Claim:
    """One feeling or motive that a reply attributes to the patient.

    Attributes:
        sort: Feeling or motive.
        name: One of the nine emotion groups, or a class of `MOTIVES`.
        tentative: Offered as a guess or a question; a leading tag ("aren't you?") is none.
        words: The words that say it, without its frame.
    """

    sort: Sort
    name: str
    tentative: bool
    words: str


@lru_cache(maxsize=20_000)
def claims(reply: str) -> tuple[Claim, ...]:
    """What a reply attributes to the patient, feelings before motives within a sentence; each class once a sentence."""
    found: list[Claim] = []
    for sentence in sentences(reply.replace("’", "'")):
        if _GENERAL.search(sentence) and not _PLAINLY.search(sentence):
            continue  # about people in general
        plain = _TAG.sub(".", sentence)
        found += _feelings(plain)
        found += _motives(plain)
    return tuple(found)


def _feelings(sentence: str) -> list[Claim]:
    if _SOMEONE.match(sentence):
        return []
    about = bool(_OF_THE_PATIENT.search(sentence))
    kept: dict[str, Claim] = {}
    for one in feelings_attributed(sentence):
        if one.word not in _AMBIGUOUS or about:
            kept.setdefault(one.group, Claim("feeling", one.group, one.tentative, one.word))
    return list(kept.values())


def _motives(sentence: str) -> list[Claim]:
    tentative = bool(_TENTATIVE.search(sentence))
    kept: dict[str, Claim] = {}
    for frame in (_WANTS, _SEEM, _WAY, _PURPOSE, _DOES):
        for match in frame.finditer(sentence):
            if frame in (_WANTS, _DOES) and not match.groupdict().get("asked") and _advised(sentence, match.start()):
                continue
            rest = next((part for part in match.groupdict().values() if part), "")
            # A need carries its class in the frame itself ("need to control").
            told = match.group() if frame is _WANTS else rest
            name = next((n for n, terms in _CLASSES if terms.search(told)), None)
            if name is not None:
                kept.setdefault(name, Claim("motive", name, tentative, rest.strip()))
    return list(kept.values())


def _advised(sentence: str, start: int) -> bool:
    """The frame's "you want" belongs to advice or to an open question: "you may want", "what do you want"."""
    return bool(_ADVICE.search(sentence[: start + len("you may")]))


def stated(claim: Claim, before: str) -> bool:
    """Whether the patient's own words before the reply say it: the motive's class, or half of its content words."""
    mine = content_words(claim.words)
    own = content_words(before)
    return bool(mine) and len(mine & own) / len(mine) >= 0.5


__all__ = ["MOTIVES", "Claim", "claims", "stated"]
