"""The seven kinds of therapist turn that tell an answer from a question, by rules over the words and a learned head.

Labels are those of Laban et al. 2025 (arXiv 2505.06120), read for therapy: an *answer attempt* is an interpretation,
advice or reframe that the therapist supplies, tentative or not. Feelings and facts given back are *discussion*.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, Literal, get_args

from maieutic.coding.rules import code_text
from maieutic.domain.codes import Move
from maieutic.gap.lost_labels_head import UNDECIDED, conclusion
from maieutic.gap.unusable import fault_of, is_refusal
from maieutic.language.feelings import attributions
from maieutic.language.questions import questions, statements
from maieutic.language.sentences import content_words, sentences, words

Label = Literal["answer_attempt", "clarification", "interrogation", "discussion", "hedge", "refuse", "missing"]
LABELS: Final[tuple[Label, ...]] = get_args(Label)
LONGEST_CLARIFICATION: Final = 100
"""Words; Laban et al. call a longer turn with one question a discussion."""

SURE: Final = 0.55
"""Probability from which a turn without a rule's words concludes."""
LEAST: Final = 0.3
"""Probability of several conclusions that words of a choice left open need beside them."""

_INTERPRETATION: Final = re.compile(
    r"\b(?:deep down|underneath (?:it|all|that|this|the)\w*|at (?:the )?(?:heart|root|core|bottom) (?:of|you)|the (?:root|source|core|heart|cause) of (?:this|it|that|your|the)"
    r"|(?:comes?|came|stems?|arises?|goes|dates?) (?:back )?(?:from|to) (?:your|when|those|the (?:way|time|years)|what)|rooted in|(?:the )?(?:real|underlying|core|deeper|true) (?:problem|issue|reason|belief|fear|cause|question is)"
    r"|(?:really|actually) (?:going on|happening|about)|(?:which|that|this)(?:'s| is) (?:why|how) (?:you|it)|you (?:have )?(?:learn(?:ed|t)|were taught|came to believe)|taught you|because you (?:believe|fear|think|feel|never|always|learn)"
    r"|(?:a )?(?:classic|typical|clear) (?:case|example|sign|pattern)|(?:all-or-nothing|black-and-white|mind[- ]reading|catastrophi|overgenerali|fortune[- ]telling|cognitive distortion|defen[cs]e mechanism|self-fulfilling|coping mechanism|attachment style)\w*"
    r"|what you(?:'re| are) (?:describing|experiencing|going through|doing|seeing) (?:is|here is)|this (?:is|looks like|sounds like) (?:a |an )?(?:pattern|form|sign|symptom|case|depress\w+|anxiety|perfectionism|grief|burnout|trauma)"
    r"|you(?:'re| are) (?:avoiding|punishing|protecting|projecting|repeating|confusing|setting (?:yourself|yourselves)|holding yourself|blaming yourself|treating|trying to (?:avoid|protect|control|punish|please|prove)|pushing people|looking for|turning (?:it|your))"
    r"|you (?:expect|assume|avoid|push|set|treat|confuse|protect|punish|turn) \w+.{0,60}\bso (?:that|as|you)\b|(?:a|your) way of (?:protecting|avoiding|coping|keeping|punishing|staying|not)|your (?:avoidance|perfectionism|core belief|inner critic|low self-esteem|fear of)"
    r"|it (?:seems|looks|appears) to me that|i (?:think|believe|suspect|would say|'d say) (?:that )?(?:you|it|this|your|what|the|he|she|they|there)|my (?:sense|guess|hunch|impression) is)\b",
    re.I,
)
_REFRAME: Final = re.compile(
    r"\b(?:(?:another|a different|a fairer|a kinder|a more (?:balanced|realistic|helpful|accurate)|an alternative|one other) (?:way|view|thought|reading|explanation|perspective)"
    r"|(?:does|do|did|is|are)(?:n't| not) (?:mean|make you|prove|define|the same)|the (?:fact|truth|reality|evidence) (?:is|shows|that|suggests)|in (?:fact|reality)|after all|chances are|(?:that|this|it) (?:shows|proves|tells (?:us|me|you)|suggests) (?:that|you|how)?"
    r"|look on the bright|see it (?:as|from)|silver lining|you did (?:nothing|everything|your best)|it(?:'s| is| was) not your fault|one (?:mistake|bad \w+|slip|setback) (?:does|is|in))\b"
    r"|^(?:(?:and|but|so|or|well|then)[, ]+)?(?:perhaps|maybe) (?:he|she|they|it|your|the|that|this|there|people|you(?:'re| are| were|r))\b"
    r"|\b(?:he|she|they|it|your \w+|people) (?:may|might|could|probably|must) (?:just |only |simply |well |also )*(?:have|be|been|not|didn't|was|were)\b",
    re.I,
)
_OFFERED: Final = re.compile(
    r"\b(?:(?:could|might|may|can) it (?:be|not be|also be)|is it possible|do you think (?:it(?:'s| is)|this is|that's|that is|maybe|perhaps) (?:because|about|really)|isn't it (?:because|that|possible)|might (?:this|that) be (?:because|about)|so is (?:this|it) (?:really )?about)\b",
    re.I,
)
_PLAN: Final = re.compile(
    r"\b(?:let's|let us|we can|we could|i want you to|i'd like you to|your homework) (?:start|begin|try|do|make|set|challenge|work on|write|practi[cs]e|build|test|replace|keep|put|reframe|is)\b",
    re.I,
)
_ALTERNATIVE: Final = re.compile(
    r"\b(?:it|this|that|he|she|they) (?:could|may|might) (?:also )?(?:be|have)\b|\bif (?:it|you|it's|you're|the|they|he|she|that|this)\b",
    re.I,
)
_WEIGHED: Final = re.compile(
    r"\bif (?:it|you|it's|you're|this|that|they|the)\b[^.?!]{3,120}\b(?:may|might|could|would|will|should)\b[^.?!]*(?:[.;,] ?(?:but |and )?)if (?:it|you|it's|you're|this|that|they|the)\b[^?]*[.!]",
    re.I,
)
"""Two conclusions, each under its condition."""
_GENERIC: Final = re.compile(
    r"^\W*(?:(?:please|and|so|okay|ok|right|well|yes|mm|i see|can you|could you|would you)[,. ]+)*(?:(?:tell me|say)(?: a (?:little|bit))? more(?: about (?:that|it|this))?|go on|(?:please )?(?:continue|carry on)"
    r"|(?:and )?(?:what else|anything else|how so|why)|how does that make you feel|how do you feel about that|what do you think)\W*$",
    re.I,
)


