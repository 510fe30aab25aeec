"""Cues for the learned head: coarse marks of who, when, how sure and about what, which single words do not carry.

They are counted beside the word and character n-grams (see `head.py`) so that the head can weigh a danger word by its
frame: denied, long ago, somebody else's, in a film, or the speaker's own and now.
"""

from __future__ import annotations

import re
from typing import Final

from maieutic.safety.patterns import BENIGN_TAIL, DISTANT, IDIOM, MEDIA, NEGATION, NOT_A_NEGATION, RECENT, mask_idioms
from maieutic.safety.signs import COMPILED

_NEAR: Final = r"(?:\W+\w+){0,4}\W+"
_DENIED: Final = r"\b(?:no|not|never|haven't|don't|didn't|wouldn't|couldn't|isn't|wasn't|none|nothing|zero|without)\b"
_DEATH: Final = (
    r"(?:die|dying|dead|death|suicid\w*|kill\w*|end (?:it|my)|ending (?:it|my)|alive|liv(?:e|ing)|exist\w*|wake up|waking up|"
    r"unalive|be here|harm\w*|hurt\w*|cut\w*)"
)
_PARTNER: Final = (
    r"(?:he|she|they|husband|wife|partner|boyfriend|girlfriend|ex|dad|father|mum|mom|mother|stepdad|brothers?|son|uncle|"
    r"landlord|carer|coach|family|flatmate)"
)
_STRIKE: Final = (
    r"(?:hit\w*|beat\w*|punch\w*|slap\w*|kick\w*|chok\w*|strangl\w*|stab\w*|rap(?:e|ed|es)\b|attack\w*|burn\w*|push\w*|shov\w*|"
    r"threw|throw\w*|drag\w*|grab\w*|smash\w*|broke\w*|hurt\w*|kill\w*|shak\w*|shook|shoot\w*|shot|threat\w*|forc\w*|lock\w*|"
    r"touch\w*|molest\w*|follow\w*|stalk\w*|tie[sd]?|abus\w*)"
)
_CHILD: Final = (
    r"(?:baby|babies|son|daughter|kids?|child(?:ren)?|toddlers?|boys?|girls?|twins|newborn|niece|nephew|granddaughter|grandson|"
    r"little one|year old|sisters?|pupils?|infant)"
)

