"""The embedded coder: codes the utterances of a session in process, with the weights that come with the package; and
the coder of a scheme, which a package may bring."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import accumulate, compress
from typing import Literal, cast

import numpy as np
from numpy.typing import NDArray

from maieutic.coding.book import Coding, FacetCoding, SchemeCoder
from maieutic.coding.encoder import Encoded, PairEncoder
from maieutic.coding.features import Said, Style, in_place, is_punctuated, restyle, row, words
from maieutic.coding.head_coder import HeadCoder, Reading
from maieutic.coding.head_plan import PACKAGED, plans
from maieutic.coding.schemes import PACKAGED as SCHEMES
from maieutic.coding.schemes import get_scheme
from maieutic.doors import joined
from maieutic.errors import InputError
from maieutic.transcripts.utterance import SPEAKERS, Utterance

Tier = Literal["fast", "accurate"]


class EmbeddedCoder:
    """Codes utterances under a published scheme, in process and without a network.

    Two tiers: 'fast' reads word grams and counted properties (thousands of utterances a second); 'accurate' adds a
    fine-tuned sentence encoder that reads the utterance with the turns about it, where a head is not sure without it.

    `annomi` also reads the other speaker's next turn, where there is one: how an utterance was answered helps to tell
    what it was. With `before_only` nothing that follows is read, so that codes do not change while a session goes on,
    and no code holds the answer that it is set against (sequential analysis); the codes are a little less certain.
    Whether a dialogue is punctuated is judged once from all that was handed in.

    Blind to: tone, irony, everything that was not said in words, languages other than English; BOLT codes are read
    from the utterance alone.

    Attributes:
        name: 'embedded:fast' or 'embedded:accurate'; with ':before-only' where that was asked for.
        tier: 'fast' or 'accurate'.
        scheme: The code book.
        training_files: SHA-256 of the files that the weights were fitted on, with their names.
        weights_hash: SHA-256 over all weights in use; codes of different weights are not to be mixed.
    """

    def __init__(self, scheme: str, tier: Tier = "accurate", *, before_only: bool = False, hears: bool = False) -> None:
        """Loads the weights.

        Args:
            scheme: A name that `get_scheme` knows.
            tier: 'fast' or 'accurate'.
            before_only: Whether to read nothing that was said after an utterance.
            hears: Whether each sentence of the therapist is heard for advice, too (`advice.py`), and each question for
                its form (`reading/moves.py`): plain advice is found more often, scales and leave are closed; some
                hundred utterances a second instead of thousands. Of the schemes, 'annomi' does.

        Raises:
            UnknownName: No such scheme.
            InputError: The scheme has no weights in the package, and none were built on this machine.
        """
        self.scheme = get_scheme(scheme)
        self.name, self.tier = f"embedded:{tier}{':before-only' if before_only else ''}", tier
        self._before_only = before_only
        self._heads = tuple(HeadCoder(plan, accurate=tier == "accurate", hears=hears) for plan in plans(scheme))
        self.training_files = _training_files(scheme)
        self.weights_hash = hashlib.sha256("".join(head.weights_hash for head in self._heads).encode()).hexdigest()

    def predict(self, dialogue: Sequence[Utterance]) -> list[Coding]:
        """Codes one session.

        Args:
            dialogue: The utterances of one session, in order. Those of a speaker for whom the scheme has no codes serve
                as context; their codings have empty `predicted`.

        Returns:
            One coding for each utterance, in order.

        Raises:
            InputError: A speaker that is neither 'therapist' nor 'client'.
        """
        for utterance in dialogue:
            if utterance.speaker not in SPEAKERS:
                raise InputError(f"speaker {utterance.speaker!r}: expected 'therapist' or 'client'")
        written = is_punctuated([one.text for one in dialogue])
        codings = [Coding((), {}, abstain=True)] * len(dialogue)
        readings = _Readings(dialogue, before_only=self._before_only)
        heads_of = {who: [head for head in self._heads if head.plan.speaker == who] for who in SPEAKERS}
        reading = [who for who in SPEAKERS if heads_of[who] and readings.places[who]]
        styles = {who: [head.style("written" if written else "bare") for head in heads_of[who]] for who in reading}
        found = readings.read_by([(heads_of[who], styles[who]) for who in reading])
        for who, tables in zip(reading, found, strict=True):
            heads = heads_of[who]
            doubts = [head.doubt(style) for head, style in zip(heads, styles[who], strict=True)]
            for at, *rows in zip(readings.places[who], *tables, strict=True):
                codings[at] = self._decide(dialogue[at], heads, rows, doubts)
        return codings

    def _decide(
        self,
        utterance: Utterance,
        heads: Sequence[HeadCoder],
        tables: Sequence[NDArray[np.float64]],
        doubts: Sequence[float],
    ) -> Coding:
        unreadable = not words(utterance.text)
        chosen: dict[str, float] = {}
        probabilities: dict[str, float] = {}
        facets: dict[str, FacetCoding] = {}
        abstain = unreadable
        mains = [head for head in heads if head.plan.facet is None]
        for head, table, doubt in zip(heads, tables, doubts, strict=True):
            given = decide(head.labels, table, head.threshold)
            facet, prefix = head.plan.facet, _prefix(head, mains)
            if facet is not None:
                facets[facet] = FacetCoding(given[0], dict(zip(head.labels, map(float, table), strict=True)))
            if facet is None or not mains:
                probabilities |= {f"{prefix}{label}": float(p) for label, p in zip(head.labels, table, strict=True)}
                chosen |= {f"{prefix}{label}": probabilities[f"{prefix}{label}"] for label in given}
                abstain = abstain or bool(table.max() < doubt)
        order = sorted(chosen, key=lambda label: -chosen[label]) if mains else list(chosen)
        return Coding(tuple(order), probabilities, abstain, facets)


class _Readings:
    """One dialogue as the heads read it; what several of them share is made once.

    Attributes:
        places: Which utterances are each speaker's.
    """

    def __init__(self, dialogue: Sequence[Utterance], *, before_only: bool) -> None:
        self.places: dict[str, list[int]] = {
            who: [at for at, one in enumerate(dialogue) if one.speaker == who] for who in SPEAKERS
        }
        self._dialogue, self._before_only = dialogue, before_only
        self._said: dict[tuple[Style, bool], list[Said]] = {}
        self._made: dict[tuple[Style, bool, str], Reading] = {}

    def read_by(
        self, speakers: Sequence[tuple[Sequence[HeadCoder], Sequence[Style]]]
    ) -> list[list[NDArray[np.float64]]]:
        """What the heads of each speaker make of that speaker's utterances, (n, labels) each.

        The encoder is asked about an utterance for all heads of its speaker, unless each of them is sure without it,
        and about those of both speakers in one list, `AT_ONCE` at a time.
        """
        by_words = [self._by_words(heads, styles) for heads, styles in speakers]
        asked: dict[PairEncoder, dict[int, list[Said]]] = {}
        for (heads, _), (readings, _, read) in zip(speakers, by_words, strict=True):
            for head, reading in zip(heads, readings, strict=True):
                if (encoder := head.encoder()) is not None:
                    asked.setdefault(encoder, {})[id(reading)] = list(compress(reading.said, read))
        seen = {encoder: _together(encoder, of) for encoder, of in asked.items()}
        found = []
        for (heads, styles), (readings, told, read) in zip(speakers, by_words, strict=True):
            tables = []
            for head, style, reading, words_say in zip(heads, styles, readings, told, strict=True):
                encoder = head.encoder()
                encoded = None if encoder is None else seen[encoder][id(reading)]
                tables.append(head.probabilities(reading, style, encoded, by_words=words_say, read=read))
            found.append(tables)
        return found

    def _by_words(
        self, heads: Sequence[HeadCoder], styles: Sequence[Style]
    ) -> tuple[list[Reading], list[NDArray[np.float64] | None], NDArray[np.bool_]]:
        """What the heads of one speaker read, what word grams alone tell them, and where that is not enough."""
        readings = [self._of(head, style) for head, style in zip(heads, styles, strict=True)]
        told = [head.by_words(reading, style) for head, reading, style in zip(heads, readings, styles, strict=True)]
        return readings, told, _unsure(heads, told, len(readings[0].said))

    def _of(self, head: HeadCoder, style: Style) -> Reading:
        """The utterances of the head's speaker, as the head reads them."""
        key = style, head.plan.alone, head.plan.speaker
        if key not in self._made:
            said = [self._placed(style, head.plan.alone)[at] for at in self.places[head.plan.speaker]]
            self._made[key] = Reading(said, [row(one) for one in said])
        return self._made[key]

    def _placed(self, style: Style, alone: bool) -> list[Said]:
        if (style, alone) not in self._said:
            said = [Said(restyle(one.text, style)) for one in self._dialogue] if alone else place(self._dialogue, style)
            self._said[style, alone] = [replace(one, following="") for one in said] if self._before_only else said
        return self._said[style, alone]


