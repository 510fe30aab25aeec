"""Six marks of one question, each 0 or 1 by rule: clear, single, answerable, non-leading, grounded, on the key cognition.

After ALFA (Li et al. 2025, arXiv 2502.14860), whose clinical trio is replaced: *medical accuracy*, *diagnostic relevance* and
*avoiding bias* become grounded, on the key cognition and non-leading.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, Literal, get_args

from maieutic.domain.appraisal import Slot
from maieutic.gap.asks_first_slots import asked_slots
from maieutic.language.feelings import feelings_in
from maieutic.language.questions import Question, questions
from maieutic.language.sentences import STOP_WORDS, sentences, words
from maieutic.models.embedding import shared_minilm
from maieutic.patients.slots import asked_about, packaged_slots

Mark = Literal["clear", "single", "answerable", "non_leading", "grounded", "key"]
MARKS: Final[tuple[Mark, ...]] = get_args(Mark)
LONGEST: Final = 30
"""Words of one question that a person in distress can follow at once."""

_JARGON: Final = re.compile(
    r"\b(?:\w*schema\w*|maladaptive|compensatory|conceptuali[sz]e\w*|dysfunctional|affective|mediat\w*|cognitions?|cognitive|intrapsychic|(?:un|sub)conscious|ego\w*|transference|attachment style|psychodynamic|etiolog\w*|aetiolog\w*|symptomatolog\w*|operationali[sz]e\w*"
    r"|behaviou?ral activation|metacognit\w*|valence|phenomenolog\w*|antecedents?|attribution\w*|(?:in|ex)ternali[sz]\w*|introject\w*|(?:dys|self-)regulat\w*|comorbid\w*|(?:pre|pro)morbid|interoceptive|somatic|heuristics?|epistemic|ontological|existential|aversive|reinforcers?|reinforcement|overgenerali[sz]\w*|dichotomous|object relations|defen[cs]e mechanisms?|psychosocial|ideation|anhedonia|dissociat\w*|contingenc\w*)\b",
    re.I,
)
_LONG_WORD: Final = 11
"""Letters of a word that weighs; three such words in one question make it heavy going."""
_NO_PERSON: Final = r"(?:mind|head|heart|body|chest|stomach|thoughts?|feelings?|tension|anger|fear|panic|sadness|guilt|shame|mood|voice|day|week|night|evening|life)"
_OTHER: Final = rf"(?:he|she|they|none of \w+|the others|others|people|(?:your|the|those|these|his|her|their) (?!{_NO_PERSON}\b)\w+(?! \w+ (?:to|for) you))"
_OTHER_MIND: Final = re.compile(
    rf"\b(?:what|why|how)\b.{{0,25}}?\b(?:was|were|is|are|did|do|does|might|could|would|has|had) {_OTHER} (?:\w+ ){{0,3}}?(?:think|thinking|thought|feel|feeling|felt|want\w*|mean|meant|intend\w*|decide\w*|hate\w*|believe\w*|hop\w+)\b(?! (?:to|for) you)"
    r"|\b(?:on|in|through|to|across|into) (?:his|her|their|(?:your|the) \w+(?:'s|s')) (?:\w+ )?(?:mind|head|thoughts|heart)s?\b"
    rf"|\b(?:why|how come) (?:(?:did|do|does|has|have|had|would|might|could|is|was|were|are) )?(?!(?:your|the) {_NO_PERSON}\b)(?:{_OTHER}|none|nobody|no one)\b"
    rf"|\b(?:what (?:makes|made|drove|possessed|led|stopped|kept|motivated)|what reasons? (?:did|do|does|had|has|have|would|might|could)) (?:he|she|they|him|her|them|others|people|(?:your|his|her|their) (?!{_NO_PERSON}\b)\w+)\b"
    r"|\bwhat (?:was|is|lay|lies) (?:\w+ )?behind (?:his|her|their)\b|\b(?:his|her|their) (?:real |true )?(?:motives?|reasons?|intentions?)\b|\b(?:will|would) (?:he|she|they) ever\b",
    re.I,
)
_PRESUMES: Final = re.compile(
    r"\b(?:why|how come) (?:(?:did|do|does|has|have|would|is|was|were|are) )?(?:he|she|they|none|nobody|no one|(?:your|the) \w+)\b",
    re.I,
)
_ABSTRACT: Final = re.compile(
    r"\bmeaning of life\b|\bin (?:our |modern |today's )?(?:society|culture)\b|\bwider picture\b|\bthe nature of\b|\bhuman (?:nature|condition|beings?)\b|\b(?:purpose|point) of (?:life|existence|suffering)\b"
    r"|^(?!.*\b(?:you|did|was|were|had)).*\b(?:people|society|culture|humans?|humanity|mankind|the world|existence|happiness|modern (?:life|\w+)|relationships|marriage|life)\b",
    re.I,
)
"""What nobody can answer from experience: the great questions, and questions of mankind that leave the patient out."""
_SUGGESTS: Final = re.compile(
    r"^\W*(?:(?:and|so|but|well|then|now|yet)[ ,]+)*(?:(?:isn|aren|wasn|weren|doesn|don|didn|haven|hasn|hadn|can|won|wouldn|shouldn|mustn)'t\b(?! there (?:any|some)thing)|(?:is|are|was|were|did|does|do) (?:you|he|she|it|they|that|this) not\b)"
    r"|\b(?:could|might|may|can) (?:it|that|this|he|she|they|(?:your|the|his|her) \w+) (?:\w+ )?(?:not )?(?:be|have been|have (?:just|simply|only))\b(?!.*\b(?:wh\w+|how)\b.*\?)|^[^?]*\bis it (?:not |perhaps |just )*(?:possible|likely)\b|\byou must (?:\w+ )?(?:see|know|reali[sz]e|admit|agree)\b|\bmustn't you\b|\bwouldn't you say\b",
    re.I,
)
"""It puts a reading of its own forward and wants it agreed to."""
_ASKS_OPENLY: Final = re.compile(
    r"(?:^|[,;:–—]\s*)\W*(?:(?:and|so|but|well|then)[ ,]+)*(?:what|who|how|where|when|which|why)\b", re.I
)
_THINKS: Final = re.compile(
    r"\bif (?:only |i(?:'d| had| hadn't|'m| am)\b)|\bshould(?:n't)? have\b|\bmy (?:own )?fault\b|\b(?:worth|useless|stupid|failure|pathetic)\b"
    r"|\b(?:i (?:just |really |still )?(?:think|thought|believe|believed|know|knew|feel like|figured|keep thinking)|(?:they|he|she) (?:must|all|only|want\w*|can|hates?)|i(?:'m| am|'ve| have| can't| don't)|it'll never|it means|nobody|no one)\b",
    re.I,
)
_GENERIC: Final = frozenset(
    """about again also another anything because been before could does doing done ever every everything from going have having
    happen happened happens here into just know like make makes made mean means more most much only other over really said
    same says should some something still sure tell tells than that that's their them then there these they thing things
    think thinking this those thought through time upon very well were what what's when where which while will with would
    your you're yours yourself feel feels feeling felt moment exactly""".split()
)
_SAME: Final = {
    "slept": "sleep", "wrote": "write", "written": "write", "ate": "eat", "eaten": "eat", "drove": "drive", "driven": "drive", "died": "die",
    "dying": "die", "dead": "die", "lost": "lose", "broke": "break", "broken": "break", "left": "leave", "rang": "ring", "rung": "ring",
    "sang": "sing", "sung": "sing", "met": "meet", "kept": "keep", "bought": "buy", "brought": "bring", "caught": "catch", "fought": "fight",
    "fell": "fall", "fallen": "fall", "spoke": "speak", "spoken": "speak", "held": "hold", "paid": "pay", "sent": "send", "mum": "mother",
    "mom": "mother", "mam": "mother", "dad": "father", "lad": "son", "kids": "children", "kid": "child",
}  # fmt: skip
_CLAUSE: Final = re.compile(r"\s(?:and|but|because|so|when|while|as)\s")
_KEY_SLOTS: Final = frozenset(
    {Slot.THOUGHT, Slot.FEELING, Slot.SUPPORT, Slot.WEIGHING, Slot.ALTERNATIVE, Slot.CONVICTION}
)