CUES: Final[dict[str, re.Pattern[str]]] = {
    name: re.compile(pattern)
    for name, pattern in {
        "denied_death": rf"{_DENIED}{_NEAR}{_DEATH}",
        "answer_no": r"^(?:no|nope|none|never|not)\b|\bthe answer is no\b|\bfigure of speech\b|\bi'm (?:safe|fine|okay|ok)\b",
        "wish_not_alive": r"\b(?:wish|hope|want|rather|pray|glad|relie\w+|welcome|ready|long(?:ing)?|jealous|envy)\b.{0,40}\b(?:dead|die|gone|"
        r"not exist\w*|never (?:been )?born|disappear|my turn|the end|not (?:be|wake))\b",
        "not_want_life": rf"\b(?:don't|do not|no longer|can't|never|without|no)\b{_NEAR}(?:live|living|alive|exist|wake up|be here|go on|another year)\b",
        "own_death": r"\b(?:i'm|i am|me|my|myself|i'll be|i'd be|i was|i were)\b.{0,25}\b(?:dead|death|funeral|dying|suicid\w*|gone)\b",
        "without_me": r"\b(?:without me|if i (?:was|were|wasn't|weren't|died)|i'm gone|me dead|rid of me|free of me|miss me|notice if)\b",
        "myself_harmed": rf"\b(?:kill|end|hurt|harm|cut|burn|punish|hit|hang|drown|punch|scratch|slic|carv|slash)\w*{_NEAR}(?:myself|my (?:\w+ )?"
        r"(?:life|arms?|wrists?|legs?|thighs?|skin|head|hand|face))\b",
        "suicide_word": r"\bsuicid\w*|\bunalive|\bkms\b|\boverdos\w*|\bself.?harm\w*",
        "it_tonight": r"\b(?:do|end|finish|ending|doing) it\b|\bgoing to do (?:it|something)\b|\bmade up my mind\b|\bi've decided\b",
        "goodbye": r"\bgoodbye\b|\bmy last (?:session|day|week)\b|\b(?:letters?|note) (?:for|to)\b|\bmy will\b|\bgave away\b|\bgiving away\b|"
        r"\bwon't (?:be|need|hear)\b",
        "means": r"\b(?:pills?|tablets?|rope|blade|razor|gun|knife|knives|bridge|roof|rail\w*|tracks|train|balcony|window|edge|garage|river|bullet|"
        r"shotgun|axe|hammer|petrol)\b",
        "have_means": r"\b(?:have|got|bought|saved|saving|hid\w*|counted|keep|holding|in my (?:hand|lap))\b.{0,40}\b(?:means|what i need\w*|everything i need|"
        r"pills|tablets|gun|knife|blade|rope|razor|axe)\b",
        "strike_person": r"\b(?:kill|murder|stab|shoot|strangl|poison|smash|hurt|beat|attack|burn|break|punch|bleed)\w*\W+(?:\w+\W+)?(?:him|her|them|people|"
        r"someone|somebody|anyone|his|both|my (?:wife|husband|ex|boss|mum|mother|father|flatmate|neighbour))\b",
        "pay": r"\b(?:they'll pay|will pay|make (?:her|him|them) pay|he's next|you're next|i have a list|be sorry|he's dead|wants? him dead|want him dead)\b",
        "struck_me": rf"\b{_PARTNER}\b(?:\W+\w+){{0,3}}\W+{_STRIKE}\W+(?:\w+\W+){{0,2}}me\b",
        "threat_me": r"\b(?:kill|find|hurt|stab|shoot|rape) me\b|\bat home\b.{0,30}\b(?:hit|afraid|safe|scared)\b|\b(?:afraid|scared|frightened) (?:to go|of (?:him|what))",
        "strike_child": rf"\b{_STRIKE}{_NEAR}{_CHILD}\b",
        "child_struck": rf"\b{_CHILD}\b.{{0,40}}\b(?:bruis\w*|burns?|marks|welts|starv\w*|bleed\w*|screaming|alone|begged|unconscious|handprint|broken)\b",
        "child": rf"\b{_CHILD}\b",
        "voices": r"\b(?:voices?|whisper\w*|instructions|orders?|command\w*|signals?|chip|satellite|angels?|devil|demons?|satan|possessed)\b",
        "told_to": r"\b(?:tell|tells|telling|told|says?|saying|orders?|ordered|command\w*|wants?) (?:me |that )?(?:to|i (?:must|have to|should)|do it)\b",
        "must_obey": r"\b(?:obey|disobey|have to do it|i must|sacrific\w*|mission|chosen|prophec\w*|antichrist)\b",
        "no_sleep": r"\b(?:haven't slept|not slept|no sleep|don't need (?:to )?sleep|nights?|awake|days) (?:for |in |without |since |a |no )?",
        "invincible": r"\b(?:invincible|immortal|fly|untouchable|nothing can|can't be killed|can't die|chosen|genius|power|protected|unstoppable)\b",
        "birth": r"\b(?:birth|born|newborn|labour|maternity|postpartum|weeks? old|days? old|\w+-day-old|delivery|c-section|new mum)\b",
        "birth_strange": r"\b(?:evil|devil\w*|swapped|possessed|not mine|isn't mine|test|fake|false|poison\w*|sacrific\w*|heaven|code|ticking|antichrist)\b",
        "intoxicated": r"\b(?:took|taken|taking|swallowed|mixed|used|using|shot up|injected|drank|drunk|high|dose|benzos|xanax|vodka|spirits|methadone|"
        r"heroin|coke|withdraw\w*|detox\w*|binge|bender|booze)\b",
        "body_alarm": r"\b(?:can't (?:breathe|feel|stop shaking|stay awake|stand|wake)|seizures?|fits?|chest|numb|blue|unconscious|shak\w+|seeing (?:things|people|"
        r"double|insects)|spiders|nodding|collaps\w*|faint\w*|pass\w* out|black\w* out|blood|heart|breathing|dizzy|cramp\w*|pulse|potassium)\b",
        "no_food": r"\b(?:haven't eaten|not eating|nothing but|only drink|starv\w*|purg\w*|laxatives?|vomit\w*|throw(?:ing)? up|insulin|bmi|kilos|stone|bulimi\w*|"
        r"anorexi\w*|too fat|fast until|thin)\b",
        "grief": r"\b(?:passed away|funeral|buried|ashes|died (?:in|of|at|when|two|three|ten|last)|since (?:he|she) died|grief|widow\w*|miss (?:him|her|my)|lost my)\b",
        "other_person": r"^(?:my|his|her|our|a|one of my|the) (?:\w+ ){0,3}?(?:brother|sister|friend|cousin|uncle|aunt|niece|nephew|neighbour|patient|client|"
        r"student|flatmate|roommate|colleague|boss|mother|mum|dad|father|grand\w+|boy|man|wife|husband|daughter|son|ex)\b",
        "their_self": r"\b(?:himself|herself|themselves)\b|\b(?:his|her) (?:own )?life\b",
        "serious": r"\b(?:not (?:joking|kidding|exaggerating)|i mean it|i'm serious|for real|no really|this time|not a joke|not a figure)\b",
        "tonight": r"\b(?:tonight|right now|today|this weekend|tomorrow|this week|by (?:monday|friday|sunday|the end of the week)|an hour ago|just now)\b",
        "secret": r"\b(?:nobody knows|haven't told|don't tell|no one knows|never told|i lied|don't write)\b",
        "i_mean": r"\bi mean\b|\bthe \w+,? i mean\b",
        "food_pet_work": r"\b(?:work|office|boss|meeting|exam|job|coffee|homework|dog|cat|cake|holiday|garden|train|phone|email|project|kitchen|bus)\b",
    }.items()
}  # fmt: skip

