import random
import subprocess
import sys
from datetime import date
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pytest

import noiseless as nl
from noiseless.errors import ColumnError, NoiselessError, RequestError, SourceError
from noiseless.releases.request import ReleaseRequest, read_config
from noiseless.reports.release_text import frontier_text, release_text
from noiseless.tables.hierarchies import HierarchyRule, read_tree
from noiseless.tables.text_source import TextSource
from noiseless.verification import standalone_script
from waiting import HANGS

ROWS = "flu,lung,any\nasthma,lung,any\nulcer,stomach,any\n"


@pytest.mark.parametrize("text", [ROWS, ROWS.replace(",", ";"), ROWS.replace(",", "\t"), "\ufeff" + ROWS])
def test_a_tree_from_a_file(text: str, tmp_path: Path) -> None:
    file = tmp_path / "tree.csv"
    file.write_text(text, "utf-8")
    tree = read_tree("illness", file)
    assert tree.paths == {"flu": ("lung", "any"), "asthma": ("lung", "any"), "ulcer": ("stomach", "any")}
    assert tree.height == 2
    texts = pa.array(["flu", "ulcer", "asthma"])
    nodes = tree.nodes(texts)
    assert nodes[0, 1] == nodes[2, 1] != nodes[1, 1]
    assert len(set(nodes[:, 2])) == 1
    assert tree.costs(texts, "height").tolist() == [[0, 1, 2]] * 3
    assert tree.costs(texts, "leaves").tolist() == [[0, 1, 2], [0, 0, 2], [0, 1, 2]]


def test_quoted_fields_as_arx_writes_them(tmp_path: Path) -> None:
    file = tmp_path / "age.csv"
    file.write_text('17,"[15, 20[",*\n21,"[20, 25[",*\n')
    assert read_tree("age", file).paths["17"] == ("[15, 20[", "*")


def test_only_line_ends_outside_quotes_end_a_row(tmp_path: Path) -> None:
    file = tmp_path / "tree.csv"
    file.write_bytes('a\u2028b,"p\r\nq",top\r\nc\x85d,r,top\r\n'.encode())
    assert read_tree("x", file).paths == {"a\u2028b": ("p\r\nq", "top"), "c\x85d": ("r", "top")}


def test_missing_values_have_a_place_beside_the_top() -> None:
    tree = read_tree("x", {"a": ("p", "top"), "b": ("q", "top")}).with_missing()
    assert tree.paths == {"a": ("p", "top", "*"), "b": ("q", "top", "*"), None: (None, None, "*")}
    assert tree.declared == {"a": ("p", "top"), "b": ("q", "top")}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "is empty"),
        ("a,p,top\nb,top\n", "row 2 has 1 levels, the first one 2"),
        ("a,p,top\na,q,top\n", "row 2 gives a value other levels"),
        ("a,p,u,top\nb,p,v,top\n", "'p' of level 1 lies below two different names"),
        ("a,p\nb,q\n", "has several tops"),
        ("a\nb\n", "row 1 has 0 levels"),
        ("a,,top\n", "row 1 has an empty field"),
        ('a,"p,top\n', "is not well formed"),
    ],
)
def test_what_is_no_tree_is_refused(text: str, problem: str, tmp_path: Path) -> None:
    file = tmp_path / "tree.csv"
    file.write_text(text)
    with pytest.raises(RequestError, match=problem):
        read_tree("x", file)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(RequestError, match="there is no such file"):
        read_tree("x", tmp_path / "none.csv")


@pytest.mark.parametrize("encoding", ["iso8859-2", "utf-8", "utf-16"])
def test_a_file_is_encoded_like_its_table_or_in_utf_8(encoding: str, tmp_path: Path) -> None:
    table, tree = tmp_path / "pl.csv", tmp_path / "tree.csv"
    table.write_text("miasto,choroba\nŁódź,grypa\nSącz,ospa\nŁódź,ospa\nSącz,grypa\n", "iso8859-2")
    tree.write_text("Łódź,Środek,*\nSącz,Południe,*\n", encoding)
    source = TextSource(str(table), "iso8859-2" if encoding == "utf-8" else encoding)
    if encoding == "utf-16":
        table.write_text(table.read_text("iso8859-2"), "utf-16")
    made = nl.release(
        source, sensitive="choroba", public="miasto", hierarchy={"miasto": tree}, min_posterior=2
    )
    assert sorted(made.frame["miasto"].to_pylist()) == ["Sącz", "Sącz", "Łódź", "Łódź"]
    classes = tmp_path / "classes.csv"
    classes.write_text("grypa,zakaźne,świat\nospa,zakaźne,świat\n", encoding)
    assert nl.audit(source, sensitive="choroba", public="miasto", hierarchy={"choroba": classes}).worst


