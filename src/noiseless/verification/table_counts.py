"""What was counted from the two tables of a certificate: what a reader of the release can tell."""

# ruff: noqa: UP045 - Python 3.9 runs this too

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple, Optional

from noiseless.verification.certificate import CertifiedRelease, TableFacts
from noiseless.verification.risks import Risks


class CellExposure(NamedTuple):
    """What somebody who sees the release, and knows the given columns, can tell.

    A group is what such a person sees: a cell, the kept values and the given ones.

    Attributes:
        min_posterior: the fewest sensitive values that a group leaves possible.
        max_posterior: the most.
        components: how many classes of sensitive values can always be told apart: the components of the graph
            of sensitive values and groups.
        leakage: the largest |[[S|a]]| / |[[S|group]]|, a being what the group's given columns hold; without
            given columns |[[S]]| / min_posterior.
        posteriors: the smallest posterior set of each cell's groups.
        rows: how many rows each cell has.
        min_rows: the fewest rows of a group.
        risks: what the groups hold, where something is claimed of it.
        keys: the same to somebody who knows only a key, for each that is stated.
    """

    min_posterior: int
    max_posterior: int
    components: int
    leakage: Fraction
    posteriors: Sequence[int]
    rows: Sequence[int]
    min_rows: int
    risks: Optional[Risks] = None
    keys: "Sequence[CellExposure]" = ()


@dataclass(frozen=True, eq=False)
class TableCounts:
    """What was counted from the two tables, read as the certificate says; None where a column lacks for it.

    Attributes:
        columns: the columns of the original and of the release.
        original: how many rows of the original are used, and their digest.
        released: how many rows the release has, and their digest.
        sensitive_values: how many sensitive values occur, counted as the certificate says.
        public_values: how many public values occur.
        strays: how many members do not occur, how many are listed more than once, and how many public values
            are in no cell.
        difference: how many rows of the release are missing, and how many should not be there.
        exposure: what the release gives away; None as well where the cells are no partition.
        spare: for each sensitive column how many values differ from others in spelling only.
    """

    columns: tuple[Sequence[str], Sequence[str]]
    original: TableFacts | None
    released: TableFacts | None
    sensitive_values: int | None
    public_values: int | None
    strays: tuple[int, int, int] | None
    difference: tuple[int, int] | None
    exposure: CellExposure | None
    spare: Mapping[str, int]


def key_cells(certificate: CertifiedRelease, key: Sequence[str]) -> list[int]:
    """For each cell which others somebody takes it for who knows only a key: the first that reads alike."""
    places = [certificate.columns.public.index(name) for name in key]
    words = [tuple(cell.released[place] for place in places) for cell in certificate.cells]
    first: dict[Any, int] = {}
    return [first.setdefault(word, number) for number, word in enumerate(words)]


def partition_faults(certificate: CertifiedRelease, strays: tuple[int, int, int]) -> str:
    """What is wrong with the cells as a partition of the public values, in words; nothing if they are one."""
    cells = certificate.cells
    suppressed = [cell.released for cell in cells if cell.suppressed]
    faults = {
        "members that do not occur": strays[0],
        "members listed more than once": strays[1],
        "public values in no cell": strays[2],
        "cells without members": sum(not cell.members for cell in cells),
        "cells that read like another": len(cells) - len({cell.released for cell in cells}),
        "suppressed cells that do not read *": sum(set(released) != {"*"} for released in suppressed),
    }
    return ", ".join(f"{number:,} {fault}" for fault, number in faults.items() if number)
