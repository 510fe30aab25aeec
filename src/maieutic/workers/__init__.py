"""Work given out to many processes or machines, by one who keeps the books: orders out, notes and results back."""

from maieutic.workers.contract import Crew, Job, Shard, Tell, WorkersSpec
from maieutic.workers.crews import crew_of
from maieutic.workers.processes import mapped
from maieutic.workers.team import Gone, work

__all__ = ["Crew", "Gone", "Job", "Shard", "Tell", "WorkersSpec", "crew_of", "mapped", "work"]
