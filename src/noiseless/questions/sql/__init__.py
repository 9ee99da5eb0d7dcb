"""SQL: a SELECT, whatever its spelling, as the questions that it asks; what cannot be asked is refused."""

from noiseless.intervals import AnswerInterval
from noiseless.questions.sql.errors import Position, SqlError
from noiseless.questions.sql.expressions import AnswerExpression, Answers, Combination
from noiseless.questions.sql.statement import Hints, KeyColumn, Ordering, ReplyColumn, Row, Statement, parse

__all__ = [
    "AnswerExpression",
    "AnswerInterval",
    "Answers",
    "Combination",
    "Hints",
    "KeyColumn",
    "Ordering",
    "Position",
    "ReplyColumn",
    "Row",
    "SqlError",
    "Statement",
    "parse",
]
