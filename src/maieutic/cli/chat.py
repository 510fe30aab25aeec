"""`maieutic chat`: talk as therapist to a simulated patient, or as patient to a therapist, in the terminal; and what is
behind an utterance, in words (`--explain`): how a turn was heard, how the patient's mind stands, what a therapist
weighed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from maieutic.cli.keyboard import (
    HELP,
    PAUSED,
    KeyboardPatient,
    KeyboardTherapist,
    Side,
    Typist,
    Undo,
    begun,
    discloses,
    free_file,
    read_session,
    sitting,
    tell_feedback,
    write_session,
)
from maieutic.cli.screen import say, screen, tell
from maieutic.errors import InputError, Interrupted, ModelError, refuse_below

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from maieutic.dialogue import Event
    from maieutic.domain.appraisal import Appraisal
    from maieutic.domain.case import Case
    from maieutic.domain.episode import Episode
    from maieutic.domain.state import CognitiveState


LEGEND = (
    "Behind each answer stands how your turn was heard, then the patient's mind: held and stated conviction and "
    "distress, 0 to 100; openness, reactance (pushing back) and alliance (trust in you), 0 to 1. A figure in brackets "
    "says how sure the patient's hearing was, 0 to 1."
)
_SAYS = {
    "open": "begins",
    "detail": "tells more of what happened",
    "background": "tells of their life",
    "thought": "tells the thought",
    "feeling": "tells a feeling",
    "conviction": "says how firmly the thought is believed",
    "goal": "says what they want",
    "evidence": "comes upon something that bears on the thought",
    "answer": "answers the question",
    "again": "tells again what was told before",
    "meant": "says again what was meant",
    "beside": "notices that the question was not answered",
    "take_away": "says what they take away",
    "taken_up": "takes up something told before",
    "ask_back": "asks what was meant",
    "confirm": "confirms what was asked or given back",
    "correct": "corrects what was given back",
    "no_more": "has no more to tell of this",
    "concede": "gives way a little",
    "unmoved": "weighs it and is not moved",
    "insight": "draws a conclusion",
    "plan": "plans a step",
    "deflect": "turns away",
    "resist": "resists",
    "warmed": "warms to you",
    "agree": "agrees out of politeness",
    "not_knowing": "does not know",
    "tangent": "goes off to something else",
    "risk_hint": "hints at danger",
    "risk_disclosure": "tells of danger",
    "risk_denial": "denies danger",
    "risk_answer": "answers about danger",
    "reassurance_bid": "asks to be reassured",
    "gap": "lacks a piece of information",
    "informed": "takes in what you explained",
    "result": "tells how the experiment went",
    "not_understood": "did not understand",
    "leave": "ends the session",
}


def named(case: Case | None) -> Mapping[str, str]:
    """Names of a case's facts and pieces of memory in words."""
    if case is None:
        return {}
    units = {one.id: one.item for one in case.memory.units} if case.memory else {}
    return units | {fact.id: fact.fact for situation in case.situations for fact in situation.evidence}


def explain_event(event: Event, case: Case | None = None) -> list[str]:
    """How the turn before it was heard, and the state of a patient; or what a therapist weighed."""
    lines: list[str] = []
    names = named(case)
    if event.code is not None:
        lines.append("your turn was read as: " + ", ".join(_words(move) for move in event.code.moves))
    if event.appraisal is not None:
        lines.append("the patient heard: " + ("; ".join(_heard(event.appraisal, names)) or "nothing in particular"))
    if event.state is not None:
        lines += _mind(event.state, names)
    if event.turn.trace and event.turn.speaker == "therapist":
        lines += explain_trace(event.turn.trace)
    return lines


def _heard(taken: Appraisal, names: Mapping[str, str]) -> list[str]:
    parts = [f"a question about the {', the '.join(_words(slot) for slot in taken.asks)}"] if taken.asks else []
    parts += [f"the kind of question: {_words(taken.form)}"] if taken.form else []
    parts += [f"about {names.get(taken.unit, _words(taken.unit))} ({taken.sure:.2f})"] if taken.unit else []
    parts += [f"it reaches “{names.get(r.evidence, r.evidence)}” ({r.strength:.2f})" for r in taken.reaches]
    parts += ["it was not clear what about"] * taken.unclear + ["a wide question"] * taken.wide
    parts += ["a leading question"] * taken.leading + ["several questions at once"] * taken.stacked
    parts += [
        f"you {'guessed' if claim.tentative else 'said'} that they feel {claim.group} "
        f"({'they do' if claim.true else 'they do not'})"
        for claim in taken.claims
    ]
    parts += [] if taken.understood else ["not understood"]
    return parts + ([f"it fits what was said or felt ({taken.fit:.2f})"] if taken.fit > 0 else [])


