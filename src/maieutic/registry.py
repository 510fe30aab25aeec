"""Names to things: the five decorators, the entry-point door and `load()`.

Members register themselves; this module imports none of them. At the first lookup it loads the entry points of the
group `maieutic`, the package's own wings among them, so a stranger's patient comes in by the same door as ours.
"""

from __future__ import annotations

import importlib.util
import inspect
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import takewhile
from pathlib import Path
from types import FunctionType
from typing import Any, Literal, TypeVar, cast

from maieutic.bots import OwnBot
from maieutic.doors import joined, members
from maieutic.errors import InputError, MaieuticError, UnknownName, raised
from maieutic.protocols import Embedder, LanguageModel, Measure, Patient, Therapist

Kind = Literal["model", "patient", "tracker", "therapist", "measure"]
Factory = TypeVar("Factory", bound=Callable[..., Any])

_makers: dict[str, dict[str, Callable[..., Any]]] = {
    "model": {},
    "patient": {},
    "tracker": {},
    "therapist": {},
    "measure": {},
}
_loaded = False
_asked = dict[str, Measure]()
"""Measures that were asked for in this process, by what was written: an id, or `path.py:NAME`."""


def _register(kind: Kind, name: str) -> Callable[[Factory], Factory]:
    def remember(maker: Factory) -> Factory:
        if name in _makers[kind]:
            raise MaieuticError(f"two {kind}s are named {name!r}; give one of them another name")
        _makers[kind][name] = maker
        return maker

    return remember


def model(name: str) -> Callable[[Factory], Factory]:
    """Register `make(spec) -> LanguageModel`; `name` is the part of the spec before ':', '/' or '://'."""
    return _register("model", name)


def patient(name: str) -> Callable[[Factory], Factory]:
    """Register `make(case, situation, **parts) -> Patient`."""
    return _register("patient", name)


def tracker(name: str) -> Callable[[Factory], Factory]:
    """Register `make(**parts) -> Tracker`."""
    return _register("tracker", name)


def therapist(name: str) -> Callable[[Factory], Factory]:
    """Register `make(model=None) -> Therapist`; a maker with attribute `needs_model = True` must be given a model.

    One with `elsewhere = True` makes therapists whose words come from outside, such as a bot behind an address: there
    is nothing to serve.
    """
    return _register("therapist", name)


def measure(name: str) -> Callable[[Factory], Factory]:
    """Register a Measure under its id; the measure itself is registered, not a maker.

    A plain function of an episode that has none of a measure's attributes gets them: `id` is the name, `unit` is empty
    and `hidden` is False.
    """

    def remember(found: Factory) -> Factory:
        own = _register("measure", name)(found)
        if isinstance(found, FunctionType):
            for attribute, value in (("id", name), ("unit", ""), ("hidden", False)):
                if not hasattr(found, attribute):
                    setattr(found, attribute, value)
        return own

    return remember


def known(kind: Kind) -> dict[str, Callable[..., Any]]:
    """All registered makers of a kind, by name; loads the entry points at the first call.

    Raises:
        InputError: one of them cannot be loaded, so that what it would bring is lacking.
    """
    global _loaded
    if not _loaded:
        _loaded = True
        try:
            for one in members():
                one.load()
        except InputError:
            _loaded = False  # so that the next lookup does not go on without it
            raise
    return dict(sorted(_makers[kind].items()))


def lookup(kind: Kind, name: str) -> Callable[..., Any]:
    """The maker registered under a name. Raises `UnknownName`, with the nearest known name."""
    makers = known(kind)
    if name not in makers:
        raise UnknownName(kind, name, makers)
    return makers[name]


def load_model(spec: str, *, behind: str = "") -> LanguageModel:
    """`embedded`, `gguf:PATH`, `http(s)://…#model`, `inspect/PROVIDER/MODEL`, `scripted` → a model.

    `behind` is what the user wrote before it, such as `prompted:`; messages repeat it.
    """
    name = "".join(takewhile(lambda sign: sign.isalnum() or sign in "_.-", spec))
    name = "http" if name == "https" else name
    if name not in known("model"):
        address = "/" in spec or ":" in spec or "#" in spec
        example = (
            f"An address begins with http:// or https://; did you mean {behind}http://{spec}?"
            if address
            else f"A model behind an address is written {behind}URL#MODEL, for example "
            f"{behind}https://api.openai.com/v1#{spec}"
        )
        raise UnknownName("model", spec, [*known("model"), "https"], example)
    return cast(LanguageModel, lookup("model", name)(spec))


