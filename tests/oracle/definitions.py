"""Brute-force oracle: the definitions of the papers, written down as directly as possible.

Nothing here is fast and nothing here is clever: ranges have a handful of values and tables a
handful of rows. Every measure that is a logarithm is returned as the exact argument of log2
(an ``int`` or a ``Fraction``), so that comparisons need no tolerance.

A joint range [[X,Y]] is a set of pairs (x, y). X is the variable that is inferred (the sensitive
one, S in [P3]) and Y the one that is observed (the public one, X in [P3]). Ranges are non-empty.
A table is a sequence of rows, a row a mapping from column names to values. Values are told apart
by ``==``. The extreme over an empty set of observations or groups raises ``ValueError``.

[P1] Noiseless Privacy; [P2] hypothesis testing; [P3] agglomerative clustering;
[P4] deterministic policies; [P5] differential privacy as mutual information.
"""

import importlib
import itertools
import math
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from fractions import Fraction
from typing import Any, TypeAlias, TypeVar

Pairs: TypeAlias = frozenset[tuple[Hashable, Hashable]]
Triples: TypeAlias = frozenset[tuple[Hashable, Hashable, Hashable]]
Partition: TypeAlias = frozenset[frozenset[Hashable]]
Row: TypeAlias = Mapping[str, Hashable]
Table: TypeAlias = Sequence[Row]
Key: TypeAlias = tuple[Hashable, ...]
Number: TypeAlias = int | float | Fraction

T = TypeVar("T")
K = TypeVar("K", bound=Hashable)


# --- ranges -------------------------------------------------------------------------------------


def marginal_x(pairs: Pairs) -> frozenset[Hashable]:
    """Marginal range [[X]], section II-A of [P1]."""
    return frozenset(x for x, _ in pairs)


def marginal_y(pairs: Pairs) -> frozenset[Hashable]:
    """Marginal range [[Y]], section II-A of [P1]."""
    return frozenset(y for _, y in pairs)


def conditional_x(pairs: Pairs, y: Hashable) -> frozenset[Hashable]:
    """Conditional range [[X|y]], section II-A of [P1]; empty when y is not in [[Y]]."""
    return frozenset(x for x, other in pairs if other == y)


def swap(pairs: Pairs) -> Pairs:
    """The joint range [[Y,X]] of [[X,Y]]."""
    return frozenset((y, x) for x, y in pairs)


def all_ranges(n: int, m: int) -> Iterator[frozenset[tuple[int, int]]]:
    """Every non-empty set of pairs over {0..n-1} x {0..m-1}, each once: 2^(nm) - 1 of them.

    A value that occurs in no pair is not in the marginal range, so the smaller alphabets are
    included.
    """
    grid = list(itertools.product(range(n), range(m)))
    for size in range(1, len(grid) + 1):
        for chosen in itertools.combinations(grid, size):
            yield frozenset(chosen)


# --- entropies and the measures made of them -----------------------------------------------------


def entropy_ratio(pairs: Pairs) -> int:
    """H0(X) = log |[[X]]|: (1) of [P1], section II of [P3]."""
    return len(marginal_x(pairs))


def conditional_entropy_ratio(pairs: Pairs) -> int:
    """H0(X|Y) = max_y log |[[X|y]]|: (3) of [P1]."""
    return max(len(conditional_x(pairs, y)) for y in marginal_y(pairs))


def disarray_ratio(pairs: Pairs) -> int:
    """B0(X|Y) = min_y log |[[X|y]]|: section III-A of [P3], (5) of [P4]."""
    return min(len(conditional_x(pairs, y)) for y in marginal_y(pairs))


def information_ratio(pairs: Pairs) -> Fraction:
    """I0(X;Y) = min_y log(|[[X]]| / |[[X|y]]|): (5) of [P1]."""
    whole = len(marginal_x(pairs))
    return min(Fraction(whole, len(conditional_x(pairs, y))) for y in marginal_y(pairs))


