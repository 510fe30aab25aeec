"""What of a patient's reply can be taken up: phrases that stand in it word for word, and people whom it names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

from maieutic.language.sentences import content_words, first_number, sentences, words
from maieutic.therapists.hearing import heard_in, held_in
from maieutic.therapists.wording import about_the_talk, keyphrases, may_name

LONGEST: Final = 14
SHORTEST: Final = 3
"""Words of a phrase that is quoted."""
WHOLE: Final = 22
"""Words of a whole sentence that is given back."""
EMPTY: Final = 0.6
"""P(a sentence holds hardly anything) from which nothing of it is quoted."""
_MARKS: Final = (";", ":", "—", "–", " - ", "…")
_JOINTS: Final = (", and ", ", but ", ", so ", ", because ", ", which ", ", then ", ", or ")
_KIN: Final = frozenset(
    """mother mum mom mam father dad parents sister brother wife husband partner girlfriend boyfriend son
    daughter friend boss manager grandma gran grandmother grandfather grandad aunt uncle cousin colleague
    teacher neighbour neighbor doctor nurse mate niece nephew supervisor landlord tutor coach flatmate
    roommate fiancé fiancée ex kids children family team""".split()
)
DOES: Final = frozenset(
    """said says say asked asks told tells took takes gave gives came comes went goes looked looks put puts
    got gets wants wanted thinks thought knows knew rang rings called calls phoned wrote writes sent sends
    laughed laughs nodded smiled waved stood sat walked left does did made makes keeps kept never always
    still just hadn't hasn't didn't doesn't wouldn't couldn't wasn't isn't would could has had is was used
    saw sees held holds picked noticed answered answers replied shouted whispered""".split()
)
"""What somebody does: a name is a person's where one of these stands behind it."""
_WEAK: Final = frozenset(
    "calls rings looks answers holds keeps makes is was has had would could isn't wasn't hasn't hadn't doesn't didn't "
    "wouldn't couldn't never always still just does did".split()
)
"""Of these, what may stand behind any word that opens a sentence."""
_BEING: Final = frozenset(
    "a an the been not just already still gone got never always stopped training learning working sleeping".split()
)
TITLES: Final = frozenset({"Mr", "Mrs", "Ms", "Dr", "Aunt", "Uncle", "Auntie"})
_LEAVES_OPEN: Final = frozenset(
    """a an the and or but so because if when while as than that which who whose to of in on at by for from
    with without into about after before behind next since until till though although like i we he she
    they you my your his their our its is are was were be am have has had do does did can could will would
    should might not no very really just even every some any""".split()
)
"""Words that no phrase ends in."""
_FRAMING: Final = frozenset("was is thought think figured guess suppose say said says mean know well truth".split())
_FRAMES: Final = (
    "i keep thinking ",
    "i think ",
    "i thought ",
    "i guess ",
    "i suppose ",
    "i mean ",
    "it means ",
    "it was that ",
    "it's just ",
    "i felt ",
    "i dunno,",
    "it goes,",
    "i feel like ",
)
"""What opens a sentence and is not quoted with it, where a subject follows."""
FRAME_WORDS: Final = 4
"""Words before "was that" up to which they announce a thought ("What I believed was that ...")."""
_MAY_BE_OVER: Final = frozenset({"i thought ", "i felt "})
"""Of these, what may be no longer so: "I thought it was fine" does not say that it was."""
STARTS: Final = frozenset(
    """i i'm i've i'd i'll my mine he he's he'd she she's she'd it it's they they're they've they'd his her their the a
    an there there's nobody somebody everybody someone everyone something nothing one two three four five some every
    each all both half most no""".split()
)
"""Words that open a clause with its subject; a name does so, too."""
_OTHERS: Final = frozenset("other others our your you this these those everything".split())
"""Words that open others with it, which are not given back."""
_SUBJECTS: Final = frozenset("i i'm i've i'd he he's she she's they they're we it it's nobody everybody people".split())
_TAGS: Final = frozenset(
    (
        "really",
        "honestly",
        "i thought",
        "i think",
        "i guess",
        "i suppose",
        "is it",
        "isn't it",
        "doesn't it",
        "does it",
        "right",
        "okay",
        "mostly",
        "you know",
        "don't they",
        "aren't i",
        "am i",
        "too",
        "i mean",
        "you see",
        "does that",
        "i'd say",
        "do i",
        "wasn't it",
        "you'd say",
        "actually",
        "anyway",
        "though",
        "mind",
        "mind you",
        "that's what i thought",
        "that's how it is",
        "look",
    )
)
"""What hangs on the end of a sentence and is not quoted with it."""
_DANGLES: Final = frozenset("not that which who than though although until because unless whether or nor".split())
"""Words that no part of a sentence begins with when it is quoted."""
_HANGS_ON: Final = frozenset("if when where once since while after before".split())
"""Words that open half a sentence, where no other half follows."""
_ANNOUNCES: Final = (
    "i'll tell you",
    "could tell you",
    "can tell you",
    "tell you about",
    "rather not",
    "don't dwell",
    "much to say",
    "another thing",
    "one more thing",
    "something else",
)
"""What announces a matter, or will not go into it: giving it back says nothing about the patient."""
_FILLERS: Final = frozenset("and but so because then or um uh er".split())
_INTERJECTIONS: Final = frozenset("well oh like hm look now no yes right okay fine".split())
_FINITE: Final = DOES | frozenset(
    "are were am be been will won't can can't must should might may i'm i've i'd i'll he's she's they're".split()
)
"""Words one of which stands in a clause that is whole."""
_POINTS_BACK: Final = frozenset("that that's those these this thats".split())
"""What opens a sentence that means nothing without the one before."""
_SCENES: Final = frozenset("it it's there there's".split())
LATEST: Final = 1.5
"""What the last sentence of a reply has over its first: what weighs most is mostly said last."""
SETTING: Final = 1.0
"""Points off for a clause about how things stand or stood."""
AROUND: Final = 0.3
"""P(the sentence around a phrase claims something) from which the phrase is read by itself."""
CLAIMED: Final = 0.5
"""How surely a phrase claims something from which it is asked about as a claim."""
SHORT_NUMBER: Final = 6
"""Words of a sentence at most that does nothing but give a number."""
ANNOUNCING: Final = 7
"""Words before a colon up to which they announce what comes ("In other words: ...") and are not quoted with it."""
_FIRST: Final = frozenset("i me my mine myself i'm i've i'd i'll we us our ours we're we've".split())


