"""`noiseless release`: a sanitised table, and a certificate that anyone can check."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from noiseless.cli.options import (
    Format,
    FormatOption,
    MissingValues,
    NamesOption,
    print_json,
    say,
    split_names,
)
from noiseless.errors import RequestError

if TYPE_CHECKING:
    from noiseless.releases import ReleaseRequest

HELP = """Publish columns so that a sensitive one stays hidden, changing them as little as possible.

Examples:

  noiseless release heart.csv --sensitive age --public chol --min-posterior 5 -o released.csv
  --certificate certificate.json

  noiseless release adult.csv --sensitive salary --public age --public country --hierarchy country=country.csv
  --codeword interval --max-leakage 1 --suppress 0.02 -o released.parquet --certificate certificate.json

  noiseless release --config release.toml
"""


FILES = ("table", "out", "certificate", "html", "compare_with", "plot")
"""Options that name files; all others say what is asked for."""


class Objective(StrEnum):
    """What is to be small."""

    leakage = "leakage"
    maximin = "maximin"
    both = "both"


class Utility(StrEnum):
    """What is to be kept."""

    resolution = "resolution"
    distortion = "distortion"


class Method(StrEnum):
    """How cells are chosen."""

    auto = "auto"
    greedy = "greedy"
    exact = "exact"


class Codeword(StrEnum):
    """What is released for numbers that are merged."""

    midrange = "midrange"
    centroid = "centroid"
    medoid = "medoid"
    interval = "interval"


class Distance(StrEnum):
    """How the differences of several columns make one number."""

    absolute = "absolute"
    euclidean = "euclidean"
    max = "max"
    gower = "gower"
    hamming = "hamming"
    discrete = "discrete"


class HierarchyCost(StrEnum):
    """What a node of a hierarchy counts."""

    height = "height"
    leaves = "leaves"


TableArgument = Annotated[
    str | None,
    typer.Argument(
        metavar="[TABLE]",
        help="CSV, TSV, JSON-lines, Parquet or Excel file, a glob, or duckdb:///file.db::table.",
    ),
]
SensitiveOption = Annotated[
    list[str] | None, typer.Option("--sensitive", metavar="COLUMN", help="A column to hide.")
]
PublicOption = Annotated[
    list[str] | None,
    typer.Option("--public", metavar="COLUMN", help="A column to publish, merged as far as needed."),
]
GivenOption = Annotated[
    list[str] | None,
    typer.Option("--given", metavar="COLUMN", help="A column that the adversary knows from elsewhere."),
]
KeepOption = Annotated[
    list[str] | None,
    typer.Option("--keep", metavar="COLUMN", help="A column to publish as it is; it counts as seen."),
]
ObjectiveOption = Annotated[
    Objective | None,
    typer.Option("--objective", help="What is to be small: leakage (the default), maximin, or both."),
]
UtilityOption = Annotated[
    Utility | None,
    typer.Option(
        "--utility", help="What is to be kept: little distortion (the default), or much resolution."
    ),
]
MethodOption = Annotated[
    Method | None, typer.Option("--method", help="The best of what applies (auto), greedy, or exact.")
]
CodewordOption = Annotated[
    Codeword | None,
    typer.Option("--codeword", help="What is released for merged numbers: midrange by default."),
]
DistanceOption = Annotated[
    Distance | None,
    typer.Option("--distance", help="How the differences of several columns make one number."),
]
HierarchyOption = Annotated[
    list[str] | None,
    typer.Option(
        "--hierarchy", metavar="COL=FILE", help="A tree for a column: rows of value,level 1,...,top."
    ),
]
HierarchyCostOption = Annotated[
    HierarchyCost | None,
    typer.Option("--hierarchy-cost", help="A node counts its height (the default), or its other leaves."),
]
ColumnWeightOption = Annotated[
    list[str] | None,
    typer.Option(
        "--column-weight", metavar="COL=W", help="What a difference in a column counts; 1 if not given."
    ),
]
SpanOption = Annotated[
    list[str] | None,
    typer.Option(
        "--span", metavar="COL=LO:HI", help="A column's range, which the distance gower divides by."
    ),
]
NumericOption = Annotated[
    list[str] | None,
    typer.Option("--numeric", metavar="COLUMN", help="A public column of text to read as numbers."),
]
CategoricalOption = Annotated[
    list[str] | None,
    typer.Option("--categorical", metavar="COLUMN", help="A public column of numbers to take as categories."),
]
MissingOption = Annotated[
    MissingValues | None,
    typer.Option(
        "--missing", help="A missing value is one ordinary value, its row is left out, or an error."
    ),
]
DistinctOption = Annotated[
    bool | None, typer.Option("--distinct-rows", help="Drop exact duplicates of whole rows first.")
]
ConfigOption = Annotated[
    Path | None,
    typer.Option("--config", metavar="FILE", help="A TOML file with any of these options; they override it."),
]
HtmlOption = Annotated[
    Path | None, typer.Option("--html", metavar="OUT", help="Write a self-contained report.")
]


def release_command(
    *,
    table: TableArgument = None,
    sensitive: SensitiveOption = None,
    public: PublicOption = None,
    given: GivenOption = None,
    keep: KeepOption = None,
    objective: ObjectiveOption = None,
    utility: UtilityOption = None,
    weight: Annotated[
        str | None,
        typer.Option("--weight", metavar="L", help="Weigh utility against leakage instead of a target."),
    ] = None,
    min_posterior: Annotated[
        int | None,
        typer.Option("--min-posterior", metavar="K", help="The fewest sensitive values behind an answer."),
    ] = None,
    max_leakage: Annotated[
        str | None, typer.Option("--max-leakage", metavar="B", help="The most bits that may leak, L0.")
    ] = None,
    max_maximin: Annotated[
        str | None,
        typer.Option("--max-maximin", metavar="B", help="The most bits that may be told for certain, I*."),
    ] = None,
    max_distortion: Annotated[
        str | None,
        typer.Option("--max-distortion", metavar="D", help="The furthest that a value may be moved."),
    ] = None,
    min_resolution: Annotated[
        str | None,
        typer.Option("--min-resolution", metavar="B", help="The fewest bits of the public columns to keep."),
    ] = None,
    suppress: Annotated[
        str | None,
        typer.Option("--suppress", metavar="SHARE", help="The share of rows that may be released as *."),
    ] = None,
    method: MethodOption = None,
    codeword: CodewordOption = None,
    distance: DistanceOption = None,
    hierarchy: HierarchyOption = None,
    hierarchy_cost: HierarchyCostOption = None,
    column_weight: ColumnWeightOption = None,
    span: SpanOption = None,
    numeric: NumericOption = None,
    categorical: CategoricalOption = None,
    missing: MissingOption = None,
    distinct_rows: DistinctOption = None,
    keep_order: Annotated[
        bool | None,
        typer.Option("--keep-order", help="Leave the rows in the table's order, which tells something too."),
    ] = None,
    config: ConfigOption = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="OUT", help="The released table.")
    ] = None,
    certificate: Annotated[
        Path | None, typer.Option("--certificate", metavar="CERT", help="The certificate (JSON).")
    ] = None,
    html: HtmlOption = None,
    compare_with: Annotated[
        Path | None,
        typer.Option(
            "--compare-with",
            metavar="CERT",
            help="Another release's certificate, to show beside it (--html).",
        ),
    ] = None,
    names: NamesOption = None,
    output: FormatOption = Format.text,
) -> int:
    """Make the release, write what was asked for, and say what it gives away and keeps."""
    options = {name: value for name, value in locals().items() if name not in ("config", "output", "names")}
    asked = merged_options(config, options, names)
    files = {name: asked.pop(name, None) for name in FILES}
    request = checked_request(asked)
    source = required_table(files["table"])
    if files["out"] is None:
        raise RequestError("name the file to write: -o OUT")
    outputs = [Path(files[name]) for name in ("out", "certificate", "html") if files[name] is not None]
    compared = _compared(files["compare_with"], files["html"])
    check_outputs(outputs, source, request, [config, files["compare_with"]])
    _release(source, request, files, compared, output)
    return 0


def _compared(certificate: Path | None, html: Path | None) -> Mapping[str, Any] | None:
    """The certificate of a release to show beside this one.

    Raises:
        NoiselessError: it is no certificate, or there is no page to show it on.
    """
    if certificate is None:
        return None
    if html is None:
        raise RequestError("two releases are compared on a page; name it (--html OUT)")
    from noiseless.verification.reading import read_certificate

    return read_certificate(certificate)


def _release(
    source: str,
    request: "ReleaseRequest",
    files: Mapping[str, Any],
    compared: Mapping[str, Any] | None,
    output: Format,
) -> None:
    from noiseless.releases import make_release
    from noiseless.releases.writing import check_release_outputs

    out, certificate, html = files["out"], files["certificate"], files["html"]
    check_release_outputs(out, certificate, [Path(source)])
    with progress_bar("choosing cells") as tell:
        done = make_release(source, request, tell)
    page = None
    if html is not None:
        from noiseless.reports import render_release

        with progress_bar("surveying other releases") as tell:
            page = render_release(done, done.frontier(tell), compared)
    done.save(out, certificate=certificate)
    if html is not None and page is not None:
        write_page(html, page, done.sources)
    if output is Format.json:
        written = {"out": out, "certificate": certificate, "html": html}
        print_json({**done.to_dict(), **{name: path and str(path) for name, path in written.items()}})
        return
    from noiseless.reports.release_text import release_text

    listed = [f"Written: {out}" + (f", certified by {certificate}" if certificate else "")]
    listed += [f"Report: {html}"] if html else []
    say("\n".join([release_text(done), "", *listed]))


def write_page(path: Path, page: str, sources: Sequence[Path] = ()) -> None:
    """Write a report, whole or not at all, and over none of the sources."""
    from noiseless.tables import written_whole

    with written_whole(path, sources) as part:
        part.write_text(page, "utf-8", newline="\n")


def required_table(source: Any) -> str:  # noqa: ANN401 - from a file or from the command line
    """The table that is named.

    Raises:
        RequestError: none is.
    """
    if source is None:
        raise RequestError("no table is named; give a file, or `table` in the --config file")
    return str(source)


def check_outputs(
    outputs: Sequence[Path], source: str, request: "ReleaseRequest", others: Sequence[Path | None] = ()
) -> None:
    """Check before long work that every file can be written, and that none is another one or is read.

    Args:
        outputs: the files to write.
        source: the table: a file, a pattern for several, or a database.
        request: it names hierarchies.
        others: further files that are read.

    Raises:
        NoiselessError: one cannot be.
    """
    from noiseless.tables import check_output, open_table

    names = None if request.names is None else list(request.names)
    tables = open_table(source, names=names).files if outputs else ()
    read = {path.resolve() for path in (*request.files, *others) if path is not None}
    for place, path in enumerate(outputs):
        check_output(path, [Path(source), *tables])
        if path.resolve() in read:
            raise RequestError(f"{path} is read by this very command; write to another file")
        if path.resolve() in {other.resolve() for other in outputs[:place]}:
            raise RequestError(f"{path} cannot hold two things; name another file for one of them")


def checked_request(asked: Mapping[str, Any]) -> "ReleaseRequest":
    """The request that options make.

    Raises:
        RequestError: a value is wrong.
    """
    from noiseless.releases import ReleaseRequest

    request = ReleaseRequest.of(asked)
    request.check_columns()
    return request


def merged_options(config: Path | None, options: Mapping[str, Any], names: str | None) -> dict[str, Any]:
    """The options of a file, and over them those of the command line."""
    from pydantic import create_model

    from noiseless.releases import ReleaseRequest, read_config

    file = create_model(
        "ReleaseFile",
        __base__=ReleaseRequest,
        table=(str | None, None),
        out=(Path | None, None),
        certificate=(Path | None, None),
        html=(Path | None, None),
        compare_with=(Path | None, None),
        plot=(Path | None, None),
    )
    found = {} if config is None else read_config(config, file)
    given = {name: _plain(name, value) for name, value in options.items() if value not in (None, [])}
    for name in ("hierarchy", "column_weight", "span"):
        if name in given:
            given[name] = found.get(name, {}) | given[name]
    if names is not None:
        given["names"] = split_names(names)
    return found | given


def _plain(name: str, value: Any) -> Any:  # noqa: ANN401 - whatever an option holds
    if isinstance(value, StrEnum):
        return value.value
    if name in ("hierarchy", "column_weight", "span"):
        return dict(_assigned(f"--{name.replace('_', '-')}", text) for text in value)
    return value


def _assigned(option: str, text: str) -> tuple[str, str]:
    """COL=VALUE in its two parts; the column's name may hold = itself."""
    column, sign, value = text.rpartition("=")
    if not sign or not column or not value:
        shape = {"--hierarchy": "COL=FILE", "--span": "COL=LO:HI"}.get(option, "COL=NUMBER")
        raise RequestError(f"{option} {text!r} is not {shape}")
    return column, value


@contextmanager
def progress_bar(what: str) -> Iterator[Callable[[float], None] | None]:
    """A bar on stderr while something takes its time, when that is a terminal."""
    from rich.console import Console
    from rich.progress import Progress

    console = Console(stderr=True)
    if not console.is_terminal:
        yield None
        return
    with Progress(console=console, transient=True) as bar:
        task = bar.add_task(what, total=1.0)
        yield lambda share: bar.update(task, completed=share)
