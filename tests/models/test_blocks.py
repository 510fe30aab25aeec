"""The blocks of a conversation, and which slot holds them."""

from __future__ import annotations

from maieutic.models.llama_runtime import Slots, blocks_of, slots_a_copy

SYSTEM = {"role": "system", "content": "Ask."}


def talk(*said: str) -> list[dict[str, str]]:
    """A prompt, then patient and therapist in turn."""
    return [SYSTEM, *({"role": ("user", "assistant")[n % 2], "content": text} for n, text in enumerate(said))]


def played(slots: Slots, *said: str) -> tuple[int, int]:
    """The slot that computes the next turn, and how many blocks it still held."""
    blocks = blocks_of(talk(*said))
    with slots.place(blocks) as copy:
        slot, held = slots.slot(copy, blocks)
        slots.holds(copy, slot, blocks.marks)
    return slot, held


def test_a_block_ends_where_a_reply_begins() -> None:
    found = blocks_of(talk("I fail.", "At what?", "At all."))
    assert found.ends == (2, 4) and found.marks[0] == blocks_of(talk("I fail.")).marks[0]
    assert found.marks[1] != blocks_of(talk("I fail.", "Why?", "At all.")).marks[1]
    opened = [SYSTEM, {"role": "assistant", "content": "Hello."}, {"role": "user", "content": "Hello."}]
    assert blocks_of(opened).ends == (1, 3)


def test_a_conversation_goes_on_in_its_slot_and_another_begins_in_one_that_was_not_used() -> None:
    slots = Slots(copies=1, each=2)
    first, held = played(slots, "a")
    assert held == 0
    other, _ = played(slots, "b")
    assert other != first
    assert played(slots, "a", "A?", "aa") == (first, 1) and played(slots, "b", "B?", "bb") == (other, 1)
    assert played(slots, "a", "A?", "aa", "AA?", "aaa") == (first, 2)


def test_what_was_pushed_out_is_computed_from_its_first_block() -> None:
    slots = Slots(copies=1, each=1)
    played(slots, "a")
    played(slots, "b")
    assert played(slots, "a", "A?", "aa") == (0, 0)


def test_a_question_beside_the_conversation_and_another_try_cost_no_block() -> None:
    slots = Slots(copies=1, each=2)
    slot, _ = played(slots, "a")
    assert played(slots, "a", "A?", "aa, and a question")[1] == 1
    assert played(slots, "a", "A?", "aa") == (slot, 1)
    assert played(slots, "a", "A?", "aa") == (slot, 1)
    assert played(slots, "a", "A?", "aa", "AA?", "aaa") == (slot, 2)


def test_two_that_began_alike_keep_a_slot_each() -> None:
    slots = Slots(copies=1, each=3)
    first, _ = played(slots, "a")
    second, _ = played(slots, "a")
    assert first != second
    assert played(slots, "a", "A?", "aa")[1] == 1 and played(slots, "a", "Other?", "aa")[1] == 1
    assert played(slots, "a", "A?", "aa", "AA?", "x")[1] == 2 and played(slots, "a", "Other?", "aa", "AA?", "x")[1] == 2


def test_another_conversation_under_the_same_prompt_reads_its_own_words_only() -> None:
    def told(slots: Slots, *said: str) -> tuple[int, int]:
        blocks = blocks_of(talk(*said), prompt_apart=True)
        slot, held = slots.slot(0, blocks)
        slots.holds(0, slot, blocks.marks)
        return slot, held

    found = blocks_of(talk("I fail.", "At what?", "At all."), prompt_apart=True)
    assert found.ends == (1, 2, 4) and blocks_of([SYSTEM], prompt_apart=True).ends == (1,)
    slots = Slots(copies=1, each=2)
    first, held = told(slots, "a")
    assert held == 0 and told(slots, "b") == (1 - first, 0)
    assert told(slots, "c") == (first, 1)  # pushes out the older one, and goes on from its prompt
    assert told(slots, "b", "B?", "bb") == (1 - first, 2) and told(slots, "a", "A?", "aa") == (first, 1)
    other = blocks_of([{"role": "system", "content": "Listen."}, *talk("a")[1:]], prompt_apart=True)
    assert slots.slot(0, other)[1] == 0


def test_copies_share_what_only_the_prompt_has_in_common() -> None:
    slots = Slots(copies=2, each=2)
    begun = blocks_of(talk("a"), prompt_apart=True)
    with slots.place(begun) as copy:
        slots.holds(copy, slots.slot(copy, begun)[0], begun.marks)
        with slots.place(blocks_of(talk("b"), prompt_apart=True)) as other:
            assert other != copy


def test_a_conversation_stays_with_the_copy_that_knows_it() -> None:
    slots = Slots(copies=2, each=2)
    begun = blocks_of(talk("a"))
    with slots.place(begun) as copy:
        slot, _ = slots.slot(copy, begun)
        slots.holds(copy, slot, begun.marks)
        with slots.place(blocks_of(talk("b"))) as other:
            assert other != copy
        with slots.place(blocks_of(talk("a", "A?", "aa"))) as same:
            assert same == copy


def test_spare_slots_are_few_however_many_copies_there_are() -> None:
    assert {copies: copies * slots_a_copy(8, copies) for copies in (1, 2, 4, 8)} == {1: 10, 2: 12, 4: 12, 8: 16}


def test_what_goes_on_from_a_conversation_that_was_too_long_is_too_long() -> None:
    slots = Slots(copies=1, each=1)
    begun = blocks_of(talk("a"))
    assert not slots.too_long(begun)
    slots.was_too_long(begun.marks[-1])
    assert slots.too_long(blocks_of(talk("a", "A?", "aa"))) and not slots.too_long(blocks_of(talk("b")))
