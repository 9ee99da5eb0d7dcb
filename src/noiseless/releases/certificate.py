"""The certificate of a release: what is claimed, and the partition to check it by."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from fractions import Fraction
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from noiseless.arrays import IntArray
from noiseless.errors import RequestError
from noiseless.releases.columns import PublicColumn
from noiseless.releases.partition import MeasuredPartition
from noiseless.releases.request import ReleaseRequest
from noiseless.releases.risks import AnswerRisks, Found, risk_claim
from noiseless.releases.source import ReleaseSource
from noiseless.tables import written_whole
from noiseless.tables.canonical import digest, json_rows, json_texts
from noiseless.tables.engine import give_back
from noiseless.tables.kernels import run_starts

FORMAT, VERSION, LATER = "noiseless-certificate", 1, 2
"""What claims no risks is of the first version: older checkers read it."""

_CHUNK = 2**14
"""Cells written at a time."""


@dataclass(frozen=True, eq=False)
class CertificateCells:
    """The cells of a partition as JSON texts: Python objects would take ten times the room.

    Attributes:
        released: for each public column what it reads in each cell.
        columns: for each public column its texts as JSON, and which of them each public tuple has.
        order: the public tuples, cell by cell.
        sizes: how many of them each cell has.
        rows: how many rows each cell has.
        posteriors: how few sensitive values each leaves.
        suppressed: the number of the suppressed cell, if there is one.
    """

    released: Sequence[pa.Array]
    columns: Sequence[tuple[pa.Array, IntArray]]
    order: IntArray
    sizes: IntArray
    rows: IntArray
    posteriors: IntArray
    suppressed: int | None

    def __len__(self) -> int:
        return len(self.sizes)

    def lines(self) -> Iterator[str]:
        """Each cell as a JSON object."""
        ends = np.append(0, np.cumsum(self.sizes))
        for start in range(0, len(self), _CHUNK):
            stop = min(start + _CHUNK, len(self))
            here = self.order[ends[start] : ends[stop]]
            numbers = np.arange(stop - start)
            members = json_rows([(texts, codes[here]) for texts, codes in self.columns])
            offsets = pa.array(ends[start : stop + 1] - ends[start], pa.int32())
            lists = pa.ListArray.from_arrays(offsets, members)
            flags = np.full(stop - start, "false")
            if self.suppressed is not None and start <= self.suppressed < stop:
                flags[self.suppressed - start] = "true"
            read = [(json_texts(texts.slice(start, stop - start)), numbers) for texts in self.released]
            yield from pc.binary_join_element_wise(
                '{"released":',
                json_rows(read),
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
    cells: CertificateCells

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


def make_certificate(measured: MeasuredPartition, stated: Mapping[str, Any]) -> Certificate:
    """The certificate of a release.

    Args:
        measured: the partition, measured.
        stated: what is said of the choice, which the two tables cannot tell.
    """
    source, public = measured.source, measured.read.public
    give_back()
    facts = {
        "format": FORMAT,
        "version": LATER if _is_later(measured) else VERSION,
        "tool": {"name": "noiseless", "version": version("noiseless")},
        "created": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "columns": _columns(measured),
        "options": _options(measured),
        "original": {"rows": source.rows, "digest": source.digest},
        "released": {"rows": source.rows, "digest": released_digest(measured)},
        "hierarchies": {c.name: _tree(c) for c in public.columns if c.kind == "hierarchy"},
        "partition": None,
        "claim": claim(measured),
        "target": target_of(source.request),
        "witness": _witness(measured),
        "stated": dict(stated),
    }
    return Certificate(facts, _cells(measured))


def _columns(measured: MeasuredPartition) -> dict[str, list[str]]:
    request = measured.source.request
    roles = {role: list(getattr(request, role)) for role in ("sensitive", "public", "given", "keep")}
    unit = [] if request.unit is None else [request.unit]
    return roles | {"unit": unit} if _is_later(measured) else roles


def _is_later(measured: MeasuredPartition) -> bool:
    """Whether there is something that the first version does not claim."""
    return bool(measured.all_risks or measured.key_cells)


def claim(measured: MeasuredPartition) -> dict[str, Any]:
    """What is claimed: counts, exact rationals, and floats rounded to the safe side."""
    found, source = measured.measures, measured.source
    lost = measured.read.distortion
    return {
        "sensitive_values": source.joint.size_x,
        "public_values": len(source.public),
        "cells": found.cells,
        "min_posterior": found.min_posterior,
        "max_posterior": found.max_posterior,
        "components": int(found.maximin.ratio),
        "leakage_exact": str(found.leakage.ratio),
        "maximin_exact": str(found.maximin.ratio),
        "resolution_exact": str(found.resolution.ratio),
        "distortion_exact": lost.exact_text,
        "leakage": found.leakage.upper,
        "maximin": found.maximin.upper,
        "resolution": found.resolution.lower,
        "distortion": lost.upper,
        "suppressed_rows": found.suppressed_rows,
        **(_later_claims(measured) if _is_later(measured) else {}),
    }


def _later_claims(measured: MeasuredPartition) -> dict[str, Any]:
    """What the second version claims besides: risks, and what someone learns who knows only a key."""
    keys = [
        {
            "min_posterior": point.min_posterior,
            "min_rows": point.min_rows,
            "leakage_exact": str(point.leakage.ratio),
            "risks": _risk_claims(measured.key_risks[key]),
        }
        for key, point in measured.key_points.items()
    ]
    return {"risks": _risk_claims(measured.all_risks), "keys": keys}


def _risk_claims(found: Mapping[str, Found]) -> dict[str, str]:
    return {name: risk_claim(name, one) for name, one in found.items()}


def released_digest(measured: MeasuredPartition) -> str:
    """The digest of the released table: its public columns as they read, and its kept ones."""
    source, read = measured.source, measured.read
    if source.request.keep:
        cells, kept = read.cell_of[public_of_kept(source)], source.kept_numbers
        keys = cells * (int(kept.max()) + 1) + kept  # equal rows are one, which takes less time to write
        order = np.argsort(keys, kind="stable")
        starts = run_starts(keys[order])
    else:
        cells, order, starts = read.cell_of, read.layout.order, read.layout.starts
    first = order[starts]
    columns = [(word.texts, cells[first]) for word in read.words]
    for name in source.request.keep:
        column = source.text(source.kept, name)
        columns.append((column.texts, column.codes[first]))
    names = (*source.request.public, *source.request.keep)
    return digest(names, columns, np.add.reduceat(np.asarray(source.kept.counts)[order], starts))


def public_of_kept(source: ReleaseSource) -> IntArray:
    """The public tuple of each combination of public and kept columns."""
    return source.kept.prefix_ranks(len(source.request.public))


def _options(measured: MeasuredPartition) -> dict[str, Any]:
    request, public = measured.source.request, measured.read.public
    later: dict[str, Any] = {}
    if _is_later(measured):
        keys = [list(key) for key in request.key]
        risks = AnswerRisks(measured.source)
        later = {"ordered": risks.ordered, "keys": keys, "classes": dict(risks.classes)}
    spans = {
        c.name: [_end(c, end) for end in c.span]
        for c in public.columns
        if public.distance == "gower" and c.span is not None
    }
    return {
        "objective": request.objective,
        "utility": request.utility,
        "weight": None if request.weight is None else str(request.weight),
        "codeword": request.codeword,
        "distance": public.distance,
        "method": request.method,
        "missing": request.missing,
        "distinct_rows": request.distinct_rows,
        "kinds": {column.name: column.kind for column in public.columns},
        "weights": {column.name: str(column.weight) for column in public.columns if column.weight != 1},
        "spans": spans,
        "hierarchy_cost": request.hierarchy_cost,
        "spellings": "one",
        **later,
        **({"written": dict(measured.source.written)} if measured.source.written else {}),
    }


def _end(column: PublicColumn, end: Fraction) -> str:
    if column.kind == "date" and end.denominator == 1:
        return str(np.datetime64(int(end), "D"))
    if column.moments is not None:
        return str(column.moments.texts(np.array([int(end / column.unit)]))[0])
    return str(end)


def _tree(column: PublicColumn) -> dict[str, list[str | None]]:
    """What stands above each value, as the file has it."""
    if column.tree is None:
        raise ValueError("the column has no hierarchy")
    return {value: list(above) for value, above in column.tree.declared.items() if value is not None}


def target_of(request: ReleaseRequest) -> dict[str, Any]:
    """The limits, as JSON has them."""
    found = {name: limit if isinstance(limit, int) else str(limit) for name, limit in request.targets.items()}
    return found | ({"suppress": str(request.suppress)} if request.suppress else {})


def _witness(measured: MeasuredPartition) -> dict[str, Any]:
    read = measured.read
    member = read.furthest
    return {
        "posterior_cell": measured.posterior_cell,
        "largest_cell": read.largest_cell,
        "distortion_cell": int(read.cell_of[member]),
        "distortion_member": [c.texts[int(c.codes[member])].as_py() for c in read.public.columns],
    }


def _cells(measured: MeasuredPartition) -> CertificateCells:
    read = measured.read
    return CertificateCells(
        [word.texts for word in read.words],
        [(json_texts(column.texts), column.codes) for column in read.public.columns],
        read.layout.order,
        read.layout.sizes,
        measured.rows_of_cells,
        measured.posteriors,
        read.suppressed,
    )
