"""Which models a server has: ids to therapists, patients and coders, why an id has none, and the coder among
them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial

import orjson

from maieutic.coding.book import SchemeCoder
from maieutic.coding.embedded import coder_for
from maieutic.coding.head_plan import plans
from maieutic.coding.rules import RuleCoder
from maieutic.coding.schemes import scheme_names
from maieutic.domain.case import STYLES, Case
from maieutic.domain.episode import Turn
from maieutic.errors import InputError, UnknownName
from maieutic.evaluation.evaluate import make_patients
from maieutic.library import in_style, select_cases
from maieutic.protocols import LanguageModel, Patient, Therapist
from maieutic.reading.store import Store
from maieutic.registry import known, load_model, load_therapist, lookup
from maieutic.serving.request import Refusal, Said, turn_of
from maieutic.serving.served import Folded, Known, Patients, ServedPatient, ServedTherapist
from maieutic.serving.spoken import MAX_KEPT, Key, Served, Spoken
from maieutic.serving.training import Ground
from maieutic.training.rewards import reward_named
from maieutic.transcripts.utterance import Utterance


@dataclass(frozen=True, slots=True)
class ServedCoder:
    """Codes the last turn: the assistant's are the therapist's, the user's are the client's. The reply is JSON."""

    coder: SchemeCoder

    async def reply(self, said: Sequence[Said], seed: int, *, strict: bool) -> Spoken:
        """The codes of the last turn, with their probabilities; nothing of it is drawn by chance."""
        if not said:
            raise Refusal(400, "there is nothing to code: send at least one message", "nothing_to_answer", "messages")
        told = [turn_of("therapist" if one.own else "patient", one.text) for one in said]
        last = self.coder.predict(
            [
                Utterance("therapist" if turn.speaker == "therapist" else "client", turn.text, index=place)
                for place, turn in enumerate(told)
            ]
        )[-1]
        codes = {
            "predicted": last.predicted,
            "probabilities": last.probabilities,
            "abstain": last.abstain,
            "facets": {name: facet.value for name, facet in last.facets.items()},
        }
        return Spoken(Turn("therapist", orjson.dumps(codes).decode()))


PREFIX = "maieutic/"
PATIENT = "maieutic/patient/"
CODER = "maieutic/coder/"
PATIENTS_KEPT = 128
"""Patients kept in memory, one for each situation of a case; making one again takes about half a second."""


@dataclass(frozen=True, slots=True)
class Offers:
    """The models of a server.

    Attributes:
        therapists: Therapists by model id.
        refused: Why a known therapist is not offered, by model id: privileged arms, and the arm without a session.
        cases: Cases of the patients, by id.
        patients: Makes them.
        models: Language models behind therapists and patients, to be closed at the end.
    """

    therapists: Mapping[str, Therapist]
    refused: Mapping[str, str]
    cases: Mapping[str, Case]
    patients: Patients
    models: tuple[LanguageModel, ...]
    _served: dict[str, Served] = field(default_factory=dict, repr=False)
    _therapists_kept: Store[Key, Known] = field(default_factory=partial(Store, MAX_KEPT), repr=False)
    _patients_kept: Store[Key, Folded] = field(default_factory=partial(Store, MAX_KEPT), repr=False)

    def ids(self) -> Iterator[str]:
        """All model ids, a patient's without its styles."""
        yield from self.therapists
        yield from (f"{PATIENT}{name}" for name in self.cases)
        yield from (f"{CODER}{name}" for name in scheme_names() if _is_built(name))

    def get(self, name: str) -> Served:
        """The model of an id.

        Raises:
            Refusal: 404 for an id that nothing answers to, 403 for a therapist that must not be served.
        """
        if name not in self._served:
            self._served[name] = self._made(name)
        return self._served[name]

    def _made(self, name: str) -> Served:
        if name in self.refused:
            raise Refusal(403, self.refused[name], "not_served", "model")
        if name in self.therapists:
            return ServedTherapist(name, self.therapists[name], self._therapists_kept)
        try:
            if name.startswith(PATIENT):
                return ServedPatient(name, self._case(name), self.patients, self._patients_kept)
            if name.startswith(CODER) and name.removeprefix(CODER) in scheme_names():
                return ServedCoder(coder_for(name.removeprefix(CODER)))
        except InputError as error:
            raise Refusal(404, str(error), "model_not_found", "model") from error
        raise _unknown(name, self.ids())

    def _case(self, name: str) -> Case:
        case_id, at, style = name.removeprefix(PATIENT).partition("@")
        if case_id not in self.cases:
            raise _unknown(name, self.ids())
        case = self.cases[case_id]
        return in_style(case, style) if at else case