@dataclass(frozen=True, slots=True)
class Phrase:
    """Words of the patient's, as they stand in a reply.

    Attributes:
        text: At most `LONGEST` words, without the mark at the end.
        holds: Probability of each of `hearing.LINES` for the sentence around it.
        turn: Number of the patient turn, 1-based.
        worth: How telling it is; an order, not a measurement.
    """

    text: str
    holds: Mapping[str, float] = field(compare=False, repr=False)
    turn: int
    worth: float

    @property
    def kind(self) -> str:
        """What the sentence around it holds most likely."""
        return max(self.holds, key=lambda name: self.holds[name])

    @property
    def own(self) -> bool:
        """The patient speaks of themselves in it."""
        return is_own(self.text)


def is_own(text: str) -> bool:
    """The speaker speaks of themselves in it."""
    return bool(_FIRST & set(words(text)))


@lru_cache(maxsize=5_000)
def phrases(text: str, turn: int) -> tuple[Phrase, ...]:
    """Phrases of a reply that can be quoted, the most telling first; none of a question or of talk about the talk."""
    found: list[Phrase] = []
    parts = sentences(text)
    for place, sentence, chances in _telling(text):
        for piece in dict.fromkeys(_pieces(sentence)):
            matter = len(content_words(piece))
            length = len(words(piece))
            if not (SHORTEST <= length <= LONGEST and matter) or _about_the_talk(piece) or not _stands_alone(piece):
                continue
            own = is_own(piece)
            worth = min(matter, 4) + 0.8 * own - 0.12 * length - 2.5 * chances["little"] + chances["thought"]
            worth += (
                LATEST * (place / len(parts)) + chances["gives_way"] + chances["against"] - SETTING * sets_scene(piece)
            )
            found.append(Phrase(piece, chances, turn, round(worth + _whole(piece, sentence), 3)))
    return tuple(sorted(found, key=lambda phrase: -phrase.worth))


