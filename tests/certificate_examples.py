"""Certificates made for tests, straight from their definition and in no hurry: lists, sets and fractions.

Nothing of the package is used here, neither what makes certificates nor what checks them.
"""

import copy
import csv
import hashlib
import io
import itertools
import json
import math
import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import ROUND_HALF_EVEN, Decimal, localcontext
from fractions import Fraction
from pathlib import Path
from typing import Any

Value = tuple[str | None, ...]
Row = Mapping[str, str | None]
JsonObject = dict[str, Any]


@dataclass
class Case:
    """A table, what is to become of it, and how distances are measured.

    Attributes:
        rows: the table, as canonical texts.
        cells: the public values of each cell.
        suppressed: those of the suppressed cell.
    """

    rows: list[dict[str, str | None]]
    sensitive: list[str]
    public: list[str]
    kinds: dict[str, str]
    cells: list[list[Value]]
    suppressed: list[Value] = field(default_factory=list)
    given: list[str] = field(default_factory=list)
    keep: list[str] = field(default_factory=list)
    codeword: str = "midrange"
    distance: str | None = "max"
    missing: str = "value"
    weights: dict[str, str] = field(default_factory=dict)
    spans: dict[str, list[str]] = field(default_factory=dict)
    hierarchies: dict[str, dict[str, list[str]]] = field(default_factory=dict)
    hierarchy_cost: str = "height"
    target: JsonObject = field(default_factory=dict)

    @property
    def used(self) -> list[dict[str, str | None]]:
        """The rows that are released."""
        columns = self.sensitive + self.public + self.given + self.keep
        if self.missing != "drop":
            return self.rows
        return [row for row in self.rows if all(row[c] is not None for c in columns)]

    def value(self, row: Row) -> Value:
        return tuple(row[c] for c in self.public)


# --- texts and digests -----------------------------------------------------------------------------


def digest(rows: Sequence[Row], columns: Sequence[str]) -> str:
    def dump(value: object) -> str:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))

    counts = Counter(hashlib.sha256(dump([row[c] for c in columns]).encode()).digest() for row in rows)
    body = b"".join(key + str(counts[key]).encode() + b"\n" for key in sorted(counts))
    return "sha256:" + hashlib.sha256(dump(list(columns)).encode() + b"\n" + body).hexdigest()


def decimal_text(number: Fraction, places: int = 25) -> str:
    with localcontext() as context:
        context.prec = 200
        exact = Decimal(number.numerator) / Decimal(number.denominator)
        exact = exact.quantize(Decimal(1).scaleb(-places), ROUND_HALF_EVEN)
    text = f"{exact:f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text == "-0" else text


def set_text(values: set[str | None]) -> str | None:
    if values == {None}:
        return None
    parts = []
    for value in sorted(values, key=lambda v: (v is not None, v or "")):
        special = value is not None and ("|" in value or value.startswith('"') or value in ("", "*"))
        parts.append("" if value is None else '"' + value.replace('"', '""') + '"' if special else value)
    return "|".join(parts)


# --- hierarchies -----------------------------------------------------------------------------------


class Tree:
    """Nodes are tuples of names up to the top."""

    def __init__(self, above: Mapping[str, Sequence[str]], values: set[str | None], cost: str) -> None:
        paths: dict[str | None, Value] = {value: (value, *names) for value, names in above.items()}
        if None in values:
            paths[None] = (None,)
        if len({path[-1] for path in paths.values()}) > 1:
            paths = {value: (*path, "*") for value, path in paths.items()}
        self.nodes = {value: [path[i:] for i in range(len(path))] for value, path in paths.items()}
        everything = {node for nodes in self.nodes.values() for node in nodes}
        leaves = {
            node for node in everything if not any(o != node and o[-len(node) :] == node for o in everything)
        }
        below = {node: [leaf for leaf in leaves if leaf[-len(node) :] == node] for node in everything}
        self.cost = {
            node: max(len(leaf) - len(node) for leaf in found) if cost == "height" else len(found) - 1
            for node, found in below.items()
        }

    def common(self, values: Sequence[str | None]) -> Value:
        return next(n for n in self.nodes[values[0]] if all(n in self.nodes[v] for v in values))


# --- what is released, and distances ---------------------------------------------------------------


