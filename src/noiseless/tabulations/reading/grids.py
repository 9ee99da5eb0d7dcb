"""Tables as people publish them: titles, header rows, labels, totals, figures and footnotes in a grid."""

import csv
import io
import re
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path

import numpy as np

from noiseless.errors import RequestError, SourceError
from noiseless.examples import not_opened
from noiseless.tables.spreadsheets import EXCEL, sheet_rows
from noiseless.tables.text_source import file_text
from noiseless.tabulations.reading.figures import MOST_CELLS, Figures
from noiseless.tabulations.reading.notation import SUPPRESSED, FigureNotation, UnreadableFigure, is_total

Grid = list[list[str]]

_SEPARATORS = (",", ";", "\t", "|")
_FOOTNOTE = re.compile(
    r"((source|note|footnote|quelle|remark)s?\b|©|\(c\) |\*+ |†|\[?\d{1,2}[\])]|[a-z]\) |marks?:)",
    re.IGNORECASE,
)
_TWO = 2
_DEEPEST = 7
"""Header rows of one table are fewer."""
_UNNAMED = re.compile(r"unnamed: \d+.*", re.IGNORECASE)


def read_grid(file: Path, sheet: str | int | None = None, encoding: str | None = None) -> Grid:
    """The rows of a text or Excel file, as they are.

    Args:
        file: the file.
        sheet: the sheet of an Excel file.
        encoding: what a text file is encoded in, if not in UTF-8.

    Raises:
        SourceError: it cannot be read.
    """
    if file.suffix.lower() in EXCEL:
        return [["" if cell is None else cell.strip() for cell in row] for row in sheet_rows(file, sheet)]
    if sheet is not None:
        raise SourceError(str(file), "has no sheets; leave the sheet out")
    try:
        text = file_text(file, encoding)
    except OSError as error:
        raise SourceError(str(file), not_opened(file, error)) from None
    try:
        rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=separator(text), strict=True))
    except csv.Error as error:
        raise SourceError(str(file), f"is not well formed ({error})") from None
    return [[cell.strip() for cell in row] for row in rows]


def separator(text: str) -> str:
    """What separates the cells of a text."""
    return max(_SEPARATORS, key=lambda each: sum(each in line for line in text.splitlines()[:50]))


@dataclass(frozen=True)
class Layout:
    """Where things stand in a grid; rows and columns count from 0.

    Attributes:
        rows: the dimensions of row labels, one a column of labels.
        columns: those of column labels, one a header row.
        header: the first header row.
        body: the rows of figures.
        is_named: whether the file names what stands above.
        notes: what was left out.
    """

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    header: int
    body: tuple[int, ...]
    is_named: bool
    notes: tuple[str, ...] = ()


