"""What an audit is asked about: a publication that was read, its rules, and the records behind it."""

from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from noiseless.errors import RequestError, SourceError
from noiseless.tables.spreadsheets import EXCEL
from noiseless.tables.text_source import TextSource
from noiseless.tabulations.audit import TabulationAudit
from noiseless.tabulations.audit import audit_tables as audit_publication
from noiseless.tabulations.magnitudes import ContributorAmounts
from noiseless.tabulations.publication import Publication, Targets
from noiseless.tabulations.reading.acro import RESULTS, read_acro
from noiseless.tabulations.reading.assembly import Declared, publication_of
from noiseless.tabulations.reading.figures import Figures
from noiseless.tabulations.reading.frames import frame_figures
from noiseless.tabulations.reading.grids import long_figures, read_grid, wide_figures
from noiseless.tabulations.reading.hierarchy_files import Parents, parents_of, read_hierarchy
from noiseless.tabulations.reading.microdata import (
    RecordHoldings,
    contributions_of,
    made_figures,
    read_holdings,
)
from noiseless.tabulations.reading.notation import FigureNotation
from noiseless.tabulations.reading.specification import (
    Specification,
    TableSpecification,
    TabulatedPopulation,
)

_COLUMNAR = frozenset({".parquet", ".pq", ".jsonl", ".ndjson", ".json"})
"""The endings of files that name their columns and have no header rows."""
_TABLE_KEYS = frozenset(TableSpecification.model_fields) - {"file", "frame"}


@dataclass(frozen=True, eq=False)
class TableSource:
    """Where the figures of one table came from.

    Attributes:
        figures: the table as it was read; its cells are the first figures of the published table.
        file: the file; None if there is none.
        sheet: the sheet of an Excel file.
        frame: the frame; None if there is none.
        value: what figures are of, where each line is one.
        encoding: what the file is encoded in, if not in UTF-8.
        decimal: the sign before decimals.
    """

    figures: Figures
    file: Path | None = None
    sheet: str | int | None = None
    frame: Any = None
    value: str | None = None
    encoding: str | None = None
    decimal: str = "."


@dataclass(frozen=True, eq=False)
class TabulationRequest:
    """A publication and what is asked about it.

    Attributes:
        publication: the figures and what they tell.
        rules: the disclosure rules that cells must keep, by name.
        contributions: who contributes what, where there are records.
        notes: what was assumed while reading; for people.
        files: the files it was read from.
        open_tables: the tables whose left out combinations are withheld; of others they are read as 0.
        quantity: what is added up; empty for counts.
        recount: who contributes what to the base cells of another publication of the same records.
        population: whom the tables are about, and how these differ from those before them.
        sources: the tables as they were read, in the order of the publication.
    """

    publication: Publication
    rules: Mapping[str, Any]
    contributions: ContributorAmounts | None = None
    notes: tuple[str, ...] = ()
    files: tuple[Path, ...] = ()
    open_tables: frozenset[str] = frozenset()
    quantity: str = ""
    recount: Callable[[Publication], ContributorAmounts | None] | None = None
    population: TabulatedPopulation = field(default_factory=TabulatedPopulation)
    sources: tuple[TableSource, ...] = ()

    def audit(
        self,
        *,
        secret: str | None = None,
        targets: Targets | None = None,
        time_limit: float | None = None,
        sharp: bool = True,
    ) -> TabulationAudit:
        """What the publication gives away; arguments as `noiseless.tabulations.audit_tables` has them."""
        rules = dict(self.rules)
        declared = rules.pop("secret", None)
        found = audit_publication(
            self.publication,
            secret=declared if secret is None else secret,
            rules=rules or None,
            contributions=self.contributions,
            targets=targets,
            time_limit=time_limit,
            sharp=sharp,
        )
        return replace(found, notes=self.notes)


def read_request(
    source: Any,  # noqa: ANN401 - any frame
    *,
    reveal: bool = False,
    whole: bool = False,
    **declared: Any,  # noqa: ANN401 - keys of a file
) -> TabulationRequest:
    """Read what a user points at.

    Args:
        source: a TOML file, a CSV or Excel file, ACRO's results folder, a frame; several tables in a list, or
            by name in a mapping; a publication; or None, where the table is made from microdata.
        reveal: call contributors as the records do; by numbers otherwise.
        whole: keep levels of hierarchies that no table shows, for other tables that may show them.
        declared: what `TableSpecification` and `Specification` hold: rows, cols, value, totals, kind, told,
            hierarchy, bounds, step, rules, and so on.

    Raises:
        NoiselessError: something cannot be read; one line says what and where.
    """
    given = {key: value for key, value in declared.items() if value is not None}
    if isinstance(source, Publication):
        if unused := [key for key in given if key != "rules"]:
            raise RequestError(f"{unused[0]}: a publication says that itself")
        names = frozenset(table.name for table in source.tables)
        return TabulationRequest(
            source,
            given.get("rules", {}),
            open_tables=names,
            population=TabulatedPopulation(id=source.population),
        )
    if isinstance(source, str | Path):
        path = Path(source)
        if path.is_dir():
            return _read_folder(path, given, whole=whole)
        if path.suffix.lower() == ".toml":
            if unused := [key for key in given if key in _TABLE_KEYS - {"told"}]:
                raise RequestError(f"{path}: says {unused[0]!r} of each table itself; write it there")
            return _read(Specification.read(path, given), reveal=reveal, whole=whole)
    tables = _tables(source)
    own = {key: given.pop(key) for key in list(given) if key in _TABLE_KEYS - {"told"}}
    if len(tables) > 1 and (single := [key for key in own if key in ("name", "microdata", "value")]):
        raise RequestError(f"{single[0]}: is said of one table; describe several in a TOML file")
    specification = Specification.of("tables", {"table": [{**own, **table} for table in tables], **given})
    return _read(specification, reveal=reveal, whole=whole, shared=len(tables) > 1)


