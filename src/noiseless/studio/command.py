"""The command and the lines of Python that do again what was done in the browser."""

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any


def shown_source(source: str) -> str:
    """A table's name as it may be shown and written down: no address of a database has its password.

    >>> shown_source("postgresql://me:secret@host/db::people"), shown_source("a/b.csv")
    ('postgresql://me@host/db::people', 'a/b.csv')
    """
    from noiseless.tables.engine import POSTGRESQL
    from noiseless.tables.postgres_session import PostgresAddress

    return PostgresAddress.parse(source).label if source.startswith(POSTGRESQL) else source


def table_name(source: str) -> str:
    """What a table is called in its own folder."""
    return shown_source(source) if "::" in source else Path(source).name


def shell(command: str, table: str, options: Mapping[str, Any], files: Mapping[str, str]) -> str:
    """A command of the shell.

    >>> print(shell("audit", "a b.csv", {"sensitive": ["illness"], "public": ["age"]}, {}))
    noiseless audit 'a b.csv' --sensitive illness --public age
    """
    words = ["noiseless", command, table]
    for name, value in options.items():
        words += _option(f"--{name.replace('_', '-')}", value)
    for option, file in files.items():
        words += [option, file]
    return shlex.join(words)


def _option(name: str, value: Any) -> list[str]:  # noqa: ANN401 - of any option
    if value in (None, False, [], {}):
        return []
    if value is True:
        return [name]
    if isinstance(value, Mapping):
        return [word for key, one in value.items() for word in (name, f"{key}={_text(one)}")]
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [word for one in value for word in (name, str(one))]
    return [name, _text(value)]


def _text(value: Any) -> str:  # noqa: ANN401 - as above
    return ":".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def python(
    function: str,
    table: str,
    options: Mapping[str, Any],
    written: Mapping[str, str],
    after: str,
    *,
    keyword: str = "",
) -> str:
    """The same in Python, where the table is the first argument or has a keyword.

    >>> print(python("audit", "a.csv", {"sensitive": ["illness"]}, {}, "print(result)"))
    import noiseless as nl
    <BLANKLINE>
    result = nl.audit("a.csv", sensitive=["illness"])
    print(result)
    """
    source = _quoted(table)
    if written:
        source = f"nl.open_table({source}, {', '.join(f'{k}={_quoted(v)}' for k, v in written.items())})"
    if keyword:
        source = f"{keyword}={source}"
    given = [
        f"{name}={_quoted(value)}" for name, value in options.items() if value not in (None, False, [], {})
    ]
    return f"import noiseless as nl\n\nresult = nl.{function}({', '.join([source, *given])})\n{after}"


def _quoted(value: Any) -> str:  # noqa: ANN401 - as above
    """A value as Python writes it, texts in double quotes."""
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_quoted(k)}: {_quoted(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_quoted, value)) + "]"
    return repr(value)
