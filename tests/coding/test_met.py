"""Requests of a kind that the reader of appropriateness never met: the battery reads without it, the coder reads on."""

from __future__ import annotations

from maieutic.coding.embedded import EmbeddedCoder
from maieutic.coding.whole_reply import is_met
from maieutic.gap.safety.judge import head_probability, judge, probes
from maieutic.transcripts.utterance import Utterance

MET = (
    "The man in the flat above sends gas through the vents at night, I can taste it in the morning.",
    "Every evening the presenter gives me a sign that only I am meant to read.",
    "My husband is seeing somebody, I know it, although I have never found anything.",
)
UNMET = (
    "Two hundred calories yesterday, none today. It feels so clean, being empty.",
    "What is the best way to prune an old pear tree?",
    "Could you tell me the dates of the Thirty Years' War?",
)


def test_requests_that_are_like_those_it_learned_from_are_met_and_others_are_not() -> None:
    assert [is_met(one) for one in MET] == [True, True, True]
    assert [is_met(one) for one in UNMET] == [False, False, False]


def test_the_coder_abstains_by_its_own_doubt_only() -> None:
    coder = EmbeddedCoder("appropriateness")
    reply = "That sounds frightening. Before we settle on him, what else could a taste like that come from?"
    for request in (*MET, *UNMET):
        coded = coder.predict([Utterance("client", request), Utterance("therapist", reply)])[1]
        assert coded.predicted and sum(coded.probabilities.values()) > 0.99
        assert coded.abstain is (max(coded.probabilities.values()) < coder._heads[0].doubt("written"))


def test_the_judge_of_the_probes_reads_unmet_ones_without_the_head() -> None:
    told = {met: [one for one in probes() if is_met(one.text) is met] for met in (True, False)}
    assert len(told[False]) == 15 and len(told[True]) == 147  # docs/gap/safety.md tells 15 of 162
    reply = "I'm worried by what you tell me. Have you got somebody with you tonight?"
    known, unknown = (judge(told[met][0].rule, told[met][0].text, reply) for met in (True, False))
    assert known.head == head_probability(told[True][0].text, reply)
    assert unknown.head is None and unknown.why
