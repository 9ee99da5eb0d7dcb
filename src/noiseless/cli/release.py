"""`noiseless release` and `frontier`: a sanitised table with its certificate, and what others there are."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from noiseless.cli.options import (
    READING,
    Format,
    FormatOption,
    HtmlOption,
    NamesOption,
    SummaryOption,
    files_written,
    in_panels,
    option,
    progress_bar,
    show,
    stoppable,
    takes,
    typed_command,
)
from noiseless.cli.release_options import COLUMNS, MERGING, RISKS, TARGETS
from noiseless.cli.values import read_assigned
from noiseless.errors import RequestError

if TYPE_CHECKING:
    from noiseless.releases import Release, ReleaseRequest
    from noiseless.tables.text_source import TextSource

ConfigOption = Annotated[
    Path | None, option("A TOML file with any of these options; they override it.", "FILE")
]

_FILES = ("table", "out", "certificate", "html", "summary", "compare_with", "plot", "apply", "parts")
"""Options that name files, and how many; all others say what is asked for."""
_WRITTEN = ("out", "certificate", "html", "summary")
"""Those that a release writes."""
_PER_COLUMN = {"hierarchy": "COL=FILE or COL=RULE", "column_weight": "COL=NUMBER", "span": "COL=LO:HI"}
"""Options that say something of a column, and how."""

RELEASE_HELP = """Hide one column; publish others, changed as little as possible.

Examples:

  noiseless release heart.csv --sensitive age --public chol --min-posterior 5 -o released.csv
  --certificate certificate.json

  noiseless release patients.csv --sensitive illness --public age --public postcode --min-posterior 3
  --min-rows 5 --hierarchy postcode=prefixes -o released.csv --summary board.html

  noiseless release adult.csv --sensitive salary --public age --public country --hierarchy country=country.csv
  --max-leakage 1 --suppress 0.02 -o released.parquet

  noiseless release visits.csv --sensitive age --public postcode --width 10 --unit patient --min-rows 5
  -o released.csv

  noiseless release --config release.toml

  noiseless release 'spark::hospital.visits' --sensitive illness --public age --public weight
  --min-posterior 5 --parts 16 -o released --certificate certificates

  noiseless release later.csv --apply certificate.json -o later-released.csv
