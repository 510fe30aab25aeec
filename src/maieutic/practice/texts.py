"""The fixed words that people agree to or are warned by; who agreed to which version is kept."""

from __future__ import annotations

from typing import Final, Literal

from maieutic.safety.handover import DISCLAIMER, HANDOVER

ConsentKind = Literal["teaching", "research"]
VERSION: Final = "2026-11"

CONSENTS: Final[dict[ConsentKind, str]] = {
    "teaching": (
        "I use this to practise. What I write to simulated patients, my notes and my formulations are kept on this "
        "server until I delete them or the keeping time ends. My teacher sees that I practised and what kinds of "
        "turns I used; my teacher reads my words only where I give leave, and I can take the leave back. I write "
        "nothing about real patients."
    ),
    "research": (
        "My sessions may be used in a study, under a made-up name. In a class that studies feedback, a draw may "
        "switch feedback off for me for a limited time and then on again, because practice without feedback lowered "
        "empathy in one trial. I can say no, or change my mind at any time, and lose nothing in the class by it."
    ),
}
"""What is asked, in words that can be reviewed; the second is never asked for to get the first."""

RISK_NOTICE: Final = (
    "This patient may speak of danger: of dying, of harm or of violence. It is a simulation, but the words can come "
    "close. You can stop at any turn, and you may choose another case without giving a reason. Ask about safety as "
    "you have learnt it; nothing you do here stands for your service's own procedure."
)
HELP: Final = (
    "If this comes too close, or you are in distress yourself: stop. Nothing is lost, the session waits. Talk to a "
    "person you trust today. If you or someone near you may be in danger, contact your local emergency number now, or "
    "go to the nearest emergency department."
)
"""Always in reach, on every page."""

__all__ = ["CONSENTS", "DISCLAIMER", "HANDOVER", "HELP", "RISK_NOTICE", "VERSION", "ConsentKind"]
