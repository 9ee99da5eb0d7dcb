import json
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from noiseless.cli.main import application, run
from reference_pages.commands import help_parts

CSV = "age,sex,ill,id\n31,f,flu,1\n31,f,flu,2\n40,m,flu,3\n40,m,cold,4\n"


@pytest.fixture
def people(tmp_path: Path) -> str:
    path = tmp_path / "people.csv"
    path.write_text(CSV)
    return str(path)


class Outcome:
    def __init__(self, code: int, out: str, err: str) -> None:
        self.code, self.out, self.err = code, out, err

    @property
    def json(self) -> Any:  # noqa: ANN401 - any JSON
        return json.loads(self.out)


Command = Callable[..., Outcome]


@pytest.fixture
def noiseless(capsys: pytest.CaptureFixture[str]) -> Command:
    def call(*arguments: str) -> Outcome:
        code = run(arguments)
        captured = capsys.readouterr()
        return Outcome(code, captured.out, captured.err)

    return call


AUDIT_KEYS = {
    *("rows", "sensitive_values", "public_values", "pairs", "entropy", "leakage", "information", "maximin"),
    *("leakage_symmetric", "min_posterior", "max_posterior", "components", "k_anonymity"),
    *(
        "distinct_l_diversity",
        "entropy_l_diversity",
        "t_closeness",
        "homogeneous_groups",
        "witnesses",
        "policy",
    ),
}


def test_audit_as_json(noiseless: Command, people: str) -> None:
    done = noiseless("audit", people, "--sensitive", "ill", "--public", "age", "--format", "json")
    assert done.code == 0
    assert done.err == ""
    assert set(done.json) >= AUDIT_KEYS
    assert done.json["leakage"] == 1.0
    assert done.json["k_anonymity"] == 2


def test_audit_as_text(noiseless: Command, people: str) -> None:
    done = noiseless("audit", people, "--sensitive", "ill", "--public", "age", "--public", "sex")
    assert done.code == 0
    assert done.out.startswith("NOT PRIVATE: 2 of 4 rows")
    assert "flu" not in done.out
    shown = noiseless("audit", people, "--sensitive", "ill", "--public", "age", "--show-values")
    assert "flu" in shown.out


def test_policy_is_an_exit_code(noiseless: Command, people: str, tmp_path: Path) -> None:
    policy = tmp_path / "limits.toml"
    base = ("audit", people, "--sensitive", "ill", "--public", "age", "--policy", str(policy))
    policy.write_text("[limits]\nk_anonymity = 2\n")
    assert noiseless(*base).code == 0
    policy.write_text("[limits]\nmin_posterior = 2\n")
    refused = noiseless(*base, "--format", "json")
    assert refused.code == 1
    assert refused.json["policy"]["holds"] is False
    assert "NOT MET" in noiseless(*base).out


def test_each_table_is_audited_by_itself_under_a_policy_that_names_columns(
    noiseless: Command, people: str, tmp_path: Path
) -> None:
    policy = tmp_path / "policy.toml"
    policy.write_text('[columns]\nsensitive = "ill"\npublic = "sex"\n[limits]\nmin_posterior = 2\n')
    alone = noiseless("audit", people, "--policy", str(policy), "--format", "json")
    found = json.loads(alone.out)
    assert (found["sensitive"], found["public"]) == (["ill"], ["sex"])
    other = tmp_path / "other.csv"
    other.write_text("sex,ill\nf,flu\nm,cold\n")
    each = noiseless("audit", people, str(other), "--each", "--policy", str(policy), "--format", "json")
    both = json.loads(each.out)
    assert each.code == 1
    assert both["holds"] is False
    assert [one["policy"]["holds"] for one in both["audits"]] == [found["policy"]["holds"], False]
    text = noiseless("audit", str(other), "--each", "--policy", str(policy))
    assert text.out.splitlines()[0].startswith(f"{other}: NOT PRIVATE")
    assert text.out.splitlines()[1] == "  FAILS: fewest values left (ill): at least 2 asked, 1 found"
    assert noiseless("audit", str(other), "--each", "--sensitive", "ill").code == 0
    assert "table by table" in noiseless("audit", str(other), "--each", "--html", "x.html").err


def test_report_and_records_are_written(noiseless: Command, people: str, tmp_path: Path) -> None:
    html, records = tmp_path / "r.html", tmp_path / "r.csv"
    done = noiseless(
        "audit",
        people,
        "--sensitive",
        "ill",
        "--public",
        "age",
        "--html",
        str(html),
        "--records",
        str(records),
    )
    assert done.code == 0
    assert html.read_text().startswith("<!DOCTYPE html>")
    assert len(records.read_text().splitlines()) == 5


