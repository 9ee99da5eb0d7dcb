"""The data sets of the figures: from the folder `NOISELESS_DATA`, or small synthetic stand-ins."""

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from noiseless.errors import SourceError
from noiseless.gallery import reading, stand_ins
from noiseless.gallery.reading import Floats, Integers
from noiseless.gallery.sources import SETS, Source

if TYPE_CHECKING:
    import pyarrow as pa

FOLDER = "NOISELESS_DATA"
"""The environment variable that names the folder."""


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
    def missing(self) -> tuple[Source, ...]:
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
            return _stand_in(name)
        path = str(self.folder / SETS[name].path)
        try:
            return _read(name, path)
        except (OSError, KeyError, ValueError) as error:  # what pyarrow raises is among them
            raise SourceError(
                path, f"is not the file expected there ({type(error).__name__}): {SETS[name].what}"
            ) from None

    def meters(self) -> Floats:
        """Half hours x households, in kWh, without gaps: 17,520 x 87 (stand-in: 1,344 x 32).

        Households with more than 0.1 % of readings missing are left out; in the others a missing reading is
        taken for the one before it. Every reading is a multiple of 0.001.
        """
        found: Floats = self.table("meters")
        return found

    def redd(self) -> tuple[Integers, dict[str, Integers]]:
        """The mains and each circuit by its name ("refrigerator_ch5"), in watts.

        525,757 readings and 16 circuits (stand-in: 8,000 and five).
        """
        found: tuple[Integers, dict[str, Integers]] = self.table("redd")
        return found

    def taxi(self) -> "pa.Table":
        """Trips as a pyarrow table with pickup_lon, pickup_lat, dropoff_lon, dropoff_lat, fare_amount, ...

        149,777 of them, a few outside New York (stand-in: 3,000).
        """
        return self.table("taxi")

    def heart(self) -> "pa.Table":
        """293 patients as a pyarrow table with the 14 columns of the file: numbers, null for `?`.

        The one exact duplicate row is dropped. With null as one ordinary value there are 38 ages, 154 values
        of chol and 281 pairs of both (stand-in: 293 others).
        """
        return self.table("heart")

    def young_people(self) -> "pa.Table":
        """Answers as a pyarrow table with Height (cm), Weight (kg), Age, Gender, ...; null where none is.

        1,010 answers to 150 questions (stand-in: 400 to these four).
        """
        return self.table("young-people")

    def adult(self) -> "pa.Table":
        """People as a pyarrow table with the 15 columns of the file, texts without the spaces around them.

        32,561 of them (stand-in: 2,000).
        """
        return self.table("adult")

    def _is_there(self, name: str) -> bool:
        return self.folder is not None and (self.folder / SETS[name].path).is_file()


@cache
def _stand_in(name: str) -> Any:  # noqa: ANN401 - see Data.table
    makers: dict[str, Callable[[], Any]] = {
        "meters": stand_ins.meters,
        "redd": stand_ins.redd,
        "taxi": stand_ins.taxi,
        "heart": stand_ins.heart,
        "young-people": stand_ins.young_people,
        "adult": stand_ins.adult,
    }
    return _unchangeable(makers[name]())


@cache
def _read(name: str, path: str) -> Any:  # noqa: ANN401 - see Data.table
    readers: dict[str, Callable[[str], Any]] = {
        "meters": reading.meters,
        "redd": reading.redd,
        "taxi": reading.parquet,
        "heart": reading.heart,
        "young-people": reading.csv,
        "adult": reading.adult,
    }
    return _unchangeable(readers[name](path))


def _unchangeable(found: Any) -> Any:  # noqa: ANN401 - see Data.table
    """What several figures share: no figure can change it for the others."""
    arrays = [found] if isinstance(found, np.ndarray) else []
    if isinstance(found, tuple):
        arrays = [found[0], *found[1].values()]
    for array in arrays:
        array.flags.writeable = False
    return found
