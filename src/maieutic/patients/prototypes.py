"""Own-written example wordings of what a question can ask for: slots, wide invitations, and generic talk.

Comprehension compares a question with these by sentence embedding; they name no case and no fact.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from maieutic.domain.appraisal import Slot
from maieutic.language.safety_questions import SAFETY_QUESTION

SLOT_PATTERNS: Mapping[Slot, re.Pattern[str]] = {
    Slot.RISK: re.compile(
        r"suicid|(?:end|ending|take|taking) your (?:own )?life|kill(?:ing)? yourself|(?:hurt|harm)(?:ing)? "
        r"yourself|better off dead"
        r"|(?:not|n't) want(?:ing|ed)? to (?:be here|be alive|live|go on living|wake up)|wish(?:ed|ing)? "
        r"(?:you were|to be) dead|thoughts of (?:death|dying)"
        r"|" + SAFETY_QUESTION,
        re.I,
    ),
    Slot.CONVICTION: re.compile(
        r"how (?:much|strongly|firmly|far|convinced|certain|sure)\b.*\b(?:believe|belief|convinced|hold"
        r"|true|certain|sure)|\b(?:0|zero|one|1) to (?:100|a hundred|ten|10)\b"
        r"|out of (?:100|a hundred|ten)|how (?:convinced|certain|sure) (?:are|do) you",
        re.I,
    ),
    Slot.THOUGHT: re.compile(
        r"(?:go(?:es|ing)?|went|ran|run(?:s|ning)?|pass(?:es|ed|ing)?|cross(?:es|ed)?|came?|popp?(?:s"
        r"|ed)?) (?:through|in|into|to|across) your (?:mind|head)|(?:tell(?:ing)?|told|say(?:ing)?|said) "
        r"(?:to )?yourself"
        r"|what (?:were|are|was) you thinking|what did you think|what (?:does|did|would) (?:it|that|this) "
        r"(?:say|mean|suggest)(?: to you)?(?: about you| for you)?\b|what did you make of (?:it|that)"
        r"|worst (?:thing|part|that)"
        r"|afraid (?:it|that|this|would|might)|what (?:conclusion|meaning)|about (?:you|yourself) as a person",
        re.I,
    ),
    Slot.FEELING: re.compile(
        r"how (?:do|did|does|are|were|was|is) (?:you|that|it|this)(?: make you| making you| leave you)? "
        r"feel|what (?:feeling|emotion)s?\b|what (?:was|is) that like(?: for you)?|how (?:was|is) (?:that|it) for you"
        r"|what (?:did|do|are|were) you feel|in your body|how (?:strong|intense) (?:was|is) (?:that|the|this)",
        re.I,
    ),
    Slot.BACKGROUND: re.compile(
        r"grow(?:ing)? up|grew up|childhood|as a (?:child|kid|boy|girl)|your (?:parents|family) (?:say"
        r"|teach|treat|like)|first (?:time|begin|began|start|learn)|where (?:does|did|do) (?:that|this|it"
        r"|the idea) come from"
        r"|how (?:long|far back)|when did (?:this|that|it|you) (?:first|begin|start)|remind you of|earlier "
        r"in your life",
        re.I,
    ),
    Slot.GOAL: re.compile(
        r"what would you (?:like|want|hope) (?:to (?:get|work|talk|be|look|focus|change|happen|use)|from"
        r"|for us)|what (?:do|are) you (?:hope|hoping|want|wanting) (?:to|from|for)|most (?:useful"
        r"|helpful) (?:for you )?(?:today|to)"
        r"|goal|where would you like (?:to|us to) (?:start|begin)|what should we",
        re.I,
    ),
    Slot.SUPPORT: re.compile(
        r"(?:speaks?|points?|counts?|evidence|goes|facts?)\b.{0,30}\b(?:for|supports?|in favou?r of|backs? "
        r"up)\b (?:it|that|the|this|your|both|what)|what (?:supports|backs up|makes (?:it|that|this) "
        r"(?:true|seem true|so convincing))"
        r"|what (?:tells|convinces|persuades) you (?:that )?(?:it|that|this)(?:'s| is)\b",
        re.I,
    ),
    Slot.WEIGHING: re.compile(
        r"how (?:does|do|would|did|could) (?:that|this|it|those|these|all|what|the|both|they)\b.*\b(?:fit"
        r"|square|sit|go|compare|match|change|affect|add up|stack up)|side by side|(?:putting|put|looking"
        r"|look|hold(?:ing)?|weigh(?:ing)?) .*\b(?:together|both|everything|all (?:of )?(?:this|that))"
        r"|what do you make of (?:all|both|that|this|these|those|it now|the)|what (?:does|do) (?:all|that"
        r"|this|those|these|both)\b.*\b(?:tell|say|mean|suggest|show)|what conclusion|how do you see (?:it"
        r"|the thought|that thought) now",
        re.I,
    ),
    Slot.ALTERNATIVE: re.compile(
        r"(?:another|other|different|fairer|kinder|more balanced|alternative) (?:way|view|explanation"
        r"|reading|side|account|sentence)|(?:say|tell|said|told) (?:to )?(?:a|your|that) (?:\w+ "
        r")?(?:friend|colleague|sister|brother|daughter|son)\b.*\b(?:same|if|who|position|thought)"
        r"|how (?:would|could|might) you (?:put|word|say|phrase|describe) (?:it|that|this|the thought)|in "
        r"your own words|what would be a fair|else (?:could|might) (?:explain|it mean)",
        re.I,
    ),
    Slot.PLAN: re.compile(
        r"(?:try|test|do|find out|check|experiment)\b.*\b(?:this week|before (?:we|next)|next (?:time|week"
        r"|session)|between now)|how (?:could|might|would) you (?:test|find out|check|try)|next step|what "
        r"(?:could|might|would) you (?:try|do differently)|take (?:away|with you)",
        re.I,
    ),
    Slot.SITUATION: re.compile(
        r"what happened|(?:walk|take|talk) me (?:back )?through|tell me (?:more )?about (?:it|that|this"
        r"|what|the|last|your (?:day|week))|when (?:was|did) (?:the last|this|that|it) (?:time|happen)"
        r"|(?:recent|particular|specific|concrete) (?:time|example|moment|situation|occasion)"
        r"|say (?:a (?:little|bit) )?more|describe|what (?:was|were) (?:going on|the situation)|what "
        r"brings|where were you|what did (?:you|he|she|they) (?:do|say)",
        re.I,
    ),
}

WIDE_PATTERN = re.compile(
    r"\b(?:(?:speaks?|points?|goes|counts?|evidence|anything|something|facts?"
    r"|sign)\b.{0,40}\b(?:against|other (?:way|direction)|different(?:ly)?|doesn't fit|does not fit"
    r"|not fit|contradict|disagree)|exceptions?"
    r"|(?:times?|occasions?|moments?|days?|ever)\b.{0,40}\b(?:different(?:ly)?|otherwise|not (?:true"
    r"|so|the case)|wasn't|weren't|didn't|better|less true|went well)|gone (?:better|well|differently"
    r"|otherwise)|(?:doesn't|does not|did not|didn't) (?:quite )?fit (?:with )?(?:that|the|this)"
    r"|see (?:it|this|that|you) differently|know you (?:well )?(?:say|see|think|tell)|someone (?:else "
    r")?(?:who|in your)|(?:disagree|object|argue)s?\b.{0,20}\b(?:that|with)|what tells you "
    r"(?:otherwise|it isn't|it is not))",
    re.I,
)

GENERIC = (
    "How does that make you feel?",
    "Can you tell me more about that?",
    "What do you think about that?",
    "What happened next?",
    "Why do you think that is?",
    "What would you like to talk about today?",
    "How long have you felt this way?",
    "What evidence do you have for that thought?",
    "What evidence is there against that thought?",
    "What would you say to a friend who thought this way?",
    "Is there another way of looking at it?",
    "What is the worst that could happen?",
    "Has there been a time when things went differently?",
    "What does this say about you as a person?",
    "What could you do about it this week?",
    "Where does this belief come from?",
    "What does that suggest to you?",
    "Who in your life could support you?",
    "Does that remind you of anything?",
    "What else comes to mind?",
)

WIDE = (
    "What speaks against that thought?",
    "Has there been a time when it was different?",
    "What have you noticed that doesn't quite fit with it?",
    "When was it less true?",
    "Who knows you well and might see this differently?",
    "What has happened in all these years that a person like that could not have had?",
    "Is there anything, however small, that points the other way?",
    "What would put a question mark behind that?",
    "Which experiences go against what you say about yourself?",
    "What have you managed that the thought leaves out?",
    "Where in your life has the opposite been true?",
    "What in the last weeks does not belong in that picture?",
    "If you were mistaken about this, where would the signs of it be?",
    "What would somebody who disagrees with the thought point to?",
)
