"""The zero-error capacity of a memoryless channel, between exact numbers."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from math import floor
from typing import Any

from noiseless.display import Facts, Shown
from noiseless.exact import Bits, Nats, ball, ball_below, round_down, round_up
from noiseless.intervals import Enclosure
from noiseless.measures import leakage
from noiseless.ranges import JointRange
from noiseless.theory.zero_error import block_codes, independence
from noiseless.theory.zero_error.block_codes import BlockCode, Rate, component_code
from noiseless.theory.zero_error.graph import (
    ChannelBlock,
    Graph,
    channel_blocks,
    check_pairs,
    fractional_cover,
)
from noiseless.theory.zero_error.independence import IndependentSet, independent_set
from noiseless.theory.zero_error.subranges import SubrangeLeakage, largest_symmetric_leakage
from noiseless.theory.zero_error.theta import MAX_NODES, Theta, lovasz_theta

MAX_GRAPH = 2_000
"""Up to this many inputs a block its confusability graph is built; beyond, only bounds that need none."""

_LETTERS = 500
"""Up to this many letters (undominated inputs) block codes are looked for."""


@dataclass(frozen=True, repr=False)
class ZeroErrorBracket(Shown):
    """The zero-error capacity C0 lies from `lower` to `upper`; every part is a certain bound.

    log2 alpha <= C0 <= log2 theta <= log2 cover <= largest L0s over sub-ranges <= L0(Y;X).

    Attributes:
        inputs: |[[X]]|.
        outputs: |[[Y]]|.
        independence: inputs that are never confused (alpha), as codes of X, and how many there can be.
        codes: the block codes looked for, by length; their letters are codes of X. A length is left out when
            no code of it could beat the best one found.
        theta: Lovasz's number of the confusability graph, enclosed by rationals.
        cover: Shannon's fractional cover of the inputs by outputs, enclosed by rationals.
        subranges: the largest L0s over sub-ranges of the inputs.
        leakage: L0(Y;X).
        labels: what the codes of X stand for, if not themselves.
    """

    inputs: int
    outputs: int
    independence: IndependentSet
    codes: tuple[BlockCode, ...]
    theta: Theta
    cover: Enclosure
    subranges: SubrangeLeakage
    leakage: Bits
    labels: Any = None

    @property
    def lower(self) -> Rate:
        """The best rate found: log2 alpha, or (1/n) log2 of a code of n letters."""
        return max([Rate(self.independence.size), *(code.rate for code in self.codes)])

    @property
    def upper(self) -> Bits:
        """The smallest of the upper bounds."""
        bounds = (Bits(self.theta.upper), Bits(self.cover.upper), self.subranges.upper, self.leakage)
        return min(bounds)

    @property
    def exact(self) -> bool:
        """Whether the two ends meet: then this is the capacity."""
        return self.lower == self.upper

    @property
    def never_confused(self) -> tuple[Any, ...]:
        """The inputs of the independent set, by label."""
        nodes = self.independence.nodes
        return nodes if self.labels is None else tuple(self.labels[node] for node in nodes)

    def words(self, length: int) -> tuple[tuple[Any, ...], ...] | None:
        """The words of the code of some length, by label; None when there is none or it has too many."""
        for code in self.codes:
            if code.length == length and code.words is not None:
                return tuple(
                    tuple(letter if self.labels is None else self.labels[letter] for letter in word)
                    for word in code.words
                )
        return None

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON: what is achieved is rounded down, what bounds it is rounded up; inputs count from 1."""
        alpha, theta, cover = self.independence, self.theta, self.cover
        return {
            "lower": self.lower.lower,
            "upper": self.upper.upper,
            "lower_nats": ball_below(ball(self.lower.words).log() / self.lower.length),
            "upper_nats": Nats(self.upper.ratio).upper,
            "method": "zero-error",
            "exact": self.exact,
            "inputs": self.inputs,
            "outputs": self.outputs,
            "never_confused": [node + 1 for node in alpha.nodes],
            "never_confused_at_most": alpha.bound,
            "codes": [{"length": c.length, "words": c.size, "at_most": c.bound} for c in self.codes],
            "theta_lower": round_down(theta.lower),
            "theta_upper": round_up(theta.upper),
            "cover_lower": round_down(cover.lower),
            "cover_upper": round_up(cover.upper),
            "leakage_subranges": self.subranges.upper.upper,
            "leakage": self.leakage.upper,
        }

    def _rows(self) -> Iterator[tuple[str, str]]:
        alpha, theta = self.independence, self.theta
        between = f"{self.lower.rounded_down(6)} to {self.upper.rounded_up(6)} bits"
        yield "capacity", f"{self.upper}" if self.exact else between
        yield "inputs never confused", f"{alpha.size}" + ("" if alpha.exact else f" (at most {alpha.bound})")
        for code in self.codes:
            most = "" if code.exact else f" (at most {code.bound})"
            yield f"words of {code.length} letters", f"{code.size}{most}: {code.rate}"
        note = f" ({theta.skipped} inputs by a clique cover only)" if theta.skipped else ""
        yield "Lovasz's number", f"at most {Bits(theta.upper)}{note}"
        yield "fractional cover", f"at most {Bits(self.cover.upper)}"
        yield "L0s over sub-ranges", f"at most {self.subranges.upper}"
        yield "L0(Y;X)", f"{self.leakage}"

    def _shown(self) -> tuple[str, Facts]:
        return f"Zero-error capacity ({self.inputs} inputs, {self.outputs} outputs)", dict(self._rows())


