"""Inside a session: what the Socratic agent took each turn for, planned, weighed and refused, beside the patient's true state.

`python examples/05_inside_a_session.py [CASE] [SEED]`; docs/socratic-agent.md reads one of these line by line.
"""  # noqa: E501

import asyncio
import sys
from textwrap import fill

from maieutic import Conversation, EpisodeKey, MiniLM, RuleCoder, SimulatedPatient, Streams, converse, get_case
from maieutic.therapists.socratic import SocraticTherapist

name = sys.argv[1] if len(sys.argv) > 1 else "gethin"
seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
case = get_case(name)
patient = SimulatedPatient.of(case, case.situations[0].id, embed=MiniLM())
streams = Streams(run_seed=0, key=EpisodeKey("socratic", case.id, seed))
talk = Conversation(SocraticTherapist(explains=True), patient, RuleCoder(), max_turns=20, streams=streams)
episode = asyncio.run(converse(talk))


def said(label: str, text: str) -> None:
    print(fill(f"{label}: {text}", 120, subsequent_indent="   "))


spoken = episode.session.by("patient")
for number, turn in enumerate(episode.session.by("therapist"), start=1):
    state, trace = episode.states[number - 1], turn.trace or {}
    belief = trace["belief"]
    print(f"\n--- {number} ---")
    said(case.person.name, spoken[number - 1].text)
    print(f"   true: held {state.held:.0f}, openness {state.openness:.2f}, reactance {state.reactance:.2f}")
    print(
        f"   believed: held {belief['conviction']:.0f}, openness {belief['openness']:.2f}, reactance {belief['reactance']:.2f}"  # noqa: E501
    )
    for moved in trace.get("moved", [])[:2]:
        said("   moved", moved)
    said("   plan", f"{trace['step']} after {trace['lead']} [{trace['stage']}] because {trace['reason']}")
    if trace["considered"]:
        said("   weighed", ", ".join(f"{step}/{lead} {value:.1f}" for step, lead, value in trace["considered"][:3]))
    formulation = trace.get("formulation", {})
    said("   formulation", "; ".join(f"{part}: {words}" for part, words in formulation.items() if words))
    for rule, reason in trace["refused"]:
        said("   refused", f"{rule}: {reason}")
    said("Therapist", turn.text)
start, end = episode.states[0].held, episode.states[-1].held
print(f"\nEnded: {episode.ending.kind}. Held conviction {start:.0f} -> {end:.0f}.")
