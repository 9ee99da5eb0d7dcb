"""A release in parts: each part's certificate checked by itself, and what then holds of the whole.

The cuts are a tree: each row lies on one side of each cut, so whatever they are, no row is in two parts or
in none. Each answer of the whole is then one of one part, or several where parts read alike: it has no fewer
values and rows behind it than the worst answer of a part.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from noiseless.errors import RequestError
from noiseless.tables import Missing, Table, open_table
from noiseless.tables.sections import Section, distinct_values, paths, shared_rows
from noiseless.tables.sources import source_paths
from noiseless.verification.certificate import CertifiedRelease, Columns
from noiseless.verification.certificate_json import (
    FormatError,
    Json,
    array,
    certificate_file,
    count,
    number,
    one_of,
    parsed,
    record,
    require,
    text,
    texts,
)
from noiseless.verification.claims import check_certificate, equal_check, logarithm_check
from noiseless.verification.evidence import Evidence
from noiseless.verification.findings import Check, Findings
from noiseless.verification.quantities import fraction
from noiseless.verification.table_counts import TableCounts

MANIFEST, MANIFEST_FORMAT, MANIFEST_VERSION = "manifest.json", "noiseless-parts", 1

LIMITS_OF_PARTS = (
    *("min_posterior", "min_rows", "largest_belief", "entropy_l_diversity", "width", "min_classes"),
    *("min_posterior_each", "max_distortion", "suppress"),
)
"""Limits that hold of the whole if they hold of each part, also where answers of two parts read alike."""

_TOP = ("format", "version", "tool", "created", "columns", "missing", "target", "cuts", "parts", "whole")
_PART = ("certificate", "released", "rows", "digest")
_COUNTS = ("rows", "sensitive_values", "suppressed_rows", "min_posterior", "min_rows")
_DEEPEST = 200
_HOLDS, _APART = "its certificate holds", "no answer of a part reads like one of another, * aside"


class CertifiedPart(NamedTuple):
    """A part: its files, its rows of the original, and the digest of these."""

    certificate: str
    released: str
    rows: int
    digest: str


@dataclass(frozen=True)
class Manifest:
    """What a manifest claims.

    Attributes:
        columns: the roles.
        missing: what missing values are.
        target: the limits, as certificates write them.
        cuts: how the table is cut.
        parts: the parts, from the lowest to the highest.
        counts: numbers of the whole.
        leakage: the rational whose log2 the whole leaks at most, and how that is written.
    """

    columns: Columns
    missing: Missing
    target: Mapping[str, Any]
    cuts: Mapping[str, Any]
    parts: tuple[CertifiedPart, ...]
    counts: Mapping[str, int]
    leakage: tuple[Fraction, float]

    @classmethod
    def read(cls, raw: Mapping[str, Any]) -> "Manifest":
        """A manifest from its JSON.

        Raises:
            FormatError: a part is not there, of another type, or unknown; it says which.
        """
        record(raw, "the manifest", _TOP)
        require(raw["version"] == MANIFEST_VERSION, f"the manifest is not of version {MANIFEST_VERSION}")
        record(raw["columns"], "columns", Columns._fields)
        columns = Columns(*(texts(raw["columns"][role], f"columns.{role}") for role in Columns._fields))
        require(isinstance(raw["target"], Mapping), "target is not an object")
        require(
            set(raw["target"]) <= set(LIMITS_OF_PARTS), "target has a limit that parts do not keep together"
        )
        missing: Missing = one_of(raw["missing"], "missing", ("value", "drop", "error"))  # type: ignore[assignment]  # one of these
        parts = tuple(map(_part, array(raw["parts"], "parts")))
        cuts = _cuts(raw["cuts"], set(columns.public) - set(columns.sensitive), _DEEPEST)
        require(
            len(parts) == len(list(paths(cuts))), "cuts makes more or fewer sections than there are parts"
        )
        names = [name for part in parts for name in (part.certificate, part.released)]
        plain = all(Path(name).name == name for name in names) and len(set(names)) == len(names)
        require(plain, "parts names a file twice, or one in another folder")
        whole = raw["whole"]
        record(whole, "whole", (*_COUNTS, "leakage_exact", "leakage"))
        leakage = parsed(whole["leakage_exact"], "whole.leakage_exact", fraction)
        require(leakage > 0, "whole.leakage_exact has no logarithm")
        counts = {name: count(whole[name], f"whole.{name}") for name in _COUNTS}
        return cls(
            columns,
            missing,
            dict(raw["target"]),
            cuts,
            parts,
            counts,
            (leakage, number(whole["leakage"], "whole.leakage")),
        )


def _part(raw: Json) -> CertifiedPart:
    record(raw, "a part", _PART)
    said = [text(raw[name], f"{name} of a part") for name in ("certificate", "released", "digest")]
    return CertifiedPart(said[0], said[1], count(raw["rows"], "rows of a part"), said[2])


def _cuts(raw: Json, public: set[str], depth: int) -> Mapping[str, Any]:
    """The cuts, each along a public column, at a number, day or moment."""
    require(depth and isinstance(raw, Mapping), "cuts is no object, or is nested too deeply")
    if not raw:
        return {}
    record(raw, "cuts", ("column", "at", "below", "above"))
    require(text(raw["column"], "cuts.column") in public, "cuts names a column that is not public only")
    halves = {name: _cuts(raw[name], public, depth - 1) for name in ("below", "above")}
    found = {"column": raw["column"], "at": text(raw["at"], "cuts.at"), **halves}
    try:
        next(paths(found))
    except ValueError:
        raise FormatError("cuts.at is neither a number nor a day or moment") from None
    return found


def check_parts(path: Path, raw: Mapping[str, Any], original: Table, released: Any) -> Findings:  # noqa: ANN401 - what a user names
    """Every check of a release in parts.

    Args:
        path: the manifest; certificates stand beside it.
        raw: what it holds.
        original: the table that was released.
        released: the folder of released files.

    Raises:
        NoiselessError: a table or a certificate cannot be read.
    """
    name = f"{MANIFEST_FORMAT} {raw.get('version')}"
    try:
        manifest = Manifest.read(raw)
    except FormatError as error:
        return Findings((Check("format", False, name, str(error)),))
    if not isinstance(released, str | Path) or not Path(released).is_dir():
        raise RequestError("a release in parts is a folder; name that as the released table")
    checked = CheckedParts(manifest, path.parent, original, Path(released))
    checks = (Check("format", True, name, name), *checked.checks())
    roles = {role: list(names) for role, names in manifest.columns._asdict().items() if names}
    classes = checked.about.pop("classes", {})
    counted = {"classes": len(set(classes.values()))} if classes else {}
    return Findings(checks, {**roles, **checked.about, **counted} if checked.about else {})


@dataclass(frozen=True, eq=False)
class CheckedParts:
    """A manifest beside the tables, one part of them at a time.

    Attributes:
        manifest: what is claimed.
        certificates: the folder of certificates.
        original: the table that was released.
        released: the folder of released files.
        about: what the claims of all parts are about, once they are checked.
    """

    manifest: Manifest
    certificates: Path
    original: Table
    released: Path
    about: dict[str, Any] = field(default_factory=dict)

    def checks(self) -> Iterator[Check]:
        """All checks but that of the format, in order; without its files nothing more is checked."""
        manifest, named = self.manifest, sorted(part.released for part in self.manifest.parts)
        there = sorted(path.name for path in source_paths(str(self.released)))
        other = sorted(set(there) ^ set(named))
        yield Check("files", not other, f"{len(named):,} files", _number_of(there, other))
        if other:
            return
        seen = list[_Seen | None]()
        for place, sides in enumerate(paths(manifest.cuts)):
            findings, figures = self._part(place, Section(self._whole.table, sides))
            seen.append(figures)
            failed = ", ".join(check.name for check in findings.failed)
            yield Check(f"part_{place}", not failed, _HOLDS, f"FAILS: {failed}" if failed else _HOLDS)
        shared = shared_rows([self.released / name for name in named], manifest.columns.public, "*")
        yield Check("apart", not shared, _APART, f"{shared:,} do" if shared else _APART)
        yield from self._figures([one for one in seen if one is not None])

    @cached_property
    def _whole(self) -> Section:
        """The columns that are used, without the rows that are left out."""
        columns = self.manifest.columns
        used = tuple(dict.fromkeys(columns.original))
        return Section.whole(self.original.in_place(used).with_missing(used, self.manifest.missing))

    def _part(self, place: int, section: Section) -> tuple[Findings, "_Seen | None"]:
        """What a part's certificate is worth, and what was counted."""
        part, faults, seen = self.manifest.parts[place], list[str](), list[_Seen]()

        def count_part(claimed: CertifiedRelease) -> TableCounts:
            counts = Evidence(claimed, section.part(), open_table(self.released / part.released)).counts()
            faults.extend(self._strange(part, claimed))
            if (exposure := counts.exposure) is not None:
                pairs = zip(claimed.cells, exposure.rows, strict=True)
                hidden = sum(rows for cell, rows in pairs if cell.suppressed)
                persons = exposure.risks.text("min_rows") if claimed.columns.unit and exposure.risks else None
                alike = exposure.min_rows if persons is None else int(persons)
                seen.append(_Seen(sum(exposure.rows), hidden, exposure.min_posterior, alike))
            return counts

        raw = certificate_file(self.certificates / part.certificate)
        found = check_certificate(raw, count_part)
        if raw.get("target") != self.manifest.target:
            faults.append("other limits")
        if faults:
            found = Findings((*found.checks, Check("reading", False, None, ", ".join(faults))))
        return found, seen[0] if seen else None

    def _strange(self, part: CertifiedPart, claimed: CertifiedRelease) -> Iterator[str]:
        """What a part's certificate says otherwise than the manifest and other parts."""
        options, columns = claimed.options, self.manifest.columns
        if claimed.columns != columns or (claimed.original.rows, claimed.original.digest) != part[2:]:
            yield "other columns or rows"
        if options.missing != self.manifest.missing or options.distinct_rows or options.spellings != "one":
            yield "values read otherwise"
        measured = {
            "codeword": options.codeword,
            "distance": options.distance,
            "kinds": dict(options.kinds),
            "weights": {name: str(weight) for name, weight in options.weights.items()},
            "spans": {name: [str(end) for end in span] for name, span in options.spans.items()},
            "hierarchy_cost": options.hierarchy_cost,
            "hierarchies": sorted(claimed.hierarchies),
            "classes": dict(options.classes),
        }
        if measured != {name: self.about.setdefault(name, said) for name, said in measured.items()}:
            yield "values measured otherwise"
        if options.keys or ("max_distortion" in self.manifest.target and claimed.hierarchies):
            yield "limits that parts do not keep together"

    def _figures(self, seen: Sequence["_Seen"]) -> Iterator[Check]:
        """What holds of the whole, where all parts could be counted."""
        claimed, (ratio, rounded) = self.manifest.counts, self.manifest.leakage
        found: dict[str, int | None] = dict.fromkeys(_COUNTS)
        if len(seen) == len(self.manifest.parts):
            found["rows"] = (
                sum(one.rows for one in seen)
                if self._whole.facts.rows == sum(one.rows for one in seen)
                else None
            )
            found["sensitive_values"] = distinct_values(self._whole.table, self.manifest.columns.sensitive)
            found["suppressed_rows"] = sum(one.suppressed for one in seen)
            found["min_posterior"] = min(one.min_posterior for one in seen)
            found["min_rows"] = min(one.min_rows for one in seen)
        for name in _COUNTS:
            yield equal_check(name, claimed[name], found[name])
        values, least = found["sensitive_values"], found["min_posterior"]
        most = None if values is None or least is None else Fraction(values, least)
        yield logarithm_check("leakage", ratio, rounded, most)


class _Seen(NamedTuple):
    """What was counted of a part."""

    rows: int
    suppressed: int
    min_posterior: int
    min_rows: int


def _number_of(files: Sequence[str], other: Sequence[str]) -> str:
    return f"{len(files):,} files" + f", and {len(other):,} that are lost or were added" * bool(other)