@lru_cache(maxsize=20_000)
def concludes(text: str, before: str = "") -> bool:
    """Whether a turn supplies an interpretation, advice or a reframe, as a statement or dressed as a question.

    Args:
        before: What the patient said last: words given back are no answer.
    """
    own = " ".join(s for s in sentences(text) if not _only_goes_along(s, content_words(before)))
    code = code_text(own, before)
    if Move.ADVICE in code or Move.LECTURE in code or Move.REASSURANCE in code:
        return True
    told = statements(own)
    if any(p.search(s) for s in told for p in (_INTERPRETATION, _REFRAME, _PLAN)) or _WEIGHED.search(own):
        return True
    return any(q.advising or _OFFERED.search(q.text) for q in questions(own)) or _heard(own)


def _heard(own: str) -> bool:
    """No rule has words for it, but the head hears a conclusion."""
    return len(words(own)) >= 3 and sum(conclusion(own)) >= SURE


def _only_goes_along(sentence: str, heard: frozenset[str]) -> bool:
    """A sentence that asks the patient to talk, asks after danger, gives words back or names a feeling."""
    own = content_words(sentence)
    given_back = "?" not in sentence and len(own) >= 2 and len(own & heard) / len(own) >= 0.6
    asks_after_danger = "?" in sentence and bool(SAFETY.search(sentence))
    return (
        asks_after_danger
        or given_back
        or bool(_GOES_ALONG.match(sentence) or _BACK.match(sentence))
        or _names_a_feeling(sentence)
    )


SAFETY: Final = re.compile(
    r"\b(?:suicid\w*|kill(?:ing)? (?:your|him|her|them|some)\w*|(?:end|ending|take|taking) (?:to )?your (?:own )?life|putting an end to your life|(?:hurt|harm)(?:ing|ed|s)? (?:your|you|him|her|them|some|any)\w*|not (?:wake|waking) up|better off dead|wish\w* (?:you were|to be) dead|be(?:ing)? (?:alive|dead)"
    r"|want(?:ing)? to (?:die|live)|(?:un)?safe|safety|afraid of (?:him|her)|violen\w*|hit you|acted on)\b",
    re.I,
)
"""Words of a question after danger, to the patient or to others."""
_GOES_ALONG: Final = re.compile(
    r"^\W*(?:(?:so|well|and|but|okay|yes|please)[, ]+)*(?:why not|(?:please )?(?:don't|do not|no need to) (?:apologi[sz]e|be sorry|rush|hurry|worry about (?:the order|how))|take your time"
    r"|(?:perhaps|maybe) you (?:could|can|would|might) (?:try to )?(?:tell|say|explain|describe|put|talk)|you (?:can|could|may|might) (?:tell|say|stop me|talk)|let(?:'s| us) (?:stay|look at (?:that|it|this|what)|slow down|go back|take (?:that|it|this)))\b",
    re.I,
)
_BACK: Final = re.compile(
    r"^(?:(?:so|okay|right|and|well|mm)[, ]+)*(?:you (?:said|told|mentioned|thought|say|were thinking|were saying)|you're (?:saying|telling me)|what went through (?:you|your mind) was|in your words)\b",
    re.I,
)


def _names_a_feeling(sentence: str) -> bool:
    """A short sentence that does no more than name a feeling: given back or guessed, it is no interpretation yet."""
    return len(words(sentence)) <= 7 and bool(attributions(sentence))


