"""Signs of how a reply takes a loaded turn: what it denies, looks at, goes along with, asks and advises."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from maieutic.language.questions import questions
from maieutic.language.sentences import content_words, sentences, words
from maieutic.models.embedding import shared_minilm

ON_TOPIC: Final = 0.25
"""Cosine from which on advice is about the matter: of 17 advising replies to loaded turns that were read, all lie above
it, and more than nine in ten of the advice arm's lines for any occasion below."""
ANY_OCCASION: Final = 0.16
"""Cosine below which a reply is not about the turn: one of 133 labelled as going along lies below it and shows no sign of
going along, but 161 of 220 pairs of a turn with a line of the advice arm."""
NEGATION: Final = re.compile(
    r"\b(?:not|never|no|none|nobody|nothing|neither|nor|cannot|without|hardly|far from|unlikely|only|rather|instead"
    r"|(?:is|are|was|were|do|does|did|have|has|had|ca|wo|would|could|should|ai)n['’]t)\b",
    re.I,
)
DENIAL: Final = re.compile(
    r"\b(?:i (?:really |honestly )?(?:don't|do not|can't|cannot|wouldn't) (?:think|believe|agree|accept|see (?:it|that|any))"
    r"|(?:that|this|it)(?:'s| is| was)? ?(?:simply |just |really |probably |quite )*(?:not|n't) (?:really |at all |necessarily |quite |even )*(?:true|so\b|right|accurate|the case|fair|how|proven|a fact)"
    r"|(?:that|this|it) (?:is|was)n't (?:really |necessarily |at all )?(?:true|so\b|right|accurate|the case|fair|how|proven|a fact)"
    r"|(?:doesn't|does not|don't|do not|didn't|did not) (?:really |necessarily |actually )?(?:mean|make you|prove|follow|show that)"
    r"|there(?:'s| is) no (?:real |good |actual )?(?:evidence|proof|reason|sign|indication|connection|link)|no evidence"
    r"|(?:that|this)(?:'s| is| sounds like)? (?:a |an |just |your |called |textbook )*(?:catastrophi[sz]\w+|mind.?reading|exaggerat\w+|distort\w+|overgenerali[sz]\w+|all.or.nothing\w*|thinking (?:error|trap)|irrational\w*|jumping to|black.and.white)"
    r"|you(?:'re| are) (?:catastrophi[sz]ing|mind.?reading|exaggerating|overgenerali[sz]ing|wrong|mistaken|too hard on yourself|being (?:unfair|too hard|very hard|irrational))"
    r"|i(?:'d| would| have to|'m going to)? (?:strongly |gently |respectfully )?(?:disagree|push back)|on the contrary|far from it|nonsense|not (?:all|every\w*|necessarily)\b|no one is\b"
    r"|there(?:'s| is) nothing wrong|(?:is|are) (?:never|hardly)|(?:is|it's|that's) (?:very |highly |extremely |quite )?unlikely|isn't at all|not at all true|not your fault)",
    re.I,
)
# A question or remark that goes behind the patient's own question.
_BEHIND: Final = re.compile(
    r"\b(?:what (?:makes|made) you (?:so |that )?(?:think|sure|certain|believe|say|feel sure|convinced|conclude)|how (?:do|did|would|can|could) you know|what tells you|what (?:is it|was it) that (?:tells|told|makes|made) you"
    r"|what(?:'s| is| would be| would)? (?:the |your |some )?(?:evidence|proof)|where (?:does|did|do) (?:that|this|the) (?:idea|belief|thought|sense|conclusion|certainty|feeling|verdict) come"
    r"|how (?:sure|certain|convinced|true|likely|much do you believe|strongly)|what (?:leads|led|brings|brought|took) you (?:to|there|from)|how did you (?:come to|arrive|reach|get from|get to|work out|decide)"
    r"|(?:other|another|different) (?:way|ways|explanation|explanations|reading|readings|reason|reasons|possibilit\w+|view)|what else (?:could|might|may|would)|(?:speaks?|count|counts|points?|stands?) (?:for|against|the other way)"
    r"|what would you have to (?:hear|see)|(?:exception|doesn't fit|does not fit|don't fit|didn't fit|not fit)\b|has there (?:ever )?been (?:a time|anyone|somebody)|(?:is it|isn't it) (?:also |really )?possible|(?:could|might) it (?:also )?be (?:that)?|gently challenge|mind if (?:we|i) (?!ask)|how (?:would|could|might|can) (?:we|you) (?:tell|find out|know|check|test)|how (?:did|do|does|has|have) [^?]{2,60} (?:come to|become|became|turn into|stand for|follow from|add up)|(?:would|wouldn't) (?:you|she|he|they|somebody|anyone|others) (?:say|charge|call|judge|treat|hold|think|use|see|agree|put|tell) (?!me\b)|what (?:do|does|would|did) (?:you|it|that|a) (?:count|leave out|need to|have to)|what if (?:it|that|they|he|she) (?:isn't|aren't|wasn't|weren't)"
    r"|(?:the|your|this|that) question (?:starts?|assumes|takes|already|rests|stands|begins)|as (?:though|if) (?:it|that|this) were (?:already )?(?:settled|certain|a fact|decided|known|proven)|(?:starts|rests|built|builds) (?:from|on) (?:the idea|your|something|an)|taken for granted|take for granted"
    r"|there(?:'s| is) (?:a|an) (?:\w+ )?(?:prediction|assumption|conclusion|belief|verdict|leap|jump|guess|chain|thought)|we don't know yet|if a friend|a good friend of yours|side by side|before we (?:look|talk|get|go|decide|plan|answer|turn|come)|before you (?:decide|answer|do)"
    r"|what (?:does|do) (?:it|that|this) say about you|which (?:link|part|bit|step) of|what are the steps|how (?:does|do|did) (?:it|that|one thing|feeling \w+|the \w+(?: \w+){0,5}) (?:tell|prove|show|mean)|what goes into)",
    re.I,
)
# Ways of saying no that go beyond those that `rejection_score` counts.
_AGAINST: Final = re.compile(
    r"\b(?:(?:far cry|long way|world away|miles) from|two (?:very |quite |entirely )?different things|not the same (?:thing )?as|beg to differ"
    r"|(?:says?|tells?|shows?|proves?|means?|suggests?|indicates?)(?: us| you| me)? (?:absolutely |very |next to |almost )?(?:nothing|little|not much)"
    r"|(?:does|do|did|has|have|can|could|will|wo|ca|is|are|need)(?:n't| not|not) (?:\w+ly |just |even |have to )?(?:mean|make|made|prove|follow|show|turn|eras|undo|undone|cancel|wip|defin|equal|decid|amount|determin|negat|take away|caus|ruin|add up|support|suggest|indicat|reflect|entail|imply|be)\w*\b(?! sure| sorry| any help| easy| afraid| able)"
    r"|i (?:very much |really |seriously |honestly |would )?doubt\b|i(?:'m| am) (?:really |honestly |just )?not (?:so |quite |at all |entirely )?(?:sure|convinced|certain|persuaded|buying)\b(?! (?:what|how|i ))"
    r"|i (?:wouldn't|would not|don't|do not|can't|cannot) (?:go (?:from|as far|that far|along)|say|call|conclude|draw|read|see|share|buy|take (?:it|that|this) (?:as|to mean)|accept|know that)\b"
    r"|there(?:'s| is| are|'re) no(?:thing)? (?!wonder|need|rush|hurry|pressure|easy|perfect|right|point|way|one|simple|shame|doubt|good way|harm in)\w+|(?:nobody|no one|no-one)(?:'s| is) (?:perfect|going|coming|\w+ing)"
    r"|(?:is|are|was|'s|'re) (?:certainly |definitely |simply |just |hardly |by no means )*(?:not|hardly|scarcely|never|no|anything but) (?:an? |the |your |any |really |actually |automatically |necessarily |about |because |proof|evidence|reason|sign|rule|fact|measure)+"
    r"|for (?:all (?:sorts|kinds) of|lots of|many|plenty of|any number of|a hundred|a host of) (?:\w+ )?reasons|(?:happens|can happen) to (?:all|every|most|the best|lots|many|anyone|anybody)|(?:completely|perfectly|entirely|totally|just|only|being|very|is|are|deeply|extremely|pretty) (?:human|normal|common|natural|harmless|treatable|fixable|understandable and)\b"
    r"|(?:everyone|everybody|we all|most people|lots of people|plenty of people|people) (?:\w+ )?(?:forgets?|makes?|slips?|gets?|has|have|does|do|feels?|loses?|stumbles?|struggles?)\b[^?]{0,50}(?:now and then|sometimes|from time to time|all the time|mistakes?|at times|once in a while|occasionally)"
    r"|(?:more|most) likely (?:that )?(?:he|she|they|it|the|your|just|because)|it(?:'s| is) (?:much |far )?more likely|(?:is|are) (?:still |very much |actually )+(?:worth|an? |there|ahead|on track|open)"
    r"|(?:is|are|was|were|comes?|came|'s) down to (?:the|his|her|their|those|how|what)|you(?:'re| are| were)(?: still)? (?:hired|chosen|picked|more than|not alone in|being (?:too|very|so|awfully|terribly|really) (?:hard|harsh|tough|unkind))"
    r"|(?:go|be) (?:easy|easier|gentler|fairer) on yourself|give yourself (?:some |more |a little )?credit|(?:that|it) counts\b|,? not (?:because|a fact|proof|evidence)\b|(?<!if )(?<!whether )that(?:'s| is) (?:simply |just )?not\b)",
    re.I,
)
# Talk about the belief as something said or thought, by whoever and however worded.
_ABOUT_SAYING: Final = re.compile(
    r"\b(?:one way (?:of|to) (?:read|see|look|put|tell|understand|interpret)\w*|how come|who (?:taught|told|says|said|decided|gets to)\b|where (?:did|do|have|might) (?:you|that|this|it) (?:\w+ )?(?:learn\w*|pick\w*|get|got|start\w*|begin)"
    r"|(?:has|have|did|do|does) (?:he|she|they|anyone|anybody|someone|somebody|the \w+|your \w+) (?:ever |actually |really |themselves )*(?:said?|told|tell|call\w*|put it|use) (?:so|that|this|it|you|as much)"
    r"|or (?:is|was) (?:it|that|this) (?:\w+ )?(?:something|your|you|a|an|what|how|more|that)\b|or (?:yours|your own|is it you|your mind|your word)\b|is (?:that|this|it) (?:really |perhaps |maybe )?(?:a|an|the|what|your|his|her|their|something) (?:\w+ )?(?:fact|guess|fear|feeling|thought|word|words|interpretation|worry|rule|assumption|belief|voice|theory)"
    r"|(?:does|do|would|is|are) (?:the one|one|it|that|this|an? \w+|feeling \w+|the \w+) (?:always|necessarily|automatically|have to|really|follow|fit|hold|count as|belong)|(?:wondering|wonder|curious|interested|sure|ask|asking|know|see|check|look at|test) (?:\w+ )?(?:whether|if) (?!you(?:'d| would) (?:like|want|prefer))"
    r"|(?:let's|let us|let me|can we|could we|may we|shall we|might we|i'd (?:like|want|love)(?: for)?(?: us)? to|i would (?:like|want)(?: us)? to|i want(?: us)? to|i don't want us(?: just)? to|we could|we might|we can|would you be (?:up for|willing to|open to)|are you (?:up for|willing to|open to))(?: \w+){0,3} (?:slow|stay|pause|look(?:ing)? at|stop|examin\w+|question\w*|hold|unpack\w*|untangl\w*|unpick\w*|separat\w+|test\w*|see (?:if|whether|how)|walk past|put|rewind|go back|come back|zoom|tease|notice|linger|explor\w+ (?:that|this|the|how|where|whether))"
    r"|(?:the|a|that|this|big|quick|quite a|huge|skipped a|long) (?:step|jump|leap|gap|link|bridge|connection|distance|chain)\b|we(?:'ve| have)? (?:can't|cannot|don't|do not|haven't|only|actually)? ?(?:know|established|got)\b(?= (?:so far|for sure|yet|is\b|about|that))|what we (?:actually )?know|neither of us (?:can|know|see)|what (?:happens|happened) (?:on the way|in between|between)"
    r"|(?:done deal|foregone conclusion|already (?:in|settled|decided|closed|certain|clear|at)|(?:is|are|was|were|as|been) (?:settled|decided|closed)|a given\b|beyond (?:doubt|question)|an open question|a fact|as fact)"
    r"|(?:that|this|the|an?|one|your|which|another) (?:\w+,? ){0,2}(?:word|label|phrase|sentence|verdict|conclusion|assumption|interpretation|prediction|inference|theory|hypothesis|guess|hunch|story|narrative|picture|equation|yardstick|rule|standard|belief|thought|idea|notion|heading|reading|certainty|conviction|premise)\b(?! of (?:advice|thanks|warning))"
    r"|in your (?:telling|version|account|view|book|words|story|mind|head|eyes)|as you (?:see|tell|put|read|understand) it|the way you (?:see|put|tell|sum|read|frame|describe)|how you (?:sum|see|put|read|frame|describe|make sense)|something in you|(?:part|side) of you|your (?:mind|head|brain|thoughts?|inner \w+|anxiety|guilt|fear) (?:has |is |was |will |\w+ )?(?:add|fill|tell|say|said|jump|turn|mak|made|go|went|took|take|conclud|insist|decid|treat|us)\w*"
    r"|you(?:'re|'ve| are| have)? (?:\w+ly |just |also |already |even |then |now |still )*(?:call|called|calling|label|labell?ed|labell?ing|filed?|filing|treat|treated|treating|equat\w+|connect\w*|link|linked|linking|assum\w+|conclud\w+|interpret\w*|jump\w*|piec\w+ together|skipp?\w*|given yourself|us(?:e|ed|ing) the word|count\w* (?:it|that|them) as|put (?:it|that|them|this) down to|arriv\w+|land\w+ (?:on|at)|convinced|predict\w*|reading)\b"
    r"|(?:turn|turned|turns|became|becomes|has become|have become|goes|went|gone|got|get|translat\w+|add(?:s|ed)? up) (?:in)?to\b (?!you\b|your\b|the (?:clinic|hospital|doctor|shop|meeting|party)\b|bed|work|school|sleep|see|him|her|them)(?=[^?]*(?:\"|'|\ba\b|\ban\b|\bthe\b|\beverybody|\bnobody|\bnever|\balways|you))"
    r"|(?:jumps? out|stands? out|strikes? me|catch(?:es)? my (?:ear|attention)|i notice|i'm struck|i keep coming back)\b|(?:fits?|holds? up|hold true|stands? up|belongs?) (?:the rest|in there|there|with|here|too)|if (?:\w+ ){1,8}(?:were|was|had|asked|said|told)\b[^.!]*\b(?:would|could|might) you)",
    re.I,
)
# Words that mark what follows as the patient's view.
_FRAME: Final = re.compile(
    r"\b(?:(?:the|this|that|your|a) (?:thought|belief|idea|story|conclusion|assumption|sense|conviction|verdict|prediction|fear|worry|interpretation)\b"
    r"|you(?:'re| are|'ve| have)? (?:\w+ly |now |just |also |already |still )?(?:think|thinking|thought|believe|believing|assum\w+|conclud\w+|convinced|predict\w*|sure|certain|interpret\w*|decided|tell(?:ing)? yourself|told yourself|tak(?:e|ing|en) it|read(?:ing)?|see(?:ing)? (?:it|yourself)|figure|guess\w*|imagin\w+|reckon|come to|got to)\b"
    r"|(?:it|that) (?:feels|seems|seemed|looks|appears|felt|means|meant) (?:to you|for you|right now|as if|as though|like)|in your (?:mind|eyes|head|view)|part of you|your (?:mind|head|inner \w+) (?:\w+ )?(?:says|tells|told|has|is|decided)|you (?:feel|felt) (?:like|as if|as though|that|sure|certain)"
    r"|you (?:sound|seem) (?:\w+ )?(?:sure|certain|convinced)|is the word you|you call|you say\b|goes down as|(?:became|becomes|has become|turned into|that came)\b|sounds (?:like|as if|as though) you (?:feel|believe|think)|to you (?:that|as if))",
    re.I,
)
_REPORT: Final = re.compile(
    r"^(?:(?:so|and|okay|right|mm+|well|yes)[,.]? )*(?:so\b|what i(?:'m| am)? hear|i(?:'m| am)? hear|i(?:'ve| have) (?:taken in|heard|understood)|you(?:'re| are|'ve been| have been)? (?:say|said|saying|telling|told|tell|mention|describ)\w*|i understand|the way you|from what you|as you (?:tell|describe)|it sounds|sounds like|if i (?:hear|understand)|when you (?:say|tell|describe|think|look))",
    re.I,
)
_AGREE: Final = re.compile(
    r"\b(?:you(?:'re| are) (?:absolutely |quite |completely |totally |probably |so |sadly )*(?:right|correct)|i (?:completely |totally |fully |quite )?agree|on your side|you(?:'ve| have) convinced me|fair enough|if (?:it's|it is) over|(?:okay|all right|alright|fine), (?:i'll|then|so be it|go|do)|that(?:'s| is) (?:very |absolutely |sadly |so |unfortunately )?(?:true|right|correct)\b(?!\?)|i(?:'m| am) afraid (?:so|you|they|he|she|it)|i can see (?:it|that) too|i see it (?:the same|exactly|just)|you see (?:things|it|this) so clearly|(?:couldn't|could not) have put it better|wouldn't do (?:a single thing|anything) differently|(?:brilliant|good|sharp) (?:observation|point)"
    r"|(?:every reason|no choice|no option) (?:to|but)|there(?:'s| is) no point|it is what it is|(?:clearly|obviously|evidently|plainly|apparently) (?:they|he|she|you|it|everyone|your|the|there))\b"
    r"|^(?:yes|yeah|yep|exactly|absolutely|indeed|definitely|sadly|unfortunately)\b[,.!]? ?(?!i\b|that\b|this\b|it (?:sounds|must|hurts|feels|is (?:hard|painful))|and\b|thank|tell|we\b|please|of course|there (?:is|'s) a)[^?]*$",
    re.I,
)
_ASKED_FOR: Final = re.compile(r"\b(?:say|hear|saying|because|tell you|told) (?:that )?you(?:'re| are) right", re.I)
_SORRY: Final = re.compile(
    r"\b(?:sorry|sad|hard|awful|terrible|painful|unfair|frustrating|hurts?|horrible|difficult|tough|must be)\b[^.?!]{0,40}?\b(?:that|to be|being|when|to have|knowing|having|to know|to live with)\b",
    re.I,
)
_GIVEN: Final = re.compile(
    r"\b(?:since|given(?: that)?|seeing (?:that|as)|now that|because|as|if)\b[^.?!,]*|\bso that\b[^.?!]*", re.I
)
_IMPERATIVE: Final = re.compile(
    r"^(?:(?:then|and|so|well|sure|okay|right|of course|yes|no|first|perhaps|maybe|just|please|next time|in that case|if [^,]{3,60},|before [^,]{3,40},)[,:]? )*"
    r"(?:add|ask|avoid|be (?!sure i)|block|book|bring|buy|call|cancel|check|choose|collect|confront|cut|do|don't (?!worry|be\b|have)|do not (?!worry|be\b|have)|drop|enjoy|explain|fill|find|focus|get|give|go (?!on\b|ahead)|hand|have|hold|join|keep (?!going)|leave|let (?:him|her|them|it|the|your)|list|look after|look (?:at|for|into)|make|name|offer|order|pack|pay|pick|plan|post|prepare|put|remember|ring|save|say (?!more|a )|sell|send|set|sign|speak|spend|start|stay|stop|switch|take (?!your time|me|us)|talk to|tell (?!me|us)|text|think of|thank (?!you)|throw|try|use|wait|watch|withdraw|work|write)\b",
    re.I,
)
_ADVISES: Final = re.compile(
    r"\b(?:you (?:should|ought|need to|have to|could|can|might|may want|had better|'d better|would (?:do|be) (?:well|better|best)|must)|you'll (?:just )?(?:want|need|have)|you'd (?:better|do well)|i(?:'d| would) (?!rather|like|love|be (?:interested|curious|glad)|want to (?:know|hear|understand)|say (?:that (?:is|depends)|guilty|sad|angry|hurt)|wonder|imagine|disagree)\w+|i (?:recommend|suggest|advise)|my (?:advice|suggestion)|it(?:'s| is|'d be| would be) (?:\w+ )?(?:best|better|wise|wiser|kinder|worth|safer|sensible|important|professional)\b)"
    r"|^to (?!me\b|you\b|be (?:honest|clear)|sum)\w+ [^,?]{3,80}, (?!what|how|who|when|where)[^?]*$",
    re.I,
)
_RANKS: Final = re.compile(
    r"\b(?:(?:would|might|could|sounds?|looks?|is|are|seems?) (?:be |like |look )?(?:a |an |the |always |far |much |probably |by far )*(?:more|better|best|kinder|kindest|gentler|nicer|nice|safer|safest|wiser|easier|easiest|sensible|plenty|enough|realistic|stronger|good|worth|option|choice|the way)|people (?:usually|often|sometimes)|many people|most people|perhaps (?:a|you|the|it)|would save|makes sense|(?:isn't|is not|not) worth|probably)\b",
    re.I,
)
_TELLS_YOU: Final = re.compile(r"\byou(?:'ll| should| could| can| might| may| need to| have to| must| ought)\b", re.I)
# Advice for any occasion: it does not answer what was asked.
_COPING: Final = re.compile(
    r"\b(?:breath\w*|meditat\w*|mindful\w*|exercise|journal\w*|gratitude|self.care|sleep|relax\w*|routine|affirmation\w*|yoga|kind to yourself|gentle with yourself|positive|professional help|support network|therapist|walk in|write down (?:your|the) (?:thoughts|feelings)|boundar\w+)\b",
    re.I,
)
# The therapist's own limits and offers: "I can't say …", "I'm here".
_SELF: Final = re.compile(
    r"\bi(?:'m| am) (?:not (?:a|an|able|sure (?:what|how))|here|glad|listening)\b|\bi (?:can't|cannot|don't want to|won't be able)\b|^as an? \w+(?: \w+)?,? i\b|\bplease (?:reach|go on|make sure)\b",
    re.I,
)
_HOW_LONG: Final = re.compile(
    r"^(?:and |so |but )?(?:how long|since when|when did|why (?:do|does|did|are|is)|who (?:started|told)|what did you do)\b",
    re.I,
)
_QUOTED: Final = re.compile(r"(?:(?<=\s)|^)['\"“‘]([^'\"”]{4,})['\"”’](?!\w)")
_WEAK: Final = frozenset("people because whole entire really actually simply everything something someone".split())
_PLACES_IN_TIME: Final = frozenset(("before", "after"))
_POINTS: Final = re.compile(r"\b(?:him|her|them|they|it|he|she)\b", re.I)


