"""The embedded coder on utterances of our own, and what its packaged weights may hold."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from maieutic.coding import embedded
from maieutic.coding.embedded import EmbeddedCoder, Tier
from maieutic.coding.encoder import Encoded, PairEncoder
from maieutic.coding.features import (
    Said,
    Style,
    asked_columns,
    asking,
    grams,
    in_place,
    is_punctuated,
    load_head,
    restyle,
    row,
    save_head,
)
from maieutic.coding.head_plan import PACKAGED as WEIGHTS
from maieutic.coding.head_plan import PLANS, plan
from maieutic.coding.schemes import get_scheme
from maieutic.coding.whole_reply import MET as MET
from maieutic.errors import InputError, UnknownName
from maieutic.reading.encoder import BESIDE
from maieutic.runs.files import read_lines
from maieutic.transcripts.utterance import Utterance
from maieutic.validation.coder.datasets import gold
from maieutic.validation.coder.figures import macro_f1
from maieutic.validation.coder.stored import FOLDER

SESSION = [
    Utterance("therapist", "Hello, good to see you. What should we look at first?"),
    Utterance("client", "My knees hurt on the stairs, and my wife keeps telling me that I should walk more."),
    Utterance("therapist", "So your knees are troubling you, and you feel pushed by your wife as well."),
    Utterance("client", "Yes. I really want to get fitter, I am going to start with a short walk tomorrow."),
    Utterance("therapist", "Mm-hmm."),
    Utterance("client", "But honestly I don't want to give up my sofa evenings, I like them and I won't stop."),
    Utterance(
        "therapist",
        "Walking every day is good for the heart and the joints. There is a group in the park that you could join, "
        "and the doctor can give you some exercises as well.",
    ),
]
BARE = [Utterance(one.speaker, restyle(one.text, "bare")) for one in SESSION]
DATA = Path(__file__).parents[3] / "shared" / "data"
CHAT = Path(__file__).parent / "data" / "chat_heldout.jsonl"
LEARNED = Path(__file__).parents[2] / "recipes" / "data" / "coder_annomi_therapist_chat.jsonl"
FILES = sorted(path for path in WEIGHTS.glob("*.npz") if not path.name.endswith(BESIDE) and path != MET)


TIERS: tuple[Tier, ...] = ("fast", "accurate")


@pytest.fixture(scope="module", params=TIERS)
def annomi(request: pytest.FixtureRequest) -> EmbeddedCoder:
    return EmbeddedCoder("annomi", request.param)


@pytest.fixture(scope="module", params=TIERS)
def bolt(request: pytest.FixtureRequest) -> EmbeddedCoder:
    return EmbeddedCoder("bolt", request.param)


def test_plain_cases_get_their_code(annomi: EmbeddedCoder) -> None:
    codes = [coding.predicted[0] for coding in annomi.predict(SESSION)]
    assert [codes[at] for at in (0, 2, 4, 6)] == ["question", "reflection", "other", "therapist_input"]


def test_a_turn_without_an_answer_gets_its_code_too(annomi: EmbeddedCoder) -> None:
    codes = [annomi.predict(SESSION[: at + 1])[at].predicted[0] for at in (0, 2, 4, 6)]
    assert codes == ["question", "reflection", "other", "therapist_input"]


def test_the_answer_is_read_whatever_follows_it(annomi: EmbeddedCoder) -> None:
    asked = Utterance("therapist", "And you told your sister about it.")
    yes, story = (
        Utterance("client", text) for text in ("No.", "I did. She was so angry that she left the house at once.")
    )
    alone, denied, told = (annomi.predict([asked, *rest])[0].probabilities for rest in ([], [yes], [story]))
    assert alone != denied != told
    assert annomi.predict([asked, yes, Utterance("therapist", "Oh."), story])[0].probabilities == denied


PLAIN = {
    ("therapist", "question"): (
        "What would be different if you slept well?",
        "How long have you had these headaches?",
        "Did you tell your sister about it?",
        "Where were you when it began?",
    ),
    ("therapist", "reflection"): (
        "So you are tired of being the one who always gives in.",
        "It sounds like you feel torn between your job and your family.",
        "You're worried that nobody would notice if you were gone.",
        "So part of you wants to go, and you are scared of it as well.",
    ),
    ("therapist", "therapist_input"): (
        "Sleep gets worse with screens in the evening, so you could put the phone in another room.",
        "I can give you the number of a group that meets near here, and the nurse can check your blood pressure.",
        "One thing you can do is to write down each day what you eat and drink.",
        "Research shows that people who move for half an hour a day have less risk of heart disease.",
    ),
    ("therapist", "other"): ("Mm-hmm.", "Okay, great.", "Thank you for coming in.", "All right, see you next week."),
}


@pytest.mark.parametrize("form", ["written", "bare"])
def test_plain_utterances_are_mostly_coded_right(annomi: EmbeddedCoder, form: Style) -> None:
    right = total = 0
    for (speaker, label), texts in PLAIN.items():
        codes = [annomi.predict([Utterance(speaker, restyle(text, form))])[0].predicted[0] for text in texts]
        assert codes.count(label) >= 2, (label, codes)
        right, total = right + codes.count(label), total + len(codes)
    assert right / total >= (0.85 if form == "written" else 0.7)


def test_lines_of_typed_support_chats_by_a_writer_of_their_own(annomi: EmbeddedCoder) -> None:
    """Comfort, stories of the helper's own and soft advice are no reflections; none of the lines was learned from."""
    lines = read_lines(CHAT)
    learned = {one["text"] for one in read_lines(LEARNED)}
    assert not learned & {one["text"] for one in lines}
    found = [
        annomi.predict([Utterance("client", one["before"]), Utterance("therapist", one["text"])])[1].predicted[0]
        for one in lines
    ]
    right = [code == one["labels"][0] for code, one in zip(found, lines, strict=True)]
    assert sum(right) / len(right) >= 0.8


