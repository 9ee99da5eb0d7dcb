"""Several releases as one: what the page on Spark says of a table that is released in parts."""

import json
import random
from collections import defaultdict
from pathlib import Path

import pyarrow as pa
import pyarrow.csv as pc
import pytest

import noiseless as nl
from soaking import seeds

ROLES = {"sensitive": "illness", "public": ["age", "ward"]}
SPAN = {"age": (0, 40)}

Row = tuple[int, str, int]


def people(seed: int) -> list[Row]:
    """A table of some rows: age, ward, illness."""
    draw = random.Random(seed)
    return [(draw.randrange(40), draw.choice("ab*|"), draw.randrange(4)) for _ in range(draw.randint(20, 60))]


def read(
    path: Path, certificate: Path
) -> tuple[list[tuple[str, ...]], dict[tuple[str, ...], tuple[str, ...]]]:
    """The released rows of a part, and what each public value reads there, as its files have them."""
    told = json.loads(certificate.read_text("utf-8"))
    names = told["columns"]["public"]
    texts = pc.read_csv(
        path, convert_options=pc.ConvertOptions(column_types=dict.fromkeys(names, pa.string()))
    ).to_pylist()
    reads = {
        tuple(member): tuple(cell["released"]) for cell in told["partition"] for member in cell["members"]
    }
    return [tuple(row[name] for name in names) for row in texts], reads


@pytest.mark.parametrize("seed", seeds(3))
@pytest.mark.parametrize("suppress", [0, 0.2])
def test_parts_are_one_release(seed: int, suppress: float, tmp_path: Path) -> None:
    """From the files: rows, the fewest values left and rows alike of the whole."""
    rows, released = people(seed), list[tuple[str, ...]]()
    secrets, alike = defaultdict[tuple[str, ...], set[int]](set), defaultdict[tuple[str, ...], int](int)
    made = []
    for low, high in ((0, 15), (15, 40)):
        part = [row for row in rows if low <= row[0] < high]
        table = pa.table(dict(zip(("age", "ward", "illness"), zip(*part, strict=True), strict=True)))
        limits = {"min_posterior": 2, "codeword": "interval", "span": SPAN, "suppress": suppress}
        release = nl.release(table, **ROLES, **limits)  # type: ignore[arg-type]  # one dictionary of several kinds
        out, certificate = tmp_path / f"{low}.csv", tmp_path / f"{low}.json"
        release.save(out, certificate=certificate)
        assert nl.verify(certificate, original=table, released=out).holds
        shown, reads = read(out, certificate)
        released += shown
        for age, ward, illness in part:
            secrets[reads[str(age), ward]].add(illness)
            alike[reads[str(age), ward]] += 1
        made.append(release)
    assert sorted(released) == sorted(text for text, many in alike.items() for _ in range(many))
    least, fewest = min(map(len, secrets.values())), min(alike.values())
    known = min(one.point.min_posterior for one in made), min(one.point.min_rows for one in made)
    assert least >= known[0] >= 2
    assert fewest >= known[1]
    if not any(one.point.suppressed_rows for one in made):
        assert (least, fewest) == known
