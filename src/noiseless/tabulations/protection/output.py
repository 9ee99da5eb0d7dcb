"""Protected tables as they were read: the same file with other cells, a frame, or a line for each figure."""

import csv
import io
from collections.abc import Collection, Mapping, Sequence
from copy import copy
from fractions import Fraction
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from noiseless.errors import OutputError
from noiseless.files import written_whole
from noiseless.tables.spreadsheets import EXCEL, sheet_rows
from noiseless.tables.text_source import file_text
from noiseless.tabulations.protection.method import ProposedTables
from noiseless.tabulations.publication import UNBOUNDED, Publication, PublishedTable
from noiseless.tabulations.reading.grids import read_grid, separator
from noiseless.tabulations.reading.request import TableSource

_FLAT = 2
_VALUE = "value"
WITHHELD = "x"
"""The one mark for all figures that are withheld, sensitive or not."""


def figure_texts(proposal: ProposedTables) -> list[str | None]:
    """How every figure is written; None where it stays as it was."""
    if proposal.written is not None:
        return list(proposal.written)
    publication = proposal.publication
    ends = zip(publication.told_lower.tolist(), publication.told_upper.tolist(), strict=True)
    return [None if low == high else _range(low, high, publication) for low, high in ends]


def _range(lower: int, upper: int, publication: Publication) -> str:
    step = publication.step
    if upper >= UNBOUNDED:
        return WITHHELD if lower <= 0 else f"{number_of(lower, step)}+"
    joint = " to " if lower < 0 else "-"
    return f"{number_of(lower, step)}{joint}{number_of(upper, step)}"


def number_of(steps: int, step: Fraction) -> str:
    """A number of steps as a decimal."""
    value, places = steps * step, 0
    while (value * 10**places).denominator > 1:
        places += 1
    whole, rest = divmod(abs(int(value * 10**places)), 10**places)
    return "-" * (value < 0) + (f"{whole}.{rest:0{places}d}" if places else str(whole))


def write_protected(
    proposal: ProposedTables, sources: Sequence[TableSource], out: Path, kept: Collection[Path] = ()
) -> tuple[Path, ...]:
    """Write what may be published: one table to a file, several into a folder, each as it was read.

    Args:
        proposal: what may be published.
        sources: the tables as they were read.
        out: the file, or the folder where there are several tables.
        kept: files that must not be written over.

    Raises:
        OutputError: it cannot be written there.
    """
    written, several = list[Path](), len(proposal.publication.tables) > 1
    if several:
        out.mkdir(exist_ok=True)
    names = [source.file.name for source in sources if source.file is not None]
    for number, table in enumerate(proposal.publication.tables):
        own = _texts_of(proposal, number)
        source = sources[number] if len(sources) == len(proposal.publication.tables) else None
        same = source is not None and _is_same(source, proposal, number)
        file = source.file if same and source is not None else None
        name = f"{table.name}{'.csv' if file is None else file.suffix}"
        if file is not None and names.count(file.name) == 1:
            name = file.name
        path = out / name if several else out
        if file is None and path.suffix.lower() in EXCEL:
            raise OutputError(str(path), "what is no longer as it was read is text; let the name end in .csv")
        with written_whole(path, kept) as part:
            if same and source is not None and source.figures.spots is not None:
                _rewrite(source, own, part, path)
            elif _is_written_as_grid(source, table):
                _grid(proposal.publication, number, own, part)
            else:
                _lines(proposal.publication, number, own, source, part)
        written.append(path)
    return tuple(written)


def reading_of(proposal: ProposedTables, source: TableSource) -> dict[str, list[str]]:
    """The options that read what is written of a single table, where it is not the file that was read."""
    (table,) = proposal.publication.tables
    if source.file is not None and source.figures.spots is not None and _is_same(source, proposal, 0):
        return {}
    if _is_written_as_grid(source, table):
        return {"rows": [table.dimensions[0]], "cols": [table.dimensions[1]]}
    return {"rows": list(table.dimensions), "cols": [], "value": [source.value or _VALUE]}


def _is_written_as_grid(source: TableSource | None, table: PublishedTable) -> bool:
    return source is not None and source.value is None and _is_grid(table)


def _texts_of(proposal: ProposedTables, number: int) -> list[str | None]:
    """How the figures of a table are written."""
    tables = proposal.publication.tables
    first = sum(map(len, tables[:number]))
    return figure_texts(proposal)[first : first + len(tables[number])]


def _is_same(source: TableSource, proposal: ProposedTables, number: int) -> bool:
    """Whether a table has the cells that were read, in their order, perhaps with more at its end.

    Those were left out, and are still read as 0: they are not withheld, nor rounded.
    """
    figures, table = source.figures, proposal.publication.tables[number]
    many = len(figures.cells)
    if figures.dimensions != table.dimensions or many > len(table):
        return False
    if any(text is not None for text in _texts_of(proposal, number)[many:]):
        return False
    return all(figures.coordinates(place) == table.coordinates(place) for place in {0, many - 1})


