"""Any guarantee into any other: one question, one sentence for an answer."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Decimal
from enum import StrEnum
from fractions import Fraction

from noiseless.display import html_table, significant
from noiseless.errors import RequestError
from noiseless.exact import Nats, ball, ball_above, round_up
from noiseless.theory.differential import conversion_bounds, published_bounds, tradeoff
from noiseless.theory.differential.parameters import (
    Delta,
    Epsilon,
    in_nats,
    read_epsilon,
    upper_delta,
    upper_epsilon,
)

_DIGITS, _GIVEN_DIGITS = 6, 15


class GuaranteeKind(StrEnum):
    """A kind of guarantee: (epsilon, delta)-DP, KL-DP, MI-DP, or (0, delta)-DP."""

    dp = "dp"
    kl = "kl"
    mi = "mi"
    delta = "delta"


@dataclass(frozen=True, repr=False)
class Conversion:
    """What follows from a guarantee; numbers are rounded up.

    Attributes:
        epsilon: the epsilon in nats, infinite where nothing follows; None of (0, delta)-DP.
        delta: the delta where there is one, otherwise None.
        unit: "nats", or "probability" of a delta.
        statement: the same as a sentence.
        tight: whether it is known to be the best possible statement of its form.
    """

    epsilon: float | None
    delta: float | None
    unit: str
    statement: str
    tight: bool

    @property
    def follows(self) -> bool:
        """Whether a guarantee of the wanted kind follows at all."""
        return self.epsilon is None or math.isfinite(self.epsilon)

    def __repr__(self) -> str:
        return self.statement

    def _repr_html_(self) -> str:
        numbers = {"epsilon, in nats": self.epsilon, "delta": self.delta}
        rows = {
            name: "none" if math.isinf(x) else shown_number(x) for name, x in numbers.items() if x is not None
        }
        return html_table(self.statement, {**rows, "best possible": "yes" if self.tight else "not known"})

    def to_dict(self) -> Mapping[str, object]:
        """The fields as JSON has them."""
        numbers = {"epsilon": self.epsilon, "delta": self.delta}
        return {name: number for name, number in numbers.items() if number is not None} | {
            "unit": self.unit,
            "statement": self.statement,
            "tight": self.tight,
        }


@dataclass(frozen=True)
class Guarantee:
    """A guarantee that is given, read and checked."""

    kind: GuaranteeKind
    epsilon: Epsilon
    delta: Delta
    inputs: int | None
    outputs: int | None

    @property
    def is_perfect(self) -> bool:
        """Whether nothing at all is told."""
        return upper_epsilon(self.epsilon) == 0 and upper_delta(self.delta) == 0

    def __str__(self) -> str:
        if self.kind is GuaranteeKind.delta or upper_delta(self.delta) > 0:
            return f"({_plain(self.epsilon)}, {_plain(self.delta)})-DP"
        return f"{_plain(self.epsilon)}-{_NAMES[self.kind]}"


_NAMES = {
    GuaranteeKind.dp: "DP",
    GuaranteeKind.kl: "KL-DP",
    GuaranteeKind.mi: "MI-DP",
    GuaranteeKind.delta: "DP",
}


def converted(
    given: Guarantee, wanted: GuaranteeKind, target_epsilon: Epsilon | None, *, as_printed: bool
) -> Conversion:
    """What a guarantee says in terms of another kind; of one entry, and of one answer."""
    if wanted is GuaranteeKind.delta:
        return _to_delta(given, as_printed=as_printed)
    if wanted is GuaranteeKind.dp:
        return _to_dp(given, target_epsilon, as_printed=as_printed)
    found = (
        _to_kl(given, as_printed) if wanted is GuaranteeKind.kl else information(given, as_printed=as_printed)
    )
    return _to_nats(given, wanted, *found)


def read_kind(kind: GuaranteeKind | str) -> GuaranteeKind:
    """A kind by its name.

    Raises:
        RequestError: there is none of that name.
    """
    try:
        return GuaranteeKind(kind)
    except ValueError:
        raise RequestError(
            f"{kind!r} is no kind of guarantee; take one of {', '.join(GuaranteeKind)}"
        ) from None


def read_guarantee(
    kind: GuaranteeKind, epsilon: Epsilon | None, delta: Delta | None, inputs: int | None, outputs: int | None
) -> Guarantee:
    """A guarantee that is given.

    Raises:
        RequestError: a parameter is missing, makes no sense, or does not belong to the kind.
    """
    if kind is GuaranteeKind.delta:
        if epsilon is not None:
            raise RequestError("(0, delta)-DP has no epsilon; give delta alone, or convert from dp")
        if delta is None:
            raise RequestError("delta is missing; give the delta of the (0, delta)-DP to convert from")
    elif epsilon is None:
        raise RequestError(f"epsilon is missing; give that of the {_NAMES[kind]} to convert from, in nats")
    elif delta is not None and kind is not GuaranteeKind.dp:
        raise RequestError(f"{_NAMES[kind]} has no delta; leave it out, or convert from dp")
    given = Guarantee(kind, 0 if epsilon is None else epsilon, 0 if delta is None else delta, inputs, outputs)
    upper_epsilon(given.epsilon)
    upper_delta(given.delta)
    conversion_bounds.alphabet(inputs, outputs)
    return given


def _to_kl(given: Guarantee, as_printed: bool) -> tuple[float, bool]:  # noqa: ARG001 - (11) is printed and best
    if given.kind is GuaranteeKind.kl:
        return in_nats(given.epsilon), True
    if given.kind is GuaranteeKind.mi:
        return (0.0 if given.is_perfect else math.inf), True
    return conversion_bounds.dp_to_kl(given.epsilon, given.delta), True


def information(given: Guarantee, *, as_printed: bool = False) -> tuple[float, bool]:
    """The MI-DP that follows, in nats, and whether that is known to be best."""
    sizes = {"inputs": given.inputs, "outputs": given.outputs}
    unlimited = given.inputs is None and given.outputs is None
    if given.kind is GuaranteeKind.mi:
        return min(in_nats(given.epsilon), conversion_bounds.kl_to_mi(math.inf, **sizes)), True
    if given.kind is GuaranteeKind.kl:
        value = in_nats(given.epsilon) if as_printed else conversion_bounds.kl_to_mi(given.epsilon, **sizes)
        return value, unlimited or given.is_perfect or (
            not as_printed and upper_epsilon(given.epsilon) is None
        )
    if not as_printed:
        value = conversion_bounds.dp_to_mi(given.epsilon, given.delta, **sizes)
        return value, conversion_bounds.is_best(given.epsilon, given.delta, **sizes)
    if upper_delta(given.delta) == 0:
        return conversion_bounds.dp_to_kl(given.epsilon), given.is_perfect
    through = conversion_bounds.dp_to_delta(given.epsilon, given.delta)
    return published_bounds.reverse(through, **sizes), unlimited


def _to_nats(given: Guarantee, wanted: GuaranteeKind, value: float, tight: bool) -> Conversion:
    name = _NAMES[wanted]
    if math.isinf(value):
        return Conversion(math.inf, None, "nats", _nothing(given, name), tight)
    unit = f"nats; {shown_number(in_bits(value))} bits" if wanted is GuaranteeKind.mi else "nats"
    statement = f"{given} implies {shown_number(value)}-{name} ({unit}), {quality(tight)}."
    return Conversion(value, None, "nats", statement, tight)


def _to_delta(given: Guarantee, *, as_printed: bool) -> Conversion:
    tight = True
    if given.kind is GuaranteeKind.kl:
        value = (published_bounds.pinsker if as_printed else conversion_bounds.kl_to_delta)(given.epsilon)
        tight = not as_printed or given.is_perfect
    elif given.kind is GuaranteeKind.mi:
        value = conversion_bounds.mi_to_delta(given.epsilon)
    else:
        value = conversion_bounds.dp_to_delta(given.epsilon, given.delta)
    return Conversion(None, value, "probability", _closeness(given, "0", value, tight), tight)


def _to_dp(given: Guarantee, target: Epsilon | None, *, as_printed: bool) -> Conversion:
    """(epsilon', delta')-DP for a wanted epsilon'; without one epsilon-DP, or what was given if it was DP."""
    if target is None:
        if given.kind is GuaranteeKind.dp:
            value, failure = in_nats(given.epsilon), round_up(upper_delta(given.delta))
            return Conversion(value, failure, "nats", f"{given} is what was given.", tight=True)
        if given.is_perfect:
            return Conversion(0.0, None, "nats", f"{given} implies 0-DP: nothing is revealed.", tight=True)
        return Conversion(math.inf, None, "nats", _nothing(given, "epsilon-DP"), tight=True)
    wanted = read_epsilon(target, "target epsilon")
    if wanted is None:
        raise RequestError("a target epsilon is finite")
    value, tight = _delta_at(given, target, as_printed=as_printed)
    shown = _closeness(given, _plain(target), value, tight)
    return Conversion(in_nats(target), value, "nats", shown, tight)


