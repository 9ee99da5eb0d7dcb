import tomllib
from decimal import Decimal
from pathlib import Path

import pytest

from curator_examples import write_curator
from noiseless.curator import Curator, CuratorFile
from noiseless.curator.file import draft_sections
from noiseless.errors import SchemaError
from noiseless.exact import Bits
from noiseless.tables import open_table
from noiseless.tables.text_source import TextSource


def changed(path: Path, old: str, new: str) -> Path:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    return path


def test_a_file_is_read_with_paths_beside_it(tmp_path: Path) -> None:
    path = write_curator(tmp_path, bits=40, query_bits="1.5", budget="analyst_bits = 20\nmin_group = 5")
    found = CuratorFile.read(path)
    assert found.source == str(tmp_path / "meters.csv")
    assert found.ledger == f"sqlite:///{tmp_path}/meters-ledger.db"
    assert (found.budget, found.query_budget, found.analyst_budget) == (40, Decimal("1.5"), 20)
    assert (found.least_group, found.rows, found.unit, found.query_outputs) == (5, 1, None, 2)
    assert found.schema.private == ("kwh", "solar", "heating")


def test_numbers_are_exact_and_a_reach_is_a_budget(tmp_path: Path) -> None:
    found = CuratorFile.read(write_curator(tmp_path, bits='"reach 1000"', query_bits='"reach 3"'))
    assert found.budget == Bits(1000)
    assert found.query_outputs == 3
    found = CuratorFile.read(write_curator(tmp_path, bits=40, query_bits="1.584962500721156"))
    assert found.query_outputs == 2
    assert isinstance(found.query_budget, Decimal)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("data/*.parquet", "{folder}/data/*.parquet"),
        ("/abs/x.csv", "/abs/x.csv"),
        ("duckdb:///a.db::t", "duckdb:///{folder}/a.db::t"),
        ("postgresql://host/db::t", "postgresql://host/db::t"),
    ],
)
def test_a_source_is_seen_from_the_file(tmp_path: Path, source: str, expected: str) -> None:
    path = changed(write_curator(tmp_path), 'source = "meters.csv"', f'source = "{source}"')
    assert CuratorFile.read(path).source == expected.format(folder=tmp_path)


def test_a_ledger_can_be_elsewhere(tmp_path: Path) -> None:
    path = changed(write_curator(tmp_path), "[budget]", '[ledger]\nurl = "sqlite:///kept/l.db"\n[budget]')
    assert CuratorFile.read(path).ledger == f"sqlite:///{tmp_path}/kept/l.db"
    path = changed(path, "sqlite:///kept/l.db", "postgresql+psycopg://me@host/db")
    assert CuratorFile.read(path).ledger == "postgresql+psycopg://me@host/db"


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("query_bits", "querry_bits", "did you mean query_bits?"),
        ("[budget]", "[budgets]", "did you mean budget?"),
        ('name = "meters"', 'nam = "meters"', "did you mean name?"),
        ('source = "meters.csv"', "", "[dataset] source is missing"),
        ("bits = 6", "bits = true", "[budget] bits must be a number of bits"),
        ("bits = 6", "bits = -1", "budget"),
        ("bits = 6", "bits = inf", "budget"),
        ("bits = 6", 'bits = "reach 0.5"', "reach K"),
        ("bits = 6", "bits = 20000", "10,000"),
        ("query_bits = 1", "query_bits = [1]", "[budget] query_bits"),
        ("query_bits = 1", "min_group = 0", "[budget] min_group must be a whole number above 0"),
        ('name = "meters"', 'name = " "', "name is empty"),
        ('name = "meters"', 'name = "a/b"', "name"),
        ('name = "meters"', 'name = "meters"\nunit = "household"', "unit and max_rows go together"),
        ('name = "meters"', 'name = "meters"\nmax_rows = 3', "unit and max_rows go together"),
        ('role = "public"', 'role = "pubic"', "role"),
        ("step = 0.5", "step = 0.3", "steps"),
        ("[dataset]", "proposal = true\n[dataset]", "proposal"),
        ("[budget]", "[budget", "TOML"),
    ],
)
def test_mistakes_are_one_line_that_says_how_to_mend_them(
    tmp_path: Path, old: str, new: str, said: str
) -> None:
    path = changed(write_curator(tmp_path), old, new)
    with pytest.raises(SchemaError) as caught:
        CuratorFile.read(path)
    assert said in str(caught.value)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_file_that_is_not_there_is_said_so(tmp_path: Path) -> None:
    with pytest.raises(SchemaError, match="no such file"):
        CuratorFile.read(tmp_path / "none.toml")


def test_a_file_from_elsewhere_is_read_as_it_is_written(tmp_path: Path) -> None:
    (tmp_path / "kosten.csv").write_bytes(
        "Straße;Kosten\nMühlweg;1,5\nMühlweg;2,5\nAm Tor;3,0\n".encode("latin-1")
    )
    opened = open_table(tmp_path / "kosten.csv", encoding="latin-1", decimal=",")
    path = tmp_path / "kosten.toml"
    path.write_text(
        '[dataset]\nname = "kosten"\nsource = "kosten.csv"\nencoding = "latin-1"\nseparator = ";"\n'
        'decimal = ","\n[budget]\nbits = 8\n'
        '[columns."Straße"]\nrole = "public"\ncategories = ["Mühlweg", "Am Tor"]\n'
        '[columns.Kosten]\nrole = "private"\nbounds = [0, 4]\nstep = 0.5\n'
    )
    with Curator.open(path) as curator:
        answer = curator.ask("SELECT SUM(Kosten) FROM kosten WHERE Straße = 'Mühlweg'").answers[0]
    assert answer.lower is not None
    assert answer.upper is not None
    assert answer.lower <= 4 <= answer.upper
    drafted = draft_sections(TextSource("kosten.csv", "latin-1", ","), opened.summarise(), opened.count())
    assert 'encoding = "latin-1"\ndecimal = ","\n' in drafted
    tabs = tomllib.loads(draft_sections(TextSource("kosten.csv", separator="tab")))
    assert tabs["dataset"]["separator"] == "\t"


@pytest.mark.parametrize(
    ("said", "wrong"),
    [('encoding = "latin-99"', "there is no encoding"), ('decimal = ";"', "decimal point or comma"),
     ("date_format = 3", "must be a text"), ('separator = "x"', "are not separated by 'x'")],
)  # fmt: skip
def test_how_a_file_is_written_is_checked_at_once(tmp_path: Path, said: str, wrong: str) -> None:
    path = changed(write_curator(tmp_path), "[budget]", f"{said}\n[budget]")
    with pytest.raises(SchemaError, match=wrong):
        CuratorFile.read(path)
