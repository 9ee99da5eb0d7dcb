"""What requests and responses look like, for the OpenAPI document; requests are checked by these too."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

Name = Annotated[str, StringConstraints(min_length=1, max_length=100, pattern=r"^[^\x00-\x1f\x7f]+$")]
Reach = Annotated[str, StringConstraints(min_length=1, max_length=3100)]
Ends = float | Literal["inf", "-inf"] | None
Role = Literal["owner", "analyst"]


class RequestBody(BaseModel):
    """A request's body."""

    model_config = ConfigDict(extra="forbid", strict=True)


class QueriesBody(RequestBody):
    """A batch of statements, which are priced and charged for together."""

    queries: Annotated[list[Annotated[str, StringConstraints(min_length=1)]], Field(min_length=1)]
    dry_run: bool = False
    key: Annotated[str, StringConstraints(min_length=1, max_length=200)] | None = Field(
        default=None, description="An idempotency key: a retry gets the cost of the first request."
    )


class BudgetBody(RequestBody):
    """A new budget for a dataset."""

    bits: Annotated[int, Field(ge=0, le=10_000)] | Annotated[float, Field(ge=0, le=10_000)] | Reach = Field(
        description='Bits, or "reach K" for exactly log2(K) bits; a decimal is best written as a text.'
    )
    reason: Annotated[str, StringConstraints(min_length=1, max_length=500, pattern=r"^[^\x00-\x1f\x7f]+$")]


class TokenBody(RequestBody):
    """A new token."""

    name: Name = Field(description="The holder's name; an analyst's account.")
    role: Role = "analyst"
    datasets: Annotated[list[Name], Field(min_length=1, max_length=100)] | None = Field(
        default=None, description="The datasets it is for; by default all that the caller owns."
    )
    expires: Annotated[str, StringConstraints(min_length=1, max_length=40)] | None = Field(
        default=None, description="A span such as 12h, 30d or 1y, or a date; null for never."
    )


class ResponseBody(BaseModel):
    """A response's body."""


class ErrorDetail(ResponseBody):
    """What is wrong and how to mend it."""

    code: str
    message: str
    details: dict[str, Any]


class Error(ResponseBody):
    """Every refusal looks like this."""

    error: ErrorDetail


class Session(ResponseBody):
    """Whose token it is."""

    name: str
    role: Role
    datasets: list[str]
    roles: dict[str, Role]
    expires: str | None


class Standing(ResponseBody):
    """What is spent and what is left, in bits; `_exact` are formulas."""

    spent: float
    spent_exact: str
    remaining: float | None
    remaining_exact: str | None
    remaining_outputs: str | None


class DatasetLine(Standing):
    """A dataset in a list."""

    name: str
    rows: int
    budget: float | None
    budget_exact: str | None
    version: int
    role: Role


class Datasets(ResponseBody):
    """All datasets that the token may see."""

    datasets: list[DatasetLine]


class ColumnInfo(ResponseBody):
    """What a column may hold."""

    model_config = ConfigDict(extra="forbid")

    name: str
    role: Literal["public", "private"]
    kind: Literal["number", "category", "boolean", "date"]
    size: int
    describe: str
    missing: bool | float | str | None
    bounds: list[float | str] | None = None
    bounds_exact: list[str] | None = None
    step: float | None = None
    step_exact: str | None = None
    categories: list[str | int] | None = None


class QueryInfo(ResponseBody):
    """A query that the owner declares; SELECT name() asks it."""

    model_config = ConfigDict(extra="forbid")

    name: str
    columns: list[str]
    definition: str


class Budgets(ResponseBody):
    """Budgets in bits; null without end."""

    bits: float | None
    bits_exact: str | None
    query_bits: float | None
    query_bits_exact: str | None
    analyst_bits: float | None
    analyst_bits_exact: str | None
    min_group: int | None


class Dataset(Standing):
    """All that an analyst may know of a dataset."""

    name: str
    version: int
    digest: str
    rows: int
    unit: str | None
    max_rows: int
    public_cells: int
    entropy_of_record: float
    columns: list[ColumnInfo]
    queries: list[QueryInfo]
    budget: Budgets
    analyst_spent: float
    analyst_spent_exact: str
    role: Role
    warnings: list[str]


