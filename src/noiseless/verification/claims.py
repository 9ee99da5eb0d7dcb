"""Each claim of a certificate beside what the two tables say, given what was counted from these."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from noiseless.verification.certificate import UNIT, CertifiedRelease, TableFacts, parse_certificate
from noiseless.verification.certificate_json import FORMAT, FormatError
from noiseless.verification.codebook import CertifiedCodebook
from noiseless.verification.findings import Check, Findings, Shown, written_words
from noiseless.verification.quantities import ExactLength, LogRatio
from noiseless.verification.risks import key_words
from noiseless.verification.table_counts import CellExposure, TableCounts, partition_faults


def check_certificate(raw: Mapping[str, Any], count: Callable[[CertifiedRelease], TableCounts]) -> Findings:
    """Every check of a certificate, given as JSON; where it is malformed, nothing is counted."""
    name = f"{FORMAT} {raw.get('version')}"
    try:
        certificate = parse_certificate(raw)
    except FormatError as error:
        return Findings((Check("format", False, name, str(error)),))
    claims = Claims(certificate, count(certificate))
    checks = (Check("format", True, name, name), *claims.checks())
    notes = claims.notes()
    if any(check.name == "original_digest" and not check.holds for check in checks):
        otherwise = "the original is another table than the release was made from, or is read in another way"
        said = written_words(certificate.options.written)
        usual = "its --names, --encoding, --separator, --decimal and --date-format as then"
        then = f"{said}, if your file is written so" if said else usual
        notes += (f"{otherwise}: give {then}",)
    return Findings(checks, _about(certificate), certificate.not_checked, notes)


def _about(certificate: CertifiedRelease) -> dict[str, Any]:
    """What the claims are about: true claims about a weak distance, or a weak adversary, are weak claims."""
    options = certificate.options
    return {
        **{
            role: list(names)
            for role, names in certificate.columns._asdict().items()
            if names or role != UNIT
        },
        "missing": options.missing,
        "distinct_rows": options.distinct_rows,
        "spellings": options.spellings,
        **({"ordered": options.ordered} if certificate.claim.risks else {}),
        **({"keys": [list(key) for key in options.keys]} if options.keys else {}),
        **({"classes": len(set(options.classes.values()))} if options.classes else {}),
        "codeword": options.codeword,
        "distance": options.distance,
        "kinds": dict(options.kinds),
        "weights": {column: str(weight) for column, weight in options.weights.items()},
        "spans": {column: [str(end) for end in span] for column, span in options.spans.items()},
        "hierarchy_cost": options.hierarchy_cost,
        "hierarchies": sorted(certificate.hierarchies),
    }


@dataclass(frozen=True, eq=False)
class Claims:
    """A certificate beside what was counted."""

    certificate: CertifiedRelease
    counts: TableCounts

    def checks(self) -> Iterator[Check]:
        """All checks but that of the format, in order."""
        yield from self._tables()
        yield from self._partition()
        yield from self._measures()
        yield self._target()
        yield self._witnesses()

    def notes(self) -> tuple[str, ...]:
        """What to bear in mind: values that differ in spelling only, where each counts for itself."""
        if self.certificate.options.spellings == "one":
            return ()
        return tuple(
            f"{number:,} of the values of {column!r} differ from others in spelling only; this certificate "
            "counts each for itself, so fewer may be left than it says"
            for column, number in self.counts.spare.items()
            if number
        )

    # Tables

    def _tables(self) -> Iterator[Check]:
        named = "the columns named, and no others in the release"
        faults = ", ".join(self._column_faults())
        yield Check("columns", not faults, named, faults or named)
        for table in ("original", "released"):
            claimed: TableFacts = getattr(self.certificate, table)
            found: TableFacts | None = getattr(self.counts, table)
            yield equal_check(f"{table}_rows", claimed.rows, None if found is None else found.rows)
            yield equal_check(f"{table}_digest", claimed.digest, None if found is None else found.digest)

    def _column_faults(self) -> Iterator[str]:
        original, released = self.counts.columns
        named = self.certificate.columns
        yield from (f"the original has no {name!r}" for name in named.original if name not in original)
        yield from (f"the release has no {name!r}" for name in named.released if name not in released)
        yield from (f"the release has {name!r} besides" for name in released if name not in named.released)

    # The partition

    @cached_property
    def _is_partition(self) -> bool:
        strays = self.counts.strays
        return strays is not None and not partition_faults(self.certificate, strays)

    @cached_property
    def _codebook(self) -> CertifiedCodebook | None:
        return CertifiedCodebook(self.certificate) if self._is_partition else None

    @cached_property
    def _uncovered(self) -> dict[str, int] | None:
        """Where released tuples do not cover their cells: nowhere, or in how many cells of which column."""
        return None if self._codebook is None else self._codebook.uncovered()

    def _partition(self) -> Iterator[Check]:
        yield Check(
            "partition", self._is_partition, "every public value in one cell", self._partition_words()
        )
        yield self._release()
        faults = self._uncovered
        words = None if faults is None else "every cell"
        if faults:
            words = ", ".join(f"{count:,} cells not covered by {where}" for where, count in faults.items())
        yield Check("codewords", faults == {}, "released tuples cover their cells", words)
        yield self._cell_counts()

    def _partition_words(self) -> str | None:
        strays, cells = self.counts.strays, self.certificate.cells
        if strays is None:
            return None
        whole = f"{self.counts.public_values:,} public values in {len(cells):,} cells"
        return partition_faults(self.certificate, strays) or whole

    def _release(self) -> Check:
        claimed, released = "each row as its cell", self.counts.released
        if self.counts.difference is None or released is None:
            return Check("release", False, claimed, None)
        missing, strange = self.counts.difference
        if not missing and not strange:
            return Check("release", True, claimed, f"{released.rows:,} rows agree")
        return Check(
            "release", False, claimed, f"{missing:,} rows are missing, {strange:,} should not be there"
        )

    def _cell_counts(self) -> Check:
        name, claimed, exposure = "partition_counts", "rows and posterior of each cell", self.counts.exposure
        if exposure is None:
            return Check(name, False, claimed, None)
        cells = self.certificate.cells
        rows = [i for i, cell in enumerate(cells) if cell.rows != exposure.rows[i]]
        posteriors = [i for i, cell in enumerate(cells) if cell.posterior != exposure.posteriors[i]]
        faults = [
            f"{len(wrong):,} cells have other {what}, the first is cell {wrong[0]}"
            for what, wrong in (("rows", rows), ("posteriors", posteriors))
            if wrong
        ]
        return Check(name, not faults, claimed, ", ".join(faults) or "all agree")

    # Measures

    @cached_property
    def _resolution(self) -> Fraction | None:
        """The rational whose log2 is U1 of [P3]: public values for each one of the largest cell.

        Suppressed values are left out of both.
        """
        if not self._is_partition:
            return None
        sizes = [len(cell.members) for cell in self.certificate.cells if not cell.suppressed]
        return Fraction(sum(sizes), max(sizes)) if sizes else Fraction(1)

    def _suppressed_rows(self, exposure: CellExposure) -> int:
        return sum(exposure.rows[i] for i, cell in enumerate(self.certificate.cells) if cell.suppressed)

    def _measures(self) -> Iterator[Check]:
        claim, counts, exposure = self.certificate.claim, self.counts, self.counts.exposure
        yield equal_check("sensitive_values", claim.counts["sensitive_values"], counts.sensitive_values)
        yield equal_check("public_values", claim.counts["public_values"], counts.public_values)
        cells = len(self.certificate.cells) if self._is_partition else None
        yield equal_check("cells", claim.counts["cells"], cells)
        for name in ("min_posterior", "max_posterior", "components"):
            yield equal_check(name, claim.counts[name], None if exposure is None else getattr(exposure, name))
        leakage = None if exposure is None else exposure.leakage
        components = None if exposure is None else Fraction(exposure.components)
        yield logarithm_check("leakage", claim.leakage, claim.floats["leakage"], leakage)
        yield logarithm_check("maximin", claim.maximin, claim.floats["maximin"], components)
        yield logarithm_check("resolution", claim.resolution, claim.floats["resolution"], self._resolution)
        yield self._distortion_check()
        hidden = None if exposure is None else self._suppressed_rows(exposure)
        yield equal_check("suppressed_rows", claim.counts["suppressed_rows"], hidden)
        risks = None if exposure is None else exposure.risks
        for name, claimed in claim.risks.items():
            yield equal_check(_risk_name(name), claimed, None if risks is None else risks.text(name))
        for number, words in enumerate(claim.keys):
            seen = None if exposure is None else exposure.keys[number]
            yield equal_check(f"key_{number}", words, None if seen is None else self._key_words(seen))

    def _key_words(self, exposure: CellExposure) -> str:
        names, risks = self.certificate.claim.risks, exposure.risks
        found = {name: None if risks is None else risks.text(name) for name in names}
        return key_words(exposure.min_posterior, exposure.min_rows, exposure.leakage, found)

    @cached_property
    def _distortion(self) -> ExactLength | str | None:
        """The largest distance, or what is wrong; None where none is stated or none can be measured."""
        if self._codebook is None or self._uncovered or self.certificate.options.distance is None:
            return None
        return self._codebook.scale_fault() or self._codebook.distortion

    def _distortion_check(self) -> Check:
        claim, found = self.certificate.claim, self._distortion
        claimed, rounded = claim.distortion, claim.floats["distortion"]
        words = None if claimed is None else str(claimed)
        if self.certificate.options.distance is None:
            nothing = claimed is None and rounded is None
            return Check("distortion", nothing, words, "no distance is stated")
        if not isinstance(found, ExactLength):
            return Check("distortion", False, words, found)
        check = equal_check("distortion", words, str(found))
        if not check.holds:
            return check
        if rounded is not None and rounded >= 0:
            far = max(Fraction(0), Fraction(rounded) - _slack(rounded))
            if ExactLength(far**2) <= found <= ExactLength(Fraction(rounded) ** 2):
                return check
        return _badly_rounded(check, rounded, "larger, or far smaller")

    # Limits and witnesses

    def _target(self) -> Check:
        """Every limit that was asked for."""
        target, exposure = self.certificate.target, self.counts.exposure
        asked = ", ".join(f"{name} {limit}" for name, limit in target.items()) or "nothing"
        asked += " for each key" if self.certificate.options.keys else ""
        if not target:
            return Check("target", True, asked, asked)
        if exposure is None or self._resolution is None:
            return Check("target", False, asked, None)
        known = exposure.keys or (exposure,)  # limits are on each key, where any are stated
        reached: dict[str, Any] = {
            "min_posterior": min(one.min_posterior for one in known),
            "min_rows": min(one.min_rows for one in known),
            "max_leakage": LogRatio(max(one.leakage for one in known)),
            "max_maximin": LogRatio(Fraction(exposure.components)),
            "min_resolution": LogRatio(self._resolution),
            "max_distortion": self._distortion if isinstance(self._distortion, ExactLength) else None,
            "suppress": Fraction(self._suppressed_rows(exposure), sum(exposure.rows)),
        }
        limited = self.certificate.claim.risks
        risks = [one.risks for one in known if one.risks is not None]
        reached.update((name, ", ".join(str(one.text(name)) for one in risks)) for name in limited)
        missed = [
            name
            for name, limit in target.items()
            if not (
                bool(risks) and all(one.keeps(name, limit) for one in risks)
                if name in limited
                else _is_met(name, reached[name], limit)
            )
        ]
        words = (f"{name} is {reached.get(name) or 'not known'}" for name in missed)
        return Check("target", not missed, asked, ", ".join(words) or asked)

    def _witnesses(self) -> Check:
        witness = self.certificate.witness
        claimed = ", ".join(f"{name} {getattr(witness, name)}" for name in witness._fields[:3])
        if self.counts.exposure is None:
            return Check("witnesses", False, claimed, None)
        faults = ", ".join(self._witness_faults(self.counts.exposure))
        return Check("witnesses", not faults, claimed, f"wrong: {faults}" if faults else claimed)

    def _witness_faults(self, exposure: CellExposure) -> Iterator[str]:
        witness, cells = self.certificate.witness, self.certificate.cells
        if not _attains(exposure.posteriors, witness.posterior_cell, exposure.min_posterior):
            yield "posterior_cell"
        sizes = [0 if cell.suppressed else len(cell.members) for cell in cells]
        if not any(sizes):  # all are suppressed: there is nothing to witness
            return
        if not _attains(sizes, witness.largest_cell, max(sizes)):
            yield "largest_cell"
        number, member = witness.distortion_cell, witness.distortion_member
        if self._codebook is None or not isinstance(self._distortion, ExactLength):
            if number is not None or member is not None:
                yield "distortion_cell"
        elif number is None or member is None:
            yield "distortion_cell"
        elif (
            number >= len(cells)
            or cells[number].suppressed
            or member not in cells[number].members
            or (
                self._codebook.distances(cells[number])[cells[number].members.index(member)]
                != self._codebook.worst
            )
        ):
            yield "distortion_member"


def equal_check(name: str, claimed: Shown, found: Shown) -> Check:
    """A claim that holds when the two agree; what was not found agrees with nothing."""
    return Check(name, found is not None and claimed == found, claimed, found)


def logarithm_check(name: str, claimed: Fraction, rounded: float | None, found: Fraction | None) -> Check:
    """A number of bits: its exact ratio, and the rounded form, which must be on the safe side and near."""
    check = equal_check(name, f"log2({claimed})", None if found is None else f"log2({found})")
    if found is None or not check.holds:
        return check
    if rounded is not None:
        near, slack = Fraction(rounded), _slack(rounded)
        low, high = (near, near + slack) if name == "resolution" else (near - slack, near)
        if low <= LogRatio(found) <= high:
            return check
    return _badly_rounded(check, rounded, f"about {math.log2(found):.6f} bits")


def _slack(rounded: float) -> Fraction:
    """How far the exact number may be from a rounded one: a thousandth, relative to it where that is more."""
    return max(Fraction(1), abs(Fraction(rounded))) / 1000


def _badly_rounded(check: Check, rounded: float | None, true: str) -> Check:
    claimed, found = f"{check.claimed}, written as {rounded}", f"{check.found}, which is {true}"
    return Check(check.name, False, claimed, found)


def _risk_name(name: str) -> str:
    """What a claim of a risk is called: rows are persons there."""
    return "min_persons" if name == "min_rows" else name


def _is_met(name: str, reached: Any, limit: Any) -> bool:  # noqa: ANN401 - both are of the kind of the name
    if reached is None:
        return False
    return bool(reached >= limit if name.startswith("min_") else reached <= limit)


def _attains(numbers: Sequence[int], cell: int | None, extreme: int) -> bool:
    """Whether a cell is one with the extreme number."""
    return cell is not None and cell < len(numbers) and numbers[cell] == extreme
