"""The finest cells that leave as many sensitive values possible as a rule does."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow.types as pt

from noiseless.audits.census import Census
from noiseless.audits.exact_columns import exact_values
from noiseless.exact import Bits, round_up
from noiseless.policies.contiguous import contiguous_release
from noiseless.policies.contiguous.order import MOST_WHOLE
from noiseless.tables import Tally


@dataclass(frozen=True)
class Finest:
    """Contiguous cells of one public column, told by their middles: the least change for as much privacy.

    Attributes:
        column: the public column.
        cells: how many there are.
        min_posterior: how many sensitive values the most telling cell leaves possible.
        leakage: the bits that it gives away.
        largest_change: how far a value is moved at most (in days, for dates).
        days: whether the column holds dates.
        scope: "all" where it is proved that no partition at all changes less, otherwise "contiguous".
    """

    column: str
    cells: int
    min_posterior: int
    leakage: Bits
    largest_change: Fraction
    days: bool
    scope: str

    def to_dict(self) -> dict[str, Any]:
        """As it is in JSON."""
        return {
            "column": self.column,
            "cells": self.cells,
            "min_posterior": self.min_posterior,
            "leakage": self.leakage.upper,
            "largest_change": round_up(self.largest_change),
            "scope": self.scope,
        }


def finest_cells(
    raw: Tally, public: Sequence[str], given: Sequence[str], sensitive: Sequence[str], posterior: int
) -> Finest | str:
    """The finest contiguous cells with at least this posterior, or why there are none to compare with."""
    if len(public) > 1:
        return "there are several public columns; noiseless release looks for cells over all of them"
    if given:
        return "the adversary knows more than the public column; noiseless release takes that into account"
    column = public[0]
    groups = raw.project((column,))
    values = groups.decode(column)
    kind = values.type
    if not any(test(kind) for test in (pt.is_integer, pt.is_floating, pt.is_decimal, pt.is_temporal)):
        return f"{column} is not a column of numbers or dates, so it has no order to cut into cells"
    if values.null_count:
        return f"{column} has missing values, which lie in no cell; leave them out with --missing drop"
    places, scale = _whole(exact_values(column, values))
    if len(set(places)) < len(places):
        return f"{column} holds times of day; the rule is compared where values are days or numbers"
    joint = Census.take(raw, (column,), sensitive, None).joint
    small = min(places) > -MOST_WHOLE and max(places) < MOST_WHOLE
    release = contiguous_release(joint, np.array(places) if small else places, posterior=posterior)
    return Finest(
        column,
        len(release.begins),
        release.posterior,
        release.leakage,
        release.distortion / scale,
        pt.is_temporal(kind),
        release.scope,
    )


def _whole(values: Sequence[Any]) -> tuple[list[int], int]:
    """Numbers or days as whole multiples of a part, and how many parts make one."""
    if all(isinstance(value, int) for value in values):
        return list(values), 1
    if not all(isinstance(value, Decimal) for value in values):
        return [value.toordinal() for value in values], 1
    scale = 10 ** max(0, *(-value.as_tuple().exponent for value in values))
    return [int(Fraction(value) * scale) for value in values], scale
