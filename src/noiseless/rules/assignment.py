"""Which rule goes to which column: `age=round:5`, `min-cell:10`, `pay=p-percent:10`."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from noiseless.errors import ColumnError, RequestError
from noiseless.rules.base import Coarsening, Dominance, Rule
from noiseless.rules.catalogue import KINDS, rule
from noiseless.rules.counts import MinCell
from noiseless.rules.recoding import Prefix
from noiseless.tables.base import Roles

Rules = str | Rule | Sequence[str | Rule] | Mapping[str, str | Rule | Sequence[str | Rule]]
"""Rules as a caller may give them: one or several, as text or parsed, or those of each column."""


@dataclass(frozen=True)
class AssignedRule:
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
        return {"rule": self.rule.text, "column": self.column, "statement": self.statement}

    @property
    def statement(self) -> str:
        """What it does here, in one plain sentence."""
        if isinstance(self.rule, MinCell) and self.column is None:
            few = f"Rows in groups of fewer than {self.rule.least:,} are withheld"
            return f"{few}: their public columns are published as *."
        return self.rule.statement


def assign(rules: Rules, roles: Roles, releases: int = 1) -> tuple[AssignedRule, ...]:
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
    found = tuple(_assigned(column, parsed, roles) for column, parsed in _pairs(rules, roles))
    if not found:
        raise RequestError("no rule is given; name one (--rule COLUMN=round:5), or leave --rule out")
    for item in found:
        if isinstance(item.rule, Dominance) and releases > 1:
            raise RequestError(f"{item.text} is about the totals of one release; audit each separately")
    return found


def read_as_text(assigned: Sequence[AssignedRule]) -> tuple[str, ...]:
    """The columns whose first rule is about how they are written: codes such as 250.01 are no numbers."""
    first: dict[str, Rule] = {}
    for item in assigned:
        if item.column is not None:
            first.setdefault(item.column, item.rule)
    return tuple(column for column, parsed in first.items() if isinstance(parsed, Prefix))


def _pairs(rules: Rules, roles: Roles) -> Iterator[tuple[str | None, Rule]]:
    if isinstance(rules, Mapping):
        for column, wanted in rules.items():
            for item in _listed(wanted):
                yield column, rule(item)
        return
    for item in _listed(rules):
        named, text = (None, item) if isinstance(item, Rule) else _parted(item, roles)
        yield named, rule(text)


def _listed(rules: str | Rule | Sequence[str | Rule]) -> Sequence[str | Rule]:
    """One or several rules as several.

    Raises:
        RequestError: something else is among them.
    """
    found = [rules] if isinstance(rules, str | Rule) else rules
    if not isinstance(found, Sequence) or not all(isinstance(item, str | Rule) for item in found):
        raise RequestError('a rule is a text such as "age=round:5", or a list of such texts')
    return found


def _parted(item: str, roles: Roles) -> tuple[str | None, str]:
    """The column and the rule of COLUMN=RULE; a column's name may hold = too, and so may a slip in a rule."""
    ends = [place for place, letter in enumerate(item) if letter == "="]
    begins = [place for place in ends if _is_rule(item[place + 1 :])] or ends[-1:]
    if not begins:
        _refuse_a_column(item, roles)
        return None, item.strip()
    column, text = item[: begins[0]].strip(), item[begins[0] + 1 :].strip()
    if not column:
        raise RequestError(f"{item!r} names no column before the =; write COLUMN={text}")
    if not text:
        raise RequestError(f"{item!r} names no rule after the =; write {column}=round:5 or the like")
    return column, text


def _is_rule(text: str) -> bool:
    """Whether a text begins as a rule does."""
    name = text.partition(":")[0].strip().lower()
    return name in KINDS or name.replace("/", "", 1).isdecimal()


def _refuse_a_column(item: str, roles: Roles) -> None:
    """Refuse what begins with a column and not with a rule, and say how it is written.

    Raises:
        RequestError: it does.
    """
    if not item.strip():
        raise RequestError("a rule is empty; write --rule COLUMN=round:5, or leave it out")
    name, _, rest = (part.strip() for part in item.partition(":"))
    if not _is_rule(item) and name in (*roles.public, *roles.sensitive, *roles.given):
        wanted = rest if _is_rule(rest) else "round:5"
        raise RequestError(f"{item.strip()!r} names a column and no rule; write {name}={wanted}")


def _assigned(column: str | None, parsed: Rule, roles: Roles) -> AssignedRule:
    if isinstance(parsed, MinCell) and column is None:  # with a column it is about that column's counts
        return AssignedRule(parsed, None)
    if isinstance(parsed, Dominance):
        return AssignedRule(parsed, _sensitive(column, parsed, roles))
    if isinstance(parsed, Coarsening):
        return AssignedRule(parsed, _public(column, parsed, roles))
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
        raise ColumnError(column, f"is not public; {_meant(column, roles.public, '--public')}")
    return column


def _sensitive(column: str | None, parsed: Rule, roles: Roles) -> str:
    if column is None:
        if len(roles.sensitive) == 1:
            return roles.sensitive[0]
        raise RequestError(f"{parsed.text} does not say what is added up; write --rule COLUMN={parsed.text}")
    if column not in roles.sensitive:
        about = f"is not sensitive; {parsed.text} is about totals of a column to protect"
        raise ColumnError(column, f"{about}: {_meant(column, roles.sensitive, '--sensitive')}")
    return column


def _meant(column: str, known: Sequence[str], option: str) -> str:
    """The name that is probably meant, or how to make a column what it is not."""
    folded = {name.casefold(): name for name in known}
    if close := get_close_matches(column.casefold(), folded, n=1, cutoff=0.75):
        return f"did you mean {folded[close[0]]!r}?"
    why = "a rule changes what is seen" if option == "--public" else "name it so"
    return f"{why} ({option} {column})"
