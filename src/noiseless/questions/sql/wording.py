"""The canonical text of a statement."""

import re

from noiseless.questions.filters import AllOf, Among, Everything, Filter
from noiseless.questions.question import Question
from noiseless.questions.sql.expressions import Combination
from noiseless.questions.sql.hints import write_hints
from noiseless.questions.sql.statement import Key, Statement
from noiseless.questions.sql.writing import write_aggregate, write_filter, write_name, write_question

_CONSTANT = re.compile(
    r"""(?P<name>"(?:[^"]|"")*"|[A-Za-z_]\w*)|(?P<constant>(?:DATE\ )?'(?:[^']|'')*'|\d+(?:\.\d+)?)""",
    re.VERBOSE,
)


def worded(statement: Statement, table: str) -> str:
    """The statement as SQL: without aliases, filters in their normal form, a common one in WHERE."""
    where = _common(statement)

    def write(question: Question) -> str:
        return write_aggregate(question) if question.where == where else write_question(question)

    def content(of: Combination | Key) -> str:
        return write_name(of.column) if isinstance(of, Key) else of.write(write)

    outputs = ", ".join(content(column.content) for column in statement.columns)
    parts = [f"SELECT {write_hints(statement.hints)}{outputs} FROM {write_name(table)}"]
    if not isinstance(where, Everything):
        parts.append(f"WHERE {write_filter(where)}")
    keys = [*statement.by, *([statement.histogram] if statement.histogram else [])]
    if keys:
        parts.append(f"GROUP BY {', '.join(map(write_name, keys))}")
    if statement.order:
        ordered = (content(each.content) + " DESC" * each.descending for each in statement.order)
        parts.append(f"ORDER BY {', '.join(ordered)}")
    if statement.limit is not None:
        parts.append(f"LIMIT {statement.limit}")
    return " ".join(parts)


def _common(statement: Statement) -> Filter:
    """What WHERE says: the filter of all questions if it is one, with the groups that there are."""
    filters = {question.where for question in statement.questions}
    if len(filters) == 1:
        (only,) = filters
        if not (statement.by or statement.histogram) or _begins_with(only, statement.groups):
            return only
    return statement.groups


def _begins_with(whole: Filter, groups: Filter) -> bool:
    """Whether the public part of a filter in its normal form is this one."""
    if whole == groups:
        return True
    private = whole.parts[-1] if isinstance(whole, AllOf) else whole
    if not isinstance(private, Among):
        return False
    rest = whole.parts[:-1] if isinstance(whole, AllOf) else ()
    kept = groups.parts if isinstance(groups, AllOf) else () if isinstance(groups, Everything) else (groups,)
    return rest == kept and private.domain.role == "private"


def outlined(text: str) -> str:
    """A canonical text with `?` for its constants.

    >>> outlined("SELECT SUM(kwh) FROM t WHERE suburb IN ('a', 'b') AND solar = TRUE AND x2 <= 3.5")
    'SELECT SUM(kwh) FROM t WHERE suburb IN (?, ?) AND solar = ? AND x2 <= ?'
    """
    return _CONSTANT.sub(_masked, text)


def _masked(found: re.Match[str]) -> str:
    name = found["name"]
    return name if name is not None and name not in ("TRUE", "FALSE") else "?"
