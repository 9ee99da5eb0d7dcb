"""What a released table costs: how many releases one person can cause while all others stay as they are.

A release is a function of all records. When the cells were chosen by looking at the data, a single person's
sensitive value can change the choice, and so the whole table: the number of cells is then no bound. All that
is certain is that a person causes no more releases than the private columns that went into it have values.
Cells that were fixed before the data was seen tell of a person only the cell they are in.
"""

import hashlib
import json
from collections.abc import Mapping
from math import prod
from os import PathLike
from pathlib import Path
from typing import Any

from noiseless.curator.public import PublicState
from noiseless.errors import ColumnError, RequestError
from noiseless.pricing.cost import Cost

_ROLES = ("sensitive", "public", "given", "keep")


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
    if cells is None:
        used = {name for names in private.values() for name in names}
        return Cost(_values(public, used) ** public.limits.rows)
    claim = certificate["claim"]
    if cells < int(claim.get("cells", 1)):
        raise RequestError(f"the certificate names {claim['cells']:,} cells; there were at least as many")
    if claim.get("suppressed_rows"):
        raise RequestError("rows were suppressed by looking at the data; leave the number of cells out")
    merged = min(cells, _values(public, set(private["public"])))
    return Cost((merged * _values(public, set(private["keep"]))) ** public.limits.rows)


def _values(public: PublicState, names: set[str]) -> int:
    return prod(public.schema.columns[name].size for name in names)
