"""Entries page by page: as many as are few enough and short enough together, but at least one."""

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from sqlalchemy import Select, bindparam, func, literal_column, select

from noiseless.ledger.schema import entries
from noiseless.ledger.side_tables import text_of

if TYPE_CHECKING:
    from noiseless.ledger.session import Session

_MOST, _MOST_CHARACTERS = 1000, 4_000_000
"""Entries of a page, and characters of their bodies, which may be of any length."""


def read_page(session: "Session", dataset: str | None, after: int) -> list[tuple[Any, ...]]:
    """The rows of the next entries of the ledger, or of one dataset, after a number; none at the end."""
    parameters: dict[str, object] = {"after": after, "most": _MOST, "characters": _MOST_CHARACTERS}
    if dataset is not None:
        parameters["of_dataset"] = dataset
    statement = _page(is_of_dataset=dataset is not None)
    return session.rows(text_of(statement, session.statements.dialect), parameters)


@lru_cache(maxsize=2)
def _page(*, is_of_dataset: bool) -> Select[Any]:
    wanted = [entries.c.seq > bindparam("after", type_=entries.c.seq.type)]
    if is_of_dataset:
        wanted.append(entries.c.dataset == bindparam("of_dataset"))
    size = func.length(entries.c.body)
    few = select(entries.c.seq, size.label("size")).where(*wanted).order_by(entries.c.seq)
    some = few.limit(bindparam("most")).offset(literal_column("0")).subquery()  # as in `statements`
    before = (func.sum(some.c.size).over(order_by=some.c.seq) - some.c.size).label("before")
    sized = select(some.c.seq, before).subquery()
    last = select(func.max(sized.c.seq)).where(sized.c.before < bindparam("characters")).scalar_subquery()
    return select(entries).where(*wanted, entries.c.seq <= last).order_by(entries.c.seq)
