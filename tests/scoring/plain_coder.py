"""A coder without a model for tests of what is written: its answer tells what it was asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from maieutic.coding.book import Coding, FacetCoding
from maieutic.coding.schemes import get_scheme
from maieutic.transcripts.utterance import Utterance


class PlainCoder:
    """Gives the first label of the scheme to short utterances and the last to long ones; keeps what it was handed."""

    name = "plain"

    def __init__(self, scheme: str, *, training: Mapping[str, str] | None = None, breaks_at: int | None = None) -> None:
        self.scheme = get_scheme(scheme)
        self.training_files = dict(training or {})
        self.asked: list[list[Utterance]] = []
        self.breaks_at = breaks_at

    def predict(self, dialogue: Sequence[Utterance]) -> list[Coding]:
        if self.breaks_at is not None and len(self.asked) >= self.breaks_at:
            raise KeyboardInterrupt
        self.asked.append(list(dialogue))
        return [self._code(one) for one in dialogue]

    def _code(self, said: Utterance) -> Coding:
        labels = self.scheme.labels(said.speaker)
        assert labels, "asked about a speaker whom the scheme does not code"
        ids = [label.id for label in labels]
        if self.scheme.id == "epitome":
            predicted = ("er=1", "ip=0", "ex=2")
            values = {"er": "1", "ip": "0", "ex": "2"}
        else:
            predicted = (ids[0] if len(said.text) < 40 else ids[-1],)
            values = {facet.id: facet.values[0].id for facet in self.scheme.facets if facet.speaker == said.speaker}
        values = {} if self.scheme.id == "socratic" else values
        facets = {facet: FacetCoding(value, {value: 0.75}) for facet, value in values.items()}
        return Coding(predicted, dict.fromkeys(ids, 1 / len(ids)), len(said.text) % 7 == 0, facets)
