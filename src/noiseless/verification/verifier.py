"""Re-checking a certificate from the two tables alone: each claim beside what the tables say."""

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from noiseless.arrays import IntArray
from noiseless.exact import Bits
from noiseless.tables import open_table
from noiseless.verification.certificate import CertifiedRelease, ClaimedWitness, parse_certificate
from noiseless.verification.certificate_json import FORMAT, VERSION, FormatError, read_certificate
from noiseless.verification.distortion import Distortion
from noiseless.verification.evidence import Evidence, resolution
from noiseless.verification.quantities import ExactLength
from noiseless.verification.results import Check, Shown, Verification


def equal(name: str, claimed: Shown, found: Shown) -> Check:
    """A claim that holds when the two agree; what was not found agrees with nothing."""
    return Check(name, found is not None and claimed == found, claimed, found)


def check_claims(evidence: Evidence) -> Iterator[Check]:
    """All checks but that of the format, in order."""
    yield from _tables(evidence)
    yield from _partition(evidence)
    yield from _measures(evidence)
    yield _target(evidence)
    yield _witnesses(evidence)


def _tables(evidence: Evidence) -> Iterator[Check]:
    certificate = evidence.certificate
    named = "the columns named, and no others in the release"
    faults = ", ".join(evidence.column_faults)
    yield Check("columns", not faults, named, faults or named)
    original, released = evidence.rows, evidence.released_rows
    yield equal("original_rows", certificate.original.rows, None if original is None else original.total)
    yield equal("original_digest", certificate.original.digest, evidence.original_digest)
    yield equal("released_rows", certificate.released.rows, None if released is None else released.total)
    yield equal("released_digest", certificate.released.digest, evidence.released_digest)


def _partition(evidence: Evidence) -> Iterator[Check]:
    partition, words = evidence.matched
    yield Check("partition", partition is not None, "every public value in one cell", words)
    same, words = evidence.release
    yield Check("release", same, "each row as its cell", words)
    faults = evidence.uncovered
    words = None if faults is None else "every cell" if not faults else _listed(faults)
    yield Check("codewords", faults == {}, "released tuples cover their cells", words)
    words = None if evidence.exposure is None else _count_faults(evidence)
    yield Check("partition_counts", words == _AGREE, "rows and posterior of each cell", words)


def _listed(faults: dict[str, int]) -> str:
    return ", ".join(f"{count:,} cells not covered by {where}" for where, count in faults.items())


_AGREE = "all agree"


def _count_faults(evidence: Evidence) -> str:
    exposure, cells = evidence.exposure, evidence.certificate.cells
    if exposure is None:
        return ""
    rows = np.flatnonzero(exposure.rows != [cell.rows for cell in cells])
    posteriors = np.flatnonzero(exposure.posteriors != [cell.posterior for cell in cells])
    faults = [
        f"{len(wrong):,} cells have other {what}, the first is cell {wrong[0]}"
        for what, wrong in (("rows", rows), ("posteriors", posteriors))
        if len(wrong)
    ]
    return ", ".join(faults) or _AGREE


def _measures(evidence: Evidence) -> Iterator[Check]:
    claim, exposure, partition = evidence.certificate.claim, evidence.exposure, evidence.partition
    rows, values = evidence.secrets, evidence.values
    secrets = None if rows is None else len(rows.groups(evidence.certificate.columns.sensitive))
    suppressed = [cell.suppressed for cell in evidence.certificate.cells]
    found = {
        "sensitive_values": secrets,
        "public_values": None if values is None else len(values),
        "cells": None if partition is None else len(partition.cells),
        "min_posterior": None if exposure is None else exposure.min_posterior,
        "max_posterior": None if exposure is None else exposure.max_posterior,
        "components": None if exposure is None else exposure.components,
    }
    for name, number in found.items():
        yield equal(name, claim.counts[name], number)
    leakage = None if exposure is None else exposure.leakage
    components = None if exposure is None else Fraction(exposure.components)
    kept = None if partition is None else resolution(partition)
    yield _logarithm("leakage", claim.leakage, claim.floats["leakage"], leakage)
    yield _logarithm("maximin", claim.maximin, claim.floats["maximin"], components)
    yield _logarithm("resolution", claim.resolution, claim.floats["resolution"], kept)
    yield _distortion(evidence)
    hidden = None if exposure is None else int(exposure.rows[suppressed].sum())
    yield equal("suppressed_rows", claim.counts["suppressed_rows"], hidden)


