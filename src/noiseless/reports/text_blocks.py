"""Paragraphs and tables of plain text for a terminal."""

from collections.abc import Iterable, Sequence

from noiseless.display import printable

_WIDTH = 100


def wrapped(text: str) -> str:
    """A paragraph, no line of it too long."""
    import textwrap

    return textwrap.fill(printable(text), _WIDTH)


def aligned(rows: Iterable[tuple[str, str]]) -> str:
    """Lines of a name and a value."""
    pairs = [(printable(name), printable(value)) for name, value in rows]
    width = max(len(name) for name, _ in pairs)
    return "\n".join(f"  {name:<{width}}  {value}" for name, value in pairs)


def table(title: str, header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A titled table: the first column to the left, numbers to the right."""
    shown = [list(map(printable, cells)) for cells in (header, *rows)]
    widths = [max(map(len, column)) for column in zip(*shown, strict=True)]
    lines = [printable(title)]
    for cells in shown:
        first, *others = (
            f"{cell:<{width}}" if i == 0 else f"{cell:>{width}}"
            for i, (cell, width) in enumerate(zip(cells, widths, strict=True))
        )
        lines.append(("  " + "  ".join([first, *others])).rstrip())
    return "\n".join(lines)