def test_several_releases(noiseless: Command, people: str, tmp_path: Path) -> None:
    other = tmp_path / "other.csv"
    other.write_text("id,job\n1,x\n2,y\n3,x\n4,y\n")
    done = noiseless(
        "audit", people, str(other), "--unit", "id", "--sensitive", "ill",
        "--public", "age", "--public", "job", "--format", "json",
    )  # fmt: skip
    assert done.json["public"] == ["1.age", "2.job"]
    assert done.json["min_posterior"] == 1


def test_without_public_columns_all_others_are_and_that_is_said(noiseless: Command, people: str) -> None:
    done = noiseless("audit", people, "--sensitive", "ill", "--format", "json")
    assert (done.json["public"], done.code) == (["age", "sex", "id"], 0)
    assert "age, sex, id" in done.err


def test_columns_that_give_every_row_away_are_pointed_out(noiseless: Command, tmp_path: Path) -> None:
    rows = "".join(f"p{n},{n % 3},{n % 2}\n" for n in range(12))
    path = tmp_path / "twelve.csv"
    path.write_text(f"who,ward,ill\n{rows}")
    done = noiseless("audit", str(path), "--sensitive", "ill")
    assert done.code == 0
    assert "who has another value in every row" in done.err
    assert "ward has" not in done.err
    assert "another value" not in noiseless("audit", str(path), "--sensitive", "who").err
    released = noiseless(
        *("release", str(path), "--sensitive", "ill", "--public", "who", "--min-posterior", "2"),
        *("-o", str(tmp_path / "released.csv")),
    )
    assert "column 'who' has another text in every row, as names and identifiers have" in " ".join(
        released.out.split()
    )


