"""Two releases side by side, in rows ready to be shown."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from noiseless.releases.results import ReleasePoint
from noiseless.reports.comparison_side import Side
from noiseless.reports.numbers import kept_text, length_text, value_text

Better = Literal["this", "other", ""]


@dataclass(frozen=True)
class ComparedRow:
    """One measure of two releases, and which is better by it."""

    name: str
    this: str
    other: str
    better: Better = ""


def compared_rows(this: Side, other: Side) -> list[ComparedRow]:
    """What was asked, what is given away, what is kept, and what is proved."""
    points = this.point, other.point
    rows = [
        ComparedRow("asked for", this.asked, other.asked),
        _row("bits leaked, L0", points, lambda p: p.leakage, lambda b: b.rounded_up(2), less=True),
        _row("fewest values left", points, lambda p: p.min_posterior, "{:,}".format),
        _row("told apart, I* (bits)", points, lambda p: p.maximin, lambda b: b.rounded_up(2), less=True),
        _row("resolution kept (bits)", points, lambda p: p.resolution, kept_text),
    ]
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


def comparison_sentence(this: Side, other: Side) -> str:
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


def comparison_warnings(this: Side, other: Side) -> list[str]:
    """Why the numbers of two releases may not be comparable."""
    found = list[str]()
    if this.columns != other.columns:
        found.append("The two releases are not about the same columns.")
    elif this.digest != other.digest:
        found.append("The two releases were not made from the same rows.")
    if not _measured_alike(this, other):
        found.append("Distortion is measured in different ways and therefore not compared.")
    return found


def _same_distortion(this: Side, other: Side) -> bool:
    known = this.point.distortion is not None and other.point.distortion is not None
    return known and _measured_alike(this, other)


def _measured_alike(this: Side, other: Side) -> bool:
    return this.measure == other.measure and set(this.columns["public"]) == set(other.columns["public"])


def _relation(one: Any, two: Any) -> str:  # noqa: ANN401 - any two numbers
    return "as much as" if one == two else "less than" if one < two else "more than"