def _delta_at(given: Guarantee, target: Epsilon, *, as_printed: bool) -> tuple[float, bool]:
    if given.kind in {GuaranteeKind.dp, GuaranteeKind.delta}:
        return conversion_bounds.dp_to_dp(given.epsilon, given.delta, target=target), True
    exact, wanted = upper_epsilon(given.epsilon), read_epsilon(target)
    if as_printed:  # [P5] has no formula for (33): what holds for epsilon' = 0 holds for any
        at_zero = _to_delta(given, as_printed=True)
        return at_zero.delta or 0.0, at_zero.tight and (given.is_perfect or wanted is None or wanted == 0)
    value = (tradeoff.mi_to_dp if given.kind is GuaranteeKind.mi else tradeoff.kl_to_dp)(
        given.epsilon, target
    )
    searched = exact is None or exact == 0 or exact >= tradeoff.SMALLEST_SEARCHED
    return value, searched and (wanted is None or wanted <= tradeoff.LARGEST_TARGET)


def _closeness(given: Guarantee, epsilon: str, delta: float, tight: bool) -> str:
    if delta < 1:
        return f"{given} implies ({epsilon}, {shown_number(delta)})-DP, {quality(tight)}."
    vacuous = f"{given} implies ({epsilon}, 1)-DP, which says nothing"
    if given.kind is GuaranteeKind.mi:
        return (
            f"{vacuous}: one noiseless bit (ln 2 = 0.693 nats) is outside (0, delta)-DP for every delta < 1."
        )
    return f"{vacuous}."


