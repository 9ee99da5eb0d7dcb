"""Flows through a network of cells and figures, as plain loops that run on lists or, compiled, on arrays.

Notation: arc a goes from one node to another and carries `flow[a]`, between `low[a]` and `high[a]`. Half 2a
follows it and can take `high[a] - flow[a]` more; half 2a+1 goes back and can take `flow[a] - low[a]`. The
halves that leave node v are `halves[starts[v]]` up to `halves[starts[v + 1]]`; half h ends at `ends[h]`.
"""

# ruff: noqa: PLR0917, PLR0912, PLR0915, C901 - compiled functions take no keywords, and call no others

from noiseless.arrays import IntArray

Row = IntArray | list[int]


def push(
    starts: Row,
    halves: Row,
    ends: Row,
    low: Row,
    high: Row,
    flow: Row,
    least: Row,
    most: Row,
    wanted: Row,
    goals: Row,
    keep: Row,
    queue: Row,
    level: Row,
    turn: Row,
    path: Row,
) -> None:
    """Follow each wanted half as far as possible, or to its goal: Dinic's blocking flows around its arc.

    A path from where the half ends to where it begins, without its own arc, closes a circle; what is pushed
    along the circle keeps every node's balance. `least` and `most` learn what each arc has carried. With
    `keep[0]`, an arc that has reached its goal stays there while later halves are followed.

    Invariant: between two pushes `flow` is balanced wherever it was before, and within its bounds. After a
    query, `level` is 0 or more for the nodes that the last, failed search reached: a cut that nothing crosses
    any more, if the goal was not reached.
    """
    for query in range(len(wanted)):
        half = wanted[query]
        arc = half >> 1
        source, sink = ends[half], ends[half ^ 1]
        while True:
            left = goals[query] - flow[arc] if half & 1 == 0 else flow[arc] - goals[query]
            if left <= 0 or source == sink:
                break
            for v in range(len(level)):
                level[v] = -1
            level[source] = 0
            queue[0] = source
            begin, end = 0, 1
            while begin < end and level[sink] < 0:
                v = queue[begin]
                begin += 1
                for place in range(starts[v], starts[v + 1]):
                    h = halves[place]
                    a = h >> 1
                    w = ends[h]
                    if level[w] >= 0 or a == arc:
                        continue
                    if (high[a] - flow[a] if h & 1 == 0 else flow[a] - low[a]) > 0:
                        level[w] = level[v] + 1
                        queue[end] = w
                        end += 1
            if level[sink] < 0:
                break
            for place in range(end):
                turn[queue[place]] = starts[queue[place]]
            length, v = 0, source
            while left > 0:
                if v == sink:
                    amount = left
                    for place in range(length):
                        h = path[place]
                        a = h >> 1
                        amount = min(amount, high[a] - flow[a] if h & 1 == 0 else flow[a] - low[a])
                    left -= amount
                    first = length
                    for place in range(length - 1, -1, -1):
                        h = path[place]
                        a = h >> 1
                        if h & 1 == 0:
                            flow[a] += amount
                            most[a] = max(most[a], flow[a])
                            full = high[a] == flow[a]
                        else:
                            flow[a] -= amount
                            least[a] = min(least[a], flow[a])
                            full = low[a] == flow[a]
                        if full:
                            first = place
                    flow[arc] += amount if half & 1 == 0 else -amount
                    length = first
                    v = ends[path[first] ^ 1] if left > 0 else sink
                    continue
                advanced = False
                while turn[v] < starts[v + 1]:
                    h = halves[turn[v]]
                    a = h >> 1
                    w = ends[h]
                    if (
                        a != arc
                        and level[w] == level[v] + 1
                        and (high[a] - flow[a] if h & 1 == 0 else flow[a] - low[a]) > 0
                    ):
                        path[length] = h
                        length += 1
                        v = w
                        advanced = True
                        break
                    turn[v] += 1
                if advanced:
                    continue
                if length == 0:
                    break
                length -= 1
                v = ends[path[length] ^ 1]
                turn[v] += 1
        least[arc] = min(least[arc], flow[arc])
        most[arc] = max(most[arc], flow[arc])
        if keep[0] and flow[arc] == goals[query]:
            low[arc] = high[arc] = flow[arc]


def mark_bridges(
    starts: Row,
    halves: Row,
    ends: Row,
    inside: Row,
    order: Row,
    lowest: Row,
    turn: Row,
    path: Row,
    bridge: Row,
) -> None:
    """Mark the arcs whose removal would cut a part of the network in two (Tarjan); only `inside` ones count.

    Invariant: `lowest[v]` is the earliest node that v and those found from it reach without the arc to v.
    """
    clock = 0
    for root in range(len(order)):
        if order[root] >= 0:
            continue
        order[root] = lowest[root] = clock
        clock += 1
        turn[root] = starts[root]
        length, v = 0, root
        while True:
            if turn[v] < starts[v + 1]:
                h = halves[turn[v]]
                turn[v] += 1
                if not inside[h >> 1] or (length > 0 and h >> 1 == path[length - 1] >> 1):
                    continue
                w = ends[h]
                if order[w] >= 0:
                    lowest[v] = min(lowest[v], order[w])
                    continue
                order[w] = lowest[w] = clock
                clock += 1
                turn[w] = starts[w]
                path[length] = h
                length += 1
                v = w
                continue
            if length == 0:
                break
            length -= 1
            h = path[length]
            child, v = v, ends[h ^ 1]
            lowest[v] = min(lowest[v], lowest[child])
            if lowest[child] == order[child]:
                bridge[h >> 1] = 1
