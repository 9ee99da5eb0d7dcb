"""What would mend most of what an audit found: blanks, and a few rows that could be suppressed."""

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from noiseless.display import counted, percent_above, verb
from noiseless.tables.coding import DictionaryCoding
from noiseless.tables.stray_rows import stray_dates, stray_numbers
from noiseless.tables.written_forms import misread_letters, mostly_dates, mostly_numbers, written_form

if TYPE_CHECKING:
    from noiseless.audits.table_audit import TableAudit

_FEW = Fraction(1, 10)
"""Suppressing a larger share of the rows is not proposed."""


def remedies(audit: "TableAudit") -> Iterator[str]:
    """Sentences about what causes most of the damage, for the sensitive column that fares worst."""
    if audit.table.notice:
        yield f"{audit.table.notice[0].upper()}{audit.table.notice[1:]}."
    yield from _written(audit)
    if audit.worst.sensitive_values > 1 and audit.ruling is None:
        yield from _blanks(audit)
        yield from _suppression(audit)


def _written(audit: "TableAudit") -> Iterator[str]:
    """The columns whose numbers or dates count as texts, and those of words in a wrong encoding."""
    for column in (*audit.sensitive, *audit.given, *audit.public):
        coding = audit.tally.coding(column)
        if not isinstance(coding, DictionaryCoding):
            continue
        if stray := misread_letters(coding.values):
            yield f"{column} {stray}."
        for strays in stray_numbers(audit.table, [column] * mostly_numbers(coding.values)).values():
            yield (
                f"{column} holds numbers except in {strays}, and is taken as texts: blank or mend those rows."
            )
        for dates in stray_dates(audit.table, [column] * mostly_dates(coding.values)).values():
            yield f"{column} {dates.words}, and is taken as texts: {dates.remedy}."
        if form := written_form(coding.values):
            yield (
                f"{column} holds {form.what}, read as texts: two spellings of one value count as two. "
                f"Add {form.options} to read them."
            )


def _blanks(audit: "TableAudit") -> Iterator[str]:
    """The public column whose missing values are behind most disclosures, where one is."""
    census, groups = audit.worst.census, audit.tally.project(audit.seen)
    exposed = census.joint.posterior_sizes == 1
    total = census.heads_in(exposed)
    if not total:
        return
    blank = {column: census.heads_in(exposed & (groups.codes(column) == 0)) for column in audit.public}
    column = max(blank, key=lambda name: blank[name])
    if 2 * blank[column] > total:
        yield (
            f"{blank[column]:,} of the {counted(total, audit.heads)} given away "
            f"{verb(blank[column], 'have')} no {column}: a blank singles rows out like any other value. "
            "Fill the blanks in, or leave these rows out (--missing drop)."
        )


def _suppression(audit: "TableAudit") -> Iterator[str]:
    """How few rows to suppress for twice as many values left: one bit less leaks.

    The suppressed rows are one group, `*` in every public column, and count like any other.
    """
    census, joint = audit.worst.census, audit.worst.census.joint
    target = 2 * audit.worst.min_posterior
    if audit.given or target > audit.worst.sensitive_values:
        return
    chosen = joint.posterior_sizes < target
    few, all_heads = census.heads_in(chosen), audit.persons
    together = len(np.unique(joint.x[chosen[joint.y]]))
    if chosen.all() or together < target or Fraction(few, all_heads) > _FEW:
        return
    yield (
        f"{counted(few, audit.heads)} ({percent_above(Fraction(few, all_heads))}) "
        f"{verb(few, 'cause')} the worst of it: with them suppressed, every group would leave at least "
        f"{target:,} values of {audit.worst.name} (noiseless release --min-posterior {target} --suppress "
        f"{math.ceil(Fraction(few * 1000, all_heads)) / 1000:g})."
    )
