"""Workloads: against all equal cells of all questions, their reach counted over all datasets."""

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from itertools import product
from pathlib import Path

import pytest

from curator_examples import ROWS as EXAMPLES
from curator_examples import write_curator
from noiseless.cli.main import run
from noiseless.curator import Curator, workload
from noiseless.curator.workload_plan import WeightedStatement, read_workload
from noiseless.errors import NoiselessError
from noiseless.pricing.reach import QuantizedQuery, coarsest
from noiseless.questions import Query
from noiseless.work import WorkError

FILE = """
[dataset]
name = "meters"
source = "meters.csv"
[budget]
bits = 20
query_bits = 1
[columns.suburb]
role = "public"
categories = ["north", "south"]
[columns.kwh]
role = "private"
bounds = [0, 3]
step = 1
[columns.m3]
role = "private"
bounds = [0, 2]
step = 1
"""
VALUES = {"kwh": 4, "m3": 3}
PEOPLE = {"north": 2, "south": 3}
ROWS = "suburb,kwh,m3\nnorth,1,0\nnorth,3,2\nsouth,0,1\nsouth,2,2\nsouth,2,0\n"

Answer = Callable[[tuple[int, ...]], int]
AGGREGATES: dict[str, Answer] = {"SUM": sum, "AVG": sum, "MAX": max, "MIN": min}


@pytest.fixture
def curator(tmp_path: Path) -> Curator:
    (tmp_path / "meters.csv").write_text(ROWS)
    (tmp_path / "meters.toml").write_text(FILE)
    return Curator.open(tmp_path / "meters.toml")


@cache
def reach(aggregate: str, size: int, people: int, points: int) -> int:
    """The most cells that one person can cause, dataset by dataset."""
    answer = AGGREGATES[aggregate]
    return max(
        len({answer((own, *others)) // points for own in range(size)})
        for others in product(range(size), repeat=people - 1)
    )


def choices(aggregate: str, column: str, people: int, weight: Fraction) -> list[tuple[int, Fraction]]:
    """For all cells of equally many points: their cuts, and their weighted error."""
    size = VALUES[column]
    last = (size - 1) * (people if aggregate in ("SUM", "AVG") else 1)
    worth = weight * (Fraction(1, people) if aggregate == "AVG" else 1)
    return [(reach(aggregate, size, people, p) - 1, worth * Fraction(p - 1, 2)) for p in range(1, last + 2)]


def least(questions: list[tuple[str, str, str | None, Fraction]], allowed: int) -> Fraction:
    """The least largest weighted error, over all choices of cells, by the rule of cuts."""
    options = [
        choices(aggregate, column, sum(PEOPLE.values()) if suburb is None else PEOPLE[suburb], weight)
        for aggregate, column, suburb, weight in questions
    ]
    best = max(max(error for _, error in each) for each in options)
    for chosen in product(*options):
        worst = max(error for _, error in chosen)
        if worst >= best:
            continue
        outputs = []
        for suburb in PEOPLE:
            told = 1
            for column, size in VALUES.items():
                cuts = sum(
                    cut
                    for (cut, _), (_, about, where, _) in zip(chosen, questions, strict=True)
                    if about == column and where in (None, suburb)
                )
                told *= min(1 + cuts, size)
            outputs.append(told)
        best = worst if max(outputs) <= allowed else best
    return best


WORKLOADS = [
    [("SUM", "kwh", None, 1), ("MAX", "kwh", None, 3)],
    [("SUM", "kwh", "north", 1), ("SUM", "kwh", "south", 2), ("MAX", "m3", None, 1)],
    [("AVG", "kwh", "south", 5), ("MIN", "kwh", None, 1), ("SUM", "m3", "north", Fraction(1, 2))],
    [("SUM", "m3", None, 1), ("AVG", "m3", None, 9), ("SUM", "kwh", "south", 1)],
]


@pytest.mark.parametrize("questions", WORKLOADS)
@pytest.mark.parametrize("allowed", [1, 2, 3, 4, 6, 8, 16])
def test_no_equal_cells_have_a_smaller_largest_error(
    curator: Curator, questions: list[tuple[str, str, str | None, Fraction]], allowed: int
) -> None:
    asked = [
        (f"SELECT {a}({c}) FROM meters" + (f" WHERE suburb = '{s}'" if s else ""), w)
        for a, c, s, w in questions
    ]
    bits = Fraction(allowed.bit_length() - 1) if allowed & (allowed - 1) == 0 else None
    if bits is None:  # log2 3 and log2 6, a little above
        bits = {3: Fraction(1585, 1000), 6: Fraction(2585, 1000)}[allowed]
    found = curator.plan_workload(asked, bits)
    assert found.error == least(questions, allowed)
    assert found.error <= found.equal_error
    assert found.optimal
    assert found.bits.ratio <= allowed
    assert curator.price(*(each.sql for each in found.statements)).batch.bits == found.bits


def test_answers_are_within_the_errors_that_were_planned(curator: Curator) -> None:
    asked = read_workload(
        "-- weight 3\nSELECT suburb, AVG(kwh), MAX(kwh) FROM meters GROUP BY suburb;\n"
        "SELECT COUNT(*) FROM meters WHERE kwh >= 2;"
        "SELECT VARIANCE(m3) FROM meters"
    )
    assert [each.weight for each in asked] == [3, 1, 1]
    found = curator.plan_workload(asked, 4)
    assert (found.questions, found.optimal) == (6, False)  # of a variance other cells may be better
    assert max(each.weight * each.max_error for each in found.statements) >= found.error
    reply = curator.ask(*(each.sql for each in found.statements))
    assert reply.batch_bits <= 4
    for answer in reply.answers:
        assert answer.interval is not None
    widths = [(a.interval.upper - a.interval.lower) / 2 for a in reply.answers if a.interval is not None]
    assert max(widths[:4]) <= found.statements[0].max_error
    assert widths[4] == 0


def test_what_is_filtered_elsewhere_is_multiplied(curator: Curator) -> None:
    sql = "SELECT SUM(kwh) FROM meters WHERE m3 >= 1"
    found = curator.plan_workload([(sql, 1)], 2)
    quote = curator.price(found.statements[0].sql)
    assert quote.batch.bits == found.bits
    assert found.bits.ratio <= 4


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "a file of SELECT statements"),
        ("SELECT MAX(kwh) FROM meters; -- weight 2\n", "on a line of its own"),
        ("-- weight 0\nSELECT MAX(kwh) FROM meters", "a weight is above 0"),
        ("SELECT /*+ bits(1) */ MAX(kwh) FROM meters", "leave hints out"),
        (
            "SELECT COUNT(*) FROM meters WHERE kwh > 1; SELECT COUNT(*) FROM meters WHERE m3 > 1",
            "exact counts",
        ),
    ],
)
def test_what_cannot_be_planned_is_refused(curator: Curator, text: str, said: str) -> None:
    with pytest.raises(NoiselessError, match=said):
        curator.plan_workload(read_workload(text), 1)


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> list[Fraction]:
    """The errors for which the search looks at cells."""
    seen: list[Fraction] = []

    def noted(query: Query, error: Fraction) -> QuantizedQuery:
        seen.append(error)
        return coarsest(query, error)

    monkeypatch.setattr(workload, "coarsest", noted)
    return seen


