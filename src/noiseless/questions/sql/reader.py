"""Reading SQL: texts into statements."""

from dataclasses import dataclass

from noiseless.domain import Schema
from noiseless.errors import RequestError
from noiseless.questions.question import Limits
from noiseless.questions.sql.statement import Statement


def parse(sql: str, schema: Schema, table: str, limits: Limits | None = None) -> Statement:
    """The questions that a SELECT asks.

    >>> schema = Schema.parse('columns.kwh = {role = "private", bounds = [0, 10]}')
    >>> parse("select avg(kwh) from meters where not kwh <= 3", schema, "meters").text
    'SELECT AVG(kwh) FROM meters WHERE kwh >= 4'

    Args:
        sql: one SELECT.
        schema: the declared columns.
        table: the name that FROM must say.
        limits: what the owner declares about persons and groups; without it, what depends on these limits is
            refused only when the questions are resolved.

    Raises:
        SqlError: it cannot be read, or asks what cannot be priced or evaluated; one line says what can.
    """
    try:
        from noiseless.questions.sql.select import read_select
    except ModuleNotFoundError as error:  # pragma: no cover - the extra is installed in tests
        raise RequestError("reading SQL needs sqlglot; install noiseless[curator]") from error
    return read_select(sql, schema, table, limits)


@dataclass(frozen=True)
class Reader:
    """Reads SQL about one table.

    Attributes:
        schema: the declared columns.
        table: the name that FROM must say.
        limits: what the owner declares about persons and groups.
    """

    schema: Schema
    table: str
    limits: Limits | None = None

    def read(self, sql: str) -> Statement:
        """The questions that a SELECT asks.

        Raises:
            SqlError: it asks none that can be priced; see `parse`.
        """
        return parse(sql, self.schema, self.table, self.limits)
