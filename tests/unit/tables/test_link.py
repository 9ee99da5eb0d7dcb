import pyarrow as pa
import pytest

from noiseless.audits import audit
from noiseless.errors import MissingValuesError, RequestError, UnknownColumnError

FIRST = pa.table({"id": [1, 2, 3, 4], "area": ["n", "n", "s", "s"], "ill": ["a", "b", "a", "b"]})
SECOND = pa.table({"id": [1, 2, 3, 4], "job": ["x", "y", "x", "y"]})


def test_two_private_releases_can_leak_together() -> None:
    alone = [audit(FIRST, sensitive="ill", public="area")]
    alone.append(
        audit(FIRST.append_column("job", SECOND["job"]).select(["job", "ill"]), sensitive="ill", public="job")
    )
    assert alone[0].min_posterior == 2
    together = audit([FIRST, SECOND], sensitive="ill", public=["area", "job"], unit="id")
    assert together.min_posterior == 1
    assert together.public == ("1.area", "2.job")


def test_absence_is_public() -> None:
    half = pa.table({"id": [1, 2], "job": ["x", "x"]})
    together = audit([FIRST, half], sensitive="ill", public=["area", "job"], unit="id")
    assert together.public == ("1.area", "2.job", "in release 2")
    assert together.public_values == 2


def test_absence_differs_from_a_missing_value() -> None:
    second = pa.table({"id": [1, 2, 3], "job": ["x", "x", None]})
    together = audit([FIRST, second], sensitive="ill", public=["area", "job"], unit="id")
    assert together.public_values == 3


def test_witnesses_have_no_row_numbers() -> None:
    together = audit([FIRST, SECOND], sensitive="ill", public=["area", "job"], unit="id")
    assert all(witness.first_row is None for witness in together.witnesses)


def test_requests_that_make_no_sense() -> None:
    with pytest.raises(RequestError, match="--unit"):
        audit([FIRST, SECOND], sensitive="ill", public="area")
    with pytest.raises(UnknownColumnError, match=r"'ill2'.*did you mean 'ill'"):
        audit([FIRST, SECOND], sensitive="ill2", public="area", unit="id")
    with pytest.raises(RequestError, match="none of the public columns"):
        audit([FIRST, SECOND], sensitive="ill", public="area", unit="id")
    nameless = pa.table({"id": [1, None], "job": ["x", "y"]})
    with pytest.raises(MissingValuesError, match="'id' has 1 missing value"):
        audit([FIRST, nameless], sensitive="ill", public=["area", "job"], unit="id")
