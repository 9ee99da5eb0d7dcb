"""The loops that go from one posterior to the next and look only where something can change.

Notation as in `kernels`. A value j is dead for k and W if no run that ends there holds k sensitive values
within the width W. Cuts behind dead values cannot be reached, and unreachable cuts make others unreachable
further on; everything else is reachable. So a check follows the few intervals of unreachable cuts and skips
the rest.
"""

# ruff: noqa: PLR0917 - compiled functions take no keywords

from noiseless.search.contiguous.kernels import Row


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
    """`cover_width` when it is at least `least` and only the given places (and all before `first`) are dead.

    Dead values that touch are covered by a run that ends at one of them or at the next value that is not
    dead. The queue holds numbers of dead places, and `count` for that next value.
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