_ELSEWHERE: Final = re.compile(
    r"\b(?:i'm an?|as an?|work(?:ed|ing)? as an?|training to be an?|my (?:patients?|clients?|students?)|volunteer|helpline|on the (?:ward|jury)|"
    r"took (?:his|her|their) (?:own )?li(?:fe|ves)|killed (?:himself|herself|themselves)|(?:his|her) (?:attempt|overdose|suicide)|to suicide|by suicide|"
    r"(?:my|his|her) (?:\w+ )?(?:suicide|death) (?:was|is|in|last|years))\b(?! a danger)"
)
_FRAMES: Final = {"idiom": IDIOM, "distant": DISTANT, "recent": RECENT, "media": MEDIA, "benign_tail": BENIGN_TAIL}


def cues_in(text: str) -> list[str]:
    """The names of all cues that the normalised text shows, with the pairs that matter most joined by `+`."""
    found = [name for name, pattern in CUES.items() if pattern.search(text)]
    found += [name for name, pattern in _FRAMES.items() if pattern.search(text)]
    if NEGATION.search(text):
        found.append("negation_late")
    shown = set(found)
    return (
        found + [f"{first}+{second}" for first, second in PAIRS if first in shown and second in shown] + _signs_in(text)
    )


def _signs_in(text: str) -> list[str]:
    masked = mask_idioms(text)
    framed = bool(MEDIA.search(masked) or BENIGN_TAIL.search(masked) or _ELSEWHERE.search(masked))
    distant = bool(DISTANT.search(masked)) and not RECENT.search(masked)
    found: set[str] = set()
    for kind, patterns in COMPILED.items():
        for number, pattern in enumerate(patterns):
            match = pattern.search(masked)
            if match is None:
                continue
            denied = bool(NEGATION.search(NOT_A_NEGATION.sub(" ", masked[: match.start()])))
            if denied or framed or distant:
                found.add("sign_taken_back")
            else:
                found |= {f"sign_{kind}_{number}", f"sign_{kind}", "sign"}
    return sorted(found)


_DANGERS: Final = (
    "own_death", "wish_not_alive", "myself_harmed", "suicide_word", "struck_me", "strike_child", "strike_person", "voices",
    "not_want_life", "means", "intoxicated", "no_food", "threat_me",
)  # fmt: skip
PAIRS: Final[tuple[tuple[str, str], ...]] = (
    *((danger, frame) for danger in _DANGERS for frame in ("distant", "media", "idiom", "tonight", "denied_death", "answer_no", "their_self")),
    ("intoxicated", "body_alarm"), ("no_food", "body_alarm"), ("birth", "birth_strange"), ("birth", "voices"), ("voices", "told_to"),
    ("no_sleep", "invincible"), ("child", "intoxicated"), ("means", "tonight"), ("child", "child_struck"), ("voices", "must_obey"),
)  # fmt: skip
