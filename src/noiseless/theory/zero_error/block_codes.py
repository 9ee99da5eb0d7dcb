"""Zero-error codes of several letters: independent sets in strong products of confusability graphs."""

import itertools
import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cache, total_ordering
from math import floor

from noiseless.exact import Bits, log2_bounds, round_down, round_up
from noiseless.theory.zero_error.graph import Graph, fractional_cover, mask_of, members
from noiseless.theory.zero_error.independence import edge_cliques, independent_set, larger_set, swapped_set

STEPS = 20_000
"""How many steps the exact search takes on one product of up to 200 nodes, for each orbit of words."""

_USUAL = 200

_ROOM = 2_000
"""How many nodes the products that are searched may have together; others keep what shorter codes give."""

_SWAPS = 30

Word = tuple[int, ...]
Kinds = tuple[int, ...]

_MAX_BOOK = 10_000


class Products:
    """Codes in products of some graphs, each product searched once; letters are nodes of the factors.

    Local search starts from the codes of fewer letters, and branch and bound follows, at whose root one word
    of each orbit is enough: equal factors can be exchanged.
    """

    def __init__(
        self, graphs: tuple[Graph, ...], limit: int, theta: Callable[[Graph], Fraction] | None
    ) -> None:
        self.graphs = graphs
        self.limit = limit
        self.theta = theta and cache(theta)
        self.room = _ROOM
        self.codes: dict[Kinds, tuple[list[Word], int]] = {(): ([()], 1)}
        self.fractional = cache(self._fractional)

    def code(self, kinds: Kinds) -> tuple[list[Word], int]:
        """The words found in the product of these graphs (ascending), and how many there can be at most."""
        if kinds not in self.codes:
            if len(kinds) == 1:
                best = independent_set(self.graphs[kinds[0]])
                self.codes[kinds] = [(node,) for node in best.nodes], best.bound
            else:
                self.codes[kinds] = self._product(kinds)
        return self.codes[kinds]

    def _product(self, kinds: Kinds) -> tuple[list[Word], int]:
        """The best product of shorter codes, and what a search makes of it."""
        splits = [(self.code(kinds[:cut])[0], self.code(kinds[cut:])[0]) for cut in range(1, len(kinds))]
        first, second = max(splits, key=lambda split: len(split[0]) * len(split[1]))
        known = [left + right for left, right in itertools.product(first, second)]
        bound = self._bound(kinds)
        nodes = math.prod(len(self.graphs[kind]) for kind in kinds)
        if len(known) == bound or nodes > self.room:
            return known, bound
        self.room -= nodes
        return self._search(kinds, known, bound)

    def _bound(self, kinds: Kinds) -> int:
        """A fractional clique cover of a factor times the code of the rest (Rosenfeld); theta multiplies."""
        bound = min(
            math.floor(self.fractional(kind) * self.code(kinds[:cut] + kinds[cut + 1 :])[1])
            for cut, kind in enumerate(kinds)
        )
        if self.theta is None:
            return bound
        return min(bound, math.floor(math.prod(self.theta(self.graphs[kind]) for kind in kinds)))

    def _fractional(self, kind: int) -> Fraction:
        graph = self.graphs[kind]
        return fractional_cover(len(graph), edge_cliques(graph)).upper

    def _search(self, kinds: Kinds, known: list[Word], bound: int) -> tuple[list[Word], int]:
        product = Graph((0,))
        for kind in kinds:
            product = product.strong_product(self.graphs[kind])
        letters = list(itertools.product(*(range(len(self.graphs[kind])) for kind in kinds)))
        place = {word: node for node, word in enumerate(letters)}
        best = swapped_set(product, bound, [place[word] for word in known], _SWAPS)
        if len(best) < bound:
            best, finished = self._by_orbits(product, kinds, best)
            bound = len(best) if finished else bound
        return [letters[node] for node in best], bound

    def _by_orbits(self, product: Graph, kinds: Kinds, best: list[int]) -> tuple[list[int], bool]:
        """Sets with a word of each orbit in turn; an orbit done with need not be looked at again."""
        groups: dict[tuple[tuple[int, int], ...], list[int]] = {}
        letters = ([(kind, node) for node in range(len(self.graphs[kind]))] for kind in kinds)
        for node, word in enumerate(itertools.product(*letters)):
            groups.setdefault(tuple(sorted(word)), []).append(node)
        alive = product.everything
        steps = self.limit * _USUAL**2 // max(_USUAL, len(product)) ** 2
        for group in sorted(groups.values(), key=len, reverse=True):
            first = group[0]
            around = list(members(alive & ~product.rows[first] & ~(1 << first)))
            if len(around) >= len(best):
                more, finished = larger_set(product.induced(around), len(best) - 1, steps)
                if more is not None:
                    best = [first, *(around[node] for node in more)]
                if not finished:
                    return best, False
            alive &= ~mask_of(group)
        return best, True