def leakage_ratio(pairs: Pairs) -> Fraction:
    """L0(X;Y) = max_y log(|[[X]]| / |[[X|y]]|): (6) of [P1], section III-A of [P3]."""
    whole = len(marginal_x(pairs))
    return max(Fraction(whole, len(conditional_x(pairs, y))) for y in marginal_y(pairs))


def symmetric_leakage_ratio(pairs: Pairs) -> Fraction:
    """L0s(X;Y) = min(L0(X;Y), L0(Y;X)): (8) of [P1]."""
    return min(leakage_ratio(pairs), leakage_ratio(swap(pairs)))


def transmission_ratio(pairs: Pairs) -> Fraction:
    """T0(X;Y) = H0(X) + H0(Y) - H0(X,Y): (8) of [P4]."""
    return Fraction(len(marginal_x(pairs)) * len(marginal_y(pairs)), len(pairs))


# --- maximin information -------------------------------------------------------------------------


def _set_partitions(items: Sequence[T]) -> Iterator[list[list[T]]]:
    """Every partition of the items into non-empty blocks."""
    if not items:
        yield []
        return
    first, rest = items[0], items[1:]
    for partition in _set_partitions(rest):
        yield [[first], *partition]
        for i, block in enumerate(partition):
            yield [*partition[:i], [first, *block], *partition[i + 1 :]]


def _overlap_connected_to(pairs: Pairs, x: Hashable) -> frozenset[Hashable]:
    """All x' with x ~> x', Definition 1(a) of [P3]: sequences (y_1, ..., y_n) are searched.

    The sequences start with x in [[X|y_1]], consecutive conditional ranges overlap, and x' is in
    the last one. How a sequence can go on depends on its last member only, so one sequence for
    each last member is kept.
    """
    ys = marginal_y(pairs)
    ranges = {y: conditional_x(pairs, y) for y in ys}
    sequences: list[tuple[Hashable, ...]] = [(y,) for y in ys if x in ranges[y]]
    last_members = {sequence[-1] for sequence in sequences}
    for sequence in sequences:  # the list grows while it is read
        for y in ys:
            if y not in last_members and ranges[sequence[-1]] & ranges[y]:
                sequences.append((*sequence, y))
                last_members.add(y)
    return frozenset(other for sequence in sequences for other in ranges[sequence[-1]])


def overlap_partition(pairs: Pairs) -> Partition:
    """The [[X|Y]]-overlap partition of [[X]], Definition 1(b)-(e) of [P3].

    Of all set partitions of [[X]] those are kept whose distinct blocks are overlap isolated; the
    one with the most blocks is returned. It is checked that it is the only one of that size and
    that its blocks are overlap connected.
    """
    connected = {x: _overlap_connected_to(pairs, x) for x in marginal_x(pairs)}
    isolated_partitions: list[Partition] = []
    for partition in _set_partitions(list(marginal_x(pairs))):
        isolated = all(
            other not in connected[x]
            for a, b in itertools.permutations(partition, 2)
            for x in a
            for other in b
        )
        if isolated:
            isolated_partitions.append(frozenset(frozenset(block) for block in partition))
    most = max(len(partition) for partition in isolated_partitions)
    finest = [partition for partition in isolated_partitions if len(partition) == most]
    assert len(finest) == 1, "the finest overlap-isolated partition is not unique"
    assert all(block <= connected[x] for block in finest[0] for x in block)
    return finest[0]


def maximin_count(pairs: Pairs) -> int:
    """I*(X;Y) = log of the number of blocks of the overlap partition, Definition 1(e) of [P3]."""
    return len(overlap_partition(pairs))


