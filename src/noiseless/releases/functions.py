"""What users call: their arguments, and what comes of them.

The pipeline is loaded when a release is made, not when the function is looked at.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from noiseless.exact import Rational
from noiseless.search.loss import (
    Codeword,
    Distance,
    HierarchyCost,
    MeanLossName,
    Method,
    Objective,
    Preference,
    Recoding,
    Utility,
)
from noiseless.tables import Missing
from noiseless.work import Progress

if TYPE_CHECKING:
    from noiseless.releases.parts import PartedRelease
    from noiseless.releases.results import Release, ReleaseFrontier

Columns = str | Sequence[str]
Number = Rational | float | str


def release(
    table: Any,  # noqa: ANN401 - anything that open_table opens
    *,
    sensitive: Columns,
    public: Columns,
    given: Columns = (),
    keep: Columns = (),
    objective: Objective = "leakage",
    utility: Utility = "distortion",
    weight: Number | None = None,
    min_posterior: int | None = None,
    min_rows: int | None = None,
    unit: str | None = None,
    largest_belief: Number | None = None,
    pointwise_leakage: Number | None = None,
    beta_likeness: Number | None = None,
    enhanced_beta_likeness: Number | None = None,
    delta_disclosure: Number | None = None,
    entropy_l_diversity: Number | None = None,
    t_closeness: Number | None = None,
    width: Number | None = None,
    min_classes: int | None = None,
    min_posterior_each: int | None = None,
    classes: Path | str | Mapping[str, Sequence[str]] | None = None,
    class_level: int | None = None,
    key: Sequence[str | Sequence[str]] | None = None,
    max_leakage: Number | None = None,
    max_maximin: Number | None = None,
    max_distortion: Number | None = None,
    min_resolution: Number | None = None,
    suppress: Number = 0,
    method: Method = "auto",
    prefer: Preference = "worst",
    mean_loss: MeanLossName = "ncp",
    time_limit: float | None = None,
    codeword: Codeword = "interval",
    distance: Distance | None = None,
    recoding: Recoding = "local",
    hierarchy: Mapping[str, Path | str | Mapping[str, Sequence[str]]] | None = None,
    hierarchy_cost: HierarchyCost = "height",
    column_weight: Mapping[str, Number] | None = None,
    span: Mapping[str, tuple[Number, Number]] | None = None,
    numeric: Columns = (),
    categorical: Columns = (),
    missing: Missing = "value",
    distinct_rows: bool = False,
    keep_order: bool = False,
    names: Sequence[str] | None = None,
    progress: Progress | None = None,
) -> "Release":
    """Hide sensitive columns and publish others, changed as little as possible.

    Values of the public columns are merged into cells, and each is released as its cell. Give at least one
    target (`min_posterior`, `max_leakage`, ...) or a weight.

    Args:
        table: a file, a glob, `duckdb:///file.db::table`, or any frame.
        sensitive: the columns to hide; several are hidden together.
        public: the columns to publish, merged as far as needed. One may be sensitive too: it is then released
            as its cell, and all limits take that into account (section V-C of [P3]).
        given: columns that an adversary knows from elsewhere (side information).
        keep: columns to publish as they are; they count as seen.
        objective: what to minimise: `leakage` (L0), `maximin` (I*), or `both` (problem (7) of [P3]).
        utility: what to preserve: a small `distortion` (U2) or a large `resolution` (U1).
        weight: the multiplier lambda of the Lagrangian L - weight * U, instead of a target.
        min_posterior: the fewest sensitive values that any row may leave possible.
        min_rows: the fewest rows, or persons with a unit, that may look alike (k-anonymity).
        unit: the column that identifies a person.
        largest_belief: the largest share of one sensitive value among rows that look alike.
        pointwise_leakage: the most bits by which this share may exceed the value's share of the table.
        beta_likeness: the most by which it may exceed it, as a multiple of it (basic beta-likeness).
        enhanced_beta_likeness: the same, but at most -ln of the share of the table.
        delta_disclosure: the bound, in nats, that the logarithm of their quotient must stay below in size.
        entropy_l_diversity: the least exp(entropy) of the sensitive values of rows that look alike.
        t_closeness: the largest earth mover's distance of these values from the whole table's.
        width: how far apart the least and the largest of them must be (numbers, or dates in days).
        min_classes: the fewest classes that the sensitive values of rows that look alike must belong to.
        min_posterior_each: the fewest values of each sensitive column by itself that stay possible; the other
            limits are on combinations of all of them.
        classes: the hierarchy of the sensitive column: a file, or a mapping of values to their levels.
        class_level: the level that gives the classes; 1 by default, directly above the values.
        key: sets of public columns, each a list of names or a text like `age,sex`: what an adversary may know
            of a person. Limits then hold for each key, not for all public columns at once.
        max_leakage: the most bits that may leak, L0.
        max_maximin: the most bits that every row may reveal, I*.
        max_distortion: the most that any value may change.
        min_resolution: the fewest bits of the public columns to keep.
        suppress: the share of rows that may be suppressed (`*`).
        method: `exact` (one ordered column), `greedy`, `first-rise` (the algorithm of [P3] with a weight,
            until its Lagrangian first rises), or `auto`, the best of what applies.
        prefer: which loss comes first: the largest change (`worst`), then the mean loss; or the `mean` over
            rows and columns, then the largest change.
        mean_loss: what the mean loss is: the share of a column that a row's cell spans (`ncp`), the squared
            error (`squares`), `discernibility`, or `entropy`.
        time_limit: stop searching after this many seconds and take the best found so far.
        codeword: how merged numbers are written: `interval`, `midrange`, `centroid`, `medoid`.
        distance: `absolute`, `euclidean`, `squared`, `max`, `gower`, `hamming` or `discrete`; by default
            absolute for one column, gower for several.
        recoding: `local` cells, each as fine as possible; `full-domain`, the best choice of one hierarchy
            level for each column; or `suppression`, every value as it is or as `*`.
        hierarchy: for each column a file, a mapping of values to their levels, or a rule that makes a tree:
            `intervals:5,10,20`, `prefixes`, `dates`, `frequencies:10,100`.
        hierarchy_cost: a node costs its `height`, or the number of other `leaves` that it could stand for.
        column_weight: the weight of a column's differences; 1 by default.
        span: declared ranges (low, high) that Gower's distance divides by; the data's by default.
        numeric: columns of text to read as numbers; other texts are never merged with a number.
        categorical: columns to treat as categories, though they hold numbers or days.
        missing: treat a missing value as one ordinary value ("value"), leave its row out ("drop"), or refuse
            it ("error"). In a column of numbers it is never merged with a number.
        distinct_rows: drop exact duplicates of whole rows first.
        keep_order: keep the table's row order, which is information too; sorted by default.
        names: the columns' names, for text files without a header line.
        progress: called with the share of the work that is done.

    Returns:
        The released table (`frame`, of the kind that came in), what it gives away and keeps, and its
        certificate, which `nl.verify` checks. `save` writes both; `frontier()` shows the other choices.

    Raises:
        NoiselessError: the table, a column or a target is wrong; it says how to mend it.

    >>> import pyarrow as pa
    >>> patients = pa.table({"age": [31, 35, 52, 47, 31, 60], "chol": [180, 182, 190, 230, 233, 240]})
    >>> done = release(patients, sensitive="age", public="chol", min_posterior=2)
    >>> done.frame["chol"].to_pylist()
    ['180-190', '180-190', '180-190', '230-240', '230-240', '230-240']
    >>> done.min_posterior, done.leakage, done.optimal
    (3, Bits(5/3), True)
    """
    options = {name: value for name, value in locals().items() if name not in ("table", "progress")}
    from noiseless.releases.pipeline import make_release
    from noiseless.releases.request import ReleaseRequest

    return make_release(table, ReleaseRequest.of(options), progress)


def frontier(
    table: Any,  # noqa: ANN401 - anything that open_table opens
    *,
    sensitive: Columns,
    public: Columns,
    progress: Progress | None = None,
    baselines: bool = True,
    **options: Any,  # noqa: ANN401 - as for `release`
) -> "ReleaseFrontier":
    """The best trade-offs found between what leaks and what is kept, beside other methods.

    For one ordered column these are all undominated releases with contiguous cells, unless a series has a
    `note` that some were left out. The result's `scope` says what is proved.

    Args:
        table: a file, a glob, `duckdb:///file.db::table`, or any frame.
        sensitive: the columns to hide.
        public: the columns to publish.
        progress: called with the share of the work that is done.
        baselines: whether to run the baselines (k-anonymity, Mondrian, binning) too.
        options: as for `release`; targets are not needed.

    Raises:
        NoiselessError: the table, a column or an option is wrong; it says how to mend it.

    >>> import pyarrow as pa
    >>> patients = pa.table({"age": [31, 35, 52, 47, 31, 60], "chol": [180, 182, 190, 230, 233, 240]})
    >>> found = frontier(patients, sensitive="age", public="chol")
    >>> [(point.min_posterior, str(point.distortion)) for point in found.points]
    [(1, '0'), (3, '5'), (5, '30')]
    """
    from noiseless.releases.pipeline import make_frontier
    from noiseless.releases.request import ReleaseRequest

    request = ReleaseRequest.of({"sensitive": sensitive, "public": public, **options})
    return make_frontier(table, request, progress, baselines=baselines)


def release_parts(
    table: Any,  # noqa: ANN401 - anything that open_table opens
    out: Path | str,
    *,
    certificates: Path | str,
    parts: int = 1,
    sensitive: Columns,
    public: Columns,
    progress: Progress | None = None,
    **options: Any,  # noqa: ANN401 - as for `release`
) -> "PartedRelease":
    """Release a table that no machine takes whole: cut it along public columns, and release part by part.

    Args:
        table: a file, a glob, `duckdb:///file.db::table`, `spark::table`, or any frame.
        out: a new folder for the released files, which Spark, DuckDB and others read as one Parquet table.
        certificates: a new folder for the parts' certificates and the manifest, which `nl.verify` checks.
        parts: how many parts are wanted; there are more where one has more combinations than come to this
            machine from Spark.
        sensitive: the columns to hide.
        public: the columns to publish; the table is cut along those of numbers or days.
        progress: called with the share of the work that is done.
        options: as for `release`: the limits are `min_posterior`, `min_rows`, `largest_belief`,
            `entropy_l_diversity`, `width`, `min_classes`, `min_posterior_each` and `max_distortion`, which
            the whole keeps if each part does.

    Returns:
        What holds of the whole, and where the files are.

    Raises:
        NoiselessError: the table, a column, a limit or a folder is wrong; it says how to mend it.

    >>> import pyarrow as pa
    >>> patients = pa.table({"age": [31, 35, 52, 47, 31, 60], "chol": [180, 182, 190, 230, 233, 240]})
    >>> roles = {"sensitive": "age", "public": "chol", "certificates": "certificates"}
    >>> done = release_parts(patients, "released", parts=2, min_posterior=2, **roles)
    >>> done.parts, done.min_posterior, done.leakage
    (2, 3, Bits(5/3))
    """
    from noiseless.releases.parts import make_parts
    from noiseless.releases.request import ReleaseRequest

    request = ReleaseRequest.of({"sensitive": sensitive, "public": public, **options})
    return make_parts(table, request, (Path(out), Path(certificates)), parts, progress)