def _together(encoder: PairEncoder, asked: Mapping[int, Sequence[Said]]) -> dict[int, Encoded]:
    """What an encoder says of several lists of utterances, by list; it reads them as one, `AT_ONCE` at a time."""
    whole = encoder([one for some in asked.values() for one in some])
    ends = list(accumulate(map(len, asked.values())))
    return {
        key: Encoded({head: table[start:end] for head, table in whole.scores.items()}, whole.pooled[start:end])
        for key, start, end in zip(asked, [0, *ends], ends, strict=False)
    }


def _unsure(heads: Sequence[HeadCoder], told: Sequence[NDArray[np.float64] | None], count: int) -> NDArray[np.bool_]:
    """Which of the utterances some head is not sure of by word grams alone, (n,)."""
    unsure = np.zeros(count, dtype=bool)
    likeliest = {
        head.plan.facet: np.array(head.labels)[table.argmax(axis=1)]
        for head, table in zip(heads, told, strict=True)
        if table is not None
    }
    for head, table in zip(heads, told, strict=True):
        if table is None:
            return np.ones(count, dtype=bool)
        matters = likeliest[None] == head.plan.only_of if head.plan.only_of else True
        unsure |= (table.max(axis=1) < head.plan.sure) & matters
    return unsure


def _prefix(head: HeadCoder, mains: Sequence[HeadCoder]) -> str:
    """What stands before a label where several heads share one list of labels ('er=', 'good:')."""
    if not mains:
        return f"{head.plan.facet}="
    return f"{head.plan.id.rpartition('_')[2]}:" if len(mains) > 1 else ""


