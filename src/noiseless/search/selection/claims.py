"""What is proved about a chosen partition."""

from dataclasses import dataclass

from noiseless.exact import Bits, as_fraction, ball, ball_above, round_up
from noiseless.search.merging.lagrangian import Lagrangian, Loss
from noiseless.search.merging.length import Length
from noiseless.search.selection.bounds import Bound, Bounds
from noiseless.search.selection.choice import Choice, Scope, Value
from noiseless.search.selection.pool import Found
from noiseless.search.selection.targets import Targets

EXACT = "exact, contiguous"


@dataclass(frozen=True)
class Claim:
    """What is proved.

    Attributes:
        optimal: whether no partition in the scope does better.
        gap: how much better any could be, rounded up; None if not known.
        scope: among which partitions.
        proof: what shows it.
        at_least: the bound on all partitions.
    """

    optimal: bool
    gap: float | None
    scope: Scope
    proof: str
    at_least: Loss | None


def chosen(targets: Targets, found: Found, contiguous: Loss | Lagrangian | None) -> Choice:
    """A partition with what is proved about it.

    Args:
        targets: the limits.
        found: the partition.
        contiguous: the best that contiguous cells can do within the limits, if that is known.
    """
    single = found.quality.cells == targets.problem.size and not found.hidden.any()
    if targets.wish.aim == "lagrangian":
        claim = _lagrangian_claim(targets, found, contiguous)
    else:
        claim = _claim(targets, found, contiguous)
    return Choice(
        targets.problem,
        found.cells,
        found.hidden,
        found.quality,
        "unchanged" if single else found.method,
        _value(targets),
        claim.optimal,
        claim.gap,
        claim.scope,
        claim.proof,
        claim.at_least,
    )


def _value(targets: Targets) -> Value:
    wish = targets.wish
    if wish.aim == "lagrangian":
        return "lagrangian"
    if wish.aim == "loss":
        return wish.utility
    return "maximin" if wish.objective == "maximin" else "leakage"


def _claim(targets: Targets, found: Found, contiguous: Loss | Lagrangian | None) -> Claim:
    wish, bounds = targets.wish, Bounds(targets, found.cells)
    nothing: Loss = Bits(1)
    if wish.aim == "loss":
        value = found.quality.loss(wish.utility)
        nothing = Bits(1) if wish.utility == "resolution" else Length(0)
        bound = Bound(nothing, "nothing is lost") if value == nothing else bounds.loss()
    else:
        value, bound = found.quality.leak(wish.objective), bounds.leak()
    if bound is not None and not _is_below(bound.value, value):
        return Claim(True, 0.0, "all", f"no partition does better: {bound.proof}", value)
    known = bound is not None and _is_below(nothing, bound.value)
    gap = difference(value, bound.value) if bound is not None and known else None
    least = bound.value if bound is not None and known else None
    rest = f"; how much better any other partition could be: {bound.proof}" if bound and known else ""
    if contiguous is not None and value == contiguous:
        proof = f"no contiguous cells do better: all of them were looked at, in order{rest}"
        return Claim(True, gap, "contiguous", proof, least)
    return Claim(False, gap, "all", f"the best of what was found{rest}", least)


def _lagrangian_claim(targets: Targets, found: Found, contiguous: Loss | Lagrangian | None) -> Claim:
    wish = targets.wish
    weight = as_fraction(wish.weight or 0)
    value = lagrangian(targets, found)
    curve = [Lagrangian(leak, loss, weight) for leak, loss in Bounds(targets, found.cells).curve()]
    least = curve[0] if curve else None
    for one in curve[1:]:
        if least is not None and one.compare(least) < 0:
            least = one
    gap = None
    if least is not None:
        if least.compare(value) >= 0:
            return Claim(True, 0.0, "all", "no partition does better: a bound for every posterior", None)
        gap = value.above(least)
    if isinstance(contiguous, Lagrangian) and value.compare(contiguous) == 0:
        proof = "no contiguous cells do better: the whole exact frontier was looked at"
        return Claim(True, gap, "contiguous", proof, None)
    return Claim(False, gap, "all", "the best of what was found", None)


def lagrangian(targets: Targets, found: Found) -> Lagrangian:
    """The Lagrangian of a partition."""
    wish = targets.wish
    leak = found.quality.leak(wish.objective).ratio
    return Lagrangian(leak, found.quality.loss(wish.utility), as_fraction(wish.weight or 0))


def _is_below(first: Loss, second: Loss) -> bool:
    if isinstance(first, Bits) and isinstance(second, Bits):
        return first < second
    return isinstance(first, Length) and isinstance(second, Length) and first < second


def difference(value: Loss, least: Loss) -> float:
    """How much a value is above another one of its kind, rounded up."""
    if isinstance(value, Bits) and isinstance(least, Bits):
        return (value - least).upper
    if not isinstance(value, Length) or not isinstance(least, Length):
        raise TypeError("two values of one kind differ by a number")
    high, low = value.rational, least.rational
    if high is not None and low is not None:
        return round_up(high - low)
    import flint

    with flint.ctx.workprec(128):
        balls = [
            ball(length.value).sqrt() if length.root else ball(length.value) for length in (value, least)
        ]
        return ball_above(balls[0] - balls[1])
