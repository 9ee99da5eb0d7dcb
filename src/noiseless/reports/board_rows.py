"""What stands on the page for the board, of a release or of an audit."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from noiseless.audits import Audit, TableAudit
from noiseless.audits.odds import Odds
from noiseless.audits.policy import PolicyResult
from noiseless.audits.verdict import headline
from noiseless.display import counted, percent_above, verb
from noiseless.releases.changes import ColumnChange
from noiseless.releases.results import Release
from noiseless.reports.audit_rows import Status, status_of
from noiseless.reports.guidance import BoardFigures, Guidance
from noiseless.reports.notation import upper_text, value_text
from noiseless.reports.release_rows import AskedRow, asked_rows, change_text, change_words, status_of_release

_MOST_COLUMNS, _MOST_LIMITS = 6, 8
"""This many columns and limits are named: it is one sheet."""


@dataclass(frozen=True)
class OddsRow:
    """What a bettor wins on one target, in words."""

    target: str
    left: str
    blind: str
    best: str
    belief: str
    gain: str

    @classmethod
    def of(cls, target: Sequence[str], left: int, values: int, odds: Odds) -> "OddsRow":
        """The row of a target."""
        return cls(
            _names(target),
            f"{left:,} of {values:,}",
            odds.blind_text,
            percent_above(odds.best_guess),
            percent_above(odds.largest_belief),
            f"{upper_text(odds.largest_gain)} times",
        )


@dataclass(frozen=True)
class Board:
    """What stands on the page, in the order of its sections.

    Attributes:
        title: what it is about.
        source: the table.
        status: the verdict in a word.
        promise: the guarantee in one sentence.
        published: what leaves the house, in sentences.
        changes: each column, what replaces its values at worst, and in how many rows.
        odds: what a bettor wins, for each target.
        limits: what was asked for and what was found.
        knower: whom the limits are about, where that is less than someone who knows all public columns.
        guidance: the same figures in the words of four documents.
    """

    title: str
    source: str
    status: Status
    promise: str
    published: tuple[str, ...]
    changes: tuple[tuple[str, str, str], ...]
    odds: tuple[OddsRow, ...]
    limits: tuple[AskedRow, ...]
    guidance: tuple[Guidance, ...]
    knower: str = ""

    @classmethod
    def of_release(cls, release: Release) -> "Board":
        """The page of a release."""
        request, point, values = release.request, release.point, release.sensitive_values
        limits = asked_rows(release)
        figures = BoardFigures(
            release.sizes,
            release.odds,
            point.min_posterior,
            values,
            _names(request.sensitive),
            _names((*request.public, *request.keep, *request.given)),
            "rows" if request.unit is None else "persons",
            len(limits),
            _kept(limits),
        )
        return cls(
            f"{_names((*request.public, *request.keep))}, published to keep {figures.secret} hidden",
            release.source,
            status_of_release(release),
            figures.promise(),
            tuple(_published(release)),
            tuple(_changes(release)),
            (OddsRow.of(request.sensitive, point.min_posterior, values, release.odds),),
            tuple(_fitted(limits)),
            figures.guidance(),
            "; ".join(map(_names, request.key)),
        )

    @classmethod
    def of_audit(cls, audit: Audit, policy: PolicyResult | None) -> "Board":
        """The page of an audit, with the outcome of a policy."""
        worst, targets = audit.worst, audit.targets[:_MOST_COLUMNS]
        limits = [] if policy is None else list(_limits(policy))
        figures = BoardFigures(
            worst.sizes,
            worst.odds,
            worst.min_posterior,
            worst.sensitive_values,
            _names(worst.target),
            _names((*audit.public, *audit.given)),
            audit.heads,
            len(limits),
            _kept(limits),
        )
        return cls(
            f"What {_names(audit.public)} would reveal about {_names(audit.sensitive)}",
            audit.source,
            status_of(audit),
            figures.promise() if audit.rules is None else headline(audit),
            tuple(_audited(audit)),
            (),
            tuple(OddsRow.of(t.target, t.min_posterior, t.sensitive_values, t.odds) for t in targets),
            tuple(_fitted(limits)),
            figures.guidance(),
        )


def _names(names: Sequence[str]) -> str:
    """Columns' names in one text; the last of many are counted."""
    shown = [value_text(name) for name in names[:_MOST_COLUMNS]]
    if len(names) > _MOST_COLUMNS:
        shown.append(f"{len(names) - _MOST_COLUMNS:,} more")
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"


