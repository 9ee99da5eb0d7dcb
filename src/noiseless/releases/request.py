"""What is asked of a release: columns, aims, and how values may be merged."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from difflib import get_close_matches
from fractions import Fraction
from os import PathLike
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from noiseless.display import plain_problem
from noiseless.errors import NoColumnError, RequestError
from noiseless.examples import not_opened
from noiseless.releases.options import (
    MAX_BITS,
    Columns,
    Count,
    InBits,
    Keys,
    NotNegative,
    Number,
    Seconds,
    Share,
    Span,
    Tree,
)
from noiseless.search.goal import LIMITS
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
from noiseless.tables import Missing, require_distinct
from noiseless.tables.hierarchies import HierarchyRule

RISKS = (
    "largest_belief",
    "pointwise_leakage",
    "beta_likeness",
    "enhanced_beta_likeness",
    "delta_disclosure",
    "entropy_l_diversity",
    "t_closeness",
    "width",
    "min_classes",
    "min_posterior_each",
)
"""Limits on bets and widths, by the names that a policy has for them."""


class ReleaseRequest(BaseModel):
    """What is asked of a release or of a frontier; the names are those of the command line's options.

    Attributes:
        sensitive: the columns to hide.
        public: the columns to publish, merged as far as needed; a sensitive one may be among them, and is
            then released as its cell too (the joint release of section V-C of [P3]).
        given: columns an adversary knows from elsewhere.
        keep: columns to publish as they are.
        objective: what is to be small: `leakage`, `maximin`, or `both` (problem (7) of [P3]).
        utility: what is to be kept: `distortion` small, or `resolution` large.
        weight: the multiplier lambda of the Lagrangian, instead of a target.
        min_posterior: the fewest sensitive values that may be left behind an answer.
        min_rows: the fewest rows, or persons with a unit, that may look alike (k-anonymity).
        unit: the column that says whose each row is.
        largest_belief: the surest that anyone may be of a value: the largest n_sy / n_y.
        pointwise_leakage: the most bits of pointwise maximal leakage, log2 of the largest q_s / p_s.
        beta_likeness: the largest q_s / p_s - 1 that is allowed.
        enhanced_beta_likeness: the same with min(beta, -ln p_s) for beta.
        delta_disclosure: what all |ln(q_s / p_s)| must be below.
        entropy_l_diversity: the least exp(entropy) of the values behind an answer.
        t_closeness: the largest earth mover's distance of these from the whole table's.
        width: how far the least and the largest value behind an answer must be apart.
        min_classes: how many different classes the values behind an answer must be of.
        min_posterior_each: the fewest values of each sensitive column by itself that may be left behind an
            answer.
        classes: the hierarchy that says which class each sensitive value is of.
        class_level: which of its levels, 1 for what stands right above the values.
        key: sets of public columns that an adversary may know: limits then hold for each of these, and not
            for all public columns at once.
        max_leakage: the most bits that may leak, L0.
        max_maximin: the most bits that every row may tell, I*.
        max_distortion: the furthest that a value may be from what is released for it.
        min_resolution: the fewest bits of the public columns that are to be kept.
        suppress: the share of rows that may be released as `*`.
        method: how cells are chosen.
        prefer: which loss comes first: the largest change, or the mean over rows and columns.
        mean_loss: what the mean loss is: `ncp`, `squares`, `discernibility` or `entropy`.
        time_limit: after how many seconds the search ends with the best that it has found; a frontier is
            looked at in ever more detail until then.
        codeword: what is released for numbers that are merged.
        distance: how the differences of several columns make one number.
        recoding: whether cells are chosen one by one (`local`), or a level of its hierarchy for each column
            (`full-domain`); or each value is published as it is or as `*` (`suppression`).
        hierarchy: trees for columns, or the rules to make them by.
        hierarchy_cost: what a node of a tree counts: its height, or how many other leaves it stands for.
        column_weight: what a difference in a column counts; 1 by default.
        span: declared ranges of numeric columns, for the distance of Gower; those of the data by default.
        numeric: columns to read as numbers; values that are none count as missing.
        categorical: columns to take as categories, though they hold numbers or days.
        missing: what a missing value is.
        distinct_rows: whether exact duplicates of whole rows are dropped first.
        keep_order: whether rows stay in the order of the table, which is information too.
        names: the columns' names, for text files without a header line.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)

    sensitive: Columns = ()
    public: Columns = ()
    given: Columns = ()
    keep: Columns = ()
    objective: Objective = "leakage"
    utility: Utility = "distortion"
    weight: NotNegative | None = None
    min_posterior: Count | None = None
    min_rows: Count | None = None
    unit: str | None = None
    largest_belief: Annotated[Number, Field(gt=0, le=1)] | None = None
    pointwise_leakage: InBits | None = None
    beta_likeness: NotNegative | None = None
    enhanced_beta_likeness: NotNegative | None = None
    delta_disclosure: Annotated[Number, Field(gt=0, le=MAX_BITS)] | None = None
    entropy_l_diversity: Annotated[Number, Field(ge=1)] | None = None
    t_closeness: NotNegative | None = None
    width: NotNegative | None = None
    min_classes: Count | None = None
    min_posterior_each: Count | None = None
    classes: Path | Mapping[str, tuple[str, ...]] | None = None
    class_level: Count | None = None
    key: Keys = ()
    max_leakage: InBits | None = None
    max_maximin: InBits | None = None
    max_distortion: NotNegative | None = None
    min_resolution: InBits | None = None
    suppress: Share = Fraction(0)
    method: Method = "auto"
    prefer: Preference = "worst"
    mean_loss: MeanLossName = "ncp"
    time_limit: Seconds | None = None
    codeword: Codeword = "interval"
    distance: Distance | None = None
    recoding: Recoding = "local"
    hierarchy: Mapping[str, Tree] = Field(default_factory=dict)
    hierarchy_cost: HierarchyCost = "height"
    column_weight: Mapping[str, NotNegative] = Field(default_factory=dict)
    span: Mapping[str, Span] = Field(default_factory=dict)
    numeric: Columns = ()
    categorical: Columns = ()
    missing: Missing = "value"
    distinct_rows: bool = False
    keep_order: bool = False
    names: Columns | None = None

    @classmethod
    def of(cls, values: Mapping[str, Any], *, origin: str = "") -> Self:
        """From names and values; those that are None are left out.

        Raises:
            RequestError: a name or a value is wrong, in one line that says how to mend it.
        """
        try:
            request = cls.model_validate({name: value for name, value in values.items() if value is not None})
        except ValidationError as error:
            raise RequestError(f"{origin}{': ' * bool(origin)}{_problem(error, cls)}") from None
        return request

    def check_columns(self, available: Sequence[str] = ()) -> None:
        """Check that roles are there and apart.

        Args:
            available: the names of the table's columns, where they are known.

        Raises:
            RequestError: one is not.
        """
        if not self.sensitive:
            raise NoColumnError("sensitive", available)
        if not self.public:
            raise NoColumnError("public", [name for name in available if name not in self.sensitive])
        for column in self.keep:
            if column in self.sensitive:
                raise RequestError(
                    f"column {column!r} is to stay hidden, so no release can keep it; leave it out of --keep"
                )
        require_distinct(sensitive=self.sensitive, given=self.given, keep=self.keep)
        require_distinct(public=self.public, given=self.given, keep=self.keep)  # S itself may be merged too
        for option in ("hierarchy", "column_weight", "span", "numeric", "categorical"):
            for column in getattr(self, option):
                if column not in self.public:
                    name = f"--{option.replace('_', '-')}"
                    close = get_close_matches(column, self.public, n=1)
                    meant = f"; did you mean {close[0]!r}?" if close else ""
                    raise RequestError(
                        f"{name} names {column!r}, which is not among the public columns{meant}"
                    )
        declared = [*self.hierarchy, *self.numeric, *self.categorical]
        twice = next((name for name in declared if declared.count(name) > 1), None)
        if twice is not None:
            raise RequestError(f"column {twice!r} has two kinds; give it one hierarchy, or one of the others")
        self._check_unit()
        self._check_classes()
        self._check_keys()
        self._check_recoding()

    def _check_classes(self) -> None:
        """Refuse classes without a limit on them, and the reverse."""
        if (self.min_classes is None) != (self.classes is None):
            raise RequestError(
                "--min-classes counts the classes that --classes declares; give both, or neither"
            )
        if self.classes is None and self.class_level is not None:
            raise RequestError("--class-level is one of --classes; name the hierarchy, or leave it out")
        if self.classes is not None and (len(self.sensitive) > 1 or self.released_secrets):
            raise RequestError(
                "--classes are of one sensitive column, which is not published; leave them out"
            )

    def _check_keys(self) -> None:
        """Refuse keys of other columns, and methods that could break limits on one key for another."""
        if not self.key:
            return
        named = [name for key in self.key for name in key]
        other = next((name for name in named if name not in self.public), None)
        if other is not None:
            raise RequestError(f"--key names public columns, as a,b; {other!r} is none")
        if not all(self.key):
            raise RequestError("a key names at least one public column")
        if self.recoding != "full-domain":
            raise RequestError(
                "with --key merging rows can break a limit on another key, unless each column has one level; "
                "add --recoding full-domain, and a hierarchy for each public column"
            )
        if self.suppress:
            raise RequestError(
                "suppressed rows are missing from what is seen of every key, and could break limits; leave "
                "--key or --suppress out"
            )

    def _check_unit(self) -> None:
        """Refuse a unit that nothing is counted by, or that would be published or known."""
        unit = self.unit
        if unit is None:
            return
        if unit in (*self.public, *self.keep, *self.given, *self.sensitive):
            raise RequestError(f"column {unit!r} says whose each row is; leave it out of the other roles")
        if self.min_rows is None:
            raise RequestError(
                "--unit has --min-rows count persons; add --min-rows N, the fewest persons alike"
            )
        asked = next((name for name in RISKS[:7] if getattr(self, name) is not None), None)
        if asked is not None:
            option = asked.replace("_", "-")
            raise RequestError(
                f"--{option} counts rows: where persons have several, merging cells could break it; leave "
                "--unit out, or keep one row a person"
            )

    def _check_recoding(self) -> None:
        """Refuse what has no meaning where values are published as names of a level."""
        if self.recoding == "local":
            return
        taken: dict[str, tuple[str | None, ...]] = {
            "codeword": ("midrange", "centroid", "interval"),
            "distance": (None, "absolute", "euclidean", "squared", "max", "gower"),
        }
        if self.recoding == "full-domain":
            taken |= {
                "objective": ("leakage",),
                "utility": ("distortion",),
                "weight": (None,),
                "max_maximin": (None,),
                "min_resolution": (None,),
                "method": ("auto", "exact"),
            }
        for name, values in taken.items():
            given = getattr(self, name)
            if given not in values:
                option = f"--{name.replace('_', '-')}{f' {given}' if isinstance(given, str) else ''}"
                raise RequestError(f"--recoding {self.recoding} does not take {option}; leave it out")

    @property
    def released_secrets(self) -> tuple[str, ...]:
        """The sensitive columns that are published too, merged with the others."""
        return tuple(column for column in self.sensitive if column in self.public)

    @property
    def key_text(self) -> str:
        """The keys in words."""
        return "; ".join(" + ".join(key) for key in self.key)

    @property
    def files(self) -> tuple[Path, ...]:
        """The files that hierarchies are read from."""
        return tuple(tree for tree in (*self.hierarchy.values(), self.classes) if isinstance(tree, Path))

    @property
    def targets(self) -> dict[str, Any]:
        """The limits that are set."""
        return {name: getattr(self, name) for name in (*LIMITS, *RISKS) if getattr(self, name) is not None}


