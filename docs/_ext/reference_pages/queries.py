"""One page a kind of question: what it computes, what one person can do to it, and what it costs."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import get_args

from noiseless.domain import Schema
from noiseless.pricing import ExactCounts, QuantizedAnswer, Record, price
from noiseless.pricing.event import Event
from noiseless.pricing.partition import DomainPartition
from noiseless.pricing.reach import QuantizedQuery
from noiseless.questions import (
    Attribute,
    Images,
    Influence,
    Lattice,
    Query,
    Slide,
    Variance,
    Weighted,
    count,
    maximum,
    mean,
    median,
    minimum,
    quantile,
    total,
)
from noiseless.questions.declared_query import DeclaredQuery
from noiseless.questions.question import Aggregate, Limits
from noiseless.questions.row_function import RowFormula
from noiseless.questions.sql import parse
from noiseless.questions.statistics import FilteredMean
from noiseless.ranges.quantizer import Uniform
from reference_pages.objects import documented, exported, summary
from reference_pages.text import code, facts, manual, page, section_about, table, toctree

FOLDER = "queries"

PEOPLE = 20
SIZE = 101
VALUES = Attribute("x", range(SIZE))
"""The example on every page: 20 people, each with a whole number from 0 to 100."""

EXCESS = RowFormula.of(
    "max(x - 50, 0)**2 / 100", Fraction(1), Schema.parse('columns.x = {role = "private", bounds = [0, 100]}')
)
DECLARED = DeclaredQuery("excess", EXCESS, "sum", ("x",), f"sum of {EXCESS.expression}, in steps of 1")
"""A declared formula."""

CELLS = (2, 5, 10, 20, 50)
BATCHES = (1, 10, 30)

SPELLINGS = (
    "COUNT(*) FILTER (WHERE x >= 50)",
    "COUNT_IF(x >= 50)",
    "COUNT(CASE WHEN x >= 50 THEN 1 END)",
    "SUM(x)",
    "SUM(x) FILTER (WHERE x >= 50)",
    "SUM(CASE WHEN x >= 50 THEN x END)",
    "AVG(x)",
    "MEAN(x)",
    "MIN(x)",
    "MAX(x)",
    "MEDIAN(x)",
    "PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY x)",
    "QUANTILE_CONT(x, 0.5)",
    "PERCENTILE_DISC(0.9) WITHIN GROUP (ORDER BY x)",
    "QUANTILE_DISC(x, 0.9)",
    "VAR_POP(x)",
    "VARIANCE(x)",
    "VAR_SAMP(x)",
    "STDDEV_POP(x)",
    "STDDEV(x)",
    "STDDEV_SAMP(x)",
    "excess()",
)
"""What is parsed to see which kind of question it asks."""


@dataclass(frozen=True)
class Kind:
    """A kind of question.

    Attributes:
        name: as `Question.aggregate` has it, or a name of its own where SQL has none.
        title: the title of its page.
        makers: what makes it in Python.
        example: one about this many people, where it is told in cells.
        grouped: how SQL writes it, where it stands in a GROUP BY.
    """

    name: str
    title: str
    makers: tuple[str, ...]
    example: Callable[[int], Query] | None = None
    grouped: str | None = None


KINDS = (
    Kind("count", "Count", ("count",), lambda people: count(people, VALUES, range(50, SIZE))),
    Kind("sum", "Sum", ("total",), lambda people: total(people, VALUES)),
    Kind("mean", "Mean", ("mean",), lambda people: mean(people, VALUES)),
    Kind(
        "filtered-mean",
        "Mean, quantile or variance over a private filter",
        (
            "questions.statistics.FilteredMean",
            "questions.statistics.FilteredOrder",
            "questions.statistics.FilteredVariance",
            "questions.statistics.FilteredQuery",
        ),
        lambda people: FilteredMean(people, VALUES, 5, frozenset(range(50, SIZE))),
    ),
    Kind(
        "weighted",
        "Weighted sum",
        ("Weighted", "LinearOnBox"),
        lambda people: Weighted(tuple(Fraction(1 + number % 2) for number in range(people)), VALUES),
    ),
    Kind("min", "Minimum", ("minimum",), lambda people: minimum(people, VALUES)),
    Kind("max", "Maximum", ("maximum",), lambda people: maximum(people, VALUES)),
    Kind(
        "median",
        "Median",
        ("median", "MiddleMedian", "MiddleMedianOnInterval"),
        lambda people: median(people, VALUES),
    ),
    Kind(
        "quantile",
        "Quantile",
        ("quantile", "OrderStatistic", "OrderOnInterval"),
        lambda people: quantile(people, VALUES, Fraction(9, 10)),
    ),
    Kind(
        "variance", "Variance and standard deviation", ("Variance",), lambda people: Variance(people, VALUES)
    ),
    Kind(
        "histogram",
        "Histogram",
        ("pricing.ExactCounts",),
        grouped="SELECT x, COUNT(*) AS n FROM t GROUP BY x ORDER BY n DESC",
    ),
    Kind(
        "declared",
        "A query that the owner declares",
        (
            "questions.declared_query.DeclaredQuery",
            "questions.declared_query.DatasetFunction",
            "questions.row_function.RowFormula",
            "questions.row_function.RowPieces",
            "questions.additive.RowTotal",
        ),
        lambda people: EXCESS.total(people, 1),
    ),
)

AGGREGATES: tuple[str, ...] = get_args(Aggregate)
"""The kinds that the SQL front end knows."""

_PIECES = {
    1: "It only rises, or only falls, as one person's value ascends: the rule of **cuts** holds. A batch of"
    " such questions"
    " about one attribute has at most 1 + the sum of (outputs - 1) joint outputs.",
    2: "It turns once as one person's value ascends, so it has two monotone pieces: in a batch its **cuts"
    " count twice**, or"
    " it is multiplied with the rest where that is less.",
    None: "No order of the values helps: in a batch it is **multiplied** with the rest.",
}


def path(maker: str) -> str:
    """Where what makes a question is."""
    return f"noiseless.{maker}" if "." in maker else f"noiseless.questions.{maker}"


def pages() -> dict[str, str]:
    """All pages, by their path."""
    return {f"{FOLDER}/index": _index()} | {f"{FOLDER}/{kind.name}": _page(kind) for kind in KINDS}


def spellings(name: str) -> list[str]:
    """How a kind of question is written in SQL."""
    return [text for text, kind in _parsed() if kind == name]


@cache
def _parsed() -> list[tuple[str, str]]:
    schema = Schema.parse(f'columns.x = {{role = "private", bounds = [0, {SIZE - 1}]}}')
    found: list[tuple[str, str]] = []
    for text in SPELLINGS:
        asked = parse(f"SELECT {text} FROM t", schema, "t", Limits(queries=(DECLARED,))).questions
        found.append((text, next(each.aggregate for each in asked if each.column or len(asked) == 1)))
    return found


def _index() -> str:
    own = {name for kind in KINDS for name in kind.makers}
    others = [name for name in exported("questions") if name not in own]
    rows = (
        (
            f"[{kind.title}]({kind.name}.md)",
            ", ".join(map(code, spellings(kind.name))) or _written(kind),
            _does(kind),
        )
        for kind in KINDS
    )
    return page(
        "Questions",
        f"A page a kind. {manual('questions.md', 2)} has what they share, {manual('sql.md', 2)} how they"
        f" are written,"
        f" {manual('prices.md', 2)} what several of them cost together.",
        table(("question", "in SQL", "one person moves it"), rows),
        "Each page has the same example: 20 people, each with a whole number from 0 to 100.",
        "## Also in `noiseless.questions`",
        *(documented(f"noiseless.questions.{name}") for name in others),
        toctree(kind.name for kind in KINDS),
    )


def _does(kind: Kind) -> str:
    if kind.example is None:
        return "from one class to another"
    query = kind.example(PEOPLE)
    return f"by {_number(_sweep(query))} of {_number(query.span.width)}"


def _written(kind: Kind) -> str:
    if kind.grouped:
        return code(kind.grouped.replace("SELECT ", "").replace(" FROM t", ""))
    return "`AVG(x)` and others under a private filter" if kind.name == "filtered-mean" else "Python only"


def _page(kind: Kind) -> str:
    described = (documented(path(name)) for name in kind.makers)
    anchor = section_about("sql.md", "aggregates")
    return page(
        kind.title,
        summary(path(kind.makers[0])),
        "## In SQL\n\n" + _in_sql(kind),
        *((_told(kind.example), _together(kind.example)) if kind.example else (_exactly(),)),
        "## In Python",
        *described,
        f"## See also\n\n- {manual('questions.md', 2, 'the-catalogue')}: all kinds beside each other."
        f"\n- {manual('sql.md', 2, anchor)}: every way to write it."
        f"\n- {manual('plan.md', 2)}: the finest answer for a budget.",
    )


def _in_sql(kind: Kind) -> str:
    found = spellings(kind.name)
    if kind.name == "declared":
        return (
            f"`SELECT {found[0]} FROM t`, where the owner declares `[queries.excess]`:"
            f" {manual('curator.md', 2)}. It is here the {DECLARED.definition}."
        )
    if found:
        return ", ".join(map(code, found)) + "."
    if kind.grouped:
        return code(kind.grouped) + "."
    if kind.name == "filtered-mean":
        return "`AVG(x)` with a filter on a private column, where the owner declares a smallest group."
    return "It cannot be asked in SQL: the weights are the caller's."


def _told(example: Callable[[int], Query]) -> str:
    """Range, sensitivity and reach, as the code has them."""
    query = example(PEOPLE)
    known = [
        ("range", f"{_number(query.span.low)} to {_number(query.span.high)}{_step(query)}"),
        ("one person moves it by", f"{_number(_sweep(query))} at most (its sensitivity)"),
        ("monotone pieces", str(query.pieces) if query.pieces else "unknown"),
    ]
    rows = [_cells(query, cells) for cells in CELLS]
    return (
        "## Range, sensitivity, reach\n\nOf 20 people with whole numbers from 0 to 100:\n\n"
        + facts(known)
        + "\n\n*Reach* is how many different answers one person can cause while everybody else stays as"
        " they are; the price"
        " is its logarithm. Told in equal cells:\n\n"
        + table(("cells", "reach", "price", "off by at most"), rows)
    )


def _cells(query: Query, cells: int) -> tuple[str, ...]:
    told = QuantizedQuery(query, Uniform(query.span, cells))
    at_most = "" if told.reach.exact else "at most "
    return (
        str(told.quantizer.cells),
        f"{at_most}{told.reach.outputs}",
        str(told.bits),
        _number(told.worst_error),
    )


def _together(example: Callable[[int], Query]) -> str:
    """The price of a batch: questions about several numbers of groups that share people."""
    priced = [price(_batch(example, size), Record.of({"x": None})) for size in BATCHES]
    rows = [(str(size), f"{each.outputs:,}", str(each)) for size, each in zip(BATCHES, priced, strict=True)]
    return (
        "## How it is priced\n\n"
        + _PIECES[example(PEOPLE).pieces]
        + " Asked about groups that share people, each answer published in two cells:\n\n"
        + table(("questions", "joint outputs at most", "price"), rows)
        + "\n\nRepeated and implied questions are free, and across batches prices add: "
        + f"{manual('prices.md', 2, 'across-batches')}."
    )


def _batch(example: Callable[[int], Query], size: int) -> Sequence[Event]:
    queries = [example(PEOPLE + 2 * number) for number in range(size)]
    return [QuantizedAnswer(QuantizedQuery(query, Uniform(query.span, 2))) for query in queries]


def _exactly() -> str:
    record = Record.of({"x": SIZE})
    priced = price([ExactCounts(DomainPartition.each("x", SIZE))], record)
    return (
        "## Range, sensitivity, reach\n\n"
        f"It is told exactly. Of 20 people with whole numbers from 0 to 100 it has {SIZE} classes, and one"
        f" person moves two"
        f" counts by 1: out of one class, into another. So one person can cause {SIZE}"
        f" answers: as many as there"
        " are classes, whatever the others are.\n\n## How it is priced\n\n"
        f"{priced}: what it tells of a person is the class they are in. Together with other exact counts it"
        f" costs the"
        f" **partition** that they generate together: {manual('prices.md', 2, 'partitions')}. Fewer classes"
        f" cost less: declare"
        " a coarser step, or ask for counts."
    )


def _sweep(query: Query) -> Fraction:
    """The farthest that one person moves the answer."""
    return max(_swept(query, influence) for influence in query.influences)


def _swept(query: Query, influence: Influence | Images | Slide) -> Fraction:
    if isinstance(influence, Slide):
        return Fraction(influence.length)
    step = query.span.step if isinstance(query.span, Lattice) else Fraction(1)
    if isinstance(influence, Influence):
        return step * (influence.moves[-1] - influence.moves[0])
    return step * max(image[-1] - image[0] for image in influence.listed)


def _step(query: Query) -> str:
    return f" in steps of {_number(query.span.step)}" if isinstance(query.span, Lattice) else ", any number"


def _number(value: Fraction) -> str:
    return f"{int(value):,}" if value.denominator == 1 else f"{float(value):,.4g}"
