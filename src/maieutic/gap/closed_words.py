"""Closed classes of words that the battery's heads count: negations, persons, and what opens a condition or a
question."""

from __future__ import annotations

from typing import Final

NEGATIONS: Final = frozenset(
    """not never no none nobody nothing neither nor cannot without hardly unlikely only rather instead isn't
    aren't wasn't weren't don't doesn't didn't haven't hasn't hadn't can't won't wouldn't couldn't
    shouldn't ain't""".split()
)
YOU: Final = frozenset("you you're you've you'd you'll your yours yourself".split())
SUBJECT: Final = frozenset("you you're you've you'd you'll".split())
"""The patient as the subject of a clause."""
I: Final = frozenset("i i'm i've i'd i'll me my mine".split())  # noqa: E741
OTHERS: Final = frozenset(
    """he he's she she's they they're him her them his their we we're us our everyone everybody someone
    anyone nobody people children some many most others husband wife mother father mum mom dad son
    daughter sister sister's brother boss friend friends partner kids parents family colleague colleagues
    neighbour neighbours teacher manager boyfriend girlfriend ex doctor""".split()
)
CONDITIONS: Final = frozenset("if when whenever next should".split())
ASKING: Final = frozenset("what how which who where why when".split())
ADVISING: Final = frozenset("could should ought might may can will must".split())