def wide_figures(
    name: str,
    grid: Grid,
    rows: Sequence[str],
    columns: Sequence[str],
    notation: FigureNotation,
    *,
    totals: Container[str] = (),
    of_pandas: bool = False,
) -> Figures:
    """A table with labels at the left and above, as it was published.

    Args:
        name: what messages call it.
        grid: its rows.
        rows: the dimensions at the left; none: found by looking.
        columns: the dimensions above; none: one.
        notation: how figures are written.
        totals: labels of totals, besides the usual ones.
        of_pandas: whether pandas wrote it: then the first row is a header, and blanks are withheld.

    Raises:
        RequestError: no table can be seen in it, or a row may be read in two ways.
    """
    width = max(map(len, grid), default=0)
    grid = [[*row, *[""] * (width - len(row))] for row in grid]
    if len(grid) * width > MOST_CELLS:
        raise RequestError(f"{name}: has more than {MOST_CELLS:,} cells; read a part of it")
    layout = _layout(name, grid, rows, columns, notation)
    left = len(layout.rows)
    heads = list(zip(*_heads(grid, layout), strict=True))
    body = {row: grid[row][left:] for row in layout.body}
    kept = {
        column: whole_labels(f"{name}: column {left + column + 1}", labels, totals)
        for column, labels in enumerate(heads)
        if any(labels)
    }
    if not kept or any(cell for cells in body.values() for at, cell in enumerate(cells) if at not in kept):
        raise RequestError(f"{name}: has figures below no header; name the header rows' dimensions (cols)")
    if not (columns or of_pandas or layout.is_named):
        _check_header(name, layout, kept.values(), notation)
    spanned = [not grid[layout.header][left + column] for column in kept]
    _check_totals(name, list(kept.values()), spanned, "header rows", totals)
    entries, places = list[tuple[tuple[str, ...], str]](), list[tuple[int, int]]()
    before, sides = [""] * left, list[tuple[str, ...]]()
    for row, cells in body.items():
        before = _row_labels(name, row, grid[row][:left], before)
        sides.append(whole_labels(f"{name}: row {row + 1}", before, totals))
        if left == 1 and not (any(cells) or of_pandas or notation.blank_declared or is_total(before[0])):
            raise RequestError(
                f"{name}: row {row + 1} has a label and no figures; if it is a heading, remove the line; if "
                "a note, put a blank line above it; if its figures are withheld, declare blanks: --told "
                "suppressed="
            )
        for column, labels in kept.items():
            entries.append(((*sides[-1], *labels), cells[column]))
            places.append((row, left + column))
    _check_totals(name, sides, [not grid[row][0] for row in body], "columns of labels", totals)
    found = Figures.of(
        name,
        (*layout.rows, *layout.columns),
        entries,
        lambda cell: "row {}, column {}".format(*(place + 1 for place in places[cell])),
    )
    ends = {row for row in layout.body[-1:] if not grid[row][0]}, {left + max(kept)} if spanned[-1] else set()
    last = np.array([row in ends[0] or column in ends[1] for row, column in places], bool)
    return _single(replace(found, notes=layout.notes, spots=tuple(places), spanned=last))


def long_figures(name: str, grid: Grid, dimensions: Sequence[str], value: str) -> Figures:
    """A table with a line for each figure: its labels, and the figure.

    Raises:
        RequestError: a column is not there, or a line has no label.
    """
    start = next((row for row, cells in enumerate(grid) if value in cells), None)
    if start is None:
        raise RequestError(f"{name}: has no column {value!r}; check the header line")
    head = grid[start]
    if missing := [each for each in dimensions if each not in head]:
        raise RequestError(f"{name}: has no column {missing[0]!r}; it has {', '.join(map(repr, head))}")
    chosen, at = [head.index(each) for each in dimensions], head.index(value)
    entries, rows = list[tuple[list[str], str]](), list[int]()
    for number, cells in enumerate(grid[start + 1 :], start + 2):
        if not any(cells):
            continue
        if len(cells) != len(head):
            if number > len(grid) - 5 and _FOOTNOTE.match(cells[0]):
                continue
            raise RequestError(f"{name}: row {number} has {len(cells)} fields, the header line {len(head)}")
        labels = [cells[place] for place in chosen]
        if not all(labels):
            raise RequestError(f"{name}: row {number} has no label for {dimensions[labels.index('')]!r}")
        entries.append((labels, cells[at]))
        rows.append(number)
    found = Figures.of(name, dimensions, entries, lambda cell: f"row {rows[cell]}, column {value!r}")
    return replace(found, spots=tuple((row - 1, at) for row in rows))


