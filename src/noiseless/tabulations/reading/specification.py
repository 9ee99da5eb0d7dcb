"""What a publication consists of: tables, hierarchies and marks, as a TOML file or arguments say."""

import tomllib
from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from noiseless.display import plain_problem
from noiseless.errors import RequestError
from noiseless.examples import not_opened


def _listed(value: Any) -> Any:  # noqa: ANN401 - checked afterwards
    return () if value is None else (value,) if isinstance(value, str) else value


def _exact(value: Any) -> Any:  # noqa: ANN401 - checked afterwards
    if isinstance(value, int | Decimal) and not isinstance(value, bool):
        return Fraction(value)
    if isinstance(value, float):
        return Fraction(repr(value))
    return value


Names = Annotated[tuple[str, ...], BeforeValidator(_listed)]
Number = Annotated[Fraction, BeforeValidator(_exact)]


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)


class TableSpecification(_Model):
    """One table: where its figures are and what its labels are of.

    Attributes:
        file: the figures as they are published, CSV or Excel.
        microdata: the records behind them; without a file the table is made from these.
        name: what reports call it.
        sheet: the sheet of an Excel file.
        rows: the dimensions at the left.
        cols: the dimensions above.
        value: the column of figures, where each line is one; of microdata, the column that is added up.
        unit: of microdata, the column that names a contributor.
        totals: the dimensions that have totals, or the totals' labels; by their names, if not declared.
        flat: dimensions no label of which is a sum of others, except for its total.
        kind: counts, or magnitudes (sums of amounts).
        told: as for all tables, where this one differs.
        where: what the whole table is about, as labels of other dimensions.
        below: of a table made from microdata: smaller figures are published as "less than this".
    """

    file: str | None = None
    microdata: Any = None
    frame: Any = None
    name: str | None = None
    sheet: str | int | None = None
    rows: Names = ()
    cols: Names = ()
    value: str | None = None
    unit: str | None = None
    totals: Mapping[str, str | None] | Names | None = None
    flat: Names = ()
    kind: Literal["count", "magnitude"] = "count"
    told: Mapping[str, Any] = Field(default_factory=dict)
    where: Mapping[str, str] = Field(default_factory=dict)
    below: int | None = Field(default=None, ge=1)


class TabulatedPopulation(_Model):
    """Whom the tables are about.

    Attributes:
        id: its name.
        unit: what is counted.
        after: the population before it, most of whom are in this one too.
        joined: how many are in this one and were not in that, or elsewhere in its tables: a number, or from
            and to.
        left: how many were in that one and are not in this, or elsewhere.
    """

    id: str = ""
    unit: str = "person"
    after: str = ""
    joined: int | tuple[int, int] | None = None
    left: int | tuple[int, int] | None = None


class Specification(_Model):
    """All tables of one publication, and what is declared of them together.

    Attributes:
        table: the tables.
        population: whom they are about.
        hierarchy: for dimensions, a file, or rows of names each below the next one.
        told: what marks mean, and how figures are rounded.
        rules: disclosure rules that cells must keep.
        bounds: the least and the largest value of a base cell.
        step: the resolution of magnitudes.
        encoding: what text files are encoded in, if not in UTF-8.
        folder: what files are looked for in.
    """

    table: tuple[TableSpecification, ...] = Field(min_length=1)
    population: TabulatedPopulation = TabulatedPopulation()
    hierarchy: Mapping[str, str | Path | Sequence[Sequence[str]] | Mapping[str, Sequence[str]]] = Field(
        default_factory=dict
    )
    told: Mapping[str, Any] = Field(default_factory=dict)
    rules: Mapping[str, Any] = Field(default_factory=dict)
    bounds: tuple[Number, Number] | None = None
    step: Number | None = None
    encoding: str | None = None
    folder: Path = Path()

    @classmethod
    def read(cls, file: Path, more: Mapping[str, Any] | None = None) -> "Specification":
        """From a TOML file; what it names is looked for beside it.

        Args:
            file: the file.
            more: what is declared besides, such as rules: it goes before what the file says.

        Raises:
            RequestError: it cannot be read, in one line that says what is wrong.
        """
        try:
            data: dict[str, Any] = tomllib.loads(file.read_text("utf-8-sig"), parse_float=Decimal)
        except OSError as error:
            raise RequestError(f"{file}: {not_opened(file, error)}") from None
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise RequestError(f"{file}: is not TOML ({error})") from None
        if "table" not in data:
            raise RequestError(f'{file}: names no table; write [[table]] and below it file = "table.csv"')
        for key, value in (more or {}).items():
            data[key] = {**data.get(key, {}), **value} if isinstance(value, Mapping) else value
        return cls.of(str(file), {**data, "folder": file.parent})

    @classmethod
    def of(cls, name: str, data: Mapping[str, Any]) -> "Specification":
        """From what a file or arguments say.

        Raises:
            RequestError: something is wrong with it.
        """
        try:
            return cls(**data)
        except ValidationError as error:
            first = error.errors()[0]
            place = ".".join(str(each + 1) if isinstance(each, int) else each for each in first["loc"])
            known = cls.model_fields if len(first["loc"]) == 1 else TableSpecification.model_fields
            if first["type"] == "extra_forbidden":
                problem = (
                    f"there is no such key; there are {', '.join(each for each in known if each != 'frame')}"
                )
            else:
                problem = plain_problem(first["msg"])
            raise RequestError(f"{name}: {place}: {problem}") from None
