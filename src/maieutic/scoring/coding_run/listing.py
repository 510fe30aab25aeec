"""Lists what would be coded in a file or a folder, without coding it: for an estimate of what a language model would
cost."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from maieutic.coding.book import Scheme
from maieutic.coding.contract import Coding
from maieutic.coding.schemes import get_scheme
from maieutic.errors import InputError
from maieutic.scoring.coding_run.folder import inside
from maieutic.scoring.coding_run.run import rows_asked, speakers_known
from maieutic.scoring.coding_run.window import coded_rows
from maieutic.transcripts.formats.convokit import is_corpus
from maieutic.transcripts.opening import open_source
from maieutic.transcripts.utterance import Utterance


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
    path: Path,
    *,
    scheme: str,
    columns: Mapping[str, str] | None = None,
    speaker: str | None = None,
    encoding: str | None = None,
) -> Iterator[list[Utterance]]:
    """The dialogues that `code_file` would hand to a coder with these arguments, one after another.

    Files of a folder that cannot be read are passed over; `code_file` names them. Sessions of more than 2,000
    utterances come in pieces that repeat the fifty utterances before them.

    Raises:
        InputError: The scheme, an option or the one file that was named cannot be used.
    """
    path, book, asked = Path(path), get_scheme(scheme), rows_asked(columns, speaker, encoding)
    is_folder = path.is_dir() and not is_corpus(path)
    files = [(file, name) for file, name, _ in inside(path, path / "-")] if is_folder else [(path, path.name)]
    for file, name in files:
        lister = _Lister(book)
        try:
            source = open_source(file, name, asked)
            for _ in coded_rows(source, lister, speakers_known(source)):
                yield from lister.asked
                lister.asked.clear()
        except InputError:
            if not is_folder:
                raise
