"""Two releases side by side: one just made, and another or what its certificate says of it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

from noiseless.display import kept_text
from noiseless.errors import RequestError
from noiseless.exact import Bits
from noiseless.releases.certificate import FORMAT, VERSION
from noiseless.releases.results import Release
from noiseless.reports.notation import length_text, value_text
from noiseless.reports.release_rows import asked_rows
from noiseless.search.measures import ReleasePoint
from noiseless.search.merging import Length

_ASKED = {
    "min_posterior": "fewest values left at least",
    "min_rows": "fewest rows alike at least",
    "max_leakage": "bits leaked, L0 at most",
    "max_maximin": "always revealed, I* at most",
    "max_distortion": "distortion at most",
    "min_resolution": "bits of resolution at least",
    "suppress": "suppressed rows at most",
}
_ROLES = ("sensitive", "public", "given", "keep")
_MEASURE = ("distance", "weights", "spans", "hierarchy_cost")

Better = Literal["this", "other", ""]


@dataclass(frozen=True)
class ReleaseSummary:
    """What a comparison needs to know of a release.

    Attributes:
        point: what it gives away and keeps.
        utility: what was to be kept.
        asked: what was asked for, in words.
        columns: the columns of each role.
        measure: how distortion is measured.
        digest: that of the original.
        different: how many different values of each public column are released.
        method: how the cells were chosen.
        proved: whether they are proved to be the best.
    """

    point: ReleasePoint
    utility: str
    asked: str
    columns: dict[str, tuple[str, ...]]
    measure: dict[str, Any]
    digest: str
    different: dict[str, int]
    method: str
    proved: str


def side_of(compared: Release | Mapping[str, Any]) -> ReleaseSummary:
    """From a release, or from the JSON of a certificate, whose claims are believed.

    Raises:
        RequestError: it is no certificate of this version.
    """
    if isinstance(compared, Release):
        return _of_release(compared)
    try:
        return _of_certificate(compared)
    except (KeyError, TypeError, ValueError, ZeroDivisionError, AttributeError):
        raise RequestError(
            f"the release to compare with has no certificate of format {FORMAT!r}, version {VERSION}"
        ) from None


def _of_release(release: Release) -> ReleaseSummary:
    request, certificate = release.request, release.certificate
    return ReleaseSummary(
        release.point,
        request.utility,
        "; ".join(f"{row.name} {row.asked}" for row in asked_rows(release)) or "nothing",
        {role: tuple(getattr(request, role)) for role in _ROLES},
        {name: certificate["options"][name] for name in _MEASURE},
        certificate["original"]["digest"],
        {change.name: change.after for change in release.changes},
        release.method,
        _proved(optimal=release.optimal, scope=release.scope),
    )


def _of_certificate(certificate: Mapping[str, Any]) -> ReleaseSummary:
    if (certificate["format"], certificate["version"]) != (FORMAT, VERSION):
        raise ValueError("another format")
    options, stated = certificate["options"], certificate["stated"]
    columns = {role: tuple(certificate["columns"][role]) for role in _ROLES}
    asked = [f"{_ASKED[name]} {limit}" for name, limit in certificate["target"].items()]
    if options.get("weight") is not None:
        asked.append(f"weight of what is lost {options['weight']}")
    texts = zip(*(cell["released"] for cell in certificate["partition"]), strict=True)
    return ReleaseSummary(
        _point(certificate, stated.get("method", "")),
        options["utility"],
        "; ".join(asked) or "nothing",
        columns,
        {name: options[name] for name in _MEASURE},
        certificate["original"]["digest"],
        {name: len(set(column)) for name, column in zip(columns["public"], texts, strict=True)},
        stated.get("method", ""),
        _proved(optimal=stated.get("optimal", False), scope=stated.get("scope", "all")),
    )


def _point(certificate: Mapping[str, Any], method: str) -> ReleasePoint:
    claim, columns = certificate["claim"], certificate["columns"]
    alone = not columns["given"] and not columns["keep"]  # or else fewer rows than a cell's may look alike
    return ReleasePoint(
        claim["cells"],
        Bits(Fraction(claim["leakage_exact"])),
        Bits(Fraction(claim["maximin_exact"])),
        claim["min_posterior"],
        Bits(Fraction(claim["resolution_exact"])),
        None if claim["distortion_exact"] is None else _length(claim["distortion_exact"]),
        claim["suppressed_rows"],
        min_rows=min(cell["rows"] for cell in certificate["partition"]) if alone else 0,
        method=method,
    )


def _length(text: str) -> Length:
    """A length from "p/q" or "sqrt(p/q)"."""
    inside = text.removeprefix("sqrt(").removesuffix(")")
    return Length(Fraction(inside), root=inside != text)


def _proved(*, optimal: bool, scope: str) -> str:
    return f"yes, of {scope} cells" if optimal else "no"


@dataclass(frozen=True)
class ComparedRow:
    """One measure of two releases, and which is better by it."""

    name: str
    this: str
    other: str
    better: Better = ""


def compared_rows(this: ReleaseSummary, other: ReleaseSummary) -> list[ComparedRow]:
    """What was asked, what is given away, what is kept, and what is proved."""
    points = this.point, other.point
    rows = [
        ComparedRow("asked for", this.asked, other.asked),
        _row("bits leaked, L0", points, lambda p: p.leakage, lambda b: b.rounded_up(2), less=True),
        _row("fewest values left", points, lambda p: p.min_posterior, "{:,}".format),
        _row("always revealed, I* (bits)", points, lambda p: p.maximin, lambda b: b.rounded_up(2), less=True),
        _row("resolution kept (bits)", points, lambda p: p.resolution, kept_text),
    ]
    if all(point.min_rows for point in points):
        rows.insert(3, _row("fewest rows alike", points, lambda p: p.min_rows, "{:,}".format))
    if _same_distortion(this, other):
        rows.append(_row("distortion", points, lambda p: p.distortion, length_text, less=True))
    if any(point.suppressed_rows for point in points):
        rows.append(_row("suppressed rows", points, lambda p: p.suppressed_rows, "{:,}".format, less=True))
    rows.append(ComparedRow("different rows released", f"{points[0].cells:,}", f"{points[1].cells:,}"))
    rows += [
        ComparedRow(f"different {value_text(name, 30)}", f"{number:,}", f"{other.different[name]:,}")
        for name, number in this.different.items()
        if name in other.different and len(this.different) > 1
    ]
    rows.append(ComparedRow("method", this.method, other.method))
    rows.append(ComparedRow("proved to be the best", this.proved, other.proved))
    return rows


def _row(
    name: str,
    points: tuple[ReleasePoint, ReleasePoint],
    of: Callable[[ReleasePoint], Any],
    text: Callable[[Any], str],
    *,
    less: bool = False,
) -> ComparedRow:
    one, two = map(of, points)
    better: Better = "" if one == two else "this" if (one < two) == less else "other"
    return ComparedRow(name, text(one), text(two), better)


def comparison_sentence(this: ReleaseSummary, other: ReleaseSummary) -> str:
    """Which release gives away less, and which loses less."""
    leaks = _relation(this.point.leakage, other.point.leakage)
    if this.utility == "distortion" and _same_distortion(this, other):
        losses, verb = _relation(this.point.distortion, other.point.distortion), "distorts"
    else:
        losses, verb = _relation(other.point.resolution, this.point.resolution), "blurs"
    if leaks == losses == "as much as":
        return "Both releases give away and keep the same."
    if leaks == losses:
        return f"This release gives away and {verb} {leaks} the other."
    return f"This release gives away {leaks} the other, and {verb} {losses} it does."


def comparison_warnings(this: ReleaseSummary, other: ReleaseSummary) -> list[str]:
    """Why the numbers of two releases may not be comparable."""
    found = list[str]()
    if this.columns != other.columns:
        found.append("The two releases are not about the same columns.")
    elif this.digest != other.digest:
        found.append("The two releases were not made from the same rows.")
    if not _measured_alike(this, other):
        found.append("Distortion is measured in different ways and therefore not compared.")
    return found


def _same_distortion(this: ReleaseSummary, other: ReleaseSummary) -> bool:
    known = this.point.distortion is not None and other.point.distortion is not None
    return known and _measured_alike(this, other)


def _measured_alike(this: ReleaseSummary, other: ReleaseSummary) -> bool:
    return this.measure == other.measure and set(this.columns["public"]) == set(other.columns["public"])


def _relation(one: Any, two: Any) -> str:  # noqa: ANN401 - any two numbers
    return "as much as" if one == two else "less than" if one < two else "more than"
