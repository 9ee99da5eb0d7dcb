"""A release in parts, for tables that no machine takes whole: one part after another, and a manifest."""

import gc
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from fractions import Fraction
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

from noiseless.display import Facts, Shown, counted, verb
from noiseless.errors import ColumnError, EmptyTableError, NoiselessError, RequestError
from noiseless.exact import Bits
from noiseless.files import check_new_folder, folder_whole
from noiseless.releases.certificate import target_of
from noiseless.releases.pipeline import release_rows
from noiseless.releases.request import ReleaseRequest
from noiseless.releases.results import Release
from noiseless.releases.source import ReleaseSource, named_columns
from noiseless.tables import Table, open_table
from noiseless.tables.engine import OwnEngine, give_back
from noiseless.tables.sections import Section, cut_table, distinct_values, paths
from noiseless.tables.text_source import TextSource
from noiseless.verification.parts import LIMITS_OF_PARTS, MANIFEST, MANIFEST_FORMAT, MANIFEST_VERSION
from noiseless.work import Progress

_SAME = {
    "objective": "leakage",
    "recoding": "local",
    "weight": None,
    "key": (),
    "keep_order": False,
    "distinct_rows": False,
}
"""What parts take these options as."""


@dataclass(frozen=True, eq=False, repr=False)
class PartedRelease(Shown):
    """A release in parts, as it was written, with what holds of the whole.

    Attributes:
        source: the table.
        request: what was asked of each part.
        out: the folder of released files, which are one table.
        manifest: the file that ties the parts' certificates together; they stand beside it.
        parts: the number of parts.
        rows: how many rows are released.
        sensitive_values: how many sensitive values the table has.
        suppressed_rows: how many rows read `*`.
        min_posterior: the fewest sensitive values that are left behind an answer: at least this many.
        min_rows: the fewest rows, or persons with a unit, that look alike: at least this many.
        warnings: what a reader should know.
    """

    source: str
    request: ReleaseRequest
    out: Path
    manifest: Path
    parts: int
    rows: int
    sensitive_values: int
    suppressed_rows: int
    min_posterior: int
    min_rows: int
    warnings: tuple[str, ...] = ()

    @property
    def leakage(self) -> Bits:
        """The most bits that the whole leaks."""
        return Bits(Fraction(self.sensitive_values, self.min_posterior))

    @property
    def figures(self) -> dict[str, Any]:
        """What holds of the whole, as the manifest has it."""
        names = ("rows", "sensitive_values", "suppressed_rows", "min_posterior", "min_rows")
        found = {name: getattr(self, name) for name in names}
        return found | {"leakage_exact": str(self.leakage.ratio), "leakage": self.leakage.upper}

    def to_dict(self) -> dict[str, Any]:
        """Everything, under the names it has in JSON."""
        files = {"source": self.source, "out": str(self.out), "manifest": str(self.manifest)}
        return {**files, "parts": self.parts, **self.figures, "warnings": list(self.warnings)}

    @property
    def summary(self) -> Mapping[str, str]:
        """The main numbers in words."""
        values = counted(self.sensitive_values, "values")
        lines = {
            "released": f"{self.source}: {counted(self.rows, 'rows')} in {counted(self.parts, 'parts')}",
            "fewest values left": f"at least {self.min_posterior:,} of {values}",
            "fewest rows alike": f"at least {self.min_rows:,}",
            "bits leaked, L0": f"at most {self.leakage}",
        }
        if self.suppressed_rows:
            lines["suppressed"] = f"{counted(self.suppressed_rows, 'rows')}"
        if self.warnings:
            lines["note"] = "; ".join(self.warnings)
        return lines

    def _shown(self) -> tuple[str, Facts]:
        hidden, shown = ", ".join(self.request.sensitive), ", ".join(self.request.public)
        return (
            f"Release of {shown} in parts: {hidden} keeps at least {self.min_posterior:,} values",
            self.summary,
        )


@dataclass(frozen=True)
class _Written:
    """What is remembered of a part that is written."""

    entry: dict[str, Any]
    options: dict[str, Any]
    suppressed_rows: int
    min_posterior: int
    min_rows: int
    warnings: tuple[str, ...]


