"""What is published: the wheel and the source archive hold all that the package needs, and install."""

import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

import noiseless
from noiseless.studio.manual import PAGES

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A source archive, and the wheel that is built from it."""
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder


def test_the_wheel_holds_the_package_and_its_data(built: Path) -> None:
    (wheel,) = built.glob("*.whl")
    assert wheel.name.startswith(f"noiseless-{noiseless.__version__}-")
    names = set(zipfile.ZipFile(wheel).namelist())
    source = ROOT / "src"
    kept = [
        path
        for path in (source / "noiseless").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    ]
    missing = [str(path.relative_to(source)) for path in kept if str(path.relative_to(source)) not in names]
    assert missing == []
    assert {f"noiseless/studio/manual/{name}.md" for name in PAGES} <= names
    assert not [name for name in names if name.startswith(("tests/", "docs/"))]


def test_the_source_archive_holds_what_builds_and_tests_it(built: Path) -> None:
    (archive,) = built.glob("*.tar.gz")
    with tarfile.open(archive) as opened:
        names = {name.partition("/")[2] for name in opened.getnames()}
    needed = {
        "pyproject.toml",
        "LICENSE",
        "README.md",
        "CHANGELOG.md",
        "SECURITY.md",
        "CITATION.cff",
        "Makefile",
    }
    assert needed <= names
    assert {"src/noiseless/__init__.py", "tests/conftest.py", "conftest.py", "docs/conf.py"} <= names


def test_the_wheel_installs_and_audits(built: Path, tmp_path: Path) -> None:
    (wheel,) = built.glob("*.whl")
    site = tmp_path / "site"
    install = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--target"]
    subprocess.run([*install, str(site), str(wheel)], check=True)
    code = (
        "import noiseless as nl, pathlib; home = pathlib.Path(nl.__file__).parent; print(home);"
        "print(nl.audit(home / 'data' / 'patients.csv', sensitive='illness', public=['age']).verdict)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": str(site)},
    )
    home, verdict = done.stdout.splitlines()
    assert home == str(site / "noiseless")
    assert "illness" in verdict
