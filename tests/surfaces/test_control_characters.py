"""Names come from files that anybody may have written: none steers a terminal or turns a line around."""

import json
import unicodedata
from pathlib import Path

import pyarrow as pa
import pytest

import noiseless as nl
from noiseless.cli.main import run
from noiseless.reports import audit_html
from noiseless.verification import script

ILL, AGE = "ill\x1b[2J\x9b31m", "age\u202e\x07\x7f"


@pytest.fixture
def people(tmp_path: Path) -> Path:
    path = tmp_path / "people.csv"
    path.write_text(f"{ILL},{AGE},ward\nflu,31,a\ncold,32,a\nflu,40,b\ncold,41,b\nFlu,42,b\n", "utf-8")
    return path


def plain(text: str) -> str:
    """The text, which holds nothing but what is seen."""
    assert all(line.isprintable() for line in text.split("\n"))
    return text


def steered(page: str) -> None:
    """A page, in which direction is kept within an element, holds no control character."""
    assert {letter for letter in page if unicodedata.category(letter) == "Cc"} == {"\n"}


def told(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    run(list(words))
    seen = capsys.readouterr()
    return plain(seen.out) + plain(seen.err)


def test_the_commands_show_names_escaped(people: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = [str(people.with_name(name)) for name in ("released.csv", "certificate.json", "page.html")]
    columns = ("--sensitive", ILL, "--public", AGE, "--public", "ward")
    assert "ill\\x1b[2J" in told(capsys, "audit", str(people), *columns, "--html", out[2])
    steered(Path(out[2]).read_text("utf-8"))
    answer = told(capsys, "audit", str(people), *columns, "--format", "json")
    assert json.loads(answer)["sensitive"] == [ILL]
    release = ("release", str(people), "--sensitive", ILL, "--public", AGE, "--min-posterior", "2")
    told(capsys, *release, "-o", out[0], "--certificate", out[1])
    tables = ("--original", str(people), "--released", out[0])
    assert "holds" in told(capsys, "verify", out[1], *tables)
    told(capsys, "schema", str(people))
    assert "is not in the table" in told(
        capsys, "audit", str(people), "--sensitive", "\x1b[1m", "--public", AGE
    )
    assert "no such file" in told(capsys, "audit", "\x1b]0;x\x07.csv", "--sensitive", "a")
    for form in ("text", "json"):
        assert script.main([out[1], *tables, "--format", form]) == 0
        plain(capsys.readouterr().out)


def test_the_library_shows_names_escaped(people: Path) -> None:
    found = nl.audit(people, sensitive=ILL, public=AGE)
    assert "ill\\x1b[2J" in plain(repr(found))
    steered(audit_html(found, reveal=True))
    plain(repr(nl.release(people, sensitive=ILL, public=AGE, min_posterior=2)))
    with pytest.raises(nl.NoiselessError) as refused:
        nl.audit(pa.table({"a\x1bb": [1], "b": [2]}), sensitive="b\x1bc", public="b")
    assert plain(str(refused.value))
