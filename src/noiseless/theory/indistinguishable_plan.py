"""The finest answer of which few outputs tell two values of one person apart (Definition 5 of [P2])."""

from dataclasses import dataclass
from typing import Any

from noiseless.display import counted
from noiseless.errors import RequestError
from noiseless.exact import Bits, Rational
from noiseless.pricing.plan import Plan, Promise, declared_bounds, named_query
from noiseless.pricing.reach import QuantizedQuery, printed_cells
from noiseless.questions import Additive, LinearOnBox
from noiseless.ranges.quantizer import Stepped, Uniform
from noiseless.theory.accuracy.peaks import largest_of_all
from noiseless.theory.indistinguishability import decided_cells, most_cells

MOST_STEPS = 2**20
"""Numbers of points that are tried."""


@dataclass(frozen=True)
class FewTell(Promise):
    """At most a few outputs distinguish two values of one person, the others unknown.

    Attributes:
        outputs: the most outputs that can come out for one of two values only.
    """

    outputs: int

    @property
    def line(self) -> str:
        """The outputs and the epsilon of Definition 5."""
        epsilon = f": epsilon is {Bits(self.outputs)}" if self.outputs else ""
        told = counted(self.outputs, "answers")
        return f"At most {told} distinguish two values of one person, the others unknown{epsilon}."

    def to_dict(self) -> dict[str, Any]:
        """The same in JSON; epsilon is minus infinity where no output tells anything."""
        epsilon = Bits(self.outputs).upper if self.outputs else "-inf"
        return {"telling_outputs": self.outputs, "epsilon": epsilon}


def indistinguishable_plan(
    query: str,
    n: int,
    bounds: tuple[Rational, Rational] | None,
    step: Rational | None,
    outputs: object,
) -> Plan:
    """The finest equal cells for which at most `outputs` answers tell two values of one person apart.

    2^epsilon outputs are epsilon-indistinguishability. On an interval the cells are those of Theorem 5 of
    [P2], exact; on a lattice all cells of equally many points are looked at.

    >>> found = indistinguishable_plan("mean", 10, (0, 1), None, 2)
    >>> found.cells, found.promise.outputs
    (19, 2)

    Raises:
        RequestError: the question is no count, sum or mean of two or more.
    """
    if isinstance(outputs, bool) or not isinstance(outputs, int) or outputs < 1:
        raise RequestError("give a whole number of outputs, 1 or more, that may distinguish two values")
    question, values = named_query(query, n, *declared_bounds(query, bounds), step)
    most = largest_of_all(question.contributions) if isinstance(question, Additive) else None
    quantizer: Uniform | Stepped
    if n > 1 and isinstance(question, LinearOnBox) and question.span.width:
        whole = question.span.width
        quantizer = Uniform(question.span, int(most_cells(whole / n, whole, outputs)))
        told = decided_cells(whole / n, whole, quantizer.cells)
    elif n > 1 and isinstance(question, Additive) and most:
        points = fewest_points(n, most, outputs)
        quantizer, told = Stepped(question.span, points), telling_outputs(n, most, points)
    else:
        raise RequestError("this is planned for counts, sums and means of two or more people who can differ")
    mechanism = QuantizedQuery(question, quantizer)
    return Plan(query, n, mechanism, values, printed_cells(question, mechanism.bits), FewTell(told))


def telling_outputs(people: int, most: int, points: int) -> int:
    """The most cells that tell two values apart, of a sum of numbers from 0 to `most`.

    With the value x the others reach every sum from x on, (people - 1) * most further: a run of cells, whose
    ends ascend with x. Runs of any two values overlap, so that they differ most for the two extreme ones.
    """
    last = people * most
    return most // points + last // points - (last - most) // points


def fewest_points(people: int, most: int, outputs: int) -> int:
    """The fewest points of a cell that keep `telling_outputs` within `outputs`.

    With a = floor(most / points) it is 2a or 2a + 1; so the first candidate is the first with 2a <= outputs.
    From there on steps lead to the next number of points for which a quotient differs.

    Raises:
        RequestError: there are too many steps.
    """
    sums = (most, people * most, (people - 1) * most)
    points = most // (outputs // 2 + 1) + 1
    for _ in range(MOST_STEPS):
        if telling_outputs(people, most, points) <= outputs:
            return points
        points = min(total // (total // points) for total in sums if total >= points) + 1
    raise RequestError("this takes long to plan for so large a group; allow one output more")
