"""The data sets of the figures: what they are, read from `NOISELESS_DATA`, or small synthetic stand-ins."""

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow.csv import ConvertOptions, ReadOptions, read_csv
from pyarrow.parquet import read_table

from noiseless.adversaries.readings import without_gaps
from noiseless.arrays import FloatArray, IntArray
from noiseless.errors import SourceError
from noiseless.gallery import stand_ins

_MISSING_SHARE = Fraction(1, 1000)
"""A household with more missing readings than this is left out."""

_DECIMALS = 3
"""Meters count watt hours; the file has them as floats of 32 bits."""

_HEART = (
    *("age", "sex", "cp", "trestbps", "chol", "fbs", "restecg"),
    *("thalach", "exang", "oldpeak", "slope", "ca", "thal", "num"),
)
FOLDER = "NOISELESS_DATA"
"""The environment variable that names the folder."""


@dataclass(frozen=True)
class PublicDataset:
    """A public data set.

    Attributes:
        name: as figures call it.
        path: where it is put, below the folder.
        what: a description of it.
        address: where it is fetched.
    """

    name: str
    path: str
    what: str
    address: str


SETS: Mapping[str, PublicDataset] = {
    source.name: source
    for source in (
        PublicDataset(
            "meters",
            "meters/lcl_100_households_2013.parquet",
            "Low Carbon London smart meters, the half hours of 2013, a column a household",
            "https://data.london.gov.uk/dataset/smartmeter-energy-use-data-in-london-households",
        ),
        PublicDataset(
            "redd",
            "redd/house1_3s.parquet",
            "REDD, house 1 at 3 s: the mains and its circuits",
            "http://redd.csail.mit.edu",
        ),
        PublicDataset(
            "taxi",
            "taxi/trips.parquet",
            "trips of New York yellow cabs 2009-2015 with coordinates",
            "https://www.kaggle.com/c/new-york-city-taxi-fare-prediction",
        ),
        PublicDataset(
            "heart",
            "heart/processed.hungarian.data",
            "UCI Heart Disease, Hungarian Institute of Cardiology",
            "https://archive.ics.uci.edu/dataset/45/heart+disease",
        ),
        PublicDataset(
            "young-people",
            "young-people/responses.csv",
            "Young People Survey, Slovakia 2013",
            "https://www.kaggle.com/datasets/miroslavsabo/young-people-survey",
        ),
        PublicDataset(
            "adult",
            "adult/adult.csv",
            "UCI Adult, the census of 1994",
            "https://archive.ics.uci.edu/dataset/2/adult",
        ),
    )
}
"""All data sets that a figure can need."""


def meters(path: str) -> FloatArray:
    """The households that are essentially complete, their few gaps filled with the reading before."""
    table = read_table(path)
    names = [name for name in table.column_names if name != "ts"]
    readings = np.column_stack([np.asarray(table[name].to_numpy(), dtype=np.float64) for name in names])
    return np.round(without_gaps(readings, _MISSING_SHARE)[0], _DECIMALS)


def redd(path: str) -> tuple[IntArray, dict[str, IntArray]]:
    """The mains, and the circuits by name."""
    table = read_table(path)
    names = [name for name in table.column_names if name != "step"]
    columns = {name: np.array(table[name].to_numpy(), np.int64) for name in names}
    mains = columns.pop("mains")
    return mains, columns


def heart(path: str) -> pa.Table:
    """The patients, `?` as null, a row that is there twice only once."""
    table = read_csv(
        path,
        read_options=ReadOptions(column_names=list(_HEART)),
        convert_options=ConvertOptions(null_values=["?"]),
    )
    rows = list(zip(*table.to_pydict().values(), strict=True))
    first = {row: number for number, row in reversed(list(enumerate(rows)))}
    return table.take(sorted(first.values()))


def adult(path: str) -> pa.Table:
    """The people, names and texts without the spaces that follow the file's commas."""
    table = read_csv(path)
    columns = [
        pc.utf8_trim_whitespace(column) if pa.types.is_string(column.type) else column
        for column in table.columns
    ]
    return pa.table(dict(zip((name.strip() for name in table.column_names), columns, strict=True)))


