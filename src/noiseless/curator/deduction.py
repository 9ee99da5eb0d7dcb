"""What follows exactly from earlier answers: sums and differences of counts, of exact sums, and means.

Whether an answer follows is decided from the forms of the questions that were charged for, never from their
answers; docs/prices.md proves that it then tells nothing new. Questions are found by keys, a few for each
question that is asked: how many were asked before makes no difference.
"""

from collections.abc import Iterable, Iterator, Sequence

from noiseless.curator.claims import Claim, CountsClaim, Derivation, claim_of, claims_of, of_mean
from noiseless.curator.disclosure import CellDisclosure, Disclosure, Participants, StoredAnswer
from noiseless.ledger import Books, ChargedQuestion
from noiseless.questions.statistics import FilteredMean
from noiseless.work import spend

_KEY_STEPS, _PART_STEPS = 4, 40
"""What it takes to look a key up, and to look at a part of some people."""


class Deduction:
    """What follows from the questions in the books."""

    def __init__(self, books: Books) -> None:
        self._books = books
        self._rows: dict[str, list[ChargedQuestion]] = {}
        self._is_empty = True

    def keys(self, disclosures: Iterable[Disclosure]) -> set[str]:
        """What to look up first: without any of it nothing follows."""
        found: set[str] = set()
        for disclosure in disclosures:
            found.update(*map(self._probe, claims_of(disclosure)))
        spend(_KEY_STEPS * len(found))
        return found

    def learn(self, keys: Iterable[str], rows: Iterable[ChargedQuestion]) -> None:
        """What was found by some keys."""
        for key in keys:
            self._rows.setdefault(key, [])
        for told in rows:
            for found in {told.grid, told.people}:
                if found in self._rows:
                    self._rows[found].append(told)
                    self._is_empty = False

    def derivation(self, disclosure: Disclosure) -> Derivation | None:
        """How its answer follows from earlier ones; None if that is not found."""
        if self._is_empty:
            return None
        probes = (key for claim in claims_of(disclosure) for key in self._probe(claim))
        if not any(map(self._found, probes)):
            return None
        for way in (self._added_up, self._mean):
            found = way(disclosure)
            if found is not None:
                return found
        return None

    def counted(self, disclosure: Disclosure) -> list[ChargedQuestion]:
        """Counts of the same people and column: a person's block is known of each."""
        claim = None if self._is_empty else claim_of(disclosure)
        return self.rows(claim.own_keys) if isinstance(claim, CountsClaim) else []

    # Sums over people

    def _added_up(self, disclosure: Disclosure) -> Derivation | None:
        """Of these people alone, of the parts that they consist of, or of more people less the rest."""
        claim = claim_of(disclosure)
        if claim is None:
            return None
        for signed in self._ways(claim):
            self._fetch(key for _, people in signed for key in claim.keys(people))
            parts = [(sign, claim.known(self.rows, people)) for sign, people in signed]
            known = [(sign, part) for sign, part in parts if part is not None]
            if len(known) == len(parts):
                premises = {told.question: told for _, part in known for told in part.premises}
                numbers = [(sign, part.compute) for sign, part in known]
                return Derivation(tuple(premises.values()), lambda: claim.total(numbers))  # noqa: B023 - returned
        return None

    def _ways(self, claim: "Claim") -> Iterator[list[tuple[int, Participants]]]:
        people, kin = claim.people, claim.people.kin
        yield [(1, people)]
        if kin is None:
            return
        for split in kin.splits(people):
            if self._any(claim.keys(split.first)):
                spend(_PART_STEPS * len(split.parts))
                yield [(1, part) for part in split.parts]
        for whole in kin.wholes(people):
            if self._any(claim.keys(whole.people)):
                yield [(1, whole.people), (-1, whole.rest)]
                spend(_PART_STEPS * len(whole.others))
                yield [(1, whole.people), *((-1, part) for part in whole.others)]

    def _probe(self, claim: "Claim") -> list[str]:
        people, kin = claim.people, claim.people.kin
        found = list(claim.own_keys)
        if kin is not None:
            for split in kin.splits(people):
                found += claim.keys(split.first)
            for whole in kin.wholes(people):
                found += claim.keys(whole.people)
        return found

    # Means

    def _mean(self, disclosure: Disclosure) -> Derivation | None:
        """A mean over a private filter, of an exact sum and an exact count."""
        if not isinstance(disclosure, CellDisclosure) or disclosure.summed is None:
            return None
        added, query = disclosure.summed, disclosure.mechanism.query
        of_rows, of_values = of_mean(disclosure, added)
        counted, summed = (
            of_rows.known(self.rows, disclosure.people),
            of_values.known(self.rows, disclosure.people),
        )
        if counted is None or summed is None or not isinstance(query, FilteredMean):
            return None
        passing, quantizer = of_rows.passing, disclosure.mechanism.quantizer

        def mean() -> StoredAnswer:
            rows = counted.compute()["counts"][passing]
            if rows < query.least_group:
                return {"cell": None}
            total = added.query()
            value = total.least * total.people + total.unit * summed.compute()["position"]
            return {"cell": quantizer.cell(value / rows)}

        return Derivation((*counted.premises, *summed.premises), mean)

    # What is in the books

    def _fetch(self, keys: Iterable[str]) -> None:
        missing = [key for key in dict.fromkeys(keys) if key not in self._rows]
        if missing:
            spend(_KEY_STEPS * len(missing))
            self.learn(missing, self._books.told(grids=missing, people=missing))

    def rows(self, keys: Sequence[str]) -> list[ChargedQuestion]:
        """Questions with one of the keys."""
        self._fetch(keys)
        return [told for key in keys for told in self._rows[key]]

    def _found(self, key: str) -> bool:
        return bool(self._rows.get(key))

    def _any(self, keys: Sequence[str]) -> bool:
        self._fetch(keys)
        return any(map(self._found, keys))
