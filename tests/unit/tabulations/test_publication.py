import numpy as np
import pytest

from noiseless.errors import RequestError
from noiseless.tabulations import Classification, Publication, PublishedTable, Told
from noiseless.tabulations.publication import UNBOUNDED
from tabulation_examples import hierarchy, with_margins


def test_rows_add_up_what_the_labels_say() -> None:
    dimensions = [hierarchy("a", 4, 2), hierarchy("b", 3, 3), hierarchy("c", 2, 2)]
    values = np.random.default_rng(1).integers(0, 9, (4, 3, 2))
    full = with_margins(values, dimensions)
    table = PublishedTable.of_grid("t", {each.name: each.labels for each in dimensions}, full, full)
    publication = Publication(tuple(dimensions), (table,))
    assert (publication.rows.astype(np.int64) @ values.ravel() == full.ravel()).all()
    assert publication.row_name(0) == ("t", ("a0", "b0", "c0"))
    assert publication.row_names[-1] == ("t", ("All", "All", "All"))
    assert publication.atom_name(7) == ("a1", "b0", "c1")


def test_a_table_without_a_dimension_is_its_total() -> None:
    first, second = hierarchy("a", 2, 2), hierarchy("b", 3, 3)
    both = PublishedTable.of("both", ["a", "b"], [(("a0", "b2"), Told.exact(1))])
    alone = PublishedTable.of("alone", ["b"], [(("b2",), Told.exact(4)), (("All",), Told.withheld())])
    publication = Publication((first, second), (both, alone))
    assert publication.rows.toarray().tolist() == [
        [0, 0, 1, 0, 0, 0],
        [0, 0, 1, 0, 0, 1],
        [1, 1, 1, 1, 1, 1],
    ]
    assert publication.told_upper.tolist() == [1, 4, UNBOUNDED]


def test_what_does_not_fit_is_refused_in_one_line() -> None:
    row, wide = hierarchy("row", 2, 2), Classification("w", tuple(map(str, range(3000))))
    table = PublishedTable.of("t", ["row"], [(("row0",), Told.exact(1))])
    money = PublishedTable.of("m", ["row"], [(("row0",), Told.exact(1))], "magnitude")
    lost = PublishedTable.of("t", ["row"], [(("elsewhere",), Told.exact(1))])
    cross = PublishedTable.of("t", ["w", "v"], [(("1", "1"), Told.exact(1))])
    with pytest.raises(RequestError, match="separate quantities"):
        Publication((row,), (table, money))
    with pytest.raises(RequestError, match="'elsewhere' is no category"):
        _ = Publication((row,), (lost,)).rows
    with pytest.raises(RequestError, match="9,000,000 base cells"):
        Publication((wide, Classification("v", wide.categories)), (cross,))
    with pytest.raises(RequestError, match="no classification 'row'"):
        Publication((wide,), (table,))
    with pytest.raises(RequestError, match="larger step"):
        Told.exact(2**51)
    with pytest.raises(RequestError, match="upper end is too small"):
        Told(3, 2)
    with pytest.raises(RequestError, match="no base cell 'b'"):
        Publication.of_rows(["a"], [(0, 1)], [(["b"], Told.exact(1))])