def taxicab_partition(pairs: Pairs) -> frozenset[Pairs]:
    """The taxicab partition of [[X,Y]], Definition II.2 of [P4].

    Two points are connected when a chain of points leads from one to the other, in which
    neighbours share their x or their y. "All points in [[X,Y]]" in the second bullet of the
    definition is read as "all points in A".
    """
    connected: dict[tuple[Hashable, Hashable], Pairs] = {}
    for start in pairs:
        reached = [start]
        for x, y in reached:  # the list grows while it is read
            for point in pairs:
                if point not in reached and (point[0] == x or point[1] == y):
                    reached.append(point)
        connected[start] = frozenset(reached)
    blocks = frozenset(connected.values())
    assert sum(len(block) for block in blocks) == len(pairs), "blocks overlap or do not cover"
    assert all(connected[point] == block for block in blocks for point in block)
    return blocks


def confusability_edges(pairs: Pairs) -> Partition:
    """Edges of the confusability graph, section IV of [P3].

    The nodes are the values of Y, the public data. An edge is a set {y, y'} of two distinct
    values with [[X|y]] and [[X|y']] not disjoint.
    """
    return frozenset(
        frozenset((y, other))
        for y, other in itertools.combinations(marginal_y(pairs), 2)
        if conditional_x(pairs, y) & conditional_x(pairs, other)
    )


def finest_decomposition(pairs: Pairs) -> Partition:
    """The finest decomposition of the confusability graph, section IV of [P3].

    Of all set partitions of [[Y]] those are kept that cut no edge; the one with the most blocks is
    returned, and it is checked that it is the only one of that size.
    """
    edges = confusability_edges(pairs)
    decompositions: list[Partition] = []
    for partition in _set_partitions(list(marginal_y(pairs))):
        blocks = frozenset(frozenset(block) for block in partition)
        if all(any(edge <= block for block in blocks) for edge in edges):
            decompositions.append(blocks)
    most = max(len(blocks) for blocks in decompositions)
    finest = [blocks for blocks in decompositions if len(blocks) == most]
    assert len(finest) == 1, "the finest decomposition is not unique"
    return finest[0]


# --- side information ----------------------------------------------------------------------------


def leakage_given_ratio(triples: Triples) -> Fraction:
    """L0(S->X|A) = max over (x,a) in [[X,A]] of log(|[[S|a]]| / |[[S|x,a]]|).

    The triples are (s, x, a). For constant A this is L0(S->X), section III-A of [P3].
    """
    return max(
        Fraction(
            len({s for s, _, a1 in triples if a1 == a}),
            len({s for s, x1, a1 in triples if (x1, a1) == (x, a)}),
        )
        for _, x, a in triples
    )


def conditional_maximin_count(triples: Triples) -> int:
    """I*(S;(X,A)), Definition 1(e) of [P3] with the pair (X,A) as the observation."""
    return maximin_count(frozenset((s, (x, a)) for s, x, a in triples))


# --- unrelatedness -------------------------------------------------------------------------------


def mutually_unrelated(tuples: AbstractSet[tuple[Hashable, ...]]) -> bool:
    """[[X1,...,Xn]] = [[X1]] x ... x [[Xn]], Definition II.1 of [P4]."""
    marginals = [set(column) for column in zip(*tuples, strict=True)]
    return set(tuples) == set(itertools.product(*marginals))


def unrelated(pairs: Pairs) -> bool:
    """[[X,Y]] = [[X]] x [[Y]], Definition II.1 of [P4] for two variables."""
    return pairs == frozenset(itertools.product(marginal_x(pairs), marginal_y(pairs)))


def conditionally_unrelated(triples: Triples) -> bool:
    """S and X unrelated conditional on A, Definition II.1 of [P4]; the triples are (s, x, a).

    [[S,X|a]] = [[S|a]] x [[X|a]] for all a in [[A]].
    """
    return all(
        unrelated(frozenset((s, x) for s, x, a1 in triples if a1 == a)) for a in {a for _, _, a in triples}
    )


# --- privacy and quality -------------------------------------------------------------------------


