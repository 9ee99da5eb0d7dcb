"""Tables in files against all tables that fit what the files say: as they are read, and as they are written.

Everything goes through files, several tables of one population with dimensions of their own each; what a file
says is read here by a few lines that share nothing with the package.
"""

import csv
import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from random import Random

import numpy as np
import pytest

import noiseless as nl
from noiseless.arrays import IntArray
from noiseless.cli.main import run
from soaking import seeds

DIMENSIONS = "rcs"
MOST = 2
EVERY = np.array(list(product(range(MOST + 1), repeat=8))).reshape(-1, 2, 2, 2)
"""All tables of 2 x 2 x 2 base cells."""
FAR = 8 * MOST + 1

Labels = tuple[str, ...]


@dataclass(frozen=True)
class File:
    """A table in a file: what it is by, what it is about, and which dimensions have a total."""

    name: str
    by: tuple[str, ...]
    about: dict[str, str]
    totals: tuple[str, ...]

    @property
    def specification(self) -> str:
        """The table in a TOML file."""
        totals, about = (
            ", ".join(f"{name} = '{label}'" for name, label in of.items())
            for of in (dict.fromkeys(self.totals, "Total"), self.about)
        )
        by = json.dumps(self.by)
        return (
            f"[[table]]\nname = '{self.name}'\nfile = '{self.name}.csv'\nrows = {by}\nvalue = 'n'\n"
            f"flat = {by}\ntotals = {{{totals}}}\nwhere = {{{about}}}\n"
        )

    def figures(self, tables: IntArray) -> Iterator[tuple[Labels, IntArray, int]]:
        """The labels of each figure, what it is in each table, and how many base cells it adds up."""
        own = ([f"{name}0", f"{name}1", *["Total"] * (name in self.totals)] for name in self.by)
        for labels in product(*own):
            known = {**dict(zip(self.by, labels, strict=True)), **self.about}
            places = [known.get(name, "Total") for name in DIMENSIONS]
            index = tuple([0, 1] if label == "Total" else [int(label[1])] for label in places)
            cells = tables[np.ix_(range(len(tables)), *index)].reshape(len(tables), -1)
            yield labels, cells.sum(axis=1), cells.shape[1]


def drawn(random: Random) -> tuple[IntArray, list[File]]:
    """A true table, and what is published of it; each dimension is that of a file, or what one is about."""
    while True:
        files = []
        for number in range(random.choice((1, 2, 2, 3))):
            by = tuple(random.sample(DIMENSIONS, random.choice((1, 2, 2, 3))))
            others = [name for name in DIMENSIONS if name not in by]
            about = random.choice(others) if others and random.random() < 0.4 else None
            totals = tuple(name for name in by if random.random() < 0.6)
            files.append(File(f"t{number}", by, {about: f"{about}0"} if about else {}, totals))
        if {name for file in files for name in (*file.by, *file.about)} == set(DIMENSIONS):
            return np.array([random.choice((0, 1, 1, MOST)) for _ in range(8)]).reshape(1, 2, 2, 2), files


def write(folder: Path, file: File, lines: list[tuple[Labels, str]]) -> None:
    with (folder / f"{file.name}.csv").open("w", newline="") as out:
        csv.writer(out).writerows([[*file.by, "n"], *([*labels, text] for labels, text in lines)])


def marked(random: Random, value: int) -> tuple[str, range]:
    """How a figure is written, and what that leaves possible: zeros are written as zeros."""
    ways = [(str(value), range(value, value + 1))] * 2 + [("x", range(FAR))]
    ways += [("<3", range(1, 3))] if 0 < value < 3 else []
    ways += [(f"{value}+", range(value, FAR))] if value else []
    return random.choice([*ways, (f"{max(0, value - 1)}-{value + 1}", range(max(0, value - 1), value + 2))])