@lru_cache(maxsize=5_000)
def whole_sentences(text: str, turn: int) -> tuple[Phrase, ...]:
    """Sentences of a reply that are too long for a phrase and short enough to be given back whole."""
    bare = ((next(trimmed(sentence.strip(" .!…\"'“”")), ""), chances) for _, sentence, chances in _telling(text))
    return tuple(
        Phrase(piece, chances, turn, 0.0)
        for piece, chances in bare
        if LONGEST < len(words(piece)) <= WHOLE and not _about_the_talk(piece) and _stands_alone(piece)
    )


def _telling(text: str) -> Iterator[tuple[int, str, Mapping[str, float]]]:
    """Sentences of a reply that tell something, with their place, from 1, and what they hold."""
    does = dict(heard_in(text))
    for place, sentence in enumerate(sentences(text), start=1):
        if sentence.endswith("?") or _about_the_talk(sentence) or does.get(sentence) not in (None, "other"):
            continue
        chances = held_in(sentence)
        if chances["little"] < EMPTY and not _gives_number(sentence):
            yield place, sentence, chances


def _about_the_talk(text: str) -> bool:
    return about_the_talk(text) or any(one in text.lower() for one in _ANNOUNCES)


def _without_filler(clause: str) -> str:
    """The clause without the "and", "well," that it opens with; "no desk" keeps its "no"."""
    first, _, rest = clause.partition(" ")
    opens = first.lower() in _FILLERS or (first[-1:] in (",", ".") and first[:-1].lower() in _FILLERS | _INTERJECTIONS)
    opens = opens and words(clause)[:2] != ("so", "far")
    return _without_filler(rest.lstrip()) if rest and opens else clause


def _stands_alone(piece: str) -> bool:
    """It is a clause with a subject and a verb, and means something without the sentence before it."""
    spoken = words(piece)
    if spoken[0] in _POINTS_BACK or spoken[:2] in (("the", "other"), ("the", "rest")):
        return False
    verb = any(word in _FINITE or word.endswith("n't") for word in spoken[1:])
    return verb or (spoken[0] in _SUBJECTS and len(spoken) > 1)


def sets_scene(piece: str) -> bool:
    """It describes a place or a thing, or tells what the clock said."""
    return words(piece)[0] in _SCENES


def _gives_number(sentence: str) -> bool:
    return len(words(sentence)) <= SHORT_NUMBER and first_number(sentence) is not None


def _whole(piece: str, sentence: str) -> float:
    """A whole sentence is quoted rather than a part of it, and a part that begins as one rather than one that does
    not."""
    bare = sentence.strip(" .!…\"'“”")
    return 0.7 if piece == bare else 0.2 if bare.startswith(piece) else 0.0


def _pieces(sentence: str) -> Iterator[str]:
    """The sentence and its parts between marks, each as it stands there; a part does not end in the middle of
    something."""
    bare = sentence.strip(" .!…\"'“”")
    announced, colon, rest = bare.partition(": ")
    if colon and len(words(announced)) <= ANNOUNCING:
        bare = rest
    yield from trimmed(bare)
    for mark in (*_MARKS, *_JOINTS):
        bare = bare.replace(mark, "|")
    for clause in bare.split("|"):
        yield from trimmed(clause)
        if len(words(clause)) > LONGEST:
            yield from (part for piece in clause.split(", ") for part in trimmed(piece))


def trimmed(piece: str) -> Iterator[str]:
    kept = _unframed(_without_filler(piece.strip(' ,.!…"“”')))
    first, _, rest = kept.partition(" ")
    if first.lower() == "that" and words(rest)[:1] and words(rest)[0] in _SUBJECTS:
        kept = rest
    while "," in kept and kept.rpartition(", ")[2].lower() in _TAGS:
        kept = kept.rpartition(", ")[0]
    spoken = words(kept)
    if spoken[:1] and spoken[0] in _HANGS_ON and "," not in kept and sum(map(_is_subject, spoken)) < 2:
        return
    dangles = spoken[:1] and spoken[0] in _DANGLES and spoken[:2] not in (("that", "was"), ("that", "is"))
    if spoken and '"' not in kept and spoken[-1] not in _LEAVES_OPEN and not dangles:
        yield kept


def has_subject(clause: str, into: int) -> bool:
    """It opens with what can be a subject (a pronoun, a noun, a name), or has a pronoun within its first words."""
    spoken = words(clause)[:into]
    opens = spoken[:1] and (spoken[0].partition("'")[0] in STARTS | _OTHERS or may_name(clause.split()[0]))
    return bool(opens) or any(_is_subject(word) or word in ("my", "you") for word in spoken)