def _tables(source: Any) -> list[dict[str, Any]]:  # noqa: ANN401 - any frame
    if source is None:
        return [{}]
    several = source if isinstance(source, list | tuple) else [source]
    named = list(source.items()) if isinstance(source, Mapping) else [(None, each) for each in several]
    found = list[dict[str, Any]]()
    for name, each in named:
        part = {"file": str(each)} if isinstance(each, str | Path) else {"frame": each}
        found.append(part if name is None else {**part, "name": str(name)})
    return found


def _read(
    specification: Specification, *, reveal: bool, whole: bool, shared: bool = False
) -> TabulationRequest:
    """Read all tables; with `shared`, what is said of dimensions is said of the tables that have them."""
    tables, files, folder = list[tuple[Figures, FigureNotation]](), list[Path](), specification.folder
    bounds = specification.bounds or (Fraction(0), None)
    hierarchies = {
        name: _parents(name, each, folder, specification.encoding)
        for name, each in specification.hierarchy.items()
    }
    for number, table in enumerate(specification.table, 1):
        name = table.name or (Path(table.file).stem if table.file else f"table {number}")
        if name in {figures.name for figures, _ in tables}:
            name = f"{name} ({number})"
        notation = FigureNotation.of({**specification.told, **table.told}, lowest=bounds[0])
        if table.below is not None:  # of figures before they are rounded
            marks = {f"<{table.below}": f"1-{table.below - 1}"} if table.below > 1 else {}
            notation = replace(notation, marks={**notation.marks, **marks})
        figures = _figures(name, table, notation, specification, hierarchies)
        files += [folder / each for each in (table.file, table.microdata) if isinstance(each, str)]
        figures = replace(figures.fixed(table.where), kind=table.kind)
        tables.append((figures, notation))
    known = {name for figures, _ in tables for name in figures.dimensions}
    tables = [
        (_described(figures, table, known if shared else set()).checked(), notation)
        for table, (figures, notation) in zip(specification.table, tables, strict=True)
    ]
    declared = Declared(hierarchies, bounds, specification.step, specification.population.id, whole)
    publication, notes = publication_of(tables, declared)

    def recount(other: Publication) -> ContributorAmounts | None:
        held = _holdings(specification, other)
        return None if held is None else contributions_of(other, held, hierarchies, reveal=reveal)

    return TabulationRequest(
        publication,
        specification.rules,
        recount(publication),
        notes,
        tuple(files),
        _open_tables(tables),
        next((each.value or "" for each in specification.table if each.kind == "magnitude"), ""),
        recount if any(each.microdata is not None for each in specification.table) else None,
        specification.population,
        tuple(
            TableSource(
                figures,
                None if each.file is None else folder / each.file,
                each.sheet,
                each.frame,
                each.value,
                specification.encoding,
                notation.decimal,
            )
            for each, (figures, notation) in zip(specification.table, tables, strict=True)
        ),
    )


def _open_tables(tables: Sequence[tuple[Figures, FigureNotation]]) -> frozenset[str]:
    return frozenset(figures.name for figures, notation in tables if notation.absent != "zero")


def _holdings(specification: Specification, publication: Publication) -> RecordHoldings | None:
    """Who contributes what to the base cells of all tables, from the first records that are named."""
    table = next((each for each in specification.table if each.microdata is not None), None)
    if table is None:
        return None
    dimensions = [each.name for each in publication.used]
    decimal = FigureNotation.of({**specification.told, **table.told}).decimal
    records = _records(table, specification)
    return read_holdings(records, dimensions, _summed(table), table.unit, decimal=decimal)


def _records(table: TableSpecification, specification: Specification) -> Any:  # noqa: ANN401 - any frame
    if not isinstance(table.microdata, str):
        return table.microdata
    file = specification.folder / table.microdata
    is_text = file.suffix.lower() not in {*EXCEL, *_COLUMNAR}
    return TextSource(str(file), specification.encoding) if is_text and specification.encoding else file


