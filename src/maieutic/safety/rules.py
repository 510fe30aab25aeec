"""The risk rules: plain sentences that mean danger, each held back by denial, distance in time and fiction.

Rules are there to be sure, not to be complete: what they miss is the learned head's part (see `risk.py`). Eleven of the
39 phrases found danger that the head had missed, the others stay for plain sentences that nothing may miss
(docs/reading-patterns.md).
"""

from __future__ import annotations

import re
from typing import Final

from maieutic.safety.patterns import (
    DISTANT,
    MEDIA,
    NEGATION,
    NOT_A_NEGATION,
    RECENT,
    Grade,
    Rule,
)

_SELF_KILL = (
    r"(?:(?:kill|killing|unalive|unaliving|hang|hanging|drown|drowning|shoot|shooting|end|ending) (?:myself|my self)|"
    r"(?:take|taking|end|ending) my (?:own )?life|(?:commit|committing) suicide|die by my own hand)"
)
_WANT = (
    r"(?:i|i'm|i am|i'll|i will|i've|i have) (?:\w+ ){0,3}?(?:want(?:ed)?|going|plan|planning|ready"
    r"|decided|intend|about|"
    r"trying|wish|need|meaning|think(?:ing)? (?:about|of))(?: to)?"
)


def _rule(kind: str, grade: Grade, *parts: str, own_past: bool = False) -> Rule:
    return Rule(kind, grade, re.compile("|".join(f"(?:{part})" for part in parts)), own_past=own_past)


