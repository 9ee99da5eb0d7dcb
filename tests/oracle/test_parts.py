"""A release in parts, from the definition: what somebody sees who reads all files as one table."""

import contextlib
import json
import math
import random
import shutil
from collections import Counter, defaultdict
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import noiseless as nl
from noiseless.errors import RequestError
from noiseless.tables import open_table
from noiseless.tables.sections import Section, cut_table, paths
from soaking import seeds

Row = dict[str, Any]
Answer = tuple[Any, ...]

LIMITS: tuple[dict[str, Any], ...] = (
    {"min_posterior": 2},
    {"min_posterior": 2, "suppress": 0.2},
    {"min_posterior": 2, "codeword": "midrange", "given": "town"},
    {"min_posterior": 2, "codeword": "medoid", "keep": "town"},
    {"min_rows": 3, "largest_belief": "2/3", "codeword": "centroid"},
    {"min_rows": 2, "entropy_l_diversity": "3/2", "missing": "drop"},
    {"min_posterior": 2, "width": 1, "max_distortion": "0.9"},
    {"min_rows": 2, "unit": "person", "suppress": 0.3},
    {"min_posterior": 2, "categorical": "weight"},
)


def people(seed: int) -> list[Row]:
    """A table of some rows; some have no age, and wards read like the signs of sets and of suppression."""
    draw = random.Random(seed)
    lost = draw.choice([0, 0.2])
    return [
        {
            "age": None if draw.random() < lost else draw.randrange(40),
            "weight": draw.choice([0.5, 1.25, 3.0, 40.0, -2.0]),
            "ward": draw.choice(["a", "b", "*", "|", None]),
            "town": draw.choice("nnns"),
            "illness": draw.randrange(4),
            "person": draw.randrange(20),
        }
        for _ in range(draw.randint(50, 90))
    ]


def on_side(row: Row, column: str, at: str, *, above: bool) -> bool:
    value = row[column]
    return (value is not None and value >= float(at)) == above


def read_back(value: Any) -> str | None:  # noqa: ANN401 - of any column
    """A value as certificates write it."""
    return None if value is None else f"{value:g}" if isinstance(value, float) else str(value)


def expected(rows: list[Row], manifest: dict[str, Any], folder: Path) -> list[tuple[Row, Answer]]:
    """Each row with what it reads, from the cuts and certificates alone."""
    public, keep = manifest["columns"]["public"], manifest["columns"]["keep"]
    found = []
    for sides, part in zip(paths(manifest["cuts"]), manifest["parts"], strict=True):
        certificate = json.loads((folder / part["certificate"]).read_text("utf-8"))
        reads = {
            tuple(m): tuple(cell["released"]) for cell in certificate["partition"] for m in cell["members"]
        }
        here = [row for row in rows if all(on_side(row, s.column, s.at, above=s.above) for s in sides)]
        assert len(here) == part["rows"]
        for row in here:
            values = tuple(read_back(row[name]) for name in public)
            found.append((row, (*reads[values], *(row[name] for name in keep))))
    return found


def alike(seen: list[tuple[Row, Answer]], given: list[str]) -> dict[Answer, list[Row]]:
    """Who stands behind each answer of the whole, to somebody who knows the given columns."""
    groups = defaultdict[Answer, list[Row]](list)
    for row, answer in seen:
        groups[answer, *(row[name] for name in given)].append(row)
    return groups


def check_limits(groups: dict[Answer, list[Row]], limits: dict[str, Any]) -> None:
    """Each limit by its definition, on all answers of the whole."""
    for rows in groups.values():
        values = Counter(row["illness"] for row in rows)
        heads = len({row["person"] for row in rows}) if "unit" in limits else len(rows)
        assert len(values) >= limits.get("min_posterior", 1)
        assert heads >= limits.get("min_rows", 1)
        assert max(values.values()) <= Fraction(limits.get("largest_belief", 1)) * len(rows)
        entropy = -sum(n / len(rows) * math.log(n / len(rows)) for n in values.values())
        assert math.exp(entropy) >= Fraction(limits.get("entropy_l_diversity", 1)) - 1e-9
        assert max(values) - min(values) >= limits.get("width", 0)


