"""`noiseless release` and `frontier`: a sanitised table with its certificate, and what others there are."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from noiseless.cli.options import (
    Format,
    FormatOption,
    HtmlOption,
    NamesOption,
    option,
    progress_bar,
    show,
    takes,
)
from noiseless.cli.release_request import (
    COLUMNS,
    FILES,
    MERGING,
    TARGETS,
    ConfigOption,
    check_outputs,
    checked_request,
    merged_options,
    required_table,
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


@takes(COLUMNS, TARGETS, MERGING)
def release_command(
    *,
    keep_order: Annotated[
        bool | None,
        typer.Option("--keep-order", help="Leave the rows in the table's order, which tells something too."),
    ] = None,
    config: ConfigOption = None,
    out: Annotated[Path | None, option("The released table.", "OUT", "--out", "-o")] = None,
    certificate: Annotated[Path | None, option("The certificate (JSON).", "CERT")] = None,
    html: HtmlOption = None,
    compare_with: Annotated[
        Path | None, option("Another release's certificate, to show beside it (--html).", "CERT")
    ] = None,
    names: NamesOption = None,
    output: FormatOption = "text",
    **options: Any,  # noqa: ANN401 - of the groups above
) -> int:
    """Make the release, write what was asked for, and say what it gives away and keeps.

    Returns:
        The exit code: 0.
    """
    written = {"out": out, "certificate": certificate, "html": html, "compare_with": compare_with}
    asked = merged_options(config, {**options, **written, "keep_order": keep_order, "names": names})
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
        from noiseless.reports.pages import write_page

        write_page(html, page, done.sources)
    from noiseless.reports.release_text import release_text

    certified = f", certified by {certificate} (keep it with the original)" if certificate else ""
    lines = [release_text(done), "", f"Written: {out}{certified}", *([f"Report: {html}"] if html else [])]
    written = {"out": out, "certificate": certificate, "html": html}
    show(output, {**done.to_dict(), **_named(written)}, "\n".join(lines))


def _named(written: Mapping[str, Path | None]) -> dict[str, str | None]:
    """Files as JSON names them."""
    return {name: None if path is None else str(path) for name, path in written.items()}


FRONTIER_HELP = """The releases of a table that none found beats: what is given away against what is kept.

What is proved of them is printed below them: for one ordered column, that no contiguous cells beat them.

Examples:

  noiseless frontier heart.csv --sensitive age --public chol

  noiseless frontier heart.csv --sensitive age --public chol --utility resolution --plot frontier.svg

  noiseless frontier --config release.toml --html frontier.html
"""


@takes(COLUMNS, MERGING)
def frontier_command(
    *,
    baselines: Annotated[
        bool, typer.Option("--baselines/--no-baselines", help="Whether to run other people's methods too.")
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
    asked = merged_options(config, {**options, "plot": plot, "html": html, "names": names})
    files = {name: asked.pop(name, None) for name in FILES}
    written = {name: files[name] for name in ("plot", "html")}
    source, request = required_table(files["table"]), checked_request(asked)
    check_outputs([out for out in written.values() if out is not None], source, request, [config])

    from noiseless.releases import make_frontier
    from noiseless.reports.release_text import frontier_text

    with progress_bar("surveying releases") as tell:
        frontier = make_frontier(source, request, tell, baselines=baselines)
    if written["plot"] is not None:
        from noiseless.reports import save_plot

        save_plot(frontier, written["plot"])
    if written["html"] is not None:
        from noiseless.reports import write_frontier_html

        write_frontier_html(frontier, written["html"])
    listed = [f"Written: {path}" for path in written.values() if path is not None]
    lines = [frontier_text(frontier), *([""] if listed else []), *listed]
    show(output, {**frontier.to_dict(), **_named(written)}, "\n".join(lines))
    return 0
