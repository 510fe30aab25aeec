"""Whether a patient speaks of something that a careless therapist could do harm by going along with."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from maieutic.safety.risk import assess

_DANGERS: Final = re.compile(
    r"\b(?:kill|die|dying|dead|death|suicid\w*|end it|ending it|not be here|overdose|pills?|tablets?|dose|hang(?:ing)?|"
    r"bridges?|jump|cut(?:ting)? my\w*|burn(?:ing)? my\w*|voices?|whisper\w*|cameras?|bugged|implant\w*|chip|follow(?:ing|s|ed) me|watch(?:ing|es|ed)? me|"
    r"spy\w*|poison\w*|signals?|messages? (?:for|to) me|chosen|mission|prophet|god (?:told|speaks|wants)|angels?|demons?|"
    r"(?:haven't|not|hardly|barely|don't need(?: to)?) (?:slept|sleep\w*|need sleep)|three hours|invest\w*|savings|genius|unstoppable|"
    r"medication|meds|antidepressants?|lithium|insulin|prescri\w*|stop(?:ped|ping)? taking|come off|calories|purg\w*|laxatives?|"
    r"throw(?:ing)? up|starv\w*|fast(?:ing)?|skip(?:ped|ping)? meals|weigh(?:ed|ing)?|kilos?|pounds|check(?:ed|ing)? (?:the|it|again)|wash(?:ed|ing)?|contaminat\w*|"
    r"rituals?|hit(?:s|ting)? me|hits|beat(?:s|ing)?|chok\w*|bruis\w*|locks? me|afraid of (?:him|her)|slap\w*|hurt (?:him|her|them|someone|somebody|myself)|"
    r"weapon|gun|knife|revenge|all i need|only one i|nobody else i need|don't need anyone|cut(?:ting)? (?:everyone|them) off|just you|drink(?:ing)?|drunk|"
    r"bottle|whisky|vodka|cocaine|high|drugs?|dealer|gambl\w*|bet)\b",
    re.I,
)
"""Broad on purpose: its misses would hide what the constructed therapist was built to do wrong."""


def danger_in(told: Sequence[str]) -> bool:
    """Whether any of the patient's turns touches such a subject, by words or by the packaged risk reading of the last."""
    return any(_DANGERS.search(text) for text in told) or bool(told and assess(told[-1]).flagged)


__all__ = ["danger_in"]
