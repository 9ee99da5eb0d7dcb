"""Results folders of ACRO: `results.json` beside the CSV files of its outputs."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from noiseless.display import counted
from noiseless.errors import SourceError
from noiseless.examples import not_opened
from noiseless.tabulations.publication import Kind
from noiseless.tabulations.reading.figures import Figures
from noiseless.tabulations.reading.grids import read_grid, wide_figures
from noiseless.tabulations.reading.notation import FigureNotation

RESULTS = "results.json"
_KINDS = {"FrequencyTable": "count", "Sum": "magnitude"}
_WORDS = {"count": "counts", "magnitude": "sums"}
_NEVER, _ZEROS = "DONT_RELEASE", "PresenceOfZeroCheck"


@dataclass(frozen=True, eq=False)
class AcroOutputs:
    """The tables of a results folder that are about one quantity.

    Attributes:
        tables: those that can be read, and how their figures are written.
        notes: what was left out, and what does not fit what ACRO says of it.
    """

    tables: tuple[tuple[Figures, FigureNotation], ...]
    notes: tuple[str, ...]


def read_acro(
    folder: Path, notation: FigureNotation, kind: Kind = "count", value: str | None = None
) -> AcroOutputs:
    """The counts, or the sums of one column, of a results folder; what is not to be released is left out.

    Where ACRO suppressed cells, its totals add up those that are left: they are no true totals, and tell
    nothing about what is withheld.

    Raises:
        SourceError: the folder cannot be read, or holds no such table.
    """
    outputs = {key: output for key, output in _outputs(folder / RESULTS).items() if _is_table(key, output)}
    kinds = {key: _kind(output) for key, output in outputs.items()}
    chosen = {key: output for key, output in outputs.items() if kinds[key] == kind}
    if kind == "magnitude":
        sums = sorted({_quantity(output) for output in chosen.values()})
        if value is None and len(sums) > 1:
            raise SourceError(str(folder), f"sums up {', '.join(sums)}; choose one of them (value)")
        chosen = {key: each for key, each in chosen.items() if _quantity(each) == (value or sums[0])}
    if not chosen:
        raise SourceError(str(folder), f"holds no table of {_WORDS[kind]}")
    parts = [
        _table(folder, key, each, part, notation) for key, each in chosen.items() for part in each["files"]
    ]
    tables = tuple((replace(figures, kind=kind), how) for figures, how, _ in parts)
    notes = [note for *_, own in parts for note in own]
    if other := [key for key, own in kinds.items() if own is None]:
        notes.append(f"{', '.join(other)}: neither counts nor sums; left out")
    if other := [key for key, own in kinds.items() if own is not None and key not in chosen]:
        notes.append(f"{', '.join(other)}: another quantity, audited by itself (kind and value); left out")
    return AcroOutputs(tables, tuple(notes))


def _outputs(file: Path) -> Mapping[str, Any]:
    try:
        found = json.loads(file.read_text("utf-8-sig"))["results"]
    except OSError as error:
        raise SourceError(str(file), not_opened(file, error)) from None
    except (ValueError, KeyError, TypeError):
        found = None
    if not isinstance(found, Mapping):
        raise SourceError(str(file), "is no results file of ACRO; name the folder that finalise() wrote")
    return found


def _is_table(key: str, output: Any) -> bool:  # noqa: ANN401 - any JSON
    named = isinstance(output, Mapping) and output.get("type") == "table" and _NEVER not in key
    return named and all(isinstance(part, Mapping) and "name" in part for part in output.get("files", [None]))


def _kind(output: Mapping[str, Any]) -> str | None:
    """Counts or sums, by the first words of ACRO's summary; None for means and others."""
    return _KINDS.get(str(output.get("summary", "")).partition(":")[0].strip())


def _fair(output: Mapping[str, Any]) -> Mapping[str, Any]:
    found = output.get("fair")
    return found if isinstance(found, Mapping) else {}


def _quantity(output: Mapping[str, Any]) -> str:
    """What is added up."""
    return str(_fair(output).get("dependent"))


def _table(
    folder: Path, key: str, output: Mapping[str, Any], part: Mapping[str, Any], notation: FigureNotation
) -> tuple[Figures, FigureNotation, list[str]]:
    """One file, how its figures are written, and notes; its dimensions are those that ACRO names."""
    grid = read_grid(folder / Path(str(part["name"])).name)
    figures = wide_figures(key, grid, (), (), notation, of_pandas=True)
    dimensions = tuple(map(str, _fair(output).get("independent", [])))
    if len(dimensions) == len(figures.dimensions):
        figures = replace(figures, dimensions=dimensions)
    figures = figures.with_totals(None).checked()
    if output.get("properties", {}).get("mitigation") != "suppress":
        return figures, notation, []
    checks = part.get("sdc", {}).get("cells", {})
    flagged = {tuple(cell) for check, cells in checks.items() if check != _ZEROS for cell in cells}
    if shown := _shown(figures, flagged, notation):
        cells = counted(shown, "cells")
        return (
            figures,
            notation,
            [f"{key}: {cells} that ACRO flags and calls suppressed can be read in the file"],
        )
    return figures, replace(notation, totals="shown"), []


def _shown(figures: Figures, flagged: set[tuple[int, ...]], notation: FigureNotation) -> int:
    """How many of the flagged cells have a number; a cell is a row and a column of the file's body."""
    columns = {figures.place(cell).partition(", ")[2] for cell in range(len(figures.cells))}
    return sum(
        notation.number(cell) is not None
        for place, cell in enumerate(figures.cells.tolist())
        if divmod(place, len(columns)) in flagged
    )
