"""`maieutic chat`: talk as therapist to a simulated patient, or as patient to a therapist, in the terminal."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Annotated, Any

import typer

from maieutic.cli.screen import messages, screen

if TYPE_CHECKING:
    from collections.abc import Mapping

    from maieutic.dialogue import Event, Observer
    from maieutic.domain.appraisal import Appraisal
    from maieutic.domain.case import Case
    from maieutic.domain.codes import TurnCode
    from maieutic.domain.episode import Ending, Episode, Session, Turn
    from maieutic.domain.state import CognitiveState
    from maieutic.protocols import Therapist

_QUIT = frozenset({":q", ":quit", "/quit", "quit", "exit"})


class Side(StrEnum):
    """Which part the person at the keyboard plays."""

    THERAPIST = "therapist"
    PATIENT = "patient"


def chat(
    case: Annotated[
        str, typer.Argument(help="The case to talk to (as therapist), ID or ID@STYLE; see `maieutic patients list`.")
    ] = "nurse-in-charge",
    play: Annotated[Side, typer.Option("--as", help="Your part.")] = Side.THERAPIST,
    therapist: Annotated[
        str, typer.Option(help="Who answers you when you play the patient: NAME[:MODEL].")
    ] = "socratic",
    patient: Annotated[str, typer.Option(help="simulated, simulated+llm:MODEL or voiced:MODEL.")] = "simulated",
    turns: Annotated[int, typer.Option(help="Therapist turns at most.")] = 20,
    seed: Annotated[
        int, typer.Option(help="Which patient of this case: another seed, another mind and situation.")
    ] = 0,
    explain: Annotated[bool, typer.Option("--explain", help="Show the mind behind each turn.")] = False,
    session: Annotated[Path | None, typer.Option(help="Play one turn a call; the session lies in this file.")] = None,
    say: Annotated[str | None, typer.Option(help="With --session: the therapist's next turn.")] = None,
    reveal: Annotated[
        bool, typer.Option("--reveal", help="With --session: show the mind behind each turn; it ends the session.")
    ] = False,
) -> None:
    """Talk in the terminal. An empty line or :q ends it. Nothing is saved, but with --session.

    Whatever you type is checked for risk before a model or a simulated patient sees it.

    \b
    Examples:
      maieutic chat nurse-in-charge --explain
      maieutic chat gethin@reserved
      maieutic chat --as patient --therapist socratic
      maieutic chat gethin --session talk.json --say "What happened that morning?"
      maieutic chat gethin --session talk.json --reveal
    """
    import asyncio

    from maieutic.errors import InputError
    from maieutic.safety.handover import DISCLAIMER

    if turns < 1:
        raise InputError(f"--turns must be at least 1, got {turns}")
    if session is None and (say is not None or reveal):
        raise InputError("--say and --reveal need --session FILE, where the session is kept")
    if session is not None:
        if play is not Side.THERAPIST:
            raise InputError("--session plays the therapist's part; leave out --as patient")
        from maieutic.cli.one_turn import Asked, one_turn

        asyncio.run(one_turn(session, Asked(case, seed, patient, turns, say, reveal)))
        return
    screen().print(f"[dim]{DISCLAIMER}[/dim]")
    talk = (
        _as_therapist(case, patient, turns, seed, explain)
        if play is Side.THERAPIST
        else _as_patient(therapist, turns, seed, explain)
    )
    asyncio.run(talk)


async def _as_therapist(name: str, patient: str, turns: int, seed: int, explain: bool) -> None:
    from maieutic.library import get_case

    case = get_case(name)
    screen().print(f"[dim]You are the therapist. {case.person.name}, {case.person.age}, has sat down.[/dim]\n")
    show = _Show("patient", case.person.name, explain)
    episode = await sitting(_Keyboard(), case, patient, turns=turns, seed=seed, observer=show)
    _say_goodbye(episode.ending.kind, episode.ending.reason)
    if episode.states:
        first, last = episode.states[0], episode.states[-1]
        screen().print(
            f"[dim]Held conviction {first.held:.0f} → {last.held:.0f}, openness {first.openness:.2f} → {last.openness:.2f}.[/dim]"
        )


async def sitting(
    therapist: Therapist, case: Case, patient: str, *, turns: int, seed: int, observer: Observer | None = None
) -> Episode:
    """One session with a patient of a case; the seed chooses mind and situation, whoever asks."""
    from maieutic.coding.rules import RuleCoder
    from maieutic.dialogue import Conversation, Streams, converse
    from maieutic.domain.episode import EpisodeKey
    from maieutic.evaluation.evaluate import make_patients

    make, model = make_patients(patient)
    situation = Random(seed).choice([s.id for s in case.situations])
    talk = Conversation(
        therapist=therapist,
        patient=make(case, situation),
        coder=RuleCoder(),
        max_turns=turns,
        streams=Streams(seed, EpisodeKey("keyboard", case.id, seed)),
        observer=observer,
    )
    try:
        return await converse(talk)
    finally:
        if model is not None:
            await model.close()


async def _as_patient(spec: str, turns: int, seed: int, explain: bool) -> None:
    from maieutic.dialogue import Conversation, Streams, converse
    from maieutic.domain.episode import EpisodeKey
    from maieutic.errors import InputError
    from maieutic.registry import load_therapist
    from maieutic.therapists.socratic import SocraticTherapist

    therapist = load_therapist(spec)
    if getattr(therapist, "needs", ()) or getattr(therapist, "absent", False):
        raise InputError(
            f"therapist {spec!r} cannot talk to a person: it needs a simulated patient's mind. Try socratic or eliza"
        )
    if explain and isinstance(therapist, SocraticTherapist):
        therapist = replace(therapist, explains=True)
    screen().print("[dim]You play a patient. Begin with what you bring today.[/dim]\n")
    talk = Conversation(
        therapist=therapist,
        patient=_KeyboardPatient(),
        coder=None,
        max_turns=turns,
        streams=Streams(seed, EpisodeKey(spec, "keyboard", seed)),
        observer=_Show("therapist", "Therapist", explain),
    )
    try:
        episode = await converse(talk)
    finally:
        model = getattr(therapist, "model", None)
        if model is not None:
            await model.close()
    _say_goodbye(episode.ending.kind, episode.ending.reason)


def discloses(text: str, side: Side) -> bool:
    """What a person says of themselves must meet the hand-over."""
    from maieutic.safety.risk import assess

    found = assess(text)
    # A therapist asks about risk; only a disclosure in the first person, which the rules read, is theirs.
    return found.flagged and (side is Side.PATIENT or (found.by == "rules" and found.grade != "hint"))


def _typed(side: Side) -> Ending | str:
    """What the person typed, or why it ends; risk meets the hand-over before anybody else sees the turn."""
    from maieutic.domain.episode import Ending
    from maieutic.safety.handover import HANDOVER

    try:
        text = screen().input("[bold]You:[/bold] ").strip()
    except EOFError:
        text = ""
    if not text or text.lower() in _QUIT:
        return Ending("completed", "you ended the session")
    if discloses(text, side):
        screen().print(f"\n{HANDOVER}\n", markup=False)
        return Ending("handed_over")
    return text


@dataclass(frozen=True, slots=True)
class _Keyboard:
    """A person as therapist."""

    name: str = "keyboard"

    async def respond(self, session: Session) -> Turn:
        from maieutic.domain.episode import Turn

        said = _typed(Side.THERAPIST)
        return Turn("therapist", said) if isinstance(said, str) else Turn("therapist", "", said)


@dataclass(frozen=True, slots=True)
class _KeyboardPatient:
    """A person as patient."""

    name: str = "keyboard"

    def begin(self, rng: Random, carried: CognitiveState | None = None) -> CognitiveState | None:
        return None

    def comprehend(self, session: Session) -> Appraisal:
        raise TypeError("a person's reading of a turn is not modelled")

    def transition(
        self, state: CognitiveState, code: TurnCode | None, appraisal: Appraisal, rng: Random
    ) -> CognitiveState:
        raise TypeError("a person's mind is not modelled")

    async def speak(self, session: Session, state: CognitiveState | None, rng: Random) -> Turn:
        from maieutic.domain.episode import Turn

        said = _typed(Side.PATIENT)
        return Turn("patient", said) if isinstance(said, str) else Turn("patient", "", said)


@dataclass(frozen=True, slots=True)
class _Show:
    """Prints the other side's words and, with --explain, what is behind them."""

    side: str
    name: str
    explain: bool

    def __call__(self, event: Event) -> None:
        from rich.markup import escape

        from maieutic.reading.plain import plain

        turn = event.turn
        if turn.speaker != self.side or not turn.text:
            return
        if self.explain:
            for line in explain_event(event):
                screen().print(f"[dim]    {escape(line)}[/dim]")
        if turn.original is not None:
            kinds = ", ".join(plain(turn.original).cleaned)
            screen().print(f"[dim]    made plain: {kinds}[/dim]", highlight=False)
        screen().print(f"[bold cyan]{escape(self.name)}:[/bold cyan] {escape(turn.text)}\n")


