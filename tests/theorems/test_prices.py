"""The rules of composition, each docstring a statement; joint answers are counted by listing them."""

from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import combinations_with_replacement, pairwise, product
from math import comb, prod

from hypothesis import given
from hypothesis import strategies as st

from noiseless.pricing import composition as rules
from noiseless.pricing.answer_tables import most_joint_answers, table_of_sum
from noiseless.pricing.batches import price
from noiseless.pricing.event import Footprint, Record
from noiseless.pricing.events import ExactCounts, QuantizedAnswer
from noiseless.pricing.history import History
from noiseless.pricing.other_events import Derived, OtherAnswer
from noiseless.pricing.partition import DomainPartition, refined
from noiseless.pricing.reach import QuantizedQuery
from noiseless.questions import Attribute, CountedQuery, mean, total
from noiseless.questions.base import monotone_pieces
from noiseless.ranges.quantizer import Stepped, Uniform

SIZE = 6
ANSWERS = st.lists(st.integers(0, 3), min_size=SIZE, max_size=SIZE)
"""An answer for each value of a person's attribute, everybody else staying as they are."""
MONOTONE = st.tuples(ANSWERS, st.booleans()).map(lambda found: sorted(found[0], reverse=found[1]))


def joint(functions: Sequence[Sequence[object]]) -> int:
    return len(set(zip(*functions, strict=True)))


def _cuts(steps: Iterable[int]) -> int:
    """1 + the sum of cuts."""
    return 1 + sum(steps)


def _cuts_of(reaches: Sequence[int], pieces: Sequence[int]) -> int:
    """The same of answers with so many monotone pieces, as they are priced."""
    told = [Footprint.steps("x", *each) for each in zip(reaches, pieces, strict=True)]
    return _cuts(footprint.cuts[0] for footprint in told)


@given(st.lists(ANSWERS, min_size=1, max_size=4))
def test_product(functions: list[list[int]]) -> None:
    """Joint outputs are at most the product of the reaches (Theorem 6 of [P1])."""
    assert joint(functions) <= prod(len(set(function)) for function in functions)


@given(st.lists(MONOTONE, min_size=1, max_size=5))
def test_cuts(functions: list[list[int]]) -> None:
    """Answers monotone in one attribute, up or down: joint outputs <= 1 + sum of (reach - 1)."""
    assert joint(functions) <= _cuts(len(set(function)) - 1 for function in functions)


@given(st.lists(ANSWERS, min_size=1, max_size=4))
def test_pieces_cost_as_many_times_the_cuts(functions: list[list[int]]) -> None:
    """With p monotone pieces, which share their turning points, joint outputs <= 1 + sum of p (reach - 1)."""
    reaches = [len(set(function)) for function in functions]
    pieces = [monotone_pieces(function) for function in functions]
    assert joint(functions) <= _cuts_of(reaches, pieces)


def test_pieces_do_need_as_many_times_the_cuts() -> None:
    """Up and down again: 1 + 2 (reach - 1) is attained, and 1 + (reach - 1) fails."""
    hill, slope = [0, 1, 2, 1, 0], [0, 0, 0, 1, 1]
    assert joint([hill, slope]) == _cuts_of([3], [2]) == 5
    assert joint([hill, slope]) > _cuts_of([3, 2], [1, 1])


@given(st.lists(ANSWERS, min_size=1, max_size=4))
def test_partition(functions: list[list[int]]) -> None:
    """Exact counts of the blocks of partitions tell a record's atom, and no more: reach = atoms."""
    assert joint(functions) == refined([DomainPartition.of("x", labels) for labels in functions]).blocks


@given(st.lists(ANSWERS, min_size=1, max_size=3), st.lists(MONOTONE, min_size=1, max_size=3))
def test_cuts_and_partition(blocks: list[list[int]], functions: list[list[int]]) -> None:
    """A cut adds at most one output for each atom that it parts."""
    steps = [len(set(function)) - 1 for function in functions]
    atoms = refined([DomainPartition.of("x", labels) for labels in blocks])
    assert joint([*blocks, *functions]) <= atoms.spread(sum(steps)) <= atoms.blocks * _cuts(steps)