def in_parts(table: pa.Table, out: Path, **asked: Any) -> nl.PartedRelease:  # noqa: ANN401 - options
    """A release in as many parts as the limits allow."""
    for parts in (3, 2):
        with contextlib.suppress(RequestError):
            return nl.release_parts(table, out, parts=parts, **asked)
    return nl.release_parts(table, out, **asked)


@pytest.mark.parametrize("limits", LIMITS, ids=lambda limits: " ".join(map(str, limits)))
@pytest.mark.parametrize("seed", seeds(1))
def test_what_is_said_of_the_whole_is_true(seed: int, limits: dict[str, Any], tmp_path: Path) -> None:
    rows = people(seed + 100 * LIMITS.index(limits))
    table = pa.table({name: [row[name] for row in rows] for name in rows[0]})
    out, folder = tmp_path / "released", tmp_path / "certificates"
    public = ["age", "weight", "ward"]
    done = in_parts(table, out, certificates=folder, sensitive="illness", public=public, **limits)
    assert nl.verify(done.manifest, original=table, released=out).failed == ()
    if limits.get("missing") == "drop":
        rows = [row for row in rows if all(row[name] is not None for name in (*public, "illness"))]
    manifest = json.loads(done.manifest.read_text("utf-8"))
    seen = expected(rows, manifest, folder)
    names = [*public, *manifest["columns"]["keep"]]
    shown = [tuple(row[name] for name in names) for row in pq.read_table(out).to_pylist()]
    assert Counter(shown) == Counter(answer for _, answer in seen)
    given = manifest["columns"]["given"]
    groups = alike(seen, given)
    check_limits(groups, limits)
    least = min(len({row["illness"] for row in rows}) for rows in groups.values())
    fewest = min(len({r["person"] for r in g}) if "unit" in limits else len(g) for g in groups.values())
    whole = manifest["whole"]
    assert (done.rows, done.sensitive_values) == (len(rows), len({row["illness"] for row in rows}))
    assert least >= done.min_posterior == whole["min_posterior"]
    assert fewest >= done.min_rows == whole["min_rows"]
    hidden = sum(answer[:3] == ("*", "*", "*") for _, answer in seen)
    assert hidden == done.suppressed_rows <= Fraction(limits.get("suppress", 0)) * len(rows)
    if not hidden:
        assert (least, fewest) == (done.min_posterior, done.min_rows)
    known = alike([(row, ()) for row, _ in seen], given)
    leaks = [
        Fraction(len({r["illness"] for r in known[(), *answer[1:]]}), len({r["illness"] for r in group}))
        for answer, group in groups.items()
    ]
    assert max(leaks) <= Fraction(whole["leakage_exact"]) == 2**done.leakage


@pytest.mark.parametrize("seed", seeds(5))
def test_sections_are_a_partition(seed: int) -> None:
    rows = people(seed)
    table = pa.table({name: [row[name] for row in rows] for name in ("age", "weight", "illness")})
    whole = Section.whole(open_table(table).in_place(["age", "weight", "illness"]))
    sides = list(paths(cut_table(whole, ["age", "weight"], lambda section: section.facts.rows > 2, 9)))
    assert len(sides) > 5
    for row in rows:
        assert sum(all(on_side(row, s.column, s.at, above=s.above) for s in each) for each in sides) == 1
    sizes = [Section(whole.table, each).part().count() for each in sides]
    assert sum(sizes) == len(rows)
    assert min(sizes) > 2