RULES: Final[tuple[Rule, ...]] = (
    _rule(
        "suicide",
        "active",
        rf"\b{_WANT} {_SELF_KILL}",
        rf"\bi(?:'ll|'d| will| might| could| may| would) (?:\w+ )?{_SELF_KILL}",
        rf"\b(?:urges?|thoughts?|plans?|ways?|how|courage|myself) (?:to|of|for|about) {_SELF_KILL}",
        rf"^{_SELF_KILL}\b",
        rf"\b(?:stop|keep|am|i'm|been) (?:\w+ )?(?:thinking|dreaming|fantasi\w+) (?:about|of) {_SELF_KILL}",
        r"\bi(?:'m| am|'ve been| feel) (?:\w+ ){0,2}suicidal\b",
        r"\bkms tonight\b",
        r"\bi (?:really |just |do )?want to die(?! (?:of|from|when|laughing|inside)\b)",
        r"\bplanning my (?:own )?(?:suicide|death)\b",
        r"\bmy suicide (?:note|plan|letter)\b",
        r"\bi (?:won't|will not|don't plan to|don't intend to) be alive\b",
        r"\b(?:i(?:'m| am)|been) (?:going to|about to|ready to|planning to) (?:end it(?: all)?|overdose"
        r"|end things|jump)"
        r"(?= ?(?:$|[.,!;]|tonight|now|today|all|and|i ))",
        r"\bi'm ending (?:it|things|it all)(?: tonight| today|\.|$)",
    ),
    _rule(
        "suicide",
        "active",
        r"\bi (?:\w+ )?(?:tried|attempted|nearly managed|almost managed) to (?:kill myself|end (?:it|my "
        r"life)|take my (?:own )?life|hang myself)",
        r"\bmy (?:last |recent |second |third )?(?:suicide )?attempt\b(?= (?:and|on|last|yesterday|this|i"
        r"|didn't|failed))",
        r"\bi almost killed myself\b",
        own_past=True,
    ),
    _rule(
        "substance",
        "active",
        r"\bi(?:'ve| have|'ve just| just)? (?:just |already )?(?:took|taken|swallowed) (?:an overdose|too "
        r"(?:much|many)|"
        r"(?:all|the whole|a load|loads|a handful|a bunch|the lot|far too|way more|way too|a lot) "
        r"?(?:of)?(?: my| the| them| of)?)"
        r"(?! (?:work|on|time|criticism|responsibility|cake|food|biscuits))"
        r"(?! ?(?:(?!(?:pills?|tablets?|capsules?|and|with|under|between|beside|near|in|on|at|by) )\w+ "
        r"){0,3}(?:pictures|photos|posters|books)\b)",
        r"\bi (?:\w+ )?overdosed\b",
        r"\b(?:she|he|friend|they)(?:'s| is) (?:unconscious|turning blue|not breathing)",
        r"\b(?:can't|cannot) wake (?:him|her|them)\b.{0,60}|\bhard to wake\b",
        own_past=True,
    ),
    _rule(
        "suicide",
        "passive",
        r"\bi(?:'d| would)? (?:\w+ )?(?:don't|do not|didn't|no longer|never) (?:\w+ )?(?:want|wish|care) (?:to|about) "
        r"(?:be alive|live|exist|liv(?:e|ing)|go on living|staying alive|being alive|wake up)(?! (?:in"
        r"|with|at|like that|near|there|on my)\b)",
        r"\b(?:wish|wishing|hope|hoping|pray|praying|rather) (?:that )?(?:i|god|to|it) (?:\w+ )?(?:(?:was"
        r"|were|be) (?:dead|never born)|"
        r"(?:wasn't|weren't) alive|could die|would die|take[s]? me|don't wake up|didn't wake up|wouldn't "
        r"wake up|wasn't born|"
        r"had died|had never been born|had died)",
        r"\bbetter off (?:without me(?: (?:here|around|alive|in it))?$|without me\.|dead|with me (?:dead"
        r"|gone)|if i (?:was|were|wasn't|"
        r"weren't|died|just died)(?: (?:dead|gone|not here|here|around|alive))?)",
        r"\b(?:no|any|a|one) (?:reason|will|point|wish) (?:for me |left )?(?:to|in|of) (?:go on living"
        r"|live\b|living|be alive|being alive|"
        r"stay alive|staying alive|still be here)",
        r"\b(?:tired|sick|done|weary|finished) (?:of|with) (?:living|being alive|life)(?=[.,;!?]|$| and| so)",
        r"\b(?:life|it|living)(?:'s| is|'s just| feels|) (?:not|hardly|no longer|isn't) (?:\w+ )?worth living",
        r"\bi hate being alive",
        r"\bnot waking up\b",
        r"\b(?:thoughts?|thinking|think) (?:about|of) (?:\w+ )?(?:suicide|dying a lot|being dead|my own "
        r"death|ending (?:my|it all))",
        r"\bsuicidal (?:thoughts?|feelings?|urges?|ideation)",
        r"\bwhy am i (?:even |still )?(?:alive|living|breathing)",
        r"\bi (?:don't|do not) deserve to (?:live|be alive)",
    ),
    _rule(
        "self_harm",
        "active",
        r"\bi(?:'m|'ve| have| am)? (?:\w+ ){0,3}?(?:cut|cutting|hurt|hurting|harm|harming|harmed|slash\w*"
        r"|burn|burned|burnt|punish) (?:myself|my "
        r"(?:own )?(?:\w+ )?(?:arms?|wrists?|legs?|thighs?|skin|stomach))(?! (?:off|on the|cooking|shaving"
        r"|by accident|accidentally))",
        r"\b(?:urges?|want|need|itch|going|started|stop|impulse) (?:to|of|for)? ?(?:cut|hurt|harm|cutting"
        r"|hurting|harming) (?:myself|again|so badly)",
        r"\bi(?:'ve)? (?:\w+ )?(?:been |started |relapsed with (?:the )?)(?:self.?harm\w*|cutting)(?! "
        r"(?:down|back|out|corners|it|the|wood|grass|ties))",
        r"\bi self.?harm\b",
        own_past=True,
    ),
    _rule(
        "abuse",
        "active",
        r"\b(?:he|she|they|my (?:\w+ )?(?:husband|wife|partner|boyfriend|girlfriend|ex|dad|father|mum|mom"
        r"|mother|brother|son)) (?:\w+ )?"
        r"(?:hits?|beats?|punche[sd]|slap(?:s|ped)|kick(?:s|ed)|choke[sd]|strangle[sd]|rape[sd]|burned) me\b"
        r"(?! (?:at|in|to|how|as|out|off|with (?:the|a|his|her))\b)",
        own_past=True,
    ),
    _rule(
        "child_at_risk",
        "active",
        r"\b(?:i|he|she) (?:\w+ )?(?:shook|slapped|hits?|beats?|burned|threw) (?:my|the|our|his|her) (?:\w+ )?"
        r"(?:baby|son|daughter|kids?|child|children|toddler)\b",
        own_past=True,
    ),
)

_DENIED_INSIDE = re.compile(
    r"^(?:i(?:'m|'ve|'d| am| have| would| will| could)?|thoughts?) (?:\w+ )?(?:not|never|no|neither|don't have)\b"
)
_SENTENCE = re.compile(r"[^.!?;\n]+[.!?;]*")


def find(text: str) -> tuple[Rule, str] | None:
    """The gravest rule that holds in the normalised text and the words it held on to; None where none does."""
    weakest: tuple[Rule, str] | None = None
    for sentence in _SENTENCE.findall(text):
        for rule in RULES:
            match = rule.pattern.search(sentence)
            if match is None or _held_back(rule, sentence, match.start(), text):
                continue
            if rule.grade == "active":
                return rule, match.group().strip()
            weakest = weakest or (rule, match.group().strip())
    return weakest


def _held_back(rule: Rule, sentence: str, start: int, whole: str) -> bool:
    # Blanked at equal length, so that "can't stop" counts as a whole although the match begins at "stop".
    before = NOT_A_NEGATION.sub(lambda m: " " * len(m.group()), sentence)[:start]
    if NEGATION.search(before):
        return True
    if rule.grade == "active" and _DENIED_INSIDE.search(sentence[start:]):
        return True
    if MEDIA.search(sentence):
        return True
    distant = DISTANT.search(whole) is not None
    return distant and (RECENT.search(sentence) is None or (rule.own_past and RECENT.search(whole) is None))