@given(st.lists(st.tuples(st.sets(st.integers(0, 2)), MONOTONE), min_size=1, max_size=4))
def test_filter(questions: list[tuple[set[int], list[int]]]) -> None:
    """Filtered on another attribute: joint outputs <= sum of 1 + the cuts seen, over the filters' atoms."""
    told = {
        tuple(function[x] if y in inside else 0 for inside, function in questions)
        for x, y in product(range(SIZE), range(3))
    }
    atoms = {tuple(y in inside for inside, _ in questions) for y in range(3)}
    steps = [len(set(function)) - 1 for _, function in questions]
    seen = [sum(step for step, holds in zip(steps, atom, strict=True) if holds) for atom in atoms]
    assert len(told) <= sum(1 + steps_seen for steps_seen in seen) <= len(atoms) * _cuts(steps)


def test_filtered_sums_do_not_obey_the_cuts_alone() -> None:
    """SUM(x) WHERE y = 0 and SUM(x) WHERE y = 1 for x in {1, 2}: four outputs, 1 + sum of cuts would be 3."""
    told = {(x * (y == 0), x * (y == 1)) for x, y in product((1, 2), (0, 1))}
    assert _cuts([1, 1]) < len(told) == 4 <= _cuts([1]) + _cuts([1])


def test_averages_with_a_private_filter_do_not_obey_the_cuts() -> None:
    """AVG(x) WHERE x >= 5, WHERE x <= 1, WHERE x >= 1, NULL being an output: six, 1 + cuts would be five."""
    questions = [
        (range(5, 7), [Fraction(3)]),
        (range(2), [Fraction(3)]),
        (range(1, 7), [Fraction(7, 2), Fraction(4)]),
    ]

    def told(values: Sequence[int], inside: range, edges: Sequence[Fraction]) -> int | None:
        kept = [value for value in values if value in inside]
        return sum(Fraction(sum(kept), len(kept)) >= edge for edge in edges) if kept else None

    tables = [
        [[told((own, other), *question) for own in range(7)] for question in questions] for other in range(7)
    ]
    reaches = [max(len(set(table[place])) for table in tables) for place in range(3)]
    assert reaches == [2, 2, 3]
    assert max(map(joint, tables)) == 6 > _cuts(reach - 1 for reach in reaches)


@given(st.lists(st.tuples(st.sets(st.integers(0, 2)), MONOTONE, st.integers(0, 4)), min_size=1, max_size=3))
def test_means_of_those_who_pass(questions: list[tuple[set[int], list[int], int]]) -> None:
    """Means WHERE y passes: monotone in x for those who pass, one answer (perhaps none) for all others.

    Joint outputs <= the sum over the atoms of 1 + the cuts seen there, where a mean with N outputs, "none"
    among them, has N - 2 cuts for those who pass.
    """
    records = product(range(3), range(SIZE))
    joint_answers = {
        tuple(told[x] if y in passing else absent for passing, told, absent in questions) for y, x in records
    }
    atoms = {tuple(y in passing for passing, _, _ in questions): y for y in range(3)}
    bound = 0
    for y in atoms.values():
        bound += _cuts(len(set(told)) - 1 for passing, told, _ in questions if y in passing)
    assert len(joint_answers) <= bound


@given(MONOTONE, st.sets(st.integers(0, SIZE - 1)), st.integers(0, 4))
def test_a_function_interrupted_by_a_constant(rising: list[int], passing: set[int], absent: int) -> None:
    """A mean WHERE x itself passes steps at most inside - 1 times, and where runs that pass begin or end."""
    told = [rising[x] if x in passing else absent for x in range(SIZE)]
    turns = sum((x in passing) != (x + 1 in passing) for x in range(SIZE - 1))
    inside = max(len({rising[x] for x in passing}), 1)
    steps = sum(one != two for one, two in pairwise(told))
    assert steps <= Footprint.interrupted("x", 9, inside, turns).cuts[0]


@given(
    st.lists(st.integers(0, SIZE - 1), min_size=1, max_size=5), st.sets(st.integers(1, SIZE - 1)), st.data()
)
def test_the_cell_of_an_order_statistic_is_that_of_the_cells(
    values: list[int], edges: set[int], data: st.DataObject
) -> None:
    """Rounding down to cells keeps the order: a person's own cell is all that order statistics tell."""
    rank = data.draw(st.integers(0, len(values) - 1))

    def cell(value: int) -> int:
        return sum(edge <= value for edge in edges)

    assert cell(sorted(values)[rank]) == sorted(map(cell, values))[rank]


