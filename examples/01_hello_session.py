"""One session between the Socratic therapist without a model and a simulated patient, with the hidden state beside it."""  # noqa: E501

import asyncio

from maieutic import (
    Conversation,
    EpisodeKey,
    MiniLM,
    RuleCoder,
    SimulatedPatient,
    Streams,
    converse,
    get_case,
    load_therapist,
)

case = get_case("nurse-in-charge")
patient = SimulatedPatient.of(case, "handover", embed=MiniLM())
talk = Conversation(
    therapist=load_therapist("socratic"),
    patient=patient,
    coder=RuleCoder(),
    max_turns=20,
    streams=Streams(run_seed=1, key=EpisodeKey("socratic", case.id, 0)),
)
episode = asyncio.run(converse(talk))

heard = 0
for turn in episode.session.turns:
    if turn.speaker == "patient":
        state = episode.states[heard]
        heard += 1
        print(f"[held {state.held:3.0f}  openness {state.openness:.2f}] {case.person.name}: {turn.text}")
    else:
        print(f"{'':26}Therapist: {turn.text}")
print(f"\nEnded: {episode.ending.kind}. Held conviction {episode.states[0].held:.0f} -> {episode.states[-1].held:.0f}.")
