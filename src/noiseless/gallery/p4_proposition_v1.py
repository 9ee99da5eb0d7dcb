"""[P4] Proposition V.1: a k-anonymous release that hides nothing, and k-anonymity on real people."""

from fractions import Fraction
from importlib.resources import as_file, files
from itertools import pairwise
from math import inf, isinf

import numpy as np
import pyarrow as pa

from noiseless.audits import audit
from noiseless.exact import Bits
from noiseless.gallery.data import Data
from noiseless.gallery.figure import ClaimCheck, Curve, Panel, Parts, reproduces
from noiseless.measures import disarray, leakage, maximin
from noiseless.theory.continuous import Box, BoxSet, ContinuousRange

CELLS = {2: (2, 4, 8, 16, 32), 3: (2, 4, 8)}
"""For k records: how fine a value is told when the k agree."""

PUBLIC = ("age", "sex", "race", "education", "marital-status")
SENSITIVE = ("occupation", "salary-class")
SMALLEST = (2, 3, 4, 5, 7, 10, 15, 20, 30, 50)
DECADE = 10


@reproduces(
    "[P4] Proposition V.1",
    "k-anonymity hides nothing when k people agree",
    "Some k-anonymous release has d0 = 0, L0 = h0(X) and I* = infinity: k-anonymity is not private.",
    needs=("adult",),
)
def figure(data: Data) -> Parts:
    """The paper's construction at growing resolution, and the people of a census made k-anonymous."""
    found = {k: [agreeing(k, cells) for cells in numbers] for k, numbers in CELLS.items()}
    people = _anonymous_people(data.adult())
    worst = {k: [disarray(joint).lower for joint in joints] for k, joints in found.items()}
    blocks = {k: [_bits(joint) for joint in joints] for k, joints in found.items()}
    yield Panel.of(
        "Relative disarray d0(X|Y)",
        "N: values told apart when k records agree",
        "nats",
        *(Curve.of(f"k = {k}", CELLS[k], worst[k]) for k in CELLS),
        Curve.dashed("printed: 0", (2, 32), (0, 0)),
        log_x=True,
    )
    yield Panel.of(
        "Maximin information I*(X;Y)",
        "N: values told apart when k records agree",
        "bits",
        *(Curve.of(f"k = {k}", CELLS[k], blocks[k]) for k in CELLS),
        log_x=True,
        note="log2(N + 1), whatever k is",
    )
    yield Panel.of(
        "People given away, k-anonymous Adult tables",
        "k: at least this many look alike",
        "share whose sensitive value is certain",
        *(Curve.of(name, SMALLEST, (share for share, _ in people[name])) for name in SENSITIVE),
        log_x=True,
    )
    yield from _checks(found, people)
    yield (
        "Worked out for k records with one value in [0, 1]: if all lie in the same of N cells, that cell is "
        "told for each of them, otherwise [0, 1]. Either way k rows look alike. The paper's release is the "
        "limit N to infinity."
    )
    yield (
        "The third panel groups the people of the Adult census by age in decades, sex, race, education and "
        "marital status and leaves out groups of fewer than k, so that the rest is k-anonymous."
    )


def agreeing(records: int, cells: int) -> ContinuousRange:
    """[[X, Y]] of the release that tells the common cell of k records that agree, and nothing of others."""
    edges = [Fraction(cell, cells) for cell in range(cells + 1)]
    sides = [(low, high, "[)" if high < 1 else "[]") for low, high in pairwise(edges)]
    agreed = [Box.of(*[side] * records) for side in sides]
    rest = BoxSet.of(Box.of(*[(0, 1)] * records)) - BoxSet.union(agreed)
    return ContinuousRange.from_labels({str(box): box for box in agreed} | {"any": rest})


def _bits(joint: ContinuousRange) -> float:
    found = maximin(joint)
    return found.upper if isinstance(found, Bits) else found


