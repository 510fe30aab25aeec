"""A therapist of your own, as `maieutic evaluate --therapist examples/03_your_own_therapist.py:make` takes it."""

from dataclasses import dataclass

from maieutic import Session, Turn


@dataclass(frozen=True)
class Curious:
    """Gives back the patient's last sentence and asks one wide question; a function of the session and nothing else."""

    name: str = "curious"

    async def respond(self, session: Session) -> Turn:
        said = session.last("patient")
        last = said.text.split(". ")[-1] if said else ""
        questions = ("What went through your mind then?", "How did you feel?", "When has it been different from that?")
        return Turn("therapist", f"{last} {questions[len(session.by('therapist')) % 3]}")


def make() -> Curious:
    """What the command line calls."""
    return Curious()


if __name__ == "__main__":
    import asyncio

    opening = Session((Turn("patient", "I made a mistake at work. Everybody saw it."),))
    print(asyncio.run(make().respond(opening)).text)
