"""A method of protection: it proposes what to publish, the least loss first. Others decide if that is safe.

No method is believed: each proposal goes through the exact audit, and is refused unless that holds.
"""

from collections.abc import Generator
from dataclasses import dataclass
from typing import Protocol

from noiseless.arrays import IntArray
from noiseless.tabulations.audit import TabulationAudit
from noiseless.tabulations.integer_program import Deadline
from noiseless.tabulations.protection.problem import TrueTables
from noiseless.tabulations.publication import Publication


@dataclass(frozen=True, eq=False)
class ProposedTables:
    """What might be published, and what it costs.

    Attributes:
        publication: all that would be published, over the same base cells as the true tables; groups may come
            to their classifications, and no label may go.
        loss: what is lost, in the method's own measure.
        bound: what every safe publication of this kind loses at least, proved; None if nothing is known.
        unit: what the loss counts, such as "figures withheld".
        words: what was done, in a phrase.
        written: how each figure is written, in the order of its publication; where it is None, exact figures
            stay as they were, and others are written as what they tell.
        shown: tables of base cells that fit what is published, as far as the method knows: those that do
            spare the audit work. They are not public.
        rounded: how figures are rounded, as readers declare it; nothing if they are not.
    """

    publication: Publication
    loss: float
    bound: float | None
    unit: str
    words: str
    written: tuple[str, ...] | None = None
    shown: IntArray | None = None
    rounded: str = ""

    @property
    def optimal(self) -> bool:
        """Whether nothing of this kind loses less."""
        return self.bound is not None and self.loss <= self.bound

    @property
    def gap(self) -> float | None:
        """How much of the loss might be saved, as a share; None if no bound is known."""
        if self.bound is None:
            return None
        return 0.0 if self.optimal else (self.loss - self.bound) / self.loss


class ImpossibleError(Exception):
    """Nothing of this kind is safe; the text says why, for people."""


class UndecidedError(Exception):
    """Nothing was found, and it is not proved that there is nothing; the text says why, for people."""


class ProtectionMethod(Protocol):
    """One way to protect tables.

    Attributes:
        name: what options call it.
    """

    name: str

    def proposals(
        self, tables: TrueTables, deadline: Deadline
    ) -> Generator[ProposedTables, TabulationAudit, None]:
        """Candidates, the best first; where the audit refuses one, it is sent back, and the next one taken.

        Raises:
            ImpossibleError: nothing of this kind can be safe.
            UndecidedError: time was up before anything was found.
        """