@dataclass(frozen=True)
class Data:
    """The data sets that a figure may use; each is read when it is asked for.

    Attributes:
        folder: where the real ones are; None for stand-ins.
        needs: the data sets that may be asked for.
    """

    folder: Path | None
    needs: tuple[str, ...] = tuple(SETS)

    @classmethod
    def found(cls) -> Self:
        """The data sets in the folder that `NOISELESS_DATA` names; stand-ins when it is not set.

        Raises:
            SourceError: it names no folder.
        """
        name = os.environ.get(FOLDER)
        if not name:
            return cls(None)
        if not Path(name).is_dir():
            raise SourceError(name, f"is not a folder; {FOLDER} names the folder of data sets")
        return cls(Path(name))

    def needing(self, needs: Iterable[str]) -> "Data":
        """The same, for a figure that needs only some of them."""
        return replace(self, needs=tuple(needs))

    @property
    def missing(self) -> tuple[PublicDataset, ...]:
        """Of those that may be asked for, the data sets whose file is not there."""
        return tuple(SETS[name] for name in self.needs if not self._is_there(name))

    @property
    def synthetic(self) -> bool:
        """Whether any of those that may be asked for is a stand-in."""
        return bool(self.missing)

    def table(self, name: str) -> Any:  # noqa: ANN401 - each data set has its own form
        """A data set by its name, in the form that the method of that name describes.

        Raises:
            SourceError: its file cannot be read.
        """
        if name not in self.needs:
            raise ValueError(f"a figure that uses {name!r} has to name it among what it needs: {self.needs}")
        if self.folder is None or not self._is_there(name):
            return _form(name, None)
        path = str(self.folder / SETS[name].path)
        try:
            return _form(name, path)
        except (OSError, KeyError, ValueError) as error:  # what pyarrow raises is among them
            raise SourceError(
                path, f"is not the file expected there ({type(error).__name__}): {SETS[name].what}"
            ) from None

    def meters(self) -> FloatArray:
        """Half hours x households, in kWh, without gaps: 17,520 x 87 (stand-in: 1,344 x 32).

        Households with more than 0.1 % of readings missing are left out; in the others a missing reading is
        taken for the one before it. Every reading is a multiple of 0.001.
        """
        found: FloatArray = self.table("meters")
        return found

    def redd(self) -> tuple[IntArray, dict[str, IntArray]]:
        """The mains and each circuit by its name ("refrigerator_ch5"), in watts.

        525,757 readings and 16 circuits (stand-in: 8,000 and five).
        """
        found: tuple[IntArray, dict[str, IntArray]] = self.table("redd")
        return found

    def taxi(self) -> pa.Table:
        """Trips as a pyarrow table with pickup_lon, pickup_lat, dropoff_lon, dropoff_lat, fare_amount, ...

        149,777 of them, a few outside New York (stand-in: 3,000).
        """
        return self.table("taxi")

    def heart(self) -> pa.Table:
        """293 patients as a pyarrow table with the 14 columns of the file: numbers, null for `?`.

        The one exact duplicate row is dropped. With null as one ordinary value there are 38 ages, 154 values
        of chol and 281 pairs of both (stand-in: 293 others).
        """
        return self.table("heart")

    def young_people(self) -> pa.Table:
        """Answers as a pyarrow table with Height (cm), Weight (kg), Age, Gender, ...; null where none is.

        1,010 answers to 150 questions (stand-in: 400 to these four).
        """
        return self.table("young-people")

    def adult(self) -> pa.Table:
        """People as a pyarrow table with the 15 columns of the file, texts without the spaces around them.

        32,561 of them (stand-in: 2,000).
        """
        return self.table("adult")

    def _is_there(self, name: str) -> bool:
        return self.folder is not None and (self.folder / SETS[name].path).is_file()


_FORMS: Mapping[str, tuple[Callable[[str], Any], Callable[[], Any]]] = {
    "meters": (meters, stand_ins.meters),
    "redd": (redd, stand_ins.redd),
    "taxi": (read_table, stand_ins.taxi),
    "heart": (heart, stand_ins.heart),
    "young-people": (read_csv, stand_ins.young_people),
    "adult": (adult, stand_ins.adult),
}
"""How each data set is read from its file, and how its stand-in is made."""


@cache
def _form(name: str, path: str | None) -> Any:  # noqa: ANN401 - see Data.table
    read, stand_in = _FORMS[name]
    return _unchangeable(stand_in() if path is None else read(path))


def _unchangeable(found: Any) -> Any:  # noqa: ANN401 - see Data.table
    """What several figures share: no figure can change it for the others."""
    arrays = [found] if isinstance(found, np.ndarray) else []
    if isinstance(found, tuple):
        arrays = [found[0], *found[1].values()]
    for array in arrays:
        array.flags.writeable = False
    return found