class Number(ResponseBody):
    """One number of a reply: it certainly lies between lower and upper."""

    group: dict[str, bool | float | str]
    column: str
    value: float | None
    lower: Ends
    upper: Ends
    value_exact: str | None
    lower_exact: str | None
    upper_exact: str | None
    may_be_missing: bool


class OutputColumn(ResponseBody):
    """A column of a reply, and what it costs by itself; of a dry run also how sharp its answers would be."""

    name: str
    group: bool
    bits: float
    bits_exact: str
    free: bool
    worst_error: float | Literal["inf"] | None = None
    worst_error_exact: str | None = None
    may_be_missing: bool | None = None
    tells_nothing: bool | None = None
    derived_error: float | None = None
    derived_error_exact: str | None = None


class StatementReply(ResponseBody):
    """One statement and all of its numbers."""

    __qualname__ = "Statement"  # in the document
    model_config = ConfigDict(title="Statement")

    sql: str
    columns: list[OutputColumn]
    rows: list[Number]
    value: float | None
    lower: Ends
    upper: Ends
    bits: float
    bits_exact: str
    free: bool


class BatchReply(Standing):
    """The answers to a batch, or what it would cost."""

    __qualname__ = "Reply"  # in the document
    model_config = ConfigDict(title="Reply")

    answers: list[StatementReply]
    batch_bits: float
    batch_bits_exact: str
    rule: str
    warnings: list[str]
    dry_run: bool
    allowed: bool | None = None
    key: str | None = None
    repeated: bool | None = None


class Sample(ResponseBody):
    """Rows drawn from the declared domain."""

    rows: list[dict[str, bool | float | str]]
    seed: int
    synthetic: Literal[True]


class PastBatch(ResponseBody):
    """A batch as somebody asked it for the first time."""

    time: str
    analyst: str
    version: int
    sql: list[str]
    charge: int | None
    bits: float
    bits_exact: str
    answers: list[StatementReply] | None


class HistoryPage(ResponseBody):
    """Batches, the latest first."""

    __qualname__ = "History"  # in the document
    model_config = ConfigDict(title="History")

    batches: list[PastBatch]
    next: str | None


class LedgerEntry(ResponseBody):
    """One line of the ledger."""

    seq: int
    time: str
    dataset: str
    kind: str
    analyst: str | None
    body: dict[str, Any]
    previous: str
    hash: str


class LedgerPage(ResponseBody):
    """Entries in their order."""

    __qualname__ = "Ledger"  # in the document
    model_config = ConfigDict(title="Ledger")

    entries: list[LedgerEntry]
    spent: float
    spent_exact: str
    analysts: dict[str, float]
    next: int | None
    chain_ok: bool | None
    head: str


class ExposedClass(ResponseBody):
    """A class of equal rows; its number tells nothing."""

    number: int
    rows: int
    outputs: str
    bits: float
    possible: str


class ExposureBin(ResponseBody):
    """How many rows could have caused this many outputs."""

    bits: float
    outputs: str
    rows: int


class PersonsBin(ResponseBody):
    """How many persons could have caused this many outputs at most."""

    bits: float
    outputs: str
    persons: int


class ExposureReport(ResponseBody):
    """How much of whom the answers given so far can tell, without saying who."""

    __qualname__ = "Exposure"  # in the document
    model_config = ConfigDict(title="Exposure")

    questions: int
    rows: int
    classes: int
    most_bits: float
    least_possible: str
    histogram: list[ExposureBin]
    persons: list[PersonsBin] | None
    top: list[ExposedClass]


class BudgetChanged(Standing):
    """The new budget, and the entry that records it."""

    entry: int
    budget: float | None
    budget_exact: str | None
    note: str


class TokenInfo(ResponseBody):
    """A token without its secret."""

    id: str
    name: str
    role: Role
    datasets: list[str]
    created: str
    created_by: str
    expires: str | None
    revoked: str | None
    revoked_by: str | None
    valid: bool


class Tokens(ResponseBody):
    """Tokens of the caller's datasets."""

    tokens: list[TokenInfo]


class TokenMade(ResponseBody):
    """A new token; its text is shown only here."""

    token: str
    id: str
    name: str
    role: Role
    datasets: list[str]
    expires: str | None


class TokenRevoked(ResponseBody):
    """A token that has ended."""

    id: str
    datasets: list[str]


class Health(ResponseBody):
    """The process answers."""

    status: Literal["ok"]


class Ready(ResponseBody):
    """Questions can be asked."""

    ready: Literal[True]
