"""Homogeneity: people who share all public values share a sensitive one, so knowing the former reveals it."""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from noiseless.adversaries.columns import read_columns
from noiseless.adversaries.game import Budget, Game, Progress, Score, as_budgets, reported
from noiseless.errors import ColumnError, EmptyTableError, RequestError, UnknownColumnError
from noiseless.exact import Bits, Rational
from noiseless.measures import leakage
from noiseless.tables import Missing, Table, Tally, merge_spellings, open_table, require_distinct
from noiseless.tables.base import Roles
from noiseless.tables.coding import IntegerCoding

if TYPE_CHECKING:
    from noiseless.audits.census import Census

_RELEASED = "released."
"""Stands before the names of released columns, which are those of the original too."""

CERTAIN, GUESS = "certain", "best guess"
"""The adversary who claims only what must be true, and the one who names the most common value."""

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
    """How many people's public values give their sensitive one away, as they are and as they are released.

    Two adversaries: `certain` counts the people whose group leaves one value possible (or at most `few`);
    `best guess` names the most common value of the group, and its score is how often that is right (for a
    person with several rows, given one of their groups at random). Scores are exact: they are about the
    people of this table.

    >>> import pyarrow as pa
    >>> wards = pa.table({"age": [31, 32, 33, 47, 48], "illness": ["flu", "flu", "cold", "flu", "cold"]})
    >>> game = homogeneity(wards, sensitive="illness", public="age", min_posteriors=[2])
    >>> [(score.details["adversary"], score.score) for score in game.results]
    [('certain', 0.0), ('best guess', 0.6), ('certain', 1.0), ('best guess', 1.0)]

    Args:
        table: a file, a glob, `duckdb:///file.db::table`, or any frame.
        sensitive: the columns that the adversary is after; several count as one.
        public: the columns that it sees.
        given: columns that it knows from elsewhere.
        released: a table that was released in place of the public columns; then `unit` or `same_order` says
            which of its rows is whose.
        certificate: the certificate of a release instead, which says it too.
        unit: the column that names a person: where a person has several rows, and to match a release.
        same_order: whether the rows of the release are in the order of the table.
        few: how few values count as disclosed; 1 means that the value is certain.
        budgets: leakages in bits: for each, a release that leaks at most this many (`max_leakage`).
        min_posteriors: the same, with at least this many sensitive values behind each answer.
        missing: a missing value is one ordinary value ("value"), its row is left out ("drop"), or it is an
            error ("error").
        distinct_rows: drop exact duplicates of whole rows first.
        names: the columns' names, for text files without a header line.
        progress: called with the number of releases done and their total.
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
    _, whole = view_original(opened, roles, missing)
    met: list[tuple[Budget, Census]] = []
    if certificate is not None:
        met.append(view_certified(opened, certificate))
    if released is not None:
        met.append(view_released(opened, released, roles, missing, same_order=same_order))
    met += [
        _released(opened, roles, {**aim, "missing": missing, **options}) for aim in reported(aims, progress)
    ]
    met.sort(key=lambda pair: pair[0])
    results = [score for budget, seen in (*met, (None, whole)) for score in _scores(budget, seen, few)]
    return Game(
        "homogeneity", _measure(few), None, _settings(roles, whole, few), tuple(results), ("adversary",)
    )


def _view(tally: Tally, roles: Roles) -> "tuple[Bits, Census]":
    """L0, the bits that the most telling group gives away; and who is in which group, with which value."""
    from noiseless.audits.table_audit import survey

    if not len(tally):
        raise EmptyTableError("there is nobody to learn anything about")
    merged, _ = merge_spellings(tally, roles.sensitive)
    census, side = survey(merged, roles.sensitive, roles.given, roles.public, roles.unit)
    return leakage(census.joint, side), census


def view_original(table: Table, roles: Roles, missing: Missing) -> "tuple[Bits, Census]":
    """The public columns as they stand in a table: what they give away, and who is in which group."""
    unit = () if roles.unit is None else (roles.unit,)
    columns = (*roles.given, *roles.public, *roles.sensitive, *unit)
    return _view(table.select(columns).with_missing(columns, missing).tally(columns), roles)


def view_certified(table: Table, certificate: Any) -> "tuple[Bits, Census]":  # noqa: ANN401 - a file's name, a mapping or an object
    """What a release shows, by the partition that its certificate holds; rows need no common order.

    Raises:
        RequestError: the certificate is about another table, or is not well formed.
    """
    from noiseless.verification.certificate import parse_certificate
    from noiseless.verification.certificate_json import FormatError
    from noiseless.verification.evidence import Evidence
    from noiseless.verification.verifier import read_certificate

    try:
        claimed = parse_certificate(read_certificate(certificate))
    except FormatError as error:
        raise RequestError(f"the certificate cannot be used: {error}") from None
    evidence = Evidence(claimed, table, table)
    if evidence.secrets is None or evidence.values is None or evidence.cell_of is None:
        raise RequestError("the certificate is about another table; give the original that it was made from")
    rows, columns = evidence.secrets.merged(claimed.columns.sensitive), claimed.columns
    cell = evidence.cell_of[evidence.values.groups.of]
    coded = {
        _RELEASED + "cell": (len(claimed.cells), cell),
        **{name: (len(rows.texts[name]), rows.codes[name]) for name in columns.original},
    }
    public = (_RELEASED + "cell", *columns.keep)
    seen = (*columns.given, *public, *columns.sensitive)
    codings = [IntegerCoding(name, 0, coded[name][0] + 1, pa.int64()) for name in seen]
    tally = Tally.from_codes(codings, [coded[name][1] + 1 for name in seen], rows.counts)
    return _view(tally, Roles(columns.sensitive, public, columns.given, None))


def view_released(
    original: Table,
    released: Any,  # noqa: ANN401 - anything that open_table opens
    roles: Roles,
    missing: Missing,
    *,
    same_order: bool,
) -> "tuple[Bits, Census]":
    """What somebody else's release shows about the people of the original.

    The two are joined by the unit or, where the caller says that they have the same order, row by row.
    People in the original only are seen to be absent from the release.

    Raises:
        RequestError: nothing says which rows belong together, or they do not.
    """
    shown = [_RELEASED + name for name in roles.public]
    unit = () if roles.unit is None else (roles.unit,)
    facts = read_columns(original, (*unit, *roles.given, *roles.sensitive), missing="value")
    told = read_columns(released, (*unit, *roles.public), missing="value").rename_columns([*unit, *shown])
    if same_order:
        if len(facts) != len(told):
            raise RequestError(
                f"the original has {len(facts):,} rows, the release {len(told):,}: match them by a unit"
            )
        joined = pa.table({**dict(_columns(facts)), **{n: c for n, c in _columns(told) if n in shown}})
    elif roles.unit is None:
        raise RequestError(
            "say which rows belong together: a column that names a person in both tables (unit), rows in the "
            "same order (same_order), or the release's certificate"
        )
    else:
        present = _RELEASED + "present"
        told = told.append_column(present, pa.array(np.ones(len(told), bool)))
        try:
            joined = facts.join(told, list(unit), join_type="left outer")
        except pa.ArrowInvalid:
            raise RequestError(
                f"{roles.unit} is of another type in the release; write it the same way"
            ) from None
        if joined.column(present).null_count == len(joined):
            raise RequestError("nobody of the original is in the release; check that both name persons alike")
        shown.append(present)
    return view_original(
        open_table(joined), Roles(roles.sensitive, tuple(shown), roles.given, roles.unit), missing
    )


def _columns(table: pa.Table) -> list[tuple[str, pa.ChunkedArray]]:
    return list(zip(table.column_names, table.columns, strict=True))


def _check(roles: Roles, few: int) -> None:
    if not roles.sensitive or not roles.public:
        raise RequestError("name the sensitive columns and the public ones")
    if few < 1:
        raise RequestError("few is a whole number above 0: how few values count as disclosed")
    unit = [] if roles.unit is None else [roles.unit]
    require_distinct(sensitive=roles.sensitive, public=roles.public, given=roles.given, unit=unit)


def _require_the_secret(table: Table, roles: Roles) -> None:
    """Check that the sensitive columns are there: a release that hides them is attacked through its original.

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


