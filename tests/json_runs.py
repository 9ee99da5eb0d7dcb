"""Every command that prints JSON, run once on something small: which keys it has.

`python tests/json_runs.py` writes them into the file that the pages of the commands are made from.
"""

import json
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory

from curator_examples import write_curator
from noiseless.cli.main import run

ROOT = Path(__file__).parents[1]
TABLES = ROOT / "src" / "noiseless" / "data"
WRITTEN = ROOT / "docs" / "_ext" / "reference_pages" / "json_keys.json"

PATIENTS = ("patients.csv", "--sensitive", "illness", "--public", "age")
AGES = ("patients.csv", "--column", "age", "--bounds", "0", "120")
HIDDEN = ("--hypothesis", "weight >= height / 2", "--bounds", "weight=0:200", "--bounds", "height=0:250")
CERTIFIED = ("-o", "released.csv", "--certificate", "certificate.json")
METERS = ("-o", "told-meters.csv", "--certificate", "meters.json")
ASKED = "SELECT suburb, AVG(kwh) FROM meters GROUP BY suburb"

LONG = ("--unit", "household", "--time", "hour", "--value", "kwh")
ONE_BIT = ("--budget", "1")
LEAST = ("--least", "leakage", "--explain")
BRIEF = (*ONE_BIT, "--rounds", "2")

FIRMS = ("--microdata", "firms.csv", "--value", "turnover", "--unit", "firm")
TURNOVER = ("--kind", "magnitude", "--rows", "region", "--cols", "branch", *FIRMS)

CLINICS = ("--cols", "illness", "--ledger", "sqlite:///clinics.db", "--population", "clinics")

RUNS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (
        "audit",
        (*PATIENTS, "--public", "sex", "--given", "postcode", "--policy", "limits.toml", "--show-values"),
    ),
    ("audit", (*PATIENTS, "--rule", "age=round:5")),
    ("audit", (*PATIENTS, "--hypothesis", "illness = flu")),
    ("audit", (*PATIENTS, "--stochastic")),
    (
        "tables audit",
        ("clinics.csv", "--cols", "illness", "--secret", "illness", "--certificate", "proofs.json"),
    ),
    ("tables audit", ("turnover.csv", *TURNOVER, "--p-percent", "10")),
    ("tables protect", ("true-clinics.csv", "--cols", "illness", "--threshold", "5", "--aware")),
    (
        "tables protect",
        ("--rows", "region", "--cols", "branch", "--kind", "magnitude", *FIRMS, "--p-percent", "10"),
    ),
    ("tables verify", ("proofs.json", "clinics.csv", "--cols", "illness")),
    ("tables check", ("clinics.csv", *CLINICS, "--record")),
    ("tables check", ("clinics.csv", *CLINICS, "--published", "--threshold", "5")),
    ("tables check", ("clinics.csv", *CLINICS)),
    ("schema", ("patients.csv",)),
    ("schema", ("patients.csv", "--check", "schema.toml")),
    ("release", (*PATIENTS, "--min-posterior", "2", *CERTIFIED)),
    ("release", ("patients.csv", "--apply", "certificate.json", "-o", "again.csv")),
    ("audit", ("patients.csv", "--certificate", "certificate.json", "--certificate", "certificate.json")),
    ("frontier", PATIENTS),
    ("verify", ("certificate.json", "--original", "patients.csv", "--released", "released.csv")),
    ("quantize", (*AGES, "--step", "1", "--budget", "2", "--unit", "patient", "-o", "told.csv")),
    ("blur", ("people.csv", *HIDDEN, "--max-change", "5", "-o", "blurred.csv")),
    ("rules", ()),
    ("plan", ("--query", "mean", "--n", "9", "--bounds", "0", "1", "--budget", "1")),
    ("plan", ("--query", "sum", "--n", "9", "--bounds", "0", "9", "--step", "1", "--rule", "round:5")),
    ("plan", ("--query", "mean", "--n", "9", "--bounds", "0", "1", "--max-error", "0.1", *LEAST)),
    ("plan", ("--query", "sum", "--n", "9", "--bounds", "0", "9", "--step", "1", "--max-error", "5", *LEAST)),
    ("plan", ("--query", "mean", "--n", "2", "--bounds", "0", "1", "--min-adversary-error", "0.1")),
    ("plan", ("--query", "mean", "--n", "2", "--bounds", "0", "1", "--indistinguishable", "2")),
    ("plan", ("--formula", "x * y", "--domain", "x=0:1", "--domain", "y=0:1", "--budget", "1")),
    ("plan", ("--workload", "questions.sql", "--curator", "curator.toml", "--budget", "4")),
    ("query", ("curator.toml", ASKED, "--dry-run")),
    ("query", ("curator.toml", ASKED)),
    ("query", ("curator.toml", "SELECT heating, COUNT(*) FROM meters GROUP BY heating")),
    ("query", ("curator.toml", "--each", ASKED, "SELECT /*+ bits(9) */ SUM(kwh) FROM meters")),
    ("compare", ("--query", "mean", "--n", "9", "--bounds", "0", "4", "--step", "1", "--bits", "1")),
    ("convert", ("--from", "dp", "--to", "mi", "--epsilon", "1")),
    ("convert", ("--from", "mi", "--to", "delta", "--epsilon", "0.1")),
    ("convert", ("--mechanism", "mechanism.csv", "--variant", "personalised")),
    ("capacity", ("channel.csv",)),
    ("capacity", ("typewriter.csv", "--zero-error")),
    ("capacity", ("--cover", "[0, 1]", "--eps", "1/4")),
    ("reproduce", ("p5-kl", "-o", "gallery")),
    ("dataset declare", ("curator.toml",)),
    ("dataset budget", ("curator.toml", "--by", "the office")),
    ("dataset show", ("curator.toml",)),
    ("dataset exposure", ("curator.toml", "-o", "exposure.csv")),
    ("release", ("meters.csv", "--sensitive", "kwh", "--public", "suburb", "--min-posterior", "2", *METERS)),
    ("dataset release", ("curator.toml", "meters.json")),
    ("token add", ("curator.toml", "--name", "ann")),
    ("token add", ("curator.toml", "--name", "bob", "-o", "bob.token")),
    ("token list", ("curator.toml",)),
    ("token revoke", ("curator.toml", "0" * 16)),
    ("ledger record-dp", ("curator.toml", "--epsilon", "0.1")),
    ("ledger show", ("curator.toml",)),
    ("ledger verify", ("curator.toml",)),
    ("ledger export", ("curator.toml", "-o", "entries.csv")),
    ("ledger backup", ("curator.toml", "-o", "backup.db")),
    ("ledger restore", ("backup.db", "sqlite:///again.db")),
    ("attack membership", ("readings.csv", *LONG, "--bounds", "0", "9", "--people", "2", *BRIEF)),
    (
        "attack appliances",
        ("house.csv", "--meter", "mains", "--circuit", "fridge", "--bounds", "0", "9", *ONE_BIT),
    ),
    ("attack linkage", ("people.csv", "--column", "weight=0:200", "--column", "height=0:250", *ONE_BIT)),
    ("attack homogeneity", PATIENTS),
    ("attack hypothesis", ("people.csv", *HIDDEN, "--max-change", "5")),
    ("attack estimate", (*AGES, *ONE_BIT)),
    ("attack differencing", (*AGES, "--targets", "1", *ONE_BIT)),
    ("attack binary-search", (*AGES, "--targets", "1", *ONE_BIT)),
    ("attack reconstruction", (*AGES, "--questions", "8", *ONE_BIT)),
    ("attack tables", ("patients.csv", "--column", "sex", "--column", "illness", "--secret", "illness")),
)