@total_ordering
@dataclass(frozen=True, eq=False)
class Rate:
    """The exact number (1/length) log2(words): the bits a use that a code of this many words carries.

    Comparisons with other rates and with `Bits` are exact. As a rate is what is surely achieved, floats and
    texts of it are rounded down.

    >>> Rate(5, 2) > Rate(2), Rate(4, 2) == Bits(2), float(Rate(8)), str(Rate(5, 2))
    (True, True, 3.0, '1.16 bits')
    """

    words: int
    length: int = 1

    def __post_init__(self) -> None:
        if self.words < 1 or self.length < 1:
            raise ValueError("a code has at least one word of at least one letter")

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Rate | Bits):
            ratio, length = _parts(other)
            return bool(self.words**length == ratio**self.length)
        return NotImplemented

    def __lt__(self, other: "Rate | Bits") -> bool:
        if isinstance(other, Rate | Bits):
            ratio, length = _parts(other)
            return bool(self.words**length < ratio**self.length)
        return NotImplemented

    def __hash__(self) -> int:
        from flint import fmpz

        words, length = self.words, self.length
        for divisor in range(length, 1, -1):  # equal rates have the same shortest form
            root = int(fmpz(words).root(divisor))
            if length % divisor == 0 and root**divisor == words:
                return hash(Rate(root, length // divisor))
        return hash(Bits(words)) if length == 1 else hash((words, length))

    def __float__(self) -> float:
        return self.lower

    def __repr__(self) -> str:
        return f"Rate({self.words})" if self.length == 1 else f"Rate({self.words}, {self.length})"

    def __str__(self) -> str:
        return f"{self.rounded_down(2)} bits"

    def rounded_down(self, places: int) -> str:
        """The value with this many decimals, never above the exact one."""
        return f"{Decimal(floor(self._bounds()[0] * 10**places)).scaleb(-places):.{places}f}"

    @property
    def lower(self) -> float:
        """The largest float found that is not above the exact value."""
        return round_down(self._bounds()[0])

    @property
    def upper(self) -> float:
        """The smallest float found that is not below the exact value."""
        return round_up(self._bounds()[1])

    def _bounds(self) -> tuple[Fraction, Fraction]:
        low, high = log2_bounds(Fraction(self.words))
        return low / self.length, high / self.length


def _parts(value: Rate | Bits) -> tuple[Fraction, int]:
    return (Fraction(value.words), value.length) if isinstance(value, Rate) else (value.ratio, 1)


@dataclass(frozen=True)
class BlockCode:
    """Words of `length` letters no two of which can cause the same outputs.

    Attributes:
        length: how many uses of the channel a word takes.
        size: how many words there are.
        bound: no code of this length has more.
        words: the words, letter by letter; None when there are more than ten thousand.
    """

    length: int
    size: int
    bound: int
    words: tuple[Word, ...] | None

    @property
    def exact(self) -> bool:
        """Whether it is proved to be a largest one."""
        return self.size == self.bound

    @property
    def rate(self) -> Rate:
        """(1/length) log2(size): a lower bound on the zero-error capacity."""
        return Rate(self.size, self.length)


def block_code(
    graph: Graph, length: int, limit: int = STEPS, theta: Callable[[Graph], Fraction] | None = None
) -> BlockCode:
    """A large zero-error code with words of `length` letters.

    Letters are taken from the undominated nodes. A strong power falls into products of components, so one
    multiset of components is searched at a time, equal components only once (`Products`).

    >>> pentagon = Graph.from_edges(5, [(i, (i + 1) % 5) for i in range(5)])
    >>> code = block_code(pentagon, 2)
    >>> code.size, code.exact, str(code.rate)
    (5, True, '1.16 bits')

    Args:
        graph: the confusability graph.
        length: how many letters a word has.
        limit: how many steps the search may take on one product.
        theta: an upper bound on Lovasz's number of a component; it can end a search early.
    """
    parts = [(part, graph.induced(part)) for part in graph.reduced_components()]
    return component_code(parts, length, limit, theta)


def component_code(
    components: Sequence[tuple[Sequence[int], Graph]],
    length: int,
    limit: int,
    theta: Callable[[Graph], Fraction] | None,
) -> BlockCode:
    """The same for a graph that is given by its components: the letters of each, and the graph of them."""
    kinds: dict[Graph, list[Sequence[int]]] = {}
    for letters, part in sorted(components, key=lambda component: len(component[0])):
        kinds.setdefault(part, []).append(letters)
    products = Products(tuple(kinds), limit, theta)
    size = bound = 0
    for chosen in itertools.combinations_with_replacement(range(len(kinds)), length):
        code, most = products.code(chosen)
        ways = _arrangements(chosen) * math.prod(len(kinds[products.graphs[kind]]) for kind in chosen)
        size, bound = size + ways * len(code), bound + ways * most
    words = tuple(_book(list(kinds.values()), products, length)) if size <= _MAX_BOOK else None
    return BlockCode(length, size, bound, words)


def _arrangements(chosen: Sequence[int]) -> int:
    """In how many orders a multiset can be written."""
    return math.factorial(len(chosen)) // math.prod(map(math.factorial, Counter(chosen).values()))


def _book(kinds: list[list[Sequence[int]]], products: Products, length: int) -> list[Word]:
    """All words of a length: those of every sequence of components, from those of its multiset of kinds."""
    parts = [(kind, part) for kind, alike in enumerate(kinds) for part in alike]
    words: list[Word] = []
    for sequence in itertools.product(parts, repeat=length):
        order = sorted(range(length), key=lambda place: sequence[place][0])
        back = sorted(range(length), key=order.__getitem__)
        code, _ = products.code(tuple(sequence[place][0] for place in order))
        words += [tuple(sequence[place][1][word[back[place]]] for place in range(length)) for word in code]
    return words
