"""Work given out to many processes or machines, by one who keeps the books: orders out, notes and results back."""

from maieutic.runs.work import Shard, WorkersSpec
from maieutic.workers.contract import Crew, Job, Tell
from maieutic.workers.processes import crew_of, mapped, ready
from maieutic.workers.team import work

__all__ = ["Crew", "Job", "Shard", "Tell", "WorkersSpec", "crew_of", "mapped", "ready", "work"]