def explain_event(event: Event) -> list[str]:
    """What is behind an utterance: code, appraisal and state of a patient, or the trace of a therapist."""
    lines: list[str] = []
    if event.code is not None:
        lines.append("your turn: " + ", ".join(event.code.moves))
    taken = event.appraisal
    if taken is not None:
        parts = [f"asks {', '.join(taken.asks)}"] if taken.asks else []
        parts += [f"form {taken.form}"] if taken.form else []
        parts += [f"about {taken.unit} ({taken.sure:.2f})"] if taken.unit else []
        parts += [f"reaches {r.evidence} ({r.strength:.2f})" for r in taken.reaches]
        parts += ["unclear"] * taken.unclear
        parts += ["wide"] * taken.wide + ["leading"] * taken.leading + ["stacked"] * taken.stacked
        parts += [
            f"{'guesses' if c.tentative else 'asserts'} {c.group} ({'true' if c.true else 'not so'})"
            for c in taken.claims
        ]
        parts += [] if taken.understood else ["not understood"]
        lines.append("taken as: " + ("; ".join(parts) or "nothing in particular") + f"; fit {taken.fit:.2f}")
    state = event.state
    if state is not None:
        lines.append(
            f"held {state.held:.0f}  stated {state.stated:.0f}  openness {state.openness:.2f}  reactance {state.reactance:.2f}"
            f"  alliance {state.alliance:.2f}  distress {state.distress:.0f}"
        )
        matter = state.intent.unit or state.intent.evidence
        lines.append(f"says: {state.intent.act}{f' {matter}' if matter else ''}")
    if event.turn.trace:
        lines += explain_trace(event.turn.trace)
    return lines


