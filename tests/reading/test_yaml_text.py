"""What our reader makes of a YAML text is what the library makes of it."""

from __future__ import annotations

import pytest
import yaml

from maieutic.library import CASES, PAIRS
from maieutic.reading.yaml_text import read_yaml

TEXTS = {
    "nothing": "",
    "a word": "word",
    "kinds": "- 1\n- -2.5e+3\n- yes\n- ~\n-\n- 2026-11-30\n- 2026-11-30 01:02:03\n- .inf\n- 0x1F\n- 1_000\n- 010\n",
    "no kinds": "- '1'\n- \"yes\"\n- |\n  null\n- 12a\n- 1.2.3\n- a=b\n- -\n",
    "nested": "a: {b: [1, {c: d}], e: []}\nf:\n- g: h\n  i: {}\n",
    "a name twice": "a: 1\na: 2\n",
    "keys that are no text": "1: a\n2.5: b\nyes: c\n",
    "an anchor": "a: &x [1, 2]\nb: *x\n",
    "merged": "a: &x {p: 1, q: 2}\nb:\n  <<: *x\n  q: 3\n",
    "tags": "a: !!str 5\nb: !!set {c, d}\nc: ! 12\n",
    "a document's marks": "%YAML 1.1\n---\na: b\n...\n",
}
FAULTS = {
    "two documents": "a: 1\n---\nb: 2\n",
    "open bracket": "a: [1, 2\n",
    "tab": "a:\n\t- b\n",
    "no such anchor": "a: *x\n",
    "code": "a: !!python/object/apply:os.system [ls]\n",
    "a value's sign": "a: =\n",
    "key that is a list": "? [a, b]\n: c\n",
}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_what_is_read_is_what_the_library_reads(text: str) -> None:
    assert repr(read_yaml(text)) == repr(yaml.safe_load(text))


@pytest.mark.parametrize("text", FAULTS.values(), ids=FAULTS)
def test_what_the_library_refuses_is_refused_in_its_words(text: str) -> None:
    with pytest.raises(yaml.YAMLError) as theirs:
        yaml.load(text, Loader=yaml.CSafeLoader)
    with pytest.raises(yaml.YAMLError) as ours:
        read_yaml(text)
    assert str(ours.value) == str(theirs.value)


def test_packaged_cases_are_read_as_the_library_reads_them() -> None:
    paths = [*sorted(CASES.rglob("*.yaml"))[::20], *sorted(PAIRS.glob("*.yaml"))[:3]]
    for path in paths:
        text = path.read_text(encoding="utf-8")
        assert read_yaml(text) == yaml.load(text, Loader=yaml.CSafeLoader), path.name
