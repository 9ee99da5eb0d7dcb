"""The options that `release` and `frontier` share."""

from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from noiseless.cli.options import (
    TABLES,
    CategoricalOption,
    DistinctOption,
    GivenOption,
    MissingOption,
    NumericOption,
    column_option,
    columns,
    option,
    per_column,
)

COLUMNS: dict[str, Any] = {
    "table": Annotated[str | None, typer.Argument(metavar="[TABLE]", help=TABLES)],
    "sensitive": Annotated[list[str] | None, column_option("A column to hide.")],
    "public": Annotated[
        list[str] | None,
        column_option("A column to publish, coarsened as little as needed; it may be sensitive too."),
    ],
    "given": GivenOption,
    "keep": Annotated[list[str] | None, column_option("A column to publish unchanged; it counts as public.")],
    "objective": Annotated[
        Literal["leakage", "maximin", "both"] | None,
        option("What to minimise: leakage (the default), maximin, or both."),
    ],
    "utility": Annotated[
        Literal["resolution", "distortion"] | None,
        option("What to preserve: low distortion (the default), or high resolution."),
    ],
}
"""The table, what its columns are, and what matters: options of both commands."""
RISKS: dict[str, Any] = {
    "min_rows": Annotated[int | None, option("The fewest rows that look alike (k-anonymity).", "K")],
    "unit": Annotated[
        str | None, column_option("The column that identifies a person: --min-rows then counts persons.")
    ],
    "largest_belief": Annotated[
        str | None, option("The largest share of one sensitive value among rows that look alike.", "Q")
    ],
    "pointwise_leakage": Annotated[
        str | None,
        option("The most bits that a bettor may gain on any value (pointwise maximal leakage).", "B"),
    ],
    "beta_likeness": Annotated[str | None, option("The most that a belief may grow: q / p - 1.", "BETA")],
    "enhanced_beta_likeness": Annotated[
        str | None, option("The same, but at most -ln p for any value.", "BETA")
    ],
    "delta_disclosure": Annotated[
        str | None, option("The bound that |ln(q / p)| must stay below for every value, in nats.", "DELTA")
    ],
    "entropy_l_diversity": Annotated[
        str | None, option("The least exp(entropy) of the values of rows that look alike.", "L")
    ],
    "t_closeness": Annotated[
        str | None, option("How far the values of rows that look alike may be from the whole table's.", "T")
    ],
    "min_classes": Annotated[
        int | None, option("The fewest classes of the values of rows that look alike.", "J")
    ],
    "classes": Annotated[
        Path | None,
        option("The hierarchy of the sensitive column: rows of value,level 1,...,top.", "FILE"),
    ],
    "class_level": Annotated[
        int | None, option("The level of the hierarchy that gives the classes; 1 by default.", "N")
    ],
    "min_posterior_each": Annotated[
        int | None, option("The fewest values of each sensitive column, by itself, that stay possible.", "K")
    ],
    "width": Annotated[
        str | None,
        option("How far apart the values of rows that look alike must lie, as numbers or in days.", "E"),
    ],
    "key": Annotated[
        list[str] | None,
        option(
            "Public columns that an adversary may know of a person, as a,b: limits hold for each key, not "
            "for all public columns at once. Repeat it for more; full-domain recoding only.",
            "COLUMNS",
            autocompletion=columns,
        ),
    ],
}
"""What every row that is published must keep to: limits of a release, and of all releases of a frontier."""
TARGETS: dict[str, Any] = {
    "weight": Annotated[
        str | None, option("Trade utility off against leakage instead of setting a limit.", "L")
    ],
    "min_posterior": Annotated[
        int | None, option("The fewest sensitive values that any row may leave possible.", "K")
    ],
    "max_leakage": Annotated[str | None, option("The most bits that may leak, L0.", "B")],
    "max_maximin": Annotated[str | None, option("The most bits that every row may reveal, I*.", "B")],
    "max_distortion": Annotated[str | None, option("The most that any value may change.", "D")],
    "min_resolution": Annotated[str | None, option("The fewest bits of the public columns to keep.", "B")],
    "suppress": Annotated[str | None, option("The share of rows that may be suppressed (*).", "SHARE")],
    "prefer": Annotated[
        Literal["worst", "mean"] | None,
        option("Which loss comes first: the largest change (worst, the default), or the mean loss."),
    ],
    "mean_loss": Annotated[
        Literal["ncp", "squares", "discernibility", "entropy"] | None,
        option(
            "What the mean loss is: the share of a column (ncp, the default), squares, discernibility or "
            "entropy."
        ),
    ],
}
"""Which of all releases is wanted; a frontier shows all of them."""
MERGING: dict[str, Any] = {
    "method": Annotated[
        Literal["auto", "greedy", "exact", "first-rise"] | None,
        option(
            "The best of what applies (auto), greedy, exact, or the algorithm of [P3] until its Lagrangian "
            "first rises (first-rise, with --weight)."
        ),
    ],
    "time_limit": Annotated[
        float | None, option("Stop searching after this long and take the best found so far.", "SECONDS")
    ],
    "codeword": Annotated[
        Literal["interval", "midrange", "centroid", "medoid"] | None,
        option(
            "How merged numbers are written: as their interval (the default), midrange, centroid or medoid."
        ),
    ],
    "distance": Annotated[
        Literal["absolute", "euclidean", "squared", "max", "gower", "hamming", "discrete"] | None,
        option("How differences in several columns combine into one number."),
    ],
    "recoding": Annotated[
        Literal["local", "full-domain", "suppression"] | None,
        option(
            "Cells chosen one by one (local, the default), one hierarchy level per column (full-domain), "
            "or every value as it is or as * (suppression)."
        ),
    ],
    "hierarchy": Annotated[
        list[str] | None,
        per_column(
            "A tree for a column: rows of value,level 1,...,top; or a rule: intervals:5,10,20, prefixes, "
            "dates, frequencies:10,100.",
            "COL=FILE|RULE",
        ),
    ],
    "hierarchy_cost": Annotated[
        Literal["height", "leaves"] | None,
        option(
            "What a node of a hierarchy costs: its height (the default), or how many other leaves it covers."
        ),
    ],
    "column_weight": Annotated[
        list[str] | None, per_column("The weight of a column's differences; 1 by default.", "COL=W")
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