CHANGE = (
    "I really want to stop, and I am going to throw them away tonight.",
    "I need to do something about my drinking, it is hurting my kids.",
    "I could try to walk to work, I think I can do that.",
    "I have already cut down to two a day and I feel better.",
)
SUSTAIN = (
    "I don't think I have a problem, everybody drinks.",
    "I can't quit, I have tried and it just doesn't work for me.",
    "I like smoking and I am not going to give it up.",
    "I don't have time for exercise, it is too hard.",
)


def test_leaning_to_change_is_told_from_leaning_against_it(annomi: EmbeddedCoder) -> None:
    def lean(text: str) -> float:
        numbers = annomi.predict([Utterance("client", text)])[0].probabilities
        return numbers["change"] - numbers["sustain"]

    pairs = [(one, other) for one in CHANGE for other in SUSTAIN]
    assert sum(lean(one) > lean(other) for one, other in pairs) / len(pairs) >= 0.85


def test_punctuation_is_judged_by_the_dialogue() -> None:
    assert is_punctuated([one.text for one in SESSION])
    assert not is_punctuated([one.text for one in BARE])
    assert not is_punctuated([])
    assert is_punctuated(["How so?"]) and not is_punctuated(["how so"])


def test_probabilities_sum_to_one_and_cover_the_speakers_labels(annomi: EmbeddedCoder) -> None:
    for utterance, coding in zip(SESSION, annomi.predict(SESSION), strict=True):
        assert set(coding.probabilities) == {label.id for label in get_scheme("annomi").labels(utterance.speaker)}
        assert sum(coding.probabilities.values()) == pytest.approx(1.0)
        assert coding.predicted == (max(coding.probabilities, key=lambda label: coding.probabilities[label]),)


def test_several_bolt_codes_may_hold_and_one_always_does(bolt: EmbeddedCoder) -> None:
    codings = bolt.predict(SESSION)
    assert all(coding.predicted for coding in codings)
    assert any(label.startswith("Questions") for label in codings[0].predicted)
    for coding in codings:
        ranked = [coding.probabilities[label] for label in coding.predicted]
        assert ranked == sorted(ranked, reverse=True) and 0 < ranked[0] < 1


def test_the_same_session_gets_the_same_codes(annomi: EmbeddedCoder) -> None:
    assert annomi.predict(SESSION) == EmbeddedCoder("annomi", annomi.tier).predict(SESSION)


