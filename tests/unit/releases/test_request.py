from fractions import Fraction
from pathlib import Path

import pytest

from noiseless.errors import ColumnError, RequestError
from noiseless.releases import ReleaseRequest, read_config


def test_numbers_are_taken_as_they_are_written() -> None:
    request = ReleaseRequest.of({"max_leakage": "1.1", "suppress": 0.1, "weight": "1/3", "max_distortion": 2})
    assert (request.max_leakage, request.suppress) == (Fraction(11, 10), Fraction(1, 10))
    assert (request.weight, request.max_distortion) == (Fraction(1, 3), Fraction(2))


def test_one_column_stands_for_a_list_of_it() -> None:
    request = ReleaseRequest.of({"sensitive": "age", "public": ["chol", "sex"], "given": None})
    assert (request.sensitive, request.public, request.given) == (("age",), ("chol", "sex"), ())


@pytest.mark.parametrize(
    ("option", "value", "problem"),
    [
        ("min_posterior", 0, "min_posterior: must be more than 0"),
        ("max_leakage", "nan", "max_leakage: takes a finite number"),
        ("max_leakage", -1, "max_leakage: must be at least 0"),
        ("max_leakage", "1e999999999", "max_leakage: takes a number of at most 50 digits"),
        ("max_leakage", "1e-999999999", "max_leakage: takes a number of at most 50 digits"),
        ("max_leakage", "1e40", "max_leakage: must be at most 1000"),
        ("max_leakage", True, "max_leakage: takes a number, not true or false"),
        ("min_posterior", True, "min_posterior: takes a whole number, not true or false"),
        ("suppress", "1.5", "suppress: must be a share from 0 to 1; write 0.02 for 2 %"),
        ("suppress", "2 %", "suppress: takes a finite number, not '2 %'; write 0.02"),
        ("objective", "privacy", "objective: must be 'leakage', 'maximin' or 'both'"),
        ("min_posteriour", 5, "there is no option 'min_posteriour'; did you mean 'min_posterior'?"),
        ("span", {"x": "3"}, "span.x: takes a range"),
    ],
)
def test_a_wrong_value_is_told_in_one_line(option: str, value: object, problem: str) -> None:
    with pytest.raises(RequestError) as caught:
        ReleaseRequest.of({option: value})
    assert str(caught.value).startswith(problem)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"public": "x"}, "no sensitive column"),
        ({"sensitive": "s"}, "no public column"),
        ({"sensitive": "s", "public": "x", "hierarchy": {"z": "f.csv"}}, "hierarchy names 'z'"),
        ({"sensitive": "s", "public": "x", "column_weight": {"z": 1}}, "column-weight names 'z'"),
        ({"sensitive": "s", "public": "x", "numeric": "x", "categorical": "x"}, "has two kinds"),
    ],
)
def test_roles_that_make_no_sense(options: dict[str, object], problem: str) -> None:
    with pytest.raises(RequestError, match=problem):
        ReleaseRequest.of(options).check_columns()


def test_a_column_has_one_role() -> None:
    with pytest.raises(ColumnError, match="is both sensitive and given"):
        ReleaseRequest.of({"sensitive": "s", "public": "x", "given": "s"}).check_columns()
    joint = ReleaseRequest.of({"sensitive": "s", "public": ["x", "s"]})
    joint.check_columns()  # but what is hidden may be released too, merged
    assert joint.released_secrets == ("s",)


def test_a_file_of_options(tmp_path: Path) -> None:
    file = tmp_path / "release.toml"
    file.write_text('sensitive = "s"\nmax_leakage = 1.1\n[hierarchy]\nx = "x.csv"\n')
    found = read_config(file, ReleaseRequest)
    assert found["hierarchy"] == {"x": tmp_path / "x.csv"}
    assert ReleaseRequest.of(found).max_leakage == Fraction(11, 10)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("sensitve = 's'", "did you mean 'sensitive'"),
        ("sensitive = [", "is not TOML"),
        ("max_leakage = inf", "max_leakage: takes a finite number, not 'Infinity'"),
        ("min_posterior = true", "min_posterior: takes a whole number"),
        ("min_posterior = 'many'", "min_posterior: must be a whole number"),
    ],
)
def test_a_wrong_file_of_options(text: str, problem: str, tmp_path: Path) -> None:
    file = tmp_path / "release.toml"
    file.write_text(text)
    with pytest.raises(RequestError, match=problem) as caught:
        read_config(file, ReleaseRequest)
    assert str(caught.value).startswith(str(file))
    with pytest.raises(RequestError, match="there is no such file"):
        read_config(tmp_path / "none.toml", ReleaseRequest)
