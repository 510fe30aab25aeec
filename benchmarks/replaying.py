"""A recorded session gone through by mind and mouth again, without reading a word."""

from __future__ import annotations

from random import Random

from maieutic.domain.episode import Episode, Session, Turn
from maieutic.library import get_case
from maieutic.patients.dynamics import Mind, transition
from maieutic.patients.intent import with_intent
from maieutic.patients.kernel import first_state
from maieutic.patients.template_voice import say


def replay(episode: Episode, seed: int, *, may_leave: bool = False) -> Session:
    """The session with another seed, codes and appraisals as recorded.

    It goes to its end, so that all replays are equally long, or, where the patient `may_leave`, to where it does.
    """
    case = get_case(episode.key.case)
    situation = next(s for s in case.situations if s.id == episode.states[0].situation)
    mind = Mind(case, situation)
    state = first_state(case, situation, Random(seed))
    session = Session((Turn("patient", say(case, situation, Session(), state, Random(seed))),), seed)
    turns = episode.session.by("therapist")
    for number, (turn, code, appraisal) in enumerate(zip(turns, episode.codes, episode.appraisals, strict=False)):
        assert appraisal is not None
        rng = Random(seed * 1000 + number)
        state = with_intent(mind, state, transition(mind, state, code, appraisal, rng), code, appraisal, rng)
        session = session + turn + Turn("patient", say(case, situation, session, state, rng))
        if may_leave and state.left:
            break
    return session
