"""Homogeneity: whoever knows a person's public values learns a sensitive one that all who share them have.

k-anonymity does not prevent it (Proposition V.1 of [P4]): a group of any size whose sensitive values agree
gives them away.
"""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

from noiseless.adversaries.game import Budget, Game, Progress, Score, as_budgets
from noiseless.adversaries.seen_groups import Roles, Seen, as_it_is, beside, certified
from noiseless.errors import ColumnError, RequestError, UnknownColumnError
from noiseless.exact import Bits, Rational
from noiseless.releases import release
from noiseless.tables import Missing, Table, open_table, require_distinct

CERTAIN, GUESS = "certain", "best guess"
"""The adversary who claims only what must be so, and the one who names the most common value."""

Columns = str | Sequence[str]


def homogeneity(
    table: Any,  # noqa: ANN401 - anything that open_table opens
    *,
    sensitive: Columns,
    public: Columns,
    given: Columns = (),
    released: Any | None = None,  # noqa: ANN401 - anything that open_table opens
    certificate: Any | None = None,  # noqa: ANN401 - a file's name, a mapping or an object
    unit: str | None = None,
    same_order: bool = False,
    few: int = 1,
    budgets: Iterable[Budget | Rational | float | str] = (),
    min_posteriors: Iterable[int] = (),
    missing: Missing = "value",
    distinct_rows: bool = False,
    names: Sequence[str] | None = None,
    progress: Progress | None = None,
    **options: Any,  # noqa: ANN401 - as for `release`
) -> Game:
    """How many people's sensitive value is told by their public ones, as they are and as they are released.

    Two adversaries: `certain` counts the people whose group leaves one value possible (or at most `few`);
    `best guess` names the most common value of the group, and its score is how often that is right (of a
    person with several rows one group, taken at random, is known). Scores are exact: they are about the
    people of this table.

    >>> import pyarrow as pa
    >>> wards = pa.table({"age": [31, 32, 33, 47, 48], "illness": ["flu", "flu", "cold", "flu", "cold"]})
    >>> game = homogeneity(wards, sensitive="illness", public="age", min_posteriors=[2])
    >>> [(score.details["adversary"], score.score) for score in game.results]
    [('certain', 0.0), ('best guess', 0.6), ('certain', 1.0), ('best guess', 1.0)]

    Args:
        table: a file, a glob, `duckdb:///file.db::table`, or any frame.
        sensitive: the columns that the adversary is after; several are one.
        public: the columns that it sees.
        given: columns that it knows from elsewhere.
        released: a table that was released in place of the public columns; then `unit` or `same_order` says
            which of its rows is whose.
        certificate: the certificate of a release instead, which says it too.
        unit: the column that names a person: where a person has several rows, and to match a release.
        same_order: whether the rows of the release are in the order of the table.
        few: how few values count as told; 1, when one must be certain.
        budgets: leakages in bits: for each the table is released with at most so many (`max_leakage`).
        min_posteriors: the same with at least so many sensitive values behind each answer.
        missing: a missing value is one ordinary value ("value"), its row is left out ("drop"), or it is an
            error ("error").
        distinct_rows: drop exact duplicates of whole rows first.
        names: the columns' names, for text files without a header line.
        progress: told how many releases of how many are done.
        options: further ones for these releases, as for `release`: `suppress`, `numeric`, `hierarchy`, ...

    Raises:
        NoiselessError: the table, a column or a combination of arguments is wrong, and how to mend it.
    """
    roles = Roles(_listed(sensitive), _listed(public), _listed(given), unit)
    _check(roles, few)
    leakages = [_bits(budget) for budget in as_budgets(budgets)]
    aims = [{"max_leakage": bits} for bits in leakages] + [
        {"min_posterior": int(k)} for k in sorted(set(min_posteriors))
    ]
    if aims and unit is not None:
        raise RequestError("a release takes each row for a person; leave the unit out, or the budgets")
    if options and not aims:
        raise RequestError(f"{', '.join(options)}: options of releases go with budgets or min_posteriors")
    opened = open_table(table, names=names)
    opened = opened.distinct_rows() if distinct_rows else opened
    _require_the_secret(opened, roles)
    whole = as_it_is(opened, roles, missing)
    met: list[tuple[Budget, Seen]] = []
    if certificate is not None:
        found = certified(opened, certificate)
        met.append((found.leaked, found))
    if released is not None:
        found = beside(opened, released, roles, missing, same_order=same_order)
        met.append((found.leaked, found))
    for done, aim in enumerate(aims, 1):
        met.append(_released(opened, roles, {**aim, "missing": missing, **options}))
        if progress is not None:
            progress(done, len(aims))
    met.sort(key=lambda pair: pair[0])
    results = [score for budget, seen in (*met, (None, whole)) for score in _scores(budget, seen, few)]
    return Game(
        "homogeneity", _measure(few), None, _settings(roles, whole, few), tuple(results), ("adversary",)
    )


def _check(roles: Roles, few: int) -> None:
    if not roles.sensitive or not roles.public:
        raise RequestError("name the sensitive columns and the public ones")
    if few < 1:
        raise RequestError("few is a whole number above 0: how few values count as told")
    unit = [] if roles.unit is None else [roles.unit]
    require_distinct(sensitive=roles.sensitive, public=roles.public, given=roles.given, unit=unit)


def _require_the_secret(table: Table, roles: Roles) -> None:
    """Check that the sensitive columns are there: a release, which hides them, is attacked by its original.

    Raises:
        ColumnError: one is not.
    """
    try:
        table.require(*roles.sensitive)
    except UnknownColumnError as error:
        instead = "if this is a release that hides it, give its original and --certificate FILE"
        raise ColumnError(error.column, f"{error.problem} ({instead})") from None


def _listed(columns: Columns) -> tuple[str, ...]:
    return (columns,) if isinstance(columns, str) else tuple(columns)


def _bits(budget: Budget) -> Fraction:
    if isinstance(budget, Bits):
        raise RequestError("a leakage is a number of bits; or ask for the fewest values left: min_posteriors")
    return budget


def _released(table: Table, roles: Roles, options: dict[str, Any]) -> tuple[Budget, Seen]:
    """A release that keeps to an aim: the bits that it may leak (or does), and what it shows."""
    done = release(table, sensitive=roles.sensitive, public=roles.public, given=roles.given, **options)
    seen = certified(table, done.certificate)
    return options.get("max_leakage", seen.leaked), seen


def _measure(few: int) -> str:
    return (
        "share of people whose value is told"
        if few == 1
        else f"share of people with {few} values left, or fewer"
    )


def _scores(budget: Budget | None, seen: Seen, few: int) -> list[Score]:
    told, guessed = seen.narrowed(few), seen.guessed()
    shape = {"groups": len(seen.census.group_sizes), "min_posterior": seen.smallest}
    shares = {CERTAIN: (told, told / seen.people), GUESS: (guessed, guessed / seen.places)}
    return [
        Score(budget, share, share, share, {"adversary": adversary, "told": count, **shape})
        for adversary, (count, share) in shares.items()
    ]


def _settings(roles: Roles, whole: Seen, few: int) -> dict[str, Any]:
    """What was played; a blind guess is that of somebody who sees nothing at all."""
    return {
        "sensitive": list(roles.sensitive),
        "public": list(roles.public),
        "given": list(roles.given),
        "unit": roles.unit,
        "people": whole.people,
        "values": whole.census.joint.size_x,
        "few": few,
        "blind_guess": whole.commonest() / whole.places,
    }
