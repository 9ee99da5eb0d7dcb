"""Re-checking a certificate from the two tables alone: each claim beside what the tables say."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from noiseless.display import Facts, FrameMixin, PageMixin, Shown, arrow_rows
from noiseless.errors import RequestError, SourceError
from noiseless.tables import open_table
from noiseless.tables.text_source import TextSource
from noiseless.verification.certificate import CertifiedRelease
from noiseless.verification.certificate_json import certificate_file, check_version, json_file
from noiseless.verification.claims import check_certificate
from noiseless.verification.evidence import Evidence
from noiseless.verification.findings import Findings, written_words
from noiseless.verification.parts import MANIFEST_FORMAT, check_parts
from noiseless.verification.table_counts import TableCounts
from noiseless.verification.tabulation_claims import check_tables

if TYPE_CHECKING:
    import pyarrow as pa


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
        certificate: the name of a JSON file, the certificate itself, or the release that has it. Of a release
            in parts, the name of its manifest.
        original: the table that the release was made from: a file, a glob, a database table, any frame. How a
            file is written only the caller says (`TextSource`), never the certificate.
        released: the released table; of a release in parts, its folder.
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
    said: dict[str, Any] = dict(original.said) if isinstance(original, TextSource) else {}
    said |= {"names": list(names)} if names else {}

    def counted(claimed: CertifiedRelease) -> TableCounts:
        try:
            table = open_table(original, names=names)
        except SourceError as error:
            raise _hinted(error, claimed.options.written, said) from None
        return Evidence(claimed, table, open_table(released)).counts()

    held = json_file(Path(certificate)) if isinstance(certificate, str | Path) else certificate
    if isinstance(held, Mapping) and held.get("format") == MANIFEST_FORMAT:
        if held is certificate:
            raise RequestError("the parts' certificates stand beside their manifest; name its file")
        found = check_parts(Path(certificate), held, open_table(original, names=names), released)
        return Verification(found.checks, found.about, found.not_checked, found.notes)
    own = read_certificate(held) if held is certificate else check_version(held, str(certificate))
    found = check_certificate(own, counted)
    about = {**found.about, **({"written": said} if said and found.about else {})}
    return Verification(found.checks, about, found.not_checked, found.notes)


def _hinted(error: SourceError, written: Mapping[str, Any], said: Mapping[str, Any]) -> SourceError:
    """The same error, and how the certificate has the original written, where nobody said."""
    if said or not written:
        return error
    return SourceError(error.source, f"{error.problem}; the release was made with {written_words(written)}")


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
