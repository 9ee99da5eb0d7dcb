"""The sweeps along the line, as plain loops that run on lists or, compiled, on arrays.

Notation: x ascending whole numbers; a pair p is one sensitive value of one x; `begins[i]` is where the pairs
of x_i begin; `before[p]` and `after[p]` are the pairs next to p with the same sensitive value (-1 and the
number of pairs where there is none); `heads[i]` counts the rows before x_i. The run from i to j holds d(i, j)
different sensitive values. Cut i lies left of x_i, so the cell from i to j joins the cuts i and j + 1. A cell
that ends at j starts within [lows(j), starts(j)], and both move right with j.
"""

# ruff: noqa: PLR0917 - compiled functions take no keywords

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from noiseless.arrays import IntArray
from noiseless.tables.kernels import compiled

Row = IntArray | list[int]


@dataclass(frozen=True)
class Loops:
    """How loops are run.

    Attributes:
        fast: compiled on arrays of 64 bits, or else as they stand on lists of Python's numbers.
    """

    fast: bool

    def run(self, kernel: Callable[..., Any], *arguments: Any) -> Any:  # noqa: ANN401 - as the kernel's own
        """Call a kernel."""
        return (compiled(kernel) if self.fast else kernel)(*arguments)

    def row(self, values: Any) -> Row:  # noqa: ANN401 - an array of integers
        """An array as kernels want it."""
        return np.ascontiguousarray(values, np.int64) if self.fast else np.asarray(values).tolist()

    def blank(self, size: int) -> Row:
        """Room for a kernel's results."""
        return np.empty(size, np.int64) if self.fast else [0] * size


NOWHERE = 2**62
"""The price of a cut that cannot be reached."""


def first_within(x: Row, width: int, most: int, lows: Row) -> None:
    """For each j the first i with x_j - x_i <= width and at most this many values from i to j."""
    i = 0
    for j in range(len(x)):
        while x[j] - x[i] > width or j - i >= most:
            i += 1
        lows[j] = i


def narrowest_cells(
    x: Row,
    begins: Row,
    before: Row,
    after: Row,
    heads: Row,
    lows: Row,
    k: int,
    rows: int,
    endless: int,
    starts: Row,
    best: Row,
    queue: Row,
) -> int:
    """The least W so that the line can be cut into cells no wider than W with k sensitive values and `rows`.

    `starts[j]` becomes the last i so that the run from i to j has both, or -1: when j is added, i moves on as
    long as the run from i still has both. best(j + 1) = min over i in [lows(j), starts(j)] of max(best(i),
    x_j - x_i), `endless` where there is none. The queue holds the cuts that can still be the best: `best`
    rises along it, for a later cut that is no worse beats an earlier one. The front goes for good once x_j -
    x_front reaches the second's `best`; what then stands in front is the minimiser.
    """
    best[0] = 0
    i = now = head = tail = 0
    for j in range(len(x)):
        for p in range(begins[j], begins[j + 1]):
            now += before[p] < begins[i]  # adding the comparison spares a branch nobody can predict
        while now >= k and heads[j + 1] - heads[i] >= rows:
            if best[i] < endless:
                while tail > head and best[queue[tail - 1]] >= best[i]:
                    tail -= 1
                queue[tail] = i
                tail += 1
            for p in range(begins[i], begins[i + 1]):
                now -= after[p] >= begins[j + 1]
            i += 1
        starts[j] = i - 1
        while head < tail and queue[head] < lows[j]:
            head += 1
        while tail - head > 1 and x[j] - x[queue[head]] >= best[queue[head + 1]]:
            head += 1
        best[j + 1] = max(best[queue[head]], x[j] - x[queue[head]]) if head < tail else endless
    return best[len(x)]


