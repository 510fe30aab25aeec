"""The classes of motives, and which of them a purpose belongs to: by its words, and by a head over its sentence vector."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import as_file, files
from typing import Final

import numpy as np
from numpy.typing import NDArray

from maieutic.models.embedding import shared_minilm
from maieutic.protocols import Embedder

Floats = NDArray[np.float64]

# The first class that fits is taken, so the narrower ones stand first. Own lists.
MOTIVES: Final[Mapping[str, str]] = {
    "self_punish": r"(?:punish\w*|torment\w*|hurt\w*) yourself|make yourself (?:suffer|pay)|aton\w+|do penance|deserve to suffer",
    "punish": r"punish\w*|settl(?:e|ing) (?:the|a|old) scores?|(?:your|my) own back|taste of (?:his|her|their) own|get(?:ting)? (?:back )?at (?:him|her|them)|get(?:ting)? back at|get(?:ting)? even|reveng\w*|pay(?:ing)? (?:him|her|them) back|hurt (?:him|her|them)|ma[dk](?:e|ing) (?:him|her|them|everyone) (?:pay|suffer|feel|sorry|jealous)|teach\w* (?:him|her|them) a lesson|retaliat\w*|spite",
    "perfect": r"perfect\w*|flawless\w*|never make a mistake|without (?:a single )?(?:fault|mistake)s?",
    "test_others": r"test(?:ing)? (?:him|her|them|people|whether|if)|see (?:if|whether) (?:he|she|they|people) (?:really |would |will |still )?\w+",
    "prove": r"prov(?:e|ing)\b|show(?:ing)? (?:him|her|them|everyone|everybody|people|the world)",
    "push_away": r"push(?:ing)? (?:\w+ ){0,3}away|(?:keep(?:ing)?|hold(?:ing)?) (?:\w+ ){1,3}(?:at a distance|at arm's length|out|away)|shut(?:ting)? (?:\w+ ){1,2}out|put(?:ting)? up (?:a )?walls?|cut(?:ting)? (?:\w+ ){1,2}off",
    "control": r"control\w*|call(?:ing)? the shots|final say|short leash|run(?:ning)? the show|in charge|upper hand|your (?:own )?way\b|dominat\w+|dictat\w+|manipulat\w+",
    "attention": r"attention|all eyes on|look(?:ing)? your way|fuss over you|be noticed|be seen|sympathy|pity|(?:in )?the spotlight|cent(?:re|er) of|stand out",
    "reassurance": r"reassur\w*|(?:your )?mind at (?:rest|ease)|be sure|certainty|(?:someone|somebody|him|her|them|me) to (?:tell|say to) you (?:that )?(?:it|you|everything)|(?:told|hear) (?:that )?(?:it's|it is|everything)",
    "belong": r"belong\w*|odd one out|outsider|stick(?:ing)? out|one of (?:the|them)\b|fit in|be (?:a |one )?part of|be included|be one of|accept you|be accepted",
    "approval": r"approv\w*|be liked|pleas(?:e|ing)\b|impress\w*|validation|praise|win(?:ning)? (?:him|her|them|people) over|keep(?:ing)? (?:everyone|everybody|people) happy|be admired|make (?:a )?good impression|like you",
    "fairness": r"fair\w*|justice|recognition|respect\w*|an apology|apologi[sz]e|say (?:he's |she's |they're )?sorry|be heard|taken seriously|what(?:'s| is) (?:right|due|yours)",
    "avoid": r"avoid\w*|dodg\w+|put(?:ting)? (?:it |this |that |things |\w+ )?off|run(?:ning)? (?:away|from)|escap\w+|sidestep\w*|(?:have to |not )fac(?:e|ing)|get(?:ting)? out of|procrastinat\w+|evad\w+|steer(?:ing)? clear|not (?:to )?(?:think about|deal with|know)",
    "hide": r"(?:find(?:ing)?|found) you out|cover(?:ing)? your tracks|suspect|hid(?:e|ing)\b|conceal\w*|keep(?:ing)? (?:it |this |that )?(?:a )?secret|cover(?:ing)? (?:it |this |that )?up|pretend\w*|keep(?:ing)? up appearances|not (?:be )?found out|save face",
    "protect_self": r"protect(?:ing)? yourself|guard(?:ing)? yourself|not (?:to )?(?:be|get) hurt|keep(?:ing)? yourself safe|be safe\b(?! with)",
    "protect_other": r"protect\w*|spar(?:e|ing) (?:him|her|them|your)|shield\w*|(?:look(?:ing)? after|tak(?:e|ing) care of)(?! your(?:self|\w* (?:heart|body|health|own|back|lungs))\b)(?! yourself)|keep(?:ing)? (?:him|her|them|your \w+) safe|(?:him|her|them|your \w+) to be (?:safe|well|warm|all right)|safe\b",
    "give_up": r"giv(?:e|ing) up|quit\w*|walk(?:ing)? away|be rid of|leave (?:him|her|it all|everything)|end it",
    "independence": r"independen\w*|on your own|(?:do|manage) it (?:alone|yourself)|by yourself|freedom|stand on your own|your own space",
    "rest": r"(?<!at )(?<!mind to )rest\b|peace (?:and|for)|some peace|in peace|quiet|a break|sleep|time (?:to|for) yourself|switch off|be left alone|an evening (?:to|for) yourself",
    "save_money": r"(?:sav(?:e|ing)|spend(?:ing)? less) (?:\w+ )?(?:money)?|afford|pay for|the money|money",
    "be_healthy": r"health\w*|(?:get(?:ting)?|stay(?:ing)?|keep(?:ing)?) fit\b(?! in)|get(?:ting)? well|stay(?:ing)? well",
    "repair": r"mak(?:e|ing) (?:it|things|amends|up)(?: up)?(?: to| with| for)?|put(?:ting)? (?:it|things) right|apologi[sz]ing|say(?:ing)? sorry|repair\w*",
    "do_well": r"do(?:ing)? (?:it |things )?well|succeed\w*|get(?:ting)? it right|improv\w+|learn\w*|understand where|be good at|good job",
    "compete": r"outshin\w+|come second|one better|one[- ]up\b|beat(?:ing)?\b|better than|outdo\w*|superior|upstag\w+|compet\w+|win\b(?! (?:\w+ )?(?:back|over)| (?:\w+ ){1,3}(?:approval|trust|opinion|favour|favor|heart))",
    "closeness": r"clos(?:e|er|eness)\b|be loved|connect\w*|(?:him|her|them|it all) back|compan(?:y|ionship)|be understood|not (?:be|being) alone|near (?:him|her|them)|love\b|hold on to (?:him|her|them)|stay connected",
}  # fmt: skip
_CLASSES: Final = tuple((name, re.compile(rf"\b(?:{terms})", re.I)) for name, terms in MOTIVES.items())

NOTHING: Final = "none"
LABELS: Final[tuple[str, ...]] = (*MOTIVES, NOTHING)
WORDED: Final = 0.4
"""Weight of a class's own words beside the sentence vector."""
SURE: Final = 0.28
"""Probability from which the likeliest class counts."""
BACKED: Final = 0.1
"""Probability that a class needs whose own words are said: words out of place are not enough."""


