"""JSON lines that arrive through a pipe: an automaton finds the values of some keys, which are replaced."""

# Arguments of the kernel are bytes or arrays, and numbers.
# mypy: disable-error-code="no-untyped-def,no-untyped-call"
# ruff: noqa: ANN001, ANN202, PLR0917, C901, PLR0912, PLR0915, SIM109 - one loop

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import count
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from noiseless.errors import UnknownColumnError
from noiseless.tables.feeds import Feed, Mark, count_lines
from noiseless.tables.pipes import Columns, Pipe, PipeBatch, Scan, one_place
from noiseless.tables.text_files import Bounds, run

FINE, MALFORMED, TWICE, ESCAPED = range(4)
"""How a scan ended: at the last whole line, or at one with a problem."""

_DEEPEST = 512

_BEGIN, _OPEN, _END, _COMMA, _CLOSE, _KEY, _KEY_END = range(1, 8)
_ENDED = 8
"""Added to one of these: the byte before was the last one of a value."""
_NEWLINE, _REFUSE = 16, 24
_STATES = 256
"""Entries of the table are state + 256 * what to do."""

_LINE, _AFTER, _KEY_OR_CLOSE, _KEY_ONLY, _COLON, _VALUE, _VALUE_OR_CLOSE, _OVER = range(8)
"""Before and after an object; in it: where a key, a colon or a value must come, or what follows a value."""

_SPACE, _DIGITS, _HEX = b" \t\r", b"0123456789", b"0123456789abcdefABCDEF"


def scan_json(
    data: bytes, spellings: dict[bytes, int], columns: int, *, final: bool
) -> tuple[Bounds, int, int, tuple[int, int]]:
    """The lines of some JSON; as machine code ten times as fast as `json.loads` line by line.

    Args:
        data: bytes that begin with a line.
        spellings: keys as they are written between quotes, and the number of the column each one names;
            -1: none.
        columns: how many columns there are.
        final: whether the last line may end without a line end.

    Returns:
        For each object where it begins and ends, whether it is empty, and where its value of each column
        begins and ends (-1: it has none); how many bytes they take; how the scan ended; and where a key
        stands that has an escape and is not among the spellings.
    """
    whole = data if not final or data.endswith(b"\n") else data + b"\n"
    bounds = np.full((count_lines(whole) + 1, 3 + 2 * columns), -1, np.int32)
    names = np.frombuffer(b"".join(spellings), np.uint8)
    starts = np.cumsum([0, *(len(name) for name in spellings)])
    numbers = np.array([*spellings.values()], np.int64)
    stack = np.zeros(_DEEPEST, np.int64)
    rows, used, status, begin, end = run(_scan_json, whole, _table(), names, starts, numbers, bounds, stack)
    return bounds[:rows], min(used, len(data)), status, (begin, end)


def _scan_json(data, table, names, starts, numbers, bounds, stack):
    # Invariant: `state` is that of the automaton before byte `at`, `stack[:depth]` the brackets that are open
    # there, and `bounds[:rows]` is complete for the lines that end before `used`.
    state, depth, rows, used, key, number = _LINE, 0, 0, 0, -1, -1
    for at in range(len(data)):
        entry = table[state * _STATES + data[at]]
        if entry < _STATES:
            state = entry
            continue
        kind, state = entry // _STATES, entry % _STATES
        if kind == _REFUSE:
            return rows, used, MALFORMED, 0, 0
        if kind == _NEWLINE:
            rows += state == _AFTER
            state, used = _LINE, at + 1
            continue
        if kind & _ENDED:
            kind -= _ENDED
            if depth == 1 and number >= 0:
                bounds[rows, 4 + 2 * number] = at
        if kind == _BEGIN or kind == _OPEN:  # noqa: PLR1714 - faster
            if depth == 1 and number >= 0:
                bounds[rows, 3 + 2 * number] = at
            if kind == _OPEN:
                if depth == len(stack):
                    return rows, used, MALFORMED, 0, 0
                if depth == 0:
                    bounds[rows, 0], key = at, -1
                stack[depth] = data[at]
                depth += 1
        elif kind == _END:
            if depth == 1 and number >= 0:
                bounds[rows, 4 + 2 * number] = at + 1
        elif kind == _COMMA:
            state = _KEY_ONLY if stack[depth - 1] == 123 else _VALUE  # noqa: PLR2004 - {
        elif kind == _CLOSE:
            depth -= 1
            if data[at] != stack[depth] + 2:
                return rows, used, MALFORMED, 0, 0
            if depth == 0:
                bounds[rows, 1], bounds[rows, 2], state = at, key < 0, _AFTER
            elif depth == 1 and number >= 0:
                bounds[rows, 4 + 2 * number] = at + 1
        elif kind == _KEY:
            key = at + 1
        elif kind == _KEY_END and depth == 1:
            number = _REFUSE
            for name in range(len(numbers)):
                size = starts[name + 1] - starts[name]
                if size == at - key and number == _REFUSE:
                    i = 0
                    while i < size and data[key + i] == names[starts[name] + i]:
                        i += 1
                    if i == size:
                        number = numbers[name]
            if number == _REFUSE:
                number = -1
                for i in range(key, at):
                    if data[i] == 92:  # noqa: PLR2004 - a backslash
                        return rows, used, ESCAPED, key, at
            elif number >= 0 and bounds[rows, 3 + 2 * number] >= 0:
                return rows, used, TWICE, 0, 0
    return rows, used, FINE, 0, 0


