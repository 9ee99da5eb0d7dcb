"""The certificate of a release: what is claimed, and the partition to check it by."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from noiseless.arrays import IntArray
from noiseless.errors import RequestError
from noiseless.tables import written_whole

FORMAT, VERSION = "noiseless-certificate", 1

_CHUNK = 2**14
"""Cells written at a time."""


@dataclass(frozen=True, eq=False)
class Cells:
    """The cells of a partition as JSON texts: Python objects would take ten times the room.

    Attributes:
        released: what is released for each cell, a JSON array each.
        members: the public tuples, cell by cell, a JSON array each.
        sizes: how many of them each cell has.
        rows: how many rows each cell has.
        posteriors: how few sensitive values each leaves.
        suppressed: the number of the suppressed cell, if there is one.
    """

    released: pa.Array
    members: pa.Array
    sizes: IntArray
    rows: IntArray
    posteriors: IntArray
    suppressed: int | None

    def __len__(self) -> int:
        return len(self.released)

    def lines(self) -> Iterator[str]:
        """Each cell as a JSON object."""
        ends = np.append(0, np.cumsum(self.sizes))
        for start in range(0, len(self), _CHUNK):
            stop = min(start + _CHUNK, len(self))
            here = self.members.slice(int(ends[start]), int(ends[stop] - ends[start]))
            offsets = pa.array(ends[start : stop + 1] - ends[start], pa.int32())
            lists = pa.ListArray.from_arrays(offsets, here.cast(pa.string()))
            flags = np.full(stop - start, "false")
            if self.suppressed is not None and start <= self.suppressed < stop:
                flags[self.suppressed - start] = "true"
            yield from pc.binary_join_element_wise(
                '{"released":',
                self.released.slice(start, stop - start),
                ',"members":[',
                pc.binary_join(lists, ","),
                '],"rows":',
                pa.array(self.rows[start:stop], pa.int64()).cast(pa.string()),
                ',"posterior":',
                pa.array(self.posteriors[start:stop], pa.int64()).cast(pa.string()),
                ',"suppressed":',
                pa.array(flags.tolist(), pa.string()),
                "}",
                "",
            ).to_pylist()


@dataclass(frozen=True, eq=False, repr=False)
class Certificate(Mapping[str, Any]):
    """A certificate, to be read like a dictionary with the keys of its JSON.

    Attributes:
        facts: everything but the partition, in the order in which it is written; None stands for that.
        cells: the partition.
    """

    facts: Mapping[str, Any]
    cells: Cells

    def __getitem__(self, key: str) -> Any:  # noqa: ANN401 - any JSON
        return self._partition if key == "partition" else self.facts[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self.facts)

    def __len__(self) -> int:
        return len(self.facts)

    def __repr__(self) -> str:
        claim = self.facts["claim"]
        return f"Certificate({claim['cells']:,} cells, min posterior {claim['min_posterior']:,})"

    @cached_property
    def _partition(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.cells.lines()]

    def to_dict(self) -> dict[str, Any]:
        """The certificate as plain dictionaries and lists."""
        return {key: self[key] for key in self}

    def to_json(self) -> str:
        """The certificate as text, a line for each cell."""
        return "".join(self._pieces())

    def write(self, path: Path | str, sources: tuple[Path, ...] = ()) -> None:
        """Write it to a JSON file, whole or not at all.

        Raises:
            OutputError: it cannot be written there.
        """
        out = check_certificate_output(path)
        with written_whole(out, sources) as part:
            self.stream(part)

    def stream(self, path: Path) -> None:
        """Write it to a file, piece by piece."""
        with path.open("w", encoding="utf-8", newline="\n") as file:
            file.writelines(self._pieces())

    def _pieces(self) -> Iterator[str]:
        before = "{\n"
        for key, value in self.facts.items():
            yield f"{before}  {json.dumps(key)}: "
            before = ",\n"
            if key != "partition":
                yield json.dumps(value, ensure_ascii=False)
                continue
            bracket = "[\n    "
            for line in self.cells.lines():
                yield bracket + line
                bracket = ",\n    "
            yield "\n  ]"
        yield "\n}\n"


def check_certificate_output(path: Path | str) -> Path:
    """Check that a certificate's file ends as JSON does.

    Raises:
        RequestError: it does not.
    """
    out = Path(path)
    if out.suffix.lower() != ".json":
        raise RequestError(f"{out}: a certificate is a JSON file; end its name in .json")
    return out
