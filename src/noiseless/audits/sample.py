"""Risks and rates of a table that is a weighted sample: estimates, where no list of the population exists.

A row of weight w stands for w people. Of a group, f rows are sampled, and the sum of their weights estimates
its size F in the population. Model (Benedetti and Franconi 1998, as in mu-Argus and sdcMicro): given f, F is
negative binomial with f successes of probability p = f / (sum of the weights). Then a row of the group is
matched with its person with probability E[1 / F | f] = (p / f) 2F1(1, 1; f + 1; 1 - p), and a row that is
unique in the sample is unique in the population with probability p.

Zayatz (1991, as in ARX) asks the last question otherwise: if groups of the population had the sizes of those
in the sample, and n of N people were drawn, how often would a row that is alone be the only one of its group?
The two answers can be far apart, and both are given.

Nothing here is a guarantee: whether a model fits cannot be seen from the sample.
"""

from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.types as pt

from noiseless.arrays import FloatArray
from noiseless.audits.census import Census, GroupSizes
from noiseless.display import Facts, Shown
from noiseless.errors import ColumnError, RequestError
from noiseless.tables import Tally
from noiseless.tables.kernels import run_starts

MODEL = "negative binomial (Benedetti and Franconi)"
"""What the population is taken to be like."""


@dataclass(frozen=True, repr=False)
class SampleRisk(Shown):
    """Estimates for a weighted sample.

    Attributes:
        population: the sum of the weights.
        fewest_alike: the smallest sum of the weights of a group.
        journalist_risk: the largest probability that a row is matched with its person.
        marketer_risk: the mean of these probabilities.
        sample_uniques: how many rows look like no other row.
        population_uniques: how many of them look like nobody else in the population.
        population_uniques_zayatz: the same by the model of Zayatz.
        blind_guess: how often the best guess about a person of the population is right without the table.
        best_guess: how often it is right by the most common value of the person's group.
        largest_belief: the largest share of the population that one value has of a group.
    """

    population: float
    fewest_alike: float
    journalist_risk: float
    marketer_risk: float
    sample_uniques: int
    population_uniques: float
    population_uniques_zayatz: float
    blind_guess: float
    best_guess: float
    largest_belief: float

    def _shown(self) -> tuple[str, Facts]:
        alone, by_zayatz = self.population_uniques, self.population_uniques_zayatz
        facts = {
            "population": f"{self.population:,.0f}",
            "fewest who look alike": f"{self.fewest_alike:,.1f}",
            "journalist risk": f"{self.journalist_risk:.2%}".replace("%", " %"),
            "marketer risk": f"{self.marketer_risk:.2%}".replace("%", " %"),
            "unique in the sample": f"{self.sample_uniques:,}",
            "of these unique in the population": f"{alone:,.1f} (by Zayatz: {by_zayatz:,.1f})",
            "best guess right": f"{self.best_guess:.2%} (blind: {self.blind_guess:.2%})".replace("%", " %"),
        }
        return f"Estimates for the population, no guarantee; model: {MODEL}", facts

    def to_dict(self) -> dict[str, Any]:
        """As it is in JSON."""
        return {"model": MODEL, **{name: getattr(self, name) for name in self.__dataclass_fields__}}


def match_probability(sampled: npt.ArrayLike, p: npt.ArrayLike) -> FloatArray:
    """E[1 / F] of a group of which this many are sampled, each with probability p."""
    from scipy.special import hyp2f1

    rows, share = np.asarray(sampled, float), np.asarray(p, float)
    return np.asarray(share / rows * hyp2f1(1, 1, rows + 1, 1 - share))


def constant_weight(text: str) -> float:
    """A weight for all rows.

    Raises:
        RequestError: it is none.
    """
    try:
        number = float(Decimal(text))
    except InvalidOperation:
        number = float("nan")
    if not (number > 0 and np.isfinite(number)):
        raise RequestError(f"weights are a column, or a number above 0 for all rows, not {text!r}")
    return number


def check_weights(column: str, values: pa.Array) -> FloatArray:
    """Weights as numbers.

    Raises:
        ColumnError: one is missing, or no number above 0.
    """
    kind = values.type
    if not (pt.is_integer(kind) or pt.is_floating(kind) or pt.is_decimal(kind)):
        raise ColumnError(column, "holds no numbers, and weights are numbers; name another column")
    if values.null_count:
        raise ColumnError(column, "lacks a weight in some row; fill it in, or leave these rows out")
    found = np.asarray(values.cast(pa.float64()).to_numpy(zero_copy_only=False))
    if not (np.isfinite(found) & (found > 0)).all():
        raise ColumnError(column, "must be above 0 in every row to hold weights; mend it")
    return found


def sample_risk(tally: Tally, census: Census, width: int, weights: FloatArray) -> SampleRisk:
    """The estimates of a tally.

    Args:
        tally: combinations of what is seen and of the sensitive columns, then the weights.
        census: who stands behind each answer.
        width: how many columns are seen or sensitive.
        weights: the weight of a row of each combination.
    """
    joint, rows = census.joint, census.group_sizes
    held = np.add.reduceat(weights * tally.counts, run_starts(tally.prefix(width)))
    starts, whole = joint.starts[:-1], float(held.sum())
    sums, most = np.add.reduceat(held, starts), np.maximum.reduceat(held, starts)
    alike = np.maximum(sums, rows)  # everybody in the sample is in the population
    matched = match_probability(rows, rows / alike)
    return SampleRisk(
        population=whole,
        fewest_alike=float(alike.min()),
        journalist_risk=float(matched.max()),
        marketer_risk=float((matched * rows).sum() / rows.sum()),
        sample_uniques=int(np.count_nonzero(rows == 1)),
        population_uniques=float((1 / alike[rows == 1]).sum()),
        population_uniques_zayatz=_by_zayatz(GroupSizes.of(rows), whole),
        blind_guess=float(np.bincount(joint.x, weights=held).max()) / whole,
        best_guess=float(most.sum()) / whole,
        largest_belief=float((most / sums).max()),
    )


def _by_zayatz(sizes: GroupSizes, population: float) -> float:
    """How many sample uniques are population uniques, if groups in both are of like sizes."""
    from scipy.stats import hypergeom

    if not sizes.alone:
        return 0.0
    rows = sizes.heads
    members, groups = map(np.array, zip(*sizes.groups.items(), strict=True))
    shown = groups * hypergeom.pmf(1, max(round(population), rows), members, rows)
    return float(sizes.alone * shown[members == 1][0] / shown.sum())
