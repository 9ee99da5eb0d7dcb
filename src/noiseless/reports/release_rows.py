"""What a page or a text says about a release, in words and rows ready to be shown."""

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from noiseless.display import bound_text, counted, kept_text, percent_above, percent_below, time_span, verb
from noiseless.releases.changes import ColumnChange
from noiseless.releases.request import RISKS
from noiseless.releases.results import Release, ReleaseFrontier
from noiseless.releases.risks import MINIMA, keeps, limit_text
from noiseless.reports.audit_rows import Status, worst_status
from noiseless.reports.notation import length_text, share_text, value_text
from noiseless.search.choice import CUT_SHORT
from noiseless.search.measures import ReleasePoint

if TYPE_CHECKING:
    from noiseless.releases.application import AppliedRelease

_PLACES = 2
_MOST_PLACES = 12
"""How many decimals of a limit are shown."""

_LEAST_SHOWN = Fraction(1, 10_000)
"""A smaller mean loss is shown as 0 %."""

_MOST_NAMED = 4
"""This many columns are named in a verdict."""

_LIMITS = {
    "min_posterior": "fewest values left",
    "min_rows": "fewest rows alike",
    "max_leakage": "bits leaked, L0",
    "max_maximin": "always revealed, I*",
    "max_distortion": "distortion",
    "min_resolution": "bits of resolution",
    "largest_belief": "largest belief",
    "pointwise_leakage": "pointwise maximal leakage, in bits",
    "beta_likeness": "beta-likeness",
    "enhanced_beta_likeness": "enhanced beta-likeness",
    "delta_disclosure": "delta-disclosure, in nats",
    "entropy_l_diversity": "entropy l-diversity",
    "t_closeness": "t-closeness",
    "width": "width of the values left",
    "min_classes": "fewest classes of values left",
    "min_posterior_each": "fewest values left of each column",
}
"""What each limit is on."""

_PERSONS = "fewest persons alike"
"""What the limit on rows is on where a unit names persons."""

_BETTER = {
    "distortion": "a smaller distortion",
    "mean loss": "a smaller mean loss",
    "resolution": "a larger resolution",
    "leakage": "less leakage",
    "maximin": "less maximin information",
    "lagrangian": "a smaller Lagrangian",
}
"""What is better, for each quantity that cells can be chosen by."""


def status_of_release(release: Release) -> Status:
    """How private a release is, in the words of an audit."""
    return worst_status(
        [(release.point.min_posterior, release.sensitive_values), *release.fewest_of_each.values()]
    )


def names_text(names: tuple[str, ...]) -> str:
    """Columns' names in one text."""
    return ", ".join(map(value_text, names))


def verdict(release: Release) -> str:
    """A release in one sentence: what it protects, and what that costs."""
    rows = release.point.suppressed_rows
    of = f"{rows:,} of {counted(release.rows, 'rows')} {verb(rows, 'are')}"
    withheld = f"; {of} suppressed (*)" if rows else ""
    return f"{_protection(release)}{_told_by_every_row(release)}, and {cost_words(release)}{withheld}."


def _told_by_every_row(release: Release) -> str:
    """What I* says, where it was to be small. A single row can tell more: that stands before it."""
    if release.request.objective != "maximin" or release.point.leakage == 0:
        return ""
    was, classes = (int(point.maximin.ratio) for point in (release.before, release.point))
    name = names_text(release.request.sensitive)
    if classes == 1:
        return f"; no fact about {name} is revealed by every row"
    return f"; every row reveals which of {classes:,} classes {name} falls into ({was:,} before)"


def _protection(release: Release) -> str:
    point, before, total = release.point, release.before, release.sensitive_values
    name, given = names_text(release.request.sensitive), names_text(release.request.given)
    if total == 1:
        return f"There is only one value of {name}, so there is nothing to hide"
    to_whom = f" to anyone who knows {given}" if given else ""
    if point.min_posterior == 1:
        return f"At least one released row still gives {name} away{to_whom}"
    if point.leakage == 0:
        left = f" that {given} leaves possible" if given else ""
        return f"No released row rules out any value of {name}{left}"
    of = f"combinations of {name}" if release.fewest_of_each else f"values of {name}"
    return (
        f"Every released row leaves at least {point.min_posterior:,} of {total:,} {of} possible"
        f"{to_whom} ({before.min_posterior:,} before){_worst_alone(release)}"
    )


def _worst_alone(release: Release) -> str:
    """What is left of the sensitive column that fares worst by itself, where there are several."""
    if not release.fewest_of_each:
        return ""
    name, (left, values) = min(release.fewest_of_each.items(), key=lambda item: item[1])
    if left == 1:
        return f", but at least one gives {value_text(name)} away completely"
    return f", and at least {left:,} of {values:,} values of {value_text(name)} alone"


