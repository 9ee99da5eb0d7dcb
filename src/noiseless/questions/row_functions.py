"""What the functions in expressions of one row do to the values of many rows at once."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from fractions import Fraction
from functools import reduce
from typing import Any

import numpy as np
import numpy.typing as npt

from noiseless.domain.literals import read_day
from noiseless.errors import RequestError
from noiseless.questions.public_table import key_of
from noiseless.questions.row_arithmetic import (
    KIND_WORDS,
    absolute,
    add,
    as_number,
    ceiling,
    divide,
    floor,
    missing_in,
    multiply,
    negate,
    over_one_divisor,
    power,
    remainder,
    require_kind,
    rounded,
    sign,
    subtract,
)
from noiseless.questions.row_expression import (
    Ints,
    Kind,
    RowExpression,
    Vector,
    constant_vector,
    day_of,
    days_since,
)


def evaluated(
    expression: RowExpression, column: Callable[[str], Vector], number: Callable[[str], Ints]
) -> Vector:
    """The values of an expression.

    Args:
        expression: what is evaluated.
        column: the values of a column.
        number: their numbers in its domain.

    Raises:
        RequestError: parts are of the wrong kind, or a divisor is 0.
    """
    if expression.function == "column":
        return column(expression.value)
    if expression.function == "constant":
        return constant_vector(expression.value)
    if expression.function == "among":
        edges = np.array([edge for run in expression.value for edge in run], np.int64)
        place = number(expression.parts[0].value)
        return Vector("boolean", np.searchsorted(edges, place, side="right") % 2 == 1)
    parts = [evaluated(part, column, number) for part in expression.parts]
    return FUNCTIONS[expression.function](parts, expression.value)


def _bucket(parts: Sequence[Vector], _: object) -> Vector:
    """WIDTH_BUCKET(x, low, high, buckets): 0 below, buckets + 1 from the upper end on."""
    value, low, high, buckets = parts
    require_kind([value], "number", "WIDTH_BUCKET")
    width = subtract([high, low], None)
    share = divide([multiply([subtract([value, low], None), buckets], None), width], None)
    inside = add([floor([share], None), constant_vector(Fraction(1))], None)
    top = add([buckets, constant_vector(Fraction(1))], None)
    found = _extreme([_extreme([inside, constant_vector(Fraction(0))], "greatest"), top], "least")
    return replace(found, null=missing_in([value]))  # GREATEST would take what is missing for 0


# Comparisons and conditions


def _sides(parts: Sequence[Vector]) -> tuple[Ints, Ints]:
    one, two = aligned(parts)
    if one.kind == "number":
        top, _ = over_one_divisor([one, two])
        return top[0], top[1]
    return one.data, two.data


def _compare(operator: Callable[[Any, Any], Any]) -> "Function":
    def compared(parts: Sequence[Vector], _: object) -> Vector:
        left, right = _sides(parts)
        return Vector("boolean", np.asarray(operator(left, right), bool), 1, missing_in(parts))

    return compared


def _unknown(part: Vector) -> npt.NDArray[np.bool_]:
    return np.array(False) if part.null is None else part.null


def _conditions(parts: Sequence[Vector], what: str) -> list[tuple[Any, Any]]:
    """Where each part is true, and where it is false."""
    require_kind(parts, "boolean", what)
    return [
        (part.data.astype(bool) & ~_unknown(part), ~part.data.astype(bool) & ~_unknown(part))
        for part in parts
    ]


def _three_valued(true: Any, false: Any) -> Vector:  # noqa: ANN401 - arrays
    unknown = ~(true | false)
    return Vector("boolean", true, 1, unknown if unknown.any() else None)


def _and(parts: Sequence[Vector], _: object) -> Vector:
    found = _conditions(parts, "AND")
    return _three_valued(
        reduce(np.logical_and, [true for true, _ in found]),
        reduce(np.logical_or, [false for _, false in found]),
    )


def _or(parts: Sequence[Vector], _: object) -> Vector:
    found = _conditions(parts, "OR")
    return _three_valued(
        reduce(np.logical_or, [true for true, _ in found]),
        reduce(np.logical_and, [false for _, false in found]),
    )


def _not(parts: Sequence[Vector], _: object) -> Vector:
    ((true, false),) = _conditions(parts, "NOT")
    return _three_valued(false, true)


def _is_null(parts: Sequence[Vector], _: object) -> Vector:
    return Vector("boolean", np.broadcast_to(_unknown(parts[0]), parts[0].data.shape))


# Choices


def aligned(parts: Sequence[Vector]) -> list[Vector]:
    """The same values as vectors of one kind, texts with one list of words.

    Raises:
        RequestError: kinds are mixed.
    """
    kinds = {part.kind for part in parts} - {"null"}
    if kinds == {"date", "text"}:
        parts, kinds = [_as_days(part) for part in parts], {"date"}
    if len(kinds) > 1:
        names = " and ".join(sorted(KIND_WORDS.get(kind, kind) for kind in kinds))
        raise RequestError(f"{names} meet in one expression; give all of its branches or sides one kind")
    kind = kinds.pop() if kinds else "null"
    if kind != "text":
        return [part if part.kind == kind else Vector(kind, part.data, 1, part.null) for part in parts]
    words = tuple(sorted({word for part in parts for word in part.words}))
    place = {word: number for number, word in enumerate(words)}
    found = []
    for part in parts:
        codes = np.array([place[word] for word in part.words] or [0], np.int64)
        found.append(Vector("text", codes[part.data], 1, part.null, words))
    return found


def _as_days(part: Vector) -> Vector:
    """Texts that are written as days."""
    if part.kind != "text":
        return part
    try:
        days = np.array([days_since(read_day(word)) for word in part.words] or [0], np.int64)
    except ValueError:
        raise RequestError("a text beside a date is no date; write days like DATE '2020-12-31'") from None
    return Vector("date", days[part.data], 1, part.null)


def _where(condition: Any, one: Vector, two: Vector) -> Vector:  # noqa: ANN401 - an array
    one, two = aligned([one, two])
    below: int | Ints = 1
    first, second = one.data, two.data
    if one.kind == "number":
        (first, second), below = over_one_divisor([one, two])
    null = np.where(condition, _unknown(one), _unknown(two))
    chosen = np.where(condition, first, second)
    return Vector(one.kind, chosen, below, null if null.any() else None, one.words)


def _case(parts: Sequence[Vector], _: object) -> Vector:
    """Conditions and results in turns, and the result where no condition holds."""
    found = parts[-1]
    for condition, result in reversed(list(zip(parts[:-1:2], parts[1::2], strict=True))):
        ((true, _false),) = _conditions([condition], "WHEN")
        found = _where(true, result, found)
    return found


def _coalesce(parts: Sequence[Vector], _: object) -> Vector:
    return reduce(lambda done, part: _where(~_unknown(done), done, part), parts)


def _null_if(parts: Sequence[Vector], _: object) -> Vector:
    same = _compare(np.equal)(parts, None)
    return _where(
        same.data.astype(bool) & ~_unknown(same), Vector("null", np.array(0), null=np.array(True)), parts[0]
    )


def _extreme(parts: Sequence[Vector], which: Any) -> Vector:  # noqa: ANN401 - a name
    """GREATEST and LEAST pass missing values over, as DuckDB and PostgreSQL do."""
    operator = np.greater if which == "greatest" else np.less

    def better(one: Vector, two: Vector) -> Vector:
        left, right = _sides([one, two])
        first = np.asarray(operator(left, right), bool)
        return _where((first & ~_unknown(one)) | _unknown(two), one, two)

    return reduce(better, parts)


# Days and texts


def _each_day(work: Callable[[date], int]) -> Callable[[Vector], Ints]:
    def mapped(part: Vector) -> Ints:
        require_kind([part], "date", "a part of a date")
        days, places = np.unique(part.data, return_inverse=True)
        return np.array([work(day_of(int(day))) for day in days], np.int64)[places].reshape(part.data.shape)

    return mapped


DAY_PARTS: Mapping[str, Callable[[date], int]] = {
    "year": lambda day: day.year,
    "quarter": lambda day: (day.month + 2) // 3,
    "month": lambda day: day.month,
    "week": lambda day: day.isocalendar()[1],
    "day": lambda day: day.day,
    "dow": lambda day: day.isoweekday() % 7,
    "isodow": lambda day: day.isoweekday(),
    "doy": lambda day: day.timetuple().tm_yday,
}
DAY_STARTS: Mapping[str, Callable[[date], date]] = {
    "year": lambda day: day.replace(month=1, day=1),
    "quarter": lambda day: day.replace(month=(day.month + 2) // 3 * 3 - 2, day=1),
    "month": lambda day: day.replace(day=1),
    "week": lambda day: date.fromordinal(day.toordinal() - day.weekday()),
    "day": lambda day: day,
}


def _extract(parts: Sequence[Vector], unit: Any) -> Vector:  # noqa: ANN401 - a name
    return Vector("number", _each_day(DAY_PARTS[unit])(parts[0]), 1, parts[0].null)


def _truncate(parts: Sequence[Vector], unit: Any) -> Vector:  # noqa: ANN401 - a name
    starts = _each_day(lambda day: days_since(DAY_STARTS[unit](day)))
    return Vector("date", starts(parts[0]), 1, parts[0].null)


def _on_words(work: Callable[[str, Any], str | bool | int], kind: Kind) -> "Function":
    """A function of texts, worked out once for each of the words."""

    def mapped(parts: Sequence[Vector], value: Any) -> Vector:  # noqa: ANN401 - a parameter
        require_kind(parts, "text", "a function of texts")
        (part,) = parts
        found = [work(word, value) for word in part.words]
        if kind != "text":
            return Vector(kind, np.array(found or [False])[part.data], 1, part.null)
        found = found or [""]  # all are missing
        words = tuple(sorted(set(map(str, found))))
        codes = np.array([words.index(str(word)) for word in found], np.int64)
        return Vector("text", codes[part.data], 1, part.null, words)

    return mapped


def _looked_up(parts: Sequence[Vector], lookup: Any) -> Vector:  # noqa: ANN401 - a table's column
    """The value that a public table has for a key; elsewhere it is missing."""
    (part,) = parts
    if not isinstance(part.below, int):
        raise RequestError("a key is a quotient; join on a column")
    found = {key_of(key, part.kind): value for key, value in lookup[0]}
    data, places = np.unique(part.data, return_inverse=True)
    values = [found.get(_plain(part, int(each))) for each in data.tolist()]
    vector = vector_from(values)
    null = None if vector.null is None else vector.null[places].reshape(part.data.shape)
    if part.null is not None:
        null = part.null if null is None else null | part.null
    return Vector(vector.kind, vector.data[places].reshape(part.data.shape), vector.below, null, vector.words)


def _plain(part: Vector, top: int) -> Any:  # noqa: ANN401 - any kind of value
    match part.kind:
        case "number":
            return Fraction(top, int(part.below) if isinstance(part.below, int) else 1)
        case "text":
            return part.words[top]
        case "date":
            return day_of(top)
    return bool(top)


def vector_from(values: Sequence[Any]) -> Vector:
    """Plain values of one kind, some of them missing.

    Raises:
        RequestError: they are of several kinds.
    """
    parts = aligned([constant_vector(value) for value in values])
    null = np.array([value is None for value in values])
    tops = over_one_divisor(parts) if parts[0].kind == "number" else ([each.data for each in parts], 1)
    data = np.array([top.item() for top in tops[0]])
    return Vector(parts[0].kind, data, tops[1], null if null.any() else None, parts[0].words)


def _small(character: str) -> str:
    """A letter for a letter, as databases write them: texts keep their lengths."""
    return character.lower()[0]


def _capital(character: str) -> str:
    """Where the capital is two letters, the one that titles begin with if that is one, or else the same."""
    found = (character.upper(), "\N{LATIN CAPITAL LETTER SHARP S}" if character == "ß" else character.title())
    return next((text for text in found if len(text) == 1), character)


def matches(text: str, pattern: str) -> bool:
    """LIKE: % for any characters, _ for one.

    >>> matches("north", "n%h"), matches("north", "n_h")
    (True, False)
    """
    reachable = {0}
    for character in pattern:
        if character == "%":
            reachable = set(range(min(reachable, default=len(text) + 1), len(text) + 1))
        else:
            reachable = {p + 1 for p in reachable if p < len(text) and character in ("_", text[p])}
    return len(text) in reachable


Function = Callable[[Sequence[Vector], Any], Vector]

FUNCTIONS: Mapping[str, Function] = {
    "+": add,
    "-": subtract,
    "neg": negate,
    "*": multiply,
    "/": divide,
    "power": power,
    "abs": absolute,
    "sign": sign,
    "floor": floor,
    "ceil": ceiling,
    "round": rounded,
    "mod": remainder,
    "width_bucket": _bucket,
    "=": _compare(np.equal),
    "<>": _compare(np.not_equal),
    "<": _compare(np.less),
    "<=": _compare(np.less_equal),
    "and": _and,
    "or": _or,
    "not": _not,
    "is null": _is_null,
    "case": _case,
    "coalesce": _coalesce,
    "nullif": _null_if,
    "greatest": lambda parts, _: _extreme(parts, "greatest"),
    "least": lambda parts, _: _extreme(parts, "least"),
    "number": lambda parts, _: as_number(parts[0]),
    "extract": _extract,
    "date_trunc": _truncate,
    "lower": _on_words(lambda word, _: "".join(map(_small, word)), "text"),
    "upper": _on_words(lambda word, _: "".join(map(_capital, word)), "text"),
    "length": _on_words(lambda word, _: len(word), "number"),
    "substring": _on_words(lambda word, cut: word[cut[0] : cut[1]], "text"),
    "like": _on_words(matches, "boolean"),
    "lookup": _looked_up,
}
"""What each function does to the values of its parts."""