def _summed(table: TableSpecification) -> str | None:
    """The column that is added up; None where records are counted."""
    if table.kind == "magnitude" and table.value is None:
        raise RequestError("value: name the column of the records that is added up")
    return table.value if table.kind == "magnitude" else None


def _described(figures: Figures, table: TableSpecification, elsewhere: AbstractSet[str]) -> Figures:
    """With what is said of its dimensions, and without what is said of those of other tables."""
    others = elsewhere - set(figures.dimensions)
    totals: Mapping[str, str | None] | Sequence[str] | None = table.totals
    if isinstance(totals, Mapping):
        totals = {name: label for name, label in totals.items() if name not in others}
    elif totals is not None:
        totals = [name for name in totals if name not in others]
    flat = tuple(name for name in table.flat if name not in others)
    if table.microdata is not None and table.file is None and table.frame is None:  # made from the records
        totals, flat = figures.dimensions if totals is None else totals, (*flat, *figures.dimensions)
    if unknown := [name for name in flat if name not in figures.dimensions]:
        raise RequestError(f"{figures.name}: flat names {unknown[0]!r}, which is no dimension of the table")
    return replace(figures.with_totals(totals), flat=flat)


def _figures(
    name: str,
    table: TableSpecification,
    notation: FigureNotation,
    specification: Specification,
    hierarchies: Mapping[str, Parents],
) -> Figures:
    dimensions = (*table.rows, *table.cols)
    if table.microdata is None and (table.below is not None or table.unit is not None):
        raise RequestError(f"{name}: below and unit are for tables with microdata; leave them out")
    totals = table.totals.values() if isinstance(table.totals, Mapping) else ()
    named = frozenset(label for label in totals if label is not None)
    if table.frame is not None:
        value = table.value if table.microdata is None else None
        return frame_figures(name, table.frame, table.rows, table.cols, value, totals=named)
    if table.file is None:
        if table.microdata is None:
            raise RequestError(
                f'{name}: has no figures; write file = "table.csv" or microdata = "records.csv"'
            )
        if not dimensions:
            raise RequestError(
                f"{name}: name the columns of the records that make its rows and columns (--rows, --cols)"
            )
        records = _records(table, specification)
        held = read_holdings(records, dimensions, _summed(table), table.unit, decimal=notation.decimal)
        totalled = dimensions if table.totals is None else tuple(table.totals)
        return made_figures(name, held, totalled, hierarchies, notation=notation, below=table.below)
    file = specification.folder / table.file
    if not file.is_file():
        raise SourceError(str(file), "there is no such file; check the name and the folder")
    if file.suffix.lower() in _COLUMNAR:
        return frame_figures(
            name, file, table.rows, table.cols, table.value if table.microdata is None else None
        )
    grid = read_grid(file, table.sheet, specification.encoding)
    if table.value is not None and table.microdata is None:
        return long_figures(name, grid, dimensions, table.value)
    return wide_figures(name, grid, table.rows, table.cols, notation, totals=named)


def _parents(
    name: str,
    source: Any,  # noqa: ANN401 - a file or rows
    folder: Path,
    encoding: str | None = None,
) -> Parents:
    if isinstance(source, Mapping):
        return parents_of(f"hierarchy of {name!r}", [(each, *above) for each, above in source.items()])
    if isinstance(source, str | Path):
        return read_hierarchy(folder / source, encoding)
    return parents_of(f"hierarchy of {name!r}", source)


def _read_folder(folder: Path, given: Mapping[str, Any], *, whole: bool) -> TabulationRequest:
    """The tables of one kind in ACRO's results folder, as one publication."""
    if not (folder / RESULTS).is_file():
        raise SourceError(
            str(folder), f"has no {RESULTS}; name a file, or the folder that ACRO's finalise() wrote"
        )
    of_tables = ("kind", "value", "totals", "flat")
    if unused := [
        key for key in given if key not in (*of_tables, "told", "rules", "hierarchy", "bounds", "step")
    ]:
        raise RequestError(f"{unused[0]}: ACRO says that of its tables itself")
    own = Specification.of(
        str(folder),
        {"table": [{key: given[key] for key in ("totals", "flat") if key in given}]}
        | {key: value for key, value in given.items() if key not in of_tables},
    )
    bounds = own.bounds or (Fraction(0), None)
    found = read_acro(
        folder,
        FigureNotation.of(own.told, lowest=bounds[0]),
        given.get("kind", "count"),
        given.get("value"),
    )
    hierarchies = {name: _parents(name, source, Path()) for name, source in own.hierarchy.items()}
    known = {name for figures, _ in found.tables for name in figures.dimensions}
    tables = [(_described(figures, own.table[0], known), notation) for figures, notation in found.tables]
    publication, notes = publication_of(tables, Declared(hierarchies, bounds, own.step, whole=whole))
    files = tuple(folder / RESULTS for _ in found.tables[:1])
    return TabulationRequest(
        publication,
        own.rules,
        None,
        (*found.notes, *notes),
        files,
        _open_tables(found.tables),
        str(given.get("value") or ""),
    )
