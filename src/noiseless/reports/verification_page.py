"""The page of a verification: every claim of a certificate, and what the tables say."""

from noiseless import __version__
from noiseless.reports.pages import environment
from noiseless.verification.verifier import Verification


def verification_html(
    found: Verification,
    certificate: str = "the certificate",
    original: str = "the original table",
    released: str = "the released table",
) -> str:
    """A verification as one HTML page that needs nothing else; it shows no value of a sensitive column.

    Args:
        found: what was found.
        certificate: what the certificate is called.
        original: what the original table is called.
        released: what the released table is called.
    """
    template = environment().get_template("verification.html.j2")
    files = {"Certificate": certificate, "Original table": original, "Released table": released}
    return template.render(found=found, files=files, version=__version__)
