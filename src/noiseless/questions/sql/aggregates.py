"""Aggregates: what each function asks, as questions and arithmetic on their answers."""

from collections.abc import Callable
from dataclasses import dataclass
from difflib import get_close_matches
from fractions import Fraction

from sqlglot import exp

from noiseless.domain import BooleanColumn
from noiseless.questions.declared_query import DeclaredQuery
from noiseless.questions.filters import (
    NOBODY,
    Among,
    Everything,
    Filter,
    Not,
    expression_of,
    joined,
    normal,
    parted,
)
from noiseless.questions.question import Aggregate, Limits, Question
from noiseless.questions.sql.canonical import write_filter
from noiseless.questions.sql.conditions import among, filter_of, read_condition
from noiseless.questions.sql.constants import Linear, read_linear
from noiseless.questions.sql.expressions import Combination, answer_to, constant
from noiseless.questions.sql.refusals import row_refused
from noiseless.questions.sql.row_text import made
from noiseless.questions.sql.rows import derived_column, is_derived, read_row
from noiseless.questions.sql.scope import Scope, bare, matching
from noiseless.questions.sql.spellings import QUANTILES, one_case, quantile_call, renamed

_MIRRORED: dict[Aggregate, Aggregate] = {"min": "max", "max": "min"}
_SIMPLE: dict[type[exp.Expression], Aggregate] = {exp.Min: "min", exp.Max: "max", exp.Median: "median"}
_OF_TWO: set[type[exp.Expression]] = {exp.CovarPop, exp.CovarSamp, exp.Corr}
_EXTREMES: dict[Fraction | None, Aggregate] = {Fraction(0): "min", Fraction(1): "max"}


@dataclass(frozen=True)
class Argument:
    """What an aggregate is of: a number for the rows that pass a filter; others have none, or 0."""

    number: Linear
    where: Filter
    zero_elsewhere: bool = False


