"""What a column may hold: bounds and resolution, categories, role; and schema files."""

from noiseless.domain.base import Column, Kind, Role, Value
from noiseless.domain.columns import BooleanColumn, CategoryColumn, DateColumn, NumberColumn, read_column
from noiseless.domain.proposal import ColumnSummary, Proposal, propose
from noiseless.domain.schema import Schema

__all__ = [
    "BooleanColumn",
    "CategoryColumn",
    "Column",
    "ColumnSummary",
    "DateColumn",
    "Kind",
    "NumberColumn",
    "Proposal",
    "Role",
    "Schema",
    "Value",
    "propose",
    "read_column",
]