@dataclass(frozen=True, slots=True)
class MotiveHead:
    """A multinomial logistic head over a purpose: its sentence vector and the classes whose words it holds.

    Attributes:
        weights: (n + 1, d + n), for n classes and vectors of d numbers. bias: (n + 1,).
        fitted_on: Name of the encoder whose vectors it reads.
    """

    weights: Floats
    bias: Floats
    fitted_on: str

    def __call__(self, purpose: str, embed: Embedder) -> dict[str, float]:
        """Probability of every class, and of none, for the words of a purpose."""
        score = self.weights @ features(purpose, embed) + self.bias
        weight = np.exp(score - score.max())
        return dict(zip(LABELS, (weight / weight.sum()).tolist(), strict=True))


def features(purpose: str, embed: Embedder) -> Floats:
    """What the head sees of a purpose. (d + n,)"""
    worded = [float(bool(terms.search(purpose))) for _, terms in _CLASSES]
    return np.concatenate([embed([purpose])[0], WORDED * np.array(worded)]).astype(np.float64)


def worded_class(words: str) -> str | None:
    """The first class whose own words are said."""
    return next((name for name, terms in _CLASSES if terms.search(words)), None)


@lru_cache(maxsize=20_000)
def motive_of(purpose: str, sure: float = SURE) -> str | None:
    """The class of a purpose ("so that nobody would know"); None for one of no class, or of an uncertain one.

    Raises:
        ModelUnavailable: weights or tokenizer of the encoder are missing or not the pinned ones.
    """
    chances = packaged_head()(purpose, shared_minilm())
    worded = worded_class(purpose)
    if worded is not None and chances[worded] >= BACKED:
        return worded
    best = max(chances, key=lambda name: chances[name])
    return best if best != NOTHING and chances[best] >= sure else None


@lru_cache(maxsize=1)
def packaged_head() -> MotiveHead:
    """The head in the package, fitted by `recipes/fit_reads_into_and_lost.py`."""
    with as_file(files("maieutic") / "gap" / "weights" / "motives.npz") as path, np.load(path) as stored:
        return MotiveHead(
            stored["weights"].astype(np.float64), stored["bias"].astype(np.float64), str(stored["fitted_on"])
        )


__all__ = ["LABELS", "MOTIVES", "NOTHING", "MotiveHead", "features", "motive_of", "packaged_head", "worded_class"]