def test_a_curators_file_is_drafted_and_works_once_it_is_vouched_for(
    noiseless: Command, people: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    question = "SELECT AVG(age) FROM people"
    assert "--curator" in noiseless("query", people, question).err
    drafted, file = noiseless("schema", "people.csv", "--curator").out, Path("people.toml")
    file.write_text(drafted)
    assert "proposal" in noiseless("query", "people.toml", question).err
    file.write_text(drafted.replace("proposal = true\n", ""))
    assert noiseless("query", "people.toml", question, "--format", "json").json["spent"] == 1


def test_schema_proposal_and_check(noiseless: Command, people: str, tmp_path: Path) -> None:
    proposal = noiseless("schema", people)
    assert proposal.code == 0
    assert "proposal = true" in proposal.out
    file = tmp_path / "s.toml"
    file.write_text(proposal.out)
    kept = noiseless("schema", people, "--check", str(file))
    assert kept.code == 0
    assert "still a proposal" in kept.out
    file.write_text(
        '[columns.age]\nrole = "private"\nbounds = [0, 35]\n[columns.pay]\nrole = "public"\nbounds = [0, 1]\n'
    )
    broken = noiseless("schema", people, "--check", str(file), "--format", "json")
    assert broken.code == 1
    assert broken.json == {"conforms": False, "absent": ["pay"], "outside": {"age": 2}, "proposal": False}
    assert [c["name"] for c in noiseless("schema", people, "--format", "json").json["columns"]] == [
        "age", "sex", "ill", "id",
    ]  # fmt: skip


def test_out_of_domain_values_are_counted_or_clamped(noiseless: Command, people: str, tmp_path: Path) -> None:
    file = tmp_path / "s.toml"
    file.write_text('[columns.age]\nrole = "public"\nbounds = [0, 35]\n')
    base = ("audit", people, "--sensitive", "ill", "--schema", str(file))
    refused = noiseless(*base)
    assert refused.code == 2
    assert "column 'age': 2 values are outside 0..35" in refused.err
    assert "40" not in refused.err
    assert noiseless(*base, "--clamp").code == 0


BAD_FILES = {
    "empty.csv": b"",
    "header.csv": b"a,b\n",
    "nulls.csv": b"a,b\n1,\n2,\n",
    "ragged.csv": b"a,b\n1,2\nsecret,4,5\n",
    "twice.csv": b"a,a\n1,2\n",
    "nonsense.csv": bytes(range(256)) * 9,
    "nonsense.parquet": bytes(range(256)) * 9,
    "nonsense.xlsx": bytes(range(256)) * 9,
    "nonsense.jsonl": b'{"a": secret',
    "folder": None,
    "absent.csv": None,
}


@pytest.mark.parametrize("name", BAD_FILES)
def test_bad_files_get_one_helpful_line(noiseless: Command, tmp_path: Path, name: str) -> None:
    path, content = tmp_path / name, BAD_FILES[name]
    if content is not None:
        path.write_bytes(content)
    elif name == "folder":
        path.mkdir()
    done = noiseless("audit", str(path), "--sensitive", "a", "--public", "b")
    assert done.code == 2
    assert done.out == ""
    assert done.err.count("\n") == 1
    assert done.err.startswith("noiseless: ")
    assert "secret" not in done.err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--sensitive", "ill", "--public", "nope"], "'nope' is not in the table"),
        (["--sensitive", "ill", "--public", "ill"], "both sensitive and public"),
        (["--sensitive", "ill", "--public", "age", "--bogus"], "--bogus"),
        (["--sensitive", "ill", "--public", "age", "--missing", "maybe"], "maybe"),
        (
            ["--sensitive", "ill", "--public", "age", "--html", "/no/such/folder/x.html"],
            "folder does not exist",
        ),
        (
            ["--sensitive", "ill", "--public", "age", "--records", "/no/such/folder/x.csv"],
            "folder does not exist",
        ),
        (["--sensitive", "ill", "--public", "age", "--policy", "/no/policy.toml"], "there is no such file"),
        (["--sensitive", "ill", "--public", "age", "--schema", "/no/schema.toml"], "schema.toml"),
    ],
)
def test_wrong_requests_get_one_helpful_line(
    noiseless: Command, people: str, arguments: list[str], words: str
) -> None:
    done = noiseless("audit", people, *arguments)
    assert done.code == 2
    assert done.out == ""
    assert done.err.count("\n") == 1
    assert words in done.err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["audit"], "no sensitive column is named; add --sensitive COLUMN, one of 'who', 'ward', 'ill'"),
        (["release", "-o", "x.csv"], "add --sensitive COLUMN, one of 'who', 'ward', 'ill'"),
        (["release", "-o", "x.csv", "--sensitive", "ill"], "add --public COLUMN, one of 'who', 'ward'"),
        (["frontier", "--sensitive", "ill"], "add --public COLUMN, one of 'who', 'ward'"),
        (["attack homogeneity"], "Missing option '--sensitive', one of 'who', 'ward', 'ill'; see noiseless"),
        (["quantize", "--bounds", "0", "1"], "Missing option '--column', one of 'who', 'ward', 'ill'; see"),
    ],
)
def test_columns_are_listed_where_one_is_not_named(
    noiseless: Command, tmp_path: Path, arguments: list[str], words: str
) -> None:
    path = tmp_path / "wards.csv"
    path.write_text("who,ward,ill\nann,1,yes\nbob,2,no\n")
    command, *options = arguments
    done = noiseless(*command.split(), str(path), *options)
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert words in done.err
    path.write_text("4,5,6\n1,2,3\n")  # no header: its first line is somebody's data
    assert "`noiseless schema` lists the columns" in noiseless("audit", str(path)).err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("release t.csv --k 5", "--k; did you mean --min-rows? See noiseless release"),
        ("tables protect t.csv --min-count 5", "--min-count; did you mean --threshold? See"),
        ("audit t.csv --delimiter ;", "--delimiter; did you mean --separator? See"),
        (
            "frontier t.csv --min-posterior 3",
            "--min-posterior; it belongs to release; see",
        ),
        ("attack linkage t.csv --public a", "--public; it belongs to audit, release and frontier; see"),
        ("rules --nothing-like-it", "--nothing-like-it; see noiseless rules --help"),
    ],
)
def test_an_option_of_another_tool_or_command_is_recognised(
    noiseless: Command, arguments: str, said: str
) -> None:
    assert f"noiseless: No such option: {said}" in noiseless(*arguments.split()).err


