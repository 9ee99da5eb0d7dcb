"""JSON lines that arrive through a pipe."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from noiseless.errors import UnknownColumnError
from noiseless.tables.feeds import Feed, Mark
from noiseless.tables.json_scanner import scan_json
from noiseless.tables.pipes import Batch, Columns, Pipe, Scan, one_place
from noiseless.tables.scanners import ESCAPED, FINE, TWICE

_PROBLEMS = {TWICE: "has a key twice; mend that line", FINE: None}


@dataclass(frozen=True, eq=False)
class JsonBatch(Batch):
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
            found = _replaced(
                found, escaped, [_decoded(t) for t in found.filter(pa.array(escaped)).to_pylist()]
            )
        number = text | ((first >= ord("0")) & (first <= ord("9"))) | (first == ord("-"))
        missing = ~here | (first == ord("n")) | (first == ord("N")) | (text & (ends - begins == 2))  # noqa: PLR2004 - quotes
        if not number.all() and not (number | missing).all():
            found = pc.if_else(pa.array(number | missing), found, "?")  # something that is no number
        return pc.if_else(pa.array(missing), None, found) if missing.any() else found

    def _with_keys(
        self, columns: Sequence[str], told: Sequence[pa.Array], absent: npt.NDArray[np.bool_]
    ) -> list[pa.Array]:
        """What is told with its key before it, where there was none."""
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
    """What is told from left to right, when keys come in any order."""
    if len(order) and (order == order[:1]).all():
        return [told[place] for place in order[0]]
    return [pc.choose(pa.array(order[:, place]), *told) for place in range(order.shape[1])]


def _replaced(texts: pa.StringArray, where: npt.NDArray[np.bool_], others: list[str]) -> pa.StringArray:
    return pc.replace_with_mask(texts, pa.array(where), pa.array(others, pa.string()))


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
