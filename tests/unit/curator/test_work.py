"""The work of a price is bounded before it is done, in steps that are counted, and ends when nobody waits."""

from collections.abc import Iterator, Sequence
from copy import copy
from fractions import Fraction
from itertools import count
from pathlib import Path
from random import Random
from types import SimpleNamespace

import pytest

from curator_examples import write_curator
from noiseless.curator import Cancellation, Curator, WorkCancelledError, WorkError
from noiseless.curator import planner as planning
from noiseless.curator.disclosure import CellDisclosure, Disclosure
from noiseless.curator.edition import Edition
from noiseless.curator.planner import Planner
from noiseless.curator.public_state import PublicState
from noiseless.curator.transaction import PricedBatch, results
from noiseless.domain import Schema
from noiseless.errors import RequestError
from noiseless.pricing.batches import Knowledge, price
from noiseless.pricing.reach import QuantizedQuery, coarsest
from noiseless.questions import Images, Influence, Query
from noiseless.questions.question import Limits, Population
from noiseless.questions.sql import parse
from noiseless.ranges.quantizer import Uniform
from noiseless.work import MOST_STEPS, Work
from sql_examples import SCHEMA, TABLE, Grammar
from sql_worlds import World, random_records

TOWNS = 30_000
WIDE = Schema.parse(
    f"""
    [columns.town]
    role = "public"
    bounds = [0, {TOWNS - 1}]
    [columns.x]
    role = "private"
    bounds = [0, 999]
    [columns.y]
    role = "private"
    bounds = [0, 1000000]
    """
)


@pytest.fixture(scope="module")
def wide() -> Edition:
    """Many public cells, of two people each."""
    cells = Population(("town",), tuple((town,) for town in range(TOWNS)), (2,) * TOWNS)
    return Edition(PublicState(WIDE, Limits(), cells, 1), "d", "digest", 2)


def steps(edition: Edition, *sql: str) -> int:
    """The work of some statements, which is not done."""
    return sum(edition.steps(parse(text, WIDE, "d")) for text in sql)


def scattered(length: int) -> str:
    return ", ".join(map(str, sorted(Random(length).sample(range(1000), length))))


@pytest.mark.parametrize(
    "batch",
    [
        ["SELECT town, " + ", ".join(f"SUM(x) * {n}, MAX(x), MIN(y), AVG(y), MEDIAN(x)" for n in (2, 3)) + " "
         "FROM d GROUP BY town"],
        [f"SELECT COUNT(*) FROM d WHERE town < {TOWNS - n} AND x IN ({scattered(90)})" for n in range(1, 60)],
        [f"SELECT SUM(x) FROM d WHERE town <> {n}" for n in range(200)],
    ],
)  # fmt: skip
def test_a_batch_that_is_too_much_work_is_refused_before_any_of_it_is_done(
    wide: Edition, monkeypatch: pytest.MonkeyPatch, batch: list[str]
) -> None:
    planned = count()
    monkeypatch.setattr(Planner, "_part", lambda *_: next(planned))
    with pytest.raises(WorkError, match="takes too much work; ask for fewer statements") as refused:
        wide.batch(batch)
    assert isinstance(refused.value, RequestError)
    assert len(str(refused.value).splitlines()) == 1
    assert next(planned) == 0


def test_texts_are_counted_before_they_are_read(wide: Edition) -> None:
    monstrous = ["SELECT nonsense " + "x" * 90_000] * 20
    with pytest.raises(WorkError):
        wide.batch(monstrous)


def test_values_that_are_listed_are_counted_before_they_are(wide: Edition) -> None:
    """A short text may list a million values, or try thousands of cells."""
    listed = [f"SELECT SUM(y) FROM d WHERE y <> {n}" for n in range(1, 20)]
    tried = [f"SELECT SUM(x) FROM d WHERE town = 3 AND x IN ({scattered(500)})"]
    for batch in (listed, tried):
        with pytest.raises(WorkError):
            wide.batch(batch)