@cache
def _table() -> npt.NDArray[np.int64]:
    """The grammar of JSON (RFC 8259), one value a line, and NaN and Infinity as Python writes them."""
    free = count(_OVER + 1)
    table = np.full((64, _STATES), _REFUSE * _STATES, np.int64)

    def rule(state: int, found: Iterable[int], then: int, what: int = 0) -> None:
        table[state, [*found]] = then + what * _STATES

    def text(closing: int, then: int) -> int:
        """The states of a text after its first quote."""
        inside, escape, *digits = (next(free) for _ in range(6))
        rule(inside, range(32, 256), inside)
        rule(inside, b'"', then, closing)
        rule(inside, b"\\", escape)
        rule(escape, b'"\\/bfnrt', inside)
        rule(escape, b"u", digits[0])
        for digit, after in zip(digits, [*digits[1:], inside], strict=True):
            rule(digit, _HEX, after)
        return inside

    for state in range(_OVER + 1):
        rule(state, _SPACE, state)
    rule(_LINE, b"{", _KEY_OR_CLOSE, _OPEN)
    rule(_LINE, b"\n", _LINE, _NEWLINE)
    rule(_AFTER, b"\n", _AFTER, _NEWLINE)
    in_key = text(_KEY_END, _COLON)
    for state in (_KEY_OR_CLOSE, _KEY_ONLY):
        rule(state, b'"', in_key, _KEY)
    rule(_COLON, b":", _VALUE)
    rule(_KEY_OR_CLOSE, b"}", _OVER, _CLOSE)
    rule(_VALUE_OR_CLOSE, b"]", _OVER, _CLOSE)
    _after_value(rule, _OVER)
    in_text = text(_END, _OVER)
    number, negative = _numbers(rule, free)
    words = {word[:1]: _word(rule, free, word) for word in (b"true", b"false", b"null", b"NaN", b"Infinity")}
    rule(negative, b"I", words[b"I"])
    for state in (_VALUE, _VALUE_OR_CLOSE):
        rule(state, b'"', in_text, _BEGIN)
        rule(state, b"{", _KEY_OR_CLOSE, _OPEN)
        rule(state, b"[", _VALUE_OR_CLOSE, _OPEN)
        for first, then in {**number, **words}.items():
            rule(state, first, then, _BEGIN)
    return table.reshape(-1)


def _after_value(rule: Any, state: int, ended: int = 0) -> None:  # noqa: ANN401 - a function
    """What may follow a value; for a number, what ends it."""
    if ended:
        rule(state, _SPACE, _OVER, ended)
    rule(state, b",", _OVER, _COMMA + ended)
    rule(state, b"}]", _OVER, _CLOSE + ended)


def _numbers(rule: Any, free: Iterable[int]) -> tuple[dict[bytes, int], int]:  # noqa: ANN401 - a function
    """The state after each first byte of a number, and that after a sign."""
    states = iter(free)
    negative, zero, whole, point, decimals, exponent, sign, power = (next(states) for _ in range(8))
    first = {b"0": zero, **{bytes([digit]): whole for digit in _DIGITS[1:]}}
    for byte, then in first.items():
        rule(negative, byte, then)
    for state in (zero, whole, decimals):
        rule(state, b"eE", exponent)
    for state in (zero, whole):
        rule(state, b".", point)
    for state, then in ((whole, whole), (point, decimals), (decimals, decimals), (power, power)):
        rule(state, _DIGITS, then)
    for state in (exponent, sign):
        rule(state, _DIGITS, power)
    rule(exponent, b"+-", sign)
    for state in (zero, whole, decimals, power):
        _after_value(rule, state, _ENDED)
    return {b"-": negative, **first}, negative


def _word(rule: Any, free: Iterable[int], word: bytes) -> int:  # noqa: ANN401 - a function
    """The state after the first letter of a word."""
    states = [state for state, _ in zip(free, word[1:], strict=False)]
    for state, letter, then in zip(states, word[1:], [*states[1:], _OVER], strict=True):
        rule(state, [letter], then, _END if then == _OVER else 0)
    return states[0]


_PROBLEMS = {TWICE: "has a key twice; mend that line", FINE: None}


