"""Names of a package that are imported when they are first used, and pandas when it is needed."""

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def late_names(package: str, homes: Mapping[str, str]) -> Callable[[str], Any]:
    """The `__getattr__` of a package: it finds each name in the module that `homes` says.

    Packages define it where type checkers do not look (`else` of `if TYPE_CHECKING`), and import the names
    where they do: a name that has moved is then an error, and not of any type.
    """

    def found(name: str) -> Any:  # noqa: ANN401 - whatever the name stands for
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(f"{package}.{homes[name]}"), name)

    return found


def spare_pandas() -> None:
    """Spare a process of our own pandas, which pyarrow loads with its first array wherever it is installed.

    It takes longer to load than most commands take.
    """
    sys.meta_path.insert(0, _PandasLater())


class _PandasLater:
    """Pyarrow looks for pandas twice, in Cython and in C++, and does without.

    The former asks again when a frame of pandas is wanted.
    """

    def __init__(self) -> None:
        self._looks = 0

    def find_spec(self, name: str, *_: object) -> None:
        """Nothing; the first times that pandas is looked for, it is as if it were not installed."""
        if name != "pandas" or "pyarrow" not in sys.modules or "pyspark" in sys.modules:
            return
        self._looks += 1
        if self._looks <= 2:  # noqa: PLR2004 - see above
            raise ModuleNotFoundError(name, name=name)