def test_a_variance_of_many_groups_is_refused_before_any_of_it_is_listed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each lists 24,000 things that others can be; the same group is asked about again for nothing."""
    schema = Schema.parse(
        """
        [columns.town]
        role = "public"
        bounds = [0, 199]
        [columns.x]
        role = "private"
        bounds = [0, 1]
        """
    )
    cells = Population(("town",), tuple((town,) for town in range(200)), tuple(range(23_800, 24_000)))
    edition = Edition(PublicState(schema, Limits(), cells, 1), "d", "digest", 2)
    few = [f"SELECT town, VAR_POP(x) FROM d WHERE town < {most} GROUP BY town" for most in (2, 3)]
    assert len(edition.batch(few * 9).disclosures) == 3
    monkeypatch.setattr(Planner, "_part", lambda *_: pytest.fail("it was begun"))
    with pytest.raises(WorkError):
        edition.batch(["SELECT town, VAR_POP(x) FROM d GROUP BY town"])


def test_what_people_ask_is_allowed(wide: Edition) -> None:
    """Four aggregates of each of 30,000 groups; a hundred lists of conditions; a dashboard of sums."""
    usual = [
        ["SELECT town, AVG(x), SUM(y), MAX(y), COUNT(*) FILTER (WHERE x > 3) FROM d GROUP BY town"],
        [f"SELECT COUNT(*) FROM d WHERE x IN ({scattered(20 + n)})" for n in range(100)],
        [f"SELECT AVG(x), SUM(y) FROM d WHERE town BETWEEN {n} AND {n + 500}" for n in range(1000)],
        [f"SELECT SUM(x) FROM d WHERE x < {n}" for n in range(1, 500)],
    ]
    for batch in usual:
        assert steps(wide, *batch) + 20 * sum(map(len, batch)) <= MOST_STEPS


@pytest.mark.parametrize("seed", range(3))
def test_no_statement_comes_to_more_than_was_counted(seed: int) -> None:
    """The groups and cells that it is about, one by one."""
    random = Random(seed)
    population = World(random_records(random, 40)).population
    edition = Edition(PublicState(SCHEMA, Limits(1, 1), population, 1), TABLE, "digest", 4)
    counted = 0
    for _ in range(60):
        sql = Grammar(random).statement()
        try:
            (planned,) = edition.batch([sql]).statements
        except RequestError:
            continue
        parts = [part for by_group in planned.parts.values() for part in by_group.values()]
        cells = sum(len(disclosure.people.cells or ()) for disclosure in planned.disclosures)
        assert planned.steps >= 150 * len(parts) + 4 * cells
        counted += 1
    assert counted > 20


class Waiting(Cancellation):
    """Somebody who goes away after being asked so many times."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self.most, self.asked = most, 0

    def check(self) -> None:
        self.asked += 1
        if self.asked > self.most:
            self.cancel()
        super().check()


@pytest.mark.parametrize("polls", [0, 1, 5, 12])
def test_a_price_is_given_up_when_nobody_waits(tmp_path: Path, polls: int) -> None:
    batch = ["SELECT suburb, AVG(kwh), MAX(kwh) FROM meters GROUP BY suburb", "SELECT SUM(kwh) FROM meters"]
    with Curator.open(write_curator(tmp_path)) as curator:
        for work in (curator.price, curator.ask):
            with Waiting(polls).active(), pytest.raises(WorkCancelledError):
                work(*batch)
        assert curator.state.spent.outputs == 1
        assert curator.ask(*batch).batch.outputs > 1


def test_each_group_asks_whether_somebody_waits(wide: Edition) -> None:
    with Waiting(10**6).active() as waiting:
        batch = wide.batch(["SELECT town, AVG(x) FROM d WHERE town < 300 GROUP BY town"])
        with batch.pricing():
            price([disclosure.event for disclosure in batch.disclosures], wide.public.record)
    assert waiting.asked >= 3 * 300


