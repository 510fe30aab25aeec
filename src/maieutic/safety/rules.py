"""The risk rules: families of plain sentences that mean danger, each held back by denial, distance in time and fiction.

Rules are there to be sure, not to be complete: what they miss is the learned head's part (see `risk.py`).
"""

from __future__ import annotations

import re
from typing import Final

from maieutic.safety.patterns import (
    BENIGN_TAIL,
    DISTANT,
    MEDIA,
    NEGATION,
    NOT_A_NEGATION,
    RECENT,
    Grade,
    Rule,
    mask_idioms,
)

_SELF_KILL = (
    r"(?:(?:kill|killing|unalive|unaliving|hang|hanging|drown|drowning|shoot|shooting|end|ending) (?:myself|my self)|"
    r"(?:take|taking|end|ending) my (?:own )?life|(?:commit|committing) suicide|die by my own hand)"
)
_WANT = (
    r"(?:i|i'm|i am|i'll|i will|i've|i have) (?:\w+ ){0,3}?(?:want(?:ed)?|going|plan|planning|ready|decided|intend|about|"
    r"trying|wish|need|meaning|think(?:ing)? (?:about|of))(?: to)?"
)
_FAMILY = r"(?:husband|wife|partner|boyfriend|girlfriend|ex|dad|father|mum|mom|mother|step\w+|brother|sister|son|uncle|flatmate)"
_SOMEONE = rf"(?:he|she|they|my (?:\w+ )?{_FAMILY}|somebody|someone)"
_HURTS = (
    r"(?:hits?|beats?|punche[sd]|punches|slaps|slapped|kicks|kicked|chokes|choked|strangle[sd]|raped?|rapes|stabbed|burn(?:s|ed)|"
    r"molest(?:s|ed)|assaulted|attacked|threatens|threatened)"
)
_CHILD = (
    r"(?:(?:my|the|our|his|her|their|a) (?:\w+ ){0,2}?(?:baby|son|daughter|kids?|child|children|toddler|boy|girl|little one|"
    r"niece|nephew|newborn|grand(?:son|daughter)|\w+ year old|twins))"
)
_VOICE = (
    r"(?:voices?|god|jesus|angels?|satan|(?:the )?devil|demons?|spirits?|whisper(?:s|ing)|tv|television|radio|satellite|chip|"
    r"it|they|he|people|ppl)"
)
_ORDER = r"(?:tell(?:s|ing)?|told|say(?:s|ing)?|order(?:s|ed|ing)?|command(?:s|ed|ing)?|want(?:s|ed)?)"
_BIRTH = (
    r"(?:birth|born|newborn|labour|labor|delivery|delivered|c-section|maternity|postpartum|days? old|weeks? old|had (?:the|my|our) baby|"
    r"(?:five|six|nine|ten|\w+)-day-old|milk|midwife|christened)"
)
_FAINT = (
    r"(?:faint\w*|pass(?:ed|ing)? out|collaps\w+|black(?:ed|ing)? out|blood|heart|chest|bmi|hospital|a&e|potassium|pulse|can't stand|"
    r"dizzy|weigh less)"
)


def _rule(kind: str, grade: Grade, *parts: str, own_past: bool = False) -> Rule:
    return Rule(kind, grade, re.compile("|".join(f"(?:{part})" for part in parts)), own_past=own_past)


