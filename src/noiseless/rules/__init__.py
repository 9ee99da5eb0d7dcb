"""Practitioners' disclosure rules, as the deterministic mechanisms that they are."""

from noiseless.rules.base import Coarsening, Dominance, NumberCoarsening, Rule
from noiseless.rules.catalogue import EXAMPLES, KINDS, rule
from noiseless.rules.coding import Bottom, Top
from noiseless.rules.counts import CensusCounts, MinCell
from noiseless.rules.dates import DatePeriod
from noiseless.rules.digits import Digits
from noiseless.rules.dominance import NK, Customers, PPercent
from noiseless.rules.rounding import Round
from noiseless.rules.texts import Prefix

__all__ = [
    "EXAMPLES",
    "KINDS",
    "NK",
    "Bottom",
    "CensusCounts",
    "Coarsening",
    "Customers",
    "DatePeriod",
    "Digits",
    "Dominance",
    "MinCell",
    "NumberCoarsening",
    "PPercent",
    "Prefix",
    "Round",
    "Rule",
    "Top",
    "rule",
]
