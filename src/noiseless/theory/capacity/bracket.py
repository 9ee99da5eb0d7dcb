"""The capacity of a channel between two certain ends."""

import math
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal

from noiseless.arrays import FloatArray
from noiseless.display import html_table, text_table
from noiseless.exact import Bits, Nats

_LN2 = math.log(2)


@dataclass(frozen=True, eq=False, repr=False)
class Capacity:
    """The capacity max_p I(p; W) lies certainly between `lower` and `upper`.

    Attributes:
        lower_nats: I(p; W) of the prior, rounded down.
        upper_nats: max_x D(W(x) || q) of the output, rounded up; never above
            ln min(inputs, outputs).
        prior: the prior p that attains the lower end.
        output: the distribution q of outputs that proves the upper end.
        method: "exact" (inputs are told apart completely or not at all), "uniform" (the uniform prior is
            optimal: symmetric channels), "newton" or "blahut-arimoto".
        converged: whether the ends are as near to each other as was asked for.
        exact: the capacity as an exact number where it is known, otherwise None.
    """

    lower_nats: float
    upper_nats: float
    prior: FloatArray
    output: FloatArray
    method: str
    converged: bool
    exact: Bits | None = None

    @property
    def inputs(self) -> int:
        """How many inputs the channel has."""
        return len(self.prior)

    @property
    def outputs(self) -> int:
        """How many outputs the channel has."""
        return len(self.output)

    @property
    def lower(self) -> float:
        """The lower end in bits, rounded down."""
        if self.exact is not None:
            return self.exact.lower + 0.0  # not -0.0
        return max(0.0, _next(self.lower_nats / _LN2, -math.inf))

    @property
    def upper(self) -> float:
        """The upper end in bits, rounded up."""
        if self.exact is not None:
            return self.exact.upper
        return min(_next(self.upper_nats / _LN2, math.inf), Bits(min(self.inputs, self.outputs)).upper)

    @property
    def width_nats(self) -> float:
        """How far the ends are apart, rounded up."""
        return ends_apart(self.lower_nats, self.upper_nats)

    @property
    def atoms(self) -> int:
        """How many inputs the prior uses."""
        return int((self.prior > 0).sum())

    def __repr__(self) -> str:
        return text_table(*self._shown())

    def _repr_html_(self) -> str:
        return html_table(*self._shown())

    def _shown(self) -> tuple[str, dict[str, str]]:
        title = f"Capacity of a channel with {self.inputs:,} inputs and {self.outputs:,} outputs"
        return title, {
            "bits": between(self.lower, self.upper),
            "nats": between(self.lower_nats, self.upper_nats),
            "method": self.method,
            "inputs used": f"{self.atoms:,}",
            "converged": "yes" if self.converged else f"no: the ends are {self.width_nats:.1e} nats apart",
        }


def exactly(count: int, prior: FloatArray, output: FloatArray) -> Capacity:
    """The capacity ln `count`, known exactly."""
    lower, upper = (Nats(count).lower, Nats(count).upper) if count > 1 else (0.0, 0.0)
    return Capacity(lower, upper, prior, output, "exact", converged=True, exact=Bits(count))


def between(lower: float, upper: float) -> str:
    """Two ends with ten digits, rounded outwards."""
    down, up = (
        f"{Context(prec=10, rounding=side).create_decimal(Decimal(end)).normalize():g}"
        for end, side in ((lower, ROUND_FLOOR), (upper, ROUND_CEILING))
    )
    return down if down == up else f"{down} to {up}"


def ends_apart(lower: float, upper: float) -> float:
    """The difference of two floats, rounded up."""
    return max(0.0, math.nextafter(upper - lower, math.inf)) if upper > lower else 0.0


def _next(value: float, towards: float) -> float:
    """Two floats on: further than a rounded ln 2 and a rounded quotient can be off."""
    return math.nextafter(math.nextafter(value, towards), towards)
