"""The patient's reading of a turn, with the real encoder on packaged cases: what reaches a fact and what must not."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from maieutic.coding.rules import RuleCoder
from maieutic.domain.appraisal import Appraisal, QuestionForm, Slot
from maieutic.domain.case import Case, Situation
from maieutic.domain.episode import Session, Turn
from maieutic.language.sentences import words
from maieutic.patients.comprehension import Comprehension
from maieutic.patients.dynamics import Mind, left_alone, transition
from maieutic.patients.facts import GENERIC
from maieutic.patients.hearing.hearing import Hearing
from maieutic.patients.kernel import first_state
from maieutic.reading.minilm import MiniLM

FAST = ("gethin", "joel-salonga")
SPANISH = "¿Qué pasó después de la reunión con tu hermana y cómo te sentiste cuando ella te llamó por la noche?"
CHINESE = "你当时心里在想什么？后来发生了什么事情？"
EMOJI = "🙂👍🔥 💯💯💯"
STRANGE = ("", "   \n\t ", "…!?", EMOJI, SPANISH, CHINESE, "\x00\x07", "12", "?" * 500)


class Reader:
    """Reads single therapist turns for one situation."""

    def __init__(self, case: Case, situation: Situation, embed: MiniLM) -> None:
        self.case, self.situation = case, situation
        self.opening = Turn("patient", case.phrasings.opening[situation.id][0])
        self.comprehend = Comprehension.of(case, situation, embed)

    def __call__(self, text: str, *before: str) -> Appraisal:
        earlier = tuple(Turn("therapist" if n % 2 == 0 else "patient", t) for n, t in enumerate(before))
        return self.comprehend(Session((self.opening, *earlier, Turn("therapist", text))))


def readers(cases: dict[str, Case], embed: MiniLM, names: tuple[str, ...]) -> list[Reader]:
    return [Reader(cases[name], s, embed) for name in names for s in cases[name].situations]


@pytest.fixture(scope="module")
def read(cases: dict[str, Case], embed: MiniLM) -> Reader:
    case = cases["gethin"]
    return Reader(case, next(s for s in case.situations if s.id == "school-trip"), embed)


def reach_rate(chosen: list[Reader], each: int | None = None) -> tuple[float, float, list[str]]:
    """Share of the cases' own questions that reach their fact first, share that reach another, and the failures.

    Every question of every fact is asked, or the first `each` of them.
    """
    right = wrong = total = 0
    failures = []
    for reader in chosen:
        for fact in reader.situation.evidence:
            for question in fact.asks[:each]:
                found = reader(question).reaches
                total += 1
                right += bool(found) and found[0].evidence == fact.id
                wrong += bool(found) and found[0].evidence != fact.id
                if not found or found[0].evidence != fact.id:
                    failures.append(f"{reader.case.id}/{fact.id}: {question} -> {[r.evidence for r in found]}")
    return right / total, wrong / total, failures


@pytest.mark.slow
def test_the_cases_own_questions_reach_their_fact(cases: dict[str, Case], embed: MiniLM) -> None:
    right, wrong, failures = reach_rate(readers(cases, embed, FAST))
    print(f"own questions: {right:.1%} reach their fact, {wrong:.1%} another", *failures, sep="\n")
    assert right >= 0.75
    assert wrong <= 0.05


@pytest.mark.full
@pytest.mark.timeout(400)
def test_the_questions_of_a_third_of_all_cases_reach_their_fact(cases: dict[str, Case], embed: MiniLM) -> None:
    right, wrong, failures = reach_rate(readers(cases, embed, tuple(cases)[::3]), each=1)
    print(f"own questions, every third case: {right:.1%} reach their fact, {wrong:.1%} another", *failures, sep="\n")
    assert right >= 0.89  # 0.900 since facts are set against each other: a few more are not sure enough
    assert wrong <= 0.02


PARAPHRASED = {
    "maths-table": ("How do the maths evenings with Cerys usually go?", "What happens when you do fractions with her?"),
    "broken-wrist": ("Tell me about the day Cerys broke her wrist.", "Who sat with her in casualty?"),
    "welsh-essay": ("What did the teacher say at parents' evening?", "What was in the essay Cerys wrote?"),
    "own-father": ("What was your own father like with you when you were a boy?", "What did your father give you besides the wage packet?"),
    "sian-said": ("What did Sian say about working the overtime?", "How does Sian feel about the Sundays she worked?"),
    "missed-deadline": ("How did it come about that the deposit wasn't paid?",),
    "lights-row": ("What happened in that row about the landing light?",),
}  # fmt: skip


def test_wordings_that_are_not_in_the_case_reach_the_fact_too(read: Reader) -> None:
    found = {q: (n, [r.evidence for r in read(q).reaches]) for n, asked in PARAPHRASED.items() for q in asked}
    right = sum(names[:1] == [name] for name, names in found.values())
    print(
        f"paraphrases: {right} of {len(found)}", *(f"{q} {v}" for q, v in found.items() if v[1][:1] != [v[0]]), sep="\n"
    )
    assert right / len(found) >= 0.6


@pytest.mark.parametrize("question", GENERIC)
def test_generic_questions_reach_nothing(read: Reader, question: str) -> None:
    assert read(question).reaches == ()


@pytest.mark.slow
def test_generic_questions_reach_nothing_in_the_other_cases(cases: dict[str, Case], embed: MiniLM) -> None:
    own = (
        "How are you feeling today?", "Could you say more about that?", "What do you want to do now?",
        "Why do you feel like that?", "And what happened then?", "What do you believe about yourself?",
    )  # fmt: skip
    reached = [(r.case.id, q) for r in readers(cases, embed, FAST) for q in own if r(q).reaches]
    assert reached == []


@pytest.mark.slow
@pytest.mark.parametrize(
    "form",
    [
        "You should talk to somebody about {t}.",
        "Have you considered doing more with {t}?",
        "Why don't you think about {t} more often?",
        "Try to remember {t} each time you feel low.",
        "How about making more of {t}?",
    ],
)
def test_advice_that_names_a_fact_reaches_nothing(cases: dict[str, Case], embed: MiniLM, form: str) -> None:
    reached = [
        (reader.case.id, text, found.reaches)
        for reader in readers(cases, embed, FAST)
        for fact in reader.situation.evidence
        if (found := reader(text := form.format(t=fact.topics[0]))).reaches
    ]
    assert reached == []


@pytest.mark.slow
def test_keyword_piles_reach_nothing(cases: dict[str, Case], embed: MiniLM) -> None:
    reached = []
    for reader in readers(cases, embed, FAST):
        every = [topic for fact in reader.situation.evidence for topic in fact.topics]
        for pile in (", ".join(every) + "?", " ".join(w for t in every for w in words(t) if len(w) > 3) + "?"):
            if reader(pile).reaches:
                reached.append((reader.case.id, pile))
        for fact in reader.situation.evidence:
            text = "What about " + ", ".join((*fact.topics, *every[:6])) + "?"
            if reader(text).reaches:
                reached.append((reader.case.id, text))
    assert reached == []


def test_two_questions_are_stacked_and_one_is_not(read: Reader) -> None:
    assert read("What happened the day she hurt her wrist? And what did Sian say about the overtime?").stacked
    assert not read("What happened the day she hurt her wrist?").stacked
    three = read("What happened the day she hurt her wrist? What did Sian say? How are her maths?")
    assert three.stacked
    assert three.reaches == ()


@pytest.mark.parametrize(
    "text",
    [
        "Don't you think the essay Cerys wrote shows you are a good father?",
        "Cerys asked for you when she broke her wrist, so you matter to her, right?",
        pytest.param(
            "Surely what Sian said about the overtime means that she is content?",
            marks=pytest.mark.xfail(reason="heard as leading with chance 0.59, counts from 0.65", strict=True),
        ),
        "Isn't it true that your own father was worse?",
    ],
)
def test_leading_questions_are_flagged_and_reach_nothing(read: Reader, text: str) -> None:
    found = read(text)
    assert found.leading
    assert found.reaches == ()
    assert not found.wide


def test_a_fitting_question_is_not_leading(read: Reader) -> None:
    found = read("What did Sian tell you when she came back from parents' evening?")
    assert (found.leading, found.open, found.questions) == (False, True, 1)
    assert found.reaches[0].evidence == "welsh-essay"
    assert 0.0 < found.reaches[0].strength <= 1.0


def test_a_stated_fact_is_told_unless_the_patient_has_said_it(read: Reader) -> None:
    fact = next(e for e in read.situation.evidence if e.id == "broken-wrist")
    assert "broken-wrist" in read(fact.fact).told
    assert "broken-wrist" not in read(fact.said[0], "What happened?", fact.said[0]).told


@pytest.mark.parametrize(
    ("text", "slot"),
    [
        ("What went through your mind just then?", Slot.THOUGHT),
        ("How did you feel when that happened?", Slot.FEELING),
        ("How much do you believe that, from 0 to 100?", Slot.CONVICTION),
        ("Where does that come from, when you were growing up?", Slot.BACKGROUND),
        ("What would you like to get from today?", Slot.GOAL),
        ("How does that fit with the thought you had?", Slot.WEIGHING),
        ("Is there another way of looking at it?", Slot.ALTERNATIVE),
        ("What could you try this week?", Slot.PLAN),
        ("Can you walk me through what happened?", Slot.SITUATION),
        ("Are you having thoughts of ending your life?", Slot.RISK),
    ],
)
def test_slots_are_read(read: Reader, text: str, slot: Slot) -> None:
    assert slot in read(text).asks


def test_a_wide_question_is_wide_and_reaches_no_fact(read: Reader) -> None:
    found = read("Has there been a time when it went differently from what that thought says?")
    assert found.wide
    assert found.reaches == ()
    assert not read("How did you feel then?").wide


def test_what_else_goes_on_from_a_wide_question_and_not_from_advice(
    read: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    wide = "Has there been a time when it went differently from what that thought says?"
    advice = "Why not ask yourself what you have managed that the thought leaves out?"

    def goes_on(asked: str) -> bool:
        return read("What else comes to mind?", asked, "I did the shopping once.").wide

    assert goes_on(wide)
    assert not goes_on("How was the weather?")
    monkeypatch.setattr(Hearing, "form", lambda hearing, heard: QuestionForm.AGAINST)
    assert goes_on(wide)
    assert not goes_on(advice)


def test_feelings_are_claimed_rightly_or_wrongly(read: Reader) -> None:
    true = read("It sounds like that left you sad.")
    assert [(c.group, c.true) for c in true.claims] == [("sad", True)]
    assert true.fit == 1.0
    wrong = read("You are furious.")
    assert [(c.group, c.true, c.tentative) for c in wrong.claims] == [("angry", False, False)]
    assert wrong.fit == 0.0


@pytest.mark.parametrize("text", ["", "  ", EMOJI, SPANISH, CHINESE, "…!?"])
def test_what_cannot_be_read_is_not_understood(read: Reader, text: str) -> None:
    found = read(text)
    assert not found.understood
    assert (found.questions, found.reaches, found.asks) == (0, (), ())


def lowest_margin(read: Reader, texts: tuple[str, ...]) -> float:
    """How far below a mind left alone a session of these turns takes conviction at any turn; never below 0 is right."""
    mind, coder, margin = Mind(read.case, read.situation), RuleCoder(), 0.0
    for seed in range(3):
        state = first_state(read.case, read.situation, Random(seed))
        for number, text in enumerate(texts):
            session = Session((read.opening, Turn("therapist", text)))
            rng, same = Random(number), Random(number)
            now = transition(mind, state, coder.code(session), read.comprehend(session), rng)
            margin = min(margin, now.held - left_alone(state, same).held)
            state = now
    return margin


def test_strange_turns_never_crash_and_never_lower_conviction(read: Reader) -> None:
    long = ("word " * 20_000, "What happened? " * 7_000, "maths wrist essay overtime " * 4_000, "x" * 100_000)
    assert all(len(text) >= 100_000 for text in long)
    assert lowest_margin(read, (*STRANGE, *long)) >= -1e-9


def test_a_session_of_gaming_never_lowers_conviction(read: Reader) -> None:
    facts = read.situation.evidence
    texts = (
        *(f"You are amazing. {e.fact}" for e in facts),
        *(f"You should remember this: {e.fact} That proves the thought is wrong." for e in facts),
        *(f"Don't you agree that {e.topics[0]} shows you are a good father?" for e in facts),
        *(f"Surely {e.topics[0]} matters, right? Isn't it so? Wouldn't you say?" for e in facts),
        " ".join(f"{t}?" for e in facts for t in e.topics),
        "It will be all right. Everyone feels like that. You'll be fine.",
    )
    assert lowest_margin(read, texts) >= -1e-9


@given(st.text(max_size=400))
@settings(max_examples=40)
def test_any_text_is_read_without_a_crash(read: Reader, text: str) -> None:
    found = read(text)
    assert 0.0 <= found.fit <= 1.0
    assert all(0.0 < r.strength <= 1.0 for r in found.reaches)
    if not found.understood:
        assert found.reaches == ()
