"""The integrity of a ledger: its tables, the chain of hashes, and all that follows from it in a replay."""

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, NamedTuple

from noiseless.amounts import Cost
from noiseless.ledger.entries import START, Anchor, Entry
from noiseless.ledger.errors import LedgerError
from noiseless.ledger.replay import Effects, Replay
from noiseless.ledger.schema import HEAD, TABLES, VERSION_TABLE, everything
from noiseless.ledger.state import AnswerRow, QuestionRow, answer_row, question_row, quota_row, surplus_row
from noiseless.ledger.statements import CHAIN

if TYPE_CHECKING:
    from noiseless.ledger.transaction import DatabaseTransaction

_MOST_PROBLEMS = 20


@dataclass(frozen=True)
class ChainReport:
    """What a check of the whole ledger found.

    Attributes:
        ok: whether nothing is wrong.
        entries: how many entries there are.
        problems: what is wrong, the first twenty findings.
        head: the last entry's place. Note it elsewhere: only so is a ledger that was rewritten found out.
        spent: what the entries of each dataset come to, for those who paid most.
    """

    ok: bool
    entries: int
    problems: tuple[str, ...]
    head: Anchor
    spent: Mapping[str, Cost] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON."""
        return {
            "chain_ok": self.ok,
            "entries": self.entries,
            "spent": max((cost.upper for cost in self.spent.values()), default=0.0),
            "problems": list(self.problems),
            "head": str(self.head),
        }


class EntryRows(NamedTuple):
    """The questions and answers that an entry puts into their table, of one dataset and version."""

    place: tuple[int, int]
    asked: Sequence[QuestionRow]
    answers: Sequence[AnswerRow]

    @classmethod
    def of(cls, entry: Entry, done: Effects) -> "EntryRows":
        """The rows of an entry that does this."""
        place = (done.dataset.id, done.version)
        return cls(
            place,
            [question_row(*place, asked, entry.seq) for asked in done.asked],
            [answer_row(*place, *answer, entry.seq) for answer in done.answers.items()],
        )


NO_ROWS = EntryRows((0, 0), (), ())


@dataclass
class Chain:
    """Follows the chain entry by entry and notes where it breaks."""

    place: Anchor = START
    expect: Anchor | None = None
    problems: list[str] = field(default_factory=list)
    replay: Replay = field(default_factory=Replay)
    count: int = 0

    def note(self, problem: str) -> None:
        """One more problem."""
        if len(self.problems) < _MOST_PROBLEMS:
            self.problems.append(problem)

    def follow(self, entry: Entry) -> EntryRows:
        """One more entry; the rows that it writes, none if it makes no sense."""
        self.count += 1
        if entry.seq < 1:
            self.note(f"entry {entry.seq} has no place in the chain: the first has the number 1")
        elif entry.seq != self.place.seq + 1:
            self.note(f"entry {self.place.seq + 1} is missing: {entry.seq} follows {self.place.seq}")
        elif entry.previous != self.place.hash:
            self.note(f"entry {entry.seq} does not follow the entry before it")
        if not entry.is_intact:
            self.note(f"entry {entry.seq} was changed: its hash is not that of its fields")
        if self.expect is not None and entry.seq == self.expect.seq and entry.hash != self.expect.hash:
            self.note(f"entry {entry.seq} is not the one that was expected: the ledger was rewritten")
        self.place = entry.anchor
        try:
            done = self.replay.follow(entry)
            return NO_ROWS if done is None else EntryRows.of(entry, done)
        except Exception as error:  # noqa: BLE001 - whatever somebody wrote there is a finding, never a crash
            said = str(error) if isinstance(error, LedgerError) else ""
            whose = f"entry {entry.seq} "
            self.note(said if said.startswith(whose) else f"{whose}cannot be understood")
            return NO_ROWS

    def end(self) -> None:
        """No entry follows."""
        if self.expect is not None and self.place.seq < self.expect.seq:
            self.note(f"the ledger ends with entry {self.place.seq}, but {self.expect.seq} was expected")


def verify_session(session: "DatabaseTransaction", expect: Anchor | None) -> ChainReport:
    """Check the ledger as a transaction sees it."""
    chain, questions = Chain(expect=expect), _Questions()
    for problem in (*_of_file(session), *differ(session)):
        chain.note(problem)
    for row in session.stream(CHAIN):
        questions.follow(chain.follow(Entry(*row)))
    chain.end()
    for problem in (
        *_of_accounts(session, chain.replay),
        *questions.differ(session),
        *chain.replay.tokens.differ(session.rows(everything("ledger_tokens"))),
    ):
        chain.note(problem)
    spent = {name: dataset.state.spent for name, dataset in chain.replay.datasets.items()}
    return ChainReport(not chain.problems, chain.count, tuple(chain.problems), chain.place, spent)


def _of_file(session: "DatabaseTransaction") -> Iterator[str]:
    """What SQLite finds wrong with its file: pages that do not fit, indices that lack rows."""
    if session.is_sqlite:
        for (found,) in session.rows(f"PRAGMA integrity_check({_MOST_PROBLEMS})"):
            if found != "ok":
                yield f"the file is damaged: {found}"


def _of_accounts(session: "DatabaseTransaction", replay: Replay) -> Iterator[str]:
    """Accounts that are too many, too few or changed, by their very texts."""
    datasets, cells, analysts = set[tuple[Any, ...]](), set[tuple[Any, ...]](), set[tuple[Any, ...]]()
    for name, dataset in replay.datasets.items():
        held = replay.holdings[name]
        datasets.add(tuple(dataset))
        cells |= {surplus_row(dataset.id, *item) for item in held.cells.items()}
        analysts |= {quota_row(dataset.id, *item) for item in held.analysts.items()}
    names: dict[Any, str] = {dataset.id: repr(name) for name, dataset in replay.datasets.items()}
    for what, expected, table in (
        ("dataset", datasets, "ledger_datasets"),
        ("public cells of", cells, "ledger_accounts"),
        ("analysts of", analysts, "ledger_analysts"),
    ):
        found = {tuple(row) for row in session.rows(everything(table))}
        for number in sorted({row[0] for row in expected ^ found}, key=str):
            whose = names.get(number, "a dataset that was never declared")
            yield f"the accounts of {what} {whose} are not what its entries say"


class _Questions:
    """What the table of questions must hold, as digests: there may be millions."""

    def __init__(self) -> None:
        self._asked: dict[bytes, bytes] = {}
        self._answered: dict[bytes, bytes] = {}

    def follow(self, rows: EntryRows) -> None:
        """Questions and answers of one more entry; the first of each stands."""
        for row in rows.asked:
            key = _digest((row.dataset, row.version, row.question))
            self._asked.setdefault(key, _digest([row.key, *row[4:10]]))
        for answer in rows.answers:
            key = _digest((*rows.place, answer.question))
            self._answered.setdefault(key, _digest((answer.answer, answer.answered)))

    def differ(self, session: "DatabaseTransaction") -> Iterator[str]:
        """Questions that are too many, too few or changed."""
        for row in session.stream(everything("ledger_told")):
            number, dataset, version, question, *asked, answer, answered = row
            key = _digest((dataset, version, question))
            if self._asked.pop(key, None) != _digest([number, *asked]):
                yield f"question {question[:16]} is not the one that was charged for"
            expected = self._answered.pop(key, None)
            if (None if answer is None and answered is None else _digest((answer, answered))) != expected:
                yield f"the answer of question {question[:16]} is not the one that was given"
        if self._asked or self._answered:
            yield f"{len(self._asked | self._answered):,} questions that were charged for are missing"


def _digest(parts: Iterable[object]) -> bytes:
    return hashlib.sha256(repr(tuple(parts)).encode()).digest()[:16]


def unbroken(entries: Iterable[Entry], replay: Replay) -> Iterator[tuple[Entry, EntryRows]]:
    """Entries with the rows that each writes; the replay follows them.

    Raises:
        LedgerError: they are no unbroken chain.
    """
    chain = Chain(replay=replay)
    for entry in entries:
        rows = chain.follow(entry)
        if chain.problems:
            raise LedgerError(f"the backup is no unbroken chain: {chain.problems[0]}")
        yield entry, rows


_NAMES = ", ".join(f"'{name}'" for name in (*sorted(TABLES), VERSION_TABLE))

_OF_SQLITE = f"""
SELECT type || ' ' || name, coalesce(sql, '') FROM sqlite_master
WHERE tbl_name IN ({_NAMES}) OR type = 'trigger' AND instr(lower(sql), 'ledger_')
"""

_OF_POSTGRESQL = f"""
WITH ours AS (SELECT to_regclass(name) AS oid, name FROM unnest(ARRAY[{_NAMES}]) AS name)
SELECT 'table ' || name, concat_ws(' ', relkind, relpersistence, relrowsecurity, relforcerowsecurity,
    (SELECT count(*) FROM pg_inherits WHERE inhrelid = c.oid OR inhparent = c.oid))
  FROM pg_class c JOIN ours USING (oid)
