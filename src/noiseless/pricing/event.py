"""What a price is about: the record of one person, and events, each with its own rule."""

from abc import ABC, abstractmethod
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import prod

from noiseless.amounts import Budget, Cost
from noiseless.domain.schema import Schema
from noiseless.errors import ColumnError, RequestError
from noiseless.pricing.answer_tables import AnswerTable, table_of_blocks
from noiseless.pricing.partition import DomainPartition, refined
from noiseless.pricing.reach import QuantizedQuery


@dataclass(frozen=True)
class Record:
    """The declared private attributes of one person.

    Attributes:
        attributes: names and numbers of values, None for a continuum.
        rows: the most rows that one person may have; each row has all attributes.
        per: attributes that are the same in all rows of a person.
        homes: for each public cell, numbered, what all cells have in common that one person's rows may be in;
            empty where these may be any.
    """

    attributes: tuple[tuple[str, int | None], ...]
    rows: int = 1
    per: frozenset[str] = frozenset()
    homes: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if self.rows < 1:
            raise RequestError("a person has at least one row")
        if any(size is not None and size < 1 for _, size in self.attributes):
            raise RequestError("a domain has at least one value")

    @classmethod
    def of(cls, sizes: Mapping[str, int | None], rows: int = 1) -> "Record":
        """The record whose attributes take this many values.

        >>> Record.of({"age": 121, "smokes": 2}).values()
        242
        """
        return cls(tuple(sizes.items()), rows)

    @classmethod
    def of_schema(cls, schema: Schema, rows: int = 1) -> "Record":
        """The private columns of a schema."""
        per = frozenset(name for name in schema.private if schema.columns[name].per is not None)
        return replace(cls.of({name: schema.columns[name].size for name in schema.private}, rows), per=per)

    @cached_property
    def sizes(self) -> Mapping[str, int | None]:
        """How many values each attribute takes."""
        return dict(self.attributes)

    def including(self, sizes: Mapping[str, int], per: Iterable[str] = ()) -> "Record":
        """The record with attributes that are functions of those it has, some of them the same in all rows.

        What is bounded for all combinations of values is bounded for those that a person can have.
        """
        fresh = {name: size for name, size in sizes.items() if name not in self.sizes}
        if not fresh:
            return self
        return replace(self, attributes=(*self.attributes, *fresh.items()), per=self.per.union(per))

    def rows_of(self, names: Iterable[str]) -> int:
        """In how many rows some attributes may differ."""
        return 1 if self.per.issuperset(names) else self.rows

    def values(self, names: Iterable[str] | None = None) -> int | None:
        """How many values some attributes (all unless said) take together, in all rows; None if no end."""
        chosen = {name: self.sizes[name] for name in (self.sizes if names is None else names)}
        if None in chosen.values():
            return None
        own = prod(size for name, size in chosen.items() if size is not None and name in self.per)
        each = prod(size for name, size in chosen.items() if size is not None and name not in self.per)
        return own * int(each**self.rows)

    @cached_property
    def worth(self) -> Cost | None:
        """What all of it costs (H0): as many outputs as it has values; None if there is no end."""
        values = self.values()
        return None if values is None else Cost(values)

    def is_disclosed_by(self, paid: Cost) -> bool:
        """Whether answers with this many outputs may fully disclose somebody's record."""
        return self.worth is not None and not self.worth.exceeds(paid)

    def capped(self, paid: Cost) -> Cost:
        """What was paid, but never more than all of it is worth."""
        return self.worth if self.worth is not None and self.is_disclosed_by(paid) else paid

    def is_protected_by(self, budget: Budget | None) -> bool:
        """Whether a budget is less than all there is to know; otherwise it refuses nothing."""
        return budget is not None and (self.worth is None or not self.worth.within(budget))

    def require(self, names: Iterable[str]) -> None:
        """Check that attributes belong to the record.

        Raises:
            ColumnError: one does not.
        """
        for name in names:
            if name not in self.sizes:
                known = ", ".join(map(repr, self.sizes))
                raise ColumnError(name, f"is no private attribute of the record; it has {known}")