def cover_widths(x: Row, widths: Row, queue: Row, found: Row) -> None:
    """For each value the least width of a run that holds it and has k sensitive values.

    The narrowest such run that holds x_t and ends at e >= t is max(x_e - x_t, widths(e)) wide. Swept from the
    right with a queue as in `narrowest_cells`.
    """
    head = tail = 0
    for t in range(len(x) - 1, -1, -1):
        while tail > head and widths[queue[tail - 1]] >= widths[t]:
            tail -= 1
        queue[tail] = t
        tail += 1
        while tail - head > 1 and x[queue[head]] - x[t] >= widths[queue[head + 1]]:
            head += 1
        found[t] = max(x[queue[head]] - x[t], widths[queue[head]])


def clashes(  # noqa: C901, PLR0912 - compiled: one function
    x: Row, begins: Row, before: Row, after: Row, width: int, k: int
) -> bool:
    """Whether two values refute `width`: no partition at all has k sensitive values in cells that narrow.

    Values p and q further apart than `width` are in different cells, one within [x_p - width, x_p + width],
    one within [x_q - width, x_q + width]. A sensitive value that occurs once in both together serves only one
    of the two cells: what is left must still amount to k for each. Here q is the first value beyond p's
    reach, [l, q - 1] and [b, r] are the two neighbourhoods, `lone` counts the values that only one of them
    can have.
    """
    n = len(x)
    l = b = q = 0  # noqa: E741 - the left end
    r = -1
    near = far = lone = 0
    for p in range(n):
        while q < n and x[q] - x[p] <= width:
            for t in range(begins[q], begins[q + 1]):
                if before[t] < begins[l]:
                    near += 1
                    if after[t] >= begins[r + 1]:
                        lone += 1
            q += 1
        if q == n:
            return False
        while r + 1 < n and x[r + 1] - x[q] <= width:
            r += 1
            for t in range(begins[r], begins[r + 1]):
                if before[t] < begins[b]:
                    far += 1
                elif before[t] < begins[q] and before[before[t]] < begins[l]:
                    lone -= 1
        while x[q] - x[b] > width:
            for t in range(begins[b], begins[b + 1]):
                if after[t] >= begins[r + 1]:
                    far -= 1
                    if before[t] < begins[l]:
                        lone -= 1
            b += 1
        while x[p] - x[l] > width:
            for t in range(begins[l], begins[l + 1]):
                nearest = after[t]
                if nearest >= begins[q]:
                    near -= 1
                elif nearest >= begins[b] and after[nearest] >= begins[r + 1]:
                    lone += 1
            l += 1  # noqa: E741
        if near + far - lone < 2 * k:
            return True
    return False


def cheapest_cut(starts: Row, lows: Row, prices: Row, each: int, best: Row, chosen: Row, queue: Row) -> int:
    """The least sum of the prices of suppressed values and of `each` for each cell; NOWHERE if impossible.

    Every value is suppressed at its price (never where that is negative) or in a cell. No value within a
    cell's ends is suppressed: that would not make the cell narrower. `chosen[j + 1]` is where the last cell
    of the best way to j starts, as late as possible among equals, or -1 if j is suppressed.
    """
    n = len(starts)
    best[0] = 0
    head = tail = taken = 0
    for j in range(n):
        while taken <= starts[j]:
            if best[taken] < NOWHERE:
                while tail > head and best[queue[tail - 1]] >= best[taken]:
                    tail -= 1
                queue[tail] = taken
                tail += 1
            taken += 1
        while head < tail and queue[head] < lows[j]:
            head += 1
        best[j + 1] = NOWHERE
        chosen[j + 1] = -1
        if prices[j] >= 0 and best[j] < NOWHERE:
            best[j + 1] = best[j] + prices[j]
        if head < tail and best[queue[head]] + each <= best[j + 1]:
            best[j + 1] = best[queue[head]] + each
            chosen[j + 1] = queue[head]
    return best[n]