def load_therapist(spec: str) -> Therapist:
    """`NAME[:MODEL]`, `path.py:make`, `people:EXPORT`, or `http(s)://HOST…#NAME` for a bot behind an API → a therapist.

    Raises:
        UnknownName: no such therapist or model.
        InputError: a model where none is taken, none where one is needed, or a file that cannot be used.
    """
    if own := file_and_maker(spec):
        return _from_file(Path(own[0]), own[1])
    if spec.endswith(".py"):
        raise InputError(f"a bot in a file is named with what makes it: {spec}:NAME, for example {spec}:make")
    kind, export = kind_and_model(spec)
    if export and not kind:
        return cast(Therapist, lookup("therapist", "http")(load_model(export)))
    if kind == "people":
        if not export:
            raise InputError("people need the export of a class: write people:class.jsonl or people:class.jsonl#PERSON")
        return cast(Therapist, cast(Any, lookup("therapist", kind)).read(export))
    make, inner = resolve("therapist", spec)
    return cast(Therapist, make() if inner is None else make(model=inner))


def file_and_maker(spec: str) -> tuple[str, str] | None:
    """`path.py:make` in two parts; None for a spec of another form."""
    path, _, maker = spec.rpartition(":")
    return (path, maker) if path.endswith(".py") else None


def kind_and_model(spec: str) -> tuple[str, str]:
    """`KIND[:MODEL]` in two parts; a bare address is the model of no kind."""
    if spec.startswith(("http://", "https://")):
        return "", spec
    kind, _, model_spec = spec.partition(":")
    return kind, model_spec


def resolve(kind: Kind, spec: str) -> tuple[Callable[..., Any], LanguageModel | None]:
    """`NAME[:MODEL]` → the maker of that name, and its model when the spec names one; `path.py:make` for a patient of
    somebody's own.

    Raises:
        UnknownName: no such maker or model.
        InputError: a model where none is taken, none where one is needed, or a file that cannot be used.
    """
    if kind == "patient" and (own := file_and_maker(spec)):
        return _patients_of_file(Path(own[0]), own[1]), None
    if kind == "patient" and spec.endswith(".py"):
        raise InputError(f"a patient in a file is named with what makes it: {spec}:NAME, for example {spec}:make")
    name, model_spec = kind_and_model(spec)
    if kind == "therapist" and name not in known(kind) and name.partition("/")[0] in known("model"):
        raise InputError(
            f"{name!r} is a model, and a therapist is what speaks through it: write prompted:{spec}, which puts a "
            "plain CBT prompt before the talk"
        )
    if kind == "therapist" and name not in known(kind):
        example = (
            f"A model of your own is written prompted:URL#MODEL, for example prompted:https://api.openai.com/v1#{name}"
        )
        raise UnknownName(kind, name, known(kind), example)
    make = lookup(kind, name)
    needs_model = bool(getattr(make, "needs_model", False))
    if needs_model and not model_spec:
        raise InputError(f"{kind} {name!r} needs a model: write {name}:MODEL, for example {name}:embedded")
    if model_spec and not needs_model and not getattr(make, "takes_model", False):
        raise InputError(f"{kind} {name!r} takes no model; write {name!r} alone")
    door = getattr(make, "model_kind", "")
    return make, (load_model(f"{door}:{model_spec}" if door else model_spec, behind=f"{name}:") if model_spec else None)


def load_embedder(name: str = "minilm") -> Embedder:
    """The embedder of that name in the entry-point group `maieutic.embedders`.

    Raises:
        InputError: it cannot be loaded.
        UnknownName: no embedder of that name.
    """
    points = joined("embedders")
    if name not in points:
        raise UnknownName("embedder", name, points)
    return cast(Embedder, points[name].load()())


def load_measures(names: tuple[str, ...] = ()) -> tuple[Measure, ...]:
    """The named measures, or all registered ones but those on request that nobody asked for, sorted by id."""
    if names:
        return tuple(cast(Measure, lookup("measure", name)) for name in names)
    asked = {one.id for one in _asked.values()}
    measures = known("measure").items()
    return tuple(cast(Measure, one) for id, one in measures if id in asked or not getattr(one, "on_request", False))


