"""`noiseless frontier`: the releases of a table that none found beats, and what other methods reach."""

from pathlib import Path
from typing import Annotated

import typer

from noiseless.cli.options import Format, FormatOption, NamesOption, print_json, progress_bar, say
from noiseless.cli.release_options import (
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
)
from noiseless.cli.release_request import (
    FILES,
    check_outputs,
    checked_request,
    merged_options,
    required_table,
    write_page,
)

HELP = """The releases of a table that none found beats: what is given away against what is kept.

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