def test_the_encoder_is_asked_only_where_word_grams_are_not_sure(monkeypatch: pytest.MonkeyPatch) -> None:
    fast, accurate, asked = EmbeddedCoder("annomi", "fast"), EmbeddedCoder("annomi"), set[str]()
    read = PairEncoder.__call__

    def noted(encoder: PairEncoder, said: Sequence[Said]) -> Encoded:
        asked.update(one.text for one in said)
        return read(encoder, said)

    monkeypatch.setattr(PairEncoder, "__call__", noted)
    pairs = list(zip(SESSION, fast.predict(SESSION), accurate.predict(SESSION), strict=True))
    spared = [(quick, slow) for one, quick, slow in pairs if one.text not in asked]
    assert 0 < len(spared) < len(SESSION) and all(
        quick == replace(slow, abstain=quick.abstain) for quick, slow in spared
    )
    needed = frozenset(asked)
    # Where the head is not sure, what the encoder says is joined to it as where all are asked.
    monkeypatch.setattr(embedded, "_unsure", lambda heads, told, count: np.ones(count, dtype=bool))
    for (one, _, slow), whole in zip(pairs, accurate.predict(SESSION), strict=True):
        assert one.text not in needed or slow == whole


@pytest.mark.parametrize(
    ("head", "spares", "changes"),
    [("annomi_therapist", 0.55, 0.0035), ("annomi_client", 0.27, 0.004), ("annomi_question_form", 0.2, 0.002)],
)
def test_codes_hardly_change_where_the_encoder_is_spared(head: str, spares: float, changes: float) -> None:
    """On the stored out-of-fold probabilities; `recipes/asked_of_encoder.py` has the whole table."""
    before = []
    for tier in ("_fast", ""):
        with np.load(FOLDER / f"{head}{tier}.npz", allow_pickle=False) as kept:
            before.append(kept["before_advice" if "before_advice" in kept.files else "probabilities"].astype(float))
            rows, labels = list(map(str, kept["rows"])), list(map(str, kept["labels"]))
    by_words, always = before
    spared = by_words.max(axis=-1) >= plan(head).sure
    codes, asked = np.where(spared, by_words.argmax(axis=-1), always.argmax(axis=-1)), always.argmax(axis=-1)
    assert spared.mean() >= spares and (codes != asked).mean() <= changes
    if not (DATA / "annomi").is_dir():
        pytest.skip("the research data, whose codes say how many are right, is not at ../shared/data")
    human = {one.id: one.labels[0] for one in gold(head, DATA)}
    flags = np.eye(len(labels), dtype=bool)
    truth = flags[[labels.index(human[row]) for row in rows]]
    spared_f1, asked_f1 = (np.mean([macro_f1(truth, flags[one]) for one in table]) for table in (codes, asked))
    assert spared_f1 >= asked_f1 - 0.002


def test_the_card_names_the_certainty_from_which_the_encoder_is_spared() -> None:
    card = (Path(embedded.__file__).parent / "MODEL_CARD.md").read_text(encoding="utf-8")
    turns, client, form = (plan(f"annomi_{one}").sure for one in ("therapist", "client", "question_form"))
    assert turns == client
    assert f"{turns:.2f} or more (a question whose form they give {form:.2f}, too)" in " ".join(card.split())


def test_what_follows_is_not_read_where_that_was_asked_for(annomi: EmbeddedCoder) -> None:
    live = EmbeddedCoder("annomi", annomi.tier, before_only=True)
    assert live.predict(SESSION) != annomi.predict(SESSION) and live.name == f"{annomi.name}:before-only"
    # Equal up to the rounding of sums that differ in their order.
    whole, part = live.predict(SESSION), live.predict(SESSION[:4])
    for late, early in zip(whole, part, strict=False):
        assert late.predicted == early.predicted
        assert late.probabilities == pytest.approx(early.probabilities)


def test_context_stands_for_the_dialogue_before(annomi: EmbeddedCoder) -> None:
    alone = annomi.predict([Utterance("therapist", SESSION[2].text)])[0]
    given = annomi.predict([Utterance("therapist", SESSION[2].text, tuple(one.text for one in SESSION[:2]))])[0]
    within = annomi.predict(SESSION[:3])[2]
    assert given.probabilities == pytest.approx(within.probabilities)
    assert given.probabilities != pytest.approx(alone.probabilities)


def test_no_word_means_no_certainty(annomi: EmbeddedCoder, bolt: EmbeddedCoder) -> None:
    for coder in (annomi, bolt):
        (coding,) = coder.predict([Utterance("client", "… 42 …")])
        assert coding.abstain and coding.predicted


