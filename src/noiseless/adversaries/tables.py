"""Reconstruction from published tables, of the census kind: certain claims about people, each with a proof.

The adversary has the tables and nothing else, and claims only what holds in every population that fits them
all. A claim about a *record* says that at least n people have one combination of all categories; a claim
about a *group* says that all n or more who share everything but a secret have the same secret.
(Cf. Garfinkel, Abowd and Martindale, Understanding database reconstruction attacks on public data, 2019.)
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import prod
from typing import Any

import numpy as np

from noiseless.adversaries.columns import read_columns
from noiseless.adversaries.game import Game, Progress, Score, reported, require_sound
from noiseless.arrays import BoolArray, IntArray
from noiseless.errors import RequestError
from noiseless.tables import Missing
from noiseless.tabulations.audit import audit_tables
from noiseless.tabulations.base_cells import BaseCells, base_cells
from noiseless.tabulations.inference import ContradictionError
from noiseless.tabulations.integer_program import Deadline
from noiseless.tabulations.publication import MAX_ATOMS, Publication
from noiseless.tabulations.published_table import Classification, PublishedTable
from noiseless.tabulations.reading import read_request

RECORD, GROUP = "record", "group"
_SIZES = (1, 2, 3)
_MOST_PROVED = 1_000
"""The most claims that a certificate holds."""

MEASURE = "share of people about whom a claim is certain"


@dataclass(frozen=True, eq=False)
class TableClaims:
    """What is certain of people after some tables.

    Attributes:
        publication: the tables.
        cells: what is certain of every base cell.
        secret: the dimension that a group may share; None if there is none.
    """

    publication: Publication
    cells: BaseCells
    secret: str | None

    @property
    def records(self) -> IntArray:
        """The base cells that certainly hold somebody."""
        return np.flatnonzero(self.cells.least > 0)

    @property
    def groups(self) -> IntArray:
        """Those of them whose group has no other secret."""
        if self.secret is None:
            return np.zeros(0, np.int64)
        shape = self.publication.shape
        axis = [each.name for each in self.publication.used].index(self.secret)
        possible: BoolArray = ~self.cells.empty.reshape(shape)
        alone = possible & (possible.sum(axis=axis, keepdims=True) == 1)
        return np.flatnonzero(alone.ravel() & (self.cells.least > 0))

    def sentences(self) -> Iterator[str]:
        """Claims in words, those about the fewest people first; groups before records."""
        names = [each.name for each in self.publication.used]
        grouped = set(self.groups.tolist())
        for atom in sorted(
            self.records.tolist(), key=lambda each: (each not in grouped, self.cells.least[each])
        ):
            many, labels = int(self.cells.least[atom]), self.publication.atom_name(atom)
            said = dict(zip(names, labels, strict=True))
            if atom in grouped and self.secret is not None:
                own = said.pop(self.secret)
                which = ", ".join(f"{name} {label}" for name, label in said.items())
                yield f"all {many} or more with {which} have {self.secret} {own}"
            else:
                which = ", ".join(f"{name} {label}" for name, label in said.items())
                yield f"at least {many}: {which}"

    def certificate(self) -> dict[str, Any]:
        """Proofs of the first claims, as `tables verify` checks them."""
        names = [each.name for each in self.publication.used]
        chosen = sorted(self.records.tolist(), key=lambda atom: self.cells.least[atom])[:_MOST_PROVED]
        targets = {
            ", ".join(labels): {name: [label] for name, label in zip(names, labels, strict=True)}
            for labels in map(self.publication.atom_name, chosen)
        }
        return audit_tables(self.publication, targets=targets).certificate()


def tables(
    table: Any,  # noqa: ANN401 - a file of tables, or anything that open_table opens
    *,
    columns: Sequence[str] = (),
    by: Sequence[str] = (),
    ways: int | None = None,
    below: int | None = None,
    rounded: int | None = None,
    secret: str | None = None,
    missing: Missing = "value",
    time_limit: float | None = None,
    progress: Progress | None = None,
) -> Game:
    """How many people tables of counts give away for certain, as tables of more and more dimensions appear.

    >>> import pyarrow as pa
    >>> block = pa.table({"sex": ["f", "f", "m"], "age": ["30", "34", "34"]})
    >>> game = tables(block, columns=["sex", "age"], secret="age")
    >>> [(s.details["dimensions"], s.details["claim"], s.details["claims"]) for s in game.results]
    [(1, 'record', 1), (1, 'group', 0), (2, 'record', 3), (2, 'group', 1)]

    Args:
        table: published tables, as `audit_tables` takes them; or records, if columns are named.
        columns: columns of the records: every table of some of them is published.
        by: columns that every table has, such as a block of houses.
        ways: the most columns of a table, besides those of `by`; without it, all of them.
        below: smaller counts than this are published as "less than".
        rounded: counts are rounded to multiples of this, halves up.
        secret: the dimension for which to look for groups that share one value.
        missing: a missing value is a value, its row is left out, or it is an error.
        time_limit: seconds for each set of tables; what is not proved by then is not claimed.
        progress: called with the number of steps done and their total.

    Raises:
        NoiselessError: something cannot be read, or does not fit together.
    """
    publication, truth = _published(table, columns, by, ways, below, rounded, missing)
    steps = sorted({len(each.dimensions) for each in publication.tables})
    results = list[Score]()
    for most in reported(steps, progress):
        claims = table_claims(publication, most, secret, Deadline.after(time_limit))
        if truth is not None:
            holds = np.all(claims.cells.least <= truth) and not np.any(truth[claims.cells.empty])
            require_sound(bool(holds), "every claim is true of the records")
        results += _scores(claims, most)
    settings = {
        "people": results[-1].details["people"],
        "cells": publication.size,
        "columns": [each.name for each in publication.used],
        "secret": secret,
    }
    shown = ("dimensions", "tables", "claim", "claims", *(f"size_{size}" for size in _SIZES), "larger")
    return Game("tables", MEASURE, None, settings, tuple(results), ("claim",), shown)


def final_claims(
    table: Any,  # noqa: ANN401 - as the game takes it
    *,
    columns: Sequence[str] = (),
    by: Sequence[str] = (),
    ways: int | None = None,
    below: int | None = None,
    rounded: int | None = None,
    secret: str | None = None,
    missing: Missing = "value",
    time_limit: float | None = None,
) -> TableClaims:
    """What all tables together make certain; arguments as the game takes them."""
    publication, _ = _published(table, columns, by, ways, below, rounded, missing)
    most = max(len(each.dimensions) for each in publication.tables)
    return table_claims(publication, most, secret, Deadline.after(time_limit))


def table_claims(publication: Publication, most: int, secret: str | None, deadline: Deadline) -> TableClaims:
    """What tables of at most `most` dimensions make certain."""
    chosen = tuple(each for each in publication.tables if len(each.dimensions) <= most)
    if secret is not None and secret not in {each.name for each in publication.used}:
        named = ", ".join(repr(each.name) for each in publication.used)
        raise RequestError(f"no table has the secret {secret!r} as a dimension; there are {named}")
    some = replace(
        publication, classifications=publication.used, tables=(*chosen, *_unsaid(publication, chosen))
    )
    try:
        return TableClaims(some, base_cells(some, deadline), secret)
    except ContradictionError:
        raise RequestError(
            "the tables contradict each other: `noiseless tables audit` names the figures"
        ) from None


def _unsaid(publication: Publication, chosen: Iterable[PublishedTable]) -> list[PublishedTable]:
    """A table that says nothing: dimensions of later tables are in the base cells from the beginning."""
    named = {name for table in chosen for name in table.dimensions}
    left = tuple(each for each in publication.used if each.name not in named)
    if not left:
        return []
    labels = tuple((each.categories[0],) for each in left)
    code, low, high = np.zeros((1, len(left)), np.int32), np.array([0]), np.array([2**62])
    return [
        PublishedTable(
            "not published yet", tuple(each.name for each in left), "count", labels, code, low, high
        )
    ]


def _scores(claims: TableClaims, most: int) -> Iterator[Score]:
    """A score for each kind of claim."""
    least, people = claims.cells.least, claims.cells.people
    kinds = {RECORD: claims.records} | ({} if claims.secret is None else {GROUP: claims.groups})
    many = [
        table for table in claims.publication.tables if table.lower.size and table.name != "not published yet"
    ]
    for kind, atoms in kinds.items():
        sizes = least[atoms]
        share = float(sizes.sum() / people) if people else 0.0
        details = {
            "dimensions": most,
            "tables": len(many),
            "claim": kind,
            "claims": len(atoms),
            **{f"size_{size}": int((sizes == size).sum()) for size in _SIZES},
            "larger": int((sizes > _SIZES[-1]).sum()),
            "people": people,
            "decided": claims.cells.decided,
        }
        yield Score(None, share, share, share, details)


def _published(  # noqa: PLR0917 - as the game takes them
    table: Any,  # noqa: ANN401 - as the game takes it
    columns: Sequence[str],
    by: Sequence[str],
    ways: int | None,
    below: int | None,
    rounded: int | None,
    missing: Missing,
) -> tuple[Publication, IntArray | None]:
    """The tables, and how many people are in each base cell if that is known."""
    if columns:
        return _cut(table, columns, by, ways, below, rounded, missing)
    if by or ways is not None or below is not None or rounded is not None:
        raise RequestError("by, ways, below and rounded are for records: name their columns, too (--column)")
    return _read(table)


def _read(table: Any) -> tuple[Publication, IntArray | None]:  # noqa: ANN401 - as the game takes it
    """Tables as they are published."""
    request = read_request(table)
    if request.publication.kind != "count":
        raise RequestError("people are reconstructed from counts, and these tables are of amounts")
    held = request.contributions
    return request.publication, None if held is None else held.truth(request.publication)


def _cut(  # noqa: PLR0917 - as the game takes them
    table: Any,  # noqa: ANN401 - anything that open_table opens
    columns: Sequence[str],
    by: Sequence[str],
    ways: int | None,
    below: int | None,
    rounded: int | None,
    missing: Missing,
) -> tuple[Publication, IntArray]:
    """Records as all tables of some of their columns, and how many people are in each base cell."""
    names = [*by, *columns]
    records = read_columns(table, names, missing=missing)
    codes, labels = dict[str, IntArray](), dict[str, tuple[str, ...]]()
    for name in names:
        texts = np.array([str(value) for value in records.column(name).to_pylist()])
        found, codes[name] = np.unique(texts, return_inverse=True)
        labels[name] = tuple(found.tolist())
    shape = tuple(len(labels[name]) for name in names)
    if prod(shape) > MAX_ATOMS:
        raise RequestError(
            f"the columns cross in {prod(shape):,} combinations, and {MAX_ATOMS:,} is the most: name fewer, "
            "or coarser ones"
        )
    places = np.ravel_multi_index(tuple(codes[name] for name in names), shape)
    truth = np.bincount(places, minlength=prod(shape)).astype(np.int64)
    most = len(columns) if ways is None else min(ways, len(columns))
    made = [
        _table((*by, *some), names, labels, truth.reshape(shape), below, rounded)
        for many in range(1, most + 1)
        for some in combinations(columns, many)
    ]
    known = tuple(Classification(name, labels[name]) for name in names)
    return Publication(known, tuple(made)), truth


def _table(  # noqa: PLR0917 - what a table is made of
    dimensions: Sequence[str],
    names: Sequence[str],
    labels: dict[str, tuple[str, ...]],
    truth: IntArray,
    below: int | None,
    rounded: int | None,
) -> PublishedTable:
    """One table of counts as it is published."""
    away = tuple(axis for axis, name in enumerate(names) if name not in dimensions)
    counts = truth.sum(axis=away)
    lower, upper = counts, counts
    if rounded is not None:
        middle = (2 * counts + rounded) // (2 * rounded) * rounded
        lower, upper = np.maximum(0, middle - rounded // 2), middle + (rounded + 1) // 2 - 1
    if below is not None:
        small = (counts > 0) & (counts < below)
        lower, upper = np.where(small, 1, lower), np.where(small, below - 1, upper)
    own = [name for name in names if name in dimensions]
    return PublishedTable.of_grid(" x ".join(own), {name: labels[name] for name in own}, lower, upper)