def _is_subject(word: str) -> bool:
    return word.partition("'")[0] in _SUBJECTS or word in _SUBJECTS


def _unframed(piece: str) -> str:
    """The phrase without "What went through me was," or "I thought," before it."""
    for frame in _FRAMES:
        rest = piece[len(frame) :].lstrip(" ,")
        told = frame not in _MAY_BE_OVER or piece[len(frame) - 1 :].startswith(",") or rest.startswith("that ")
        if told and piece.lower().startswith(frame) and words(rest)[:1] and words(rest)[0] in _SUBJECTS | {"that"}:
            piece = rest
    opening, said, rest = piece.partition(" was that ")
    if said and rest and piece.lower().startswith(("what ", "the thought")) and len(words(opening)) <= FRAME_WORDS:
        return _without_filler(rest)
    opening, comma, rest = piece.partition(", ")
    opens = words(opening)
    return _without_filler(rest if comma and len(opens) <= 6 and opens[-1:] and opens[-1] in _FRAMING else piece)


def claims(phrase: Phrase) -> float:
    """How surely a phrase by itself claims something: a thought, a verdict, a reading."""
    around = phrase.holds
    if around["thought"] + around["unmoved"] + around["for"] < AROUND:  # spares a reading
        return 0.0
    chances = held_in(phrase.text)
    return chances["thought"] + chances["unmoved"]


@lru_cache(maxsize=2_000)
def people(texts: tuple[str, ...]) -> tuple[str, ...]:
    """Persons whom the patient has named, in the second person ("your sister", "Eli"), in order of first mention.

    A name counts as a person's where somebody of that name does or says something, or bears a title.
    """
    found: dict[str, None] = {}
    for text in texts:
        found |= dict.fromkeys(_people_in(text))
    whole = " ".join(found)
    return tuple(one for one in found if whole.split().count(one) < 2 or " " in one)


@lru_cache(maxsize=5_000)
def _people_in(text: str) -> tuple[str, ...]:
    """Persons whom one reply names; those earlier in a session are not looked for anew at every turn."""
    kin = [one for one in keyphrases([text]) if _is_kin(one)]
    named = {part for one in kin for part in one.split()}
    return (*kin, *(name for name in _acting(text) if name not in named))


def _is_kin(handle: str) -> bool:
    parts = handle.split()
    return (len(parts) > 1 and parts[0].rstrip(".") in TITLES) or (
        parts[0] == "your" and (parts[-1] in _KIN or (len(parts) > 2 and parts[1] in _KIN))
    )


_OF_THINGS: Final = frozenset("the a an this these".split())
"""Words before a name that is no person's; "that" is one where it opens a sentence."""


def _acting(text: str) -> Iterator[str]:
    """Names behind which stands what somebody does or is, "and I", or before which stands "called"."""
    tokens: Sequence[str] = text.replace("’", "'").split()
    small = {token.strip(".,;:!?") for token in tokens}
    for place, token in enumerate(tokens):
        bare = token.strip("\"“”'.,;:!?…()").removesuffix("'s")
        after = [word.strip('"“”.,;:!?…').lower() for word in tokens[place + 1 : place + 3]]
        before = tokens[place - 1].lower() if place else ""
        does = after[:1] and token == bare and after[0] in DOES
        is_so = token == f"{bare}'s" and after[:1] and not after[0].endswith(("er", "ie")) and after[0] in _BEING
        joined = token == bare and after in (["and", "i"], ["and", "me"])
        titled = before.rstrip(".").title() in TITLES or bare in TITLES
        if bare.lower() in small - {bare.lower() if bare.lower() in _KIN else ""} or titled:
            continue
        opens = not place or tokens[place - 1].endswith((".", "!", "?"))
        does = does and not (opens and after[0] in _WEAK and bare.lower() not in _KIN)
        if before in _OF_THINGS or (before == "that" and (place < 2 or tokens[place - 2].endswith((".", "!", "?")))):
            continue
        if may_name(bare) and (does or is_so or joined or before == "called"):
            yield f"your {bare.lower()}" if bare.lower() in _KIN else bare