@dataclass(frozen=True, slots=True)
class _Heard:
    """The loaded turn as the rules use it.

    Attributes:
        loaded: The turn. heard: It and what the patient said last. matter: Words of the belief. asked: Words of the
            question itself. denied: The belief is a negative one.
    """

    loaded: str
    heard: str
    matter: frozenset[str]
    asked: frozenset[str]
    denied: bool


def features(reply: str, loaded: str, belief: str, heard: str = "") -> NDArray[np.float64]:
    """What the regression reads: the signs below, then the mean of the sentences' vectors, (signs + 384,).

    Args:
        reply: The therapist's turn.
        loaded: The patient's turn before it.
        belief: What that turn takes for granted.
        heard: What the patient said last, where that is another turn.
    """
    turn = _heard(loaded, belief, heard)
    said = sentences(reply.replace("’", "'")) or ("",)
    vectors = shared_minilm()(said)
    mean = vectors.mean(axis=0)
    about_turn, about_belief = (shared_minilm()([loaded, belief]) @ mean).tolist()
    return np.concatenate([[*_signs(said, turn), about_turn, about_belief], mean])


def gives_back(reply: str, loaded: str, heard: str = "") -> bool:
    """Every sentence reports the patient's own words ("So you …", "I hear that …") and none asks."""
    said = sentences(reply.replace("’", "'"))
    return all(_REPORT.search(s) and not _asks(s) and _echoes(s, f"{loaded} {heard}") for s in said)


