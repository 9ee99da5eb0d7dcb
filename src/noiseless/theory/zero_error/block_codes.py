"""Zero-error codes of several letters: independent sets in strong powers of the confusability graph."""

import itertools
import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from noiseless.theory.zero_error.graph import Graph
from noiseless.theory.zero_error.products import STEPS, Products, Word
from noiseless.theory.zero_error.rate import Rate

_MAX_BOOK = 10_000


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
    kept = graph.undominated()
    rest = graph.induced(kept)
    parts = [[kept[node] for node in part] for part in rest.components()]
    kinds: dict[Graph, list[list[int]]] = {}
    for part in sorted(parts, key=len):
        kinds.setdefault(graph.induced(part), []).append(part)
    products = Products(tuple(kinds), limit, theta)
    size = bound = 0
    for chosen in itertools.combinations_with_replacement(range(len(kinds)), length):
        found, most = products.code(chosen)
        ways = _arrangements(chosen) * math.prod(len(kinds[products.graphs[kind]]) for kind in chosen)
        size, bound = size + ways * len(found), bound + ways * most
    words = tuple(_book(list(kinds.values()), products, length)) if size <= _MAX_BOOK else None
    return BlockCode(length, size, bound, words)


def _arrangements(chosen: Sequence[int]) -> int:
    """In how many orders a multiset can be written."""
    ways = math.factorial(len(chosen))
    for count in Counter(chosen).values():
        ways //= math.factorial(count)
    return ways


def _book(kinds: list[list[list[int]]], products: Products, length: int) -> list[Word]:
    """All words of a length: those of every sequence of components, from those of its multiset of kinds."""
    parts = [(kind, part) for kind, alike in enumerate(kinds) for part in alike]
    words: list[Word] = []
    for sequence in itertools.product(parts, repeat=length):
        order = sorted(range(length), key=lambda place: sequence[place][0])
        back = sorted(range(length), key=order.__getitem__)
        found, _ = products.code(tuple(sequence[place][0] for place in order))
        words += [tuple(sequence[place][1][word[back[place]]] for place in range(length)) for word in found]
    return words
