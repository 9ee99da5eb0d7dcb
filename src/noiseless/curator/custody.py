"""The owner's records: versions in the ledger, whether the file still says the same, and releases."""

import hashlib
import json
from collections.abc import Collection, Iterator, Mapping
from functools import partial
from math import prod
from os import PathLike
from pathlib import Path
from typing import Any

from noiseless.amounts import Budget, Cost
from noiseless.curator.file import CuratorFile
from noiseless.curator.public_state import PublicState
from noiseless.curator.source import DatasetSource, note_declared, was_declared
from noiseless.errors import ColumnError, RequestError
from noiseless.exact import Bits, as_fraction
from noiseless.ledger import Ledger, NewQuestion, OpenBooks, Shares, State, UnknownDatasetError, Version
from noiseless.work import check

PUBLIC = "public state"
"""The fingerprint under which a version's public state is kept in the ledger: it costs nothing."""
_ROLES = ("sensitive", "public", "given", "keep")


def declare(
    file: CuratorFile, ledger: Ledger, source: DatasetSource, *, carry_over: bool, by: str
) -> Version:
    """Declare what the source holds now: a new version, with the budgets of the file.

    It is a new version also if nothing changed: otherwise it would tell that nobody's record did.

    Raises:
        NoiselessError: the source is not what the file declares; nothing was written.
    """
    snapshot, digest = source.read()
    public = PublicState.of(file, snapshot)
    if carry_over:
        _require_known(file, ledger)
    version = ledger.declare(
        file.name,
        digest=digest,
        budget=file.budget,
        analyst_budget=file.analyst_budget,
        record=public.record,
        new_version=True,
        carry_over=carry_over,
        change_budget=True,
        by=by,
    )
    _keep(ledger, file.name, public, digest)
    note_declared(file)
    return version


def record_budgets(file: CuratorFile, ledger: Ledger, *, by: str) -> None:
    """Record the budgets of the file, if they are others; the version stays.

    Raises:
        UnknownDatasetError: it was never declared.
    """
    state = ledger.state(file.name, cells=(), analysts=())
    if _other_budget(file, state) is not None:
        ledger.change_budget(
            file.name, file.budget, analyst_budget=file.analyst_budget, by=by, reason="declared"
        )


def charged_questions(ledger: Ledger, name: str, number: int) -> Iterator[Mapping[str, Any]]:
    """All questions that were charged for about a version of a dataset."""
    for entry in ledger.entries(name):
        check()
        if entry.kind == "charge" and entry.body["version"] == number:
            for asked in entry.body.get("questions", ()):
                if asked["question"] != PUBLIC:
                    yield asked["body"]


def current(file: CuratorFile, ledger: Ledger, source: DatasetSource) -> PublicState:
    """The public state of the present version; the first process to come declares it.

    Raises:
        RequestError: the owner's file differs from what the ledger holds, and the change is not recorded.
    """
    try:
        state = ledger.state(file.name, cells=(), analysts=())
    except UnknownDatasetError:
        declare(file, ledger, source, carry_over=True, by="owner")
        state = ledger.state(file.name, cells=(), analysts=())
    note_declared(file)
    found = ledger.told(file.name, questions=[PUBLIC])
    if not found:  # the process that declared the version was killed before its public state was written
        snapshot = source.snapshot(state.digest, state.version)
        _keep(ledger, file.name, PublicState.of(file, snapshot), state.digest)
        found = ledger.told(file.name, questions=[PUBLIC])
    public = PublicState.read(found[0].body, state.version, file.limits)
    for what, command in (
        (_other_columns(file, public), "declare"),
        (_other_budget(file, state), "budget"),
    ):
        if what is not None:
            raise RequestError(
                f"{file.path.name} declares {what} than version {state.version} in the ledger;"
                f" record the change with: noiseless dataset {command} {file.path.name}"
            )
    return public


def _require_known(file: CuratorFile, ledger: Ledger) -> None:
    """Refuse a ledger that has lost a dataset: nobody would know any more what was paid.

    Raises:
        RequestError: the dataset was declared before, and the ledger knows nothing of it.
    """
    declared_before = was_declared(file)  # before the ledger is looked at: somebody may be declaring now
    try:
        ledger.state(file.name, cells=(), analysts=())
    except UnknownDatasetError:
        if declared_before:
            raise RequestError(
                f"the ledger knows nothing of {file.name!r}, declared before: what was paid is lost;"
                f" restore the ledger, or start anew: noiseless dataset declare {file.path.name} --start-anew"
            ) from None