def make_parts(
    table: Any,  # noqa: ANN401 - anything that open_table opens
    request: ReleaseRequest,
    folders: tuple[Path, Path],
    parts: int = 1,
    progress: Progress | None = None,
) -> PartedRelease:
    """Make and write the release in parts that a request describes, one part at a time.

    Args:
        table: the table.
        request: the columns, limits and options; each part keeps the limits.
        folders: new ones: for the released files, and for certificates and the manifest, there last.
        parts: how many parts are wanted; there are more if that is too few for each to fit.
        progress: called with the share of the work that is done.

    Raises:
        NoiselessError: a column, a limit or a folder is wrong, or a part cannot keep the limits.
    """
    _check(request, parts, *folders)
    request.check_columns(named_columns(table, request))
    whole, dropped = _whole(table, request)
    columns = [name for name in request.public if name in whole.kinds and _lies_on_line(request, name)]
    cuts = cut_table(whole, columns, lambda section: _may_be_part(section, request, columns), parts)
    if not cuts and parts > 1:
        raise RequestError(
            f"{whole.table.label}: no public column of numbers or days can be cut so that both sides can "
            "keep the limits; release it whole"
        )
    request = request.model_copy(update={"span": {**_spans(whole, request), **request.span}})
    said = dict(table.said) if isinstance(table, TextSource) else {}
    every, done = list(paths(cuts)), list[_Written]()
    with folder_whole(folders[1]) as folder, folder_whole(folders[0]) as released:
        for number, sides in enumerate(every):
            where = f"part {number + 1:,} of {len(every):,}"
            tell = None if progress is None else partial(_tell, progress, number, len(every))
            rows = Section(whole.table, sides).part()
            part = _release(rows, request, said, where if cuts else "", tell)
            done.append(_write(part, number, released, folder))
            del part, rows  # before the next one is read
            _free()
            _require_alike(done[0].options, done[-1].options, request)
        found = _found(whole, request, folders, done, dropped)
        manifest = _manifest(found, cuts, [one.entry for one in done])
        (folder / MANIFEST).write_text(json.dumps(manifest, ensure_ascii=False, indent=1) + "\n", "utf-8")
    return found


def _free() -> None:
    """Give back what a part took: its objects refer to each other, and freed memory is held for others."""
    gc.collect()
    OwnEngine.start().give_back()
    give_back()


def _check(request: ReleaseRequest, parts: int, out: Path, certificates: Path) -> None:
    """Refuse what does not hold of a whole because it holds of each part, and folders that are there."""
    if parts < 1:
        raise RequestError("a release has at least one part; give --parts a number from 1 on")
    if not request.targets:
        raise RequestError("there is no target: say how much to hide, with --min-posterior or --min-rows")
    stray = next((name for name in request.targets if name not in LIMITS_OF_PARTS), None)
    stray = stray or next((name for name, usual in _SAME.items() if getattr(request, name) != usual), None)
    if stray is not None:
        option = f"--{stray.replace('_', '-')}"
        raise RequestError(
            f"{option} is about a table as a whole, and parts do not keep it together; leave it out"
        )
    if request.max_distortion is not None and request.hierarchy:
        raise RequestError(
            "--max-distortion counts levels of hierarchies, which differ by part; leave one of them out"
        )
    if out.resolve() == certificates.resolve():
        raise RequestError(f"{out} cannot hold two things; name another folder for the certificates")
    check_new_folder(out)
    check_new_folder(certificates)


def _whole(table: Any, request: ReleaseRequest) -> tuple[Section, int]:  # noqa: ANN401 - as above
    """The columns that are used, and how many rows are left out."""
    opened = open_table(table, names=None if request.names is None else list(request.names))
    columns = tuple(dict.fromkeys((*request.public, *request.keep, *request.given, *request.sensitive)))
    every = (*columns, *([] if request.unit is None else [request.unit]))
    chosen = opened.in_place(every)
    present = chosen.with_missing(every, request.missing)
    rows = present.count()
    if not rows:
        raise EmptyTableError(f"{opened.label}: there is no row to release")
    return Section.whole(present), chosen.count() - rows


def _lies_on_line(request: ReleaseRequest, name: str) -> bool:
    """Whether a public column of numbers or days is released as such, and is not to be hidden."""
    return name not in (*request.sensitive, *request.categorical, *request.hierarchy)


