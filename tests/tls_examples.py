"""Certificates that nobody but a test trusts."""

import shutil
import subprocess
from pathlib import Path

import pytest


def certificate(folder: Path, name: str = "server") -> tuple[Path, Path]:
    """A certificate of this machine, signed by itself, and its key."""
    program = shutil.which("openssl")
    if program is None:
        pytest.skip("openssl is not installed")
    cert, key = folder / f"{name}.pem", folder / f"{name}.key"
    made = (
        "req",
        "-x509",
        "-newkey",
        "ec",
        "-pkeyopt",
        "ec_paramgen_curve:prime256v1",
        "-nodes",
        "-days",
        "2",
    )
    named = ("-subj", f"/CN={name}", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1")
    command = [program, *made, *named, "-keyout", str(key), "-out", str(cert)]
    subprocess.run(command, check=True, capture_output=True)
    return cert, key
