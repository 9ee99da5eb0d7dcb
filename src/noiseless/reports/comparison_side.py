"""A release to compare with: one that was just made, or what its certificate says of an earlier one."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from noiseless.errors import RequestError
from noiseless.exact import Bits
from noiseless.releases.certificate import FORMAT, VERSION
from noiseless.releases.results import Release, ReleasePoint
from noiseless.reports.release_rows import asked_rows
from noiseless.search.merging import Length

_ASKED = {
    "min_posterior": "fewest values left at least",
    "max_leakage": "bits leaked, L0 at most",
    "max_maximin": "bits told apart, I* at most",
    "max_distortion": "distortion at most",
    "min_resolution": "bits of resolution at least",
    "suppress": "suppressed rows at most",
}
_ROLES = ("sensitive", "public", "given", "keep")
_MEASURE = ("distance", "weights", "spans", "hierarchy_cost")


@dataclass(frozen=True)
class Side:
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


def side_of(compared: Release | Mapping[str, Any]) -> Side:
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


def _of_release(release: Release) -> Side:
    request, certificate = release.request, release.certificate
    return Side(
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


def _of_certificate(certificate: Mapping[str, Any]) -> Side:
    if (certificate["format"], certificate["version"]) != (FORMAT, VERSION):
        raise ValueError("another format")
    options, stated = certificate["options"], certificate["stated"]
    columns = {role: tuple(certificate["columns"][role]) for role in _ROLES}
    asked = [f"{_ASKED[name]} {limit}" for name, limit in certificate["target"].items()]
    if options.get("weight") is not None:
        asked.append(f"weight of what is lost {options['weight']}")
    texts = zip(*(cell["released"] for cell in certificate["partition"]), strict=True)
    return Side(
        _point(certificate["claim"], stated.get("method", "")),
        options["utility"],
        "; ".join(asked) or "nothing",
        columns,
        {name: options[name] for name in _MEASURE},
        certificate["original"]["digest"],
        {name: len(set(column)) for name, column in zip(columns["public"], texts, strict=True)},
        stated.get("method", ""),
        _proved(optimal=stated.get("optimal", False), scope=stated.get("scope", "all")),
    )


def _point(claim: Mapping[str, Any], method: str) -> ReleasePoint:
    return ReleasePoint(
        claim["cells"],
        Bits(Fraction(claim["leakage_exact"])),
        Bits(Fraction(claim["maximin_exact"])),
        claim["min_posterior"],
        Bits(Fraction(claim["resolution_exact"])),
        None if claim["distortion_exact"] is None else _length(claim["distortion_exact"]),
        claim["suppressed_rows"],
        method,
    )


def _length(text: str) -> Length:
    """A length from "p/q" or "sqrt(p/q)"."""
    inside = text.removeprefix("sqrt(").removesuffix(")")
    return Length(Fraction(inside), root=inside != text)


def _proved(*, optimal: bool, scope: str) -> str:
    return f"yes, of {scope} cells" if optimal else "no"