class Codebook:
    def __init__(self, case: Case) -> None:
        self.case = case
        self.trees = {
            c: Tree(case.hierarchies[c], {row[c] for row in case.used}, case.hierarchy_cost)
            for c in case.public
            if case.kinds[c] == "hierarchy"
        }

    def word(self, members: Sequence[Value]) -> Value:
        if self.case.codeword == "medoid":
            return min(members, key=lambda m: (max(self.distance(v, m, members) for v in members), str(m)))
        return tuple(self._part(c, [m[i] for m in members]) for i, c in enumerate(self.case.public))

    def _part(self, column: str, values: list[str | None]) -> str | None:
        kind = self.case.kinds[column]
        if kind == "category":
            return set_text(set(values))
        if kind == "hierarchy":
            return self.trees[column].common(values)[0]
        if not is_number(values[0]):
            assert len(set(values)) == 1
            return values[0]
        numbers = [Fraction(v or "") for v in values]
        if self.case.codeword == "interval":
            ends = [decimal_text(end) for end in (min(numbers), max(numbers))]
            if ends[0] == ends[1]:
                return ends[0]
            whole = min(numbers) >= 0 and all(end.denominator == 1 for end in (min(numbers), max(numbers)))
            return ("-" if whole else " to ").join(ends)
        middle = (min(numbers) + max(numbers)) / 2
        if self.case.codeword == "centroid":
            middle = sum(numbers, Fraction(0)) / len(numbers)
        return decimal_text(middle)

    def distance(self, member: Value, word: Value, cell: Sequence[Value]) -> Fraction:
        """The distance, squared if it is Euclidean."""
        case, parts = self.case, []
        for i, column in enumerate(case.public):
            weight = Fraction(case.weights.get(column, "1"))
            kind = case.kinds[column]
            if case.distance in ("hamming", "discrete"):
                counts = self._differs(member[i], word[i], [m[i] for m in cell])
                parts.append(counts * (weight if kind == "category" else 1))
                continue
            part = self._difference(column, member[i], word[i], [m[i] for m in cell]) * weight
            if case.distance == "gower":
                part /= len(case.public)
                if kind == "number":
                    low, high = (Fraction(end) for end in case.spans[column])
                    part /= high - low
                if kind == "hierarchy":
                    part /= max(1, *self.trees[column].cost.values())
            parts.append(part)
        if case.distance in ("euclidean", "squared"):
            return sum((part**2 for part in parts), Fraction(0))
        return max(parts) if case.distance in ("max", "discrete") else sum(parts, Fraction(0))

    def _differs(self, value: str | None, word: str | None, values: Sequence[str | None]) -> Fraction:
        medoid = self.case.codeword == "medoid"
        return Fraction(value != word if medoid else len(set(values)) > 1)

    def _difference(
        self, column: str, value: str | None, word: str | None, values: list[str | None]
    ) -> Fraction:
        kind, medoid = self.case.kinds[column], self.case.codeword == "medoid"
        if kind == "category":
            return self._differs(value, word, values)
        if kind == "hierarchy":
            tree = self.trees[column]
            return Fraction(tree.cost[tree.common([value, word] if medoid else values)])
        if not is_number(value):
            return Fraction(0)
        if self.case.codeword == "interval":
            numbers = [Fraction(v or "") for v in values]
            return (max(numbers) - min(numbers)) / 2
        return abs(Fraction(value or "") - Fraction(word or ""))


def is_number(text: str | None) -> bool:
    try:
        return text is not None and decimal_text(Fraction(text), 30) == text
    except ValueError:
        return False


# --- the certificate -------------------------------------------------------------------------------


@dataclass
class Made:
    """A release and its certificate."""

    case: Case
    certificate: JsonObject
    released: list[dict[str, str | None]]

    @property
    def original_columns(self) -> list[str]:
        columns = self.certificate["columns"]
        return [c for role in ("sensitive", "public", "given", "keep") for c in columns[role]]


def make(case: Case) -> Made:
    """The release that a case describes, with a true certificate."""
    book = Codebook(case)
    cells, words, flags = _read_alike(case, book)
    cell_of = {member: number for number, cell in enumerate(cells) for member in cell}
    released = []
    for row in case.used:
        word = words[cell_of[case.value(row)]]
        released.append(dict(zip(case.public, word, strict=True)) | {c: row[c] for c in case.keep})
    distances = {
        member: book.distance(member, words[number], cell) if case.distance else Fraction(0)
        for number, cell in enumerate(cells)
        if not flags[number]
        for member in cell
    }
    certificate = _certificate(case, cells, words, flags, distances, released)
    return Made(case, certificate, released)