def _nothing(given: Guarantee, name: str) -> str:
    """Why no finite guarantee follows."""
    if upper_epsilon(given.epsilon) is None:
        return f"{given} is no guarantee: nothing follows."
    if name == _NAMES[GuaranteeKind.mi]:
        return f"No finite {name} follows from {given} unless the number of inputs or of outputs is limited."
    return f"No {name} follows from {given}: it admits outputs that only one of two neighbours can cause."


def quality(tight: bool) -> str:
    """Whether more could be said, in words."""
    return "the best possible" if tight else "not known to be the best possible"


def _plain(number: Epsilon) -> str:
    """A given number in decimals."""
    exact = read_epsilon(number)
    if exact is None:
        return "inf"
    rational = Fraction(exact.upper) if isinstance(exact, Nats) else exact
    return _decimal(significant(rational, _GIVEN_DIGITS, ROUND_HALF_EVEN))


def in_bits(nats: float) -> float:
    """The same in bits, rounded up."""
    from flint import arb

    return ball_above(ball(nats) / arb.const_log2())


def shown_number(value: float) -> str:
    """Six digits, rounded up."""
    return _decimal(significant(value, _DIGITS))


def _decimal(number: Decimal) -> str:
    return f"{number:f}" if abs(number.adjusted()) <= _DIGITS else f"{number:e}"
