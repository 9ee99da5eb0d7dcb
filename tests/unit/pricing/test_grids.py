from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from noiseless.pricing.batches import cells_left, common_grid
from noiseless.questions import Attribute, Continuum, Lattice, LinearOnBox, Quantity, total
from noiseless.ranges.quantizer import Listed, Quantizer, Stepped, Uniform

LATTICE = Lattice.of(0, 24, 1)


@st.composite
def quantizers(draw: st.DrawFn) -> Quantizer:
    if draw(st.booleans()):
        return Uniform(LATTICE, draw(st.integers(1, 25)))
    if draw(st.booleans()):
        return Stepped(LATTICE, draw(st.integers(1, 25)))
    inner = draw(st.sets(st.integers(1, 24), max_size=5))
    return Listed(LATTICE, (0, *sorted(inner)))


@given(st.lists(quantizers(), min_size=1, max_size=4))
def test_a_common_grid_tells_what_all_tell(grids: list[Quantizer]) -> None:
    query = total(4, Attribute("x", range(7)))
    together = common_grid(query, grids)
    assert together is not None
    cells = [together.quantizer.cell_at(place) for place in range(25)]
    assert cells == sorted(cells)
    assert len(set(cells)) == len({tuple(grid.cell_at(place) for grid in grids) for place in range(25)})


@given(st.lists(quantizers(), min_size=1, max_size=3), quantizers())
def test_cells_left_are_those_that_share_a_point_with_known_cells(
    known: list[Quantizer], asked: Quantizer
) -> None:
    found: dict[tuple[int, ...], set[int]] = {}
    for place in range(25):
        found.setdefault(tuple(grid.cell_at(place) for grid in known), set()).add(asked.cell_at(place))
    assert cells_left(known, asked) == max(map(len, found.values()))


def test_four_cells_tell_two_and_three_do_not() -> None:
    for span in (Continuum.of(0, 1), Lattice.of(0, 1, Fraction(1, 1000))):
        four, three, two = (Uniform(span, cells) for cells in (4, 3, 2))
        assert cells_left([four], two) == 1
        assert cells_left([three], two) == 2
        assert cells_left([], two) == 2


def test_grids_on_a_continuum() -> None:
    query = LinearOnBox((Fraction(1, 10),) * 10, Quantity("x", Continuum.of(0, 1)))
    together = common_grid(query, [Uniform(query.span, cells) for cells in (30, 29, 28)])
    assert together is not None
    assert together.quantizer.cells == 29 + 28 + 27 - 1 + 1  # inner edges; one half is in two grids
    assert together.reach.outputs <= 10


def test_very_fine_grids_are_left_apart() -> None:
    query = total(1, Attribute("x", range(10**6)))
    assert common_grid(query, [Stepped(query.span, 1), Stepped(query.span, 2)]) is None
    assert cells_left([Stepped(query.span, 1)], Stepped(query.span, 2)) == 500_000


def test_a_grid_is_a_quantizer() -> None:
    grid = Listed(LATTICE, (0, 3, 10))
    assert grid.cells == 3
    assert [grid.cell(Fraction(value)) for value in (0, 2, 3, 24)] == [0, 0, 1, 2]
    assert tuple(grid.answer(2)) == (Fraction(10), Fraction(24))
