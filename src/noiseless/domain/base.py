"""What every kind of column has in common, and how a mistake in one is put into a line."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from difflib import get_close_matches
from typing import ClassVar, Literal, NamedTuple, Self

from pydantic import BaseModel, ConfigDict, ModelWrapValidatorHandler, ValidationError, model_validator

from noiseless.errors import SchemaError
from noiseless.exact import Bits

Role = Literal["public", "private"]
Kind = Literal["number", "category", "boolean", "date"]
Value = int | Decimal | str | bool | date


class Hint(NamedTuple):
    """What a key of a column must be, and a line that is right."""

    must: str
    example: str


PER = Hint('must be "person", where all rows of a person agree', 'per = "person"')
ROLE = Hint('must be "public" or "private"', 'role = "private"')


class Column(BaseModel, ABC):
    """The finite domain of a column, declared before any data is seen.

    Its values are numbered from 0 to `size` - 1, so that records are whole numbers and arithmetic
    on them is exact. A column that is not well formed raises a `SchemaError` when it is made.

    Attributes:
        role: whether everybody may know the values, or they are to be protected.
        missing: what a missing value counts as; without it missing values are an error.
        per: "person" where all rows of a person have the same value.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: ClassVar[Kind]
    hints: ClassVar[Mapping[str, Hint]]

    role: Role
    missing: Value | None = None
    per: Literal["person"] | None = None

    @property
    @abstractmethod
    def size(self) -> int:
        """The number of possible values."""

    @abstractmethod
    def index(self, value: object) -> int | None:
        """The number of a value, or None when it lies outside the domain."""

    @abstractmethod
    def value(self, index: int) -> Value:
        """The value with this number: the inverse of `index`."""

    @abstractmethod
    def describe(self) -> str:
        """The domain in a few words."""

    def explain(self) -> str:
        """The domain, and what a missing value counts as where one may occur."""
        missing = "" if self.missing is None else f", a missing value counts as {self.missing}"
        return f"{self.describe()}{missing}"

    @property
    def entropy(self) -> Bits:
        """What one who knows nothing but the domain does not know: log2 of `size`."""
        return Bits(self.size)

    def _check_index(self, index: int) -> None:
        if not 0 <= index < self.size:
            raise IndexError(f"{index:,} is not in 0..{self.size - 1:,}")

    def _check_domain(self) -> None:
        """Refuse keys that are right one by one but not together."""

    def _check_missing(self) -> None:
        if self.missing is not None and self.index(self.missing) is None:
            remedy = "add it to categories, or change or delete it"
            if self.kind != "category":
                remedy = "change or delete it"
            raise SchemaError(f"missing must lie in the domain, {self.describe()}; {remedy}")

    @model_validator(mode="wrap")
    @classmethod
    def _in_one_line(cls, data: object, handler: ModelWrapValidatorHandler[Self]) -> Self:
        try:
            column = handler(data)
        except ValidationError as error:
            raise SchemaError(_explain(error, cls.hints)) from None
        column._check_domain()  # noqa: SLF001 (its own class)
        column._check_missing()  # noqa: SLF001
        return column


def _explain(error: ValidationError, hints: Mapping[str, Hint]) -> str:
    """The first mistake, an unknown key before any other: it is often why another is missing."""
    details = error.errors(include_url=False, include_input=False)
    first = min(details, key=lambda detail: detail["type"] != "extra_forbidden")
    if not first["loc"]:
        return first["msg"]
    key = str(first["loc"][0])
    if first["type"] == "extra_forbidden":
        return _explain_unknown(key, hints)
    hint = hints[key]
    if first["type"] == "missing" and len(first["loc"]) == 1:
        return f"{key} is missing; write e.g. {hint.example}"
    reason = first.get("ctx", {}).get("error")
    because = f", {reason}" if reason else ""
    return f"{key} {hint.must}{because}; write e.g. {hint.example}"


def _explain_unknown(key: str, known: Mapping[str, Hint]) -> str:
    close = get_close_matches(key, known, n=1)
    remedy = f"did you mean {close[0]}?" if close else f"it may have {', '.join(known)} and type"
    return f"key {key!r} is not possible in this kind of column; {remedy}"
