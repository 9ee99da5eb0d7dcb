"""A release as a transformer of scikit-learn: cells fitted on one table, applied to the rows of others."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted, column_or_1d, validate_data

from noiseless import apply_release, release
from noiseless.errors import NoiselessError
from noiseless.releases import AppliedRelease
from noiseless.search.generalisation import SUPPRESSED
from noiseless.search.loss import Codeword, Method, Objective, Utility
from noiseless.tables.frame_kind import arrow_of

Columns = str | Sequence[str]


class NoiselessReleaser(TransformerMixin, BaseEstimator):  # type: ignore[misc] # scikit-learn has no types
    """Replaces columns by cells behind which a sensitive one stays hidden.

    `fit` chooses the cells on one table as `nl.release` does, `transform` writes rows as their cells, as
    `nl.apply_release` does. The sensitive column is `y`, or columns of `X`, which are then left out. Numbers
    come out as numbers (`codeword`), NaN where a row is suppressed or lies in no cell.

    Guarantee: the limits hold for the table that was fitted, published as `transform` writes it without its
    order and its index. Of other rows they may not hold: `apply` counts what these give away by themselves.

    Args:
        sensitive: columns of `X` to hide; `y` if none is named.
        given: columns of `X` that an adversary knows from elsewhere; they are left out too.
        min_posterior: the fewest sensitive values that may be left behind an answer.
        min_rows: the fewest rows that may look alike (k-anonymity).
        max_leakage: the most bits that may leak.
        max_maximin: the most bits that every row may tell, I*.
        suppress: the share of rows that may be suppressed.
        objective: what is to be small: `leakage`, `maximin` or `both`.
        utility: what is to be kept: a small `distortion` or a large `resolution`.
        codeword: what numbers of a cell become: `midrange`, `centroid`, `medoid`, or `interval`, a text.
        method: `auto`, `greedy` or `exact`.
        categorical: columns of numbers to take as categories.
        time_limit: after how many seconds the search ends with the best that it has found.

    Attributes:
        certificate_: the certificate of the fitted table's release.
        public_: the columns that come out.
        n_features_in_: how many columns were fitted.
        feature_names_in_: what they are called, if they have names.

    >>> import pandas as pd
    >>> people = pd.DataFrame({"age": [31, 35, 52, 47, 31, 60], "ill": ["flu", "cold"] * 3})
    >>> releaser = NoiselessReleaser(sensitive="ill", min_posterior=2).set_output(transform="pandas")
    >>> releaser.fit_transform(people)["age"].tolist()
    [33.0, 33.0, 53.5, 53.5, 33.0, 53.5]
    >>> releaser.transform(pd.DataFrame({"age": [33, 99], "ill": ["flu", "flu"]}))["age"].tolist()
    [33.0, nan]
    """

    def __init__(
        self,
        *,
        sensitive: Columns | None = None,
        given: Columns = (),
        min_posterior: int | None = 2,
        min_rows: int | None = None,
        max_leakage: Fraction | float | str | None = None,
        max_maximin: Fraction | float | str | None = None,
        suppress: Fraction | float | str = 0,
        objective: Objective = "leakage",
        utility: Utility = "distortion",
        codeword: Codeword = "midrange",
        method: Method = "auto",
        categorical: Columns = (),
        time_limit: float | None = None,
    ) -> None:
        self.sensitive = sensitive
        self.given = given
        self.min_posterior = min_posterior
        self.min_rows = min_rows
        self.max_leakage = max_leakage
        self.max_maximin = max_maximin
        self.suppress = suppress
        self.objective = objective
        self.utility = utility
        self.codeword = codeword
        self.method = method
        self.categorical = categorical
        self.time_limit = time_limit

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: ANN401, N803 - scikit-learn's names
        """Choose the cells.

        Args:
            X: a frame or an array: the columns to publish, and those that `sensitive` and `given` name.
            y: the sensitive values, unless `sensitive` names columns.

        Raises:
            ValueError: no cells keep the limits, or the data cannot be used.
        """
        table, hidden = self._table(X, reset=True), _listed(self.sensitive)
        if not hidden:
            table, hidden = self._with_target(table, y), (_TARGET,)
        known = _listed(self.given)
        self.public_ = tuple(name for name in table.column_names if name not in (*hidden, *known))
        options = {name: value for name, value in self.get_params(deep=False).items() if name not in _ROLES}
        try:
            done = release(table, sensitive=hidden, public=self.public_, given=known, **options)
        except NoiselessError as error:
            raise ValueError(str(error)) from error
        self.certificate_: Mapping[str, Any] = done.certificate.to_dict()
        self._numbers = {
            name: self.codeword != "interval" and self.certificate_["options"]["kinds"][name] == "number"
            for name in self.public_
        }
        return self

    def transform(self, X: Any) -> Any:  # noqa: ANN401, N803
        """Write each row as its cell, in the order of the rows.

        Args:
            X: a frame or an array with the columns that were fitted.

        Returns:
            An array, or a frame if `set_output` asks for one.
        """
        check_is_fitted(self)
        table = self._table(X, reset=False).select(list(self.public_))
        released = self._applied(table).table
        columns = [_values(released.column(name), number=self._numbers[name]) for name in self.public_]
        if all(self._numbers.values()):
            return np.column_stack(columns)
        return np.column_stack([column.astype(object) for column in columns])

    def apply(self, X: Any, y: Any = None) -> AppliedRelease:  # noqa: ANN401, N803
        """Release new rows, with what they give away by themselves; sorted, for their order tells too.

        Args:
            X: a frame or an array with the columns that were fitted.
            y: their sensitive values, if these are not columns of `X`.
        """
        check_is_fitted(self)
        table = self._table(X, reset=False)
        if not _listed(self.sensitive) and y is not None:
            table = self._with_target(table, y)
        return self._applied(table, keep_order=False)

    def get_feature_names_out(self, input_features: Any = None) -> Any:  # noqa: ANN401 - as scikit-learn's
        """The names of the columns that come out.

        Args:
            input_features: the names of the columns that go in, which must be those that were fitted.
        """
        check_is_fitted(self)
        known = getattr(self, "feature_names_in_", None)
        if input_features is None:
            return np.array(self.public_, dtype=object)
        given = [str(name) for name in input_features]
        if len(given) != self.n_features_in_:
            raise ValueError("input_features should have length equal to number of features")
        if known is not None and given != list(known):
            raise ValueError("input_features is not equal to feature_names_in_")
        fitted = known if known is not None else _numbered(self.n_features_in_)
        renamed = dict(zip(fitted, given, strict=True))
        return np.array([renamed[name] for name in self.public_], dtype=object)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = self.sensitive is None
        tags.input_tags.string = tags.input_tags.categorical = True
        tags.transformer_tags.preserves_dtype = ["float64"]
        return tags

    def _table(self, X: Any, *, reset: bool) -> pa.Table:  # noqa: ANN401, N803
        """The columns of X under the names that were fitted; arrays have numbered ones."""
        table = arrow_of(X)
        if table is None:
            values = validate_data(self, X, reset=reset, dtype=None, ensure_min_samples=2 if reset else 1)
            return pa.table(dict(zip(_numbered(values.shape[1]), map(_column, values.T), strict=True)))
        validate_data(self, X, reset=reset, skip_check_array=True)
        if table.num_rows < (least := 2 if reset else 1):
            raise ValueError(
                f"Found array with {table.num_rows} sample(s) while a minimum of {least} is required."
            )
        if hasattr(self, "feature_names_in_"):
            return table
        return table.rename_columns(_numbered(table.num_columns))

    def _with_target(self, table: pa.Table, y: Any) -> pa.Table:  # noqa: ANN401
        if y is None:
            problem = "requires y to be passed, but the target y is None"
            raise ValueError(f"{type(self).__name__} {problem}; or name sensitive columns of X")
        if _TARGET in table.column_names:
            raise ValueError(f"a column is named {_TARGET!r}, as y is in the certificate; rename it")
        values = _column(column_or_1d(y, warn=True))
        if len(values) != table.num_rows:
            raise ValueError(
                f"X has {table.num_rows} rows and y has {len(values)}; they must be the same rows"
            )
        return table.append_column(_TARGET, values)

    def _applied(self, table: pa.Table, *, keep_order: bool = True) -> AppliedRelease:
        try:
            return apply_release(table, self.certificate_, keep_order=keep_order)
        except NoiselessError as error:
            raise ValueError(str(error)) from error


_TARGET = "target"
"""What y is called in the certificate."""

_ROLES = frozenset({"sensitive", "given"})


def _listed(columns: Columns | None) -> tuple[str, ...]:
    return () if columns is None else (columns,) if isinstance(columns, str) else tuple(columns)


def _numbered(many: int) -> list[str]:
    """What scikit-learn calls columns without names."""
    return [f"x{place}" for place in range(many)]


def _column(values: Any) -> pa.Array:  # noqa: ANN401 - an array of numpy
    """Values of numpy as Arrow has them; of mixed kinds as texts.

    Raises:
        ValueError: they are complex, or objects that are no values.
    """
    try:
        return pa.array(values)
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        return pa.array([None if value is None else str(value) for value in values])
    except pa.ArrowNotImplementedError as error:
        raise ValueError("a column holds values that no table has") from error


def _values(column: pa.ChunkedArray, *, number: bool) -> Any:  # noqa: ANN401 - an array of numpy
    """A column as numpy has it: numbers as floats, NaN for what reads `*`."""
    if not number:
        return np.array(column.to_pylist(), dtype=object)
    if pa.types.is_string(column.type):
        column = pc.if_else(pc.equal(column, SUPPRESSED), None, column)
    return column.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)
