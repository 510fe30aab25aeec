"""Signs of danger: wide phrases by kind, looser than the rules, that count only where no frame takes them back.

A sign alone is evidence for the head, not a verdict; two families of its own (`SURE`) are trusted outright because they
hardly ever stood in a harmless training sentence.
"""

from __future__ import annotations

import re
from typing import Final

_I: Final = r"\b(?:i|i'm|i'd|i've|i'll|me|my|myself)\b"
_NOT_BE: Final = (
    r"(?:dead|die\b|dying|death|not (?:be|to be|being|existing|exist|waking|here|around|alive)|no longer (?:be|breathing|exist\w*)|stop (?:being|existing|living)|"
    r"stopped (?:being|existing)|never (?:to have )?(?:been born|existed|woken|wake|exist)|(?:don't|didn't|wouldn't|not) wake(?: up)?|be gone|being gone|"
    r"(?:it|all of it|everything|me) (?:to be|to|be|was|were) (?:over|finished|stop|end|done)|in (?:the|my|his|her) (?:ground|grave|coffin)|the long sleep|"
    r"cease|disappear for good|last (?:time|one|day)|my (?:turn|time)|take[sn]? me (?:away|out|in my sleep|home)?|killed in|go down|go (?:too|as well|with (?:him|her))|"
    r"fall asleep and|where (?:she|he) is|be with (?:her|him|my \w+ (?:again|soon)))"
)
_MON: Final = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_WHEN: Final = rf"(?:tonight|today|tomorrow|right now|this (?:week|weekend|evening|afternoon)|soon|on {_MON}|by {_MON}|before {_MON}|after {_MON}|next week|any minute)"
_THEM: Final = (
    r"(?:him|her|them|people|someone|somebody|anyone|everyone|everybody|that (?:man|woman|guy|bastard)|(?:my|his|her|the) (?:\w+[- ])?(?:wife|husband|"
    r"ex|boss|mum|mother|mom|dad|father|brother|sister|flatmate|neighbour|neighbor|colleague|stepfather|boyfriend|girlfriend|manager|landlord|face|throat|head|legs|kids|"
    r"place|school|office|house)(?:[- ]in[- ]law)?)"
)
_VIOLENCE: Final = r"(?:kill|murder|stab|shoot|strangl|chok|throttl|poison|hurt|beat|attack|burn|smash|slit|cut|shut|break|bleed|suffer|end|finish|harm|hit|run|injur|gut|destroy)\w*"
_HE: Final = (
    r"\b(?:he|she|they|(?:my|her|his) (?:\w+[- ]){0,2}?(?:husband|wife|partner|boyfriend|girlfriend|ex|dad|father|mum|mom|mother|stepdad|stepfather|"
    r"brothers?|son|uncle|landlord|carer|coach|boss|family|flatmate|in[- ]laws?|law|cousins?))(?:'s|'ll|'d)?\b"
)
_KID: Final = (
    r"(?:baby|son|daughter|kids?|child|children|toddler|boys?|girls?|twins|newborn|niece|nephew|grand(?:son|daughter)|little (?:one|boy|girl|brother|sister)s?|"
    r"\w+[- ]years?[- ]old|pupil|infant|six|five|four|three|stepdaughter|stepson)"
)

