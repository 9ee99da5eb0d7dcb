"""`noiseless release` and `noiseless frontier`: a sanitised table with its certificate, and what others are possible."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from noiseless.cli.options import Format, FormatOption, NamesOption, print_json, progress_bar, say
from noiseless.cli.release_request import (
    FILES,
    CategoricalOption,
    CodewordOption,
    ColumnWeightOption,
    ConfigOption,
    DistanceOption,
    DistinctOption,
    GivenOption,
    HierarchyCostOption,
    HierarchyOption,
    HtmlOption,
    KeepOption,
    MethodOption,
    MissingOption,
    NumericOption,
    ObjectiveOption,
    PublicOption,
    SensitiveOption,
    SpanOption,
    TableArgument,
    UtilityOption,
    check_outputs,
    checked_request,
    merged_options,
    required_table,
    write_page,
)
from noiseless.errors import RequestError

if TYPE_CHECKING:
    from noiseless.releases import ReleaseRequest


RELEASE_HELP = """Publish columns so that a sensitive one stays hidden, changing them as little as possible.

Examples:

  noiseless release heart.csv --sensitive age --public chol --min-posterior 5 -o released.csv
  --certificate certificate.json

  noiseless release adult.csv --sensitive salary --public age --public country --hierarchy country=country.csv
  --codeword interval --max-leakage 1 --suppress 0.02 -o released.parquet --certificate certificate.json

  noiseless release --config release.toml
"""


def release_command(
    *,
    table: TableArgument = None,
    sensitive: SensitiveOption = None,
    public: PublicOption = None,
    given: GivenOption = None,
    keep: KeepOption = None,
    objective: ObjectiveOption = None,
    utility: UtilityOption = None,
    weight: Annotated[
        str | None,
        typer.Option("--weight", metavar="L", help="Weigh utility against leakage instead of a target."),
    ] = None,
    min_posterior: Annotated[
        int | None,
        typer.Option("--min-posterior", metavar="K", help="The fewest sensitive values behind an answer."),
    ] = None,
    max_leakage: Annotated[
        str | None, typer.Option("--max-leakage", metavar="B", help="The most bits that may leak, L0.")
    ] = None,
    max_maximin: Annotated[
        str | None,
        typer.Option("--max-maximin", metavar="B", help="The most bits that every row may tell, I*."),
    ] = None,
    max_distortion: Annotated[
        str | None,
        typer.Option("--max-distortion", metavar="D", help="The furthest that a value may be moved."),
    ] = None,
    min_resolution: Annotated[
        str | None,
        typer.Option("--min-resolution", metavar="B", help="The fewest bits of the public columns to keep."),
    ] = None,
    suppress: Annotated[
        str | None,
        typer.Option("--suppress", metavar="SHARE", help="The share of rows that may be released as *."),
    ] = None,
    method: MethodOption = None,
    codeword: CodewordOption = None,
    distance: DistanceOption = None,
    hierarchy: HierarchyOption = None,
    hierarchy_cost: HierarchyCostOption = None,
    column_weight: ColumnWeightOption = None,
    span: SpanOption = None,
    numeric: NumericOption = None,
    categorical: CategoricalOption = None,
    missing: MissingOption = None,
    distinct_rows: DistinctOption = None,
    keep_order: Annotated[
        bool | None,
        typer.Option("--keep-order", help="Leave the rows in the table's order, which tells something too."),
    ] = None,
    config: ConfigOption = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="OUT", help="The released table.")
    ] = None,
    certificate: Annotated[
        Path | None, typer.Option("--certificate", metavar="CERT", help="The certificate (JSON).")
    ] = None,
    html: HtmlOption = None,
    compare_with: Annotated[
        Path | None,
        typer.Option(
            "--compare-with",
            metavar="CERT",
            help="Another release's certificate, to show beside it (--html).",
        ),
    ] = None,
    names: NamesOption = None,
    output: FormatOption = Format.text,
) -> int:
    """Make the release, write what was asked for, and say what it gives away and keeps.

    Returns:
        The exit code: 0.
    """
    options = {name: value for name, value in locals().items() if name not in ("config", "output", "names")}
    asked = merged_options(config, options, names)
    files = {name: asked.pop(name, None) for name in FILES}
    request = checked_request(asked)
    source = required_table(files["table"])
    if files["out"] is None:
        raise RequestError("name the file to write: -o OUT")
    outputs = [Path(files[name]) for name in ("out", "certificate", "html") if files[name] is not None]
    compared = _compared(files["compare_with"], files["html"])
    check_outputs(outputs, source, request, [config, files["compare_with"]])
    _release(source, request, files, compared, output)
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
    source: str,
    request: "ReleaseRequest",
    files: Mapping[str, Any],
    compared: Mapping[str, Any] | None,
    output: Format,
) -> None:
    from noiseless.releases import make_release
    from noiseless.releases.output import check_release_outputs

    out, certificate, html = files["out"], files["certificate"], files["html"]
    check_release_outputs(out, certificate, [Path(source)])
    with progress_bar("choosing cells") as tell:
        done = make_release(source, request, tell)
    page = None
    if html is not None:
        from noiseless.reports import render_release

        with progress_bar("surveying other releases") as tell:
            page = render_release(done, done.frontier(tell), compared)
    done.save(out, certificate=certificate)
    if html is not None and page is not None:
        write_page(html, page, done.sources)
    if output is Format.json:
        written = {"out": out, "certificate": certificate, "html": html}
        print_json({**done.to_dict(), **{name: path and str(path) for name, path in written.items()}})
        return
    from noiseless.reports.release_text import release_text

    certified = f", certified by {certificate} (keep it with the original)" if certificate else ""
    listed = [f"Written: {out}{certified}"]
    listed += [f"Report: {html}"] if html else []
    say("\n".join([release_text(done), "", *listed]))


FRONTIER_HELP = """The releases of a table that none found beats: what is given away against what is kept.