UNION ALL SELECT 'column ' || attname || ' of ' || name, concat_ws(' ', format_type(atttypid, atttypmod),
    attnotnull, attidentity, attgenerated,
    (SELECT pg_get_expr(adbin, adrelid) FROM pg_attrdef WHERE adrelid = attrelid AND adnum = attnum),
    (SELECT collname FROM pg_collation WHERE pg_collation.oid = attcollation))
  FROM pg_attribute JOIN ours ON attrelid = ours.oid WHERE attnum > 0 AND NOT attisdropped
UNION ALL SELECT 'constraint ' || conname || ' of ' || name,
    concat_ws(' ', pg_get_constraintdef(c.oid), convalidated)
  FROM pg_constraint c JOIN ours ON conrelid = ours.oid WHERE contype <> 'n'
UNION ALL SELECT 'index ' || relname, concat_ws(' ', pg_get_indexdef(indexrelid), indisvalid, indisready)
  FROM pg_index JOIN ours ON indrelid = ours.oid JOIN pg_class c ON c.oid = indexrelid
UNION ALL SELECT 'trigger ' || tgname || ' of ' || name, concat_ws(' ', pg_get_triggerdef(t.oid), tgenabled,
    prosrc, prosecdef, proconfig, (SELECT lanname FROM pg_language WHERE pg_language.oid = prolang))
  FROM pg_trigger t JOIN ours ON tgrelid = ours.oid JOIN pg_proc p ON p.oid = tgfoid WHERE NOT tgisinternal