def _mind(state: CognitiveState, names: Mapping[str, str]) -> list[str]:
    matter = state.intent.unit or state.intent.evidence
    act = _SAYS.get(state.intent.act.value, _words(state.intent.act.value))
    return [
        f"the patient's mind: held {state.held:.0f}  stated {state.stated:.0f}  openness {state.openness:.2f}  "
        f"reactance {state.reactance:.2f}  alliance {state.alliance:.2f}  distress {state.distress:.0f}",
        f"the patient {act}" + (f": {names.get(matter, _words(matter))}" if matter else ""),
    ]


def explain_trace(trace: Mapping[str, Any]) -> list[str]:
    """A therapist's trace in lines: what was held likely, what was weighed, what was refused; any other trace as it
    is."""
    if "considered" not in trace:
        return ["the therapist's note: " + "; ".join(f"{key}: {value}" for key, value in trace.items())]
    lines = [f"plan: {trace['step']} after {trace['lead']} ({trace['stage']}); {trace['reason']}"]
    if trace["considered"]:
        weighed = ", ".join(f"{step}/{lead} {value:+.1f}" for step, lead, value in trace["considered"][:4])
        lines.append(f"weighed, points expected: {weighed}")
    lines += [f"noticed: {note}" for note in trace["noticed"]]
    lines += [f"{part}: {_spoken(words)}" for part, words in trace.get("formulation", {}).items() if words]
    lines += [f"refused ({rule}): {reason}" for rule, reason in trace["refused"]]
    held = trace["belief"]
    lines.append(
        f"believed: {held['belief'][0]} ({held['belief'][1]:.2f}), {held['emotion'][0]} ({held['emotion'][1]:.2f}), "
        f"conviction {held['conviction']:.0f}, openness {held['openness']:.2f}, reactance {held['reactance']:.2f}, "
        f"facts told {held['facts told']:.1f}, of them waiting {held['facts waiting']:.1f}, may be accurate "
        f"{held['may be accurate']:.2f}"
    )
    return [*lines, *(f"moved: {line}" for line in trace.get("moved", ()))]


def _spoken(found: object) -> str:
    """A part of the formulation: one phrase, or several in order."""
    return "; ".join(map(str, found)) if isinstance(found, list) else str(found)


def _words(name: str) -> str:
    return str(name).replace("_", " ").replace("-", " ")


ANSWERS = "socratic"


def chat(
    case: Annotated[
        str, typer.Argument(help="The case to talk to (as therapist), ID or ID@STYLE; see `maieutic patients list`.")
    ] = "nurse-in-charge",
    play: Annotated[Side, typer.Option("--as", help="Your part.")] = Side.THERAPIST,
    therapist: Annotated[str, typer.Option(help="Who answers you when you play the patient: NAME[:MODEL].")] = ANSWERS,
    patient: Annotated[
        str,
        typer.Option(
            help="simulated, simulated+llm:MODEL (heard and worded by a model) or voiced:MODEL (worded only). "
            "simulated+llm-or-embedded:MODEL goes on without the model where it fails. second_world is another "
            "simulator of the same people, FILE.py:NAME one of your own."
        ),
    ] = "simulated",
    turns: Annotated[int, typer.Option(help="Therapist turns at most.")] = 20,
    seed: Annotated[
        int, typer.Option(help="Which patient of this case: another seed, another mind and situation.")
    ] = 0,
    risk_policy: Annotated[
        str | None,
        typer.Option(help="With --as patient: routine (you are asked about suicide once; the default) or indicated."),
    ] = None,
    explain: Annotated[bool, typer.Option("--explain", help="Show the mind behind each turn.")] = False,
    session: Annotated[Path | None, typer.Option(help="Play one turn a call; the session lies in this file.")] = None,
    said: Annotated[str | None, typer.Option("--say", help="With --session: the therapist's next turn.")] = None,
    reveal: Annotated[
        bool, typer.Option("--reveal", help="With --session: show the mind behind each turn; it ends the session.")
    ] = False,
    resume: Annotated[
        Path | None, typer.Option(help="Go on with the session kept in this file; no other option is needed.")
    ] = None,
    no_keep: Annotated[bool, typer.Option("--no-keep", help="Keep nothing of what is said.")] = False,
) -> None:
    """Talk in the terminal. The session is kept in runs/chat after every turn (--no-keep: it is not).

    Type :undo to take your last turn back, :pause to leave and go on later, :q to end. As therapist you are then told
    what each turn did and reached. Whatever you type is checked for risk before a model or a simulated patient sees it.

    \b
    Examples:
      maieutic chat nurse-in-charge --explain
      maieutic chat gethin@reserved
      maieutic chat --resume runs/chat/gethin-1.json
      maieutic chat --as patient --therapist socratic
      maieutic chat --as patient --risk-policy indicated
      maieutic chat gethin --session talk.json --say "What happened that morning?"
      maieutic chat gethin --session talk.json --reveal
      maieutic chat gethin --patient simulated+llm:http://localhost:8000/v1#my-model
    """
    import asyncio

    from maieutic.safety.handover import DISCLAIMER

    refuse_below(1, turns=turns)
    whose: dict[str, Any] = {"case": case, "seed": seed, "patient": patient, "turns": turns}
    if session is None and (said is not None or reveal):
        raise InputError("--say and --reveal need --session FILE, where the session is kept")
    if session is not None:
        if play is not Side.THERAPIST:
            raise InputError("--session plays the therapist's part; leave out --as patient")
        asyncio.run(one_turn(session, whose, said, reveal=reveal))
        return
    if resume is not None:
        held = read_session(resume)
        file: Path | None = resume
        if held["ended"]:
            raise InputError(f"the session in {resume} is over: {held['ended']}. Begin another without --resume")
        play = Side(held.get("as", Side.THERAPIST.value))
        explain = explain or held.get("explain", False)
    elif play is Side.THERAPIST and (therapist != ANSWERS or risk_policy is not None):
        raise InputError("--therapist and --risk-policy are for the one who answers you as patient: add --as patient")
    else:
        part = {"as": play.value, "therapist": therapist, "risk_policy": risk_policy}
        held = begun(whose | part) | {"explain": explain}
        file = None if no_keep else free_file(Path(case).stem if play is Side.THERAPIST else "as-patient")
    screen().print(f"[dim]{DISCLAIMER}[/dim]")
    typist = Typist(play, held, file)
    try:
        asyncio.run(_to_its_end(typist, _as_therapist if play is Side.THERAPIST else _as_patient, explain))
    except KeyboardInterrupt:
        raise Interrupted(f"stopped. {_kept(typist)}") from None


