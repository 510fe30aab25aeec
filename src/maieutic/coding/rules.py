"""The default coder of our own code book: transparent rules over the surface form of a turn, no model."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from maieutic.domain.codes import Move, TurnCode
from maieutic.domain.episode import Session
from maieutic.language.feelings import attributions
from maieutic.language.questions import questions, statements
from maieutic.language.safety_questions import SAFETY_QUESTION
from maieutic.language.sentences import content_words, words

_ADVICE = re.compile(
    r"\byou (?:should|ought to|need to|have to|must(?! (?:be|feel|have been|have felt))|could (?:also |always |maybe |perhaps |simply |just |start |try )?(?:\w+)|can (?:also |always |simply |just )?(?:try|start|do|use|take|set|make|ask|talk|practi[cs]e|write)"
    r"|might (?:want|like|try|consider)|may want|had better|'d better|'ll want)\b"
    r"|\b(?:i(?:'d| would)? (?:strongly )?(?:recommend|suggest|advise|encourage|urge)|my (?:advice|suggestion)|it (?:would|might|could|may) be (?:good|helpful|useful|better|best|worth|beneficial)"
    r"|it(?:'s| is) (?:important|essential|best|crucial|vital|better) (?:to|that|for)|the best (?:thing|way)|one thing you|what you need|here are|if i were you|a good (?:idea|first step|way)|step (?:one|1))\b",
    re.I,
)
_IMPERATIVE = re.compile(
    r"^(?:(?:first|then|next|also|and|so|instead|maybe|perhaps|just|please|\d+[.)]|[-*•])[,:]?\s+)*(?:try|make sure|start|remember|consider|take (?:a|some|time|care|deep)|write|don't|do not|focus|practi[cs]e|set|keep|avoid|stop"
    r"|give yourself|allow yourself|be kind|talk to|reach out|ask (?:for|your|a)|go (?:for|to|out)|break|challenge|replace|use|learn|think (?:positive|about the good)|look on|reward|seek|create|identify|engage|develop)\b",
    re.I,
)
_REASSURANCE = re.compile(
    r"\b(?:it(?:'ll| will| is going to|'s going to)(?: all)? (?:be|get) (?:all right|alright|ok(?:ay)?|fine|better)|don't (?:worry|be so hard)|no need to worry|nothing to worry|you(?:'ll| will) (?:be|get|do) (?:fine|ok(?:ay)?|better|all right|through|great)"
    r"|everything(?:'ll| will| is going to| happens)|not your fault|isn't (?:so|that|as) bad|not (?:so|that|as) bad|i'm sure (?:it|you|they|he|she|that|things)|things (?:will|do) (?:get|work)|you've got this|you are not alone|you're not alone|time heals|there's nothing wrong with you"
    r"|perfectly (?:normal|fine)|completely normal|everyone (?:feels|makes|has|goes))\b",
    re.I,
)
_AFFIRMATION = re.compile(
    r"\b(?:you(?:'re| are)(?: clearly| obviously| truly)? (?:so |very |really |such |an? |incredibly |amazingly |extremely |remarkably )*(?:strong|brave|amazing|wonderful|incredible|smart|clever|insightful|great|kind|capable|talented|inspiring|special|good|remarkable|thoughtful|admirable|lovely)"
    r"|that(?:'s| is| was)(?: really| so| very| truly| such| an?)* (?:great|wonderful|amazing|brave|excellent|fantastic|impressive|brilliant|insightful|courageous)|well done|proud of you|i admire|i(?:'m| am) impressed|good (?:job|for you|work)|takes (?:a lot of |real |great )?(?:courage|strength)|bravo)\b",
    re.I,
)
_REFLECTION = re.compile(
    r"^(?:(?:so|okay|ok|hm+|mm+|right|and|well|then|i see|yes)[,.]?\s+)*(?:it sounds|sounds (?:like|as)|it seems|you(?:'re| are) saying|you said|you say|you told|you mention|you mentioned|you describe|i hear|i'm hearing|what i(?:'m| am)? hear|in other words|if i (?:hear|understand)"
    r"|you told me|you feel|you felt|you(?:'re| are) feeling|part of you|for you,? (?:it|that)|on (?:the )?one (?:hand|side)|you(?:'ve| have) (?:been|had|carried|lost|kept)|you (?:were|had|have|thought|think|believe|believed|want|wanted|keep|kept|notice|noticed|put|hoped|expected))\b",
    re.I,
)
_OBLIGING = re.compile(r"^(?:(?:so|okay|ok|and|well|then)[,.]?\s+)*you (?:have to|had better)\b", re.I)
_SUMMARY = re.compile(
    r"\b(?:let me (?:see if i|sum|summari[sz]e|pull|put|gather|check i)|to sum(?:mari[sz]e)?(?: up)?|in sum|so far you|putting (?:it|that|this|these|those) together|pulling (?:it|that|this|these|those) together|you(?:'ve| have) told me (?:several|a few|two|three|both)"
    r"|on (?:the )?one (?:hand|side).{5,}on the other|what i have (?:heard|gathered) so far|side by side)\b",
    re.I | re.S,
)
_CHALLENGE = re.compile(
    r"\b(?:is (?:that|it|this) (?:really|actually|even) (?:true|so|fair|the case)|are you (?:really |absolutely |so )?sure|what makes you so sure|that(?:'s| is)(?: simply| just)? (?:not|n't) (?:true|right|rational|logical|realistic|accurate|how)|that isn't (?:true|right|rational|realistic)|i (?:don't|do not|can't) (?:think|believe|agree)"
    r"|you(?:'re| are) (?:wrong|mistaken|exaggerating|catastrophi[sz]ing|overgenerali[sz]ing|mind.?reading|being (?:irrational|unfair|too hard|silly|unreasonable))|(?:irrational|distort(?:ed|ion)|unrealistic|illogical|thinking error|thinking trap)|that (?:doesn't|does not) (?:mean|make|prove|follow)|prove (?:it|that)|isn't that (?:just|a bit|rather|black)|(?:but|actually),? (?:that|you|it|the truth|the fact)"
    r"|the truth is|in reality|fact is)\b",
    re.I,
)
_INFORMATION = re.compile(
    r"\b(?:research|studies|study|science|scientists|statistic|in (?:cbt|therapy|psychology)|cognitive|is called|are called|known as|anxiety (?:is|can|works)|depression (?:is|can)|the (?:human )?brain|people (?:often|with|who|tend)|many people|most people|a (?:common|well-known)|this is because|happens because|thoughts (?:are|influence|affect|lead|create)|evolution|hormone|symptom|technique|the model)\b",
    re.I,
)
_RISK = re.compile(
    r"\b(?:suicid\w*|end(?:ing)? your (?:own )?life|kill(?:ing)? yourself|hurt(?:ing)? (?:or kill(?:ing)? )?yourself|harm(?:ing)? yourself|not want(?:ing)? to (?:be alive|live)|better off dead|emergency|crisis line"
    r"|tak(?:e|ing) your own life|an end to your (?:own )?life|planning your (?:own )?death"
    r")\b|" + SAFETY_QUESTION,
    re.I,
)
_GREETING = re.compile(
    r"^(?:hello|hi|welcome|good (?:morning|afternoon|evening)|thank(?:s| you)|goodbye|see you)\b", re.I
)

LECTURE_WORDS = 45


@dataclass(frozen=True, slots=True)
class RuleCoder:
    """Codes the last therapist turn by rules.

    Source: own code book (`maieutic.domain.codes`). Departures: probabilities are 0.95 for a matched rule and are not
    calibrated. Blind to irony, to other languages and to anything that is said without the usual words.
    """

    def code(self, session: Session) -> TurnCode:
        """Code the last therapist turn in the light of the patient's words before it."""
        turn = session.last("therapist")
        said = session.last("patient")
        return code_text(turn.text if turn else "", said.text if said else "")