def prepare(folder: Path) -> None:
    """Write what the commands read."""
    for table in TABLES.iterdir():
        shutil.copy(table, folder)
    write_curator(folder)
    (folder / "limits.toml").write_text("[limits]\nmin_posterior = 1\n")
    (folder / "schema.toml").write_text('[columns.illness]\nrole = "private"\ncategories = ["flu"]\n')
    (folder / "channel.csv").write_text("0.9,0.1\n0.2,0.8\n")
    (folder / "typewriter.csv").write_text(
        ".5,.5,0,0,0\n0,.5,.5,0,0\n0,0,.5,.5,0\n0,0,0,.5,.5\n.5,0,0,0,.5\n"
    )
    (folder / "mechanism.csv").write_text("x,output,probability\n0,a,0.9\n0,b,0.1\n1,a,0.2\n1,b,0.8\n")
    (folder / "questions.sql").write_text(f"{ASKED};\n")
    (folder / "people.csv").write_text("weight,height\n80,170\n70,150\n")
    (folder / "house.csv").write_text("mains,fridge\n" + "1,1\n0,0\n5,1\n4,0\n" * 5)
    (folder / "clinics.csv").write_text("region,flu,mumps,All\nNorth,9,x,12\nSouth,8,x,9\nAll,17,4,21\n")
    (folder / "true-clinics.csv").write_text("region,flu,mumps,All\nNorth,9,3,12\nSouth,8,1,9\nAll,17,4,21\n")
    (folder / "turnover.csv").write_text("region,steel,food,All\nNorth,x,x,50\nSouth,x,x,40\nAll,45,45,90\n")
    (folder / "firms.csv").write_text(
        "firm,region,branch,turnover\na,North,steel,30\nb,North,food,20\nc,South,steel,15\nd,South,food,25\n"
    )
    lines = [f"{home},{hour},{(home * hour) % 7}" for home in range(6) for hour in range(4)]
    (folder / "readings.csv").write_text("\n".join(["household,hour,kwh", *lines]) + "\n")


NAMES = frozenset(
    "age sex postcode illness patient suburb kwh solar heating weight height local".split()  # noqa: SIM905
)
"""Keys that are the data's own names."""

ENDS = frozenset({"entries[].body"})
"""Where keys are followed no farther: what the ledger records of a question is its own affair."""


def paths(value: object, above: str = "") -> Iterator[str]:
    """The keys of a JSON value by their path: `[]` for the items of a list, `*` for what the data names."""
    if isinstance(value, dict) and above not in ENDS:
        for key, below in value.items():
            shown = key if re.fullmatch("[a-z][a-z0-9_]*", key) and key not in NAMES else "*"
            path = f"{above}.{shown}" if above else shown
            yield path
            yield from paths(below, path)
    elif isinstance(value, list):
        for item in value:
            yield from paths(item, f"{above}[]")


def printed(folder: Path) -> dict[str, list[str]]:
    """The keys of each command, in alphabetical order; the current folder must be this one."""
    prepare(folder)
    found: dict[str, set[str]] = {}
    for words, arguments in RUNS:
        output = StringIO()
        with redirect_stdout(output):
            code = run([*words.split(), *arguments, "--format", "json"])
        assert code in (0, 1), f"noiseless {words} {' '.join(arguments)} ends with {code}"
        found.setdefault(words, set()).update(paths(json.loads(output.getvalue())))
    return {words: sorted(keys) for words, keys in sorted(found.items())}


def main() -> None:
    """Write the keys down."""
    with TemporaryDirectory() as folder:
        before = Path.cwd()
        os.chdir(folder)
        found = printed(Path(folder))
        os.chdir(before)
    WRITTEN.write_text(json.dumps(found, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
