"""The public face says what it has and has what it says."""

import importlib
import pkgutil
import subprocess
import sys

import maieutic

HEAVY = (
    "numpy",
    "polars",
    "sklearn",
    "onnxruntime",
    "vl_convert",
    "aiohttp",
    "xllamacpp",
    "gguf",
    "inspect_ai",
    "pydantic",
    "torch",
)


def test_every_public_name_resolves():
    for name in maieutic.__all__:
        assert getattr(maieutic, name) is not None


def test_face_and_homes_agree():
    assert sorted(maieutic.__all__) == sorted(maieutic._HOMES)
    assert len(set(maieutic.__all__)) == len(maieutic.__all__)


def test_wings_export_what_they_name():
    for found in pkgutil.iter_modules(maieutic.__path__):
        if found.name == "__main__":
            continue
        module = importlib.import_module(f"maieutic.{found.name}")
        for name in getattr(module, "__all__", ()):
            assert hasattr(module, name), f"maieutic.{found.name} names {name!r} in __all__ and has no such thing"


def test_unknown_name_is_an_attribute_error():
    try:
        maieutic.no_such_thing  # noqa: B018
    except AttributeError as error:
        assert "no_such_thing" in str(error)
    else:
        raise AssertionError("an unknown name must raise")


def test_import_loads_no_heavy_package():
    heavy = (*HEAVY, "rich")
    code = f"import sys, maieutic; print([n for n in {heavy!r} if n in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_help_loads_no_heavy_package():
    code = (
        "import sys\nsys.argv = ['maieutic', '--help']\nfrom maieutic.cli import main\n"
        f"try:\n    main()\nexcept SystemExit:\n    pass\nprint([n for n in {HEAVY!r} if n in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "[]"
    assert "evaluate" in done.stdout