def recount(certificate: JsonObject, rows: list[dict[str, str | None]]) -> JsonObject | None:
    """A certificate with all its claims counted anew from the original, its statements taken as they are.

    None where its cells are no partition of the public values, or a distance cannot be measured.
    """
    columns, options = certificate["columns"], certificate["options"]
    case = Case(
        rows,
        columns["sensitive"],
        columns["public"],
        options["kinds"],
        [],
        given=columns["given"],
        keep=columns["keep"],
        codeword=options["codeword"],
        distance=options["distance"],
        missing=options["missing"],
        weights=options["weights"],
        spans=options["spans"],
        hierarchies=certificate["hierarchies"],
        hierarchy_cost=options["hierarchy_cost"],
        target=certificate["target"],
    )
    parts = certificate["partition"]
    cells: list[list[Value]] = [[tuple(member) for member in part["members"]] for part in parts]
    words: list[Value] = [tuple(part["released"]) for part in parts]
    flags = [part["suppressed"] for part in parts]
    members = list(itertools.chain.from_iterable(cells))
    if sorted(members, key=str) != sorted({case.value(row) for row in case.used}, key=str):
        return None
    try:
        book = Codebook(case)
        distances = {
            member: book.distance(member, words[number], cell) if case.distance else Fraction(0)
            for number, cell in enumerate(cells)
            if not flags[number]
            for member in cell
        }
    except (KeyError, ValueError, StopIteration):
        return None
    cell_of = {member: number for number, cell in enumerate(cells) for member in cell}
    released = [
        dict(zip(case.public, words[cell_of[case.value(row)]], strict=True)) | {c: row[c] for c in case.keep}
        for row in case.used
    ]
    return _certificate(case, cells, words, flags, distances, released)


def _read_alike(case: Case, book: Codebook) -> tuple[list[list[Value]], list[Value], list[bool]]:
    """Cells that read alike are one cell, until none do."""
    cells = [list(cell) for cell in case.cells]
    hidden = list(case.suppressed)
    while True:
        words = [book.word(cell) for cell in cells]
        stars = ("*",) * len(case.public)
        if hidden and stars in words:
            cells[words.index(stars)] += hidden
            hidden = []
            continue
        same = {word: [i for i, other in enumerate(words) if other == word] for word in words}
        if len(same) == len(words):
            break
        cells = [list(itertools.chain.from_iterable(cells[i] for i in group)) for group in same.values()]
    flags = [False] * len(cells)
    if hidden:
        return [*cells, hidden], [*words, stars], [*flags, True]
    return cells, words, flags


