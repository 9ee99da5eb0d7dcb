"""`noiseless token`: who may ask a server."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from noiseless.cli.options import CuratorArgument, CuratorsArgument, FormatOption, option, show
from noiseless.display import aligned
from noiseless.errors import OutputError
from noiseless.files import create_private

if TYPE_CHECKING:
    from noiseless.ledger import Ledger
    from noiseless.ledger.analysts import Token

HELP = """Create, revoke and list analysts' tokens for a server.

Example:

  noiseless token add meters.toml --name ann --expires 30d
"""

ADD_HELP = """Make a token and print it, or write it to a new file that only you may read.

It cannot be shown again: only its hash is kept.

An analyst asks, within the budget. An owner also sees the ledger and the exposure, changes the budget and
makes tokens. Analysts with the same name share one account.

Examples:

  noiseless token add meters.toml --name ann --expires 30d --out ann.token

  noiseless token add meters.toml heart.toml --name "data protection office" --role owner
"""

REVOKE_HELP = """End a token; servers refuse it within a second.

Example:

  noiseless token revoke meters.toml 0123456789abcdef
"""

LIST_HELP = """All tokens of a dataset, without their secrets.

Example:

  noiseless token list meters.toml
"""

NOTHING = 1
"""The exit code when there is no such token."""


ByOption = Annotated[str, option("Who decides; the ledger records it.", "NAME")]

app = typer.Typer(help=HELP, no_args_is_help=True)


@app.command("add", help=ADD_HELP)
def add_command(
    curators: CuratorsArgument,
    *,
    name: Annotated[str, option("The holder's name; an analyst's account.")],
    role: Annotated[Literal["analyst", "owner"], option("What they may do.")] = "analyst",
    expires: Annotated[
        str | None, option("12h, 30d, 1y or 2030-12-31; never by default.", "SPAN|DATE")
    ] = None,
    by: ByOption = "owner",
    out: Annotated[Path | None, option("A new file for the token.", "FILE", "--out", "-o")] = None,
    output: FormatOption = "text",
) -> None:
    """Make a token."""
    from noiseless.curator import CuratorFile
    from noiseless.ledger import Ledger
    from noiseless.ledger.analysts import NewToken, add_token, expiry

    until, token = expiry(expires), NewToken.random()
    files = [CuratorFile.read(path) for path in dict.fromkeys(curators)]
    with _written(token.text, out):
        for file in files:
            with Ledger.open(file.ledger) as ledger:
                add_token(ledger, [file.name], name=name, role=role, token=token, expires=until, by=by)
    shown = {"token": token.text} if out is None else {"file": str(out)}
    found: dict[str, Any] = {**shown, "id": token.id, "name": name, "role": role}
    found |= {"datasets": [file.name for file in files], "expires": until}
    show(output, found, token.text if out is None else f"the token {token.id} was written to {out}")


@contextmanager
def _written(token: str, out: Path | None) -> Iterator[None]:
    """Write a token before it is valid: one that cannot be kept is not made."""
    if out is None:
        yield
        return
    try:
        with os.fdopen(create_private(out), "w", encoding="ascii") as file:
            file.write(f"{token}\n")
            file.flush()
            os.fsync(file.fileno())
    except FileExistsError:
        raise OutputError(str(out), "is there already; name a new file") from None
    except OSError as error:
        raise OutputError(str(out), f"cannot be written ({error.strerror})") from None
    try:
        yield
    except BaseException:
        out.unlink(missing_ok=True)
        raise


@app.command("revoke", help=REVOKE_HELP)
def revoke_command(
    curator: CuratorArgument,
    token: Annotated[str, typer.Argument(metavar="ID", help="The token's identifier: see `token list`.")],
    *,
    by: ByOption = "owner",
    output: FormatOption = "text",
) -> int:
    """End a token.

    Returns:
        The exit code: 0, or 1 when there is no such token.
    """
    from noiseless.ledger.analysts import revoke_token, token_id

    called = token_id(token) or token
    ledger, dataset = _opened(curator)
    with ledger:
        count = revoke_token(ledger, called, [dataset], by=by)
    show(
        output,
        {"id": called, "datasets": [dataset] * (count > 0), "revoked": count > 0},
        f"{called} is revoked" if count else f"{dataset} has no valid token {called}",
    )
    return 0 if count else NOTHING


@app.command("list", help=LIST_HELP)
def list_command(curator: CuratorArgument, *, output: FormatOption = "text") -> None:
    """List tokens."""
    from noiseless.ledger.analysts import list_tokens
    from noiseless.ledger.entries import now

    ledger, dataset = _opened(curator)
    with ledger:
        found = [token for token in list_tokens(ledger) if token.dataset == dataset]
    at = now()
    show(
        output,
        {"tokens": [{**t.to_dict(), "dataset": t.dataset, "valid": t.is_valid(at)} for t in found]},
        "\n".join(aligned([_line(token, at) for token in found])) or f"{dataset} has no tokens",
    )


def _opened(path: str) -> tuple["Ledger", str]:
    """The ledger and the dataset of a curator's file, which is checked first."""
    from noiseless.curator import CuratorFile
    from noiseless.ledger import Ledger

    file = CuratorFile.read(path)
    return Ledger.open(file.ledger), file.name


def _line(token: "Token", at: str) -> list[str]:
    ends = f"until {token.expires[:16]}Z" if token.expires else "for ever"
    if token.revoked is not None:
        ends = f"revoked {token.revoked[:16]}Z by {token.revoked_by}"
    elif not token.is_valid(at):
        ends = f"expired {str(token.expires)[:16]}Z"
    return [token.id, token.role, token.name, ends]
