"""What is declared of a dataset: its owner's file beside what the ledger holds."""

import json
import logging
from dataclasses import replace
from pathlib import Path

from noiseless.amounts import Budget
from noiseless.curator import CuratorFile
from noiseless.ledger import Ledger, UnknownDatasetError
from noiseless.ledger.analysts import read_note, write_note
from noiseless.ledger.entries import budget_json, canonical
from noiseless.server.telemetry import log

_BUDGET_IN_FILE = "the budget in the file"


def read_file(path: Path, ledger: Ledger) -> CuratorFile:
    """The owner's file as it is now; a budget that was changed over HTTP since it was written stands."""
    file = CuratorFile.read(path)
    try:
        state = ledger.state(file.name, cells=(), analysts=())
    except UnknownDatasetError:
        return file
    if _text(file.budget) == _text(state.budget):
        note_budget_in_file(ledger, file, state.budget)
        return file
    known = _budget_in_file(ledger, file.name, _text(state.budget))
    if state.budget is None or known != _text(file.budget):
        return file
    log("budget", logging.WARNING, dataset=file.name, stands="that of the ledger, not the file's")
    return replace(file, budget=state.budget)


def note_budget_in_file(ledger: Ledger, file: CuratorFile, budget: Budget | None) -> None:
    """Remember which budget the file has when the ledger has, or gets, a certain one.

    A file that is changed later, be it to what it said before, is no file that was left behind.
    """
    said = canonical({"file": _text(file.budget), "ledger": _text(budget)})
    if read_note(ledger, file.name, _BUDGET_IN_FILE) != said:
        write_note(ledger, file.name, _BUDGET_IN_FILE, said)


def _budget_in_file(ledger: Ledger, dataset: str, present: str) -> str | None:
    """The budget that the file had when the ledger got its present one over HTTP.

    A restored ledger has no notes: the file is then taken to be as it was last declared.
    """
    noted = json.loads(read_note(ledger, dataset, _BUDGET_IN_FILE) or "{}")
    if noted.get("ledger") == present:
        return str(noted["file"])
    declared = None
    for entry in ledger.entries(dataset):
        is_first = entry.kind == "dataset"
        if is_first or (entry.kind == "budget" and entry.body["reason"] == "declared"):
            declared = canonical(entry.body["budget"])
    return declared


def _text(budget: Budget | None) -> str:
    return canonical(budget_json(budget))
