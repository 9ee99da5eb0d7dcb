"""The public columns of a release: of which kind each is, and its values as exact numbers or nodes."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from fractions import Fraction
from functools import cached_property
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt

from noiseless.arrays import IntArray
from noiseless.errors import ColumnError, RequestError
from noiseless.releases.options import exact_number
from noiseless.releases.request import ReleaseRequest
from noiseless.releases.source import ReleaseSource, TextColumn
from noiseless.search.loss import Distance
from noiseless.search.merging import Categories, ColumnCodebook, Hierarchy, Numbers
from noiseless.tables.canonical import decimal_units
from noiseless.tables.hierarchies import HierarchyRule, HierarchyTree, flat_tree, read_tree
from noiseless.tables.kernels import add_by_code
from noiseless.tables.moments import MomentForm
from noiseless.tables.stray_rows import StrayDates, StrayRows
from noiseless.tables.written_forms import ALMOST_DATE, ALMOST_NUMBER, DECIMAL_COMMA, written_form

Kind = Literal["number", "date", "category", "hierarchy"]

_NUMBER = r"^(0|-?[1-9][0-9]*|-?(0|[1-9][0-9]*)\.[0-9]*[1-9])$"
_TAKEN = "and is taken as categories"
_DOUBTS = {
    "mixed": f"holds numbers, but other texts too, {_TAKEN}",
    "codes": f"is written as codes are (007) {_TAKEN}; give it a hierarchy, such as prefixes, to merge it "
    "step by step",
    "commas": f"is written with decimal commas {_TAKEN}; write 1234.50 for 1.234,50 to have numbers",
    "dates": f"looks like dates {_TAKEN}, which have no order; write all of them as 1959-01-20, or as "
    "1959-01-20 13:45:00, to have near ones merged",
    "times": f"holds times of day {_TAKEN}, which have no order; write minutes or seconds as numbers to have "
    "near ones merged",
}
_LONGEST = 100
"""Digits that numbers may take when they are written out one below the other; floats hold their squares."""


@dataclass(frozen=True, eq=False)
class PublicColumn:
    """A public column; `codes` says which of its distinct values each public tuple has.

    Attributes:
        name: the column.
        kind: what its values are.
        texts: its distinct values as canonical texts.
        codes: which of them each public tuple has.
        type: the type that the values have in the table.
        weight: what a difference counts.
        units: each distinct value as a whole number of units: 10**-places, days, or ticks of the moments.
        places: how many decimals the numbers have.
        marks: 0 for a number, day or moment; others (missing ones, other texts) are numbered from 1.
        moments: how dates with a time are written; None for numbers and days.
        span: the declared range, or that of the data.
        tree: the hierarchy.
        tree_cost: what a node of it costs: its height, or the number of other leaves.
        level: the level of the hierarchy that all values are released on; None for the lowest node above a
            cell's members.
    """

    name: str
    kind: Kind
    texts: pa.Array
    codes: IntArray
    type: pa.DataType
    weight: Fraction
    units: IntArray
    places: int
    marks: IntArray
    moments: MomentForm | None = None
    span: tuple[Fraction, Fraction] | None = None
    tree: HierarchyTree | None = None
    tree_cost: Literal["height", "leaves"] = "height"
    level: int | None = None

    def __len__(self) -> int:
        """How many public tuples there are."""
        return len(self.codes)

    @property
    def is_line(self) -> bool:
        """Whether its values lie on a line."""
        return self.kind in ("number", "date")

    @cached_property
    def holds_texts(self) -> bool:
        """Whether there are texts among its numbers, beside missing values."""
        return bool(np.count_nonzero(self.marks) > self.texts.null_count)

    @cached_property
    def nodes(self) -> IntArray:
        """For each distinct value its node on each level of the hierarchy."""
        return self._tree.nodes(self.texts)

    @cached_property
    def costs(self) -> IntArray:
        """For each distinct value what its node on each level costs."""
        return self._tree.costs(self.texts, self.tree_cost)

    @property
    def largest_cost(self) -> int:
        """What the top of the hierarchy costs."""
        return self._tree.height if self.tree_cost == "height" else self._tree.largest_cost

    def require_order(self) -> None:
        """Ask how numbers and dates are written that read as texts: as categories they would have no order.

        Raises:
            ColumnError: all values are such numbers or dates.
        """
        if self.kind == "category" and (form := written_form(self.texts)):
            raise ColumnError(
                self.name,
                f"holds {form.what}; add {form.options} to read them, or --categorical {self.name} to merge "
                "them as mere texts",
            )

    @property
    def doubt(self) -> str:
        """As what else most values of a column of categories could be taken, and how; empty if as nothing."""
        most, numbers = len(self.texts) // 2, self._texts_like(ALMOST_NUMBER)
        if numbers > most:
            kind = "mixed" if numbers < len(self.texts) - int(self.texts.null_count) else "codes"
            return _DOUBTS[kind] + self._numeric(kind)
        commas = self._texts_like(DECIMAL_COMMA)
        if commas and numbers + commas > most:
            return _DOUBTS["commas"]
        moments = self.kind == "category" and pt.is_timestamp(self.type)
        dates = len(self.texts) - int(self.texts.null_count) if moments else self._texts_like(ALMOST_DATE)
        if dates > most:
            return _DOUBTS["dates"]
        return _DOUBTS["times"] if pt.is_time(self.type) else ""

    def doubt_about(self, strays: StrayRows | StrayDates | None) -> str:
        """The same, with the rows that hold other texts than numbers or dates of one form."""
        if strays is None:
            return self.doubt
        if isinstance(strays, StrayDates):
            return f"{strays.words}, {_TAKEN}; {strays.remedy}"
        numeric = self._numeric("codes") * self.doubt.startswith(_DOUBTS["mixed"])
        return f"holds numbers, but other texts too in {strays}, {_TAKEN}; blank or mend those rows{numeric}"

    def _numeric(self, kind: str) -> str:
        """That it may be named as numeric, unless that would be refused for how its numbers are spelled."""
        words = f"{';' if kind == 'mixed' else ', or'} name it as numeric to take it as numbers"
        return words * (self._texts_like(_NUMBER) >= self._texts_like(ALMOST_NUMBER))

    def _texts_like(self, pattern: str) -> int:
        """How many texts of a column of categories look like something else: one `?` makes a column text."""
        if self.kind != "category" or not (pt.is_string(self.type) or pt.is_large_string(self.type)):
            return 0
        return int(pc.sum(pc.match_substring_regex(self.texts, pattern)).as_py() or 0)

    @property
    def unit(self) -> Fraction:
        """What 1 stands for in `units`: a number, or days."""
        return Fraction(1, 10**self.places) if self.moments is None else self.moments.tick

    @property
    def _tree(self) -> HierarchyTree:
        if self.tree is None:
            raise ValueError("the column has no hierarchy")
        return self.tree

    def for_codebook(self, *, alone: bool) -> Numbers | Categories | Hierarchy:
        """The column as merging algorithms take it.

        What is no number has one here too, so that all tuples have one; it is never merged with another.
        """
        if self.kind == "category":
            return Categories(self.texts.to_pylist(), weight=self.weight).take(self.codes)
        if self.kind == "hierarchy":
            paths = self._tree.paths
            column = Hierarchy(self.texts.to_pylist(), paths, cost=self.tree_cost, weight=self.weight)
            return (column if self.level is None else column.raised(self.level)).take(self.codes)
        units = self.units.copy()
        lines = self.marks == 0
        beyond = self.units[lines].max() if lines.any() else 0
        units[~lines] = beyond + self.marks[~lines].astype(units.dtype) if alone else self.units[lines].min()
        return Numbers.on_lattice(units, self.codes, self.unit, self.weight, self.span)


@dataclass(frozen=True, eq=False)
class PublicColumns:
    """All public columns and how their differences make one number.

    Attributes:
        columns: the columns.
        distance: the distance.
    """

    columns: tuple[PublicColumn, ...]
    distance: Distance

    @cached_property
    def groups(self) -> IntArray | None:
        """Which public tuples may be merged: those with numbers in the same columns; None if all may."""
        if not any(column.marks.any() for column in self.columns):
            return None
        found = np.zeros(len(self.columns[0]), np.int64)
        for column in self.columns:
            marks = column.marks[column.codes]
            found = found * (int(marks.max(initial=0)) + 1) + marks
            found = np.unique(found, return_inverse=True)[1].reshape(-1)
        return found if found.any() else None

    def on_levels(self, levels: Sequence[int]) -> "PublicColumns":
        """The same with each column on one level of its hierarchy."""
        pairs = zip(self.columns, levels, strict=True)
        return replace(self, columns=tuple(replace(column, level=level) for column, level in pairs))

    def codebook(self, request: ReleaseRequest) -> ColumnCodebook:
        """What merging algorithms measure the distortion by."""
        alone = len(self.columns) == 1 and self.distance != "gower"
        columns = [column.for_codebook(alone=alone) for column in self.columns]
        return ColumnCodebook(*columns, distance=self.distance, codeword=request.codeword)


def public_columns(source: ReleaseSource) -> PublicColumns:
    """The public columns of a table, each of its kind.

    Raises:
        NoiselessError: a column cannot be of the kind that is asked for.
    """
    request = source.request
    kinds = {name: _kind(source, name) for name in request.public}
    distance = request.distance or _default_distance(list(kinds.values()))
    if distance in ("hamming", "discrete"):
        if request.column_weight:
            raise RequestError(f"the distance {distance!r} counts columns alike; leave their weights out")
        kinds = dict.fromkeys(kinds, "category")
    if request.recoding == "full-domain":
        kinds = {name: _with_levels(name, kind) for name, kind in kinds.items()}
    elif request.recoding == "suppression":
        kinds = dict.fromkeys(kinds, "hierarchy")
    found = [_column(source, name, kind) for name, kind in kinds.items()]
    if source.table.files and distance not in ("hamming", "discrete"):
        for column in found:
            if column.name not in request.categorical:
                column.require_order()
    return PublicColumns(tuple(found), distance)


def _with_levels(name: str, kind: Kind) -> Kind:
    """The kind of a column that is released on one level: categories have two, themselves and `*`."""
    if kind in ("number", "date"):
        values, rule = ("numbers", "intervals:5,10,20") if kind == "number" else ("days", "dates")
        raise ColumnError(
            name,
            f"holds {values}, and full-domain recoding publishes levels of a hierarchy; give it one, such as "
            f"--hierarchy {name}={rule}",
        )
    return "hierarchy"


def _default_distance(kinds: list[Kind]) -> Distance:
    """Several columns have no common unit: their differences are divided by their ranges."""
    return "absolute" if len(kinds) == 1 else "gower"


def _kind(source: ReleaseSource, name: str) -> Kind:
    request = source.request
    if name in request.hierarchy:
        return "hierarchy"
    if name in request.categorical:
        return "category"
    if name in source.by_days:
        return "date"
    one = source.public.coding(name).decode(source.public.codes(name)[:1])
    values = one.type
    if pt.is_integer(values) or pt.is_floating(values) or pt.is_decimal(values) or name in request.numeric:
        return "number"
    may_be = pt.is_timestamp(values) or (pt.is_string(values) and (one.null_count or MomentForm.of(one)))
    if pt.is_date(values) or (may_be and MomentForm.of(source.text(source.public, name).texts)):
        return "date"
    return "category"


def _column(source: ReleaseSource, name: str, kind: Kind) -> PublicColumn:
    column, request = source.text(source.public, name), source.request
    weight = request.column_weight.get(column.name, Fraction(1))
    nothing = np.zeros(len(column.texts), np.int64)
    options: dict[str, Any] = {"units": nothing, "places": 0, "marks": nothing}
    if kind == "hierarchy":
        options |= {"tree": _tree(source, column), "tree_cost": request.hierarchy_cost}
    if kind in ("number", "date"):
        options |= _line(column, kind)
    found = PublicColumn(column.name, kind, column.texts, column.codes, column.type, weight, **options)
    if found.is_line:
        return replace(found, span=_span(found, request))
    if column.name in request.span:
        raise ColumnError(column.name, "holds no numbers, so it has no range; leave its span out")
    return found


def _tree(source: ReleaseSource, column: TextColumn) -> HierarchyTree:
    declared, texts = source.request.hierarchy.get(column.name), column.texts.to_pylist()
    if declared is None:
        tree = flat_tree(texts)
    elif isinstance(declared, HierarchyRule):
        tree = declared.tree(
            column.name, texts, add_by_code(column.codes, source.public.counts, len(texts)).tolist()
        )
    else:
        tree = read_tree(column.name, declared, source.written.get("encoding"))
    tree = tree.with_missing() if column.texts.null_count else tree
    if strange := [place for place, text in enumerate(texts) if text not in tree.paths]:
        verb = "value that is" if len(strange) == 1 else "values that are"
        told = f"has {len(strange):,} {verb} not in its hierarchy{source.first_of(column.name, strange)}"
        raise ColumnError(column.name, f"{told}; add a row for each there")
    return tree


def _line(column: TextColumn, kind: Kind) -> dict[str, Any]:
    """The units, places and marks of numbers, days or moments."""
    texts = column.texts
    moments = MomentForm.of(texts) if kind == "date" and not pt.is_date(column.type) else None
    if kind == "date":
        if moments is None and not pc.all(pc.match_substring_regex(texts, r"^\d{4}-")).as_py():
            raise ColumnError(
                column.name,
                "holds days before the year 0 or after 9999; take it as categories"
                f" (--categorical {column.name})",
            )
        days = () if moments else pc.fill_null(texts.cast(pa.date32()).cast(pa.int32()), 0)
        units = moments.ticks(texts) if moments else np.array(days, np.int64)
        plain, places = pc.is_valid(texts).to_numpy(zero_copy_only=False), 0
    else:
        plain = pc.fill_null(pc.match_substring_regex(texts, _NUMBER), False).to_numpy(zero_copy_only=False)
        _refuse_spellings(column, plain)
        found, places = decimal_units(texts.filter(pa.array(plain)))
        units = np.zeros(len(texts), found.dtype)
        units[plain] = found
    if not plain.any():
        if commas := pc.sum(pc.match_substring_regex(texts, DECIMAL_COMMA)).as_py():
            raise ColumnError(
                column.name,
                f"has {commas:,} different numbers with decimal commas; blank or mend what is no number, if "
                "anything is, and read the file with --decimal ,",
            )
        raise ColumnError(column.name, "holds no number; release it as categories")
    marks = np.where(plain, 0, np.cumsum(~plain))
    return {"units": units, "places": places, "marks": marks, "moments": moments}


def _refuse_spellings(column: TextColumn, plain: "np.ndarray[Any, np.dtype[np.bool_]]") -> None:
    others = column.texts.filter(pa.array(~plain))
    odd = pc.sum(pc.match_substring_regex(others, ALMOST_NUMBER)).as_py() or 0
    if odd:
        raise ColumnError(
            column.name, f"has {odd:,} numbers in other spellings; write plain ones (96, not 96.0 or 096)"
        )
    if _digits(column.texts.filter(pa.array(plain))) > _LONGEST:
        raise ColumnError(
            column.name, f"has numbers that take more than {_LONGEST} digits to write out; round them"
        )


def _digits(numbers: pa.Array) -> int:
    """How many digits the longest whole part and the longest fraction have together."""
    if not len(numbers):
        return 0
    parts = [
        pc.max(pc.binary_length(pc.replace_substring_regex(numbers, p, ""))) for p in (r"\..*", r"^[^.]*")
    ]
    return sum(int(part.as_py()) for part in parts)


def _span(column: PublicColumn, request: ReleaseRequest) -> tuple[Fraction, Fraction]:
    name, values = column.name, column.units[column.marks == 0]
    low, high = int(values.min()) * column.unit, int(values.max()) * column.unit
    if name not in request.span:
        return (low, high) if low < high else (low, high + 1)
    ends = [_end(name, column.kind, text) for text in request.span[name]]
    if not ends[0] < ends[1]:
        raise ColumnError(name, "has a declared range from its higher to its lower end; turn it round")
    if low < ends[0] or high > ends[1]:
        raise ColumnError(name, "has values outside its declared range; widen its span")
    return ends[0], ends[1]


def _end(name: str, kind: Kind, text: str) -> Fraction:
    try:
        if kind == "date":
            return Fraction(date.fromisoformat(text).toordinal() - date(1970, 1, 1).toordinal())
        return exact_number(text)
    except (ValueError, ArithmeticError):
        raise ColumnError(name, f"has a declared range with {text!r}; write two numbers, LO:HI") from None


def explained(error: RequestError, public: PublicColumns, *, suppresses: bool) -> RequestError:
    """A refusal, with what can be done about values that are no numbers."""
    missing = any(column.texts.null_count for column in _with_marks(public))
    drop = "leave their rows out (--missing drop), " * missing
    more = "allow more suppression" if suppresses else "allow suppression"
    return RequestError(
        f"{error}; {never_merged(public)}: {drop}{more} (--suppress), "
        "or take such a column as categories (--categorical)"
    )


def never_merged(public: PublicColumns) -> str:
    """Which values of which columns are no numbers, and what that means."""
    columns = _with_marks(public)
    names = ", ".join(repr(column.name) for column in columns)
    blanks = any(column.texts.null_count for column in columns)
    which = "missing values" if blanks else "texts that are no numbers"
    return f"{which} of {names} are never merged with numbers"


def _with_marks(public: PublicColumns) -> list[PublicColumn]:
    return [column for column in public.columns if column.marks.any()]