def test_a_file_in_no_such_encoding_is_refused(tmp_path: Path) -> None:
    tree = tmp_path / "tree.csv"
    tree.write_text("Łódź,*\n", "cp1250")
    with pytest.raises(SourceError, match=r"is not UTF-8 text; name its encoding .*cp1250"):
        read_tree("x", tree)
    with pytest.raises(SourceError, match="is neither UTF-8 nor ascii text"):
        read_tree("x", tree, "ascii")


def rule(text: str) -> HierarchyRule:
    found = HierarchyRule.read(text)
    assert found is not None
    return found


def above(
    text: str, *values: str | None, rows: tuple[int, ...] = ()
) -> dict[str | None, tuple[str | None, ...]]:
    return dict(rule(text).tree("x", values, rows or (1,) * len(values)).paths)


def test_intervals_of_whole_numbers() -> None:
    assert above("intervals:5,10,20", "37", "0", "-3", None) == {
        "37": ("35-39", "30-39", "20-39", "*"),
        "0": ("0-4", "0-9", "0-19", "*"),
        "-3": ("-5 to -1", "-10 to -1", "-20 to -1", "*"),
    }
    assert above("intervals:1,10@18", "18", "37")["37"] == ("37", "28-37", "*")


def test_intervals_of_decimals_and_what_is_no_number() -> None:
    found = above("intervals:0.5,2", "0.75", "-0.1", "3", "?")
    assert found["0.75"] == ("[0.5, 1)", "[0, 2)", "*")
    assert found["-0.1"] == ("[-0.5, 0)", "[-2, 0)", "*")
    assert found["3"] == ("[3, 3.5)", "[2, 4)", "*")
    assert found["?"] == ("?", "?", "*")


def test_prefixes_of_codes() -> None:
    assert above("prefixes", "3003")["3003"] == ("300*", "30**", "3***", "****")
    found = above("prefixes", "J45", "J45.1", "K2")
    assert found["J45"] == ("J45**", "J45**", "J4***", "J****", "*****")
    assert found["J45.1"] == ("J45.*", "J45**", "J4***", "J****", "*****")


def test_dates_and_moments() -> None:
    assert above("dates", "2024-05-31", "unknown") == {
        "2024-05-31": ("2024-05", "2024-Q2", "2024", "2020s", "*"),
        "unknown": ("unknown", "unknown", "unknown", "unknown", "*"),
    }
    moments = above("dates", "1999-12-31 23:59:00", "2000-01-01 00:00:00")
    assert moments["1999-12-31 23:59:00"] == ("1999-12-31", "1999-12", "1999-Q4", "1999", "1990s", "*")


