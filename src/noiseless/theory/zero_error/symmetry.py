"""Which nodes of a small graph look alike: orbits of its automorphisms."""

from collections.abc import Iterator

from noiseless.theory.zero_error.graph import Graph, members

_STEPS = 2000
"""Steps of the search for one automorphism; one that is not found in time costs speed, never soundness."""


def orbits(graph: Graph, steps: int = _STEPS) -> list[int]:
    """For each node the smallest node that an automorphism found takes to it.

    >>> orbits(Graph.from_edges(4, [(0, 1), (1, 2), (2, 3)]))
    [0, 1, 1, 0]
    """
    label = list(range(len(graph)))
    looks = _looks(graph)
    for node in range(1, len(graph)):
        for other in sorted(set(label[:node])):
            if label[node] == node and looks[node] == looks[other]:
                image = _automorphism(graph, looks, other, node, steps)
                for a, b in enumerate(image or ()):
                    low, high = sorted((label[a], label[b]))
                    label = [low if each == high else each for each in label]
    return label


def _looks(graph: Graph) -> list[int]:
    """A number for each node that every automorphism keeps: degrees, refined by those of the neighbours."""
    looks = [row.bit_count() for row in graph.rows]
    while True:
        seen = [(looks[n], tuple(sorted(looks[m] for m in members(row)))) for n, row in enumerate(graph.rows)]
        names = {key: number for number, key in enumerate(sorted(set(seen)))}
        if len(names) == len(set(looks)):
            return looks
        looks = [names[key] for key in seen]


def _automorphism(graph: Graph, looks: list[int], source: int, target: int, steps: int) -> list[int] | None:
    """An automorphism that takes `source` to `target`, by backtracking along a connected order."""
    order = _reachable_first(graph, source)
    image: dict[int, int] = {source: target}
    choices = [iter((target,)), _candidates(graph, looks, order, image)]
    for _ in range(steps):
        if len(image) == len(graph):
            return [image[node] for node in range(len(graph))]
        found = next(choices[-1], None)
        if found is None:
            choices.pop()
            if len(choices) == 1:
                return None
            del image[order[len(choices) - 1]]
        else:
            image[order[len(choices) - 1]] = found
            if len(image) < len(graph):
                choices.append(_candidates(graph, looks, order, image))
    return None


def _reachable_first(graph: Graph, source: int) -> list[int]:
    order, seen = [source], 1 << source
    for node in order:  # the list grows while it is read
        new = graph.rows[node] & ~seen
        seen |= new
        order += members(new)
    return order + list(members(graph.everything & ~seen))


def _candidates(graph: Graph, looks: list[int], order: list[int], image: dict[int, int]) -> Iterator[int]:
    """Where the next node of the order can go, given where those before it went."""
    node = order[len(image)]
    allowed = graph.everything
    for before, after in image.items():
        joined = graph.rows[node] >> before & 1
        allowed &= graph.rows[after] if joined else ~graph.rows[after] & ~(1 << after)
    return (other for other in members(allowed) if looks[other] == looks[node])
