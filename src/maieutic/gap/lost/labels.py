"""The seven kinds of therapist turn that tell an answer from a question.

Read twice: in passages by a head on sentence vectors, and whole by an encoder, which has a say in whether it concludes.
A turn that tells and asks is read once more in these two parts, since a question behind a conclusion hides it.

Labels are those of Laban et al. 2025 (arXiv 2505.06120), read for therapy: an *answer attempt* is an interpretation,
advice or reframe that the therapist supplies, tentative or not. Feelings and facts given back are *discussion*.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal, get_args

import numpy as np

from maieutic.coding.whole_reply import conclusion_lead
from maieutic.gap.replies import without_openings
from maieutic.gap.unusable import is_no_turn, is_refusal
from maieutic.language.sentences import content_words, sentences, words
from maieutic.reading.bag import bag
from maieutic.reading.head import Floats, load
from maieutic.reading.minilm import shared_minilm

Label = Literal["answer_attempt", "clarification", "interrogation", "discussion", "hedge", "refuse", "missing"]
LABELS: Final[tuple[Label, ...]] = get_args(Label)
KINDS: Final = LABELS[:-1]
"""The labels of the head; what no therapist could have said is found by rules."""
ATTEMPTS: Final[frozenset[Label]] = frozenset({"answer_attempt", "hedge"})
"""Labels that offer a conclusion; a hedge offers several."""
LONGEST_CLARIFICATION: Final = 100
"""Words; Laban et al. call a longer turn with one question a discussion."""
LONGEST_PASSAGE: Final = 60
"""Words that are read at once: the encoder cuts at about 90, and an answer may stand at the end of a long turn."""
WHOLE: Final = 2.0
"""Weight of the encoder that reads the turn whole, beside the passage that speaks most for a conclusion."""
TEMPERED: Final = 0.47
"""What both readings together are multiplied by, so that chances come out right on hands that neither learned from."""
SURE: Final = 0.75
"""Chance from which it counts that a turn concludes, or that it does not; a trade. At 0.9 hardly a session of a
competent therapist could be told: one unsure turn of five is enough to leave it open. At 0.75 one answer in eight of
the hand left out is surely read in two ways in its four styles (`recipes/reply_chances.py`)."""
OF_WHOLE: Final = 0.35
OF_PARTS: Final = 0.84
OFFSET: Final = 0.41
"""How the log odds of a turn that tells and asks come from those of the turn read whole and of its parts read apart:
the logistic curve with the least loss on hands left out, of whose turns with a question nearly half conclude
(`recipes/reply_chances.py`)."""
GIVEN_BACK: Final = 0.6
"""Share of a sentence's content words that the patient has just said, from which it only gives them back."""
FORM: Final = 0.4
"""Weight of the marks of form beside the vector."""
LONGEST_QUESTION: Final = 25
"""Words of a sentence that only asks; in a longer one something is told before."""
LEAST_QUESTION: Final = 4
"""Words that a question has at least ("what came of it?")."""
LEADS: Final = 0.3
"""Weight of log odds beside the vector."""
CLOSING: Final = " \"”'*_)"
"""What may stand behind a question mark."""
PARTS: Final = "gap/weights/lost_parts.npz"
"""Inside the package; `recipes/fit.py told_part` makes it."""


@dataclass(frozen=True, slots=True)
class Kind:
    """How a turn is read.

    Attributes:
        label: The likeliest of `LABELS`.
        chance: Calibrated, that it supplies an interpretation, advice or a reframe.
    """

    label: Label
    chance: float = 0.0

    @property
    def concludes(self) -> bool | None:
        """Whether it supplies a conclusion, as a statement or dressed as a question; None where that is unsure."""
        return None if 1 - SURE < self.chance < SURE else self.chance >= SURE


def label_of(text: str, before: str = "") -> Label:
    """The label alone, as in `kind_of`."""
    return kind_of(text, before).label


@lru_cache(maxsize=20_000)
def kind_of(text: str, before: str = "") -> Kind:
    """What kind of turn it is.

    It concludes if the passage that speaks most for that and the turn read whole say so together, of a turn that tells
    and asks together with its parts read apart; else it asks if one of its passages asks. Hedges, thanks and courtesies
    are left out first, save where one speaks for a conclusion by itself.

    Args:
        text: The therapist's turn.
        before: What the patient said last: words given back are no answer.

    Raises:
        ModelUnavailable: weights or tokenizer of the encoder are missing or not the pinned ones.
    """
    if is_refusal(text):
        return Kind("refuse")
    if is_no_turn(text):
        return Kind("missing")
    heard = content_words(before)
    spoken = [s for s in sentences(text) if not _given_back(s, heard)]
    if not spoken:
        return Kind("discussion")
    read = [_chances(passage) for passage in passages(spoken)]
    # A refusal is the head's to tell: the encoder learned none, and what refuses may carry nothing else.
    refuses = all(_likeliest(chances) == "refuse" for chances in read)
    kept = without_openings(spoken, speaks_for_conclusion)
    if kept != spoken and not refuses:
        spoken, read = kept, [_chances(passage) for passage in passages(kept)]
    share = [sum(chances[kind] for kind in ATTEMPTS) for chances in read]
    lead = _lead(max(share), " ".join(spoken))
    told, asked = told_and_asked(spoken)
    if told and asked and not refuses:
        lead = (OF_WHOLE * TEMPERED * lead + OF_PARTS * lead_of_parts(told, asked) + OFFSET) / TEMPERED
    chance = float(1 / (1 + np.exp(-TEMPERED * lead)))
    if refuses:
        return Kind("refuse", chance)
    if lead >= 0:
        lines = [chances for chances, one in zip(read, share, strict=True) if one >= min(0.5, max(share))]
        hedged = all(one["hedge"] > one["answer_attempt"] for one in lines)
        return Kind("hedge" if hedged else "answer_attempt", chance)
    kinds = [max((kind for kind in KINDS if kind not in ATTEMPTS), key=lambda k: one[k]) for one in read]
    if kinds == ["refuse"]:
        return Kind("refuse", chance)
    asking = kinds.count("clarification")
    if "interrogation" in kinds or asking >= 2:
        return Kind("interrogation", chance)
    return Kind("clarification" if asking and len(words(text)) < LONGEST_CLARIFICATION else "discussion", chance)


