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
    """Publish columns so that a sensitive one stays hidden behind them, changing them as little as possible.

    Values of the public columns are merged into cells, and each is released as its cell. Give at least one
    target (`min_posterior`, `max_leakage`, ...) or a weight.

    Args:
        table: a file, a glob, `duckdb:///file.db::table`, or any frame.
        sensitive: the columns to hide; several are hidden together.
        public: the columns to publish, merged as far as needed. A sensitive column may be one of them: it is
            then released too, as its cell, and all limits count with that (section V-C of [P3]).
        given: columns that an adversary knows from elsewhere (side information).
        keep: columns to publish as they are; they count as seen.
        objective: what is to be small: `leakage` (L0), `maximin` (I*), or `both` (problem (7) of [P3]).
        utility: what is to be kept: a small `distortion` (U2) or a large `resolution` (U1).
        weight: the multiplier lambda of the Lagrangian L - weight * U, instead of a target.
        min_posterior: the fewest sensitive values that may be left behind an answer.
        min_rows: the fewest rows, or persons with a unit, that may look alike (k-anonymity).
        unit: the column that says whose each row is.
        largest_belief: the largest share that a sensitive value may have of the rows that look alike.
        pointwise_leakage: the most bits by which that may exceed its share of the table.
        beta_likeness: the most by which it may, as a multiple of the latter (basic beta-likeness).
        enhanced_beta_likeness: the same, and at most -ln of the latter.
        delta_disclosure: what the logarithm of their quotient must be below, on both sides, in nats.
        entropy_l_diversity: the least exp(entropy) of the sensitive values of rows that look alike.
        t_closeness: the largest earth mover's distance of these from the whole table's.
        width: how far apart the least and the largest of these must be (numbers, or dates in days).
        min_classes: how many different classes the sensitive values of rows that look alike must be of.
        classes: the hierarchy of the sensitive column: a file, or for each value what stands above it.
        class_level: which of its levels makes the classes; 1 by default, what stands right above the values.
        key: sets of public columns, each a list of names or a text like `age,sex`: what an adversary may know
            of a person. All limits on what is given away hold for each, and not for all public columns.
        max_leakage: the most bits that may leak.
        max_maximin: the most bits that every row may tell, I*.
        max_distortion: the furthest that a value may be from what is released for it.
        min_resolution: the fewest bits of the public columns to keep.
        suppress: the share of rows that may be released as `*`.
        method: `exact` (one ordered column), `greedy`, `first-rise` (the algorithm of [P3] for the weight,
            until its Lagrangian first does not fall), or the best of what applies.
        prefer: which loss comes first: the largest change (`worst`), with the mean loss among equals; or the
            `mean` over rows and columns, with the largest change among equals.
        mean_loss: what the mean loss is: the share of a column that a row's cell spans (`ncp`), the squared
            error (`squares`), `discernibility`, or `entropy`.
        time_limit: after how many seconds the search ends with the best that it has found.
        codeword: how merged numbers are written: `interval`, `midrange`, `centroid`, `medoid`.
        distance: `absolute`, `euclidean`, `squared`, `max`, `gower`, `hamming` or `discrete`; by default
            absolute for one column, gower for several.
        recoding: `local` cells, each as fine as it can be; `full-domain`, one level of its hierarchy for
            each column, which is then the best of all such choices; or `suppression`, every value as it is
            or as `*`.
        hierarchy: for each column a file, a mapping of each value to what stands above it, or a rule to make
            a tree by: `intervals:5,10,20`, `prefixes`, `dates`, `frequencies:10,100`.
        hierarchy_cost: a node costs its `height`, or the number of other `leaves` that it could stand for.
        column_weight: what a difference in a column counts; 1 by default.
        span: declared ranges (low, high) that the distance of Gower divides by; the data's by default.
        numeric: columns of text to read as numbers; texts that are none are never merged with a number.
        categorical: columns to take as categories, though they hold numbers or days.
        missing: a missing value is one ordinary value ("value"), its row is left out ("drop"), or an error
            ("error"). In a column of numbers it is never merged with a number.
        distinct_rows: drop exact duplicates of whole rows first.
        keep_order: leave the rows in the table's order; by default they are sorted, for the order tells too.
        names: the columns' names, for text files without a header line.
        progress: called with the share of the work that is done.

    Returns:
        The released table (`frame`, in the kind that came in) with what it gives away and keeps, and its
        certificate, which `nl.verify` checks; `save` writes both, `frontier()` has the other choices.

    Raises:
        NoiselessError: the table, a column or a target is wrong, and how to mend it.

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
    """The best trade-offs found, beside what other methods reach.

    For one ordered column these are all undominated ones with contiguous cells, unless the `note` of a series
    says that some were left out. The `scope` of the result says what is proved.

    Args:
        table: a file, a glob, `duckdb:///file.db::table`, or any frame.
        sensitive: the columns to hide.
        public: the columns to publish.
        progress: called with the share of the work that is done.
        baselines: whether other people's methods are run too.
        options: as for `release`; targets are not needed.

    Raises:
        NoiselessError: the table, a column or an option is wrong, and how to mend it.

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
