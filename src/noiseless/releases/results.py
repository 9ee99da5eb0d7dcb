"""What a release is, and what a frontier is: frozen results with the JSON's names."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import KW_ONLY, dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from noiseless.audits.census import GroupSizes
from noiseless.audits.odds import Odds
from noiseless.display import (
    BoardMixin,
    Facts,
    FrameMixin,
    PageMixin,
    PlotMixin,
    Shown,
    arrow_rows,
    counted,
    html_rows,
    kept_text,
    percent_above,
    verb,
)
from noiseless.exact import Bits, round_down
from noiseless.releases.certificate import Certificate
from noiseless.releases.changes import ColumnChange
from noiseless.releases.output import decoded, save_release, with_texts
from noiseless.releases.request import ReleaseRequest
from noiseless.releases.risks import MINIMA, Found, figure, limit_text
from noiseless.search.loss import Distance, Length
from noiseless.search.mean_loss import LOSSES, mean_text
from noiseless.search.measures import Measures, ReleasePoint, Scope
from noiseless.search.survey import Series
from noiseless.tables.canonical import canonical
from noiseless.tables.frame_kind import ARROW, FrameKind
from noiseless.work import Progress

_LEFT = "fewest values left"
"""What the number of values left behind the most telling answer is called."""


@dataclass(frozen=True, repr=False)
class ReleaseFrontier(FrameMixin, PlotMixin, PageMixin):
    """The best trade-offs found: what a release gives away against what it keeps.

    Where `scope` is None these are what greedy merging and searches from there found; there may be better
    ones.

    Attributes:
        source: the table.
        sensitive: the columns to hide.
        public: the columns to publish.
        sensitive_values: |[[S]]|.
        public_values: |[[X]]|.
        rows: how many rows there are.
        points: the releases of our methods that no method of the series beats, the leakiest first.
        series: every method's points, ours and others'.
        method: which of our methods made the points.
        scope: among which partitions the points are proved to be the best ("contiguous", "full-domain",
            "all"), or None.
        objective: what is to be small: `leakage`, `maximin` or `both`.
        utility: what is to be kept: `resolution` or `distortion`.
        given: columns that an adversary knows from elsewhere.
        keep: columns that are published as they are.
        key: sets of public columns that an adversary may know. Points keep the limits for each of these, and
            what they give away is the most to anyone who knows one.
        note: whom limits are about, why no release leaves all values possible, and that suppression was left
            aside; or empty.
        is_complete: whether releases are chosen from the same cells: each without suppressed rows gives away
            and loses as much as some point, or more.
    """

    source: str
    sensitive: tuple[str, ...]
    public: tuple[str, ...]
    sensitive_values: int
    public_values: int
    rows: int
    points: tuple[ReleasePoint, ...]
    series: tuple[Series, ...]
    method: str
    scope: Scope | None
    objective: str
    utility: str
    given: tuple[str, ...] = ()
    keep: tuple[str, ...] = ()
    key: tuple[tuple[str, ...], ...] = ()
    note: str = ""
    is_complete: bool = False

    def __len__(self) -> int:
        return len(self.points)

    def __iter__(self) -> Iterator[ReleasePoint]:
        return iter(self.points)

    def __getitem__(self, place: int) -> ReleasePoint:
        return self.points[place]

    def including(self, point: ReleasePoint) -> "ReleaseFrontier":
        """The frontier with a release that was found besides, unless one here is as good in both."""
        every = [*self.points, *(one for series in self.series for one in series.points)]
        if point.suppressed_rows or any(self._as_good(one, point) for one in every):
            return self
        kept = [one for one in self.points if not self._as_good(point, one)]
        points = sorted([*kept, point], key=lambda one: one.leak(self.objective), reverse=True)
        return replace(self, points=tuple(points), scope=None, is_complete=False)

    def _as_good(self, one: ReleasePoint, other: ReleasePoint) -> bool:
        """Whether a release gives away no more than another and loses no more."""
        if one.leak(self.objective) > other.leak(self.objective):
            return False
        if self.objective == "both" and one.maximin > other.maximin:
            return False
        if self.utility == "resolution" or one.distortion is None or other.distortion is None:
            return one.resolution >= other.resolution
        return one.distortion <= other.distortion

    def __repr__(self) -> str:
        widths = (9, len(_LEFT), 10, 10, 10, 10)
        lines = (zip(row, widths, strict=True) for row in self._table)
        return "\n".join(
            [self._title, *("".join(f"  {cell:>{width}}" for cell, width in line) for line in lines)]
        )

    def _repr_html_(self) -> str:
        return html_rows(self._table, self._title)

    def to_arrow(self) -> pa.Table:
        """A row for each point, under the names it has in JSON."""
        return arrow_rows(point.to_dict() for point in self.points)

    def to_dict(self) -> dict[str, Any]:
        """Everything, under the names it has in JSON."""
        return {
            "source": self.source,
            "sensitive": list(self.sensitive),
            "public": list(self.public),
            "given": list(self.given),
            "keep": list(self.keep),
            "key": [list(key) for key in self.key],
            "rows": self.rows,
            "sensitive_values": self.sensitive_values,
            "public_values": self.public_values,
            "objective": self.objective,
            "utility": self.utility,
            "points": [point.to_dict() for point in self.points],
            "method": self.method,
            "scope": self.scope,
            "series": [series.to_dict() for series in self.series],
            "note": self.note,
        }

    @property
    def _title(self) -> str:
        hidden, shown = ", ".join(self.sensitive), ", ".join(self.public)
        return f"Frontier: {hidden} hidden behind {shown}, {counted(len(self), 'points')} ({self.method})"

    @property
    def _table(self) -> list[list[str]]:
        rows = [["cells", _LEFT, "bits leaked", "always revealed", "resolution", "distortion"]]
        for point in self.points:
            lost = "-" if point.distortion is None else str(point.distortion)
            given_away = f"{point.min_posterior:,}", str(point.leakage), str(point.maximin)
            rows.append([f"{point.cells:,}", *given_away, f"{kept_text(point.resolution)} bits", lost])
        return rows


@dataclass(frozen=True, eq=False, repr=False)
class Release(Shown, FrameMixin, PlotMixin, PageMixin, BoardMixin):
    """A sanitised table with what it gives away, what it keeps, and a certificate that anyone can check.

    Attributes:
        point: what the release gives away and keeps, recounted from the released texts.
        before: the same if the public columns were published as they are.
        optimal: whether no partition within `scope` is better by the utility for this target.
        gap: by how much any partition at all could be better at most, rounded up; None where that is unknown.
        scope: among which partitions it is proved to be the best ("contiguous", "full-domain", "all"); with
            `optimal` False it is what was searched.
        proof: in words what is proved.
        method: how the cells were chosen.
        changes: what became of each public column.
        request: what was asked for.
        distance: how differences of several columns make one number.
        source: the table.
        rows: how many rows are released.
        sensitive_values: |[[S]]|.
        public_values: |[[X]]| before the release.
        odds: what a bettor wins with the release.
        sizes: how many rows (persons, where a unit names them) look alike, answer by answer.
        odds_before: the same if the public columns were published as they are.
        fewest_of_each: of several sensitive columns how few values of each by itself an answer leaves, and of
            how many: limits are on their combinations.
        risks: what it reaches of the limits on bets, widths and persons that are asked for; by keys, of the
            key where that is worst.
        key_points: what it gives away to someone who knows only a key, for each that is named.
        least_mean_loss: a mean loss that no release within the limits is below; None where none is known.
        warnings: what a reader should know.
        sources: the files that the table is read from, which nothing may overwrite.
    """

    point: ReleasePoint
    before: ReleasePoint
    optimal: bool
    gap: float | None
    scope: Scope
    proof: str
    method: str
    changes: tuple[ColumnChange, ...]
    request: ReleaseRequest
    distance: Distance
    source: str
    rows: int
    sensitive_values: int
    public_values: int
    odds: Odds
    sizes: GroupSizes
    odds_before: Odds
    fewest_of_each: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    risks: Mapping[str, Found] = field(default_factory=dict)
    key_points: Mapping[tuple[str, ...], Measures] = field(default_factory=dict)
    least_mean_loss: Fraction | None = None
    warnings: tuple[str, ...] = ()
    sources: tuple[Path, ...] = ()
    _: KW_ONLY
    _coded: pa.Table
    """What each column can read, and which of that it reads in each row."""
    _certify: Callable[[], Certificate]
    _survey: Callable[[Progress | None], ReleaseFrontier] | None = None
    _found: dict[str, ReleaseFrontier] = field(default_factory=dict)
    _came_as: FrameKind = ARROW

    @cached_property
    def certificate(self) -> Certificate:
        """What is claimed, and the partition to check it by; made when it is first asked for."""
        return self._certify()

    @cached_property
    def table(self) -> pa.Table:
        """The released table: sanitised public columns, then kept ones."""
        return decoded(self._coded)

    def frequencies(self, column: str) -> pa.Table:
        """What a column reads, and in how many rows: the columns `text` and `rows`.

        Args:
            column: one of the release's.
        """
        counts = pc.value_counts(self._coded.column(column).combine_chunks())
        texts, rows = canonical(counts.field("values")), counts.field("counts")
        found = pa.table({"text": texts, "rows": rows}).group_by("text").aggregate([("rows", "sum")])
        return found.rename_columns(["text", "rows"])

    @property
    def cells(self) -> int:
        """How many different answers the release has."""
        return self.point.cells

    @property
    def leakage(self) -> Bits:
        """The bits that leak, L0."""
        return self.point.leakage

    @property
    def maximin(self) -> Bits:
        """The bits that every row tells, I*."""
        return self.point.maximin

    @property
    def min_posterior(self) -> int:
        """The fewest sensitive values that are left behind an answer."""
        return self.point.min_posterior

    @property
    def min_rows(self) -> int:
        """The fewest rows, or persons with a unit, that look alike."""
        return self.point.min_rows

    @property
    def resolution(self) -> Bits:
        """The bits of the public columns that are kept, U1."""
        return self.point.resolution

    @property
    def distortion(self) -> Length | None:
        """The furthest that a value is from what is released for it; None where that has no meaning."""
        return self.point.distortion

    @property
    def frame(self) -> Any:  # noqa: ANN401 - any frame
        """The released table, in the kind of frame that the original came as; Arrow for a file.

        An index of pandas does not come back: nobody audited it.
        """
        return self._came_as.frame(self.table)

    def to_arrow(self) -> pa.Table:
        """The released table."""
        return self.table

    def frontier(self, progress: Progress | None = None) -> ReleaseFrontier:
        """The releases of the same columns that none found beats, and what methods reach; computed once.

        Args:
            progress: called with the share of the work that is done.
        """
        if "frontier" not in self._found:
            if self._survey is None:
                raise ValueError("this release does not know the table that it was made from")
            self._found["frontier"] = self._survey(progress).including(self.known_point)
        return self._found["frontier"]

    @property
    def known_point(self) -> ReleasePoint:
        """The point with what someone learns who knows one of the keys; the same where none is named."""
        return self.point.to_readers(self.key_points.values())

    @property
    def known_frontier(self) -> ReleaseFrontier | None:
        """The frontier, where `frontier` has found it already."""
        return self._found.get("frontier")

    def save(self, out: Path | str, *, certificate: Path | str | None = None, texts: bool = False) -> None:
        """Write the released table and its certificate, each whole or not at all.

        Args:
            out: a CSV, TSV, Parquet or JSON-lines file, by its ending.
            certificate: a JSON file.
            texts: whether public columns are written as texts, whatever they hold.

        Raises:
            OutputError: a file cannot be written, or is the table that the release was made from.
            RequestError: no format goes with an ending, or both are the same file.
        """
        shown = with_texts(self._coded, self.request.public if texts else ())
        save_release(shown, self.certificate, Path(out), certificate, self.sources)

    def to_dict(self) -> dict[str, Any]:
        """Everything but the tables, under the names it has in JSON."""
        return {
            **{key: value for key, value in self.point.to_dict().items() if key != "method"},
            "method": self.method,
            "optimal": self.optimal,
            "gap": self.gap,
            "scope": self.scope,
            "proof": self.proof,
            "least_mean_loss": None if self.least_mean_loss is None else round_down(self.least_mean_loss),
            "source": self.source,
            "rows": self.rows,
            "sensitive_values": self.sensitive_values,
            "public_values": self.public_values,
            "min_posterior_of_each": {name: left for name, (left, _) in self.fewest_of_each.items()},
            **self.odds.to_dict(),
            "keys": [
                {
                    "columns": list(key),
                    "min_posterior": point.min_posterior,
                    "min_rows": point.min_rows,
                    "leakage": point.leakage.upper,
                }
                for key, point in self.key_points.items()
            ],
            "risks": {name: figure(found, up=name not in MINIMA) for name, found in self.risks.items()},
            "before": self.before.to_dict() | self.odds_before.to_dict(),
            "changes": [change.to_dict() for change in self.changes],
            "warnings": list(self.warnings),
        }

    @property
    def summary(self) -> Mapping[str, str]:
        """The main numbers in words."""
        point, was = self.point, self.before
        kept, before = kept_text(point.resolution), kept_text(was.resolution)
        lines = {
            "released": f"{self.source}: {counted(self.rows, 'rows')}",
            "cells": f"{point.cells:,} of {self.public_values:,} different values",
            "fewest values left": (
                f"{point.min_posterior:,} of {counted(self.sensitive_values, 'values')}"
                f" (was {was.min_posterior:,})"
            ),
            "fewest rows alike": f"{point.min_rows:,} (was {was.min_rows:,})",
            "best guess right": (
                f"{percent_above(self.odds.best_guess)} (was {percent_above(self.odds_before.best_guess)}; "
                f"blind: {self.odds.blind_text})"
            ),
            "bits leaked, L0": f"{point.leakage} (was {was.leakage})",
            "always revealed, I*": f"{point.maximin} (was {was.maximin})",
            "bits of resolution kept": f"{kept} bits (was {before} bits)",
        }
        if point.distortion is not None:
            lines["largest change"] = f"{point.distortion} ({self.distance})"
        if point.mean_loss is not None and len(self.request.public) > 1:
            loss = LOSSES[self.request.mean_loss]
            lines["mean loss"] = mean_text(loss, point.mean_loss) + f" of {loss.unit}" * bool(loss.unit)
        if hidden := point.suppressed_rows:
            lines["suppressed"] = f"{counted(hidden, 'rows')} {verb(hidden, 'read')} *"
        for name, found in self.risks.items():
            least, asked = name in MINIMA, float(self.request.targets[name])
            shown = limit_text(found, up=not least)
            lines[name.replace("_", " ")] = f"{shown} (asked: at {'least' if least else 'most'} {asked:g})"
        lines["chosen by"] = self.method
        lines["proved"] = self.proof
        if self.warnings:
            lines["note"] = "; ".join(self.warnings)
        return lines

    def _shown(self) -> tuple[str, Facts]:
        hidden, shown = ", ".join(self.request.sensitive), ", ".join(self.request.public)
        left = counted(self.point.min_posterior, "values")
        return f"Release of {shown}: {hidden} keeps at least {left}", self.summary