def test_an_allowance_is_that_of_one_batch() -> None:
    work = Work(most=10)
    work.spend(10)
    with pytest.raises(WorkError):
        work.spend(1)
    Work(most=10).spend(10)


def edition_of(sizes: Sequence[int], most: int) -> Edition:
    """Public groups of these sizes; private values from 0 on."""
    schema = Schema.parse(
        f"""
        [columns.g]
        role = "public"
        bounds = [0, {len(sizes) - 1}]
        [columns.x]
        role = "private"
        bounds = [0, {most}]
        """
    )
    cells = Population(("g",), tuple((g,) for g in range(len(sizes))), tuple(sizes))
    return Edition(PublicState(schema, Limits(1, 1), cells, 1), "d", "digest", 2)


SCATTERED = "WHERE x IN (7, 991, 1000)"


@pytest.mark.parametrize(
    ("sizes", "most", "sql"),
    [
        (range(24_000, 24_200), 1, "SELECT g, VAR_POP(x) FROM d GROUP BY g"),
        (range(985, 1001), 1000, f"SELECT /*+ max_error(100000) */ g, SUM(x) FROM d {SCATTERED} GROUP BY g"),
        ([1000], 1000, f"SELECT /*+ max_error(0) */ SUM(x) FROM d {SCATTERED}"),
    ],
)
def test_positions_are_counted_before_they_are_listed(
    monkeypatch: pytest.MonkeyPatch, sizes: Sequence[int], most: int, sql: str
) -> None:
    """Those of each group of another size."""
    listed: list[Query] = []

    def mechanism(query: Query, limit: Fraction) -> QuantizedQuery:
        listed.append(query)
        return coarsest(query, limit) if limit == 0 else QuantizedQuery(query, Uniform(query.span, 1))

    monkeypatch.setattr(planning, "finest", mechanism)
    monkeypatch.setattr(planning, "coarsest", mechanism)
    monkeypatch.setattr(planning, "CellOutputSpace", lambda made: SimpleNamespace(mechanism=made))
    monkeypatch.setattr(planning, "CellDisclosure", lambda *_, **__: None)
    with pytest.raises(WorkError):
        edition_of(sizes, most).batch([sql])
    assert 3 * sum(query.listed for query in listed) <= MOST_STEPS


@pytest.mark.parametrize("sql", ["SELECT VAR_POP(x) FROM d", "SELECT SUM(x) FROM d WHERE x IN (2, 7)"])
@pytest.mark.parametrize("people", [1, 2, 5, 9])
def test_a_query_weighs_what_it_lists(people: int, sql: str) -> None:
    ((disclosure,),) = (planned.disclosures for planned in edition_of([people], 8).batch([sql]).statements)
    assert isinstance(disclosure, CellDisclosure)
    query = disclosure.mechanism.query
    held = {*(query.attainable or ())}
    for influence in query.influences:
        if isinstance(influence, Images):
            assert sum(map(len, influence.listed)) <= query.listed
        elif isinstance(influence, Influence):
            held |= {*influence.bases, *influence.moves}
    assert 2 * disclosure.alike.weight > len(held) or not isinstance(query.attainable, tuple)


def test_what_is_asked_of_one_group_is_allowed() -> None:
    """The variance of many people with two values; sums of hundreds that leave gaps."""
    assert edition_of([24_990], 1).batch(["SELECT VAR_POP(x) FROM d"]).statements
    assert edition_of([300], 1000).batch([f"SELECT SUM(x) FROM d {SCATTERED}"]).statements


ASKED = [
    "SELECT g, VAR_POP(x) FROM d GROUP BY g",
    "SELECT /*+ reach(3) */ VAR_POP(x) FROM d WHERE g = 0",
    f"SELECT SUM(x) FROM d {SCATTERED}",
    f"SELECT g, SUM(x) FROM d {SCATTERED} GROUP BY g",
    f"SELECT /*+ max_error(20) */ g, SUM(x) FROM d {SCATTERED} GROUP BY g",
    f"SELECT AVG(x) FROM d {SCATTERED}",
    f"SELECT /*+ reach(2) */ g, COUNT(*) FROM d {SCATTERED} GROUP BY g",
    "SELECT g, COUNT(*) FROM d WHERE x < 30 GROUP BY g",
    "SELECT x, COUNT(*) FROM d GROUP BY x",
]