@dataclass(frozen=True)
class Footprint:
    """How an answer depends on one person's private record while everybody else stays as they are.

    Attributes:
        attributes: the private attributes that it depends on, in order of their names.
        outputs: at most this many answers the person can cause.
        axis: an ordered attribute along which the answer is a step function, once the person's block of
            `selector` is known.
        cuts: how many steps there are at most along the axis, for each block of the selector (or once).
        pieces: into how many monotone pieces it falls along the axis: a piece has outputs - 1 steps at most.
        selector: blocks of attributes other than the axis. Without an axis the answer is told by the block.
        direction: for answers to linear forms of several attributes (or rows): which forms are multiples of
            each other. Their steps are then parallel hyperplanes, `cuts` of them.
        space: with several rows a person, the coordinates of which the answer is a linear form.
        rows: how many rows a person has, each with a block of its own.
        everybody: whether all rows of a person take part in the same way.
        answers: how many answers these are.
        levels: with several rows a person, blocks of values; the answer depends on the block of each row.
        tables: what everything that a person can be makes of each answer, where that is little.
    """

    attributes: tuple[str, ...]
    outputs: int
    axis: str | None = None
    cuts: tuple[int, ...] = ()
    pieces: int = 0
    selector: DomainPartition | None = None
    direction: Hashable = None
    space: Hashable = None
    rows: int = 1
    everybody: bool = True
    answers: int = 1
    levels: DomainPartition | None = None
    tables: tuple[AnswerTable | None, ...] = (None,)

    @classmethod
    def opaque(cls, attributes: Iterable[str], outputs: int) -> "Footprint":
        """Any function of some attributes."""
        return cls(tuple(sorted(set(attributes))), outputs)

    @classmethod
    def steps(cls, axis: str, outputs: int, pieces: int) -> "Footprint":
        """A function of one ordered attribute with this many monotone pieces.

        A piece is monotone with at most `outputs` values, so it changes at most outputs - 1 times; two
        neighbouring pieces share their turning point, so there is no further change between them.
        """
        return cls((axis,), outputs, axis, (pieces * (outputs - 1),), pieces)

    @classmethod
    def told(cls, partition: DomainPartition, rows: int = 1, *, everybody: bool = True) -> "Footprint":
        """The blocks of a person's rows."""
        names = tuple(sorted(partition.names))
        table = table_of_blocks(partition, rows) if rows == 1 or everybody else None
        found = cls(names, partition.blocks**rows, selector=partition, rows=rows, everybody=everybody)
        return replace(found, levels=partition, tables=(table,))

    @classmethod
    def chosen(
        cls, selector: DomainPartition, axis: str, outputs: int, inside: Sequence[int], pieces: int
    ) -> "Footprint":
        """Which monotone pieces are seen along the axis depends on the block of the selector.

        Args:
            selector: blocks of one or several attributes.
            axis: an ordered attribute.
            outputs: how many answers there are in all.
            inside: how many there are in each block.
            pieces: the monotone pieces within a block.
        """
        cuts = tuple(pieces * (number - 1) for number in inside)
        names = tuple(sorted({axis, *selector.names}))
        if selector.blocks == 1:
            return cls.steps(axis, outputs, pieces)
        if axis not in selector.names:
            return cls(names, outputs, axis, cuts, pieces, selector)
        if selector.names != (axis,):
            return cls.opaque(names, outputs)
        # A function of one attribute: the steps within each run of a block, and one where runs meet.
        steps = sum(cuts[label] + 1 for label in selector.labels) - 1
        return cls(names, outputs, axis, (steps,), -(-steps // max(outputs - 1, 1)))

    @classmethod
    def interrupted(cls, axis: str, outputs: int, inside: int, turns: int) -> "Footprint":
        """A monotone function of the values that pass a filter on the axis, and one constant elsewhere.

        It steps at most inside - 1 times among those that pass, and at each of the turns, where a run of
        values that pass begins or ends; what lies between turns are its pieces.
        """
        return cls((axis,), outputs, axis, (inside - 1 + turns,), turns + 1)

    @classmethod
    def linear(
        cls, attributes: Iterable[str], outputs: int, direction: Hashable, space: Hashable = None
    ) -> "Footprint":
        """A linear form of several attributes or rows, told as one of this many intervals."""
        names = tuple(sorted(set(attributes)))
        return cls(names, outputs, cuts=(outputs - 1,), pieces=1, direction=direction, space=space)

    @property
    def kind(self) -> tuple[Hashable, ...]:
        """Footprints of one kind can be merged without making any bound worse."""
        selector = self.selector
        if selector is not None and self.axis is None:
            return ("told", selector.names)
        return (self.attributes, self.axis, self.pieces, selector, self.direction, self.space)

    def narrowed(self, outputs: int) -> "Footprint":
        """The same answer when it is known beforehand to be one of this many neighbouring ones.

        The values of the axis that remain are a run in each monotone piece; going from one run to the next
        the answer may change once more.
        """
        if outputs >= self.outputs:
            return self
        most = self.pieces * outputs - 1
        cuts = tuple(min(cut, most) for cut in self.cuts)
        return replace(self, outputs=outputs, cuts=cuts)


def merged(footprints: Iterable[Footprint]) -> tuple[Footprint, ...]:
    """One footprint of each kind: steps add up, blocks are refined, outputs multiply."""
    found: dict[tuple[Hashable, ...], list[Footprint]] = {}
    for footprint in footprints:
        found.setdefault(footprint.kind, []).append(footprint)
    return tuple(same[0] if len(same) == 1 else _merged(same) for same in found.values())


def _merged(same: Sequence[Footprint]) -> Footprint:
    first, selector = same[0], same[0].selector
    cuts: tuple[int, ...] = ()
    outputs = prod(footprint.outputs for footprint in same)
    if selector is not None and first.axis is None:
        selector = refined([footprint.selector for footprint in same if footprint.selector is not None])
        outputs = min(outputs, selector.blocks**first.rows)
    else:
        cuts = tuple(map(sum, zip(*(footprint.cuts for footprint in same), strict=True)))
    return replace(
        first,
        outputs=outputs,
        cuts=cuts,
        selector=selector,
        everybody=all(footprint.everybody for footprint in same),
        answers=sum(footprint.answers for footprint in same),
        levels=_common_levels(same),
        tables=tuple(table for footprint in same for table in footprint.tables),
    )


def _common_levels(same: Sequence[Footprint]) -> DomainPartition | None:
    levels = [footprint.levels for footprint in same if footprint.levels is not None]
    alike = len({(part.names, part.sizes) for part in levels}) == 1
    return refined(levels) if alike and len(levels) == len(same) else None


class Key:
    """Some parts that together say what a question is.

    Hashing exact numbers is slow and a ledger looks the same question up many times, so the hash is kept.

    >>> Key("count", 3) == Key("count", 3), Key("count", 3) == Key("count", 4)
    (True, False)
    """

    def __init__(self, *parts: Hashable) -> None:
        self.parts = parts

    @cached_property
    def _hash(self) -> int:
        return hash(self.parts)

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Key):
            return NotImplemented
        return self is other or (self._hash == other._hash and self.parts == other.parts)

    def __repr__(self) -> str:
        return f"Key{self.parts!r}"


Cells = Collection[Hashable] | None


class Event(ABC):
    """An answer that was or will be given."""

    covers: Cells
    about: Hashable

    def __post_init__(self) -> None:
        """Keep the public cells as a set.

        Raises:
            RequestError: nobody takes part.
        """
        if self.covers is not None:
            object.__setattr__(self, "covers", frozenset(self.covers))
            if not self.covers:
                raise RequestError(
                    "nobody takes part; name public cells, or leave `covers` out for everybody"
                )

    @property
    @abstractmethod
    def key(self) -> Key:
        """The identity of the question: equal keys have equal answers."""

    @abstractmethod
    def footprint(self, record: Record) -> Footprint:
        """What one person with such a record can do to the answer.

        Raises:
            ColumnError: it depends on an attribute that the record does not have.
        """

    def footprint_within(self, record: Record, cells: int) -> Footprint:
        """The same when the answer is known beforehand to be one of this many neighbouring cells."""
        return self.footprint(record).narrowed(cells)

    @property
    def people(self) -> Hashable:
        """Who takes part."""
        return (self.covers, self.about)

    @property
    def capacity(self) -> Fraction:
        """Bits of a randomised answer, beside its footprint."""
        return Fraction(0)

    @property
    def repeatable(self) -> bool:
        """Whether the same question has the same answer again: then it is free the second time."""
        return True

    @property
    def sources(self) -> "tuple[Event, ...]":
        """The answers from which this one is computed; itself when it looks at data."""
        return (self,)

    @property
    def grid(self) -> QuantizedQuery | None:
        """The question and the cells, where the answer is a cell of a question's answers."""
        return None

    @property
    def grid_key(self) -> Key | None:
        """The identity of the question that the grid is over, whatever its cells."""
        return None

    @property
    def partition(self) -> DomainPartition | None:
        """The blocks whose sizes are told exactly, where that is so."""
        return None

    def follows_from(self, _counts: DomainPartition) -> bool:
        """Whether the answer can be computed from exact counts of these blocks among the same people."""
        return False
