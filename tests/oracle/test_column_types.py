"""Which type a column of texts gets, and which files are well-formed at a glance, by their definitions."""

import re
from datetime import date

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from noiseless.tables import coding, text_files
from noiseless.tables.csv_grammar import FINE, scan_records
from noiseless.tables.duckdb_table import DuckDBTable

TEXTS = (
    *("0", "7", "-3", "12", "007", "-0", "+1", "123456789012345678", "1234567890123456789"),
    *(
        "1.5",
        "1.50",
        "0.1",
        "-0.5",
        ".5",
        "1e3",
        "1000.0",
        "1E-7",
        "1e100",
        "0.000000000000001",
        "12345.678901234567",
    ),
    *("2024-02-29", "2023-02-29", "1999-12-31", "1999-1-1", "x", " 1", "NaN", "inf", ""),
)


def is_day(text: str) -> bool:
    try:
        return bool(re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", text)) and bool(date.fromisoformat(text))
    except ValueError:
        return False


def is_decimal(text: str) -> bool:
    form = r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]{1,2})?"
    return bool(re.fullmatch(form, text)) and sum(c.isdigit() for c in text) <= 15


def type_of(values: list[str | None]) -> str:
    """Whole numbers, else decimals no two of which are one number, else days, else texts."""
    texts = {value for value in values if value is not None}
    if not texts:
        return "VARCHAR"
    if all(re.fullmatch("0|-?[1-9][0-9]{0,17}", text) for text in texts):
        return "BIGINT"
    if all(map(is_decimal, texts)) and len(set(map(float, texts))) == len(texts):
        return "DOUBLE"
    return "DATE" if all(map(is_day, texts)) else "VARCHAR"


@given(
    alike=st.lists(st.sampled_from([TEXTS[:4], TEXTS[9:18], TEXTS[20:24]]), min_size=1, max_size=4),
    draw=st.data(),
)
def test_the_type_of_a_column_wherever_its_strangers_are(
    alike: list[tuple[str, ...]], draw: st.DataObject
) -> None:
    """The first rows are looked at before the others: what is decided must not depend on it."""
    size = draw.draw(st.integers(1, 9))
    columns = {
        f'c"{{{place}}}': draw.draw(
            st.lists(
                st.none() | st.sampled_from(texts) | st.sampled_from(texts) | st.sampled_from(TEXTS),
                min_size=size,
                max_size=size,
            )
        )
        for place, texts in enumerate(alike)
    }
    table = DuckDBTable.in_memory(
        pa.table({name: pa.array(values, pa.string()) for name, values in columns.items()}), "texts"
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(coding, "_FIRST_ROWS", 2)
        found = coding._kinds(table, table.columns)
    assert found == {name: type_of(values) for name, values in columns.items()}


@given(
    data=st.lists(st.sampled_from(["a", ",", "\n", "\r\n", "\r", '"', "a,b\n", "a,b\r\n"]), min_size=1).map(
        "".join
    ),
    width=st.integers(1, 3),
    piece=st.integers(4, 20),
)
def test_what_is_well_formed_at_a_glance_is_so_by_the_grammar(data: str, width: int, piece: int) -> None:
    whole = data.encode()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text_files, "_PLAIN_PIECE", piece)
        plain = text_files._is_plain(whole, 0, ord(","), width)
    nothing, one = np.full(width, -1, np.int64), np.empty((1, 2), np.int32)
    _, status, *_ = scan_records(whole, 0, ord(","), False, width, nothing, True, 0, 0, one)
    assert status == FINE or not plain
    lines = re.split("\r?\n", data.removesuffix("\n").removesuffix("\r") if data[-1] == "\n" else data)
    ends = set(re.findall("\r\n|\r|\n", data))
    simple = '"' not in data and ends <= {"\n"} and all(line.count(",") == width - 1 for line in lines)
    if simple and max(map(len, lines)) < piece:
        assert plain
