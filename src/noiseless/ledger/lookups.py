"""What some work on the books is going to look up, said beforehand: fetched together, for all who wait."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Lookups:
    """Keys of a dataset's books; looking up others is as right, and takes a round trip more.

    Attributes:
        questions: fingerprints of questions.
        grids: those of grids.
        people: those of who takes part.
        cells: public cells that may pay.
        analysts: who asks.
    """

    questions: frozenset[str] = frozenset()
    grids: frozenset[str] = frozenset()
    people: frozenset[str] = frozenset()
    cells: frozenset[str] = frozenset()
    analysts: frozenset[str] = frozenset()

    @property
    def fingerprints(self) -> Mapping[str, frozenset[str]]:
        """Fingerprints by kind."""
        return {"question": self.questions, "grid": self.grids, "people": self.people}

    def __or__(self, other: "Lookups") -> "Lookups":
        return Lookups(
            self.questions | other.questions,
            self.grids | other.grids,
            self.people | other.people,
            self.cells | other.cells,
            self.analysts | other.analysts,
        )
