"""Columns of categories and of booleans."""

from collections import Counter
from collections.abc import Mapping
from functools import cached_property
from reprlib import repr as short_repr
from typing import ClassVar

from pydantic import Field, StrictBool, StrictInt, StrictStr

from noiseless.domain.base import ROLE, Column, Hint, Kind
from noiseless.domain.reading import read_number
from noiseless.errors import SchemaError


class CategoryColumn(Column):
    """One of a list of texts or whole numbers.

    Attributes:
        categories: the possible values in the order of their numbers; each is there once, be it as
            text or as a number, for files do not tell the two apart.
    """

    kind: ClassVar[Kind] = "category"
    hints: ClassVar[Mapping[str, Hint]] = {
        "role": ROLE,
        "categories": Hint("must be a list of texts or whole numbers", 'categories = ["north", "south"]'),
        "missing": Hint("must be one of the categories", 'missing = "north"'),
    }

    categories: tuple[StrictStr | StrictInt, ...] = Field(min_length=1)
    missing: StrictStr | StrictInt | None = None

    def _check_domain(self) -> None:
        text, count = Counter(map(str, self.categories)).most_common(1)[0]
        if count > 1:
            raise SchemaError(
                f"categories must be different as text, and {short_repr(text)} is there {count:,}"
                " times; keep one of them"
            )

    @cached_property
    def _positions(self) -> Mapping[object, int]:
        return {category: number for number, category in enumerate(self.categories)}

    @property
    def size(self) -> int:
        """The number of categories."""
        return len(self.categories)

    def index(self, value: object) -> int | None:
        """The position of a category, or None when it is not one.

        A number stands for the whole number that it equals, never for a text; a boolean is neither.
        """
        if isinstance(value, str | int):
            return None if isinstance(value, bool) else self._positions.get(value)
        try:
            number = read_number(value)
        except ValueError:
            return None
        return self._positions.get(number)

    def value(self, index: int) -> str | int:
        """The category at a position."""
        self._check_index(index)
        return self.categories[index]

    def describe(self) -> str:
        """Such as "3 categories"."""
        return f"{self.size:,} categor{'y' if self.size == 1 else 'ies'}"


class BooleanColumn(Column):
    """False or true, numbered 0 and 1."""

    kind: ClassVar[Kind] = "boolean"
    hints: ClassVar[Mapping[str, Hint]] = {
        "role": ROLE,
        "missing": Hint("must be true or false", "missing = false"),
    }

    missing: StrictBool | None = None

    @property
    def size(self) -> int:
        """Two."""
        return 2

    def index(self, value: object) -> int | None:
        """0 for False, 1 for True, None for anything else (0 and 1 are numbers)."""
        return int(value) if isinstance(value, bool) else None

    def value(self, index: int) -> bool:
        """False for 0, True for 1."""
        self._check_index(index)
        return bool(index)

    def describe(self) -> str:
        """Always "true or false"."""
        return "true or false"