RULES: Final[tuple[Rule, ...]] = (
    _rule(
        "suicide", "active",
        rf"\b{_WANT} {_SELF_KILL}", rf"\bi(?:'ll|'d| will| might| could| may| would) (?:\w+ )?{_SELF_KILL}",
        rf"\b(?:urges?|thoughts?|plans?|way|ways|how|courage|myself) (?:to|of|for|about) {_SELF_KILL}", rf"^{_SELF_KILL}\b", rf"\b(?:stop|keep|am|i'm|been) (?:\w+ )?(?:thinking|dreaming|fantasi\w+) (?:about|of) {_SELF_KILL}",
        r"\bi(?:'m| am| feel| am feeling|'m feeling|'ve been|'ve been feeling) (?:\w+ )?suicidal\b", r"\bkms tonight\b",
        r"\bi (?:really |just |do )?want to die(?! (?:of|from|when|laughing|inside)\b)", r"\bplanning my (?:own )?(?:suicide|death)\b",
        r"\bmy suicide (?:note|plan|letter)\b", r"\bi (?:won't|will not|don't plan to|don't intend to) be alive\b",
        r"\b(?:i(?:'m| am)|been) (?:going to|about to|ready to|planning to) (?:end it(?: all)?|overdose|end things|jump)"
        r"(?= ?(?:$|[.,!;]|tonight|now|today|all|and|i ))",
        r"\bi'm ending (?:it|things|it all)(?: tonight| today|\.|$)",
    ),
    _rule(
        "suicide", "active",
        r"\bi (?:\w+ )?(?:tried|attempted|nearly managed|almost managed) to (?:kill myself|end (?:it|my life)|take my (?:own )?life|hang myself)",
        r"\bmy (?:last |recent |second |third )?(?:suicide )?attempt\b(?= (?:and|on|last|yesterday|this|i|didn't|failed))",
        r"\bi almost killed myself\b", own_past=True,
    ),
    _rule(
        "substance", "active",
        r"\bi(?:'ve| have|'ve just| just)? (?:just |already )?(?:took|taken|swallowed) (?:an overdose|too (?:much|many)|"
        r"(?:all|the whole|a load|loads|a handful|a bunch|the lot|far too|way more|way too|a lot) ?(?:of)?(?: my| the| them| of)?)"
        r"(?! (?:work|on|time|criticism|responsibility|cake|food|biscuits))"
        r"(?! ?(?:(?!(?:pills?|tablets?|capsules?|and|with|under|between|beside|near|in|on|at|by) )\w+ ){0,3}(?:pictures|photos|posters|books)\b)",
        r"\bi (?:\w+ )?overdosed\b", r"\b(?:she|he|friend|they)(?:'s| is) (?:unconscious|turning blue|not breathing)",
        r"\b(?:can't|cannot) wake (?:him|her|them)\b.{0,60}|\bhard to wake\b", own_past=True,
    ),
    _rule(
        "substance", "active",
        r"\b(?:stopped|quit|quitting|come off|coming off|detoxing|without (?:booze|a drink|drink)|haven't had a (?:drink|drop)|no drink)\b"
        r".{0,70}\b(?:shak\w+|seizures?|fits?\b|hallucinat\w+|seeing (?:things|insects|people|spiders)|twitch\w+|spiders)",
        r"\b(?:shak\w+|seizures?|sweat\w+)\b.{0,60}\b(?:haven't had a (?:drink|drop)|stopped drinking|quit drinking|withdrawal)",
        own_past=True,
    ),
    _rule(
        "suicide", "passive",
        r"\bi(?:'d| would)? (?:\w+ )?(?:don't|do not|didn't|no longer|never) (?:\w+ )?(?:want|wish|care) (?:to|about) "
        r"(?:be alive|live|exist|liv(?:e|ing)|go on living|staying alive|being alive|wake up)(?! (?:in|with|at|like that|near|there|on my)\b)",
        r"\b(?:wish|wishing|hope|hoping|pray|praying|rather) (?:that )?(?:i|god|to|it) (?:\w+ )?(?:(?:was|were|be) (?:dead|never born)|"
        r"(?:wasn't|weren't) alive|could die|would die|take[s]? me|don't wake up|didn't wake up|wouldn't wake up|wasn't born|"
        r"had died|had never been born|had died)",
        r"\bbetter off (?:without me(?: (?:here|around|alive|in it))?$|without me\.|dead|with me (?:dead|gone)|if i (?:was|were|wasn't|"
        r"weren't|died|just died)(?: (?:dead|gone|not here|here|around|alive))?)",
        r"\b(?:no|any|a|one) (?:reason|will|point|wish) (?:for me |left )?(?:to|in|of) (?:go on living|live\b|living|be alive|being alive|"
        r"stay alive|staying alive|still be here)", r"\b(?:tired|sick|done|weary|finished) (?:of|with) (?:living|being alive|life)(?=[.,;!?]|$| and| so)",
        r"\b(?:life|it|living)(?:'s| is|'s just| feels) (?:not|hardly|no longer|isn't) worth (?:living|it any more)",
        r"\b(?:life|living) isn't worth living", r"\bi hate being alive", r"\bnot waking up\b",
        r"\b(?:thoughts?|thinking|think) (?:about|of) (?:\w+ )?(?:suicide|dying a lot|being dead|my own death|ending (?:my|it all))",
        r"\bsuicidal (?:thoughts?|feelings?|urges?|ideation)", r"\bwhy am i (?:even |still )?(?:alive|living|breathing)",
        r"\bi (?:don't|do not) deserve to (?:live|be alive)",
    ),
    _rule(
        "self_harm", "active",
        r"\bi(?:'m|'ve| have| am)? (?:\w+ ){0,3}?(?:cut|cutting|hurt|hurting|harm|harming|harmed|slash\w*|burn|burned|burnt|punish) (?:myself|my "
        r"(?:own )?(?:\w+ )?(?:arms?|wrists?|legs?|thighs?|skin|stomach))(?! (?:off|on the|cooking|shaving|by accident|accidentally))",
        r"\b(?:urges?|want|need|itch|going|started|stop|impulse) (?:to|of|for)? ?(?:cut|hurt|harm|cutting|hurting|harming) (?:myself|again|so badly)",
        r"\bi(?:'ve)? (?:\w+ )?(?:been |started |relapsed with (?:the )?)(?:self.?harm\w*|cutting)(?! (?:down|back|out|corners|it|the|wood|grass|ties))",
        r"\bi self.?harm\b", own_past=True,
    ),
    _rule(
        "harm_to_others", "active",
        r"\b(?:i'm|i am|i'll|i will|i want to|want|urges?|thoughts?|thinking|plan|planning|about)(?: going| plan\w*| about)?(?: to| of| about)? "
        r"(?:kill|killing|murder|stab|stabbing|shoot|strangle|strangling|poison|hurt|attack|hurting)\w* (?:him|her|them|people|someone|"
        rf"somebody|both|my (?:\w+ )?{_FAMILY}|my (?:\w+ )?(?:boss|neighbour|colleague))\b(?=.{{0,120}}\b(?:knife|gun|axe|tonight|now|plan|planned|"
        r"real|waiting|next room|address|blade|hammer|bought|mean it|joking|exaggerat\w*|not a figure|smashing|pulled|outside|when he comes|"
        r"when she comes|details|can't stop|scared|afraid))",
        r"\bi(?:'m| am|'ve been| feel) homicidal\b", r"\b(?:shoot|blow) up the (?:place|school|office|building)",
        r"\bi(?:'m| am) (?:really )?(?:going to|planning to) (?:kill|murder|stab|shoot|strangle) (?:my (?:wife|husband|ex\b|boss|mother|father)|him|her|them)"
        r"(?=[.!]|$| and (?:i mean|then))",
    ),
    _rule(
        "abuse", "active",
        rf"\b{_SOMEONE} (?:still |again |just |also |even |often |always )?{_HURTS} me\b(?! (?:at|in (?:chess|tennis|squash)|to it|how|as|out of (?:the|my|our|a) (?:hospital|surgery|clinic|class|school|team|band|group|club|shop|bar|pub)|with (?:a question|"
        r"divorce|the news|his lawyer)))",
        r"\b(?:was|been|being) (?:raped|sexually assaulted|strangled|beaten|abused|hit)\b(?= (?:\w+ ){0,3}?(?:by|at home|today|yesterday|last|this|two days|"
        r"on|on the way|again))", rf"\b{_SOMEONE} (?:says|said|swears|swore|threatened)(?: that)? (?:he|she|they)?(?:'ll| will| would| to) (?:\w+ )?(?:kill|find|hurt|stab) me",
        r"\bi(?:'m| am) not safe (?:at home|in this house|here)", r"\b(?:afraid|scared|frightened|terrified) (?:to go home|for my life|of what he'll do|he'll kill)",
        r"\b(?:forces|forced) (?:me to have sex|himself on me)", r"\bhe(?:'s| is) (?:going to|really going to) (?:kill|really hurt|hurt) me\b",
        own_past=True,
    ),
    _rule(
        "child_at_risk", "active",
        rf"\b(?:i|he|she|husband|wife|partner|boyfriend|girlfriend|ex|uncle|mother|father|grandad|stepdad|brother) (?:\w+ )?(?:shook|slapped|hits?|beats?|"
        rf"molest(?:s|ed|ing)|burned|abus(?:es|ing|ed)|is hurting|hurts|threw) {_CHILD}", rf"\b(?:going to|scared i'll|afraid i'll|might) (?:hurt|shake|throw|harm) {_CHILD}",
        rf"\b(?:touches|hurts|beats|molests) (?:her|him|them|{_CHILD}) (?:at night|down there|when|with)", r"\bdanger to my (?:own )?(?:kids|children|baby)",
        own_past=True,
    ),
    _rule(
        "psychosis", "active",
        rf"\b{_VOICE} (?:\w+ ){{0,3}}?{_ORDER} (?:me |that i )?(?:to |i (?:have|must|should|need) (?:to )?|should )?(?:\w+ ){{0,4}}?(?:kill|die|hurt|harm|jump|cut|burn|"
        r"stab|sacrifice|hang|obey|do it|end it)\w*(?=.*\b(?:voices?|hear\w*|god|order\w*|command\w*|wall|chip|radiator|obey|instructions|angels?|devil|spirits?|jesus)\b)", r"\bvoices?\b.{0,40}\b(?:tell|telling|order|orders|command|want me dead|told me)\b.{0,40}\b(?:kill|die|hurt|cut|jump|stab|tablets|burn|end)",
    ),
    _rule(
        "mania", "active",
        r"\b(?:haven't slept|no sleep|not slept|without sleep|nights without|been up for|been awake for|don't need (?:to )?sleep|nights no sleep)\b.{0,200}"
        r"\b(?:invincible|immortal|fly|chosen|power|can't die|nothing can|can't be killed|protected|mission|traffic|top speed|off my meds|no meds|stopped the)",
        r"\b(?:invincible|immortal|fly|chosen one|off my meds|stopped the (?:lithium|mood))\b.{0,200}\b(?:haven't slept|no sleep|slept since|without sleep|nights|awake)",
    ),
    _rule(
        "postpartum", "active",
        rf"\b{_BIRTH}\b.{{0,160}}\b(?:devil|evil|possessed|antichrist|demon|swapped|isn't (?:mine|human)|sacrific\w+|false one|voice (?:\w+ )?(?:tell|say)\w*|doll|must die|"
        r"must end|have to die|both have to)", r"\b(?:baby|newborn|son|daughter|she|he)(?:'s| is)? (?:\w+ )?(?:evil|possessed|the antichrist|not human|swapped)\b",
    ),
    _rule(
        "eating", "active",
        rf"\b(?:haven't eaten|not eat(?:en|ing)|eaten nothing|had nothing but|starving myself|fast until|purg\w+|vomit\w*|throw(?:ing)? up after|laxatives|living on|bulimic|"
        rf"skip the insulin|stopped taking my insulin)\b.{{0,120}}\b{_FAINT}", rf"\b{_FAINT}.{{0,80}}\b(?:haven't eaten|not eating|purging|laxatives|starving myself)",
        r"\bstarving myself and i can't stop",
    ),
)  # fmt: skip

_DENIED_INSIDE = re.compile(
    r"^(?:i(?:'m|'ve|'d| am| have| would| will| could)?|thoughts?) (?:\w+ )?(?:not|never|no|neither|don't have)\b"
)
_SENTENCE = re.compile(r"[^.!?;\n]+[.!?;]*")


def find(text: str) -> tuple[Rule, str] | None:
    """The gravest rule that holds in the normalised text and the words it held on to; None where none does."""
    weakest: tuple[Rule, str] | None = None
    masked = mask_idioms(text)
    for sentence in _SENTENCE.findall(masked):
        for rule in RULES:
            match = rule.pattern.search(sentence)
            if match is None or _held_back(rule, sentence, match.start(), masked):
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
    if MEDIA.search(sentence) or BENIGN_TAIL.search(whole):
        return True
    distant = DISTANT.search(whole) is not None
    return distant and (RECENT.search(sentence) is None or (rule.own_past and RECENT.search(whole) is None))
