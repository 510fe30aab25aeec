"""Lists what would be coded in a file or a folder, without coding it: for an estimate of what a language model would cost."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from maieutic.coding.book import Scheme
from maieutic.coding.contract import Coding, Utterance
from maieutic.coding.schemes import get_scheme
from maieutic.errors import InputError
from maieutic.scoring.code_folder import inside, is_corpus
from maieutic.scoring.code_sources import open_code_source
from maieutic.scoring.code_survey import survey
from maieutic.scoring.code_window import coded_rows
from maieutic.scoring.tables import check_columns


class _Lister:
    """Takes the place of a coder and keeps what it is asked."""

    name = "lister"

    def __init__(self, scheme: Scheme) -> None:
        self.scheme = scheme
        self.asked: list[list[Utterance]] = []

    def predict(self, dialogue: Sequence[Utterance]) -> list[Coding]:
        self.asked.append(list(dialogue))
        return [Coding((), {}, True)] * len(dialogue)

    def judge_table(self, dialogues: Sequence[Sequence[Utterance]]) -> list[list[Coding]]:
        return [self.predict(one) for one in dialogues]


def dialogues_to_code(
    path: Path, *, scheme: str, columns: Mapping[str, str] | None = None, speaker: str | None = None
) -> Iterator[list[Utterance]]:
    """The dialogues that `code_file` would hand to a coder with these arguments, one after another.

    Files of a folder that cannot be read are passed over; `code_file` names them. Sessions of more than 2,000 utterances
    come in pieces that repeat the fifty utterances before them.

    Raises:
        InputError: The scheme, an option or the one file that was named cannot be used.
    """
    path, book, chosen = Path(path), get_scheme(scheme), check_columns(columns)
    is_folder = path.is_dir() and not is_corpus(path)
    files = [(file, name) for file, name, _ in inside(path, path / "-")] if is_folder else [(path, path.name)]
    for file, name in files:
        lister = _Lister(book)
        try:
            source = open_code_source(file, name, chosen, speaker=speaker)
            for _ in coded_rows(source, lister, survey(source)):
                yield from lister.asked
                lister.asked.clear()
        except InputError:
            if not is_folder:
                raise