def cost_words(release: Release) -> str:
    """What the release costs, column by column in its own unit, for the end of a sentence."""
    point, alike = release.point, largest_cell(release)
    if alike <= 1:
        return "no values are merged" if point.suppressed_rows else "nothing is changed"
    changed = [
        change
        for change in release.changes
        if change.changed_rows and (change.largest or change.most_alike > 1)
    ]
    if release.request.codeword == "medoid":
        changed = [change for change in changed if change.largest is not None]
    if not changed:
        return f"at most {alike:,} different public values read alike"
    words, last = list[str](), ""
    for change in changed[:_MOST_NAMED]:
        subject, predicate, what = change_words(change, release.request.codeword)
        words.append(f"{subject} {what}" if predicate == last else f"{subject} {predicate} {what}")
        last = predicate
    if len(changed) > _MOST_NAMED:
        words.append(f"{counted(len(changed) - _MOST_NAMED, 'more columns')} changed")
    return ", ".join(words)


def change_words(change: ColumnChange, codeword: str) -> tuple[str, str, str]:
    """Who is changed, how, and by how much at most."""
    name = value_text(change.name)
    if change.suppressed:
        return name, "is suppressed", "entirely (*)"
    if change.largest is None:
        whole = "a set" if change.kind == "category" else "a group"
        return f"each {name}", "is replaced", f"by {whole} of at most {change.most_alike:,} values"
    if codeword == "interval":
        return (
            f"each {name}",
            "is replaced",
            f"by an interval at most {change_text(2 * change.largest, change.kind)} wide",
        )
    return f"no {name}", "is changed", f"by more than {change_text(change.largest, change.kind)}"


def change_text(change: Fraction | None, kind: str) -> str:
    """How far something was changed; dates by days, or by hours."""
    if change is None:
        return "-"
    if kind != "date":
        return length_text(change)
    amount, unit = time_span(change)
    return f"{length_text(amount)} {unit}"


def largest_cell(release: Release) -> int:
    """How many different public values read alike at most; suppressed ones are not counted."""
    cells = release.certificate.cells
    sizes = cells.sizes if cells.suppressed is None else np.delete(cells.sizes, cells.suppressed)
    return int(sizes.max(initial=0))


def point_words(point: ReleasePoint) -> str:
    """A point in one line."""
    parts = [
        f"leakage {point.leakage}",
        f"I* {point.maximin}",
        f"at least {point.min_posterior:,} left",
        f"at least {counted(point.min_rows, 'rows')} alike",
        f"resolution {kept_text(point.resolution)} bits",
    ]
    if point.distortion is not None:
        parts.append(f"distortion {length_text(point.distortion)}")
    parts.append(counted(point.cells, "cells"))
    return ", ".join(parts)


@dataclass(frozen=True)
class AskedRow:
    """A limit that was asked for, what was found, and whether it holds; None where that is not known."""

    name: str
    asked: str
    found: str
    holds: bool | None


def asked_rows(release: Release) -> list[AskedRow]:
    """What was asked for; what was found is rounded so that it stays on its side of the limit."""
    request, point = release.request, release.known_point
    rows = [
        _risk_row(name, limit, release) if name in release.risks else _asked_row(name, limit, point)
        for name, limit in request.targets.items()
    ]
    if request.weight is not None:
        rows.append(AskedRow("weight of what is lost", _number(request.weight), "no limit", holds=True))
    if request.suppress:
        most, found = request.suppress, Fraction(point.suppressed_rows, release.rows)
        shares = (share_text(f.numerator, f.denominator) for f in (most, found))
        asked, share = shares
        rows.append(AskedRow("suppressed rows", f"at most {asked}", share, found <= most))
    return rows


def _risk_row(name: str, limit: Any, release: Release) -> AskedRow:  # noqa: ANN401 - a limit of any kind
    """A limit on bets, widths or persons; delta-disclosure is to be below it."""
    found, least = release.risks[name], name in MINIMA
    text = f"{limit:,}" if isinstance(limit, int) else _number(limit)
    asked = f"{'at least' if least else 'below' if name == 'delta_disclosure' else 'at most'} {text}"
    words = _PERSONS if name == "min_rows" else _LIMITS[name]
    shown = limit_text(found, up=not least, places=_places(text))
    return AskedRow(words, asked, shown, keeps(name, found, limit))


def applied_rows(applied: "AppliedRelease") -> list[AskedRow]:
    """What was asked of a release, beside what new rows reach by themselves."""
    rows = []
    for limit in applied.limits:
        asked, found = limit.asked, limit.found
        if isinstance(asked, int):
            texts = f"at least {asked:,}", "-" if found is None else f"{found:,}"
        else:
            text, least = _number(asked) if isinstance(asked, Fraction) else str(asked), limit.name in MINIMA
            shown = "-" if found is None else limit_text(found, up=not least, places=_places(text))
            texts = f"at {'least' if least else 'most'} {text}", shown
        rows.append(AskedRow(_PERSONS if limit.persons else _LIMITS[limit.name], *texts, limit.holds))
    return rows


