"""How a Socratic question is put, decided by rules: does it lead, stack, advise, and what does it reach for?"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from maieutic.coding.book import Scheme
from maieutic.coding.contract import Coding, FacetCoding, Utterance
from maieutic.coding.rules import code_text
from maieutic.domain.codes import Move
from maieutic.language.questions import Question, questions
from maieutic.language.sentences import sentences

_CONCLUSION = re.compile(
    r"\b(?:would(?:n't| not)? you (?:not )?(?:say|agree|admit)|do(?:n't| not)? you (?:not )?(?:agree|see that|think that(?:'s| is) (?:just|simply|because))"
    r"|can(?:'t|not)? you (?:not )?see that|is(?:n't| not)? it (?:not )?(?:really |actually |simply |just )?(?:true|obvious|clear|fair|possible) that"
    r"|is(?:n't| not)? (?:it|that|this) (?:just|simply|really|actually|only|more|because)\b|wouldn't a\b|so you(?:'re| are) saying (?:that )?it(?:'s| is) really"
    r"|you (?:must|do) (?:see|realise|realize|admit)|are(?:n't| not)? you (?:just|simply|really|actually|only)\b|have(?:n't| not) you (?:just|simply|already|always)\b"
    r"|(?:doesn't|does not|does) that (?:just |simply |really )?(?:mean|show|prove|tell us) (?:that )?(?:you|it|he|she|they|there|your)\b)"
    r"|^(?:so )?(?:it|that|this|you|he|she|they)(?:'s| is|'re| are| was| were)(?:n't| not)? (?:really |actually |just |simply )?[^?]*,\s*(?:right|yes|no|correct|true)\?$",
    re.I,
)
_EVIDENCE = re.compile(
    r"\b(?:evidence|proof|proves?|facts?|reasons?|grounds|signs?|exceptions?|examples?|support(?:s|ing)? (?:it|that|this|the)"
    r"|speaks? (?:for|against)|points? (?:to|that way|the other way|against)|tells? you (?:so|that|it)|(?:make|made|makes|making) you (?:think|believe|so sure|sure|say|conclude|certain|suspect)"
    r"|how (?:do|did|would|could|can) you (?:know|tell|find out|come to (?:know|think|believe|be so sure|be sure|that))|how sure|how certain|base (?:it|that|this)\b|based on|what have you (?:seen|heard|noticed)"
    r"|what did you (?:see|hear|notice)|(?:ever|any) (?:a )?times? (?:when|that|it|you)|has (?:it|there) ever|when (?:has|have|did) (?:it|that|this|you) not|what else (?:could|might) (?:explain|have caused)|where does (?:that|this|the) (?:idea|thought|rule|belief) come from|why do you (?:think|believe|say|assume|suppose)\b(?! (?:he|she|they|it|others) (?:would|might)))\b",
    re.I,
)
_PERSPECTIVE = re.compile(
    r"\b(?:(?:your|a|another|some|somebody|someone|anybody|anyone|an? \w+|his|her|their)\s*(?:best |closest |oldest |good |older |younger |trusted )?(?:friend|mother|father|sister|brother|daughter|son|wife|husband|partner|colleague|neighbou?r|teacher|child|stranger|outsider|person|people|else|judge|observer|grandmother|grandfather|coach|boss|side|shoes|eyes|camera)\b[^?]*\b(?:say|see|tell|think|make of|look|feel|describe|put it|answer|reply|notice|call|judge|explain|read)"
    r"|(?:say|tell|advise|answer|write|reply|put it|explain (?:it|this)) to (?:a|your|another|someone|somebody|that|the|her|him) ?(?:\w+ )?(?:friend|sister|brother|daughter|son|child|stranger|colleague|person|self|who)"
    r"|tell (?:a|your|another) (?:\w+ )?(?:friend|sister|brother|daughter|son|child|colleague)|if (?:a|your|another) (?:\w+ )?(?:friend|sister|brother|daughter|son|child|colleague)\b|from (?:another|a different|her|his|their|the other)\b[^?]*(?:side|angle|view|point|seat|chair|window|place)?|(?:another|a different|other|second|kinder|fairer|more than one) (?:way|ways|angle|reading|explanation|view|side|light|account|story)"
    r"|in (?:his|her|their|your \w+'s) (?:shoes|place|position|eyes)|(?:his|her|their) (?:side|point of view|view|eyes)|point of view|step(?:ping|ped)? back|looking back|look back|(?:in|five|ten|twenty|\d+) years(?:' time| from now| later| ago)?[^?]*\b(?:see|think|look|make|say|remember|tell)|years from now|how (?:else|differently)|what else (?:could|might|may) (?:it|that|this|the|he|she|they|be|have)|through (?:his|her|their|someone)|(?:would|might|could) (?:he|she|they|others|other people|people|somebody|someone|anyone|(?-i:[A-Z][a-z]+)) (?:have )?(?:been )?(?:see|seen|thinking|say|said|think|thought|make|made|describe|described|tell|told|view|notice|noticed|put it|answer|look)\b|(?:somebody|someone|anybody|anyone|people) who [^?]*(?:say|see|think|make of|tell|look)|the you (?:of|who)|older you|younger you|(?:an?|the|your) (?:outsider|stranger|observer|camera|friend|judge|reporter)\b[^?]*(?:say|see|tell|think|make of|look|describe|write)|calmer (?:day|moment|hour)|from (?:the|a|an) [\w' ]+ (?:chair|seat|side|angle|window|place|end of the table))",
    re.I,
)
_IMPLICATION = re.compile(
    r"\b(?:what (?:would|will|might|could|does|did|do) (?:(?:it|that|this|he|she|they|you) )?(?:that |this |it )?(?:happen|follow|change|mean|imply|lead|come of|become of|be different|cost|bring|say about|do to|do for)|what happens (?:if|when|then|next|after)|what then\b|then what\b|and then\?|what follows|where (?:does|would|will|might|could|did) (?:it|that|this) (?:lead|leave|take|get|end)|what(?:'s| is| are| was| were| would be| might be|'d be) the (?:worst|best|likeliest|most likely|cost|costs|price|effect|effects|result|consequence|consequences|upshot|risk|use)|consequences?|implications?|how (?:does|would|will|might|did|could|has) (?:(?:it|that|this|thinking|believing|living|holding|keeping|going)\b[^?]*)(?:affect|change|help|shape|work|serve|play out|go|end|turn out|touch)|what (?:does|did|would|do|has) [^?,]{1,40} (?:cost|bring|gain|change|do to|do for) you|how (?:would|will|might|does|did) [^?,]{1,40} (?:go|affect|change|end|turn out|play out)\b|if (?:it|that|this|so|he|she|they|you) (?:\w+ )*(?:true|right|happened|so|did|were|came|stopped|stayed|go|goes|keep|kept|carry|carried|believed|let|gave)\b|what (?:do|did|would) you (?:lose|gain|get|stand to)|so what if|what if)",
    re.I,
)
_EMOTION = re.compile(
    r"\b(?:feel|feels|feeling|feelings|felt|emotions?|mood|heart|afraid|frighten(?:s|ed|ing)?|fears?|scare[sd]?|sad|sadness|anger|angry|ashamed|shame|guilt|guilty|hurts?|lonely|loneliness|anxious|anxiety|worry|worried|worries|grief|joy|happy|relief|relieved|proud|disappointed|jealous|hopeless|upset|in your (?:body|chest|stomach|belly|throat)|what (?:is|was|'s) (?:it|that|this) like(?: for you)?|how (?:is|was|were|are) (?:that|it|this|you)(?: for you)?(?: (?:right )?now| then| with (?:that|it|this))?[?,]|how are you (?:right )?now)",
    re.I,
)
_REACHES = (
    ("perspective", _PERSPECTIVE),
    ("evidence", _EVIDENCE),
    ("implication", _IMPLICATION),
    ("emotion", _EMOTION),
)
_CHECKS = re.compile(r"^(?:and |so |but |well,? |okay,? )*(?:right|okay|ok|yes|no|you know)\?*$", re.I)


def socratic_facets(text: str, before: str = "") -> dict[str, FacetCoding]:
    """The facets of one therapist utterance: leads, stacks, advises ('true' or 'false') and reaches.

    Args:
        text: The utterance.
        before: What the client said just before, so that words given back are not taken for advice.

    Blind to: tone, and whatever the therapist's conclusion is if no form of words gives it away. Unpunctuated speech is
    read as one sentence, in which a question is found only where a form of words opens one.
    """
    asked = _asked(text)
    values = {
        "leads": _truth(any(one.leading for one in asked) or any(map(_CONCLUSION.search, _question_sentences(text)))),
        "stacks": _truth(len(asked) > 1),
        "advises": _truth(any(one.advising for one in asked) or Move.ADVICE in code_text(text, before).moves),
        "reaches": _reaches([one.text for one in asked]),
    }
    return {facet: FacetCoding(value) for facet, value in values.items()}


def with_rule_facets(scheme: Scheme, said: Sequence[Utterance], codings: Sequence[Coding]) -> list[Coding]:
    """The codings with the facets that rules decide, where the coder left them out; those of other schemes as they are."""
    if scheme.id != "socratic":
        return list(codings)
    return [_filled(one, coding) for one, coding in zip(said, codings, strict=True)]


def _filled(said: Utterance, coding: Coding) -> Coding:
    facets: Mapping[str, FacetCoding] = coding.facets
    if said.speaker != "therapist" or len(facets) >= 4:
        return coding
    return replace(coding, facets={**socratic_facets(said.text, said.context[-1] if said.context else ""), **facets})


def _truth(value: bool) -> str:
    return "true" if value else "false"


def _asked(text: str) -> tuple[Question, ...]:
    return tuple(one for one in questions(text) if not _CHECKS.match(one.text.strip()))


def _question_sentences(text: str) -> list[str]:
    return [sentence for sentence in sentences(text) if sentence.rstrip("\"'”’) ").endswith("?")]


def _reaches(asked: Sequence[str]) -> str:
    for name, pattern in _REACHES:
        if any(pattern.search(question) for question in asked):
            return name
    return "none"