def _may_be_part(section: Section, request: ReleaseRequest, columns: Sequence[str]) -> bool:
    """Whether there is something to merge and to hide, and enough for the limits on rows and values."""
    known, facts = (*request.keep, *request.given), section.facts
    limits = request.min_posterior or 1, (request.unit is None and request.min_rows) or 1
    return (
        all(facts.present[name] for name in (*request.public, *known, *request.sensitive))
        and (bool(facts.widths(columns)) or section.has_different(request.public, 2))
        and section.few(columns, known, request.sensitive, limits) <= request.suppress * facts.rows
        and (limits[0] > 1 or section.has_different(request.sensitive, 2))
    )


def _spans(whole: Section, request: ReleaseRequest) -> dict[str, tuple[str, str]]:
    """The ranges of columns in the whole table, which distances in all parts are measured by."""
    if request.distance in ("hamming", "discrete"):
        return {}
    named = (
        c for c in request.public if c in whole.kinds and c not in (*request.categorical, *request.hierarchy)
    )
    return {name: span for name in named if (span := whole.span(name)) is not None}


def _release(
    part: Table, request: ReleaseRequest, said: Mapping[str, Any], where: str, progress: Progress | None
) -> Release:
    try:
        source = ReleaseSource.read(part, request)
        return release_rows(replace(source, written={**source.written, **said}), progress)
    except NoiselessError as error:
        if not where:
            raise
        raise RequestError(f"{where}: {error}; or take fewer parts") from None


def _tell(progress: Progress, number: int, parts: int, share: float) -> None:
    progress((number + share) / parts)


def _write(part: Release, number: int, released: Path, certificates: Path) -> _Written:
    """Write a part and its certificate; what is remembered of them."""
    names = {"certificate": f"part-{number:05}.json", "released": f"part-{number:05}.parquet"}
    part.save(released / names["released"], certificate=certificates / names["certificate"], texts=True)
    claim = part.certificate["claim"]
    alike = part.min_rows if part.request.unit is None else int(claim["risks"]["min_rows"])
    return _Written(
        {**names, **part.certificate["original"]},
        part.certificate["options"],
        part.point.suppressed_rows,
        part.min_posterior,
        alike,
        part.warnings,
    )


def _require_alike(first: Mapping[str, Any], options: Mapping[str, Any], request: ReleaseRequest) -> None:
    """Refuse columns that are measured otherwise in another part."""
    for name in request.public:
        if first["kinds"][name] != options["kinds"][name]:
            kinds = f"{first['kinds'][name]} in one part and {options['kinds'][name]} in another"
            raise ColumnError(name, f"would be taken as {kinds}; add --categorical {name}")
        if first["spans"].get(name) != options["spans"].get(name):
            raise ColumnError(
                name, f"has another range in each part; declare one that holds them (--span {name}=LO:HI)"
            )


def _found(
    whole: Section,
    request: ReleaseRequest,
    folders: tuple[Path, Path],
    done: Sequence[_Written],
    dropped: int,
) -> PartedRelease:
    """What holds of the whole."""
    left_out = f"{counted(dropped, 'rows')} with a missing value {verb(dropped, 'are')} left out"
    return PartedRelease(
        source=whole.table.label,
        request=request,
        out=folders[0],
        manifest=folders[1] / MANIFEST,
        parts=len(done),
        rows=sum(one.entry["rows"] for one in done),
        sensitive_values=distinct_values(whole.table, request.sensitive),
        suppressed_rows=sum(one.suppressed_rows for one in done),
        min_posterior=min(one.min_posterior for one in done),
        min_rows=min(one.min_rows for one in done),
        warnings=tuple(
            dict.fromkeys([*[left_out] * bool(dropped), *(w for one in done for w in one.warnings)])
        ),
    )


def _manifest(
    found: PartedRelease, cuts: Mapping[str, Any], parts: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    request = found.request
    roles = {role: list(getattr(request, role)) for role in ("sensitive", "public", "given", "keep")}
    return {
        "format": MANIFEST_FORMAT,
        "version": MANIFEST_VERSION,
        "tool": {"name": "noiseless", "version": version("noiseless")},
        "created": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "columns": {**roles, "unit": [] if request.unit is None else [request.unit]},
        "missing": request.missing,
        "target": target_of(request),
        "cuts": cuts,
        "parts": list(parts),
        "whole": found.figures,
    }