def zero_error_capacity(
    joint: JointRange,
    *,
    max_length: int = 3,
    limit: int = independence.STEPS,
    code_limit: int = block_codes.STEPS,
    theta_nodes: int = MAX_NODES,
) -> ZeroErrorBracket:
    """Bracket the zero-error capacity C0 of the memoryless channel X -> Y ((10) of [P1]).

    How many bits a use of the channel carries when no error is ever allowed, however long the code.

    X is the input, Y the output; [[Y|x]] is what the input x can cause. Two inputs are confusable when some
    output can come from both. Which bounds are valid, and why:

    * log2 alpha(G) and (1/n) log2 of a code of n letters are achieved, hence lower bounds.
    * C0 <= log2 theta(G): theta multiplies over uses of the channel (Lovasz, 1979).
    * theta <= the fractional cover of the inputs by outputs: the causes of an output form a clique.
    * the cover <= 2^L0s(A;Y) for some sub-range A: take the inputs that an optimal fractional packing uses.
      Optimal weights u of the outputs cover each of them exactly once, so |A| = sum_y u_y |A_y| is at least
      min_y |A_y| times the cover, which is at most 2^L0(A;Y) therefore; and it is at most 2^L0(Y;A), since
      equal weights 1/min_x |Y_x| cover A.
      So Proposition 2 of [P1] holds (its proof takes for granted that the words of a code form a product).
    * L0s(A;Y) <= L0(Y;A) <= L0(Y;X). L0s of the *whole* range is no bound.

    >>> typewriter = JointRange.from_pairs([(x, (x + d) % 5) for x in range(5) for d in (0, 1)])
    >>> found = zero_error_capacity(typewriter)
    >>> found.lower, float(found.upper) - float(found.lower) < 1e-8, found.leakage
    (Rate(5, 2), True, Bits(5/2))

    Args:
        joint: the joint range [[X, Y]].
        max_length: the longest block codes to look for, when the bracket is still open without them.
        limit: how many steps the search for alpha may take on one piece; beyond it alpha is enclosed.
        code_limit: how many steps the search for a block code may take on one product of pieces.
        theta_nodes: the largest piece for which the semidefinite program is solved.

    Raises:
        RequestError: the range holds no pair.

    Inequalities:
        * `I*(X;Y) <= log2 alpha(G) <= C0 <= log2 theta(G) <= max_A L0s(A;Y) <= L0(Y;X)`.
        * `C0 <= C`: the capacity with errors is no smaller, whatever the probabilities.
    """
    check_pairs(joint)
    single, blocks = channel_blocks(joint)
    theta_of = cache(lambda graph: lovasz_theta(graph, theta_nodes))
    parts = [_part(piece, limit, theta_of) for piece in blocks]
    plain = Fraction(len(single))
    nodes = [*single, *(node for part in parts for node in part.independence.nodes)]
    bracket = ZeroErrorBracket(
        inputs=joint.size_x,
        outputs=joint.size_y,
        independence=IndependentSet(
            tuple(sorted(nodes)), len(single) + sum(part.independence.bound for part in parts)
        ),
        codes=(),
        theta=Theta.total([Theta(plain, plain), *(part.theta for part in parts)]),
        cover=sum((part.cover for part in parts), Enclosure.exactly(plain)),
        subranges=largest_symmetric_leakage(joint),
        leakage=leakage(joint.swapped()),
        labels=joint.x_labels,
    )
    for length in range(2, max_length + 1):
        if Rate(max(1, floor(bracket.upper.ratio**length)), length) > bracket.lower:
            code = _code(single, parts, length, code_limit, theta_of)
            bracket = bracket if code is None else replace(bracket, codes=(*bracket.codes, code))
    return bracket