def privacy_p1(pairs: Pairs) -> float:
    """P1 = 1 / L0(X;Y) with L0 in bits, Definition III.1 (10a) of [P4]; +inf when L0 = 0."""
    ratio = leakage_ratio(pairs)
    return math.inf if ratio == 1 else 1 / math.log2(ratio)


def privacy_p2(pairs: Pairs) -> float:
    """P2 = 1 / I*(X;Y) with I* in bits, Definition III.1 (10b) of [P4]; +inf when I* = 0."""
    count = maximin_count(pairs)
    return math.inf if count == 1 else 1 / math.log2(count)


def _distance(a: Number | Sequence[Number], b: Number | Sequence[Number]) -> Number:
    """||a - b||_2; a number is a vector of one entry."""
    if isinstance(a, Sequence) and isinstance(b, Sequence):
        squares = [(Fraction(left) - Fraction(right)) ** 2 for left, right in zip(a, b, strict=True)]
        return math.sqrt(sum(squares))
    assert not isinstance(a, Sequence), "a vector is compared with a number"
    assert not isinstance(b, Sequence), "a number is compared with a vector"
    return abs(Fraction(a) - Fraction(b))


def quality_q(
    f: Mapping[K, Number | Sequence[Number]], f_tilde: Mapping[K, Number | Sequence[Number]]
) -> float:
    """Q = 1 / max_x ||f(x) - f_tilde(x)||_2, Definition III.2 (11) of [P4]; +inf when equal.

    The two mappings have the same keys, the range [[X]].
    """
    assert f.keys() == f_tilde.keys(), "the two functions have different domains"
    worst = max(_distance(f[x], f_tilde[x]) for x in f)
    return math.inf if worst == 0 else float(1 / worst)


# --- merging public values -----------------------------------------------------------------------


def quantized(pairs: Pairs, cells: Sequence[AbstractSet[Hashable]]) -> Pairs:
    """The joint range [[X,Yh]] after each y is replaced by its cell, (1) of [P3].

    The cells are a partition of [[Y]]; the new value of y is its cell as a frozenset.
    """
    members = [y for cell in cells for y in cell]
    assert len(members) == len(set(members)), "cells overlap"
    assert set(members) == marginal_y(pairs), "the cells do not cover exactly [[Y]]"
    assert all(cells), "a cell is empty"
    return frozenset((x, frozenset(cell)) for x, y in pairs for cell in cells if y in cell)


def decomposition_after_merge(pairs: Pairs, cells: Sequence[AbstractSet[Hashable]]) -> Partition:
    """The finest decomposition of G_Xh in the original values, section V-B1 of [P3].

    It is found from scratch on the merged range and not by the fusion of subgraphs of the paper.
    """
    merged = finest_decomposition(quantized(pairs, cells))
    return frozenset(
        frozenset(y for cell in cells if frozenset(cell) in block for y in cell) for block in merged
    )


# --- tables --------------------------------------------------------------------------------------


def _values(row: Row, columns: Sequence[str]) -> Key:
    """The values of a row in the columns, as one tuple."""
    return tuple(row[column] for column in columns)


def groups(rows: Table, public: Sequence[str]) -> dict[Key, list[Row]]:
    """Equivalence classes: the rows that agree in all public columns (Sweeney)."""
    result: dict[Key, list[Row]] = {}
    for row in rows:
        result.setdefault(_values(row, public), []).append(row)
    return result


def k_anonymity(rows: Table, public: Sequence[str], unit: str | None = None) -> int:
    """k-anonymity (Sweeney): the fewest rows, or distinct persons with a unit, in a group."""
    sizes = [
        len(members) if unit is None else len({row[unit] for row in members})
        for members in groups(rows, public).values()
    ]
    return min(sizes)


