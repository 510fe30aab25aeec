"""Which missing thing a therapist turn asks for: phrases of each slot, and the patients' trained slot head where none is met."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, Literal, get_args

from maieutic.domain.appraisal import Slot as Asked
from maieutic.gap.lost_labels import SAFETY
from maieutic.language.feelings import feelings_in
from maieutic.language.questions import Question, questions, statements
from maieutic.language.sentences import sentences
from maieutic.models.embedding import shared_minilm
from maieutic.patients.slots import asked_about, packaged_slots

Slot = Literal["situation", "thought", "feeling", "against", "duration", "change", "safety", "background"]
SLOTS: Final[tuple[Slot, ...]] = get_args(Slot)


def _any(*alternatives: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(alternatives)})", re.I)


_WHO: Final = r"(?:he|she|they|anyone|anybody|(?:the|your|his|her|their) (?:\w+ )?\w+|(?!(?:it|that|this|you|your|the|his|her|their|those|these|all)\b)\w+)"
_DID: Final = r"(?:did|do|does|had|has|have|was|were|is|are|would|might|could)"
_SOFTLY: Final = r"(?:(?:\w+ly|just|then|perhaps|maybe|already|else|first) )*"
_GAP: Final = r"(?:(?!\b(?:when|while|that|who|because|if|before|after|made|makes)\b)[^?]){0,40}?"
_OTHERS: Final = r"(?:(?:best |good |close |fair\S* )?(?:friend|mate|colleague|sister|brother|partner|onlooker|outsider|stranger|witness|observer|judge|jury|lawyer)s?|someone|somebody|anyone|others|(?:other )?people|person)"
_AGO: Final = r"(?:day|night|week|fortnight|month|year|decade|age)s?"
_THEN: Final = (
    r"(?:(?<!just )(?<!right )before|(?:just |right )before (?:it|this|that|things) (?:came|got|started|began)|around (?:\w+ )?(?:time|then)|at (?:that|the) time|since(?! (?:we|you were|our))|in the (?:\w+ )?(?:days|weeks|months|run-up)"
    r"|(?:in|around|over|about|last|that) (?:january|february|march|april|may|june|july|august|september|october|november|december|spring|summer|autumn|winter|easter|christmas))"
)
_BAD_OR_GOOD: Final = (
    r"(?<!a )(?:better|worse|easier|harder|lighter|heavier|good|bad|fine|rough|calmer|milder|stronger|weaker|okay)"
)
_SMALL: Final = r"(?:an? (?:\w+ )?(?:child|kid|\w*girl|\w*boy|teenager|baby|toddler|pupil)|little|small|young(?:er)?|growing up|(?:about |around |only )?(?:\d+\b|(?:four|five|six|seven|eight|nine|ten|eleven|twelve|\w+teen)\b))"

_PHRASES: Final[dict[Slot, re.Pattern[str]]] = {
    "situation": _any(
        # the event, its course, its occasion
        rf"(?:what|how|anything) {_SOFTLY}(?:else )?(?:has |had )?(?:happen(?:s|ed)?|took place|taken place|went (?:on|down|wrong)|gone on|going on|occurred|kicked off|came next|was (?:said|going on|happening)|what (?:\w+ )?(?:set|sparked|started|brought|kicked|led) (?:\w+ ){{0,2}}(?:off|to|on|about)?\b)",
        r"how (?:did|does|do) (?!you\b)(?:\w+ ){1,6}?(?:begin|start|come about|happen|unfold|go|end|play out|proceed)\b|how (?:it|that|this|things|the (?:\w+ ){{1,4}}?)(?: all)? ?(?:began|started|came about|happened|unfolded|went|ended|played out)\b",
        r"then what\b(?!'s)|what next\b|what did you (?:see|hear|notice)\b(?! (?:yourself|as))|(?:what|which|the|an) (?:events?|incidents?|sequence)\b|what (?:came|happened) (?:next|after|then)|what (?:did you (?:\w+ )?do\b|do you do (?:then|next|when|after))(?! to help)|what were you (?:\w+ )?(?:doing|in the middle of|up to)|what are you (?:referring to|talking about|thinking of)|what (?:led|leads) (?:\w+ )?(?:up )?to",
        r"what (?:brought|caused|prompted|provoked|sparked) (?:all )?(?:this|it|that|things)\b(?! (?:back|on\b))",
        # the words and deeds of others
        r"what (?:\w+ly )?(?:did|had) (?:he|she|they) (?!(?:\w+ )?(?:think|feel|felt|want|mean|hop|believ|expect|learn|teach|taught)\w*)\w+",
        rf"what {_SOFTLY}(?:did|had|was it|is it|was it that|has) (?:that )?{_WHO}(?:'d|'s)? (?:\w+ )?(?:do(?:ne|ing)?|sa(?:y|id|ying)|writ(?:e|ten)|wrote|t(?:ell|old)|ask(?:ed)?|repl(?:y|ied)|answer(?:ed)?|respond(?:ed)?)\b|what was (?:it )?(?:actually |exactly )?(?:said|done|written)|what (?:was|is) (?:in|on) (?:the|that|his|her|their) \w+\W*$|what was (?:it )?{_WHO}(?:'d|'s)",
        # the scene
        r"where (?:were|was|did (?:this|that|it|all)\b(?! leave))|who (?:else )?(?:was|were|said|did|had|started|walked|came|is (?:it|he|she|this|that))\b",
        r"(?:take|walk|talk|bring|run|lead|guide) (?:me|us) (?:\w+ )?(?:through|to|over)|set the (?:scene|stage)|fly on the wall|zoom in|(?:paint|picture) (?:me |it|the|what|how)|(?:in|more) detail|the details|step by step|(?:\w+)[- ]by[- ](?:blow|step|minute|moment)|from (?:the )?(?:start|beginning|top)\b|fill me in|a (?:clear(?:er)? )?picture of|describe (?:it|the|that|this|what|how)\b",
        r"(?:tell me|hear|know|understand|say|learn) (?:\w+ ){0,3}?about (?:what|how|that (?:day|night|evening|morning)|the (?:day|night|evening|morning|time))\b|tell me what (?:happened|went on)",
        r"(?:an?|the|one|some) (?:(?:recent|particular|specific|concrete|single|latest|last|actual|real) )+(?:\w+ )?(?:example|time|occasion|instance|incident|episode|moment|situation|case|event)|(?:an|for) (?:example|instance) of|which (?:occasion|time|incident|day|conversation)\b|the (?:last|latest|freshest|most recent)\b(?! (?:question|thing i))|(?:did|was) (?:this|that|it) last\b|one (?:thing|time|moment) (?:this|last) week|most recent|come to this\b",
        r"what(?:'s| is| was) (?:this|that|it|the \w+) (?:all )?(?:about|over)\W*$|the circumstances",
    ),
    "thought": _any(
        r"(?:through|in|into|on|to|across|inside|up to|crossed|by) your (?:own )?(?:mind|head|thoughts|eyes)\b(?! (?:today|this (?:morning|week)))|(?:mind|thoughts|brain|head|critic) (?:was|were|is|went|go|goes|tell\w*|jump\w*|said|saying|say|do|doing)\b|cross(?:ed|es)? your mind",
        r"(?:what|which|any|an?|what (?:was|were|is|'s) (?:the|your)|(?:the|your) (?:first|next|immediate|deeper|worst)) (?:\w+ )?(?:thoughts?|ideas?|images?|pictures?|memor(?:y|ies)|sentence|conclusion|interpretation|meaning|assumption|prediction|explanation|story|inner voice|significance|message|bottom line|label|verdict|judge?ment|upshot)\b(?! (?:that )?(?:of (?:suicide|harming)|seem|is|against))",
        r"(?:what|how|where|which)\b.{0,40}?\b(?:did|were|was|had|would) you (?:\w+ ){0,2}?(?:think(?:ing)?|thought|assum\w+|suppos\w+|imagin\w+|pictur\w+|believ\w+|expect\w*|predict\w*|conclu\w+|reckon\w*|figur\w+|fear\w*|dread\w*|worr\w+|afraid|mak(?:e|ing) of|made of|read(?:ing)? (?:\w+ )?into|see it as|tak(?:e|en|ing) (?:\w+ ){1,3}(?:to mean|as)|took \w+|infer\w*|suspect\w*|interpret\w*|understand (?:it|that|this)|explain\w* (?:it|that|this)|decide (?:it|that|this))\b",
        r"what (?:do|are|'re) you (?:\w+ )?(?:thinking|make of (?:it|that|this|him|her|them)|making of|fear\w*|dread\w*|imagin\w+|pictur\w+|expect\w*|predict\w*|afraid|worr\w+|assum\w+|read(?:ing)? into|tak(?:e|ing) (?:\w+ )+(?:to mean|as))\b|what do you (?:think|believe|suppose) (?:it (?:says|means|would)|(?:that|this) (?:says|means|would)|(?:would|might|will|could|was going to) (?:happen|come|follow)|when|as|about yourself|of yourself)\b|what sense (?:do|did|are) you|what sense (?:\w+ )?you (?:made|make)|(?:what|how) you (?:made|make|read|took|concluded|understood|were thinking|thought)\b",
        rf"(?:what|how) {_DID} (?:it|that|this|those|these|the|(?:\w+ ){{1,5}}?)(?: all| really)? ?(?:(?:mean|say|suggest|prove|show|imply|signal|tell)\b(?=[^?]*\b(?:about (?:you|who you)\w*|of you|as a|who you))|(?:mean|suggest|prove|imply|signal)(?:\W*$| (?:to|for|in) (?:you|the moment)))|what (?:did|does|would) (?:it|that|this|(?:his|her|their) \w+ing|\w+ silence) (?:say to|tell) you\b|(?:what|it|that|this) (?:would|might|could) (?:\w+ )?(?:mean|say) (?:to|about|for|if)\b|it (?:meant|said|proved|means|says) (?:to|about|for) you",
        r"(?:t(?:ell|elling|old)|sa(?:y|ying|id)|explain(?:ed|ing)?|talk(?:ing)?) (?:\w+ )?(?:to )?yourself\b|put (?:it|that) to yourself|what\b[^?]{0,40}\b(?:about|on) yourself\b|(?:see|call\w*) yourself\b|\bso (?:\w+ )?(?:bad|terrible|awful|dreadful|unbearable|important|upsetting|hard)\b(?= (?:about|if|for you)|\W*$|,)|(?:mean|means|meant) (?:to you )?what\b|worst (?:\w+ )?(?:that )?(?:could|might|would|fear|case)|(?:how|what) (?:did|do) you (?:interpret|explain|account for|read)\b",
    ),
    "feeling": _any(
        rf"(?:what|how|which|where|did|do|are|were|any|other|another|name|word)\b{_GAP}\b(?:feel|feels|felt|feeling|feelings|emotions?|emotional(?:ly)?|moods?|sensations?|affect(?= that))\b(?! (?:safe|unsafe|that way from))",
        r"(?:what|how|where) (?:did|does|do|was|is|has) (?:it|that|this|all|he|she|they|the|your|his|her|\w+ing)\b[^?]{0,40}\b(?:do(?:ing|ne)? (?:to|with) you|le(?:ave|ft) you|affect\w* you|hit you|land\b|sit with you|stir\w*|touch\w*|strike you|br(?:ing|ought) up|mak(?:e|ing) you feel|get to you)",
        r"(?:what|how)(?:'s| was| is| has been)? (?:that|it|this|all (?:that|this)) (?:all )?(?:like )?(?:for|inside)\b|(?:that|it|this|those \w+) (?:was|were|is|must be) like (?:for you|inside)|what (?:was|is|'s|'s it|has) (?:that|it|this) (?:been )?like\b(?! (?:in|at|when you were|growing|back))|what (?:was|is) it like (?:to|being|hearing|having)\b",
        r"(?:in|through|with) your (?:body|chest|stomach|belly|throat|shoulders|gut|heart|jaw|hands)\b|physically|(?:underneath|beneath|behind|under) (?:it|that|this|the \w+|all that|your \w+)[^?]{0,10}\b(?:what|is there)|what(?:'s| is| was) (?:\w+ )?(?:underneath|beneath|inside|coming up|happen\w* (?:in|for|inside) you|going on (?:in|for|inside) you)",
        r"how are you (?:\w+ )?(?:as|while|now that|right now|inside|with (?:that|this|it|all))\b|how were you (?:afterwards?|inside|then|when|that|in|after)\b|how (?:upset|intense|distress\w*|strong (?:was|is) the)\b|what (?:arises|rises|came up|comes up|wells up) (?:in|for|inside)\b",
    ),
    "against": _any(
        r"(?:against (?:it|that|this|the|your|what|all|such)|speaks? against|contrary|contradict\w*|opposite|otherwise|disprov\w*|(?:other|another) (?:side|way|direction|explanation|reading|view|angle|reason|possibility|perspective|interpretation|light|cause|factor|story|account)s?\b|(?:alternative|different) (?:way|explanation|view|angle|reading|story|perspective|interpretation|light|conclusion)s?\b|exceptions?\b)",
        r"(?:\w+n't|not|hardly|never|awkwardly|badly)(?: \w+)? (?:fit|explain|account for|cover|match|sit|square|agree|go with|add up|belong|tally|hold|in keeping|in line|chime|been (?:so|true|the case)|true|the case|so bad|like that)\b(?! and\b| while\b| but\b)|(?:sits?|fits?) (?:awkwardly|badly|uneasily)",
        r"(?:you|anyone) (?:ever )?(?:doubt|question|disagree|mistaken|think twice|wrong)\b|doubt (?:it|that|this)|(?:saw|sees?|view\w*) (?:it|this|that|you|things) (?:\w+ )?differently|disagree\w*|proved? (?:you|it|that) wrong|you (?:were|might be|could be|are) (?:wrong|mistaken)|surprised you|turned out (?:well|better|differently|fine|not)",
        rf"(?:what|how|which|is there|can you|do you|might|would|could) (?!(?:do|did|are|were) you (?:fear|imagin|pictur|expect|think|believe|afraid))(?=[^?]*\b(?:would|might|could|may|\w+'d)\b)(?=[^?]*\b{_OTHERS}\b)[^?]*\b(?:say|make of|notice\w*|point(?:s|ed)? (?:to|out)|put it|view|argue|tell|object|see|seen|think of (?:it|this|that)|describe)\b|has any\w+ (?:\w+ )?(?:said|told|seen|shown|noticed|pointed|given)",
        r"what (?:would|might|could) you (?:say|tell) (?:to )?(?:an?|your|some\w*|any\w*|him|her)\b|else (?:could|might|would|may) (?:\w+ ){0,3}?(?:explain|account|mean|be|have|lie|stand|cause)|(?:kinder|fairer|gentler|milder|(?:more|less) (?:balanced|hopeful|charitable|generous|harsh))\b|(?:leaves?|leaving) (?:\w+ )?out\b|overlook\w*|part of you (?:that|which)|\w+n't (?:so |quite |that )?(?:sure|convinced|certain)|what (?:\w+ ){0,2}(?:went|go|gone|goes) (?:well|right|better|smoothly)|(?:gone|went|turned out) (?:better|well|differently)|in your favou?r|to your credit|speaks? for you|(?:facts?|evidence|proof|experience\w*|signs?|anything|something)\b[^?]{0,30}\b(?:against|differ\w*|other|else (?:suggests|says)|doubt)",
        r"(?:ever|any(?:one|thing)?|an?|one|times?|days?|moments?|occasions?)\b(?! (?:good|bad|better|worse))[^?]{0,50}\b(?:wasn't|weren't|didn't|hasn't|haven't|turned out|went (?:well|better|fine|right)|managed|proved?|gone (?:well|better|differently|right))\b(?! (?:quite )?(?:on|tell|know)\b)",
    ),
    "duration": _any(
        rf"(?:for )?how long\b(?! (?:would|will|should|is your|are you (?:here|staying))\b)|how (?:much|many|few) (?:of (?:the|your|this) )?{_AGO}\b|since (?:\w+ )?when|when (?:did|was it that|was the last time) you (?:last )?\w+ (?:properly|through|well)\b|when (?:did|was it that) you last\b|(?:is|was) (?:it|this|that) (?:\w+ )?new\b|how (?:far|long) (?:back|ago)|how (?:far|much) (?:does|do|did) (?:\w+ ){{1,4}}?(?:go|goes|reach|date) back|how old were you when (?:it|this|that)\b|how (?:old|recent|new|longstanding|long-standing) (?:is|are) (?:this|that|these|it|the)|\bgo(?:es|ing)? back (?:a|to|how|\w+ {_AGO})",
        r"(?:when (?:\w+ly |about |exactly )?(?:did|was|were|has|have|had|would|do)|(?:of|know|remember|recall|say|tell me|idea|sure|hear|ask|it,|wonder\w*|curious) (?:\w+ )?when|what (?:year|month|week|day|age)|at (?:what|which) (?:point|age|stage)|(?:what|which) time of (?:year|life))\b(?![^?]{0,40}\b(?:belief|rule|idea|conviction|learn|taught|told|conclude|decide|first (?:start to |begin to |come to )?(?:think|believe|meet|know)))[^?]{0,60}?\b(?:(?<!from )start|starts|started|begin|began|begun|begins|first|set in|came on|come on|crept|creep|kick(?:ed)? in|appear\w*|notice\w*|aware|took hold|take hold|turn\w* up|emerge\w*|get (?:this|so|like)|went wrong|go wrong|become|became)\b",
        rf"(?:been|is it|was it|it's|talking|for|lasted|over|these)\b(?: \w+){{0,5}}? {_AGO},? (?:or|rather|maybe)\b|(?:put a|a rough|the) (?:start )?date\b|(?:recent|new|long-standing|longstanding|lifelong) (?:thing|problem|development|one|trouble)|(?:for|in) (?:a (?:long )?(?:while|time)|ages)\b|been going on\b(?! (?:in|at|with|since|around))|timeline|time ?frame|(?:is|are|was|has|have|been) (?:\w+ ){{1,3}}(?:a recent|fairly recent|recent|always been)\b|always (?:been|felt|had|done|thought|slept)\b|(?:only|just|more) (?:recently|lately)|quite some time|(?:been|had)[^?]{{0,30}} (?:a long time|a while)",
    ),
    "change": _any(
        r"what(?:'s|'d| is| was| were| has| had| might have| could have| else)? (?:\w+ ){0,4}?(?:changed|change(?=\W*$| (?:around|then|when|in|at|since|for))|different(?:ly)?\b(?! (?:\w+ )?(?:way|view|explanation|light|angle|reading|story|perspective|interpretation|conclusion)\b)|shift\w*|alter(?:ed)?\b|new\b(?=\W*$| (?:in|at|since|for|with|here))|other then|trigger\w*|turn\w* (?:it|things)|the turning)|(?<!is it )(?<!is this )(?<!is that )(?<!try )(?<!trying )(?:which|any|anything|something|things?|circumstances)\b[^?]{0,25}\b(?:changed?|alter(?:ed)?|shift(?:ed)?|different(?:ly)?|new)\b(?! (?:your mind|way|view|explanation|light|angle|how you|how things))",
        r"turning point|tipping point|triggers?\b|\bpatterns?\b|at (?:its|their|your) (?:worst|best)|the difference|differences? between|how (?:are|were|is|do|does|did) (?:the|those|these|other|it|that) [^?]{0,40}\b(?:differ|compare|vary)|(?:in )?contrast|in common\b|coincid\w+|compared (?:with|to) (?:now|then|before|how)|like before\b|before and (?:after|now)|(?:bring|brings|brought) (?:it|this|that|them) (?:on|about)\b|(?:is|are|was|were|does|do) (?:it|that|this|things|they|you) (?:\w+ )?(?:different|better|worse|easier|harder) (?:when|with|at|on|in|if|around|depending)|why now\b|what(?:'s| is| has) (?:\w+ )?(?:behind|special|particular) (?:\w+ )?(?:the|those|these|about)",
        rf"(?:what|anything|something|things?)\b[^?]{{0,40}}?\b(?:happen\w*|going on|occur\w*|took place|come up|came up|go(?:es)? on)\b[^?]{{0,40}}?\b{_THEN}|(?:what|anything|something|much) (?:\w+ )?(?:else )?(?:was |were )?(?:going on|happening|happen) (?:in your (?:life|world)|around you|when it|{_THEN})",
        rf"(?:what|when|which|is there|anything|something|how come|why|some)\b[^?]{{0,45}}\b{_BAD_OR_GOOD} (?:days?|times?|mornings?|nights?|weeks?|spells?|ones|moments?|on|after|with|when|then|than (?:others|at|on))|(?:what|when|anything|something|whether|does it|do they)\b[^?]{{0,30}}\b(?:makes?|made|making|is|was|gets?|feels?|are) (?:it|this|that|things|them|they)? ?(?:\w+ )?(?:better|worse|easier|harder|lighter|milder|stronger|flare|settle|ease)\b|when (?:is|was) it not like",
        r"what (?:tends to|usually|normally|typically|makes it|helps|brings|sets|eases|settles|calms|lifts|shifts|turned)\b(?! you)|what (?:seems to )?(?:sets|brings|makes|eases|lifts|settles) (?:it|this|that|them) (?:off|on|up|better|worse|come|go)\b|tipped (?:it|things|the (?:balance|scales?))",
        r"(?:when|days|times|on) [^?]{0,40}\b(?:and|from|versus|as against|compared (?:to|with)|rather than) (?:when|days|times|those|the ones|on)\b",
    ),
    "safety": re.compile(
        SAFETY.pattern
        + r"|\b(?:not (?:being|be|wanting to be|want to be) (?:here|around|alive)|\w+n't (?:be|want to be|wanted to be|being) (?:here|around|alive)|(?:to|of|about|with|by|or|want|wanted|wish\w*) (?:be )?(?:die|dying|dead|death)\b|self-?harm\w*|overdos\w*|weapons?|in (?:any )?(?:danger|immediate danger|harm's way)|dangerous|at risk|threat\w+|worth living|go on living|carry on living|(?:end|ending) (?:it all|things|everything)|end(?:ing)? it\b|(?:get|gets|got|been|turn\w*|become\w*) (?:\w+ )?(?:physical|violent|aggressive)\b|do (?:something|anything|yourself|him|her|them|someone|anyone) (?:\w+ )?(?:to (?:yourself|him|her|them|anyone|someone)|harm|damage)|(?:lay|laid|raise\w*|put) (?:a |his |her |their )?(?:hands?|finger|fists?) (?:on|to|against|at) you|(?:hit|hits|hitting|push\w*|grab\w*|chok\w*|strangl\w*|beat\w*|slap\w*|kick\w*|attack\w*) you\b|(?:frightened|scared|afraid) (?:of|for|by) (?:him|her|them|your (?:life|partner|husband|wife)|what (?:he|she|they|you) (?:might|may|could|would))|act(?:ing|ed)? on (?:it|that|those|these|them|the)|keep (?:yourself|them|him|her|everyone) safe|suicid\w*|made (?:any )?(?:plans|a plan|preparations)|plan(?:s|ned)? (?:for )?(?:how|to (?:do|end|hurt|harm|kill))|(?:get|got|have|had) (?:hold of|access to) (?:any|some|the means|means|pills|weapons)\w*|disappear for good|do(?:ing)? away with yourself|jump(?:ing|ed)?\b(?! to)|cutting\b|stash\w*|(?:suicide )?attempts?\b|(?:their|your) own life|stay(?:ing)? alive|living (?:\w+ )?(?:\w+ )?worth|\w+n't wake up|better off (?:if you|without you)|mean (?:dying|to die)|(?:said|saying) goodbyes?|affairs in order|joining (?:him|her|them)\b)",
        re.I,
    ),
    "background": _any(
        rf"childhood|(?:when|while|since|before|as|from|until) (?:you (?:were|was) )?{_SMALL}|you (?:were|was) {_SMALL}|growing up|gr[eo]w up|grown up (?:in|with)|brought up|raised|upbringing|(?:at|in) school|early (?:\w+ )?(?:life|years|experience\w*|memor\w*)|earliest|formative|family (?:home|life|of origin)|(?:in|at) (?:your|the) (?:\w+ )?(?:family|home you|house you)|grown-?ups|adults (?:around|in)|years ago|back then at home|history of|its history|roots?\b|how old were you\b|years back|when (?:did|was) (?:\w+ ){{0,4}}(?:belief|rule|idea|conviction)\b|schooldays|teens\b|teenage|grandparents|at home,|as the (?:youngest|eldest|oldest|middle|only)\b|how (?:was|were) [^?]{{0,40}}(?:treated|handled|dealt with|talked about|shown|received)|at (?:primary|secondary|boarding) school|when did you (?:first )?(?:conclude|decide|first (?:start to |begin to |come to )?(?:think|believe|know|meet))|first time you\b[^?]{{0,20}}\b(?:felt|thought|had)\b",
        r"(?:your|the) (?:parents?|mother|father|mum|mom|dad|family|grandparents|gran)\b[^?]{0,40}\b(?:used to|always|handl\w*|deal\w*|dealt|teach|taught|treat\w*|react\w* (?:to|when)|expect\w*|respond\w* (?:to|when)|approach\w*|view\w*|show\w* (?:love|affection|anger)|make of|think of|ever)\b",
        r"(?:learn(?:ed|t|ing)?|taught|teach(?:es)?|pick(?:ed)? up|inherit\w*|absorb\w*|discover\w*) (?:\w+ ){0,3}?(?:that|it|this|about|from|to|you|how|such)\b|(?:who|where|when|how)\b[^?]{0,30}\b(?:learn|learned|learnt|taught|pick(?:ed)? (?:\w+ )?up|get (?:that|this|it|the) (?:\w+ )?from)",
        r"(?:remind\w*|familiar|bring\w* back|echo\w*|ring\w* a bell|recogni[sz]e (?:it|this|that|the (?:feeling|pattern|voice))) ?(?:you|memor\w*|of|from|to you|feeling|anything|an|any)?\b|(?:come|came|comes|coming|stem\w*|originat\w*|know|known) (?:\w+ ){0,2}?from\b|(?:dat|tak|go|lead)\w* (?:\w+ )?back to (?:your|when|some)|where\b[^?]{0,50}\bfrom\b|way back|whose (?:\w+ )?(?:voice|words?|rules?|ideas?|standards?)\b|voice (?:belong|is (?:it|that)|sound|remind)|(?:old|same|familiar) (?:voice|story|tune|feeling|pattern|rule|wound|message)",
        r"(?:in|through|over|during|from) (?:your|the) past|earlier (?:in|on|times|relationships|experiences)|(?:before|first|other times?|ever|elsewhere|when|where|point|long ago) (?:\w+ ){0,5}?in your life\b|in your life (?:\w+ ){0,4}?(?:before|first|earlier|already|met|learn)|(?:have|had|did) you (?:\w+ )?(?:ever )?(?:felt|feel|known|know|had|been|experienced|gone through|come across|met|meet|seen|lived through|struggled)\b[^?]{0,60}\b(?:before|elsewhere|previously|in (?:the|your) past|earlier|already)\b",
    ),
}
_SPECIFIC: Final[frozenset[Slot]] = frozenset({"against", "duration", "change", "safety", "background"})
"""The specific slots go before the general ones in the same question: what happened *before it began* asks for a change."""
_WH: Final = re.compile(r"^\W*(?:(?:and|so|but|well)[ ,]+)*(?:where|when|how|what|since when)\b", re.I)
_SUBORDINATE: Final = re.compile(
    r"^\W*(?:(?:and|so|but|well|ok(?:ay)?|then)[ ,]+)*(?:when|as|while|if|after|once|now that|given|standing|sitting|lying|looking)\b[^,?]*,\s+(?=\w+ \w)",
    re.I,
)
_TRAILING: Final = re.compile(
    r"(?<=\w),? (?:when|while|as|after|before|because|now that) (?:you|he|she|it|this|that|they|the|your|his|her)\b.*$",
    re.I,
)
_TWO_THINGS: Final = re.compile(r"\b(?:and|or)\b[^?]{0,20}\b(?:what|how|your|the)\b", re.I)
_STRUCK: Final = re.compile(
    r"\b(?:it|that|this|what|thought|news|words?) (?:\w+ )?(?:hit|hurts?) you\b|\bsafety (?:behaviou?rs?|nets?|valves?)\b",
    re.I,
)
"""Words of danger that mean none."""
_LEAVE: Final = re.compile(
    r"^[^?]*\b(?:(?:may|can|could|might) (?:i|we)|(?:would it be|is it) (?:ok(?:ay)?|all right|alright) (?:if i|to)|do you mind (?:if i|me))\b[^?]{0,30}?\b(?:ask(?:ed|ing)?|check|know)(?: you)?(?: \w+ly| straight| outright)?,? "
    r"(?=(?:whether|if|what|how|when|where|who|which|since|is|are|was|were|do|does|did|have|has)\b)",
    re.I,
)
"""It asks leave to ask and asks at once."""
_REQUEST: Final = re.compile(
    r"^\W*(?:(?:and|so|but|well|ok(?:ay)?|right|now|then|first|please|hang on|if you(?:'d like| can| don't mind|'re willing|'re able)|before \w+ [^,]{0,40})[ ,:–—-]+)*"
    r"(?:(?:perhaps|maybe) (?:you (?:could|can|would|might)|we (?:could|can|might) (?:start|begin|go back))|you (?:could|can|might) (?:tell|start by)|(?:i(?:'d| would)|it(?:'d| would| might| may)) (?:\w+ ){0,4}?(?:like|love|help|useful|helpful|good|interest\w*|glad|grateful|appreciate|value)\b[^.]{0,30}\b(?:hear|know|understand|learn|ask|picture|sense|if you|see|told)"
    r"|i (?:(?:just|also|do|really) )*(?:need|want|have|'d like|would like|am trying|wanted) to (?:ask|know|hear|understand|get|be clear|check)|i(?:'m| am) (?:\w+ )?(?:trying|keen|hoping|interested|curious|wondering|not (?:quite |yet )?(?:sure|clear))|i don't (?:yet |quite )?(?:know|understand|have)|let me ask|(?:tell|fill|give|help|remind) me|describe|paint|set the (?:scene|stage)|fly on the wall|zoom in|(?:take|walk|talk|bring) (?:me|us)|say (?:something|more|a))\b"
    r"(?=[^.]*\b(?:what|how|when|who|where|which|whether|if|about|more|through|scene|picture|in|of)\b)(?![^.]{0,25}\byou to know\b)",
    re.I,
)
_TO_BE_TOLD: Final = re.compile(
    r"\b(?:could|can|would|will|might|maybe|perhaps)(?:n't)? (?:you )?(?:(?:just|perhaps|maybe|possibly|please|try to|try and|start by|ever|you) )*(?:tell(?:ing)? me|say (?:a|more|what|how|when|where|who|something)|describe|describing|walk(?:ing)? me|talk(?:ing)? me|tak(?:e|ing) me|giv(?:e|ing) me|share|explain|put (?:a|it|that) (?:into|in|date|name|word)|name|remember|recall|think (?:of|back)|pin|help me)\b",
    re.I,
)
"""It asks to be told something, in the words in which advice is given otherwise."""
_WHETHER_ANY: Final = re.compile(
    r"^\W*(?:(?:and|so|but|well)[ ,]+)*(?:(?:is|are|was|were|has|have|had|might|could) (?:there|any\w*)|(?:can|could) you (?:think|recall|remember|name)|do you (?:know|remember|recall)|have you (?:ever|seen|noticed|had))\b(?!.*,\s*(?:\w+n't|is|are|do|right|yes|no)(?: \w+)?\W*$)",
    re.I,
)
"""It asks whether there is any such thing; a negation within it leads nowhere."""
_NO_SLOT: Final = re.compile(
    r"^\W*(?:(?:and|so|but|well)[ ,]+)*(?:(?:how|what) (?:about|would you (?:like|say to (?:\w+ing|a (?:walk|break))|want)|do you (?:want|hope|need|say to)|are you hoping|should|shall|could we|can we|can i|is it you want)|what (?:\w+ ){0,2}(?:you(?:'d| would| do)?|would|will|'ll) (?:\w+ )?(?:want|like|hope|wish|gain|achieve|feel (?:more|most) |you do\b|be different)|what'll you|in one sentence: what do you want|where (?:would you like|do you (?:want|see)|shall)|shall we|may i|can i|(?:can|do) you see (?:how|that|why|what i)|would you (?:like|prefer|rather))\b"
    r"|\bhow (?:likely|sure|certain|convinced|strongly|much do you believe|far do you believe|firmly)\b|\b(?:nought|zero|0|one|1) (?:to|and) (?:ten|10|a hundred|100)\b|\bhow (?:true|believable|convincing|compelling)\b|\b(?:rating|percentage|degree)\b|\bout of (?:ten|10|a hundred|100)\b|\b(?:could|would) (?:you )?(?:like to )?(?:change|wish for)\b|\b(?:from|of|as a result of|during) (?:therapy|treatment|these sessions|today's|this session|here)\b|\b(?:do you|you'd|you would) (?:\w+ )?(?:want|hope) (?:to|help|from|for|different)\b|\b(?:might|could|will|would) you (?:\w+ )?do (?:\w+ )?(?:different\w*|to|next time|this)\b|\bto (?:talk|speak|say)\b[^?]* (?:with|to) me\b|\bto (?:help (?:you|yourself)|cope|calm|get through)\b|\b(?:get on|go|got on) with (?:the|your) (?:homework|exercise|diary|task)",
    re.I,
)
"""It asks for wishes, for a number, for leave, or for how something was coped with."""
_HOW_IT_FELT: Final = re.compile(
    r"\b(?:(?:were|are|did|do|have) you(?! (?:down|flat))|was (?:it|that|there|any)|is it more|which (?:\w+ )?stronger|how (?=\w+ (?:(?:were|are|was|is|did|do) (?:you|the|that)|you (?:were|are|felt))))(?P<what>.{0,45})",
    re.I,
)
_FROM_HEAD: Final[dict[Asked, Slot]] = {
    Asked.SITUATION: "situation", Asked.THOUGHT: "thought", Asked.FEELING: "feeling", Asked.BACKGROUND: "background",
    Asked.RISK: "safety", Asked.ALTERNATIVE: "against",
}  # fmt: skip


def genuine(text: str) -> tuple[Question, ...]:
    """What a turn wants to know, by question or request; advice in a question's clothes is none, asking after danger is one."""
    text = text.replace("’", "'")
    asked = tuple(
        q for q in questions(text) if not q.advising or _PHRASES["safety"].search(q.text) or _TO_BE_TOLD.search(q.text)
    )
    at_once = (s[m.end() :] for s in sentences(text) if (m := _LEAVE.match(s)))
    requests = (s for s in statements(text) if _REQUEST.match(s))
    return asked + tuple(Question(s, True, False, False) for s in (*at_once, *requests))