def cells_of(chosen: Row, loops: Loops) -> IntArray:
    """The cell of each value, numbered from the left, -1 where it is suppressed; see `cheapest_cut`."""
    found = loops.blank(len(chosen) - 1)
    loops.run(read_cells, loops.row(chosen), found)
    return np.asarray(found)


def read_cells(chosen: Row, cells: Row) -> None:
    """The same as a loop."""
    for i in range(len(cells)):
        cells[i] = 0
    cut = len(cells)
    while cut:
        starts = chosen[cut] >= 0
        cut = chosen[cut] if starts else cut - 1
        cells[cut] = 1 if starts else -1
    number = -1
    for i in range(len(cells)):
        if cells[i] >= 0:
            number += cells[i]
            cells[i] = number


WIDTHS, PAIRS, SQUARES, TABLE = range(4)
"""What a cell costs: its rows times its width; its rows squared; the squared distances of its rows from their
mean, in parts; or what a table says of its rows."""


def least_total(  # noqa: C901 - compiled: one function
    x: Row,
    heads: Row,
    sums: Row,
    squares: Row,
    table: Row,
    starts: Row,
    lows: Row,
    form: int,
    parts: int,
    best: Row,
    chosen: Row,
    queue: Row,
    turns: Row,
) -> int:
    """The least sum of the costs of cells; -1 if impossible. `chosen` is as in `cheapest_cut`.

    best(j + 1) = min over i in [lows(j), starts(j)] of best(i) + cost(i, j). Costs are Monge: for cuts b < c
    <= j < t, cost(b, j) + cost(c, t) <= cost(b, t) + cost(c, j). That holds too where cost(b, t) is endless
    since b < lows(t). So once an open cut c is no worse than an earlier one b, it stays so. The queue holds
    open cuts in order: from its turn to the turn of the next each is the last of the best. A cut that opens
    takes the turns of those before it to which it is no worse when their turn comes; its own is the first
    value at which it is no worse than the last of those that stay.
    """

    def cost(i: int, j: int) -> int:
        rows = heads[j + 1] - heads[i]
        if form == WIDTHS:
            return rows * (x[j] - x[i])
        if form == PAIRS:
            return rows * rows
        if form == TABLE:
            return table[rows]
        if rows == 0:
            return 0
        add = sums[j + 1] - sums[i]  # sums may wrap around: what is left of them below does not
        apart = add - rows * x[i]
        near, middle = apart % rows, x[i] + apart // rows
        more = squares[j + 1] - squares[i] - middle * (add + near)  # the mean is near / rows above the middle
        less, rest = near * near // rows, near * near % rows
        return parts * (more - less) - (parts * rest + rows - 1) // rows

    def no_worse(c: int, b: int, t: int) -> bool:
        return b < lows[t] or best[c] + cost(c, t) <= best[b] + cost(b, t)

    n = len(starts)
    best[0] = 0
    head = tail = taken = 0
    for j in range(n):
        while taken <= starts[j]:
            c, taken = taken, taken + 1
            if best[c] < 0:
                continue
            while tail > head and no_worse(c, queue[tail - 1], max(j, turns[tail - 1])):
                tail -= 1
            turn = j
            if tail > head:
                low, step = max(j, turns[tail - 1]), 1
                while low + step < n and not no_worse(c, queue[tail - 1], low + step):
                    low, step = low + step, 2 * step
                turn = min(low + step, n)
                while turn - low > 1:
                    middle = (low + turn) // 2
                    if no_worse(c, queue[tail - 1], middle):
                        turn = middle
                    else:
                        low = middle
            if turn < n:
                queue[tail], turns[tail] = c, turn
                tail += 1
        while tail - head > 1 and turns[head + 1] <= j:
            head += 1
        best[j + 1] = -1
        chosen[j + 1] = -1
        if head < tail and queue[head] >= lows[j]:
            best[j + 1] = best[queue[head]] + cost(queue[head], j)
            chosen[j + 1] = queue[head]
    return best[n]