What is proved of them is printed below them: for one ordered column, that no contiguous cells beat them.

Examples:

  noiseless frontier heart.csv --sensitive age --public chol

  noiseless frontier heart.csv --sensitive age --public chol --utility resolution --plot frontier.svg

  noiseless frontier --config release.toml --html frontier.html
"""

_NOT_IN_FILES = ("config", "output", "names", "baselines")
"""Options that stand on the command line only, or are read otherwise."""


def frontier_command(
    *,
    table: TableArgument = None,
    sensitive: SensitiveOption = None,
    public: PublicOption = None,
    given: GivenOption = None,
    keep: KeepOption = None,
    objective: ObjectiveOption = None,
    utility: UtilityOption = None,
    method: MethodOption = None,
    codeword: CodewordOption = None,
    distance: DistanceOption = None,
    hierarchy: HierarchyOption = None,
    hierarchy_cost: HierarchyCostOption = None,
    column_weight: ColumnWeightOption = None,
    span: SpanOption = None,
    numeric: NumericOption = None,
    categorical: CategoricalOption = None,
    missing: MissingOption = None,
    distinct_rows: DistinctOption = None,
    baselines: Annotated[
        bool, typer.Option("--baselines/--no-baselines", help="Whether to run other people's methods too.")
    ] = True,
    config: ConfigOption = None,
    plot: Annotated[
        Path | None, typer.Option("--plot", metavar="OUT", help="Draw the frontier (PNG, SVG or PDF).")
    ] = None,
    html: HtmlOption = None,
    names: NamesOption = None,
    output: FormatOption = Format.text,
) -> int:
    """Find the frontier, draw it if asked for, and list its points.

    Returns:
        The exit code: 0.
    """
    options = {name: value for name, value in locals().items() if name not in _NOT_IN_FILES}
    asked = merged_options(config, options, names)
    files = {name: asked.pop(name, None) for name in FILES}
    plot, html = files["plot"], files["html"]
    source, request = required_table(files["table"]), checked_request(asked)
    check_outputs([out for out in (plot, html) if out is not None], source, request, [config])

    from noiseless.releases import make_frontier

    with progress_bar("surveying releases") as tell:
        found = make_frontier(source, request, tell, baselines=baselines)
    if plot is not None:
        from noiseless.reports import save_plot

        save_plot(found, plot)
    if html is not None:
        from noiseless.reports import render_frontier

        write_page(html, render_frontier(found))
    if output is Format.json:
        written = {"plot": plot, "html": html}
        print_json({**found.to_dict(), **{name: path and str(path) for name, path in written.items()}})
    else:
        from noiseless.reports.release_text import frontier_text

        listed = [f"Written: {path}" for path in (plot, html) if path is not None]
        say("\n".join([frontier_text(found), *([""] if listed else []), *listed]))
    return 0