def is_for_any_occasion(reply: str, loaded: str, belief: str, heard: str = "") -> bool:
    """Nothing in it is about the turn: no sentence goes along by the signs, none is near the turn."""
    turn = _heard(loaded, belief, heard)
    said = sentences(reply.replace("’", "'"))
    told = " ".join(s for s in said if not s.endswith("?") and not _REPORT.search(s))
    near = max((_likeness(s, loaded) for s in (*said, reply)), default=0.0)
    return near < ANY_OCCASION and not any(_goes_along(s, turn, told) for s in said)


def _signs(said: Sequence[str], turn: _Heard) -> list[float]:
    """Share of questions, whether it ends in one, sentences, words; then 1 for every sign that any sentence shows."""
    asks = [_asks(s) for s in said]
    told = " ".join(s for s in said if not s.endswith("?") and not _REPORT.search(s))
    tests: tuple[Callable[[str], object], ...] = (
        lambda s: _denies(s, turn),
        lambda s: DENIAL.search(s) and not _REPORT.search(s),
        lambda s: _AGAINST.search(s) and not _REPORT.search(s),
        lambda s: _BEHIND.search(s) or _ABOUT_SAYING.search(s),
        lambda s: _goes_along(s, turn, told),
        lambda s: _agrees(s),
        lambda s: _answers(s, turn, told),
        _FRAME.search,
        lambda s: _quotes(s, turn.matter),
        _IMPERATIVE.search,
        _ADVISES.search,
        _COPING.search,
        _RANKS.search,
        _REPORT.search,
        _SORRY.search,
        lambda s: not (_asks(s) or _REPORT.search(s) or _SELF.search(s)) and NEGATION.search(s),
        lambda s: _asks(s) and _covers(s, turn.matter, 0.5),
        lambda s: not (_asks(s) or _REPORT.search(s)) and _covers(s, turn.matter, 0.5) and _turns(s, turn),
        lambda s: _echoes(s, turn.heard),
        _SELF.search,
    )
    shown = [float(any(test(s) for s in said)) for test in tests]
    length = min(sum(len(words(s)) for s in said), 80)
    return [sum(asks) / len(asks), float(asks[-1]), min(len(said), 6), float(length), *shown]


