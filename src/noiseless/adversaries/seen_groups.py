"""What an adversary sees of a table's people: the public columns, or what a release makes of them."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from noiseless.adversaries.table_reading import read_columns
from noiseless.audits.census import Census
from noiseless.audits.exposure import survey
from noiseless.errors import EmptyTableError, RequestError
from noiseless.exact import Bits
from noiseless.measures import leakage
from noiseless.tables import Missing, Table, Tally, merge_spellings, open_table
from noiseless.tables.coding import IntegerCoding
from noiseless.verification.certificate import parse_certificate
from noiseless.verification.certificate_json import FormatError, read_certificate
from noiseless.verification.evidence import Evidence

_RELEASED = "released."
"""Stands before the names of released columns, which are those of the original too."""


@dataclass(frozen=True)
class Roles:
    """Which column plays which part.

    Attributes:
        sensitive: the columns that the adversary is after.
        public: those that it sees.
        given: those that it knows from elsewhere.
        unit: the one that names a person, where a person has several rows.
    """

    sensitive: tuple[str, ...]
    public: tuple[str, ...]
    given: tuple[str, ...] = ()
    unit: str | None = None


@dataclass(frozen=True, eq=False)
class Seen:
    """The people in the groups that an adversary can tell apart.

    Attributes:
        census: who is in which group, with which sensitive value.
        leaked: L0, the bits that the most telling group gives away.
    """

    census: Census
    leaked: Bits

    @classmethod
    def of(cls, tally: Tally, roles: Roles) -> "Seen":
        """Count the groups of a tally."""
        if not len(tally):
            raise EmptyTableError("there is nobody to learn anything about")
        merged, _ = merge_spellings(tally, roles.sensitive)
        census, side = survey(merged, roles.sensitive, roles.given, roles.public, roles.unit)
        return cls(census, leakage(census.joint, side))

    @property
    def people(self) -> int:
        """How many rows (persons, with a unit) there are."""
        return self.census.heads_in(np.ones(len(self.census.group_sizes), bool))

    @property
    def smallest(self) -> int:
        """How many sensitive values the most telling group leaves possible."""
        return int(self.census.joint.posterior_sizes.min())

    def narrowed(self, few: int) -> int:
        """How many people are in a group that leaves at most so many values possible."""
        return self.census.heads_in(self.census.joint.posterior_sizes <= few)

    @property
    def places(self) -> int:
        """How many places in groups there are: one a row; with a unit one a person and group."""
        return int(self.census.group_sizes.sum())

    def guessed(self) -> int:
        """In how many of these places the most common value of the group is the person's own."""
        return int(np.maximum.reduceat(self.census.pair_counts, self.census.joint.starts[:-1]).sum())

    def commonest(self) -> int:
        """In how many of them the most common value of all groups together is."""
        joint = self.census.joint
        return int(np.bincount(joint.x, self.census.pair_counts, joint.size_x).max())


def as_it_is(table: Table, roles: Roles, missing: Missing) -> Seen:
    """The public columns as they stand in a table."""
    unit = () if roles.unit is None else (roles.unit,)
    columns = (*roles.given, *roles.public, *roles.sensitive, *unit)
    return Seen.of(table.select(columns).with_missing(columns, missing).tally(columns), roles)


def certified(table: Table, certificate: Any) -> Seen:  # noqa: ANN401 - a file's name, a mapping or an object
    """What a release shows, by the partition that its certificate holds; rows need no common order.

    Raises:
        RequestError: the certificate is about another table, or is not well formed.
    """
    try:
        claimed = parse_certificate(read_certificate(certificate))
    except FormatError as error:
        raise RequestError(f"the certificate cannot be used: {error}") from None
    evidence = Evidence(claimed, table, table)
    if evidence.secrets is None or evidence.values is None or evidence.partition is None:
        raise RequestError("the certificate is about another table; give the original that it was made from")
    rows, columns = evidence.secrets.merged(claimed.columns.sensitive), claimed.columns
    cell = evidence.partition.cell_of[evidence.values.groups.of]
    coded = {
        _RELEASED + "cell": (len(evidence.partition.cells), cell),
        **{name: (len(rows.texts[name]), rows.codes[name]) for name in columns.original},
    }
    public = (_RELEASED + "cell", *columns.keep)
    seen = (*columns.given, *public, *columns.sensitive)
    tally = Tally.from_codes(
        [_coding(n, coded[n][0]) for n in seen], [coded[n][1] + 1 for n in seen], rows.counts
    )
    return Seen.of(tally, Roles(columns.sensitive, public, columns.given))


def _coding(name: str, size: int) -> IntegerCoding:
    return IntegerCoding(name, 0, size + 1, pa.int64())


def beside(
    original: Table,
    released: Any,  # noqa: ANN401 - anything that open_table opens
    roles: Roles,
    missing: Missing,
    *,
    same_order: bool,
) -> Seen:
    """What somebody's release shows of the people of the original.

    The two are joined by the unit or, where the caller says that they have the same order, row by row.
    Whoever is in the original only is seen to be absent from the release.

    Raises:
        RequestError: nothing says which rows belong together, or they do not.
    """
    shown = [_RELEASED + name for name in roles.public]
    unit = () if roles.unit is None else (roles.unit,)
    facts = read_columns(original, (*unit, *roles.given, *roles.sensitive), missing="value")
    told = read_columns(released, (*unit, *roles.public), missing="value").rename_columns([*unit, *shown])
    if same_order:
        if len(facts) != len(told):
            raise RequestError(
                f"the original has {len(facts):,} rows, the release {len(told):,}: match them by a unit"
            )
        joined = pa.table({**dict(_columns(facts)), **{n: c for n, c in _columns(told) if n in shown}})
    elif roles.unit is None:
        raise RequestError(
            "say which rows belong together: a column that names a person in both tables (unit), rows in the "
            "same order (same_order), or the release's certificate"
        )
    else:
        present = _RELEASED + "present"
        told = told.append_column(present, pa.array(np.ones(len(told), bool)))
        try:
            joined = facts.join(told, list(unit), join_type="left outer")
        except pa.ArrowInvalid:
            raise RequestError(
                f"{roles.unit} is of another type in the release; write it the same way"
            ) from None
        if joined.column(present).null_count == len(joined):
            raise RequestError("nobody of the original is in the release; check that both name persons alike")
        shown.append(present)
    return as_it_is(
        open_table(joined), Roles(roles.sensitive, tuple(shown), roles.given, roles.unit), missing
    )


def _columns(table: pa.Table) -> list[tuple[str, pa.ChunkedArray]]:
    return list(zip(table.column_names, table.columns, strict=True))
