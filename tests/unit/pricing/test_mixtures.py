"""Sums under filters on several private attributes, against all combinations of their values one by one."""

from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from noiseless.pricing.composition import best_parts
from noiseless.pricing.event import Footprint, Record
from noiseless.pricing.partition import DomainPartition

SIZES = {"x": 5, "y": 4, "z": 3}
Seen = tuple[str, list[bool], int]
FILTERS = st.sampled_from(sorted(SIZES)).flatmap(
    lambda name: st.tuples(
        st.just(name), st.lists(st.booleans(), min_size=SIZES[name], max_size=SIZES[name]), st.integers(2, 3)
    )
)


def footprint(seen: Seen) -> Footprint:
    """A sum of w that is seen where a condition on another attribute holds."""
    name, passes, outputs = seen
    partition = DomainPartition.of(name, passes)
    inside = [1] * partition.blocks
    if True in passes:
        inside[partition.label_at(passes.index(True))] = outputs
    return Footprint.chosen(partition, "w", max(inside), inside, 1)


@given(st.lists(FILTERS, min_size=1, max_size=5))
def test_the_steps_seen_in_each_atom_are_those_of_each_combination(several: list[Seen]) -> None:
    """Sum over the atoms of 1 + the cuts seen there: no price is above it."""
    atoms = {}
    for values in product(*map(range, SIZES.values())):
        own = dict(zip(SIZES, values, strict=True))
        told = tuple(passes[own[name]] for name, passes, _ in several)
        atoms[told] = 1 + sum(
            outputs - 1 for (_, _, outputs), holds in zip(several, told, strict=True) if holds
        )
    record = Record.of({"w": None, **SIZES})
    (part,) = best_parts(map(footprint, several), record) or (None,)
    assert part is None or part.outputs <= sum(atoms.values())


def test_many_scattered_conditions_on_three_attributes_need_no_list_of_combinations() -> None:
    size = 2000
    several = [
        Footprint.chosen(
            DomainPartition.of(name, [number * step % 7 < 3 for number in range(size)]), "w", 2, [1, 2], 1
        )
        for name in ("x", "y", "z")
        for step in range(1, 6)
    ]
    record = Record.of({"w": None, "x": size, "y": size, "z": size})
    (part,) = best_parts(several, record)
    assert part.outputs < 2**15