def _layout(
    name: str, grid: Grid, rows: Sequence[str], columns: Sequence[str], notation: FigureNotation
) -> Layout:
    top = next((row for row, cells in enumerate(grid) if sum(map(bool, cells)) >= _TWO), None)
    if top is None:
        raise RequestError(f"{name}: holds no table: no row has two cells")
    header, above = top, len(columns) or _header_rows(grid, top)
    while header + above < len(grid) and any(below := grid[header + above]) and not below[0]:
        own = next(place for place, cell in enumerate(below) if cell)
        if sum(map(bool, grid[header][own:])) > 1:
            raise RequestError(
                f"{name}: row {header + above + 1} has no label at the left; if it is a header row, name the "
                "dimension of each of them (cols); blocks of one population side by side are several tables"
            )
        header += 1  # a line that names the dimension above its categories
    start, names = header + above, list[str]()
    if above >= _TWO and start < len(grid) and _names_below(grid[header : start + 1]):
        names = [cell for cell in grid[start] if cell]
        start += 1
    body, notes = _body(name, grid, start)
    left = len(rows) or len(names) or _label_columns(grid, body, notation)
    found = tuple(rows) or tuple(
        _last(grid[row][place] for row in range(top, start)) or ("rows" if left == 1 else f"rows {place + 1}")
        for place in range(left)
    )
    spanning = _spanning(grid, header, left)
    heads = tuple(columns) or (
        (spanning or "columns",)
        if above == 1
        else tuple(
            (names and _last(grid[header + level][:left])) or f"columns {level + 1}" for level in range(above)
        )
    )
    return Layout(found, heads, header, body, bool(names or spanning), notes)


def _last(cells: Iterable[str]) -> str:
    return next((cell for cell in reversed(list(cells)) if cell and not _UNNAMED.fullmatch(cell)), "")


def _spanning(grid: Grid, header: int, left: int) -> str:
    """The only text above the categories, which names their dimension."""
    texts = [cell for cell in grid[header - 1][left:] if cell] if header else []
    return texts[0] if len(texts) == 1 else ""


def _header_rows(grid: Grid, header: int) -> int:
    """As many as pandas writes above the line that names the index; one where there is no such line.

    Several header rows show in the first of them: a label stands there twice, or spans columns.
    """
    first = grid[header][1:]
    if len(set(first) - {""}) < len(first):
        for row in range(header + _TWO, min(header + _DEEPEST, len(grid))):
            if _names_below(grid[header : row + 1]):
                return row - header
    return 1


def _names_below(rows: Sequence[Sequence[str]]) -> bool:
    """Whether the last row holds names of labels alone, as pandas writes below several header rows.

    Where it holds names, the header rows hold none but that of their own dimension.
    """
    *upper, cells = rows
    count = next((place for place, cell in enumerate(cells) if not cell), len(cells))
    alone = 0 < count < len(cells) and not any(cells[count:]) and not _FOOTNOTE.match(cells[0])
    return alone and not any(cell for row in upper for cell in row[1:count])


def _check_header(
    name: str, layout: Layout, labels: Iterable[tuple[str, ...]], notation: FigureNotation
) -> None:
    """Refuse a header of numbers: it may be a row of figures in a file without a header."""
    texts = [label for each in labels for label in each if not is_total(label)]
    numbers = [notation.number(text) is not None for text in texts]
    if any(numbers) and all(n or t.lower() in SUPPRESSED for n, t in zip(numbers, texts, strict=True)):
        raise RequestError(
            f"{name}: row {layout.header + 1} has numbers where labels are expected; if they are labels, "
            "name their dimension (cols); if they are figures, add a header line"
        )


def _check_totals(
    name: str,
    labels: Sequence[tuple[str, ...]],
    spanned: Sequence[bool],
    where: str,
    totals: Container[str],
) -> None:
    """Refuse a total that may be of the label before it, which spans it, or of all: others have none."""
    several = [each for each in labels if len(each) > 1]
    groups = {first for first, *_ in several if not (is_total(first) or first in totals)}
    having = {first for first, *_, last in several if is_total(last) or last in totals}
    for each, below in zip(labels, spanned, strict=True):
        ends = is_total(each[-1]) or each[-1] in totals
        if below and ends and each[0] in groups and not groups <= having:
            raise RequestError(
                f"{name}: {each[-1]!r} after {each[0]!r} may be the total of {each[0]!r} or of all; write "
                f"which in all {where}"
            )