@pytest.mark.parametrize("words", ["release", "frontier", "tables protect", "attack membership"])
def test_help_breaks_no_choice_and_states_a_default_once(
    noiseless: Command, monkeypatch: pytest.MonkeyPatch, words: str
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    shown = " ".join(noiseless(*words.split(), "--help").out.replace("│", " ").split())
    assert not re.search(r"<[\w|-]* |<(str|int|float|list)\b", shown)
    for described in re.split(r" --(?=\w)", shown):
        assert described.count("default") < 2, described


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("release t.csv --min-posterior x", "--min-posterior must be a whole number; see noiseless release"),
        ("tables protect t.csv --threshold 0", "--threshold must be at least 1; see"),
        ("audit t.csv --missing none", "--missing: 'none' is not one of 'value', 'drop', 'error'; see"),
        (
            "release t.csv --sensitive a --public b --suppress 2 -o o.csv",
            "--suppress must be a share from 0 to 1; write 0.02 for 2 %\n",
        ),
        ("studio t.csv", "t.csv: there is no such file; check the name and the folder\n"),
    ],
)
def test_a_wrong_value_is_said_in_plain_words(noiseless: Command, arguments: str, said: str) -> None:
    done = noiseless(*arguments.split())
    assert done.code == 2
    assert f"noiseless: {said}" in done.err


def test_a_misspelt_option_gets_the_likeliest_suggestion(noiseless: Command) -> None:
    assert (
        noiseless("audit", "t.csv", "--sensitve", "a").err
        == "noiseless: No such option: --sensitve; did you mean --sensitive? See noiseless audit --help\n"
    )