def _published(release: Release) -> Iterator[str]:
    """What leaves the house."""
    request, rows = release.request, release.point.suppressed_rows
    columns, secrets = (*request.public, *request.keep), request.released_secrets
    yield f"{counted(release.rows, 'rows')} with {_names(columns)}, and nothing else."
    hidden = [name for name in request.sensitive if name not in columns]
    if hidden:
        yield f"{_names(hidden)} {verb(len(hidden), 'are')} not in it."
    if secrets:
        yield f"{_names(secrets)} {verb(len(secrets), 'are')} in it, as cells."
    if rows:
        yield f"{counted(rows, 'rows')} {verb(rows, 'read')} * in every column."
    if request.keep_order:
        yield "Rows keep their order, which is information too."
    else:
        yield "Rows are sorted by what is published."


def _changes(release: Release) -> Iterator[tuple[str, str, str]]:
    """Each published column: what replaces its values at worst, and in how many rows."""
    for change in release.changes[:_MOST_COLUMNS]:
        worst = "unchanged"
        if change.changed_rows:
            worst = _worst(change, release.request.codeword)
        yield value_text(change.name), worst, f"{change.changed_rows:,} of {release.rows:,}"
    if (more := len(release.changes) - _MOST_COLUMNS) > 0:
        yield f"{more:,} more", "see the report (--html)", ""
    if release.request.keep:
        yield _names(release.request.keep), "kept unchanged, by request", f"0 of {release.rows:,}"


def _worst(change: ColumnChange, codeword: str) -> str:
    """What replaces the values of a column at worst; of numbers and days also on average."""
    _, predicate, what = change_words(change, codeword)
    if change.largest is None or change.mean is None or change.suppressed:
        return f"{predicate} {what}"
    if codeword == "interval":
        return f"{predicate} {what}, {change_text(2 * change.mean, change.kind)} on average"
    amounts = (change_text(amount, change.kind) for amount in (change.largest, change.mean))
    return "{} by at most {}, {} on average".format(predicate, *amounts)


def _audited(audit: Audit) -> Iterator[str]:
    """What would leave the house."""
    persons = "" if audit.unit is None else f" of {counted(audit.persons, 'persons')}"
    hidden = audit.suppressed_rows
    yield f"{counted(audit.rows, 'rows')}{persons} with {_names(audit.public)}, as the table has them."
    if isinstance(audit, TableAudit) and audit.releases > 1:
        yield f"{audit.releases} releases of the same people are seen together."
    if audit.given:
        yield f"{_names(audit.given)} {verb(len(audit.given), 'are')} known from elsewhere."
    if audit.rules is not None:
        texts = audit.rules.ruling.seen_text, audit.rules.ruling.totals_text
        yield f"Seen under {', '.join(filter(None, texts))}."
    if hidden:
        yield f"{counted(hidden, audit.heads)} {verb(hidden, 'read')} * in every column."


def _limits(policy: PolicyResult) -> Iterator[AskedRow]:
    for check in policy.checks:
        name, asked, found = check.words
        yield AskedRow(f"{name}, {check.target}", asked, found, check.holds)


def _kept(limits: Sequence[AskedRow]) -> int:
    return sum(row.holds is True for row in limits)


def _fitted(limits: Sequence[AskedRow]) -> Iterator[AskedRow]:
    """The limits that fit on the sheet, those not kept first; the others are counted."""
    ordered = sorted(limits, key=lambda row: row.holds is True)
    yield from ordered[:_MOST_LIMITS]
    if more := ordered[_MOST_LIMITS:]:
        missed = len(more) - _kept(more)
        yield AskedRow(f"{len(more):,} more", "", f"{missed:,} not kept" if missed else "", holds=not missed)
