"""Tables after tables: is everything that was promised still true when one more is published?

All tables of one population are one publication, whenever they appear. A new one is refused if it breaks what
was promised of it or of those before it; what was broken already before it came is said, and not held against
it.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import inf
from typing import Any

import numpy as np

from noiseless.display import Shown, counted
from noiseless.tabulations.audit import TabulationAudit
from noiseless.tabulations.audit import audit_tables as audit_publication
from noiseless.tabulations.hitting_set import (
    MOST_ROUNDS,
    Clause,
    TableCoarsening,
    cheapest,
    withholdable,
    withholding,
    without,
)
from noiseless.tabulations.integer_program import Deadline
from noiseless.tabulations.magnitudes import ContributorAmounts
from noiseless.tabulations.promise import (
    Breach,
    PromiseStanding,
    PublicationPromise,
    shortened,
    standing,
)
from noiseless.tabulations.publication import Publication, RowName
from noiseless.tabulations.union import PublicationPart, union

_SHORTENED = 10
"""Breaches of which the figures that tell them are as few as can be."""

Recount = Callable[[Publication], ContributorAmounts | None]
"""Who contributes what to the base cells of a publication."""


@dataclass(frozen=True, eq=False)
class PromisedPublication:
    """Tables with what is promised of them.

    Attributes:
        part: the tables.
        promise: what must stay true of their figures; None if nothing is promised.
    """

    part: PublicationPart
    promise: PublicationPromise | None


@dataclass(frozen=True, repr=False, eq=False)
class TableCheck(Shown):
    """Whether a table may follow those before it.

    Attributes:
        audit: of all tables together, the new ones last.
        earlier: the publications before it.
        new: the one that was checked.
        breaches: what the new one breaks.
        before: what was broken already, and not by it.
        decided: whether all is known.
        coarsening: what the new one could withhold so that all holds; None if that was not looked for.
        notes: what was assumed.
        entry: its entry in the ledger, if it is recorded.
    """

    audit: TabulationAudit
    earlier: tuple[PromisedPublication, ...]
    new: PromisedPublication
    breaches: tuple[Breach, ...] = ()
    before: tuple[Breach, ...] = ()
    decided: bool = True
    coarsening: TableCoarsening | None = None
    notes: tuple[str, ...] = ()
    entry: int | None = None

    @property
    def inconsistent(self) -> tuple[RowName, ...]:
        """Figures that contradict each other, none of which can be left out."""
        return self.audit.inconsistent

    @property
    def refused(self) -> bool:
        """Whether it is proved that the new publication breaks a promise."""
        return bool(self.breaches)

    @property
    def holds(self) -> bool:
        """Whether it is proved that it breaks none."""
        return self.decided and not self.refused and not self.inconsistent

    def to_dict(self) -> dict[str, Any]:
        """As it is in JSON."""
        return {
            "population": self.audit.publication.population,
            "earlier": [each.part.entry for each in self.earlier if each.part.entry is not None],
            "tables": [table.name for table in self.new.part.publication.tables],
            "promise": None if self.new.promise is None else self.new.promise.to_json(),
            "breaches": [each.to_dict() for each in self.breaches],
            "broken_before": [each.to_dict() for each in self.before],
            "coarsening": None if self.coarsening is None else self.coarsening.to_dict(),
            "inconsistent": [{"table": table, "labels": list(labels)} for table, labels in self.inconsistent],
            "holds": self.holds,
            "refused": self.refused,
            "decided": self.decided,
            "entry": self.entry,
            "notes": list(self.notes),
        }

    def _shown(self) -> tuple[str, dict[str, str]]:
        verdict = "refused" if self.refused else "holds" if self.holds else "not decided"
        return "Check of a table against those before it", {
            "earlier": counted(len(self.earlier), "publications"),
            "breaches": f"{len(self.breaches):,}",
            "verdict": "contradiction" if self.inconsistent else verdict,
            "entry": "not recorded" if self.entry is None else str(self.entry),
        }


class Succession:
    """Publications in their order, and one that is to follow them.

    Args:
        earlier: those before it.
        new: the one to be checked.
        recount: who contributes what; None without records.
        deadline: when work is given up.
    """

    def __init__(
        self,
        earlier: Sequence[PromisedPublication],
        new: PromisedPublication,
        recount: Recount | None,
        deadline: Deadline,
    ) -> None:
        self.earlier, self.new, self.recount, self.deadline = tuple(earlier), new, recount, deadline

    def check(self, *, offer: bool = True) -> TableCheck:
        """Whether all promises hold, and if not what the new publication could withhold."""
        audit = self._audit((*self.earlier, self.new))
        found = TableCheck(audit, self.earlier, self.new)
        if audit.inconsistent:
            return found
        stands = self._standing(audit, (*self.earlier, self.new))
        before = tuple(each for each in stands.breaches if self._stood_before(each))
        broken = tuple(each for each in stands.breaches if each not in before)
        shown = (*(shortened(audit, each) for each in broken[:_SHORTENED]), *broken[_SHORTENED:])
        found = replace(found, breaches=shown, before=before, decided=stands.decided)
        return replace(found, coarsening=self._coarsening(shown)) if broken and offer else found

    def _audit(self, every: Sequence[PromisedPublication]) -> TabulationAudit:
        sharp = any(each.promise is not None and each.promise.needs_ends for each in every)
        limit = None if self.deadline.ends == inf else max(0.0, self.deadline.left)
        return audit_publication(union([each.part for each in every]), sharp=sharp, time_limit=limit)

    def _standing(self, audit: TabulationAudit, every: Sequence[PromisedPublication]) -> PromiseStanding:
        """How all promises stand; equal ones are looked at together."""
        records = None if self.recount is None else self.recount(audit.publication)
        by_promise = dict[str, tuple[PublicationPromise, set[str]]]()
        for each in every:
            if each.promise is None:
                continue
            _, names = by_promise.setdefault(str(each.promise.to_json()), (each.promise, set()))
            names |= each.part.table_names
        found = [standing(audit, promise, names, records) for promise, names in by_promise.values()]
        return PromiseStanding(
            tuple(breach for each in found for breach in each.breaches), all(each.decided for each in found)
        )

    def _stood_before(self, breach: Breach) -> bool:
        """Whether a breach of an earlier publication was there before the new one came."""
        return breach.of[0] not in self.new.part.table_names and (breach.of, breach.says) in self._stood

    @cached_property
    def _stood(self) -> frozenset[tuple[RowName, str]]:
        audit = self._audit(self.earlier)
        breaches = () if audit.inconsistent else self._standing(audit, self.earlier).breaches
        return frozenset((each.of, each.says) for each in breaches)

    # The least coarsening

    def _coarsening(self, broken: Sequence[Breach]) -> TableCoarsening:
        publication = self.new.part.publication
        chosen, least = self._withheld(broken)
        names = tuple(publication.row_name(row) for row in sorted(chosen or ()))
        dimensions = dict.fromkeys(name for table in publication.tables for name in table.dimensions)
        fit = [name for name in dimensions if self._breaches(without(publication, name)) == ()]
        return TableCoarsening(names, least, tuple(fit))

    def _breaches(self, publication: Publication | None) -> tuple[Breach, ...] | None:
        """What the new tables would break if they were published like this; None if that is not known."""
        if publication is None or self.deadline.over:
            return None
        every = (*self.earlier, replace(self.new, part=replace(self.new.part, publication=publication)))
        audit = self._audit(every)
        if audit.inconsistent:
            return None
        stands = self._standing(audit, every)
        broken = tuple(each for each in stands.breaches if not self._stood_before(each))
        return broken if broken or stands.decided else None

    def _withheld(self, broken: Sequence[Breach]) -> tuple[frozenset[int] | None, bool]:
        """The fewest figures of the new tables to be withheld, and whether that is proved; None if none help.

        Of several choices that are as small, the one that adds up the fewest base cells.
        """
        publication, clauses = self.new.part.publication, list[Clause]()
        sizes = np.diff(publication.rows.indptr).tolist()
        free, chosen, valid = withholdable(publication), frozenset[int](), True
        for _ in range(MOST_ROUNDS):
            valid &= all(each.stays for each in broken)
            clauses += self._clauses(broken, free - chosen, chosen)
            best, least = cheapest(clauses, lambda row: (1, sizes[row]))
            if best is None:
                return None, least and valid
            found = self._breaches(withholding(publication, best))
            if found is None:
                return None, False
            if not found:
                return best, least and valid
            broken, chosen = found, best
        return None, False

    def _clauses(
        self, broken: Sequence[Breach], published: frozenset[int], withheld: frozenset[int]
    ) -> Iterator[Clause]:
        """What a choice must meet that is better than the one that leaves these breaches."""
        number = {name: row for row, name in enumerate(self.new.part.publication.row_names)}
        for breach in broken:
            rows = frozenset(self._own[row] for row in breach.rows if row in self._own) & published
            about = number.get(breach.of)
            yield Clause(rows, about if about in withheld else None)

    @cached_property
    def _own(self) -> dict[int, int]:
        """The figures of the new tables among all, and their numbers there."""
        found, begin = dict[int, int](), 0
        for table in union([each.part for each in (*self.earlier, self.new)]).tables:
            if table.name in self.new.part.table_names:
                found |= {begin + place: len(found) + place for place in range(len(table))}
            begin += len(table)
        return found
