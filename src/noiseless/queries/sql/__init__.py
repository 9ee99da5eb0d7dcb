"""SQL: a SELECT, whatever its spelling, as the questions that it asks; what cannot be asked is refused."""

from noiseless.queries.sql.errors import Position, SqlError
from noiseless.queries.sql.expressions import Answers, Combination, Expression
from noiseless.queries.sql.intervals import Interval
from noiseless.queries.sql.reader import Reader, parse
from noiseless.queries.sql.statement import Hints, Key, Ordering, Output, Row, Statement

__all__ = [
    "Answers",
    "Combination",
    "Expression",
    "Hints",
    "Interval",
    "Key",
    "Ordering",
    "Output",
    "Position",
    "Reader",
    "Row",
    "SqlError",
    "Statement",
    "parse",
]