def test_frequencies_pool_what_is_rare() -> None:
    found = above("frequencies:10,100", "a", "b", "c", rows=(5, 50, 500))
    assert found == {
        "a": ("fewer than 10 rows", "fewer than 100 rows", "*"),
        "b": ("b", "fewer than 100 rows", "*"),
        "c": ("c", "c", "*"),
    }


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("intervals", "takes numbers that grow, such as intervals:5,10,20"),
        ("intervals:5,5", "takes numbers that grow"),
        ("intervals:0,5", "takes numbers that grow"),
        ("intervals:5,x", "takes numbers that grow"),
        ("intervals:5,12", "a multiple of the one before"),
        ("prefixes:2", "takes no numbers; write prefixes alone"),
        ("dates:", "takes no numbers; write dates alone"),
        ("frequencies:10@5", "such as frequencies:10,100"),
        ("frequencies:2.5", "such as frequencies:10,100"),
    ],
)
def test_rules_that_are_not_written_well(text: str, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        HierarchyRule.read(text)
    with pytest.raises(RequestError, match=f"hierarchy.age: .*{problem}"):
        ReleaseRequest.of({"hierarchy": {"age": text}})


def test_a_file_has_a_path_that_no_rule_is_written_as(tmp_path: Path) -> None:
    asked = {"a": "./prefixes", "b": Path("dates"), "c": "prefixes", "d": "age.csv"}
    request = ReleaseRequest.of({"hierarchy": asked})
    assert request.files == (Path("prefixes"), Path("dates"), Path("age.csv"))
    assert request.hierarchy["c"] == rule("prefixes")
    file = tmp_path / "release.toml"
    file.write_text('[hierarchy]\nage = "intervals:5,10"\nzip = "zip.csv"\n')
    read = read_config(file, ReleaseRequest)
    assert read["hierarchy"] == {"age": "intervals:5,10", "zip": tmp_path / "zip.csv"}


@pytest.mark.parametrize(
    ("text", "values", "problem"),
    [
        ("intervals:5", ["a", "b"], "no value that the rule intervals fits"),
        ("dates", ["31/12/1999"], "no value that the rule dates fits"),
        ("prefixes", ["a" * 31], "more than 30 characters"),
        ("intervals:5,10", ["7", "5-9"], "read as names of the rule intervals"),
    ],
)
def test_columns_that_a_rule_does_not_fit(text: str, values: list[str], problem: str) -> None:
    with pytest.raises(ColumnError, match=problem):
        rule(text).tree("x", values, [1] * len(values))


def people() -> pa.Table:
    """Numbers, decimals, codes, days and categories, each with a missing value."""
    size = 60
    return pa.table(
        {
            "age": [None if i == 7 else 20 + i * 7 % 50 for i in range(size)],
            "weight": [None if i == 9 else 50 + i * 13 % 40 / 4 for i in range(size)],
            "zip": [None if i == 3 else f"{3000 + i * 37 % 90}" for i in range(size)],
            "born": [None if i == 5 else date(1950 + i, 1 + i % 12, 1 + i % 28) for i in range(size)],
            "job": [None if i == 2 else "nurse" if i % 3 else f"other {i % 9}" for i in range(size)],
            "sex": ["f" if i % 2 else "m" for i in range(size)],
            "illness": [f"s{i % 5}" for i in range(size)],
        }
    )


RULES = {
    "age": "intervals:5,10,20",
    "weight": "intervals:2.5,5@1.25",
    "zip": "prefixes",
    "born": "dates",
    "job": "frequencies:10",
}


@pytest.mark.parametrize("recoding", ["local", "full-domain"])
@pytest.mark.parametrize("column", RULES)
def test_releases_by_rules_are_verified(column: str, recoding: str, tmp_path: Path) -> None:
    table, out, certificate = people(), tmp_path / "released.csv", tmp_path / "certificate.json"
    source = tmp_path / "people.csv"
    pyarrow.csv.write_csv(table, source)
    done = nl.release(
        source,
        sensitive="illness",
        public=[column],
        hierarchy={column: RULES[column]},
        min_posterior=3,
        suppress=0.05,
        recoding=recoding,  # type: ignore[arg-type]
    )
    assert done.point.min_posterior >= 3
    assert done.changes[0].kind == "hierarchy"
    assert (done.changes[0].level is None) == (recoding == "local")
    done.save(out, certificate=certificate)
    assert nl.verify(certificate, original=source, released=out).holds
    script = tmp_path / "verify.py"
    script.write_text(standalone_script())
    ran = subprocess.run(
        [sys.executable, script, certificate, "--original", source, "--released", out],
        capture_output=True,
        check=False,
        timeout=HANGS,
    )
    assert ran.returncode == 0, ran.stdout.decode()


def test_columns_on_one_level() -> None:
    done = nl.release(
        people(),
        sensitive="illness",
        public=["age", "sex"],
        hierarchy={"age": "intervals:10,20"},
        recoding="full-domain",
        prefer="mean",
        suppress=0.1,
        min_posterior=3,
    )
    level = {change.name: change.level for change in done.changes}
    ages = set(done.table["age"].to_pylist()) - {"*", None}
    assert level["age"] in (1, 2)
    widths = {int(age.split("-")[1]) - int(age.split("-")[0]) + 1 for age in ages}
    assert widths == {10 * level["age"]}
    assert (done.scope, done.optimal) == ("full-domain", True)
    assert "Proved optimal among full-domain recodings" in release_text(done)


@pytest.mark.parametrize(
    ("asked", "problem"),
    [
        (
            {"public": "age"},
            'holds numbers, and full-domain recoding .* hierarchy={"age": "intervals:5,10,20"}',
        ),
        ({"public": "born"}, 'holds days, .* hierarchy={"born": "dates"}'),
        ({"public": "job", "weight": 1}, "does not take weight; leave it out"),
        ({"public": "job", "codeword": "medoid"}, 'does not take codeword="medoid"; leave it out'),
        ({"public": "job", "distance": "hamming"}, 'does not take distance="hamming"; leave it out'),
        ({"public": "job", "objective": "both"}, 'does not take objective="both"; leave it out'),
        ({"public": "job", "max_maximin": 0}, "does not take max_maximin; leave it out"),
    ],
)
def test_what_full_domain_recoding_does_not_take(asked: dict[str, Any], problem: str) -> None:
    with pytest.raises(NoiselessError, match=problem):
        nl.release(people(), sensitive="illness", min_posterior=2, recoding="full-domain", **asked)
    if "max_maximin" not in asked and "weight" not in asked:
        with pytest.raises(NoiselessError, match=problem):
            nl.frontier(people(), sensitive="illness", recoding="full-domain", **asked)


@pytest.mark.parametrize("seed", range(6))
def test_local_suppression(seed: int, tmp_path: Path) -> None:
    """Of a released row each value is the original's or *, and the limits hold, from the two tables alone."""
    rng = random.Random(seed)
    ages = [None if rng.random() < 0.1 * (seed % 2) else rng.randrange(5) for _ in range(60)]
    table = pa.table(
        {
            "age": pa.array(ages, pa.int64()),
            "job": [rng.choice("aab") for _ in ages],
            "born": [date(1980 + rng.randrange(3), 1, 1) for _ in ages],
            "illness": [rng.choice("pqrs") for _ in ages],
        }
    )
    public = ["age", "job", "born"]
    limits: dict[str, Any] = {"min_rows": 4, "min_posterior": 2, "prefer": rng.choice(["worst", "mean"])}
    done = nl.release(
        table, sensitive="illness", public=public, recoding="suppression", keep_order=True, **limits
    )
    out = tmp_path / "out.csv"
    done.save(out)
    lines = [line.split(",") for line in out.read_text().splitlines()]
    shown = [tuple(line[lines[0].index(name)] for name in public) for line in lines[1:]]
    texts = [
        tuple("" if value is None else str(value) for value in row)
        for row in zip(*(table[name].to_pylist() for name in public), strict=True)
    ]
    assert len(shown) == len(texts)
    for before, after in zip(texts, shown, strict=True):
        assert all(new in (old, "*") for old, new in zip(before, after, strict=True))
    for cell in set(shown):
        rows = zip(shown, table["illness"].to_pylist(), strict=True)
        held = [secret for row, secret in rows if row == cell]
        assert len(held) >= 4
        assert len(set(held)) >= 2
    assert any("*" not in row for row in shown) or done.point.mean_loss == 1


@pytest.mark.parametrize("option", [{"codeword": "medoid"}, {"distance": "hamming"}])
def test_local_suppression_refuses_what_has_no_meaning_there(option: dict[str, Any]) -> None:
    with pytest.raises(RequestError, match='recoding="suppression" does not take'):
        nl.release(
            people(), sensitive="illness", public=["zip", "job"], recoding="suppression", min_rows=2, **option
        )


def test_a_frontier_of_levels() -> None:
    found = nl.frontier(
        people(),
        sensitive="illness",
        public=["zip", "job"],
        hierarchy={"zip": "prefixes"},
        recoding="full-domain",
    )
    assert found.scope == "full-domain"
    assert found.is_complete
    assert "no other choice of a level for each column beats a point" in frontier_text(found)
