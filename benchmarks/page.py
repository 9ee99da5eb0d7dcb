"""What a section of the page is made of, and how it is written as Markdown."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Form:
    """How large a run is: the full one, or a small one to see that all works."""

    small: bool = False

    def size(self, full: int) -> int:
        """A hundredth of a full size, in the small form."""
        return full // 100 if self.small else full

    def sizes(self, *full: int) -> tuple[int, ...]:
        """Several sizes."""
        return tuple(self.size(size) for size in full)

    @property
    def limit(self) -> int:
        """After how many seconds a peer is stopped."""
        return 10 if self.small else 60

    @property
    def name(self) -> str:
        """A word for it."""
        return "small" if self.small else "full"


@dataclass(frozen=True)
class Table:
    """Rows with the same columns; the first row names them."""

    rows: Sequence[Row]
    title: str = ""


@dataclass(frozen=True)
class Words:
    """A paragraph; `slower` marks one that says where somebody else is faster or better."""

    text: str
    slower: bool = False


@dataclass(frozen=True)
class Plot:
    """Lines over sizes, both axes logarithmic: a name and its points for each line."""

    name: str
    title: str
    across: str
    up: str
    lines: Mapping[str, Sequence[tuple[float, float]]]


Part = Table | Words | Plot


@dataclass(frozen=True)
class Section:
    """One heading of the page.

    Attributes:
        name: what `--only` calls it.
        title: its heading.
        introduction: what is measured, and beside what; stands before the tables.
        measure: makes its parts one after the other, so that those before a failure are kept.
        group: what `--only` calls several of them together.
    """

    name: str
    title: str
    introduction: str
    measure: Callable[[Form], Iterable[Part]]
    group: str = ""

    def is_called(self, name: str) -> bool:
        """Whether a word of `--only` means this section."""
        return name in (self.name, self.group)


def written(part: Part, images: str) -> str:
    """A part as Markdown; plots lie in the folder `images`."""
    match part:
        case Table():
            title = f"**{part.title}**\n\n" if part.title else ""
            return title + table(part.rows)
        case Words():
            return part.text
        case Plot():
            return f"![{part.title}]({images}/bench-{part.name}.svg)"


def table(rows: Sequence[Row]) -> str:
    """Rows as a table of Markdown."""
    header = list(rows[0])
    text = [header, ["---"] * len(header), *([cell(row.get(name, "")) for name in header] for row in rows)]
    return "\n".join(_line(cells) for cells in text)


def _line(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def cell(value: object) -> str:
    """A value as people read it: three figures are enough."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return "" if value is None else str(value)
    if isinstance(value, int):
        return f"{value:,}"
    if not math.isfinite(value):
        return "" if math.isnan(value) else "infinite"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"