@pytest.mark.parametrize(
    "option",
    [
        {"max_leakage": 1},
        {"max_maximin": 1},
        {"min_resolution": 1},
        {"pointwise_leakage": 1},
        {"beta_likeness": 1},
        {"enhanced_beta_likeness": 1},
        {"delta_disclosure": 1},
        {"t_closeness": "0.5"},
        {"weight": 1},
        {"objective": "both"},
        {"key": ["age"]},
        {"recoding": "suppression"},
        {"distinct_rows": True},
        {"keep_order": True},
    ],
    ids=lambda option: next(iter(option)),
)
def test_what_does_not_follow_is_refused(option: dict[str, Any], tmp_path: Path) -> None:
    table = pa.table({"age": [1, 2, 3, 4], "illness": [1, 2, 1, 2]})
    with pytest.raises(RequestError, match=f"{next(iter(option))}.* a table as a whole"):
        nl.release_parts(
            table,
            tmp_path / "out",
            certificates=tmp_path / "in",
            parts=2,
            sensitive="illness",
            public="age",
            min_posterior=2,
            **option,
        )
    assert not list(tmp_path.iterdir())


@pytest.fixture(scope="module")
def once(tmp_path_factory: pytest.TempPathFactory) -> tuple[pa.Table, Path]:
    """A release in four parts: the table, and the folder of its files."""
    draw, folder = random.Random(4), tmp_path_factory.mktemp("once")
    ages, illnesses = [draw.randrange(60) for _ in range(200)], [draw.randrange(5) for _ in range(200)]
    table, asked = pa.table({"age": ages, "illness": illnesses}), {"sensitive": "illness", "public": "age"}
    asked["certificates"] = str(folder / "certificates")
    done = nl.release_parts(table, folder / "released", **asked, parts=4, min_posterior=3)  # type: ignore[arg-type]  # texts
    assert done.parts == 4
    return table, folder


@pytest.fixture
def made(once: tuple[pa.Table, Path], tmp_path: Path) -> tuple[pa.Table, Path, Path]:
    """The table, the manifest and the released files, to forge."""
    table, folder = once
    shutil.copytree(folder, tmp_path / "copy")
    return table, tmp_path / "copy" / "certificates" / "manifest.json", tmp_path / "copy" / "released"


def swap_released(told: dict[str, Any]) -> None:
    first, second = told["parts"][:2]
    first["released"], second["released"] = second["released"], first["released"]


def swap_certificates(told: dict[str, Any]) -> None:
    first, second = told["parts"][:2]
    first["certificate"], second["certificate"] = second["certificate"], first["certificate"]


def drop_a_part(told: dict[str, Any]) -> None:
    told["cuts"]["below"] = {}
    del told["parts"][1]


def swap_parts(told: dict[str, Any]) -> None:
    told["parts"].reverse()


def same_twice(told: dict[str, Any]) -> None:
    told["parts"][1] = told["parts"][0]


def other_bounds(told: dict[str, Any]) -> None:
    told["cuts"]["at"] = str(int(told["cuts"]["at"]) + 1)


def no_number(told: dict[str, Any]) -> None:
    told["cuts"]["at"] = "0) OR (1=1"


def hidden_cut(told: dict[str, Any]) -> None:
    told["cuts"]["column"] = "illness"


def other_digest(told: dict[str, Any]) -> None:
    told["parts"][2]["digest"] = told["parts"][1]["digest"]


def other_rows(told: dict[str, Any]) -> None:
    told["parts"][2]["rows"] += 1


def other_limit(told: dict[str, Any]) -> None:
    told["target"]["min_posterior"] = 4


def strange_limit(told: dict[str, Any]) -> None:
    told["target"]["max_leakage"] = "1"


def other_roles(told: dict[str, Any]) -> None:
    told["columns"]["given"] = ["illness"]


def other_missing(told: dict[str, Any]) -> None:
    told["missing"] = "drop"


def elsewhere(told: dict[str, Any]) -> None:
    told["parts"][0]["released"] = "../released/part-00000.parquet"


def endless_cuts(told: dict[str, Any]) -> None:
    for _ in range(300):
        told["cuts"] = {"column": "age", "at": "7", "below": {}, "above": told["cuts"]}


