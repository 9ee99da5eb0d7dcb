"""Practitioners' disclosure rules, as the deterministic mechanisms that they are."""

from noiseless.mechanisms.rules.base import Coarsening, Dominance, NumberCoarsening, Rule
from noiseless.mechanisms.rules.catalogue import EXAMPLES, KINDS, rule
from noiseless.mechanisms.rules.coding import Bottom, Top
from noiseless.mechanisms.rules.counts import CensusCounts, MinCell
from noiseless.mechanisms.rules.dates import DatePeriod
from noiseless.mechanisms.rules.digits import Digits
from noiseless.mechanisms.rules.dominance import NK, Customers, PPercent
from noiseless.mechanisms.rules.rounding import Round
from noiseless.mechanisms.rules.texts import Prefix

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
