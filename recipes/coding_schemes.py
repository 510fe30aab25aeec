"""Prints the documentation page of the code books: `python recipes/coding_schemes.py > docs/coding-schemes.md`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from maieutic.coding.book import Label, Scheme
from maieutic.coding.schemes import get_scheme, scheme_names

_HEAD = """# Coding schemes

What the labels of `maieutic code` mean. Every code book is written in our own words after the paper it names; where the
use here differs from the paper, *Departures* says how. The examples were written for this page. Generated from the code
books by `python recipes/coding_schemes.py`.

In a coded table `predicted` holds the label as the scheme's own data set writes it (several joined by `|`),
`p_<label>` its probability, `predicted_<facet>` and `p_<facet>_<value>` the same for a further question asked of the
utterance, and `abstain` says that the code is among the coder's least certain.
"""


def page() -> str:
    """The whole page as Markdown."""
    return "\n".join([_HEAD, *(line for name in scheme_names() for line in _scheme(get_scheme(name)))])


def _scheme(scheme: Scheme) -> Iterator[str]:
    yield f"## `{scheme.id}`: {scheme.name}\n"
    yield f"*Source*: {scheme.source}.\n"
    yield f"*Departures*: {scheme.departures}\n"
    several = "several labels an utterance" if scheme.multi_label else "one label an utterance"
    reads = ", read with what the other said just before" if scheme.pairs else ""
    weights = "; weights are built on your own machine by `recipes/train_coder.py`" if scheme.local_weights else ""
    yield f"*Use*: {several}{reads}{weights}.\n"
    for speaker in ("therapist", "client"):
        if labels := scheme.labels(speaker):
            yield f"### {speaker.capitalize()} labels\n"
            yield from _table(labels)
        else:
            yield f"No {speaker} utterance is coded.\n"
    for facet in scheme.facets:
        yield f"### Facet `{facet.id}` ({facet.speaker})\n"
        yield f"{facet.definition}\n"
        yield from _table(facet.values)


def _table(labels: Sequence[Label]) -> Iterator[str]:
    yield "| label | name | when it fits | for example |"
    yield "|---|---|---|---|"
    for label in labels:
        yield (
            f"| `{label.id}` | {label.name} | {label.definition} | {' / '.join(f'“{one}”' for one in label.examples)} |"
        )
    yield ""


if __name__ == "__main__":
    print(page(), end="")
