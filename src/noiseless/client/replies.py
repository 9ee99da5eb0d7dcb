"""What a batch comes to: its answers, what it costs, what is spent and what is left."""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

from noiseless.client.answers import Answer, Result, read_result
from noiseless.client.frames import Framed, plain
from noiseless.client.numbers import Amount, rounded_down
from noiseless.client.reading import Members
from noiseless.display import aligned, html_rows, printable
from noiseless.exact import Bits

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
        remaining: bits that are left, rounded down; None without end.
        remaining_outputs: the most outputs that a batch about everybody may still have; None without end.
        allowed: whether the batch is within the budget.
        warnings: what is not protected, if anything.
        repeated: whether an earlier try of the same request was charged for already.
    """

    results: tuple[Result, ...]
    batch: Amount
    rule: str
    spent: Amount
    remaining: float | None
    remaining_outputs: int | None
    allowed: bool = True
    warnings: tuple[str, ...] = ()
    repeated: bool = False

    @cached_property
    def answers(self) -> tuple[Answer, ...]:
        """All numbers, statement by statement and row by row; without the number in a quote."""
        return tuple(answer for result in self.results for answer in result.answers)

    @property
    def batch_bits(self) -> Bits:
        """What the batch costs, in exact bits."""
        return self.batch.bits

    def __repr__(self) -> str:
        lines = [self._title(), *(f"  {line}" for line in self._lines()), *self.warnings]
        return "\n".join(map(printable, lines))

    def _repr_html_(self) -> str:
        told = [result.lines() for result in self.results if result.rows] or [self._prices()]
        return html_rows([], self._title()) + "".join(map(html_rows, told)) + html_rows([], "", self.warnings)

    def _title(self) -> str:
        verb = "would cost" if self.allowed else "would cost too much:"
        return f"the batch {verb} {self.batch} ({self.rule}); {self._account()}"

    def _account(self) -> str:
        left = "" if self.remaining is None else f", {rounded_down(self.remaining)} bits are left"
        return f"{self.spent} are spent{left}"

    def _lines(self) -> list[str]:
        return [f"{column}: {cost}  {sql}" for column, cost, sql in self._prices()[1:]]

    def _prices(self) -> list[list[str]]:
        """What each number would cost by itself."""
        rows = ([one.column, "free" if one.free else str(one.cost), one.sql] for one in self.answers)
        return [["column", "by itself", "statement"], *rows]


@dataclass(frozen=True, repr=False)
class Reply(Quote, Framed):
    """The answers to a batch: each holds the truth for certain, and comes back unchanged and free.

    Attributes:
        results: the statements' rows.
    """

    def to_arrow(self) -> "pa.Table":
        """A frame: of one statement its rows; of several one row an answer, with the statement."""
        import pyarrow as pa

        if len(self.results) == 1:
            return self.results[0].to_arrow()
        groups = list(dict.fromkeys(name for answer in self.answers for name in answer.group))
        numbers = [{**answer.numbers(), "bits": answer.bits} for answer in self.answers]
        return pa.table(
            {
                "sql": [answer.sql for answer in self.answers],
                "column": [answer.column for answer in self.answers],
                **{name: [plain(answer.group.get(name)) for answer in self.answers] for name in groups},
                **{
                    name: pa.array([each[name] for each in numbers], pa.float64())
                    for name in ("value", "lower", "upper", "bits")
                },
                "free": [answer.free for answer in self.answers],
            }
        )

    def _title(self) -> str:
        cost = "cost nothing" if self.batch == Amount() else f"cost {self.batch} ({self.rule})"
        return f"the answers {cost}; {self._account()}"

    def _lines(self) -> list[str]:
        return [line for result in self.results for line in aligned(result.lines())]


Kind = TypeVar("Kind", bound=Quote)


def read_reply(members: Members, kind: type[Kind]) -> Kind:
    """A reply to a batch.

    Raises:
        BadReply: it is not well formed.
    """
    return kind(
        results=tuple(map(read_result, members.objects("answers"))),
        batch=members.amount("batch_bits"),
        rule=members.text("rule"),
        spent=members.amount("spent"),
        remaining=members.number_or_none("remaining"),
        remaining_outputs=members.count_or_none("remaining_outputs"),
        allowed=members.flag("allowed") if "allowed" in members else True,
        warnings=members.texts("warnings"),
        repeated=members.flag("repeated") if "repeated" in members else False,
    )