def marks_of(text: str, before: str) -> dict[Mark, bool] | None:
    """The marks of the main question of a turn, its last; None where the turn asks nothing.

    Args:
        before: What the patient has said so far.
    """
    text, before = text.replace("’", "'"), before.replace("’", "'")
    asked = questions(text)
    if not asked:
        return None
    main = asked[-1]
    joined = " ".join(q.text for q in asked)
    clear = all(_easy(q.text) for q in asked) and not _JARGON.search(joined)
    presumed = bool(_PRESUMES.search(joined))
    abstract = bool(_ABSTRACT.search(joined))
    leads = any(q.leading or _suggests(q) for q in asked)
    return {
        "clear": clear,
        "single": len(asked) == 1,
        "answerable": clear and not (leads and not main.advising) and not _OTHER_MIND.search(joined) and not abstract,
        "non_leading": not (leads or presumed or any(q.advising for q in asked)),
        "grounded": bool(_roots(text) & _roots(before)),
        "key": not (main.advising or abstract) and (leads or presumed or _on_key(text, joined, before, clear)),
    }


def _easy(question: str) -> bool:
    said = words(question)
    return len(said) <= LONGEST and sum(len(word) >= _LONG_WORD for word in said) < 3


def _suggests(question: Question) -> bool:
    return not question.advising and not _ASKS_OPENLY.match(question.text) and bool(_SUGGESTS.search(question.text))


def _on_key(text: str, joined: str, before: str, clear: bool) -> bool:
    """It asks for thought, feeling, evidence or conviction, or takes up words of what the patient thinks or feels."""
    if clear and (asked_slots(text) & {"thought", "feeling", "against"} or _about(text, joined) & _KEY_SLOTS):
        return True
    clauses = [clause for sentence in sentences(before) for clause in _CLAUSE.split(sentence)]
    thinking = " ".join(c for c in clauses if _THINKS.search(c))
    feeling = " ".join(word for word in words(before) if feelings_in(word))
    return bool(_roots(joined) & _roots(f"{thinking} {feeling}"))


def _roots(text: str) -> frozenset[str]:
    """Beginnings of the words that carry matter, so that other forms of a word are met too."""
    kept = {
        _root(w) for w in words(text) if w not in _GENERIC and (len(w) > 3 or (len(w) == 3 and w not in STOP_WORDS))
    }
    return frozenset(kept | ({"no one"} if re.search(r"\bno one\b", text, re.I) else set()))


def _root(word: str) -> str:
    word = _SAME.get(word, word).removesuffix("'s")
    for ending in ("ing", "ed", "es", "s", "ly", "e"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)][:4]
    return word[:4]


@lru_cache(maxsize=20_000)
def _about(text: str, joined: str) -> frozenset[Slot]:
    return frozenset(asked_about(text, (joined,), packaged_slots(), shared_minilm()).slots)


__all__ = ["MARKS", "Mark", "marks_of"]
