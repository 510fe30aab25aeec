"""A coder of a published scheme behind the API: the last message is coded in the light of those before it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import orjson

from maieutic.coding.contract import SchemeCoder, Utterance
from maieutic.domain.episode import Turn
from maieutic.serving.folding import Said, turn_of
from maieutic.serving.refusals import Refusal
from maieutic.serving.spoken import Spoken


@dataclass(frozen=True, slots=True)
class ServedCoder:
    """Codes the last turn: the assistant's are the therapist's, the user's are the client's. The reply is JSON."""

    coder: SchemeCoder

    async def reply(self, said: Sequence[Said], seed: int, *, strict: bool) -> Spoken:
        """The codes of the last turn, with their probabilities; nothing of it is drawn by chance."""
        if not said:
            raise Refusal(400, "there is nothing to code: send at least one message", "nothing_to_answer", "messages")
        told = [turn_of("therapist" if one.own else "patient", one.text) for one in said]
        last = self.coder.predict(
            [
                Utterance("therapist" if turn.speaker == "therapist" else "client", turn.text, index=place)
                for place, turn in enumerate(told)
            ]
        )[-1]
        codes = {
            "predicted": last.predicted,
            "probabilities": last.probabilities,
            "abstain": last.abstain,
            "facets": {name: facet.value for name, facet in last.facets.items()},
        }
        return Spoken(Turn("therapist", orjson.dumps(codes).decode()))