@given(ANSWERS, ANSWERS)
def test_counts_where_a_block_is_known(asked: list[int], known: list[int]) -> None:
    """Given a person's block of one partition, another tells at most as many outputs as a block has parts."""
    one, other = DomainPartition.of("x", asked), DomainPartition.of("x", known)
    parts = [{asked[x] for x in range(SIZE) if known[x] == block} for block in set(known)]
    left = one.within(other)
    assert left.blocks == max(map(len, parts))
    assert refined([left, other]).blocks == refined([one, other]).blocks


@given(
    st.integers(2, 4),
    st.integers(1, 2),
    st.lists(st.tuples(st.integers(0, 3), st.integers(1, 9)), min_size=1, max_size=3),
)
def test_counted(size: int, rows: int, questions: list[tuple[int, int]]) -> None:
    """All that a person can be, and all that others can add to each sum: no joint outputs beyond that."""
    x, people = Attribute("x", range(size)), rows + 1
    asked = [total(people, x, range(min(least, size - 1), size), rows) for least, _ in questions]
    told = [
        QuantizedQuery(query, Stepped(query.span, points))
        for query, (_, points) in zip(asked, questions, strict=True)
    ]
    tables = [table for one in told if (table := table_of_sum(one, size, rows)) is not None]
    assert len(tables) == len(told)
    bound = most_joint_answers(tables)

    def answer(one: QuantizedQuery, values: Sequence[int]) -> int:
        query = one.query
        assert isinstance(query, CountedQuery)
        return one.quantizer.cell_at(query.position(Counter(values)))

    found = 0
    for other in range(size):
        own = product(range(size), repeat=rows)
        found = max(found, len({tuple(answer(one, [*mine, other]) for one in told) for mine in own}))
    assert bound is not None
    assert found <= bound <= prod(one.reach.outputs for one in told)


def test_distinct_counts_do_not_obey_the_cuts() -> None:
    """COUNT DISTINCT of two public groups that share a person: two outputs each, four together.

    Others are at 0 and 2 in one group, at 1 and 2 in the other.
    """
    told = [[len({own, *known}) for own in range(4)] for known in ([0, 2], [1, 2])]
    assert [len(set(function)) for function in told] == [2, 2]
    assert joint(told) == 4 > _cuts([1, 1])


@given(st.lists(st.integers(1, 4), min_size=1, max_size=4))
def test_grouped(reaches: list[int]) -> None:
    """GROUP BY a private column: 1 + sum of (N_g - 1) outputs, N_g counting "absent", and so many occur."""
    told = {
        tuple(answer if group == own else 0 for group in range(len(reaches)))
        for own, reach in enumerate(reaches)
        for answer in range(reach)
    }
    assert len(told) == rules.grouped(reaches).outputs


FORMS = st.tuples(st.integers(-2, 2), st.integers(-2, 2), st.integers(-2, 2))


@given(st.lists(st.tuples(FORMS, st.sets(st.integers(-4, 10), max_size=3)), min_size=1, max_size=5))
def test_hyperplanes(questions: list[tuple[tuple[int, int, int], set[int]]]) -> None:
    """Linear forms of d attributes: joint outputs <= sets of at most d hyperplanes, one of a parallel class.

    Points on a hyperplane are included.
    """
    told = {
        tuple(
            sum(sum(w * x for w, x in zip(form, point, strict=True)) >= edge for edge in edges)
            for form, edges in questions
        )
        for point in product(range(4), repeat=3)
    }
    assert len(told) <= rules.hyperplanes([len(edges) for _, edges in questions], 3).outputs


@given(st.lists(st.integers(0, 4), max_size=6), st.integers(1, 6))
def test_hyperplanes_are_between_cuts_and_product(classes: list[int], dimensions: int) -> None:
    """With m hyperplanes: 1 + m <= bound <= min(product, sum_{i<=d} C(m,i)); d = 1 is the rule of cuts."""
    found = rules.hyperplanes(classes, dimensions).outputs
    total = sum(classes)
    assert _cuts(classes) <= found <= prod(size + 1 for size in classes)
    assert found <= sum(comb(total, i) for i in range(dimensions + 1))
    assert rules.hyperplanes(classes, 1).outputs == _cuts(classes)


