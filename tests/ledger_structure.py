"""`python tests/ledger_structure.py` writes `structure.json`: what the steps create."""

import json
import tempfile
from pathlib import Path

from noiseless.ledger.integrity import found_structure
from noiseless.ledger.migrations import open_database
from postgres import temporary_server

OUTPUT = Path(__file__).parents[1] / "src/noiseless/ledger/structure.json"


def structure_of_new(url: str) -> dict[str, str]:
    """The structure of a new ledger."""
    database = open_database(url, create=True, patience=5)
    try:
        return database.read(found_structure)
    finally:
        database.close()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder, temporary_server() as server:
        urls = {"sqlite": f"sqlite:///{folder}/ledger.db", "postgresql": server.new_url()}
        found = {kind: structure_of_new(url) for kind, url in urls.items()}
    OUTPUT.write_text(json.dumps(found, indent=1, sort_keys=True) + "\n", "utf-8")