def left(edition: Edition, batch: Sequence[str]) -> tuple[int, int]:
    """What a batch leaves of its allowance, planned and then priced."""
    planned = edition.batch(batch)
    work = copy(planned.work)
    with work.counted():
        price([disclosure.event for disclosure in planned.disclosures], edition.public.record)
    return planned.work.left, work.left


@pytest.mark.parametrize("seed", range(8))
def test_an_allowance_does_not_depend_on_what_was_asked_before(seed: int) -> None:
    """Whether statements, or only parts of them, are remembered: work is refused alike."""
    random = Random(seed)
    batch = random.choices(ASKED, k=random.randint(1, 6))
    warm = edition_of([3, 3, 4], 1000)
    for _ in range(3):
        left(warm, random.choices(ASKED, k=3))
    changed = [text.replace("SELECT", "SELECT ") for text in batch]  # the same questions in other texts
    fresh = left(edition_of([3, 3, 4], 1000), changed)
    assert left(warm, changed) == left(warm, changed) == fresh
    assert left(warm, batch) == left(edition_of([3, 3, 4], 1000), batch)


def test_what_is_refused_at_first_is_refused_after_its_parts_were_planned(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("noiseless.curator.edition.Work", lambda: Work(most=600_000))
    edition = edition_of(range(30, 35), 1000)
    each = [f"SELECT SUM(x) FROM d {SCATTERED} AND g = {g}" for g in range(5)]
    with pytest.raises(WorkError):
        edition.batch(each)
    for text in each:
        edition.batch([text])
    with pytest.raises(WorkError):
        edition.batch(each)


def test_groups_of_one_size_are_planned_once() -> None:
    alone, many = (edition_of([300] * groups, 1000) for groups in (1, 20))
    sql = f"SELECT g, SUM(x) FROM d {SCATTERED} GROUP BY g"
    ((_, one), (_, all_of_them)) = (
        (edition, MOST_STEPS - edition.batch([sql]).work.left) for edition in (alone, many)
    )
    assert all_of_them < 2 * one


def test_columns_find_what_is_fresh_without_walking_all_of_it() -> None:
    """Each disclosure is looked at a few times, however many statements there are."""
    looked_at = count()

    class Watched(tuple[Disclosure, ...]):
        __slots__ = ()

        def __iter__(self) -> Iterator[Disclosure]:
            for disclosure in super().__iter__():
                next(looked_at)
                yield disclosure

    batch = edition_of([5], 1000).batch([f"SELECT COUNT(*) FROM d WHERE x < {n}" for n in range(1, 60)])
    record = edition_of([5], 1000).public.record
    paid = price([disclosure.event for disclosure in batch.disclosures], record)
    priced = PricedBatch(paid, Watched(batch.disclosures), {}, Knowledge(), record)
    results(batch, priced, None)
    assert next(looked_at) <= len(batch.disclosures)


@pytest.mark.parametrize("wrong", [["SELECT COUNT(*) FROM meters"], {}, 5, None, b"SELECT"])
def test_what_is_no_text_is_refused_in_a_line(tmp_path: Path, wrong: str) -> None:
    with Curator.open(write_curator(tmp_path)) as curator:
        for asked in (curator.price, curator.ask):
            with pytest.raises(RequestError, match="statement is one text") as refused:
                asked(wrong)
            assert len(str(refused.value).splitlines()) == 1
        (error,) = curator.ask_each([[wrong]])
        assert isinstance(error, RequestError)
        with pytest.raises(RequestError, match="give a list of statements"):
            list(curator.ask_each(5))  # type: ignore[arg-type]