def explain_trace(trace: Mapping[str, Any]) -> list[str]:
    """A therapist's trace in lines: what was held likely, what was weighed, what was refused; any other trace as it is."""
    if "considered" not in trace:
        return ["trace: " + "; ".join(f"{key}: {value}" for key, value in trace.items())]
    lines = [f"plan: {trace['step']} after {trace['lead']} ({trace['stage']}); {trace['reason']}"]
    if trace["considered"]:
        weighed = ", ".join(f"{step}/{lead} {value:+.1f}" for step, lead, value in trace["considered"][:4])
        lines.append(f"weighed, points expected: {weighed}")
    lines += [f"noticed: {note}" for note in trace["noticed"]]
    lines += [f"refused ({rule}): {reason}" for rule, reason in trace["refused"]]
    held = trace["belief"]
    lines.append(
        f"believed: {held['belief'][0]} ({held['belief'][1]:.2f}), {held['emotion'][0]} ({held['emotion'][1]:.2f}), conviction "
        f"{held['conviction']:.0f}, openness {held['openness']:.2f}, reactance {held['reactance']:.2f}, facts told "
        f"{held['facts told']:.1f}, of them waiting {held['facts waiting']:.1f}, may be accurate {held['may be accurate']:.2f}"
    )
    return [*lines, *(f"moved: {line}" for line in trace.get("moved", ()))]


def _say_goodbye(kind: str, reason: str | None) -> None:
    if kind == "failed":
        messages().print(f"The session failed: {reason}", markup=False, highlight=False)
        raise typer.Exit(3)
    screen().print(
        f"[dim]Session over ({kind.replace('_', ' ')}{f': {reason}' if reason and kind != 'turn_limit' else ''}).[/dim]"
    )