def _asked_row(name: str, limit: Any, point: ReleasePoint) -> AskedRow:  # noqa: ANN401 - a limit of any kind
    words, counts = _LIMITS[name], {"min_posterior": point.min_posterior, "min_rows": point.min_rows}
    if name in counts:
        return AskedRow(words, f"at least {limit:,}", f"{counts[name]:,}", counts[name] >= limit)
    text = _number(limit)
    if name == "max_distortion":
        length = point.distortion
        shown = "-" if length is None else length_text(length)
        return AskedRow(words, f"at most {text}", shown, length is not None and length <= limit)
    if name == "min_resolution":
        kept = bound_text(point.resolution.lower, _places(text), up=False)
        return AskedRow(words, f"at least {text}", kept, point.resolution >= limit)
    bits = point.leakage if name == "max_leakage" else point.maximin
    return AskedRow(words, f"at most {text}", bits.rounded_up(_places(text)), bits <= limit)


def _places(limit: str) -> int:
    """With how many decimals a number is shown beside a limit."""
    return min(max(_PLACES, len(limit.partition(".")[2])), _MOST_PLACES)


def _number(value: Fraction) -> str:
    """A number that a user gave, as it is: a decimal where it is one that can be read."""
    decimal = Decimal(value.numerator) / Decimal(value.denominator)
    exact = Fraction(decimal) == value and len(f"{decimal:f}") <= _MOST_PLACES
    return f"{decimal:,f}" if exact else str(value)


def chosen_by(release: Release) -> str:
    """Which quantity the cells were chosen by: the utility, if what is given away is limited."""
    request = release.request
    if request.weight is not None:
        return "lagrangian"
    if {"min_posterior", "min_rows", "max_leakage", "max_maximin", *RISKS} & request.targets.keys():
        return "mean loss" if request.prefer == "mean" else request.utility
    return "maximin" if request.objective == "maximin" else "leakage"


def proved(release: Release) -> str:
    """What is proved about the choice of the cells, in a sentence or two."""
    better = _BETTER[chosen_by(release)]
    if release.optimal and release.scope == "all":
        ways = "merging or suppressing" if release.request.suppress else "merging"
        return f"Proved optimal: no other way of {ways} values has {better} within the limits."
    if release.optimal and release.scope == "full-domain":
        return (
            "Proved optimal among full-domain recodings: no other choice of a level for each column has "
            f"{better} within the limits. {_room(release, better)}"
        )
    if release.optimal:
        return (
            "Proved optimal among contiguous cells, each a run of neighbouring values: none has "
            f"{better} within the limits. {_room(release, better)}"
        )
    if release.proof == CUT_SHORT:
        return "Not proved optimal: the search was stopped, and these are the best cells found by then."
    return f"Not proved optimal. {_room(release, better)}"


def more_values(release: Release) -> str:
    """Why a column can have more values than before; empty where none has."""
    if not any(change.after > change.before for change in release.changes):
        return ""
    return (
        "A column can show more different values than it had: ranges and sets that overlap count as "
        "different values."
    )


def found_by(release: Release) -> str:
    """How the cells were found; a method that proves nothing can meet a bound, which does."""
    bound = (
        "; proved optimal by a bound" if release.optimal and not release.method.startswith("exact") else ""
    )
    return f"{release.method}{bound}"


def for_the_same(release: Release, frontier: ReleaseFrontier | None = None) -> str:
    """How many more values could be left at no more loss; empty where none, or where it is not known.

    Args:
        release: the release.
        frontier: that of the same columns; that of the release, if it has been found.
    """
    frontier = release.known_frontier if frontier is None else frontier
    if frontier is None or not release.request.targets.keys() <= {"min_posterior", "max_leakage"}:
        return ""
    if release.request.objective == "maximin" or release.request.weight is not None:
        return ""
    point, utility = release.known_point, release.request.utility
    as_good = [p for p in frontier.points if _loses_no_more(p, point, utility)]
    best = max(as_good, key=lambda p: p.min_posterior, default=point)
    if best.min_posterior <= point.min_posterior:
        return ""
    return (
        f"For the same {utility} {best.min_posterior:,} values could be left, with "
        f"{counted(best.cells, 'cells')} instead of {point.cells:,}: ask for --min-posterior "
        f"{best.min_posterior}."
    )


def _loses_no_more(other: ReleasePoint, point: ReleasePoint, utility: str) -> bool:
    if utility == "resolution":
        return other.resolution >= point.resolution
    if other.distortion is None or point.distortion is None:
        return False
    return other.distortion <= point.distortion


def _room(release: Release, better: str) -> str:
    """How much better any other cells could be."""
    mean = _mean_room(release)
    if mean and release.gap and chosen_by(release) == "mean loss":
        return mean
    if release.gap is None:
        found = "How much better any other cells could be is not known."
    elif release.gap == 0:
        found = f"No other cells have {better}."
    else:
        unit = "" if chosen_by(release) in ("distortion", "mean loss") else " bits"
        found = f"No other cells can be better by more than {length_text(release.gap)}{unit}."
    return f"{found} {mean}" if mean and not release.optimal else found


def _mean_room(release: Release) -> str:
    """What the mean loss is, and what it is at least; empty where that is not known."""
    least, mean = release.least_mean_loss, release.point.mean_loss
    if mean is None or least is None or least < _LEAST_SHOWN:
        return ""
    shown = f"{percent_above(mean)}; no release within these limits has less than {percent_below(least)}"
    return f"Its mean loss is {shown}."