def _logarithm(name: str, claimed: Fraction, rounded: float | None, found: Fraction | None) -> Check:
    """A number of bits: its exact ratio, and the rounded form, which must be on the safe side and near."""
    check = equal(name, f"log2({claimed})", None if found is None else f"log2({found})")
    if found is None or not check.holds:
        return check
    exact = Bits(found)
    if rounded is not None:
        near, far = (
            Fraction(rounded),
            Fraction(rounded) + _slack(rounded) * (1 if name == "resolution" else -1),
        )
        if near <= exact <= far if name == "resolution" else far <= exact <= near:
            return check
    return _badly_rounded(check, rounded, f"about {math.log2(found):.6f} bits")


def _slack(rounded: float) -> Fraction:
    """How far the exact number may be from a rounded one: a thousandth, relative to it where that is more."""
    return max(Fraction(1), abs(Fraction(rounded))) / 1000


def _badly_rounded(check: Check, rounded: float | None, true: str) -> Check:
    return Check(
        check.name, False, f"{check.claimed}, written as {rounded}", f"{check.found}, which is {true}"
    )


def _distortion(evidence: Evidence) -> Check:
    claim, options, found = evidence.certificate.claim, evidence.certificate.options, evidence.distortion
    claimed, rounded = claim.distortion, claim.floats["distortion"]
    if options.distance is None:
        nothing = claimed is None and rounded is None
        return Check(
            "distortion", nothing, None if claimed is None else str(claimed), "no distance is stated"
        )
    words = None if claimed is None else str(claimed)
    if not isinstance(found, Distortion):
        return Check("distortion", False, words, found)
    check = equal("distortion", words, str(found.largest))
    if not check.holds:
        return check
    if rounded is not None and rounded >= 0:
        far = max(Fraction(0), Fraction(rounded) - _slack(rounded))
        if ExactLength(far**2) <= found.largest <= ExactLength(Fraction(rounded) ** 2):
            return check
    return _badly_rounded(check, rounded, "larger, or far smaller")


def _target(evidence: Evidence) -> Check:
    """Every limit that was asked for."""
    target, exposure, partition = evidence.certificate.target, evidence.exposure, evidence.partition
    asked = ", ".join(f"{name} {_words(limit)}" for name, limit in target.items()) or "nothing"
    if not target:
        return Check("target", holds=True, claimed=asked, found=asked)
    if exposure is None or partition is None:
        return Check("target", holds=False, claimed=asked, found=None)
    cells = evidence.certificate.cells
    hidden = sum(int(rows) for rows, cell in zip(exposure.rows, cells, strict=True) if cell.suppressed)
    distortion = evidence.distortion.largest if isinstance(evidence.distortion, Distortion) else None
    reached: dict[str, object] = {
        "min_posterior": exposure.min_posterior,
        "max_leakage": Bits(exposure.leakage),
        "max_maximin": Bits(exposure.components),
        "min_resolution": Bits(resolution(partition)),
        "max_distortion": distortion,
        "suppress": Fraction(hidden, int(exposure.rows.sum())),
    }
    missed = [name for name, limit in target.items() if not _met(name, reached[name], limit)]
    found = ", ".join(f"{name} is {_words(reached[name])}" for name in missed)
    return Check("target", not missed, asked, found or asked)


def _met(name: str, reached: object, limit: object) -> bool:
    if reached is None:
        return False
    if name.startswith("min_"):
        return bool(reached >= limit)  # type: ignore[operator]  # both are of the kind that goes with the name
    return bool(reached <= limit)  # type: ignore[operator]


def _words(value: object) -> str:
    return f"log2({value.ratio})" if isinstance(value, Bits) else "not known" if value is None else str(value)


def _witnesses(evidence: Evidence) -> Check:
    witness = evidence.certificate.witness
    claimed = ", ".join(f"{name} {getattr(witness, name)}" for name in ClaimedWitness._fields[:3])
    if evidence.exposure is None or evidence.partition is None:
        return Check("witnesses", holds=False, claimed=claimed, found=None)
    faults = list(_witness_faults(evidence, witness))
    found = f"wrong: {', '.join(faults)}" if faults else claimed
    return Check("witnesses", not faults, claimed, found)


