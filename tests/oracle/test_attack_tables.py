"""Certain claims about people, by the definition: every population that fits the tables, written down."""

from collections import Counter
from itertools import combinations, product
from random import Random

import pyarrow as pa
import pytest

from noiseless.adversaries import tables
from oracle.tabulation_oracle import FAR, Knowledge, Row, World, total

Person = tuple[str, ...]


def said(count: int, below: int | None, rounded: int | None) -> tuple[int, int]:
    """The counts that are published in the same way."""
    alike = [
        n
        for n in range(count + 2 * (rounded or 1) + (below or 1))
        if shown(n, below, rounded) == shown(count, below, rounded)
    ]
    return alike[0], alike[-1]


def shown(count: int, below: int | None, rounded: int | None) -> object:
    if below is not None and 0 < count < below:
        return "<"
    return count if rounded is None else (2 * count + rounded) // (2 * rounded) * rounded


@pytest.mark.parametrize("seed", range(24))
def test_claims_are_those_of_every_population_that_fits(seed: int) -> None:
    random = Random(seed)
    names = ("block", "sex", "age")[: random.choice((2, 3))]
    values = {"block": ("1", "2"), "sex": ("f", "m"), "age": ("30", "34", "38")}
    people = [tuple(random.choice(values[name]) for name in names) for _ in range(random.randint(3, 7))]
    below, rounded = random.choice(((None, None), (None, None), (3, None), (None, 2)))
    by = names[:1] if len(names) == 3 and random.random() < 0.5 else ()
    columns = [name for name in names if name not in by]
    records = pa.table({name: [person[place] for person in people] for place, name in enumerate(names)})
    secret = random.choice((None, names[-1]))
    game = tables(records, columns=columns, by=by, below=below, rounded=rounded, secret=secret)
    present = {name: sorted({person[place] for person in people}) for place, name in enumerate(names)}
    cells = list(product(*present.values()))
    for most in sorted({score.details["dimensions"] for score in game.results}):
        rows = []
        for many in range(1, most - len(by) + 1):
            for some in combinations(columns, many):
                axes = [names.index(name) for name in (*by, *some)]
                for labels in product(*(present[names[axis]] for axis in axes)):
                    inside = [cell for cell in cells if tuple(cell[axis] for axis in axes) == labels]
                    count = sum(tuple(person[axis] for axis in axes) == labels for person in people)
                    rows.append(Row(total([",".join(cell) for cell in inside]), *said(count, below, rounded)))
        known = Knowledge.of(World({",".join(cell): (0, FAR) for cell in cells}, tuple(rows)))
        least = {cell: min(known.values({",".join(cell): 1})) for cell in cells}
        most_of = {cell: max(known.values({",".join(cell): 1})) for cell in cells}
        expected = {"record": [n for n in least.values() if n]}
        if secret is not None:
            expected["group"] = [
                least[cell]
                for cell in cells
                if least[cell] and all(not most_of[(*cell[:-1], s)] for s in present[secret] if s != cell[-1])
            ]
        fewest = min(sum(table) for table in known.tables)
        for score in (one for one in game.results if one.details["dimensions"] == most):
            sizes = expected[score.details["claim"]]
            counted = Counter(min(size, 4) for size in sizes)
            assert score.details["decided"]
            assert score.details["claims"] == len(sizes)
            assert [score.details[f"size_{k}"] for k in (1, 2, 3)] == [counted[k] for k in (1, 2, 3)]
            assert score.details["larger"] == counted[4]
            assert score.score == sum(sizes) / score.details["people"]
            assert score.details["people"] <= fewest
            if below is None and rounded is None:
                assert score.details["people"] == len(people)
