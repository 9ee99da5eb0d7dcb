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


def cover_widths(x: Row, widths: Row, queue: Row, found: Row) -> None:
    """For each value the least width of a run that holds it and has k sensitive values.

    The narrowest such run that holds x_t and ends at e >= t is max(x_e - x_t, widths(e)) wide. Swept from the
    right with a queue as in `least_width`.
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


# From one posterior to the next (see `sweep.steps`): a value j is dead for k and W if no run that ends there
# holds k sensitive values within the width W. Cuts behind dead values cannot be reached, and unreachable cuts
# make others unreachable further on; everything else is reachable. So a check follows the few intervals of
# unreachable cuts and skips the rest.


def held_within(
    x: Row, begins: Row, before: Row, after: Row, latest: Row, width: int, starts: Row, held: Row
) -> None:
    """For each j the first i with x_j - x_i <= width, or `latest[j]` if that is before it, and d(i, j)."""
    i = now = 0
    for j in range(len(x)):
        for p in range(begins[j], begins[j + 1]):
            now += before[p] < begins[i]
        while i < latest[j] and x[j] - x[i] > width:
            for p in range(begins[i], begins[i + 1]):
                now -= after[p] >= begins[j + 1]
            i += 1
        starts[j] = i
        held[j] = now


def same_runs(s: Row, begins: Row, firsts: Row, lasts: Row) -> None:
    """For each i the first and the last value of the stretch around it that has the same sensitive set."""
    n = len(begins) - 1
    firsts[0] = 0
    for i in range(1, n):
        size = begins[i + 1] - begins[i]
        same = size == begins[i] - begins[i - 1]
        p = begins[i]
        while same and p < begins[i + 1]:
            same = s[p] == s[p - size]
            p += 1
        firsts[i] = firsts[i - 1] if same else i
    lasts[n - 1] = n - 1
    for i in range(n - 2, -1, -1):
        lasts[i] = lasts[i + 1] if firsts[i + 1] == firsts[i] else i


def narrowest_runs(
    x: Row,
    begins: Row,
    after: Row,
    firsts: Row,
    k: int,
    endless: int,
    places: Row,
    starts: Row,
    held: Row,
    widths: Row,
    work: int,
) -> int:
    """Extend runs that end at the given places to the left until they hold k sensitive values.

    Returns:
        The steps left of `work`; below 0: given up.
    """
    for c in range(len(places)):
        j = places[c]
        i, now = starts[c], held[c]
        while now < k and firsts[i] > 0:
            i = firsts[i] - 1  # what lies between adds nothing
            work -= 1
            for p in range(begins[i], begins[i + 1]):
                now += after[p] >= begins[j + 1]
        if work < 0:
            break
        starts[c], held[c] = i, now
        widths[c] = x[j] - x[i] if now >= k else endless
    return work


def dead_places(places: Row, widths: Row, first: int, width: int, dead: Row, dead_widths: Row) -> int:
    """Collect the places from `first` on whose narrowest run is wider than `width`; how many there are."""
    found = 0
    for c in range(len(places)):
        if widths[c] > width and places[c] >= first:
            dead[found] = places[c]
            dead_widths[found] = widths[c]
            found += 1
    return found


def cover_dead(x: Row, dead: Row, dead_widths: Row, count: int, first: int, least: int, queue: Row) -> int:
    """The largest of `cover_widths`, which is at least `least`, if only the given places are dead.

    All before `first` are dead too. Dead values that touch are covered by a run that ends at one of them or
    at the next value that is not dead. The queue holds numbers of dead places, and `count` for that value.
    """
    n = len(x)
    found = least
    c = count - 1
    if count == 0 or dead[0] != first:
        found = max(found, x[first] - x[0])
    while c >= 0:
        t = last = dead[c]
        head = tail = 0
        if last + 1 < n:
            queue[0] = count
            tail = 1
        while c >= 0 and dead[c] == t:
            while tail > head and queue[tail - 1] != count and dead_widths[queue[tail - 1]] >= dead_widths[c]:
                tail -= 1
            queue[tail] = c
            tail += 1
            place = 0 if t == first else t  # all before `first` are dead: the lowest is the hardest to cover
            while tail - head > 1:
                e = last + 1 if queue[head] == count else dead[queue[head]]
                if x[e] - x[place] < dead_widths[queue[head + 1]]:
                    break
                head += 1
            e = last + 1 if queue[head] == count else dead[queue[head]]
            found = max(found, x[e] - x[place], least if queue[head] == count else dead_widths[queue[head]])
            c -= 1
            t -= 1
    return found


def follow(  # noqa: C901, PLR0912, PLR0915 - compiled: one function
    x: Row,
    begins: Row,
    before: Row,
    lasts: Row,
    ends: Row,
    held: Row,
    k: int,
    width: int,
    least: int,
    endless: int,
    dead: Row,
    dead_widths: Row,
    count: int,
    lows: Row,
    highs: Row,
    work: int,
) -> tuple[bool, int, int]:
    """Whether cells of at most `width` with k sensitive values each cut the line.

    Follows the intervals [u, v] of cuts that cannot be reached. Cut u - 1 can be reached; what it reaches
    ends at the last value within `width`, and what v + 1 reaches begins at the first end of k sensitive
    values: the cuts between are unreachable too. `ends` and `held` are the first ends for a smaller k,
    continued here.

    Returns:
        The answer; the width to which it stays the same (if yes the smallest such width, if no the smallest
        width for which it may change); the steps left of `work` (below 0: given up, the answer means
        nothing).
    """
    n = len(x)
    lower, upper = least, endless
    head = tail = c = 0
    u, v = 0, -1  # the cuts left of 0: none of them can be reached
    while True:
        i = v + 1  # the first cut that can be reached again
        t = n
        if i < n:
            t, now = ends[i], held[i]
            while now < k and t < n:
                t = lasts[t] + 1  # what lies between adds nothing
                work -= 1
                if t < n:
                    for p in range(begins[t], begins[t + 1]):
                        now += before[p] < begins[i]
        s = 1
        if u > 0:
            low, high = u - 1, n  # the last value within reach of cut u - 1
            while high - low > 1:
                middle = (low + high) // 2
                if x[middle] - x[u - 1] <= width:
                    low = middle
                else:
                    high = middle
            lower = max(lower, x[low] - x[u - 1])
            if high < n:
                upper = min(upper, x[high] - x[u - 1])
            s = low + 2
            if s <= v + 1:
                return False, upper, work
        work -= 1
        if work < 0:
            return False, upper, work
        if s <= t:
            if t >= n:
                return False, upper, work
            lows[tail], highs[tail] = s, t
            tail += 1
        u = v = -1
        while True:  # the next interval, with all that touch it
            while c < count and dead_widths[c] <= width:
                lower = max(lower, dead_widths[c])
                c += 1
            from_queue = head < tail and (c == count or lows[head] <= dead[c] + 1)
            if from_queue:
                a, b = lows[head], highs[head]
            elif c < count:
                a = b = dead[c] + 1
            else:
                break
            if u >= 0 and a > v + 1:
                break
            if from_queue:
                head += 1
            else:
                upper = min(upper, dead_widths[c])
                c += 1
            u = a if u < 0 else u
            v = max(v, b)
        if u < 0:
            return True, lower, work
        if v >= n:
            return False, upper, work