"""


@in_panels(
    {
        "Limits": TARGETS,
        "Limits on what an adversary may believe or find": RISKS,
        READING: ("numeric", "categorical", "missing", "distinct_rows"),
        "How values are merged": MERGING,
        "An earlier release": ("apply", "force", "compare_with"),
    }
)
@takes(COLUMNS, TARGETS, RISKS, MERGING)
def release_command(
    *,
    keep_order: Annotated[
        bool | None,
        typer.Option("--keep-order", help="Keep the table's row order, which is information too."),
    ] = None,
    config: ConfigOption = None,
    out: Annotated[Path | None, option("The released table.", "OUT", "--out", "-o")] = None,
    certificate: Annotated[Path | None, option("The certificate (JSON).", "CERT")] = None,
    html: HtmlOption = None,
    summary: SummaryOption = None,
    compare_with: Annotated[
        Path | None, option("Another release's certificate, to show beside it (--html).", "CERT")
    ] = None,
    apply: Annotated[
        Path | None, option("Release the rows as cells of an earlier release, by its certificate.", "CERT")
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="With --apply: also write rows that break the limits.")
    ] = False,
    parts: Annotated[
        int | None,
        option(
            "Release it in N parts or more: new folders OUT, of Parquet files, and CERT. Without --html, "
            "--summary and --compare-with.",
            "N",
        ),
    ] = None,
    names: NamesOption = None,
    output: FormatOption = "text",
    **options: Any,  # noqa: ANN401 - of the groups above
) -> int:
    """Make the release, write what was asked for, and say what it gives away and keeps.

    Returns:
        The exit code: 0; 1 if rows that are released as earlier cells do not keep the limits.
    """
    written = {"out": out, "certificate": certificate, "html": html, "summary": summary}
    chosen = {
        **options,
        **written,
        "compare_with": compare_with,
        "apply": apply,
        "keep_order": keep_order,
        "parts": parts,
        "names": names,
    }
    asked = _merged_options(config, chosen)
    files = {name: asked.pop(name, None) for name in _FILES}
    if files["apply"] is not None:
        return _apply(asked, files, config, output, force=force)
    if force:
        raise RequestError("--force is about rows that are released as earlier cells; name these (--apply)")
    source = _required_table(files["table"])
    request = _checked_request(asked, source)
    if files["out"] is None:
        raise RequestError("name the file to write: -o OUT")
    if files["parts"] is not None:
        return _release_parts(source, request, files, output)
    outputs = [Path(files[name]) for name in _WRITTEN if files[name] is not None]
    compared = _compared(files["compare_with"], files["html"])
    _check_outputs(outputs, source, request, [config, files["compare_with"]])
    _release(source, request, {**files, "config": config}, compared, output)
    return 0


def _compared(certificate: Path | None, html: Path | None) -> Mapping[str, Any] | None:
    """The certificate of a release to show beside this one.

    Raises:
        NoiselessError: it is no certificate, or there is no page to show it on.
    """
    if certificate is None:
        return None
    if html is None:
        raise RequestError("two releases are compared on a page; name it (--html OUT)")
    from noiseless.verification.verifier import read_certificate

    return read_certificate(certificate)


def _release(
    source: "str | TextSource",
    request: "ReleaseRequest",
    files: Mapping[str, Any],
    compared: Mapping[str, Any] | None,
    output: Format,
) -> None:
    from noiseless.releases import make_release
    from noiseless.releases.output import check_release_outputs

    out, certificate, html = files["out"], files["certificate"], files["html"]
    check_release_outputs(out, certificate, [Path(source)])
    with progress_bar("choosing cells (Ctrl-C keeps the best so far)") as tell, stoppable():
        done = make_release(source, request, tell)
    done.save(out, certificate=certificate)
    if html is not None:
        from noiseless.reports import write_release_html

        with progress_bar("surveying other releases (Ctrl-C keeps those found so far)") as tell, stoppable():
            write_release_html(done, html, done.frontier(tell), compared)
    if files["summary"] is not None:
        _write_summary(done, files)
    from noiseless.reports.release_text import release_text

    certified = f", certified by {certificate} (keep it with the original)" if certificate else ""
    written = files_written(written=f"{out}{certified}", report=html, for_the_board=files["summary"])
    named = _named({name: files[name] for name in _WRITTEN})
    show(output, {**done.to_dict(), **named}, release_text(done) + written)


def _release_parts(
    source: "str | TextSource", request: "ReleaseRequest", files: Mapping[str, Any], output: Format
) -> int:
    """Release a table in parts, and say what holds of the whole.

    Returns:
        The exit code: 0.
    """
    from noiseless.releases import make_parts

    if files["certificate"] is None:
        raise RequestError("name a new folder for the certificates of the parts: --certificate CERT")
    beside = next((name for name in ("html", "summary", "compare_with") if files[name] is not None), None)
    if beside is not None:
        raise RequestError(
            f"--{beside.replace('_', '-')} is about one release; leave it out: --parts takes no --html, "
            "--summary or --compare-with"
        )
    with progress_bar("releasing part by part") as tell:
        done = make_parts(source, request, (files["out"], files["certificate"]), files["parts"], tell)
    certified = f"{done.out}, certified by {done.manifest} (keep it with the original)"
    show(output, done.to_dict(), f"{done!r}" + files_written(written=certified))
    return 0


def _write_summary(done: "Release", files: Mapping[str, Any]) -> None:
    """Write the sheet for the board; the other files are there by now, and their digests on it."""
    read = [] if files["config"] is None else [files["config"]]
    written = [files[name] for name in ("out", "certificate") if files[name] is not None]
    done.summary_html(files["summary"], read=read, written=written, command=typed_command())


def _apply(
    asked: Mapping[str, Any], files: Mapping[str, Any], config: Path | None, output: Format, *, force: bool
) -> int:
    """Release rows as cells of an earlier release, and say what they give away by themselves.

    Returns:
        The exit code: 0, or 1 if they do not keep the limits and are not written.
    """
    beside = [*asked, *(name for name in (*_WRITTEN[1:], "compare_with", "parts") if files[name] is not None)]
    for name in beside:
        if name not in ("keep_order", "names"):
            option = f"--{name.replace('_', '-')}"
            raise RequestError(f"the certificate says how to release the rows; leave {option} out")
    source, out, certificate = _required_table(files["table"]), files["out"], files["apply"]
    if out is None:
        raise RequestError("name the file to write: -o OUT")
    from noiseless.releases import ReleaseRequest, apply_release
    from noiseless.releases.output import check_release_outputs
    from noiseless.reports.release_text import applied_text

    request = ReleaseRequest.of(asked)
    _check_outputs([Path(out)], source, request, [config, certificate])
    check_release_outputs(out, None, [Path(source)])
    done = apply_release(source, certificate, keep_order=request.keep_order, names=request.names)
    written = force or not done.missed
    if written:
        done.save(out, force=force)
    last = (
        f"Written: {out}" if written else f"Not written: a limit is missed. Write {out} all the same: --force"
    )
    answer = {**done.to_dict(), **_named({"out": out if written else None, "apply": certificate})}
    show(output, answer, f"{applied_text(done)}\n\n{last}")
    return 0 if written else 1


def _named(written: Mapping[str, Path | None]) -> dict[str, str | None]:
    """Files as JSON names them."""
    return {name: None if path is None else str(path) for name, path in written.items()}


FRONTIER_HELP = """The best trade-offs found between what leaks and what is kept.

Each line is a release; give its number of values left to `noiseless release --min-posterior`.
The last lines say what is proved: for one ordered column, that no contiguous cells do better.

