"""A grammar of purpose and cause: where a sentence says what the patient does something for, or what they want."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

_ADVERB: Final = r"(?:really|just|actually|secretly|only|clearly|obviously|probably|still|also|even|so|always|simply|all along|deep down|perhaps|maybe|desperately|partly|mainly|mostly|all|quietly|rather|quite)"
_YOU: Final = rf"(?:you|(?:a |some )?(?:small |big |large )?(?:part|side|bit) of you|something in you)(?: {_ADVERB})*"
_REST: Final = r"(?P<rest>[^.?!;:]*)"
_OTHERS: Final = r"(?:he|she|they|it|people|others|everyone|everybody|someone|somebody|anyone|nobody|no one|none|nothing|there|that|(?:the|your|his|her|their|this) (?:\w+ ){0,3}?\w+)"
_MODAL: Final = r"(?:'d|'ll|'re| can| can't| could| couldn't| cannot| won't| will| would| wouldn't| don't| didn't| doesn't| never| don't have to| get| stays?| has to| have to| might| may| needn't|n't)"

_FRAMES: Final = {
    # "in order to", "so that", "so he'd": what a deed is for.
    "purpose": re.compile(
        r"\b(?:in order (?:not )?to|so as (?:not )?to|in order that|(?:just |simply |only )?so that|with a view to|with the (?:aim|intention|goal|purpose) of|in (?:a bid|an attempt|an effort) to"
        rf"|(?:in|with) (?:the )?hopes? (?:of|that|to)|hoping (?:to|that|for)|for fear (?:of|that)|lest|(?<!, )so (?={_OTHERS}{_MODAL}\b|you{_MODAL}\b)|all to)\b ?{_REST}",
        re.I,
    ),
    # "because you want", "because you can't bear": the ground of a deed.
    "cause": re.compile(
        rf"\b(?:because|'cause|cos|as|since|out of)\b (?:that way |then |otherwise |it's how |for {_YOU} )?"
        rf"(?P<rest>(?:{_YOU}(?:'re| are| were|'d|'ve| have| had| do| did)? (?:{_ADVERB} )*(?:want\w*|need\w*|hop\w+|long\w*|wish\w*|crav\w+|like\w*|love\w*|enjoy\w*|rather|can't|couldn't|cannot|don't|didn't|won't|wouldn't|refuse\w*|hate\w*|fear\w*|dread\w*|afraid|scared|terrified|desperate|keen|eager|dying|determined|anxious to|trying|after|looking for|think you|believe you|feel you|enough|had enough|care\w*|have to|must)"
        rf"|(?:that way|then|otherwise|nothing|nobody|no one|someone|somebody|everything|everyone|it (?:lets|gives|keeps|helps|makes|spares|means|stops|protects|saves|allows|feels)|a? ?(?:need|wish|desire|longing|fear|spite|loyalty))\b)[^.?!;:]*)",
        re.I,
    ),
    # "is your way of", "was meant to", "is how you": what a deed is.
    "identity": re.compile(
        r"\b(?:(?:a|an|your|one|the|another|some) (?:\w+ ){0,2}?(?:way|means|method|strategy|form|kind|sort|attempt|effort|bid|ploy|tactic|trick|excuse|tool) (?:of|to|for|at)|(?:it's|is|was|that's) (?:just |really |simply )?how you"
        r"|(?:is|was|are|were|'s|be) (?:\w+ )?(?:meant|intended|designed|supposed|there|aimed) (?:to|at|for)|(?:is|was|'s|be|are) (?:really |all |partly |just |simply |mainly |mostly |actually |more |this |it |that )*(?:about|for the sake of) (?!\d)|\bis you(?= \w+ing)"
        rf"|(?:behind|drives|driving|fuels|underneath) (?:\w+ ){{0,5}}?(?:is|was|lies) (?:your )?)\b ?{_REST}",
        re.I,
    ),
    "emblem": re.compile(
        r"\b(?:is|was|are|were|'s|be|as) (?:just |really |simply |perhaps |maybe )?(?P<rest>(?:a |an |your |the |some )?(?:\w+ ){0,3}(?:shield|armou?r|penance|punishment|cry|plea|bid|revenge|sentence|mask|wall|test|protest|defen[cs]e|escape|statement)\b[^.?!;:]*)",
        re.I,
    ),
    # "spares you the visit", "keeps you from having to": what a deed is good for.
    "spared": re.compile(
        rf"\b(?:spare[sd]?|sav(?:e|es|ed)|keep(?:s|ing)?|kept|stop(?:s|ped)?|excuse[sd]?|free[sd]?|rescue[sd]?|relieve[sd]?) you (?:from |of )?(?:having to |the )?{_REST}",
        re.I,
    ),
    "granted": re.compile(
        rf"\b(?:lets?|allow(?:s|ed)?|help(?:s|ed)?|enable[sd]?|gives? you (?:a|the) (?:chance|means|way|feeling|sense) (?:to|of|that)|means) you (?:to )?{_REST}|\b(?:protect|shield|guard)(?:s|ed)? you (?P<kept>[^.?!;:]*)",
        re.I,
    ),
    # "you want", "you're after", "you'd like": a wish by itself.
    "wish": re.compile(
        rf"\b{_YOU}(?:'re| are| were| was|'ve been| have been|'d|'s| is| had| might be| may be| seem to be| appear to be)? (?:{_ADVERB} )*"
        rf"(?:want(?:s|ed|ing)?|hop(?:e|es|ed|ing)|long(?:s|ed|ing)?|wish(?:es|ed|ing)?|crav(?:e|es|ed|ing)|try(?:ing)?|tried|meant|intend(?:ed|ing)?|look(?:ing)? for|seek(?:ing)?|sought|need(?:s|ed)?|like to|love to|rather|after|desperate|keen|eager|dying|aim(?:ing|ed)?|determined|out|bent|hungry|aching|yearn(?:s|ed|ing)?|angling|fishing|insist(?:ed)? on|hold(?:ing)? out|on the lookout|make sure|made sure|making sure|like (?=all\b)|can't (?:bear|stand|let|allow)|couldn't (?:bear|stand|let|allow))\b (?:to |for |on |that |of )?{_REST}",
        re.I,
    ),
    "aim": re.compile(
        rf"\b(?:what|all|the (?:only )?thing|everything) (?:{_YOU})(?:'re|'ve been| are| were| have been|'d)? (?:{_ADVERB} )*(?:want(?:ed)?|after|need(?:ed)?|trying (?:to do|for)|long(?:ed|ing)? for|look(?:ing)? for|crav(?:e|ing|ed)|hop(?:e|ing|ed) for|like|love|seek(?:ing)?)(?: here| with this| most| from \w+)?(?: is|'s| was|:)? ?{_REST}"
        rf"|\byour (?:\w+ )?(?:need|desire|wish|urge|longing|hunger|craving|hope|quest|thirst|drive|search|motive|aim|goal|purpose|point|reason) (?:for|to|of|here is|is|was|that) ?(?P<named>[^.?!;:]*)",
        re.I,
    ),
    # "you moved to Leeds to make your own choices".
    "infinitive": re.compile(
        r"\byou(?:'ve|'d|'re|'ll)? (?:[^.?!;:]{3,110}?)\b(?<!\bwant )(?<!\bwants )(?<!\bwanted )(?<!\bneed )(?<!\bneeded )(?<!\bhave )(?<!\bhad )(?<!\bhaving )(?<!\bgoing )(?<!\btry )(?<!\btried )(?<!\btrying )(?<!\bused )(?<!\bdecided )(?<!\bstarted )(?<!\bbegan )(?<!\bable )(?<!\blike )(?<!\blove )(?<!\bhate )(?<!\bought )"
        r"(?<!\bseem )(?<!\bappear )(?<!\btold )(?<!\bget )(?<!\bgot )(?<!\bhard )(?<!\beasy )(?<!\bback )(?<!\bhow )(?<!\bwhat )(?<!\bwhere )(?<!\bsupposed )(?<!\bmeant )(?<!\border )(?<!\bas )(?<!\bnot )(?<!\btime )(?<!\bway )(?<!\bone )"
        r"to (?P<rest>(?!the\b|a\b|an\b|him\b|her\b|them\b|you\b|your\b|me\b|it\b|this\b|that\b|my\b|work\b|bed\b|town\b|school\b|one\b|be honest\b)[a-z]+\b[^.?!;:]*)",
        re.I,
    ),
    # "you're freezing them out": a deed that is its own aim.
    "deed": re.compile(rf"\b(?:(?:are|were|aren't|weren't) )?{_YOU}(?:'re| are| were|'ve been| keep| kept|(?<=\bare you)|(?<=\bwere you)|(?<=\baren't you)) (?:{_ADVERB} )*(?P<rest>[a-z]+ing\b[^.?!;:]*)|^you (?P<plain>(?:freeze|shut|push|hide|avoid|punish|test|pick|leave|throw|put)\b[^.?!;:]*)", re.I),
}  # fmt: skip
_CLAUSE: Final = re.compile(r"[,;] (?=(?:but|you|it)\b)|\bbut ", re.I)
_NESTED: Final = re.compile(
    r"(?<=\w),? (?:(?:just |simply |only )?(?:so that|in order to|so as to|because|as a way|in the hope)\b|so (?:you|he|she|they|nobody|no one|people) ?(?:'d|'ll|can|could|won't|will|would|don't|didn't|never)).*$",
    re.I,
)
_ASKED_TO: Final = re.compile(
    r"\b(?:told|tell|asked?|wants?|wanted|allow\w*|lets?|need\w*|expect\w*|begg?\w*|got|gets?|invit\w*|taught|teach|help\w*|forc\w*|ordered|urg\w+|persuad\w+|remind\w+|encourag\w+|like)(?: (?:him|her|them|you|(?:the|your|his|her|their) (?:\w+ ){0,2}?\w+))? to $",
    re.I,
)
_NEED: Final = re.compile(
    r"\bneed(?:s|ed)? (?:to (?!be\b|feel\b|have\b|control\b|prove\b|please\b|know\b|see\b|hear\b|win\b|hide\b|punish\b|protect\b)|(?:a|some|more) )",
    re.I,
)
_IMPERSONAL: Final = frozenset({"identity", "emblem"})
_SAKE: Final = re.compile(r"\bfor (?P<rest>(?:the |your |his |her |their )?(?:\w+ )?\w+(?:'s|s') sake)\b", re.I)
CAUTIOUS: Final = frozenset({"infinitive", "deed", "granted", "wish", "cause"})
"""Frames that say other things too: their class must be surer."""

_PATIENT: Final = re.compile(r"\b(?:you|your|yourself)\b|\b(?:you)(?:'\w+)\b", re.I)
_ASKED: Final = re.compile(
    r"^\W*(?:(?:and|so|but|well|okay|then),? )*(?:what|how|who|which|when|where)(?:'s| is| was| were| are| do| did| does| had| have| would| might)?\b(?! (?:you(?:'re|'ve| are| were)?) (?:\w+ ){0,2}(?:want|after|need|long|look|crav|hop|seek)\w*)(?! drives| lies| fuels)[^?]*\?",
    re.I,
)
"""An open question attributes nothing: "what were you hoping for?"."""
_DENIED: Final = re.compile(
    r"\b(?:i(?:'m| am)? (?:do not|don't|not|never) (?:think|believe|mean|say|saying|suggest|suggesting|claiming|imply\w*)|(?:nobody|no one)(?:'s| is| was)? (?:say|said|saying|suggest\w*|claim\w*)"
    r"|you(?:'re|'ve| are| were)? ?(?:not|weren't|aren't|haven't been|never were) (?:\w+ )?(?:trying|doing it|hoping|looking|out|after|wanting|punishing|hiding|avoiding)|you (?:didn't|don't|never) (?:\w+ )?(?:do|did|mean|want|try|intend|need)\b(?! \w+ because)(?=[^.?!;:]*\b(?:to|for|it)\b)|(?:wasn't|isn't|it's not|it was not|not) (?:\w+ )?(?:because|about|to|in order|so that|out of)\b)",
    re.I,
)
_REPORTED: Final = re.compile(
    r"\b(?:he|she|they|people|everyone|everybody|(?:your|the) (?:\w+ ){1,2})(?:'s|'ve|'d| has| have| had)? ?(?:says?|said|thinks?|thought|told|tells|accus\w+|claim\w*|believ\w+|reckon\w*|calls?|called|insist\w*|puts? it)\b",
    re.I,
)
_NOT_YET: Final = re.compile(
    r"\b(?:you(?:'ll| will| could| should| can| ought| may| might(?! be\b| have\b)| would(?! say)|'d better|'d need)|if you|do(?:n't)? you|would you|let's|let us|we|we'll|we could|i'd|i'll|i'm here|i would|i want|i'd like|try|please|shall|there's|remember|consider) ?$"
    r"|\b(?:you (?:could|should|can|ought|might want)|if you|let's|let us|we (?:could|can|might|will|are)|we're|we'll|i'd (?:like|suggest)|i (?:want|would like|suggest|need|am|will)|i'll|shall we|do you want|would you like)\b[^.?!;:]*$"
    r"|^(?:(?:and|so|then|just|please|first|maybe|perhaps),? )*(?:try|take|use|keep|make|go|write|call|give|ask|start|think|remember|consider|do|set)\b[^.?!;:]*$",
    re.I,
)
"""What stands before a frame when it belongs to advice, to a plan, or to the speaker."""
_OTHER: Final = re.compile(
    r"^\W*(?:(?:and|so|but|then) )?(?:he|she|they|we|it's common|i(?:'d|'ll)? (?:want|need|like|will|would like|hope|try|asked?|am here)|i'm here|(?:your|the|my) (?:husband|wife|mother|father|mum|mom|dad|son|daughter|sister|brother|boss|friend|partner|nurse|doctor|neighbour|neighbor|manager)s?)\b(?!'s \w+ing you)(?: (?!you\b)[\w']+){0,4}",
    re.I,
)
_STRIP: Final = re.compile(
    rf"^(?:it (?:means|lets|makes sure|spares|allows|keeps|saves|gives) (?:that )?(?:you (?:to |from |of |the )?)?|{_YOU}(?:'re| are| were|'d|'ve| have| had)? (?:{_ADVERB} )*(?:(?:want|need|hop|long|wish|crav|try|like|love|desperat|keen|eager|dying|determin|trying|rather|after|looking|hoping|longing|wanting)\w*) (?:to |for |that )?)",
    re.I,
)
_TAIL: Final = re.compile(r",? (?:and|but|which|though|although|because|when|while|or|then)\b (?=(?:you|it|that|what|i|she|he|they|is)\b).*$|, (?:nothing more|that's all|right|I think|don't you|you see|then)\W*$|[,\s]+$", re.I)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Purpose:
    """What a sentence says the patient does something for.

    Attributes:
        frame: The construction.
        words: The purpose, without its frame.
    """

    frame: str
    words: str


def purposes(sentence: str) -> Iterator[Purpose]:
    """Every purpose, cause or wish of the patient's in a sentence; none that is denied, reported of others, or advised."""
    if _ASKED.match(sentence):
        return
    taken: list[tuple[int, int]] = []
    about = bool(_PATIENT.search(sentence))
    for frame, pattern in (("aim", _FRAMES["aim"]), *_FRAMES.items(), ("purpose", _SAKE)):
        for match in pattern.finditer(sentence):
            if not about and frame not in _IMPERSONAL:
                continue
            if _left_out(sentence[: match.start()], match.group()) or _complement(frame, match):
                continue
            part = next((n for n, found in match.groupdict().items() if found), None)
            if part is None:
                continue
            rest = _NESTED.sub("", match.group(part))
            start, end = match.start(part), match.start(part) + len(rest)
            if any(start < until and end > since for since, until in taken):
                continue
            words = _TAIL.sub("", _STRIP.sub("", rest.strip())).strip(" ,-–—\"'")
            if words:
                taken.append((start, end))
                yield Purpose(frame, f"avoid {words}" if frame == "spared" else words)


def _complement(frame: str, match: re.Match[str]) -> bool:
    """The infinitive belongs to a verb before it ("you told her to stop"), or the need is the therapist's advice."""
    if frame == "infinitive":
        return bool(_ASKED_TO.search(match.group()[: match.start("rest") - match.start()]))
    return frame == "wish" and bool(_NEED.search(match.group()))


def _left_out(before: str, said: str) -> bool:
    """The words before a frame, or the frame's own first ones, take it back or give it to somebody else."""
    clause = _CLAUSE.split(before)[-1]
    if _DENIED.search(f"{clause}{said}"[: len(clause) + 24]) or _REPORTED.search(before) or _NOT_YET.search(before):
        return True
    return bool(_OTHER.match(before)) and not re.search(r"\b(?:you|your)\b", before, re.I)


__all__ = ["CAUTIOUS", "Purpose", "purposes"]
