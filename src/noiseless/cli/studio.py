"""`noiseless studio`: audit and release in the browser, on this machine."""

from pathlib import Path
from typing import Annotated

import typer

from noiseless.cli.options import option, say
from noiseless.errors import RequestError

HELP = """Audit and release a table in the browser, on this machine.

There is no account, and nothing leaves the machine.

Without a TABLE, choose one in the browser. A project file (TOML) opens where you left it.

Examples:

  noiseless studio

  noiseless studio patients.csv

  noiseless studio patients-project.toml --port 8900 --no-browser
"""


def studio_command(
    table: Annotated[
        str | None, typer.Argument(metavar="[TABLE]", help="A table, or a project that the studio wrote.")
    ] = None,
    *,
    port: Annotated[int, option("The port to listen at; any free one by default.", min=0, max=65535)] = 0,
    browser: Annotated[
        bool, typer.Option("--browser/--no-browser", help="Open the link in the browser, or only print it.")
    ] = True,
) -> None:
    """Serve the studio until told to stop."""
    try:
        from noiseless.studio.project import Project
        from noiseless.studio.session import run_studio
        from noiseless.tables.sources import source_paths
    except ModuleNotFoundError as error:
        raise RequestError("the studio needs more: pip install 'noiseless[curator,server]'") from error
    if table is not None and Path(table).suffix.lower() == ".toml":
        project = Project.read(Path(table))
    else:
        project = Project(source=table or "").placed(Path.cwd())
        if table and "::" not in table and not Path(table).expanduser().is_dir():
            source_paths(str(Path(table).expanduser()))  # says at once what is not there
    try:
        run_studio(
            project,
            port=port,
            browser=browser,
            say=lambda link: say(f"The studio is open at {link}\nPress Ctrl-C to close it."),
        )
    except OSError as error:
        raise RequestError(f"port {port} cannot be used ({error.strerror}); choose another --port") from None