@lru_cache(maxsize=20_000)
def asked_slots(text: str) -> frozenset[Slot]:
    """The slots that a turn asks for; advice and assent-seeking questions ask for none."""
    text = text.replace("’", "'")
    asked = tuple(q.text for q in genuine(text) if not q.leading or _WH.match(q.text) or _WHETHER_ANY.match(q.text))
    wanted = tuple(q for q in asked if not _NO_SLOT.search(q) or _PHRASES["safety"].search(q) or _names_feeling(q))
    if not wanted:
        return frozenset()
    found = frozenset[Slot]().union(*(_told_by_phrase(q) for q in wanted))
    return found or _told_by_head(text, wanted)


def _told_by_phrase(question: str) -> frozenset[Slot]:
    """The slots of one question by its phrases; a subordinate clause before it speaks where the question itself does not."""
    main = _SUBORDINATE.sub("", _STRUCK.sub(" ", question))
    whole = _met(question)
    found = (_met(_TRAILING.sub("", main)) - _SPECIFIC) | (_met(main) & _SPECIFIC) | (whole & {"safety", "background"})
    found = found or whole
    if found & _SPECIFIC:
        return found & _SPECIFIC
    inner = found & {"thought", "feeling"}
    return inner if inner and not _TWO_THINGS.search(main) else found


def _met(question: str) -> frozenset[Slot]:
    found = {slot for slot, pattern in _PHRASES.items() if pattern.search(_STRUCK.sub(" ", question))}
    return frozenset(found | ({"feeling"} if "thought" not in found and _names_feeling(question) else set()))


def _names_feeling(question: str) -> bool:
    return any(feelings_in(m["what"]) for m in _HOW_IT_FELT.finditer(question))


def _told_by_head(text: str, asked: tuple[str, ...]) -> frozenset[Slot]:
    """The slots by the trained head, which knows nothing of time and change and so speaks only where no phrase does."""
    about = asked_about(text, asked, packaged_slots(), shared_minilm())
    found = {_FROM_HEAD[slot] for slot in about.slots if slot in _FROM_HEAD}
    return frozenset(found | ({"against"} if about.wide else set()))


__all__ = ["SLOTS", "Slot", "asked_slots", "genuine"]