def ask_for(spec: str) -> Measure:
    """The measure `path.py:NAME`, or the one of an id; every run scored in this process has it from here on.

    For a command, whose process is one run; a function asks within `asking`.

    Raises:
        UnknownName: no measure of that id, with the nearest ones; or the file holds no such name.
        InputError: the file cannot be used, or what it names is no function of an episode.
    """
    before = _asked.get(spec)
    if before is not None and any(before is one for one in _makers["measure"].values()):
        return before
    if file_and_maker(spec):
        found = measure_of_file(spec)
    elif spec.endswith(".py") or "/" in spec:
        raise InputError(f"--measure {spec}: expected an id or FILE.py:NAME, for example my_measures.py:long_turns")
    else:
        found = cast(Measure, lookup("measure", spec))
    _asked[spec] = found
    return found


@contextmanager
def asking(specs: Sequence[str]) -> Iterator[tuple[Measure, ...]]:
    """What `ask_for` finds for each spec; afterwards nothing is asked for, or registered, that was not before.

    Raises:
        UnknownName, InputError: as `ask_for`.
    """
    known("measure")  # what the entry points register stays
    asked, makers = dict(_asked), _makers["measure"]
    added = set[str]()
    try:
        found = []
        for spec in specs:
            before = set(makers)
            found.append(ask_for(spec))
            added |= set(makers) - before
        yield tuple(found)
    finally:
        for id in added:
            makers.pop(id, None)
        _asked.clear()
        _asked.update(asked)


def measure_of_file(spec: str) -> Measure:
    """Registers the measure `path.py:NAME`, so that every run scored in this process has it.

    NAME is a function of an episode, a measure, or what makes one without being given anything, as its class does. A
    file that registers its measure itself is taken at its word.

    Raises:
        UnknownName: the file holds no such name.
        InputError: the file cannot be used, or what it names is no function of an episode.
    """
    path, _, attribute = spec.rpartition(":")
    if not path.endswith(".py"):
        raise InputError(f"--measure {spec}: expected FILE.py:NAME, for example my_measures.py:long_turns")
    known_before = set(known("measure"))
    found = _named(Path(path), attribute, "measure")
    if isinstance(found, type) or (inspect.isfunction(found) and not inspect.signature(found).parameters):
        try:
            found = found()
        except Exception as error:
            raise InputError(f"{spec} failed when it was made: {type(error).__name__}: {error}") from error
    if not callable(found):
        raise InputError(f"{spec} must be a function of a stored episode that returns a Score")
    id = str(getattr(found, "id", attribute))
    before = _makers["measure"].get(id)
    if before is found or (before is not None and id not in known_before):
        return cast(Measure, before)
    if before is not None:
        raise InputError(f"{spec}: {id!r} is the id of another measure; give yours an id of its own")
    return cast(Measure, measure(id)(found))


def _named(path: Path, attribute: str, option: str) -> Any:
    """What a Python file holds under a name; `option` is how the user came to name it."""
    if not path.is_file():
        raise InputError(f"no file {str(path)!r}; --{option} FILE.py:NAME expects a Python file that holds NAME")
    name = f"maieutic_file_{path.stem}"  # a name of its own: a file called types.py must not replace the real one
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise InputError(f"{path} cannot be imported as Python")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise InputError(f"{path} failed while it was imported: {type(error).__name__}: {error}") from error
    if not hasattr(module, attribute):
        names = [name for name in vars(module) if not name.startswith("_")]
        raise UnknownName(f"{option} in {path.name}", attribute, names)
    return getattr(module, attribute)


def _patients_of_file(path: Path, attribute: str) -> Callable[..., Any]:
    """`make(case, situation, **parts) -> Patient` of a file, held to what it must return."""
    make = _named(path, attribute, "patient")
    if not callable(make):
        raise InputError(f"{path}:{attribute} must be a function make(case, situation, **parts) that returns a patient")

    def checked(case: Any, situation: str, **parts: Any) -> Patient:
        try:
            made = make(case, situation, **parts)
        except Exception as error:
            raise InputError(f"{path}:{attribute} failed when it was called: {raised(error)}") from error
        if not isinstance(made, Patient):
            raise InputError(
                f"{path}:{attribute} must return a patient: an object with `name`, `begin`, `comprehend`, `transition` "
                "and `async speak`"
            )
        return made

    return checked


def _from_file(path: Path, attribute: str) -> Therapist:
    make = _named(path, attribute, "therapist")
    try:
        made = make()
    except Exception as error:
        raise InputError(f"{path}:{attribute} failed when it was called: {type(error).__name__}: {error}") from error
    if not isinstance(made, Therapist):
        raise InputError(
            f"{path}:{attribute} must return a therapist: an object with `name` and `async respond(session)`"
        )
    return cast(Therapist, OwnBot(made, f"{path.name}:{attribute}"))
