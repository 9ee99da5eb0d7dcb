"""Options that `noiseless release` and `noiseless frontier` share."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from noiseless.cli.completion import columns, columns_before_equals
from noiseless.cli.options import MissingValues


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
    Distance | None,
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
