"""The record that prices protect: the declared private attributes of one person."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from math import prod

from noiseless.domain.schema import Schema
from noiseless.errors import ColumnError, RequestError


@dataclass(frozen=True)
class Record:
    """The declared private attributes of one person.

    Attributes:
        attributes: names and numbers of values, None for a continuum.
        rows: the most rows that one person may have; each row has all attributes.
    """

    attributes: tuple[tuple[str, int | None], ...]
    rows: int = 1

    def __post_init__(self) -> None:
        if self.rows < 1:
            raise RequestError("a person has at least one row")
        if any(size is not None and size < 1 for _, size in self.attributes):
            raise RequestError("a domain has at least one value")

    @classmethod
    def of(cls, sizes: Mapping[str, int | None], rows: int = 1) -> "Record":
        """The record whose attributes take so many values.

        >>> Record.of({"age": 121, "smokes": 2}).values()
        242
        """
        return cls(tuple(sizes.items()), rows)

    @classmethod
    def of_schema(cls, schema: Schema, rows: int = 1) -> "Record":
        """The private columns of a schema."""
        return cls.of({name: schema.columns[name].size for name in schema.private}, rows)

    @cached_property
    def sizes(self) -> Mapping[str, int | None]:
        """How many values each attribute takes."""
        return dict(self.attributes)

    def values(self, names: Iterable[str] | None = None) -> int | None:
        """How many values some attributes (all unless said) take together, in all rows; None if no end."""
        chosen = [self.sizes[name] for name in (self.sizes if names is None else names)]
        finite = [size for size in chosen if size is not None]
        return prod(finite) ** self.rows if len(finite) == len(chosen) else None

    def require(self, names: Iterable[str]) -> None:
        """Check that attributes belong to the record.

        Raises:
            ColumnError: one does not.
        """
        for name in names:
            if name not in self.sizes:
                known = ", ".join(map(repr, self.sizes))
                raise ColumnError(name, f"is no private attribute of the record; it has {known}")
