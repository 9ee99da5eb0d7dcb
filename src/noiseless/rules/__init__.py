"""Practitioners' disclosure rules, as the deterministic mechanisms that they are."""

from noiseless.rules.base import Coarsening, Dominance, NumberCoarsening, Rule
from noiseless.rules.catalogue import EXAMPLES, KINDS, rule
from noiseless.rules.counts import CensusCounts, MinCell
from noiseless.rules.dominance import NK, Customers, PPercent
from noiseless.rules.recoding import Bottom, DatePeriod, Prefix, Top
from noiseless.rules.rounding import Digits, Round

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
