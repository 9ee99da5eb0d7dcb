"""The page for the board as the commands write it, and as a browser prints it: one sheet of paper."""

import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from noiseless.cli import options
from noiseless.cli.main import run
from waiting import HANGS

Captured = pytest.CaptureFixture[str]
COLUMNS = ["age_at_admission", "sex", "postcode", "occupation", "nationality", "marital_status", "education"]


@pytest.fixture
def registry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A table with many columns and a long name."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1767225600")
    rows = [
        [20 + 7 * n % 60, "FM"[n % 2], 1000 + n % 9, f"o{n % 3}", f"n{n % 4}", f"m{n % 2}", f"e{n % 3}"]
        for n in range(60)
    ]
    lines = [",".join(map(str, [*row, f"i{n % 5}", f"w{n % 3}"])) for n, row in enumerate(rows)]
    name = "a_rather_long_name_of_the_export_of_a_registry.csv"
    Path(name).write_text("\n".join([",".join([*COLUMNS, "illness_code", "income_band"]), *lines]) + "\n")
    return name


def released(registry: str, capsys: Captured) -> str:
    public = [word for name in COLUMNS for word in ("--public", name)]
    limits = ("--min-posterior", "2", "--min-rows", "2", "--max-leakage", "2", "--suppress", "0.05")
    files = ("-o", "out.csv", "--certificate", "c.json", "--summary", "board.html")
    secrets = ("--sensitive", "illness_code", "--sensitive", "income_band")
    assert run(["release", registry, *secrets, *public, *limits, *files, "--method", "greedy"]) == 0
    assert "For the board: board.html" in capsys.readouterr().out
    return Path("board.html").read_text("utf-8")


def audited(registry: str, capsys: Captured) -> str:
    Path("limits.toml").write_text(
        "[limits]\nleakage = 1\nmaximin = 0\nmin_posterior = 2\nk_anonymity = 4\nbest_guess = 0.5\n"
    )
    secrets = ("--sensitive", "illness_code", "--sensitive", "income_band")
    assert run(["audit", registry, *secrets, "--policy", "limits.toml", "--summary", "board.html"]) == 1
    assert "NOT MET" in capsys.readouterr().out
    return Path("board.html").read_text("utf-8")


@pytest.mark.parametrize(("made", "paper"), [(released, "A4"), (released, "Letter"), (audited, "Letter")])
def test_it_is_one_sheet_on_either_paper(
    made: Callable[..., str], paper: str, registry: str, capsys: Captured
) -> None:
    if shutil.which("chromium") is None:
        pytest.skip("chromium is not installed (Debian: apt-get install chromium)")
    page = made(registry, capsys)
    Path("sheet.html").write_text(page.replace("@page { margin", f"@page {{ size: {paper}; margin"), "utf-8")
    flags = (
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--no-pdf-header-footer",
        "--user-data-dir=profile",
    )
    sheet = Path("sheet.html").resolve().as_uri()
    command = ["chromium", *flags, "--print-to-pdf=sheet.pdf", sheet]
    subprocess.run(command, check=True, capture_output=True, timeout=HANGS)
    assert len(re.findall(rb"/Type\s*/Page\b", Path("sheet.pdf").read_bytes())) == 1


def test_the_page_holds_the_command_and_the_digests(registry: str, capsys: Captured) -> None:
    page = released(registry, capsys)
    assert f"noiseless release {registry} --sensitive illness_code" in page
    assert "2026-01-01" in page
    assert len(re.findall(r"<code>[0-9a-f]{64}</code>", page)) == 3


def test_no_password_is_on_it() -> None:
    address = "postgresql://me:hush@host/db?password=hush::people"
    typed = ("audit", "t.csv", "--population", address, f"--population={address}", "postgres://me:hush@")
    token = options.TYPED.set(typed)
    try:
        shown = options.typed_command()
    finally:
        options.TYPED.reset(token)
    assert "hush" not in shown
    assert "--population postgresql://me@host/db::people" in shown


def test_two_pages_cannot_be_one_file(registry: str, capsys: Captured) -> None:
    same = ("--html", "x.html", "--summary", "x.html")
    hide = ("--sensitive", "illness_code", "--public", "sex", "--min-rows", "2", "-o", "o.csv")
    for command in (
        ["audit", registry, "--sensitive", "illness_code", *same],
        ["release", registry, *hide, *same],
    ):
        assert run(command) == 2
        assert "cannot hold two things" in capsys.readouterr().err
    assert run(["release", registry, "--apply", "c.json", "-o", "o.csv", "--summary", "x.html"]) == 2
    assert "leave --summary out" in capsys.readouterr().err
