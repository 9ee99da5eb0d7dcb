import pytest

from noiseless.verification.generalisation import GeneralisationTree, interval_text, read_set
from oracle import certificate_oracle

TREE = {
    "Paris": ["France", "Europe", "World"],
    "Lyon": ["France", "Europe", "World"],
    "Rome": ["Italy", "Europe", "World"],
    "Lagos": ["Africa", "World"],
}


def tree(cost: str = "height") -> GeneralisationTree:
    found = GeneralisationTree.grow(TREE, list(TREE), cost)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("name", "values", "height", "leaves"),
    [
        ("Paris", ["Paris"], 0, 0),
        ("France", ["Paris", "Lyon"], 1, 1),
        ("Europe", ["Paris", "Rome"], 2, 2),
        ("World", ["Paris", "Lagos"], 3, 3),
        ("Africa", ["Lagos"], 1, 0),
        ("France", ["Paris", "Rome"], None, None),
        ("Atlantis", ["Paris"], None, None),
        (None, ["Paris"], None, None),
    ],
)
def test_a_node_costs_its_height_or_its_other_leaves(
    name: str | None, values: list[str | None], height: int | None, leaves: int | None
) -> None:
    assert (tree().cost(name, values), tree("leaves").cost(name, values)) == (height, leaves)
    alone = certificate_oracle.Tree(TREE, set(values), "leaves")
    assert alone.cost(name, set(values)) == leaves


def test_two_values_cost_what_the_lowest_node_above_both_costs() -> None:
    assert [tree().between("Paris", other) for other in TREE] == [0, 1, 2, 3]


def test_several_tops_have_a_star_above_them_and_so_has_a_missing_value() -> None:
    forest = GeneralisationTree.grow({"a": ["x"], "b": ["y"]}, ["a", "b"], "height")
    assert forest is not None
    assert forest.cost("*", ["a", "b"]) == 2
    gap = GeneralisationTree.grow(TREE, [*TREE, None], "leaves")
    assert gap is not None
    assert gap.cost("*", ["Paris", None]) == 4
    assert gap.cost(None, [None]) == 0
    assert gap.cost("World", ["Paris", None]) is None


def test_a_value_without_a_place_makes_no_tree() -> None:
    assert GeneralisationTree.grow(TREE, ["Paris", "Oslo"], "height") is None
    assert not certificate_oracle.Tree(TREE, {"Oslo"}, "height").complete


def test_a_name_that_stands_twice_on_a_path_is_the_lowest_common_one() -> None:
    twice = GeneralisationTree.grow(
        {"a": ["x", "x", "t"], "b": ["x", "x", "t"], "c": ["y", "x", "t"]}, ["a"], "height"
    )
    assert twice is not None
    assert (twice.cost("x", ["a", "b"]), twice.cost("x", ["a", "c"])) == (1, 2)


def test_a_name_on_two_branches_costs_what_the_costlier_does() -> None:
    other = GeneralisationTree.grow({"a": ["rest", "p", "t"], "b": ["q", "rest", "t"]}, ["a"], "height")
    assert other is not None
    assert other.cost("rest", ["a", "b"]) == 2


def test_a_path_of_a_hundred_thousand_names_is_climbed_at_once() -> None:
    deep = GeneralisationTree.grow({"a": [str(i) for i in range(100_000)]}, ["a"], "height")
    assert deep is not None
    assert deep.largest_cost == 100_000


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a", {"a"}),
        ("a|b", {"a", "b"}),
        ('"a|b"', {"a|b"}),
        ('"a|b"|c', {"a|b", "c"}),
        ('"say ""hi"""', {'say "hi"'}),
        ('a"b|c', {'a"b', "c"}),
        ('""|a', {"", "a"}),
        ("|a", {None, "a"}),
        ("a|a", None),
        ('"a', None),
        ('"a"b', None),
        ('"a"|', {"a", None}),
        ("", {None}),
    ],
)
def test_sets_are_read_as_they_are_written(text: str, expected: set[str | None] | None) -> None:
    assert read_set(text) == certificate_oracle.read_set(text) == expected


def test_intervals_of_whole_numbers_have_a_dash_and_others_a_word() -> None:
    assert interval_text("0", "10") == "0-10"
    assert interval_text("0.5", "1.25") == "0.5 to 1.25"
    assert interval_text("-3", "5") == "-3 to 5"
    assert interval_text("2020-01-01", "2020-02-01") == "2020-01-01 to 2020-02-01"
    assert interval_text("-3", "-3") == "-3"
