"""Lists of things that a server knows, which are frames for programs."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from html import escape
from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload

from noiseless.client.json_objects import JsonObject
from noiseless.display import FrameMixin, aligned, html_rows, printable
from noiseless.replies import plain

if TYPE_CHECKING:
    import pyarrow as pa

Item = TypeVar("Item")


@dataclass(frozen=True, repr=False)
class Listing(Sequence[Item], FrameMixin, Generic[Item]):
    """A sequence that shows itself as a table.

    Attributes:
        items: what is in it.
        title: what it is.
        columns: the frame's values, by column.
        shown: the same as people read it, where that differs.
    """

    items: tuple[Item, ...]
    title: str
    columns: Mapping[str, Sequence[object]] = field(hash=False)
    shown: Mapping[str, Sequence[str]] = field(default_factory=dict, hash=False)

    @overload
    def __getitem__(self, place: int) -> Item: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Item]: ...
    def __getitem__(self, place: int | slice) -> Item | Sequence[Item]:
        return self.items[place]

    def __len__(self) -> int:
        return len(self.items)

    def __iter__(self) -> Iterator[Item]:
        return iter(self.items)

    def __repr__(self) -> str:
        return "\n".join(map(printable, [self.title, *(f"  {line}" for line in aligned(self._table()))]))

    def _repr_html_(self) -> str:
        return f"<p><b>{escape(self.title)}</b></p>{html_rows(self._table())}"

    def _table(self) -> list[list[str]]:
        if not self.items:
            return []
        named = [[name, *self.shown.get(name, map(_text, values))] for name, values in self.columns.items()]
        return [list(row) for row in zip(*named, strict=True)]

    def to_arrow(self) -> "pa.Table":
        """The frame in pyarrow."""
        import pyarrow as pa

        return pa.table({name: [plain(each) for each in values] for name, values in self.columns.items()})


def read_sample(members: JsonObject) -> Listing[Mapping[str, Any]]:
    """Synthetic rows.

    Raises:
        BadReply: they are not well formed.
    """
    rows = tuple(JsonObject({"row": each.values}).plain("row") for each in members.objects("rows"))
    names = list(dict.fromkeys(name for row in rows for name in row))
    count = f"{len(rows):,} synthetic row{'s' * (len(rows) != 1)}"
    title = f"{count} of the declared domain (seed {members.whole('seed')})"
    return Listing(rows, title, {name: [row.get(name) for row in rows] for name in names})


def _text(value: object) -> str:
    if value is None:
        return "none"
    return f"{value:f}" if isinstance(value, Decimal) else str(value)
