"""Work given out to many processes or machines, by one who keeps the books: orders out, notes and results back."""

from maieutic.workers.contract import Crew, Job, Tell
from maieutic.workers.crews import crew_of, ready
from maieutic.workers.processes import mapped
from maieutic.workers.team import work

__all__ = ["Crew", "Job", "Tell", "crew_of", "mapped", "ready", "work"]