@pytest.mark.parametrize("seed", seeds(30))
def test_an_audit_says_what_the_files_leave_possible(seed: int, tmp_path: Path) -> None:
    random = Random(seed)
    truth, files = drawn(random)
    fits, every = np.ones(len(EVERY), bool), list[tuple[str, Labels, IntArray]]()
    for file in files:
        lines = []
        true = {labels: int(values[0]) for labels, values, _ in file.figures(truth)}
        for labels, values, _ in file.figures(EVERY):
            text, left = marked(random, true[labels])
            fits &= np.isin(values, left)
            lines.append((labels, text))
            every.append((file.name, (*labels, *file.about.values()), values))
        write(tmp_path, file, random.sample(lines, len(lines)))
    kind = random.choice(("count", "magnitude"))
    text = "".join(file.specification + f"kind = '{kind}'\n" for file in files)
    (tmp_path / "all.toml").write_text(f"bounds = [0, {MOST}]\n{text}")
    audit = nl.audit_tables(tmp_path / "all.toml")
    found = {(cell.of[0], frozenset(cell.of[1])): cell for cell in audit.cells}
    for name, labels, values in every:
        cell, possible = found[name, frozenset(labels)], set(values[fits].tolist())
        assert (cell.lower, cell.upper) == (min(possible), max(possible)), (name, labels)
        assert cell.values in (None, len(possible))
        assert cell.disclosed == (len(possible) == 1)


def shown(text: str, base: int) -> range:
    """What is possible of a figure that was protected."""
    low, _, high = text.partition("-")
    if text == "x" or high:
        return range(FAR) if text == "x" else range(int(low), int(high) + 1)
    return range(max(0, int(text) - base + 1), int(text) + base)


@pytest.mark.parametrize("seed", seeds(24))
def test_written_files_leave_what_a_threshold_wants(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Lines of zeros may be left out, and are read as 0: whatever is withheld has a line."""
    random, limit = Random(seed), 2
    monkeypatch.chdir(tmp_path)
    truth, files = drawn(random)
    text = "".join(file.specification for file in files)
    (tmp_path / "all.toml").write_text(f"bounds = [0, {MOST}]\n{text}")
    for file in files:
        lines = [(labels, str(values[0])) for labels, values, _ in file.figures(truth)]
        three = len(file.by) == len(DIMENSIONS)  # else a label could lose all its lines
        write(
            tmp_path, file, [line for line in lines if line[1] != "0" or not three or random.random() < 0.5]
        )
    method, base = random.choice((("suppress", 1), ("suppress", 1), ("intervals", 1), ("round", 4)))
    out = "out" if len(files) > 1 else f"out/{files[0].name}.csv"
    command = ["tables", "protect", "all.toml", "--threshold", str(limit), "--method", method, "-o", out]
    (tmp_path / "out").mkdir()
    code = run([*command, *["--base", str(base)] * (method == "round"), "--certificate", "proofs.json"])
    assert code in (0, 1)
    if code:
        return
    fits, wanted = np.ones(len(EVERY), bool), list[tuple[IntArray, int]]()
    for file in files:
        header, *rows = csv.reader((tmp_path / "out" / f"{file.name}.csv").read_text().splitlines())
        told = {tuple(row[:-1]): row[-1] for row in rows}
        assert tuple(header[:-1]) == file.by
        true = {labels: int(values[0]) for labels, values, _ in file.figures(truth)}
        for labels, values, cells in file.figures(EVERY):
            fits &= np.isin(values, shown(told.get(labels, "0"), base if labels in told else 1))
            wanted += [(values, cells)] * (0 < true[labels] < limit)
    for values, cells in wanted:
        assert (values[fits].min(), values[fits].max() >= min(limit, MOST * cells)) == (0, True)
    rounded = f"told = {{rounded = 'round:{base}:random'}}\n" if method == "round" else ""
    (tmp_path / "out" / "all.toml").write_text(f"bounds = [0, {MOST}]\n{rounded}{text}")
    assert run(["tables", "verify", "proofs.json", "out/all.toml"]) == 0
