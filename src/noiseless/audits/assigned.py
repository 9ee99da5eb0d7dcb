"""Which rule goes to which column: `age=round:5`, `min-cell:10`, `pay=p-percent:10`."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from noiseless.errors import ColumnError, RequestError
from noiseless.mechanisms.rules import Coarsening, Dominance, MinCell, Rule, rule

Rules = str | Rule | Sequence[str | Rule] | Mapping[str, str | Rule | Sequence[str | Rule]]
"""Rules as a caller may give them: one or several, as text or parsed, or those of each column."""


@dataclass(frozen=True)
class Assigned:
    """A rule and the column that it is applied to.

    Attributes:
        rule: the rule.
        column: the column; None for a least size of groups.
    """

    rule: Rule
    column: str | None

    @property
    def text(self) -> str:
        """As it is written."""
        return self.rule.text if self.column is None else f"{self.column}={self.rule.text}"

    def to_dict(self) -> dict[str, Any]:
        """As it is in JSON."""
        return {"rule": self.rule.text, "column": self.column, "statement": self.rule.statement}


@dataclass(frozen=True)
class Roles:
    """The columns that a rule may name."""

    sensitive: tuple[str, ...]
    public: tuple[str, ...]
    given: tuple[str, ...]
    unit: str | None


def assign(rules: Rules, roles: Roles, releases: int = 1) -> tuple[Assigned, ...]:
    """Parse rules, and find the column of each.

    Args:
        rules: one or several rules.
        roles: the columns that are asked for.
        releases: how many releases are audited together.

    Raises:
        RequestError: a rule cannot be read, its column is not named and not clear, or it is about totals and
            there are several releases, each with totals of its own.
        ColumnError: it names a column that it cannot be applied to.
    """
    found = tuple(_assigned(column, parsed, roles) for column, parsed in _pairs(rules))
    if not found:
        raise RequestError("no rule is given; name one (--rule COLUMN=round:5), or leave --rule out")
    for item in found:
        if isinstance(item.rule, Dominance) and releases > 1:
            raise RequestError(f"{item.text} is about the totals of one release; audit each by itself")
    return found


def _pairs(rules: Rules) -> Iterator[tuple[str | None, Rule]]:
    if isinstance(rules, Mapping):
        for column, wanted in rules.items():
            for item in [wanted] if isinstance(wanted, str | Rule) else wanted:
                yield column, item if isinstance(item, Rule) else rule(item)
        return
    for item in [rules] if isinstance(rules, str | Rule) else rules:
        if isinstance(item, Rule):
            yield None, item
            continue
        column, equals, text = item.rpartition("=")
        if equals and not column.strip():
            raise RequestError(f"{item!r} names no column before the =; write COLUMN={text}")
        yield column.strip() or None, rule(text.strip())


def _assigned(column: str | None, parsed: Rule, roles: Roles) -> Assigned:
    if isinstance(parsed, MinCell) and column is None:  # with a column it is about that column's counts
        return Assigned(parsed, None)
    if isinstance(parsed, Dominance):
        return Assigned(parsed, _sensitive(column, parsed, roles))
    if isinstance(parsed, Coarsening):
        return Assigned(parsed, _public(column, parsed, roles))
    raise TypeError(parsed)


def _public(column: str | None, parsed: Rule, roles: Roles) -> str:
    if column is None:
        if len(roles.public) == 1:
            return roles.public[0]
        raise RequestError(f"{parsed.text} names no column; write --rule COLUMN={parsed.text}")
    if column in roles.sensitive:
        raise ColumnError(
            column, "is sensitive: nobody sees it, so coarsening it hides nothing; name a public column"
        )
    if column in roles.given:
        raise ColumnError(column, "is known from elsewhere, and no rule changes that; name a public column")
    if column not in roles.public:
        raise ColumnError(column, f"is not public; a rule changes what is seen (--public {column})")
    return column


def _sensitive(column: str | None, parsed: Rule, roles: Roles) -> str:
    if column is None:
        if len(roles.sensitive) == 1:
            return roles.sensitive[0]
        raise RequestError(f"{parsed.text} does not say what is added up; write --rule COLUMN={parsed.text}")
    if column not in roles.sensitive:
        raise ColumnError(column, f"is not sensitive; {parsed.text} is about totals of a column to protect")
    return column
