"""A release or a frontier as plain text for a terminal."""

import re
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from noiseless.display import counted, kept_text, percent_above, text_table, verb
from noiseless.releases.changes import ColumnChange, Example
from noiseless.releases.results import Release, ReleaseFrontier
from noiseless.reports.frontier_rows import (
    levels_of,
    method_notes,
    method_rows,
    note_words,
    scope_words,
    spread,
    title_words,
)
from noiseless.reports.notation import length_text, rounding_text, table, value_text, wrapped
from noiseless.reports.release_rows import (
    AskedRow,
    applied_rows,
    asked_rows,
    change_text,
    for_the_same,
    found_by,
    more_values,
    names_text,
    proved,
    status_of_release,
    verdict,
)
from noiseless.search.mean_loss import LOSSES, mean_text

if TYPE_CHECKING:
    from noiseless.releases.application import AppliedRelease

_MOST_POINTS = 20
_MOST_COLUMNS = 20
_EXAMPLE, _INTERVAL = 36, 24
"""How many characters of an example are shown, and of what a value became: two days and " to " fit."""


def release_text(release: Release) -> str:
    """The verdict, what is given away and kept before and after, what changed, and what is proved."""
    blocks = [
        wrapped(f"{status_of_release(release).words.upper()}: {verdict(release)}"),
        _measures(release),
        rounding_text(release.before.leakage, release.point.leakage, release.point.maximin),
        _limits("What was asked for:", asked_rows(release)),
        _changes(release),
        wrapped(more_values(release)),
        wrapped(f"{proved(release)} (found by: {found_by(release)})"),
        wrapped(for_the_same(release)),
        *(wrapped(f"Note: {warning}") for warning in release.warnings),
    ]
    return "\n\n".join(block for block in blocks if block)


def _measures(release: Release) -> str:
    was, now = release.before, release.point
    rows = [
        ("bits leaked, L0", was.leakage.rounded_up(2), now.leakage.rounded_up(2)),
        ("fewest values left", f"{was.min_posterior:,}", f"{now.min_posterior:,}"),
        ("fewest rows alike", f"{was.min_rows:,}", f"{now.min_rows:,}"),
        ("best guess right", *(percent_above(o.best_guess) for o in (release.odds_before, release.odds))),
        ("blind guess right", *(o.blind_text for o in (release.odds_before, release.odds))),
        ("always revealed, I*", was.maximin.rounded_up(2), now.maximin.rounded_up(2)),
        ("bits of resolution", kept_text(was.resolution), kept_text(now.resolution)),
        ("different values", f"{was.cells:,}", f"{now.cells:,}"),
    ]
    if now.distortion is not None:
        rows.append(("distortion", "0", length_text(now.distortion)))
    if now.mean_loss is not None and len(release.request.public) > 1:
        loss = LOSSES[release.request.mean_loss]
        rows.append(("mean loss", mean_text(loss, Fraction(0)), mean_text(loss, now.mean_loss)))
    if now.suppressed_rows:
        rows.append(("suppressed rows", "0", f"{now.suppressed_rows:,}"))
    about = f"{names_text(release.request.sensitive)}, {counted(release.sensitive_values, 'values')}"
    title = f"What {counted(release.rows, 'rows')} {verb(release.rows, 'give')} away about {about}:"
    return table(title, ("", "before", "after"), rows)


def _limits(title: str, limits: Sequence[AskedRow]) -> str:
    words = {True: "holds", False: "DOES NOT HOLD", None: "not known"}
    rows = [(row.name, row.asked, row.found, words[row.holds]) for row in limits]
    return table(title, ("", "asked", "found", ""), rows) if rows else ""


def _changes(release: Release) -> str:
    header = ("", "values", "rows changed", "largest", "mean", "for example")
    rows = [_change(change) for change in release.changes[:_MOST_COLUMNS]]
    left_out = len(release.changes) - len(rows)
    more = f" (the first {_MOST_COLUMNS}; {left_out:,} more)" if left_out else ""
    return table(f"What changed in each column{more}:", header, rows)


def _change(change: ColumnChange) -> tuple[str, ...]:
    return (
        value_text(change.name, _EXAMPLE),
        f"{change.before:,} -> {change.after:,}",
        f"{change.changed_rows:,}",
        change_text(change.largest, change.kind),
        change_text(change.mean, change.kind),
        _example(change.examples[0]) if change.examples and change.changed_rows else "",
    )