@dataclass(frozen=True)
class _Part:
    """What is found of one piece.

    Attributes:
        components: the letters (codes of X) of each component of its undominated inputs, and their
            confusability graph; none when it is too large for a graph.
    """

    components: tuple[tuple[list[int], Graph], ...]
    independence: IndependentSet
    theta: Theta
    cover: Enclosure


def _part(piece: ChannelBlock, limit: int, theta_of: Callable[[Graph], Theta]) -> _Part:
    cover = fractional_cover(len(piece.inputs), piece.causes)
    if len(piece.inputs) > MAX_GRAPH:
        chosen = _disjoint(piece)
        bound = Theta(cover.upper, Fraction(len(chosen)), skipped=len(piece.inputs))
        return _Part((), IndependentSet(chosen, floor(cover.upper)), bound, cover)
    whole = Graph.of_cliques(len(piece.inputs), piece.causes)
    components, nodes, most, thetas = [], [], 0, []
    for part in whole.reduced_components():
        letters, graph = [piece.inputs[node] for node in part], whole.induced(part)
        theta = theta_of(graph)
        alpha = independent_set(graph, limit, floor(theta.upper))
        components.append((letters, graph))
        nodes += [letters[node] for node in alpha.nodes]
        most += alpha.bound
        thetas.append(replace(theta, lower=max(theta.lower, Fraction(alpha.size))))
    total = Theta.total(thetas)
    total = replace(total, upper=min(total.upper, cover.upper))
    largest = IndependentSet(tuple(nodes), min(most, floor(total.upper)))
    return _Part(tuple(components), largest, total, cover)


def _disjoint(piece: ChannelBlock) -> tuple[int, ...]:
    """Inputs no two of which share an output, those with few outputs first."""
    outputs: list[list[int]] = [[] for _ in piece.inputs]
    for y, causes in enumerate(piece.causes):
        for place in causes:
            outputs[place].append(y)
    taken: set[int] = set()
    chosen = []
    for place in sorted(range(len(outputs)), key=lambda place: len(outputs[place])):
        if taken.isdisjoint(outputs[place]):
            taken.update(outputs[place])
            chosen.append(piece.inputs[place])
    return tuple(chosen)


def _code(
    single: list[int],
    parts: list[_Part],
    length: int,
    limit: int,
    theta_of: Callable[[Graph], Theta],
) -> BlockCode | None:
    """A block code over the undominated inputs, unless they are too many."""
    components = [([letter], Graph((0,))) for letter in single]
    components += [component for part in parts for component in part.components]
    if sum(len(letters) for letters, _ in components) > _LETTERS or not all(
        part.components for part in parts
    ):
        return None
    return component_code(components, length, limit, lambda graph: theta_of(graph).upper)