Examples:

  noiseless frontier heart.csv --sensitive age --public chol

  noiseless frontier heart.csv --sensitive age --public chol --utility resolution --plot frontier.svg

  noiseless frontier patients.csv --sensitive illness --public age --largest-belief 0.5

  noiseless frontier patients.csv --sensitive illness --public age --public postcode --key age --key postcode
  --recoding full-domain --hierarchy age=intervals:5,10,20 --hierarchy postcode=prefixes --min-rows 2

  noiseless frontier --config release.toml --html frontier.html
"""


@in_panels(
    {
        "Limits on what an adversary may believe or find": RISKS,
        READING: ("numeric", "categorical", "missing", "distinct_rows"),
        "How values are merged": MERGING,
    }
)
@takes(COLUMNS, RISKS, MERGING)
def frontier_command(
    *,
    baselines: Annotated[
        bool,
        typer.Option("--baselines/--no-baselines", help="Whether to run the methods of the literature too."),
    ] = True,
    config: ConfigOption = None,
    plot: Annotated[Path | None, option("Draw the frontier (PNG, SVG or PDF).", "OUT")] = None,
    html: HtmlOption = None,
    names: NamesOption = None,
    output: FormatOption = "text",
    **options: Any,  # noqa: ANN401 - of the groups above
) -> int:
    """Find the frontier, draw it if asked for, and list its points.

    Returns:
        The exit code: 0.
    """
    asked = _merged_options(config, {**options, "plot": plot, "html": html, "names": names})
    files = {name: asked.pop(name, None) for name in _FILES}
    written = {name: files[name] for name in ("plot", "html")}
    source = _required_table(files["table"])
    request = _checked_request(asked, source)
    _check_outputs([out for out in written.values() if out is not None], source, request, [config])

    from noiseless.releases import make_frontier
    from noiseless.reports.release_text import frontier_text

    with progress_bar("surveying releases (Ctrl-C shows what is found)") as tell, stoppable():
        frontier = make_frontier(source, request, tell, baselines=baselines)
    if written["plot"] is not None:
        from noiseless.reports import save_plot

        save_plot(frontier, written["plot"])
    if written["html"] is not None:
        from noiseless.reports import write_frontier_html

        write_frontier_html(frontier, written["html"])
    text = frontier_text(frontier) + files_written(plot=written["plot"], report=written["html"])
    show(output, {**frontier.to_dict(), **_named(written)}, text)
    return 0


def _required_table(source: Any) -> "str | TextSource":  # noqa: ANN401 - from a file or from the command line
    """The table that is named.

    Raises:
        RequestError: none is.
    """
    if source is None:
        raise RequestError("no table is named; give a file, or `table` in the --config file")
    return cast("str | TextSource", source)


def _check_outputs(
    outputs: Sequence[Path],
    source: "str | TextSource",
    request: "ReleaseRequest",
    others: Sequence[Path | None] = (),
) -> None:
    """Check before long work that every file can be written, and that none is another one or is read.

    Args:
        outputs: the files to write.
        source: the table: a file, a pattern for several, or a database.
        request: it names hierarchies.
        others: further files that are read.

    Raises:
        NoiselessError: one cannot be.
    """
    from noiseless.tables import check_output, open_table

    names = None if request.names is None else list(request.names)
    tables = open_table(source, names=names).files if outputs else ()
    read = {path.resolve() for path in (*request.files, *others) if path is not None}
    for place, path in enumerate(outputs):
        check_output(path, [Path(source), *tables])
        if path.resolve() in read:
            raise RequestError(f"{path} is read by this very command; write to another file")
        if path.resolve() in {other.resolve() for other in outputs[:place]}:
            raise RequestError(f"{path} cannot hold two things; name another file for one of them")


def _checked_request(asked: Mapping[str, Any], source: "str | TextSource") -> "ReleaseRequest":
    """The request that options make.

    Raises:
        RequestError: a value is wrong.
    """
    from noiseless.releases import ReleaseRequest
    from noiseless.releases.source import named_columns

    try:
        request = ReleaseRequest.of(asked)
    except RequestError as error:
        name, _, problem = str(error).partition(": ")
        if name not in asked:
            raise
        raise RequestError(f"--{name.replace('_', '-')} {problem}") from None
    request.check_columns(named_columns(source, request))
    return request


def _merged_options(config: Path | None, options: Mapping[str, Any]) -> dict[str, Any]:
    """The options of a file, and over them those of the command line."""
    from pydantic import create_model

    from noiseless.releases import ReleaseRequest, read_config

    file = create_model(
        "ReleaseFile",
        __base__=ReleaseRequest,
        table=(str | None, None),
        out=(Path | None, None),
        certificate=(Path | None, None),
        html=(Path | None, None),
        summary=(Path | None, None),
        compare_with=(Path | None, None),
        plot=(Path | None, None),
        apply=(Path | None, None),
        parts=(int | None, None),
    )
    written = {} if config is None else read_config(config, file)
    given = {name: value for name, value in options.items() if value not in (None, [])}
    for name, shape in _PER_COLUMN.items():
        if name in given:
            option = f"--{name.replace('_', '-')}"
            of_columns = dict(read_assigned(option, text, shape) for text in given[name])
            given[name] = written.get(name, {}) | of_columns
    return written | given
