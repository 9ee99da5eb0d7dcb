"""Sweeps along a line of values some of which may be suppressed, as plain loops (compiled for long lines).

Notation as in `policies.contiguous.kernels`: a cell that ends at value j starts within [lows(j), starts(j)],
and both move right with j. Cut i lies left of value i.
"""

# ruff: noqa: PLR0917 - compiled functions take no keywords

from noiseless.search.contiguous.kernels import Row

NOWHERE = 2**62
"""The price of a cut that cannot be reached."""


def first_within(x: Row, width: int, most: int, lows: Row) -> None:
    """For each j the first i with x_j - x_i <= width and at most so many values from i to j."""
    i = 0
    for j in range(len(x)):
        while x[j] - x[i] > width or j - i >= most:
            i += 1
        lows[j] = i


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


def cover_widths(x: Row, widths: Row, queue: Row, found: Row) -> None:
    """For each value the least width of a run that holds it and has k sensitive values.

    The narrowest such run that holds x_t and ends at e >= t is max(x_e - x_t, widths(e)) wide.
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