SIGNS: Final[dict[str, tuple[str, ...]]] = {
    "suicide_passive": (
        rf"(?:wish|hop|want|rather|prefer|pray|long|ready|wait|env|jealous|welcom|relie|peace|glad|dream|fantas|imagin|pictur|lik|fine|lucky|love)\w*\b[^.!?]{{0,45}}\b{_NOT_BE}",
        r"(?:don't|do not|no longer|never|didn't|not|can't|cannot|stopped|without) (?:\w+ ){0,5}?(?:be alive|live|living|life|exist\w*|wake up|be here|be around|go on|stay alive|"
        r"keep (?:living|going|existing)|be on this (?:earth|planet)|make it through|see (?:the next|another|tomorrow|myself)|another (?:day|year|winter))\b",
        r"(?:point|reason|sense|use|purpose|argument|value)\b[^.!?]{0,25}\b(?:alive|living|live|life|go on|going on|existing|exist|being here|be here|carry on|staying|stay)\b",
        r"(?:tired|sick|done|finished|exhausted|weary|through|hate|fed up|had enough)\b[^.!?]{0,12}\b(?:living|being alive|life|existing|existence|breathing|be alive)\b",
        r"(?:better|easier|happier|lighter|cleaner|relieved|free|best|fine|well)\b[^.!?]{0,40}\b(?:without me|if i (?:was|were|wasn't|weren't|died|disappeared|didn't exist)|i'm (?:gone|dead)|me (?:dead|gone))",
        r"(?:without me in|world without me|nobody would (?:notice|miss|care)[^.!?]{0,20}(?:died|gone|dead)|no one would (?:miss|notice) (?:me|if i)(?![^.!?]*(?:party|club|work|meeting)))",
        r"(?:should have|should've|wish i'd|wish i had|rather have) (?:\w+ )?died|(?:should|deserve to) be dead|deserve to die|don't deserve to live|not meant to be (?:alive|here)",
        r"(?:thoughts?|think\w*|idea|images?|pictures?) [^.!?]{0,25}\b(?:suicide|dying|being dead|ending|end it|my (?:own )?death|not being (?:here|alive)|killing myself|death)\b",
        r"(?:wouldn't|would not|don't|not) (?:\w+ ){0,3}?(?:mind|care|step aside|move|look|fight it|fight)\b[^.!?]{0,60}\b(?:die|died|killed|car|bus|truck|hit|happen\w*|cross\w*|it|dead)\b",
        r"(?:car|bus|lorry|truck|plane|heart attack|cancer|tumou?r|accident|illness|stroke|lightning|terminal)\b[^.!?]{0,70}\b(?:took me|take me|hit me|kill me|relieved|glad|lucky|wouldn't mind|way out|let it|end it|thank you|be fine)",
        r"(?:life|my life|everything|it) (?:is|has been|'s) (?:over|not worth|no longer worth|worthless)(?! there| when)|isn't worth (?:it|living)|nothing (?:left )?(?:to live|worth living|keep\w* me)|nothing left (?:for me|here)",
        r"(?:why|what for)\b[^.!?]{0,15}\b(?:alive|living|still here|keep breathing|woke up|wake up|was i born|am i here|go on)\b|my heart (?:kept|keeps) beating|disappoint\w* (?:that )?(?:i|to) (?:was|wake|woke|still)",
        r"only (?:thing|reason|one)[^.!?]{0,40}(?:keep\w* me|i'm (?:still )?(?:here|alive|staying)|still here|from (?:doing|ending|not being))|only staying (?:alive )?(?:because|for)|weren't for (?:her|him|them|my \w+)",
        r"\b(?:no|zero|lost|without|any) (?:the |my )?(?:will|wish|desire|reason) (?:left )?to (?:live|go on|be alive|survive)(?! in the queue| somewhere)",
        r"(?:not|don't|doesn't|never|no longer|can't|won't|didn't) (?:\w+ ){0,4}?(?:if i (?:live|die|woke|wake|survive|come round)|come round|belong (?:in|to) (?:the|this) (?:world|living)|(?:meant|supposed) to be (?:alive|here|born)|get(?:ting)? (?:old|there))|whether i(?:'m| am) (?:here|alive)|if i (?:don't|didn't) (?:wake|come)|stopp?(?:ed)? caring (?:if|whether) i",
        r"(?:let(?:ting)? go|switch(?:ed)? off|pull(?:ed)? the plug|hand(?:ing)? it back|leave (?:it|this world|the world)|out of (?:it|existence)|be nowhere|unsubscribe|stop being|not having to be|the big one|lucky (?:man|woman|them)|keeps me here|forgot to bury|cemetery|obituar\w+)\b",
        r"(?:death|dying|the end|not being (?:here|around|alive)|being dead|nothingness)\b[^.!?]{0,45}\b(?:peace\w*|comfort\w*|relief|rest|mercy|lovely|nice\w*|calm\w*|present|gift|kind\w*|worse than this|welcome|freedom|open the door|quiet)|(?:peace\w*|comfort\w*|relief|mercy|calm\w*|pray\w*)\b[^.!?]{0,30}\b(?:death|dying|dead|the end\b(?! of)|never wake|not waking)",
    ),
    "suicide_active": (
        r"(?:kill|end|unalive|hang|drown|shoot|finish|off|destroy|do away with) (?:myself|my (?:own )?life|it all|it tonight|it for good)\b",
        r"(?:kill|end|hang|drown|shoot|tak|finish)ing (?:myself|my (?:own )?life|it all|it\b(?! with| between)|things\b(?! with| between))",
        r"\bsuicid(?:e|al)\b",
        r"(?:picked|chosen|set|fixed|moved) (?:the|a|my) (?:day|date|place|time|spot|night)\b|know (?:exactly )?(?:how|when|where)[^.!?]{0,20}(?:i'll|i'm going|when|how|where)|not if (?:any more)?,? (?:it's|but) when|down to who will find|before (?:anyone|she|he|they) (?:gets?|comes?|finds?) (?:home|back|me)",
        r"(?:won't|will not|not going to) (?:need|be needing|see|have to see|make it to|be around|be coming|be a)\b[^.!?]{0,40}(?:me again|any more|summer|spring|christmas|monday|next|appointment|letter|birthday|burden|weight|it where)|too late (?:by then|to|now)|(?:in front of me|in my hand|in my lap|beside me) (?:now|right)|took some|take the rest|so sorry(?:\.|$| everyone)",
        r"(?:came|come|came very|been|got) (?:so |very |this |really )?close\b(?! to (?:text|call|my|the))|(?:stopped|didn't|only)\b[^.!?]{0,20}\bbecause (?:my phone|the dog|my son|my daughter|a (?:stranger|woman|man)|someone|of the (?:kids|driver|dog))|(?:urge|urges|impulse)\b[^.!?]{0,25}\b(?:strong|losing|fight|win|stronger|bad)",
        r"(?:going to|about to|want to|decided to|plan(?:ning)? to|ready to|intend to|'ll|will|mean to) (?:\w+ ){0,2}?(?:die|overdose|jump|end (?:it|things)|be dead|disappear forever|check out|hurt myself)\b(?! with| if| of| laughing)",
        rf"(?:do|doing|end|finish|ending) (?:it|this|things)\b(?: \w+)? {_WHEN}|{_WHEN} (?:i'll|i'm going to|i will|is the (?:night|day)|it ends|it's over)\b|it (?:all )?ends {_WHEN}",
        r"(?:won't|will not|not going to|don't (?:think i'll|plan to|expect to|intend to)|can't promise (?:you )?i'll) (?:be (?:alive|here (?:next|after|when|by|to)|around (?:to|much|for))|see (?:another|next|christmas|you again)|hear from me|wake up)",
        r"(?:i have|i've|i've got|got|made) (?:a|my|the) (?:plan|method|date|way out|means|note|letter)\b(?! for (?:the|my) (?:holiday|garden|week|work)|[^.!?]*(?:pizza|cake|snooker|dinner))",
        r"(?:have|got|keep|bought|saved?|saving|stash\w*|hid\w*|count\w*|know where|collect\w*|stockpil\w*)\b[^.!?]{0,45}\b(?:what i need|everything i need|the means|pills|tablets|rope|gun|medicine|medication|razor|blades?)\b(?! (?:receipt|box))",
        r"(?:letters?|notes?) (?:is|are|for|to|have|has)\b[^.!?]{0,40}\b(?:written|finished|ready|done|kids|children|husband|wife|parents|mum|sister|police|find|afterwards|drafts?|desk|table|drawer)\b",
        r"(?:wrote|written|writing) (?:the |my |a |goodbye |my goodbye |to |suicide |final )+(?:letters?|notes?|goodbyes?)\b(?! to (?:my (?:father|old)|the))|goodbye (?:letters?|note|message)",
        r"(?:standing|sitting|stood|sat|i'm|walk\w*|drove|went) (?:\w+ ){0,3}?(?:on|at|by|to|off|over|near|towards?) the (?:bridge|edge|roof|ledge|tracks|railing|cliff|river|platform|balcony|top floor|window|sea)\b[^.!?]*(?:over|jump|cold|hours|else|cars|end|again|try\w*|myself|want|brave|call|step|water)",
        r"(?:gave|given|giving) away (?:my|all|the|everything)(?![^.!?]*(?:moving|flat|clothes|charity))|(?:affairs|everything|will|dog|cat|fish)\b[^.!?]{0,30}\b(?:in order|arranged|sorted|taken care|done)[^.!?]*(?:ready|go|me|gone|worry)",
        r"(?:tried|attempt\w*|almost|nearly) (?:\w+ )?(?:to )?(?:kill\w* myself|end (?:it|my life)|suicide|overdose|take my life|die|hang)|(?:after|since|my|last|next|the) (?:\w+ )?attempt\b(?! at| to (?:cook|make))",
        r"(?:this is|it's|say\w* |just wanted to say |^|sorry,? )goodbye\b(?! to (?:the|my|our))|(?:tell|look after) (?:my|the) (?:mum|mom|kids|wife|husband|sister|dad|family|children)\b[^.!?]{0,30}(?:love|sorry|wasn't|not their)",
        r"(?:don't|can't|not) (?:\w+ )?(?:trust myself|keep myself safe|stay safe|be safe|promise (?:to|you|i))|not safe (?:tonight|with myself|alone|on my own)|act on (?:it|the thoughts|them|those)|something stupid tonight|scared of what i(?:'ll| might) do",
        r"(?:when|after) i(?:'m| am) (?:dead|gone)|my (?:own )?(?:death|suicide|funeral)\b[^.!?]{0,20}(?:plan|arrange|note)|after my death|find me (?:dead|hanging|in time|there)|my body",
        r"\b(?:took|taken|swallow\w*|take) (?:all|the whole|everything|the lot|a (?:load|handful|bunch)|too many|every (?:one|pill|tablet)|them all)\b|all (?:of )?(?:the|my) (?:pills|tablets|medication)",
    ),
    "self_harm": (
        r"(?:cut|cutting|cuts|hurt|hurting|harm|harming|harmed|burn|burned|burnt|punish|punching|hitting|scratch\w*|slash\w*|slic\w*|bit\w*|carv\w*|starved|injur\w*) (?:\w+ )?(?:myself|my (?:\w+ )?(?:arms?|wrists?|legs?|thighs?|skin|stomach|hand|body))\b",
        r"(?:been|started|stop|keep|relaps\w*|went back to|back to|started) (?:with )?(?:the )?(?:cutting|self.?harm\w*|burning|scratching)\b(?! (?:down|back|corners|out|toast))|self.?harm\w*|the cutting",
        r"(?:urges?|want|need|itch\w*|impulse) (?:\w+ )?to (?:cut|hurt|burn|harm|bleed|punish)\b(?! (?:the|down|back|him|her|them|you|my (?:hair|hours)))",
        r"(?:fresh|new|deep|open) (?:cuts|scars|wounds?|marks)|(?:blade|razor|lighter|needle)\b[^.!?]{0,40}(?:skin|arm|calm|quiet|twice|hand|case|marks|again)|(?:hit|bang|punch|hammer)\w* (?:my|myself)[^.!?]{0,20}(?:head|face|legs|wall)\b[^.!?]*(?:until|every|daily|when|stars)",
        r"(?:on purpose|deliberately|to punish my|to feel something|not to die)\b|until i bleed|till it bleeds|(?:need|have|want) to (?:see|feel) (?:blood|it|pain|the pain)|(?:needed|needs?) stitches|long sleeves|rolled up my sleeve|scissors again|new ones since|deeper than i meant|press on the bruises|my body pays|did (?:that|it) to myself",
    ),
    "harm_others": (
        rf"(?:going to|want to|will|i'll|about to|afraid i'll|scared i'll|scared i'm going to|might|plan\w* to|urges? to|decided to|could|feel like|thinking about|thoughts? of|thinking of|keep picturing|imagin\w*|dream about|fantas\w* about|close to) (?:\w+ ){{0,3}}?{_VIOLENCE} (?:\w+ )?{_THEM}",
        r"(?:he|she|they|you)(?:'s|'re| is| are|'ll be|'ll| will)? (?:dead|next|not leaving|isn't leaving|will pay|won't be (?:laughing|alive)|deserves? to die|dies|has to go|have to go|going to pay)\b",
        r"(?:gun|knife|axe|shotgun|hammer|blade|petrol|bat|bats|machete|crowbar|rifle|weapon)\b[^.!?]{0,60}\b(?:wait|outside|boot|car|seat|ready|door|loaded|him|her|them|tonight|back|his|show)\b",
        r"(?:wait(?:ing)?|sit\w*|follow\w*|driv\w*|go\w*|went) (?:\w+ ){0,3}?(?:for|outside|to|round|over|home)\b[^.!?]{0,20}\b(?:his|her|their|him|them|there)\b[^.!?]*(?:knife|gun|pay|hurt|kill|lesson|legs|bats|petrol|night)",
        r"(?:put|had|got) (?:my|a) (?:hands?|bullet|fist|knife)\b[^.!?]{0,20}\b(?:throat|neck|him|her|face|head)|(?:make (?:him|her|them) (?:pay|bleed|suffer)|teach (?:him|her|them) a lesson|(?:they'll|they will|he'll|she'll) (?:all )?(?:pay|be sorry))|homicid\w*|shoot (?:up|them)|a list\b[^.!?]*names",
        r"\bi (?:hit|pushed|choked|threatened|punched|attacked|stabbed|poisoned|strangled|beat) (?:her|him|my (?:\w+ )?(?:mother|mum|wife|husband|father|dad|partner|girlfriend|boyfriend|brother|neighbour))\b",
    ),
    "abuse": (
        rf"{_HE}(?: \w+){{0,3}}? (?:hit|hits|hitting|beat|beats|beating|punch\w*|slap\w*|kick\w*|chok\w*|strangl\w*|rap(?:e|ed|es|ing)|stab\w*|attack\w*|burn\w*|push\w*|shov\w*|drag\w*|grab\w*|hurt\w*|kill\w*|shak\w*|threat\w*|forc\w*|lock\w*|molest\w*|stalk\w*|tie[sd]?|abus\w*|handles) me\b(?! (?:at|in chess|with (?:a|his) (?:joke|smile|lawyer)|to (?:it|watch|court)|out by))",
        rf"{_HE}[^.!?]{{0,40}}\b(?:kill me|find me|hurt me|my neck|my throat|my face|my (?:arm|finger|rib|jaw|eye|nose)s?|hands? (?:on|around|round)|gun|knife|weapon|scissors|belt|bullet|fists?)\b",
        r"(?:i was|i've been|i got|been|being|am being|i'm being|i am) (?:\w+ ){0,2}?(?:raped|assaulted|beaten|abused|attacked|strangled|hit at home|stalked|trafficked|followed|locked)\b(?! (?:by a dog|in school))",
        r"(?:afraid|scared|terrified|frightened|can't|cannot|don't feel safe|not safe|nowhere)\b[^.!?]{0,25}\b(?:go(?:ing)? (?:home|back)|at home|in this house|of him|of what he|leave him|my husband|my partner|my own home)\b(?![^.!?]*opinion)",
        r"(?:outside|behind|at|kicking|banging|breaking) (?:\w+ )?(?:my|the) door|(?:hiding|locked|hide|hid) (?:\w+ )?in (?:the|my) (?:bathroom|car|shed|cupboard|bedroom|closet|toilet)\b(?![^.!?]*(?:chocolate|peace|alone|party|minutes))|he's (?:coming|on his way|asleep next|in the (?:shower|house|next room))",
        r"(?:if i (?:leave|left|tell|speak|go|don't)|when he(?:'s)? (?:drinks|drunk|gets home|finds))\b[^.!?]{0,50}\b(?:kill|hurt|find|hits?|beats?|worse|dead|end (?:me|my))\b|(?:doesn't|won't|don't) let me (?:leave|out|go|eat|see|have)\b[^.!?]*",
        r"(?:my|has|took|have|took away) (?:my )?(?:passport|papers|phone)\b[^.!?]{0,40}(?:beat|hurt|hit|locked|leave|work)|marry me off|through with the marriage|forced (?:marriage|to marry)|broken (?:ribs?|arm|jaw|fingers?)\b|black eye|bruises (?:on|where|under|all)",
    ),
    "child": (
        rf"\b(?:hit|hits|hitting|shook|shake|shaking|slap\w*|beat|beats|burn\w*|molest\w*|abus\w*|hurt\w*|threw|throw\w*|chok\w*|grab\w*|lock\w*|starv\w*|kick\w*|drown\w*|smother\w*|touch\w*) (?:\w+ )?(?:(?:my|our|the|her|his|this|a) (?:\w+ ){{0,2}}?)?{_KID}\b",
        rf"{_KID}\b[^.!?]{{0,60}}\b(?:bruise\w*|burns|welts|handprint|starving|begged|touches (?:her|him)|hurts (?:her|him)|in (?:her|his) room|bleeding|broken|not moving|isn't moving|haven't eaten|hasn't eaten|alone (?:in|at|all)|hard to wake|screaming every)\b",
        rf"(?:leave|left|leaving) (?:the |my |our |him |her |them )?(?:\w+ )?(?:{_KID}|him|her|them)?[^.!?]{{0,20}}\balone\b[^.!?]*(?:night|flat|hours|shift|drink|house)|(?:with|of) (?:the )?kids in the (?:car|back)\b|(?:drunk|high|drink\w*|using)\b[^.!?]{{0,40}}\b(?:kids|baby|school run|son|daughter)",
        rf"(?:scared|afraid|worried|going to|might|could)\b[^.!?]{{0,25}}\b(?:hurt|harm|shake|smother|throw|drop|drown|kill|do to|do something to) (?:\w+ )?{_KID}|pictures\b[^.!?]{{0,30}}(?:thirteen|twelve|fourteen|son|daughter|child)|(?:in|into) bed with (?:my|our|her|the) {_KID}",
    ),
    "psychosis": (
        r"(?:voices?|whisper\w*|god|jesus|angels?|devil|satan|demons?|spirits?|television|tv|radio|satellite|radiator|chip|wall|phone)\b[^.!?]{0,40}\b(?:tell\w*|told|say\w*|said|order\w*|command\w*|want\w*|instruct\w*|ask\w*|gave|giving|whisper\w*|speak\w*)\b",
        r"(?:hear\w*|being told|told|orders?|commands?|commanded|ordered|instructed|receiving)\b[^.!?]{0,30}\b(?:to (?:kill|hurt|cut|die|jump|burn|do it|stab|harm|hang|end|remove|stop)|voice\w*|do it)\b",
        r"(?:obey|disobey|sacrifice|chosen to|no choice but to do what|have to do what (?:it|they|he))|(?:chip|camera|implant\w*|signals?|rays|poison\w*|replaced|imposter|watching me through)\b[^.!?]{0,60}\b(?:in (?:me|my)|sent|my food|cut it out|take|stop|knife|kill|remove|teeth|eye|brain)\b",
    ),
    "mania": (
        r"(?:haven't|not|without|no|don't need|can't|hardly) (?:\w+ )?(?:slept|sleep)\b[^!?]{0,160}\b(?:fly|invincible|power\w*|chosen|god|mission|drove|driv\w*|traffic|bought|spent|gave away|quit|speed\w*|meds|lithium|genius|save the world|strangers|punched|nothing can|ideas|motorway|top of the world|airport|stop)\b",
        r"(?:stopped|quit|off|don't need|threw away|binned) (?:the|my|all my)? ?(?:lithium|mood stabili[sz]er\w*|meds|tablets|medication|pills)\b[^!?]{0,120}\b(?:nights|slept|sleep|fly|speed|alive|amazing|best|top|world|cure)\b|can't be killed|nothing can (?:touch|hurt|stop) me|i'm (?:invincible|immortal|the chosen|a god|untouchable)|can't die",
        r"(?:drove|driving|ran|walked|running)\b[^.!?]{0,30}\b(?:red lights|oncoming|motorway|lights off|eyes closed|top speed|through traffic|a hundred and)|(?:days|nights|hours) (?:awake|without sleep|no sleep|without)\b",
    ),
    "substance": (
        r"(?:took|taken|swallow\w*|mixed|mixing|drank|drunk|injected|shot up|snorted|had) [^.!?]{0,50}\b(?:too (?:much|many)|all of|more than i should|overdos\w*|on top|lost count|not sure how many|don't know (?:how many|what)|whole)\b",
        r"overdos\w*(?! (?:of|on (?:cake|chocolate)|management))|(?:can't|cannot|won't) (?:\w+ )?(?:wake (?:him|her|up)|stay awake|breathe|keep (?:my eyes|water)|feel my)|(?:stopp?ed|slow|not) breathing|turning blue|unconscious|nodding off|lips (?:are )?(?:tingling|blue)",
        r"(?:stopped|quit|come off|coming off|came off|detox\w*|haven't had|since i stopped|without|withdraw\w*|dts|day two|last drink)\b[^!?]{0,80}\b(?:shak\w*|seizure\w*|fits?|hallucinat\w*|seeing|sweat\w*|twitch\w*|spiders|insects|hearing things|what day)\b",
        r"(?:drunk|drinking|vodka|pints|high|using|coke|heroin|pills|benzos|xanax|booze|bender|binge|hit)\b[^!?]{0,70}\b(?:driv\w*|chest|numb|blood|passed out|black\w* out|breath\w*|heart|kids in|stopped breathing|vomiting|legs|seizure\w*|kitchen floor|dark)\b",
    ),
    "postpartum": (
        r"(?:birth|born|newborn|labour|labor|delivery|delivered|c-section|maternity|weeks? old|days? old|-day-old|had (?:the|my|our|a) (?:baby|son|daughter)|new m(?:u|o)m|breastfe\w*|milk|hospital)\b[^!?]{0,160}\b(?:evil|devil\w*|demon\w*|possess\w*|antichrist|swapped|switched|isn't (?:mine|human|real)|not (?:mine|human|real|my baby)|voice|voices|sacrific\w*|heaven|god|messages|signs|told to|save (?:her|him)|false|doll|both (?:of us )?(?:have to )?die|end us|hearing|visions|agents|poison\w*|test)\b",
        r"(?:baby|newborn|she|he|daughter|son|twins)\b[^.!?]{0,40}\b(?:evil|devil\w*|demon\w*|possess\w*|antichrist|swapped|switched|not human|isn't human|already dead|must (?:die|be)|has to (?:die|be stopped)|heaven|talks to me inside|code|lake|river|window)\b",
    ),
    "eating": (
        r"(?:haven't eaten|not eat\w*|eaten nothing|nothing but|only (?:drink|water)|starv\w*|purg\w*|vomit\w*|throw\w* up|laxatives|fast\w*|bulimi\w*|anorexi\w*|insulin|living on|bmi|kilos|stone|lbs|half an apple|tube|weigh\w*|last meal|chewing gum)\b[^!?]{0,140}\b(?:faint\w*|pass\w* out|collaps\w*|black\w* out|blood|heart|chest|hospital|pulse|dizzy|potassium|still (?:too )?fat|thin enough|stand|cramp\w*|days|doctor\w*|gp|a&e|fit|blue|lose more|stop\b|eight|nine|seven|week|dangerous|die|not eating)\b",
        r"(?:faint\w*|pass\w* out|passed out|collaps\w*|black\w* out|blood|heart|fall over|dizzy|pulse)\b[^!?]{0,100}\b(?:haven't eaten|not eat\w*|eating|purg\w*|vomit\w*|laxatives|starv\w*|thin|weight|calories|meal)\b",
    ),
}  # fmt: skip

COMPILED: Final = {kind: tuple(re.compile(part) for part in parts) for kind, parts in SIGNS.items()}