UNION ALL SELECT 'rule ' || rulename || ' of ' || name, '' FROM pg_rewrite JOIN ours ON ev_class = ours.oid
UNION ALL SELECT 'policy ' || polname || ' of ' || name, '' FROM pg_policy JOIN ours ON polrelid = ours.oid
"""
_SCHEMA = "SELECT relnamespace::regnamespace::text FROM pg_class WHERE oid = to_regclass('ledger_entries')"

_SWITCHED_OFF = """
SELECT 1 WHERE current_setting('session_replication_role') <> 'origin'
UNION ALL SELECT 1 FROM pg_db_role_setting, unnest(setconfig) AS said
  WHERE setdatabase IN (0, (SELECT oid FROM pg_database WHERE datname = current_database()))
    AND setrole IN (0, to_regrole(quote_ident(current_user)))
    AND lower(split_part(said, '=', 1)) = 'session_replication_role' AND split_part(said, '=', 2) <> 'origin'
"""


def found_structure(session: "DatabaseTransaction") -> dict[str, str]:
    """All that the database has for a ledger, by kind and name, as SQL."""
    if session.is_sqlite:
        return {name: _plain(sql) for name, sql in session.rows(_OF_SQLITE)}
    schemas = [f"{name}." for (name,) in session.rows(_SCHEMA)]
    return {name: _plain(said, *schemas) for name, said in session.rows(_OF_POSTGRESQL)}


def _plain(sql: str, *schemas: str) -> str:
    """SQL without what says nothing: line ends, the schema's name.

    Quotes stay, since SQLite takes what stands in double quotes for a text where it names nothing, and so do
    spaces beyond ASCII, which are letters of names.
    """
    for schema in schemas:
        sql = sql.replace(schema, "")
    return re.sub(r" ?([(),]) ?", r"\1", re.sub(r"[ \t\r\n]+", " ", sql).strip(" "))


@cache
def expected_structure() -> Mapping[str, Mapping[str, str]]:
    """All that the steps create, by the kind of database."""
    found: dict[str, dict[str, str]] = json.loads((files("noiseless.ledger") / "structure.json").read_text())
    return found


def differ(session: "DatabaseTransaction") -> Iterator[str]:
    """What is too much, missing or changed."""
    expected = expected_structure()["sqlite" if session.is_sqlite else "postgresql"]
    found = found_structure(session)
    for name in sorted(expected.keys() | found.keys()):
        if name not in found:
            yield f"the {name} is missing"
        elif name not in expected:
            yield f"the {name} belongs to no ledger"
        elif found[name] != expected[name]:
            yield f"the {name} was changed"
    if not session.is_sqlite and session.rows(_SWITCHED_OFF):
        yield "the setting session_replication_role switches triggers off; reset it"
    if session.rows(f"SELECT version_num FROM {VERSION_TABLE}") != [(HEAD,)]:
        yield f"the table {VERSION_TABLE} does not say that its step is {HEAD}"
