"""Rows that are counted once, and released under one limit after the other."""

from typing import Any

import pyarrow as pa
import pytest

from noiseless.errors import RequestError
from noiseless.releases import make_release
from noiseless.releases.pipeline import frontier_of_rows, release_rows
from noiseless.releases.request import ReleaseRequest
from noiseless.releases.source import ReleaseSource

TABLE = pa.table(
    {
        "age": [20 + i * 7 % 31 for i in range(40)],
        "ward": ["abcd"[i % 4] for i in range(40)],
        "person": [i // 2 for i in range(40)],
        "illness": ["xyzw"[i * i % 11 % 4] for i in range(40)],
    }
)
COLUMNS: dict[str, Any] = {"sensitive": "illness", "public": ["age", "ward"]}
LIMITS: tuple[dict[str, Any], ...] = (
    {"min_posterior": 3},
    {"min_posterior": 2, "min_rows": 4},
    {"largest_belief": "2/3"},
    {"min_posterior": 3, "suppress": "0.1"},
    {"min_posterior": 3, "prefer": "mean"},
    {"max_leakage": 1},
    {"min_posterior": 2},
)


def request(**more: Any) -> ReleaseRequest:  # noqa: ANN401 - as the request takes them
    return ReleaseRequest.of(COLUMNS | more)


def test_a_release_of_rows_that_were_counted_before_is_the_one_that_counts_them() -> None:
    source: ReleaseSource | None = ReleaseSource.read(TABLE, request())
    assert source is not None
    frontier_of_rows(source)
    for limits in LIMITS:
        source = source.asked(request(**limits))
        assert source is not None
        found, direct = release_rows(source), make_release(TABLE, request(**limits))
        assert found.to_dict() == direct.to_dict()
        assert found.table == direct.table
        mine, theirs = (one.certificate.to_dict() | {"created": ""} for one in (found, direct))
        assert mine == theirs


@pytest.mark.parametrize(
    "other",
    [
        {"public": ["age"]},
        {"hierarchy": {"age": "intervals:5,10"}},
        {"min_rows": 2, "unit": "person"},
        {"missing": "drop"},
        {"codeword": "midrange"},
    ],
)
def test_rows_are_counted_anew_where_more_than_limits_differs(other: dict[str, Any]) -> None:
    assert ReleaseSource.read(TABLE, request()).asked(request(**other)) is None


def test_limits_that_do_not_go_together_are_refused_as_before() -> None:
    keyed = {
        "key": ["age"],
        "recoding": "full-domain",
        "hierarchy": {"age": "intervals:5", "ward": "prefixes"},
    }
    source = ReleaseSource.read(TABLE, request(**keyed))
    with pytest.raises(RequestError, match="--suppress"):
        source.asked(request(**keyed, suppress="0.1"))


def test_a_certificate_is_of_what_was_released_though_it_is_made_later() -> None:
    frame = TABLE.to_pandas()
    done = make_release(frame, request(min_rows=3, unit="person"))
    was = make_release(TABLE, request(min_rows=3, unit="person")).certificate["original"]
    frame.loc[:, "person"] = 1
    assert done.certificate["original"] == was
