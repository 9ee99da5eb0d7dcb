"""What the studio's process does: open a table, audit it, look for releases, write what is taken away."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import chdir, contextmanager
from pathlib import Path
from shutil import copyfile, rmtree
from time import process_time
from typing import TYPE_CHECKING, Any, Protocol

from noiseless.domain import ColumnSummary
from noiseless.errors import RequestError
from noiseless.studio.command import python, shell, shown_source, table_name
from noiseless.studio.crosstabs import audit_crosstab, protect_crosstab
from noiseless.studio.project import Project
from noiseless.studio.roles import BARS, columns_in, described, propose_roles
from noiseless.studio.spread import before_and_after, rows_before_and_after, spread_before
from noiseless.studio.trees import MOST_VALUES, drawn_tree, write_drawn
from noiseless.tables import open_table
from noiseless.tables.duckdb_table import DuckDBTable
from noiseless.tables.profile import frequencies, histogram, read_once
from noiseless.tables.sources import file_form
from noiseless.tables.text_source import TextSource, likely_forms

if TYPE_CHECKING:
    from noiseless.audits import Audit
    from noiseless.releases import Release
    from noiseless.releases.source import ReleaseSource


class Tell(Protocol):
    """Hears how far a job is, and what it has found so far."""

    def __call__(self, share: float, found: Any = None, /) -> None: ...  # noqa: ANN401, D102 - JSON


MOST_COLUMNS = 500
"""A table with more is not profiled at once."""
_MOST_KEPT = 4
"""Releases, and sets of files to take away: the newest of each kind, also where two tabs are open."""
_QUICK = 1.5
"""Seconds of work; a release that takes longer is made when it is asked for, and not at every step."""
_FILES = {"-o": "released.csv", "--certificate": "certificate.json"}
"""What is written of a release, by the option of the command."""


class Desk:
    """What is open, and what was found about it.

    Args:
        folder: where files are written that are taken away.
    """

    def __init__(self, folder: str) -> None:
        self._folder = Path(folder)
        self._source: Any = None
        self._table: DuckDBTable | None = None
        self._summaries: dict[str, ColumnSummary] = {}
        self._spreads: dict[str, dict[str, Any]] = {}
        self._rows: ReleaseSource | None = None
        self._made: dict[str, Release] = {}

    def do(self, name: str, options: Mapping[str, Any], tell: Tell) -> Any:  # noqa: ANN401 - JSON
        """Do a job.

        Raises:
            NoiselessError: it cannot be done, in one line.
        """
        jobs: Mapping[str, Callable[..., Any]] = {
            "open": self.open,
            "values": self.values,
            "hierarchy": self.hierarchy,
            "draw": self.draw,
            "audit": self.audit,
            "rules": self.rules,
            "frontier": self.frontier,
            "release": self.release,
            "files": self.files,
            "rows": self.rows,
            "verify": self.verify,
            "curator": self.curator,
            "tables": self.tables,
            "protect_tables": self.protect_tables,
        }
        if name not in jobs:
            raise RequestError(f"there is no job {name!r}")
        project = Project.of(options.get("project", {}))
        rest = {key: value for key, value in options.items() if key != "project"}
        return jobs[name](project, tell, **rest)

    # --- the table ------------------------------------------------------------------------------

    def open(self, project: Project, tell: Tell) -> dict[str, Any]:
        """Read a table, and say what its columns hold."""
        self._forget()
        table = self._opened(project)
        rows = table.count()
        summaries, bars = [], []
        for place, name in enumerate(table.columns):
            summary = self._summary(table, name)
            summaries.append(summary)
            bars.append(histogram(table, summary, BARS))
            tell((place + 1) / len(table.columns))
        proposals = propose_roles(summaries, rows)
        columns = zip(summaries, bars, strict=True)
        return {
            "source": shown_source(project.source),
            "form": file_form(written(project)),
            "forms": {k: v for k, v in likely_forms(table).items() if v and k not in project.written},
            "rows": rows,
            "columns": [described(one, drawn, proposals[one.name]) for one, drawn in columns],
        }

    def _opened(self, project: Project) -> DuckDBTable:
        """The table of a project, read once and kept: what is asked next is about columns with types."""
        source = (project.source, tuple(sorted(project.written.items())))
        if self._table is None or self._source != source:
            if not project.source.strip():
                raise RequestError("name a table: a file, a folder, or the address of a database table")
            opened = open_table(written(project))
            if len(opened.columns) > MOST_COLUMNS:
                raise RequestError(
                    f"the table has {len(opened.columns):,} columns; keep the {MOST_COLUMNS:,} that matter"
                )
            self._forget()
            self._table, self._source = read_once(opened), source
        return self._table

    def _forget(self) -> None:
        """Let go of the table, and of all that was found about it."""
        self._source = self._table = self._rows = None
        for known in (self._summaries, self._spreads, self._made):
            known.clear()

    def _summary(self, table: DuckDBTable, name: str) -> ColumnSummary:
        """What a column of the open table holds."""
        if name not in self._summaries:
            (self._summaries[name],) = table.summarise([name])
        return self._summaries[name]

    def values(self, project: Project, tell: Tell, column: str, most: int = 200) -> dict[str, Any]:
        """The most frequent values of a column, which a person asked to see."""
        del tell
        counted = frequencies(self._opened(project), column, int(most))
        return {"column": column, "values": [{"value": value, "rows": rows} for value, rows in counted]}

    def hierarchy(self, project: Project, tell: Tell, column: str) -> dict[str, Any]:
        """The values of a column, as they are grouped so far."""
        del tell
        counted = frequencies(self._opened(project), column, MOST_VALUES + 2)
        return drawn_tree(column, counted, project.limits.hierarchy.get(column))

    def draw(self, project: Project, tell: Tell, column: str, drawn: dict[str, Any]) -> dict[str, str]:
        """Keep the groups of a column in a file that is taken away with the release."""
        del tell
        table = self._opened(project)
        table.require(column)
        place = self._folder / f"groups-{len(list(self._folder.glob('groups-*'))) + 1}"
        place.mkdir(mode=0o700)  # of its own: a release may have been made with the groups before
        file = write_drawn(place, table.columns.index(column), column, drawn)
        return {"path": str(file), "name": file.name, "text": file.read_text("utf-8")}

    # --- jobs ------------------------------------------------------------------------------------

    def audit(self, project: Project, tell: Tell, **asked: Any) -> dict[str, Any]:  # noqa: ANN401 - keywords
        """What the public columns give away about the sensitive ones."""
        from noiseless.audits import audit

        reveal, uniques = bool(asked.pop("reveal", False)), asked.pop("uniques", None)
        options = _roles(project) | asked
        result = audit(self._opened(project), **options)
        if not reveal and not uniques:
            tell(0.3, {"audit": _headline(result)})
        found = result.to_dict(reveal=reveal)
        if uniques:
            found["uniques"] = result.uniques(int(uniques)).to_dict()
        return {
            "audit": found,
            **_again("audit", project, options, {}, "print(result)"),
        }

    def rules(self, project: Project, tell: Tell, rule: list[str]) -> dict[str, Any]:
        """What disclosure rules would leave to be given away."""
        from noiseless.audits import audit

        del tell
        options = _roles(project) | {"rule": rule}
        result = audit(self._opened(project), **options)
        found = result.rules
        if found is None:
            raise RequestError("name a rule, such as round:5")
        return {"rules": found.to_dict(), **_again("audit", project, options, {}, "print(result.rules)")}

    def frontier(self, project: Project, tell: Tell) -> dict[str, Any]:
        """What can be had: the best trade-offs."""
        from noiseless.releases.pipeline import frontier_of_rows

        found = frontier_of_rows(self._counted(project, limited=False), lambda share: tell(float(share)))
        return {"frontier": found.to_dict()}

    def release(self, project: Project, tell: Tell) -> dict[str, Any]:
        """Make a release, and say what it gives away; `files` writes it."""
        began = process_time()
        done = self._made_of(project, tell)
        here = project.without(self._folder.resolve())
        options = _roles(here) | _limits(here)
        options.pop("unit" if "min_rows" not in options else "", None)
        after = 'result.save("released.csv", certificate="certificate.json")'
        return {
            "limits": project.limits.words,
            "quick": process_time() - began < _QUICK,
            "asked": project.limits.model_dump(exclude_none=True),
            "release": done.to_dict(),
            "columns": [
                before_and_after(one, self._spread(project, one.name), done.frequencies(one.name))
                for one in done.changes
            ],
            "hierarchies": sorted(self._drawn(project)),
            **_again("release", here, options, _FILES, after),
        }

    def files(self, project: Project, tell: Tell, asked: dict[str, Any] | None = None) -> dict[str, Any]:
        """Write a release and its certificate into files of their own; one that is forgotten is made again.

        Args:
            project: the table and its roles.
            tell: hears how far it is.
            asked: the limits of the release, where they are not the project's.
        """
        project = _asked(project, asked)
        found, done = self.release(project, tell), self._made_of(project, tell)
        with self._files("release") as kept:
            done.save("released.csv", certificate="certificate.json")
            done.summary_html("board.html", written=list(_FILES.values()), command=found["command"])
            for name, tree in self._drawn(project).items():
                copyfile(tree, name)
        return found | {"files": kept}

    def rows(self, project: Project, tell: Tell, asked: dict[str, Any]) -> dict[str, Any]:
        """The first rows of the table, which a person asked to see, and what a release makes of them."""
        project = _asked(project, asked)
        return rows_before_and_after(self._opened(project), self._made_of(project, tell))

    def _counted(self, project: Project, *, limited: bool) -> "ReleaseSource":
        """The rows of a release, counted once for all limits."""
        from noiseless.releases.source import ReleaseSource

        request, table = _request(project, limited=limited), self._opened(project)
        known = self._rows.asked(request) if self._rows is not None else None
        self._rows = ReleaseSource.read(table, request) if known is None else known
        return self._rows

    def _made_of(self, project: Project, tell: Tell) -> "Release":
        """The release that a project asks for; the newest ones are kept."""
        from noiseless.releases.pipeline import release_rows

        key = project.model_dump_json()
        self._opened(project)  # another table has none of them
        if key not in self._made:
            rows = self._counted(project, limited=True)
            self._made[key] = release_rows(rows, lambda share: tell(float(share)))
            for old in list(self._made)[:-_MOST_KEPT]:
                del self._made[old]
        return self._made[key]

    def _drawn(self, project: Project) -> dict[str, str]:
        """The hierarchies that were made here: the names of their files, and where they are."""
        trees, told = project.limits.hierarchy, project.without(self._folder.resolve()).limits.hierarchy
        return {told[column]: text for column, text in trees.items() if told[column] != text}

    def _spread(self, project: Project, name: str) -> dict[str, Any]:
        """How the values of a column of the open table are spread."""
        table = self._opened(project)
        if name not in self._spreads:
            self._spreads[name] = spread_before(table, self._summary(table, name))
        return self._spreads[name]

    def verify(self, project: Project, tell: Tell, files: str) -> dict[str, Any]:
        """Check the certificate of a release against the two tables."""
        from noiseless.reports import verification_html
        from noiseless.verification import verify

        del tell
        folder = self._folder / Path(files).name
        certificate, released = folder / "certificate.json", folder / "released.csv"
        if not certificate.exists():
            raise RequestError("there is no such release any more; make it again")
        found = verify(certificate, original=written(project), released=released)
        page = verification_html(found, "certificate.json", Path(project.source).name, "released.csv")
        (folder / "verification.html").write_text(page, "utf-8")
        return {"verification": found.to_dict(), "verdict": found.verdict}

    def tables(self, project: Project, tell: Tell, **asked: Any) -> dict[str, Any]:  # noqa: ANN401 - keywords
        """What a table of counts or totals of the same rows would give away."""
        del tell
        with self._files("tables") as kept:
            return {"files": kept, **audit_crosstab(self._opened(project), project, asked)}

    def protect_tables(self, project: Project, tell: Tell, **asked: Any) -> dict[str, Any]:  # noqa: ANN401 - keywords
        """The counts or totals to publish instead, proved safe, in files of their own."""
        del tell
        with self._files("tables") as kept:
            return {"files": kept, **protect_crosstab(self._opened(project), project, asked)}

    @contextmanager
    def _files(self, kind: str) -> Iterator[str]:
        """A new folder to write files into, by their names alone; the oldest of its kind makes room."""
        known = sorted(int(one.name.rpartition("-")[2]) for one in self._folder.glob(f"{kind}-*"))
        for number in known[: 1 - _MOST_KEPT]:
            rmtree(self._folder / f"{kind}-{number}")
        name = f"{kind}-{max(known, default=0) + 1}"
        (self._folder / name).mkdir(mode=0o700)
        with chdir(self._folder / name):
            yield name

    def curator(self, project: Project, tell: Tell) -> dict[str, Any]:
        """A curator's file to begin with, from the same roles."""
        from noiseless.curator.file import draft_sections
        from noiseless.domain import propose

        del tell
        table = self._opened(project)
        summaries = table.summarise()
        told = [one for one in summaries if project.roles.get(one.name) in ("public", "sensitive")]
        sections = draft_sections(written(project), summaries, table.count())
        return {"text": propose(told).dump(sections=sections)}