def _example(example: Example) -> str:
    """What became of some values, as many as there is room for."""
    released = value_text(example.released, _INTERVAL)
    values = [value_text(value, _EXAMPLE // 2) for value in example.values]
    for shown in range(max(len(values), 1), 0, -1):
        more = example.more + len(values[shown:])
        text = ", ".join(values[:shown]) + (f", {more:,} more" if more else "") + f" -> {released}"
        if len(text) <= _EXAMPLE:
            return text
    return f"{counted(example.more + len(values), 'values')} -> {released}"


def applied_text(applied: "AppliedRelease") -> str:
    """How new rows read, what they give away by themselves, and what is and is not proved of them."""
    what = (
        f"{counted(applied.rows, 'rows')} as cells of the release of {applied.fitted_rows:,}: "
        f"{applied.known_rows:,} with values that a cell holds, {applied.covered_rows:,} with new ones that "
        f"a cell covers, {applied.outside_rows:,} in no cell, which {verb(applied.outside_rows, 'read')} *."
    )
    left_out = (
        f"{counted(applied.dropped, 'rows')} with a missing value {verb(applied.dropped, 'are')} left out."
    )
    unknown = (
        f"Not all is known of what they give away about {names_text(applied.sensitive)}: the table lacks "
        f"{names_text(applied.lacking)}."
    )
    blocks = [
        wrapped(what),
        wrapped(left_out) if applied.dropped else "",
        _alone(applied),
        _limits("What was asked of the release, held against these rows:", applied_rows(applied)),
        wrapped(unknown) if applied.lacking else "",
        wrapped(
            "A row shows no more of its public columns than its cell. The limits were proved for the rows "
            "that the release was made from: not for these rows, and not for all of them together."
        ),
    ]
    return "\n\n".join(block for block in blocks if block)


def _alone(applied: "AppliedRelease") -> str:
    found, lines = applied.measures, dict[str, str]()
    if found is not None:
        lines["bits leaked, L0"] = found.leakage.rounded_up(2)
        lines["fewest values left"] = f"{found.min_posterior:,} of {applied.sensitive_values:,}"
        lines["always revealed, I*"] = found.maximin.rounded_up(2)
    if applied.min_rows is not None:
        lines["fewest rows alike"] = f"{applied.min_rows:,}"
    if applied.suppressed_rows:
        lines["suppressed rows"] = f"{applied.suppressed_rows:,}"
    about = f" about {names_text(applied.sensitive)}" if found is not None else ""
    return text_table(f"What these rows give away{about} by themselves:", lines) if lines else ""


def frontier_text(frontier: ReleaseFrontier) -> str:
    """The frontier's points, or some of them evenly, what each method needs, and what is proved."""
    blocks = [
        _points(frontier),
        wrapped(note_words(frontier)),
        _methods(frontier),
        wrapped(scope_words(frontier)),
    ]
    return "\n\n".join(block for block in blocks if block)


def _points(frontier: ReleaseFrontier) -> str:
    shown = spread(frontier.points, _MOST_POINTS)
    some = f"{len(shown)} of the " if len(shown) < len(frontier.points) else ""
    title = (
        f"{some}{len(frontier.points):,} {title_words(frontier)}: "
        f"{names_text(frontier.sensitive)} hidden, "
        f"{names_text(frontier.public)} published"
    )
    title += f", {names_text(frontier.keep)} kept" if frontier.keep else ""
    title += f", {names_text(frontier.given)} known" if frontier.given else ""
    header = (
        "fewest values left",
        "rows alike",
        "bits leaked, L0",
        "always revealed, I*",
        "resolution",
        "distortion",
        "method",
    )
    rows = [
        (
            f"{p.min_posterior:,}",
            f"{p.min_rows:,}",
            p.leakage.rounded_up(2),
            p.maximin.rounded_up(2),
            kept_text(p.resolution),
            "-" if p.distortion is None else length_text(p.distortion),
            re.sub(r", k = \d+$", "", p.method),
        )
        for p in shown
    ]
    return table(f"{title}:", header, rows, ">>>>>><")


def _methods(frontier: ReleaseFrontier) -> str:
    levels = levels_of(frontier)
    rows = [
        (f"{row.name}{' (baseline)' if row.baseline else ''}", *(text for text, _ in row.needs))
        for row in method_rows(frontier, levels)
    ]
    if not levels or not rows:
        return ""
    most = "most resolution each method keeps"
    least = "least distortion each method needs"
    what = most if frontier.utility == "resolution" else least
    given = "giving away at most this much" if levels[0].left is None else "leaving at least this many values"
    found = table(f"The {what}, {given}:", ("", *(level.text for level in levels)), rows)
    return "\n".join([found, *(f"  {note}" for note in method_notes(frontier))])
