"""What is behind an utterance, in words (`chat --explain`): how a turn was heard, how the patient's mind stands, what a
therapist weighed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from maieutic.dialogue import Event
    from maieutic.domain.appraisal import Appraisal
    from maieutic.domain.case import Case
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
