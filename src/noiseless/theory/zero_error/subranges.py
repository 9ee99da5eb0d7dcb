"""The largest symmetric leakage over sub-ranges of the inputs (Proposition 2 of [P1])."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import takewhile

import numpy as np

from noiseless.exact import Bits
from noiseless.ranges import JointRange
from noiseless.theory.zero_error.graph import check_pairs, mask_of, members

STEPS = 20_000
"""How many steps one maximum-coverage problem may take."""

MAX_WORK = 10**9
"""Up to this many bits of sets of outputs (pairs times outputs) the search is made at all."""


@dataclass(frozen=True)
class SubrangeLeakage:
    """The largest L0s(A;Y) over sub-ranges A of the inputs, enclosed.

    Attributes:
        upper: certainly not below it, and so not below the zero-error capacity.
        lower: the L0s of the sub-range found.
        inputs: that sub-range, as codes of inputs.
    """

    upper: Bits
    lower: Bits
    inputs: tuple[int, ...]

    @property
    def exact(self) -> bool:
        """Whether the two ends meet."""
        return self.upper == self.lower


def largest_symmetric_leakage(joint: JointRange, limit: int = STEPS) -> SubrangeLeakage:
    """The largest min(L0(A;Y), L0(Y;A)) over A inside [[X]]: the bound of Proposition 2 of [P1].

    Since L0(A;Y) = max_y log |A|/|A_y| and L0(Y;A) = max_x log |Y_A|/|Y_x|, one may fix the y and the x in
    these maxima and maximise min(|A|/|A_y|, |Y_A|/|Y_x|). Inputs that cannot cause y only help, so A holds
    all b of them, and c of those that can: (b + c)/c falls in c, while the outputs reached rise. Only outputs
    all of whose causes can cause y are still open, and c inputs must reach as many of them as they can: a
    maximum-coverage problem. Without nested outputs there is nothing to choose; otherwise branch and bound
    decides.

    >>> joint = JointRange.from_pairs([(1, "a"), (1, "b"), (2, "b"), (3, "a")])
    >>> found = largest_symmetric_leakage(joint)
    >>> found.upper, found.exact, found.inputs
    (Bits(2), True, (0, 1))

    Args:
        joint: the joint range, X the input and Y the output.
        limit: how many steps one coverage problem may take; beyond it `upper` stays above `lower`. When the
            range is too large to be searched `upper` is L0(Y;X), which is never below the maximum.

    Raises:
        RequestError: the range holds no pair.

    Inequalities:
        * `C0 <= log2 theta(G) <= max_A L0s(A;Y) <= L0(Y;X)`.
        * L0s of the *whole* range is no bound on C0.
    """
    check_pairs(joint)
    ceiling = Fraction(joint.size_y, int(joint.support_sizes.min()))
    everything = _symmetric(joint)
    if len(joint) * joint.size_y > MAX_WORK or everything == ceiling:
        return SubrangeLeakage(Bits(ceiling), Bits(everything), tuple(range(joint.size_x)))
    return _Searched(joint, ceiling, limit).run()


def _symmetric(joint: JointRange) -> Fraction:
    """2 to the L0s of the whole range."""
    forth = Fraction(joint.size_x, int(joint.posterior_sizes.min()))
    return min(forth, Fraction(joint.size_y, int(joint.support_sizes.min())))


class _Searched:
    """The search over the outputs y, best first."""

    def __init__(self, joint: JointRange, ceiling: Fraction, limit: int) -> None:
        self.joint, self.ceiling, self.limit = joint, ceiling, limit
        self.degrees = joint.support_sizes.tolist()
        self.by_degree = np.argsort(joint.support_sizes, kind="stable").tolist()
        back = joint.swapped()
        self.reached = [mask_of(back.posterior(x).tolist()) for x in range(joint.size_x)]
        self.causes = [joint.posterior(y).tolist() for y in range(joint.size_y)]
        self.best, self.inputs = Fraction(1), tuple(range(joint.size_x))
        self.open = Fraction(1)

    def run(self) -> SubrangeLeakage:
        """Go through the outputs, those with few causes first: they leave the most inputs outside."""
        nested = self._nested()
        for y in sorted(range(self.joint.size_y), key=lambda y: len(self.causes[y])):
            if self.best == self.ceiling:
                break
            self._with_output(y, nested[y])
        upper = max(self.best, min(self.open, self.ceiling))
        return SubrangeLeakage(Bits(upper), Bits(self.best), self.inputs)

    def _nested(self) -> list[int]:
        """For each y the outputs (as bits) all of whose causes can cause y, y among them."""
        nested = [0] * self.joint.size_y
        for y, causes in enumerate(self.causes):
            above = -1
            for x in causes:
                above &= self.reached[x]
            for other in members(above):
                nested[other] |= 1 << y
        return nested

    def _with_output(self, y: int, nested: int) -> None:
        """Improve on the best value with A having few causes of y."""
        outside = self.joint.size_x - len(self.causes[y])
        if not outside or outside + 1 <= self.best:
            return
        sure = self.joint.size_y - nested.bit_count()
        sets = {x: self.reached[x] & nested for x in self.causes[y]}
        for anchor, degree in self._anchors(y):
            for count in range(1, len(sets) + 1):
                ratio = Fraction(outside + count, count)
                most = Fraction(sure + nested.bit_count(), degree)
                if min(ratio, most) <= self.best:
                    break
                chosen, covered, bound = _coverage(sets, anchor, count, self.limit)
                reached = Fraction(sure + covered, degree)
                if min(ratio, reached) > self.best:
                    self.best = min(ratio, reached)
                    inside = set(self.causes[y]) - set(chosen)
                    self.inputs = tuple(x for x in range(self.joint.size_x) if x not in inside)
                self.open = max(self.open, min(ratio, Fraction(sure + bound, degree)))
                if reached >= ratio:
                    break

    def _anchors(self, y: int) -> Iterator[tuple[int | None, int]]:
        """The x whose number of outputs divides: the least that cannot cause y, or a lesser one that can."""
        inside = set(self.causes[y])
        lesser = list(takewhile(inside.__contains__, self.by_degree))
        least = self.degrees[self.by_degree[len(lesser)]]
        yield None, least
        yield from ((x, self.degrees[x]) for x in lesser if self.degrees[x] < least)


def _coverage(sets: dict[int, int], anchor: int | None, count: int, limit: int) -> tuple[list[int], int, int]:
    """At most `count` sets, the anchor's among them, with the largest union; its size; a bound on any."""
    taken = [] if anchor is None else [anchor]
    base = sets[anchor] if anchor is not None else 0
    rest = _maximal({x: each & ~base for x, each in sets.items() if x != anchor})
    chosen, union = _greedy(rest, base, count - len(taken))
    best, size = taken + chosen, union.bit_count()
    if not best:
        best = [next(iter(sets))]
    bound = _bound(rest, base, count - len(taken))
    if size == bound:
        return best, size, bound
    order = sorted(rest, key=lambda x: -rest[x].bit_count())
    stack = [(0, base, taken)]
    for _ in range(limit):
        if not stack:
            return best, size, size
        start, covered, used = stack.pop()
        if covered.bit_count() > size:
            best, size = used, covered.bit_count()
        left = order[start:]
        if left and len(used) < count and _bound(rest, covered, count - len(used), left) > size:
            stack.append((start + 1, covered, used))
            stack.append((start + 1, covered | rest[left[0]], [*used, left[0]]))
    return best, size, bound


def _maximal(sets: dict[int, int]) -> dict[int, int]:
    """Those that are not empty and lie in no other."""
    kept: dict[int, int] = {}
    for x, each in sorted(sets.items(), key=lambda item: -item[1].bit_count()):
        if each and not any(not each & ~other for other in kept.values()):
            kept[x] = each
    return kept


def _greedy(sets: dict[int, int], base: int, count: int) -> tuple[list[int], int]:
    chosen: list[int] = []
    while len(chosen) < count and sets:
        x = max(sets, key=lambda x: (sets[x] & ~base).bit_count())
        if not sets[x] & ~base:
            break
        chosen.append(x)
        base |= sets[x]
    return chosen, base


def _bound(sets: dict[int, int], base: int, count: int, among: list[int] | None = None) -> int:
    """No choice of `count` sets covers more: what the largest of them add to `base`, taken one by one."""
    gains = sorted(((sets[x] & ~base).bit_count() for x in among or sets), reverse=True)
    union = base
    for x in among or sets:
        union |= sets[x]
    return min(union.bit_count(), base.bit_count() + sum(gains[:count]))