def _body(name: str, grid: Grid, start: int) -> tuple[tuple[int, ...], tuple[str, ...]]:
    """The rows of figures; what follows a blank line without any, or reads as a footnote, is none."""
    body, skipped, ended = list[int](), 0, False
    for row in range(start, len(grid)):
        cells = grid[row]
        alone = not any(cells[1:])
        if not any(cells):
            ended = bool(body)
        elif alone and (ended or _FOOTNOTE.match(cells[0])):
            skipped += 1
        else:
            body.append(row)
    if not body:
        raise RequestError(f"{name}: holds no figures below its header")
    note = f"{name}: {skipped} line{'s' * (skipped > 1)} below the table read as footnotes"
    return tuple(body), (note,) * bool(skipped)


def _label_columns(grid: Grid, body: Sequence[int], notation: FigureNotation) -> int:
    """The first column, and those next to it in which most cells are no figures."""
    count = 1
    for column in range(1, len(grid[body[0]]) - 1):
        cells = [grid[row][column] for row in body if grid[row][column]]
        if not cells or _TWO * sum(_is_figure(cell, notation) for cell in cells) >= len(cells):
            break
        count += 1
    return count


def _is_figure(cell: str, notation: FigureNotation) -> bool:
    try:
        as_it_is = replace(notation, rounded=None)
        return as_it_is.number(cell) is not None or bool(as_it_is.told(cell, Fraction(1), "magnitude"))
    except (UnreadableFigure, RequestError):
        return False


def _heads(grid: Grid, layout: Layout) -> list[list[str]]:
    """The header rows; a cell that spans several columns stands in the first of them."""
    left, levels = len(layout.rows), len(layout.columns)
    rows = [list(grid[layout.header + level][left:]) for level in range(levels)]
    for level in range(levels - 1):
        for column in range(1, len(rows[0])):
            same = all(rows[upper][column] == rows[upper][column - 1] for upper in range(level))
            if (
                not rows[level][column]
                and same
                and any(rows[below][column] for below in range(level, levels))
            ):
                rows[level][column] = rows[level][column - 1]
    return rows


def _row_labels(name: str, row: int, cells: Sequence[str], before: Sequence[str]) -> list[str]:
    """The labels of a row; what is blank at the left goes on from the row before."""
    labels = list(cells)
    for place, label in enumerate(labels):
        if label:
            break
        labels[place] = before[place]
    if not labels[0]:
        raise RequestError(f"{name}: row {row + 1} has no label at the left")
    return labels


def whole_labels(place: str, labels: Sequence[str], totals: Container[str]) -> tuple[str, ...]:
    """Where a total stands before blanks, as in pandas' margins, the blanks are totals too.

    Args:
        place: what messages call the place.
        labels: one for each dimension.
        totals: labels of totals, besides the usual ones.

    Raises:
        RequestError: another label stands before a blank.
    """
    found = list[str]()
    for label in labels:
        above = found[-1] if found else ""
        if not label and not (is_total(above) or above in totals):
            if (
                FigureNotation().number(above) is None
                and FigureNotation(decimal=",").number(above) is not None
            ):
                raise RequestError(
                    f"{place} has no label beside {above!r}; if that is a figure, declare --told decimal=,"
                )
            total = f", or if {above!r} is a total, name it as that of both dimensions (totals)" * bool(above)
            raise RequestError(f"{place} has no label{f' beside {above!r}' * bool(above)}; write it{total}")
        found.append(label or above)
    return tuple(found)


def _single(found: Figures) -> Figures:
    """Without levels above that have no name and one label: they say what is added up."""
    kept = [
        place
        for place, (name, known) in enumerate(zip(found.dimensions, found.labels, strict=True))
        if len(known) > 1 or not re.fullmatch(r"columns( \d+)?", name)
    ]
    if len(kept) == len(found.labels):
        return found
    return replace(
        found,
        dimensions=tuple(found.dimensions[place] for place in kept),
        labels=tuple(found.labels[place] for place in kept),
        codes=found.codes[:, kept],
    )