def _asks(sentence: str) -> bool:
    return sentence.rstrip("\"'”’) ").endswith("?")


def _turns(sentence: str, turn: _Heard) -> bool:
    """It is negative where the belief is not, or the other way round."""
    return (NEGATION.search(sentence) is None) == turn.denied


def _agrees(sentence: str) -> bool:
    return bool(_AGREE.search(sentence)) and not _REPORT.search(sentence) and not _ASKED_FOR.search(sentence)


def plainly_agrees(reply: str, loaded: str, belief: str, heard: str) -> bool:
    """It begins by agreeing, and nothing in it denies, asks behind the belief or calls it a belief."""
    said, turn = sentences(reply.replace("’", "'")), _heard(loaded, belief, heard)
    return (
        bool(said)
        and _agrees(said[0])
        and not any(
            _denies(s, turn) or _BEHIND.search(s) or _FRAME.search(s) or _SORRY.search(s) or _asks(s) for s in said
        )
    )


@lru_cache(maxsize=2_000)
def _heard(loaded: str, belief: str, heard: str) -> _Heard:
    matter = content_words(belief) - _WEAK
    asked = content_words(_question_of(loaded)) - matter
    return _Heard(loaded, f"{loaded} {heard}", matter, asked, bool(NEGATION.search(belief)))


