"""Re-checking a certificate from the two tables alone."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from noiseless.tables import open_table
from noiseless.verification.certificate import Certificate, understood
from noiseless.verification.claims import checks
from noiseless.verification.evidence import Evidence
from noiseless.verification.fields import FormatError
from noiseless.verification.reading import FORMAT, VERSION, read_certificate
from noiseless.verification.results import Check, Verification


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
        claimed = understood(raw)
    except FormatError as error:
        return Verification((Check("format", holds=False, claimed=name, found=str(error)),))
    evidence = Evidence(claimed, open_table(original, names=names), open_table(released))
    found = (Check("format", holds=True, claimed=name, found=name), *checks(evidence))
    return Verification(found, _about(claimed), claimed.not_checked, evidence.notes)


def _about(certificate: Certificate) -> dict[str, Any]:
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
