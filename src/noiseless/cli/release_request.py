"""The options of `noiseless release` and `noiseless frontier`, and the request that they make."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from noiseless.cli.options import (
    TABLES,
    CategoricalOption,
    DistinctOption,
    GivenOption,
    MissingOption,
    NumericOption,
    column_option,
    option,
    per_column,
)
from noiseless.cli.values import read_assigned
from noiseless.errors import RequestError

if TYPE_CHECKING:
    from noiseless.releases import ReleaseRequest

COLUMNS: dict[str, Any] = {
    "table": Annotated[str | None, typer.Argument(metavar="[TABLE]", help=TABLES)],
    "sensitive": Annotated[list[str] | None, column_option("A column to hide.")],
    "public": Annotated[list[str] | None, column_option("A column to publish, merged as far as needed.")],
    "given": GivenOption,
    "keep": Annotated[list[str] | None, column_option("A column to publish as it is; it counts as seen.")],
    "objective": Annotated[
        Literal["leakage", "maximin", "both"] | None,
        option("What is to be small: leakage (the default), maximin, or both."),
    ],
    "utility": Annotated[
        Literal["resolution", "distortion"] | None,
        option("What is to be kept: little distortion (the default), or much resolution."),
    ],
}
"""The table, what its columns are, and what matters: options of both commands."""
TARGETS: dict[str, Any] = {
    "weight": Annotated[str | None, option("Weigh utility against leakage instead of a target.", "L")],
    "min_posterior": Annotated[int | None, option("The fewest sensitive values behind an answer.", "K")],
    "max_leakage": Annotated[str | None, option("The most bits that may leak, L0.", "B")],
    "max_maximin": Annotated[str | None, option("The most bits that every row may tell, I*.", "B")],
    "max_distortion": Annotated[str | None, option("The furthest that a value may be moved.", "D")],
    "min_resolution": Annotated[str | None, option("The fewest bits of the public columns to keep.", "B")],
    "suppress": Annotated[str | None, option("The share of rows that may be released as *.", "SHARE")],
    "prefer": Annotated[
        Literal["worst", "mean"] | None,
        option("Which loss comes first: the largest change (worst, the default), or the mean loss."),
    ],
}
"""Which of all releases is wanted; a frontier shows all of them."""
MERGING: dict[str, Any] = {
    "method": Annotated[
        Literal["auto", "greedy", "exact"] | None,
        option("The best of what applies (auto), greedy, or exact."),
    ],
    "codeword": Annotated[
        Literal["midrange", "centroid", "medoid", "interval"] | None,
        option("What is released for merged numbers: midrange by default."),
    ],
    "distance": Annotated[
        Literal["absolute", "euclidean", "max", "gower", "hamming", "discrete"] | None,
        option("How the differences of several columns make one number."),
    ],
    "hierarchy": Annotated[
        list[str] | None, per_column("A tree for a column: rows of value,level 1,...,top.", "COL=FILE")
    ],
    "hierarchy_cost": Annotated[
        Literal["height", "leaves"] | None,
        option("A node counts its height (the default), or its other leaves."),
    ],
    "column_weight": Annotated[
        list[str] | None, per_column("What a difference in a column counts; 1 if not given.", "COL=W")
    ],
    "span": Annotated[
        list[str] | None, per_column("A column's range, which the distance gower divides by.", "COL=LO:HI")
    ],
    "numeric": NumericOption,
    "categorical": CategoricalOption,
    "missing": MissingOption,
    "distinct_rows": DistinctOption,
}
"""How values are read, compared and merged: options of both commands."""

ConfigOption = Annotated[
    Path | None, option("A TOML file with any of these options; they override it.", "FILE")
]

FILES = ("table", "out", "certificate", "html", "compare_with", "plot")
"""Options that name files; all others say what is asked for."""
_PER_COLUMN = {"hierarchy": "COL=FILE", "column_weight": "COL=NUMBER", "span": "COL=LO:HI"}
"""Options that say something of a column, and how."""


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


def merged_options(config: Path | None, options: Mapping[str, Any]) -> dict[str, Any]:
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
    written = {} if config is None else read_config(config, file)
    given = {name: value for name, value in options.items() if value not in (None, [])}
    for name, shape in _PER_COLUMN.items():
        if name in given:
            option = f"--{name.replace('_', '-')}"
            of_columns = dict(read_assigned(option, text, shape) for text in given[name])
            given[name] = written.get(name, {}) | of_columns
    return written | given
