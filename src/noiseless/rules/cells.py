"""The answers that a rule really gives: cells that some dataset puts the answer in."""

from dataclasses import dataclass
from fractions import Fraction

from noiseless.pricing.reach import QuantizedQuery
from noiseless.questions import Lattice, Query
from noiseless.ranges.quantizer import Quantizer


@dataclass(frozen=True)
class Cells:
    """What is told of an answer, in numbers.

    Attributes:
        count: how many different answers there are.
        width: how wide the widest of their cells is.
        error: how far the middle of what is told can be from the truth.
    """

    count: int
    width: Fraction
    error: Fraction


def cells_told(query: Query, quantizer: Quantizer) -> Cells:
    """The cells that hold an answer; all of them, as a bound, where the answers there are were not listed.

    >>> from noiseless.ranges.quantizer import Stepped
    >>> from noiseless.questions import Attribute, Variance
    >>> spread = Variance(2, Attribute("x", range(4)))  # 0, 1, 4 and 9 quarters
    >>> cells_told(spread, Stepped(spread.span, 3))
    Cells(count=3, width=Fraction(3, 4), error=Fraction(1, 8))
    """
    error, positions, span = QuantizedQuery(query, quantizer).worst_error, query.attainable, query.span
    if not isinstance(span, Lattice):
        return Cells(quantizer.cells, 2 * error, error)
    if positions is None or (isinstance(positions, range) and positions.step == 1):
        return Cells(quantizer.cells, 2 * error + span.step, error)
    met = {quantizer.cell_at(position) for position in positions}
    points = max(quantizer.begin(cell + 1) - quantizer.begin(cell) for cell in met)
    return Cells(len(met), span.step * points, error)


def are_exact(query: Query) -> bool:
    """Whether these numbers are exact: all answers there are were listed, or are known to have no gaps."""
    return query.attainable is not None or not isinstance(query.span, Lattice)