def place(dialogue: Sequence[Utterance], style: Style) -> list[Said]:
    """Each utterance with the turns about it, in the punctuation that the style reads."""
    said = in_place([(one.speaker, restyle(one.text, style)) for one in dialogue])
    for at, one in enumerate(dialogue):
        if one.context:
            turns = [restyle(text, style) for text in (*one.context, one.text)]
            speakers = [(one.speaker, "")[back % 2] for back in range(len(turns))]
            said[at] = in_place(list(zip(speakers[::-1], turns, strict=True)))[-1]
    return said


def decide(labels: Sequence[str], row: NDArray[np.float64], threshold: float | None) -> tuple[str, ...]:
    """The labels that follow from the probabilities of one utterance, the likeliest first; never none."""
    ranked = [int(at) for at in np.argsort(-row, kind="stable")]
    chosen = ranked[:1]
    if threshold is not None:
        chosen += [at for at in ranked[1:] if row[at] >= threshold]
    return tuple(labels[at] for at in chosen)


def _training_files(scheme: str) -> Mapping[str, str]:
    """Hashes of the data behind the heads of a scheme, as the recipe noted them."""
    noted = PACKAGED / "training_files.json"
    if not noted.is_file():
        return {}
    stored: dict[str, dict[str, str]] = json.loads(noted.read_text(encoding="utf-8"))
    return {sha: name for plan in plans(scheme) for name, sha in stored.get(plan.id, {}).items()}


def coder_for(scheme: str, *, tier: Tier = "accurate", before_only: bool = False, hears: bool = False) -> SchemeCoder:
    """The coder that a package brings for a scheme of its own, or else the embedded one, to which the options belong.

    Args:
        scheme: A name that `get_scheme` knows.
        tier: 'fast' reads word grams only, 'accurate' an encoder as well.
        before_only: Whether to read nothing that was said after an utterance.
        hears: Whether each sentence is heard for advice, too; slower.

    Raises:
        UnknownName: No such scheme.
        InputError: A package brings a coder for a scheme of ours; or there are no weights for it in the package or on
            this machine.
    """
    brought = joined("coders", SCHEMES)
    if scheme in brought:
        return cast(SchemeCoder, brought[scheme].load()())
    return EmbeddedCoder(scheme, tier, before_only=before_only, hears=hears)