@given(st.integers(1, 4), st.integers(1, 4))
def test_rows_that_are_counted_alike(blocks: int, rows: int) -> None:
    """Counts over all rows tell how many of a person's r rows are in each of k blocks: C(k + r - 1, r)."""
    listed = set(combinations_with_replacement(range(blocks), rows))
    assert len(listed) == rules.equal_rows(blocks, rows).outputs <= blocks**rows


@given(
    st.lists(
        st.tuples(st.sets(st.sampled_from("abc"), min_size=1), st.integers(2, 4)), min_size=1, max_size=5
    )
)
def test_public_groups(questions: list[tuple[set[str], int]]) -> None:
    """People in different public groups are different people: the price is that of the dearest group."""
    record = Record.of({"x": None})
    batch = [OtherAnswer(k, ("x",), outputs, cells) for k, (cells, outputs) in enumerate(questions)]
    each = [prod(outputs for cells, outputs in questions if cell in cells) for cell in "abc"]
    assert price(batch, record).outputs == max(each)


def grid(cells: int, people: int = 4) -> QuantizedAnswer:
    query = mean(people, Attribute("x", range(13)))
    return QuantizedAnswer(QuantizedQuery(query, Uniform(query.span, cells)))


@given(st.lists(st.integers(1, 20), min_size=1, max_size=5))
def test_asking_together_never_costs_more(cells: list[int]) -> None:
    """The price of a batch is at most that of its questions one after another, and at least each one's."""
    record = Record.of({"x": None})
    batch = [grid(number) for number in cells]
    history = History(record)
    for event in batch:
        history = history.after([event])
    together = price(batch, record).outputs
    assert together <= history.spent.outputs
    assert together >= max(event.mechanism.reach.outputs for event in batch)


@given(st.lists(st.integers(1, 20), min_size=1, max_size=4))
def test_the_common_grid_is_no_worse_than_the_cuts(cells: list[int]) -> None:
    """Several grids over one question are one grid: its reach is at most 1 + sum of (reach - 1)."""
    batch = [grid(number) for number in cells]
    steps = [event.mechanism.reach.outputs - 1 for event in batch]
    assert price(batch, Record.of({"x": None})).outputs <= _cuts(steps)


@given(st.integers(1, 20), st.integers(1, 20))
def test_implied_questions_are_free(known: int, asked: int) -> None:
    """A grid is free after another one exactly when all its edges are edges of that one."""
    history = History(Record.of({"x": None})).after([grid(known)])
    first, second = grid(known).mechanism.quantizer, grid(asked).mechanism.quantizer
    edges = {first.begin(cell) for cell in range(first.cells)}
    nested = all(second.begin(cell) in edges for cell in range(second.cells))
    assert (history.quote([grid(asked)]).outputs == 1) == nested


@given(st.lists(ANSWERS, min_size=1, max_size=4))
def test_the_record_bounds_every_price(functions: list[list[int]]) -> None:
    """The price of a batch never exceeds H0 of the attributes that it is about."""
    batch = [ExactCounts(DomainPartition.of("x", labels)) for labels in functions]
    priced = price(batch, Record.of({"x": SIZE, "y": 9}))
    assert priced.outputs <= SIZE
    assert (priced.disclosed == ("x",)) == (priced.outputs == SIZE)


@given(st.lists(st.integers(1, 20), min_size=1, max_size=3))
def test_post_processing(cells: list[int]) -> None:
    """What is computed from answers alone costs nothing more (Theorem 7 of [P1])."""
    record = Record.of({"x": None})
    batch = [grid(number) for number in cells]
    assert price([*batch, Derived("sum", tuple(batch))], record) == price(batch, record)


def test_a_stepped_grid_is_the_same_question_as_an_equal_uniform_one() -> None:
    """Grids with equal edges tell the same, whatever they are called."""
    query = mean(4, Attribute("x", range(13)))
    history = History(Record.of({"x": None})).after([grid(49)])
    assert history.quote([QuantizedAnswer(QuantizedQuery(query, Stepped(query.span, 1)))]).outputs == 1
