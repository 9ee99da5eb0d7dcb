"""Canonical SQL: equal texts for equal questions, which read back as the same questions."""

import re
from datetime import date
from decimal import Decimal
from fractions import Fraction

from noiseless.domain import CategoryColumn, Column, Value
from noiseless.domain.literals import as_text
from noiseless.questions.derived import DerivedColumn, DerivedName
from noiseless.questions.filters import AllOf, Among, AnyOf, Everything, Filter, Runs, outside
from noiseless.questions.question import Question

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")

_RESERVED = frozenset(
    re.findall(
        r"\w+",
        """
        all alter and any as asc between by case cast connect_by_root count create cross cube
        current_catalog current_date current_schema current_time current_timestamp current_user date desc
        describe distinct drop else end except exists false fetch filter for from full glob grant group
        having if ilike in inner insert intersect interval into is isnull join lateral left like limit
        localtime localtimestamp lock natural not notnull null offset on or order outer over partition
        partitioned_by pivot qualify regexp returning revoke right rlike rollback rollup select session_user
        set some straight_join sum table tablesample then time timestamp true uncache union unnest unpivot
        user using values when where window with within xor
        """,
    )
)
"""Words that are quoted when they are names: those that SQL gives a meaning of their own."""

_PLACES = 60
"""Numbers with at most this many decimals are written with a point, others as fractions."""


def write_name(name: str) -> str:
    """An identifier, in quotes where it needs them.

    >>> write_name("kwh"), write_name("Order"), write_name("two words")
    ('kwh', '"Order"', '"two words"')
    """
    if _PLAIN.fullmatch(name) and name.lower() not in _RESERVED:
        return name
    doubled = name.replace('"', '""')
    return f'"{doubled}"'


def write_column(name: str) -> str:
    """A column, or the expression that a derived one is."""
    return name.text if isinstance(name, DerivedName) else write_name(name)


def write_number(number: Fraction) -> str:
    """A number with a point where that is exact, else as a fraction in brackets."""
    places, rest = 0, number.denominator
    while rest != 1 and places < _PLACES:
        places += 1
        rest = (number * 10**places).denominator
    if rest != 1:
        return f"({number.numerator} / {number.denominator})"
    return as_text(Decimal(f"{(number * 10**places).numerator}E-{places}"))


def write_value(value: Value) -> str:
    """A constant."""
    match value:
        case bool():
            return str(value).upper()
        case int() | Decimal():
            return as_text(Decimal(value))
        case date():
            return f"DATE '{value.isoformat()}'"
        case _:
            doubled = str(value).replace("'", "''")
            return f"'{doubled}'"


def write_filter(where: Filter) -> str:
    """A filter in its normal form; parts joined by OR stand in brackets.

    >>> write_filter(AnyOf(()))
    'FALSE'
    """
    match where:
        case Everything():
            return "TRUE"
        case Among():
            return _among(where)
        case AllOf():
            return " AND ".join(_bracketed(part) for part in where.parts) or "TRUE"
        case AnyOf():
            return " OR ".join(_bracketed(part) for part in where.parts) or "FALSE"
    raise TypeError(f"a {type(where).__name__} is not in its normal form")


def _bracketed(part: Filter) -> str:
    text = write_filter(part)
    simple = isinstance(part, Among) and " OR " not in text and " BETWEEN " not in text
    simple = simple or (isinstance(part, Among) and isinstance(part.domain, DerivedColumn))
    return text if simple or isinstance(part, Everything) else f"({text})"


def _among(where: Among) -> str:
    """The values that pass, or those that do not: if they are fewer categories, or one inner value."""
    name, column, runs = write_name(where.column), where.domain, where.runs
    others = outside(runs, column.size)
    if isinstance(column, DerivedColumn):
        return f"({column.text})" if column.index(True) == runs[0][0] else f"NOT ({column.text})"
    if not isinstance(column, CategoryColumn):
        inner = _length(others) == 1 and 0 < others[0][0] < column.size - 1
        return _listed(name, column, others, ("<>", "NOT IN")) if inner else _ranges(name, column, runs)
    if _length(others) < _length(runs):
        return _listed(name, column, others, ("<>", "NOT IN"))
    return _listed(name, column, runs, ("=", "IN"))


def _ranges(name: str, column: Column, runs: Runs) -> str:
    points = tuple(run for run in runs if run[1] - run[0] == 1)
    parts = [
        f"{name} <= {write_value(column.value(stop - 1))}"
        if start == 0
        else f"{name} >= {write_value(column.value(start))}"
        if stop == column.size
        else f"{name} BETWEEN {write_value(column.value(start))} AND {write_value(column.value(stop - 1))}"
        for start, stop in runs
        if stop - start > 1
    ]
    if points:
        parts.append(_listed(name, column, points, ("=", "IN")))
    return " OR ".join(parts)


def _listed(name: str, column: Column, runs: Runs, words: tuple[str, str]) -> str:
    texts = [write_value(column.value(number)) for start, stop in runs for number in range(start, stop)]
    return f"{name} {words[0]} {texts[0]}" if len(texts) == 1 else f"{name} {words[1]} ({', '.join(texts)})"


def _length(runs: Runs) -> int:
    return sum(stop - start for start, stop in runs)


_FUNCTIONS = {
    "sum": "SUM({})",
    "mean": "AVG({})",
    "min": "MIN({})",
    "max": "MAX({})",
    "median": "MEDIAN({})",
    "variance": "VAR_POP({})",
}


def write_aggregate(question: Question) -> str:
    """The aggregate of a question, without its filter."""
    if question.aggregate in ("count", "histogram"):
        return "COUNT(*)"
    if question.declared is not None:
        return f"{question.declared.name}()"
    column = write_column(question.column or "")
    if question.aggregate == "quantile":
        share = write_number(question.share or Fraction(0))
        return f"PERCENTILE_DISC({share}) WITHIN GROUP (ORDER BY {column})"
    return _FUNCTIONS[question.aggregate].format(column)


def write_question(question: Question) -> str:
    """The aggregate of a question with its filter."""
    text = write_aggregate(question)
    if isinstance(question.where, Everything):
        return text
    return f"{text} FILTER (WHERE {write_filter(question.where)})"