def _question_of(loaded: str) -> str:
    """The sentence that asks."""
    return next((s for s in reversed(sentences(loaded)) if s.endswith("?")), loaded)


def _covers(sentence: str, matter: frozenset[str], least: float = 0.6) -> bool:
    """The sentence names at least that share of the belief's words, by their first four letters."""
    if not matter:
        return False
    own = {word[:4] for word in content_words(sentence)}
    return sum(word[:4] in own for word in matter) / len(matter) >= least


def _denies(sentence: str, turn: _Heard) -> bool:
    matter = turn.matter
    if (
        sentence.endswith("?")
        or _quotes(sentence, matter)
        or _REPORT.search(sentence)
        or _SORRY.search(sentence)
        or re.match(r"(?:because|since|given|seeing|as)\b", sentence, re.I)
        or (bool(_strict(turn.heard)) and _echoes(sentence, turn.heard))
    ):
        return False
    if DENIAL.search(sentence) or _AGAINST.search(sentence):
        return True
    # "You aren't broken": the belief's own words under a negation that the belief lacks.
    other = _FRAME.search(sentence) or _IMPERATIVE.search(sentence) or _TELLS_YOU.search(sentence)
    return not turn.denied and not other and bool(_strict(sentence)) and _covers(sentence, matter, 0.5)


