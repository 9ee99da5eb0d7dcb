"""Re-checking a certificate from the two tables alone: each claim beside what the tables say."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from noiseless.display import Facts, FrameMixin, PageMixin, Shown, arrow_rows
from noiseless.errors import RequestError
from noiseless.tables import Table, open_table
from noiseless.tables.text_source import TextSource
from noiseless.verification.certificate import CertifiedRelease
from noiseless.verification.certificate_json import certificate_file, check_version, json_file
from noiseless.verification.claims import check_certificate
from noiseless.verification.evidence import Evidence
from noiseless.verification.findings import Findings, written_words
from noiseless.verification.table_counts import TableCounts
from noiseless.verification.tabulation_claims import check_tables

if TYPE_CHECKING:
    import pyarrow as pa

    from noiseless.tables.duckdb_table import DuckDBTable


SCHEMA = Path(__file__).with_name("certificate.schema.json")
"""The JSON Schema of certificates."""


class Verification(Shown, FrameMixin, PageMixin, Findings):
    """Whether a certificate holds for two tables, claim by claim.

    Attributes:
        checks: every claim, in the order of the documentation.
        about: the columns by their roles, and how distances are measured: what the claims are about.
        not_checked: what the certificate states besides, which no table can tell.
        notes: what to bear in mind.
    """

    def _shown(self) -> tuple[str, Facts]:
        return self.verdict, self.lines

    def to_arrow(self) -> "pa.Table":
        """A row for each claim."""
        return arrow_rows(check.to_dict() for check in self.checks)


def verify(
    certificate: Any,  # noqa: ANN401 - a file's name or a mapping
    *,
    original: Any,  # noqa: ANN401 - anything that open_table opens
    released: Any,  # noqa: ANN401 - anything that open_table opens
    names: Sequence[str] | None = None,
) -> Verification:
    """Check every claim of a certificate against the original table and the released one.

    Args:
        certificate: the name of a JSON file, the certificate itself, or the release that has it.
        original: the table that the release was made from: a file, a glob, a database table, any frame. A
            file in another encoding, with decimal commas or other dates is read as the certificate says,
            unless the caller says.
        released: the released table.
        names: the original's column names, where it is a text file without a header line.

    Raises:
        NoiselessError: a table or the certificate cannot be read. A certificate that can be read and is
            wrong is no error: its verification does not hold.

    >>> import pyarrow as pa
    >>> from noiseless import release
    >>> patients = pa.table({"age": [31, 35, 52, 47, 31, 60], "chol": [180, 182, 190, 230, 233, 240]})
    >>> done = release(patients, sensitive="age", public="chol", min_posterior=2)
    >>> verify(done.certificate, original=patients, released=done.frame).verdict
    'The certificate holds: all 23 checks pass.'
    >>> verify(done.certificate, original=patients, released=patients.select(["chol"])).holds
    False
    """
    opened = list[_Original]()

    def counted(claimed: CertifiedRelease) -> TableCounts:
        opened.append(_Original.open(original, names, claimed.options.written))
        return Evidence(claimed, opened[0].table, open_table(released)).counts()

    found = check_certificate(read_certificate(certificate), counted)
    about, notes = dict(found.about), found.notes
    for one in opened:
        about |= {"written": one.said} if one.said else {}
        notes = (*notes, *one.notes)
    return Verification(found.checks, about, found.not_checked, notes)


class _Original(NamedTuple):
    """The original, how it was read, and what to say of that."""

    table: Table
    said: Mapping[str, Any]
    notes: tuple[str, ...]

    @classmethod
    def open(
        cls,
        original: Any,  # noqa: ANN401 - anything that open_table opens
        names: Sequence[str] | None,
        written: Mapping[str, Any],
    ) -> "_Original":
        """Read a file as its caller says, and otherwise as the certificate says, which is then noted.

        Names and separators are the caller's alone: a certificate could call the secret public by them.

        Raises:
            RequestError: read as only the certificate says, values that differ become equal.
        """
        named = {"names": list(names)} if names else {}
        if not isinstance(original, str | Path | TextSource):
            return cls(open_table(original, names=names), named, ())
        own = original if isinstance(original, TextSource) else TextSource(str(original))
        taken = own.taken(written)
        both = replace(own, **taken)
        if not taken:
            return cls(open_table(original, names=names), both.said | named, ())
        words = written_words(taken)
        plain = cast("DuckDBTable", open_table(replace(both, decimal=None, date_format=None), names=names))
        if merged := TextSource(own.source, **taken).merged(plain):
            raise RequestError(
                f"the certificate reads the original with {words}, which makes different values of "
                f"{merged[0]!r} equal; if your file is written so, verify it with {words}"
            )
        note = f"the certificate has the original read with {words}; check that your file is written so"
        return cls(open_table(both, names=names), both.said | named, (note,))


def verify_tables(certificate: Any, publication: Any) -> Verification:  # noqa: ANN401 - files or objects
    """Check every claim of the certificate of published tables: by adding up, without a solver.

    Args:
        certificate: the name of a JSON file, or the certificate itself.
        publication: the tables, as they were read (with `to_dict`) or as JSON has them.

    Raises:
        NoiselessError: the certificate cannot be read. One that can be read and is wrong is no error: its
            verification does not hold.
    """
    held = json_file(Path(certificate)) if isinstance(certificate, str | Path) else certificate
    tables = publication if isinstance(publication, Mapping) else publication.to_dict()
    return Verification(check_tables(held, tables).checks)


def read_certificate(source: Any) -> Mapping[str, Any]:  # noqa: ANN401 - a file's name or an object
    """The certificate as it stands in a file, or as somebody has it in memory.

    Args:
        source: the name of a JSON file, a mapping, an object with `to_dict`, or what has such a certificate.

    Raises:
        SourceError: it cannot be read, is no certificate, or is one of another version.
    """
    if isinstance(source, str | Path):
        return certificate_file(Path(source))
    own = source if isinstance(source, Mapping) else getattr(source, "certificate", source)
    held = own.to_dict() if not isinstance(own, Mapping) and hasattr(own, "to_dict") else own
    if not isinstance(held, Mapping):
        raise RequestError("a certificate is the name of a JSON file or a mapping")
    return check_version(held, "the certificate")