FORGED: tuple[Callable[[dict[str, Any]], None], ...] = (
    *(swap_released, swap_certificates, swap_parts, drop_a_part, same_twice, other_bounds, no_number),
    *(
        hidden_cut,
        other_digest,
        other_rows,
        other_limit,
        strange_limit,
        other_roles,
        other_missing,
        elsewhere,
    ),
    endless_cuts,
)


@pytest.mark.parametrize("forge", FORGED, ids=lambda forge: forge.__name__)
def test_a_forged_manifest_does_not_hold(
    made: tuple[pa.Table, Path, Path], forge: Callable[[dict[str, Any]], None]
) -> None:
    table, manifest, out = made
    assert nl.verify(manifest, original=table, released=out).holds
    told = json.loads(manifest.read_text("utf-8"))
    forge(told)
    manifest.write_text(json.dumps(told), "utf-8")
    assert not nl.verify(manifest, original=table, released=out).holds


def test_the_classes_of_values_are_those_of_all_parts(tmp_path: Path) -> None:
    """Each certificate holds by itself, though the values of one have the classes of others in the next."""
    draw, classes = random.Random(2), {name: ("lungs" if name < "d" else "bones", "any") for name in "abdef"}
    table = pa.table({"age": range(60), "illness": draw.choices("abdef", k=60)})
    asked = {"sensitive": "illness", "public": "age", "classes": classes, "min_classes": 2, "parts": 2}
    done = nl.release_parts(table, tmp_path / "out", certificates=tmp_path / "proofs", **asked)  # type: ignore[arg-type]  # texts
    found = nl.verify(done.manifest, original=table, released=tmp_path / "out")
    assert found.holds
    assert found.about["classes"] == 2
    proof = tmp_path / "proofs" / "part-00001.json"
    text = proof.read_text("utf-8").replace('"lungs"', '"?"').replace('"bones"', '"lungs"')
    proof.write_text(text.replace('"?"', '"bones"'), "utf-8")
    assert not nl.verify(done.manifest, original=table, released=tmp_path / "out").holds


@pytest.mark.parametrize("better", [-1, 1])
@pytest.mark.parametrize(
    "name", ["rows", "sensitive_values", "suppressed_rows", "min_posterior", "min_rows", "leakage"]
)
def test_other_figures_do_not_hold(made: tuple[pa.Table, Path, Path], name: str, better: int) -> None:
    table, manifest, out = made
    told = json.loads(manifest.read_text("utf-8"))
    told["whole"][name] += better / 2 if name == "leakage" else better
    manifest.write_text(json.dumps(told), "utf-8")
    failed = {check.name for check in nl.verify(manifest, original=table, released=out).failed}
    assert failed == ({"format"} if told["whole"][name] < 0 and name != "leakage" else {name})


def test_other_files_do_not_hold(made: tuple[pa.Table, Path, Path]) -> None:
    """Rows twice, a file more, a file less, a reading of another part's, and another original."""
    table, manifest, out = made
    first, second = sorted(out.iterdir())[:2]
    whole, other = pq.read_table(first), pq.read_table(second)
    pq.write_table(pa.concat_tables([whole, whole]), first)
    assert "part_0" in {check.name for check in nl.verify(manifest, original=table, released=out).failed}
    pq.write_table(pa.concat_tables([other.slice(0, 1), whole.slice(1)]), first)
    found = {check.name for check in nl.verify(manifest, original=table, released=out).failed}
    assert {"part_0", "apart"} <= found
    pq.write_table(whole, first)
    assert nl.verify(manifest, original=table, released=out).holds
    assert not nl.verify(manifest, original=table.slice(1), released=out).holds
    pq.write_table(whole, out / "part-00009.parquet")
    told = nl.verify(manifest, original=table, released=out)
    assert [check.name for check in told.failed] == ["files"]
    assert "files" in told.text
    (out / "part-00009.parquet").unlink()
    first.unlink()
    assert [check.name for check in nl.verify(manifest, original=table, released=out).failed] == ["files"]
