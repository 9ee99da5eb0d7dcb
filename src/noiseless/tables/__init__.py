"""A table on an engine, and the few operations everything else is built from."""

from noiseless.files import check_output, written_whole
from noiseless.tables.base import Missing, Table, key_columns, require_distinct
from noiseless.tables.coding import Coding
from noiseless.tables.sources import open_table
from noiseless.tables.spellings import merge_spellings
from noiseless.tables.tally import Tally

__all__ = [
    "Coding",
    "Missing",
    "Table",
    "Tally",
    "check_output",
    "key_columns",
    "merge_spellings",
    "open_table",
    "require_distinct",
    "written_whole",
]