def written(project: Project) -> str | TextSource:
    """The table that a project names, with how it is written where that is said."""
    return TextSource(project.source, **project.written) if project.written else project.source


def _asked(project: Project, limits: dict[str, Any] | None) -> Project:
    """A project with the limits of a release that was made before; as it is without any."""
    if limits is None:
        return project
    return project.model_copy(update={"limits": Project.of({"limits": limits}).limits})


def _roles(project: Project) -> dict[str, Any]:
    """The columns by what they are for.

    Raises:
        RequestError: none is sensitive, or none public.
    """
    sensitive, public = columns_in(project.roles, "sensitive"), columns_in(project.roles, "public")
    if not sensitive or not public:
        missing = "sensitive: what is to stay secret" if not sensitive else "public: what others may know"
        raise RequestError(f"mark at least one column as {missing}")
    person = columns_in(project.roles, "person")
    return {"sensitive": sensitive, "public": public} | ({"unit": person[0]} if person else {})


def _headline(result: "Audit") -> dict[str, Any]:
    """The part of an audit that is found at once, under the names it has in the whole."""
    return {
        "unit": result.unit,
        "verdict": result.verdict,
        "sensitive_values": result.sensitive_values,
        "min_posterior": result.min_posterior,
        "entropy": result.entropy.upper,
        "leakage": result.leakage.upper,
        "k_anonymity": result.k_anonymity,
        **result.odds.to_dict(),
    }


def _limits(project: Project) -> dict[str, Any]:
    return {
        name: value for name, value in project.limits.model_dump(exclude_none=True).items() if value != {}
    }


def _request(project: Project, *, limited: bool) -> Any:  # noqa: ANN401 - imported when it is used
    from noiseless.releases import ReleaseRequest

    roles, limits = _roles(project), _limits(project)
    if not limited:
        limits = {name: value for name, value in limits.items() if name not in ("min_posterior", "suppress")}
    if "min_rows" not in limits:
        roles.pop("unit", None)
    return ReleaseRequest.of(roles | limits)


def _again(
    function: str, project: Project, options: Mapping[str, Any], files: Mapping[str, str], after: str
) -> dict[str, str]:
    """How to do the same without the browser, in the folder of the table."""
    name, given = table_name(project.source), dict(options)
    said = {str(k): v for k, v in project.written.items()}
    return {
        "command": shell(function, name, given | said, files),
        "python": python(function, name, given, said, after),
    }
