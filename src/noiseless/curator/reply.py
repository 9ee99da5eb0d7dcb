"""What a batch comes to: its answers, what it costs, what is spent and what is left."""

from dataclasses import dataclass
from functools import cached_property
from math import floor
from typing import TYPE_CHECKING, Any

from noiseless.curator.answers import Answer, Result, plain
from noiseless.display import aligned, html_rows
from noiseless.exact import Bits
from noiseless.pricing.cost import Budget, Cost, most_outputs, remaining_bits

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, repr=False)
class Quote:
    """What a batch would cost: decided from public state alone.

    Attributes:
        results: the statements' columns and what each costs by itself; a quote has no rows.
        batch: what the batch costs, for those who pay most.
        rule: how that price came about.
        spent: what all batches cost so far (this one included, once it is answered), for those who paid most.
        budget: the dataset's budget; None without end.
        allowed: whether the batch is within the budget.
        warnings: what is not protected, if anything.
    """

    results: tuple[Result, ...]
    batch: Cost
    rule: str
    spent: Cost
    budget: Budget | None
    allowed: bool = True
    warnings: tuple[str, ...] = ()

    @cached_property
    def answers(self) -> tuple[Answer, ...]:
        """One for each number asked for; without the number in a quote."""
        return tuple(
            Answer(result.sql, name, {}, None, cost)
            for result in self.results
            for name, cost in zip(result.names, result.costs, strict=True)
            if cost is not None
        )

    @property
    def batch_bits(self) -> Bits:
        """What the batch costs, in exact bits."""
        return self.batch.bits

    @property
    def remaining(self) -> float | None:
        """Bits that are left, rounded down; None without end."""
        return remaining_bits(self.budget, self.spent)

    @property
    def remaining_outputs(self) -> int | None:
        """The most outputs that a batch about everybody may still have; None without end."""
        return None if self.budget is None else most_outputs(self.budget, self.spent)

    def to_dict(self) -> dict[str, Any]:
        """As it is in JSON."""
        return {
            "answers": [answer.to_dict() for answer in self.answers],
            "batch_bits": self.batch.upper,
            "batch_outputs": self.batch.outputs,
            "rule": self.rule,
            "spent": self.spent.upper,
            "spent_outputs": self.spent.outputs,
            "remaining": self.remaining,
            "remaining_outputs": self.remaining_outputs,
            "allowed": self.allowed,
            "warnings": list(self.warnings),
        }

    def __repr__(self) -> str:
        return "\n".join([self._title(), *(f"  {line}" for line in self._lines()), *self.warnings])

    def _repr_html_(self) -> str:
        told = [result.lines() for result in self.results if result.rows] or [self._prices()]
        return html_rows([], self._title()) + "".join(map(html_rows, told)) + html_rows([], "", self.warnings)

    def _title(self) -> str:
        verb = "would cost" if self.allowed else "would cost too much:"
        return f"the batch {verb} {self.batch} ({self.rule}); {self._account()}"

    def _account(self) -> str:
        left = "" if self.remaining is None else f", {floor(self.remaining * 100) / 100:.2f} bits are left"
        return f"{self.spent} are spent{left}"

    def _lines(self) -> list[str]:
        return [f"{column}: {cost}  {sql}" for column, cost, sql in self._prices()[1:]]

    def _prices(self) -> list[list[str]]:
        """What each number would cost by itself."""
        rows = ([one.column, "free" if one.free else str(one.cost), one.sql] for one in self.answers)
        return [["column", "by itself", "statement"], *rows]


@dataclass(frozen=True, repr=False)
class Reply(Quote):
    """The answers to a batch: each holds the truth for certain, and comes back unchanged and free.

    Attributes:
        results: the statements' rows.
    """

    @cached_property
    def answers(self) -> tuple[Answer, ...]:
        """All numbers, statement by statement and row by row."""
        return tuple(answer for result in self.results for answer in result.answers())

    def to_arrow(self) -> "pa.Table":
        """A frame: of one statement its rows; of several one row an answer, with the statement."""
        import pyarrow as pa

        if len(self.results) == 1:
            return self.results[0].to_arrow()
        groups = list(dict.fromkeys(name for answer in self.answers for name in answer.group))
        listed = [answer.to_dict() for answer in self.answers]
        columns = {name: [each[name] for each in listed] for name in ("sql", "column")}
        columns |= {name: [plain(answer.group.get(name)) for answer in self.answers] for name in groups}
        numbers = {name: [each[name] for each in listed] for name in ("value", "lower", "upper", "bits")}
        return pa.table(
            {
                **columns,
                **{name: pa.array(values, pa.float64()) for name, values in numbers.items()},
                "free": [answer.free for answer in self.answers],
            }
        )

    def to_pandas(self) -> Any:  # noqa: ANN401 - a pandas DataFrame
        """The frame in pandas, which must be installed."""
        return self.to_arrow().to_pandas()

    def to_polars(self) -> Any:  # noqa: ANN401 - a polars DataFrame
        """The frame in polars, which must be installed."""
        import polars as pl

        return pl.from_arrow(self.to_arrow())

    def _title(self) -> str:
        cost = "cost nothing" if self.batch == Cost() else f"cost {self.batch} ({self.rule})"
        return f"the answers {cost}; {self._account()}"

    def _lines(self) -> list[str]:
        return [line for result in self.results for line in aligned(result.lines())]