async def _to_its_end(typist: Typist, part: Callable[[Typist, bool], Awaitable[Episode]], explain: bool) -> None:
    """Plays what is kept and goes on from there; a turn that is taken back is played up to."""
    screen().print(f"[dim]{HELP}.[/dim]", highlight=False)
    while True:
        try:
            episode = await part(typist, explain)
            break
        except Undo:
            taken = typist.held["said"].pop()
            say(f"Taken back: {taken}\n", style="dim")
    ending = episode.ending
    if ending.kind == "failed":
        tell(f"The session failed: {ending.reason}. {_kept(typist)}")
        raise typer.Exit(3)
    if ending.reason == PAUSED:
        if typist.held["said"]:
            typist.keep(episode.session)
        screen().print(_kept(typist), style="dim", highlight=False, soft_wrap=True)
        return
    if typist.held["said"]:
        typist.held["ended"] = ending.reason or ending.kind.replace("_", " ")
        typist.keep(episode.session)
    why = f": {ending.reason}" if ending.reason and ending.kind != "turn_limit" else ""
    screen().print(f"[dim]Session over ({ending.kind.replace('_', ' ')}{why}).[/dim]")
    if typist.side is Side.THERAPIST and ending.kind != "handed_over":
        tell_feedback(episode, typist.held)
    if typist.file is not None and typist.held["said"]:
        say(f"Transcript: {typist.file}", whole=True, style="dim")


def _kept(typist: Typist) -> str:
    """What is kept of a session, and how to go on."""
    number = len(typist.held["said"])
    if typist.file is None or not number:
        return "Nothing was kept."
    return f"{number} turn{'s' if number > 1 else ''} of yours kept. Go on with: maieutic chat --resume {typist.file}"


async def _as_therapist(typist: Typist, explain: bool) -> Episode:
    from maieutic.library import get_case

    held = typist.held
    case = get_case(held["case"])
    screen().print(f"[dim]You are the therapist. {case.person.name}, {case.person.age}, has sat down.[/dim]\n")
    if explain:
        screen().print(f"[dim]{LEGEND}[/dim]\n", highlight=False)
    show = _Show("patient", case.person.name, explain, len(held["said"]), case)
    therapist = KeyboardTherapist(typist)
    return await sitting(therapist, case, held, observer=show)


async def _as_patient(typist: Typist, explain: bool) -> Episode:
    from maieutic.dialogue import Conversation, Streams, converse
    from maieutic.domain.episode import EpisodeKey
    from maieutic.evaluation.plan import Settings, load_arms
    from maieutic.therapists.socratic import SocraticTherapist

    spec, seed = typist.held["therapist"], typist.held["seed"]
    policy = Settings(risk_policy=typist.held.get("risk_policy"))
    (therapist, _), *_ = load_arms({spec: spec}, {spec: policy}).values()
    if getattr(therapist, "needs", ()) or getattr(therapist, "absent", False):
        raise InputError(
            f"therapist {spec!r} cannot talk to a person: it needs a simulated patient's mind. Try socratic or eliza"
        )
    if explain and isinstance(therapist, SocraticTherapist):
        therapist = replace(therapist, explains=True)
    screen().print("[dim]You play a patient. Begin with what you bring today.[/dim]\n")
    talk = Conversation(
        therapist=therapist,
        patient=KeyboardPatient(typist),
        coder=None,
        max_turns=typist.held["turns"],
        streams=Streams(seed, EpisodeKey(spec, "keyboard", seed)),
        observer=_Show("therapist", "Therapist", explain, len(typist.held["said"])),
    )
    try:
        return await converse(talk)
    finally:
        model = getattr(therapist, "model", None)
        if model is not None:
            await model.close()