def _rewrite(source: TableSource, texts: Sequence[str | None], part: Path, path: Path) -> None:
    """The file with other cells."""
    assert source.figures.spots is not None and source.file is not None  # noqa: S101, PT018 - as called
    changed = {
        spot: text.replace(".", source.decimal)
        for spot, text in zip(source.figures.spots, texts, strict=False)
        if text is not None
    }
    excel = source.file.suffix.lower() in EXCEL
    if path.suffix.lower() in EXCEL:
        if not excel:
            raise OutputError(str(path), "a text file is written as text; let the name end in .csv")
        _rewrite_excel(source, changed, part, path)
        return
    if excel:
        mark, rows = ",", read_grid(source.file, source.sheet)
    else:
        text = file_text(source.file, source.encoding)
        mark = separator(text)
        rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=mark, strict=True))
    for (row, column), cell in changed.items():
        rows[row] += [""] * (column + 1 - len(rows[row]))
        rows[row][column] = cell
    with part.open("w", encoding="utf-8", newline="") as out:
        csv.writer(out, delimiter=mark, lineterminator="\n").writerows(rows)


def _rewrite_excel(
    source: TableSource, changed: Mapping[tuple[int, int], str], part: Path, path: Path
) -> None:
    """The sheet with other cells, in a workbook of its own that reads as it should."""
    try:
        from openpyxl import Workbook, load_workbook
    except ImportError:
        raise OutputError(
            str(path),
            "Excel files are written by openpyxl; pip install 'noiseless[excel]', or name a .csv",
        ) from None
    assert source.file is not None  # noqa: S101 - as called
    if path.suffix.lower() != ".xlsx" or source.file.suffix.lower() not in {".xlsx", ".xlsm"}:
        raise OutputError(str(path), "only .xlsx files are written, from .xlsx and .xlsm; or name a .csv")
    old, new = load_workbook(source.file, data_only=True, keep_links=False), Workbook()
    names = [source.sheet] if isinstance(source.sheet, str) else old.sheetnames[source.sheet or 0 :]
    _copy_sheet(old[names[0]], new.active, changed)
    with part.open("wb") as out:
        new.save(out)
    if _filled(sheet_rows(part)) != {**_filled(read_grid(source.file, source.sheet)), **changed}:
        raise OutputError(str(path), "the sheet cannot be written as it was read; name a .csv")


def _copy_sheet(old: Any, new: Any, changed: Mapping[tuple[int, int], str]) -> None:  # noqa: ANN401 - openpyxl's
    """The values of a sheet and their looks; formulas, comments and pivot tables can hold what is withheld.

    The grid that was read begins at the first row and column with a value.
    """
    cells = [cell for row in old.iter_rows() for cell in row if cell.value is not None or cell.has_style]
    filled = [cell for cell in cells if cell.value is not None]
    top, left = min(cell.row for cell in filled), min(cell.column for cell in filled)
    for cell in cells:
        value = changed.get((cell.row - top, cell.column - left), cell.value)
        written = new.cell(cell.row, cell.column, value)
        for look in ("font", "fill", "border", "alignment", "number_format"):
            setattr(written, look, copy(getattr(cell, look)))
    for name, column in old.column_dimensions.items():
        new.column_dimensions[name].width = column.width
    for merged in old.merged_cells.ranges:
        new.merge_cells(str(merged))
    new.title = old.title


def _filled(grid: Sequence[Sequence[str | None]]) -> dict[tuple[int, int], str]:
    """The cells that are not blank."""
    return {
        (row, column): cell.strip()
        for row, cells in enumerate(grid)
        for column, cell in enumerate(cells)
        if cell and cell.strip()
    }


def _is_grid(table: PublishedTable) -> bool:
    """Whether it has two dimensions, and a figure for each combination of labels."""
    return len(table.dimensions) == _FLAT and len(table) == prod(map(len, table.labels))


def _grid(publication: Publication, number: int, texts: Sequence[str | None], part: Path) -> None:
    """Labels at the left and above, in a text file."""
    table = publication.tables[number]
    cells = np.empty(tuple(map(len, table.labels)), object)
    for place, text in enumerate(texts):
        exact = number_of(int(table.lower[place]), publication.step)
        cells[tuple(table.codes[place])] = exact if text is None else text
    with part.open("w", encoding="utf-8", newline="") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow([table.dimensions[0], *table.labels[1]])
        writer.writerows([label, *row] for label, row in zip(table.labels[0], cells.tolist(), strict=True))


def _lines(
    publication: Publication, number: int, texts: Sequence[str | None], source: TableSource | None, part: Path
) -> None:
    """A line for each figure, in a text file."""
    table = publication.tables[number]
    value = _VALUE if source is None or source.value is None else source.value
    with part.open("w", encoding="utf-8", newline="") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow([*table.dimensions, value])
        for place, text in enumerate(texts):
            exact = number_of(int(table.lower[place]), publication.step)
            writer.writerow([*table.coordinates(place), exact if text is None else text])


def protected_frame(proposal: ProposedTables, source: TableSource, number: int = 0) -> Any:  # noqa: ANN401
    """A pandas crosstab with what may be published: numbers as they were, and texts in place of others.

    Raises:
        OutputError: the table was not read from a crosstab.
    """
    frame = source.frame
    if frame is None or frame.size != len(source.figures.cells) or not _is_same(source, proposal, number):
        raise OutputError("frame", "no crosstab was read that has a place for each figure; write a file")
    made = frame.astype(object).copy()
    cells = np.array(made.to_numpy(), object).ravel()
    for place, text in enumerate(_texts_of(proposal, number)[: len(cells)]):
        if text is not None:
            cells[place] = text
    made.loc[:, :] = cells.reshape(made.shape)
    return made