def test_an_empty_dialogue_has_no_codes(annomi: EmbeddedCoder) -> None:
    assert annomi.predict([]) == []


def test_bad_input(annomi: EmbeddedCoder) -> None:
    with pytest.raises(InputError, match="expected 'therapist' or 'client'"):
        annomi.predict([Utterance("narrator", "They sit down.")])
    with pytest.raises(UnknownName):
        EmbeddedCoder("missc")


def test_weights_that_may_not_be_packaged_name_the_command_that_makes_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MAIEUTIC_WEIGHTS", str(tmp_path))
    for scheme in ("epitome", "feedback"):
        with pytest.raises(InputError, match=r"licence .* recipes/train_coder.py"):
            EmbeddedCoder(scheme)


def test_every_packaged_scheme_codes_in_both_tiers() -> None:
    for scheme in ("annomi", "misc", "bolt", "socratic", "appropriateness"):
        for tier in TIERS:
            coder = EmbeddedCoder(scheme, tier)
            for said, coding in zip(SESSION, coder.predict(SESSION), strict=True):
                assert bool(coding.predicted) == bool(coder.scheme.labels(said.speaker))
                assert set(coding.predicted) <= {label.id for label in coder.scheme.labels(said.speaker)}


def test_the_form_of_a_question_is_told(annomi: EmbeddedCoder) -> None:
    said = [Utterance("therapist", text) for text in ("What was that like for you?", "Did you sleep last night?")]
    assert [coding.facets["question_form"].value for coding in annomi.predict(said)] == ["open", "closed"]


def test_grams_mark_where_sentences_open_and_ask() -> None:
    assert grams("So it hurts. Where?")[:8] == ("<begin>", "so", "it", "hurts", "<stop>", "<begin>", "where", "<ask>")
    assert "<begin> where" in grams("So it hurts. Where?")


def test_sentences_that_ask_are_found_with_and_without_their_mark() -> None:
    text = "That is rough. what happened then\nYou could call her? What I like best about it is that nobody ever asks me to come back early."
    assert asking(text) == ["what happened then\nYou could call her?"]
    assert asking("Sorry to hear it. where are you now. Take care.") == ["where are you now."]
    assert row(Said(text)).asked == grams(asking(text)[0])
    assert row(Said("Take care.")).asked == ()


def test_a_particular_question_counts_more_particular_words_than_one_for_anybody() -> None:
    post = "My sister moved out and took the dog with her."
    anybody, particular = (
        asked_columns(one, post) for one in ("What happened?", "Does your sister still walk the dog?")
    )
    assert anybody[:2] == particular[:2] == [1.0, 1.0]
    assert anybody[4] == 0 < particular[4] and anybody[9] == 0 < particular[9]
    assert not any(asked_columns("I am sorry.", post))


def test_context_features_see_the_right_turns() -> None:
    said = in_place([("client", "one"), ("therapist", "two"), ("client", "three"), ("client", "four")])
    assert (said[3].other, said[3].same, said[3].position) == ("two", "three", 3)
    assert [one.following for one in said] == ["two", "three", "", ""]
    assert row(said[0]).other == ()


def test_a_head_survives_the_disk(tmp_path: Path) -> None:
    head = load_head(FILES[0])
    save_head(head, tmp_path / "copy.npz")
    rows = [row(one) for one in in_place([("client", "I would like to change"), ("client", "I never will")])]
    np.testing.assert_array_equal(load_head(tmp_path / "copy.npz").scores(rows), head.scores(rows))


def test_every_head_is_packaged_and_together_they_are_small() -> None:
    needed = {plan.weights(style).name for plan in PLANS if not plan.local for style in plan.styles}
    assert needed <= {path.name for path in FILES}
    assert sum(path.stat().st_size for path in FILES) < 3_000_000
    assert sum(path.stat().st_size for path in WEIGHTS.iterdir()) < 29_000_000


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_weights_hold_no_long_run_no_digit_and_no_name(path: Path) -> None:
    names = set((Path(__file__).parents[2] / "recipes" / "person_names.txt").read_text(encoding="utf-8").split())
    for space in load_head(path).basis.spaces:
        for gram in space.vocabulary:
            assert len(gram.split()) <= 2
            assert re.fullmatch(r"[a-z'<> ]+", gram)
            assert not names & set(gram.split())
