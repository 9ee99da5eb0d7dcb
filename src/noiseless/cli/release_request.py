"""From the options of a release to what is asked for, and to files that may be written."""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from noiseless.cli.options import split_names
from noiseless.errors import RequestError

if TYPE_CHECKING:
    from noiseless.releases import ReleaseRequest

FILES = ("table", "out", "certificate", "html", "compare_with", "plot")
"""Options that name files; all others say what is asked for."""


def write_page(path: Path, page: str, sources: Sequence[Path] = ()) -> None:
    """Write a report, whole or not at all, and over none of the sources."""
    from noiseless.tables import written_whole

    with written_whole(path, sources) as part:
        part.write_text(page, "utf-8", newline="\n")


def required_table(source: Any) -> str:  # noqa: ANN401 - from a file or from the command line
    """The table that is named.

    Raises:
        RequestError: none is.
    """
    if source is None:
        raise RequestError("no table is named; give a file, or `table` in the --config file")
    return str(source)


def check_outputs(
    outputs: Sequence[Path], source: str, request: "ReleaseRequest", others: Sequence[Path | None] = ()
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


def checked_request(asked: Mapping[str, Any]) -> "ReleaseRequest":
    """The request that options make.

    Raises:
        RequestError: a value is wrong.
    """
    from noiseless.releases import ReleaseRequest

    request = ReleaseRequest.of(asked)
    request.check_columns()
    return request


def merged_options(config: Path | None, options: Mapping[str, Any], names: str | None) -> dict[str, Any]:
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
        compare_with=(Path | None, None),
        plot=(Path | None, None),
    )
    found = {} if config is None else read_config(config, file)
    given = {name: _plain(name, value) for name, value in options.items() if value not in (None, [])}
    for name in ("hierarchy", "column_weight", "span"):
        if name in given:
            given[name] = found.get(name, {}) | given[name]
    if names is not None:
        given["names"] = split_names(names)
    return found | given


def _plain(name: str, value: Any) -> Any:  # noqa: ANN401 - whatever an option holds
    if isinstance(value, StrEnum):
        return value.value
    if name in ("hierarchy", "column_weight", "span"):
        return dict(_assigned(f"--{name.replace('_', '-')}", text) for text in value)
    return value


def _assigned(option: str, text: str) -> tuple[str, str]:
    """COL=VALUE in its two parts; the column's name may hold = itself."""
    column, sign, value = text.rpartition("=")
    if not sign or not column or not value:
        shape = {"--hierarchy": "COL=FILE", "--span": "COL=LO:HI"}.get(option, "COL=NUMBER")
        raise RequestError(f"{option} {text!r} is not {shape}")
    return column, value