def _keep(ledger: Ledger, dataset: str, public: PublicState, digest: str) -> None:
    def write(books: OpenBooks) -> None:
        if books.state.digest == digest:  # otherwise somebody else has declared another version meanwhile
            books.charge(Shares(), questions=[NewQuestion(PUBLIC, body=public.to_dict())])

    ledger.settle(dataset, write)


def _other_columns(file: CuratorFile, public: PublicState) -> str | None:
    if public.schema.dump() != file.schema.dump():
        return "other columns"
    return "another max_rows" if public.limits.rows != file.rows else None


def _other_budget(file: CuratorFile, state: State) -> str | None:
    if _exact(state.budget) != _exact(file.budget):
        return "another budget"
    return "another analyst_bits" if _exact(state.analyst_budget) != _exact(file.analyst_budget) else None


def _exact(budget: Budget | None) -> object:
    return budget if budget is None or isinstance(budget, Bits) else as_fraction(budget)


def read_certificate(certificate: Mapping[str, Any] | str | PathLike[str]) -> Mapping[str, Any]:
    """A certificate, or the one in a file.

    Raises:
        RequestError: it is none.
    """
    if isinstance(certificate, Mapping):
        found: Any = certificate
    else:
        try:
            found = json.loads(Path(certificate).read_text("utf-8"))
        except (OSError, TypeError, ValueError) as error:
            problem = getattr(error, "strerror", None) or "is no JSON"
            raise RequestError(
                f"{certificate}: {str(problem).lower()}; give a release's certificate"
            ) from None
    columns = found.get("columns") if isinstance(found, Mapping) else None
    if not isinstance(columns, Mapping) or not isinstance(found.get("claim"), Mapping):
        raise RequestError("that is no certificate of a release; `noiseless release` writes one")
    return dict(found)


def certificate_digest(certificate: Mapping[str, Any]) -> str:
    """What a certificate is called in the ledger."""
    text = json.dumps(certificate, sort_keys=True, separators=(",", ":"))
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"


def release_cost(certificate: Mapping[str, Any], public: PublicState, cells: int | None = None) -> Cost:
    """The cost of a release.

    Args:
        certificate: of the release.
        public: of the dataset that it was made from.
        cells: how many cells there were in all, if they were fixed before the data was seen; None if the data
            had a say in them, as it has in every optimised release.

    Raises:
        ColumnError: the release used a column that is not declared.
        RequestError: there are more cells in the certificate than that, or it cannot have been so.
    """
    columns = {role: list(certificate["columns"].get(role, ())) for role in _ROLES}
    for name in (name for names in columns.values() for name in names):
        if name not in public.schema.columns:
            raise ColumnError(name, "of the release is not declared; declare its domain and role")
    private = {role: [n for n in names if n in public.schema.private] for role, names in columns.items()}
    used = {name for names in private.values() for name in names}
    options, claim = certificate.get("options", {}), certificate["claim"]
    is_distinct = options.get("distinct_rows", False)  # duplicates are rows that agree in all columns
    if cells is None:
        return Cost(_values(public, public.schema.private if is_distinct else used) ** public.limits.rows)
    if cells < int(claim.get("cells", 1)):
        raise RequestError(f"the certificate names {claim['cells']:,} cells; there were at least as many")
    if claim.get("suppressed_rows") or is_distinct:
        raise RequestError(
            "rows were suppressed or left out by looking at the data; leave the number of cells out"
        )
    merged = min(cells, _values(public, set(private["public"])))
    may_drop = options.get("missing") == "drop" and any(map(partial(_may_be_missing, public), used))
    return Cost((merged * _values(public, set(private["keep"])) + may_drop) ** public.limits.rows)


def _values(public: PublicState, names: Collection[str]) -> int:
    """What a release can show of some columns: a missing value is one more, whatever answers count it as."""
    return prod(public.schema.columns[name].size + _may_be_missing(public, name) for name in names)


def _may_be_missing(public: PublicState, name: str) -> bool:
    return public.schema.columns[name].missing is not None