def distinct_l(rows: Table, public: Sequence[str], sensitive: Sequence[str]) -> int:
    """Distinct l-diversity (Machanavajjhala et al.): the fewest sensitive tuples in a group."""
    return min(len({_values(row, sensitive) for row in members}) for members in groups(rows, public).values())


def entropy_l(rows: Table, public: Sequence[str], sensitive: Sequence[str], unit: str | None = None) -> float:
    """Entropy l-diversity (Machanavajjhala et al.): min over groups of exp(entropy in nats).

    With a unit a person counts once for each (group, sensitive tuple).
    """
    results: list[float] = []
    for members in groups(rows, public).values():
        if unit is None:
            secrets = [_values(row, sensitive) for row in members]
        else:
            secrets = [secret for _, secret in {(row[unit], _values(row, sensitive)) for row in members}]
        total = len(secrets)
        shares = [count / total for count in Counter(secrets).values()]
        results.append(math.exp(-math.fsum(share * math.log(share) for share in shares)))
    return min(results)


def homogeneous_groups(rows: Table, public: Sequence[str], sensitive: Sequence[str]) -> list[Key]:
    """Keys of the groups whose rows share one sensitive tuple (homogeneity attack).

    In the order of first appearance; a group of one row is homogeneous.
    """
    return [
        key
        for key, members in groups(rows, public).items()
        if all(_values(row, sensitive) == _values(members[0], sensitive) for row in members)
    ]


def _joint_range(rows: Table, public: Sequence[str], sensitive: Sequence[str]) -> Pairs:
    """[[S,X]] of a table: the distinct pairs (sensitive tuple, public tuple)."""
    return frozenset((_values(row, sensitive), _values(row, public)) for row in rows)


def min_posterior(rows: Table, public: Sequence[str], sensitive: Sequence[str]) -> int:
    """The smallest posterior set min_x |[[S|x]]|: the largest k of Definition 2 of [P3]."""
    return disarray_ratio(_joint_range(rows, public, sensitive))


def persons_at_min_posterior(
    rows: Table, public: Sequence[str], sensitive: Sequence[str], unit: str | None = None
) -> int:
    """Rows, or distinct persons with a unit, whose public values x attain min_x |[[S|x]]|."""
    pairs = _joint_range(rows, public, sensitive)
    smallest = disarray_ratio(pairs)
    exposed = [row for row in rows if len(conditional_x(pairs, _values(row, public))) == smallest]
    return len(exposed) if unit is None else len({row[unit] for row in exposed})


# --- t-closeness ---------------------------------------------------------------------------------


def _distinct_values(rows: Table, sensitive: str, ordered: bool) -> list[Hashable]:
    """The distinct sensitive values of the table, sorted for the ordered distance."""
    distinct: list[Any] = list({row[sensitive] for row in rows})
    return sorted(distinct) if ordered else distinct


def _distribution(rows: Table, sensitive: str, values: Sequence[Hashable]) -> list[Fraction]:
    """The share of the rows that has each of the values."""
    return [Fraction(sum(row[sensitive] == value for row in rows), len(rows)) for value in values]


def emd_exact(p: Sequence[Fraction], q: Sequence[Fraction], ordered: bool) -> Fraction:
    """Earth mover's distance in closed form (Li et al.).

    Equal distance: half the sum of |p_i - q_i|. Ordered distance |i-j|/(m-1): the sum of the
    absolute cumulated differences, over m - 1; 0 when there is one value only.
    """
    differences = [left - right for left, right in zip(p, q, strict=True)]
    if not ordered:
        return sum((abs(difference) for difference in differences), Fraction(0)) / 2
    if len(differences) == 1:
        return Fraction(0)
    cumulated = itertools.accumulate(differences)
    return sum((abs(part) for part in cumulated), Fraction(0)) / (len(differences) - 1)


