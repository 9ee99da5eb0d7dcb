"""The options of `noiseless release` and `noiseless frontier`, and the request that they make."""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from noiseless.cli.options import split_names
from noiseless.errors import RequestError

if TYPE_CHECKING:
    from noiseless.releases import ReleaseRequest

from typing import Annotated

import typer

from noiseless.cli.options import MissingValues, columns, columns_before_equals

FILES = ("table", "out", "certificate", "html", "compare_with", "plot")
"""Options that name files; all others say what is asked for."""


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


class DistanceName(StrEnum):
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
    list[str] | None,
    typer.Option("--sensitive", metavar="COLUMN", autocompletion=columns, help="A column to hide."),
]
PublicOption = Annotated[
    list[str] | None,
    typer.Option(
        "--public",
        metavar="COLUMN",
        autocompletion=columns,
        help="A column to publish, merged as far as needed.",
    ),
]
GivenOption = Annotated[
    list[str] | None,
    typer.Option(
        "--given",
        metavar="COLUMN",
        autocompletion=columns,
        help="A column that the adversary knows from elsewhere.",
    ),
]
KeepOption = Annotated[
    list[str] | None,
    typer.Option(
        "--keep",
        metavar="COLUMN",
        autocompletion=columns,
        help="A column to publish as it is; it counts as seen.",
    ),
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
    DistanceName | None,
    typer.Option("--distance", help="How the differences of several columns make one number."),
]
HierarchyOption = Annotated[
    list[str] | None,
    typer.Option(
        "--hierarchy",
        metavar="COL=FILE",
        autocompletion=columns_before_equals,
        help="A tree for a column: rows of value,level 1,...,top.",
    ),
]
HierarchyCostOption = Annotated[
    HierarchyCost | None,
    typer.Option("--hierarchy-cost", help="A node counts its height (the default), or its other leaves."),
]
ColumnWeightOption = Annotated[
    list[str] | None,
    typer.Option(
        "--column-weight",
        metavar="COL=W",
        autocompletion=columns_before_equals,
        help="What a difference in a column counts; 1 if not given.",
    ),
]
SpanOption = Annotated[
    list[str] | None,
    typer.Option(
        "--span",
        metavar="COL=LO:HI",
        autocompletion=columns_before_equals,
        help="A column's range, which the distance gower divides by.",
    ),
]
NumericOption = Annotated[
    list[str] | None,
    typer.Option(
        "--numeric",
        metavar="COLUMN",
        autocompletion=columns,
        help="A public column of text to read as numbers.",
    ),
]
CategoricalOption = Annotated[
    list[str] | None,
    typer.Option(
        "--categorical",
        metavar="COLUMN",
        autocompletion=columns,
        help="A public column of numbers to take as categories.",
    ),
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