@dataclass(frozen=True)
class AggregateReader:
    """Makes the questions of a statement.

    Attributes:
        scope: what names stand for.
        where: the filter of the whole statement, in its normal form.
        by: the public columns of GROUP BY.
        histogram: the private column of GROUP BY, or what several are together.
        limits: what the owner declares, if that is known.
        classes: the private columns of GROUP BY, one by one.
    """

    scope: Scope
    where: Filter
    by: tuple[str, ...] = ()
    histogram: str | None = None
    limits: Limits | None = None
    classes: tuple[str, ...] = ()

    def aggregate(self, node: exp.Expression, more: Filter | None = None) -> Combination | None:
        """What an aggregate function asks, of the rows that pass one more filter; None if it is no aggregate.

        Raises:
            SqlError: it cannot be asked.
        """
        node = renamed(node) if type(node) is exp.Anonymous else node
        if isinstance(node, exp.Filter) and more is None:
            self.scope.only(node, "this", "expression", what="this FILTER", remedy="write FILTER (WHERE ...)")
            inner = read_condition(node.expression.this, self.scope)
            return self.aggregate(node.this, inner)
        rows = self.where if more is None else joined([self.where, more])
        if isinstance(node, QUANTILES) and (quantile := self._quantile(node, rows)):
            return quantile
        if type(node) is exp.Anonymous:
            return self._declared(node, rows)
        maker = self._makers().get(type(node))
        if maker is None:
            return None
        if type(node) not in _OF_TWO:
            self._check_call(node)
        return maker(node, rows)

    def _makers(self) -> dict[type[exp.Expression], Callable[[exp.Expression, Filter], Combination]]:
        return {
            exp.Count: self._count,
            exp.CountIf: lambda node, rows: self._ask("count", None, self._passing(node.this, rows), node),
            exp.Sum: lambda node, rows: self._total(node, self._argument(node.this, rows)),
            exp.Avg: self._mean,
            exp.Min: self._of_order,
            exp.Max: self._of_order,
            exp.Median: self._of_order,
            exp.VariancePop: self._variance,
            exp.Variance: self._sample_variance,
            exp.StddevPop: lambda node, rows: self._variance(node, rows).root(),
            exp.Stddev: lambda node, rows: self._sample_variance(node, rows).root(),
            exp.StddevSamp: lambda node, rows: self._sample_variance(node, rows).root(),
            exp.CovarPop: self._covariance,
            exp.CovarSamp: self._sample_covariance,
            exp.Corr: self._correlation,
        }

    def _declared(self, node: exp.Anonymous, rows: Filter) -> Combination | None:
        """A query that the owner declares, by its name."""
        queries = {} if self.limits is None else {query.name: query for query in self.limits.queries}
        name = matching(exp.to_identifier(str(node.this)), queries)
        if name is None:
            if close := get_close_matches(str(node.this)[:100].lower(), list(queries), n=1):
                self.scope.refuse(
                    node, "the function {} is not understood here", f"did you mean {close[0]}()?"
                )
            return None
        if node.expressions:
            self.scope.refuse(node, f"{name}() takes nothing", f"write {name}()")
        return self._ask("declared", None, rows, node, declared=queries[name])

    def _check_call(self, node: exp.Expression) -> None:
        if isinstance(node.this, exp.Distinct):
            self.scope.refuse(
                node,
                "DISTINCT values cannot be counted at a price",
                "ask for a histogram: SELECT c, COUNT(*) ... GROUP BY c",
            )
        self.scope.only(
            node, "this", "big_int", what="an aggregate of several things", remedy="give it one column"
        )

    def _count(self, node: exp.Expression, rows: Filter) -> Combination:
        """All rows: no declared value is missing; those for which an expression has a value."""
        inner = node.this
        if inner is None or isinstance(inner, exp.Star):
            self.scope.only(inner or node, "big_int", what="this COUNT", remedy="write COUNT(*)")
            return self._ask("count", None, rows, node)
        if isinstance(bare(inner), exp.Column) and not is_derived(bare(inner), scope=self.scope):
            return self._ask("count", None, rows, node)
        argument = self._argument(inner, rows)
        return self._ask("count", None, rows if argument.zero_elsewhere else argument.where, node)

    def _passing(self, condition: exp.Expression, rows: Filter) -> Filter:
        """Those of some rows for which a condition holds."""
        return joined([rows, read_condition(condition, self.scope)])

    def _total(self, node: exp.Expression, argument: Argument) -> Combination:
        """SUM(a x + b) = a SUM(x) + b COUNT(*)."""
        number, total = argument.number, constant(0)
        if number.offset:
            total += self._ask("count", None, argument.where, node).times(number.offset)
        if number.column is not None:
            total += self._ask("sum", number.column, argument.where, node).times(number.factor)
        return total

    def _mean(self, node: exp.Expression, rows: Filter) -> Combination:
        """AVG(a x + b) = a AVG(x) + b; with 0 for other rows it is a sum divided by the number of rows."""
        argument = self._argument(node.this, rows)
        if argument.zero_elsewhere:
            return self._total(node, argument) / self._people(node, rows)
        number = argument.number
        share = self._share_of_true(node, self._column(node, number), argument.where)
        if share is None:
            return self._scaled("mean", argument, node)
        return share.times(number.factor) + constant(number.offset)

    def _share_of_true(self, node: exp.Expression, column: str, where: Filter) -> Combination | None:
        """The mean of truth values is a count over a count, unless a private filter leaves rows out."""
        private = self.scope.schema.private
        if column not in private or not isinstance(self.scope.declared(column), BooleanColumn):
            return None
        if not self._normal(where, node).columns.isdisjoint(private):
            return None
        true = self._ask("count", None, joined([where, among(node, column, "=", True, self.scope)]), node)
        return true / self._people(node, where)

    def _people(self, node: exp.Expression, where: Filter) -> Combination:
        """How many rows a mean is over; there is none over nobody."""
        people = self._ask("count", None, where, node)
        if people.constant == 0:
            self.scope.refuse(node, "nobody can pass the filter", "there is nothing to ask about")
        return people

    def _of_order(self, node: exp.Expression, rows: Filter) -> Combination:
        """MIN(a x + b) = a MIN(x) + b, or a MAX(x) + b where a is below 0."""
        aggregate, argument = _SIMPLE[type(node)], self._plainly(node.this, rows)
        if argument.number.factor < 0:
            aggregate = _MIRRORED.get(aggregate, aggregate)
        return self._scaled(aggregate, argument, node)

    def _variance(self, node: exp.Expression, rows: Filter) -> Combination:
        """VAR_POP(a x + b) = a^2 VAR_POP(x)."""
        argument = self._plainly(node.this, rows)
        column = self._column(node, argument.number)
        return self._ask("variance", column, argument.where, node).times(argument.number.factor**2)

    def _sample_variance(self, node: exp.Expression, rows: Filter) -> Combination:
        """The variance times n / (n - 1); the size n of the group is public."""
        people = self._people(node, self._plainly(node.this, rows).where)
        return self._variance(node, rows) * people / (people - constant(1))

    def _covariance(self, node: exp.Expression, rows: Filter) -> Combination:
        """COVAR_POP(x, y) = AVG(x y) - AVG(x) AVG(y), over the rows that have both."""
        one, two, rows = self._two(node, rows)
        both = exp.Avg(this=exp.Mul(this=exp.Paren(this=one), expression=exp.Paren(this=two)))
        product, first, second = (
            self._mean(each, rows) for each in (both, exp.Avg(this=one), exp.Avg(this=two))
        )
        return product - first * second

    def _sample_covariance(self, node: exp.Expression, rows: Filter) -> Combination:
        """The covariance times n / (n - 1)."""
        people = self._people(node, self._two(node, rows)[2])
        return self._covariance(node, rows) * people / (people - constant(1))

    def _correlation(self, node: exp.Expression, rows: Filter) -> Combination:
        """The covariance over the roots of both variances."""
        one, two, rows = self._two(node, rows)
        spreads = [self._variance(exp.VariancePop(this=each), rows).root() for each in (one, two)]
        return self._covariance(node, rows) / (spreads[0] * spreads[1])

    def _two(self, node: exp.Expression, rows: Filter) -> tuple[exp.Expression, exp.Expression, Filter]:
        """What CORR and the like are of, and the rows that have a value of both."""
        self.scope.only(node, "this", "expression", what="this aggregate", remedy="give it two columns")
        one, two = node.this, node.expression
        if one is None or two is None:
            self.scope.refuse(node, "an aggregate of two things has one", "write e.g. CORR(x, y)")
        for each in (one, two):
            rows = self._plainly(each, rows).where
        return one, two, rows

    def _quantile(self, node: exp.Expression, rows: Filter) -> Combination | None:
        call = quantile_call(node)
        if call is None:
            return None
        column_node, share_node, continuous = call
        if column_node is None or share_node is None:
            self.scope.refuse(
                node,
                "this quantile is not understood",
                "write PERCENTILE_DISC(0.9) WITHIN GROUP (ORDER BY column)",
            )
        share = read_linear(share_node, self.scope)
        if share is None or share.column is not None or not 0 <= share.offset <= 1:
            self.scope.refuse(share_node, "a quantile needs a share", "give a number between 0 and 1")
        argument = self._argument(column_node, rows)
        self._column(node, argument.number)
        if argument.number.factor < 0 or argument.zero_elsewhere:
            argument = self._derived(column_node, rows)
        if not continuous:
            return self._scaled("quantile", argument, node, share.offset)
        if share.offset != Fraction(1, 2):
            self.scope.refuse(node, "only the median is placed between two values", "ask for PERCENTILE_DISC")
        return self._scaled("median", argument, node)

    def _scaled(
        self, aggregate: Aggregate, argument: Argument, node: exp.Expression, share: Fraction | None = None
    ) -> Combination:
        """An aggregate that follows a rising line: of a x + b it is a times that of x, plus b."""
        number = argument.number
        asked = self._ask(aggregate, self._column(node, number), argument.where, node, share)
        return asked.times(number.factor) + constant(number.offset)

    def _plainly(self, of: exp.Expression, rows: Filter) -> Argument:
        """The argument of an aggregate to which a row that is 0 matters, as it does not to a sum."""
        argument = self._argument(of, rows)
        return self._derived(of, rows) if argument.zero_elsewhere else argument

    def _column(self, node: exp.Expression, number: Linear) -> str:
        if number.column is None:
            self.scope.refuse(node, "the aggregate is of no column", "name a private column")
        return number.column

    def _argument(self, node: exp.Expression, rows: Filter) -> Argument:
        """A linear form of a column, perhaps in a CASE with one WHEN; or an expression of the row."""
        node = bare(node)
        case = one_case(node) if isinstance(node, exp.Case | exp.If) else None
        if case is not None and not is_derived(case.then, scope=self.scope):
            where, number = self._passing(case.condition, rows), self._number(case.then)
            return Argument(number, where, zero_elsewhere=case.zero_elsewhere)
        if is_derived(node, scope=self.scope):
            return self._derived(node, rows)
        return Argument(self._number(node), rows)

    def _derived(self, node: exp.Expression, rows: Filter) -> Argument:
        """An expression of the row; rows without a value take no part."""
        with self.scope.speaking_of(node):
            expression = read_row(node, self.scope)
            found = derived_column(expression, self.scope)
            if found.kind == "boolean":
                found = derived_column(made("number", [expression]), self.scope)
            if found.nullable:
                missing = filter_of(made("is null", [expression]), self.scope)
                rows = joined([rows, Not(missing)])
        return Argument(Linear(found.name, Fraction(1), Fraction(0)), rows)

    def _number(self, node: exp.Expression) -> Linear:
        node = bare(node)
        if isinstance(node, exp.Column):
            return Linear(self.scope.column(node), Fraction(1), Fraction(0))
        found = read_linear(node, self.scope)
        if found is None:
            problem, remedy = "the aggregate is of no column", "write a column, or a number times it plus one"
            if isinstance(node, exp.Func):
                problem, remedy = row_refused(node, self.scope.sql)
            self.scope.refuse(node, problem, remedy)
        return found

    def _ask(
        self,
        aggregate: Aggregate,
        column: str | None,
        where: Filter,
        node: exp.Expression,
        share: Fraction | None = None,
        *,
        declared: DeclaredQuery | None = None,
    ) -> Combination:
        """The answer to a question, in its normal form; 0 for a count or a sum over nobody."""
        schema, where = self.scope.schema, self._normal(where, node)
        if aggregate == "sum" and self._adds_truths(str(column), where):
            aggregate, where = (
                "count",
                self._normal(joined([where, among(node, str(column), "=", True, self.scope)]), node),
            )
        if aggregate == "quantile" and share in _EXTREMES:
            aggregate, share = _EXTREMES[share], None
        with self.scope.speaking_of(node):
            public, hidden = parted(where)
            narrowed = Everything() if hidden is None else self._on_one(hidden)
            if NOBODY in (where, narrowed):
                if aggregate in ("count", "sum"):
                    return constant(0)
                self.scope.refuse(node, "nobody can pass the filter", "there is nothing to ask about")
            private = narrowed if isinstance(narrowed, Among) else None
            classes = self.histogram
            if aggregate == "count" and private is None and classes is not None:
                aggregate, column, classes = "histogram", classes, None
            of = None if aggregate == "count" else column
            question = Question(aggregate, of, public, private, self.by, share, declared, classes)
            question.check(schema, self.limits)
        return answer_to(question)

    def _on_one(self, hidden: Filter) -> Filter:
        """A filter that private columns have part in, as one of one column; nobody or everybody may pass."""
        if isinstance(hidden, Among):
            return hidden
        found = derived_column(expression_of(hidden), self.scope, write_filter(hidden))
        true = found.index(True)
        if true is None or (found.size == 1 and found.exact):
            return NOBODY if true is None else Everything()
        return Among(found.name, ((true, true + 1),), found)

    def _normal(self, where: Filter, node: exp.Expression) -> Filter:
        """A filter in its normal form, which the statement's own has already."""
        if where is self.where:
            return where
        with self.scope.speaking_of(node):
            return normal(where, self.scope.schema)

    def _adds_truths(self, column: str, where: Filter) -> bool:
        """Whether a sum is of truth values, which is a count, with no filter on another private column."""
        hidden = where.columns.intersection(self.scope.schema.private)
        return isinstance(self.scope.declared(column), BooleanColumn) and hidden <= {column}
