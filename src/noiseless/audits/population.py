"""Risks for one who does not know that a person is in the table: how many of the population look alike.

A journalist picks a row of the table and looks for its person in a list of the whole population, among the
N_y people who look like it. A marketer does so for every row and counts how many are found on average.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from noiseless.arrays import IntArray
from noiseless.display import Facts, Shown, percent_above
from noiseless.errors import ColumnError, RequestError
from noiseless.exact import round_up
from noiseless.tables import Tally, open_table
from noiseless.tables.kernels import add_by_code, ranked


@dataclass(frozen=True, repr=False)
class PopulationRisk(Shown):
    """What a list of the whole population adds.

    Attributes:
        population: how many are in the population.
        fewest_alike: how many of them look alike at least, of those who look like somebody in the table.
        marketer_risk: the share of rows whose person is found on average, when all are looked for.
    """

    population: int
    fewest_alike: int
    marketer_risk: Fraction

    @property
    def journalist_risk(self) -> Fraction:
        """The largest chance that a row is matched with its person."""
        return Fraction(1, self.fewest_alike)

    def _shown(self) -> tuple[str, Facts]:
        facts = {
            "fewest who look alike": f"{self.fewest_alike:,} of {self.population:,}",
            "journalist risk, at most": percent_above(self.journalist_risk),
            "marketer risk, on average": percent_above(self.marketer_risk),
        }
        return "Looked for in the population", facts

    def to_dict(self) -> dict[str, Any]:
        """As it is in JSON."""
        return {
            "size": self.population,
            "fewest_alike": self.fewest_alike,
            "journalist_risk": round_up(self.journalist_risk),
            "journalist_risk_exact": str(self.journalist_risk),
            "marketer_risk": round_up(self.marketer_risk),
            "marketer_risk_exact": str(self.marketer_risk),
        }


def population_risk(sample: Tally, population: Any) -> PopulationRisk:  # noqa: ANN401 - what open_table opens
    """The risks of the rows of a tally, given a table of the population with the same columns.

    Raises:
        RequestError: rows of the table are not in the population.
    """
    table = open_table(population)
    table.require(*sample.columns)
    whole = table.select(sample.columns).tally(sample.columns)
    known, found = np.zeros(len(sample), np.int64), np.zeros(len(whole), np.int64)
    for column in sample.columns:
        own, theirs = _codes(sample, whole, column)
        found = np.where(theirs < 0, -1, found)
        size = int(own.max()) + 1
        # Combinations are numbered anew column by column; those that the table does not have stay at -1.
        inside = found >= 0
        _, ranks = ranked(np.append(known, found[inside]) * size + np.append(own, theirs[inside]))
        known = ranks[: len(sample)]
        found[inside] = ranks[len(sample) :]
    inside = found >= 0
    many = max(int(known.max()), int(found.max(initial=0))) + 1
    alike = add_by_code(found[inside], whole.counts[inside], many)[known]
    short = int(np.count_nonzero(alike < sample.counts))
    if short:
        raise RequestError(
            f"{table.label}: {short:,} of {len(sample):,} groups of the table have more rows than people in "
            "the population; take a population that holds everybody in the table, coded alike"
        )
    people, kinds = np.unique(alike, return_inverse=True)
    rows = add_by_code(kinds.reshape(-1), sample.counts, len(people))
    hits = sum(map(Fraction, rows.tolist(), people.tolist()), Fraction(0))
    return PopulationRisk(whole.total, int(people[0]), hits / sample.total)


def _codes(sample: Tally, whole: Tally, column: str) -> tuple[IntArray, IntArray]:
    """The codes of a column in both tables; -1 for what only the population has."""
    values, theirs = sample.project((column,)).decode(column), whole.decode(column)
    try:
        theirs = theirs.cast(values.type)
    except pa.ArrowInvalid:
        kinds = f"{values.type} in the table, and {theirs.type} in the population"
        raise ColumnError(column, f"is {kinds}; write both alike") from None
    own = pc.index_in(sample.decode(column), value_set=values)
    met = pc.fill_null(pc.index_in(theirs, value_set=values), -1)
    return own.to_numpy().astype(np.int64), met.to_numpy(zero_copy_only=False).astype(np.int64)
