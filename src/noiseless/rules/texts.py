"""Texts told by how they begin."""

from dataclasses import dataclass
from typing import ClassVar

from noiseless.errors import RequestError
from noiseless.rules.base import Coarsening, require_whole

_MASK = "*"


@dataclass(frozen=True)
class Prefix(Coarsening):
    """A text told by its first characters, the rest as stars: how long it is stays visible.

    >>> Prefix(3).told("90210"), Prefix(3).told("90")
    ('902**', '90')
    """

    name: ClassVar[str] = "prefix"
    form: ClassVar[str] = "prefix:K"
    used_by: ClassVar[str] = (
        "HIPAA Safe Harbor (prefix:3 of a ZIP code, and 000 where 20,000 people or fewer live; 45 CFR"
        " 164.514(b)(2)(i)(B)) and whoever shortens postcodes"
    )

    kept: int

    def __post_init__(self) -> None:
        require_whole(self.kept, 0, "the K of prefix:K")

    @property
    def text(self) -> str:
        """How many characters are kept."""
        return f"prefix:{self.kept}"

    @property
    def statement(self) -> str:
        """How many characters are told."""
        if not self.kept:
            return "Of a text nothing but its length is told."
        first = "first character" if self.kept == 1 else f"first {self.kept} characters"
        return f"A text is told by its {first}, the rest as stars."

    def told(self, value: object) -> str:
        """The first characters, and a star for each of the others.

        Raises:
            RequestError: it is no text.
        """
        if not isinstance(value, str):
            raise RequestError("the rule prefix:K is about texts")
        return value[: self.kept] + _MASK * max(len(value) - self.kept, 0)