def read_config(path: str | PathLike[str], model: type[BaseModel]) -> dict[str, Any]:
    """The names and values of a TOML file; its relative paths are taken from where the file is.

    Raises:
        RequestError: it cannot be read, or a name or value in it is wrong.
    """
    import tomllib

    file = Path(path)
    try:
        found = tomllib.loads(file.read_text("utf-8-sig"), parse_float=Decimal)
    except OSError as error:
        raise RequestError(f"{path}: {not_opened(file, error)}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, ValueError) as error:
        raise RequestError(f"{path}: is not TOML ({error})") from None
    try:
        model.model_validate(found)
    except ValidationError as error:
        raise RequestError(f"{path}: {_problem(error, model)}") from None
    for name in ("out", "certificate", "html", "summary", "compare_with", "plot", "apply", "classes"):
        if isinstance(found.get(name), str):
            found[name] = file.parent / found[name]
    if isinstance(found.get("table"), str) and "::" not in found["table"]:
        found["table"] = str(file.parent / found["table"])
    if "hierarchy" in found:
        found["hierarchy"] = {c: _beside(file, tree) for c, tree in found["hierarchy"].items()}
    return found


def _beside(file: Path, tree: Any) -> Any:  # noqa: ANN401 - a rule, a path or a tree
    return file.parent / tree if isinstance(tree, str) and HierarchyRule.read(tree) is None else tree


def _problem(error: ValidationError, model: type[BaseModel]) -> str:
    """The first thing that is wrong, in one line."""
    first = error.errors()[0]
    place = ".".join(str(part) for part in first["loc"][:2] if not _is_internal(str(part)))
    if first["type"] == "extra_forbidden":
        close = get_close_matches(place.replace("-", "_"), list(model.model_fields), n=1, cutoff=0.5)
        known = f"did you mean {close[0]!r}?" if close else f"there are {', '.join(model.model_fields)}"
        return f"there is no option {place!r}; {known}"
    return f"{place}: {plain_problem(first['msg'])}"


def _is_internal(part: str) -> bool:
    """Whether a part of a place names a type of the model rather than something that was written."""
    return part in ("path", "constrained-str", "str") or part.startswith(
        ("mapping[", "tuple[", "is-instance")
    )