@dataclass(frozen=True, slots=True)
class _Show:
    """Prints the other side's words and, with --explain, what is behind them; of a kept session also one's own."""

    side: str
    name: str
    explain: bool
    kept: int = 0
    case: Case | None = None

    def __call__(self, event: Event) -> None:
        from rich.markup import escape

        from maieutic.reading.plain import plain

        turn = event.turn
        if turn.speaker != self.side and turn.text and event.index // 2 < self.kept:
            screen().print(f"[dim]You: {escape(turn.text)}[/dim]")
        if turn.speaker != self.side or not turn.text:
            return
        if self.explain:
            for line in explain_event(event, self.case):
                screen().print(f"[dim]    {escape(line)}[/dim]")
        if turn.original is not None:
            kinds = ", ".join(plain(turn.original).cleaned)
            screen().print(f"[dim]    made plain: {kinds}[/dim]", highlight=False)
        screen().print(f"[bold cyan]{escape(self.name)}:[/bold cyan] {escape(turn.text)}\n")


async def one_turn(file: Path, whose: Mapping[str, Any], said: str | None, *, reveal: bool) -> None:
    """Plays what the file holds and the turn that is said, prints the patient's answer, and keeps it.

    Args:
        file: Where the session lies.
        whose: Case, seed, patient and turns; they must be those that the file was begun with.
        said: The therapist's next turn; None shows where the session stands.
        reveal: Show the mind behind each turn; it ends the session.

    Raises:
        InputError: the file is another session's, is over, or cannot be read.
        ModelError: a model behind the patient gave nothing usable.
    """

    fresh = not file.exists()
    held = begun(whose) if fresh else read_session(file, whose)
    if said is not None:
        if held["ended"]:
            raise InputError(f"the session in {file} is over: {held['ended']}")
        if discloses(said, Side.THERAPIST):
            from maieutic.safety.handover import handover_for

            screen().print(handover_for(said), markup=False)
            held["ended"] = "handed over"
        else:
            held["said"].append(said)
    episode = await played_again(held)
    if episode.failed:
        raise ModelError(f"the patient gave no answer, and the turn was not kept: {episode.ending.reason}")
    answers = episode.session.by("patient")
    if answers[-1].ending is not None:
        held["ended"] = held["ended"] or "the patient ended the session"
    elif len(held["said"]) >= held["turns"]:
        held["ended"] = held["ended"] or f"{held['turns']} turns have been used"
    if reveal:
        held["ended"] = held["ended"] or "it was revealed"
        _reveal(episode, held["case"])
        tell_feedback(episode, held)
    elif held["ended"] != "handed over":
        if fresh and said is not None:  # what is answered was not shown yet
            say(f"PATIENT: {answers[0].text}", whole=True)
            say(f"YOU: {said}", whole=True)
        say(f"PATIENT: {answers[-1].text}", whole=True)
        say(f"[{len(held['said'])} of {held['turns']} turns used]")
    if held["ended"]:
        say(f"The session is over: {held['ended']}.")
    write_session(file, held, episode.session)
    if held["ended"] == "handed over":
        raise typer.Exit(1)


async def played_again(held: dict[str, Any]) -> Episode:
    """The talk of a kept session from what the therapist said, with the same patient and luck."""
    from maieutic.dialogue import SaidAgain
    from maieutic.library import get_case

    read = SaidAgain(tuple(held["said"]), "file", "waits for the next turn")
    return await sitting(read, get_case(held["case"]), held)


def _reveal(episode: Episode, name: str) -> None:
    from maieutic.dialogue import Event
    from maieutic.library import get_case

    case = get_case(name)
    answers = episode.session.by("patient")
    said = [turn for turn in episode.session.by("therapist") if turn.text]
    say(f"PATIENT: {answers[0].text}", whole=True)
    for number, turn in enumerate(said):
        say(f"{number + 1} YOU: {turn.text}", whole=True)
        answer = answers[number + 1]
        event = Event(
            episode.key, number, answer, episode.states[number + 1], episode.codes[number], episode.appraisals[number]
        )
        for line in explain_event(event, case):
            say(f"    {line}", whole=True)
        say(f"  PATIENT: {answer.text}", whole=True)
