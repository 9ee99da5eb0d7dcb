"""All rules, and how their texts are read."""

from collections.abc import Callable, Mapping
from difflib import get_close_matches

from noiseless.errors import RequestError
from noiseless.rules.base import Rule, read_number, read_whole
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

_Made = Callable[[list[str]], Rule]


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
    if name not in _MAKERS:
        close = get_close_matches(name, [*_MAKERS, "15/15"], n=1)
        meant = f"did you mean {close[0]!r}? There" if close else "there"
        forms = ", ".join(sorted(kind.form for kind in KINDS.values()))
        raise RequestError(f"no rule is called {name!r}; {meant} are {forms}")
    fewest, most, make = _MAKERS[name]
    if not fewest <= len(parameters) <= most or not all(parameters):
        raise RequestError(f"the rule is written {KINDS[name].form}, not {text.strip()!r}")
    return make(parameters)


def _round(parameters: list[str]) -> Rule:
    base = read_number(parameters[0], Round.form)
    return Round(base, *parameters[1:])  # type: ignore[arg-type]  # the rule checks its direction


def _min_cell(parameters: list[str]) -> Rule:
    if parameters[1:] not in ([], ["zeros"]):
        raise RequestError(f"the rule is written {MinCell.form}; the last word is zeros or none")
    return MinCell(read_whole(parameters[0], MinCell.form), zeros=len(parameters) > 1)


def _nk(parameters: list[str]) -> Rule:
    return NK(read_whole(parameters[0], NK.form), read_number(parameters[1], NK.form))


def _customers(parameters: list[str]) -> Rule:
    return Customers(read_whole(parameters[0], Customers.form), read_number(parameters[1], Customers.form))


_MAKERS: Mapping[str, tuple[int, int, _Made]] = {
    "round": (1, 2, _round),
    "digits": (1, 1, lambda given: Digits(read_whole(given[0], Digits.form))),
    "census-counts": (0, 0, lambda _: CensusCounts()),
    "top": (1, 1, lambda given: Top(read_number(given[0], Top.form))),
    "bottom": (1, 1, lambda given: Bottom(read_number(given[0], Bottom.form))),
    "date": (1, 1, lambda given: DatePeriod(given[0])),  # type: ignore[arg-type]  # the rule checks it
    "prefix": (1, 1, lambda given: Prefix(read_whole(given[0], Prefix.form))),
    "min-cell": (1, 2, _min_cell),
    "nk": (2, 2, _nk),
    "p-percent": (1, 1, lambda given: PPercent(read_number(given[0], PPercent.form))),
    "customers": (2, 2, _customers),
}
"""How many parameters each takes, and how it is made of them."""

KINDS: Mapping[str, type[Rule]] = {
    kind.name: kind
    for kind in (
        Round,
        Digits,
        CensusCounts,
        Top,
        Bottom,
        DatePeriod,
        Prefix,
        MinCell,
        NK,
        PPercent,
        Customers,
    )
}
"""The rules by name."""
