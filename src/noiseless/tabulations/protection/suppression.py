"""Cell suppression: the figures to withhold at the least cost, so that what rules want stays possible."""

from collections.abc import Generator

import numpy as np

from noiseless.arrays import BoolArray, IntArray
from noiseless.tabulations.audit import TabulationAudit
from noiseless.tabulations.integer_program import Deadline
from noiseless.tabulations.protection.cells import TableCells
from noiseless.tabulations.protection.insiders import whole_tables
from noiseless.tabulations.protection.method import ProposedTables
from noiseless.tabulations.protection.pattern_search import PatternSearch
from noiseless.tabulations.protection.problem import TrueTables


class CellSuppression:
    """Withhold figures, and do not say why: one mark for sensitive ones and for those that guard them."""

    name = "suppress"

    def proposals(
        self, tables: TrueTables, deadline: Deadline
    ) -> Generator[ProposedTables, TabulationAudit, None]:
        """Patterns, the cheapest first.

        Raises:
            ImpossibleError: even with all figures withheld something is known.
            UndecidedError: no pattern was found in time.
        """
        search = PatternSearch(TableCells.of(tables), deadline)
        while True:
            pattern, bound = search.best()
            hidden = pattern[search.cells.cell_of]
            shown = whole_tables(search.cells, search.possible_moves(pattern))
            audit = yield _proposal(tables, hidden, bound, shown)
            known = _known(audit, tables, hidden)
            if known.any():  # withholding what is known all the same is of no use
                pattern = pattern & ~np.bincount(search.cells.cell_of, known, search.cells.many).astype(bool)
                audit = yield _proposal(tables, pattern[search.cells.cell_of], bound, shown)
            search.refuse(pattern, audit)


def _proposal(tables: TrueTables, hidden: BoolArray, bound: float, shown: IntArray) -> ProposedTables:
    loss, many = float(tables.weights[hidden].sum()), int(hidden.sum())
    unit = "figures withheld" if tables.costs is None else "of the weights withheld"
    words = f"{many:,} of {len(hidden):,} figures withheld, {int(tables.sensitive.sum()):,} of them sensitive"
    return ProposedTables(tables.suppressed(hidden), loss, min(bound, loss), unit, words, shown=shown)


def _known(audit: TabulationAudit, tables: TrueTables, hidden: BoolArray) -> BoolArray:
    """Figures that are withheld, not sensitive, and known to everybody."""
    if audit.ranges is None:
        return np.zeros(len(hidden), bool)
    return hidden & ~tables.sensitive & audit.ranges.known_sums()[: len(hidden)]