def emd_lp(p: Sequence[Fraction], q: Sequence[Fraction], ordered: bool) -> float:
    """Earth mover's distance as a transport linear program (Li et al.).

    Minimise sum d_ij f_ij with f >= 0, sum_j f_ij = p_i and sum_i f_ij = q_j. The masses are
    scaled to whole numbers, so that the constraints are stated exactly.
    """
    optimize = importlib.import_module("scipy.optimize")
    m = len(p)
    scale = math.lcm(*(share.denominator for share in (*p, *q)))
    costs: list[float] = []
    for i, j in itertools.product(range(m), repeat=2):
        if ordered:
            costs.append(abs(i - j) / (m - 1) if m > 1 else 0.0)
        else:
            costs.append(0.0 if i == j else 1.0)
    cells = list(itertools.product(range(m), repeat=2))
    sent = [[float(i == source) for i, _ in cells] for source in range(m)]
    received = [[float(j == target) for _, j in cells] for target in range(m)]
    masses = [int(share * scale) for share in (*p, *q)]
    solution = optimize.linprog(costs, A_eq=[*sent, *received], b_eq=masses, bounds=(0, None))
    assert solution.status == 0, solution.message
    return float(solution.fun) / scale


def t_closeness_exact(rows: Table, public: Sequence[str], sensitive: str, ordered: bool) -> Fraction:
    """t-closeness (Li et al.): the largest EMD between a group and the whole table, exact.

    Rows are counted. The ordered distance uses the ranks of the distinct values of the table.
    """
    values = _distinct_values(rows, sensitive, ordered)
    whole = _distribution(rows, sensitive, values)
    return max(
        emd_exact(_distribution(members, sensitive, values), whole, ordered)
        for members in groups(rows, public).values()
    )


def t_closeness_lp(rows: Table, public: Sequence[str], sensitive: str, ordered: bool) -> float:
    """t-closeness (Li et al.) as in ``t_closeness_exact``, the EMD by linear programming."""
    values = _distinct_values(rows, sensitive, ordered)
    whole = _distribution(rows, sensitive, values)
    return max(
        emd_lp(_distribution(members, sensitive, values), whole, ordered)
        for members in groups(rows, public).values()
    )


# --- several releases, all tables ----------------------------------------------------------------


def joint_release_rows(
    tables: Sequence[Table], unit: str, sensitive: Sequence[str], public: Sequence[str]
) -> list[dict[str, Hashable]]:
    """Several releases about the same people, as one table.

    For every person: all combinations of one of the person's rows from each release; a release
    without the person contributes one row of None values. Public column c of release i (from 0)
    is called f"{i+1}.{c}"; a release contributes only the public columns that it has. In each
    combination a sensitive column comes from the first release that has both the column and the
    person, and is None when there is no such release. The unit column is kept. Persons come in
    the order of their first appearance.
    """
    persons = list(dict.fromkeys(row[unit] for table in tables for row in table))
    result: list[dict[str, Hashable]] = []
    for person in persons:
        choices: list[list[Row | None]] = []
        for table in tables:
            own: list[Row | None] = [row for row in table if row[unit] == person]
            choices.append(own or [None])
        for combination in itertools.product(*choices):
            joint: dict[str, Hashable] = {unit: person}
            for i, (table, row) in enumerate(zip(tables, combination, strict=True)):
                for column in public:
                    if any(column in other for other in table):
                        joint[f"{i + 1}.{column}"] = None if row is None else row[column]
            for column in sensitive:
                found = [row[column] for row in combination if row is not None and column in row]
                joint[column] = found[0] if found else None
            result.append(joint)
    return result


def all_tables(
    n_rows: int, public_values: Sequence[Hashable], sensitive_values: Sequence[Hashable]
) -> Iterator[list[dict[str, Hashable]]]:
    """Every table of n_rows rows with the columns "x" and "s", in every order of the rows."""
    kinds = list(itertools.product(public_values, sensitive_values))
    for chosen in itertools.product(kinds, repeat=n_rows):
        yield [{"x": x, "s": s} for x, s in chosen]