@lru_cache(maxsize=20_000)
def speaks_for_conclusion(sentence: str) -> bool:
    """Whether a sentence, read alone, rather supplies a conclusion than not."""
    return _lead_alone(sentence) >= 0


def told_and_asked(spoken: Sequence[str]) -> tuple[str, tuple[str, ...]]:
    """What a turn tells, joined, and what it asks, sentence by sentence; of a long sentence that ends in a question all
    up to its last clause is told."""
    cut = [part for one in spoken for part in (_before_last_clause(one) if _asks(one) else (one,))]
    asked = tuple(one for one in cut if _asks(one))
    return " ".join(one for one in cut if not _asks(one) and words(one)), asked


def _before_last_clause(sentence: str) -> tuple[str, ...]:
    """A sentence of more than `LONGEST_QUESTION` words, cut at the last comma behind which a question can stand."""
    if len(words(sentence)) > LONGEST_QUESTION:
        for comma in reversed([at for at, sign in enumerate(sentence) if sign in ",;:–—"]):
            if len(words(sentence[comma:])) >= LEAST_QUESTION:
                return sentence[:comma], sentence[comma + 1 :].strip()
    return (sentence,)


def lead_of_parts(told: str, asked: Sequence[str]) -> float:
    """Log odds that what is told or a sentence that asks supplies a conclusion, each read by itself."""
    head = load(PARTS, "told_part")
    no, yes = head.scores(told_features(told))
    either, other = float(yes - no), TEMPERED * max(map(_lead_alone, asked))
    return float(np.logaddexp(np.logaddexp(either, other), either + other))


def told_features(told: str) -> Floats:
    """What the head of told parts sees: the vector, and the log odds of both readers of whole turns."""
    share = max(sum(_chances(passage)[kind] for kind in ATTEMPTS) for passage in passages(sentences(told) or [told]))
    leads = LEADS * np.array([_log_odds(share), conclusion_lead(told)])
    return np.concatenate([shared_minilm()([told])[0], leads])


def _lead_alone(sentence: str) -> float:
    """Log odds of one sentence, before they are tempered."""
    chances = _chances(sentence)
    return _lead(sum(chances[kind] for kind in ATTEMPTS), sentence)


def _asks(sentence: str) -> bool:
    return sentence.rstrip(CLOSING).endswith("?")


def _lead(share: float, text: str) -> float:
    """Log odds that a text concludes, before they are tempered."""
    return _log_odds(share) + WHOLE * conclusion_lead(text)


def _likeliest(chances: Mapping[str, float]) -> str:
    return max(chances, key=lambda kind: chances[kind])


def _log_odds(share: float) -> float:
    return float(np.log(max(share, 1e-6)) - np.log(max(1 - share, 1e-6)))


def _given_back(sentence: str, heard: frozenset[str]) -> bool:
    own = content_words(sentence)
    return "?" not in sentence and len(own) >= 2 and len(own & heard) / len(own) >= GIVEN_BACK


def passages(parts: Sequence[str]) -> list[str]:
    """Neighbouring sentences together, up to `LONGEST_PASSAGE` words each."""
    found: list[str] = []
    length = LONGEST_PASSAGE
    for part in parts:
        length += len(words(part))
        if not found or length > LONGEST_PASSAGE:
            found, length = [*found, part], len(words(part))
        else:
            found[-1] += f" {part}"
    return found


def _chances(passage: str) -> Mapping[str, float]:
    head = load("gap/weights/lost.npz", "turn_kinds")
    return head(features(passage, head.places))


def features(text: str, vocabulary: Mapping[str, int]) -> Floats:
    """What the head sees of a passage: its vector, how many sentences ask and how many tell, its length, its words."""
    parts = [part for part in sentences(text) if words(part)]
    asked = sum(map(_asks, parts))
    told, length = len(parts) - asked, len(text.split())
    form = [
        asked == 0,
        asked == 1,
        asked >= 2,
        asked >= 3,
        told == 0,
        told == 1,
        told >= 2,
        told >= 4,
        length < 6,
        length >= 12,
        length >= 25,
        length >= 50,
    ]
    return np.concatenate([shared_minilm()([text])[0], FORM * np.array(form, dtype=float), bag(text, vocabulary)])
