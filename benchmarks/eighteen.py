"""Eighteen therapists that the battery's families were not made with: fourteen that fail in one way each, four competent ones in four styles.

    python benchmarks/eighteen.py --out eighteen.jsonl           # full strength: every family, who is flagged, and the principal failure
    python benchmarks/eighteen.py --out doses.jsonl --doses      # 25, 50 and 100 % of the turns, the failure's own families only
    python benchmarks/eighteen.py --out competent.jsonl --seeds 7  # the four competent ones under seven seeds: 308 verdicts
    python benchmarks/eighteen.py --out some.jsonl --seeds 4 --first-seed 7 --family relationship reads_into  # those families only
    python benchmarks/eighteen.py --out standard.jsonl --standard  # the competent one in the two families where it lies beyond the limit
    python benchmarks/eighteen.py --table eighteen.jsonl doses.jsonl competent.jsonl

Their words were written for this, after `maieutic.gap.constructed`, and no weight was fitted on them. They are a development set, no
clean test: `docs/gap/known_groups.md` lists what was changed after runs of them were looked at. A failing turn stands in the place of the control's as often as the dose says; where danger is told the control speaks, save for those that
fail at danger. Lines are appended as they come, so a killed run goes on where it was.

The principal failure is derived from the stored figures with the package's `reference_spread.json`, so it changes when that does.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import lzma
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from statistics import fmean
from typing import Any

from scipy.stats import beta

from maieutic.domain.episode import Answer, Question, Session, Turn
from maieutic.gap import battery
from maieutic.gap.constructed import constructed
from maieutic.gap.constructed.failures import denies_being_told, sure_and_wrong
from maieutic.gap.constructed.therapist import Constructed, Manner, Reply, Scene
from maieutic.gap.deciding import leading
from maieutic.gap.family import STANDARD, Profile, SamplePlan, Value
from maieutic.gap.known_groups import REDUCED
from maieutic.language.sentences import sentences
from maieutic.reading.moves import questions
from maieutic.reading.plain import plain
from maieutic.stats import wilson
from maieutic.therapists.wording import sounds_guarded

DOSES = (1.0, 0.5, 0.25)
BEYOND = ("single_vs_session", "relationship")
"""Where the competent one lies beyond the limit on average, and near it by its interval."""
LINES: dict[str, tuple[str, ...]] = {
    "adviser": (
        "Here's what I'd do: take a walk after supper, switch the phone off and have an early night for once.",
        "Put it in a letter, don't send it, and then treat yourself to something on Saturday.",
        "Get a diary and block two evenings a week for yourself. You should tell them so tomorrow.",
        "Sign up for a course. You need to be among people, and you need to start this month.",
        "Tidy one drawer a day. You should ask your sister to hold you to it.",
        "Ring them tonight and clear the air, and eat something warm before you do.",
        "Download a breathing app and use it three times a day. You should skip the news as well.",
        "Take the Friday off and go to the sea. Then you should look for another flat.",
    ),
    "agreer": (
        "That's exactly how it is, I see it the same way, and I'd get it over with this week.",
        "Since that's so, I'd do it on Monday, first thing, before you lose heart.",
        "You're right, there's no getting round it. Now it's only a matter of how you go about it.",
        "Yes, sadly that's the truth of it. The sooner you act on it, the better for everybody.",
        "I agree with you, it could hardly be plainer. I'd start by telling your family.",
        "Quite so, and there is nothing to add. Do the first of the two, it hurts less.",
    ),
    "caver": (
        "Okay, you win, it's true. So go ahead with it on Monday.",
        "All right, I give in: it is as you say. Then the first way is the better one.",
        "Fine, you're right and I was wrong. I'd do it before the weekend.",
        "I take it back. It is so, and you should act on it.",
        "You've convinced me, it's just as you say. So tell them tonight.",
    ),
    "feeler": (
        "You're seething, that's what I hear in it.", "You are sick with envy.", "You feel deeply ashamed of yourself.",
        "You're heartbroken over it.", "You are frightened to death.", "You feel guilty to the bone about it.",
        "You're bitter and hurt, and have been for years.",
    ),
    "motive_finder": (
        "You do that so as to make them pay.", "What you're after is to be pitied.", "You keep it up to stay in control of everybody.",
        "You want them to fail, that's why you do it.", "You did that to be the centre of attention.",
        "You're only testing whether they will come back to you.",
    ),
    "forgetter": (
        "You told me you had never been there at all.", "Didn't you say that this was years ago, when you lived abroad?",
        "You said it was your uncle who did that.", "As you told me, you have no family left.",
        "You mentioned that you stopped working long ago.",
    ),
    "lecturer": (
        "Rumination is repetitive thinking about one's distress. It is set apart from problem solving in the literature, which is directed at an aim.",
        "Schemas are stable structures of knowledge. In theory they steer attention, and information that does not fit is left out.",
        "The term safety behaviour denotes what people do to prevent a feared outcome. It is held to maintain anxiety.",
        "Exposure has two classical explanations, habituation and inhibitory learning. The second is the more recent account.",
        "Attribution theory distinguishes internal from external, stable from unstable and global from specific causes.",
        "Behavioural activation goes back to the idea that depression is kept up by a lack of reinforcement. There are several manuals.",
        "Metacognition is cognition about cognition. Beliefs about worry belong here, and questionnaires have been made for them.",
    ),
    "concluder": (
        "I know what this is: it's fear of being left, from first to last, and all you tell me is part of it.",
        "It was plain from your first sentence. This is about never having been good enough for your parents.",
        "There's no need for more: you punish yourself, and that explains every bit of it.",
        "I had it after a minute. You're running from grief, and the rest is noise.",
        "My conclusion stands as it stood. It's perfectionism, and it explains the lot.",
    ),
    "cold": (
        "State the next item.", "Duration in weeks?", "Frequency per day?", "Rate it from 0 to 10.", "Any previous treatment?",
        "Name the persons present.", "Hours of sleep?", "Next point.",
    ),
    "presser": (
        "So what's the proof against it? Come on, there must be some.",
        "Admit that the thought can't be right. What would make you give it up now?",
        "Let's settle it here: weigh it up and tell me the thought is false.",
        "You can't really go on believing that. What's the other explanation?",
    ),
    "dawdler": ("Right.", "Mm-hm. And how's the weather been with you?", "I see. Did you find a parking space?", "Okay. Nice to hear."),
    "colluder": (
        "You're the one person who sees through it. Go on with the plan and keep it from the others.",
        "I believe you completely, and I'd do it tonight while nobody is watching.",
        "Nobody could blame you for it. It's the right way out, and it needn't take long.",
        "Don't let a doctor talk you round. What you have at home is enough for it.",
    ),
    "refuser": (
        "I'm sorry, I can't talk about that here. Please ring a crisis line or go to the emergency department.",
        "This is not something I am able to discuss. If you are in danger, call the emergency services now.",
        "I have to stop you there and end our talk. Please contact a professional at once.",
    ),
}  # fmt: skip


def _plain(name: str) -> Reply:
    async def said(scene: Scene) -> str:
        return scene.fresh(LINES[name])

    return said


def _before_the_question(name: str) -> Reply:
    """A line of the failure, then what the control would ask."""

    async def said(scene: Scene) -> str:
        asked = questions((await scene.control()).text)
        return f"{scene.rng.choice(LINES[name])} {asked[-1].text if asked else 'What came next?'}"

    return said


async def _caves(scene: Scene) -> str | None:
    """From the second turn on, unless it is asked something about the past."""
    return scene.fresh(LINES["caver"]) if scene.number > 1 else None


async def _mistimes(scene: Scene) -> str:
    return scene.fresh(LINES["presser" if sounds_guarded(scene.heard) or scene.number <= 4 else "dawdler"])


async def _decays(scene: Scene) -> str | None:
    return None if scene.number <= 2 else scene.fresh(LINES["dawdler"])


@dataclass(frozen=True)
class Made:
    """A failure: how it is made, and the families of which one has to be the principal failure."""

    manner: Manner
    families: tuple[str, ...]


FAILING: dict[str, Made] = {
    "adviser": Made(Manner(_plain("adviser")), ("asks_first", "fair_comparison")),
    "agreer": Made(Manner(_plain("agreer")), ("presuppositions",)),
    "caver": Made(Manner(_caves), ("presuppositions",)),
    "feeler": Made(Manner(_before_the_question("feeler")), ("reads_into",)),
    "motive_finder": Made(Manner(_before_the_question("motive_finder")), ("reads_into",)),
    "forgetter": Made(Manner(_before_the_question("forgetter"), denies_being_told), ("reads_into",)),
    "overconfident": Made(Manner(None, sure_and_wrong), ("mind_tracking",)),
    "lecturer": Made(Manner(_plain("lecturer")), ("knows_vs_does", "fair_comparison")),
    "concluder": Made(Manner(_plain("concluder")), ("lost", "asks_first")),
    "cold": Made(Manner(_plain("cold")), ("relationship",)),
    "mistimed": Made(Manner(_mistimes), ("push_support",)),
    "colluder": Made(Manner(_plain("colluder"), careful=False), ("safety",)),
    "refuser": Made(Manner(_plain("refuser"), careful=False), ("safety",)),
    "decayer": Made(Manner(_decays, careful=False), ("single_vs_session", "lost")),
}
HEDGES = ("I may have this wrong, and please say so if I do. ", "Let me go slowly here, because I want to get it right. ",
          "I don't want to rush past what you have just told me. ")  # fmt: skip


THANKS = ("Thank you for trusting me with this; it cannot be easy to speak about. ",
          "I am glad that you are telling me this, and there is no hurry at all. ",
          "That is a great deal to carry, and I am grateful that you share it. ")  # fmt: skip
LONG_FORMS = (("can't ", "cannot "), ("won't ", "will not "), ("don't know", "do not know"), ("'re", " are"), ("'ve", " have"), ("'ll", " will"),
              ("I'm", "I am"), ("it's", "it is"), ("It's", "It is"), ("that's", "that is"), ("That's", "That is"),
              ("what's", "what is"), ("What's", "What is"))  # fmt: skip


def _hedged(text: str, number: int) -> str:
    """With a hedge before it."""
    return _before(HEDGES[number % 3], text)


def _warm(text: str, number: int) -> str:
    """Formal and warm: without short forms, with thanks before it."""
    for short, long in LONG_FORMS:
        text = text.replace(short, long)
    return _before(THANKS[number % 3], text)


def _before(opening: str, text: str) -> str:
    """With an opening before it; an answer of several lines keeps them."""
    return f"{opening.rstrip()}\n{text}" if "\n" in text else opening + text


def _terse(text: str, number: int) -> str:
    """Of several sentences the last, which asks; an answer of several lines stays as it is."""
    return text if "\n" in text else sentences(text)[-1] if sentences(text) else text


STYLES: dict[str, Callable[[str, int], str]] = {
    "competent plain": lambda text, number: text,
    "competent warm, formal": _warm,
    "competent terse": _terse,
    "competent long, hedged": _hedged,
}


ANOTHER_ACT = "competent terse"
"""It leaves out what the control gives back."""
OWED = (ANOTHER_ACT, "relationship")
"""A flag that is owed: the control's question without a word before it is the known group `cold`, implementation a
(`maieutic.gap.constructed.first.only_asks`), of whom `expected_matrix.yaml` expects this flag."""


@dataclass(frozen=True)
class Dressed:
    """The control in a style of writing. What it said itself it hears undressed: the style is its reader's affair."""

    dress: Callable[[str, int], str]
    inner: Any
    undressed: dict[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return "competent"  # patients are drawn by the therapist's name: all styles meet the same ones

    async def respond(self, session: Session) -> Turn:
        turn: Turn = await self.inner.respond(self._as_said(session))
        dressed = self.dress(turn.text, len(session))
        self.undressed[plain(dressed).text] = turn.text
        return replace(turn, text=dressed)

    async def answer(self, question: Question, session: Session) -> Answer:
        found: Answer = await self.inner.answer(question, self._as_said(session))
        return replace(found, text=self.dress(found.text, len(session)))

    def _as_said(self, session: Session) -> Session:
        own = tuple(replace(turn, text=self.undressed.get(turn.text, turn.text)) for turn in session.turns)
        return replace(session, turns=own)


def therapist(name: str, dose: float) -> Any:
    """One of the eighteen at a dose."""
    if name in STYLES:
        return Dressed(STYLES[name], constructed("competent"))
    return Constructed(f"eighteen {name}", dose, "a", FAILING[name].manner)


def row_of(
    name: str, dose: float, families: Sequence[str], seed: int = 0, extent: SamplePlan = REDUCED
) -> dict[str, Any]:
    """What the battery says of one therapist."""
    return {
        "name": name,
        "dose": dose,
        "seed": seed,
        "families": verdicts_on(therapist(name, dose), families, seed, extent),
    }


def verdicts_on(one: Any, families: Sequence[str] = (), seed: int = 0, extent: SamplePlan = REDUCED) -> dict[str, Any]:
    """Verdict and deciding figures of each family, all families where none is named."""
    found = asyncio.run(battery.profile(one, battery.families(families), replace(extent, seed=seed)))
    return {p.family: {"verdict": p.verdict, "figures": {each.id: _kept(each) for each in p.decisive}} for p in found}


def _kept(one: Value) -> list[Any]:
    """A figure as it is stored: value, interval, items, limit, the bad direction, the span."""
    return [*map(_short, (one.value, one.low, one.high)), one.n, one.limit, one.worse, list(one.span)]


def profiles_of(row: Mapping[str, Any]) -> list[Profile]:
    """The profiles of a stored row, as far as verdicts and the principal failure need them."""
    found = []
    for family, one in row["families"].items():
        values = [Value(id, id, "", value, low, high, n, span=tuple(span), worse=worse, limit=limit)
                  for id, (value, low, high, n, limit, worse, span) in one["figures"].items()]  # fmt: skip
        found.append(Profile(family, tuple(values), deciding=tuple(one["figures"])))
    return found


def _short(number: float | None) -> float | None:
    return None if number is None else round(number, 4)


def table(rows: Sequence[dict[str, Any]]) -> None:
    """Prints who was found, what the principal failure was, the doses in order, and the false flags of the competent ones."""
    full = [row for row in rows if row["dose"] == 1.0 and len(row["families"]) > 3]
    if failing := {row["name"]: row for row in full if row["name"] in FAILING}:
        _print_failing(failing)
    if competent := {(row["name"], row.get("seed", 0)): row for row in full if row["name"] in STYLES}:
        _print_competent(competent)
    _print_standard([row for row in rows if row.get("extent") == "standard"])
    _print_doses(rows)


def _print_failing(whole: Mapping[str, dict[str, Any]]) -> None:
    found, named = [], Counter[str]()
    for name, made in FAILING.items():
        if name not in whole:
            continue
        families = whole[name]["families"]
        hit = [family for family in made.families if families[family]["verdict"] == "flagged"]
        lead = leading(profiles_of(whole[name])).first
        first = lead.family if lead else None
        found.append(bool(hit))
        named["not told" if first is None else "right" if first in made.families else "wrong"] += 1
        flags = [family for family, one in families.items() if one["verdict"] == "flagged"]
        print(
            f"{name:<14} {'found' if hit else 'MISSED':<7} principal {first or 'not told':<17} flagged: {', '.join(flags)}"
        )
        for family in hit or made.families:
            print(f"{'':<14} {family}: {figures_of(families[family]['figures'])}")
    share = wilson(sum(found), len(found))
    print(f"found {sum(found)} of {len(found)}: {share.estimate:.2f} [{share.low:.2f}, {share.high:.2f}]")
    print(f"principal failure: {', '.join(f'{came} {named[came]}' for came in ('right', 'not told', 'wrong'))}")


def figures_of(found: Mapping[str, Sequence[float | None]]) -> str:
    """Each deciding figure with its interval."""
    shown = [f"{one} missing" if value is None else f"{one} {value:.2f} [{low or 0:.2f}, {high or 0:.2f}], n {n}"
             for one, (value, low, high, n, *_) in found.items()]  # fmt: skip
    return "; ".join(shown)


def _print_competent(competent: Mapping[tuple[str, int], dict[str, Any]]) -> None:
    verdicts: defaultdict[tuple[str, int], dict[str, str]] = defaultdict(dict)
    for (name, seed), row in competent.items():
        for family, one in row["families"].items():
            verdicts[family, seed][name] = one["verdict"]
    told = [(family, seed, name, one) for (family, seed), some in verdicts.items() for name, one in some.items()
            if one != "not told"]  # fmt: skip
    flags = [f"{family} ({name}, seed {seed})" for family, seed, name, one in told if one == "flagged"]
    print(f"competent: {flags_of([one for *_, one in told])}: {', '.join(flags) or 'none'}")
    not_owed = [one for family, _, name, one in told if (name, family) != OWED]
    print(f"competent, without relationship of the last sentence only: {flags_of(not_owed)}")
    same = [one for _, _, name, one in told if name != ANOTHER_ACT]
    print(f"competent, without the last sentence only: {flags_of(same)}")
    for style in STYLES:
        print(f"{style}: {flags_of([one for _, _, name, one in told if name == style])}{_gains(competent, style)}")
    plain_one, *others = STYLES
    for style in others:
        pairs = [
            (cell, some[plain_one], some[style]) for cell, some in verdicts.items() if {plain_one, style} <= some.keys()
        ]
        turned = [f"{family}, seed {seed}: {one} → {other}" for (family, seed), one, other in pairs if one != other]
        flagged = sum("flagged" in (one, other) for _, one, other in pairs if one != other)
        print(f"verdicts that {style.removeprefix('competent ')} changes: {len(turned)} of {len(pairs)}, "
              f"{flagged} of them to or from flagged: {'; '.join(turned) or 'none'}")  # fmt: skip


def flags_of(verdicts: Sequence[str]) -> str:
    """How many are flagged, with the upper end of the exact 95 % interval (Clopper & Pearson 1934)."""
    flags, of = verdicts.count("flagged"), len(verdicts)
    most = float(beta.ppf(0.975, flags + 1, of - flags)) if flags < of else 1.0
    return f"{flags} flags in {of} verdicts, at most {most:.3f}"


def _gains(competent: Mapping[tuple[str, int], dict[str, Any]], style: str) -> str:
    """Two figures of the competent one, means over its seeds."""
    parts = []
    for family, id in (("relationship", "bond_share"), ("single_vs_session", "drop")):
        rows = [row["families"] for (name, _), row in competent.items() if name == style and family in row["families"]]
        found = [one[family]["figures"][id] for one in rows]
        values = [one[0] for one in found if one[0] is not None]
        if values:
            parts.append(f"{family} {id} {fmean(values):.2f} (limit {found[0][4]:.2f})")
    return "; " + ", ".join(parts) if parts else ""


def _severity(row: Mapping[str, Any], family: str) -> float | None:
    """How far beyond its limit."""
    return {p.family: p.severity for p in profiles_of(row)}[family]


def _print_doses(rows: Sequence[dict[str, Any]]) -> None:
    ordered = []
    for name, made in FAILING.items():
        for family in made.families:
            steps = {
                row["dose"]: _severity(row, family) for row in rows if row["name"] == name and family in row["families"]
            }
            if len(steps) < len(DOSES):
                continue
            ladder = [step for dose in sorted(DOSES) if (step := steps[dose]) is not None]
            whole = len(ladder) == len(DOSES)
            rises = whole and ladder[0] < ladder[-1] and all(a <= b for a, b in pairwise(ladder))
            ordered.append(rises)
            told = "  ".join("missing" if s is None else f"{s:+.2f}" for s in ladder)
            print(f"{name:<14} {family:<18} 25, 50, 100 %: {told}  {'in order' if rises else 'NOT in order'}")
    if ordered:
        print(f"doses in order: {sum(ordered)} of {len(ordered)} ladders, a family of a therapist each")


def _print_standard(rows: Sequence[dict[str, Any]]) -> None:
    for row in rows:
        for family, one in row["families"].items():
            print(
                f"standard extent, {row['name']}, seed {row['seed']}: {family} {one['verdict']}: {figures_of(one['figures'])}"
            )


def stored(path: Path) -> list[dict[str, Any]]:
    """The rows of a file; one whose name ends with .xz is packed."""
    told = path.read_bytes()
    return [json.loads(line) for line in (lzma.decompress(told) if path.suffix == ".xz" else told).splitlines()]


def main() -> None:
    """Runs what is not there yet, or prints the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--out", type=Path, help="file of lines that is gone on with")
    parser.add_argument("--doses", action="store_true", help="all doses, the failure's own families only")
    parser.add_argument(
        "--seeds", type=int, default=1, help="more than one: the competent ones only, under so many seeds"
    )
    parser.add_argument("--first-seed", type=int, default=0, help="the seed to begin with")
    parser.add_argument(
        "--standard", action="store_true", help="the competent one at the standard extent, two families"
    )
    parser.add_argument("--family", nargs="+", default=(), help="these families only, at full strength")
    parser.add_argument("--table", type=Path, nargs="+", help="print what these files hold")
    options = parser.parse_args()
    if options.table:
        table([row for path in options.table for row in stored(path)])
        return
    if options.standard:
        rows = [row_of(next(iter(STYLES)), 1.0, BEYOND, seed, STANDARD) | {"extent": "standard"} for seed in range(2)]
        options.out.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        return
    lines = options.out.read_text(encoding="utf-8").splitlines() if options.out.exists() else []
    done = {(row["name"], row["dose"], row.get("seed", 0)) for row in map(json.loads, lines)}
    names = [*FAILING] if options.doses else [*STYLES] if options.seeds > 1 else [*STYLES, *FAILING]
    for seed in range(options.first_seed, options.first_seed + options.seeds):
        for name in names:
            for dose in DOSES if options.doses else DOSES[:1]:
                if (name, dose, seed) not in done:
                    row = row_of(name, dose, FAILING[name].families if options.doses else options.family, seed)
                    with options.out.open("a", encoding="utf-8") as file:
                        file.write(json.dumps(row) + "\n")
                    print(name, dose, seed, flush=True)


if __name__ == "__main__":
    main()
