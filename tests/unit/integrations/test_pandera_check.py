"""A policy as a check of pandera."""

import os

import pandas as pd
import pandera.errors
import pandera.pandas
import pandera.polars
import polars as pl
import pytest

import noiseless as nl

# PySpark's pandas, which pandera loads, sets this for all of the process: pyarrow then ignores time zones.
os.environ.pop("PYARROW_IGNORE_TIMEZONE", None)

ROWS = {"ward": ["a", "a", "b", "b"], "age": [31, 47, 52, 52]}
MAKERS = {
    "pandas": (pandera.pandas.DataFrameSchema, pd.DataFrame),
    "polars": (pandera.polars.DataFrameSchema, pl.DataFrame),
}


@pytest.mark.parametrize("kind", MAKERS)
def test_a_schema_of_pandera_holds_frames_against_a_policy(kind: str) -> None:
    schema, frame = MAKERS[kind]
    kept = schema(checks=nl.private_check({"k_anonymity": 2}, sensitive="age"))
    assert isinstance(kept.validate(frame(ROWS)), frame)
    broken = schema(checks=nl.private_check({"min_posterior": 2}, sensitive="age"))
    with pytest.raises(pandera.errors.SchemaError, match=r"more than the policy allows \(min_posterior\)"):
        broken.validate(frame(ROWS))


def test_a_model_of_pandera_has_the_check_too() -> None:
    class Wards(pandera.pandas.DataFrameModel):  # type: ignore[misc] # pandera's types are skipped
        ward: str
        age: int

        @pandera.pandas.dataframe_check  # type: ignore[untyped-decorator]
        @classmethod
        def is_private(cls, frame: pd.DataFrame) -> bool:
            return bool(nl.Policy(limits={"k_anonymity": 2}).check(nl.audit(frame, sensitive="age")).holds)

    assert len(Wards.validate(pd.DataFrame(ROWS))) == 4


def test_a_wrong_column_is_an_error_and_no_failed_check() -> None:
    schema = pandera.pandas.DataFrameSchema(checks=nl.private_check({"k_anonymity": 2}, sensitive="height"))
    with pytest.raises((pandera.errors.SchemaError, nl.NoiselessError), match="height"):
        schema.validate(pd.DataFrame(ROWS))
