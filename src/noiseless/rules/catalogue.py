"""All rules, and how their texts are read."""

from collections.abc import Mapping
from difflib import get_close_matches

from noiseless.errors import RequestError
from noiseless.rules.base import Rule
from noiseless.rules.counts import CensusCounts, MinCell
from noiseless.rules.dominance import NK, Customers, PPercent
from noiseless.rules.recoding import Bottom, DatePeriod, Prefix, Top
from noiseless.rules.rounding import Digits, Round

EXAMPLES = (
    "round:5",
    "digits:4",
    "census-counts",
    "top:90",
    "bottom:10",
    "date:year",
    "prefix:3",
    "min-cell:11",
    "nk:2:85",
    "p-percent:10",
    "15/15",
)
"""One rule of each kind."""

_RULES = (Round, Digits, CensusCounts, Top, Bottom, DatePeriod, Prefix, MinCell, NK, PPercent, Customers)

KINDS: Mapping[str, type[Rule]] = {kind.name: kind for kind in _RULES}
"""The rules by name."""


def rule(text: str | Rule) -> Rule:
    """The rule that a text such as "round:5" or "15/15" describes, parameters read exactly.

    >>> rule("round:0.010").text, rule("customers:15:15").text, rule("min-cell:11:zeros").passes(0)
    ('round:0.01', '15/15', True)

    Args:
        text: a name and parameters, parted by colons; or a rule, which is returned as it is.

    Raises:
        RequestError: there is no such rule, or its parameters make no sense.
    """
    if isinstance(text, Rule):
        return text
    if not isinstance(text, str):
        raise RequestError('a rule is a text such as "round:5"')
    name, *parameters = (part.strip() for part in text.strip().lower().split(":"))
    if "/" in name and not parameters:
        name, parameters = "customers", name.split("/")
    if name not in KINDS:
        close = get_close_matches(name, [*KINDS, "15/15"], n=1)
        meant = f"did you mean {close[0]!r}? There" if close else "there"
        forms = ", ".join(sorted(kind.form for kind in KINDS.values()))
        raise RequestError(f"no rule is called {name!r}; {meant} are {forms}")
    return KINDS[name].parse(parameters, text.strip())