def _anonymous_people(table: pa.Table) -> dict[str, list[tuple[float, int]]]:
    """For each sensitive column and each k: the share of people given away, and how many people are left."""
    ages = pa.array(table["age"].to_numpy() // DECADE * DECADE)
    grouped = table.set_column(table.schema.get_field_index("age"), "age", ages)
    codes = np.stack([_codes(grouped[name]) for name in PUBLIC], axis=1)
    _, group, sizes = np.unique(codes, axis=0, return_inverse=True, return_counts=True)
    size = sizes[group.ravel()]
    found: dict[str, list[tuple[float, int]]] = {name: [] for name in SENSITIVE}
    for smallest in SMALLEST:
        kept = grouped.filter(pa.array(size >= smallest))
        for name in SENSITIVE:
            seen = audit(kept, sensitive=name, public=PUBLIC)
            found[name].append((seen.homogeneous_persons / len(kept), len(kept)))
    return found


def _codes(column: pa.ChunkedArray) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    return np.asarray(column.combine_chunks().dictionary_encode().indices.to_numpy(), np.int64)


def _checks(found: dict[int, list[ContinuousRange]], people: dict[str, list[tuple[float, int]]]) -> Parts:
    limit = ContinuousRange.from_function([((0, 1), 1, 0)])
    lowest, most = disarray(limit).upper, leakage(limit).upper
    tried = [(k, n, joint) for k, rows in found.items() for n, joint in zip(CELLS[k], rows, strict=True)]
    shrinks = all(disarray(joint).ratio == Fraction(1, n**k) for k, n, joint in tried)
    blocks = all(maximin(joint) == Bits(n + 1) for _, n, joint in tried)
    yield ClaimCheck(
        "There is a k-anonymous release with relative disarray d0 = 0, and so L0 = h0(X).",
        f"d0 = -k ln N at N cells, {lowest} where the value itself is told; then L0 = {most}. With "
        "records in [0, 1] the printed L0 = h0(X) would be 0: no leakage at all",
        "d0 = 0 in the limit",
        lowest == 0,
    )
    yield ClaimCheck(
        "Corrected: d0 is minus infinity and L0 plus infinity: ln 0, not 0.",
        f"smallest regions of volume N^-k at every k and N tried: {shrinks}; in the limit {lowest} and "
        f"{most}",
        "volume N^-k exactly; infinite in the limit",
        shrinks and lowest == -inf and most == inf,
        about="ours",
    )
    yield ClaimCheck(
        "Its maximin information I* is infinite.",
        f"log2(N + 1) bits at N cells at every k and N tried: {blocks}; in the limit {maximin(limit)}",
        "log2(N + 1) exactly; infinite in the limit",
        blocks and not isinstance(maximin(limit), Bits) and isinf(float(maximin(limit))),
    )
    with as_file(files("noiseless") / "data" / "patients-4-anonymous.csv") as path:
        seen = audit(path, sensitive="illness", public=("age", "sex", "postcode"))
    yield ClaimCheck(
        "k-anonymity is not private: a group whose sensitive values agree gives all its members away.",
        f"a 4-anonymous table of 40 invented patients has {seen.homogeneous_groups} groups of one illness: "
        f"{seen.homogeneous_persons} people given away",
        "at least one homogeneous group",
        seen.homogeneous_groups > 0,
    )
    at = SMALLEST.index(5)
    told = "; ".join(f"{name}: {shares[at][0]:.1%}" for name, shares in people.items())
    last = max(
        (k for name in SENSITIVE for k, (share, _) in zip(SMALLEST, people[name], strict=True) if share),
        default=0,
    )
    yield ClaimCheck(
        "It happens to real people, not only by construction.",
        f"given away in a 5-anonymous table of {people[SENSITIVE[0]][at][1]:,} people: {told}; somebody up "
        f"to k = {last}",
        "somebody is given away at k = 5",
        any(shares[at][0] > 0 for shares in people.values()),
        about="ours",
    )