def _certificate(  # noqa: PLR0917 - all that a certificate is about
    case: Case,
    cells: list[list[Value]],
    words: list[Value],
    flags: list[bool],
    distances: dict[Value, Fraction],
    released: list[dict[str, str | None]],
) -> JsonObject:
    columns = {"sensitive": case.sensitive, "public": case.public, "given": case.given, "keep": case.keep}
    original = [c for names in columns.values() for c in names]
    rows, cell_of = case.used, {member: number for number, cell in enumerate(cells) for member in cell}
    groups: dict[tuple[Any, ...], set[Value]] = {}
    known: dict[Value, set[Value]] = {}
    for row in rows:
        secret, given = tuple(row[c] for c in case.sensitive), tuple(row[c] for c in case.given)
        seen = (cell_of[case.value(row)], tuple(row[c] for c in case.keep), given)
        groups.setdefault(seen, set()).add(secret)
        known.setdefault(given, set()).add(secret)
    posteriors = [
        min(len(s) for seen, s in groups.items() if seen[0] == number) for number in range(len(cells))
    ]
    leakage = max(Fraction(len(known[seen[2]]), len(secrets)) for seen, secrets in groups.items())
    components = _components(list(groups.values()))
    shown = [len(cell) for cell, flag in zip(cells, flags, strict=True) if not flag]
    resolution = Fraction(sum(shown), max(shown)) if shown else Fraction(1)
    worst = max(distances.values(), default=Fraction(0))
    member = next((m for m, d in distances.items() if d == worst), None)
    counts = Counter(cell_of[case.value(row)] for row in rows)
    return {
        "format": "noiseless-certificate",
        "version": 1,
        "tool": {"name": "a test", "version": "1"},
        "created": "2026-01-02T03:04:05Z",
        "columns": copy.deepcopy(columns),
        "options": {
            "objective": "leakage",
            "utility": "distortion",
            "method": "auto",
            "codeword": case.codeword,
            "distance": case.distance,
            "missing": case.missing,
            "kinds": dict(case.kinds),
            "weights": dict(case.weights),
            "spans": copy.deepcopy(case.spans),
            "hierarchy_cost": case.hierarchy_cost,
        },
        "original": {"rows": len(rows), "digest": digest(rows, original)},
        "released": {"rows": len(released), "digest": digest(released, case.public + case.keep)},
        "hierarchies": copy.deepcopy(case.hierarchies),
        "partition": [
            {
                "released": list(words[number]),
                "members": [list(m) for m in cell],
                "rows": counts[number],
                "posterior": posteriors[number],
                "suppressed": flags[number],
            }
            for number, cell in enumerate(cells)
        ],
        "claim": {
            "sensitive_values": len({tuple(row[c] for c in case.sensitive) for row in rows}),
            "public_values": len(cell_of),
            "cells": len(cells),
            "min_posterior": min(posteriors),
            "max_posterior": max(len(secrets) for secrets in groups.values()),
            "components": components,
            "leakage_exact": str(leakage),
            "maximin_exact": str(components),
            "resolution_exact": str(resolution),
            "distortion_exact": None if case.distance is None else _length(worst, case.distance),
            "leakage": _log2(leakage, up=True),
            "maximin": _log2(Fraction(components), up=True),
            "resolution": _log2(resolution, up=False),
            "distortion": None if case.distance is None else _rounded_length(worst, case.distance),
            "suppressed_rows": sum(counts[number] for number, flag in enumerate(flags) if flag),
        },
        "target": copy.deepcopy(case.target),
        "witness": {
            "posterior_cell": posteriors.index(min(posteriors)),
            "largest_cell": max(
                (number for number, flag in enumerate(flags) if not flag),
                key=lambda n: len(cells[n]),
                default=None,
            ),
            "distortion_cell": None if member is None or case.distance is None else cell_of[member],
            "distortion_member": None if member is None or case.distance is None else list(member),
        },
        "stated": {"optimal": False, "gap": None, "scope": "all", "proof": "none"},
    }


def _components(groups: list[set[Value]]) -> int:
    blocks: list[set[Value]] = []
    for group in groups:
        touched = [block for block in blocks if block & group]
        blocks = [block for block in blocks if not block & group] + [set(group).union(*touched)]
    return len(blocks)


def _length(worst: Fraction, distance: str) -> str:
    if distance != "euclidean":
        return str(worst)
    root = Fraction(math.isqrt(worst.numerator), math.isqrt(worst.denominator))
    return str(root) if root**2 == worst else f"sqrt({worst})"


def _rounded_length(worst: Fraction, distance: str) -> float:
    power = 2 if distance == "euclidean" else 1
    guess = math.sqrt(worst) if power == 2 else float(worst)
    while Fraction(guess) ** power < worst:
        guess = math.nextafter(guess, math.inf)
    return guess


def _log2(ratio: Fraction, *, up: bool) -> float:
    exact = math.log2(ratio)
    if 2**exact == ratio and exact == int(exact):
        return exact
    return exact + (1e-12 if up else -1e-12)


# --- files -----------------------------------------------------------------------------------------


def csv_text(rows: Sequence[Row], columns: Sequence[str]) -> str:
    """A CSV file whose fields read as these texts; every text is quoted, a missing value is empty."""
    out = io.StringIO()

    def quoted(text: str | None) -> str:
        return "" if text is None else '"' + text.replace('"', '""') + '"'

    out.write(",".join(quoted(c) for c in columns) + "\n")
    for row in rows:
        out.write(",".join(quoted(row[c]) for c in columns) + "\n")
    return out.getvalue()