@pytest.mark.parametrize("words", [[], ["audit"], ["query"], ["attack", "hypothesis"], ["token", "add"]])
def test_examples_of_the_help_can_be_pasted_and_fit_a_narrow_terminal(
    words: list[str], noiseless: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    lines = noiseless(*words, "--help").out.splitlines()
    assert max(map(len, lines)) <= 80
    assert "<bool>" not in "".join(lines)
    first = next(number for number, line in enumerate(lines) if line.strip() in {"Example:", "Examples:"}) + 1
    shown = "\n".join(line.strip() for line in lines[first : lines.index(" " * 80, first)])
    examples = shown.replace("\\\n", "").splitlines()
    called = " ".join(["noiseless", *words])
    command: Any = get_command(application())
    for word in words:
        command = command.commands[word]
    assert [shlex.split(one) for one in examples] == [shlex.split(one) for one in help_parts(command)[1]]
    assert all(called in one for one in examples)


def test_a_misspelt_command_gets_a_suggestion(noiseless: Command) -> None:
    assert (
        noiseless("audt").err
        == "noiseless: No such command 'audt'; did you mean 'audit'? See noiseless --help\n"
    )


def test_a_proposal_names_rows_that_make_a_column_of_numbers_texts(
    noiseless: Command, tmp_path: Path
) -> None:
    path = tmp_path / "pay.csv"
    path.write_text("n;pay\n" + "".join(f"1;{n},5\n" for n in range(200)) + "1;b.d.\n")
    drafted = " ".join(noiseless("schema", str(path)).out.replace("# ", "").split())
    assert (
        "pay: left out: numbers except in 1 row (the first is row 201); blank or mend those rows" in drafted
    )


def test_columns_that_read_as_texts_are_not_proposed(noiseless: Command, tmp_path: Path) -> None:
    path = tmp_path / "stays.csv"
    path.write_text("born;came;paid;n\n17.08.1971;1.02.2024 09:05;1,5;1\n3.12.1999;29.02.2024 23:59;2,5;2\n")
    drafted = " ".join(noiseless("schema", str(path)).out.replace("# ", "").split())
    assert "born: left out: dates; add --date-format 'DD.MM.YYYY' to read days" in drafted
    assert "came: left out: dates with times; add --date-format 'DD.MM.YYYY hh:mm' to read days" in drafted
    assert "paid: left out: numbers with decimal commas; add --decimal , to read them" in drafted
    forms = ("--decimal", ",", "--date-format", "DD.MM.YYYY", "--date-format", "DD.MM.YYYY hh:mm")
    read = noiseless("schema", str(path), "--curator", *forms).out
    assert "left out" not in read
    assert 'date_format = ["DD.MM.YYYY", "DD.MM.YYYY hh:mm"]' in read
    file = tmp_path / "stays.toml"
    file.write_text(read.replace("proposal = true", ""))
    assert noiseless("query", str(file), "SELECT COUNT(*) FROM stays WHERE came > '2024-02-10'").code == 0


def test_a_release_is_verified_with_the_separator_that_it_was_made_with(
    noiseless: Command, tmp_path: Path
) -> None:
    path, released, certificate = (str(tmp_path / name) for name in ("in.csv", "out.csv", "cert.json"))
    rows = "".join(f"{30 + i % 7},5;{60 + i % 5},0;{'abc'[i % 3]}\n" for i in range(42))
    Path(path).write_text(f"age,years;weight,kg;illness\n{rows}")
    asked = ("--sensitive", "illness", "--public", "age,years", "--min-posterior", "2")
    made = ("-o", released, "--certificate", certificate)
    refused = noiseless("release", path, *asked, *made)
    assert (refused.code, refused.err.count("\n")) == (2, 1)
    assert refused.err.endswith(
        "may be separated by commas or by semicolons; say which, as in --separator ';'\n"
    )
    written = ("--separator", ";", "--decimal", ",")
    assert noiseless("release", path, *asked, *made, *written).code == 0
    check = ("verify", certificate, "--original", path, "--released", released)
    assert noiseless(*check, *written).code == 0
    assert noiseless(*check, "--separator", ";").code == 1
    assert "say which, as in --separator ';'; the release was made with" in noiseless(*check).err
    assert noiseless(*check, "--separator", ",", "--decimal", ",").code == 1


def test_failures_inside_tell_no_values(
    noiseless: Command, people: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("the value 31 of somebody")

    monkeypatch.setattr("noiseless.audits.audit", broken)
    done = noiseless("audit", people, "--sensitive", "ill", "--public", "age")
    assert done.code == 3
    assert "31" not in done.err
    assert "RuntimeError" in done.err


def test_demo(noiseless: Command, tmp_path: Path) -> None:
    done = noiseless("demo", "--out", str(tmp_path / "demo"))
    assert done.code == 0
    assert done.out.count("NOT PRIVATE") == 2
    assert "..." not in done.out  # commands can be copied as they are
    assert "The certificate holds" in done.out
    assert "the answers cost 2.00 bits" in done.out
    assert "the answers cost nothing" in done.out
    assert "homogeneity: share of people" in done.out
    assert sorted(p.name for p in (tmp_path / "demo").iterdir()) == [
        "attack.svg",
        "certificate.json",
        "households.csv",
        "patients-4-anonymous-records.csv",
        "patients-4-anonymous.csv",
        "patients-4-anonymous.html",
        "patients-records.csv",
        "patients.csv",
        "patients.html",
        "patients.toml",
        "released.csv",
        "released.html",
    ]


def test_the_table_is_never_overwritten(noiseless: Command, people: str, tmp_path: Path) -> None:
    base = ("audit", people, "--sensitive", "ill", "--public", "age")
    for option in ("--html", "--records"):
        done = noiseless(*base, option, people)
        assert done.code == 2
        assert "is the table itself" in done.err
    both = str(tmp_path / "x.csv")
    assert noiseless(*base, "--html", both, "--records", both).code == 2
    assert Path(people).read_text() == CSV


def test_a_file_without_a_header_shows_no_cells(noiseless: Command, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("61,0,0\n47,1,2\n")
    for columns in (("age", "sex"), ("61", "x")):
        done = noiseless("audit", str(path), "--sensitive", columns[0], "--public", columns[1])
        assert done.code == 2
        assert "--names" in done.err
        assert "47" not in done.err.replace(str(path), "")
    path.write_text("61,1\n47,2\n")
    unknown = noiseless("audit", str(path), "--sensitive", "age", "--public", "sex")
    assert "61" not in unknown.err.replace(str(path), "")


def test_columns_joined_by_a_comma(noiseless: Command, people: str) -> None:
    done = noiseless("audit", people, "--sensitive", "ill", "--public", "age,sex")
    assert "name them one by one: repeat the option, or give a list" in done.err


def test_output_into_a_closed_pipe_keeps_the_exit_code(people: str) -> None:
    command = f"{sys.executable} -m noiseless audit {people} --sensitive ill --public age --format json"
    done = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {command} | true"], capture_output=True, check=False
    )
    assert done.returncode == 0
    assert done.stderr == b""


def test_without_a_command_there_is_help(noiseless: Command) -> None:
    done = noiseless()
    assert done.code == 0
    assert "audit" in done.out


def test_version_and_help(noiseless: Command) -> None:
    assert noiseless("--version").out.startswith("noiseless ")
    for command in ("audit", "schema", "demo"):
        done = noiseless(command, "--help")
        assert done.code == 0
        assert "Example" in done.out


def test_as_a_process(people: str) -> None:
    command = [sys.executable, "-m", "noiseless", "audit", people, "--sensitive", "ill", "--public", "age"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert done.stdout.startswith("NOT PRIVATE")
    wrong = subprocess.run([*command, "--public", "x"], capture_output=True, text=True, check=False)
    assert wrong.returncode == 2
    assert "Traceback" not in wrong.stderr
