"""Which kinds of move a therapist turn makes, by a trained head beside rules: the coder behind 'does' in knows against does."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from maieutic.coding.rules import code_text
from maieutic.domain.codes import Move
from maieutic.gap.knows_vs_does_heads import LONGEST, packaged_head, sentence_rows
from maieutic.language.feelings import attributions
from maieutic.language.questions import questions
from maieutic.language.sentences import sentences, words
from maieutic.reading.bag import places

COMFORT: Final = frozenset({"advise", "reassure"})
"""What a helper falls back on: the greedy choice."""
NOTHING: Final = "none"
"""Label of a sentence that makes none of the moves."""

_SAFETY: Final = re.compile(
    r"\b(?:suicid\w*|(?:end(?:ing)?|tak(?:e|ing)|put(?:ting)? an end to) your (?:own )?life|kill(?:ing)? yourself|harm(?:ing)? yourself|hurt(?:ing)? yourself"
    r"|(?:not want(?:ing)?|rather not) (?:to )?(?:be alive|be here|live|wake up)|better off dead|(?:wish|want)(?:ing|ed)? (?:to die|you were dead|to be dead)|(?:are you|keep(?:ing)? you|you(?:'re| are)|be|feel|stay) safe"
    r"|your safety|thoughts? of (?:dying|death|ending)|emergency (?:number|services|line)|crisis line|acting on (?:it|that|those))\b",
    re.I,
)
_WEIGH: Final = re.compile(
    r"\b(?:(?:how|where) (?:does|do|did|would|might) (?:that|this|it|all (?:of )?(?:that|this|it)|these|those|what you|they|the \w+|\w+) (?:\w+ ){0,6}?(?:fit|compare|square|sit (?:with|next|beside)|go with|match|leave)"
    r"|what do you (?:make of|conclude|take from)|what (?:would|could|might|does) (?:that|this|it|all (?:of )?(?:that|this)) (?:say|mean|tell|suggest)|what (?:else )?(?:could|might|would) (?:\w+ )?(?:explain|account|be behind|be going on)"
    r"|what (?:would |might |could |did )?(?:speaks?|points?|goes|go|counts?|argues?|stands?) (?:for|against|the other)|(?:would|does|did|do)(?:n't| not) (?:fit|go) with|what (?:does|do|did|would) (?:that|this|those|the) (?:\w+ )?(?:tell|say|mean|suggest)|(?:any|some)thing else (?:have |be )|most likely|what follows|evidence|what (?:other|else) (?:reasons?|explanations?|could|might)|(?:other|another|different|second) (?:reasons?|explanations?|ways? (?:of|to)|readings?)"
    r"|(?:say|tell) (?:to )?(?:her|him|them|a (?:good )?friend|someone|somebody)|how (?:sure|certain|strongly|much) (?:are|do) you|looking at (?:both|all)|when you (?:put|set|lay|hold) (?:\w+ ){1,4}(?:together|side by side|next to|beside)|judge (?:her|him|them|someone))\b",
    re.I,
)
_STEP_BACK: Final = re.compile(
    r"\b(?:i(?:'m| am) (?:really |so |truly )?sorry (?:that i|if i|for|i |about (?:how|the way)|it came)|i (?:think i |may have |might have |have |'ve )?(?:pushed|pressed|rushed|went too fast|been pushing|been going too fast|got (?:that|it|you) wrong|misunderstood|misread|jumped|was too|did not listen|didn't listen)"
    r"|(?:went|going|moving|been) too (?:fast|quick|far)|my (?:mistake|fault|question (?:came|was))|that(?:'s| is| was) on me|thank you for (?:telling|saying|being (?:so )?(?:straight|honest|open)|stopping|correcting|putting me)|(?:we|you) (?:don't|do not|needn't) (?:have|need) to(?! (?:agree|please|say yes|tell me what))"
    r"|(?:we can|let's|i'll|let me|shall we|could we) (?:slow down|stop|pause|leave (?:it|that)|step back|drop|back up|back off|start again)|it(?:'s| is) (?:entirely |completely |all )?(?:up to you|your (?:choice|call|decision))|you decide|fair (?:enough|point)|you(?:'d| would) rather not"
    r"|would it be (?:ok(?:ay)?|all right|alright)|is it (?:ok(?:ay)?|all right|alright) (?:if|with)|what would (?:you (?:rather|prefer|like)|feel (?:better|more useful|right)|suit you|be (?:more )?(?:useful|helpful))|how (?:has it been|was it|is it) (?:for you )?(?:when|that|to have) (?:me|i)|where would you like)\b",
    re.I,
)
_CHECK: Final = re.compile(
    r"\b(?:(?:any|your|honest|little|some|small|what) (?:\w+ )?(?:doubts?|reservations?)|doubts? (?:you|about)|disagree\w*|not (?:quite |so |fully |entirely )?convinced|part of you (?:that|which) (?:isn't|is not|does|doesn't|still|says|thinks)|isn't (?:so )?sure|(?:don't|do not|doesn't) (?:have to|need to) (?:agree|please|say yes|tell me what)"
    r"|(?:even )?if (?:it|you|that)(?:'s| is| are)? (?:not what|disagree|different)|you can (?:tell|say) (?:me )?(?:if|when|that) (?:i'm|i am|it|you)|what do you (?:really|honestly|truly) (?:think|believe)|say so if|(?:doesn't|does not|didn't|did not) (?:ring true|fit|convince|quite fit|sit right)|where (?:am i|i'm|i am|i might be|might i be) wrong|no right answer"
    r"|off the mark|(?:doesn't|does not|didn't) (?:quite |really |fully )?(?:convince|persuade)|for my sake|which part of you|what would you (?:say|think|answer) if (?:you|i) (?:weren't|were not|wasn't)|if you disagreed|wrong answer here|mind if you|free to (?:say|disagree)|just (?:to please|being polite|agreeing)|honestly,? (?:how|what))\b",
    re.I,
)
_REFOCUS: Final = re.compile(
    r"\b(?:(?:come|go|get|bring (?:us|you|it)|coming|going|bringing us|take us|lead us|steer us|turn|returning|return) back (?:to|for)|(?:return|returning) to|(?:link(?:s|ed)?|connect(?:s|ed)?|belongs?|relates?|leads?) (?:\w+ )?(?:back )?(?:to|with) (?:the|what|your|our) (?:topic|question|agenda|we)"
    r"|we (?:were|had been) (?:talking|looking|at|with|on)|you (?:wanted|had wanted|asked) to (?:talk|look|work|get)|stay with (?:the|that) (?:room|moment)|where we (?:were|left off)|moved away from|got (?:a little |a bit )?away from|our (?:topic|agenda|plan for today)|what we (?:set out|agreed|said we))\b",
    re.I,
)
_PLAN: Final = re.compile(
    r"\b(?:(?:first|small|smallest|next|one|tiny|manageable|concrete) (?:\w+ )?step|(?:how|where|what|when|who) (?:could|might|would|can|will|do) (?:you|we) (?:\w+ ){0,3}?(?:test|try|find out|start|begin|do first|tackle|ask first|check|see (?:it|whether|if))|experiment|try (?:it |that |this )?out|put (?:it|that|this) to the test"
    r"|(?:try|test|do|ask|find out|look out for|notice|arrange)\b[^.!?]{0,60}\b(?:between now and|(?:this|the coming|next) week|before (?:we meet|next time)|the coming days)|what (?:needs|has) to \w+|make (?:a|the) (?:list|plan)|where to (?:begin|start)|come first|work out (?:together )?(?:what|how|where|which)|what would help you (?:get|bear|through|cope|to))\b",
    re.I,
)
_INFORM: Final = re.compile(
    r"\b(?:blood pressure|usually (?:take|takes|rises?|goes)|normally (?:take|takes|rises?)|(?:two|three|four|six|eight|several|a few|some) (?:to (?:four|six|eight) )?weeks|takes? (?:\w+ ){0,3}weeks|rises? (?:when|in|during)|(?:what|here(?:'s| is) what) (?:we know|is known)|the body|adrenalin\w*|doctors?|studies|medical\w*|the heart (?:speeds|beats|pumps))\b",
    re.I,
)
_SUMMARISE: Final = re.compile(
    r"\b(?:let me (?:see if i|check|sum|summari[sz]e|pull|put|gather|say (?:back|what))|(?:can|may|could|if) i (?:say (?:it |that )?back|gather|put|pull|sum)|so far|to sum|summari[sz]\w*|pull(?:ing)? (?:it|that|this|these|those|the \w+) together|put(?:ting)? (?:it|that|this|these|those|the \w+) (?:all )?(?:together|side by side)|on (?:the )?(?:one|other) (?:hand|side)|(?:several|two|three|a few) (?:things|threads|points|pieces)|have i (?:got|missed|left)|did i (?:get|miss))\b",
    re.I,
)
_LISTEN: Final = re.compile(
    r"\b(?:it (?:sounds|seems)|sounds (?:like|as)|i (?:can )?(?:hear|sense)|you (?:feel|felt|sound|seem|carry|carried|miss|missed|loved|waited|had hoped|hoped|longed|sat|stood)|it (?:hurts?|breaks|broke|stings?|stung|still)|how (?:painful|heavy|lonely|hard|sad|hurtful|exhausting|much (?:it|that|this))|that (?:hurts?|sounds|must|hit|hurt)|so (?:much|painful|heavy|hard)|the (?:pain|grief|hurt|shame|anger|loneliness)|no wonder|of course (?:you|it|that)|(?:it|that) makes sense)\b",
    re.I,
)
_PHRASES: Final = (_SAFETY, _WEIGH, _STEP_BACK, _CHECK, _REFOCUS, _PLAN, _INFORM, _SUMMARISE, _LISTEN)


@lru_cache(maxsize=20_000)
def moves_of(text: str, before: str = "") -> frozenset[str]:
    """The kinds of move in a therapist turn, of those in `items/frozen_moves.yaml`; several may hold, or none.

    Each sentence is read within its turn by a head that was trained on own-written replies; a kind holds that one sentence
    at least is likely to make.

    Args:
        text: The turn.
        before: What the patient said just before. It is not read: a reader that knew it could guess what would fit.

    Blind to: irony, what only the talk before makes clear, and other languages; beyond 40 sentences nothing is read.
    """
    parts = [part for part in sentences(text) if words(part)][:LONGEST]
    if not parts:
        return frozenset()
    head = packaged_head("moves")
    found: set[str] = set()
    for row in sentence_rows(
        parts, [rule_marks(part) for part in parts], rule_marks(" ".join(parts)), places(head.vocabulary)
    ):
        found |= head.counted(row)
    return frozenset(found - {NOTHING})


@lru_cache(maxsize=20_000)
def rule_marks(text: str) -> tuple[float, ...]:
    """What the rules find in a text, as the head sees it: phrases of nine kinds, behaviour codes, forms of question."""
    codes, asked = code_text(text, "").moves, questions(text)
    return (
        *(float(bool(pattern.search(text))) for pattern in _PHRASES),
        *(float(move in codes) for move in Move),
        float(bool(attributions(text))),
        float(any(q.open for q in asked)),
        float(any(q.advising for q in asked)),
        float(any(q.leading for q in asked)),
        float(bool(asked)),
    )


__all__ = ["COMFORT", "NOTHING", "moves_of", "rule_marks"]
