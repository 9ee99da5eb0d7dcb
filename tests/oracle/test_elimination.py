"""Combinations of linear forms against ranks of matrices."""

from collections.abc import Hashable, Mapping
from fractions import Fraction
from random import Random

import pytest
from flint import fmpq, fmpq_mat

from noiseless.curator.elimination import Form, Number, combinations


def rank(forms: list[Form], unknowns: int) -> int:
    rows = [[Fraction(form.get(unknown, 0)) for unknown in range(unknowns)] for form in forms]
    if not rows:
        return 0
    return int(fmpq_mat([[fmpq(v.numerator, v.denominator) for v in row] for row in rows]).rank())


def added(forms: list[Form], multiples: Mapping[int, Number]) -> Form:
    found: dict[Hashable, Number] = {}
    for number, times in multiples.items():
        for unknown, multiple in forms[number].items():
            found[unknown] = found.get(unknown, 0) + times * multiple
    return {unknown: multiple for unknown, multiple in found.items() if multiple}


def form(random: Random, unknowns: int) -> Form:
    values = (0, 0, 0, 1, -1, 2, Fraction(1, 2))
    return {unknown: v for unknown in range(unknowns) if (v := random.choice(values))}


@pytest.mark.parametrize("seed", range(20))
def test_targets_are_combinations_exactly_when_they_leave_the_rank(seed: int) -> None:
    for turn in range(60):
        random = Random(1000 * seed + turn)
        unknowns, many = random.randint(1, 7), random.randint(0, 8)
        forms = [form(random, unknowns) for _ in range(many)]
        targets = []
        for _ in range(random.randint(1, 3)):
            some = {number: random.choice((1, -1, 3)) for number in range(many) if random.random() < 0.5}
            targets.append(added(forms, some) if random.random() < 0.7 else form(random, unknowns))
        found = combinations(targets, forms)
        assert (found is not None) == (rank(forms, unknowns) == rank([*forms, *targets], unknowns))
        if found is not None:
            assert [added(forms, multiples) for multiples in found] == targets