def plain_csv_text(rows: Sequence[Row], columns: Sequence[str]) -> str:
    """The same as other programs write it: quotes only where they are needed."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([["" if row[c] is None else row[c] for c in columns] for row in rows])
    return out.getvalue()


def write_files(made: Made, folder: Path, certificate: JsonObject | None = None) -> tuple[Path, Path, Path]:
    """The certificate, the original and the release as files."""
    paths = folder / "certificate.json", folder / "original.csv", folder / "released.csv"
    paths[0].write_text(json.dumps(certificate or made.certificate, ensure_ascii=False), "utf-8")
    paths[1].write_text(csv_text(made.case.rows, list(made.case.rows[0])), "utf-8", newline="")
    columns = made.case.public + made.case.keep
    paths[2].write_text(csv_text(made.released, columns), "utf-8", newline="")
    return paths


# --- random cases ----------------------------------------------------------------------------------

TREE = {
    "flu": ["lung", "any"],
    "asthma": ["lung", "any"],
    "ulcer": ["stomach", "any"],
    "gastritis": ["stomach", "any"],
    "unused": ["head", "any"],
}
CATEGORIES = ["a", "b|c", 'd"e', "f g", "Österreich", "NULL"]
POOLS: dict[str, list[str | None]] = {
    "number": ["1", "2", "3.5", "10", "-4", "0", "7.25"],
    "category": [*CATEGORIES, None],
    "hierarchy": ["flu", "asthma", "ulcer", "gastritis"],
}


def random_case(seed: int) -> Case:
    """A random table, a random partition and random options."""
    chance = random.Random(seed)
    kinds = [chance.choice(list(POOLS)) for _ in range(chance.choice([1, 1, 2, 3]))]
    public = [f"x{i}" for i in range(len(kinds))]
    given, keep = (["known"] if chance.random() < 0.4 else []), (["kept"] if chance.random() < 0.3 else [])
    sensitive = ["secret"] if chance.random() < 0.7 else ["secret", "other secret"]
    pools = [_pool(chance, kind) for kind in kinds]
    rows: list[dict[str, str | None]] = [
        {
            **{c: chance.choice(pool) for c, pool in zip(public, pools, strict=True)},
            "secret": f"s{chance.randrange(5)}",
            "other secret": chance.choice(["1", "2", None]),
            "known": chance.choice(["u", "v"]),
            "kept": chance.choice(["k 1", "k 2", None]),
            "unrelated": chance.choice(["", "z"]) or None,
        }
        for _ in range(chance.randrange(2, 25))
    ]
    case = Case(rows, sensitive, public, dict(zip(public, kinds, strict=True)), [], given=given, keep=keep)
    case.codeword = chance.choice(["midrange", "centroid", "medoid", "interval"])
    case.distance = chance.choice(
        ["absolute", "euclidean", "squared", "max", "gower", "hamming", "discrete", None]
    )
    case.hierarchy_cost = chance.choice(["height", "leaves"])
    case.missing = chance.choice(["value", "value", "drop"])
    case.hierarchies = {c: copy.deepcopy(TREE) for c in public if case.kinds[c] == "hierarchy"}
    case.weights = {c: chance.choice(["2", "1/3", "0"]) for c in public if chance.random() < 0.3}
    case.spans = {c: ["-4", "20"] for c in public if case.kinds[c] == "number"}
    if not case.used:
        return random_case(seed + 10**6)
    _random_cells(chance, case)
    return case


def _pool(chance: random.Random, kind: str) -> list[str | None]:
    pool = chance.sample(POOLS[kind], chance.randrange(2, len(POOLS[kind]) + 1))
    return [*pool, *([None] if kind in ("number", "hierarchy") and chance.random() < 0.3 else [])]


def _random_cells(chance: random.Random, case: Case) -> None:
    values = sorted({case.value(row) for row in case.used}, key=str)
    kind: Callable[[Value], tuple[Any, ...]] = lambda v: tuple(  # noqa: E731
        ("a number" if is_number(part) else part) if case.kinds[c] == "number" else 0
        for c, part in zip(case.public, v, strict=True)
    )
    hidden = {v for v in values if chance.random() < 0.15} if chance.random() < 0.4 else set()
    cells: dict[tuple[Any, ...], list[Value]] = {}
    for value in values:
        if value not in hidden:
            cells.setdefault((*(str(k) for k in kind(value)), chance.randrange(4)), []).append(value)
    case.cells, case.suppressed = list(cells.values()), sorted(hidden, key=str)
