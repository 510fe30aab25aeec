"""Work given out to many processes or machines, by one who keeps the books: orders out, notes and results back."""

from maieutic.runs.work import Shard, WorkersSpec
from maieutic.workers.processes import crew_of, mapped
from maieutic.workers.team import Crew, Job, Tell, work

__all__ = ["Crew", "Job", "Shard", "Tell", "WorkersSpec", "crew_of", "mapped", "work"]
