import ast
import inspect
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import noiseless


@pytest.mark.parametrize("name", noiseless.__all__)
def test_public_names_resolve(name: str) -> None:
    assert getattr(noiseless, name) is not None


def test_unknown_names_are_refused() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        noiseless.nonsense  # type: ignore[attr-defined]  # noqa: B018 - looking it up is the test


def test_public_names_are_listed() -> None:
    assert set(noiseless.__all__) <= set(dir(noiseless))


def test_importing_the_package_loads_nothing_heavy() -> None:
    heavy = [
        "numpy",
        "duckdb",
        "pyarrow",
        "numba",
        "scipy",
        "matplotlib",
        "pydantic",
        "narwhals",
        "typer",
        "jinja2",
    ]
    code = f"import sys, noiseless; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_public_names_stand_in_three_places() -> None:
    """For those who type it, for those who list it, and for type checkers."""
    tree = ast.parse(Path(noiseless.__file__).read_text("utf-8"))
    checked = next(node for node in tree.body if isinstance(node, ast.If))
    typed = {
        alias.name: node.module.removeprefix("noiseless.")
        for node in checked.body
        if isinstance(node, ast.ImportFrom) and node.module
        for alias in node.names
    }
    assert typed == noiseless._HOMES
    assert sorted(typed) == sorted([*noiseless.__all__, *noiseless._EXTRAS])


def described(kind: type) -> set[str]:
    """What the sections "Attributes:" of a class and of those it is made of name."""
    texts = [one.__doc__ or "" for one in kind.__mro__ if one.__module__.startswith("noiseless")]
    sections = [re.split(r"\n\n", text.partition("Attributes:\n")[2])[0] for text in texts]
    return {name for section in sections for name in re.findall(r"^ +(\w+): ", section, re.MULTILINE)}


def undescribed(kind: type) -> list[str]:
    """The public attributes of a class that nothing says a word about."""
    own = [one for one in kind.__mro__ if one.__module__.startswith("noiseless")]
    names = {name for one in own for name in (*vars(one), *getattr(one, "__annotations__", {}))}
    missing = []
    for name in names - described(kind):
        member = inspect.getattr_static(kind, name, None)
        plain = getattr(member, "__func__", getattr(member, "func", member))
        has_words = callable(plain) or isinstance(plain, property)
        if not name.startswith("_") and name != "model_config" and not (has_words and plain.__doc__):
            missing.append(name)
    return sorted(missing)


@pytest.mark.parametrize(
    "name", [name for name in noiseless.__all__ if isinstance(getattr(noiseless, name), type)]
)
def test_every_attribute_of_a_public_class_is_described(name: str) -> None:
    assert undescribed(getattr(noiseless, name)) == []


ELSEWHERE = {"connect", "check_tables", "verify_tables"}
"""Functions that need a server or several files, whose examples are on their pages."""


@pytest.mark.parametrize(
    "name", [name for name in noiseless.__all__ if name[0].islower() and name not in ELSEWHERE]
)
def test_every_public_function_shows_an_example(name: str) -> None:
    assert ">>>" in (inspect.getdoc(getattr(noiseless, name)) or "")


def test_an_undescribed_attribute_is_found() -> None:
    class Thing:
        """A thing.

        Attributes:
            known: is described.
        """

        known: int
        unknown: int

    Thing.__module__ = "noiseless.thing"
    assert undescribed(Thing) == ["unknown"]


@pytest.mark.parametrize("name", noiseless._MOVED)
def test_names_that_moved_are_still_found_and_say_where(name: str) -> None:
    home = f"noiseless.{noiseless._MOVED[name]}"
    with pytest.warns(DeprecationWarning, match=f"nl.{name} is {home}.{name} now"):
        assert getattr(noiseless, name) is getattr(import_module(home), name)
    assert name not in dir(noiseless)
