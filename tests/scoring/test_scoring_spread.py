"""`score` and `code` on two processes: the files of one, and sessions in their order."""

from __future__ import annotations

from pathlib import Path

import pytest
from own_sessions import annomi_file

from maieutic.coding.embedded import coder_for
from maieutic.runs import figures
from maieutic.runs.work import WorkersSpec
from maieutic.scoring import score as module
from maieutic.scoring.coding_run.run import code_file, dialogues_to_code
from maieutic.scoring.score import score_paths
from maieutic.workers.scoring import coder_on_workers, score_on_workers

pytestmark = [pytest.mark.slow, pytest.mark.timeout(280)]
TWO = WorkersSpec(count=2)


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_sessions_are_scored_alike_on_two_processes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "DRAWS", 100)
    monkeypatch.setattr(figures, "drawn", lambda *chart, **size: "<svg></svg>")
    source, told, seen = annomi_file(tmp_path / "in.csv", sessions=5), list[str](), list[int]()
    score_paths([source], out=tmp_path / "one")
    score_paths(
        [source], out=tmp_path / "two", spread=score_on_workers(TWO, told.append),
        progress=lambda done, total, name: seen.append(done),
    )  # fmt: skip
    assert contents(tmp_path / "one") == contents(tmp_path / "two")
    assert seen == [1, 2, 3, 4, 5]
    assert told[0].startswith("2 workers ready after")


def test_rows_are_coded_alike_on_two_processes_and_what_an_earlier_run_left_is_passed_over(tmp_path: Path) -> None:
    source = annomi_file(tmp_path / "in.csv", sessions=5)
    coder = coder_for("annomi", tier="fast")
    code_file(source, scheme="annomi", out=tmp_path / "one.csv", coder=coder)
    dialogues = list(dialogues_to_code(source, scheme="annomi"))
    with coder_on_workers(coder, ("annomi", "fast", False), dialogues, TWO, lambda line: None) as spread:
        code_file(source, scheme="annomi", out=tmp_path / "two.csv", coder=spread)
    assert (tmp_path / "one.csv").read_bytes() == (tmp_path / "two.csv").read_bytes()
    with coder_on_workers(coder, ("annomi", "fast", False), dialogues, TWO, lambda line: None) as spread:
        assert list(spread.predict(dialogues[3])) == list(coder.predict(dialogues[3]))