def _is_built(scheme: str) -> bool:
    """Whether the weights of a scheme are here; some have to be built on this machine first."""
    return all(plan.weights(plan.styles[0]).is_file() for plan in plans(scheme))


def _unknown(name: str, ids: Iterator[str]) -> Refusal:
    error = UnknownName("model", name[:200], ids)
    said = f"{error}; GET /v1/models lists all, and a patient's id may end in @STYLE ({', '.join(STYLES)})"
    return Refusal(404, said, "model_not_found", "model")


def offered(*, models: tuple[str, ...] = (), cases: tuple[str, ...] = (), patient: str = "simulated") -> Offers:
    """Everything that can be served.

    Args:
        models: Specs of language models that therapists may be worded by; a client can name no others.
        cases: Ids, files or splits of the patients; all packaged cases where none is named.
        patient: Kind of patient and its voice, as in `maieutic evaluate`.

    Raises:
        InputError: a model, case or patient that cannot be had.
    """
    loaded = {spec: load_model(spec) for spec in models}
    for model in loaded.values():
        check = getattr(model, "check", None)
        if check is not None:
            check()
    therapists: dict[str, Therapist] = {}
    refused: dict[str, str] = {}
    for name in known("therapist"):
        make = lookup("therapist", name)
        if getattr(make, "elsewhere", False):
            continue
        if getattr(make, "needs_model", False) or getattr(make, "takes_model", False):
            therapists |= {f"{PREFIX}{name}:{spec}": make(model=model) for spec, model in loaded.items()}
        if getattr(make, "needs_model", False):
            if not loaded:
                refused[f"{PREFIX}{name}"] = (
                    f"therapist {name!r} needs a language model: start the server with --model SPEC"
                )
            continue
        one = load_therapist(name)
        why = _why_not(one)
        if why is None:
            therapists[f"{PREFIX}{name}"] = one
        else:
            refused[f"{PREFIX}{name}"] = why
    make_patient, behind = make_patients(patient)
    chosen = {case.id: case for case in select_cases(cases, split="all")}
    everybody = (*loaded.values(), *([behind] if behind is not None else []))
    patients = Patients(_remembering(make_patient), RuleCoder(), waits=behind is not None)
    return Offers(therapists, refused, chosen, patients, everybody)


def training_ground(cases: tuple[str, ...], reward: str, *, turns: int) -> Ground:
    """Where a policy can be trained on the named cases. Raises `InputError` for a case or reward that there is not."""
    earned, chosen = reward_named(reward), {case.id: case for case in select_cases(cases)}
    make_patient, _ = make_patients("simulated")
    return Ground(chosen, Patients(_remembering(make_patient), RuleCoder()), earned, turns)


def _why_not(therapist: Therapist) -> str | None:
    if getattr(therapist, "needs", ()):
        return (
            f"therapist {therapist.name!r} sees the patient's case or mind and is for comparison only; it is not served"
        )
    if getattr(therapist, "absent", False):
        return f"{therapist.name!r} is the arm without a therapist; there is nobody to talk to"
    return None


def _remembering(make: Callable[[Case, str], Patient]) -> Callable[[Case, str], Patient]:
    """A maker that makes the patient of a case and situation once."""
    cases: dict[str, Case] = {}

    @lru_cache(maxsize=PATIENTS_KEPT)
    def one(case_id: str, situation: str) -> Patient:
        return make(cases[case_id], situation)

    def patient(case: Case, situation: str) -> Patient:
        cases[case.id] = case
        return one(case.id, situation)

    return patient