def _released(table: Table, roles: Roles, options: dict[str, Any]) -> "tuple[Budget, Census]":
    """A release that keeps to an aim: the bits that it may leak (or does), and what it shows."""
    from noiseless.releases import release

    done = release(table, sensitive=roles.sensitive, public=roles.public, given=roles.given, **options)
    leaked, seen = view_certified(table, done.certificate)
    return options.get("max_leakage", leaked), seen


def _measure(few: int) -> str:
    return (
        "share of people whose value is disclosed"
        if few == 1
        else f"share of people with {few} values left, or fewer"
    )


def _people(census: "Census") -> int:
    """How many rows (persons, with a unit) there are."""
    return census.heads_in(np.ones(len(census.group_sizes), bool))


def _scores(budget: Budget | None, census: "Census", few: int) -> list[Score]:
    """How many are in groups that leave few values, and whose value is the most common one of its group."""
    left = census.joint.posterior_sizes
    told = census.heads_in(left <= few)
    guessed = int(np.maximum.reduceat(census.pair_counts, census.joint.starts[:-1]).sum())
    shape = {"groups": len(census.group_sizes), "min_posterior": int(left.min())}
    people, places = _people(census), int(census.group_sizes.sum())
    shares = {
        CERTAIN: (told, told / people),
        GUESS: (guessed if people == places else None, guessed / places),  # people can be in several groups
    }
    return [
        Score(budget, share, share, share, {"adversary": adversary, "told": count, **shape})
        for adversary, (count, share) in shares.items()
    ]


def _settings(roles: Roles, whole: "Census", few: int) -> dict[str, Any]:
    """What was played; a blind guess is the guess of somebody who sees nothing at all."""
    joint, places = whole.joint, int(whole.group_sizes.sum())
    return {
        "sensitive": list(roles.sensitive),
        "public": list(roles.public),
        "given": list(roles.given),
        "unit": roles.unit,
        "people": _people(whole),
        "values": joint.size_x,
        "few": few,
        "blind_guess": int(np.bincount(joint.x, whole.pair_counts, joint.size_x).max()) / places,
    }