def wide(folder: Path, people: int) -> Curator:
    """Curator of a private column with 1,001 values."""
    text = FILE.replace("bounds = [0, 3]", "bounds = [0, 1000]")
    (folder / "meters.csv").write_text("suburb,kwh,m3\n" + "north,1,0\n" * people)
    (folder / "meters.toml").write_text(text)
    return Curator.open(folder / "meters.toml")


def test_each_question_is_looked_at_a_few_times(tmp_path: Path, looks: list[Fraction]) -> None:
    with wide(tmp_path, 2000) as curator:
        filters = [f"SELECT SUM(kwh) FROM meters WHERE kwh > {bound}" for bound in range(100, 140)]
        found = curator.plan_workload([(sql, 1) for sql in filters], 8)
    assert found.bits.ratio <= 2**8
    assert not found.optimal  # sums that leave gaps
    assert 0 < len(looks) <= 8 * len(filters)


def test_halvings_of_irregular_sums_end_with_their_levels(tmp_path: Path, looks: list[Fraction]) -> None:
    with wide(tmp_path, 5) as curator:
        found = curator.plan_workload([("SELECT SUM(kwh) FROM meters WHERE kwh > 600", 1)], 3)
    assert found.bits.ratio <= 2**3
    assert len(looks) == len(set(looks)) <= 8 + (5 * 1000).bit_length()


def test_too_much_work_is_refused_before_the_search(tmp_path: Path, looks: list[Fraction]) -> None:
    with wide(tmp_path, 500) as curator, pytest.raises(WorkError, match="plan fewer statements") as refused:
        curator.plan_workload(
            [(f"SELECT SUM(kwh) FROM meters WHERE kwh > {bound}", 1) for bound in range(3, 900)], 8
        )
    assert "\n" not in str(refused.value)
    assert not looks


def test_texts_and_comments_are_kept_apart() -> None:
    text = """-- the dashboard
    -- Weight: 2.5
    SELECT 'a;b', "c--d" FROM meters -- and so on
      WHERE x = 1;
    SELECT 1 - 2 / 3
    """
    assert read_workload(text) == [
        WeightedStatement("""SELECT 'a;b', "c--d" FROM meters WHERE x = 1""", Fraction(5, 2)),
        WeightedStatement("SELECT 1 - 2 / 3", Fraction(1)),
    ]


def test_people_with_several_rows_are_refused(tmp_path: Path) -> None:
    rows = tuple((*row, str(number // 2)) for number, row in enumerate(EXAMPLES))
    header = "suburb,kwh,solar,heating,who"
    path = write_curator(tmp_path, dataset='unit = "who"\nmax_rows = 2', rows=rows, header=header)
    with Curator.open(path) as curator, pytest.raises(NoiselessError, match="one row a person"):
        curator.plan_workload([("SELECT SUM(kwh) FROM meters", 1)], 4)


@pytest.mark.parametrize(("weight", "bits", "said"), [(0, 4, "above 0"), (1, 41, "at most 40 bits")])
def test_weights_and_budgets_make_sense(curator: Curator, weight: int, bits: int, said: str) -> None:
    with pytest.raises(NoiselessError, match=said):
        curator.plan_workload([("SELECT SUM(kwh) FROM meters", weight)], bits)


@pytest.mark.parametrize(
    "words",
    [
        ["--workload", "q.sql"],
        ["--curator", "c.toml", "--budget", "1"],
        [],
        ["--workload", "none.sql", "--curator", "c"],
    ],
)
def test_the_command_says_what_a_workload_needs(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["plan", *words]) == 2
    complaint = capsys.readouterr().err
    assert complaint.count("\n") == 1
    assert "--workload" in complaint