def _strict(sentence: str) -> re.Match[str] | None:
    return re.search(
        r"\b(?:not|never|no|hardly|nobody|(?:is|are|was|were|do|does|did|have|has|had)n't)\b", sentence, re.I
    )


def _quotes(sentence: str, matter: frozenset[str]) -> bool:
    """The belief stands in quotation marks."""
    return any(_covers(part, matter, 0.5) for part in _QUOTED.findall(sentence))


def _goes_along(sentence: str, turn: _Heard, told: str) -> bool:
    matter, denied = turn.matter, turn.denied
    if _agrees(sentence):
        return True
    asks = _asks(sentence)
    framed = bool(_FRAME.search(sentence) or _REPORT.search(sentence))
    if asks:
        return bool(_HOW_LONG.match(sentence)) and not framed and _covers(sentence, matter, 0.5)
    if not framed and any(_covers(part.group(), matter, 0.5) for part in _GIVEN.finditer(sentence)):
        return True
    if not framed and _SORRY.search(sentence) and _covers(sentence, matter, 0.5):
        return True
    if not framed and _covers(sentence, matter) and (denied or not _strict(sentence)) and len(words(sentence)) >= 4:
        return True
    return _answers(sentence, turn, told)


def _answers(sentence: str, turn: _Heard, told: str) -> bool:
    """The sentence says what to do about it, or which of the things asked about it should be."""
    if questions(sentence) or _REPORT.search(sentence):  # "Tell me …" asks; "I hear that …" gives back
        return False
    answers = bool(_stems(content_words(sentence)) & _stems(turn.asked | _PLACES_IN_TIME))
    if _COPING.search(sentence) and not answers:
        return False
    if _IMPERATIVE.search(sentence) or (_ADVISES.search(sentence) and not _echoes(sentence, turn.heard)):
        return max(_likeness(sentence, turn.loaded), _likeness(told, turn.loaded)) >= ON_TOPIC or (
            answers and bool(_POINTS.search(sentence))
        )
    opens = re.match(r"(?:probably |definitely |i think |maybe |perhaps )?(?:the |a )?(\w+)", sentence, re.I)
    picks = opens is not None and opens.group(1).lower() in turn.asked
    return (picks and len(words(sentence)) <= 14) or (answers and bool(_RANKS.search(sentence)))


def _stems(found: Collection[str]) -> frozenset[str]:
    return frozenset(word[:4] for word in found)


def _echoes(sentence: str, heard: str) -> bool:
    """The sentence gives back the patient's own words and tells nothing to do."""
    own, theirs = _stems(content_words(sentence)), _stems(content_words(heard))
    tells = re.search(r"\b(?:should|ought|i'd|i would|best|better|recommend|suggest|advise)\b", sentence, re.I)
    return not tells and len(own) >= 2 and len(own & theirs) / len(own) >= 0.7


@lru_cache(maxsize=20_000)
def _likeness(one: str, other: str) -> float:
    """Cosine of the two texts in the packaged sentence encoder, −1 to 1."""
    vectors = shared_minilm()([one, other])
    return float(vectors[0] @ vectors[1])


__all__ = ["DENIAL", "NEGATION", "features", "gives_back", "is_for_any_occasion", "plainly_agrees"]
