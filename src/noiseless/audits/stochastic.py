"""What a release tells on average, by the frequencies of a table: section VI of [P3], beside the audit."""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from noiseless.display import Facts, Shown, counted
from noiseless.errors import RequestError
from noiseless.exact import Bits
from noiseless.theory.stochastic import (
    CertifiedNumber,
    JointDistribution,
    LocalPrivacy,
    common_information,
    local_dp_statement,
    local_privacy,
    maximal_leakage,
    mutual_information,
    realisable_leakage,
    renyi_switch,
)

if TYPE_CHECKING:
    from noiseless.audits.table_audit import TableAudit

MOST_PAIRS = 200_000
"""With more pairs of secrets and groups exact probabilities take minutes."""

RenyiStep = tuple[Fraction | float, CertifiedNumber | None, CertifiedNumber]


@dataclass(frozen=True, repr=False)
class StochasticAudit(Shown):
    """Measures that need probabilities, with the frequencies of the table for these.

    They are about somebody drawn from the table at random, and are no guarantee for anyone in it: an average
    can be small while one person is given away. With side information (`given`) they are what the public
    columns add to it, except the common information and local privacy, which are about all that is seen.

    Attributes:
        heads: how many rows (persons) the frequencies are of, in words.
        information: I(S;Y), Shannon's mutual information.
        common: K(S;Y), Gacs and Korner's common information: what every group tells for certain, on average.
        maximin: I*(S;Y), the largest that the common information can be for any probabilities.
        maximal: the maximal leakage of P(y|s).
        realisable: the maximal realisable leakage, log2 of by how much a group multiplies the chance of a
            guess: max P(s|y) / P(s).
        switch: for each order the largest Renyi divergence of a group, for S uniform (L0 at order 0; None
            with side information) and for S as frequent as in the table.
        local: what the release as a channel P(y|s) is as a mechanism of local differential privacy.
        statement: that in words.
    """

    heads: str
    information: CertifiedNumber
    common: CertifiedNumber
    maximin: Bits
    maximal: CertifiedNumber
    realisable: Bits
    switch: tuple[RenyiStep, ...]
    local: LocalPrivacy
    statement: str

    def to_dict(self) -> dict[str, Any]:
        """As it is in JSON: what is given away is rounded up, the lower bound on epsilon down."""
        return {
            "mutual_information": self.information.upper,
            "common_information": self.common.upper,
            "maximin": self.maximin.upper,
            "maximal_leakage": self.maximal.upper,
            "realisable_leakage": self.realisable.upper,
            "realisable_factor_exact": str(self.realisable.ratio),
            "renyi": [
                {
                    "order": str(order),
                    "uniform": None if even is None else even.upper,
                    "frequencies": own.upper,
                }
                for order, even, own in self.switch
            ],
            "local_dp": {
                "attainable": self.local.attainable,
                "epsilon_nats": self.local.epsilon_nats.upper,
                "epsilon_at_least_nats": self.local.lower_nats.lower,
                "epsilon_at_most_nats": self.local.upper_nats.upper,
                "statement": self.statement,
            },
        }

    @property
    def facts(self) -> dict[str, str]:
        """All of it in words."""
        rows = {
            "mutual information I(S;Y)": str(self.information),
            "common information K(S;Y)": f"{self.common} (never more than I* = {self.maximin})",
            "maximal leakage": str(self.maximal),
            "realisable leakage": f"{self.realisable}: a guess gets up to "
            f"{math.ceil(self.realisable.ratio * 100) / 100:g} times as likely",
        }
        for order, even, own in self.switch:
            first = "" if even is None else f"{even} if all values are as likely, "
            rows[f"Renyi divergence, order {order}"] = f"{first}{own} by frequencies"
        if self.local.attainable:
            rows["local privacy, epsilon"] = str(self.local.epsilon_nats)
        return {**rows, "local privacy": self.statement}

    def _shown(self) -> tuple[str, Facts]:
        return f"On average, by the frequencies of {self.heads} (no guarantee for anyone):", self.facts


def stochastic_audit(audit: "TableAudit") -> StochasticAudit:
    """The companions of section VI of [P3] for the sensitive columns of an audit, taken together.

    Raises:
        RequestError: there are too many pairs for exact probabilities.
    """
    census, given = audit.census, audit.side
    if len(census.joint) > MOST_PAIRS:
        raise RequestError(
            f"{len(census.joint):,} pairs of sensitive and public values are too many for exact "
            f"probabilities; take fewer or coarser columns, for at most {MOST_PAIRS:,} pairs"
        )
    pairs = census.joint
    joint = JointDistribution.from_counts(pairs.x, pairs.y, census.pair_counts)
    own = renyi_switch(joint, given=given)
    even = (None,) * len(own) if given is not None else tuple(v for _, v in renyi_switch(joint.with_prior()))
    local = local_privacy(joint)
    return StochasticAudit(
        heads=counted(audit.persons, audit.heads),
        information=mutual_information(joint, given),
        common=common_information(joint),
        maximin=local.maximin,
        maximal=maximal_leakage(joint, given),
        realisable=realisable_leakage(joint, given),
        switch=tuple(
            (order if isinstance(order, float) else Fraction(order), uniform, value)
            for (order, value), uniform in zip(own, even, strict=True)
        ),
        local=local,
        statement=local_dp_statement(pairs, ", ".join(audit.sensitive), "group"),
    )
