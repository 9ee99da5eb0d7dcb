"""What a page or a text says about an audit of published tables, in rows ready to be shown."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, partial

import numpy as np

from noiseless.display import counted, kept_text, verb
from noiseless.exact import Bits
from noiseless.reports.audit_rows import Status
from noiseless.tabulations.audit import TabulationAudit
from noiseless.tabulations.promise import Breach
from noiseless.tabulations.publication import UNBOUNDED, Publication, PublishedTable, RowName
from noiseless.tabulations.result import CellFinding, PersonFinding

_MOST_ROWS, _MOST_COLUMNS = 80, 24
"""A page shows no more rows and columns of a table; a file of its own is better read by programs."""
_SHADES = (("few", 4), ("some", 16))
"""The most values that are left in each shade."""
_TOLD_BY = 4
_MOST_ORDERED = 20_000
"""The most figures that are looked at to find those with the fewest values left."""
_ALL_ZERO = (
    "everything withheld turns out to be 0: if totals add up only what is shown, say so (told "
    "totals=shown); if blanks mean zero, fill in zeros"
)

_NO_RULE = "to have small counts or single contributors found, name the rule, such as --threshold 5"


def figure_text(lower: int, upper: int | None, step: Fraction) -> str:
    """The values from one on up to another, in units.

    >>> figure_text(4, 4, Fraction(1)), figure_text(1050, None, Fraction(1, 100))
    ('4', '10.5 or more')
    """
    low = number_text(lower * step)
    if upper is None or upper >= UNBOUNDED:
        return "any" if lower == 0 else f"{low} or more"
    if lower == upper:
        return low
    joint = " to " if lower < 0 else "\u2013"
    return f"{low}{joint}{number_text(upper * step)}"


def number_text(value: Fraction) -> str:
    """A decimal number with all its places.

    >>> number_text(Fraction(12345, 10)), number_text(Fraction(1200)), number_text(Fraction(-1, 4))
    ('1,234.5', '1,200', '-0.25')
    """
    places = 0
    while (value * 10**places).denominator > 1 and places < _MOST_COLUMNS:
        places += 1
    return f"{float(value):,.{places}f}" if places else f"{int(value):,}"


def name_text(name: RowName, *, alone: bool = False) -> str:
    """A figure by its table and labels; the table is left out where there is one only.

    >>> name_text(("t1", ("North", "Total"))), name_text(("t1", ("North", "Total")), alone=True)
    ('t1: North, Total', 'North, Total')
    """
    table, labels = name
    return ", ".join(labels) if alone else f"{table}: {', '.join(labels)}"


class AuditView:
    """What a report looks up in an audit, found once; proofs are written of shown figures alone."""

    def __init__(self, audit: TabulationAudit) -> None:
        self.audit, self.publication = audit, audit.publication
        self.alone = len(audit.publication.tables) == 1
        self.hidden = ~audit.published
        known = self.hidden[:0] if audit.ranges is None else audit.ranges.known_sums() & self.hidden
        self.leaks: list[int] = np.flatnonzero(known).tolist()
        self.open: list[int] = np.flatnonzero(self.hidden & ~known).tolist() if len(known) else []

    def disclosed(self, most: int) -> list[CellFinding]:
        """The first figures that are known for certain, with what tells them."""
        return [self.audit.cells[place] for place in self.leaks[:most]]

    @property
    def hints(self) -> list[str]:
        """What may have been meant otherwise."""
        ranges = self.audit.ranges
        if status_of_tables(self).mark == "void":
            return [_NO_RULE]
        if ranges is None or not self.leaks or self.open or any(ranges[place].upper for place in self.leaks):
            return []
        return [_ALL_ZERO]

    @property
    def is_ordered(self) -> bool:
        """Whether `left` looks at all figures; where there are very many, at the first ones."""
        return len(self.open) <= _MOST_ORDERED

    def left(self, most: int) -> list[CellFinding]:
        """Figures that are not known, those with the fewest values left first."""
        cells = [self.audit.cells[place] for place in (self.open if self.is_ordered else self.open[:most])]
        return sorted(cells, key=lambda cell: (cell.values is None, cell.values or 0))[:most]


@dataclass(frozen=True)
class Face:
    """A figure as a page shows it.

    Attributes:
        published: what is published.
        possible: what is possible after all, where that is less than published; else empty.
        shade: how much is left: told, disclosed, few, some, many, open, absent.
        hover: the same in a sentence.
    """

    published: str
    possible: str
    shade: str
    hover: str


@dataclass(frozen=True)
class TableView:
    """A table as a page shows it: rows of labels and faces.

    Attributes:
        name: the table.
        corner: the dimensions at the left.
        above: the dimension above.
        columns: the labels above.
        rows: the labels at the left, and a face for each column; None where nothing is published.
        left_out: what is not shown, in words.
    """

    name: str
    corner: tuple[str, ...]
    above: str
    columns: tuple[str, ...]
    rows: tuple[tuple[tuple[str, ...], tuple[Face | None, ...]], ...]
    left_out: str


def table_views(view: AuditView) -> list[TableView]:
    """Every table of a publication, as far as a page can show it."""
    return views_of(view.publication, partial(_face, view))


FaceOf = Callable[[PublishedTable, int, int], Face]
"""How a figure looks: its table, its place there, its number among all figures."""


def views_of(publication: Publication, face: FaceOf) -> list[TableView]:
    """Every table of a publication, with faces of any kind."""
    first, found = 0, list[TableView]()
    for table in publication.tables:
        found.append(_table_view(table, first, face))
        first += len(table)
    return found


def _table_view(table: PublishedTable, first: int, face: FaceOf) -> TableView:
    split = max(1, len(table.dimensions) - 1)
    codes = table.codes if len(table.dimensions) > 1 else np.hstack([table.codes, np.zeros_like(table.codes)])
    above = table.labels[-1] if len(table.dimensions) > 1 else ("",)
    lines, starts, line_of = np.unique(codes[:, :split], axis=0, return_index=True, return_inverse=True)
    rank = np.argsort(np.argsort(starts))  # rows as they follow each other in the table
    shown = (rank[line_of] < _MOST_ROWS) & (codes[:, -1] < _MOST_COLUMNS)
    faces: list[list[Face | None]] = [[None] * len(above[:_MOST_COLUMNS]) for _ in lines[:_MOST_ROWS]]
    for place in np.flatnonzero(shown).tolist():
        faces[rank[line_of[place]]][codes[place, -1]] = face(table, place, first + place)
    labels = [table.coordinates(int(place))[:split] for place in np.sort(starts)[:_MOST_ROWS]]
    missing = [
        f"{number - most:,} more {things}"
        for number, most, things in ((len(lines), _MOST_ROWS, "rows"), (len(above), _MOST_COLUMNS, "columns"))
        if number > most
    ]
    return TableView(
        table.name,
        table.dimensions[:split],
        table.dimensions[-1] if len(table.dimensions) > 1 else "",
        above[:_MOST_COLUMNS],
        tuple(zip(labels, map(tuple, faces), strict=True)),
        " and ".join(missing),
    )


def _face(view: AuditView, table: PublishedTable, place: int, number: int) -> Face:
    lower, upper = int(table.lower[place]), int(table.upper[place])
    told = figure_text(lower, upper, view.publication.step)
    published = "withheld" if told == "any" else told
    labels = ", ".join(table.coordinates(place))
    if lower == upper or view.audit.ranges is None:
        return Face(published, "", "told", f"{labels}: published as {published}")
    cell = view.audit.cells[number]
    possible = figure_text(cell.lower, cell.upper, view.publication.step)
    if cell.disclosed:
        because = f", from {because_text(view.publication, cell, _TOLD_BY)}" * bool(cell.because)
        return Face(published, f"= {possible}", "disclosed", f"{labels}: {possible} for certain{because}")
    words = f"{labels}: {published}; possible: {possible}, {left_text(cell)}"
    return Face(published, possible, _shade(cell), words)


def _shade(cell: CellFinding) -> str:
    if not cell.decided:
        return "open"
    if cell.upper is None or cell.values is None:
        return "many"
    return next((name for name, most in _SHADES if cell.values <= most), "many")


def left_text(cell: CellFinding) -> str:
    """How much a figure leaves open; bits are rounded down."""
    if not cell.decided:
        return "not decided"
    if cell.upper is None:
        return "no limit"
    if cell.values is None:
        return "not counted"
    return f"{counted(cell.values, 'values')}, {kept_text(Bits(cell.values))} bits"


def status_of_tables(view: AuditView) -> Status:
    """The verdict in a word."""
    audit = view.audit
    if audit.inconsistent:
        return Status("bad", "Contradictory")
    if audit.violated:
        return Status("bad", "Disclosed" if view.leaks else "Not protected")
    if not audit.holds:
        return Status("partly", "Not decided")
    asked = audit.persons or audit.requirements or audit.contributors
    if not view.hidden.any() and not asked:
        return Status("void", "Nothing is withheld")
    return Status("good", "Nothing is disclosed")


def verdict_sentence(view: AuditView) -> str:
    """The verdict in a sentence, which begins with a small letter or a number."""
    if view.audit.inconsistent:
        return _contradiction(view.publication)
    return "; ".join([_about_figures(view), *_about_others(view.audit)]) + "."


def _contradiction(publication: Publication) -> str:
    if publication.kind == "count":
        return "no table of whole numbers fits all published figures."
    step, upper = publication.step, publication.told_upper
    if bool(np.any((publication.told_lower < upper) & (upper < UNBOUNDED))):
        declare = f"if true sums are finer than that, declare a smaller --step than {float(step):g}"
    else:
        declare = f"if sums were rounded, declare --rounded round:{float(step):g} --step {float(step / 10):g}"
    return f"no table of multiples of {float(step):g} fits all published figures; {declare}."


def _about_figures(view: AuditView) -> str:
    hidden, disclosed = int(view.hidden.sum()), len(view.leaks)
    if not hidden:
        return "every figure is published as it is, so there is nothing to infer"
    one = hidden == 1
    if disclosed:
        of = "the only" if one else f"{disclosed:,} of {hidden:,}"
        figures = f"withheld or rounded figure{'s' * (not one)}"
        return f"{of} {figures} {verb(disclosed, 'are')} known for certain"
    if not view.audit.decided:
        return "some figures are not decided: the time limit came first"
    if one:
        return "the only withheld or rounded figure is not known for certain"
    return f"none of the {hidden:,} withheld or rounded figures is known for certain"


def _about_others(audit: TabulationAudit) -> list[str]:
    broken = sum(each.holds is False for each in audit.requirements)
    groups = sum(each.group_disclosure or bool(each.to_members) for each in audit.persons)
    knowing = sum(bool(each.learns) for each in audit.contributors)
    close = sum(bool(each.estimates) for each in audit.contributors)
    found = [
        (broken, f"{counted(broken, 'figures')} {verb(broken, 'break')} a rule"),
        (groups, f"{counted(groups, 'groups')} of people {verb(groups, 'are')} at risk"),
        (knowing, f"{counted(knowing, 'contributors')} {verb(knowing, 'learn')} withheld figures"),
        (close, f"{counted(close, 'contributors')} {verb(close, 'estimate')} another's amount too well"),
    ]
    return [words for number, words in found if number]


def because_text(publication: Publication, cell: CellFinding | Breach, most: int = 6) -> str:
    """The published figures that tell one, with what is published of each; totals first, zeros last."""
    alone, told = len(publication.tables) == 1, _told_by_name(publication)
    groups = {label for each in publication.classifications for label in each.groups}
    names = [name for name in cell.because if name != cell.of]
    ordered = sorted(names, key=lambda name: (groups.isdisjoint(name[1]), told[name] == "0"))
    words = " · ".join(f"{name_text(name, alone=alone)} ({told[name]})" for name in ordered[:most])
    return f"{words} · {len(names) - most} more" if len(names) > most else words


@cache
def _told_by_name(publication: Publication) -> Mapping[RowName, str]:
    ends = zip(publication.told_lower.tolist(), publication.told_upper.tolist(), strict=True)
    texts = (figure_text(lower, upper, publication.step) for lower, upper in ends)
    return dict(zip(publication.row_names, texts, strict=True))


@dataclass(frozen=True)
class ReportPart:
    """A list of findings: a title, words about it, and a table.

    Attributes:
        id: its anchor on a page.
        title: what it is about.
        text: what its rows mean.
        heads: the names of the columns.
        rows: the rows.
        numbers: the columns of numbers.
    """

    id: str
    title: str
    text: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numbers: tuple[int, ...] = ()


def report_parts(view: AuditView) -> list[ReportPart]:
    """Rules that are not kept, groups of people and contributors at risk."""
    parts = (part(view.audit, view.alone) for part in (_rules, _groups, _contributors, _estimates))
    return [part for part in parts if part.rows]


def _rules(audit: TabulationAudit, alone: bool) -> ReportPart:
    rows = tuple(
        (name_text(each.of, alone=alone), each.rule, "not decided" if each.holds is None else "not kept")
        for each in audit.requirements
        if not each.holds
    )
    return ReportPart(
        "rules",
        "Rules that are not kept",
        "What is published leaves less open about these figures than the rules want.",
        ("Figure", "Rule", "Result"),
        rows,
    )


def _groups(audit: TabulationAudit, alone: bool) -> ReportPart:
    rows = tuple(
        (name_text(each.of, alone=alone), ", ".join(each.possible), _fear(each))
        for each in audit.persons
        if each.group_disclosure or each.to_members
    )
    return ReportPart(
        "groups",
        "Groups of people at risk",
        "Who is known to be in such a group has no secret left, or loses it to another member.",
        ("Group", "Possible", "Risk"),
        rows,
    )


def _fear(found: PersonFinding) -> str:
    if found.group_disclosure:
        return "everyone in it has the same"
    return f"somebody with {' or '.join(found.to_members)} knows what all others have"


def _contributors(audit: TabulationAudit, alone: bool) -> ReportPart:
    rows = tuple(
        (" and ".join(each.who), " · ".join(name_text(name, alone=alone) for name in each.learns))
        for each in audit.contributors
        if each.learns
    )
    return ReportPart(
        "contributors",
        "Contributors who learn of others",
        "By subtracting what is their own, these contributors know figures exactly that are withheld.",
        ("Contributor", "Learns"),
        rows,
    )


def _estimates(audit: TabulationAudit, alone: bool) -> ReportPart:
    rows = tuple(
        (" and ".join(each.who), " · ".join(name_text(one.of, alone=alone) for one in each.estimates))
        for each in audit.contributors
        if each.estimates
    )
    return ReportPart(
        "estimates",
        "Contributors who estimate another's amount",
        "By subtracting what is their own, these contributors bound another's amount more closely than the "
        "rules allow.",
        ("Contributor", "In"),
        rows,
    )


def contradiction_rows(view: AuditView) -> list[tuple[str, str]]:
    """The figures of a smallest contradiction, and what is published of each."""
    told = _told_by_name(view.publication) if view.audit.inconsistent else {}
    return [(name_text(name, alone=view.alone), told[name]) for name in view.audit.inconsistent]
