"""From a file to an audit, against enumeration: every table that fits what a reader of the file sees.

What each text means is written down here again, from the definitions: a number is itself, `<3` is 1 or 2, `x`
is anything, and a multiple of the base is everything that is rounded to it.
"""

from collections.abc import Callable
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import noiseless as nl

ROWS, COLUMNS, MOST = 2, 3, 3
Meaning = tuple[Callable[[int], str], Callable[[str, int], bool]]
"""How a figure is written, and which values fit what is written."""


def rounded(value: int) -> int:
    return (2 * value + 3) // 6 * 3  # to the nearest multiple of 3, which halves never meet


MEANINGS: dict[str, Meaning] = {
    "as it is": (str, lambda text, value: value == int(text)),
    "withheld": (lambda _: "x", lambda _, __: True),
    "small": (
        lambda value: "<3" if 0 < value < 3 else str(value),
        lambda t, v: 0 < v < 3 if t == "<3" else v == int(t),
    ),
}
ROUNDED: Meaning = (lambda value: str(rounded(value)), lambda text, value: rounded(value) == int(text))


def sums(cells: tuple[int, ...]) -> dict[tuple[str, str], int]:
    """Cells and totals of a table by their labels."""
    found: dict[tuple[str, str], int] = {}
    for place, value in enumerate(cells):
        row, column = f"r{place // COLUMNS}", f"c{place % COLUMNS}"
        for labels in product((row, "Total"), (column, "All")):
            found[labels] = found.get(labels, 0) + value
    return found


TABLES = st.lists(st.integers(0, MOST), min_size=ROWS * COLUMNS, max_size=ROWS * COLUMNS).map(tuple)
FIGURES = (ROWS + 1) * (COLUMNS + 1)


@settings(max_examples=25, suppress_health_check=[HealthCheck.too_slow])
@given(truth=TABLES, how=st.lists(st.sampled_from(sorted(MEANINGS)), min_size=FIGURES, max_size=FIGURES))
def test_files_with_marks_against_enumeration(truth: tuple[int, ...], how: list[str]) -> None:
    meanings = dict(zip(sums(truth), (MEANINGS[name] for name in how), strict=True))
    check(truth, meanings, {})


@settings(max_examples=15, suppress_health_check=[HealthCheck.too_slow])
@given(truth=TABLES, withheld=st.sets(st.integers(0, FIGURES - 1)))
def test_rounded_files_against_enumeration(truth: tuple[int, ...], withheld: set[int]) -> None:
    each = enumerate(sums(truth))
    meanings = {name: MEANINGS["withheld"] if place in withheld else ROUNDED for place, name in each}
    check(truth, meanings, {"rounded": "round:3"})


def check(truth: tuple[int, ...], meanings: dict[tuple[str, str], Meaning], told: dict[str, str]) -> None:
    """Write the file, audit it, and hold every figure against all tables that fit."""
    texts = {name: meanings[name][0](value) for name, value in sums(truth).items()}
    columns = [*(f"c{place}" for place in range(COLUMNS)), "All"]
    rows = [*(f"r{place}" for place in range(ROWS)), "Total"]
    lines = [["row", *columns], *([row, *(texts[row, column] for column in columns)] for row in rows)]
    with TemporaryDirectory() as folder:
        file = Path(folder) / "table.csv"
        file.write_text("".join(f"{','.join(line)}\n" for line in lines))
        audit = nl.audit_tables(file, rows="row", cols="column", told=told, bounds=(0, MOST))
    possible = map(sums, product(range(MOST + 1), repeat=ROWS * COLUMNS))
    fitting = [
        found for found in possible if all(meanings[name][1](texts[name], found[name]) for name in found)
    ]
    assert fitting
    for cell in audit.cells:
        values = {found[cell.of[1][0], cell.of[1][1]] for found in fitting}
        assert (cell.lower, cell.upper, cell.values) == (min(values), max(values), len(values))
        assert cell.disclosed == (len(values) == 1)


REGIONS = {"a": "North", "b": "North", "c": "South"}
PLACES = [(region, kind) for region in REGIONS for kind in "uv"]


@settings(max_examples=25, suppress_health_check=[HealthCheck.too_slow])
@given(
    truth=st.lists(st.integers(0, MOST), min_size=6, max_size=6).map(tuple),
    withheld=st.sets(st.sampled_from(PLACES)),
)
def test_linked_tables_with_a_hierarchy_against_enumeration(
    truth: tuple[int, ...], withheld: set[tuple[str, str]]
) -> None:
    """A long table leaves out zeros and withholds some cells; another has totals of North and South."""
    cells = dict(zip(PLACES, truth, strict=True))
    shown = {place: value for place, value in cells.items() if place not in withheld}
    lines = [f"{region},{kind},{value}" for (region, kind), value in shown.items() if value]
    lines += [f"{region},{kind},x" for region, kind in withheld]
    totals = {
        (above, kind): sum(
            value for (region, k), value in cells.items() if (REGIONS[region], k) == (above, kind)
        )
        for above in ("North", "South")
        for kind in "uv"
    }
    with TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "t1.csv").write_text("\n".join(["region,kind,n", *lines, "a,none,0", "c,other,0"]) + "\n")
        rows = [f"{above},{totals[above, 'u']},{totals[above, 'v']}" for above in ("North", "South")]
        (folder / "t2.csv").write_text("\n".join(["region,u,v", *rows]) + "\n")
        (folder / "h.csv").write_text("".join(f"{region},{above}\n" for region, above in REGIONS.items()))
        (folder / "s.toml").write_text(
            'hierarchy = {region = "h.csv"}\n'
            '[[table]]\nfile = "t1.csv"\nrows = "region"\ncols = "kind"\nvalue = "n"\nflat = "kind"\n'
            '[[table]]\nfile = "t2.csv"\nrows = "region"\ncols = "kind"\n'
        )
        audit = nl.audit_tables(folder / "s.toml", bounds=(0, MOST))
    fitting = [
        dict(zip(PLACES, values, strict=True))
        for values in product(range(MOST + 1), repeat=6)
        if all(values[PLACES.index(place)] == value for place, value in shown.items())
    ]
    fitting = [
        found
        for found in fitting
        if all(
            sum(found[region, k] for region in REGIONS if REGIONS[region] == above) == total
            for (above, k), total in totals.items()
        )
    ]
    findings = {cell.of[1]: cell for cell in audit.cells if cell.of[0] == "t1"}
    for place in PLACES:
        values = {found[place] for found in fitting}
        assert (findings[place].lower, findings[place].upper) == (min(values), max(values))
        assert findings[place].disclosed == (len(values) == 1)
