"""Real curators for adversaries to ask: in a temporary folder, each with an unspent ledger."""

import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Self

from noiseless.adversaries.declared_values import PrivateColumn
from noiseless.domain import CategoryColumn, Column, NumberColumn, Schema
from noiseless.domain.literals import as_text, read_number

if TYPE_CHECKING:
    from noiseless.curator import Curator

PEOPLE, PERSON, VALUE = "people", "person", "value"
"""The dataset, its public column and its private one, as they are called in questions."""

OTHERS = "others"
"""What the public column says of everybody who is not singled out."""


class Arena:
    """One private table over which any number of curators can be opened, each as if it were the first.

    The table has a public column that says who somebody is, for those whom questions single out, and the
    private column. In the user's table any filter over public columns may do that.
    """

    def __init__(self, folder: Path, column: PrivateColumn, persons: Sequence[int]) -> None:
        self._folder = folder
        self._column = column
        self._persons = tuple(persons)
        self._plays = 0

    @classmethod
    @contextmanager
    def of(cls, column: PrivateColumn, persons: Sequence[int]) -> Iterator[Self]:
        """An arena in a temporary folder.

        Args:
            column: everybody's private values.
            persons: the people who can be singled out, by their numbers.
        """
        with TemporaryDirectory(prefix="noiseless-attack-") as folder:
            yield cls(Path(folder), column, persons)

    @contextmanager
    def curator(self, outputs: int) -> "Iterator[Curator]":
        """A curator whose budget is so many outputs, none of which is spent."""
        from noiseless.curator import Curator

        self._plays += 1
        place = self._folder / f"play-{self._plays}"
        shutil.copytree(self._declared(outputs), place)
        try:
            with Curator.open(place / "people.toml") as curator:
                yield curator
        finally:
            shutil.rmtree(place, ignore_errors=True)

    def _declared(self, outputs: int) -> Path:
        """A folder with the table, the curator's file and a ledger in which it is declared."""
        from noiseless.curator import Curator

        place = self._folder / f"reach-{outputs}"
        if not place.is_dir():
            place.mkdir()
            self._write_table(place / "people.csv")
            (place / "people.toml").write_text(self._file(outputs), "utf-8")
            Curator.open(place / "people.toml").close()
        return place

    def _write_table(self, path: Path) -> None:
        told = [self.text(number) for number in range(self._column.size)]
        names = dict(zip(self._persons, map(str, range(1, len(self._persons) + 1)), strict=True))
        rows = (
            f"{names.get(number, OTHERS)},{told[position]}"
            for number, position in enumerate(self._column.positions.tolist())
        )
        path.write_text("\n".join([f"{PERSON},{VALUE}", *rows, ""]), "utf-8")

    def _file(self, outputs: int) -> str:
        categories = tuple(map(str, range(1, len(self._persons) + 1)))
        if len(self._persons) < self._column.people:
            categories = (*categories, OTHERS)
        public = CategoryColumn.model_validate({"role": "public", "categories": categories})
        private: Column = self._column.domain
        if not isinstance(private, NumberColumn):  # by their numbers: no text of a user's goes into SQL
            numbers = tuple(map(str, range(private.size)))
            private = CategoryColumn.model_validate({"role": "private", "categories": numbers})
        head = f'[dataset]\nname = "{PEOPLE}"\nsource = "people.csv"\n[budget]\nbits = "reach {outputs}"\n'
        return head + Schema({PERSON: public, VALUE: private}).dump()

    def text(self, number: int) -> str:
        """A value of the private column as it stands in the table."""
        domain = self._column.domain
        return as_text(read_number(domain.value(number))) if isinstance(domain, NumberColumn) else str(number)

    def from_on(self, number: int) -> str:
        """The condition that a value is that with some number, or one after it."""
        if isinstance(self._column.domain, NumberColumn):
            return f"{VALUE} >= {self.text(number)}"
        listed = ", ".join(f"'{n}'" for n in range(number, self._column.size))
        return f"{VALUE} IN ({listed})"
