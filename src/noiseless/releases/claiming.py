"""From a measured partition to the certificate that claims what was measured."""

from collections.abc import Mapping
from datetime import UTC, datetime
from fractions import Fraction
from importlib.metadata import version
from typing import Any

import numpy as np
import pyarrow as pa

from noiseless.arrays import IntArray
from noiseless.releases.canonical import digest, json_rows
from noiseless.releases.certificate import FORMAT, VERSION, Cells, Certificate
from noiseless.releases.columns import PublicColumn, PublicColumns
from noiseless.releases.measuring import Measured, length_text
from noiseless.releases.request import ReleaseRequest
from noiseless.releases.source import Source, ranks_of_prefix


def certificate(measured: Measured, stated: Mapping[str, Any]) -> Certificate:
    """The certificate of a release.

    Args:
        measured: the partition, measured.
        stated: what is said of the choice, which the two tables cannot tell.
    """
    source, read = measured.source, measured.read
    request, public = source.request, read.public
    facts = {
        "format": FORMAT,
        "version": VERSION,
        "tool": {"name": "noiseless", "version": version("noiseless")},
        "created": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "columns": {role: list(getattr(request, role)) for role in ("sensitive", "public", "given", "keep")},
        "options": _options(request, public),
        "original": {"rows": source.rows, "digest": original_digest(source)},
        "released": {"rows": source.rows, "digest": released_digest(measured)},
        "hierarchies": {c.name: _tree(c) for c in public.columns if c.kind == "hierarchy"},
        "partition": None,
        "claim": claim(measured),
        "target": _target(request),
        "witness": _witness(measured),
        "stated": dict(stated),
    }
    return Certificate(facts, _cells(measured))


def claim(measured: Measured) -> dict[str, Any]:
    """What is claimed: counts, exact rationals, and floats rounded to the safe side."""
    leak, told, kept, lost = (
        measured.leakage,
        measured.maximin,
        measured.resolution,
        measured.distortion,
    )
    return {
        "sensitive_values": measured.joint.size_x,
        "public_values": len(measured.source.public),
        "cells": len(measured.read),
        "min_posterior": measured.min_posterior,
        "max_posterior": measured.max_posterior,
        "components": int(told.ratio),
        "leakage_exact": str(leak.ratio),
        "maximin_exact": str(told.ratio),
        "resolution_exact": str(kept.ratio),
        "distortion_exact": length_text(lost),
        "leakage": leak.upper,
        "maximin": told.upper,
        "resolution": kept.lower,
        "distortion": lost.upper,
        "suppressed_rows": measured.suppressed_rows,
    }


def original_digest(source: Source) -> str:
    """The digest of the original's sensitive, public, given and kept columns."""
    request = source.request
    names = (*request.sensitive, *request.public, *request.given, *request.keep)
    columns = [source.text(source.tally, name) for name in names]
    return digest(names, json_rows([(c.texts, c.codes) for c in columns]), source.tally.counts)


def released_digest(measured: Measured) -> str:
    """The digest of the released table: its public columns as they read, and its kept ones."""
    source, read = measured.source, measured.read
    cells = read.cell_of[public_of_kept(source)]
    columns = [(word.texts, cells) for word in read.words]
    for name in source.request.keep:
        column = source.text(source.kept, name)
        columns.append((column.texts, column.codes))
    names = (*source.request.public, *source.request.keep)
    return digest(names, json_rows(columns), source.kept.counts)


def public_of_kept(source: Source) -> IntArray:
    """The public tuple of each combination of public and kept columns."""
    return ranks_of_prefix(source.kept, len(source.request.public))


def _options(request: ReleaseRequest, public: PublicColumns) -> dict[str, Any]:
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
    }


def _end(column: PublicColumn, end: Fraction) -> str:
    if column.kind == "date":
        return str(np.datetime64(int(end), "D"))
    return str(end)


def _tree(column: PublicColumn) -> dict[str, list[str | None]]:
    """What stands above each value, as the file has it."""
    if column.tree is None:
        raise ValueError("the column has no hierarchy")
    return {value: list(above) for value, above in column.tree.declared.items() if value is not None}


def _target(request: ReleaseRequest) -> dict[str, Any]:
    found = {name: limit if isinstance(limit, int) else str(limit) for name, limit in request.targets.items()}
    return found | ({"suppress": str(request.suppress)} if request.suppress else {})


def _witness(measured: Measured) -> dict[str, Any]:
    read = measured.read
    member = read.furthest
    return {
        "posterior_cell": measured.posterior_cell,
        "largest_cell": read.largest_cell,
        "distortion_cell": int(read.cell_of[member]),
        "distortion_member": [c.texts[int(c.codes[member])].as_py() for c in read.public.columns],
    }


def _cells(measured: Measured) -> Cells:
    read = measured.read
    numbers = np.arange(len(read))
    order = read.layout.order
    return Cells(
        json_rows([(word.texts, numbers) for word in read.words]),
        json_rows([(column.texts, column.codes[order]) for column in read.public.columns]).cast(
            pa.large_string()
        ),
        read.layout.sizes,
        measured.rows_of_cells,
        measured.posteriors,
        read.suppressed,
    )