@lru_cache(maxsize=20_000)
def code_text(text: str, previous: str = "") -> TurnCode:
    """Code one therapist utterance; `previous` is what the patient said before it."""
    asked, told, length = questions(text), statements(text), len(words(text))
    said = content_words(previous)
    moves: set[Move] = set()
    if any(q.open and not q.advising for q in asked):
        moves.add(Move.OPEN_QUESTION)
    if any(not q.open and not q.advising for q in asked):
        moves.add(Move.CLOSED_QUESTION)
    if any(q.advising for q in asked) or any(_advises(s, said) for s in told):
        moves.add(Move.ADVICE)
    if any(_REASSURANCE.search(s) for s in told):
        moves.add(Move.REASSURANCE)
    if any(_AFFIRMATION.search(s) for s in told):
        moves.add(Move.AFFIRMATION)
    if any(q.leading for q in asked) or _CHALLENGE.search(text):
        moves.add(Move.CHALLENGE)
    if any(_INFORMATION.search(s) for s in told):
        moves.add(Move.INFORMATION)
    if _RISK.search(text):
        moves.add(Move.RISK_RESPONSE)
    if _SUMMARY.search(text):
        moves.add(Move.SUMMARY)
    if any(not a.tentative for a in attributions(text)):
        moves.add(Move.FEELING_CLAIM)
    if _gives_back(told, said, moves):
        moves.add(Move.REFLECTION)
    told_words = sum(len(words(s)) for s in told)
    if told_words >= LECTURE_WORDS and moves & {Move.INFORMATION, Move.ADVICE, Move.CHALLENGE, Move.REASSURANCE}:
        moves.add(Move.LECTURE)
    return TurnCode(dict.fromkeys(sorted(moves), 0.95) or {Move.OTHER: 0.95}, length)


def _advises(sentence: str, said: frozenset[str]) -> bool:
    """Advice, unless the words are given back ("it sounds like you have to do it all")."""
    own = content_words(sentence)
    obliging = _OBLIGING.match(sentence) and 2 * len(own & said) < len(own)
    if _REFLECTION.match(sentence) and not obliging:
        return False
    return bool(_ADVICE.search(sentence) or _IMPERATIVE.search(sentence))


def _gives_back(told: tuple[str, ...], said: frozenset[str], moves: set[Move]) -> bool:
    """A statement about the patient in the usual frames, or one built on at least two of the patient's content words."""
    for sentence in told:
        if _advises(sentence, said) or _GREETING.match(sentence):
            continue
        if _REASSURANCE.search(sentence) or _AFFIRMATION.search(sentence) or _CHALLENGE.search(sentence):
            continue
        shared = len(content_words(sentence) & said)
        if _REFLECTION.match(sentence) or (shared >= 2 and shared / max(1, len(content_words(sentence))) >= 0.34):
            return True
    return Move.SUMMARY in moves
