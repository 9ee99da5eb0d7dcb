"""What the shell offers where a column is to be written: the columns of the table named before it."""

import os
import re

import typer

_UNSAFE = re.compile(r"([^\w@%+=:,./-])")


def columns(context: typer.Context, incomplete: str) -> list[str]:
    """The columns of the command's table that begin as written; none when it is not named yet.

    Only a header is read, and nothing that goes wrong is told: completion offers less then.
    """
    from noiseless.tables.headers import header

    # Words that stand by themselves are no parameters yet while the last option still waits for its value.
    named = context.params.get("table") or context.args
    sources = [named] if isinstance(named, str) else list(named)
    found = dict.fromkeys(name for source in sources for name in header(source))
    return [_written(name) for name in found if name.startswith(incomplete)]


def columns_before_equals(context: typer.Context, incomplete: str) -> list[str]:
    """The same where more follows the column: COLUMN=..."""
    return [] if "=" in incomplete else [f"{name}=" for name in columns(context, incomplete)]


def _written(name: str) -> str:
    """Bash takes what it is offered for what was typed; other shells quote by themselves."""
    bash = os.environ.get("_NOISELESS_COMPLETE") == "complete_bash"
    return _UNSAFE.sub(r"\\\1", name) if bash else name