_INVITES: Final = re.compile(
    r"(?:^|[.!;,] )(?:please )?(?:give me an example|i(?:'d| would) (?:like|love|want) to (?:know|hear|understand|ask)|i(?:'m| am) (?:curious|wondering) (?:about|what|how|who|whether|if)|(?:describe|explain|walk me through|take me (?:back )?to|paint me|tell me (?:about|what|how|who|where|when|which|why)))\b(?! more\W*$)",
    re.I,
)
"""A question put without a question mark."""
_REFUSES: Final = re.compile(
    r"\b(?:i|we|my \w+|it|this (?:topic|conversation|request|subject)|that (?:request|topic|is|'s)|that's|this)\b[^.!?]{0,60}?"
    r"(?:(?:can(?:no|')t|can not|won't|will not|unable to|not able to|not going to|not (?:allowed|permitted) to|(?:do|does) not (?:permit|allow) me to|not in a position to|decline to|declining to|must decline|'d rather not|would rather not|don't feel comfortable|not comfortable|not qualified to|do not have the ability to|not designed to|not equipped to|refuse to|wouldn't be (?:appropriate|right) for me to|not (?:be )?appropriate for me to)"
    r"[^.!?]{0,30}?(?:\b(?:help|assist|answer\w*|respond\w*|discuss\w*|talk about|continue\w*|engage|comment|provide|give|offer|do that|take part|participate|role-?play|process|fulfil\w*|act as|conduct|comply|support|perform|carry on with)\b)"
    r"|against (?:my|our) (?:guidelines|policy|policies|rules|programming)|(?:outside|beyond) (?:of )?(?:what i(?:'m| am)|my (?:scope|abilities|capabilities|remit))|violates?|have to (?:stop|end) (?:here|this|now))"
    r"|\b(?:conversation|request|topic) (?:can(?:no|')t|can not) be (?:continued|processed|discussed|answered)",
    re.I,
)
_MACHINE: Final = re.compile(r"\b(?:as|just|only|i'm|i am) (?:just |only )?an? (?:ai|(?:large )?language model|chatbot|virtual assistant|machine)\b[^.!?]*\b(?:not|can't|cannot|don't|unable)\b", re.I)  # fmt: skip
_LONGEST_REFUSAL: Final = 45
"""Words; a longer turn that also says what it cannot do is read by the rest of it."""
_NO_TURN: Final = re.compile(
    r"^\W*(?:[\[(<*][^\])>]*[\])>*]|(?:internal )?(?:server )?error\b.*|n/?a|null|none|nil|undefined|nan|(?:therapist|assistant|counsell?or|response|reply|ai|bot)\s*:?)\W*$",
    re.I,
)
"""A placeholder, an error message or a bare name of the speaker."""


def _refuses(text: str) -> bool:
    plain = text.replace("’", "'")
    if re.search(r"\b(?:unless|until|if) you\b", plain, re.I):
        return False  # a condition is no refusal
    if is_refusal(text):
        return True
    short = len(words(text)) <= _LONGEST_REFUSAL and "?" not in text
    return short and bool(_REFUSES.search(plain) or _MACHINE.search(plain))


def _no_turn(text: str) -> bool:
    """Nothing that a therapist could have said: a sound, a placeholder, an error, noise, another language."""
    said = words(text)
    if fault_of(text, refusals=True) or _NO_TURN.match(text) or (len(said) < 2 and ("?" not in text or not said)):
        return True
    if text.lstrip().startswith(("{", "<|")) or (len(said) >= 5 and len(set(said)) <= len(said) / 3):
        return True
    noise = [
        w
        for w in said
        if len(w) >= 3 and not re.search(r"[aeiouy]", w) and not re.fullmatch(r"[hm]+|nhs|cbt|dbt|\d+", w)
    ]
    return len(noise) >= max(1, len(said) / 3)


@lru_cache(maxsize=20_000)
def label_of(text: str, before: str = "") -> Label:
    """What kind of turn it is, one of `LABELS`.

    Raises:
        ModelUnavailable: weights or tokenizer of the encoder are missing or not the pinned ones.
    """
    if _refuses(text):
        return "refuse"
    if _no_turn(text):
        return "missing"
    if concludes(text, before):
        one, several = conclusion(text)
        ways = bool(UNDECIDED.search(text)) or len(_ALTERNATIVE.findall(text)) >= 2
        return "hedge" if several > one or (ways and several >= LEAST) else "answer_attempt"
    asked = [q for q in questions(text) if not _GENERIC.match(q.text)]
    if len(asked) >= 2:
        return "interrogation"
    if (asked or _INVITES.search(text)) and len(words(text)) < LONGEST_CLARIFICATION:
        return "clarification"
    return "discussion"


ATTEMPTS: Final[frozenset[Label]] = frozenset({"answer_attempt", "hedge"})
"""Labels that offer a conclusion; a hedge offers several."""

__all__ = ["ATTEMPTS", "LABELS", "Label", "concludes", "label_of"]
