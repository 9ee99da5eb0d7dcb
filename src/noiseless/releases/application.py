"""The cells of a release applied to rows that come later, and what those rows give away by themselves."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from noiseless.arrays import BoolArray, IntArray
from noiseless.display import Facts, FrameMixin, Shown, counted
from noiseless.errors import RequestError, SourceError
from noiseless.exact import Bits
from noiseless.releases.codewords import dense
from noiseless.releases.coverage import cheapest_cells
from noiseless.releases.output import decoded, save_release
from noiseless.releases.pipeline import released_table
from noiseless.releases.request import RISKS, ReleaseRequest
from noiseless.releases.risks import MINIMA, OF_ANSWERS, AnswerRisks, Found, figure, keeps
from noiseless.releases.source import ReleaseSource
from noiseless.search.generalisation import SUPPRESSED
from noiseless.search.measures import Measures, measure
from noiseless.search.problem import Cells, Problem
from noiseless.tables import Table, open_table
from noiseless.tables.canonical import plain_decimal, typed_words
from noiseless.tables.frame_kind import ARROW, FrameKind
from noiseless.tables.kernels import add_by_code
from noiseless.tables.written_forms import ALMOST_NUMBER
from noiseless.verification.certificate import CertifiedRelease, parse_certificate
from noiseless.verification.certificate_json import FormatError
from noiseless.verification.codebook import CertifiedCodebook
from noiseless.verification.quantities import LogRatio
from noiseless.verification.table_counts import partition_faults
from noiseless.verification.verifier import read_certificate

_COUNTS = ("known_rows", "covered_rows", "outside_rows", "suppressed_rows", "fitted_rows")

_LONGEST = 100
"""Places before or behind the point that a number may have: what takes more to write out stays a text."""


@dataclass(frozen=True)
class AppliedLimit:
    """A limit on what a release may give away, held against the new rows by themselves.

    Attributes:
        name: the limit, as the certificate's target names it.
        asked: what was asked for.
        found: what the new rows reach; None where columns lack to count it.
        holds: whether they keep the limit, exactly; None where that is not known.
        persons: whether persons are counted, and not rows.
    """

    name: str
    asked: int | Fraction | LogRatio
    found: Found | None
    holds: bool | None
    persons: bool = False

    def to_dict(self) -> dict[str, Any]:
        """As it is in JSON; bits are rounded up."""
        asked = self.asked if isinstance(self.asked, int) else str(self.asked)
        found = None if self.found is None else figure(self.found, up=self.name not in MINIMA)
        return {"name": self.name, "asked": asked, "found": found, "holds": self.holds}


@dataclass(frozen=True, eq=False, repr=False)
class AppliedRelease(Shown, FrameMixin):
    """New rows, each as a cell of an earlier release, with what they give away by themselves.

    Attributes:
        table: the released table: public columns as their cells read, then kept ones.
        source: the new table.
        rows: how many rows are released.
        dropped: how many were left out because a value is missing.
        known_rows: how many have public values that are members of a cell.
        covered_rows: how many have others, which a cell covers.
        outside_rows: how many no cell covers; they read `*`.
        suppressed_rows: how many read `*` in all: these, and members of the suppressed cell.
        fitted_rows: how many rows the cells were fitted on.
        sensitive: the columns that the release hides.
        lacking: sensitive and given columns that the new table does not have, so that less is known of it.
        measures: what the new rows give away of the sensitive columns; None where columns lack.
        sensitive_values: how many sensitive values the new rows have, the same way.
        min_rows: how many of the new rows look alike at least; None where given columns lack.
        limits: the limits on what is given away that the release was asked to keep.
        sources: the files that the table is read from, which nothing may overwrite.
    """

    table: pa.Table
    source: str
    rows: int
    dropped: int
    known_rows: int
    covered_rows: int
    outside_rows: int
    suppressed_rows: int
    fitted_rows: int
    sensitive: tuple[str, ...]
    lacking: tuple[str, ...]
    measures: Measures | None
    sensitive_values: int | None
    min_rows: int | None
    limits: tuple[AppliedLimit, ...]
    sources: tuple[Path, ...] = ()
    _came_as: FrameKind = ARROW

    @property
    def leakage(self) -> Bits | None:
        """The bits that the new rows leak, L0; None where columns lack."""
        return None if self.measures is None else self.measures.leakage

    @property
    def maximin(self) -> Bits | None:
        """The bits that every new row tells, I*; None where columns lack."""
        return None if self.measures is None else self.measures.maximin

    @property
    def min_posterior(self) -> int | None:
        """The fewest sensitive values that are left behind an answer; None where columns lack."""
        return None if self.measures is None else self.measures.min_posterior

    @property
    def frame(self) -> Any:  # noqa: ANN401 - any frame
        """The released rows, in the kind of frame that they came as; Arrow for a file."""
        return self._came_as.frame(self.table)

    def to_arrow(self) -> pa.Table:
        """The released rows."""
        return self.table

    @property
    def missed(self) -> tuple[AppliedLimit, ...]:
        """The limits that the new rows do not keep."""
        return tuple(limit for limit in self.limits if limit.holds is False)

    @property
    def holds(self) -> bool | None:
        """Whether the new rows keep all limits; None where none is missed and some are not known."""
        return False if self.missed else None if any(each.holds is None for each in self.limits) else True

    def save(self, out: Path | str, *, force: bool = False) -> None:
        """Write the released table, whole or not at all.

        Args:
            out: a CSV, TSV, Parquet or JSON-lines file, by its ending.
            force: write rows that do not keep the limits, too.

        Raises:
            OutputError: the file cannot be written, or is the table that is released.
            RequestError: no format goes with the ending, or a limit is missed.
        """
        if self.missed and not force:
            names = ", ".join(limit.name for limit in self.missed)
            raise RequestError(f"the new rows alone do not keep {names}; force it to write them all the same")
        save_release(self.table, None, Path(out), None, self.sources)

    def to_dict(self) -> dict[str, Any]:
        """Everything but the table, under the names it has in JSON; bits are rounded up."""
        found = self.measures
        return {
            "source": self.source,
            "rows": self.rows,
            "dropped_rows": self.dropped,
            **{name: getattr(self, name) for name in _COUNTS},
            "lacking": list(self.lacking),
            "sensitive_values": self.sensitive_values,
            "min_posterior": self.min_posterior,
            "min_rows": self.min_rows,
            "leakage": None if found is None else found.leakage.upper,
            "leakage_exact": None if found is None else str(found.leakage.ratio),
            "maximin": None if found is None else found.maximin.upper,
            "maximin_exact": None if found is None else str(found.maximin.ratio),
            "limits": [limit.to_dict() for limit in self.limits],
            "holds": self.holds,
        }

    @property
    def summary(self) -> Mapping[str, str]:
        """The main numbers in words."""
        lines = {
            "released": f"{self.source}: {counted(self.rows, 'rows')}",
            "members of a cell": f"{self.known_rows:,}",
            "covered by a cell": f"{self.covered_rows:,}",
            "in no cell, read *": f"{self.outside_rows:,}",
        }
        if self.min_rows is not None:
            lines["fewest rows alike"] = f"{self.min_rows:,}"
        if self.measures is not None:
            lines["fewest values left"] = f"{self.measures.min_posterior:,} of {self.sensitive_values:,}"
            lines["bits leaked, L0"] = str(self.measures.leakage)
            lines["always revealed, I*"] = str(self.measures.maximin)
        if self.missed:
            lines["not kept"] = ", ".join(limit.name for limit in self.missed)
        return lines

    def _shown(self) -> tuple[str, Facts]:
        return f"New rows as the cells of a release of {counted(self.fitted_rows, 'rows')}", self.summary


def apply_release(
    table: Any,  # noqa: ANN401 - anything that open_table opens
    certificate: Any,  # noqa: ANN401 - a file's name or a mapping
    *,
    keep_order: bool = False,
    names: Sequence[str] | None = None,
) -> AppliedRelease:
    """Release new rows as the cells of an earlier release, by its certificate.

    A row whose public values are members of a cell reads as that cell. One with other values reads as the
    cell that covers them; of several as the one that costs least, and of these as the first. One that no cell
    covers reads `*`. Nothing else of its public values shows. The limits of the release were proved for the
    rows that it was made from; what the new rows give away by themselves is counted, where they have the
    columns for it.

    Args:
        table: the new rows: a file, a glob, a database table, or any frame.
        certificate: the name of a JSON file, the certificate itself, or the release that has it.
        keep_order: leave the rows in the table's order; by default they are sorted, for the order tells too.
        names: the columns' names, for text files without a header line.

    Raises:
        NoiselessError: the table or the certificate cannot be read, a column lacks, or the certificate's
            cells are no partition that its words cover.

    >>> from noiseless import release
    >>> fitted = pa.table({"age": [31, 35, 52, 47, 31, 60], "chol": [180, 182, 190, 230, 233, 240]})
    >>> done = release(fitted, sensitive="age", public="chol", min_posterior=2)
    >>> later = apply_release(pa.table({"chol": [182, 231, 500]}), done.certificate)
    >>> later.table["chol"].to_pylist(), later.outside_rows
    (['180-190', '230-240', '*'], 1)
    """
    claimed = checked_certificate(certificate)
    source, lacking = counted_source(open_table(table, names=names), claimed, keep_order=keep_order)
    known, cells = _cells(source, claimed)
    outside = cells < 0
    gone, words = _words(claimed, any_outside=bool(outside.any()))
    cells = np.where(outside, gone, cells)
    rows, hides = source.public.counts, np.array([cell.suppressed for cell in claimed.cells] + [True])
    found = _measured(source, cells) if source.request.sensitive else None
    alike = _fewest_rows(source, cells) if source.request.given == claimed.columns.given else None
    risks = {} if lacking else AnswerRisks(source).found(cells)
    return AppliedRelease(
        table=decoded(released_table(source, cells, words)),
        source=source.table.label,
        rows=source.rows,
        dropped=source.dropped,
        known_rows=int(rows[known].sum()),
        covered_rows=int(rows[~known & ~outside].sum()),
        outside_rows=int(rows[outside].sum()),
        suppressed_rows=int(rows[outside | hides[cells]].sum()),
        fitted_rows=claimed.original.rows,
        sensitive=claimed.columns.sensitive,
        lacking=lacking,
        measures=found,
        sensitive_values=None if found is None else source.joint.size_x,
        min_rows=alike,
        limits=tuple(_by_keys(_limits(claimed, source, found, alike, risks), claimed)),
        sources=source.table.files,
        _came_as=source.table.came_as,
    )


def checked_certificate(source: Any) -> CertifiedRelease:  # noqa: ANN401 - as above
    """A certificate whose cells are a partition that its released words cover.

    Raises:
        SourceError: it is none.
    """
    label = str(source) if isinstance(source, str | Path) else "the certificate"
    try:
        certificate = parse_certificate(read_certificate(source))
    except FormatError as error:
        raise SourceError(label, f"is no certificate: {error}") from None
    times = Counter(member for cell in certificate.cells for member in cell.members)
    faults = partition_faults(certificate, (0, sum(number > 1 for number in times.values()), 0))
    book = CertifiedCodebook(certificate)
    if not faults and (open_cells := book.uncovered()):
        faults = ", ".join(f"{number:,} cells not covered by {where}" for where, number in open_cells.items())
    if not faults and certificate.options.distance is not None:
        faults = book.scale_fault() or ""
    if faults:
        raise SourceError(label, f"does not hold ({faults}); see noiseless verify, and take another one")
    return certificate


def counted_source(
    table: Table, certificate: CertifiedRelease, *, keep_order: bool
) -> tuple[ReleaseSource, tuple[str, ...]]:
    """The new table, read as the certificate says; and which sensitive or given columns it lacks."""
    columns, options = certificate.columns, certificate.options
    lacking = tuple(c for c in (*columns.sensitive, *columns.given, *columns.unit) if c not in table.columns)
    knows = set(columns.given) <= set(table.columns)
    request = ReleaseRequest.of(
        {
            "sensitive": () if lacking else columns.sensitive,
            "public": columns.public,
            "given": columns.given if knows else (),
            "keep": columns.keep,
            "numeric": [name for name, kind in options.kinds.items() if kind == "number"],
            "categorical": [name for name, kind in options.kinds.items() if kind == "category"],
            "hierarchy": certificate.hierarchies,
            "missing": options.missing,
            "distinct_rows": options.distinct_rows,
            "keep_order": keep_order,
            "unit": next((name for name in columns.unit if name in table.columns), None),
            **{name: certificate.target.get(name) for name in ("min_rows", *OF_ANSWERS)},
        }
    )
    return ReleaseSource.count(table, request), lacking


def _cells(source: ReleaseSource, certificate: CertifiedRelease) -> tuple[BoolArray, IntArray]:
    """Which public tuples are members of a cell; and the cell of each tuple, -1 where none covers it."""
    columns = [source.text(source.public, name) for name in source.request.public]
    texts = [
        [_plainly(text) for text in column.texts.to_pylist()]
        if certificate.options.kinds[column.name] == "number"
        else column.texts.to_pylist()
        for column in columns
    ]
    members = {member: number for number, cell in enumerate(certificate.cells) for member in cell.members}
    parts = ([of[code] for code in column.codes] for of, column in zip(texts, columns, strict=True))
    found = np.array([members.get(value, -1) for value in zip(*parts, strict=True)], np.int64)
    if not (known := found >= 0).all():
        found[~known] = cheapest_cells(certificate, texts, [column.codes[~known] for column in columns])
    return known, found


def _plainly(text: str | None) -> str | None:
    """A number by its one spelling, 96 for 96.0; any other text as it is."""
    if text is None or not re.fullmatch(ALMOST_NUMBER, text):
        return text
    number = Decimal(text)
    return plain_decimal(number) if abs(number.adjusted()) < _LONGEST else text


def _words(certificate: CertifiedRelease, *, any_outside: bool) -> tuple[int, dict[str, pa.Array]]:
    """The number of the cell that reads `*` throughout, and what each column reads in each cell."""
    stars, released = (SUPPRESSED,) * len(certificate.columns.public), [c.released for c in certificate.cells]
    if any_outside and stars not in released:
        released.append(stars)
    kinds = certificate.options.kinds
    texts = zip(certificate.columns.public, zip(*released, strict=True), strict=True)
    words = {name: typed_words(pa.array(of, pa.string()), kinds[name]) for name, of in texts}
    return released.index(stars) if stars in released else -1, words


def _measured(source: ReleaseSource, cells: IntArray) -> Measures:
    """What the rows give away: all that reads `*` is one cell."""
    problem = Problem(source.joint, None, source.side, source.seen.counts)
    return measure(problem, Cells.from_labels(cells))


def _fewest_rows(source: ReleaseSource, cells: IntArray) -> int:
    """The fewest rows of one cell with the same kept and given values."""
    shown = source.shown_of_seen
    answers = dense(cells[source.public_of_seen] * (int(shown.max()) + 1) + shown)
    return int(add_by_code(answers, source.seen.counts, int(answers.max()) + 1).min())


def _limits(
    certificate: CertifiedRelease,
    source: ReleaseSource,
    found: Measures | None,
    alike: int | None,
    risks: Mapping[str, Found],
) -> Iterator[AppliedLimit]:
    """The limits on what is given away, beside what the new rows reach."""
    target: Mapping[str, Any] = certificate.target
    if "min_posterior" in target:
        yield _count_limit("min_posterior", target["min_posterior"], found.min_posterior if found else None)
    if "min_rows" in target:
        persons = bool(certificate.columns.unit)
        counted = risks.get("min_rows") if persons else alike
        yield _count_limit("min_rows", target["min_rows"], counted, persons=persons)
    for name in RISKS:
        if name in target:
            reached = risks.get(name)
            holds = None if reached is None else keeps(name, reached, target[name])
            yield AppliedLimit(name, target[name], reached, holds)
    for name in ("max_leakage", "max_maximin"):
        if name in target and found is None:
            yield AppliedLimit(name, target[name], None, None)
    if "max_leakage" in target and found is not None:
        values = max(certificate.claim.counts["sensitive_values"], source.joint.size_x)
        yield _leakage_limit(target["max_leakage"], found, values, known=bool(source.request.given))
    if "max_maximin" in target and found is not None:
        holds = LogRatio(found.maximin.ratio) <= target["max_maximin"]
        yield AppliedLimit("max_maximin", target["max_maximin"], found.maximin, holds)


def _by_keys(limits: Iterable[AppliedLimit], certificate: CertifiedRelease) -> Iterator[AppliedLimit]:
    """Limits that were on keys: what all columns keep, each key keeps; what they do not, a key may."""
    for limit in limits:
        open_ = bool(certificate.options.keys) and limit.holds is False
        yield replace(limit, holds=None) if open_ else limit


def _count_limit(name: str, limit: int, count: Found | None, *, persons: bool = False) -> AppliedLimit:
    known = count if isinstance(count, int) else None
    return AppliedLimit(name, limit, known, None if known is None else known >= limit, persons)


def _leakage_limit(limit: Fraction | LogRatio, found: Measures, values: int, *, known: bool) -> AppliedLimit:
    """The limit on leakage, which is against all values of the release: new rows may have fewer.

    With given columns these are the values that go with what is given, of which the certificate says nothing:
    no more than all of them, and no fewer than the new rows have.
    """
    most = Bits(Fraction(values, found.min_posterior))
    if LogRatio(most.ratio) <= limit or not known:
        return AppliedLimit("max_leakage", limit, most, LogRatio(most.ratio) <= limit)
    holds = False if LogRatio(found.leakage.ratio) > limit else None
    return AppliedLimit("max_leakage", limit, found.leakage, holds)