@dataclass(frozen=True, eq=False)
class JsonBatch(PipeBatch):
    """Objects, one a line, and where the columns stand that were asked for."""

    columns: tuple[str, ...]

    def given(self) -> Columns:
        """Values as they were written; null, NaN and no value at all are missing."""
        return {column: self._texts(place) for place, column in enumerate(self.columns)}

    def written(self, released: Mapping[str, pa.Array], kept: object = None) -> bytes:
        """All that is not replaced stays byte for byte; a key that was not there comes last."""
        chosen = [column for column in self.columns if column in released]
        places = [3 + 2 * self.columns.index(column) for column in chosen]
        begins, ends = self.bounds[:, places], self.bounds[:, [place + 1 for place in places]]
        told = [one_place(released[column], _json) for column in chosen]
        absent = begins < 0
        if absent.any():
            begins, ends = (np.where(absent, self.bounds[:, 1:2], side) for side in (begins, ends))
            told = self._with_keys(chosen, told, absent)
        bounds = self.bounds.copy()
        bounds[:, 1] += 1  # the closing brace is part of an object
        whole = JsonBatch(self.data, self.begin, bounds, self.columns)
        if len(chosen) > 1:  # keys come in any order
            order = np.argsort(begins, axis=1, kind="stable")
            begins, ends = (np.take_along_axis(side, order, 1) for side in (begins, ends))
            told = _in_order(told, order)
        return whole.joined(begins, ends, told, kept)

    def _texts(self, place: int) -> pa.StringArray:
        begins, ends = self.bounds[:, 3 + 2 * place], self.bounds[:, 4 + 2 * place]
        here = begins >= 0
        begins, ends = (np.where(here, side, self.bounds[:, 0]) for side in (begins, ends))
        first = np.where(here, np.frombuffer(self.data + b"\n", np.uint8)[begins], 0)
        text = first == ord('"')
        found = self.slices(begins + text, ends - text)
        if text.any() and b"\\" in self.data:
            escaped = pc.match_substring(found, "\\").to_numpy(zero_copy_only=False) & text
            decoded = [_decoded(t) for t in found.filter(pa.array(escaped)).to_pylist()]
            found = pc.replace_with_mask(found, pa.array(escaped), pa.array(decoded, pa.string()))
        number = text | ((first >= ord("0")) & (first <= ord("9"))) | (first == ord("-"))
        missing = ~here | (first == ord("n")) | (first == ord("N")) | (text & (ends - begins == 2))  # noqa: PLR2004 - quotes
        if not number.all() and not (number | missing).all():
            found = pc.if_else(pa.array(number | missing), found, "?")  # something that is no number
        return pc.if_else(pa.array(missing), None, found) if missing.any() else found

    def _with_keys(
        self, columns: Sequence[str], told: Sequence[pa.Array], absent: npt.NDArray[np.bool_]
    ) -> list[pa.Array]:
        """The published value with its key before it, where there was none."""
        found, first = [], self.bounds[:, 2] == 1
        for place, (column, labels) in enumerate(zip(columns, told, strict=True)):
            key = _json(column) + ": "
            choice = np.where(absent[:, place], np.where(first, 1, 2), 0)
            keys = pa.array(["", key, ", " + key]).take(pa.array(choice))
            found.append(pc.binary_join_element_wise(keys, labels, ""))
            first &= ~absent[:, place]
        return found


class JsonPipe(Pipe):
    """One object a line. The first one has all columns; a key that others lack is a missing value."""

    is_text = False
    preamble = b""

    def __init__(self, feed: Feed) -> None:
        self.feed = feed
        self._spellings: dict[bytes, int] = {}

    def check(self, columns: Sequence[str]) -> None:
        """Whether the first object has them."""
        self._spellings = {_json(column)[1:-1].encode(): place for place, column in enumerate(columns)}
        found, _, problem = self.scan(self.feed.pending, columns, final=True)
        if problem is not None and not len(found):
            return  # it is raised when batches are read
        for place, column in enumerate(columns):
            if found.bounds[0, 3 + 2 * place] < 0:
                line = self.feed.pending[found.bounds[0, 0] : found.bounds[0, 1] + 1]
                raise UnknownColumnError(column, [*json.loads(line)], from_text=True)

    def scan(self, data: bytes, columns: Sequence[str], *, final: bool) -> Scan:
        """The objects at the beginning of some bytes."""
        while True:
            bounds, used, status, (begin, end) = scan_json(data, self._spellings, len(columns), final=final)
            if status != ESCAPED:
                break
            spelling = data[begin:end]
            name = _decoded(spelling.decode("utf-8", "replace"))
            self._spellings[spelling] = columns.index(name) if name in columns else -1
        problem = _PROBLEMS.get(status, "is no object; mend that line")
        return JsonBatch(data, Mark(), bounds, tuple(columns)), used, problem


def _in_order(told: Sequence[pa.Array], order: npt.NDArray[np.intp]) -> list[pa.Array]:
    """The published values from left to right, when keys come in any order."""
    if len(order) and (order == order[:1]).all():
        return [told[place] for place in order[0]]
    return [pc.choose(pa.array(order[:, place]), *told) for place in range(order.shape[1])]


def _decoded(text: str) -> str:
    """A text without its escapes; half of a pair of surrogates is no character, and stays as it is."""
    found = str(json.loads(f'"{text}"'))
    try:
        found.encode("utf-8")
    except UnicodeEncodeError:
        return text
    return found


def _json(value: Any) -> str:  # noqa: ANN401 - any value
    return json.dumps(value, ensure_ascii=False, allow_nan=False)