def _witness_faults(evidence: Evidence, witness: ClaimedWitness) -> Iterator[str]:
    exposure, partition, values = evidence.exposure, evidence.partition, evidence.values
    if exposure is None or partition is None or values is None:
        return
    cells = partition.cells
    if not (
        witness.posterior_cell < len(cells)
        and exposure.posteriors[witness.posterior_cell] == exposure.min_posterior
    ):
        yield "posterior_cell"
    sizes = np.where([cell.suppressed for cell in cells], 0, partition.sizes)
    if not sizes.any():  # all are suppressed: there is nothing to witness
        return
    if not _attains(sizes, witness.largest_cell):
        yield "largest_cell"
    distortion = evidence.distortion
    if not isinstance(distortion, Distortion):
        if witness.distortion_cell is not None or witness.distortion_member is not None:
            yield "distortion_cell"
        return
    if witness.distortion_member is None or witness.distortion_cell is None:
        yield "distortion_cell"
        return
    member = int(values.find([witness.distortion_member])[0])
    inside = member >= 0 and partition.cell_of[member] == witness.distortion_cell
    shown = inside and not cells[witness.distortion_cell].suppressed
    if not shown or distortion.costs[member] != distortion.costs.max():
        yield "distortion_member"


def _attains(sizes: IntArray, cell: int | None) -> bool:
    """Whether a cell is a largest one."""
    return cell is not None and cell < len(sizes) and bool(sizes[cell] == sizes.max())


def verify(
    certificate: Any,  # noqa: ANN401 - a file's name or a mapping
    *,
    original: Any,  # noqa: ANN401 - anything that open_table opens
    released: Any,  # noqa: ANN401 - anything that open_table opens
    names: Sequence[str] | None = None,
) -> Verification:
    """Check every claim of a certificate against the original table and the released one.

    Args:
        certificate: the name of a JSON file, or the certificate itself.
        original: the table that the release was made from: a file, a glob, a database table, any frame.
        released: the released table.
        names: the original's column names, where it is a text file without a header line.

    Raises:
        NoiselessError: a table or the certificate cannot be read. A certificate that can be read and is
            wrong is no error: its verification does not hold.

    >>> import pyarrow as pa
    >>> table = pa.table({"age": [31, 52]})
    >>> verify({"format": "noiseless-certificate", "version": 1}, original=table, released=table)
    The certificate DOES NOT HOLD: format.
      format  FAILS: claimed noiseless-certificate 1, found the certificate has no tool
    """
    raw = read_certificate(certificate)
    name = f"{FORMAT} {VERSION}"
    try:
        claimed = parse_certificate(raw)
    except FormatError as error:
        return Verification((Check("format", holds=False, claimed=name, found=str(error)),))
    evidence = Evidence(claimed, open_table(original, names=names), open_table(released))
    found = (Check("format", holds=True, claimed=name, found=name), *check_claims(evidence))
    return Verification(found, _about(claimed), claimed.not_checked, evidence.notes)


def _about(certificate: CertifiedRelease) -> dict[str, Any]:
    """What the claims are about: true claims about a weak distance, or a weak adversary, are weak claims."""
    options = certificate.options
    return {
        **{role: list(columns) for role, columns in certificate.columns._asdict().items()},
        "missing": options.missing,
        "distinct_rows": options.distinct_rows,
        "spellings": options.spellings,
        "codeword": options.codeword,
        "distance": options.distance,
        "kinds": dict(options.kinds),
        "weights": {column: str(weight) for column, weight in options.weights.items()},
        "spans": {column: [str(end) for end in span] for column, span in options.spans.items()},
        "hierarchy_cost": options.hierarchy_cost,
        "hierarchies": sorted(certificate.hierarchies),
    }


STANDALONE = Path(__file__).with_name("standalone.py")
"""The same checks as one file that needs nothing but Python."""

SCHEMA = Path(__file__).with_name("certificate.schema.json")
"""The JSON Schema of certificates."""
