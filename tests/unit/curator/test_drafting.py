import pytest

from noiseless.curator.file import draft_sections
from noiseless.domain import ColumnSummary


@pytest.mark.parametrize(
    ("column", "said"),
    [
        (
            ColumnSummary("Meter No", "integer", 0, 10, low=1, high=10),
            'unit = "Meter No"    # if it names a person',
        ),
        (
            ColumnSummary("Staff no", "integer", 0, 240, low=1, high=240),
            '"Staff no" is different in every row',
        ),
        (ColumnSummary("hour", "integer", 0, 24, low=0, high=23), ""),
        (ColumnSummary("kwh", "decimal", 0, 240, low=0, high=9), ""),
        (ColumnSummary("name", "text", 0, 240), ""),  # it is left out anyway
    ],
)
def test_columns_that_may_name_persons_or_rows_are_pointed_at(column: ColumnSummary, said: str) -> None:
    lines = draft_sections("meters.csv", [column], 240).replace("\n# ", " ")
    assert said in lines
    assert ("table below" in lines) == bool(said)
