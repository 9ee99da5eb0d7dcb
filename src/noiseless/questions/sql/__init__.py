"""SQL: a SELECT, whatever its spelling, as the questions that it asks; what cannot be asked is refused."""

from noiseless.questions.sql.errors import Position, SqlError
from noiseless.questions.sql.expressions import Answers, Combination, Expression
from noiseless.questions.sql.intervals import Interval
from noiseless.questions.sql.reader import Reader, parse
from noiseless.questions.sql.statement import Hints, Key, Ordering, Output, Row, Statement

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
