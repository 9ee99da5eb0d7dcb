"""The sweeps along the line, as plain loops that run on lists or, compiled, on arrays.

Notation: x ascending whole numbers; a pair p is one sensitive value of one x; `begins[i]` is where the pairs
of x_i begin; `before[p]` and `after[p]` are the pairs next to p with the same sensitive value (-1 and the
number of pairs where there is none). The run from i to j holds d(i, j) different sensitive values. `endless`
is wider than any run. Cut i lies left of x_i, so the cell from i to j joins the cuts i and j + 1.
"""

# ruff: noqa: PLR0917 - compiled functions take no keywords

from noiseless.arrays import IntArray

Row = IntArray | list[int]


def link(s: Row, latest: Row, before: Row, after: Row) -> None:
    """Fill `before` and `after`; `latest` holds -1 for each sensitive value."""
    pairs = len(s)
    for p in range(pairs):
        last = latest[s[p]]
        before[p] = last
        after[p] = pairs
        if last >= 0:
            after[last] = p
        latest[s[p]] = p


def first_ends(begins: Row, before: Row, after: Row, k: int, ends: Row, held: Row) -> None:
    """For each i the first j with d(i, j) >= k (n if there is none), and how many are held there."""
    n = len(begins) - 1
    j, now = 0, 0
    for i in range(n):
        while now < k and j < n:
            for p in range(begins[j], begins[j + 1]):
                now += before[p] < begins[i]  # adding the comparison spares a branch nobody can predict
            j += 1
        ends[i] = j - 1 if now >= k else n
        held[i] = now
        for p in range(begins[i], begins[i + 1]):
            now -= after[p] >= begins[j]


def last_starts(x: Row, ends: Row, endless: int, starts: Row, widths: Row) -> None:
    """For each j the last i with d(i, j) >= k (-1 if there is none), and x_j - x_i."""
    n = len(ends)
    i = -1
    for j in range(n):
        while i + 1 < n and ends[i + 1] <= j:
            i += 1
        starts[j] = i
        widths[j] = x[j] - x[i] if i >= 0 else endless


def least_width(x: Row, starts: Row, endless: int, best: Row, queue: Row) -> int:
    """The least W so that the line can be cut into cells with k sensitive values each, none wider than W.

    best(j + 1) = min over i <= starts(j) of max(best(i), x_j - x_i). The queue holds the cuts that can still
    be the best: `best` rises along it, for a later cut that is no worse beats an earlier one. The front goes
    for good once x_j - x_front reaches the second's `best`; what then stands in front is the minimiser.
    """
    n = len(x)
    best[0] = 0
    head = tail = taken = 0
    for j in range(n):
        while taken <= starts[j]:
            if best[taken] < endless:
                while tail > head and best[queue[tail - 1]] >= best[taken]:
                    tail -= 1
                queue[tail] = taken
                tail += 1
            taken += 1
        if head == tail:
            best[j + 1] = endless
            continue
        while tail - head > 1 and x[j] - x[queue[head]] >= best[queue[head + 1]]:
            head += 1
        best[j + 1] = max(best[queue[head]], x[j] - x[queue[head]])
    return best[n]


def most_cells(x: Row, starts: Row, width: int, count: Row, chosen: Row, queue: Row) -> int:
    """The most cells with k sensitive values each and none wider than `width`; -1 if there is no such cut.

    The cell that ends at j starts within [b(j), starts(j)], and both ends move right with j: a sliding
    window. `chosen[j + 1]` is where the last cell of the best way to j starts, as late as possible among
    equals.
    """
    n = len(x)
    count[0] = 0
    head = tail = taken = 0
    for j in range(n):
        while taken <= starts[j]:
            if count[taken] >= 0:
                while tail > head and count[queue[tail - 1]] <= count[taken]:
                    tail -= 1
                queue[tail] = taken
                tail += 1
            taken += 1
        while head < tail and x[j] - x[queue[head]] > width:
            head += 1
        count[j + 1] = -1
        if head < tail:
            chosen[j + 1] = queue[head]
            count[j + 1] = count[queue[head]] + 1
    return count[n]


def cover_width(x: Row, widths: Row, queue: Row) -> int:
    """The least W so that every x lies in some run, no wider than W, with k sensitive values.

    The narrowest such run that holds x_t and ends at e >= t is max(x_e - x_t, widths(e)) wide. Swept from the
    right with a queue as in `least_width`.
    """
    head = tail = found = 0
    for t in range(len(x) - 1, -1, -1):
        while tail > head and widths[queue[tail - 1]] >= widths[t]:
            tail -= 1
        queue[tail] = t
        tail += 1
        while tail - head > 1 and x[queue[head]] - x[t] >= widths[queue[head + 1]]:
            head += 1
        found = max(found, x[queue[head]] - x[t], widths[queue[head]])
    return found


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
