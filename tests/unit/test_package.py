import ast
import subprocess
import sys
from pathlib import Path

import pytest

import noiseless


@pytest.mark.parametrize("name", noiseless.__all__)
def test_public_names_resolve(name: str) -> None:
    assert getattr(noiseless, name) is not None


def test_unknown_names_are_refused() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        noiseless.nonsense  # noqa: B018 - looking it up is the test


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
    (checked,) = (node for node in tree.body if isinstance(node, ast.If))
    typed = {
        alias.name: node.module.removeprefix("noiseless.")
        for node in checked.body
        if isinstance(node, ast.ImportFrom) and node.module
        for alias in node.names
    }
    assert typed == noiseless._HOMES
    assert sorted(typed) == sorted(noiseless.__all__)
